"""Rules about a release as a whole: its version numbers, its targets, and what the policy no longer needs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from abigen.checker.policy import Stale, policy_rules
from abigen.checker.release import Release, is_enough, release_rules
from abigen.checker.rule import AtRisk, RuleResult, Subject, count, listed
from abigen.model.api import Api
from abigen.model.entities import VersionDeclaration
from abigen.model.finding import Axis, Bump, Detail, Finding, Override
from abigen.model.span import Span
from abigen.model.version import Version

_PARTS = ("MAJOR", "MINOR", "PATCH")
_LARGEST_PART = 1000


class _VersionStep(NamedTuple):
    """A release of which both sides state a version."""

    release: Release
    old: VersionDeclaration
    new: VersionDeclaration

    @property
    def about(self) -> Subject:
        """The subject of a finding about its first number."""
        return self.number(0)

    def number(self, place: int) -> Subject:
        """Return the subject of a finding about one of the numbers."""
        return Subject(_macro(self.new, place), _span(self.old, place), _span(self.new, place))


def _declared(*kinds: str) -> Callable[[Release], Iterator[_VersionStep]]:
    """Releases whose versions declare one of some bumps."""

    def steps(release: Release) -> Iterator[_VersionStep]:
        old, new = release.old_api.version, release.new_api.version
        if old is not None and new is not None and release.declared in kinds:
            yield _VersionStep(release, old, new)

    return steps


@release_rules.each("ABI701", _declared("none", "patch", "minor", "major", "unknown"), level="error")
def bump_missing(step: _VersionStep) -> Iterator[RuleResult]:
    """The version did not rise as far as the findings require."""
    release, old, new = step
    if release.declared == "unknown":
        yield from _not_known(step)
        return
    if Bump(release.declared).rank >= release.demanded.rank:
        return
    place = min(release.demanded.place, new.parts - 1)
    moved = f"rose only from {old} to {new}" if str(old) != str(new) else f"is still {_short(new)}"
    is_eased = release.demanded is not release.required
    as_released = f" ({release.required.value.upper()} from 1.0.0 on)" if is_eased else ""
    # The only number of a version has the name of its macro.
    part = _macro(new, place) if new.parts == 1 else _PARTS[place]
    advice = _advice(old, new, place)
    if new.is_counter and release.demanded is Bump.MAJOR:
        advice += f", and state in abigen.toml, below [conventions], that it is the version: {_named(new)}"
    is_avoidable = release.demanded is Bump.MAJOR and all(_shows_another_way(each) for each in release.causes)
    is_excused = is_enough(release.demanded, release.declared, release.options)
    yield RuleResult(
        f"{part} {'should' if is_excused else 'must'} rise{as_released}; the version {moved}",
        help=f"follow the advice of the findings, or {advice}" if is_avoidable else advice,
        caret=f"at least {_least(old, new, place)}",
        details=[Detail("required", _causes(release.causes))],
        level="note" if is_excused else "",
        about=step.number(place),
    )


def _not_known(step: _VersionStep) -> Iterator[RuleResult]:
    """Yield a finding for a break that no version excuses, since the parts of the version are unknown."""
    release, old, new = step
    if release.demanded is not Bump.MAJOR:
        return
    candidates = old.candidates_with(new)
    steps = " and ".join(_moved(*each) for each in candidates)
    names = " or ".join(_named(after) for _, after in candidates)
    help = f"state in abigen.toml, below [conventions], the macros of the version: {names}"
    if len(candidates) > 1:
        why = "do not agree"
    elif new.is_counter:
        why = "is one number whose parts are unknown"
        if (new.number or 0) >= _LARGEST_PART or new.spelling[:2] in ("0x", "0X"):
            help = (
                f"state in a comment on {_macro(new, 0)} how it is composed (`0xMMmmpp`), or in abigen.toml, below"
                ' [conventions]: version-split = "major << 16 | minor << 8 | patch"'
            )
    else:
        why = "is only likely to be the version"
    yield RuleResult(
        f"MAJOR must rise, and no version is known to rise: {steps} {why}",
        help=help,
        level="error",
        details=[Detail("required", _causes(release.causes))],
        about=step.number(0),
    )


def _named(version: VersionDeclaration) -> str:
    """Return the line of a configuration that says what states the version."""
    names = version.names if version.number is None else version.names[:1]
    return "version = [{}]".format(", ".join(f'"{each}"' for each in names))


def _moved(old: VersionDeclaration, new: VersionDeclaration) -> str:
    """Return the distance that one of the candidates has moved."""
    before, after = (each.spelling or str(each) for each in (old, new))
    step = f"still {after}" if before == after else f"{before} to {after}"
    return f"{_macro(new, 0)} ({step})"


@release_rules.each("ABI702", _declared("backwards"), level="error")
def version_went_back(step: _VersionStep) -> Iterator[RuleResult]:
    """The version of NEW is lower than that of OLD."""
    _, old, new = step
    before, after = _numbers(old), _numbers(new)
    place = next((index for index in range(len(_PARTS)) if before[index] != after[index]), 0)
    yield RuleResult(
        f"the version went back from {old} to {new}",
        help="give it a number that was never used",
        caret=f"was {before[place]}",
        about=step.number(place),
    )


@release_rules.whole("ABI703", Bump.MAJOR)
def version_macros_missing(release: Release) -> Iterator[RuleResult]:
    """The header no longer states its version."""
    old = release.old_api.version
    if old is None or release.new_api.version is not None:
        return
    names = [name for name, _ in old.macros]
    if names and all(name in release.new_api.constants for name in names):
        return  # They have gone to a file that is included.
    yield RuleResult(
        f"{', '.join(names) or 'the version'} (version {_short(old)}) {'were' if len(names) > 1 else 'was'} removed, "
        "and nothing else states the version",
        help="keep the macros that state the version",
        source=f"code that uses {names[0] if names else 'the version'} no longer compiles",
        contract="plugin and core cannot compare the versions that they were built for",
        about=Subject(_macro(old, 0), _span(old, 0)),
    )


@release_rules.each("ABI704", _declared("major", "minor"), level="warning")
def bump_not_reset(step: _VersionStep) -> Iterator[RuleResult]:
    """A number of the version rose, and a lower number was not set to 0."""
    release, old, new = step
    raised = 0 if release.declared == "major" else 1
    numbers = _numbers(new)
    listed = release.new_api.header.releases if release.new_api.header else ()
    if any(old.version < each < new.version for each in listed):
        return  # the numbers rose in more than one step
    place = next((index for index in range(raised + 1, new.parts) if numbers[index]), None)
    if place is not None:
        lower = " and ".join(_PARTS[raised + 1 : new.parts])
        yield RuleResult(
            f"{_PARTS[raised]} rose, so {lower} should be 0: {old.version} to {new.version}",
            help=_to_set(new, old.version.raised(raised, numbers[raised])),
            caret="should be 0",
            about=step.number(place),
        )


@release_rules.each("ABI705", _declared("major", "minor"))
def bump_without_cause(step: _VersionStep) -> Iterator[RuleResult]:
    """The version rose further than the findings require."""
    release, old, new = step
    declared = Bump(release.declared)
    is_first_release = declared is Bump.MAJOR and old.version.major == 0
    if is_first_release or release.required.rank >= declared.rank:
        return
    place = declared.place
    is_none = release.required is Bump.NONE
    if new.parts == 1 and not is_none:
        return  # the only number has to move for everything
    needed = "nothing that needs a bump" if is_none else f"only {release.required.value.upper()}"
    yield RuleResult(
        f"{_PARTS[place]} rose ({old} to {new}), and the header shows {needed}",
        caret=f"was {_numbers(old)[place]}",
        about=step.number(place),
    )


def _numbers(declared: VersionDeclaration) -> tuple[int, int, int]:
    """Major, minor and patch."""
    return declared.version.major, declared.version.minor, declared.version.patch


def _short(declared: VersionDeclaration) -> str:
    """Return a version with as many numbers as the API states."""
    return ".".join(str(number) for number in _numbers(declared)[: declared.parts])


def _macro(declared: VersionDeclaration, place: int) -> str:
    """Return the macro that states one of the numbers; one macro may state them all, and a spec needs none."""
    return declared.macros[_index(declared, place)][0] if declared.macros else "version"


def _span(declared: VersionDeclaration, place: int) -> Span | None:
    """Return the place where one of the numbers is stated."""
    return declared.macros[_index(declared, place)][1] if declared.macros else None


def _index(declared: VersionDeclaration, place: int) -> int:
    """Return the index of the macro that states one of the numbers; that of the first for a single number."""
    return min(place, len(declared.macros) - 1) if declared.number is None else 0


def _advice(old: VersionDeclaration, new: VersionDeclaration, place: int) -> str:
    """Return the advice to raise the version at one place."""
    if len(new.readings) > 1:
        return f"raise {_macro(new, 0)} (a comment on it can say how it is composed: `1000*MAJOR + 10*MINOR`)"
    return _to_set(new, old.version.raised(place))


def _to_set(declared: VersionDeclaration, version: Version) -> str:
    """Return the advice to state a version."""
    if declared.number is None or not declared.readings:
        return f"set the version to {_short(replace(declared, version=version))}"
    reading = declared.readings[0]
    number = reading.number(version)
    said, numeral = _short(replace(declared, version=reading.version(number))), declared.numeral(number)
    return f"set {_macro(declared, 0)} to {numeral}" + ("" if numeral == said else f" ({said})")


def _least(old: VersionDeclaration, new: VersionDeclaration, place: int) -> str:
    """Return the least version that is enough, as it is stated."""
    version = old.version.raised(place)
    if new.number is not None and new.readings:
        return new.numeral(new.number + 1 if len(new.readings) > 1 else new.readings[0].number(version))
    return _short(replace(new, version=version))


def _shows_another_way(finding: Finding) -> bool:
    """True if a finding advises anything but to raise MAJOR."""
    return bool(finding.help) and not finding.help.startswith("raise MAJOR")


def _causes(findings: Sequence[Finding]) -> str:
    """Return the findings that ask for the bump."""
    return f"by {count(len(findings), 'finding')}: " + listed([f"{each.rule} {each.entity}" for each in findings])


@release_rules.whole("ABI119")
def target_dependent(release: Release) -> Iterator[RuleResult]:
    """A change requires a higher version on some targets than on others."""
    by_entity: dict[str, list[Finding]] = {}
    for finding in release.findings:
        by_entity.setdefault(finding.entity, []).append(finding)
    for entity, about in by_entity.items():
        bumps = _bumps(entity, about, release) if any(finding.targets for finding in about) else {}
        if len(set(bumps.values())) > 1:
            yield _target_dependent(entity, about, bumps)


def _bumps(entity: str, about: Sequence[Finding], release: Release) -> dict[str, Bump]:
    """Return the highest bump that an entity's changes require on each target that has the entity."""
    found: dict[str, Bump] = {}
    for target in release.new.targets:
        bumps = [Bump(str(each.targets[target]["bump"])) for each in about if target in each.targets]
        sides = [side.for_target(target) for side in (release.old, release.new) if target in side.targets]
        if bumps or (len(sides) > 1 and all(_has_entity(side, entity) for side in sides)):
            found[target] = max(bumps, key=lambda each: each.rank, default=Bump.NONE)
    return found


def _has_entity(api: Api, entity: str) -> bool:
    """True if an API declares an entity, or the struct or enumeration that it belongs to."""
    kinds = (api.structs, api.enums, api.typedefs, api.functions, api.variables, api.constants, api.macros)
    return any(entity.partition(".")[0] in entities for entities in kinds)


def _target_dependent(entity: str, about: Sequence[Finding], bumps: dict[str, Bump]) -> RuleResult:
    """Return the result about one entity."""
    cause = max(about, key=lambda finding: finding.bump.rank)
    worst_first = sorted(set(bumps.values()), key=lambda bump: -bump.rank)
    targets = {bump: ", ".join(target for target in bumps if bumps[target] is bump) for bump in worst_first}
    said = "; ".join(f"{bump.value} on {names}" for bump, names in targets.items())
    reasons = {
        name: AtRisk(reason) if getattr(cause.axes, name) is Axis.AT_RISK else reason
        for name, reason in cause.axes.reasons.items()
    }
    return RuleResult(
        f"the change of {entity} requires different versions: {said}",
        worst_first[0],
        help="use types whose size is the same everywhere, or declare the worst bump",
        caret=said,
        plugins=(reasons.get("old_plugin", ""), reasons.get("new_plugin", "")),
        source=reasons.get("source", ""),
        contract=reasons.get("contract", ""),
        details=[Detail("cause", f"{cause.code} {cause.rule}")],
        about=Subject(entity, cause.old, cause.new),
    )


@policy_rules.whole("ABI901", level="warning")
def exception_unused(stale: Stale) -> Iterator[RuleResult]:
    """An exception in the configuration matches no finding."""
    for override in stale.unused:
        yield _about(override, f"the exception for {_what(override)} matches no finding", "remove it")


@policy_rules.whole("ABI902", level="warning")
def exception_expired(stale: Stale) -> Iterator[RuleResult]:
    """An exception in the configuration is past its last day."""
    for override in stale.expired:
        message = f"the exception for {_what(override)} expired on {override.expires}"
        yield _about(override, message, "repair the cause, or write a later date")


def _what(override: Override) -> str:
    """Return the subject of an override."""
    return f"{override.rule} of {override.entity}"


def _about(override: Override, message: str, help: str) -> RuleResult:
    """Return the result about one override."""
    return RuleResult(
        f"{message} (its reason: {override.reason})",
        help=help,
        caret="here" if override.place else "",
        about=Subject(_what(override), None, override.place),
    )
