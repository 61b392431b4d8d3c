"""Tests of grouped findings, with headers of many members and functions."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from abigen.checker.compare import registry
from abigen.checker.report.subject import LINES, Group
from abigen.model.finding import Bump, Finding, Level
from tests.cli.program import Program

Write = Callable[..., Path]


@pytest.fixture
def diff(write: Write, abigen: Program) -> Callable[..., list[str]]:
    """The lines that `abigen diff` prints about two headers."""

    def run(old: str, new: str, *arguments: str) -> list[str]:
        write("old.h", old)
        write("new.h", new)
        return abigen("diff", "old.h", "new.h", *arguments).output.splitlines()

    return run


def _functions(names: list[str]) -> str:
    return "".join(f"void {name}(void);\n" for name in names)


def _struct(name: str, members: int) -> str:
    return f"struct {name} {{ {''.join(f'int m{each}; ' for each in range(members))}}};\n"


def test_breaks_come_before_everything_else(diff: Callable[..., list[str]]) -> None:
    lines = diff(_functions(["a", "b"]), _functions(["a", *(f"new{each}" for each in range(9))]))
    places = [at for at, line in enumerate(lines) if line.startswith(("error", "warning", "note"))]
    assert lines[places[0]] == "error ABI401 function-removed: b was removed"
    assert not any(line.startswith("error") for line in lines[places[0] + 1 :])


def test_many_additions_are_one_sentence_that_names_them(diff: Callable[..., list[str]]) -> None:
    names = [f"new{each}" for each in range(12)]
    lines = diff(_functions(["a"]), _functions(["a", *names]))
    (headline,) = (line for line in lines if "function-added" in line)
    assert headline.endswith("12 functions were added:")
    text = " ".join(lines)
    assert all(name in text for name in names)


def test_all_of_it_is_there_with_all(diff: Callable[..., list[str]]) -> None:
    names = [f"new{each}" for each in range(12)]
    lines = diff(_functions(["a"]), _functions(["a", *names]), "--all")
    assert sum("function-added" in line for line in lines) == 12


def test_a_few_findings_stand_by_themselves(diff: Callable[..., list[str]]) -> None:
    lines = diff(_functions(["a"]), _functions(["a", "b", "c"]))
    assert sum("function-added" in line for line in lines) == 2


@pytest.mark.ci
@pytest.mark.parametrize("number", [60, 300])
def test_a_rewrite_of_everything_stays_within_its_lines(number: int, diff: Callable[..., list[str]]) -> None:
    names = [f"S{each}" for each in range(number)]
    lines = diff("".join(_struct(name, 4) for name in names), "".join(_struct(name, 3) for name in names))
    assert len(lines) <= LINES + 20
    assert lines[-1] == f"{number} breaking changes. This needs a new MAJOR version. No version is stated."


def test_the_last_line_counts_what_stands_together_one_by_one(diff: Callable[..., list[str]]) -> None:
    old, new = _functions(["a"]), _functions(["a", *(f"new{each}" for each in range(12))])
    assert (
        diff(old, new)[-1]
        == diff(old, new, "--all")[-1]
        == "12 additions. A new MINOR version is advised. No version is stated."
    )


def test_a_member_that_was_never_deprecated_is_a_line_of_its_removal(diff: Callable[..., list[str]]) -> None:
    lines = diff(_struct("Toy", 2), _struct("Toy", 1))
    assert sum(line.startswith("error") for line in lines) == 1
    assert any("also" in line and "removed-without-deprecation" in line for line in lines)


def test_of_many_breaks_one_of_each_rule_is_written_in_full(diff: Callable[..., list[str]]) -> None:
    names = [f"f{each}" for each in range(9)]
    lines = diff(_functions(names) + _struct("Toy", 2), "void g(void);\nstruct Toy { char m0; int m1; };\n")
    assert sum("function-removed" in line for line in lines) == 2
    assert any("8 more functions were removed" in line for line in lines)
    assert any("field-type-changed" in line for line in lines)


@pytest.mark.parametrize("rule", sorted({each.name for each in registry().all()}))
def test_several_findings_of_a_rule_say_in_words_what_they_have_in_common(rule: str) -> None:
    finding = Finding(rule=rule, code="ABI000", level=Level.ERROR, bump=Bump.NONE, entity="Toy.a", message="")
    sentence = Group((finding, finding), is_full=False).sentence
    assert re.fullmatch(r"2 [a-z].*", sentence)
    if rule not in SAID_ONCE:
        assert not re.search(r"findings|ss were|opaques|dutys", sentence), sentence


SAID_ONCE = (
    *("bump-missing", "version-went-back", "version-macros-missing", "bump-not-reset", "bump-without-cause"),
    "removed-without-deprecation",
)
"""Rules that have one finding in a report, or whose findings are lines of others."""
