"""Streams, timers and functions of the host: states that a plugin reports, and the times that it takes."""

from __future__ import annotations

import ctypes
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress

from abigen.model.finding import Level
from abigen.runner.verify.arguments import HandleValue
from abigen.runner.verify.check import Observation, check
from abigen.runner.verify.harness import Harness
from abigen.workspace.process import InapplicableError, StoppedError

from .device import EXECUTOR, NAP, TestedDevice, pattern

_STREAMS, _BEHIND = 9, 30
"""The number of streams to wait for, one after the other, and the pieces of work behind the work that lasts."""
_LONG = 0.4
"""The longest duration of work that functions have to wait for, in seconds."""


@check("ABI070", quick=True)
def host_does_not_wait(harness: Harness) -> Iterator[Observation]:
    """A function that has to wait for the work of a stream returns too early.

    What happens: The core reads results that are not written yet.

    Instead: Return when all work has ended that was in the stream at the time of the call.

    Source: `block_host_until_done`, `block_host_for_event` and `synchronize_all_activity` of `SP_StreamExecutor`.
    """
    device = TestedDevice(harness)
    members = {"block_host_until_done": device.finish, "block_host_for_event": device.wait_by_event}
    with device.streams(_STREAMS) as streams:
        waits: dict[str, Callable[[HandleValue], object]] = {
            **{name: wait for name, wait in members.items() if device.has(name)},
            "synchronize_all_activity": lambda _: device.do("synchronize_all_activity"),
        }
        for name, wait in waits.items():
            for stream in streams:
                with device.gate(stream) as gate:
                    for _ in range(_BEHIND):
                        device.enqueue(stream, lambda _: None)
                    gate.let_go(NAP / 3)
                    wait(stream)
                    if not gate.done:
                        yield _too_early(name)
                device.finish(stream)
        early: list[str] = []

        def wait_long(name: str, stream: HandleValue) -> None:
            with device.gate(stream) as gate:
                gate.let_go(_LONG)
                waits[name](stream)
                early.extend([] if gate.done else [name])

        threads = [threading.Thread(target=wait_long, args=each) for each in zip(waits, streams, strict=False)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        yield from map(_too_early, early)


def _too_early(member: str) -> Observation:
    name = f"{EXECUTOR}.{member}"
    return Observation(name, f"{name} returns before the work of the stream is done")


@check("ABI074")
def timer_wrong(harness: Harness) -> Iterator[Observation]:
    """A timer does not measure the time between start and stop.

    What happens: Profiles are wrong, and so are choices of algorithms that use them.

    Instead: Record marks in the stream at start and stop, and return the difference of their times in nanoseconds.

    Source: `SP_TimerFns.nanoseconds`, `SP_StreamExecutor.start_timer` and `stop_timer`.
    """
    entity = "SP_TimerFns.nanoseconds"
    device = TestedDevice(harness)
    with device.streams(1) as (stream,):
        timer = device.new("timer")
        for seconds in (0.02, 0.04):
            with device.gate(stream) as gate:
                begin = time.monotonic()
                device.do("start_timer", stream, timer)
                device.nap(stream, seconds)
                device.do("stop_timer", stream, timer)
                if not device.works_at_once:
                    time.sleep(NAP)  # the interval begins when the stream comes to it
                    begin = time.monotonic()
                gate.let_go()
                device.finish(stream)
            most = int((time.monotonic() - begin) * 1e9)
            measured = _nanoseconds(device, timer)
            least = int(seconds * 0.9e9)
            if not least <= measured <= most * 1.1 + 1e6:
                message = f"{entity} reports {measured} for an interval that took between {least} and {most}"
                yield Observation(entity, message)
                break
        device.end("timer", timer)


@check("ABI075")
def stream_reports_error(harness: Harness) -> Iterator[Observation]:
    """A stream without an error reports one.

    What happens: The core treats the device as broken.

    Instead: Report errors of the stream's own work, and TF_OK otherwise.

    Source: `SP_StreamExecutor.get_stream_status`.
    """
    entity = f"{EXECUTOR}.get_stream_status"
    device = TestedDevice(harness)
    with device.streams(1) as (stream,):
        for when in ("an idle stream", "a stream with work"):
            reply = device.call("get_stream_status", stream)
            if not reply.ok:
                yield Observation(entity, f"{entity} of {when} reports code {reply.code}, {reply.message!r}")
                return
            device.nap(stream)


@check("ABI076")
def asking_waits(harness: Harness) -> Iterator[Observation]:
    """A query of the state of a stream or an event waits until the work is done.

    What happens: The core polls many streams from one thread; each of them waits for the slowest.

    Instead: Read the state, and return at once.

    Source: `SP_StreamExecutor.get_stream_status` (without making the device wait) and `get_event_status`.
    """
    device = TestedDevice(harness)
    event = device.new("event")
    suspected = {"get_stream_status", "get_event_status"}
    for _ in range(2):  # a busy machine may have stopped this process for as long
        waited: set[str] = set()
        with device.streams(1) as (stream,):
            for member in sorted(suspected):
                with device.gate(stream) as gate:
                    if gate.done:
                        raise InapplicableError("the plugin does all work at once")
                    device.do("record_event", stream, event)
                    device.call(member, event if member == "get_event_status" else stream)
                    waited |= {member} if gate.done else set()
        suspected = waited
    device.end("event", event)
    for member in sorted(suspected):
        name = f"{EXECUTOR}.{member}"
        yield Observation(name, f"{name} returns when the work is done")


@check("ABI077", level=Level.NOTE)
def idle_work_takes_long(harness: Harness) -> Iterator[Observation]:
    """Waiting for a stream that has nothing to do takes long.

    What happens: The core waits after every step.

    Instead: Return at once when the queue is empty; do not sleep between two looks at it.

    Source: `SP_StreamExecutor.block_host_until_done`: returns when all work that the stream has at this moment is done.
    """
    rounds, limit = 40, 0.005  # a busy machine makes some rounds long, a sleep makes all of them
    device = TestedDevice(harness)
    with device.streams(1) as (stream,):
        device.finish(stream)
        least = min(_duration(device, stream) for _ in range(rounds))
    if least > limit:
        entity = f"{EXECUTOR}.block_host_until_done"
        yield Observation(entity, f"waiting for a stream without work takes {least * 1000:.0f} ms or more")


def _duration(device: TestedDevice, stream: HandleValue) -> float:
    begin = time.monotonic()
    device.finish(stream)
    return time.monotonic() - begin


def _nanoseconds(device: TestedDevice, timer: HandleValue) -> int:
    functions = device.session.structs.get("SP_TimerFns")
    if functions is None:
        raise StoppedError("the plugin gives no SP_TimerFns")
    return int(device.harness.call(functions, "nanoseconds", timer).value)


_CALLBACK = f"{EXECUTOR}.host_callback"
_COUNT = 100
"""The number of functions that are enqueued: more than a small queue has room for."""
_STUCK = 3.0
"""Seconds in which a function in a stream has to get through."""


@check("ABI073", quick=True)
def callback_on_stream_wrong(harness: Harness) -> Iterator[Observation]:
    """A function that was enqueued does not run once, with its argument, after the work before it.

    What happens: In such functions, the core frees the memory of an operation, or reports its results to the user.

    Instead: Run each function exactly once, in order, with its own argument, and return true.

    Source: `SP_StreamExecutor.host_callback`.
    """
    entity, size = _CALLBACK, 4096
    device = TestedDevice(harness)
    memory, incoming, outgoing = device.memory(size), device.host(size), device.host(size)
    outgoing.write(pattern(size, 1))
    incoming.write(bytes(size))
    seen: list[tuple[int, bool]] = []

    def look(argument: int) -> None:
        seen.append((argument, incoming.read() == pattern(size, 1)))

    first, second = (device.memory(max(device.fitting((4096, 1 << 16, 1 << 20, 8 << 20)))) for _ in range(2))
    for _ in range(6):
        seen.clear()
        incoming.write(bytes(size))
        with device.streams(1) as (stream,), device.gate(stream) as gate:
            for _ in range(16):  # so that there is work even where functions of the host's run at once
                device.do("memcpy_dtod", stream, first, second, int(first.read("size")))
            device.do("memcpy_htod", stream, memory, outgoing, size)
            device.do("memcpy_dtoh", stream, incoming, memory, size)
            for number in range(_COUNT):
                if not device.enqueue(stream, look, number).value:
                    raise harness.failed(entity, "returns false")
            gate.let_go()
            device.finish(stream)
            time.sleep(0.01)
        if not device.works_at_once or not all(is_there for _, is_there in seen):
            break  # where nothing can be held back, the work may be done by chance
    arguments = [argument for argument, _ in seen]
    if len(arguments) != _COUNT:
        yield Observation(
            entity, f"{entity}: {_COUNT} functions were enqueued, and {len(arguments)} have run when all is done"
        )
    elif set(arguments) != set(range(_COUNT)):
        [(twice, times)] = Counter(arguments).most_common(1)
        yield Observation(entity, f"{entity} passes the argument {twice:#x} {times} times instead of each one once")
    elif arguments != sorted(arguments):
        yield Observation(entity, f"{entity} does not run functions in the order in which they were enqueued")
    elif not all(is_there for _, is_there in seen):
        yield Observation(entity, f"{entity} runs a function before earlier work has ended")


@check("ABI082")
def status_of_callback_wrong(harness: Harness) -> Iterator[Observation]:
    """A function that was enqueued is not given a status that it can use.

    What happens: The core stores errors there. If the pointer is NULL, the process crashes.

    Instead: Create a status with TF_OK for each call.

    Source: `SE_StatusCallbackFn`.
    """
    device = TestedDevice(harness)
    problems: list[str] = []
    together, statuses = threading.Barrier(2), set[int]()

    def look(_: int, status: int) -> None:
        if not status:
            problems.append("NULL as its status")
        elif ctypes.c_int.from_address(status).value:
            problems.append(f"a status that already has the code {ctypes.c_int.from_address(status).value} already")

    def meet(_: int, status: int) -> None:
        statuses.add(status)
        with suppress(threading.BrokenBarrierError):
            together.wait(NAP * 10)  # two functions run at the same time, where the device can do that

    with device.streams(2) as streams:
        for number in range(_COUNT):
            device.enqueue_with_status(streams[number % 2], look)
        for stream in streams:
            device.settle(stream)
        if not problems and not device.works_at_once:
            for stream in streams:
                device.enqueue_with_status(stream, meet)
            for stream in streams:
                device.settle(stream)
            if len(statuses) == 1 and not together.broken:
                problems.append("the status that another function has at the same time")
        for problem in problems[:1]:
            yield Observation(_CALLBACK, f"{_CALLBACK} passes a function {problem}")


@check("ABI083", level=Level.WARNING)
def error_of_callback_dropped(harness: Harness) -> Iterator[Observation]:
    """The error of a function in a stream is not reported.

    What happens: The core continues as if the work had succeeded.

    Instead: Store the first error of a stream, and report it when the core asks: in `get_stream_status`, and in
    functions that wait for the stream.

    Source: `SE_StatusCallbackFn`, `SP_StreamExecutor.get_stream_status`.
    """
    device = TestedDevice(harness)
    errors = harness.api.conventions.errors
    if errors is None:
        raise InapplicableError("the API has no status")
    names = [name for name in ("internal", "cancelled", "unknown") if name in errors.codes]
    for name, message in ((each, said) for each in names for said in ("the host has failed", "")):
        code = harness.value_of(errors.codes[name])
        if not _is_told(device, code, message):
            yield Observation(_CALLBACK, f"{_CALLBACK}: code {code} of a function is not reported")
            return


def _is_told(device: TestedDevice, code: int, message: str) -> bool:
    """True if the plugin reports the error of a function in a stream, behind others without errors."""
    ran: list[bool] = []

    def fail(_: int, status: int) -> None:
        ran.append(True)
        if status:
            device.harness.set_status(status, code, message)

    stream = device.new("stream")
    told = not all(device.enqueue(stream, lambda _: None).value for _ in range(5))
    told = not device.enqueue_with_status(stream, fail).value or told
    members = ("block_host_until_done", "get_stream_status", "synchronize_all_activity")
    for member in members if device.has("block_host_until_done") else reversed(members):
        if device.has(member):
            reply = device.call(member, *([] if member == "synchronize_all_activity" else [stream]))
            told = told or not reply.ok
    device.end("stream", stream)
    return told or not ran


@check("ABI084")
def callback_cannot_call_back(harness: Harness) -> Iterator[Observation]:
    """A function in a stream cannot call the plugin.

    What happens: The core frees memory and queries events in such functions. If the plugin holds a lock, they wait for
    ever.

    Instead: Do not hold a lock while a function of the host runs.

    Source: `SP_StreamExecutor.host_callback`: the function is the core's, and may do what core may do.
    """
    device = TestedDevice(harness)
    memory = device.memory(64)
    event, problems = device.new("event"), []
    order: list[str] = []
    through, doing = threading.Event(), ["its begin"]
    streams = [device.new("stream"), device.new("stream")]
    stream, other = streams
    steps: dict[str, Callable[[], object]] = {
        "deallocate": lambda: device.free(memory),
        "allocate": lambda: device.free(device.memory(64)),
        "host_memory_allocate": lambda: device.call("host_memory_deallocate", device.host(64)),
        "get_allocator_stats": lambda: device.call("get_allocator_stats", harness.new_struct("SP_AllocatorStats")),
        "get_stream_status": lambda: device.call("get_stream_status", other),
        "get_event_status": lambda: device.call("get_event_status", event),
        "create_event": lambda: device.end("event", device.new("event")),
        "create_timer": lambda: device.end("timer", device.new("timer")),
        "create_stream": lambda: streams.append(device.new("stream")),
        "record_event": lambda: device.do("record_event", other, event),
        "host_callback": lambda: device.enqueue(other, lambda _: order.append("other")),
    }
    with device.gate(stream):
        pass
    if not device.works_at_once:
        steps["host_callback in its own stream"] = lambda: device.enqueue(stream, lambda _: order.append("own"))

    def call_back(_: int) -> None:
        try:
            for doing[0], step in steps.items():
                step()
        except StoppedError as reason:
            problems.append(str(reason))
        order.append("end")
        through.set()

    with harness.staking(_CALLBACK, f"{_CALLBACK}: a function in a stream cannot call the plugin"):
        device.enqueue(stream, call_back)
        if not through.wait(_STUCK):
            yield Observation(
                _CALLBACK, f"{_CALLBACK}: a function in a stream does not return from {doing[0] or 'its begin'}"
            )
            return
        for each in streams:
            device.finish(each)
    for each in streams:
        device.end("stream", each)
    device.end("event", event)
    if not problems and "other" not in order:
        yield Observation(_CALLBACK, f"{_CALLBACK}: work that a function enqueues in another stream does not run")
    elif not problems and not device.works_at_once and order.index("end") > order.index("own"):
        yield Observation(_CALLBACK, f"{_CALLBACK}: work that a function enqueues in its own stream runs too early")
