"""Text of a stranger that is printed: it moves no cursor, turns no letters around, and is no command of GitHub's."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from abigen.model.span import printable, printable_lines, without_commands
from tests.cli.program import Program, Result
from tests.cli.samples import FIRST, INSERTED

Write = Callable[..., Path]
FORMATS = ["text", "github", "markdown", "junit", "html"]
MARKS = "\u202a\u202e\u2066\u2069\u200e\u200f\u061c"
HOSTILE = f"\x1b]0;owned\x07\x1b[2J\r\x85\u2028{MARKS}"
COMMAND = "::set-output name=a::b ##[stop-commands]c"
NAME = f"{HOSTILE}\n::stop-commands::d\n.h"
REVISED = INSERTED.replace("// Index of the toy.", f"// {HOSTILE}{COMMAND} Index.")
SPEC = "abigen: 1\nname: toy\n"


def assert_harmless(result: Result, format: str = "text") -> None:
    """Check that no output controls a terminal, and that only annotations contain commands."""
    text = result.output + result.remarks
    assert {each for each in text if not each.isprintable()} <= {"\n", "\t"}, ascii(text)
    remarks = result.remarks if format == "github" else text
    assert not re.search(r"^\s*::", remarks, re.MULTILINE), remarks
    assert format == "github" or "##[" not in text
    assert all(
        re.match(r"::(error|warning|notice) |$", line) for line in result.output.split("\n") if format == "github"
    )


@pytest.mark.first_case
@pytest.mark.parametrize("format", FORMATS)
def test_names_of_files_and_comments(abigen: Program, write: Write, format: str) -> None:
    write("toy.h", FIRST)
    write(NAME, REVISED)
    compared = abigen("diff", "toy.h", f"./{NAME}", "--format", format)
    inspected = abigen("lint", f"./{NAME}", "--format", format)
    assert compared.code == 1
    for result in (compared, inspected):
        assert_harmless(result, format)
    assert r"\x1b]0;owned\x07" in compared.output.replace("\\\\", "\\").replace("\\]", "]")


def test_lines_that_are_quoted_where_they_begin(abigen: Program, write: Write) -> None:
    write("toy.h", FIRST)
    member = "  int64_t depth;"
    write("new.h", INSERTED.replace(member, f"  /*\n::stop-commands::x */ int64_t depth; // {COMMAND}"))
    for format in FORMATS:
        assert_harmless(abigen("diff", "toy.h", "new.h", "--format", format), format)
    assert r"\x3a:stop-commands::x" in abigen("diff", "toy.h", "new.h", "--format", "markdown").output


def test_layouts(abigen: Program, write: Write) -> None:
    write(NAME, REVISED)
    result = abigen("layout", f"./{NAME}")
    assert result.code == 0
    assert r"\n::stop-commands::d\n.h" in result.output
    assert_harmless(result)


@pytest.mark.parametrize(
    "text",
    [
        f"#error {HOSTILE}{COMMAND}\n",
        f"#define {HOSTILE}{COMMAND} 1\nint {HOSTILE};\n",
        f"#include <{HOSTILE}{COMMAND}>\n",
        f'#include "{HOSTILE}{COMMAND}"\n',
        f"int {HOSTILE}\n{COMMAND};\n",
        f"#define N() {HOSTILE}\nint x[N()];\n",
    ],
)
def test_errors_of_headers(abigen: Program, write: Write, text: str) -> None:
    write("bad.h", text)
    write(NAME, text)
    for name in ("bad.h", f"./{NAME}"):
        for command in ("lint", "layout"):
            result = abigen(command, name)
            assert_harmless(result)
            assert result.output + result.remarks


@pytest.mark.parametrize("key", [r'"\e[2J\n::set-output name=a::b\u202e"', r'"::error::x"', f'"{MARKS}{COMMAND}"'])
def test_keys_of_specs(abigen: Program, write: Write, key: str) -> None:
    write("spec/a.yaml", f"{SPEC}{key}: 1\n")
    for command in (["build"], ["lint", "spec/a.yaml"], ["layout", "spec/a.yaml"]):
        result = abigen(*command)
        assert result.code == 2
        assert_harmless(result)


@pytest.mark.parametrize(
    "text",
    [
        r'"\u001b[2J\n::set-output name=a::b\u202e" = 1',
        r"[severity]" "\n" r'"\u001b[2J\n::error::x\u202e" = "off"',
        r"[[exceptions]]"
        "\n"
        r'rule = "field-inserted"'
        "\n"
        r'entity = "\u001b\n::x::y"'
        "\n"
        r'reason = "\u001b\u202e\n::x::y"',
    ],
)
def test_keys_and_reasons_of_configuration(abigen: Program, write: Write, text: str) -> None:
    write("toy.h", FIRST)
    write("new.h", INSERTED)
    write("abigen.toml", text)
    for more in ([], ["--explain-config"], ["--format", "markdown"]):
        assert_harmless(abigen("diff", "toy.h", "new.h", *more))


@pytest.mark.parametrize("name", [f"./{NAME}", "::error::x", NAME, f"HEAD:{NAME}", f"--{NAME}", f"x.yaml@{NAME}"])
def test_what_does_not_exist(abigen: Program, name: str) -> None:
    for command in (["lint", name], ["diff", name, name], ["build", "--spec-dir", name], [name]):
        result = abigen(*command)
        assert result.code == 2
        assert result.remarks
        assert_harmless(result)


def test_colours_of_its_own_stay(abigen: Program, write: Write) -> None:
    write("toy.h", FIRST)
    write("new.h", REVISED)
    result = abigen("diff", "toy.h", "new.h", "--color", "always")
    plain = re.sub(r"\x1b\[[0-9;]*m", "", result.output)
    assert plain != result.output
    assert plain == abigen("diff", "toy.h", "new.h").output


def test_text_of_all_languages_stays_as_it_is(abigen: Program, write: Write) -> None:
    ordinary = "Größe, 大きさ\u3000です, taille\xa0: 5, שלום, حجم, e\u0301, \U0001f600, std::size, a\\nb"
    assert printable(ordinary) == ordinary
    assert printable_lines(f"{ordinary}\n\t{ordinary}\n") == f"{ordinary}\n\t{ordinary}\n"
    write("größe-大.h", FIRST)
    write(
        "new.h",
        INSERTED.replace("// Index of the toy.", f"// {ordinary}").replace(
            "int64_t depth;", "int64_t depth; // Größe 大"
        ),
    )
    result = abigen("diff", "größe-大.h", "new.h")
    assert "Größe 大" in result.output
    assert "größe-大.h:" in result.output


def test_each_character_has_one_escape() -> None:
    assert printable("\x1b\n\t\x00\u202e\udcff\U000e0041") == r"\x1b\n\t\x00\u202e\udcff\U000e0041"
    assert printable(printable(HOSTILE)) == printable(HOSTILE)
    assert without_commands("a::b\n \u3000::c::\n:d\n x ##[e]") == "a::b\n \u3000\\x3a:c::\n:d\n x #\\x23[e]"
