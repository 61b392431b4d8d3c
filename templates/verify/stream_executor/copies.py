"""Copies and fills: the right bytes, all of them, no others, and in order."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Iterator

from abigen.host.verify.arguments import HandleValue
from abigen.host.verify.check import Observation, check
from abigen.host.verify.harness import Harness
from abigen.host.verify.struct_memory import StructInstance

from .device import EXECUTOR, MEMORY, Device, HostMemory, pattern

SIZES = (0, 1, 3, 64, 4097, (1 << 20) + 1)
"""Bytes: nothing, odd ones, and more than a page."""
_MARGIN = 64


@check("ABI060")
def copy_is_wrong(harness: Harness) -> Iterator[Observation]:
    """After a copy that waits, the bytes are not there, or others were touched.

    What happens: Wrong results, without any error.

    Instead: Copy `size` bytes, neither more nor less, and return when that is done.

    Source: `sync_memcpy_htod`, `sync_memcpy_dtoh` and `sync_memcpy_dtod` of `SP_StreamExecutor`.
    """
    device = Device(harness)
    for size in SIZES:
        content, background = pattern(size, 1), pattern(size + _MARGIN, 2)
        source, target = device.upload(background), device.upload(background)
        device.do("sync_memcpy_htod", source, _buffer(content), size)
        yield from _compare(device, "sync_memcpy_htod", source, content, background)
        device.do("sync_memcpy_dtod", target, source, size)
        yield from _compare(device, "sync_memcpy_dtod", target, content, background)
        buffer = _buffer(background)
        device.do("sync_memcpy_dtoh", buffer, target, size)
        yield from _judge("sync_memcpy_dtoh", buffer.raw[: size + _MARGIN], content, background)
        device.free(source)
        device.free(target)


@check("ABI061")
def enqueued_copy_is_wrong(harness: Harness) -> Iterator[Observation]:
    """After a stream has finished, what was copied in it is not there, or other bytes were touched.

    What happens: Wrong results, without any error.

    Instead: Copy `size` bytes, neither more nor less, before whatever waits for the stream returns. Keep a copy of
    the structs that describe the memory: they are the caller's, and may end with the call.

    Source: `memcpy_htod`, `memcpy_dtoh` and `memcpy_dtod` of `SP_StreamExecutor`.
    """
    device = Device(harness)
    with device.streams(1) as (stream,):
        for size in SIZES:
            content, background = pattern(size, 3), pattern(size + _MARGIN, 4)
            source, target = device.upload(background), device.upload(background)
            outgoing, incoming = device.host(size + _MARGIN), device.host(size + _MARGIN)
            outgoing.write(content)
            incoming.write(background)
            device.do("memcpy_htod", stream, source, outgoing, size)
            device.do("memcpy_dtod", stream, target, source, size)
            device.do("memcpy_dtoh", stream, incoming, target, size)
            device.finish(stream)
            yield from _compare(device, "memcpy_htod", source, content, background)
            yield from _compare(device, "memcpy_dtod", target, content, background)
            yield from _judge("memcpy_dtoh", incoming.read(), content, background)
            for host in (outgoing, incoming):
                device.call("host_memory_deallocate", host)


@check("ABI062")
def work_in_stream_reordered(harness: Harness) -> Iterator[Observation]:
    """Work in one stream is not done in the order in which it was enqueued.

    What happens: An operation reads what is not there yet, or what has been overwritten, now and then.

    Instead: Run what is in a stream one after the other; give each stream one queue and one worker.

    Source: `SP_Stream`: a queue of work, which runs in the order in which it was enqueued.
    """
    size, count = 2048, 24
    device = Device(harness)
    memory = device.memory(size)
    outgoing = [device.host(size) for _ in range(count)]
    incoming = [device.host(size) for _ in range(count)]
    with device.streams(1) as (stream,):
        device.nap(stream)
        for number in range(count):
            outgoing[number].write(pattern(size, number))
            device.do("memcpy_htod", stream, memory, outgoing[number], size)
            device.do("memcpy_dtoh", stream, incoming[number], memory, size)
        device.finish(stream)
        wrong = _wrong(incoming, size)
    if wrong:
        message = f"{len(wrong)} of {count} copies to the device and back in one stream bring back another's bytes"
        yield Observation(f"{EXECUTOR}.memcpy_dtoh", message)


@check("ABI063")
def dependency_ignored(harness: Harness) -> Iterator[Observation]:
    """A stream does not wait for the one that it was made dependent on.

    What happens: What is computed in one stream is read by another before it is there.

    Instead: Let the dependent stream wait, on the device, for all that the other has at that moment.

    Source: `SP_StreamExecutor.create_stream_dependency`.
    """
    entity = f"{EXECUTOR}.create_stream_dependency"
    device = Device(harness)
    with device.streams(2) as (first, second):
        done = device.nap(first)
        device.do("create_stream_dependency", second, first)
        if _runs_before(device, second, done):
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
    with device.streams(2) as (first, second):
        event = device.new("event")
        done = device.nap(first)
        device.do("record_event", first, event)
        device.do("wait_for_event", second, event)
        if _runs_before(device, second, done):
            yield Observation(entity, f"{entity}: the stream works before the event has completed")
        device.end("event", event)


@check("ABI065")
def fill_is_wrong(harness: Harness) -> Iterator[Observation]:
    """After memory was filled in a stream, it does not hold the pattern, or other bytes were touched.

    What happens: Wrong results, without any error.

    Instead: Fill `size` bytes. `size` counts bytes for 32-bit patterns as well.

    Source: `mem_zero`, `memset` and `memset32` of `SP_StreamExecutor`.
    """
    device = Device(harness)
    fills = [("mem_zero", (), b"\0"), ("memset", (0xA7,), b"\xa7"), ("memset32", (0x01020304,), b"")]
    with device.streams(1) as (stream,):
        for member, given, byte in fills:
            if not device.has(member):
                continue
            for size in (0, 4, 3, 4100, 4097) if byte else (0, 4, 4100):
                background = pattern(size + _MARGIN, 5)
                memory = device.upload(background)
                device.do(member, stream, memory, *given, size)
                device.finish(stream)
                content = byte * size if byte else _words(given[0], size)
                yield from _compare(device, member, memory, content, background)
                device.free(memory)


@check("ABI066")
def streams_of_two_threads_mixed(harness: Harness) -> Iterator[Observation]:
    """Two threads that work with a stream each do not get their own bytes back.

    What happens: Wrong results, now and then, in programs that use the device from several threads; all do.

    Instead: Protect what streams share.

    Source: core calls plugins from all of its threads, without a lock around them.
    """
    size, rounds = 3000, 30
    device = Device(harness)
    harness.watching = False
    wrong: list[str] = []

    def work(seed: int, stream: HandleValue, outgoing: HostMemory, incoming: HostMemory) -> None:
        for number in range(rounds):
            content = pattern(size, seed * 1000 + number)
            memory = device.memory(size)
            outgoing.write(content)
            device.do("memcpy_htod", stream, memory, outgoing, size)
            device.do("memcpy_dtoh", stream, incoming, memory, size)
            device.finish(stream)
            if incoming.read() != content:
                wrong.append(f"round {number}")
            device.free(memory)

    with device.streams(2) as streams:
        hosts = [(device.host(size), device.host(size)) for _ in streams]
        threads = [
            threading.Thread(target=work, args=(seed, stream, *pair))
            for seed, (stream, pair) in enumerate(zip(streams, hosts, strict=True))
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    harness.watching = True
    if wrong:
        entity = f"{EXECUTOR}.memcpy_htod"
        yield Observation(
            entity, f"{len(wrong)} of {2 * rounds} copies of two threads with a stream each bring back wrong bytes"
        )


@check("ABI067")
def description_of_memory_kept(harness: Harness) -> Iterator[Observation]:
    """Enqueued work needs the structs that describe its memory after the call.

    What happens: The structs are on the caller's stack; by the time the work runs, something else is there.

    Instead: Copy what `opaque` and `size` say when the work is enqueued.

    Source: `SP_DeviceMemoryBase` is handed over by a pointer, for the call; C 6.2.4 paragraph 2.
    """
    size = 512
    device = Device(harness)
    memory, other = device.memory(size), device.upload(pattern(size, 7))
    outgoing, incoming = device.host(size), device.host(size)
    outgoing.write(pattern(size, 6))
    with device.streams(1) as (stream,):
        device.nap(stream)
        for member, host in (("memcpy_htod", outgoing), ("memcpy_dtoh", incoming)):
            description = harness.new_struct(MEMORY)
            for name in ("opaque", "size", "payload"):
                description.write(name, int(memory.read(name)))
            to, source = (description, host) if host is outgoing else (host, description)
            device.do(member, stream, to, source, size)
            description.write("opaque", int(other.read("opaque")))
        device.finish(stream)
    if device.download(other, size) != pattern(size, 7):
        entity = f"{EXECUTOR}.memcpy_htod"
        yield Observation(
            entity, f"{entity} copies to what the struct describes when the work runs, not when it was enqueued"
        )
    elif incoming.read() != outgoing.read():
        entity = f"{EXECUTOR}.memcpy_dtoh"
        yield Observation(
            entity, f"{entity} copies from what the struct describes when the work runs, not when it was enqueued"
        )


def _runs_before(device: Device, stream: HandleValue, done: list[float]) -> bool:
    """Whether what is enqueued next in a stream runs before something else is done."""
    seen: list[bool] = []
    device.enqueue(stream, lambda _: seen.append(bool(done)))
    device.finish(stream)
    return seen == [False]


def _compare(
    device: Device, member: str, memory: StructInstance, content: bytes, background: bytes
) -> Iterator[Observation]:
    """Compare device memory with what has to be in it."""
    yield from _judge(member, device.download(memory, len(background)), content, background)


def _judge(member: str, found: bytes, content: bytes, background: bytes) -> Iterator[Observation]:
    """Say what is wrong with bytes, the content first, and behind it what was there before."""
    size = len(content)
    entity = f"{EXECUTOR}.{member}"
    if found[:size] != content:
        first = next(index for index in range(size) if found[index] != content[index])
        yield Observation(
            entity, f"{entity} of {size} bytes: byte {first} is {found[first]:#04x} instead of {content[first]:#04x}"
        )
    elif found[size:] != background[size:]:
        yield Observation(entity, f"{entity} of {size} bytes changes bytes behind them")


def _wrong(found: list[HostMemory], size: int) -> list[int]:
    return [number for number, each in enumerate(found) if each.read() != pattern(size, number)]


def _words(value: int, size: int) -> bytes:
    """A 32-bit pattern, as this machine stores it."""
    import sys

    return (value.to_bytes(4, sys.byteorder) * (size // 4 + 1))[:size]


def _buffer(content: bytes) -> ctypes.Array[ctypes.c_char]:
    return ctypes.create_string_buffer(content, len(content) + _MARGIN + 1)
