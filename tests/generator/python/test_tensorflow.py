"""The generated packages with TensorFlow itself: its headers, and its library as the core."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.generator.python.building import RUNTIME, SHARED, load_package, run_python
from tests.generator.python.test_layouts import _assert_layouts
from tests.specs.shipped.test_tensorflow import cache, tensorflow, wheel  # noqa: F401
from tests.tools import require, require_module
from tests.whole_build import whole_build

pytestmark = pytest.mark.tensorflow

_PACKAGES = ("stream_executor", "tf_tensor", "tf_buffer", "tf_rendezvous", "kernels")
_USE = """
from tensorflow_plugin_api import StatusError, c_api, core, ops, tf_status, tf_tensor
from tensorflow_plugin_api.tf_datatype import TF_DataType
from tensorflow_plugin_api.tsl_status import TSL_Code
from plugin_api_runtime_v1.memory import ffi
import numpy

for name in ("libtensorflow_framework.so.2", "libtensorflow_cc.so.2"):
    core.load(f"{folder}/{name}")
print(c_api.TF_Version())
with tf_status.TF_NewStatus() as status:
    tf_status.TF_SetStatus(status, TSL_Code.TSL_NOT_FOUND, "lost")
    print(repr(tf_status.TF_GetCode(status)), tf_status.TF_Message(status))
seen = []
shape = numpy.array([2, 3])
with (
    tf_tensor.TF_AllocateTensor(TF_DataType.TF_FLOAT, shape, 2, 24) as floats,
    tf_tensor.TF_AllocateTensor(TF_DataType.TF_INT32, [6], 1, 24) as ints,
):
    view = numpy.frombuffer(ffi.buffer(tf_tensor.TF_TensorData(floats), 24), numpy.float32)
    view[:] = 1
    tf_tensor.TF_TensorBitcastFrom(floats, TF_DataType.TF_INT32, ints, [3, 2], 2)
    again = numpy.frombuffer(ffi.buffer(tf_tensor.TF_TensorData(ints), 24), numpy.int32)
    print(tf_tensor.TF_Dim(ints, 0), again[0] == view[:1].view(numpy.int32)[0], repr(tf_tensor.TF_TensorType(floats)))
    try:
        tf_tensor.TF_TensorBitcastFrom(floats, TF_DataType.TF_DOUBLE, ints, [3, 2], 2)
    except StatusError as error:
        print(repr(error.code))
room = numpy.zeros(128, numpy.uint8)  # TensorFlow copies what does not stand at a multiple of 64
first = -room.ctypes.data % 64
own = room[first : first + 32].view(numpy.int64)
tensor = tf_tensor.TF_NewTensor(
    TF_DataType.TF_INT64, [4], 1, own, own.nbytes, lambda data, length, argument: seen.append(length), None
)
own[2] = 77
print(numpy.frombuffer(ffi.buffer(tf_tensor.TF_TensorData(tensor), 32), numpy.int64)[2])
tensor.close()
print(seen)
"""


@pytest.mark.parametrize("package", _PACKAGES)
def test_layouts_are_those_of_tensorflow_s_own_headers(wheel: Path, tmp_path: Path, package: str) -> None:  # noqa: F811
    python = whole_build("tensorflow") / "python"
    loaded: Any = load_package(python, f"tensorflow_plugin_api.{package}")
    shared: Any = load_package(SHARED, RUNTIME)
    assert _assert_layouts(loaded, shared, wheel, tmp_path) > 0


def test_packages_compile_against_tensorflow_s_own_headers(wheel: Path, tmp_path: Path) -> None:  # noqa: F811
    require("gcc")
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(whole_build("tensorflow") / "python", tmp_path / "python", ignore=ignored)
    shutil.copytree(SHARED / RUNTIME, tmp_path / "python" / RUNTIME, ignore=ignored)
    command = [sys.executable, "-m", "tensorflow_plugin_api.compile", "-I", str(wheel), "stream_executor", "tf_buffer"]
    done = subprocess.run(command, cwd=tmp_path / "python", capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_tensorflow_is_a_core(tensorflow: Path) -> None:  # noqa: F811
    require_module("numpy")
    (folder,) = tensorflow.parent.parent.glob("lib/python*/site-packages/tensorflow")
    done = run_python(f"folder = {str(folder)!r}\n{_USE}", whole_build("tensorflow") / "python")
    assert done.stdout.splitlines()[1:] == [
        "<TSL_Code.TSL_NOT_FOUND: 5> lost",
        "3 True <TF_DataType.TF_FLOAT: 1>",
        "<TSL_Code.TSL_INVALID_ARGUMENT: 3>",
        "77",
        "[32]",
    ], done.stderr
