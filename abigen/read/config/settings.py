"""Which file configures a run, found from the working directory upward, and what it says."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from errno import EISDIR
from functools import cache
from pathlib import Path
from typing import Any, cast

import msgspec

from abigen.files import Files
from abigen.links import refuse_leading_out
from abigen.model.finding import Override
from abigen.model.span import AbigenError, Span
from abigen.read.config.declaration import ConfigurationFile

SCHEMA_FILE = Path(__file__).with_name("schema.json")
"""The JSON Schema of `abigen.toml`, as it is published."""

OWN_NAME = "abigen.toml"
SHARED_NAME = "pyproject.toml"
MAX_BYTES = 1024 * 1024
"""The largest file that is read, in bytes."""

_ENDLESS_KEY = re.compile(r"""(?:(?:(?<![A-Za-z0-9_-])[A-Za-z0-9_-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){32}""")
"""A key of more parts than anybody needs; Python's parser takes time by the square of their number."""


class Source(msgspec.Struct, frozen=True):
    """A configuration file."""

    path: str
    """As users would write it; empty when there is none."""
    text: str


class Settings(msgspec.Struct, frozen=True):
    """What a configuration file says."""

    path: str = ""
    """As users would write it; empty when there is no file."""
    said: ConfigurationFile = ConfigurationFile()
    """Rules and targets by their public names."""
    exceptions: tuple[Override, ...] = ()
    """Those of the file, with their places."""
    places: Mapping[str, Span] = {}
    """Where each value is given, by dotted name (`options.major-zero`); for an entry of a table of strings, by
    `rules.NAME` as well."""
    text: str = ""


@cache
def config_keys() -> dict[str, Any]:
    """What `abigen.toml` may say: each key of its published JSON Schema."""
    return cast(dict[str, Any], json.loads(SCHEMA_FILE.read_text(encoding="utf-8"))["properties"])


def find_configuration(directory: str, files: Files) -> Source:
    """Look for the file that configures what is run in a directory.

    In each directory from here to the root of the working copy (where `.git` stands, else the file system's root),
    `abigen.toml` goes before a `pyproject.toml` with a table `tool.abigen`; the first file found is the only one.

    Args:
        directory: where the command runs.
        files: shows what exists.

    Raises:
        AbigenError: a file cannot be read.
    """
    here = Path(directory)
    for folder in (here, *here.parents):
        for path in (str(folder / OWN_NAME), str(folder / SHARED_NAME)):
            if files.is_file(path):
                content = _read(path, files)
                if path.endswith(OWN_NAME) or _has_section(path, content):
                    return Source(_shown(path), _text(path, content))
        if files.is_entry(folder / ".git"):
            break
    return Source("", "")


def read_configuration(path: str, files: Files) -> Source:
    """Read a configuration file that is known by name.

    Args:
        path: the file; what is no regular file (a pipe) is read once.
        files: shows what exists.

    Raises:
        AbigenError: there is no such file, or it cannot be read.
    """
    return Source(path, _text(path, _read(path, files)))


def _has_section(path: str, content: bytes) -> bool:
    """Whether a pyproject.toml configures abigen; one that is no TOML is somebody else's affair."""
    if b"abigen" not in content or len(content) > MAX_BYTES:
        return False
    import tomllib

    text = _decode(path, content)
    try:
        tool = None if _ENDLESS_KEY.search(text) else tomllib.loads(text).get("tool")
    except (ValueError, RecursionError):
        return False
    return isinstance(tool, dict) and "abigen" in tool


def _text(path: str, content: bytes) -> str:
    """The text of a file that is a configuration as a whole, or that the user has chosen."""
    if len(content) > MAX_BYTES:
        raise AbigenError.at(None, f"{_shown(path)} is larger than a configuration can be: {MAX_BYTES} bytes")
    text = _decode(path, content)
    if _ENDLESS_KEY.search(text):
        raise AbigenError.at(None, f"{_shown(path)} has a key of more than 32 parts")
    return text


def _read(path: str, files: Files) -> bytes:
    """The file, cut off behind the limit."""
    try:
        if files.is_file(path) or not files.exists(path):
            refuse_leading_out(path, files)
            return files.read(path)
        if not files.is_dir(path):
            from abigen.read.operand import read_once

            return read_once(path, files)
        raise IsADirectoryError(EISDIR, os.strerror(EISDIR), path)
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
