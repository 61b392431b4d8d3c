"""The version of abigen."""

__version__ = "0.1.0"
