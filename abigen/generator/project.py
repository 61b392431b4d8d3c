"""The specs of a project, the folders of its files, and the templates that it uses."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from abigen.checker.configuration import project_settings, refuse_outside
from abigen.model.span import AbigenError
from abigen.workspace.files import Files
from abigen.workspace.shipped import GENERATED, SPECS

if TYPE_CHECKING:
    from abigen.generator.build import SpecFile
    from abigen.generator.publication import Publication
    from abigen.generator.templates import Templates
    from abigen.model.api import ApiSet


class BuildSettings(msgspec.Struct, frozen=True):
    """The folders of a project's specs and output, and the targets to build."""

    specs: Path
    out: Path
    targets: tuple[str, ...]
    """Names; empty for the usual ones."""
    only: Mapping[str, tuple[str, ...]] = {}
    """The targets of groups of specs for which only some are built."""


def build_settings(disk: Files, *, cache: bool = True) -> BuildSettings:
    """Return the project's settings of `abigen build`, with paths relative to the current directory.

    Without a configuration that speaks of it, `spec/` and `generated/` here, or else beside the configuration file.

    Args:
        disk: shows what exists.
        cache: whether earlier runs may be used.

    Raises:
        AbigenError: something is wrong with the file, or it names a directory outside of the working copy.
    """
    settings = project_settings(None, disk, cache=cache)
    said = settings.said.build
    refuse_outside(settings, "build.specs", [said.specs] if said.specs else [], "--spec-dir", disk)
    refuse_outside(settings, "build.out", [said.out] if said.out else [], "--out", disk)
    base = Path(settings.path).parent
    if not said.specs and not said.out and disk.is_dir(SPECS):
        base = Path()
    return BuildSettings(base / (said.specs or SPECS), base / (said.out or GENERATED), said.targets, said.only)


def templates_of(chosen: Path | None, disk: Files) -> Templates:
    """Return the shipped templates, shadowed file by file by those of a folder.

    What stands in the working folder may be a stranger's, so a folder there is not taken for being called `templates`.

    Args:
        chosen: the folder that the command line names.
        disk: where templates are looked up.
    """
    from abigen.generator.templates import Templates
    from abigen.workspace.shipped import TEMPLATES, shipped

    return Templates((chosen,) if chosen else (), shipped(TEMPLATES), disk)


def specs_named(wanted: str, spec_dir: Path | None, disk: Files) -> tuple[SpecFile, ...]:
    """Return the specs that a name means: in the chosen or the project's own folder, else among the shipped ones.

    Args:
        wanted: a file, a folder, or a name relative to a folder of specs.
        spec_dir: the folder that the command line names.
        disk: where files are looked up.

    Raises:
        AbigenError: there is none, with a suggestion.
    """
    from abigen.generator.build import find_specs, spec_folders

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
    from abigen.generator.build import spec_file
    from abigen.model.target import default_targets
    from abigen.specs.load import load_all
    from abigen.workspace.operand import Operand, parse_release
    from abigen.workspace.options import ReadOptions

    options = ReadOptions(targets=default_targets(), cache=cache, files=disk)
    loaded: dict[SpecFile, ApiSet] = {}
    waiting = list(specs)
    wanted = parse_release(release, release) if release else None
    known = {disk.real(spec.path) for spec in specs}
    while waiting:
        operands = [Operand.of_file(_shown(spec.path), wanted) for spec in waiting]
        found = load_all(operands, options, announce)
        loaded |= zip(waiting, found, strict=True)
        wanted = None
        used = {disk.real(path): Path(path) for each in found for path in each.dependencies}
        waiting = [spec_file(path, specs[0].folder, disk) for real, path in used.items() if real not in known]
        known |= used.keys()
    return loaded


def publication_of(spec: SpecFile, loaded: ApiSet) -> Publication:
    """Return a spec that was read as emitters take it."""
    from abigen.generator.publication import Publication

    return Publication(loaded.groups[0].api, spec.name, spec.group)


def _shown(path: Path) -> str:
    """Return the path as messages name it: relative to the current directory where it lies below."""
    absolute, here = path.absolute(), Path.cwd()
    return str(absolute.relative_to(here) if absolute.is_relative_to(here) else absolute)
