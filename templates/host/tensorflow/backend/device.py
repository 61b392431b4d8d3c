"""A plugin's device in use: streams, memory, and copies between the host and the device."""

from __future__ import annotations

from contextlib import AbstractContextManager
from threading import Lock

from plugin_api_runtime_v1 import NULL, address_of
from plugin_api_runtime_v1.memory import ffi

from abigen.host.backend import NoMemoryError
from abigen.host.bfc import BestFitAllocator

from ..tensorflow_plugin_api import stream_executor as se
from .calls import call
from .library import Pointer

DEFAULT_LIMIT = 1 << 30
"""How many bytes the best-fit allocator takes at most from a device that does not know how many it has."""


MARGIN = 64
"""Bytes before and behind an output that nobody may write to."""


class StreamDevice:
    """A device with one stream to compute and several to copy (RFC 262, "Device Creation", step 2)."""

    def __init__(
        self,
        plugin: str,
        device: se.SP_Device,
        executor: se.SP_StreamExecutor,
        timer_fns: se.SP_TimerFns,
        platform: se.SP_Platform,
    ) -> None:
        """Create its streams and its allocator.

        Args:
            plugin: its file, for messages.
            device: as the plugin has filled it.
            executor: as the plugin has filled it.
            timer_fns: as the plugin has filled it.
            platform: as the plugin has filled it.

        Raises:
            PluginError: the plugin cannot create a stream.
        """
        self._plugin = plugin
        self._device = device
        self.ordinal: int = device.ordinal
        """Its number on its platform."""
        names = ("device_vendor", "hardware_name", "pci_bus_id")
        given = [str(getattr(device, name)) for name in names if device.has(name) and device.is_set(name)]
        self.description = ", ".join(given)
        """What the plugin says of the hardware, for people."""
        self._executor = executor
        self._timer_fns = timer_fns
        self._lock = Lock()
        self._closed = False
        self._plain: dict[int, int] = {}
        self._guarded: set[int] = set()
        self.background = 0
        """The byte that outputs and their surroundings are filled with; 0 for nothing of the kind."""
        self._staged: list[Pointer] = []
        self._streams: list[se.SP_Stream] = []
        for purpose in ("compute", "host to device", "device to host", "device to device"):
            with self._calling(f"create_stream, to copy {purpose}" if " to " in purpose else "create_stream"):
                self._streams.append(executor.create_stream(device))
        self._compute, self._to_device, self._to_host, self._within = self._streams
        self._allocator = self._make_allocator(platform)

    @property
    def stream(self) -> int:
        """Address of what stands for the stream that kernels compute on."""
        return address_of(self._compute.cdata)

    def statistics(self) -> str:
        """What its allocator has handed out, for people."""
        if self._allocator is None:
            return f"{len(self._plain)} allocations of the plugin's own in use"
        found = self._allocator.statistics()
        return (
            f"{found.allocations} allocations, {found.in_use} bytes in use, {found.peak_in_use} at most, "
            f"{found.reserved} of {found.limit} taken from the device"
        )

    def allocate(self, size: int) -> int:
        """Allocate memory of the device.

        Args:
            size: in bytes.

        Returns:
            What stands for it; 0 when there is not enough.
        """
        with self._lock:
            if self._allocator is not None:
                return self._allocator.allocate(size)
            address = self._take(size)
            if address:
                self._plain[address] = size
            return address

    def allocate_guarded(self, size: int) -> int:
        """Allocate memory with a margin, where the core may look inside what it has from the plugin; else plainly."""
        if self._allocator is None or not self.background:
            return self.allocate(size)
        begin = self.allocate(size + 2 * MARGIN)
        if not begin:
            return 0
        self._copy_to(self._compute, begin, bytes([self.background]) * (size + 2 * MARGIN))
        self._guarded.add(begin + MARGIN)
        return begin + MARGIN

    def margin(self, address: int) -> int:
        """How many bytes there are before and behind a piece of memory that nobody may write to."""
        return MARGIN if address in self._guarded else 0

    def deallocate(self, address: int) -> None:
        """Free what either has given; of a device that is closed, everything has been given back."""
        with self._lock:
            if self._closed:
                return
            if address in self._guarded:
                self._guarded.remove(address)
                address -= MARGIN
            if self._allocator is not None:
                self._allocator.free(address)
            elif address in self._plain:
                self._give_back(address, self._plain.pop(address))

    def upload(self, address: int, data: bytes) -> None:
        """Enqueue a copy to the device; `start` makes the kernels wait for it."""
        if data:
            self._copy_to(self._to_device, address, data)

    def start(self) -> None:
        """Let what is computed from here on wait for the copies to the device."""
        with self._calling("create_stream_dependency"):
            self._executor.create_stream_dependency(self._device, self._compute, self._to_device)

    def start_timer(self) -> se.SP_Timer:
        """Note in the stream of the kernels where an interval begins."""
        with self._calling("create_timer"):
            timer = self._executor.create_timer(self._device)
        with self._calling("start_timer"):
            self._executor.start_timer(self._device, self._compute, timer)
        return timer

    def stop_timer(self, timer: se.SP_Timer) -> None:
        """Note in the stream of the kernels where the interval ends."""
        with self._calling("stop_timer"):
            self._executor.stop_timer(self._device, self._compute, timer)

    def read_timer(self, timer: se.SP_Timer) -> int:
        """The length of an interval in nanoseconds, once the stream has done its work; the timer ends with that."""
        with self._calling("nanoseconds"):
            found = self._timer_fns.nanoseconds(timer)
        with self._calling("destroy_timer"):
            self._executor.destroy_timer(self._device, timer)
        return found

    def download(self, parts: list[tuple[int, int]]) -> list[bytes]:
        """Copy memory to the host, behind everything that has been enqueued to compute.

        Args:
            parts: address and size in bytes of each piece.
        """
        with self._calling("create_stream_dependency"):
            self._executor.create_stream_dependency(self._device, self._to_host, self._compute)
        staged = [self._stage(size) if size else NULL for _, size in parts]
        for (address, size), place in zip(parts, staged, strict=True):
            if size:
                with self._calling("memcpy_dtoh"):
                    self._executor.memcpy_dtoh(self._device, self._to_host, place, _memory(address, size), size)
        self._wait(self._to_host)
        found = [bytes(ffi.buffer(place, size)) for (_, size), place in zip(parts, staged, strict=True)]
        self._wait(self._compute)
        self._unstage()
        return found

    def settle(self) -> None:
        """Wait until nothing is going on any more."""
        with self._calling("synchronize_all_activity"):
            self._executor.synchronize_all_activity(self._device)
        self._unstage()

    def close(self) -> None:
        """Wait for everything, then give back memory and streams."""
        self.settle()
        self._closed = True
        if self._allocator is not None:
            self._allocator.close()
        for address, size in self._plain.items():
            self._give_back(address, size)
        self._plain.clear()
        for stream in reversed(self._streams):
            with self._calling("destroy_stream"):
                self._executor.destroy_stream(self._device, stream)
        self._streams.clear()

    def _make_allocator(self, platform: se.SP_Platform) -> BestFitAllocator | None:
        """The core's own allocator, unless the plugin wants its own to be asked for each piece."""
        if not platform.use_bfc_allocator:
            return None
        with self._calling("device_memory_usage"):
            known, free, _ = self._executor.device_memory_usage(self._device)
        limit = free if known and free > 0 else DEFAULT_LIMIT
        grow = bool(platform.force_memory_growth) or not known
        return BestFitAllocator(self._take, self._give_back, limit=limit, grow=grow)

    def _take(self, size: int) -> int:
        """Memory of the plugin's."""
        memory = se.SP_DeviceMemoryBase()
        with self._calling("allocate"):
            self._executor.allocate(self._device, size, 0, memory)
        return address_of(memory.opaque)

    def _give_back(self, address: int, size: int) -> None:
        with self._calling("deallocate"):
            self._executor.deallocate(self._device, _memory(address, size))

    def _copy_to(self, stream: se.SP_Stream, address: int, data: bytes) -> None:
        staged = self._stage(len(data))
        ffi.memmove(staged, data, len(data))
        with self._calling("memcpy_htod"):
            self._executor.memcpy_htod(self._device, stream, _memory(address, len(data)), staged, len(data))

    def _stage(self, size: int) -> Pointer:
        """Memory of the host that copies may use while they wait."""
        with self._calling("host_memory_allocate"):
            place = self._executor.host_memory_allocate(self._device, size)
        if not place:
            raise NoMemoryError.at(None, f"{self._plugin}: host_memory_allocate has no {size} bytes")
        self._staged.append(place)
        return place

    def _unstage(self) -> None:
        for place in self._staged:
            with self._calling("host_memory_deallocate"):
                self._executor.host_memory_deallocate(self._device, place)
        self._staged.clear()

    def _wait(self, stream: se.SP_Stream) -> None:
        """Block until a stream has done its work, by an event where the plugin has no other way."""
        executor = self._executor
        if executor.is_set("block_host_until_done"):
            with self._calling("block_host_until_done"):
                executor.block_host_until_done(self._device, stream)
        else:
            self._wait_for_event(stream)
        with self._calling("get_stream_status"):
            executor.get_stream_status(self._device, stream)

    def _wait_for_event(self, stream: se.SP_Stream) -> None:
        executor = self._executor
        with self._calling("create_event"):
            event = executor.create_event(self._device)
        with self._calling("record_event"):
            executor.record_event(self._device, stream, event)
        with self._calling("block_host_for_event"):
            executor.block_host_for_event(self._device, event)
        with self._calling("destroy_event"):
            executor.destroy_event(self._device, event)

    def _calling(self, what: str) -> AbstractContextManager[None]:
        return call(self._plugin, what)


def _memory(address: int, size: int) -> se.SP_DeviceMemoryBase:
    """A struct for a piece of memory."""
    memory = se.SP_DeviceMemoryBase(size=size)
    memory.opaque = ffi.cast("void*", address)
    return memory
