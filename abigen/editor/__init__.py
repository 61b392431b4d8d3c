"""The language server: `abigen lsp`.

It shows the findings of the checker while somebody types, and answers questions about declarations and keys of specs.

Entry points: `serving.serve` (the process), `server.AbigenServer` (open files), `requests.REQUESTS` (a function for
each request), `analysis.Analyst` (reads and judges a file; it knows no protocol).

It does not know the command line, and runs no plugin.
"""
