"""Checks that follow from a spec alone, for every API; see `abigen.runner.verify.check` for how to write one."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from abigen.runner.verify.check import PluginCheck, checks_in


def generic_checks() -> tuple[PluginCheck, ...]:
    """Return the checks of all modules of this folder, by code."""
    return checks_in(import_module(f"{__name__}.{each.name}") for each in iter_modules(__path__))
