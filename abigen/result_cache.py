"""Results of earlier runs, kept in the user's folder for caches.

A result is stored with its key and with every question that was asked of the file system and the environment while it
was made (`abigen.files`). It counts only while all of them have the same answers, so it is what making it again would
give. That input cannot be used is a result, too. Entries are JSON, which cannot run code; one that cannot be understood
counts as missing and is written anew.
"""

from __future__ import annotations

import json
import os
import platform
import stat
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import MISSING, dataclass, fields, is_dataclass
from enum import Enum
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from platformdirs import user_cache_path

from abigen.files import Files, digest, put_in_place
from abigen.model.span import AbigenError, Diagnostic, Span

T = TypeVar("T")

MAX_BYTES = 256 * 1024 * 1024
"""The size of all entries together beyond which the oldest are removed, in bytes."""

_SUFFIX = ".json"
_DIGEST_LENGTH = 40
_PLAIN = frozenset((str, int, bool, float, type(None)))
_COLLECTIONS: tuple[Callable[..., object], ...] = (tuple, list, frozenset, set, dict)
"""How collections are numbered in entries: by their index here, from -1 downwards."""


@dataclass(frozen=True)
class _Refusal:
    """That there is no result, and why."""

    diagnostics: tuple[Diagnostic, ...]


_OF_REFUSALS = (_Refusal, Diagnostic, Span)


def remember(
    key: Sequence[str], make: Callable[[], T], classes: Sequence[type], files: Files, *, refusals: bool = True
) -> T:
    """Take a result from an earlier run if making it again would give the same; else make it, and store it.

    Args:
        key: what is asked for; whatever the result depends on besides `files`, abigen itself and the directory.
        make: makes the result; looks at nothing but what `files` shows it.
        classes: the dataclasses, named tuples and enumerations that occur in the result, its own first.
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
    whole = [identity(), platform.machine(), str(Path.cwd()), *key]
    entry = folder / (digest([part.encode("utf-8", "surrogateescape") for part in whole]) + _SUFFIX)
    codec = _Codec([*classes, *(each for each in _OF_REFUSALS if each not in classes)])
    stored = _load(entry, whole, codec, files)
    if isinstance(stored, _Refusal):
        raise AbigenError(stored.diagnostics)
    if isinstance(stored, classes[0]):
        return stored  # type: ignore[return-value]

    def keep(result: object) -> None:
        if files.can_store(answers):
            questions = [[*question, mark] for question, mark in answers.items()]
            with suppress(RecursionError, OSError):  # types nested too deeply are read anew each time
                _store(entry, json.dumps([whole, questions, codec.encoded(result)]))

    try:
        with files.noted() as answers:
            result = make()
    except AbigenError as error:
        if refusals:
            keep(_Refusal(error.diagnostics))
        raise
    keep(result)
    return result


def classes_in(*modules: ModuleType) -> list[type]:
    """All dataclasses, named tuples and enumerations of some modules, sorted by name."""
    found = {each for module in modules for each in vars(module).values() if isinstance(each, type)}
    return sorted(
        (each for each in found if _is_record(each) or issubclass(each, Enum)), key=lambda each: each.__name__
    )


def cache_folder() -> Path | None:
    """The folder for what is kept between runs: `ABIGEN_CACHE_DIR`, else the platform's usual one.

    Returns:
        None when there is no such place, or when somebody else could write to it or to a folder above it.
    """
    chosen = os.environ.get("ABIGEN_CACHE_DIR")
    folder = Path(chosen) if chosen else user_cache_path("abigen", appauthor=False)
    return folder if folder.is_absolute() and _is_private(folder) else None


@cache
def identity() -> str:
    """What abigen itself is in this process: any change to its code, or to the packages around it, changes results.

    Returns:
        A digest over the interpreter, the sizes and times of abigen's own files, and the folders of packages.
    """
    parts = [sys.version, sys.executable]
    for each in map(Path, sys.path):
        if each.name in ("site-packages", "dist-packages") and each.is_dir():
            parts.append(f"{each} {each.stat().st_mtime_ns}")
    waiting = [str(Path(__file__).parent)]
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
    """Whether nobody but the user and the administrator can write to a folder, or put another in its place."""
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


def _load(entry: Path, key: Sequence[str], codec: _Codec, files: Files) -> object:
    """What an entry holds; None when it is not there, is damaged, is another's, or does not hold any more."""
    try:
        content = entry.read_bytes()
        head, body = content[:_DIGEST_LENGTH], content[_DIGEST_LENGTH:]
        if head != digest([body]).encode():
            return None
        stored, questions, result = json.loads(body)
        if stored != key or not files.hold({(kind, subject): mark for kind, subject, mark in questions}):
            return None
        return codec.decoded(result)
    except (OSError, ValueError, TypeError, LookupError, AttributeError, RecursionError):
        return None


def _store(entry: Path, text: str) -> None:
    """Put an entry in place as a whole, and make room now and then."""
    body = text.encode()
    check = digest([body]).encode()
    entry.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    put_in_place(entry, check + body, 0o600)
    if check.startswith(b"0"):  # one time in sixteen: looking at thousands of entries takes longer than a header
        make_room(entry.parent, MAX_BYTES)


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


def _is_record(kind: type) -> bool:
    """Whether objects of a class are made of named parts."""
    return is_dataclass(kind) or (issubclass(kind, tuple) and hasattr(kind, "_fields"))


class _Codec:
    """Turns values into what JSON can hold, and back.

    A value is a list of rows, one for each object that it is made of, parts first. A row is the number of a class or
    collection and the parts of the object: plain values, and for all else lists that hold the number of a row. The last
    parts of a dataclass are left out where they are its defaults.
    """

    def __init__(self, classes: Sequence[type]) -> None:
        self._classes = (*classes, *_COLLECTIONS)
        self._numbers = {kind: number for number, kind in enumerate(self._classes)}
        self._parts = {kind: [each.name for each in fields(kind)] for kind in classes if is_dataclass(kind)}
        self._defaults: dict[type, list[Any]] = {}
        """Of the last parts of each dataclass, from the first one behind all that have none."""
        for kind in self._parts:
            defaults = [each.default for each in fields(kind)]
            without = [place for place, default in enumerate(defaults, 1) if default is MISSING]
            self._defaults[kind] = defaults[max(without, default=0) :]

    def encoded(self, value: object) -> list[list[object]]:
        """A value as JSON has it."""
        rows: list[list[object]] = []
        self._add(value, rows, {})
        return rows

    def _add(self, value: Any, rows: list[list[object]], known: dict[int, list[int]]) -> list[int]:
        """Add the rows of a value, and say where it is; `known` says so for each object by its identity."""
        kind = value.__class__
        names = self._parts.get(kind)
        if names is not None:
            parts = [getattr(value, name) for name in names]
            for default in reversed(self._defaults[kind]):
                if parts[-1] is not default:
                    break
                parts.pop()
        elif isinstance(value, Enum):
            parts = [value.name]
        elif isinstance(value, Mapping):
            kind, parts = dict, [each for item in value.items() for each in item]
        else:
            parts = value
        row: list[object] = [self._numbers[kind]]
        for part in parts:
            if part.__class__ not in _PLAIN:
                part = known.get(id(part)) or self._add(part, rows, known)
            row.append(part)
        known[id(value)] = place = [len(rows)]
        rows.append(row)
        return place

    def decoded(self, rows: list[list[Any]]) -> Any:
        """The value that was encoded; raises whatever happens to be wrong with one that was not."""
        objects: list[Any] = []
        for number, *parts in rows:
            kind = self._classes[number]
            values = [objects[part[0]] if part.__class__ is list else part for part in parts]
            if kind in self._parts:
                # As `copy` and `pickle` do it: with `__init__` it takes three times as long.
                made = object.__new__(kind)
                names, defaults = self._parts[kind], self._defaults[kind]
                values += defaults[len(defaults) - (len(names) - len(values)) :]
                for name, each in zip(names, values, strict=True):
                    object.__setattr__(made, name, each)
            elif kind is dict:
                made = dict(zip(values[::2], values[1::2], strict=True))
            elif kind in _COLLECTIONS:
                made = kind(values)
            else:
                made = kind[values[0]] if issubclass(kind, Enum) else kind(*values)
            objects.append(made)
        return objects[-1]
