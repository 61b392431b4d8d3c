"""Tests that a stranger's library neither stops abigen nor leads it to other files."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from abigen.workspace.process import Bounds, Ending, Limits, Trace, run_isolated
from tests.cli.program import Program, Result
from tests.security import hostile_libraries as hostile
from tests.security.fuzz.libraries import run, seeds
from tests.tools import require

SYMBOLS = "so only its symbols are compared"
DAMAGED = "abigen: error: the debugging information of libxy.so is damaged\n"
Sections = Callable[[], Mapping[str, bytes]]


def _lint(abigen: Program, *arguments: str, library: str = "libxy.so") -> Result:
    return abigen("lint", "api.h", "--library", library, "--select", "ABI83*", "--no-cache", *arguments)


def _timed(abigen: Program, library: str = "libxy.so") -> tuple[Result, float]:
    start = time.monotonic()
    result = _lint(abigen, library=library)
    return result, time.monotonic() - start


def _plant(abigen: Program, sections: Mapping[str, bytes], compressed: str = "") -> None:
    hostile.add_sections(hostile.compile_library(abigen.directory), sections, compressed)


@pytest.mark.ci
@pytest.mark.parametrize(
    ("sections", "compressed"),
    [
        (hostile.typedef_of_itself, ""),
        (hostile.doubling_structs, ""),
        (hostile.long_location, ""),
        (lambda: hostile.old_bomb(100), ""),
        (lambda: hostile.new_bomb(0), ".debug_str"),
        (hostile.corrupt_compression, ".debug_str"),
    ],
    ids=["typedef", "structs", "location", "old bomb", "new bomb", "corrupt"],
)
def test_hostile_debugging_information_is_damaged(abigen: Program, sections: Sections, compressed: str) -> None:
    _plant(abigen, sections(), compressed)
    result, seconds = _timed(abigen)
    assert (result.code, result.output, result.remarks) == (2, "", DAMAGED)
    assert seconds < 5


@pytest.mark.ci
@pytest.mark.parametrize(
    ("sections", "compressed"),
    [(lambda: hostile.old_bomb(6 << 30), ""), (lambda: hostile.new_bomb(6 << 30), ".debug_str")],
    ids=["old", "new"],
)
def test_gigabytes_of_debugging_information_are_not_read(abigen: Program, sections: Sections, compressed: str) -> None:
    _plant(abigen, sections(), compressed)
    result, seconds = _timed(abigen)
    assert result.remarks == f"abigen: the debugging information of libxy.so is too large, {SYMBOLS}\n"
    assert seconds < 5


def _endless(abigen: Program) -> None:
    _plant(abigen, hostile.endless_directories())


@pytest.mark.ci
def test_symbols_are_compared_if_debugging_information_takes_too_long(
    abigen: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("abigen.checker.library.debug_info._SECONDS", 1)
    _endless(abigen)
    (abigen.directory / "api.h").write_text(hostile.HEADER + "int xy_more(void);\n")
    result, seconds = _timed(abigen)
    remark = f"abigen: the debugging information of libxy.so needs more than 1 s to read, {SYMBOLS}\n"
    assert result.remarks == remark
    assert "xy_more is declared, and not exported by libxy.so" in result.output
    assert seconds < 5


@pytest.mark.ci
def test_symbols_are_compared_if_debugging_information_takes_too_much_memory(
    abigen: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("abigen.checker.library.debug_info._ROOM", 64 << 20)
    _plant(abigen, hostile.many_entries(1 << 20))
    remark = f"abigen: the debugging information of libxy.so needs more than 64 MB of memory to read, {SYMBOLS}\n"
    assert _lint(abigen).remarks == remark


@pytest.mark.slow
@pytest.mark.parametrize("sections", [hostile.many_entries, hostile.endless_directories])
def test_any_library_is_read_in_ten_seconds_and_512_megabytes(abigen: Program, sections: Sections) -> None:
    _plant(abigen, sections())
    command = ["lint", "api.h", "--library", "libxy.so", "--no-cache"]
    start = time.monotonic()
    result = abigen.apart(*command)
    assert result.code in (0, 1)
    assert SYMBOLS in result.remarks
    assert time.monotonic() - start < 15


@pytest.mark.ci
def test_symbols_that_cannot_be_read_in_time_are_an_error(abigen: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("abigen.checker.library.debug_info._SECONDS", 0.2)
    hostile.compile_library(abigen.directory)
    many = "".join(f"int variable_{number};\n" for number in range(30_000))
    (abigen.directory / "many.c").write_text(many)
    command = [*require("gcc"), "-shared", "-fPIC", "many.c", "-o", "libxy.so"]
    subprocess.run(command, cwd=abigen.directory, check=True)
    result, seconds = _timed(abigen)
    assert (result.code, result.output) == (2, "")
    assert result.remarks.startswith("abigen: error: libxy.so needs more than 0.2 s to read\n")
    assert seconds < 5


def test_a_crash_of_the_process_that_reads_is_an_error(abigen: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    hostile.compile_library(abigen.directory, "-g")
    monkeypatch.setattr("abigen.checker.library.debug_info.find_debug_file", lambda *_: os.abort())
    monkeypatch.setattr("abigen.checker.library.debug_info._with_declarations", lambda *_: os.abort())
    result = _lint(abigen)
    assert (result.code, result.output) == (2, "")
    assert "and the process that reads them crashed" in result.remarks


SECRET = "secret_of_another_project"


@pytest.fixture
def outside(abigen: Program) -> Path:
    """A folder beside the project with debugging information of the same library."""
    folder = abigen.directory.parent / "outside"
    folder.mkdir()
    (abigen.directory / ".git").mkdir()
    path = hostile.compile_library(abigen.directory, "-g", "-Wl,--build-id=none")
    subprocess.run([*require("objcopy"), "--only-keep-debug", str(path), str(folder / "libxy.debug")], check=True)
    subprocess.run([*require("objcopy"), "--strip-debug", str(path)], check=True)
    return folder


@pytest.mark.ci
@pytest.mark.parametrize("name", ["libxy.debug", "libxy.so.debug"])
def test_a_link_to_a_debug_file_outside_is_not_followed(abigen: Program, outside: Path, name: str) -> None:
    (abigen.directory / name).symlink_to(outside / "libxy.debug")
    assert _lint(abigen).remarks == (
        f"abigen: libxy.so has no debugging information (-g), and {name} is a link to a file outside of the "
        f"library's folder and of /usr/lib/debug, {SYMBOLS}\n"
    )
    (abigen.directory / name).unlink()
    shutil.copy(outside / "libxy.debug", abigen.directory / name)
    assert _lint(abigen).remarks == ""


def test_a_folder_of_debug_files_that_leads_outside_is_not_followed(abigen: Program, outside: Path) -> None:
    (abigen.directory / "libxy.debug").write_bytes((outside / "libxy.debug").read_bytes())
    library = str(abigen.directory / "libxy.so")
    command = [*require("objcopy"), "--add-gnu-debuglink=libxy.debug", library]
    subprocess.run(command, cwd=abigen.directory, check=True)
    (abigen.directory / "libxy.debug").unlink()
    (abigen.directory / ".debug").symlink_to(outside)
    remarks = _lint(abigen).remarks
    assert ".debug/libxy.debug is a link to a file outside of the library's folder" in remarks
    assert SYMBOLS in remarks


@pytest.mark.ci
@pytest.mark.parametrize("absolute", [True, False])
def test_a_shared_part_outside_is_not_read(abigen: Program, outside: Path, absolute: bool) -> None:
    part = outside / "part.debug"
    part.write_text(SECRET)
    named = str(part) if absolute else "../outside/part.debug"
    link = {".gnu_debugaltlink": named.encode() + b"\0" + bytes(range(20))}
    hostile.add_sections(hostile.compile_library(abigen.directory, "-g"), link)
    result = _lint(abigen)
    assert "which is outside of the library's folder and of /usr/lib/debug, " + SYMBOLS in result.remarks
    assert SECRET not in result.output + result.remarks


@pytest.mark.ci
def test_a_shared_part_below_the_folder_of_the_library_is_read(abigen: Program, outside: Path) -> None:
    paths = [hostile.compile_library(abigen.directory, "-g", name=name) for name in ("libxy.so", "libother.so")]
    (abigen.directory / ".dwz").mkdir()
    command = [*require("dwz"), "-m", ".dwz/shared", "-M", ".dwz/shared", *(path.name for path in paths)]
    subprocess.run(command, cwd=abigen.directory, check=True)
    assert (_lint(abigen).code, _lint(abigen).remarks) == (0, "")
    (abigen.directory / ".dwz/shared").rename(outside / "shared")
    (abigen.directory / ".dwz/shared").symlink_to(outside / "shared")
    assert "which is outside of the library's folder" in _lint(abigen).remarks


def test_a_library_that_is_a_link_out_of_the_project_is_refused(abigen: Program, outside: Path) -> None:
    shutil.move(abigen.directory / "libxy.so", outside / "libxy.so")
    (abigen.directory / "libxy.so").symlink_to(outside / "libxy.so")
    result = _lint(abigen)
    assert (result.code, result.output) == (2, "")
    assert "libxy.so is a link to a file outside of the directories that may be read" in result.remarks
    assert _lint(abigen, library=str(outside / "libxy.so")).code == 0


def _strange(kind: str, path: Path) -> None:
    path.unlink(missing_ok=True)
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "sparse":
        with path.open("wb") as stream:
            stream.write(b"\x7fELF")
            os.truncate(path, 4 << 40)


STRANGE = {"pipe": "is not a file: it is a pipe", "folder": "is a folder", "sparse": "is too large"}


@pytest.mark.ci
@pytest.mark.parametrize("kind", STRANGE)
@pytest.mark.parametrize("place", ["libxy.so", "libxy.debug"])
def test_a_file_of_another_kind_is_refused_at_once(abigen: Program, kind: str, place: str) -> None:
    hostile.compile_library(abigen.directory)
    _strange(kind, abigen.directory / place)
    result, seconds = _timed(abigen)
    assert (result.code, result.output) == (2, "")
    assert result.remarks.startswith(f"abigen: error: {place} {STRANGE[kind]}")
    assert seconds < 2


@pytest.mark.first_case
@pytest.mark.parametrize("device", ["/dev/zero", "/dev/tty", "/dev/stdin"])
def test_a_device_is_refused_at_once(abigen: Program, device: str) -> None:
    hostile.compile_library(abigen.directory)
    result, seconds = _timed(abigen, device)
    assert (result.code, result.output) == (2, "")
    assert seconds < 2


def test_a_link_to_a_device_is_no_debug_file(abigen: Program) -> None:
    hostile.compile_library(abigen.directory)
    (abigen.directory / "libxy.debug").symlink_to("/dev/zero")
    result, seconds = _timed(abigen)
    assert "libxy.debug is a link to a file outside of the library's folder" in result.remarks
    assert seconds < 2


@pytest.mark.ci
def test_a_mutated_library_is_compared_or_refused(tmp_path: Path) -> None:
    known = seeds(tmp_path)
    if not known:
        require("gcc", "objcopy")
    faults, codes = run(known, range(60), tmp_path)
    assert faults == []
    assert len(codes) > 10


@pytest.mark.first_case
@pytest.mark.parametrize("name", ["lib\udcff.so", "lib\x1b[31m.so", "lib\u202e.so"])
def test_names_in_a_library_and_of_it_act_on_nothing(abigen: Program, name: str) -> None:
    link = {".gnu_debugaltlink": b"p\xff\x1b[31m.debug\0" + bytes(20)}
    path = hostile.compile_library(abigen.directory, "-g")
    hostile.add_sections(path, link)
    path.rename(abigen.directory / name)
    result = _lint(abigen, library=name)
    assert result.code == 0
    assert result.remarks.isprintable() or result.remarks.replace("\n", "").isprintable()
    assert "which was not found, " + SYMBOLS in result.remarks


def test_address_space_is_limited_only_if_a_limit_is_stated() -> None:
    def reserve(_: Trace) -> str:
        try:
            return f"{len(bytearray(128 << 20)) >> 20} MB"
        except MemoryError:
            return "refused"

    for limits, result in ((Limits(), "128 MB"), (Limits(address_space=64 << 20), "refused")):
        assert run_isolated(reserve, Bounds(seconds=10, limits=limits)).result == result


@pytest.mark.ci
def test_events_do_not_extend_a_total_limit() -> None:
    def report(trace: Trace) -> None:
        for number in range(40):
            trace.write(number=number)
            time.sleep(0.05)

    assert run_isolated(report, Bounds(seconds=0.5)).ending is Ending.FINISHED
    assert run_isolated(report, Bounds(seconds=0.5, is_total=True)).ending is Ending.HUNG
