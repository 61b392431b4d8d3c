"""A device of the plugin that the checks of StreamExecutor use, and checks of the platform and its devices."""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache, cached_property

from abigen.model.finding import Level
from abigen.runner.verify.arguments import HandleValue, OutParameter
from abigen.runner.verify.check import Observation, check
from abigen.runner.verify.harness import CallArgument, Harness, Reply, Routine, StoredArgument
from abigen.runner.verify.repro import StructInstance
from abigen.runner.verify.session import Session
from abigen.workspace.process import InapplicableError, StoppedError

EXECUTOR = "SP_StreamExecutor"
MEMORY = "SP_DeviceMemoryBase"
NAP = 0.03
"""The duration of work that functions have to wait for, in seconds."""
MARGIN = 64
"""Bytes before and behind copied bytes, which must not change."""
PINNED = 1 << 16
"""Bytes of the host's memory that every device has to have for copies; more may be refused."""
_GATE = 2.0
"""Seconds after which held work goes on, even if the gate was not opened."""
_PLENTY = 1 << 30


class Unset:
    """A number in memory, which a function may set."""

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

    def part(self, offset: int, size: int) -> HostMemory:
        """Return a piece of it."""
        return HostMemory(self.address + offset, size)

    def read(self, size: int | None = None) -> bytes:
        """Return its content, from the beginning."""
        return ctypes.string_at(self.address, self.size if size is None else size)


class HostBuffer(HostMemory):
    """Memory of the host's own, with a content; it lasts as long as this."""

    def __init__(self, content: bytes) -> None:
        self._kept = ctypes.create_string_buffer(content, len(content) + 1)
        super().__init__(ctypes.addressof(self._kept), len(content))


class Gate:
    """Work in a stream that lasts until it is let go, or for two seconds."""

    def __init__(self) -> None:
        self.done = False
        """True if it has finished. Where it has when it was only enqueued, the plugin does all work at once."""
        self.opened = threading.Event()

    def let_go(self, seconds: float = 0.0) -> None:
        """Let it end now, or some time later."""
        if seconds:
            threading.Timer(seconds, self.opened.set).start()
        else:
            self.opened.set()


class TestedDevice:
    """The device of a platform that the core has chosen, most often the first one, and its functions."""

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
                raise StoppedError(f"{made.entity} fails: code {made.reply.code}, {made.reply.message!r}")
        try:
            self.device = self.session.structs["SP_Device"]
            self.executor = self.session.structs[EXECUTOR]
        except KeyError as missing:
            raise StoppedError(f"the plugin provides no {missing.args[0]}") from None
        count = self.session.counts.get("device", 1)
        if count > 1:
            harness.trace.write(variant="device 1", settings={"SE_CreateDeviceParams.ordinal": 1})
        self._callbacks: list[object] = []
        self.brought = HostBuffer(b"")
        """The bytes of the last `download`."""
        self.works_at_once = False
        """True if functions of the host have run when they were only enqueued."""

    def keep(self, callback: object) -> None:
        """Keep a function of the host's as long as the device is there."""
        self._callbacks.append(callback)

    def has(self, member: str) -> bool:
        """True if the executor has a function."""
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
            raise self.harness.refused(f"{EXECUTOR}.{member}", reply)
        return reply

    @cached_property
    def room(self) -> int:
        """The most device memory that a check may use at a time, in bytes: a quarter of the free memory, if known."""
        free, total = Unset(), Unset()
        known = self.has("device_memory_usage") and self.call("device_memory_usage", free, total).value
        left = free.value if known else _PLENTY
        stats: StructInstance = self.harness.new_struct("SP_AllocatorStats")
        if self.has("get_allocator_stats") and self.call("get_allocator_stats", stats).value:
            limit = int(stats.read("bytes_limit")) if stats.read("has_bytes_limit") else left
            left = min(left, limit - int(stats.read("bytes_in_use")))
        return max(4096, left // 4)

    def fitting(self, sizes: Sequence[int]) -> list[int]:
        """Return the sizes for which the device has memory."""
        return [each for each in sizes if each <= self.room]

    def allocate(self, size: int) -> StructInstance:
        """Return device memory as the plugin allocates it, even if it is NULL."""
        memory = self.harness.new_struct(MEMORY)
        self.call("allocate", size, 0, memory)
        return memory

    def memory(self, size: int) -> StructInstance:
        """Allocate device memory.

        Raises:
            StoppedError: there is none.
        """
        memory = self.allocate(size)
        if not memory.read("opaque"):
            raise self.harness.failed(f"{EXECUTOR}.allocate", f"cannot allocate {size} bytes")
        return memory

    def part(self, memory: StructInstance, offset: int, size: int) -> StructInstance:
        """Return a piece of device memory, as the core's own allocators divide it."""
        found = self.harness.new_struct(MEMORY)
        found.write("opaque", int(memory.read("opaque")) + offset)
        found.write("size", size)
        found.write("payload", int(memory.read("payload")))
        return found

    @cached_property
    def has_addresses(self) -> bool:
        """True if `opaque` is the address of the memory, so that the core can divide it; it may be another number."""
        size = 4096
        pieces = [self.memory(size), self.memory(size)]
        first, second = sorted(int(each.read("opaque")) for each in pieces)
        for each in pieces:
            self.free(each)
        return first >= size and second - first >= size

    def free(self, memory: StructInstance) -> None:
        """Give device memory back."""
        self.call("deallocate", memory)

    def host(self, size: int) -> HostMemory:
        """Return host memory for asynchronous copies.

        Raises:
            StoppedError: there is none.
        """
        address = int(self.call("host_memory_allocate", size).value or 0)
        if not address and size > PINNED:
            raise StoppedError(f"the host cannot allocate {size} bytes that the platform knows")
        if not address:
            raise self.harness.failed(f"{EXECUTOR}.host_memory_allocate", f"cannot allocate {size} bytes")
        return HostMemory(address, size)

    def new(self, kind: str) -> HandleValue:
        """Return a new `stream`, `event` or `timer`.

        Raises:
            StoppedError: there is none.
        """
        slot = Unset()
        self.do(f"create_{kind}", slot)
        if not slot.value:
            raise self.harness.failed(f"{EXECUTOR}.create_{kind}", "reports success, and returns no memory")
        return HandleValue(f"SP_{kind.capitalize()}", slot.value)

    def end(self, kind: str, handle: HandleValue) -> None:
        """Destroy a stream, event or timer."""
        self.call(f"destroy_{kind}", handle)

    def finish(self, stream: HandleValue) -> None:
        """Wait until all work of a stream is done, in one of the two ways that there are."""
        if self.has("block_host_until_done"):
            self.do("block_host_until_done", stream)
            return
        self.wait_by_event(stream)

    def wait_by_event(self, stream: HandleValue) -> None:
        """Wait until all work of a stream is done, by an event."""
        event = self.new("event")
        self.do("record_event", stream, event)
        self.do("block_host_for_event", event)
        self.end("event", event)

    def settle(self, stream: HandleValue) -> None:
        """Wait for a stream, even if its work fails."""
        with suppress(StoppedError):
            self.finish(stream)

    def routine(self, *calls: tuple[str, *tuple[CallArgument | StoredArgument, ...]]) -> Routine:
        """Return a routine of calls of the executor, each with its name and the arguments behind the device."""
        routine = Routine(self.harness)
        for member, *arguments in calls:
            routine.call(self.executor, member, self.device, *arguments)
        return routine

    def upload(self, content: bytes) -> StructInstance:
        """Return device memory with a content."""
        memory = self.memory(max(1, len(content)))
        self.do("sync_memcpy_htod", memory, ctypes.create_string_buffer(content, len(content) + 1), len(content))
        return memory

    def download(self, memory: StructInstance, size: int) -> bytes:
        """Return the content of device memory."""
        self.brought = HostBuffer(bytes(size))
        self.do("sync_memcpy_dtoh", self.brought, memory, size)
        return self.brought.read()

    def enqueue(self, stream: HandleValue, function: Callable[[int], None], argument: int = 0) -> Reply:
        """Put a function of the host's into a stream."""
        return self.enqueue_with_status(stream, lambda given, _: function(given), argument)

    def enqueue_with_status(
        self, stream: HandleValue, function: Callable[[int, int], None], argument: int = 0
    ) -> Reply:
        """Put a function of the host's into a stream, which is given its argument and the address of a status."""

        def run(given: int | None, status: int | None) -> None:
            function(given or 0, status or 0)

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
            raise self.harness.failed(f"{EXECUTOR}.host_callback", "returns false")
        return done

    @contextmanager
    def gate(self, stream: HandleValue) -> Iterator[Gate]:
        """Put work into a stream that lasts until it is let go, at the latest when this ends."""
        gate, caller = Gate(), threading.get_ident()

        def wait(_: int) -> None:
            if threading.get_ident() != caller and not self.works_at_once:
                gate.opened.wait(_GATE)
            gate.done = True

        if not self.enqueue(stream, wait).value:
            raise self.harness.failed(f"{EXECUTOR}.host_callback", "returns false")
        self.works_at_once |= gate.done
        try:
            yield gate
        finally:
            gate.let_go()

    @contextmanager
    def streams(self, count: int) -> Iterator[list[HandleValue]]:
        """Create a number of streams, which are finished and destroyed at the end."""
        made = [self.new("stream") for _ in range(count)]
        yield made
        for stream in made:
            self.finish(stream)
            self.end("stream", stream)


def reuse_memory() -> list[int]:
    """Take what was freed last from the C library's allocator, and fill it with zeros; it is not given back."""
    library = ctypes.CDLL(None)
    library.calloc.restype = ctypes.c_void_p
    return [library.calloc(ctypes.c_size_t(1), ctypes.c_size_t(size)) for size in range(8, 2048, 16) for _ in range(4)]


def pattern(size: int, seed: int) -> bytes:
    """Return bytes that differ from those of another seed nearly everywhere."""
    return _repeated(size, seed, 0xFF, 0)


def low(size: int, seed: int) -> bytes:
    """Return bytes below 128; those of two seeds differ everywhere."""
    return _repeated(size, seed, 0x7F, 0)


def high(size: int, seed: int) -> bytes:
    """Return bytes from 128 on, so that they differ from all that are `low`; those of two seeds differ everywhere."""
    return _repeated(size, seed, 0x7F, 0x80)


@cache
def _repeated(size: int, seed: int, mask: int, base: int) -> bytes:
    block = bytes(
        (index * 7 + (index >> 8) * 13 + seed * 101 + 1) & mask | base for index in range(min(max(size, 1), 4096))
    )
    return (block * (size // len(block) + 1))[:size]


_COUNT = "SP_PlatformFns.get_device_count"
_CREATE = "SP_PlatformFns.create_device"
_MOST_DEVICES = 64
"""The most devices that are created, all at the same time: the first ones, and always the last one."""
_RESERVED = ("CPU", "DEFAULT", "TPU", "TPU_SYSTEM", "XLA_CPU", "XLA_GPU")


@check("ABI080", quick=True)
def device_count_wrong(harness: Harness) -> Iterator[Observation]:
    """The number of devices cannot be, or not each of them can be made.

    What happens: The core creates all devices when it starts, and fails.

    Instead: Report the number of devices that can be used at the same time. The check creates at most 64 of them,
    including the last one, and destroys them.

    Source: `SP_PlatformFns.get_device_count` and `create_device`.
    """
    session = Session(harness).start()
    platform, functions = _platform(session)
    count = _count(harness, platform, functions)
    if count < 0:
        yield Observation(_COUNT, f"{_COUNT} reports {count} devices")
    for _ in range(3):
        again = _count(harness, platform, functions)
        if again != count:
            yield Observation(_COUNT, f"{_COUNT} reports {count} devices, and later {again}")
            return
    made = []
    for ordinal in (*range(min(count, _MOST_DEVICES) - 1), *range(max(count - 1, 0), count)):
        device, ok, said = _device(harness, platform, functions, ordinal)
        if not ok:
            yield Observation(_CREATE, f"{_CREATE} fails for device {ordinal} of {count}: {said}")
            return
        if device.read("ordinal") != ordinal:
            name = "SP_Device.ordinal"
            yield Observation(
                name, f"{_CREATE} is asked for device {ordinal}, and sets {name} to {device.read('ordinal')}"
            )
            return
        made.append(device)
    for device in made:
        harness.call(functions, "destroy_device", platform, device)
    again = _count(harness, platform, functions)
    if again != count:
        yield Observation(_COUNT, f"{_COUNT} reports {count} devices, and, after each was created, {again}")


@check("ABI081", level=Level.NOTE)
def device_that_is_not_there(harness: Harness) -> Iterator[Observation]:
    """A device can be made whose ordinal no device has.

    What happens: A mistake in the user's configuration causes a crash, or uses the device of another user.

    Instead: Compare the ordinal with the number of devices, and report an error in the status.

    Source: `SE_CreateDeviceParams.ordinal`: device index.
    """
    session = Session(harness).start()
    platform, functions = _platform(session)
    count = _count(harness, platform, functions)
    if count == 0:  # core makes no device of such a platform
        raise InapplicableError("the plugin has no device on this machine")
    for ordinal in (count, -1):
        _, ok, _ = _device(harness, platform, functions, ordinal)
        if ok:
            yield Observation(_CREATE, f"{_CREATE} creates device {ordinal}, although there are {count}")
            return


@check("ABI086")
def reserved_type(harness: Harness) -> Iterator[Observation]:
    """The type of the platform's devices is reserved for the core.

    What happens: The devices of one plugin replace those of the other, and operations run on the wrong device.

    Instead: Choose another type.

    Source: TensorFlow's own device factories: `CPU`, and those of XLA and of TPUs; `DEFAULT` is any device.
    """
    platform = Session(harness).start().structs.get("SP_Platform")
    for member in ("name", "type") if platform is not None else ():
        text = platform.text(member) if platform is not None else None
        if text in _RESERVED:
            entity = f"SP_Platform.{member}"
            yield Observation(entity, f"{entity} is {text}, which is a type of the core's own devices")


def _platform(session: Session) -> tuple[StructInstance, StructInstance]:
    try:
        return session.structs["SP_Platform"], session.structs["SP_PlatformFns"]
    except KeyError as missing:
        raise StoppedError(f"the plugin provides no {missing.args[0]}") from None


def _count(harness: Harness, platform: StructInstance, functions: StructInstance) -> int:
    """Return the number of devices, by the function or, in the first releases, by the member."""
    if platform.field("visible_device_count") is not None:
        return int(platform.read("visible_device_count"))
    number = OutParameter()
    reply = harness.call(functions, "get_device_count", platform, number)
    if not reply.ok:
        raise harness.refused(_COUNT, reply)
    return number.value(ctypes.c_int32)


def _device(
    harness: Harness, platform: StructInstance, functions: StructInstance, ordinal: int
) -> tuple[StructInstance, bool, str]:
    """Return a device by its ordinal, true if that succeeded, and the plugin's message."""
    params, device = harness.new_struct("SE_CreateDeviceParams"), harness.new_struct("SP_Device")
    params.write("ordinal", ordinal)
    params.write("device", device.address)
    reply = harness.call(functions, "create_device", platform, params)
    return device, reply.ok, f"code {reply.code}, {reply.message!r}"
