"""Other specs that a spec uses: finding their files, and putting together what they bring."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from abigen.links import is_below, root_of
from abigen.model.api import Api
from abigen.model.entities import Entity
from abigen.model.span import AbigenError
from abigen.read.document.problems import Problems
from abigen.read.document.tree import Item, Scalar
from abigen.read.document.yaml_reader import decode
from abigen.read.options import ReadOptions, SourceFile
from abigen.read.spec.spec_names import GROUPS, SpecNames

_SUFFIXES = (".yaml", ".yml")


@dataclass(frozen=True)
class Context:
    """All used specs together."""

    api: Api
    """Their entities, and those of the specs that they use, none of them in the API."""
    names: SpecNames
    headers: tuple[str, ...]
    """The headers of the used specs themselves, in order."""
    provided: frozenset[str]
    """What those headers include, and the headers themselves."""
    incomplete: bool
    """Whether one of them could not be read."""


def find_uses(
    root: Item, source: SourceFile, options: ReadOptions, problems: Problems
) -> list[tuple[Scalar, SourceFile]]:
    """Read the files that `uses` names.

    Args:
        root: the spec.
        source: the spec's own file; the paths are relative to its directory.
        options: say how files are called in messages, and read them.
        problems: receives what cannot be read.

    Returns:
        Entries of `uses` with the file that each means, those that can be read, in order.
    """
    files, directory = options.files, Path(source.path).parent
    roots = (root_of(source.path, files), *options.include_dirs, *(folder for folder, _ in options.aliases))
    found: list[tuple[Scalar, SourceFile]] = []
    allowed = [files.real(each) for each in roots]
    for scalar in root.scalars("uses"):
        paths = [os.path.normpath(directory / (scalar.text + suffix)) for suffix in _SUFFIXES]
        path = next((each for each in paths if files.is_file(each)), None)
        if not any(is_below(files.real(path or paths[0]), each) for each in allowed):
            hint = "run abigen in a directory that both specs are below, if that is meant"
            problems.error(scalar.span, f"'{scalar.text}' leads out of the directories that may be read", hint)
            continue
        if path is None:
            try:
                names = [Path(each) for each in files.names((directory / scalar.text).parent)]
            except OSError:
                names = []
            known = [each.stem for each in names if each.suffix in _SUFFIXES][:1000]
            word = Path(scalar.text.removesuffix(".yaml").removesuffix(".yml")).name
            problems.unknown(scalar.span, f"there is no spec '{scalar.text}' beside this one", word, known)
            continue
        try:
            name = options.display_name(path)
            found.append((scalar, SourceFile(name, path, decode(name, files.read(path)))))
        except OSError as error:
            problems.error(scalar.span, f"the spec '{scalar.text}' cannot be read: {error.strerror}")
        except AbigenError as error:
            problems.add(error.diagnostics)
    return found


def merge_context(
    parts: Sequence[tuple[Scalar, Api, SpecNames, frozenset[str]]], problems: Problems, *, incomplete: bool
) -> Context:
    """Put used specs together.

    Args:
        parts: per used spec the entry of `uses`, its API, its names, and what its header provides.
        problems: receives what two of them declare differently.
        incomplete: whether more were named than could be read.
    """
    merged = Api(name="")
    names = SpecNames()
    headers: list[str] = []
    provided: frozenset[str] = frozenset()
    for scalar, api, own_names, own_provided in parts:
        own = dict.fromkeys(api.files, (api.header, api.conventions)) if api.header else {}
        groups: dict[str, Any] = {group: _together(merged, api, group, scalar, names, problems) for group in GROUPS}
        merged = replace(merged, **groups, used={**merged.used, **api.used, **own})
        names.ordinary.update(own_names.ordinary)
        names.tags.update(own_names.tags)
        provided |= own_provided
        if api.header:
            headers.append(api.header.path)
    return Context(merged, names, tuple(headers), provided, incomplete)


def _together(
    merged: Api, added: Api, group: str, scalar: Scalar, names: SpecNames, problems: Problems
) -> dict[str, Entity]:
    """A group of entities of both, with an error for each name that stands for different things."""
    result = dict(getattr(merged, group))
    for name, entity in getattr(added, group).items():
        outside = replace(entity, in_api=False)
        if result.setdefault(name, outside) != outside:
            origin = names.ordinary[name].origin if name in names.ordinary else "another spec"
            problems.error(scalar.span, f"'{scalar.text}' and {origin} declare '{name}' differently")
    return result
