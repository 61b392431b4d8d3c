"""The source of a plugin that `abigen verify --host` passes to a host.

Plugins are made from offsets, so that one compiler and no header is enough. They write a line to a file for each call,
and keep pages that nobody may touch behind the structs that are their own. What a host asks for they answer so that it
goes on: one device, much memory, work that is done.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

import msgspec

from abigen.model.api import Api
from abigen.model.contract import Party, ResultKind
from abigen.model.ctype import Array, Basic, CType, EnumType, FunctionType, NamedType, Pointer, RecordType
from abigen.model.entities import Field, Function, Handle, Struct
from abigen.model.layout import Layouts
from abigen.model.roles import is_of_plugin, may_be_left_zero, may_be_null
from abigen.model.span import AbigenError
from abigen.model.target import Target
from abigen.runner.verify.scenario import Scenario
from abigen.workspace.shipped import fill_in

_DONE = re.compile(r"(?i)(_|\b)(ok|success|complete|completed|done|finished|ready)$")
_FAILED = re.compile(r"(?i)(_|\b)(internal|unknown|error)$")
_GONE = re.compile(r"(?i)deleted|destroyed|failed|closed")
_AMOUNT = re.compile(r"(?i)bytes|limit|memory")
_MUCH = 1 << 28
"""The number that a probe gives for a 64-bit number, which is mostly an amount of bytes; for others it gives 1."""


class Probe(msgspec.Struct, frozen=True, kw_only=True):
    """A plugin that the host receives."""

    scenario: Scenario
    """The release that it is of."""
    what: str
    refuses: bool = False
    """True if it refuses the host, as a plugin of another MAJOR does."""
    without: str = ""
    """The optional function that it does not have: `Struct.member`."""
    fails: str = ""
    """The function that fails whenever it is called: `Struct.member`."""


class ProbeValue(msgspec.Struct, frozen=True):
    """A value that a probe returns or stores."""

    kind: str
    """`number`, `text`, `byte`, `function`; `trap`: a function not to be called; `made`: a new handle; `one`: the
    handle of which there is one; `several`: an array with that handle; `own`: a struct of the plugin's, with a page
    behind it that is inaccessible; `given`: the struct that the host has put there is filled; `inner`: so is the one
    in its place; `zero`: a struct without content; `dummy`: memory that the host may write to, and that is never read.
    """
    name: str = "0"
    """The number or the text; or the name of the handle, the struct, or the function."""
    size: int = 0
    """Of a number that is stored, or of a struct, in bytes."""
    alignment: int = 0
    size_at: int | None = None
    """The offset of the size field of an `inner` struct; None for a struct of one size."""


class ProbeStep(msgspec.Struct, frozen=True, kw_only=True):
    """An action of a probe's function on one argument."""

    does: str
    """`refuse`, with a status; `use`, of a handle; `fill` a struct; `put` a value; `store` a number."""
    at: int
    """The index of the argument."""
    name: str = ""
    """Of the function that sets the status, of the handle, or of the struct."""
    number: int = 0
    size: int = 0
    ends: bool = False
    """True if it destroys the handle."""
    may_be_null: bool = False
    offset: int | None = None
    """The offset of the handle in the struct that the argument points to; None if the argument is the handle."""
    value: ProbeValue | None = None


class ProbeFunction(msgspec.Struct, frozen=True):
    """A function of the plugin's."""

    symbol: str
    name: str
    result: str
    parameters: list[str]
    steps: list[ProbeStep]
    value: ProbeValue
    is_entry: bool


class LaterFunction(msgspec.Struct, frozen=True):
    """A function at an offset at which only a later release has one."""

    symbol: str
    name: str


class ProbeMember(msgspec.Struct, frozen=True):
    """A member that is set where there is room for it."""

    offset: int
    end: int
    value: ProbeValue


class Fill(msgspec.Struct, frozen=True, kw_only=True):
    """The values with which a plugin of the probe's release fills a struct."""

    name: str
    size: int
    size_at: int | None
    """The offset of its size field; None for a struct of one size."""
    own_size: int
    members: list[ProbeMember]
    sets_size: bool


class RecordMember(msgspec.Struct, frozen=True):
    """A member of a struct that is passed by value."""

    type: str
    lengths: list[int]
    width: int | None


class Record(msgspec.Struct, frozen=True):
    """A struct that is passed by value."""

    type: str
    is_union: bool
    members: list[RecordMember]


_DUMMY = ProbeValue("dummy")
_TEXT = ProbeValue("text", "PROBE")


class PassedTypes:
    """Spells types of parameters and results so that a compiler passes them as the API's own types are passed."""

    def __init__(self, api: Api, layouts: Layouts) -> None:
        self._api, self._layouts = api, layouts
        self.records: dict[str, Record] = {}
        """The structs that are passed by value, by the spelling of their types."""

    def spelling(self, type: CType) -> str:
        """Return a type of C that is passed in the same way.

        Args:
            type: of a parameter or a result.

        Raises:
            AbigenError: it is a struct that cannot be declared without the header.
        """
        resolved = self._layouts.resolve(type)
        if isinstance(resolved, RecordType):
            return self._record(self._api.structs[resolved.key])
        if isinstance(resolved, Basic) and resolved.name in ("float", "double", "long double"):
            return resolved.name
        return "void*" if isinstance(resolved, Pointer) else "long long"

    def _record(self, struct: Struct) -> str:
        """Return the type for a struct passed by value; its members decide where (System V ABI AMD64, section 3.2.3).

        Raises:
            AbigenError: it is packed, or nobody knows its members.
        """
        name = f"struct record_{struct.name}"
        if name in self.records:
            return name
        asked = (struct.packed, struct.pack, struct.alignment, *(each.packed for each in struct.fields or ()))
        if not struct.fields or any(asked):
            raise AbigenError.at(struct.span, f"a probe cannot be given a {struct.name} by value")
        members = []
        for each in self._layouts.of(struct.name).fields:
            type, lengths = self._layouts.resolve(each.field.type), []
            while isinstance(type, Array) and type.length is not None:
                lengths.append(self._layouts.evaluate(type.length))
                type = self._layouts.resolve(type.element)
            if isinstance(type, EnumType):
                type = Basic(self._layouts.underlying_type(type.key))
            spelled = type.name if isinstance(type, Basic) else self.spelling(type)
            members.append(RecordMember(spelled, lengths, each.bit_width))
        self.records[name] = Record(name, struct.is_union, members)
        return name


class ProbeSource:
    """The source of one probe."""

    def __init__(self, latest: Api, target: Target, probe: Probe, entry: Function) -> None:
        self._api, self._probe, self._entry = probe.scenario.api, probe, entry
        self._layouts, self._latest = Layouts(self._api, target), Layouts(latest, target)
        handles = [each for each in self._api.typedefs.values() if isinstance(each, Handle)]
        own = [each for each in handles if each.defined_by is Party.PLUGIN and not each.by_pointer]
        told = [each for each in handles if each.by_pointer and "." in each.create]
        self._created_handles = {each.name: each for each in (*told, *own) if each.destroy}
        """The handles of which the spec says which functions of the plugin destroy them."""
        self._single = {each.name: each for each in own if not each.destroy}
        """The objects that no function destroys: there is one of each."""
        self._fills: dict[str, Fill | None] = {}
        """By the struct's name; None while one is being made."""
        self._stubs: dict[str, ProbeFunction | LaterFunction | None] = {}
        """By symbol."""
        self._types = PassedTypes(self._api, self._layouts)

    def text(self) -> str:
        """Return the whole source."""
        entry = self._function(
            self._entry.symbol or self._entry.name, self._entry.name, self._entry.type, is_entry=True
        )
        return fill_in(
            "verify/_core/probe.c.j2",
            records=list(self._types.records.values()),
            fills=list(self._fills.values()),
            functions=[*self._stubs.values(), entry],
        )

    def _function(
        self, symbol: str, name: str, type: FunctionType, nullable: Collection[str] = (), *, is_entry: bool = False
    ) -> ProbeFunction:
        """Build a function of the plugin's: it records its call, and fills the arguments that it can."""
        parameters: list[str] = []
        steps: list[ProbeStep] = []
        for at, each in enumerate(type.parameters):
            parameters.append(self._types.spelling(each.type))
            if self._api.is_status(each.type):
                refuses = self._probe.refuses and is_entry
                steps += self._status(at) if refuses or name == self._probe.fails else []
                continue
            if name == self._probe.fails:
                continue
            handle = self._api.handle_of(each.type)
            if handle is not None and handle.name in self._created_handles:
                ends, may_be_null = handle.destroy == name, each.name in nullable
                steps.append(ProbeStep(does="use", at=at, name=handle.name, ends=ends, may_be_null=may_be_null))
            steps += self._used(name, each.type, at)
            steps += [] if self._api.is_const_pointer(each.type) else self._argument_steps(each.type, at)
        value = self._result(name, type, is_entry=is_entry)
        result = self._types.spelling(type.result)
        if isinstance(self._layouts.resolve(type.result), RecordType):
            value = ProbeValue("zero")
        return ProbeFunction(symbol, name, result, parameters, steps, value, is_entry)

    def _used(self, name: str, type: CType, at: int) -> Iterator[ProbeStep]:
        """Yield the uses of handles in a struct that the host passes."""
        struct = self._api.pointee(type)
        for each in self._layouts.of(struct.name).fields if struct is not None and struct.filler is Party.CORE else ():
            handle = self._api.handle_of(each.field.type)
            if handle is None or handle.name not in self._created_handles or is_of_plugin(each.field):
                continue
            may_be_null = may_be_left_zero(each.field)
            ends = handle.destroy == name
            yield ProbeStep(does="use", at=at, name=handle.name, ends=ends, may_be_null=may_be_null, offset=each.offset)

    def _argument_steps(self, type: CType, at: int) -> list[ProbeStep]:
        """Return the steps for an argument that is no status: fill a struct, store a handle or a number."""
        struct = self._api.pointee(type)
        if struct is not None and struct.fields:
            return [ProbeStep(does="fill", at=at, name=self._fill(struct))]
        plain = self._layouts.resolve(type)
        inner = self._layouts.resolve(plain.target) if isinstance(plain, Pointer) else None
        if isinstance(inner, Pointer) and isinstance(plain, Pointer):
            return [ProbeStep(does="put", at=at, value=self._handle(plain.target))]
        if isinstance(inner, Basic) and inner.name not in ("void", "_Bool", "float", "double"):
            size = self._layouts.size_of(inner)
            return [ProbeStep(does="store", at=at, size=size, number=_MUCH if size == 8 else 1)]
        return []

    def _handle(self, type: CType) -> ProbeValue:
        """Return a new handle, if the plugin makes such handles, or the only one of its kind."""
        handle = self._api.handle_of(type)
        if handle is not None and handle.name in self._single:
            return ProbeValue("one", handle.name)
        return (
            ProbeValue("made", handle.name) if handle is not None and handle.name in self._created_handles else _DUMMY
        )

    def _status(self, at: int) -> list[ProbeStep]:
        errors = self._api.conventions.errors
        if errors is None or not errors.set:
            return []
        code = errors.codes.get("failed_precondition", "")
        known = self._api.enumerators.get(code)
        return [ProbeStep(does="refuse", at=at, name=errors.set, number=known.value if known else 9)]

    def _result(self, name: str, type: FunctionType, *, is_entry: bool) -> ProbeValue:
        outcome = self._api.outcome(type, name, entry_point=is_entry)
        struct = self._api.pointee(type.result)
        if (is_entry and self._probe.refuses) or name == self._probe.fails:
            known = {ResultKind.NEGATIVE: ProbeValue("number", "-22"), ResultKind.COMPLAINT: _DUMMY}
            return known.get(outcome.kind, self._number(outcome.failed))
        if struct is not None and struct.fields and outcome.kind is not ResultKind.COMPLAINT:
            return self._plugin_struct(struct)
        is_truth = isinstance(type.result, NamedType) and type.result.name.lower().endswith("bool")
        if outcome.kind is ResultKind.TRUTH or (is_truth and outcome.kind is not ResultKind.COMPLAINT):
            return ProbeValue("number", "1")
        is_pointer = (
            isinstance(self._layouts.resolve(type.result), Pointer) and outcome.kind is not ResultKind.COMPLAINT
        )
        return self._handle(type.result) if is_pointer else self._number(outcome.ok or self._state(type.result))

    def _state(self, type: CType) -> str:
        """Return the enumerator that means a finished state, by its name; empty if the type has none."""
        resolved = self._layouts.resolve(type)
        enum = self._api.enums[resolved.key] if isinstance(resolved, EnumType) else None
        return next((each.name for each in (enum.enumerators or () if enum else ()) if _DONE.search(each.name)), "")

    def _number(self, code: str) -> ProbeValue:
        known = self._api.enumerators.get(code)
        number = known.value if known is not None else code if code.lstrip("-").isdigit() else 0
        return ProbeValue("number", str(number))

    def _plugin_struct(self, struct: Struct) -> ProbeValue:
        layout = self._layouts.of(struct.name)
        size = layout.unpadded_size if struct.is_versioned else layout.size
        return ProbeValue("own", self._fill(struct), size, max(layout.alignment, 8))

    def _fill(self, struct: Struct) -> str:
        """Return the name of a struct, after recording how it is filled."""
        if struct.name in self._fills:
            return struct.name
        self._fills[struct.name] = None
        layout, latest = self._layouts.of(struct.name), self._latest.of(struct.name)
        size = layout.named(struct.size_member) if struct.size_member else None
        members: list[ProbeMember] = []
        for each in layout.fields:
            is_set = each is not size and each.bit_width is None
            value = self._value(struct, each.field) if is_set else None
            if value is not None:
                members.append(ProbeMember(each.offset, each.offset + each.size, value))
        for each in latest.fields:  # what an older plugin knows nothing of is nobody's to read
            is_later = layout.named(each.field.name) is None and self._latest.api.callback(each.field.type)
            if size is not None and is_later and each.field.filler is not Party.CORE:
                trap = LaterFunction(f"trap_{struct.name}_{each.field.name}", f"{struct.name}.{each.field.name}")
                self._stubs[trap.symbol] = trap
                members.append(ProbeMember(each.offset, each.offset + each.size, ProbeValue("trap", trap.symbol)))
        self._fills[struct.name] = Fill(
            name=struct.name,
            size=layout.size,
            size_at=size.offset if size is not None else None,
            own_size=layout.unpadded_size,
            members=members,
            sets_size=size is not None and struct.filler is not Party.CORE,
        )
        return struct.name

    def _value(self, struct: Struct, member: Field) -> ProbeValue | None:
        """Return the value that a member is set to; None to leave it as it is."""
        if (member.filler is Party.CORE and member.allocated_by is not Party.CORE) or member.contract.reserved:
            return None
        name = f"{struct.name}.{member.name}"
        callback, target = self._api.callback(member.type), self._api.pointee(member.type)
        if callback is not None:
            if name == self._probe.without or callback.variadic:
                return None
            excluded = struct.member(member.excludes) if member.excludes else None
            if excluded is not None and f"{struct.name}.{excluded.name}" != self._probe.without:
                return None
            symbol = f"stub_{struct.name}_{member.name}"
            if symbol not in self._stubs:
                self._stubs[symbol] = None
                parameters = (each.name or "" for each in callback.parameters)
                nullable = [each for each in parameters if may_be_null(self._api, name, each)]
                self._stubs[symbol] = self._function(symbol, name, callback, nullable)
            return ProbeValue("function", symbol)
        if target is not None and target.fields:
            if member.allocated_by is Party.CORE:
                return ProbeValue("given", self._fill(target))
            return self._plugin_struct(target) if target.filler is not Party.CORE else None
        resolved = self._layouts.resolve(member.type)
        if struct.filler is Party.CORE and member.filler is not Party.PLUGIN:
            return None
        inner = self._api.struct_of(member.type)
        if inner is not None and inner.is_versioned:
            layout = self._layouts.of(inner.name)
            size = layout.named(inner.size_member)
            at = size.offset if size is not None else None
            return ProbeValue("inner", self._fill(inner), layout.unpadded_size, size_at=at)
        if member.version_part:
            return self._stored(member, str(getattr(self._probe.scenario.version, member.version_part)))
        if struct.filler is Party.CORE and struct.is_versioned:
            return self._answer(struct, member)
        if isinstance(resolved, Pointer):
            if self._layouts.resolve(resolved.target) == Basic("void") and not self._api.is_const_pointer(member.type):
                return _DUMMY
            return _TEXT if member.contract.is_required else None
        is_number = isinstance(resolved, (Basic, EnumType)) and member.contract.is_required
        return ProbeValue("byte") if is_number else None

    def _answer(self, struct: Struct, member: Field) -> ProbeValue | None:
        """Return the value that a function stores in a member of its argument, chosen so that the host goes on."""
        resolved = self._layouts.resolve(member.type)
        if isinstance(resolved, Pointer):
            if self._api.handle_of(member.type) is not None:
                return self._handle(member.type)
            if self._is_text(member):
                return _TEXT
            several = self._several(member)
            return ProbeValue("several", several.name) if several is not None else self._stored(member, "0")
        counted = next((each for each in struct.fields or () if each.count == member.name), None)
        if counted is not None:
            length = len(_TEXT.name) if self._is_text(counted) else 1 if self._several(counted) is not None else 0
            return self._stored(member, str(length))
        if isinstance(resolved, EnumType):
            enum = self._api.enums[resolved.key]
            names = [each.name for each in enum.enumerators or ()]
            wanted = _FAILED if "code" in member.name else _DONE
            chosen = next((each for each in names if wanted.search(each)), names[0])
            return self._stored(member, self._number(chosen).name)
        if resolved == Basic("_Bool"):
            return self._stored(member, str(int(not _GONE.search(member.name))))
        if isinstance(resolved, Basic):
            is_amount = self._layouts.size_of(resolved) == 8 and _AMOUNT.search(member.name)
            return self._stored(member, str(_MUCH if is_amount else 0))
        return None

    def _stored(self, member: Field, number: str) -> ProbeValue:
        return ProbeValue("number", number, self._layouts.size_of(member.type))

    def _is_text(self, member: Field) -> bool:
        resolved = self._layouts.resolve(member.type)
        return isinstance(resolved, Pointer) and self._layouts.resolve(resolved.target) == Basic("char")

    def _several(self, member: Field) -> Handle | None:
        """Return the handle to which a member points, if there is only one of its kind; None for others."""
        resolved = self._layouts.resolve(member.type)
        handle = self._api.handle_of(resolved.target) if isinstance(resolved, Pointer) else None
        return handle if handle is not None and handle.name in self._single else None
