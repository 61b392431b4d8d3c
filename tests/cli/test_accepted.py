"""Findings that a project accepts: every format lists them, and some belong to one baseline."""

from __future__ import annotations

import html
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.program import Program

Write = Callable[..., Path]

OLD = "struct S { int a; int b; };\n"
NEW = "struct S { int a; };\n"
REASON = "nobody built a plugin"


@pytest.fixture(autouse=True)
def headers(write: Write) -> None:
    """Two headers, and a configuration that accepts their difference."""
    write("old.h", OLD)
    write("new.h", NEW)
    write("abigen.toml", exception())


def exception(*more: str, rule: str = "field-removed", entity: str = "S.b") -> str:
    """Return an exception as abigen.toml has it."""
    lines = [f'rule = "{rule}"', f'entity = "{entity}"', f'reason = "{REASON}"', *more]
    return "\n".join(["[[exceptions]]", *lines]) + "\n"


@pytest.mark.parametrize("form", ["text", "github", "html", "json", "junit", "markdown", "sarif"])
def test_every_format_says_what_is_accepted_and_why(form: str, abigen: Program, write: Write) -> None:
    write("abigen.toml", exception('expires = "2999-01-31"'))
    shown = html.unescape(abigen("diff", "old.h", "new.h", "--format", form).output)
    assert "S.b was removed" in shown
    assert REASON in shown
    assert "2999-01-31" in shown


def test_what_is_accepted_is_counted_and_requires_nothing(abigen: Program) -> None:
    result = abigen("diff", "old.h", "new.h")
    assert f"accepted: ABI101 field-removed: S.b was removed ({REASON})\n" in result.output
    assert result.output.endswith(": 1 finding accepted\n") or "1 finding accepted" in result.output.splitlines()[-1]


def test_lint_lists_and_counts_what_is_accepted(abigen: Program, write: Write) -> None:
    write("toy.h", "#define TOY_STRUCT_SIZE 24\ntypedef struct { unsigned long struct_size; int a; } Toy;\n")
    write("abigen.toml", exception(rule="size-macro-*", entity="*"))
    result = abigen("lint", "toy.h")
    assert "accepted: ABI806 size-macro-stale: TOY_STRUCT_SIZE is 24" in result.output
    assert "1 finding accepted" in result.output.splitlines()[-1]
    assert json.loads(abigen("lint", "toy.h", "--format", "json").output)["accepted_findings"][0]["reason"] == REASON


def test_an_exception_for_a_baseline_holds_for_that_one_alone(abigen: Program, write: Write) -> None:
    write("abigen.toml", exception('against = "old.h"'))
    assert "1 finding accepted" in abigen("diff", "old.h", "new.h").output
    write("older.h", OLD)
    other = abigen("diff", "older.h", "new.h").output
    assert "error ABI101 field-removed" in other
    assert "accepted" not in other


def test_an_exception_for_another_baseline_is_not_called_unused(abigen: Program, write: Write) -> None:
    write("abigen.toml", exception('against = "v1.0.0"', entity="Nobody"))
    assert "exception-unused" not in abigen("diff", "old.h", "new.h").output
    assert "exception-unused" not in abigen("lint", "new.h").output
    write("abigen.toml", exception('against = "old.h"', entity="Nobody"))
    assert "exception-unused" in abigen("diff", "old.h", "new.h").output


def test_in_sarif_all_results_say_whether_they_are_accepted(abigen: Program, write: Write) -> None:
    write("old.h", OLD + "void f(void);\n")
    results = json.loads(abigen("diff", "old.h", "new.h", "--format", "sarif").output)["runs"][0]["results"]
    found = {each["properties"]["entity"]: each["suppressions"] for each in results if each["ruleId"] != "ABI610"}
    assert found["f"] == []
    assert found["S.b"] == [{"kind": "external", "status": "accepted", "justification": REASON}]


@pytest.mark.parametrize(("form", "place"), [("sarif", '"uri": "include/new.h"'), ("github", "file=include/new.h,")])
def test_places_count_from_the_root_of_the_repository(form: str, place: str, abigen: Program, write: Write) -> None:
    (abigen.directory.parent / ".git").mkdir()
    folder = abigen.directory.rename(abigen.directory.parent / "include")
    abigen.directory.mkdir()
    inside = Program(directory=folder, cache=abigen.cache, environment=abigen.environment)
    assert place in inside("diff", "old.h", "new.h", "--format", form, "--no-config").output
