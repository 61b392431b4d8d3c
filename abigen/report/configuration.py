"""The settings of a run and where they come from, as text and as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Rows = Sequence[tuple[str, object, str]]
"""Name, value, and origin."""


def rows_as_text(path: str, rows: Rows) -> str:
    """A line for each setting.

    Args:
        path: the configuration file; empty when there is none.
        rows: the settings.
    """
    lines = [f"configuration file: {path or 'none'}", ""]
    shown = [(name, _text(value), origin) for name, value, origin in rows]
    widths = [max(len(row[column]) for row in shown) for column in (0, 1)]
    lines += [f"{name:<{widths[0]}}  {value:<{min(widths[1], 40)}}  {origin}" for name, value, origin in shown]
    return "\n".join(lines) + "\n"


def rows_as_json(path: str, rows: Rows) -> str:
    """`{"schema": "abigen-config/1", "file": ..., "settings": [{"name", "value", "origin"}]}`."""
    from json import dumps

    settings = [{"name": name, "value": value, "origin": origin} for name, value, origin in rows]
    return dumps({"schema": "abigen-config/1", "file": path or None, "settings": settings}, indent=2) + "\n"


def _text(value: object) -> str:
    """A value on one line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return ", ".join(f"{key}={each}" for key, each in value.items())
    if isinstance(value, (list, tuple)):
        return ", ".join(str(each) for each in value)
    return str(value)
