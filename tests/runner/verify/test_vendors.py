"""Plugins of vendors' APIs of several shapes: those that are right are not accused, and each fault is named."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.running import Run, run_here
from tests.tools import require

HERE = Path(__file__).with_name("vendors")
HEADERS = Path(__file__).parents[2] / "generator/new/vendors"
ENTRIES = {
    "lister": "fx_describe",
    "data": "struct log_plugin {name}_log",
    "finder": "int Kv_OnLoad(KvCtx* ctx, const char** argv, int argc)",
    "versioned": "DrvTableInit",
}
Spec = dict[str, Any]


def _named(spec: Spec, section: str, name: str) -> Spec:
    return next(each for each in spec[section] if each["name"] == name)


def _lister(spec: Spec) -> None:
    members = {each["name"]: each for each in _named(spec, "structs", "fx_effect")["fields"]}
    members["name"]["required"] = True
    members["connect_port"]["retains"] = ["data"]
    members["connect_port"]["parameters"] = [
        {"name": "port", "below": "fx_effect.ports"},
        {"name": "data", "count": "fx_effect.run.samples"},
    ]
    members["run"]["parameters"] = [{"name": "samples", "example": 32}]


def _data(spec: Spec) -> None:
    spec["conventions"] = {"errors": {"result": {"type": "int", "ok": 1, "failed": -1}}}
    _named(spec, "structs", "log_plugin").update({"begin": "log_plugin.open", "destroy": "log_plugin.close"})
    members = {each["name"]: each for each in _named(spec, "structs", "log_plugin")["fields"]}
    members["open"]["parameters"] = [
        {"name": "version", "example": "LOG_API_VERSION"},
        {"name": "settings", "ended": True},
        {"name": "errstr", "output": True},
    ]
    members["log"]["required"] = True
    members["log"]["parameters"].append({"name": "errstr", "output": True})


def _finder(spec: Spec) -> None:
    spec["conventions"] = {"errors": {"result": {"type": "int", "ok": "KV_OK", "failed": "KV_ERR"}}}
    _named(spec, "handles", "KvCtx").update({"defined_by": "core", "begins_with": "Kv_GetApi"})
    _named(spec, "functions", "Kv_OnLoad")["parameters"] = [{"name": "argv", "count": "argc"}]


def _versioned(spec: Spec) -> None:
    spec |= {"version": "1.1.0", "releases": ["1.0.0", "1.1.0"], "version_macros": []}
    spec["conventions"]["errors"]["record"] = {"struct": "DrvError", "message": "message", "release": "release"}
    table = _named(spec, "structs", "DrvTable")
    table["fields"][2] |= {"since": "1.1.0", "zero": "no-op"}
    _named(spec, "structs", "DrvConnection").update(
        {
            "begin": "DrvTable.ConnectionNew",
            "destroy": "DrvTable.ConnectionRelease",
            "calls": ["DrvTable.ConnectionPing"],
        }
    )
    versions = {"DRV_VERSION_1_0_0": "1.0.0", "DRV_VERSION_1_1_0": "1.1.0"}
    _named(spec, "functions", "DrvTableInit")["parameters"] = [{"name": "version", "versions": versions}]


FACTS: dict[str, Callable[[Spec], None]] = {
    "lister": _lister,
    "data": _data,
    "finder": _finder,
    "versioned": _versioned,
}
"""The text that an author adds to the spec that `abigen import --vendor` has written."""


def verified(name: str, folder: Path, *faults: str, only: tuple[str, ...] = ()) -> Run:
    """Compile a plugin with faults, and verify it against the spec of its header with some more facts."""
    (compiler,) = require("gcc")
    library, spec_path = folder / "plugin.so", folder / f"{name}.yaml"
    defines = [f"-D{each}" for each in faults]
    command = [compiler, "-shared", "-fPIC", "-O0", "-g", f"-I{HEADERS}", *defines, str(HERE / f"{name}.c")]
    subprocess.run([*command, "-o", str(library)], check=True)
    header = str(HEADERS / f"{name}.h")
    done = run_here(["import", header, "--vendor", "--entry", ENTRIES[name], "--out", str(folder)])
    assert done.code == 0, done.stderr
    spec: Spec = yaml.safe_load(spec_path.read_text())
    FACTS[name](spec)
    spec_path.write_text(yaml.safe_dump(spec, sort_keys=False))
    options = [word for each in only for word in ("--only", each)]
    return run_here(["verify", str(library), "--api", str(spec_path), "--format", "text", *options])


@pytest.mark.first_case
@pytest.mark.parametrize("name", list(ENTRIES))
def test_a_plugin_that_is_right_is_not_accused_and_all_its_functions_are_called(name: str, tmp_path: Path) -> None:
    done = verified(name, tmp_path)
    assert done.code == 0, done.stdout + done.stderr
    assert "warning ABI" not in done.stdout and "not called" not in done.stdout, done.stdout


@pytest.mark.ci
@pytest.mark.parametrize(
    ("name", "fault", "rule", "entity"),
    [
        ("lister", "PAST_THE_END", "index-past-the-end", "fx_describe"),
        ("lister", "LEAKS", "destruction-leaks", "fx_effect.cleanup"),
        ("lister", "WRITES_PAST", "writes-past-end", "fx_effect.run"),
        ("lister", "CRASHES_IN_INSTANTIATE", "callback-crashes", "fx_effect.instantiate"),
        ("lister", "CRASHES_IN_CONNECT", "callback-crashes", "fx_effect.connect_port"),
        ("lister", "CRASHES_IN_RUN", "callback-crashes", "fx_effect.run"),
        ("lister", "FREES_TWICE", "callback-crashes", "fx_effect.cleanup"),
        ("lister", "SECOND_CRASHES", "callback-crashes", "fx_effect.run"),
        ("data", "READS_PAST", "reads-past-end", "log_plugin.log"),
        ("data", "CRASHES_IN_CLOSE", "callback-crashes", "log_plugin.close"),
        ("data", "MISSING", "required-member-missing", "log_plugin.log"),
        ("data", "WRONG_CONSTANT", "value-wrong", "log_plugin.type"),
        ("finder", "UNKNOWN_FUNCTION", "callback-crashes", "Kv_OnLoad"),
        ("finder", "READS_ARGUMENTS_PAST", "reads-past-end", "Kv_OnLoad"),
        ("versioned", "PAST_OLDER", "writes-past-end", "DrvTableInit"),
        ("versioned", "LEAKS", "destruction-leaks", "DrvTable.ConnectionRelease"),
    ],
)
def test_each_fault_is_named(name: str, fault: str, rule: str, entity: str, tmp_path: Path) -> None:
    done = verified(name, tmp_path, fault)
    assert rule in done.stdout and entity in done.stdout, done.stdout


@pytest.mark.ci
def test_functions_of_a_table_are_not_called_whose_first_function_refuses(tmp_path: Path) -> None:
    done = verified("data", tmp_path, "REFUSES")
    assert "callback-crashes" not in done.stdout
    assert "not called: log_plugin.log: log_plugin.open refuses\n" in done.stdout
