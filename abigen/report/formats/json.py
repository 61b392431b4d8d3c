"""Reports for programs: one JSON object, a record of `abigen.report.documents`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import UNSET

from abigen.model.finding import Accepted, Finding
from abigen.model.span import Span
from abigen.report import documents
from abigen.report.subject import DiffReport, LintReport, ReportedApi, Style, Subject, VerifyReport
from abigen.report.wording import answers_of, last_line


def render(subjects: Sequence[Subject], style: Style) -> str:
    """Return one object, or an object with those of several comparisons.

    What is no valid Unicode (an undecodable file name) stays escaped.
    """
    if len(subjects) == 1:
        return documents.written(_document(subjects[0]))
    diffs = tuple(_diff(each) for each in subjects if isinstance(each, DiffReport))
    return documents.written(documents.Diffs(ok=all(subject.ok for subject in subjects), diffs=diffs))


def _document(subject: Subject) -> documents.Diff | documents.Lint | documents.Verify:
    if isinstance(subject, DiffReport):
        return _diff(subject)
    return _lint(subject) if isinstance(subject, LintReport) else _verify(subject)


def _diff(subject: DiffReport) -> documents.Diff:
    verdict = subject.verdict
    return documents.Diff(
        old=_side(subject.old),
        new=_side(subject.new),
        policy=subject.policy,
        targets=subject.targets,
        required_bump=verdict.required,
        demanded_bump=verdict.demanded,
        declared_bump=verdict.declared,
        sentence=last_line(subject),
        ok=verdict.ok,
        accepted=len(verdict.accepted),
        accepted_findings=_accepted(verdict.accepted),
        not_compared=subject.not_compared,
        not_shown=len(subject.left_out),
        findings=tuple(
            documents.ReportedChange(**_finding(each), old=_place(each.old), new=_place(each.new))
            for each in subject.findings
        ),
    )


def _lint(subject: LintReport) -> documents.Lint:
    return documents.Lint(
        files=tuple(file for api in subject.apis for file in api.files),
        policy=subject.policy,
        ok=subject.ok,
        not_judged=subject.not_judged or UNSET,
        accepted_findings=_accepted(subject.accepted),
        not_shown=len(subject.left_out),
        findings=tuple(documents.ReportedFlaw(**_flaw(each)) for each in subject.findings),
    )


def _verify(subject: VerifyReport) -> documents.Verify:
    return documents.Verify(
        plugin=subject.operand,
        api=subject.api.operand,
        release=subject.release or None,
        ok=subject.ok,
        checks=tuple(
            documents.Check(code=run.code, rule=run.name, result=run.result, reason=run.reason, seconds=run.seconds)
            for run in subject.runs
        ),
        not_called=tuple(documents.NotCalled(name, reason) for name, reason in subject.not_called),
        findings=tuple(
            documents.Misbehaviour(
                **_flaw(finding),
                calls=finding.calls,
                consequences=tuple(documents.Misbehaviour(**_flaw(each)) for each in finding.consequences),
            )
            for finding in subject.findings
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
    }


def _place(span: Span | None) -> documents.Place | None:
    return None if span is None else documents.Place(span.file, span.line, span.column)
