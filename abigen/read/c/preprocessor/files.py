"""Files as the preprocessor knows them: what they are called, whose they are, and their text."""

from __future__ import annotations

from functools import lru_cache

from abigen.files import Files
from abigen.model.span import Span
from abigen.read.c.preprocessor.scan import MAX_FILE_CHARACTERS, Scan, scan
from abigen.read.options import SourceFile

MAX_FILE_BYTES = 4 * MAX_FILE_CHARACTERS


class File:
    """A file that takes part in a translation unit.

    `name` is what users know it by, `path` where it stands on disk, `found_in` the index in the include path of the
    directory in which it was found (-1: beside the file that includes it, or named by the user).
    """

    __slots__ = ("found_in", "name", "own", "path", "real", "scan", "system")

    def __init__(
        self, name: str, path: str, text: Scan, real: str, *, own: bool, system: bool, found_in: int = -1
    ) -> None:
        """Make a file of a text that has been scanned."""
        self.name = name
        self.path = path
        self.real = real
        """Its path with all links followed; empty for text that is in no file."""
        self.scan = text
        self.own = own
        """Its declarations are the API's."""
        self.system = system
        self.found_in = found_in

    def span(self, offset: int, length: int = 1) -> Span:
        """The place of a stretch of the file's text."""
        line, column = self.scan.place(offset)
        return Span(self.name, line, column, max(1, length))


class UnreadableError(Exception):
    """The file cannot be read as C."""

    def __init__(self, message: str, hint: str = "", place: tuple[int, int] = (1, 1)) -> None:
        """Say what is wrong, what to do about it, and at which line and column."""
        super().__init__(message)
        self.hint = hint
        self.place = place


def scan_source(source: SourceFile) -> Scan:
    """Scan a file whose text the caller has read.

    Raises:
        UnreadableError: it is too long, or no text.
    """
    return _checked_scan(source.text)


def scan_file(path: str, files: Files) -> Scan:
    """Read and scan a file.

    Raises:
        UnreadableError: it is too long, or no text.
        OSError: it cannot be opened, or is no regular file.
    """
    return _scan_content(files.read(path))


@lru_cache(maxsize=256)
def _scan_content(content: bytes) -> Scan:
    """The scan of a text, made once for all targets."""
    if len(content) > MAX_FILE_BYTES:
        raise UnreadableError(
            f"the file has {len(content):,} bytes", f"headers up to {MAX_FILE_BYTES:,} bytes are read"
        )
    return _checked_scan(decode(content))


def decode(content: bytes) -> str:
    """The text of a file: UTF-8 where it is that, else Latin-1, in which every byte means a character."""
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return content.decode("latin-1")


def _checked_scan(text: str) -> Scan:
    if len(text) > MAX_FILE_CHARACTERS:
        hint = f"headers up to {MAX_FILE_CHARACTERS:,} characters are read"
        raise UnreadableError(f"the file has {len(text):,} characters", hint)
    result = scan(text)
    if "\0" in text:
        hint = "save it as UTF-8" if text.startswith(("\xff\xfe", "\xfe\xff")) or text[1:2] == "\0" else ""
        raise UnreadableError(
            "this is not text: it contains a null character", hint, result.place(result.text.index("\0"))
        )
    return result
