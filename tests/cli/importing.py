"""Running `abigen import`, and what it has written."""

from __future__ import annotations

import yaml

from tests.cli.program import Program, Result


def spec_of(abigen: Program, name: str = "filter") -> dict[str, object]:
    """A spec that was written."""
    document: dict[str, object] = yaml.safe_load((abigen.directory / f"spec/{name}.yaml").read_text())
    return document


def imported(abigen: Program, *arguments: str) -> Result:
    """Run it; it may fail, but not by a mistake of its own."""
    result = abigen("import", *arguments)
    assert "Traceback" not in result.remarks
    return result


def names_of(items: object) -> list[str]:
    """The names of a list of entities."""
    assert isinstance(items, list)
    return [each["name"] for each in items]
