"""The order of work in streams: events, dependencies between streams, and functions of the host.

No check guesses an order from times. It holds work back until it lets it go, and each function looks at what is done
when it begins.
"""

from __future__ import annotations

import mmap
import random
import time
from collections.abc import Iterator

from abigen.model.finding import Level
from abigen.runner.verify.arguments import HandleValue
from abigen.runner.verify.check import Observation, check
from abigen.runner.verify.harness import CallArgument, Harness, repeat
from abigen.runner.verify.scenario import UNMAP
from abigen.workspace.process import InapplicableError, StoppedError

from .device import EXECUTOR, NAP, PINNED, Gate, TestedDevice, high, low, reuse_memory

_CALLBACK = f"{EXECUTOR}.host_callback"
_TIMES = 8
"""The number of times that work is put into a stream, to find occasional mistakes."""
_STREAMS, _EVENTS, _DEPTH, _TURNS, _ITEMS = 8, 12, 1000, 8, 80
_WAIT, _DEPEND = f"{EXECUTOR}.wait_for_event", f"{EXECUTOR}.create_stream_dependency"


class _Model:
    """Functions in streams, and for each what has to be done before it begins."""

    def __init__(self, device: TestedDevice, streams: list[HandleValue]) -> None:
        self.device = device
        self.streams = streams
        self.done = [0] * len(streams)
        """The number of finished functions of each stream."""
        self.enqueued = [0] * len(streams)
        self.problems: dict[str, str] = {}
        """By function of the plugin, what is wrong first."""
        self._before: list[dict[int, tuple[int, str]]] = [{} for _ in streams]
        """For each stream, how many functions of others have to be done before the next one, and by which function."""
        self._recorded: dict[int, dict[int, tuple[int, str]]] = {}

    def enqueue(self, at: int) -> None:
        """Enqueue a function that checks, when it begins, which work is done."""
        number, needed = self.enqueued[at], dict(self._before[at])
        self.enqueued[at] += 1

        def run(_: int) -> None:
            if self.done[at] != number:
                self.problems.setdefault(
                    _CALLBACK, f"runs function {number + 1} of a stream when {self.done[at]} have ended"
                )
            for other, (count, cause) in needed.items():
                if self.done[other] < count:
                    self.problems.setdefault(cause, "does not delay the work that is enqueued after it")
            self.done[at] += 1

        if not self.device.enqueue(self.streams[at], run).value:
            raise self.device.harness.failed(_CALLBACK, "returns false")

    def depend(self, at: int, other: int) -> None:
        """Let a stream wait for all that another one has now."""
        self.device.do("create_stream_dependency", self.streams[at], self.streams[other])
        self._add(at, self._state(other), _DEPEND)

    def record(self, at: int, number: int, event: HandleValue) -> None:
        """Record an event in a stream, again or for the first time."""
        self.device.do("record_event", self.streams[at], event)
        self._recorded[number] = self._state(at)

    def wait(self, at: int, number: int, event: HandleValue) -> None:
        """Let a stream wait for an event as it was recorded last, if it was."""
        self.device.do("wait_for_event", self.streams[at], event)
        self._add(at, self._recorded.get(number, {}), _WAIT)

    def _state(self, at: int) -> dict[int, tuple[int, str]]:
        return {**self._before[at], at: (self.enqueued[at], "")}

    def _add(self, at: int, needed: dict[int, tuple[int, str]], cause: str) -> None:
        for other, (count, _) in needed.items():
            if other != at and count > self._before[at].get(other, (0, ""))[0]:
                self._before[at][other] = (count, cause)


@check("ABI068", quick=True)
def order_not_kept(harness: Harness) -> Iterator[Observation]:
    """Work of several streams is not done in the order that streams, events and dependencies give it.

    What happens: From time to time, an operation reads data that is not written yet, or that was overwritten.

    Instead: Run the work of a stream in order, including functions of the host, each once. An event refers to the work
    before its last recording; a stream that waits for it continues when that work has ended.

    Source: `SP_Stream`: a queue of work, which runs in the order in which it was enqueued; `record_event`,
    `wait_for_event`, `create_stream_dependency` and `host_callback` of `SP_StreamExecutor`.
    """
    device, chance = TestedDevice(harness), random.Random(1)
    harness.watching = False
    with device.streams(_STREAMS) as streams:
        model = _Model(device, streams)
        events = [device.new("event") for _ in range(_EVENTS)]
        with device.gate(streams[0]):
            for _ in range(_DEPTH):
                model.enqueue(0)
        for _ in range(_TURNS):
            held, used = chance.sample(range(_STREAMS), 2), set[int]()
            with device.gate(streams[held[0]]), device.gate(streams[held[1]]):
                for _ in range(_ITEMS):
                    at, other, number = (chance.randrange(each) for each in (_STREAMS, _STREAMS, _EVENTS))
                    kind = chance.random()
                    if kind < 0.6 or at == other:
                        model.enqueue(at)
                    elif kind < 0.75 and number not in used:  # whoever waits for it may look at it only later
                        used.add(number)
                        model.record(at, number, events[number])
                    elif kind < 0.9:
                        used.add(number)
                        model.wait(at, number, events[number])
                    else:
                        model.depend(at, other)
                time.sleep(NAP / 3)  # what is not held back has the time to run
            for stream in streams:
                device.finish(stream)
        for event in events:
            device.end("event", event)
    for entity, problem in model.problems.items():
        yield Observation(entity, f"{entity} {problem}")
    if model.done != model.enqueued and _CALLBACK not in model.problems:
        ran, wanted = sum(model.done), sum(model.enqueued)
        yield Observation(_CALLBACK, f"{_CALLBACK}: of {wanted} functions {ran} have run when all streams are done")


@check("ABI069", level=Level.WARNING)
def enqueueing_waits(harness: Harness) -> Iterator[Observation]:
    """A function that enqueues work waits for the earlier work of its stream.

    What happens: The host waits although it could prepare the next step. If that work waits for the same thread,
    neither continues.

    Instead: Enqueue the wait in the stream, and return.

    Source: `wait_for_event`, `create_stream_dependency`, `record_event` and the copies with a stream of
    `SP_StreamExecutor`: they enqueue.
    """
    device = TestedDevice(harness)
    size = max(device.fitting((64, 1 << 20)))
    memory, other = device.memory(size), device.memory(size)
    try:
        host, pinned = device.host(size), size
    except StoppedError:  # there may be less of such memory
        host, pinned = device.host(PINNED), min(size, PINNED)
    event, timer = device.new("event"), device.new("timer")
    callback = harness.callback("SE_StatusCallbackFn", lambda argument, status: None)
    device.keep(callback)

    def calls(first: HandleValue, second: HandleValue) -> dict[str, list[tuple[CallArgument, ...]]]:
        return {
            "record_event": [(first, event)],
            "wait_for_event": [(second, event)],
            "create_stream_dependency": [(second, first)],
            "memcpy_htod": [(first, memory, host, 64), (first, memory, host, pinned)],
            "memcpy_dtoh": [(first, host, memory, 64), (first, host, memory, pinned)],
            "memcpy_dtod": [(first, other, memory, 64), (first, other, memory, size)],
            "mem_zero": [(first, memory, 64), (first, memory, size)],
            "memset": [(first, memory, 1, 64), (first, memory, 1, size)],
            "memset32": [(first, memory, 1, 64), (first, memory, 1, size)],
            "host_callback": [(first, callback, 0)],
            "start_timer": [(first, timer)],
            "stop_timer": [(first, timer)],
        }

    suspected = {each for each in calls(event, event) if device.has(each)}  # the names are the same for all streams
    for _ in range(2):  # a busy machine may have stopped this process for as long
        with device.streams(2) as (first, second):
            waited: set[str] = set()
            for member, arguments in calls(first, second).items():
                if member in suspected:
                    with device.gate(first) as gate:
                        if gate.done:
                            raise InapplicableError("the plugin does all work at once")
                        if member == "wait_for_event":
                            device.do("record_event", first, event)
                        for each in arguments * 3:
                            device.call(member, *each)
                        waited |= {member} if gate.done else set()
                    device.finish(first)
            suspected = waited
    device.end("event", event)
    device.end("timer", timer)
    for member in sorted(suspected):
        entity = f"{EXECUTOR}.{member}"
        yield Observation(entity, f"{entity} returns when the work that was in the stream before is done")


@check("ABI085")
def work_begins_too_early(harness: Harness) -> Iterator[Observation]:
    """Enqueued work is done before the earlier work of its stream.

    What happens: The copy reads data that is not written yet, or overwrites data that is still needed.

    Instead: Enqueue copies and fills after the work that the stream already has.

    Source: `SP_Stream`: a queue of work, which runs in the order in which it was enqueued.
    """
    device = TestedDevice(harness)
    early = _early(device, 64)
    large = max((each for each in (PINNED // 8, 1 << 20) if each <= device.room // 8), default=64)
    try:
        early |= _early(device, large)
    except StoppedError:  # there may be less of the host's memory
        early |= _early(device, min(large, PINNED // 8))
    for member in sorted(early):
        entity = f"{EXECUTOR}.{member}"
        yield Observation(entity, f"{entity} runs before earlier work of the stream has ended")


def _early(device: TestedDevice, size: int) -> set[str]:
    """Return the functions that do not wait for the earlier work of a stream."""
    members = [each for each in ("memcpy_htod", "memcpy_dtod", "mem_zero", "memset", "memset32") if device.has(each)]
    source, outgoing = device.upload(low(size, 1)), device.host(size)
    outgoing.write(low(size, 2))
    places = {each: (device.upload(high(size, 3)), device.host(size)) for each in (*members, "memcpy_dtoh")}
    arguments: dict[str, tuple[CallArgument, ...]] = {
        "memcpy_htod": (outgoing, size), "memcpy_dtod": (source, size), "mem_zero": (size,), "memset": (1, size),
        "memset32": (1, size),
    }  # fmt: skip
    with device.streams(2) as (held, free), device.gate(held) as gate:
        for _, incoming in places.values():
            incoming.write(high(size, 4))
        for _ in range(_TIMES):
            device.do("memcpy_dtoh", held, places["memcpy_dtoh"][1], places["memcpy_dtoh"][0], size)
            for member in members:
                device.do(member, held, places[member][0], *arguments[member])
        for member in members:
            device.do("memcpy_dtoh", free, places[member][1], places[member][0], size)
        device.finish(free)
        found = {member: incoming.read() for member, (_, incoming) in places.items()}
        is_held = not gate.done
    expected = {member: high(size, 4 if member == "memcpy_dtoh" else 3) for member in found}
    return {member for member, content in found.items() if is_held and content != expected[member]}


_COMPLETE, _PENDING = "SE_EVENT_COMPLETE", "SE_EVENT_PENDING"
_OTHERS = 8
"""Streams that wait for one: a plugin that loses some waits loses one of these."""
_HOLES = 64
"""The number of pages that are taken, so that pages of freed memory are among them."""
_REUSES = 40
"""The number of times that an event is queried."""


@check("ABI063")
def dependency_ignored(harness: Harness) -> Iterator[Observation]:
    """A stream does not wait for the one that it was made dependent on.

    What happens: One stream reads results of another before they are written.

    Instead: Let the dependent stream wait, on the device, for all work that the other one has at that moment.

    Source: `SP_StreamExecutor.create_stream_dependency`.
    """
    entity = f"{EXECUTOR}.create_stream_dependency"
    device = TestedDevice(harness)
    with device.streams(1 + _OTHERS) as (first, *others), device.gate(first) as gate:
        for other in others:
            device.do("create_stream_dependency", other, first)
        if _run_before(device, others, gate):
            yield Observation(entity, f"{entity}: the dependent stream runs before the other has ended")


@check("ABI064")
def event_not_waited_for(harness: Harness) -> Iterator[Observation]:
    """A stream does not wait for an event.

    What happens: One stream reads results of another before they are written.

    Instead: After the work that the stream already has, let it wait until the event has completed.

    Source: `SP_StreamExecutor.record_event` and `wait_for_event`.
    """
    entity = f"{EXECUTOR}.wait_for_event"
    device = TestedDevice(harness)
    events = [device.new("event") for _ in range(_OTHERS)]
    with device.streams(1 + _OTHERS) as (first, *others), device.gate(first) as gate:
        for event, other in zip(events, others, strict=True):
            device.do("record_event", first, event)
            device.do("wait_for_event", other, event)
        if _run_before(device, others, gate):
            yield Observation(entity, f"{entity}: the stream runs before the event has completed")
    for event in events:
        device.end("event", event)


@check("ABI071", quick=True)
def event_status_wrong(harness: Harness) -> Iterator[Observation]:
    """The status of an event does not report the end of the work before it.

    What happens: If an event completes too early, the core frees memory that is still in use. If it never completes,
    the core waits for ever.

    Instead: Report `SE_EVENT_PENDING` until all work before the event has ended, and `SE_EVENT_COMPLETE` from then on.

    Source: `SP_StreamExecutor.get_event_status`, `SE_EventStatus`.
    """
    entity = f"{EXECUTOR}.get_event_status"
    complete, pending = harness.value_of(_COMPLETE), harness.value_of(_PENDING)
    device = TestedDevice(harness)
    event = device.new("event")
    with device.streams(1) as (stream,):
        with device.gate(stream) as gate:
            device.do("record_event", stream, event)
            said = {device.call("get_event_status", event).value for _ in range(_REUSES)}
            is_held = not gate.done
        if complete in said and is_held:
            yield Observation(entity, f"{entity} reports {_COMPLETE} before earlier work has ended")
        for status in sorted(said - {complete, pending}):
            yield Observation(entity, f"{entity} reports {status} for an event that was just recorded")
        device.finish(stream)
        for status in {device.call("get_event_status", event).value for _ in range(_REUSES)} - {complete}:
            yield Observation(entity, f"{entity} reports {status} for an event when all work is done, not {_COMPLETE}")
    device.end("event", event)


@check("ABI072")
def event_ends_with_stream(harness: Harness) -> Iterator[Observation]:
    """An event cannot be used any more when the stream that it was recorded in has been destroyed.

    What happens: The core destroys streams while it still has their events, and asks for the state of these events.

    Instead: Store in the event, or share, the data that its state needs.

    Source: `SP_Event` is destroyed by `destroy_event`, and by nothing else.
    """
    entity = f"{EXECUTOR}.destroy_stream"
    device = TestedDevice(harness)
    for freed in ("as it was", "zeros", "gone", "gone"):  # what has become of memory that was freed
        if freed == "gone" and not harness.finds("__asan_init") and not harness.finds("__tsan_init"):
            harness.core_function(UNMAP)()
        stream, event = device.new("stream"), device.new("event")
        device.do("record_event", stream, event)
        device.finish(stream)
        end = device.routine(("destroy_stream", stream))
        for _ in range(_HOLES if freed == "gone" else 0):  # where it was, nothing else may come
            end.system("mmap", 0, mmap.PAGESIZE, 0, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, 0)
        repeat(harness, entity, [end], 1, 1)
        kept = reuse_memory() if freed == "zeros" else []
        with harness.staking(entity, f"after {entity} an event that was recorded in the stream cannot be used"):
            status = {device.call("get_event_status", event).value for _ in range(2)}
            if status != {harness.value_of(_COMPLETE)}:
                said = " and ".join(map(str, sorted(status)))
                message = f"after {entity} a completed event that was recorded in the stream reports {said}"
                yield Observation(entity, message)
            device.do("block_host_for_event", event)
            device.do("synchronize_all_activity")
            with device.streams(1) as (other,):
                device.do("wait_for_event", other, event)
                device.finish(other)
                device.do("record_event", other, event)
                device.do("block_host_for_event", event)
            device.end("event", event)
        del kept


@check("ABI078")
def event_not_as_recorded_last(harness: Harness) -> Iterator[Observation]:
    """An event that is recorded again still marks its former place in the stream.

    What happens: The core uses events again, and treats unfinished work as finished.

    Instead: In `record_event`, start again: the event is pending until the work before it has ended.

    Source: `SP_StreamExecutor.record_event`, `get_event_status` and `block_host_for_event`.
    """
    device = TestedDevice(harness)
    complete, entity = harness.value_of(_COMPLETE), f"{EXECUTOR}.record_event"
    event = device.new("event")
    with device.streams(2) as (first, second):
        for _ in range(3):
            device.do("record_event", first, event)
            device.do("block_host_for_event", event)
            device.call("get_event_status", event)
            with device.gate(second) as gate:
                device.do("record_event", second, event)
                status = device.call("get_event_status", event).value
                is_held = not gate.done
                gate.let_go(NAP / 3)
                device.do("block_host_for_event", event)
                if is_held and status == complete:
                    yield Observation(entity, f"after {entity} an event that had completed before is complete at once")
                elif not gate.done:
                    yield Observation(entity, f"after {entity} no stream waits for an event that had completed before")
        for before, after in ((first, second), (second, first), (first, second)):
            with device.gate(after) as gate:
                with device.gate(before):
                    device.do("record_event", before, event)
                    device.do("record_event", after, event)
                device.finish(before)
                status = device.call("get_event_status", event).value
                if status == complete and not gate.done:
                    yield Observation(
                        entity, f"an event that {entity} records after other work completes with the first"
                    )
            device.finish(after)
            device.do("block_host_for_event", event)
        status = device.call("get_event_status", event).value
        if status != complete:
            yield Observation(entity, f"an event that was recorded again reports {status} when all work is done")
    device.end("event", event)


@check("ABI079")
def event_never_recorded(harness: Harness) -> Iterator[Observation]:
    """An event that was never recorded cannot be waited for.

    What happens: The core, or a stream, waits for ever.

    Instead: An event without work before it is complete.

    Source: `SP_StreamExecutor.wait_for_event` and `block_host_for_event`: there is nothing to wait for.
    """
    harness.avoided = frozenset()  # what does not return elsewhere may do so for this reason
    device = TestedDevice(harness)
    event = device.new("event")
    enum = harness.api.enums["SE_EventStatus"]
    known = {each.value for each in enum.enumerators or () if each.name != "SE_EVENT_ERROR"}
    status = device.call("get_event_status", event).value
    if status not in known:
        entity = f"{EXECUTOR}.get_event_status"
        yield Observation(entity, f"{entity} reports {status} for an event that was never recorded")
    entity = f"{EXECUTOR}.block_host_for_event"
    with harness.staking(entity, f"{entity} fails for an event that was never recorded"):
        device.do("block_host_for_event", event)
    device.end("event", event)
    entity = f"{EXECUTOR}.wait_for_event"
    with device.streams(1) as (stream,):
        event = device.new("event")
        with harness.staking(entity, f"{entity} fails for an event that was never recorded"):
            device.do("wait_for_event", stream, event)
            device.finish(stream)
        device.end("event", event)


def _run_before(device: TestedDevice, streams: list[HandleValue], gate: Gate) -> bool:
    """True if work enqueued in some streams runs although held work has not ended; ends the held work."""
    seen: list[bool] = []
    for stream in streams:
        device.enqueue(stream, lambda _: seen.append(gate.done))
    time.sleep(NAP)  # what does not wait has the time to run
    gate.let_go()
    for stream in streams:
        device.finish(stream)
    return False in seen
