"""Sentences that formats for people share: the verdict, counts, what happens on each axis; and quoted lines."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import takewhile
from posixpath import normpath

import msgspec
from msgspec.structs import replace

from abigen.model.entities import VersionDeclaration
from abigen.model.finding import FAILED, NOT_RUN, PASSED, Axis, Bump, Finding, Level, Verdict
from abigen.model.printable import printable
from abigen.model.span import Span
from abigen.report.subject import DiffReport, LintReport, Subject, VerifyReport

_TAB = 4
_CUT = "..."
_AGAIN = "likewise"
"""What stands for a reason that an axis above has given."""


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
    """The lines of a text; one is quoted from again and again."""
    return text.split("\n")


def _plain(text: str, column: int) -> str:
    """Text without tabs and control characters, when it begins at a column."""
    result = ""
    for character in text:
        if character == "\t":
            result += " " * (_TAB - (column + len(result)) % _TAB)
        else:
            result += printable(character)
    return result


def _columns(text: str) -> int:
    """How many columns a terminal uses for a text: East Asian wide characters take two, combining ones none."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(each) else 2 if east_asian_width(each) in "WF" else 1 for each in text)


AXIS_LABELS = {"old_plugin": "old plugin", "new_plugin": "new plugin", "source": "source", "contract": "contract"}
"""Names of the axes in reports for people, in the order of rulebook section 2."""


_ADDITION = {"added", "appended"}
"""Words in the names of rules about what was not there before."""


def revision_of(file: str) -> str:
    """The git revision of a file that is named `REV:path`; empty for others, a drive's letter among them."""
    revision, colon, _ = file.partition(":")
    return revision if colon and re.fullmatch(r"[\w./~^@{}+-]{2,}", revision) else ""


def from_root(file: str, folder: str) -> str:
    """A file by its path from the root of the repository, whatever revision it is of.

    Args:
        file: as findings name it; `REV:path` counts from the root already, `REV:./path` does not.
        folder: where abigen runs, below the root; see `Style.folder`.
    """
    revision = revision_of(file)
    path = file[len(revision) + 1 :] if revision else file
    is_whole = path.startswith("/") or path[1:2] == ":" or (revision and path[:1] != ".")
    return normpath(path if is_whole else folder + path)


def last_line(subject: Subject) -> str:
    """The last line of a report, without a full stop.

    Returns:
        For `abigen diff` what is required and declared, and counts: `MAJOR required, MINOR declared (1.1.0 to 1.2.0): 1
        break, 2 additions, 1 deprecation`. For `abigen lint` how many findings of each level; for `abigen verify` also
        how many checks passed, and why some were not run: `1 error: 30 checks passed, 1 failed, 3 not run (numpy is not
        installed (pip install numpy)) (as a core of release 1.2.0)`.
    """
    if isinstance(subject, DiffReport):
        return _verdict_line(subject)
    findings = subject.all_findings if isinstance(subject, LintReport) else subject.findings
    counts = [(level, sum(each.level is level for each in findings)) for level in Level]
    found = ", ".join(count(number, level.value) for level, number in counts if number) or "no finding"
    if isinstance(subject, LintReport):
        accepted = [f"{count(len(subject.accepted), 'finding')} accepted"] if subject.accepted else []
        return ", ".join([found, *accepted, *_left_out(subject)])
    return _checks_line(subject, "" if found == "no finding" else f"{found}: ")


def _checks_line(subject: VerifyReport, found: str) -> str:
    """Return how many checks passed, failed, were not run and why, and how many functions nothing called."""
    results = Counter(run.result for run in subject.runs if not run.inapplicable)
    reasons = Counter(run.reason for run in subject.runs if run.result == NOT_RUN and not run.inapplicable)
    parts = [f"{count(results[PASSED], 'check')} passed"]
    if results[FAILED]:
        parts.append(f"{results[FAILED]} failed")
    if reasons:
        (reason, _), *others = reasons.most_common()
        parts.append(f"{results[NOT_RUN]} not run ({reason}{'; others are above' if others else ''})")
    if unfit := sum(run.inapplicable for run in subject.runs):
        parts.append(f"{unfit} do not apply" if unfit > 1 else "1 does not apply")
    if subject.not_called:
        parts.append(f"{count(len(subject.not_called), 'function')} not called")
    role = "with plugins" if subject.of_host else "as a core"
    release = f" ({role} of release {subject.release})" if subject.release else ""
    return found + ", ".join(parts) + release


def rows(finding: Finding, targets: Sequence[str] = ()) -> list[tuple[str, str]]:
    """What is said of a finding below its message, as label and text, but for its other place.

    Args:
        finding: any.
        targets: all targets, to say how the finding differs between them; none to leave that out.
    """
    found = [(each.label, each.text) for each in finding.details] + axis_rows(finding)
    found += [("target", line) for line in _target_lines(finding, targets)] if targets else []
    found += [("follows", f"{each.code} {each.rule}: {each.message}") for each in finding.consequences]
    return found + ([("instead", finding.help)] if finding.help else [])


def all_rows(finding: Finding, targets: Sequence[str]) -> list[tuple[str, str]]:
    """The same with the place in OLD at the end, where the finding has one in NEW as well."""
    is_moved = finding.new is not None and finding.old is not None
    return rows(finding, targets) + ([("old", str(finding.old))] if is_moved else [])


def axis_rows(finding: Finding) -> list[tuple[str, str]]:
    """What happens on each axis, as label and text: `old plugin`, `breaks: it reads the wrong member`.

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
    """What happens on each axis, by its name, in the order of `AXIS_LABELS`."""
    return {name: getattr(finding.axes, name) for name in AXIS_LABELS}


def _target_lines(finding: Finding, targets: Sequence[str]) -> list[str]:
    """How a finding differs between targets; nothing when all of them see the same.

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


def _verdict_line(subject: DiffReport) -> str:
    """What is required, what is declared, and how many findings of which kind."""
    verdict = subject.verdict
    required = f"{_bump(verdict.required)} required"
    if verdict.demanded is not verdict.required:
        old = subject.old.version
        reason = (
            "while MAJOR is 0" if old is not None and old.version.major == 0 else "by the numbers that the version has"
        )
        required += f" ({_bump(verdict.demanded)} {reason})"
    if any(each.rule == "bump-missing" and each.level is Level.NOTE for each in verdict.findings):
        required += ", which fails nothing"
    counts = [count(number, word) for word, number in _kinds(verdict.findings).items() if number]
    if verdict.flaws:
        counts.append(count(verdict.flaws, "flaw"))
    if not counts and verdict.findings:
        counts = [count(len(verdict.findings), "remark")]
    if verdict.accepted:
        counts.append(f"{count(len(verdict.accepted), 'finding')} accepted")
    counts += _left_out(subject)
    if subject.not_compared:
        counts.append("not all compared" if counts else "no change in what was compared")
    return f"{required}, {_declaration(subject)}: {', '.join(counts) or 'no change'}"


def next_version(subject: DiffReport) -> str:
    """What the verdict means for the next release: `next version: 2.0.0, because 1 change breaks`.

    Returns:
        One sentence without a full stop; empty where OLD is nothing.
    """
    if not subject.old.files:
        return ""
    verdict, old, new = subject.verdict, subject.old.version, subject.new.version
    why = f"because {_cause(verdict)}" + " in what was compared" * bool(
        subject.not_compared and verdict.required is Bump.NONE
    )
    if old is None or new is None or verdict.declared in ("unknown", "backwards"):
        part = "as before" if verdict.demanded is Bump.NONE else f"one with a new {_bump(verdict.demanded)}"
        return f"next version: {part}, {why}"
    if verdict.declared != "none" and Bump(verdict.declared).rank >= verdict.demanded.rank:
        return f"next version: {new} will do, {why}"
    if verdict.demanded is Bump.NONE:
        return f"next version: {new} may stay, {why}"
    raised = replace(old, version=old.version.raised(min(verdict.demanded.place, old.parts - 1)))
    return f"next version: {raised}, {why}"


def _cause(verdict: Verdict) -> str:
    """Why a verdict requires what it does."""
    number = len({each.entity for each in verdict.findings if each.bump is verdict.required})
    changes = count(number, "change")
    words = {
        Bump.MAJOR: f"{changes} break{'s' if number == 1 else ''}",
        Bump.MINOR: f"nothing breaks, and {changes} {'is' if number == 1 else 'are'} visible to users",
        Bump.PATCH: f"{changes} concern{'s' if number == 1 else ''} words only",
        Bump.NONE: "nothing changed",
    }[verdict.required]
    is_eased = verdict.demanded not in (verdict.required, Bump.NONE)
    return f"{words}, for which {_bump(verdict.demanded)} is enough here" if is_eased else words


def _left_out(subject: DiffReport | LintReport) -> list[str]:
    """What is said of findings that are not shown."""
    return [f"{count(len(subject.left_out), 'finding')} not shown"] if subject.left_out else []


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


KINDS = ("break", "addition", "deprecation", "change", "patch")
"""What findings that require a bump are counted as, in the order of reports."""


def kind_of(finding: Finding) -> str:
    """One of `KINDS`; empty for a finding that requires nothing."""
    if finding.bump is not Bump.MINOR:
        return {Bump.MAJOR: "break", Bump.PATCH: "patch"}.get(finding.bump, "")
    if "deprecat" in finding.rule:
        return "deprecation"
    return "addition" if _ADDITION.intersection(finding.rule.split("-")) else "change"


def _kinds(findings: Iterable[Finding]) -> dict[str, int]:
    """How many entities have findings of which kind; those that require nothing are not counted."""
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
    """A bump as the verdict shouts it."""
    return "nothing" if bump is Bump.NONE else bump.value.upper()


def _declaration(subject: DiffReport) -> str:
    """What the version numbers say, and where they stand."""
    old, new = subject.old.version, subject.new.version
    declared = subject.verdict.declared
    if any(each.api.groups[0].api.header is not None for each in subject.sides):  # a spec's version is not guessed
        old, new = (each and replace(each, macros=()) for each in (old, new))
    if old is None or new is None:
        stated = ((side, each) for side, each in (("OLD", old), ("NEW", new)) if each is not None)
        return "no version declared" + next((f" ({side} states {_stated(each)})" for side, each in stated), "")
    moved = _step(old, new)
    if declared == "unknown":
        found = old.candidates_with(new)
        if len(found) > 1:
            return f"nothing declared ({', and '.join(_step(*each) for each in found)}, disagree)"
        if new.is_counter:
            return f"nothing declared ({moved}, only counts)"
        return f"not known which part of the version moved ({moved})"
    if declared == "none":
        return f"nothing declared ({_stated(new)})"
    if declared == "backwards":
        return f"version goes back ({moved})"
    return f"{declared.upper()} declared ({moved})"


def _stated(version: VersionDeclaration) -> str:
    """A version behind the macros that state it: `LIB_API_VERSION, 4`."""
    return f"{macros}, {version}" if (macros := _macros(version)) else str(version)


def _step(old: VersionDeclaration, new: VersionDeclaration) -> str:
    """From which version to which, and by which macros: `LIB_API_VERSION, 4 to 5`."""
    if old.names != new.names and old.names and new.names:
        return f"{_stated(old)}, to {_stated(new)}"
    is_unknown = str(old) == str(new) and old.number != new.number
    before, after = (each.spelling if is_unknown else str(each) for each in (old, new))
    step = f"{before} to {after}" if before != after else after
    return f"{macros}, {step}" if (macros := _macros(new)) else step


def _macros(version: VersionDeclaration) -> str:
    """The macros that state a version, without the beginning that they share: `TOY_MAJOR/MINOR/PATCH`."""
    first, *rest = (version.names if version.number is None else version.names[:1]) or ("",)
    words = [each.split("_") for each in (first, *rest)]
    shared = sum(1 for each in takewhile(lambda one: len(set(one)) == 1, zip(*words, strict=False)))
    return "/".join([first, *("_".join(each[shared:]) or "_".join(each) for each in words[1:])])
