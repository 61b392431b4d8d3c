"""Which findings a report shows, where somebody wants to see some of them only; verdicts stand for all."""

from __future__ import annotations

from fnmatch import fnmatchcase

import msgspec
from msgspec.structs import replace

from abigen.model.finding import Finding, Level
from abigen.report.grouping import PART_OF
from abigen.report.subject import DiffReport, LintReport, Subject


class Selection(msgspec.Struct, frozen=True, kw_only=True):
    """What somebody wants to see; patterns match the names of rules (`field-*`) or their codes (`ABI1*`)."""

    select: tuple[str, ...] = ()
    """Patterns of which one has to match; none lets everything through."""
    ignore: tuple[str, ...] = ()
    """Patterns of which none may match."""
    level: Level = Level.NOTE
    """The lowest level."""

    def shows(self, finding: Finding) -> bool:
        """Whether a finding is shown."""
        is_loud = [*Level].index(finding.level) <= [*Level].index(self.level)
        return is_loud and (not self.select or _means(self.select, finding)) and not _means(self.ignore, finding)

    def of(self, subject: Subject) -> Subject:
        """A subject that shows what is selected, and counts the rest."""
        left_out = tuple(each for each in subject.findings if not self.shows(each))
        if not left_out or not isinstance(subject, (DiffReport, LintReport)):
            return subject
        return replace(subject, left_out=left_out)


def _means(patterns: tuple[str, ...], finding: Finding) -> bool:
    """Whether a pattern is about a finding's rule."""
    names = (finding.rule, finding.code, *PART_OF.get(finding.rule, ()))
    return any(fnmatchcase(name, each) for each in patterns for name in names)
