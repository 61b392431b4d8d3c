"""What a configuration may say: every key, what its value is, and what it is for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

LEVELS = ("error", "warning", "note", "off")
BUMPS = ("none", "patch", "minor", "major")

TEXT = "a string"
TEXTS = "a list of strings"
FLAG = "true or false"
NUMBER = "a whole number, at least 1"
DATE = "a date, as 2027-01-31"
TEXT_TABLE = "a table of strings"
TABLE = "a table"
TABLES = "a list of tables, each under [[exceptions]]"


@dataclass(frozen=True, kw_only=True)
class Key:
    """One key of a configuration."""

    kind: str
    doc: str
    choices: tuple[str, ...] = ()
    """The only values; of a table of strings, those of each of its keys."""
    keys: Mapping[str, Key] | None = None
    """Of a table, and of each table in a list."""
    required: bool = False


_OPTIONS: Mapping[str, Key] = {
    "major-zero": Key(
        kind=TEXT,
        choices=("cargo", "none", "strict"),
        doc="What has to move while MAJOR is 0: cargo (MINOR for a break, PATCH for the rest), none, or strict.",
    ),
    "source-counts": Key(kind=FLAG, doc="Whether a change that only breaks source code needs MAJOR."),
    "macro-body-bump": Key(kind=TEXT, choices=BUMPS, doc="What a changed body of a function-like macro needs."),
    "repurposed-bump": Key(kind=TEXT, choices=BUMPS, doc="What a rewritten comment of an existing member needs."),
    "strict-padding": Key(kind=FLAG, doc="Whether a hole in a versioned struct is an error."),
}

_CONVENTIONS: Mapping[str, Key] = {
    "size-field": Key(kind=TEXT, doc="The first member of every versioned struct."),
    "extension-field": Key(kind=TEXT, doc="The second member of every versioned struct; empty for none."),
    "max-alignment": Key(kind=NUMBER, doc="The largest alignment of a member of a versioned struct, in bytes."),
    "sentinels": Key(kind=TEXTS, doc="Patterns for names of enumerators that may grow, as *_COUNT."),
    "counts": Key(
        kind=TEXTS,
        doc="Patterns for names that count what a pointer points to, as n_*, where * is the pointer's name.",
    ),
    "size-macro": Key(
        kind=TEXT,
        doc="How a size constant is named: {struct} is XY_DeviceFns, {STRUCT} XY_DEVICEFNS, {WORDS} XY_DEVICE_FNS.",
    ),
    "filled-by": Key(
        kind=TEXT_TABLE, choices=("core", "plugin"), doc="Prefix of a struct's name to who fills it: core or plugin."
    ),
}

_EXCEPTION: Mapping[str, Key] = {
    "rule": Key(kind=TEXT, required=True, doc="Name or code of a rule; * and ? are wildcards."),
    "entity": Key(kind=TEXT, doc="What the finding is about, as Toy.depth; * and ? are wildcards. Default: anything."),
    "level": Key(kind=TEXT, choices=LEVELS, doc="How loud it is; off accepts it. Default: off."),
    "reason": Key(kind=TEXT, required=True, doc="Why this is accepted, for whoever has to decide about it next."),
    "expires": Key(kind=DATE, doc="The last day on which it holds."),
}

KEYS: Mapping[str, Key] = {
    "policy": Key(kind=TEXT, choices=("default", "binary-only", "strict"), doc="The policy to judge by."),
    "targets": Key(kind=TEXTS, doc="The targets to judge for, as --abi."),
    "includes": Key(kind=TEXTS, doc="Directories for included files, as -I, relative to this file."),
    "defines": Key(kind=TEXTS, doc="Macros to define, as -D."),
    "undefines": Key(kind=TEXTS, doc="Macros to undefine, as -U."),
    "std": Key(kind=TEXT, doc="The C standard to read by, as --std."),
    "cc": Key(kind=TEXT, doc="The compiler to ask, by its name on PATH, or none."),
    "options": Key(kind=TABLE, keys=_OPTIONS, doc="What the policy leaves open."),
    "rules": Key(kind=TEXT_TABLE, choices=LEVELS, doc="Name of a rule to how loud it is."),
    "conventions": Key(kind=TABLE, keys=_CONVENTIONS, doc="What headers cannot say, where they differ from the usual."),
    "exceptions": Key(kind=TABLES, keys=_EXCEPTION, doc="Findings that are accepted, each with a reason."),
}
"""By name, in the order in which they are shown."""


def json_schema() -> dict[str, object]:
    """The JSON Schema (draft 2020-12) of `abigen.toml`."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "abigen.toml",
        **_schema_of_table(KEYS),
    }


def _schema_of_table(keys: Mapping[str, Key]) -> dict[str, object]:
    required = [name for name, key in keys.items() if key.required]
    properties = {name: {"description": key.doc} | _schema_of(key) for name, key in keys.items()}
    found: dict[str, object] = {"type": "object", "properties": properties, "additionalProperties": False}
    return found | ({"required": required} if required else {})


def _schema_of(key: Key) -> dict[str, object]:
    text: dict[str, object] = {"type": "string"} | ({"enum": list(key.choices)} if key.choices else {})
    simple: Mapping[str, dict[str, object]] = {
        TEXT: text,
        TEXTS: {"type": "array", "items": text},
        FLAG: {"type": "boolean"},
        NUMBER: {"type": "integer", "minimum": 1},
        DATE: {"type": "string", "format": "date"},
        TEXT_TABLE: {"type": "object", "additionalProperties": text},
    }
    if key.kind == TABLE:
        return _schema_of_table(key.keys or {})
    if key.kind == TABLES:
        return {"type": "array", "items": _schema_of_table(key.keys or {})}
    return simple[key.kind]
