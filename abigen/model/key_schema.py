"""What a JSON Schema says of a key besides its type, for records of which one is made."""

from __future__ import annotations

from typing import TypeAlias, TypeVar

from msgspec import Meta, UnsetType

T = TypeVar("T")
OrAbsent: TypeAlias = T | UnsetType
"""The type of a key that need not be there."""


def one_of(*choices: str) -> Meta:
    """What a text has to be, in the order in which messages name it."""
    return Meta(extra_json_schema={"enum": list(choices)})


def matching(pattern: str, message: str) -> Meta:
    """What a text has to match, and what is said where it does not."""
    return Meta(extra_json_schema={"pattern": pattern, "patternErrorMessage": message})
