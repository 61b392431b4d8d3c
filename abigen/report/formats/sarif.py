"""SARIF 2.1.0, which code scanning of GitHub and others shows at the lines that it names.

Source: OASIS, "Static Analysis Results Interchange Format (SARIF) Version 2.1.0", sections 3.14 to 3.52.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from urllib.parse import quote as quote_uri

from abigen.model.finding import Finding, Page
from abigen.model.span import Span
from abigen.report.subject import Comparison, Inspection, Style, Verification
from abigen.report.wording import axis_lines, inspection_line, verdict_line, verification_line
from abigen.version import __version__

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_ROOT = "SRCROOT"
_FINGERPRINT = "abigen/1"


def comparison(subject: Comparison, style: Style) -> str:
    """One run with the findings of `abigen diff`, at the lines of NEW."""
    return comparisons([subject], style)


def comparisons(subjects: Sequence[Comparison], style: Style) -> str:
    """One run with the findings of all comparisons."""
    findings = [(each, subject.new.operand) for subject in subjects for each in subject.verdict.findings]
    properties: dict[str, object] = {
        "comparisons": [
            {
                "old": subject.old.operand,
                "new": subject.new.operand,
                "ok": subject.verdict.ok,
                "requiredBump": subject.verdict.required.value,
                "declaredBump": subject.verdict.declared,
                "verdict": verdict_line(subject),
            }
            for subject in subjects
        ]
    }
    return _log("diff", findings, subjects[0].manual, properties)


def inspection(subject: Inspection, style: Style) -> str:
    """One run with the findings of `abigen lint`."""
    findings = [(each, subject.sides[0].operand) for each in subject.findings]
    return _log("lint", findings, subject.manual, {"ok": subject.ok, "verdict": inspection_line(subject)})


def verification(subject: Verification, style: Style) -> str:
    """One run with the findings of `abigen verify`, at the lines of the contract that the plugin does not keep."""
    findings = [(each, subject.plugin) for each in subject.findings]
    properties = {"ok": subject.ok, "plugin": subject.plugin, "verdict": verification_line(subject)}
    return _log("verify", findings, subject.manual, properties)


def _log(
    command: str,
    findings: Sequence[tuple[Finding, str]],
    manual: Callable[[], Sequence[Page]],
    properties: dict[str, object],
) -> str:
    """The whole document."""
    codes = sorted({finding.code for finding, _ in findings})
    index = {code: number for number, code in enumerate(codes)}
    pages = {page.code: page for page in manual()} if codes else {}
    names = {finding.code: finding.rule for finding, _ in findings}
    driver = {
        "name": "abigen",
        "semanticVersion": __version__,
        "rules": [_rule(code, names[code], pages.get(code)) for code in codes],
    }
    run = {
        "tool": {"driver": driver},
        "automationDetails": {"id": f"abigen/{command}/"},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {_ROOT: {"description": {"text": "The directory that abigen was run in."}}},
        "results": list(_results(findings, index)),
        "properties": properties,
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _rule(code: str, name: str, page: Page | None) -> dict[str, object]:
    """A reporting descriptor with the rule's manual as help."""
    rule: dict[str, object] = {"id": code, "name": name}
    if page is None:
        return rule
    paragraphs = [page.summary, *(f"{head}: {text}" if head else text for head, text in page.sections)]
    marked = [page.summary, *(f"**{head}**: {text}" if head else text for head, text in page.sections)]
    return rule | {
        "shortDescription": {"text": page.summary},
        "help": {"text": "\n\n".join(paragraphs), "markdown": "\n\n".join(marked)},
        "properties": {"tags": [page.group]},
    }


def _results(findings: Iterable[tuple[Finding, str]], index: dict[str, int]) -> Iterable[dict[str, object]]:
    """A result for each finding."""
    seen: Counter[str] = Counter()
    for finding, operand in findings:
        place = finding.new or finding.old
        name = f"{finding.rule}:{finding.entity}"
        seen[name] += 1
        result: dict[str, object] = {
            "ruleId": finding.code,
            "ruleIndex": index[finding.code],
            "level": finding.level.value,
            "message": {"text": _message(finding)},
            "locations": [_location(finding.new, finding.entity, operand)],
            "partialFingerprints": {_FINGERPRINT: f"{name}:{seen[name]}"},
            "properties": {
                "entity": finding.entity,
                "bump": finding.bump.value,
                "axes": {
                    "oldPlugin": finding.axes.old_plugin.value,
                    "newPlugin": finding.axes.new_plugin.value,
                    "source": finding.axes.source.value,
                    "contract": finding.axes.contract.value,
                },
            },
        }
        if finding.old is not None and place is not finding.old:
            result["relatedLocations"] = [{"id": 1, **_physical(finding.old), "message": {"text": "where it was"}}]
        elif finding.new is None and finding.old is not None:
            result["relatedLocations"] = [{"id": 1, **_physical(finding.old), "message": {"text": "where it stood"}}]
        yield result


def _message(finding: Finding) -> str:
    """What happened, who breaks, and what to do instead."""
    lines = [finding.message]
    lines += [f"{each.label}: {each.text}" for each in finding.details]
    lines += [f"{label}: {answer}{': ' if reason else ''}{reason}" for label, answer, reason in axis_lines(finding)]
    return "\n".join(lines + ([f"instead: {finding.help}"] if finding.help else []))


def _location(place: Span | None, entity: str, operand: str) -> dict[str, object]:
    """Where NEW has it; of what NEW does not have any more, the beginning of NEW."""
    logical = {"logicalLocations": [{"fullyQualifiedName": entity}]}
    return _physical(place or Span(operand, 1, 1, 1)) | logical


def _physical(place: Span) -> dict[str, object]:
    """A place in a file; columns count characters, the end is the one behind the last."""
    region = {"startLine": place.line, "startColumn": place.column, "endColumn": place.column + place.length}
    return {"physicalLocation": {"artifactLocation": _artifact(place.file), "region": region}}


def _artifact(file: str) -> dict[str, object]:
    """A file by its URI, relative to where abigen was run unless it lies elsewhere."""
    path = file.replace("\\", "/")
    if path.startswith("/"):
        return {"uri": "file://" + quote_uri(path)}
    if path[1:3] == ":/":
        return {"uri": "file:///" + quote_uri(path, safe="/:")}
    return {"uri": quote_uri(path.removeprefix("./")), "uriBaseId": _ROOT}
