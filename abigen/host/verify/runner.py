"""All checks of one plugin, and what comes of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence

from abigen.host.process import Outcome, Trace, run_isolated
from abigen.host.verify.check import Observation, PluginCheck, ProcessEnd
from abigen.host.verify.harness import Harness
from abigen.host.verify.preparation import inspect
from abigen.host.verify.scenario import Scenario
from abigen.host.verify.trial import Trial
from abigen.model.api import Api
from abigen.model.finding import FAILED, NOT_RUN, PASSED, Bump, CheckRun, Detail, Finding, Level
from abigen.model.span import Span

_LOUDNESS = (Level.ERROR, Level.WARNING, Level.NOTE)


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
    wanted = {check.code for check in checks if check in chosen or check.always}
    everything = any(check.on_end is not None for check in chosen)
    view = inspect(trial, limit)
    runner = _Runner(view.trial, checks, limit)
    for check in checks:
        if check.on_file is not None and check.code in wanted:
            runner.keep(check, check.on_file(view))
        if check.on_harness is not None and (everything or check.code in wanted):
            announce(f"{check.code} {check.name}")
            runner.run(check)
    findings = sorted(
        (finding for finding in runner.findings.values() if finding.code in wanted),
        key=lambda each: (_LOUDNESS.index(each.level), each.code, each.entity),
    )
    failed = {finding.code for finding in findings}
    return tuple(runner.result(check, failed=check.code in failed) for check in chosen), tuple(findings)


class _Runner:
    """Runs checks, and keeps what they find."""

    def __init__(self, trial: Trial, checks: Sequence[PluginCheck], limit: float) -> None:
        self._trial = trial
        self._end_checks = [(check, check.on_end) for check in checks if check.on_end is not None]
        self._limit = limit
        self.findings: dict[tuple[str, str], Finding] = {}
        """By code and entity."""
        self._reasons: dict[str, list[str]] = {}
        """Check to why it could not be run, or not to its end, once per core."""
        self._completed: set[str] = set()
        """The checks that were run to their end with one core at least."""
        self._seconds: dict[str, float] = {}
        self._hanging: frozenset[str] = frozenset()

    def run(self, check: PluginCheck) -> None:
        """Run a check with each core that it asks for, each time in a process of its own."""
        scenarios = list(check.scenarios(self._trial.api))
        if not scenarios:
            self._reasons[check.code] = ["there is no such core"]
        for scenario in scenarios:
            begin = time.monotonic()
            outcome = run_isolated(self._work(check, scenario), self._limit)
            self._seconds[check.code] = self._seconds.get(check.code, 0.0) + time.monotonic() - begin
            if outcome.hung:
                self._hanging |= frozenset(outcome.pending)
            end = ProcessEnd(trial=self._trial, scenario=scenario, outcome=outcome)
            for end_check, on_end in self._end_checks:
                self.keep(end_check, on_end(end))
            self.keep(check, map(_observation, outcome.of_kind("observation")))
            reason = _reason(outcome)
            if reason:
                self._reasons.setdefault(check.code, []).append(reason)
            else:
                self._completed.add(check.code)

    def keep(self, check: PluginCheck, observations: Iterable[Observation]) -> None:
        """Make findings of observations; the same about the same is said once, as loud as the loudest."""
        for each in observations:
            level = each.level or check.level
            known = self.findings.get((check.code, each.entity))
            explained = any((code, each.entity) in self.findings for code in check.unless)
            if explained or (known is not None and _LOUDNESS.index(known.level) <= _LOUDNESS.index(level)):
                continue
            self.findings[check.code, each.entity] = Finding(
                code=check.code,
                rule=check.name,
                entity=each.entity,
                bump=Bump.NONE,
                level=level,
                message=each.message,
                help=each.help,
                details=tuple(Detail(label, text) for label, text in each.details),
                new=_place_of(self._trial.latest, each.entity),
            )

    def result(self, check: PluginCheck, *, failed: bool) -> CheckRun:
        """How a check went."""
        ran = check.on_harness is None or check.code in self._completed
        return CheckRun(
            code=check.code,
            name=check.name,
            result=FAILED if failed else PASSED if ran else NOT_RUN,
            reason="; ".join(dict.fromkeys(self._reasons.get(check.code, ()))),
            seconds=round(self._seconds.get(check.code, 0.0), 3),
        )

    def _work(self, check: PluginCheck, scenario: Scenario) -> Callable[[Trace], None]:
        """What runs in a process of its own: the check; what it finds goes through the trace."""

        def work(trace: Trace) -> None:
            harness = Harness(self._trial, scenario, trace)
            harness.avoided = self._hanging
            assert check.on_harness is not None
            for each in check.on_harness(harness):
                trace.write(observation=[*each[:4], each.level.value if each.level else None])

        return work


def _observation(event: dict[str, object]) -> Observation:
    """What a check has said through the trace."""
    content = event["observation"]
    assert isinstance(content, list)
    entity, message, help, details, level = content
    pairs = tuple((str(label), str(text)) for label, text in details)
    return Observation(entity, message, help, pairs, Level(level) if level is not None else None)


def _reason(outcome: Outcome) -> str:
    """Why a check did not come to its end; empty when it did."""
    stopped = outcome.of_kind("stopped")
    if stopped:
        return str(stopped[-1]["stopped"])
    if outcome.finished:
        return ""
    doing = outcome.pending[0] if outcome.pending else "the plugin"
    return f"{doing} {'does not return' if outcome.hung else 'ends the process'}"


def _place_of(api: Api, entity: str) -> Span | None:
    """Where the API declares an entity; None for what it does not declare, and for what others declare."""
    name, _, member = entity.partition(".")
    struct = api.structs.get(name)
    if struct is not None and struct.in_api:
        return next((each.span for each in struct.fields or () if each.name == member), struct.span)
    function = api.functions.get(name)
    return function.span if function is not None and function.in_api else None
