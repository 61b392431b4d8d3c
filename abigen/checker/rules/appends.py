"""Members that were appended to a struct."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from msgspec.structs import replace

from abigen.checker.comparison import ApiComparison, IncludedChange, change_rules
from abigen.checker.constants import value_of
from abigen.checker.rule import AtRisk, Numbers, RuleResult, Subject, count
from abigen.checker.struct_members import is_reserved
from abigen.checker.struct_pairs import NewMember, StructPair, find_struct
from abigen.checker.struct_sizes import measure, sizes_of_releases
from abigen.model.contract import Party, Zero
from abigen.model.finding import Bump, Detail

APPENDED, FROZEN, EMBEDDED, UNDETECTABLE, JOINED = "appended", "frozen", "embedded", "undetectable", "joined"
ALLOCATED, MASKED, IN_UNION, RELEASED = "allocated", "masked", "in union", "released"

_LARGEST_UNIT = 8
"""The number of bytes of bit-fields that compilers load and store at once, at most."""


class Appended(NewMember):
    """A member that came at the end of a struct."""

    __slots__ = ()

    @property
    def about(self) -> Subject:
        """The subject: the new member, and the old and new size of the struct."""
        old, new = self.struct.old_layout, self.struct.new_layout
        numbers: Numbers = {
            "old_offset": None,
            "new_offset": self.member.offset,
            "new_size": self.member.size,
            "old_struct_size": old.unpadded_size,
            "new_struct_size": new.unpadded_size,
            "old_sizeof": old.size,
            "new_sizeof": new.size,
        }
        return replace(super().about, numbers=numbers)

    @property
    def exchanged(self) -> int:
        """The size, in bytes, that OLD's producers put into the struct."""
        is_unpadded = self.struct.name in self.struct.apis.pair.unpadded
        return self.struct.old_layout.unpadded_size if is_unpadded else self.struct.old_layout.size

    @property
    def kind(self) -> str:
        """The kind of append that the bytes of the struct decide."""
        struct, member = self.struct, self.member
        if not struct.old.may_grow:
            if _is_alternative_only(struct):
                return IN_UNION
            is_allocated = struct.old.allocated_by and struct.new.allocated_by is struct.old.allocated_by
            return ALLOCATED if is_allocated else self._kind_by_release
        if struct.old.mask_member:
            return EMBEDDED if struct.apis.pair.old_uses.of(struct.name) else MASKED
        if struct.apis.pair.old_uses.of(struct.name):
            return EMBEDDED
        if struct.counts_versions:
            return FROZEN if self.stuck_version else APPENDED
        if member.end <= self.exchanged and not any(each.overlaps(member) for each in struct.old_members):
            return UNDETECTABLE
        return JOINED if self.joined else APPENDED

    @property
    def _kind_by_release(self) -> str:
        """Return the kind in a struct without size and version: a constant of NEW may state OLD's size."""
        struct = self.struct
        if not self.release_constant or struct.old.by_value or struct.new.by_value:
            return FROZEN
        return EMBEDDED if struct.apis.pair.old_uses.of(struct.name) else RELEASED

    @property
    def release_constant(self) -> str:
        """The constant by which NEW states how large the struct was in OLD, by its name that of a release; or empty.

        It ends where OLD's struct ended, before all members that NEW appends, and OLD has it with no other value.
        """
        struct, apis = self.struct, self.struct.apis
        sizes, start = sizes_of_releases(struct.new, apis.new_layouts), struct.fields.appended[0].offset
        ends = (struct.old_layout.unpadded_size, struct.old_layout.size)
        return next(
            (
                name
                for name, size in sizes.items()
                if size in ends and size <= start and value_of(name, apis.old_layouts) in (None, size)
            ),
            "",
        )

    @property
    def stuck_version(self) -> str:
        """The constant that states the version of the struct, if NEW did not raise it; empty if nothing is wrong."""
        name, apis = self.struct.old.version_constant, self.struct.apis
        if not name:
            return ""
        old, new = value_of(name, apis.old_layouts), value_of(name, apis.new_layouts)
        if old is not None and new is not None:
            return name if new <= old else ""
        before, after = apis.old.version, apis.new.version
        is_of_api = (
            before is not None and after is not None and name in dict(before.macros) and name in dict(after.macros)
        )
        return name if is_of_api and before == after else ""

    @property
    def joined(self) -> str:
        """OLD's bit-field that compilers read and write together with this one (C11 3.14 p1), if there is one."""
        struct, layouts = self.struct, self.struct.apis.new_layouts
        run: list[str] = []
        for each in struct.new.fields or ():
            if each.bit_width is None or layouts.evaluate(each.bit_width) == 0:
                run = []  # one without a width separates them
            elif each.name:
                run.append(each.name)
            if each.name == self.member.path:
                break
        else:
            return ""
        first = struct.new_layout.named(run[0]) if run else None
        start = (first.bit_offset or 0) // 8 if first else 0
        known = [each for each in run if struct.old_layout.named(each)]
        return known[-1] if known and self.member.end - start <= _LARGEST_UNIT else ""

    @property
    def holders(self) -> Sequence[Detail]:
        """The effects of the growth on others, stated once for all members that were appended."""
        is_first = self.member == self.struct.fields.appended[0]
        return list(self.struct.shifts.holders()) if is_first else []


def _appended(comparison: ApiComparison) -> Iterator[Appended]:
    """Return every member that came at the end of a struct; flexible arrays are another rule's."""
    new = comparison.new_members(lambda fields: fields.appended)
    return (Appended(*each) for each in new if not each.member.is_flexible)


def of_kind(kind: str) -> Callable[[ApiComparison], Iterator[Appended]]:
    """Return the members for which the struct's bytes decide the same."""
    return lambda comparison: (each for each in _appended(comparison) if each.kind == kind)


@change_rules.each("ABI108", of_kind(APPENDED), Bump.MINOR)
def field_appended(appended: Appended) -> Iterator[RuleResult]:
    """A new member was appended to a struct that may grow."""
    struct, member = appended.struct, appended.member
    if member.field.contract.must_be_understood or member.name in struct.successors.values():
        return
    path, alignment = struct.old.size_member or struct.old.told_by, more_aligned(struct)
    old_size = struct.old_layout.size if struct.counts_versions else appended.exchanged
    check = f"must check that {path} is at least {member.end} before it accesses {member.name}"
    if struct.counts_versions:
        check = f"must check {path} before it accesses {member.name}"
    given = f"the members that {path} states" if struct.counts_versions else f"the {path} that it received"
    writer = f"must not write past {given} (an assignment of the whole struct writes {member.end} bytes)"
    plugins = (
        f"it passes a struct of {old_size} bytes; a core built against NEW {check}",
        f"a core built against OLD may have allocated only {old_size} bytes; it {writer}",
    )
    if appended.member.field.filler not in (Party.CORE, Party.PLUGIN):
        plugins = (
            f"a struct that it allocates has {old_size} bytes; a core built against NEW {check}",
            f"a struct that a core built against OLD allocates has {old_size} bytes; it {check}",
        )
    elif appended.member.field.filler is Party.CORE:
        plugins = (
            f"if it allocates the struct, it allocates {old_size} bytes; a core built against NEW {writer}",
            f"a core built against OLD passes {old_size} bytes; it {check}",
        )
    yield RuleResult(
        f"{appended.entity} was appended at offset {member.offset}",
        help="; ".join(_next_steps(appended)),
        plugins=(_both(plugins[0], alignment[0]), _both(plugins[1], alignment[1])),
    )


@change_rules.also("ABI108", of_kind(ALLOCATED))
def _appended_where_one_side_allocates(appended: Appended) -> Iterator[RuleResult]:
    """A new member at the end of a struct that only one side allocates: the other has pointers to objects of it."""
    struct, member, side = appended.struct, appended.member, appended.struct.old.allocated_by
    check = f"must check the release of the {side} before it accesses {member.name} {member.where}"
    yield RuleResult(
        f"{appended.entity} was appended at offset {member.offset}; only the {side} allocates {struct.name}",
        help=struct.apis.to_raise("raise MINOR"),
        plugins=(
            "",
            AtRisk(f"{struct.name} of a core built against OLD has {struct.old_layout.size} bytes; it {check}"),
        )
        if side is Party.CORE
        else (AtRisk(f"a core built against NEW {check}"), ""),
        details=appended.holders,
    )


@change_rules.also("ABI108", of_kind(MASKED))
def _appended_behind_a_mask(appended: Appended) -> Iterator[RuleResult]:
    """A new member at the end of a struct in which a member tells which others are set."""
    struct, member, mask = appended.struct, appended.member, appended.struct.old.mask_member
    check = f"must check the bit of {member.name} in {mask} before it accesses {member.name} {member.where}"
    writer = f"must not write past {struct.old_layout.size} bytes, and must ignore bits that it does not know"
    yield RuleResult(
        f"{appended.entity} was appended at offset {member.offset}; a bit of {mask} states that it is set",
        help=struct.apis.to_raise("raise MINOR"),
        plugins=(
            AtRisk(f"its {struct.name} has {struct.old_layout.size} bytes; a core built against NEW {check}"),
            AtRisk(f"a core built against OLD allocates {struct.old_layout.size} bytes; it {writer}"),
        ),
    )


@change_rules.also("ABI108", of_kind(RELEASED))
def _appended_in_a_release(appended: Appended) -> Iterator[RuleResult]:
    """A new member at the end of a struct of which NEW states the size that it had in the earlier release."""
    struct, member, size = appended.struct, appended.member, appended.struct.old_layout.size
    check = f"must check the release of the other side before it accesses {member.name} {member.where}"
    writer = f"must not write past {appended.release_constant} bytes"
    yield RuleResult(
        f"{appended.entity} was appended at offset {member.offset}; {appended.release_constant} states that "
        f"{struct.name} of the earlier release ends before it",
        help=struct.apis.to_raise("raise MINOR"),
        plugins=(
            AtRisk(f"its {struct.name} has {size} bytes; a core built against NEW {check}, and {writer}"),
            AtRisk(f"a core built against OLD has {struct.name} of {size} bytes; it {check}, and {writer}"),
        ),
    )


def _is_alternative_only(struct: StructPair) -> bool:
    """True if nobody can have a struct but as an alternative of unions that stay as large as they were."""
    uses = struct.apis.pair.old_uses.of(struct.name)
    if not uses or struct.old.by_value or struct.name in struct.apis.pair.old_uses.pointed_to:
        return False
    return all(use.kind == "member" and _stays(find_struct(use.holder, struct.apis)) for use in uses)


def _stays(holder: StructPair | None) -> bool:
    """True if a union, or a struct that is only an alternative of one, has the size that it had."""
    if holder is None or not holder.is_defined:
        return False
    if holder.old.is_union and holder.new.is_union:
        return not holder.shifts.is_resized
    return holder.old_layout == holder.new_layout or _is_alternative_only(holder)


def _both(reason: str, another: str) -> AtRisk:
    return AtRisk(f"{reason}; {another}" if another else reason)


def more_aligned(struct: StructPair) -> tuple[AtRisk, AtRisk]:
    """Return the effects of a larger alignment of a struct on an old and on a new plugin; nothing without one."""
    old, new = struct.old_layout.alignment, struct.new_layout.alignment
    if new <= old:
        return AtRisk(""), AtRisk("")
    puts, expects = f"may put {struct.name} at any multiple of {old} bytes", f"its code needs a multiple of {new} bytes"
    return (
        AtRisk(f"it {puts}; a core built against NEW may crash: {expects}"),
        AtRisk(f"a core built against OLD {puts}; it may crash: {expects}"),
    )


def _next_steps(appended: Appended) -> Iterator[str]:
    """Yield the remaining steps for a member that was appended correctly."""
    struct, member = appended.struct, appended.member
    if advice := struct.apis.to_raise("raise MINOR"):
        yield advice
    own = (each for each in struct.apis.new.size_constants.values() if each.struct == struct.new.name)
    sizes = [found for each in own if (found := measure(each, struct.apis.new_layouts))]
    if sizes and all(each.is_stale for each in sizes):
        yield f"let {sizes[0].constant.name} end at {sizes[0].left_out[-1]}"
    if struct.counts_versions and struct.new.version_constant:
        yield f"state the first {struct.new.version_constant} that includes {member.name}"
    elif struct.counts_versions:
        yield f"raise the {struct.old.told_by} that is passed, and state the first value that includes {member.name}"
    elif member.field.contract.zero is Zero.UNSAID and not _is_left_out_with_condition(appended):
        yield "state in its comment what zero means"


def _is_left_out_with_condition(appended: Appended) -> bool:
    """True if the member is required only when another one is set that OLD does not have either."""
    struct = appended.struct
    owner, _, name = appended.member.field.contract.condition.when.rpartition(".")
    holder = struct.apis.old.structs.get(owner) if owner else struct.old
    return bool(name) and (holder is None or holder.member(name) is None)


@change_rules.each("ABI109", _appended, Bump.MAJOR)
def append_must_be_understood(appended: Appended) -> Iterator[RuleResult]:
    """A new member was appended that the other side must read."""
    member, producer = appended.member, appended.member.field.filler
    if member.field.contract.must_be_understood:
        reason = f"a consumer built against OLD never reads {member.name}, on which a producer built against NEW relies"
        yield RuleResult(
            f"{appended.entity} was appended, and consumers must read it",
            help="let zero mean no-op, so that older consumers work without it"
            + appended.struct.apis.to_raise(", or raise MAJOR"),
            plugins=("" if producer is Party.PLUGIN else reason, "" if producer is Party.CORE else reason),
        )


@change_rules.each("ABI110", of_kind(FROZEN), Bump.MAJOR)
def append_to_frozen_struct(appended: Appended) -> Iterator[RuleResult]:
    """A new member was appended to a struct that must not grow."""
    struct = appended.struct
    if _names_padding(appended):
        yield RuleResult(
            f"{appended.entity} is reserved and takes the place of padding; {struct.name} keeps its size", Bump.PATCH
        )
        return
    passes = struct.apis.pair.old_uses.passes(struct.name)
    wanted = struct.apis.old.conventions.size_field.replace("_", "").lower()
    fields = (struct.old.fields or ())[1:]
    late = next((each.name for each in fields if each.name.replace("_", "").lower() == wanted), "")
    carries = f"has {late}, but not as its first member" if late else "does not carry its size"
    if stuck := appended.stuck_version:
        carries = f"begins with {struct.old.told_by}, but {stuck} was not raised, so readers cannot tell both apart"
    likely = "" if passes or late else struct.old.likely_size
    settled = "" if passes else _what_would_settle(struct)
    if likely:
        carries = f"begins with {likely}, but nothing states that this is the size of {struct.name}"
    why = passes[0] if passes else f"{struct.name} {carries}"
    settled = f"; raise {stuck}" if stuck and not passes else settled
    way_out = f'; if {likely} is its size, configure `size-member = ["{likely}"]`' if likely else settled
    yield RuleResult(
        f"{appended.entity} {_where_it_went(appended)}: {why}{_overrun(appended)}",
        help=f"leave {struct.name} as it is and add a new struct that carries its size"
        + struct.apis.to_raise(", or raise MAJOR")
        + way_out,
        plugins=appended.missing,
        details=[*(Detail("frozen", each) for each in passes), *appended.holders],
    )


def _where_it_went(appended: Appended) -> str:
    """Return whether the member uses padding at the end of the struct, or lets the struct grow."""
    struct, member = appended.struct, appended.member
    if struct.old_layout.size != struct.new_layout.size or struct.old.is_union:
        return "was appended to a struct that must not grow"
    size = f"{struct.name} still has {struct.old_layout.size} bytes"
    return f"uses padding {member.where}, which older producers leave undefined ({size})"


def _overrun(appended: Appended) -> str:
    """Return the clause about bytes past the end of a smaller object, for the first member that was appended."""
    struct = appended.struct
    return struct.shifts.overrun(appended.member.name) if appended.member == struct.fields.appended[0] else ""


def _what_would_settle(struct: StructPair) -> str:
    """Return the words or key that state a convention by which the struct may grow, as advice; empty for none."""
    api, name = struct.apis.old, struct.name
    fields = struct.old.fields or ()
    size = struct.old_layout.size
    stated = sizes_of_releases(struct.old, struct.apis.old_layouts)
    if constant := next((each for each in reversed(stated) if stated[each] == size), ""):
        return f"; if the release that is asked for decides the size of {name}, let {constant} stay {size}"
    mask = next((each.name for each in fields if _MASK.search(each.name) and api.is_integer(each.type)), "")
    if mask:
        return f'; if {mask} states which members are set, configure `mask-member = ["{mask}"]`'
    first = fields[0].name if fields and api.is_integer(fields[0].type) else ""
    if first.lower().endswith("version") and not struct.old.told_by:
        return f'; if {first} counts the versions of {name}, configure `version-member = ["{first}"]`'
    sized = next((each.name for each in fields if _SIZE.search(each.name) and api.is_integer(each.type)), "")
    macro = next((each for each in api.constants if _SIZE_OF_RELEASE.search(each)), "")
    if sized and macro and _value(macro, struct) == size:
        return f'; if {sized} is its size, as {macro} suggests, configure `size-member = ["{name}.{sized}"]`'
    behind, creator = _users_of(struct)
    if behind:
        return f'; if the parameter {behind} is the size of {name}, configure `size-member = ["{behind}"]`'
    if creator and name not in struct.apis.pair.old_uses.by_record:
        words = (
            f'write `Allocated by the core only.` in its comment, or configure `allocated-by = {{"{name}" = "core"}}`'
        )
        return f"; if users get {name} only from {creator}, {words}"
    return ""


_MASK = re.compile(r"(?:^|_)(?:field|valid|present|member|param)s?_?mask$|^mask$|^valid_fields$", re.IGNORECASE)
_SIZE = re.compile(r"(?:^|_)(?:size|sz|len|length)$", re.IGNORECASE)
_SIZE_OF_RELEASE = re.compile(r"_SIZE_(?:VER|V)_?\d+$")


def _value(constant: str, struct: StructPair) -> int | None:
    """Return the value of one of OLD's constants."""
    return value_of(constant, struct.apis.old_layouts)


def _users_of(struct: StructPair) -> tuple[str, str]:
    """Return an integer parameter that may be a struct's size, and a function that returns pointers to the struct."""
    api = struct.apis.old
    behind = creator = ""
    for function in api.functions.values():
        parameters = function.type.parameters
        for pointer, size in pairwise(parameters):
            found = api.pointee(pointer.type)
            if found is not None and found.name == struct.name and _SIZE.search(size.name or ""):
                behind = behind or (size.name or "") * api.is_integer(size.type)
        found = api.pointee(function.type.result)
        if found is not None and found.name == struct.name:
            creator = creator or function.name
    return behind, creator


def _names_padding(appended: Appended) -> bool:
    """True if a reserved member was appended in the padding at the end, so that no byte has another meaning."""
    struct, member = appended.struct, appended.member
    is_free = is_reserved(member) and not any(each.overlaps(member) for each in struct.old_members)
    return is_free and struct.old_layout.size == struct.new_layout.size


@change_rules.each("ABI111", of_kind(EMBEDDED), Bump.MAJOR)
def append_shifts_embedder(appended: Appended) -> Iterator[RuleResult]:
    """A struct grew that other structs hold by value."""
    struct = appended.struct
    name, old, new = struct.name, struct.old_layout.size, struct.new_layout.size
    uses = struct.apis.pair.old_uses.reaching(name)
    names = ", ".join(dict.fromkeys(use.path for use in uses))
    more = f" (and {count(len(uses) - 1, 'more place')})" if len(uses) > 1 else ""
    yield RuleResult(
        f"{appended.entity} was appended, but {uses[0].clause()}{more}",
        help=f"hold {name} by pointer, or leave it as it is and add a new struct",
        plugins=(
            f"it has {name} of {old} bytes in {names}; a core built against NEW expects {new} bytes there",
            f"it has {name} of {new} bytes in {names}; a core built against OLD expects {old} bytes there",
        ),
        details=appended.holders or [Detail("held", "; ".join(use.clause() for use in uses))],
    )


@change_rules.also("ABI111", lambda comparison: comparison.included("grown"))
def _included_struct_grew(held: IncludedChange) -> Iterator[RuleResult]:
    """A struct of another header grew inside one of the API."""
    name, old, new = held.struct.name, held.struct.old_layout.size, held.struct.new_layout.size
    appended = ", ".join(member.name for member in held.struct.fields.appended)
    yield RuleResult(
        f"{held.use.path} grew: {appended} was appended to {name}, which comes from an included header",
        help=f"hold {name} by pointer, or keep the header that defines it with {old} bytes",
        caret=f"{new} bytes, was {old}",
        plugins=(
            f"it has {name} of {old} bytes there; a core built against NEW has {new} bytes",
            f"it has {name} of {new} bytes there; a core built against OLD has {old} bytes",
        ),
        details=held.effects,
    )


@change_rules.each("ABI112", of_kind(UNDETECTABLE), Bump.MAJOR)
def append_undetectable(appended: Appended) -> Iterator[RuleResult]:
    """A new member uses padding at the end of OLD's struct, and the size that is exchanged includes that padding."""
    struct, size = appended.struct, appended.exchanged
    old_size = struct.old_layout.size
    where = f"padding at the end of OLD's {struct.name}" if size == old_size else "bits that OLD does not use"
    told = f"which older producers leave undefined, and both sides pass the size {size}"
    if struct.new_layout.size != old_size:
        told = f"within the {size} bytes that OLD passes"
    yield RuleResult(
        f"{appended.entity} uses {where}, {told}",
        help=f"let it begin at offset {size}: put a reserved member before it; or exchange the unpadded size",
        plugins=appended.missing,
    )


@change_rules.also("ABI112", of_kind(JOINED))
def _joins_bit_fields(appended: Appended) -> Iterator[RuleResult]:
    """A bit-field behind one of OLD's, with which compilers load and store it at once."""
    name, size, end = appended.joined, appended.exchanged, appended.member.end
    reason = f"it reads and writes {name} together with {appended.member.name}, up to byte {end}"
    yield RuleResult(
        f"{appended.entity} and {name} are read and written at once, and OLD's struct ends at {name}",
        help=f"put `int : 0;` between {name} and {appended.member.name}",
        plugins=(
            f"a struct that it allocates has {size} bytes; a core built against NEW accesses {end} bytes for {name}",
            f"a struct that a core built against OLD allocates has {size} bytes; {reason}",
        ),
    )
