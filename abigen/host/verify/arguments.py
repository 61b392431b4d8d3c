"""What functions of a plugin are to be given, as far as their types and the spec tell."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from abigen.host.verify.harness import CallArgument, Harness
from abigen.host.verify.struct_memory import StructInstance
from abigen.host.verify.trial import version_part
from abigen.model.contract import Party
from abigen.model.ctype import Basic, CType, FunctionType, NamedType, Parameter, Pointer, Qualified
from abigen.model.entities import Field, Handle, Struct

_ROOM = 64


class HandleValue:
    """A handle that the plugin has made."""

    def __init__(self, name: str, address: int) -> None:
        """Keep the value of a handle of a type."""
        self.name = name
        self.address = address


class OutParameter:
    """Where a function stores a result."""

    def __init__(self, name: str) -> None:
        """Make room for it, zero at first.

        Args:
            name: of the handle's type, or of the parameter when it is a number.
        """
        self.name = name
        self._room = ctypes.create_string_buffer(_ROOM)
        self.address = ctypes.addressof(self._room)

    def value(self, type: type[ctypes.c_void_p] | type[ctypes.c_int64] | type[ctypes.c_int32]) -> int:
        """What was stored, as a number of a type."""
        return int(type.from_buffer(self._room).value or 0)


@dataclass
class Arguments:
    """What a call is given, without status objects, and what of it is new."""

    values: list[CallArgument] = field(default_factory=list)
    structs: list[StructInstance] = field(default_factory=list)
    """Structs that are new; those that the plugin is to fill, and those of core's that lead there."""
    handles: list[OutParameter] = field(default_factory=list)
    numbers: list[OutParameter] = field(default_factory=list)


@dataclass(frozen=True)
class Stock:
    """What there is to be passed: structs that the plugin has filled, and its handles, by name."""

    structs: Mapping[str, StructInstance]
    handles: Mapping[str, HandleValue]


class ArgumentPlanner:
    """Makes arguments for the functions of one API."""

    def __init__(self, harness: Harness) -> None:
        """Make them for a core."""
        self._harness = harness
        self._api = harness.api

    def to_make(self, entity: str, type: FunctionType, stock: Stock) -> Arguments | None:
        """Arguments for a function that makes something.

        Args:
            entity: the function, `Struct.member`.
            type: its type.
            stock: what there is; structs that are `const` come from there, others are new.

        Returns:
            None when something is not there, or when nobody knows what a parameter is for.
        """
        given = Arguments()
        for parameter in self._parameters(type):
            handle = self.handle_of(self._target(parameter.type))
            struct = self.struct_of(parameter.type)
            if handle:
                typedef = self._api.typedefs[handle]
                if not isinstance(typedef, Handle) or typedef.create not in ("", entity):
                    return None
                given.handles.append(OutParameter(handle))
                given.values.append(given.handles[-1])
            elif struct is not None:
                is_const = self._api.is_const_pointer(parameter.type)
                found = stock.structs.get(struct.name) if is_const else self._fillable(struct, given)
                if found is None:
                    return None
                given.values.append(found)
            elif not self._number(parameter, given):
                return None
        return given

    def to_ask(self, type: FunctionType, stock: Stock) -> Arguments | None:
        """Arguments for a function that only asks about structs, and stores what it answers; None as in `to_make`."""
        given = Arguments()
        for parameter in self._parameters(type):
            struct = self.struct_of(parameter.type)
            if struct is not None:
                is_const = self._api.is_const_pointer(parameter.type)
                known = stock.structs.get(struct.name)
                if known is not None and not is_const:
                    return None
                found = known if is_const else self._fillable(struct, given)
                if found is None:
                    return None
                given.values.append(found)
            elif not self._number(parameter, given):
                return None
        return given

    def to_end(self, type: FunctionType, own: Stock, stock: Stock) -> list[CallArgument] | None:
        """Arguments for a function that takes something down.

        Args:
            type: its type.
            own: what is to be taken down.
            stock: what else there is.

        Returns:
            None when something is not there.
        """
        values: list[CallArgument] = []
        for parameter in self._parameters(type):
            struct, handle = self.struct_of(parameter.type), self.handle_of(parameter.type)
            found: CallArgument = None
            if handle:
                found = own.handles.get(handle) or stock.handles.get(handle)
            elif struct is not None:
                found = own.structs.get(struct.name) or stock.structs.get(struct.name)
            if found is None:
                return None
            values.append(found)
        return values

    def to_begin(self, type: FunctionType) -> Arguments | None:
        """Arguments for an entry point: new structs, and core's version; None when it takes something else."""
        given = Arguments()
        for parameter in self._parameters(type):
            struct, part = self.struct_of(parameter.type), version_part(parameter)
            if part is not None:
                given.values.append(int(getattr(self._harness.scenario.version, part)))
            elif struct is not None and struct.fields is not None:
                given.values.append(self._new(struct.name, given))
            else:
                return None
        return given

    def handle_of(self, type: CType | None) -> str:
        """The name of the handle that a type is, when the plugin defines it; empty for others."""
        plain = type.type if isinstance(type, Qualified) else type
        by_pointer = not isinstance(plain, Pointer)
        if isinstance(plain, Pointer):
            plain = plain.target.type if isinstance(plain.target, Qualified) else plain.target
        typedef = self._api.typedefs.get(plain.name) if isinstance(plain, NamedType) else None
        if not isinstance(typedef, Handle) or typedef.by_pointer != by_pointer or typedef.defined_by == Party.CORE:
            return ""
        return typedef.name

    def struct_of(self, type: CType) -> Struct | None:
        """The struct that a type points to, None for others."""
        target = self._target(type)
        return self._api.struct_of(target) if target is not None else None

    def _parameters(self, type: FunctionType) -> Iterator[Parameter]:
        """The parameters of a function, those for status objects aside."""
        return (each for each in type.parameters if not self._api.is_status(each.type))

    def _target(self, type: CType) -> CType | None:
        """What a type points to; None when it is no pointer."""
        plain = self._api.resolve(type)
        return plain.target if isinstance(plain, Pointer) else None

    def _number(self, parameter: Parameter, given: Arguments) -> bool:
        """Make room for a number that is stored through a pointer; whether the parameter is such."""
        target = self._target(parameter.type)
        if target is None or self._api.is_const(target):
            return False
        resolved = self._harness.layouts.resolve(target)
        if not isinstance(resolved, Basic) or resolved.name in ("void", "char"):
            return False
        given.numbers.append(OutParameter(parameter.name or ""))
        given.values.append(given.numbers[-1])
        return True

    def _fillable(self, struct: Struct, given: Arguments) -> StructInstance | None:
        """A new struct, if core could have any reason to hand one over."""
        if struct.fields is None or not (struct.is_versioned or struct.filler is not Party.CORE):
            return None
        return self._new(struct.name, given)

    def _new(self, key: str, given: Arguments) -> StructInstance:
        """A new struct; what core fills is filled, and what core allocates for it is there."""
        made = self._harness.new_struct(key)
        given.structs.append(made)
        if made.struct.filler is not Party.CORE:
            return made
        version = self._harness.scenario.version
        for member in made.struct.fields or ():
            target = self.struct_of(member.type)
            if member.version_part:
                made.write(member.name, int(getattr(version, member.version_part)))
            elif target is not None and target.is_versioned and _is_handed_over(member, target):
                made.write(member.name, self._new(target.name, given).address)
        return made


def _is_handed_over(member: Field, target: Struct) -> bool:
    """Whether core hands over an object in a member, for the plugin to fill."""
    by_others = member.filler in (Party.PLUGIN, Party.BOTH)
    return member.allocated_by is Party.CORE or by_others or target.filler is Party.PLUGIN
