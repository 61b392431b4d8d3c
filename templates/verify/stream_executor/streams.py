"""Streams, events, timers and callbacks: what has happened when somebody says that it has."""

from __future__ import annotations

import time
from collections.abc import Iterator

from abigen.host.process import InapplicableError, StoppedError
from abigen.host.verify.arguments import HandleValue
from abigen.host.verify.check import Observation, check
from abigen.host.verify.harness import Harness
from abigen.model.finding import Level

from .device import EXECUTOR, NAP, Device, pattern

_COMPLETE, _PENDING = "SE_EVENT_COMPLETE", "SE_EVENT_PENDING"


@check("ABI070", quick=True)
def host_does_not_wait(harness: Harness) -> Iterator[Observation]:
    """What has to wait for the work of a stream returns before it is done.

    What happens: Core reads results that are not there yet.

    Instead: Return when all work that was in the stream at the time of the call is done.

    Source: `block_host_until_done`, `block_host_for_event` and `synchronize_all_activity` of `SP_StreamExecutor`.
    """
    device = Device(harness)
    event = device.new("event")
    with device.streams(3) as streams:
        for member in ("block_host_until_done", "block_host_for_event", "synchronize_all_activity"):
            for stream in streams if device.has(member) else ():
                with device.gate(stream) as gate:
                    given: list[HandleValue] = [] if member == "synchronize_all_activity" else [stream]
                    if member == "block_host_for_event":
                        device.do("record_event", stream, event)
                        given = [event]
                    gate.let_go(NAP)
                    device.do(member, *given)
                    if not gate.done:
                        name = f"{EXECUTOR}.{member}"
                        yield Observation(name, f"{name} returns before the work of the stream is done")
    device.end("event", event)


@check("ABI071", quick=True)
def event_status_wrong(harness: Harness) -> Iterator[Observation]:
    """An event does not say what has become of the work before it.

    What happens: Core frees memory that is still in use when an event completes too early, and waits for ever when
    one never does.

    Instead: Say `SE_EVENT_PENDING` until all work that was in the stream before the event is done, and
    `SE_EVENT_COMPLETE` from then on.

    Source: `SP_StreamExecutor.get_event_status`, `SE_EventStatus`.
    """
    entity = f"{EXECUTOR}.get_event_status"
    complete, pending = harness.value_of(_COMPLETE), harness.value_of(_PENDING)
    device = Device(harness)
    event = device.new("event")
    with device.streams(1) as (stream,):
        with device.gate(stream) as gate:
            device.do("record_event", stream, event)
            status, is_held = device.call("get_event_status", event).value, not gate.done
        if status == complete and is_held:
            yield Observation(entity, f"{entity} says {_COMPLETE} before the work in front of the event is done")
        elif status not in (complete, pending):
            yield Observation(entity, f"{entity} says {status} of an event that was just recorded")
        device.finish(stream)
        status = device.call("get_event_status", event).value
        if status != complete:
            yield Observation(entity, f"{entity} says {status} of an event when all work is done, not {_COMPLETE}")
    device.end("event", event)


@check("ABI072")
def event_ends_with_stream(harness: Harness) -> Iterator[Observation]:
    """An event cannot be used any more when the stream that it was recorded in has been destroyed.

    What happens: Core destroys streams while it still holds events, and asks them.

    Instead: Keep in an event, or share, what is needed to answer.

    Source: `SP_Event` is destroyed by `destroy_event`, and by nothing else.
    """
    entity = f"{EXECUTOR}.destroy_stream"
    complete = harness.value_of(_COMPLETE)
    device = Device(harness)
    stream, event = device.new("stream"), device.new("event")
    device.do("record_event", stream, event)
    device.finish(stream)
    device.end("stream", stream)
    status = device.call("get_event_status", event).value
    if status != complete:
        yield Observation(entity, f"after {entity} a completed event that was recorded in the stream says {status}")
    device.do("block_host_for_event", event)
    device.do("synchronize_all_activity")
    with device.streams(1) as (other,):
        device.do("wait_for_event", other, event)
        device.finish(other)
        device.do("record_event", other, event)
        device.do("block_host_for_event", event)
    device.end("event", event)


@check("ABI073", quick=True)
def callback_on_stream_wrong(harness: Harness) -> Iterator[Observation]:
    """A function that was enqueued does not run once, with its argument, after the work before it.

    What happens: Core frees what an operation needed, or tells the user of results, in such functions.

    Instead: Run each one exactly once, in its turn, with the argument that came with it, and return true.

    Source: `SP_StreamExecutor.host_callback`.
    """
    entity = f"{EXECUTOR}.host_callback"
    size, count = 4096, 8
    device = Device(harness)
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
            for number in range(count):
                if not device.enqueue(stream, look, 1000 + number).value:
                    raise harness.failed(entity, "returns false")
            gate.let_go()
            device.finish(stream)
            time.sleep(0.01)
        if not device.works_at_once or not all(is_there for _, is_there in seen):
            break  # where nothing can be held back, the work may be done by chance
    arguments = [argument for argument, _ in seen]
    expected = [1000 + number for number in range(count)]
    if len(arguments) != count:
        yield Observation(
            entity, f"{entity}: {count} functions were enqueued, and {len(arguments)} have run when all is done"
        )
    elif sorted(arguments) != expected:
        yield Observation(entity, f"{entity} passes the argument {arguments[0]:#x} instead of {expected[0]:#x}")
    elif arguments != expected:
        yield Observation(entity, f"{entity} runs functions in another order than they were enqueued")
    elif not all(is_there for _, is_there in seen):
        yield Observation(entity, f"{entity} runs a function before the work in front of it is done")


@check("ABI074")
def timer_wrong(harness: Harness) -> Iterator[Observation]:
    """A timer does not measure the time between start and stop.

    What happens: Profiles, and choices of algorithms that rest on them, are wrong.

    Instead: Put marks into the stream at start and stop, and take the difference of their times, in nanoseconds.

    Source: `SP_TimerFns.nanoseconds`, `SP_StreamExecutor.start_timer` and `stop_timer`.
    """
    entity = "SP_TimerFns.nanoseconds"
    device = Device(harness)
    with device.streams(1) as (stream,):
        timer = device.new("timer")
        for seconds in (0.02, 0.04):
            begin = time.monotonic()
            device.do("start_timer", stream, timer)
            device.nap(stream, seconds)
            device.do("stop_timer", stream, timer)
            device.finish(stream)
            most = int((time.monotonic() - begin) * 1e9)
            measured = _nanoseconds(device, timer)
            least = int(seconds * 0.9e9)
            if not least <= measured <= most * 1.1 + 1e6:
                message = f"{entity} says {measured} of an interval that took between {least} and {most}"
                yield Observation(entity, message)
                break
        device.end("timer", timer)


@check("ABI075")
def stream_reports_error(harness: Harness) -> Iterator[Observation]:
    """A stream in which nothing has gone wrong reports an error.

    What happens: Core takes the device for broken.

    Instead: Report errors of the stream's own work, and TF_OK otherwise.

    Source: `SP_StreamExecutor.get_stream_status`.
    """
    entity = f"{EXECUTOR}.get_stream_status"
    device = Device(harness)
    with device.streams(1) as (stream,):
        for when in ("an idle stream", "a stream with work"):
            reply = device.call("get_stream_status", stream)
            if not reply.ok:
                yield Observation(entity, f"{entity} of {when} says code {reply.code}, {reply.message!r}")
                return
            device.nap(stream)


@check("ABI076")
def asking_waits(harness: Harness) -> Iterator[Observation]:
    """What only asks for the state of a stream or an event waits until the work is done.

    What happens: Core polls many streams from one thread; each of them waits for the slowest.

    Instead: Look, and return at once.

    Source: `SP_StreamExecutor.get_stream_status` (without making the device wait) and `get_event_status`.
    """
    device = Device(harness)
    event = device.new("event")
    suspected = {"get_stream_status", "get_event_status"}
    for _ in range(2):  # a busy machine may have stopped this process for as long
        waited = set()
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

    What happens: Core does so after every step.

    Instead: Return at once when the queue is empty; do not sleep between looks.

    Source: `SP_StreamExecutor.block_host_until_done`: returns when all work that the stream has at this moment is done.
    """
    rounds, limit = 40, 0.005  # a busy machine makes some rounds long, a sleep makes all of them
    device = Device(harness)
    with device.streams(1) as (stream,):
        device.finish(stream)
        least = min(_duration(device, stream) for _ in range(rounds))
    if least > limit:
        entity = f"{EXECUTOR}.block_host_until_done"
        yield Observation(entity, f"waiting for a stream without work takes {least * 1000:.0f} ms or more")


def _duration(device: Device, stream: HandleValue) -> float:
    begin = time.monotonic()
    device.finish(stream)
    return time.monotonic() - begin


def _nanoseconds(device: Device, timer: HandleValue) -> int:
    functions = device.session.structs.get("SP_TimerFns")
    if functions is None:
        raise StoppedError("the plugin gives no SP_TimerFns")
    return int(device.harness.call(functions, "nanoseconds", timer).value)
