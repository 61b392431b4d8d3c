"""TensorFlow's core: PluggableDevice (RFC 262), StreamExecutor, kernels and ops.

The bindings of the API are made for each release of the specs, so a core receives the package that they are in.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from abigen.model.span import AbigenError
from abigen.runner.apis.tensorflow.host.backend import (
    Backend,
    Device,
    Inference,
    Kernel,
    KernelResult,
    Listener,
    Platform,
)
from abigen.runner.apis.tensorflow.host.ops import OpDefinition, OpUse, Tensor
from abigen.workspace.process import PluginError, calling

from . import numpy_kernels
from .devices import PluggedPlatform, StreamDevice
from .execution import Execution
from .library import Library, Pointer, name_of
from .nodes import infer_shapes
from .notation import NotationError, parse_op

if TYPE_CHECKING:
    from tensorflow_plugin_api import kernels
    from tensorflow_plugin_api import stream_executor as se


def start(library: Path, own: Path, header: Path, package: str) -> Backend:
    """Load the core's library; see `Library`."""
    return TensorFlowBackend(Library(library, own, header, package))


class TensorFlowBackend:
    """The API, for one core; see `abigen.runner.apis.tensorflow.host.backend.Backend`."""

    plugin_directory = "tensorflow-plugins"
    host_type = "CPU"
    any_type = "DEFAULT"

    def __init__(self, library: Library) -> None:
        """Use the core's library."""
        self._library = library
        self.keep_inputs = False
        """True if inputs stay the core's while a kernel runs, so that it may not compute in their place."""
        self._steps = count(1)

    def built_in_ops(self) -> Iterator[OpDefinition]:
        """Yield the ops in `ops.txt`."""
        text = (Path(__file__).parent / "ops.txt").read_text(encoding="utf-8")
        for paragraph in text.split("\n\n"):
            head, *attributes = (line.strip() for line in paragraph.splitlines())
            if declared := re.fullmatch(r"([^#(]+)\((.*)\) -> \((.*)\)", head):
                inputs, outputs = ([each for each in text.split(", ") if each] for text in declared.groups()[1:])
                yield from (parse_op(name, attributes, inputs, outputs) for name in declared[1].split())

    def is_op(self, name: str) -> bool:
        """True if TensorFlow has an op with this name: all those of release 2.21 are in `op_names.txt`."""
        return name in (Path(__file__).parent / "op_names.txt").read_text(encoding="utf-8").split()

    def compute_on_host(self, use: OpUse) -> tuple[Tensor, ...] | None:
        """Return the outputs of an op, computed by the core itself; None if it cannot compute the op."""
        return numpy_kernels.compute(use)

    def load(self, path: Path) -> PluginLibrary:
        """Load a plugin's library.

        Raises:
            PluginError: it cannot be loaded, or exports neither entry point.
        """
        return PluginLibrary(self._library, path)

    def infer_shapes(self, use: OpUse) -> Inference:
        """Return the shapes of the outputs, as far as the op tells them."""
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
        """Create and delete a kernel's state a number of times; return true if it has a function for that."""
        execution = Execution(self._library, kernel, use, None, device_name, 0, timed=False, keep_inputs=False)
        return execution.construct(times)


_loaded: list[object] = []
"""Libraries stay in the process once they are loaded: the core does not know which threads a plugin has started."""


class PluginLibrary:
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
                self._devices: se.Plugin = library.stream_executor.Plugin(absolute, flags)
                self._kernels: kernels.Plugin = library.kernels.Plugin(absolute, flags)
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
                f"{path} is not a plugin: it exports neither SE_InitPlugin nor TF_InitKernel",
                'declare them extern "C" with default visibility',
            )

    def register_platform(self) -> Platform | None:
        """Initialize the plugin and return its platform; None if it brings no devices."""
        return PluggedPlatform(self._library, self._devices) if self._has_devices else None

    def register_parts(self, owner: str, listener: Listener) -> tuple[str, ...]:
        """Let the plugin register its ops and kernels."""
        if not self._has_kernels:
            return ()
        with Registrar(self._library, owner, listener) as registrar, calling("TF_InitKernel"):
            self._kernels.TF_InitKernel()
        return tuple(registrar.remarks)


def _reason(error: OSError, path: str) -> str:
    """Return the system's message, without the prefix of cffi and the path."""
    return str(error).removeprefix("cannot load library ").replace(f"'{path}': ", "").replace(f"{path}: ", "")


def _advice(error: OSError) -> str:
    """Return advice about an undefined symbol; empty for other errors."""
    if "undefined symbol" not in str(error) and "Symbol not found" not in str(error):
        return ""
    return "the core exports its C API and no C++; link the plugin against the C API only"


INVALID_ARGUMENT, ALREADY_EXISTS = 3, 6
"""Codes of TF_Code."""


class Registrar:
    """Stands between the library and the core while a plugin registers its parts."""

    def __init__(self, library: Library, owner: str, listener: Listener) -> None:
        """Prepare to listen.

        Args:
            library: the core's.
            owner: the plugin's file.
            listener: who takes what is registered.
        """
        self._library = library
        self._owner = owner
        self._listener = listener
        self.remarks: list[str] = []
        """The refused registrations, each with the reason."""

    def __enter__(self) -> Registrar:
        ffi = self._library.ffi
        self._struct = ffi.new("abigen_core_registrar*")
        self._callbacks = (
            ffi.callback("int(void*, const abigen_core_kernel*, char*, size_t)", self._kernel, error=INVALID_ARGUMENT),
            ffi.callback("int(void*, const abigen_core_op*, char*, size_t)", self._op, error=INVALID_ARGUMENT),
        )
        self._struct.kernel, self._struct.op = self._callbacks
        self._library.functions.abigen_core_set_registrar(self._struct)
        return self

    def __exit__(self, *exception: object) -> None:
        self._library.functions.abigen_core_set_registrar(self._library.ffi.NULL)

    def _kernel(self, _: Pointer, struct: Pointer, message: Pointer, size: int) -> int:
        text = self._library.text
        constraints: dict[str, frozenset[str]] = {}
        for index in range(struct.num_constraints):
            attribute = text(struct.constraints[index].attribute)
            constraints[attribute] = constraints.get(attribute, frozenset()) | {name_of(struct.constraints[index].type)}
        kernel = Kernel(
            name=text(struct.name),
            op=text(struct.op),
            device_type=text(struct.device_type),
            constraints=constraints,
            host_arguments=frozenset(self._library.texts(struct.host_arguments, struct.num_host_arguments)),
            priority=struct.priority,
            label=text(struct.label),
            implementation=struct,
            owner=self._owner,
        )
        return self._answer(f"kernel {kernel.name}", lambda: self._listener.kernel(kernel), message, size)

    def _op(self, _: Pointer, struct: Pointer, message: Pointer, size: int) -> int:
        texts = self._library.texts

        def take() -> None:
            self._listener.op(
                parse_op(
                    self._library.text(struct.name),
                    texts(struct.attributes, struct.num_attributes),
                    texts(struct.inputs, struct.num_inputs),
                    texts(struct.outputs, struct.num_outputs),
                    infer_shapes=struct.infer_shapes or None,
                    owner=self._owner,
                )
            )

        return self._answer(f"op {self._library.text(struct.name)}", take, message, size)

    def _answer(self, what: str, take: Callable[[], None], message: Pointer, size: int) -> int:
        """Take something in; the code and message for the plugin when that is not possible."""
        try:
            take()
        except (NotationError, AbigenError) as error:
            reason = str(error) if isinstance(error, NotationError) else error.diagnostics[0].message
            self.remarks.append(f"{self._owner}: {what} was refused: {reason}")
            self._library.ffi.memmove(
                message, reason.encode("utf-8")[: size - 1] + b"\0", min(size, len(reason.encode("utf-8")) + 1)
            )
            return INVALID_ARGUMENT if isinstance(error, NotationError) else ALREADY_EXISTS
        return 0
