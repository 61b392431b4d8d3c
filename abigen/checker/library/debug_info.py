"""Reads what a shared library was compiled with: exported symbols, and layouts and signatures out of DWARF.

Source: DWARF Debugging Information Format, version 5, sections 5.7 (structures), 5.8 (enumerations), 3.3 (subroutines).
"""

from __future__ import annotations

import gc
import json
import os
from collections.abc import Callable, Collection, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import msgspec
from msgspec import convert, to_builtins
from msgspec.structs import replace

from abigen.checker.library.debug_files import debug_folders, find_debug_file, is_too_large, shared_part
from abigen.checker.library.foreign_libraries import is_foreign, read_foreign_library, require_lief
from abigen.model.compiled_library import (
    CompiledFunction,
    CompiledLibrary,
    CompiledMember,
    CompiledStruct,
    CompiledValue,
)
from abigen.model.span import AbigenError, printable
from abigen.workspace.libraries import DAMAGED, kind_of_file, open_file, read_symbols
from abigen.workspace.process import Bounds, Ending, Limits, Outcome, Trace, run_isolated

if TYPE_CHECKING:
    from elftools.dwarf.compileunit import CompileUnit
    from elftools.dwarf.die import DIE
    from elftools.dwarf.dwarfinfo import DWARFInfo
    from elftools.elf.elffile import ELFFile

_MACHINES = {
    ("EM_X86_64", 64): "x86_64-linux-gnu",
    ("EM_386", 32): "i686-linux-gnu",
    ("EM_AARCH64", 64): "aarch64-linux-gnu",
    ("EM_ARM", 32): "armv7-linux-gnueabihf",
    ("EM_RISCV", 64): "riscv64-linux-gnu",
    ("EM_PPC64", 64): "powerpc64le-linux-gnu",
    ("EM_S390", 64): "s390x-linux-gnu",
}
_MOST_BYTES = 64 << 20
"""The size of DWARF's `.debug_info` that is read; of a larger one, only the symbols are compared."""
_MOST_FILE = 1 << 30
"""The largest library that is read."""
_SECONDS = 10
"""The time in which a library has to be read."""
_ROOM = 512 << 20
"""The memory that reading a library of up to `_MOST_BYTES` may take; four times what a larger one has more."""
_RESERVE = 16 << 20
"""The memory that is left to send an answer when the rest is used up."""
_MOST_RESULT = 32 << 20
"""The largest description of a library, as JSON, in bytes."""
_MOST_BEHIND = 256
"""Qualifiers and typedefs around one type; more are a type that is its own type."""
_MOST_ANONYMOUS = 4096
"""Anonymous structs and unions in one struct."""
_MOST_DIGITS = 10
"""The bytes in which DWARF writes a number of 64 bits (LEB128)."""
_MOST_BITS = 128
"""The bits of the largest size or offset."""
_BEHIND = ("DW_TAG_const_type", "DW_TAG_volatile_type", "DW_TAG_restrict_type", "DW_TAG_typedef", "DW_TAG_atomic_type")
_RECORDS = ("DW_TAG_structure_type", "DW_TAG_union_type")
_PLUS_CONSTANT = 0x23
"""DW_OP_plus_uconst (DWARF 2, figure 8)."""
_FLOATING = (3, 4)
"""DW_ATE_complex_float and DW_ATE_float (DWARF 5, table 7.11)."""


def read_compiled_library(
    name: str, headers: frozenset[str], targets: Collection[str] = (), real: str = ""
) -> CompiledLibrary:
    """Read a library, in a child process with limits; where there are none, as on Windows, in this process.

    Args:
        name: the file, as the user wrote it.
        headers: the names of the API's own headers, without folders: other declarations are not compared.
        targets: the targets that the header was read for.
        real: the path without links, if the caller has checked it.

    Raises:
        AbigenError: it is no shared library, cannot be read, or is damaged.
    """
    import elftools.elf.elffile  # noqa: F401  (once for all child processes)

    shown, symbols = printable(name), []
    try:
        with open_file(Path(name), "the library", _MOST_FILE, real) as stream:
            begin = stream.read(512)
            if is_foreign(begin):
                require_lief(shown)
            elif not begin.startswith(b"\x7fELF"):
                hint = "name a library for Linux (ELF), Windows (PE) or macOS (Mach-O)"
                raise AbigenError.at(None, f"{shown} is not a shared library{kind_of_file(begin)}", hint)
            read = partial(_answer, name, stream, headers, targets)
            if hasattr(os, "fork"):
                limits = Limits(processes=8, address_space=_room(stream))
                bounds = Bounds(seconds=_SECONDS, is_total=True, limits=limits)
                outcome = run_isolated(partial(_read_in_child, read), bounds, [stream.fileno()])
                symbols = [convert(event["symbols"], CompiledLibrary) for event in outcome.of_kind("symbols")]
                answer = convert(outcome.result, _Answer) if outcome.finished else _unfinished(outcome, shown)
            else:
                answer = read(symbols.append)
    except OSError as error:
        raise AbigenError.at(None, f"cannot read {shown}: {error.strerror}") from None
    if answer.failure:
        raise AbigenError.at(None, answer.failure, answer.hint)
    if answer.exceeded and not symbols:
        hint = "name a smaller library, or build or copy it again"
        raise AbigenError.at(None, f"{shown} needs {answer.exceeded} to read", hint)
    if answer.exceeded:
        return _with(symbols[0], f"the debugging information of {shown} needs {answer.exceeded} to read")
    assert answer.library is not None
    if not symbols:
        return answer.library
    found = answer.library
    return replace(
        symbols[0],
        structs=found.structs,
        enumerators=found.enumerators,
        functions=found.functions,
        remarks=found.remarks,
    )


def _read_in_child(read: Callable[[Callable[[CompiledLibrary], None]], _Answer], trace: Trace) -> object:
    """Read a library in a child process, and return the answer as JSON has it; the symbols are sent before."""
    gc.freeze()  # the collector would copy all pages that are shared with the parent
    return to_builtins(read(lambda library: trace.write(symbols=to_builtins(library))))


def _room(stream: BinaryIO) -> int:
    """Return the memory that reading a library may take, in bytes."""
    return _ROOM + 4 * max(0, os.fstat(stream.fileno()).st_size - _MOST_BYTES)


class _Answer(msgspec.Struct, frozen=True, kw_only=True):
    """The result of reading a library; one of its parts."""

    library: CompiledLibrary | None = None
    """The library. Its symbols are left out if they were sent before."""
    failure: str = ""
    """The reason why it cannot be read."""
    hint: str = ""
    """The remedy for that."""
    exceeded: str = ""
    """The limit that reading it exceeds: `more than 10 s`."""


def _unfinished(outcome: Outcome, shown: str) -> _Answer:
    """Return the answer of a process that has not come to its end."""
    if outcome.ending is Ending.HUNG:
        return _Answer(exceeded=f"more than {_SECONDS} s")
    if outcome.ending is Ending.EXCEEDED:
        return _Answer(exceeded=outcome.exceeded)
    failure = f"{shown} is damaged: its tables cannot be read, and the process that reads them crashed"
    return _Answer(failure=failure, hint="build or copy it again")


def _answer(
    name: str,
    stream: BinaryIO,
    headers: frozenset[str],
    targets: Collection[str],
    send: Callable[[CompiledLibrary], None],
) -> _Answer:
    """Read a library, and return errors and exceeded memory as an answer.

    Args:
        name: the file, as the user wrote it.
        stream: its content.
        headers: the names of the API's own headers.
        targets: the targets that the header was read for.
        send: receives the library with its symbols, before its debugging information is read.
    """
    reserve = bytearray(_RESERVE)
    try:
        library = _read(name, stream, headers, targets, send)
        if len(json.dumps(to_builtins(library))) <= _MOST_RESULT:
            return _Answer(library=library)
    except AbigenError as error:
        return _Answer(failure=error.diagnostics[0].message, hint=error.diagnostics[0].hint)
    except MemoryError:  # the frames that use the memory end with this clause
        del reserve
    gc.collect()  # entries and units of pyelftools refer to each other
    return _Answer(exceeded=f"more than {_room(stream) >> 20} MB of memory")


def _read(
    name: str,
    stream: BinaryIO,
    headers: frozenset[str],
    targets: Collection[str],
    send: Callable[[CompiledLibrary], None],
) -> CompiledLibrary:
    """Read a library; see `_answer`.

    Raises:
        AbigenError: it is no shared library, cannot be read, or is damaged.
        MemoryError: it needs too much memory.
    """
    from elftools.common.exceptions import DWARFError, ELFError
    from elftools.construct import ConstructError
    from elftools.elf.elffile import ELFFile

    path = damaged = Path(name)
    stream.seek(0)
    content = stream.read()
    if is_foreign(content[:4]):
        return read_foreign_library(name, content, targets)
    binary = read_symbols(path, content)
    del content
    try:
        file = ELFFile(stream)
        target = _MACHINES.get((file["e_machine"], file.elfclass), "")
        if not target:
            raise AbigenError.at(None, f"{printable(name)} is for a machine that abigen does not know")
        library = CompiledLibrary(
            name=name,
            target=target,
            exports=binary.exports - binary.defined_versions,  # linkers add a symbol for each version
            soname=binary.soname,
            versions=binary.versions,
            defined_versions=binary.defined_versions,
        )
        if len(json.dumps(to_builtins(library))) > _MOST_RESULT:
            raise MemoryError
        send(library)
        library = replace(library, versions={}, defined_versions=frozenset())
        if file.get_section_by_name(".debug_info") is not None:
            return _with_declarations(library, path, path, file, headers)
        debug = find_debug_file(path, file)
        if debug.path is None or debug.stream is None:
            return _with(library, f"{printable(name)} has no debugging information (-g){debug.reason}")
        damaged = debug.path
        return _with_declarations(library, path, debug.path, ELFFile(debug.stream), headers)
    except (ELFError, DWARFError, ConstructError, *DAMAGED):
        raise AbigenError.at(None, f"the debugging information of {printable(str(damaged))} is damaged") from None


def _with_declarations(
    library: CompiledLibrary, path: Path, debug: Path, file: ELFFile, headers: frozenset[str]
) -> CompiledLibrary:
    """Return the library with the declarations in a file: the library itself, or its debug file."""
    from elftools.elf.elffile import ELFFile

    section = file.get_section_by_name(".debug_info")
    shown = printable(str(debug))
    if section is None:
        return _with(library, f"{shown} has no debugging information (-g)")
    if is_too_large(file, _MOST_BYTES):
        return _with(library, f"the debugging information of {shown} is too large")
    shared = shared_part(debug, file, _MOST_BYTES, debug_folders(path))
    if shared.failure:
        return _with(library, f"the debugging information of {shown} is not complete: {shared.failure}")
    whole = ELFFile(file.stream, shared.open if shared.stream is not None else None)
    return _DebugInfo(whole.get_dwarf_info(), headers, library.exports).read(library)


def _with(library: CompiledLibrary, cause: str) -> CompiledLibrary:
    """Return the library with a remark that only its symbols are compared, and why."""
    return replace(library, remarks=(*library.remarks, f"{cause}, so only its symbols are compared"))


class _DebugInfo:
    """Goes through the declarations of all compilation units."""

    def __init__(self, dwarf: DWARFInfo, headers: frozenset[str], exports: frozenset[str]) -> None:
        self._dwarf, self._headers, self._exports = dwarf, headers, exports
        self._files: dict[tuple[int, int], frozenset[int]] = {}
        self._structs: dict[str, CompiledStruct] = {}
        self._enumerators: dict[str, int] = {}
        self._functions: dict[str, CompiledFunction] = {}

    def read(self, library: CompiledLibrary) -> CompiledLibrary:
        """Return the library with its declarations, without the symbols, which are known already."""
        for unit in self._dwarf.iter_CUs():
            self._read_unit(unit.get_top_DIE())
        return replace(
            library,
            exports=frozenset(),
            structs=self._structs,
            enumerators=self._enumerators,
            functions=self._functions,
        )

    def _read_unit(self, unit: DIE) -> None:
        """Note the declarations of a unit, and of units that it imports from a file that several libraries share."""
        waiting, seen = [unit], set()
        while waiting:
            for die in waiting.pop().iter_children():
                if die.tag == "DW_TAG_subprogram":
                    self._add_function(die)
                elif die.tag == "DW_TAG_imported_unit":
                    imported = die.get_DIE_from_attribute("DW_AT_import")
                    if imported.dwarfinfo is not self._dwarf and imported.offset not in seen:
                        seen.add(imported.offset)
                        waiting.append(imported)
                elif "DW_AT_decl_file" in die.attributes and self._is_own(die):
                    self._add_type(die)

    def _is_own(self, die: DIE) -> bool:
        """True if a header of the API has the declaration. Its unit may be one that several libraries share."""
        from elftools.dwarf.compileunit import CompileUnit

        unit = die.cu
        if not isinstance(unit, CompileUnit):
            return False
        key = (id(unit.dwarfinfo), unit.cu_offset)
        if key not in self._files:
            self._files[key] = frozenset(self._own_files(unit))
        return _number(die, "DW_AT_decl_file") in self._files[key]

    def _own_files(self, unit: CompileUnit) -> Iterator[int]:
        """Yield the numbers of the API's own headers in a unit."""
        program = unit.dwarfinfo.line_program_for_CU(unit)
        if program is None:
            return
        first = 0 if program["version"] >= 5 else 1
        for number, entry in enumerate(program["file_entry"], start=first):
            if entry.name.decode("utf-8", "replace").rpartition("/")[2] in self._headers:
                yield number

    def _add_type(self, die: DIE) -> None:
        """Note a struct, union, enumeration, or a typedef of one without a tag."""
        name = _name(die)
        if die.tag == "DW_TAG_typedef" and (inner := _type(die)) is not None and not _name(inner):
            self._add(inner, name)
        elif name or die.tag == "DW_TAG_enumeration_type":
            self._add(die, name)

    def _add(self, die: DIE, name: str) -> None:
        if "DW_AT_declaration" in die.attributes:
            return
        if die.tag in _RECORDS and name:
            self._structs.setdefault(name, _struct(die))
        elif die.tag == "DW_TAG_enumeration_type":
            for each in die.iter_children():
                if each.tag == "DW_TAG_enumerator":
                    self._enumerators.setdefault(_name(each), _checked(int(each.attributes["DW_AT_const_value"].value)))

    def _add_function(self, die: DIE) -> None:
        """Note a function that the library defines and exports, unless it has no prototype."""
        name = _name(die)
        if name not in self._exports or "DW_AT_external" not in die.attributes or "DW_AT_declaration" in die.attributes:
            return
        if "DW_AT_prototyped" not in die.attributes:
            return
        children = list(die.iter_children())
        parameters = tuple(_value(each) for each in children if each.tag == "DW_TAG_formal_parameter")
        is_variadic = any(each.tag == "DW_TAG_unspecified_parameters" for each in children)
        result = _value(die) if _type(die) is not None else None
        self._functions.setdefault(name, CompiledFunction(parameters, result, is_variadic))


def _struct(die: DIE) -> CompiledStruct:
    """Return a struct or union with its named members."""
    members = dict(_members(die, 0, iter(range(_MOST_ANONYMOUS))))
    return CompiledStruct(_number(die, "DW_AT_byte_size"), members, _alignment(die))


def _members(die: DIE, start: int, allowed: Iterator[int]) -> Iterator[tuple[str, CompiledMember]]:
    """Yield the named members of a struct that begins at a bit of the outermost one, those of anonymous members too.

    Args:
        die: the struct or union.
        start: its first bit.
        allowed: has an item for each anonymous member that the outermost one may have.

    Raises:
        ValueError: there are more.
    """
    for each in die.iter_children():
        if each.tag != "DW_TAG_member":
            continue
        name, type = _name(each), _bare(_type(each))
        if "DW_AT_bit_size" in each.attributes:
            if name:
                first = start + _first_bit(each)
                yield (
                    name,
                    CompiledMember(
                        first, _number(each, "DW_AT_bit_size"), is_bit_field=True, alignment=_alignment(each)
                    ),
                )
            continue
        first = start + 8 * _location(each)
        if name:
            yield name, CompiledMember(first, 8 * _size(type), alignment=_alignment(each))
        elif type is not None and type.tag in _RECORDS:
            if next(allowed, None) is None:
                raise ValueError("too many anonymous structs")
            yield from _members(type, first, allowed)


def _first_bit(die: DIE) -> int:
    """Return the first bit of a bit-field, counted from the start of its struct.

    Source: DWARF 5, section 5.7.6 (`DW_AT_data_bit_offset`); DWARF 3, section 5.6.6 (`DW_AT_bit_offset` counts from the
    most significant bit of the storage unit).
    """
    start = 8 * _location(die)
    if "DW_AT_bit_offset" not in die.attributes:
        return start + _number(die, "DW_AT_data_bit_offset")
    from_top = _number(die, "DW_AT_bit_offset")
    if from_top >= 1 << 63:
        from_top -= 1 << 64  # a negative number in a form without a sign
    if not die.dwarfinfo.config.little_endian:
        return start + from_top
    unit = _number(die, "DW_AT_byte_size") or _size(_type(die))
    return start + 8 * unit - from_top - _number(die, "DW_AT_bit_size")


def _location(die: DIE) -> int:
    """Return the offset of a member in bytes: a number, or in DWARF 2 an operation that adds one."""
    value = die.attributes["DW_AT_data_member_location"].value if "DW_AT_data_member_location" in die.attributes else 0
    if isinstance(value, list) and value and value[0] == _PLUS_CONSTANT:
        if len(value) > _MOST_DIGITS + 1:
            raise ValueError("an offset has too many bytes")
        return sum((digit & 0x7F) << 7 * place for place, digit in enumerate(value[1:]))
    return _checked(value) if isinstance(value, int) else 0


def _alignment(die: DIE) -> int | None:
    """Return the alignment that an attribute asks for, in bytes; None if none does."""
    return _number(die, "DW_AT_alignment") or None


def _value(die: DIE) -> CompiledValue:
    """Return a parameter, or the result of a function."""
    type = _bare(_type(die))
    if type is None:
        return CompiledValue("other", 0)
    size = _size(type)
    if type.tag == "DW_TAG_pointer_type":
        return CompiledValue("pointer", size)
    if type.tag == "DW_TAG_enumeration_type":
        return CompiledValue("integer", size)
    if type.tag == "DW_TAG_base_type":
        kind = "floating" if _number(type, "DW_AT_encoding") in _FLOATING else "integer"
        return CompiledValue(kind, size)
    return CompiledValue("struct" if type.tag in _RECORDS else "other", size)


def _bare(type: DIE | None) -> DIE | None:
    """Return a type behind qualifiers and typedefs.

    Raises:
        ValueError: there are too many, or the type is its own type.
    """
    for _ in range(_MOST_BEHIND):
        if type is None or type.tag not in _BEHIND:
            return type
        type = _type(type)
    raise ValueError("a type is its own type")


def _size(type: DIE | None) -> int:
    """Return the size of a type in bytes; 0 where it has none."""
    bare = _bare(type)
    if bare is None:
        return 0
    if bare.tag == "DW_TAG_array_type" and "DW_AT_byte_size" not in bare.attributes:
        size = _size(_type(bare))
        for each in bare.iter_children():
            if each.tag == "DW_TAG_subrange_type":
                bound = each.attributes.get("DW_AT_upper_bound")
                count = each.attributes.get("DW_AT_count")
                size *= int(count.value) if count is not None else int(bound.value) + 1 if bound is not None else 0
            _checked(size)
        return size
    if bare.tag == "DW_TAG_pointer_type" and "DW_AT_byte_size" not in bare.attributes:
        return int(bare.cu["address_size"])
    return _number(bare, "DW_AT_byte_size")


def _type(die: DIE) -> DIE | None:
    """Return the type that an entry refers to; None for `void`."""
    return die.get_DIE_from_attribute("DW_AT_type") if "DW_AT_type" in die.attributes else None


def _name(die: DIE) -> str:
    attribute = die.attributes.get("DW_AT_name")
    return attribute.value.decode("utf-8", "replace") if attribute is not None else ""


def _number(die: DIE, key: str) -> int:
    """Return a number of an entry; 0 where it has none, or states it by an expression."""
    attribute = die.attributes.get(key)
    return _checked(attribute.value) if attribute is not None and isinstance(attribute.value, int) else 0


def _checked(number: int) -> int:
    """Return a number.

    Raises:
        ValueError: it is larger than any size.
    """
    if number.bit_length() > _MOST_BITS:
        raise ValueError("a number is too large")
    return number
