"""Where the files that come with abigen are: specs and templates."""

from __future__ import annotations

from pathlib import Path

SPECS = "spec"
TEMPLATES = "templates"
GENERATED = "generated"
"""How folders are called that nobody has named otherwise."""
_PACKAGE = Path(__file__).resolve().parent


def shipped(folder: str) -> Path:
    """A folder that comes with abigen: in the package when it is installed, beside it in a source checkout.

    Args:
        folder: `SPECS` or `TEMPLATES`.
    """
    installed = _PACKAGE / "_data" / folder
    return installed if installed.is_dir() else _PACKAGE.parent / folder
