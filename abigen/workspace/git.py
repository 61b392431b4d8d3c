"""Reads files and commits of a git repository.

git is called without a shell, and never receives an argument that the user could turn into an option.
`abigen/workspace/git_process.py` starts it.
"""

from __future__ import annotations

import os
import posixpath
import re
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from hashlib import sha1, sha256
from typing import NoReturn

import msgspec

from abigen.model.span import AbigenError, printable, similar_names
from abigen.workspace.files import MAX_BYTES, Files
from abigen.workspace.git_process import SHA256_DIGITS, fetch_object, limited, run_git, start_git
from abigen.workspace.git_repository import SHALLOW, find_repository, is_shallow, unreadable


class ObjectReader:
    """A git that waits for the name of the next object; it is started when the first is asked for."""

    def __init__(self) -> None:
        """Begin without a process."""
        self._process: subprocess.Popen[bytes] | None = None
        self._known: dict[str, bytes] = {}

    def read(self, name: str, what: str) -> bytes:
        """Return the content of an object, fetched if the clone is partial and the user allows it.

        Args:
            name: the object's name, in hexadecimal digits.
            what: what messages call it.

        Raises:
            AbigenError: git does not have it, or it is corrupt.
        """
        if name in self._known:
            return self._known[name]
        if self._process is None:
            self._process = start_git(["cat-file", "--batch"])
        questions, answers = self._process.stdin, self._process.stdout
        assert questions is not None
        assert answers is not None
        try:
            with limited(self._process):
                questions.write(f"{name}\n".encode())
                questions.flush()
                words = answers.readline().split()
                size = int(words[2]) if len(words) == 3 and words[2].isdigit() else -1
                content = answers.read(size + 1) if 0 <= size <= MAX_BYTES else b""
        except OSError:  # git has ended, and its remarks say why
            raise unreadable(what, self.close()) from None
        if size > MAX_BYTES:
            self._discard()
            raise AbigenError.at(None, f"{what} is too long", f"the limit is {MAX_BYTES // 1024 // 1024} MiB")
        if size >= 0 and len(content) == size + 1:
            return self._known.setdefault(name, content[:-1])
        remarks = self.close()
        if fetch_object(name):
            return self.read(name, what)
        raise unreadable(what, remarks)

    def _discard(self) -> None:
        """End the process without reading the rest of its answer."""
        if self._process is not None:
            self._process.kill()
            self.close()

    def close(self) -> bytes:
        """End the process, if there is one, and return its remarks."""
        if self._process is None:
            return b""
        with self._process as process:
            self._process = None
            return process.communicate()[1]


def entries_of(content: bytes, digits: int) -> Iterator[tuple[str, str, str]]:
    """Yield the entries of the object of a tree: mode, name, and name of the object.

    Args:
        content: the object.
        digits: how many hexadecimal digits the name of an object has.
    """
    position = 0
    while position < len(content):
        zero = content.index(b"\0", position)
        mode, _, name = content[position:zero].partition(b" ")
        position = zero + 1 + digits // 2
        yield mode.decode().lstrip("0"), os.fsdecode(name), content[zero + 1 : position].hex()


class _Entry(msgspec.Struct, frozen=True):
    """An entry of a directory."""

    kind: str
    """`file`, `directory`, `link`, `submodule`; empty for nothing."""
    name: str
    """The object's name."""


class _TrackedFile(msgspec.Struct, frozen=True):
    """A file in git's index."""

    path: str
    """From the top."""
    name: str
    """The name of its object."""
    is_link: bool


_NOTHING = _Entry("", "")
_LINK, _SUBMODULE = "120000", "160000"
_KINDS = {"40000": "directory", _LINK: "link", _SUBMODULE: "submodule"}
_MOST_FILES = 500_000
"""The number of files of a tree that are listed: a few folders that contain each other can stand for billions."""
_LEFT_OUT = "S"
"""The letter of `git ls-files -t` for files that a sparse checkout leaves out."""
_UNKNOWN = "?"
"""The name of an object that git does not have."""
_MAX_LINKS = 40
"""The number of links that Linux follows."""


class Revision(msgspec.Struct, frozen=True):
    """The tree that a revision names, and its files as `Files` shows them; to be closed by whoever has opened it.

    What exists is asked of trees, and content only when it is read. Paths are from the top.
    """

    name: str
    """The revision as the user wrote it: `HEAD~1`."""
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
    """The entries of directories, by the names of their objects."""
    _renames: list[dict[str, str]] = msgspec.field(default_factory=list)
    """The other path of each file that was renamed; empty until it is asked for."""

    def close(self) -> None:
        """End what reads objects."""
        self._objects.close()

    def locate(self, path: str) -> str:
        """Return the path from the top for a path after the colon, as git reads it: `./` and `../` start from here.

        Raises:
            AbigenError: it leads out of the repository.
        """
        if path in (".", "..") or path.startswith(("./", "../")):
            path = self.prefix + path
        normal = posixpath.normpath(path) if path else ""
        if normal == ".." or normal.startswith(("../", "/")):
            raise AbigenError.at(
                None, f"`{printable(self.name)}:{printable(path)}` is not a path inside the repository"
            )
        return "" if normal == "." else normal

    def inside(self, directory: str) -> str | None:
        """Return the path from the top of a directory on disk; None when it is not in the working tree."""
        if not self.top:
            return None
        relative = os.path.relpath(self.files.real(directory), self.top).replace(os.path.sep, "/")
        if relative == ".":
            return ""
        return None if relative.startswith("../") or relative == ".." or os.path.isabs(relative) else relative

    def relative(self, path: str) -> str:
        """Return a path from the top as one writes it in the current directory."""
        return posixpath.relpath(path or ".", self.prefix or ".")

    def renamed(self, path: str) -> str:
        """Return the other path of a file that was renamed since, from the top.

        git compares its index with the tree, and no working file: it would run the filters that the repository names.

        Args:
            path: from the top, in the working tree or at the revision.

        Returns:
            The other path; empty when git sees no rename (of what it tracks, half of the lines or more the same).

        Raises:
            AbigenError: git cannot read what would tell.
        """
        if not self._renames:
            what = f"the renaming of {printable(path)} since {printable(self.name)}"
            self._renames.append(dict(self._find_renames(what)))
        return self._renames[0].get(path, "")

    def _find_renames(self, what: str) -> Iterator[tuple[str, str]]:
        """Yield the old and the new path of each file that was renamed, in both directions."""
        words = self._differences(what, "--find-renames", "--diff-filter=R", "--name-status")
        for old, new in zip(words[1::3], words[2::3], strict=False):
            yield from ((old, new), (new, old))
        # A file that was deleted without telling git is a copy for git, as its index still has the old one.
        deleted = [entry.path for entry in self._tracked() if self._on_disk(entry) == ""]
        added = self._differences(what, "--no-renames", "--diff-filter=A", "--name-only") if deleted else []
        if not added:
            return
        copies = ("--find-copies-harder", "--diff-filter=C", "--name-status")
        words = self._differences(what, *copies, paths=(*deleted, *added))
        for old, new in zip(words[1::3], words[2::3], strict=False):
            if old in deleted:
                yield from ((old, new), (new, old))

    def changed(self, is_wanted: Callable[[str], bool]) -> list[str]:
        """Return paths from the top of the files that git tracks, or has tracked, and that are not what they were.

        Args:
            is_wanted: selects files by their paths.

        Raises:
            AbigenError: git cannot read what would tell.
        """
        what = f"the changes since {printable(self.name)}"
        found = {path for path in self._differences(what, "--no-renames", "--name-only") if is_wanted(path)}
        for entry in self._tracked():
            if is_wanted(entry.path) and entry.path not in found and self._on_disk(entry) != entry.name:
                found.add(entry.path)
        return sorted(found)

    def _differences(self, what: str, *options: str, paths: Sequence[str] = ()) -> list[str]:
        """Return the differences between git's index and the revision, by git."""
        command = ["--literal-pathspecs", "diff-index", "--cached", *options, "-z", self.tree, "--", *paths]
        result = run_git(["-C", self.top or ".", *command])
        if result.returncode:
            raise unreadable(what, result.stderr)
        return os.fsdecode(result.stdout).split("\0")[:-1]

    def _tracked(self) -> Iterator[_TrackedFile]:
        """Yield the files in git's index that should be in the working tree."""
        result = run_git(["-C", self.top or ".", "ls-files", "--stage", "-t", "-z"])
        if result.returncode:
            raise unreadable("the index of this repository", result.stderr)
        for line in os.fsdecode(result.stdout).split("\0")[:-1]:
            head, _, path = line.partition("\t")
            state, mode, name, _ = head.split(" ")
            is_left_out = state == _LEFT_OUT and not self.files.is_entry(os.path.join(self.top, path))
            if mode != _SUBMODULE and not is_left_out:
                yield _TrackedFile(path, name, is_link=mode == _LINK)

    def _on_disk(self, file: _TrackedFile) -> str:
        """Return the name of the object of a file of the working tree, by its content; empty if there is none.

        Where Windows' line ends are all that differs, that is the name which git has for it.
        """
        path = os.path.join(self.top, file.path)
        if not self.files.is_entry(path):
            return ""
        if self.files.is_link(path):
            return self._object_name(os.fsencode(os.readlink(path))) if file.is_link else _UNKNOWN
        if not self.files.is_file(path):
            return _UNKNOWN
        content = self.files.read(path)
        name = self._object_name(content)
        return name if name == file.name else self._object_name(content.replace(b"\r\n", b"\n"))

    def _object_name(self, content: bytes) -> str:
        """Return the name that git has for a file with this content."""
        kind = sha256 if len(self.tree) == SHA256_DIGITS else sha1
        return kind(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()

    def submodule_error(self, path: str) -> AbigenError:
        """Return the error for a path from the top that is a submodule, or in one."""
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
        """Return the kind of entry at a path, links followed: as `kind_of`, or `submodule` for one and its content.

        Raises:
            AbigenError: git cannot read what would tell.
        """
        return self._find(path)[1].kind

    def read(self, path: str) -> bytes:
        """Return the content of a file.

        Raises:
            AbigenError: git cannot read it.
        """
        _, entry = self._find(path)
        return self._content(entry.name, path) if entry.kind == "file" else b""

    def files_below(self, path: str) -> list[str]:
        """Return paths of all files below a directory, sorted; links in it are not followed."""
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
        """Yield the files below a directory, with their paths from the top."""
        real, entry = self._find(path)
        waiting = [(path, real, entry)] if entry.kind == "directory" else []
        count = 0
        while waiting:
            shown, folder, entry = waiting.pop()
            entries = self._entries(folder, entry)
            count += len(entries)
            if count > _MOST_FILES:
                what = f"{printable(path or 'the tree')} at {printable(self.name)}"
                raise AbigenError.at(None, f"{what} has more than {_MOST_FILES} files", "name a folder below it")
            for name, each in entries.items():
                whole = f"{shown}/{name}" if shown else name
                yield whole, each
                if each.kind == "directory":
                    waiting.append((whole, f"{folder}/{name}" if folder else name, each))

    def _find(self, path: str) -> tuple[str, _Entry]:
        """Return the path from the top after all links are followed, and its entry."""
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
        """Return the entries of a directory, by name."""
        if entry.name not in self._folders:
            what = path or "the top directory"
            content = self._content(entry.name, what)
            try:
                listed = list(entries_of(content, len(self.tree)))
            except ValueError:
                raise unreadable(f"{printable(what)} at {printable(self.name)}") from None
            if len({name for _, name, _ in listed}) != len(listed):  # git shows one or the other
                raise unreadable(f"{printable(what)} at {printable(self.name)}")
            self._folders[entry.name] = {name: _Entry(_KINDS.get(mode, "file"), each) for mode, name, each in listed}
        return self._folders[entry.name]

    def _content(self, name: str, path: str) -> bytes:
        return self._objects.read(name, f"{printable(path)} at {printable(self.name)}")


def open_revision(name: str, files: Files, prefix: str = "") -> Revision:
    """Find the tree that a revision names, in the repository of the current directory.

    Args:
        name: a branch, a tag, `HEAD~1`, an object name: whatever `git rev-parse` takes; or `main...`, the commit at
            which the current branch left main, and `main...topic`, the one at which topic did.
        files: shows the working tree.
        prefix: the beginning of the message that there is no repository.

    Raises:
        AbigenError: git is not installed, this is no repository, or it has no such revision, or several of this name.
    """
    if name.startswith("-") or "\n" in name:
        raise AbigenError.at(None, f"`{printable(name)}` is not a git revision")
    outside = re.sub(r"\{[^}]*\}", "", name)  # a search may hold dots: `HEAD^{/a..b}`
    if outside.startswith("^") or re.search(r"\^(@|!|-\d*)$", outside):
        raise _not_single(name)
    commit = _merge_base(name) if ".." in outside else name
    repository = find_repository(files, prefix or f"`{printable(name)}` cannot be read: ")
    result = run_git(["rev-parse", "--show-prefix", f"{commit}^{{tree}}"])
    prefix, _, tree = os.fsdecode(result.stdout).rstrip("\n").rpartition("\n")
    if re.fullmatch("[0-9a-f]{40,64}", tree) is None:  # what git cannot resolve it prints as it was
        _explain_unknown(commit)
    if b"is ambiguous" in result.stderr:
        hint = f"write refs/tags/{printable(name)} or refs/heads/{printable(name)}"
        raise AbigenError.at(None, f"`{printable(name)}` names several references of git", hint)
    return Revision(name, tree, repository.top, prefix, files)


def _merge_base(name: str) -> str:
    """Return the commit that `A...B` or `A...` (B is HEAD) names: the last that both have in common."""
    one, dots, two = name.partition("...")
    two = two or "HEAD"
    if not dots or not one or two.startswith(("-", ".")):
        raise _not_single(name)
    result = run_git(["merge-base", one, two], is_long=True)
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
    """Return the error for what names several commits, or all but some."""
    hint = "name one revision, or `main...` for the commit at which this branch left main"
    return AbigenError.at(None, f"`{printable(name)}` is not a single git revision", hint)


def _explain_unknown(name: str) -> NoReturn:
    """Say why git does not know a revision."""
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
    """Return a hint for a branch of a remote that was never fetched; empty when a name is nothing of that kind."""
    remote, _, branch = name.partition("/")
    remotes = os.fsdecode(run_git(["remote"]).stdout).split()
    return f"run `git fetch {remote} {printable(branch)}`" if branch and remote in remotes else ""
