"""`abigen verify`: whether a plugin's binary keeps the contract.

The tool plays core: it loads the plugin in a process of its own, as one release of the API or another, and looks at
what the plugin does. A check is a function in `abigen.runner.verify.checks`, or, where it is about one API only, in
`abigen.runner.apis`; its docstring is its page of the manual (see `abigen.runner.verify.check`).
"""
