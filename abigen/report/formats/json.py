"""Reports for programs: one JSON object, described by `abigen/report/*.schema.json`."""

from __future__ import annotations

import json
from collections.abc import Sequence

from abigen.model.finding import Finding
from abigen.model.span import Span
from abigen.report.subject import Comparison, Inspection, Side, Style, Verification


def comparison(subject: Comparison, style: Style) -> str:
    """The object of `abigen diff --format json`; see `diff.schema.json`."""
    return _print(_comparison(subject))


def comparisons(subjects: Sequence[Comparison], style: Style) -> str:
    """The object of `abigen diff --format json` with several APIs; see `diffs.schema.json`."""
    return _print(
        {
            "schema": "abigen-diffs/1",
            "ok": all(subject.verdict.ok for subject in subjects),
            "diffs": [_comparison(subject) for subject in subjects],
        }
    )


def inspection(subject: Inspection, style: Style) -> str:
    """The object of `abigen lint --format json`; see `lint.schema.json`."""
    return _print(
        {
            "schema": "abigen-lint/1",
            "files": [file for side in subject.sides for file in side.files],
            "policy": subject.policy,
            "ok": subject.ok,
            "findings": [_flaw(each) for each in subject.findings],
        }
    )


def verification(subject: Verification, style: Style) -> str:
    """The object of `abigen verify --format json`; see `verify.schema.json`."""
    return _print(
        {
            "schema": "abigen-verify/1",
            "plugin": subject.plugin,
            "api": subject.side.operand,
            "release": subject.release or None,
            "ok": subject.ok,
            "checks": [
                {
                    "code": run.code,
                    "rule": run.name,
                    "result": run.result,
                    "reason": run.reason,
                    "seconds": run.seconds,
                }
                for run in subject.runs
            ],
            "findings": [_flaw(each) for each in subject.findings],
        }
    )


def _print(value: dict[str, object]) -> str:
    """JSON text; what is no valid Unicode (an undecodable file name) stays escaped."""
    return json.dumps(value, indent=2) + "\n"


def _comparison(subject: Comparison) -> dict[str, object]:
    """One comparison."""
    verdict = subject.verdict
    return {
        "schema": "abigen-diff/1",
        "old": _side(subject.old),
        "new": _side(subject.new),
        "policy": subject.policy,
        "targets": list(subject.new.api.targets),
        "required_bump": verdict.required.value,
        "demanded_bump": verdict.demanded.value,
        "declared_bump": verdict.declared,
        "ok": verdict.ok,
        "accepted": verdict.accepted,
        "findings": [_change(each) for each in verdict.findings],
    }


def _side(side: Side) -> dict[str, object]:
    """OLD or NEW."""
    return {
        "operand": side.operand,
        "version": str(side.version) if side.version else None,
        "files": list(side.files),
    }


def _change(finding: Finding) -> dict[str, object]:
    """A finding of `abigen diff`."""
    return {**_finding(finding), "old": _place(finding.old), "new": _place(finding.new)}


def _flaw(finding: Finding) -> dict[str, object]:
    """A finding of `abigen lint`; `old` and `new` are there for programs that read those of `abigen diff`."""
    place = _place(finding.new or finding.old)
    return {**_finding(finding), "place": place, "old": None, "new": place}


def _finding(finding: Finding) -> dict[str, object]:
    """A finding without its places."""
    axes = finding.axes
    return {
        "code": finding.code,
        "rule": finding.rule,
        "entity": finding.entity,
        "bump": finding.bump.value,
        "level": finding.level.value,
        "axes": {
            "old_plugin": axes.old_plugin.value,
            "new_plugin": axes.new_plugin.value,
            "source": axes.source.value,
            "contract": axes.contract.value,
        },
        "reasons": dict(axes.reasons),
        "message": finding.message,
        "help": finding.help,
        "details": [{"label": each.label, "text": each.text} for each in finding.details],
        "targets": {target: dict(numbers) for target, numbers in finding.targets.items()},
    }


def _place(span: Span | None) -> dict[str, object] | None:
    """A place in a file; line and column count from 1, in characters."""
    return None if span is None else {"file": span.file, "line": span.line, "column": span.column}
