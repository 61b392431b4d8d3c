"""Rules about enumerations: names and values that both sides have compiled in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain

from abigen.checker.comparison import ApiComparison, change_rules, held_by
from abigen.checker.constants import followers
from abigen.checker.enumerators import EnumeratorCase, EnumeratorChange
from abigen.checker.pairs import Changed
from abigen.checker.rule import AtRisk, RuleResult, count, listed
from abigen.checker.sentinels import PINS, role_of
from abigen.model.api import Api
from abigen.model.contract import Party
from abigen.model.ctype import Array, Basic, CType, EnumType, FunctionType, Pointer, types_in
from abigen.model.entities import Enum
from abigen.model.finding import Bump, Detail
from abigen.model.layout import Layouts
from abigen.model.span import AbigenError

_PIN_NAMES = r"(?i)(?:^|_)(?:MAX_ENUM|FORCE|FORCE32|32_?BIT|UINT32|FORCEDWORD)(?:_|$)"
"""Names of enumerators that only keep their type wide."""
_BOTH = frozenset({Party.CORE, Party.PLUGIN})


@change_rules.each("ABI301", lambda comparison: comparison.enumerators(lambda changes: changes.removed), Bump.MAJOR)
def enumerator_removed(removed: EnumeratorCase) -> Iterator[RuleResult]:
    """An enumerator was removed, and no other name has its value."""
    change, enum = removed.change, removed.enum.old
    name, value = change.name, change.old_value
    plugins, contract = ("", ""), ""
    if change.shifts:
        plugins, contract = _misread(_shifted(removed))
    elif not (change.is_alias or change.is_sentinel):
        who = _senders(enum.name, removed.apis.old) if enum else _BOTH
        old_plugin = f"it may still pass {value} ({name}), which a core built against NEW does not know"
        new_plugin = f"a core built against OLD may pass {value} ({name}), which it does not know"
        plugins = (old_plugin if Party.PLUGIN in who else "", new_plugin if Party.CORE in who else "")
        contract = f"{value} is {name} in OLD, and no enumerator in NEW"
    yield RuleResult(
        f"{removed.entity} (value {value}) was removed",
        help="keep it and mark it deprecated",
        plugins=plugins,
        source=f"code that names {name} no longer compiles",
        contract=contract,
        details=change.moves,
    )


@change_rules.also("ABI301", lambda comparison: comparison.enumerators(lambda changes: changes.moved))
def _enumerator_moved(moved: EnumeratorCase) -> Iterator[RuleResult]:
    """A name of an enumeration that another one has now, with its value: C does not notice, C++ does."""
    name, old = moved.change.name, moved.enum.old
    home = moved.apis.new.enums_of_enumerators.get(name)
    if home is not None and old is not None:
        yield RuleResult(
            f"{moved.entity} (value {moved.change.old_value}) was moved to {home.name}",
            Bump.MAJOR if moved.apis.options.source_counts else Bump.PATCH,
            help=f"leave it in {old.name}, and add an enumerator with another name to {home.name}",
            source=f"C++ code that uses {name} as {old.name} no longer compiles",
        )


@change_rules.each("ABI302", lambda comparison: comparison.enumerators(lambda changes: changes.changed), Bump.MAJOR)
def enumerator_value_changed(changed: EnumeratorCase) -> Iterator[RuleResult]:
    """The value of an enumerator changed."""
    change, name = changed.change, changed.change.name
    plugins, contract = _misread(f"{name} is {change.old_value} in OLD and {change.new_value} in NEW")
    yield RuleResult(
        f"{changed.entity} was {change.old_value}, is {change.new_value}",
        help=f"restore its old value: {name} = {change.old_value}",
        caret=f"was {change.old_value}",
        plugins=plugins,
        contract=contract,
        details=(*change.moves, *_followed(changed)),
    )


@change_rules.also("ABI302", lambda comparison: comparison.enumerators(lambda changes: changes.grown))
def _sentinel_grew(grown: EnumeratorCase) -> Iterator[RuleResult]:
    """The end of a list moved with the list, or the number of a version rose."""
    change = grown.change
    what = f"{role_of(change.name)}, grew with {change.grown_by}" if change.grown_by else "is a version number, rose"
    yield RuleResult(
        f"{grown.entity}, which {what}: it was {change.old_value}, is {change.new_value}",
        Bump.NONE,
        caret=f"was {change.old_value}",
        contract=AtRisk(
            f"a side that counts or allocates by {change.name} must check received values against its own"
            if change.grown_by
            else "a side that requires an equal value refuses the other side"
        ),
        details=_followed(grown),
    )


def _followed(case: EnumeratorCase) -> tuple[Detail, ...]:
    """Return the macros whose values follow from an enumerator that is another one now."""
    apis = case.apis
    moved = followers(case.change.name, apis.pair.constants.both, apis.old_layouts, apis.new_layouts)
    return (Detail("moves", listed(moved)),) if moved else ()


@change_rules.each("ABI303", lambda comparison: comparison.enumerators(lambda changes: changes.inserted), Bump.MAJOR)
def enumerator_inserted(inserted: EnumeratorCase) -> Iterator[RuleResult]:
    """A new enumerator changed the values of others, or has the value of another one."""
    change, name, value = inserted.change, inserted.change.name, inserted.change.new_value
    if change.shifts:
        first = change.shifts[0]
        message = f"{inserted.entity} (value {value}) was inserted and changes the values after it"
        advice = f"put {name} last, or give it an unused value and keep {first.name} = {first.old}"
        if change.may_end:
            advice += f"; if {change.may_end} only marks the end of the list, write `Keep last.` in its comment"
        words = _shifted(inserted)
    else:
        message = f"{inserted.entity} has the value {value}, which was the value of {change.taken_from}"
        advice = f"give {name} a value that was never used"
        words = f"{value} is {change.taken_from} in OLD and {name} in NEW"
    plugins, contract = _misread(words)
    yield RuleResult(
        message,
        help=advice,
        caret=f"new with the value {value}",
        plugins=plugins,
        contract=contract,
        details=change.moves,
    )


@change_rules.each("ABI304", lambda comparison: comparison.enumerators(lambda changes: changes.appended), Bump.MINOR)
def enumerator_appended(appended: EnumeratorCase) -> Iterator[RuleResult]:
    """An enumerator was added, and the values of others are the same."""
    change, enum = appended.change, appended.enum.new or appended.enum.old
    plugins = ("", "")
    if not (change.is_alias or change.is_sentinel):
        who = _senders(enum.name, appended.apis.new) if enum else _BOTH
        what = f"{change.new_value} ({change.name})"
        check = "must treat an unknown value as an error or a default"
        plugins = (
            AtRisk(f"a core built against NEW may pass {what}; it {check}") if Party.CORE in who else "",
            AtRisk(f"it may pass {what}; a core built against OLD {check}") if Party.PLUGIN in who else "",
        )
    twin = _twin(appended) if change.is_alias else ""
    narrow = None if change.is_sentinel or change.new_value is None else _too_narrow(change.new_value, appended)
    also = f", and does not fit {narrow}" if narrow else f", and has the value of {twin}" if twin else ""
    yield RuleResult(
        f"{appended.entity} = {change.new_value} was added{also}",
        help="widen the bit-field with the next MAJOR, or give the enumerator a value that fits" if narrow else "",
        caret="new",
        plugins=plugins,
        source=AtRisk(f"a `switch` with cases for {twin} and {change.name} does not compile") if twin else "",
        contract=AtRisk(_shared_value(change, narrow, twin)),
        level="warning" if narrow else "",
    )


def _twin(appended: EnumeratorCase) -> str:
    """Return the enumerator of both sides with the value of a new one, except sentinels; empty for none."""
    enum, value = appended.enum.new, appended.change.new_value
    old = appended.enum.old
    known = {each.name for each in (old.enumerators or () if old is not None else ())}
    values = appended.apis.new_layouts.enumerators(enum.name) if enum is not None else {}
    return next((name for name, each in values.items() if each == value and name in known), "")


def _shared_value(change: EnumeratorChange, narrow: str | None, twin: str) -> str:
    """Return the reason why both sides may misread the value of a new enumerator; empty for none."""
    if narrow:
        return f"{narrow} cannot hold {change.new_value}: it loses its high bits there"
    return f"a reader cannot tell {change.name} from {twin}: {change.new_value} is both" if twin else ""


def _bit_fields(enum: str, layouts: Layouts) -> Iterator[tuple[str, int]]:
    """Yield the bit-fields of an enumeration's type and their widths in bits, in the structs of the API."""
    api = layouts.api
    for struct in api.structs.values():
        for field in struct.fields or ():
            if field.bit_width is not None and field.name and api.resolve(field.type) == EnumType(enum):
                with suppress(AbigenError):
                    yield f"{struct.name}.{field.name}", layouts.evaluate(field.bit_width)


def _too_narrow(value: int, appended: EnumeratorCase) -> str:
    """Return the first bit-field of an enumeration's type that has too few bits for a new value; empty for none."""
    layouts, enum = appended.apis.new_layouts, appended.enum.new
    if enum is None:
        return ""
    is_signed = layouts.target.is_signed(layouts.underlying_type(enum.name))
    for name, width in _bit_fields(enum.name, layouts):
        least, most = (-(1 << (width - 1)), (1 << (width - 1)) - 1) if is_signed else (0, (1 << width) - 1)
        if not least <= value <= most:
            return f"the {count(width, 'bit')} of {name}"
    return ""


@change_rules.each("ABI305", lambda comparison: comparison.enumerators(lambda changes: changes.renamed), None)
def enumerator_renamed(renamed: EnumeratorCase) -> Iterator[RuleResult]:
    """An enumerator was renamed; its value is the same."""
    change, old, new, value = renamed.change, renamed.change.name, renamed.change.new, renamed.change.old_value
    if new is None:
        return
    message = f"{renamed.entity} was renamed to {new.name}; its value is still {value}"
    if not change.is_alike:
        message = f"{renamed.entity} was removed, and {new.name} has its value {value}: the meaning may differ"
    is_pin = change.old_value in PINS and all(re.search(_PIN_NAMES, name) for name in (old, new.name))
    source = f"code that names {old} no longer compiles"
    yield RuleResult(
        message,
        help=f"keep the old name as well: {old} = {new.name}",
        caret=f"was {old}",
        source=AtRisk(f"only code that names {old}, which keeps the type 32 bits wide, no longer compiles")
        if is_pin
        else source,
        contract=""
        if change.is_alike
        else AtRisk(f"if {new.name} has another meaning than {old}, both sides misread {value}"),
        details=change.moves,
    )


def _of_objects(comparison: ApiComparison) -> Iterator[Changed[Enum]]:
    """Enumerations that differ, but for those that only name values: nothing is of their type."""
    for each in comparison.changed(comparison.pair.enums):
        if not (_only_names_values(each.old, comparison.old) or _only_names_values(each.new, comparison.new)):
            yield each


def _only_names_values(enum: Enum, api: Api) -> bool:
    """True if an enumeration has no name, and is no type of anything either."""
    fields = (field.type for struct in api.structs.values() for field in struct.fields or ())
    kinds = (api.typedefs, api.functions, api.variables)
    types = chain(fields, (each.type for kind in kinds for each in kind.values()))
    return enum.anonymous and all(EnumType(enum.name) not in types_in(each) for each in types)


def _underlying_types(changed: Changed[Enum]) -> Iterator[tuple[str, str, str]]:
    """Yield the types that an enumeration has in OLD and NEW; in C++ as well, where C++ reads another one.

    Returns:
        Where that is, empty for C, and both types by their canonical names.
    """
    if any(each.enumerators is None and each.underlying is None for each in (changed.old, changed.new)):
        return
    apis = changed.apis
    sides = ((changed.old, apis.old_layouts), (changed.new, apis.new_layouts))
    was, now = (layouts.underlying_type(each.name) for each, layouts in sides)
    yield "", was, now
    in_cpp = [layouts.resolve(each.cpp_underlying) if each.cpp_underlying else None for each, layouts in sides]
    cpp = tuple(each.name if isinstance(each, Basic) else usual for each, usual in zip(in_cpp, (was, now), strict=True))
    if cpp != (was, now):
        yield " in C++", cpp[0], cpp[1]


@change_rules.each("ABI306", _of_objects, Bump.MAJOR)
def enum_width_changed(changed: Changed[Enum]) -> Iterator[RuleResult]:
    """The size of an enumeration changed."""
    name, apis = changed.name, changed.apis
    for language, was, now in _underlying_types(changed):
        before, after = apis.old_layouts.size_of(Basic(was)), apis.new_layouts.size_of(Basic(now))
        if before == after:
            continue
        reason = f"{name} has {count(before, 'byte')} in OLD and {after} in NEW{language}, and members after one move"
        yield RuleResult(
            f"{name} had {count(before, 'byte')}, has {after}{language}: it was `{was}`, is `{now}`",
            help="keep all values within the old type, or use a fixed-width integer in its place",
            caret=f"{after} bytes, was {before}",
            plugins=(reason, reason),
            details=tuple(held_by(EnumType(changed.new.name), apis)),
            numbers={"old_size": before, "new_size": after},
        )


@change_rules.each("ABI308", _of_objects, Bump.MINOR)
def enum_sign_changed(changed: Changed[Enum]) -> Iterator[RuleResult]:
    """The type of an enumeration became signed or unsigned; its size is the same."""
    for language, was, now in _underlying_types(changed):
        yield from _sign_change(changed, language, was, now)


def _sign_change(changed: Changed[Enum], language: str, was: str, now: str) -> Iterator[RuleResult]:
    """Yield the result of `enum-sign-changed` for two types, in one language."""
    apis = changed.apis
    is_as_large = apis.old_layouts.size_of(Basic(was)) == apis.new_layouts.size_of(Basic(now))
    # An enumerator that is gone is told of already, and the sign may have gone with it.
    kept = {each.name for each in changed.old.enumerators or ()} <= {
        each.name for each in changed.new.enumerators or ()
    }
    is_stated = changed.old.underlying is not None and changed.new.underlying is not None
    gets_sign = apis.target.is_signed(now) and not apis.target.is_signed(was)
    loses_sign = (is_stated or kept) and apis.target.is_signed(was) and not apis.target.is_signed(now)
    if is_as_large and (gets_sign or loses_sign):
        lost = "; values below zero do not fit the old type" if gets_sign else ""
        old_fields = dict(_bit_fields(changed.old.name, apis.old_layouts))
        fields = [name for name, _ in _bit_fields(changed.new.name, apis.new_layouts) if name in old_fields]
        # C++ refuses a stated type that has no room for an enumerator, so the values that are there stay as they are.
        if language and not fields and None in (changed.old.cpp_underlying, changed.new.cpp_underlying):
            return
        reason = f"the highest bit of {fields[0]} is a sign in {{}}, and part of the value in {{}}" if fields else ""
        reason = reason.format(*(("NEW", "OLD") if gets_sign else ("OLD", "NEW")))
        yield RuleResult(
            f"{changed.name} was `{was}`, is `{now}`{language}{lost}",
            Bump.MAJOR if fields else Bump.MINOR,
            help="give the new enumerator an unused value that is not negative" if lost else "keep the type",
            caret=f"was `{was}`",
            plugins=(reason, reason),
            contract=reason
            or AtRisk("a value below zero is read as a large number by the other side, in comparisons with 0 or `<`"),
            details=(Detail("reaches", listed(fields)),) if fields else (),
        )


def _shifted(case: EnumeratorCase) -> str:
    """Return the first value that a change moves."""
    first = case.change.shifts[0]
    return f"{first.name} is {first.old} in OLD and {first.new} in NEW"


def _misread(words: str) -> tuple[tuple[str, str], str]:
    """Return the effects of a number that both sides read differently, on plugins and on the contract."""
    old_plugin = f"it and a core built against NEW misread the values that they exchange: {words}"
    new_plugin = f"it and a core built against OLD misread the values that they exchange: {words}"
    return (old_plugin, new_plugin), words


def _senders(key: str, api: Api) -> frozenset[Party]:
    """Return the sides that pass a value of an enumeration to the other one.

    Args:
        key: the enumeration's, in `api.enums`.
        api: all of its structs, functions and callbacks are searched.

    Returns:
        Either or both; both when nothing tells (the values travel as integers, or nobody says who fills a struct).
    """
    values = [(field.type, field.filler) for struct in api.structs.values() for field in struct.fields or ()]
    values += [(function.type, function.implemented_by) for function in api.functions.values()]
    found = {sender for type, sender in values for sender in _sent(type, sender, key, api)}
    return frozenset(found) if found and found <= _BOTH else _BOTH


def _sent(type: CType, sender: Party, key: str, api: Api) -> Iterator[Party]:
    """Yield the senders of an enumeration's values: in a value, in its pointee, or in calls of its pointee.

    A function pointer is implemented by whoever sends it. The callee sends the result, and what it writes through
    pointers to what is not const.
    """
    core = api.resolve(type)
    while isinstance(core, (Pointer, Array)):
        core = api.resolve(core.target if isinstance(core, Pointer) else core.element)
    if isinstance(core, EnumType) and core.key == key:
        yield sender
    elif isinstance(core, FunctionType):
        yield from _sent(core.result, sender, key, api)
        for parameter in core.parameters:
            pointer = api.resolve(parameter.type)
            is_output = isinstance(pointer, Pointer) and not (
                api.is_const(pointer.target) or isinstance(api.resolve(pointer.target), FunctionType)
            )
            yield from _sent(parameter.type, sender if is_output else sender.other, key, api)
