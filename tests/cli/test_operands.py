"""Tests of operands, and of the errors about operands that name nothing."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from abigen.model.span import AbigenError
from abigen.model.version import Version
from abigen.workspace.files import Files
from abigen.workspace.operand import MAX_BYTES, Operand, decode, find_sources, parse_operand
from abigen.workspace.options import ReadOptions
from tests.cli.program import Program

Write = Callable[..., Path]
OPTIONS = ReadOptions(targets=("x86_64-linux-gnu",))


@pytest.fixture(autouse=True)
def _here(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """Operands are relative to the current directory."""
    monkeypatch.chdir(write("marker", "").parent)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("api.h", Operand("api.h", "api.h")),
        ("-", Operand("-", "-")),
        ("include/api.h", Operand("include/api.h", "include/api.h")),
        ("api.yaml@1.2.0", Operand("api.yaml@1.2.0", "api.yaml", release=Version(1, 2, 0))),
        ("api.yml@1.2", Operand("api.yml@1.2", "api.yml", release=Version(1, 2, 0))),
        ("api@1.2.h", Operand("api@1.2.h", "api@1.2.h")),
        ("HEAD~1:api.h", Operand("HEAD~1:api.h", "api.h", "HEAD~1")),
        ("v1:spec/api.yaml@2.0.0", Operand("v1:spec/api.yaml@2.0.0", "spec/api.yaml", "v1", Version(2, 0, 0))),
        ("HEAD^{/fix: all}:api.h", Operand("HEAD^{/fix: all}:api.h", "api.h", "HEAD^{/fix: all}")),
        ("main@{1 day ago}:a:b.h", Operand("main@{1 day ago}:a:b.h", "a:b.h", "main@{1 day ago}")),
        (r"C:\include\api.h", Operand(r"C:\include\api.h", r"C:\include\api.h")),
        ("c:/include/api.h", Operand("c:/include/api.h", "c:/include/api.h")),
        ("C:api.h", Operand("C:api.h", "api.h", "C")),
    ],
)
def test_an_operand_is_taken_apart(text: str, expected: Operand) -> None:
    assert parse_operand(text, Files()) == expected


def test_a_file_with_a_colon_or_an_at_sign_in_its_name_is_that_file(write: Write) -> None:
    write("HEAD:api.h", "")
    write("api.yaml@1.0.0", "")
    assert parse_operand("HEAD:api.h", Files()).revision == ""
    assert parse_operand("api.yaml@1.0.0", Files()).release is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("api.yaml@latest", "`latest` in `api.yaml@latest` is not a release"),
        ("api.yaml@1.2.3.4", "is not a release"),
        ("https://example.org/api.h", "is a URL"),
        (":api.h", "has no revision before the colon"),
        ("a\0b", "cannot be a file's name"),
    ],
)
def test_an_operand_that_cannot_mean_anything_is_refused(text: str, message: str) -> None:
    with pytest.raises(AbigenError, match=message):
        parse_operand(text, Files())


def test_a_directory_means_all_headers_below_it_in_a_stable_order(write: Write) -> None:
    for name in ("z.h", "b/a.h", "a/b.h", "a.h", "notes.txt", ".hidden/x.h", ".x.h", "a/c.hpp"):
        write(f"include/{name}", f"// {name}\n")
    found = find_sources("include", OPTIONS)
    assert [source.name for source in found.files] == ["include/a/b.h", "include/a.h", "include/b/a.h", "include/z.h"]
    assert all(Path(source.path).is_absolute() for source in found.files)
    assert found.is_directory


def test_a_directory_without_headers_points_to_its_specs(write: Write) -> None:
    write("spec/api.yaml", "abigen: 1\n")
    with pytest.raises(AbigenError, match="there is no header") as error:
        find_sources("spec", replace(OPTIONS, files=Files()))
    assert error.value.diagnostics[0].hint == "name the spec itself: `spec/api.yaml`"


@pytest.mark.parametrize(
    ("operand", "message", "hint"),
    [
        ("include/apo.h", "there is no file include/apo.h", "did you mean `include/api.h`?"),
        ("aip.h", "there is no file aip.h", "did you mean `api.h`?"),
        ("nowhere/api.h", "there is no directory nowhere", ""),
        ("api.h/x.h", "there is no directory api.h", ""),
        ("unlike-anything.h", "there is no file unlike-anything.h", ""),
    ],
)
def test_a_missing_file_is_reported_with_what_is_close(write: Write, operand: str, message: str, hint: str) -> None:
    write("api.h", "")
    write("include/api.h", "")
    with pytest.raises(AbigenError) as error:
        find_sources(operand, ReadOptions(targets=OPTIONS.targets))
    (diagnostic,) = error.value.diagnostics
    assert (diagnostic.message, diagnostic.hint) == (message, hint)


def test_line_ends_and_byte_order_marks_do_not_reach_the_readers() -> None:
    assert decode(b"\xef\xbb\xbfint a;\r\nint b;\n", "x.h") == "int a;\nint b;\n"


def test_a_header_in_latin_1_is_read() -> None:
    assert decode(b"// caf\xe9\n", "x.h") == "// caf\u00e9\n"


def test_a_spec_has_to_be_utf_8() -> None:
    with pytest.raises(AbigenError, match=r"x\.yaml:2:7: error: byte 0xe9 is not UTF-8"):
        decode(b"abigen: 1\ndoc: a\xe9\n", "x.yaml", is_spec=True)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\xff\xfei\0n\0t\0", "x.h:1:1: error: the file is UTF-16"),
        (b"int a;\n\x7fELF\0", "x.h:2:1: error: a NUL byte"),
        (b" " * (MAX_BYTES + 1), "x.h is too long"),
    ],
    ids=["UTF-16", "binary", "huge"],
)
def test_what_is_no_text_is_refused(content: bytes, message: str) -> None:
    with pytest.raises(AbigenError, match=message):
        decode(content, "x.h")


def test_headers_that_can_be_read_are_judged_beside_one_that_cannot(abigen: Program, write: Write) -> None:
    write("good.h", "int f(void);\n")
    write("bad.h", "int f(;\n")
    result = abigen("lint", "good.h", "bad.h")
    assert result.code == 2
    assert "missing-guard: the header has no include guard\n --> good.h:1:1" in result.output
    assert "bad.h:1:6: error: this '(' is never closed" in result.remarks
    assert result.remarks.endswith("abigen: error: 1 of 2 cannot be read, and is not judged\n")
    assert not json.loads(abigen("lint", "good.h", "bad.h", "--format", "json").output)["ok"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
def test_a_pipe_to_which_nobody_writes_is_not_waited_for(abigen: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("abigen.workspace.operand._PATIENCE", 0.2)
    os.mkfifo(abigen.directory / "pipe")
    result = abigen("lint", "pipe")
    assert (result.code, result.output) == (2, "")
    assert "pipe is a pipe that no process writes to" in result.remarks


def test_a_header_is_not_built_and_import_is_named(abigen: Program, write: Write) -> None:
    write("toy.h", "#include <stddef.h>\ntypedef size_t Toy;\n")
    result = abigen("build", "toy.h")
    assert (result.code, result.output) == (2, "")
    assert "toy.h is not a spec" in result.remarks
    assert "abigen import toy.h writes the spec of a header" in result.remarks


@pytest.mark.parametrize("format", ["json", "sarif", "junit", "github", "markdown", "html"])
def test_reports_say_which_header_was_not_judged(abigen: Program, write: Write, format: str) -> None:
    write("good.h", "int f(void);\n")
    write("bad.h", "int f(;\n")
    result = abigen("lint", "good.h", "bad.h", "--format", format)
    assert result.code == 2
    assert re.search(r"not.judged", result.output, re.IGNORECASE)
    assert "bad.h:1:6: this" in result.output
    assert '"executionSuccessful": true' not in result.output
