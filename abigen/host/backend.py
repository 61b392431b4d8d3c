"""What a core needs to know of an API: the side that stands with the API's own files, as the core sees it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Protocol

import msgspec

from abigen.host.arrays import Tensor
from abigen.host.ops import OpDefinition, OpUse
from abigen.host.registries import Kernel
from abigen.model.span import AbigenError

BACKGROUNDS = (0xA5, 0x5A)
"""What the memory of outputs is filled with before a kernel runs, in turn, so that what it has not written differs."""


class PluginError(AbigenError):
    """A plugin has failed, or does not keep the contract; whoever has written it has to do something about it."""

    exit_code = 1


class OutsideError(PluginError):
    """A kernel has written where it has no memory, or into an input that is not its own."""


class SilentError(PluginError):
    """A kernel has failed without saying why: without a message, or without an error where an output is missing."""


class NoMemoryError(PluginError):
    """There is no memory for what a kernel is to compute, or the kernel itself says so."""


class ShapeError(PluginError):
    """A kernel has made another shape than its op says."""


Shape = tuple[int, ...] | None
"""Lengths, -1 where one is not known; None for an unknown rank."""


class Inference(msgspec.Struct, frozen=True):
    """What an op says of the shapes of its outputs."""

    shapes: tuple[Shape, ...]
    unset: tuple[int, ...] = ()
    """The outputs of which the op's own function has said nothing, not even that nothing is known."""
    left: int = 0
    """How many handles of shapes and dimensions the function has not deleted."""


class KernelResult(msgspec.Struct, frozen=True):
    """What a kernel has given."""

    outputs: tuple[Tensor, ...]
    remarks: tuple[str, ...] = ()
    """What its author should know, although it has not failed."""
    nanoseconds: int | None = None
    """How long it has taken, by the device's own timer; None when nobody has measured."""


class Device(Protocol):
    """A device of a plugin that is in use."""

    ordinal: int
    """Its number on its platform."""
    description: str
    """What the plugin says of the hardware, for people; empty when it says nothing."""

    def statistics(self) -> str:
        """What its allocator has handed out, for people."""

    def close(self) -> None:
        """Give everything back."""


class Platform(Protocol):
    """What a plugin has registered as the source of devices of one type."""

    name: str
    """What the plugin calls it."""
    device_type: str
    """What the plugin calls its devices."""

    def count(self) -> int:
        """The number of its devices."""

    def open(self, ordinal: int) -> Device:
        """Create a device."""

    def close(self) -> None:
        """Give everything back; none of its devices is in use."""


class Listener(msgspec.Struct, frozen=True):
    """Who is told what a plugin registers; raises an `AbigenError` where it does not take it."""

    kernel: Callable[[Kernel], None]
    op: Callable[[OpDefinition], None]


class Module(Protocol):
    """A plugin's library, loaded."""

    def register_platform(self) -> Platform | None:
        """Shake hands; None when the plugin brings no devices."""

    def register_parts(self, owner: str, listener: Listener) -> tuple[str, ...]:
        """Let the plugin register its ops and kernels; returns what was refused, since the plugin may not look."""


class Backend(Protocol):
    """An API, as far as a core has to know it."""

    plugin_directory: str
    """The folder among Python's packages where plugins are installed."""
    host_type: str
    """The type of the device that computes in the host's memory."""
    any_type: str
    """The type by which kernels are registered that run on every device; empty when there is none."""

    keep_inputs: bool
    """Whether inputs stay the core's while a kernel runs, so that it may not compute in their place; else it may."""

    def compute_on_host(self, use: OpUse) -> tuple[Tensor, ...] | None:
        """What an op gives, computed by the core itself; None where it does not know how.

        Raises:
            AbigenError: the op does not take such inputs.
        """

    def built_in_ops(self) -> Iterable[OpDefinition]:
        """The ops that the core knows itself."""

    def is_op(self, name: str) -> bool:
        """Whether any core has an op with this name, be it one that this core does not know more of."""

    def load(self, path: Path) -> Module:
        """Load a plugin's library."""

    def infer_shapes(self, use: OpUse) -> Inference:
        """The shapes of the outputs, as far as the op tells them."""

    def compute(
        self, kernel: Kernel, use: OpUse, device: Device | None, device_name: str, *, timed: bool
    ) -> KernelResult:
        """Run a kernel: on a device, or with None in the host's memory."""

    def construct(self, kernel: Kernel, use: OpUse, device_name: str, times: int) -> bool:
        """Create what a kernel keeps, and end it again, so often; whether it has a function that does."""
