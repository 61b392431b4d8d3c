"""The reader of dynamic symbols, against what the linker was told."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from abigen.model.span import AbigenError
from abigen.workspace.libraries import read_library
from tests.runner.verify.plugins import verify
from tests.tools import require

SOURCE = """
extern int wanted_function(int);
extern int wanted_object;
extern int perhaps(void) __attribute__((weak));
int offered(void) { return wanted_function(wanted_object) + (perhaps ? perhaps() : 0); }
int offered_object = 1;
__attribute__((visibility("hidden"))) int kept(void) { return 2; }
static int local(void) { return kept(); }
int (*through)(void) = local;
"""


def library(folder: Path, *options: str, source: str = SOURCE) -> Path:
    (compiler,) = require("cc")
    path = folder / "library.so"
    command = [compiler, "-shared", "-fPIC", *options, "-x", "c", "-", "-o", str(path)]
    subprocess.run(command, input=source.encode(), check=True)
    return path


@pytest.mark.parametrize("options", [(), ("-Wl,--hash-style=sysv",), ("-Wl,--hash-style=gnu",), ("-s",)])
def test_symbols_are_those_of_the_source(options: tuple[str, ...], tmp_path: Path) -> None:
    binary = read_library(library(tmp_path, *options))
    assert binary is not None
    assert {"offered", "offered_object", "through"} <= binary.exports
    assert not {"kept", "local", "wanted_function", "perhaps"} & binary.exports
    assert {"wanted_function", "wanted_object"} <= set(binary.needs)
    assert "perhaps" not in binary.needs


def test_libraries_are_named_in_their_order(tmp_path: Path) -> None:
    binary = read_library(library(tmp_path, "-Wl,--no-as-needed", "-lm", source=""))
    assert binary is not None
    assert [name.partition(".")[0] for name in binary.libraries] == ["libm", "libc"]


def test_an_empty_library_has_nothing(tmp_path: Path) -> None:
    binary = read_library(library(tmp_path, "-nostdlib", source=""))
    assert binary is not None
    assert binary.exports == frozenset()
    assert binary.needs == ()


def test_other_formats_are_left_to_the_loader(tmp_path: Path) -> None:
    (tmp_path / "plugin.dll").write_bytes(b"MZ\x90\x00")
    assert read_library(tmp_path / "plugin.dll") is None


def test_a_file_that_ends_anywhere_is_refused_or_read(tmp_path: Path) -> None:
    content = library(tmp_path).read_bytes()
    path = tmp_path / "part.so"
    for length in range(4, len(content), 499):
        path.write_bytes(content[:length])
        try:
            read_library(path)
        except AbigenError as error:
            assert "is incomplete" in str(error)


def test_what_is_read_of_a_file_that_was_cut_off_can_be_loaded(tmp_path: Path) -> None:
    content = library(tmp_path, source="int offered;").read_bytes()
    path = tmp_path / "part.so"
    loaded = 0
    for length in range(4, len(content), 199):
        path.write_bytes(content[:length])
        with suppress(AbigenError):
            read_library(path)
            program = f"import ctypes; ctypes.CDLL({str(path)!r})"
            assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0, length
            loaded += 1
    assert 0 < loaded < len(range(4, len(content), 199))


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"!<arch>\n", "an archive of objects"),
        (b"MZ\x90\x00", "for Windows"),
        (b"PK\x03\x04", "a zip file"),
        (b"", "it is empty"),
        (b"hello\n", "it is a text file"),
    ],
)
def test_what_is_no_library_is_told_what_it_is(content: bytes, kind: str, tmp_path: Path) -> None:
    (tmp_path / "plugin.so").write_bytes(content)
    verified = verify(tmp_path / "plugin.so")
    assert verified.code == 2
    assert kind in verified.remarks


def test_a_folder_an_object_and_another_class_of_machine_are_named(tmp_path: Path) -> None:
    assert "is a folder" in verify(tmp_path).remarks
    os.mkfifo(tmp_path / "pipe")
    assert "pipe is not a file" in verify(tmp_path / "pipe").remarks
    content = bytearray(library(tmp_path).read_bytes())
    path = tmp_path / "other.so"
    path.write_bytes(content[:4] + b"\1" + content[5:])
    assert "is for machines of 32 bits" in verify(path).remarks
    path.write_bytes(content[:16] + b"\1\0" + content[18:])
    assert "it is an object file" in verify(path).remarks
