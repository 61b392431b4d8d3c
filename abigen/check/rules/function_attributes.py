"""A rule about attributes of functions: what compilers assume of a function when they compile its callers or itself."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from abigen.check.comparison import ApiComparison, change_rules
from abigen.check.pairs import Changed
from abigen.check.rule import AtRisk, RuleResult, Subject
from abigen.model.contract import Party
from abigen.model.entities import Function
from abigen.model.finding import Bump


class _Effect(msgspec.Struct, frozen=True):
    """What follows from an attribute that came or went."""

    bump: Bump = Bump.NONE
    older_caller: str = ""
    """Why a caller of OLD may go wrong with a function of NEW."""
    newer_caller: str = ""
    """Why a caller of NEW may go wrong with a function of OLD."""
    source: str = ""
    """Why code that is compiled again may be diagnosed."""


class _Attribute(msgspec.Struct, frozen=True):
    """What one attribute does when it is added, and when it is removed."""

    added: _Effect
    removed: _Effect = _Effect()


_CHECKED = "compilers check {} now, and warn"
_ATTRIBUTES = {
    "nonnull": _Attribute(
        added=_Effect(
            Bump.MINOR,
            older_caller="NULL may be passed, and the function is compiled to expect none",
            source="compilers warn where NULL is passed",
        ),
        removed=_Effect(
            Bump.MINOR, newer_caller="NULL may be passed, and an older function is compiled to expect none"
        ),
    ),
    "returns_nonnull": _Attribute(
        added=_Effect(
            Bump.MINOR,
            newer_caller="checks for NULL are compiled out, and an older function may return it",
        ),
        removed=_Effect(
            Bump.MAJOR,
            older_caller="checks for NULL were compiled out, and the function may return it now",
        ),
    ),
    "warn_unused_result": _Attribute(added=_Effect(Bump.PATCH, source="a result that is not used is warned of")),
    "nodiscard": _Attribute(added=_Effect(Bump.PATCH, source="a result that is not used is warned of")),
    "malloc": _Attribute(
        added=_Effect(
            Bump.PATCH,
            newer_caller="compilers take the result for memory that no other pointer reaches; an older one may differ",
        )
    ),
    "alloc_size": _Attribute(
        added=_Effect(
            Bump.PATCH,
            newer_caller="checks of object sizes take the argument for the size; an older function may return less",
        )
    ),
    "alloc_align": _Attribute(
        added=_Effect(Bump.PATCH, newer_caller="the result is taken for aligned; that of an older one may not be"),
        removed=_Effect(Bump.MINOR, older_caller="the result is taken for aligned, and need not be any more"),
    ),
    "assume_aligned": _Attribute(
        added=_Effect(Bump.PATCH, newer_caller="the result is taken for aligned; that of an older one may not be"),
        removed=_Effect(Bump.MINOR, older_caller="the result is taken for aligned, and need not be any more"),
    ),
    "format": _Attribute(added=_Effect(Bump.PATCH, source=_CHECKED.format("the format against the arguments"))),
    "format_arg": _Attribute(added=_Effect(Bump.PATCH, source=_CHECKED.format("the format against the arguments"))),
    "sentinel": _Attribute(added=_Effect(Bump.PATCH, source=_CHECKED.format("the last argument"))),
    "pure": _Attribute(
        added=_Effect(Bump.PATCH, newer_caller="calls may be left out; an older function may have needed them"),
        removed=_Effect(Bump.MAJOR, older_caller="calls were left out, which the function needs now"),
    ),
    "const": _Attribute(
        added=_Effect(Bump.PATCH, newer_caller="calls may be left out; an older function may have needed them"),
        removed=_Effect(Bump.MAJOR, older_caller="calls were left out, which the function needs now"),
    ),
    "returns_twice": _Attribute(
        added=_Effect(
            Bump.MAJOR, older_caller="it is compiled for a function that returns once, and this one returns twice"
        )
    ),
}
"""Attributes that callers or the function itself are compiled with, and that no other rule judges."""


class _Case(msgspec.Struct, frozen=True):
    """One attribute of one function that came, went, or has other arguments."""

    function: Changed[Function]
    name: str
    old: str
    """As OLD states it, arguments included; empty for not at all."""
    new: str

    @property
    def about(self) -> Subject:
        """The function, and both places."""
        return self.function.about


def _attributes(comparison: ApiComparison) -> Iterator[_Case]:
    """Attributes that differ. A spec has no key for them, so that only headers are compared."""
    if comparison.old.header is not None or comparison.new.header is not None:
        return
    for function in comparison.changed(comparison.pair.functions):
        old, new = ({each.partition("(")[0]: each for each in side.flags} for side in (function.old, function.new))
        for name in _ATTRIBUTES:
            if old.get(name, "") != new.get(name, ""):
                yield _Case(function, name, old.get(name, ""), new.get(name, ""))


@change_rules.each("ABI416", _attributes)
def attribute_changed(case: _Case) -> Iterator[RuleResult]:
    """A function has an attribute that it did not have, or lost one, or has one with other arguments.

    What changed: `nonnull`, `returns_nonnull`, `warn_unused_result`, `nodiscard`, `malloc`, `alloc_size`,
    `alloc_align`, `assume_aligned`, `format`, `format_arg`, `sentinel`, `pure`, `const` or `returns_twice`.

    What happens: compilers use it in code that is compiled with the header. `nonnull` leaves out checks in the function
    itself, so a NULL of an older caller goes unnoticed. `returns_nonnull` leaves out checks in callers: when it is
    removed, they break (MAJOR). `pure` and `const` leave out calls: the same. The others warn, or concern callers of
    NEW that meet a function of OLD.

    Instead: keep the attribute, or add a function with another name. Add one only where the function always was so.

    Source: GCC manual, "Common Function Attributes"; C23 6.7.12.2 (nodiscard).
    """
    name, function = case.name, case.function
    table = _ATTRIBUTES[name]
    effect = table.added if case.new else table.removed
    callee = function.new.implemented_by
    older, newer = effect.older_caller, effect.newer_caller
    is_break = effect.bump is Bump.MAJOR
    older = older if is_break else AtRisk(older)
    plugins = (older, AtRisk(newer)) if callee is Party.CORE else ("", "")
    if callee is Party.PLUGIN:  # an older caller is an older core, which loads a newer plugin
        plugins = (AtRisk(newer), older)
    if case.old and case.new:
        message = f"{function.name}: the attribute {case.old} is {case.new} now"
    else:
        message = (
            f"{function.name} has the attribute {case.new} now"
            if case.new
            else (f"{function.name} lost the attribute {case.old}")
        )
    yield RuleResult(
        message,
        effect.bump,
        help="keep the attribute, or add a function with another name" if is_break else "",
        plugins=plugins,
        source=AtRisk(effect.source),
    )
