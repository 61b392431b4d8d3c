"""Plugins for PJRT: built without a warning, verified, with faults planted, and run in the real JAX."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import venv
from pathlib import Path

import pytest

from tests.sampling import short_form
from tests.scaffold.projects import abigen, built, new
from tests.scaffold.test_jax import run

API = "xla/pjrt"
COMPILERS = ["gcc", "clang"]
SAID = """\
ToyDevice(id=0) ToyDevice(id=1)
device_put, numpy.asarray and copies between devices: 15 types
refused: Array has been deleted with shape=float64[100,100].
refused: UNIMPLEMENTED: Toy: programs cannot be compiled yet
and the devices go on
"""


@pytest.fixture(scope="module")
def plugin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project in C."""
    return new(tmp_path_factory.mktemp("pjrt") / "toy", "Toy", API)


@pytest.mark.usefixtures("without_jax")
@pytest.mark.parametrize("compiler", COMPILERS)
def test_a_plugin_builds_without_a_warning_and_passes_its_test(compiler: str, tmp_path: Path) -> None:
    project = new(tmp_path / "toy", "Toy", API)
    assert built(project, "-DTOY_WERROR=ON", compiler=compiler).exists()


@pytest.mark.usefixtures("without_jax")
def test_its_test_finds_nothing_under_sanitizers(tmp_path: Path) -> None:
    project = new(tmp_path / "toy", "Toy", API)
    assert built(project, "-DTOY_WERROR=ON", "-DTOY_SANITIZE=ON").exists()


def test_a_minimal_plugin_builds_without_a_warning(tmp_path: Path) -> None:
    project = new(tmp_path / "toy", "Toy", API, "--minimal")
    assert not (project / "tests").exists()
    assert built(project, "-DTOY_WERROR=ON", test=False).exists()


def test_no_entry_of_the_table_is_null_and_what_is_not_written_says_so(plugin: Path) -> None:
    table = (plugin / "generated/plugin.c").read_text()
    header = (plugin / "generated/include/xla/pjrt/c/pjrt_c_api.h").read_text()
    members = [
        line.split("(*")[1].split(")")[0] for line in header.splitlines() if line.startswith("  PJRT_Error* (*PJRT_")
    ]
    assert len(members) > 120
    assert [each for each in members if f"object->{each} =" not in table] == []
    unwritten = (plugin / "src/callbacks.c").read_text()
    assert 'PJRT_Error_Code_UNIMPLEMENTED,\n      "Toy: PJRT_Executable_Serialize is not implemented"' in unwritten


@pytest.fixture(scope="module")
def library(plugin: Path) -> Path:
    """The library of that project."""
    return built(plugin, test=False)


@pytest.mark.ci
def test_verify_finds_nothing_in_it(library: Path) -> None:
    done = abigen("verify", "--api", API, library, "--format", "json")
    report = json.loads(done.stdout)
    assert report["findings"] == []
    passed = {each["rule"] for each in report["checks"] if each["result"] == "passed"}
    own = {"buffer-differs", "event-never-ends", "copy-between-devices-differs", "deletion-takes-data-in-use"}
    assert passed >= {*own, "threads-mix-buffers", "error-says-nothing", "result-unwritten", "creation-fails"}
    optional = {"PJRT_Api.PJRT_Device_PoisonExecution", "PJRT_Api.PJRT_Device_CreateAsyncTrackingEvent"}
    not_called = {each["function"] for each in report["not_called"]}
    assert {
        each for each in not_called if each.startswith(("PJRT_Api.PJRT_Device", "PJRT_Api.PJRT_Memory"))
    } == optional


_ALL = """\
static char all[64000];
    made->data = data_new(device, toy_bytes_of(shape));
    made->data->bytes = made->data->size == 64000 ? all : made->data->bytes;
"""
FAULTS = {
    "buffer-differs": ("buffer.c", "work->from_strides, args->byte_strides,", "work->from_strides, work->to_strides,"),
    "event-never-ends": ("event.c", "waiting = event->waiting;\n", "waiting = NULL;\n"),
    "copy-between-devices-differs": ("buffer.c", "work->from = data->bytes;", "work->from = data->bytes + 1;"),
    "deletion-takes-data-in-use": ("buffer.c", "  data = buffer->data;\n  buffer->data = NULL;", "  data = NULL;"),
    "threads-mix-buffers": ("buffer.c", "made->data = data_new(device, toy_bytes_of(shape));\n", _ALL),
    "error-says-nothing": ("error.c", "args->code = args->error->code;", "args->code = PJRT_Error_Code_OK;"),
    "result-unwritten": ("device.c", "  args->bytes_limit_is_set = false;\n", ""),
    "callback-hangs": ("event.c", "pthread_cond_broadcast(&event->ended);", "while (error == NULL) { (void)event; }"),
    "writes-past-end": ("device.c", "args->process_index = 0;", "args->process_index = (&args->process_index)[2] = 0;"),
}
"""What is planted, by the check that has to find it: file of src/, text, and what takes its place."""


@pytest.mark.parametrize("rule", short_form(FAULTS, 4, in_ci=True, ci_every=1))
def test_verify_finds_a_planted_fault(rule: str, plugin: Path, tmp_path: Path) -> None:
    project = tmp_path / "toy"
    shutil.copytree(plugin, project, ignore=shutil.ignore_patterns("build"))
    name, before, after = FAULTS[rule]
    source = project / "src" / name
    text = source.read_text()
    assert before in text
    source.write_text(text.replace(before, after))
    done = abigen("verify", "--api", API, built(project, test=False), "--format", "json")
    found = {each["rule"] for each in json.loads(done.stdout)["findings"]}
    assert rule in found, found


@pytest.mark.jax
@pytest.mark.parametrize("compiler", COMPILERS)
def test_jax_uses_its_devices(compiler: str, jax: Path, older_jax: Path, tmp_path: Path) -> None:
    project = new(tmp_path / "toy", "Toy", API)
    path = built(project, "-DTOY_WERROR=ON", f"-DPython3_EXECUTABLE={jax}", compiler=compiler)
    for python in (jax, older_jax):
        done = run(python, project / "tests/in_jax.py", path)
        assert (done.returncode, done.stdout) == (0, SAID), done.stderr


@pytest.mark.jax
def test_a_wheel_is_enough_for_jax_to_find_it(jax: Path, plugin: Path, tmp_path: Path) -> None:
    wheels, folder = tmp_path / "wheels", tmp_path / "installed"
    subprocess.run([jax, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", wheels, plugin], check=True)
    (wheel,) = wheels.glob("*.whl")
    assert wheel.name.startswith("toy_jax-0.1.0-py3-none-")
    venv.create(folder, with_pip=False)
    packages = next((folder / "lib").glob("python*/site-packages"))
    (packages / "jax.pth").write_text(str(next((jax.parent.parent / "lib").glob("python*/site-packages"))))
    install = [jax, "-m", "pip", "install", "--quiet", "--no-deps", "--target", packages, wheel]
    subprocess.run(install, check=True, env={**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1"})
    done = run(folder / "bin/python", plugin / "tests/in_jax.py")
    assert (done.returncode, done.stdout) == (0, SAID), done.stderr
