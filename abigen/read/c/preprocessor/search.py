"""The include path: where included files are looked for, which may be read, and what to say of a missing one."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple

from abigen.files import Files

_PROJECT_MARKS = (".git", ".hg", ".svn", ".jj")
_MAX_LISTED = 5000


class Found(NamedTuple):
    """An included file: its path, the index of the directory in the include path that it is in (-1: none of them), and
    whether that is one of the system's."""

    path: str
    found_in: int
    system: bool


class ForbiddenError(Exception):
    """The file exists, but lies outside of every directory that a header may include from."""


class IncludePath:
    """Directories to search, in order.

    A header may include what lies below a *root*, links followed: the working copy that the source is in, else the
    current directory if the source is below it, else the source's own directory; and what lies below a directory of
    the include path. Links in such a directory may lead anywhere, since the user has named it, unless it is below a
    root itself: its links come from the same hands as the header. Anything else (`"/etc/passwd"`,
    `"../../../secret.h"`) is refused before it is opened.
    """

    def __init__(
        self,
        user: Sequence[str],
        system: Sequence[str],
        roots: Sequence[str],
        files: Files,
        *,
        ignores_case: bool = False,
    ) -> None:
        """Set up the search.

        Args:
            user: directories that the user has named (`-I`).
            system: directories of the compiler and the system, searched after those.
            roots: directories below which relative includes may lead.
            files: shows what exists.
            ignores_case: whether `<Windows.h>` is `windows.h` in the system's directories.
        """
        self._files = files
        known = {files.real(each) for each in system}
        # As compilers do: such a directory stays the system's.
        named = [each for each in user if files.real(each) not in known]
        self.directories = (*named, *system)
        self.first_system = len(named)
        """Index of the first of the system's directories."""
        self._ignores_case = ignores_case
        self._trusted = [files.real(each) for each in (*self.directories, *roots) if each]
        below_roots = [files.real(each) for each in roots if each]
        self._vouched = [
            os.path.abspath(each)
            for each in self.directories
            if not any(is_below(files.real(each), root) for root in below_roots)
        ]

    def find(self, name: str, *, beside: str | None, after: int = -1) -> Found | None:
        """Find an included file.

        Args:
            name: as it is written between the quotes or brackets.
            beside: directory of the includer, None for `<name>` and `#include_next`.
            after: index of the directory behind which to begin (`#include_next`).

        Returns:
            The file; None when there is none.

        Raises:
            ForbiddenError: it may not be read.
        """
        if not name or "\0" in name:
            return None
        if os.path.isabs(name):
            return self._found(name, -1) if self._files.is_file(name) else None
        if beside is not None:
            path = os.path.join(beside, name)
            if self._files.is_file(path):
                return self._found(path, -1)
        for number in range(after + 1, len(self.directories)):
            spelled = name.lower() if self._ignores_case and number >= self.first_system else name
            path = os.path.join(self.directories[number], spelled)
            if self._files.is_file(path):
                return self._found(path, number)
        return None

    def _found(self, path: str, number: int) -> Found:
        absolute = os.path.abspath(path)
        if not any(is_below(absolute, each) for each in self._vouched):
            real = self._files.real(path)
            if not any(is_below(real, each) for each in self._trusted):
                raise ForbiddenError(path)
        return Found(path, number, number >= self.first_system)

    def advice(self, name: str, source: str) -> str:
        """What the user can do about an include that is missing, one line.

        Args:
            name: as it is written between the quotes or brackets.
            source: path of the file that includes it.
        """
        directory = os.path.dirname(os.path.abspath(source))
        while True:
            if self._files.is_file(os.path.join(directory, name)):
                return f"add -I {_relative(directory)}"
            parent = os.path.dirname(directory)
            if parent == directory:
                break
            directory = parent
        near = self._similar(name, os.path.dirname(source))
        if near:
            return f"did you mean {near}?"
        return "add -I DIR for the directory that it is in"

    def _similar(self, name: str, beside: str) -> str:
        """The name of an existing file that is nearly the one that was looked for; empty when there is none."""
        from difflib import get_close_matches

        folder, base = os.path.split(name)
        candidates: dict[str, str] = {}
        for directory in (beside or ".", *self.directories):
            try:
                entries = self._files.names(os.path.join(directory, folder))
            except OSError:
                continue
            for entry in entries[:_MAX_LISTED]:
                candidates.setdefault(entry, os.path.join(folder, entry))
        near = get_close_matches(base, candidates, n=1, cutoff=0.8)
        return candidates[near[0]] if near else ""


def root_of(source: str, files: Files) -> str:
    """The directory below which the relative includes of a source may lead.

    Args:
        source: path of the source.
        files: shows what exists.
    """
    directory = os.path.dirname(files.real(source))
    above = directory
    while os.path.dirname(above) != above:
        if any(files.exists(os.path.join(above, mark)) for mark in _PROJECT_MARKS):
            return above
        above = os.path.dirname(above)
    current = files.real(os.curdir)
    home = files.variable("HOME") or files.variable("USERPROFILE") or os.sep
    too_wide = (os.path.dirname(current) == current, current == files.real(home))
    return current if is_below(directory, current) and not any(too_wide) else directory


def is_below(path: str, directory: str) -> bool:
    """Whether a path is a directory or lies in it; both absolute, and links resolved where they count."""
    return path == directory or path.startswith(directory if directory.endswith(os.sep) else directory + os.sep)


def _relative(directory: str) -> str:
    """A directory as one would type it from here."""
    current = os.getcwd()
    return os.path.relpath(directory, current) if is_below(directory, current) else directory
