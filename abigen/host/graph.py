"""Several ops after each other: how users write them down, and how what they give differs from the core's own."""

from __future__ import annotations

import re
from collections.abc import Mapping

import msgspec
from msgspec.structs import replace

from abigen.host.arrays import Tensor, parse_array
from abigen.host.core import OWN_KERNEL, Core, Result
from abigen.host.ops import parse_attribute
from abigen.model.span import AbigenError, Span, did_you_mean

_LINE = re.compile(
    r"(?P<names>\w+(?:\s*,\s*\w+)*)\s*=\s*(?P<op>[\w>]+)\s*\((?P<arguments>.*)\)\s*(?:on\s+(?P<device>\S+))?"
)
_TOLERANCE = {"float64": 1e-9, "complex128": 1e-9, "float16": 1e-2, "bfloat16": 5e-2}
_USUAL_TOLERANCE = 1e-4
"""How far, of the largest element, results may be apart that were added up in another order."""


class GraphOp(msgspec.Struct, frozen=True, kw_only=True):
    """One op of a graph."""

    names: tuple[str, ...]
    """What its outputs are called."""
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
            raise AbigenError.at(place, f"`{content}` is no op", "write one like `y = MatMul(x, w, transpose_b=true)`")
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
        node: which op.
        known: arrays by their names.
        device: where, unless the node says so itself.
        label: of the kernel, where it has one.
        timed: whether the device is to measure how long the kernel takes.

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
    """What is different from what the core itself computes, in words; empty for nothing, None where it does not know.

    Args:
        core: which computes.
        result: of a plugin's kernel.
    """
    try:
        own = None if result.kernel is OWN_KERNEL else core.compute_on_host(result.use)
    except AbigenError as error:
        return f"the kernel has taken what the core refuses: {error.diagnostics[0].message}"
    if own is None:
        return None
    pairs = zip(result.use.output_names, result.outputs, own, strict=True)
    return "; ".join(filter(None, (_different(name, found, wanted) for name, found, wanted in pairs)))


def _different(name: str, found: Tensor, wanted: Tensor) -> str:
    """How two arrays differ, in words; empty when they do not but for rounding."""
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
    """What stands between commas that are not in brackets."""
    parts, depth = [""], 0
    for each in text:
        depth += (each in "[(") - (each in "])")
        if each == "," and not depth:
            parts.append("")
        else:
            parts[-1] += each
    return parts if text.strip() else []


def _array(text: str, known: Mapping[str, Tensor]) -> Tensor:
    """An array by its name, or written down."""
    if text in known:
        return known[text]
    if re.fullmatch(r"[A-Za-z_]\w*", text):
        hint = did_you_mean(text, known, f"there are {', '.join(known) or 'none so far'}")
        raise AbigenError.at(None, f"there is no array {text}", hint)
    return parse_array(text)
