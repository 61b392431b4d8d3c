"""Tests of the wheel: it is complete and works without a checkout on every supported Python."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.cli.package.pythons import SUPPORTED, find_python
from tests.tools import missing

pytestmark = pytest.mark.install
ROOT = Path(__file__).parents[3]
HEADER = """\
#ifndef TOY_H_
#define TOY_H_
#include <stddef.h>
#include <stdint.h>
typedef struct Toy { size_t struct_size; void* ext; int32_t kind; } Toy;
#endif
"""
SPEC = """\
abigen: 1
api: toy
version: 1.0.0
header: {path: toy.h}
structs:
  - {name: Toy, fields: [{name: kind, type: int32_t}]}
"""


def call(arguments: Sequence[str | Path], directory: Path) -> str:
    """Standard output of a program that must succeed, run where no variable leads back to this checkout."""
    clean = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    run = subprocess.run(arguments, cwd=directory, env=clean, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout."""
    place = tmp_path_factory.mktemp("wheel")
    call([sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", place, ROOT], place)
    (path,) = place.glob("abigen-*.whl")
    return path


def files_below(folder: str) -> set[str]:
    """Return the files of a folder of the checkout that git keeps, or would keep, as paths below the checkout."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", folder]
    names = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return {name for name in names.split("\0") if name and (ROOT / name).is_file()}


def test_the_wheel_holds_the_package_the_templates_and_the_specs(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    assert files_below("abigen") <= names
    for folder in ("templates", "spec"):
        assert {f"abigen/_data/{name}" for name in files_below(folder)} <= names
    assert {name.partition("/")[0].partition("-")[0] for name in names} == {"abigen"}


@pytest.mark.parametrize(
    "version", [pytest.param(each, marks=[] if each == SUPPORTED[0] else pytest.mark.slow) for each in SUPPORTED]
)
def test_the_wheel_works_on_its_own(version: str, wheel: Path, tmp_path: Path) -> None:
    python = find_python(version)
    if python is None:
        missing(f"Python {version}", f"python{version} with its venv module", is_in_ci=False)
    call([python, "-m", "venv", tmp_path / "venv"], tmp_path)
    programs = tmp_path / "venv" / "bin"
    call([programs / "pip", "install", "-q", "--disable-pip-version-check", wheel], tmp_path)
    abigen = programs / "abigen"

    shipped = tmp_path / "empty"
    shipped.mkdir()
    find = "from abigen.workspace.shipped import SPECS, shipped; print(shipped(SPECS))"
    specs = call([programs / "python", "-c", find], tmp_path).strip()
    call([abigen, "build", "--spec-dir", specs], shipped)
    for path in files_below("generated"):
        assert (shipped / path).read_bytes() == (ROOT / path).read_bytes(), path

    own = tmp_path / "own"
    (own / "spec").mkdir(parents=True)
    (own / "spec" / "toy.yaml").write_text(SPEC, encoding="utf-8")
    call([abigen, "build"], own)
    assert (own / "generated" / "c" / "toy.h").is_file()
    assert {path.stem for path in (own / "generated" / "c").rglob("*.*")} == {"toy"}, (
        "the specs that abigen ships are not built"
    )

    (own / "old.h").write_text(HEADER, encoding="utf-8")
    (own / "new.h").write_text(HEADER.replace("kind;", "kind, colour;"), encoding="utf-8")
    for compiler in ([], ["--cc", "none"]):
        report = call([abigen, "diff", "old.h", "new.h", "--fail-on", "never", *compiler], own)
        assert "append-undetectable" in report
