"""Tests that readers alone work out facts: checks, emitters and the host read no conventions or marks."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ABIGEN = Path(__file__).parents[3] / "abigen"
DECIDED = {
    "filled_by": "Struct.filler and Field.filler",
    "counts": "Field.count and abigen.model.roles",
    "size_field": "Struct.size_member and Struct.is_versioned",
    "set_by": "Struct.filler and Field.filler",
    "unmarked": "Contract.requirement",
}
"""Attribute of `Conventions` or `Contract` to the facts that have been decided by it."""
OWN_SUBJECT = {
    "checker/rules/contract.py": "whether a mark says who fills something, or a convention",
    "checker/rules/lint_layout.py": "judges names by the convention, and marks as an excuse",
    "checker/rules/lint_sizes.py": "judges by the convention where a struct lacks the member",
    "checker/rules/fields.py": "the size member of a struct that has lost it",
    "checker/rules/appends.py": "the size member of a struct that has it too late",
    "checker/type_pairs.py": "members that all structs have by convention say nothing of likeness",
    "generator/c/lines.py": "prints marks",
    "generator/imported/document.py": "writes the conventions of a spec, as the user has said them",
}
"""Modules whose own subject is what was agreed, and why."""


def _looks() -> Iterator[tuple[str, int, str]]:
    for folder in ("checker", "generator", "runner"):
        for path in sorted((ABIGEN / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Attribute) and node.attr in DECIDED:
                    owner = ast.unparse(node.value).rpartition(".")[2]
                    if owner in ("conventions", "contract") or node.attr == "filled_by":
                        yield str(path.relative_to(ABIGEN)), node.lineno, node.attr


@pytest.mark.ci
def test_facts_are_not_worked_out_again() -> None:
    again = [
        f"{path}:{line} looks at {name}; use {DECIDED[name]}"
        for path, line, name in _looks()
        if path not in OWN_SUBJECT
    ]
    assert not again, "\n".join(again)


@pytest.mark.ci
@pytest.mark.parametrize("path", OWN_SUBJECT)
def test_no_excuse_outlives_its_reason(path: str) -> None:
    assert path in {each for each, _, _ in _looks()}
