"""Specs as they were at earlier releases, with what came later left out of the text."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeAlias

import yaml

from abigen.model.version import Version
from abigen.workspace.document.tree import parse_version

Node: TypeAlias = Any


def releases(text: str) -> tuple[Version, ...]:
    """Return the releases that a spec lists, the oldest first."""
    return tuple(sorted(parse_version(each) for each in yaml.safe_load(text)["releases"]))


def at(text: str, release: Version) -> str:
    """Return a spec as its owner had it at a release.

    Args:
        text: the spec today.
        release: one of those that it lists.
    """
    spec = _without_newer(yaml.safe_load(text), release)
    known = [each for each in releases(text) if each <= release]
    spec |= {"version": str(release), "releases": [str(each) for each in known]}
    return yaml.safe_dump(spec, sort_keys=False, width=1000)


def _without_newer(node: Node, release: Version) -> Node:
    if isinstance(node, list):
        return [_without_newer(each, release) for each in node if not _is_newer(each, release)]
    return {key: _without_newer(value, release) for key, value in node.items()} if isinstance(node, dict) else node


def _is_newer(node: Node, release: Version) -> bool:
    return isinstance(node, dict) and "since" in node and parse_version(node["since"]) > release


def write(text: str, path: Path) -> Path:
    """Write a spec into a folder that may be missing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path
