"""Packages of random specs: they can be imported, are tidy and typed, and have the compiler's layouts."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from abigen.generator.build import build
from abigen.generator.publication import Publication
from abigen.generator.templates import Templates
from abigen.specs.spec_reader import read_spec
from abigen.workspace.files import Files
from abigen.workspace.options import ReadOptions, SourceFile
from abigen.workspace.shipped import shipped
from tests.generator.build.test_random import _specs
from tests.generator.python.building import RUNTIME, SHARED, load_package
from tests.generator.python.test_layouts import _assert_layouts
from tests.generator.python.test_package import IGNORED, SELECTED
from tests.tools import require

_OPTIONS = ReadOptions(targets=("x86_64-linux-gnu",), cache=False)
_TEMPLATES = Templates((), shipped("templates"), Files())
_NUMBERS = itertools.count()

_AWKWARD = [
    *("cdata", "bytes", "str", "at", "has", "self", "None", "from", "lambda", "type", "ffi", "private_"),
    *("Struct0", "Kind", "Handle", "Callable", "call", "table", "result", "mro", "value", "name", "property", "print"),
    *("keep", "function", "describe", "object", "unpadded_size", "kept", "dict", "free", "count", "status"),
]
"""Names that mean something to Python, to the package, or to both."""


@st.composite
def _awkward(draw: st.DrawFn) -> dict[str, Any]:
    """A spec with names that Python and packages have other uses for."""
    spec: dict[str, Any] = draw(_specs())
    for struct in spec["structs"]:
        names = draw(st.lists(st.sampled_from(_AWKWARD), max_size=len(struct["fields"]), unique=True))
        for member, name in zip(struct["fields"], names, strict=False):
            member["name"] = name
    parameters = [f"int {name}" for name in draw(st.lists(st.sampled_from(_AWKWARD), max_size=4, unique=True))]
    spec["functions"].append({"name": "awkward", "type": f"Struct0* ({', '.join(parameters) or 'void'})"})
    enumerators = draw(st.lists(st.sampled_from(["mro", "name", "None", "real", "numerator", "yield"]), unique=True))
    spec["enums"].append({"name": "Odd", "enumerators": [{"name": each} for each in ["ODD", *enumerators]]})
    return spec


def _write(spec: dict[str, Any], folder: Path) -> str:
    """Make header and package of a spec; returns the name of the package that the package stands in."""
    source = SourceFile("api.yaml", str(folder / "api.yaml"), json.dumps(spec, ensure_ascii=False))
    api = read_spec(source, _OPTIONS).groups[0].api
    parent = f"random{next(_NUMBERS)}_plugin_api"
    for path, text in build([Publication(api, "spec/api.yaml", "")], ["c", "python"], _TEMPLATES).items():
        place = folder / path.replace("plugin_api/", f"{parent}/", 1)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text)
    return parent


def _check(spec: dict[str, Any]) -> None:
    (ruff,) = require("ruff")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        parent = _write(spec, folder)
        try:
            package: Any = load_package(folder / "python", f"{parent}.api")
            shared: Any = load_package(SHARED, RUNTIME)
            assert _assert_layouts(package, shared, folder / "c", folder) == len(spec["structs"])
            for each in package.FUNCTIONS.values():
                assert each.ctype.kind == "pointer" or each.ctype.kind == "function"
            for struct in spec["structs"]:
                assert repr(getattr(package, struct["name"])()).startswith(struct["name"])
            _check_style(ruff, folder / "python" / parent / "api")
        finally:
            sys.path.remove(str(folder / "python"))
            for module in [each for each in sys.modules if each.startswith(parent)]:
                del sys.modules[module]


def _check_style(ruff: str, folder: Path) -> None:
    formatted = [ruff, "format", "--isolated", "--check", "--diff", "--no-cache", str(folder)]
    linted = [ruff, "check", "--isolated", "--no-cache", "--select", SELECTED, "--ignore", IGNORED, str(folder)]
    for command in (formatted, [*linted, "--target-version", "py311"]):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


def test_a_struct_of_functions_alone_has_a_layout() -> None:
    fields = [{"name": "first", "type": "void (*)(void)"}, {"name": "second", "type": "int (*)(int)"}]
    struct = {"name": "Struct0", "versioned": False, "fields": fields}
    function = {"name": "use", "type": "void (Struct0*)"}
    _check({"abigen": 1, "api": "api", "version": "1.0.0", "structs": [struct], "functions": [function]})


@pytest.mark.ci
@settings(max_examples=3, deadline=None, suppress_health_check=list(HealthCheck))
@given(spec=_awkward())
def test_a_random_spec_gives_a_package(spec: dict[str, Any]) -> None:
    _check(spec)


@pytest.mark.fuzz
@settings(max_examples=1000, deadline=None, suppress_health_check=list(HealthCheck))
@given(spec=_awkward())
def test_many_random_specs_give_packages(spec: dict[str, Any]) -> None:
    _check(spec)


@pytest.mark.fuzz
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(spec=_awkward())
def test_packages_of_random_specs_are_typed(spec: dict[str, Any]) -> None:
    require("mypy")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        parent = _write(spec, folder)
        command = [
            sys.executable,
            "-m",
            "mypy",
            "--strict",
            "--config-file",
            "",
            "--cache-dir",
            "/dev/null",
            "-p",
            parent,
        ]
        done = subprocess.run(command, cwd=folder / "python", capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout
