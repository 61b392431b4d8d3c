"""The library as the loader sees it: which symbols and libraries it needs and does not get."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import replace

from abigen.host.compiler import kept_library
from abigen.host.process import Outcome, StoppedError, Trace, run_isolated
from abigen.host.verify.check import Inspected
from abigen.host.verify.elf import Binary
from abigen.host.verify.setting import equal
from abigen.host.verify.shim import core_functions
from abigen.host.verify.stage import Plan, Stage


def inspect(plan: Plan, limit: float) -> Inspected:
    """Find out what is missing, by loading the library in a process of its own.

    Args:
        plan: the plugin, and what it is tried against.
        limit: seconds that this may take.

    Returns:
        What was found; its plan has stand-ins for libraries that are missing.
    """
    binary = plan.binary or Binary(frozenset(), (), ())
    outcome = run_isolated(_try_libraries(binary.libraries), limit)
    absent = _names(outcome, "absent")
    libraries: tuple[str, ...] = ()
    if absent and not _loads(plan, limit):  # one that stands beside the plugin is found only by the plugin itself
        libraries = absent
        made = (kept_library("\n", [f"-Wl,-soname,{name}"], plan.shim.parent) for name in absent)
        plan = replace(plan, stand_ins=tuple(made))
    known = core_functions((plan.api, *plan.others))
    wanted = [name for name in binary.needs if name not in known]
    outcome = run_isolated(_try_symbols(plan, wanted), limit)
    problem = next(iter(_names(outcome, "problem")), "")
    return Inspected(plan=plan, missing=_names(outcome, "missing"), libraries=libraries, problem=problem)


def _names(outcome: Outcome, kind: str) -> tuple[str, ...]:
    return tuple(str(event[kind]) for event in outcome.of_kind(kind))


def _loads(plan: Plan, limit: float) -> bool:
    """Whether the library can be loaded as it is."""

    def work(trace: Trace) -> None:
        Stage(plan, next(equal(plan.api)), trace).load()

    outcome = run_isolated(work, limit)
    return not outcome.of_kind("stopped")


def _try_libraries(names: tuple[str, ...]) -> Callable[[Trace], None]:
    """Work that tells which libraries are not there."""

    def work(trace: Trace) -> None:
        for name in names:
            try:
                ctypes.CDLL(name)
            except OSError:
                trace.write(absent=name)

    return work


def _try_symbols(plan: Plan, names: list[str]) -> Callable[[Trace], None]:
    """Work that tells which symbols are nowhere."""

    def work(trace: Trace) -> None:
        stage = Stage(plan, next(equal(plan.api)), trace)
        try:
            stage.load()
        except StoppedError as reason:
            trace.write(problem=str(reason))
        for name in names:
            if not stage.finds(name):
                trace.write(missing=name)

    return work
