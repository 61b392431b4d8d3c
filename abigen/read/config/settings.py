"""A configuration file as settings, with a place for each, and with everything that is wrong with it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import TypeAlias

from abigen.model.span import AbigenError, Diagnostic, Span
from abigen.read.config.find import SHARED_NAME, Source
from abigen.read.config.keys import DATE, FLAG, KEYS, NUMBER, TABLE, TABLES, TEXT, TEXT_TABLE, TEXTS, Key
from abigen.read.config.places import Path, places_of
from abigen.read.evidence import Evidence

_COMPILER = re.compile(r"none|(?:[A-Za-z0-9_.]+-)*(?:cc|gcc|clang|icx|tcc|emcc|c[0-9]{2})(?:-[0-9.]+)?")
"""A working copy may come from anywhere, and its configuration must not say which program to run."""

Value: TypeAlias = "str | bool | int | tuple[str, ...] | Mapping[str, str]"


@dataclass(frozen=True, kw_only=True)
class Accepted:
    """One of `exceptions`: findings that a project has decided about."""

    rule: str
    entity: str
    level: str
    reason: str
    expires: str
    """`YYYY-MM-DD`; empty for no end."""
    place: Span


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What a configuration file says; what it does not say is absent."""

    path: str = ""
    """As users would write it; empty when there is no file."""
    values: Mapping[str, Value] = field(default_factory=dict)
    """By dotted name: `policy`, `options.major-zero`, `rules`."""
    exceptions: tuple[Accepted, ...] = ()
    places: Mapping[str, Span] = field(default_factory=dict)
    """Where each value is given; for an entry of a table of strings, by `rules.NAME` as well."""
    text: str = ""
    evidence: Evidence = field(default_factory=dict)
    """What this rests on: the file, and those that were looked for in vain."""

    def strings(self, name: str) -> tuple[str, ...]:
        """The value of a list of strings; empty when it is not set."""
        value = self.values.get(name, ())
        return value if isinstance(value, tuple) else ()

    def table(self, name: str) -> Mapping[str, str]:
        """The value of a table of strings; empty when it is not set."""
        value = self.values.get(name)
        return value if isinstance(value, Mapping) else {}

    def string(self, name: str) -> str | None:
        """The value of a string; None when it is not set."""
        value = self.values.get(name)
        return value if isinstance(value, str) else None


def parse_settings(source: Source) -> Settings:
    """Take a configuration file apart.

    Args:
        source: the file; one without a path gives settings that say nothing.

    Raises:
        AbigenError: with everything that is wrong with it, each at its key.
    """
    if not source.path:
        return Settings(evidence=source.evidence)
    import tomllib

    try:
        document = tomllib.loads(source.text)
    except ValueError as error:  # TOMLDecodeError, or that a number has too many digits
        raise AbigenError([_syntax(source, str(error))]) from None
    except RecursionError:
        raise AbigenError.at(Span(source.path, 1, 1), "this is nested too deeply") from None
    is_shared = os.path.basename(source.path) == SHARED_NAME
    top = ("tool", "abigen") if is_shared else ()
    for name in top:
        document = document.get(name, {})
    return _Reading(source, top).read(document)


class _Reading:
    """One pass over one file."""

    def __init__(self, source: Source, top: Path) -> None:
        self._source = source
        self._top = top
        self._places = places_of(source.text)
        self._problems: list[Diagnostic] = []
        self._values: dict[str, Value] = {}
        self._spans: dict[str, Span] = {}

    def read(self, document: object) -> Settings:
        """Check everything, then make the settings."""
        if not isinstance(document, dict):
            self._wrong((), "abigen", TABLE, document)
            document = {}
        exceptions: list[Accepted] = []
        for name, value in self._known((), document, KEYS):
            key = KEYS[name]
            if key.kind == TABLE and key.keys is not None and isinstance(value, dict):
                for inner, its_value in self._known((name,), value, key.keys):
                    self._take((name, inner), its_value, key.keys[inner])
            elif key.kind == TABLES and isinstance(value, list) and key.keys is not None:
                exceptions += [self._exception((name, number), each, key.keys) for number, each in enumerate(value)]
            else:
                self._take((name,), value, key)
        self._check_compiler()
        if self._problems:
            first = Span(self._source.path, 1, 1)
            raise AbigenError(sorted(self._problems, key=lambda each: each.place or first))
        return Settings(
            path=self._source.path,
            values=self._values,
            exceptions=tuple(exceptions),
            places=self._spans,
            text=self._source.text,
            evidence=self._source.evidence,
        )

    def _known(self, path: Path, table: Mapping[str, object], keys: Mapping[str, Key]) -> Iterator[tuple[str, object]]:
        """The entries of a table whose keys there are; the others are reported."""
        for name, value in table.items():
            if name in keys:
                yield name, value
            else:
                where = f" in {_dotted(path)}" if path else ""
                self._problem((*path, name), f"there is no key '{name}'{where}", _suggestion(name, keys))

    def _take(self, path: Path, value: object, key: Key) -> None:
        """Keep a value that is of its kind."""
        name = _dotted(path)
        found = self._checked(path, name, value, key)
        if found is not None:
            self._values[name] = found
            self._spans[name] = self._place(path)
        if key.kind == TEXT_TABLE and isinstance(value, dict):
            self._spans |= {f"{name}.{each}": self._place((*path, each)) for each in value}

    def _checked(self, path: Path, name: str, value: object, key: Key) -> Value | None:
        """A value, if it is what its key wants; else that is reported."""
        if key.kind == TEXT_TABLE and isinstance(value, dict):
            one = Key(kind=TEXT, doc="", choices=key.choices)
            entries = {
                each: self._checked((*path, each), f"{name}.{each}", inner, one) for each, inner in value.items()
            }
            return {each: inner for each, inner in entries.items() if isinstance(inner, str)}
        if key.kind == DATE and isinstance(value, date) and not isinstance(value, datetime):
            return value.isoformat()
        if key.kind == DATE and isinstance(value, str):
            try:
                return date.fromisoformat(value).isoformat()
            except ValueError:
                self._wrong(path, name, key.kind, value)
                return None
        if key.kind == TEXT and isinstance(value, str):
            if key.choices and value not in key.choices:
                hint = _suggestion(value, key.choices) or f"one of {', '.join(key.choices)}"
                self._problem(path, f"{name} cannot be '{value}'", hint)
                return None
            return value
        if key.kind == TEXTS and isinstance(value, list) and all(isinstance(each, str) for each in value):
            return tuple(value)
        if key.kind == FLAG and isinstance(value, bool):
            return value
        if key.kind == NUMBER and isinstance(value, int) and not isinstance(value, bool) and value > 0:
            return value
        self._wrong(path, name, key.kind, value)
        return None

    def _exception(self, path: Path, value: object, keys: Mapping[str, Key]) -> Accepted:
        """One accepted finding."""
        if not isinstance(value, dict):
            self._wrong(path, "an exception", TABLE, value)
            value = {}
        found = {
            name: self._checked((*path, name), name, inner, keys[name])
            for name, inner in self._known(path, value, keys)
        }
        for name, key in keys.items():
            if key.required and not found.get(name) and (name not in value or value[name] == ""):
                self._problem((*path, name), f"an exception needs a '{name}'", key.doc)
        return Accepted(
            rule=str(found.get("rule") or ""),
            entity=str(found.get("entity") or "*"),
            level=str(found.get("level") or "off"),
            reason=str(found.get("reason") or ""),
            expires=str(found.get("expires") or ""),
            place=self._place(path),
        )

    def _check_compiler(self) -> None:
        """A file in the working copy may choose a compiler, but not what else is run."""
        compiler = self._values.get("cc")
        if isinstance(compiler, str) and not _COMPILER.fullmatch(compiler):
            hint = "name a compiler on PATH here, as gcc-13, or none; a path or options go on the command line: --cc"
            self._problem(("cc",), f"cc cannot be '{compiler}'", hint)

    def _wrong(self, path: Path, name: str, wanted: str, value: object) -> None:
        self._problem(path, f"{name} has to be {wanted}, not {_kind_of(value)}", "")

    def _problem(self, path: Path, message: str, hint: str) -> None:
        self._problems.append(Diagnostic(self._place(path), message, hint))

    def _place(self, path: Path) -> Span:
        """Where a key stands, or the nearest one around it that has a place."""
        full = (*self._top, *path)
        while full and full not in self._places:
            full = full[:-1]
        return Span(self._source.path, *self._places.get(full, (1, 1, 1)))


def _syntax(source: Source, message: str) -> Diagnostic:
    """What tomllib says, at the place that it says it of."""
    found = re.search(r" \(at (?:line (\d+), column (\d+)|end of document)\)$", message)
    text = message[: found.start()] if found else message
    if found and found[1]:
        place = Span(source.path, int(found[1]), int(found[2]))
    else:
        last = source.text.rstrip("\n").count("\n") + 1
        place = Span(source.path, last, 1)
    return Diagnostic(place, text[:1].lower() + text[1:])


def _dotted(path: Path) -> str:
    return ".".join(str(each) for each in path if isinstance(each, str))


def _suggestion(name: str, known: Mapping[str, object] | tuple[str, ...]) -> str:
    from difflib import get_close_matches

    close = get_close_matches(name, list(known), 1)
    return f"did you mean '{close[0]}'?" if close else f"one of {', '.join(known)}"


def _kind_of(value: object) -> str:
    """What a value of the wrong kind is, in words."""
    names = {
        str: "a string",
        bool: "true or false",
        int: "a number",
        float: "a number",
        list: "a list",
        dict: "a table",
    }
    text = names.get(type(value), "a date or time")
    return f"'{value}'" if isinstance(value, (str, int)) and not isinstance(value, bool) else text
