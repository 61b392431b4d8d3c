"""Plugins as tests make them, and `abigen verify` of them."""

from __future__ import annotations

import json
import subprocess
from functools import cached_property
from pathlib import Path

import msgspec

from tests.generator.build.building import REPOSITORY
from tests.running import run_here
from tests.tools import require

HERE = Path(__file__).parent
API = "tensorflow/stream_executor"
INCLUDE = f"-I{REPOSITORY / 'generated/tensorflow/c'}"


class Verified(msgspec.Struct, frozen=True, dict=True):
    """The output of a run."""

    code: int
    output: str
    remarks: str

    @cached_property
    def found(self) -> set[tuple[str, str]]:
        """Rule and entity of each finding of a report in JSON."""
        assert self.output, self.remarks
        return {(each["rule"], each["entity"]) for each in json.loads(self.output)["findings"]}

    def result(self, name: str) -> str:
        """Return the result of a check, by its name."""
        return next(str(each["result"]) for each in json.loads(self.output)["checks"] if each["rule"] == name)


def compile_plugin(folder: Path, name: str, *options: str, source: str = "plugin.c") -> Path:
    """Compile a plugin of this folder; without warnings, unless it is about one."""
    (compiler,) = require("cc")
    library = folder / f"{name}.so"
    command = [compiler, "-std=c11", "-O0", "-g0", "-w", "-shared", "-fPIC", "-pthread", INCLUDE, *options]
    subprocess.run([*command, str(HERE / source), "-o", str(library)], check=True)
    return library


def verify(plugin: Path, *options: str, form: str = "json", api: str | None = API, is_parent: bool = False) -> Verified:
    """Run `abigen verify`; `is_parent` as in `run_here`."""
    chosen = () if api is None else ("--api", api)
    done = run_here(["verify", str(plugin), *chosen, "--format", form, *options], is_parent=is_parent)
    return Verified(done.code, done.stdout, done.stderr)
