"""The releases that a command line names: of one spec, or of two."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from posixpath import basename, split

import msgspec

from abigen.emit.publication import Publication
from abigen.model.api import Api
from abigen.model.printable import printable
from abigen.model.span import AbigenError
from abigen.model.version import Version
from abigen.read.load import load
from abigen.read.operand import parse_operand
from abigen.read.options import ReadOptions

_KINDS = (
    "structs",
    "enums",
    "typedefs",
    "functions",
    "constants",
    "macros",
    "size_constants",
    "conventions",
)
"""The parts of an API by which two releases are compared."""


class SpecRelease(msgspec.Struct, frozen=True):
    """One release of a spec."""

    label: str
    """What reports call it: `1.2.0`, or with the spec before it."""
    version: Version | None
    publications: tuple[Publication, ...]
    """The API, and behind it those that it uses."""


def read_releases(
    operands: Sequence[str], first: str | None, last: str | None, options: ReadOptions, announce: Callable[[str], None]
) -> tuple[SpecRelease, ...]:
    """Read releases, in the order of their versions; of one that two specs tell alike there is one.

    Args:
        operands: one spec or two.
        first: the release to begin with; None for the oldest.
        last: the release to end with; None for the current one.
        options: how to read.
        announce: is told what is being read.

    Raises:
        AbigenError: a spec is wrong, or has no such releases.
    """
    lowest, highest = (_version(each) if each else None for each in (first, last))
    found: list[SpecRelease] = []
    for operand, name in zip(operands, _names(operands, options), strict=True):
        announce(f"reading {operand}")
        found += _releases(operand, name, options)
    chosen = [
        each
        for each in found
        if each.version is None
        or ((lowest is None or lowest <= each.version) and (highest is None or each.version <= highest))
    ]
    if not chosen:
        known = ", ".join(str(each.version) for each in found)
        raise AbigenError.at(None, "there are no such releases", f"there are {known}")
    ordered = sorted(chosen, key=lambda each: each.version or Version(0, 0))
    kept: list[SpecRelease] = []
    for each in ordered:
        if not any(_is_same(one, each) for one in kept):
            kept.append(each)
    return tuple(kept)


def _releases(operand: str, name: str, options: ReadOptions) -> Iterator[SpecRelease]:
    """All releases of a spec, or the one that the operand names."""
    wanted = parse_operand(operand, options.files)
    api = load(operand, options).groups[0].api
    current = api.version.version if api.version else None
    releases = api.header.releases if api.header else ()
    for each in [current] if wanted.release or not releases else releases:
        text = operand if each in (None, current) else f"{operand}@{each}"
        label = " ".join(filter(None, (name, str(each or "")))) or basename(wanted.path)
        yield SpecRelease(printable(label), each, _publications(text, options))


def _is_same(one: SpecRelease, other: SpecRelease) -> bool:
    """Whether two releases have one version and declare the same."""
    if one.version is None or one.version != other.version:
        return False
    pairs = zip(one.publications, other.publications, strict=False)
    return len(one.publications) == len(other.publications) and all(_declare_same(a.api, b.api) for a, b in pairs)


def _declare_same(one: Api, other: Api) -> bool:
    return all(getattr(one, kind) == getattr(other, kind) for kind in _KINDS)


def _version(text: str) -> Version:
    parts = text.split(".")
    if not 2 <= len(parts) <= 3 or not all(each.isdecimal() and each.isascii() and len(each) < 10 for each in parts):
        raise AbigenError.at(None, f"`{printable(text)}` is no version", "write it as 1.2.0")
    return Version(*(int(each) for each in parts))


def _names(operands: Sequence[str], options: ReadOptions) -> list[str]:
    """What tells two specs apart; nothing for one."""
    if len(operands) == 1:
        return [""]
    wanted = [parse_operand(each, options.files) for each in operands]
    names = [basename(each.path).rpartition(".")[0] for each in wanted]
    if len(set(names)) < len(names):
        folders = [each.revision or basename(split(os.path.normpath(each.path))[0]) for each in wanted]
        names = [f"{folder}/{name}".lstrip("/") for folder, name in zip(folders, names, strict=True)]
    return names if len(set(names)) == len(names) else ["old", "new"]


def _publications(operand: str, options: ReadOptions) -> tuple[Publication, ...]:
    """The API of a spec, and those that it uses."""
    wanted = parse_operand(operand, options.files)
    loaded = load(operand, options)
    publications = [Publication(loaded.groups[0].api, operand, "")]
    for path in dict.fromkeys(loaded.dependencies[1:]):
        text = f"{wanted.revision}:{path.split('/', 4)[-1]}" if path.startswith(f"{os.devnull}/") else path
        publications.append(Publication(load(text, options).groups[0].api, text, ""))
    return tuple(publications)
