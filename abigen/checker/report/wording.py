"""Sentences that formats for people share: the verdict, counts, what happens on each axis; and quoted lines."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from posixpath import normpath

import msgspec
from msgspec.structs import replace

from abigen.checker.report.subject import Report
from abigen.model.entities import VersionDeclaration
from abigen.model.finding import FAILED, NOT_RUN, PASSED, Axis, Bump, Finding, Level, Verdict
from abigen.model.span import Span, printable

_TAB = 4
_CUT = "..."
_AGAIN = "likewise"
"""The text in place of a reason that an axis above has stated."""


class Quote(msgspec.Struct, frozen=True):
    """A quoted line; `marker` is as many spaces as stand before the underlined part, and then carets."""

    line: int
    text: str
    marker: str


def quote(span: Span | None, sources: Mapping[str, str], width: int = 100) -> Quote | None:
    """Quote the line that a span is on.

    Tabs become spaces, control characters become escapes (a header must not move the cursor of whoever reads about
    it), and a line that is too long is cut around the span.

    Args:
        span: what to underline.
        sources: texts by file name.
        width: columns that are there for the line.

    Returns:
        None when there is no span, or its line is not among the texts.
    """
    text = sources.get(span.file) if span is not None else None
    if span is None or text is None:
        return None
    lines = _lines(text)
    if len(lines) < span.line:
        return None
    line = lines[span.line - 1].rstrip()
    first = min(span.column - 1, len(line))
    # No more of the line than may be shown: it can be as long as a file, and be quoted for everything on it.
    behind = first + span.length
    before, after = line[max(0, first - width) : first], line[behind : behind + width]
    inside = line[first : min(behind, first + width + 1)]
    lead = _plain(before, 0)
    middle = _plain(inside, len(lead)) or " "
    whole = lead + middle + _plain(after, len(lead) + len(middle))
    start, end = 0, len(whole)
    if len(whole) > width:
        start = max(0, min(len(lead) - width // 3, len(whole) - width))
        end = start + width
    shown = (_CUT if start else "") + whole[start:end].rstrip() + (_CUT if end < len(whole) else "")
    offset = _columns(lead[start:]) + (len(_CUT) if start else 0)
    carets = max(1, min(_columns(middle), width - offset))
    return Quote(span.line, shown, " " * offset + "^" * carets)


@lru_cache(maxsize=4)
def _lines(text: str) -> list[str]:
    """Return the lines of a text; one is quoted from again and again."""
    return text.split("\n")


def _plain(text: str, column: int) -> str:
    """Return text without tabs and control characters, when it begins at a column."""
    result = ""
    for character in text:
        if character == "\t":
            result += " " * (_TAB - (column + len(result)) % _TAB)
        else:
            result += printable(character)
    return result


def _columns(text: str) -> int:
    """Return the number of columns of a text on a terminal: 2 for East Asian wide ones, 0 for combining ones."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(each) else 2 if east_asian_width(each) in "WF" else 1 for each in text)


AXIS_LABELS = {"old_plugin": "old plugin", "new_plugin": "new plugin", "source": "source", "contract": "contract"}
"""Names of the axes in reports for people, in the order of rulebook section 2."""


_ADDITION = {"added", "appended"}
"""Words in the names of rules about what was not there before."""


def revision_of(file: str) -> str:
    """Return the git revision of a file that is named `REV:path`; empty for others, a drive's letter among them."""
    revision, colon, _ = file.partition(":")
    return revision if colon and re.fullmatch(r"[\w./~^@{}+-]{2,}", revision) else ""


def from_root(file: str, folder: str) -> str:
    """Return a file by its path from the root of the repository, whatever revision it is of.

    Args:
        file: as findings name it; `REV:path` counts from the root already, `REV:./path` does not.
        folder: where abigen runs, below the root; see `Style.folder`.
    """
    revision = revision_of(file)
    path = file[len(revision) + 1 :] if revision else file
    is_whole = path.startswith("/") or path[1:2] == ":" or (revision and path[:1] != ".")
    return normpath(path if is_whole else folder + path)


def last_line(report: Report) -> str:
    """Return the last line of a report.

    Returns:
        For `abigen diff` the counts, the version that is needed, and the one that is stated: `1 breaking change. Raise
        TOY_MAJOR: next version 2.0.0. The version is still 1.0.0 (TOY_MAJOR, TOY_MINOR, TOY_PATCH).`
        For `abigen lint` how many findings of each level; for `abigen verify` also how many checks passed, and why some
        were not run: `1 error: 30 checks passed, 1 failed, 3 not run (numpy is not
        installed (pip install numpy)) (as a core of release 1.2.0)`.
    """
    if report.verdict is not None:
        return _verdict_line(report, report.verdict)
    counts = [(level, sum(each.level is level for each in report.all_findings)) for level in Level]
    found = ", ".join(count(number, level.value) for level, number in counts if number) or "no finding"
    if report.command == "lint":
        accepted = [f"{count(len(report.accepted), 'finding')} accepted"] if report.accepted else []
        return ", ".join([found, *accepted, *_left_out(report)])
    return _checks_line(report, "" if found == "no finding" else f"{found}: ")


def _checks_line(report: Report, found: str) -> str:
    """Return how many checks passed, failed, were not run and why, and how many functions nothing called."""
    results = Counter(run.result for run in report.runs if not run.inapplicable)
    reasons = Counter(run.reason for run in report.runs if run.result == NOT_RUN and not run.inapplicable)
    parts = [f"{count(results[PASSED], 'check')} passed"]
    if results[FAILED]:
        parts.append(f"{results[FAILED]} failed")
    if reasons:
        (reason, _), *others = reasons.most_common()
        parts.append(f"{results[NOT_RUN]} not run ({reason}{'; others are above' if others else ''})")
    if unfit := sum(run.inapplicable for run in report.runs):
        parts.append(f"{unfit} do not apply" if unfit > 1 else "1 does not apply")
    if report.not_called:
        parts.append(f"{count(len(report.not_called), 'function')} not called")
    role = "with plugins" if report.of_host else "as a core"
    release = f" ({role} of release {report.release})" if report.release else ""
    return found + ", ".join(parts) + release


def rows(finding: Finding, targets: Sequence[str] = ()) -> list[tuple[str, str]]:
    """Return the parts of a finding below its message, as label and text, except its other place.

    Args:
        finding: any.
        targets: all targets, to say how the finding differs between them; none to leave that out.
    """
    found = [(each.label, each.text) for each in finding.details] + axis_rows(finding)
    found += [("target", line) for line in _target_lines(finding, targets)] if targets else []
    found += [("follows", f"{each.code} {each.rule}: {each.message}") for each in finding.consequences]
    return found + ([("instead", finding.help)] if finding.help else [])


def all_rows(finding: Finding, targets: Sequence[str]) -> list[tuple[str, str]]:
    """Return the same with the place in OLD at the end, where the finding has one in NEW as well."""
    is_moved = finding.new is not None and finding.old is not None
    return rows(finding, targets) + ([("old", str(finding.old))] if is_moved else [])


def axis_rows(finding: Finding) -> list[tuple[str, str]]:
    """Return the effect on each axis, as label and text: `old plugin`, `breaks: it reads the wrong member`.

    Returns:
        One row per axis, `contract` only when it is not ok; none at all when every axis is ok.
    """
    answers = answers_of(finding)
    if all(answer is Axis.OK for answer in answers.values()):
        return []
    found = []
    told: set[str] = set()
    for name, answer in answers.items():
        if name != "contract" or answer is not Axis.OK:
            reason = finding.axes.reasons.get(name, "")
            text = answer.value.replace("-", " ")
            found.append((AXIS_LABELS[name], f"{text}: {_AGAIN if reason in told else reason}" if reason else text))
            told |= {reason}
    return found


def answers_of(finding: Finding) -> dict[str, Axis]:
    """Return the effect on each axis, by its name, in the order of `AXIS_LABELS`."""
    return {name: getattr(finding.axes, name) for name in AXIS_LABELS}


def _target_lines(finding: Finding, targets: Sequence[str]) -> list[str]:
    """Return the differences of a finding between targets; nothing when all of them see the same.

    Args:
        finding: with its numbers per target.
        targets: all targets that were compared.

    Returns:
        One line per group of targets: `i686-linux-gnu: offset 8 to 12, size 16 to 20`.
    """
    groups: dict[tuple[tuple[str, int | str | None], ...], list[str]] = {}
    same_bump = len({numbers.get("bump") for numbers in finding.targets.values()}) < 2
    for target, numbers in finding.targets.items():
        shown = tuple((key, value) for key, value in numbers.items() if key != "bump" or not same_bump)
        groups.setdefault(shown, []).append(target)
    missing = [target for target in targets if target not in finding.targets]
    if not groups or (len(groups) == 1 and not missing):
        return []
    lines = [f"{', '.join(names)}: {_numbers(dict(numbers)) or 'concerned'}" for numbers, names in groups.items()]
    return lines + ([f"{', '.join(missing)}: not concerned"] if missing else [])


def _verdict_line(report: Report, verdict: Verdict) -> str:
    """Return how many findings of which kind there are, the version that they need, and the version that is stated."""
    if not report.targets:  # it could not be read for any
        return "It was not compared."
    sentences = [_counted(report, verdict), *_needed(report, verdict)]
    return " ".join(f"{each}." for each in sentences)


def _counted(report: Report, verdict: Verdict) -> str:
    """Return the number of findings of each kind: `1 breaking change, 2 additions`."""
    counts = [count(number, _KIND_WORDS.get(word, word)) for word, number in _kinds(verdict.findings).items() if number]
    if verdict.flaws:
        counts.append(count(verdict.flaws, "flaw"))
    if not counts and verdict.findings:
        counts = [count(len(verdict.findings), "remark")]
    if verdict.accepted:
        counts.append(f"{count(len(verdict.accepted), 'finding')} accepted")
    counts += _left_out(report)
    if report.not_compared:
        counts.append("not all compared" if counts else "No change in what was compared")
    return ", ".join(counts) or "No change"


def _needed(report: Report, verdict: Verdict) -> list[str]:
    """Return the sentences about the version: the one that is needed, and the one that is stated."""
    old, new = report.old.version, report.new.version
    if any(each.api.groups[0].api.header is not None for each in report.sides):  # a spec's version needs no macros
        old, new = (each and replace(each, macros=()) for each in (old, new))
    if old is None or new is None:
        return [_new_bump(verdict), _absent(old, new)]
    if verdict.declared == "unknown":
        return [_new_bump(verdict), _undecided(old, new)]
    moved = _step(old, new)
    if verdict.declared == "backwards":
        return [f"The version went back from {old} to {new}: give it a number that was never used"]
    if verdict.demanded is Bump.NONE:
        return [_nothing_needed(verdict, old), moved]
    if verdict.declared != "none" and Bump(verdict.declared).rank >= verdict.demanded.rank:
        return [f"Version {new!s} is enough for {_covered(verdict, old)}", moved]
    place = min(verdict.demanded.place, old.parts - 1)
    raised = replace(old, version=old.version.raised(place))
    part = _part(new, place)
    is_optional = any(each.rule == "bump-missing" and each.level is Level.NOTE for each in verdict.findings)
    request = f"{part} should rise, but nothing fails without it" if is_optional else f"Raise {part}"
    eased = _eased(verdict, new)
    return [f"{request}{f' ({eased})' if eased else ''}: next version {raised!s}", moved]


def _new_bump(verdict: Verdict) -> str:
    """Return the sentence about a version whose parts are unknown or absent."""
    if verdict.demanded is Bump.NONE:
        return "No new version is needed"
    if verdict.demanded is Bump.MAJOR:
        return "This needs a new MAJOR version"
    return f"A new {_bump(verdict.demanded)} version is advised"


def _nothing_needed(verdict: Verdict, old: VersionDeclaration) -> str:
    """Return the sentence of a verdict that needs no new version, with its reason where something changed."""
    if verdict.required is Bump.NONE:
        return "No new version is needed"
    is_zero = old.version.major == 0 and old.parts > 1 and verdict.required is not Bump.PATCH
    reason = "while MAJOR is 0, any change is allowed" if is_zero else "the version has no number for it"
    return f"No new version is needed ({reason})"


def _covered(verdict: Verdict, old: VersionDeclaration) -> str:
    """Return the changes that a version which moved far enough covers."""
    eased = _eased(verdict, old)
    return f"{_COVERED[verdict.required]}{f' ({eased})' if eased else ''}"


def _eased(verdict: Verdict, version: VersionDeclaration) -> str:
    """Return the reason why a lower number is enough: `while SE_MAJOR is 0, MINOR covers breaks`; empty for none."""
    if verdict.demanded in (verdict.required, Bump.NONE):
        return ""
    return f"while {_part(version, 0)} is 0, {_bump(verdict.demanded)} covers {_COVERED[verdict.required]}"


def _part(version: VersionDeclaration, place: int) -> str:
    """Return the macro that states one number of a version; MAJOR, MINOR or PATCH where none states it alone."""
    is_several = version.number is None and len(version.names) == version.parts > 1
    if is_several:
        return version.names[place]
    return version.names[0] if version.names and version.parts == 1 else ("MAJOR", "MINOR", "PATCH")[place]


def _absent(old: VersionDeclaration | None, new: VersionDeclaration | None) -> str:
    """Return the sentence about sides that state no version."""
    if old is None and new is None:
        return "No version is stated"
    side, other, stated = ("OLD", "NEW", old) if old is not None else ("NEW", "OLD", new)
    return f"{side} states version {str(stated) if stated else ''}, {other} states none"


def _undecided(old: VersionDeclaration, new: VersionDeclaration) -> str:
    """Return the sentence about macros of which nobody knows whether they are the version, or what its parts are."""
    found = old.candidates_with(new)
    if len(found) > 1:
        return f"{' and '.join(_named_step(*each) for each in found)} disagree"
    if old.is_counter or new.is_counter:
        return f"{_named_step(old, new)} is one number whose parts are unknown"
    is_plural = len(new.names) > 1
    return f"{_named_step(old, new)} {'are' if is_plural else 'is'} only likely to be the version"


def _named_step(old: VersionDeclaration, new: VersionDeclaration) -> str:
    """Return the macros of a version with its step: `T_API_VERSION (4 to 5)`."""
    before, after = (each.spelling or str(each) for each in (old, new))
    return f"{_macros(new)} ({f'{before} to {after}' if before != after else f'still {after}'})"


def _left_out(report: Report) -> list[str]:
    """Return the sentence about findings that are not shown."""
    return [f"{count(len(report.left_out), 'finding')} not shown"] if report.left_out else []


def _numbers(numbers: Mapping[str, int | str | None]) -> str:
    """`old_offset`, `new_offset` and so on in words."""
    words: dict[str, None] = dict.fromkeys(key.removeprefix("old_").removeprefix("new_") for key in numbers)
    parts = []
    for word in words:
        old, new = numbers.get(f"old_{word}"), numbers.get(f"new_{word}", numbers.get(word))
        name = word.replace("_", " ")
        if old is None or new is None or old == new:
            shown = old if new is None else new
            parts += [] if shown is None else [f"{name} {shown}"]
        else:
            parts.append(f"{name} {old} to {new}")
    return ", ".join(parts)


_KIND_WORDS = {"break": "breaking change"}
_COVERED = {
    Bump.MAJOR: "breaks",
    Bump.MINOR: "additions",
    Bump.PATCH: "changes of words",
    Bump.NONE: "no change",
}
KINDS = ("break", "addition", "deprecation", "change", "patch")
"""The kinds by which findings that require a bump are counted, in the order of reports."""


def kind_of(finding: Finding) -> str:
    """Return a kind out of `KINDS`; empty for a finding that requires nothing."""
    if finding.bump is not Bump.MINOR:
        return {Bump.MAJOR: "break", Bump.PATCH: "patch"}.get(finding.bump, "")
    if "deprecated" in finding.rule.split("-"):
        return "deprecation"
    return "addition" if _ADDITION.intersection(finding.rule.split("-")) else "change"


def _kinds(findings: Iterable[Finding]) -> dict[str, int]:
    """Return the number of entities with findings of each kind; those that require nothing are not counted."""
    kinds: dict[str, set[str]] = {kind: set() for kind in KINDS}
    for finding in findings:
        if kind := kind_of(finding):
            kinds[kind].add(finding.entity)
    return {kind: len(entities) for kind, entities in kinds.items()}


def count(number: int, word: str) -> str:
    """`1 break`, `2 patches`."""
    plural = "es" if word.endswith("ch") else "s"
    return f"{number} {word}{plural if number != 1 else ''}"


def _bump(bump: Bump) -> str:
    """Return a bump as the verdict shouts it."""
    return "nothing" if bump is Bump.NONE else bump.value.upper()


def _step(old: VersionDeclaration, new: VersionDeclaration) -> str:
    """Return the sentence about the stated version: `The version is still 1.0.0 (TOY_MAJOR, TOY_MINOR)`."""
    if old.names != new.names and old.names and new.names:
        return f"The version moved from {old} ({_macros(old)}) to {new} ({_macros(new)})"
    macros = f" ({_macros(new)})" if new.names else ""
    if str(old) == str(new):
        return f"The version is still {new}{macros}"
    return f"The version moved from {old} to {new}{macros}"


def _macros(version: VersionDeclaration) -> str:
    """Return the macros that state a version: `TOY_MAJOR, TOY_MINOR, TOY_PATCH`."""
    return ", ".join(version.names if version.number is None else version.names[:1]) or "version"
