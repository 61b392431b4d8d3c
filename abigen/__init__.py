"""abigen: one declarative spec drives a C plugin API, and a checker judges every change to it."""

__version__ = "0.1.0"
