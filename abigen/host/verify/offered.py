"""The functions that a plugin offers, in its tables or as exports of its library, and what they have made."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Mapping

import msgspec

from abigen.host.verify.given import HandleValue
from abigen.host.verify.harness import Harness, Reply
from abigen.host.verify.struct_memory import StructInstance
from abigen.model.contract import Party
from abigen.model.ctype import FunctionType
from abigen.model.entities import Callback, Field, Function, Struct, Typedef
from abigen.model.identifiers import words_of
from abigen.model.roles import makers, order_of_calls, sayings
from abigen.model.verbs import ENDS, PAIRS, QUESTIONS

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
        """Its name as a finding has it."""
        return f"{self.table.name}.{self.name}" if self.table is not None else self.name

    @property
    def verb(self) -> str:
        """The word of its name that says what it does."""
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
    """Those that the plugin has filled, and those of core's that led it there."""
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
    """The functions that a plugin offers, which become more with what it makes."""

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
        """Return what makes an object ready for use after its maker, if the spec says what is called with it."""
        api = self._harness.api
        calls = [each.calls for each in api.typedefs.values() if each.create == maker.entity]
        calls += [each.calls for each in api.structs.values() if maker.entity in (each.create, each.begin)]
        ready = [name for names in calls for name in names if _READY & {*words_of(name.rpartition(".")[2])}]
        return [each for each in self.all() if each.entity in ready]

    def using(self) -> list[OfferedFunction]:
        """Return what uses an object by the spec, as often as a core likes."""
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
        """The functions that core calls once, before or after all others."""
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
        """Return what says how a function is called: the member or function, and the callback that is its type."""
        key = f"{function.table.struct.name}.{function.name}" if function.table is not None else function.name
        return sayings(self._harness.api, key)

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
