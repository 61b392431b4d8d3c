"""Before the checks: which API a plugin is for, and what the loader does not find when it loads the plugin."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from abigen.host.compiler import kept_library
from abigen.host.process import Outcome, StoppedError, Trace, run_isolated
from abigen.host.verify.check import BinaryView
from abigen.host.verify.elf import SharedLibrary
from abigen.host.verify.harness import Harness
from abigen.host.verify.scenario import equal, newer
from abigen.host.verify.session import Session
from abigen.host.verify.shim import core_functions
from abigen.host.verify.trial import Trial, entry_points
from abigen.model.api import Api
from abigen.model.span import AbigenError

Name = TypeVar("Name")


def candidates(apis: Mapping[Name, Api], binary: SharedLibrary | None) -> list[Name]:
    """The APIs that a plugin may be for.

    Args:
        apis: those that have an entry point, by name.
        binary: the plugin; None when its symbols cannot be read.

    Returns:
        Those whose entry point it exports; all of them when its symbols are not known. An entry point that is given
        nothing and gives nothing tells nothing, so it counts only where there is no other.
    """
    if binary is None:
        return list(apis)
    found = {
        name: [each for each in entry_points(api) if (each.symbol or each.name) in binary.exports]
        for name, api in apis.items()
    }
    telling = [name for name, entries in found.items() if any(each.type.parameters for each in entries)]
    return telling or [name for name, entries in found.items() if entries]


def likeliest(trials: Mapping[Name, Trial], limit: float) -> list[Name]:
    """Of several APIs with the same entry point those that a plugin was made for, by the sizes that it states.

    Args:
        trials: the plugin with each of them.
        limit: seconds that each may take.

    Returns:
        Those of whose structs the plugin knows the most by their size, when core would have room for more.
    """
    scores = {name: _known_sizes(inspect(trial, limit).trial, limit) for name, trial in trials.items()}
    return [name for name, score in scores.items() if score == max(scores.values())]


def one_of(found: Sequence[str], all_names: Sequence[str], plugin: str) -> str:
    """The only candidate.

    Raises:
        AbigenError: there are several, or none.
    """
    if len(found) == 1:
        return found[0]
    if found:
        hint = f"say which by --api: {', '.join(found)}"
        raise AbigenError.at(None, f"{plugin} can be for {len(found)} APIs", hint)
    hint = f"say which API it is for by --api: {', '.join(all_names)}" if all_names else "no spec has an entry point"
    raise AbigenError.at(None, f"{plugin} exports no entry point of a known API", hint)


def inspect(trial: Trial, limit: float) -> BinaryView:
    """Find out what is missing, by loading the library in a process of its own.

    Args:
        trial: the plugin, and what it is tried against.
        limit: seconds that this may take.

    Returns:
        What was found; its trial has stand-ins for libraries that are missing.
    """
    binary = trial.binary or SharedLibrary(frozenset(), (), ())

    def try_libraries(trace: Trace) -> None:
        for name in binary.libraries:
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
        for name in binary.needs:
            if name not in known and not harness.finds(name):
                trace.write(missing=name)

    known = core_functions((trial.api, *trial.others))
    libraries = _told(run_isolated(try_libraries, limit), "absent")
    outcome = run_isolated(try_symbols, limit)
    if libraries and not _told(outcome, "problem"):  # they stand beside the plugin, where only it finds them
        libraries = ()
    elif libraries:
        made = tuple(kept_library("\n", [f"-Wl,-soname,{name}"], trial.shim.parent) for name in libraries)
        trial = replace(trial, stand_ins=made)
        outcome = run_isolated(try_symbols, limit)
    problem = next(iter(_told(outcome, "problem")), "")
    return BinaryView(trial=trial, missing=_told(outcome, "missing"), libraries=libraries, problem=problem)


def _told(outcome: Outcome, kind: str) -> tuple[str, ...]:
    return tuple(str(event[kind]) for event in outcome.of_kind(kind))


def _known_sizes(trial: Trial, limit: float) -> int:
    """How many structs the entry point leaves with a size that the API knows, although core has room for more."""

    def work(trace: Trace) -> None:
        harness = Harness(trial, next(newer(trial.api)), trace)
        session = Session(harness).start()
        session.create_all()
        for _, struct in session.filled:
            padded = harness.latest.of(struct.struct.name).size  # a usual mistake, which is told later
            if struct.size in {padded, *harness.ends_of(struct.struct.name)}:
                trace.write(known=struct.name)

    outcome = run_isolated(work, limit)
    return len(outcome.of_kind("known")) if outcome.finished else -1
