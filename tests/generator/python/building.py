"""Generating packages, compiling what they talk to, and asking the C compiler where members stand."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from tests.generator.build.building import REPOSITORY, abigen
from tests.tools import require

HERE = Path(__file__).parent
SPEC = HERE / "spec"
RUNTIME = "plugin_api_runtime_v1"
SHARED = REPOSITORY / "generated/python"
"""The folder of the runtime of all groups."""


def generate(out: Path, spec: Path = SPEC) -> Path:
    """Build headers and packages of a folder of specs; returns where they are."""
    run = abigen("build", "--no-cache", "--target", "c", "--target", "python", "--spec-dir", spec, "--out", out)
    assert run.code == 0, run.stderr
    return out


def compile_library(source: Path, output: Path, include: Path, *options: str) -> Path:
    """Compile a shared library."""
    (compiler,) = require("gcc")
    command = [compiler, "-std=c11", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", f"-I{include}", *options]
    subprocess.run([*command, str(source), "-o", str(output)], check=True)
    return output


def load_package(folder: Path, name: str) -> ModuleType:
    """Import a package from a folder under its own name; the folder is then looked in for all others as well.

    The runtime is the same whichever folder it comes from.
    """
    sys.path[:0] = [str(each) for each in (folder, SHARED) if str(each) not in sys.path]
    importlib.invalidate_caches()
    return importlib.import_module(name)


def run_python(code: str, *path: Path, options: Sequence[str] = ()) -> subprocess.CompletedProcess[str]:
    """Run code in a process of its own that finds packages in some folders."""
    search = f"import sys; sys.path[:0] = {[str(each) for each in (*path, SHARED)]!r}\n"
    command = [sys.executable, *options, "-c", search + code]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def compilers_layouts(header: str, include: Path, structs: dict[str, list[str]], folder: Path) -> dict[str, list[int]]:
    """Return the size of each struct and the offset of each member as the C compiler has them, in bytes.

    Args:
        header: to include.
        include: where it is.
        structs: names of structs to names of members that are no bit-fields.
        folder: for what is compiled.
    """
    (compiler,) = require("gcc")
    lines = ["#include <stddef.h>", "#include <stdio.h>", f'#include "{header}"', "int main(void) {"]
    for struct, members in structs.items():
        values = [f"sizeof({struct})", *(f"offsetof({struct}, {member})" for member in members)]
        lines.append(f'  printf("\\"{struct}\\": [{", ".join(["%zu"] * len(values))}],\\n", {", ".join(values)});')
    lines += ["  return 0;", "}"]
    source = folder / "layouts.c"
    source.write_text("\n".join(lines))
    subprocess.run([compiler, "-std=c11", f"-I{include}", str(source), "-o", str(folder / "layouts")], check=True)
    done = subprocess.run([str(folder / "layouts")], capture_output=True, text=True, check=True)
    layouts: dict[str, list[int]] = json.loads("{" + done.stdout.rstrip().rstrip(",") + "}")
    return layouts
