"""The session of a plugin as far as its spec alone tells it: what can be made from what, and how it ends.

Core begins with the entry point. From then on whatever is a function in a struct that the plugin has filled, whose
name begins with a word for making and whose arguments are there, is called, until nothing new comes of it; then
everything is taken down again in the opposite order.
"""

from __future__ import annotations

import ctypes
from collections.abc import Collection, Iterator, Sequence

import msgspec

from abigen.host.process import StoppedError
from abigen.host.verify.arguments import PARAMETERS, UNWRITTEN, ArgumentPlanner, Arguments, HandleValue
from abigen.host.verify.harness import CallArgument, Harness, Reply
from abigen.host.verify.repetition import MOST_ARGUMENTS, Routine, There
from abigen.host.verify.struct_memory import StructInstance
from abigen.model.contract import Party
from abigen.model.ctype import Basic, FunctionType, Pointer
from abigen.model.entities import Callback, Field, Function, Handle
from abigen.model.roles import enders, is_left_to_plugins, is_of_plugin, makers, sayings
from abigen.model.verbs import ENDS, PAIRS, QUESTIONS


class TableFunction(msgspec.Struct, frozen=True):
    """A function that the plugin has put into a struct."""

    table: StructInstance
    member: str
    type: FunctionType

    @property
    def entity(self) -> str:
        """Its name as a finding has it."""
        return f"{self.table.name}.{self.member}"


class Creation(msgspec.Struct, frozen=True):
    """What one call has made."""

    maker: TableFunction
    destroy: str
    """The member of the same table that takes it down; empty when there is none."""
    structs: tuple[StructInstance, ...]
    """Those that the plugin has filled, and those of core's that led it there."""
    handles: tuple[HandleValue, ...]
    reply: Reply

    @property
    def entity(self) -> str:
        """The function that has made it."""
        return self.maker.entity


class Session:
    """What one plugin has been asked for, and what it has given."""

    def __init__(self, harness: Harness) -> None:
        """Begin with nothing."""
        self.harness = harness
        self.structs: dict[str, StructInstance] = {}
        """Structs that the plugin has filled, by their keys; the first one of each kind."""
        self.handles: dict[str, HandleValue] = {}
        self.made: list[Creation] = []
        self.filled: list[tuple[str, StructInstance]] = []
        """All structs that were handed to the plugin to be filled, with the function that was to do it."""
        self.parameters: list[tuple[str, StructInstance]] = []
        """All structs of core's that the plugin has put something into, with the function that was handed them."""
        self.handed: list[tuple[str, StructInstance, bytes]] = []
        """All structs that were handed to the plugin, and what was in them before it was called."""
        self.strict = False
        """Whether nobody may touch what has ended: parameters after their call, structs after they were destroyed."""
        self._planner = ArgumentPlanner(harness, self.structs, self.handles)
        self.counts: dict[str, int] = {}
        """How many there are of what the plugin counts, by one word: `device`."""
        self.unwritten: dict[str, str] = {}
        """Members of what calls have given, `Struct.member`, that the function did not set, each with its name."""
        self._endings: list[tuple[str, FunctionType, int, StructInstance]] = []

    def begin(self, null: Collection[str] = ()) -> Reply:
        """Load the plugin and call its entry point, with NULL for some parameters.

        Raises:
            StoppedError: there is no plugin or no entry point.
        """
        self.harness.load()
        return self.enter(null)

    def enter(self, null: Collection[str] = ()) -> Reply:
        """Call the entry point of a plugin that is loaded."""
        entry = self.harness.trial.entry
        given = self._planner.to_begin(entry.type, null)
        if given is None:
            raise StoppedError(f"nobody knows what {entry.name} is to be given")
        self._hand_over(entry.name, given.structs)
        reply = self.harness.enter(given.values)
        if not self.refused(reply):
            self._take(entry.name, [*given.structs, *self._returned(entry.type, reply)])
        self._end_parameters(given.structs)
        return reply

    def start(self) -> Session:
        """Load the plugin and call its entry point, which has to go well.

        Raises:
            StoppedError: it did not.
        """
        if self.refused(self.begin()):
            raise StoppedError(f"{self.harness.trial.entry.name} does not accept {self.harness.scenario.name}")
        return self

    def refused(self, reply: Reply) -> bool:
        """Whether the entry point has refused: by its status; without one by its result."""
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

    def query_all(self) -> Iterator[tuple[str, Reply]]:
        """Call everything that only asks about structs, once."""
        for function in self._functions():
            given = self._asked(function)
            if given is not None:
                yield function.entity, self.harness.call(function.table, function.member, *given.values)
                self._take(function.entity, given.structs)

    def try_all(self) -> Iterator[tuple[str, Reply]]:
        """Call what neither makes, asks nor ends anything, once; what reports an error is told if nothing is made up.

        Functions that cannot be called are told of in the trace, with the reason.
        """
        waiting, known = list(self._others()), -1
        while waiting:
            is_last, known = len(self.handles) == known, len(self.handles)
            later: list[TableFunction] = []
            for each in waiting:
                yield from self._tried(each, None if is_last else later)
            waiting = later

    def _tried(self, function: TableFunction, later: list[TableFunction] | None) -> Iterator[tuple[str, Reply]]:
        """Call one of them; what lacks something is put off to `later`, for others may give that, or is told of."""
        entity, given = function.entity, self._planner.to_try(function.type, self.handles)
        if not given.missing and given.made_up and self.harness.trial.has_own_checks:
            given.missing = "no check of this API calls it"
        if given.missing and later is not None:
            later.append(function)
        elif given.missing:
            self.harness.trace.write(uncalled=entity, reason=given.missing)
        else:
            reply = self.harness.call(function.table, function.member, *given.values)
            gives = list(self._given(entity, given.calls)) if reply.ok else []
            if not self._may_be_unwritten(function, given):  # what it gives may be of use to nobody yet
                for each in gives:
                    self.handles.setdefault(each.name, each)
                if not given.made_up:
                    yield entity, reply

    def _given(self, entity: str, calls: Sequence[StructInstance]) -> Iterator[HandleValue]:
        """The handles that a call has stored in its struct, alone or as the first of a list; what it left is noted."""
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

    def _may_be_unwritten(self, function: TableFunction, given: Arguments) -> bool:
        """Whether a plugin need not offer a function of a struct alone, so that an error may say that it does not."""
        field = function.table.field(function.member)
        return bool(given.calls) and field is not None and field.contract.is_optional

    def hand_over_null(self) -> Iterator[tuple[str, str, Reply]]:
        """Call the same once for each parameter that may be NULL, which is NULL then, and tell of the same."""
        for each in self._others():
            agreed = self.agreed(each.table, each.member)
            for name in next((said.nullable for said in agreed if said.nullable), ()):
                given = self._planner.to_try(each.type, self.handles, name)
                if given.missing or (given.made_up and self.harness.trial.has_own_checks):
                    continue
                reply = self.harness.call(each.table, each.member, *given.values)
                if not given.made_up:
                    yield each.entity, name, reply

    def agreed(self, record: StructInstance, member: str) -> tuple[Field | Callback | Function, ...]:
        """What says how a member's function is called: the member, and the callback that is its type."""
        return sayings(self.harness.api, f"{record.struct.name}.{member}")

    @property
    def _error(self) -> str:
        """The type of errors that functions return; empty where they do not."""
        return self.harness.api.conventions.returned.error

    def _others(self) -> Iterator[TableFunction]:
        """Functions that neither make nor end anything."""
        ends = enders(self.harness.api)
        for each in self._functions():
            word = each.member.partition("_")[0]
            if each.entity not in ends and each.member not in ends and word not in (*PAIRS, *PAIRS.values(), *ENDS):
                yield each

    def destroy_all(self) -> None:
        """Take everything down again, the last first."""
        for made in reversed(self.made):
            self.destroy(made)
        self.made.clear()
        for entity, type, address, record in reversed(self._endings):
            if address:
                self.harness.call_address(entity, type, address, [record])
            self._retire(record)
        self._endings.clear()

    def destroy(self, made: Creation) -> None:
        """Take one thing down again, if there is a function for that and nothing in its way."""
        table = made.maker.table
        member = table.field(made.destroy) if made.destroy and table.has(made.destroy) else None
        if member is None:
            return
        known: dict[str, CallArgument] = {**self.structs, **self.handles}
        known |= {each.name: each for each in made.structs} | {each.name: each for each in made.handles}
        values = self._planner.to_end(self.harness.function_type(member.type), known)
        if values is None:
            return
        self.harness.call(table, made.destroy, *values)
        for ended in made.structs:
            if ended.is_cores:
                self._retire(ended)
            if self.structs.get(ended.name) is ended:
                del self.structs[ended.name]
        for handle in made.handles:
            if self.handles.get(handle.name) is handle:
                del self.handles[handle.name]

    def cycle(self, made: Creation, *, claimed: bool) -> Routine | None:
        """The same made and destroyed again, as a program; None when there is nothing that destroys it.

        Args:
            made: what has been made.
            claimed: whether its handles are to be nobody else's.
        """
        table = made.maker.table
        given = self._planner.to_call(made.maker.type, maker=made.entity)
        member = table.field(made.destroy) if made.destroy and table.has(made.destroy) else None
        many = (
            len(made.maker.type.parameters) > MOST_ARGUMENTS or self._planner.call_struct(made.maker.type) is not None
        )
        if member is None or given is None or many or self._planner.handle_of(made.maker.type.result):
            return None
        known: dict[str, CallArgument | There] = {**self.structs, **self.handles}
        known |= {each.name: each for each in given.structs} | {each.name: There(each) for each in given.handles}
        values = self._planner.to_end(self.harness.function_type(member.type), known)
        if values is None:
            return None
        program = Routine(self.harness)
        for record in given.structs:
            program.restore(record)
        program.call(table, made.maker.member, *given.values)
        for slot in given.handles if claimed else ():
            program.claim(made.entity, slot)
        for slot in given.handles if claimed else ():
            program.give_up(slot)
        return program.call(table, made.destroy, *values)

    def repeat(self, made: Creation) -> Creation | None:
        """Make the same thing once more, beside the first."""
        return self._make(made.maker, keep=False)

    def _makers(self, done: set[str]) -> Iterator[TableFunction]:
        """Functions that make something, those aside that have done so."""
        creates = makers(self.harness.api)
        for each in self._functions():
            word, _, rest = each.member.partition("_")
            if each.entity not in done and (word in PAIRS or each.entity in creates) and self.counts.get(rest) != 0:
                yield each

    def _functions(self) -> Iterator[TableFunction]:
        """All functions that the plugin has put into structs so far."""
        for record in list(self.structs.values()):
            for each in record.layout.fields:
                type = self.harness.api.callback(each.field.type)
                if type is not None and not record.retired and record.has(each.name):
                    yield TableFunction(record, each.name, type)

    def _asked(self, function: TableFunction) -> Arguments | None:
        """Arguments for a function that only asks; None for others."""
        asks = function.member.partition("_")[0] in QUESTIONS
        return self._planner.to_call(function.type) if asks else None

    def _count(self) -> None:
        """Find out how many there are of what the plugin counts: of `device_count` nothing is made when it is 0."""
        for record in self.structs.values():
            for each in record.layout.fields:
                word = _counted(each.name)
                if word and not record.retired and isinstance(self.harness.layouts.resolve(each.field.type), Basic):
                    self.counts[word] = int(record.read(each.name))
        for function in list(self._functions()):
            given = self._asked(function)
            word = _counted(given.numbers[0].name) if given is not None and len(given.numbers) == 1 else ""
            if given is not None and word and word not in self.counts:
                reply = self.harness.call(function.table, function.member, *given.values)
                self.counts[word] = given.numbers[0].value(ctypes.c_int32) if reply.ok else -1

    def _make(self, maker: TableFunction, *, keep: bool = True) -> Creation | None:
        """Call a function that makes something, and remember what it has made; None when it cannot be called."""
        given = self._planner.to_call(maker.type, maker=maker.entity)
        if given is None:
            return None
        self._hand_over(maker.entity, given.structs)
        reply = self.harness.call(maker.table, maker.member, *given.values)
        handles = [HandleValue(each.name, each.value(ctypes.c_void_p)) for each in given.handles]
        result = self._planner.handle_of(maker.type.result)
        handles += [HandleValue(result, int(reply.value))] if result and result != self._error else []
        handles += self._given(maker.entity, given.calls) if reply.ok else ()
        if not reply.ok and self._may_be_unwritten(maker, given):
            return None
        structs = (*given.structs, *self._returned(maker.type, reply))
        made = Creation(maker, self._ending(maker, handles), structs, tuple(handles), reply)
        if keep:
            self.made.append(made)
            for handle in handles:
                if handle.address:
                    self.handles.setdefault(handle.name, handle)
            if reply.ok:
                self._take(maker.entity, structs)
        self._end_parameters(structs)
        return made

    def _ending(self, maker: TableFunction, handles: list[HandleValue]) -> str:
        """The member of a table that takes down what another one makes; empty for none."""
        word, _, rest = maker.member.partition("_")
        found = f"{PAIRS[word]}_{rest}" if word in PAIRS and rest else PAIRS.get(word, "")
        for handle in handles:
            typedef = self.harness.api.typedefs[handle.name]
            assert isinstance(typedef, Handle)
            found = typedef.destroy.rpartition(".")[2] or found
        return found if maker.table.field(found) is not None else ""

    def _returned(self, type: FunctionType, reply: Reply) -> list[StructInstance]:
        """The struct that a function has returned a pointer to, if it has."""
        struct = self._planner.struct_of(type.result)
        if struct is None or struct.fields is None or not reply.value:
            return []
        return [StructInstance(struct.name, self.harness.layouts, at=int(reply.value))]

    def _hand_over(self, entity: str, records: Sequence[StructInstance]) -> None:
        """Remember what is in structs before the plugin gets them."""
        self.handed += [(entity, record, record.content()) for record in records]

    def _end_parameters(self, records: Sequence[StructInstance]) -> None:
        """Let nobody touch what was only a call's parameters."""
        for record in records:
            if record.struct.filler is Party.CORE and record.name.endswith(PARAMETERS):
                self._retire(record)

    def _retire(self, record: StructInstance) -> None:
        """Let nobody touch a struct that has ended, if that is what `strict` says."""
        if self.strict and not record.retired:
            self.harness.retire(record)

    def _take(self, entity: str, records: Sequence[StructInstance]) -> None:
        """Remember structs that the plugin has filled, and what will end them."""
        for record in records:
            if _is_left_out(record, records):
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


def _is_left_out(record: StructInstance, records: Sequence[StructInstance]) -> bool:
    """Tell whether a struct is behind an optional member, and the plugin has set nothing in it."""
    held = (
        other.read(each.name) == record.address and each.field.contract.is_optional
        for other in records
        for each in other.layout.fields
        if each.field.allocated_by is Party.CORE
    )
    own = (each.name for each in record.layout.fields if is_left_to_plugins(each.field, record.struct))
    return any(held) and not any(record.read(name) for name in own)


def made_session(harness: Harness) -> Session:
    """A plugin that has been asked for all that it can make."""
    session = Session(harness).start()
    session.create_all()
    return session


def _counted(name: str) -> str:
    """What a number is the count of, as the names of functions have it: `visible_device_count` is of `device`."""
    rest = name.removesuffix("_count")
    return rest.rpartition("_")[2] if rest != name else ""
