"""Scaffolded plugins in the real TensorFlow: loaded by path, and installed as a wheel."""

from __future__ import annotations

import subprocess
import sys
import time
import venv
from pathlib import Path

import pytest

from tests.generator.new.projects import TENSORFLOW, built, built_in_rust, new
from tests.readme.blocks import README, read
from tests.readme.test_readme import environment

pytestmark = pytest.mark.tensorflow

LANGUAGES = ["c", "cpp"]
SAID = """\
/physical_device:XPU:0
copies: as on the CPU
AddV2: as on the CPU
AddV2, stretched: as on the CPU
MatMul: as on the CPU
Sum: as on the CPU
Sum of all: as on the CPU
MatMul refuses: XPU: 4 columns times 5 rows
XpuReciprocal: as on the CPU
refused: XpuReciprocal: element 0 is zero
"""


@pytest.fixture(scope="module", params=LANGUAGES)
def plugin(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A plugin with all that there is."""
    folder = tmp_path_factory.mktemp(request.param) / "xpu"
    return new(folder, "XPU", TENSORFLOW, "--with", "kernels,ops", language=request.param)


@pytest.fixture(scope="module")
def library(plugin: Path) -> Path:
    """Its library."""
    return built(plugin)


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library of a plugin of another type."""
    return built(new(tmp_path_factory.mktemp("other") / "npu", "NPU", TENSORFLOW, "--with", "kernels"))


def run(python: Path, *arguments: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run a script in TensorFlow."""
    return subprocess.run(
        [python, *arguments], capture_output=True, text=True, check=False, timeout=300, cwd=cwd or Path.home()
    )


def test_everything_computes_what_the_cpu_computes(python: Path, plugin: Path, library: Path) -> None:
    done = run(python, plugin / "tests" / "in_tensorflow.py", library)
    assert (done.returncode, done.stdout) == (0, SAID), done.stderr


def test_a_plugin_in_rust_computes_what_the_cpu_computes(python: Path, tmp_path: Path) -> None:
    project = new(tmp_path / "xpu", "XPU", TENSORFLOW, "--with", "kernels,ops", language="rust")
    done = run(python, project / "tests" / "in_tensorflow.py", built_in_rust(project))
    assert (done.returncode, done.stdout) == (0, SAID), done.stderr


def test_a_wheel_is_installed_where_tensorflow_looks(python: Path, plugin: Path, tmp_path: Path) -> None:
    wheels = tmp_path / "wheels"
    pip = [sys.executable, "-m", "pip"]
    subprocess.run([*pip, "wheel", "--quiet", "--no-deps", "--wheel-dir", wheels, plugin], check=True)
    environment = tmp_path / "environment"
    venv.create(environment, symlinks=True)
    isolated = environment / "bin" / "python"
    where = "import sysconfig; print(sysconfig.get_path('purelib'))"
    packages, installed = (Path(run(each, "-c", where).stdout.strip()) for each in (isolated, python))
    (packages / "tensorflow.pth").write_text(f"{installed}\n")
    install = ["--python", isolated, "install", "--quiet", "--no-deps", *wheels.glob("*.whl")]
    subprocess.run([*pip, *install], check=True)
    assert (packages / "tensorflow-plugins" / "libxpu_plugin.so").exists()
    script = tmp_path / "in_tensorflow.py"  # far from the project: what it imports is what was installed
    script.write_text((plugin / "tests" / "in_tensorflow.py").read_text())
    done = run(isolated, script, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, SAID), done.stderr


def test_a_minimal_plugin_lists_its_device(python: Path, tmp_path: Path) -> None:
    project = new(tmp_path / "p", "XPU", TENSORFLOW, "--minimal", "--with", "kernels")
    done = run(python, Path(__file__).parent / "several.py", built(project, test=False))
    assert (done.returncode, done.stdout) == (0, "CPU:0 [11.0, 22.0]\nXPU:0 [11.0, 22.0]\n"), done.stderr


def test_two_plugins_of_different_types_live_side_by_side(python: Path, library: Path, other: Path) -> None:
    done = run(python, Path(__file__).parent / "several.py", library, other)
    if "releases" in python.parts and "visible_device_list" in done.stderr:
        pytest.skip("older releases count the devices of all types together, and then fail")
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()) == [f"{each}:0 [11.0, 22.0]" for each in ("CPU", "NPU", "XPU")]


def test_two_plugins_of_one_type_are_refused_in_tensorflows_words(python: Path, library: Path, tmp_path: Path) -> None:
    twin = built(new(tmp_path / "twin", "TWIN", TENSORFLOW, "--device-type", "XPU"))
    done = run(python, Path(__file__).parent / "several.py", library, twin)
    assert done.returncode != 0
    assert "Duplicate registration of device factory for type XPU" in done.stderr


def test_the_readme_leads_from_nothing_to_a_device_in_less_than_a_minute(python: Path, tmp_path: Path) -> None:
    text = README.read_text(encoding="utf-8")
    begin = text.count("\n", 0, text.index("## Write a plugin\n"))
    end = begin + text.partition("## Write a plugin\n")[2].partition("\n`abigen verify`")[0].count("\n")
    blocks = [block.text for block in read() if begin < block.line <= end and block.language == "sh"]
    assert len(blocks) == 3
    settings = environment(tmp_path)
    program = tmp_path / "bin" / "python3"
    program.write_text(f'#!/bin/sh\nexec "{python}" "$@"\n')
    start = time.monotonic()
    script = "set -e\n" + "".join(blocks)
    done = subprocess.run(["bash", "-c", script], cwd=tmp_path, env=settings, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith(SAID)
    assert time.monotonic() - start < 60
