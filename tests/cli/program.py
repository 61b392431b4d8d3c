"""Runs the `abigen` program as users do: a process of its own, with a cache of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import gettempdir


@dataclass(frozen=True)
class Result:
    """What a run left behind."""

    output: str
    remarks: str
    code: int


@dataclass(frozen=True)
class Program:
    """`abigen`, called in one directory."""

    directory: Path
    cache: Path
    environment: Mapping[str, str] = field(default_factory=dict)

    def __call__(self, *arguments: str, text: str | bytes = b"", **environment: str) -> Result:
        """Run it; `text` goes to its standard input."""
        run = subprocess.run(
            [sys.executable, "-m", "abigen", *arguments],
            cwd=self.directory,
            input=text.encode() if isinstance(text, str) else text,
            capture_output=True,
            env=self._environment(environment),
            timeout=120,
            check=False,
        )
        return Result(run.stdout.decode(), run.stderr.decode(), run.returncode)

    def _environment(self, more: Mapping[str, str]) -> dict[str, str]:
        """A surrounding in which only the test decides what output looks like."""
        unwanted = ("NO_COLOR", "COLUMNS", "TERM", "PYTHONDONTWRITEBYTECODE")
        kept = {name: value for name, value in os.environ.items() if name not in unwanted}
        root = str(Path(__file__).parents[2])
        paths = os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH"))))
        defaults = {
            "ABIGEN_CACHE_DIR": str(self.cache),
            "PYTHONPATH": paths,
            "PYTHONIOENCODING": "utf-8",
            "PYTHONPYCACHEPREFIX": str(Path(gettempdir()) / "abigen-tests-bytecode"),
        }
        return {**kept, **defaults, **self.environment, **more}
