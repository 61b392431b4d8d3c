"""Work that is done many times: leaks, and several threads that use a device at once."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator

from abigen.model.finding import Level
from abigen.runner.verify.arguments import HandleValue, OutParameter
from abigen.runner.verify.check import Observation, check
from abigen.runner.verify.harness import Harness, Routine, StoredArgument, left_behind, repeat
from abigen.runner.verify.scenario import COUNT
from abigen.workspace.process import StoppedError

from .device import EXECUTOR, MEMORY, PINNED, TestedDevice, Unset, pattern

_SIZES = (64, 4096, 1 << 20)
_TOO_MUCH = 1 << 60


@check("ABI088", level=Level.WARNING)
def use_leaks(harness: Harness) -> Iterator[Observation]:
    """Repeated use leaves memory, open files or threads behind.

    What happens: The core does so thousands of times in each step; the memory of the process grows until it is ended.

    Instead: When a piece of work has ended, free the memory that it needed.

    Source: `SP_StreamExecutor`: nothing that is enqueued has to be ended by the core.
    """
    device = TestedDevice(harness)
    harness.watching = False
    stream, other = device.new("stream"), device.new("stream")

    def finish() -> None:
        device.finish(stream)
        device.finish(other)

    leaking = set[str]()
    for member, routine in (*_memory(device), *_repeated_copies(device, stream), *_streams(device, stream, other)):
        entity = member if "." in member else f"{EXECUTOR}.{member}"
        left = left_behind(harness, entity, routine, finish) if entity not in leaking else ""
        if left:
            leaking.add(entity)
            yield Observation(entity, f"{entity} leaks {left} each time")


def _memory(device: TestedDevice) -> Iterator[tuple[str, Routine]]:
    """Yield routines that allocate and free memory of several sizes, some too large, and that query it."""
    description, slot = device.harness.new_struct(MEMORY), OutParameter()
    for size in (*device.fitting(_SIZES), _TOO_MUCH):
        routine = device.routine(("allocate", size, 0, description), ("deallocate", description))
        yield "allocate" if size == _TOO_MUCH else "deallocate", routine.restore(description)
    for kind in ("host", "unified"):
        make, free = f"{kind}_memory_allocate", f"{kind}_memory_deallocate"
        for size in device.fitting(_SIZES) if device.has(make) and device.call(make, 64).value else ():
            routine = Routine(device.harness).call(device.executor, make, device.device, size, result=slot)
            yield free, routine.call(device.executor, free, device.device, StoredArgument(slot))
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


def _repeated_copies(device: TestedDevice, stream: HandleValue) -> Iterator[tuple[str, Routine]]:
    """Yield routines that copy and fill, of several sizes."""
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


def _streams(device: TestedDevice, stream: HandleValue, other: HandleValue) -> Iterator[tuple[str, Routine]]:
    """Yield routines about streams, events and timers: each function alone, then functions that belong together."""
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
    used = (("record_event", stream, StoredArgument(slot)), ("wait_for_event", other, StoredArgument(slot)))
    # What a stream still has to do may need the event or the timer: nobody says that it may end before.
    has_wait = device.has("block_host_until_done")
    done = (
        [("block_host_until_done", each) for each in (stream, other)] if has_wait else [("synchronize_all_activity",)]
    )
    ended = (("block_host_for_event", StoredArgument(slot)), *done, ("destroy_event", StoredArgument(slot)))
    yield "destroy_event", device.routine(("create_event", slot), *used, *ended)
    timed = (("start_timer", stream, StoredArgument(slot)), ("stop_timer", stream, StoredArgument(slot)), *done)
    yield "destroy_timer", device.routine(("create_timer", slot), *timed, ("destroy_timer", StoredArgument(slot)))
    functions = device.session.structs.get("SP_TimerFns")
    if functions is not None:
        yield "SP_TimerFns.nanoseconds", Routine(device.harness).call(functions, "nanoseconds", timer)


_ROUNDS, _SECONDS = 20_000, 0.12
"""The most rounds, and the most seconds, for which threads use the device at once."""
_PIECES, _PIECE = 64, 16
"""The pieces of work that a thread enqueues before it waits, and the bytes of each."""


@check("ABI066")
def streams_of_two_threads_mixed(harness: Harness) -> Iterator[Observation]:
    """Threads that use the device at once do not get their own bytes back, or disturb each other otherwise.

    What happens: Programs that use the device from several threads, as all do, get wrong results or crash from time to
    time.

    Instead: Protect the data that streams share. `--threads` sets the number of threads.

    Source: the core calls plugins from all of its threads, without a lock around them.
    """
    device = TestedDevice(harness)
    harness.watching = False
    number = harness.trial.threads
    for member, make in _uses(device).items():
        entity = f"{EXECUTOR}.{member}"
        routines = [make(seed) for seed in range(number)]
        with harness.staking(entity, f"{entity}: {number} threads that call it at once disturb each other"):
            repeat(harness, entity, routines, _ROUNDS, _SECONDS)
            device.do("synchronize_all_activity")
        found = dict(problem for each in routines for problem in each.problems())
        for name, problem in found.items():
            yield Observation(name, f"{name} {problem} when {number} threads use the device")


def _uses(device: TestedDevice) -> dict[str, Callable[[int], Routine]]:
    """Return functions that make the routine of a thread from its number, by the function that is tested."""
    shared = device.new("stream"), device.new("stream"), device.new("event")
    return {
        "memcpy_htod": lambda number: _copies(device, number, "memcpy_"),
        "sync_memcpy_htod": lambda number: _copies(device, number, "sync_memcpy_"),
        "memset": lambda number: _fills(device, number),
        "host_callback": lambda _: _functions(device),
        "record_event": lambda _: _events(device, *shared),
        "create_event": lambda _: _own_events(device),
        "create_timer": lambda _: _own_timers(device),
        "create_stream": lambda _: _own_streams(device),
    }


def _waiting(device: TestedDevice, routine: Routine, stream: HandleValue) -> Routine:
    """Let a routine wait for a stream."""
    if device.has("block_host_until_done"):
        return routine.call(device.executor, "block_host_until_done", device.device, stream)
    event = device.new("event")
    routine.call(device.executor, "record_event", device.device, stream, event)
    return routine.call(device.executor, "block_host_for_event", device.device, event)


def _copies(device: TestedDevice, number: int, prefix: str) -> Routine:
    """Return a routine that copies its own bytes to the device, there, and back, in pieces, and waits at the end."""
    length = _PIECES * _PIECE
    stream, content = device.new("stream"), pattern(length, number)
    behind = (stream,) if prefix == "memcpy_" else ()
    first, second = device.memory(length), device.memory(length)
    outgoing, incoming = device.host(length), device.host(length)
    outgoing.write(content)
    routine = Routine(device.harness).system("memset", incoming, 0, length)
    for at in range(0, length, _PIECE) if device.has_addresses else (0,):
        size = _PIECE if device.has_addresses else length
        there = [device.part(each, at, size) if at else each for each in (first, second)]
        host = [each.part(at, size) for each in (outgoing, incoming)]
        for name, places in (
            ("htod", (there[0], host[0])),
            ("dtod", (there[1], there[0])),
            ("dtoh", (host[1], there[1])),
        ):
            routine.call(device.executor, prefix + name, device.device, *behind, *places, size)
    return _waiting(device, routine, stream).expect(f"{EXECUTOR}.{prefix}htod", incoming, content)


def _fills(device: TestedDevice, number: int) -> Routine:
    """Return a routine that fills memory with its own pattern, in pieces."""
    length, value = _PIECES * _PIECE, number % 200 + 1
    stream, memory, incoming = device.new("stream"), device.memory(length), device.host(length)
    routine = device.routine(("mem_zero", stream, memory, length))
    for at in range(0, length, _PIECE) if device.has_addresses else (0,):
        size = _PIECE if device.has_addresses else length
        there = device.part(memory, at, size) if at else memory
        routine.call(device.executor, "memset", device.device, stream, there, value, size)
    routine.call(device.executor, "memcpy_dtoh", device.device, stream, incoming, memory, length)
    return _waiting(device, routine, stream).expect(f"{EXECUTOR}.memset", incoming, bytes([value]) * length)


def _functions(device: TestedDevice) -> Routine:
    """Return a routine that enqueues functions of the host, which count their calls."""
    stream, count = device.new("stream"), OutParameter()
    routine = Routine(device.harness).system("memset", count, 0, 8)
    for _ in range(_PIECES):
        function = device.harness.core_function(COUNT)
        routine.call(device.executor, "host_callback", device.device, stream, function, count)
    expected = _PIECES.to_bytes(8, sys.byteorder)
    return _waiting(device, routine, stream).expect(f"{EXECUTOR}.host_callback", count, expected)


def _events(device: TestedDevice, first: HandleValue, second: HandleValue, event: HandleValue) -> Routine:
    """Return a routine that uses streams and an event which all threads share."""
    waits = (("wait_for_event", second, event), ("create_stream_dependency", second, first))
    calls = (("record_event", first, event), *waits) * 8
    return device.routine(*calls, ("block_host_for_event", event))


def _own_events(device: TestedDevice) -> Routine:
    """Return a routine that creates and destroys events."""
    stream, events = device.new("stream"), [OutParameter() for _ in range(8)]
    routine = device.routine(*(("create_event", each) for each in events))
    for each in events:
        routine.claim(f"{EXECUTOR}.create_event", each)
    for each in events:
        routine.call(device.executor, "record_event", device.device, stream, StoredArgument(each))
        routine.call(device.executor, "wait_for_event", device.device, stream, StoredArgument(each))
        routine.call(device.executor, "get_event_status", device.device, StoredArgument(each))
    routine.call(device.executor, "block_host_for_event", device.device, StoredArgument(events[-1]))
    _waiting(device, routine, stream)  # nobody says that events may end before what waits for them
    for each in events:
        routine.give_up(each).call(device.executor, "destroy_event", device.device, StoredArgument(each))
    return routine


def _own_timers(device: TestedDevice) -> Routine:
    """Return a routine that creates and destroys timers."""
    timers = [OutParameter() for _ in range(8)]
    routine = device.routine(*(("create_timer", each) for each in timers))
    for each in timers:
        routine.claim(f"{EXECUTOR}.create_timer", each)
    for each in timers:
        routine.give_up(each).call(device.executor, "destroy_timer", device.device, StoredArgument(each))
    return routine


def _own_streams(device: TestedDevice) -> Routine:
    """Return a routine that creates and destroys streams, and waits for all."""
    streams = [OutParameter() for _ in range(6)]
    routine = device.routine(*(("create_stream", each) for each in streams), ("synchronize_all_activity",))
    for each in streams:
        routine.call(device.executor, "destroy_stream", device.device, StoredArgument(each))
    return routine
