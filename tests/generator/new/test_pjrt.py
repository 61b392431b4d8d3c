"""Plugins for PJRT: built without a warning, verified, with faults planted, and run in the real JAX."""

from __future__ import annotations

import json
import os
import subprocess
import venv
from pathlib import Path

import pytest

from tests.generator.new.projects import DEBUG, abigen, new
from tests.generator.new.test_jax import made, run
from tests.generator.new.test_rust import core_of
from tests.sampling import short_form

API = "xla/pjrt"
PAIRS = (("gcc", "c"), ("gcc", "cpp"), ("clang", "cpp"), ("clang", "c"), ("cargo", "rust"))
COMPILER_OF = {"c": "gcc", "cpp": "gcc", "rust": "cargo"}
FIRST = short_form(COMPILER_OF, 3)
"""Languages, of which the usual run tries one."""
TABLES = {
    "c": ("plugin.c", "object->{} ="),
    "cpp": ("plugin.hpp", "static PJRT_Error* {}("),
    "rust": ("plugin.rs", "(*object).{} = Some("),
}
"""By language, the file of generated/ that says what goes into the table, and how it does."""
_SERIALIZE = '"Toy: PJRT_Executable_Serialize is not implemented"'
UNWRITTEN = {
    "c": f"return toy_error(PJRT_Error_Code_UNIMPLEMENTED, {_SERIALIZE});",
    "cpp": f"throw Failure(PJRT_Error_Code_UNIMPLEMENTED, {_SERIALIZE});",
    "rust": 'unimplemented("PJRT_Executable_Serialize")',
}
SAID = """\
ToyDevice(id=0) ToyDevice(id=1)
device_put, numpy.asarray and copies between devices: 15 types
refused: Array has been deleted with shape=float64[100,100].
refused: UNIMPLEMENTED: Toy: programs cannot be compiled yet
and the devices go on
"""


@pytest.mark.ci
@pytest.mark.usefixtures("without_jax")
@pytest.mark.parametrize(
    ("compiler", "language"),
    short_form(PAIRS, 5),
)
def test_a_plugin_builds_without_a_warning_and_passes_its_test(compiler: str, language: str, tmp_path: Path) -> None:
    project = new(tmp_path / "toy", "Toy", API, language=language)
    assert made(project, language, compiler).exists()


@pytest.mark.ci
@pytest.mark.usefixtures("without_jax")
@pytest.mark.parametrize("language", FIRST[:2])
def test_its_test_finds_nothing_under_sanitizers(language: str, tmp_path: Path) -> None:
    project = new(tmp_path / "toy", "Toy", API, language=language)
    assert made(project, language, "gcc", "-DTOY_SANITIZE=ON", DEBUG).exists()


@pytest.mark.ci
@pytest.mark.parametrize("language", FIRST)
def test_a_minimal_plugin_builds_without_a_warning(language: str, tmp_path: Path) -> None:
    project = new(tmp_path / "toy", "Toy", API, "--minimal", language=language)
    assert not (project / "tests").exists()
    assert made(project, language, COMPILER_OF[language], test=False).exists()


@pytest.mark.ci
@pytest.mark.parametrize("language", TABLES)
def test_no_entry_of_the_table_is_null_and_what_is_not_written_says_so(language: str, tmp_path: Path) -> None:
    header = (new(tmp_path / "c", "Toy", API) / "generated/include/xla/pjrt/c/pjrt_c_api.h").read_text()
    members = [
        line.split("(*")[1].split(")")[0] for line in header.splitlines() if line.startswith("  PJRT_Error* (*PJRT_")
    ]
    assert len(members) > 120
    project = new(tmp_path / "toy", "Toy", API, language=language)
    file, entry = TABLES[language]
    table = (project / "generated" / file).read_text()
    assert [each for each in members if entry.format(each) not in table] == []
    (unwritten,) = (project / "src").glob("callbacks.*")
    assert UNWRITTEN[language] in " ".join(unwritten.read_text().split()).replace("( ", "(")


@pytest.mark.ci
@pytest.mark.parametrize("language", FIRST)
def test_verify_finds_nothing_in_it(language: str, tmp_path: Path) -> None:
    project = new(tmp_path / "toy", "Toy", API, language=language)
    done = abigen(
        "verify", "--api", API, made(project, language, COMPILER_OF[language], test=False), "--format", "json"
    )
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
_SMALL = """\
  static PJRT_Extension_Base layouts = {sizeof(layouts), PJRT_Extension_Type_Layouts, NULL};
  table.extension_start = &layouts;
  return &table;
"""
_REFUSED = """\
  if (args->extension_start != NULL) return toy_error(PJRT_Error_Code_INVALID_ARGUMENT, "unknown");
  args->platform_name = platform;
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
    "chain-broken": ("device.c", "  return is_built ? &table : NULL;\n", _SMALL),
    "unknown-extension-refused": ("device.c", "  args->platform_name = platform;\n", _REFUSED),
}
"""The planted faults, by the check that has to find each: file of src/, text, and its replacement."""


@pytest.mark.ci
@pytest.mark.parametrize("rule", short_form(FAULTS, 11))
def test_verify_finds_a_planted_fault(rule: str, tmp_path: Path) -> None:
    project = new(tmp_path / "toy", "Toy", API)
    change(project, *FAULTS[rule])
    library = made(project, "c", "gcc", DEBUG, test=False)
    done = abigen("verify", "--api", API, library, "--only", rule, "--format", "json")
    found = {each["rule"] for each in json.loads(done.stdout)["findings"]}
    assert rule in found, found


def change(project: Path, name: str, before: str, after: str) -> None:
    """Put a text in the place of another one in a file of src/."""
    source = project / "src" / name
    text = source.read_text()
    assert before in text
    source.write_text(text.replace(before, after))


THROWN = {
    "cpp": (
        "device.cc",
        "new PJRT_Client;",
        "new PJRT_Client; if (args->client) throw 1;",
        "an exception without a text",
    ),
    "rust": (
        "device.rs",
        "(Client::new()?);",
        "(Client::new()?); assert!((*args).client.is_null());",
        "PJRT_Client_Create panicked",
    ),
}
"""The early returns by language, and the text of the error that the core receives."""


@pytest.mark.slow
@pytest.mark.parametrize("language", THROWN)
def test_what_a_function_throws_becomes_an_error(language: str, tmp_path: Path) -> None:
    project = new(tmp_path / "toy", "Toy", API, language=language)
    *place, text = THROWN[language]
    change(project, *place)
    library = made(project, language, COMPILER_OF[language], test=False)
    done = run(core_of(API, tmp_path), library)
    assert done.returncode == 1
    assert f"Client_Create: Toy: {text}\n" in done.stderr


@pytest.mark.jax
@pytest.mark.parametrize(
    ("compiler", "language"),
    [("gcc", "c"), pytest.param("clang", "cpp", marks=pytest.mark.slow), ("cargo", "rust")],
)
def test_jax_uses_its_devices(compiler: str, language: str, jax: Path, older_jax: Path, tmp_path: Path) -> None:
    project = new(tmp_path / "toy", "Toy", API, language=language)
    path = made(project, language, compiler, f"-DPython3_EXECUTABLE={jax}")
    for python in (jax, older_jax):
        done = run(python, project / "tests/in_jax.py", path)
        assert (done.returncode, done.stdout) == (0, SAID), done.stderr


@pytest.mark.jax
@pytest.mark.parametrize("language", ["c", pytest.param("rust", marks=pytest.mark.slow)])
def test_a_wheel_is_enough_for_jax_to_find_it(language: str, jax: Path, tmp_path: Path) -> None:
    project = new(tmp_path / "toy", "Toy", API, language=language)
    wheels, folder = tmp_path / "wheels", tmp_path / "installed"
    subprocess.run([jax, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", wheels, project], check=True)
    (wheel,) = wheels.glob("*.whl")
    assert wheel.name.startswith("toy_jax-0.1.0-py3-none-")
    venv.create(folder, with_pip=False)
    packages = next((folder / "lib").glob("python*/site-packages"))
    (packages / "jax.pth").write_text(str(next((jax.parent.parent / "lib").glob("python*/site-packages"))))
    install = [jax, "-m", "pip", "install", "--quiet", "--no-deps", "--target", packages, wheel]
    subprocess.run(install, check=True, env={**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1"})
    done = run(folder / "bin/python", project / "tests/in_jax.py")
    assert (done.returncode, done.stdout) == (0, SAID), done.stderr
