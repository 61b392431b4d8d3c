"""Starts git so that nothing in a repository makes it run another program. No other module starts git.

A repository can name programs in its configuration (`core.sshCommand`, `gpg.program`, `filter.*.clean`) and in the URL
of a remote (`ext::...`). git runs them when it fetches a missing object, shows a signature, or compares files of the
working tree. The options and variables here switch them off, and no function of abigen compares working files with git.

Source: git-config(1); git(1), "Environment Variables"; gitattributes(5), "filter".
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import cached_property
from tempfile import TemporaryDirectory
from threading import Timer
from typing import Any

from abigen.model.span import AbigenError, printable

SWITCHED_OFF: Mapping[str, str] = {
    "core.alternateRefsCommand": "",
    "core.askPass": "",
    "core.attributesFile": os.devnull,
    "core.editor": ":",
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.pager": "cat",
    "core.sshCommand": "false",
    "credential.helper": "",
    "diff.external": "",
    "gc.auto": "0",
    "gpg.program": "false",
    "gpg.openpgp.program": "false",
    "gpg.ssh.program": "false",
    "gpg.ssh.defaultKeyCommand": "",
    "gpg.x509.program": "false",
    "log.showSignature": "false",
    "maintenance.auto": "false",
    "safe.bareRepository": "explicit",
    "sequence.editor": ":",
    "submodule.recurse": "false",
}
"""Configuration of every call: the keys that name programs, or that make git run one."""
READ_ALIKE: Mapping[str, str] = {
    "core.warnAmbiguousRefs": "true",
    "diff.orderFile": os.devnull,
    "diff.relative": "false",
    "diff.renames": "true",
    "i18n.logOutputEncoding": "UTF-8",
    "log.decorate": "short",
    "log.follow": "false",
    "log.showRoot": "true",
    "mailmap.file": os.devnull,
}
"""Configuration that would change the output that abigen reads, and so could hide a commit, tag or file."""
_ENVIRONMENT = {
    "GIT_ALLOW_PROTOCOL": "none",  # no transport has this name, so no fetch begins, not even one of an old git
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",  # a revision is what its name was made of
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_PROXY_COMMAND": "",  # of several core.gitProxy, the first counts, which is the repository's
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}
LONGEST = 30.0
"""The seconds after which git, and all that it has started, is ended."""
_LONG = 10
"""The times that the log of a large repository, and a fetch, may take longer."""
_OF_REPOSITORY = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR",
                  "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_NAMESPACE", "GIT_CONFIG_PARAMETERS")  # fmt: skip
"""Variables that name a repository or its configuration: the folder of fetched objects has its own."""
_MISSING = re.compile(rb"(?:could not fetch|unable to read(?: tree)?|missing blob object) '?\(?([0-9a-f]{40,64})\b")
"""An object that git lacks, by its name in an error of git."""
SHA256_DIGITS = 64
"""The hexadecimal digits of an object's name in a repository that uses SHA-256; with SHA-1 it has 40."""
_MOST_FETCHED = 2000
"""The number of objects that are fetched in one run."""


def run_git(arguments: Sequence[str], *, is_long: bool = False) -> subprocess.CompletedProcess[bytes]:
    """Run git to its end; see `fetching` for objects that it lacks.

    Args:
        arguments: the arguments; none of them may be an option that comes from a user.
        is_long: True if it walks the history, which takes a while in a large repository.

    Raises:
        AbigenError: git is not installed, or it took longer than `LONGEST`.
    """
    while True:
        result = _run_to_its_end(start_git(arguments), LONGEST * (_LONG if is_long else 1))
        missing = _MISSING.search(result.stderr) if result.returncode else None
        if missing is None or not fetch_object(missing[1].decode()):
            return result


def start_git(arguments: Sequence[str]) -> subprocess.Popen[bytes]:
    """Start git with pipes; its messages are in English, it takes no locks, asks nothing and runs no program.

    Raises:
        AbigenError: git is not installed.
    """
    settings = [word for key, value in {**SWITCHED_OFF, **READ_ALIKE}.items() for word in ("-c", f"{key}={value}")]
    fetched = _FETCHED.get()
    more = fetched.environment if fetched is not None else {}
    return _started(["--no-pager", *settings, *arguments], {**os.environ, **_ENVIRONMENT, **more})


def fetch_object(name: str) -> bool:
    """Fetch an object that a partial clone lacks, if the user allows it; see `fetching`.

    Args:
        name: the object's name, in hexadecimal digits.

    Returns:
        True if git has it now, which it had not before.

    Raises:
        AbigenError: the remote cannot be reached, or its protocol is not allowed.
    """
    fetched = _FETCHED.get()
    return fetched is not None and fetched.fetch(name)


def partial_clone_settings() -> list[str]:
    """Return the lines of the configuration that name the remote of a partial clone; empty for a whole clone.

    Source: git's technical documentation, "Partial Clone Design Notes".
    """
    settings = run_git(["config", "--get-regexp", r"^(extensions\.partialclone|remote\..*\.promisor)$"]).stdout
    return os.fsdecode(settings).splitlines()


def is_fetching() -> bool:
    """True if the user allows to fetch objects; see `fetching`."""
    return _FETCHED.get() is not None


@contextmanager
def fetching() -> Iterator[None]:
    """Allow to fetch the objects that a partial clone lacks, with the user's own configuration of git."""
    token = _FETCHED.set(_FetchedObjects())
    try:
        yield
    finally:
        fetched = _FETCHED.get()
        _FETCHED.reset(token)
        if fetched is not None:
            fetched.close()


@contextmanager
def limited(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """End git, and all that it has started, if what is done with its pipes takes longer than `LONGEST`."""
    timer = Timer(LONGEST, _kill, [process])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End git, and all that it has started."""
    with suppress(ProcessLookupError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()


def _run_to_its_end(process: subprocess.Popen[bytes], seconds: float) -> subprocess.CompletedProcess[bytes]:
    """Return the output of git, or end git and all that it has started when the time is up.

    Raises:
        AbigenError: it took longer.
    """
    try:
        output, remarks = process.communicate(b"", seconds)
    except BaseException as error:
        _kill(process)
        process.wait()
        if isinstance(error, subprocess.TimeoutExpired):
            raise AbigenError.at(None, f"git has not ended within {seconds:.0f} seconds, so it was stopped") from None
        raise
    return subprocess.CompletedProcess(process.args, process.returncode, output, remarks)


def _started(arguments: Sequence[str], environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
    group: dict[str, Any] = {} if sys.platform == "win32" else {"process_group": 0}
    pipe = subprocess.PIPE
    try:
        return subprocess.Popen(
            ["git", *arguments], stdin=pipe, stdout=pipe, stderr=pipe, env=dict(environment), **group
        )
    except FileNotFoundError:
        raise AbigenError.at(None, "git is needed to read a file at a revision, and it is not installed") from None
    except OSError as error:
        raise AbigenError.at(None, f"git cannot be run: {error.strerror}") from None


class _FetchedObjects:
    """Fetches objects that a partial clone lacks, into a temporary repository that ends with this run.

    git would fetch them by itself, with the programs that the configuration of the clone names. This repository is
    empty, so the configuration of the user and of the system is all that counts: for ssh, protocols and credentials.
    Of the clone, only the URL is used.
    """

    def __init__(self) -> None:
        self._tried: set[str] = set()
        self._folder: TemporaryDirectory[str] | None = None

    def close(self) -> None:
        """Remove the objects."""
        if self._folder is not None:
            self._folder.cleanup()

    @property
    def environment(self) -> Mapping[str, str]:
        """The variable by which git finds the fetched objects; empty as long as there is none."""
        if self._folder is None:
            return {}
        own = os.environ.get("GIT_ALTERNATE_OBJECT_DIRECTORIES")
        folder = os.path.join(self._folder.name, "objects")
        return {"GIT_ALTERNATE_OBJECT_DIRECTORIES": os.pathsep.join([folder, own] if own else [folder])}

    def fetch(self, name: str) -> bool:
        """Fetch an object from the remote that the clone is partial of; see `fetch_object`."""
        url = self._url
        if not url or name in self._tried or len(self._tried) >= _MOST_FETCHED:
            return False
        self._tried.add(name)
        if self._folder is None:
            folder = TemporaryDirectory(prefix="abigen-objects-")
            kind = ["--object-format=sha256"] if len(name) == SHA256_DIGITS else []
            self._run(["init", "--quiet", "--bare", "--template=", *kind, folder.name], {})
            self._folder = folder
        wanted = ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--recurse-submodules=no", "--depth=1"]
        result = self._run([*wanted, "--", url, name], {"GIT_DIR": self._folder.name})
        if result.returncode:
            reason = os.fsdecode(result.stderr).strip().partition("\n")[0].partition(": ")[2]
            message = f"an object that this partial clone lacks cannot be fetched; git reports: {printable(reason)}"
            hint = "protocols, ssh and credentials are those of your own git configuration, not of the repository's"
            raise AbigenError.at(None, message, hint)
        return True

    @cached_property
    def _url(self) -> str:
        """The URL of the remote that the clone is partial of; empty if it is not partial."""
        for line in partial_clone_settings():
            key, _, value = line.partition(" ")
            remote = value if key.startswith("extensions.") else key.removeprefix("remote.").removesuffix(".promisor")
            url = os.fsdecode(run_git(["config", "--get", f"remote.{remote}.url"]).stdout).strip()
            if url:
                return url
        return ""

    @staticmethod
    def _run(arguments: Sequence[str], more: Mapping[str, str]) -> subprocess.CompletedProcess[bytes]:
        """Run git outside of the user's repository, with the configuration of the user and the system only.

        A protocol counts as one that the user has not named: by default `file` and helpers of remotes are refused.
        """
        kept = {name: value for name, value in os.environ.items() if name not in _OF_REPOSITORY}
        more = {"GIT_TERMINAL_PROMPT": "0", "GIT_PROTOCOL_FROM_USER": "0", "LC_ALL": "C", **more}
        return _run_to_its_end(
            _started(["-c", f"core.hooksPath={os.devnull}", *arguments], {**kept, **more}), LONGEST * _LONG
        )


_FETCHED: ContextVar[_FetchedObjects | None] = ContextVar("fetched", default=None)
