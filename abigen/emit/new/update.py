"""What brings a project up to a newer release of its API, and what that leaves for its author to do.

A project keeps a record of how it was made, so that an update knows what is new and what its author has written.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path

import msgspec

from abigen.emit.new.scaffold import GENERATED, Scaffold
from abigen.model.span import AbigenError

RECORD = ".abigen-new.json"
"""Path of the record in a project."""

_FORMAT = 2
_READ = (1, _FORMAT)
"""Formats that are read: a record of format 1 does not state where the spec is."""


class ProjectRecord(msgspec.Struct, frozen=True, kw_only=True):
    """How a project was made."""

    format: int
    abigen: str
    """The version of abigen that made it, or updated it last."""
    name: str
    device_type: str
    api: str
    api_version: str
    language: str
    features: Sequence[str]
    minimal: bool
    entries: tuple[str, ...] = ()
    left_out: Mapping[str, str] = {}
    """Key to name in the sources of each optional function that the author has deleted."""
    functions: Mapping[str, Sequence[str]]
    """Key to name, what the sources call it, and declaration in C, of each function that the author writes."""
    files: Mapping[str, str]
    """Path to the SHA-256 of what was last written there, of the author's files."""
    generated: Sequence[str]
    """Paths of the files that every update makes anew."""
    spec: str = ""
    """Path of the API's spec, relative to the project; empty for one that comes with abigen."""
    specs: str = ""
    """Path of the folder of specs, relative to the project; empty for abigen's own."""
    spec_digest: str = ""
    """The SHA-256 of the spec; empty where `spec` is."""

    def text(self) -> str:
        """The record as it is written."""
        return json.dumps(msgspec.to_builtins(self), indent=2) + "\n"


class ProjectUpdate(msgspec.Struct, frozen=True, kw_only=True):
    """What changes in a project."""

    files: Mapping[str, str]
    """Path to new text, of every file that changes."""
    removed: Sequence[str]
    """Paths of generated files that are no longer made."""
    remarks: Sequence[str]
    """What has been done."""
    tasks: Sequence[str]
    """What the author has to do."""
    record: ProjectRecord


def record_of(scaffold: Scaffold, digests: Mapping[str, str] | None = None) -> ProjectRecord:
    """Make the record of a project.

    Args:
        scaffold: as it would be if it were made now.
        digests: path to digest, of the author's files as they were last written; None for a new project.
    """
    project = scaffold.project
    if digests is None:
        own = {path: text for path, text in scaffold.files.items() if not path.startswith(GENERATED)}
        digests = {path: _digest(text.encode()) for path, text in own.items()}
    return ProjectRecord(
        format=_FORMAT,
        abigen=project.abigen_version,
        name=project.identity.name,
        device_type=project.identity.device_type,
        api=project.api,
        api_version=project.api_version,
        language=project.language,
        features=project.features,
        minimal=project.minimal,
        entries=project.entries,
        left_out={key: name for key, name in project.left_out.items() if key not in project.functions},
        functions={
            key: (each.name, scaffold.written[key].name, each.declaration) for key, each in project.functions.items()
        },
        files=dict(sorted(digests.items())),
        generated=tuple(path for path in scaffold.files if path.startswith(GENERATED)),
    )


def read_record(text: str, path: str) -> ProjectRecord:
    """Read a record.

    Args:
        text: of the file.
        path: of the file, for messages.

    Raises:
        AbigenError: it is no record, or one of a later abigen.
    """
    try:
        stated = json.loads(text)
        if stated["format"] not in _READ:
            hint = "update abigen"
            raise AbigenError.at(None, f"{path} was written by abigen {stated['abigen']}, in another format", hint)
        record = ProjectRecord(**stated)
        paths = (record.name, record.device_type, record.api, record.language, *record.files, *record.generated)
        outside = ".." in "/".join(paths).split("/") or not all(each.startswith(GENERATED) for each in record.generated)
        whole = all(len(each) == 3 for each in record.functions.values())
        texts = (*record.features, *(text for each in record.functions.values() for text in each))
        if any(Path(each).is_absolute() for each in (record.spec, record.specs)) or not isinstance(
            record.spec_digest, str
        ):
            raise ValueError
        if outside or not whole or not all(isinstance(each, str) for each in texts):
            raise ValueError
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise AbigenError.at(None, f"{path} is no record of abigen new", "restore it from version control") from error
    return record


def update(record: ProjectRecord, made: Scaffold, present: Mapping[str, bytes]) -> ProjectUpdate:
    """Compare a project with what it would be if it were made now.

    What its author has not touched is replaced. What its author has changed is kept, and functions that are new are
    appended to it.

    Args:
        record: how the project was made.
        made: the project as it would be now, with the names that the record knows.
        present: path to content, of the author's files and all other sources.
    """
    return _Merge(record, made, present).result()


def deleted(record: ProjectRecord, sources: Iterable[str]) -> Mapping[str, str]:
    """Return the names of the functions that no source of a project has, by their keys.

    Args:
        record: how the project was made.
        sources: the texts of all files that its author may have written functions in.
    """
    texts = tuple(sources)
    names = {**record.left_out, **{key: name for key, (_, name, _) in record.functions.items()}}
    last = {key: name.rpartition("::")[2] for key, name in names.items()}
    return {key: name for key, name in names.items() if not any(_line(text, last[key]) for text in texts)}


class _Merge:
    def __init__(self, record: ProjectRecord, made: Scaffold, present: Mapping[str, bytes]) -> None:
        self._record = record
        self._made = made
        self._present = present
        # A file that is the author's own by now: changed, or never abigen's.
        self._own = {
            path: content.decode("utf-8", "surrogateescape")
            for path, content in present.items()
            if record.files.get(path) != _digest(content) and not path.startswith(GENERATED)
        }
        self._files: dict[str, str] = {}
        self._remarks: list[str] = []
        self._tasks: list[str] = []

    def result(self) -> ProjectUpdate:
        removed = [path for path in self._record.generated if path not in self._made.files]
        digests = dict(self._record.files)
        for path, text in self._made.files.items():
            if path.startswith(GENERATED):
                self._files[path] = text
            elif path not in self._present and path in self._record.files:
                continue  # The author has deleted it.
            elif path in self._own:
                self._keep(path, text)
            else:
                self._files[path] = self._without_known(path, text)
                digests[path] = _digest(self._files[path].encode())
        for key in self._made.project.functions:
            if key not in self._record.functions:
                self._add(key)
        for key, name in self._made.project.left_out.items():
            if key in self._made.project.functions:
                self._tasks.append(f"{name} is required, and no file has it: write it")
            elif key not in self._record.left_out:
                self._remarks.append(f"{name} is optional, and no file has it: the plugin does without")
        self._tasks += [*self._changed(), *self._gone()]
        self._remarks += [f"{path} is no longer made" for path in removed]
        return ProjectUpdate(
            files=self._files,
            removed=removed,
            remarks=self._remarks,
            tasks=self._tasks,
            record=record_of(self._made, digests),
        )

    def _keep(self, path: str, text: str) -> None:
        """Say what the author may want to know of a file that would be another one now."""
        holds_functions = any(each.path == path for each in self._made.written.values())
        if path not in self._record.files:
            self._tasks.append(f"{path} is yours, and abigen would make one now: compare them")
        elif _digest(text.encode()) != self._record.files[path] and not holds_functions:
            self._tasks.append(f"{path} is as you have changed it; a new project has another one: compare them")

    def _without_known(self, path: str, text: str) -> str:
        """The text of a file without the functions that the author has somewhere else."""
        for each in self._made.written.values():
            if each.path == path and self._definition(each.name):
                text = text.replace(each.text, "")
        return text

    def _add(self, key: str) -> None:
        """See to it that some file has a function that is new."""
        function = self._made.written[key]
        path = function.path
        mine = self._definition(function.name)
        if mine:
            self._remarks.append(f"{function.name} is new in the API, and {mine} has it")
            return
        if path not in self._files:
            before = self._own.get(path, "") or self._head(path)
            self._files[path] = self._own[path] = f"{before.rstrip()}\n\n{function.text}"
        line = _line(self._files[path], function.name)
        self._tasks.append(f"{path}:{line}: {function.name} is new: see what it does by default, and write it")

    def _head(self, path: str) -> str:
        """The beginning of a file that the author has deleted, up to its first function."""
        text = self._made.files[path]
        first = min(text.find(each.text) for each in self._made.written.values() if each.path == path)
        return text[: max(first, 0)]

    def _changed(self) -> Iterator[str]:
        """Functions that core calls in another way now."""
        for key, (_, name, before) in self._record.functions.items():
            now = self._made.project.functions.get(key)
            if now is not None and now.declaration != before:
                where = self._definition(name)
                what = f"{name} is declared in another way now:\n    was {before}\n    is  {now.declaration}"
                yield f"{where}: {what}" if where else what

    def _gone(self) -> Iterator[str]:
        """Functions that core does not know any more."""
        for key, (_, name, _) in self._record.functions.items():
            where = self._definition(name)
            if key not in self._made.project.functions and where:
                yield f"{where}: {name} is no longer part of the API: remove it"

    def _definition(self, name: str) -> str:
        """Where one of the author's own files names a function first, as `path:line`; empty when none does."""
        found = ((path, _line(text, name)) for path, text in self._own.items())
        return next((f"{path}:{line}" for path, line in found if line), "")


def _line(text: str, name: str) -> int:
    """The line of a text that names something first; 0 for none."""
    found = re.search(rf"\b{re.escape(name)}\b", text)
    return text.count("\n", 0, found.start()) + 1 if found else 0


def _digest(content: bytes) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    return sha256(content).hexdigest()
