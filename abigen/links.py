"""Where links may lead: whoever writes the files of a project must not choose what else is opened."""

from __future__ import annotations

import os
from pathlib import Path

from abigen.files import Files, Place, absolute
from abigen.model.span import AbigenError, printable

_PROJECT_MARKS = (".git", ".hg", ".svn", ".jj")


def is_below(path: str, directory: str) -> bool:
    """Whether a path is a directory or lies in it; both absolute, and links resolved where they count."""
    return path == directory or path.startswith(directory if directory.endswith(os.sep) else directory + os.sep)


def typed(path: str) -> str:
    """A path as one types it from here: relative where it lies in the current directory, else as it is given."""
    here = absolute(os.curdir)
    return os.path.relpath(path, here) if is_below(path, here) else path


def project_of(directory: str, files: Files) -> str:
    """The project that a directory belongs to: a working copy, or else the current directory; empty for none.

    Args:
        directory: an absolute path.
        files: shows what exists.
    """
    for above in (Path(directory), *Path(directory).parents):
        if above.name and any(files.exists(above / mark) for mark in _PROJECT_MARKS):
            return str(above)
    current = files.real(os.curdir)
    home = files.variable("HOME") or files.variable("USERPROFILE") or os.sep
    too_wide = current in (Path(current).anchor, files.real(home))
    return current if is_below(directory, current) and not too_wide else ""


def root_of(source: str, files: Files) -> str:
    """The directory below which what a source names may lie: its project, or else its own directory.

    Args:
        source: path of the source.
        files: shows what exists.
    """
    directory = str(Path(files.real(source)).parent)
    return project_of(directory, files) or directory


def refuse_leading_out(path: Place, files: Files, *roots: str) -> None:
    """Refuse a file of a project that is a link, or behind one, and lies outside of the project.

    Args:
        path: as somebody has named it, or as it was found in a directory.
        files: shows what exists.
        roots: directories that may be read besides, as may the project that abigen is run in; what they are linked to
            counts.

    Raises:
        AbigenError: it lies in none of them.
    """
    current = files.real(os.curdir)
    project = project_of(str(Path(os.path.normpath(current / Path(path))).parent), files)
    if not project and not roots:
        return
    allowed = [files.real(root) for root in (*roots, project, project_of(current, files)) if root]
    if not any(is_below(files.real(path), root) for root in allowed):
        message = f"{printable(str(path))} is a link that leads out of the directories that may be read"
        raise AbigenError.at(None, message, "name the file itself, if that is meant")
