"""Interface between the host and the core of an API, and the registries that a core fills."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

import msgspec
from msgspec.structs import replace

from abigen.model.span import AbigenError, did_you_mean
from abigen.runner.apis.tensorflow.host.ops import OpDefinition, OpUse, Tensor
from abigen.workspace.process import PluginError

BUILT_IN_PRIORITY = 100
"""Of the devices that a core has itself."""

PLUGGED_PRIORITY = 200
"""Of the devices that plugins bring: they take the place of a built-in type of the same name."""

PLUGGED_PREFIX = "PLUGGABLE_"
"""Before the type by which kernels of plugged devices are looked up, so that those of a built-in device of the same
name stay apart (RFC 262, "PluggableDevice kernel registration", option 2)."""


class DeviceType(msgspec.Struct, frozen=True, kw_only=True):
    """A type of device under the name that users know it by."""

    name: str
    priority: int = PLUGGED_PRIORITY
    owner: str = ""
    """The plugin's file; empty for a type that the core has itself."""
    platform: str = ""
    """The name that the plugin gives itself; empty for a type that the core has itself."""
    own_name: str = ""
    """The plugin's own name of the type, where the user has given it another one."""
    replaceable: bool = True
    """True if a type of a plugin may take over this name."""

    @property
    def kernel_type(self) -> str:
        """The type by which its kernels are looked up."""
        return PLUGGED_PREFIX + self.name if self.owner else self.name


class DeviceTypes:
    """The types of devices, both of the core and of plugins."""

    def __init__(self, built_in: tuple[DeviceType, ...]) -> None:
        self._types = list(built_in)

    def add(self, added: DeviceType) -> None:
        """Take in the type of a plugin.

        Raises:
            AbigenError: its name or its platform's is taken; with what the user can do about it.
        """
        check_name(added.name)
        for other in self._types:
            if other.name == added.name and (other.priority == added.priority or not other.replaceable):
                raise AbigenError.at(
                    None, _conflict_message("device type", other.name, other, added), _how_to_tell_apart(other, added)
                )
            if other.owner and other.platform == added.platform and not (added.own_name or other.own_name):
                message = _conflict_message("platform name", other.platform, other, added)
                raise AbigenError.at(None, message, _how_to_tell_apart(other, added))
        self._types.append(added)

    def remove(self, owner: str) -> None:
        """Remove the type of a plugin; a built-in type of the same name can be used again."""
        self._types = [each for each in self._types if each.owner != owner or not owner]

    def all(self) -> tuple[DeviceType, ...]:
        """Return the types that users can name, in the order of registration; of several with one name, the first."""
        return tuple(each for each in self._types if self.find(each.name) is each)

    def kernel_type(self, name: str) -> str:
        """Return the type by which to find kernels that a plugin registers for devices with this name."""
        named = [each for each in self._types if name in (each.own_name, each.name) and each.owner]
        return named[-1].kernel_type if named else name

    def find(self, name: str) -> DeviceType:
        """Return the type with a name, in upper or lower case; of several the one with the highest priority.

        Raises:
            AbigenError: there is none, with a suggestion.
        """
        named = [each for each in self._types if each.name.casefold() == name.casefold()]
        if not named:
            known = ", ".join(dict.fromkeys(each.name for each in self._types))
            raise AbigenError.at(None, f"there is no device of type {name}", f"there are {known}")
        return max(named, key=lambda each: each.priority)


def check_name(name: str) -> None:
    """Check a name that a user has given to a device type.

    Raises:
        AbigenError: it is none.
    """
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name):
        raise AbigenError.at(
            None, f"`{name}` cannot be the name of devices", "use letters, digits and underscores, a letter first"
        )


def _conflict_message(what: str, name: str, other: DeviceType, added: DeviceType) -> str:
    whose = other.owner or "the core itself"
    return f"{added.owner}: the {what} {name} is taken by {whose}; this plugin was not registered"


def _how_to_tell_apart(other: DeviceType, added: DeviceType) -> str:
    again = f'give this plugin\'s devices another name: `NAME={added.owner}`, or load_plugin("NAME", "{added.owner}")'
    return f"load only one of the two, or {again}" if other.owner else again


class Kernel(msgspec.Struct, frozen=True, kw_only=True):
    """An implementation of an op on devices of one type."""

    name: str
    op: str
    device_type: str
    """The type that kernels are looked up by, which is not always the one that users see."""
    constraints: Mapping[str, frozenset[str]] = msgspec.field(default_factory=dict)
    """OpAttribute to the names of the types that it may have; others may have any."""
    host_arguments: frozenset[str] = frozenset()
    """Names of inputs and outputs that are in the host's memory."""
    priority: int = 0
    label: str = ""
    implementation: object = None
    """The function or object that its core calls."""
    owner: str = ""
    """The plugin that registered it, for messages."""

    def fits(self, attributes: Mapping[str, object], label: str) -> bool:
        """True if it computes an op with these attributes and this label."""
        return self.label == label and all(
            attributes.get(name) in allowed for name, allowed in self.constraints.items()
        )

    def __str__(self) -> str:
        types = ", ".join(f"{name}={'|'.join(sorted(allowed))}" for name, allowed in self.constraints.items())
        label = f" label {self.label!r}" if self.label else ""
        return f"{self.name} ({types or 'any types'}{label})"


class KernelRegistry:
    """Kernels by op and device type."""

    def __init__(self) -> None:
        self._kernels: dict[tuple[str, str], list[Kernel]] = {}

    def add(self, kernel: Kernel) -> None:
        """Take a kernel in."""
        self._kernels.setdefault((kernel.op, kernel.device_type), []).append(kernel)

    def all(self) -> tuple[Kernel, ...]:
        """Return all kernels, those of one op and device type together, otherwise in the order of registration."""
        return tuple(kernel for kernels in self._kernels.values() for kernel in kernels)

    def remove(self, owner: str) -> None:
        """Forget the kernels of a plugin."""
        for key, kernels in tuple(self._kernels.items()):
            self._kernels[key] = [kernel for kernel in kernels if kernel.owner != owner]

    def move(self, name: str, kernel_type: str, taken: Collection[str]) -> None:
        """Move kernels that were registered before their devices to the type of these devices.

        Args:
            name: the name of the type in the kernels.
            kernel_type: the type by which they are to be looked up.
            taken: the types by which kernels of other devices are looked up; those are left alone.
        """
        for (op, device_type), kernels in tuple(self._kernels.items()):
            if device_type == name and name not in taken:
                del self._kernels[op, device_type]
                moved = [replace(each, device_type=kernel_type) for each in kernels]
                self._kernels.setdefault((op, kernel_type), []).extend(moved)

    def find(
        self, op: str, device_types: Sequence[str], attributes: Mapping[str, object], label: str = ""
    ) -> Kernel | None:
        """Find the kernel for an op.

        Args:
            op: its name.
            device_types: the types of devices on which it may run, the preferred one first.
            attributes: of the op, types by their names.
            label: of the kernel that is asked for; only kernels with the same label are considered.

        Returns:
            The kernel with the highest priority on the first device type that has any which fits; None when none has.

        Raises:
            AbigenError: several with that priority fit.
        """
        for device_type in device_types:
            fitting = [each for each in self._kernels.get((op, device_type), ()) if each.fits(attributes, label)]
            best = max((each.priority for each in fitting), default=0)
            chosen = [each for each in fitting if each.priority == best]
            if len(chosen) > 1:
                names = " and ".join(f"{each} of {each.owner}" for each in chosen)
                raise AbigenError.at(
                    None,
                    f"several kernels for {op} on {device_type} fit: {names}",
                    "give one of them a higher priority, or constrain their types so that they do not overlap",
                )
            if chosen:
                return chosen[0]
        return None

    def missing(self, op: str, device_types: Sequence[str], attributes: Mapping[str, object]) -> AbigenError:
        """Return the error for a missing kernel, with similar kernels in its hint; the arguments are as for `find`."""
        types = ", ".join(f"{name}={value}" for name, value in attributes.items() if isinstance(value, str))
        where = " or ".join(device_types)
        message = f"no kernel for {op}{f' ({types})' if types else ''} on {where}"
        return AbigenError.at(None, message, self._near(op, device_types))

    def _near(self, op: str, device_types: Sequence[str]) -> str:
        """Return a hint that names the registered kernels that are most similar."""
        here = [str(each) for type in device_types for each in self._kernels.get((op, type), ())]
        if here:
            return f"registered are {', '.join(here)}"
        elsewhere = sorted({type for (other, type), kernels in self._kernels.items() if other == op and kernels})
        if elsewhere:
            return f"{op} has kernels on {', '.join(elsewhere)}"
        known = sorted({other for (other, _), kernels in self._kernels.items() if kernels})
        others = f"there are kernels for {', '.join(known)}" if known else "no plugin has registered any kernel"
        return did_you_mean(op, known, others)


BACKGROUNDS = (0xA5, 0x5A)
"""The bytes that fill the memory of outputs before a kernel runs, in turn: unwritten elements differ between runs."""


class OutsideError(PluginError):
    """A kernel has written where it has no memory, or into an input that is not its own."""


class SilentError(PluginError):
    """A kernel has failed without saying why: without a message, or without an error where an output is missing."""


class NoMemoryError(PluginError):
    """There is no memory for the results of a kernel, or the kernel itself reports that."""


class ShapeError(PluginError):
    """A kernel has made another shape than its op infers."""


Shape = tuple[int, ...] | None
"""Lengths, -1 where one is not known; None for an unknown rank."""


class Inference(msgspec.Struct, frozen=True):
    """The shapes that an op infers for its outputs."""

    shapes: tuple[Shape, ...]
    unset: tuple[int, ...] = ()
    """The outputs of which the op's own function has said nothing, not even that nothing is known."""
    left: int = 0
    """The number of handles of shapes and dimensions that the function has not deleted."""


class KernelResult(msgspec.Struct, frozen=True):
    """The result of a kernel."""

    outputs: tuple[Tensor, ...]
    remarks: tuple[str, ...] = ()
    """Advice to its author, although it has not failed."""
    nanoseconds: int | None = None
    """The time that it has taken, by the device's own timer; None if it was not measured."""


class Device(Protocol):
    """A device of a plugin that is in use."""

    ordinal: int
    """Its number on its platform."""
    description: str
    """The plugin's description of the hardware, for people; empty for none."""

    def statistics(self) -> str:
        """Return statistics of its allocator, for people."""

    def close(self) -> None:
        """Give everything back."""


class Platform(Protocol):
    """The source of devices of one type, as a plugin has registered it."""

    name: str
    """The name that the plugin gives the platform."""
    device_type: str
    """The name that the plugin gives its devices."""

    def count(self) -> int:
        """Return the number of its devices."""

    def open(self, ordinal: int) -> Device:
        """Create a device."""

    def close(self) -> None:
        """Give everything back; none of its devices is in use."""


class Listener(msgspec.Struct, frozen=True):
    """Functions that receive each registration of a plugin; they raise an `AbigenError` to refuse it."""

    kernel: Callable[[Kernel], None]
    op: Callable[[OpDefinition], None]


class Module(Protocol):
    """A plugin's library, loaded."""

    def register_platform(self) -> Platform | None:
        """Initialize the plugin and return its platform; None if it brings no devices."""

    def register_parts(self, owner: str, listener: Listener) -> tuple[str, ...]:
        """Let the plugin register its ops and kernels; return the refusals, which the plugin may ignore."""


class Backend(Protocol):
    """An API, as far as a core has to know it."""

    plugin_directory: str
    """The folder among Python's packages where plugins are installed."""
    host_type: str
    """The type of the device that computes in the host's memory."""
    any_type: str
    """The type by which kernels are registered that run on every device; empty when there is none."""

    keep_inputs: bool
    """True if the core keeps the inputs while a kernel runs, so that it may not compute in their place."""

    def compute_on_host(self, use: OpUse) -> tuple[Tensor, ...] | None:
        """Return the outputs of an op, computed by the core itself; None if it cannot compute the op.

        Raises:
            AbigenError: the op does not accept such inputs.
        """

    def built_in_ops(self) -> Iterable[OpDefinition]:
        """Return the ops that the core knows itself."""

    def is_op(self, name: str) -> bool:
        """True if any core has an op with this name, even if this core knows nothing else of it."""

    def load(self, path: Path) -> Module:
        """Load a plugin's library."""

    def infer_shapes(self, use: OpUse) -> Inference:
        """Return the shapes of the outputs, as far as the op infers them."""

    def compute(
        self, kernel: Kernel, use: OpUse, device: Device | None, device_name: str, *, timed: bool
    ) -> KernelResult:
        """Run a kernel: on a device, or with None in the host's memory."""

    def construct(self, kernel: Kernel, use: OpUse, device_name: str, times: int) -> bool:
        """Create and delete a kernel's state a number of times; return true if it has a function for that."""
