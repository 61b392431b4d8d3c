"""Versions, and how to take one out of the text that states it."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Version:
    """A release, as semantic versioning orders it."""

    major: int
    minor: int
    patch: int = 0

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}.{self.patch}"


_TEXT = r'"v?(\d+)\.(\d+)(?:\.(\d+))?(?:[-+.\s][^"]*)?"'


def read_version(text: str) -> tuple[Version, int] | None:
    """A version that a string literal states (`"1.2.3"`), and how many of its numbers; None when it is something else.

    Args:
        text: the literal, quotes included.
    """
    match = re.fullmatch(_TEXT, text.strip("() "))
    if match is None:
        return None
    major, minor, patch = (int(part or 0) for part in match.groups())
    return Version(major, minor, patch), 3 if match[3] else 2
