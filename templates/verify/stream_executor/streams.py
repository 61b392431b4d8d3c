"""Streams, events, timers and callbacks: what has happened when somebody says that it has."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator

from abigen.host.process import InapplicableError, StoppedError
from abigen.host.verify.arguments import HandleValue
from abigen.host.verify.check import Observation, check
from abigen.host.verify.harness import Harness
from abigen.model.finding import Level

from .device import EXECUTOR, NAP, Device

_STREAMS, _BEHIND = 9, 30
"""How many streams are waited for, one after the other, and how much is behind the work that lasts."""
_LONG = 0.4
"""How long work lasts at most that has to be waited for, in seconds."""


@check("ABI070", quick=True)
def host_does_not_wait(harness: Harness) -> Iterator[Observation]:
    """What has to wait for the work of a stream returns before it is done.

    What happens: Core reads results that are not there yet.

    Instead: Return when all work that was in the stream at the time of the call is done.

    Source: `block_host_until_done`, `block_host_for_event` and `synchronize_all_activity` of `SP_StreamExecutor`.
    """
    device = Device(harness)
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

    What happens: Profiles, and choices of algorithms that rest on them, are wrong.

    Instead: Put marks into the stream at start and stop, and take the difference of their times, in nanoseconds.

    Source: `SP_TimerFns.nanoseconds`, `SP_StreamExecutor.start_timer` and `stop_timer`.
    """
    entity = "SP_TimerFns.nanoseconds"
    device = Device(harness)
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
