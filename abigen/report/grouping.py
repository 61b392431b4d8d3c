"""What reports for people say together: breaks first and in full, what repeats itself in one paragraph per rule."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec
from msgspec.structs import replace

from abigen.model.finding import Bump, Detail, Finding, Level

LINES = 180
"""How long a report is at most, beside its last lines."""
_IN_FULL = 6
"""How many breaks are written in full; of more, one of each rule."""
_QUIET_IN_FULL = 3
"""How many findings that break nothing are written in full, where nothing breaks."""
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
    "append-undetectable": "members were appended where no size tells that they are there",
    "bitfield-changed": "bit-fields were changed",
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
    "target-dependent": "changes are not judged alike on all targets",
    "undeprecated": "are no longer deprecated",
    "failure-unsaid": "functions cannot report failure",
    "retention-unsaid": "functions do not say how long they call what they keep",
    "zero-unspecified": "members do not say what zero means",
}
"""What several findings of a rule say, where its name does not say it."""


class Group(msgspec.Struct, frozen=True):
    """Findings of one rule that a report has at one place."""

    findings: tuple[Finding, ...]
    is_full: bool = True
    """Whether the findings, of which there is one then, are written with all that is said of them."""
    follows: bool = False
    """Whether one finding of the same rule stands before it."""

    @property
    def sentence(self) -> str:
        """What they say together: `12 functions were added`; of a single one its message."""
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
        """What they are about; of members of one struct that follow each other, the struct once."""
        names: list[str] = []
        last = ""
        for entity in dict.fromkeys(each.entity for each in self.findings):
            owner, dot, member = entity.rpartition(".")
            names.append(f".{member}" if dot and owner == last else entity)
            last = owner
        return names

    def owners(self) -> list[str]:
        """The same in fewer words: of each struct, how many of its members there are."""
        numbers = Counter(each.entity.rpartition(".")[0] or each.entity for each in self.findings)
        return [f"{name} ({number})" if number > 1 else name for name, number in numbers.items()]


def is_break(finding: Finding) -> bool:
    """Whether a finding stands with those that come first: it requires MAJOR, or is an error."""
    return finding.bump is Bump.MAJOR or finding.level is Level.ERROR


def told_once(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """The findings, breaks first; what only adds to another one about the same entity is a line of that one."""
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
    """The findings as a report shows them.

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
    """All of a few; of many one of each rule in full, and the others of that rule behind it."""
    if len(findings) <= _IN_FULL:
        return [Group((each,)) for each in findings]
    found = []
    for number, alike in enumerate(_by_rule(findings)):
        shown = int(number < _IN_FULL)
        found += [Group((each,)) for each in alike[:shown]]
        found += [Group(tuple(alike[shown:]), is_full=False, follows=bool(shown))] if alike[shown:] else []
    return found


def _quiet(findings: Sequence[Finding], *, most: int) -> list[Group]:
    """What breaks nothing: at most so many in full, and those of a rule that repeat themselves together."""
    rules = _by_rule(findings)
    single = [each for alike in rules if len(alike) < _REPEATED for each in alike]
    if len(single) > most:
        return [Group(tuple(alike), is_full=False) for alike in rules]
    repeated = [Group(tuple(alike), is_full=False) for alike in rules if len(alike) >= _REPEATED]
    return [*(Group((each,)) for each in single), *repeated]
