"""Every core of an API with every plugin: what happens when they are run together."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path

import msgspec

from abigen.emit.templates import Templates
from abigen.model.version import Version
from abigen.skew.builds import Build, build_releases
from abigen.skew.programs import Excerpt, ProgramFolder, ProgramRun
from abigen.skew.spec_releases import SpecRelease

_SECONDS = 20.0
"""How long a pair may run."""
_DOING = re.compile(r'skew_doing\("([a-z ]+)", "([^"]+)"\)')
"""What a program says that it is about to do."""


class PairOutcome(StrEnum):
    """What becomes of a core and a plugin."""

    WORKS = "works"
    REFUSED = "refused"
    BREAKS = "breaks"


class Difference(msgspec.Struct, frozen=True):
    """Something that one side reads otherwise than the other side has written it."""

    key: str
    """`SP_Device.ordinal`, `TB_InitPlugin()`, `SP_Fns.allocate#2` for a parameter."""
    text: str
    """What is wrong, as a sentence that names it."""
    side: str
    """Who has found it: `core` or `plugin`."""
    line: int = 0
    """In the program of that side; 0 where none is known."""


class Cell(msgspec.Struct, frozen=True):
    """A core and a plugin, and what becomes of them."""

    core: str
    plugin: str
    outcome: PairOutcome
    is_allowed: bool
    """Whether a refusal is what the two versions announce."""
    reasons: tuple[str, ...]
    """Why one refuses the other, or what breaks, as sentences; empty where all works."""
    differences: tuple[Difference, ...] = ()
    sanitizer: str = ""
    """What a sanitizer said first; empty for nothing."""
    calls: int = 0
    """How many functions and callbacks were called."""
    without: tuple[str, ...] = ()
    """What a newer side looks up at run time, and does without."""
    command: str = ""
    """What shows it again, in the folder of the programs."""
    excerpt: Excerpt | None = None
    """The lines of the program that have found the first difference."""

    @property
    def ok(self) -> bool:
        """Whether it works, or is refused as the versions say."""
        return self.outcome is PairOutcome.WORKS or (self.outcome is PairOutcome.REFUSED and self.is_allowed)


class Matrix(msgspec.Struct, frozen=True):
    """All pairs, by core and then by plugin, the oldest first."""

    labels: tuple[str, ...]
    cells: tuple[Cell, ...]
    untried: tuple[str, ...]
    """What could not be called or filled, by its key."""

    @property
    def ok(self) -> bool:
        """Whether every pair works, or is refused as the versions say."""
        return all(each.ok for each in self.cells)


def run_matrix(releases: Sequence[SpecRelease], folder: ProgramFolder, templates: Templates) -> Matrix:
    """Build each release, and run every core with every plugin.

    Args:
        releases: the oldest first.
        folder: for the programs.
        templates: of what is generated.

    Raises:
        AbigenError: a program cannot be written, compiled or started.
    """
    builds = build_releases(releases, folder, templates)
    cells: list[Cell] = []
    for core in builds:
        for plugin in builds:
            folder.announce(f"running core {core.release.label} with plugin {plugin.release.label}")
            command = [f".{os.sep}{core.core}", f".{os.sep}{plugin.plugin}"]
            ran = folder.run(command, seconds=_SECONDS)
            cells.append(_cell(core, plugin, ran, " ".join([*folder.tools.emulator, *command]), folder))
    untried = dict.fromkeys(each for build in builds for each in build.exchange.unknown)
    return Matrix(tuple(each.label for each in releases), tuple(cells), tuple(untried))


def _cell(core: Build, plugin: Build, ran: ProgramRun, command: str, folder: ProgramFolder) -> Cell:
    """What a run has shown."""
    lines = [line.split("\t") for line in ran.output.splitlines()]
    differences = [each for line in lines if (each := _difference(line)) is not None]
    ended = None if ["done"] in lines else _end(ran, lines, core, plugin, folder)
    refusals = [line[3] for line in lines if line[0] == "refuses"]
    refusals += [f"it cannot be loaded: {line[1]}" for line in lines if line[0] == "unusable"]
    is_unusable = any(line[0] == "unusable" for line in lines)
    differences = [*([ended] if ended and not is_unusable else []), *differences]
    wrong = [each.text for each in differences]
    outcome = PairOutcome.BREAKS if wrong else PairOutcome.REFUSED if refusals else PairOutcome.WORKS
    first = next((each for each in differences if each.line), None)
    return Cell(
        core=core.release.label,
        plugin=plugin.release.label,
        outcome=outcome,
        is_allowed=_may_refuse(core.release.version, plugin.release.version),
        reasons=tuple(dict.fromkeys([*wrong, *refusals])),
        differences=tuple(dict.fromkeys(differences)),
        sanitizer=ran.sanitizer,
        calls=sum(line[0] == "calls" for line in lines),
        without=tuple(dict.fromkeys(line[2] for line in lines if line[0] == "without")),
        command=command,
        excerpt=folder.excerpt(_source(first.side, core, plugin), first.line) if first else None,
    )


def _difference(line: Sequence[str]) -> Difference | None:
    """What a line of a run says that is wrong, in words; None for a line about something else."""
    kind, side, key, *rest = (*line, "", "", "")
    other = "plugin" if side == "core" else "core"
    if kind == "breaks":
        return Difference(key, f"{key}: {rest[0]}", side, int(rest[1] or 0))
    if kind == "reaches":
        return Difference(key, f"the {other} calls {rest[0]}, and reaches {key} of the {side}", side, int(rest[1]))
    if kind != "differs":
        return None
    offset, size, found, wanted, owner, number = rest[:6]
    place = f" at {_bytes(int(offset), int(size))}" if int(offset) >= 0 else ""
    text = f"the {side} reads {key}{place} and finds {found}"
    if owner and owner != key:
        text += f", which was written as {owner}"
    text += f"; the {other} has written {wanted}" if wanted else f"; the {other} does not have {key}"
    return Difference(key, text, side, int(number))


def _bytes(offset: int, size: int) -> str:
    return f"byte {offset}" if size == 1 else f"bytes {offset} to {offset + size - 1}"


def _end(
    ran: ProgramRun, lines: Sequence[Sequence[str]], core: Build, plugin: Build, folder: ProgramFolder
) -> Difference:
    """How a run has ended before its end, and what was being done: as the program says, or where a sanitizer saw it."""
    place = ran.place if ran.sanitizer else None
    side, line = place or ("core", 0)
    key, verb = "", ""
    for each in lines:
        if each[0] == "died" and len(each) == 4:
            side, key, verb = each[1:]
    if place and not key:
        before = folder.lines(_source(side, core, plugin))[:line]
        verb, key = next((found.groups() for text in reversed(before) if (found := _DOING.search(text))), ("", ""))
    line = line if place and place[0] == side else 0
    where = f" when the {side} {verb} {key}" if verb else ""
    if ran.ended:
        return Difference(key, f"{ran.ended}{where}", side)
    if ran.sanitizer:
        return Difference(key, f"{ran.sanitizer}{where}", side, line)
    how = f"by {signal.Signals(-ran.status).name}" if ran.status < 0 else f"with exit code {ran.status}"
    return Difference(key, f"the program ends {how}{where}", side)


def _source(side: str, core: Build, plugin: Build) -> Path:
    """The file with the code of a side."""
    return (core.core if side == "core" else plugin.plugin).with_name(f"{side}.c")


def _may_refuse(core: Version | None, plugin: Version | None) -> bool:
    """Whether two versions announce that their sides may refuse each other: MAJOR differs, or MINOR while it is 0."""
    if core is None or plugin is None:
        return False
    return core.major != plugin.major or (core.major == 0 and core.minor != plugin.minor)
