"""Every rule on every pair: what it has to report, and what it has to leave alone."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import abigen.checker.rules as rules_package
from abigen.checker.compare import compare, registry
from abigen.checker.policy import find_policy
from abigen.checker.rule import Rule
from abigen.headers.reader import read_headers
from abigen.model.finding import Axis, Bump, Finding, Level, Verdict
from abigen.workspace.options import ReadOptions, SourceFile
from tests.checker.rules.fixtures import TARGET, Pair, all_pairs, in_words, read
from tests.checker.rules.rewriting import rewrite
from tests.sampling import short_form

PAIRS = all_pairs()
BEYOND_VERSIONS = ("size-macro-broken", "size-macro-stale", "size-macro-wrong-struct")
"""Flaws that no version number repairs: they need none, and fail by their level."""


def label(path: Path) -> str:
    return "/".join(path.parts[-3:])


_VERDICTS: dict[Path, Verdict] = {}


def judged(pair: Pair) -> Verdict:
    """Return the findings of a pair, which no test changes."""
    if pair.folder not in _VERDICTS:
        _VERDICTS[pair.folder] = compare(pair.read("old"), pair.read("new"), pair.policy, libraries=pair.libraries())
    return _VERDICTS[pair.folder]


# By module, so that the tests of a pair follow each other, in the same worker.
pairs = pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name, scope="module")


@pairs
def test_a_pair_reports_exactly_what_it_says(pair: Pair) -> None:
    verdict = judged(pair)
    found = sorted(in_words(finding) for finding in verdict.findings)
    assert found == sorted(f"{each.rule} {each.entity} {each.bump}" for each in pair.expected)


@pairs
def test_the_findings_of_a_pair_say_who_breaks_why_and_what_that_costs(pair: Pair) -> None:
    verdict = judged(pair)
    findings = {(finding.rule, finding.entity): finding for finding in verdict.findings}
    for each in pair.expected:
        axes = findings[each.rule, each.entity].axes
        assert {name: getattr(axes, name).value for name in each.axes} == dict(each.axes)
    for finding in verdict.findings:
        _whoever_breaks_or_is_at_risk_is_told_why(finding)
        if finding.rule in BEYOND_VERSIONS and finding.bump is Bump.NONE:
            assert (finding.level, verdict.ok) == (Level.ERROR, False)
            assert finding.help.startswith("repair the header: ")
        else:
            _what_breaks_needs_major(finding, source_counts=pair.policy.options.source_counts)


def _whoever_breaks_or_is_at_risk_is_told_why(finding: Finding) -> None:
    for axis in ("old_plugin", "new_plugin", "source", "contract"):
        answer = getattr(finding.axes, axis).value
        assert (answer != "ok") == bool(finding.axes.reasons.get(axis)), (in_words(finding), axis)


def _what_breaks_needs_major(finding: Finding, *, source_counts: bool) -> None:
    """Check that every break needs MAJOR, and that every MAJOR has a break."""
    axes = finding.axes
    counted = [axes.old_plugin, axes.new_plugin, axes.contract, *([axes.source] if source_counts else [])]
    # A plugin that uses what is new may look it up at run time; rulebooks of this kind call that an addition.
    is_addition = finding.rule in ("function-added", "variable-added") and axes.old_plugin is Axis.OK
    if not is_addition:
        assert (Axis.BREAKS in counted) <= (finding.bump is Bump.MAJOR), in_words(finding)
    assert (finding.bump is Bump.MAJOR) <= (Axis.BREAKS in (*counted, axes.source)), in_words(finding)


@pairs
def test_each_header_of_a_pair_against_itself_is_silent(pair: Pair) -> None:
    for side in ("old", "new"):
        again = read.__wrapped__(pair.side(side), pair.targets)
        verdict = compare(pair.read(side), again, pair.policy)
        assert [in_words(finding) for finding in verdict.findings] == []


SIDES = sorted({pair.side(side) for pair in PAIRS for side in ("old", "new")})


@pytest.mark.first_case
@pytest.mark.parametrize("path", short_form(SIDES, 6), ids=label)
def test_a_header_that_is_merely_written_anew_has_nothing_above_patch(path: Path) -> None:
    if path.suffix != ".h":
        pytest.skip("a spec has no other way to be written")
    options = ReadOptions(targets=(TARGET,), include_dirs=(str(path.parent),))
    text = path.read_text(encoding="utf-8-sig")
    before = read_headers([SourceFile(path.name, str(path), text)], options)
    rewritten = rewrite(text, before.groups[0].api)
    after = read_headers([SourceFile(path.name, str(path), rewritten)], options)
    findings = compare(before, after, find_policy("default")).findings
    assert {finding.rule for finding in findings} <= {"parameter-renamed", "bump-missing"}, rewritten


@pytest.mark.parametrize("rule", [each.name for each in [*registry().change, *registry().release]])
def test_a_rule_has_a_pair_that_triggers_it_and_a_near_miss(rule: str) -> None:
    own = [pair for pair in PAIRS if pair.folder.parent.name == rule]
    assert any(rule in pair.rules for pair in own), "no pair of its own triggers it"
    assert any(rule not in pair.rules for pair in own), "no near miss of its own"


@pytest.mark.parametrize("rule", registry().all(), ids=lambda rule: f"{rule.subject}.{rule.name}")
def test_a_manual_says_what_it_is_what_then_happens_what_to_do_and_on_whose_authority(rule: Rule) -> None:
    summary, *sections = rule.manual.split("\n\n")
    assert summary.endswith(".")
    first = "What it means" if rule in [*registry().lint, *registry().policy] else "What changed"
    assert [section.partition(":")[0] for section in sections] == [first, "What happens", "Instead", "Source"]


def test_each_page_belongs_to_a_rule_and_begins_with_its_docstring() -> None:
    rules = Path(str(rules_package.__file__)).parent
    functions = {
        (path.stem, node.name.replace("_", "-")): " ".join((ast.get_docstring(node) or "").split())
        for path in rules.glob("*.py")
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef)
    }
    pages = list((rules / "pages").rglob("*.md"))
    begins = {(page.parent.name, page.stem): page.read_text(encoding="utf-8").split("\n\n") for page in pages}
    assert len(begins) > 100
    assert {key: text[0] for key, text in begins.items() if text[0] != f"# {key[1]}"} == {}
    assert {key for key, text in begins.items() if functions.get(key) != " ".join(text[1].split())} == set()


def test_a_code_belongs_to_one_name() -> None:
    names: dict[str, set[str]] = {}
    for rule in registry().all():
        names.setdefault(rule.code, set()).add(rule.name)
    assert {code: found for code, found in names.items() if len(found) > 1} == {}
