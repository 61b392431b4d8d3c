"""Tests that the files which CONTRIBUTING.md names exist."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
NAMED = set(re.findall(r"\b(?:abigen|docs|runtime|spec|tests|templates)/[\w./-]*\w", TEXT))
PATHS = sorted(path for path in NAMED if not re.search("NAME|GROUP", path))


@pytest.mark.parametrize("path", PATHS)
def test_a_path_that_is_named_exists(path: str) -> None:
    assert (ROOT / path).exists()


def test_a_module_that_is_to_be_run_exists() -> None:
    modules = set(re.findall(r"python -m (tests[.\w]*)", TEXT))
    assert {"tests.cli.rendered", "tests.new_rule", "tests.security.fuzz"} <= modules
    for module in modules:
        place = ROOT / module.replace(".", "/")
        assert place.with_suffix(".py").exists() or (place / "__main__.py").exists(), module


def test_a_marker_that_is_named_exists() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    known = {each.partition(":")[0] for each in settings["tool"]["pytest"]["ini_options"]["markers"]}
    assert set(re.findall(r"-m (slow|tensorflow|install|fuzz|jax)", TEXT)) <= known
