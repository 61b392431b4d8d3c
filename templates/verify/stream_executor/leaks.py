"""What work in streams, copies and memory leave behind, each time."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from abigen.host.verify.check import Observation, check
from abigen.host.verify.harness import Harness
from abigen.model.finding import Level

from .device import EXECUTOR, MEMORY, Device

_WARM_UP, _ROUNDS = 40, 100
_LEAST = 16
"""Bytes each time: the smallest block of an allocator. Fewer are the tool's own, or fill a cache."""


@check("ABI088", level=Level.WARNING)
def use_leaks(harness: Harness) -> Iterator[Observation]:
    """What is done again and again leaves memory, open files or threads behind.

    What happens: Core does so thousands of times in each step; the process grows until it is ended.

    Instead: Free what a piece of work needed when it is done.

    Source: `SP_StreamExecutor`: nothing that is enqueued has to be ended by core.
    """
    device = Device(harness)
    harness.watching = False
    with device.streams(2) as (first, second):
        for member, use in _uses(device, first, second).items():
            if not device.has(member):
                continue
            left = []
            for rounds in (_WARM_UP, _ROUNDS, _ROUNDS):
                before = harness.held()
                for _ in range(rounds):
                    use()
                device.finish(first)
                device.finish(second)
                left.append(harness.held_since(before))
            grown = [name for name, least in (("bytes", _LEAST), ("files", 0.5), ("threads", 0.5))
                     if all(each[name] >= least * _ROUNDS for each in left[1:])]  # fmt: skip
            if grown:
                each = " and ".join(f"{left[-1][name] / _ROUNDS:.0f} {name}" for name in grown)
                entity = f"{EXECUTOR}.{member}"
                yield Observation(entity, f"{entity} leaves {each} behind each time")


def _uses(device: Device, first: object, second: object) -> dict[str, Callable[[], object]]:
    """What is done, by the function that is to leave nothing behind."""
    harness, size = device.harness, 64
    memory, other, host = device.memory(size), device.memory(size), device.host(size)
    description = harness.new_struct(MEMORY)
    stats = harness.new_struct("SP_AllocatorStats")
    event, timer = device.new("event"), device.new("timer")
    callback = harness.callback("SE_StatusCallbackFn", lambda argument, status: None)
    device.keep(callback)

    def allocate() -> None:
        device.call("allocate", 4096, 0, description)
        device.free(description)

    def allocate_for_host() -> None:
        device.call("host_memory_deallocate", device.host(4096))

    def use(member: str, *arguments: object) -> Callable[[], object]:
        return lambda: device.call(member, *arguments)  # type: ignore[arg-type]

    return {
        "deallocate": allocate,
        "host_memory_deallocate": allocate_for_host,
        "get_allocator_stats": use("get_allocator_stats", stats),
        "get_stream_status": use("get_stream_status", first),
        "memcpy_htod": use("memcpy_htod", first, memory, host, size),
        "memcpy_dtoh": use("memcpy_dtoh", first, host, memory, size),
        "memcpy_dtod": use("memcpy_dtod", first, other, memory, size),
        "sync_memcpy_htod": use("sync_memcpy_htod", memory, host, size),
        "sync_memcpy_dtoh": use("sync_memcpy_dtoh", host, memory, size),
        "sync_memcpy_dtod": use("sync_memcpy_dtod", other, memory, size),
        "mem_zero": use("mem_zero", first, memory, size),
        "memset": use("memset", first, memory, 1, size),
        "memset32": use("memset32", first, memory, 1, size),
        "host_callback": use("host_callback", first, callback, 0),
        "record_event": use("record_event", first, event),
        "get_event_status": use("get_event_status", event),
        "wait_for_event": use("wait_for_event", second, event),
        "block_host_for_event": use("block_host_for_event", event),
        "create_stream_dependency": use("create_stream_dependency", second, first),
        "synchronize_all_activity": use("synchronize_all_activity"),
        "start_timer": use("start_timer", first, timer),
        "stop_timer": use("stop_timer", first, timer),
    }
