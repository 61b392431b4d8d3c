"""Uses of a struct by value, and size constants: the places where the size of a struct matters.

Uses by value (embedded, an element of an array, passed, or counted) are followed through typedefs, nested structs,
arrays and pointers to arrays. A pointer that goes with a count (`T* xs, size_t num_xs`) makes an array whose stride is
the size of `T`. Size constants are measured: which struct each one means, and which members it leaves out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

import msgspec

from abigen.model.api import Api, release_of_size
from abigen.model.ctype import (
    Array,
    CType,
    Expression,
    FunctionType,
    Literal,
    OffsetOf,
    Pointer,
    RecordType,
    SizeOf,
    SizeOfMember,
    parts,
)
from abigen.model.entities import Constant, Enumerator, Field, SizeConstant, Struct
from abigen.model.layout import Layouts, agreed_value
from abigen.model.roles import count_of
from abigen.model.span import AbigenError, Span


class ByValueUse(msgspec.Struct, frozen=True):
    """A place where the size of a struct is compiled in."""

    kind: str
    """`member`, `element` (of an array), `counted` (pointer and count), `parameter` or `result`."""
    record: str
    """Key of the struct that is used."""
    holder: str
    """Key of the struct, or name of the function or typedef, that uses it."""
    member: str
    """The member or parameter; empty for a function's own result."""
    span: Span | None
    counter: str = ""
    """For `counted`: the name of the count."""

    @property
    def path(self) -> str:
        """The place as users write it: `SP_Platform.device`."""
        return f"{self.holder}.{self.member}" if self.member else self.holder

    @property
    def is_held(self) -> bool:
        """True if the holder has it in memory, rather than as an argument or a result."""
        return self.kind not in ("parameter", "result")

    def clause(self, record: str = "it") -> str:
        """Return a clause with the user of a struct and the kind of use.

        Args:
            record: what to call the struct.
        """
        if self.kind == "member":
            return f"{self.path} holds {record} by value"
        if self.kind == "element":
            return f"{self.path} is an array of {record}"
        if self.kind == "counted":
            return f"{self.path} points to an array of {record} ({self.counter} elements)"
        verb = "returns" if self.kind == "result" else "takes"
        return f"{self.path} {verb} {record} by value"


class PointerUse(msgspec.Struct, frozen=True):
    """A function that receives or returns a pointer to a struct, or a callback that does."""

    function: str
    """Its name, or the path of the member that points to it."""
    verb: str
    """`write` where the callee may write to the struct, `read` where it may not, `returns` for a result."""


_FIRST = ("returns", "write", "read")
"""The kinds of use, the worst first; memory that a function returns was allocated by it."""


class Uses:
    """The uses of structs by value in one API."""

    def __init__(self, api: Api) -> None:
        """Look at one API; nothing is searched before it is asked for."""
        self.api = api

    @cached_property
    def by_record(self) -> Mapping[str, tuple[ByValueUse, ...]]:
        """Key of a struct to the places that use it by value, in the order of declaration."""
        found: dict[str, list[ByValueUse]] = {}
        for use in self._all():
            found.setdefault(use.record, []).append(use)
        return {key: tuple(uses) for key, uses in found.items()}

    @cached_property
    def pointed_to(self) -> frozenset[str]:
        """Keys of the structs to which a member, a parameter, a result, a typedef or an object points."""
        found: set[str] = set()
        waiting: list[CType] = [field.type for each in self.api.structs.values() for field in each.fields or ()]
        waiting += [each.type for each in self.api.typedefs.values()]
        waiting += [each.type for each in self.api.functions.values()]
        waiting += [each.type for each in self.api.variables.values()]
        while waiting:
            type = waiting.pop()
            if isinstance(type, FunctionType):
                waiting += [type.result, *(each.type for each in type.parameters)]
            elif isinstance(type, Array):
                waiting.append(type.element)
            elif isinstance(type, Pointer):
                struct = self.api.struct_of(type.target)
                found |= {struct.name} if struct is not None else set()
                waiting.append(type.target)
        return frozenset(found)

    @cached_property
    def pointers(self) -> Mapping[str, PointerUse]:
        """Key of a struct to a function that returns pointers to it, else to one that may write to it, or reads it."""
        found: dict[str, PointerUse] = {}
        for name, type in self._callees():
            called = [("returns", type.result)]
            called += [
                ("read" if self.api.is_const_pointer(each.type) else "write", each.type) for each in type.parameters
            ]
            for verb, each in called:
                struct = self.api.pointee(each)
                if struct is not None and struct.fields is not None:
                    known = found.get(struct.name)
                    if known is None or _FIRST.index(verb) < _FIRST.index(known.verb):
                        found[struct.name] = PointerUse(name, verb)
        return found

    def _callees(self) -> Iterator[tuple[str, FunctionType]]:
        """Yield the functions of the API, and callbacks that its structs and typedefs declare, each with its name."""
        for function in self.api.functions.values():
            yield function.name, function.type
        for struct in self.api.structs.values():
            for field in struct.fields or ():
                if callee := _callee(field.type):
                    yield f"{struct.name}.{field.name}", callee
        for typedef in self.api.typedefs.values():
            if callee := _callee(typedef.type):
                yield typedef.name, callee

    def of(self, key: str) -> tuple[ByValueUse, ...]:
        """Return the direct uses of a struct by value."""
        return self.by_record.get(key, ())

    def passes(self, key: str) -> tuple[str, ...]:
        """Return a clause for each place where a struct is a parameter or a result by value."""
        return tuple(use.clause() for use in self.of(key) if not use.is_held)

    def reaching(self, key: str) -> tuple[ByValueUse, ...]:
        """Return the uses of a struct by value, directly or inside another struct; nearest first."""
        found: list[ByValueUse] = []
        seen = {key}
        waiting = [key]
        while waiting:
            for use in self.of(waiting.pop(0)):
                found.append(use)
                if use.kind in ("member", "element") and use.holder in self.api.structs and use.holder not in seen:
                    seen.add(use.holder)
                    waiting.append(use.holder)
        return tuple(found)

    def _all(self) -> Iterator[ByValueUse]:
        """Yield every use there is."""
        for struct in self.api.structs.values():
            for field in struct.fields or ():
                yield from self._in("member", field.type, struct.name, field.name, field.span, field.count)
        for typedef in self.api.typedefs.values():
            if callee := _callee(typedef.type):
                yield from self._in_call(callee, typedef.name, typedef.span)
        for function in self.api.functions.values():
            yield from self._in_call(function.type, function.name, function.span)
        for variable in self.api.variables.values():
            kind, record = self._shape(variable.type)
            if kind == "element":
                yield ByValueUse("element", record, variable.name, "", variable.span)

    def _in_call(self, function: FunctionType, holder: str, place: Span | None) -> Iterator[ByValueUse]:
        """Uses by the parameters and the result of a function, or of a pointer to one."""
        kind, record = self._shape(function.result)
        if kind == "member":
            yield ByValueUse("result", record, holder, "", place)
        for position, parameter in enumerate(function.parameters):
            is_counted = self._shape(parameter.type)[0] == "counted"
            count = count_of(position, function.parameters, self.api) if is_counted else None
            counter = "" if count is None else function.parameters[count].name or ""
            name = parameter.name or f"parameter {position + 1}"
            type, array = parameter.type, parameter.array
            if array and not counter and array.length not in (1, Literal(1)):  # an array of one hands over one object
                type = array
            yield from self._in("parameter", type, holder, name, parameter.span or place, counter)

    def _in(
        self, what: str, type: CType, holder: str, name: str, place: Span | None, counter: str
    ) -> Iterator[ByValueUse]:
        """Uses by one member or parameter, of which `counter` tells how many elements it points to."""
        kind, record = self._shape(type)
        if callee := _callee(type):
            yield from self._in_call(callee, f"{holder}.{name}" if name else holder, place)
        elif kind == "member":
            yield ByValueUse(what, record, holder, name, place)
        elif kind == "element":
            yield ByValueUse(kind, record, holder, name, place)
        elif kind and counter:
            yield ByValueUse(kind, record, holder, name, place, counter)

    def _shape(self, type: CType) -> tuple[str, str]:
        """Return the kind of use that an object of a type would be as a member, and of which struct; empty for none."""
        resolved = self.api.resolve(type)
        if isinstance(resolved, RecordType):
            return "member", resolved.key
        behind = self.api.resolve(resolved.target) if isinstance(resolved, Pointer) else resolved
        if isinstance(behind, RecordType):
            return "counted", behind.key
        element = self.api.element_of(behind)
        return ("element", element.key) if element != behind and isinstance(element, RecordType) else ("", "")


def _callee(type: CType) -> FunctionType | None:
    """Return the function that a type is or points to, when it is spelled out; a typedef answers for itself."""
    while isinstance(type, Pointer):
        type = type.target
    return type if isinstance(type, FunctionType) else None


class Measure(msgspec.Struct, frozen=True):
    """A size constant with its value on one target, and the struct that it names."""

    constant: SizeConstant
    struct: Struct
    value: int
    """In bytes."""
    unpadded_size: int
    """The end of the struct's last member, in bytes."""
    size: int
    """`sizeof`, in bytes."""
    left_out: tuple[str, ...]
    """Members that do not end before the constant's end, in order; a flexible array has no size and is not one."""

    @property
    def is_stale(self) -> bool:
        """True if it stops before the last member's end."""
        return bool(self.left_out)

    @property
    def names_one_struct(self) -> bool:
        """True if offsetof and sizeof name the same struct and member."""
        constant = self.constant
        return (constant.offset_struct or constant.struct, constant.offset_member or constant.last_member) == (
            constant.struct,
            constant.last_member,
        )


def measure(constant: SizeConstant, layouts: Layouts) -> Measure | None:
    """Compute a size constant.

    Args:
        constant: of `layouts.api`.
        layouts: on one target.

    Returns:
        None when the struct is not known or not defined, or the expression cannot be computed.
    """
    struct = layouts.api.structs.get(constant.offset_struct or constant.struct)
    if struct is None or struct.fields is None:
        return None
    try:
        layout = layouts.of(struct.name)
        value = layouts.evaluate(constant.expression)
    except AbigenError:
        return None
    left_out = tuple(
        each.name or f"unnamed member {place}"
        for place, each in enumerate(layout.fields, 1)
        if min(each.offset + each.size, layout.unpadded_size) > value and (each.name or each.bit_width is None)
        if constant.name not in layouts.api.sizes_of_earlier_releases
    )
    return Measure(constant, struct, value, layout.unpadded_size, layout.size, left_out)


def sizes_of_releases(struct: Struct, layouts: Layouts) -> dict[str, int]:
    """Return the constants that state by their names how large a struct is in a release, with their values in bytes.

    Each measures the struct (`FOO_1_0_0_SIZE (offsetof(struct foo, x))`), or is a number whose name has the struct's
    name (`FOO_SIZE_V1 16`).

    Args:
        struct: of `layouts.api`.
        layouts: on one target.
    """
    api = layouts.api
    enumerators = api.enumerators.values()
    names = {
        each.lower().removesuffix("_t").replace("_", "") for each in (struct.name, struct.tag, *struct.typedef_names)
    }
    found: dict[str, int] = {}
    constants: list[Constant | SizeConstant | Enumerator] = [*api.constants.values(), *enumerators]
    constants += api.size_constants.values()
    for each in constants:
        expression = each.expression
        release = release_of_size(each.name)
        if expression is None or release is None or not release.stem:
            continue
        is_named = isinstance(expression, Literal) and release.stem.lower().removesuffix("_t").replace("_", "") in names
        if is_named or _measures(expression, struct, api):
            value = agreed_value([layouts], expression)
            if value is not None:
                found[each.name] = value
    return found


def _measures(expression: Expression, struct: Struct, api: Api) -> bool:
    """True if all offsets and sizes in an expression are of one struct, or of its members, and there is one."""
    pending: list[Expression] = [expression]
    types: list[CType] = []
    while pending:
        each = pending.pop()
        types += [each.type] if isinstance(each, (OffsetOf, SizeOf, SizeOfMember)) else []
        pending += [part for part in parts(each) if isinstance(part, Expression)]
    return bool(types) and all(api.struct_of(each) is struct for each in types)


def missing_entity(constant: SizeConstant, api: Api) -> str:
    """Return what a size constant names that does not exist, a struct or a member; empty when all of it exists.

    A struct that is declared and never defined has no size and no members.

    Args:
        constant: of `api`.
        api: all that is declared.
    """
    for key in dict.fromkeys((constant.offset_struct or constant.struct, constant.struct)):
        if key not in api.structs or api.structs[key].fields is None:
            return key
    pending: list[Expression] = [constant.expression]
    while pending:
        each = pending.pop()
        if isinstance(each, (OffsetOf, SizeOfMember)) and (member := _missing_member(each, api)):
            return member
        pending += reversed([part for part in parts(each) if isinstance(part, Expression)])
    return ""


def broken_sizes(api: Api) -> Mapping[str, str]:
    """Return an API's own size constants that name what does not exist, with that name."""
    own = (each for each in api.size_constants.values() if each.in_api)
    return {each.name: missing for each in own if (missing := missing_entity(each, api))}


def words_for_missing(missing: str, api: Api) -> tuple[str, str]:
    """Return what a size constant does wrong that names what does not exist, and the same for the place in the text."""
    if missing in api.structs:
        return f"is the size of {missing}, which is declared and never defined", f"{missing} has no size and no members"
    return f"names {missing}, which does not exist", f"there is no {missing}"


def repair_of(constant: SizeConstant, api: Api) -> str:
    """Return the advice for a size constant that names a member which does not exist."""
    struct = api.structs.get(constant.struct)
    last = next((each.name for each in reversed(struct.fields or ()) if each.name), "") if struct else ""
    return (
        f"let {constant.name} end at {last}" if last else f"let {constant.name} name a struct that exists, or remove it"
    )


def _missing_member(expression: OffsetOf | SizeOfMember, api: Api) -> str:
    """Return the first member on a path that does not exist, as `Struct.member`; empty when all of them do."""
    type = expression.type
    for step in expression.path:
        struct, resolved = api.struct_of(type), api.resolve(type)
        if isinstance(step, str):
            if struct is None or struct.fields is None:
                return ""
            field = _find_member(struct, step, api)
            if field is None:
                return f"{struct.name}.{step}"
            type = field.type
        elif isinstance(resolved, Array):
            type = resolved.element
    return ""


def _find_member(struct: Struct, name: str, api: Api) -> Field | None:
    """Return a member of a struct, or of an anonymous struct or union in it."""
    for field in struct.fields or ():
        if field.name == name:
            return field
        inner = None if field.name else api.struct_of(field.type)
        if inner is not None and (found := _find_member(inner, name, api)):
            return found
    return None


def measures(layouts: Layouts) -> Iterator[Measure]:
    """Yield all size constants of the API itself that can be computed."""
    for constant in layouts.api.size_constants.values():
        if constant.in_api and (found := measure(constant, layouts)):
            yield found
