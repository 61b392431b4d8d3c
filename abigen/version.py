"""The version of abigen, and where it is published."""

__version__ = "0.1.0"
REPOSITORY = ""
"""The address of the repository, like `https://example.org/abigen`, which its owner sets; without it nothing links."""


def rule_address(code: str, name: str) -> str:
    """Return the address of a rule's manual page; empty where abigen is not published."""
    return f"{REPOSITORY}/blob/v{__version__}/docs/rules.md#{code.lower()}-{name}" if REPOSITORY else ""
