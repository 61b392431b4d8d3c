"""A directory of answers kept between runs, each with the evidence that it rests on.

An entry is one file named by its key: a digest of the rest, then evidence and payload. Writers put the file in place
by renaming, so readers meet whole entries or none; an entry that is damaged counts as missing. The directory belongs
to the user alone (an entry may hold a pickle), and is kept below a bound by removing what was used least recently.
Cheap to import for the same reason as `abigen.read.evidence`.
"""

from __future__ import annotations

import marshal
import os
import sys
from typing import TYPE_CHECKING

from abigen.read.evidence import Evidence, digest, holds

if TYPE_CHECKING:
    from collections.abc import Set

MAX_BYTES = 256 * 1024 * 1024
"""The size of all entries together beyond which the oldest are removed, in bytes."""

SECONDS_BETWEEN_SWEEPS = 600
"""How often the size is looked at: that takes longer than reading a header when there are many thousand entries."""

READING_ENVIRONMENT = (
    "PATH",
    "PATHEXT",
    "CPATH",
    "C_INCLUDE_PATH",
    "COMPILER_PATH",
    "GCC_EXEC_PREFIX",
    "SDKROOT",
    "SOURCE_DATE_EPOCH",
)
"""Environment variables that decide which compiler preprocesses a header, and what that includes."""

_STALE_SECONDS = 3600
_MARK = "swept"
_DIGEST_LENGTH = 40


class Cache:
    """Answers by key, below one directory."""

    def __init__(
        self, directory: str, *, max_bytes: int = MAX_BYTES, seconds_between_sweeps: int = SECONDS_BETWEEN_SWEEPS
    ) -> None:
        """Use a directory, which need not exist yet.

        Args:
            directory: where the entries are.
            max_bytes: the bound on their size, in bytes; between two sweeps it may be exceeded.
            seconds_between_sweeps: how often the bound is enforced.
        """
        self.directory = directory
        self.max_bytes = max_bytes
        self.seconds_between_sweeps = seconds_between_sweeps

    def get(self, key: str, *, ignored: Set[str] = frozenset()) -> tuple[bytes, Evidence] | None:
        """Find an answer whose evidence holds.

        Args:
            key: hexadecimal digits, as `digest` gives them.
            ignored: paths of which it does not matter whether they have changed.

        Returns:
            The payload and its evidence; None when there is none, it is damaged, or something has changed since.
        """
        path = os.path.join(self.directory, key)
        try:
            with open(path, "rb") as file:
                content = file.read()
        except OSError:
            return None
        head, body = content[:_DIGEST_LENGTH], content[_DIGEST_LENGTH:]
        if head != digest((body,)).encode():
            return None
        evidence, payload = marshal.loads(body)
        if not holds({path: mark for path, mark in evidence.items() if path not in ignored} if ignored else evidence):
            return None
        try:
            os.utime(path)
        except OSError:
            pass
        return payload, evidence

    def put(self, key: str, payload: bytes, evidence: Evidence) -> None:
        """Keep an answer; one that cannot be written is not kept, and nobody is told.

        Args:
            key: hexadecimal digits, as `digest` gives them.
            payload: the answer.
            evidence: what it rests on.
        """
        body = marshal.dumps((dict(evidence), payload))
        temporary = os.path.join(self.directory, f".{key}.{os.getpid()}.{id(body)}")
        try:
            os.makedirs(self.directory, 0o700, exist_ok=True)
            descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(digest((body,)).encode() + body)
            os.replace(temporary, os.path.join(self.directory, key))
            self._sweep()
        except OSError:
            try:
                os.unlink(temporary)
            except OSError:
                pass

    def _sweep(self) -> None:
        """Enforce the bound, if that was not done just now by whatever process."""
        import time

        mark = os.path.join(self.directory, _MARK)
        try:
            if 0 <= time.time() - os.stat(mark).st_mtime < self.seconds_between_sweeps:
                return
        except FileNotFoundError:
            pass
        os.close(os.open(mark, os.O_WRONLY | os.O_CREAT, 0o600))
        os.utime(mark)
        self._evict()

    def _evict(self) -> None:
        """Remove the entries that were used least recently, down to three quarters of the bound."""
        import time

        entries = []
        total = 0
        with os.scandir(self.directory) as listing:
            for entry in listing:
                status = entry.stat(follow_symlinks=False)
                if entry.name == _MARK:
                    continue
                if entry.name.startswith(".") and time.time() - status.st_mtime > _STALE_SECONDS:
                    os.unlink(entry.path)
                    continue
                entries.append((status.st_mtime_ns, status.st_size, entry.path))
                total += status.st_size
        if total <= self.max_bytes:
            return
        for _, size, path in sorted(entries):
            os.unlink(path)
            total -= size
            if total <= self.max_bytes * 3 // 4:
                return


def open_cache() -> Cache | None:
    """The user's cache: `ABIGEN_CACHE_DIR`, else below the platform's directory for caches.

    The platforms' directories are `XDG_CACHE_HOME` or `~/.cache` (XDG Base Directory Specification 0.8),
    `~/Library/Caches` on macOS, and `LOCALAPPDATA` on Windows.

    Returns:
        None when there is no such place, or when someone else could write to it.
    """
    directory = os.environ.get("ABIGEN_CACHE_DIR") or _platform_directory()
    if not directory or not os.path.isabs(directory):
        return None
    try:
        status = os.stat(directory)
    except FileNotFoundError:
        return Cache(directory)
    except OSError:
        return None
    if os.name == "posix" and (status.st_uid != os.geteuid() or status.st_mode & 0o022):
        return None
    return Cache(directory)


_identity = ""


def identity() -> str:
    """What abigen itself is in this process: any change to its code, or to the packages around it, changes the answers.

    Returns:
        A digest over the interpreter, the sizes and times of abigen's own files, and the directories of packages.
    """
    global _identity
    _identity = _identity or _identify()  # code that is loaded stays what it is, and looking takes milliseconds
    return _identity


def _identify() -> str:
    """Look at all that `identity` covers."""
    parts = [sys.version.encode(), sys.executable.encode()]
    for directory in sys.path:
        if os.path.basename(directory) in ("site-packages", "dist-packages"):
            try:
                parts.append(b"%s %d" % (os.fsencode(directory), os.stat(directory).st_mtime_ns))
            except OSError:
                continue
    _add_files(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), parts)
    return digest(parts)


def _add_files(directory: str, parts: list[bytes]) -> None:
    """Add name, size and time of every file below a directory, in the order of their names."""
    with os.scandir(directory) as listing:
        entries = sorted(listing, key=lambda entry: entry.name)
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            if entry.name != "__pycache__":
                _add_files(entry.path, parts)
        else:
            status = entry.stat()
            parts.append(b"%s %d %d" % (os.fsencode(entry.path), status.st_size, status.st_mtime_ns))


def _platform_directory() -> str:
    """Where this platform keeps caches; empty when it does not say."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA", "")
    elif sys.platform == "darwin":
        base = os.path.expanduser("~/Library/Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME", "")
        if not os.path.isabs(base):
            base = os.path.expanduser("~/.cache")
    return os.path.join(base, "abigen") if os.path.isabs(base) else ""
