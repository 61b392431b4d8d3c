"""What a rule about a whole comparison is handed: everything that changed, and what the versions say."""

from __future__ import annotations

from typing import NamedTuple

from abigen.check.policy import Options
from abigen.model.api import Api, ApiSet
from abigen.model.finding import Bump, Finding


class Judgement(NamedTuple):
    """The findings of all rules about changes, before those about the whole are added."""

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

    def of_target(self, target: str) -> tuple[Api, Api]:
        """OLD and NEW as one target sees them."""
        return self.old.for_target(target), self.new.for_target(target)
