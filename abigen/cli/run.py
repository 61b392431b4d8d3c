"""Run an op or a graph with plugins' kernels on their devices, or list what plugins offer."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Callable, Sequence
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from abigen.cli import terminal
from abigen.cli.options import FOLDER, Bounded, bounding_options, spec_dir_option
from abigen.model.span import AbigenError, printable, printable_lines
from abigen.workspace.files import Files

if TYPE_CHECKING:
    from abigen.runner.apis.tensorflow.host.core import Core, GraphOp, Result
    from abigen.runner.apis.tensorflow.host.ops import OpArgument

_EXAMPLES = """\b
abigen plays the core: it loads PLUGIN and calls its functions. If you do not
trust the library, use --sandbox.

\b
An array is the path of a .npy file, or numbers like [[1, 2], [3, 4]]. Without a
type abigen chooses the narrowest one; float32:[1, 2] names the type. With a
shape, one number fills the array: float32[2,3]:0.5.

\b
A graph is a file with a line for each op. Names are arrays of --input, or
outputs of the lines before:
  h = MatMul(x, w, transpose_b=true)
  y = Relu(h) on XPU:0

\b
If no plugin has a kernel for an op, abigen computes the op itself, if it can.

\b
Examples:
  abigen run plugin.so
  abigen run plugin.so --op AddV2 --input [1.5,2] --input [3,4.0]
  abigen run plugin.so --op MatMul --input a.npy --input b.npy \\
      --attr transpose_b=true --device XPU:1 --save product.npy
  abigen run NPU=one.so two.so --op Relu --input [-1.0,1] --device NPU
  abigen run plugin.so --graph layer.txt --input x=[[1.5,2]] --input w=w.npy \\
      --compare

\b
Exit codes: 0 fine; 1 the plugin failed, or --compare found a difference; 2 the question could not be answered.
"""


@click.command(epilog=_EXAMPLES)
@click.argument("plugins", metavar="[NAME=]PLUGIN...", nargs=-1)
@click.option("--plugin-dir", "plugin_dirs", multiple=True, type=click.Path(path_type=Path), metavar="DIR",
              help="Load all plugins below DIR; repeatable.")  # fmt: skip
@click.option("--installed", is_flag=True, help="Load the plugins that are installed as Python packages.")
@click.option("--op", metavar="NAME", help="The op to run. Without it, abigen lists what the plugins offer.")
@click.option(
    "--graph", type=click.Path(path_type=Path), metavar="FILE", help="A file with the ops to run, one in each line."
)
@click.option("--input", "inputs", multiple=True, metavar="[NAME=]ARRAY",
              help="An input, in the order of the op, or by its name in the graph; repeatable.")  # fmt: skip
@click.option("--attr", "attributes", multiple=True, metavar="NAME=VALUE", help="An attribute of the op; repeatable.")
@click.option(
    "--device", default="", metavar="TYPE[:NUMBER]", help="The device to run on.  [default: one that has a kernel]"
)
@click.option("--label", default="", help="The label of the kernel, if it has one.")
@click.option(
    "--compare", is_flag=True, help="Compare the results of the plugin with those that abigen computes itself."
)
@click.option("--time", "timed", is_flag=True, help="Print how long the kernel takes, by the device's own timer.")
@click.option("--save", "files", multiple=True, type=click.Path(path_type=Path), metavar="FILE.npy",
              help="Write an output to a file, in the order of the op; repeatable.")  # fmt: skip
@click.option("--timeout", type=click.FloatRange(min=0.1), default=60.0, show_default=True, metavar="SECONDS",
              help="How long the plugin may take for everything.")  # fmt: skip
@bounding_options
@click.option("--format", "format_name", type=click.Choice(("text", "json")), default="text", show_default=True,
              help="How to write the result to stdout.")  # fmt: skip
@click.option("--api", "group", default="", metavar="GROUP",
              help="The core to play, by its folder of specs.  [default: the only one that there is]")  # fmt: skip
@click.option(
    "--release", default="", metavar="VERSION", help="The release of the core to play.  [default: the current one]"
)
@spec_dir_option
@click.option("--templates", "template_dir", type=FOLDER, metavar="DIR",
              help="Use templates and code in DIR in place of abigen's own; abigen runs this code.")  # fmt: skip
def command(
    plugins: tuple[str, ...],
    plugin_dirs: tuple[Path, ...],
    installed: bool,
    op: str | None,
    graph: Path | None,
    inputs: tuple[str, ...],
    attributes: tuple[str, ...],
    device: str,
    label: str,
    compare: bool,
    timed: bool,
    files: tuple[Path, ...],
    format_name: str,
    group: str,
    release: str,
    spec_dir: Path | None,
    template_dir: Path | None,
    bounded: Bounded,
) -> int:
    """Run an op or a graph with plugins' kernels on their devices, or list what plugins offer."""
    from abigen.runner.apis.tensorflow.host.core import Core
    from abigen.runner.apis.tensorflow.host.ops import Tensor, write_npy
    from abigen.runner.reference import groups, prepare, start_backend
    from abigen.workspace.libraries import refuse_other_files
    from abigen.workspace.process import run_apart

    if not plugins and not plugin_dirs and not installed:
        raise click.UsageError("Missing argument 'PLUGIN...', or --plugin-dir, or --installed.")
    template_dirs = (template_dir,) if template_dir else ()
    if not group or group in groups(template_dirs):
        for each in plugins:
            refuse_other_files(Path(_named(each)[-1]))
    nodes = _nodes(op, graph, inputs, attributes)
    folder = prepare(group, release=release, spec_dir=spec_dir, template_dirs=template_dirs)
    arrays = [Path(each.rpartition("=")[2]) for each in inputs if each.endswith(".npy")]
    bounds = bounded([Path(_named(each)[-1]) for each in plugins], [folder, *plugin_dirs, *arrays])

    def work() -> _Answer:
        """Run in the plugin's process, which may write no file; send back the content of files to write."""
        with Core(start_backend(folder)) as core:
            _load(core, plugins, plugin_dirs, installed=installed)
            if not nodes:
                return _Answer(0, _listing(core))
            done = _run(core, nodes, inputs, device, label, timed=timed, compare=compare, named=graph is not None)
        return _answer(done, len(files), format_name)

    code, text, saved = run_apart(lambda: _guarded(work), bounds, terminal.tell)
    for file, (type, shape, data) in zip(files, saved, strict=False):
        write_npy(file, Tensor(type, tuple(shape), b64decode(data)))
    terminal.write(text)
    return code


class _Answer(NamedTuple):
    """The answer of the plugin's process to abigen."""

    code: int
    text: str = ""
    saved: Sequence[tuple[str, Sequence[int], str]] = ()
    """Element type, shape, and content in Base64 of each output that is to be saved."""


def _answer(done: Sequence[_Done], files: int, format_name: str) -> _Answer:
    """Return the answer after ops were run, with as many outputs of the last op as are to be saved."""
    _remark([remark for each in done for remark in each.result.remarks])
    result = done[-1].result
    if files > len(result.outputs):
        raise AbigenError.at(None, f"{result.use.op.name} has {len(result.outputs)} outputs, not {files}")
    text = _json(done) if format_name == "json" else printable_lines(_text(done))
    saved = [(each.type, each.shape, b64encode(each.data).decode()) for each in result.outputs[:files]]
    return _Answer(1 if any(each.different for each in done) else 0, text, saved)


def _guarded(work: Callable[[], _Answer]) -> _Answer:
    """Do something; what goes wrong is told."""
    found: list[_Answer] = []

    def worked() -> int:
        found.append(work())
        return 0

    code = terminal.guarded(worked)
    return found[0] if found else _Answer(code)


def _load(core: Core, plugins: Sequence[str], plugin_dirs: Sequence[Path], *, installed: bool) -> None:
    """Load the plugins that were asked for, and pass on what the user should know about them."""
    for each in plugins:
        core.load_plugin(*_named(each))
    if plugin_dirs:
        core.load_plugins(plugin_dirs)
    if installed:
        core.load_plugins()
    _remark([remark for plugin in core.plugins for remark in plugin.remarks])


def _named(plugin: str) -> tuple[str, ...]:
    """Return the path of a plugin, and before it the name that its devices get where the user gives one."""
    name, equals, path = plugin.partition("=")
    return (name, path) if equals and not Path(plugin).exists() else (plugin,)


def _remark(remarks: Sequence[str]) -> None:
    terminal.tell("".join(f"abigen: warning: {printable(remark)}\n" for remark in remarks))


class _Done(NamedTuple):
    """A node that has been run."""

    names: Sequence[str]
    """The names of its outputs."""
    result: Result
    is_compared: bool
    different: str | None
    """The difference from abigen's own result; empty for none, None where that is not known."""


def _nodes(op: str | None, graph: Path | None, inputs: Sequence[str], attributes: Sequence[str]) -> Sequence[GraphOp]:
    """Return the nodes to run: a graph, one op, or nothing."""
    from abigen.runner.apis.tensorflow.host.core import GraphOp, parse_graph
    from abigen.workspace.operand import read_once

    if graph is not None and (op is not None or attributes):
        raise click.UsageError("--graph takes neither --op nor --attr: it has both.")
    if graph is not None:
        try:
            is_pipe = graph.exists() and not graph.is_file() and not graph.is_dir()
            text = read_once(str(graph), Files()) if is_pipe else graph.read_bytes()
            return parse_graph(text.decode(), str(graph))
        except (OSError, UnicodeDecodeError) as error:
            raise AbigenError.at(None, f"{graph} cannot be read: {error}") from error
    if op is None:
        return ()
    pairs = [each.partition("=") for each in attributes]
    for name, equals, _ in pairs:
        if not equals:
            raise AbigenError.at(None, f"--attr {name}: the value is missing", "write NAME=VALUE")
    settings = tuple((name, value) for name, _, value in pairs)
    return (GraphOp(names=(), op=op, inputs=tuple(inputs), attributes=settings),)


def _run(
    core: Core, nodes: Sequence[GraphOp], inputs: Sequence[str], device: str, label: str, *, timed: bool, compare: bool,
    named: bool,
) -> Sequence[_Done]:  # fmt: skip
    """Run ops one after another, each with what those before it have given."""
    from abigen.runner.apis.tensorflow.host.core import difference, run_node
    from abigen.runner.apis.tensorflow.host.ops import Tensor, parse_array

    known: dict[str, Tensor] = {}
    for each in inputs if named else ():
        name, equals, text = each.partition("=")
        if not equals:
            raise AbigenError.at(None, f"--input {each}: the name is missing", "write NAME=ARRAY for a graph")
        known[name] = parse_array(text)
    done = []
    for node in nodes:
        result = run_node(core, node, known, device=device, label=label, timed=timed)
        names = node.names or result.use.output_names
        if len(names) != len(result.outputs):
            message = f"{node.op} has {len(result.outputs)} outputs, and {len(names)} names are given"
            raise AbigenError.at(node.place, message)
        known |= dict(zip(node.names, result.outputs, strict=False))
        done.append(_Done(names, result, compare, difference(core, result) if compare else None))
    return done


def _text(done: Sequence[_Done]) -> str:
    """Results for people: where each op ran and how it differs, then a line for each output of the last."""
    lines = []
    for names, result, is_compared, different in done:
        took = f", {result.nanoseconds / 1000:.3f} µs" if result.nanoseconds is not None else ""
        given = f"{', '.join(names)} = " if len(done) > 1 else ""
        kernel = f"kernel {result.kernel if result.kernel.op else result.kernel.name}"
        lines.append(f"{given}{result.use.op.name} on {result.device}, {kernel}{took}")
        if is_compared and result.kernel.op:
            same = "as abigen computes it" if different == "" else different
            lines.append(f"  {same if same is not None else 'not compared: abigen does not know how to compute it'}")
    for name, output in zip(done[-1].names, done[-1].result.outputs, strict=True):
        lines.append(f"{name}: {output} {output.spelled()}")
    return "\n".join(lines) + "\n"


def _json(done: Sequence[_Done]) -> str:
    """Results for programs."""
    nodes = []
    for names, result, is_compared, different in done:
        found: dict[str, object] = {
            "op": result.use.op.name, "device": result.device, "kernel": result.kernel.name,
            "outputs": [
                {"name": name, "type": output.type, "shape": output.shape, "values": _plain(output.tolist())}
                for name, output in zip(names, result.outputs, strict=True)
            ],
        }  # fmt: skip
        timed = {} if result.nanoseconds is None else {"nanoseconds": result.nanoseconds}
        compared = {"difference": different} if is_compared else {}
        nodes.append(found | timed | compared)
    return json.dumps(nodes[0] if len(nodes) == 1 else {"nodes": nodes}, indent=2, allow_nan=False) + "\n"


def _plain(value: object) -> object:
    """Numbers that JSON has, and texts for those that it has not."""
    if isinstance(value, list):
        return [_plain(each) for each in value]
    return str(value) if isinstance(value, complex) or (isinstance(value, float) and not isfinite(value)) else value


def _listing(core: Core) -> str:
    """Return a listing of the plugins' devices, kernels, and own ops (`Scale(x: float32) -> y: float32; factor`)."""
    lines = ["devices"]
    for name in core.devices():
        device = core.device(name)
        lines.append(f"  {name}  {device.description if device is not None else 'the core itself'}".rstrip())
    lines.append("kernels")
    for kernel in sorted(core.kernels, key=lambda each: (each.device_type, each.op)):
        lines.append(f"  {kernel.device_type}  {kernel.op}  {kernel}")
    lines.append("ops")
    for op in core.ops:
        if op.owner:
            attributes = ", ".join(each.name for each in op.attributes)
            settings = f"; {attributes}" if attributes else ""
            lines.append(f"  {op.name}({_arguments(op.inputs)}) -> {_arguments(op.outputs) or 'nothing'}{settings}")
    return "\n".join(lines) + "\n"


def _arguments(arguments: Sequence[OpArgument]) -> str:
    return ", ".join(
        f"{each.name}: {f'{each.count_attribute} * ' if each.count_attribute else ''}"
        f"{each.type or each.type_attribute or each.types_attribute}"
        for each in arguments
    )
