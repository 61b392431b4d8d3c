"""Which file configures a run: found from the working directory upward."""

from __future__ import annotations

import os
from typing import NamedTuple

from abigen.model.span import AbigenError
from abigen.read.evidence import Evidence, absence_evidence, content_evidence

OWN_NAME = "abigen.toml"
SHARED_NAME = "pyproject.toml"
_SECTION = b"abigen"


class Source(NamedTuple):
    """A configuration file, and what the choice of it rests on."""

    path: str
    """As users would write it; empty when there is none."""
    text: str
    evidence: Evidence


def find_configuration(directory: str) -> Source:
    """Look for the file that configures what is run in a directory.

    In each directory from here to the root of the working copy (where `.git` stands, else the file system's root),
    `abigen.toml` goes before a `pyproject.toml` with a table `tool.abigen`; the first file found is the only one.

    Args:
        directory: where the command runs.

    Raises:
        AbigenError: a file cannot be read.
    """
    evidence: Evidence = {}
    here = os.path.abspath(directory)
    while True:
        own, shared = os.path.join(here, OWN_NAME), os.path.join(here, SHARED_NAME)
        if os.path.isfile(own):
            return read_configuration(own, evidence)
        evidence |= absence_evidence([own])
        if os.path.isfile(shared):
            found = _read(shared)
            evidence |= content_evidence([shared])
            if _SECTION in found:
                text = _decode(shared, found)
                if _has_section(text):
                    return Source(_shown(shared), text, evidence)
        else:
            evidence |= absence_evidence([shared])
        parent = os.path.dirname(here)
        if parent == here or os.path.exists(os.path.join(here, ".git")):
            return Source("", "", evidence)
        here = parent


def read_configuration(path: str, evidence: Evidence | None = None) -> Source:
    """Read a configuration file that is known by name.

    Args:
        path: the file.
        evidence: what the choice of it rests on already.

    Raises:
        AbigenError: there is no such file, or it cannot be read.
    """
    text = _decode(path, _read(path))
    return Source(_shown(path), text, (evidence or {}) | content_evidence([path]))


def _has_section(text: str) -> bool:
    """Whether a pyproject.toml configures abigen; one that is no TOML is somebody else's affair."""
    import tomllib

    try:
        tool = tomllib.loads(text).get("tool")
    except (ValueError, RecursionError):
        return False
    return isinstance(tool, dict) and "abigen" in tool


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        raise AbigenError.at(None, f"there is no file {_shown(path)}") from None
    except OSError as error:
        raise AbigenError.at(None, f"{_shown(path)} cannot be read: {error.strerror}") from None


def _decode(path: str, content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise AbigenError.at(None, f"{_shown(path)} is not UTF-8", "TOML files are") from None


def _shown(path: str) -> str:
    """The path from here if it lies below, else as it is."""
    relative = os.path.relpath(path)
    return path if relative.startswith("..") else relative
