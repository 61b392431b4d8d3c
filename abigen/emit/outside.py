"""Targets of `abigen build`: those that come with abigen, and others that the command line names.

A target of somebody else's is a folder with a module `target.py`, or a package that is installed with an entry point in
the group `abigen.targets`. Its code runs, so nothing in a repository can name one: the command line does.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from traceback import walk_tb
from types import ModuleType

import msgspec

from abigen.emit.publication import GeneratedFile, Publication
from abigen.emit.templates import Templates
from abigen.model import MODEL_VERSION
from abigen.model.span import AbigenError, Diagnostic, Span, did_you_mean

TARGETS = tuple(sorted(path.parent.name.replace("_", "-") for path in Path(__file__).parent.glob("*/target.py")))
"""Those that come with abigen, and that are made where none is named: a folder with a `target.py` is one."""

_GROUP = "abigen.targets"
_NAME = re.compile(r"[a-z][a-z0-9_-]*")


class OutputTarget(msgspec.Struct, frozen=True):
    """A kind of output."""

    name: str
    """The folder of its files below that of a group."""
    module: ModuleType
    """Has the function `outputs(publication, templates)`."""
    folder: Path | None = None
    """Where it stands, of one that does not come with abigen."""

    def outputs(self, publication: Publication, templates: Templates) -> tuple[GeneratedFile, ...]:
        """All that it makes of an API.

        Raises:
            AbigenError: the API cannot be written, or the target's own code is wrong.
        """
        if self.folder is None:
            return tuple(self.module.outputs(publication, templates))
        try:
            return tuple(self.module.outputs(publication, templates.also(self.folder / "templates")))
        except AbigenError:
            raise
        except Exception as error:
            raise self._wrong(error) from error

    def contradictions(
        self, publication: Publication, old: Mapping[str, str], new: Mapping[str, str]
    ) -> Iterable[Diagnostic]:
        """What of files that are there the new ones must not change."""
        function = getattr(self.module, "contradictions", None)
        return function(publication, old, new) if function else ()

    def _wrong(self, error: Exception) -> AbigenError:
        """What the target's own code has raised, with the innermost line of it."""
        lines = [(frame.f_code.co_filename, line) for frame, line in walk_tb(error.__traceback__)]
        own = [Span(file, line, 1) for file, line in lines if self.folder and Path(file).is_relative_to(self.folder)]
        return AbigenError.at(own[-1] if own else None, f"target '{self.name}': {type(error).__name__}: {error}")


def find_targets(wanted: Iterable[str]) -> tuple[OutputTarget, ...]:
    """Targets by what a command line calls them, each once.

    Args:
        wanted: names of targets that come with abigen or are installed, and folders, which have a `/` in them.

    Raises:
        AbigenError: there is no such target, or it cannot be used.
    """
    return tuple({each.name: each for each in map(_find, dict.fromkeys(wanted))}.values())


def _find(wanted: str) -> OutputTarget:
    if wanted in TARGETS:
        return OutputTarget(wanted, import_module(f"abigen.emit.{wanted.replace('-', '_')}.target"))
    if "/" in wanted or "\\" in wanted:
        folder = Path(wanted).resolve()
        return _usable(folder.name, folder, _from_folder(folder, wanted))
    from importlib.metadata import entry_points

    installed = {each.name: each for each in entry_points(group=_GROUP)}
    if wanted not in installed:
        known = (*TARGETS, *installed)
        message = f"there is no target '{wanted}'"
        hint = did_you_mean(
            wanted, known, f"there are {', '.join(known)}, and folders: ./{wanted}", shown="'{}'".format
        )
        raise AbigenError.at(None, message, hint)
    try:
        module = installed[wanted].load()
    except Exception as error:
        raise AbigenError.at(None, f"target '{wanted}': {type(error).__name__}: {error}") from error
    return _usable(wanted, Path(module.__file__ or ".").parent, module)


def _from_folder(folder: Path, wanted: str) -> ModuleType:
    """The module `target` of a folder, which can import its neighbours: `from .view import ...`."""
    name, path = f"abigen_target_{re.sub(r'[^A-Za-z0-9]', '_', folder.name)}", folder / "target.py"
    spec = spec_from_file_location(name, path, submodule_search_locations=[str(folder)])
    if not path.is_file() or spec is None or spec.loader is None:
        raise AbigenError.at(None, f"{wanted} is no folder of a target: it has no target.py", "see docs/targets.md")
    module = sys.modules[name] = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        raise OutputTarget(folder.name, module, folder)._wrong(error) from error
    return module


def _usable(name: str, folder: Path, module: ModuleType) -> OutputTarget:
    """The target, if it is one for this abigen."""
    if not _NAME.fullmatch(name) or name in TARGETS:
        hint = "small letters, digits, - and _, and no name of a target that comes with abigen"
        raise AbigenError.at(None, f"'{name}' cannot be the name of a target", hint)
    written_for = getattr(module, "MODEL_VERSION", None)
    if written_for != MODEL_VERSION or not callable(getattr(module, "outputs", None)):
        message = f"target '{name}' is for version {written_for} of the model, and this is {MODEL_VERSION}"
        if written_for == MODEL_VERSION:
            message = f"target '{name}' has no function outputs(publication, templates)"
        raise AbigenError.at(None, message, "see docs/targets.md")
    return OutputTarget(name, module, folder)
