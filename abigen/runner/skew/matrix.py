"""Builds every core of an API and every plugin, one per release, and runs each pair."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from posixpath import basename, split
from textwrap import indent

import msgspec

from abigen.generator.c import target as c
from abigen.generator.c_checks import target as c_checks
from abigen.generator.c_checks.target import asserts_file
from abigen.generator.c_checks.validators import Loader, Validators, loader_of
from abigen.generator.publication import Publication
from abigen.generator.templates import Templates
from abigen.model.api import Api
from abigen.model.contract import ResultKind
from abigen.model.entities import Handle
from abigen.model.span import AbigenError, printable
from abigen.model.version import Version
from abigen.runner.skew.exchange import ExchangedCall, ReleaseExchange, identities_of
from abigen.runner.skew.programs import BuildSteps, Excerpt, ProgramFolder, ProgramRun, compile_command
from abigen.specs.load import load
from abigen.workspace.operand import Operand, parse_operand
from abigen.workspace.options import ReadOptions

_KINDS = (
    "structs",
    "enums",
    "typedefs",
    "functions",
    "constants",
    "macros",
    "size_constants",
    "conventions",
)
"""The parts of an API by which two releases are compared."""


class SpecRelease(msgspec.Struct, frozen=True):
    """A release of a spec."""

    label: str
    """The name in reports: `1.2.0`, or with the spec before it."""
    version: Version | None
    publications: tuple[Publication, ...]
    """The API, and behind it those that it uses."""


def read_releases(
    operands: Sequence[str], first: str | None, last: str | None, options: ReadOptions, announce: Callable[[str], None]
) -> tuple[SpecRelease, ...]:
    """Read releases, in the order of their versions; of one that two specs tell alike there is one.

    Args:
        operands: one spec or two.
        first: the release to begin with; None for the oldest.
        last: the release to end with; None for the current one.
        options: how to read.
        announce: is told what is being read.

    Raises:
        AbigenError: a spec is wrong, or has no such releases.
    """
    lowest, highest = (_version(each) if each else None for each in (first, last))
    found: list[SpecRelease] = []
    for operand, name in zip(operands, _names(operands, options), strict=True):
        announce(f"reading {operand}")
        found += _releases(operand, name, options)
    chosen = [
        each
        for each in found
        if each.version is None
        or ((lowest is None or lowest <= each.version) and (highest is None or each.version <= highest))
    ]
    if not chosen:
        known = ", ".join(str(each.version) for each in found)
        raise AbigenError.at(None, "there are no such releases", f"there are {known}")
    ordered = sorted(chosen, key=lambda each: each.version or Version(0, 0))
    kept: list[SpecRelease] = []
    for each in ordered:
        if not any(_is_same(one, each) for one in kept):
            kept.append(each)
    return tuple(kept)


def _releases(operand: str, name: str, options: ReadOptions) -> Iterator[SpecRelease]:
    """Yield all releases of a spec, or the one that the operand names."""
    wanted = parse_operand(operand, options.files)
    api = load(operand, options).groups[0].api
    current = api.version.version if api.version else None
    releases = api.header.releases if api.header else ()
    for each in [current] if wanted.release or not releases else releases:
        spec = wanted if each is None or each == current else wanted.at_release(each)
        label = " ".join(filter(None, (name, str(each or "")))) or basename(wanted.path)
        yield SpecRelease(printable(label), each, _publications(spec, options))


def _is_same(one: SpecRelease, other: SpecRelease) -> bool:
    """True if two releases have one version and declare the same."""
    if one.version is None or one.version != other.version:
        return False
    pairs = zip(one.publications, other.publications, strict=False)
    return len(one.publications) == len(other.publications) and all(_declare_same(a.api, b.api) for a, b in pairs)


def _declare_same(one: Api, other: Api) -> bool:
    return all(getattr(one, kind) == getattr(other, kind) for kind in _KINDS)


def _version(text: str) -> Version:
    parts = text.split(".")
    if not 2 <= len(parts) <= 3 or not all(each.isdecimal() and each.isascii() and len(each) < 10 for each in parts):
        raise AbigenError.at(None, f"`{printable(text)}` is no version", "write it as 1.2.0")
    return Version(*(int(each) for each in parts))


def _names(operands: Sequence[str], options: ReadOptions) -> list[str]:
    """Return the shortest names that distinguish two specs; empty names for one spec."""
    if len(operands) == 1:
        return [""]
    wanted = [parse_operand(each, options.files) for each in operands]
    names = [basename(each.path).rpartition(".")[0] for each in wanted]
    if len(set(names)) < len(names):
        folders = [each.revision or basename(split(os.path.normpath(each.path))[0]) for each in wanted]
        names = [f"{folder}/{name}".lstrip("/") for folder, name in zip(folders, names, strict=True)]
    return names if len(set(names)) == len(names) else ["old", "new"]


def _publications(spec: Operand, options: ReadOptions) -> tuple[Publication, ...]:
    """Return the API of a spec, and those that it uses."""
    loaded = load(spec, options)
    publications = [Publication(loaded.groups[0].api, str(spec), "")]
    for path in dict.fromkeys(loaded.dependencies[1:]):
        is_in_git = path.startswith(f"{os.devnull}/")
        used = Operand.at_revision(spec.revision, path.split("/", 4)[-1]) if is_in_git else Operand.of_file(path)
        publications.append(Publication(load(used, options).groups[0].api, str(used), ""))
    return tuple(publications)


_NO_ASSERTS = "// Without asserts: what they would refuse to compile is to be run.\n"
_PLAIN = re.compile(r"[A-Za-z0-9 _.,:;=()<>/|#&*+-]")


class SideProgram(msgspec.Struct, frozen=True):
    """The values that the template of a core or plugin receives besides the exchanged data."""

    side: str
    label: str
    number: int
    includes: tuple[str, ...]
    prefixes: tuple[str, ...]
    """Of the types for findings."""
    loaders: tuple[Loader, ...]
    exchange: ReleaseExchange

    @property
    def other(self) -> str:
        """The other side."""
        return "plugin" if self.side == "core" else "core"

    def call_of(self, entry: str) -> ExchangedCall:
        """Return the call that goes through an entry point."""
        return next(each for each in self.exchange.functions if each.function and each.function.name == entry)

    def loader_of(self, function: str) -> Loader | None:
        """Return the loader of an entry point; None for another function."""
        return next((each for each in self.loaders if each.entry == function), None)

    def results_of(self, loader: Loader) -> tuple[str, str]:
        """Return the results of an entry point for success, empty for any other result, and for a refusal."""
        call = self.call_of(loader.entry)
        function = call.function
        assert function is not None
        said = self.exchange.api.outcome(function.type, function.name, entry_point=True)
        if said.kind is ResultKind.COMPLAINT:
            return "NULL", '(void*)"refused"'
        is_table = call.result.kind == "object"
        return "" if is_table else said.ok, said.failed or "0"

    def stated(self, loader: Loader) -> int:
        """Return the position of the parameter of an entry point that leads to the core's version; -1 for none."""
        names = [each.name for each in loader.parameters]
        wanted = loader.core_version.object if loader.core_version else ""
        return names.index(wanted) if wanted in names else -1

    def position(self, call: ExchangedCall, key: str) -> int:
        """Return the position of the parameter with a key."""
        return [name for name, _ in call.parameters].index(key)

    @property
    def status_create(self) -> str:
        """The function that makes a status object; empty for none."""
        handle = self._status
        return handle.create if handle else ""

    @property
    def status_destroy(self) -> str:
        """The function that destroys one; empty for none."""
        handle = self._status
        return handle.destroy if handle else ""

    @property
    def about_statuses(self) -> frozenset[str]:
        """The functions that make, read, set and destroy status objects."""
        errors = self.exchange.api.conventions.errors
        own = {errors.set, errors.code, errors.message} if errors else set[str]()
        return frozenset({*own, self.status_create, self.status_destroy} - {""})

    @property
    def _status(self) -> Handle | None:
        errors = self.exchange.api.conventions.errors
        handle = self.exchange.api.typedefs.get(errors.status) if errors else None
        return handle if isinstance(handle, Handle) else None


class Build(msgspec.Struct, frozen=True):
    """A release that has been compiled."""

    release: SpecRelease
    core: Path
    plugin: Path
    exchange: ReleaseExchange


def build_releases(releases: Sequence[SpecRelease], folder: ProgramFolder, templates: Templates) -> tuple[Build, ...]:
    """Write and compile a core and a plugin for each release.

    Args:
        releases: the oldest first.
        folder: where they go, each release in a folder of its own, with the commands in `build.sh`.
        templates: of targets `c`, `c-checks`, and of the programs.

    Raises:
        AbigenError: a header cannot be written, or a program does not compile.
    """
    identities = identities_of([each.publications[0].api for each in releases])
    builds: list[Build] = []
    commands: list[list[str]] = []
    for number, release in enumerate(releases):
        folder.announce(f"writing the programs of {release.label}")
        exchange = ReleaseExchange(release.publications, number, identities)
        if not exchange.calls and not exchange.structs:
            hint = "there is neither a struct nor a function that can be called"
            raise AbigenError.at(None, f"nothing of {release.label} is exchanged between the core and the plugin", hint)
        place = Path(folder_name(release.label))
        headers, checks = _write_headers(release, folder, place, templates)
        for side in ("core", "plugin"):
            program = _program(side, release, number, exchange, headers)
            text = templates.render("skew/matrix/side.c.j2", _FILTERS, program=program, exchange=exchange)
            folder.write(place / f"{side}.c", text)
            sources = [place / f"{side}.c", *(place / "include" / each for each in checks)]
            options = ["-w", "-I", str(place / "include"), "-I", "."]
            made = place / ("core.exe" if side == "core" else "plugin.so")
            commands.append(compile_command(folder.tools, sources, made, options, shared=side == "plugin"))
        builds.append(Build(release, place / "core.exe", place / "plugin.so", exchange))
    folder.write("skew.h", templates.render("skew/matrix/skew.h", {}))
    folder.write("build.sh", "".join(f"{' '.join(command)}\n" for command in commands))
    for wrong in filter(None, folder.compile([BuildSteps([each]) for each in commands])):
        raise wrong  # what is wrong with one program is wrong with most
    return tuple(builds)


def folder_name(label: str) -> str:
    """Return the folder of a release."""
    return re.sub(r"[^\w.]+", "-", label).strip("-.") or "release"


def _write_headers(
    release: SpecRelease, folder: ProgramFolder, place: Path, templates: Templates
) -> tuple[list[str], list[str]]:
    """Write the headers and checks of a release; gives what programs include, and the sources of the checks."""
    includes: list[str] = []
    sources: list[str] = []
    for publication in release.publications:
        made = (*c.outputs(publication, templates), *c_checks.outputs(publication, templates))
        asserts = asserts_file(publication.header.path, None)
        for each in made:
            folder.write(place / "include" / each.path, each.text if each.path != asserts else _NO_ASSERTS)
        paths = [each.path for each in made]
        stem = publication.header.path.rpartition(".")[0]
        wanted = (publication.header.path, f"{stem}_helpers.h", f"{stem}_checks.h")
        includes += [each for each in wanted if each in paths]
        sources += [each for each in paths if each.endswith(".c")]
    return includes, list(dict.fromkeys(sources))


def _program(
    side: str, release: SpecRelease, number: int, exchange: ReleaseExchange, includes: Sequence[str]
) -> SideProgram:
    main = release.publications[0]
    prefixes = dict.fromkeys(
        each.header.prefix
        for each in release.publications
        if f"{each.header.path.rpartition('.')[0]}_checks.h" in includes
    )
    entries = [each for each in main.api.functions.values() if each.in_api and each.entry_point]
    known = {each.function.name for each in exchange.functions if each.function}
    validators = Validators(main)
    loaders = tuple(loader_of(each, main, validators) for each in entries if each.name in known)
    return SideProgram(side, release.label, number, tuple(includes), tuple(prefixes), loaders, exchange)


def _quoted(text: str) -> str:
    """Return a text as a string of C."""
    octal = (each if _PLAIN.match(each) else "".join(map("\\{:03o}".format, each.encode())) for each in text)
    return f'"{"".join(octal)}"'


def _nested(text: str, width: int) -> str:
    """Lines, further in, without the end of the last one."""
    return indent(text, " " * width).rstrip("\n")


_FILTERS: dict[str, Callable[..., object]] = {"nested": _nested, "quoted": _quoted}


_SECONDS = 20.0
"""The time limit of a pair, in seconds."""
_DOING = re.compile(r'skew_doing\("([a-z ]+)", "([^"]+)"\)')
"""The lines by which a program announces its next step."""


class PairOutcome(StrEnum):
    """The outcome of a core with a plugin."""

    WORKS = "works"
    REFUSED = "refused"
    BREAKS = "breaks"


class Difference(msgspec.Struct, frozen=True):
    """A value that one side reads differently from the value that the other side wrote."""

    key: str
    """`SP_Device.ordinal`, `TB_InitPlugin()`, `SP_Fns.allocate#2` for a parameter."""
    text: str
    """The error, as a sentence that names it."""
    side: str
    """The side that found it: `core` or `plugin`."""
    line: int = 0
    """In the program of that side; 0 where none is known."""


class Cell(msgspec.Struct, frozen=True):
    """A core and a plugin, and what becomes of them."""

    core: str
    plugin: str
    outcome: PairOutcome
    is_allowed: bool
    """True if a refusal is what the two versions announce."""
    reasons: tuple[str, ...]
    """The reasons of a refusal, or the breaks, as sentences; empty where all works."""
    differences: tuple[Difference, ...] = ()
    sanitizer: str = ""
    """The first report of a sanitizer; empty for none."""
    calls: int = 0
    """The number of functions and callbacks that were called."""
    without: tuple[str, ...] = ()
    """The functions that a newer side looked up at run time and did not find."""
    command: str = ""
    """The command that repeats it, in the folder of the programs."""
    excerpt: Excerpt | None = None
    """The lines of the program that have found the first difference."""

    @property
    def ok(self) -> bool:
        """True if it works, or is refused as the versions say."""
        return self.outcome is PairOutcome.WORKS or (self.outcome is PairOutcome.REFUSED and self.is_allowed)


class Matrix(msgspec.Struct, frozen=True):
    """The outcomes of all pairs, by the core and then by plugin, the oldest first."""

    labels: tuple[str, ...]
    cells: tuple[Cell, ...]
    untried: tuple[str, ...]
    """The entities that could not be called or filled, by key."""

    @property
    def ok(self) -> bool:
        """True if every pair works, or is refused as the versions say."""
        return all(each.ok for each in self.cells)


def run_matrix(releases: Sequence[SpecRelease], folder: ProgramFolder, templates: Templates) -> Matrix:
    """Build each release, and run every core with every plugin.

    Args:
        releases: the oldest first.
        folder: for the programs.
        templates: of what is generated.

    Raises:
        AbigenError: a program cannot be written, compiled or started.
    """
    builds = build_releases(releases, folder, templates)
    cells: list[Cell] = []
    for core in builds:
        for plugin in builds:
            folder.announce(f"running core {core.release.label} with plugin {plugin.release.label}")
            command = [f".{os.sep}{core.core}", f".{os.sep}{plugin.plugin}"]
            ran = folder.run(command, seconds=_SECONDS)
            cells.append(_cell(core, plugin, ran, " ".join([*folder.tools.emulator, *command]), folder))
    untried = dict.fromkeys(each for build in builds for each in build.exchange.unknown)
    return Matrix(tuple(each.label for each in releases), tuple(cells), tuple(untried))


def _cell(core: Build, plugin: Build, ran: ProgramRun, command: str, folder: ProgramFolder) -> Cell:
    """Return the outcome that a run showed."""
    lines = [line.split("\t") for line in ran.output.splitlines()]
    differences = [each for line in lines if (each := _difference(line)) is not None]
    ended = None if ["done"] in lines else _end(ran, lines, core, plugin, folder)
    refusals = [line[3] for line in lines if line[0] == "refuses"]
    refusals += [f"it cannot be loaded: {line[1]}" for line in lines if line[0] == "unusable"]
    is_unusable = any(line[0] == "unusable" for line in lines)
    differences = [*([ended] if ended and not is_unusable else []), *differences]
    wrong = [each.text for each in differences]
    outcome = PairOutcome.BREAKS if wrong else PairOutcome.REFUSED if refusals else PairOutcome.WORKS
    first = next((each for each in differences if each.line), None)
    return Cell(
        core=core.release.label,
        plugin=plugin.release.label,
        outcome=outcome,
        is_allowed=_may_refuse(core.release.version, plugin.release.version),
        reasons=tuple(dict.fromkeys([*wrong, *refusals])),
        differences=tuple(dict.fromkeys(differences)),
        sanitizer=ran.sanitizer,
        calls=sum(line[0] == "calls" for line in lines),
        without=tuple(dict.fromkeys(line[2] for line in lines if line[0] == "without")),
        command=command,
        excerpt=folder.excerpt(_source(first.side, core, plugin), first.line) if first else None,
    )


def _difference(line: Sequence[str]) -> Difference | None:
    """Return the difference that a line of a run reports; None for a line about something else."""
    kind, side, key, *rest = (*line, "", "", "")
    other = "plugin" if side == "core" else "core"
    if kind == "breaks":
        return Difference(key, f"{key}: {rest[0]}", side, int(rest[1] or 0))
    if kind == "reaches":
        return Difference(key, f"the {other} calls {rest[0]}, and reaches {key} of the {side}", side, int(rest[1]))
    if kind != "differs":
        return None
    offset, size, found, wanted, owner, number = rest[:6]
    place = f" at {_bytes(int(offset), int(size))}" if int(offset) >= 0 else ""
    text = f"the {side} reads {key}{place} and finds {found}"
    if owner and owner != key:
        text += f", which was written as {owner}"
    text += f"; the {other} has written {wanted}" if wanted else f"; the {other} does not have {key}"
    return Difference(key, text, side, int(number))


def _bytes(offset: int, size: int) -> str:
    return f"byte {offset}" if size == 1 else f"bytes {offset} to {offset + size - 1}"


def _end(
    ran: ProgramRun, lines: Sequence[Sequence[str]], core: Build, plugin: Build, folder: ProgramFolder
) -> Difference:
    """Return the cause of an early end of a run, with the step: stated by the program, or found by a sanitizer."""
    place = ran.place if ran.sanitizer else None
    side, line = place or ("core", 0)
    key, verb = "", ""
    for each in lines:
        if each[0] == "died" and len(each) == 4:
            side, key, verb = each[1:]
    if place and not key:
        before = folder.lines(_source(side, core, plugin))[:line]
        verb, key = next((found.groups() for text in reversed(before) if (found := _DOING.search(text))), ("", ""))
    line = line if place and place[0] == side else 0
    where = f" when the {side} {verb} {key}" if verb else ""
    if ran.ended:
        return Difference(key, f"{ran.ended}{where}", side)
    if ran.sanitizer:
        return Difference(key, f"{ran.sanitizer}{where}", side, line)
    how = f"by {signal.Signals(-ran.status).name}" if ran.status < 0 else f"with exit code {ran.status}"
    return Difference(key, f"the program ends {how}{where}", side)


def _source(side: str, core: Build, plugin: Build) -> Path:
    """Return the file with the code of a side."""
    return (core.core if side == "core" else plugin.plugin).with_name(f"{side}.c")


def _may_refuse(core: Version | None, plugin: Version | None) -> bool:
    """True if two versions announce that their sides may refuse each other: MAJOR differs, or MINOR while it is 0."""
    if core is None or plugin is None:
        return False
    return core.major != plugin.major or (core.major == 0 and core.minor != plugin.minor)
