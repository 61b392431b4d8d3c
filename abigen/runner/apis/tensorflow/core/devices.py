"""A plugin's platform and its devices in use: registration, streams, memory, and copies between host and device."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from threading import Lock
from types import ModuleType
from typing import TYPE_CHECKING, Generic, TypeVar

from plugin_api_runtime_v1 import NULL, FieldNotAvailable, FieldNotSet, StatusError, Struct, address_of
from plugin_api_runtime_v1.memory import ffi

from abigen.model.span import Diagnostic
from abigen.runner.apis.tensorflow.host.backend import NoMemoryError
from abigen.runner.apis.tensorflow.host.bfc import BestFitAllocator
from abigen.workspace.process import PluginError, calling

from .library import Library, Pointer

if TYPE_CHECKING:
    from tensorflow_plugin_api import stream_executor as se

S = TypeVar("S", bound=Struct)

_ROOM = 1024
_CANARY = b"\xa5"


class Provided(Generic[S]):
    """A struct with room behind it, in which a plugin of a newer release leaves its traces instead of a crash."""

    def __init__(self, kind: type[S]) -> None:
        """Make a struct with all members zero but its size.

        Args:
            kind: of struct, one that tells its size.
        """
        size = kind.unpadded_size
        self._memory = ffi.new("char[]", bytes(size) + _CANARY * _ROOM)
        self._behind = ffi.buffer(self._memory + size, _ROOM)
        self.struct = kind.at(self._memory)
        """The struct itself; it lives as long as this object."""
        self.struct.cdata.struct_size = size

    def check(self, plugin: str) -> None:
        """Look whether a plugin has written behind the struct.

        Args:
            plugin: its file.

        Raises:
            PluginError: it has.
        """
        written = len(self._behind[:].rstrip(_CANARY))
        if written:
            name = type(self.struct).__name__
            raise PluginError.at(
                None,
                f"{plugin}: wrote {written} bytes past the end of {name}, which has "
                f"{self.struct.unpadded_size} bytes in this core",
                "compare `struct_size` with the end of a member before you set it: a plugin may be newer than the core",
            )


@contextmanager
def call(plugin: str, what: str) -> Iterator[None]:
    """Mark the call of a callback of a plugin while the context is entered.

    Args:
        plugin: its file.
        what: the callback.

    Raises:
        PluginError: the callback has failed, or is not there.
    """
    try:
        with calling(what):
            yield
    except StatusError as error:
        raise PluginError.at(None, f"{plugin}: {what} failed: {error}") from error
    except (FieldNotAvailable, FieldNotSet) as error:
        raise PluginError.at(None, f"{plugin}: {error}") from error


def check(library: Library, plugin: str, function: Callable[..., int], *structs: Pointer) -> None:
    """Check a struct that a plugin has filled.

    Args:
        library: the core's.
        plugin: its file, for messages.
        function: one of the library's `abigen_core_check_...`.
        structs: the arguments of the function before the callback.

    Raises:
        PluginError: it cannot be used; with all mistakes.
    """
    errors: list[Diagnostic] = []

    def report(_: Pointer, is_error: int, message: Pointer) -> None:
        if is_error:
            errors.append(Diagnostic(None, f"{plugin}: {library.text(message)}"))

    callback = library.ffi.callback("abigen_core_report", report)
    given = [library.ffi.cast("void*", address_of(each)) for each in structs]
    if function(*given, callback, library.ffi.NULL):
        raise PluginError(errors)


class PluggedPlatform:
    """A platform that a plugin has registered (stream_executor.h, SE_InitPlugin)."""

    def __init__(self, library: Library, plugin: se.Plugin) -> None:
        """Initialize a plugin.

        Args:
            library: the core's.
            plugin: exports the entry point.

        Raises:
            PluginError: it refuses the core, or what it has filled cannot be used.
        """
        self._library = library
        self._path = plugin.path
        api = library.stream_executor
        provided: Provided[se.SP_Platform] = Provided(api.SP_Platform)
        provided_functions: Provided[se.SP_PlatformFns] = Provided(api.SP_PlatformFns)
        self._provided: list[object] = [provided, provided_functions]
        self._platform, self._functions = provided.struct, provided_functions.struct
        self._params: se.SE_PlatformRegistrationParams = api.SE_PlatformRegistrationParams(
            major_version=api.SE_MAJOR,
            minor_version=api.SE_MINOR,
            patch_version=api.SE_PATCH,
            platform=self._platform,
            platform_fns=self._functions,
        )
        version = f"{api.SE_MAJOR}.{api.SE_MINOR}.{api.SE_PATCH}"
        with call(self._path, f"SE_InitPlugin of version {version}"):
            plugin.SE_InitPlugin(self._params)
        self._filled_in_place()
        provided.check(self._path)
        provided_functions.check(self._path)
        check(library, self._path, library.checks.abigen_core_check_registration, self._params.cdata)
        self.name = str(self._platform.name)
        """The plugin's name of it."""
        self.device_type = str(self._platform.type_)
        """The plugin's name of its devices."""
        self._devices: list[tuple[se.SP_Device, se.SP_StreamExecutor, se.SP_DeviceFns, se.SP_TimerFns]] = []

    def count(self) -> int:
        """Return the number of its devices."""
        with call(self._path, "get_device_count"):
            return max(0, self._functions.get_device_count(self._platform))

    def open(self, ordinal: int) -> StreamDevice:
        """Create a device, with the functions that run it.

        Raises:
            PluginError: the plugin fails, or what it fills cannot be used.
        """
        api, functions = self._library.stream_executor, self._library.checks
        device: Provided[se.SP_Device] = Provided(api.SP_Device)
        device.struct.ordinal = ordinal
        with call(self._path, "create_device"):
            device_params = api.SE_CreateDeviceParams(ordinal=ordinal, device=device.struct)
            self._functions.create_device(self._platform, device_params)
        device.check(self._path)
        check(self._library, self._path, functions.abigen_core_check_device, device.struct.cdata)
        device_fns: Provided[se.SP_DeviceFns] = Provided(api.SP_DeviceFns)
        with call(self._path, "create_device_fns"):
            fns_params = api.SE_CreateDeviceFnsParams(device_fns=device_fns.struct)
            self._functions.create_device_fns(self._platform, fns_params)
        device_fns.check(self._path)
        check(self._library, self._path, functions.abigen_core_check_device_fns, device_fns.struct.cdata)
        executor: Provided[se.SP_StreamExecutor] = Provided(api.SP_StreamExecutor)
        with call(self._path, "create_stream_executor"):
            executor_params = api.SE_CreateStreamExecutorParams(stream_executor=executor.struct)
            self._functions.create_stream_executor(self._platform, executor_params)
        executor.check(self._path)
        check_executor = functions.abigen_core_check_stream_executor
        check(self._library, self._path, check_executor, executor.struct.cdata, self._platform.cdata)
        timer_fns: Provided[se.SP_TimerFns] = Provided(api.SP_TimerFns)
        with call(self._path, "create_timer_fns"):
            self._functions.create_timer_fns(self._platform, timer_fns.struct)
        timer_fns.check(self._path)
        check(self._library, self._path, functions.abigen_core_check_timer_fns, timer_fns.struct.cdata)
        self._provided += [device, device_fns, executor, timer_fns]
        opened = StreamDevice(api, self._path, device.struct, executor.struct, timer_fns.struct, self._platform)
        self._devices.append((device.struct, executor.struct, device_fns.struct, timer_fns.struct))
        return opened

    def close(self) -> None:
        """Let the plugin free what it has, in the opposite order."""
        functions = self._functions
        for device, executor, device_fns, timer_fns in reversed(self._devices):
            with call(self._path, "destroy_timer_fns"):
                functions.destroy_timer_fns(self._platform, timer_fns)
            with call(self._path, "destroy_stream_executor"):
                functions.destroy_stream_executor(self._platform, executor)
            with call(self._path, "destroy_device_fns"):
                functions.destroy_device_fns(self._platform, device_fns)
            with call(self._path, "destroy_device"):
                functions.destroy_device(self._platform, device)
        self._devices.clear()
        with call(self._path, "destroy_platform_fns"):
            self._params.destroy_platform_fns(functions)
        with call(self._path, "destroy_platform"):
            self._params.destroy_platform(self._platform)

    def _filled_in_place(self) -> None:
        """Refuse a plugin that has put objects of its own in place of the core's."""
        for name, own in (("platform", self._platform), ("platform_fns", self._functions)):
            if self._params.has(name) and getattr(self._params, name) != own:
                raise PluginError.at(
                    None,
                    f"{self._path}: SE_PlatformRegistrationParams.{name} points to an object of the plugin",
                    "the plugin has to set the one that the core provides",
                )


DEFAULT_LIMIT = 1 << 30
"""The most bytes that the best-fit allocator takes from a device that does not know the size of its memory."""


MARGIN = 64
"""Guard bytes before and behind an output, which must not be written."""


class StreamDevice:
    """A device with one stream to compute and several to copy (RFC 262, "Device Creation", step 2)."""

    def __init__(
        self,
        api: ModuleType,
        plugin: str,
        device: se.SP_Device,
        executor: se.SP_StreamExecutor,
        timer_fns: se.SP_TimerFns,
        platform: se.SP_Platform,
    ) -> None:
        """Create its streams and its allocator.

        Args:
            api: the bindings of stream_executor.h.
            plugin: its file, for messages.
            device: as the plugin has filled it.
            executor: as the plugin has filled it.
            timer_fns: as the plugin has filled it.
            platform: as the plugin has filled it.

        Raises:
            PluginError: the plugin cannot create a stream.
        """
        self._api = api
        self._plugin = plugin
        self._device = device
        self.ordinal: int = device.ordinal
        """Its number on its platform."""
        names = ("device_vendor", "hardware_name", "pci_bus_id")
        given = [str(getattr(device, name)) for name in names if device.has(name) and device.is_set(name)]
        self.description = ", ".join(given)
        """The plugin's description of the hardware, for people."""
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
        """The address of the handle of the stream that kernels compute on."""
        return address_of(self._compute.cdata)

    def statistics(self) -> str:
        """Return statistics of its allocator, for people."""
        if self._allocator is None:
            return f"{len(self._plain)} allocations by the plugin in use"
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
        """Return the number of guarded bytes before and behind an allocation; 0 if it is not guarded."""
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
        """Make later computations wait for the copies to the device."""
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
        """Return the length of an interval in nanoseconds when the stream has finished, and destroy the timer."""
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
                    self._executor.memcpy_dtoh(self._device, self._to_host, place, self._memory(address, size), size)
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
        """Return the core's own allocator, unless the plugin wants its own to be asked for each piece."""
        if not platform.use_bfc_allocator:
            return None
        with self._calling("device_memory_usage"):
            known, free, _ = self._executor.device_memory_usage(self._device)
        limit = free if known and free > 0 else DEFAULT_LIMIT
        grow = bool(platform.force_memory_growth) or not known
        return BestFitAllocator(self._take, self._give_back, limit=limit, grow=grow)

    def _take(self, size: int) -> int:
        """Return memory of the plugin's."""
        memory: se.SP_DeviceMemoryBase = self._api.SP_DeviceMemoryBase()
        with self._calling("allocate"):
            self._executor.allocate(self._device, size, 0, memory)
        return address_of(memory.opaque)

    def _give_back(self, address: int, size: int) -> None:
        with self._calling("deallocate"):
            self._executor.deallocate(self._device, self._memory(address, size))

    def _copy_to(self, stream: se.SP_Stream, address: int, data: bytes) -> None:
        staged = self._stage(len(data))
        ffi.memmove(staged, data, len(data))
        with self._calling("memcpy_htod"):
            self._executor.memcpy_htod(self._device, stream, self._memory(address, len(data)), staged, len(data))

    def _stage(self, size: int) -> Pointer:
        """Return memory of the host that copies may use while they wait."""
        with self._calling("host_memory_allocate"):
            place = self._executor.host_memory_allocate(self._device, size)
        if not place:
            raise NoMemoryError.at(None, f"{self._plugin}: host_memory_allocate cannot allocate {size} bytes")
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

    def _memory(self, address: int, size: int) -> se.SP_DeviceMemoryBase:
        """Return a struct for a piece of memory."""
        memory: se.SP_DeviceMemoryBase = self._api.SP_DeviceMemoryBase(size=size)
        memory.opaque = ffi.cast("void*", address)
        return memory
