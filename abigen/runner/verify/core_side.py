"""Fills the members that the core owes to a plugin: functions that work, nested structs, names and numbers.

The functions are made of the types alone. A pair that allocates and frees memory works and counts its blocks; every
other function does nothing, counts its calls, and reports success.
"""

from __future__ import annotations

import ctypes
import threading
from _ctypes import CFuncPtr
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias

import msgspec

from abigen.model.api import Api
from abigen.model.contract import ALLOCATES, ENDS, FREES, PAIRS, REALLOCATES, Party
from abigen.model.ctype import Basic, CType, EnumType, FunctionType, Parameter, Pointer, RecordType
from abigen.model.entities import Field, Function, Struct
from abigen.model.layout import Layouts
from abigen.model.pattern import parse_pattern
from abigen.model.roles import COUNT_WORDS, contracts_of, is_demanded
from abigen.model.spelling import words_of
from abigen.runner.verify.repro import PATTERN, SLACK, Buffer, StructInstance
from abigen.runner.verify.scenario import Scenario
from abigen.workspace.process import Trace

CoreFunction: TypeAlias = Callable[..., int]
"""A function of the core's in Python: it takes numbers and addresses, and returns one."""
_OPAQUE = 4096
"""Bytes of zero behind a pointer of which only the core knows the type."""
_DEEPEST = 4
"""The largest depth of nested structs of the core."""


class _Block(msgspec.Struct):
    """Memory that the core's allocator has given to the plugin."""

    size: int
    giver: str
    """The function that gave it, `Struct.member`."""


class CoreProcess(Protocol):
    """The core whose members are filled: what it knows, and how it makes memory and functions."""

    api: Api
    layouts: Layouts
    scenario: Scenario
    trace: Trace
    doing: str
    watching: bool

    def new_struct(self, key: str) -> StructInstance:
        """Return a new struct of the core's."""

    def new_buffer(self, name: str, size: int, content: bytes = b"", alignment: int = 16) -> Buffer:
        """Return new memory of the core's that is no struct."""

    def closure(self, type: FunctionType, work: CoreFunction) -> CFuncPtr:
        """Return a pointer to a function of the core's."""

    def number(self, code: str) -> int:
        """Return the number that a code or a truth value is."""


class CoreSide:
    """The functions and values that one core offers, with the blocks of memory that the plugin has got from it."""

    def __init__(self, harness: CoreProcess) -> None:
        """Offer nothing yet."""
        self._harness = harness
        self._functions: dict[str, CFuncPtr] = {}
        self._blocks: dict[int, _Block] = {}
        self._objects: dict[str, int] = {}
        """Addresses of zeros that stand for the objects which functions return, by function."""
        self._lock = threading.Lock()
        self._thread = threading.get_ident()
        self._library = ctypes.CDLL(None)
        self._library.aligned_alloc.restype = ctypes.c_void_p
        self.registered: dict[str, tuple[FunctionType, int]] = {}
        """Functions that the plugin has passed to functions of the core, by function and parameter: type and address.

        They are called without anything of the plugin's, so the plugin has passed NULL as its own `void*`.
        """
        self.answers_null = False
        """True while a registered function is called: what the plugin has not stored for it is NULL then."""
        self.calls: Counter[str] = Counter()
        """The number of calls of each function of the core by the plugin, by `Struct.member`."""

    def fill(self, made: StructInstance, depth: int = 0) -> None:
        """Set all members of a struct that the core owes: those that are required, and all functions.

        Functions that are optional stay NULL in a core whose structs end at a page (`Scenario.pages`), so that each
        plugin meets a core with them and one without them.

        Args:
            made: a struct of the core's; members that are set already stay as they are.
            depth: the number of structs that lead to it.
        """
        leading = (made.struct.size_member, self._harness.api.conventions.extension_field)
        for each in made.layout.fields:
            field, resolved = each.field, self._harness.layouts.resolve(each.field.type)
            if not each.name or each.name in leading or each.bit_width is not None or field.contract.reserved:
                continue
            if isinstance(resolved, RecordType) and not self._harness.api.structs[resolved.key].is_union:
                inner = StructInstance(resolved.key, self._harness.layouts, at=made.address + each.offset)
                inner.state_size()
                if inner.struct.filler is not Party.PLUGIN and depth < _DEEPEST:
                    self.fill(inner, depth + 1)
                continue
            is_left_out = field.contract.is_optional and self._harness.scenario.pages
            if field.filler is not Party.CORE or is_left_out or made.read(each.name):
                continue
            value = self._value(made, field, resolved, depth)
            if isinstance(value, (int, float)) and value:
                made.write(each.name, int(value))

    def _value(self, made: StructInstance, field: Field, resolved: CType, depth: int) -> int:
        """Return the value of a member, 0 where the core owes none; pointers are addresses."""
        api, demanded = self._harness.api, is_demanded(field)
        function = api.callback(field.type)
        if function is not None:
            return self.function(made.struct, field, function)
        pointee = api.pointee(field.type)
        if pointee is not None and pointee.filler is Party.CORE and depth < _DEEPEST:
            inner = self._harness.new_struct(pointee.name)
            self.fill(inner, depth + 1)
            return inner.address
        if not demanded:
            return 0
        if isinstance(resolved, EnumType):
            values = [each.value for each in api.enums[resolved.key].enumerators or ()]
            return next((each for each in values if each), 0)
        if not isinstance(resolved, Pointer):
            return 1
        target = self._harness.layouts.resolve(resolved.target)
        text = parse_pattern(field.pattern).example() if field.pattern else "abigen"
        content = text.encode() + b"\0" if target == Basic("char") else b""
        name = f"{made.name}.{field.name}"
        return self._harness.new_buffer(name, max(_OPAQUE, len(content)), content).address

    def function(self, struct: Struct, field: Field, type: FunctionType) -> int:
        """Return the address of the function that the core puts into a member."""
        entity = f"{struct.name}.{field.name}"
        if entity not in self._functions:
            self._functions[entity] = self._harness.closure(type, self._work(struct, field, type, entity))
            self._harness.trace.write(unshown="the plugin receives functions of the core, which only abigen has")
        return ctypes.cast(self._functions[entity], ctypes.c_void_p).value or 0

    def exported(self, function: Function) -> int:
        """Return the address of a function of the core's that no struct holds: one that finds others, or is found.

        Args:
            function: of the API.
        """
        if function.name not in self._functions:
            found = [each for each in self._harness.api.functions.values() if each.found_by == function.name]
            work = self._finder(function, found) if found else self._recorder(function.type, function.name)
            self._functions[function.name] = self._harness.closure(function.type, work)
            self._harness.trace.write(unshown="the plugin receives functions of the core, which only abigen has")
        return ctypes.cast(self._functions[function.name], ctypes.c_void_p).value or 0

    def _finder(self, function: Function, known: Sequence[Function]) -> CoreFunction:
        """Return a function that finds others by their names: it stores the address, or returns it."""
        by_name = {each.name: each for each in known}
        pointers = [at for at, each in enumerate(function.type.parameters) if self._is_pointer(each)]
        name_at, place_at = pointers[0], pointers[1] if len(pointers) > 1 else -1
        failed = self._harness.api.outcome(function.type, function.name).failed

        def find(*given: int | float | None) -> int:
            self._count(function.name)
            name = ctypes.string_at(int(given[name_at] or 0)).decode("utf-8", "replace")
            wanted = by_name.get(name)
            address = self.exported(wanted) if wanted is not None else 0
            if place_at < 0:
                return address
            ctypes.c_void_p.from_address(int(given[place_at] or 0)).value = address
            if wanted is None and failed and failed != "NULL":
                return self._harness.number(failed)
            return self.ok(function.type, function.name)

        return find

    def _is_pointer(self, parameter: Parameter) -> bool:
        return isinstance(self._harness.layouts.resolve(parameter.type), Pointer)

    def _recorder(self, type: FunctionType, entity: str) -> CoreFunction:
        """Return a function that does nothing, counts its calls, and reports success."""

        def record(*given: int | float | None) -> int:
            self._count(entity)
            self._register(type, entity, given)
            return self.ok(type, entity)

        return record

    def _register(self, type: FunctionType, entity: str, given: Sequence[int | float | None]) -> None:
        """Remember the functions among arguments, if they can be called: nothing of the plugin's comes with them."""
        api, arguments = self._harness.api, list(zip(type.parameters, given, strict=False))
        if any(value for parameter, value in arguments if self._is_of_anything(parameter)):
            return
        for parameter, value in arguments:
            function = api.callback(parameter.type)
            if function is None or not value or any(map(self._is_of_anything, function.parameters)):
                continue
            if {*words_of(parameter.name or "")} & {*PAIRS.values(), *ENDS}:
                continue
            self.registered.setdefault(f"{entity}.{parameter.name or 'function'}", (function, int(value)))

    def _is_of_anything(self, parameter: Parameter) -> bool:
        """True if a parameter is a `void*` that only the side which has passed it understands."""
        resolved = self._harness.layouts.resolve(parameter.type)
        is_const = self._harness.api.is_const_pointer(parameter.type)
        return isinstance(resolved, Pointer) and resolved.target == Basic("void") and not is_const

    def _work(self, struct: Struct, field: Field, type: FunctionType, entity: str) -> CoreFunction:
        """Choose the work of a function by its name and type."""
        words = {*words_of(field.name)}
        siblings = {word for each in struct.fields or () for word in words_of(each.name)}
        frees = bool(siblings & FREES)
        if frees and words & (ALLOCATES | REALLOCATES) and _Request.of(type, self._harness) is not None:
            return self._allocator(type, entity, is_reallocation=bool(words & REALLOCATES))
        pointers = [at for at, each in enumerate(type.parameters) if self._is_memory(each)]
        if words & FREES and siblings & (ALLOCATES | REALLOCATES) and pointers:
            at = pointers[-1]

            def release(*given: int | float | None) -> int:
                self._count(entity)
                self._free(int(given[at] or 0), entity)
                return self.ok(type, entity)

            return release

        return self._recorder(type, entity)

    def _is_memory(self, parameter: Parameter) -> bool:
        resolved = self._harness.layouts.resolve(parameter.type)
        target = self._harness.layouts.resolve(resolved.target) if isinstance(resolved, Pointer) else None
        return isinstance(target, Basic)

    def ok(self, type: FunctionType, entity: str) -> int:
        """Return the value by which a function of the core's reports success; for objects an address of zeros."""
        outcome = self._harness.api.outcome(type, entity)
        if outcome.ok and outcome.ok != "NULL":
            return self._harness.number(outcome.ok)
        result = self._harness.layouts.resolve(type.result)
        is_left = self.answers_null and isinstance(result, Pointer) and result.target == Basic("void")
        if isinstance(result, Pointer) and outcome.ok != "NULL" and not is_left:
            if entity not in self._objects:  # a new one for each call would look like a leak of the plugin's
                self._objects[entity] = self._harness.new_buffer(entity, _OPAQUE).address
            return self._objects[entity]
        return 0

    def _allocator(self, type: FunctionType, entity: str, *, is_reallocation: bool) -> CoreFunction:
        request = _Request.of(type, self._harness)
        assert request is not None

        def allocate(*given: int | float | None) -> int:
            self._count(entity)
            size = 1
            for at in request.sizes:
                size *= int(given[at] or 0)
            alignment = int(given[request.alignment] or 0) if request.alignment >= 0 else 0
            address = self._allocate(size, alignment, entity)
            known = int(given[request.known] or 0) if is_reallocation and request.known >= 0 else 0
            if known and known in self._blocks:
                ctypes.memmove(address, known, min(size, self._blocks[known].size))
                self._free(known, entity)
            if request.stores < 0:
                return address
            ctypes.c_void_p.from_address(int(given[request.stores] or 0)).value = address
            return self.ok(type, entity)

        return allocate

    def _allocate(self, size: int, alignment: int, giver: str) -> int:
        """Allocate a block with a pattern behind it, in which writes are seen."""
        least = max(16, alignment if alignment & (alignment - 1) == 0 else 0)
        room = -(-(size + SLACK) // least) * least
        address = int(self._library.aligned_alloc(ctypes.c_size_t(least), ctypes.c_size_t(room)) or 0)
        ctypes.memset(address, 0xA5, size)
        ctypes.memmove(address + size, PATTERN, SLACK)
        with self._lock:
            self._blocks[address] = _Block(size, giver)
        return address

    def _free(self, address: int, entity: str) -> None:
        """Free a block; report one that the core has not given, or that was freed already."""
        if not address:
            return
        with self._lock:
            block = self._blocks.pop(address, None)
        if block is None:
            if self._harness.watching:  # of several functions that are called again and again, nobody knows which
                self._harness.trace.write(misfreed=self._harness.doing, by=entity)
            return
        if self._harness.watching:
            self._look_behind(address, block)
        self._library.free(ctypes.c_void_p(address))

    def look(self) -> None:
        """Report writes behind the end of blocks."""
        for address, block in list(self._blocks.items()):
            self._look_behind(address, block)

    def _look_behind(self, address: int, block: _Block) -> None:
        behind = ctypes.string_at(address + block.size, SLACK)
        if behind == PATTERN:
            return
        changed = [at for at, byte in enumerate(behind) if byte != PATTERN[at]]
        name = f"a block of {block.size} bytes from {block.giver}"
        self._harness.trace.write(
            overrun="", buffer=name, size=block.size, by=self._harness.doing, offset=block.size + changed[0],
            length=changed[-1] - changed[0] + 1,
        )  # fmt: skip
        ctypes.memmove(address + block.size, PATTERN, SLACK)

    def _count(self, entity: str) -> None:
        """Count a call, and report one from a thread on which the spec does not allow it."""
        self.calls[entity] += 1
        said = {each.thread for each in contracts_of(self._harness.api, entity)} - {"", "any"}
        if said and threading.get_ident() != self._thread and self._harness.watching:
            self._harness.trace.write(wrong_thread=entity, during=self._harness.doing, wanted=min(said))


class _Request(msgspec.Struct, frozen=True):
    """The positions of the parameters of an allocating function; -1 for those that it does not have."""

    sizes: tuple[int, ...]
    """Numbers whose product is the size in bytes: one, or a count and the size of an element."""
    alignment: int
    known: int
    """The block that is to grow or shrink."""
    stores: int
    """The parameter to which the address is stored when the function does not return it."""

    @staticmethod
    def of(type: FunctionType, harness: CoreProcess) -> _Request | None:
        """Find the parameters; None for a function that cannot allocate: it gives no address, or takes no size."""
        layouts, alignment, known, stores = harness.layouts, -1, -1, -1
        sizes: list[int] = []
        counts: list[int] = []
        for at, each in enumerate(type.parameters):
            resolved, words = layouts.resolve(each.type), {*words_of(each.name or "")}
            if isinstance(resolved, Basic) and harness.api.is_integer(each.type):
                if words & {"alignment", "align", "aligned"}:
                    alignment = at
                else:
                    (counts if words & COUNT_WORDS else sizes).append(at)
            elif isinstance(resolved, Pointer):
                target = layouts.resolve(resolved.target)
                stores = at if isinstance(target, Pointer) else stores
                known = at if isinstance(target, Basic) else known
        returns = isinstance(layouts.resolve(type.result), Pointer)
        if not (sizes or counts) or not (returns or stores >= 0):
            return None
        return _Request((*counts[:1], *sizes[:1]), alignment, known, -1 if returns else stores)
