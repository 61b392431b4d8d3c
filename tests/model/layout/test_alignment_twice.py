"""Attributes that stand before and behind what they are about: each compiler has its own way to choose among them."""

from __future__ import annotations

import subprocess
from itertools import product
from pathlib import Path

import pytest

from abigen.headers.reader import read_headers
from abigen.model.layout import Layouts
from abigen.model.target import find_target
from abigen.workspace.options import ReadOptions, SourceFile
from tests.model.layout.compilers import clang_triple
from tests.tools import require_compiler

_ATTRIBUTES = ("", "aligned(2)", "aligned(8)", "aligned(32)", "aligned", "packed", "aligned(32), aligned(4)")
_ALIGNAS = ("_Alignas(8)", "_Alignas(16) _Alignas(4)", "_Alignas(4) _Alignas(16)")


def _attribute(text: str) -> str:
    return f"__attribute__(({text}))" if text else ""


def _source() -> list[str]:
    """Return structs of two members, one a line."""
    bodies = []
    for before, behind, last in product(_ATTRIBUTES, _ATTRIBUTES, ("", "aligned(4)")):
        one, two, three = map(_attribute, (before, behind, last))
        bodies.append((one, "char c; int a;", f"{two} {three}"))
        bodies.append(("", f"char c; {one} int a {two} {three};", ""))
    bodies += [("", f"char c; {each} int a {_attribute(last)};", "") for each, last in product(_ALIGNAS, _ATTRIBUTES)]
    return [f"struct {one} K{number} {{ {body} }} {two};" for number, (one, body, two) in enumerate(bodies)]


@pytest.mark.first_case
@pytest.mark.parametrize(
    "target", ["x86_64-linux-gnu", "i686-linux-gnu", "aarch64-apple-darwin", "x86_64-windows-msvc"]
)
def test_of_several_alignments_the_one_counts_that_the_compiler_chooses(target: str, tmp_path: Path) -> None:
    command = ["gcc", "-m32"] if target.startswith("i686") else ["gcc"]
    if not target.endswith("linux-gnu"):
        command = ["clang", f"--target={clang_triple(target)}"]
    require_compiler(*command, "-fsyntax-only")
    lines = _source()
    text = "\n".join(lines) + "\n"
    options = ReadOptions(targets=(target,), cc="none", cache=False)
    api = read_headers([SourceFile("probe.h", str(tmp_path / "probe.h"), text)], options).for_target(target)
    layouts = Layouts(api, find_target(target))
    for number, line in enumerate(lines):
        layout, name = layouts.of(f"K{number}"), f"struct K{number}"
        told = f"sizeof({name}) == {layout.size} && __alignof__({name}) == {layout.alignment}"
        told += f" && __builtin_offsetof({name}, a) == {layout.fields[1].offset}"
        text += f'_Static_assert({told}, "{line}");\n'
    probe = tmp_path / "probe.c"
    probe.write_text(text)
    run = subprocess.run([*command, "-w", "-fsyntax-only", str(probe)], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
