"""Generated checks compile everywhere without a warning, and analyzers find nothing in them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.generator.c_checks.building import WARNINGS, Generated, all_shipped, compiled, shipped
from tests.generator.c_checks.test_asserts import COMPILERS
from tests.tools import require


@pytest.mark.ci
@pytest.mark.parametrize(("compiler", "standard"), COMPILERS)
def test_checks_compile(generated: Generated, compiler: str, standard: str) -> None:
    language = "c++" if "++" in compiler else "c"
    options = (f"-std={standard}", *WARNINGS, "-Wshadow", "-Wcast-qual", "-Wformat=2", "-Wno-format-nonliteral")
    for each in (generated, *all_shipped()):
        arguments = (*options, *each.include, "-fsyntax-only", "-x", language, *each.sources)
        assert compiled(compiler, *arguments) == ""


@pytest.mark.ci
def test_the_analyzer_of_gcc_finds_nothing(generated: Generated, tmp_path: Path) -> None:
    for each in (generated, shipped("tensorflow")):
        arguments = ("-std=c11", *WARNINGS, "-O2", "-fanalyzer", *each.include, "-r", "-nostdlib", *each.sources)
        assert compiled("gcc", *arguments, "-o", tmp_path / "all.o") == ""


@pytest.mark.ci
def test_clang_tidy_finds_nothing_that_is_prone_to_be_a_bug(generated: Generated) -> None:
    (tidy,) = require("clang-tidy")
    for each in (generated, *all_shipped()):
        sources = [path for path in each.sources if path.name != "odd_checks.c"]  # whose API has what it warns of
        command = [
            tidy,
            "--quiet",
            "--checks=-*,bugprone-*",
            "--warnings-as-errors=*",
            "--header-filter=.*_(asserts|checks).*",
        ]
        done = subprocess.run(
            [*command, *map(str, sources), "--", "-std=c11", *each.include], capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stdout) == (0, ""), done.stdout


@pytest.mark.ci
def test_all_checks_go_together_in_one_program(generated: Generated, tmp_path: Path) -> None:
    for each in (generated, *all_shipped()):
        checks = [path for path in each.headers if path.name.endswith("_checks.h")]
        includes = "".join(f'#include "{path.relative_to(each.folder / "c-checks")}"\n' for path in checks)
        program = tmp_path / "all.c"
        program.write_text(f"{includes}int main(void) {{ return 0; }}\n")
        arguments = (
            "-std=c11",
            *WARNINGS,
            *each.include,
            "-r",
            "-nostdlib",
            program,
            *each.sources,
            "-o",
            tmp_path / "all.o",
        )
        assert compiled("gcc", *arguments) == ""
