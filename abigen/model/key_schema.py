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


def keys_matching(pattern: str, message: str) -> Meta:
    """What the keys of a mapping have to match, and what is said where one does not."""
    return Meta(extra_json_schema={"propertyNames": {"pattern": pattern, "patternErrorMessage": message}})


UNIQUE = Meta(extra_json_schema={"uniqueItems": True})
"""Of a list in which nothing may stand twice."""
