"""Programs in C that show what is wrong with a plugin, without abigen."""

from __future__ import annotations

import platform
import re
import signal
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.runner.verify.plugins import compile_plugin, verify
from tests.sampling import short_form
from tests.tools import require


class Shown(NamedTuple):
    """A fault of a plugin, and the program that shows it."""

    fault: str
    check: str
    code: int
    """The exit code of the program; the number of a signal is negative."""
    said: str
    """On its last line."""
    rule: str = ""
    """The check that finds it, if it is not the named one."""


SHOWN = [
    Shown("SHORT_COPY", "copy-is-wrong", 1, "byte 127 is 0x00 instead of 0xc4"),
    Shown("CRASHES", "allocation-fails", -signal.SIGSEGV, "SP_StreamExecutor.allocate", "callback-crashes"),
    Shown("WRITES_PAST_END", "creation-fails", 1, "SP_PlatformFns.create_device_fns writes past the end of what has 40 "
          "bytes, at 40", "writes-past-end"),
    Shown("EXITS", "creation-fails", 1, "SP_StreamExecutor.create_stream ends the process", "plugin-exits"),
    Shown("CREATES_ONCE", "not-again-after-the-end", 1, "  fails: code "),
    Shown("KEEPS_PARAMETERS", "not-again-after-the-end", -signal.SIGSEGV, "SP_PlatformFns.create_timer_fns",
          "touches-what-has-ended"),
    Shown("CANNOT_FREE_NULL", "allocation-of-nothing", -signal.SIGSEGV, "SP_StreamExecutor.deallocate",
          "callback-crashes"),
    Shown("BYTES_AS_WORDS", "fill-is-wrong", 1, "byte 69 is 0x29 instead of 0x03"),
]  # fmt: skip


def run(program: Path, plugin: Path) -> tuple[int, str]:
    """Compile a program without any library of abigen's, and run it; its exit code and what it says."""
    (compiler,) = require("cc")
    shows = program.with_suffix("")
    command = [compiler, str(program), "-w", "-rdynamic", "-pthread", "-ldl", "-lm", "-o", str(shows)]
    subprocess.run(command, check=True)
    done = subprocess.run([str(shows), str(plugin)], capture_output=True, text=True, check=False, timeout=60)
    return done.returncode, done.stdout


@pytest.mark.ci
@pytest.mark.parametrize("shown", short_form(SHOWN, 4, in_ci=True), ids=lambda shown: shown.fault.lower())
def test_a_program_shows_the_fault_and_nothing_where_there_is_none(shown: Shown, tmp_path: Path) -> None:
    plugin = compile_plugin(tmp_path, "plugin", f"-DFAULT={shown.fault}")
    verified = verify(plugin, "--only", shown.check, "--repro", str(tmp_path / "shown"))
    rule = shown.rule or shown.check
    (program,) = (tmp_path / "shown").glob("*.c")
    assert f"{rule} " in verified.remarks, verified.remarks
    assert f"shown by {program}" in verified.remarks
    assert f" {rule}: " in program.read_text(encoding="ascii")
    code, said = run(program, plugin)
    assert code == shown.code, said
    assert said.splitlines()[-1].startswith(shown.said)
    code, said = run(program, compile_plugin(tmp_path, "right"))
    assert (code, said.splitlines()[-1]) == (0, "the fault does not show")


_LOW = """
#include <stdlib.h>
#include <sys/mman.h>
static inline void* low(size_t count, size_t size) {
  static char* next;
  if (!next) next = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
  return (next += 4096) - count * size / 16 * 16;
}
#define calloc low
#define free(memory) ((void)(memory))
"""


@pytest.mark.ci
@pytest.mark.skipif(platform.machine() != "x86_64", reason="MAP_32BIT is one of x86-64")
def test_a_program_creates_handles_anew_that_are_below_4_gib(tmp_path: Path) -> None:
    """The heap of Debian's Python is there, and an address below 4 GiB could be a number."""
    (tmp_path / "low.h").write_text(_LOW)
    options = ("-D_GNU_SOURCE", "-include", str(tmp_path / "low.h"))
    plugin = compile_plugin(tmp_path, "plugin", "-DFAULT=CREATES_ONCE", *options)
    verify(plugin, "--only", "not-again-after-the-end", "--repro", str(tmp_path / "shown"))
    (program,) = (tmp_path / "shown").glob("*.c")
    text = program.read_text(encoding="ascii")
    assert "SP_StreamExecutor.destroy_stream" in text
    assert not re.search(r"\(void\*\)[1-9]", text), "the address of a handle is written as a number"
    code, said = run(program, plugin)
    assert (code, said.splitlines()[-1][:14]) == (1, "  fails: code ")


@pytest.mark.ci
def test_what_no_program_shows_is_said_in_a_line(tmp_path: Path) -> None:
    plugin = compile_plugin(tmp_path, "plugin", "-DFAULT=MISSING_CALLBACK")
    verified = verify(plugin, "--only", "required-member-missing", "--repro", str(tmp_path / "shown"))
    assert not list(tmp_path.glob("shown/*"))
    (line,) = (line for line in verified.remarks.splitlines() if line.startswith("repro: "))
    assert line == (
        "repro: ABI030 required-member-missing SP_StreamExecutor.sync_memcpy_dtod: no program shows it: abigen "
        "finds it by comparing runs; no single call shows it"
    )
