"""Which API a plugin is for: the one whose entry point it exports, and whose structs have the sizes that it states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

from abigen.host.process import Trace, run_isolated
from abigen.host.verify.elf import Binary
from abigen.host.verify.entries import entry_points
from abigen.host.verify.inspect import inspect
from abigen.host.verify.life import Life
from abigen.host.verify.setting import newer
from abigen.host.verify.stage import Plan, Stage
from abigen.model.api import Api
from abigen.model.span import AbigenError

Name = TypeVar("Name")


def candidates(apis: Mapping[Name, Api], binary: Binary | None) -> list[Name]:
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
    fitting = {
        name: found
        for name, api in apis.items()
        if (found := [each for each in entry_points(api) if (each.symbol or each.name) in binary.exports])
    }
    telling = [name for name, found in fitting.items() if any(each.type.parameters for each in found)]
    return telling or list(fitting)


def likeliest(plans: Mapping[Name, Plan], limit: float) -> list[Name]:
    """Of several APIs with the same entry point those that a plugin was made for, by the sizes that it states.

    Args:
        plans: the plugin with each of them.
        limit: seconds that each may take.

    Returns:
        Those of whose structs the plugin knows the most by their size, when core would have room for more.
    """
    scores = {name: _known_sizes(inspect(plan, limit).plan, limit) for name, plan in plans.items()}
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


def _known_sizes(plan: Plan, limit: float) -> int:
    """How many structs the entry point leaves with a size that the API knows, although core has room for more."""

    def work(trace: Trace) -> None:
        stage = Stage(plan, next(newer(plan.api)), trace)
        life = Life(stage).start()
        life.create_all()
        for _, record in life.filled:
            padded = stage.latest.of(record.struct.name).size  # a usual mistake, which is told later
            if record.size in {padded, *stage.ends_of(record.struct.name)}:
                trace.write(known=record.name)

    outcome = run_isolated(work, limit)
    return len(outcome.of_kind("known")) if outcome.finished else -1
