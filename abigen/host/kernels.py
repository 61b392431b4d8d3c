"""The kernels that are registered, and which of them computes an op."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from abigen.model.span import AbigenError, did_you_mean


@dataclass(frozen=True, kw_only=True)
class Kernel:
    """An implementation of an op on devices of one type."""

    name: str
    op: str
    device_type: str
    """The type that kernels are looked up by, which is not always the one that users see."""
    constraints: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """OpAttribute to the names of the types that it may have; others may have any."""
    host_arguments: frozenset[str] = frozenset()
    """Names of inputs and outputs that are in the host's memory."""
    priority: int = 0
    label: str = ""
    implementation: object = None
    """What its core calls."""
    owner: str = ""
    """The plugin that registered it, for messages."""

    def fits(self, attributes: Mapping[str, object], label: str) -> bool:
        """Whether it computes an op with these attributes and this label."""
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
        """All kernels, those of one op and device type together, else in the order of registration."""
        return tuple(kernel for kernels in self._kernels.values() for kernel in kernels)

    def remove(self, owner: str) -> None:
        """Forget the kernels of a plugin."""
        for key, kernels in tuple(self._kernels.items()):
            self._kernels[key] = [kernel for kernel in kernels if kernel.owner != owner]

    def move(self, name: str, kernel_type: str, taken: Collection[str]) -> None:
        """Give kernels that came before their devices to those.

        Args:
            name: what the kernels call the type.
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
            device_types: where it may run, the preferred one first.
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

    def require(
        self, op: str, device_types: Sequence[str], attributes: Mapping[str, object], label: str = ""
    ) -> Kernel:
        """The same as `find`, where there has to be one.

        Raises:
            AbigenError: none fits, with those that come near; or several do.
        """
        kernel = self.find(op, device_types, attributes, label)
        if kernel is not None:
            return kernel
        types = ", ".join(f"{name}={value}" for name, value in attributes.items() if isinstance(value, str))
        where = " or ".join(device_types)
        raise AbigenError.at(
            None, f"no kernel for {op}{f' ({types})' if types else ''} on {where}", self._near(op, device_types)
        )

    def _near(self, op: str, device_types: Sequence[str]) -> str:
        """What is registered that comes near."""
        here = [str(each) for type in device_types for each in self._kernels.get((op, type), ())]
        if here:
            return f"registered are {', '.join(here)}"
        elsewhere = sorted({type for (other, type), kernels in self._kernels.items() if other == op and kernels})
        if elsewhere:
            return f"{op} has kernels on {', '.join(elsewhere)}"
        known = sorted({other for (other, _), kernels in self._kernels.items() if kernels})
        others = f"there are kernels for {', '.join(known)}" if known else "no plugin has registered any kernel"
        return did_you_mean(op, known, others)
