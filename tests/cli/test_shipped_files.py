"""No hint asks users to change the specs and templates that come with abigen."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from abigen.cli.terminal import guarded
from abigen.model.span import AbigenError, Span
from abigen.workspace.shipped import SPECS, TEMPLATES, hint_about, is_shipped, shipped
from tests.cli.program import Program
from tests.tools import require

Write = Callable[..., Path]
COPIED = "this spec comes with abigen: choose another, or copy the specs to a folder, and there "
NO_ENTRY_POINT = "hint: " + COPIED + "{} (--spec-dir)\n"


def test_new_names_a_copy_when_a_shipped_spec_has_no_function_for_plugins(abigen: Program) -> None:
    remarks = abigen("new", "XPU", "--api", "tensorflow/tf_status").remarks
    assert NO_ENTRY_POINT.format("state `entry_point: true` at the function that the core looks up") in remarks


@pytest.mark.ci
@pytest.mark.parametrize("plugin", [("p.so",), ("--host", "run {plugin}")])
def test_verify_names_a_copy_when_a_shipped_spec_has_no_entry_point(
    abigen: Program, write: Write, plugin: tuple[str, ...]
) -> None:
    (gcc,) = require("gcc")
    library = ("-shared", "-fPIC", write("p.c", "int answer(void) { return 42; }\n"), "-o", abigen.directory / "p.so")
    subprocess.run([gcc, *library], check=True)
    remarks = abigen("verify", *plugin, "--api", "tensorflow/tf_status").remarks
    assert NO_ENTRY_POINT.format("mark the function that the core calls first `entry_point: true`") in remarks


def test_a_copy_of_a_shipped_spec_is_the_users_to_change(abigen: Program, write: Write) -> None:
    for each in (shipped(SPECS) / "tensorflow").iterdir():
        write(f"mine/{each.name}", each.read_bytes())
    remarks = abigen("new", "XPU", "--api", "tf_status", "--spec-dir", "mine").remarks
    assert "hint: state `entry_point: true` at the function that the core looks up\n" in remarks


def test_specs_that_come_with_abigen_are_listed_without_their_folder(abigen: Program) -> None:
    remarks = abigen("new", "XPU", "--api", "nothing-like-it").remarks
    assert "hint: abigen has `rfc/kernels`, " in remarks
    assert str(shipped(SPECS)) not in remarks


def test_verify_of_a_host_wants_one_api(abigen: Program) -> None:
    result = abigen("verify", "--host", "run {plugin}", "--api", "tensorflow")
    assert result.code == 2
    assert result.remarks == (
        "abigen: error: tensorflow can be for 2 APIs\n"
        "  hint: name one of them with --api: tensorflow/kernels, tensorflow/stream_executor\n"
    )


@pytest.mark.parametrize(
    ("file", "hint"),
    [
        (shipped(SPECS) / "xla/ffi.yaml", f"{COPIED}state size (--spec-dir)"),
        (
            shipped(TEMPLATES) / "new/README.md",
            "this template comes with abigen: report this, or use a changed copy in a folder that --templates names",
        ),
        (Path("own.yaml"), "state size"),
    ],
    ids=["spec", "template", "own"],
)
def test_an_error_in_a_shipped_file_has_a_hint_about_a_copy(
    file: Path, hint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)

    def fail() -> int:
        raise AbigenError.at(Span(str(file), 1, 1), "something is wrong", "state size")

    assert guarded(fail) == 2
    assert capsys.readouterr().err.endswith(f"1:1: error: something is wrong\n  hint: {hint}\n")


def test_in_the_checkout_of_abigen_its_files_are_ones_own(monkeypatch: pytest.MonkeyPatch) -> None:
    file = str(shipped(SPECS) / "xla/ffi.yaml")
    monkeypatch.chdir(shipped(SPECS))
    assert (is_shipped(file), hint_about(file, "state size")) == (False, "state size")
