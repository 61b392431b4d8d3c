"""Tests of the advice of `diff`: an edit that follows it removes the finding and makes nothing worse."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import pytest

from abigen.checker.compare import compare, lint
from abigen.model.api import ApiSet
from abigen.model.finding import Bump, Finding, Level, Verdict
from tests.checker.check.advice import Situation, apply
from tests.checker.lint.fixtures import Case, all_cases
from tests.checker.rules.fixtures import Pair, all_pairs, read
from tests.sampling import short_form

PAIRS = [pair for pair in all_pairs() if pair.side("new").suffix == ".h"]
_MOST_STEPS = 4
_ABOUT_VERSIONS = ("bump-missing", "bump-not-reset", "bump-without-cause", "version-went-back", "target-dependent")


def _read(path: Path, pair: Pair) -> ApiSet:
    return read.__wrapped__(path, pair.targets)  # afresh: it changes


def _judged(pair: Pair, folder: Path) -> Verdict:
    return compare(_read(folder / "old.h", pair), _read(folder / "new.h", pair), pair.policy, with_form=True)


def _bad(findings: Verdict) -> Counter[tuple[str, str]]:
    """Return the findings that need MAJOR or are errors, without findings that follow from all others together."""
    return Counter(
        (each.rule, each.entity)
        for each in findings.findings
        if each.rule not in _ABOUT_VERSIONS and (each.bump is Bump.MAJOR or each.level is Level.ERROR)
    )


def _taken(pair: Pair, finding: Finding, folder: Path) -> bool:
    """Take the advice of one finding; whether text follows from it."""
    place = finding.new or finding.old
    if place is None or not place.file.endswith(("/new.h", "/old.h")):
        return False
    old, new = ((folder / f"{side}.h").read_text().split("\n") for side in ("old", "new"))
    version = _read(folder / "old.h", pair).groups[0].api.version
    lines = apply(Situation(finding, old, new, version))
    if lines is None or lines == new:
        return False
    (folder / "new.h").write_text("\n".join(lines))
    return True


@pytest.mark.first_case
@pytest.mark.parametrize("pair", short_form(PAIRS, 12, in_ci=True, ci_every=5), ids=lambda pair: pair.name)
def test_advice_that_is_taken_makes_nothing_worse(pair: Pair, tmp_path: Path) -> None:
    start = _judged(pair, pair.folder)
    renamed = {each.entity for each in start.findings if each.rule == "type-renamed"}
    for number, finding in enumerate(start.findings):
        if finding.entity.partition(".")[0] in renamed and "." in finding.entity:
            continue  # two pieces of advice that belong together
        folder = tmp_path / str(number)
        shutil.copytree(pair.folder, folder)
        if not _taken(pair, finding, folder):
            continue
        after = _judged(pair, folder)
        for _ in range(_MOST_STEPS):  # what is advised for what the advice has brought
            brought = [each for each in after.findings if (each.rule, each.entity) in _bad(after) - _bad(start)]
            if not any(_taken(pair, each, folder) for each in brought):
                break
            after = _judged(pair, folder)
        text = (folder / "new.h").read_text()
        assert not _bad(after) - _bad(start), (finding.rule, finding.entity, finding.help, text)
        if finding.bump is Bump.MAJOR or finding.level is Level.ERROR:
            left = [each for each in after.findings if (each.rule, each.entity) == (finding.rule, finding.entity)]
            assert not any(each.bump is Bump.MAJOR or each.level is Level.ERROR for each in left), (finding.help, text)


HEADERS = [case for case in all_cases() if (case.folder / "api.h").exists()]


@pytest.mark.parametrize("case", short_form(HEADERS, 8, in_ci=True, ci_every=3), ids=lambda case: case.name)
def test_lint_advises_nothing_that_diff_punishes(case: Case, tmp_path: Path) -> None:
    old, path = case.read(), tmp_path / "api.h"
    before = lint(old, case.policy)
    shutil.copytree(case.folder, tmp_path, dirs_exist_ok=True)
    lines = (case.folder / "api.h").read_text().split("\n")
    for finding in before:
        edited = (
            apply(Situation(finding, lines, lines, None))
            if finding.new and finding.new.file.endswith("/api.h")
            else None
        )
        if edited is None:
            continue
        path.write_text("\n".join(edited))
        new = read.__wrapped__(path, case.targets)
        assert not _bad(compare(old, new, case.policy, with_form=True)), (finding.help, path.read_text())
        after = lint(new, case.policy)
        assert (finding.rule, finding.entity) not in {(each.rule, each.entity) for each in after}, finding.help
        assert len(after) < len(before)
