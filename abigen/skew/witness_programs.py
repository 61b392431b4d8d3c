"""The files of a program that has OLD and NEW exchange something.

It includes the headers of either side where they stand, or copies from git.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from abigen.model.api import ApiSet
from abigen.model.printable import printable
from abigen.model.span import AbigenError
from abigen.read.git import open_revision
from abigen.read.operand import parse_operand
from abigen.read.options import ReadOptions
from abigen.skew.crossings import SIDES, CallOfSide, Crossing, StructOfSide, ValueOfSide


@dataclass(frozen=True)
class Headers:
    """How a side of the programs finds its headers."""

    includes: tuple[str, ...]
    """What to include, absolute or from the folder of the programs' headers."""
    options: tuple[str, ...]
    """For the compiler: `-I`, `-D` and the like."""
    files: Mapping[str, bytes] = field(default_factory=dict)
    """Copies to write beside the programs, by their path from there."""


def headers_of(operand: str, side: str, options: ReadOptions, read: ApiSet) -> Headers:
    """Find out what a side includes.

    Args:
        operand: as the user wrote it.
        side: `old` or `new`, which names the folder of copies.
        options: how it was read.
        read: what it declares.

    Raises:
        AbigenError: it is a spec, or what it names has gone meanwhile.
    """
    wanted = parse_operand(operand, options.files)
    switches = [*(f"-D{each}" for each in options.defines), *(f"-U{each}" for each in options.undefines)]
    switches.append(f"-std={options.std}")
    own = read.groups[0].api.files
    if wanted.is_spec:
        hint = "write its header with `abigen build`, and name that; two specs can be run with each other as they are"
        raise AbigenError.at(None, f"{printable(operand)} is a spec, and the other side is a header", hint)
    if wanted.revision:
        return _of_revision(wanted.revision, side, options, read, switches)
    folders = [f"-I{Path(each).absolute()}" for each in options.include_dirs]
    if wanted.path == "-":
        text = read.sources[own[0]].encode()
        return Headers((f"{side}/input.h",), (*switches, *folders, f"-I{Path.cwd()}"), {f"{side}/input.h": text})
    if options.files.is_dir(wanted.path):
        folders.append(f"-I{Path(wanted.path).absolute()}")
    return Headers(tuple(str(Path(each).absolute()) for each in own), (*switches, *folders))


def _of_revision(revision: str, side: str, options: ReadOptions, read: ApiSet, switches: Sequence[str]) -> Headers:
    """Copies of the files that were read at a revision of git, at the same places from the top."""
    with closing(open_revision(revision, options.files)) as tree:
        top = f"{os.devnull}/{tree.tree}/"
        paths = [each.removeprefix(top) for each in read.dependencies if each.startswith(top)]
        files = {f"{side}/{path}": tree.read(path) for path in paths}
        folders = []
        for each in options.include_dirs:
            inside = tree.inside(each)
            is_there = inside is not None and tree.kind_of(inside) == "directory"
            folders.append(f"-I{side}/{inside}".rstrip("/") if is_there else f"-I{Path(each).absolute()}")
        name = f"{tree.name}:"
    own = [each.removeprefix(name) for each in read.groups[0].api.files]
    includes = tuple(f"{side}/{each}" for each in own)
    if missing := [each for each in includes if each not in files]:
        raise AbigenError.at(None, f"{missing[0].removeprefix(side + '/')} was not read at {revision}")
    return Headers(includes, (*switches, *folders, f"-I{side}"), files)


BANNER = "Written by abigen skew."


class Renderer(Protocol):
    """What fills in templates."""

    def __call__(self, name: str, /, **views: object) -> str:
        """The text of a template with its views."""


def program_files(
    crossings: Sequence[Crossing], headers: tuple[Sequence[str], Sequence[str]], render: Renderer, notes: Sequence[str]
) -> Mapping[str, str]:
    """The files of one program, by name.

    Args:
        crossings: what crosses, with numbers that differ.
        headers: what each side includes.
        render: fills in templates.
        notes: what the top of `main.c` says of it, in lines.
    """
    files = {"crossing.h": render("skew/crossing.h.j2", banner=BANNER)}
    kinds = {"structs": StructOfSide, "calls": CallOfSide, "values": ValueOfSide}
    for side, included in zip(SIDES, headers, strict=True):
        sorted_out = {
            name: [getattr(each, side) for each in crossings if isinstance(each.old, kind)]
            for name, kind in kinds.items()
        }
        files[f"{side}.c"] = render("skew/side.c.j2", banner=BANNER, side=side, headers=included, **sorted_out)
    counted = {name: [each for each in crossings if isinstance(each.old, kind)] for name, kind in kinds.items()}
    slots = max(each.slots for each in crossings)
    files["main.c"] = render("skew/main.c.j2", banner=BANNER, notes=notes, slots=slots, **counted)
    return files
