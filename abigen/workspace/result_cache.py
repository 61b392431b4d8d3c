"""Results of earlier runs, kept in the user's folder for caches.

A result is stored with every question that was asked of the file system and the environment while it was made
(`abigen.workspace.files`). It counts only while all of them have the same answers, so it is what making it again would
give. That input cannot be used is a result, too. Entries are MessagePack, which cannot run code, and are read back as
the records that they are of; one that cannot be understood counts as missing and is written anew.
"""

from __future__ import annotations

import os
import platform
import stat
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TypeVar

import msgspec

from abigen.model.span import AbigenError, Diagnostic
from abigen.workspace.files import Files, digest, put_in_place

T = TypeVar("T")

MAX_BYTES = 256 * 1024 * 1024
"""The size of all entries together beyond which the oldest are removed, in bytes."""

_SUFFIX = ".msgpack"
_DIGEST_LENGTH = 40


class _Entry(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A stored result, or the reason why there is none."""

    key: str
    """Digest of what it is the result of."""
    questions: tuple[tuple[str, str, str], ...]
    """Kind, subject and mark of each question, as `Files.noted` has them."""
    refused: tuple[Diagnostic, ...]
    """Empty where there is a result."""
    result: msgspec.Raw


def remember(key: Sequence[str], make: Callable[[], T], kind: type[T], files: Files, *, refusals: bool = True) -> T:
    """Take a result from an earlier run if making it again would give the same; else make it, and store it.

    Args:
        key: what is asked for; whatever the result depends on besides `files`, abigen itself and the directory.
        make: makes the result; looks at nothing but what `files` shows it.
        kind: what the result is: a record of records, collections and plain values. One that holds a number beyond 64
            bits, or text that is no UTF-8, is made anew each time.
        files: what notes the questions.
        refusals: whether an `AbigenError` is a result: not where it can depend on what `files` does not see.

    Returns:
        The result.

    Raises:
        AbigenError: whatever `make` raises, or has raised in that earlier run.
    """
    folder = cache_folder()
    if folder is None:
        return make()
    whole = digest(
        [part.encode("utf-8", "surrogateescape") for part in (identity(), platform.machine(), str(Path.cwd()), *key)]
    )
    path = folder / (whole + _SUFFIX)
    with suppress(OSError, ValueError, LookupError, RecursionError, msgspec.MsgspecError):  # not ours, or damaged
        entry = _load(path)
        if entry.key == whole and files.hold({(kind, subject): mark for kind, subject, mark in entry.questions}):
            if entry.refused:
                raise AbigenError(entry.refused)
            return _decoded(entry.result, kind)

    def keep(refused: Sequence[Diagnostic], result: T | None) -> None:
        if files.can_store(answers):
            questions = tuple((*question, mark) for question, mark in answers.items())
            with suppress(RecursionError, OverflowError, UnicodeEncodeError, OSError):
                encoded = msgspec.Raw(msgspec.msgpack.encode(result))
                _store(path, msgspec.msgpack.encode(_Entry(whole, questions, tuple(refused), encoded)))

    try:
        with files.noted() as answers:
            result = make()
    except AbigenError as error:
        if refusals:
            keep(error.diagnostics, None)
        raise
    keep((), result)
    return result


def _decoded(content: bytes | msgspec.Raw, kind: type[T]) -> T:
    """Return the value that some bytes encode; raises `MsgspecError` for bytes of another kind."""
    return msgspec.msgpack.decode(content, type=kind)


def cache_folder() -> Path | None:
    """Return the folder for what is kept between runs: `ABIGEN_CACHE_DIR`, else the platform's usual one.

    Returns:
        None when there is no such place, or when somebody else could write to it or to a folder above it.
    """
    chosen = os.environ.get("ABIGEN_CACHE_DIR")
    if chosen:
        folder = Path(chosen)
    else:
        from platformdirs import user_cache_path

        folder = user_cache_path("abigen", appauthor=False)
    return folder if folder.is_absolute() and _is_private(folder) else None


@cache
def identity() -> str:
    """Return the identity of abigen in this process: changes to its code or its packages change results.

    Returns:
        A digest over the interpreter, the sizes and times of abigen's own files, and the folders of packages.
    """
    parts = [sys.version, sys.executable]
    for each in map(Path, sys.path):
        if each.name in ("site-packages", "dist-packages") and each.is_dir():
            parts.append(f"{each} {each.stat().st_mtime_ns}")
    waiting = [str(Path(__file__).parents[1])]
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in sorted(entries, key=lambda each: each.name):
                if not entry.is_dir(follow_symlinks=False):
                    status = entry.stat()
                    parts.append(f"{entry.path} {status.st_size} {status.st_mtime_ns}")
                elif entry.name != "__pycache__":
                    waiting.append(entry.path)
    return digest([part.encode("utf-8", "surrogateescape") for part in parts])


def _is_private(folder: Path) -> bool:
    """True if only the user and the administrator can write to a folder, or replace it."""
    if os.name != "posix":
        return True
    try:
        real = folder.resolve()
        for each in (real, *real.parents):
            if each.exists():
                status = each.stat()
                shared = status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
                may_share = each != real and status.st_mode & stat.S_ISVTX
                if status.st_uid not in (os.geteuid(), 0) or (shared and not may_share):
                    return False
    except OSError:
        return False
    return True


def _load(path: Path) -> _Entry:
    """Return the content of a file.

    Raises:
        OSError: the file is not there.
        MsgspecError: it is damaged, or no entry.
    """
    content = path.read_bytes()
    check, body = content[:_DIGEST_LENGTH], content[_DIGEST_LENGTH:]
    if check != digest([body]).encode():
        raise msgspec.DecodeError("damaged")
    return _decoded(body, _Entry)


def _store(path: Path, body: bytes) -> None:
    """Put an entry in place as a whole, and make room now and then."""
    check = digest([body]).encode()
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    put_in_place(path, check + body, 0o600)
    if check.startswith(b"0"):  # one time in sixteen: looking at thousands of entries takes longer than a header
        make_room(path.parent, MAX_BYTES)


def make_room(folder: Path, most: int) -> None:
    """Remove the entries that were stored first, until what remains takes at most so many bytes."""
    entries = []
    for path in folder.iterdir():
        if path.suffix in (_SUFFIX, ".tmp"):
            status = path.stat()
            entries.append((status.st_mtime_ns, status.st_size, path))
    total = sum(size for _, size, _ in entries)
    for _, size, path in sorted(entries):
        if total <= most:
            return
        path.unlink(missing_ok=True)
        total -= size
