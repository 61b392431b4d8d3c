"""Roles of members, parameters and types: who sets them, what is required, counts, ownership, extensions.

Emitters, checks, lint rules and the host ask these questions here, so that they get the same answers.

A struct with `next_extension` is the base of a chain: its first member is the size, one member states which struct it
is, and one points to the next base. A struct with `extension` begins with a base and carries its size there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec

from abigen.model.api import Api
from abigen.model.contract import Party, Requirement, Zero
from abigen.model.ctype import Array, Basic, CType, NamedType, Parameter, Pointer, RecordType, Vector, unqualified
from abigen.model.entities import Callback, Field, Function, Struct
from abigen.model.evaluate import fold
from abigen.model.layout import Layouts
from abigen.model.releases import compatible_releases
from abigen.model.span import AbigenError
from abigen.model.spelling import words_of

_BESIDE = ("num_*", "n_*", "max_*", "*_count", "*_num")
"""The names of a count that directly follows its pointer; `*` stands for the pointer's name."""
_BYTES_BESIDE = ("*_len", "*_length", "*_size")
"""The same of pointers to bytes. Of other pointers such a name may mean the number of bytes."""
_ALONE = ("len", "length", "size")
"""The same of pointers to bytes that cannot be text, which needs no count."""
_BYTE_NAMES = frozenset({"int8_t", "uint8_t"})
_BYTE_TYPES = frozenset({"void", "char", "signed char", "unsigned char"})
COUNT_WORDS = frozenset({"num", "n", "nb", "nr", "number", "count", "cnt"})
"""Words in the names of numbers that count."""
SIZE_WORDS = frozenset({"len", "length", "size"})
"""Words in the names of numbers that may count bytes, or elements."""
_COUNT_WORDS = COUNT_WORDS | SIZE_WORDS | {"of"}
_LIST_WORDS = frozenset({"list", "array", "arr", "vec", "table"})


def count_of(position: int, siblings: Sequence[Field | Parameter], api: Api) -> int | None:
    """Find the count of a pointer: by the API's own patterns, else by the usual names.

    Args:
        position: of the pointer among its siblings.
        siblings: the members of a struct, or the parameters of a function, in order.
        api: to resolve types, and for the names that its owners have agreed on.

    Returns:
        The position of the count; None for what is no pointer, or has no count.
    """
    pointer = siblings[position]
    resolved = api.resolve(pointer.type)
    if not isinstance(resolved, Pointer) or not pointer.name or api.function_behind(pointer.type):
        return None
    own = {pattern.replace("*", pointer.name) for pattern in api.conventions.counts}
    found = next((at for at, each in enumerate(siblings) if each.name in own and api.is_integer(each.type)), None)
    if found is not None:
        return found
    struct = api.struct_of(resolved.target)
    if struct is not None:
        return _by_words(pointer.name, struct.name, siblings, api)
    beside = siblings[position + 1] if position + 1 < len(siblings) else None
    if beside is None or not beside.name or not api.is_integer(beside.type):
        return None
    patterns = (*_BESIDE, *api.conventions.counts, *_byte_patterns(resolved.target, api))
    return position + 1 if any(_fits(pointer.name, beside.name, each) for each in patterns) else None


def counts_of(parameters: Sequence[Parameter], api: Api) -> dict[int, int]:
    """Return the positions of the parameters that point to several elements, each with that of its count."""
    found = ((at, count_of(at, parameters, api)) for at in range(len(parameters)))
    return {at: count for at, count in found if count is not None}


def _by_words(name: str, pointee: str, siblings: Sequence[Field | Parameter], api: Api) -> int | None:
    """Return the count of a pointer to structs whose name is a plural: `xs`, `pXs`, `x_list`.

    A pointer in the singular is taken for one to a single struct. So is one in the plural where the struct's name is a
    plural itself (`CreateParams* params`), unless a count names the same things.

    The best is a number that names the same things (`num_xs`, `xs_count`, `n_xs`, `nxs`, `xs_size`, `xCount`), then one
    that names the last of them (`num_options` of `create_options`), then one that only counts (`count`).
    """
    words = words_of(name.removeprefix("p") if name[1:2].isupper() else name)
    is_list = len(words) > 1 and words[-1] in _LIST_WORDS
    if not (is_list or name.endswith(("s", "S"))):
        return None
    wanted = _singular(words[:-1] if is_list else words)
    found: dict[str, int] = {}
    for at, number in enumerate(siblings):
        if not number.name or number.name == api.conventions.size_field or not api.is_integer(number.type):
            continue
        rest = _counted(words_of(number.name), wanted)
        if rest is not None and rest == wanted[len(wanted) - len(rest) :]:
            found["same" if rest == wanted else "last" if rest else "any"] = at
    pointee_words = words_of(pointee)
    if is_list or pointee_words[-1:] == words[-1:]:
        return found.get("same")
    if pointee_words != _singular(pointee_words):
        found.pop("any", None)
    return found.get("same", found.get("last", found.get("any")))


def _counted(words: Sequence[str], wanted: tuple[str, ...]) -> tuple[str, ...] | None:
    """Return the noun that a count counts, in the singular; None when its name states no count."""
    if not _COUNT_WORDS.isdisjoint(words):
        return _singular([word for word in words if word not in _COUNT_WORDS])
    abbreviated = _singular([words[0].removeprefix("n"), *words[1:]]) if words and words[0].startswith("n") else ()
    return abbreviated if abbreviated == wanted else None


def _byte_patterns(element: CType, api: Api) -> tuple[str, ...]:
    """Return the names of a number of bytes, where the pointee is bytes."""
    resolved = api.resolve(element)
    if resolved == Basic("char"):
        return _BYTES_BESIDE
    is_byte = isinstance(resolved, NamedType) and resolved.name in _BYTE_NAMES
    is_byte = is_byte or (isinstance(resolved, Basic) and resolved.name in _BYTE_TYPES)
    return (*_BYTES_BESIDE, *_ALONE) if is_byte else ()


def _fits(pointer: str, count: str, pattern: str) -> bool:
    """True if a count's name follows from the pointer's by a pattern, whatever both begin with."""
    if count in (pattern.replace("*", pointer), pattern.replace("*", pointer.removesuffix("s"))):
        return True
    words = pointer.split("_")
    ends = (("_".join(words[:at]), "_".join(words[at:])) for at in range(1, len(words)))
    return any(count == f"{left}_{pattern.replace('*', right)}" for left, right in ends)


def _singular(words: Sequence[str]) -> tuple[str, ...]:
    """Return the words with the last one in the singular."""
    if not words:
        return ()
    last = words[-1]
    if last.endswith("ies"):
        last = last[:-3] + "y"
    elif last.endswith("s") and len(last) > 1:
        last = last[:-1]
    return (*words[:-1], last)


_EIGHTBYTE = 8
_MOST_EIGHTBYTES = 2
_MOST_HOMOGENEOUS = 4
INTEGER, FLOATING, X87, MEMORY = "integer", "floating-point", "x87", "memory"
"""The kinds of registers, and none."""


class _Scalar(msgspec.Struct, frozen=True):
    """A member that is neither struct nor array."""

    offset: int
    size: int
    kind: str
    is_aligned: bool


def passed_in(type: CType, layouts: Layouts) -> str:
    """Return the place of a struct or union that is passed by value: `an integer register`, `memory`.

    Args:
        type: what is passed.
        layouts: of its API, on the target in question.

    Returns:
        The words for it; two equal ones mean that both sides look in the same place. Empty where it follows from the
        size alone (Windows), or the ABI of the target is not modelled, or the type has no size.
    """
    target = layouts.target
    try:
        if target.architecture == "aarch64":
            return _aapcs64(type, layouts)
        if target.architecture == "x86_64" and not target.system.startswith("windows"):
            return _system_v(type, layouts)
    except AbigenError:
        pass  # it is incomplete, which is told elsewhere
    return ""


def _system_v(type: CType, layouts: Layouts) -> str:
    """Return the classes of its eightbytes (System V psABI for AMD64, 3.2.3)."""
    size = layouts.size_of(type)
    if not 0 < size <= _EIGHTBYTE * _MOST_EIGHTBYTES:
        return MEMORY if size else ""
    classes = [""] * -(-size // _EIGHTBYTE)
    for each in _scalars(type, 0, layouts):
        if not each.is_aligned:
            return MEMORY
        for place in range(each.offset // _EIGHTBYTE, -(-(each.offset + each.size) // _EIGHTBYTE)):
            classes[place] = _merged(classes[place], each.kind)
    if MEMORY in classes:
        return MEMORY
    named = [f"{'an' if each == INTEGER else 'a'} {each} register" for each in classes if each]
    return " and ".join(named)


def _merged(one: str, other: str) -> str:
    """Return the class of an eightbyte that members of two classes share (3.2.3, the post-merger left out)."""
    if not one or one == other:
        return other
    if MEMORY in (one, other):
        return MEMORY
    if INTEGER in (one, other):
        return INTEGER
    return MEMORY if X87 in (one, other) else FLOATING


def _aapcs64(type: CType, layouts: Layouts) -> str:
    """Floating-point registers for homogeneous aggregates (AAPCS64, 5.9.5 and 6.8.2), else integer ones up to 16 bytes.

    On Windows for this architecture the same holds.
    """
    size = layouts.size_of(type)
    if not size:
        return ""
    found = set()
    is_floating = True
    for each in _scalars(type, 0, layouts):
        found.add(each.size)
        is_floating = is_floating and each.kind == FLOATING and each.is_aligned
        if not is_floating or len(found) > 1:
            break
    else:
        if found and size <= (width := found.pop()) * _MOST_HOMOGENEOUS:
            number = size // width
            return f"{number} {FLOATING} register{'s' if number > 1 else ''} of {width} bytes"
    if size > _EIGHTBYTE * _MOST_EIGHTBYTES:
        return MEMORY
    return "integer registers" if size > _EIGHTBYTE else f"an {INTEGER} register"


def _scalars(type: CType, offset: int, layouts: Layouts) -> Iterator[_Scalar]:
    """Yield all members within a type that are neither structs nor arrays; of a long array, as many as tell."""
    core = layouts.resolve(type)
    if isinstance(core, RecordType):
        for each in layouts.of(core.key).fields:
            if each.bit_offset is None or each.bit_width is None:
                yield from _scalars(each.field.type, offset + each.offset, layouts)
            else:
                yield _Scalar(offset + each.offset, each.size, INTEGER, is_aligned=True)
    elif isinstance(core, Array):
        size = layouts.size_of(core.element)
        number = min(layouts.size_of(core) // size, 2 * _EIGHTBYTE) if size else 0
        for place in range(number):
            yield from _scalars(core.element, offset + place * size, layouts)
    else:
        size = layouts.size_of(core)
        is_aligned = offset % layouts.alignment_of(core) == 0
        if isinstance(core, Basic) and core.name.endswith(" _Complex"):
            element = Basic(core.name.removesuffix(" _Complex"))
            for place in (0, 1):
                yield _Scalar(offset + place * size // 2, size // 2, _kind(element, layouts), is_aligned)
        else:
            yield _Scalar(offset, size, _kind(core, layouts), is_aligned)


def _kind(type: CType, layouts: Layouts) -> str:
    """Return the register that a scalar is found in."""
    if isinstance(type, Vector):
        return FLOATING
    if isinstance(type, Basic) and type.name in ("float", "double", "long double", "__float128", "_Float16", "__bf16"):
        is_x87 = type.name == "long double" and layouts.target.architecture == "x86_64"
        return X87 if is_x87 else FLOATING
    return INTEGER


class ExtensionKind(msgspec.Struct, frozen=True):
    """By what a chain knows an extension."""

    holder: str
    """The member that is its base: `base`."""
    member: str
    """The path of the member that holds the value: `base.type`."""
    type: CType
    """Of that member."""
    value: str
    """The enumerator or constant."""
    number: int | None
    """Its value; None where that differs from target to target."""


def extension_base(struct: Struct, api: Api) -> Struct | None:
    """Return the base that a struct begins with, if it is an extension; else None."""
    first = next(iter(struct.fields or ()), None)
    base = api.struct_of(first.type) if first is not None and struct.extension else None
    return base if base is not None and base.next_extension else None


def kind_member(base: Struct, api: Api) -> Field | None:
    """Return the member of a base that says which struct an extension is: its first number behind the size."""
    behind_size = (base.fields or ())[1:]
    return next((each for each in behind_size if api.holds_whole_numbers(each.type)), None)


def extension_kind(struct: Struct, api: Api) -> ExtensionKind | None:
    """By what a chain knows a struct, if it is an extension; else None."""
    base = extension_base(struct, api)
    kind = kind_member(base, api) if base is not None else None
    if kind is None:
        return None
    holder = (struct.fields or ())[0].name
    enumerators = {name: each.value for name, each in api.enumerators.items()}
    constant = api.constants.get(struct.extension)
    expression = constant.expression if constant is not None else None
    number = enumerators.get(struct.extension) if expression is None else fold(expression, enumerators)
    return ExtensionKind(holder, f"{holder}.{kind.name}", kind.type, struct.extension, number)


def chain_of(type: CType, api: Api) -> Struct | None:
    """Return the base of the extensions that a pointer leads to; None when it leads to something else."""
    pointee = api.pointee(type)
    return pointee if pointee is not None and pointee.next_extension else None


def extensions_of(base: Struct, api: Api) -> Mapping[str, Struct]:
    """Return the extensions with that base which an API knows: enumerator or constant to the struct."""
    bases = ((each, extension_base(each, api)) for each in api.structs.values())
    return {each.extension: each for each, found in bases if found is not None and found.name == base.name}


class UnknownTable(NamedTuple):
    """A table that plugins of an older release leave empty, although some of its members are required."""

    member: Field
    """Points to the table. The core fills its struct and states the size, so nothing says which members a plugin
    knows."""
    required: str
    """The first required member of the table."""


def can_be_missed(member: Field, api: Api) -> bool:
    """Tell whether zero shows that a member was not filled: a NULL pointer, or a zero that means nothing.

    Args:
        member: of a struct of the API.
        api: the API.
    """
    return isinstance(api.resolve(member.type), Pointer) or member.contract.zero is Zero.NO_OP


def is_of_plugin(entity: Field | Struct) -> bool:
    """Tell whether plugins fill a struct or set a member, alone or as the core does.

    Args:
        entity: the struct or the member.
    """
    return entity.filler in (Party.PLUGIN, Party.BOTH)


def is_of_core(member: Field) -> bool:
    """Tell whether the core sets a member, or lets it point to something for plugins to fill.

    Args:
        member: of a struct of the API.
    """
    return Party.CORE in (member.filler, member.allocated_by)


def is_demanded(member: Field) -> bool:
    """Tell whether a member has to be set, always or under a condition.

    Args:
        member: of a struct of the API.
    """
    contract = member.contract
    return contract.requirement in (Requirement.REQUIRED, Requirement.CONDITIONAL) and not contract.reserved


def may_be_left_zero(member: Field) -> bool:
    """Tell whether it is said that zero, or NULL, in a member stands for nothing.

    Args:
        member: of a struct of the API.
    """
    return member.contract.zero is Zero.NO_OP or member.contract.is_optional


def is_left_to_plugins(member: Field, struct: Struct) -> bool:
    """Tell whether plugins set a member of a struct that the core hands over: neither the core does, nor is it the
    size.

    Args:
        member: of the struct.
        struct: of the API.
    """
    return not is_of_core(member) and member.name != struct.size_member


def is_in_all_releases(member: Field, struct: Struct, api: Api) -> bool:
    """Tell whether each compatible release of a struct has a member, so that it is there whatever the struct's size.

    Args:
        member: of the struct.
        struct: of the API.
        api: the API.
    """
    since, begin = member.contract.lifecycle.since, struct.contract.lifecycle.since
    releases = compatible_releases(api.header.releases if api.header else ())
    oldest = max((each for each in (begin, *releases[:1]) if each is not None), default=None)
    return since is None or (oldest is not None and since <= oldest)


def says_what_zero_means(member: Field, struct: Struct, api: Api) -> bool:
    """True if readers know how to take a zero in a member that was appended.

    A condition tells them if it is no older than the member: whoever does not know the member leaves both zero.

    Args:
        member: of the struct.
        struct: any.
        api: where the struct is.
    """
    contract = member.contract
    if contract.zero or contract.reserved:
        return True
    owner, _, name = contract.condition.when.rpartition(".")
    holder = api.structs.get(owner) if owner else struct
    other = holder.member(name) if holder is not None and name else None
    if holder is None or other is None:
        return False
    age, since = contract.lifecycle.since, other.contract.lifecycle.since or holder.contract.lifecycle.since
    return age is None or (since is not None and since >= age)


def unknown_tables(api: Api) -> Iterator[UnknownTable]:
    """Find the tables for which validators would refuse plugins of older releases, which leave them empty.

    Args:
        api: the API.
    """
    for struct in api.structs.values():
        for member in struct.fields or () if struct.in_api and struct.filler is Party.CORE else ():
            table = api.pointee(member.type) if member.allocated_by is Party.CORE else None
            if table is None or member.contract.is_optional or is_in_all_releases(member, struct, api):
                continue
            for each in table.fields or ():
                is_required = each.contract.is_required or each.contract.condition.unless
                if is_required and each.filler is not Party.CORE and can_be_missed(each, api):
                    yield UnknownTable(member, f"{table.name}.{each.name}")
                    break


def contracts_of(api: Api, key: str) -> tuple[Field | Callback | Function, ...]:
    """Find what says how a function is called: a member before the callback that is its type; or the function itself.

    Args:
        api: where the function is.
        key: its name, that of its type, or `Struct.member` of one in a struct.
    """
    struct, _, member = key.rpartition(".")
    field = api.structs[struct].member(member) if struct in api.structs else None
    type = unqualified(field.type) if field is not None else NamedType(key)
    named: Function | Callback | None = api.functions.get(key)
    while named is None and isinstance(type, NamedType) and type.name in api.typedefs:
        typedef = api.typedefs[type.name]
        named, type = typedef if isinstance(typedef, Callback) else None, typedef.type
    return tuple(each for each in (field, named) if each is not None)


def retained(api: Api, key: str) -> tuple[str, ...]:
    """Find the parameters whose pointers a function keeps after the call.

    Args:
        api: where the function is.
        key: its name, that of its type, or `Struct.member` of one in a struct.
    """
    return next((each.retains for each in contracts_of(api, key) if each.retains), ())


def may_be_null(api: Api, key: str, parameter: str) -> bool | None:
    """Tell whether a parameter may be NULL; None where nobody has said.

    Args:
        api: where the function is.
        key: its name, that of its type, or `Struct.member` of one in a struct.
        parameter: its name.
    """
    said = (each for each in contracts_of(api, key) if parameter in (*each.nullable, *each.non_null))
    return next((parameter not in each.non_null for each in said), None)


def scope(api: Api, key: str) -> str:
    """Find how long a function is called: `call`, `once`, `static`, or empty when nobody has said.

    Args:
        api: where the function is.
        key: the name of its type, or `Struct.member` of one in a struct, which is called as long as that is there.
    """
    said = contracts_of(api, key)
    of_type = next((each.scope for each in said if isinstance(each, Callback)), "")
    field = next((each for each in said if isinstance(each, Field)), None)
    return of_type if field is None else field.scope or (of_type if of_type == "static" else "")


def makers(api: Api) -> frozenset[str]:
    """Find the functions that make objects, or begin to use those of their callers: names, or `Struct.member`.

    Args:
        api: with handles, typedefs and structs of which it says how they are made.
    """
    made = (each.create for each in api.typedefs.values())
    begun = (each.begin for each in api.structs.values())
    return frozenset(each for each in (*made, *begun) if each)


def enders(api: Api) -> frozenset[str]:
    """Find the functions that destroy objects: names, or `Struct.member`.

    Args:
        api: with handles, typedefs and structs of which it says how they are destroyed.
    """
    destroyed = (each.destroy for each in api.typedefs.values())
    ended = (each.destroy for each in api.structs.values() if each.begin)
    return frozenset(each for each in (*destroyed, *ended) if each)


def order_of_calls(api: Api) -> dict[str, int]:
    """Find the place of each function among the calls with its object, as the spec has it; others have none.

    Args:
        api: with handles, typedefs and structs of which it says what is called with them.
    """
    found: dict[str, int] = {}
    calls = [each.calls for each in api.typedefs.values()] + [each.calls for each in api.structs.values()]
    for names in calls:
        for at, name in enumerate(names):
            found.setdefault(name, at)
    return found
