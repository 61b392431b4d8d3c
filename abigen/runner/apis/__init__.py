"""Code that concerns one API: the core that abigen plays, and checks of plugins. CONTRIBUTING.md lists the other parts.

A group of specs has a package here. Its module `core` is the core. Its other modules are named after a spec and contain
the checks of that API.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from abigen.runner.verify.check import PluginCheck

_CORE = "core"
_HOST = "host"
_CHECKS_OF_CORE = "kernel_checks"


def core_of(group: str) -> ModuleType:
    """Import the core of a group of specs; its function `start` gives a `Backend`.

    Args:
        group: the name of the group's package.
    """
    return import_module(f"{__name__}.{group}.{_CORE}")


def shipped_checks(api: str = "") -> tuple[PluginCheck, ...]:
    """Return the checks that come with abigen: those of every API, those of a core, and those of one API.

    Args:
        api: the path of its spec below the folder of specs; empty for all APIs.
    """
    from abigen.runner.verify.check import checks_in
    from abigen.runner.verify.checks import generic_checks

    of_cores = checks_in(import_module(name) for name in _modules_of_cores())
    return (*sorted((*generic_checks(), *of_cores), key=lambda check: check.code), *api_checks(api))


def _modules_of_cores() -> Iterator[str]:
    """Yield the names of the modules with checks that need a core that runs kernels."""
    for group in iter_modules(__path__, f"{__name__}."):
        for module in iter_modules(import_module(group.name).__path__):
            if module.name == _HOST:
                yield f"{group.name}.{_HOST}.{_CHECKS_OF_CORE}"


def api_checks(api: str = "") -> tuple[PluginCheck, ...]:
    """Return the checks that concern one API, by code.

    Args:
        api: the path of its spec below the folder of specs; empty for all APIs.
    """
    from abigen.runner.verify.check import checks_in

    return checks_in(module for name in _packages(api) for module in _modules(name))


def has_checks(api: str) -> bool:
    """True if there are checks that concern this API.

    Args:
        api: the path of its spec below the folder of specs.
    """
    return any(_packages(api))


def _packages(api: str) -> Iterator[str]:
    """Yield the names of the packages with checks; the group of an API is not compared."""
    wanted = api.rpartition("/")[2]
    for group in iter_modules(__path__, f"{__name__}."):
        for each in iter_modules(import_module(group.name).__path__):
            if each.name not in (_CORE, _HOST) and wanted in ("", each.name):
                yield f"{group.name}.{each.name}"


def _modules(name: str) -> Iterator[ModuleType]:
    """Import a module; for a package, yield its modules."""
    module = import_module(name)
    parts = [each.name for each in iter_modules(getattr(module, "__path__", []), f"{name}.")]
    yield from map(import_module, parts) if parts else [module]
