"""Making checks, plugins and cores out of them."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

import msgspec

from tests.generator.build.building import Run, abigen
from tests.tools import require_compiler
from tests.whole_build import GROUPS, whole_build

HERE = Path(__file__).parent
SPEC = HERE / "spec"
WARNINGS = ("-Wall", "-Wextra", "-Werror", "-pedantic")
SANITIZED = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g")


class Generated(msgspec.Struct, frozen=True):
    """The output of `abigen build` for a folder of specs."""

    folder: Path

    @property
    def include(self) -> tuple[str, ...]:
        """The folders of headers and checks."""
        return (f"-I{self.folder / 'c'}", f"-I{self.folder / 'c-checks'}", f"-I{self.runtime.parent.parent}")

    @property
    def runtime(self) -> Path:
        """The file of C that the checks of all APIs share, beside the folders of groups if there are any."""
        paths = (each / "c-checks/abigen/checks_v1.c" for each in (self.folder, self.folder.parent))
        return next(each for each in paths if each.is_file())

    @property
    def sources(self) -> list[Path]:
        """The files of C."""
        return sorted({self.runtime, *(self.folder / "c-checks").rglob("*.c")})

    @property
    def headers(self) -> list[Path]:
        """The headers of the target."""
        return sorted((self.folder / "c-checks").rglob("*.h"))

    def source(self, name: str) -> Path:
        """Return the file of C that belongs to a header."""
        return self.folder / "c-checks" / f"{name}_checks.c"

    def linked(self, name: str) -> tuple[Path, Path]:
        """Return the files of C that a program needs for the checks of a header."""
        return (self.source(name), self.runtime)


def shipped(group: str) -> Generated:
    """Return what is built of a group of the specs that come with abigen."""
    return Generated(whole_build(group))


def all_shipped() -> list[Generated]:
    """Return the same for all groups."""
    return [shipped(group) for group in GROUPS]


def generate(out: Path, spec: Path = SPEC) -> Generated:
    """Build headers and checks."""
    run = abigen("build", "--no-cache", "--target", "c", "--target", "c-checks", "--spec-dir", spec, "--out", out)
    assert run.code == 0, run.stderr
    return Generated(out)


def compiled(compiler: str, *arguments: str | Path) -> str:
    """Run a compiler; returns what it said, empty when all was well."""
    require_compiler(compiler, *arguments)
    done = subprocess.run([compiler, *map(str, arguments)], capture_output=True, text=True, check=False)
    return done.stderr if done.returncode or done.stderr else ""


def plugin(out: Path, source: Path, generated: Generated, macros: Sequence[str] = ()) -> Path:
    """Make a plugin; each macro as `NAME=VALUE`."""
    options = ("-std=c11", "-g", "-shared", "-fPIC", *generated.include, *(f"-D{each}" for each in macros))
    assert compiled("gcc", *options, source, "-o", out) == ""
    return out


def run(program: Path, *arguments: str | Path, under: Sequence[str] = ()) -> Run:
    """Run a program; the sanitizers' memory is not limited."""
    command = [*under, str(program), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    return Run(done.returncode, done.stdout, done.stderr)
