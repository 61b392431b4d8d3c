"""A plugin in C++ on a core in C: tables, older cores, exceptions, ownership, objects; all of it sanitized."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.generator.cpp.building import COMPILERS, HERE, SANITIZED, WARNINGS, Generated, compiled


@pytest.fixture(scope="module")
def core(generated: Generated, tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("core") / "core.o"
    assert (
        compiled("gcc", "-std=c11", *WARNINGS, *SANITIZED, *generated.include, "-c", HERE / "lab_core.c", "-o", made)
        == ""
    )
    return made


@pytest.mark.ci
@pytest.mark.parametrize("compiler", ["g++"])
def test_a_status_can_be_a_plain_struct(generated: Generated, compiler: str, tmp_path: Path) -> None:
    program = tmp_path / "program"
    options = ("-std=c++17", *WARNINGS, *SANITIZED, *generated.include)
    assert compiled(compiler, *options, HERE / "crate_plugin.cc", "-o", program) == ""
    done = subprocess.run([program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "all is well\n", "")


@pytest.mark.ci
@pytest.mark.parametrize(("compiler", "standard"), COMPILERS)
def test_a_plugin_in_c_plus_plus_works_with_a_core_in_c(
    generated: Generated, core: Path, compiler: str, standard: str, tmp_path: Path
) -> None:
    program = tmp_path / "program"
    options = (f"-std={standard}", *WARNINGS, *SANITIZED, *generated.include)
    assert compiled(compiler, *options, HERE / "lab_plugin.cc", core, "-o", program) == ""
    done = subprocess.run([program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "all is well\n", "")
