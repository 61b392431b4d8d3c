"""Rules about calls: signatures of function pointers, qualifiers, bounds of parameters, function attributes."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from msgspec.structs import replace

from abigen.checker.comparison import ApiComparison, IncludedChange, change_rules, if_it_may_grow, reached_by
from abigen.checker.equality import peel, revealed
from abigen.checker.pairs import (
    CALLBACK,
    QUALIFIER,
    ApisOnTarget,
    Changed,
    SignatureChange,
    TypeChange,
    functions_behind,
    type_change,
)
from abigen.checker.rule import AtRisk, Numbers, RuleResult, Subject
from abigen.checker.rules.contract import are_specs
from abigen.checker.rules.functions import integers_of
from abigen.checker.rules.types import other_handle
from abigen.checker.struct_pairs import KeptMember
from abigen.model.contract import Party
from abigen.model.ctype import Array, CType, Expression, FunctionType, Parameter, Pointer
from abigen.model.entities import Callback, Field, Function, Typedef
from abigen.model.finding import Bump, Detail
from abigen.model.layout import Layouts
from abigen.model.span import AbigenError
from abigen.model.spelling import spell


class _Bound(msgspec.Struct, frozen=True):
    """The sizes, in bytes and elements, of an array that a parameter is declared as on both sides."""

    about: Subject
    parameter: str
    callee: Party
    elements: tuple[int, int]
    sizes: tuple[int, int]
    is_const: bool
    """True if the callee reads the elements and cannot write them."""


def _bounds(comparison: ApiComparison) -> Iterator[_Bound]:
    """Parameters of functions, typedefs and members whose number of elements differs; each side has to state one."""
    for function in comparison.both(comparison.pair.functions):
        called = function.new.implemented_by
        yield from _of_calls(function.about, called, function.old.type, function.new.type, comparison)
    for typedef in comparison.both(comparison.pair.typedefs):
        yield from _of_calls(typedef.about, Party.UNKNOWN, typedef.old.type, typedef.new.type, comparison)
    for old, new in comparison.pair.structs:
        for before in old.fields or ():
            after = new.member(before.name)
            if after is not None and (old.in_api or new.in_api):
                about = Subject(f"{old.name}.{before.name}", before.span, after.span)
                yield from _of_calls(about, after.filler, before.type, after.type, comparison)


def _of_calls(about: Subject, callee: Party, old: CType, new: CType, apis: ApisOnTarget) -> Iterator[_Bound]:
    """Yield the bounds that differ in a function, or behind a pointer to one, and in the callbacks that it receives."""
    while isinstance(old, (Pointer, Array)) and isinstance(new, (Pointer, Array)):
        old = old.target if isinstance(old, Pointer) else old.element
        new = new.target if isinstance(new, Pointer) else new.element
    if not (isinstance(old, FunctionType) and isinstance(new, FunctionType)):
        return
    if len(old.parameters) != len(new.parameters):
        return
    for position, (before, after) in enumerate(zip(old.parameters, new.parameters, strict=True), 1):
        if before.array is not None and after.array is not None:
            yield from _of_parameter(about, callee, before, after, position, apis)
        else:
            yield from _of_calls(about, callee.other, before.type, after.type, apis)


def _of_parameter(
    about: Subject, callee: Party, old: Parameter, new: Parameter, position: int, apis: ApisOnTarget
) -> Iterator[_Bound]:
    """Yield the bound of one parameter, if both sides state it as a number and the elements are of one type."""
    before, after = old.array, new.array
    if before is None or after is None or not apis.equality.same_parameter(old.type, new.type):
        return
    was, now = _length(before, apis.old_layouts), _length(after, apis.new_layouts)
    if was is None or now is None or was == now:
        return
    try:
        size = apis.new_layouts.size_of(after.element)
    except AbigenError:
        return
    about = Subject(about.entity, about.old, new.span or about.new)
    name = f"parameter {position}" + (f" `{new.name}`" if new.name else "")
    is_const = _is_const(before.element, apis.old_layouts) and _is_const(after.element, apis.new_layouts)
    yield _Bound(about, name, callee, (was, now), (was * size, now * size), is_const)


def _is_const(element: CType, layouts: Layouts) -> bool:
    """True if the elements of an array, at any depth of arrays, are const."""
    while True:
        qualifiers, core = peel(element, layouts)
        if "const" in qualifiers or not isinstance(core, Array):
            return "const" in qualifiers
        element = core.element


def _length(array: Array, layouts: Layouts) -> int | None:
    """Return the number of elements of an array; None where it is no constant."""
    try:
        return layouts.evaluate(array.length) if isinstance(array.length, Expression) else array.length
    except AbigenError:
        return None


@change_rules.each("ABI415", _bounds, Bump.MAJOR)
def parameter_bound_changed(bound: _Bound) -> Iterator[RuleResult]:
    """The number of elements of an array parameter changed."""
    (was, now), (old_size, new_size) = bound.elements, bound.sizes
    verb, past = "reads" if bound.is_const else "writes", "{} bytes past its end"
    message = f"{bound.about.entity}: {bound.parameter} had {was} elements, has {now}"
    if now > was:
        effect = past.format(new_size - old_size)
        reasons = {
            Party.CORE: (f"it passes {old_size} bytes; a core built against NEW {verb} {new_size} bytes, {effect}", ""),
            Party.PLUGIN: (
                "",
                f"a core built against OLD passes {old_size} bytes; it {verb} {new_size} bytes, {effect}",
            ),
        }
        plugins = reasons.get(bound.callee, ("", ""))
        contract = f"a caller of OLD passes {old_size} bytes; a callee of NEW {verb} {new_size} bytes, {effect}"
        yield RuleResult(
            f"{message}: a callee of NEW may {'read' if bound.is_const else 'write'} {new_size} bytes, and callers of "
            f"OLD pass {old_size} bytes",
            help="add a function with another name for the larger array, or pass the number of elements",
            plugins=plugins,
            contract="" if any(plugins) else contract,
            numbers={"old_size": old_size, "new_size": new_size},
        )
        return
    older = f"may still {verb.removesuffix('s')} {old_size} bytes"
    reasons = {
        Party.CORE: ("", AtRisk(f"a core built against OLD {older}: it must not pass {new_size} bytes to that one")),
        Party.PLUGIN: (AtRisk(f"it {older}; a core built against NEW must not pass {new_size} bytes to it"), ""),
    }
    plugins = reasons.get(bound.callee, ("", ""))
    yield RuleResult(
        message,
        Bump.MINOR,
        plugins=plugins,
        contract="" if any(plugins) else AtRisk(f"a callee of OLD {older}: a caller of NEW must not pass {new_size}"),
        numbers={"old_size": old_size, "new_size": new_size},
    )


class _Effect(msgspec.Struct, frozen=True):
    """The consequences of an attribute that was added or removed."""

    bump: Bump = Bump.NONE
    older_caller: str = ""
    """The reason why a caller of OLD may go wrong with a function of NEW."""
    newer_caller: str = ""
    """The reason why a caller of NEW may go wrong with a function of OLD."""
    source: str = ""
    """The reason why compilers may warn about code that is compiled again."""


class _Attribute(msgspec.Struct, frozen=True):
    """The effects of an attribute when it is added, and when it is removed."""

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
    """An attribute of one function that was added, removed, or has other arguments."""

    function: Changed[Function]
    name: str
    old: str
    """The spelling in OLD, including arguments; empty where OLD does not have it."""
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
    """An attribute of a function was added, removed or got other arguments."""
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


_TAKES = {
    Party.PLUGIN: (
        "a core built against NEW calls its function with the arguments of NEW; it reads those of OLD",
        "a core built against OLD calls its function with the arguments of OLD; it reads those of NEW",
    ),
    Party.CORE: (
        "it passes the arguments of OLD to a function of a core built against NEW, which reads those of NEW",
        "it passes the arguments of NEW to a function of a core built against OLD, which reads those of OLD",
    ),
    Party.UNKNOWN: ("one side passes the arguments of OLD, and the function of the other side reads those of NEW",) * 2,
}
"""The reasons for a call with wrong arguments, by the producer of the table, which implements its functions."""
_RETURNS = {
    Party.PLUGIN: (
        "its function returns the result of OLD; a core built against NEW reads the result of NEW",
        "its function returns the result of NEW; a core built against OLD reads the result of OLD",
    ),
    Party.CORE: (
        "it reads the result of OLD; the function of a core built against NEW returns the result of NEW",
        "it reads the result of NEW; the function of a core built against OLD returns the result of OLD",
    ),
    Party.UNKNOWN: ("one side reads the result of OLD, and the function of the other side returns the result of NEW",)
    * 2,
}
"""The same where only the result is another one."""
_NOT_ASSIGNABLE = "code that assigns a function with the signature of OLD, or calls with it, no longer compiles"


def _called_otherwise(change: SignatureChange | None, filler: Party) -> tuple[str, str]:
    """Return what goes wrong in a call through a pointer whose function has another signature, in both directions."""
    if change is not None and change.is_converted:
        return "", ""
    is_result = change is not None and change.result is not None and len(change.words) == 1
    reasons = _RETURNS if is_result else _TAKES
    return reasons.get(filler, reasons[Party.UNKNOWN])


def _callback_change(typedef: Changed[Typedef]) -> TypeChange | None:
    """Return the change of the signature of a typedef of a function, or of a pointer to one; None for others."""
    old, new, equality = typedef.old.type, typedef.new.type, typedef.apis.equality
    return type_change(old, new, equality) if functions_behind(old, new, equality) else None


@change_rules.each("ABI107", lambda comparison: comparison.retyped(CALLBACK), Bump.MAJOR)
def callback_signature_changed(member: KeptMember) -> Iterator[RuleResult]:
    """A function pointer takes other arguments or returns something else."""
    words = "; ".join(member.signature.words if member.signature else ())
    if member.signature and member.signature.loses_a_handle:
        yield other_handle(member.name, f"{member.entity}: {words}", words)
        return
    yield RuleResult(
        f"{member.entity}: {words}",
        help=if_it_may_grow(
            member.struct, f"append a member with the new signature (`Replaces {member.name}.`) and deprecate this one"
        ),
        caret=words,
        plugins=_called_otherwise(member.signature, member.filler),
        source=_NOT_ASSIGNABLE,
        numbers=_numbers(member),
        details=(
            Detail("was", spell(_shown(member)[0], member.name, member.struct.apis.old)),
            Detail("is", spell(_shown(member)[1], member.name, member.struct.apis.new)),
            *member.consequences,
        ),
    )


def _shown(member: KeptMember) -> tuple[CType, CType]:
    """Return the types of a member without the typedefs that hide how they differ."""
    return revealed(member.old.field.type, member.new.field.type, member.struct.apis.equality)


def _numbers(member: KeptMember) -> Numbers:
    """Return where a member is, and the integers in its signature that became others."""
    change = member.signature
    return {**member.pair.numbers, **(integers_of(change, member.struct.apis.equality) if change else {})}


@change_rules.also("ABI107", lambda comparison: comparison.changed(comparison.pair.typedefs))
def _callback_type_changed(typedef: Changed[Typedef]) -> Iterator[RuleResult]:
    """A typedef of a function pointer; all that use it are listed with it."""
    old, change = typedef.old, _callback_change(typedef)
    if change and change.kind == CALLBACK and change.signature:
        words = "; ".join(change.signature.words)
        if change.signature.loses_a_handle:
            yield other_handle(old.name, f"{old.name}: {words}", words)
            return
        yield RuleResult(
            f"{old.name}: {words}",
            help=f"add a new typedef with the new signature, and leave {old.name} as it is",
            caret=words,
            plugins=_called_otherwise(change.signature, Party.UNKNOWN),
            source=_NOT_ASSIGNABLE,
            numbers=integers_of(change.signature, typedef.apis.equality),
            details=(
                *_declarations(typedef),
                *reached_by(old.name, typedef.apis),
            ),
        )


def _declarations(typedef: Changed[Typedef]) -> tuple[Detail, Detail]:
    """Return the declaration of OLD and of NEW, without the typedefs that hide how they differ."""
    was, now = revealed(typedef.old.type, typedef.new.type, typedef.apis.equality)
    return (
        Detail("was", f"typedef {spell(was, typedef.name, typedef.apis.old)}"),
        Detail("is", f"typedef {spell(now, typedef.name, typedef.apis.new)}"),
    )


@change_rules.also("ABI107", lambda comparison: comparison.included("callback"))
def _passed_struct_changed(passed: IncludedChange) -> Iterator[RuleResult]:
    """A callback takes or returns an included struct by value whose layout changed."""
    struct = passed.struct
    sizes = f"{struct.old_layout.size} bytes, has {struct.new_layout.size}"
    yield RuleResult(
        f"{passed.use.clause(struct.name)}, which comes from an included header and had {sizes}",
        help=f"pass {struct.name} by pointer, or keep the header that defines it as in OLD",
        plugins=_TAKES[Party.UNKNOWN],
        source=_NOT_ASSIGNABLE,
        about=replace(passed.about, entity=passed.use.holder),
    )


@change_rules.each("ABI106", lambda comparison: comparison.retyped(QUALIFIER), None)
def field_qualifier_changed(member: KeptMember) -> Iterator[RuleResult]:
    """Only `const`, `volatile` or another qualifier differs."""
    source = _rejected(member.old.field.type, member.new.field.type, member.struct.apis)
    if member.signature:
        source = f"a function with the signature of OLD has another type: {'; '.join(member.signature.words)}"
    yield RuleResult(
        f"{member.entity} {member.was_is}; only qualifiers differ",
        help=if_it_may_grow(member.struct, "append a member with the qualified type, and deprecate this one")
        if source
        else "",
        caret=f"was `{spell(member.old.field.type, api=member.struct.apis.old)}`",
        source=source,
    )


@change_rules.also("ABI106", lambda comparison: comparison.changed(comparison.pair.typedefs))
def _callback_type_qualified(typedef: Changed[Typedef]) -> Iterator[RuleResult]:
    """A typedef of a function pointer, in which only qualifiers differ."""
    name, change = typedef.name, _callback_change(typedef)
    if change and change.kind == QUALIFIER and change.signature:
        words = "; ".join(change.signature.words)
        yield RuleResult(
            f"{name}: {words}; only qualifiers differ",
            help=f"add a new typedef, and leave {name} as it is",
            caret=words,
            source="a function with the signature of OLD has another type",
            details=reached_by(name, typedef.apis),
        )


def _rejected(old: CType | None, new: CType | None, apis: ApisOnTarget) -> str:
    """Return the code that compilers reject when qualifiers of a member changed; empty for none."""
    reasons = []
    depth = 0
    while old is not None and new is not None:
        (before, old_core), (after, new_core) = peel(old, apis.old_layouts), peel(new, apis.new_layouts)
        gained, lost = " ".join(sorted(after - before)), " ".join(sorted(before - after))
        what = "its pointee" if depth == 1 else f"its pointee at depth {depth}"
        if gained and depth == 0 and "const" in gained:
            reasons.append(f"code that assigns it no longer compiles: it is {gained}")
        elif gained and depth == 0:
            reasons.append(f"only code that copies its address to a pointer to data that is not {gained} is diagnosed")
        elif gained:
            reasons.append(f"{what} is {gained}, so it cannot be copied to a pointer to data that is not {gained}")
        if lost and depth:
            reasons.append(f"{what} is no longer {lost}, so a pointer to {lost} data cannot be stored in it")
        old, new = _target(old_core), _target(new_core)
        depth += 1
    return "; ".join(reasons)


def _target(core: CType) -> CType | None:
    """Return the pointee of a pointer, or the element of an array."""
    if isinstance(core, Pointer):
        return core.target
    return core.element if isinstance(core, Array) else None


class _NullChange(msgspec.Struct, frozen=True):
    """Parameters of a function of which two specs say otherwise whether they may be NULL."""

    about: Subject
    callee: Party
    words: str
    is_allowed: bool
    """True if a newer caller may hand over NULL to who knows nothing of it; otherwise an older one may."""
    is_told: bool
    """True if both specs say so."""


_WORDS = {
    True: "states that `{}` may be NULL",
    False: "states that `{}` is never NULL",
    None: "states nothing of NULL for `{}`",
}


def _null_changes(comparison: ApiComparison) -> Iterator[_NullChange]:
    """Yield the changes about NULL."""
    if not are_specs(comparison):
        return
    for member in comparison.paired_members:
        old, new = member.old.field, member.new.field
        about = Subject(member.entity, old.span, new.span)
        types = comparison.old.function_behind(old.type), comparison.new.function_behind(new.type)
        yield from _null_changes_of(about, new.filler, old, new, *types)
    for type in comparison.changed(comparison.pair.typedefs):
        if isinstance(type.old, Callback) and isinstance(type.new, Callback):
            functions = type.old.function, type.new.function
            yield from _null_changes_of(type.about, Party.UNKNOWN, type.old, type.new, *functions)
    for each in comparison.changed(comparison.pair.functions):
        yield from _null_changes_of(
            each.about, each.new.implemented_by, each.old, each.new, each.old.type, each.new.type
        )


_Called = Field | Callback | Function


def _null_changes_of(
    about: Subject, callee: Party, old: _Called, new: _Called, was: FunctionType | None, now: FunctionType | None
) -> Iterator[_NullChange]:
    """Yield the same of one function: parameters by their places, for their names may change."""
    if was is None or now is None:
        return
    for before, after in zip(was.parameters, now.parameters, strict=False):
        first, second = _may_be_null(before.name, old), _may_be_null(after.name, new)
        if first is not second:
            name = before.name or after.name
            words = f"OLD {_WORDS[first].format(name)}, NEW {_WORDS[second].format(name)}"
            yield _NullChange(about, callee, words, second or first is False, None not in (first, second))


def _may_be_null(name: str | None, entity: _Called) -> bool | None:
    return True if name in entity.nullable else False if name in entity.non_null else None


@change_rules.also("ABI613", _null_changes)
def _null_otherwise(change: _NullChange) -> Iterator[RuleResult]:
    """A function may meet a NULL that it does not expect: the side that implements it breaks, and not its caller."""
    older, newer = ("older", "newer") if change.is_allowed else ("newer", "older")
    reason = f"the function of the {older} side may receive NULL from the {newer} side and does not check for it"
    is_use_of_new = change.is_allowed and change.callee is Party.CORE
    reason = reason if change.is_told and not is_use_of_new else AtRisk(reason)
    # An older plugin meets it as the callee of a newer core, or as the caller of one.
    is_old_plugin = change.is_allowed is (change.callee is Party.PLUGIN)
    known = change.callee in (Party.CORE, Party.PLUGIN)
    yield RuleResult(
        f"{change.about.entity}: {change.words}",
        Bump.MAJOR if change.is_told and not is_use_of_new else Bump.MINOR,
        help="" if not change.is_told or is_use_of_new else "add a function with the new parameter",
        plugins=((reason, "") if is_old_plugin else ("", reason)) if known else ("", ""),
        contract="" if known else reason,
        about=change.about,
    )
