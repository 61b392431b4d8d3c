"""Finds the repository of the current directory, and refuses one that belongs to another working tree."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import NoReturn

import msgspec

from abigen.model.span import AbigenError, printable
from abigen.workspace.files import Files, is_below
from abigen.workspace.git_process import partial_clone_settings, run_git

SHALLOW = "this clone is shallow: run `git fetch --unshallow`; on GitHub give actions/checkout `fetch-depth: 0`"
_PARTIAL = "this clone is partial: add --fetch, or run `git fetch --refetch --no-filter`, where you reach its origin"
_DAMAGED = "the repository is damaged: `git fsck` lists the damage; fetch the missing objects, or clone it again"


def is_shallow() -> bool:
    """True if the repository lacks a part of its history."""
    return run_git(["rev-parse", "--is-shallow-repository"]).stdout.strip() == b"true"


def unreadable(what: str, remarks: bytes = b"") -> AbigenError:
    """Return the error for something that git should have and cannot read.

    Args:
        what: what the user should know it as, printable.
        remarks: what git said.
    """
    lines = [line for line in os.fsdecode(remarks).splitlines() if line.startswith(("error: ", "fatal: "))]
    reason = f"; git reports: {printable(lines[-1].partition(': ')[2])}" if lines else ""
    hint = _DAMAGED
    if partial_clone_settings():
        hint = f"{_PARTIAL}; on GitHub give actions/checkout no `filter`"
    elif is_shallow():
        hint = SHALLOW
    return AbigenError.at(None, f"{what} cannot be read: git does not have all of it, or it is corrupt{reason}", hint)


_HEXADECIMAL = re.compile("[0-9a-f]{2}")
"""The names of the folders of single objects: what they hold is checked by its name."""


class Repository(msgspec.Struct, frozen=True):
    """The repository of the current directory."""

    top: str
    """The top directory of the working tree; empty in a bare repository."""
    folder: str
    """The folder of git's files: `.git`, or that of a linked working tree."""
    common: str
    """The folder of the files that linked working trees share."""


def find_repository(files: Files, prefix: str = "") -> Repository:
    """Find the repository of the current directory, and refuse one that belongs to another working tree.

    A file or link `.git`, `core.worktree`, `commondir` and links inside of `.git` can name any repository on the disk,
    and the baseline would come from there. A linked working tree and a submodule count if their repository names them.

    Args:
        files: shows what exists.
        prefix: the beginning of the message that there is none.

    Raises:
        AbigenError: there is none, or it does not belong to this working tree.
    """
    return files.once(("repository", os.getcwd()), lambda: _find_repository(files, prefix))


def _find_repository(files: Files, prefix: str) -> Repository:
    questions = ("--absolute-git-dir", "--git-common-dir", "--show-toplevel")
    result = run_git(["rev-parse", *questions])
    words = os.fsdecode(result.stdout).split("\n")
    if len(words) < 3:
        _explain_outside(os.fsdecode(result.stderr), prefix)
    if len(words) > 4:  # a path has a line end
        words = [os.fsdecode(run_git(["rev-parse", word]).stdout).removesuffix("\n") for word in questions]
    folder, common, top = words[0], files.real(words[1]), words[2] if result.returncode == 0 else ""
    repository = Repository(top, files.real(folder), common)
    if not files.variable("GIT_DIR") and (reason := _is_of_others(repository, files)):
        message = f"{printable(top or folder)} does not have a git repository of its own: {reason}"
        named = f"GIT_DIR={printable(folder)}" + (f" GIT_WORK_TREE={printable(top)}" if top else "")
        raise AbigenError.at(None, message, f"if you trust it, name it by environment variables: {named}")
    return repository


def _is_of_others(repository: Repository, files: Files) -> str:
    """Return the reason why a repository does not belong to its working tree; empty if it does."""
    folder, common, top = repository.folder, repository.common, repository.top
    if not top:
        return "" if folder.endswith(f"{os.sep}.git") else "this is a bare repository"
    entry = os.path.join(top, ".git")
    if not files.is_entry(entry):
        return f"core.worktree of {printable(folder)} names it"
    if files.is_dir(entry) and not files.is_link(entry):
        if files.real(entry) != folder:
            return f"core.worktree of {printable(folder)} names it"
        if common != folder:
            return f"the file commondir names {printable(common)}"
    elif not _names_back(repository, entry, files):
        return f".git names {printable(folder)}, which does not name it in return"
    for path in (*(os.path.join(common, name) for name in ("HEAD", "packed-refs")), *_links_in(common)):
        real = files.real(path)
        if not is_below(real, common):
            return f"{printable(path)} leads to {printable(real)}"
    return ""


def _links_in(common: str) -> Iterator[str]:
    """Yield the links below the folders of objects and references, and these folders."""
    waiting = [os.path.join(common, "objects"), os.path.join(common, "refs")]
    yield from waiting
    while waiting:
        with suppress(OSError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.is_symlink():
                    yield entry.path
                elif entry.is_dir() and not _HEXADECIMAL.fullmatch(entry.name):
                    waiting.append(entry.path)


def _names_back(repository: Repository, entry: str, files: Files) -> bool:
    """True if a repository is that of a linked working tree, or of a submodule, with this `.git`."""
    folder = repository.folder
    if repository.common != folder:
        if os.path.dirname(folder) != os.path.join(repository.common, "worktrees"):
            return False
        try:
            link = os.fsdecode(files.read(os.path.join(folder, "gitdir"))).rstrip("\n")
        except OSError:
            return False
        return files.real(os.path.join(folder, link)) == files.real(entry)
    setting = run_git(["config", "--file", os.path.join(folder, "config"), "--no-includes", "--get", "core.worktree"])
    path = os.fsdecode(setting.stdout).rstrip("\n")
    return bool(path) and files.real(os.path.join(folder, path)) == files.real(repository.top)


def foreign_objects(files: Files) -> list[str]:
    """Return the folders outside of this repository from which git also reads objects: `objects/info/alternates`."""
    common = find_repository(files).common
    if not files.is_entry(os.path.join(common, "objects", "info", "alternates")):
        return []
    lines = os.fsdecode(run_git(["-c", "core.quotePath=false", "count-objects", "-v"]).stdout).splitlines()
    stated = [line.removeprefix("alternate: ") for line in lines if line.startswith("alternate: ")]
    folders = (files.real(path[1:-1] if path.startswith('"') else path) for path in stated)
    return [folder for folder in folders if not is_below(folder, common)]


def _explain_outside(remarks: str, prefix: str) -> NoReturn:
    """Raise the error for a directory in which git sees no repository."""
    reason = remarks.strip().removeprefix("fatal: ").partition("\n")[0]
    hint = "" if "not a git repository" in reason else f"git reports: {printable(reason)}"
    if "safe.bareRepository" in reason:
        hint = "a bare repository is read if you name it by the environment variable GIT_DIR: `GIT_DIR=. abigen ...`"
    raise AbigenError.at(None, f"{prefix}{printable(os.getcwd())} is not inside a git repository", hint)
