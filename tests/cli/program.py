"""The `abigen` program as users call it, with a cache of its own."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import msgspec
from msgspec.structs import replace

from tests.running import run_here, run_in_copy


class Result(msgspec.Struct, frozen=True):
    """The result of a run."""

    output: str
    remarks: str
    code: int


class Program(msgspec.Struct, frozen=True):
    """`abigen`, called in one directory."""

    directory: Path
    cache: Path
    environment: Mapping[str, str] = msgspec.field(default_factory=dict)

    is_apart: bool = False
    """Each run is a process of its own, because the process is what is tested."""

    def __call__(self, *arguments: str, text: str | bytes = b"", **environment: str) -> Result:
        """Run it; `text` goes to its standard input."""
        given = text.encode() if isinstance(text, str) else text
        call = run_in_copy if self.is_apart else run_here
        run = call(arguments, self.directory, self._environment(environment), given)
        return Result(run.stdout, run.stderr, run.code)

    @property
    def apart(self) -> Program:
        """The same program, in a process of its own for each run."""
        return replace(self, is_apart=True)

    def _environment(self, more: Mapping[str, str]) -> dict[str, str]:
        """Return a surrounding in which only the test decides what output looks like."""
        unwanted = ("NO_COLOR", "COLUMNS", "TERM")
        kept = {name: value for name, value in os.environ.items() if name not in unwanted}
        defaults = {
            "ABIGEN_CACHE_DIR": str(self.cache),
            "PYTHONIOENCODING": "utf-8",
        }
        return {**kept, **defaults, **self.environment, **more}
