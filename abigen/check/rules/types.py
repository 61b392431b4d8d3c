"""Whole types: those that came, went, were renamed, opened or closed."""

from __future__ import annotations

from collections.abc import Iterator

from abigen.check.comparison import ApiComparison, Split, change_rules, reached_by
from abigen.check.differences import functions_behind
from abigen.check.equality import differ_in_qualifiers, hides_another, same_handle, spelled
from abigen.check.pairs import Changed
from abigen.check.reasons import count, gone, missing_in_new
from abigen.check.rule import AtRisk, RuleResult, Subject
from abigen.check.struct_pairs import StructPair
from abigen.check.type_pairs import AnyType, lost_names, lost_tag, lost_typedefs
from abigen.model.ctype import EnumType, NamedType, RecordType, types_in
from abigen.model.entities import Enum, Struct, Typedef
from abigen.model.finding import Bump, Detail
from abigen.model.layout import Layouts
from abigen.model.span import AbigenError


@change_rules.whole("ABI201", Bump.MAJOR)
def type_removed(comparison: ApiComparison) -> Iterator[RuleResult]:
    """A type was removed.

    What changed: NEW has no struct, union, enumeration, handle or typedef of this name, and none with the same contents
    under another name.

    What happens: source code that uses the name no longer compiles. A plugin built against OLD passes data that a core
    built against NEW does not know. If only a second name of a type was removed, binaries are not affected.

    Instead: deprecate the type, and remove it in a MAJOR release after the transition.

    Source: VS, "Deprecation with Extension", case 2.
    """
    renamed = {old.name for old, _ in comparison.renamed_typedefs}
    for entity in comparison.pair.type_names.removed:
        plugins = (
            f"it uses {entity.name}, which a core built against NEW does not know",
            f"it does not know {entity.name}, which a core built against OLD uses",
        )
        if entity.name not in renamed:
            yield RuleResult(
                f"{kind_of(entity)} {entity.name} was removed",
                help="mark it `Deprecated.`, and remove it in a MAJOR release after the transition",
                caret="removed",
                plugins=("", "") if _is_alias(entity, comparison) else plugins,
                source=gone(entity.name),
                about=Subject(entity.name, entity.span),
            )


def _is_alias(entity: AnyType, comparison: ApiComparison) -> bool:
    """Whether a typedef of OLD is only another name for what NEW has too."""
    if not isinstance(entity, Typedef):
        return False
    mentioned = (each.key for each in types_in(entity.type) if isinstance(each, (RecordType, EnumType)))
    return all(key in comparison.new.structs or key in comparison.new.enums for key in mentioned)


@change_rules.whole("ABI202", Bump.MINOR)
def type_added(comparison: ApiComparison) -> Iterator[RuleResult]:
    """A type was added.

    What changed: NEW has a struct, union, enumeration, handle or typedef that OLD does not have.

    What happens: nothing breaks. Members and functions that use the new type have findings of their own.

    Instead: nothing. Raise MINOR.

    Source: VS, "SE_MINOR".
    """
    told = {new.name for _, new in comparison.renamed_typedefs} | {split.part.name for split in comparison.splits}
    for entity in comparison.pair.type_names.added:
        if entity.name not in told:
            about = Subject(entity.name, None, entity.span)
            advice = comparison.to_raise("raise MINOR")
            yield RuleResult(f"{kind_of(entity)} {entity.name} was added", help=advice, caret="new", about=about)


@change_rules.whole("ABI203", None)
def type_renamed(comparison: ApiComparison) -> Iterator[RuleResult]:
    """A type was renamed.

    What changed: a struct, union, enumeration or typedef has the same members (or target) under another name. If a
    typedef keeps the old name, nothing is reported. A tag does not keep it: without `typedef struct Toy Toy;`, C has no
    type `Toy`.

    What happens: source code that uses the old name no longer compiles. Binaries contain no names of types, so plugins
    and cores of both versions work together.

    Instead: keep the old name as a typedef of the new one: `typedef struct New Old;`.

    Source: C 6.2.7 p1 (compatible types), C 6.2.3 (tags have a name space of their own); rulebook section 3.
    """
    for old, new in (*comparison.pair.type_names.renamed, *comparison.renamed_typedefs):
        name, is_nameless = old.name, isinstance(new, (Struct, Enum)) and new.anonymous
        keyword = "" if isinstance(new, Typedef) or new.typedef_names else f"{kind_of(new).split()[-1]} "
        if not isinstance(old, Typedef) and not isinstance(new, Typedef):
            for typedef in lost_typedefs(old, new, comparison.new):
                tagged = f"{kind_of(new).split()[-1]} {typedef}"
                yield RuleResult(
                    f"the typedef {typedef} was removed; only `{tagged}` remains",
                    help=f"keep it: `typedef {tagged} {typedef};`",
                    caret="without a typedef",
                    source=f"C code that uses {typedef} without `{tagged.split()[0]}` no longer compiles",
                    about=Subject(typedef, old.span, new.span),
                )
        if name in _lost(old, new, comparison):
            said = "has no name in NEW" if is_nameless else f"was renamed to {new.name}"
            kept = f"name {name}" if is_nameless else f"old name: `typedef {keyword}{new.name} {name};`"
            yield RuleResult(
                f"{kind_of(old)} {name} {said}",
                help=f"keep the {kept}",
                caret=f"was {name}",
                source=gone(name),
                about=Subject(name, old.span, new.span),
            )


def _lost(old: AnyType, new: AnyType, comparison: ApiComparison) -> tuple[str, ...]:
    """The names of a renamed type that do not reach it any more."""
    if isinstance(old, Typedef) or isinstance(new, Typedef):
        return (old.name,)
    return lost_names(old, new, comparison.new)


@change_rules.whole("ABI209", None)
def tag_renamed(comparison: ApiComparison) -> Iterator[RuleResult]:
    """The tag of a type was renamed or removed; its typedef stays.

    What changed: `typedef struct A_tag {...} A;` became `typedef struct B_tag {...} A;`, or the tag was removed;
    the same for unions and enumerations. For an opaque type with a typedef it is PATCH: users have the typedef.

    What happens: source code that uses `struct A_tag` no longer compiles, and a forward declaration of `struct A_tag`
    elsewhere declares another type. C binaries contain no tags. In C++, symbols of functions outside `extern "C"`
    contain the tag, so the loader no longer finds them.

    Instead: keep the tag.

    Source: C 6.2.3 (tags have a name space of their own); rulebook section 3.
    """
    for old, new in comparison.pair.type_names.renamed:
        lost = _lost(old, new, comparison)
        if old.name not in lost and isinstance(old, (Struct, Enum)) and isinstance(new, (Struct, Enum)):
            lost = tuple(each for each in lost if each == old.tag or each not in old.typedef_names)
            if not lost and not lost_tag(old, new, comparison.new):
                continue  # only a typedef is gone
            tag, keyword = (*lost, old.tag)[0], kind_of(old).split()[-1]
            now = "" if new.anonymous else new.tag
            is_opaque = isinstance(old, Struct) and old.fields is None and old.name in old.typedef_names
            source = f"code that uses `{keyword} {tag}`, also in forward declarations, no longer compiles"
            yield RuleResult(
                f"the tag {tag} of {old.name} was " + (f"renamed to {now}" if now else "removed"),
                Bump.PATCH if is_opaque else None,
                help=f"keep the tag {tag}",
                caret=f"was {tag}",
                source=AtRisk(source) if is_opaque else source,
                about=Subject(old.name, old.span, new.span),
            )


@change_rules.each("ABI205", lambda comparison: comparison.structs, Bump.MINOR)
def opaque_defined(struct: StructPair) -> Iterator[RuleResult]:
    """An opaque type is now defined in the header.

    What changed: OLD only declares the struct, NEW lists its members.

    What happens: nothing breaks. From now on its members are part of the interface, and users can hold it by value. A
    plugin built against NEW that accesses members reads wrong values if a core built against OLD has other members.

    Instead: leave it opaque, unless users need its members.

    Source: C 6.2.5 p22 (incomplete types); rulebook section 3.
    """
    if struct.old.fields is None and struct.new.fields is not None:
        reason = f"it may access members of {struct.name} that a core built against OLD has at other offsets"
        yield RuleResult(
            f"{struct.name} was opaque, is defined with {count(len(struct.new.fields), 'member')}",
            help="make sure that cores built against OLD have the same members",
            caret="defined now",
            plugins=("", AtRisk(reason)),
        )


@change_rules.each("ABI206", lambda comparison: comparison.structs, Bump.MAJOR)
def opaque_hidden(struct: StructPair) -> Iterator[RuleResult]:
    """A type became opaque: its members were removed from the header.

    What changed: OLD lists the members of the struct, NEW only declares it.

    What happens: plugins built against OLD still access members that a newer core may have at other offsets. Code that
    uses members, or holds the struct by value, no longer compiles.

    Instead: keep the members and deprecate them, or make a new opaque type beside it.

    Source: C 6.2.5 p22 (incomplete types); rulebook section 3.
    """
    if struct.old.fields is not None and struct.new.fields is None:
        names = ", ".join(member.name for member in struct.old_members)
        yield RuleResult(
            f"{struct.name} became opaque; it had {count(len(struct.old.fields), 'member')}",
            help="keep the members and deprecate them, or make a new opaque type beside it",
            caret="members removed",
            plugins=(
                f"it accesses members that a core built against NEW may have at other offsets: {names}",
                f"it cannot access members that a core built against OLD expects: {names}",
            ),
            source=f"code that uses its members or holds {struct.name} by value no longer compiles",
            details=[Detail("hidden", names)] if names else (),
        )


@change_rules.each("ABI208", lambda comparison: comparison.splits, Bump.MAJOR)
def struct_split(split: Split) -> Iterator[RuleResult]:
    """Members were moved from a struct into a new one.

    What changed: some members of OLD's struct were removed from it and are in a struct that only NEW has, with the same
    names and types.

    What happens: the same as for a removed member. A plugin built against OLD still accesses them at their old offsets,
    and the members after them moved to lower offsets, so both sides read wrong values.

    Instead: append a pointer to the new struct, set both during the transition, and deprecate the old members.

    Source: VS, "Conventions"; rulebook section 3.
    """
    name, part, names = split.struct.name, split.part.name, ", ".join(member.name for member in split.moved)
    yield RuleResult(
        f"{count(len(split.moved), 'member')} of {name} were moved into the new struct {part}",
        help=f"append a pointer to {part}, set both during the transition, and deprecate the old members",
        caret=f"from {name}: {names}",
        plugins=missing_in_new(names, f"in {name}", split.struct.old.filler),
        source=f"code that names {names} in {name} no longer compiles",
        details=[Detail("moved", names)],
    )


def kind_of(entity: AnyType) -> str:
    """What a type is, in a word."""
    if isinstance(entity, Struct):
        return entity.kind if entity.fields is not None else f"opaque {entity.kind}"
    return "enum" if isinstance(entity, Enum) else "typedef"


def retargeted(comparison: ApiComparison) -> Iterator[Changed[Typedef]]:
    """Typedefs that stand for another type; functions behind pointers, structs and enumerations are judged as such."""
    equality, typedefs = comparison.equality, comparison.pair.typedefs
    for each in comparison.changed(typedefs) if equality.names_are_enough else comparison.both(typedefs):
        old, new = each.old.type, each.new.type
        is_composite = isinstance(old, (RecordType, EnumType)) or isinstance(new, (RecordType, EnumType))
        is_judged = equality.same(old, new) or is_composite or functions_behind(old, new, equality)
        if hides_another(old, new, equality) or not is_judged or len(set(_alignments(each))) > 1:
            yield each


@change_rules.each("ABI207", retargeted, None)
def typedef_changed(typedef: Changed[Typedef]) -> Iterator[RuleResult]:
    """A typedef stands for another type.

    What changed: the types differ in more than spelling. The members, functions and other typedefs that use the name
    are listed below the finding; they are not reported again, and neither is what moves behind those members. A pointer
    to an opaque type that became another such pointer (`struct Window_st*` became `void*`) is MINOR: users only pass it
    back.

    What happens: plugins and cores are compiled with another type for each use of the name, and read wrong values or
    bytes at wrong offsets. If only qualifiers differ, binaries are not affected.

    Instead: add a typedef with another name, and members that use it.

    Source: VS, "Deprecation with Extension" (changing types is deprecation with extension); C 6.7.8.
    """
    old, new, apis, name = typedef.old, typedef.new, typedef.apis, typedef.name
    before, after = _alignments(typedef)
    aligned = f"; its alignment was {before} bytes, is {after}" if before != after else ""
    only_qualifiers = not aligned and differ_in_qualifiers(old.type, new.type, apis.equality)
    is_other = not (aligned or only_qualifiers) and same_handle(old.type, new.type, apis.equality)
    was, now = spelled(old.type, new.type, apis.equality)
    if is_other or hides_another(old.type, new.type, apis.equality):
        yield other_handle(name, f"{name} was {was}, is {now}", f"was {was}")
        return
    plugins = (
        f"it uses {name} as {was}; a core built against NEW uses it as {now}",
        f"it uses {name} as {now}; a core built against OLD uses it as {was}",
    )
    if aligned and apis.equality.same(old.type, new.type):
        aligns = "it aligns {} to {} bytes; a core built against {} to {} bytes"
        plugins = (aligns.format(name, before, "NEW", after), aligns.format(name, after, "OLD", before))
    yield RuleResult(
        f"{name} was {was}, is {now}{aligned}",
        None if only_qualifiers else Bump.MAJOR,
        help="add a typedef with another name, and leave this one as it is",
        caret=f"was {was}",
        plugins=("", "") if only_qualifiers else plugins,
        source=f"code that uses {name} as {was} may no longer compile",
        details=reached_by(name, apis),
        numbers={"old_size": _size(old, apis.old_layouts), "new_size": _size(new, apis.new_layouts)},
    )


def other_handle(name: str, message: str, caret: str) -> RuleResult:
    """What is said of a handle that hides another type, or none, behind the same pointer."""
    return RuleResult(
        f"{message}; users only pass it back, so no byte is different",
        Bump.MINOR,
        help="keep the type, so that code that uses it compiles",
        caret=caret,
        source=AtRisk(f"code that uses {name} with the old type may no longer compile, above all in C++"),
    )


def _alignments(typedef: Changed[Typedef]) -> tuple[int, ...]:
    """The alignment of what a typedef stands for, in bytes, on both sides, where they ask for different ones."""
    if not typedef.apis.equality.is_aligned_otherwise(typedef.old, typedef.new):
        return (0, 0)
    layouts = (typedef.apis.old_layouts, typedef.apis.new_layouts)
    try:
        return tuple(each.alignment_of(NamedType(typedef.name)) for each in layouts)
    except AbigenError:  # what is never defined is aligned for nobody
        return (0, 0)


def _size(typedef: Typedef, layouts: Layouts) -> int | None:
    """The size of what a typedef stands for, in bytes; None when it has none."""
    try:
        return layouts.size_of(typedef.type)
    except AbigenError:
        return None
