"""Every constant of every generated language has the value that C gives it."""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.generator.build.building import abigen
from tests.sampling import short_form
from tests.tools import require, require_file
from tests.whole_build import whole_build

HEADERS = Path(__file__).with_name("linux_headers.txt").read_text().split()
"""Headers of Linux, which come with every C library; each is included as <linux/...>."""

TRICKY = """\
abigen: 1
api: k
prefix: K
version: 1.0.0
header: {path: k.h}
enums:
  - name: K_Wide
    underlying: int64_t
    enumerators:
      - {name: K_A, value: 2147483648}
      - {name: K_B}
      - {name: K_C, value: 5L}
      - {name: K_D, value: sizeof(int)}
      - {name: K_E}
  - {name: K_Flags, enumerators: [{name: K_F, value: 1L << 3}, {name: K_G}, {name: K_H, value: 1UL << 4}, {name: K_I}]}
  - {name: K_Sized, enumerators: [{name: K_J, value: sizeof(K_S)}, {name: K_K}, {name: K_L, value: -K_J}]}
constants:
  - {name: K_M, value: K_E + 1}
  - {name: K_N, value: 1UL << 40}
  - {name: K_O, value: 1 << 10}
  - {name: K_P, value: K_O - 1}
  - {name: K_Q, value: -K_O}
  - {name: K_R, value: 7 - K_Q * 2}
structs:
  - {name: K_S, versioned: false, fields: [{name: a, type: "char[K_I]"}]}
"""

_IN_RUST = re.compile(r"pub const (\w+): [\w:]+ = (?:\w+\()?(-?\d+)\)?;")


def _in_python(folder: Path) -> Iterator[tuple[str, int]]:
    """Yield the numbers that packages give to names, also in classes."""
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                value = node.value
                negative = isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.USub)
                number = value.operand if isinstance(value, ast.UnaryOp) else value
                if isinstance(number, ast.Constant) and type(number.value) is int:
                    yield node.targets[0].id, -number.value if negative else number.value


def _in_rust(folder: Path) -> Iterator[tuple[str, int]]:
    """Yield the numbers that modules give to names."""
    for path in folder.rglob("*.rs"):
        yield from ((name, int(value)) for name, value in _IN_RUST.findall(path.read_text(encoding="utf-8")))


def _in_c(names: set[str], include: Path, tmp_path: Path, header: str = "") -> dict[str, int]:
    """Return a compiler's values of the names that headers below a folder, or the original header, define."""
    headers = sorted(each.relative_to(include).as_posix() for each in include.rglob("*.h"))
    text = "".join(f'#include "{each}"\n' for each in headers if not each.endswith("_helpers.h"))
    text = f"#include <{header}>\n" if header else text
    words = set(re.findall(r"\w+", "".join((include / each).read_text(encoding="utf-8") for each in headers)))
    known = sorted(names & words)
    shown = "".join(f'  printf("{each} %lld\\n", (long long)({each}));\n' for each in known)
    source = tmp_path / "constants.c"
    source.write_text(f"#include <stdio.h>\n{text}int main(void) {{\n{shown}  return 0;\n}}\n")
    (compiler,) = require("gcc")
    subprocess.run([compiler, "-w", f"-I{include}", str(source), "-o", str(tmp_path / "constants")], check=True)
    printed = subprocess.run([tmp_path / "constants"], check=True, capture_output=True, text=True).stdout
    return {name: int(value) for name, value in map(str.split, printed.splitlines())}


def _differing(folder: Path, tmp_path: Path, header: str = "") -> tuple[int, list[str]]:
    """Return the number of compared constants, and those whose value differs from C's."""
    found = [*_in_python(folder / "python"), *_in_rust(folder / "rust")]
    values = _in_c({name for name, _ in found}, folder / "c", tmp_path, header)
    wrong = [f"{name} is {value}, not {values[name]}" for name, value in found if values.get(name, value) != value]
    return sum(name in values for name, _ in found), wrong


@pytest.mark.first_case
@pytest.mark.parametrize(("group", "least"), [("rfc", 40), ("tensorflow", 120), ("xla", 60)])
def test_generated_constants_have_the_values_of_c(group: str, least: int, tmp_path: Path) -> None:
    compared, wrong = _differing(whole_build(group), tmp_path)
    assert wrong == []
    assert compared >= least


def test_an_enumerator_of_any_type_has_the_value_of_c(tmp_path: Path) -> None:
    (tmp_path / "k.yaml").write_text(TRICKY)
    targets = ("--target", "c", "--target", "python", "--target", "rust")
    run = abigen("build", tmp_path / "k.yaml", "--out", tmp_path / "out", *targets)
    assert run.code == 0, run.stderr
    compared, wrong = _differing(tmp_path / "out", tmp_path)
    assert wrong == []
    assert compared >= 2 * 18


def test_an_enumerator_that_is_not_the_same_everywhere_is_refused(tmp_path: Path) -> None:
    (tmp_path / "k.yaml").write_text(TRICKY.replace("sizeof(int)", "sizeof(long)"))
    run = abigen("build", tmp_path / "k.yaml", "--out", tmp_path / "out")
    assert run.code == 2
    assert "'K_D' is 8 on x86_64-linux-gnu, 4 on x86_64-windows-msvc" in run.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.ci
@pytest.mark.parametrize("header", short_form(HEADERS, 25, in_ci=True, ci_every=5))
def test_an_imported_header_gives_constants_of_the_same_values(header: str, tmp_path: Path) -> None:
    path = require_file(Path("/usr/include/linux", header), "linux-libc-dev")
    done = abigen("import", path, "--no-cache", "--no-config", "--out", tmp_path / "spec")
    assert done.code in (0, 1), done.stderr
    targets = ("--target", "c", "--target", "python", "--target", "rust")
    run = abigen("build", "--spec-dir", tmp_path / "spec", "--out", tmp_path / "out", "--no-cache", *targets)
    assert run.code == 0, run.stderr
    compared, wrong = _differing(tmp_path / "out", tmp_path, f"linux/{header}")
    assert wrong == []
    assert compared >= 4
