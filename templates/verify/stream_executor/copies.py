"""Copies and fills: the right bytes, all of them, no others, and in order."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import NamedTuple

from abigen.host.process import StoppedError
from abigen.host.verify.arguments import HandleValue
from abigen.host.verify.check import Observation, check
from abigen.host.verify.harness import CallArgument, Harness
from abigen.host.verify.repro import StructInstance

from .device import EXECUTOR, MARGIN, MEMORY, PINNED, Device, HostBuffer, HostMemory, high, low, pattern

SIZES = (0, 1, 3, 64, 4097, (1 << 20) + 1, (16 << 20) + 5)
"""Bytes: nothing, odd ones, more than a page, and what a model needs."""
_OFFSETS = (0, MARGIN + 4)
"""Where in an allocation a copy begins."""


@check("ABI060", basic=True)
def copy_is_wrong(harness: Harness) -> Iterator[Observation]:
    """After a copy that waits, the bytes are not there, or others were touched.

    What happens: Wrong results, without any error.

    Instead: Copy `size` bytes, neither more nor less, from and to where the caller says, and return when that is done.
    What is copied from stays as it is.

    Source: `sync_memcpy_htod`, `sync_memcpy_dtoh` and `sync_memcpy_dtod` of `SP_StreamExecutor`.
    """
    device = Device(harness)
    for size, offset in _places(device):
        length = size + 2 * MARGIN
        outgoing, incoming = HostBuffer(low(length, 1)), HostBuffer(high(length, 4))
        yield from _copied(device, "sync_memcpy_", None, _Copies(size, offset, outgoing, incoming))


@check("ABI061", basic=True)
def enqueued_copy_is_wrong(harness: Harness) -> Iterator[Observation]:
    """After a stream has finished, what was copied in it is not there, or other bytes were touched.

    What happens: Wrong results, without any error.

    Instead: Copy `size` bytes, neither more nor less, from and to where the caller says, before whatever waits for the
    stream returns. Keep a copy of the structs that describe the memory: they are the caller's, and may end with the
    call. What is copied from stays as it is.

    Source: `memcpy_htod`, `memcpy_dtoh` and `memcpy_dtod` of `SP_StreamExecutor`.
    """
    device = Device(harness)
    with device.streams(1) as (stream,):
        for size, offset in _places(device):
            length = size + 2 * MARGIN
            try:
                outgoing, incoming = device.host(length), device.host(length)
            except StoppedError:
                if length <= PINNED:
                    raise
                break  # there may be less of such memory
            outgoing.write(low(length, 1))
            incoming.write(high(length, 4))
            yield from _copied(device, "memcpy_", stream, _Copies(size, offset, outgoing, incoming))
            for host in (outgoing, incoming):
                device.call("host_memory_deallocate", host)


class _Copies(NamedTuple):
    """A copy to the device, one there, and one back."""

    size: int
    offset: int
    outgoing: HostMemory
    incoming: HostMemory


def _places(device: Device) -> list[tuple[int, int]]:
    """Sizes and offsets of copies; where memory has no address nobody can begin within it."""
    offsets = _OFFSETS if device.has_addresses else _OFFSETS[:1]
    sizes = device.fitting(SIZES)
    return [(size, offset) for size in sizes for offset in offsets if size < 1 << 20 or not offset]


def _copied(device: Device, prefix: str, stream: HandleValue | None, given: _Copies) -> Iterator[Observation]:
    """Copy to the device, there, and back; each time look at both sides, and at what stands around."""
    size, offset, outgoing, incoming = given
    length, content = size + 2 * MARGIN, low(size + 2 * MARGIN, 1)[offset : offset + size]
    behind: tuple[CallArgument, ...] = () if stream is None else (stream,)
    first, second = device.memory(length), device.memory(length)
    for memory, background in ((first, high(length, 2)), (second, low(length, 3))):
        wrong = _not_uploaded(device, memory, background)
        if wrong:
            yield wrong
            return
    there = [device.part(each, offset, size) if offset else each for each in (first, second)]
    steps = [
        ("htod", (there[0], outgoing.part(offset, size)), first, high(length, 2), "the host's memory", outgoing),
        ("dtod", (there[1], there[0]), second, low(length, 3), "the memory that it copies from", first),
        ("dtoh", (incoming.part(offset, size), there[1]), incoming, high(length, 4), "device memory", second),
    ]
    for direction, places, target, background, name, source in steps:
        before = _content(device, source, length)
        device.do(prefix + direction, *behind, *places, size)
        if stream is not None:
            device.finish(stream)
        expected = background[:offset] + content + background[offset + size :]
        entity = f"{EXECUTOR}.{prefix}{direction}"
        problem = _difference(_content(device, target, length), expected, offset, size)
        if problem:
            device.harness.expects(target if isinstance(target, HostMemory) else device.brought, expected)
        if not problem and _content(device, source, length) != before:
            problem = f"changes {name}"
        if problem:
            at = f" at offset {offset} of an allocation" if offset else ""
            yield Observation(entity, f"{entity} of {size} bytes{at}: {problem}")
            break
    device.free(first)
    device.free(second)


def _content(device: Device, place: StructInstance | HostMemory, length: int) -> bytes:
    return place.read(length) if isinstance(place, HostMemory) else device.download(place, length)


def _not_uploaded(device: Device, memory: StructInstance, content: bytes) -> Observation | None:
    """Put a content into device memory; which of the copies that wait is wrong, if it does not come back."""
    length = len(content)
    device.do("sync_memcpy_htod", memory, HostBuffer(content), length)
    buffers = [HostBuffer(background) for background in (bytes(length), b"\xff" * length)]
    for buffer in buffers:
        device.do("sync_memcpy_dtoh", buffer, memory, length)
    found = [buffer.read() for buffer in buffers]
    member = "sync_memcpy_dtoh" if found[0] != found[1] else "sync_memcpy_htod"  # what it leaves differs
    problem = _difference(found[0], content, 0, length)
    entity = f"{EXECUTOR}.{member}"
    if problem:
        device.harness.expects(buffers[0], content)
    return Observation(entity, f"{entity} of {length} bytes: {problem}") if problem else None


def _difference(found: bytes, expected: bytes, offset: int, size: int) -> str:
    """The first byte that is wrong, in words, counted from where a copy begins; empty for none."""
    if found == expected:
        return ""
    at, end = 0, len(expected)
    while end - at > 1:  # where they begin to differ, by halves: there may be many bytes
        middle = (at + end) // 2
        at, end = (at, middle) if found[at:middle] != expected[at:middle] else (middle, end)
    if at < offset or at >= offset + size:
        return f"changes bytes {'before' if at < offset else 'behind'} them"
    return f"byte {at - offset} is {found[at]:#04x} instead of {expected[at]:#04x}"


@check("ABI062", quick=True)
def work_in_stream_reordered(harness: Harness) -> Iterator[Observation]:
    """Work in one stream is not done in the order in which it was enqueued.

    What happens: An operation reads what is not there yet, or what has been overwritten, now and then.

    Instead: Run what is in a stream one after the other; give each stream one queue and one worker.

    Source: `SP_Stream`: a queue of work, which runs in the order in which it was enqueued.
    """
    size, count = 32, 500
    device = Device(harness)
    memory, outgoing, incoming = device.memory(size), device.host(size * count), device.host(size * count)
    outgoing.write(b"".join(pattern(size, number) for number in range(count)))
    incoming.write(bytes(size * count))
    with device.streams(1) as (stream,), device.gate(stream) as gate:
        for start in range(0, size * count, size):
            device.do("memcpy_htod", stream, memory, outgoing.part(start, size), size)
            device.do("memcpy_dtoh", stream, incoming.part(start, size), memory, size)
        gate.let_go()
        device.finish(stream)
    starts = range(0, size * count, size)
    wrong = [each for each in starts if incoming.part(each, size).read() != outgoing.part(each, size).read()]
    if wrong:
        message = f"{len(wrong)} of {count} copies to the device and back in one stream bring back another's bytes"
        yield Observation(f"{EXECUTOR}.memcpy_dtoh", message)


@check("ABI065", quick=True)
def fill_is_wrong(harness: Harness) -> Iterator[Observation]:
    """After memory was filled in a stream, it does not hold the pattern, or other bytes were touched.

    What happens: Wrong results, without any error.

    Instead: Fill `size` bytes. `size` counts bytes for 32-bit patterns as well.

    Source: `mem_zero`, `memset` and `memset32` of `SP_StreamExecutor`.
    """
    device = Device(harness)
    offset = _OFFSETS[-1] if device.has_addresses else 0
    with device.streams(1) as (stream,):
        for member, given in (("mem_zero", ()), ("memset", (0xA7,)), ("memset", (0xFF,)), ("memset32", (0x01020304,))):
            large = (1 << 20) + 4, (16 << 20) + 4
            sizes = (0, 4, 4100, *large) if member == "memset32" else (0, 4, 3, 4100, 4097, large[0] + 1, large[1] + 1)
            for size in device.fitting(sizes) if device.has(member) else ():
                content = _words(given[0], size) if member == "memset32" else bytes(given or (0,)) * size
                background = bytes((each % 100) + 20 for each in pattern(min(size, 4096) + 2 * MARGIN, 5))
                background = (background * (size // len(background) + 2))[: size + 2 * MARGIN]
                memory = device.memory(len(background))
                device.do("sync_memcpy_htod", memory, HostBuffer(background), len(background))
                device.do(member, stream, device.part(memory, offset, size) if offset else memory, *given, size)
                device.finish(stream)
                expected = background[:offset] + content + background[offset + size :]
                problem = _difference(device.download(memory, len(background)), expected, offset, size)
                if problem:
                    harness.expects(device.brought, expected)
                    entity = f"{EXECUTOR}.{member}"
                    yield Observation(entity, f"{entity} of {size} bytes: {problem}")
                device.free(memory)


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
    with device.streams(1) as (stream,), device.gate(stream):
        for member, host in (("memcpy_htod", outgoing), ("memcpy_dtoh", incoming)):
            description = harness.new_struct(MEMORY)
            for name in ("opaque", "size", "payload"):
                description.write(name, int(memory.read(name)))
            to, source = (description, host) if host is outgoing else (host, description)
            device.do(member, stream, to, source, size)
            description.write("opaque", int(other.read("opaque")))
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


def _words(value: int, size: int) -> bytes:
    """A 32-bit pattern, as this machine stores it."""
    return (value.to_bytes(4, sys.byteorder) * (size // 4 + 1))[:size]
