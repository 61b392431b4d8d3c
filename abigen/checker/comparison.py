"""Cases that rules receive: for changes OLD and NEW on one target, paired, with layouts; for lint one API."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

import msgspec

from abigen.checker.enumerators import EnumeratorCase, EnumeratorChange, EnumeratorChanges, EnumPair, compare_enums
from abigen.checker.pairs import ApiPair, ApisOnTarget, Changed, is_named
from abigen.checker.policy import Options
from abigen.checker.rule import RuleList, Subject
from abigen.checker.struct_members import Fields, FlattenedMember, MemberPair, members_of
from abigen.checker.struct_pairs import KeptMember, NewMember, RemovedMember, StructPair, effect, find_struct
from abigen.checker.struct_sizes import ByValueUse, Measure, Uses, broken_sizes, measure, measures
from abigen.checker.type_pairs import FEWEST_SPLIT, renamed
from abigen.model.api import Api, ApiSet
from abigen.model.compiled_library import CompiledLibrary, Libraries
from abigen.model.ctype import CType, NamedType, types_in
from abigen.model.entities import Constant, Entity, Field, Function, Struct, Typedef, Variable
from abigen.model.finding import Detail
from abigen.model.layout import Layouts
from abigen.model.meaning import meaning_of
from abigen.model.target import find_target


class LintContext(msgspec.Struct, frozen=True, dict=True):
    """An API as one group of targets sees it; `targets` has the preferred one first."""

    api: Api
    targets: tuple[str, ...]
    options: Options
    whole: ApiSet
    """The API as all groups of targets see it."""
    is_compared: bool = False
    """It is the NEW of a comparison, which tells of what came with it; what a spec has never said is not told then."""
    library: CompiledLibrary | None = None
    """The library that ships with the header, where the user names one."""
    earlier: CompiledLibrary | None = None
    """The library that ships with OLD, in a comparison."""

    @cached_property
    def _layouts(self) -> Mapping[str, Layouts]:
        """The layouts on all targets, each computed when it is asked for."""
        return {name: Layouts(self.whole.for_target(name), find_target(name)) for name in self.whole.targets}

    def layouts(self, target: str = "") -> Layouts:
        """Return the layouts on a target.

        Args:
            target: any target that the API was read for; the preferred one when empty.
        """
        return self._layouts[target or self.targets[0]]

    @cached_property
    def structs(self) -> tuple[Struct, ...]:
        """The API's own structs and unions that are defined, parts of others too, in order."""
        return tuple(each for each in self.api.structs.values() if each.in_api and each.fields is not None)

    @cached_property
    def versioned(self) -> tuple[Struct, ...]:
        """The structs that contain their size, directly or in a base at their start."""
        return tuple(each for each in self.structs if each.size_member)

    @cached_property
    def functions(self) -> tuple[Function, ...]:
        """The API's own functions, in order."""
        return tuple(each for each in self.api.functions.values() if each.in_api)

    @cached_property
    def measures(self) -> tuple[Measure, ...]:
        """The API's own size constants on the preferred target."""
        return tuple(measures(self.layouts()))

    @cached_property
    def broken_sizes(self) -> Mapping[str, str]:
        """The API's own size constants that name what does not exist, with that name."""
        return broken_sizes(self.api)

    @property
    def is_specified(self) -> bool:
        """True if it comes from a spec, where what is left out is left out on purpose."""
        return self.api.header is not None

    @property
    def is_first(self) -> bool:
        """True if this group of targets has the preferred one; what concerns all groups is said once, here."""
        return self.targets[0] == self.whole.targets[0]

    def handed_over(self) -> Iterator[Struct]:
        """Yield structs that cross the boundary by pointer, and are no part of another: those that may have to grow."""
        uses = Uses(self.api)
        for struct in self.structs:
            if not (struct.anonymous or struct.is_union or "." in struct.name or uses.of(struct.name)):
                yield struct


def whole(entity: Entity) -> Subject:
    """Return the subject of a finding about an entity as a whole."""
    return Subject(entity.name, None, entity.span)


def member(struct: Struct, field: Field) -> Subject:
    """Return the subject of a finding about a member; with its struct's name and place where it has none of its own."""
    return Subject(f"{struct.name}.{field.name}".rstrip("."), None, field.span or struct.span)


lint_rules = RuleList[LintContext]()


class Split(msgspec.Struct, frozen=True):
    """A struct that gave members away, and the new struct that has them."""

    struct: StructPair
    part: Struct
    moved: tuple[FlattenedMember, ...]
    """OLD's members."""

    @property
    def about(self) -> Subject:
        """The old struct, where its first member stood, and the new struct."""
        return Subject(self.struct.name, self.moved[0].field.span, self.part.span)


class IncludedChange(msgspec.Struct, frozen=True):
    """A place where the API uses an included struct by value whose layout is not what it was."""

    use: ByValueUse
    """OLD's; its holder is the API's own (a struct, a function or a typedef)."""
    struct: StructPair

    @property
    def about(self) -> Subject:
        """The place in OLD, where NEW has it (the holder itself when the member is gone), and the struct's sizes."""
        apis = self.struct.apis
        holder = find_struct(self.use.holder, apis)
        if holder is None:
            found = next((each.span for each in _named(self.use.holder, apis.new)), None)
        else:
            members = (each.span for each in holder.new.fields or () if each.name == self.use.member)
            found = next(members, holder.new.span)
        return Subject(self.use.path, self.use.span, found, self.struct.sizes)

    @property
    def kind(self) -> str:
        """`grown` or `changed` where something holds the struct, `function` or `callback` where something passes it."""
        if self.use.is_held:
            return "grown" if self.struct.shifts.is_append else "changed"
        return "function" if self.use.holder in self.struct.apis.old.functions else "callback"

    @property
    def effects(self) -> Iterator[Detail]:
        """The effects of the change on the holder, beyond the place itself."""
        clause = effect(self.use, self.struct.apis)
        if clause != self.use.path:
            yield Detail("reaches", clause)


class ApiComparison(ApisOnTarget):
    """OLD and NEW on one target."""

    def __init__(self, pair: ApiPair, target_name: str, options: Options, libraries: Libraries | None = None) -> None:
        """Prepare to compare two APIs on a target.

        Args:
            pair: both sides.
            target_name: name of the target.
            options: the policy's.
            libraries: those that ship with OLD and with NEW for this target; None for none.
        """
        super().__init__(pair, target_name, options)
        self.libraries = libraries

    @cached_property
    def structs(self) -> tuple[StructPair, ...]:
        """Structs and unions of the API that exist on both sides and differ, in OLD's order.

        What has no name of its own and is no named member's type belongs to the struct around it, and is not here.
        """
        return tuple(each for each in self._changed_structs if each.old.in_api or each.new.in_api)

    @cached_property
    def _changed_structs(self) -> tuple[StructPair, ...]:
        """The structs that exist on both sides and differ in more than their place, in OLD's order."""
        return tuple(StructPair(old, new, self) for old, new in self.pair.structs if self._differs(old, new))

    def _differs(self, old: Struct, new: Struct) -> bool:
        """True if two states of a struct differ, or those of anonymous members in it, or what their names stand for."""
        if old.name in self.pair.types.edited:
            return True
        names_are_enough = self.equality.names_are_enough
        return any(
            self._member_differs(before, after)
            for before, after in zip(old.fields or (), new.fields or (), strict=True)
            if not (names_are_enough and before.name and before.bit_width is None)
        )

    def _member_differs(self, old: Field, new: Field) -> bool:
        """True if two members that are spelled alike have other types, bits or elements, or members in turn."""
        if not old.name:
            before, after = self.old.struct_of(old.type), self.new.struct_of(new.type)
            return before is not None and after is not None and self._differs(before, after)
        is_as_wide = self.equality.same_length(old.bit_width, new.bit_width)
        return not (is_as_wide and self.equality.same(old.type, new.type))

    def members(self, pick: Callable[[Fields], Iterable[MemberPair]]) -> Iterator[KeptMember]:
        """Return members of both sides, of all structs that differ.

        Args:
            pick: which of them, by what happened to a struct's members.
        """
        return (each for struct in self.structs for each in struct.kept(pick(struct.fields)))

    @cached_property
    def paired_members(self) -> Sequence[KeptMember]:
        """The members of both sides, of all structs that differ."""
        return list(self.members(lambda fields: fields.paired))

    def new_members(self, pick: Callable[[Fields], Iterable[FlattenedMember]]) -> Iterator[NewMember]:
        """Return members that only NEW has, of all structs that differ; `pick` as for `members`."""
        return (NewMember(struct, each) for struct in self.structs for each in pick(struct.fields))

    def retyped(self, kind: str) -> Iterator[KeptMember]:
        """Return members of both sides whose type changed in one of the ways of `abigen.checker.pairs`."""
        return (each for struct in self.structs for each in struct.retyped if each.kind == kind)

    @cached_property
    def removed_members(self) -> Sequence[RemovedMember]:
        """Members that are gone for good: not those that a new struct has, by `splits`."""
        moved = {(split.struct.name, member.path) for split in self.splits for member in split.moved}
        return [
            RemovedMember(struct, member, takers)
            for struct in self.structs
            for member, takers in struct.fields.removed
            if (struct.name, member.path) not in moved
        ]

    @cached_property
    def splits(self) -> tuple[Split, ...]:
        """Structs that gave members away to a new struct.

        A new struct is a part of an old one when at least two members that the old one lost are in it, with the same
        names and types, and make up most of what it has beside its leading members.
        """
        parts = [each for each in self.pair.type_names.added if isinstance(each, Struct) and each.fields]
        found = []
        for struct in self.structs if parts else ():
            lost = [member for member, _ in struct.fields.removed]
            for part in parts:
                moved = self._moved(lost, part, struct)
                if moved:
                    found.append(Split(struct, part, moved))
                    lost = [member for member in lost if member not in moved]
        return tuple(found)

    def _moved(self, lost: Sequence[FlattenedMember], part: Struct, struct: StructPair) -> tuple[FlattenedMember, ...]:
        """Return the lost members that the new struct consists of; none when it does not consist of them."""
        if len(lost) < FEWEST_SPLIT:
            return ()
        still_there = {member.name for member in struct.new_members}
        own = {each.name: each for each in members_of(part, self.new_layouts) if each.name not in still_there}
        moved = tuple(
            member
            for member in lost
            if member.name in own and self.equality.same(member.field.type, own[member.name].field.type)
        )
        return moved if len(moved) >= FEWEST_SPLIT and 2 * len(moved) > len(own) else ()

    @cached_property
    def renamed_typedefs(self) -> tuple[tuple[Typedef, Typedef], ...]:
        """Typedefs of one type, one of which went while the other came under a similar name."""
        names = self.pair.type_names
        gone = [each for each in names.removed if isinstance(each, Typedef)]
        come = [each for each in names.added if isinstance(each, Typedef)]
        found = renamed(
            self.old.typedefs, self.new.typedefs, gone, come, lambda old, new: self.equality.same(old.type, new.type)
        )
        return tuple((each, found[each.name]) for each in gone if each.name in found)

    @cached_property
    def renamed_functions(self) -> Mapping[str, Function]:
        """OLD's names of functions that went to what they are called now; a macro of the old name may say that, too."""
        removed, added = self.pair.functions.removed, self.pair.functions.added

        def is_equal(old: Function, new: Function) -> bool:
            same = self.equality.same_function(old.type, new.type)
            return same and old.static == new.static and old.implemented_by == new.implemented_by

        names = renamed(self.old.functions, self.new.functions, removed, added, is_equal)
        for old in removed:
            alias = self.new.constants.get(old.name)
            new = self.new.functions.get(alias.text.strip("() ")) if alias is not None else None
            if old.name not in names and new in added and new not in names.values() and is_equal(old, new):
                names[old.name] = new
        return names

    @cached_property
    def renamed_constants(self) -> Mapping[str, Constant]:
        """OLD's names of constants that went to what they are called now."""

        def is_equal(before: Constant, after: Constant) -> bool:
            meaning = meaning_of(before, self.old_layouts)
            return meaning.is_value and meaning == meaning_of(after, self.new_layouts)

        removed = [each for each in self.pair.constants.removed if not is_named(each.name, self.new)]
        added = [each for each in self.pair.constants.added if not is_named(each.name, self.old)]
        return renamed(self.old.constants, self.new.constants, removed, added, is_equal)

    def enumerators(self, pick: Callable[[EnumeratorChanges], Iterable[EnumeratorChange]]) -> Iterator[EnumeratorCase]:
        """Enumerators that changed, of enumerations without a name too.

        Args:
            pick: which of them, by what happened to an enumeration.
        """
        return (EnumeratorCase(self, enum, change) for enum in self._enums for change in pick(enum.changes))

    @cached_property
    def _enums(self) -> Sequence[EnumPair]:
        """Enumerations that differ, and what happened to their enumerators."""
        return compare_enums(self)

    @cached_property
    def measures(self) -> tuple[tuple[Measure, Measure], ...]:
        """Size constants of both sides that may have another value, because they or their structs differ; measured."""
        constants = self.pair.size_constants
        edited = {old.name for old, _ in constants.changed}
        structs = {struct.old.name for struct in self._changed_structs}
        found = (
            (measure(old, self.old_layouts), measure(new, self.new_layouts))
            for old, new in constants.both
            if old.name in edited or old.struct in structs
        )
        return tuple((before, after) for before, after in found if before is not None and after is not None)

    @cached_property
    def included_changes(self) -> Sequence[IncludedChange]:
        """Return the uses by value of an included struct whose layout changed."""
        uses = self.pair.old_uses
        seen: set[tuple[str, str]] = set()
        found: list[IncludedChange] = []
        for struct in self._changed_structs:
            if struct.old.in_api or struct.new.in_api or not struct.is_defined or not struct.shifts.is_any:
                continue
            waiting = list(uses.of(struct.name))
            while waiting:
                use = waiting.pop(0)
                if (use.kind, use.path) in seen:
                    continue
                seen.add((use.kind, use.path))
                if any(each.in_api for each in _named(use.holder, self.old)):
                    found.append(IncludedChange(use, struct))
                elif use.holder in self.old.structs:
                    waiting += uses.of(use.holder)
        return found

    def included(self, kind: str) -> Iterator[IncludedChange]:
        """Return the changes of included structs of one kind."""
        return (each for each in self.included_changes if each.kind == kind)


def _named(holder: str, api: Api) -> Iterator[Entity]:
    """Return the kind of a holder of structs by value: a function, a typedef, an object or a struct."""
    name = holder.partition(".")[0]
    kinds: tuple[Mapping[str, Entity], ...] = (api.functions, api.typedefs, api.variables, api.structs)
    return (each[name] for each in kinds if name in each)


def if_it_may_grow(struct: StructPair, advice: str, otherwise: str = "") -> str:
    """Return `advice` if the struct may grow; otherwise `otherwise`, by default: leave this struct alone."""
    if struct.old.may_grow and not struct.apis.pair.old_uses.of(struct.name):
        return advice
    return otherwise or f"leave {struct.name} as it is and add a new {struct.old.kind}"


def reached_by(typedef: str, apis: ApisOnTarget) -> Iterator[Detail]:
    """Return the names that stand for a typedef, directly or not, and change with it.

    Args:
        typedef: its name.
        apis: of OLD and NEW.

    Returns:
        The members of the API, with what they move, its functions, and its other typedefs, in one line.
    """
    names = _aliases(typedef, apis.new)
    symbols: tuple[Function | Variable, ...] = (*apis.new.functions.values(), *apis.new.variables.values())
    found = [*_members(lambda type: bool(names & set(_names_in(type))), apis)]
    found += [each.name for each in symbols if each.in_api and names & set(_names_in(each.type))]
    found += [each for each in apis.new.typedefs if each in names - {typedef} and apis.new.typedefs[each].in_api]
    return _reaches(found)


def held_by(type: CType, apis: ApisOnTarget) -> Iterator[Detail]:
    """Return the members of the API that hold a type of NEW by value, and the members they move, in one line."""
    return _reaches(_members(lambda each: apis.new.element_of(each) == type, apis))


def _reaches(clauses: Iterable[str]) -> Iterator[Detail]:
    """Yield the line that lists what a change reaches."""
    if found := list(dict.fromkeys(clauses)):
        yield Detail("reaches", ("; " if any(", " in each for each in found) else ", ").join(found))


def _members(is_reached: Callable[[CType], bool], apis: ApisOnTarget) -> Iterator[str]:
    """Yield the members of NEW whose types are reached, with those they move, and holders of structs that grow."""
    old_keys = {new: old for old, new in apis.pair.types.records.items()}
    for struct in apis.new.structs.values():
        reached = [each.name for each in struct.fields or () if each.name and is_reached(each.type)]
        if not struct.in_api or not reached:
            continue
        outer = struct.name.partition(".")[0]  # of a struct without a name that only NEW has
        pair = find_struct(old_keys.get(struct.name) or old_keys.get(outer, ""), apis)
        shifts = pair.shifts if pair is not None and pair.is_defined else None
        for member in reached:
            moves = shifts.moved_by(member) if shifts else ""
            yield f"{struct.name}.{member}" + (f", which moves {moves}" if moves else "")
        yield from shifts.reached() if shifts else ()


def _aliases(typedef: str, api: Api) -> set[str]:
    """Return a typedef and those of NEW that are spelled by means of it, at any remove."""
    found: set[str] = set()
    fresh = {typedef}
    while fresh:
        found |= fresh
        fresh = {name for name, each in api.typedefs.items() if found & set(_names_in(each.type))} - found
    return found


def _names_in(type: CType) -> Iterator[str]:
    """Return the typedefs that a type names."""
    return (each.name for each in types_in(type) if isinstance(each, NamedType))


change_rules = RuleList[ApiComparison]()


def changed_symbols(comparison: ApiComparison) -> Iterator[Changed[Function] | Changed[Variable]]:
    """Yield the functions and variables of both sides that differ.

    Args:
        comparison: of two APIs.
    """
    yield from comparison.changed(comparison.pair.functions)
    yield from comparison.changed(comparison.pair.variables)
