"""Attacks on `--fix`: other programs that write the same files, links, permissions and encodings."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from abigen.workspace.files import HeldFile
from tests.cli.program import Program

OLD = """#pragma once
#include <stddef.h>
typedef struct S {
  size_t struct_size;
  int a;
  int c;
} S;
#define S_STRUCT_SIZE (offsetof(S, c) + sizeof(((S *)0)->c))
"""
NEW = OLD.replace("  int c;", "  int b;\n  int c;")
FIXED = OLD.replace("  int c;", "  int c;\n  int b;").replace("c)", "b)")
POSIX = pytest.mark.skipif(os.name != "posix", reason="Windows has no file modes and no open folders")


@pytest.fixture
def headers(abigen: Program, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a working tree with two headers; return NEW."""
    monkeypatch.chdir(abigen.directory)
    Path("old.h").write_text(OLD)
    Path("new.h").write_text(NEW)
    return Path("new.h")


def _fix(abigen: Program) -> str:
    return abigen("diff", "old.h", "new.h", "--fix").remarks


@POSIX
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664, 0o666, 0o755, 0o777])
def test_a_fixed_file_keeps_its_mode_whatever_the_umask_is(abigen: Program, headers: Path, mode: int) -> None:
    headers.chmod(mode)
    before = os.umask(0o077)
    try:
        _fix(abigen)
    finally:
        os.umask(before)
    assert headers.read_text() == FIXED
    assert headers.stat().st_mode & 0o7777 == mode


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files away")
def test_a_fixed_file_keeps_its_owner(abigen: Program, headers: Path) -> None:
    os.chown(headers, 1234, 2345)
    _fix(abigen)
    assert headers.read_text() == FIXED
    assert (headers.stat().st_uid, headers.stat().st_gid) == (1234, 2345)


def test_a_latin_1_header_is_fixed_in_latin_1(abigen: Program, headers: Path) -> None:
    headers.write_bytes(NEW.replace("int a;", "int a;  /* café */").encode("latin-1"))
    assert "has changed" not in _fix(abigen)
    assert headers.read_bytes() == FIXED.replace("int a;", "int a;  /* café */").encode("latin-1")


def test_a_latin_1_header_is_left_alone_if_an_edit_has_characters_that_it_lacks(abigen: Program, headers: Path) -> None:
    content = OLD.replace("  int a;", "  int e;  /* é */").encode("latin-1")
    headers.write_bytes(content)
    Path("old.h").write_text(OLD.replace("  int a;", "  int e;\n  int a;  /* 値 */"), encoding="utf-8")
    result = abigen("diff", "old.h", "new.h", "--fix", "--unsafe-fixes")
    assert "new.h is not edited: it is Latin-1, which lacks a character of the edits" in result.remarks
    assert headers.read_bytes() == content


def test_a_mark_and_line_ends_of_windows_are_kept(abigen: Program, headers: Path) -> None:
    headers.write_bytes(NEW.replace("\n", "\r\n").encode("utf-8-sig"))
    _fix(abigen)
    assert headers.read_bytes() == FIXED.replace("\n", "\r\n").encode("utf-8-sig")


def test_an_edit_that_is_saved_in_place_meanwhile_is_kept(headers: Path) -> None:
    with HeldFile(Path.cwd(), headers) as held:
        with headers.open("a") as file:
            file.write("/* saved meanwhile */\n")
        assert not held.replace(b"fixed")
    assert headers.read_text().endswith("/* saved meanwhile */\n")
    assert sorted(each.name for each in Path().iterdir()) == ["new.h", "old.h"]


def test_an_edit_that_is_saved_by_renaming_meanwhile_is_kept(headers: Path) -> None:
    with HeldFile(Path.cwd(), headers) as held:
        Path("saved").write_text(NEW)
        Path("saved").replace(headers)
        assert not held.replace(b"fixed")
    assert headers.read_text() == NEW
    assert sorted(each.name for each in Path().iterdir()) == ["new.h", "old.h"]


@POSIX
def test_a_file_that_becomes_a_link_meanwhile_is_not_replaced(headers: Path) -> None:
    with HeldFile(Path.cwd(), headers) as held:
        headers.rename("away.h")
        headers.symlink_to("away.h")
        assert not held.replace(b"fixed")
    assert headers.is_symlink()
    assert Path("away.h").read_text() == NEW


@POSIX
def test_a_folder_that_becomes_a_link_meanwhile_leads_nowhere_else(headers: Path, tmp_path: Path) -> None:
    Path("include").mkdir()
    headers.rename("include/new.h")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "new.h").write_text(NEW)
    with HeldFile(Path.cwd(), Path("include/new.h")) as held:
        Path("include").rename("moved")
        Path("include").symlink_to(outside)
        assert held.replace(b"fixed")
    assert (outside / "new.h").read_text() == NEW
    assert sorted(each.name for each in outside.iterdir()) == ["new.h"]
    assert Path("moved/new.h").read_text() == "fixed"


@POSIX
def test_a_folder_that_leads_out_of_the_working_tree_is_refused(headers: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "new.h").write_text(NEW)
    Path("include").symlink_to(outside)
    with pytest.raises(OSError), HeldFile(Path.cwd(), Path("include/new.h")):
        pass


@POSIX
def test_a_link_in_place_of_the_temporary_file_is_not_written_through(headers: Path) -> None:
    Path("victim").write_text("mine")
    Path(f".new.h.{os.getpid()}.tmp").symlink_to("victim")
    with HeldFile(Path.cwd(), headers) as held:
        assert held.replace(b"fixed")
    assert Path("victim").read_text() == "mine"
    assert headers.read_text() == "fixed"
