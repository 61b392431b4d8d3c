"""Options of the commands that load plugins: what a plugin may use of the machine."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast

import click

if TYPE_CHECKING:
    from abigen.host.supervision import Bounds

R = TypeVar("R")

_LIMITS = {"processes": "processes", "memory": "memory", "file-size": "file_size"}
"""What can be limited, to its name in `Limits`."""
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def bounding_options(function: Callable[..., R]) -> Callable[..., R]:
    """Give a command that has --timeout options for what a plugin may use; it gets `bounded: Bounded`."""

    @click.option("--limit", "limits", multiple=True, metavar="WHAT=NUMBER",
                  help="Let the plugin use no more: `processes` (with threads), `memory` or `file-size` in bytes, "
                       "with K, M or G; repeatable.")  # fmt: skip
    @click.option("--sandbox", is_flag=True,
                  help="Let the plugin see no network and no home, and write nowhere (by bubblewrap).")  # fmt: skip
    @wraps(function)
    def wrapper(**rest: object) -> R:
        limits = cast("tuple[str, ...]", rest.pop("limits"))
        bounds = _bounds(cast("float", rest.pop("timeout")), limits)
        is_boxed = bool(rest.pop("sandbox"))

        def bounded(plugins: Sequence[Path], others: Sequence[Path]) -> Bounds:
            from abigen.host.sandbox import Sandbox

            return replace(bounds, sandbox=Sandbox.around(plugins, others)) if is_boxed else bounds

        return function(**rest, bounded=bounded)

    return wrapper


Bounded = Callable[[Sequence[Path], Sequence[Path]], "Bounds"]
"""Makes the bounds of plugins: given their libraries, and what else their processes read."""


def _bounds(seconds: float, limits: Sequence[str]) -> Bounds:
    """What a plugin may use, as the command line says."""
    from abigen.host.supervision import Bounds, Limits

    found: dict[str, int] = {}
    for each in limits:
        name, _, number = each.partition("=")
        amount = re.fullmatch(r"(\d+)([KMG]?)", number)
        if name not in _LIMITS or amount is None:
            known = ", ".join(_LIMITS)
            message = f"{each!r} is no limit: write WHAT=NUMBER, where WHAT is one of {known}, like memory=8G."
            raise click.BadParameter(message, param_hint="'--limit'")
        found[_LIMITS[name]] = int(amount[1]) * _UNITS[amount[2]]
    return Bounds(seconds=seconds, limits=Limits(**found))
