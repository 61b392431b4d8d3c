"""Makes diagnostics, code actions and code lenses of findings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec
from lsprotocol.types import (
    CodeAction,
    CodeActionKind,
    CodeLens,
    Command,
    Diagnostic,
    DiagnosticRelatedInformation,
    DiagnosticSeverity,
    Position,
    Range,
    TextEdit,
    WorkspaceEdit,
)

from abigen.checker.acceptance_comment import accepting
from abigen.checker.report.wording import rows
from abigen.editor.analysis import Comparison, Examination
from abigen.editor.places import OldTexts, Places, uri_of
from abigen.editor.subjects import place_of
from abigen.model import span as model
from abigen.model.finding import Bump, Finding, Fix, Level
from abigen.model.span import printable_lines

SOURCE = "abigen"
SHOW_REPORT = "abigen.showReport"
"""The command of code lenses: it shows the last line of the report."""

_SEVERITIES = {
    Level.ERROR: DiagnosticSeverity.Error,
    Level.WARNING: DiagnosticSeverity.Warning,
    Level.NOTE: DiagnosticSeverity.Information,
}
_OF_READING = {
    "error": DiagnosticSeverity.Error,
    "warning": DiagnosticSeverity.Warning,
    "note": DiagnosticSeverity.Information,
}
_TOP = Range(start=Position(0, 0), end=Position(0, 0))


class Problem(msgspec.Struct, frozen=True):
    """A diagnostic in a file, with the finding that it is about."""

    path: str
    """Absolute."""
    shown: Diagnostic
    finding: Finding | None = None
    """None for an error of reading."""

    @property
    def key(self) -> tuple[object, ...]:
        """The parts that are the same if two open files have the same problem."""
        start = self.shown.range.start
        return start.line, start.character, self.shown.code, self.shown.message


def unread(errors: Iterable[model.Diagnostic], places: Places, path: str) -> list[Problem]:
    """Return the errors and warnings of reading a file as problems; those of other files stand at the top, too.

    Args:
        errors: the errors.
        places: converts places.
        path: the absolute path of the file.
    """
    found = []
    for each in errors:
        message = f"{each.message}\n{each.hint}" if each.hint else each.message
        severity = _OF_READING[each.severity]
        place = each.place
        file = places.path(place.file) if place is not None else path
        where = places.range(place) if place is not None and file == path else _TOP
        message = printable_lines(message)
        shown = message if place is None or file == path else f"{place}: {message}"
        found.append(Problem(path, Diagnostic(range=where, message=shown, severity=severity, source=SOURCE)))
    return found


def problems(
    examined: Examination,
    compared: Comparison | None,
    places: Places,
    old_texts: OldTexts,
    path: str,
    *,
    is_stale: bool = False,
) -> list[Problem]:
    """Return the flaws of an API, and what changed since its baseline.

    Args:
        examined: the API.
        compared: the comparison; None if there is none (yet).
        places: converts places of both sides.
        old_texts: copies of OLD's files.
        path: the absolute path of the file.
        is_stale: True if the comparison is of an older text: its changes are placed by their names.
    """
    flaws = examined.findings
    known = {(each.rule, each.entity) for each in flaws}
    changes = compared.verdict.findings if compared is not None else ()
    new = [each for each in changes if (each.rule, each.entity) not in known]
    warnings = [each for group in examined.api.groups for each in group.api.warnings]
    found = unread(dict.fromkeys([*warnings, *examined.remarks]), places, path)
    for number, each in enumerate((*flaws, *new)):
        span = _place(each, examined, is_stale=is_stale and number >= len(flaws))
        file = places.path(span.file) if span is not None else path
        related = []
        if each.old is not None and compared is not None and (there := places.location(each.old, old_texts)):
            message = f"in {compared.baseline.name}"
            related = [DiagnosticRelatedInformation(location=there, message=message)]
        shown = Diagnostic(
            range=places.range(span) if span is not None else _TOP,
            message=message_of(each, examined.api.targets),
            severity=_SEVERITIES[each.level],
            code=f"{each.code} {each.rule}",
            source=SOURCE,
            related_information=related or None,
        )
        found.append(Problem(file, shown, each))
    return found


def message_of(finding: Finding, targets: Sequence[str]) -> str:
    """Return the message of a finding with its consequences, a line each, the remedy last."""
    lines = [f"{label}: {text}" for label, text in rows(finding, targets) if text != "ok"]
    return printable_lines("\n".join([finding.message, *lines]))


def _place(finding: Finding, examined: Examination, *, is_stale: bool) -> model.Span | None:
    """Return the place of a finding in NEW: its own, else that of the struct around a removed member."""
    found = None if finding.new is not None and not is_stale else place_of(examined, finding.entity)
    return found or finding.new


def actions(
    shown: Sequence[Problem], wanted: Range, examined: Examination, places: Places, line_end: str
) -> Iterator[CodeAction]:
    """Yield the edits that remove or accept the problems in a range.

    Args:
        shown: the problems of the file, as the client shows them.
        wanted: the range.
        examined: the API, whose text is the one that the client has.
        places: converts places.
        line_end: the end of lines in the file.
    """
    for each in shown:
        if each.finding is None or not _touches(each.shown.range, wanted):
            continue
        fixes = {each.finding.fix: True, accepting(each.finding, examined.api): False}
        for fix, removes in fixes.items():
            if fix is not None:
                yield CodeAction(
                    title=fix.title[:1].upper() + fix.title[1:],
                    kind=CodeActionKind.QuickFix,
                    diagnostics=[each.shown],
                    is_preferred=(removes and fix.is_safe) or None,
                    edit=edit_of([fix], places, line_end),
                )


def edit_of(fixes: Iterable[Fix], places: Places, line_end: str) -> WorkspaceEdit:
    """Return the edits of fixes, as the protocol has them.

    Args:
        fixes: the fixes.
        places: converts places.
        line_end: the end of lines in the file.
    """
    changes: dict[str, list[TextEdit]] = {}
    for each in (edit for fix in fixes for edit in fix.edits):
        uri = uri_of(places.path(each.file))
        changes.setdefault(uri, []).append(
            TextEdit(range=places.range_of(each), new_text=each.text.replace("\n", line_end))
        )
    return WorkspaceEdit(changes=changes)


def _touches(one: Range, other: Range) -> bool:
    return (one.start.line, one.start.character) <= (other.end.line, other.end.character) and (
        other.start.line,
        other.start.character,
    ) <= (one.end.line, one.end.character)


def lenses(examined: Examination, compared: Comparison, places: Places, path: str, text: str) -> list[CodeLens]:
    """Return a lens for the whole file, and one for each declaration that changed since the baseline.

    Args:
        examined: the API.
        compared: its comparison.
        places: converts places.
        path: the absolute path of the file.
        text: the newest text, which may not be readable; lenses of changed lines are left out.
    """
    verdict, since = compared.verdict, compared.baseline.name
    counts = compared.summary.partition(". ")[0]
    title = f"ABI: {_bump(verdict.required)} since {since}"
    found = [_lens(_TOP, f"{title} ({counts})" if verdict.findings else title, compared.summary)]
    by_owner: dict[str, list[Finding]] = {}
    for each in verdict.findings:
        if each.bump is not Bump.NONE and each.entity:
            by_owner.setdefault(each.entity.partition(".")[0], []).append(each)
    for name, changes in by_owner.items():
        span = place_of(examined, name)
        if span is not None and places.path(span.file) == path:
            highest = max((each.bump for each in changes), key=lambda bump: bump.rank)
            kinds = ", ".join(dict.fromkeys(each.rule.replace("-", " ") for each in changes))
            title = f"ABI: {_bump(highest)} since {since} ({kinds})"
            found.append(_lens(places.range(span), title, "\n".join(each.message for each in changes)))
    return list(_moved(found, examined.text, text))


def _moved(found: Iterable[CodeLens], old: str, new: str) -> Iterator[CodeLens]:
    """Yield lenses of a text at their lines in a newer one, without those in the lines that have changed."""
    before, after = old.split("\n"), new.split("\n")
    same = _common(before, after)
    same_at_end = _common(before[same:][::-1], after[same:][::-1])
    for each in found:
        line = each.range.start.line
        shift = 0 if line < same else len(after) - len(before) if line >= len(before) - same_at_end else None
        if shift is not None:
            start, end = (Position(at.line + shift, at.character) for at in (each.range.start, each.range.end))
            yield CodeLens(range=Range(start, end), command=each.command)


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """Return the number of equal lines at the start of two texts."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (here, there) in pairs if here != there), min(len(one), len(other)))


def _lens(where: Range, title: str, report: str) -> CodeLens:
    return CodeLens(range=where, command=Command(title=title, command=SHOW_REPORT, arguments=[report]))


def _bump(bump: Bump) -> str:
    return "no change" if bump is Bump.NONE else bump.name
