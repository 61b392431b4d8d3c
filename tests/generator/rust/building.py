"""Making modules of Rust, and compiling them with each Rust that is there."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from tests.generator.build.building import abigen
from tests.tools import require, works
from tests.whole_build import whole_build

SPEC = Path(__file__).parent / "spec"


@cache
def tools(name: str) -> tuple[str, ...]:
    """Return a program of Rust in each version that is there: Debian's, and what a user has installed."""
    places = [shutil.which(name), f"/usr/bin/{name}", str(Path.home() / ".cargo" / "bin" / name)]
    found: dict[str, str] = {}
    for each in places:
        if each and works(shlex.quote(each)):
            version = subprocess.run([each, "--version"], capture_output=True, text=True, check=True).stdout
            found.setdefault(version, each)
    if not found:
        require(name)
    return tuple(found.values())


def options_for(target: str) -> tuple[str, list[str]]:
    """Return a compiler that has a target's standard library, and its options; skips the test where none has.

    `ABIGEN_RUST_SYSROOT` names a folder in which Debian's compiler finds it.
    """
    folder = os.environ.get("ABIGEN_RUST_SYSROOT")
    options = ["--target", target, *(["--sysroot", folder] if folder else [])]
    commands = [shlex.join([rustc, *options]) for rustc in (("/usr/bin/rustc",) if folder else tools("rustc"))]
    command = next(filter(works, commands), commands[0])
    return require(command)[0], options


def generate(out: Path, spec: Path = SPEC, *targets: str) -> list[Path]:
    """Build all modules of a folder of specs, and other targets; returns the modules' paths."""
    wanted = [option for each in targets or ("rust",) for option in ("--target", each)]
    run = abigen("build", "--no-cache", *wanted, "--spec-dir", spec, "--out", out)
    assert run.code == 0, run.stderr
    return sorted(out.rglob("*.rs"))


def committed(group: str) -> list[Path]:
    """Return the modules of a group of the specs that come with abigen."""
    folder = whole_build(group).parent
    return [*sorted((folder / "rust").glob("*.rs")), *sorted((folder / group / "rust").glob("*.rs"))]


def crate(folder: Path, modules: Iterable[Path], head: str = "#![no_std]", body: str = "") -> Path:
    """Write a crate of modules, in which warnings are errors."""
    lines = [head, "#![deny(warnings)]", *(f'#[path = "{each.resolve()}"]\npub mod {each.stem};' for each in modules)]
    path = folder / "crate.rs"
    path.write_text("\n".join([*lines, body]))
    return path


def compiled(source: Path, program: Path, *options: str, rustc: str) -> str:
    """Compile a crate; returns what the compiler said, empty when all was well."""
    command = [rustc, "--edition", "2021", *options, source, "-o", program]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stderr if done.returncode or done.stderr else ""


def checked(source: Path) -> None:
    """Compile a crate as a library, with each Rust."""
    for rustc in tools("rustc"):
        library = source.with_suffix(".rlib")
        assert compiled(source, library, "--crate-type", "lib", rustc=rustc) == "", rustc
