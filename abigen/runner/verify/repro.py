"""Programs in C that reproduce findings without abigen, and the values that core and plugin exchange.

A `Recorder` writes the arguments of every call, and the core's memory before and after it, to the trace. A program is
made from the trace. Addresses differ in each run, so a word that is an address of the plugin's is read from the place
where it appeared first.

A struct of the core has the size of the core's release. A pattern follows it, which shows writes past its end, and then
a page that nobody may touch.
"""

from __future__ import annotations

import builtins
import ctypes
import mmap
import struct
import sys
from _ctypes import CFuncPtr
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import TypeAlias, cast

import msgspec
from msgspec.structs import replace

from abigen.model.contract import Party
from abigen.model.ctype import Array, Basic, CType, EnumType, FunctionType, Pointer, RecordType
from abigen.model.entities import Field, Struct
from abigen.model.finding import Finding
from abigen.model.layout import FieldLayout, Layouts
from abigen.model.roles import is_left_to_plugins
from abigen.model.span import printable
from abigen.runner.verify.scenario import CoreStatus, Trial, shim_source
from abigen.workspace.process import Ending, Event, Outcome, StoppedError, Trace
from abigen.workspace.shipped import fill_in

Number: TypeAlias = "type[ctypes._SimpleCData[int]] | type[ctypes._SimpleCData[float]]"
ForeignType: TypeAlias = "Number | type[ctypes.c_void_p] | type[ctypes.Structure] | None"

_FLOATING: dict[str, Number] = {
    "float": ctypes.c_float,
    "double": ctypes.c_double,
    "long double": ctypes.c_longdouble,
}


def foreign_type(type: CType, layouts: Layouts) -> ForeignType:
    """Return the type by which `ctypes` passes values of a type; None for `void`.

    Raises:
        StoppedError: `ctypes` has nothing for it.
    """
    resolved = layouts.resolve(type)
    if isinstance(resolved, (Pointer, FunctionType, Array)):
        return ctypes.c_void_p
    if isinstance(resolved, RecordType):
        return _structure(resolved.key, layouts)
    if not isinstance(resolved, (Basic, EnumType)):
        raise StoppedError(f"a value of type {resolved} cannot be passed")
    name = resolved.name if isinstance(resolved, Basic) else layouts.underlying_type(resolved.key)
    if name == "void" or name in _FLOATING:
        return _FLOATING.get(name)
    size = layouts.size_of(resolved)
    if size not in (1, 2, 4, 8):
        raise StoppedError(f"a value of type {name} cannot be passed")
    unsigned = name.startswith("unsigned") or name == "_Bool"
    made: Number = getattr(ctypes, f"c_{'u' * unsigned}int{size * 8}")
    return made


def prototype(type: FunctionType, layouts: Layouts) -> type[CFuncPtr]:
    """Return the type of a pointer to a function.

    Raises:
        StoppedError: an argument or the result cannot be passed.
    """
    parameters = [foreign_type(each.type, layouts) for each in type.parameters]
    return ctypes.CFUNCTYPE(foreign_type(type.result, layouts), *(each for each in parameters if each is not None))


def _structure(key: str, layouts: Layouts) -> type[ctypes.Structure]:
    """Return a struct that is passed by value as another one is: in the same registers, or on the stack.

    `ctypes` passes neither unions nor bit-fields. Calling conventions look only at where integers and floating numbers
    are, so units of the same size stand for these (System V ABI for AMD64, 3.2.3; AAPCS64, 6.8.2).

    Raises:
        StoppedError: the struct has another alignment or size in `ctypes`.
    """
    known = _structures.get((id(layouts), key))
    if known is not None:
        return known[1]
    layout = layouts.of(key)
    if layouts.api.structs[key].is_union or any(each.bit_width is not None for each in layout.fields):
        members: list[tuple[str, object]] = [(f"unit_{at}", unit) for at, unit in _units(key, layouts)]
    else:
        members = [(f"member_{at}", _member_type(each.field.type, layouts)) for at, each in enumerate(layout.fields)]
    made = type(key, (ctypes.Structure,), {"_fields_": members})
    if ctypes.sizeof(made) != layout.size or ctypes.alignment(made) != layout.alignment:
        raise StoppedError(f"a {key} cannot be passed by value")
    _structures[id(layouts), key] = layouts, made
    return made


_structures: dict[tuple[int, str], tuple[Layouts, type[ctypes.Structure]]] = {}
"""`ctypes` takes only values of the very type of a parameter. The layouts are kept, so that no other gets their id."""


def _member_type(type: CType, layouts: Layouts) -> object:
    resolved = layouts.resolve(type)
    if isinstance(resolved, Array):
        length = layouts.size_of(resolved) // layouts.size_of(resolved.element)
        element = _member_type(resolved.element, layouts)
        assert isinstance(element, builtins.type)
        return element * length  # type: ignore[operator]
    return foreign_type(resolved, layouts)


def _units(key: str, layouts: Layouts) -> Iterator[tuple[int, Number]]:
    """Yield units in the place of the members of a struct, each with its offset in bytes."""
    layout, leaves = layouts.of(key), list(_leaves(key, layouts, 0))
    floats = {(at, size) for at, size, is_float in leaves if is_float}
    whole = [(at, size) for at, size, is_float in leaves if not is_float]
    unit, at = min(layout.alignment, 8), 0
    while at < layout.size:
        chunk = at // 8 * 8
        is_whole = any(start < chunk + 8 and start + size > chunk for start, size in whole)
        size = next((size for start, size in sorted(floats, reverse=True) if start == at), unit)
        if is_whole or (at, size) not in floats:
            yield at, getattr(ctypes, f"c_uint{unit * 8}")
            at += unit
        else:
            yield at, ctypes.c_float if size == 4 else ctypes.c_double
            at += size


def _leaves(key: str, layouts: Layouts, start: int) -> Iterator[tuple[int, int, bool]]:
    """Yield offset and size in bytes of each number in a struct, and True for a floating one."""
    for each in layouts.of(key).fields:
        resolved, count, size = layouts.resolve(each.field.type), 1, each.size
        while isinstance(resolved, Array):
            resolved = layouts.resolve(resolved.element)
            size = layouts.size_of(resolved)
            count = each.size // size
        for number in range(count):
            at = start + each.offset + number * size
            if isinstance(resolved, RecordType):
                yield from _leaves(resolved.key, layouts, at)
            else:
                yield at, size, isinstance(resolved, Basic) and resolved.name in _FLOATING


SLACK = 1024
"""The number of bytes behind a struct in which writes are seen."""
_PATTERN = bytes((index * 37 + 0x5B) & 0xFF for index in range(256))
PATTERN = _PATTERN * (SLACK // len(_PATTERN))
"""The content of these bytes before any write."""
_mapped: list[mmap.mmap] = []
"""Memory is never given back: the plugin may know its address as long as the process lives."""


class Overrun(msgspec.Struct, frozen=True):
    """Bytes beyond the end that have changed: from the start of the memory, and how many."""

    offset: int
    length: int


class GuardedMemory:
    """A number of bytes, zero at first.

    Args:
        size: in bytes.
        alignment: in bytes, a power of two.
        slack: the number of bytes behind it with a pattern that shows writes; an inaccessible page follows.
    """

    def __init__(self, size: int, alignment: int, slack: int) -> None:
        reserved = -(-(size + slack) // mmap.PAGESIZE) * mmap.PAGESIZE
        self.size = size
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
        _mapped.append(mmap.mmap(-1, reserved + mmap.PAGESIZE, flags=flags))
        self.start = ctypes.addressof(ctypes.c_char.from_buffer(_mapped[-1]))
        """The address of the first byte that belongs to it."""
        self.end = self.start + reserved + mmap.PAGESIZE
        """The address behind all that belongs to it, including the inaccessible page."""
        _forbid(self.start + reserved, self.end)
        self.address = (self.start + reserved - slack - size) // alignment * alignment
        """Of the first byte."""
        behind = self.address + size
        self._guards = ((self.start, self.address - self.start), (behind, self.start + reserved - behind))
        for start, length in self._guards:
            ctypes.memmove(start, _pattern(length), length)

    def overruns(self) -> list[Overrun]:
        """Return the ranges of bytes outside that have changed since the last call."""
        found = []
        for start, length in self._guards:
            expected, is_now = _pattern(length), ctypes.string_at(start, length)
            if expected == is_now:
                continue
            changed = [index for index in range(length) if expected[index] != is_now[index]]
            last = -SLACK
            for index in changed:
                if index - last > 8:  # bytes that happen to hold what was there do not end a run of eight
                    found.append(Overrun(start - self.address + index, 0))
                last = index
                found[-1] = replace(found[-1], length=start - self.address + index - found[-1].offset + 1)
            ctypes.memmove(start, expected, length)
        return found

    def retire(self) -> None:
        """Make it inaccessible."""
        _forbid(self.start, self.end)


class Buffer:
    """An argument that points to numbers, text, bytes or pointers, in memory that is watched as a struct's is.

    Args:
        name: of the parameter or member, in backticks where it is shown.
        size: in bytes.
        content: of the first bytes; the others are zero.
        alignment: in bytes, a power of two.
        pages: True if nobody may touch the memory behind it; False if bytes there show who wrote.
    """

    def __init__(self, name: str, size: int, content: bytes = b"", alignment: int = 16, *, pages: bool = False) -> None:
        self.name = name
        self.size = max(size, len(content))
        self.memory = GuardedMemory(self.size, alignment, 0 if pages else SLACK)
        self.address = self.memory.address
        self.retired = False
        ctypes.memmove(self.address, content, len(content))

    def content(self) -> bytes:
        """Return all of its bytes."""
        return ctypes.string_at(self.address, self.size)

    def point_to(self, targets: Sequence[int]) -> None:
        """Store addresses, one behind the other."""
        content = b"".join(each.to_bytes(8, sys.byteorder) for each in targets)
        ctypes.memmove(self.address, content, len(content))

    def value(self, type: type[ctypes.c_void_p] | type[ctypes.c_int64] | type[ctypes.c_int32]) -> int:
        """Return the number of a type that was stored at its start."""
        return int(type.from_address(self.address).value or 0)

    def retire(self) -> None:
        """Make it inaccessible."""
        self.retired = True
        self.memory.retire()


class StructInstance:
    """A struct in memory: one of the core's, zero at first, with its size set; or one of the plugin's."""

    def __init__(self, key: str, layouts: Layouts, *, pages: bool = False, at: int | None = None) -> None:
        """Make one.

        Args:
            key: of the struct.
            layouts: the layouts that the core knows.
            pages: true if an inaccessible page is behind it, instead of bytes that show writes.
            at: the address of one that the plugin has made; then nothing is allocated.
        """
        self.struct: Struct = layouts.api.structs[key]
        self.name = self.struct.name
        self.layouts = layouts
        self.layout = layouts.of(key)
        size_member = self.struct.size_member
        self._size_member = size_member if self.layout.named(size_member) else ""
        self.retired = False
        self._memory: GuardedMemory | None = None
        if at is not None:
            self.address = at
            return
        self._memory = GuardedMemory(self.room, max(self.layout.alignment, 8), 0 if pages else SLACK)
        self.address = self._memory.address
        self.state_size()

    def state_size(self) -> None:
        """Set the member that holds the struct's size, if it has one, to the size that the core knows."""
        if self._size_member:
            self.write(self._size_member, self.layout.unpadded_size)

    @property
    def room(self) -> int:
        """Its size in bytes; without padding at the end if it is versioned: a newer core may have a member there."""
        return self.layout.unpadded_size if self.struct.is_versioned else self.layout.size

    @property
    def memory(self) -> GuardedMemory:
        """The memory that the core has allocated for it."""
        assert self._memory is not None, f"this {self.name} is the plugin's"
        return self._memory

    @property
    def is_cores(self) -> bool:
        """True if the core has allocated it."""
        return self._memory is not None

    @property
    def size(self) -> int:
        """The size that the struct states, in bytes; if it states none, the size that the core knows."""
        return int(self.read(self._size_member)) if self._size_member else self.layout.unpadded_size

    def field(self, name: str) -> Field | None:
        """Return a member as the core knows it; None if the core knows no member of that name."""
        found = self.layout.named(name)
        return found.field if found is not None else None

    def knows(self, name: str) -> bool:
        """True if the struct has a member of that name, and the other side knows it as well."""
        found = self.layout.named(name)
        is_whole = self.is_cores or not self._size_member
        return found is not None and (is_whole or found.offset + found.size <= self.size)

    def is_left_out(self, others: Sequence[StructInstance]) -> bool:
        """True if it is behind an optional member of one of these structs, and the plugin has set nothing in it."""
        held = (
            other.read(each.name) == self.address and each.field.contract.is_optional
            for other in others
            for each in other.layout.fields
            if each.field.allocated_by is Party.CORE
        )
        own = (each.name for each in self.layout.fields if is_left_to_plugins(each.field, self.struct))
        return any(held) and not any(self.read(name) for name in own)

    def has(self, name: str) -> bool:
        """True if the struct has a member of that name, the other side knows it as well, and it is not zero."""
        return self.knows(name) and bool(self.read(name))

    def members(self) -> Iterator[tuple[str, FieldLayout]]:
        """Return all members that the core knows, each with its name in findings: `Struct.member`."""
        return ((f"{self.name}.{each.name}", each) for each in self.layout.fields)

    def read(self, name: str) -> int | float:
        """Return the value of a member; for a pointer, the address."""
        found = self._member(name)
        content = ctypes.string_at(self.address + found.offset, found.size)
        resolved = self.layouts.resolve(found.field.type)
        basic = resolved.name if isinstance(resolved, Basic) else "unsigned"
        if basic in ("float", "double"):
            return float(struct.unpack("f" if found.size == 4 else "d", content)[0])
        return int.from_bytes(content, sys.byteorder, signed=not basic.startswith("unsigned") and basic != "_Bool")

    def write(self, name: str, value: int) -> None:
        """Set a member that is an integer or a pointer."""
        found = self._member(name)
        content = (value & ((1 << 8 * found.size) - 1)).to_bytes(found.size, sys.byteorder)
        ctypes.memmove(self.address + found.offset, content, found.size)

    def fill(self, name: str, byte: int) -> None:
        """Let all bytes of a member hold a value."""
        found = self._member(name)
        ctypes.memset(self.address + found.offset, byte, found.size)

    def bytes_of(self, name: str) -> bytes:
        """Return the bytes of a member."""
        found = self._member(name)
        return ctypes.string_at(self.address + found.offset, found.size)

    def text(self, name: str) -> str | None:
        """Return the string that a member points to; None for NULL."""
        address = int(self.read(name))
        return ctypes.string_at(address).decode("utf-8", "replace") if address else None

    def is_pointer(self, name: str) -> bool:
        """True if a member is a pointer."""
        return isinstance(self.layouts.resolve(self._member(name).field.type), Pointer)

    def content(self) -> bytes:
        """Return all of its bytes."""
        return ctypes.string_at(self.address, self.room)

    def retire(self) -> None:
        """Make it inaccessible."""
        self.retired = True
        self.memory.retire()

    def _member(self, name: str) -> FieldLayout:
        found = self.layout.named(name)
        if found is None:
            raise KeyError(f"{self.name}.{name}")
        return found


def _pattern(length: int) -> bytes:
    return (_PATTERN * (length // len(_PATTERN) + 1))[:length]


def _forbid(start: int, end: int) -> None:
    """Make the memory between two addresses inaccessible."""
    no_access = 0
    if ctypes.CDLL(None).mprotect(ctypes.c_void_p(start), ctypes.c_size_t(end - start), no_access) != 0:
        raise OSError(ctypes.get_errno(), "mprotect")


MOST_BYTES, _MOST_CALLS = 1 << 16, 400
"""Of larger memory the content is not recorded, and of more calls none."""
_WORD = 8
_LEAST_ADDRESS = 1 << 32
_REACH = 1 << 25
"""The largest offset, in bytes, of an address that counts as computed from an address of the plugin's."""
_MANY = "more than 400 calls lead to it"
_SUDDEN = (Ending.KILLED, Ending.HUNG, Ending.EXITED)
_ROOMS = {"HandleValue": 0, "OutParameter": 64}


class Recorder:
    """Writes calls to the trace, with all that it takes to do them again."""

    def __init__(self, trace: Trace) -> None:
        """Begin with nothing."""
        self._trace = trace
        self._sizes: dict[int, int] = {}
        self._contents: dict[int, bytes] = {}
        self._kept: list[object] = []
        self._theirs: set[int] = set()
        """The addresses of memory that the plugin has allocated."""
        self._count = 0
        self._step_arguments: list[list[object]] = []
        """The arguments of the last call."""

    def call(
        self, entity: str, address: int, type: FunctionType, layouts: Layouts, values: Sequence[object],
        structs: Sequence[StructInstance],
    ) -> None:  # fmt: skip
        """Write the arguments of a function that is about to be called."""
        self._count += 1
        if self._count > _MOST_CALLS:
            self._trace.write(unshown=_MANY)
            return
        types = [_c_type(foreign_type(each.type, layouts)) for each in type.parameters]
        self._step_arguments = [self._argument(each) for each in values]
        result = _c_type(foreign_type(type.result, layouts))
        memory = self._changed(structs)
        self._trace.write(
            step=entity, address=address, types=types, result=result, given=self._step_arguments, bytes=memory
        )

    def returned(self, value: object, code: int, structs: Sequence[StructInstance]) -> None:
        """Write its results."""
        if self._count <= _MOST_CALLS:
            number = value if isinstance(value, int) else 0
            self._trace.write(stepped=number, code=code, bytes=self._changed(structs), low=_low_memory())

    def _argument(self, value: object) -> list[object]:
        """Return an argument as its kind, and its number or address."""
        if isinstance(value, CFuncPtr):
            return ["callback", 0]
        if isinstance(value, CoreStatus):
            return ["status", value.address]
        if isinstance(value, (int, float, ctypes.Structure)) or value is None:
            return ["number", value if isinstance(value, (int, float)) else 0]
        address = ctypes.addressof(value) if isinstance(value, ctypes.Array) else int(getattr(value, "address", 0))
        if not isinstance(value, StructInstance):
            size = ctypes.sizeof(value) if isinstance(value, ctypes.Array) else int(getattr(value, "size", _WORD))
            if not any(at <= address < at + room for at, room in self._sizes.items()):
                self._sizes[address] = _ROOMS.get(value.__class__.__name__, size)
            if hasattr(value, "write") and not hasattr(value, "_kept"):
                self._theirs.add(address)
            self._kept.append(value)
        return ["address", address]

    def _changed(self, structs: Sequence[StructInstance]) -> list[list[object]]:
        """Return address, size and content of all changed memory, each with true if it is the plugin's."""
        names = {each.address: each.name for each in structs if each.is_cores and not each.retired}
        sizes = {each.address: each.room for each in structs if each.address in names}
        sizes |= {at: size for at, size in self._sizes.items() if ["address", at] in self._step_arguments}
        found: list[list[object]] = []
        for address, size in sizes.items():
            content = ctypes.string_at(address, size) if size <= MOST_BYTES else b""
            if size and self._contents.get(address) != content:
                self._contents[address] = content
                found.append([address, size, content.hex(), address in self._theirs, names.get(address, "")])
        return found


def _low_memory() -> list[tuple[int, int]]:
    """Return the ranges of this process's memory without a file below 4 GiB: there an address looks like a number.

    The heap is there if the program was linked to a fixed address, as Debian's Python is.
    """
    try:
        lines = Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
    low: list[tuple[int, int]] = []
    for line in lines:
        place, access, _, _, inode, *_ = line.split()
        start, end = (int(each, 16) for each in place.split("-"))
        if start < _LEAST_ADDRESS and access.startswith("rw") and inode == "0":
            low.append((start, end))
    return low


def _c_type(type: ForeignType) -> str:
    """Return the C type that `ctypes` passes; empty for a struct."""
    code = getattr(type, "_type_", "")
    if type is None or not code:
        return "void" if type is None else ""
    known = {"P": "void*", "f": "float", "d": "double", "g": "long double"}
    return known.get(code) or f"{'u' * code.isupper()}int{ctypes.sizeof(type) * 8}_t"


def _failure(events: Sequence[Event], entity: str) -> int:
    """Return the number of events up to the first error that a function reports; 0 if it reports none."""
    doing = ""
    for count, each in enumerate(events, start=1):
        doing = str(each.get("step", doing))
        if doing == entity and each.get("code") and "stepped" in each:
            return count
    return 0


_MOST_TOLD = 20
"""The most entries that are shown of the calls before a finding."""


class Sighting(msgspec.Struct, frozen=True):
    """The point of a process at which a finding was seen."""

    outcome: Outcome
    events: int
    """The number of events of the process up to that point."""

    @property
    def calls(self) -> tuple[str, ...]:
        """The calls up to that point, in order, repeated calls as one entry; of many only the last ones."""
        called = [str(each["call"]) for each in self.outcome.events[: self.events] if "call" in each]
        runs = [(name, len(list(same))) for name, same in groupby(called)]
        shown = [f"{name}, {times} times" if times > 1 else name for name, times in runs]
        left = sum(times for _, times in runs[:-_MOST_TOLD])
        return (*([f"{left} calls before these"] if left else []), *shown[-_MOST_TOLD:])

    def program(self, trial: Trial, finding: Finding) -> tuple[str, str]:
        """Return the text of a program that shows a finding; or an empty text and the reason why none does."""
        events = self.outcome.events[: self.events]
        failed = _failure(events, finding.entity)
        events = events[:failed] if failed else events
        unshown = [str(each["unshown"]) for each in events if "unshown" in each]
        steps = [each for each in events if "step" in each]
        if any("" in (*cast("list[str]", each["types"]), each["result"]) for each in steps):
            unshown.append("a struct is passed by value")
        ends = self.outcome.ending in _SUDDEN and self.events == len(self.outcome.events)
        if not steps or not (ends or failed or any("expected" in each or "overrun" in each for each in events)):
            unshown = ["abigen finds it by comparing runs; no single call shows it"]
        if unshown:
            return "", unshown[0]
        return _Program(trial, finding, events).text(), ""


class Address(msgspec.Struct, frozen=True):
    """An address as the program knows it."""

    offset: int
    """From the address in the array; or from 0."""
    array: str = ""
    """`memory` for the core's, `kept` for the plugin's; empty for a number."""
    number: int = 0


class Statement(msgspec.Struct, frozen=True):
    """A call of a function of the program's own, or of C's."""

    function: str
    """Empty where no function is called, and the last result is kept."""
    arguments: tuple[Address | bytes | int, ...] = ()
    kept: int = 0
    """The number under which the returned word of the plugin is kept; 0 for none."""
    remark: str = ""


class Call(msgspec.Struct, frozen=True):
    """A call of one of the plugin's functions."""

    name: str
    function: Address | str
    """The address of the function; its symbol if the plugin exports it."""
    result: str
    types: list[str]
    arguments: list[Address | str]
    """Numbers are text; `status` is the core's status object, and `callback` a function that does nothing."""


class _Program:
    """Makes the text of one program."""

    def __init__(self, trial: Trial, finding: Finding, events: Sequence[Event]) -> None:
        self._trial = trial
        self._finding = finding
        self._events = events
        self._memory: dict[int, tuple[int, bytearray]] = {}
        """Core's memory by address: its number, and what it holds."""
        self._count = 0
        self._known: dict[int, int] = {}
        """The plugin's words, each with its number in `kept`."""
        self._used = {0}
        """The numbers of those that are passed on, and 0."""

    def text(self) -> str:
        """Return the whole text."""
        statements = [each for event in self._events for each in self._statements(event)]
        title = printable(f"{self._finding.code} {self._finding.rule}: {self._finding.message}").replace("*/", "* /")
        return fill_in(
            "verify/_core/repro.c.j2",
            title=title,
            core=shim_source(self._trial.api, self._trial.others),
            memories=len(self._memory) + 1,
            kept=self._count + 1,
            statements=[each for each in statements if isinstance(each, Call) or each.kept in self._used],
        )

    def _statements(self, event: Event) -> Iterator[Statement | Call]:
        if "step" in event:
            yield from self._put(event["bytes"])
            yield self._call(event)
        elif "stepped" in event:
            yield from self._learn(event)
        elif "retired" in event:
            start, end = int(str(event["start"])), int(str(event["end"]))
            yield from (Statement("end", (number,)) for at, (number, _) in self._memory.items() if start <= at < end)
        elif "expected" in event:
            content = bytes.fromhex(str(event["expected"]))
            yield Statement("compare", (self._address(int(str(event["at"]))), content, len(content)))

    def _put(self, memory: object) -> Iterator[Statement]:
        """Yield statements that bring the memory to the content that the core had given it."""
        assert isinstance(memory, list)
        for address, size, text, is_theirs, name in memory:
            if is_theirs:
                yield Statement("memcpy", (self._address(address), bytes.fromhex(text), size))
            elif address not in self._memory:
                self._memory[address] = (len(self._memory), bytearray(size))
                yield Statement("make", (self._memory[address][0], size), remark=name)
        for address, _, text, is_theirs, _ in memory:
            if is_theirs:
                continue
            number, known = self._memory[address]
            content = bytes.fromhex(text)
            for at in range(0, len(content), _WORD):
                word = content[at : at + _WORD]
                if word != known[at : at + _WORD]:
                    pointer = self._address(int.from_bytes(word, "little")) if len(word) == _WORD else None
                    if pointer is not None and pointer.array:
                        yield Statement("address", (number, at, pointer))
                    else:
                        yield Statement("bytes", (number, at, word, len(word)))
            self._memory[address] = (number, bytearray(content or known))

    def _call(self, event: Event) -> Call:
        types, given = event["types"], event["given"]
        assert isinstance(types, list)
        assert isinstance(given, list)
        arguments = [
            kind if kind in ("status", "callback") else
            self._address(int(value)) if type == "void*" else repr(value)
            for type, (kind, value) in zip(types, given, strict=True)
        ]  # fmt: skip
        first = self._trial.first
        is_entry = first is not None and event["step"] == first.name
        function = (first.symbol or first.name) if first and is_entry else self._address(int(str(event["address"])))
        return Call(str(event["step"]), function, str(event["result"]), types, arguments)

    def _learn(self, event: Event) -> Iterator[Statement]:
        """Remember the words that the plugin has left in the core's memory, or returned."""
        value, memory = int(str(event["stepped"])), event["bytes"]
        low = event["low"]
        assert isinstance(memory, list)
        assert isinstance(low, list)

        def is_address(word: int) -> bool:
            return word >= _LEAST_ADDRESS or any(start <= word < end for start, end in low)

        if is_address(value):
            yield Statement("", kept=self._number_for(value))
        for address, _, text, *_ in memory:
            if address not in self._memory:
                continue
            number, content = self._memory[address][0], bytes.fromhex(text)
            for at in range(0, len(content) - _WORD + 1, _WORD):
                word = int.from_bytes(content[at : at + _WORD], "little")
                is_new = content[at : at + _WORD] != self._memory[address][1][at : at + _WORD]
                if is_new and word < 1 << 47 and is_address(word) and self._core_address(word) is None:
                    yield Statement("taken", (number, at), self._number_for(word))
            self._memory[address] = (number, bytearray(content or self._memory[address][1]))

    def _number_for(self, word: int) -> int:
        """Return a new number for a word of the plugin's; the same word may come again after it was freed."""
        self._count += 1
        self._known[word] = self._count
        return self._count

    def _core_address(self, value: int) -> Address | None:
        """Return an address within the core's memory; None for others."""
        found = ((at, number) for at, (number, content) in self._memory.items() if at <= value < at + len(content))
        return next((Address(value - at, "memory", number) for at, number in found), None)

    def _address(self, value: int) -> Address:
        """Return an address: one of the core's, one of the plugin's or behind it, or a number."""
        own = self._core_address(value)
        if own is not None:
            return own
        base = max((each for each in self._known if each <= value < each + _REACH), default=0)
        if value in self._known or base:
            base = value if value in self._known else base
            self._used.add(self._known[base])
            return Address(value - base, "kept", self._known[base])
        return Address(value)
