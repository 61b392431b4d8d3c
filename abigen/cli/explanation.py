"""`--explain-config`: every setting, what it is, and who says so."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from json import dumps
from typing import NamedTuple

import click
from msgspec.structs import asdict

from abigen.checker.configuration import Configuration
from abigen.cli.reports import Answer, ReportOutput
from abigen.headers.conventions import USUAL_CONVENTIONS
from abigen.model.span import Span, printable, printable_lines
from abigen.workspace.config.settings import config_keys
from abigen.workspace.shipped import GENERATED, SPECS

_VALUE_WIDTH = 40
"""Columns for values; a longer one moves only its own origin."""


class Setting(NamedTuple):
    """A setting, and who says so."""

    name: str
    """The key as in a configuration file, with dots between tables and keys: `options.major-zero`."""
    value: object
    origins: tuple[Span | str, ...]
    """Places in a file, and other sources in words: `command line`, `default`, `policy strict`."""


class ExceptionRow(NamedTuple):
    """A decision about findings."""

    rule: str
    entity: str
    level: str
    reason: str
    expires: str
    """`YYYY-MM-DD`; empty for no end."""
    origins: tuple[Span, ...]


class ConfigurationReport(NamedTuple):
    """The settings and exceptions that a run uses."""

    file: str
    """The configuration file; empty when there is none."""
    settings: Sequence[Setting]
    exceptions: Sequence[ExceptionRow]


def explanation_text(explanation: ConfigurationReport) -> str:
    """Return a line for each setting and each exception."""
    shown = [(each.name, _text(each.value), _origins(each.origins)) for each in explanation.settings]
    shown += [(f"exception {each.rule}", _decision(each), _origins(each.origins)) for each in explanation.exceptions]
    shown = [(printable(name), printable(value), printable(origin)) for name, value, origin in shown]
    widths = [max(len(row[column]) for row in shown) for column in (0, 1)]
    lines = [f"configuration file: {explanation.file or 'none'}", ""]
    lines += [
        f"{name:<{widths[0]}}  {value:<{min(widths[1], _VALUE_WIDTH)}}  {origin}" for name, value, origin in shown
    ]
    return printable_lines("\n".join(lines) + "\n")


def explanation_json(explanation: ConfigurationReport) -> str:
    """Return an object `abigen-config/1`: `file`, `settings` (`name`, `value`, `origins`) and `exceptions`.

    An origin has a `source` (`file`, `command line`, `policy NAME` or `default`), a file also `file`, `line`, `column`.
    """
    settings = [{**each._asdict(), "origins": list(map(_origin, each.origins))} for each in explanation.settings]
    exceptions = [
        {**row._asdict(), "expires": row.expires or None, "origins": list(map(_origin, row.origins))}
        for row in explanation.exceptions
    ]
    document = {
        "schema": "abigen-config/1",
        "file": explanation.file or None,
        "settings": settings,
        "exceptions": exceptions,
    }
    return dumps(document, indent=2) + "\n"


def _origin(origin: Span | str) -> dict[str, object]:
    if isinstance(origin, str):
        return {"source": origin}
    return {"source": "file", "file": origin.file, "line": origin.line, "column": origin.column}


def _origins(origins: Sequence[Span | str]) -> str:
    return " and ".join(str(each) for each in origins)


def _decision(row: ExceptionRow) -> str:
    """Return the effect of an exception, on one line."""
    does = "accepted" if row.level == "off" else row.level
    until = f" until {row.expires}" if row.expires else ""
    return f"{row.entity}: {does}{until} ({' '.join(row.reason.split())})"


def _text(value: object) -> str:
    """Return a value on one line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return ", ".join(f"{key}={each}" for key, each in value.items())
    if isinstance(value, (list, tuple)):
        return ", ".join(str(each) for each in value)
    return " ".join(str(value).split())


_COMMAND_LINE = "command line"


def explain_configuration(output: ReportOutput, configuration: Configuration) -> Answer:
    """Return the value of every setting, and its source.

    Raises:
        AbigenError: there is no such policy.
    """
    if output.format not in ("text", "json"):
        raise click.UsageError("--explain-config writes text or json.")
    settings = configuration.settings
    rows = [
        ExceptionRow(each.rule, each.entity, each.level, each.reason, each.expires, (each.place,))
        for each in settings.exceptions
    ]
    explanation = ConfigurationReport(settings.path, list(_settings(configuration, output.policy)), rows)
    return Answer((explanation_json if output.format == "json" else explanation_text)(explanation))


def _settings(configuration: Configuration, policy: str | None) -> Iterator[Setting]:
    """Yield all settings in the order of the configuration's keys."""
    places, said = configuration.settings.places, {*configuration.given, *(["policy"] if policy else ())}
    levels = configuration.settings.said.rules
    values, base = _values(configuration, policy), configuration.policy_name(policy)
    for name, key in config_keys().items():
        if "additionalProperties" in key and levels and "properties" not in key:
            yield from (Setting(f"{name}.{rule}", level, (places[f"{name}.{rule}"],)) for rule, level in levels.items())
        elif name != "exceptions":
            usual = f"policy {base}" if name == "options" and base != "default" else "default"
            for each in [f"{name}.{each}" for each in key["properties"]] if "properties" in key else [name]:
                yield Setting(each, values[each], _places_of_setting(places.get(each), usual, each, given=each in said))


def _places_of_setting(place: Span | None, usual: str, name: str, *, given: bool) -> tuple[Span | str, ...]:
    """Return the sources of a setting; of a list that the command line extends, both."""
    if given and place is not None and name in Configuration.EXTENDED:
        return _COMMAND_LINE, place
    return (_COMMAND_LINE,) if given else (place or usual,)


def _values(configuration: Configuration, policy: str | None) -> dict[str, object]:
    """Return the value of every setting, from all sources."""
    options, judged = configuration.options, configuration.policy(policy)
    conventions, build = configuration.conventions(USUAL_CONVENTIONS), configuration.settings.said.build
    values: dict[str, object] = {
        "policy": judged.name,
        "baseline": configuration.settings.said.baseline or "the last release",
        "targets": options.targets,
        "includes": options.include_dirs,
        "defines": options.defines,
        "undefines": options.undefines,
        "preincludes": options.preincludes,
        "own": options.own,
        "exclude": options.exclude,
        "std": options.std,
        "cc": options.cc or "found on PATH",
        "rules": {},
        "conventions.version": options.version,
        "conventions.version-split": options.version_split,
        "build.specs": build.specs or SPECS,
        "build.out": build.out or GENERATED,
        "build.targets": build.targets,
        "build.only": {group: list(names) for group, names in build.only.items()},
    }
    for prefix, group in (("options", judged.options), ("conventions", conventions)):
        for name, value in asdict(group).items():
            values[f"{prefix}.{name.replace('_', '-')}"] = getattr(value, "value", value)
    return values
