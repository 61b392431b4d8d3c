"""The whole program under mutated input: no traceback, no hang, no more memory than it may have.

`python -m tests.security.fuzz` runs inputs by number, so that each failure can be had again.
"""
