"""Compares a type of OLD with a type of NEW on one target, and spells both for messages."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from msgspec.structs import replace

from abigen.checker.type_pairs import TypePairs
from abigen.model import ctype
from abigen.model.api import Api
from abigen.model.ctype import CType
from abigen.model.entities import Typedef
from abigen.model.layout import Layouts
from abigen.model.spelling import canonical, spell

NO_QUALIFIERS: frozenset[str] = frozenset()


class Equality:
    """Compares types across two APIs, in which records and enumerations have been paired.

    Two types are the same when they differ in spelling only: through typedefs, in parameters' names, `()` against
    `(void)`. A typedef that the API itself declares counts as the same wherever it is named, even when its target
    changed: that is a finding about the typedef, not about everything that uses it.
    """

    def __init__(self, types: TypePairs, old_layouts: Layouts, new_layouts: Layouts) -> None:
        """Prepare to compare types of the two APIs that the layouts are of.

        Args:
            types: which records and enumerations of OLD are which of NEW.
            old_layouts: OLD's, on the target.
            new_layouts: NEW's, on the same target.
        """
        self.old, self.new = old_layouts.api, new_layouts.api
        self.old_layouts, self.new_layouts = old_layouts, new_layouts
        self.records, self.enums = types.records, types.enums

    @cached_property
    def _shifting(self) -> frozenset[str]:
        """Names of included typedefs that stand for something else now; nothing is reported about them themselves."""
        new = self.new.typedefs
        return frozenset(
            name
            for name, before in self.old.typedefs.items()
            if (after := new.get(name)) is not None
            and not (before.in_api or after.in_api)
            and (before.type, before.alignment) != (after.type, after.alignment)
        )

    @cached_property
    def _resized(self) -> frozenset[str]:
        """OLD's keys of included enumerations whose values are not stored alike any more."""
        found = set()
        for key, before in self.old.enums.items():
            after = self.new.enums.get(self.enums.get(key, ""))
            if after is None or before.in_api or after.in_api or before == after:
                continue
            if before.enumerators is None or after.enumerators is None:
                continue
            old, new = self.old_layouts.underlying_type(key), self.new_layouts.underlying_type(after.name)
            has_sign = any(each.value < 0 for each in (*before.enumerators, *after.enumerators))
            if old != new and (
                has_sign or self.old_layouts.size_of(ctype.Basic(old)) != self.new_layouts.size_of(ctype.Basic(new))
            ):
                found.add(key)
        return frozenset(found)

    @cached_property
    def names_are_enough(self) -> bool:
        """True if equal spelling means the same type: no included typedef or enumeration was changed."""
        return not self._shifting and not self._resized

    def same(self, old: CType, new: CType) -> bool:
        """True if both are the same type."""
        if old == new and self.names_are_enough:
            return True
        if self.is_reported_typedef(old, new):
            return True
        old_qualifiers, old_core = peel(old, self.old_layouts)
        new_qualifiers, new_core = peel(new, self.new_layouts)
        return old_qualifiers == new_qualifiers and self._same_core(old_core, new_core)

    def is_reported_typedef(self, old: CType, new: CType) -> bool:
        """True if both name the same typedef of the API itself, so that a difference belongs to the typedef."""
        if not (isinstance(old, ctype.NamedType) and isinstance(new, ctype.NamedType) and old.name == new.name):
            return False
        before, after = self.old.typedefs.get(old.name), self.new.typedefs.get(new.name)
        if before is None or after is None:
            return before is after
        return before.in_api or after.in_api

    def is_aligned_otherwise(self, old: Typedef, new: Typedef) -> bool:
        """True if a typedef asks for another alignment than it did, itself or by a typedef that it stands for."""
        is_as_it_was = (old.type, old.alignment) == (new.type, new.alignment)
        if is_as_it_was and self.is_reported_typedef(old.type, new.type):
            return False
        return _asked(old, self.old) != _asked(new, self.new)

    def same_length(self, old: ctype.Expression | int | None, new: ctype.Expression | int | None) -> bool:
        """True if two array bounds are the same number on this target."""
        return self.length(self.old_layouts, old) == self.length(self.new_layouts, new)

    def length(self, layouts: Layouts, length: ctype.Expression | int | None) -> int | None:
        """Return an array bound (or a bit-field's width) as a number; None for no bound."""
        return layouts.evaluate(length) if isinstance(length, ctype.Expression) else length

    def _same_core(self, old: CType, new: CType) -> bool:
        """`same`, for two types without typedefs and qualifiers at their top."""
        if isinstance(old, ctype.Pointer) and isinstance(new, ctype.Pointer):
            return old.block == new.block and self.same(old.target, new.target)
        if isinstance(old, ctype.RecordType) and isinstance(new, ctype.RecordType):
            return self.records.get(old.key, old.key) == new.key
        if isinstance(old, ctype.EnumType) and isinstance(new, ctype.EnumType):
            return self.enums.get(old.key, old.key) == new.key and old.key not in self._resized
        if isinstance(old, ctype.FunctionType) and isinstance(new, ctype.FunctionType):
            return self.same_function(old, new)
        if isinstance(old, ctype.Array) and isinstance(new, ctype.Array):
            return self.same(old.element, new.element) and self.same_length(old.length, new.length)
        if isinstance(old, ctype.Vector) and isinstance(new, ctype.Vector):
            return self.same_length(old.size, new.size) and self.same(old.element, new.element)
        return old == new

    def same_function(self, old: ctype.FunctionType, new: ctype.FunctionType) -> bool:
        """True if two functions are called alike; `()` and `(void)` are."""
        return (
            len(old.parameters) == len(new.parameters)
            and old.variadic == new.variadic
            and self.same_convention(old, new)
            and self.same(old.result, new.result)
            and all(
                self.same_parameter(before.type, after.type)
                for before, after in zip(old.parameters, new.parameters, strict=True)
            )
        )

    def same_convention(self, old: ctype.FunctionType, new: ctype.FunctionType) -> bool:
        """True if two functions have one calling convention on this target."""
        target = self.new_layouts.target
        before, after = old.calling_convention, new.calling_convention
        return before == after or target.convention(before) == target.convention(after)

    def same_parameter(self, old: CType, new: CType) -> bool:
        """True if two parameters are passed alike; qualifiers of the parameter itself do not count (C 6.7.6.3 p15)."""
        return self.same(unqualified(old), unqualified(new))


def _asked(typedef: Typedef, api: Api) -> ctype.Expression | int | None:
    """Return the alignment that a typedef asks for, or else the typedef it or its elements stand for; else None."""
    while typedef.alignment is None:
        type = typedef.type
        while isinstance(type, (ctype.Array, ctype.Qualified)):
            type = type.element if isinstance(type, ctype.Array) else type.type
        if not (isinstance(type, ctype.NamedType) and type.name in api.typedefs):
            return None
        typedef = api.typedefs[type.name]
    return typedef.alignment


def peel(type: CType, layouts: Layouts) -> tuple[frozenset[str], CType]:
    """Follow typedefs at the top of a type, the standard library's too, and collect the qualifiers that are met.

    Returns:
        The qualifiers, and a type that is neither qualified nor a typedef that anyone knows. An array's qualifiers are
        its element's (C 6.7.3 p9), and are handed down to it.
    """
    qualifiers, core = peel_top(type, layouts)
    if isinstance(core, ctype.Array) and qualifiers:
        inner = core.element.qualifiers if isinstance(core.element, ctype.Qualified) else ()
        element = ctype.Qualified(unqualified(core.element), tuple(sorted({*qualifiers, *inner})))
        return NO_QUALIFIERS, ctype.Array(element, core.length)
    return qualifiers, core


def peel_top(type: CType, layouts: Layouts) -> tuple[frozenset[str], CType]:
    """`peel`, but an array's qualifiers are left with the array."""
    qualifiers = NO_QUALIFIERS
    while isinstance(type, (ctype.Qualified, ctype.NamedType)):
        if isinstance(type, ctype.Qualified):
            qualifiers |= frozenset(type.qualifiers)
            type = type.type
            continue
        typedef, standard = layouts.api.typedefs.get(type.name), layouts.target.typedefs.get(type.name)
        if standard is not None and (typedef is None or not typedef.in_api):
            return qualifiers, ctype.Basic(standard)  # The standard library's names are the target's.
        if typedef is None:
            break
        type = typedef.type
    return qualifiers, type


def unqualified(type: CType) -> CType:
    """Return a type without the qualifiers at its top."""
    return type.type if isinstance(type, ctype.Qualified) else type


def differ_in_qualifiers(old: CType, new: CType, equality: Equality) -> bool:
    """True if two types that are not the same become the same when all qualifiers are taken away."""
    return equality.same(without_qualifiers(old, equality.old_layouts), without_qualifiers(new, equality.new_layouts))


def same_handle(old: CType, new: CType, equality: Equality) -> bool:
    """True if two types are pointers to what only their owner knows: to `void`, or to a struct that is not defined."""
    found = []
    for type, layouts in ((old, equality.old_layouts), (new, equality.new_layouts)):
        pointer = peel(type, layouts)[1]
        if not isinstance(pointer, ctype.Pointer):
            return False
        qualifiers, behind = peel(pointer.target, layouts)
        is_opaque = isinstance(behind, ctype.RecordType) and layouts.api.structs[behind.key].fields is None
        if not (is_opaque or behind == ctype.Basic("void")):
            return False
        found.append(qualifiers)
    return found[0] == found[1]


def hides_another(old: CType, new: CType, equality: Equality) -> bool:
    """True if two types are pointers to structs that only their tags name, and OLD's is gone with all that it named."""
    targets = [each.target for each in (old, new) if isinstance(each, ctype.Pointer)]
    keys = [each.key for each in targets if isinstance(each, ctype.RecordType)]
    api = equality.new_layouts.api
    is_other = len(set(keys)) == 2 and not any(each in api.typedefs for each in keys) and keys[0] not in api.structs
    return is_other and same_handle(old, new, equality)


_CHARACTERS = (ctype.Basic("char"), ctype.Basic("signed char"), ctype.Basic("unsigned char"))


def lost_its_type(old: CType, new: CType, equality: Equality) -> bool:
    """True if a pointer to an opaque struct became one to `void`; one to another struct may point to another object."""
    return _are_void(old, new, equality) == [False, True] and same_handle(old, new, equality)


def gained_its_type(old: CType, new: CType, equality: Equality) -> bool:
    """True if `void*` became a pointer to an opaque struct that OLD declares and does not define either."""
    if _are_void(old, new, equality) != [True, False] or not same_handle(old, new, equality):
        return False
    pointer = peel(new, equality.new_layouts)[1]
    behind = peel(pointer.target, equality.new_layouts)[1] if isinstance(pointer, ctype.Pointer) else None
    known = equality.old.structs.get(behind.key) if isinstance(behind, ctype.RecordType) else None
    return known is not None and known.fields is None


def point_to_characters(old: CType, new: CType, equality: Equality) -> bool:
    """True if both types point to characters (`char`, `signed char` or `unsigned char`), qualifiers aside."""
    for type, layouts in ((old, equality.old_layouts), (new, equality.new_layouts)):
        pointer = peel(type, layouts)[1]
        if not isinstance(pointer, ctype.Pointer) or peel(pointer.target, layouts)[1] not in _CHARACTERS:
            return False
    return True


def _are_void(old: CType, new: CType, equality: Equality) -> list[bool]:
    """For OLD's and NEW's type: true if it is a pointer to `void`."""
    return [
        isinstance(pointer, ctype.Pointer) and peel(pointer.target, layouts)[1] == ctype.Basic("void")
        for type, layouts in ((old, equality.old_layouts), (new, equality.new_layouts))
        for pointer in (peel(type, layouts)[1],)
    ]


def without_qualifiers(type: CType, layouts: Layouts) -> CType:
    """Return a type without qualifiers at any depth, parameters of function pointers included; typedefs are followed.

    `_Atomic` stays: it makes another type, whose size and alignment may differ (C 6.2.5 paragraph 27).
    """

    def bare(part: ctype.Node) -> ctype.Node:
        if isinstance(part, ctype.Parameter):
            return ctype.Parameter(part.name, without_qualifiers(part.type, layouts))
        return without_qualifiers(part, layouts) if isinstance(part, CType) else part

    qualifiers, core = peel(type, layouts)
    rebuilt = ctype.rebuilt(core, bare)
    return ctype.Qualified(rebuilt, ("_Atomic",)) if "_Atomic" in qualifiers else rebuilt


def spelled(old: CType, new: CType, equality: Equality, names: tuple[str, str] = ("", "")) -> tuple[str, str]:
    """Return two declarations as C writes them, in backticks.

    Where typedefs hide how the types differ, the type that they stand for follows: "`foo_cb` (`void (*)(int)`)".

    Args:
        old: OLD's type.
        new: NEW's type.
        equality: of types, on one target.
        names: what is declared to be of these types.
    """
    before, after = equality.old_layouts, equality.new_layouts
    texts = spell(old, names[0], equality.old), spell(new, names[1], equality.new)
    plain = [spell(old, api=equality.old), spell(new, api=equality.new)]
    if plain[0] != plain[1]:
        types = revealed(old, new, equality)
        shown = [spell(type, api=each.api) for type, each in zip(types, (before, after), strict=True)]
        pairs = zip(texts, plain, shown, strict=True)
        was, now = (f"`{text}` (`{type}`)" if type != written else f"`{text}`" for text, written, type in pairs)
        return was, now
    was, now = (
        spell(canonical(type, each.api, each.target), api=each.api) for type, each in ((old, before), (new, after))
    )
    if was == now:
        was, now = (f"{size} bytes" for size in (before.size_of(old), after.size_of(new)))
        return f"`{texts[0]}` ({was})", f"`{texts[1]}` ({now})"
    return f"`{texts[0]}` (`{was}`)", f"`{texts[1]}` (`{now}`)"


def revealed(old: CType, new: CType, equality: Equality) -> tuple[CType, CType]:
    """Return both types with each typedef replaced that hides how the two differ; other typedefs stay."""
    if equality.same(old, new):
        return old, new
    qualifiers = [each.qualifiers if isinstance(each, ctype.Qualified) else () for each in (old, new)]
    before, after = unqualified(old), unqualified(new)
    if equality.same(before, after):
        return old, new
    pair: tuple[CType, CType]
    if isinstance(before, ctype.Pointer) and isinstance(after, ctype.Pointer):
        was, now = revealed(before.target, after.target, equality)
        pair = replace(before, target=was), replace(after, target=now)
    elif isinstance(before, ctype.Array) and isinstance(after, ctype.Array):
        was, now = revealed(before.element, after.element, equality)
        pair = replace(before, element=was), replace(after, element=now)
    elif isinstance(before, ctype.FunctionType) and isinstance(after, ctype.FunctionType):
        pair = _revealed_functions(before, after, equality)
    else:
        was, now = _opened(before, equality.old_layouts), _opened(after, equality.new_layouts)
        is_open = was is before and now is after
        pair = (before, after) if is_open else revealed(was, now, equality)
    return ctype.qualified(pair[0], qualifiers[0]), ctype.qualified(pair[1], qualifiers[1])


def _revealed_functions(
    old: ctype.FunctionType, new: ctype.FunctionType, equality: Equality
) -> tuple[ctype.FunctionType, ctype.FunctionType]:
    """Return both functions, their results and parameters as `revealed` returns types."""
    was, now = revealed(old.result, new.result, equality)
    if len(old.parameters) == len(new.parameters):
        pairs = [
            (before, after, revealed(before.type, after.type, equality))
            for before, after in zip(old.parameters, new.parameters, strict=True)
        ]
        old = replace(old, parameters=tuple(replace(each[0], type=each[2][0]) for each in pairs))
        new = replace(new, parameters=tuple(replace(each[1], type=each[2][1]) for each in pairs))
    return replace(old, result=was), replace(new, result=now)


def _opened(type: CType, layouts: Layouts) -> CType:
    """Return the type of a typedef; names of the standard library, structs and enumerations stay as they are."""
    typedef = layouts.api.typedefs.get(type.name) if isinstance(type, ctype.NamedType) else None
    if typedef is None or (typedef.name in layouts.target.typedefs and not typedef.in_api):
        return type
    is_tagged = isinstance(layouts.resolve(type), (ctype.RecordType, ctype.EnumType))
    return type if is_tagged else typedef.type


def was_is(old: CType, new: CType, equality: Equality) -> str:
    """`was X, is Y` for two types."""
    was, now = spelled(old, new, equality)
    return f"was {was}, is {now}"


def read_as(type: CType, layouts: Layouts, *, is_bit_field: bool) -> str:
    """Return the type that a member is read as: the only member of a struct or union, an unsigned bit for `_Bool`."""
    struct = layouts.api.struct_of(type)
    fields = struct.fields if struct is not None else None
    if fields and len(fields) == 1:
        return read_as(fields[0].type, layouts, is_bit_field=fields[0].bit_width is not None)
    found = representation(type, layouts)
    return "unsigned" if is_bit_field and found == "_Bool" else found


def representation(type: CType, layouts: Layouts) -> str:
    """Return the representation of a type: `pointer`, `floating`, `signed`, `unsigned`, or the type itself for others.

    A block is `block`: code that calls a function pointer jumps to its address, code that calls a block reads the
    function's address from it.

    Of an array that is how its elements are, those of arrays in it one by one: `array of signed (4 bytes)`. An array of
    one element is read as that.
    """
    core = element = layouts.resolve(type)
    is_one = True
    while isinstance(element, ctype.Array):
        length = element.length
        is_one &= length is not None and layouts.evaluate(length) == 1
        element = layouts.resolve(element.element)
    if isinstance(core, ctype.Array):
        each = representation(element, layouts)
        return each if is_one else f"array of {each} ({layouts.size_of(element)} bytes)"
    if isinstance(core, ctype.Vector):
        return f"vector of {representation(core.element, layouts)} ({layouts.size_of(core.element)} bytes)"
    if isinstance(core, ctype.Pointer):
        return "block" if core.block else "pointer"
    if isinstance(core, ctype.EnumType):
        core = ctype.Basic(layouts.underlying_type(core.key))
    if isinstance(core, ctype.BitInt):
        return "signed" if core.signed else "unsigned"
    if isinstance(core, ctype.Basic):
        if core.name == "_Bool":
            return "_Bool"
        if core.name in ("float", "double", "long double"):
            return "floating"
        if "_Complex" in core.name or core.name in ("_Float16", "__bf16", "__float128"):
            return core.name
        return "signed" if layouts.target.is_signed(core.name) else "unsigned"
    if isinstance(core, ctype.RecordType):
        return f"{layouts.api.structs[core.key].kind} {core.key}"
    return "other"


_MOST_ELEMENTS = 64
"""Of how many elements an array may be for each of them to be a leaf."""


def differing_leaves(old: CType, new: CType, equality: Equality) -> str:
    """Return the differences between the leaves of two types; members of equal names at equal places are the same.

    Elements of arrays have no names: `void *[2]` and a struct of two such pointers hold the same.

    Returns:
        `nothing`, `pointee` when pointers are to something else, or `bytes`; that, too, where neither type holds a
        struct or union.
    """
    sides = (equality.old_layouts, equality.new_layouts)
    both = list(zip((old, new), sides, strict=True))
    if not any(_holds_record(*each) for each in both) or sides[0].size_of(old) != sides[1].size_of(new):
        return "bytes"
    before, after = (list(_leaves(*each, 0)) for each in both)
    if len(before) != len(after):
        return "bytes"
    differs = "nothing"
    for was, now in zip(before, after, strict=True):
        is_alike = was[:2] == now[:2] and (was[2] == now[2] or not (was[2] and now[2]))
        if is_alike and equality.same(was[3], now[3]):
            continue
        cores = [layouts.resolve(each[3]) for each, layouts in zip((was, now), sides, strict=True)]
        if not (is_alike and all(isinstance(each, ctype.Pointer) for each in cores)):
            return "bytes"
        differs = "pointee"
    return differs


def _holds_record(type: CType, layouts: Layouts) -> bool:
    """True if a type is a struct or union, or an array of such."""
    core = layouts.resolve(type)
    while isinstance(core, ctype.Array):
        core = layouts.resolve(core.element)
    return isinstance(core, ctype.RecordType)


def _leaves(
    type: CType, layouts: Layouts, start: int, name: str = "", width: int | None = None
) -> Iterator[tuple[int, int | None, str, CType]]:
    """First bit, width when it is a bit-field, name and type of each number, pointer or long array in a type."""
    core = _one_element(type, layouts)
    length = layouts.evaluate(core.length) if isinstance(core, ctype.Array) and core.length is not None else None
    if isinstance(core, ctype.RecordType):
        for placed in layouts.of(core.key).fields:
            bit = start + 8 * placed.offset if placed.bit_offset is None else start + placed.bit_offset
            yield from _leaves(placed.field.type, layouts, bit, placed.name, placed.bit_width)
    elif isinstance(core, ctype.Array) and length is not None and length <= _MOST_ELEMENTS:
        for index in range(length):
            yield from _leaves(core.element, layouts, start + 8 * index * layouts.size_of(core.element))
    else:
        yield start, width, name, type


def _one_element(type: CType, layouts: Layouts) -> CType:
    """Return the type behind typedefs; of an array of one element, the element."""
    core = layouts.resolve(type)
    while isinstance(core, ctype.Array) and core.length is not None and layouts.evaluate(core.length) == 1:
        core = layouts.resolve(core.element)
    return core
