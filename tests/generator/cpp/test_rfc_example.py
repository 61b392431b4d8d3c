"""The op and the kernel that TensorFlow's RFC on kernel and op registration registers, in C++, run in a core."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from abigen.model.span import AbigenError
from abigen.runner.apis.tensorflow.host.core import Core
from abigen.runner.reference import prepare, start_backend
from tests.generator.cpp.building import HERE, WARNINGS, compiled, shipped


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Core]:
    tensorflow = shipped("tensorflow")
    library = tmp_path_factory.mktemp("bitcast") / "bitcast.so"
    options = ("-std=c++17", *WARNINGS, *tensorflow.include, "-shared", "-fPIC")
    assert compiled("g++", *options, HERE / "bitcast.cc", "-o", library) == ""
    with Core(start_backend(prepare("tensorflow")), ("CPU",)) as started:
        started.load_plugin(library)
        yield started


@pytest.mark.ci
def test_the_kernel_computes_what_the_op_infers(core: Core) -> None:
    result = core.run("Bitcast", [[1.0, -2.0]], {"type": "int32"})
    assert result.outputs[0].tolist() == [0x3F800000, -0x40000000]
    assert core.infer_shapes("Bitcast", [[[1.0, 2.0]]], {"type": "int32"}) == ((1, 2),)


def test_what_the_kernel_returns_and_throws_is_how_the_op_fails(core: Core) -> None:
    with pytest.raises(AbigenError, match="failed: TF_INVALID_ARGUMENT: elements of 4 bytes"):
        core.run("Bitcast", [[1.0]], {"type": "int64"})
    with pytest.raises(AbigenError, match="could not be created: TF_INVALID_ARGUMENT: nothing is bitcast to strings"):
        core.run("Bitcast", [[1.0]], {"type": "string"})
