"""Policies: the level of each rule, what counts, and the findings that a project accepted."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase

import msgspec
from msgspec.structs import replace

from abigen.checker.rule import Rule, RuleList
from abigen.model.api import ApiSet
from abigen.model.finding import Accepted, Bump, Finding, Labels, Level, Override, rule_named
from abigen.model.span import AbigenError, Diagnostic, Span, did_you_mean

_COMMENT = re.compile(r"(?://[/!]?|/\*[*!]?|^\s*\*|#)\s*(?P<said>abigen:\s*accept\b\s*(?P<rest>.*?))\s*(?:\*/.*)?$")
_WORDS = re.compile(r"(?P<rule>[\w*?-]+)(?:\s+(?P<entity>[\w.*?]+))?\s*:\s*(?P<reason>\S.*)")
_NO_CODE = re.compile(r"\s*(?:$|//|/\*|\*(?!\w))")
_YAML_COMMENT = re.compile(r"\s*(?:$|#)")
_LONGEST = 40
"""The number of lines that a declaration after an accepting comment has at most."""


def accepted_in_code(api: ApiSet, labels: Labels) -> tuple[Override, ...]:
    """Return the overrides that comments in the API's own files state.

    A comment behind a declaration is about its line; one on a line of its own is about the declaration that follows.
    What is gone has no line: `abigen: accept RULE ENTITY: reason` names it.

    Args:
        api: as it was read.
        labels: code, name and former names of each rule.

    Raises:
        AbigenError: a comment gives no reason, or names no rule.
    """
    own = {file for group in api.groups for file in group.api.files}
    problems: list[Diagnostic] = []
    found: list[Override] = []
    for file in sorted(own & {*api.sources}):
        if "abigen:" not in api.sources[file]:
            continue
        lines = api.sources[file].splitlines()
        for number, comment in _comments(lines):
            place = Span(file, number + 1, comment.start("said") + 1, len(comment["said"]))
            words = _WORDS.fullmatch(comment["rest"])
            rule = rule_named(words["rule"], labels) if words is not None else ""
            if words is None:
                message = "a comment that accepts a finding names the rule and gives a reason"
                problems.append(Diagnostic(place, message, "write `abigen: accept RULE: reason`"))
            elif not rule:
                hint = did_you_mean(words["rule"], [each[1] for each in labels], "`abigen rules` lists all of them")
                problems.append(Diagnostic(place, f"there is no rule '{words['rule']}'", hint))
            else:
                span = (0, 0) if words["entity"] else declaration_lines(lines, number, comment.start(), file)
                entity, reason = words["entity"] or "*", words["reason"]
                found.append(Override(rule=rule, entity=entity, reason=reason, place=place, lines=span))
    if problems:
        raise AbigenError(tuple(problems))
    return tuple(found)


def _comments(lines: Sequence[str]) -> Iterator[tuple[int, re.Match[str]]]:
    """Yield the lines, counted from 0, in which a comment accepts something."""
    for number, line in enumerate(lines):
        if "abigen:" in line and (found := _COMMENT.search(line)):
            yield number, found


def declaration_lines(lines: Sequence[str], number: int, column: int, file: str) -> tuple[int, int]:
    """Return the first and the last line, counted from 1, of what a comment is about."""
    no_code = _YAML_COMMENT if file.endswith((".yaml", ".yml")) else _NO_CODE
    if lines[number][:column].strip():
        return number + 1, number + 1
    first = next((at for at in range(number + 1, len(lines)) if not no_code.match(lines[at])), number)
    end = min(len(lines), first + _LONGEST)
    last = next((at for at in range(first, end) if re.search(r"[;,{}]|^\s*#", lines[at])), first)
    return first + 1, last + 1


LEVELS = ("error", "warning", "note", "off")
MAJOR_ZERO = ("cargo", "none", "strict")


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """Settings that are not about a single rule."""

    major_zero: str = "cargo"
    """The bump while MAJOR is 0: `cargo` (a break MINOR, else PATCH), `none`, `strict` (as if 1 or more)."""
    source_counts: bool = True
    """True if a change that only breaks source code needs MAJOR."""
    patch_counts: bool = False
    """True if a PATCH that should have moved and did not fails the diff; it is a note otherwise."""
    macro_body_bump: Bump = Bump.NONE
    """The bump for a changed body of a function-like macro."""
    repurposed_bump: Bump = Bump.NONE
    """The bump for a rewritten comment of an existing member."""
    strict_padding: bool = False
    """True if a hole in a versioned struct is an error."""


class Policy(msgspec.Struct, frozen=True, kw_only=True):
    """A named policy; `levels` says how loud a rule is, by public name, where it decides that."""

    name: str = "default"
    levels: Mapping[str, str] = msgspec.field(default_factory=dict)
    options: Options = msgspec.field(default_factory=Options)
    overrides: tuple[Override, ...] = ()
    today: str = ""
    """The date to hold `expires` against, `YYYY-MM-DD`; empty for the real one."""

    def for_baseline(self, *names: str) -> Policy:
        """Return the policy without the overrides that are about another baseline.

        Args:
            names: what the baseline of a comparison is called; none where there is none.
        """
        overrides = tuple(each for each in self.overrides if not each.against or each.against in names)
        return self if len(overrides) == len(self.overrides) else replace(self, overrides=overrides)

    def level_of(self, rule: str, bump: Bump, usual: str = "") -> str:
        """Return the level of a finding before overrides: one of LEVELS.

        Args:
            rule: public name.
            bump: what the finding requires; it decides where no level is given for the rule.
            usual: what the rule itself says of this finding; the policy's own word about the rule goes before it.
        """
        level = self.levels.get(rule) or usual
        return level or (Level.ERROR if bump is Bump.MAJOR else Level.NOTE).value


POLICIES: Mapping[str, Policy] = {
    "default": Policy(),
    "binary-only": Policy(name="binary-only", options=Options(source_counts=False)),
    "strict": Policy(
        name="strict",
        options=Options(
            major_zero="strict",
            patch_counts=True,
            macro_body_bump=Bump.MAJOR,
            repurposed_bump=Bump.MAJOR,
            strict_padding=True,
        ),
    ),
}


def find_policy(name: str) -> Policy:
    """Return a policy that is shipped, by name.

    Raises:
        AbigenError: there is none of that name.
    """
    if name not in POLICIES:
        known = ", ".join(f"`{each}`" for each in POLICIES)
        hint = did_you_mean(name, POLICIES, f"known are {known}", shown="`{}`".format)
        raise AbigenError.at(None, f"there is no policy `{name}`", hint)
    return POLICIES[name]


class Stale(msgspec.Struct, frozen=True):
    """Overrides that no longer matter; what rules about the policy itself are handed."""

    unused: tuple[Override, ...]
    """They match no finding, although a rule of the kind that was run is meant."""
    expired: tuple[Override, ...]


policy_rules = RuleList[Stale]()


class Exceptions:
    """A policy's overrides in one run: which findings they change, and which of them did."""

    def __init__(self, policy: Policy) -> None:
        """Prepare to apply a policy's overrides; those that have expired do nothing any more."""
        self._overrides = policy.overrides
        today = policy.today or (time.strftime("%Y-%m-%d") if policy.overrides else "")
        self._alive = [each for each in policy.overrides if not each.expires or each.expires >= today]
        self._used: set[int] = set()
        self.accepted: tuple[Accepted, ...] = ()

    def apply(self, findings: Sequence[Finding]) -> list[Finding]:
        """Give findings the level that the project wants, and drop those that it accepts.

        The last override that matches a finding wins.
        """
        if not self._alive:
            return list(findings)
        left = []
        for finding in findings:
            matching = [each for each in self._alive if _matches(each, finding)]
            self._used |= {id(each) for each in matching}
            level = matching[-1].level if matching else finding.level.value
            if level == "off":
                self.accepted += (Accepted(finding, matching[-1]),)
            else:
                left.append(replace(finding, level=Level(level)))
        return left

    def stale(self, run: Sequence[Rule], others: Sequence[Rule]) -> Stale:
        """Return the overrides that did not matter in this run.

        Args:
            run: the rules that were run.
            others: rules that were not; an override that means only those is left alone.
        """
        unused = [each for each in self._alive if id(each) not in self._used]
        unused = [each for each in unused if _means_any(each, run) or not _means_any(each, others)]
        return Stale(tuple(unused), tuple(each for each in self._overrides if each not in self._alive))


def said_once(runs: Sequence[Sequence[Finding]]) -> list[tuple[Finding, ...]]:
    """Return the findings of several runs by one policy that concern all runs, each once.

    An override that matters in one run matters, so only one that is stale in all of them is reported, in the first.

    Args:
        runs: the findings of each API that was judged.
    """
    if len(runs) < 2:
        return [tuple(run) for run in runs]
    stale = set.intersection(*({_about(each) for each in run if _is_about_policy(each)} for run in runs))
    return [
        tuple(each for each in run if not _is_about_policy(each) or (not number and _about(each) in stale))
        for number, run in enumerate(runs)
    ]


def _is_about_policy(finding: Finding) -> bool:
    """True if a finding is about an override, and not about an API."""
    return finding.code.startswith("ABI9")


def _about(finding: Finding) -> tuple[str, str, Span | None]:
    """Return the override that a finding is about, and the reason."""
    return finding.code, finding.entity, finding.new


def _matches(override: Override, finding: Finding) -> bool:
    """True if an override is about a finding."""
    if override.lines != (0, 0):
        there, (first, last) = finding.new, override.lines
        if there is None or there.file != override.place.file or not first <= there.line <= last:
            return False
    return fnmatchcase(finding.entity, override.entity) and _means(override, finding.code, finding.rule)


def _means_any(override: Override, rules: Iterable[Rule]) -> bool:
    """True if an override is about any of some rules."""
    return any(_means(override, rule.code, rule.name) for rule in rules)


def _means(override: Override, code: str, name: str) -> bool:
    """True if an override is about a rule."""
    return fnmatchcase(code, override.rule) or fnmatchcase(name, override.rule)
