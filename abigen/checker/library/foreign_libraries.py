"""Reads the exports of libraries for Windows (PE) and macOS (Mach-O) with LIEF, which is an optional package.

LIEF is written in C++ and reads untrusted files, so `abigen.checker.library.debug_info` runs it in a child process.

Source: Microsoft, "PE Format", section ".edata"; Microsoft, "Decorated names" (x86); Apple, "OS X ABI Mach-O
File Format Reference".
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from importlib.util import find_spec

from msgspec.structs import replace

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
_DAMAGED = (LookupError, ValueError, AttributeError, TypeError, RuntimeError, ArithmeticError)
"""The errors that LIEF raises for damaged tables, where it does not leave them out."""
_REMARK = "is in a format whose debugging information is not read, so only its symbols are compared"


def is_foreign(begin: bytes) -> bool:
    """Return True if a file begins as libraries for Windows and macOS do."""
    return begin.startswith((_PE, *_MACH_O))


def require_lief(shown: str) -> None:
    """Import LIEF, or fail if it is not installed.

    Args:
        shown: the library, as messages name it.

    Raises:
        AbigenError: it is not.
    """
    if find_spec("lief") is None:
        message = f"{shown} is a library for Windows or macOS, and LIEF, which reads it, is not installed"
        raise AbigenError.at(None, message, "install it: pip install 'abigen[library]'")
    import lief  # noqa: F401  (takes a second: once for all child processes)


def read_foreign_library(name: str, content: bytes, targets: Collection[str]) -> CompiledLibrary:
    """Read the exports of a library for Windows or macOS.

    Args:
        name: the file, as the user wrote it.
        content: the whole of it.
        targets: the targets that the header was read for. Of a file for several machines, only those are compared.

    Raises:
        AbigenError: the file is no library, is damaged, or is for an unknown machine.
    """
    import lief

    shown = printable(name)
    lief.logging.disable()
    try:
        parts = list(_read_pe(content) if content.startswith(_PE) else _read_mach_o(content))
    except _DAMAGED:
        parts = []
    if not parts:
        message = f"{shown} is damaged: its tables cannot be read"
        raise AbigenError.at(None, message, "build or copy it again")
    if reason := next((machine for machine, _ in parts if machine.startswith("is ")), ""):
        raise AbigenError.at(None, f"{shown} {reason}", "name a shared library")
    slices = []
    for machine, exports in parts:
        target = _target(machine, targets)
        if target:
            slices.append(CompiledLibrary(name=name, target=target, exports=frozenset(exports)))
    if not slices:
        machines = ", ".join(machine for machine, _ in parts)
        raise AbigenError.at(None, f"{shown} is for a machine that abigen does not know ({printable(machines)})")
    known = [each for each in slices if each.target in targets] or slices
    return replace(known[0], others=tuple(known[1:]), remarks=(f"{shown} {_REMARK}",))


def _target(machine: str, targets: Collection[str]) -> str:
    """Return the target of a machine, a target of the header if possible; empty if there is none."""
    kind, _, name = machine.partition(" ")
    if kind == "Mach-O":
        return _MACH_O_TARGETS.get(name, "")
    architecture = _PE_ARCHITECTURES.get(name, "")
    both = [f"{architecture}-windows-msvc", f"{architecture}-windows-gnu"] if architecture else []
    return next((each for each in both if each in targets), both[0] if both else "")


def _read_pe(content: bytes) -> Iterator[tuple[str, set[str]]]:
    """Yield the machine and the exports of a library for Windows; for another file, the reason as the machine."""
    import lief

    binary = lief.PE.parse(content)
    if binary is None:
        return
    if not binary.header.has_characteristic(lief.PE.Header.CHARACTERISTICS.DLL):
        yield "is not a shared library: it is a program for Windows", set()
        return
    ends = [each.pointerto_raw_data + min(each.sizeof_raw_data, each.virtual_size) for each in binary.sections]
    if len(ends) != binary.header.numberof_sections or max(ends, default=0) > len(content):
        return  # LIEF reads what there is of a file that was cut
    machine = _name(binary.header.machine)
    table = binary.get_export()
    names = {_text(each.name) for each in table.entries} if table is not None else set()
    if machine == "I386":
        names = {_DECORATED.sub(r"\1", each) if _DECORATED.fullmatch(each) else each for each in names}
    yield f"PE {machine}", names - {""}


def _read_mach_o(content: bytes) -> Iterator[tuple[str, set[str]]]:
    """Yield the machine and the exports of each part of a library for macOS, with and without the first underscore.

    In the file, each name of C begins with an underscore. An asm label in a header has the name with it.
    """
    import lief

    whole = lief.MachO.parse(content)  # the parts do not outlive it
    for binary in whole if whole is not None else ():
        kind = binary.header.file_type
        if kind not in (lief.MachO.Header.FILE_TYPE.DYLIB, lief.MachO.Header.FILE_TYPE.BUNDLE):
            yield f"is not a shared library: it is a Mach-O file of type {_name(kind)}", set()
            return
        size = len(content) - binary.fat_offset
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
