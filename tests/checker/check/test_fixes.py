"""Tests of the edits that remove findings: the finding is gone, no other one came, and all other lines stay."""

from __future__ import annotations

import subprocess
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abigen.checker.compare import compare, judge_form
from abigen.checker.fixes import fixable_rules, with_fixes
from abigen.checker.policy import find_policy
from abigen.model.api import ApiSet
from abigen.model.edits import applied, fixes_as_diff
from abigen.model.finding import Bump, Finding
from abigen.specs.load import load
from abigen.workspace.options import ReadOptions
from tests.checker.lint.fixtures import Case, all_cases
from tests.checker.rules.fixtures import Pair, all_pairs
from tests.tools import require

TARGET = ("x86_64-linux-gnu",)
ADDITIONS = {
    *("field-appended", "enumerator-appended", "enumerator-value-changed"),
    *("field-deprecated", "enumerator-deprecated"),
}
"""The rules that report an insertion that was moved to the end, or a removal that became a deprecation."""
PAIRS = [
    each
    for each in all_pairs()
    if each.rules & fixable_rules() and all(each.side(side).suffix == ".h" for side in ("old", "new"))
]
FLAWED = [
    each
    for each in all_cases()
    if (each.folder / "api.h").exists() and {line.split()[0] for line in each.expected} & fixable_rules()
]
COMPILERS = [("gcc", "c99"), ("clang", "c99"), ("g++", "c++17"), ("clang++", "c++17")]


def _read(path: Path, targets: tuple[str, ...] = TARGET, include: Path | None = None) -> ApiSet:
    return load(str(path), ReadOptions(targets=targets, include_dirs=(str(include or path.parent),)))


def _keys(findings: tuple[Finding, ...]) -> set[tuple[str, str]]:
    return {(each.rule, each.entity) for each in findings if each.rule != "bump-missing"}


def _compiles(path: Path, include: Path) -> list[bool]:
    """True for each compiler and language in which a header compiles."""
    require(*(compiler for compiler, _ in COMPILERS))
    results = []
    for compiler, standard in COMPILERS:
        language = "c++" if "++" in standard else "c"
        command = [compiler, f"-std={standard}", "-w", "-fsyntax-only", f"-I{include}", "-x", language, str(path)]
        results.append(subprocess.run(command, capture_output=True, check=False).returncode == 0)
    return results


def _changed_lines(before: str, after: str) -> tuple[Counter[str], Counter[str]]:
    """Return the lines that only one of two texts has; a moved line is in neither."""
    old, new = (Counter(text.splitlines()) for text in (before, after))
    return old - new, new - old


@pytest.mark.first_case
@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_a_fix_removes_the_finding_of_a_change_and_brings_no_other(pair: Pair, tmp_path: Path) -> None:
    old, new = pair.read("old"), pair.read("new")
    verdict = compare(old, new, pair.policy)
    path = tmp_path / "new.h"
    for finding in with_fixes(verdict.findings, new, old, verdict.demanded):
        if finding.fix is None:
            continue
        ((name, text),) = applied(new.sources, [finding.fix])[0].items()
        path.write_text(text)
        after = compare(old, _read(path, pair.targets, pair.folder), pair.policy)
        left = {(each.rule, each.entity) for each in after.findings}
        if finding.rule != "bump-missing" or verdict.demanded is not Bump.MAJOR:
            assert (finding.rule, finding.entity) not in left
        fresh = {key for key in _keys(after.findings) - _keys(verdict.findings) if key[0] not in ADDITIONS}
        assert {rule for rule, _ in fresh} <= {"size-macro-stale", "deprecated-meaningful-zero"}
        removed, added = _changed_lines(new.sources[name], text)
        assert sum(removed.values()) <= len(finding.fix.edits)
        assert sum(added.values()) <= max(len(finding.fix.edits), 1)
        assert _compiles(path, pair.folder) == _compiles(pair.side("new"), pair.folder)


@pytest.mark.ci
@pytest.mark.parametrize("case", FLAWED, ids=lambda case: case.name)
def test_a_fix_removes_a_flaw_and_brings_no_other(case: Case, tmp_path: Path) -> None:
    api = case.read()
    findings, _ = judge_form(api, case.policy)
    path = tmp_path / "api.h"
    for finding in with_fixes(findings, api):
        if finding.fix is not None:
            ((name, text),) = applied(api.sources, [finding.fix])[0].items()
            path.write_text(text)
            after, _ = judge_form(_read(path, case.targets, case.folder), case.policy)
            assert (finding.rule, finding.entity) not in _keys(after)
            assert _keys(after) <= _keys(findings)
            assert not _changed_lines(api.sources[name], text)[0] or finding.rule == "size-macro-stale"
            before = _compiles(case.folder / "api.h", case.folder)
            assert [new for old, new in zip(before, _compiles(path, case.folder), strict=True) if old and not new] == []


_SIZED = "struct s { unsigned long struct_size; int a;"
ONE_LINE = [
    (f"{_SIZED} int b; }};", f"{_SIZED} int c; int b; }};"),
    (f"{_SIZED}\n  int b; }};", f"{_SIZED}\n  int c;\n  int b; }};"),
    ("enum e { XY_A, XY_B };", "enum e { XY_A, XY_C, XY_B };"),
]
PADDED = "struct s { unsigned long struct_size; int a; };"


@pytest.mark.parametrize(("before", "after"), ONE_LINE)
def test_declarations_that_share_a_line_are_moved_or_pinned(before: str, after: str, tmp_path: Path) -> None:
    version = "#define XY_MAJOR 1\n#define XY_MINOR 0\n#define XY_PATCH 0\n"
    frame = f"#pragma once\n{version}{{}}\nvoid xy_use(struct s *s);\n"
    for name, text in (("old.h", before), ("new.h", after)):
        (tmp_path / name).write_text(frame.format(text if "struct" in text else f"{text}\nstruct s {{ enum e e; }};"))
    old, new = _read(tmp_path / "old.h"), _read(tmp_path / "new.h")
    verdict = compare(old, new, find_policy("default"))
    found = with_fixes(verdict.findings, new, old, verdict.demanded)
    (text,) = applied(new.sources, [each.fix for each in found if each.fix is not None and each.fix.is_safe])[
        0
    ].values()
    (tmp_path / "new.h").write_text(text)
    again = compare(old, _read(tmp_path / "new.h"), find_policy("default"))
    assert {each.rule for each in again.findings} <= {"field-appended", "enumerator-appended", "bump-missing"}
    assert again.required is Bump.MINOR
    assert _compiles(tmp_path / "new.h", tmp_path) == [True] * len(COMPILERS)


def test_a_member_is_not_moved_into_bytes_that_old_counts(tmp_path: Path) -> None:
    frame = "#pragma once\n{}\nvoid xy_use(struct s *s);\n"
    (tmp_path / "old.h").write_text(frame.format(PADDED))
    (tmp_path / "new.h").write_text(frame.format(PADDED.replace("int a;", "int c; int a;")))
    old, new = _read(tmp_path / "old.h"), _read(tmp_path / "new.h")
    verdict = compare(old, new, find_policy("default"))
    found = with_fixes(verdict.findings, new, old, verdict.demanded)
    assert "field-inserted" in {each.rule for each in found}
    assert [each.fix for each in found if each.fix is not None] == []


COMMENTS = st.sampled_from(["", "  // why; and {what}", "  /* one, two */", "  /**< 'x' */"])
TYPES = st.sampled_from(["int", "const char *", "void (*{})(int a, char *b)", "unsigned {}[4]", "long long"])


@st.composite
def headers(draw: st.DrawFn) -> tuple[str, str]:
    """Return two versions of a header, where the second one has more members and enumerators in some place."""

    def member(name: str) -> str:
        type = draw(TYPES)
        above = draw(st.sampled_from(["", "  // Above.\n", "  /* Two\n   * lines. */\n"]))
        declared = type.replace("{}", name) if "{}" in type else f"{type} {name}"
        return f"{above}  {declared};{draw(COMMENTS)}\n"

    old = ["  unsigned long struct_size;\n", *(member(f"m{number}") for number in range(draw(st.integers(1, 5))))]
    fresh = [member(f"n{number}") for number in range(draw(st.integers(0, 2)))]
    new = list(old)
    for each in fresh:
        new.insert(draw(st.integers(1, len(new))), each)
    values = [f"  XY_V{number}" for number in range(draw(st.integers(1, 4)))] + ["  XY_END"] * draw(st.booleans())
    more = list(values)
    if draw(st.booleans()):
        more.insert(draw(st.integers(0, len(values))), "  XY_NEW")
    comma = draw(st.sampled_from(["", ","]))
    ends = [draw(COMMENTS) for _ in range(len(more) + 1)]

    def text(members: list[str], names: list[str], last: str) -> str:
        rows = [f"{name}{',' if at + 1 < len(names) else comma}{ends[at]}\n" for at, name in enumerate(names)]
        size = f"#define XY_S_STRUCT_SIZE (offsetof(XY_S, {last}) + sizeof(((XY_S *)0)->{last}))\n"
        body = f"typedef struct XY_S {{\n{''.join(members)}}} XY_S;\n"
        version = "#define XY_MAJOR 1\n#define XY_MINOR 0\n#define XY_PATCH 0\n"
        listed = f"enum XY_E {{\n{''.join(rows)}}};\n"
        return f"#pragma once\n#include <stddef.h>\n{version}{listed}{body}{size}void xy_use(XY_S *s, enum XY_E e);\n"

    last = f"m{len(old) - 2}"
    return text(old, values, last), text(new, more, last)


@pytest.mark.ci
@settings(max_examples=60, deadline=None)
@given(pair=headers())
def test_safe_fixes_turn_insertions_into_additions(
    pair: tuple[str, str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("fixes")
    (folder / "old.h").write_text(pair[0])
    path = folder / "new.h"
    path.write_text(pair[1])
    old, policy = _read(folder / "old.h"), find_policy("default")
    for _ in range(12):
        new = _read(path)
        verdict = compare(old, new, policy)
        found = with_fixes(verdict.findings, new, old, verdict.demanded)
        chosen = [each.fix for each in found if each.fix is not None and each.fix.is_safe]
        texts, made = applied(new.sources, chosen)
        if not made:
            break
        (text,) = texts.values()
        assert fixes_as_diff(new.sources, chosen)
        path.write_text(text)
    assert not {"field-inserted", "enumerator-inserted", "size-macro-stale"} & {each.rule for each in verdict.findings}
    assert verdict.ok
    removed, added = _changed_lines(pair[1], path.read_text())
    assert all("XY_" in line for line in (*removed, *added)), (removed, added)
    assert _compiles(path, folder) == [True] * len(COMPILERS)
