"""`--jobs N`: several processes read, and nothing else is different."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.program import Program

Write = Callable[..., Path]
Git = Callable[..., str]

BEFORE = '#include "types.h"\nstruct Toy { word first; int second; };\n'
AFTER = '#include "types.h"\nstruct Toy { int second; word first; };\n'


@pytest.fixture
def trees(write: Write) -> list[str]:
    """Two directories of headers."""
    for tree, text in (("old", BEFORE), ("new", AFTER)):
        write(f"{tree}/toy.h", text)
        write(f"{tree}/types.h", "typedef long word;\n")
    return ["old", "new"]


@pytest.mark.ci
@pytest.mark.parametrize("form", ["text", "json"])
@pytest.mark.parametrize("cache", [(), ("--no-cache",)])
def test_the_report_is_the_same(abigen: Program, trees: list[str], form: str, cache: tuple[str, ...]) -> None:
    one, two = (abigen("diff", *trees, "--format", form, "--jobs", jobs, *cache) for jobs in ("1", "2"))
    assert one == two
    assert one.code == 1


@pytest.mark.ci
def test_errors_are_the_same_and_in_the_same_order(abigen: Program, trees: list[str], write: Write) -> None:
    for tree in trees:
        write(f"{tree}/wrong.h", "int wrong(Unknown x);\nint more(;\n")
    one, two = (abigen("diff", *trees, "--jobs", jobs) for jobs in ("1", "3"))
    assert one == two
    assert one.code == 2
    assert "new/wrong.h cannot be read by itself" in one.output


@pytest.mark.ci
def test_an_answer_is_not_kept_when_a_file_that_another_process_read_has_changed(
    abigen: Program, trees: list[str], write: Write
) -> None:
    write("new/toy.h", BEFORE)
    assert abigen("diff", *trees, "--jobs", "2").code == 0
    write("new/types.h", "typedef short word;\n")
    assert abigen("diff", *trees, "--jobs", "2").code == 1
    write("new/types.h", "typedef long word;\n")
    write("new/shadow.h", "typedef char other;\n")
    assert "other" in abigen("diff", *trees, "--jobs", "2").output


@pytest.mark.ci
def test_standard_input_revisions_and_lint(abigen: Program, trees: list[str], write: Write, git: Git) -> None:
    git("add", "-A")
    git("commit", "-q", "-m", "trees")
    for words in (("diff", "HEAD:./old", "new"), ("lint", "old/toy.h", "new/toy.h", "HEAD:./old/types.h")):
        one, two = (abigen(*words, "--jobs", jobs) for jobs in ("1", "2"))
        assert one == two
    one, two = (abigen("diff", "-", "new/types.h", "--jobs", jobs, text="typedef int word;\n") for jobs in ("1", "2"))
    assert one == two
    assert one.code == 1
