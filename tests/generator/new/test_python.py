"""Plugins in Python: built by cffi's embedding, verified, and loaded into the real TensorFlow."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

from tests.generator.new.projects import TENSORFLOW, abigen, built, include, new
from tests.generator.new.test_tensorflow import SAID
from tests.tools import require_module, require_python_headers
from tests.versions import CONSTRAINTS


@pytest.fixture(autouse=True, scope="module")
def needed() -> None:
    """Require the tools that build a plugin in Python."""
    require_python_headers()
    require_module("numpy")


def python_built(project: Path) -> Path:
    """Build a project for the Python that runs this."""
    return built(project, f"-DPython_EXECUTABLE={sys.executable}")


@pytest.fixture(scope="module")
def plugin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A plugin for TensorFlow with all that there is."""
    folder = tmp_path_factory.mktemp("python") / "xpu"
    return new(folder, "XPU", TENSORFLOW, "--with", "kernels,ops", language="python")


@pytest.fixture(scope="module")
def library(plugin: Path) -> Path:
    """Its library, which has passed the project's own test."""
    return python_built(plugin)


@pytest.fixture(scope="module")
def isolated(python: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python of our own that has TensorFlow, and cffi."""
    environment = tmp_path_factory.mktemp("environment")
    venv.create(environment, symlinks=True)
    mine = environment / "bin" / "python"
    where = "import sysconfig; print(sysconfig.get_path('purelib'))"
    packages, installed = (
        Path(subprocess.check_output([each, "-c", where], text=True).strip()) for each in (mine, python)
    )
    (packages / "tensorflow.pth").write_text(f"{installed}\n")
    pip = [sys.executable, "-m", "pip", "--python", mine]
    subprocess.run([*pip, "install", "--quiet", "-c", CONSTRAINTS, "cffi"], check=True)
    return mine


def run(python: Path, *arguments: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a script in TensorFlow."""
    return subprocess.run([python, *arguments], capture_output=True, text=True, check=False, timeout=300, cwd=cwd)


@pytest.mark.slow
def test_the_binary_passes_its_test_and_every_check_of_abigen_verify(library: Path) -> None:
    done = abigen("verify", "--api", TENSORFLOW, library)
    assert done.code == 0, done.stdout
    assert re.search(r"^\d+ checks passed", done.stdout, re.MULTILINE)


@pytest.mark.ci
def test_every_function_is_there_once_and_none_is_left_out(plugin: Path) -> None:
    sources = sorted((plugin / "src").iterdir())
    text = "".join(path.read_text() for path in sources if path.suffix in (".py", ".c"))
    assert text.count("@callback\ndef ") > 35
    assert "not implemented" not in text
    assert "def xpu_deallocate(device, memory):\n" in text
    assert '    """Required. Frees what `allocate` gave.' in text


def test_a_body_that_nobody_wrote_raises(tmp_path: Path) -> None:
    project = new(tmp_path / "p", "Bear", "toybox", language="python")
    code = (project / "src" / "callbacks.py").read_text()
    assert 'raise NotImplementedError("Bear: bear_destroy is not implemented")' in code


@pytest.mark.slow
@pytest.mark.parametrize(("name", "api"), [("Bear", "toybox"), ("disc", "tables"), ("XPU", "rfc/stream_executor")])
def test_a_project_for_any_api_builds_and_passes_its_test(tmp_path: Path, name: str, api: str) -> None:
    python_built(new(tmp_path / "p", name, api, language="python"))


@pytest.mark.ci
def test_a_failure_in_python_is_told_by_the_status(library: Path, tmp_path: Path) -> None:
    """The package beside the library is what runs: another one there is another plugin."""
    copied = tmp_path / library.name
    copied.write_bytes(library.read_bytes())
    package = tmp_path / "xpu_plugin"
    package.mkdir()
    for path in (library.parent / "xpu_plugin").glob("*.py"):
        text = path.read_text().replace("device_count[0] = DEVICES", "raise RuntimeError('no driver')")
        (package / path.name).write_text(text)
    done = abigen("verify", "--api", TENSORFLOW, "--only", "device-count-wrong", copied)
    assert "SP_PlatformFns.get_device_count fails: code 13, 'no driver'" in done.stdout


@pytest.mark.ci
def test_a_library_without_its_package_is_refused_with_the_reason(library: Path, tmp_path: Path) -> None:
    copied = tmp_path / library.name
    copied.write_bytes(library.read_bytes())
    done = abigen("verify", "--api", TENSORFLOW, "--only", "handshake-refused", copied)
    assert done.code == 1, done.stdout + done.stderr
    assert "XPU: [Errno 2] No such file or directory: " in done.stdout


@pytest.mark.slow
def test_a_core_that_is_no_python_can_load_a_plugin_that_brings_python_along(tmp_path: Path) -> None:
    project = new(tmp_path / "p", "XPU", TENSORFLOW, language="python")
    chosen = (f"-DPython_EXECUTABLE={sys.executable}", "-DXPU_LINK_PYTHON=ON")
    library = built(project, *chosen)
    sources = [
        *(project / "generated/checks").rglob("*.c"),
        project / "generated/core.c",
        project / "tests/test_plugin.c",
    ]
    core: list[str | Path] = ["gcc", *include(project), *sources, "-rdynamic", "-ldl", "-o", tmp_path / "core"]
    subprocess.run(core, check=True)
    environment = {**os.environ, "PYTHONPATH": sysconfig.get_path("platlib")}  # whose cffi that Python uses
    done = subprocess.run([tmp_path / "core", library], env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "0 failures\n"), done.stderr


@pytest.mark.tensorflow
def test_everything_computes_what_the_cpu_computes_in_tensorflow(isolated: Path, plugin: Path, library: Path) -> None:
    done = run(isolated, plugin / "tests" / "in_tensorflow.py", library, cwd=plugin)
    assert (done.returncode, done.stdout) == (0, SAID), done.stderr


@pytest.mark.tensorflow
def test_a_wheel_is_installed_where_tensorflow_looks(isolated: Path, plugin: Path, tmp_path: Path) -> None:
    wheels = tmp_path / "wheels"
    pip = [sys.executable, "-m", "pip"]
    subprocess.run([*pip, "wheel", "--quiet", "--no-deps", "--wheel-dir", wheels, plugin], check=True)
    install: list[str | Path] = ["--python", isolated, "install", "--quiet", "--no-deps", *wheels.glob("*.whl")]
    subprocess.run([*pip, *install], check=True)
    script = tmp_path / "in_tensorflow.py"  # far from the project: what runs is what was installed
    script.write_text((plugin / "tests" / "in_tensorflow.py").read_text())
    done = run(isolated, script, cwd=tmp_path)
    subprocess.run([*pip, "--python", isolated, "uninstall", "--quiet", "--yes", "xpu-plugin"], check=True)
    assert (done.returncode, done.stdout) == (0, SAID), done.stderr
