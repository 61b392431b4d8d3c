"""Looks at files, folders and the environment, notes each question and its answer, and refuses links that lead out.

A stored result (`abigen.workspace.result_cache`) counts only while all questions that were asked for it have the same
answers.
Each question is asked once a run, so a run sees one state of every file.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from hashlib import blake2b
from itertools import count
from pathlib import Path
from typing import Protocol, Self, TypeVar

from abigen.model.span import AbigenError, printable

# Paths are looked up as they are written: pathlib drops a `/` at the end and takes "" for ".".
# ruff: noqa: PTH100, PTH116, PTH208


T = TypeVar("T")
Place = str | Path
Answers = dict[tuple[str, str], str]
"""Questions (kind and subject) with the marks of their answers."""

MAX_BYTES = 64 * 1024 * 1024
"""The largest content that is read of a file, in bytes; one more byte shows that there is more."""


class Tree(Protocol):
    """Files that stand in a folder which is not on disk, such as those of a git revision; they never change.

    Paths are relative to the folder, with `/` between their parts, and normalised.
    """

    def kind_of(self, path: str) -> str:
        """`file`, `directory`, or empty when there is nothing of these."""

    def read(self, path: str) -> bytes:
        """Return the content of a file."""

    def files_below(self, path: str) -> list[str]:
        """Return paths from the top of all files below a directory."""


class Files:
    """The file system, the environment and the date, as one run sees them."""

    def __init__(self, open_files: Mapping[str, bytes] | None = None) -> None:
        """Begin without an answer.

        Args:
            open_files: contents that take the place of those on disk, by absolute path, as an editor has them.
        """
        self._open = open_files or {}
        self._known: dict[tuple[str, str], tuple[object, str]] = {}
        self._notes: list[Answers] = []
        self._trees: dict[str, Tree] = {}
        self._made: dict[Hashable, tuple[object, Answers]] = {}

    def __repr__(self) -> str:
        """Return one text for all: keys of stored results contain the options, and not the way to files."""
        return "Files()"

    @contextmanager
    def mounted(self, folder: str, tree: Tree) -> Iterator[None]:
        """Let a folder that does not exist hold a tree. Questions about it are not noted: the tree never changes."""
        self._trees[folder] = tree
        try:
            yield
        finally:
            del self._trees[folder]

    def read(self, path: Place) -> bytes:
        """Return the content of a regular file, up to `MAX_BYTES` and one more.

        Raises:
            OSError: there is no such file, it is not a regular one, or it cannot be read.
        """
        tree, inside = self._tree(path)
        if tree is None:
            return self._get("content", path, bytes)
        if tree.kind_of(inside) != "file":
            raise FileNotFoundError(2, "No such file or directory", str(path))
        return tree.read(inside)

    def names(self, directory: Place) -> list[str]:
        """Return the names of all that is in a directory, sorted.

        Raises:
            OSError: it cannot be listed.
        """
        tree, inside = self._tree(directory)
        if tree is None:
            return list(self._get("names", directory, list))
        start = len(inside) + 1 if inside else 0
        return sorted({path[start:].partition("/")[0] for path in tree.files_below(inside)})

    def below(self, directory: Place, *, hidden: bool = False) -> list[str]:
        """Return paths from a directory, with `/` between their parts, of all files below it, sorted.

        What is hidden is passed over unless it is asked for. Links to directories are not followed.

        Raises:
            OSError: it or a directory below it cannot be listed.
        """
        tree, inside = self._tree(directory)
        if tree is not None:
            start = len(inside) + 1 if inside else 0
            paths = [path[start:] for path in tree.files_below(inside)]
            return sorted(each for each in paths if hidden or not any(part[:1] == "." for part in each.split("/")))
        found: list[str] = []
        waiting = [""]
        while waiting:
            folder = waiting.pop()
            for name in self.names(f"{directory}/{folder}" if folder else directory):
                path = f"{folder}/{name}" if folder else name
                whole = f"{directory}/{path}"
                if hidden or not name.startswith("."):
                    if not self.is_dir(whole):
                        found.append(path)
                    elif not self.is_link(whole):
                        waiting.append(path)
        return sorted(found)

    def is_file(self, path: Place) -> bool:
        """True if the path is a regular file; links are followed."""
        return self._kind(path) == "file"

    def is_dir(self, path: Place) -> bool:
        """True if the path is a directory; links are followed."""
        return self._kind(path) == "directory"

    def exists(self, path: Place) -> bool:
        """True if the path exists; links are followed."""
        return self._kind(path) != ""

    def is_entry(self, path: Place) -> bool:
        """True if the path exists, even as a link without a target."""
        tree, _ = self._tree(path)
        return self.exists(path) if tree is not None else self._get("entry", path, str) != ""

    def is_link(self, path: Place) -> bool:
        """True if the path is a symbolic link."""
        tree, _ = self._tree(path)
        return tree is None and self._get("entry", path, str) == "link"

    def real(self, path: Place) -> str:
        """Return the absolute path with all links followed."""
        tree, _ = self._tree(path)
        return self._get("real", path, str) if tree is None else os.path.normpath(path)

    def program(self, path: Place) -> str:
        """Return a text that identifies the version of a program, without reading all of it; empty for no file."""
        return self._get("program", path, str)

    def variable(self, name: str) -> str | None:
        """Return a variable of the environment."""
        value = self._get("variable", name, str)
        return value[1:] if value else None

    def today(self) -> str:
        """Return the date by the local clock, as `2024-12-31`."""
        return self._get("date", "", str)

    def do_not_store(self) -> None:
        """Note that something was looked at which cannot be looked at again, such as standard input."""
        self._get("once", "", str)

    @contextmanager
    def noted(self) -> Iterator[Answers]:
        """Note what is asked, whether or not it has been asked before.

        Returns:
            The questions and the marks of their answers, which grow as long as the context is open.
        """
        notes: Answers = {}
        self._notes.append(notes)
        try:
            yield notes
        finally:
            self._notes.pop()  # contexts end in turn; two of them may have noted the same

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return a result that is computed once a run; the questions that it asked are noted at each call."""
        if key not in self._made:
            with self.noted() as answers:
                self._made[key] = make(), answers
        value, answers = self._made[key]
        self.note(answers)
        return value  # type: ignore[return-value]

    def renewed(self, open_files: Mapping[str, bytes]) -> Files:
        """Return the state of files as it is now, with the results of `once` that still hold.

        Args:
            open_files: see `__init__`.
        """
        files = Files(open_files)
        files._made = {key: made for key, made in self._made.items() if files.hold(made[1])}
        return files

    def note(self, answers: Answers) -> None:
        """Count as asked what another process has asked; what it saw otherwise than this one is nothing to store."""
        for notes in self._notes:
            notes.update(answers)
        if any(self._known[question][1] != mark for question, mark in answers.items() if question in self._known):
            self.do_not_store()

    def can_store(self, answers: Answers) -> bool:
        """True if the sources of all answers can be read again."""
        return ("once", "") not in answers

    def hold(self, answers: Answers) -> bool:
        """True if all questions still have these answers; if so, they count as asked."""
        if not all(self._answer(question)[1] == mark for question, mark in answers.items()):
            return False
        self.note(answers)
        return True

    def _kind(self, path: Place) -> str:
        tree, inside = self._tree(path)
        return self._get("kind", path, str) if tree is None else tree.kind_of(inside)

    def _tree(self, path: Place) -> tuple[Tree | None, str]:
        """Return the tree that a path is in, and the path from its top."""
        for folder, tree in self._trees.items():
            if str(path).startswith(folder):
                normal = os.path.normpath(path).replace(os.sep, "/")
                if normal == folder or normal.startswith(f"{folder}/"):
                    return tree, normal[len(folder) + 1 :]
        return None, ""

    def _get(self, kind: str, subject: Place, type: Callable[..., T]) -> T:
        """Ask, note the answer, and raise it if it is an error; `type` says what else it is."""
        question = (kind, str(subject))
        value, mark = self._answer(question)
        for notes in self._notes:
            notes[question] = mark
        if isinstance(value, OSError):
            raise value
        return value  # type: ignore[return-value]

    def _answer(self, question: tuple[str, str]) -> tuple[object, str]:
        """Return the answer, an `OSError` when looking failed; and its mark."""
        if question not in self._known:
            kind, subject = question
            opened = self._open.get(absolute(subject)) if self._open and kind in _OF_OPEN_FILE else None
            try:
                value = (
                    _LOOK[kind](subject)
                    if opened is None
                    else opened
                    if kind == "content"
                    else {"kind": "file"}.get(kind, kind)
                )
            except ValueError as error:  # no file can have such a name
                value = OSError(22, str(error))
            except OSError as error:
                value = error
            self._known[question] = value, _mark_of(value)
        return self._known[question]


def absolute(path: Place) -> str:
    """Return a path from the top, without `..`; what is there is not looked at, and links are not followed."""
    return os.path.abspath(path)


def digest(parts: Iterable[bytes]) -> str:
    """Hash a sequence of byte strings; where one ends and the next begins counts.

    Args:
        parts: what to hash, in order.

    Returns:
        40 hexadecimal digits (BLAKE2b, RFC 7693, of 20 bytes).
    """
    state = blake2b(digest_size=20)
    for part in parts:
        state.update(b"%d:" % len(part))
        state.update(part)
    return state.hexdigest()


def put_in_place(path: Path, content: bytes, mode: int = 0o666) -> None:
    """Write a file so that nobody ever meets half of it.

    Args:
        path: of the file.
        content: what goes into it.
        mode: who may read and write it, less what the umask takes away.

    Raises:
        OSError: it cannot be written; what was there before is still there.
    """
    temporary = path.with_name(_temporary(path.name))
    try:
        _create(str(temporary), content, mode)
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise type(error)(error.errno, error.strerror, str(path)) from error  # no user knows the temporary file


def _temporary(name: str) -> str:
    return f".{name}.{os.getpid()}.tmp"


def _create(
    path: str, content: bytes, mode: int, like: os.stat_result | None = None, folder: int | None = None
) -> None:
    """Create a file, in place of one with this name; never through a link.

    Args:
        path: its path from the folder.
        content: its content.
        mode: who may read and write it, less what the umask takes away.
        like: the file whose mode and owner it gets; None for the usual ones.
        folder: an open folder; None for the current one.
    """
    with suppress(FileNotFoundError):
        os.unlink(path, dir_fd=folder)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_FOLLOW | _BINARY
    with os.fdopen(os.open(path, flags, mode, dir_fd=folder), "wb") as file:
        file.write(content)
        if like is not None and os.name == "posix":
            made = os.fstat(file.fileno())
            if (made.st_uid, made.st_gid) != (like.st_uid, like.st_gid):
                with suppress(PermissionError):  # only root gives files away
                    os.fchown(file.fileno(), like.st_uid, like.st_gid)
            os.fchmod(file.fileno(), stat.S_IMODE(like.st_mode))


_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
_BINARY = getattr(os, "O_BINARY", 0)
_HAS_FOLDERS = {os.open, os.stat, os.unlink, os.rename} <= os.supports_dir_fd and bool(_NO_FOLLOW)
"""True if the system opens files relative to an open folder."""


class HeldFile:
    """A file below a folder, held open so that a new content replaces it only while it is as it was read.

    The folders on the way are opened one by one, and none of them may be a link. The new content goes into the folder
    that was opened, even if another one has its name by then.
    """

    def __init__(self, root: Path, path: Path) -> None:
        """Prepare to open a file.

        Args:
            root: the folder below which the file has to be; an absolute path without links.
            path: of the file.
        """
        self._root, self._path = root, path
        self._opened = ExitStack()
        self._folder: int | None = None
        self._name = str(path)
        self.content = b""
        """The content of the file when it was opened."""

    def __enter__(self) -> Self:
        """Open the file and read it.

        Raises:
            OSError: it cannot be read, is no regular file, or a link is on the way.
        """
        with ExitStack() as opened:
            if _HAS_FOLDERS:
                self._folder, self._name = self._open_folder(opened), self._path.name
            self._file = os.open(self._name, os.O_RDONLY | _NO_FOLLOW | _BINARY | _NO_WAIT, dir_fd=self._folder)
            opened.callback(os.close, self._file)
            self._status = os.fstat(self._file)
            if not stat.S_ISREG(self._status.st_mode):
                raise OSError(22, "not a regular file", str(self._path))
            self.content = self._read()
            self._opened = opened.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file and its folder."""
        self._opened.close()

    def replace(self, content: bytes) -> bool:
        """Replace the file; it keeps its mode, and its owner where the system allows it.

        Returns:
            False if the file has changed since it was opened, or another one has its name.

        Raises:
            OSError: it cannot be written.
        """
        temporary = str(Path(self._name).with_name(_temporary(self._path.name)))
        is_done = False
        try:
            _create(temporary, content, 0o600, self._status, self._folder)
            if self._is_unchanged():
                if not _HAS_FOLDERS:  # Windows replaces no open file
                    self._opened.close()
                os.replace(temporary, self._name, src_dir_fd=self._folder, dst_dir_fd=self._folder)
                is_done = True
        finally:
            if not is_done:
                with suppress(OSError):
                    os.unlink(temporary, dir_fd=self._folder)
        return is_done

    def _open_folder(self, opened: ExitStack) -> int:
        """Open the folder of the file, from the root on."""
        flags = os.O_RDONLY | os.O_DIRECTORY | _NO_FOLLOW
        folder = os.open(self._root, flags)
        opened.callback(os.close, folder)
        for part in Path(absolute(self._path)).parent.relative_to(self._root).parts:
            folder = os.open(part, flags, dir_fd=folder)
            opened.callback(os.close, folder)
        return folder

    def _read(self) -> bytes:
        os.lseek(self._file, 0, os.SEEK_SET)
        parts = []
        while part := os.read(self._file, 1 << 20):
            parts.append(part)
        return b"".join(parts)

    def _is_unchanged(self) -> bool:
        """True if the name still belongs to the open file, and its content is still the same."""
        try:
            status = os.stat(self._name, dir_fd=self._folder, follow_symlinks=False)
        except OSError:
            return False
        is_same = (status.st_dev, status.st_ino) == (self._status.st_dev, self._status.st_ino)
        return is_same and self._read() == self.content


_NO_WAIT = getattr(os, "O_NONBLOCK", 0)
"""Opening a pipe does not wait for its other end."""


def _content(path: str) -> bytes:
    # Opened once, so that nobody can put another file there between a look at it and reading it.
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(22, "not a regular file", path)
        return file.read(MAX_BYTES + 1)


def _mode(path: str, *, follow_links: bool = True) -> int:
    """Return the mode of a path, as `stat` states it; 0 where nothing exists."""
    try:
        return os.stat(path, follow_symlinks=follow_links).st_mode
    except OSError:
        return 0


def _kind(path: str) -> str:
    mode = _mode(path)
    return "file" if stat.S_ISREG(mode) else "directory" if stat.S_ISDIR(mode) else "other" if mode else ""


def _entry(path: str) -> str:
    mode = _mode(path, follow_links=False)
    return "link" if stat.S_ISLNK(mode) else "entry" if mode else ""


def _program(path: str) -> str:
    """Return size and times of a program's file: nobody can set the time at which its entry last changed."""
    try:
        real = os.path.realpath(path)
        status = os.stat(real)
    except OSError:
        return ""
    facts = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
    return f"{real} {facts}" if stat.S_ISREG(status.st_mode) and os.access(real, os.X_OK) else ""


def _variable(name: str) -> str:
    value = os.environ.get(name)
    return "" if value is None else f"={value}"


_numbers = count(time.time_ns())
_OF_OPEN_FILE = {"content": None, "kind": "file", "entry": "entry"}
"""The answers about a file that is open in an editor; the content is its text."""
_LOOK: Mapping[str, Callable[[str], object]] = {
    "content": _content,
    "names": lambda path: sorted(os.listdir(path)),
    "kind": _kind,
    "entry": _entry,
    "real": os.path.realpath,
    "program": _program,
    "variable": _variable,
    "date": lambda _: time.strftime("%Y-%m-%d"),
    "once": lambda _: str(next(_numbers)),  # an answer that nobody ever gets again
}


def _mark_of(value: object) -> str:
    """Return the text by which an answer is compared: itself, or a digest where it is long."""
    match value:
        case bytes():
            return digest((value,))
        case list():
            return digest(map(os.fsencode, value))
        case OSError():
            return f"error {value.errno}"
    return str(value)


_PROJECT_MARKS = (".git", ".hg", ".svn", ".jj")


def is_below(path: str, directory: str) -> bool:
    """True if a path is a directory or inside it; both are absolute, and links are resolved where they matter."""
    return path == directory or path.startswith(directory if directory.endswith(os.sep) else directory + os.sep)


def typed(path: str) -> str:
    """Return a path as one types it from here: relative where it lies in the current directory, else as it is given."""
    here = absolute(os.curdir)
    return os.path.relpath(path, here) if is_below(path, here) else path


def project_of(directory: str, files: Files) -> str:
    """Return the project that a directory belongs to: a working copy, or else the current directory; empty for none.

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
    """Return the directory below which what a source names may lie: its project, or else its own directory.

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
        message = f"{printable(str(path))} is a link to a file outside of the directories that may be read"
        raise AbigenError.at(None, message, "name the file itself, if that is meant")
