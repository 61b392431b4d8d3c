"""Checks of hosts with plugins that abigen builds, and of hosts with the author's plugin in a wrapper."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from struct import unpack_from

import msgspec
from msgspec.structs import replace

from abigen.model.api import Api
from abigen.model.contract import Party
from abigen.model.entities import Field, Function
from abigen.model.finding import FAILED, NOT_RUN, PASSED, Bump, CheckRun, Finding, Level, Page
from abigen.model.roles import makers
from abigen.model.span import AbigenError, printable
from abigen.model.target import Target
from abigen.model.version import Version
from abigen.runner.verify.check import Observation
from abigen.runner.verify.probe_source import Probe, ProbeSource
from abigen.runner.verify.scenario import entry_points, equal, foreign, newer, older, version_of, with_symbols
from abigen.runner.verify.wrapper_source import CALLS, CALLS_AT, EVENTS, Change, WrapperSource
from abigen.workspace.libraries import kept_library, read_library, refuse_other_files


def _page(code: str, name: str, *words: str) -> Page:
    sections = tuple(zip(("What happens", "Instead", "Source"), words[1:], strict=True))
    return Page(code=code, name=name, group="Hosts", commands=("verify",), summary=words[0], sections=sections)


HOST_PAGES = (
    _page(
        "ABI090", "fitting-plugin-refused",
        "The host refuses a plugin of the same MAJOR, or ends because of it.",
        "Plugins that were built with another release stop working, although the contract allows them.",
        "Compare `struct_size` with the end of each member that is used, not for equality and not with `sizeof`.",
        'versioning strategy, "Conventions".',
    ),
    _page(
        "ABI091", "refusal-ignored",
        "The host continues with a plugin that refused it.",
        "It calls functions of a plugin that is of another MAJOR, with arguments that the plugin does not expect.",
        "Check the result of the entry point before any other use of the plugin, and exit with a code other than 0.",
        'versioning strategy, "Detecting Incompatibility".',
    ),
    _page(
        "ABI092", "host-reads-past-end",
        "The host reads past the end of a plugin's struct.",
        "It reads a member that an older plugin does not have, and calls the bytes that it finds there.",
        "Before each access to a member, compare the end of the member with `struct_size`.",
        'versioning strategy, "By Checking Struct Size".',
    ),
    _page(
        "ABI093", "host-writes-past-end",
        "The host writes past the end of a plugin's struct.",
        "It overwrites the memory of an older plugin that follows the struct.",
        "Before each access to a member, compare the end of the member with `struct_size`.",
        'versioning strategy, "By Checking Struct Size".',
    ),
    _page(
        "ABI094", "null-member-called",
        "The host calls an optional function that the plugin does not have.",
        "The process crashes with every plugin that leaves the function out, which the contract allows.",
        "Compare the member with NULL before the call.",
        "the spec's `optional`.",
    ),
    _page(
        "ABI099", "handle-misused",
        "The host calls a function of the plugin with a handle that is not valid there.",
        "The plugin reads memory that was freed or that another object owns, and crashes.",
        "Destroy each handle once, with its own function, and do not use it afterwards; compare it with NULL first.",
        "the spec's `create` and `destroy` of handles.",
    ),
)  # fmt: skip
_LOG = "ABIGEN_PROBE"
_SIGNALS = (signal.SIGILL, signal.SIGABRT, signal.SIGFPE, signal.SIGSEGV, signal.SIGKILL, signal.SIGTRAP, signal.SIGBUS)
"""The signals that a shell's exit code can mean; a host may exit with any other code itself."""


class HostRun(msgspec.Struct, frozen=True, kw_only=True):
    """The result of running a host with a plugin."""

    code: int
    lines: tuple[str, ...] = ()
    """Lines that a probe has written."""
    is_late: bool = False
    output: str = ""
    """The output of the host."""

    @property
    def signal(self) -> int:
        """The number of the signal that ended it, or that a shell states; 0 for none."""
        return -self.code if self.code < 0 else self.code - 128 if self.code - 128 in _SIGNALS else 0

    @property
    def crashed(self) -> bool:
        """True if a signal has ended it, or a shell reports that."""
        return self.signal > 0

    @property
    def fails(self) -> bool:
        """True if it does not exit with 0."""
        return self.is_late or self.code != 0

    @property
    def how(self) -> str:
        """The end of the host, as the rest of a sentence that begins with `the host`."""
        if self.is_late:
            return "does not end in time"
        if self.code < 0:
            return f"was ended by signal {self.signal}"
        return f"exits with {self.code}" + (f" (a shell's code for signal {self.signal})" if self.crashed else "")

    @property
    def last_words(self) -> str:
        """The last line that it wrote, as the end of a sentence; empty where it wrote nothing."""
        lines = [each for each in self.output.splitlines() if each.strip()]
        return f"; its last line is: {printable(lines[-1].strip())[:200]}" if lines else ""


class HostTrial(msgspec.Struct, frozen=True):
    """The result of trying out a host."""

    runs: tuple[CheckRun, ...]
    findings: tuple[Finding, ...]
    untried: tuple[str, ...]
    """The functions of plugins that it has called with no probe: `Struct.member`."""
    remarks: tuple[str, ...] = ()
    """Trials that were not possible, each with the reason."""


def probes(api: Api, entry: Function) -> Iterator[Probe]:
    """Yield the probes for an API, first one that fits in every way; none refuses if no host can learn of it."""
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
        seconds: the time limit of a run.
        folder: the folder for the plugins.
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
    """Yield the functions that a plugin may have, as `Struct.member`, each with its member."""
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
    """Run a host with a plugin, and end its processes at the time limit.

    Args:
        command: the host's, with `{plugin}` where the plugin's path belongs.
        plugin: the library.
        seconds: the time limit of the run.
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
    """Yield the mistakes of the host in one run, each with the code of the check that reports it."""
    touched = [line.split(" ") for line in run.lines if line.startswith(("reads ", "writes ", "behind "))]
    for kind, entity in touched:
        does = "writes" if kind == "writes" else "reads"
        message = f"the host {does} past the end of {entity.partition('.')[0]} of {probe.what}"
        message += f": {entity}" if "." in entity else ""
        yield "ABI093" if kind == "writes" else "ABI092", Observation(entity, message)
    for line in (each for each in run.lines if each.startswith("misuse ")):
        name, words = line.removeprefix("misuse ").split(" ", 1)
        yield "ABI099", Observation(name, f"with {probe.what}, the host calls {name} {words}")
    how = "does not end" if run.is_late else f"ends with {run.code}"
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


_LOADED, _CHANGED, _READ, _WROTE, _CALLED_BEHIND, _CALLED_NULL, _LACKS, _CANNOT_LOAD, _OWN_CRASH, _USED_NULL = range(
    1, 11
)
_PATIENCE = 5
"""The least time limit of a run, as a multiple of the time of the unchanged run."""
_FAULTS = (signal.SIGSEGV, signal.SIGBUS, signal.SIGILL, signal.SIGFPE)
_ENDS = re.compile(
    r"(?i)deinit|fini|exit|unload|close|shut_?down|clean|free|destroy|delete|release|unref|error|last|message|stop"
    r"|detach|dispose|teardown|term(?!inal)|cancel|log"
)
"""The names of functions that a host may call after a refusal: they free something or tell of errors."""


class Event(msgspec.Struct, frozen=True):
    """An event other than a call, recorded by a wrapper."""

    kind: int
    value: int
    offset: int
    calls: int
    """The number of calls before it."""


class WrappedRun(msgspec.Struct, frozen=True, kw_only=True):
    """The result of running a host with a wrapper."""

    run: HostRun
    calls: tuple[str, ...]
    events: tuple[Event, ...]

    def noted(self, *kinds: int) -> Event | None:
        """Return the first event of some kinds.

        Args:
            kinds: the numbers of the kinds.
        """
        return next((each for each in self.events if each.kind in kinds), None)

    @property
    def how(self) -> str:
        """The end of the host, as the rest of a sentence that begins with `the host`."""
        return self.run.how


def changes(api: Api, unchanged: WrapperSource) -> Iterator[Change]:
    """Yield the changes that the spec allows, except the one that changes nothing.

    Args:
        api: the API's current release.
        unchanged: the wrapper that changes nothing.
    """
    if unchanged.has_parts or unchanged.has_sizes:
        for each in older(api):
            version = each.version if unchanged.has_parts else None
            yield Change(kind="release", what=f"a plugin of release {each.version}", api=each.api, version=version)
    if api.version is not None and (unchanged.has_parts or unchanged.has_sizes):
        for each in newer(api):
            what = f"a plugin of release {each.version}, which does not exist yet"
            yield Change(kind="release", what=what, version=each.version if unchanged.has_parts else None, grows=True)
    version = version_of(api)
    if unchanged.has_parts and version.minor and not any(older(api)):
        earlier = Version(version.major, version.minor - 1, 0)
        yield Change(kind="release", what=f"a plugin that states version {earlier}", version=earlier)
    if unchanged.states_version:
        before = next(older(api), None)
        what = "a plugin that states an older version"
        yield Change(kind="stated", what=what, api=before.api if before is not None else None, addend=-1)
        yield Change(kind="stated", what="a plugin that states a newer version", addend=1)
    for name in unchanged.optional:
        yield Change(kind="without", what=f"a plugin without {name}", name=name)
    for entry in entry_points(api):
        if (entry.symbol or entry.name) in unchanged.own and unchanged.refusal(entry) is not None:
            yield Change(kind="refuses", what=f"a plugin whose {entry.name} refuses the host", name=entry.name)


class WrappedTrial:
    """Runs a host with wrappers around a working plugin, and judges its behaviour."""

    def __init__(
        self, command: str, api: Api, target: Target, good: Path, seconds: float, folder: Path,
        announce: Callable[[str], None],
    ) -> None:  # fmt: skip
        """Prepare; nothing is run yet.

        Args:
            command: the host's, with `{plugin}` where the plugin's path belongs.
            api: the API's current release.
            target: of this machine.
            good: the working plugin.
            seconds: the time limit of a run.
            folder: the folder for compiled wrappers.
            announce: receives what is being done.

        Raises:
            AbigenError: the plugin cannot be read, or it exports nothing of the API.
        """
        refuse_other_files(good)
        library = read_library(good)
        if library is None:
            raise AbigenError.at(None, "--with needs a shared library in the ELF format, so it works on Linux only")
        self._command, self._api, self._target, self._library = command, with_symbols(api, library), target, library
        self._good, self._seconds, self._folder, self._announce = good.absolute(), seconds, folder, announce
        self._name = printable(good.name)
        self._unchanged = self._source(Change())
        if self._unchanged.gives_nothing:
            name = (api.header.api if api.header is not None else "") or api.name
            message = f"{printable(str(good))} exports nothing that {name} declares"
            raise AbigenError.at(None, message, "name a plugin of this API, or another API with --api")

    def _source(self, change: Change) -> WrapperSource:
        return WrapperSource(self._api, self._target, self._library, self._good, change)

    def verify(self) -> HostTrial:
        """Run the host with each wrapper.

        Raises:
            AbigenError: the host cannot be started, fails with the working plugin or with the unchanged wrapper, or
                calls nothing of it.
        """
        baseline = self._baseline()
        found: dict[tuple[str, str], Finding] = {}
        tried: set[str] = set()
        remarks: list[str] = []
        pages = {each.code: each for each in HOST_PAGES}
        for change in changes(self._api, self._unchanged):
            self._announce(f"running the host with {change.what}")
            source = self._source(change)
            run = self._run(source)
            remark = self._remark(change, run)
            if remark:
                remarks.append(remark)
            if remark or run.noted(_CHANGED) is None:
                continue
            tried |= {change.kind, "release" if change.api is not None else change.kind}
            seen = dict(self._judge(change, source, run, baseline))
            if seen:  # a host that does not do the same each time is not judged
                again = dict(self._judge(change, source, self._run(source), baseline))
                seen = {code: each for code, each in seen.items() if code in again}
                seen = seen if not self._run(self._unchanged).run.fails else {}
            for code, each in seen.items():
                finding = Finding(
                    code=code, rule=pages[code].name, entity=each.entity, bump=Bump.NONE, level=Level.ERROR,
                    message=each.message,
                )  # fmt: skip
                found.setdefault((code, each.entity), finding)
        members = {each.rpartition(".")[2] for each in self._of_api() if "." in each}
        untried = tuple(each for each in self._of_api() if each not in baseline.calls and each not in members)
        runs = check_runs({code for code, _ in found}, self._idle(tried))
        return HostTrial(runs, tuple(found[key] for key in sorted(found)), untried, tuple(remarks))

    def _of_api(self) -> list[str]:
        """Return the functions of the plugin that the API knows."""
        known = {each.name for each in self._unchanged.own.values()}
        return [each for each in self._unchanged.names if each in known or "." in each]

    def _idle(self, tried: set[str]) -> Mapping[str, str]:
        """Return the checks that nothing was tried for, and why."""
        idle = {"ABI099": "a wrapped plugin creates its own handles"}
        if not tried & {"release", "stated", "without"}:
            idle["ABI090"] = "the spec allows only this plugin"
        if "release" not in tried:
            reason = "no earlier release has a shorter struct than the plugin"
            idle |= {"ABI092": reason, "ABI093": reason}
        if "refuses" not in tried:
            known = [each for each in entry_points(self._api) if self._unchanged.refusal(each) is not None]
            idle["ABI091"] = "the spec does not state how an entry point refuses a host"
            if known:
                idle["ABI091"] = "no entry point could refuse the host in these runs"
        if "without" not in tried:
            idle["ABI094"] = "the plugin has no optional function"
        return idle

    def _baseline(self) -> WrappedRun:
        """Run the host with the working plugin and with the unchanged wrapper.

        Raises:
            AbigenError: it fails with one of them, or calls nothing.
        """
        self._announce(f"running the host with {self._name} itself")
        plain = run_host(self._command, self._good, self._seconds)
        if plain.fails:
            hint = "try a command and a plugin with which the host exits with 0"
            raise AbigenError.at(None, f"the host {plain.how} with {self._name} itself{plain.last_words}", hint)
        self._announce("running the host with the unchanged wrapper")
        began = time.monotonic()
        run = self._run(self._unchanged)
        self._seconds = max(self._seconds, _PATIENCE * (time.monotonic() - began))
        hint = f"the wrapper is a copy of {self._name} in another folder that forwards every call"
        if run.noted(_CANNOT_LOAD):
            raise AbigenError.at(None, f"{self._name} cannot be loaded by its wrapper{run.run.last_words}")
        if run.run.fails:
            message = f"the host exits with 0 with {self._name} itself, but {run.how} with its unchanged wrapper"
            raise AbigenError.at(None, message + run.run.last_words, hint)
        if run.noted(_LOADED) is None:
            message = f"the host exits with 0 and does not load the wrapper of {self._name}"
            raise AbigenError.at(None, message, "it has to load the plugin that {plugin} names")
        if not run.calls:
            message = f"the host loads the wrapper of {self._name}, exits with 0, and calls none of its functions"
            raise AbigenError.at(None, message, "use a command with which the host uses the plugin")
        return run

    def _run(self, source: WrapperSource) -> WrappedRun:
        """Run the host with a wrapper, which has the file name of the working plugin in a folder of its own."""
        built = kept_library(source.text(), ("-w", "-Wl,--no-as-needed,-ldl"), self._folder)
        with tempfile.TemporaryDirectory(prefix="abigen-") as folder:
            plugin, trace = Path(folder, "plugin", self._good.name), Path(folder, "trace")
            Path(folder).chmod(0o755)  # the host may run as another user
            plugin.parent.mkdir()
            shutil.copyfile(built, plugin)
            plugin.chmod(0o755)
            with trace.open("wb") as file:
                file.truncate(CALLS_AT + 4 * CALLS)
            trace.chmod(0o666)
            run = run_host(self._command, plugin, self._seconds, trace)
            content = trace.read_bytes()
        calls, events = unpack_from("=QQ", content)
        noted = (unpack_from("=IIII", content, 16 + 16 * at) for at in range(min(events, EVENTS)))
        numbers = unpack_from(f"={min(calls, CALLS)}I", content, CALLS_AT)
        names = tuple(source.names[each - 1] if 0 < each <= len(source.names) else "" for each in numbers)
        return WrappedRun(run=run, calls=names, events=tuple(Event(*each) for each in noted))

    def _remark(self, change: Change, run: WrappedRun) -> str:
        """Return why nothing can be said of a run; empty where it can be judged."""
        if run.noted(_OWN_CRASH) and change.kind != "refuses":  # a call after a refusal may crash in the plugin
            return f"{self._name} itself crashes as {change.what}, so the host is not judged"
        if run.noted(_LACKS):
            return f"{change.what} is not tried: nothing in the process exports the function that sets a status"
        return ""

    def _judge(
        self, change: Change, source: WrapperSource, run: WrappedRun, baseline: WrappedRun
    ) -> Iterator[tuple[str, Observation]]:
        """Yield the mistakes that the host makes with a change, and not without it."""
        judge = {"without": self._judge_without, "refuses": self._judge_refusal}.get(change.kind)
        if judge is not None:
            yield from judge(change, run, baseline)
            return
        touched = run.noted(_READ, _WROTE)
        called = run.noted(_CALLED_BEHIND)
        if touched is not None:
            does, code = ("writes", "ABI093") if touched.kind == _WROTE else ("reads", "ABI092")
            entity = _member_at(source, touched)
            owner = entity.partition(".")[0]
            message = f"with {change.what}, the host {does} past the end of {owner}"
            yield code, Observation(entity, message + (f": {entity}" if "." in entity else ""))
        elif called is not None:
            entity = next(iter(reversed(run.calls[: called.calls])), "")
            message = f"with {change.what}, the host calls {entity}, past the end of {entity.partition('.')[0]}"
            yield "ABI092", Observation(entity, message)
        elif self._depends(source, run, baseline):
            return
        elif run.run.is_late or run.run.signal in _FAULTS or (run.run.fails and self._is_promised(change)):
            entity = self._first()
            yield "ABI090", Observation(entity, f"with {change.what}, the host {run.how}; {self._unlike(baseline)}")

    def _judge_without(
        self, change: Change, run: WrappedRun, baseline: WrappedRun
    ) -> Iterator[tuple[str, Observation]]:
        then = f"the host {run.how} with {change.what}"
        if run.noted(_CALLED_NULL) is not None:
            yield "ABI094", Observation(change.name, f"{then}: it calls NULL")
        elif run.noted(_USED_NULL) is not None and change.name not in baseline.calls:
            yield "ABI094", Observation(change.name, f"{then}: it reads or writes at NULL")
        elif run.run.fails and change.name not in baseline.calls:
            known = change.name in self._of_api()
            never = f", and does not call {change.name}" if known else ""
            yield "ABI090", Observation(change.name, f"{then}; {self._unlike(baseline)}{never}")

    def _judge_refusal(
        self, change: Change, run: WrappedRun, baseline: WrappedRun
    ) -> Iterator[tuple[str, Observation]]:
        refused = run.noted(_CHANGED)
        later = run.calls[refused.calls if refused is not None else 0 :]
        entries = {each.name for each in entry_points(self._api)}
        givers = (entries | self._unchanged.givers) - {change.name}
        later = later[: next((at for at, each in enumerate(later) if each in givers), len(later))]
        known = set(self._of_api()) & set(baseline.calls) - entries
        used = next((each for each in later if each in known and not _ENDS.search(each.rpartition(".")[2])), "")
        if used:
            yield "ABI091", Observation(change.name, f"the host calls {used} of {change.what}")
        elif run.noted(_OWN_CRASH) is None and (run.run.is_late or run.run.signal in _FAULTS):
            yield "ABI091", Observation(change.name, f"the host {run.how} with {change.what}; {self._unlike(baseline)}")

    def _depends(self, source: WrapperSource, run: WrappedRun, baseline: WrappedRun) -> bool:
        """True if the plugin may fail in its own functions, since the host no longer calls one that is cut off."""
        members = {each for each in self._of_api() if "." in each}
        return bool(source.cut_off & set(baseline.calls)) and bool(members & set(run.calls))

    def _is_promised(self, change: Change) -> bool:
        """True if the API states that a plugin with this change works with the host."""
        return change.kind == "release" and version_of(self._api).major > 0

    def _first(self) -> str:
        """Return the name in findings about the whole plugin: the entry point, or the API."""
        names = [each.name for each in entry_points(self._api)] or [each.name for each in self._unchanged.own.values()]
        return names[0] if names else self._api.name

    def _unlike(self, baseline: WrappedRun) -> str:
        return f"with {self._name} unchanged it {baseline.how}"


def _member_at(source: WrapperSource, event: Event) -> str:
    """Return the member of a struct that the host has touched: `Struct.member`; only the struct where it is none."""
    owner = source.records[event.value].name
    names = (name for begin, end, name in source.offset_names(event.value) if begin <= event.offset < end)
    return ".".join(filter(None, (owner, next(names, ""))))
