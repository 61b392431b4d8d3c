"""TensorFlow as a core has to know it: PluggableDevice (RFC 262), StreamExecutor, kernels and ops.

The folder is copied beside the bindings of the API, and imported from there.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from itertools import count
from pathlib import Path

from abigen.host.arrays import Tensor
from abigen.host.backend import Device, Inference, KernelResult, Listener, Platform, PluginError
from abigen.host.ops import OpDefinition, OpUse
from abigen.host.process import calling
from abigen.host.registries import Kernel

from ..tensorflow_plugin_api import core as core_functions
from ..tensorflow_plugin_api import kernels
from ..tensorflow_plugin_api import stream_executor as se
from . import numpy_kernels
from .device import StreamDevice
from .execution import Execution
from .inference import infer_shapes
from .library import Library
from .notation import parse_op
from .platform import PluggedPlatform
from .registration import Registrar


class Backend:
    """The API, for one core; see `abigen.host.backend.Backend`."""

    plugin_directory = "tensorflow-plugins"
    host_type = "CPU"
    any_type = "DEFAULT"

    def __init__(self, library: Path, own: Path, header: Path) -> None:
        """Load the core's library.

        Args:
            library: the library in which plugins find the core's functions.
            own: the library that was made for this release; it may be the same.
            header: its `core.h`.
        """
        self._library = Library(library, own, header)
        core_functions.load(library)
        self.keep_inputs = False
        """Whether inputs stay the core's while a kernel runs, so that it may not compute in their place."""
        self._steps = count(1)

    def built_in_ops(self) -> Iterator[OpDefinition]:
        """The ops in `ops.txt`."""
        text = (Path(__file__).parent / "ops.txt").read_text(encoding="utf-8")
        for paragraph in text.split("\n\n"):
            head, *attributes = (line.strip() for line in paragraph.splitlines())
            if declared := re.fullmatch(r"([^#(]+)\((.*)\) -> \((.*)\)", head):
                inputs, outputs = ([each for each in text.split(", ") if each] for text in declared.groups()[1:])
                yield from (parse_op(name, attributes, inputs, outputs) for name in declared[1].split())

    def is_op(self, name: str) -> bool:
        """Whether TensorFlow has an op with this name: all those of release 2.21 are in `op_names.txt`."""
        return name in (Path(__file__).parent / "op_names.txt").read_text(encoding="utf-8").split()

    def compute_on_host(self, use: OpUse) -> tuple[Tensor, ...] | None:
        """What an op gives, computed by the core itself; None where it does not know how."""
        return numpy_kernels.compute(use)

    def load(self, path: Path) -> Module:
        """Load a plugin's library.

        Raises:
            PluginError: it cannot be loaded, or exports neither entry point.
        """
        return Module(self._library, path)

    def infer_shapes(self, use: OpUse) -> Inference:
        """The shapes of the outputs, as far as the op tells them."""
        return infer_shapes(self._library, use)

    def compute(
        self, kernel: Kernel, use: OpUse, device: Device | None, device_name: str, *, timed: bool
    ) -> KernelResult:
        """Run a kernel."""
        assert device is None or isinstance(device, StreamDevice)
        step = next(self._steps)
        keep = self.keep_inputs
        return Execution(self._library, kernel, use, device, device_name, step, timed=timed, keep_inputs=keep).run()

    def construct(self, kernel: Kernel, use: OpUse, device_name: str, times: int) -> bool:
        """Create what a kernel keeps, and end it again, so often; whether it has a function that does."""
        execution = Execution(self._library, kernel, use, None, device_name, 0, timed=False, keep_inputs=False)
        return execution.construct(times)


_loaded: list[object] = []
"""Libraries stay in the process once they are loaded: nobody knows what threads a plugin has started."""


class Module:
    """A plugin's library, loaded."""

    def __init__(self, library: Library, path: Path) -> None:
        """Load it, with all of its symbols resolved.

        Raises:
            PluginError: it cannot be loaded, or exports neither entry point.
        """
        flags = os.RTLD_NOW | os.RTLD_LOCAL
        absolute = str(path.absolute())
        try:
            with calling("its initializers, while it is loaded"):
                self._devices = se.Plugin(absolute, flags)
                self._kernels = kernels.Plugin(absolute, flags)
        except OSError as error:
            raise PluginError.at(
                None, f"{path} cannot be loaded: {_reason(error, absolute)}", _advice(error)
            ) from error
        _loaded.extend((self._devices, self._kernels))
        self._library = library
        self._has_devices = self._devices.has("SE_InitPlugin")
        self._has_kernels = self._kernels.has("TF_InitKernel")
        if not self._has_devices and not self._has_kernels:
            raise PluginError.at(
                None,
                f"{path} is no plugin: it exports neither SE_InitPlugin nor TF_InitKernel",
                'declare them extern "C" with default visibility',
            )

    def register_platform(self) -> Platform | None:
        """Shake hands; None when the plugin brings no devices."""
        return PluggedPlatform(self._library, self._devices) if self._has_devices else None

    def register_parts(self, owner: str, listener: Listener) -> tuple[str, ...]:
        """Let the plugin register its ops and kernels."""
        if not self._has_kernels:
            return ()
        with Registrar(self._library, owner, listener) as registrar, calling("TF_InitKernel"):
            self._kernels.TF_InitKernel()
        return tuple(registrar.remarks)


def _reason(error: OSError, path: str) -> str:
    """What the system says, without what cffi and the path add to it."""
    return str(error).removeprefix("cannot load library ").replace(f"'{path}': ", "").replace(f"{path}: ", "")


def _advice(error: OSError) -> str:
    """What to do about a symbol that nobody has."""
    if "undefined symbol" not in str(error) and "Symbol not found" not in str(error):
        return ""
    return "the core has what its C API has, and nothing of C++; link the plugin against no more than that"
