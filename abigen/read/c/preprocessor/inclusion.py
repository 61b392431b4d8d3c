"""Included files: found, checked, read once, and known by what the user calls them."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence

from abigen.model.span import Span
from abigen.read.c.preprocessor.environment import Environment, stand_in_name
from abigen.read.c.preprocessor.files import File, UnreadableError, scan_file
from abigen.read.c.preprocessor.scan import Piece
from abigen.read.c.preprocessor.search import ForbiddenError, Found, IncludePath
from abigen.read.c.preprocessor.trouble import Report
from abigen.read.options import ReadOptions

HEADER_NAME = re.compile(r'[ \t]*(?P<name><[^>\n]+>|"[^"\n]+")')
"""What stands behind `#include` when it is not a macro (C 6.4.7)."""


class Inclusion:
    """The files of one translation unit."""

    def __init__(self, path: IncludePath, report: Report, options: ReadOptions, environment: Environment) -> None:
        """Begin with no file.

        Args:
            path: where included files are.
            report: where errors go.
            options: show the files, and say what messages call them.
            environment: whose headers the system's are.
        """
        self.path = path
        self._foreign = environment.foreign
        self._borrowed = path.first_system + environment.borrowed if environment.borrowed >= 0 else sys.maxsize
        self._report = report
        self._options = options
        self.files: dict[str, File] = {}
        """All files that are known, by their real path."""
        self.entered: dict[str, File] = {}
        """Those of them that have been read, in order."""
        self.missing: dict[str, None] = {}
        """Headers of another target's system that are not on this machine."""
        self.once: set[str] = set()
        """Files that are not read again, by their real path."""

    def know(self, file: File) -> None:
        """Let a file be taken as it is, not as it stands on disk, when it is included."""
        self.files[file.real] = file

    def enter(self, file: File) -> bool:
        """Note that a file is being read; whether that is the first time."""
        if not file.real or file.real not in self.entered:
            self.entered[file.real] = file
            return True
        return False

    def is_system(self, real: str) -> bool:
        """Whether a file, by its real path, has been read as one of the system's."""
        return real in self.entered and self.entered[real].system

    def only_once(self, file: File) -> None:
        """Obey `#pragma once`."""
        self.once.add(file.real)

    def exists(self, name: str, file: File, *, is_next: bool) -> bool:
        """Whether an `#include` would find a file.

        Args:
            name: in quotes or brackets.
            file: the file that asks.
            is_next: whether it would be `#include_next`.
        """
        match = HEADER_NAME.match(name)
        try:
            return match is not None and self._find(match["name"], file, is_next=is_next) is not None
        except ForbiddenError:
            return False

    def include(self, name: str, file: File, place: Span, *, directive: str) -> File | None:
        """Find and read an included file.

        Args:
            name: in quotes or brackets.
            file: the file that includes it.
            place: where it does.
            directive: `include`, `include_next` or `import`.

        Returns:
            The file; None when it is not to be read again, or when it cannot be read and that has been reported.
        """
        bare = name[1:-1]
        try:
            found = self._find(name, file, is_next=directive == "include_next")
        except ForbiddenError:
            hint = "add -I for a directory that it is below, if that is meant"
            self._report.error(place, f"'{bare}' leads out of the directories that may be read", hint)
            return None
        if found is None:
            self._report_missing(name, file, place)
            return None
        if found.found_in >= self._borrowed and not file.system:
            message = f"'{bare}' is taken from this machine, which is not {self._foreign}"
            self._report.warning(place, message, "add -I for a directory that has it for that target")
        real = self._options.files.real(found.path)
        if real in self.once:
            return None
        if directive == "import":
            self.once.add(real)
            if real in self.entered:
                return None
        return self.files.get(real) or self._read(found, real, place)

    def _find(self, name: str, file: File, *, is_next: bool) -> Found | None:
        if is_next:
            return self.path.find(name[1:-1], beside=None, after=file.found_in)
        beside = os.path.dirname(file.path) if name.startswith('"') else None
        found = self.path.find(name[1:-1], beside=beside)
        return found._replace(system=file.system) if found and found.found_in < 0 else found

    def _report_missing(self, name: str, file: File, place: Span) -> None:
        bare = name[1:-1]
        if self._foreign and (name[0] == "<" or file.system):
            self.missing[bare] = None
            message = f"'{bare}' not found, and read on without; it may be one of {self._foreign}'s own headers"
            self._report.warning(place, message, "add -I for a directory that has it for that target")
        else:
            self._report.error(place, f"'{bare}' not found", self.path.advice(bare, file.path))

    def _read(self, found: Found, real: str, place: Span) -> File | None:
        try:
            text = scan_file(found.path, self._options.files)
        except UnreadableError as error:
            self._report.error(place, f"{found.path}: {error}", error.hint)
            return None
        except OSError as error:
            self._report.error(place, f"{found.path}: {error.strerror}")
            return None
        name = stand_in_name(found.path) or self._options.display_name(found.path)
        file = File(name, found.path, text, real, own=False, system=found.system, found_in=found.found_in)
        self.files[real] = file
        return file


def spelled(pieces: Sequence[Piece]) -> str:
    """Pieces as text, with white space only where it was."""
    return "".join((" " if piece.spaced and number else "") + piece.text for number, piece in enumerate(pieces))
