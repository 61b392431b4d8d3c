"""What a project remembers of how it was made, so that an update knows what is new and what its author has written."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from hashlib import sha256

from abigen.emit.new.project import GENERATED, Scaffold
from abigen.model.span import AbigenError

RECORD = ".abigen-new.json"
"""Path of the record in a project."""

_FORMAT = 1


@dataclass(frozen=True, kw_only=True)
class Record:
    """How a project was made."""

    format: int
    abigen: str
    """The version of abigen that made it, or updated it last."""
    name: str
    device_type: str
    api: str
    api_version: str
    language: str
    features: tuple[str, ...]
    minimal: bool
    functions: Mapping[str, tuple[str, str, str]]
    """Key to name, what the sources call it, and declaration in C, of each function that the author writes."""
    files: Mapping[str, str]
    """Path to the SHA-256 of what was last written there, of the author's files."""
    generated: tuple[str, ...]
    """Paths of the files that every update makes anew."""


def digest(content: bytes) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    return sha256(content).hexdigest()


def record_of(scaffold: Scaffold, files: Mapping[str, str]) -> Record:
    """Make the record of a project.

    Args:
        scaffold: as it would be if it were made now.
        files: path to digest, of the author's files as they were last written.
    """
    project = scaffold.project
    return Record(
        format=_FORMAT,
        abigen=project.abigen_version,
        name=project.identity.name,
        device_type=project.identity.device_type,
        api=project.api,
        api_version=project.api_version,
        language=project.language,
        features=project.features,
        minimal=project.minimal,
        functions={
            key: (each.name, scaffold.pieces[key].name, each.declaration) for key, each in project.functions.items()
        },
        files=dict(sorted(files.items())),
        generated=tuple(path for path in scaffold.files if path.startswith(GENERATED)),
    )


def authored(scaffold: Scaffold) -> dict[str, str]:
    """The digests of a new project's files that are its author's from now on."""
    return {path: digest(text.encode()) for path, text in scaffold.files.items() if not path.startswith(GENERATED)}


def write_record(record: Record) -> str:
    """The record as text."""
    return json.dumps(asdict(record), indent=2) + "\n"


def read_record(text: str, path: str) -> Record:
    """Read a record.

    Args:
        text: of the file.
        path: of the file, for messages.

    Raises:
        AbigenError: it is no record, or one of a later abigen.
    """
    try:
        stated = json.loads(text)
        if stated["format"] != _FORMAT:
            hint = "update abigen"
            raise AbigenError.at(None, f"{path} was written by abigen {stated['abigen']}, in another format", hint)
        record = Record(
            **{
                **stated,
                "features": tuple(stated["features"]),
                "generated": tuple(stated["generated"]),
                "functions": {
                    key: (name, spelling, declaration)
                    for key, (name, spelling, declaration) in stated["functions"].items()
                },
            }
        )
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise AbigenError.at(None, f"{path} is no record of abigen new", "restore it from version control") from error
    names = (record.name, record.device_type, record.api, record.language, *record.files, *record.generated)
    inside = all(each.startswith(GENERATED) for each in record.generated)
    if not all(isinstance(each, str) for each in names) or ".." in "/".join(names).split("/") or not inside:
        raise AbigenError.at(None, f"{path} is no record of abigen new", "restore it from version control")
    return record
