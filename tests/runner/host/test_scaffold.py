"""Scaffolded plugins, whose devices are threads, on the reference core."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy
import pytest

from abigen.model.span import AbigenError
from abigen.runner.apis.tensorflow.host.core import Core, difference, parse_graph, run_node
from abigen.runner.apis.tensorflow.host.ops import Tensor, from_nested
from tests.generator.new.projects import LANGUAGES, TENSORFLOW, compiled, new

from .conftest import Start

OTHERS = [pytest.param(each, marks=pytest.mark.slow) for each in LANGUAGES if each != "c"]


@pytest.fixture(scope="module", params=["c", *OTHERS])
def plugin(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A plugin with all that there is."""
    folder = tmp_path_factory.mktemp("scaffold") / request.param
    project = new(folder / "xpu", "XPU", TENSORFLOW, "--with", "kernels,ops", language=request.param)
    library = folder / "libxpu_plugin.so"
    assert compiled(project, "gcc", library) == ""
    return library


@pytest.fixture
def core(start: Start, plugin: Path) -> Iterator[Core]:
    """A core with that plugin; in the end nothing is left over."""
    with start() as started:
        loaded = started.load_plugin(plugin)
        assert loaded.remarks == ()
        yield started


def run(core: Core, op: str, *inputs: object, **attributes: object) -> object:
    result = core.run(op, inputs, attributes)
    assert result.device == "XPU:0"
    assert result.remarks == ()
    return result.outputs[0].tolist()


@pytest.mark.ci
def test_its_kernels_compute(core: Core) -> None:
    matrix = [[1.5, 2.0], [3.0, 4.0]]
    assert run(core, "AddV2", matrix, matrix) == [[3.0, 4.0], [6.0, 8.0]]
    assert run(core, "AddV2", matrix, [1.0, -1.0]) == [[2.5, 1.0], [4.0, 3.0]]
    assert run(core, "MatMul", matrix, [[2.0], [4.0]]) == [[11.0], [22.0]]
    assert run(core, "MatMul", matrix, [[2.0, 4.0]], transpose_b=True) == [[11.0], [22.0]]
    assert run(core, "Sum", matrix, [0]) == [4.5, 6.0]
    assert run(core, "Sum", matrix, [0, 1]) == 10.5
    assert run(core, "Sum", matrix, [1], keep_dims=True) == [[3.5], [7.0]]
    assert run(core, "XpuReciprocal", [0.5, 4.0]) == [2.0, 0.25]


def test_its_kernels_fail_with_a_reason(core: Core) -> None:
    with pytest.raises(AbigenError, match="XpuReciprocal: element 1 is zero"):
        run(core, "XpuReciprocal", [1.0, 0.0])
    with pytest.raises(AbigenError, match="kernel XpuMatMul on XPU:0 failed: TF_INVALID_ARGUMENT"):
        run(core, "MatMul", [[1.0, 2.0]], [[1.0, 2.0]])
    assert run(core, "XpuReciprocal", [0.5]) == [2.0]


def test_a_perceptron_of_two_layers_gives_what_numpy_gives(core: Core) -> None:
    random = numpy.random.default_rng(1)
    x, w1, b1, w2, b2 = (random.normal(size=shape).astype("float32") for shape in ((8, 5), (5, 7), 7, (7, 3), 3))
    graph = "h = MatMul(x, w1)\ng = AddV2(h, b1)\nr = Relu(g)\no = MatMul(r, w2)\ny = AddV2(o, b2)\n"
    known = {
        name: Tensor.of(each) for name, each in zip(("x", "w1", "b1", "w2", "b2"), (x, w1, b1, w2, b2), strict=True)
    }
    places = []
    for node in parse_graph(graph, "graph"):
        result = run_node(core, node, known, device="", label="", timed=False)
        known[node.names[0]] = result.outputs[0]
        places.append(result.device)
        assert difference(core, result) in ("", None)
    assert places == ["XPU:0", "XPU:0", "CPU:0", "XPU:0", "XPU:0"]
    assert numpy.allclose(known["y"].numpy(), numpy.maximum(x @ w1 + b1, 0) @ w2 + b2, rtol=1e-5, atol=1e-5)


@pytest.mark.ci
def test_many_large_arrays_in_a_row(core: Core) -> None:
    ones = Tensor("float32", (300, 300), from_nested(1.0, "float32").data * 90_000)
    for _ in range(10):
        result = core.run("MatMul", [ones, ones], timed=True)
        assert set(result.outputs[0].elements()) == {300.0}
        assert result.nanoseconds is not None
        assert result.nanoseconds > 0
