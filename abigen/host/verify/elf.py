"""What a shared library says of itself: the symbols that it has, those that it needs, and from which libraries."""

from __future__ import annotations

import struct
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

from abigen.model.span import AbigenError

_SECTIONS = {1: ((32, 4), (48, 4)), 2: ((40, 8), (60, 4))}
"""By class of file, where its header says where the sections are and how many: offset and size in bytes of each."""


class SharedLibrary(NamedTuple):
    """The dynamic symbols of a shared library."""

    exports: frozenset[str]
    """Symbols that others find in it."""
    needs: tuple[str, ...]
    """Symbols that it must find elsewhere, in the order of its table; weak ones are not among them."""
    libraries: tuple[str, ...]
    """Libraries that it names, as the loader looks for them."""


def read_library(path: Path) -> SharedLibrary | None:
    """Read a shared library's dynamic symbols, by way of the program headers, as the loader does.

    Args:
        path: the library.

    Returns:
        None for a file in another format than ELF, such as those of macOS and Windows.

    Raises:
        AbigenError: the file cannot be read, or is damaged.
    """
    from elftools.common.exceptions import ELFError

    try:
        content = bytearray(path.read_bytes())
    except OSError as error:
        raise AbigenError.at(None, f"cannot read {path}: {error.strerror}") from None
    if content[:4] != b"\x7fELF":
        return None
    try:
        for start, size in _SECTIONS[content[4]]:  # sections may be stripped or wrong: the loader ignores them
            content[start : start + size] = bytes(size)
        return _read(content)
    except UnicodeDecodeError:
        raise AbigenError.at(None, f"{path} has a name that is no UTF-8") from None
    except (ELFError, struct.error, LookupError, ValueError):
        raise AbigenError.at(None, f"{path} is damaged: its tables do not lie within the file") from None


def _read(content: bytearray) -> SharedLibrary:
    from elftools.common.exceptions import ELFError
    from elftools.elf.dynamic import DynamicSegment
    from elftools.elf.elffile import ELFFile

    file = ELFFile(BytesIO(content))
    if not file.num_segments():
        raise ELFError("there are no segments")
    dynamic = next((each for each in file.iter_segments() if isinstance(each, DynamicSegment)), None)
    if dynamic is None or None in (dynamic.get_table_offset(tag)[0] for tag in ("DT_SYMTAB", "DT_STRTAB")):
        return SharedLibrary(frozenset(), (), ())
    if None in (dynamic.get_table_offset(tag)[1] for tag in ("DT_SYMTAB", "DT_STRTAB")):
        raise ELFError("a table is in no segment")
    exports, needs = set(), []
    for symbol in list(dynamic.iter_symbols())[1:]:
        binding, visibility = symbol["st_info"]["bind"], symbol["st_other"]["visibility"]
        if symbol["st_shndx"] != "SHN_UNDEF":
            if binding != "STB_LOCAL" and visibility not in ("STV_HIDDEN", "STV_INTERNAL"):
                exports.add(symbol.name)
        elif symbol.name and binding not in ("STB_LOCAL", "STB_WEAK"):
            needs.append(symbol.name)
    libraries = tuple(str(getattr(tag, "needed", "")) for tag in dynamic.iter_tags("DT_NEEDED"))
    return SharedLibrary(frozenset(exports), tuple(needs), libraries)
