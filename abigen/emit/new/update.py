"""What brings a project up to a newer release of its API, and what that leaves for its author to do."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from abigen.emit.new.project import GENERATED, Scaffold
from abigen.emit.new.record import Record, digest, record_of


@dataclass(frozen=True, kw_only=True)
class Update:
    """What changes in a project."""

    files: Mapping[str, str]
    """Path to new text, of every file that changes."""
    removed: tuple[str, ...]
    """Paths of generated files that are no longer made."""
    remarks: tuple[str, ...]
    """What has been done."""
    tasks: tuple[str, ...]
    """What the author has to do."""
    record: Record


def update(record: Record, made: Scaffold, present: Mapping[str, bytes]) -> Update:
    """Compare a project with what it would be if it were made now.

    What its author has not touched is replaced. What its author has changed is kept, and functions that are new are
    appended to it.

    Args:
        record: how the project was made.
        made: the project as it would be now, with the names that the record knows.
        present: path to content, of the author's files and all other sources.
    """
    return _Merge(record, made, present).result()


class _Merge:
    def __init__(self, record: Record, made: Scaffold, present: Mapping[str, bytes]) -> None:
        self._record = record
        self._made = made
        self._present = present
        # A file that is the author's own by now: changed, or never abigen's.
        self._own = {
            path: content.decode("utf-8", "surrogateescape")
            for path, content in present.items()
            if record.files.get(path) != digest(content) and not path.startswith(GENERATED)
        }
        self._new = [key for key in made.project.functions if key not in record.functions]
        self._files: dict[str, str] = {}
        self._remarks: list[str] = []
        self._tasks: list[str] = []

    def result(self) -> Update:
        removed = tuple(path for path in self._record.generated if path not in self._made.files)
        written = dict(self._record.files)
        for path, text in self._made.files.items():
            if path.startswith(GENERATED):
                self._files[path] = text
            elif path not in self._present and path in self._record.files:
                continue  # The author has deleted it.
            elif path in self._own:
                self._keep(path, text)
            else:
                self._files[path] = self._without_known(path, text)
                written[path] = digest(self._files[path].encode())
        for key in self._new:
            self._add(key)
        self._tasks += [*self._changed(), *self._gone()]
        for path in removed:
            self._remarks.append(f"{path} is no longer made")
        return Update(
            files=self._files,
            removed=removed,
            remarks=tuple(self._remarks),
            tasks=tuple(self._tasks),
            record=record_of(self._made, written),
        )

    def _keep(self, path: str, text: str) -> None:
        """Say what the author may want to know of a file that would be another one now."""
        if path not in self._record.files:
            self._tasks.append(f"{path} is yours, and abigen would make one now: compare them")
        elif digest(text.encode()) != self._record.files[path] and path not in self._made.places.values():
            self._tasks.append(f"{path} is as you have changed it; a new project has another one: compare them")

    def _without_known(self, path: str, text: str) -> str:
        """The text of a file without the functions that the author has somewhere else."""
        for key, place in self._made.places.items():
            if place == path and self._definition(self._made.pieces[key].name):
                text = text.replace(self._made.pieces[key].text, "")
        return text

    def _add(self, key: str) -> None:
        """See to it that some file has a function that is new."""
        piece = self._made.pieces[key]
        place = self._made.places[key]
        mine = self._definition(piece.name)
        if mine:
            self._remarks.append(f"{piece.name} is new in the API, and {mine} has it")
            return
        if place not in self._files:
            text = self._own.get(place, "")
            text = f"{text.rstrip()}\n\n{piece.text}" if text else f"{self._head(place)}\n{piece.text}"
            self._files[place] = self._own[place] = text
        line = self._line(self._files[place], piece.name)
        self._tasks.append(f"{place}:{line}: {piece.name} is new: see what it does by default, and write it")

    def _head(self, place: str) -> str:
        """The beginning of a file that the author has deleted, up to its first function."""
        text = self._made.files[place]
        first = min(text.find(self._made.pieces[key].text) for key, path in self._made.places.items() if path == place)
        return text[: max(first, 0)].rstrip() + "\n"

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
        for path, text in self._own.items():
            if re.search(rf"\b{re.escape(name)}\b", text):
                return f"{path}:{self._line(text, name)}"
        return ""

    def _line(self, text: str, name: str) -> int:
        found = re.search(rf"\b{re.escape(name)}\b", text)
        return text.count("\n", 0, found.start()) + 1 if found else 1
