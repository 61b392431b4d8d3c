"""Reports for programs: one JSON object, a record of `abigen.checker.report.documents`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import UNSET

from abigen.checker.report import documents
from abigen.checker.report.subject import Report, ReportedApi, Style
from abigen.checker.report.wording import answers_of, last_line
from abigen.model.finding import Accepted, Finding, Fix
from abigen.model.span import Span


def render(reports: Sequence[Report], style: Style) -> str:
    """Return one object, or an object with those of several comparisons.

    What is no valid Unicode (an undecodable file name) stays escaped.
    """
    if len(reports) == 1:
        return documents.written(_document(reports[0]))
    diffs = tuple(map(_diff, reports))
    return documents.written(documents.Diffs(ok=all(report.ok for report in reports), diffs=diffs))


def _document(report: Report) -> documents.Diff | documents.Lint | documents.Verify:
    if report.command == "verify":
        return _verify(report)
    return _diff(report) if report.is_diff else _lint(report)


def _diff(report: Report) -> documents.Diff:
    verdict = report.verdict
    assert verdict is not None
    return documents.Diff(
        old=_side(report.old),
        new=_side(report.new),
        policy=report.policy,
        targets=report.targets,
        required_bump=verdict.required,
        demanded_bump=verdict.demanded,
        declared_bump=verdict.declared,
        sentence=last_line(report),
        ok=report.ok,
        accepted=len(report.accepted),
        accepted_findings=_accepted(report.accepted),
        not_compared=report.not_compared,
        not_shown=len(report.left_out),
        findings=tuple(
            documents.ReportedChange(**_finding(each), old=_place(each.old), new=_place(each.new))
            for each in report.findings
        ),
    )


def _lint(report: Report) -> documents.Lint:
    return documents.Lint(
        files=tuple(file for api in report.sides for file in api.files),
        policy=report.policy,
        ok=report.ok,
        not_judged=report.not_judged or UNSET,
        accepted_findings=_accepted(report.accepted),
        not_shown=len(report.left_out),
        findings=tuple(documents.ReportedFlaw(**_flaw(each)) for each in report.findings),
    )


def _verify(report: Report) -> documents.Verify:
    return documents.Verify(
        plugin=report.operand,
        api=report.new.operand,
        release=report.release or None,
        ok=report.ok,
        checks=tuple(
            documents.Check(code=run.code, rule=run.name, result=run.result, reason=run.reason, seconds=run.seconds)
            for run in report.runs
        ),
        not_called=tuple(documents.NotCalled(name, reason) for name, reason in report.not_called),
        findings=tuple(
            documents.Misbehaviour(
                **_flaw(finding),
                calls=finding.calls,
                consequences=tuple(documents.Misbehaviour(**_flaw(each)) for each in finding.consequences),
            )
            for finding in report.findings
        ),
    )


def _accepted(findings: Sequence[Accepted]) -> tuple[documents.AcceptedFinding, ...]:
    return tuple(
        documents.AcceptedFinding(
            code=each.finding.code,
            rule=each.finding.rule,
            entity=each.finding.entity,
            message=each.finding.message,
            reason=each.override.reason,
            expires=each.override.expires or None,
        )
        for each in findings
    )


def _side(api: ReportedApi) -> documents.DiffSide:
    return documents.DiffSide(operand=api.operand, version=str(api.version) if api.version else None, files=api.files)


def _flaw(finding: Finding) -> dict[str, Any]:
    """Return a finding about one API; `old` and `new` are there for programs that read those of `abigen diff`."""
    place = _place(finding.new or finding.old)
    return {**_finding(finding), "place": place, "old": None, "new": place}


def _finding(finding: Finding) -> dict[str, Any]:
    """Return the parts of a finding besides its places."""
    same = ("code", "rule", "entity", "bump", "level", "message", "help", "details", "targets")
    return {
        **{name: getattr(finding, name) for name in same},
        "axes": documents.Answers(**answers_of(finding)),
        "reasons": finding.axes.reasons,
        "fix": UNSET if finding.fix is None else _fix(finding.fix),
    }


def _fix(fix: Fix) -> documents.ReportedFix:
    """Return the edit that removes a finding."""
    edits = tuple(
        documents.ReportedEdit(
            file=each.file,
            start_line=each.start[0],
            start_column=each.start[1],
            end_line=each.end[0],
            end_column=each.end[1],
            text=each.text,
        )
        for each in fix.edits
    )
    return documents.ReportedFix(title=fix.title, safe=fix.is_safe, edits=edits)


def _place(span: Span | None) -> documents.Place | None:
    return None if span is None else documents.Place(span.file, span.line, span.column)
