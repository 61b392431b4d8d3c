"""Objects of a git repository, read one by one; what cannot be read is an error that names the remedy.

git is called without a shell, and never sees an argument that the user could turn into an option.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator

from abigen.model.printable import printable
from abigen.model.span import AbigenError

SHALLOW = "this clone is shallow: run `git fetch --unshallow`; on GitHub give actions/checkout `fetch-depth: 0`"
_PARTIAL = "this clone is partial: run `git fetch --refetch --no-filter` where its origin can be reached, or clone"
_DAMAGED = "the repository is damaged: `git fsck` says how much of it is; fetch what is missing, or clone it anew"


def run_git(arguments: list[str], text: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Run git to its end."""
    with _started(arguments) as process:
        output, remarks = process.communicate(text)
    return subprocess.CompletedProcess(arguments, process.returncode, output, remarks)


def is_shallow() -> bool:
    """Whether the repository lacks a part of its history."""
    return run_git(["rev-parse", "--is-shallow-repository"]).stdout.strip() == b"true"


def unreadable(what: str, remarks: bytes = b"") -> AbigenError:
    """The error for something that git should have and cannot read.

    Args:
        what: what the user should know it as, printable.
        remarks: what git said.
    """
    lines = [line for line in os.fsdecode(remarks).splitlines() if line.startswith(("error: ", "fatal: "))]
    reason = f"; git says: {printable(lines[-1].partition(': ')[2])}" if lines else ""
    hint = _DAMAGED
    if run_git(["config", "--get-regexp", r"^(extensions\.partialclone|remote\..*\.promisor)$"]).stdout:
        hint = f"{_PARTIAL} without `--filter`; on GitHub give actions/checkout no `filter`"
    elif is_shallow():
        hint = SHALLOW
    return AbigenError.at(None, f"{what} cannot be read: git does not have all of it, or it is corrupt{reason}", hint)


class ObjectReader:
    """A git that waits for the name of the next object; it is started when the first is asked for."""

    def __init__(self) -> None:
        """Begin without a process."""
        self._process: subprocess.Popen[bytes] | None = None
        self._known: dict[str, bytes] = {}

    def read(self, name: str, what: str) -> bytes:
        """The content of an object, fetched if the clone is partial.

        Args:
            name: the object's name, in hexadecimal digits.
            what: what messages call it.

        Raises:
            AbigenError: git does not have it, or it is corrupt.
        """
        if name in self._known:
            return self._known[name]
        if self._process is None:
            self._process = _started(["cat-file", "--batch"])
        questions, answers = self._process.stdin, self._process.stdout
        assert questions is not None
        assert answers is not None
        try:
            questions.write(f"{name}\n".encode())
            questions.flush()
        except OSError:  # it has ended; why is what it said
            raise unreadable(what, self.close()) from None
        words = answers.readline().split()
        if len(words) == 3 and words[2].isdigit():
            size = int(words[2])
            content = answers.read(size + 1)
            if len(content) == size + 1:
                return self._known.setdefault(name, content[:-1])
        raise unreadable(what, self.close())

    def close(self) -> bytes:
        """End the process, if there is one, and return its remarks."""
        if self._process is None:
            return b""
        with self._process as process:
            self._process = None
            return process.communicate()[1]


def entries_of(content: bytes, digits: int) -> Iterator[tuple[str, str, str]]:
    """What the object of a tree lists: mode, name, and name of the object.

    Args:
        content: the object.
        digits: how many hexadecimal digits the name of an object has.
    """
    position = 0
    while position < len(content):
        zero = content.index(b"\0", position)
        mode, _, name = content[position:zero].partition(b" ")
        position = zero + 1 + digits // 2
        yield mode.decode(), os.fsdecode(name), content[zero + 1 : position].hex()


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
