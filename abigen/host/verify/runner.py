"""All checks of one plugin, and what comes of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from abigen.host.process import Outcome, Trace, run_isolated
from abigen.host.verify.check import Observation, PluginCheck, ProcessEnd
from abigen.host.verify.harness import Harness, Trial
from abigen.host.verify.preparation import inspect
from abigen.host.verify.scenario import Scenario
from abigen.model.api import Api
from abigen.model.finding import Bump, Detail, Finding, Level
from abigen.model.span import Span
from abigen.model.verification import FAILED, NOT_RUN, PASSED, CheckRun

_LOUDNESS = (Level.ERROR, Level.WARNING, Level.NOTE)


@dataclass
class _State:
    """What is known so far."""

    findings: dict[tuple[str, str], Finding] = field(default_factory=dict)
    reasons: dict[str, list[str]] = field(default_factory=dict)
    """Check to why it could not be run, once per core."""
    runs: dict[str, int] = field(default_factory=dict)
    """Check to the number of times it was run to its end."""
    seconds: dict[str, float] = field(default_factory=dict)
    hanging: frozenset[str] = frozenset()


def verify(
    trial: Trial,
    checks: Sequence[PluginCheck],
    chosen: Sequence[PluginCheck],
    limit: float,
    announce: Callable[[str], None],
) -> tuple[tuple[CheckRun, ...], tuple[Finding, ...]]:
    """Try out a plugin.

    Args:
        trial: the plugin, and what it is tried against.
        checks: all there are.
        chosen: those whose findings are wanted; what can become of any call is told in any case.
        limit: seconds that one check may take.
        announce: is told what is being done.

    Returns:
        How each of the chosen checks went, by code; and what was found, the loudest first.
    """
    state = _State()
    watches = [check for check in checks if check.on_outcome is not None]
    wanted = {check.code for check in checks if check in chosen or check.always}
    everything = any(check.on_outcome is not None for check in chosen)
    view = inspect(trial, limit)
    trial = view.trial
    for check in checks:
        if check.on_file is not None and check.code in wanted:
            _keep(state, trial, check, check.on_file(view))
        if check.on_stage is not None and (everything or check.code in wanted):
            announce(f"{check.code} {check.name}")
            _run(state, trial, check, watches, limit)
    findings = sorted(
        (finding for finding in state.findings.values() if finding.code in wanted),
        key=lambda each: (_LOUDNESS.index(each.level), each.code, each.entity),
    )
    failed = {finding.code for finding in findings}
    return tuple(_result(check, state, check.code in failed) for check in chosen), tuple(findings)


def _run(state: _State, trial: Trial, check: PluginCheck, watches: Iterable[PluginCheck], limit: float) -> None:
    """Run a check with each core that it asks for."""
    scenarios = list(check.scenarios(trial.api))
    if not scenarios:
        state.reasons[check.code] = ["there is no such core"]
    for scenario in scenarios:
        begin = time.monotonic()
        outcome = run_isolated(_work(trial, check, scenario, state.hanging), limit)
        state.seconds[check.code] = state.seconds.get(check.code, 0.0) + time.monotonic() - begin
        if outcome.hung:
            state.hanging |= frozenset(outcome.pending)
        end = ProcessEnd(trial=trial, scenario=scenario, outcome=outcome)
        for watch in watches:
            assert watch.on_outcome is not None
            _keep(state, trial, watch, watch.on_outcome(end))
        _keep(state, trial, check, _reports(outcome))
        reason = _reason(outcome)
        if reason:
            state.reasons.setdefault(check.code, []).append(reason)
        else:
            state.runs[check.code] = state.runs.get(check.code, 0) + 1


def _work(trial: Trial, check: PluginCheck, scenario: Scenario, hanging: frozenset[str]) -> Callable[[Trace], None]:
    """What runs in a process of its own: the check; what it finds goes through the trace."""

    def work(trace: Trace) -> None:
        harness = Harness(trial, scenario, trace)
        harness.avoided = hanging
        assert check.on_stage is not None
        for report in check.on_stage(harness):
            level = report.level.value if report.level is not None else None
            trace.write(report=[report.entity, report.message, report.help, report.details, level])

    return work


def _reports(outcome: Outcome) -> Iterator[Observation]:
    """What a check has said through the trace."""
    for event in outcome.of_kind("report"):
        content = event["report"]
        assert isinstance(content, list)
        entity, message, help, details, level = content
        pairs = tuple((str(label), str(text)) for label, text in details)
        yield Observation(entity, message, help, pairs, Level(level) if level is not None else None)


def _reason(outcome: Outcome) -> str:
    """Why a check did not come to its end; empty when it did."""
    stopped = outcome.of_kind("stopped")
    if stopped:
        return str(stopped[-1]["stopped"])
    if outcome.finished:
        return ""
    doing = outcome.pending[0] if outcome.pending else "the plugin"
    return f"{doing} {'does not return' if outcome.hung else 'ends the process'}"


def _keep(state: _State, trial: Trial, check: PluginCheck, reports: Iterable[Observation]) -> None:
    """Make findings of reports; the same about the same is said once, as loud as the loudest."""
    for report in reports:
        level = report.level or check.level
        if any((code, report.entity) in state.findings for code in check.unless):
            continue
        known = state.findings.get((check.code, report.entity))
        if known is not None and _LOUDNESS.index(known.level) <= _LOUDNESS.index(level):
            continue
        state.findings[check.code, report.entity] = Finding(
            code=check.code,
            rule=check.name,
            entity=report.entity,
            bump=Bump.NONE,
            level=level,
            message=report.message,
            help=report.help,
            details=tuple(Detail(label, text) for label, text in report.details),
            new=place_of(trial.latest, report.entity),
        )


def _result(check: PluginCheck, state: _State, failed: bool) -> CheckRun:
    reasons = list(dict.fromkeys(state.reasons.get(check.code, ())))
    result = FAILED if failed else PASSED
    if not failed and check.on_stage is not None and not state.runs.get(check.code):
        result = NOT_RUN
    return CheckRun(
        code=check.code,
        name=check.name,
        summary=check.summary,
        result=result,
        reason="; ".join(reasons),
        seconds=round(state.seconds.get(check.code, 0.0), 3),
    )


def place_of(api: Api, entity: str) -> Span | None:
    """Where the API declares an entity; None for what it does not declare, and for what others declare."""
    name, _, member = entity.partition(".")
    struct = api.structs.get(name)
    if struct is not None and struct.in_api:
        fields = (each for each in struct.fields or () if each.name == member)
        found = next(fields, None)
        return found.span if found is not None else struct.span
    function = api.functions.get(name)
    return function.span if function is not None and function.in_api else None
