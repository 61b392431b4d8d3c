"""Files as they were at a git revision, read from the repository that the current directory is in.

git is called without a shell, and never sees an argument that the user could turn into an option.
"""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterator
from contextlib import closing
from typing import NoReturn

import msgspec

from abigen.files import Files
from abigen.model.printable import printable
from abigen.model.span import AbigenError
from abigen.read.git_objects import (
    SHALLOW,
    ObjectReader,
    entries_of,
    is_shallow,
    run_git,
    unreadable,
)
from abigen.read.operand import similar_names


class _Entry(msgspec.Struct, frozen=True):
    """What a directory lists under a name."""

    kind: str
    """`file`, `directory`, `link`, `submodule`; empty for nothing."""
    name: str
    """The object's name."""


_NOTHING = _Entry("", "")
_KINDS = {"40000": "directory", "120000": "link", "160000": "submodule"}
_MAX_LINKS = 40
"""As many links as Linux follows."""


class Revision(msgspec.Struct, frozen=True):
    """The tree that a revision names, and its files as `Files` shows them; to be closed by whoever has opened it.

    What exists is asked of trees, and content only when it is read. Paths are from the top.
    """

    name: str
    """As the user wrote it: `HEAD~1`."""
    tree: str
    """The tree's object name: the same for the same content."""
    top: str
    """Top directory of the working tree; empty in a bare repository."""
    prefix: str
    """The current directory from the top, `/` at its end; empty at the top."""
    files: Files
    """Shows the working tree."""
    _objects: ObjectReader = msgspec.field(default_factory=ObjectReader)
    _folders: dict[str, dict[str, _Entry]] = msgspec.field(default_factory=dict)
    """What directories list, by the names of their objects."""

    def close(self) -> None:
        """End what reads objects."""
        self._objects.close()

    def locate(self, path: str) -> str:
        """The path from the top that a path after the colon means, as git reads it: `./` and `../` start from here.

        Raises:
            AbigenError: it leads out of the repository.
        """
        if path in (".", "..") or path.startswith(("./", "../")):
            path = self.prefix + path
        normal = posixpath.normpath(path) if path else ""
        if normal == ".." or normal.startswith(("../", "/")) or "\n" in path:
            raise AbigenError.at(
                None, f"`{printable(self.name)}:{printable(path)}` is not a path inside the repository"
            )
        return "" if normal == "." else normal

    def inside(self, directory: str) -> str | None:
        """The path from the top of a directory on disk; None when it is not in the working tree."""
        if not self.top:
            return None
        relative = os.path.relpath(self.files.real(directory), self.top).replace(os.path.sep, "/")
        if relative == ".":
            return ""
        return None if relative.startswith("../") or relative == ".." or os.path.isabs(relative) else relative

    def relative(self, path: str) -> str:
        """A path from the top as one writes it in the current directory."""
        return posixpath.relpath(path or ".", self.prefix or ".")

    def renamed(self, path: str) -> str:
        """Where a file was that has been renamed since, or is that was: its other path from the top.

        Args:
            path: from the top, in the working tree or at the revision.

        Returns:
            The other path; empty when git sees no rename (of what it tracks, half of the lines or more the same).

        Raises:
            AbigenError: git cannot read what would tell.
        """
        what = f"what {printable(path)} was renamed from, or to, since {printable(self.name)}"
        words = self._differences(what, "--find-renames", "--diff-filter=R", "--name-status")
        for old, new in zip(words[1::3], words[2::3], strict=False):
            if path in (old, new):
                return new if path == old else old
        return ""

    def changed(self) -> list[str]:
        """Paths from the top of the files that git tracks, or has tracked, and that are not what they were.

        Raises:
            AbigenError: git cannot read what would tell.
        """
        return self._differences(f"what has changed since {printable(self.name)}", "--no-renames", "--name-only")

    def _differences(self, what: str, *options: str) -> list[str]:
        """What git says of the working tree beside the revision."""
        result = run_git(["-C", self.top or ".", "diff-index", *options, "-z", self.tree])
        if result.returncode:
            raise unreadable(what, result.stderr)
        return os.fsdecode(result.stdout).split("\0")[:-1]

    def submodule_error(self, path: str) -> AbigenError:
        """The error for a path from the top that is a submodule, or in one."""
        inner = printable(self._find(path)[0])
        message = f"{inner} is a submodule at {printable(self.name)}: its files are in another repository"
        hint = "name files and folders beside it, and run abigen in it with one of its own revisions"
        return AbigenError.at(None, message, hint)

    def explain_missing(self, path: str) -> NoReturn:
        """Raise the error for a path from the top that does not exist at this revision."""
        directory, _, name = path.rpartition("/")
        if self.look(path) == "submodule":
            raise self.submodule_error(path)
        label = f"{printable(path)} does not exist at {printable(self.name)}"
        if self.prefix and not path.startswith(self.prefix) and self.look(self.prefix + path):
            hint = f"paths start at the top of the repository; did you mean `{self.name}:./{printable(path)}`?"
            raise AbigenError.at(None, label, hint)
        while directory and self.look(directory) != "directory":
            directory, _, name = directory.rpartition("/")
        names = sorted(self._entries(*self._find(directory)))
        close = similar_names(name, names, f"{self.name}:{directory}/" if directory else f"{self.name}:")
        if not close and self.top and self.files.exists(posixpath.join(self.top, path)):
            close = "it exists in the working tree: was it added later?"
        raise AbigenError.at(None, label, close)

    def kind_of(self, path: str) -> str:
        """`file`, `directory`, or empty when there is nothing of these."""
        kind = self.look(path)
        return "" if kind == "submodule" else kind

    def look(self, path: str) -> str:
        """What is at a path, links followed: as `kind_of`, or `submodule` for one and what is in it.

        Raises:
            AbigenError: git cannot read what would tell.
        """
        return self._find(path)[1].kind

    def read(self, path: str) -> bytes:
        """The content of a file.

        Raises:
            AbigenError: git cannot read it.
        """
        _, entry = self._find(path)
        return self._content(entry.name, path) if entry.kind == "file" else b""

    def files_below(self, path: str) -> list[str]:
        """Paths of all files below a directory, sorted; links in it are not followed."""
        return sorted(each for each, entry in self._walk(path) if entry.kind in ("file", "link"))

    def refuse_submodules(self, path: str) -> None:
        """Refuse a directory with a submodule below it that is not hidden: its files belong to what is there.

        Raises:
            AbigenError: there is one.
        """
        start = len(path) + 1 if path else 0
        for each, entry in self._walk(path):
            if entry.kind == "submodule" and not any(part[:1] == "." for part in each[start:].split("/")):
                raise self.submodule_error(each)

    def _walk(self, path: str) -> Iterator[tuple[str, _Entry]]:
        """What is below a directory, with its path from the top."""
        real, entry = self._find(path)
        waiting = [(path, real, entry)] if entry.kind == "directory" else []
        while waiting:
            shown, folder, entry = waiting.pop()
            for name, each in self._entries(folder, entry).items():
                whole = f"{shown}/{name}" if shown else name
                yield whole, each
                if each.kind == "directory":
                    waiting.append((whole, f"{folder}/{name}" if folder else name, each))

    def _find(self, path: str) -> tuple[str, _Entry]:
        """Where a path from the top leads when all links are followed, and what is there."""
        here: list[tuple[str, _Entry]] = [("", _Entry("directory", self.tree))]
        parts = path.split("/")[::-1]
        links = 0
        while parts:
            part = parts.pop()
            folder, entry = here[-1]
            if part == ".." and len(here) == 1:
                return path, _NOTHING
            if part == "..":
                here.pop()
            elif part not in ("", "."):
                found = self._entries(folder, entry).get(part, _NOTHING) if entry.kind == "directory" else _NOTHING
                whole = f"{folder}/{part}" if folder else part
                if found.kind == "link":
                    links += 1
                    target = os.fsdecode(self._content(found.name, whole))
                    if links > _MAX_LINKS or target.startswith("/"):
                        return path, _NOTHING
                    parts += target.split("/")[::-1]
                elif found.kind in ("", "submodule"):
                    return whole, found
                else:
                    here.append((whole, found))
        return here[-1]

    def _entries(self, path: str, entry: _Entry) -> dict[str, _Entry]:
        """What a directory lists, by name."""
        if entry.name not in self._folders:
            listed = entries_of(self._content(entry.name, path or "the top directory"), len(self.tree))
            self._folders[entry.name] = {name: _Entry(_KINDS.get(mode, "file"), each) for mode, name, each in listed}
        return self._folders[entry.name]

    def _content(self, name: str, path: str) -> bytes:
        return self._objects.read(name, f"{printable(path)} at {printable(self.name)}")


def open_revision(name: str, files: Files) -> Revision:
    """Find the tree that a revision names, in the repository of the current directory.

    Args:
        name: a branch, a tag, `HEAD~1`, an object name: whatever `git rev-parse` takes; or `main...`, the commit at
            which the current branch left main, and `main...topic`, the one at which topic did.
        files: shows the working tree.

    Raises:
        AbigenError: git is not installed, this is no repository, or it has no such revision.
    """
    if name.startswith("-") or "\n" in name:
        raise AbigenError.at(None, f"`{printable(name)}` is not a git revision")
    outside = re.sub(r"\{[^}]*\}", "", name)  # a search may hold dots: `HEAD^{/a..b}`
    if outside.startswith("^") or re.search(r"\^(@|!|-\d*)$", outside):
        raise _not_single(name)
    commit = _merge_base(name) if ".." in outside else name
    result = run_git(["rev-parse", "--show-prefix", f"{commit}^{{tree}}", "--show-toplevel"])
    prefix, _, rest = os.fsdecode(result.stdout).partition("\n")
    tree, _, top = rest.partition("\n")
    if re.fullmatch("[0-9a-f]{40,64}", tree) is None:  # what git cannot resolve it prints as it was
        _explain_unknown(commit)
    return Revision(name, tree, top.removesuffix("\n"), prefix, files)


def _merge_base(name: str) -> str:
    """The commit that `A...B` or `A...` (B is HEAD) names: the last that both have in common."""
    one, dots, two = name.partition("...")
    two = two or "HEAD"
    if not dots or not one or two.startswith(("-", ".")):
        raise _not_single(name)
    result = run_git(["merge-base", one, two])
    if result.returncode == 0:
        return os.fsdecode(result.stdout).strip()
    for each in (one, two):
        if run_git(["rev-parse", "--verify", "--quiet", f"{each}^{{commit}}"]).returncode:
            _explain_unknown(each)
    if result.returncode != 1:
        raise unreadable(f"the history of `{printable(name)}`", result.stderr)
    hint = SHALLOW if is_shallow() else ""
    raise AbigenError.at(None, f"`{printable(one)}` and `{printable(two)}` have no commit in common", hint)


def _not_single(name: str) -> AbigenError:
    """The error for what names several commits, or all but some."""
    hint = "name one revision, or `main...` for the commit at which this branch left main"
    return AbigenError.at(None, f"`{printable(name)}` is not a single git revision", hint)


def _explain_unknown(name: str) -> NoReturn:
    """Say why git does not know a revision."""
    inside = run_git(["rev-parse", "--git-dir"])
    if inside.returncode:
        message = f"`{printable(name)}` cannot be read: {os.getcwd()} is not inside a git repository"
        reason = os.fsdecode(inside.stderr).strip().removeprefix("fatal: ")
        raise AbigenError.at(None, message, "" if "not a git repository" in reason else f"git says: {reason}")
    message = f"there is no git revision `{printable(name)}`"
    _explain_unreadable(name)
    if run_git(["rev-parse", "--verify", "--quiet", f"{name}^{{object}}"]).returncode == 0:
        raise AbigenError.at(None, f"`{printable(name)}` is neither a commit nor a tree")
    references = run_git(["for-each-ref", "--format=%(refname:short)"]).stdout
    known = os.fsdecode(references).split()
    remote = [each for each in known if each.endswith(f"/{name}")]
    if remote:
        hint = f"did you mean `{remote[0]}`?"
    elif is_shallow():
        hint = SHALLOW
    elif not known and "HEAD" in name:
        hint = "the repository has no commit yet"
    else:
        hint = similar_names(name, known) or _unfetched(name)
    raise AbigenError.at(None, message, hint)


def _explain_unreadable(name: str) -> None:
    """Raise the error for a revision that git knows, and whose commit or tree it cannot read."""
    known = os.fsdecode(run_git(["rev-parse", "--verify", "--quiet", name]).stdout).strip()
    if not known or known == name:
        return
    commit = os.fsdecode(run_git(["rev-parse", "--verify", "--quiet", f"{name}^{{commit}}"]).stdout).strip()
    what = f"the files of `{printable(name)}`" if commit else f"the commit `{printable(name)}`"
    with closing(ObjectReader()) as objects:
        content = objects.read(commit or known, what)
        if commit and content.startswith(b"tree "):
            objects.read(content.split(maxsplit=2)[1].decode(), what)


def _unfetched(name: str) -> str:
    """A hint for a branch of a remote that was never fetched; empty when a name is nothing of that kind."""
    remote, _, branch = name.partition("/")
    remotes = os.fsdecode(run_git(["remote"]).stdout).split()
    return f"run `git fetch {remote} {printable(branch)}`" if branch and remote in remotes else ""
