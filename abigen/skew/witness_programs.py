"""The files of a program that has OLD and NEW exchange something."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from abigen.skew.crossings import SIDES, CallOfSide, Crossing, StructOfSide, ValueOfSide

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
