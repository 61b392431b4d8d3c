"""Rules about whole types: added, removed, renamed, completed, of another kind, and members of unions."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from abigen.checker.comparison import ApiComparison, Split, change_rules, reached_by
from abigen.checker.equality import differ_in_qualifiers, hides_another, same_handle, spelled
from abigen.checker.pairs import Changed, functions_behind
from abigen.checker.rule import AtRisk, RuleResult, Subject, count, gone, misplaced, missing_in_new
from abigen.checker.rules.appends import IN_UNION, Appended, of_kind
from abigen.checker.struct_pairs import NewMember, StructPair, find_struct
from abigen.checker.type_pairs import AnyType, lost_names, lost_tag, lost_typedefs
from abigen.model.ctype import Basic, CType, EnumType, NamedType, Pointer, RecordType, types_in
from abigen.model.entities import Enum, Struct, Typedef
from abigen.model.finding import Bump, Detail
from abigen.model.layout import Layouts
from abigen.model.roles import passed_in
from abigen.model.span import AbigenError
from abigen.model.spelling import spell


@change_rules.each("ABI118", lambda comparison: comparison.new_members(lambda fields: fields.overlaid))
def union_member_added(added: NewMember) -> Iterator[RuleResult]:
    """A new alternative was added to a union."""
    name, (old, new) = added.member.name, union_sizes(added)
    was, now = (f"{count(size, 'byte')} aligned to {alignment}" for size, alignment in (old, new))
    message, caret = f"{added.entity} is a new alternative; the union", f"{added.member.size} bytes"
    numbers = {"old_size": old[0], "old_alignment": old[1], "new_size": new[0], "new_alignment": new[1]}
    passed = _passed_otherwise(added) if old == new else None
    if passed:
        use, where, there = passed
        yield RuleResult(
            f"{added.entity} is a new alternative; {use}, in {there} instead of {where}",
            Bump.MAJOR,
            help="pass it by pointer, or add a new type for the new alternative",
            caret=caret,
            plugins=(
                f"it passes the union in {where}; a core built against NEW reads it from {there}",
                f"it passes the union in {there}; a core built against OLD reads it from {where}",
            ),
            numbers=numbers,
        )
    elif not outgrows_its_place(added):
        check = "it must check which alternative is in use"
        holds = f"still has {new[0]} bytes" if old == new else f"had {was}, has {now}, and no other member moves"
        yield RuleResult(
            f"{message} {holds}",
            Bump.MINOR,
            caret=caret,
            plugins=(
                AtRisk(f"it may receive {name}, which it does not know: {check}"),
                AtRisk(f"a core built against OLD may receive {name}, which it does not know"),
            ),
            numbers=numbers,
        )
    else:
        yield _grown(added, f"{message} had {was}, has {now}", was, now)


def _grown(added: NewMember, message: str, was: str, now: str) -> RuleResult:
    """Return the report about a union that has another size or alignment for a new alternative."""
    name, ((old_size, old_alignment), (new_size, new_alignment)) = added.member.name, union_sizes(added)
    return RuleResult(
        f"{message}{added.struct.shifts.overrun(name)}",
        Bump.MAJOR,
        help=f"keep the alternative within {old_size} bytes, or hold it by pointer",
        caret=f"{added.member.size} bytes",
        plugins=(
            f"its union has {was}; a core built against NEW has {now}",
            f"its union has {now}; a core built against OLD has {was}",
        ),
        details=added.struct.shifts.details(name),
        numbers={
            "old_size": old_size,
            "old_alignment": old_alignment,
            "new_size": new_size,
            "new_alignment": new_alignment,
        },
    )


def _passed_otherwise(added: NewMember) -> tuple[str, str, str] | None:
    """Return the first use by value of a union whose new alternative is passed in other registers: names, places.

    None where there is none.
    """
    apis = added.struct.apis
    for use in apis.pair.old_uses.reaching(added.struct.name):
        struct = None if use.is_held else find_struct(use.record, apis)
        if struct is not None:
            was = passed_in(RecordType(struct.old.name), apis.old_layouts)
            now = passed_in(RecordType(struct.new.name), apis.new_layouts)
            if was != now:
                return use.clause(struct.name), was, now
    return None


def union_sizes(added: NewMember) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return size and alignment, in bytes, of the old content at a new alternative, and of the union around it."""
    union, struct = added.member.overlay[-1], added.struct
    after = struct.apis.new_layouts.of(union)
    siblings = [each for each in struct.fields.paired if union in each.new.overlay]
    if siblings and not any(each.old.overlay for each in siblings):
        size = max(each.old.end for each in siblings) - min(each.old.offset for each in siblings)
        return (size, max(each.old.alignment for each in siblings)), (after.size, after.alignment)
    before, sibling = struct.old_layout, next(iter(siblings), None)
    if sibling is not None:
        # Unions within it count from the inside: what is new may be the outermost.
        inner = len(sibling.new.overlay) - sibling.new.overlay.index(union)
        before = struct.apis.old_layouts.of(sibling.old.overlay[-min(inner, len(sibling.old.overlay))])
    return (before.size, before.alignment), (after.size, after.alignment)


def outgrows_its_place(added: NewMember) -> bool:
    """True if a union has another size or alignment for a new alternative, and that matters to somebody.

    A union without a tag cannot be named anywhere else, so it matters only where what holds it is laid out otherwise.
    """
    old, new = union_sizes(added)
    if old == new:
        return False
    union, struct = added.member.overlay[-1], added.struct
    if union != struct.new.name:
        return _is_moved_around(union, struct)
    if not (struct.old.anonymous and struct.new.anonymous):
        return True
    uses = struct.apis.pair.old_uses.of(struct.name)
    holders = [find_struct(use.holder, struct.apis) if use.kind == "member" else None for use in uses]
    return not holders or any(each is None or _is_moved_around(union, each) for each in holders)


def _is_moved_around(union: str, holder: StructPair) -> bool:
    """True if a union's new size or alignment moves members of the struct around it, or resizes that struct."""
    old, new, fields = holder.old_layout, holder.new_layout, holder.fields
    if not holder.is_defined or any(pair.shifted for pair in fields.paired) or old.alignment != new.alignment:
        return True
    inside = [each.end for each in holder.new_members if union in each.overlay]
    named = [each.end for each in holder.new_members if holder.apis.new.struct_of(each.field.type) is not None]
    is_within = max([*inside, *(named if not inside else ())], default=0) <= old.size
    return not is_within if fields.appended else old.size != new.size


@change_rules.also("ABI118", of_kind(IN_UNION))
def _alternative_grew(appended: Appended) -> Iterator[RuleResult]:
    """A struct grew that is only an alternative of unions, and these have the size that they had."""
    struct, name = appended.struct, appended.member.name
    use = struct.apis.pair.old_uses.of(struct.name)[0]
    size = struct.apis.old_layouts.of(use.holder).size
    check = "it must check which alternative is in use"
    yield RuleResult(
        f"{appended.entity} was appended to an alternative; the union {use.holder} still has {size} bytes",
        Bump.MINOR,
        plugins=(
            AtRisk(f"it may receive {name}, which it does not know: {check}"),
            AtRisk(f"it must check which alternative is in use: a core built against OLD does not set {name}"),
        ),
    )


@change_rules.whole("ABI201", Bump.MAJOR)
def type_removed(comparison: ApiComparison) -> Iterator[RuleResult]:
    """A type was removed."""
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
    """True if a typedef of OLD is only another name for what NEW has too."""
    if not isinstance(entity, Typedef):
        return False
    mentioned = (each.key for each in types_in(entity.type) if isinstance(each, (RecordType, EnumType)))
    return all(key in comparison.new.structs or key in comparison.new.enums for key in mentioned)


@change_rules.whole("ABI202", Bump.MINOR)
def type_added(comparison: ApiComparison) -> Iterator[RuleResult]:
    """A type was added."""
    told = {new.name for _, new in comparison.renamed_typedefs} | {split.part.name for split in comparison.splits}
    for entity in comparison.pair.type_names.added:
        if entity.name not in told:
            about = Subject(entity.name, None, entity.span)
            advice = comparison.to_raise("raise MINOR")
            yield RuleResult(f"{kind_of(entity)} {entity.name} was added", help=advice, caret="new", about=about)


@change_rules.whole("ABI203", None)
def type_renamed(comparison: ApiComparison) -> Iterator[RuleResult]:
    """A type was renamed."""
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
    """Return the names of a renamed type that do not reach it any more."""
    if isinstance(old, Typedef) or isinstance(new, Typedef):
        return (old.name,)
    return lost_names(old, new, comparison.new)


@change_rules.whole("ABI209", None)
def tag_renamed(comparison: ApiComparison) -> Iterator[RuleResult]:
    """The tag of a type was renamed or removed; its typedef stays."""
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
    """An opaque type is now defined in the header."""
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
    """A type became opaque: its members were removed from the header."""
    if struct.old.fields is not None and struct.new.fields is None:
        names = ", ".join(member.name for member in struct.old_members)
        yield RuleResult(
            f"{struct.name} became opaque; it had {count(len(struct.old.fields), 'member')}",
            help="keep the members and deprecate them, or add a new opaque type",
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
    """Members were moved from a struct into a new one."""
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
    """Return the kind of a type, in a word."""
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
    """A typedef names another type."""
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
    """Return the result about a handle that hides another type, or none, behind the same pointer."""
    return RuleResult(
        f"{message}; users only pass it back, so no byte is different",
        Bump.MINOR,
        help="keep the type, so that code that uses it compiles",
        caret=caret,
        source=AtRisk(f"code that uses {name} with the old type may no longer compile, above all in C++"),
    )


def _alignments(typedef: Changed[Typedef]) -> tuple[int, ...]:
    """Return the alignment of what a typedef stands for, in bytes, on both sides, where they ask for different ones."""
    if not typedef.apis.equality.is_aligned_otherwise(typedef.old, typedef.new):
        return (0, 0)
    layouts = (typedef.apis.old_layouts, typedef.apis.new_layouts)
    try:
        return tuple(each.alignment_of(NamedType(typedef.name)) for each in layouts)
    except AbigenError:  # what is never defined is aligned for nobody
        return (0, 0)


def _size(typedef: Typedef, layouts: Layouts) -> int | None:
    """Return the size of what a typedef stands for, in bytes; None when it has none."""
    try:
        return layouts.size_of(typedef.type)
    except AbigenError:
        return None


@change_rules.whole("ABI204", None)
def kind_changed(comparison: ApiComparison) -> Iterator[RuleResult]:
    """A name is another kind of type."""
    for struct in comparison.structs:
        if struct.old.kind != struct.new.kind:
            yield _struct_and_union(struct)
        elif struct.old.transparent != struct.new.transparent:
            yield _transparent(struct)
    for old, new in comparison.pair.type_names.other_kind:
        yield _other_kind(comparison, old, new)


def _other_kind(comparison: ApiComparison, old: AnyType, new: AnyType) -> RuleResult:
    """Return the result about a name that is a struct on one side, and an enumeration or another kind on the other."""
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
    """Return size and alignment, in bytes, of an enumeration or of a typedef for a number; None for anything else."""
    named: CType = EnumType(entity.name) if isinstance(entity, Enum) else NamedType(entity.name)
    if isinstance(entity, Struct) or not isinstance(layouts.api.resolve(named), (Basic, EnumType, NamedType)):
        return None
    try:
        return layouts.size_of(named), layouts.alignment_of(named)
    except AbigenError:
        return None


def _transparent(struct: StructPair) -> RuleResult:
    """Return the result about a union that accepts arguments of its members' types on one side only."""
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
    """Return the result about a struct that became a union, or the reverse."""
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
