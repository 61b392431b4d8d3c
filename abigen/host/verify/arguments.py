"""What functions of a plugin are to be given, as far as their types and the spec tell."""

from __future__ import annotations

import ctypes
from collections.abc import Collection, Iterable, Mapping
from typing import TypeVar

import msgspec

from abigen.host.verify.harness import CallArgument, Harness
from abigen.host.verify.struct_memory import StructInstance
from abigen.model.contract import Party
from abigen.model.counts import COUNT_WORDS, SIZE_WORDS
from abigen.model.ctype import Basic, CType, EnumType, FunctionType, Parameter, Pointer
from abigen.model.entities import Field, Handle, Struct
from abigen.model.evaluate import number_of
from abigen.model.identifiers import words_of
from abigen.model.roles import is_of_plugin, may_be_left_zero

Value = TypeVar("Value")
PARAMETERS = ("Params", "Parameters", "Args", "Arguments", "Options")
"""How the names of structs end that are there for one call only."""
UNWRITTEN = 0xA5
"""What each byte holds that a function has to set."""
_ROOM = 1 << 16
"""Bytes of a buffer that is made up."""


class HandleValue(msgspec.Struct, frozen=True):
    """A handle that the plugin has made."""

    name: str
    """Of its type."""
    address: int


class OutParameter:
    """Where a function stores a result: zero at first, with room for any handle or number."""

    def __init__(self, name: str = "") -> None:
        """Make room for it.

        Args:
            name: of the handle's type, or of the parameter when it is a number.
        """
        self.name = name
        self._room = ctypes.create_string_buffer(64)
        self.address = ctypes.addressof(self._room)

    def value(self, type: type[ctypes.c_void_p] | type[ctypes.c_int64] | type[ctypes.c_int32]) -> int:
        """What was stored, as a number of a type."""
        return int(type.from_buffer(self._room).value or 0)


class Arguments(msgspec.Struct):
    """What a call is given, without status objects, and what of it is new."""

    values: list[CallArgument] = msgspec.field(default_factory=list)
    structs: list[StructInstance] = msgspec.field(default_factory=list)
    """Structs that are new; those that the plugin is to fill, and those of core's that lead there."""
    handles: list[OutParameter] = msgspec.field(default_factory=list)
    numbers: list[OutParameter] = msgspec.field(default_factory=list)
    calls: list[StructInstance] = msgspec.field(default_factory=list)
    """Structs that are all that a function takes, with room for what it gives."""
    missing: str = ""
    """Why the function cannot be called."""
    made_up: bool = False
    """Whether a value is among them of which nobody has said that it is right."""

    def store(self, result: OutParameter, among: list[OutParameter]) -> bool:
        """Let the function store a result; `among` is one of the lists above."""
        among.append(result)
        self.values.append(result)
        return True


class ArgumentPlanner:
    """Makes arguments for the functions of one API."""

    def __init__(
        self, harness: Harness, filled: Mapping[str, StructInstance], handles: Mapping[str, HandleValue]
    ) -> None:
        """Make them for a core.

        Args:
            harness: the core.
            filled: structs that the plugin has filled, by name; what is `const` comes from there.
            handles: what the plugin has made, by the names of types.
        """
        self._harness = harness
        self._api = harness.api
        self._filled = filled
        self._handles = handles

    def to_call(self, type: FunctionType, *, maker: str = "") -> Arguments | None:
        """Arguments for a function that makes something, or that only asks about structs and stores what it answers.

        Args:
            type: its type.
            maker: the function, `Struct.member`; empty when it only asks, and must not change what is known.

        Returns:
            None when something is not there, or when nobody knows what a parameter is for.
        """
        given = Arguments()
        if (struct := self.call_struct(type)) is not None:
            self._fill(struct, given, self._handles)
            return given if maker and not given.missing else None
        return given if all(self._plan(each, given, maker) for each in self._parameters(type)) else None

    def call_struct(self, type: FunctionType) -> Struct | None:
        """The struct that is all that a function takes, and that has room for what it gives; None for others."""
        if len(type.parameters) != 1 or self._api.is_const_pointer(type.parameters[0].type):
            return None
        struct = self.struct_of(type.parameters[0].type)
        if struct is None or struct.filler is not Party.CORE or not struct.is_versioned:
            return None
        is_plain = all(each.allocated_by is not Party.CORE for each in struct.fields or ())
        return struct if is_plain and struct.name.endswith(PARAMETERS) else None

    def _fill(self, struct: Struct, given: Arguments, handles: Mapping[str, Value]) -> StructInstance:
        """Fill a function's only argument: handles that are there, zero for numbers and for what may be left out.

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
                given.missing = given.missing or (
                    f"the plugin has made no {handle}" if handle else f"nobody knows what `{each.name}` is to be"
                )
        return made

    def to_try(self, type: FunctionType, handles: Mapping[str, HandleValue], null: str = "") -> Arguments:
        """Arguments for any other function: the spec's examples, what the plugin has made, and what is made up.

        Args:
            type: its type.
            handles: what the plugin has made, by the names of types.
            null: a parameter for which NULL is handed over.

        Returns:
            Those that there are, and why the function cannot be called where one is missing.
        """
        given = Arguments()
        if (struct := self.call_struct(type)) is not None:
            self._fill(struct, given, handles)
            return given
        for parameter in self._parameters(type):
            if null and parameter.name == null:
                given.values.append(None)
            elif not given.missing and not self._try(parameter, given, handles):
                name = f"`{parameter.name}`" if parameter.name else "an argument"
                given.missing = f"nobody knows what {name} is to be"
        return given

    def _try(self, parameter: Parameter, given: Arguments, handles: Mapping[str, HandleValue]) -> bool:
        """Choose one argument; whether that is possible, see `to_try`."""
        resolved, target = self._harness.layouts.resolve(parameter.type), self._target(parameter.type)
        plain = self._harness.layouts.resolve(target) if target is not None else None
        handle, struct = self.handle_of(parameter.type), self.struct_of(parameter.type)
        if parameter.example:
            given.values.append(self._example(parameter.example, is_text=target is not None))
        elif handle:
            given.missing = "" if handle in handles else f"the plugin has made no {handle}"
            given.values.append(handles.get(handle))
        elif struct is not None:
            known = self._filled.get(struct.name)
            if known is None and struct.fields is None:
                return False
            given.values.append(known if known is not None else self._new(struct.name, given))
            given.made_up |= known is None
        elif isinstance(resolved, EnumType):
            given.values.append(next((each.value for each in self._api.enums[resolved.key].enumerators or ()), 0))
            given.made_up = True
        elif isinstance(resolved, Basic):
            words = {*words_of(parameter.name or "")}
            given.values.append(
                1.0
                if resolved.name in ("float", "double", "long double")
                else int(bool(words & (COUNT_WORDS | SIZE_WORDS)))
            )
            given.made_up = True
        elif isinstance(plain, Basic) and plain.name == "char" and self._api.is_const(target or plain):
            given.values.append(ctypes.create_string_buffer(b"abigen"))
            given.made_up = True
        elif isinstance(plain, Basic):
            given.values.append(ctypes.create_string_buffer(_ROOM))
            given.made_up = True
        else:
            return False
        return True

    def _example(self, text: str, *, is_text: bool) -> CallArgument:
        """What a spec gives as an example."""
        number = number_of(text)
        if is_text:
            return ctypes.create_string_buffer(text.encode())
        return number if number is not None else self._harness.value_of(text)

    def to_end(self, type: FunctionType, known: Mapping[str, Value]) -> list[Value] | None:
        """Arguments for a function that takes something down.

        Args:
            type: its type.
            known: what there is, by the names of handles and structs, what is to be taken down first.

        Returns:
            None when something is not there.
        """
        if (argument := self.call_struct(type)) is not None:
            given = Arguments()
            made = self._fill(argument, given, known)
            return None if given.missing else [made]  # type: ignore[list-item]
        structs = ((self.handle_of(each.type), self.struct_of(each.type)) for each in self._parameters(type))
        values = [known.get(handle or (struct.name if struct else "")) for handle, struct in structs]
        return None if None in values else [each for each in values if each is not None]

    def to_begin(self, type: FunctionType, null: Collection[str] = ()) -> Arguments | None:
        """Arguments for an entry point: new structs, and core's version; None when it takes something else.

        Args:
            type: its type.
            null: parameters for which NULL is handed over.
        """
        given = Arguments()
        for parameter in self._parameters(type):
            struct, part = self.struct_of(parameter.type), parameter.version_part
            if parameter.name in null:
                given.values.append(None)
            elif part:
                given.values.append(int(getattr(self._harness.scenario.version, part)))
            elif struct is not None and struct.fields is not None:
                given.values.append(self._new(struct.name, given))
            else:
                return None
        return given

    def handle_of(self, type: CType | None) -> str:
        """The name of the handle that a type is, when the plugin defines it; empty for others."""
        handle = self._api.handle_of(type) if type is not None else None
        return handle.name if handle is not None and handle.defined_by is not Party.CORE else ""

    def struct_of(self, type: CType) -> Struct | None:
        """The struct that a type points to, None for others."""
        target = self._target(type)
        return self._api.struct_of(target) if target is not None else None

    def _parameters(self, type: FunctionType) -> Iterable[Parameter]:
        """The parameters of a function, those for status objects aside."""
        return (each for each in type.parameters if not self._api.is_status(each.type))

    def _target(self, type: CType) -> CType | None:
        """What a type points to; None when it is no pointer."""
        plain = self._api.resolve(type)
        return plain.target if isinstance(plain, Pointer) else None

    def _plan(self, parameter: Parameter, given: Arguments, maker: str) -> bool:
        """Plan one argument; whether that is possible, see `to_call`."""
        target, struct = self._target(parameter.type), self.struct_of(parameter.type)
        handle = self._api.typedefs.get(self.handle_of(target)) if maker else None
        if isinstance(handle, Handle):
            return handle.create in ("", maker) and given.store(OutParameter(handle.name), given.handles)
        if struct is not None:
            known = self._filled.get(struct.name)
            if not self._api.is_const_pointer(parameter.type):
                may_fill = struct.fields is not None and (struct.is_versioned or struct.filler is not Party.CORE)
                known = self._new(struct.name, given) if may_fill and (maker or known is None) else None
            given.values.append(known)
            return known is not None
        resolved = self._harness.layouts.resolve(target) if target is not None else None
        is_number = isinstance(resolved, Basic) and resolved.name not in ("void", "char")
        if target is None or self._api.is_const(target) or not is_number:
            return False
        return given.store(OutParameter(parameter.name or ""), given.numbers)

    def _new(self, key: str, given: Arguments) -> StructInstance:
        """A new struct; what core fills is filled, and what core allocates for it is there."""
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
                made.write(member.name, self._new(target.name, given).address)
        return made


def _is_handed_over(member: Field, target: Struct) -> bool:
    """Whether core hands over an object in a member, for the plugin to fill."""
    return member.allocated_by is Party.CORE or is_of_plugin(member) or target.filler is Party.PLUGIN
