"""What follows from findings and version numbers: the bump that is required, the one that is declared, and so on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from abigen.check.policy import Options
from abigen.check.rule import RuleList
from abigen.model.api import Api, ApiSet
from abigen.model.entities import VersionDeclaration
from abigen.model.finding import Bump, Finding
from abigen.model.version import Version

_ALL_PARTS = 3


class Release(NamedTuple):
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


release_rules = RuleList[Release]()


def required_bump(findings: Iterable[Finding]) -> Bump:
    """The highest bump of all findings; NONE when there are none."""
    return max((finding.bump for finding in findings), key=lambda bump: bump.rank, default=Bump.NONE)


def declared_bump(old: VersionDeclaration | None, new: VersionDeclaration | None) -> str:
    """What the version numbers say.

    Returns:
        `none`, `patch`, `minor`, `major`, `backwards`, or `unknown` when a side states no version.
    """
    if old is None or new is None:
        return "unknown"
    before, after = old.version, new.version
    if old.number is not None and new.number is not None and old.parts != new.parts:
        # 9 became 10: the same counter, of which the second only looks like two numbers.
        before, after = Version(old.number, 0, 0), Version(new.number, 0, 0)
    elif old.parts != new.parts:
        before, after = (_cut(each, min(old.parts, new.parts)) for each in (before, after))
    if after < before:
        return "backwards"
    if after.major > before.major:
        return Bump.MAJOR.value
    if after.minor > before.minor:
        return Bump.MINOR.value
    return Bump.PATCH.value if after.patch > before.patch else Bump.NONE.value


def _cut(version: Version, parts: int) -> Version:
    """A version without the numbers that only one side states."""
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
