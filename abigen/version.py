"""The version of abigen, and where it is published."""

__version__ = "0.1.0"
REPOSITORY = ""
"""The address of the repository, like `https://example.org/abigen`, which its owner sets; without it nothing links."""
