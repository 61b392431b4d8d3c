"""Projects that `abigen new` makes: complete, without a warning from anybody, whatever the API."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from tests.generator.build.building import REPOSITORY, compile_text
from tests.generator.new.projects import (
    LANGUAGES,
    STRICT,
    TENSORFLOW,
    WARNINGS,
    abigen,
    built,
    compiled,
    include,
    new,
    sources,
)
from tests.tools import require

_BOTH = ["full", pytest.param("full_cpp", marks=pytest.mark.slow)]


@pytest.mark.ci
@pytest.mark.parametrize(
    ("name", "compiler"), [("full", "gcc"), pytest.param("full_cpp", "clang", marks=pytest.mark.slow)]
)
def test_a_plugin_for_tensorflow_passes_its_test_and_every_check_of_abigen_verify(
    name: str, compiler: str, request: pytest.FixtureRequest
) -> None:
    library = built(request.getfixturevalue(name), "-DCMAKE_BUILD_TYPE=Debug", compiler=compiler)
    assert library.name == "libxpu_plugin.so"
    done = abigen("verify", "--api", TENSORFLOW, library)
    assert done.code == 0, done.stdout
    assert re.search(r"^\d+ checks passed", done.stdout, re.MULTILINE)


@pytest.mark.ci
@pytest.mark.parametrize("name", _BOTH)
def test_sanitizers_find_nothing_while_the_test_runs(name: str, request: pytest.FixtureRequest) -> None:
    built(request.getfixturevalue(name), preset="sanitize", compiler="gcc" if name == "full_cpp" else "clang")


@pytest.mark.ci
@pytest.mark.parametrize(
    ("name", "api", "options"),
    [
        ("XPU", "rfc/stream_executor", ()),
        ("Bear", "toybox", ()),
        ("Bear", "toybox@1.0.0", ("--minimal",)),
        ("disc", "tables", ()),
    ],
)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_project_compiles(tmp_path: Path, name: str, api: str, options: tuple[str, ...], language: str) -> None:
    project = new(tmp_path / "p", name, api, *options, language=language)
    for compiler in ("gcc", "clang") if language == "c" else ("clang",):
        assert compiled(project, compiler, tmp_path / "p.so") == ""


@pytest.mark.ci
@pytest.mark.parametrize("language", ["c", pytest.param("cpp", marks=pytest.mark.slow)])
def test_a_minimal_plugin_for_tensorflow_compiles(tmp_path: Path, language: str) -> None:
    project = new(tmp_path / "p", "XPU", TENSORFLOW, "--minimal", language=language)
    assert compiled(project, "clang", tmp_path / "p.so") == ""


@pytest.mark.ci
@pytest.mark.parametrize(("name", "api", "language"), [("Bear", "toybox", "c"), ("disc", "tables", "cpp")])
def test_a_project_for_any_api_builds_and_passes_its_test(tmp_path: Path, name: str, api: str, language: str) -> None:
    built(new(tmp_path / "p", name, api, language=language))


def test_every_function_is_there_once_with_what_the_spec_says(full: Path) -> None:
    text = "\n".join(path.read_text() for path in sorted((full / "src").glob("*.c")))
    names = [name for name, _, _ in json.loads((full / ".abigen-new.json").read_text())["functions"].values()]
    assert len(names) > 40
    for name in names:
        assert len(re.findall(rf"^[\w* ]*\b{name}\(", text, re.MULTILINE)) == 1, name
    assert re.search(r"^// Required\. Frees what `allocate` gave\.[^{]*\bxpu_deallocate\(", text, re.MULTILINE)


@pytest.mark.ci
def test_the_default_bodies_leave_nothing_out(full: Path, full_cpp: Path) -> None:
    for project in (full, full_cpp):
        assert not list((project / "src").glob("callbacks.*"))
        assert "not implemented" not in "".join(path.read_text() for path in (project / "src").iterdir())


def test_a_body_that_nobody_wrote_says_so_in_the_ways_of_the_api(tmp_path: Path) -> None:
    project = new(tmp_path / "p", "XPU", "rfc/stream_executor")
    assert "XPU: xpu_record_event is not implemented" in (project / "src" / "callbacks.c").read_text()


def test_of_two_members_that_exclude_each_other_the_first_is_filled(tmp_path: Path) -> None:
    project = new(tmp_path / "p", "XPU", "rfc/stream_executor")
    plugin = (project / "generated" / "plugin.c").read_text()
    assert "object->create_allocator = xpu_create_allocator;" in plugin
    assert "object->destroy_allocator = xpu_destroy_allocator;" in plugin
    assert "object->create_custom_allocator" not in plugin
    assert "object->destroy_custom_allocator" not in plugin


def test_a_minimal_project_has_what_is_required_and_no_more(tmp_path: Path) -> None:
    project = new(tmp_path / "p", "XPU", TENSORFLOW, "--minimal")
    functions = json.loads((project / ".abigen-new.json").read_text())["functions"]
    assert "SP_StreamExecutor.allocate" in functions
    assert "SP_StreamExecutor.unified_memory_allocate" not in functions
    assert not {"tests", "pyproject.toml", ".github"} & {path.name for path in project.iterdir()}


def test_the_device_type_can_differ_from_the_name(tmp_path: Path) -> None:
    project = new(tmp_path / "p", "MINE", TENSORFLOW, "--device-type", "XPU", "--with", "kernels")
    plugin = (project / "generated" / "plugin.c").read_text()
    assert 'object->name = "MINE";' in plugin
    assert 'object->type = "XPU";' in plugin
    assert 'TF_NewKernelBuilder(kernel->op, "XPU"' in (project / "src" / "kernel.c").read_text()


def test_members_of_one_name_give_functions_of_different_names(tmp_path: Path) -> None:
    text = (new(tmp_path / "p", "disc", "tables") / "generated" / "plugin.h").read_text()
    assert "double disc_area(void);" in text
    assert "double disc_body_area(void);" in text


@pytest.mark.ci
def test_the_analyzer_of_gcc_finds_nothing(full: Path, tmp_path: Path) -> None:
    require("gcc")
    options = (*STRICT, "-O1", "-fanalyzer", *include(full), "-r", "-nostdlib")
    done = subprocess.run(["gcc", *options, *sources(full), "-o", tmp_path / "all.o"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.ci
@pytest.mark.parametrize("name", _BOTH)
def test_clang_tidy_finds_nothing_that_is_prone_to_be_a_bug(name: str, request: pytest.FixtureRequest) -> None:
    (tidy,) = require("clang-tidy")
    project: Path = request.getfixturevalue(name)
    own = [path for path in sources(project) if "checks" not in path.parts]
    standard = "-std=c++17" if name == "full_cpp" else "-std=gnu11"
    command = [tidy, "--quiet", "--warnings-as-errors=*", *own, "--", standard, *WARNINGS, *include(project)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, ""), done.stdout


@pytest.mark.ci
@pytest.mark.parametrize("name", _BOTH)
def test_streams_do_their_work_without_a_race(name: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    require("cmake", "cc -fsanitize=thread", "c++ -fsanitize=thread")
    project: Path = request.getfixturevalue(name)
    flags = "-DCMAKE_{0}_FLAGS=-fsanitize=thread"
    configure = ["cmake", "-S", project, "-B", tmp_path, flags.format("C"), flags.format("CXX")]
    for command in (configure, ["cmake", "--build", tmp_path]):
        subprocess.run(command, check=True, capture_output=True)
    test = [tmp_path / "test_plugin", *tmp_path.glob("*_plugin.so")]
    done = subprocess.run(test, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "0 failures\n", "")


@pytest.mark.ci
@pytest.mark.parametrize("name", ["NEW", "STD", "TF"])
def test_names_that_mean_something_in_cpp_are_none_of_its_namespaces(tmp_path: Path, name: str) -> None:
    project = new(tmp_path / "p", name, TENSORFLOW, language="cpp")
    assert f"namespace {name.lower()}_plugin {{" in (project / "generated" / "plugin.hpp").read_text()
    text = '#include "plugin.hpp"\nint main() { return 0; }\n'
    assert compile_text("g++", ("-std=c++17", *WARNINGS, *include(project)), text) == ""


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_api_that_the_tests_have_can_be_begun(tmp_path: Path, language: str) -> None:
    done = 0
    for spec in sorted([*REPOSITORY.glob("tests/*/spec/*.yaml"), *REPOSITORY.glob("spec/*/*.yaml")]):
        project = tmp_path / f"{spec.parent.parent.name}-{spec.parent.name}-{spec.stem}"
        run = abigen("new", "MINE", project, "--api", spec, "--lang", language, "--spec-dir", spec.parent)
        if run.code != 0:
            assert "would export nothing" in run.stderr, run.stderr
        else:
            assert compiled(project, "gcc", project / "p.so") == "", spec
            done += 1
    assert done > 8
