"""Events, and streams that wait for each other."""

from __future__ import annotations

import mmap
import time
from collections.abc import Iterator

from abigen.host.verify.arguments import HandleValue
from abigen.host.verify.check import Observation, check
from abigen.host.verify.harness import Harness, repeat
from abigen.host.verify.scenario import UNMAP

from .device import EXECUTOR, NAP, Device, Gate, reuse_memory

_COMPLETE, _PENDING = "SE_EVENT_COMPLETE", "SE_EVENT_PENDING"
_OTHERS = 8
"""Streams that wait for one: who forgets some waits forgets one of these."""
_HOLES = 64
"""How many pages are taken, so that those of freed memory are among them."""
_TIMES = 40
"""How often an event is asked."""


@check("ABI063")
def dependency_ignored(harness: Harness) -> Iterator[Observation]:
    """A stream does not wait for the one that it was made dependent on.

    What happens: What is computed in one stream is read by another before it is there.

    Instead: Let the dependent stream wait, on the device, for all that the other has at that moment.

    Source: `SP_StreamExecutor.create_stream_dependency`.
    """
    entity = f"{EXECUTOR}.create_stream_dependency"
    device = Device(harness)
    with device.streams(1 + _OTHERS) as (first, *others), device.gate(first) as gate:
        for other in others:
            device.do("create_stream_dependency", other, first)
        if _run_before(device, others, gate):
            yield Observation(entity, f"{entity}: the dependent stream works before the other has finished")


@check("ABI064")
def event_not_waited_for(harness: Harness) -> Iterator[Observation]:
    """A stream does not wait for an event.

    What happens: What is computed in one stream is read by another before it is there.

    Instead: Let the stream wait, behind all that is in it, until the event has completed.

    Source: `SP_StreamExecutor.record_event` and `wait_for_event`.
    """
    entity = f"{EXECUTOR}.wait_for_event"
    device = Device(harness)
    events = [device.new("event") for _ in range(_OTHERS)]
    with device.streams(1 + _OTHERS) as (first, *others), device.gate(first) as gate:
        for event, other in zip(events, others, strict=True):
            device.do("record_event", first, event)
            device.do("wait_for_event", other, event)
        if _run_before(device, others, gate):
            yield Observation(entity, f"{entity}: the stream works before the event has completed")
    for event in events:
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
            said = {device.call("get_event_status", event).value for _ in range(_TIMES)}
            is_held = not gate.done
        if complete in said and is_held:
            yield Observation(entity, f"{entity} says {_COMPLETE} before the work in front of the event is done")
        for status in sorted(said - {complete, pending}):
            yield Observation(entity, f"{entity} says {status} of an event that was just recorded")
        device.finish(stream)
        for status in {device.call("get_event_status", event).value for _ in range(_TIMES)} - {complete}:
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
    device = Device(harness)
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
                message = f"after {entity} a completed event that was recorded in the stream says {said}"
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
    """An event that is recorded again still stands for where it was before.

    What happens: Core uses events again and again. It takes for done what is not.

    Instead: Let `record_event` begin anew: the event is pending until the work before it is done.

    Source: `SP_StreamExecutor.record_event`, `get_event_status` and `block_host_for_event`.
    """
    device = Device(harness)
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
                    yield Observation(entity, f"after {entity} nobody waits for an event that had completed before")
        for before, after in ((first, second), (second, first), (first, second)):
            with device.gate(after) as gate:
                with device.gate(before):
                    device.do("record_event", before, event)
                    device.do("record_event", after, event)
                device.finish(before)
                status = device.call("get_event_status", event).value
                if status == complete and not gate.done:
                    yield Observation(entity, f"an event that {entity} puts behind other work completes with the first")
            device.finish(after)
            device.do("block_host_for_event", event)
        status = device.call("get_event_status", event).value
        if status != complete:
            yield Observation(entity, f"an event that was recorded again says {status} when all work is done")
    device.end("event", event)


@check("ABI079")
def event_never_recorded(harness: Harness) -> Iterator[Observation]:
    """An event that was never recorded cannot be waited for.

    What happens: Core waits for ever, or a stream does.

    Instead: Let an event without work before it be complete.

    Source: `SP_StreamExecutor.wait_for_event` and `block_host_for_event`: there is nothing to wait for.
    """
    harness.avoided = frozenset()  # what does not return elsewhere may do so for this reason
    device = Device(harness)
    event = device.new("event")
    enum = harness.api.enums["SE_EventStatus"]
    known = {each.value for each in enum.enumerators or () if each.name != "SE_EVENT_ERROR"}
    status = device.call("get_event_status", event).value
    if status not in known:
        entity = f"{EXECUTOR}.get_event_status"
        yield Observation(entity, f"{entity} says {status} of an event that was never recorded")
    entity = f"{EXECUTOR}.block_host_for_event"
    with harness.staking(entity, f"{entity} cannot deal with an event that was never recorded"):
        device.do("block_host_for_event", event)
    device.end("event", event)
    entity = f"{EXECUTOR}.wait_for_event"
    with device.streams(1) as (stream,):
        event = device.new("event")
        with harness.staking(entity, f"{entity} cannot deal with an event that was never recorded"):
            device.do("wait_for_event", stream, event)
            device.finish(stream)
        device.end("event", event)


def _run_before(device: Device, streams: list[HandleValue], gate: Gate) -> bool:
    """Whether what is enqueued next in one of some streams runs although the work of another one goes on; ends that."""
    seen: list[bool] = []
    for stream in streams:
        device.enqueue(stream, lambda _: seen.append(gate.done))
    time.sleep(NAP)  # what does not wait has the time to run
    gate.let_go()
    for stream in streams:
        device.finish(stream)
    return False in seen
