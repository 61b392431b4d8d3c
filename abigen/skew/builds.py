"""The releases of an API as programs: a core and a plugin of each, written out and compiled."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from textwrap import indent

import msgspec

from abigen.emit.c import target as c
from abigen.emit.c_checks import target as c_checks
from abigen.emit.c_checks.asserts import asserts_file
from abigen.emit.c_checks.loader import Loader, loader_of
from abigen.emit.c_checks.validators import Validators
from abigen.emit.templates import Templates
from abigen.model.contract import ResultKind
from abigen.model.entities import Handle
from abigen.model.span import AbigenError
from abigen.skew.exchange import Exchange
from abigen.skew.exchanged import ExchangedCall, identities_of
from abigen.skew.programs import BuildSteps, ProgramFolder, compile_command
from abigen.skew.spec_releases import SpecRelease

_NO_ASSERTS = "// Without asserts: what they would refuse to compile is to be run.\n"
_PLAIN = re.compile(r"[A-Za-z0-9 _.,:;=()<>/|#&*+-]")


class SideProgram(msgspec.Struct, frozen=True):
    """What the template of a core or plugin needs to know besides what crosses."""

    side: str
    label: str
    number: int
    includes: tuple[str, ...]
    prefixes: tuple[str, ...]
    """Of the types for findings."""
    loaders: tuple[Loader, ...]
    exchange: Exchange

    @property
    def other(self) -> str:
        """The other side."""
        return "plugin" if self.side == "core" else "core"

    def call_of(self, entry: str) -> ExchangedCall:
        """What is called through an entry point."""
        return next(each for each in self.exchange.functions if each.function and each.function.name == entry)

    def loader_of(self, function: str) -> Loader | None:
        """The loader of an entry point; None for another function."""
        return next((each for each in self.loaders if each.entry == function), None)

    def results_of(self, loader: Loader) -> tuple[str, str]:
        """What an entry point returns when all is well, empty for whatever else it returns; and when it refuses."""
        call = self.call_of(loader.entry)
        function = call.function
        assert function is not None
        said = self.exchange.api.outcome(function.type, function.name, entry_point=True)
        if said.kind is ResultKind.COMPLAINT:
            return "NULL", '(void*)"refused"'
        is_table = call.result.kind == "object"
        return "" if is_table else said.ok, said.failed or "0"

    def stated(self, loader: Loader) -> int:
        """Which parameter of an entry point leads straight to core's version; -1 for none."""
        names = [each.name for each in loader.parameters]
        wanted = loader.core_version.object if loader.core_version else ""
        return names.index(wanted) if wanted in names else -1

    def position(self, call: ExchangedCall, key: str) -> int:
        """Which parameter has a key."""
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
    exchange: Exchange


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
        exchange = Exchange(release.publications, number, identities)
        if not exchange.calls and not exchange.structs:
            hint = "there is neither a struct nor a function that can be called"
            raise AbigenError.at(None, f"nothing of {release.label} crosses between core and plugin", hint)
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
    """The folder of a release."""
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
    return includes, sources


def _program(side: str, release: SpecRelease, number: int, exchange: Exchange, includes: Sequence[str]) -> SideProgram:
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
    """A text as a string of C."""
    octal = (each if _PLAIN.match(each) else "".join(map("\\{:03o}".format, each.encode())) for each in text)
    return f'"{"".join(octal)}"'


def _nested(text: str, width: int) -> str:
    """Lines, further in, without the end of the last one."""
    return indent(text, " " * width).rstrip("\n")


_FILTERS: dict[str, Callable[..., object]] = {"nested": _nested, "quoted": _quoted}
