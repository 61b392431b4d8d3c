"""What readers could not understand, but could read on without: written to stderr."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from abigen.cli import terminal

if TYPE_CHECKING:
    from collections.abc import Iterable

    from abigen.model.api import ApiSet


def warnings_of(apis: Iterable[ApiSet]) -> str:
    """The warnings about some APIs, once each, a line per warning."""
    texts = {str(warning): None for api in apis for group in api.groups for warning in group.api.warnings}
    return "".join(f"{text}\n" for text in texts)


def show_warnings(*apis: ApiSet) -> None:
    """Write the warnings about some APIs to stderr."""
    terminal.write(warnings_of(apis), sys.stderr)
