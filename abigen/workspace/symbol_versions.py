"""Reads the versions of exported symbols of an ELF library: `.gnu.version` and `.gnu.version_d`.

Source: Linux Standard Base, Core Specification, "Symbol Versioning"; glibc, elf/dl-lookup.c.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from typing import TYPE_CHECKING

from abigen.model.compiled_library import SymbolVersions

if TYPE_CHECKING:
    from elftools.elf.dynamic import DynamicSegment

_HIDDEN = 0x8000
"""The bit of a version that is not the default one: the linker does not bind to it."""
_BASE = 1
"""VER_FLG_BASE: the entry names the library itself. Symbols with the index 1 have no version."""


def read_versions(
    content: bytes, dynamic: DynamicSegment, symbols: Iterable[tuple[int, str]], *, is_little: bool
) -> tuple[dict[str, SymbolVersions], frozenset[str]]:
    """Read the versions of exported symbols.

    Args:
        content: the file.
        dynamic: its dynamic segment.
        symbols: the exported symbols: the place in the symbol table, and the name.
        is_little: the byte order of the file.

    Returns:
        The versions of symbols that have one, and the names of all versions that the library defines.

    Raises:
        struct.error: a table is outside of the file.
        LookupError: the same.
    """
    order = "<" if is_little else ">"
    table = dynamic.get_table_offset("DT_VERSYM")[1]
    names = _defined(content, dynamic, order)
    if table is None or not names:
        return {}, frozenset()
    default: dict[str, str] = {}
    others: dict[str, set[str]] = {}
    plain: set[str] = set()
    for place, symbol in symbols:
        (number,) = struct.unpack_from(f"{order}H", content, table + 2 * place)
        version = names.get(number & ~_HIDDEN, "")
        if not version:
            plain.add(symbol)
        elif number & _HIDDEN:
            others.setdefault(symbol, set()).add(version)
        else:
            default[symbol] = version
    found = {
        each: SymbolVersions(default.get(each, ""), tuple(sorted(others.get(each, ()))), is_plain=each in plain)
        for each in (*default, *others)
    }
    return found, frozenset(names.values())


def _defined(content: bytes, dynamic: DynamicSegment, order: str) -> dict[int, str]:
    """Return the versions that a library defines, by number, without the entry that names the library itself."""
    place = dynamic.get_table_offset("DT_VERDEF")[1]
    strings = dynamic.get_table_offset("DT_STRTAB")[1]
    count = next((int(each["d_val"]) for each in dynamic.iter_tags("DT_VERDEFNUM")), 0)
    found: dict[int, str] = {}
    if place is None or strings is None:
        return found
    for _ in range(min(count, _HIDDEN)):
        _, flags, number, _, _, names, following = struct.unpack_from(f"{order}HHHHIII", content, place)
        (name,) = struct.unpack_from(f"{order}I", content, place + names)
        start = strings + name
        found[number] = "" if flags & _BASE else content[start : content.index(b"\0", start)].decode()
        if not following:
            break
        place += following
    return {number: name for number, name in found.items() if name}
