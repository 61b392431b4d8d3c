"""Rules about the number of elements that a parameter declared as an array has (`unsigned char out[20]`)."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from abigen.check.comparison import ApiComparison, change_rules
from abigen.check.equality import peel
from abigen.check.pairs import ApisOnTarget
from abigen.check.rule import AtRisk, RuleResult, Subject
from abigen.model.contract import Party
from abigen.model.ctype import Array, CType, Expression, FunctionType, Parameter, Pointer
from abigen.model.finding import Bump
from abigen.model.layout import Layouts
from abigen.model.span import AbigenError


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
    """The bounds that differ in a function, or behind a pointer to one, and in the callbacks that it receives."""
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
    """The bound of one parameter, if both sides state it as a number and the elements are of one type."""
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
    """The number of elements of an array; None where it is no constant."""
    try:
        return layouts.evaluate(array.length) if isinstance(array.length, Expression) else array.length
    except AbigenError:
        return None


@change_rules.each("ABI415", _bounds, Bump.MAJOR)
def parameter_bound_changed(bound: _Bound) -> Iterator[RuleResult]:
    """The number of elements of an array parameter changed.

    What changed: `unsigned char out[20]` became `out[32]`, with or without `static`, in a function, a typedef or a
    member. More elements are MAJOR, fewer are MINOR. Compilers pass a pointer in either case.

    What happens: a caller built against OLD passes 20 bytes. A callee built against NEW writes 32 bytes, and so
    overruns the stack or heap of the caller by 12 bytes; if the elements are const, it reads 12 bytes past the end.
    With fewer elements, a caller built against NEW must not pass a smaller array to a callee built against OLD.

    Instead: add a function with another name for the larger array, or pass the number of elements.

    Source: C 6.7.6.3 p7 (an array parameter is a pointer; `static` states its least number of elements).
    """
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
