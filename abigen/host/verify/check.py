"""Checks: one small function each, found by standing in a module of `abigen.host.verify.checks` or of an API.

There are three kinds, by what the function is handed:

- `check`: a `Stage`, in a process of its own, once per core that is played (`settings`); it calls the plugin;
- `file_check`: an `Inspection` of the binary, without running it;
- `watch`: what became of every such process; crashes and what was written where it should not have been.

How to write one::

    @check("ABI021", settings=older)
    def older_core_refused(stage: Stage) -> Iterator[Report]:
        \"\"\"The plugin does not work with an earlier release of the same MAJOR.

        What happens: ...

        Instead: ...

        Source: VS, "Conventions".
        \"\"\"
        life = Life(stage)
        if life.refused(life.begin()):
            yield Report(stage.plan.entry.name, "...", help="...")

The public name follows from the function's, the docstring is the manual page, and the code never changes once it is
published. Codes: ABI001 to ABI009 whatever is called, ABI010 the binary, ABI020 the handshake and entry points, ABI030
structs and members, ABI040 making and ending, ABI050 and above what is about one API.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from abigen.host.verify.setting import Setting, equal
from abigen.model.api import Api
from abigen.model.finding import Level

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType

    from abigen.host.process import Outcome
    from abigen.host.verify.stage import Plan, Stage

Settings = Callable[[Api], Iterator[Setting]]


class Report(NamedTuple):
    """What a check has found about one entity."""

    entity: str
    """`Struct.member`, a function's name, ...: with the check's name it identifies the finding."""
    message: str
    """One line that names the entity and what was seen."""
    help: str = ""
    """What to do instead, one line."""
    details: tuple[tuple[str, str], ...] = ()
    """Label and text of each line below."""
    level: Level | None = None
    """Where it is not the check's own."""


@dataclass(frozen=True, kw_only=True)
class Inspected:
    """What `file_check`s look at."""

    plan: Plan
    missing: tuple[str, ...]
    """Symbols that the plugin needs, and that neither core nor any library has."""
    libraries: tuple[str, ...]
    """Libraries that the plugin names, and that this machine does not have."""
    problem: str = ""
    """What the loader says when it refuses the library; empty when it does not."""


@dataclass(frozen=True, kw_only=True)
class Watched:
    """What `watch`es look at: one process."""

    plan: Plan
    setting: Setting
    outcome: Outcome


@dataclass(frozen=True, kw_only=True)
class Check:
    """One check: its stable code, and the function that looks for something."""

    code: str
    name: str
    manual: str
    """Its page, plain text, not indented."""
    level: Level
    on_stage: Callable[[Stage], Iterable[Report]] | None = None
    on_file: Callable[[Inspected], Iterable[Report]] | None = None
    on_outcome: Callable[[Watched], Iterable[Report]] | None = None
    settings: Settings = equal
    unless: tuple[str, ...] = ()
    """Codes of checks whose findings about the same entity explain this one's."""
    always: bool = False
    """What it finds is told even when only other checks were asked for, because without it they mean nothing."""

    @property
    def summary(self) -> str:
        """The first sentence of the manual."""
        return " ".join(self.manual.split("\n\n")[0].split())


def check(
    code: str, *, settings: Settings = equal, level: Level = Level.ERROR, unless: tuple[str, ...] = ()
) -> Callable[[Callable[[Stage], Iterable[Report]]], Check]:
    """Make a function a check that calls the plugin.

    Args:
        code: stable, `ABI0` and two digits.
        settings: the cores that it is run with.
        level: how loud what it finds is.
        unless: codes of checks whose findings about the same entity explain this one's, which is not told then.
    """

    def make(look: Callable[[Stage], Iterable[Report]]) -> Check:
        name, manual = _name(look), _manual(look)
        return Check(code=code, name=name, manual=manual, level=level, on_stage=look, settings=settings, unless=unless)

    return make


def file_check(
    code: str, *, level: Level = Level.ERROR, always: bool = False
) -> Callable[[Callable[[Inspected], Iterable[Report]]], Check]:
    """Make a function a check of the binary; see `check` and `Check.always`."""

    def make(look: Callable[[Inspected], Iterable[Report]]) -> Check:
        return Check(code=code, name=_name(look), manual=_manual(look), level=level, on_file=look, always=always)

    return make


def watch(
    code: str, *, level: Level = Level.ERROR, unless: tuple[str, ...] = ()
) -> Callable[[Callable[[Watched], Iterable[Report]]], Check]:
    """Make a function one that looks at what became of every process; see `check`."""

    def make(look: Callable[[Watched], Iterable[Report]]) -> Check:
        name, manual = _name(look), _manual(look)
        return Check(code=code, name=name, manual=manual, level=level, on_outcome=look, unless=unless, always=True)

    return make


def generic_checks() -> tuple[Check, ...]:
    """The checks that follow from a spec alone, by code."""
    from importlib import import_module
    from pkgutil import iter_modules

    from abigen.host.verify import checks

    modules = (import_module(f"{checks.__name__}.{each.name}") for each in iter_modules(checks.__path__))
    return _sorted(modules)


def api_checks(folders: Iterable[Path]) -> tuple[Check, ...]:
    """The checks that are about one API.

    Args:
        folders: each with modules that belong together and import each other by relative names.

    Returns:
        The checks of all modules, by code; none for a folder that is not there.
    """
    return _sorted(module for folder in folders if folder.is_dir() for module in _modules_in(folder))


def _modules_in(folder: Path) -> list[ModuleType]:
    """The modules of a folder, imported as a package of their own; nothing is written there."""
    import sys
    from hashlib import sha256
    from importlib import import_module
    from importlib.machinery import ModuleSpec
    from importlib.util import module_from_spec

    place = str(folder.resolve())
    package = f"{__package__}.about_{sha256(place.encode()).hexdigest()[:16]}"
    if package not in sys.modules:
        spec = ModuleSpec(package, None, is_package=True)
        spec.submodule_search_locations = [place]
        sys.modules[package] = module_from_spec(spec)
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        return [import_module(f"{package}.{path.stem}") for path in sorted(folder.glob("*.py"))]
    finally:
        sys.dont_write_bytecode = before


def _sorted(modules: Iterable[ModuleType]) -> tuple[Check, ...]:
    found = {each.code: each for module in modules for each in vars(module).values() if isinstance(each, Check)}
    return tuple(found[code] for code in sorted(found))


def _name(look: Callable[..., object]) -> str:
    """The public name of a check by its function: `handshake-refused`."""
    return look.__name__.replace("_", "-")


def _manual(look: Callable[..., object]) -> str:
    from inspect import cleandoc

    return cleandoc(look.__doc__ or "")
