"""Whole types: those that came, went, were renamed, opened, closed, or became another kind of type."""

from __future__ import annotations

from collections.abc import Iterator

from abigen.check.axes import OK, at_risk, axes, breaks
from abigen.check.comparison import Comparison, StructPair
from abigen.check.pairing.typenames import AnyType, lost_names
from abigen.check.rule import Report, change_rule
from abigen.check.sources import source_bump
from abigen.check.typedef_uses import reached
from abigen.check.wording import count, misplaced, missing_in_new
from abigen.model.ctype import Basic, CType, EnumType, NamedType, RecordType, types_in
from abigen.model.entities import Enum, Struct, Typedef
from abigen.model.finding import Bump, Detail
from abigen.model.layout import Layouts
from abigen.model.span import AbigenError


@change_rule("ABI201")
def type_removed(comparison: Comparison) -> Iterator[Report]:
    """A type is gone.

    What changed: a struct, union, enumeration, handle or typedef of OLD has no counterpart in NEW, under no other name
    either.

    What happens: code that names it no longer compiles; a binary that uses it talks to a side that has forgotten it.
    Where only another name for a type goes that stays, binaries do not notice.

    Instead: deprecate the type, and remove it in a MAJOR release after the transition.

    Source: VS, "Deprecation with Extension", case 2.
    """
    renamed = {old.name for old, _ in comparison.renamed_typedefs}
    for entity in comparison.pair.type_names.removed:
        if entity.name in renamed:
            continue
        source = breaks(f"code that names {entity.name} no longer compiles")
        yield Report(
            entity=entity.name,
            bump=Bump.MAJOR,
            message=f"{_kind(entity)} {entity.name} was removed",
            axes=axes(source=source)
            if _is_alias(entity, comparison)
            else axes(
                old_plugin=breaks(f"it uses {entity.name}, which a core built against NEW no longer has"),
                new_plugin=breaks(f"a core built against OLD uses {entity.name}, which it does not know"),
                source=source,
            ),
            help="mark it `Deprecated.`, and remove it in a MAJOR release after the transition",
            old=entity.span,
            caret="removed",
        )


def _is_alias(entity: AnyType, comparison: Comparison) -> bool:
    """Whether a typedef of OLD is only another name for what NEW has too."""
    if not isinstance(entity, Typedef):
        return False
    known = (comparison.new.structs, comparison.new.enums)
    mentioned = (each for each in types_in(entity.type) if isinstance(each, RecordType | EnumType))
    return all(each.key in known[isinstance(each, EnumType)] for each in mentioned)


@change_rule("ABI202")
def type_added(comparison: Comparison) -> Iterator[Report]:
    """A type is new.

    What changed: NEW has a struct, union, enumeration, handle or typedef that OLD does not have.

    What happens: nothing by itself; whatever uses it is judged on its own.

    Instead: nothing. Raise MINOR.

    Source: VS, "SE_MINOR".
    """
    told = {new.name for _, new in comparison.renamed_typedefs} | {split.part.name for split in comparison.splits}
    for entity in comparison.pair.type_names.added:
        if entity.name in told:
            continue
        yield Report(
            entity=entity.name,
            bump=Bump.MINOR,
            message=f"{_kind(entity)} {entity.name} was added",
            help="raise MINOR",
            new=entity.span,
            caret="new",
        )


@change_rule("ABI203")
def type_renamed(comparison: Comparison) -> Iterator[Report]:
    """A type has another name, or another tag.

    What changed: a struct, union, enumeration or typedef has the members (or the target) that it had, but a name of OLD
    no longer stands for it. A typedef that keeps the old name alive is enough for this to be no finding.

    What happens: binaries do not know names of types. Source code that uses the old name no longer compiles.

    Instead: keep the old name as a typedef of the new one: `typedef struct New Old;`.

    Source: C 6.2.7 p1 (compatible types); rulebook section 3.
    """
    for old, new in (*comparison.pair.type_names.renamed, *comparison.renamed_typedefs):
        lost = (
            lost_names(old, new, comparison.new)
            if isinstance(old, Struct | Enum) and isinstance(new, Struct | Enum)
            else (old.name,)
        )
        is_tag = old.name not in lost
        name = lost[0] if is_tag else old.name
        now = (
            "" if isinstance(new, Struct | Enum) and new.anonymous else getattr(new, "tag", "") if is_tag else new.name
        )
        what = f"the tag {name} of {old.name}" if is_tag else f"{_kind(old)} {old.name}"
        yield Report(
            entity=old.name,
            bump=Bump.MAJOR if comparison.options.source_counts else Bump.PATCH,
            message=f"{what} is gone; " + (f"it is called {now} now" if now else "the type has no such name any more"),
            axes=axes(source=breaks(f"code that names {name} no longer compiles")),
            help=f"keep the old name: `typedef {_keyword(new)}{new.name} {name};`" if now else f"keep the name {name}",
            old=old.span,
            new=new.span,
            caret=f"was {name}",
        )


@change_rule("ABI204")
def kind_changed(comparison: Comparison) -> Iterator[Report]:
    """A name stands for another kind of type.

    What changed: a struct became a union, an enumeration an integer, an opaque handle a number, and so on.

    What happens: the two sides lay out, pass and return different things under one name. Where no byte moves (a struct
    and a union of one member, an enumeration and an integer of its size), only source code notices.

    Instead: give the new type a new name.

    Source: rulebook section 3.
    """
    for pair in comparison.structs:
        if pair.old.kind != pair.new.kind:
            yield _struct_and_union(pair)
    for old, new in comparison.pair.type_names.other_kind:
        yield _other_kind(comparison, old, new)


def _other_kind(comparison: Comparison, old: AnyType, new: AnyType) -> Report:
    """The report about a name that stands for a struct here, for an enumeration or something else there."""
    was, now = _kind(old), _kind(new)
    source = _rejected_kind(old, new)
    before, after = _number(old, comparison.old_layouts), _number(new, comparison.new_layouts)
    is_same = before is not None and before == after
    if before and after:
        was, now = f"{was} of {count(before[0], 'byte')}", f"{now} of {count(after[0], 'byte')}"
    return Report(
        entity=old.name,
        bump=source_bump(comparison, is_broken=bool(source)) if is_same else Bump.MAJOR,
        message=f"{old.name} was {_article(was)}, is {_article(now)}",
        axes=axes(
            old_plugin=OK
            if is_same
            else breaks(f"it uses {old.name} as {_article(was)}; a core built against NEW has {_article(now)}"),
            new_plugin=OK
            if is_same
            else breaks(f"it uses {old.name} as {_article(now)}; a core built against OLD has {_article(was)}"),
            source=breaks(source) if source else OK,
        ),
        help="" if is_same and not source else "give the new type a new name",
        details=tuple(reached(comparison, new.name)) if isinstance(new, Typedef) and not is_same else (),
        old=old.span,
        new=new.span,
        caret=f"was {_article(was)}",
    )


def _number(entity: AnyType, layouts: Layouts) -> tuple[int, int] | None:
    """Size and alignment, in bytes, of an enumeration or of a typedef for a number; None for anything else."""
    named: CType = EnumType(entity.name) if isinstance(entity, Enum) else NamedType(entity.name)
    if isinstance(entity, Struct) or not isinstance(layouts.api.resolve(named), Basic | EnumType | NamedType):
        return None
    try:
        return layouts.size_of(named), layouts.alignment_of(named)
    except AbigenError:
        return None


def _rejected_kind(old: AnyType, new: AnyType) -> str:
    """What no longer compiles; empty when nothing does, which is so for an enumeration without a tag."""
    if isinstance(old, Enum) and isinstance(new, Typedef):
        return f"`enum {old.tag}` no longer compiles" if old.tag else ""
    if isinstance(old, Typedef) and isinstance(new, Enum):
        return f"C++ code that puts an integer into {old.name} no longer compiles"
    return f"code that uses {old.name} as {_article(_kind(old))} no longer compiles"


def _struct_and_union(pair: StructPair) -> Report:
    """The report about a struct that is a union now, or the other way round."""
    moves = pair.is_defined and pair.shifts.is_any
    was, now = pair.old.kind, pair.new.kind
    old_plugin, new_plugin = misplaced("its members", f"as those of a {was}", f"as those of a {now}", pair.producer)
    source_counts = pair.comparison.options.source_counts
    return Report(
        entity=pair.name,
        bump=Bump.MAJOR if moves or source_counts else Bump.PATCH,
        message=f"{pair.name} was a {was}, is a {now}",
        axes=axes(
            old_plugin=old_plugin if moves else OK,
            new_plugin=new_plugin if moves else OK,
            source=breaks(f"`{was} {pair.name}` no longer compiles"),
        ),
        help="give the new type a new name",
        details=tuple(pair.shifts.summary()) if moves else (),
        old=pair.old.span,
        new=pair.new.span,
        caret=f"was a {was}",
    )


@change_rule("ABI205")
def opaque_defined(comparison: Comparison) -> Iterator[Report]:
    """A type that only one side knew is defined in the header.

    What changed: OLD only declares the struct, NEW lists its members.

    What happens: nothing breaks. From now on its members are part of the interface, and users can hold it by value.

    Instead: leave it opaque, unless its members are meant to be used.

    Source: C 6.2.5 p22 (incomplete types); rulebook section 3.
    """
    for pair in comparison.structs:
        if pair.old.fields is None and pair.new.fields is not None:
            yield Report(
                entity=pair.name,
                bump=Bump.MINOR,
                message=f"{pair.name} was opaque, and has {count(len(pair.new.fields), 'member')} now",
                axes=axes(
                    new_plugin=at_risk(
                        f"it may use members of {pair.name} that a core built against OLD has elsewhere"
                    ),
                ),
                help="make sure that cores built against OLD have the same members",
                old=pair.old.span,
                new=pair.new.span,
                caret="defined now",
            )


@change_rule("ABI206")
def opaque_hidden(comparison: Comparison) -> Iterator[Report]:
    """The members of a type are no longer in the header.

    What changed: OLD lists the members of the struct, NEW only declares it.

    What happens: binaries built against OLD still use members that the other side is now free to move. Code that uses
    them, or holds the struct by value, no longer compiles.

    Instead: keep the members and deprecate them, or make a new opaque type beside it.

    Source: C 6.2.5 p22 (incomplete types); rulebook section 3.
    """
    for pair in comparison.structs:
        if pair.old.fields is not None and pair.new.fields is None:
            names = ", ".join(member.name for member in pair.old_members)
            yield Report(
                entity=pair.name,
                bump=Bump.MAJOR,
                message=f"{pair.name} is opaque now; it had {count(len(pair.old.fields), 'member')}",
                axes=axes(
                    old_plugin=breaks(f"it uses members that a core built against NEW may have elsewhere: {names}"),
                    new_plugin=breaks(f"it cannot fill or read what a core built against OLD expects: {names}"),
                    source=breaks(f"code that uses its members or holds {pair.name} by value no longer compiles"),
                ),
                help="keep the members and deprecate them, or make a new opaque type beside it",
                details=(Detail("hidden", names),) if names else (),
                old=pair.old.span,
                new=pair.new.span,
                caret="no members any more",
            )


@change_rule("ABI208")
def struct_split(comparison: Comparison) -> Iterator[Report]:
    """Members left a struct for a new one.

    What changed: some members of OLD's struct are gone from it and stand in a struct that only NEW has, under the same
    names and with the same types.

    What happens: as with any member that is removed: the other side still fills or reads them where they were, and what
    stood behind them moved up.

    Instead: append a pointer to the new struct, fill both during the transition, and deprecate the old members.

    Source: VS, "Conventions"; rulebook section 3.
    """
    for split in comparison.splits:
        pair, names = split.pair, ", ".join(member.name for member in split.moved)
        old_plugin, new_plugin = missing_in_new(names, f"in {pair.name}", pair.producer)
        yield Report(
            entity=pair.name,
            bump=Bump.MAJOR,
            message=f"{count(len(split.moved), 'member')} of {pair.name} went into the new struct {split.part.name}",
            axes=axes(
                old_plugin=old_plugin,
                new_plugin=new_plugin,
                source=breaks(f"code that names {names} in {pair.name} no longer compiles"),
            ),
            help=f"append a pointer to {split.part.name}, fill both during the transition, deprecate the old members",
            details=(Detail("moved", names),),
            old=split.moved[0].field.span,
            new=split.part.span,
            caret=f"from {pair.name}: {names}",
        )


def _kind(entity: AnyType) -> str:
    """What a type is, in a word."""
    if isinstance(entity, Struct):
        return entity.kind if entity.fields is not None else f"opaque {entity.kind}"
    return "enum" if isinstance(entity, Enum) else "typedef"


def _article(kind: str) -> str:
    """`a struct`, `an enum`."""
    return f"an {kind}" if kind[0] in "aeio" else f"a {kind}"


def _keyword(entity: AnyType) -> str:
    """What has to stand before a tag in C."""
    if isinstance(entity, Struct) and not entity.typedef_names:
        return f"{entity.kind} "
    return "enum " if isinstance(entity, Enum) and not entity.typedef_names else ""
