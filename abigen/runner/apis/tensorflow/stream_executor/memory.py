"""Memory of devices: allocations, and copies and fills of the right bytes in order."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from abigen.model.api import Api
from abigen.model.finding import Level
from abigen.runner.verify.arguments import HandleValue
from abigen.runner.verify.check import Observation, check
from abigen.runner.verify.harness import CallArgument, Harness, repeat
from abigen.runner.verify.repro import StructInstance
from abigen.runner.verify.scenario import Scenario, shortened
from abigen.workspace.process import InapplicableError, StoppedError

from .device import EXECUTOR, MARGIN, MEMORY, PINNED, HostBuffer, HostMemory, TestedDevice, Unset, high, low, pattern

SIZES = (1, 3, 255, 256, 4097, 1 << 20, 16 << 20)
"""Bytes: the smallest, odd ones, and what a model needs."""
_SMALL = (1, 3, 64, 65, 255, 4097, 100, 7, 33, 4096)
_TOO_LARGE = (1 << 60, (1 << 64) - 1)
_ALLOCATE = f"{EXECUTOR}.allocate"
_ALIGNMENT = 16
_LIKED = 64
"""The alignment that the core prefers for the data of its tensors, in bytes, where it has a function that reports
it."""
_STATS = f"{EXECUTOR}.get_allocator_stats"


@check("ABI050", basic=True, quick=True)
def allocation_fails(harness: Harness) -> Iterator[Observation]:
    """Device memory of some size cannot be allocated, or is smaller than requested.

    What happens: The core's allocator requests large pieces and odd sizes; if a request fails, the operation fails.

    Instead: Round up inside the plugin, and store the allocated size in `size`.

    Source: `SP_StreamExecutor.allocate`, `SP_DeviceMemoryBase.size`.
    """
    device = TestedDevice(harness)
    for size in device.fitting(SIZES):
        memory = device.allocate(size)
        if not memory.read("opaque"):
            yield Observation(_ALLOCATE, f"{_ALLOCATE} cannot allocate {size} bytes")
            return
        if int(memory.read("size")) < size:
            message = f"{_ALLOCATE} is asked for {size} bytes, and reports {memory.read('size')}"
            yield Observation(f"{MEMORY}.size", message)
            return
        device.free(memory)


@check("ABI051")
def allocation_of_nothing(harness: Harness) -> Iterator[Observation]:
    """The plugin does not handle memory of 0 bytes, or memory that is NULL.

    What happens: Empty tensors are usual, and so are calls that free NULL after a failed allocation.

    Instead: For 0 bytes, return NULL or a valid pointer. Accept both in `deallocate`.

    Source: `SP_StreamExecutor.allocate` and `deallocate`.
    """
    device = TestedDevice(harness)
    memory = device.allocate(0)
    if not memory.read("opaque") and memory.read("size"):
        message = f"{_ALLOCATE} returns NULL for 0 bytes, and reports {memory.read('size')}"
        yield Observation(f"{MEMORY}.size", message)
    device.free(memory)
    device.free(harness.new_struct(MEMORY))
    after = device.allocate(16)
    if not after.read("opaque"):
        yield Observation(_ALLOCATE, f"{_ALLOCATE} cannot allocate after NULL was freed")
    device.free(after)


@check("ABI052")
def allocations_overlap(harness: Harness) -> Iterator[Observation]:
    """Two pieces of device memory that exist at the same time share bytes.

    What happens: One tensor overwrites another.

    Instead: Round sizes up before memory is divided, and return only memory that is free.

    Source: `SP_StreamExecutor.allocate`.
    """
    device = TestedDevice(harness)
    large = [each for each in (1 << 16, 2 << 20) if each <= device.room // 4]
    contents = [pattern(size, seed) for seed, size in enumerate((*_SMALL, *large, *large))]
    pieces = [device.upload(content) for content in contents]
    for memory, content in zip(pieces, contents, strict=True):
        if device.download(memory, len(content)) != content:
            yield Observation(_ALLOCATE, f"{_ALLOCATE} returns {len(content)} bytes that another allocation overwrites")
            return
    for memory in pieces:
        device.free(memory)


@check("ABI053")
def refusal_of_memory_not_told(harness: Harness) -> Iterator[Observation]:
    """The plugin returns an address for memory that it cannot allocate.

    What happens: The core writes to the address that it receives. After a refusal, it frees its cached memory and tries
    again, but only if the plugin reports the refusal.

    Instead: Leave `opaque` NULL and `size` 0 when the device has no memory left. Check for overflow when sizes are
    rounded up.

    Source: `SP_StreamExecutor.allocate`: when that fails, `mem` describes NULL.
    """
    device = TestedDevice(harness)
    for size in _TOO_LARGE:
        memory = device.allocate(size)
        if memory.read("opaque"):
            yield Observation(_ALLOCATE, f"{_ALLOCATE} returns memory when it is asked for {size} bytes")
            return
        if memory.read("size"):
            message = f"{_ALLOCATE} refuses {size} bytes, and reports {memory.read('size')}"
            yield Observation(f"{MEMORY}.size", message)
            return
    content = pattern(1000, 1)
    if device.download(device.upload(content), 1000) != content:
        yield Observation(_ALLOCATE, f"{_ALLOCATE} returns unusable memory after it refused once")


@check("ABI054")
def host_memory_unusable(harness: Harness) -> Iterator[Observation]:
    """Memory of the host that the plugin allocates is not there, or is not the host's alone.

    What happens: The core copies through it to and from the device.

    Instead: Return memory that the host can read and write, aligned as `malloc` does. The check needs only pieces of up
    to 64 KiB.

    Source: `SP_StreamExecutor.host_memory_allocate`.
    """
    entity = f"{EXECUTOR}.host_memory_allocate"
    device = TestedDevice(harness)
    pieces = []
    for seed, size in enumerate(SIZES):
        address = int(device.call("host_memory_allocate", size).value or 0)
        if not address and size > PINNED:
            break
        if not address:
            yield Observation(entity, f"{entity} cannot allocate {size} bytes")
            return
        with harness.calling(f"using memory from {entity}"):
            ctypes.memmove(address, pattern(size, seed), size)
        pieces.append((address, size, seed))
    for address, size, seed in pieces:
        with harness.calling(f"using memory from {entity}"):
            content = ctypes.string_at(address, size)
        if content != pattern(size, seed):
            yield Observation(entity, f"{entity} returns {size} bytes that overlap with another allocation")
            return
    for address, _, _ in pieces:
        device.call("host_memory_deallocate", address)


@check("ABI087")
def memory_badly_aligned(harness: Harness) -> Iterator[Observation]:
    """Memory begins at an address that not every type can have.

    What happens: Kernels read and write whole vectors, and crash or are slow.

    Instead: Align all memory as `malloc` does, to 16 bytes. Align memory of the device to 64 bytes, because the core
    puts the data of tensors there; less is a warning.

    Source: C 7.24.3 for what is allocated; `TF_TensorDefaultAlignment`, which is 64 in TensorFlow.
    """
    device = TestedDevice(harness)
    sizes = [*device.fitting((1, 7, 100, 4097, PINNED)), *device.fitting((1 << 18, 1 << 20, 4 << 20))]
    pieces = [device.memory(size) for size in sizes] if device.has_addresses else []
    found = {_ALLOCATE: [int(each.read("opaque")) for each in pieces]}
    for member in ("host_memory_allocate", "unified_memory_allocate"):
        if device.has(member):  # there may be little of either
            found[f"{EXECUTOR}.{member}"] = [int(device.call(member, size).value or 0) for size in sizes]
    for entity, addresses in found.items():
        wanted = ((_ALIGNMENT, None), (_LIKED, Level.WARNING))[: 1 + (entity == _ALLOCATE and _has_tensors(harness))]
        for alignment, level in wanted:
            wrong = next((each for each in addresses if each % alignment), None)
            if wrong is not None:
                message = f"{entity} gives memory at {wrong:#x}, not aligned to {alignment} bytes"
                yield Observation(entity, message, level=level)
                break


def _shorter(api: Api) -> Iterator[Scenario]:
    """Yield cores with a shorter description of memory, or shorter statistics, each at the end of a page."""
    for each in shortened(api):
        if any(each.api.structs.get(name) is not api.structs.get(name) for name in (MEMORY, "SP_AllocatorStats")):
            yield replace(each, pages=True)


@check("ABI027", scenarios=_shorter, level=Level.WARNING, unless=("ABI050",))
def memory_fails_on_shorter_structs(harness: Harness) -> Iterator[Observation]:
    """Device memory does not work when its description ends one member earlier.

    What happens: A core that is older than that member copies to and from memory that does not exist. The check also
    finds plugins that read or write past the end of such a struct, or of shorter statistics; `struct-size-ignored`
    reports those.

    Instead: Compare `struct_size` with the end of each member, and leave `opaque` NULL if the plugin needs a member
    that is missing.

    Source: versioning strategy, "By Checking Struct Size"; `SP_DeviceMemoryBase`, `SP_AllocatorStats`.
    """
    device, content = TestedDevice(harness), pattern(1000, 1)
    device.call("get_allocator_stats", harness.new_struct("SP_AllocatorStats"))
    memory, other = device.allocate(len(content)), device.allocate(len(content))
    if not memory.read("opaque") or not other.read("opaque"):
        return
    host, back = HostBuffer(content), HostBuffer(bytes(len(content)))
    entity = f"{EXECUTOR}.sync_memcpy_dtoh"
    for member, *places in (("htod", memory, host), ("dtod", other, memory), ("dtoh", back, other)):
        if not device.call(f"sync_memcpy_{member}", *places, len(content)).ok:
            return
    if back.read() != content:
        yield Observation(entity, f"{entity} copies other bytes than its source has, for {harness.scenario.name}")
    with device.streams(1) as (stream,):
        between = device.host(len(content))
        for member, *given in (
            ("memcpy_htod", memory, between), ("memcpy_dtod", other, memory), ("memcpy_dtoh", between, other),
            ("mem_zero", memory), ("memset", memory, 1), ("memset32", memory, 1),
        ):  # fmt: skip
            device.call(member, stream, *given, len(content))
    device.call("host_memory_deallocate", between)
    device.free(memory)
    device.free(other)


def _has_tensors(harness: Harness) -> bool:
    """True if the core puts tensors into the memory of devices, and says how it likes them to be aligned."""
    return any("TF_TensorDefaultAlignment" in each.functions for each in (harness.api, *harness.trial.others))


@check("ABI055", unless=("ABI030",))
def unified_memory_unusable(harness: Harness) -> Iterator[Observation]:
    """The platform states that it has unified memory, and returns none.

    What happens: The core allocates its tensors there and fails, or calls a function that is NULL.

    Instead: Set both functions, or leave `supports_unified_memory` false.

    Source: `SP_Platform.supports_unified_memory`, `SP_StreamExecutor.unified_memory_allocate`.
    """
    device = TestedDevice(harness)
    platform = device.session.structs.get("SP_Platform")
    if platform is None or not platform.has("supports_unified_memory"):
        raise InapplicableError("the platform has no unified memory")
    for member in ("unified_memory_allocate", "unified_memory_deallocate"):
        if not device.has(member):
            name = f"{EXECUTOR}.{member}"
            yield Observation(name, f"the platform states that it has unified memory, and {name} is NULL")
            return
    entity = f"{EXECUTOR}.unified_memory_allocate"
    address = int(device.call("unified_memory_allocate", 4097).value or 0)
    if not address:
        yield Observation(entity, f"{entity} cannot allocate 4097 bytes")
        return
    with harness.calling(f"using memory from {entity}"):
        ctypes.memmove(address, pattern(4097, 1), 4097)
        content = ctypes.string_at(address, 4097)
    if content != pattern(4097, 1):
        yield Observation(entity, f"{entity} returns memory that does not keep its bytes")
    device.call("unified_memory_deallocate", address)


@check("ABI056")
def statistics_do_not_add_up(harness: Harness) -> Iterator[Observation]:
    """The allocator's statistics contradict each other, or do not match the allocations.

    What happens: Users who look for a leak, or choose the size of a model by these numbers, get wrong results.

    Instead: Count where memory is allocated and freed, or return false: then there are no statistics.

    Source: `SP_StreamExecutor.get_allocator_stats`, `SP_AllocatorStats`.
    """
    device = TestedDevice(harness)
    size = min(100_000, device.room)
    before = _statistics(device)
    memory = device.memory(size)
    during = _statistics(device)
    device.free(memory)
    after = _statistics(device)
    device.free(device.memory(64))
    problems = [
        *(problem for each in (before, during, after) for problem in _contradictions(each)),
        *_difference(during["bytes_in_use"] - before["bytes_in_use"] >= size, "bytes_in_use", "grows by less", size),
        *_difference(during["peak_bytes_in_use"] >= during["bytes_in_use"], "peak_bytes_in_use", "is passed", size),
        *_difference(during["largest_alloc_size"] >= size, "largest_alloc_size", "is less", size),
        *_difference(during["num_allocs"] > before["num_allocs"], "num_allocs", "does not grow", size),
        *_difference(
            after["bytes_in_use"] <= before["bytes_in_use"],
            "bytes_in_use",
            "stays the same after they were freed",
            size,
        ),
        *_difference(_statistics(device)["largest_alloc_size"] >= size, "largest_alloc_size", "falls", size),
        *_difference(after["peak_bytes_in_use"] >= during["peak_bytes_in_use"], "peak_bytes_in_use", "falls", size),
    ]
    if not problems:
        problems = list(_lost(device))
    for member, problem in dict(problems).items():
        yield Observation(f"SP_AllocatorStats.{member}", f"{_STATS}: {member} {problem}")


@check("ABI057")
def memory_usage_impossible(harness: Harness) -> Iterator[Observation]:
    """The plugin reports an impossible amount of device memory.

    What happens: The core allocates a share of the free memory when it starts, and fails, or allocates none.

    Instead: Report the total, with the free memory not above it; or return false.

    Source: `SP_StreamExecutor.device_memory_usage`.
    """
    entity = f"{EXECUTOR}.device_memory_usage"
    device = TestedDevice(harness)
    free, total = Unset(), Unset()
    memory = device.memory(4096)
    if not device.call("device_memory_usage", free, total).value:
        raise InapplicableError("the plugin does not state the size of its memory")
    if not 0 <= free.value <= total.value or total.value == 0:
        yield Observation(entity, f"{entity} reports {free.value} free bytes of {total.value}")
    device.free(memory)


@check("ABI058", level=Level.WARNING)
def memory_leaks(harness: Harness) -> Iterator[Observation]:
    """Memory that was freed is not given back.

    What happens: The process grows with every step until it is ended.

    Instead: In `deallocate`, free the memory of `allocate`, or use it again.

    Source: `SP_StreamExecutor.deallocate`.
    """
    device = TestedDevice(harness)
    size = max(device.fitting((1 << 16, 1 << 18, 2 << 20)), default=4096)
    rounds = (16 << 20) // size
    memory, content = harness.new_struct(MEMORY), ctypes.create_string_buffer(pattern(size, 1), size)
    harness.watching = False
    for number in range(rounds + 1):
        if number == 1:
            before = _resident()
        device.call("allocate", size, 0, memory)
        if not memory.read("opaque"):
            raise harness.failed(_ALLOCATE, f"cannot allocate {size} bytes after as many were freed {number} times")
        device.do("sync_memcpy_htod", memory, content, size)
        device.free(memory)
    grown = _resident() - before
    if grown > size * rounds // 2:
        message = f"{rounds} times {size} bytes were allocated and freed, and the process has grown by {grown} bytes"
        yield Observation(f"{EXECUTOR}.deallocate", message)


def _statistics(device: TestedDevice) -> dict[str, int]:
    """Return the allocator's statistics, by member."""
    stats: StructInstance = device.harness.new_struct("SP_AllocatorStats")
    if not device.call("get_allocator_stats", stats).value:
        raise InapplicableError("the plugin has no statistics")
    return {each.name: int(stats.read(each.name)) for each in stats.layout.fields}


def _lost(device: TestedDevice) -> Iterator[tuple[str, str]]:
    """Yield the counts that are wrong after several threads have allocated and freed."""
    harness, number = device.harness, device.harness.trial.threads
    routines = []
    for _ in range(number):
        pieces = [harness.new_struct(MEMORY) for _ in range(8)]
        routine = device.routine(*(("allocate", 64, 0, each) for each in pieces))
        for each in pieces:
            routine.call(device.executor, "deallocate", device.device, each)
        routines.append(routine)
    before = _statistics(device)
    harness.watching = False
    with harness.staking(_ALLOCATE, f"{_ALLOCATE}: {number} threads that call it at once disturb each other"):
        rounds = repeat(harness, _ALLOCATE, routines, 200_000, 0.2)
    after = _statistics(device)
    made = after["num_allocs"] - before["num_allocs"]
    if after["bytes_in_use"] != before["bytes_in_use"]:
        yield "bytes_in_use", f"is {after['bytes_in_use']} when {number} threads have freed what they had allocated"
    if made != 8 * rounds:
        yield "num_allocs", f"grows by {made} when {number} threads allocate {8 * rounds} times"


def _contradictions(stats: dict[str, int]) -> Iterator[tuple[str, str]]:
    """Yield members whose values contradict each other."""
    for name, value in stats.items():
        if value < 0:
            yield name, f"is {value}"
    for name, peak in (("bytes_in_use", "peak_bytes_in_use"), ("bytes_reserved", "peak_bytes_reserved")):
        if stats[name] > stats[peak]:
            yield peak, f"is {stats[peak]}, less than {name}, {stats[name]}"
    for name, limit in (("bytes_in_use", "bytes_limit"), ("bytes_reserved", "bytes_reservable_limit")):
        if stats[f"has_{limit}"] and stats[name] > stats[limit]:
            yield limit, f"is {stats[limit]}, less than {name}, {stats[name]}"


def _difference(holds: bool, member: str, problem: str, size: int) -> Iterator[tuple[str, str]]:
    if not holds:
        yield member, f"{problem} when {size} bytes are allocated"


def _resident() -> int:
    """Return bytes of memory that the process has, without what the C library keeps for later.

    Raises:
        InapplicableError: the system does not tell.
    """
    status = Path("/proc/self/statm")
    if not status.exists():
        raise InapplicableError("the system does not state how much memory a process has")
    import mmap

    library = ctypes.CDLL(None)
    if hasattr(library, "malloc_trim"):
        library.malloc_trim(0)  # otherwise what leaks could come from there
    return int(status.read_text(encoding="ascii").split()[1]) * mmap.PAGESIZE


_COPIED_SIZES = (0, 1, 3, 64, 4097, (1 << 20) + 1, (16 << 20) + 5)
"""Bytes: nothing, odd ones, more than a page, and what a model needs."""
_OFFSETS = (0, MARGIN + 4)
"""Offsets in an allocation at which a copy begins."""


@check("ABI060", basic=True)
def copy_is_wrong(harness: Harness) -> Iterator[Observation]:
    """After a copy that waits, the bytes are not there, or others were touched.

    What happens: The results are wrong, without an error.

    Instead: Copy exactly `size` bytes between the addresses that the caller passes, and return when the copy has ended.
    Do not change the source.

    Source: `sync_memcpy_htod`, `sync_memcpy_dtoh` and `sync_memcpy_dtod` of `SP_StreamExecutor`.
    """
    device = TestedDevice(harness)
    for size, offset in _places(device):
        length = size + 2 * MARGIN
        outgoing, incoming = HostBuffer(low(length, 1)), HostBuffer(high(length, 4))
        yield from _copied(device, "sync_memcpy_", None, _Copies(size, offset, outgoing, incoming))


@check("ABI061", basic=True)
def enqueued_copy_is_wrong(harness: Harness) -> Iterator[Observation]:
    """After a stream has finished, its copy is missing, or other bytes were changed.

    What happens: The results are wrong, without an error.

    Instead: Copy exactly `size` bytes between the addresses that the caller passes, before any function that waits for
    the stream returns. Copy the structs that describe the memory: they belong to the caller, and their lifetime may end
    with the call. Do not change the source.

    Source: `memcpy_htod`, `memcpy_dtoh` and `memcpy_dtod` of `SP_StreamExecutor`.
    """
    device = TestedDevice(harness)
    with device.streams(1) as (stream,):
        for size, offset in _places(device):
            length = size + 2 * MARGIN
            try:
                outgoing, incoming = device.host(length), device.host(length)
            except StoppedError:
                if length <= PINNED:
                    raise
                break  # there may be less of such memory
            outgoing.write(low(length, 1))
            incoming.write(high(length, 4))
            yield from _copied(device, "memcpy_", stream, _Copies(size, offset, outgoing, incoming))
            for host in (outgoing, incoming):
                device.call("host_memory_deallocate", host)


class _Copies(NamedTuple):
    """A copy to the device, one there, and one back."""

    size: int
    offset: int
    outgoing: HostMemory
    incoming: HostMemory


_Place = StructInstance | HostMemory
_Step = tuple[str, tuple[_Place, _Place], _Place, bytes, str, _Place]
"""A copy: direction, places that it is to and from, target and its bytes before, and the source with its name."""


def _places(device: TestedDevice) -> list[tuple[int, int]]:
    """Return sizes and offsets of copies; without addresses, only offset 0 is possible."""
    offsets = _OFFSETS if device.has_addresses else _OFFSETS[:1]
    sizes = device.fitting(_COPIED_SIZES)
    return [(size, offset) for size in sizes for offset in offsets if size < 1 << 20 or not offset]


def _copied(device: TestedDevice, prefix: str, stream: HandleValue | None, given: _Copies) -> Iterator[Observation]:
    """Copy to the device, there, and back; check both sides and the bytes around them each time."""
    size, offset, outgoing, incoming = given
    length, content = size + 2 * MARGIN, low(size + 2 * MARGIN, 1)[offset : offset + size]
    behind: tuple[CallArgument, ...] = () if stream is None else (stream,)
    first, second = device.memory(length), device.memory(length)
    for memory, background in ((first, high(length, 2)), (second, low(length, 3))):
        wrong = _not_uploaded(device, memory, background)
        if wrong:
            yield wrong
            return
    there = [device.part(each, offset, size) if offset else each for each in (first, second)]
    steps: list[_Step] = [
        ("htod", (there[0], outgoing.part(offset, size)), first, high(length, 2), "the host's memory", outgoing),
        ("dtod", (there[1], there[0]), second, low(length, 3), "the memory that it copies from", first),
        ("dtoh", (incoming.part(offset, size), there[1]), incoming, high(length, 4), "device memory", second),
    ]
    for direction, places, target, background, name, source in steps:
        before = _content(device, source, length)
        device.do(prefix + direction, *behind, *places, size)
        if stream is not None:
            device.finish(stream)
        expected = background[:offset] + content + background[offset + size :]
        entity = f"{EXECUTOR}.{prefix}{direction}"
        problem = _first_difference(_content(device, target, length), expected, offset, size)
        if problem:
            device.harness.expects(target if isinstance(target, HostMemory) else device.brought, expected)
        if not problem and _content(device, source, length) != before:
            problem = f"changes {name}"
        if problem:
            at = f" at offset {offset} of an allocation" if offset else ""
            yield Observation(entity, f"{entity} of {size} bytes{at}: {problem}")
            break
    device.free(first)
    device.free(second)


def _content(device: TestedDevice, place: StructInstance | HostMemory, length: int) -> bytes:
    return place.read(length) if isinstance(place, HostMemory) else device.download(place, length)


def _not_uploaded(device: TestedDevice, memory: StructInstance, content: bytes) -> Observation | None:
    """Put a content into device memory; which of the copies that wait is wrong, if it does not come back."""
    length = len(content)
    device.do("sync_memcpy_htod", memory, HostBuffer(content), length)
    buffers = [HostBuffer(background) for background in (bytes(length), b"\xff" * length)]
    for buffer in buffers:
        device.do("sync_memcpy_dtoh", buffer, memory, length)
    found = [buffer.read() for buffer in buffers]
    member = "sync_memcpy_dtoh" if found[0] != found[1] else "sync_memcpy_htod"  # what it leaves differs
    problem = _first_difference(found[0], content, 0, length)
    entity = f"{EXECUTOR}.{member}"
    if problem:
        device.harness.expects(buffers[0], content)
    return Observation(entity, f"{entity} of {length} bytes: {problem}") if problem else None


def _first_difference(found: bytes, expected: bytes, offset: int, size: int) -> str:
    """Return the first byte that is wrong, in words, counted from where a copy begins; empty for none."""
    if found == expected:
        return ""
    at, end = 0, len(expected)
    while end - at > 1:  # where they begin to differ, by halves: there may be many bytes
        middle = (at + end) // 2
        at, end = (at, middle) if found[at:middle] != expected[at:middle] else (middle, end)
    if at < offset or at >= offset + size:
        return f"changes bytes {'before' if at < offset else 'after'} them"
    return f"byte {at - offset} is {found[at]:#04x} instead of {expected[at]:#04x}"


@check("ABI062", quick=True)
def work_in_stream_reordered(harness: Harness) -> Iterator[Observation]:
    """Work in one stream is not done in the order in which it was enqueued.

    What happens: From time to time, an operation reads data that is not written yet, or that was overwritten.

    Instead: Run the work of a stream in order; use one queue and one worker for each stream.

    Source: `SP_Stream`: a queue of work, which runs in the order in which it was enqueued.
    """
    size, count = 32, 500
    device = TestedDevice(harness)
    memory, outgoing, incoming = device.memory(size), device.host(size * count), device.host(size * count)
    outgoing.write(b"".join(pattern(size, number) for number in range(count)))
    incoming.write(bytes(size * count))
    with device.streams(1) as (stream,), device.gate(stream) as gate:
        for start in range(0, size * count, size):
            device.do("memcpy_htod", stream, memory, outgoing.part(start, size), size)
            device.do("memcpy_dtoh", stream, incoming.part(start, size), memory, size)
        gate.let_go()
        device.finish(stream)
    starts = range(0, size * count, size)
    wrong = [each for each in starts if incoming.part(each, size).read() != outgoing.part(each, size).read()]
    if wrong:
        message = (
            f"{len(wrong)} of {count} copies to the device and back in one stream bring back the bytes of another copy"
        )
        yield Observation(f"{EXECUTOR}.memcpy_dtoh", message)


_FILLS: tuple[tuple[str, tuple[int, ...]], ...] = (
    *(("mem_zero", ()), ("memset", (0xA7,)), ("memset", (0xFF,)), ("memset32", (0x01020304,))),
)
"""Functions that fill memory, with their patterns."""


@check("ABI065", quick=True)
def fill_is_wrong(harness: Harness) -> Iterator[Observation]:
    """After memory was filled in a stream, it does not hold the pattern, or other bytes were touched.

    What happens: The results are wrong, without an error.

    Instead: Fill `size` bytes. `size` counts bytes for 32-bit patterns as well.

    Source: `mem_zero`, `memset` and `memset32` of `SP_StreamExecutor`.
    """
    device = TestedDevice(harness)
    offset = _OFFSETS[-1] if device.has_addresses else 0
    with device.streams(1) as (stream,):
        for member, given in _FILLS:
            large = (1 << 20) + 4, (16 << 20) + 4
            sizes = (0, 4, 4100, *large) if member == "memset32" else (0, 4, 3, 4100, 4097, large[0] + 1, large[1] + 1)
            for size in device.fitting(sizes) if device.has(member) else ():
                content = _words(given[0], size) if member == "memset32" else bytes(given or (0,)) * size
                background = bytes((each % 100) + 20 for each in pattern(min(size, 4096) + 2 * MARGIN, 5))
                background = (background * (size // len(background) + 2))[: size + 2 * MARGIN]
                memory = device.memory(len(background))
                device.do("sync_memcpy_htod", memory, HostBuffer(background), len(background))
                device.do(member, stream, device.part(memory, offset, size) if offset else memory, *given, size)
                device.finish(stream)
                expected = background[:offset] + content + background[offset + size :]
                problem = _first_difference(device.download(memory, len(background)), expected, offset, size)
                if problem:
                    harness.expects(device.brought, expected)
                    entity = f"{EXECUTOR}.{member}"
                    yield Observation(entity, f"{entity} of {size} bytes: {problem}")
                device.free(memory)


@check("ABI067")
def description_of_memory_kept(harness: Harness) -> Iterator[Observation]:
    """Enqueued work needs the structs that describe its memory after the call.

    What happens: The structs are on the caller's stack; when the work runs, other data is there.

    Instead: Copy `opaque` and `size` when the work is enqueued.

    Source: `SP_DeviceMemoryBase` is passed by a pointer that is valid during the call; C 6.2.4 paragraph 2.
    """
    size = 512
    device = TestedDevice(harness)
    memory, other = device.memory(size), device.upload(pattern(size, 7))
    outgoing, incoming = device.host(size), device.host(size)
    outgoing.write(pattern(size, 6))
    with device.streams(1) as (stream,), device.gate(stream):
        for member, host in (("memcpy_htod", outgoing), ("memcpy_dtoh", incoming)):
            description = harness.new_struct(MEMORY)
            for name in ("opaque", "size", "payload"):
                description.write(name, int(memory.read(name)))
            to, source = (description, host) if host is outgoing else (host, description)
            device.do(member, stream, to, source, size)
            description.write("opaque", int(other.read("opaque")))
    if device.download(other, size) != pattern(size, 7):
        entity = f"{EXECUTOR}.memcpy_htod"
        yield Observation(
            entity, f"{entity} reads the struct with the destination when the work runs, not when it is enqueued"
        )
    elif incoming.read() != outgoing.read():
        entity = f"{EXECUTOR}.memcpy_dtoh"
        yield Observation(
            entity, f"{entity} reads the struct with the source when the work runs, not when it is enqueued"
        )


def _words(value: int, size: int) -> bytes:
    """Return a 32-bit pattern, as this machine stores it."""
    return (value.to_bytes(4, sys.byteorder) * (size // 4 + 1))[:size]
