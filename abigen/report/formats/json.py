"""Reports for programs: one JSON object, described by `abigen/report/*.schema.json`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from abigen.model.finding import Accepted, Finding
from abigen.model.span import Span
from abigen.report.subject import DiffReport, LintReport, ReportedApi, Style, Subject
from abigen.report.wording import answers_of


def render(subjects: Sequence[Subject], style: Style) -> str:
    """One object, or one that holds those of several comparisons; see `diffs.schema.json`.

    What is no valid Unicode (an undecodable file name) stays escaped.
    """
    objects = [_object(subject) for subject in subjects]
    several = {"schema": "abigen-diffs/1", "ok": all(subject.ok for subject in subjects), "diffs": objects}
    return json.dumps(objects[0] if len(objects) == 1 else several, indent=2) + "\n"


def _object(subject: Subject) -> Mapping[str, object]:
    """The object of one subject; see `diff.schema.json`, `lint.schema.json` and `verify.schema.json`."""
    if isinstance(subject, DiffReport):
        verdict = subject.verdict
        return {
            "schema": "abigen-diff/1",
            "old": _api(subject.old),
            "new": _api(subject.new),
            "policy": subject.policy,
            "targets": list(subject.targets),
            "required_bump": verdict.required.value,
            "demanded_bump": verdict.demanded.value,
            "declared_bump": verdict.declared,
            "ok": verdict.ok,
            "accepted": len(verdict.accepted),
            "accepted_findings": list(map(_accepted, verdict.accepted)),
            "not_compared": list(subject.not_compared),
            "not_shown": len(subject.left_out),
            "findings": list(map(_change, subject.findings)),
        }
    findings = list(map(_flaw, subject.findings))
    if isinstance(subject, LintReport):
        return {
            "schema": "abigen-lint/1",
            "files": [file for api in subject.apis for file in api.files],
            "policy": subject.policy,
            "ok": subject.ok,
            "accepted_findings": list(map(_accepted, subject.accepted)),
            "not_shown": len(subject.left_out),
            "findings": findings,
        }
    return {
        "schema": "abigen-verify/1",
        "plugin": subject.operand,
        "api": subject.api.operand,
        "release": subject.release or None,
        "ok": subject.ok,
        "checks": [
            {"code": run.code, "rule": run.name, "result": run.result, "reason": run.reason, "seconds": run.seconds}
            for run in subject.runs
        ],
        "not_called": [{"function": name, "reason": reason} for name, reason in subject.not_called],
        "findings": [
            {**each, "calls": list(finding.calls), "consequences": list(map(_flaw, finding.consequences))}
            for each, finding in zip(findings, subject.findings, strict=True)
        ],
    }


def _accepted(each: Accepted) -> Mapping[str, object]:
    """A finding that the project accepts."""
    finding, override = each.finding, each.override
    return {
        "code": finding.code,
        "rule": finding.rule,
        "entity": finding.entity,
        "message": finding.message,
        "reason": override.reason,
        "expires": override.expires or None,
    }


def _api(api: ReportedApi) -> dict[str, object]:
    """OLD or NEW."""
    return {"operand": api.operand, "version": str(api.version) if api.version else None, "files": list(api.files)}


def _change(finding: Finding) -> dict[str, object]:
    """A finding about two APIs."""
    return {**_finding(finding), "old": _place(finding.old), "new": _place(finding.new)}


def _flaw(finding: Finding) -> dict[str, object]:
    """A finding about one API; `old` and `new` are there for programs that read those of `abigen diff`."""
    place = _place(finding.new or finding.old)
    return {**_finding(finding), "place": place, "old": None, "new": place}


def _finding(finding: Finding) -> dict[str, object]:
    """A finding without its places."""
    return {
        "code": finding.code,
        "rule": finding.rule,
        "entity": finding.entity,
        "bump": finding.bump.value,
        "level": finding.level.value,
        "axes": {name: answer.value for name, answer in answers_of(finding).items()},
        "reasons": dict(finding.axes.reasons),
        "message": finding.message,
        "help": finding.help,
        "details": [{"label": each.label, "text": each.text} for each in finding.details],
        "targets": {target: dict(numbers) for target, numbers in finding.targets.items()},
    }


def _place(span: Span | None) -> dict[str, object] | None:
    """A place in a file; line and column count from 1, in characters."""
    return None if span is None else {"file": span.file, "line": span.line, "column": span.column}
