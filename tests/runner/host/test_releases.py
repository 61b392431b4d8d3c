"""Cores and plugins of different releases of an API."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from abigen.model.span import AbigenError
from abigen.runner.apis.tensorflow.host.core import Core
from abigen.runner.reference import prepare, start_core
from abigen.workspace.shipped import shipped

from .conftest import Build


@pytest.fixture(scope="module")
def specs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The specs with another release, 0.1.0, that has appended a member to two structs."""
    folder = tmp_path_factory.mktemp("releases") / "spec"
    shutil.copytree(shipped("spec") / "tensorflow", folder / "tensorflow")
    path = folder / "tensorflow" / "stream_executor.yaml"
    text = path.read_text(encoding="utf-8")
    text = text.replace("version: 0.0.1\n", "version: 0.1.0\nreleases: [0.0.1, 0.1.0]\n", 1)
    for behind, member, type in (
        ("  - name: SE_CreateStreamExecutorParams\n", "warm_up", "void (*)(const SP_Device* device)"),
        ("  - name: SE_CreateDeviceParams\n", "serial_number", "const char*"),
    ):
        added = f"      - {{name: {member}, type: '{type}', since: 0.1.0, optional: true, zero: no-op, doc: New.}}\n\n"
        text = text.replace(behind, added + behind, 1)
    path.write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def newer(specs: Path) -> Path:
    return prepare("tensorflow", spec_dir=specs)


@pytest.mark.ci
def test_an_older_plugin_runs_on_a_newer_core(specs: Path, newer: Path, toy: Path) -> None:
    assert (
        "serial_number" in (newer / "include/tensorflow/c/experimental/stream_executor/stream_executor.h").read_text()
    )
    with start_core("tensorflow", spec_dir=specs) as core:
        core.load_plugin(toy)
        assert core.run("AddV2", [1.5, 2.0]).outputs[0].tolist() == 3.5


def test_a_newer_plugin_that_asks_first_runs_on_an_older_core(
    core: Core, specs: Path, newer: Path, build: Build
) -> None:
    plugin = build("careful", "device.c", "kernels.c", flags=(f"-I{newer / 'include'}", "-DNEWER=1"))
    with start_core("tensorflow", spec_dir=specs) as own:
        own.load_plugin(plugin)
        assert own.run("AddV2", [1.5, 2.0]).outputs[0].tolist() == 3.5
    core.load_plugin(plugin)
    assert core.run("AddV2", [1.5, 2.0]).outputs[0].tolist() == 3.5


@pytest.mark.slow
def test_a_core_can_be_one_of_an_older_release(specs: Path, newer: Path, build: Build) -> None:
    plugin = build("careless", "device.c", "kernels.c", flags=(f"-I{newer / 'include'}", "-DNEWER=2"))
    with start_core("tensorflow", release="0.0.1", spec_dir=specs) as core:
        core.load_plugin(plugin)
        with pytest.raises(AbigenError, match="wrote 8 bytes past the end of SP_Device, which has 56 bytes"):
            core.run("AddV2", [1.5, 2.0])


def test_a_newer_plugin_that_writes_past_the_end_is_caught(core: Core, specs: Path, newer: Path, build: Build) -> None:
    plugin = build("careless", "device.c", "kernels.c", flags=(f"-I{newer / 'include'}", "-DNEWER=2"))
    with start_core("tensorflow", spec_dir=specs) as own:
        own.load_plugin(plugin)
        assert own.run("AddV2", [1.5, 2.0]).outputs[0].tolist() == 3.5
    core.load_plugin(plugin)
    with pytest.raises(AbigenError, match="wrote 8 bytes past the end of SP_Device, which has 56 bytes"):
        core.run("AddV2", [1.5, 2.0])
