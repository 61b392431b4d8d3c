"""The report that programs read."""

from __future__ import annotations

import json
from importlib.resources import files

import pytest
from jsonschema import Draft202012Validator, ValidationError

from abigen.checker.report.formats import format_names, render
from abigen.checker.report.subject import Style, lint_report
from tests.checker.report.samples import COMPARISON, FINDING, NO_CHANGE, NOTE


def _validator(name: str) -> Draft202012Validator:
    schema = json.loads(files("abigen.checker.report").joinpath(f"{name}.schema.json").read_text("utf-8"))
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def test_a_comparison_follows_its_schema() -> None:
    report = json.loads(render("json", [COMPARISON], Style()))
    _validator("diff").validate(report)
    first, second = report.pop("findings")
    assert report == {
        "schema": "abigen-diff/1",
        "old": {"operand": "old.h", "version": "1.1.0", "files": ["old.h"]},
        "new": {"operand": "new.h", "version": "1.2.0", "files": ["new.h"]},
        "policy": "default",
        "targets": ["x86_64-linux-gnu"],
        "required_bump": "major",
        "demanded_bump": "major",
        "declared_bump": "minor",
        "sentence": "1 breaking change, 1 addition. Raise MAJOR: next version 2.0.0. "
        "The version moved from 1.1.0 to 1.2.0.",
        "ok": False,
        "accepted": 0,
        "accepted_findings": [],
        "not_compared": [],
        "not_shown": 0,
    }
    assert first == {
        "code": "ABI103",
        "rule": "field-inserted",
        "entity": "Toy.depth",
        "bump": "major",
        "level": "error",
        "axes": {"old_plugin": "breaks", "new_plugin": "at-risk", "source": "ok", "contract": "ok"},
        "reasons": dict(FINDING.axes.reasons),
        "message": FINDING.message,
        "help": FINDING.help,
        "details": [
            {"label": "moves", "text": "new_field1 from 24 to 32"},
            {"label": "old", "text": "struct Toy, 36 bytes (40 with padding)"},
        ],
        "targets": {"x86_64-linux-gnu": {"old_offset": None, "new_offset": 24}},
        "old": {"file": "old.h", "line": 1, "column": 8},
        "new": {"file": "new.h", "line": 3, "column": 6},
    }
    assert second["old"] is None


def test_a_comparison_without_changes_follows_its_schema() -> None:
    report = json.loads(render("json", [NO_CHANGE], Style()))
    _validator("diff").validate(report)
    assert (report["ok"], report["findings"]) == (True, [])


def test_an_inspection_follows_its_schema() -> None:
    subject = lint_report((COMPARISON.new,), (FINDING, NOTE), ok=False)
    report = json.loads(render("json", [subject], Style()))
    _validator("lint").validate(report)
    assert report["schema"] == "abigen-lint/1"
    assert [finding["place"]["line"] for finding in report["findings"]] == [3, 7]


@pytest.mark.parametrize("key", ["required_bump", "findings", "old", "ok"])
def test_the_schema_refuses_a_report_that_lacks_something(key: str) -> None:
    report = json.loads(render("json", [COMPARISON], Style()))
    del report[key]
    with pytest.raises(ValidationError):
        _validator("diff").validate(report)


def test_text_comes_first_among_the_formats() -> None:
    assert format_names()[0] == "text"
    assert "json" in format_names()
