"""The facts of an API as each part of abigen states them, taken from its output or reports."""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
from functools import cached_property
from pathlib import Path

import msgspec

from abigen.checker.compare import compare
from abigen.checker.policy import find_policy
from abigen.model.api import Api, ApiSet
from abigen.specs.load import load
from abigen.workspace.options import ReadOptions
from tests.running import run_here
from tests.tools import require

_PLUGIN = """\
#include "probe/probe.h"
void PR_Init(PR_Params* params, PR_Status* status) { (void)params; PR_SetStatus(status, PR_OK, ""); }
"""
"""A plugin that fills nothing."""


def api_of(path: Path) -> ApiSet:
    """Read a spec or a header."""
    return load(str(path), ReadOptions(targets=("x86_64-linux-gnu",)))


def findings(old: Path, new: Path) -> list[tuple[str, str, str]]:
    """Rule, entity and who is at risk by contract, of each finding of a comparison."""
    verdict = compare(api_of(old), api_of(new), find_policy("default"))
    return [(each.rule, each.entity, each.axes.reasons.get("contract", "")) for each in verdict.findings]


class Consumers(msgspec.Struct, frozen=True, dict=True):
    """The output for one spec, in a folder of its own."""

    folder: Path
    text: str
    """The spec."""

    @cached_property
    def spec(self) -> Path:
        """The spec's file."""
        path = self.folder / "spec" / "probe.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self.text)
        return path

    @cached_property
    def model(self) -> Api:
        """The facts as the reader has decided them."""
        return api_of(self.spec).groups[0].api

    @cached_property
    def built(self) -> Path:
        """Return the output of all targets of `abigen build`."""
        out = self.folder / "out"
        done = run_here(["build", "--no-cache", "--spec-dir", str(self.spec.parent), "--out", str(out)])
        assert done.code == 0, done.stderr
        return out

    @cached_property
    def header(self) -> str:
        """The C header."""
        return (self.built / "c/probe/probe.h").read_text()

    @cached_property
    def checks(self) -> str:
        """The validators."""
        return (self.built / "c-checks/probe/probe_checks.c").read_text()

    @cached_property
    def cpp(self) -> str:
        """The C++ layer."""
        return (self.built / "cpp/probe/probe.hpp").read_text()

    @cached_property
    def python(self) -> str:
        """The Python module."""
        return (self.built / "python/plugin_api/probe/__init__.py").read_text()

    @cached_property
    def scaffold(self) -> Path:
        """A new plugin."""
        out = self.folder / "xp"
        done = run_here(["new", "XP", str(out), "--api", "probe", "--spec-dir", str(self.spec.parent)])
        assert done.code == 0, done.stderr
        return out

    @cached_property
    def verified(self) -> set[tuple[str, str]]:
        """Rule and entity of what `abigen verify` finds in a plugin that fills nothing."""
        (compiler,) = require("cc")
        include = f"-I{self.built / 'c'}"
        source, library = self.folder / "plugin.c", self.folder / "plugin.so"
        source.write_text(_PLUGIN)
        command = [compiler, "-shared", "-fPIC", include, str(source), "-o", str(library)]
        subprocess.run(command, check=True)
        arguments = ["verify", str(library), "--api", "probe", "--spec-dir", str(self.spec.parent), "--format", "json"]
        done = run_here(arguments)
        assert done.stdout, done.stderr
        return {(each["rule"], each["entity"]) for each in json.loads(done.stdout)["findings"]}

    def validator(self, struct: str) -> str:
        """Return the function of C that checks a struct; empty when there is none."""
        found = re.search(rf"^int {struct}_Check\(.*?^}}", self.checks, re.MULTILINE | re.DOTALL)
        return found[0] if found else ""

    def changed(self, before: str, after: str) -> Path:
        """Return another spec, in which some text is replaced."""
        assert before in self.text
        path = Path(tempfile.mkdtemp(dir=self.folder)) / "probe.yaml"
        path.write_text(self.text.replace(before, after))
        return path
