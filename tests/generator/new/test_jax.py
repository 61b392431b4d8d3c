"""Libraries of functions for JAX: built without a warning, and run in the real JAX."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest

from tests.generator.build.building import REPOSITORY
from tests.generator.new.projects import DEBUG, abigen, attempt, built, built_in_rust, new
from tests.generator.rust.building import tools
from tests.sampling import covering_pairs, short_form
from tests.specs.shipped.equality import api_of

API = "xla/ffi"
IN_CMAKE = ["c", "cpp", "python"]
IN_CARGO = ("cargo", "rust")
COMPILERS = ["gcc", "clang"]
SAID = """\
scale of float32: as jax.numpy
scale of float64: as jax.numpy
scale of int32: as jax.numpy
scale of int64: as jax.numpy
row_sums: as jax.numpy
count: each place of call counts for itself
refused: INVALID_ARGUMENT: toy_scale needs a number `factor`
refused: UNIMPLEMENTED: toy_scale does not know data type 6
refused: INVALID_ARGUMENT: toy_row_sums takes a matrix, not rank 1, and gives a number for each row
"""
IN_PYTHON = "".join(line for line in SAID.splitlines(keepends=True) if "count" not in line).replace(
    "data type 6", "uint8"
)


def made(project: Path, language: str, compiler: str, *options: str, test: bool = True) -> Path:
    """Build a library without a warning, and run its test if it has one; returns its path."""
    if language == "rust":
        return built_in_rust(project, compiler, test=test)
    return built(project, "-DTOY_WERROR=ON", *options, compiler=compiler, test=test)


def run(*command: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a program to its end."""
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)


@pytest.mark.jax
@pytest.mark.parametrize(("compiler", "language"), short_form([*product(COMPILERS, IN_CMAKE), IN_CARGO], 2))
def test_jax_runs_the_functions_and_raises_their_errors(
    language: str, compiler: str, jax: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{jax.parent}{os.pathsep}{os.environ['PATH']}")
    plugin = new(tmp_path / "toy", "Toy", API, language=language)
    library = made(plugin, language, compiler, f"-DPython3_EXECUTABLE={jax}")
    done = run(jax, plugin / "tests/in_jax.py", library)
    assert (done.returncode, done.stdout) == (0, IN_PYTHON if language == "python" else SAID), done.stderr


@pytest.mark.jax
def test_a_panic_in_a_handler_becomes_an_exception(jax: Path, tmp_path: Path) -> None:
    plugin = new(tmp_path / "toy", "Toy", API, language="rust")
    handlers = plugin / "src/handlers.rs"
    text = handlers.read_text()
    begin = "let missing = "
    assert begin in text
    handlers.write_text(text.replace(begin, f'assert!(frame.number("factor")?.is_some());\n        {begin}'))
    done = run(jax, plugin / "tests/in_jax.py", made(plugin, "rust", "cargo", test=False))
    said = SAID.replace("INVALID_ARGUMENT: toy_scale needs a number `factor`", "INTERNAL: Toy: a handler panicked")
    assert (done.returncode, done.stdout) == (0, said), done.stderr


@pytest.mark.jax
def test_the_header_has_the_layout_of_the_one_in_the_wheel(jax: Path) -> None:
    (shipped,) = jax.parent.parent.glob("lib/python*/site-packages/jaxlib/include/xla/ffi/api/c_api.h")
    made = REPOSITORY / "generated/xla/c/xla/ffi/api/c_api.h"
    done = abigen("diff", shipped, made, "--fail-on", "major")
    assert done.code == 0, done.stdout
    mine, theirs = (api_of(each) for each in (made, shipped))
    for name, struct in theirs.structs.items():
        assert [each.name for each in mine.structs[name].fields or ()] == [each.name for each in struct.fields or ()]


@pytest.mark.ci
@pytest.mark.parametrize("at", [0, pytest.param(-1, marks=pytest.mark.ci)])
def test_a_library_passes_its_test_with_each_rust_that_is_there(at: int, tmp_path: Path) -> None:
    plugin = new(tmp_path / "toy", "Toy", API, language="rust")
    assert made(plugin, "rust", tools("cargo")[at]).name == "libtoy_plugin.so"


@pytest.mark.ci
@pytest.mark.parametrize(("compiler", "language"), [*covering_pairs((COMPILERS, IN_CMAKE)), IN_CARGO])
def test_a_minimal_library_builds_without_a_warning(language: str, compiler: str, tmp_path: Path) -> None:
    plugin = new(tmp_path / "toy", "Toy", API, "--minimal", language=language)
    assert not (plugin / "tests").exists()
    assert made(plugin, language, compiler, test=False).exists()


@pytest.mark.ci
@pytest.mark.usefixtures("without_jax")
@pytest.mark.parametrize("language", IN_CMAKE)
def test_without_jax_the_test_of_a_library_is_skipped(language: str, tmp_path: Path) -> None:
    plugin = new(tmp_path / "toy", "Toy", API, language=language)
    built(plugin, f"-DPython3_EXECUTABLE={sys.executable}", DEBUG, test=False)
    tested = subprocess.run(["ctest", "--preset", "default"], cwd=plugin, capture_output=True, text=True, check=False)
    assert tested.returncode == 0, tested.stdout
    assert "in_jax (Skipped)" in tested.stdout


@pytest.mark.usefixtures("without_jax")
def test_without_jax_the_program_that_runs_a_library_in_rust_ends_as_skipped(tmp_path: Path) -> None:
    plugin = new(tmp_path / "toy", "Toy", API, language="rust")
    done = run(sys.executable, plugin / "tests/in_jax.py", "libtoy_plugin.so")
    assert (done.returncode, done.stderr) == (77, "")
    assert "has no jax; install it with `pip install jax`" in done.stdout


@pytest.mark.ci
@pytest.mark.parametrize(
    ("language", "files"),
    [("c", ["frame.c", "frame.h", "handlers.c"]), ("rust", ["frame.rs", "handlers.rs", "lib.rs", "tests.rs"])],
)
def test_no_function_of_the_apis_own_names_is_asked_for(language: str, files: list[str], tmp_path: Path) -> None:
    plugin = new(tmp_path / "toy", "Toy", API, language=language)
    assert sorted(each.name for each in (plugin / "src").iterdir()) == files
    updated = abigen("new", "--update", plugin)
    assert (updated.code, updated.stdout.splitlines()[-1]) == (0, "nothing is left to do"), updated.stderr


def test_a_language_without_files_for_such_an_api_is_refused(tmp_path: Path) -> None:
    readme = tmp_path / "templates/new/zig/project/README.md.j2"
    readme.parent.mkdir(parents=True)
    readme.write_text("# {{ project.identity.name }}\n")
    done = attempt(tmp_path / "toy", "Toy", API, "--templates", tmp_path / "templates", language="zig")
    assert done.code == 2
    assert "there is nothing for xla/ffi in 'zig'\n  hint: there is c, cpp, python, rust" in done.stderr
    assert not (tmp_path / "toy").exists()
