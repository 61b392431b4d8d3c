"""What work in streams, copies and memory leave behind, each time."""

from __future__ import annotations

from collections.abc import Iterator

from abigen.host.process import StoppedError
from abigen.host.verify.arguments import HandleValue, OutParameter
from abigen.host.verify.check import Observation, check
from abigen.host.verify.harness import Harness, Routine, There, left_behind
from abigen.host.verify.scenario import COUNT
from abigen.model.finding import Level

from .device import EXECUTOR, MEMORY, PINNED, Device, Unset

_SIZES = (64, 4096, 1 << 20)
_TOO_MUCH = 1 << 60


@check("ABI088", level=Level.WARNING)
def use_leaks(harness: Harness) -> Iterator[Observation]:
    """What is done again and again leaves memory, open files or threads behind.

    What happens: Core does so thousands of times in each step; the process grows until it is ended.

    Instead: Free what a piece of work needed when it is done.

    Source: `SP_StreamExecutor`: nothing that is enqueued has to be ended by core.
    """
    device = Device(harness)
    harness.watching = False
    stream, other = device.new("stream"), device.new("stream")

    def finish() -> None:
        device.finish(stream)
        device.finish(other)

    leaking = set[str]()
    for member, routine in (*_memory(device), *_copies(device, stream), *_streams(device, stream, other)):
        entity = member if "." in member else f"{EXECUTOR}.{member}"
        left = left_behind(harness, entity, routine, finish) if entity not in leaking else ""
        if left:
            leaking.add(entity)
            yield Observation(entity, f"{entity} leaves {left} behind each time")


def _memory(device: Device) -> Iterator[tuple[str, Routine]]:
    """Memory that is allocated and freed, of several sizes, some that cannot be had, and questions about it."""
    description, slot = device.harness.new_struct(MEMORY), OutParameter()
    for size in (*device.fitting(_SIZES), _TOO_MUCH):
        routine = device.routine(("allocate", size, 0, description), ("deallocate", description))
        yield "allocate" if size == _TOO_MUCH else "deallocate", routine.restore(description)
    for kind in ("host", "unified"):
        make, free = f"{kind}_memory_allocate", f"{kind}_memory_deallocate"
        for size in device.fitting(_SIZES) if device.has(make) and device.call(make, 64).value else ():
            routine = Routine(device.harness).call(device.executor, make, device.device, size, result=slot)
            yield free, routine.call(device.executor, free, device.device, There(slot))
    platform, functions = (device.session.structs.get(each) for each in ("SP_Platform", "SP_PlatformFns"))
    if platform is not None and functions is not None and functions.has("get_device_count"):
        count = Routine(device.harness).call(functions, "get_device_count", platform, slot)
        yield "SP_PlatformFns.get_device_count", count
        params, made = device.harness.new_struct("SE_CreateDeviceParams"), device.harness.new_struct("SP_Device")
        params.write("ordinal", -1)
        params.write("device", made.address)
        refused = Routine(device.harness).restore(params).restore(made)
        if not device.harness.call(functions, "create_device", platform, params).ok:
            yield "SP_PlatformFns.create_device", refused.call(functions, "create_device", platform, params)
    stats = device.harness.new_struct("SP_AllocatorStats")
    yield "get_allocator_stats", device.routine(("get_allocator_stats", stats))
    yield "device_memory_usage", device.routine(("device_memory_usage", Unset(), Unset()))


def _copies(device: Device, stream: HandleValue) -> Iterator[tuple[str, Routine]]:
    """Copies and fills, of several sizes."""
    for size in device.fitting((64, PINNED, 1 << 20)):
        memory, there = device.memory(size), device.memory(size)
        try:
            host = device.host(size)
        except StoppedError:
            return  # there may be less of such memory
        for copy, places in (("htod", (memory, host)), ("dtoh", (host, memory)), ("dtod", (there, memory))):
            yield f"memcpy_{copy}", device.routine((f"memcpy_{copy}", stream, *places, size))
            yield f"sync_memcpy_{copy}", device.routine((f"sync_memcpy_{copy}", *places, size))
        yield "mem_zero", device.routine(("mem_zero", stream, memory, size))
        for fill in ("memset", "memset32"):
            yield fill, device.routine((fill, stream, memory, 1, size))


def _streams(device: Device, stream: HandleValue, other: HandleValue) -> Iterator[tuple[str, Routine]]:
    """Streams, events and timers: each function by itself, and after it those that go together."""
    event, timer, slot = device.new("event"), device.new("timer"), OutParameter()
    record, wait = ("record_event", stream, event), ("wait_for_event", other, event)
    start, stop = ("start_timer", stream, timer), ("stop_timer", stream, timer)
    yield "host_callback", device.routine(("host_callback", stream, device.harness.core_function(COUNT), slot))
    for call in (
        record,
        wait,
        start,
        stop,
        ("create_stream_dependency", other, stream),
        ("synchronize_all_activity",),
        ("get_stream_status", stream),
        ("get_event_status", event),
        ("block_host_for_event", event),
    ):
        yield call[0], device.routine(call)
    if device.has("block_host_until_done"):
        yield "block_host_until_done", device.routine(("block_host_until_done", stream))
    yield "wait_for_event", device.routine(record, wait)
    yield "stop_timer", device.routine(start, stop)
    used = (("record_event", stream, There(slot)), ("wait_for_event", other, There(slot)))
    # What a stream still has to do may need the event or the timer: nobody says that it may end before.
    has_wait = device.has("block_host_until_done")
    done = (
        [("block_host_until_done", each) for each in (stream, other)] if has_wait else [("synchronize_all_activity",)]
    )
    ended = (("block_host_for_event", There(slot)), *done, ("destroy_event", There(slot)))
    yield "destroy_event", device.routine(("create_event", slot), *used, *ended)
    timed = (("start_timer", stream, There(slot)), ("stop_timer", stream, There(slot)), *done)
    yield "destroy_timer", device.routine(("create_timer", slot), *timed, ("destroy_timer", There(slot)))
    functions = device.session.structs.get("SP_TimerFns")
    if functions is not None:
        yield "SP_TimerFns.nanoseconds", Routine(device.harness).call(functions, "nanoseconds", timer)
