"""Tests of the options of `abigen new`, of its errors, and of files that it does not change."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.generator.new.projects import TENSORFLOW, abigen, attempt, new
from tests.tools import require_module


@pytest.mark.parametrize(
    ("name", "hint"),
    [("xpu", "XPU"), ("XPU9", "XPU"), ("My-Device", "MY_DEVICE"), ("_XPU", "XPU"), ("Xpu", "XPU")],
)
def test_a_name_that_core_would_refuse_is_refused_with_one_that_could_do(tmp_path: Path, name: str, hint: str) -> None:
    run = attempt(tmp_path / "p", name, TENSORFLOW)
    assert run.code == 2
    assert f"the name '{name}' cannot be used: SP_Platform.name wants [A-Z][A-Z_]*" in run.stderr
    assert f"did you mean {hint}?" in run.stderr
    assert not (tmp_path / "p").exists()


def test_the_device_type_is_checked_too(tmp_path: Path) -> None:
    run = attempt(tmp_path / "p", "XPU", TENSORFLOW, "--device-type", "xpu")
    assert run.code == 2
    assert "the device type 'xpu' cannot be used: SP_Platform.type wants" in run.stderr
    assert "the name" not in run.stderr


@pytest.mark.parametrize("name", ["9", "a b", "naïve", "x" * 41])
def test_a_name_that_no_file_could_have_is_refused_by_any_api(tmp_path: Path, name: str) -> None:
    run = attempt(tmp_path / "p", name, "tables")
    assert run.code == 2
    assert "files and functions are named after it" in run.stderr


def test_another_api_wants_other_names(tmp_path: Path) -> None:
    assert attempt(tmp_path / "p", "XPU", "toybox").code == 2
    new(tmp_path / "p", "Bear", "toybox")


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("--with", "kernel"), "has no feature 'kernel'\n  hint: did you mean 'kernels'?"),
        (("--with", "kernels,graphs"), "has no feature 'graphs'"),
    ],
)
def test_features_that_do_not_exist_are_refused(tmp_path: Path, options: tuple[str, ...], complaint: str) -> None:
    run = attempt(tmp_path / "p", "XPU", TENSORFLOW, *options)
    assert run.code == 2
    assert complaint in run.stderr


@pytest.mark.ci
def test_an_extension_of_another_api_is_refused(tmp_path: Path) -> None:
    run = attempt(tmp_path / "p", "Toy", "xla/pjrt_stream")
    assert run.code == 2
    assert "pjrt_stream.yaml describes an extension, which the plugin of another API offers" in run.stderr
    assert not (tmp_path / "p").exists()


def test_a_language_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    run = attempt(tmp_path / "p", "XPU", TENSORFLOW, language="cc")
    assert run.code == 2
    assert "there is no language 'cc'" in run.stderr


def test_an_api_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    run = attempt(tmp_path / "p", "XPU", "tensorflow/stream_executer")
    assert run.code == 2
    assert "did you mean `tensorflow/stream_executor`?" in run.stderr


def test_an_api_without_anything_for_plugins_is_refused(tmp_path: Path) -> None:
    run = attempt(tmp_path / "p", "XPU", "tensorflow/tf_status")
    assert run.code == 2
    assert "tf_status.yaml would export nothing" in run.stderr


def test_nothing_is_overwritten_or_half_written(tmp_path: Path) -> None:
    project = tmp_path / "p"
    (project / "src").mkdir(parents=True)
    (project / "src" / "callbacks.c").write_text("mine\n")
    run = attempt(project, "Bear", "toybox")
    assert run.code == 2
    assert "callbacks.c is there already; nothing was written" in run.stderr
    assert "--force" in run.stderr
    assert [path for path in project.rglob("*") if path.is_file()] == [project / "src" / "callbacks.c"]
    assert (project / "src" / "callbacks.c").read_text() == "mine\n"
    new(project, "Bear", "toybox", "--force")
    assert "bear_make" in (project / "src" / "callbacks.c").read_text()


def test_a_folder_that_is_used_already_is_one_error(tmp_path: Path) -> None:
    project = new(tmp_path / "p", "Bear", "toybox")
    files = sum(path.is_file() for path in project.rglob("*"))
    run = attempt(project, "Bear", "toybox")
    assert run.code == 2
    assert run.stderr.count("error:") == 1
    assert f"{files} files of {project} are there already; nothing was written: " in run.stderr
    assert "--update brings a project up to date" in run.stderr


def test_what_cannot_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    project = tmp_path / "p"
    (project / "src" / "callbacks.c").mkdir(parents=True)
    assert attempt(project, "Bear", "toybox", "--force").code == 2
    assert [path for path in project.rglob("*") if path.is_file()] == []


@pytest.mark.ci
def test_the_folder_is_named_after_the_plugin(tmp_path: Path) -> None:
    run = abigen("new", "MY_XPU", "--api", TENSORFLOW, cwd=tmp_path)
    assert run.code == 0, run.stderr
    assert (tmp_path / "my_xpu" / "CMakeLists.txt").exists()
    assert "next: see my_xpu/README.md" in run.stdout


@pytest.mark.ci
def test_the_same_request_makes_the_same_files(tmp_path: Path) -> None:
    one, two = (new(tmp_path / name, "XPU", TENSORFLOW, "--with", "ops") for name in ("one", "two"))
    files = {path.relative_to(one): path.read_bytes() for path in one.rglob("*") if path.is_file()}
    assert files == {path.relative_to(two): path.read_bytes() for path in two.rglob("*") if path.is_file()}


HEADER = """#include <stddef.h>
typedef struct OK_Plugin { size_t struct_size; int (*run)(int count); } OK_Plugin;
int OK_InitPlugin(OK_Plugin* plugin);
"""


def test_a_plugin_is_begun_from_a_header(tmp_path: Path) -> None:
    (tmp_path / "ok.h").write_text(HEADER)
    run = abigen("new", "Bear", "--api", "ok.h", cwd=tmp_path)
    assert run.code == 0, run.stderr
    assert "wrote bear/spec/ok.yaml, the spec of ok.h. OK_InitPlugin is assumed to be the entry point\n" in run.stdout
    assert "OK_InitPlugin(" in (tmp_path / "bear/src/callbacks.c").read_text()
    (tmp_path / "ok.h").unlink()
    run = abigen("new", "--update", "bear", cwd=tmp_path)
    assert run.code == 0, run.stderr
    assert "Bear: ok to ok\n" in run.stdout


def test_of_several_possible_entry_points_none_is_chosen(tmp_path: Path) -> None:
    text = HEADER.replace("OK_InitPlugin", "OK_InitOne") + "int OK_InitTwo(OK_Plugin* plugin);\n"
    (tmp_path / "ok.h").write_text(text)
    run = abigen("new", "Bear", "--api", "ok.h", cwd=tmp_path)
    assert run.code == 2
    assert "ok.h: several functions may be the entry point: OK_InitOne, OK_InitTwo" in run.stderr
    assert "hint: name the one that the core looks up: --entry OK_InitOne" in run.stderr
    run = abigen("new", "Bear", "--api", "ok.h", "--entry", "OK_InitTwo", cwd=tmp_path)
    assert run.code == 0, run.stderr
    assert "the plugin exports OK_InitTwo\n" in run.stdout


@pytest.mark.first_case
@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("#define X 1\n", "a plugin of spec/none.yaml would export nothing: "),
        ("int f(;\n", "none.h:1:6: "),
        ("#include <vector>\nint f(std::vector<int>);\n", "none.h:1:10: "),
        ("", "none.h declares nothing"),
    ],
)
def test_a_header_of_which_no_plugin_can_be_begun_is_refused_in_one_line(tmp_path: Path, text: str, cause: str) -> None:
    (tmp_path / "none.h").write_text(text)
    run = abigen("new", "Bear", "--api", "none.h", cwd=tmp_path)
    assert run.code == 2
    assert run.stderr.startswith(f"abigen: error: abigen cannot begin a plugin from none.h: {cause}"), run.stderr
    assert len([line for line in run.stderr.splitlines() if not line.startswith("  hint: ")]) == 1
    assert not (tmp_path / "bear").exists()


def test_a_header_that_does_not_exist_is_named(tmp_path: Path) -> None:
    run = abigen("new", "Bear", "--api", "nofile.h", cwd=tmp_path)
    assert (run.code, run.stderr) == (2, "abigen: error: there is no file nofile.h\n")


@pytest.mark.ci
def test_a_compiler_names_declarations_and_the_authors_functions_not_what_cffi_made(tmp_path: Path) -> None:
    require_module("cffi")
    (tmp_path / "x.h").write_text(HEADER)
    assert abigen("new", "Bear", "--api", "x.h", "--lang", "python", cwd=tmp_path).code == 0
    bear, entry = tmp_path / "bear", tmp_path / "entry.c"
    subprocess.run([sys.executable, bear / "build_plugin.py", entry], check=True, capture_output=True)
    lines = entry.read_text().splitlines()
    header, code = bear / "generated/include/x.h", bear / "src/callbacks.py"
    for path, text in ((header, "typedef struct OK_Plugin {"), (code, "def OK_InitPlugin("), (code, "def bear_run(")):
        place = next(at for at, line in enumerate(path.read_text().splitlines(), 1) if line.startswith(text))
        assert f'#line {place} "{path}"' in lines
    for at, line in enumerate(lines, 1):
        if line.startswith("#line") and line.endswith('entry.c"'):
            assert int(line.split()[1]) == at + 1
