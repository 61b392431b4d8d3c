"""Hosts, tried out with plugins that abigen makes: one per release, some that cannot be, and each without a member."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec.structs import replace

from abigen.host.libraries import kept_library
from abigen.host.verify.check import Observation
from abigen.host.verify.probe_source import Probe, ProbeSource
from abigen.host.verify.scenario import equal, foreign, newer, older
from abigen.model.api import Api
from abigen.model.contract import Party
from abigen.model.entities import Field, Function
from abigen.model.finding import FAILED, NOT_RUN, PASSED, Bump, CheckRun, Finding, Level, Page
from abigen.model.printable import printable
from abigen.model.roles import makers
from abigen.model.span import AbigenError
from abigen.model.target import Target


def _page(code: str, name: str, *words: str) -> Page:
    sections = tuple(zip(("What happens", "Instead", "Source"), words[1:], strict=True))
    return Page(code=code, name=name, group="Hosts", commands=("verify",), summary=words[0], sections=sections)


HOST_PAGES = (
    _page(
        "ABI090", "fitting-plugin-refused",
        "The host refuses a plugin of the same MAJOR, or ends because of it.",
        "Plugins that were built with another release stop working, although the contract says that they go on.",
        "Compare `struct_size` with the end of each member that is used, not for equality and not with `sizeof`.",
        'VS, "Conventions".',
    ),
    _page(
        "ABI091", "refusal-ignored",
        "The host goes on with a plugin that has refused it.",
        "It calls functions of a plugin that is of another MAJOR, with other arguments than that expects.",
        "Look at what the entry point reports before anything of the plugin is used, and end with another code than 0.",
        'VS, "Detecting Incompatibility".',
    ),
    _page(
        "ABI092", "host-reads-past-end",
        "The host reads behind the end of a plugin's struct.",
        "It takes for a member what an older plugin has never heard of, and calls it.",
        "Before each member compare its end with `struct_size`.",
        'VS, "By Checking Struct Size".',
    ),
    _page(
        "ABI093", "host-writes-past-end",
        "The host writes behind the end of a plugin's struct.",
        "It destroys what an older plugin has behind the struct.",
        "Before each member compare its end with `struct_size`.",
        'VS, "By Checking Struct Size".',
    ),
    _page(
        "ABI094", "null-member-called",
        "The host calls an optional function that the plugin does not have.",
        "The process crashes with every plugin that leaves the function out, which it may.",
        "Compare the member with NULL first.",
        "the spec's `optional`.",
    ),
    _page(
        "ABI099", "handle-misused",
        "The host calls a function of the plugin with a handle that it must not have there.",
        "The plugin reads memory that it has freed, or that belongs to something else, and crashes.",
        "Keep each handle until it is destroyed, once, by its own function; compare it with NULL before that.",
        "the spec's `create` and `destroy` of handles.",
    ),
)  # fmt: skip
_LOG = "ABIGEN_PROBE"
_SIGNALS = (signal.SIGILL, signal.SIGABRT, signal.SIGFPE, signal.SIGSEGV, signal.SIGKILL, signal.SIGTRAP, signal.SIGBUS)
"""The signals that a shell's exit code stands for; a host may exit with any other code itself."""


class HostRun(msgspec.Struct, frozen=True, kw_only=True):
    """What the host did with a plugin."""

    code: int
    lines: tuple[str, ...] = ()
    """What a probe has noted."""
    is_late: bool = False
    output: str = ""
    """What the host wrote."""

    @property
    def signal(self) -> int:
        """The number of the signal that ended it, or that a shell states; 0 for none."""
        return -self.code if self.code < 0 else self.code - 128 if self.code - 128 in _SIGNALS else 0

    @property
    def crashed(self) -> bool:
        """True if a signal has ended it, or a shell says so."""
        return self.signal > 0

    @property
    def fails(self) -> bool:
        """True if it does not exit with 0."""
        return self.is_late or self.code != 0

    @property
    def how(self) -> str:
        """What it did, as the end of a sentence that begins with `the host`."""
        if self.is_late:
            return "does not end in time"
        if self.code < 0:
            return f"is ended by signal {self.signal}"
        return f"exits with {self.code}" + (f" (a shell's code for signal {self.signal})" if self.crashed else "")

    @property
    def last_words(self) -> str:
        """The last line that it wrote, as the end of a sentence; empty where it wrote nothing."""
        lines = [each for each in self.output.splitlines() if each.strip()]
        return f"; its last line is: {printable(lines[-1].strip())[:200]}" if lines else ""


class HostTrial(msgspec.Struct, frozen=True):
    """What came of a host."""

    runs: tuple[CheckRun, ...]
    findings: tuple[Finding, ...]
    untried: tuple[str, ...]
    """The functions of plugins that it has called with no probe: `Struct.member`."""
    remarks: tuple[str, ...] = ()
    """What could not be tried, and why."""


def probes(api: Api, entry: Function) -> Iterator[Probe]:
    """The plugins for an API, one that fits in every way first; none that refuses where nothing can tell of that."""
    (same,) = equal(api)
    yield Probe(scenario=same, what="a plugin of the same release")
    for each in older(api):
        yield Probe(scenario=each, what=f"a plugin of release {each.version}")
    for each in newer(api):
        yield Probe(scenario=each, what=f"a plugin of release {each.version}, which does not exist yet")
    can_refuse = api.outcome(entry.type, entry.name, entry_point=True).kind or any(
        api.is_status(each.type) for each in entry.type.parameters
    )
    for each in foreign(api) if can_refuse else ():
        yield Probe(scenario=each, what=f"a plugin of another MAJOR, {each.version}", refuses=True)
    for name, member in _functions(api):
        if member.contract.is_optional:
            yield Probe(scenario=same, what=f"a plugin without {name}", without=name)
    for name, member in _functions(api):
        type = api.callback(member.type)
        is_said = type is not None and (api.outcome(type, name).kind or api.status_position(type, name) is not None)
        if is_said and name in makers(api):
            yield Probe(scenario=same, what=f"a plugin whose {name} fails", fails=name)


def verify_host(
    command: str,
    api: Api,
    target: Target,
    entry: Function,
    seconds: float,
    folder: Path,
    announce: Callable[[str], None],
) -> HostTrial:
    """Run a host with each probe.

    Args:
        command: the host's, with `{plugin}` where the plugin's path belongs; it ends with 0 when it accepts the plugin.
        api: the API's current release.
        target: of this machine.
        entry: the function that the host calls first.
        seconds: how long a run may take.
        folder: where the plugins are kept.
        announce: is told what is being done.

    Raises:
        AbigenError: the host cannot be started, or does not call the plugin at all.
    """
    found: dict[tuple[str, str], Finding] = {}
    called: set[str] = set()
    pages = {each.code: each for each in HOST_PAGES}
    for number, probe in enumerate(probes(api, entry)):
        announce(f"running the host with {probe.what}")
        library = kept_library(ProbeSource(api, target, probe, entry).text(), ("-w",), folder)
        run = _run(command, library, seconds)
        if f"call {entry.name}" not in run.lines and number == 0:
            message = f"the host ends with {run.code} and does not call {entry.name}"
            raise AbigenError.at(None, message, "it has to load the plugin that {plugin} names")
        called |= {line.removeprefix("call ") for line in run.lines}
        for code, each in _judge(probe, run, entry):
            level = Level.ERROR
            finding = Finding(
                code=code, rule=pages[code].name, entity=each.entity, bump=Bump.NONE, level=level, message=each.message
            )
            found.setdefault((code, each.entity), finding)
    failed = {code for code, _ in found}
    tried = list(probes(api, entry))
    idle = {} if any(each.refuses for each in tried) else {"ABI091": f"{entry.name} has no way to refuse"}
    idle |= {} if any(each.without for each in tried) else {"ABI094": "the API has no optional function"}
    runs = check_runs(failed, idle)
    untried = tuple(name for name, _ in _functions(api) if name not in called)
    return HostTrial(runs, tuple(found[key] for key in sorted(found)), untried)


def _functions(api: Api) -> Iterator[tuple[str, Field]]:
    """The functions that a plugin may have, as `Struct.member`, each with its member."""
    for struct in api.structs.values():
        for member in struct.fields or () if struct.in_api else ():
            if api.callback(member.type) and member.filler is not Party.CORE:
                yield f"{struct.name}.{member.name}", member


def check_runs(failed: Collection[str], idle: Mapping[str, str]) -> tuple[CheckRun, ...]:
    """Return how each check of hosts went.

    Args:
        failed: the codes of those that have a finding.
        idle: the codes of those that nothing was tried for, each with the reason.
    """
    return tuple(
        CheckRun(
            code=each.code,
            name=each.name,
            result=FAILED if each.code in failed else NOT_RUN if each.code in idle else PASSED,
            reason=idle.get(each.code, ""),
            inapplicable=each.code in idle,
        )
        for each in HOST_PAGES
    )


def _run(command: str, library: Path, seconds: float) -> HostRun:
    """Run the host with a probe."""
    with tempfile.TemporaryDirectory(prefix="abigen-") as folder:
        log = Path(folder, "log")
        log.touch()
        return replace(run_host(command, library, seconds, log), lines=tuple(log.read_text().splitlines()))


def run_host(command: str, plugin: Path, seconds: float, log: Path | None = None) -> HostRun:
    """Run a host with a plugin, and end what it has started when its time is over.

    Args:
        command: the host's, with `{plugin}` where the plugin's path belongs.
        plugin: the library.
        seconds: how long the run may take.
        log: the file in which the plugin notes what the host does; None for a plugin that notes nothing.

    Raises:
        AbigenError: the host cannot be started.
    """
    words = [each.replace("{plugin}", str(plugin)) for each in shlex.split(command)]
    environment = {**os.environ, _LOG: str(log)} if log is not None else None
    with tempfile.TemporaryFile() as output:
        try:
            started = subprocess.Popen(
                words, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True
            )
        except OSError as error:
            raise AbigenError.at(None, f"{words[0]} cannot be started: {error.strerror}") from None
        code, is_late = 0, False
        try:
            code = started.wait(seconds)
        except subprocess.TimeoutExpired:
            is_late = True
        finally:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(started.pid, signal.SIGKILL)
            started.wait()
        output.seek(0)
        return HostRun(code=code, is_late=is_late, output=output.read(1 << 20).decode(errors="replace"))


def _judge(probe: Probe, run: HostRun, entry: Function) -> Iterator[tuple[str, Observation]]:
    """What is wrong with what the host did."""
    touched = [line.split(" ") for line in run.lines if line.startswith(("reads ", "writes ", "behind "))]
    for kind, entity in touched:
        does = "writes" if kind == "writes" else "reads"
        message = f"the host {does} behind the end of {entity.partition('.')[0]} of {probe.what}"
        message += f": {entity}" if "." in entity else ""
        yield "ABI093" if kind == "writes" else "ABI092", Observation(entity, message)
    for line in (each for each in run.lines if each.startswith("misuse ")):
        name, words = line.removeprefix("misuse ").split(" ", 1)
        yield "ABI099", Observation(name, f"with {probe.what}, the host calls {name} {words}")
    how = "does not come to its end" if run.is_late else f"ends with {run.code}"
    if probe.refuses:
        calls = [line.removeprefix("call ") for line in run.lines if line.startswith("call ")]
        later = next((each for each in calls if each != entry.name), "")
        lacking = next((line for line in run.lines if line.startswith("lacks ")), "")
        if lacking:
            message = f"the host has no {lacking.removeprefix('lacks ')}, which plugins refuse with"
            raise AbigenError.at(None, message, "export it from the host, or from a library that the host loads")
        if entry.name in calls and (later or run.code == 0):
            then = f"calls {later} of" if later else "ends with 0 for"
            yield "ABI091", Observation(entry.name, f"the host {then} {probe.what}, which has refused it")
    elif probe.fails:
        if run.crashed and abs(run.code) % 128 != signal.SIGABRT:  # a host may end itself
            yield "ABI099", Observation(probe.fails, f"the host {how} with {probe.what}")
    elif touched or not (run.is_late or run.code):
        return
    elif probe.without and run.crashed:
        yield "ABI094", Observation(probe.without, f"the host {how} with {probe.what}: it calls NULL")
    else:
        yield "ABI090", Observation(probe.without or entry.name, f"the host {how} with {probe.what}")
