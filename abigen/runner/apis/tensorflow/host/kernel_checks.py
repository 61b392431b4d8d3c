"""Checks of a plugin's registrations with a core that runs kernels, and of the results of its kernels."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice

import msgspec
from msgspec.structs import replace

from abigen.model.finding import Level
from abigen.model.span import AbigenError, did_you_mean
from abigen.runner.apis.tensorflow.host.backend import (
    BACKGROUNDS,
    PLUGGED_PREFIX,
    Inference,
    Kernel,
    NoMemoryError,
    OutsideError,
    ShapeError,
    SilentError,
)
from abigen.runner.apis.tensorflow.host.core import Core, Result, difference
from abigen.runner.apis.tensorflow.host.ops import ELEMENT_TYPES, OpArgument, OpDefinition, Tensor, from_numpy
from abigen.runner.verify.check import Observation, core_check
from abigen.runner.verify.harness import left_each_time
from abigen.workspace.process import InapplicableError, PluginError

_SHAPES = ((5,), (), (0,), (1,), (3, 5), (7, 3), (2, 0, 3), (2, 3, 5))
_LARGE = (257, 67)
_FEW = ((), (0,), (3, 5), (2, 3, 5))
"""Shapes to try with types and attributes other than the first ones."""
_FEW_INFERENCES = 8
"""The number of inputs to try with the shape function of an op."""
_MISFITS = ((4, 9), (11,), (2, 2, 2, 2))
"""Shapes that few ops take together with another one."""
_INTEGERS = frozenset(name for name in ELEMENT_TYPES if "int" in name)
_OTHERS_DEVICES = ("GPU", "TPU")
"""Types of devices that cores bring, and this one does not."""


class _Case(msgspec.Struct, frozen=True):
    """A use of a kernel that it has to compute."""

    kernel: Kernel
    device: str
    inputs: tuple[Tensor, ...]
    attributes: Mapping[str, object]
    is_known: bool
    """True if the core can compute it as well."""
    is_constrained: bool
    """True if the kernel itself has registered that it takes these types."""

    def run(self, core: Core) -> Result:
        """Run it."""
        attributes, label = self.attributes, self.kernel.label
        return core.run(self.kernel.op, self.inputs, attributes, device=self.device, label=label)

    def left_by_create(self, core: Core) -> str:
        """Return the resources that each creation and deletion of the kernel leaves, in words; empty for none."""

        def construct(rounds: int, _: float = 0.0) -> int:
            attributes, label = self.attributes, self.kernel.label
            core.construct(self.kernel.op, self.inputs, attributes, self.device, label, rounds)
            return rounds

        try:
            attributes, label = self.attributes, self.kernel.label
            has = core.construct(self.kernel.op, self.inputs, attributes, self.device, label, 1)
            return left_each_time(construct) if has else ""
        except (AbigenError, InapplicableError):  # other checks tell of the one, and nobody can tell the other
            return ""

    def __str__(self) -> str:
        settings = "".join(f", {name}={value}" for name, value in self.attributes.items())
        return f"{self.kernel.op}({', '.join(map(str, self.inputs))}{settings})"


@core_check("ABI089")
def kernel_result_differs(core: Core) -> Iterator[Observation]:
    """The result of a kernel differs from that of its op, or from call to call.

    What happens: A model computes other results on this device than on others, without an error.

    Instead: Check the shape and the type that are named. Usual causes: elements at the end are left out, a kernel
    begins before the copies to the device have ended, or it computes in place of an input that other kernels still use.

    Source: the op's definition, as numpy computes it; for ops that abigen does not know, the kernel itself: run again,
    on another device, with inputs that it may use for its outputs and with others.
    """
    for case in _cases(core):
        results = []
        for kept, device in (
            (True, case.device),
            (False, case.device),
            *((True, each) for each in _other_devices(core, case)),
        ):
            core.keep_inputs(kept=kept)
            try:
                results.append(replace(case, device=device).run(core))
            except AbigenError:
                continue
        told = next(filter(None, (difference(core, each) for each in results)), "")
        different = [each for each in results if [one.data for one in each.outputs] != [
            one.data for one in results[0].outputs]]  # fmt: skip
        if not told and different and not case.is_known:
            told = f"it computes {results[0].outputs[0].spelled()}, then {different[0].outputs[0].spelled()}"
        if told:
            yield _about(case, f"{case}: {told}", device=results[-1].device)


@core_check("ABI095")
def kernel_writes_outside(core: Core) -> Iterator[Observation]:
    """A kernel writes before or behind its outputs, or into an input that others still use.

    What happens: The write changes another tensor: a weight of the model, or a result that is needed later.

    Instead: Use the number of elements of the tensor that the core passes. Compute in place of an input only if
    `TF_ForwardInputOrAllocateOutput` allows it.

    Source: TF_AllocateOutput and TF_ForwardInputOrAllocateOutput in kernels.h.
    """
    for kept in (True, False):
        core.keep_inputs(kept=kept)
        for case in _cases(core):
            try:
                case.run(core)
            except OutsideError as error:
                yield _about(case, error.diagnostics[0].message, tried=str(case))
            except AbigenError:
                continue


@core_check("ABI096")
def kernel_fails(core: Core) -> Iterator[Observation]:
    """A kernel fails for inputs that its op accepts, or does not report its failure.

    What happens: A model that runs on other devices stops with this error on this one. If the error has no message, or
    the kernel sets neither an error nor an output, users cannot find the cause.

    Instead: Compute all types that the kernel is registered for, or constrain its registration: then the core uses
    another kernel. If the kernel cannot compute, let it call `TF_OpKernelContext_Failure` with a code and a message. A
    kernel that computes no case is an error; one that leaves out some cases, or reports no error for shapes that do not
    match or for zeros, is a warning.

    Source: TF_OpKernelContext_Failure in kernels.h; the op's definition.
    """
    worked: set[str] = set()
    failed: dict[str, tuple[_Case, str]] = {}
    silent: dict[str, tuple[_Case, str]] = {}
    exhausted: dict[str, tuple[_Case, str]] = {}
    first: dict[str, _Case] = {}
    core.keep_inputs(kept=False)
    for case in _cases(core):
        first.setdefault(case.kernel.name, case)
        try:
            case.run(core)
        except (OutsideError, ShapeError):
            continue
        except NoMemoryError as error:
            exhausted.setdefault(case.kernel.name, (case, error.diagnostics[0].message))
            continue
        except PluginError as error:
            key = case.kernel.name
            if isinstance(error, SilentError):
                silent.setdefault(key, (case, error.diagnostics[0].message))
            if key not in failed and ((case.is_known and case.is_constrained) or key not in worked):
                failed[key] = case, error.diagnostics[0].message
            continue
        except AbigenError:
            continue
        worked.add(case.kernel.name)
    for case in _doubtful(core, list(first.values())):
        name = case.kernel.name
        try:
            first_result, second_result = case.run(core), case.run(core)
        except SilentError as error:
            silent.setdefault(name, (case, error.diagnostics[0].message))
        except AbigenError:
            continue
        else:
            if _has_unset(first_result, second_result):
                silent.setdefault(
                    name, (case, f"kernel {name} reports no error, and does not set all elements of an output")
                )
    # A device may be too small for some cases; that is no kernel's fault.
    failed = {**{key: each for key, each in exhausted.items() if key not in worked}, **failed}
    for key, (case, message) in silent.items():
        if key not in failed:
            yield _about(case, message, tried=str(case))._replace(level=Level.WARNING)
    for key, (case, message) in failed.items():
        if key not in worked or (case.is_known and case.is_constrained):
            level = Level.WARNING if key in worked else Level.ERROR
            yield _about(case, message, tried=str(case))._replace(level=level)


@core_check("ABI097")
def kernel_shape_differs(core: Core) -> Iterator[Observation]:
    """The shape of a kernel's output differs from the op's shape function, or that sets no shape.

    What happens: The plan for the inferred shape, such as memory and later ops, does not match. If the function sets no
    shape and reports success, the core reads a shape that does not exist.

    Instead: Correct the kernel, or the op's shape inference function. If a shape is not known, call
    `TF_ShapeInferenceContextSetUnknownShape`.

    Source: TF_OpDefinitionBuilderSetShapeInferenceFunction in ops.h.
    """
    for case in _cases(core):
        try:
            case.run(core)
        except ShapeError as error:
            yield _about(case, error.diagnostics[0].message, tried=str(case))
        except AbigenError:
            continue
    for op, inference in _inferences(core):
        if inference.unset:
            names = " and ".join(op.outputs[index].name for index in inference.unset if index < len(op.outputs))
            entity = f"op {op.name}"
            yield Observation(entity, f"the shape function of {entity} reports success and sets no shape for {names}")


@core_check("ABI098", level=Level.WARNING)
def kernel_leaves_tensors(core: Core) -> Iterator[Observation]:
    """A kernel leaves tensors behind, or what it creates; or an op's shape function leaves handles behind.

    What happens: The memory of the device or of the host fills up with each step, until allocations fail.

    Instead: Call `TF_DeleteTensor` for each tensor from `TF_GetInput`, `TF_AllocateOutput` and similar functions, also
    when the kernel fails. In the kernel's delete function, free the memory of its create function. Call
    `TF_DeleteShapeHandle` and `TF_DeleteDimensionHandle` for each handle.

    Source: TF_GetInput and TF_NewKernelBuilder in kernels.h, TF_NewShapeHandle in ops.h.
    """
    first: dict[str, _Case] = {}
    for case in _cases(core):
        first.setdefault(case.kernel.name, case)
        try:
            remarks = case.run(core).remarks
        except AbigenError:
            continue
        if remarks:
            yield _about(case, remarks[0], tried=str(case))
    for op, inference in _inferences(core):
        if inference.left > 0:
            entity, number = f"op {op.name}", f"{inference.left} handle{'s' * (inference.left > 1)}"
            yield Observation(entity, f"the shape function of {entity} leaves {number} that no function deletes")
    gc.freeze()  # so that a collection looks at what is new alone
    for name, case in first.items():
        left = case.left_by_create(core)
        if left:
            yield _about(case, f"kernel {name} leaks {left} each time that it is created and deleted")


@core_check("ABI059")
def registration_without_effect(core: Core) -> Iterator[Observation]:
    """A registration of the plugin is refused, or has no effect.

    What happens: The core refuses the registration, or stops with an error when a model has the op: two kernels match,
    or none. A registration for an op, a device or an attribute that does not exist is never used.

    Instead: Correct the registration that is named below: a kernel needs an op that exists, a device type of the plugin
    or the core, attributes of the op, and no other kernel of the same priority for the same types.

    Source: TF_RegisterKernelBuilder and TF_KernelBuilder_TypeConstraint in kernels.h, TF_RegisterOpDefinition in ops.h.
    """
    _need_parts(core)
    for remark in core.plugins[0].remarks:
        yield Observation(f"registration of {remark.split(': ')[1].removesuffix(' was refused')}", remark)
    ops = {each.name: each for each in core.ops}
    devices = [each.kernel_type for each in core.device_types]
    seen: list[Kernel] = []
    for kernel in core.kernels:
        for level, problem, hint in chain(
            _problems(core, kernel, ops, devices), _kernels_of_same_priority(kernel, seen)
        ):
            name = f"kernel {kernel.name}"
            yield Observation(name, f"{name} for {kernel.op}: {problem}", help=hint, level=level)
        seen.append(kernel)


def _problems(
    core: Core, kernel: Kernel, ops: Mapping[str, OpDefinition], devices: Sequence[str]
) -> Iterator[tuple[Level, str, str]]:
    """Yield the reasons why a kernel is never run, each with its level and a hint."""
    op = ops.get(kernel.op)
    if op is None and not core.is_op(kernel.op):
        yield Level.WARNING, "there is no such op", did_you_mean(kernel.op, ops, "")
    if kernel.device_type not in (*devices, *_OTHERS_DEVICES, core.any_type) and core.plugins[0].device_type:
        hint = did_you_mean(kernel.device_type, [each.name for each in core.device_types], "")
        yield Level.WARNING, f"neither the plugin nor the core has devices of type {kernel.device_type}", hint
    if op is None:
        return
    attributes = {each.name: each for each in op.attributes}
    for name, types in kernel.constraints.items():
        attribute = attributes.get(name)
        if attribute is None or attribute.kind != "type":
            yield Level.ERROR, f"the op has no type {name} to constrain", did_you_mean(name, attributes, "")
        elif attribute.allowed and not types & attribute.allowed:
            yield Level.ERROR, f"the op does not allow {name}={'|'.join(sorted(types))}", ""
    arguments = [each.name for each in (*op.inputs, *op.outputs)]
    for name in sorted(kernel.host_arguments - set(arguments)):
        yield (
            Level.ERROR,
            f"the op has no input or output {name} to be in the host's memory",
            did_you_mean(name, arguments, ""),
        )


def _kernels_of_same_priority(kernel: Kernel, others: Sequence[Kernel]) -> Iterator[tuple[Level, str, str]]:
    """Yield a problem for each kernel with the same priority that the core would find as well."""

    def place(one: Kernel) -> tuple[object, ...]:
        return one.op, one.device_type, one.label, one.priority

    for other in others:
        shared = kernel.constraints.keys() & other.constraints.keys()
        if place(other) == place(kernel) and all(kernel.constraints[each] & other.constraints[each] for each in shared):
            hint = "register one of them with other types, another label, or another priority"
            yield Level.ERROR, f"kernel {other.name} is registered for the same", hint


def _need_parts(core: Core) -> None:
    """Stop where there is nothing to look at."""
    if not (core.kernels or core.plugins[0].ops or core.plugins[0].remarks):
        raise InapplicableError("the plugin registers neither kernels nor ops")


def _about(case: _Case, message: str, **details: str) -> Observation:
    return Observation(f"kernel {case.kernel.name}", message, details=tuple(details.items()))


def _inferences(core: Core) -> Iterator[tuple[OpDefinition, Inference]]:
    """Yield the results of the shape functions of the plugin's own ops, for a few inputs each."""
    for op in core.plugins[0].ops if core.plugins else ():
        stand_in = Kernel(name="", op=op.name, device_type="")
        for attributes in islice(_types(op, stand_in), 1):
            for case in islice(_uses(core, stand_in, op, "", attributes, _SHAPES), _FEW_INFERENCES):
                try:
                    yield op, core.infer(op.name, case.inputs, attributes)
                except AbigenError:
                    continue


def _other_devices(core: Core, case: _Case) -> list[str]:
    """Return another device of the same type; empty if there is none."""
    kind = case.device.partition(":")[0]
    return [each for each in core.devices() if each.startswith(f"{kind}:") and each != case.device][:1]


def _cases(core: Core) -> Iterator[_Case]:
    """Yield uses of all kernels that can be run here, with each type that they are registered for."""
    _need_parts(core)
    ops = {each.name: each for each in core.ops}
    named = {each.kernel_type: each.name for each in core.device_types}
    plugged = next((each.name for each in core.device_types if each.kernel_type.startswith(PLUGGED_PREFIX)), "")
    for kernel in core.kernels:
        op = ops.get(kernel.op)
        device = named.get(kernel.device_type, plugged or named[core.host_type])
        if op is None or (kernel.device_type not in named and kernel.device_type != core.any_type):
            continue
        settings = [each for types in _types(op, kernel) for each in _settings(op, types)]
        for attributes in settings:
            small = {"float16", "bfloat16", "int8", "uint8"} & set(attributes.values())
            shapes = _FEW if attributes is not settings[0] else (*_SHAPES, *(() if small else (_LARGE,)))
            yield from _uses(core, kernel, op, f"{device}:0", attributes, shapes)


def _doubtful(core: Core, known: Iterable[_Case]) -> Iterator[_Case]:
    """Yield uses that kernels may refuse, made from others: with shapes that do not fit, and with zeros."""
    for case in known:
        zeros = tuple(replace(each, data=bytes(len(each.data))) for each in case.inputs)
        yield replace(case, inputs=zeros)
        if len(case.inputs) == 2:
            type = case.inputs[1].type
            for shape in _MISFITS:
                other = _values(type, shape, signed=False)
                if _is_computed(core, core.op(case.kernel.op), (case.inputs[0], other), case.attributes) is None:
                    yield replace(case, inputs=(case.inputs[0], other))


def _has_unset(first: Result, second: Result) -> bool:
    """True if two runs of one use differ, and only in elements that have never been written."""
    elements = [
        {output.data[start : start + size] for output in pair}
        for pair in zip(first.outputs, second.outputs, strict=True)
        for size in (ELEMENT_TYPES[pair[0].type],)
        for start in range(0, len(pair[0].data), size)
    ]
    different = [each for each in elements if len(each) > 1]
    return bool(different) and all({byte for one in each for byte in one} == set(BACKGROUNDS) for each in different)


def _types(op: OpDefinition, kernel: Kernel) -> Iterator[dict[str, object]]:
    """Yield combinations of types for a kernel: each type of one attribute, with the first types of the others."""
    choices: dict[str, list[str]] = {}
    for each in op.attributes:
        if each.kind == "type" and not each.is_list:
            allowed = kernel.constraints.get(each.name, each.allowed or frozenset(ELEMENT_TYPES))
            known = [name for name in ELEMENT_TYPES if name in allowed and (not each.allowed or name in each.allowed)]
            preferred = [name for name in known if name == each.default] if each.name not in kernel.constraints else []
            choices[each.name] = preferred or known
    first: dict[str, object] = {name: known[0] for name, known in choices.items() if known}
    if len(first) == len(choices):
        yield from [{**first, name: type} for name, known in choices.items() for type in known] or [{}]


def _settings(op: OpDefinition, types: dict[str, object]) -> Iterator[dict[str, object]]:
    """Yield attributes: first all defaults, then each attribute of several values with another value."""
    yield types
    for each in op.attributes:
        if each.kind == "bool" and not each.is_list and not each.name.startswith("grad_"):
            yield {**types, each.name: each.default is not True}
        elif each.kind == "string" and each.allowed and not each.is_list:
            yield from ({**types, each.name: value} for value in sorted(each.allowed) if value != each.default)


def _uses(
    core: Core,
    kernel: Kernel,
    op: OpDefinition,
    device: str,
    attributes: Mapping[str, object],
    shapes: Sequence[tuple[int, ...]],
) -> Iterator[_Case]:
    """Yield uses with those shapes that the op takes, as far as that is known."""
    data = [each for each in op.inputs if not _is_index(each, op)]
    done = set()
    for shape in shapes:
        others = (shape, shape[::-1], (), shape[-1:]) if len(data) > 1 else (shape,)
        for other in dict.fromkeys(others):
            for index in ((0,), (), (-1,), shape[::-1], tuple(range(len(shape)))[::-1]):
                given = [_index(each, index, attributes) if each not in data else
                         _values(_type(each, attributes), shape if each is data[0] else other, op.owner == "")
                         for each in op.inputs]  # fmt: skip
                inputs = tuple(one for each, argument in zip(given, op.inputs, strict=True)
                               for one in ([each] * 2 if argument.is_list else [each]))  # fmt: skip
                if str(given) in done:
                    continue
                done.add(str(given))
                is_known = _is_computed(core, op, inputs, attributes)
                if is_known is not None:
                    constrained = bool(kernel.constraints) or not attributes
                    yield _Case(kernel, device, inputs, attributes, is_known, constrained)


def _is_computed(
    core: Core, op: OpDefinition, inputs: Sequence[Tensor], attributes: Mapping[str, object]
) -> bool | None:
    """True if the core can compute an op itself; None if the op does not accept such inputs."""
    try:
        return core.compute_on_host(core.use(op.name, inputs, attributes)) is not None
    except AbigenError:
        return None


def _is_index(argument: OpArgument, op: OpDefinition) -> bool:
    """True if an input is taken for an index or a length: it takes only integers, and the op has other inputs."""
    attribute = next((each for each in op.attributes if each.name == argument.type_attribute), None)
    allowed = attribute.allowed if attribute is not None else {argument.type}
    return bool(allowed) and allowed <= _INTEGERS and len(op.inputs) > 1


def _type(argument: OpArgument, attributes: Mapping[str, object]) -> str:
    return argument.type or str(attributes.get(argument.type_attribute) or "float32")


def _index(argument: OpArgument, value: tuple[int, ...], attributes: Mapping[str, object]) -> Tensor:
    """Return an array of indices or lengths; the number 0 for none."""
    import numpy

    return from_numpy(numpy.array(value if value else 0), _type(argument, attributes))


def _values(type: str, shape: tuple[int, ...], signed: bool) -> Tensor:
    """Return elements that are not zero, the same each time; if `signed`, some floating-point ones are negative."""
    import numpy

    numbers = numpy.arange(numpy.prod(shape, dtype=int)) * 37 % 23 + 1
    if type == "bool":
        return from_numpy((numbers % 3 == 0).reshape(shape), type)
    if type not in _INTEGERS:
        numbers = numbers / 8 * numpy.where(numpy.arange(numbers.size) % 3 == 1, -1 if signed else 1, 1)
    return from_numpy(numbers.reshape(shape), type)
