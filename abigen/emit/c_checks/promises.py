"""What files of asserts that have been written promise: a spec that changes it is refused."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

_STATEMENT = re.compile(r"^\w+_(OFFSET|MEMBER_SIZE|SIZE|ALIGNMENT)\(([^;]*?),\s*\w+_PICK\(([^()]*)\)\);$", re.MULTILINE)
_CONDITION = re.compile(r"^#(?:el)?if (.*?)\n#define \w+_PICK\(", re.MULTILINE | re.DOTALL)
_WORDS = {"MEMBER_SIZE": "size", "OFFSET": "offset", "SIZE": "size", "ALIGNMENT": "alignment"}


@dataclass(frozen=True, kw_only=True)
class Contradiction:
    """What a release has promised of a struct and would promise no longer."""

    type: str
    member: str
    """Empty for the struct as a whole."""
    text: str
    """What it was and what it would be."""


def contradictions(old: str, new: str) -> Iterator[Contradiction]:
    """Find what a file of asserts would no longer promise, or promise otherwise.

    Args:
        old: the file that is there.
        new: what is to take its place.

    Returns:
        For each struct the first member that differs, from which the rest mostly follows.
    """
    made = _promises(new)
    told: set[str] = set()
    for (type, member), kinds in _promises(old).items():
        text = _difference(kinds, made.get((type, member), {}))
        if text and type not in told:
            told.add(type)
            yield Contradiction(type=type, member=member, text=text)


def _difference(old: Mapping[str, Mapping[str, str]], new: Mapping[str, Mapping[str, str]]) -> str:
    """How two descriptions of a member differ on the first platform where they do."""
    if not new:
        return "is no longer there"
    for condition in next(iter(old.values())):
        for kind in (each for each in _WORDS if each in old):
            was, now = old[kind].get(condition), new.get(kind, {}).get(condition)
            if was and now and was != now:
                return f"has another {_WORDS[kind]}, {was} before and {now} now"
    return ""


def _promises(text: str) -> dict[tuple[str, str], dict[str, dict[str, str]]]:
    """Struct and member to kind of number to condition to the number that holds under it."""
    conditions = [" ".join(each.replace("\\\n", " ").split()) for each in _CONDITION.findall(text)]
    found: dict[tuple[str, str], dict[str, dict[str, str]]] = {}
    for kind, what, numbers in _STATEMENT.findall(text):
        type, _, member = " ".join(what.split()).partition(", ")
        values = (each.strip() for each in numbers.split(","))
        found.setdefault((type, member), {})[kind] = dict(zip(conditions, values, strict=False))
    return found
