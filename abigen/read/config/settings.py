"""What a configuration file says, with a place for each setting."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, cast

from abigen.model.finding import Override
from abigen.model.span import Span

SCHEMA_FILE = Path(__file__).with_name("schema.json")
"""The JSON Schema of `abigen.toml`, as it is published."""

Value: TypeAlias = "str | bool | int | tuple[str, ...] | Mapping[str, str]"


class Settings(NamedTuple):
    """What a configuration file says; what it does not say is absent."""

    path: str = ""
    """As users would write it; empty when there is no file."""
    values: Mapping[str, Value] = {}
    """By dotted name: `policy`, `options.major-zero`, `rules`."""
    exceptions: tuple[Override, ...] = ()
    places: Mapping[str, Span] = {}
    """Where each value is given, by dotted name; for an entry of a table of strings, by `rules.NAME` as well."""
    text: str = ""

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


@cache
def config_keys() -> dict[str, Any]:
    """What `abigen.toml` may say: each key of its published JSON Schema."""
    return cast(dict[str, Any], json.loads(SCHEMA_FILE.read_text(encoding="utf-8"))["properties"])
