"""Files as they were at a git revision, read from the repository that the current directory is in.

git is called without a shell, and never sees an argument that the user could turn into an option.
"""

from __future__ import annotations

import os
import posixpath
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NoReturn

from abigen.files import Files
from abigen.model.span import AbigenError
from abigen.read.operand import printable, similar_names


@dataclass(frozen=True)
class Revision:
    """The tree that a revision names."""

    name: str
    """As the user wrote it: `HEAD~1`."""
    tree: str
    """The tree's object name: the same for the same content."""
    top: str
    """Top directory of the working tree; empty in a bare repository."""
    prefix: str
    """The current directory from the top, `/` at its end; empty at the top."""
    files: Files = field(repr=False, compare=False)
    """Shows the working tree."""

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

    def kind_of(self, path: str) -> str:
        """`blob`, `tree`, ... for a path from the top; empty when it is not there. Symbolic links are followed."""
        output = _git(["cat-file", "--batch-check", "--follow-symlinks"], f"{self.tree}:{path}\n".encode()).stdout
        words = output.split(b"\n", 1)[0].split()
        return words[1].decode() if len(words) == 3 and words[2].isdigit() else ""

    def renamed(self, path: str) -> str:
        """Where a file was that has been renamed since, or is that was: its other path from the top.

        Args:
            path: from the top, in the working tree or at the revision.

        Returns:
            The other path; empty when git sees no rename (of what it tracks, half of the lines or more the same).
        """
        arguments = ["diff-index", "--find-renames", "--diff-filter=R", "--name-status", "-z", self.tree]
        words = os.fsdecode(_git(["-C", self.top or ".", *arguments]).stdout).split("\0")
        for old, new in zip(words[1::3], words[2::3], strict=False):
            if path in (old, new):
                return new if path == old else old
        return ""

    @contextmanager
    def opened(self) -> Iterator[RevisionTree]:
        """The files of the revision, as long as the context is open."""
        with _started(["cat-file", "--batch", "--follow-symlinks"]) as process:
            yield RevisionTree(self, process)

    def files_below(self, directory: str) -> list[str]:
        """Paths from the top of all files below a directory (a path from the top, empty for the top), sorted."""
        result = _git(["ls-tree", "-r", "-z", "--name-only", "--full-tree", f"{self.tree}:{directory}"])
        names = [os.fsdecode(name) for name in result.stdout.split(b"\0") if name]
        return sorted(f"{directory}/{name}" if directory else name for name in names)

    def explain_missing(self, path: str) -> NoReturn:
        """Raise the error for a path from the top that does not exist at this revision."""
        directory, _, name = path.rpartition("/")
        label = f"{printable(path)} does not exist at {printable(self.name)}"
        if self.prefix and not path.startswith(self.prefix) and self.kind_of(self.prefix + path):
            hint = f"paths start at the top of the repository; did you mean `{self.name}:./{printable(path)}`?"
            raise AbigenError.at(None, label, hint)
        while directory and self.kind_of(directory) != "tree":
            directory, _, name = directory.rpartition("/")
        siblings = _git(["ls-tree", "-z", "--name-only", "--full-tree", f"{self.tree}:{directory}"]).stdout
        names = [os.fsdecode(each) for each in siblings.split(b"\0") if each]
        close = similar_names(name, names, f"{self.name}:{directory}/" if directory else f"{self.name}:")
        if not close and self.top and self.files.exists(posixpath.join(self.top, path)):
            close = "it exists in the working tree: was it added later?"
        raise AbigenError.at(None, label, close)


class RevisionTree:
    """Files of a revision as `Files` shows them, read one by one from a git that waits for the next path."""

    def __init__(self, revision: Revision, process: subprocess.Popen[bytes]) -> None:
        """Ask a process that runs `git cat-file --batch --follow-symlinks`."""
        self._revision = revision
        self._process = process
        self._known: dict[str, tuple[str, bytes]] = {}

    def kind_of(self, path: str) -> str:
        """`file`, `directory`, or empty when there is nothing of these."""
        return {"blob": "file", "tree": "directory"}.get(self._look(path)[0], "")

    def read(self, path: str) -> bytes:
        """The content of a file."""
        return self._look(path)[1]

    def files_below(self, path: str) -> list[str]:
        """Paths from the top of all files below a directory."""
        return self._revision.files_below(path)

    def _look(self, path: str) -> tuple[str, bytes]:
        """Kind and content of what is at a path from the top, symbolic links followed."""
        known = self._known.get(path)
        if known is None:
            known = self._known[path] = ("", b"") if "\n" in path else self._ask(path)
        return known

    def _ask(self, path: str) -> tuple[str, bytes]:
        questions, answers = self._process.stdin, self._process.stdout
        assert questions is not None
        assert answers is not None
        questions.write(os.fsencode(f"{self._revision.tree}:{path}\n"))
        questions.flush()
        words = answers.readline().rsplit(b" ", 2)
        if words[-1].strip() in (b"missing", b"ambiguous"):
            return "", b""
        # `symlink`, `dangling`, `loop` and `notdir` are followed by a size and as many bytes, as an object is.
        content = answers.read(int(words[-1]) + 1)[:-1]
        return (words[1].decode(), content) if len(words) == 3 else ("", b"")


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
    commit = _merge_base(name) if ".." in name and "{" not in name else name
    result = _git(["rev-parse", "--show-prefix", f"{commit}^{{tree}}", "--show-toplevel"])
    prefix, _, rest = os.fsdecode(result.stdout).partition("\n")
    tree, _, top = rest.partition("\n")
    if not tree or tree.startswith(commit + "^"):  # what git cannot resolve it prints as it was
        _explain_unknown(commit)
    return Revision(name, tree, top.removesuffix("\n"), prefix, files)


def _merge_base(name: str) -> str:
    """The commit that `A...B` or `A...` (B is HEAD) names: the last that both have in common."""
    one, dots, two = name.partition("...")
    two = two or "HEAD"
    if not dots or not one or two.startswith(("-", ".")):
        hint = "name one revision, or `main...` for the commit at which this branch left main"
        raise AbigenError.at(None, f"`{printable(name)}` is not a single git revision", hint)
    result = _git(["merge-base", one, two])
    if result.returncode == 0:
        return os.fsdecode(result.stdout).strip()
    for each in (one, two):
        if _git(["rev-parse", "--verify", "--quiet", f"{each}^{{commit}}"]).returncode:
            _explain_unknown(each)
    hint = _SHALLOW if _is_shallow() else ""
    raise AbigenError.at(None, f"`{printable(one)}` and `{printable(two)}` have no commit in common", hint)


_SHALLOW = "this clone is shallow: run `git fetch --unshallow`; on GitHub give actions/checkout `fetch-depth: 0`"


def _is_shallow() -> bool:
    """Whether the repository lacks a part of its history."""
    return _git(["rev-parse", "--is-shallow-repository"]).stdout.strip() == b"true"


def _explain_unknown(name: str) -> NoReturn:
    """Say why git does not know a revision."""
    inside = _git(["rev-parse", "--git-dir"])
    if inside.returncode:
        message = f"`{printable(name)}` cannot be read: {os.getcwd()} is not inside a git repository"
        reason = os.fsdecode(inside.stderr).strip().removeprefix("fatal: ")
        raise AbigenError.at(None, message, "" if "not a git repository" in reason else f"git says: {reason}")
    message = f"there is no git revision `{printable(name)}`"
    if _git(["rev-parse", "--verify", "--quiet", f"{name}^{{object}}"]).returncode == 0:
        raise AbigenError.at(None, f"`{printable(name)}` is neither a commit nor a tree")
    references = _git(["for-each-ref", "--format=%(refname:short)"]).stdout
    known = os.fsdecode(references).split()
    remote = [each for each in known if each.endswith(f"/{name}")]
    if remote:
        hint = f"did you mean `{remote[0]}`?"
    elif _is_shallow():
        hint = _SHALLOW
    elif not known and "HEAD" in name:
        hint = "the repository has no commit yet"
    else:
        hint = similar_names(name, known) or _unfetched(name)
    raise AbigenError.at(None, message, hint)


def _unfetched(name: str) -> str:
    """A hint for a branch of a remote that was never fetched; empty when a name is nothing of that kind."""
    remote, _, branch = name.partition("/")
    remotes = os.fsdecode(_git(["remote"]).stdout).split()
    return f"run `git fetch {remote} {printable(branch)}`" if branch and remote in remotes else ""


def _git(arguments: list[str], text: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Run git to its end."""
    with _started(arguments) as process:
        output, remarks = process.communicate(text)
    return subprocess.CompletedProcess(arguments, process.returncode, output, remarks)


def _started(arguments: list[str]) -> subprocess.Popen[bytes]:
    """Start git; its messages are in English, it takes no locks and asks nothing."""
    environment = {**os.environ, "LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0"}
    # A hook that watches the file system would be run by whatever looks at the working tree.
    command = ["git", "-c", "core.fsmonitor=false", *arguments]
    pipe = subprocess.PIPE
    try:
        return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env=environment)
    except FileNotFoundError:
        raise AbigenError.at(None, "git is needed to read a file at a revision, and it is not installed") from None
    except OSError as error:
        raise AbigenError.at(None, f"git cannot be run: {error.strerror}") from None
