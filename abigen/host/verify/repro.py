"""Programs in C that show findings without abigen: the calls that led to them, once more.

A `Recorder` writes what every call is given, and what core's memory holds before and after it, to the trace. From that
a program is made. Addresses differ each time, so a word that is one of the plugin's is taken from where it stood first.
"""

from __future__ import annotations

import ctypes
from _ctypes import CFuncPtr
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import cast

import msgspec

from abigen.host.process import Ending, Event, Outcome, Trace
from abigen.host.verify.scenario import Trial
from abigen.host.verify.shim import CoreStatus, shim_source
from abigen.host.verify.struct_memory import ForeignType, StructInstance, foreign_type
from abigen.model.ctype import FunctionType
from abigen.model.finding import Finding
from abigen.model.layout import Layouts
from abigen.model.printable import printable
from abigen.shipped import fill_in

MOST_BYTES, _MOST_CALLS = 1 << 16, 400
"""Of larger memory the content is not recorded, and of more calls none."""
_WORD = 8
_LEAST_ADDRESS = 1 << 32
_REACH = 1 << 25
"""How far behind an address of the plugin's another one can be that was computed from it, in bytes."""
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
        self._given: list[list[object]] = []
        """The arguments of the last call."""

    def call(
        self, entity: str, address: int, type: FunctionType, layouts: Layouts, values: Sequence[object],
        structs: Sequence[StructInstance],
    ) -> None:  # fmt: skip
        """Write what a function is about to be given."""
        self._count += 1
        if self._count > _MOST_CALLS:
            self._trace.write(unshown=_MANY)
            return
        types = [_c_type(foreign_type(each.type, layouts)) for each in type.parameters]
        self._given = [self._argument(each) for each in values]
        result = _c_type(foreign_type(type.result, layouts))
        memory = self._changed(structs)
        self._trace.write(step=entity, address=address, types=types, result=result, given=self._given, bytes=memory)

    def returned(self, value: object, code: int, structs: Sequence[StructInstance]) -> None:
        """Write what it has given."""
        if self._count <= _MOST_CALLS:
            number = value if isinstance(value, int) else 0
            self._trace.write(stepped=number, code=code, bytes=self._changed(structs), low=_low_memory())

    def _argument(self, value: object) -> list[object]:
        """An argument: its kind, and its number or address."""
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
        """Address, size and content of all memory that is not as it was, and whether the plugin has allocated it."""
        names = {each.address: each.name for each in structs if each.is_cores and not each.retired}
        sizes = {each.address: each.room for each in structs if each.address in names}
        sizes |= {at: size for at, size in self._sizes.items() if ["address", at] in self._given}
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
    """The C type that `ctypes` passes; empty for a struct."""
    code = getattr(type, "_type_", "")
    if type is None or not code:
        return "void" if type is None else ""
    known = {"P": "void*", "f": "float", "d": "double", "g": "long double"}
    return known.get(code) or f"{'u' * code.isupper()}int{ctypes.sizeof(type) * 8}_t"


def _failure(events: Sequence[Event], entity: str) -> int:
    """How many events there are until a function has reported an error; 0 when it has not."""
    doing = ""
    for count, each in enumerate(events, start=1):
        doing = str(each.get("step", doing))
        if doing == entity and each.get("code") and "stepped" in each:
            return count
    return 0


_MOST_TOLD = 20
"""How many calls before a finding are shown."""


class Sighting(msgspec.Struct, frozen=True):
    """Where a finding was seen."""

    outcome: Outcome
    events: int
    """How many events of its process there were by then."""

    @property
    def calls(self) -> tuple[str, ...]:
        """What had been called by then, in order, repeated calls in one; of many the last ones."""
        called = [str(each["call"]) for each in self.outcome.events[: self.events] if "call" in each]
        runs = [(name, len(list(same))) for name, same in groupby(called)]
        shown = [f"{name}, {times} times" if times > 1 else name for name, times in runs]
        left = sum(times for _, times in runs[:-_MOST_TOLD])
        return (*([f"{left} calls before these"] if left else []), *shown[-_MOST_TOLD:])

    def program(self, trial: Trial, finding: Finding) -> tuple[str, str]:
        """The text of a program that shows a finding; empty with the reason where none does."""
        events = self.outcome.events[: self.events]
        failed = _failure(events, finding.entity)
        events = events[:failed] if failed else events
        unshown = [str(each["unshown"]) for each in events if "unshown" in each]
        steps = [each for each in events if "step" in each]
        if any("" in (*cast("list[str]", each["types"]), each["result"]) for each in steps):
            unshown.append("a struct is passed by value")
        ends = self.outcome.ending in _SUDDEN and self.events == len(self.outcome.events)
        if not steps or not (ends or failed or any("expected" in each or "overrun" in each for each in events)):
            unshown = ["it is seen by what abigen compares, not by what one call does"]
        if unshown:
            return "", unshown[0]
        return _Program(trial, finding, events).text(), ""


class Address(msgspec.Struct, frozen=True):
    """An address as the program knows it."""

    offset: int
    """From the address in the array; or from 0."""
    array: str = ""
    """`memory` for core's, `kept` for the plugin's; empty for a number."""
    number: int = 0


class Statement(msgspec.Struct, frozen=True):
    """A call of a function of the program's own, or of C's."""

    function: str
    """Empty where nothing is called, and what was returned last is kept."""
    arguments: tuple[Address | bytes | int, ...] = ()
    kept: int = 0
    """Under which number the plugin's word is kept that this gives; 0 for what gives none."""
    remark: str = ""


class Call(msgspec.Struct, frozen=True):
    """A call of one of the plugin's functions."""

    name: str
    function: Address | str
    """What the plugin exports goes by its symbol."""
    result: str
    types: list[str]
    arguments: list[Address | str]
    """Numbers are text; `status` is core's status object, and `callback` a function that does nothing."""


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
        """The whole text."""
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
        """Put what core has put into its memory."""
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
        """Remember the words that the plugin has left in core's memory, or returned."""
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
                if is_new and word < 1 << 47 and is_address(word) and self._own(word) is None:
                    yield Statement("taken", (number, at), self._number_for(word))
            self._memory[address] = (number, bytearray(content or self._memory[address][1]))

    def _number_for(self, word: int) -> int:
        """The number of a word of the plugin's from now on; what has been freed can be given again."""
        self._count += 1
        self._known[word] = self._count
        return self._count

    def _own(self, value: int) -> Address | None:
        """An address within core's memory; None for others."""
        found = ((at, number) for at, (number, content) in self._memory.items() if at <= value < at + len(content))
        return next((Address(value - at, "memory", number) for at, number in found), None)

    def _address(self, value: int) -> Address:
        """An address: one of core's, one of the plugin's or behind it, or a number."""
        own = self._own(value)
        if own is not None:
            return own
        base = max((each for each in self._known if each <= value < each + _REACH), default=0)
        if value in self._known or base:
            base = value if value in self._known else base
            self._used.add(self._known[base])
            return Address(value - base, "kept", self._known[base])
        return Address(value)
