"""Run an op with a plugin's kernel on the plugin's device, or list what plugins offer."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from abigen.cli import terminal
from abigen.cli.options import Bounded, bounding_options
from abigen.cli.specs import FOLDER, spec_dir_option
from abigen.model.printable import printable, printable_lines
from abigen.model.span import AbigenError

if TYPE_CHECKING:
    from abigen.host.core import Core, Result
    from abigen.host.ops import OpArgument

_EXAMPLES = """\b
abigen plays the core: it loads PLUGIN and calls it. Run it only on libraries
that you would run anyway, others with --sandbox.

\b
An array is the path of a .npy file, or numbers like [[1, 2], [3, 4]], with a
type before them when the narrowest is not meant: float32:[1, 2]; a shape
repeats one number: float32[2,3]:0.5.

\b
Examples:
  abigen run plugin.so
  abigen run plugin.so --op AddV2 --input [1.5,2] --input [3,4.0]
  abigen run plugin.so --op MatMul --input a.npy --input b.npy \\
      --attr transpose_b=true --device XPU:1 --save product.npy
  abigen run NPU=one.so two.so --op Relu --input [-1.0,1] --device NPU

\b
Exit codes: 0 fine; 1 the plugin has failed; 2 the question could not be
answered.
"""


@click.command(epilog=_EXAMPLES)
@click.argument("plugins", metavar="[NAME=]PLUGIN...", nargs=-1)
@click.option("--plugin-dir", "plugin_dirs", multiple=True, type=click.Path(path_type=Path), metavar="DIR",
              help="Load all plugins below DIR; repeatable.")  # fmt: skip
@click.option("--installed", is_flag=True, help="Load the plugins that are installed among Python's packages.")
@click.option("--op", metavar="NAME", help="The op to run; without it, what the plugins offer is listed.")
@click.option("--input", "inputs", multiple=True, metavar="ARRAY", help="An input, in the order of the op; repeatable.")
@click.option("--attr", "attributes", multiple=True, metavar="NAME=VALUE", help="An attribute of the op; repeatable.")
@click.option("--device", default="", metavar="TYPE[:NUMBER]", help="Where to run it.  [default: where a kernel is]")
@click.option("--label", default="", help="Label of the kernel, where it has one.")
@click.option("--time", "timed", is_flag=True, help="Tell how long the kernel takes, by the device's own timer.")
@click.option("--save", "files", multiple=True, type=click.Path(path_type=Path), metavar="FILE.npy",
              help="Write an output to a file, in the order of the op; repeatable.")  # fmt: skip
@click.option("--timeout", type=click.FloatRange(min=0.1), default=60.0, show_default=True, metavar="SECONDS",
              help="How long the plugin may take for everything.")  # fmt: skip
@bounding_options
@click.option("--format", "format_name", type=click.Choice(("text", "json")), default="text", show_default=True,
              help="How to write the result to stdout.")  # fmt: skip
@click.option("--api", "group", default="", metavar="GROUP",
              help="Which core to be: a folder of specs.  [default: the only one that there is]")  # fmt: skip
@click.option("--release", default="", metavar="VERSION", help="Be a core of this release.  [default: the current one]")
@spec_dir_option
@click.option("--templates", "template_dir", type=FOLDER, metavar="DIR",
              help="Templates and code in place of abigen's own, file by file; the code is run.")  # fmt: skip
def command(
    plugins: tuple[str, ...],
    plugin_dirs: tuple[Path, ...],
    installed: bool,
    op: str | None,
    inputs: tuple[str, ...],
    attributes: tuple[str, ...],
    device: str,
    label: str,
    timed: bool,
    files: tuple[Path, ...],
    format_name: str,
    group: str,
    release: str,
    spec_dir: Path | None,
    template_dir: Path | None,
    bounded: Bounded,
) -> int:
    """Run an op with a plugin's kernel on the plugin's device, or list what plugins offer."""
    from abigen.host.arrays import Tensor, write_npy
    from abigen.host.core import Core
    from abigen.host.process import run_apart
    from abigen.reference import prepare, start_backend

    if not plugins and not plugin_dirs and not installed:
        raise click.UsageError("Missing argument 'PLUGIN...', or --plugin-dir, or --installed.")
    template_dirs = (template_dir,) if template_dir else ()
    folder = prepare(group, release=release, spec_dir=spec_dir, template_dirs=template_dirs)
    arrays = [Path(each) for each in inputs if each.endswith(".npy")]
    bounds = bounded([Path(_named(each)[-1]) for each in plugins], [folder, *plugin_dirs, *arrays])

    def work() -> _Answer:
        """What runs in the plugin's process, which may write no file; it tells what is to be written."""
        with Core(start_backend(folder)) as core:
            _load(core, plugins, plugin_dirs, installed=installed)
            if op is None:
                return _Answer(0, _listing(core))
            result = _run(core, op, inputs, attributes, device, label, timed=timed)
        _remark(result.remarks)
        if len(files) > len(result.outputs):
            raise AbigenError.at(None, f"{op} has {len(result.outputs)} outputs, not {len(files)}")
        text = _json(result) if format_name == "json" else printable_lines(_text(result))
        saved = [(each.type, each.shape, b64encode(each.data).decode()) for each in result.outputs[: len(files)]]
        return _Answer(0, text, saved)

    def answer() -> _Answer:
        found: list[_Answer] = []

        def worked() -> int:
            found.append(work())
            return 0

        code = terminal.guarded(worked)
        return found[0] if found else _Answer(code)

    code, text, saved = run_apart(answer, bounds, terminal.tell)
    for file, (type, shape, data) in zip(files, saved, strict=False):
        write_npy(file, Tensor(type, tuple(shape), b64decode(data)))
    terminal.write(text)
    return code


class _Answer(NamedTuple):
    """What the plugin's process tells abigen."""

    code: int
    text: str = ""
    saved: Sequence[tuple[str, Sequence[int], str]] = ()
    """Element type, shape, and content in Base64 of each output that is to be saved."""


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
    """The path of a plugin, and before it the name that its devices get where the user gives one."""
    name, equals, path = plugin.partition("=")
    return (name, path) if equals and not Path(plugin).exists() else (plugin,)


def _remark(remarks: Sequence[str]) -> None:
    terminal.tell("".join(f"abigen: warning: {printable(remark)}\n" for remark in remarks))


def _run(
    core: Core, op: str, inputs: Sequence[str], attributes: Sequence[str], device: str, label: str, *, timed: bool
) -> Result:
    """Run an op as the command line says."""
    from abigen.host.arrays import parse_array
    from abigen.host.ops import parse_attribute

    definition = core.op(op)
    arrays = [parse_array(each) for each in inputs]
    given = {}
    for each in attributes:
        name, equals, value = each.partition("=")
        if not equals:
            raise AbigenError.at(None, f"--attr {each}: there is no value", "write NAME=VALUE")
        given[name] = parse_attribute(definition.attribute(name), value)
    return core.run(op, arrays, given, device=device, label=label, timed=timed)


def _text(result: Result) -> str:
    """A result for people: where it ran, then a line for each output."""
    took = f", {result.nanoseconds / 1000:.3f} µs" if result.nanoseconds is not None else ""
    lines = [f"{result.use.op.name} on {result.device}, kernel {result.kernel}{took}"]
    for name, output in zip(result.use.output_names, result.outputs, strict=True):
        lines.append(f"{name}: {output} {json.dumps(output.tolist(), default=str)}")
    return "\n".join(lines) + "\n"


def _json(result: Result) -> str:
    """A result for programs."""
    outputs = [
        {"name": name, "type": output.type, "shape": output.shape, "values": output.tolist()}
        for name, output in zip(result.use.output_names, result.outputs, strict=True)
    ]
    found = {"op": result.use.op.name, "device": result.device, "kernel": result.kernel.name, "outputs": outputs}
    timed = {} if result.nanoseconds is None else {"nanoseconds": result.nanoseconds}
    return json.dumps(found | timed, indent=2, default=str) + "\n"


def _listing(core: Core) -> str:
    """What the plugins offer: devices, kernels, and ops of their own (`Scale(x: float32) -> y: float32; factor`)."""
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
