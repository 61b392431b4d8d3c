"""Builds hostile libraries: ELF files with sections that no compiler writes (DWARF 5, sections 6.2.4, 7.5 and 7.21)."""

from __future__ import annotations

import struct
import subprocess
import zlib
from collections.abc import Mapping
from pathlib import Path

from elftools.elf.elffile import ELFFile

from tests.tools import require

HEADER = "typedef struct xy_box { int kind; int width; } xy_box;\nint xy_open(xy_box *box);\n"
SOURCE = '#include "api.h"\nint xy_open(xy_box *box) { return box->kind; }\n'
_SUBPROGRAM = 0x2E
_COMPRESSED = 0x800
"""SHF_COMPRESSED."""


def compile_library(folder: Path, *options: str, name: str = "libxy.so") -> Path:
    """Compile the library that all tests change."""
    (folder / "api.h").write_text(HEADER)
    (folder / "library.c").write_text(SOURCE)
    output = folder / name
    command = [*require("gcc"), "-shared", "-fPIC", *options, "library.c", "-o", str(output)]
    subprocess.run(command, cwd=folder, check=True)
    return output


def add_sections(path: Path, sections: Mapping[str, bytes], compressed: str = "") -> None:
    """Add sections to a library; one of them is marked as compressed."""
    arguments = []
    for number, (name, content) in enumerate(sections.items()):
        file = path.with_name(f"section{number}")
        file.write_bytes(content)
        arguments += ["--add-section", f"{name}={file}"]
    subprocess.run([*require("objcopy"), *arguments, str(path)], check=True)
    if compressed:
        with path.open("r+b") as stream:
            library = ELFFile(stream)
            place = library["e_shoff"] + library["e_shentsize"] * library.get_section_index(compressed) + 8
            stream.seek(place)
            stream.write(struct.pack("<Q", _COMPRESSED))


def leb(number: int) -> bytes:
    """Return a number as DWARF writes it."""
    content = bytearray()
    while number >= 0x80:
        content.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*content, number])


ABBREVIATIONS = {
    1: (0x11, True, ((0x10, 0x06),)),  # DW_TAG_compile_unit: DW_AT_stmt_list
    2: (_SUBPROGRAM, False, ((0x03, 0x08), (0x3F, 0x19), (0x27, 0x19), (0x49, 0x13))),
    3: (0x16, False, ((0x49, 0x13),)),  # DW_TAG_typedef: DW_AT_type
    4: (0x13, True, ((0x03, 0x08), (0x3A, 0x0B), (0x0B, 0x0B))),  # DW_TAG_structure_type with a name and a file
    5: (0x13, True, ((0x0B, 0x0B),)),  # an anonymous struct
    6: (0x0D, False, ((0x49, 0x13),)),  # DW_TAG_member without a name
    7: (0x0D, False, ((0x03, 0x08), (0x49, 0x13), (0x38, 0x04))),  # a member with a location in a block
    8: (0x34, False, ()),  # DW_TAG_variable without attributes
    9: (0x24, False, ((0x0B, 0x0B), (0x3E, 0x0B))),  # DW_TAG_base_type
}


def debug_sections(entries: bytes, line: bytes = b"", version: int = 4) -> dict[str, bytes]:
    """Return the sections of one compilation unit with these entries."""
    abbreviations = b""
    for code, (tag, has_children, attributes) in ABBREVIATIONS.items():
        pairs = b"".join(leb(name) + leb(form if version > 3 or form != 0x19 else 0x0C) for name, form in attributes)
        abbreviations += leb(code) + leb(tag) + bytes([has_children]) + pairs + b"\0\0"
    top = b"\1" + struct.pack("<I", 0)
    begin = struct.pack("<HBBI", 5, 1, 8, 0) if version == 5 else struct.pack("<HIB", version, 0, 8)
    unit = begin + top + entries + b"\0"
    return {
        ".debug_info": struct.pack("<I", len(unit)) + unit,
        ".debug_abbrev": abbreviations + b"\0",
        ".debug_line": line or line_header(),
    }


def first_entry(version: int = 4) -> int:
    """Return the offset of the first entry below the compilation unit."""
    return 4 + (8 if version == 5 else 7) + 5


def line_header() -> bytes:
    """Return a line number program that names the API's header as its first file."""
    rest = struct.pack("<BBBbBB", 1, 1, 1, -5, 14, 10) + bytes([0, 1, 1, 1, 1, 0, 0, 0, 1]) + b"\0api.h\0\0\0\0\0"
    rest = rest[:5] + bytes([10]) + rest[6:]
    header = struct.pack("<HI", 4, len(rest)) + rest
    return struct.pack("<I", len(header)) + header


def typedef_of_itself() -> dict[str, bytes]:
    """Return a function whose result is a typedef that names itself."""
    function = b"\2xy_open\0" + struct.pack("<I", 0)
    place = first_entry() + len(function)
    return debug_sections(b"\2xy_open\0" + struct.pack("<I", place) + b"\3" + struct.pack("<I", place))


def doubling_structs(count: int = 30) -> dict[str, bytes]:
    """Return anonymous structs of which each has two members of the type of the one before."""
    entries = b"\5\4\0"
    place = first_entry()
    for _ in range(count):
        following = first_entry() + len(entries)
        entries += b"\5\4" + 2 * (b"\6" + struct.pack("<I", place)) + b"\0"
        place = following
    return debug_sections(entries + b"\4xy_box\0\1\4" + 2 * (b"\6" + struct.pack("<I", place)) + b"\0")


def long_location(size: int = 2 << 20) -> dict[str, bytes]:
    """Return a member whose offset has millions of digits."""
    place = first_entry()
    block = b"\x23" + bytes([0xFF]) * size + b"\1"
    member = b"\7kind\0" + struct.pack("<II", place, len(block)) + block
    return debug_sections(b"\x09\4\5" + b"\4xy_box\0\1\4" + member + b"\0")


def many_entries(count: int = 30 << 20) -> dict[str, bytes]:
    """Return millions of entries of one byte."""
    return debug_sections(b"\x08" * count)


def endless_directories() -> dict[str, bytes]:
    """Return a line number program of DWARF 5 with a huge number of folders of no bytes."""
    rest = struct.pack("<BBBbBB", 1, 1, 1, -5, 14, 1) + b"\0" + leb(1 << 60) + b"\0\0"
    header = struct.pack("<HBBI", 5, 8, 0, len(rest)) + rest
    return debug_sections(b"\4xy_box\0\1\4\0", struct.pack("<I", len(header)) + header, version=5)


def bomb(gigabytes: int = 6) -> bytes:
    """Return a few megabytes that inflate to gigabytes."""
    state = zlib.compressobj(9)
    begin = state.compress(bytes(1 << 20)) + state.flush(zlib.Z_FULL_FLUSH)
    block = state.compress(bytes(1 << 20)) + state.flush(zlib.Z_FULL_FLUSH)
    return begin + block * (1024 * gigabytes - 1) + state.flush()


def old_bomb(stated: int) -> dict[str, bytes]:
    """Return a section `.zdebug_str` that inflates to gigabytes, whatever size it states."""
    sections = debug_sections(b"\x08")
    return {
        **sections,
        **{
            f".z{name[1:]}": b"ZLIB" + struct.pack(">Q", len(content)) + zlib.compress(content)
            for name, content in sections.items()
        },
        ".zdebug_str": b"ZLIB" + struct.pack(">Q", stated) + bomb(),
    }


def new_bomb(stated: int) -> dict[str, bytes]:
    """Return a section `.debug_str` that inflates to gigabytes, whatever size it states."""
    return {**debug_sections(b"\x08"), ".debug_str": struct.pack("<IIQQ", 1, 0, stated, 1) + bomb()}


def corrupt_compression() -> dict[str, bytes]:
    """Return a section `.debug_str` with content that is not compressed."""
    return {**debug_sections(b"\x08"), ".debug_str": struct.pack("<IIQQ", 1, 0, 100, 1) + b"\xff" * 40}
