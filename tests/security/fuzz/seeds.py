"""The texts that mutations start from: headers, specs and configurations of this repository, by kind."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[3]

_PLACES = {
    "header": (
        "tests/checker/rules/**/*.h",
        "tests/checker/lint/**/*.h",
        "tests/cli/**/*.h",
        "tests/specs/shipped/*.h",
        "generated/**/*.h",
    ),
    "spec": (
        "spec/**/*.yaml",
        "tests/checker/rules/**/*.yaml",
        "tests/checker/lint/**/*.yaml",
        "tests/generator/build/**/*.yaml",
    ),
    "config": ("tests/security/fuzz/configurations/*.toml",),
}
KINDS = tuple(_PLACES)

_MORE = "ABIGEN_FUZZ_HEADERS"
"""An environment variable that names a folder of headers to start from besides; the numbers then mean other inputs."""

_MAX_BYTES = 30_000
"""Longer files are left out: a hundred small inputs find more than one large one."""


@cache
def seeds(kind: str) -> tuple[Path, ...]:
    """Return the files of a kind, sorted.

    Args:
        kind: one of `KINDS`.
    """
    found = {path for pattern in _PLACES[kind] for path in ROOT.glob(pattern)}
    if kind == "header" and os.environ.get(_MORE):
        found |= set(Path(os.environ[_MORE]).rglob("*.h"))
    return tuple(sorted(path for path in found if 0 < path.stat().st_size <= _MAX_BYTES))


@cache
def text_of(path: Path) -> str:
    """Return a seed's text; one character per byte where it is not UTF-8."""
    content = path.read_bytes()
    try:
        return content.decode()
    except UnicodeDecodeError:
        return content.decode("latin-1")
