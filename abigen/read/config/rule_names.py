"""The rules that a configuration speaks of: by name, by code, or by a pattern."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import TypeAlias

from abigen.read.document.problems import did_you_mean

Rules: TypeAlias = Callable[[], Iterable[tuple[str, str]]]
"""Gives code and name of every rule; asked only when a file speaks of rules."""


class RuleNames:
    """What rules are called."""

    def __init__(self, rules: Rules) -> None:
        """Ask for them when the first one is looked for."""
        self._rules = rules

    @cached_property
    def _labels(self) -> tuple[tuple[str, str], ...]:
        return tuple(self._rules())

    def find(self, spelled: str) -> str:
        """The public name of a rule.

        Args:
            spelled: its name, with or without the question mark, or its code.

        Returns:
            The empty string when there is no such rule.
        """
        for code, name in self._labels:
            if spelled in (name, name.rstrip("?")) or spelled.upper() == code:
                return name
        return ""

    def matches(self, pattern: str) -> bool:
        """Whether any rule's name or code matches a pattern with `*` and `?`."""
        from fnmatch import fnmatchcase

        return any(fnmatchcase(label, pattern) for labels in self._labels for label in labels)

    def suggestion(self, spelled: str) -> str:
        """The hint for a name that no rule has."""
        return did_you_mean(spelled, (name for _, name in self._labels)) or "`abigen rules` lists all of them"
