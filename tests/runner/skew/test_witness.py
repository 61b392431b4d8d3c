"""`abigen skew OLD NEW` for two headers."""

from __future__ import annotations

import json
import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from tests.running import Run, run_here
from tests.sampling import short_form
from tests.tools import require

TOP = "#include <stddef.h>\n#include <stdint.h>\n"
TOY = "typedef struct SP_Toy {{ size_t struct_size; {} }} SP_Toy;\n"
FLAT = "typedef struct SE_Box {{ {} }} SE_Box;\n"


def skew(folder: Path, old: str, new: str, *options: str) -> Run:
    """Run abigen on two headers."""
    require("gcc")
    for name, text in (("old.h", old), ("new.h", new)):
        (folder / name).write_text(TOP + text)
    return run_here(["skew", "old.h", "new.h", "--cc", "gcc", *options], folder)


BREAKS = {
    "offset": (TOY.format("int a; int b;"), TOY.format("int a; int c; int b;"), "b: NEW wrote"),
    "size": (FLAT.format("int a[2];"), FLAT.format("int a[4];"), "heap-buffer-overflow"),
    "type": (FLAT.format("int64_t a;"), FLAT.format("double a;"), "a: OLD wrote"),
    "embedded": (
        FLAT.format("int a;") + "typedef struct SE_Out { SE_Box box; int after; } SE_Out;\n",
        FLAT.format("int a; int b;") + "typedef struct SE_Out { SE_Box box; int after; } SE_Out;\n",
        "SE_Out, OLD hands it over: ",
    ),
    "bits": (FLAT.format("unsigned a: 3, b: 5;"), FLAT.format("unsigned a: 4, b: 4;"), "b: OLD wrote"),
    "anonymous": (
        FLAT.format("struct { int a; int b; };"),
        FLAT.format("union { int a; int b; };"),
        "SE_Box, OLD hands it over: b:",
    ),
    "packing": (
        FLAT.format("char a; int b;"),
        f"#pragma pack(1)\n{FLAT.format('char a; int b;')}#pragma pack()\n",
        "b: OLD wrote",
    ),
    "alignment": (
        FLAT.format("int a; int b;"),
        "typedef struct SE_Box { int a; int b; } __attribute__((aligned(16))) SE_Box;\n",
        "_Alignof(SE_Box): OLD wrote 4, NEW read 16",
    ),
    "enumerator": ("enum E { A, B };\n", "enum E { Z, A, B };\n", "A: OLD wrote 0, NEW read 1"),
    "enum width": ("enum E { A };\n", "enum E { A, B = 1ll << 40 };\n", "sizeof(E): OLD wrote 4, NEW read 8"),
    "constant": ("#define LIMIT 4\n", "#define LIMIT 8\n", "LIMIT: OLD wrote 4, NEW read 8"),
    "call": ("void f(double a, int b);\n", "void f(int a, int b);\n", "argument1: OLD wrote"),
    "callback": (TOY.format("int (*f)(int a);"), TOY.format("double (*f)(int a);"), "result: NEW wrote"),
}


@pytest.mark.ci
@pytest.mark.parametrize("kind", short_form(BREAKS, 4, in_ci=True))
def test_each_kind_of_break_is_shown(kind: str, tmp_path: Path) -> None:
    old, new, expected = BREAKS[kind]
    done = skew(tmp_path, old, new)
    assert done.code == 1, done.stdout + done.stderr
    assert expected in done.stdout
    assert done.stdout.startswith("shown ")


@pytest.mark.ci
def test_an_append_holds_with_care_and_a_sanitizer_says_what_happens_without(tmp_path: Path) -> None:
    done = skew(tmp_path, TOY.format("int a;"), TOY.format("int a; int64_t b;"))
    assert done.code == 0, done.stdout + done.stderr
    assert done.stdout.startswith("holds with care ABI108 field-appended SP_Toy.b")
    assert "AddressSanitizer: heap-buffer-overflow" in done.stdout


@pytest.mark.ci
def test_what_is_not_about_bytes_is_said_to_be_so(tmp_path: Path) -> None:
    done = skew(tmp_path, "void f(int a);\n", "void f(int b);\nvoid g(void);\n")
    assert done.code == 0
    assert "not about bytes ABI404 parameter-renamed f" in done.stdout
    assert "2 not about bytes" in done.stdout


@pytest.mark.ci
def test_what_no_program_shows_is_said_with_the_reason(tmp_path: Path) -> None:
    done = skew(tmp_path, "void f(int a);\n", "void f(int a, ...);\n")
    assert "not shown ABI403 function-signature-changed f: programs of both sides ran" in done.stdout
    assert done.code == 0


@pytest.mark.ci
def test_a_kept_program_runs_without_abigen(tmp_path: Path) -> None:
    done = skew(tmp_path, FLAT.format("int a; int b;"), FLAT.format("int b; int a;"), "--keep", "kept")
    assert "program: kept/SE_Box" in done.stdout
    folder = tmp_path / "kept" / "SE_Box"
    lines = (folder / "main.c").read_text().splitlines()
    commands = [line.strip() for line in lines[: lines.index("*/")] if line.strip().startswith("gcc ")]
    (folder / "witness").unlink()
    for each in commands:
        subprocess.run(each, shell=True, cwd=folder, check=True, timeout=60)
    ran = subprocess.run(["./witness"], cwd=folder, capture_output=True, text=True, timeout=60, check=False)
    assert ran.returncode == 1
    assert "a: OLD wrote 3, NEW read 40" in ran.stderr


@pytest.mark.ci
def test_revisions_of_git_are_built_from_copies_of_their_files(tmp_path: Path) -> None:
    require("git")
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "part.h").write_text("typedef struct Part { int a; int b; } Part;\n")
    (tmp_path / "api.h").write_text('#include "inner/part.h"\ntypedef struct Whole { Part part; int c; } Whole;\n')
    identity = ["-c", "user.name=a", "-c", "user.email=a@b"]
    for words in (["init", "-q"], ["add", "."], [*identity, "commit", "-qm", "one"]):
        subprocess.run(["git", *words], cwd=tmp_path, check=True, timeout=60)
    (tmp_path / "inner" / "part.h").write_text("typedef struct Part { int b; int a; } Part;\n")
    done = run_here(["skew", "HEAD:api.h", "api.h", "--keep", "kept"], tmp_path)
    assert done.code == 1, done.stdout + done.stderr
    assert (tmp_path / "kept/headers/old/inner/part.h").read_text().endswith("int a; int b; } Part;\n")


@pytest.mark.ci
def test_the_other_formats_say_the_same(tmp_path: Path) -> None:
    texts = FLAT.format("int a; int b;"), FLAT.format("int b; int a;")
    found = json.loads(skew(tmp_path, *texts, "--format", "json").stdout)
    assert not found["ok"]
    assert [each["outcome"] for each in found["findings"]] == ["shown"]
    suite = ElementTree.fromstring(skew(tmp_path, *texts, "--format", "junit").stdout)[0]
    assert (suite.get("tests"), suite.get("failures")) == ("1", "1")
    page = skew(tmp_path, *texts, "--format", "html").stdout
    assert '<details class="finding" id="c1" open>\n<summary class="error">shown ABI' in page
    assert "a: OLD wrote 3, NEW read 40" in page


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--cc", "no-such-compiler"), "there is no program `no-such-compiler`"),
        (("--abi", "no-such-target"), "unknown target 'no-such-target'"),
        (("-I", "nowhere"), "there is no directory nowhere to include from"),
    ],
)
def test_what_cannot_be_answered_is_an_error(options: tuple[str, ...], said: str, tmp_path: Path) -> None:
    done = skew(tmp_path, "void f(void);\n", "void f(int a);\n", *options)
    assert done.code == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.ci
def test_a_header_that_no_compiler_takes_is_an_error(tmp_path: Path) -> None:
    bad = FLAT.format("int a; int b;") + "static inline int f(void) { return nobody_declares_this; }\n"
    done = skew(tmp_path, bad, bad.replace("int a; int b", "int b; int a"))
    assert done.code == 2
    assert "nobody_declares_this" in done.stderr


def test_a_program_for_another_machine_runs_in_an_emulator(tmp_path: Path) -> None:
    require("aarch64-linux-gnu-gcc -static", "qemu-aarch64")
    options = ("--cc", "aarch64-linux-gnu-gcc -static", "--emulator", "qemu-aarch64")
    done = skew(tmp_path, FLAT.format("int a; int b;"), FLAT.format("int b; int a;"), *options)
    assert done.code == 1, done.stdout + done.stderr
    assert "for aarch64-linux-gnu" in done.stdout


@pytest.mark.ci
def test_an_emulator_is_what_runs_the_programs(tmp_path: Path) -> None:
    emulator = tmp_path / "emulator"
    emulator.write_text(f'#!/bin/sh\necho "$1" >> {tmp_path}/ran\nexec "$@"\n')
    emulator.chmod(0o755)
    done = skew(tmp_path, "#define A 1\n", "#define A 2\n", "--emulator", str(emulator))
    assert done.code == 1, done.stdout + done.stderr
    assert "/A/witness" in (tmp_path / "ran").read_text()


@pytest.mark.ci
def test_lines_are_wrapped_for_a_terminal_only(tmp_path: Path) -> None:
    texts = TOY.format("int a;"), TOY.format("int a; int64_t b;")
    whole = skew(tmp_path, *texts).stdout.splitlines()
    wrapped = skew(tmp_path, *texts, "--width", "60").stdout.splitlines()
    assert max(map(len, whole)) > 100
    assert max(map(len, wrapped[:-1])) <= 60
    assert " ".join(" ".join(wrapped).split()) == " ".join(" ".join(whole).split())
