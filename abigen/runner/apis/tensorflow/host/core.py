"""Runs kernels and graphs of ops with a plugin."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType

import msgspec
from msgspec.structs import replace

from abigen.model.span import AbigenError, Span, did_you_mean
from abigen.runner.apis.tensorflow.host.backend import (
    BUILT_IN_PRIORITY,
    Backend,
    Device,
    DeviceType,
    DeviceTypes,
    Inference,
    Kernel,
    KernelRegistry,
    KernelResult,
    Listener,
    Platform,
    Shape,
    ShapeError,
    check_name,
)
from abigen.runner.apis.tensorflow.host.ops import (
    OpDefinition,
    OpRegistry,
    OpUse,
    Tensor,
    bind,
    parse_array,
    parse_attribute,
)
from abigen.workspace.libraries import default_directories, find_plugins, identity, refuse_other_files
from abigen.workspace.process import PluginError

OWN_KERNEL = Kernel(name="of the core itself", op="", device_type="")
"""The kernel of results that the core computes itself."""


class Plugin(msgspec.Struct, frozen=True, kw_only=True):
    """A plugin that has been loaded."""

    path: Path
    device_type: DeviceType | None
    """The type of its devices; None if it brings none."""
    kernels: tuple[Kernel, ...]
    ops: tuple[OpDefinition, ...]
    remarks: tuple[str, ...] = ()
    """Its refused registrations, and other advice to the user."""


class Result(msgspec.Struct, frozen=True):
    """The result of running an op."""

    outputs: tuple[Tensor, ...]
    use: OpUse
    """The op with its inputs and attributes, those that were inferred as well."""
    device: str
    """Name of the device that it ran on."""
    kernel: Kernel
    shapes: tuple[Shape, ...]
    """The shapes that the op infers for the outputs, as far as it does."""
    remarks: tuple[str, ...] = ()
    """Advice to the kernel's author, although it has not failed."""
    nanoseconds: int | None = None
    """The time that the kernel has taken, by the device's own timer; None if it was not asked for, or on the host."""


class Core:
    """The side that plugins are plugged into."""

    def __init__(self, backend: Backend, built_in: Sequence[str] = ()) -> None:
        """Start without any plugin.

        Args:
            backend: the API.
            built_in: types of devices that the core is to have itself besides the host; plugins may replace them.
        """
        self._backend = backend
        host = DeviceType(name=backend.host_type, priority=BUILT_IN_PRIORITY, replaceable=False)
        others = (DeviceType(name=name, priority=BUILT_IN_PRIORITY) for name in built_in)
        self._types = DeviceTypes((host, *others))
        self._kernels = KernelRegistry()
        self._ops = OpRegistry()
        for op in backend.built_in_ops():
            self._ops.add(op)
        self._plugins: dict[tuple[int, int], Plugin] = {}
        self._platforms: dict[str, Platform] = {}
        self._devices: dict[str, Device] = {}

    def __enter__(self) -> Core:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.close()
        except AbigenError:
            if error is None:
                raise

    def load_plugin(self, *names: str | Path) -> Plugin:
        """Load a plugin, unless it has been loaded already, by this path or another one.

        Args:
            names: the path of its library; before it, where its devices' own name is taken or not wanted, the name
                under which users are to know them.

        Raises:
            AbigenError: it cannot be loaded, it refuses the core or the core refuses it, or a name is taken.
        """
        *before, path = names
        device_name = str(before[0]) if before else ""
        file = Path(path)
        owner = str(file)
        refuse_other_files(file)
        known = self._plugins.get(identity(file))
        if known is not None:
            return known
        if device_name:
            check_name(device_name)
        module = self._backend.load(file)
        platform = module.register_platform()
        device_type = self._register(file, platform, device_name) if platform is not None else None

        def take_kernel(kernel: Kernel) -> None:
            self._kernels.add(replace(kernel, device_type=self._types.kernel_type(kernel.device_type)))

        try:
            remarks = module.register_parts(owner, Listener(take_kernel, self._ops.add))
        except AbigenError:
            self._forget(owner)
            raise
        kernels = tuple(each for each in self._kernels.all() if each.owner == owner)
        ops = tuple(each for each in self._ops.all() if each.owner == owner)
        plugin = Plugin(path=file, device_type=device_type, kernels=kernels, ops=ops, remarks=remarks)
        self._plugins[identity(file)] = plugin
        return plugin

    def load_plugins(self, directories: Sequence[str | Path] = ()) -> tuple[Plugin, ...]:
        """Load all plugins in directories.

        Args:
            directories: in their order; empty: where the API's documents say that plugins are installed.

        Raises:
            AbigenError: a directory is missing, or plugins cannot be loaded; with all reasons. The others are loaded.
        """
        folders = [Path(each) for each in directories] or default_directories(self._backend.plugin_directory)
        problems: list[AbigenError] = []
        loaded = []
        for path in find_plugins(folders):
            try:
                loaded.append(self.load_plugin(path))
            except AbigenError as error:
                problems.append(error)
        if problems:
            kind = PluginError if all(isinstance(each, PluginError) for each in problems) else AbigenError
            raise kind([diagnostic for each in problems for diagnostic in each.diagnostics])
        return tuple(loaded)

    def unload_plugin(self, path: str | Path) -> None:
        """Forget a plugin: its devices, kernels and ops. Its library stays in the process.

        Args:
            path: of its library; one that has not been loaded is left alone.

        Raises:
            AbigenError: there is no such file, or the plugin fails while it gives back what it has.
        """
        plugin = self._plugins.pop(identity(Path(path)), None)
        if plugin is not None:
            self._forget(str(plugin.path))

    @property
    def host_type(self) -> str:
        """The type of the device that computes in the host's memory."""
        return self._backend.host_type

    @property
    def any_type(self) -> str:
        """The type by which kernels are registered that run on every device; empty when there is none."""
        return self._backend.any_type

    @property
    def plugins(self) -> tuple[Plugin, ...]:
        """The plugins that are loaded, in that order."""
        return tuple(self._plugins.values())

    @property
    def device_types(self) -> tuple[DeviceType, ...]:
        """The types of devices that can be named."""
        return self._types.all()

    @property
    def kernels(self) -> tuple[Kernel, ...]:
        """The kernels that plugins have registered."""
        return self._kernels.all()

    @property
    def ops(self) -> tuple[OpDefinition, ...]:
        """The ops that can be run, given a kernel."""
        return self._ops.all()

    def op(self, name: str) -> OpDefinition:
        """Return the definition of an op.

        Raises:
            AbigenError: there is none with this name.
        """
        return self._ops.find(name)

    def devices(self) -> tuple[str, ...]:
        """Return the names of all devices: `XPU:0`."""
        return tuple(f"{each.name}:{index}" for each in self._types.all() for index in range(self._count(each)))

    def device(self, name: str) -> Device | None:
        """Return a device, created when it is first asked for; None for one that the core has itself.

        Args:
            name: `XPU:0`, or `XPU` for the first one of its type; upper and lower case are the same.

        Raises:
            AbigenError: there is none, or the plugin cannot create it.
        """
        return self._device(*self._place(name))

    def infer_shapes(
        self, op: str, inputs: Sequence[object], attributes: Mapping[str, object] | None = None
    ) -> tuple[Shape, ...]:
        """Return the shapes that an op infers for its outputs.

        Args:
            op: its name.
            inputs: as in `run`.
            attributes: as in `run`.

        Raises:
            AbigenError: there is no such op, or it does not take that.
        """
        return self.infer(op, inputs, attributes).shapes

    def infer(self, op: str, inputs: Sequence[object], attributes: Mapping[str, object] | None = None) -> Inference:
        """Return the shapes that an op infers, and advice to its author; see `infer_shapes`."""
        return self._backend.infer_shapes(self.use(op, inputs, attributes or {}))

    def run(
        self,
        op: str,
        inputs: Sequence[object] = (),
        attributes: Mapping[str, object] | None = None,
        *,
        device: str = "",
        label: str = "",
        timed: bool = False,
    ) -> Result:
        """Run an op with a plugin's kernel, or with one of the core's own where no plugin has one that fits.

        Args:
            op: its name.
            inputs: anything that `Tensor.of` takes, sequences of it where an input is any number of arrays.
            attributes: those that the inputs do not determine, and those that differ from the default.
            device: the device to run it on; empty: the first plugged device that has a kernel, else the host's memory,
                by a plugin's kernel or one of the core's own.
            label: of the kernel, where it has one.
            timed: true if the device should measure the time of the kernel.

        Raises:
            AbigenError: there is no such op, device or kernel, the inputs do not fit, or the kernel fails.
        """
        use = self.use(op, inputs, attributes or {})
        shapes = self._backend.infer_shapes(use).shapes
        place, ordinal, kernel = self._choose(use, device, label)
        name = f"{place.name}:{ordinal}"
        if kernel is OWN_KERNEL:
            outputs = self._backend.compute_on_host(use)
            assert outputs is not None
            computed = KernelResult(outputs)
        else:
            computed = self._backend.compute(kernel, use, self._device(place, ordinal), name, timed=timed)
        for index, (output, shape) in enumerate(zip(computed.outputs, shapes, strict=True)):
            if not _agrees(output.shape, shape):
                raise ShapeError.at(
                    None,
                    f"{op}: output {index} has the shape {list(output.shape)}, and the op's shape inference states "
                    f"{_spell(shape)}",
                    f"kernel {kernel.name} or the op's shape function is wrong",
                )
        return Result(computed.outputs, use, name, kernel, shapes, computed.remarks, computed.nanoseconds)

    def construct(
        self, op: str, inputs: Sequence[object], attributes: Mapping[str, object], device: str, label: str, times: int
    ) -> bool:
        """Let a plugin's kernel create and delete its state a number of times; arguments as in `run`.

        Returns:
            Whether the kernel has a function that creates something.

        Raises:
            AbigenError: there is no such op, device or kernel, or the kernel cannot be created.
        """
        use = self.use(op, inputs, attributes)
        place, ordinal, kernel = self._choose(use, device, label)
        return kernel is not OWN_KERNEL and self._backend.construct(kernel, use, f"{place.name}:{ordinal}", times)

    def is_op(self, name: str) -> bool:
        """True if any core of this API has an op with this name, even if this core knows nothing else of it."""
        return self._backend.is_op(name)

    def keep_inputs(self, *, kept: bool) -> None:
        """Say whether inputs stay the core's while kernels run, so that they may not compute in their place."""
        self._backend.keep_inputs = kept

    def compute_on_host(self, use: OpUse) -> tuple[Tensor, ...] | None:
        """Return the outputs of an op, computed by the core itself; None if it cannot compute the op.

        Raises:
            AbigenError: the op does not accept such inputs.
        """
        return self._backend.compute_on_host(use)

    def close(self) -> None:
        """Close all devices and let all plugins give back what they have; libraries stay in the process."""
        for device in self._devices.values():
            device.close()
        self._devices.clear()
        for platform in self._platforms.values():
            platform.close()
        self._platforms.clear()

    def _register(self, file: Path, platform: Platform, device_name: str) -> DeviceType:
        """Take in the devices of a plugin, which is let go where that is not possible."""
        own_name = platform.device_type
        added = DeviceType(
            name=device_name or own_name,
            owner=str(file),
            platform=platform.name,
            own_name=own_name if device_name else "",
        )
        try:
            self._types.add(added)
        except AbigenError:
            platform.close()
            raise
        self._platforms[added.owner] = platform
        self._kernels.move(own_name, added.kernel_type, [each.kernel_type for each in self._types.all()])
        return added

    def _forget(self, owner: str) -> None:
        """Give back and take out what a plugin has brought."""
        self._kernels.remove(owner)
        self._ops.remove(owner)
        names = [each.name for each in self._types.all() if each.owner == owner]
        self._types.remove(owner)
        for name in [each for each in self._devices if each.partition(":")[0] in names]:
            self._devices.pop(name).close()
        platform = self._platforms.pop(owner, None)
        if platform is not None:
            platform.close()

    def use(self, op: str, inputs: Sequence[object], attributes: Mapping[str, object]) -> OpUse:
        """Return an op with inputs and attributes, as in `run`.

        Raises:
            AbigenError: there is no such op, or it does not take that.
        """
        definition = self._ops.find(op)
        lists = [each.is_list for each in definition.inputs]
        arrays = [
            [Tensor.of(one) for one in each]
            if isinstance(each, (list, tuple)) and lists[index : index + 1] == [True]
            else Tensor.of(each)
            for index, each in enumerate(inputs)
        ]
        return bind(definition, arrays, attributes)

    def _count(self, type: DeviceType) -> int:
        """Return the number of devices of a type."""
        platform = self._platforms.get(type.owner)
        return platform.count() if platform is not None else 1

    def _place(self, name: str) -> tuple[DeviceType, int]:
        """Return the type and number of a device."""
        type_name, _, number = name.removeprefix("/").removeprefix("device:").partition(":")
        found = self._types.find(type_name)
        if not (number or "0").isdecimal() or int(number or "0") >= self._count(found):
            hint = f"there are {', '.join(self.devices())}; numbers begin at 0"
            raise AbigenError.at(None, f"there is no device {name}", hint)
        return found, int(number or "0")

    def _device(self, place: DeviceType, ordinal: int) -> Device | None:
        platform = self._platforms.get(place.owner)
        if platform is None:
            return None
        name = f"{place.name}:{ordinal}"
        if name not in self._devices:
            self._devices[name] = platform.open(ordinal)
        return self._devices[name]

    def _choose(self, use: OpUse, device: str, label: str) -> tuple[DeviceType, int, Kernel]:
        """Return the device on which an op runs (its type and number), and the kernel that runs.

        On a plugged device, kernels of its own type come first, then those for any device; what has neither runs in the
        host's memory, unless the user has named the device. There the core itself computes what no plugin does.
        """
        anywhere = (self._backend.any_type,) if self._backend.any_type else ()
        if device:
            places = [self._place(device)]
        else:
            plugged = [each for each in self._types.all() if each.owner and self._count(each)]
            places = [(each, 0) for each in (*plugged, self._types.find(self._backend.host_type))]
        for place, ordinal in places:
            types = (place.kernel_type, *anywhere)
            kernel = self._kernels.find(use.op.name, types, use.attributes, label)
            if kernel is not None:
                return place, ordinal, kernel
        host, number = places[-1]
        if host.name == self._backend.host_type and not label and self._backend.compute_on_host(use) is not None:
            return host, number, OWN_KERNEL
        every = [place.kernel_type for place, _ in places]
        raise self._kernels.missing(use.op.name, [*every, *anywhere], use.attributes)


def _agrees(shape: tuple[int, ...], inferred: Shape) -> bool:
    """True if a shape agrees with an inferred one, as far as that is known."""
    return inferred is None or (
        len(shape) == len(inferred)
        and all(known in (-1, length) for length, known in zip(shape, inferred, strict=True))
    )


def _spell(shape: Shape) -> str:
    return "any" if shape is None else f"[{', '.join('?' if each < 0 else str(each) for each in shape)}]"


_LINE = re.compile(
    r"(?P<names>\w+(?:\s*,\s*\w+)*)\s*=\s*(?P<op>[\w>]+)\s*\((?P<arguments>.*)\)\s*(?:on\s+(?P<device>\S+))?"
)
_TOLERANCE = {"float64": 1e-9, "complex128": 1e-9, "float16": 1e-2, "bfloat16": 5e-2}
_USUAL_TOLERANCE = 1e-4
"""The largest difference, relative to the largest element, of results that are summed up in different orders."""


class GraphOp(msgspec.Struct, frozen=True, kw_only=True):
    """An op of a graph."""

    names: tuple[str, ...]
    """The names of its outputs."""
    op: str
    inputs: tuple[str, ...]
    """Names of other outputs, or arrays as `parse_array` reads them."""
    attributes: tuple[tuple[str, str], ...]
    device: str = ""
    place: Span | None = None


def parse_graph(text: str, file: str) -> tuple[GraphOp, ...]:
    """Read a graph: a line for each op, `h = MatMul(x, w, transpose_b=true) on XPU:0`; `#` begins a comment.

    Raises:
        AbigenError: a line cannot be read.
    """
    nodes = []
    for number, line in enumerate(text.splitlines(), 1):
        content = line.partition("#")[0].strip()
        if not content:
            continue
        found = _LINE.fullmatch(content)
        place = Span(file, number, 1)
        if found is None:
            raise AbigenError.at(
                place, f"`{content}` is not an op", "write one like `y = MatMul(x, w, transpose_b=true)`"
            )
        arguments = [each.strip() for each in _split(found["arguments"])]
        settings = [re.fullmatch(r"([A-Za-z]\w*)\s*=\s*(.*)", each) for each in arguments]
        nodes.append(
            GraphOp(
                names=tuple(each.strip() for each in found["names"].split(",")),
                op=found["op"],
                inputs=tuple(each for each, setting in zip(arguments, settings, strict=True) if setting is None),
                attributes=tuple((each[1], each[2]) for each in settings if each is not None),
                device=found["device"] or "",
                place=place,
            )
        )
    if not nodes:
        raise AbigenError.at(None, f"{file} has no op")
    return tuple(nodes)


def run_node(core: Core, node: GraphOp, known: Mapping[str, Tensor], *, device: str, label: str, timed: bool) -> Result:
    """Run one op.

    Args:
        core: with its plugins.
        node: the op.
        known: arrays by their names.
        device: the device to run it on, unless the node names one.
        label: of the kernel, where it has one.
        timed: true if the device should measure the time of the kernel.

    Raises:
        AbigenError: as `Core.run`, or a name is not known.
    """
    try:
        definition = core.op(node.op)
        attributes = {name: parse_attribute(definition.attribute(name), text) for name, text in node.attributes}
        inputs = [_array(each, known) for each in node.inputs]
        return core.run(node.op, inputs, attributes, device=node.device or device, label=label, timed=timed)
    except AbigenError as error:
        if node.place is None:
            raise
        raise type(error)([replace(each, place=node.place) for each in error.diagnostics]) from error


def difference(core: Core, result: Result) -> str | None:
    """Return the difference to the core's own results, in words: empty for none; None if the core computes no such op.

    Args:
        core: the core that computes.
        result: of a plugin's kernel.
    """
    try:
        own = None if result.kernel is OWN_KERNEL else core.compute_on_host(result.use)
    except AbigenError as error:
        return f"the kernel accepted an attribute that the core refuses: {error.diagnostics[0].message}"
    if own is None:
        return None
    pairs = zip(result.use.output_names, result.outputs, own, strict=True)
    return "; ".join(filter(None, (_different(name, found, wanted) for name, found, wanted in pairs)))


def _different(name: str, found: Tensor, wanted: Tensor) -> str:
    """Return the difference of two arrays, in words; empty if they differ by no more than rounding."""
    import numpy

    if found.type != wanted.type or found.shape != wanted.shape:
        return f"{name} is {found} instead of {wanted}"
    one, other = found.numpy().ravel(), wanted.numpy().ravel()
    if found.type in ("bool",) or "int" in found.type:
        apart = one != other
    else:
        kept = numpy.isfinite(other)
        largest = numpy.abs(other[kept]).max(initial=0)
        limit = _TOLERANCE.get(found.type, _USUAL_TOLERANCE) * (largest + 1e-30)
        with numpy.errstate(all="ignore"):
            apart = ~((numpy.abs(one - other) <= limit) | (one == other) | (numpy.isnan(one) & numpy.isnan(other)))
    places = numpy.flatnonzero(apart)
    if not len(places):
        return ""
    at = [int(each) for each in numpy.unravel_index(places[0], found.shape)]
    return f"{name}{at} is {one[places[0]]} instead of {other[places[0]]}, {len(places)} of {one.size} elements differ"


def _split(text: str) -> list[str]:
    """Split a text at commas that are not in brackets."""
    parts, depth = [""], 0
    for each in text:
        depth += (each in "[(") - (each in "])")
        if each == "," and not depth:
            parts.append("")
        else:
            parts[-1] += each
    return parts if text.strip() else []


def _array(text: str, known: Mapping[str, Tensor]) -> Tensor:
    """Return an array by its name, or from a literal."""
    if text in known:
        return known[text]
    if re.fullmatch(r"[A-Za-z_]\w*", text):
        hint = did_you_mean(text, known, f"there are {', '.join(known) or 'none so far'}")
        raise AbigenError.at(None, f"there is no array {text}", hint)
    return parse_array(text)
