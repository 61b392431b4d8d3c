"""Rules about enumerations: names and values that both sides have compiled in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain

from abigen.check.comparison import ApiComparison, change_rules, held_by
from abigen.check.constants import followers
from abigen.check.enumerators import EnumeratorCase, EnumeratorChange
from abigen.check.pairs import Changed
from abigen.check.reasons import count, listed
from abigen.check.rule import AtRisk, RuleResult
from abigen.check.sentinels import PINS, role_of
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
    """A name of an enumeration is gone, and no other name has taken over its value.

    What changed: an enumerator of OLD does not exist in NEW, neither here nor as a macro; or another one has it.
    Enumerators behind it that have no value of their own may have moved up; they are listed below the finding.

    What happens: code that names it no longer compiles. A binary of the other version may still send its value, which
    the reader no longer knows. Where other values moved up, both sides understand the same number differently.

    Instead: keep the name and its value, and mark it deprecated.

    Source: VS, "Conventions" (members cannot be removed); the values are part of the binary interface.
    """
    change, enum = removed.change, removed.enum.old
    name, value = change.name, change.old_value
    plugins, contract = ("", ""), ""
    if change.shifts:
        plugins, contract = _misread(_shifted(removed))
    elif not (change.is_alias or change.is_sentinel):
        who = _senders(enum.name, removed.apis.old) if enum else _BOTH
        old_plugin = f"it may still send {value} ({name}), which a core built against NEW does not know"
        new_plugin = f"an older core may still send it {value} ({name}), which it does not know"
        plugins = (old_plugin if Party.PLUGIN in who else "", new_plugin if Party.CORE in who else "")
        contract = f"{value} means {name} to one side and nothing to the other"
    yield RuleResult(
        f"{removed.entity} (value {value}) was removed",
        help="keep it and mark it deprecated",
        plugins=plugins,
        source=f"code that says {name} no longer compiles",
        contract=contract,
        details=change.moves,
    )


@change_rules.also("ABI301", lambda comparison: comparison.enumerators(lambda changes: changes.moved))
def _enumerator_moved(moved: EnumeratorCase) -> Iterator[RuleResult]:
    """A name of an enumeration that another one has now, with its value: C does not notice, C++ does."""
    name, old = moved.change.name, moved.enum.old
    homes = (enum for enum in moved.apis.new.enums.values() for each in enum.enumerators or () if each.name == name)
    if (home := next(homes, None)) is not None and old is not None:
        yield RuleResult(
            f"{moved.entity} (value {moved.change.old_value}) is one of {home.name} now",
            Bump.MAJOR if moved.apis.options.source_counts else Bump.PATCH,
            help=f"leave it in {old.name}, and give {home.name} one with another name",
            source=f"C++ code that takes {name} for {old.name} no longer compiles",
        )


@change_rules.each("ABI302", lambda comparison: comparison.enumerators(lambda changes: changes.changed), Bump.MAJOR)
def enumerator_value_changed(changed: EnumeratorCase) -> Iterator[RuleResult]:
    """An enumerator has another value.

    What changed: the name stands for another number, because its own expression changed or it moved among others that
    have no value of their own. Those that follow it, and macros that name it, are listed below the finding. A sentinel
    (`X_COUNT`, `X_MAX`, `X_LAST`) may grow: it is the last one of its enumeration, and in OLD and in NEW its value is
    that of the last one before it, or one more. A mask (`X_MASK`, `X_SUPPORTED`) may gain the bits of new enumerators.
    A new enumerator has to be why it grew; the growth is shown and requires nothing, and so is a number that is called
    a version and rises. Beside an `X_MIN`, an `X_MAX` is a value like others, unless its comment says `Keep last.`

    What happens: the number is compiled into both sides, and each now means something else by it.

    Instead: give every enumerator an explicit value and never change it.

    Source: VS, "Conventions" (members cannot be repurposed).
    """
    change, name = changed.change, changed.change.name
    plugins, contract = _misread(f"{name} is {change.old_value} in OLD and {change.new_value} in NEW")
    yield RuleResult(
        f"{changed.entity} was {change.old_value}, is {change.new_value}",
        help=f"give it its old value back: {name} = {change.old_value}",
        caret=f"was {change.old_value}",
        plugins=plugins,
        contract=contract,
        details=(*change.moves, *_followed(changed)),
    )


@change_rules.also("ABI302", lambda comparison: comparison.enumerators(lambda changes: changes.grown))
def _sentinel_grew(grown: EnumeratorCase) -> Iterator[RuleResult]:
    """The end of a list moved with the list, or the number of a version rose."""
    change = grown.change
    what = f"{role_of(change.name)}, grew with {change.grown_by}" if change.grown_by else "tells versions apart, rose"
    yield RuleResult(
        f"{grown.entity}, which {what}: it was {change.old_value}, is {change.new_value}",
        Bump.NONE,
        caret=f"was {change.old_value}",
        contract=AtRisk(
            f"a side that counts or allocates by {change.name} must check what it is sent against its own {change.name}"
            if change.grown_by
            else "a side that asks for the very same value refuses the other one"
        ),
        details=_followed(grown),
    )


def _followed(case: EnumeratorCase) -> tuple[Detail, ...]:
    """The macros whose values follow from an enumerator that is another one now."""
    apis = case.apis
    moved = followers(case.change.name, apis.pair.constants.both, apis.old_layouts, apis.new_layouts)
    return (Detail("moves", listed(moved)),) if moved else ()


@change_rules.each("ABI303", lambda comparison: comparison.enumerators(lambda changes: changes.inserted), Bump.MAJOR)
def enumerator_inserted(inserted: EnumeratorCase) -> Iterator[RuleResult]:
    """A new enumerator moves the values of others, or takes the value of one.

    What changed: the new name stands before enumerators that have no value of their own, which count on from it; or its
    own value was another one's in OLD. Where only sentinels (`*_COUNT`) move, or the others have explicit values and
    keep them, it is an addition, wherever it stands.

    What happens: the numbers of all that follow are compiled into both sides, and each now means something else by
    them.

    Instead: put it last, or give it a value that is not taken and the next one its old value. Where the last one is
    nothing but the end of the list (`X_SIZE`), which its name alone does not tell, say so in its comment: `Keep last.`

    Source: VS, "Conventions" (members cannot be reordered); C 6.7.2.2 paragraph 3 for implicit values.
    """
    change, name, value = inserted.change, inserted.change.name, inserted.change.new_value
    if change.shifts:
        first = change.shifts[0]
        message = f"{inserted.entity} (value {value}) moves the values behind it"
        advice = f"put {name} last, or give it a free value and keep {first.name} = {first.old}"
        if change.may_end:
            advice += f"; if {change.may_end} is nothing but the end of the list, say `Keep last.` at it"
        words = _shifted(inserted)
    else:
        message = f"{inserted.entity} takes the value {value}, which was {change.taken_from}'s"
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
    """A new enumerator that moves no other value.

    What changed: a value that older binaries have never heard of, wherever it stands in the text.

    What happens: the side that reads such values may be older than the side that sends them. It is at risk as far as
    the value travels in its direction, which follows from the members and functions in which the enumeration appears;
    where nothing tells, both directions are. A second name for a value that was there already puts nobody at risk. A
    value that does not fit a bit-field of this type is cut off where somebody stores it there.

    Instead: nothing; readers have to treat a value that they do not know as an error or as a default, never as an
    index.

    Source: VS, "SE_MINOR" (adding an enumeration).
    """
    change, enum = appended.change, appended.enum.new or appended.enum.old
    plugins = ("", "")
    if not (change.is_alias or change.is_sentinel):
        who = _senders(enum.name, appended.apis.new) if enum else _BOTH
        what = f"{change.new_value} ({change.name})"
        check = "must treat a value that it does not know as an error or a default"
        plugins = (
            AtRisk(f"a newer core may send it {what}: the plugin {check}") if Party.CORE in who else "",
            AtRisk(f"it may send {what} to an older core: the core {check}") if Party.PLUGIN in who else "",
        )
    twin = _twin(appended) if change.is_alias else ""
    narrow = None if change.is_sentinel or change.new_value is None else _too_narrow(change.new_value, appended)
    also = f", and does not fit {narrow}" if narrow else f", and has the value of {twin}" if twin else ""
    yield RuleResult(
        f"{appended.entity} = {change.new_value} is new{also}",
        help="widen the bit-field with the next MAJOR, or give the enumerator a value that fits" if narrow else "",
        caret="new",
        plugins=plugins,
        source=AtRisk(f"a `switch` with cases for {twin} and {change.name} does not compile") if twin else "",
        contract=AtRisk(_shared_value(change, narrow, twin)),
        level="warning" if narrow else "",
    )


def _twin(appended: EnumeratorCase) -> str:
    """The enumerator of both sides that has the value of a new one, and is none that counts others; empty for none."""
    enum, value = appended.enum.new, appended.change.new_value
    old = appended.enum.old
    known = {each.name for each in (old.enumerators or () if old is not None else ())}
    values = appended.apis.new_layouts.enumerators(enum.name) if enum is not None else {}
    return next((name for name, each in values.items() if each == value and name in known), "")


def _shared_value(change: EnumeratorChange, narrow: str | None, twin: str) -> str:
    """Why both sides may misread the value of a new enumerator; empty where they do not."""
    if narrow:
        return f"{narrow} cannot hold {change.new_value}: never store it there"
    return f"nobody can tell {change.name} from {twin}: {change.new_value} is both" if twin else ""


def _bit_fields(enum: str, layouts: Layouts) -> Iterator[tuple[str, int]]:
    """The bit-fields of an enumeration's type and their widths in bits, in the structs of the API."""
    api = layouts.api
    for struct in api.structs.values():
        for field in struct.fields or ():
            if field.bit_width is not None and field.name and api.resolve(field.type) == EnumType(enum):
                with suppress(AbigenError):
                    yield f"{struct.name}.{field.name}", layouts.evaluate(field.bit_width)


def _too_narrow(value: int, appended: EnumeratorCase) -> str:
    """The first bit-field of an enumeration's type that has too few bits for a new value; empty for none."""
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
    """An enumerator has another name and the same value.

    What changed: a name of OLD is gone, and a new name has its value.

    What happens: binaries do not notice. Code that uses the old name no longer compiles. Should the value mean
    something else now, the two sides disagree about it, which no tool can see: where the names have no word in common,
    the contract is at risk. An enumerator that only keeps the type
    32 bits wide (`X_MAX_ENUM = 0x7FFFFFFF`) is used by nobody, and counts for less.

    Instead: keep the old name as a second one: `OLD_NAME = NEW_NAME`, marked deprecated.

    Source: VS, "Conventions" (members cannot be renamed).
    """
    change, old, new, value = renamed.change, renamed.change.name, renamed.change.new, renamed.change.old_value
    if new is None:
        return
    message = f"{renamed.entity} is called {new.name} now; its value is still {value}"
    if not change.is_alike:
        message = f"{renamed.entity} is gone, and {new.name} has its value {value}: another name, or another meaning"
    is_pin = change.old_value in PINS and all(re.search(_PIN_NAMES, name) for name in (old, new.name))
    source = f"code that says {old} no longer compiles"
    yield RuleResult(
        message,
        help=f"keep the old name as well: {old} = {new.name}",
        caret=f"was {old}",
        source=AtRisk(f"only if it uses what keeps the type wide: {source}") if is_pin else source,
        contract=""
        if change.is_alike
        else AtRisk(f"should {new.name} not mean what {old} meant, both misread {value}"),
        details=change.moves,
    )


def _of_objects(comparison: ApiComparison) -> Iterator[Changed[Enum]]:
    """Enumerations that differ, but for those that only name values: nothing is of their type."""
    for each in comparison.changed(comparison.pair.enums):
        if not (_only_names_values(each.old, comparison.old) or _only_names_values(each.new, comparison.new)):
            yield each


def _only_names_values(enum: Enum, api: Api) -> bool:
    """Whether an enumeration has no name, and is no type of anything either."""
    fields = (field.type for struct in api.structs.values() for field in struct.fields or ())
    kinds = (api.typedefs, api.functions, api.variables)
    types = chain(fields, (each.type for kind in kinds for each in kind.values()))
    return enum.anonymous and all(EnumType(enum.name) not in types_in(each) for each in types)


def _underlying_types(changed: Changed[Enum]) -> Iterator[tuple[str, str, str]]:
    """The types that an enumeration has in OLD and NEW; in C++ as well, where C++ reads another one.

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
    """An enumeration takes more or fewer bytes.

    What changed: a value no longer fits the type that the compiler (or a colon) had chosen, or `packed` or the type
    after the colon changed, be it for C++ only. Members and parameters of this type follow and are not reported again.

    What happens: both sides read and write a different number of bytes. Where only the sign changes, it is
    `enum-sign-changed`.

    Instead: keep values within 32 bits, or pass them as a fixed-width integer.

    Source: C 6.7.2.2 paragraph 4; the choice is the compiler's, so the answer may differ between targets.
    """
    name, apis = changed.name, changed.apis
    for language, was, now in _underlying_types(changed):
        before, after = apis.old_layouts.size_of(Basic(was)), apis.new_layouts.size_of(Basic(now))
        if before == after:
            continue
        reason = f"it takes {before} bytes in OLD and {after} in NEW{language}, and members behind one move"
        yield RuleResult(
            f"{name} takes {count(after, 'byte')} instead of {before}{language}: it was `{was}`, is `{now}`",
            help="keep all values within the old type, or pass them as a fixed-width integer",
            caret=f"{after} bytes, was {before}",
            plugins=(reason, reason),
            details=tuple(held_by(EnumType(changed.new.name), apis)),
            numbers={"old_size": before, "new_size": after},
        )


@change_rules.each("ABI308", _of_objects, Bump.MINOR)
def enum_sign_changed(changed: Changed[Enum]) -> Iterator[RuleResult]:
    """An enumeration takes as many bytes as before, with a sign that it did not have, or without the one that it had.

    What changed: a value below zero is the first one, so that the compiler takes a signed type of the same size; or the
    last such value is a large number now; or the type after the colon changed so.

    What happens: nothing to the values that both sides know. A value below zero is a large number to the other side,
    which matters where one compares with 0 or with `<`. A bit-field of this type is another matter, and MAJOR: the bits
    of a value that both sides know are read with a sign by one side only.

    Instead: give the new enumerator a free value that is not negative.

    Source: C 6.7.2.2 paragraph 4; the choice is the compiler's, so the answer may differ between targets.
    """
    for language, was, now in _underlying_types(changed):
        yield from _sign_change(changed, language, was, now)


def _sign_change(changed: Changed[Enum], language: str, was: str, now: str) -> Iterator[RuleResult]:
    """What `enum-sign-changed` says of two types, in one language."""
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
        reason = f"the highest bit of {fields[0]} is a sign in {{}}, and a part of the value in {{}}" if fields else ""
        reason = reason.format(*(("NEW", "OLD") if gets_sign else ("OLD", "NEW")))
        yield RuleResult(
            f"{changed.name} was `{was}`, is `{now}`{language}{lost}",
            Bump.MAJOR if fields else Bump.MINOR,
            help="give the new enumerator a free value that is not negative" if lost else "keep the type",
            caret=f"was `{was}`",
            plugins=(reason, reason),
            contract=reason
            or AtRisk("what is below zero to one side is a large number to the other, when compared with 0 or `<`"),
            details=(Detail("reaches", listed(fields)),) if fields else (),
        )


def _shifted(case: EnumeratorCase) -> str:
    """The first value that a change moves."""
    first = case.change.shifts[0]
    return f"{first.name} is {first.old} in OLD and {first.new} in NEW"


def _misread(words: str) -> tuple[tuple[str, str], str]:
    """What a number that both sides read differently means for plugins of both sides, and for the contract."""
    old_plugin = f"it and a core built against NEW misread each other: {words}"
    new_plugin = f"it and a core built against OLD misread each other: {words}"
    return (old_plugin, new_plugin), words


def _senders(key: str, api: Api) -> frozenset[Party]:
    """Which sides hand a value of an enumeration to the other one.

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
    """Who sends the values of an enumeration in a value, in what it points to, or in calls of what it points to.

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
