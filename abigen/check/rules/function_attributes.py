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


_USED = _Attribute(added=_Effect(Bump.PATCH, source="compilers warn where the result is not used"))
_FORMAT = _Attribute(added=_Effect(Bump.PATCH, source="compilers check the format against the arguments and may warn"))
_ALIGNED = _Attribute(
    added=_Effect(Bump.PATCH, newer_caller="callers assume an aligned result; an older function may return another"),
    removed=_Effect(Bump.MINOR, older_caller="callers assume an aligned result, and the function may return another"),
)
_WITHOUT_EFFECTS = _Attribute(
    added=_Effect(Bump.PATCH, newer_caller="compilers may remove calls that an older function needs"),
    removed=_Effect(Bump.MAJOR, older_caller="compilers removed calls that the function now needs"),
)
_ATTRIBUTES = {
    "nonnull": _Attribute(
        added=_Effect(
            Bump.MINOR,
            older_caller="callers may pass NULL, and the function is compiled without checks for it",
            source="compilers warn where NULL is passed",
        ),
        removed=_Effect(
            Bump.MINOR, newer_caller="callers may pass NULL, and an older function is compiled without checks for it"
        ),
    ),
    "returns_nonnull": _Attribute(
        added=_Effect(
            Bump.MINOR,
            newer_caller="callers are compiled without checks for NULL, and an older function may return NULL",
        ),
        removed=_Effect(
            Bump.MAJOR,
            older_caller="callers are compiled without checks for NULL, and the function may now return NULL",
        ),
    ),
    "warn_unused_result": _USED,
    "nodiscard": _USED,
    "malloc": _Attribute(
        added=_Effect(
            Bump.PATCH,
            newer_caller="callers assume memory without other pointers; an older function may return other memory",
        )
    ),
    "alloc_size": _Attribute(
        added=_Effect(
            Bump.PATCH,
            newer_caller="checks of object sizes use the argument; an older function may return fewer bytes",
        )
    ),
    "alloc_align": _ALIGNED,
    "assume_aligned": _ALIGNED,
    "format": _FORMAT,
    "format_arg": _FORMAT,
    "sentinel": _Attribute(added=_Effect(Bump.PATCH, source="compilers check the last argument and may warn")),
    "pure": _WITHOUT_EFFECTS,
    "const": _WITHOUT_EFFECTS,
    "returns_twice": _Attribute(
        added=_Effect(
            Bump.MAJOR, older_caller="callers are compiled for a function that returns once, and this one returns twice"
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
    """An attribute of a function was added, removed or got other arguments.

    What changed: `nonnull`, `returns_nonnull`, `warn_unused_result`, `nodiscard`, `malloc`, `alloc_size`,
    `alloc_align`, `assume_aligned`, `format`, `format_arg`, `sentinel`, `pure`, `const` or `returns_twice`.

    What happens: compilers use the attribute in code that is compiled with the header. `nonnull` removes checks in the
    function itself, which then crashes on a NULL of an older caller. `returns_nonnull` removes checks in callers: if it
    is removed, callers built against OLD crash on NULL (MAJOR). `pure` and `const` remove calls: if they are removed,
    callers built against OLD leave out calls (MAJOR). The others warn, or concern callers of NEW that call a function
    of OLD.

    Instead: keep the attribute, or add a function with another name. Add one only if it was always true of the
    function.

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
        message = f"{function.name}: the attribute was {case.old}, is {case.new}"
    else:
        message = (
            f"{function.name}: the attribute {case.new} was added"
            if case.new
            else (f"{function.name}: the attribute {case.old} was removed")
        )
    yield RuleResult(
        message,
        effect.bump,
        help="keep the attribute, or add a function with another name" if is_break else "",
        plugins=plugins,
        source=AtRisk(effect.source),
    )
