"""Running `abigen build`, and compilers over what it made."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.running import REPOSITORY, Run, run_here
from tests.sampling import covering_pairs
from tests.tools import require_compiler

SPEC = Path(__file__).parent / "spec"

STRICT = ("-Wall", "-Wextra", "-Wpedantic", "-Werror", "-Wconversion", "-Wshadow", "-Wundef", "-Wcast-qual")
STRICT_C = (*STRICT, "-Wstrict-prototypes", "-Wmissing-prototypes")
STRICT_CPP = (*STRICT, "-Wold-style-cast", "-Wzero-as-null-pointer-constant")

COMPILERS = covering_pairs((("gcc", "clang"), ("c99", "c11", "c2x")), (("g++", "clang++"), ("c++11", "c++20")))
"""Every compiler and standard that generated headers are for."""


def abigen(*arguments: str | Path, cwd: Path | None = None) -> Run:
    """Run abigen, in the repository unless a folder is named."""
    return run_here([str(each) for each in arguments], cwd or REPOSITORY)


def build(out: Path, spec_dir: Path = SPEC, *arguments: str | Path) -> Path:
    """Build a folder of specs, which must succeed; returns where the headers of target `c` are."""
    run = abigen("build", *arguments, "--spec-dir", spec_dir, "--out", out)
    assert run.code == 0, run.stderr
    return out / "c"


def flags(compiler: str, standard: str) -> tuple[str, ...]:
    """Return the strictest warnings, as errors."""
    return (f"-std={standard}", *(STRICT_CPP if "++" in compiler else STRICT_C))


def compile_text(compiler: str, options: tuple[str, ...], text: str, output: Path | None = None) -> str:
    """Compile a program; returns what the compiler said, empty when all was well."""
    require_compiler(compiler, *options)
    language = "c++" if "++" in compiler else "c"
    to = ("-fsyntax-only",) if output is None else ("-o", str(output))
    command = [compiler, *options, "-x", language, "-", *to]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    return done.stderr if done.returncode or done.stderr else ""
