"""Finds the separate file that has the debugging information of a stripped library, as debuggers do.

Source: GDB manual, "Debugging Information in Separate Files"; DWARF 5, section 7.3.6 (supplementary files), and its
form by GNU (`.gnu_debugaltlink`), which dwz writes.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, BinaryIO

import msgspec

from abigen.model.span import printable
from abigen.workspace.libraries import open_file

if TYPE_CHECKING:
    from elftools.elf.elffile import ELFFile
    from elftools.elf.sections import Section

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
_PIECE = 1 << 20
"""The bytes that are inflated at once."""
_FOLDERS = "the library's folder and of /usr/lib/debug"


class DebugFile(msgspec.Struct, frozen=True):
    """The separate debug file of a library."""

    path: Path | None
    """None if there is none that belongs to the library."""
    stream: BinaryIO | None = None
    """The opened file."""
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
        AbigenError: a debug file is a folder, a pipe, a device, or too large.
        elftools.common.exceptions.ELFError: a debug file, or the library, is damaged.
        struct.error: the same.
    """
    link, identifier = _debug_link(file), build_id(file)
    folders = debug_folders(path, root)
    others = []
    for candidate in dict.fromkeys(_candidates(path, link, identifier, root)):
        shown = printable(str(candidate))
        try:
            stream = _open(candidate, folders)
        except (FileNotFoundError, NotADirectoryError):
            continue
        if stream is None:
            others.append(f", and {shown} is a link to a file outside of {_FOLDERS}")
            continue
        if os.path.samestat(os.fstat(stream.fileno()), os.fstat(file.stream.fileno())):
            stream.close()
            continue
        if not (difference := _difference(file, candidate.name, stream, link)):
            return DebugFile(candidate, stream)
        stream.close()
        others.append(f", and {shown} belongs to another build ({difference})")
    if not others and link is not None:
        others.append(f", and its debug file {printable(link.name)} was not found")
    return DebugFile(None, reason=others[0] if others else "")


def debug_folders(path: Path, root: Path = _ROOT) -> tuple[Path, ...]:
    """Return the folders, without links, that may have debug files of a library: its own, and that of the system."""
    return tuple(dict.fromkeys((path.parent.resolve(), path.resolve().parent, root.resolve())))


def _open(path: Path, folders: Collection[Path]) -> BinaryIO | None:
    """Open a debug file; return None if it is in none of the folders.

    Raises:
        OSError: there is no such file, or it cannot be read.
        AbigenError: it is a folder, a pipe, a device, or too large.
    """
    real = os.path.realpath(path)
    if not any(Path(real).is_relative_to(folder) for folder in folders):
        return None
    return open_file(path, "the debug file", _MOST_BYTES, real)


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


def _difference(file: ELFFile, name: str, stream: BinaryIO, link: _DebugLink | None) -> str:
    """Return the difference that shows that a debug file belongs to another library; empty if there is none."""
    from elftools.common.exceptions import ELFError
    from elftools.construct import ConstructError
    from elftools.elf.elffile import ELFFile

    try:
        other = ELFFile(stream)
    except (ELFError, ConstructError):
        return "it is no ELF file"
    here, there = build_id(file), build_id(other)
    if here and there:
        return "" if here == there else "the build ids differ"
    if link is not None and link.name == name:
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

    Raises:
        ValueError: a compressed section has another size than it states. pyelftools would inflate all of it.
        zlib.error: a compressed section is damaged.
    """
    for section in file.iter_sections():
        if section.name.startswith(_READ):
            size = _inflated_size(section)
            if size > (most if section.name.endswith("debug_info") else 4 * most):
                return True
            if section.name.startswith(".zdebug"):
                _check_inflated(section, size)
            elif section.compressed and not size:
                raise ValueError("a compressed section states that it is empty")
    return False


def _inflated_size(section: Section) -> int:
    """Return the size that a section states for its content, in bytes; `.zdebug_*` has it after the word ZLIB."""
    if not section.name.startswith(".zdebug"):
        return int(section.data_size)
    section.stream.seek(section["sh_offset"])
    begin = section.stream.read(12)
    return int.from_bytes(begin[4:], "big")


def _check_inflated(section: Section, size: int) -> None:
    """Inflate `.zdebug_*` piece by piece, until the end or the size that it states.

    Raises:
        ValueError: the content is larger.
        zlib.error: it is damaged.
    """
    section.stream.seek(section["sh_offset"] + 12)
    rest, state, total = section.stream.read(max(0, section["sh_size"] - 12)), zlib.decompressobj(), 0
    while rest and total <= size:
        total += len(state.decompress(rest, _PIECE))
        rest = state.unconsumed_tail
    if total > size:
        raise ValueError("a compressed section is larger than it states")


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
    if (
        section is None
        or section["sh_type"] == "SHT_NOBITS"
        or section.compressed
        or section["sh_size"] > _MOST_IN_SECTION
    ):
        return b""
    return bytes(section.data())


class SharedPart(msgspec.Struct, frozen=True):
    """The file with the part of debugging information that several libraries share."""

    stream: BinaryIO | None = None
    """The opened file; None if there is none."""
    failure: str = ""
    """The reason why it cannot be read, as a clause; empty if it can, or if nothing is shared."""

    def open(self, name: str) -> BinaryIO:
        """Return the file, which is open already; pyelftools passes its name, and closes it."""
        del name
        assert self.stream is not None
        return self.stream


def shared_part(path: Path, file: ELFFile, most: int, folders: Collection[Path], root: Path = _ROOT) -> SharedPart:
    """Read the file that `.gnu_debugaltlink` names.

    Args:
        path: the file that has the section.
        file: its content.
        most: the size of `.debug_info` that is read.
        folders: the folders that may have the file, without links.
        root: the folder in which the system installs debug files.

    Raises:
        OSError: the file cannot be read.
        AbigenError: it is a folder, a pipe, a device, or too large.
        elftools.common.exceptions.ELFError: the file is damaged.
    """
    from elftools.elf.elffile import ELFFile

    name, _, identifier = _content(file, ".gnu_debugaltlink").partition(b"\0")
    if not name:
        return SharedPart()
    wanted = identifier.hex()
    named = name.decode("utf-8", "surrogateescape")
    failure = f"a part of it is in {printable(named)}, which"
    reason = "was not found"
    for candidate in (path.resolve().parent / named, root / ".build-id" / wanted[:2] / f"{wanted[2:]}.debug"):
        try:
            stream = _open(candidate, folders)
        except (FileNotFoundError, NotADirectoryError):
            continue
        if stream is None:
            reason = f"is outside of {_FOLDERS}"
            continue
        other = ELFFile(stream)
        if build_id(other) != wanted:
            return SharedPart(failure=f"{failure} belongs to another build")
        if is_too_large(other, most):
            return SharedPart(failure=f"{failure} is too large")
        return SharedPart(stream)
    return SharedPart(failure=f"{failure} {reason}")
