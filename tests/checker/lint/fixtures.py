"""Headers and specs that say what each rule of form reports.

They are in `tests/checker/lint/<rule>/<case>/{api.h|api.yaml,expect.txt}`.

A line of expect.txt is `rule entity level`; options are those of tests/checker/rules. The set is exact. A file
`library.c` beside the header is compiled with `-g` into the library that ships with it, with the options in its
first line.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from abigen.checker.policy import Policy
from abigen.model.api import ApiSet
from abigen.model.compiled_library import CompiledLibrary
from abigen.model.finding import Finding
from tests.checker.rules.fixtures import compiled, read, read_expectation


class Case(msgspec.Struct, frozen=True):
    """A header or spec."""

    folder: Path
    expected: tuple[str, ...]
    targets: tuple[str, ...]
    policy: Policy

    @property
    def name(self) -> str:
        """Rule and case."""
        return f"{self.folder.parent.name}/{self.folder.name}"

    def read(self) -> ApiSet:
        """Read it."""
        path = next(path for path in (self.folder / "api.h", self.folder / "api.yaml") if path.exists())
        return read(path, self.targets)

    def library(self) -> CompiledLibrary | None:
        """Compile and read the library that ships with the header, where the case has one."""
        source = self.folder / "library.c"
        return compiled(source, "api.h") if source.exists() else None


def all_cases(root: Path = Path(__file__).parent) -> list[Case]:
    """Return every case below a folder, by name."""
    return [
        Case(path.parent, tuple(expectation.lines), expectation.targets, expectation.policy)
        for path in sorted(root.glob("*/*/expect.txt"))
        for expectation in [read_expectation(path)]
    ]


def in_words(finding: Finding) -> str:
    """Return a finding as a line of expect.txt."""
    return f"{finding.rule} {finding.entity} {finding.level.value}"
