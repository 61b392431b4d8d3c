"""What a shared library says of itself: the symbols that it has, those that it needs, and from which libraries.

Source: System V ABI, chapter 5, "Dynamic Linking"; for DT_GNU_HASH, the layout that the GNU linker writes.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from abigen.model.span import AbigenError

_DYNAMIC, _LOAD = 2, 1
_NEEDED, _HASH, _STRTAB, _SYMTAB, _STRSZ, _SONAME, _GNU_HASH = 1, 4, 5, 6, 10, 14, 0x6FFFFEF5
_LOCAL, _WEAK = 0, 2
_HIDDEN = (1, 2)


class Binary(NamedTuple):
    """The dynamic symbols of a shared library."""

    exports: frozenset[str]
    """Symbols that others find in it."""
    needs: tuple[str, ...]
    """Symbols that it must find elsewhere, in the order of its table; weak ones are not among them."""
    libraries: tuple[str, ...]
    """Libraries that it names, as the loader looks for them."""


class _Format(NamedTuple):
    """How numbers are written in a file."""

    order: str
    wide: bool

    def word(self) -> str:
        return self.order + ("Q" if self.wide else "I")


def is_elf(content: bytes) -> bool:
    """Whether a file is in the format of Linux and the BSDs."""
    return content[:4] == b"\x7fELF"


def read_binary(path: Path) -> Binary | None:
    """Read a shared library's dynamic symbols.

    Args:
        path: the library.

    Returns:
        None for a file in another format, such as those of macOS and Windows.

    Raises:
        AbigenError: the file cannot be read, or is damaged.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise AbigenError.at(None, f"cannot read {path}: {error.strerror}") from None
    if not is_elf(content):
        return None
    try:
        return _read(content)
    except (struct.error, IndexError, ValueError):
        raise AbigenError.at(None, f"{path} is damaged: its tables do not lie within the file") from None


def _read(content: bytes) -> Binary:
    """Symbols by way of the program headers, which a stripped file has as well."""
    form = _Format("<" if content[5] == 1 else ">", content[4] == 2)
    segments = list(_segments(content, form))
    entries = [
        entry for kind, offset, _, size in segments if kind == _DYNAMIC for entry in _pairs(content, form, offset, size)
    ]
    tags = dict(reversed(entries))
    if _SYMTAB not in tags or _STRTAB not in tags:
        return Binary(frozenset(), (), ())
    strings = _offset(segments, tags[_STRTAB])
    table = content[strings : strings + tags.get(_STRSZ, 0)]
    symbols = list(_symbols(content, form, segments, tags, table))
    return Binary(
        frozenset(name for name, section, binding, hidden in symbols if section and binding != _LOCAL and not hidden),
        tuple(name for name, section, binding, _ in symbols if not section and name and binding not in (_LOCAL, _WEAK)),
        tuple(_text(table, value) for tag, value in entries if tag == _NEEDED),
    )


def _segments(content: bytes, form: _Format) -> Iterator[tuple[int, int, int, int]]:
    """Kind, offset in the file, address and size in the file of each segment."""
    start = struct.unpack_from(form.word(), content, 32 if form.wide else 28)[0]
    size, count = struct.unpack_from(form.order + "HH", content, 54 if form.wide else 42)
    for place in range(start, start + size * count, size):
        if form.wide:
            kind, _, offset, address, _, length = struct.unpack_from(form.order + "IIQQQQ", content, place)
        else:
            kind, offset, address, _, length = struct.unpack_from(form.order + "IIIII", content, place)
        yield kind, offset, address, length


def _pairs(content: bytes, form: _Format, offset: int, size: int) -> Iterator[tuple[int, int]]:
    """The entries of the dynamic section."""
    step = 16 if form.wide else 8
    for place in range(offset, offset + size, step):
        tag, value = struct.unpack_from(form.word() + form.word()[1], content, place)
        if tag == 0:
            return
        yield tag, value


def _offset(segments: list[tuple[int, int, int, int]], address: int) -> int:
    """Where in the file an address is."""
    for kind, offset, start, size in segments:
        if kind == _LOAD and start <= address < start + size:
            return offset + address - start
    raise ValueError(address)


def _symbols(
    content: bytes, form: _Format, segments: list[tuple[int, int, int, int]], tags: dict[int, int], strings: bytes
) -> Iterator[tuple[str, int, int, bool]]:
    """Name, section (0 for none), binding, and whether it is hidden."""
    start, step = _offset(segments, tags[_SYMTAB]), 24 if form.wide else 16
    for index in range(1, _count(content, form, segments, tags)):
        if form.wide:
            name, info, other, section = struct.unpack_from(form.order + "IBBH", content, start + index * step)
        else:
            name, _, _, info, other, section = struct.unpack_from(form.order + "IIIBBH", content, start + index * step)
        yield _text(strings, name), section, info >> 4, other & 3 in _HIDDEN


def _count(content: bytes, form: _Format, segments: list[tuple[int, int, int, int]], tags: dict[int, int]) -> int:
    """How many symbols there are: only the hash tables tell."""
    if _HASH in tags:
        return int(struct.unpack_from(form.order + "II", content, _offset(segments, tags[_HASH]))[1])
    if _GNU_HASH not in tags:
        return 0
    start = _offset(segments, tags[_GNU_HASH])
    buckets, first, bloom, _ = struct.unpack_from(form.order + "4I", content, start)
    chains = start + 16 + bloom * (8 if form.wide else 4) + buckets * 4
    last = max(struct.unpack_from(f"{form.order}{buckets}I", content, chains - buckets * 4), default=0)
    if last < first:
        return int(first)
    while not struct.unpack_from(form.order + "I", content, chains + (last - first) * 4)[0] & 1:
        last += 1
    return int(last) + 1


def _text(strings: bytes, start: int) -> str:
    return strings[start : strings.index(b"\0", start)].decode("utf-8", "backslashreplace")
