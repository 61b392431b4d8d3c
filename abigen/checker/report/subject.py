"""Arguments of every report format: the subject, and which findings are shown in which groups."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, TypeAlias

import msgspec
from msgspec.structs import replace

from abigen.model.finding import Bump, Detail, Finding, Level

if TYPE_CHECKING:
    from abigen.model.api import ApiSet
    from abigen.model.entities import VersionDeclaration
    from abigen.model.finding import Accepted, CheckRun, Finding, Fix, Page, Verdict


LINES = 180
"""The number of lines of a report, beside its last lines."""
_IN_FULL = 6
"""The number of breaks that are written in full; of more, one of each rule is."""
_QUIET_IN_FULL = 3
"""The number of findings that break nothing and are written in full, where nothing breaks."""
_REPEATED = 3
"""From how many on findings of a rule that break nothing stand together."""
PART_OF = {"removed-without-deprecation": ("field-removed", "ABI101")}
"""Rules whose findings are a line of another one's, about the same entity: the other's name and code."""
_NOUNS = {"field": "member", "size-macro": "size constant"}
_CHANGES = re.compile(r"(.+)-((?:re|un|in)?[a-z]+ed|hidden|split)")
_PHRASES = {
    "alignment-over-limit": "members want a larger alignment than the conventions allow",
    "append-must-be-understood": "members were appended that the other side has to read",
    "append-shifts-embedder": "structs grew that others hold by value",
    "append-to-frozen-struct": "members were appended to structs that must not grow",
    "append-undetectable": "members were appended to structs without a size that shows it",
    "bitfield-changed": "bit-fields were changed",
    "compiled-layout-differs": "structs have another layout in the library",
    "compiled-signature-differs": "functions have another signature in the library",
    "compiled-value-differs": "enumerators have another value in the library",
    "dangling-replacement": "name a successor that does not exist",
    "deprecated-meaningful-zero": "members are deprecated whose zero is no no-op",
    "deprecated-required-field": "members are deprecated that had to be filled",
    "duty-changed": "duties were changed",
    "ext-missing": "structs have no member for extensions",
    "ext-not-second": "structs have their member for extensions elsewhere than second",
    "field-repurposed": "members have other comments",
    "field-undeprecated": "members are no longer deprecated",
    "implicit-padding": "members have padding before them",
    "inline-function-changed": "inline functions have other bodies",
    "layout-changed": "structs are laid out otherwise",
    "layout-differs": "structs are laid out differently on the targets",
    "macro-body-changed": "macros have other bodies",
    "meaning-withdrawn": "members that meant something are reserved now",
    "members-grouped": "groups of members were put into a struct or taken out of one",
    "missing-extern-c": 'places have functions outside `extern "C"`',
    "missing-guard": "headers have no include guard",
    "nonportable-type": "types are not the same on all targets",
    "opaque-defined": "opaque types were defined",
    "opaque-hidden": "structs are opaque now",
    "owner-prefix": "names do not say who fills or implements them",
    "renamed-by-deprecation": "members have successors",
    "reserved-name": "names are reserved to the implementation",
    "since-not-monotonic": "members are older than the one before them",
    "size-field-missing": "structs do not carry their size",
    "size-field-not-first": "structs carry their size elsewhere than first",
    "size-macro-broken": "size constants name what does not exist",
    "mask-bit-without-member": "bits of masks are named after no member",
    "size-macro-missing": "structs have no size constant",
    "size-macro-name": "size constants have names that do not follow from their struct",
    "size-macro-stale": "size constants do not end at the last member",
    "size-macro-wrong-struct": "size constants measure another struct",
    "symbol-version-removed": "versions of symbols were removed from the library",
    "symbol-not-exported": "declared functions are not exported by the library",
    "symbol-undeclared": "groups of exported symbols are not declared by the header",
    "target-dependent": "changes are not judged alike on all targets",
    "undeprecated": "are no longer deprecated",
    "failure-unsaid": "functions cannot report failure",
    "retention-unsaid": "functions do not say how long they call what they keep",
    "zero-unspecified": "members do not say what zero means",
}
"""The words for several findings of a rule, where its name does not state them."""


class Group(msgspec.Struct, frozen=True):
    """Findings of one rule that a report has at one place."""

    findings: tuple[Finding, ...]
    is_full: bool = True
    """True if the findings, of which there is one then, are written with all that is said of them."""
    follows: bool = False
    """True if one finding of the same rule stands before it."""

    @property
    def sentence(self) -> str:
        """The common sentence: `12 functions were added`; for a single finding its message."""
        number, rule = len(self.findings), self.findings[0].rule
        if number == 1:
            return self.findings[0].message
        more = f"{number} more" if self.follows else f"{number}"
        if rule in _PHRASES:
            return f"{more} {_PHRASES[rule]}"
        change = _CHANGES.fullmatch(rule)
        if change is None:
            return f"{more} findings"
        noun = change[1]
        for word, usual in _NOUNS.items():
            noun = noun.replace(word, usual)
        return f"{more} {noun.replace('-', ' ')}s were {change[2]}"

    def names(self) -> list[str]:
        """Return the names of the subjects; for neighbouring members of one struct, the struct once."""
        names: list[str] = []
        last = ""
        for entity in dict.fromkeys(each.entity for each in self.findings):
            owner, dot, member = entity.rpartition(".")
            names.append(f".{member}" if dot and owner == last else entity)
            last = owner
        return names

    def owners(self) -> list[str]:
        """Return the same in fewer words: of each struct, how many of its members there are."""
        numbers = Counter(each.entity.rpartition(".")[0] or each.entity for each in self.findings)
        return [f"{name} ({number})" if number > 1 else name for name, number in numbers.items()]


def is_break(finding: Finding) -> bool:
    """True if a finding stands with those that come first: it requires MAJOR, or is an error."""
    return finding.bump is Bump.MAJOR or finding.level is Level.ERROR


def told_once(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Return the findings, breaks first; what only adds to another one about the same entity is a line of that one."""
    main = {(each.rule, each.entity) for each in findings}
    parts: dict[tuple[str, str], Finding] = {}
    for each in findings:
        key = (PART_OF.get(each.rule, ("",))[0], each.entity)
        if key in main:
            parts[key] = each

    def whole(finding: Finding) -> Finding:
        part = parts.get((finding.rule, finding.entity))
        if part is None:
            return finding
        line = Detail("also", f"{part.code} {part.rule}: {part.message}")
        return replace(finding, details=(*finding.details, line))

    left = [whole(each) for each in findings if (PART_OF.get(each.rule, ("",))[0], each.entity) not in parts]
    return (*filter(is_break, left), *(each for each in left if not is_break(each)))


def groups(findings: Sequence[Finding], *, everything: bool) -> list[Group]:
    """Return the findings as a report shows them.

    Args:
        findings: the worst first.
        everything: whether each is to be written in full.
    """
    told = told_once(findings)
    if everything:
        return [Group((each,)) for each in told]
    breaks = [each for each in told if is_break(each)]
    quiet = sorted((each for each in told if not is_break(each)), key=lambda each: each.level is Level.NOTE)
    return [*_breaks(breaks), *_quiet(quiet, most=0 if breaks else _QUIET_IN_FULL)]


def _by_rule(findings: Iterable[Finding]) -> list[list[Finding]]:
    rules: dict[str, list[Finding]] = {}
    for each in findings:
        rules.setdefault(each.rule, []).append(each)
    return list(rules.values())


def _breaks(findings: Sequence[Finding]) -> list[Group]:
    """Return all of a few; of many one of each rule in full, and the others of that rule behind it."""
    if len(findings) <= _IN_FULL:
        return [Group((each,)) for each in findings]
    found = []
    for number, alike in enumerate(_by_rule(findings)):
        shown = int(number < _IN_FULL)
        found += [Group((each,)) for each in alike[:shown]]
        found += [Group(tuple(alike[shown:]), is_full=False, follows=bool(shown))] if alike[shown:] else []
    return found


def _quiet(findings: Sequence[Finding], *, most: int) -> list[Group]:
    """Return findings that break nothing: a number of them in full, and repeated ones of a rule as one."""
    rules = _by_rule(findings)
    single = [each for alike in rules if len(alike) < _REPEATED for each in alike]
    if len(single) > most:
        return [Group(tuple(alike), is_full=False) for alike in rules]
    repeated = [Group(tuple(alike), is_full=False) for alike in rules if len(alike) >= _REPEATED]
    return [*(Group((each,)) for each in single), *repeated]


Manual: TypeAlias = "Callable[[], Sequence[Page]]"
"""Gives the manual pages of all rules; called only by formats that carry them."""


class ReportedApi(msgspec.Struct, frozen=True):
    """An API that a report is about."""

    operand: str
    """The operand as the user wrote it."""
    api: ApiSet
    is_editable: bool = True
    """True if its files are those of the working tree."""

    @property
    def version(self) -> VersionDeclaration | None:
        """The version that the API states; None when it states none."""
        declarations = [group.api.version for group in self.api.groups]
        return next(filter(None, declarations), None)

    @property
    def files(self) -> tuple[str, ...]:
        """The files whose declarations are the API's own, as messages name them."""
        return tuple(dict.fromkeys(file for group in self.api.groups for file in group.api.files))


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """The result of `abigen diff`, `lint` or `verify`, as every format prints it."""

    command: str
    """`diff`, `lint` or `verify`."""
    operand: str
    """The operand that the findings are about, as the user wrote it."""
    sides: tuple[ReportedApi, ...]
    """The APIs: NEW and OLD, all that were linted, or the one of a plugin; targets are those of the first."""
    all_findings: tuple[Finding, ...]
    """The findings that count, the worst first."""
    left_out: tuple[Finding, ...] = ()
    """Findings among them that are not shown, because the user wants to see others only."""
    ok: bool
    """For `diff`, true if the version's bump is large enough; else true if no finding is an error."""
    policy: str = "default"
    """Name of the policy that it was judged by."""
    manual: Manual = tuple
    accepted: tuple[Accepted, ...] = ()
    """The findings that the project accepts."""
    not_compared: tuple[str, ...] = ()
    """The differences that no target reads, a line each."""
    not_judged: tuple[str, ...] = ()
    """The reasons why other APIs cannot be read, with the place."""
    verdict: Verdict | None = None
    """The verdict of `diff`."""
    release: str = ""
    """The release of the core that `verify` played: `1.2.0`; empty for an API without version."""
    runs: tuple[CheckRun, ...] = ()
    """The checks of `verify`, by code."""
    not_called: tuple[tuple[str, str], ...] = ()
    """Functions of the plugin that `verify` has not called, with the reason."""
    of_host: bool = False
    """True if the operand is a command that runs a host, which was tried with plugins."""

    @property
    def is_diff(self) -> bool:
        """True if two sides were compared."""
        return self.command == "diff"

    @property
    def new(self) -> ReportedApi:
        """The API, or the newer one of two."""
        return self.sides[0]

    @property
    def old(self) -> ReportedApi:
        """The older one of two APIs."""
        return self.sides[-1]

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The shown findings, the worst first."""
        return tuple(each for each in self.all_findings if each not in self.left_out)

    def fixes(self, *, unsafe: bool) -> list[Fix]:
        """Return the edits that remove shown findings.

        Args:
            unsafe: True if those count that take back a decision of the author.
        """
        found = (each.fix for each in self.findings if each.fix is not None)
        return [each for each in found if each.is_safe or unsafe]

    @property
    def gaps(self) -> tuple[str, ...]:
        """The parts that the report does not cover, a line each: uncompared parts, unjudged APIs."""
        judged = (f"not judged: {each}" for each in self.not_judged)
        return (*(f"not compared: {each}" for each in self.not_compared), *judged)

    @property
    def sources(self) -> Mapping[str, str]:
        """Texts that findings quote, by file name."""
        return {name: text for each in reversed(self.sides) for name, text in each.api.sources.items()}

    @property
    def editable(self) -> Mapping[str, str]:
        """Texts of files of the working tree that fixes are about, by file name: NEW's, or those of all APIs."""
        sides = [side for side in self.sides[: 1 if self.is_diff else None] if side.is_editable]
        return {name: text for side in sides for name, text in side.api.sources.items()}

    @property
    def remarks(self) -> tuple[str, ...]:
        """The remarks about judged parts, where the operands do not state them: OLD's first."""
        groups = [group for each in reversed(self.sides) for group in each.api.groups]
        notes = (each.message for group in groups for each in group.api.warnings if each.severity == "note")
        return tuple(dict.fromkeys(notes))

    @property
    def targets(self) -> tuple[str, ...]:
        """The targets that were compared, or looked at."""
        return self.new.api.targets


def diff_report(
    old: ReportedApi, new: ReportedApi, verdict: Verdict, policy: str = "default", manual: Manual = tuple
) -> Report:
    """Return the report about a comparison.

    Args:
        old: the older side.
        new: the newer side.
        verdict: the judgement of the comparison.
        policy: the name of the policy that it was judged by.
        manual: gives the pages of rules.
    """
    return Report(
        command="diff",
        operand=new.operand,
        sides=(new, old),
        all_findings=verdict.findings,
        ok=verdict.ok,
        policy=policy,
        manual=manual,
        accepted=verdict.accepted,
        not_compared=verdict.not_compared,
        verdict=verdict,
    )


def lint_report(
    apis: tuple[ReportedApi, ...],
    findings: tuple[Finding, ...],
    *,
    ok: bool,
    policy: str = "default",
    manual: Manual = tuple,
    accepted: tuple[Accepted, ...] = (),
    not_judged: tuple[str, ...] = (),
) -> Report:
    """Return the report about an inspection of APIs.

    Args:
        apis: the inspected ones.
        findings: their flaws.
        ok: true if no finding is an error, and all operands were read.
        policy: the name of the policy that they were judged by.
        manual: gives the pages of rules.
        accepted: the findings that the project accepts.
        not_judged: the reasons why other APIs cannot be read.
    """
    return Report(
        command="lint",
        operand=" ".join(each.operand for each in apis),
        sides=apis,
        all_findings=findings,
        ok=ok,
        policy=policy,
        manual=manual,
        accepted=accepted,
        not_judged=not_judged,
    )


class Style(msgspec.Struct, frozen=True):
    """The style of reports for people; formats for machines use the folder alone."""

    colour: bool = False
    width: int = 100
    """Columns to wrap at."""
    is_wrapped: bool = False
    """True if lines are wrapped that a program may search for, too: headlines, and what was not compared."""
    summary: bool = False
    """Only the verdict."""
    statistics: bool = False
    """True if the number of findings of each rule is shown instead of the findings."""
    everything: bool = False
    """True if findings that repeat themselves are written in full, too."""
    fixes: str = ""
    """The fixes that are shown as a diff: `safe`, `unsafe` for all of them, or none."""
    folder: str = ""
    """The working folder below the root of the repository: `include/`; empty in the root, and without one."""


class Selection(msgspec.Struct, frozen=True, kw_only=True):
    """The user's choice of findings; patterns match the names of rules (`field-*`) or their codes (`ABI1*`)."""

    select: tuple[str, ...] = ()
    """Patterns of which one has to match; none lets everything through."""
    ignore: tuple[str, ...] = ()
    """Patterns of which none may match."""
    level: Level = Level.NOTE
    """The lowest level."""

    def shows(self, finding: Finding) -> bool:
        """True if a finding is shown."""
        is_loud = [*Level].index(finding.level) <= [*Level].index(self.level)
        return is_loud and (not self.select or _means(self.select, finding)) and not _means(self.ignore, finding)

    def of(self, report: Report) -> Report:
        """Return a report that shows what is selected, and counts the rest; `verify` shows all."""
        if report.command == "verify":
            return report
        return replace(report, left_out=tuple(each for each in report.findings if not self.shows(each)))


def _means(patterns: tuple[str, ...], finding: Finding) -> bool:
    """True if a pattern is about a finding's rule."""
    names = (finding.rule, finding.code, *PART_OF.get(finding.rule, ()))
    return any(fnmatchcase(name, each) for each in patterns for name in names)
