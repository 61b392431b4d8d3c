"""Tests of `--library` with a library whose debugging information is in a separate file."""

from __future__ import annotations

import random
import shutil
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile

from abigen.checker.library.debug_files import build_id, find_debug_file
from abigen.checker.library.debug_info import read_compiled_library
from abigen.model.span import AbigenError
from tests.cli.program import Program
from tests.tools import require

HEADER = """#pragma once
#ifndef XY_WIDTH
#define XY_WIDTH int
#endif
typedef struct xy_box { int kind; XY_WIDTH width; } xy_box;
int xy_open(xy_box *box);
"""
SOURCE = '#include "api.h"\nint xy_open(xy_box *box) { return box->kind; }\n'
DIFFERS = "xy_box has 16 bytes in libxy.so and 8 in the header"
Write = Callable[..., Path]
Compile = Callable[..., Path]


@pytest.fixture
def library(abigen: Program, write: Write) -> Compile:
    """Compile a library with another width than the header has; the arguments are options of the compiler."""
    write("api.h", HEADER)
    source = write("library.c", SOURCE)

    def compile_library(*options: str, width: str = "double", name: str = "libxy.so") -> Path:
        output = abigen.directory / name
        command = [*require("gcc"), "-g", "-shared", "-fPIC", f"-DXY_WIDTH={width}", *options, str(source)]
        subprocess.run([*command, "-o", str(output)], check=True)
        return output

    return compile_library


def _separate(path: Path, debug: Path, *, with_link: bool = True) -> None:
    """Move the debugging information of a library to a file of its own."""
    objcopy = require("objcopy")
    debug.parent.mkdir(exist_ok=True)
    subprocess.run([*objcopy, "--only-keep-debug", str(path), str(debug)], check=True)
    link = [f"--add-gnu-debuglink={debug}"] if with_link else []
    subprocess.run([*objcopy, "--strip-debug", *link, str(path)], check=True)


def _report(abigen: Program) -> tuple[str, str]:
    """Return the findings about the library, and the remarks."""
    result = abigen("lint", "api.h", "--library", "libxy.so", "--select", "ABI83*", "--format", "concise")
    return result.output, result.remarks


@pytest.mark.first_case
@pytest.mark.parametrize("debug", ["libxy.so.debug", "libxy.debug", ".debug/other.debug", "other.debug"])
@pytest.mark.parametrize("option", ["-Wl,--build-id=sha1", "-Wl,--build-id=none"])
def test_a_debug_file_near_the_library_is_read(abigen: Program, library: Compile, debug: str, option: str) -> None:
    path = library(option)
    _separate(path, abigen.directory / debug, with_link="other" in debug)
    found, remarks = _report(abigen)
    assert DIFFERS in found
    assert remarks == ""


@pytest.mark.first_case
@pytest.mark.parametrize(
    ("option", "with_link", "reason"),
    [
        ("-Wl,--build-id=sha1", True, "the build ids differ"),
        ("-Wl,--build-id=none", True, "the CRC differs"),
        ("-Wl,--build-id=none", False, "the sections differ"),
    ],
)
def test_a_debug_file_of_another_build_is_not_read(
    abigen: Program, library: Compile, write: Write, option: str, with_link: bool, reason: str
) -> None:
    debug = abigen.directory / "libxy.debug"
    _separate(library(option), debug)
    kept = debug.read_bytes()
    write("library.c", SOURCE + "int xy_more(xy_box *box) { return box->kind + 1; }\n")
    _separate(library(option, width="int"), debug, with_link=with_link)
    debug.write_bytes(kept)
    found, remarks = _report(abigen)
    assert "xy_box" not in found
    assert remarks.startswith("abigen: libxy.so has no debugging information (-g), and libxy.debug belongs to another")
    assert remarks.endswith(f" build ({reason}), so only its symbols are compared\n")


def test_a_debug_file_that_is_not_installed_is_named(abigen: Program, library: Compile) -> None:
    debug = abigen.directory / "libxy.debug"
    _separate(library(), debug)
    debug.unlink()
    assert _report(abigen)[1] == (
        "abigen: libxy.so has no debugging information (-g), and its debug file libxy.debug was not found, "
        "so only its symbols are compared\n"
    )


def test_a_debug_file_without_debugging_information_is_named(abigen: Program, library: Compile) -> None:
    _separate(library("-g0"), abigen.directory / "libxy.debug")
    remark = "abigen: libxy.debug has no debugging information (-g), so only its symbols are compared\n"
    assert _report(abigen)[1] == remark


@pytest.mark.ci
def test_a_damaged_debug_file_is_refused_or_not_read(abigen: Program, library: Compile) -> None:
    debug = abigen.directory / "libxy.debug"
    _separate(library(), debug)
    whole = debug.read_bytes()
    for length in range(0, len(whole), len(whole) // 40):
        debug.write_bytes(whole[:length])
        result = abigen("lint", "api.h", "--library", "libxy.so")
        assert "Traceback" not in result.remarks
        assert result.remarks


@pytest.mark.ci
def test_damaged_files_are_read_or_refused_at_once(abigen: Program, library: Compile) -> None:
    path, debug = library(), abigen.directory / "libxy.debug"
    _separate(path, debug)
    chance = random.Random(46)
    files = {each: each.read_bytes() for each in (path, debug)}
    for _ in range(200):
        for each, whole in files.items():
            content = bytearray(whole)
            for _ in range(chance.randint(0, 8)):
                content[chance.randrange(64, len(content))] = chance.choice([0, 255, chance.randrange(256)])
            each.write_bytes(content)
        start = time.monotonic()
        with suppress(AbigenError):
            read_compiled_library(str(path), frozenset({"api.h"}))
        assert time.monotonic() - start < 2


def test_the_files_of_the_system_are_found_by_build_id_and_by_folder(
    abigen: Program, library: Compile, tmp_path: Path
) -> None:
    path = library("-Wl,--build-id=sha1")
    debug = abigen.directory / "moved" / "libxy.debug"
    _separate(path, debug)
    root = tmp_path / "debug"
    with path.open("rb") as stream:
        file = ELFFile(stream)
        identifier = build_id(file)
        places = [
            root.joinpath(*path.parent.parts[1:]) / debug.name,
            root / ".build-id" / identifier[:2] / f"{identifier[2:]}.debug",
        ]
        for each in places:
            each.parent.mkdir(parents=True)
            shutil.copy(debug, each)
            assert find_debug_file(path, file, root).path == each


@pytest.mark.ci
def test_a_part_that_libraries_share_is_read(abigen: Program, library: Compile) -> None:
    one, two = library(), library(name="libother.so")
    shared = abigen.directory / "shared.debug"
    for each in (one, two):
        _separate(each, each.with_suffix(".debug"))
    both = [str(each.with_suffix(".debug")) for each in (one, two)]
    subprocess.run([*require("dwz"), "-m", str(shared), "-M", shared.name, *both], check=True)
    assert shared.exists()
    found, remarks = _report(abigen)
    assert DIFFERS in found
    assert remarks == ""
    shared.unlink()
    remark = (
        "the debugging information of libxy.debug is not complete: a part of it is in shared.debug, which was not found"
    )
    assert _report(abigen)[1] == f"abigen: {remark}, so only its symbols are compared\n"
