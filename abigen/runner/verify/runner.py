"""Runs all checks on one plugin; before that, finds the API of the plugin, and the symbols that the loader misses."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

import msgspec
from msgspec.structs import replace

from abigen.model.api import Api
from abigen.model.finding import FAILED, NOT_RUN, PASSED, Bump, CheckRun, Detail, Finding, Level
from abigen.model.span import AbigenError
from abigen.runner.verify.check import (
    LOUDNESS,
    BinaryView,
    Key,
    Observation,
    OnCore,
    PluginCheck,
    ProcessEnd,
    ProcessHistory,
    Scenarios,
    causes_first,
    place_of,
)
from abigen.runner.verify.harness import LOADING, Harness
from abigen.runner.verify.repro import Sighting
from abigen.runner.verify.scenario import (
    Scenario,
    Trial,
    core_functions,
    entry_points,
    equal,
    exported_objects,
    newer,
    older,
    shortened,
    with_symbols,
)
from abigen.runner.verify.session import Session
from abigen.workspace.libraries import SharedLibrary, kept_library, source_places
from abigen.workspace.process import Bounds, Ending, InapplicableError, Outcome, StoppedError, Trace, run_isolated, tell

Name = TypeVar("Name")
_OWN, _OF_ALL = "ABI050", "ABI870"
"""The first code of checks that are about one API, and the first one behind them: those are about each API again."""
_NO_CORE: Mapping[Scenarios, str] = {
    older: "no earlier release has this MAJOR",
    shortened: "the API states how old its members are, so no core is older than they are",
}
"""The reasons for having no core to play, by the function that makes such cores."""
_EXPLAINED = ("ABI001", "ABI002", "ABI049")
"""The codes of crashes, hangs and failed calls, which a check may report in its own words."""


def candidates(apis: Mapping[Name, Api], binary: SharedLibrary | None) -> list[Name]:
    """Return the APIs that a plugin may be for.

    Args:
        apis: the APIs that have an entry point, by name.
        binary: the plugin; None when its symbols cannot be read.

    Returns:
        Those whose entry point it exports; all of them when its symbols are not known. An entry point that is given
        nothing and gives nothing tells nothing, so it counts only where there is no other.
    """
    if binary is None:
        return list(apis)
    resolved = {name: with_symbols(api, binary) for name, api in apis.items()}
    found = {
        name: [each for each in entry_points(api) if (each.symbol or each.name) in binary.exports]
        for name, api in resolved.items()
    }
    telling = [name for name, entries in found.items() if any(each.type.parameters for each in entries)]
    telling += [
        name
        for name, api in resolved.items()
        if any(each.symbol in binary.exports or each.name in binary.exports for each in exported_objects(api))
    ]
    return telling or [name for name, entries in found.items() if entries]


def likeliest(trials: Mapping[Name, Trial], bounds: Bounds) -> list[Name]:
    """Return the APIs, of several with one entry point, whose struct sizes match those that the plugin states.

    Args:
        trials: the plugin with each of them.
        bounds: the limits of each process.

    Returns:
        The APIs of which the plugin knows the most structs by their size, with a core that offers larger ones.
    """
    scores = {name: _known_sizes(inspect(trial, bounds)[0].trial, bounds) for name, trial in trials.items()}
    return [name for name, score in scores.items() if score == max(scores.values())]


def one_of(found: Sequence[str], all_names: Sequence[str], plugin: str) -> str:
    """Return the only candidate.

    Raises:
        AbigenError: there are several, or none.
    """
    if len(found) == 1:
        return found[0]
    if found:
        hint = f"name one of them with --api: {', '.join(found)}"
        raise AbigenError.at(None, f"{plugin} can be for {len(found)} APIs", hint)
    hint = f"name its API with --api: {', '.join(all_names)}" if all_names else "no spec has an entry point"
    raise AbigenError.at(None, f"{plugin} exports no entry point of a known API", hint)


def inspect(trial: Trial, bounds: Bounds) -> tuple[BinaryView, list[Outcome]]:
    """Load the library in a process of its own, to find missing symbols and libraries.

    Args:
        trial: the plugin, and what it is tried against.
        bounds: the limits of the process.

    Returns:
        The findings, whose trial has stand-ins for missing libraries; and the outcomes of the processes.
    """
    binary = trial.binary or SharedLibrary(frozenset(), (), ())

    def try_libraries(trace: Trace) -> None:
        for name in binary.libraries:
            with trace.calling(LOADING):
                try:
                    ctypes.CDLL(name)
                except OSError:
                    trace.write(absent=name)

    def try_symbols(trace: Trace) -> None:
        harness = Harness(trial, next(equal(trial.api)), trace)
        try:
            harness.load()
        except StoppedError as reason:
            trace.write(problem=str(reason))
        for name in () if harness.is_bound else binary.needs:
            if name not in known and not harness.finds(name):
                trace.write(missing=name)

    known = core_functions((trial.api, *trial.others))
    first = run_isolated(try_libraries, bounds)
    libraries = _values_of_kind(first, "absent")
    outcome = run_isolated(try_symbols, bounds)
    if libraries and not _values_of_kind(outcome, "problem"):  # they stand beside the plugin, where only it finds them
        libraries = ()
    elif libraries:
        made = tuple(kept_library("\n", [f"-Wl,-soname,{name}"], trial.shim.parent) for name in libraries)
        trial = replace(trial, stand_ins=made)
        outcome = run_isolated(try_symbols, bounds)
    problem = next(iter(_values_of_kind(outcome, "problem")), "")
    view = BinaryView(trial=trial, missing=_values_of_kind(outcome, "missing"), libraries=libraries, problem=problem)
    return view, [first, outcome]


def _values_of_kind(outcome: Outcome, kind: str) -> tuple[str, ...]:
    return tuple(str(event[kind]) for event in outcome.of_kind(kind))


def _known_sizes(trial: Trial, bounds: Bounds) -> int:
    """Count the structs that the plugin fills with a size that the API knows, with a newer core; -1: it did not end."""
    trial = replace(trial, has_own_checks=True)  # nothing is made up to find this out

    def work(trace: Trace) -> None:
        harness = Harness(trial, next(newer(trial.api)), trace)
        session = Session(harness).start()
        session.create_all()
        for _, struct in session.filled:
            padded = harness.latest.of(struct.struct.name).size  # a usual mistake, which is told later
            if struct.size in {padded, *harness.ends_of(struct.struct.name)}:
                trace.write(known=struct.name)

    outcome = run_isolated(work, bounds)
    return len(outcome.of_kind("known")) if outcome.finished else -1


class Tried(msgspec.Struct, frozen=True):
    """The results of testing a plugin."""

    runs: tuple[CheckRun, ...]
    """The results of the chosen checks, by code."""
    findings: tuple[Finding, ...]
    """The most severe first, each with the findings that follow from it."""
    not_called: tuple[tuple[str, str], ...]
    """The functions that nothing has called, with the reason; none when only some checks were run."""
    sightings: Mapping[Key, Sighting]
    """The points at which findings were seen, by code and entity."""


def verify(
    trial: Trial,
    checks: Sequence[PluginCheck],
    chosen: Sequence[PluginCheck],
    bounds: Bounds,
    announce: Callable[[str], None],
) -> Tried:
    """Try out a plugin.

    Args:
        trial: the plugin, and what it is tried against.
        checks: all checks.
        chosen: the checks whose findings are wanted; checks with `always` are reported in any case.
        bounds: the limits of one check.
        announce: receives the current activity.
    """
    trial = replace(
        trial, has_own_checks=any(_OWN <= check.code < _OF_ALL and check.on_harness is not None for check in checks)
    )
    wanted = {check.code for check in checks if check in chosen or check.always}
    asks_of_any_call = any(check.on_end is not None for check in chosen)
    everything = asks_of_any_call and not any(check.calls for check in chosen)
    view, outcomes = inspect(trial, bounds)
    runner = _Runner(view.trial, checks, bounds)
    reasons = [runner.end(next(equal(trial.api)), outcome) for outcome in outcomes]
    for check in checks:
        if check.on_file is not None and check.code in wanted:
            runner.keep(check, check.on_file(view))
            runner.note(check, next(filter(None, reasons), ""))
        if check.calls and (everything or check.code in wanted):
            announce(f"{check.code} {check.name}")
            runner.run(check, check.scenarios(trial.api))
    for name, settings in runner.variants.items():
        for check in checks:
            if check.on_harness is not None and check.scenarios is equal and (everything or check.code in wanted):
                announce(f"{check.code} {check.name}, {name}")
                runner.run(check, (replace(each, name=name, settings=settings) for each in equal(trial.api)))
    findings = sorted(
        (finding for finding in runner.findings.values() if finding.code in wanted),
        key=lambda each: (LOUDNESS.index(each.level), each.code, each.entity),
    )
    located = [finding.entity for finding in findings if finding.entity in runner.offsets]
    places = source_places(trial.plugin, [runner.offsets[each] for each in located])
    in_source = dict(zip(located, places, strict=True))
    findings = [replace(each, new=in_source.get(each.entity) or each.new) for each in findings]
    causes = causes_first(findings, checks, trial.latest, runner.pasts)
    runs = tuple(runner.result(check, causes) for check in chosen)
    not_called = tuple((name, why) for name, why in runner.uncalled.items() if name not in runner.called)
    return Tried(runs, causes, not_called if len(chosen) == len(checks) else (), runner.sightings)


class _Runner:
    """Runs checks, and keeps their findings."""

    def __init__(self, trial: Trial, checks: Sequence[PluginCheck], bounds: Bounds) -> None:
        self._trial = trial
        self._end_checks = [(check, check.on_end) for check in checks if check.on_end is not None]
        self._bounds = bounds
        self.findings: dict[Key, Finding] = {}
        """By code and entity."""
        self.sightings: dict[Key, Sighting] = {}
        self.pasts: dict[Key, ProcessHistory] = {}
        """The history of the process before each finding."""
        self.called: set[str] = set()
        self.offsets: dict[str, int] = {}
        """The offsets of functions in the plugin's file."""
        self.uncalled: dict[str, str] = {}
        """Functions that could not be called, with the reason."""
        self.variants: dict[str, dict[str, int]] = {}
        """The further trials, each with the values that the core sets for it: another device."""
        self._reasons: dict[str, list[str]] = {}
        """Check to why it could not be run, or not to its end, once per the core."""
        self._applicable: set[str] = set()
        """The checks whose subject is there, with one core at least."""
        self._completed: set[str] = set()
        """The checks that were run to their end with one core at least."""
        self._seconds: dict[str, float] = {}
        self._hanging: frozenset[str] = frozenset()

    def run(self, check: PluginCheck, scenarios: Iterable[Scenario]) -> None:
        """Run a check with some cores, each time in a process of its own."""
        scenario = None
        for scenario in scenarios:
            begin = time.monotonic()
            outcome = run_isolated(self._work(check, scenario), self._bounds)
            self._seconds[check.code] = self._seconds.get(check.code, 0.0) + time.monotonic() - begin
            reason = self.end(scenario, outcome)
            self._keep_observations(check, scenario, outcome)
            lost = _lost(outcome)
            self.keep(check, [lost] if lost is not None else [], scenario, Sighting(outcome, len(outcome.events)))
            self.note(check, reason)
            stopped = outcome.of_kind("stopped")
            if not stopped or not stopped[-1]["inapplicable"]:
                self._applicable.add(check.code)
        if scenario is None:
            self._reasons[check.code] = [
                _NO_CORE.get(check.scenarios, "the check needs a core that this API does not have")
            ]

    def _keep_observations(self, check: PluginCheck, scenario: Scenario, outcome: Outcome) -> None:
        """Make findings of a check's observations, and record the history before each."""
        for position, event in enumerate(outcome.events):
            if "observation" not in event:
                continue
            observation = _observation(event)
            self.keep(check, [observation], scenario, Sighting(outcome, position))
            earlier = replace(outcome, events=outcome.events[:position], ending=Ending.FINISHED, output="")
            end = ProcessEnd(trial=self._trial, scenario=scenario, outcome=earlier)
            ends = [(each.code, on_end(end)) for each, on_end in self._end_checks if each.spoils]
            spoilt = frozenset((code, found.entity) for code, all_found in ends for found in all_found)
            called = frozenset(str(each["call"]) for each in earlier.of_kind("call"))
            self.pasts.setdefault((check.code, observation.entity), ProcessHistory(spoilt, called))

    def end(self, scenario: Scenario, outcome: Outcome) -> str:
        """Look at how a process ended; gives why that was before its work was done, nothing where it was not."""
        if outcome.ending is Ending.HUNG:
            self._hanging |= frozenset(outcome.pending)
        self._hanging |= {str(event["hanging"]) for event in outcome.of_kind("hanging")}
        self.called |= {str(event["call"]) for event in outcome.of_kind("call")}
        self.uncalled |= {str(event["uncalled"]): str(event["reason"]) for event in outcome.of_kind("uncalled")}
        self.offsets |= {str(event["located"]): int(str(event["offset"])) for event in outcome.of_kind("located")}
        for event in outcome.of_kind("variant"):
            assert isinstance(event["settings"], dict)
            self.variants.setdefault(str(event["variant"]), event["settings"])
        end = ProcessEnd(trial=self._trial, scenario=scenario, outcome=outcome)
        for end_check, on_end in self._end_checks:
            if end_check.code not in _EXPLAINED or _lost(outcome) is None:
                self.keep(end_check, on_end(end), scenario, Sighting(outcome, len(outcome.events)))
        return _reason(outcome)

    def note(self, check: PluginCheck, reason: str) -> None:
        """Remember that a check was run to its end, or why not."""
        if reason:
            self._reasons.setdefault(check.code, []).append(reason)
        else:
            self._completed.add(check.code)

    def keep(
        self,
        check: PluginCheck,
        observations: Iterable[Observation],
        scenario: Scenario | None = None,
        sighting: Sighting | None = None,
    ) -> None:
        """Make findings of observations; the same about the same is said once, as loud as the loudest."""
        where = (("with", scenario.name),) if scenario is not None and scenario.settings else ()
        for each in observations:
            level = each.level or check.level
            known = self.findings.get((check.code, each.entity))
            if known is not None and LOUDNESS.index(known.level) <= LOUDNESS.index(level):
                continue
            if sighting is not None:
                self.sightings[check.code, each.entity] = sighting
            self.findings[check.code, each.entity] = Finding(
                code=check.code,
                rule=check.name,
                entity=each.entity,
                bump=Bump.NONE,
                level=level,
                message=each.message,
                help=each.help,
                details=tuple(Detail(label, text) for label, text in (*each.details, *where)),
                new=place_of(self._trial.latest, each.entity),
                calls=sighting.calls if sighting is not None else (),
            )

    def result(self, check: PluginCheck, causes: Sequence[Finding]) -> CheckRun:
        """Return the result of a check."""
        own = any(each.code == check.code for each in causes)
        follows = next((each for each in causes if any(check.code == one.code for one in each.consequences)), None)
        ran = check.on_end is not None or check.code in self._completed
        return CheckRun(
            code=check.code,
            name=check.name,
            result=FAILED if own or follows else PASSED if ran else NOT_RUN,
            reason=f"its finding follows from {follows.code} {follows.rule}"
            if follows and not own
            else "; ".join(dict.fromkeys(self._reasons.get(check.code, ()))),
            inapplicable=not ran and check.calls and check.code not in self._applicable,
            seconds=round(self._seconds.get(check.code, 0.0), 3),
        )

    def _work(self, check: PluginCheck, scenario: Scenario) -> Callable[[Trace], None]:
        """Return the function that a separate process runs: it writes the observations of the check to the trace."""

        def work(trace: Trace) -> None:
            try:
                for each in self._observations(check, scenario, trace):
                    trace.write(observation=[*each[:4], each.level.value if each.level else None])
            except ModuleNotFoundError as error:
                name = (error.name or "").partition(".")[0]
                if name in ("", "abigen"):
                    raise
                raise StoppedError(f"{name} is not installed (pip install {name})") from None

        return work

    def _observations(self, check: PluginCheck, scenario: Scenario, trace: Trace) -> Iterable[Observation]:
        """Run a check, in the process that is its own."""
        if check.on_core is not None:
            return _on_core(check.on_core, self._trial, trace)
        harness = Harness(self._trial, scenario, trace)
        harness.avoided = self._hanging
        assert check.on_harness is not None
        return check.on_harness(harness)


def _on_core(look: OnCore, trial: Trial, trace: Trace) -> Iterator[Observation]:
    """Yield the observations of a check, which looks at a core that has loaded the plugin."""
    if trial.start_core is None:
        raise InapplicableError("the plugin registers no kernels with a core that comes with abigen")
    tell(trace)
    try:
        with trial.start_core() as core:
            core.load_plugin(trial.plugin)
            yield from look(core)
    except AbigenError as error:
        if isinstance(error.__cause__, ModuleNotFoundError):
            raise error.__cause__ from None
        raise StoppedError(error.diagnostics[0].message) from error


def _observation(event: dict[str, object]) -> Observation:
    """Return the observation in an event of the trace."""
    content = event["observation"]
    assert isinstance(content, list)
    entity, message, help, details, level = content
    pairs = tuple((str(label), str(text)) for label, text in details)
    return Observation(entity, message, help, pairs, Level(level) if level is not None else None)


def _lost(outcome: Outcome) -> Observation | None:
    """Return the observation that a check has announced for the case that it does not finish; see `Harness.staking`."""
    stakes = outcome.of_kind("stake")
    if not stakes or not stakes[-1]["stake"]:
        return None
    return Observation(str(stakes[-1]["stake"]), f"{stakes[-1]['meaning']}: {_reason(outcome)}")


def _reason(outcome: Outcome) -> str:
    """Return the reason why a check did not finish; empty if it did."""
    stopped = outcome.of_kind("stopped")
    if stopped:
        return str(stopped[-1]["stopped"])
    if outcome.finished:
        return ""
    doing = outcome.pending[0] if outcome.pending else "the plugin"
    words = {Ending.HUNG: "does not return", Ending.EXCEEDED: f"uses {outcome.exceeded}"}
    return f"{doing} {words.get(outcome.ending, 'ends the process')}"
