"""The pairs of headers that say what each rule reports: how they are found and read.

`tests/checker/rules/<rule>/<case>/` holds old.h and new.h (or old.yaml and new.yaml, or folders of headers), whatever
they include, and expect.txt, whose lines are::

    option: policy = strict                     (a policy, one of its options, or `targets`, by name)
    # a comment
    field-inserted Toy.depth major old_plugin=breaks

that is rule, entity, bump, and any axes that are to be checked. The set of rules, entities and bumps is exact.

Files old.c and new.c are compiled into the libraries that ship with both sides, with the options in their first lines.
"""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
from msgspec.structs import replace

from abigen.checker.library.debug_info import read_compiled_library
from abigen.checker.policy import Options, Policy, find_policy
from abigen.model.api import ApiSet
from abigen.model.compiled_library import CompiledLibrary, Libraries
from abigen.model.finding import Bump, Finding
from abigen.specs.load import load
from abigen.workspace.options import ReadOptions
from tests.tools import require

TARGET = "x86_64-linux-gnu"


class Expectation(msgspec.Struct, frozen=True):
    """A line of expect.txt."""

    rule: str
    entity: str
    bump: str
    axes: Mapping[str, str] = msgspec.field(default_factory=dict)


class Pair(msgspec.Struct, frozen=True):
    """A case."""

    folder: Path
    expected: tuple[Expectation, ...]
    targets: tuple[str, ...]
    policy: Policy

    @property
    def name(self) -> str:
        """Rule and case."""
        return f"{self.folder.parent.name}/{self.folder.name}"

    @property
    def rules(self) -> frozenset[str]:
        """The rules that report something."""
        return frozenset(each.rule for each in self.expected)

    def side(self, side: str) -> Path:
        """Return the file of one side, or its folder of headers."""
        return next(path for suffix in (".h", ".yaml", "") if (path := self.folder / f"{side}{suffix}").exists())

    def libraries(self) -> Libraries | None:
        """Compile and read the libraries that ship with both sides, where the case has them."""
        if not (self.folder / "old.c").exists():
            return None
        old, new = (compiled(self.folder / f"{side}.c", f"{side}.h") for side in ("old", "new"))
        return old, new

    def read(self, side: str, cc: str | None = None) -> ApiSet:
        """Read `old` or `new`."""
        return read(self.side(side), self.targets, cc)


def all_pairs(root: Path = Path(__file__).parent) -> list[Pair]:
    """Return every case below a folder, by name."""
    return [_pair(path) for path in sorted(root.glob("*/*/expect.txt"))]


class ExpectationFile(msgspec.Struct, frozen=True):
    """An expect.txt: its lines without comments, and its options."""

    lines: tuple[str, ...]
    targets: tuple[str, ...]
    policy: Policy


def compiled(source: Path, header: str) -> CompiledLibrary:
    """Compile a library with `-g` and the options in its first line, and read it."""
    options = source.read_text().partition("\n")[0].removeprefix("//").split()
    with TemporaryDirectory() as folder:
        output = Path(folder) / f"{source.stem}.so"
        command = [*require("gcc"), "-g", "-shared", "-fPIC", "-w", *options, source.name, "-o", str(output)]
        subprocess.run(command, cwd=source.parent, check=True)
        return read_compiled_library(str(output), frozenset({header}))


@cache
def read(path: Path, targets: tuple[str, ...], cc: str | None = None) -> ApiSet:
    """Read one header or spec, once."""
    return load(str(path), ReadOptions(targets=targets, include_dirs=(str(path.parent),), cc=cc))


def read_expectation(path: Path) -> ExpectationFile:
    """Read an expect.txt."""
    lines: list[str] = []
    targets: tuple[str, ...] = (TARGET,)
    policy = find_policy("default")
    for text in path.read_text().splitlines():
        line = " ".join(text.partition("#")[0].split())
        if line.startswith("option:"):
            name, _, value = (each.strip() for each in line.removeprefix("option:").partition("="))
            if name == "targets":
                targets = tuple(value.split())
            elif name == "policy":
                policy = find_policy(value)
            else:
                policy = replace(policy, options=_with(policy.options, name, value))
        elif line:
            lines.append(line)
    return ExpectationFile(tuple(lines), targets, policy)


def _with(options: Options, name: str, value: str) -> Options:
    """Return a policy's options with one of them set, from its text."""
    known = getattr(options, name)
    parsed = Bump(value) if isinstance(known, Bump) else value == "true" if isinstance(known, bool) else value
    return replace(options, **{name: parsed})


def _pair(path: Path) -> Pair:
    """Return a case."""
    file = read_expectation(path)
    expected: list[Expectation] = []
    for line in file.lines:
        rule, entity, bump, *axes = line.split()
        expected.append(
            Expectation(
                rule, entity, bump, {name: answer for name, _, answer in (axis.partition("=") for axis in axes)}
            )
        )
    return Pair(path.parent, tuple(expected), file.targets, file.policy)


def in_words(finding: Finding) -> str:
    """Return a finding as a line of expect.txt, without axes."""
    return f"{finding.rule} {finding.entity} {finding.bump.value}"
