"""Kernels and ops as plugins register them, handed on to the core."""

from __future__ import annotations

from collections.abc import Callable

from abigen.host.backend import Listener
from abigen.host.registries import Kernel
from abigen.model.span import AbigenError

from .datatypes import name_of
from .library import Library, Pointer
from .notation import NotationError, parse_op

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
        """What was refused, and why."""

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
