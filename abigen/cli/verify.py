"""Test whether the binary of a plugin, or a host, keeps to the spec of its API."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec.structs import replace

from abigen.checker.report.formats import VERIFY_FORMATS
from abigen.checker.report.manual import rules_table
from abigen.checker.report.subject import Report, ReportedApi
from abigen.cli import completion, terminal
from abigen.cli.options import FOLDER, Bounded, bounding_options, report_options, spec_dir_option
from abigen.cli.reports import ReportOutput, fails
from abigen.generator.project import build_settings, load_specs, specs_named
from abigen.model.api import ApiSet
from abigen.model.span import AbigenError, words_of_command
from abigen.workspace.files import Files, put_in_place

if TYPE_CHECKING:
    from abigen.generator.build import SpecFile
    from abigen.model.api import Api
    from abigen.runner.apis.tensorflow.host.core import Core
    from abigen.runner.verify.check import PluginCheck
    from abigen.runner.verify.runner import Tried
    from abigen.runner.verify.scenario import Trial
    from abigen.workspace.process import Bounds

_CHOICE_LIMIT = 5.0
_EXAMPLES = """\b
abigen plays the core, in separate processes: a core of the API's current release,
of each earlier release, and of releases that do not exist. It loads PLUGIN and
calls its functions. If you do not trust the library, use --sandbox.

\b
abigen finds the API by the entry point that PLUGIN exports, and by the sizes of
structs that PLUGIN states. If that is not enough, name it with --api: the path of
a spec below the folder of specs, without suffix, or a file. With abigen come the
APIs rfc/stream_executor, tensorflow/kernels, tensorflow/stream_executor, xla/ffi
and xla/pjrt. Of vendors there are adbc, frei0r, ladspa, opencl_icd, pkcs11,
redis, sqlite and sudo. Handlers of xla/ffi have names of their own: --api xla/ffi finds
them by what they answer.

\b
Examples:
  abigen verify plugin.so
  abigen verify plugin.so --release 0.1.0 --format junit
  abigen verify plugin.so --fail-on warning
  abigen verify plugin.so --fail-on not-run
  abigen verify plugin.so --quick
  abigen verify plugin.so --only foreign-major-accepted
  abigen verify --host './host {plugin}' --api tensorflow/stream_executor
  abigen verify --host './host {plugin}' --with good.so --api lamp
  abigen explain foreign-major-accepted

\b
A host that uses what a plugin gives it needs --with: abigen wraps a plugin that
works. The wrapper has the same exports, passes every call on, and changes one thing:
a shorter table, an optional member that is NULL, another version, or a refusal.

\b
Exit codes: 0 fine; 1 a finding at or above --fail-on; 2 the question could not
be answered. With --fail-on warning, the exit code is also 1 for warnings: a leak
that shows in every round, an environment variable that the plugin has changed,
output to stdout, and the like. With --fail-on not-run, it is also 1 if a check
could not be run although the plugin has what the check tests.
"""


@click.command(epilog=_EXAMPLES)
@click.argument("plugin", metavar="PLUGIN", required=False, type=click.Path(path_type=Path))
@click.option(
    "--host",
    metavar="COMMAND",
    help="Test a host. COMMAND runs it; abigen replaces {plugin} by a plugin that it builds.",
)
@click.option("--with", "good", metavar="PLUGIN", type=click.Path(path_type=Path),
              help="With --host: wrap this working plugin instead of generating plugins.")  # fmt: skip
@click.option("--api", "wanted", metavar="API", shell_complete=completion.among(completion.apis),
              help="The API that the plugin is for.")  # fmt: skip
@click.option("--release", metavar="VERSION", help="The release of the core to play.  [default: the API's current one]")
@click.option("--only", metavar="CHECK", multiple=True, help="Run this check only, by name or code; repeatable.")
@click.option("--quick", is_flag=True, help="Run only those checks that take a few seconds and find the most.")
@click.option("--list", "list_only", is_flag=True, help="List the checks; run nothing.")
@click.option("--checks", "folders", metavar="DIR", multiple=True, type=FOLDER,
              help="Also run the checks of the modules in DIR; repeatable.")  # fmt: skip
@click.option("--repro", metavar="DIR", type=click.Path(path_type=Path),
              help="Write a C program for each finding that shows it without abigen.")  # fmt: skip
@click.option("--timeout", type=click.FloatRange(min=0.1), default=10.0, show_default=True, metavar="SECONDS",
              help="How long a single call may take.")  # fmt: skip
@click.option("--threads", type=click.IntRange(2, 64), default=4, show_default=True, metavar="N",
              help="How many threads call at the same time in checks for races.")  # fmt: skip
@bounding_options
@spec_dir_option
@report_options(fail_on=("error", "warning", "note", "not-run", "never"), formats=VERIFY_FORMATS, judges=False)
@click.pass_obj
def command(
    disk: Files,
    plugin: Path | None,
    host: str | None,
    good: Path | None,
    wanted: str | None,
    release: str | None,
    only: tuple[str, ...],
    quick: bool,
    list_only: bool,
    folders: tuple[Path, ...],
    spec_dir: Path | None,
    threads: int,
    repro: Path | None,
    bounded: Bounded,
    output: ReportOutput,
) -> int:
    """Test whether the binary of a plugin, or a host, keeps to the spec of its API."""
    from abigen.runner.verify.runner import verify
    from abigen.workspace.libraries import environment_for, read_library, refuse_other_files
    from abigen.workspace.shipped import shipped

    if list_only and plugin is None:
        return _list(_chosen(_checks(wanted or "", folders), only, quick=quick), output)
    if host is not None:
        if plugin is not None or wanted is None or "{plugin}" not in host:
            raise click.UsageError("--host takes a command with {plugin} in it, --api, and no PLUGIN.")
        words_of_command(host, "the command of --host")
        seconds = click.get_current_context().params["timeout"]
        return _verify_host(host, good, wanted, spec_dir, seconds, disk, output)
    if good is not None:
        raise click.UsageError("--with takes --host.")
    if plugin is None:
        raise click.UsageError("Missing argument 'PLUGIN'.")
    refuse_other_files(plugin)
    environment = environment_for(read_library(plugin))
    if environment is not None:
        return _again(environment)
    libraries = _library_folder()
    with terminal.progress() as announce:
        bounds = bounded([plugin], [libraries, shipped("templates"), *folders])
        finder = _ApiFinder(plugin, spec_dir, disk, libraries, bounds, announce)
        name, loaded, trial = finder.find(wanted, release)
        checks = _checks(name, folders)
        chosen = _chosen(checks, only, quick=quick)
        if list_only:
            return _list(chosen, output)
        trial = replace(trial, threads=threads, recorded=repro is not None)
        if any(check.on_core is not None for check in chosen) and release is None and spec_dir is None:
            announce("building the core that runs kernels")
            trial = replace(trial, start_core=_core(name, trial))
        differences = _differences(trial.latest, disk)
        tried = verify(trial, checks, chosen, bounds, announce)
    terminal.say("".join(f"{each}\n" for each in differences), sys.stderr)
    report = _report(str(plugin), ReportedApi(name, loaded), trial, tried, checks)
    if repro is not None:
        _write_programs(repro, tried, trial)
    return output.answer([report], [loaded]).write()


def _report(operand: str, api: ReportedApi, trial: Trial, tried: Tried, checks: Sequence[PluginCheck]) -> Report:
    """Return what there is to report of a plugin."""
    return Report(
        command="verify",
        operand=operand,
        sides=(api,),
        release=str(trial.api.version.version) if trial.api.version is not None else "",
        runs=tried.runs,
        all_findings=tried.findings,
        ok=not fails(tried.findings, "error"),
        not_called=tried.not_called,
        manual=lambda: [check.page for check in checks],
    )


def _differences(api: Api, disk: Files) -> Sequence[str]:
    """Say what a vendor's header declares otherwise than the spec, where the header is found."""
    from abigen.generator.importing.vendor_header import differences_from_header, reading_here

    if not api.is_vendors:
        return ()
    return differences_from_header(api, disk, reading_here(disk)) or ()


def _again(environment: Mapping[str, str]) -> int:
    """Run the same command once more, with the sanitizer's runtime loaded first; gives the exit code."""
    import subprocess

    from abigen.workspace.python_children import python_command

    sys.stdout.flush()
    again = python_command("from abigen.__main__ import main; main()", *sys.argv[1:])
    ended = subprocess.run(again, env=dict(environment), check=False).returncode
    if ended < 0:
        message = f"with the sanitizer's runtime, {environment['LD_PRELOAD']}, no program can be started here"
        raise AbigenError.at(None, message, "build the plugin with another compiler, or without the sanitizer")
    return ended


def _write_programs(folder: Path, tried: Tried, trial: Trial) -> None:
    """Write a program for each finding, and say which there are, or why there is none."""
    for finding in tried.findings:
        sighting = tried.sightings.get((finding.code, finding.entity))
        text, reason = sighting.program(trial, finding) if sighting else ("", "it is about the file")
        if text:
            folder.mkdir(parents=True, exist_ok=True)
            path = folder / f"{finding.code}-{re.sub(r'[^A-Za-z0-9]+', '-', finding.entity)}.c"
            put_in_place(path, text.encode())
        said = f"shown by {path}" if text else f"no program shows it: {reason}"
        terminal.say(f"repro: {finding.code} {finding.rule} {finding.entity}: {said}\n", sys.stderr)


def _verify_host(
    host: str,
    good: Path | None,
    wanted: str,
    spec_dir: Path | None,
    seconds: float,
    disk: Files,
    output: ReportOutput,
) -> int:
    """Try out a host with plugins that abigen makes, or with wrappers around a working one."""
    from abigen.runner.verify.hosts import HOST_PAGES, WrappedTrial, verify_host
    from abigen.runner.verify.runner import one_of
    from abigen.runner.verify.scenario import entry_point, this_target, version_of

    with terminal.progress() as announce:
        specs = _with_plugins(specs_named(wanted, spec_dir, disk), disk)
        one_of([each.api for each in specs], [], wanted)
        (spec,) = specs
        loaded = load_specs([spec], announce, disk)[spec]
        api = loaded.groups[0].api
        folder = _library_folder()
        if good is not None:
            trial = WrappedTrial(host, api, this_target(), good, seconds, folder, announce).verify()
        else:
            trial = verify_host(host, api, this_target(), entry_point(api), seconds, folder, announce)
    for remark in trial.remarks:
        terminal.say(f"abigen: {remark}\n", sys.stderr)
    if trial.untried:
        names = ", ".join(trial.untried)
        terminal.say(f"abigen: the host calls none of these, so they are not judged: {names}\n", sys.stderr)
    report = Report(
        command="verify",
        operand=host,
        sides=(ReportedApi(spec.api, loaded),),
        release=str(version_of(api)) if api.version is not None else "",
        runs=trial.runs,
        all_findings=trial.findings,
        ok=not fails(trial.findings, "error"),
        of_host=True,
        manual=lambda: HOST_PAGES,
    )
    return output.answer([report], [loaded]).write()


def _has_entry_point(spec: SpecFile, disk: Files) -> bool:
    return b"entry_point:" in disk.read(spec.path)


def _has_checks(spec: SpecFile) -> bool:
    """True if there are checks of this API, which find what is to be called also where nothing is an entry point."""
    from abigen.runner.apis import has_checks

    return has_checks(spec.api)


def _with_plugins(specs: Sequence[SpecFile], disk: Files) -> Sequence[SpecFile]:
    """Return the specs that have an entry point, or all of them when none has."""
    return [each for each in specs if _has_entry_point(each, disk)] or specs


class _ApiFinder:
    """Finds out which API a plugin is for."""

    def __init__(
        self,
        plugin: Path,
        spec_dir: Path | None,
        disk: Files,
        libraries: Path,
        bounds: Bounds,
        announce: Callable[[str], None],
    ) -> None:
        from abigen.workspace.libraries import read_library

        if sys.platform == "win32":
            raise AbigenError.at(None, "abigen verify runs on Linux and macOS", "run abigen under WSL")
        self._plugin = plugin
        self._binary = read_library(plugin)
        self._spec_dir = spec_dir
        self._disk = disk
        self._libraries = libraries
        self._bounds = replace(bounds, seconds=_CHOICE_LIMIT)
        self._announce = announce
        self._unreadable: set[Path] = set()
        """The specs of which a warning has been written."""

    def find(self, wanted: str | None, release: str | None) -> tuple[str, ApiSet, Trial]:
        """Return the API's name, what was read of it, and the trial of the plugin with it."""
        from abigen.runner.verify.runner import likeliest, one_of

        known: list[str] = []
        if wanted is None:
            specs, known = self._candidates()
        else:
            specs = _with_plugins(specs_named(wanted, self._spec_dir, self._disk), self._disk)
            one_of([each.api for each in specs], [], wanted)
        trials = {each.api: self._trial(each, release) for each in specs}
        names = list(trials)
        if len(names) > 1:
            names = likeliest({name: trial for name, (_, trial) in trials.items()}, self._bounds)
        name = one_of(names, known, str(self._plugin))
        return name, *trials[name]

    def _candidates(self) -> tuple[Sequence[SpecFile], list[str]]:
        """Return the specs that the plugin may be for; and the names of all that there are."""
        from abigen.generator.build import find_specs, spec_folders
        from abigen.runner.verify.runner import candidates

        known: list[str] = []
        for folder in spec_folders(self._spec_dir or build_settings(self._disk).specs, self._disk):
            found = find_specs([], folder, self._disk)
            specs = [each for each in found if _has_entry_point(each, self._disk)]
            loaded = self._readable(specs)
            known += [each.api for each in found if each in specs or _has_checks(each)]
            specs = [each for each in specs if each in loaded]
            fitting = candidates({each: loaded[each].groups[0].api for each in specs}, self._binary)
            if fitting:
                return fitting, known
        return (), known

    def _readable(self, specs: Sequence[SpecFile]) -> dict[SpecFile, ApiSet]:
        """Read specs that nobody has named, with those that they use; a warning names each that is wrong."""
        loaded: dict[SpecFile, ApiSet] = {}
        known = {self._disk.real(each.path) for each in specs}
        for spec in specs:
            try:
                found = load_specs([spec], self._announce, self._disk)
            except AbigenError as error:
                if spec.path not in self._unreadable:
                    self._unreadable.add(spec.path)
                    first = error.diagnostics[0]
                    line = f"{first.place.line}: " if first.place else ""
                    terminal.tell(
                        f"abigen: warning: {spec.path} is left out: {line and 'line '}{line}{first.message}\n"
                    )
                continue
            loaded[spec] = found[spec]
            for each, api in found.items():
                if (real := self._disk.real(each.path)) not in known:
                    known.add(real)
                    loaded[each] = api
        return loaded

    def _trial(self, spec: SpecFile, release: str | None) -> tuple[ApiSet, Trial]:
        """Return the plugin with one API; the other specs of its folder state which functions the core has besides."""
        from abigen.generator.build import spec_file
        from abigen.runner.verify.scenario import make_trial

        neighbours = [spec_file(path, spec.folder, self._disk) for path in sorted(spec.path.parent.glob("*.yaml"))]
        loaded = dict(load_specs([spec], self._announce, self._disk))
        loaded |= self._readable([each for each in neighbours if each.path.resolve() != spec.path.resolve()])
        latest = loaded[spec].groups[0].api
        own = self._disk.real(spec.path)  # specs that use this one name it by its whole path
        others = tuple(
            api.groups[0].api for file, api in loaded.items() if file != spec and self._disk.real(file.path) != own
        )
        self._announce("building the functions that plugins link against")
        then = load_specs([spec], self._announce, self._disk, release=release) if release is not None else loaded
        api = then[spec].groups[0].api
        return loaded[spec], make_trial(
            self._plugin, self._binary, latest, others, api, self._libraries, may_have_none=_has_checks(spec)
        )


def _library_folder() -> Path:
    """Return the folder of compiled libraries, and create it."""
    from abigen.workspace.result_cache import cache_folder

    kept = cache_folder()
    if kept is not None:
        (kept / "libraries").mkdir(parents=True, exist_ok=True)
        return kept / "libraries"
    from tempfile import TemporaryDirectory

    return Path(click.get_current_context().with_resource(TemporaryDirectory(prefix="abigen-")))


def _core(name: str, trial: Trial) -> Callable[[], Core] | None:
    """Return the start of a core that runs the plugin's kernels; None if there is none or no kernel is registered.

    An entry point that is given nothing can only register something by calling core's functions.
    """
    from abigen.runner.apis.tensorflow.host.core import Core
    from abigen.runner.reference import groups, prepare, start_backend
    from abigen.runner.verify.scenario import entry_points

    group = name.rpartition("/")[0]
    entries = [each for api in (trial.latest, *trial.others) for each in entry_points(api) if not each.type.parameters]
    exports = trial.binary.exports if trial.binary is not None else frozenset()
    if group not in groups() or not any((each.symbol or each.name) in exports for each in entries):
        return None
    folder = prepare(group)
    return lambda: Core(start_backend(folder))


def _checks(api: str, folders: Sequence[Path]) -> tuple[PluginCheck, ...]:
    """Return the checks for an API, those of every API when it is empty."""
    from abigen.runner.apis import shipped_checks
    from abigen.runner.verify.check import own_checks

    return (*shipped_checks(api), *own_checks(folders))


def _chosen(checks: Sequence[PluginCheck], only: Sequence[str], *, quick: bool) -> tuple[PluginCheck, ...]:
    """Return the checks that the user names, or all; those aside that a quick run does not have."""
    from abigen.checker.compare import find_page

    pages = [check.page for check in checks]
    wanted = {find_page(name, pages, kind="check", otherwise="--list names all of them").code for name in only}
    known = [check for check in checks if check.quick or not check.calls or not quick]
    return tuple(check for check in known if check.code in wanted or not only)


def _list(checks: Sequence[PluginCheck], output: ReportOutput) -> int:
    """Write a table of checks; gives the exit code."""
    pages = [check.page for check in checks]
    terminal.write(rules_table(pages, "text", width=output.style.width, colour=output.style.colour))
    return 0
