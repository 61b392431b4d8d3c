"""Function pointers: members and typedefs whose signature is not what it was, and qualifiers anywhere in a type."""

from __future__ import annotations

from collections.abc import Iterator

from abigen.check.axes import OK, axes, breaks
from abigen.check.comparison import Comparison, StructPair
from abigen.check.included import changed_uses, place_in_new
from abigen.check.member_change import CALLBACK, QUALIFIER, MemberChange, functions_behind, type_change
from abigen.check.pairing.equality import peel
from abigen.check.pairing.fields import MemberPair
from abigen.check.rule import Report, change_rule
from abigen.check.sides import CORE, PLUGIN, filler_of
from abigen.check.signature import SignatureChange
from abigen.check.typedef_uses import reached
from abigen.check.wording import was_is
from abigen.model.ctype import CType
from abigen.model.entities import Typedef
from abigen.model.finding import Axes, Bump, Detail
from abigen.model.spelling import spell


@change_rule("ABI107")
def callback_signature_changed(comparison: Comparison) -> Iterator[Report]:
    """A function pointer takes other arguments or returns something else.

    What changed: a parameter was added, removed, moved or retyped, or the return type, the `...` or the calling
    convention is another; of a member, or of a typedef (then all members of that type are listed with it). Parameters
    that merely have another name are `parameter-renamed`.

    What happens: the caller puts the arguments where the called function does not look for them. Two parameters of one
    type that changed places go wrong without any sign.

    Instead: append a member with the new signature (`Replaces x.`) and deprecate the old one; or let the callback take
    a struct that can grow.

    Source: VS, "Deprecation with Extension", case 3; C 6.5.2.2 p9.
    """
    for pair in comparison.structs:
        for each, change in pair.member_changes:
            if change.kind == CALLBACK and change.signature:
                producer = filler_of(each.old.field, pair.old, comparison.old)
                yield _member(pair, each, change.signature, producer)
    for old, new, change in _typedefs(comparison):
        if change.kind == CALLBACK and change.signature:
            yield _typedef(comparison, old, new, change.signature)
    for use, changed, _ in changed_uses(comparison):
        if use.kind in ("parameter", "result") and use.holder not in comparison.old.functions:
            sizes = f"{changed.old_layout.size} bytes, has {changed.new_layout.size}"
            yield Report(
                entity=use.holder,
                bump=Bump.MAJOR,
                message=f"{use.clause(changed.name)}, which comes from an included header and had {sizes}",
                axes=_called_otherwise(""),
                help=f"pass {changed.name} by pointer, or stay with the header in which it is as it was",
                old=use.span,
                new=place_in_new(use, comparison),
                numbers={"old_size": changed.old_layout.size, "new_size": changed.new_layout.size},
            )


def _member(pair: StructPair, each: MemberPair, signature: SignatureChange, producer: str) -> Report:
    """The report about one member."""
    name = pair.entity(each.old.path)
    return Report(
        entity=name,
        bump=Bump.MAJOR,
        message=f"{name}: {'; '.join(signature.words)}",
        axes=_called_otherwise(producer),
        help=f"append a member with the new signature (`Replaces {each.old.name}.`) and deprecate this one",
        details=(Detail("was", spell(each.old.field.type, each.old.name)), *pair.shifts.details_of(each)),
        old=each.old.field.span,
        new=each.new.field.span,
        caret="; ".join(signature.words),
        numbers=each.numbers,
    )


def _typedef(comparison: Comparison, old: Typedef, new: Typedef, signature: SignatureChange) -> Report:
    """The report about a typedef of a function or of a pointer to one."""
    return Report(
        entity=old.name,
        bump=Bump.MAJOR,
        message=f"{old.name}: {'; '.join(signature.words)}",
        axes=_called_otherwise(""),
        help=f"make a new typedef with the new signature, and leave {old.name} as it is",
        details=(Detail("was", f"typedef {spell(old.type, old.name)}"), *reached(comparison, old.name)),
        old=old.span,
        new=new.span,
        caret="; ".join(signature.words),
    )


def _called_otherwise(producer: str) -> Axes:
    """Who calls whom with the wrong arguments; the producer of a table implements what is in it."""
    implements = "its function takes the arguments of OLD; a core built against NEW calls it with those of NEW"
    calls = "it calls with the arguments of OLD a function of a core that takes those of NEW"
    either = "one side calls with the arguments of OLD what the other implements with those of NEW"
    new_implements = "its function takes the arguments of NEW; a core built against OLD calls it with those of OLD"
    new_calls = "it calls with the arguments of NEW a function of a core that takes those of OLD"
    return axes(
        old_plugin=breaks({PLUGIN: implements, CORE: calls}.get(producer, either)),
        new_plugin=breaks({PLUGIN: new_implements, CORE: new_calls}.get(producer, either)),
        source=breaks("a function with the signature of OLD cannot be assigned to it, nor called through it"),
    )


@change_rule("ABI106")
def field_qualifier_changed(comparison: Comparison) -> Iterator[Report]:
    """Only `const`, `volatile` or another qualifier differs.

    What changed: a qualifier came or went, at any depth of a member's type, or in a parameter or the result of a
    function pointer (also of a typedef for one).

    What happens: binaries do not notice. Source code breaks in the direction that C and C++ reject: what is const now
    cannot be stored in a pointer to non-const, what was const before can no longer be stored here, and function
    pointers whose parameters differ in qualifiers are different types either way.

    Instead: append a member with the qualified type, and deprecate the old one.

    Source: C 6.5.16.1 p1 (assignment), 6.7.6.3 p15 (compatible function types).
    """
    for pair in comparison.structs:
        for each, change in pair.member_changes:
            if change.kind == QUALIFIER:
                yield _qualified(pair, each, change)
    for old, new, change in _typedefs(comparison):
        if change.kind == QUALIFIER and change.signature:
            yield Report(
                entity=old.name,
                bump=_source_bump(comparison),
                message=f"{old.name}: {'; '.join(change.signature.words)}; only qualifiers differ",
                axes=axes(source=breaks("a function with the signature of OLD is of another type")),
                help=f"make a new typedef, and leave {old.name} as it is",
                details=tuple(reached(comparison, old.name)),
                old=old.span,
                new=new.span,
                caret="; ".join(change.signature.words),
            )


def _qualified(pair: StructPair, each: MemberPair, change: MemberChange) -> Report:
    """The report about one member."""
    comparison, name = pair.comparison, pair.entity(each.old.path)
    old_type, new_type = each.old.field.type, each.new.field.type
    if change.signature:
        reason = f"a function with the signature of OLD is of another type: {'; '.join(change.signature.words)}"
    else:
        reason = _rejected(old_type, new_type, comparison)
    return Report(
        entity=name,
        bump=_source_bump(comparison) if reason else Bump.PATCH,
        message=f"{name} {was_is(old_type, new_type, comparison.equality)}; only qualifiers differ",
        axes=axes(source=breaks(reason) if reason else OK),
        help="append a member with the qualified type, and deprecate this one" if reason else "",
        old=each.old.field.span,
        new=each.new.field.span,
        caret=f"was `{spell(old_type)}`",
        numbers=each.numbers,
    )


def _rejected(old: CType, new: CType, comparison: Comparison) -> str:
    """What compilers reject when qualifiers of a member changed; empty when they reject nothing."""
    reasons = []
    for depth, (before, after) in enumerate(_levels(old, new, comparison)):
        gained, lost = " ".join(sorted(after - before)), " ".join(sorted(before - after))
        if depth == 0:
            reasons += [f"code that assigns it no longer compiles, it is {gained} now"] if gained else []
        else:
            what = "what it points to" if depth == 1 else f"what it points to at depth {depth}"
            reasons += [f"{what} is {gained} now, so it cannot be copied to a pointer that is not"] if gained else []
            reasons += [f"{what} is no longer {lost}, so a pointer that is cannot be stored in it"] if lost else []
    return "; ".join(reasons)


def _levels(old: CType, new: CType, comparison: Comparison) -> Iterator[tuple[frozenset[str], frozenset[str]]]:
    """The qualifiers of both types at each depth of pointers, the types themselves first."""
    while True:
        before, old_core = peel(old, comparison.old_layouts)
        after, new_core = peel(new, comparison.new_layouts)
        yield before, after
        old_target, new_target = (_target(core) for core in (old_core, new_core))
        if old_target is None or new_target is None:
            return
        old, new = old_target, new_target


def _target(core: CType) -> CType | None:
    """What a pointer points to, or an array consists of."""
    from abigen.model.ctype import Array, Pointer

    if isinstance(core, Pointer):
        return core.target
    return core.element if isinstance(core, Array) else None


def _source_bump(comparison: Comparison) -> Bump:
    """What a change needs that breaks nothing but source code."""
    return Bump.MAJOR if comparison.options.source_counts else Bump.PATCH


def _typedefs(comparison: Comparison) -> Iterator[tuple[Typedef, Typedef, MemberChange]]:
    """Typedefs of functions, or of pointers to them, whose signature changed."""
    for old, new in comparison.typedefs.changed:
        if functions_behind(old.type, new.type, comparison.equality):
            change = type_change(old.type, new.type, comparison.equality)
            if change:
                yield old, new, change
