"""Converts places, files and texts between abigen and the language server protocol."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from shutil import rmtree
from tempfile import gettempdir, mkdtemp

from lsprotocol.types import Location, Position, PositionEncodingKind, Range
from pygls.uris import from_fs_path, to_fs_path

from abigen.checker.report.wording import revision_of
from abigen.model.finding import Edit
from abigen.model.span import Span

_PREFIX = "abigen-old-"
"""The beginning of the names of folders with copies of old files."""
_UNITS = {PositionEncodingKind.Utf8: "utf-8", PositionEncodingKind.Utf16: "utf-16-le"}
_BYTES = {PositionEncodingKind.Utf8: 1, PositionEncodingKind.Utf16: 2}


class Columns:
    """Converts columns, which count characters here and units of the client's encoding there."""

    def __init__(self, encoding: PositionEncodingKind | str = PositionEncodingKind.Utf16) -> None:
        """Choose the encoding that client and server agreed on (LSP 3.17, `positionEncoding`)."""
        self._encoding = PositionEncodingKind(encoding)

    def to_client(self, line: str, index: int) -> int:
        """Return the units in front of a character.

        Args:
            line: the text of the line.
            index: of the character, counted from 0.
        """
        if self._encoding is PositionEncodingKind.Utf32 or line.isascii():
            return index
        return len(line[:index].encode(_UNITS[self._encoding], "surrogatepass")) // _BYTES[self._encoding]

    def from_client(self, line: str, units: int) -> int:
        """Return the index of a character, counted from 0, from the units in front of it."""
        if self._encoding is PositionEncodingKind.Utf32 or line.isascii():
            return min(units, len(line))
        count = 0
        for index, character in enumerate(line):
            if count >= units:
                return index
            count += len(character.encode(_UNITS[self._encoding], "surrogatepass")) // _BYTES[self._encoding]
        return len(line)


class Places:
    """Names of files in spans as URIs, and spans as ranges."""

    def __init__(self, columns: Columns, folder: str, sources: Mapping[str, str]) -> None:
        """Prepare the conversion for one API, or for the two sides of a comparison.

        Args:
            columns: the conversion of columns.
            folder: the folder that names of files are relative to.
            sources: the texts of the files by their names in spans.
        """
        self._columns = columns
        self._folder = folder
        self._sources = sources
        self._lines: dict[str, list[str]] = {}

    def path(self, file: str) -> str:
        """Return the absolute path of a file that spans name."""
        return os.path.normpath(Path(self._folder) / file)

    def range(self, span: Span) -> Range:
        """Return the range of a span."""
        return Range(
            start=self.position(span.file, span.line, span.column),
            end=self.position(span.file, span.line, span.column + span.length),
        )

    def range_of(self, edit: Edit) -> Range:
        """Return the range that an edit replaces."""
        return Range(start=self.position(edit.file, *edit.start), end=self.position(edit.file, *edit.end))

    def position(self, file: str, line: int, column: int) -> Position:
        """Return the position of a line and a column, both counted from 1."""
        if file not in self._lines:
            self._lines[file] = self._sources.get(file, "").split("\n")
        lines = self._lines[file]
        text = lines[line - 1] if line <= len(lines) else ""
        return Position(line=line - 1, character=self._columns.to_client(text, column - 1))

    def location(self, span: Span, old_texts: OldTexts) -> Location | None:
        """Return the location of a span; of a git revision, the one in a copy of the file."""
        if revision_of(span.file):
            text = self._sources.get(span.file)
            return Location(uri=old_texts.uri(span.file, text), range=self.range(span)) if text is not None else None
        uri = uri_of(self.path(span.file))
        return Location(uri=uri, range=self.range(span)) if not span.file.startswith("<") else None


class OldTexts:
    """Copies of files at git revisions, so that an editor can open them.

    They are in a temporary folder, which the process locks until it ends. So a later one can see that a folder was left
    behind, because its process was killed.
    """

    def __init__(self) -> None:
        """Begin without a copy."""
        self._folder = ""
        self._lock = -1
        self._written: dict[tuple[str, str], str] = {}

    def uri(self, file: str, text: str) -> str:
        """Return the URI of a copy.

        Args:
            file: the name in spans: `v1.2.0:include/api.h`.
            text: its content.
        """
        key = (file, text)  # a tag may be moved, and two repositories may have the same one
        if key not in self._written:
            while not self._folder:
                self._folder = mkdtemp(prefix=_PREFIX)
                self._lock = _locked(self._folder, waits=True)
                if not Path(self._folder).exists():  # another process took it for one left behind
                    self._folder = ""
            revision, _, name = file.partition(":")
            parts = [
                re.sub(r"[^\w.+-]", "_", each) for each in (revision, *name.split("/")) if each not in ("", ".", "..")
            ]
            path = Path(self._folder, str(len(self._written)), *parts)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", errors="replace")
            path.chmod(0o444)
            self._written[key] = uri_of(str(path))
        return self._written[key]

    def remove(self) -> None:
        """Delete all copies."""
        if self._folder:
            rmtree(self._folder, ignore_errors=True)

    @staticmethod
    def remove_abandoned() -> None:
        """Delete the copies of processes of this user that were killed."""
        with suppress(OSError), os.scandir(gettempdir()) as entries:
            for entry in entries:
                if entry.name.startswith(_PREFIX) and (lock := _locked(entry.path, waits=False)) >= 0:
                    rmtree(entry.path, ignore_errors=True)
                    os.close(lock)


def _locked(folder: str, *, waits: bool) -> int:
    """Lock a folder of this user, and return the descriptor that holds the lock.

    Args:
        folder: the folder.
        waits: True to wait until no other process holds the lock.

    Returns:
        -1 if another process holds the lock, if this is a link or a folder of another user, or if there are no locks.
    """
    try:
        from fcntl import LOCK_EX, LOCK_NB, flock
    except ImportError:  # not on Windows
        return -1
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return -1
    try:
        if os.fstat(descriptor).st_uid == os.geteuid():
            flock(descriptor, LOCK_EX if waits else LOCK_EX | LOCK_NB)
            return descriptor
    except OSError:
        os.close(descriptor)
        return -1
    os.close(descriptor)
    return -1


def uri_of(path: str) -> str:
    """Return the URI of a file.

    Raises:
        ValueError: the path is not absolute.
    """
    uri = from_fs_path(path)
    if uri is None:
        raise ValueError(path)
    return str(uri)


def path_of(uri: str) -> str:
    """Return the absolute path that a URI names; empty for one of another scheme than `file`."""
    path = to_fs_path(uri) if uri.startswith("file:") else None
    return os.path.abspath(path) if path else ""  # noqa: PTH100 - links stay as the editor names them
