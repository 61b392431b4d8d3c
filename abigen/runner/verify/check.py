"""Checks: one small function each, found in a module of `abigen.runner.verify.checks`, of an API in
`abigen.runner.apis`, or of a folder that `--checks` names.

There are four kinds, by what the function is handed:

- `check`: a `Harness`, in a process of its own, once per the core that is played (`scenarios`); it calls the plugin;
- `core_check`: a `Core` that runs kernels, with the plugin loaded, in a process of its own;
- `file_check`: a `BinaryView` of the library, without running it;
- `end_check`: how every such process ended; crashes and what was written where it should not have been.

How to write one::

    @check("ABI021", scenarios=older)
    def older_core_refused(harness: Harness) -> Iterator[Observation]:
        \"\"\"The plugin does not work with an earlier release of the same MAJOR.

        What happens: ...

        Instead: ...

        Source: versioning strategy, "Conventions".
        \"\"\"
        session = Session(harness)
        if session.refused(session.begin()):
            yield Observation(harness.trial.entry.name, "...", help="...")

The public name follows from the function's, the docstring is the manual page, and the code never changes once it is
published. Codes: ABI001 to ABI009 whatever is called, ABI010 the binary, ABI015 how a plugin behaves as a guest, ABI020
the handshake and entry points, ABI030 structs and members, ABI040 making and ending, ABI027, and ABI050 and above, what
is about one API, and so are ABI850 to ABI899; ABI059, ABI089 and ABI095 to ABI098 kernels and ops.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.util import module_from_spec
from inspect import cleandoc
from pathlib import Path
from types import ModuleType
from typing import NamedTuple, TypeVar, cast

import msgspec
from msgspec.structs import replace

from abigen.model.api import Api
from abigen.model.ctype import NamedType
from abigen.model.entities import Handle
from abigen.model.finding import Finding, Level, Page
from abigen.model.span import Span
from abigen.runner.verify.harness import Harness
from abigen.runner.verify.scenario import KernelCore, Scenario, Trial, equal
from abigen.workspace.process import Outcome
from abigen.workspace.shipped import is_shipped

GROUP = "Plugin binaries"
"""The part of the manual that checks are in."""

_HEADING = re.compile(r"([A-Z][a-z]+(?: [a-z]+){0,2}): ")


class Observation(NamedTuple):
    """A problem that a check has found with one entity."""

    entity: str
    """`Struct.member`, a function's name, ...: with the check's name it identifies the finding."""
    message: str
    """The entity and the problem, in one line."""
    help: str = ""
    """Advice to the author of the plugin, one line."""
    details: tuple[tuple[str, str], ...] = ()
    """Label and text of each line below."""
    level: Level | None = None
    """The level, where it differs from the check's."""


class BinaryView(msgspec.Struct, frozen=True, kw_only=True):
    """The input of a `file_check`: a plugin's file."""

    trial: Trial
    missing: tuple[str, ...]
    """Symbols that the plugin needs, and that neither the core nor any library has."""
    libraries: tuple[str, ...]
    """Libraries that the plugin names, and that this machine does not have."""
    problem: str = ""
    """The loader's message if it refuses the library; empty otherwise."""


class ProcessEnd(msgspec.Struct, frozen=True, kw_only=True):
    """The input of an `end_check`: one process that has ended."""

    trial: Trial
    scenario: Scenario
    outcome: Outcome


Scenarios = Callable[[Api], Iterator[Scenario]]
OnHarness = Callable[[Harness], Iterable[Observation]]

C = TypeVar("C", bound=KernelCore)
OnCore = Callable[[KernelCore], Iterable[Observation]]
OnFile = Callable[[BinaryView], Iterable[Observation]]
OnEnd = Callable[[ProcessEnd], Iterable[Observation]]


class PluginCheck(msgspec.Struct, frozen=True, kw_only=True):
    """A check: its stable code, and the function that looks for problems, of one of four kinds."""

    code: str
    level: Level
    on_harness: OnHarness | None = None
    on_core: OnCore | None = None
    on_file: OnFile | None = None
    on_end: OnEnd | None = None
    scenarios: Scenarios = equal
    unless: tuple[str, ...] = ()
    """Codes of checks whose findings about the same entity explain this one's."""
    spoils: bool = False
    """True if nothing more can be expected of the function that it blames, nor of the rest of the process."""
    basic: bool = False
    """True if later findings follow from it, where a function that it blames was called before them."""
    quick: bool = False
    """True if a quick run includes it."""
    always: bool = False
    """True if its findings are reported even when only other checks were asked for, which mean nothing without it."""

    @property
    def calls(self) -> bool:
        """True if it calls the plugin."""
        return self.on_harness is not None or self.on_core is not None

    @property
    def name(self) -> str:
        """The public name, by the function: `handshake-refused`."""
        function = self.on_harness or self.on_core or self.on_file or self.on_end
        return getattr(function, "__name__", "").replace("_", "-")

    @property
    def page(self) -> Page:
        """The manual's page about it, made of the docstring of the function."""
        function = self.on_harness or self.on_core or self.on_file or self.on_end
        paragraphs = [" ".join(each.split()) for each in cleandoc(function.__doc__ or "").split("\n\n")]
        headings = [(_HEADING.match(each), each) for each in paragraphs[1:]]
        sections = tuple((found[1], text[found.end() :]) if found else ("", text) for found, text in headings)
        summary = paragraphs[0]
        return Page(
            code=self.code, name=self.name, group=GROUP, commands=("verify",), summary=summary, sections=sections
        )


def check(
    code: str,
    *,
    scenarios: Scenarios = equal,
    level: Level = Level.ERROR,
    unless: tuple[str, ...] = (),
    spoils: bool = False,
    basic: bool = False,
    quick: bool = False,
) -> Callable[[OnHarness], PluginCheck]:
    """Make a function a check that calls the plugin.

    Args:
        code: stable, `ABI0` and two digits, or ABI850 to ABI899.
        scenarios: the cores that it is run with.
        level: the level of its findings.
        unless: codes of checks whose findings about the same entity explain this one's, which stands below them then.
        spoils: see `PluginCheck`.
        basic: see `PluginCheck`.
        quick: true if a quick run includes it, because it is fast and finds the most frequent mistakes.
    """
    return lambda look: PluginCheck(
        code=code,
        level=level,
        on_harness=look,
        scenarios=scenarios,
        unless=unless,
        spoils=spoils,
        basic=basic,
        quick=quick,
    )


def core_check(
    code: str, *, level: Level = Level.ERROR
) -> Callable[[Callable[[C], Iterable[Observation]]], PluginCheck]:
    """Make a function a check of the plugin's registrations with a core that runs them; see `check`."""
    return lambda look: PluginCheck(code=code, level=level, on_core=cast("OnCore", look))


def file_check(code: str, *, level: Level = Level.ERROR, always: bool = False) -> Callable[[OnFile], PluginCheck]:
    """Make a function a check of the binary; see `check` and `PluginCheck.always`."""
    return lambda look: PluginCheck(code=code, level=level, on_file=look, always=always)


def end_check(
    code: str, *, level: Level = Level.ERROR, unless: tuple[str, ...] = (), spoils: bool = False
) -> Callable[[OnEnd], PluginCheck]:
    """Make a function one that looks at how every process ended; see `check` and `PluginCheck.spoils`."""
    return lambda look: PluginCheck(code=code, level=level, on_end=look, unless=unless, spoils=spoils, always=True)


def own_checks(folders: Iterable[Path]) -> tuple[PluginCheck, ...]:
    """Return the checks that a user has written, by code.

    Args:
        folders: that `--checks` names, each with modules that belong together and import each other by relative names.
    """
    return checks_in(module for folder in folders for module in _modules_in(folder))


def _modules_in(folder: Path) -> list[ModuleType]:
    """Import the modules of a folder as a package of their own; nothing is written there."""
    place = str(folder.resolve())
    package = f"{__package__}.about_{sha256(place.encode()).hexdigest()[:16]}"
    if package not in sys.modules:
        spec = ModuleSpec(package, None, is_package=True)
        spec.submodule_search_locations = [place]
        sys.modules[package] = module_from_spec(spec)
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        return [import_module(f"{package}.{path.stem}") for path in sorted(folder.glob("*.py"))]
    finally:
        sys.dont_write_bytecode = before


def checks_in(modules: Iterable[ModuleType]) -> tuple[PluginCheck, ...]:
    """Return the checks in modules, by code."""
    found = {each.code: each for module in modules for each in vars(module).values() if isinstance(each, PluginCheck)}
    return tuple(found[code] for code in sorted(found))


Key = tuple[str, str]
"""The code and the entity of a finding."""
LOUDNESS = (Level.ERROR, Level.WARNING, Level.NOTE)


class ProcessHistory(msgspec.Struct, frozen=True):
    """The history of a process before a check found a problem in it."""

    found: frozenset[Key]
    """By checks that spoil the rest of a process."""
    called: frozenset[str]
    """The functions."""


def causes_first(
    findings: Sequence[Finding], checks: Sequence[PluginCheck], api: Api, pasts: Mapping[Key, ProcessHistory]
) -> tuple[Finding, ...]:
    """Return the findings that do not follow from others, each with those that follow from it.

    One follows from another that is as loud or louder, and

    - is about the same entity, and from a check that explains its own (`PluginCheck.unless`); or
    - from a check after which nothing more can be expected (`PluginCheck.spoils`), and about the same function, or
      about the one that makes what this function takes, or found earlier in the same process; or
    - is from a check on which others rest (`PluginCheck.basic`), and this one has called the function that is accused.

    Args:
        findings: all of them, the loudest first.
        checks: the checks that found them.
        api: says what functions take, and what makes it.
        pasts: the history before each finding of a check that calls the plugin.
    """
    by_code = {check.code: check for check in checks}

    def explains(cause: Finding, finding: Finding) -> bool:
        if cause is finding or LOUDNESS.index(cause.level) > LOUDNESS.index(finding.level):
            return False
        is_same, check, other = cause.entity == finding.entity, by_code[cause.code], by_code[finding.code]
        past = pasts.get((finding.code, finding.entity), ProcessHistory(frozenset(), frozenset()))
        if (is_same and check.code in other.unless) or (check.spoils and _takes_created_handle(api, cause, finding)):
            return True
        if is_same and other.code in check.unless:
            return False
        is_first = findings.index(cause) < findings.index(finding)  # of two that could explain each other
        if check.spoils and other.spoils:
            return is_same and is_first
        if check.spoils and (is_same or (cause.code, cause.entity) in past.found):
            return True
        return check.basic and check is not other and (is_first or not other.basic) and cause.entity in past.called

    causes = [next((i for i, each in enumerate(findings) if explains(each, one)), None) for one in findings]
    followed: dict[int, list[Finding]] = {}
    for index, finding in enumerate(findings):
        chain = [index]
        while (cause := causes[chain[-1]]) is not None and cause not in chain:
            chain.append(cause)
        root = chain[-1] if cause is None else min(chain)
        followed.setdefault(root, []).extend([] if root == index else [finding])
    return tuple(replace(findings[root], consequences=tuple(rest)) for root, rest in sorted(followed.items()))


def _takes_created_handle(api: Api, cause: Finding, finding: Finding) -> bool:
    """True if the function of `finding` takes a handle that the function of `cause` creates."""
    made = {each.name for each in api.typedefs.values() if isinstance(each, Handle) and each.create == cause.entity}
    record, _, member = finding.entity.rpartition(".")
    fields = api.structs[record].fields or () if record in api.structs else ()
    type = next((api.callback(each.type) for each in fields if each.name == member), None)
    return type is not None and any(isinstance(p.type, NamedType) and p.type.name in made for p in type.parameters)


def place_of(api: Api, entity: str) -> Span | None:
    """Return where the API declares an entity; None if it does not, or in a file that comes with abigen."""
    name, _, member = entity.partition(".")
    struct = api.structs.get(name)
    if struct is not None and struct.in_api:
        return _of_users(next((each.span for each in struct.fields or () if each.name == member), struct.span))
    function = api.functions.get(name)
    return _of_users(function.span) if function is not None and function.in_api else None


def _of_users(span: Span | None) -> Span | None:
    """Return a place, or None if it is in a spec that comes with abigen, where users do not work."""
    return None if span is None or is_shipped(span.file) else span
