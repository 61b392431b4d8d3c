"""Tests of --select, --ignore and --level, which change the shown findings and neither verdict nor exit code."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.program import Program

Write = Callable[..., Path]

OLD = "#pragma once\nstruct S { int a; int b; };\nint f(void);\n"
NEW = "#pragma once\nstruct S { int a; };\nint g(void);\nint h(void);\n"
COUNTS = "2 breaking changes, 2 additions"
VERDICT = "This needs a new MAJOR version. No version is stated."


@pytest.fixture(autouse=True)
def headers(write: Write) -> None:
    """Two headers with a struct and functions between them."""
    write("old.h", OLD)
    write("new.h", NEW)


@pytest.mark.first_case
@pytest.mark.parametrize(
    ("options", "shown", "left_out"),
    [
        (["--select", "field-removed"], {"field-removed"}, 3),
        (["--select", "ABI4*"], {"function-removed", "function-added"}, 2),
        (["--select", "function-r*,field-*"], {"function-removed", "field-removed"}, 2),
        (["--select", "function-*", "--ignore", "ABI402"], {"function-removed"}, 4),
        (["--ignore", "ABI1*"], {"function-removed", "function-added"}, 2),
        (["--level", "error"], {"function-removed", "field-removed"}, 3),
    ],
)
def test_what_is_not_shown_is_counted_and_judged(
    options: list[str], shown: set[str], left_out: int, abigen: Program
) -> None:
    run = abigen("diff", "old.h", "new.h", *options)
    lines = run.output.splitlines()
    assert (run.code, lines[-1]) == (1, f"{COUNTS}, {left_out} findings not shown. {VERDICT}")
    assert {line.split()[2].rstrip(":") for line in lines if line.startswith(("error", "warning", "note"))} == shown
    report = json.loads(abigen("diff", "old.h", "new.h", *options, "--format", "json").output)
    assert report["required_bump"] == "major"
    assert report["not_shown"] == left_out
    assert {each["rule"] for each in report["findings"]} - {"removed-without-deprecation"} == shown


@pytest.mark.parametrize("name", ["sarif", "markdown", "html", "github", "junit"])
def test_every_format_shows_the_same(name: str, abigen: Program) -> None:
    text = abigen("diff", "old.h", "new.h", "--ignore", "function-removed", "--format", name).output
    assert "field-removed" in text
    assert "f was removed" not in text


def test_flaws_are_selected_alike_and_fail_alike(abigen: Program) -> None:
    run = abigen("lint", "old.h", "--ignore", "missing-extern-c", "--fail-on", "warning")
    assert (run.code, run.output) == (1, "1 warning, 1 finding not shown\n")


def test_a_pattern_that_means_no_rule_is_refused_with_a_suggestion(abigen: Program) -> None:
    run = abigen("diff", "old.h", "new.h", "--select", "fieldremoved")
    assert run.code == 2
    assert "there is no rule `fieldremoved`; did you mean `field-removed`?" in run.remarks
