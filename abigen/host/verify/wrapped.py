"""Tries out a host with a working plugin: each wrapper around it changes one thing that the spec allows."""

from __future__ import annotations

import re
import shutil
import signal
import struct
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import msgspec

from abigen.host.libraries import kept_library, read_library, refuse_other_files
from abigen.host.verify.check import Observation
from abigen.host.verify.hosts import HOST_PAGES, HostRun, HostTrial, check_runs, run_host
from abigen.host.verify.scenario import entry_points, newer, older, version_of, with_symbols
from abigen.host.verify.wrapper_source import CALLS, CALLS_AT, EVENTS, Change, WrapperSource
from abigen.model.api import Api
from abigen.model.finding import Bump, Finding, Level
from abigen.model.printable import printable
from abigen.model.span import AbigenError
from abigen.model.target import Target
from abigen.model.version import Version

_LOADED, _CHANGED, _READ, _WROTE, _CALLED_BEHIND, _CALLED_NULL, _LACKS, _CANNOT_LOAD, _OWN_CRASH, _USED_NULL = range(
    1, 11
)
_PATIENCE = 5
"""How many times as long as the unchanged run another one may take, at least."""
_FAULTS = (signal.SIGSEGV, signal.SIGBUS, signal.SIGILL, signal.SIGFPE)
_ENDS = re.compile(
    r"(?i)deinit|fini|exit|unload|close|shut_?down|clean|free|destroy|delete|release|unref|error|last|message|stop"
    r"|detach|dispose|teardown|term(?!inal)|cancel|log"
)
"""The names of functions that a host may call after a refusal: they free something or tell of errors."""


class Event(msgspec.Struct, frozen=True):
    """Something that a wrapper has noted besides calls."""

    kind: int
    value: int
    offset: int
    calls: int
    """The number of calls before it."""


class WrappedRun(msgspec.Struct, frozen=True, kw_only=True):
    """What a host did with a wrapper."""

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
        """What the host did, as the end of a sentence that begins with `the host`."""
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
    """Runs a host with wrappers around a working plugin, and judges what it does."""

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
            seconds: how long a run may take.
            folder: where compiled wrappers are kept.
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
        idle = {"ABI099": "a wrapped plugin makes its own handles"}
        if not tried & {"release", "stated", "without"}:
            idle["ABI090"] = "the spec allows no other plugin than this one"
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
        hint = f"the wrapper is a copy of {self._name} elsewhere that passes every call on"
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
        calls, events = struct.unpack_from("=QQ", content)
        noted = (struct.unpack_from("=IIII", content, 16 + 16 * at) for at in range(min(events, EVENTS)))
        numbers = struct.unpack_from(f"={min(calls, CALLS)}I", content, CALLS_AT)
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
        """Return what findings about the whole plugin name: the entry point, or the API."""
        names = [each.name for each in entry_points(self._api)] or [each.name for each in self._unchanged.own.values()]
        return names[0] if names else self._api.name

    def _unlike(self, baseline: WrappedRun) -> str:
        return f"with {self._name} unchanged it {baseline.how}"


def _member_at(source: WrapperSource, event: Event) -> str:
    """Return the member of a struct that the host has touched: `Struct.member`; only the struct where it is none."""
    owner = source.records[event.value].name
    names = (name for begin, end, name in source.offset_names(event.value) if begin <= event.offset < end)
    return ".".join(filter(None, (owner, next(names, ""))))
