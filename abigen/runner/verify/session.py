"""Calls the functions of a plugin in the order that its spec implies.

The session begins with the entry point. Then it calls each function in the structs that the plugin filled, if its name
begins with a word for creating and its arguments are available, until nothing new appears. At the end it destroys all
objects in the opposite order.
"""

from __future__ import annotations

import ctypes
from collections.abc import Collection, Iterator, Mapping, Sequence

import msgspec

from abigen.model.contract import ENDS, PAIRS, QUESTIONS, Party
from abigen.model.ctype import Basic, FunctionType, Pointer
from abigen.model.entities import Callback, Field, Function, Struct, Typedef
from abigen.model.roles import contracts_of, enders, is_of_plugin, makers, order_of_calls
from abigen.model.spelling import words_of
from abigen.runner.verify.arguments import PARAMETERS, UNWRITTEN, ArgumentPlanner, Arguments, HandleValue, OutParameter
from abigen.runner.verify.harness import (
    MOST_ARGUMENTS,
    MOST_RESTORED,
    CallArgument,
    Harness,
    Reply,
    Routine,
    StoredArgument,
    is_repeatable,
)
from abigen.runner.verify.repro import StructInstance
from abigen.workspace.process import StoppedError

_DEEPEST = 3
"""The largest number of structs that lead to a table of functions."""
_VERBS = frozenset({*PAIRS, *PAIRS.values(), *ENDS, *QUESTIONS})
_READY = frozenset({"init", "initialize", "open", "connect", "activate", "start", "prepare", "setup", "configure"})
"""Words in the names of functions that make an object ready for use."""


class OfferedFunction(msgspec.Struct, frozen=True):
    """A function that the plugin has put into a struct, or that its library exports."""

    name: str
    """Of the member, or of the exported function."""
    type: FunctionType
    table: StructInstance | None = None
    """The struct; None for an exported function."""
    exported: Function | None = None
    words: tuple[tuple[str, ...], str, tuple[str, ...]] = ((), "", ())
    """The words of its name before the verb, the verb, and those behind it: `XY_OpenFile` is `xy`, `open`, `file`."""

    @property
    def entity(self) -> str:
        """Its name in findings."""
        return f"{self.table.name}.{self.name}" if self.table is not None else self.name

    @property
    def verb(self) -> str:
        """The verb in its name."""
        return self.words[1]

    @property
    def ends(self) -> bool:
        """True if it ends something, by its name."""
        return self.verb in (*PAIRS.values(), *ENDS)


class Creation(msgspec.Struct, frozen=True):
    """The objects that one call has made."""

    maker: OfferedFunction
    destroy: OfferedFunction | None
    """The function that takes it down; None when there is none."""
    structs: tuple[StructInstance, ...]
    """Structs that the plugin has filled, and structs of the core that lead to them."""
    handles: tuple[HandleValue, ...]
    reply: Reply
    made_up: bool = False
    """True if arguments were made up, so that an error may be right."""

    @property
    def entity(self) -> str:
        """The function that has made it."""
        return self.maker.entity

    @property
    def is_whole(self) -> bool:
        """True if the call reported no error, and gave all of its handles."""
        return self.reply.ok and all(each.is_there for each in self.handles)


class OfferedFunctions:
    """The functions that a plugin offers; objects that it creates may add more."""

    def __init__(
        self,
        harness: Harness,
        structs: dict[str, StructInstance],
        handles: Mapping[str, HandleValue],
        filled: list[tuple[str, StructInstance]],
    ) -> None:
        """Look into the structs and handles that the plugin has given; tables that are found are added to them."""
        self._harness = harness
        self._structs = structs
        self._handles = handles
        self._filled = filled

    def all(self) -> Iterator[OfferedFunction]:
        """Yield all functions of the plugin that are known so far: in structs, and exported ones besides the first.

        For an API with checks of its own, these know how exported functions are called.
        """
        for record in list(self._structs.values()):
            if not record.retired:
                yield from self._in_table(record, _DEEPEST)
        for handle in list(self._handles.values()):
            typedef = self._harness.api.typedefs[handle.name]
            begins_with = typedef.begins_with
            if begins_with in self._harness.api.structs and begins_with not in self._structs and handle.address:
                address = ctypes.c_void_p.from_address(handle.address).value
                if address:
                    record = StructInstance(begins_with, self._harness.layouts, at=address)
                    self._structs[begins_with] = record
                    self._filled.append((typedef.create or typedef.name, record))
                    yield from self._in_table(record, _DEEPEST)
        for function in self._harness.api.functions.values():
            is_own = function.in_api and function.implemented_by is Party.PLUGIN and not function.static
            is_left = self._harness.trial.has_own_checks or self._harness.trial.is_entry(function.name)
            if is_own and not is_left and self._harness.exports(function):
                yield OfferedFunction(function.name, function.type, None, function, self._words_of(function.name))

    def preparing(self, maker: OfferedFunction) -> list[OfferedFunction]:
        """Return the functions that make an object ready for use, if the spec names the functions to call."""
        api = self._harness.api
        calls = [each.calls for each in api.typedefs.values() if each.create == maker.entity]
        calls += [each.calls for each in api.structs.values() if maker.entity in (each.create, each.begin)]
        ready = [name for names in calls for name in names if _READY & {*words_of(name.rpartition(".")[2])}]
        return [each for each in self.all() if each.entity in ready]

    def using(self) -> list[OfferedFunction]:
        """Return the functions that use an object by the spec, as often as a core likes."""
        api = self._harness.api
        objects: list[Typedef | Struct] = [*api.typedefs.values(), *api.structs.values()]
        named = {name for each in objects for name in each.calls}
        return [
            each
            for each in self.all()
            if each.entity in named and not _READY & {*words_of(each.name)} and not each.ends
        ]

    @property
    def once(self) -> frozenset[str]:
        """The functions that the core calls once, before or after all others."""
        conventions = self._harness.api.conventions
        return frozenset({conventions.first_call, conventions.last_call} - {""})

    def is_maker(self, function: OfferedFunction) -> bool:
        """True if a function makes something: by the spec, by its name, or because it returns a new handle."""
        if function.entity in makers(self._harness.api):
            return True
        if function.entity in self.once or function.entity in order_of_calls(self._harness.api):
            return False
        if self._harness.api.is_vendors:
            return False
        if function.verb in PAIRS:
            return True
        handle = self._harness.api.handle_of(function.type.result) if not self._harness.trial.has_own_checks else None
        if (
            handle is None
            or handle.defined_by is Party.CORE
            or handle.create
            or handle.name == self._harness.api.conventions.returned.error
        ):
            return False
        return function.verb not in QUESTIONS

    def agreed(self, function: OfferedFunction) -> tuple[Field | Callback | Function, ...]:
        """Return the contracts of a function: of the member or function, and of the callback that is its type."""
        key = f"{function.table.struct.name}.{function.name}" if function.table is not None else function.name
        return contracts_of(self._harness.api, key)

    def address_of(self, function: OfferedFunction) -> int:
        """Return the address of a function in its table or library."""
        if function.table is not None:
            return int(function.table.read(function.name))
        assert function.exported is not None
        return self._harness.address_of(function.exported)

    def _words_of(self, name: str) -> tuple[tuple[str, ...], str, tuple[str, ...]]:
        """Return `OfferedFunction.words`; the first word is the verb where none is known, or the API has own checks."""
        if self._harness.trial.has_own_checks:
            verb, _, rest = name.partition("_")
            return (), verb, tuple(rest.split("_"))
        words = words_of(name)
        at = next((at for at, word in enumerate(words) if word in _VERBS), 0)
        return words[:at], words[at] if words else "", words[at + 1 :]

    def _in_table(self, record: StructInstance, depth: int) -> Iterator[OfferedFunction]:
        """Yield the functions in a struct, in the structs in it, and in the tables to which it points."""
        for each in record.layout.fields:
            if each.bit_width is not None or not each.name:
                continue
            type = self._harness.api.callback(each.field.type)
            if type is not None and record.has(each.name):
                yield OfferedFunction(each.name, type, record, None, self._words_of(each.name))
            inner = self._harness.api.struct_of(each.field.type)
            pointee = self._harness.api.pointee(each.field.type)
            if self._harness.trial.has_own_checks or not depth or type is not None or not record.knows(each.name):
                continue
            if inner is not None and inner.fields and not inner.is_union:
                at = StructInstance(inner.name, self._harness.layouts, at=record.address + each.offset)
                yield from self._in_table(at, depth - 1)
            elif pointee is not None and pointee.filler is Party.PLUGIN and record.read(each.name):
                members = pointee.fields or ()
                if pointee.name not in self._structs and any(self._harness.api.callback(one.type) for one in members):
                    at = StructInstance(pointee.name, self._harness.layouts, at=int(record.read(each.name)))
                    self._structs[pointee.name] = at
                    yield from self._in_table(at, depth - 1)


_OTHER_NUMBERS = (1, 64)
"""Values to try for plain numbers where a function refuses 0."""


class Session:
    """The state of testing one plugin: its structs, its handles, and the objects that it has created."""

    def __init__(self, harness: Harness) -> None:
        """Begin with nothing."""
        self.harness = harness
        self.structs: dict[str, StructInstance] = {}
        """Structs that the plugin has filled, by their keys; the first one of each kind."""
        self.handles: dict[str, HandleValue] = {}
        self.made: list[Creation] = []
        self.filled: list[tuple[str, StructInstance]] = []
        """The structs that the plugin received to be filled, with the function that should fill each."""
        self.parameters: list[tuple[str, StructInstance]] = []
        """The structs of the core that the plugin has written to, with the function that received each."""
        self.handed: list[tuple[str, StructInstance, bytes]] = []
        """The structs that the plugin received, with their bytes before the call."""
        self.strict = False
        """True if ended memory is inaccessible: parameters after their call, structs after they were destroyed."""
        self.offered = OfferedFunctions(harness, self.structs, self.handles, self.filled)
        self._planner = ArgumentPlanner(harness, self.structs, self.handles)
        self.counts: dict[str, int] = {}
        """The numbers of the plugin's objects, by one word: `device`."""
        self.unwritten: dict[str, str] = {}
        """Members of what calls have given, `Struct.member`, that the function did not set, each with its name."""
        self._endings: list[tuple[str, FunctionType, int, StructInstance]] = []
        self._missing: dict[str, str] = {}
        """Functions that could not be called, each with the reason."""
        self._called: set[str] = set()
        self._numbers: dict[str, int] = {}
        """Functions that refuse 0 for plain numbers, each with the number that it took."""
        self._structs_by_index: dict[tuple[str, int], StructInstance] = {}
        """Structs that the plugin has filled for an index, by their names and the index."""
        self._refused: dict[str, str] = {}
        """Handles that nothing has made so far, each with the function that has refused to."""

    def begin(self, null: Collection[str] = ()) -> Reply:
        """Load the plugin and call its entry point, with NULL for some parameters.

        Raises:
            StoppedError: there is no plugin or no entry point.
        """
        self.harness.load()
        return self.enter(null)

    def enter(self, null: Collection[str] = ()) -> Reply:
        """Call the entry point of a plugin that is loaded."""
        if self.harness.trial.first is None:
            return self._begin_with_data()
        entry = self.harness.trial.entry
        given = self._planner.to_begin(entry, null)
        if given.missing:
            raise StoppedError(f"{entry.name} cannot be called: {given.missing}")
        self._hand_over(entry.name, given.structs)
        reply = self.harness.enter(given.values)
        if not self.refused(reply):
            stored = [each for each in map(self._stored, given.tables) if each is not None]
            self._take(entry.name, [*given.structs, *self._returned(entry.type, reply), *stored])
            for each in given.handles:
                if address := each.value(ctypes.c_void_p):
                    self.handles.setdefault(each.name, HandleValue(each.name, address))
            self._call_once(self.harness.api.conventions.first_call)
        self._end_parameters(given.structs)
        return reply

    def list_one(self, index: int) -> bool:
        """Call an entry point that lists tables with an index; return True if there is one."""
        entry = self.harness.trial.entry
        given = self._planner.to_begin(entry)
        names = [each.name for each in entry.type.parameters if not self.harness.api.is_status(each.type)]
        values = [index if name == entry.listed_by else each for name, each in zip(names, given.values, strict=True)]
        return bool(self.harness.enter(values).value)

    def _begin_with_data(self) -> Reply:
        """Take the tables that the plugin exports as data."""
        for each in self.harness.trial.objects:
            struct = self.harness.api.struct_of(each.type)
            if struct is not None and struct.fields is not None:
                address = self.harness.address_of_object(each)
                self._take(each.name, [StructInstance(struct.name, self.harness.layouts, at=address)])
        self._call_once(self.harness.api.conventions.first_call)
        return Reply(0, 0, "")

    def _stored(self, table: OutParameter) -> StructInstance | None:
        """Return the struct whose address the entry point has stored; None if it has stored none."""
        address = table.value(ctypes.c_void_p)
        return StructInstance(table.name, self.harness.layouts, at=address) if address else None

    def _call_once(self, entity: str) -> None:
        """Call the function that comes before all others, or after them, if the spec names one and it is there."""
        if not entity or entity == self.harness.trial.entry.name:
            return
        function = next((each for each in self.offered.all() if each.entity == entity), None)
        if function is not None:
            given = self._planner.to_try(function.type, self.handles, entity)
            if not given.missing:
                self.call(function, given.values)

    def start(self) -> Session:
        """Load the plugin and call its entry point, which has to go well.

        Raises:
            StoppedError: it did not.
        """
        if self.refused(self.begin()):
            raise StoppedError(f"{self.harness.trial.entry.name} does not accept {self.harness.scenario.name}")
        return self

    def refused(self, reply: Reply) -> bool:
        """True if the entry point has refused core: by its status, or without a status by its result."""
        type = self.harness.trial.entry.type
        if any(self.harness.api.is_status(each.type) for each in type.parameters):
            return bool(reply.code)
        return not reply.ok

    def create_all(self) -> None:
        """Call everything that makes something, as far as that is possible; but nothing of which there is none."""
        done: set[str] = set()
        while True:
            self._count()
            maker = next((each for each in self._makers(done) if self._make(each) is not None), None)
            if maker is None:
                return
            done.add(maker.entity)
            self._prepare(maker)

    def _prepare(self, maker: OfferedFunction) -> None:
        """Call what has to be called with an object before others can be made of it, if the spec has an order."""
        for function in self.offered.preparing(maker):
            for index in self._planner.indexes(function.type):
                given = self._planner.to_try(function.type, self.handles, function.entity, index=index)
                if not given.missing:
                    self.call(function, given.values)

    def query_all(self) -> Iterator[tuple[str, Reply]]:
        """Call everything that only asks about structs, once."""
        for function in self.offered.all():
            given = self._asked(function)
            if given is not None:
                yield function.entity, self.call(function, given.values)
                self._take(function.entity, given.structs)

    def call(self, function: OfferedFunction, values: Sequence[CallArgument]) -> Reply:
        """Call a function of the plugin's; see `Harness.call`."""
        self._called.add(function.entity)
        if function.table is not None:
            reply = self.harness.call(function.table, function.name, *values)
        else:
            assert function.exported is not None
            reply = self.harness.call_exported(function.exported, values)
        self._release_errors(values)
        return reply

    def _release_errors(self, values: Sequence[CallArgument]) -> None:
        """Free the texts of errors that a function has put into the struct for errors, as callers have to."""
        record = self.harness.api.conventions.returned.record
        for each in values if record.release else ():
            if isinstance(each, StructInstance) and each.name == record.struct and each.has(record.release):
                self.harness.call(each, record.release, each)

    def try_all(self, rounds: int = 1) -> Iterator[tuple[str, Reply]]:
        """Call each function that makes and asks nothing; yield replies to arguments that are not made up.

        Functions that end something are called last, and once. Functions that were never called are told of in the
        trace, with the reason.

        Args:
            rounds: the number of calls of each function, with other memory each time.
        """
        for _ in range(rounds):
            waiting, known = list(self._others()), -1
            while waiting:
                is_last, known = len(self.handles) == known, len(self.handles)
                later: list[OfferedFunction] = []
                for each in waiting:
                    yield from self._tried(each, None if is_last else later)
                waiting = later
            self._call_registered()
        for each in self._enders():
            yield from self._tried(each, None)
        endings = {each.destroy.entity for each in self.made if each.destroy is not None and each.is_whole}
        for each in self.offered.all():
            if each.entity not in self._called | endings | self.offered.once:
                reason = self._missing.get(each.entity) or "no object exists that it could destroy"
                self.harness.trace.write(uncalled=each.entity, reason=reason)

    def _call_registered(self) -> None:
        """Call the functions that the plugin has passed to the core, as the core does later."""
        core = self.harness.core_side
        core.answers_null = True
        for entity, (type, address) in () if self.harness.trial.has_own_checks else list(core.registered.items()):
            given = self._planner.to_try(type, self.handles, entity)
            if given.missing:
                self.harness.trace.write(uncalled=entity, reason=given.missing)
            else:
                self.harness.call_address(entity, type, address, given.values)
                self._end_buffers(given, frozenset())
        core.answers_null = False

    def _enders(self) -> list[OfferedFunction]:
        """List the functions that end something which no destroyer ends, for an API without checks of its own."""
        if self.harness.trial.has_own_checks:
            return []
        endings = {each.destroy.entity for each in self.made if each.destroy is not None}
        ends = enders(self.harness.api) | self.offered.once | {*order_of_calls(self.harness.api)}
        return [each for each in self.offered.all() if each.ends and each.entity not in endings | ends]

    def _tried(self, function: OfferedFunction, later: list[OfferedFunction] | None) -> Iterator[tuple[str, Reply]]:
        """Call one of them; a function without all arguments is moved to `later`, since others may return these."""
        entity, possible = function.entity, self._planner.indexes(function.type)
        indexes = [each for each in possible if self._is_called_for(function, each)]
        given = self._planner.to_try(function.type, self.handles, entity, index=indexes[0] if indexes else 0)
        begin = function.table.struct.begin if function.table is not None else ""
        if begin != entity and begin in {made.entity for made in self.made if not made.reply.ok}:
            given.missing = f"{begin} refuses"
        elif not possible:
            given.missing = "its index cannot name an object"
        elif not indexes:
            assert function.exported is not None
            given.missing = f"a core calls it only if {function.exported.only_if}"
        if not given.missing and given.made_up and self.harness.trial.has_own_checks:
            given.missing = "no check of this API calls it"
        if given.missing and later is not None:
            later.append(function)
            return
        if given.missing:
            self._missing[entity] = self._why(given.missing)
            return
        yield from self._tried_with(function, given)
        self._structs_by_index |= {(each.name, indexes[0]): each for each in given.structs}
        for index in indexes[1:]:
            more = self._planner.to_try(function.type, self.handles, entity, index=index)
            if not more.missing:
                yield from self._tried_with(function, more)
                self._structs_by_index |= {(each.name, index): each for each in more.structs}

    def _is_called_for(self, function: OfferedFunction, index: int) -> bool:
        """True if a core calls a function: the spec has no condition, or the plugin has set the member so."""
        condition = function.exported.only_if if function.exported is not None else ""
        path, _, values = condition.partition(" == ")
        struct, _, member = path.partition(".")
        record = self._structs_by_index.get((struct, index)) or self.structs.get(struct)
        if not condition or record is None or not record.knows(member):
            return not condition
        return int(record.read(member)) in map(self.harness.number, values.split(" or "))

    def _tried_with(self, function: OfferedFunction, given: Arguments) -> Iterator[tuple[str, Reply]]:
        """Call one of them with arguments."""
        entity = function.entity
        try:
            reply = self.call(function, given.values)
        except StoppedError as reason:  # an argument that cannot be passed; a function that does not return
            self._missing[entity] = str(reason)
            return
        gives = list(self._stored_handles(entity, given.calls)) if reply.ok else []
        self._end_arguments(function, given)
        if not self._may_be_unwritten(function, given):  # what it gives may be of use to nobody yet
            for each in gives:
                self.handles.setdefault(each.name, each)
            if not given.made_up and (given.has_examples or not self.harness.api.is_vendors):
                yield entity, reply

    def _why(self, missing: str) -> str:
        """Return a reason, with the function that has refused to create the missing object."""
        handle = missing.rpartition(" ")[2]
        if handle not in self._refused:
            return missing
        hint = "state its arguments under `verify: calls:` in the spec"
        return f"{missing}: {self._refused[handle]} refuses generated arguments; {hint}"

    def _end_arguments(self, function: OfferedFunction, given: Arguments) -> None:
        """Make texts and buffers inaccessible after the call, if `strict` and if the function does not retain them.

        Without a word about it, a pointer is valid during the call only.
        """
        self._end_buffers(given, frozenset(name for each in self.offered.agreed(function) for name in each.retains))

    def _end_buffers(self, given: Arguments, retained: Collection[str]) -> None:
        """Make texts and buffers inaccessible, if `strict`, except of parameters with one of these names."""
        if self.strict and not self.harness.trial.has_own_checks:
            for name, each in given.buffers:
                if name not in retained and not each.retired:
                    self.harness.retire(each)

    def _stored_handles(self, entity: str, calls: Sequence[StructInstance]) -> Iterator[HandleValue]:
        """Yield the handles that a call has stored in its struct, alone or first in a list; note unset members."""
        for record in calls:
            for name, each in record.members():
                content = record.bytes_of(each.name) if is_of_plugin(each.field) and each.name else b""
                if not content:
                    continue
                if content == bytes([UNWRITTEN]) * len(content):
                    if not each.field.contract.is_optional:
                        self.unwritten.setdefault(name, entity)
                    continue
                address, type = int(record.read(each.name)), self.harness.layouts.resolve(each.field.type)
                if not isinstance(type, Pointer) or not address:
                    continue
                handle, first = self._planner.handle_of(each.field.type), self._planner.handle_of(type.target)
                if handle:
                    yield HandleValue(handle, address)
                elif first and record.field(f"num_{each.name}") and record.read(f"num_{each.name}"):
                    yield HandleValue(first, ctypes.c_void_p.from_address(address).value or 0)

    def _may_be_unwritten(self, function: OfferedFunction, given: Arguments) -> bool:
        """True if a function takes one struct and is optional: an error may mean that it is not implemented."""
        field = function.table.field(function.name) if function.table is not None else None
        return bool(given.calls) and field is not None and field.contract.is_optional

    def hand_over_null(self) -> Iterator[tuple[str, str, Reply]]:
        """Call the same once for each parameter that may be NULL, which is NULL then, and tell of the same."""
        for each in self._others():
            for name in next((said.nullable for said in self.offered.agreed(each) if said.nullable), ()):
                given = self._planner.to_try(each.type, self.handles, each.entity, name)
                if given.missing or (given.made_up and self.harness.trial.has_own_checks):
                    continue
                reply = self.call(each, given.values)
                if not given.made_up:
                    yield each.entity, name, reply

    @property
    def _error(self) -> str:
        """The type of errors that functions return; empty where they do not."""
        return self.harness.api.conventions.returned.error

    def _others(self) -> Iterator[OfferedFunction]:
        """Yield the functions that neither make nor end anything."""
        ends, destroys = enders(self.harness.api), {each.destroy.entity for each in self.made if each.destroy}
        order = order_of_calls(self.harness.api)
        for each in sorted(self.offered.all(), key=lambda one: order.get(one.entity, -1)):
            is_ordered = each.entity in order
            if each.entity in ends | destroys | self.offered.once or each.name in ends:
                continue
            is_maker = each.verb in PAIRS and not self.harness.api.is_vendors
            if not is_ordered and (each.ends or is_maker):
                continue
            if self.harness.trial.has_own_checks or is_ordered or not self.offered.is_maker(each):
                yield each

    def destroy_all(self) -> None:
        """Take everything down again, the last first."""
        for made in reversed(self.made):
            self.destroy(made)
        self.made.clear()
        self._call_once(self.harness.api.conventions.last_call)
        for entity, type, address, record in reversed(self._endings):
            if address:
                self.harness.call_address(entity, type, address, [record])
            self._retire(record)
        self._endings.clear()

    def destroy(self, made: Creation) -> None:
        """Take one thing down again, if there is a function for that and nothing in its way."""
        if made.destroy is None or any(not each.is_there for each in made.handles):
            return
        known: dict[str, CallArgument] = {**self.structs, **self.handles}
        known |= {each.name: each for each in made.structs} | {each.name: each for each in made.handles}
        values = self._planner.to_end(made.destroy.type, known)
        if values is None:
            return
        self.call(made.destroy, values)
        for ended in made.structs:
            if ended.is_cores:
                self._retire(ended)
            if self.structs.get(ended.name) is ended:
                del self.structs[ended.name]
        for handle in made.handles:
            if self.handles.get(handle.name) is handle:
                del self.handles[handle.name]

    def cycle(self, made: Creation, *, claimed: bool) -> Routine | None:
        """Return a program that creates and destroys the same again; None if nothing destroys it.

        Args:
            made: the created objects.
            claimed: true if no other thread may have the same handles.
        """
        maker = made.maker
        number = self._numbers.get(made.entity, 0)
        given = self._planner.to_call(maker.type, maker=made.entity, number=number)
        many = len(maker.type.parameters) > MOST_ARGUMENTS or self._planner.call_struct(maker.type) is not None
        if made.destroy is None or given.missing or many or not is_repeatable(given.values):
            return None
        handle = self._planner.handle_of(maker.type.result)
        returned = OutParameter(handle) if handle and handle != self._error else None
        handles = [*given.handles, *([returned] if returned is not None else [])]
        known: dict[str, CallArgument | StoredArgument] = {**self.structs, **self.handles}
        known |= {each.name: each for each in given.structs} | {each.name: StoredArgument(each) for each in handles}
        values = self._planner.to_end(made.destroy.type, known)
        if values is None:
            return None
        program = Routine(self.harness)
        buffers = [each for _, each in given.buffers if each.size <= MOST_RESTORED]
        for record in given.structs:
            program.restore(record)
        for buffer in buffers:
            program.restore(buffer)
        address = self.offered.address_of(maker)
        program.function(maker.entity, address, maker.type, given.values, result=returned)
        for slot in handles if claimed else ():
            program.claim(made.entity, slot)
        for slot in handles if claimed else ():
            program.give_up(slot)
        return program.function(made.destroy.entity, self.offered.address_of(made.destroy), made.destroy.type, values)

    def uses(self) -> Iterator[tuple[str, Routine]]:
        """Yield the functions that a core calls again and again, for one object or registered, if they give nothing."""
        functions = [(entity, *function, 0) for entity, function in self.harness.core_side.registered.items()]
        for each in self.offered.using():
            for index in [index for index in self._planner.indexes(each.type) if self._is_called_for(each, index)][:1]:
                functions.append((each.entity, each.type, self.offered.address_of(each), index))
        for entity, type, address, index in functions:
            given = self._planner.to_try(type, self.handles, entity, index=index)
            gives = given.handles or given.structs or isinstance(self.harness.api.resolve(type.result), Pointer)
            if given.missing or gives or len(type.parameters) > MOST_ARGUMENTS or not is_repeatable(given.values):
                continue
            program = Routine(self.harness)
            for buffer in (each for _, each in given.buffers if each.size <= MOST_RESTORED):
                program.restore(buffer)
            yield entity, program.function(entity, address, type, given.values)

    def returns_handle(self, function: OfferedFunction) -> bool:
        """True if the result of a function is a handle of the plugin's, whose NULL is the only way to fail."""
        return self._planner.handle_of(function.type.result) not in ("", self._error)

    def repeat(self, made: Creation) -> Creation | None:
        """Make the same thing once more, beside the first."""
        return self._make(made.maker, keep=False)

    def _makers(self, done: set[str]) -> Iterator[OfferedFunction]:
        """Yield functions that create objects, and that have not done so."""
        for each in self.offered.all():
            counted = "_".join(each.words[2])
            if each.entity not in done and self.offered.is_maker(each) and self.counts.get(counted) != 0:
                yield each

    def _asked(self, function: OfferedFunction) -> Arguments | None:
        """Return arguments for a query function; None for others, and for queries about one of many objects."""
        if function.verb not in QUESTIONS or any(each.below for each in function.type.parameters):
            return None
        given = self._planner.to_call(function.type)
        return None if given.missing else given

    def _count(self) -> None:
        """Read the plugin's counts: if `device_count` is 0, no device is created."""
        for record in self.structs.values():
            for each in record.layout.fields:
                word = _counted(each.name)
                if word and not record.retired and isinstance(self.harness.layouts.resolve(each.field.type), Basic):
                    self.counts[word] = int(record.read(each.name))
        for function in list(self.offered.all()):
            given = self._asked(function)
            word = _counted(given.numbers[0].name) if given is not None and len(given.numbers) == 1 else ""
            if given is not None and word and word not in self.counts:
                reply = self.call(function, given.values)
                self.counts[word] = given.numbers[0].value(ctypes.c_int32) if reply.ok else -1

    def _make(self, maker: OfferedFunction, *, keep: bool = True) -> Creation | None:
        """Call a function that creates objects, and record these; return None if it cannot be called."""
        given = self._planner.to_call(maker.type, maker=maker.entity)
        if given.missing:
            self._missing[maker.entity] = self._why(given.missing)
            return None
        self._missing.pop(maker.entity, None)
        self._hand_over(maker.entity, given.structs)
        reply = self.call(maker, given.values)
        for number in _OTHER_NUMBERS if given.has_numbers and self.harness.api.is_vendors else ():
            if reply.ok:
                break
            given = self._planner.to_call(maker.type, maker=maker.entity, number=number)
            reply = self.call(maker, given.values)
            if reply.ok:
                self._numbers[maker.entity] = number
        handles = [HandleValue(each.name, each.value(ctypes.c_void_p), each.empty) for each in given.handles]
        result = self._planner.handle_of(maker.type.result)
        handles += [HandleValue(result, int(reply.value))] if result and result != self._error else []
        handles += self._stored_handles(maker.entity, given.calls) if reply.ok else ()
        if not reply.ok and self._may_be_unwritten(maker, given):
            return None
        structs = (*given.structs, *self._returned(maker.type, reply))
        made = Creation(maker, self._ending(maker, handles), structs, tuple(handles), reply, given.made_up)
        for each in handles:
            if given.made_up and not each.is_there:
                self._refused.setdefault(each.name, maker.entity)
        if keep:
            self.made.append(made)
            for handle in handles:
                if handle.is_there:
                    self.handles.setdefault(handle.name, handle)
            if reply.ok:
                self._take(maker.entity, structs)
        self._end_parameters(structs)
        self._end_arguments(maker, given)
        return made

    def _ending(self, maker: OfferedFunction, handles: list[HandleValue]) -> OfferedFunction | None:
        """Return the function that destroys the objects of another one; None if there is none.

        The spec names it; otherwise it has the opposite verb, or is the only one that ends and takes just the handle.
        """
        named = {self.harness.api.typedefs[each.name].destroy for each in handles} - {""}
        named |= {
            each.destroy for each in self.harness.api.structs.values() if each.begin == maker.entity and each.destroy
        }
        is_said = self.harness.api.is_vendors
        before, verb, after = maker.words
        opposite = (*before, PAIRS.get(verb, ""), *after)
        found = []
        for each in self.offered.all():
            if each.entity in named:
                return each
            takes = [self._planner.handle_of(parameter.type) for parameter in each.type.parameters]
            is_alone = each.ends and takes == [handle.name for handle in handles]
            is_opposite = words_of(each.name) == opposite and each.table is maker.table
            if not (named or is_said) and (is_opposite or (is_alone and not self.harness.trial.has_own_checks)):
                found.append((not is_opposite, each))
        return min(found, key=lambda each: each[0])[1] if found else None

    def _returned(self, type: FunctionType, reply: Reply) -> list[StructInstance]:
        """Return the struct that a function has returned a pointer to; empty if there is none."""
        struct = self._planner.struct_of(type.result)
        if struct is None or struct.fields is None or not reply.value:
            return []
        return [StructInstance(struct.name, self.harness.layouts, at=int(reply.value))]

    def _hand_over(self, entity: str, records: Sequence[StructInstance]) -> None:
        """Record the contents of structs before the plugin receives them."""
        self.handed += [(entity, record, record.content()) for record in records]

    def _end_parameters(self, records: Sequence[StructInstance]) -> None:
        """Make the structs inaccessible that were only a call's parameters."""
        for record in records:
            if record.struct.filler is Party.CORE and record.name.endswith(PARAMETERS):
                self._retire(record)

    def _retire(self, record: StructInstance) -> None:
        """Make a struct that has ended inaccessible, if `strict`."""
        if self.strict and not record.retired:
            self.harness.retire(record)

    def _take(self, entity: str, records: Sequence[StructInstance]) -> None:
        """Record structs that the plugin has filled, and the functions that will end them."""
        for record in records:
            if record.is_left_out(records) or record.name == self.harness.api.conventions.returned.record.struct:
                continue
            if record.struct.filler is not Party.CORE or not record.is_cores:
                self.structs.setdefault(record.name, record)
                self.filled.append((entity, record))
            else:
                self.parameters.append((entity, record))
            for each in record.layout.fields:
                ending = record.field(each.field.destroy) if each.field.destroy else None
                target = next((other for other in records if ending and other.address == record.read(each.name)), None)
                if ending is not None and target is not None:
                    name, type = f"{record.name}.{ending.name}", self.harness.function_type(ending.type)
                    self._endings.append((name, type, int(record.read(ending.name)), target))


def made_session(harness: Harness) -> Session:
    """Return a session in which the plugin was asked for everything that it can create."""
    session = Session(harness).start()
    session.create_all()
    return session


def _counted(name: str) -> str:
    """Return the word for the counted things: `device` for `visible_device_count`; empty for other names."""
    rest = name.removesuffix("_count")
    return rest.rpartition("_")[2] if rest != name else ""
