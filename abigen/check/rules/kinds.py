"""Types that became another kind of type under the same name."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from abigen.check.comparison import ApiComparison, change_rules, reached_by
from abigen.check.equality import same_handle
from abigen.check.reasons import count, misplaced
from abigen.check.rule import RuleResult, Subject
from abigen.check.rules.types import kind_of, other_handle
from abigen.check.struct_pairs import StructPair
from abigen.check.type_pairs import AnyType
from abigen.model.ctype import Basic, CType, EnumType, NamedType, Pointer, RecordType
from abigen.model.entities import Enum, Struct, Typedef
from abigen.model.finding import Bump
from abigen.model.layout import Layouts
from abigen.model.span import AbigenError
from abigen.model.spelling import spell


@change_rules.whole("ABI204", None)
def kind_changed(comparison: ApiComparison) -> Iterator[RuleResult]:
    """A name stands for another kind of type.

    What changed: a struct became a union, an enumeration an integer, an opaque handle a number, and so on.

    What happens: plugins and cores lay out, pass and return different types under one name, and read wrong values. If
    no byte moves (a struct and a union of one member, an enumeration and an integer of its size), only source code is
    affected.

    Instead: give the new type a new name.

    Source: rulebook section 3.
    """
    for struct in comparison.structs:
        if struct.old.kind != struct.new.kind:
            yield _struct_and_union(struct)
        elif struct.old.transparent != struct.new.transparent:
            yield _transparent(struct)
    for old, new in comparison.pair.type_names.other_kind:
        yield _other_kind(comparison, old, new)


def _other_kind(comparison: ApiComparison, old: AnyType, new: AnyType) -> RuleResult:
    """What is said of a name that stands for a struct here, for an enumeration or something else there."""
    was, now, name = kind_of(old), kind_of(new), old.name
    before, after = _number(old, comparison.old_layouts), _number(new, comparison.new_layouts)
    if before and after:
        was, now = f"{was} of {count(before[0], 'byte')}", f"{now} of {count(after[0], 'byte')}"
    was, now = _article(was), _article(now)
    source = f"code that uses {name} as {_article(kind_of(old))} no longer compiles"
    if isinstance(old, Enum) and isinstance(new, Typedef):
        source = f"`enum {old.tag}` no longer compiles" if old.tag else ""
    elif isinstance(old, Typedef) and isinstance(new, Enum):
        source = f"C++ code that assigns an integer to {name} no longer compiles"
    if isinstance(old, (Struct, Typedef)) and isinstance(new, (Struct, Typedef)):
        sides = ((old, was, comparison.old), (new, now, comparison.new))
        types = [RecordType(each.name) if isinstance(each, Struct) else each.type for each, *_ in sides]
        if same_handle(Pointer(types[0]), Pointer(types[1]), comparison.equality):
            said = [
                f"`{spell(each.type, api=api)}`" if isinstance(each, Typedef) else word for each, word, api in sides
            ]
            message = f"{name} was {said[0]}, is {said[1]}"
            return replace(other_handle(name, message, f"was {was}"), about=Subject(name, old.span, new.span))
    is_same = before is not None and before == after
    plugins = (
        f"it uses {name} as {was}; a core built against NEW has {now}",
        f"it uses {name} as {now}; a core built against OLD has {was}",
    )
    return RuleResult(
        f"{name} was {was}, is {now}",
        None if is_same else Bump.MAJOR,
        help="give the new type a new name" if source or not is_same else "",
        caret=f"was {was}",
        plugins=("", "") if is_same else plugins,
        source=source,
        details=reached_by(new.name, comparison) if isinstance(new, Typedef) and not is_same else (),
        about=Subject(name, old.span, new.span),
    )


def _number(entity: AnyType, layouts: Layouts) -> tuple[int, int] | None:
    """Size and alignment, in bytes, of an enumeration or of a typedef for a number; None for anything else."""
    named: CType = EnumType(entity.name) if isinstance(entity, Enum) else NamedType(entity.name)
    if isinstance(entity, Struct) or not isinstance(layouts.api.resolve(named), (Basic, EnumType, NamedType)):
        return None
    try:
        return layouts.size_of(named), layouts.alignment_of(named)
    except AbigenError:
        return None


def _transparent(struct: StructPair) -> RuleResult:
    """What is said of a union that arguments of its members' types stand for, on one side only."""
    was, now = ("a transparent union" if each.transparent else "a plain union" for each in (struct.old, struct.new))
    reason = f"one side passes {struct.name} as its first member, the other side as a union"
    return RuleResult(
        f"{struct.name} was {was}, is {now}: arguments are passed in another way",
        Bump.MAJOR,
        help="give the new type a new name",
        caret=f"was {was}",
        plugins=(reason, reason),
        source=f"code that passes a member of {struct.name} no longer compiles" if struct.old.transparent else "",
        about=struct.about,
    )


def _struct_and_union(struct: StructPair) -> RuleResult:
    """What is said of a struct that is a union now, or the other way round."""
    moves = struct.is_defined and struct.shifts.is_any
    was, now = struct.old.kind, struct.new.kind
    plugins = misplaced(struct.name, f"as a {was}", f"as a {now}", struct.old.filler)
    source = f"`{was} {struct.old.tag}` no longer compiles" if struct.old.tag else ""
    return RuleResult(
        f"{struct.name} was a {was}, is a {now}",
        Bump.MAJOR if moves else None,
        help="give the new type a new name" if moves or source else "",
        caret=f"was a {was}",
        plugins=plugins if moves else ("", ""),
        source=source,
        details=(*struct.shifts.moves(), *struct.shifts.holders()) if moves else (),
        about=struct.about,
    )


def _article(kind: str) -> str:
    """`a struct`, `an enum`."""
    return f"an {kind}" if kind[0] in "aeio" else f"a {kind}"
