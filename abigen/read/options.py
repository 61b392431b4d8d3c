"""What a reader has to be told besides the text."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """How to read an operand; for specs only `targets` and `include_dirs` matter."""

    targets: tuple[str, ...]
    """Names of targets (`x86_64-linux-gnu`, ...), the preferred one first; never empty."""
    include_dirs: tuple[str, ...] = ()
    """`-I`, in order."""
    defines: tuple[str, ...] = ()
    """`-D`: `NAME` or `NAME=VALUE`."""
    undefines: tuple[str, ...] = ()
    """`-U`."""
    std: str = "gnu17"
    """The C standard, as compilers name it."""
    cc: str | None = None
    """The compiler to preprocess with: None finds one, `none` uses the pure-Python preprocessor."""


@dataclass(frozen=True)
class SourceFile:
    """A file to read: the name that users know it by, where it stands on disk, and its text.

    `name` is what spans and messages say (`HEAD~1:api.h`, `-`); `path` is what relative includes start from.
    """

    name: str
    path: str
    text: str
