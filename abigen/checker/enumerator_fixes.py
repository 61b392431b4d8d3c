"""Edits of headers that give enumerators the values that they have in OLD."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from abigen.checker.header_text import FixContext, HeaderText, marked_as_deprecated
from abigen.checker.sentinels import NAMES_OF_ENDS, SAID_TO_END
from abigen.model.api import ApiSet
from abigen.model.ctype import Expression, Name, parts
from abigen.model.entities import Enum, Enumerator
from abigen.model.finding import Edit, Finding, Fix

_SHOWN = 3
"""The number of values that a title names."""


class _Places(NamedTuple):
    """The indices of an enumerator in a header."""

    begin: int
    """The index of its name."""
    end: int
    """The index behind its expression, or behind its name where it has no expression."""


class EnumSides:
    """An enumeration that both sides have, with the header that declares it in NEW."""

    def __init__(self, old: Sequence[Enumerator], new: Sequence[Enumerator], source: HeaderText) -> None:
        """Number the enumerators.

        Args:
            old: OLD's enumerators.
            new: NEW's enumerators.
            source: the header of NEW.
        """
        self.old, self.new, self.source = old, new, source
        self.old_values = {each.name: each.value for each in old}
        self.new_values = {each.name: each.value for each in new}

    def keeps_values(self, values: Mapping[str, int], explained: set[str]) -> bool:
        """True if an edit gives each enumerator OLD's value, or leaves it as it is.

        Args:
            values: the values after the edit.
            explained: names that may have another value, because another finding states why.
        """
        old, new, times = self.old_values, self.new_values, Counter(values.values())
        ends = {each.name: each.expression is not None for each in self.new[-1:] if _is_sentinel(each)}
        renamed = {value for name, value in old.items() if name not in values}
        given = {value for name, value in values.items() if new.get(name) != value}
        for name, value in values.items():
            is_kept = value == new.get(name) and (name in old or value not in given)
            is_same = (
                is_kept or value == old.get(name) or (name in ends and _is_end(name, values, old, is_last=ends[name]))
            )
            is_free = name not in old and value not in old.values() and times[value] == 1
            is_free = is_free and new.get(name) not in renamed
            if not (is_same or is_free or name in explained):
                return False
        return True


def _is_end(name: str, values: Mapping[str, int], old: Mapping[str, int], *, is_last: bool) -> bool:
    """True if the value of a sentinel is that of the last enumerator, or is behind it, and is not lower than in OLD.

    Args:
        name: the sentinel's.
        values: the values of its enumeration.
        old: OLD's values.
        is_last: True if it has the value of the last enumerator.
    """
    if values[name] < old.get(name, values[name]):
        return False
    highest = max((value for each, value in values.items() if each != name), default=-1)
    return values[name] == highest if is_last else values[name] > highest


def _is_sentinel(enumerator: Enumerator) -> bool:
    """True if an enumerator ends a list by its name or its comment, and its value follows from the list."""
    follows = enumerator.expression is None or isinstance(enumerator.expression, Name)
    return follows and _ends_a_list(enumerator)


def _ends_a_list(enumerator: Enumerator) -> bool:
    """True if an enumerator ends a list by its name or its comment."""
    return bool(NAMES_OF_ENDS.search(enumerator.name) or SAID_TO_END.search(enumerator.doc))


def _sides(name: str, context: FixContext) -> EnumSides | None:
    """Return the enumeration of an enumerator of OLD; None if an edit of it in NEW may be wrong.

    Args:
        name: the enumerator's.
        context: both sides.
    """
    if context.old_api is None or context.old_api.header is not None:
        return None
    old = context.old_api.enums_of_enumerators.get(name)
    if old is None:
        return None
    sides = context.once(("sides", id(old)), lambda: _sides_of(old, context))
    return sides if isinstance(sides, EnumSides) else None


def _sides_of(old: Enum, context: FixContext) -> EnumSides | None:
    """Return the sides of an enumeration of OLD."""
    listed = old.enumerators
    if not listed or context.old is None:
        return None
    found = (context.api.enums_of_enumerators.get(each.name) for each in listed)
    homes = {home.name: home for home in found if home is not None}
    if len(homes) != 1:
        return None
    (new,) = homes.values()
    source = context.text(new.enumerators[0].span if new.enumerators else None)
    is_alike = _is_alike_on_all_targets(old, context.old) and _is_alike_on_all_targets(new, context.new)
    if source is None or not new.enumerators or not is_alike:
        return None
    body = source.body_around(source.offset(new.enumerators[0].span)) if new.enumerators[0].span else None
    if body is None or source.has_directive(*body):
        return None
    return EnumSides(listed, new.enumerators, source)


def _is_alike_on_all_targets(enum: Enum, api: ApiSet) -> bool:
    """True if an enumeration has the same names and values on all targets."""
    states = [group.api.enums.get(enum.name) for group in api.groups]
    rows = [[(each.name, each.value) for each in state.enumerators or ()] if state else [] for state in states]
    return all(row == rows[0] for row in rows)


def _places(enumerator: Enumerator, source: HeaderText) -> _Places | None:
    """Return the places of an enumerator; None for attributes, comments within, and names that a macro makes."""
    if enumerator.span is None or enumerator.span.file != source.name:
        return None
    begin = source.offset(enumerator.span)
    body = source.body_around(begin)
    after = begin + len(enumerator.name)
    if body is None or not source.code.startswith(enumerator.name, begin):
        return None
    end, depth = after, 0
    while end < body[1] and not (source.code[end] == "," and depth == 0):
        depth += {"(": 1, ")": -1}.get(source.code[end], 0)
        end += 1
    end = after + len(source.code[after:end].rstrip())
    is_plain = re.fullmatch(r"(?:[ \t]*=[^#{]+)?", source.code[after:end]) and (end > after) == (
        enumerator.expression is not None
    )
    return _Places(begin, end) if is_plain and source.text[after:end] == source.code[after:end] else None


def _names_in(expression: Expression) -> Iterator[str]:
    """Yield the enumerators that an expression names."""
    if isinstance(expression, Name):
        yield expression.name
    for part in parts(expression):
        if isinstance(part, Expression):
            yield from _names_in(part)


def _value(each: Enumerator, before: int, values: Mapping[str, int], listed: Mapping[str, int]) -> int | None:
    """Return the value of an enumerator that is not pinned; None if it is not known.

    Args:
        each: the enumerator.
        before: the value of the one before it; -1 for none.
        values: the values of those before it, after the edit.
        listed: NEW's values.
    """
    if each.expression is None:
        return before + 1
    if isinstance(each.expression, Name) and each.expression.name in values:
        return values[each.expression.name]
    is_moved = any(values.get(name, listed.get(name)) != listed.get(name) for name in _names_in(each.expression))
    return None if is_moved else each.value


def restored_enumerator(finding: Finding, context: FixContext) -> Fix | None:
    """Restore a removed enumerator in its place, marked as deprecated.

    Returns:
        None if there is not one right place, or a value of another enumerator would be wrong.
    """
    name = finding.entity.rpartition(".")[2]
    sides = _sides(name, context) if finding.help.startswith("keep it and mark it deprecated") else None
    if sides is None or context.old is None:
        return None
    at = [each.name for each in sides.old].index(name)
    removed = sides.old[at]
    if _ends_a_list(removed) or removed.span is None:
        return None
    neighbour = sides.old[at - 1].name if at else sides.old[1].name if len(sides.old) > 1 else ""
    index = next((number for number, each in enumerate(sides.new) if each.name == neighbour), -1)
    if index < 0 or (not at and index):
        return None
    index += 1 if at else 0
    above = {each.name for each in sides.new[:index]} & {*sides.old_values}
    if above != {each.name for each in sides.old[:at]} & {*sides.new_values}:  # others changed places around it
        return None
    is_pinned = _must_be_pinned(removed, index, sides)
    before = context.old_text(removed.span)
    if is_pinned is None or not before.text:
        return None
    edits = _insertion(_Restored(removed, index, _spelled(removed, before, sides) if is_pinned else ""), before, sides)
    return Fix(f"restore {name}, marked as deprecated", edits, is_safe=False) if edits else None


def _must_be_pinned(removed: Enumerator, index: int, sides: EnumSides) -> bool | None:
    """True if a restored enumerator needs an expression to have OLD's value; None if other values would be wrong."""
    names = [each.name for each in sides.old]
    missing = [each for each in names[names.index(removed.name) + 1 :] if each not in sides.new_values]
    later = names[names.index(missing[0]) + 1 :] if missing else []
    wrong = {each for each in later if sides.new_values.get(each) != sides.old_values[each]}
    listed = [*sides.new[:index], removed, *sides.new[index:]]
    for is_pinned in (True,) if removed.expression is not None else (False, True):
        values: dict[str, int] = {}
        value = -1
        for each in listed:
            is_given = is_pinned and each is removed
            found = removed.value if is_given else _value(each, value, values, sides.new_values)
            if found is None:
                return None
            value = values[each.name] = found
        if values[removed.name] == removed.value and sides.keeps_values(values, wrong):
            return is_pinned
    return None


class _Restored(NamedTuple):
    """A removed enumerator that is inserted again."""

    enumerator: Enumerator
    position: int
    """The index in NEW's list that it gets."""
    expression: str
    """Its value; empty where it counts from the one before it."""


def _insertion(restored: _Restored, before: HeaderText, sides: EnumSides) -> tuple[Edit, ...]:
    """Return the edits that insert an enumerator with OLD's lines; none if it or its neighbour shares a line.

    Args:
        restored: the enumerator, its place and its value.
        before: OLD's header.
        sides: the enumeration.
    """
    source, index = sides.source, restored.position
    anchor = sides.new[max(index - 1, 0)]
    places, beside = _places(restored.enumerator, before), _places(anchor, source)
    if places is None or beside is None:
        return ()
    lines, around = before.lines_of(places.begin, ","), source.lines_of(beside.begin, ",")
    body = before.body_around(places.begin)
    if lines is None or around is None or body is None or before.has_directive(*body):
        return ()
    is_last, has_comma = index == len(sides.new), "," in source.code[beside.end : around[1]]
    comma = "," if has_comma or not is_last else ""
    name = restored.enumerator.name
    core = f"{name} = {restored.expression}{comma}" if restored.expression else f"{name}{comma}"
    rows = []
    for text in (before.text, before.code):
        rest = text[places.end : lines[1]].rstrip("\n")
        behind = before.code.find(",", places.end, lines[1]) - places.end
        rest = rest[:behind] + rest[behind + 1 :] if behind >= 0 else rest
        rows.append(text[lines[0] : places.begin] + core + rest)
    declared = rows[0]
    if "eprecated" not in declared:
        declared = marked_as_deprecated(declared, rows[1], uses_lines=source.has_line_comments)
    place = around[1] if index else around[0]
    above = before.text[lines[0] : before.line_begin(places.begin)]
    if above and source.text.startswith(above, place):  # the comment above it is still there
        place, declared = place + len(above), declared[len(above) :]
    added = source.edit(place, place, declared + "\n")
    if not is_last or has_comma:
        return (added,)
    return source.edit(*beside, f"{source.text[slice(*beside)]},"), added


def _spelled(old: Enumerator, before: HeaderText, sides: EnumSides) -> str:
    """Return the expression of OLD where it has the same value in NEW, and a number otherwise.

    Args:
        old: OLD's enumerator.
        before: OLD's header.
        sides: the enumeration.
    """
    places = _places(old, before)
    if places is None or old.expression is None:
        return str(old.value)
    expression = before.code[places.begin + len(old.name) : places.end].strip().removeprefix("=").strip()
    new = [each.name for each in sides.new]
    known = new[: new.index(old.name)] if old.name in new else []
    if old.name not in new:
        names = [each.name for each in sides.old]
        at = names.index(old.name)
        known = new[: new.index(names[at - 1]) + 1] if at else []
    are_same = all(
        each in known and sides.new_values[each] == sides.old_values.get(each)
        for each in re.findall(r"\b[A-Za-z_]\w*", expression)
    )
    return expression if are_same and "\n" not in expression else str(old.value)


def restored_values(finding: Finding, context: FixContext) -> Fix | None:
    """Give an enumerator OLD's value, and pin those that would be wrong then.

    Returns:
        None if the value follows from another change, or a value of another enumerator would be wrong.
    """
    name = finding.entity.rpartition(".")[2]
    sides = _sides(name, context) if finding.help.startswith("restore its old value") else None
    if sides is None or context.old is None:
        return None
    before = next(each for each in sides.old if each.name == name)
    after = next((each for each in sides.new if each.name == name), None)
    header = context.old_text(before.span) if before.span else None
    if after is None or header is None or not header.text or (_ends_a_list(after) and after.expression is None):
        return None
    is_literal = before.expression is not None or after.expression is not None
    if before.expression is not None and after.expression is not None:
        then, now = _places(before, header), _places(after, sides.source)
        if then is None or now is None or header.code[slice(*then)] == sides.source.code[slice(*now)]:
            return None  # a macro that it names has another value
    pins = _pins(name, sides, is_literal=is_literal)
    if pins is None:
        return None
    spelled = {each: str(value) for each, value in pins.items()} | {name: _spelled(before, header, sides)}
    edits = []
    for each in sides.new:
        if each.name in spelled:
            places = _places(each, sides.source)
            if places is None:
                return None
            edits.append(sides.source.edit(*places, f"{each.name} = {spelled[each.name]}"))
    shown = [f"{each} = {value}" for each, value in spelled.items()]
    more = f" and {len(shown) - _SHOWN} more" if len(shown) > _SHOWN else ""
    title = f"{'restore' if is_literal else 'pin'} {', '.join(shown[:_SHOWN])}{more}"
    return Fix(title, tuple(edits), is_safe=not is_literal)


def _pins(name: str, sides: EnumSides, *, is_literal: bool) -> dict[str, int] | None:
    """Return the values that have to be written so that an enumerator has OLD's value; None if others would be wrong.

    Args:
        name: the enumerator's.
        sides: the enumeration.
        is_literal: True if its expression was changed: then enumerators in other runs stay as they are, unless the
            order of the list changed.
    """
    old, values = sides.old_values, dict[str, int]()
    pins = {name: old[name]}
    value = -1
    orders = (
        [each.name for each in sides.old if each.name in sides.new_values],
        [each.name for each in sides.new if each.name in old],
    )
    is_whole = not is_literal or orders[0] != orders[1]
    is_foreign, is_affected = False, is_whole
    ends: list[str] = []
    for each in sides.new:
        wanted = old.get(each.name)
        if each.name == name:
            value, is_foreign, is_affected = pins[name], False, True
        else:
            found = _value(each, value, values, sides.new_values)
            if found is None:
                return None
            value = found
            if each.expression is not None:
                is_foreign, is_affected = wanted not in {None, value}, is_whole
            elif wanted not in {None, value} and is_affected and not is_foreign:
                if _is_sentinel(each):
                    ends.append(each.name)
                else:
                    value = pins[each.name] = old[each.name]
        values[each.name] = value
    are_ends = all(_is_end(each, values, old, is_last=False) for each in ends)
    return pins if are_ends and sides.keeps_values(values, set()) else None
