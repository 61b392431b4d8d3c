"""Every token, comment and macro knows where the user wrote it."""

from __future__ import annotations

from pathlib import Path

import pytest

from abigen.model.span import Span
from tests.headers.preprocess.compilers import read, unit_of
from tests.headers.preprocess.headers import SIZE_MACROS, TRAPS

HEADERS = {**TRAPS, "a typical header": SIZE_MACROS}


@pytest.mark.parametrize("name", HEADERS)
def test_a_place_is_where_the_text_stands(tmp_path: Path, name: str) -> None:
    path = tmp_path / "self.h"
    path.write_bytes(HEADERS[name])
    (tmp_path / "sub.h").write_text("int from_sub;\n")
    unit = unit_of(path, cc="none")
    lines = read(path).removeprefix("\ufeff").replace("\r\n", "\n").split("\n")

    def at(span: Span) -> str:
        return lines[span.line - 1][span.column - 1 :]

    checked = 0
    for token in unit.tokens:
        if token.file == str(path) and token.width == 0 and token.kind != "pragma":
            here = at(token.span)
            if "\\" not in here and name != "digraphs":
                assert here.startswith(token.text)
                checked += 1
    for macro in unit.macros:
        if macro.file == str(path):
            assert at(macro.span).startswith(macro.name)
    for comment in unit.comments:
        written = at(comment.span)
        if not written.endswith("\\"):
            assert written.startswith(comment.text.split("\n")[0])
            assert comment.trailing == bool(lines[comment.span.line - 1][: comment.span.column - 1].strip())
            assert comment.end_line == comment.span.line + comment.text.count("\n")
    assert checked or not unit.tokens or name in ("digraphs", "pragmas")


def test_a_token_from_a_macro_stands_at_its_use(tmp_path: Path) -> None:
    path = tmp_path / "x.h"
    path.write_text("#define BOTH(a, b) int a, b;\n  BOTH(first,\n    second)\n")
    tokens = unit_of(path, cc="none").tokens
    assert [(each.text, each.line, each.column, each.macro, each.span.length) for each in tokens] == [
        ("int", 2, 3, "BOTH", 4),
        ("first", 2, 8, "BOTH", 5),
        (",", 2, 3, "BOTH", 4),
        ("second", 3, 5, "BOTH", 6),
        (";", 2, 3, "BOTH", 4),
    ]


def test_columns_count_characters_behind_a_tab_and_an_umlaut(tmp_path: Path) -> None:
    path = tmp_path / "x.h"
    path.write_text("/* \u00e4 */\tint a;\n")
    (token, *_) = unit_of(path, cc="none").tokens
    assert (token.line, token.column) == (1, 9)


def test_a_token_behind_a_joined_line_stands_on_its_own_line(tmp_path: Path) -> None:
    path = tmp_path / "x.h"
    path.write_text("int \\\n  a;\nint b\\\nc;\n")
    assert [(each.text, each.line, each.column) for each in unit_of(path, cc="none").tokens] == [
        ("int", 1, 1),
        ("a", 2, 3),
        (";", 2, 4),
        ("int", 3, 1),
        ("bc", 3, 5),
        (";", 4, 2),
    ]


def test_a_pragma_stands_where_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "x.h"
    path.write_text('  #pragma pack(push, 1)\nint a;\n#define N 8\n#pragma pack(N)\n int b; _Pragma("pack(pop)")\n')
    pragmas = [each for each in unit_of(path, cc="none").tokens if each.kind == "pragma"]
    assert [(each.text, each.line, each.column) for each in pragmas] == [
        ("pack(push, 1)", 1, 3),
        ("pack(8)", 4, 1),
        ("pack(pop)", 5, 9),
    ]


def test_a_microsoft_pragma_in_a_declaration_is_one_token(tmp_path: Path) -> None:
    path = tmp_path / "x.h"
    path.write_text("#define TIGHT __pragma(pack(push, 1))\nTIGHT struct S { char c; };\n__pragma(pack(pop))\n")
    pragmas = [each.text for each in unit_of(path, cc="none").tokens if each.kind == "pragma"]
    assert pragmas == ["pack(push, 1)", "pack(pop)"]


def test_the_comments_are_those_of_text_that_is_read(tmp_path: Path) -> None:
    path = tmp_path / "x.h"
    path.write_text(
        "// top\n#ifdef NO /* why */\n// hidden\n#define HIDDEN 1 // too\n"
        "#else // otherwise\n#define SEEN 1 // one\n#endif // end\n"
    )
    comments = [each.text for each in unit_of(path, cc="none").comments]
    assert comments == ["// top", "/* why */", "// otherwise", "// one", "// end"]


def test_comments_stay_when_the_header_is_included_again(tmp_path: Path) -> None:
    path = tmp_path / "x.h"
    path.write_text('#ifndef X_H\n#define X_H\n#include "x.h"\n// here\nint a;\n#endif\n')
    assert [each.text for each in unit_of(path, cc="none").comments] == ["// here"]


def test_comments_of_included_files_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "other.h").write_text("/* other */ int b;\n")
    path = tmp_path / "x.h"
    path.write_text('#include "other.h" // why\nint a;\n')
    assert [each.text for each in unit_of(path, cc="none").comments] == ["// why"]


def test_the_body_of_a_macro_is_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "x.h"
    path.write_text('#define F(a,  b, rest...)  a   /* c */ "x  y"  \\\n   b\n#define V(...) 1\n#define O\n')
    unit = unit_of(path, cc="none")
    own = [(each.name, each.parameters, each.body, each.line) for each in unit.macros if each.file == str(path)]
    assert own == [
        ("F", ("a", "b", "rest..."), 'a "x  y" b', 1),
        ("V", ("...",), "1", 3),
        ("O", None, "", 4),
    ]


def test_undefined_macros_are_gone_and_predefined_ones_are_marked(tmp_path: Path) -> None:
    path = tmp_path / "x.h"
    path.write_text("#define A 1\n#undef A\n#define B 2\n")
    macros = {each.name: each.file for each in unit_of(path, cc="none", defines=["C=3"]).macros}
    assert "A" not in macros
    assert macros["B"] == str(path)
    assert macros["__CHAR_BIT__"] == "<built-in>"
    assert macros["C"] == "<command line>"
