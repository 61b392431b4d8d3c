"""From a configuration file to settings, or to everything that is wrong with it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date, datetime

from abigen.model.identifiers import PLACES
from abigen.model.span import AbigenError, Span
from abigen.read.config.document import Document
from abigen.read.config.find import Source
from abigen.read.config.keys import DATE, FLAG, KEYS, NUMBER, TABLE, TABLES, TEXT, TEXT_TABLE, TEXTS, Key
from abigen.read.config.places import Path
from abigen.read.config.rule_names import RuleNames, Rules
from abigen.read.config.settings import Accepted, Settings, Value
from abigen.read.document.problems import Problems, did_you_mean

_COMPILER = re.compile(r"none|(?:[A-Za-z0-9_.]+-)*(?:cc|gcc|clang|icx|tcc|emcc|c[0-9]{2})(?:-[0-9.]+)?")
"""A working copy may come from anywhere, and its configuration must not say which program to run."""

_SIZE_MACRO = re.compile(rf"\w*(?:{'|'.join(map(re.escape, PLACES))})\w*", re.ASCII)
_COUNTER = re.compile(r"\w*\*\w*", re.ASCII)

_MUCH = 10**20

_MACRO = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_DEFINITION = re.compile(rf"{_MACRO.pattern}(?:\([^()\r\n]*\))?(?:=[^\r\n]*)?")


def parse_settings(source: Source, rules: Rules) -> Settings:
    """Take a configuration file apart.

    Args:
        source: the file.
        rules: the rules that it may speak of, by name or code.

    Raises:
        AbigenError: with everything that is wrong with it, each where it stands.
    """
    return _Reading(source, rules).read()


class _Reading:
    """One pass over one file."""

    def __init__(self, source: Source, rules: Rules) -> None:
        self._source = source
        self._rules = RuleNames(rules)
        self._document = Document(source)
        self._report = Problems()
        self._values: dict[str, Value] = {}
        self._spans: dict[str, Span] = {}

    def read(self) -> Settings:
        """Check everything, then make the settings."""
        exceptions: list[Accepted] = []
        for name, value in self._known((), self._table((), self._document.content), KEYS):
            key, path = KEYS[name], (name,)
            if key.kind == TABLES and key.keys is not None:
                entries = value if isinstance(value, list) else self._wrong(path, key.kind, value)
                exceptions = [self._exception((name, number), each, key.keys) for number, each in enumerate(entries)]
            elif key.kind == TABLE and key.keys is not None:
                for inner, its_value in self._known(path, self._table(path, value), key.keys):
                    self._take((name, inner), its_value, key.keys[inner])
            else:
                self._take(path, value, key)
        self._check_targets()
        self._check_language()
        self._check_patterns()
        self._name_rules()
        exceptions = self._checked_exceptions(exceptions)
        self._report.raise_errors()
        return Settings(
            path=self._source.path,
            values=self._values,
            exceptions=tuple(exceptions),
            places=self._spans,
            text=self._source.text,
        )

    def _table(self, path: Path, value: object) -> Mapping[str, object]:
        """A table; anything else is reported, and taken for an empty one."""
        if not isinstance(value, dict):
            self._wrong(path, TABLE, value)
            return {}
        return value

    def _known(self, path: Path, table: Mapping[str, object], keys: Mapping[str, Key]) -> Iterator[tuple[str, object]]:
        """The entries of a table whose keys there are; the others are reported."""
        for name, value in table.items():
            if name in keys:
                yield name, value
                continue
            where = f" in {_dotted(path)}" if path else ""
            elsewhere = [outer for outer, key in KEYS.items() if name in (key.keys or ())] if not path else []
            if path and name in KEYS:
                hint = f"`{name}` belongs to the top: write it before the first [table]"
            elif elsewhere:
                hint = f"`{name}` belongs to [{elsewhere[0]}]"
            else:
                hint = did_you_mean(name, keys) or f"there are {', '.join(keys)}"
            self._report.error(self._document.place_of_key((*path, name)), f"there is no key `{name}`{where}", hint)

    def _take(self, path: Path, value: object, key: Key) -> None:
        """Keep a value that is of its kind."""
        name = _dotted(path)
        found = self._checked(path, value, key)
        if found is not None:
            self._values[name] = found
            self._spans[name] = self._document.place_of_key(path)
        if key.kind == TEXT_TABLE and isinstance(value, dict):
            self._spans |= {f"{name}.{each}": self._document.place_of_key((*path, each)) for each in value}

    def _checked(self, path: Path, value: object, key: Key) -> Value | None:
        """A value, if it is what its key wants; else that is reported."""
        if key.kind == TEXT_TABLE and isinstance(value, dict):
            each = Key(kind=TEXT, doc="", choices=key.choices)
            entries = {name: self._checked((*path, name), inner, each) for name, inner in value.items()}
            return {name: inner for name, inner in entries.items() if isinstance(inner, str)}
        if key.kind == TEXTS and isinstance(value, list):
            each = Key(kind=TEXT, doc="", choices=key.choices)
            elements = [self._checked((*path, number), inner, each) for number, inner in enumerate(value)]
            return tuple(inner for inner in elements if isinstance(inner, str))
        if key.kind == TEXT and isinstance(value, str):
            return self._choice(path, value, key.choices)
        if key.kind == FLAG and isinstance(value, bool):
            return value
        if key.kind == NUMBER and isinstance(value, int) and not isinstance(value, bool) and value > 0:
            return value
        day = _day(value) if key.kind == DATE else ""
        if not day:
            self._wrong(path, key.kind, value)
        return day or None

    def _choice(self, path: Path, value: str, choices: tuple[str, ...]) -> str | None:
        """A string, if it is one of those that may be chosen."""
        if not choices or value in choices:
            return value
        self._report.error(
            self._document.place_of_value(path),
            f"expected {', '.join(choices[:-1])} or {choices[-1]}, found {_found(value)}",
            did_you_mean(value, choices),
        )
        return None

    def _exception(self, path: Path, value: object, keys: Mapping[str, Key]) -> Accepted:
        """One accepted finding."""
        table = self._table(path, value)
        found = {
            name: self._checked((*path, name), inner, keys[name]) for name, inner in self._known(path, table, keys)
        }
        for name in (name for name, key in keys.items() if key.required):
            if name not in table:
                place = self._document.place_of_value(path)
                self._report.error(place, f"an exception needs a `{name}`", keys[name].doc)
            elif not str(table[name]).strip():
                place = self._document.place_of_value((*path, name))
                self._report.error(place, f"the `{name}` of an exception cannot be empty", keys[name].doc)
        return Accepted(
            rule=str(found.get("rule") or ""),
            entity=str(found.get("entity") or "*"),
            level=str(found.get("level") or "off"),
            reason=str(found.get("reason") or ""),
            expires=str(found.get("expires") or ""),
            place=self._document.place_of_value(path),
        )

    def _check_targets(self) -> None:
        """Targets have to be known; they are kept by their full names."""
        from abigen.model.target import find_target

        names: dict[str, None] = {}
        for place, name in self._elements("targets"):
            try:
                full = find_target(name).name
            except AbigenError as error:
                for each in error.diagnostics:
                    self._report.error(place, each.message, each.hint)
                continue
            if full in names:
                self._report.error(place, f"the target `{full}` is listed twice")
            names[full] = None
        if names:
            self._values["targets"] = tuple(names)

    def _check_language(self) -> None:
        """Standard, compiler and macros have to be what they are called."""
        compiler, std = self._values.get("cc"), self._values.get("std")
        if isinstance(compiler, str) and not _COMPILER.fullmatch(compiler):
            hint = "name a compiler on PATH here, as gcc-13, or none; a path or options go on the command line: --cc"
            self._report.error(self._document.place_of_value(("cc",)), f"{_found(compiler)} is no compiler", hint)
        if isinstance(std, str):
            from abigen.read.c.preprocessor.environment import check_standard

            try:
                check_standard(std)
            except AbigenError as error:
                for each in error.diagnostics:
                    self._report.error(self._document.place_of_value(("std",)), each.message, each.hint)
        for key, pattern, wanted in (
            ("defines", _DEFINITION, "NAME or NAME=VALUE"),
            ("undefines", _MACRO, "the name of a macro"),
        ):
            for place, text in self._elements(key):
                if not pattern.fullmatch(text):
                    self._report.error(place, f"expected {wanted}, found {_found(text)}")

    def _check_patterns(self) -> None:
        """Patterns for names have to leave room for a name."""
        pattern = self._values.get("conventions.size-macro")
        if isinstance(pattern, str) and pattern and not _SIZE_MACRO.fullmatch(pattern):
            place = self._document.place_of_value(("conventions", "size-macro"))
            hint = f"one of {', '.join(PLACES)} stands for the struct's name"
            self._report.error(place, f"expected a name with a place in it, found {_found(pattern)}", hint)
        for place, text in self._elements("conventions", "counts"):
            if not _COUNTER.fullmatch(text):
                self._report.error(place, f"expected a name with a * in it, found {_found(text)}")

    def _elements(self, *path: str) -> Iterator[tuple[Span, str]]:
        """The strings of a list, each with its place."""
        value = self._document.content
        for name in path:
            value = value.get(name) if isinstance(value, Mapping) else None
        for number, each in enumerate(value if isinstance(value, list) else ()):
            if isinstance(each, str):
                yield self._document.place_of_value((*path, number)), each

    def _name_rules(self) -> None:
        """Give levels to rules by their public names."""
        named: dict[str, str] = {}
        content = self._document.content
        spoken = content.get("rules") if isinstance(content, Mapping) else None
        levels = self._values.get("rules")
        if not isinstance(spoken, dict) or not isinstance(levels, Mapping):
            return
        for spelled in spoken:
            name = self._rules.find(spelled)
            place = self._document.place_of_key(("rules", spelled))
            if not name:
                self._report.error(place, f"there is no rule `{spelled}`", self._rules.suggestion(spelled))
            elif name in named:
                self._report.error(
                    place, f"the rule `{name}` has a level already", "in the same table, by another name"
                )
            named[name] = levels.get(spelled, "")
            self._spans[f"rules.{name}"] = place
        self._values["rules"] = named

    def _checked_exceptions(self, exceptions: list[Accepted]) -> list[Accepted]:
        """Exceptions, a single rule by its public name; none twice, and none for no rule."""
        seen: dict[tuple[str, str], Span] = {}
        checked = []
        for number, each in enumerate(exceptions):
            rule = self._rules.find(each.rule) if each.rule else ""
            if each.rule and not rule and not self._rules.matches(each.rule):
                place = self._document.place_of_value(("exceptions", number, "rule"))
                self._report.error(place, f"there is no rule `{each.rule}`", self._rules.suggestion(each.rule))
            checked.append(each._replace(rule=rule or each.rule))
            first = seen.setdefault((checked[-1].rule, each.entity), each.place)
            if each.rule and first is not each.place:
                message = f"there is an exception for `{checked[-1].rule}` of `{each.entity}` already"
                self._report.error(each.place, message, f"it begins in line {first.line}")
        return checked

    def _wrong(self, path: Path, wanted: str, value: object) -> tuple[()]:
        self._report.error(self._document.place_of_value(path), f"expected {wanted}, found {_found(value)}")
        return ()


def _day(value: object) -> str:
    """A date as `YYYY-MM-DD`; empty when it is none."""
    if isinstance(value, date) and not isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, str) and re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", value):
        try:
            return date.fromisoformat(value).isoformat()
        except ValueError:
            return ""
    return ""


def _dotted(path: Path) -> str:
    return ".".join(str(each) for each in path if isinstance(each, str))


def _found(value: object) -> str:
    """What a value of the wrong kind is, in words."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return f"the number {value}" if abs(value) < _MUCH else "a very large number"
    if isinstance(value, str):
        line = " ".join(value.split())
        return f"'{line}'" if len(line) <= 60 else f"'{line[:57]}...'"
    if isinstance(value, (list, dict)):
        return "a list" if isinstance(value, list) else "a table"
    return "a time" if not isinstance(value, date) or isinstance(value, datetime) else "a date"
