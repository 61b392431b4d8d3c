"""SARIF 2.1.0, which code scanning of GitHub and others shows at the lines that it names.

Source: OASIS, "Static Analysis Results Interchange Format (SARIF) Version 2.1.0", sections 3.14 to 3.52.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from urllib.parse import quote as quote_uri

from abigen.checker.report.subject import Report, Style
from abigen.checker.report.wording import answers_of, from_root, last_line, revision_of, rows
from abigen.model.finding import Finding, Fix, Page
from abigen.model.span import Span
from abigen.version import REPOSITORY, __version__, rule_address

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_ROOT = "SRCROOT"
_ABOUT_ROOT = "The root of the repository, or else the directory that abigen was run in."
_FINGERPRINT = "abigen/1"


def render(reports: Sequence[Report], style: Style) -> str:
    """Return one run with the findings of all reports, at the lines of NEW, or of the contract of a plugin."""
    first = reports[0] if reports else None
    command = first.command if first is not None else "diff"
    properties: dict[str, object] = {}
    if first is None or first.is_diff:
        properties |= {"comparisons": [_verdict(each) for each in reports]}
    else:
        plugin = {"plugin": first.operand} if command == "verify" else {}
        properties |= {"ok": first.ok, **plugin, "verdict": last_line(first)}
    findings = [(each, _file(report), "") for report in reports for each in report.findings]
    findings += [
        (each.finding, _file(report), f"{each.override.reason}{f', until {until}' if until else ''}")
        for report in reports
        for each in report.accepted
        for until in [each.override.expires]
    ]
    names = {finding.code: finding.rule for finding, *_ in findings}
    codes = sorted(names)
    pages = {page.code: page for page in first.manual()} if first and codes else {}
    driver: dict[str, object] = {
        "name": "abigen",
        "semanticVersion": __version__,
        "rules": [_rule(code, names[code], pages.get(code)) for code in codes],
    }
    if REPOSITORY:
        driver["informationUri"] = REPOSITORY
    is_whole = all(each.is_diff or not each.gaps for each in reports)
    run = {
        "tool": {"driver": driver},
        "automationDetails": {"id": f"abigen/{command}/"},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {_ROOT: {"description": {"text": _ABOUT_ROOT}}},
        "results": list(_results(findings, codes, style.folder)),
        "invocations": [{"executionSuccessful": is_whole, "toolExecutionNotifications": list(_notifications(reports))}],
        "properties": properties,
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _notifications(reports: Iterable[Report]) -> Iterator[dict[str, object]]:
    """Yield a notification for each part that differs and was not compared, and for each API that cannot be read."""
    for report in reports:
        for each in report.gaps:
            yield {"level": "warning" if report.is_diff else "error", "message": {"text": each}}


def _verdict(report: Report) -> dict[str, object]:
    assert report.verdict is not None
    return {
        "old": report.old.operand,
        "new": report.new.operand,
        "ok": report.ok,
        "requiredBump": report.verdict.required.value,
        "declaredBump": report.verdict.declared,
        "verdict": last_line(report),
    }


def _file(report: Report) -> str:
    """Return the file that findings without a place are shown in."""
    return report.new.operand if report.command == "lint" else report.operand


def _rule(code: str, name: str, page: Page | None) -> dict[str, object]:
    """Return a reporting descriptor with the rule's manual as help."""
    rule: dict[str, object] = {"id": code, "name": name}
    if page is None:
        return rule
    plain, marked = page.summary, page.summary
    for head, text in page.sections:
        plain += f"\n\n{head}: {text}" if head else f"\n\n{text}"
        marked += f"\n\n**{head}**: {text}" if head else f"\n\n{text}"
    if address := rule_address(code, name):
        rule["helpUri"] = address
    return rule | {
        "shortDescription": {"text": page.summary},
        "help": {"text": plain, "markdown": marked},
        "properties": {"tags": [page.group]},
    }


def _results(
    findings: Iterable[tuple[Finding, str, str]], codes: Sequence[str], folder: str
) -> Iterable[dict[str, object]]:
    """Yield a result for each finding, with the reason why it is accepted; abigen runs in `folder` below the root."""
    seen: Counter[str] = Counter()
    findings = list(findings)
    are_decided = any(reason for *_, reason in findings)  # then all results say whether they are (section 3.27.23)
    for finding, operand, reason in findings:
        name = f"{finding.rule}:{finding.entity}"
        seen[name] += 1
        result: dict[str, object] = {
            "ruleId": finding.code,
            "ruleIndex": codes.index(finding.code),
            "level": finding.level.value,
            "message": {"text": "\n".join([finding.message, *(f"{label}: {text}" for label, text in rows(finding))])},
            "locations": [_location(finding.new, finding.entity, operand, folder)],
            "partialFingerprints": {_FINGERPRINT: f"{name}:{seen[name]}"},
            "properties": {
                "entity": finding.entity,
                "bump": finding.bump.value,
                "axes": {name.replace("_p", "P"): answer.value for name, answer in answers_of(finding).items()},
            },
        }
        if are_decided:
            accepted = {"kind": "external", "status": "accepted", "justification": reason}
            result["suppressions"] = [accepted] if reason else []
        if finding.old is not None:
            revision = revision_of(finding.old.file)
            text = f"where it was, at {revision}" if revision else "where it was"
            result["relatedLocations"] = [{"id": 1, **_physical(finding.old, folder), "message": {"text": text}}]
        if finding.fix is not None:
            result["fixes"] = [_fix(finding.fix, folder)]
        yield result


def _fix(fix: Fix, folder: str) -> dict[str, object]:
    """Return a fix object (section 3.55) with a change for each file."""
    changes = []
    for file in dict.fromkeys(each.file for each in fix.edits):
        replacements = [
            {
                "deletedRegion": {
                    "startLine": each.start[0],
                    "startColumn": each.start[1],
                    "endLine": each.end[0],
                    "endColumn": each.end[1],
                },
                "insertedContent": {"text": each.text},
            }
            for each in fix.edits
            if each.file == file
        ]
        changes.append({"artifactLocation": _artifact(file, folder), "replacements": replacements})
    return {"description": {"text": fix.title}, "artifactChanges": changes}


def _location(place: Span | None, entity: str, operand: str, folder: str) -> dict[str, object]:
    """Return the place in NEW; for a removed entity, the beginning of NEW."""
    logical = {"logicalLocations": [{"fullyQualifiedName": entity}]}
    return _physical(place or Span(operand, 1, 1, 1), folder) | logical


def _physical(place: Span, folder: str) -> dict[str, object]:
    """Return a place in a file; columns count characters, the end is the one behind the last."""
    region = {"startLine": place.line, "startColumn": place.column, "endColumn": place.column + place.length}
    return {"physicalLocation": {"artifactLocation": _artifact(place.file, folder), "region": region}}


def _artifact(file: str, folder: str) -> dict[str, object]:
    """Return a file by its URI, relative to the root unless it lies elsewhere."""
    path = file.replace("\\", "/")
    if path.startswith("/"):
        return {"uri": "file://" + quote_uri(_bytes(path))}
    if path[1:3] == ":/":
        return {"uri": "file:///" + quote_uri(_bytes(path), safe="/:")}
    return {"uri": quote_uri(_bytes(from_root(path, folder))), "uriBaseId": _ROOT}


def _bytes(path: str) -> bytes:
    """Return a path as the file system has it: names of files need not be UTF-8."""
    return path.encode("utf-8", "surrogateescape")
