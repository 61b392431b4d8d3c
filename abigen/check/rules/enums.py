"""Rules about enumerations: names and values that both sides have compiled in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from abigen.check.axes import OK, Impact, at_risk, axes, breaks
from abigen.check.comparison import Comparison
from abigen.check.direction import BOTH, senders
from abigen.check.rule import Report, change_rule
from abigen.check.sides import CORE, PLUGIN
from abigen.check.wording import count
from abigen.model.ctype import EnumType
from abigen.model.entities import Enum
from abigen.model.finding import Axes, Bump, Detail

if TYPE_CHECKING:
    from abigen.check.pairing.enumerators import EnumeratorChange

_SHOWN = 6
_PINS = (0x7FFFFFFF, 0xFFFFFFFF)
_PIN_NAMES = r"(?i)(?:^|_)(?:MAX_ENUM|FORCE|FORCE32|32_?BIT|UINT32|FORCEDWORD)(?:_|$)"
"""Names of enumerators that only keep their type wide."""


@change_rule("ABI301")
def enumerator_removed(comparison: Comparison) -> Iterator[Report]:
    """A name of an enumeration is gone, and no other name has taken over its value.

    What changed: an enumerator of OLD does not exist in NEW, neither here nor as a macro or in another enumeration.
    Enumerators behind it that have no value of their own may have moved up; they are listed below the finding.

    What happens: code that names it no longer compiles. A binary of the other version may still send its value, which
    the reader no longer knows. Where other values moved up, both sides understand the same number differently.

    Instead: keep the name and its value, and mark it deprecated.

    Source: VS, "Conventions" (members cannot be removed); the values are part of the binary interface.
    """
    for pair in comparison.enumerators:
        who = senders(pair.old.name, comparison.old) if pair.old and pair.changes.removed else BOTH
        for change in pair.changes.removed:
            if change.old is None:
                continue
            yield Report(
                entity=pair.entity(change.old.name),
                bump=Bump.MAJOR,
                message=f"{pair.entity(change.old.name)} (value {change.old_value}) was removed",
                help="keep it and mark it deprecated",
                axes=_removed_axes(change, who),
                details=_shifts(change),
                old=change.old.span,
                new=pair.new.span if pair.new else None,
                numbers={"old_value": change.old_value, "new_value": None},
            )


@change_rule("ABI302")
def enumerator_value_changed(comparison: Comparison) -> Iterator[Report]:
    """An enumerator has another value.

    What changed: the name stands for another number, because its own expression changed or it moved among others that
    have no value of their own. Those that follow it are listed below the finding. Sentinels (`*_COUNT`) may move.

    What happens: the number is compiled into both sides, and each now means something else by it.

    Instead: give every enumerator an explicit value and never change it.

    Source: VS, "Conventions" (members cannot be repurposed).
    """
    for pair in comparison.enumerators:
        for change in pair.changes.changed:
            name = change.old.name if change.old else ""
            yield Report(
                entity=pair.entity(name),
                bump=Bump.MAJOR,
                message=f"{pair.entity(name)} was {change.old_value}, is {change.new_value}",
                help=f"give it its old value back: {name} = {change.old_value}",
                axes=_changed_axes(f"{name} is {change.old_value} in OLD and {change.new_value} in NEW"),
                details=_shifts(change),
                old=change.old.span if change.old else None,
                new=change.new.span if change.new else None,
                caret=f"was {change.old_value}",
                numbers={"old_value": change.old_value, "new_value": change.new_value},
            )


@change_rule("ABI303")
def enumerator_inserted(comparison: Comparison) -> Iterator[Report]:
    """A new enumerator moves the values of others, or takes the value of one.

    What changed: the new name stands before enumerators that have no value of their own, which count on from it; or its
    own value was another one's in OLD. Where only sentinels (`*_COUNT`) move, or the others have explicit values and
    keep them, it is an addition, wherever it stands.

    What happens: the numbers of all that follow are compiled into both sides, and each now means something else by
    them.

    Instead: put it last, or give it a value that is not taken and the next one its old value.

    Source: VS, "Conventions" (members cannot be reordered); C 6.7.2.2 paragraph 3 for implicit values.
    """
    for pair in comparison.enumerators:
        for change in pair.changes.inserted:
            if change.new is None:
                continue
            name, value = pair.entity(change.new.name), change.new_value
            if change.shifts:
                first = change.shifts[0]
                message = f"{name} (value {value}) moves the values behind it"
                advice = f"put {change.new.name} last, or give it a free value and keep {first.name} = {first.old}"
                words = f"{first.name} is {first.old} in OLD and {first.new} in NEW"
            else:
                message = f"{name} takes the value {value}, which was {change.taken_from}'s"
                advice = f"give {change.new.name} a value that was never used"
                words = f"{value} is {change.taken_from} in OLD and {change.new.name} in NEW"
            yield Report(
                entity=name,
                bump=Bump.MAJOR,
                message=message,
                help=advice,
                axes=_changed_axes(words),
                details=_shifts(change),
                old=pair.old.span if pair.old else None,
                new=change.new.span,
                caret=f"new with the value {change.new_value}",
                numbers={"old_value": None, "new_value": change.new_value},
            )


@change_rule("ABI304")
def enumerator_appended(comparison: Comparison) -> Iterator[Report]:
    """A new enumerator that moves no other value.

    What changed: a value that older binaries have never heard of, wherever it stands in the text.

    What happens: the side that reads such values may be older than the side that sends them. It is at risk as far as
    the value travels in its direction, which follows from the members and functions in which the enumeration appears;
    where nothing tells, both directions are. A second name for a value that was there already puts nobody at risk.

    Instead: nothing; readers have to treat a value that they do not know as an error or as a default, never as an
    index.

    Source: VS, "SE_MINOR" (adding an enumeration).
    """
    for pair in comparison.enumerators:
        enum = pair.new or pair.old
        who = senders(enum.name, comparison.new) if enum and pair.changes.appended else BOTH
        for change in pair.changes.appended:
            if change.new is None:
                continue
            yield Report(
                entity=pair.entity(change.new.name),
                bump=Bump.MINOR,
                message=f"{pair.entity(change.new.name)} = {change.new_value} is new",
                axes=_appended_axes(change, who),
                old=pair.old.span if pair.old else None,
                new=change.new.span,
                caret="new",
                numbers={"old_value": None, "new_value": change.new_value},
            )


@change_rule("ABI305")
def enumerator_renamed(comparison: Comparison) -> Iterator[Report]:
    """An enumerator has another name and the same value.

    What changed: a name of OLD is gone, and a new name has its value.

    What happens: binaries do not notice. Code that uses the old name no longer compiles. Should the value mean
    something else now, the two sides disagree about it, which no tool can see. An enumerator that only keeps the type
    32 bits wide (`X_MAX_ENUM = 0x7FFFFFFF`) is used by nobody, and counts for less.

    Instead: keep the old name as a second one: `OLD_NAME = NEW_NAME`, marked deprecated.

    Source: VS, "Conventions" (members cannot be renamed).
    """
    for pair in comparison.enumerators:
        for change in pair.changes.renamed:
            if change.old is None or change.new is None:
                continue
            old, new = change.old.name, change.new.name
            is_pin = change.old_value in _PINS and bool(re.search(_PIN_NAMES, old) and re.search(_PIN_NAMES, new))
            reason = f"code that says {old} no longer compiles"
            yield Report(
                entity=pair.entity(old),
                bump=Bump.MAJOR if comparison.options.source_counts and not is_pin else Bump.PATCH,
                message=f"{pair.entity(old)} is called {new} now; its value is still {change.old_value}",
                help=f"keep the old name as well: {old} = {new}",
                axes=axes(
                    source=at_risk(f"only if it uses what keeps the type wide: {reason}") if is_pin else breaks(reason)
                ),
                details=_shifts(change),
                old=change.old.span,
                new=change.new.span,
                caret=f"was {old}",
                numbers={"old_value": change.old_value, "new_value": change.new_value},
            )


@change_rule("ABI306")
def enum_width_changed(comparison: Comparison) -> Iterator[Report]:
    """An enumeration takes more or fewer bytes.

    What changed: a value no longer fits the type that the compiler (or a colon) had chosen, or `packed` or the type
    after the colon changed. Members and parameters of this type follow and are not reported again.

    What happens: both sides read and write a different number of bytes; or, where a value below zero is the first one,
    the same bytes with another sign.

    Instead: keep values within 32 bits, or pass them as a fixed-width integer.

    Source: C 6.7.2.2 paragraph 4; the choice is the compiler's, so the answer may differ between targets.
    """
    for old, new in comparison.enums.both:
        if old == new or not _is_complete(comparison, old.name, new.name):
            continue
        before = comparison.old_layouts.size_of(EnumType(old.name))
        after = comparison.new_layouts.size_of(EnumType(new.name))
        was, now = (
            comparison.old_layouts.underlying_type(old.name),
            comparison.new_layouts.underlying_type(new.name),
        )
        if before == after:
            is_signed = comparison.target.is_signed
            if is_signed(now) and not is_signed(was):
                yield _signed_now(old, new, was, now)
            continue
        reason = f"it takes {before} bytes in OLD and {after} in NEW, and members behind one move"
        yield Report(
            entity=old.name,
            bump=Bump.MAJOR,
            message=f"{old.name} takes {count(after, 'byte')} instead of {before}: it was `{was}`, is `{now}`",
            help="keep all values within the old type, or pass them as a fixed-width integer",
            axes=axes(old_plugin=breaks(reason), new_plugin=breaks(reason)),
            details=_users(comparison, old.name),
            old=old.span,
            new=new.span,
            caret=f"{after} bytes, was {before}",
            numbers={"old_size": before, "new_size": after},
        )


def _signed_now(old: Enum, new: Enum, was: str, now: str) -> Report:
    """The report about an enumeration that got a value below zero."""
    return Report(
        entity=old.name,
        bump=Bump.MAJOR,
        message=f"{old.name} has a value below zero, which does not fit `{was}`; it is `{now}` now",
        help="give the new enumerator a free value that is not negative",
        axes=axes(
            contract=breaks("what is below zero to one side is a large number to the other: they order it otherwise")
        ),
        old=old.span,
        new=new.span,
        caret=f"was `{was}`",
    )


def _is_complete(comparison: Comparison, old: str, new: str) -> bool:
    """Whether both sides say what an enumeration's type is."""
    pair = comparison.old.enums[old], comparison.new.enums[new]
    return all(each.enumerators is not None or each.underlying is not None for each in pair)


def _users(comparison: Comparison, key: str) -> tuple[Detail, ...]:
    """The members that hold an enumeration by value."""
    api = comparison.old
    found = [
        f"{struct.name}.{field.name}"
        for struct in api.structs.values()
        for field in struct.fields or ()
        if api.resolve(field.type) == EnumType(key)
    ]
    return (Detail("reaches", _some(found)),) if found else ()


def _removed_axes(change: EnumeratorChange, who: frozenset[str]) -> Axes:
    """Who still sends a value that is gone; with shifted values, both sides misread each other."""
    name = change.old.name if change.old else ""
    source = breaks(f"code that says {name} no longer compiles")
    if change.shifts:
        first = change.shifts[0]
        return _changed_axes(f"{first.name} is {first.old} in OLD and {first.new} in NEW", source)
    if change.is_alias or change.is_sentinel:
        return axes(source=source)
    value = change.old_value
    old = breaks(f"it may still send {value} ({name}), which a core built against NEW does not know")
    new = breaks(f"an older core may still send it {value} ({name}), which it does not know")
    return axes(
        old_plugin=old if PLUGIN in who else OK,
        new_plugin=new if CORE in who else OK,
        source=source,
        contract=breaks(f"{value} means {name} to one side and nothing to the other"),
    )


def _changed_axes(words: str, source: Impact = OK) -> Axes:
    """A number that both sides read differently."""
    return axes(
        old_plugin=breaks(f"it and a core built against NEW misread each other: {words}"),
        new_plugin=breaks(f"it and a core built against OLD misread each other: {words}"),
        source=source,
        contract=breaks(words),
    )


def _appended_axes(change: EnumeratorChange, who: frozenset[str]) -> Axes:
    """Who may receive a value that it does not know."""
    if change.is_alias or change.is_sentinel or change.new is None:
        return axes()
    what = f"{change.new_value} ({change.new.name})"
    check = "must treat a value that it does not know as an error or a default"
    return axes(
        old_plugin=at_risk(f"a newer core may send it {what}: the plugin {check}") if CORE in who else OK,
        new_plugin=at_risk(f"it may send {what} to an older core: the core {check}") if PLUGIN in who else OK,
    )


def _shifts(change: EnumeratorChange) -> tuple[Detail, ...]:
    """The values that a change moves."""
    more = f" and {change.more_shifts} more" if change.more_shifts else ""
    return (Detail("moves", ", ".join(map(str, change.shifts)) + more),) if change.shifts else ()


def _some(clauses: list[str]) -> str:
    """The first few, and how many more there are."""
    rest = len(clauses) - _SHOWN
    return ", ".join(clauses[:_SHOWN]) + (f" and {rest} more" if rest > 0 else "")
