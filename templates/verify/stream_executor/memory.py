"""Memory: what is allocated is there, is nobody else's, and is gone when it is freed."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from pathlib import Path

from msgspec.structs import replace

from abigen.host.process import InapplicableError
from abigen.host.verify.check import Observation, check
from abigen.host.verify.harness import Harness, repeat
from abigen.host.verify.repro import StructInstance
from abigen.host.verify.scenario import Scenario, shortened
from abigen.model.api import Api
from abigen.model.finding import Level

from .device import EXECUTOR, MEMORY, PINNED, Device, HostBuffer, Unset, pattern

SIZES = (1, 3, 255, 256, 4097, 1 << 20, 16 << 20)
"""Bytes: the smallest, odd ones, and what a model needs."""
_SMALL = (1, 3, 64, 65, 255, 4097, 100, 7, 33, 4096)
_TOO_LARGE = (1 << 60, (1 << 64) - 1)
_ALLOCATE = f"{EXECUTOR}.allocate"
_ALIGNMENT = 16
_LIKED = 64
"""How core likes the data of its tensors to be aligned, in bytes, where it has a function that tells so."""
_STATS = f"{EXECUTOR}.get_allocator_stats"


@check("ABI050", basic=True, quick=True)
def allocation_fails(harness: Harness) -> Iterator[Observation]:
    """Device memory of some size cannot be had, or is smaller than what was asked for.

    What happens: Core's allocator asks for large pieces and for odd ones; what it does not get fails an operation.

    Instead: Round up inside the plugin, and say in `size` how much there is.

    Source: `SP_StreamExecutor.allocate`, `SP_DeviceMemoryBase.size`.
    """
    device = Device(harness)
    for size in device.fitting(SIZES):
        memory = device.allocate(size)
        if not memory.read("opaque"):
            yield Observation(_ALLOCATE, f"{_ALLOCATE} gives no memory of {size} bytes")
            return
        if int(memory.read("size")) < size:
            message = f"{_ALLOCATE} is asked for {size} bytes, and says that it gives {memory.read('size')}"
            yield Observation(f"{MEMORY}.size", message)
            return
        device.free(memory)


@check("ABI051")
def allocation_of_nothing(harness: Harness) -> Iterator[Observation]:
    """Memory of 0 bytes, or memory that is NULL, cannot be handled.

    What happens: Empty tensors are usual, and so is freeing what could not be allocated.

    Instead: Give NULL or something for 0 bytes, and accept in `deallocate` whatever was given, NULL included.

    Source: `SP_StreamExecutor.allocate` and `deallocate`.
    """
    device = Device(harness)
    memory = device.allocate(0)
    if not memory.read("opaque") and memory.read("size"):
        message = f"{_ALLOCATE} gives NULL for 0 bytes, and says that it has {memory.read('size')}"
        yield Observation(f"{MEMORY}.size", message)
    device.free(memory)
    device.free(harness.new_struct(MEMORY))
    after = device.allocate(16)
    if not after.read("opaque"):
        yield Observation(_ALLOCATE, f"{_ALLOCATE} gives nothing any more after memory that is NULL was freed")
    device.free(after)


@check("ABI052")
def allocations_overlap(harness: Harness) -> Iterator[Observation]:
    """Two pieces of device memory that exist at the same time share bytes.

    What happens: One tensor overwrites another.

    Instead: Round sizes up before memory is divided, and do not hand out what has not been freed.

    Source: `SP_StreamExecutor.allocate`.
    """
    device = Device(harness)
    large = [each for each in (1 << 16, 2 << 20) if each <= device.room // 4]
    contents = [pattern(size, seed) for seed, size in enumerate((*_SMALL, *large, *large))]
    pieces = [device.upload(content) for content in contents]
    for memory, content in zip(pieces, contents, strict=True):
        if device.download(memory, len(content)) != content:
            yield Observation(
                _ALLOCATE, f"{_ALLOCATE} gives memory of {len(content)} bytes that other memory overwrites"
            )
            return
    for memory in pieces:
        device.free(memory)


@check("ABI053")
def refusal_of_memory_not_told(harness: Harness) -> Iterator[Observation]:
    """Memory that cannot be had is handed out all the same.

    What happens: Core takes what it was given for memory and writes there. It recovers from a refusal, by freeing
    what it has cached, but only if it is told.

    Instead: Leave `opaque` NULL and `size` 0 when the device has no memory left. Mind sizes that overflow when they
    are rounded up.

    Source: `SP_StreamExecutor.allocate`: when that fails, what `mem` stands for is NULL.
    """
    device = Device(harness)
    for size in _TOO_LARGE:
        memory = device.allocate(size)
        if memory.read("opaque"):
            yield Observation(_ALLOCATE, f"{_ALLOCATE} gives memory when it is asked for {size} bytes")
            return
        if memory.read("size"):
            message = f"{_ALLOCATE} refuses {size} bytes, and says that it has {memory.read('size')}"
            yield Observation(f"{MEMORY}.size", message)
            return
    content = pattern(1000, 1)
    if device.download(device.upload(content), 1000) != content:
        yield Observation(_ALLOCATE, f"{_ALLOCATE} gives memory that does not work after it has refused once")


@check("ABI054")
def host_memory_unusable(harness: Harness) -> Iterator[Observation]:
    """Memory of the host that the plugin allocates is not there, or is not the host's alone.

    What happens: Core copies through it to and from the device.

    Instead: Give memory that the host can read and write, aligned as `malloc` does. There may be little of it: only
    pieces of up to 64 KiB have to be there.

    Source: `SP_StreamExecutor.host_memory_allocate`.
    """
    entity = f"{EXECUTOR}.host_memory_allocate"
    device = Device(harness)
    pieces = []
    for seed, size in enumerate(SIZES):
        address = int(device.call("host_memory_allocate", size).value or 0)
        if not address and size > PINNED:
            break
        if not address:
            yield Observation(entity, f"{entity} gives no memory of {size} bytes")
            return
        with harness.calling(f"using memory from {entity}"):
            ctypes.memmove(address, pattern(size, seed), size)
        pieces.append((address, size, seed))
    for address, size, seed in pieces:
        with harness.calling(f"using memory from {entity}"):
            content = ctypes.string_at(address, size)
        if content != pattern(size, seed):
            yield Observation(entity, f"{entity} gives memory of {size} bytes that overlaps with other memory")
            return
    for address, _, _ in pieces:
        device.call("host_memory_deallocate", address)


@check("ABI087")
def memory_badly_aligned(harness: Harness) -> Iterator[Observation]:
    """Memory begins at an address that not every type can have.

    What happens: Kernels read and write whole vectors, and crash or are slow.

    Instead: Align all memory as `malloc` does, to 16 bytes. Align memory of the device to 64 bytes, because core puts
    the data of tensors there; less is a warning.

    Source: C 7.24.3 for what is allocated; `TF_TensorDefaultAlignment`, which is 64 in TensorFlow.
    """
    device = Device(harness)
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
    """Cores that hand over a shorter description of memory, or shorter statistics, at the end of what is theirs."""
    for each in shortened(api):
        if any(each.api.structs.get(name) is not api.structs.get(name) for name in (MEMORY, "SP_AllocatorStats")):
            yield replace(each, pages=True)


@check("ABI027", scenarios=_shorter, level=Level.WARNING, unless=("ABI050",))
def memory_fails_on_shorter_structs(harness: Harness) -> Iterator[Observation]:
    """Device memory does not work when its description ends one member earlier.

    What happens: Core that is older than that member copies to and from memory that is not there. The check also meets
    plugins that read or write behind the end of such a struct, or of shorter statistics: `struct-size-ignored` tells of
    that.

    Instead: Compare `struct_size` with the end of each member, and leave `opaque` NULL when the plugin cannot do
    without a member that is not there.

    Source: VS, "By Checking Struct Size"; `SP_DeviceMemoryBase`, `SP_AllocatorStats`.
    """
    device, content = Device(harness), pattern(1000, 1)
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
        yield Observation(entity, f"{entity} brings other bytes than were copied there, for {harness.scenario.name}")
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
    """Whether core puts tensors into the memory of devices, and says how it likes them to be aligned."""
    return any("TF_TensorDefaultAlignment" in each.functions for each in (harness.api, *harness.trial.others))


@check("ABI055", unless=("ABI030",))
def unified_memory_unusable(harness: Harness) -> Iterator[Observation]:
    """The platform says that it has unified memory, and gives none.

    What happens: Core allocates its tensors there, and fails, or calls a function that is NULL.

    Instead: Fill both functions, or leave `supports_unified_memory` false.

    Source: `SP_Platform.supports_unified_memory`, `SP_StreamExecutor.unified_memory_allocate`.
    """
    device = Device(harness)
    platform = device.session.structs.get("SP_Platform")
    if platform is None or not platform.has("supports_unified_memory"):
        raise InapplicableError("the platform has no unified memory")
    for member in ("unified_memory_allocate", "unified_memory_deallocate"):
        if not device.has(member):
            name = f"{EXECUTOR}.{member}"
            yield Observation(name, f"the platform says that it has unified memory, and {name} is NULL")
            return
    entity = f"{EXECUTOR}.unified_memory_allocate"
    address = int(device.call("unified_memory_allocate", 4097).value or 0)
    if not address:
        yield Observation(entity, f"{entity} gives no memory of 4097 bytes")
        return
    with harness.calling(f"using memory from {entity}"):
        ctypes.memmove(address, pattern(4097, 1), 4097)
        content = ctypes.string_at(address, 4097)
    if content != pattern(4097, 1):
        yield Observation(entity, f"{entity} gives memory that does not keep what is written")
    device.call("unified_memory_deallocate", address)


@check("ABI056")
def statistics_do_not_add_up(harness: Harness) -> Iterator[Observation]:
    """What the allocator says of itself contradicts itself, or what was allocated.

    What happens: Whoever looks for a leak, or sizes a model by them, is misled.

    Instead: Count where memory is handed out and taken back, or return false: there are no statistics then.

    Source: `SP_StreamExecutor.get_allocator_stats`, `SP_AllocatorStats`.
    """
    device = Device(harness)
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
            after["bytes_in_use"] <= before["bytes_in_use"], "bytes_in_use", "stays after they were freed", size
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
    """What the plugin says of the device's memory cannot be.

    What happens: Core takes a share of what is free when it begins, and fails, or takes nothing.

    Instead: Say how much there is, with what is free not above it; or return false.

    Source: `SP_StreamExecutor.device_memory_usage`.
    """
    entity = f"{EXECUTOR}.device_memory_usage"
    device = Device(harness)
    free, total = Unset(), Unset()
    memory = device.memory(4096)
    if not device.call("device_memory_usage", free, total).value:
        raise InapplicableError("the plugin does not know how much memory there is")
    if not 0 <= free.value <= total.value or total.value == 0:
        yield Observation(entity, f"{entity} says that {free.value} bytes of {total.value} are free")
    device.free(memory)


@check("ABI058", level=Level.WARNING)
def memory_leaks(harness: Harness) -> Iterator[Observation]:
    """Memory that was freed is not given back.

    What happens: The process grows with every step until it is ended.

    Instead: Free in `deallocate` what `allocate` has allocated, or use it again.

    Source: `SP_StreamExecutor.deallocate`.
    """
    device = Device(harness)
    size = max(device.fitting((1 << 16, 1 << 18, 2 << 20)), default=4096)
    rounds = (16 << 20) // size
    memory, content = harness.new_struct(MEMORY), ctypes.create_string_buffer(pattern(size, 1), size)
    harness.watching = False
    for number in range(rounds + 1):
        if number == 1:
            before = _resident()
        device.call("allocate", size, 0, memory)
        if not memory.read("opaque"):
            raise harness.failed(_ALLOCATE, f"gives no memory of {size} bytes when as much was freed {number} times")
        device.do("sync_memcpy_htod", memory, content, size)
        device.free(memory)
    grown = _resident() - before
    if grown > size * rounds // 2:
        message = f"{rounds} times {size} bytes were allocated and freed, and the process has grown by {grown} bytes"
        yield Observation(f"{EXECUTOR}.deallocate", message)


def _statistics(device: Device) -> dict[str, int]:
    """What the allocator says of itself, by member."""
    stats: StructInstance = device.harness.new_struct("SP_AllocatorStats")
    if not device.call("get_allocator_stats", stats).value:
        raise InapplicableError("the plugin has no statistics")
    return {each.name: int(stats.read(each.name)) for each in stats.layout.fields}


def _lost(device: Device) -> Iterator[tuple[str, str]]:
    """What does not count any more when several threads have allocated and freed."""
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
    """Members that cannot be what they are beside each other."""
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
    """Bytes of memory that the process has, without what the C library keeps for later.

    Raises:
        InapplicableError: the system does not tell.
    """
    status = Path("/proc/self/statm")
    if not status.exists():
        raise InapplicableError("the system does not tell how much memory a process has")
    import mmap

    library = ctypes.CDLL(None)
    if hasattr(library, "malloc_trim"):
        library.malloc_trim(0)  # otherwise what leaks could come from there
    return int(status.read_text(encoding="ascii").split()[1]) * mmap.PAGESIZE
