"""Writes the source of a plugin that wraps a working one and changes one of the values for the host."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, TypeGuard

import msgspec

from abigen.model.api import Api
from abigen.model.contract import Party, ResultKind, Zero
from abigen.model.ctype import Basic, CType, EnumType, Pointer, RecordType
from abigen.model.entities import Field, Function, Struct
from abigen.model.layout import FieldLayout, Layouts
from abigen.model.span import AbigenError
from abigen.model.target import Target
from abigen.model.version import Version
from abigen.runner.verify.probe_source import PassedTypes
from abigen.workspace.libraries import SharedLibrary
from abigen.workspace.shipped import fill_in

CALLS = 1 << 18
"""The most calls that a run records; the host may make more."""
EVENTS = 256
CALLS_AT = 16 + 16 * EVENTS
"""The offset of the numbers of the called functions in the file that a run leaves, in bytes."""
_NAME = re.compile(r'[^"\\\0-\x20]+')
_OWN_USE = "backtrace calloc close dladdr dlclose dlerror dlinfo dlopen dlsym dl_iterate_phdr _exit fprintf free getenv"
_OWN_USE += " malloc memcmp memcpy memset mmap mprotect open sigaction snprintf strcmp strlen strrchr strtol usleep"
_NOT_WRAPPED = frozenset(("_init", "_fini", "_edata", "_end", "__bss_start", *_OWN_USE.split()))
"""Symbols that the linker defines for each library, and functions that the wrapper calls itself."""
_VERSION = re.compile(r"(?i)(\w+_)?version|iVersion")
_WORDS = {"true": "1", "false": "0", "NULL": "0"}
_GROWTH = 64
"""The number of bytes behind the known members in a table of a later release."""
_INVALID = "-22"
"""-EINVAL, which <errno.h> defines for all machines that abigen wraps plugins on."""


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """The one thing that a wrapper changes."""

    kind: str = ""
    """`release`: the plugin is of another release; `stated`: a first member `version` has another value; `without`: an
    optional member is NULL or an optional function is not exported; `refuses`: the entry point refuses the host. Empty
    for the wrapper that changes nothing."""
    what: str = "the unchanged wrapper"
    api: Api | None = None
    """The API at the earlier release that the plugin is to be of; None for other changes."""
    version: Version | None = None
    """The version that the plugin is to state; None where it stays as it is."""
    grows: bool = False
    """True if tables that state their size state a larger one."""
    addend: int = 0
    """The number that is added to a first member `version`."""
    name: str = ""
    """The optional member or function that is left out, or the entry point that refuses: `Struct.member` or a name."""


class WrappedMember(msgspec.Struct, frozen=True):
    """A member that a wrapper reads or changes."""

    kind: str
    offset: int
    size: int
    id: int = 0
    record: int = 0
    given: bool = False
    none: bool = False
    number: int = 0


class WrappedRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A struct that a wrapper reads or changes."""

    size: int
    size_at: int
    size_bytes: int
    cut: int
    grow: int
    first: int
    count: int


class Export(msgspec.Struct, frozen=True):
    """A function that the working plugin exports."""

    symbol: str
    slot: int
    id: int
    is_typed: bool


class DataObject(msgspec.Struct, frozen=True, kw_only=True):
    """A data object that the working plugin exports."""

    symbol: str
    size: int
    record: int = -1
    is_pointer: bool = False
    cut: int = 0
    alignment: int = 64
    size_at: int = -1
    size_bytes: int = 0


class GuardedPlace(NamedTuple):
    """A parameter by which a function gives a table."""

    at: int
    record: int


class Wrapper(msgspec.Struct, frozen=True, kw_only=True):
    """A function whose results are changed after each call."""

    symbol: str
    slot: int
    id: int
    result: str
    parameters: list[str]
    filled: list[GuardedPlace]
    stored: list[GuardedPlace]
    returned: int
    by_value: int
    refuses: bool


class Refusal(msgspec.Struct, frozen=True):
    """The way in which an entry point reports that it refuses the host."""

    code: str
    """The result, or the code for the status."""
    setter: str = ""
    """The function that sets a status; empty where the result tells."""
    status: int = 0
    """The position of the parameter for the status."""


class WrapperSource:
    """The source of one wrapper."""

    def __init__(self, api: Api, target: Target, library: SharedLibrary, good: Path, change: Change) -> None:
        """Collect everything that the wrapper changes.

        Args:
            api: the API's current release.
            target: of this machine.
            library: the dynamic symbols of the working plugin.
            good: the path of the working plugin.
            change: the one thing to change.
        """
        self._api, self._library, self._good, self._change = api, library, good, change
        self._layouts = Layouts(api, target)
        self._then = Layouts(change.api, target) if change.api is not None else None
        self._types = PassedTypes(api, self._layouts)
        self._members: list[list[WrappedMember]] = []
        self._sizes: list[WrappedRecord] = []
        self._numbers: dict[str, int] = {}
        self.names: list[str] = []
        """The functions that calls are noted of; the number of each is its position plus 1."""
        self.records: list[Struct] = []
        """The structs by their numbers."""
        self.optional: list[str] = []
        """The optional members and functions that the plugin may have."""
        self.states_version = False
        """True if a table begins with a member `version` that no release is known of."""
        self.has_parts = False
        """True if a struct of the plugin states a part of the API's version."""
        self.has_sizes = False
        """True if a struct of the plugin states its size."""
        self.own = {
            each.symbol or each.name: each
            for each in api.functions.values()
            if each.in_api and not each.static and (each.symbol or each.name) in library.functions
        }
        """The functions of the API that the working plugin exports, by symbol."""
        self._wrappers: list[Wrapper] = []
        self._exports = list(self._exported())
        self._objects = list(self._exported_objects())

    @property
    def givers(self) -> set[str]:
        """The exported functions by which the host gets a table."""
        return {self.names[each.id - 1] for each in self._wrappers}

    @property
    def cut_off(self) -> set[str]:
        """The functions of tables that the earlier release does not have: `Struct.member`."""
        return {
            f"{each.name}.{member.name}"
            for each in self.records
            for member in self._layouts.of(each.name).fields
            if self._cut(each) and member.offset + member.size > self._cut(each)
        }

    @property
    def gives_nothing(self) -> bool:
        """True if the plugin exports neither a function nor a table of the API."""
        return not self.own and all(each.record < 0 for each in self._objects)

    def text(self) -> str:
        """Return the whole source."""
        first, records = 0, []
        for size, members in zip(self._sizes, self._members, strict=True):
            records.append(msgspec.structs.replace(size, first=first, count=len(members)))
            first += len(members)
        entry = self._api.functions.get(self._change.name) if self._change.kind == "refuses" else None
        return fill_in(
            "verify/_core/wrap.c.j2",
            calls=CALLS,
            events=EVENTS,
            calls_at=CALLS_AT,
            exports=self._exports,
            members=[each for members in self._members for each in members],
            records=records,
            objects=self._objects,
            good=json.dumps(str(self._good), ensure_ascii=False),
            refusal=self.refusal(entry) if entry is not None else None,
            left_out=self._change.kind == "without" and "." not in self._change.name,
            by_value=list(self._types.records.values()),
            wrappers=self._wrappers,
        )

    def refusal(self, entry: Function) -> Refusal | None:
        """Return how an entry point refuses the host; None where the spec states no failure of it.

        Args:
            entry: the entry point.
        """
        errors, at = self._api.conventions.errors, self._api.status_position(entry.type, entry.name)
        if at is not None and errors is not None and errors.set:
            code = self._number(errors.codes.get("failed_precondition", ""))
            return Refusal(code, errors.set, at) if code else None
        outcome = self._api.outcome(entry.type, entry.name)
        if outcome.kind is ResultKind.NEGATIVE:
            return Refusal(_INVALID)
        if outcome.kind in (ResultKind.NULL, ResultKind.TRUTH):
            return Refusal("0")
        code = self._number(outcome.failed) if outcome.kind is ResultKind.CODE else ""
        return Refusal(code) if code else None

    def offset_names(self, record: int) -> Iterator[tuple[int, int, str]]:
        """Yield the begin, the end and the name of each member of a struct, for messages.

        Args:
            record: the number of the struct.
        """
        for each in self._layouts.of(self.records[record].name).fields:
            yield each.offset, each.offset + each.size, each.name

    def _number(self, code: str) -> str:
        """Return the number of an enumerator or constant; empty for one that has none."""
        for enum in self._api.enums.values():
            for each in enum.enumerators or ():
                if each.name == code:
                    return str(each.value)
        constant = self._api.constants.get(code)
        if constant is not None and constant.expression is not None:
            return str(self._layouts.evaluate(constant.expression))
        code = _WORDS.get(code, code)
        return code if code.lstrip("-").isdigit() else ""

    def _id(self, name: str) -> int:
        if name not in self._numbers:
            self.names.append(name)
            self._numbers[name] = len(self.names)
        return self._numbers[name]

    def _exported(self) -> Iterator[Export]:
        slot = 0
        for symbol in sorted(self._library.functions - _NOT_WRAPPED):
            function = self.own.get(symbol)
            if function is not None and function.contract.is_optional:
                self.optional.append(function.name)
            left_out = function is not None and self._change.name == function.name and self._change.kind == "without"
            if left_out or not _NAME.fullmatch(symbol):
                continue
            id = self._id(function.name if function is not None else symbol)
            wrapper = self._wrapper(function, symbol, slot, id) if function is not None else None
            if wrapper is not None:
                self._wrappers.append(wrapper)
            yield Export(symbol, slot, id, wrapper is not None)
            slot += 1

    def _wrapper(self, function: Function, symbol: str, slot: int, id: int) -> Wrapper | None:
        """Return how the results of a function are changed; None for one that gives nothing that can be changed."""
        filled, stored = [], []
        status = self._api.status_position(function.type, function.name)
        for at, each in enumerate(function.type.parameters):
            if at == status or self._api.is_status(each.type):
                continue
            struct = self._api.pointee(each.type)
            is_filled = struct is not None and (function.entry_point or struct.filler is Party.PLUGIN)
            if struct is not None and is_filled and not self._api.is_const_pointer(each.type):
                if self._is_relevant(struct):
                    filled.append(GuardedPlace(at, self._record(struct)))
                continue
            plain = self._layouts.resolve(each.type)
            inner = self._api.pointee(plain.target) if isinstance(plain, Pointer) else None
            if isinstance(plain, Pointer) and not self._api.is_const(plain.target) and self._is_table(inner):
                stored.append(GuardedPlace(at, self._record(inner)))
        result, by_value = self._api.pointee(function.type.result), self._api.struct_of(function.type.result)
        is_error = self._api.outcome(function.type, function.name).kind is ResultKind.COMPLAINT
        returned = self._record(result) if self._is_table(result) and not is_error else -1
        value = self._record(by_value) if by_value is not None and self._is_relevant(by_value) else -1
        refuses = self._change.kind == "refuses" and self._change.name == function.name
        if not (filled or stored or refuses or returned >= 0 or value >= 0):
            return None
        passed = [self._passed(each.type) for each in function.type.parameters]
        back = self._passed(function.type.result)
        if function.type.variadic or back is None or None in passed:
            return None
        parameters = [each for each in passed if each is not None]
        return Wrapper(
            symbol=symbol, slot=slot, id=id, result=back, parameters=parameters, filled=filled, stored=stored,
            returned=returned, by_value=value, refuses=refuses,
        )  # fmt: skip

    def _passed(self, type: CType) -> str | None:
        """Return a type that is passed as this one is; None where no such type is known."""
        resolved = self._layouts.resolve(type)
        if resolved == Basic("void"):
            return "void"
        known = isinstance(resolved, (Pointer, RecordType, EnumType, Basic))
        is_float = isinstance(resolved, Basic) and resolved.name in ("float", "double", "long double")
        is_record = isinstance(resolved, RecordType)
        try:
            if not known or (not is_float and not is_record and self._layouts.size_of(resolved) > 8):
                return None
            if isinstance(resolved, Basic) and any(word in resolved.name for word in ("Float", "bf16", "_Complex")):
                return None
            return self._types.spelling(type)
        except AbigenError:
            return None

    def _exported_objects(self) -> Iterator[DataObject]:
        tables = {each.symbol or each.name: each for each in self._api.variables.values() if each.in_api}
        for symbol, size in sorted(self._library.objects.items()):
            if symbol in _NOT_WRAPPED or not size or not _NAME.fullmatch(symbol):
                continue
            type = tables[symbol].type if symbol in tables else None
            struct = self._api.struct_of(type) if type is not None else None
            behind = self._api.pointee(type) if type is not None else None
            if struct is not None and self._is_relevant(struct):
                number = self._record(struct)
                record = self._sizes[number]
                is_cut = record.cut < size and self._change.kind == "release"
                yield DataObject(
                    symbol=symbol,
                    size=size,
                    record=number,
                    cut=record.cut if is_cut else 0,
                    alignment=max(self._layouts.of(struct.name).alignment, 8),
                    size_at=record.size_at,
                    size_bytes=record.size_bytes,
                )
            elif self._is_table(behind):
                yield DataObject(symbol=symbol, size=size, record=self._record(behind), is_pointer=True)
            else:
                yield DataObject(symbol=symbol, size=size)

    def _is_table(self, struct: Struct | None) -> TypeGuard[Struct]:
        return struct is not None and struct.filler is not Party.CORE and self._is_relevant(struct)

    def _is_relevant(self, struct: Struct, known: frozenset[str] = frozenset()) -> bool:
        """True if a struct contains a function of the plugin's, its own size or a version, or leads to such a one."""
        if struct.name in known or not struct.fields or struct.is_union:
            return False
        if struct.size_member and struct.filler is not Party.CORE:
            return True
        for each in struct.fields:
            if not self._is_plugins(struct, each):
                continue
            if self._api.callback(each.type) is not None or each.version_part:
                return True
            inner = self._api.struct_of(each.type) or (self._api.pointee(each.type) if not each.count else None)
            if inner is not None and self._is_relevant(inner, known | {struct.name}):
                return True
        return False

    @staticmethod
    def _is_plugins(struct: Struct, member: Field) -> bool:
        """True if the plugin sets a member, or fills the struct that the member points to."""
        if member.contract.reserved:
            return False
        if member.allocated_by is Party.CORE or member.filler in (Party.PLUGIN, Party.BOTH):
            return True
        return member.filler is not Party.CORE and struct.filler is not Party.CORE

    def _record(self, struct: Struct) -> int:
        """Return the number of a struct, and collect its members the first time."""
        for number, each in enumerate(self.records):
            if each.name == struct.name:
                return number
        number, layout = len(self.records), self._layouts.of(struct.name)
        self.records.append(struct)
        self._members.append([])
        at, width = self._size_of(struct)
        self.has_sizes |= at >= 0
        cut, is_sized = self._cut(struct), at >= 0 and struct.filler is not Party.CORE
        grow = _GROWTH if self._change.grows and is_sized else 0
        self._sizes.append(
            WrappedRecord(size=layout.size, size_at=at, size_bytes=width, cut=cut, grow=grow, first=0, count=0)
        )
        members = [
            found
            for each in layout.fields
            if each.bit_width is None and self._is_plugins(struct, each.field)
            for found in self._member(struct, each)
        ]
        self._members[number] = members
        return number

    def _size_of(self, struct: Struct) -> tuple[int, int]:
        """Return the offset and the size of the member that states the size of a struct, in bytes; -1 for none."""
        if not struct.size_member:
            return -1, 0
        offset, type = self._layouts.member_of(RecordType(struct.name), tuple(struct.size_member.split(".")))
        return offset, self._layouts.size_of(type)

    def _cut(self, struct: Struct) -> int:
        """Return the number of bytes that a struct of the plugin's has at the earlier release; 0 where it is whole."""
        if self._then is None or struct.name not in self._then.api.structs or struct.filler is Party.CORE:
            return 0
        told = next((each for each in struct.fields or () if each.name == struct.told_by and each.version_part), None)
        first = next(iter(struct.fields or ()), None)
        is_stated = self._change.kind == "stated" and first is not None and self._counts_versions(struct, first)
        if not struct.size_member and told is None and not is_stated:
            return 0
        then, now = self._then.of(struct.name), self._layouts.of(struct.name)
        return then.unpadded_size if then.unpadded_size < now.unpadded_size else 0

    def _member(self, struct: Struct, place: FieldLayout) -> Iterator[WrappedMember]:
        """Yield the changes of a member of a struct; nothing for one that stays as it is."""
        member, name = place.field, f"{struct.name}.{place.name}"
        is_pointer = isinstance(self._layouts.resolve(member.type), Pointer)
        excluded = member.excludes or any(each.excludes == member.name for each in struct.fields or ())
        may_be_alone = not excluded or member.contract.zero is Zero.NO_OP  # else one of the two may have to be there
        if is_pointer and member.contract.is_optional and may_be_alone and name not in self.optional:
            self.optional.append(name)
        none = self._change.kind == "without" and self._change.name == name
        if self._api.callback(member.type) is not None:
            yield WrappedMember("FUNCTION", place.offset, place.size, id=self._id(name), none=none)
            return
        target, inner = self._api.pointee(member.type), self._api.struct_of(member.type)
        given = member.allocated_by is Party.CORE
        is_plugins = target is not None and (given or target.filler is not Party.CORE) and not member.count
        if target is not None and is_plugins and self._is_relevant(target):
            record = self._record(target)
            yield WrappedMember("TABLE", place.offset, place.size, record=record, given=given, none=none)
            return
        if none:
            yield WrappedMember("PLAIN", place.offset, place.size, none=True)
            return
        yield from self._version(struct, place, inner)
        if inner is not None and self._is_relevant(inner):
            yield WrappedMember("INLINE", place.offset, place.size, record=self._record(inner))

    @staticmethod
    def _counts_versions(struct: Struct, first: Field) -> bool:
        """True if the first member of a struct states the version of the struct, as a number of no stated meaning."""
        is_told = first.name == struct.told_by and not struct.mask_member
        return not first.version_part and (is_told or _VERSION.fullmatch(first.name) is not None)

    def _version(self, struct: Struct, place: FieldLayout, inner: Struct | None) -> Iterator[WrappedMember]:
        """Yield how a member that states a version is changed."""
        member = place.field
        if member.version_part and self._layouts.size_of(member.type) <= 8:
            self.has_parts = True
            if self._change.version is not None:
                number = getattr(self._change.version, member.version_part)
                yield WrappedMember("NUMBER", place.offset, place.size, number=number)
            return
        if place.offset or struct.size_member or not self._counts_versions(struct, member):
            return
        offset: int = place.offset
        size = place.size
        if inner is not None:
            minor = self._layouts.of(inner.name).named("minor")
            if minor is None or minor.bit_width is not None:
                return
            offset, size = offset + minor.offset, minor.size
        elif not self._api.is_integer(member.type):
            return
        self.states_version = True
        if self._change.addend:
            yield WrappedMember("ADDEND", offset, size, number=self._change.addend)
