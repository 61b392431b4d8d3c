"""Tests of `--library`: a header against the shared library that ships with it, and libraries that cannot be read."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.program import Program
from tests.tools import require

HEADER = """#pragma once
enum xy_kind { XY_A, XY_B = 5 };
typedef struct xy_box { enum xy_kind kind; XY_WIDTH width; int many[3]; const char *name; } xy_box;
typedef struct xy_bits {
  unsigned a : 3, b : 5; XY_WIDTH c; unsigned long long d : 40, e : 30; unsigned : 0; signed char f : 2; short g : 9;
  union { struct { int h : 4, i : 9; char j; }; double k; unsigned l : 7; };
  struct { char m; struct { unsigned n : 1, o : 2; }; }; _Bool p : 1;
} xy_bits;
typedef struct __attribute__((packed)) xy_tight { char a : 3; int b : 31; long long c : 50; char d; } xy_tight;
typedef struct xy_apart { char a; int b __attribute__((aligned(16))); short c; } __attribute__((aligned(32))) xy_apart;
int xy_open(const char *name, xy_box *box);
int xy_sum(xy_bits *bits, xy_tight *tight, xy_apart *apart);
XY_WIDTH xy_area(xy_box box, int scale, ...);
""".replace("#pragma once", "#pragma once\n#ifndef XY_WIDTH\n#define XY_WIDTH int\n#endif")
SOURCE = """#include "api.h"
int xy_open(const char *name, xy_box *box) { return name && box; }
int xy_sum(xy_bits *bits, xy_tight *tight, xy_apart *apart) { return bits->a + tight->a + apart->a; }
XY_WIDTH xy_area(xy_box box, int scale, ...) { return box.width * scale; }
"""
Write = Callable[..., Path]


@pytest.fixture
def library(abigen: Program, write: Write) -> Callable[..., Path]:
    """Compile the source into a library; the arguments are options of the compiler."""
    write("api.h", HEADER)
    source = write("library.c", SOURCE)

    def compile_library(*options: str, compiler: str = "gcc", name: str = "libxy.so") -> Path:
        output = abigen.directory / name
        command = [*require(compiler), "-shared", "-fPIC", "-w", *options, str(source), "-o", str(output)]
        subprocess.run(command, check=True)
        return output

    return compile_library


def _found(abigen: Program, *arguments: str) -> list[str]:
    """Return what the rules about libraries report, one line each."""
    result = abigen("lint", "api.h", *arguments, "--select", "ABI83*", "--format", "concise")
    return [line for line in result.output.splitlines() if " ABI83" in line]


@pytest.mark.ci
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("dwarf", ["-gdwarf-2", "-gdwarf-3", "-gdwarf-4", "-gdwarf-5"])
@pytest.mark.parametrize("optimised", ["-O0", "-O2"])
def test_a_library_of_the_same_header_differs_in_nothing(
    abigen: Program, library: Callable[..., Path], compiler: str, dwarf: str, optimised: str
) -> None:
    library(dwarf, optimised, compiler=compiler)
    assert _found(abigen, "--library", "libxy.so") == []
    library(dwarf, optimised, "-DXY_WIDTH=double", compiler=compiler)
    found = _found(abigen, "--library", "libxy.so")
    assert [each.split()[2] for each in found] == ["ABI832", "ABI832", "ABI834"]
    assert "xy_box has 40 bytes in libxy.so and 32 in the header" in found[0]


def test_a_library_for_another_machine_is_compared_with_its_target(
    abigen: Program, library: Callable[..., Path]
) -> None:
    library("-g", compiler="aarch64-linux-gnu-gcc")
    result = abigen("lint", "api.h", "--library", "libxy.so", "--abi", "x86_64-linux-gnu")
    assert (result.code, result.remarks) == (
        2,
        "abigen: error: libxy.so is for aarch64-linux-gnu, and the header was not read for that target\n"
        "  hint: add --abi aarch64-linux-gnu\n",
    )
    assert _found(abigen, "--library", "libxy.so", "--abi", "aarch64-linux-gnu") == []


@pytest.mark.ci
def test_without_debugging_information_symbols_are_compared(abigen: Program, library: Callable[..., Path]) -> None:
    library("-DXY_WIDTH=double")
    result = abigen("lint", "api.h", "--library", "libxy.so", "--select", "ABI83*")
    assert result.remarks == "abigen: libxy.so has no debugging information (-g), so only its symbols are compared\n"
    library("-fvisibility=hidden")
    assert [line.split()[2] for line in _found(abigen, "--library", "libxy.so")] == 3 * ["ABI830"]


@pytest.mark.ci
def test_several_libraries_implement_one_header(abigen: Program, library: Callable[..., Path], write: Write) -> None:
    write("library.c", SOURCE.partition("XY_WIDTH xy_area")[0])  # xy_open and xy_sum
    library("-g", name="one.so")
    write("library.c", '#include "api.h"\n' + SOURCE.splitlines()[-1] + "\n")
    library("-g", name="two.so")
    assert len(_found(abigen, "--library", "one.so")) == 1
    assert _found(abigen, "--library", "one.so", "--library", "two.so") == []


@pytest.mark.ci
def test_a_symbol_that_only_the_new_library_lacks_is_a_flaw_of_a_change(
    abigen: Program, library: Callable[..., Path], write: Write
) -> None:
    library("-g", name="old.so")
    write("library.c", "".join(line for line in SOURCE.splitlines(keepends=True) if "xy_open" not in line))
    library("-g", name="new.so")
    result = abigen("diff", "api.h", "api.h", "--library", "old.so", "new.so")
    assert result.code == 1
    assert "error ABI830 symbol-not-exported: xy_open is declared, and not exported by new.so" in result.output
    assert "= was        exported by old.so as xy_open\n" in result.output
    same = abigen("diff", "api.h", "api.h", "--library", "new.so", "new.so")
    assert (same.code, same.output) == (0, "No change. No new version is needed. No version is stated.\n")


VERSIONS = "XY_%d { global: xy_area; xy_open; xy_sum; local: *; };\n"


@pytest.mark.ci
def test_a_program_needs_the_versions_that_it_was_linked_with(
    abigen: Program, library: Callable[..., Path], write: Write
) -> None:
    for number, name in enumerate(("old.so", "new.so"), start=1):
        script = write("library.map", VERSIONS % number)
        library(f"-Wl,--version-script={script}", "-Wl,-soname=libxy.so", name=name)
    result = abigen("diff", "api.h", "api.h", "--library", "old.so", "new.so")
    assert result.code == 1
    assert (
        "ABI835 symbol-version-removed: new.so no longer exports xy_open@XY_1: it exports xy_open@@XY_2"
        in result.output
    )
    assert "refers to xy_open@XY_1, so it does not load with new.so" in result.output
    program = write("program.c", "int xy_open();\nint main(void) { return xy_open(0, 0); }\n")
    (abigen.directory / "libxy.so").symlink_to("old.so")
    command = [*require("gcc"), "-w", str(program), "-L.", "-lxy", "-Wl,-rpath,$ORIGIN", "-o", "program"]
    subprocess.run(command, cwd=abigen.directory, check=True)
    for name, code in (("old.so", 0), ("new.so", 1)):
        (abigen.directory / "libxy.so").unlink()
        (abigen.directory / "libxy.so").symlink_to(name)
        run = subprocess.run([abigen.directory / "program"], capture_output=True, text=True, check=False)
        assert run.returncode == code
        assert ("version `XY_1' not found" in run.stderr) == (name == "new.so")


@pytest.mark.ci
def test_a_removed_symbol_is_named_with_its_version(
    abigen: Program, library: Callable[..., Path], write: Write
) -> None:
    library(f"-Wl,--version-script={write('old.map', VERSIONS % 1)}", name="old.so")
    library(f"-Wl,--version-script={write('new.map', 'XY_1 { global: xy_area; xy_sum; local: *; };')}", name="new.so")
    result = abigen("diff", "api.h", "api.h", "--library", "old.so", "new.so")
    assert "xy_open is declared, and not exported by new.so" in result.output
    assert "exported by old.so as xy_open@@XY_1\n" in result.output
    assert "ABI835" not in result.output


@pytest.mark.parametrize(
    ("content", "cause"),
    [
        (b"int x;\n", "bad.so is not a shared library: it is a text file"),
        (b"", "bad.so is not a shared library: it is empty"),
        (b"\x7fELF", "bad.so is incomplete: the file ends after 4 bytes"),
    ],
)
def test_a_file_that_is_no_library_is_refused(abigen: Program, write: Write, content: bytes, cause: str) -> None:
    write("api.h", HEADER)
    write("bad.so", "").write_bytes(content)
    result = abigen("lint", "api.h", "--library", "bad.so")
    assert (result.code, result.output) == (2, "")
    assert cause in result.remarks


@pytest.mark.ci
def test_a_damaged_library_is_compared_or_refused(abigen: Program, library: Callable[..., Path]) -> None:
    whole = library("-g").read_bytes()
    chance = random.Random(44)
    path = abigen.directory / "damaged.so"
    for _ in range(60):
        content = bytearray(whole)
        for _ in range(chance.randint(1, 12)):
            content[chance.randrange(64, len(content))] = chance.randrange(256)
        path.write_bytes(content[: chance.choice([len(content), chance.randrange(len(content))])])
        result = abigen("lint", "api.h", "--library", "damaged.so", "--abi", "x86_64-linux-gnu")
        assert result.code in (0, 1, 2)
        assert "Traceback" not in result.remarks
