"""Rules: one small function each, registered by standing in a module of `abigen.check.rules`.

How to write one::

    @change_rule("ABI101")
    def field_removed(comparison: Comparison) -> Iterator[Report]:
        \"\"\"A member is gone.

        What changed: ...

        What happens: ...

        Instead: ...

        Source: VS, "Conventions".
        \"\"\"
        for pair in comparison.structs:
            for field in pair.fields.removed:
                yield Report(entity=..., bump=Bump.MAJOR, message=..., axes=axes(old_plugin=breaks("...")), ...)

The public name follows from the function's (`field_removed` -> `field-removed`; a trailing `_in_question` stands for
`?`), the docstring is the manual page, and the code never changes once it is published. A rule is handed both sides,
already paired (`abigen.check.comparison`), once per target; it states what it found for that target and nothing else:
the engine merges targets, gives each finding its level by the policy, and sorts.

There are four kinds, by what the function is handed:

- `change_rule`: a `Comparison` of OLD with NEW on one target;
- `verdict_rule`: a `Judgement`, when everything that changed is known (version numbers, targets that disagree);
- `form_rule`: a `Form`, one API without a history (`abigen lint`);
- `policy_rule`: what the project has decided and no longer needs.

Codes are grouped: ABI1xx members, ABI2xx whole types, ABI3xx enumerations, ABI4xx functions and variables, ABI5xx
macros and constants, ABI6xx deprecation, ABI7xx versions, ABI8xx form, ABI9xx the policy itself.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeAlias, TypeVar

from abigen.model.finding import Axes, Bump, Detail
from abigen.model.span import Span

if TYPE_CHECKING:
    from abigen.check.comparison import Comparison
    from abigen.check.exceptions import Stale
    from abigen.check.form import Form
    from abigen.check.judgement import Judgement

Subject = TypeVar("Subject", contravariant=True)

ALL_OK = Axes()
NO_NUMBERS: Mapping[str, int | str | None] = {}


class Report(NamedTuple):
    """What a rule states about one entity on one target; the engine makes a `Finding` of it."""

    entity: str
    """`Struct.member`, a function's name, ...: with the rule's name it identifies the finding."""
    bump: Bump
    message: str
    """One line that names the entity, what was and what is."""
    axes: Axes = ALL_OK
    help: str = ""
    """What to do instead, one line."""
    details: tuple[Detail, ...] = ()
    old: Span | None = None
    new: Span | None = None
    caret: str = ""
    """What to write behind the caret: `new at offset 24`."""
    numbers: Mapping[str, int | str | None] = NO_NUMBERS
    """Numbers on this target, in bytes: `old_offset`, `new_offset`, `old_size`, `new_size`, ..."""
    level: str = ""
    """How loud it is where the policy says nothing about the rule: `error`, `warning`, `note`; empty: as usual."""


class Rule(NamedTuple, Generic[Subject]):
    """One rule: its stable code, and the function that looks for it."""

    code: str
    look: Callable[[Subject], Iterator[Report]]

    @property
    def name(self) -> str:
        """The public name: `field-inserted`."""
        return _public_name(self.look.__name__)

    @property
    def subject(self) -> str:
        """The module that it stands in, without the package: `fields`."""
        return self.look.__module__.rpartition(".")[2]

    @property
    def manual(self) -> str:
        """What changed, what then happens, what to do instead, and the source; plain text, not indented."""
        from inspect import cleandoc

        return cleandoc(self.look.__doc__ or "")


AnyRule: TypeAlias = "Rule[Comparison] | Rule[Judgement] | Rule[Form] | Rule[Stale]"


def labels(rules: Iterable[AnyRule]) -> list[tuple[str, str]]:
    """The codes and names of rules."""
    return [(rule.code, rule.name) for rule in rules]


class Registry:
    """All rules, by kind, in the order of their codes."""

    def __init__(self) -> None:
        """Make an empty one."""
        self.change: list[Rule[Comparison]] = []
        self.verdict: list[Rule[Judgement]] = []
        self.form: list[Rule[Form]] = []
        self.policy: list[Rule[Stale]] = []

    def all(self) -> list[AnyRule]:
        """Every rule of every kind, by code."""
        return sorted([*self.change, *self.verdict, *self.form, *self.policy], key=lambda rule: rule.code)


_registry = Registry()
_discovered: set[str] = set()


def change_rule(code: str) -> Callable[[Callable[[Comparison], Iterator[Report]]], Rule[Comparison]]:
    """Register a function as a rule about a change.

    Args:
        code: stable, `ABI` and three digits.
    """

    def register(look: Callable[[Comparison], Iterator[Report]]) -> Rule[Comparison]:
        rule = Rule(code, look)
        _registry.change.append(rule)
        return rule

    return register


def verdict_rule(code: str) -> Callable[[Callable[[Judgement], Iterator[Report]]], Rule[Judgement]]:
    """Register a function as a rule about a whole comparison; see `change_rule`."""

    def register(look: Callable[[Judgement], Iterator[Report]]) -> Rule[Judgement]:
        rule = Rule(code, look)
        _registry.verdict.append(rule)
        return rule

    return register


def form_rule(code: str) -> Callable[[Callable[[Form], Iterator[Report]]], Rule[Form]]:
    """Register a function as a rule of form, for `abigen lint`; see `change_rule`."""

    def register(look: Callable[[Form], Iterator[Report]]) -> Rule[Form]:
        rule = Rule(code, look)
        _registry.form.append(rule)
        return rule

    return register


def policy_rule(code: str) -> Callable[[Callable[[Stale], Iterator[Report]]], Rule[Stale]]:
    """Register a function as a rule about the policy itself; see `change_rule`."""

    def register(look: Callable[[Stale], Iterator[Report]]) -> Rule[Stale]:
        rule = Rule(code, look)
        _registry.policy.append(rule)
        return rule

    return register


def registry(*, form: bool = True) -> Registry:
    """All rules there are.

    Args:
        form: whether the rules of form are wanted; they stand in modules named `form_...`, which a comparison does
            without.

    Returns:
        The rules of all modules of `abigen.check.rules`, which are imported on the first call.
    """
    from importlib import import_module

    from abigen.check import rules

    with os.scandir(rules.__path__[0]) as files:  # pkgutil takes as long as importing all of them
        names = sorted(file.name.removesuffix(".py") for file in files if file.name.endswith(".py"))
    for name in names:
        if name != "__init__" and name not in _discovered and (form or not name.startswith("form_")):
            import_module(f"{rules.__name__}.{name}")
            _discovered.add(name)
    for kind in (_registry.change, _registry.verdict, _registry.form, _registry.policy):
        kind.sort(key=lambda rule: rule.code)
    return _registry


def _public_name(function_name: str) -> str:
    """`field_repurposed_in_question` -> `field-repurposed?`."""
    if function_name.endswith("_in_question"):
        return function_name.removesuffix("_in_question").replace("_", "-") + "?"
    return function_name.replace("_", "-")
