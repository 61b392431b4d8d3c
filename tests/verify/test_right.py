"""Plugins with nothing wrong are not accused of anything."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.scaffold.projects import include, new, sources
from tests.verify.plugins import API, compile_plugin, verify

NEVER = {
    "older-core-refused",
    "creation-fails-on-older-core",
    "unified-memory-unusable",
    "entry-point-without-effect",
}
"""What cannot be run: there is no older release, and the plugin has neither unified memory nor kernels."""


def test_a_plugin_that_does_its_work_in_threads_is_not_accused(tmp_path: Path) -> None:
    verified = verify(compile_plugin(tmp_path, "plugin"))
    assert verified.found == set(), verified.output
    assert verified.code == 0
    results = {each["rule"]: each["result"] for each in json.loads(verified.output)["checks"]}
    assert {name for name, result in results.items() if result != "passed"} == NEVER


def test_a_plugin_in_the_manner_of_the_documents_is_only_warned_of_what_it_ignores(tmp_path: Path) -> None:
    verified = verify(compile_plugin(tmp_path, "plugin", "-DFAULT=IGNORES_SIZE"))
    assert {rule for rule, _ in verified.found} == {"struct-size-ignored"}, verified.output
    assert verified.code == 0


@pytest.mark.parametrize("features", [(), ("--with", "kernels,ops")], ids=["plain", "with-kernels"])
def test_a_scaffolded_plugin_is_not_accused(features: tuple[str, ...], tmp_path: Path) -> None:
    project = new(tmp_path / "xpu", "XPU", API, *features)
    files = [str(path) for path in sources(project)]
    plugin = compile_plugin(tmp_path, "plugin", "-std=gnu11", *include(project), "-lm", *files, source="empty.c")
    verified = verify(plugin)
    assert {each for each in verified.found if each[0] != "device-that-is-not-there"} == set(), verified.output
    assert verified.code == 0
