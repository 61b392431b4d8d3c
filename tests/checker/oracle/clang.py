"""The layouts of many random headers, as one call of clang reports them."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from tests.checker.oracle.headers import PREAMBLE, Header, Member, Record
from tests.model.layout.compilers import clang_triple

TARGETS = ("x86_64-linux-gnu", "i686-linux-gnu", "aarch64-linux-gnu", "x86_64-windows-msvc")
_MARK = "*** Dumping AST Record Layout\n"


class Truth(msgspec.Struct, frozen=True):
    """A record as a compiler lays it out: bytes, and for each member its first bit and how many it has."""

    size: int
    alignment: int
    members: Mapping[str, tuple[int, int]]
    held: tuple[int, ...] = ()
    """The sizes of the members that are records themselves, in order; those without a name are left out."""


def paths(record: Record, prefix: str = "") -> Iterator[tuple[str, Member]]:
    """Yield each member that is no record itself, with what one writes in C to reach it."""
    for each in record.members:
        if each.record is not None:
            yield from paths(each.record, f"{prefix}{each.name}." if each.name else prefix)
        elif each.name:
            yield prefix + each.name, each


def held(record: Record, prefix: str = "") -> Iterator[str]:
    """Yield a C expression for each member that is a record itself and has a name."""
    for each in record.members:
        if each.record is not None:
            if each.name:
                yield prefix + each.name
            yield from held(each.record, f"{prefix}{each.name}." if each.name else prefix)


def ask(headers: Mapping[int, Header], target: str, directory: Path) -> dict[int, dict[str, Truth]]:
    """Return the layouts of every record of every header that clang accepts, by the header's number.

    Args:
        headers: number to header; no name stands in two of them.
        target: whose layouts.
        directory: for the source.
    """
    source, output = directory / "probe.c", directory / "probe.ll"
    command = ["clang", f"--target={clang_triple(target)}", "-std=gnu17", "-w", "-ferror-limit=0", "-S", "-emit-llvm"]
    left = dict(headers)
    for _ in range(3):
        text, starts = _source(left)
        source.write_text(text)
        run = subprocess.run(
            [*command, "-Xclang", "-fdump-record-layouts", "-o", str(output), str(source)],
            capture_output=True,
            text=True,
            check=False,
        )
        if run.returncode == 0:
            return _answers(left, run.stdout, output.read_text())
        lines = [int(line) for line in re.findall(r"probe\.c:(\d+):\d+: (?:fatal )?error:", run.stderr)]
        refused = {max((start, number) for number, start in starts.items() if start <= line)[1] for line in lines}
        assert refused, run.stderr
        left = {number: each for number, each in left.items() if number not in refused}
    raise AssertionError(run.stderr)


def _source(headers: Mapping[int, Header]) -> tuple[str, dict[int, int]]:
    """Return a file of all headers, each followed by a table of its sizes, and the line at which each begins."""
    lines = PREAMBLE.splitlines()
    starts = {}
    for number, header in headers.items():
        starts[number] = len(lines) + 1
        lines += header.lines()
        sizes = [each for record in header.records for each in _measures(record)]
        lines.append(f"const unsigned long long T{number}[] = {{1, {', '.join(sizes)}}};")
    return "\n".join(lines) + "\n", starts


def _measures(record: Record) -> list[str]:
    """Return the entries of the table for a record, in C."""
    type = f"{record.kind} {record.name}"
    members = (path for path, each in paths(record) if has_size(each))
    measured = [*members, *held(record)]
    return [f"sizeof({type})", f"__alignof__({type})", *(f"sizeof((({type}*)0)->{path})" for path in measured)]


def has_size(member: Member) -> bool:
    """True if one may ask for its size in bytes."""
    return member.width is None and not member.shape.endswith("[]")


def _answers(headers: Mapping[int, Header], dump: str, code: str) -> dict[int, dict[str, Truth]]:
    tables = re.findall(r"^@T(\d+) = .*?constant \[\d+ x i64\] \[(.*?)\]", code, re.MULTILINE)
    numbers = {int(table): iter(map(int, re.findall(r"i64 (\d+)", row))) for table, row in tables}
    bits = dict(_placed(dump))
    found: dict[int, dict[str, Truth]] = {}
    for number, header in headers.items():
        sizes = numbers[number]
        next(sizes)
        found[number] = {record.name: _truth(record, sizes, bits[record.name]) for record in header.records}
    return found


def _truth(record: Record, sizes: Iterator[int], bits: Mapping[str, int]) -> Truth:
    size, alignment = next(sizes), next(sizes)
    members = {}
    for path, each in paths(record):
        room = each.width if each.width is not None else next(sizes) * 8 if has_size(each) else 0
        members[path] = (bits[each.name], room)
    return Truth(size, alignment, members, tuple(next(sizes) for _ in held(record)))


def _placed(dump: str) -> Iterator[tuple[str, dict[str, int]]]:
    """Yield each record that has a tag, and the first bit of each name in it."""
    for block in dump.split(_MARK)[1:]:
        lines: Sequence[tuple[str, str, str]] = [each.partition("|") for each in block.splitlines() if "|" in each]
        name = lines[0][2].split()[-1]
        if ":" in lines[0][2]:
            continue
        bits: dict[str, int] = {}
        for place, _, text in lines[1:]:
            byte, _, bit = place.strip().partition(":")
            if byte:
                first = bit.partition("-")[0]
                bits.setdefault(text.rpartition(" ")[2], int(byte) * 8 + int(first or 0))
        yield name, bits
