"""Tests of the comment that accepts a finding: it accepts this one, and changes no other."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

import pytest

from abigen.checker.acceptance_comment import accepting
from abigen.checker.compare import compare, judge_form
from abigen.checker.policy import find_policy
from abigen.model.api import ApiSet
from abigen.model.edits import applied
from abigen.model.finding import Finding
from abigen.specs.load import load
from abigen.workspace.options import ReadOptions
from tests.checker.lint.fixtures import Case, all_cases
from tests.checker.rules.fixtures import Pair, all_pairs

Judge: TypeAlias = Callable[[ApiSet], tuple[Sequence[Finding], Sequence[Finding]]]
PAIRS = [each for each in all_pairs() if each.rules]
GROUPS = 8
_ABOUT_ALL = {"bump-missing", "bump-without-cause", "bump-not-reset", "target-dependent"}
"""The rules whose findings follow from all others."""


def _keys(findings: Sequence[Finding]) -> Counter[tuple[str, str, str]]:
    return Counter((each.code, each.entity, each.message) for each in findings if each.rule not in _ABOUT_ALL)


def _check_all(new: ApiSet, path: Path, targets: tuple[str, ...], judge: Judge, folder: Path) -> int:
    """Accept a finding of each rule by itself, and return how many were accepted.

    Args:
        new: the API.
        path: its file.
        targets: as it was read.
        judge: returns the findings of an API that count, and those that are accepted.
        folder: an empty folder.
    """
    copied = folder / path.parent.name
    shutil.copytree(path.parent, copied)
    found, accepted_before = judge(new)
    count = 0
    for finding in {each.rule: each for each in found}.values():
        fix = accepting(finding, new)
        if fix is None:
            assert finding.new is None or finding.code.startswith("ABI9"), finding
            continue
        ((name, text),) = applied(new.sources, [fix])[0].items()
        file = copied / Path(name).relative_to(path.parent)
        original = file.read_bytes()
        file.write_text(text)
        edited = load(str(copied / path.name), ReadOptions(targets=targets, include_dirs=(str(copied),)))
        left, accepted = judge(edited)
        (edit,) = fix.edits
        shown = f"{finding.rule} {finding.entity}: {edit.text!r} at {name}:{edit.start}"
        gained = _keys(accepted) - _keys(accepted_before)
        same = [each for each in found if (each.rule, each.entity) == (finding.rule, finding.entity)]
        if finding.rule not in _ABOUT_ALL:
            assert gained == _keys(same), shown
            assert _keys(left) == _keys(found) - _keys(same), shown
        else:
            assert finding.rule in {each.rule for each in accepted}, shown
        assert not fix.is_safe
        count += 1
        file.write_bytes(original)
    return count


@pytest.mark.ci
@pytest.mark.parametrize("group", range(GROUPS))
def test_a_comment_accepts_one_finding_of_a_change(group: int, tmp_path: Path) -> None:
    def check(pair: Pair, number: int) -> int:
        old = pair.read("old")

        def judge(new: ApiSet) -> tuple[Sequence[Finding], Sequence[Finding]]:
            verdict = compare(old, new, pair.policy)
            return verdict.findings, [each.finding for each in verdict.accepted]

        folder = tmp_path / str(number)
        folder.mkdir()
        return _check_all(pair.read("new"), pair.side("new"), pair.targets, judge, folder)

    assert sum(check(pair, number) for number, pair in enumerate(PAIRS[group::GROUPS])) > 20


@pytest.mark.ci
def test_a_comment_accepts_one_flaw(tmp_path: Path) -> None:
    def check(case: Case, number: int) -> int:
        def judge(api: ApiSet) -> tuple[Sequence[Finding], Sequence[Finding]]:
            findings, accepted = judge_form(api, case.policy)
            return findings, [each.finding for each in accepted]

        folder = tmp_path / str(number)
        folder.mkdir()
        path = next(path for path in (case.folder / "api.h", case.folder / "api.yaml") if path.exists())
        return _check_all(case.read(), path, case.targets, judge, folder)

    assert sum(check(case, number) for number, case in enumerate(all_cases())) > 20


def _accepted(name: str, texts: tuple[str, str], rule: str, folder: Path) -> str:
    """Return NEW's text with the comment that accepts the finding of a rule; empty for none."""
    sides = []
    for side, text in zip(("old", "new"), texts, strict=True):
        path = folder / side / name
        path.parent.mkdir()
        path.write_text(text)
        sides.append(load(str(path), ReadOptions(targets=("x86_64-linux-gnu",))))
    findings = compare(sides[0], sides[1], find_policy("default")).findings
    fix = accepting(next(each for each in findings if each.rule == rule), sides[1])
    return next(iter(applied(sides[1].sources, [fix])[0].values())) if fix is not None else ""


OLD = "struct s {\n  int a;\n  int b;\n};\nint f(struct s *p);\n"
SPEC = "abigen: 1\napi: toy\nversion: 1.0.0\nstructs:\n- name: TO_S\n  fields:\n  - {name: a, type: int}\n"


@pytest.mark.parametrize(
    ("new", "rule", "inserted", "before"),
    [
        (OLD.replace("int f", "long f"), "function-signature-changed", "/* {} */", "long f"),
        (OLD.replace("int b;", "long b;  // b"), "field-type-changed", "  // {}", "  long b;"),
        (OLD.replace("  int b;\n", ""), "field-removed", "/* {} */", "struct s {"),
        (OLD.replace("int f(struct s *p);\n", ""), "function-removed", "/* {} */", ""),
        (f"// Generated by a program.\n{OLD.replace('int f', 'long f')}", "function-signature-changed", "", ""),
    ],
)
def test_the_comment_is_above_the_declaration_in_the_style_of_the_header(
    new: str, rule: str, inserted: str, before: str, tmp_path: Path
) -> None:
    entity = {"field-removed": " s.b", "function-removed": " f"}.get(rule, "")
    comment = f"{inserted.format(f'abigen: accept {rule}{entity}: TODO: why')}\n"
    expected = new.replace(before, comment + before) if before else f"{new}{comment}" if inserted else ""
    assert _accepted("api.h", (OLD, new), rule, tmp_path) == expected


def test_a_spec_gets_a_comment_of_yaml(tmp_path: Path) -> None:
    text = _accepted("api.yaml", (SPEC, SPEC.replace("int}", "long}")), "field-type-changed", tmp_path)
    assert text == SPEC.replace("int}", "long}").replace(
        "  - {name: a", "  # abigen: accept field-type-changed TO_S.a: TODO: why\n  - {name: a"
    )


def test_the_comment_documents_nothing(tmp_path: Path) -> None:
    path = tmp_path / "api.h"
    path.write_text("// Plays.\n// abigen: accept function-added: it was asked for\nint f(void);\n")
    api = load(str(path), ReadOptions(targets=("x86_64-linux-gnu",))).groups[0].api
    assert api.functions["f"].doc == "Plays."
