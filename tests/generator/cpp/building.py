"""Making C++ headers, and programs out of them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import msgspec

from tests.generator.build.building import abigen
from tests.sampling import covering_pairs
from tests.tools import require_compiler
from tests.whole_build import GROUPS, whole_build

HERE = Path(__file__).parent
SPEC = HERE / "spec"
WARNINGS = ("-Wall", "-Wextra", "-Werror", "-pedantic")
SANITIZED = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g")
COMPILERS = covering_pairs((("g++", "clang++"), ("c++17", "c++20")))


class Generated(msgspec.Struct, frozen=True):
    """The output of `abigen build` for a folder of specs."""

    folder: Path

    @property
    def include(self) -> tuple[str, ...]:
        """The folders of headers of both languages."""
        shared = self.folder.parent / "cpp"
        return (f"-I{self.folder / 'c'}", f"-I{self.folder / 'cpp'}", f"-I{shared}", f"-I{HERE}")

    @property
    def headers(self) -> list[str]:
        """The headers in C++, as they are included."""
        return [path.relative_to(self.folder / "cpp").as_posix() for path in sorted(self.folder.rglob("*.hpp"))]

    def read(self, header: str) -> str:
        """Return the text of a header in C++."""
        return (self.folder / "cpp" / header).read_text()


def shipped(group: str) -> Generated:
    """Return what is built of a group of the specs that come with abigen."""
    return Generated(whole_build(group))


def all_shipped() -> list[Generated]:
    """Return the same for all groups."""
    return [shipped(group) for group in GROUPS]


def generate(out: Path, spec: Path = SPEC) -> Generated:
    """Build headers in both languages."""
    run = abigen("build", "--no-cache", "--target", "c", "--target", "cpp", "--spec-dir", spec, "--out", out)
    assert run.code == 0, run.stderr
    return Generated(out)


def compiled(compiler: str, *arguments: str | Path) -> str:
    """Run a compiler; returns what it said, empty when all was well."""
    require_compiler(compiler, *arguments)
    done = subprocess.run([compiler, *map(str, arguments)], capture_output=True, text=True, check=False)
    return done.stderr if done.returncode or done.stderr else ""


def refused(generated: Generated, compiler: str, code: str, folder: Path) -> str:
    """Return the errors of a compiler for code that it must not accept."""
    source = folder / "refused.cc"
    source.write_text(f'#include "lab/lab.hpp"\n{code}')
    said = compiled(compiler, "-std=c++17", *WARNINGS, *generated.include, "-fsyntax-only", source)
    assert said, "compiled without a word"
    return said
