"""Projects that `abigen new` makes: complete, without a warning from anybody, whatever the API."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from tests.scaffold.projects import STRICT, TENSORFLOW, built, include, new, sources
from tests.tools import require


def test_a_plugin_for_tensorflow_builds_and_passes_its_test(full: Path) -> None:
    assert built(full).name == "libxpu_plugin.so"


def test_sanitizers_find_nothing_while_the_test_runs(full: Path) -> None:
    built(full, "sanitize", "clang")


@pytest.mark.parametrize(
    ("name", "api", "options"),
    [
        ("XPU", TENSORFLOW, ("--minimal",)),
        ("XPU", "rfc/stream_executor", ()),
        ("Bear", "toybox", ()),
        ("Bear", "toybox@1.0.0", ("--minimal",)),
        ("disc", "tables", ()),
    ],
)
def test_every_project_compiles(tmp_path: Path, name: str, api: str, options: tuple[str, ...]) -> None:
    project = new(tmp_path / "p", name, api, *options)
    for compiler in require("gcc", "clang"):
        command = [compiler, *STRICT, *include(project), "-shared", "-fPIC", *sources(project), "-o", tmp_path / "p.so"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(("name", "api"), [("Bear", "toybox"), ("disc", "tables")])
def test_a_project_for_any_api_builds_and_passes_its_test(tmp_path: Path, name: str, api: str) -> None:
    built(new(tmp_path / "p", name, api))


def test_every_function_is_there_once_with_what_the_spec_says(full: Path) -> None:
    text = "\n".join(path.read_text() for path in sorted((full / "src").glob("*.c")))
    names = [name for name, _, _ in json.loads((full / ".abigen-new.json").read_text())["functions"].values()]
    assert len(names) > 40
    for name in names:
        assert len(re.findall(rf"^[\w* ]*\b{name}\(", text, re.MULTILINE)) == 1, name
    assert re.search(r"^// Frees what `allocate` gave\.[^{]*\bxpu_deallocate\(", text, re.MULTILINE)


def test_the_default_bodies_leave_nothing_out(full: Path) -> None:
    assert not (full / "src" / "callbacks.c").exists()
    assert "not implemented" not in "".join(path.read_text() for path in (full / "src").glob("*.c"))


def test_a_body_that_nobody_wrote_says_so_in_the_ways_of_the_api(tmp_path: Path) -> None:
    project = new(tmp_path / "p", "XPU", "rfc/stream_executor")
    assert "XPU: xpu_record_event is not implemented" in (project / "src" / "callbacks.c").read_text()


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


def test_the_analyzer_of_gcc_finds_nothing(full: Path, tmp_path: Path) -> None:
    require("gcc")
    options = (*STRICT, "-O1", "-fanalyzer", *include(full), "-r", "-nostdlib")
    done = subprocess.run(["gcc", *options, *sources(full), "-o", tmp_path / "all.o"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_clang_tidy_finds_nothing_that_is_prone_to_be_a_bug(full: Path) -> None:
    (tidy,) = require("clang-tidy")
    own = [path for path in sources(full) if "checks" not in path.parts]
    command = [tidy, "--quiet", "--warnings-as-errors=*", *own, full / "tests" / "test_plugin.c"]
    done = subprocess.run([*command, "--", *STRICT, *include(full)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, ""), done.stdout


def test_streams_do_their_work_without_a_race(full: Path, tmp_path: Path) -> None:
    require("clang")
    options = (*STRICT, "-g", "-fsanitize=thread", *include(full))
    library, test = tmp_path / "p.so", tmp_path / "test"
    checks = sorted((full / "generated" / "checks").rglob("*.c"))
    core = (full / "tests" / "test_plugin.c", full / "generated" / "core.c", *checks)
    for arguments in (("-shared", "-fPIC", *sources(full), "-o", library), ("-rdynamic", *core, "-ldl", "-o", test)):
        subprocess.run(["clang", *options, *arguments], check=True)
    done = subprocess.run([test, library], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "0 failures\n", "")
