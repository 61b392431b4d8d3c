"""The library that plugins link against."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from abigen.model.span import AbigenError
from abigen.model.target import default_targets
from abigen.runner.reference import library_name
from abigen.specs.load import load
from abigen.workspace.libraries import compile_library, find_compiler
from abigen.workspace.options import ReadOptions
from abigen.workspace.shipped import shipped
from tests.tools import require

ROOT = Path(__file__).parents[3]
SOURCES = shipped("templates") / "host" / "tensorflow" / "library"


def exported(library: Path) -> set[str]:
    lines = subprocess.run(
        [*require("nm"), "-D", "--defined-only", str(library)], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    return {line.split()[-1] for line in lines}


def test_every_function_that_the_core_implements_is_exported_and_nothing_else(core_folder: Path) -> None:
    wanted: set[str] = set()
    for spec in sorted((shipped("spec") / "tensorflow").glob("*.yaml")):
        api = load(str(spec), ReadOptions(targets=default_targets())).groups[0].api
        wanted |= {each.name for each in api.functions.values() if each.implemented_by == "core" and each.in_api}
    own = {name for name in exported(core_folder / library_name()) if not name.startswith("abigen_core_")}
    assert len(wanted) > 120
    assert own == wanted


@pytest.mark.ci
@pytest.mark.parametrize("compiler", ["gcc", pytest.param("clang", marks=pytest.mark.slow)])
def test_compilers_have_nothing_to_say_of_it(core_folder: Path, tmp_path: Path, compiler: str) -> None:
    flags = ["-std=c11", "-D_GNU_SOURCE", "-O1", "-fPIC", "-fvisibility=hidden", "-shared"]
    warnings = ["-Wall", "-Wextra", "-Werror", "-Wshadow", "-Wconversion"]
    sources = sorted(str(path) for path in SOURCES.glob("*.c"))
    command = [*require(compiler), *flags, *warnings, f"-I{core_folder / 'include'}", *sources]
    subprocess.run([*command, "-o", str(tmp_path / "library.so")], check=True)


def test_a_compiler_that_refuses_is_quoted_and_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiler = tmp_path / "cc"
    compiler.write_text("#!/bin/sh\necho out of paper >&2\nexit 1\n", encoding="utf-8")
    compiler.chmod(0o755)
    monkeypatch.setenv("CC", f"{compiler} -m64")
    with pytest.raises(AbigenError, match="cannot build the core's library:\nerror: out of paper"):
        compile_library([], tmp_path / "library.so")
    assert [each.name for each in tmp_path.iterdir()] == ["cc"]


def test_a_compiler_is_found_or_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CC", raising=False)
    assert find_compiler()[0] in ("cc", "gcc", "clang")
    monkeypatch.setenv("CC", "no-such-cc -m64")
    with pytest.raises(AbigenError, match="CC names `no-such-cc`, which does not exist"):
        find_compiler()
    monkeypatch.setenv("CC", "")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(AbigenError, match="a C compiler is needed") as error:
        find_compiler()
    assert "gcc or clang" in error.value.diagnostics[0].hint


@pytest.mark.ci
def test_tensors_status_and_shapes_do_as_the_headers_say_without_leaks(core_folder: Path, tmp_path: Path) -> None:
    require("cc -fsanitize=address,undefined")
    program = tmp_path / "program"
    sources = [str(Path(__file__).parent / "contract.c"), *sorted(str(path) for path in SOURCES.glob("*.c"))]
    sanitizers = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    command = ["cc", "-std=c11", "-D_GNU_SOURCE", "-g", *sanitizers, f"-I{core_folder / 'include'}", f"-I{SOURCES}"]
    subprocess.run([*command, *sources, "-pthread", "-o", str(program)], check=True)
    found = subprocess.run([str(program)], capture_output=True, text=True, check=False)
    assert (found.returncode, found.stderr) == (0, "")
