"""Finds the separate file that has the debugging information of a stripped library, as debuggers do.

Source: GDB manual, "Debugging Information in Separate Files"; DWARF 5, section 7.3.6 (supplementary files), and its
form by GNU (`.gnu_debugaltlink`), which dwz writes.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import IO, TYPE_CHECKING

import msgspec

from abigen.model.span import printable

if TYPE_CHECKING:
    from elftools.elf.elffile import ELFFile

_ROOT = Path("/usr/lib/debug")
"""The folder in which systems install separate debug files."""
_ALLOCATED = 2
"""SHF_ALLOC: the section is in memory when the library is loaded."""
_READ = (".debug", ".zdebug", ".eh_frame", ".gnu_debug")
"""The beginnings of names of sections that pyelftools reads as debugging information."""
_BUILD_ID = 3
"""NT_GNU_BUILD_ID: the type of the note."""
_MOST_IN_SECTION = 1 << 16
"""The largest section with a link or a note, in bytes."""
_MOST_BYTES = 1 << 30
"""The largest debug file that is read."""


class DebugFile(msgspec.Struct, frozen=True):
    """The separate debug file of a library."""

    path: Path | None
    """None if there is none that belongs to the library."""
    reason: str = ""
    """The reason why there is none, as the end of `LIBRARY has no debugging information (-g)`; empty if unknown."""


class _DebugLink(msgspec.Struct, frozen=True):
    """The section `.gnu_debuglink`."""

    name: str
    checksum: int
    """CRC-32 of the debug file."""


def find_debug_file(path: Path, file: ELFFile, root: Path = _ROOT) -> DebugFile:
    """Find the debug file of a library: by its build id, by `.gnu_debuglink`, or beside the library.

    Args:
        path: the library.
        file: its content.
        root: the folder in which the system installs debug files.

    Raises:
        OSError: a debug file cannot be read.
        elftools.common.exceptions.ELFError: a debug file, or the library, is damaged.
        struct.error: the same.
    """
    link, identifier = _debug_link(file), build_id(file)
    others = []
    for each in dict.fromkeys(_candidates(path, link, identifier, root)):
        if each.is_file() and not each.samefile(path):
            if not (difference := _difference(file, each, link)):
                return DebugFile(each)
            others.append(f", and {printable(str(each))} belongs to another build ({difference})")
    if not others and link is not None:
        others.append(f", and its debug file {printable(link.name)} was not found")
    return DebugFile(None, others[0] if others else "")


def _candidates(path: Path, link: _DebugLink | None, identifier: str, root: Path) -> Iterator[Path]:
    """Yield the files that may be the debug file of a library, the most certain first."""
    if len(identifier) > 2:
        yield root / ".build-id" / identifier[:2] / f"{identifier[2:]}.debug"
    for place in dict.fromkeys((path.absolute(), path.resolve())):
        if link is not None and link.name not in ("", ".", "..") and "/" not in link.name:
            folder = path.parent if place == path.absolute() else place.parent
            yield folder / link.name
            yield folder / ".debug" / link.name
            yield root.joinpath(*place.parent.parts[1:]) / link.name
    yield path.with_name(f"{path.name}.debug")
    yield path.with_suffix(".debug")


def _difference(file: ELFFile, path: Path, link: _DebugLink | None) -> str:
    """Return what shows that a debug file belongs to another library; empty if it belongs to this one."""
    from elftools.common.exceptions import ELFError
    from elftools.construct import ConstructError
    from elftools.elf.elffile import ELFFile

    if path.stat().st_size > _MOST_BYTES:
        return "it is too large"
    with path.open("rb") as stream:
        try:
            other = ELFFile(stream)
        except (ELFError, ConstructError):
            return "it is no ELF file"
        here, there = build_id(file), build_id(other)
        if here and there:
            return "" if here == there else "the build ids differ"
        if link is not None and link.name == path.name:
            return "" if _checksum(stream) == link.checksum else "the CRC differs"
        return "" if _places(file) == _places(other) else "the sections differ"


def _places(file: ELFFile) -> dict[str, tuple[int, int]]:
    """Return the address and size of each section that is loaded; a debug file has them without their content."""
    loaded = (each for each in file.iter_sections() if each["sh_flags"] & _ALLOCATED)
    return {each.name: (each["sh_addr"], each["sh_size"]) for each in loaded}


def _checksum(stream: IO[bytes]) -> int:
    """Return the CRC-32 of a file."""
    stream.seek(0)
    checksum = 0
    while part := stream.read(1 << 20):
        checksum = zlib.crc32(part, checksum)
    return checksum


def _debug_link(file: ELFFile) -> _DebugLink | None:
    """Return the name and CRC in `.gnu_debuglink`: the name ends with a zero, and the CRC is in the last four bytes."""
    content = _content(file, ".gnu_debuglink")
    if not content:
        return None
    (checksum,) = struct.unpack_from("<I" if file.little_endian else ">I", content, max(0, len(content) - 4))
    name = content.partition(b"\0")[0].decode("utf-8", "surrogateescape")
    return _DebugLink(name, checksum)


def is_too_large(file: ELFFile, most: int) -> bool:
    """True if `.debug_info` has more than `most` bytes, or another section of debugging information four times as many.

    A damaged file may state any size, and pyelftools allocates it.
    """
    sections = [each for each in file.iter_sections() if each.name.startswith(_READ)]
    return any(each.data_size > (most if each.name == ".debug_info" else 4 * most) for each in sections)


def build_id(file: ELFFile) -> str:
    """Return the build id that the linker wrote, in hexadecimal; empty if it wrote none."""
    content = _content(file, ".note.gnu.build-id")
    if len(content) < 16:
        return ""
    name, size, kind = struct.unpack_from("<3I" if file.little_endian else ">3I", content)
    start = 12 + (name + 3) // 4 * 4
    is_build_id = kind == _BUILD_ID and content[12:16] == b"GNU\0"
    return content[start : start + size].hex() if is_build_id else ""


def _content(file: ELFFile, name: str) -> bytes:
    """Return the content of a small section; empty if the file has no such section, or has it without content."""
    section = file.get_section_by_name(name)
    if section is None or section["sh_type"] == "SHT_NOBITS" or section["sh_size"] > _MOST_IN_SECTION:
        return b""
    return bytes(section.data())


class SharedPart(msgspec.Struct, frozen=True):
    """The file with the part of debugging information that several libraries share."""

    content: bytes = b""
    """The content of the file; empty if there is none."""
    failure: str = ""
    """The reason why it cannot be read, as a clause; empty if it can, or if nothing is shared."""

    def open(self, name: str) -> BytesIO:
        """Return the content as a file; pyelftools passes the name, which is known already."""
        del name
        return BytesIO(self.content)


def shared_part(path: Path, file: ELFFile, most: int, root: Path = _ROOT) -> SharedPart:
    """Read the file that `.gnu_debugaltlink` names.

    Args:
        path: the file that has the section.
        file: its content.
        most: the size of `.debug_info` that is read.
        root: the folder in which the system installs debug files.

    Raises:
        OSError: the file cannot be read.
        elftools.common.exceptions.ELFError: the file is damaged.
    """
    from elftools.elf.elffile import ELFFile

    name, _, identifier = _content(file, ".gnu_debugaltlink").partition(b"\0")
    if not name:
        return SharedPart()
    wanted = identifier.hex()
    named = name.decode("utf-8", "surrogateescape")
    candidates = [path.resolve().parent / named, root / ".build-id" / wanted[:2] / f"{wanted[2:]}.debug"]
    found = next((each for each in candidates if each.is_file()), None)
    shown = printable(named)
    if found is None or found.stat().st_size > _MOST_BYTES:
        return SharedPart(failure=f"a part of it is in {shown}, which was not found")
    content = found.read_bytes()
    other = ELFFile(BytesIO(content))
    if build_id(other) != wanted:
        return SharedPart(failure=f"a part of it is in {shown}, which belongs to another build")
    if is_too_large(other, most):
        return SharedPart(failure=f"a part of it is in {shown}, which is too large")
    return SharedPart(content)
