"""A rule that `python -m tests.new_rule` lays out is found, and its fixtures fail until somebody fills them in."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.new_rule import PLACES, RULES, Place, lay_out
from tests.tools import require

REPOSITORY = Path(__file__).parents[3]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Return a copy of the files that the command, the registry and the tests of rules need, without other fixtures."""
    shutil.copytree(REPOSITORY / "abigen", tmp_path / "abigen", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(REPOSITORY / "pyproject.toml", tmp_path)
    for folder in ("tests", "tests/checker", "tests/checker/rules", "tests/checker/lint"):
        (tmp_path / folder).mkdir()
        for path in (REPOSITORY / folder).glob("*.py"):
            shutil.copy(path, tmp_path / folder)
    return tmp_path


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(folder), "XDG_CACHE_HOME": str(folder / "cache")}
    return subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def outcomes(folder: Path, name: str) -> str:
    """Return the outcomes of the tests of one rule's pairs."""
    tests = run(folder, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", "tests/checker/rules", "-k", name)
    return tests.stdout


@pytest.mark.ci
def test_a_rule_that_is_laid_out_is_found_and_its_fixtures_fail_until_they_are_filled_in(copy: Path) -> None:
    written = run(copy, "-m", "tests.new_rule", "field-narrowed").stdout.split()
    assert "tests/checker/rules/field-narrowed/near-miss/expect.txt" in written
    found = "from abigen.checker.compare import find_page; print(find_page('field-narrowed').code)"
    code = run(copy, "-c", found)
    assert code.stdout.startswith("ABI1"), code.stderr
    failing = outcomes(copy, "field-narrowed")
    for case in ("trigger", "near-miss"):
        assert (
            f"FAILED tests/checker/rules/test_rules.py::test_a_pair_reports_exactly_what_it_says[field-narrowed/{case}]"
            in (failing)
        )
    fields = copy / RULES / "fields.py"
    body = """    if "narrow" in member.new.field.doc and "narrow" not in member.old.field.doc:
        yield RuleResult(f"{member.entity} is narrow", source="it no longer fits")
"""
    laid_out = fields.read_text().partition("    del member  # TODO")[0]
    fields.write_text(laid_out + body)
    trigger, near_miss = (copy / "tests/checker/rules/field-narrowed" / case for case in ("trigger", "near-miss"))
    new = trigger / "new.h"
    new.write_text(new.read_text().replace("int depth;", "int depth;  // narrow"))
    (near_miss / "expect.txt").write_text("# nothing\n")
    passing = outcomes(copy, "field-narrowed")
    assert "failed" not in passing, passing
    assert "passed" in passing


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.module)
def test_a_rule_can_be_laid_out_in_every_module(place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (ruff,) = require("ruff")
    (tmp_path / RULES).parent.mkdir(parents=True)
    shutil.copytree(REPOSITORY / RULES, tmp_path / RULES)
    monkeypatch.chdir(tmp_path)
    name = f"{place.prefixes[0].rstrip('-')}-something-else"
    module = lay_out(name)[0]
    assert module.stem == place.module
    names = subprocess.run(
        [ruff, "check", "--isolated", "--select", "F821", str(module)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert names.returncode == 0, names.stdout


@pytest.mark.parametrize(("name", "words"), [("field-removed", "already"), ("strange-thing", "suggests no module")])
def test_what_cannot_be_laid_out_is_said(
    name: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(REPOSITORY / RULES, tmp_path / RULES)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match=words):
        lay_out(name)
