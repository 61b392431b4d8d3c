"""Which file configures a run: found from the working directory upward."""

from __future__ import annotations

import os
from typing import NamedTuple

from abigen.model.span import AbigenError
from abigen.read.evidence import Evidence, absence_evidence, content_evidence, existence_evidence

OWN_NAME = "abigen.toml"
SHARED_NAME = "pyproject.toml"
MAX_BYTES = 1024 * 1024
"""The largest file that is read, in bytes."""

_SECTION = b"abigen"
_ENDLESS_KEY = r"""(?:(?:(?<![A-Za-z0-9_-])[A-Za-z0-9_-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){32}"""
"""A key of more parts than anybody needs; Python's parser takes time by the square of their number."""


class Source(NamedTuple):
    """A configuration file, and what the choice of it rests on."""

    path: str
    """As users would write it; empty when there is none."""
    text: str
    evidence: Evidence | None
    """None when something that files do not show decided it."""


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
            return Source(_shown(own), _text(own), evidence | content_evidence([own]))
        evidence |= absence_evidence([own])
        if os.path.isfile(shared):
            content = _read(shared)
            evidence |= content_evidence([shared])
            if _SECTION in content and len(content) <= MAX_BYTES:
                text = _decode(shared, content)
                if _has_section(text):
                    return Source(_shown(shared), text, evidence)
        else:
            evidence |= absence_evidence([shared])
        root = os.path.join(here, ".git")
        evidence |= existence_evidence([root])
        parent = os.path.dirname(here)
        if parent == here or os.path.lexists(root):
            return Source("", "", evidence)
        here = parent


def read_configuration(path: str) -> Source:
    """Read a configuration file that is known by name.

    Args:
        path: the file; what is no regular file (a pipe) can be read once, and proves nothing.

    Raises:
        AbigenError: there is no such file, or it cannot be read.
    """
    return Source(path, _text(path), content_evidence([path]) if os.path.isfile(path) else None)


def _has_section(text: str) -> bool:
    """Whether a pyproject.toml configures abigen; one that is no TOML is somebody else's affair."""
    import tomllib

    if _has_endless_key(text):
        return False
    try:
        tool = tomllib.loads(text).get("tool")
    except (ValueError, RecursionError):
        return False
    return isinstance(tool, dict) and "abigen" in tool


def _has_endless_key(text: str) -> bool:
    import re

    return re.search(_ENDLESS_KEY, text) is not None


def _text(path: str) -> str:
    """The text of a file that is a configuration as a whole, or that the user has chosen."""
    content = _read(path)
    if len(content) > MAX_BYTES:
        raise AbigenError.at(None, f"{_shown(path)} is larger than a configuration can be: {MAX_BYTES} bytes")
    text = _decode(path, content)
    if _has_endless_key(text):
        raise AbigenError.at(None, f"{_shown(path)} has a key of more than 32 parts")
    return text


def _read(path: str) -> bytes:
    """The file, cut off behind the limit."""
    try:
        with open(path, "rb") as file:
            return file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise AbigenError.at(None, f"there is no file {_shown(path)}") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "no file has such a name"
        raise AbigenError.at(None, f"{_shown(path)} cannot be read: {reason}") from None


def _decode(path: str, content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise AbigenError.at(None, f"{_shown(path)} is not UTF-8", "TOML files are") from None


def _shown(path: str) -> str:
    """The path from here, so that it is the same on every machine."""
    try:
        return os.path.relpath(path)
    except (OSError, ValueError):  # another drive, or there is no here any more
        return path
