"""The specs of TensorFlow's C API, and of PJRT, against the headers that its wheel contains.

The wheel is downloaded once, with pip, to the directory that ABIGEN_TENSORFLOW names or to the user's cache, and its
headers are unpacked there. The test that runs TensorFlow installs it in a virtual environment in the same directory.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from tests.generator.build.building import REPOSITORY, abigen
from tests.specs.shipped.equality import abidiff, api_of, shared_object, sizes, use_everything
from tests.tools import require
from tests.versions import CONSTRAINTS

pytestmark = pytest.mark.tensorflow

_REQUIREMENT = "tensorflow-cpu==2.21.*"
_HEADERS = {
    "tensorflow/c_api_macros": "tensorflow/c/c_api_macros.h",
    "tensorflow/kernels": "tensorflow/c/kernels.h",
    "tensorflow/ops": "tensorflow/c/ops.h",
    "tensorflow/stream_executor": "tensorflow/c/experimental/stream_executor/stream_executor.h",
    "tensorflow/tf_attrtype": "tensorflow/c/tf_attrtype.h",
    "tensorflow/tf_buffer": "tensorflow/c/tf_buffer.h",
    "tensorflow/tf_datatype": "tensorflow/c/tf_datatype.h",
    "tensorflow/tf_rendezvous": "tensorflow/core/common_runtime/next_pluggable_device/c/tf_rendezvous_c_api.h",
    "tensorflow/tf_status": "tensorflow/c/tf_status.h",
    "tensorflow/tf_tensor": "tensorflow/c/tf_tensor.h",
    "tensorflow/tsl_status": "xla/tsl/c/tsl_status.h",
    "xla/pjrt": "xla/pjrt/c/pjrt_c_api.h",
    "xla/pjrt_ffi": "xla/pjrt/c/pjrt_c_api_ffi_extension.h",
    "xla/pjrt_layouts": "xla/pjrt/c/pjrt_c_api_layouts_extension.h",
    "xla/pjrt_memory_descriptions": "xla/pjrt/c/pjrt_c_api_memory_descriptions_extension.h",
    "xla/pjrt_phase_compile": "xla/pjrt/c/pjrt_c_api_phase_compile_extension.h",
    "xla/pjrt_profiler": "xla/pjrt/c/pjrt_c_api_profiler_extension.h",
    "xla/pjrt_stream": "xla/pjrt/c/pjrt_c_api_stream_extension.h",
    "xla/pjrt_tpu_topology": "xla/pjrt/c/pjrt_c_api_tpu_topology_extension.h",
    "xla/profiler": "xla/backends/profiler/plugin/profiler_c_api.h",
}
"""Spec to the header that it describes; c_api.yaml is left out, for it describes a part only."""

_NOT_PROTOTYPED = ("tensorflow/kernels", "tensorflow/ops", "tensorflow/tf_tensor", "xla/pjrt_ffi")
"""Headers with `f()`, which in C before C23 is another type than `f(void)`, and in C++ the same."""


def _spec(name: str) -> Path:
    return REPOSITORY / "spec" / f"{name}.yaml"


def _include(name: str) -> Path:
    """Return the folders of the headers that are built from a spec and its neighbours."""
    return REPOSITORY / "generated" / name.partition("/")[0] / "c"


@pytest.fixture(scope="session")
def cache() -> Path:
    """A directory that holds the wheel."""
    cache = Path(os.environ.get("ABIGEN_TENSORFLOW") or Path.home() / ".cache" / "abigen-tests" / "tensorflow")
    if not list(cache.glob("*.whl")):
        options = ("--no-deps", "--only-binary", ":all:", "--quiet", "--dest", str(cache))
        subprocess.run([sys.executable, "-m", "pip", "download", *options, _REQUIREMENT], check=True)
    return cache


@pytest.fixture(scope="session")
def wheel(cache: Path) -> Path:
    """The include directory of TensorFlow's wheel; ops.h is made C by the typedefs that it lacks."""
    include = cache / "headers" / "tensorflow" / "include"
    if not all((include / each).exists() for each in _HEADERS.values()):
        with zipfile.ZipFile(next(cache.glob("*.whl"))) as archive:
            names = [name for name in archive.namelist() if name.endswith(".h") and "/include/" in name]
            archive.extractall(
                cache / "headers", [name for name in names if re.search(r"/c/|/platform/|_c_api\.h", name)]
            )
    ops = include / _HEADERS["tensorflow/ops"]
    ops.write_text(re.sub(r"^struct (\w+);", r"typedef struct \1 \1;", ops.read_text(), flags=re.MULTILINE))
    return include


@pytest.fixture(scope="session")
def tensorflow(cache: Path) -> Path:
    """A Python that has TensorFlow."""
    python = cache / "environment" / "bin" / "python"
    if not python.exists():
        venv.create(python.parent.parent, with_pip=True)
        wheel = next(cache.glob("*.whl"))
        subprocess.run([python, "-m", "pip", "install", "--quiet", "-c", CONSTRAINTS, wheel], check=True)
    return python


@pytest.mark.parametrize("spec", [each for each in _HEADERS if "xla/pjrt" not in each])  # typedefs are written out here
@pytest.mark.parametrize("compiler", ["gcc", "g++"])
def test_libabigail_sees_no_difference_in_any_type(wheel: Path, tmp_path: Path, spec: str, compiler: str) -> None:
    if compiler == "gcc" and spec in _NOT_PROTOTYPED:
        pytest.skip("the original's functions are not prototyped in C")
    text = use_everything(api_of(_spec(spec)), _HEADERS[spec])
    old = shared_object(text, wheel, tmp_path / "old.so", compiler)
    new = shared_object(text, _include(spec), tmp_path / "new.so", compiler)
    assert abidiff(old, new) == ""


@pytest.mark.parametrize(
    "spec",
    [
        *("tensorflow/stream_executor", "tensorflow/tf_tensor", "tensorflow/kernels"),
        *(each for each in _HEADERS if each.startswith("xla/")),
    ],
)
def test_all_sizes_agree(wheel: Path, tmp_path: Path, spec: str) -> None:
    api = api_of(_spec(spec))
    new = sizes(api, _HEADERS[spec], _include(spec), tmp_path)
    assert new and sizes(api, _HEADERS[spec], wheel, tmp_path) == new


@pytest.mark.parametrize("spec", _HEADERS)
@pytest.mark.parametrize("form", ["header", "spec"])
def test_abigen_diff_sees_no_difference_but_in_words(wheel: Path, spec: str, form: str) -> None:
    new = _include(spec) / _HEADERS[spec] if form == "header" else _spec(spec)
    run = abigen("diff", wheel / _HEADERS[spec], new, f"-I{wheel}", "--format", "json")
    report = json.loads(run.stdout)
    # TensorFlow's header leaves unsaid which members are required and what plugins export; NEW says it in words.
    # Which prefix is an API's own follows from all that a file declares, and these declare less than the wheel's.
    # The wheel's header includes what it does not use. Extensions of PJRT have arguments without extension_start.
    words = {
        "deprecated-meaningful-zero",
        "requirement-loosened",
        "zero-meaning-changed",
        "field-repurposed",
        "requirement-tightened",
        "bump-missing",
        "owner-prefix",
        "implementer-changed",
        "include-removed",
        "ext-missing",
    }
    assert [each for each in report["findings"] if each["rule"] not in words] == []
    axes = [each["axes"] for each in report["findings"] if each["rule"] not in ("bump-missing", "include-removed")]
    assert all((each["old_plugin"], each["new_plugin"], each["source"]) == ("ok", "ok", "ok") for each in axes)


def test_a_plugin_written_against_the_generated_headers_runs_in_tensorflow(tensorflow: Path, tmp_path: Path) -> None:
    here = Path(__file__).parent
    plugin = tmp_path / "plugin.so"
    options = (
        "-std=c11",
        "-Wall",
        "-Wextra",
        "-Wpedantic",
        "-Werror",
        "-shared",
        "-fPIC",
        f"-I{_include('tensorflow/kernels')}",
    )
    subprocess.run([*require("gcc"), *options, here / "plugin.c", "-o", plugin], check=True)
    done = subprocess.run(
        [tensorflow, here / "run_plugin.py", plugin], capture_output=True, text=True, check=False, timeout=300
    )
    assert done.stdout == "/physical_device:XPU:0\nXPU:0 [11.0, 22.0]\n", done.stderr
