"""What a JSON Schema says of a key besides its type, for records of which one is made."""

from __future__ import annotations

from msgspec import Meta


def one_of(*words: str) -> Meta:
    """The words that a text has to be, in the order in which messages name them."""
    return Meta(extra_json_schema={"enum": list(words)})
