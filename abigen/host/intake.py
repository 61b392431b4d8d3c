"""What one plugin registers: kernels and ops, taken in or refused."""

from __future__ import annotations

from dataclasses import replace

from abigen.host.device_types import DeviceType, DeviceTypes
from abigen.host.kernels import Kernel, KernelRegistry
from abigen.host.ops import OpDefinition, OpRegistry


class Intake:
    """What one plugin registers."""

    def __init__(self, types: DeviceTypes, kernels: KernelRegistry, ops: OpRegistry, own: DeviceType | None) -> None:
        """Take in what a plugin registers from here on.

        Args:
            types: all types of devices.
            kernels: where kernels go.
            ops: where ops go.
            own: the type that the plugin has brought; None when it brings no devices.
        """
        self._types = types
        self._kernels = kernels
        self._ops = ops
        self._own = own
        self.kernels: list[Kernel] = []
        self.ops: list[OpDefinition] = []

    def take_kernel(self, kernel: Kernel) -> None:
        """Register a kernel, under the type by which kernels for its devices are looked up."""
        name = kernel.device_type
        own = self._own is not None and name in (self._own.own_name, self._own.name)
        type = self._own.kernel_type if self._own is not None and own else self._types.kernel_type(name)
        kernel = replace(kernel, device_type=type)
        self._kernels.add(kernel)
        self.kernels.append(kernel)

    def take_op(self, op: OpDefinition) -> None:
        """Register an op.

        Raises:
            AbigenError: another plugin has one with this name.
        """
        self._ops.add(op)
        self.ops.append(op)
