"""What follows from findings and version numbers: the bump that is required, the one that is declared, and so on."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from msgspec.structs import replace

from abigen.check.policy import Options
from abigen.check.rule import RuleList
from abigen.model.api import Api, ApiSet
from abigen.model.entities import VersionDeclaration
from abigen.model.finding import Bump, Finding
from abigen.model.version import Version, agreed_readings

_ALL_PARTS = 3


class Release(msgspec.Struct, frozen=True):
    """The findings of all rules about changes, before those about the whole are added, and what the versions say."""

    old: ApiSet
    new: ApiSet
    findings: tuple[Finding, ...]
    required: Bump
    """The highest bump of all findings."""
    demanded: Bump
    """What the policy makes of it: less than `required` while MAJOR is 0."""
    declared: str
    """`none`, `patch`, `minor`, `major`, `backwards` or `unknown`."""
    options: Options

    @property
    def old_api(self) -> Api:
        """OLD as the first target sees it."""
        return self.old.groups[0].api

    @property
    def new_api(self) -> Api:
        """NEW as the first target sees it."""
        return self.new.groups[0].api

    @property
    def causes(self) -> list[Finding]:
        """The findings that ask for the bump that is required."""
        return [each for each in self.findings if each.bump is self.required and each.rule != TOLD_BY_THE_REMOVAL]


TOLD_BY_THE_REMOVAL = "removed-without-deprecation"
"""What this rule adds to the removal itself is for the author of the change."""

release_rules = RuleList[Release]()


def required_bump(findings: Iterable[Finding]) -> Bump:
    """The highest bump of all findings; NONE when there are none."""
    return max((finding.bump for finding in findings), key=lambda bump: bump.rank, default=Bump.NONE)


def declared_bump(old: VersionDeclaration | None, new: VersionDeclaration | None) -> str:
    """What the version numbers say.

    Returns:
        `none`, `patch`, `minor`, `major`, `backwards`, or `unknown` when a side states no version, several numbers may
        be the version and move differently, it is a number whose parts are unknown (`VersionDeclaration.is_counter`),
        or only the names of the macros suggest that it is the version.
    """
    if old is None or new is None:
        return "unknown"
    is_chosen = old.is_chosen or new.is_chosen
    old, new = agreed(old, new)
    if not is_chosen and any(each.is_likely or each.is_counter != old.is_counter for each in (old, new)):
        return "unknown"
    said = {_own_step(*each) for each in old.candidates_with(new)}
    return said.pop() if len(said) == 1 else "unknown"


def _own_step(old: VersionDeclaration, new: VersionDeclaration) -> str:
    """What one of the numbers says that may be the version; `unknown` where its readings disagree."""
    old, new = agreed(old, new)
    if old.is_counter and new.is_counter:
        return "unknown"
    said = {_step(old.read_as((one,)), new.read_as((one,))) for one in new.readings} or {_step(old, new)}
    return said.pop() if len(said) == 1 else "unknown"


def agreed(old: VersionDeclaration, new: VersionDeclaration) -> tuple[VersionDeclaration, VersionDeclaration]:
    """Two versions that are one number each, taken apart in the same way; in several where nothing tells which.

    Args:
        old: what OLD states.
        new: what NEW states; versions that are more than one number stay as they are.
    """
    if old.number is None or new.number is None:
        return old, new
    readings = agreed_readings(old.readings, new.readings)
    return old.read_as(readings), new.read_as(readings)


def with_agreed_versions(old: ApiSet, new: ApiSet) -> tuple[ApiSet, ApiSet]:
    """Two APIs whose versions come from the same macros where they can, and are taken apart in the same way.

    NEW states none where its number comes from another macro than OLD's and is lower: that counts something else.
    """
    before, after = old.groups[0].api.version, new.groups[0].api.version
    if before is None or after is None:
        return old, new
    before, after = agreed(*_of_same_macros(before, after))
    is_lower = before.number is not None and after.number is not None and after.number < before.number
    if is_lower and not {*before.names} & {*after.names}:
        groups = (replace(each, api=replace(each.api, version=None)) for each in new.groups)
        return _with_version(old, before), replace(new, groups=tuple(groups))
    return _with_version(old, before), _with_version(new, after)


def _of_same_macros(old: VersionDeclaration, new: VersionDeclaration) -> tuple[VersionDeclaration, VersionDeclaration]:
    """What the same macros state on both sides; what is taken for the version where there are none."""
    if old.is_chosen or new.is_chosen or {*old.names} & {*new.names}:
        return old, new
    both = ((one, other) for one in (old, *old.others) for other in (new, *new.others))
    return next((each for each in both if {*each[0].names} & {*each[1].names}), (old, new))


def _with_version(apis: ApiSet, version: VersionDeclaration) -> ApiSet:
    """An API that states its version by some macros, and its number in one way; as it is where that is nothing new."""

    def stated(found: VersionDeclaration | None) -> VersionDeclaration | None:
        all_found = (found, *found.others) if found is not None else ()
        same = next((each for each in all_found if each.names == version.names), found)
        return same and same.read_as(version.readings)

    if all(each.api.version == stated(each.api.version) for each in apis.groups):
        return apis
    groups = (replace(each, api=replace(each.api, version=stated(each.api.version))) for each in apis.groups)
    return replace(apis, groups=tuple(groups))


def _step(old: VersionDeclaration, new: VersionDeclaration) -> str:
    """What two versions say that were taken apart."""
    before, after = (_cut(each.version, min(old.parts, new.parts)) for each in (old, new))
    if after < before:
        return "backwards"
    if after.major > before.major:
        return Bump.MAJOR.value
    if after.minor > before.minor:
        return Bump.MINOR.value
    return Bump.PATCH.value if after.patch > before.patch else Bump.NONE.value


def _cut(version: Version, parts: int) -> Version:
    """A version without the numbers that a side does not state, as a spec does not whose header has one macro."""
    return Version(version.major, version.minor if parts > 1 else 0, version.patch if parts > _ALL_PARTS - 1 else 0)


def demanded_bump(
    required: Bump, old: VersionDeclaration | None, new: VersionDeclaration | None, major_zero: str
) -> Bump:
    """What the policy makes of a required bump.

    While MAJOR is 0 nothing is promised (RFC, "Versioning Strategy and Stability"), so less may do. An API that states
    fewer than three numbers cannot be asked to move PATCH. The only number of a version counts as MAJOR, so its moving
    is enough for everything.

    Args:
        required: the highest bump of all findings.
        old: OLD's version, None when it states none.
        new: NEW's.
        major_zero: `cargo`, `none` or `strict` (`Options.major_zero`).
    """
    if old is None or new is None:
        return required
    old, new = agreed(old, new)
    if declared_bump(old, new) == "unknown":  # nor is it known whether MAJOR is 0
        return required
    demanded = required
    parts = min(old.parts, new.parts)
    if old.version.major == 0 and parts > 1:
        if major_zero == "none":
            return Bump.NONE
        if major_zero == "cargo":
            demanded = {Bump.MAJOR: Bump.MINOR, Bump.MINOR: Bump.PATCH}.get(required, required)
    if parts < _ALL_PARTS and demanded is Bump.PATCH:
        return Bump.NONE
    return demanded


def is_enough(demanded: Bump, declared: str, options: Options) -> bool:
    """Whether a declared bump satisfies a demanded one.

    An API without version numbers can say nothing, so additions are fine and breaks are not (the same result as a
    release that declares MINOR). A PATCH that did not move is fine unless the policy counts it.

    Args:
        demanded: by `demanded_bump`.
        declared: by `declared_bump`.
        options: the policy's.
    """
    if declared == "backwards":
        return False
    if declared == "unknown":
        return demanded is not Bump.MAJOR
    is_excused = demanded is Bump.PATCH and not options.patch_counts
    return is_excused or Bump(declared).rank >= demanded.rank
