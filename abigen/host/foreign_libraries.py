"""Reads the exports of libraries for Windows (PE) and macOS (Mach-O) with LIEF, which is an optional package.

LIEF is written in C++ and reads untrusted files, so it runs in a child process.

Source: Microsoft, "PE Format", section ".edata"; Microsoft, "Decorated names" (x86); Apple, "OS X ABI Mach-O
File Format Reference".
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import cast

from msgspec.structs import replace

from abigen.host.process import Bounds, Ending, Limits, Outcome, run_isolated
from abigen.model.compiled_library import CompiledLibrary
from abigen.model.span import AbigenError, printable

_PE = b"MZ"
_MACH_O = (
    b"\xcf\xfa\xed\xfe", b"\xce\xfa\xed\xfe", b"\xfe\xed\xfa\xcf", b"\xfe\xed\xfa\xce",
    b"\xca\xfe\xba\xbe", b"\xca\xfe\xba\xbf",
)  # fmt: skip
"""The first bytes of Mach-O files: of one machine in both byte orders, and of several machines."""
_PE_ARCHITECTURES = {"AMD64": "x86_64", "I386": "i686", "ARM64": "aarch64"}
_MACH_O_TARGETS = {
    "X86_64": "x86_64-apple-darwin",
    "ARM64": "aarch64-apple-darwin",
    "X86": "i386-apple-darwin",
    "ARM": "armv7-apple-ios",
}
_DECORATED = re.compile(r"[_@]?(\w+)@+\d+")
"""Names of `__stdcall`, `__fastcall` and `__vectorcall` functions on 32-bit Windows."""
_BOUNDS = Bounds(seconds=20, limits=Limits(processes=8, memory=4 << 30))
_REMARK = "is in a format whose debugging information is not read, so only its symbols are compared"


def is_foreign(path: Path) -> bool:
    """Return True if a file begins as libraries for Windows and macOS do.

    Raises:
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        return file.read(4).startswith((_PE, *_MACH_O))


def read_foreign_library(name: str, targets: Collection[str]) -> CompiledLibrary:
    """Read the exports of a library for Windows or macOS.

    Args:
        name: the file, as the user wrote it.
        targets: the targets that the header was read for. Of a file for several machines, only those are compared.

    Raises:
        AbigenError: LIEF is not installed, or the file is no library, is damaged, or is for an unknown machine.
    """
    shown = printable(name)
    if find_spec("lief") is None:
        message = f"{shown} is a library for Windows or macOS, and LIEF, which reads it, is not installed"
        raise AbigenError.at(None, message, "install it: pip install 'abigen[library]'")
    found = _read_apart(name)
    slices = []
    for machine, exports in found:
        target = _target(machine, targets)
        if target:
            slices.append(CompiledLibrary(name=name, target=target, exports=frozenset(exports)))
    if not slices:
        machines = ", ".join(machine for machine, _ in found)
        raise AbigenError.at(None, f"{shown} is for a machine that abigen does not know ({printable(machines)})")
    known = [each for each in slices if each.target in targets] or slices
    return replace(known[0], others=tuple(known[1:]), remarks=(f"{shown} {_REMARK}",))


def _read_apart(name: str) -> list[tuple[str, list[str]]]:
    """Read a file in a child process; where there are none, as on Windows, in this process.

    Returns:
        The machine and the exports of each part, at least one.

    Raises:
        AbigenError: the file is no library, or is damaged.
    """
    shown, ending = printable(name), ""
    if hasattr(os, "fork"):
        outcome = run_isolated(lambda trace: _read(name), _BOUNDS)
        found = cast("list[tuple[str, list[str]]]", outcome.result) if outcome.finished else []
        ending = _ending(outcome)
    else:
        found = _read(name)
    if not found:
        message = f"{shown} is damaged: its tables cannot be read{ending}"
        raise AbigenError.at(None, message, "build or copy it again")
    if reason := next((machine for machine, _ in found if machine.startswith("is ")), ""):
        raise AbigenError.at(None, f"{shown} {reason}", "name a shared library")
    return found


def _target(machine: str, targets: Collection[str]) -> str:
    """Return the target of a machine, a target of the header if possible; empty if there is none."""
    kind, _, name = machine.partition(" ")
    if kind == "Mach-O":
        return _MACH_O_TARGETS.get(name, "")
    architecture = _PE_ARCHITECTURES.get(name, "")
    both = [f"{architecture}-windows-msvc", f"{architecture}-windows-gnu"] if architecture else []
    return next((each for each in both if each in targets), both[0] if both else "")


def _ending(outcome: Outcome) -> str:
    """Return the reason why LIEF could not finish, as the end of a sentence; empty if it finished."""
    if outcome.finished:
        return ""
    if outcome.ending is Ending.HUNG:
        return f" within {_BOUNDS.seconds:g} s"
    return f" with {outcome.exceeded}" if outcome.exceeded else ", and LIEF crashed"


def _read(name: str) -> list[tuple[str, list[str]]]:
    """Return the machine and the exports of each part of a file; runs in the child process.

    In place of the machine, a part that is no library has the reason: `is not a shared library: ...`.
    """
    import lief

    lief.logging.disable()
    with Path(name).open("rb") as file:
        is_pe = file.read(2) == _PE
    parts = list(_read_pe(name) if is_pe else _read_mach_o(name))
    return [(machine, sorted(exports)) for machine, exports in parts]


def _read_pe(name: str) -> Iterator[tuple[str, set[str]]]:
    """Yield the machine and the exports of a library for Windows."""
    import lief

    binary = lief.PE.parse(name)
    if binary is None:
        return
    if not binary.header.has_characteristic(lief.PE.Header.CHARACTERISTICS.DLL):
        yield "is not a shared library: it is a program for Windows", set()
        return
    ends = [each.pointerto_raw_data + min(each.sizeof_raw_data, each.virtual_size) for each in binary.sections]
    if len(ends) != binary.header.numberof_sections or max(ends, default=0) > Path(name).stat().st_size:
        return  # LIEF reads what there is of a file that was cut
    machine = _name(binary.header.machine)
    table = binary.get_export()
    names = {_text(each.name) for each in table.entries} if table is not None else set()
    if machine == "I386":
        names = {_DECORATED.sub(r"\1", each) if _DECORATED.fullmatch(each) else each for each in names}
    yield f"PE {machine}", names - {""}


def _read_mach_o(name: str) -> Iterator[tuple[str, set[str]]]:
    """Yield the machine and the exports of each part of a library for macOS, with and without the first underscore.

    In the file, each name of C begins with an underscore. An asm label in a header has the name with it.
    """
    import lief

    whole = lief.MachO.parse(name)  # the parts do not outlive it
    for binary in whole if whole is not None else ():
        kind = binary.header.file_type
        if kind not in (lief.MachO.Header.FILE_TYPE.DYLIB, lief.MachO.Header.FILE_TYPE.BUNDLE):
            yield f"is not a shared library: it is a Mach-O file of type {_name(kind)}", set()
            return
        size = Path(name).stat().st_size - binary.fat_offset
        ends = (each.file_offset + each.file_size for each in binary.segments)
        if len(binary.commands) != binary.header.nb_cmds or max(ends, default=0) > size:
            return
        names = {_text(each.name) for each in binary.exported_symbols}
        yield f"Mach-O {_name(binary.header.cpu_type)}", names | {each.removeprefix("_") for each in names}


def _text(name: str | bytes) -> str:
    """Return a name as text: LIEF returns bytes for one that is no UTF-8."""
    return name.decode("utf-8", "replace") if isinstance(name, bytes) else name


def _name(value: object) -> str:
    """Return the name of an enumerator of LIEF, or the number of one that LIEF does not know."""
    return str(getattr(value, "name", value))
