"""Tests of `--library` with libraries for Windows and macOS, of which the exports are compared."""

from __future__ import annotations

import os
import random
import struct
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.program import Program
from tests.tools import require, require_module

ROOT = Path(__file__).parents[2]
HEADER = """#pragma once
#ifdef _WIN32
#define XY_CALL __stdcall
#else
#define XY_CALL
#endif
int XY_CALL xy_open(const char *name);
int XY_CALL xy_close(int number);
extern int xy_level;
"""
SOURCE = """#include "api.h"
#ifdef _WIN32
#define XY_EXPORT __declspec(dllexport)
#else
#define XY_EXPORT
#endif
XY_EXPORT int XY_CALL xy_open(const char *name) { return !name; }
XY_EXPORT int xy_level = 1;
"""
CLOSE = "XY_EXPORT int XY_CALL xy_close(int number) { return number; }\n"
MISSING = "xy_close is declared, and not exported by "
REMARK = "is in a format whose debugging information is not read, so only its symbols are compared\n"
Write = Callable[..., Path]
WINDOWS = {
    "x86_64-windows-msvc": "x86_64-w64-mingw32-gcc",
    "x86_64-windows-gnu": "x86_64-w64-mingw32-gcc",
    "i686-windows-gnu": "i686-w64-mingw32-gcc",
}
MAC = {"x86_64-apple-darwin": ("x86_64", 0x01000007, 3), "aarch64-apple-darwin": ("arm64", 0x0100000C, 0)}
"""Targets with the architecture, and with the numbers of the processor in a file for several machines."""


@pytest.fixture(autouse=True)
def _header(write: Write) -> None:
    require_module("lief")
    write("api.h", HEADER)


def _windows(abigen: Program, write: Write, compiler: str, *options: str, source: str = SOURCE) -> Path:
    """Compile a library for Windows."""
    output = abigen.directory / "xy.dll"
    command = [*require(compiler), *(options or ("-shared",)), str(write("library.c", source)), "-o", str(output)]
    subprocess.run(command, check=True)
    return output


def _mac(abigen: Program, write: Write, target: str, source: str = SOURCE) -> Path:
    """Compile a library for macOS."""
    architecture = MAC[target][0]
    objects, output = abigen.directory / f"{architecture}.o", abigen.directory / f"{architecture}.dylib"
    clang = require(f"clang --target={architecture}-apple-macos11 -fsyntax-only")[0]
    lld = Path(require("ld.lld")[0]).resolve().with_name("lld")
    compile_it = [clang, f"--target={architecture}-apple-macos11", "-c", write("library.c", source), "-o", objects]
    subprocess.run(compile_it, check=True)
    link = ["-dylib", "-arch", architecture, "-platform_version", "macos", "11", "11", objects, "-o", output]
    subprocess.run([lld, "-flavor", "darwin", *link], check=True)
    return output


def _universal(abigen: Program, parts: dict[str, Path]) -> Path:
    """Join libraries for macOS to one file for several machines (Apple, mach-o/fat.h)."""
    offset, heads, bodies = 1 << 14, b"", b""
    for target, path in parts.items():
        content = path.read_bytes()
        content += bytes(-len(content) % (1 << 14))
        heads += struct.pack(">5I", *MAC[target][1:], offset, len(content), 14)
        bodies += content
        offset += len(content)
    output = abigen.directory / "both.dylib"
    output.write_bytes((struct.pack(">2I", 0xCAFEBABE, len(parts)) + heads).ljust(1 << 14, b"\0") + bodies)
    return output


def _found(abigen: Program, library: Path, *targets: str) -> tuple[list[str], str]:
    """Return what the rules about libraries report, one line each, and the remarks."""
    chosen = [part for each in targets for part in ("--abi", each)]
    arguments = ("lint", "api.h", "--library", library.name, *chosen, "--select", "ABI83*", "--format", "concise")
    result = abigen(*arguments)
    return [line.partition(": ")[2] for line in result.output.splitlines() if " ABI83" in line], result.remarks


@pytest.mark.ci
@pytest.mark.parametrize(("target", "compiler"), WINDOWS.items())
def test_a_library_for_windows(abigen: Program, write: Write, target: str, compiler: str) -> None:
    path = _windows(abigen, write, compiler, source=SOURCE + CLOSE)
    assert _found(abigen, path, target) == ([], f"abigen: xy.dll {REMARK}")
    path = _windows(abigen, write, compiler)
    assert _found(abigen, path, target)[0] == [f"error ABI830 symbol-not-exported: {MISSING}xy.dll"]


def test_a_symbol_of_windows_that_no_header_declares(abigen: Program, write: Write) -> None:
    more = SOURCE + CLOSE + "XY_EXPORT int xy_more(void) { return 1; }\n"
    path = _windows(abigen, write, "x86_64-w64-mingw32-gcc", source=more)
    assert _found(abigen, path)[0] == [
        "note ABI831 symbol-undeclared: the header does not declare xy_more, exported by xy.dll"
    ]


@pytest.mark.ci
@pytest.mark.parametrize("target", MAC)
def test_a_library_for_macos(abigen: Program, write: Write, target: str) -> None:
    path = _mac(abigen, write, target, SOURCE + CLOSE)
    assert _found(abigen, path, target) == ([], f"abigen: {path.name} {REMARK}")
    path = _mac(abigen, write, target)
    assert _found(abigen, path, target)[0] == [f"error ABI830 symbol-not-exported: {MISSING}{path.name}"]


@pytest.mark.ci
def test_the_parts_of_a_library_for_several_machines(abigen: Program, write: Write) -> None:
    one, two = MAC
    path = _universal(abigen, {one: _mac(abigen, write, one, SOURCE + CLOSE), two: _mac(abigen, write, two)})
    error = f"error ABI830 symbol-not-exported: {MISSING}both.dylib"
    assert _found(abigen, path, one)[0] == []
    assert _found(abigen, path, two)[0] == [error]
    assert _found(abigen, path, one, two)[0] == [f"{error} for {two}"]


def test_a_library_for_another_target_is_refused(abigen: Program, write: Write) -> None:
    path = _windows(abigen, write, "i686-w64-mingw32-gcc")
    assert _found(abigen, path, "x86_64-linux-gnu")[1] == (
        "abigen: error: xy.dll is for i686-windows-msvc, and the header was not read for that target\n"
        "  hint: add --abi i686-windows-msvc\n"
    )


def test_a_program_for_windows_is_refused(abigen: Program, write: Write) -> None:
    source = SOURCE + "int main(void) { return 0; }\n"
    path = _windows(abigen, write, "x86_64-w64-mingw32-gcc", "-O1", source=source)
    assert "xy.dll is not a shared library: it is a program for Windows" in _found(abigen, path)[1]


def test_lief_is_named_if_it_is_not_installed(abigen: Program, write: Write, tmp_path: Path) -> None:
    _windows(abigen, write, "x86_64-w64-mingw32-gcc")
    packages = tmp_path / "packages"
    packages.mkdir()
    for each in Path(sysconfig.get_path("platlib")).iterdir():
        if not each.name.startswith("lief"):
            (packages / each.name).symlink_to(each)
    command = [sys.executable, "-S", "-m", "abigen", "lint", "api.h", "--library", "xy.dll"]
    environment = {**os.environ, "PYTHONPATH": f"{packages}{os.pathsep}{ROOT}"}
    run = subprocess.run(command, cwd=abigen.directory, env=environment, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (
        2,
        "abigen: error: xy.dll is a library for Windows or macOS, and LIEF, which reads it, is not installed\n"
        "  hint: install it: pip install 'abigen[library]'\n",
    )


@pytest.mark.ci
@pytest.mark.parametrize("system", ["windows", "macos"])
def test_a_damaged_library_is_compared_or_refused(abigen: Program, write: Write, system: str) -> None:
    is_mac = system == "macos"
    good = _mac(abigen, write, next(iter(MAC))) if is_mac else _windows(abigen, write, "x86_64-w64-mingw32-gcc")
    whole = good.read_bytes()
    chance = random.Random(45)
    path = abigen.directory / "damaged.dll"
    for _ in range(40):
        content = bytearray(whole)
        for _ in range(chance.randint(1, 12)):
            content[chance.randrange(4, min(len(content), 4096))] = chance.randrange(256)
        path.write_bytes(content[: chance.choice([len(content), chance.randrange(4, len(content))])])
        start = time.monotonic()
        result = abigen("lint", "api.h", "--library", path.name)
        assert result.code in (0, 1, 2)
        assert "Traceback" not in result.remarks
        assert time.monotonic() - start < 5


@pytest.mark.first_case
@pytest.mark.parametrize(
    "content", [b"MZ", b"MZ" + bytes(300), b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe" + b"\xff" * 99]
)
def test_a_file_that_only_begins_like_a_library_is_refused(abigen: Program, write: Write, content: bytes) -> None:
    path = write("bad.dll", "")
    path.write_bytes(content)
    assert _found(abigen, path)[1].startswith("abigen: error: bad.dll is damaged: its tables cannot be read")


@pytest.mark.ci
@pytest.mark.parametrize("system", ["windows", "macos"])
def test_a_library_that_was_cut_is_refused(abigen: Program, write: Write, system: str) -> None:
    is_mac = system == "macos"
    good = _mac(abigen, write, next(iter(MAC))) if is_mac else _windows(abigen, write, "x86_64-w64-mingw32-gcc")
    whole = good.read_bytes()
    path = write("cut.dll", "")
    for length in range(300, len(whole) // 2, len(whole) // 9):
        path.write_bytes(whole[:length])
        assert _found(abigen, path)[1].startswith("abigen: error: cut.dll is damaged: its tables cannot be read"), (
            length
        )
