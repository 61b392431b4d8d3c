"""Running a kernel: its construction, its context, and where its inputs and outputs are."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any

from abigen.runner.apis.tensorflow.host.backend import (
    BACKGROUNDS,
    Kernel,
    KernelResult,
    NoMemoryError,
    OutsideError,
    SilentError,
)
from abigen.runner.apis.tensorflow.host.ops import OpUse, Tensor, from_buffer, size_of
from abigen.workspace.process import PluginError, calling

from .library import CODES, Library, Pointer
from .nodes import OpNode, input_names

if TYPE_CHECKING:
    from .devices import StreamDevice

WAIT_SECONDS = 60
"""The time limit of an asynchronous kernel."""

GRACE_SECONDS = 0.2
"""The time that threads of a plugin have to release tensors after a stream has done its work."""


class Execution:
    """A run of a kernel."""

    def __init__(
        self,
        library: Library,
        kernel: Kernel,
        use: OpUse,
        device: StreamDevice | None,
        device_name: str,
        step: int,
        *,
        timed: bool,
        keep_inputs: bool,
    ) -> None:
        """Prepare a run.

        Args:
            library: the core's.
            kernel: the kernel to run.
            use: the op, its inputs and attributes.
            device: None for the host's memory.
            device_name: for messages, and for the kernel.
            step: the number of the run.
            timed: true if the device should measure the time; then no guard bytes are put around outputs.
            keep_inputs: true if the core keeps the inputs, so that the kernel may not compute in their place.
        """
        self._library = library
        self._functions = library.functions
        self._kernel = kernel
        self._struct: Pointer = kernel.implementation
        self._use = use
        self._device = device
        self._device_name = device_name
        self._step = step
        self._timed = timed
        self._keep_inputs = keep_inputs
        self._nanoseconds: int | None = None
        self._kept: list[Any] = []
        self._inputs: list[Pointer] = []

    def run(self) -> KernelResult:
        """Run the kernel.

        Raises:
            PluginError: it cannot be created, it fails, it writes where it may not, or an output is missing.
        """
        before, overruns = self._functions.abigen_core_live_tensors(), self._functions.abigen_core_overruns()
        if self._device is not None:
            self._device.background = 0 if self._timed else BACKGROUNDS[self._step % 2]
        outputs = self._run()
        if self._functions.abigen_core_overruns() > overruns:
            raise self._outside("a tensor in the host's memory")
        return KernelResult(outputs, self._leftovers(before), self._nanoseconds)

    def _run(self) -> tuple[Tensor, ...]:
        device = f"/job:localhost/replica:0/task:0/device:{self._device_name}"
        node = OpNode(self._library, self._use, self._use.op.name.lower(), device)
        try:
            state = self._construct(node)
            try:
                return self._compute(node, state, device)
            finally:
                if self._struct.destroy:
                    with self._calling("delete"):
                        self._struct.destroy(state)
        finally:
            for tensor in self._inputs:
                self._functions.TF_DeleteTensor(tensor)
            node.close()

    def _leftovers(self, before: int) -> tuple[str, ...]:
        """Return a remark about tensors that the kernel has not deleted; empty for none."""
        until = monotonic() + GRACE_SECONDS
        while (left := self._functions.abigen_core_live_tensors() - before) > 0 and monotonic() < until:
            sleep(0.002)
        if left <= 0:
            return ()
        return (f"kernel {self._kernel.name} leaks {left} tensor{'s' * (left > 1)}",)

    def _construct(self, node: OpNode) -> Pointer:
        """Create the kernel's state."""
        if not self._struct.create:
            return self._library.ffi.NULL
        with self._calling("create"):
            return self._create(node)

    def _create(self, node: OpNode) -> Pointer:
        construction = self._functions.abigen_core_new_construction(node.struct)
        try:
            state = self._struct.create(construction)
            failure = self._functions.abigen_core_construction_failure(construction)
            if failure:
                raise self._failure("could not be created", failure)
        finally:
            self._functions.abigen_core_delete_construction(construction)
        return state

    def construct(self, times: int) -> bool:
        """Create the kernel's state and end it again, so often; gives whether the kernel has a function that does.

        Raises:
            PluginError: it cannot be created.
        """
        if not self._struct.create:
            return False
        node = OpNode(self._library, self._use, self._use.op.name.lower(), self._device_name)
        try:
            with self._calling("create"):
                for _ in range(times):
                    state = self._create(node)
                    if self._struct.destroy:
                        self._struct.destroy(state)
        finally:
            node.close()
        return True

    def _compute(self, node: OpNode, state: Pointer, device: str) -> tuple[Tensor, ...]:
        """Call the kernel's function, and collect its outputs."""
        self._inputs += [
            self._place(array, name) for array, name in zip(self._use.inputs, self._use.input_names, strict=True)
        ]
        if self._device is not None:
            self._device.start()
        context = self._functions.abigen_core_new_context(self._describe(node, device))
        if not self._keep_inputs:  # those that the context alone has can become outputs
            while self._inputs:
                self._functions.TF_DeleteTensor(self._inputs.pop())
        try:
            timer = self._device.start_timer() if self._device is not None and self._timed else None
            self._call(state, context)
            if self._device is not None and timer is not None:
                self._device.stop_timer(timer)
            failure = self._functions.abigen_core_context_failure(context)
            if failure:
                raise self._failure("failed", failure)
            outputs = self._collect(context)
            for name, tensor, given in zip(self._use.input_names, self._inputs, self._use.inputs, strict=False):
                if self._download([tensor], [name])[0].data != given.data:
                    raise self._outside(f"input {name}, which other kernels still use")
            if self._device is not None and timer is not None:
                self._nanoseconds = self._device.read_timer(timer)
            deferred = self._functions.abigen_core_deferred_ops(context)
            if deferred:
                raise self._failed("is not done", f"{deferred} more TF_IncNumDeferredOps than TF_DecNumDeferredOps")
            return outputs
        except PluginError:
            if self._device is not None:
                self._device.settle()  # what is enqueued still uses the memory that is freed now
            raise
        finally:
            self._functions.abigen_core_delete_context(context)

    def _call(self, state: Pointer, context: Pointer) -> None:
        """Compute, and wait for a kernel that goes on by itself."""
        if not self._struct.compute_async:
            if not self._struct.compute:
                raise self._failed("has no compute function", "TF_NewKernelBuilder was given NULL")
            with self._calling("compute"):
                self._struct.compute(state, context)
            return
        done = self._functions.abigen_core_new_done()
        with self._calling("compute"):
            self._struct.compute_async(state, context, done)
            finished = self._functions.abigen_core_wait_done(done, WAIT_SECONDS * 1000)
        if not finished:
            # Kernel and context are left alone: whatever runs may still use them.
            raise self._failed(f"has not finished within {WAIT_SECONDS} s", "it has to call its `done`")
        self._functions.abigen_core_delete_done(done)

    def _collect(self, context: Pointer) -> tuple[Tensor, ...]:
        """Return the outputs, copied to the host; kernels that have deferred work have ended it by then."""
        tensors: list[Pointer] = []
        try:
            for index, name in enumerate(self._use.output_names):
                tensor = self._functions.abigen_core_output(context, index)
                if not tensor:
                    raise self._silent(f"has not set output {index} ({name})", "call TF_AllocateOutput or TF_SetOutput")
                tensors.append(tensor)
            return self._download(tensors, self._use.output_names)
        finally:
            for tensor in tensors:
                self._functions.TF_DeleteTensor(tensor)

    def _download(self, tensors: Sequence[Pointer], names: Sequence[str]) -> tuple[Tensor, ...]:
        """Return copies of tensors; on the device, check that the guard bytes around them are unchanged."""
        functions, library, device = self._functions, self._library, self._device
        parts: dict[int, tuple[int, int]] = {}
        for index, each in enumerate(tensors):
            if device is not None and not functions.abigen_core_is_on_host(each):
                address = self._address(functions.TF_TensorData(each))
                margin = device.margin(address)
                parts[index] = address - margin, functions.TF_TensorByteSize(each) + 2 * margin
        copies = dict(zip(parts, device.download(list(parts.values())), strict=True)) if device is not None else {}
        found = []
        for index, (each, name) in enumerate(zip(tensors, names, strict=True)):
            if index not in copies or device is None:
                found.append(library.array_of(each))
                continue
            margin = device.margin(self._address(functions.TF_TensorData(each)))
            around = copies[index][:margin] + copies[index][len(copies[index]) - margin :]
            if around != bytes([device.background]) * (2 * margin):
                raise self._outside(f"{name}, in the device's memory")
            content = copies[index][margin : len(copies[index]) - margin]
            found.append(from_buffer(library.type_of(each), library.shape_of(each), content))
        return tuple(found)

    def _place(self, array: Tensor, name: str) -> Pointer:
        """Return a tensor with an input, where the kernel wants it."""
        device = self._device
        if device is None or name in self._kernel.host_arguments:
            return self._library.host_tensor(array)
        address = device.allocate(len(array.data))
        if not address and array.data:
            why = f"{self._device_name} cannot allocate {len(array.data)} bytes"
            raise self._failed("cannot run", why, NoMemoryError)
        device.upload(address, array.data)
        ffi = self._library.ffi
        dims = ffi.new("int64_t[]", list(array.shape))
        return self._functions.abigen_core_device_tensor(
            CODES[array.type],
            dims,
            len(array.shape),
            ffi.cast("void*", address),
            size_of(array.type, array.shape),
            self._library.deallocate,
            self._library.memory_of(device),
        )

    def _describe(self, node: OpNode, device: str) -> Pointer:
        """Return the description from which the context is made."""
        ffi, use = self._library.ffi, self._use
        step = ffi.new("abigen_core_step*")
        step.node = node.struct
        step.device_name = self._keep(ffi.new("char[]", device.encode()))
        step.device_id = self._device.ordinal if self._device is not None else 0
        step.step_id = self._step
        step.stream = ffi.cast("void*", self._device.stream if self._device is not None else 0)
        step.num_inputs = len(self._inputs)
        step.inputs = self._keep(ffi.new("TF_Tensor*[]", self._inputs))
        step.inputs_on_host = self._flags(use.input_names)
        step.input_names = self._texts(input_names(use))
        step.num_ranges = len(use.ranges)
        ranges = [(self._text(name), *limits) for name, limits in use.ranges.items()]
        step.ranges = self._keep(ffi.new("abigen_core_range[]", ranges))
        step.num_outputs = len(use.output_types)
        step.output_types = self._keep(ffi.new("int[]", [CODES[each] for each in use.output_types]))
        step.outputs_on_host = self._flags(use.output_names)
        step.has_memory = self._device is not None
        if self._device is not None:
            step.memory = self._library.memory_of(self._device)
        step.allocate = self._library.allocate
        step.deallocate = self._library.deallocate
        return self._keep(step)

    def _calling(self, function: str) -> AbstractContextManager[None]:
        return calling(f"the {function} function of kernel {self._kernel.name} for {self._use.op.name}")

    def _flags(self, names: Sequence[str]) -> Pointer:
        """Return a flag for each argument: true if the kernel wants it in the host's memory."""
        flags = bytes(name in self._kernel.host_arguments for name in names)
        return self._keep(self._library.ffi.new("unsigned char[]", flags))

    def _texts(self, texts: Sequence[str]) -> Pointer:
        return self._keep(self._library.ffi.new("char*[]", [self._text(each) for each in texts]))

    def _text(self, text: str) -> Pointer:
        return self._keep(self._library.ffi.new("char[]", text.encode("utf-8")))

    def _keep(self, memory: Pointer) -> Pointer:
        self._kept.append(memory)
        return memory

    def _address(self, pointer: Pointer) -> int:
        return int(self._library.ffi.cast("uintptr_t", pointer))

    def _outside(self, what: str) -> OutsideError:
        where = "into" if what.startswith("input") else "before or behind"
        return OutsideError.at(None, f"kernel {self._kernel.name} on {self._device_name} wrote {where} {what}")

    def _failure(self, what: str, status: Pointer) -> PluginError:
        """Return the error for a status with which the kernel has reported a failure."""
        code = self._functions.TF_GetCode(status)
        if code and self._library.text(self._functions.TF_Message(status)):
            is_exhausted = self._library.code_names.get(code) == "TF_RESOURCE_EXHAUSTED"
            kind = NoMemoryError if is_exhausted else PluginError
            return self._failed(what, self._library.message_of(status), kind)
        return self._silent(what, f"{self._library.message_of(status) or 'TF_OK'}, without a message")

    def _silent(self, what: str, why: str) -> SilentError:
        return SilentError.at(None, f"kernel {self._kernel.name} on {self._device_name} {what}: {why}")

    def _failed(self, what: str, why: str, kind: type[PluginError] = PluginError) -> PluginError:
        return kind.at(None, f"kernel {self._kernel.name} on {self._device_name} {what}: {why}")
