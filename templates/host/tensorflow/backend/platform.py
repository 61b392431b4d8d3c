"""Registration of a plugin's platform, and the creation of its devices."""

from __future__ import annotations

from abigen.host.backend import PluginError

from ..tensorflow_plugin_api import stream_executor as se
from .calls import call
from .checks import check
from .device import StreamDevice
from .library import Library
from .structs import Provided


class PluggedPlatform:
    """What a plugin has registered (stream_executor.h, SE_InitPlugin)."""

    def __init__(self, library: Library, plugin: se.Plugin) -> None:
        """Shake hands with a plugin.

        Args:
            library: the core's.
            plugin: exports the entry point.

        Raises:
            PluginError: it refuses the core, or what it has filled cannot be used.
        """
        self._library = library
        self._path = plugin.path
        provided, provided_functions = Provided(se.SP_Platform), Provided(se.SP_PlatformFns)
        self._provided: list[object] = [provided, provided_functions]
        self._platform, self._functions = provided.struct, provided_functions.struct
        self._params = se.SE_PlatformRegistrationParams(
            major_version=se.SE_MAJOR,
            minor_version=se.SE_MINOR,
            patch_version=se.SE_PATCH,
            platform=self._platform,
            platform_fns=self._functions,
        )
        version = f"{se.SE_MAJOR}.{se.SE_MINOR}.{se.SE_PATCH}"
        with call(self._path, f"SE_InitPlugin of version {version}"):
            plugin.SE_InitPlugin(self._params)
        self._filled_in_place()
        provided.check(self._path)
        provided_functions.check(self._path)
        check(library, self._path, library.checks.abigen_core_check_registration, self._params.cdata)
        self.name = str(self._platform.name)
        """What the plugin calls it."""
        self.device_type = str(self._platform.type_)
        """What the plugin calls its devices."""
        self._devices: list[tuple[se.SP_Device, se.SP_StreamExecutor, se.SP_DeviceFns, se.SP_TimerFns]] = []

    def count(self) -> int:
        """The number of its devices."""
        with call(self._path, "get_device_count"):
            return max(0, self._functions.get_device_count(self._platform))

    def open(self, ordinal: int) -> StreamDevice:
        """Create a device, with the functions that run it.

        Raises:
            PluginError: the plugin fails, or what it fills cannot be used.
        """
        functions = self._library.checks
        device = Provided(se.SP_Device)
        device.struct.ordinal = ordinal
        with call(self._path, "create_device"):
            device_params = se.SE_CreateDeviceParams(ordinal=ordinal, device=device.struct)
            self._functions.create_device(self._platform, device_params)
        device.check(self._path)
        check(self._library, self._path, functions.abigen_core_check_device, device.struct.cdata)
        device_fns = Provided(se.SP_DeviceFns)
        with call(self._path, "create_device_fns"):
            fns_params = se.SE_CreateDeviceFnsParams(device_fns=device_fns.struct)
            self._functions.create_device_fns(self._platform, fns_params)
        device_fns.check(self._path)
        check(self._library, self._path, functions.abigen_core_check_device_fns, device_fns.struct.cdata)
        executor = Provided(se.SP_StreamExecutor)
        with call(self._path, "create_stream_executor"):
            executor_params = se.SE_CreateStreamExecutorParams(stream_executor=executor.struct)
            self._functions.create_stream_executor(self._platform, executor_params)
        executor.check(self._path)
        check_executor = functions.abigen_core_check_stream_executor
        check(self._library, self._path, check_executor, executor.struct.cdata, self._platform.cdata)
        timer_fns = Provided(se.SP_TimerFns)
        with call(self._path, "create_timer_fns"):
            self._functions.create_timer_fns(self._platform, timer_fns.struct)
        timer_fns.check(self._path)
        check(self._library, self._path, functions.abigen_core_check_timer_fns, timer_fns.struct.cdata)
        self._provided += [device, device_fns, executor, timer_fns]
        opened = StreamDevice(self._path, device.struct, executor.struct, timer_fns.struct, self._platform)
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
                    f"{self._path}: SE_PlatformRegistrationParams.{name} points to an object of the plugin's",
                    "it has to fill the one that the core provides",
                )
