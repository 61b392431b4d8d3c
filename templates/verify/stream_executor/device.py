"""A device of the plugin's, ready to work: what the checks of this API have in common."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from abigen.host.process import StoppedError
from abigen.host.verify.arguments import HandleValue
from abigen.host.verify.harness import CallArgument, Harness, Reply
from abigen.host.verify.session import Session
from abigen.host.verify.struct_memory import StructInstance

EXECUTOR = "SP_StreamExecutor"
MEMORY = "SP_DeviceMemoryBase"
NAP = 0.03
"""How long work lasts that has to be waited for, in seconds."""


class Unset:
    """Where a number is stored."""

    def __init__(self) -> None:
        self._number = ctypes.c_int64(0)
        self.address = ctypes.addressof(self._number)

    @property
    def value(self) -> int:
        """The number."""
        return self._number.value


class HostMemory:
    """Memory of the host that the platform knows about."""

    def __init__(self, address: int, size: int) -> None:
        self.address = address
        self.size = size

    def write(self, content: bytes) -> None:
        """Fill it from the beginning."""
        ctypes.memmove(self.address, content, len(content))

    def read(self, size: int | None = None) -> bytes:
        """What is in it, from the beginning."""
        return ctypes.string_at(self.address, self.size if size is None else size)


class Device:
    """The first device of a platform, and its functions."""

    def __init__(self, harness: Harness) -> None:
        """Make it.

        Raises:
            StoppedError: the plugin does not give one.
        """
        self.harness = harness
        self.session = Session(harness).start()
        self.session.create_all()
        for made in self.session.made:
            if not made.reply.ok:
                raise StoppedError(f"{made.entity} fails")
        try:
            self.device = self.session.structs["SP_Device"]
            self.executor = self.session.structs[EXECUTOR]
        except KeyError as missing:
            raise StoppedError(f"the plugin gives no {missing.args[0]}") from None
        self._callbacks: list[object] = []

    def has(self, member: str) -> bool:
        """Whether the executor has a function."""
        return self.executor.has(member)

    def call(self, member: str, *arguments: CallArgument) -> Reply:
        """Call a function of the executor; the device comes first, a status last."""
        return self.harness.call(self.executor, member, self.device, *arguments)

    def do(self, member: str, *arguments: CallArgument) -> Reply:
        """Call a function that has to succeed for a check to go on.

        Raises:
            StoppedError: it reports an error.
        """
        reply = self.call(member, *arguments)
        if not reply.ok:
            raise StoppedError(f"{EXECUTOR}.{member} fails: code {reply.code}, {reply.message!r}")
        return reply

    def allocate(self, size: int) -> StructInstance:
        """Device memory, whatever the plugin gives."""
        memory = self.harness.new_struct(MEMORY)
        self.call("allocate", size, 0, memory)
        return memory

    def memory(self, size: int) -> StructInstance:
        """Device memory that is there.

        Raises:
            StoppedError: there is none.
        """
        memory = self.allocate(size)
        if not memory.read("opaque"):
            raise StoppedError(f"{EXECUTOR}.allocate gives no {size} bytes")
        return memory

    def free(self, memory: StructInstance) -> None:
        """Give device memory back."""
        self.call("deallocate", memory)

    def host(self, size: int) -> HostMemory:
        """Host memory that asynchronous copies work with.

        Raises:
            StoppedError: there is none.
        """
        address = int(self.call("host_memory_allocate", size).value or 0)
        if not address:
            raise StoppedError(f"{EXECUTOR}.host_memory_allocate gives no {size} bytes")
        return HostMemory(address, size)

    def new(self, kind: str) -> HandleValue:
        """A new `stream`, `event` or `timer`.

        Raises:
            StoppedError: there is none.
        """
        slot = Unset()
        self.do(f"create_{kind}", slot)
        if not slot.value:
            raise StoppedError(f"{EXECUTOR}.create_{kind} gives none")
        return HandleValue(f"SP_{kind.capitalize()}", slot.value)

    def end(self, kind: str, handle: HandleValue) -> None:
        """Destroy a stream, event or timer."""
        self.call(f"destroy_{kind}", handle)

    def finish(self, stream: HandleValue) -> None:
        """Wait until all work of a stream is done, in one of the two ways that there are."""
        if self.has("block_host_until_done"):
            self.do("block_host_until_done", stream)
            return
        event = self.new("event")
        self.do("record_event", stream, event)
        self.do("block_host_for_event", event)
        self.end("event", event)

    def upload(self, content: bytes) -> StructInstance:
        """Device memory with a content."""
        memory = self.memory(max(1, len(content)))
        self.do("sync_memcpy_htod", memory, ctypes.create_string_buffer(content, len(content) + 1), len(content))
        return memory

    def download(self, memory: StructInstance, size: int) -> bytes:
        """What is in device memory."""
        buffer = ctypes.create_string_buffer(size + 1)
        self.do("sync_memcpy_dtoh", buffer, memory, size)
        return buffer.raw[:size]

    def enqueue(self, stream: HandleValue, function: Callable[[int], None], argument: int = 0) -> Reply:
        """Put a function of the host's into a stream."""

        def run(given: int | None, status: int | None) -> None:
            function(given or 0)

        callback = self.harness.callback("SE_StatusCallbackFn", run)
        self._callbacks.append(callback)
        return self.call("host_callback", stream, callback, argument)

    def nap(self, stream: HandleValue, seconds: float = NAP) -> list[float]:
        """Put work into a stream that lasts a while.

        Returns:
            A list that is empty until the work is done.
        """
        done: list[float] = []

        def sleep(_: int) -> None:
            time.sleep(seconds)
            done.append(time.monotonic())

        if not self.enqueue(stream, sleep).value:
            raise StoppedError(f"{EXECUTOR}.host_callback returns false")
        return done

    @contextmanager
    def streams(self, count: int) -> Iterator[list[HandleValue]]:
        """A number of streams, which are finished and destroyed at the end."""
        made = [self.new("stream") for _ in range(count)]
        yield made
        for stream in made:
            self.finish(stream)
            self.end("stream", stream)


def pattern(size: int, seed: int) -> bytes:
    """Bytes that differ from those of another seed nearly everywhere."""
    block = bytes((index * 7 + (index >> 8) * 13 + seed * 101 + 1) & 0xFF for index in range(min(size, 4096)))
    return (block * (size // max(1, len(block)) + 1))[:size]
