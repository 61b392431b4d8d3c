"""Compares OLD with NEW by all rules, judges the revisions of a history, and makes the manual of the rules.

A comparison finds the rules, runs them for each target, makes findings of their results, merges and sorts the
findings, and computes the verdict.
"""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import TypeVar

import msgspec
from msgspec.structs import replace

from abigen.checker import rules as rules_package
from abigen.checker.comparison import ApiComparison, LintContext, change_rules, lint_rules
from abigen.checker.pairs import ApiPair
from abigen.checker.policy import Exceptions, Policy, Stale, accepted_in_code, policy_rules
from abigen.checker.release import (
    TOLD_BY_THE_REMOVAL,
    Release,
    declared_bump,
    demanded_bump,
    is_enough,
    not_compared,
    release_rules,
    required_bump,
    with_agreed_versions,
)
from abigen.checker.rule import AtRisk, Rule, RuleList, RuleResult, with_targets
from abigen.checker.struct_sizes import measures
from abigen.model.api import ApiSet
from abigen.model.compiled_library import CompiledLibrary, Libraries
from abigen.model.finding import (
    Accepted,
    Axes,
    Axis,
    Bump,
    Finding,
    Level,
    MemberShape,
    Page,
    RevisionState,
    StaleConstant,
    StructShape,
    Verdict,
)
from abigen.model.layout import Layouts
from abigen.model.span import AbigenError, Span, did_you_mean
from abigen.model.spelling import canonical, spell
from abigen.model.target import find_target

Context = TypeVar("Context")

_OF_A_FILE = ("missing-extern-c", "missing-guard")
"""Rules of form about a file as a whole: what they name may change while the flaw stays."""
_SEVERITY = {Axis.OK: 0, Axis.AT_RISK: 1, Axis.BREAKS: 2}


class Registry(msgspec.Struct, frozen=True):
    """The lists of rules, by the kind of context that they look at."""

    change: RuleList[ApiComparison]
    release: RuleList[Release]
    lint: RuleList[LintContext]
    policy: RuleList[Stale]

    def all(self) -> list[Rule]:
        """Return every rule of every kind, by code."""
        return sorted([*self.change, *self.release, *self.lint, *self.policy], key=lambda rule: rule.code)


def registry() -> Registry:
    """Return the rules of all modules of `abigen.checker.rules`, which are imported on the first call."""
    for module in pkgutil.iter_modules(rules_package.__path__):
        import_module(f"{rules_package.__name__}.{module.name}")
    return Registry(change_rules, release_rules, lint_rules, policy_rules)


def look(rules: RuleList[Context], context: Context, target: str, policy: Policy) -> Iterator[Finding]:
    """Run rules.

    Args:
        rules: all that look at a context of this kind.
        context: what they are handed.
        target: the target that the findings are about; empty when they are about none.
        policy: rules that it switches off are not run.
    """
    for rule in rules:
        if policy.levels.get(rule.name) == "off":
            continue
        for subject, result in rules.run(rule, context):
            bump = result.bump or rule.bump or _source_bump(rule, result.source, policy)
            level = policy.level_of(rule.name, bump, result.level or rule.level)
            if level == "off":
                continue
            numbers = subject.numbers if result.numbers is None else result.numbers
            yield Finding(
                code=rule.code,
                rule=rule.name,
                entity=subject.entity,
                bump=bump,
                level=Level(level),
                axes=_axes(result),
                message=result.message,
                help=result.help,
                details=(*result.details, *subject.details),
                old=subject.old,
                new=subject.new,
                caret=result.caret or subject.caret,
                targets={target: {"bump": bump.value, **numbers}} if target else {},
            )


def _source_bump(rule: Rule, reason: str, policy: Policy) -> Bump:
    """Return the bump of a change that only source code notices, by the reason why it no longer compiles."""
    if not reason or isinstance(reason, AtRisk):
        return Bump.PATCH
    if policy.options.source_counts:
        return Bump.MAJOR
    return Bump.MINOR if rule.name.endswith("-renamed") else Bump.PATCH  # a new name comes as an addition does


def _axes(result: RuleResult) -> Axes:
    """Return the four answers that follow from a rule's reasons."""
    said = (*result.plugins, result.source, result.contract)
    reasons = dict(zip(("old_plugin", "new_plugin", "source", "contract"), said, strict=True))
    given = {name: reason for name, reason in reasons.items() if reason}
    answers = {name: Axis.AT_RISK if isinstance(reason, AtRisk) else Axis.BREAKS for name, reason in given.items()}
    return Axes(**answers, reasons={name: str(reason) for name, reason in given.items()})


_VALUED = {"macro-removed": "constant-removed", "macro-added": "constant-added"}
"""The rules about a macro without a value on a target, each with the rule for a target on which it has one."""


def merge(runs: Iterable[Iterable[Finding]], targets: Sequence[str] = ()) -> list[Finding]:
    """Make one finding of those that say the same of one entity in several runs.

    The most severe one speaks for all, of equal ones the one with most to say (what moves, what is reached); `targets`
    keeps each target's own numbers and bump. Findings of one run are never merged with each other. A sentence that does
    not hold on every target names its target.

    Args:
        runs: the findings of each target (or group of targets) that was looked at.
        targets: all targets that were compared; none where findings are about no target.
    """
    merged: dict[tuple[str, str, int], Finding] = {}
    told: dict[tuple[str, str, int], list[Finding]] = {}
    for run in runs:
        seen: dict[tuple[str, str], int] = {}
        for finding in run:
            name = finding.rule, finding.entity
            seen[name] = seen.get(name, 0) + 1
            key = (*name, seen[name])
            told.setdefault(key, []).append(finding)
            known = merged.get(key)
            if known is not None:
                worst = finding if _severity(finding) > _severity(known) else known
                finding = replace(worst, targets={**known.targets, **finding.targets})
            merged[key] = finding
    for (rule, entity, number), finding in list(merged.items()):
        same = _VALUED.get(rule, ""), entity, number
        if same in merged:
            merged[same] = replace(merged[same], targets={**finding.targets, **merged[same].targets})
            del merged[rule, entity, number]
    return [with_targets(finding, told[key], targets) for key, finding in merged.items()]


def look_at_policy(exceptions: Exceptions, run: Sequence[Rule], policy: Policy) -> Iterator[Finding]:
    """Findings about overrides that no longer matter.

    Args:
        exceptions: the overrides, after they were applied to all findings.
        run: the rules that were run.
        policy: what the overrides are part of.
    """
    if policy.overrides:
        others = [each for each in registry().all() if each not in run]
        yield from look(policy_rules, exceptions.stale(run, others), "", policy)


def _severity(finding: Finding) -> tuple[int, int, int]:
    """Return the severity of a finding as a sort key: its bump, then its axes, then the length of its details."""
    axes = finding.axes
    answers = (axes.old_plugin, axes.new_plugin, axes.source, axes.contract)
    said = sum(len(detail.text.split()) for detail in finding.details)
    return finding.bump.rank, sum(_SEVERITY[answer] for answer in answers), said


def sort_key(files: Sequence[str]) -> Callable[[Finding], tuple[object, ...]]:
    """Return the order in which findings are shown: what breaks binaries, what breaks source code, and all others.

    In each of these the findings that require most come first, then by place, and what another one causes behind that.

    Args:
        files: the API's own files in order.
    """
    order = {name: place for place, name in enumerate(files)}

    def key(finding: Finding) -> tuple[object, ...]:
        place = finding.new or finding.old
        where = (order.get(place.file, len(order)), place.line, place.column) if place else (-1, 0, 0)
        before = (finding.old.line, finding.old.column) if finding.old else (0, 0)
        follows = any(detail.label == "cause" for detail in finding.details)
        return (_class(finding), -finding.bump.rank, where, before, follows, finding.code, finding.entity)

    return key


def _class(finding: Finding) -> int:
    """0 for what breaks binaries or the contract, 1 for what breaks source code alone, 2 for all others."""
    axes = finding.axes
    if Axis.BREAKS in (axes.old_plugin, axes.new_plugin, axes.contract):
        return 0
    return 1 if axes.source is Axis.BREAKS else 2


def compare(
    old: ApiSet, new: ApiSet, policy: Policy, *, with_form: bool = False, libraries: Libraries | None = None
) -> Verdict:
    """Judge every change from OLD to NEW.

    Args:
        old: the API as it was.
        new: the API as it is; read for the same targets.
        policy: how loud each rule is and what counts.
        with_form: whether to add the flaws of form that NEW has and OLD had not.
        libraries: those that ship with OLD and with NEW, for flaws of form; None to judge the headers alone.

    Returns:
        All findings, worst first, and what follows from them.

    Raises:
        AbigenError: the two have no target in common, or a type's layout cannot be computed.
    """
    targets = [target for target in new.targets if target in old.targets]
    if not targets:
        raise AbigenError.at(None, "OLD and NEW were read for different targets")
    old, new = with_agreed_versions(old, new)
    rules = registry()
    pairs: dict[tuple[int, int], ApiPair] = {}
    runs: list[list[Finding]] = []
    for target in targets:
        before, after = old.for_target(target), new.for_target(target)
        shipped = libraries if libraries is not None and libraries[1].target == target else None
        if before is not after or shipped is not None:
            key = (id(before), id(after))
            pair = pairs[key] = pairs.get(key) or ApiPair(before, after)
            runs.append(list(look(rules.change, ApiComparison(pair, target, policy.options, shipped), target, policy)))
    renamed = {new: old for pair in pairs.values() for old, new in pair.types.records.items() if old != new}
    policy = _with_comments(policy, new)
    exceptions = Exceptions(policy)
    found = merge(runs, targets)
    changes = exceptions.apply(
        [*found, *(_new_flaws(old, new, found, renamed, policy, libraries) if with_form else ())]
    )
    about_the_whole = exceptions.apply(list(look(rules.release, _release(old, new, changes, policy), "", policy)))
    about_the_policy = look_at_policy(exceptions, [*rules.change, *rules.release], policy)
    files = new.for_target(targets[0]).files
    findings = sorted([*changes, *about_the_whole, *about_the_policy], key=sort_key(files))
    release = _release(old, new, findings, policy)
    flawed = {rule.name for rule in rules.change if rule.level == Level.ERROR.value and rule.bump is Bump.NONE}
    flawed |= {rule.name for rule in rules.lint}
    flaws = [each for each in findings if each.level is Level.ERROR and each.rule in flawed]
    return Verdict(
        required=release.required,
        demanded=release.demanded,
        declared=release.declared,
        ok=is_enough(release.demanded, release.declared, policy.options) and not flaws,
        findings=tuple(findings),
        renamed=renamed,
        accepted=exceptions.accepted,
        flaws=len(flaws),
        not_compared=not_compared(old, new),
    )


def _with_comments(policy: Policy, api: ApiSet) -> Policy:
    """Return a policy with what comments in the code accept."""
    overrides = accepted_in_code(api, [rule.labels for rule in registry().all()])
    return replace(policy, overrides=(*policy.overrides, *overrides)) if overrides else policy


def _new_flaws(
    old: ApiSet,
    new: ApiSet,
    told: Sequence[Finding],
    renamed: Mapping[str, str],
    policy: Policy,
    libraries: Libraries | None,
) -> list[Finding]:
    """Return the flaws of form that NEW has and OLD had not.

    Args:
        old: the API as it was.
        new: the API as it is.
        told: findings about changes, which say some of it already.
        renamed: NEW's names of structs to OLD's, where they differ.
        policy: how loud each rule is.
        libraries: those that ship with both sides; None for none.
    """
    is_same = all(old.for_target(target) is new.for_target(target) for target in new.targets if target in old.targets)
    if is_same and libraries is None:
        return []
    before, after = libraries or (None, None)

    are_single = len(old.sources) < 2 and len(new.sources) < 2  # then they are the same file, whatever it is called

    def flaw(rule: str, entity: str, new: Span | None) -> tuple[str, str]:
        head, dot, rest = entity.partition(".")
        if rule in _OF_A_FILE:
            file = new.file if new and not are_single else ""
            return rule, file.replace("\\", "/").rpartition("/")[2]
        return rule, renamed.get(head, head) + dot + rest

    found = _form(new, policy, is_compared=True, library=after, earlier=before)
    rules = [rule for rule in lint_rules if rule.name in {each.rule for each in found}]
    contexts = _contexts(old, policy, is_compared=True, library=before)
    looked_at = ((rule, context) for context in contexts for rule in rules)
    had = ((each[0], about) for each in looked_at for about, _ in lint_rules.run(*each))
    known = {flaw(rule.name, about.entity, about.new) for rule, about in had}
    known |= {flaw(each.rule, each.entity, each.new) for each in told}
    return [each for each in found if flaw(each.rule, each.entity, each.new) not in known]


def _form(
    api: ApiSet,
    policy: Policy,
    *,
    is_compared: bool = False,
    library: CompiledLibrary | None = None,
    earlier: CompiledLibrary | None = None,
) -> list[Finding]:
    """Return all flaws of form of an API, before exceptions."""
    contexts = _contexts(api, policy, is_compared=is_compared, library=library, earlier=earlier)
    return merge(look(lint_rules, context, "", policy) for context in contexts)


def _contexts(
    api: ApiSet,
    policy: Policy,
    *,
    is_compared: bool = False,
    library: CompiledLibrary | None = None,
    earlier: CompiledLibrary | None = None,
) -> list[LintContext]:
    """Return an API as the rules of form look at it, once for each group of targets."""
    shipped = (library, earlier)
    return [LintContext(each.api, each.targets, policy.options, api, is_compared, *shipped) for each in api.groups]


def _release(old: ApiSet, new: ApiSet, findings: list[Finding], policy: Policy) -> Release:
    """Return the conclusion from findings and version numbers, as the first common target sees these."""
    target = next(target for target in new.targets if target in old.targets)
    before, after = old.for_target(target).version, new.for_target(target).version
    required = required_bump(findings)
    return Release(
        old=old,
        new=new,
        findings=tuple(findings),
        required=required,
        demanded=demanded_bump(required, before, after, policy.options.major_zero),
        declared=declared_bump(before, after),
        options=policy.options,
    )


def begin(nothing: ApiSet, new: ApiSet, policy: Policy) -> Verdict:
    """List what a new API brings: nothing has been built against it, so nothing can break.

    Args:
        nothing: an API without anything in it, for the same targets.
        new: the API.
        policy: which rules count.

    Returns:
        A note for each entity, the flaws of form, and a verdict that only flaws can spoil: a first version may be any.

    Raises:
        AbigenError: a type's layout cannot be computed.
    """
    judged = compare(nothing, new, policy, with_form=True)
    findings = tuple(each if _is_flaw(each) else _as_note(each) for each in judged.findings)
    required = required_bump(findings)
    return Verdict(
        required=required,
        demanded=required,
        declared="unknown",
        ok=not judged.flaws,
        findings=findings,
        accepted=judged.accepted,
        flaws=judged.flaws,
    )


def _is_flaw(finding: Finding) -> bool:
    """True if a finding is about the form of NEW, or of a rule about what no version repairs."""
    rules = registry()
    if any(rule.name == finding.rule for rule in rules.lint):
        return True
    return any(rule.name == finding.rule and rule.bump is Bump.NONE and rule.level for rule in rules.change)


def compare_with(
    old: ApiSet, new: ApiSet, policy: Policy, libraries: Libraries | None = None, *, is_first: bool = False
) -> Verdict:
    """Judge NEW against a baseline, and its form as far as OLD had not the same flaws.

    Args:
        old: the API as it was; without anything in it for a file that did not exist.
        new: the API as it is.
        policy: how loud each rule is and what counts.
        libraries: those that ship with OLD and with NEW; None to judge the headers alone.
        is_first: True if the file did not exist at the baseline.

    Raises:
        AbigenError: see `compare`.
    """
    return begin(old, new, policy) if is_first else compare(old, new, policy, with_form=True, libraries=libraries)


def _as_note(finding: Finding) -> Finding:
    """Return the remark about an entity that comes with a new API."""
    bump = Bump.MINOR if finding.bump is Bump.MAJOR else finding.bump
    return replace(finding, bump=bump, level=Level.NOTE, axes=Axes(), help="")


def lint(api: ApiSet, policy: Policy, library: CompiledLibrary | None = None) -> tuple[Finding, ...]:
    """Return the flaws of one API, by place; see `judge_form`."""
    return judge_form(api, policy, library)[0]


def judge_form(
    api: ApiSet, policy: Policy, library: CompiledLibrary | None = None
) -> tuple[tuple[Finding, ...], tuple[Accepted, ...]]:
    """Judge one API without a history (rulebook section 4).

    Args:
        api: as it was read.
        policy: how loud each rule is.
        library: the library that ships with the header; None to judge the header alone.

    Returns:
        One finding per flaw, by place, and what the project accepts.

    Raises:
        AbigenError: a type's layout cannot be computed.
    """
    rules = registry().lint
    policy = _with_comments(policy, api)
    exceptions = Exceptions(policy)
    findings = exceptions.apply(_form(api, policy, library=library))
    findings += look_at_policy(exceptions, list(rules), policy)
    return tuple(sorted(findings, key=sort_key(api.groups[0].api.files))), exceptions.accepted


def state_of(before: ApiSet | None, now: ApiSet, policy: Policy) -> RevisionState:
    """Judge one revision of an API.

    Args:
        before: the revision before it that can be read; None for the first.
        now: the API at this revision.
        policy: which rules count, and how loud they are.

    Returns:
        The state; structs and size constants stand as they do on the first target.

    Raises:
        AbigenError: the two have no target in common, or a type's layout cannot be computed.
    """
    verdict = None if before is None else compare(before, now, policy)
    target = now.targets[0]
    layouts = Layouts(now.for_target(target), find_target(target))
    declared = layouts.api.version
    version = "" if declared is None else str(declared.version)
    structs, stale = tuple(_shapes(layouts)), tuple(_stale(layouts))
    if verdict is None:
        return RevisionState(version=version, structs=structs, stale=stale)
    told = {*(rule.name for rule in release_rules), TOLD_BY_THE_REMOVAL}
    breaks = tuple(each for each in verdict.findings if _is_break(each) and each.rule not in told)
    return RevisionState(
        version=version,
        required=verdict.required,
        demanded=verdict.demanded,
        declared=verdict.declared,
        ok=verdict.ok,
        breaks=breaks,
        others=tuple(each for each in verdict.findings if each.bump in (Bump.MINOR, Bump.PATCH)),
        structs=structs,
        stale=stale,
    )


def _is_break(finding: Finding) -> bool:
    """True if a finding requires MAJOR, or is a flaw that no version repairs."""
    return finding.bump is Bump.MAJOR or (finding.level is Level.ERROR and finding.bump is Bump.NONE)


def _shapes(layouts: Layouts) -> Iterator[StructShape]:
    """Yield the structs and unions of the API itself that it defines and that have a layout."""
    for key, struct in layouts.api.structs.items():
        if not struct.in_api or struct.anonymous or struct.fields is None:
            continue
        try:
            layout = layouts.of(key)
        except AbigenError:  # a member of incomplete type; the rules speak of it
            continue
        members = tuple(
            MemberShape(
                each.name or f"(unnamed at {each.offset})",
                spell(canonical(each.field.type, layouts.api)).replace("\n", " "),
                each.offset,
                each.size,
            )
            for each in layout.fields
        )
        yield StructShape(key, layout.size, members)


def _stale(layouts: Layouts) -> Iterator[StaleConstant]:
    for each in measures(layouts):
        if each.is_stale and each.names_one_struct:
            yield StaleConstant(each.constant.name, each.struct.name, each.value, each.unpadded_size, each.left_out)


GROUPS = {
    "1": "Members of structs and unions",
    "2": "Whole types",
    "3": "Enumerations",
    "4": "Functions and variables",
    "5": "Macros, constants and includes",
    "6": "Deprecation",
    "7": "Versions",
    "8": "Form",
    "9": "Policy",
}
"""The subjects of rules by the hundreds of their codes."""

_HEADING = re.compile(r"([A-Z][a-z]+(?: [a-z]+){0,2}): ")


def pages() -> tuple[Page, ...]:
    """Return the manual, by code; a rule that looks both at changes and at one API has one page.

    Returns:
        One page per public name.
    """
    found: dict[str, Page] = {}
    rules = registry()
    kinds = (("diff", [*rules.change, *rules.release, *rules.policy]), ("lint", [*rules.lint, *rules.policy]))
    for command, rule in ((command, rule) for command, kind in kinds for rule in kind):
        page, known = _page(rule, command), found.get(rule.name)
        if known is not None:
            sections = tuple(dict.fromkeys((*known.sections, *page.sections)))
            page = replace(page, commands=(*known.commands, command), sections=sections)
        found[rule.name] = page
    return tuple(sorted(found.values(), key=lambda page: page.code))


def find_page(
    name: str,
    manual: Sequence[Page] | None = None,
    *,
    kind: str = "rule",
    otherwise: str = "`abigen rules` lists all of them",
) -> Page:
    """Return the page about one rule.

    Args:
        name: the rule's public name or its code, in upper or lower case.
        manual: the pages to look at; those of all rules when it is None.
        kind: what the pages are about.
        otherwise: the hint when no name is close.

    Raises:
        AbigenError: there is no such rule.
    """
    known = {
        key.lower(): page
        for page in (pages() if manual is None else manual)
        for key in (page.code, page.name, *page.former)
    }
    page = known.get(name.lower())
    if page is None:
        hint = did_you_mean(name.lower(), known, otherwise, shown=lambda key: f"`{known[key].name}`")
        raise AbigenError.at(None, f"there is no {kind} `{name}`", hint)
    return page


def _page(rule: Rule, command: str) -> Page:
    """Return the page of a rule that one command runs."""
    summary, *paragraphs = rule.manual.split("\n\n")
    return Page(
        code=rule.code,
        name=rule.name,
        group=GROUPS[rule.code[3]],
        commands=(command,),
        summary=" ".join(summary.split()),
        bump="PATCH or MAJOR" if rule.bump is None else "" if rule.bump is Bump.NONE else rule.bump.name,
        sections=tuple(map(_section, paragraphs)),
        former=rule.former,
    )


def _section(paragraph: str) -> tuple[str, str]:
    """Heading and text of `What happens: ...`."""
    text = " ".join(paragraph.split())
    heading = _HEADING.match(text)
    return (heading[1], text[heading.end() :]) if heading else ("", text)
