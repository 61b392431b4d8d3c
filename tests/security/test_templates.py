"""Templates that a pull request plants: none is used without being named, and none leaves its sandbox."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.integrations.test_pre_commit import ROOT, pre_commit
from tests.cli.program import Program
from tests.cli.samples import FIRST, INSERTED
from tests.generator.new.projects import SPEC as APIS
from tests.tools import require

__all__ = ["pre_commit"]

Write = Callable[..., Path]

SPEC = (APIS / "toybox.yaml").read_text("utf-8")
ATTACK = "{{ namespace.__init__.__globals__['__builtins__']['open']('ran', 'w').write('') }}\n"
"""Makes the file `ran` wherever templates are run as they are."""
ESCAPES = {
    "class": "{{ ''.__class__.__mro__[1].__subclasses__() }}",
    "globals": ATTACK,
    "filter": "{{ words | attr('__globals__') }}",
    "subscript": "{{ words['__globals__'] }}",
    "format": "{{ '{0.__class__}'.format('') }}",
    "format_map": "{{ '{a.__class__}'.format_map({'a': ''}) }}",
    "self": "{{ self.__init__.__globals__ }}",
    "view": "{{ header.__class__.__init__ }}",
    "macro": "{% macro m() %}{% endmacro %}\n{{ m.__init__.__globals__ }}",
    "map": "{{ [''] | map(attribute='__class__') | first }}",
}
"""Ways from a template to Python; the message has to name the last line."""


@pytest.fixture
def planted(abigen: Program, write: Write) -> Path:
    """A project that is up to date, and then gets templates that nobody asks for."""
    write("spec/toybox.yaml", SPEC)
    assert abigen("build").code == 0
    for name in ("c/header.h.j2", "new/c/project/README.md.j2", "new/c/callback.j2", "report/page.html.j2"):
        write(f"templates/{name}", ATTACK)
    return abigen.directory / "ran"


def test_the_attack_runs_where_nothing_holds_it(abigen: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    from jinja2 import Environment

    monkeypatch.chdir(abigen.directory)
    Environment().from_string(ATTACK).render()
    assert (abigen.directory / "ran").exists()


@pytest.mark.parametrize(
    "command", [["build"], ["build", "--check"], ["build", "--target", "c"], ["new", "Bear", "bear", "--api", "toybox"]]
)
def test_templates_of_the_working_folder_are_not_used(abigen: Program, planted: Path, command: list[str]) -> None:
    result = abigen(*command)
    assert (result.code, result.remarks) == (0, "")
    assert not planted.exists()


def test_reports_use_no_templates_of_the_working_folder(abigen: Program, planted: Path, write: Write) -> None:
    write("old.h", FIRST)
    write("new.h", INSERTED)
    result = abigen("diff", "old.h", "new.h", "--format", "html")
    assert (result.code, result.output.startswith("<!doctype html>")) == (1, True)
    assert not planted.exists()


@pytest.mark.ci
def test_the_hook_uses_no_templates_of_the_commit(
    pre_commit: Callable[..., subprocess.CompletedProcess[str]], planted: Path
) -> None:
    result = pre_commit("abigen-build-check")
    assert result.returncode == 0, result.stdout
    assert "up to date in generated" in result.stdout
    assert not planted.exists()


@pytest.mark.ci
def test_the_cmake_module_uses_no_templates_of_the_project(abigen: Program, planted: Path, write: Write) -> None:
    require("cmake")
    program = write("abigen.sh", f'#!/bin/sh\nexec "{sys.executable}" -m abigen "$@"\n')
    program.chmod(0o755)
    module = abigen("cmake-dir").output.strip()
    write(
        "CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.16)\nproject(toy NONE)\nfind_package(abigen REQUIRED)\n"
        "abigen_generate(TARGET toy SPEC spec/toybox.yaml)\n",
    )
    options = [f"-Dabigen_DIR={module}", f"-DABIGEN_EXECUTABLE={program}"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "ABIGEN_CACHE_DIR": str(abigen.cache)}
    command = ["cmake", "-S", ".", "-B", "made", *options]
    done = subprocess.run(command, cwd=abigen.directory, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "TP_ToyFns" in (abigen.directory / "made/abigen/toy/c/toybox.h").read_text()
    assert not planted.exists()


def test_a_core_is_not_made_of_the_working_folder(abigen: Program, write: Write) -> None:
    write("templates/host/mine/backend/__init__.py", "open('ran', 'w')\n")
    write("templates/host/tensorflow/backend/__init__.py", "open('ran', 'w')\n")
    result = abigen("run", "--api", "mine", "./plugin.so")
    assert (result.code, "there is no core for `mine`" in result.remarks) == (2, True)
    assert abigen("run", "./plugin.so").code != 0
    assert not (abigen.directory / "ran").exists()


def test_checks_of_the_working_folder_are_not_run(abigen: Program, write: Write) -> None:
    check = write("templates/verify/stream_executor/mine.py", "open('ran', 'w')\n").parent
    assert abigen("verify", "--list").code == 0
    assert not (abigen.directory / "ran").exists()
    abigen("verify", "--list", "--checks", str(check))
    assert (abigen.directory / "ran").exists()


@pytest.mark.parametrize("escape", ESCAPES.values(), ids=ESCAPES.keys())
def test_a_template_that_is_asked_for_does_not_get_out(abigen: Program, write: Write, escape: str) -> None:
    write("spec/toybox.yaml", SPEC)
    write("mine/c/header.h.j2", escape)
    result = abigen("build", "--templates", "mine")
    line = escape.strip().count("\n") + 1
    assert result.code == 2
    assert result.remarks.startswith(f"mine/c/header.h.j2:{line}:1: error: template `c/header.h.j2`: ")
    assert "Traceback" not in result.remarks
    assert not (abigen.directory / "ran").exists()
    assert not (abigen.directory / "generated").exists()


@pytest.mark.parametrize("name", ["new/c/project/notes.txt.j2", "new/api/toybox/features.yaml", "new/c/targets.yaml"])
def test_templates_of_new_do_not_get_out_either(abigen: Program, write: Write, name: str) -> None:
    write("spec/toybox.yaml", SPEC)
    write(f"mine/{name}", f"one\n{ATTACK}")
    result = abigen("new", "Bear", "bear", "--api", "toybox", "--templates", "mine")
    assert (result.code, result.remarks.startswith(f"mine/{name}:2:1: error: template `{name}`: ")) == (2, True)
    assert not (abigen.directory / "ran").exists()
    assert not (abigen.directory / "bear").exists()


def test_a_template_that_is_asked_for_shadows_a_single_file(abigen: Program, write: Write) -> None:
    write("spec/toybox.yaml", SPEC)
    write(
        "templates/c/header.h.j2", '{% extends "abigen:c/header.h.j2" %}\n{% block doc %}\n\n// Ours.\n{% endblock %}\n'
    )
    result = abigen("build", "--templates", "templates")
    assert (result.code, result.remarks) == (0, "")
    assert "// Ours." in (abigen.directory / "generated/c/toybox.h").read_text()
    assert "// Ours." not in (abigen.directory / "generated/c/toybox_helpers.h").read_text()
    assert abigen("build", "--check", "--templates", "templates").code == 0
    assert abigen("build", "--check").code == 1
