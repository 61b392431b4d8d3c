"""The life of a plugin as far as its spec alone tells it: what can be made from what, and how it ends.

Core begins with the entry point. From then on whatever is a function in a struct that the plugin has filled, whose
name begins with a word for making and whose arguments are there, is called, until nothing new comes of it; then
everything is taken down again in the opposite order.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from abigen.host.verify.record import Record
from abigen.host.verify.setting import filled_by, is_versioned, set_by
from abigen.host.verify.trace import StoppedError
from abigen.model.ctype import Basic, CType, FunctionType, NamedType, Parameter, Pointer, Qualified
from abigen.model.entities import Field, Handle, Struct

if TYPE_CHECKING:
    from abigen.host.verify.stage import Argument, Reply, Stage

PAIRS = {"create": "destroy", "new": "delete", "make": "free", "open": "close", "acquire": "release", "init": "deinit"}
"""How functions that make something begin, and those that end it."""

PARAMETERS = ("Params", "Parameters", "Args", "Arguments", "Options")
"""How the names of structs end that are there for one call only."""


class Handled:
    """A handle that the plugin has made."""

    def __init__(self, name: str, address: int) -> None:
        """Keep the value of a handle of a type."""
        self.name = name
        self.address = address


@dataclass(frozen=True)
class Made:
    """What one call has made."""

    entity: str
    table: Record
    member: str
    destroy: str
    """The member of the same table that takes it down; empty when there is none."""
    records: tuple[Record, ...]
    """Those that the plugin has filled, and those of core's that led it there."""
    handles: tuple[Handled, ...]
    reply: Reply


@dataclass
class _Arguments:
    """What a call is given, and what of it is new."""

    values: list[Argument] = field(default_factory=list)
    records: list[Record] = field(default_factory=list)
    slots: list[tuple[str, ctypes.Array[ctypes.c_char]]] = field(default_factory=list)
    numbers: list[ctypes.Array[ctypes.c_char]] = field(default_factory=list)


class Life:
    """What one plugin has been asked for, and what it has given."""

    def __init__(self, stage: Stage) -> None:
        """Begin with nothing."""
        self.stage = stage
        self.records: dict[str, Record] = {}
        """Structs that the plugin has filled, by their keys; the first one of each kind."""
        self.handles: dict[str, Handled] = {}
        self.made: list[Made] = []
        self.entered: list[Record] = []
        """What the entry point was given."""
        self.filled: list[tuple[str, Record]] = []
        """All structs that were handed to the plugin to be filled, with the function that was to do it."""
        self.handed: list[tuple[str, Record, bytes]] = []
        """All structs that were handed to the plugin, and what was in them before it was called."""
        self.strict = False
        """Whether nobody may touch what has ended: parameters after their call, structs after they were destroyed."""
        self._endings: list[tuple[str, Field, int, Record]] = []

    def begin(self) -> Reply:
        """Load the plugin and call its entry point.

        Raises:
            StoppedError: there is no plugin or no entry point.
        """
        self.stage.load()
        return self.enter()

    def enter(self) -> Reply:
        """Call the entry point of a plugin that is loaded."""
        stage = self.stage
        given = _Arguments()
        for parameter in stage.plan.entry.type.parameters:
            if not stage.is_status(parameter.type):
                given.values.append(self._new_for_entry(parameter, given))
        self._hand_over(stage.plan.entry.name, given.records)
        reply = stage.enter(given.values)
        self.entered = given.records
        if not self.refused(reply):
            self._take(stage.plan.entry.name, [*given.records, *self._returned(stage.plan.entry.type, reply)])
        self._end_parameters(given.records)
        return reply

    def start(self) -> Life:
        """Load the plugin and call its entry point, which has to go well.

        Raises:
            StoppedError: it did not.
        """
        reply = self.begin()
        if self.refused(reply):
            raise StoppedError(f"{self.stage.plan.entry.name} does not accept {self.stage.setting.name}")
        return self

    def refused(self, reply: Reply) -> bool:
        """Whether the entry point has refused: by its status; without one by a pointer that is NULL, by a truth value
        that is false, or by any other number that is not 0."""
        type = self.stage.plan.entry.type
        if any(self.stage.is_status(each.type) for each in type.parameters):
            return not reply.ok
        result = self.stage.layouts.resolve(type.result)
        if result == Basic("void"):
            return False
        return bool(reply.value) != (isinstance(result, Pointer) or result == Basic("_Bool"))

    def _returned(self, type: FunctionType, reply: Reply) -> list[Record]:
        """The struct that a function has returned a pointer to, if it has."""
        struct = self.struct_of(type.result)
        if struct is None or struct.fields is None or not reply.value:
            return []
        return [Record(struct.name, self.stage.layouts, at=int(reply.value))]

    def create_all(self) -> None:
        """Call everything that makes something, as far as that is possible."""
        done: set[str] = set()
        while True:
            steps = [step for step in self._makers() if step[1] not in done]
            if not steps:
                return
            table, entity, member, type = steps[0]
            done.add(entity)
            self._make(table, entity, member, type)

    def query_all(self) -> Iterator[tuple[str, Reply]]:
        """Call everything that only asks, once."""
        for table, entity, member, type in self._functions():
            word = member.partition("_")[0]
            if word in PAIRS or word in PAIRS.values() or self._ends_a_handle(entity):
                continue
            given = self._plan(entity, type, making=False)
            if given is not None:
                yield entity, self.stage.call(table, member, *given.values)
                self._take(entity, given.records)

    def destroy_all(self) -> None:
        """Take everything down again, the last first."""
        for made in reversed(self.made):
            self.destroy(made)
        self.made.clear()
        for entity, member, address, record in reversed(self._endings):
            if address:
                self.stage.call_address(entity, self.stage.function_type(member.type), address, [record])
            if self.strict and not record.retired:
                self.stage.retire(record)
        self._endings.clear()

    def destroy(self, made: Made) -> None:
        """Take one thing down again, if there is a function for that and nothing in its way."""
        if not made.destroy or not made.table.has(made.destroy):
            return
        member = made.table.field(made.destroy)
        assert member is not None
        own = {record.struct.name: record for record in made.records}
        own_handles = {handle.name: handle for handle in made.handles}
        values: list[Argument] = []
        for parameter in self.stage.function_type(member.type).parameters:
            if self.stage.is_status(parameter.type):
                continue
            record, handle = self.struct_of(parameter.type), self.handle_of(parameter.type)
            if handle:
                values.append(own_handles.get(handle) or self.handles.get(handle))
            elif record is not None:
                values.append(own.get(record.name) or self.records.get(record.name))
            else:
                values.append(None)
        if None in values:
            return
        self.stage.call(made.table, made.destroy, *values)
        for ended in made.records if self.strict else ():
            if ended.is_cores and not ended.retired:
                self.stage.retire(ended)
        for each in made.handles:
            if self.handles.get(each.name) is each:
                del self.handles[each.name]
        for ended in made.records:
            if self.records.get(ended.name) is ended:
                del self.records[ended.name]

    def repeat(self, made: Made) -> Made | None:
        """Make the same thing once more, beside the first."""
        field = made.table.field(made.member)
        assert field is not None
        return self._make(made.table, made.entity, made.member, self.stage.function_type(field.type), keep=False)

    def handle_of(self, type: CType) -> str:
        """The name of the plugin's handle that a type is; empty for others."""
        return self._handle(type)

    def struct_of(self, type: CType) -> Struct | None:
        """The struct that a type points to, None for others."""
        plain = self.stage.layouts.resolve(type)
        return self.stage.api.struct_of(plain.target) if isinstance(plain, Pointer) else None

    def _makers(self) -> Iterator[tuple[Record, str, str, FunctionType]]:
        """Functions that make something and whose arguments are there."""
        for table, entity, member, type in self._functions():
            making = member.partition("_")[0] in PAIRS or any(
                isinstance(each, Handle) and each.create == entity for each in self.stage.api.typedefs.values()
            )
            if making and self._plan(entity, type, making=True) is not None:
                yield table, entity, member, type

    def _functions(self) -> Iterator[tuple[Record, str, str, FunctionType]]:
        """All functions that the plugin has put into structs so far."""
        for record in list(self.records.values()):
            for each in record.layout.fields:
                if self.stage.is_function(each.field.type) and record.has(each.name) and not record.retired:
                    entity = f"{record.name}.{each.name}"
                    yield record, entity, each.name, self.stage.function_type(each.field.type)

    def _make(self, table: Record, entity: str, member: str, type: FunctionType, *, keep: bool = True) -> Made | None:
        """Call a function that makes something, and remember what it has made."""
        given = self._plan(entity, type, making=True)
        if given is None:
            return None
        self._hand_over(entity, given.records)
        reply = self.stage.call(table, member, *given.values)
        handles = tuple(Handled(name, int.from_bytes(slot.raw[:8], "little")) for name, slot in given.slots)
        word, _, rest = member.partition("_")
        ending = f"{PAIRS[word]}_{rest}" if word in PAIRS else ""
        for handle in handles:
            typedef = self.stage.api.typedefs[handle.name]
            assert isinstance(typedef, Handle)
            ending = typedef.destroy.rpartition(".")[2] or ending
        records = given.records
        made = Made(entity, table, member, ending if table.field(ending) else "", tuple(records), handles, reply)
        if keep:
            self.made.append(made)
            for handle in handles:
                if handle.address:
                    self.handles.setdefault(handle.name, handle)
            if reply.ok:
                self._take(entity, records)
        self._end_parameters(records)
        return made

    def _hand_over(self, entity: str, records: list[Record]) -> None:
        """Remember what is in structs before the plugin gets them."""
        self.handed += [(entity, record, record.content()) for record in records]

    def _end_parameters(self, records: list[Record]) -> None:
        """Let nobody touch what was only a call's parameters."""
        for record in records if self.strict else ():
            if filled_by(record.struct, self.stage.api) == "core" and record.name.endswith(PARAMETERS):
                self.stage.retire(record)

    def _take(self, entity: str, records: list[Record]) -> None:
        """Remember structs that the plugin has filled."""
        for record in records:
            if filled_by(record.struct, self.stage.api) == "plugin" or not record.is_cores:
                self.records.setdefault(record.struct.name, record)
                self.filled.append((entity, record))
        for record in records:
            for each in record.layout.fields:
                if each.field.destroy and record.field(each.field.destroy) is not None:
                    ending = record.field(each.field.destroy)
                    target = next((other for other in records if other.address == record.read(each.name)), None)
                    if ending is not None and target is not None:
                        name = f"{record.name}.{ending.name}"
                        self._endings.append((name, ending, int(record.read(ending.name)), target))

    def _plan(self, entity: str, type: FunctionType, *, making: bool) -> _Arguments | None:
        """Arguments for a function; None when some are not there, or nobody knows what they would be."""
        given, api = _Arguments(), self.stage.api
        for parameter in type.parameters:
            if self.stage.is_status(parameter.type):
                continue
            struct, handle, slot = self.struct_of(parameter.type), self._handle(parameter.type), ""
            plain = self.stage.layouts.resolve(parameter.type)
            if isinstance(plain, Pointer):
                slot = self._handle(plain.target)
            if slot and making:
                typedef = api.typedefs[slot]
                if not isinstance(typedef, Handle) or typedef.create not in ("", entity):
                    return None
                given.slots.append((slot, ctypes.create_string_buffer(64)))
                given.values.append(given.slots[-1][1])
            elif handle and not making and handle in self.handles:
                given.values.append(self.handles[handle])
            elif struct is not None and isinstance(plain, Pointer):
                record = self._argument(struct, given, is_const=_is_const(plain.target), making=making)
                if record is None:
                    return None
                given.values.append(record)
            elif isinstance(plain, Pointer) and not _is_const(plain.target) and _is_number(self.stage, plain.target):
                given.numbers.append(ctypes.create_string_buffer(64))
                given.values.append(given.numbers[-1])
            else:
                return None
        return given

    def _argument(self, struct: Struct, given: _Arguments, *, is_const: bool, making: bool) -> Record | None:
        """A struct for a call: one that is there, or a new one that is to be filled or that leads to such."""
        if is_const:
            return self.records.get(struct.name)
        is_plain = not is_versioned(struct, self.stage.api) and filled_by(struct, self.stage.api) != "plugin"
        if struct.fields is None or is_plain or (not making and struct.name in self.records):
            return None
        return self._new(struct.name, given)

    def _new_for_entry(self, parameter: Parameter, given: _Arguments) -> Argument:
        struct = self.struct_of(parameter.type)
        if struct is None or struct.fields is None:
            raise StoppedError(f"nobody knows what {self.stage.plan.entry.name} is to be given as {parameter.name}")
        return self._new(struct.name, given)

    def _new(self, key: str, given: _Arguments) -> Record:
        """A new struct; what core fills is filled, and what core allocates for it is there."""
        record = self.stage.record(key)
        given.records.append(record)
        version = self.stage.setting.version
        parts = {"major": version.major, "minor": version.minor, "patch": version.patch}
        if filled_by(record.struct, self.stage.api) != "core":
            return record
        for each in record.layout.fields:
            target = self.struct_of(each.field.type)
            if each.field.version_part:
                record.write(each.name, parts[each.field.version_part])
            elif target is not None and is_versioned(target, self.stage.api) and self._is_filled(each.field, record):
                record.write(each.name, self._new(target.name, given).address)
        return record

    def _is_filled(self, field: Field, record: Record) -> bool:
        """Whether core hands over an object in a member, for the plugin to fill."""
        struct = self.struct_of(field.type)
        others = set_by(field, record.struct, self.stage.api) in ("plugin", "both")
        return (
            field.allocated_by == "core"
            or others
            or (struct is not None and filled_by(struct, self.stage.api) == "plugin")
        )

    def _handle(self, type: CType) -> str:
        """The name of the handle that a type is, when the plugin defines it; empty for others."""
        plain = type.type if isinstance(type, Qualified) else type
        by_pointer = True
        if isinstance(plain, Pointer):
            plain = plain.target.type if isinstance(plain.target, Qualified) else plain.target
            by_pointer = False
        if not isinstance(plain, NamedType):
            return ""
        typedef = self.stage.api.typedefs.get(plain.name)
        found = isinstance(typedef, Handle) and typedef.by_pointer == by_pointer and typedef.defined_by != "core"
        return plain.name if found else ""

    def _ends_a_handle(self, entity: str) -> bool:
        handles = (each for each in self.stage.api.typedefs.values() if isinstance(each, Handle))
        return any(entity in (each.create, each.destroy) for each in handles)


def _is_const(type: CType) -> bool:
    return isinstance(type, Qualified) and "const" in type.qualifiers


def _is_number(stage: Stage, type: CType) -> bool:
    """Whether a type is a number that can be written to; characters are text."""
    resolved = stage.layouts.resolve(type)
    return isinstance(resolved, Basic) and resolved.name not in ("void", "char")
