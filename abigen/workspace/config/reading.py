"""Converts a configuration file to settings, and reports its errors with their places."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TypeAlias

from msgspec import convert

from abigen.model.c_standard import check_standard
from abigen.model.finding import Labels, Override, rule_named
from abigen.model.span import AbigenError, Span
from abigen.model.target import find_target
from abigen.workspace.config.settings import (
    SCHEMA_FILE,
    SHARED_NAME,
    ConfigurationFile,
    ExceptionTable,
    Settings,
    Source,
)
from abigen.workspace.document.json_schema import check_structure, load_schema
from abigen.workspace.document.tree import Item, ListNode, Node, Problems, Scalar, read_toml

_TABLES = ("build", "options", "conventions")
"""Tables of which each key is a setting."""
Rules: TypeAlias = Callable[[], Labels]
"""Gives those of every rule; asked only when a file speaks of rules."""


def parse_settings(source: Source, rules: Rules) -> Settings:
    """Take a configuration file apart.

    Args:
        source: the file; all of it counts, of a pyproject.toml only `tool.abigen`.
        rules: the rules that it may speak of, by name or code.

    Raises:
        AbigenError: with everything that is wrong with it, each where it stands.
    """
    document = read_toml(source.path, source.text)
    top = document.item("tool").values.get("abigen") if Path(source.path).name == SHARED_NAME else document
    if top is None:
        raise AbigenError.at(document.span, "this file has no table [tool.abigen]")
    problems = Problems()
    root = check_structure(top, load_schema(SCHEMA_FILE), problems)
    if not isinstance(root, Item):
        problems.raise_errors()
        return Settings()
    places = _places(root)
    values = _values(root)
    labels = tuple(rules()) if root.has("rules") or root.has("exceptions") else ()
    values["targets"] = _targets(root, problems)
    if standard := root.scalar("std"):
        _tell(problems, standard, check_standard)
    if root.has("rules"):
        named = _named_rules(root.item("rules"), labels, problems)
        values["rules"] = {name: each.text for name, (_, each) in named.items()}
        places |= {f"rules.{name}": key.span for name, (key, _) in named.items()}
    exceptions = _exceptions(root.items("exceptions"), labels, problems)
    problems.raise_errors()
    return Settings(source.path, convert(values, ConfigurationFile), exceptions, places, source.text)


def _places(root: Item) -> dict[str, Span]:
    """Places of keys by dotted name."""
    places: dict[str, Span] = {}
    for outer, table in (("", root), *((f"{each}.", root.item(each)) for each in _TABLES)):
        for name, node in table.values.items():
            if outer or name not in (*_TABLES, "exceptions"):
                places[outer + name] = table.keys[name].span
                for inner, key in node.keys.items() if isinstance(node, Item) else ():
                    places[f"{outer}{name}.{inner}"] = key.span
    return places


def _values(table: Item) -> dict[str, object]:
    """Return the content of a table; sorted, since the order of keys means nothing."""
    return {key: _value(node) for key, node in sorted(table.values.items())}


def _value(node: Node) -> object:
    if isinstance(node, Item):
        return _values(node)
    if isinstance(node, ListNode):
        return [_value(each) for each in node.items]
    assert isinstance(node, Scalar)
    if node.kind == "boolean":
        return node.is_true
    return int(node.text, 0) if node.kind == "integer" else node.text


def _tell(problems: Problems, scalar: Scalar, check: Callable[[str], object]) -> bool:
    """Check what a text names, and report where it stands what is wrong; returns whether all is well."""
    try:
        check(scalar.text)
    except AbigenError as error:
        for each in error.diagnostics:
            problems.error(scalar.span, each.message, each.hint)
        return False
    return True


def _targets(root: Item, problems: Problems) -> tuple[str, ...]:
    """Return the targets by their full names; they have to be known."""
    names: list[str] = []
    for scalar in root.scalars("targets"):
        if _tell(problems, scalar, find_target):
            name = find_target(scalar.text).name
            if name in names:
                problems.error(scalar.span, f"the target '{name}' is listed twice")
            names.append(name)
    return tuple(names)


def _named_rules(table: Item, labels: Labels, problems: Problems) -> dict[str, tuple[Scalar, Scalar]]:
    """Return the entries of `rules` by the rules' public names."""
    named: dict[str, tuple[Scalar, Scalar]] = {}
    for spelled, key in table.keys.items():
        name = rule_named(spelled, labels)
        if not name:
            _no_such_rule(key, labels, problems)
        elif name in named:
            message = f"the rule '{name}' has a level already"
            problems.error(key.span, message, "in the same table, by another name")
        if level := table.scalar(spelled):
            named[name] = key, level
    return named


def _exceptions(items: Iterable[Item], labels: Labels, problems: Problems) -> tuple[Override, ...]:
    """Exceptions, a single rule by its public name; none twice, and none for no rule."""
    seen: dict[tuple[str, str, str], Override] = {}
    for item in items:
        said = convert({"rule": "", "reason": "", **_values(item)}, ExceptionTable)
        rule = rule_named(said.rule, labels) or said.rule
        known = (label for each in labels for label in each)
        if (scalar := item.scalar("rule")) and rule == said.rule and not any(fnmatchcase(each, rule) for each in known):
            _no_such_rule(scalar, labels, problems)
        accepted = Override(
            rule=rule,
            entity=said.entity,
            level=said.level,
            reason=said.reason,
            expires=said.expires,
            against=said.against,
            place=item.span,
        )
        first = seen.setdefault((rule, said.entity, said.against), accepted)
        if rule and first is not accepted:
            message = f"there is an exception for '{rule}' of '{said.entity}' already"
            problems.error(item.span, message, f"it begins in line {first.place.line}")
    return tuple(seen.values())


def _no_such_rule(spelled: Scalar, labels: Labels, problems: Problems) -> None:
    known = (each[1] for each in labels)
    message = f"there is no rule '{spelled.text}'"
    problems.unknown(spelled.span, message, spelled.text, known, "`abigen rules` lists all of them")
