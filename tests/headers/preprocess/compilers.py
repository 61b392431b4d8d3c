"""The output of compilers for a header, for comparison, and short ways to preprocess one."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from abigen.headers.preprocessor.lexemes import lexemes_of
from abigen.headers.preprocessor.preprocess import preprocess
from abigen.headers.unit import Token, Unit
from abigen.model.target import default_targets, find_target
from abigen.workspace.options import ReadOptions, SourceFile

HOST = default_targets()[0]

_MARKER = re.compile(r'^# \d+ "((?:\\.|[^"\\\n])*)"([ \d]*)$')
_SPELLED_OUT = re.compile(r'"(?:\\.|[^"\\])*"|\\U([0-9a-f]{8})')
_PRAGMA = re.compile(r"[ \t]*#[ \t]*pragma[ \t]+(.*)")


def read(path: Path) -> str:
    """Return the text of a header, as the loader reads it."""
    content = path.read_bytes()
    try:
        return content.decode()
    except UnicodeDecodeError:
        return content.decode("latin-1")


def unit_of(
    *paths: Path,
    cc: str | None = None,
    include_dirs: Sequence[Path] = (),
    defines: Sequence[str] = (),
    std: str = "gnu17",
    target: str = HOST,
    cache: bool = False,
) -> Unit:
    """Preprocess headers on disk."""
    options = ReadOptions(
        targets=(target,),
        include_dirs=tuple(map(str, include_dirs)),
        defines=tuple(defines),
        std=std,
        cc=cc,
        cache=cache,
    )
    sources = [SourceFile(str(path), str(path), read(path)) for path in paths]
    return preprocess(sources, options, find_target(target))


def own_tokens(unit: Unit) -> list[str]:
    """Return the texts of a unit's tokens; pragmas without white space, which compilers print differently."""
    return _texts(unit.tokens)


def system_tokens(unit: Unit) -> list[str]:
    """Return the tokens of what system headers declare, in the same form."""
    return _texts(unit.system_tokens)


def _texts(tokens: Sequence[Token]) -> list[str]:
    return ["".join(token.text.split()) if token.kind == "pragma" else token.text for token in tokens]


def compiler_tokens(
    cc: str,
    path: Path,
    *,
    include_dirs: Sequence[Path] = (),
    defines: Sequence[str] = (),
    std: str = "gnu17",
) -> tuple[list[str], list[str]] | None:
    """Return the tokens of a compiler's preprocessor, of the header and of the system's; None when it refuses."""
    command = [cc, "-E", f"-std={std}", *(f"-I{each}" for each in include_dirs), *(f"-D{each}" for each in defines)]
    result = subprocess.run([*command, "-include", str(path), "-x", "c", "-"], input=b"", capture_output=True)
    if result.returncode:
        return None
    is_system: dict[str, bool] = {}
    lines: tuple[list[str], list[str]] = ([], [])
    current = lines[0]
    for line in result.stdout.decode("utf-8", "replace").split("\n"):
        marker = _MARKER.match(line)
        if marker is None:
            current.append(line)
        else:
            current = lines[is_system.setdefault(marker[1], "3" in marker[2].split())]
    return list(_tokens(lines[0])), list(_tokens(lines[1]))


def _tokens(lines: Sequence[str]) -> list[str]:
    tokens: list[str] = []
    for line in lines:
        pragma = _PRAGMA.match(line)
        if pragma is not None:
            tokens.append("".join(pragma[1].split()))
        elif not line.lstrip().startswith("#"):
            # gcc spells letters beyond ASCII in identifiers as universal character names
            line = _SPELLED_OUT.sub(lambda match: chr(int(match[1], 16)) if match[1] else match[0], line)
            tokens += [piece.text for piece in lexemes_of(line)]
    return tokens
