"""Specs with one feature each: what every target makes compiles by itself, and every scaffold passes its test."""

from __future__ import annotations

import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from tests.generator.new.projects import DEBUG, built, built_in_rust
from tests.generator.rust.building import checked, crate
from tests.running import run_here
from tests.sampling import covering_pairs, short_form
from tests.tools import require

_SPECS = dict(
    re.findall(r"^--- # (\w+)\n(.*?)(?=^--- #|\Z)", Path(__file__).with_name("apis.txt").read_text(), re.M | re.S)
)
_WITH_PLUGIN = [name for name, text in _SPECS.items() if "implemented_by: plugin" in text]
_ALL_LANGUAGES = ("c", "cpp", "python", "rust")
_PROJECTS = [(name, language) for name in _WITH_PLUGIN for language in _ALL_LANGUAGES]
_WARNINGS = ("-Wall", "-Wextra", "-Werror", "-fsyntax-only")
_MODULE = "import sys; sys.path.insert(0, sys.argv[1]); __import__('plugin_api.' + sys.argv[2])"


def spec_of(name: str, folder: Path) -> Path:
    """Write a spec to a folder of its own."""
    text = _SPECS[name]
    api = re.search(r"^api: (\w+)$", text, re.M)
    assert api is not None
    path = folder / "spec" / f"{api[1]}.yaml"
    path.parent.mkdir()
    path.write_text(text)
    return path


@pytest.mark.ci
@pytest.mark.parametrize("name", short_form(_SPECS, 6, in_ci=True, ci_every=2))
def test_every_target_makes_something_that_compiles_alone(name: str, tmp_path: Path) -> None:
    require("gcc", "g++")
    spec, out = spec_of(name, tmp_path), tmp_path / "out"
    done = run_here(["build", "--no-cache", "--spec-dir", str(spec.parent), "--out", str(out)])
    assert done.code == 0, done.stderr
    options = (*_WARNINGS, *(f"-I{out / each}" for each in ("c", "c-checks", "cpp")))
    commands = [["g++", "-std=c++17", *options, "-x", "c++", each] for each in (out / "cpp").glob("*.hpp")]
    for each in (*(out / "c").rglob("*.h"), *(out / "c-checks").rglob("*.h")):
        commands += [["gcc", "-std=c11", *options, "-x", "c", each], ["g++", "-std=c++17", *options, "-x", "c++", each]]
    commands += [["gcc", "-std=gnu11", *options, each] for each in (out / "c-checks").rglob("*.c")]
    commands += [[sys.executable, "-W", "error", "-c", _MODULE, out / "python", spec.stem]]
    checked(crate(tmp_path, sorted((out / "rust").glob("*.rs"))))
    for command in commands:
        ran = subprocess.run(command, capture_output=True, text=True, check=False)
        said = [line for line in ran.stderr.splitlines() if "#pragma once in main file" not in line]
        assert ran.returncode == 0, (command, said)


@pytest.mark.first_case(len(_ALL_LANGUAGES))
@pytest.mark.parametrize(
    ("name", "language"),
    [*_PROJECTS[: len(_ALL_LANGUAGES)], *short_form(_PROJECTS[len(_ALL_LANGUAGES) :], 13, in_ci=True, ci_every=10)],
)
def test_every_scaffold_passes_its_own_test(name: str, language: str, tmp_path: Path) -> None:
    spec, project = spec_of(name, tmp_path), tmp_path / "project"
    made = ["new", "Bear", str(project), "--api", spec.stem, "--spec-dir", str(spec.parent), "--lang", language]
    done = run_here(made)
    assert done.code == 0, done.stderr
    if language == "rust":
        built_in_rust(project)
        return
    python = (f"-DPython_EXECUTABLE={sys.executable}",) if language == "python" else ()
    built(project, "-DBEAR_WERROR=ON", *python)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("audio", ["return AU_ERROR_UNSUPPORTED;", "return AU_ERROR_FAILED;", "return AU_OK;"]),
        ("disk", ["return -ENOTSUP;", "return -EIO;", "return 0;"]),
        ("clock", ['ck_fail(ENOTSUP, "Bear: bear_make is not implemented");', "return NULL;"]),
        ("rate", ["return -2;"]),
        ("bool_result", ["return false;", "return true;"]),
        ("unsaid_enum", ["return XY_A;", "return (XY_Kind)0;"]),
        ("complaint", ['return (char*)"not implemented";', 'return "core does not fit";', "return NULL;"]),
    ],
)
def test_a_function_that_is_not_written_fails_as_the_api_has_it(name: str, expected: list[str], tmp_path: Path) -> None:
    spec, project = spec_of(name, tmp_path), tmp_path / "project"
    done = run_here(["new", "Bear", str(project), "--api", spec.stem, "--spec-dir", str(spec.parent)])
    assert done.code == 0, done.stderr
    text = (project / "src" / "callbacks.c").read_text()
    assert [each for each in expected if each not in text] == []


@pytest.mark.ci
@pytest.mark.parametrize(
    ("name", "language"), covering_pairs((("told_version", "passed_version"), ("c", "rust", "cpp", "python")))
)
def test_a_scaffold_refuses_a_core_of_another_major_wherever_that_is_stated(
    name: str, language: str, tmp_path: Path
) -> None:
    spec, project = spec_of(name, tmp_path), tmp_path / "project"
    where = ("--api", spec.stem, "--spec-dir", str(spec.parent))
    done = run_here(["new", "Bear", str(project), *where, "--lang", language])
    assert done.code == 0, done.stderr
    python = (f"-DPython_EXECUTABLE={sys.executable}",) if language == "python" else ()
    options = ("-DBEAR_WERROR=ON", DEBUG, *python)
    library = built_in_rust(project) if language == "rust" else built(project, *options)
    only = [option for rule in ("foreign-major-accepted", "refusal-says-nothing") for option in ("--only", rule)]
    done = run_here(["verify", str(library), *where, *only])
    assert done.code == 0, done.stdout + done.stderr
    assert "2 checks passed" in done.stdout, done.stdout


def test_lengths_of_arrays_keep_the_names_that_the_spec_has_for_them(tmp_path: Path) -> None:
    spec, out = spec_of("named_lengths", tmp_path), tmp_path / "out"
    done = run_here(["build", "--no-cache", "--spec-dir", str(spec.parent), "--out", str(out)])
    assert done.code == 0, done.stderr
    text = (out / "c" / "toy.h").read_text()
    for each in (
        "typedef int XY_Row[XY_A];",
        "char name[XY_MAX];",
        "int grid[(XY_MAX + 1) * 2][XY_A];",
        "XY_Row rows[XY_TWO];",
        "int twice[6];",
        "int plain[16];",
        "void (*calls[XY_TWO])(const char (*names)[XY_MAX]);",
        "void xy_take(const char (*names)[XY_MAX]);",
    ):
        assert each in text
    assert "char name[7];" in (out / "python/plugin_api/toy/_declarations.py").read_text()


@pytest.mark.parametrize("language", ["c", "cpp", "rust"])
def test_what_stands_in_a_function_is_indented(language: str, tmp_path: Path) -> None:
    spec, project = spec_of("handed", tmp_path), tmp_path / "project"
    made = ["new", "Bear", str(project), "--api", spec.stem, "--spec-dir", str(spec.parent), "--lang", language]
    assert run_here(made).code == 0
    ending = {"c": "*.c", "cpp": "*.cc", "rust": "*.rs"}[language]
    for path in project.rglob(ending):
        lines = path.read_text().splitlines()
        bodies = [line for before, line in pairwise(lines) if re.search(r"^\S.*\) .*\{$", before)]
        assert [line for line in bodies if line and not line.startswith((" ", "#", "}"))] == [], path


_PLAIN_HOST = """
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char** argv) {
  void* library = dlopen(argv[argc - 1], RTLD_NOW | RTLD_LOCAL);
  int (*start)(int) = library != NULL ? (int (*)(int))dlsym(library, "xy_start") : NULL;
  if (start == NULL) {
    fprintf(stderr, "%s\\n", dlerror());
    return 1;
  }
  printf("%d\\n", start(1));
  return 0;
}
"""


@pytest.mark.ci
def test_a_plugin_in_python_runs_in_a_plain_host_as_its_readme_says(tmp_path: Path) -> None:
    spec, project = spec_of("int_result", tmp_path), tmp_path / "project"
    where = ("--api", spec.stem, "--spec-dir", str(spec.parent), "--lang", "python")
    assert run_here(["new", "Bear", str(project), *where]).code == 0
    assert "cmake --preset default -DBEAR_LINK_PYTHON=ON\n" in (project / "README.md").read_text()
    source = project / "src" / "__init__.py"
    source.write_text(f"import sys\n\nprint(sys.prefix, flush=True)\n{source.read_text()}")
    library = built(project, f"-DPython_EXECUTABLE={sys.executable}", "-DBEAR_LINK_PYTHON=ON", DEBUG, test=False)
    host = tmp_path / "host"
    subprocess.run(["gcc", "-x", "c", "-", "-o", host, "-ldl"], input=_PLAIN_HOST, text=True, check=True)
    done = subprocess.run([host, library], env={}, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, f"{sys.prefix}\n-1\n"), done.stderr
