"""Specs and templates, for commands that work with them: options that say where they are, and how they are read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from abigen.cli.configuration import build_settings
from abigen.model.span import AbigenError

if TYPE_CHECKING:
    from abigen.emit.build import SpecFile
    from abigen.emit.publication import Publication
    from abigen.emit.templates import Templates
    from abigen.files import Files
    from abigen.model.api import ApiSet

FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
spec_dir_option = click.option("--spec-dir", type=FOLDER, metavar="DIR", help="The folder with the specs.")
templates_option = click.option("--templates", "template_dir", type=FOLDER, metavar="DIR",
    help="Use templates in DIR in place of abigen's own of the same name; they run in a sandbox.")  # fmt: skip


def templates_of(chosen: Path | None, disk: Files) -> Templates:
    """The shipped templates, shadowed file by file by those of a folder.

    What stands in the working folder may be a stranger's, so a folder there is not taken for being called `templates`.

    Args:
        chosen: the folder that the command line names.
        disk: where templates are looked up.
    """
    from abigen.emit.templates import Templates
    from abigen.shipped import TEMPLATES, shipped

    return Templates((chosen,) if chosen else (), shipped(TEMPLATES), disk)


def specs_named(wanted: str, spec_dir: Path | None, disk: Files) -> tuple[SpecFile, ...]:
    """The specs that a name means: in the chosen folder or the project's own, else among those that come with abigen.

    Args:
        wanted: a file, a folder, or a name relative to a folder of specs.
        spec_dir: the folder that the command line names.
        disk: where files are looked up.

    Raises:
        AbigenError: there is none, with a suggestion.
    """
    from abigen.emit.build import find_specs, spec_folders

    errors: list[AbigenError] = []
    for folder in spec_folders(spec_dir or build_settings(disk).specs, disk):
        try:
            return find_specs([wanted], folder, disk)
        except AbigenError as error:
            errors.append(error)
    raise next((each for each in errors if "did you mean" in each.diagnostics[0].hint), errors[0])


def load_specs(
    specs: Sequence[SpecFile],
    announce: Callable[[str], None],
    disk: Files,
    *,
    cache: bool = True,
    release: str = "",
) -> Mapping[SpecFile, ApiSet]:
    """Read specs, and those that they use.

    Args:
        specs: which ones; all from the same folder of specs.
        announce: is told what is being read.
        disk: where files are looked up.
        cache: whether earlier runs may have read them.
        release: the release of the specs that were asked for, as `1.2.0`; empty for the current one.

    Returns:
        Those that were asked for, in their order, and behind them those that they use.
    """
    from abigen.emit.build import spec_file
    from abigen.model.target import default_targets
    from abigen.read.load import load_all
    from abigen.read.options import ReadOptions

    options = ReadOptions(targets=default_targets(), cache=cache, files=disk)
    loaded: dict[SpecFile, ApiSet] = {}
    waiting = list(specs)
    suffix = f"@{release}" if release else ""
    known = {disk.real(spec.path) for spec in specs}
    while waiting:
        found = load_all([_operand(spec.path) + suffix for spec in waiting], options, announce)
        loaded |= zip(waiting, found, strict=True)
        suffix = ""
        used = {disk.real(path): Path(path) for each in found for path in each.dependencies}
        waiting = [spec_file(path, specs[0].folder, disk) for real, path in used.items() if real not in known]
        known |= used.keys()
    return loaded


def publication_of(spec: SpecFile, loaded: ApiSet) -> Publication:
    """A spec that was read as emitters take it."""
    from abigen.emit.publication import Publication

    return Publication(loaded.groups[0].api, spec.name, spec.group)


def _operand(path: Path) -> str:
    """The path as messages name it: relative to the current directory where it lies below."""
    absolute, here = path.absolute(), Path.cwd()
    return str(absolute.relative_to(here) if absolute.is_relative_to(here) else absolute)
