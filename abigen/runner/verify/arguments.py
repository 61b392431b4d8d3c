"""Chooses arguments for functions of a plugin from their types and the spec."""

from __future__ import annotations

import ctypes
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeVar

import msgspec
from msgspec.structs import replace

from abigen.model.contract import ENDS, PAIRS, Party
from abigen.model.ctype import Basic, CType, EnumType, FunctionType, Parameter, Pointer, RecordType
from abigen.model.entities import Field, Function, Struct
from abigen.model.evaluate import number_of
from abigen.model.roles import COUNT_WORDS, SIZE_WORDS, contracts_of, counts_of, is_of_plugin, may_be_left_zero
from abigen.model.spelling import words_of
from abigen.model.version import Version
from abigen.runner.verify.harness import CallArgument, Harness
from abigen.runner.verify.repro import Buffer, StructInstance, foreign_type

UNWRITTEN = 0xA5
"""Initial value of each byte that a function has to set."""
HANDLE_ROOM = 128
"""Bytes of room for a handle or number that a function stores."""


class HandleValue(msgspec.Struct, frozen=True):
    """A handle that the plugin has made."""

    name: str
    """Of its type."""
    address: int
    empty: int = 0
    """The value for no handle: NULL, or for a number, whose 0 may be a handle, bytes that no function has written."""

    @property
    def is_there(self) -> bool:
        """True if the plugin has given it."""
        return self.address != self.empty


class OutParameter:
    """The place where a function stores a result: zero at first, with room for any handle or number."""

    def __init__(self, name: str = "", size: int = 0) -> None:
        """Make room for it.

        Args:
            name: of the handle's type, or of the parameter when it is a number.
            size: of a handle that is a number, in bytes.
        """
        self.name = name
        self.empty = int.from_bytes(bytes([UNWRITTEN]) * size, "little")
        self._room = ctypes.create_string_buffer(HANDLE_ROOM)
        self.address = ctypes.addressof(self._room)
        ctypes.memset(self.address, UNWRITTEN, size)

    def value(self, type: type[ctypes.c_void_p] | type[ctypes.c_int64] | type[ctypes.c_int32]) -> int:
        """Return the stored bytes as a number of a type."""
        return int(type.from_buffer(self._room).value or 0)


class Arguments(msgspec.Struct):
    """The arguments of a call without status objects, and the memory that was made for it."""

    values: list[CallArgument] = msgspec.field(default_factory=list)
    structs: list[StructInstance] = msgspec.field(default_factory=list)
    """Structs that are new; those that the plugin is to fill, and those of the core's that lead there."""
    buffers: list[tuple[str, Buffer]] = msgspec.field(default_factory=list)
    """Memory that is new and no struct, each with the parameter that leads to it."""
    handles: list[OutParameter] = msgspec.field(default_factory=list)
    numbers: list[OutParameter] = msgspec.field(default_factory=list)
    calls: list[StructInstance] = msgspec.field(default_factory=list)
    """Structs that are a function's only argument, with members for its results."""
    tables: list[OutParameter] = msgspec.field(default_factory=list)
    """Places for pointers to tables that an entry point stores, each named after the struct."""
    ends: bool = False
    """True if the function ends something by its name, so that no object may be made up for it."""
    has_numbers: bool = False
    """True if a plain number was made up."""
    has_examples: bool = False
    """True if the spec gives an example of an argument."""
    missing: str = ""
    """The reason why the function cannot be called; empty if it can."""
    made_up: bool = False
    """True if an argument was made up, so that the function may refuse it rightly."""

    def store(self, result: OutParameter, among: list[OutParameter]) -> bool:
        """Let the function store a result; `among` is one of the lists above."""
        among.append(result)
        self.values.append(result)
        return True


Value = TypeVar("Value")
PARAMETERS = ("Params", "Parameters", "Args", "Arguments", "Options")
"""Suffixes of the names of structs that are valid during one call only."""
_ROOM = 1 << 16
"""Bytes of a buffer that is made up, and that nothing counts."""
_ELEMENTS = 13
"""The number of elements of an array that is made up, if another parameter counts them.

It is odd, so that an array which ends at a page is aligned as its elements are, and not better.
"""
_MOST_INDEXES = 64
"""The largest number of values of an index that a function is called with."""
_ENDING = frozenset({*PAIRS.values(), *ENDS, "cleanup", "free", "close"})
"""Words in the names of functions that end something."""
_TEXT = b"abigen"
_FLOATS = ("float", "double", "long double")
_BYTES = ("void", "char", "signed char", "unsigned char")


class _Wanted(NamedTuple):
    """An argument that has to be chosen."""

    name: str
    type: CType
    example: str = ""
    elements: int | None = None
    """The number of elements behind a pointer; None if nothing counts them."""
    is_output: bool = False
    """True if the function stores a result there."""
    capacity: int | None = None
    """Of a pointer to a count: how many elements another argument has room for; None for all others."""


class ArgumentPlanner:
    """Makes arguments for the functions of one API."""

    def __init__(
        self, harness: Harness, filled: Mapping[str, StructInstance], handles: Mapping[str, HandleValue]
    ) -> None:
        """Make them for a core.

        Args:
            harness: the core.
            filled: structs that the plugin has filled, by name; what is `const` comes from there.
            handles: the handles that the plugin has created, by the names of types.
        """
        self._harness = harness
        self._api = harness.api
        self._filled = filled
        self._handles = handles
        self._number = 0

    def to_call(self, type: FunctionType, *, maker: str = "", number: int = 0) -> Arguments:
        """Choose arguments for a function that makes something, or that only asks about structs.

        Args:
            type: its type.
            maker: the function, `Struct.member`; empty when it only asks, and must not change what is known.
            number: the value for plain numbers of unknown meaning.

        Returns:
            They have a `missing` when something is not there, or when nobody knows what a parameter is for.
        """
        given, self._number = Arguments(), number
        if (struct := self.call_struct(type)) is not None:
            self._fill(struct, given, self._handles)
            given.missing = given.missing or ("" if maker else "it takes a struct of parameters")
            return given
        for wanted, parameter in zip(self._wanted(type, maker), self._parameters(type), strict=True):
            is_known = bool(wanted.example) or wanted.capacity is not None
            if given.missing or (not is_known and self._plan(parameter, given, maker)):
                continue
            if not maker or self._harness.trial.has_own_checks:
                given.missing = _unknown(wanted.name)
            else:
                self._choose(wanted, given, self._handles)
        return given

    def call_struct(self, type: FunctionType) -> Struct | None:
        """Return the struct of arguments and results that is a function's only parameter; None for other functions."""
        if len(type.parameters) != 1 or self._api.is_const_pointer(type.parameters[0].type):
            return None
        struct = self.struct_of(type.parameters[0].type)
        if struct is None or struct.filler is not Party.CORE or not struct.is_versioned:
            return None
        is_plain = all(each.allocated_by is not Party.CORE for each in struct.fields or ())
        return struct if is_plain and struct.name.endswith(PARAMETERS) else None

    def _fill(self, struct: Struct, given: Arguments, handles: Mapping[str, Value]) -> StructInstance:
        """Fill a function's only argument: existing handles, zero for numbers and for optional members.

        What the function has to set holds a pattern before, as memory that nobody has written.
        """
        made = self._harness.new_struct(struct.name)
        given.structs.append(made)
        given.calls.append(made)
        given.values.append(made)
        leading = (struct.size_member, self._api.conventions.extension_field)
        for each in made.layout.fields:
            if not each.name or each.name in leading or each.bit_width is not None:
                continue
            if is_of_plugin(each.field):
                made.fill(each.name, UNWRITTEN)
                continue
            handle = self.handle_of(each.field.type)
            known = handles.get(handle)
            if isinstance(known, HandleValue):
                made.write(each.name, known.address)
            elif made.is_pointer(each.name) and not may_be_left_zero(each.field):
                if not handle and not self._harness.trial.has_own_checks:
                    chosen = Arguments()
                    self._choose(_Wanted(each.name, each.field.type), chosen, self._handles)
                    given.buffers += chosen.buffers
                    made.write(each.name, _address(chosen.values))
                    given.made_up = True
                    if not chosen.missing:
                        continue
                given.missing = given.missing or (
                    f"the plugin has created no {handle}" if handle else _unknown(each.name)
                )
        return made

    def indexes(self, type: FunctionType) -> Sequence[int]:
        """Return the values for a function's parameter that is an index, if the spec states its limit.

        Args:
            type: of the function.

        Returns:
            0 alone for a function without such a parameter; none if nothing is there that an index could name, or if
            the plugin has not told the number yet.
        """
        limits = [self._limit(each.below) for each in type.parameters if each.below]
        return range(min(_MOST_INDEXES, *(each or 0 for each in limits))) if limits else (0,)

    def _limit(self, below: str) -> int | None:
        """Return the limit that an index is less than; None while it is unknown."""
        struct, _, member = below.partition(".")
        if member:
            record = self._filled.get(struct)
            return int(record.read(member)) if record is not None and record.knows(member) else None
        return self._harness.number(below)

    def to_try(
        self,
        type: FunctionType,
        handles: Mapping[str, HandleValue],
        entity: str,
        null: str = "",
        index: int = 0,
    ) -> Arguments:
        """Choose arguments for any other function: the spec's examples, the plugin's objects, and made-up values.

        Args:
            type: its type.
            handles: the handles that the plugin has created, by the names of types.
            entity: the function, `Struct.member` or its name.
            null: a parameter for which NULL is handed over.
            index: for the parameter that is an index, if there is one.

        Returns:
            Those that there are, and why the function cannot be called where one is missing.
        """
        self._number = 0
        given = Arguments(ends=bool(_ENDING & {*words_of(entity.rpartition(".")[2])}))
        if (struct := self.call_struct(type)) is not None:
            self._fill(struct, given, handles)
            return given
        for wanted in self._wanted(type, entity, index):
            if null and wanted.name == null:
                given.values.append(None)
            elif not given.missing:
                self._choose(wanted, given, handles)
        return given

    def _wanted(self, type: FunctionType, entity: str, index: int = 0) -> list[_Wanted]:
        """List the arguments of a function, with the number of elements that each pointer has to lead to."""
        samples = self._harness.trial.latest.samples.get(entity, {})
        parameters = [
            replace(each, example=samples.get(each.name or "", each.example)) for each in self._parameters(type)
        ]
        parameters = [self._with_fact(each, index) for each in parameters]
        places = {each.name: at for at, each in enumerate(parameters)}
        said = {at: places[each.count] for at, each in enumerate(parameters) if each.count in places}
        counts = {**counts_of(parameters, self._api), **said}
        elements = {at: self._count(parameters[at], parameters[of]) for of, at in counts.items()}
        later = {
            at: self._counted_later(each.count) for at, each in enumerate(parameters) if each.count and at not in said
        }
        outputs = next((each.outputs for each in contracts_of(self._api, entity) if each.outputs), ())
        found = []
        for at, each in enumerate(parameters):
            number = elements.get(at, elements.get(counts.get(at, -1), later.get(at)))
            is_count = at in elements
            is_count_behind = is_count and not self._api.is_integer(each.type)
            example = each.example or (str(number) if is_count and not is_count_behind else "")
            is_output = each.name in outputs
            capacity = number if is_count_behind else None
            found.append(
                _Wanted(each.name or "", each.type, example, None if is_count else number, is_output, capacity)
            )
        return found

    def _with_fact(self, parameter: Parameter, index: int) -> Parameter:
        """Return a parameter with the argument that follows from its description in the spec."""
        if parameter.example:
            return parameter
        if parameter.below:
            return replace(parameter, example=str(index))
        if parameter.versions:
            version = self._harness.scenario.version
            values = [(Version(*map(int, release.split("."))), name) for name, release in parameter.versions]
            fitting = [each for each in values if each[0] <= version] or values
            return replace(parameter, example=max(fitting)[1])
        return parameter

    def _counted_later(self, count: str) -> int:
        """Return the number of elements that another function is going to use, or that is always the same."""
        if count.isdecimal():
            return int(count)
        path, _, name = count.rpartition(".")
        example = self._harness.trial.latest.samples.get(path, {}).get(name, "")
        struct, _, member = path.rpartition(".")
        field = self._api.structs[struct].member(member) if struct in self._api.structs else None
        type = self._api.function_behind(field.type) if field is not None else None
        said = next((each.example for each in type.parameters if each.name == name), "") if type is not None else ""
        number = number_of(example or said)
        return number if isinstance(number, int) else _ELEMENTS

    def _count(self, count: Parameter, pointer: Parameter) -> int:
        """Return how many elements an array has: by the examples of its count or of the array, else a few."""
        number = number_of(count.example) if count.example else None
        if isinstance(number, int) and number >= 0:
            return number
        return len(self._content(pointer.type, pointer.example)) if pointer.example else _ELEMENTS

    def _content(self, pointer: CType, text: str) -> bytes:
        """Return the bytes of a text in a spec: UTF-8 for characters; for bytes one for each character up to U+00FF."""
        target = self._target(pointer)
        is_text = target is not None and self._harness.layouts.resolve(target) == Basic("char")
        return text.encode("utf-8" if is_text or any(ord(each) > 0xFF for each in text) else "latin-1")

    def _choose(self, wanted: _Wanted, given: Arguments, handles: Mapping[str, HandleValue]) -> None:
        """Choose one argument and add it; `given.missing` has the reason if there is none."""
        resolved, target = self._harness.layouts.resolve(wanted.type), self._target(wanted.type)
        handle = self.handle_of(wanted.type)
        if wanted.capacity is not None and target is not None:
            size = self._harness.layouts.size_of(target)
            given.values.append(self._buffer(wanted, given, size, wanted.capacity.to_bytes(size, "little"), size))
        elif wanted.example:
            given.has_examples = True
            given.values.append(self._example(wanted, given, is_text=target is not None))
        elif handle:
            given.missing = "" if handle in handles else f"the plugin has created no {handle}"
            given.values.append(handles.get(handle))
        elif target is not None and self._point(wanted, target, given):
            given.made_up = True
        elif target is not None:
            pass  # it is planned, or there is a reason why not
        elif isinstance(resolved, EnumType):
            given.values.append(next((each.value for each in self._api.enums[resolved.key].enumerators or ()), 0))
            given.made_up = True
        elif isinstance(resolved, Basic):
            words = {*words_of(wanted.name)}
            is_float, counts = resolved.name in _FLOATS, bool(words & (COUNT_WORDS | SIZE_WORDS))
            given.values.append(1.0 if is_float else int(counts) or self._number)
            given.has_numbers |= not (is_float or counts)
            given.made_up = True
        elif isinstance(resolved, RecordType):
            made = foreign_type(resolved, self._harness.layouts)
            assert made is not None
            assert issubclass(made, ctypes.Structure)
            given.values.append(made())
            given.made_up = True
        else:
            given.missing = _unknown(wanted.name)

    def _point(self, wanted: _Wanted, target: CType, given: Arguments) -> bool:
        """Choose where a pointer leads; True if the argument is made up."""
        plain, struct = self._harness.layouts.resolve(target), self.struct_of(wanted.type)
        function = self._api.callback(wanted.type)
        if function is not None:
            name, type = wanted.name, function
            answer = self._harness.core_side.ok(type, name)
            given.values.append(self._harness.closure(type, lambda *_: answer))
            return True
        known = self._handles.get(self.handle_of(target))
        if known is not None and self._api.is_const(target):
            made = self._buffer(wanted, given, 8 * (wanted.elements or 1), b"", 8)
            made.point_to([known.address] * (wanted.elements or 1))
            given.values.append(made)
            return True
        if self.handle_of(target):  # the function stores one there
            given.values.append(self._buffer(wanted, given, HANDLE_ROOM))
            return True
        if struct is not None:
            return self._point_to_struct(wanted, struct, given)
        if isinstance(plain, Pointer) and wanted.is_output:
            given.values.append(
                self._buffer(wanted, given, HANDLE_ROOM if wanted.elements is None else 8 * wanted.elements)
            )
            return True
        if isinstance(plain, Pointer):
            given.values.append(self._pointers(wanted, plain, given))
            return True
        size = 1 if plain == Basic("void") else self._harness.layouts.size_of(plain)
        if isinstance(plain, Basic) and plain.name == "char" and self._api.is_const(target) and wanted.elements is None:
            given.values.append(self._buffer(wanted, given, 0, b"abigen\0", 1))
            return True
        if isinstance(plain, Basic) and plain.name == "char" and self._api.is_const(target) and self._api.is_vendors:
            elements = wanted.elements or 0  # a text that is counted has no NUL behind it
            given.values.append(self._buffer(wanted, given, elements, (_TEXT * elements)[:elements], 1))
            return True
        words = {*words_of(wanted.name)}
        is_room = self._api.is_integer(target) and bool(words & (COUNT_WORDS | SIZE_WORDS))
        content = (_ROOM // 16).to_bytes(size, "little") if is_room and size > 1 else b""
        room = _ROOM if wanted.elements is None else wanted.elements * size
        given.values.append(self._buffer(wanted, given, room, content, size))
        return True

    def _point_to_struct(self, wanted: _Wanted, struct: Struct, given: Arguments) -> bool:
        """Choose a struct that a pointer leads to; True if it is made up."""
        known = self._filled.get(struct.name)
        if struct.name == self._api.conventions.returned.record.struct:
            given.values.append(self._harness.new_struct(struct.name))
            return False
        is_object = struct.fields is not None and struct.filler is not Party.CORE
        if given.ends and known is None and is_object and not self._api.is_const_pointer(wanted.type):
            given.missing = f"no function has created a {struct.name}"
            return False
        if known is not None:
            given.values.append(known)
            return False
        if struct.fields is None:
            if self._api.handle_of(wanted.type) is None:
                given.missing = _unknown(wanted.name)
                return False
            made = self._buffer(wanted, given, _ROOM)  # of the core's, which only passes through
            self._begin_object(wanted.type, made)
            given.values.append(made)
            return True
        if wanted.elements is not None and not struct.is_versioned:
            room = wanted.elements * self._harness.layouts.of(struct.name).size
            given.values.append(self._buffer(wanted, given, room))
        else:
            given.values.append(self.new(struct.name, given))
        return True

    def _begin_object(self, type: CType, made: Buffer) -> None:
        """Let an object of the core's begin with what the spec says: a table, or the function that finds others."""
        typedef = self._api.object_of(type)
        begins_with = typedef.begins_with if typedef is not None else ""
        if begins_with in self._api.structs:
            made.point_to([self.new(begins_with, Arguments()).address])
        elif begins_with in self._api.functions:
            made.point_to([self._harness.core_side.exported(self._api.functions[begins_with])])

    def _pointers(self, wanted: _Wanted, pointer: Pointer, given: Arguments) -> Buffer:
        """Return an array of pointers, each to a text or to some room, with NULL behind the last one."""
        target, count = self._harness.layouts.resolve(pointer.target), wanted.elements or _ELEMENTS
        is_text = target == Basic("char")
        inner = [
            self._buffer(wanted, given, 0 if is_text else _ROOM, b"abigen\0" if is_text else b"") for _ in range(count)
        ]
        made = self._buffer(wanted, given, 8 * (count + (wanted.elements is None)), b"", 8)
        made.point_to([each.address for each in inner])
        return made

    def _buffer(
        self, wanted: _Wanted, given: Arguments, size: int, content: bytes = b"", alignment: int = 16
    ) -> Buffer:
        made = self._harness.new_buffer(f"`{wanted.name}`", size, content, alignment)
        given.buffers.append((wanted.name, made))
        return made

    def _example(self, wanted: _Wanted, given: Arguments, *, is_text: bool) -> CallArgument:
        """Return the example of a spec."""
        if is_text and wanted.example == "NULL":
            return None
        if is_text:
            content = self._content(wanted.type, wanted.example)
            ended = content if wanted.elements is not None else content + b"\0"
            return self._buffer(wanted, given, wanted.elements or 0, ended, 1)
        number = number_of(wanted.example)
        if number is not None:
            is_float = self._harness.layouts.resolve(wanted.type) in tuple(map(Basic, _FLOATS))
            return float(wanted.example) if is_float else number
        try:
            return float(wanted.example)
        except ValueError:
            return self._harness.number(wanted.example)

    def to_end(self, type: FunctionType, known: Mapping[str, Value]) -> list[Value] | None:
        """Choose arguments for a function that destroys an object; integers, such as a reason, are 0.

        Args:
            type: its type.
            known: the objects, by the names of handles and structs; those to be destroyed come first.

        Returns:
            None when something is not there.
        """
        if (argument := self.call_struct(type)) is not None:
            given = Arguments()
            made = self._fill(argument, given, known)
            return None if given.missing else [made]  # type: ignore[list-item]
        values: list[Value] = []
        for each in self._parameters(type):
            handle, struct = self.handle_of(each.type), self.struct_of(each.type)
            value = known.get(handle or (struct.name if struct else ""))
            if value is None and not (self._api.is_vendors and self._api.holds_whole_numbers(each.type) and not handle):
                return None
            values.append(0 if value is None else value)  # type: ignore[arg-type]
        return values

    def to_begin(self, entry: Function, null: Collection[str] = ()) -> Arguments:
        """Choose arguments for an entry point: new structs, the core's version, and made-up values.

        Args:
            entry: the function.
            null: parameters for which NULL is handed over.
        """
        given, type = Arguments(), entry.type
        index = self._harness.scenario.settings.get(f"{entry.name}.{entry.listed_by}", 0)
        for wanted, parameter in zip(self._wanted(type, entry.name), self._parameters(type), strict=True):
            stored = self._stored(parameter.type) if wanted.is_output else None
            if parameter.name == entry.listed_by and entry.listed_by:
                given.values.append(index)
                continue
            if stored is not None:
                given.store(OutParameter(stored.name), given.tables)
                continue
            handle = self.handle_of(self._target(parameter.type)) if wanted.is_output else ""
            if handle:
                given.store(OutParameter(handle), given.handles)
                continue
            struct, part = self.struct_of(parameter.type), parameter.version_part
            if parameter.name in null:
                given.values.append(None)
            elif part:
                given.values.append(int(getattr(self._harness.scenario.version, part)))
            elif struct is not None and struct.fields is not None:
                record = self._api.conventions.returned.record.struct
                is_error = bool(record) and struct.name == record
                given.values.append(self._harness.new_struct(record) if is_error else self.new(struct.name, given))
            elif not given.missing:
                self._choose(wanted, given, self._handles)
        return given

    def _stored(self, type: CType) -> Struct | None:
        """Return the struct of the plugin's that a pointer to a pointer leads to; None for other types."""
        target = self._target(type)
        struct = self.struct_of(target) if target is not None else None
        return struct if struct is not None and struct.fields is not None else None

    def handle_of(self, type: CType | None) -> str:
        """Return the name of the handle that a type is, if the plugin defines it; empty for others."""
        handle = self._api.object_of(type) if type is not None else None
        return handle.name if handle is not None and handle.defined_by is not Party.CORE else ""

    def struct_of(self, type: CType) -> Struct | None:
        """Return the struct that a type points to; None for others."""
        target = self._target(type)
        return self._api.struct_of(target) if target is not None else None

    def _parameters(self, type: FunctionType) -> Iterable[Parameter]:
        """Return the parameters of a function, except those for status objects."""
        return (each for each in type.parameters if not self._api.is_status(each.type))

    def _target(self, type: CType) -> CType | None:
        """Return the pointee of a type; None if it is no pointer."""
        plain = self._api.resolve(type)
        return plain.target if isinstance(plain, Pointer) else None

    def _plan(self, parameter: Parameter, given: Arguments, maker: str) -> bool:
        """Plan one argument; return false if that is not possible, see `to_call`."""
        target, struct = self._target(parameter.type), self.struct_of(parameter.type)
        handle = self._api.typedefs.get(self.handle_of(target)) if maker else None
        if handle is not None:
            plain = self._harness.layouts.resolve(handle.type)
            size = self._harness.layouts.size_of(plain) if isinstance(plain, Basic) else 0
            return handle.create in ("", maker) and given.store(OutParameter(handle.name, size), given.handles)
        if struct is not None:
            known = self._filled.get(struct.name)
            if not self._api.is_const_pointer(parameter.type):
                may_fill = struct.fields is not None and (struct.is_versioned or struct.filler is not Party.CORE)
                known = self.new(struct.name, given) if may_fill and (maker or known is None) else None
            if known is not None:
                given.values.append(known)
            return known is not None
        resolved = self._harness.layouts.resolve(target) if target is not None else None
        is_number = isinstance(resolved, Basic) and resolved.name not in ("void", "char")
        if target is None or self._api.is_const(target) or not is_number:
            return False
        return given.store(OutParameter(parameter.name or ""), given.numbers)

    def new(self, key: str, given: Arguments) -> StructInstance:
        """Return a new struct; what core fills is filled, and what core allocates for it is there."""
        made = self._harness.new_struct(key)
        given.structs.append(made)
        if made.struct.filler is not Party.CORE:
            return made
        version, settings = self._harness.scenario.version, self._harness.scenario.settings
        for member in made.struct.fields or ():
            target, setting = self.struct_of(member.type), settings.get(f"{key}.{member.name}")
            if setting is not None:
                made.write(member.name, setting)
            elif member.version_part:
                made.write(member.name, int(getattr(version, member.version_part)))
            elif target is not None and target.is_versioned and _is_handed_over(member, target):
                made.write(member.name, self.new(target.name, given).address)
        self._harness.core_side.fill(made)
        return made


def _is_handed_over(member: Field, target: Struct) -> bool:
    """True if the core passes an object in a member, for the plugin to fill."""
    return member.allocated_by is Party.CORE or is_of_plugin(member) or target.filler is Party.PLUGIN


def _unknown(name: str) -> str:
    """Say that an argument cannot be made up, and where the owner of the API can give one."""
    return f"the value of `{name}` is not known; state it under `verify: calls:` in the spec"


def _address(values: list[CallArgument]) -> int:
    """Return the first value as a pointer's bits."""
    value = values[0] if values else 0
    if isinstance(value, int):
        return value
    return int(getattr(value, "address", 0)) or int(ctypes.cast(value, ctypes.c_void_p).value or 0)  # type: ignore[arg-type]
