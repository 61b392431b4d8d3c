"""Specs and those that they use, read for commands that write what they describe."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from abigen.emit.project import SpecFile
    from abigen.emit.publication import Publication
    from abigen.files import Files
    from abigen.model.api import ApiSet


def load_specs(
    specs: Sequence[SpecFile],
    folder: Path,
    announce: Callable[[str], None],
    disk: Files,
    *,
    cache: bool,
    release: str = "",
) -> Mapping[SpecFile, ApiSet]:
    """Read specs, and those that they use.

    Args:
        specs: which ones.
        folder: the folder of specs, which the others are named relative to.
        announce: is told what is being read.
        disk: where files are looked up.
        cache: whether earlier runs may have read them.
        release: the release of the specs that were asked for, as `1.2.0`; empty for the current one.

    Returns:
        Those that were asked for, in their order, and behind them those that they use.
    """
    from abigen.emit.project import spec_file
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
        waiting = [spec_file(path, folder, disk) for real, path in used.items() if real not in known]
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
