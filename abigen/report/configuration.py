"""The settings of a run and where they come from, as text and as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from json import dumps
from typing import NamedTuple

from abigen.model.printable import printable, printable_lines
from abigen.model.span import Span

_VALUE_WIDTH = 40
"""Columns for values; a longer one moves only its own origin."""


class Setting(NamedTuple):
    """A setting, and who says so."""

    name: str
    """As a configuration file has it, tables and keys with a dot between: `options.major-zero`."""
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
    """Everything that a run goes by."""

    file: str
    """The configuration file; empty when there is none."""
    settings: Sequence[Setting]
    exceptions: Sequence[ExceptionRow]


def explanation_text(explanation: ConfigurationReport) -> str:
    """A line for each setting and each exception."""
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
    """One object, `abigen-config/1`: `file`, `settings` (`name`, `value`, `origins`) and `exceptions`.

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
    """What an exception does, on one line."""
    does = "accepted" if row.level == "off" else row.level
    until = f" until {row.expires}" if row.expires else ""
    return f"{row.entity}: {does}{until} ({' '.join(row.reason.split())})"


def _text(value: object) -> str:
    """A value on one line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return ", ".join(f"{key}={each}" for key, each in value.items())
    if isinstance(value, (list, tuple)):
        return ", ".join(str(each) for each in value)
    return " ".join(str(value).split())
