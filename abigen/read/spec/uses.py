"""Other specs that a spec uses: finding and reading the files."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from abigen.model.span import AbigenError
from abigen.read.c.preprocessor.search import is_below, root_of
from abigen.read.options import ReadOptions, SourceFile
from abigen.read.spec.item import Item
from abigen.read.spec.messages import Report, did_you_mean
from abigen.read.spec.nodes import Scalar
from abigen.read.spec.yaml_source import MAX_CHARACTERS, decode

SUFFIXES = (".yaml", ".yml")


@dataclass(frozen=True)
class Use:
    """An entry of `uses` and the file that it means."""

    scalar: Scalar
    source: SourceFile


def find_uses(root: Item, source: SourceFile, options: ReadOptions, report: Report) -> tuple[Use, ...]:
    """Read the files that `uses` names.

    Args:
        root: the spec.
        source: the spec's own file; the paths are relative to its directory.
        options: say how files are called in messages.
        report: receives what cannot be read.

    Returns:
        Those that can be read, in order.
    """
    directory = Path(source.path).parent
    roots = (root_of(source.path), *options.include_dirs, *(folder for folder, _ in options.aliases))
    found: list[Use] = []
    for scalar in root.scalars("uses"):
        if not any(is_below(os.path.realpath(directory / scalar.text), os.path.realpath(each)) for each in roots):
            hint = "run abigen in a directory that both specs are below, if that is meant"
            report.error(scalar.span, f"'{scalar.text}' leads out of the directories that may be read", hint)
            continue
        path = _find(directory, scalar.text)
        if path is None:
            stem = scalar.text.removesuffix(".yaml").removesuffix(".yml")
            hint = did_you_mean(Path(stem).name, _specs_in(directory, scalar.text))
            report.error(scalar.span, f"there is no spec '{scalar.text}' beside this one", hint)
            continue
        try:
            with path.open("rb") as file:
                data = file.read(4 * MAX_CHARACTERS + 1)
            name = options.display_name(str(path))
            found.append(Use(scalar, SourceFile(name, str(path), decode(name, data))))
        except OSError as error:
            report.error(scalar.span, f"the spec '{scalar.text}' cannot be read: {error.strerror}")
        except AbigenError as error:
            report.add(error.diagnostics)
    return tuple(found)


def _find(directory: Path, name: str) -> Path | None:
    for suffix in SUFFIXES:
        path = Path(os.path.normpath(directory / (name + suffix)))
        if path.is_file():
            return path
    return None


def _specs_in(directory: Path, name: str) -> list[str]:
    """What could have been meant: the specs of the directory that the name points to."""
    folder = (directory / name).parent
    try:
        return [each.stem for each in sorted(folder.iterdir()) if each.suffix in SUFFIXES][:1000]
    except OSError:
        return []
