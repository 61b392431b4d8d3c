"""A header from someone else reads nothing that it should not, and ends in time."""

from __future__ import annotations

import os
import resource
import time
from pathlib import Path

import pytest

from abigen.model.span import AbigenError
from tests.headers.preprocess.compilers import own_tokens, unit_of
from tests.sampling import short_form
from tests.tools import require

MAX_SECONDS = 10.0


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A working copy, and a file beside it that is none of its business."""
    folder = tmp_path / "project" / "api"
    folder.mkdir(parents=True)
    (tmp_path / "project" / ".git").mkdir()
    (tmp_path / "secret.h").write_text("int secret;\n")
    return folder


def refusal(path: Path, text: str, **options: object) -> str:
    path.write_text(text)
    with pytest.raises(AbigenError) as caught:
        unit_of(path, cc="none", **options)  # type: ignore[arg-type]
    (diagnostic,) = caught.value.diagnostics
    return f"{diagnostic.place.line}: {diagnostic.message}" if diagnostic.place else diagnostic.message


@pytest.mark.parametrize("name", ["/etc/passwd", "../../secret.h", "../../../../../../../etc/passwd"])
@pytest.mark.parametrize("form", ['"{}"', "<{}>"])
def test_an_include_does_not_lead_out_of_the_project(project: Path, name: str, form: str) -> None:
    found = refusal(project / "x.h", f"\n#include {form.format(name)}\n", include_dirs=[project])
    if form == "<{}>" and name != "/etc/passwd":
        assert found in (f"2: '{name}' is outside of the directories that may be read", f"2: '{name}' not found")
    else:
        assert found == f"2: '{name}' is outside of the directories that may be read"


def test_a_link_in_the_project_does_not_lead_out_of_it(project: Path) -> None:
    (project / "link.h").symlink_to(project.parents[1] / "secret.h")
    assert (
        refusal(project / "x.h", '#include "link.h"\n') == "1: 'link.h' is outside of the directories that may be read"
    )


def test_an_include_may_go_up_inside_of_the_project(project: Path) -> None:
    (project.parent / "base.h").write_text("int base;\n")
    (project / "x.h").write_text('#include "../base.h"\n')
    assert own_tokens(unit_of(project / "x.h", cc="none")) == ["int", "base", ";"]


def test_an_include_may_go_where_the_user_has_pointed(project: Path) -> None:
    (project / "x.h").write_text('#include "../../secret.h"\n')
    outside = project.parents[1]
    assert own_tokens(unit_of(project / "x.h", cc="none", include_dirs=[outside])) == ["int", "secret", ";"]


def test_a_directory_that_the_user_has_named_may_consist_of_links(project: Path) -> None:
    links = project.parents[1] / "links"
    links.mkdir()
    (links / "linked.h").symlink_to(project.parents[1] / "secret.h")
    (project / "x.h").write_text("#include <linked.h>\n")
    assert "secret" in own_tokens(unit_of(project / "x.h", cc="none", include_dirs=[links]))


def test_without_a_working_copy_an_include_stays_below_the_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "a" / "b"
    folder.mkdir(parents=True)
    (tmp_path / "a" / "up.h").write_text("int up;\n")
    monkeypatch.chdir("/")
    text = '#include "../up.h"\n'
    assert refusal(folder / "x.h", text) == "1: '../up.h' is outside of the directories that may be read"
    monkeypatch.chdir(tmp_path)
    assert own_tokens(unit_of(folder / "x.h", cc="none")) == ["int", "up", ";"]


def test_what_is_no_file_is_not_opened(project: Path) -> None:
    os.mkfifo(project / "pipe.h")
    assert refusal(project / "x.h", '#include "pipe.h"\n') == "1: 'pipe.h' not found"
    assert refusal(project / "x.h", '#include "/dev/zero"\n') == "1: '/dev/zero' not found"
    assert refusal(project / "x.h", '#include "../api"\n') == "1: '../api' not found"


def test_a_question_about_a_file_outside_is_answered_with_no(project: Path) -> None:
    (project / "x.h").write_text(
        '#if __has_include("/etc/passwd") || __has_include("../../secret.h")\nint a;\n#endif\n'
    )
    assert own_tokens(unit_of(project / "x.h", cc="none")) == []


def test_no_text_of_a_header_reaches_the_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (gcc,) = require("gcc")
    seen = tmp_path / "seen"
    compiler = tmp_path / "cc"
    compiler.write_text(f'#!/bin/sh\necho "$@" >> {seen}\ntee -a {seen} | exec {gcc} "$@"\n')
    compiler.chmod(0o755)
    path = tmp_path / "peculiar.h"
    path.write_text("#include <stddef.h>\n#define PECULIAR 1\nint peculiar;\n#pragma peculiar\n")
    assert "peculiar" in own_tokens(unit_of(path, cc=str(compiler)))
    assert "-dM" in seen.read_text()
    assert "eculiar" not in seen.read_text().replace(str(tmp_path), "")


def _doubling(first: str, line: str, count: int) -> str:
    return first + "".join(line.format(number=number, before=number - 1) for number in range(1, count))


BOMBS = {
    "tokens": _doubling("#define A0 x\n", "#define A{number} A{before} A{before} A{before} A{before}\n", 30) + "A29\n",
    "conditions": _doubling("#define A0 1\n", "#define A{number} A{before}+A{before}\n", 60) + "#if A59\n#endif\n",
    "arguments": _doubling("#define F0(x) x x\n", "#define F{number}(x) F{before}(F{before}(x))\n", 30) + "F25(1)\n",
    "names": "#define C(a, b) a##b\n#define X(a, b) C(a, b)\n"
    + _doubling("#define D0 aaaaaaaa\n", "#define D{number} X(D{before}, D{before})\n", 50)
    + "D49\n",
    "strings": "#define S(x) #x\n#define X(x) S(x)\n"
    + _doubling('#define D0 "\\\\"\n', "#define D{number} X(D{before})\n", 60)
    + "D59\n",
    "nested arguments": "#define f(x) x\n" + "f(" * 5000 + "1" + ")" * 5000 + "\n",
    "nested parentheses": "#if " + "(" * 5000 + "1" + ")" * 5000 + "\n#endif\n",
    "nested conditions": "#if " + "1?" * 5000 + "1" + ":0" * 5000 + "\n#endif\n",
    "nested __VA_OPT__": "#define f(...) " + "__VA_OPT__(" * 5000 + "1" + ")" * 5000 + "\nf(1)\n",
    "includes": '#if __INCLUDE_LEVEL__ < 60\n#include "x.h"\n#include "x.h"\n#endif\n',
    "endless tokens": "int f(int a);\n" * 400_000,
    "endless arguments": "#define f(...) 1\nf(" + "a," * 2_000_000 + ")\n",
    "too long": "int a;\n" * 2_000_000,
    "conditionals": "#if 1\n" * 300_000 + "#endif\n" * 300_000,
}
HEAVY = {
    "quotes": "'" * 400_000,
    "escapes": '"\\' * 400_000,
    "open comments": "\n/*" * 1_000_000,
    "signs": "\n#" * 200_000,
    "backslashes": "\\\n" * 500_000,
    "white space": " " * 2_000_000,
    "digits": "1" * 2_000_000,
    "digits in a condition": "#if " + "9" * 1_000_000 + "\n#endif\n",
    "operators in a condition": "#if " + "!" * 50_000 + "1\n#endif\n",
    "parameters": "#define f(" + ",".join(f"a{number}" for number in range(50_000)) + ") x\n",
    "questions": "#if " + " || ".join(f"__has_include(<no{number}.h>)" for number in range(2_000)) + "\n#endif\n",
    "missing files": "".join(f"#include <no{number}.h>\n" for number in range(2_000)),
}


@pytest.mark.ci
@pytest.mark.parametrize("name", short_form(BOMBS, 3, in_ci=True))
def test_a_header_that_explodes_is_refused_in_time(tmp_path: Path, name: str) -> None:
    path = tmp_path / "x.h"
    path.write_text(BOMBS[name])
    start = time.process_time()
    with pytest.raises(AbigenError) as caught:
        unit_of(path, cc="none")
    assert caught.value.diagnostics
    assert all(each.place for each in caught.value.diagnostics)
    assert time.process_time() - start < MAX_SECONDS


@pytest.mark.ci
@pytest.mark.parametrize("name", HEAVY)
def test_an_odd_header_is_read_or_refused_in_time(tmp_path: Path, name: str) -> None:
    path = tmp_path / "x.h"
    path.write_text(HEAVY[name])
    start = time.process_time()
    try:
        unit_of(path, cc="none")
    except AbigenError as error:
        assert len(error.diagnostics) <= 50
    assert time.process_time() - start < MAX_SECONDS
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 1 << 20


def test_random_bytes_are_refused_or_read_without_a_crash(tmp_path: Path) -> None:
    from random import Random

    path = tmp_path / "x.h"
    for seed in range(200):
        random = Random(seed)
        alphabet = random.choice((bytes(range(256)), b"#()\\\n\"'/*,a1 ", b'#if dne\n01()<>include"defined&|!:?'))
        path.write_bytes(bytes(random.choices(alphabet, k=random.randint(0, 300))))
        try:
            unit_of(path, cc="none")
        except AbigenError as error:
            assert all(each.place for each in error.diagnostics)
