"""Generated headers compile by themselves and together, with each compiler and standard, without a warning."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.generator.cpp.building import COMPILERS, HERE, WARNINGS, Generated, all_shipped, compiled, shipped
from tests.tools import require
from tests.whole_build import GROUPS


@pytest.mark.ci
@pytest.mark.parametrize(("compiler", "standard"), COMPILERS)
def test_headers_compile(generated: Generated, compiler: str, standard: str, tmp_path: Path) -> None:
    for each in (generated, *all_shipped()):
        source = tmp_path / "all.cc"
        source.write_text("".join(f'#include "{header}"\n' for header in each.headers))
        options = (f"-std={standard}", *WARNINGS, "-Wshadow", "-Wconversion", "-Wold-style-cast")
        assert compiled(compiler, *options, *each.include, "-fsyntax-only", source) == ""


@pytest.mark.ci
def test_each_header_stands_alone(generated: Generated, tmp_path: Path) -> None:
    _stand_alone(generated, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("group", GROUPS)
def test_each_shipped_header_stands_alone(group: str, tmp_path: Path) -> None:
    _stand_alone(shipped(group), tmp_path)


def _stand_alone(made: Generated, folder: Path) -> None:
    sources = []
    for at, header in enumerate(made.headers):
        sources.append(folder / f"alone{at}.cc")
        sources[-1].write_text(f'#include "{header}"\n#include "{header}"\n')
    assert compiled("g++", "-std=c++17", *WARNINGS, *made.include, "-fsyntax-only", *sources) == ""


@pytest.mark.ci
@pytest.mark.parametrize("compiler", ["g++", pytest.param("clang++", marks=pytest.mark.slow)])
def test_headers_compile_without_exceptions_and_type_information(
    generated: Generated, compiler: str, tmp_path: Path
) -> None:
    source = tmp_path / "all.cc"
    for each in (generated, *all_shipped()):
        source.write_text("".join(f'#include "{header}"\n' for header in each.headers))
        options = ("-std=c++17", *WARNINGS, "-fno-exceptions", "-fno-rtti")
        assert compiled(compiler, *options, *each.include, "-fsyntax-only", source) == ""


@pytest.mark.ci
def test_clang_tidy_finds_nothing_that_is_prone_to_be_a_bug(generated: Generated) -> None:
    (tidy,) = require("clang-tidy")
    command = [tidy, "--quiet", "--checks=-*,bugprone-*", "--header-filter=.*", str(HERE / "lab_plugin.cc")]
    options = ["--", "-std=c++17", *generated.include]
    said = subprocess.run([*command, *options], capture_output=True, text=True, check=False).stdout
    assert "lab_plugin.cc" in said, "it has found nothing in the test itself either"
    assert [line for line in said.splitlines() if ".hpp:" in line] == []


@pytest.mark.ci
def test_several_files_of_a_program_can_include_them(generated: Generated, tmp_path: Path) -> None:
    for each in (generated, shipped("tensorflow"), shipped("xla")):
        sources = []
        for name in ("one", "two"):
            sources.append(tmp_path / f"{name}.cc")
            sources[-1].write_text("".join(f'#include "{header}"\n' for header in each.headers))
        arguments = ("-std=c++17", *WARNINGS, *each.include, "-r", "-nostdlib", *sources, "-o", tmp_path / "all.o")
        assert compiled("g++", *arguments) == ""
