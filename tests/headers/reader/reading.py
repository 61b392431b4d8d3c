"""Reads a header from a string."""

from __future__ import annotations

from abigen.headers.reader import read_headers
from abigen.model.api import Api, ApiSet
from abigen.workspace.options import ReadOptions, SourceFile

LINUX = ("x86_64-linux-gnu",)


def read_set(text: str, targets: tuple[str, ...] = LINUX, name: str = "api.h", **options: object) -> ApiSet:
    """Read a header from its text, for some targets."""
    return read_headers([SourceFile(name, name, text)], ReadOptions(targets=targets, **options))  # type: ignore[arg-type]


def read(text: str, **options: object) -> Api:
    """Read a header from its text, as x86_64 Linux sees it."""
    return read_set(text, **options).groups[0].api  # type: ignore[arg-type]
