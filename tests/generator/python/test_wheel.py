"""The wheel of generated packages holds them and the runtime, and works where nothing else is."""

from __future__ import annotations

import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from tests.generator.python.building import HERE, RUNTIME, generate


@pytest.mark.install
@pytest.mark.slow
def test_a_wheel_of_the_bindings_alone_can_be_installed(tmp_path: Path) -> None:
    folder = generate(tmp_path / "out", HERE / "groups")
    venv.create(tmp_path / "venv", with_pip=True)
    python = tmp_path / "venv/bin/python"
    wheels = tmp_path / "wheels"
    packages = [folder / "one/python/one_plugin_api", folder / "two/python/two_plugin_api"]
    built = [str(python), "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(wheels), *map(str, packages)]
    subprocess.run(built, check=True)
    first = next(wheels.glob("one_plugin_api-*.whl"))
    names = zipfile.ZipFile(first).namelist()
    assert {name.partition("/")[0] for name in names if ".dist-info" not in name} == {"one_plugin_api", RUNTIME}
    subprocess.run([str(python), "-m", "pip", "install", "-q", str(first)], check=True)
    code = "from one_plugin_api.base_types import BA_Point; print(BA_Point(x=3).x)"
    done = subprocess.run([str(python), "-c", code], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (done.stdout, done.stderr) == ("3\n", "")


def test_the_version_of_the_wheel_is_the_newest_of_the_apis(tmp_path: Path) -> None:
    folder = generate(tmp_path / "out") / "python/plugin_api"
    code = "import runpy, sys; print(runpy.run_path(sys.argv[1])['version']())"
    command = [sys.executable, "-c", code, str(folder / "_version.py")]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "1.2.0\n"
    assert 'name = "plugin-api"' in (folder / "pyproject.toml").read_text()
