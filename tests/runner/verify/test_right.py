"""Plugins with nothing wrong are not accused of anything."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.generator.new.projects import DEBUG, built, built_in_rust, include, new, sources
from tests.runner.verify.planted.right import RIGHT
from tests.runner.verify.planting import Scaffold
from tests.runner.verify.plugins import API, compile_plugin, verify
from tests.sampling import short_form
from tests.tools import require

NEVER = {
    "older-core-refused",
    "creation-fails-on-older-core",
    "unified-memory-unusable",
    "entry-point-without-effect",
    "registration-without-effect",
    "kernel-result-differs",
    "kernel-writes-outside",
    "kernel-fails",
    "kernel-shape-differs",
    "kernel-leaves-tensors",
}
"""The checks that cannot run: there is no older release, and the plugin has no unified memory and no kernels."""


@pytest.mark.slow
def test_a_plugin_that_does_its_work_in_threads_is_not_accused(tmp_path: Path) -> None:
    verified = verify(compile_plugin(tmp_path, "plugin"))
    assert verified.found == set(), verified.output
    assert verified.code == 0
    results = {each["rule"]: each["result"] for each in json.loads(verified.output)["checks"]}
    assert {name for name, result in results.items() if result != "passed"} == NEVER


@pytest.mark.ci
def test_a_plugin_without_devices_on_this_machine_is_not_accused(tmp_path: Path) -> None:
    verified = verify(compile_plugin(tmp_path, "plugin", "-DDEVICES=0"))
    assert verified.found == set(), verified.output
    assert verified.result("handshake-refused") == verified.result("required-member-missing") == "passed"
    assert verified.result("copy-is-wrong") == "not run"


@pytest.mark.slow
def test_a_plugin_in_the_manner_of_the_documents_writes_where_a_newer_core_has_a_member(tmp_path: Path) -> None:
    verified = verify(compile_plugin(tmp_path, "plugin", "-DFAULT=IGNORES_SIZE"))
    assert {rule for rule, _ in verified.found} == {"struct-size-ignored", "writes-past-end"}, verified.output
    padded = {entity for rule, entity in verified.found if rule == "writes-past-end"}
    assert padded == {"SP_Platform"}


@pytest.fixture(scope="module")
def scaffold(tmp_path_factory: pytest.TempPathFactory) -> Scaffold:
    return Scaffold(tmp_path_factory.mktemp("right"))


@pytest.mark.slow
@pytest.mark.parametrize("name", RIGHT)
def test_another_way_to_write_it_is_not_accused(name: str, scaffold: Scaffold) -> None:
    verified = verify(scaffold.plugin(*RIGHT[name]))
    assert verified.found == set(), verified.output
    assert verified.code == 0


@pytest.fixture(scope="module")
def with_kernels(tmp_path_factory: pytest.TempPathFactory) -> Scaffold:
    """A plugin in C with kernels."""
    return Scaffold(tmp_path_factory.mktemp("kernels"), API, "--with", "kernels")


@pytest.mark.ci
@pytest.mark.parametrize("name", short_form(("little-memory", "pinned-memory-with-a-limit"), 2))
def test_kernels_of_a_device_with_little_memory_are_not_accused(name: str, with_kernels: Scaffold) -> None:
    verified = verify(with_kernels.plugin(*RIGHT[name]), "--only", "kernel-fails")
    assert verified.found == set(), verified.output


@pytest.mark.ci
def test_a_plugin_with_kernels_alone_is_not_accused(tmp_path: Path) -> None:
    project = new(tmp_path / "xpu", "XPU", "tensorflow/kernels")
    verified = verify(_compiled(project, tmp_path / "plugin.so", "cc"), api="tensorflow/kernels")
    assert verified.found == set(), verified.output
    assert verified.result("foreign-major-accepted") == "not run"


@pytest.mark.parametrize(
    ("language", "api", "features"),
    [
        pytest.param("c", API, ("--with", "kernels,ops"), marks=pytest.mark.slow),
        pytest.param("c", "rfc/stream_executor", (), marks=pytest.mark.slow),
        pytest.param("cpp", API, ("--with", "kernels,ops"), marks=pytest.mark.slow),
        pytest.param("cpp", "rfc/stream_executor", (), marks=pytest.mark.slow),
        pytest.param("rust", API, (), marks=pytest.mark.slow),
        pytest.param("python", API, ("--with", "kernels,ops"), marks=pytest.mark.slow),
    ],
)
def test_a_scaffolded_plugin_is_not_accused(language: str, api: str, features: tuple[str, ...], tmp_path: Path) -> None:
    project = new(tmp_path / "xpu", "XPU", api, *features, language=language)
    if language == "rust":
        library = built_in_rust(project, test=False)
    elif language == "python":
        library = built(project, f"-DPython_EXECUTABLE={sys.executable}", DEBUG, test=False)
    else:
        library = _compiled(project, tmp_path / "plugin.so", {"c": "cc", "cpp": "c++"}[language])
    verified = verify(library, api=api)
    assert verified.found == set(), verified.output
    assert verified.code == 0


def _compiled(project: Path, library: Path, compiler: str) -> Path:
    """Return the library of a project, without its build system: all files at once, as quickly as that goes."""
    (path,) = require(compiler)
    options = ("-O0", "-w", "-D_DEFAULT_SOURCE", "-shared", "-fPIC", "-pthread", "-fvisibility=hidden")
    subprocess.run(
        [path, *options, *include(project), *map(str, sources(project)), "-lm", "-o", str(library)], check=True
    )
    return library
