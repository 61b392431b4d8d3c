"""The model of APIs as JSON, for programs that are not written in Python."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from enum import Enum

import msgspec
from msgspec.structs import asdict

from abigen.emit.publication import Publication
from abigen.model import MODEL_VERSION
from abigen.model.version import Version
from abigen.version import __version__


def dump(publications: Sequence[Publication]) -> str:
    """Write APIs as one document.

    Args:
        publications: the APIs.

    Returns:
        JSON. `model_version` says what to expect. An object is a class of `abigen.model`, which `class` names.
    """
    document = {
        "model_version": MODEL_VERSION,
        "abigen": __version__,
        "publications": [_plain(each) for each in publications],
    }
    return json.dumps(document, indent=1) + "\n"


def _plain(value: object) -> object:
    """A value of the model as JSON has it."""
    match value:
        case Version():
            return str(value)
        case Enum():
            return value.value
        case Mapping():
            return {str(key): _plain(each) for key, each in value.items()}
        case tuple():
            names = getattr(value, "_fields", None)
            parts = list(map(_plain, value))
            return parts if names is None else {"class": type(value).__name__, **dict(zip(names, parts, strict=True))}
    if isinstance(value, msgspec.Struct):
        return {"class": type(value).__name__} | {name: _plain(each) for name, each in asdict(value).items()}
    return value
