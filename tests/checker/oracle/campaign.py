"""Runs random edits by the hundred: makes them, asks clang and abigen, and compares the answers.

On Linux it is GCC whose reading of the ABI counts, and in a few corners clang's is another. So where abigen lays a
header out otherwise than clang, GCC is asked, and its answer is the one that the verdict is held against.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random

import msgspec

from abigen.checker.compare import compare
from abigen.checker.policy import find_policy
from abigen.checker.struct_members import members_of
from abigen.headers.reader import read_headers
from abigen.model.api import ApiSet
from abigen.model.finding import Verdict
from abigen.model.layout import Layouts
from abigen.model.span import AbigenError
from abigen.model.target import find_target
from abigen.workspace.options import ReadOptions, SourceFile
from tests.checker.oracle.clang import TARGETS, Truth, ask, has_size, paths
from tests.checker.oracle.edits import edited
from tests.checker.oracle.headers import PREAMBLE, Header, Record, Writer
from tests.checker.oracle.judge import Case
from tests.model.layout.compilers import ask_gcc, has_gcc

BATCH = 250
Truths = Mapping[str, Truth]


class Result(msgspec.Struct):
    """The result of a campaign."""

    edits: int = 0
    """The number of edits that clang accepts on a target."""
    judged: Counter[str] = msgspec.field(default_factory=Counter)
    """Target to how many of them were compared there, and other counts."""
    complaints: dict[int, list[str]] = msgspec.field(default_factory=dict)
    """Number of an edit to what is wrong."""


class Side(msgspec.Struct, frozen=True):
    """A side of an edit, as it was written and as abigen has read it."""

    header: Header
    api: ApiSet

    def truths(self, clang: Truths, target: str, directory: Path) -> Truths | None:
        """Return the layouts that count on a target; None where GCC would have to say and is not there."""
        if find_target(target).compiler != "gcc" or self._agrees(clang, target):
            return clang
        return self._ask_gcc(clang, target, directory) if has_gcc(target) else None

    def _agrees(self, clang: Truths, target: str) -> bool:
        layouts = Layouts(self.api.for_target(target), find_target(target))
        for record in self.header.records:
            own, truth = layouts.of(record.name), clang[record.name]
            places = {each.path: each.place for each in members_of(layouts.api.structs[record.name], layouts)}
            told = {path: place for path, (place, _) in truth.members.items() if path in places}
            known = {name: place for name, place in places.items() if name in told}
            if (own.size, own.alignment, known) != (truth.size, truth.alignment, told):
                return False
        return True

    def _ask_gcc(self, clang: Truths, target: str, directory: Path) -> Truths:
        structs = {}
        for record in self.header.records:
            members = list(paths(record))
            ordinary = [path for path, each in members if each.width is None]
            bits = [path for path, each in members if each.width is not None]
            structs[f"{record.kind} {record.name}"] = ordinary, bits
            structs |= {_type_of(record, path): ((), ()) for path, each in members if has_size(each)}
        answers = ask_gcc(text(self.header), structs, target, directory)
        found = {}
        for record in self.header.records:
            answer = answers[f"{record.kind} {record.name}"]
            places = {**{path: offset * 8 for path, offset in answer.offsets.items()}, **answer.bit_offsets}
            rooms = {path: room for path, (_, room) in clang[record.name].members.items()}
            rooms |= {path: answers[_type_of(record, path)].size * 8 for path, each in paths(record) if has_size(each)}
            placed = {path: (places[path], room) for path, room in rooms.items()}
            found[record.name] = Truth(answer.size, answer.alignment, placed, clang[record.name].held)
        return found


def _type_of(record: Record, path: str) -> str:
    """Return the type of a member, as C."""
    return f"__typeof__((({record.kind} {record.name}*)0)->{path})"


def pair(number: int) -> tuple[Header, Header]:
    """Return the edit of a number."""
    writer = Writer(Random(number), f"c{number}_")
    old = writer.header()
    new = edited(old, writer)
    while new == old:
        new = edited(old, writer)
    return old, new


def text(header: Header) -> str:
    """Return a whole header."""
    return "\n".join([*PREAMBLE.splitlines(), "#include <stddef.h>", *header.lines(), ""])


def read(header: Header, targets: tuple[str, ...] = TARGETS) -> ApiSet:
    """Return the header as abigen reads it."""
    source = SourceFile("api.h", "api.h", text(header))
    return read_headers([source], ReadOptions(targets=targets, cc="none", cache=False))


def run(start: int, count: int, directory: Path) -> Result:
    """Compare so many edits from a number on."""
    result = Result()
    for first in range(start, start + count, BATCH):
        pairs = {number: pair(number) for number in range(first, min(first + BATCH, start + count))}
        olds = {target: ask({key: each[0] for key, each in pairs.items()}, target, directory) for target in TARGETS}
        news = {target: ask({key: each[1] for key, each in pairs.items()}, target, directory) for target in TARGETS}
        for number, headers in pairs.items():
            sides = {target: (olds[target].get(number), news[target].get(number)) for target in TARGETS}
            known = {target: (one, other) for target, (one, other) in sides.items() if one and other}
            result.edits += bool(known)
            found = list(_judge(headers, known, result, directory)) if known else []
            if found:
                result.complaints[number] = found
    return result


def _judge(
    headers: tuple[Header, Header], known: Mapping[str, tuple[Truths, Truths]], result: Result, directory: Path
) -> Iterator[str]:
    """Yield the disagreements about one edit, on all targets where clang accepts it."""
    try:
        old, new = (Side(header, read(header, tuple(known))) for header in headers)
    except AbigenError as error:
        yield "not read: " + "; ".join(each.message for each in error.diagnostics)
        return
    verdict = compare(old.api, new.api, find_policy("default"))
    for target, (before, after) in known.items():
        truths = old.truths(before, target, directory), new.truths(after, target, directory)
        yield from _judge_on(target, headers, truths, verdict, result)


def _judge_on(
    target: str,
    headers: tuple[Header, Header],
    truths: tuple[Truths | None, Truths | None],
    verdict: Verdict,
    result: Result,
) -> Iterator[str]:
    before, after = truths
    if before is None or after is None:
        result.judged["undecided without GCC"] += 1
        return
    case = Case(target, *headers, before, after, verdict)
    result.judged[target] += 1
    result.judged["unchanged"] += case.is_the_same
    yield from (f"{target}: {each}" for each in case.complaints())
