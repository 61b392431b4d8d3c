"""Tests of errors in headers: all are reported at once, each at its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from abigen.model.span import AbigenError, Diagnostic
from tests.headers.preprocess.compilers import unit_of
from tests.tools import require


def errors(path: Path, text: str, *, cc: str = "none") -> list[tuple[str, str, str]]:
    """Place, message and hint of each error."""
    path.write_text(text)
    with pytest.raises(AbigenError) as caught:
        unit_of(path, cc=cc)
    return [(f"{each.place.line}:{each.place.column}", each.message, each.hint) for each in placed(caught.value)]


def placed(error: AbigenError) -> list[Diagnostic]:
    assert all(each.place is not None for each in error.diagnostics)
    return list(error.diagnostics)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('#if 1\n#error "stop  here"\n#endif', [("2:1", '#error "stop  here"')]),
        ("int a;\n  #if 1\nint b;", [("2:3", "#if is never closed")]),
        ("#ifdef A\n#else\nint b;", [("1:1", "#ifdef is never closed")]),
        ("int a;\n/* never", [("2:1", "this comment is never closed")]),
        ("#define A 1 /* never\nends", [("1:13", "this comment is never closed")]),
        ("#endif\n#else\n", [("1:1", "#endif without #if"), ("2:1", "#else without #if")]),
        ("#if 1\n#else\n#else\n#endif", [("3:1", "#else after #else")]),
        ("#if 1/0\n#endif", [("1:1", "#if: division by zero")]),
        ("#if 0\n#elif 1 % 0\n#endif", [("2:1", "#elif: division by zero")]),
        ("#if 1 +\n#endif", [("1:1", "#if: expected an operand after '+'")]),
        ("#if (1\n#endif", [("1:1", "#if: this '(' is never closed")]),
        ("#if\n#endif", [("1:1", "#if: no expression behind the directive")]),
        ("#if 1.5\n#endif", [("1:1", "#if: 1.5 is not an integer")]),
        (
            "#if 1 << 64\n#endif",
            [("1:1", "#if: a shift by 64 bits of a type that is 64 bits wide has no defined value")],
        ),
        ("#if X = 1\n#endif", [("1:1", "#if: this is not a constant expression")]),
        ("#if 1)) || ((1\n#endif", [("1:1", "#if: ')' has no '(' before it")]),
        ("#if f(1)\n#endif", [("1:1", "#if: 'f' is not a function-like macro that is defined")]),
        ("#if 1 2\n#endif", [("1:1", "#if: unexpected '2' behind '1'")]),
        ("#if 99999999999999999999\n#endif", [("1:1", "#if: 99999999999999999999 is not a valid number")]),
        ("#if defined\n#endif", [("1:1", "#if: 'defined' without a name")]),
        ("#ifdef\n#endif", [("1:1", "#ifdef without a name")]),
        ("#undef 1", [("1:1", "#undef without a name")]),
        ("#include <x\n", [("1:1", '#include takes "FILE" or <FILE>')]),
        ("int a;\0", [("1:7", "this is not text: it contains a null character")]),
    ],
)
def test_a_flaw_is_named_at_its_place(tmp_path: Path, text: str, expected: list[tuple[str, str]]) -> None:
    found = errors(tmp_path / "x.h", text)
    assert [(place, message) for place, message, _ in found] == expected


def test_all_missing_includes_are_found(tmp_path: Path) -> None:
    text = '#include <one.h>\nint a;\n#include "two.h"\n  #include "sub/three.h"\n#error no\n'
    (tmp_path / "to.h").touch()
    for cc in ("none", "gcc"):
        require("gcc")
        assert errors(tmp_path / "x.h", text, cc=cc) == [
            ("1:10", "'one.h' not found", "add -I DIR for the directory that it is in"),
            ("3:10", "'two.h' not found", "did you mean to.h?"),
            ("4:12", "'sub/three.h' not found", "add -I DIR for the directory that it is in"),
            ("5:1", "#error no", ""),
        ]


def test_an_include_that_names_a_directory_is_not_advised_to_name_it(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    assert errors(tmp_path / "x.h", '#include "sub"\n') == [
        ("1:10", "'sub' not found", "sub exists, and is not a file")
    ]


def test_a_missing_include_that_is_further_up_says_which_directory_to_add(tmp_path: Path) -> None:
    folder = tmp_path / "project" / "api"
    folder.mkdir(parents=True)
    (tmp_path / "project" / "base").mkdir()
    (tmp_path / "project" / "base" / "base.h").touch()
    ((_, _, hint),) = errors(folder / "x.h", '#include "base/base.h"\n')
    assert hint == f"add -I {tmp_path / 'project'}"


def test_a_missing_include_of_an_included_file_is_reported_there(tmp_path: Path) -> None:
    (tmp_path / "sub.h").write_text('\n#include "nowhere.h"\n')
    path = tmp_path / "x.h"
    path.write_text('#include "sub.h"\n')
    with pytest.raises(AbigenError) as caught:
        unit_of(path, cc="none")
    assert [str(each.place) for each in caught.value.diagnostics] == [f"{tmp_path}/sub.h:2:10"]


def test_an_unknown_directive_is_compared_with_known_ones(tmp_path: Path) -> None:
    assert errors(tmp_path / "x.h", "#inclde <a.h>\n#frobnicate\n") == [
        ("1:1", "unknown directive #inclde", "did you mean #include?"),
        ("2:1", "unknown directive #frobnicate", ""),
    ]


def test_a_header_that_includes_itself_without_end_is_refused(tmp_path: Path) -> None:
    found = errors(tmp_path / "x.h", '#include "x.h"\n')
    assert found == [("1:10", "includes nest more than 200 deep", f"is an include guard missing in {tmp_path}/x.h?")]


def test_errors_come_in_the_order_of_the_file(tmp_path: Path) -> None:
    found = errors(tmp_path / "x.h", "#error first\n#if 1/0\n#endif\n/* open")
    assert [place for place, _, _ in found] == ["1:1", "2:1", "4:1"]


def test_a_macro_with_another_body_is_a_warning_that_names_both_places(tmp_path: Path) -> None:
    path = tmp_path / "x.h"
    path.write_text("#define A 1\n#define A 2\nint a = A;\n#warning  old\n")
    unit = unit_of(path, cc="none")
    assert [str(each) for each in unit.diagnostics] == [
        f"{path}:2:9: warning: macro 'A' is defined again with another body\n"
        f"  hint: it was defined at {path}:1:9; #undef it first if that is meant",
        f"{path}:4:1: warning: #warning old",
    ]
    assert unit.tokens[3].text == "2"


def test_the_language_of_the_terminal_does_not_matter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    require("gcc")
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    path = tmp_path / "x.h"
    path.write_text("#include <stdio.h>\nFILE *f;\n")
    assert unit_of(path, cc="gcc").system_tokens


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cc": "no-such-compiler"}, "compiler 'no-such-compiler' not found"),
        ({"cc": "/bin/false"}, "compiler '/bin/false' does not preprocess as gcc and clang do: exit 1"),
        ({"cc": "'"}, "compiler ''' not found"),
        ({"std": "c42"}, "unknown C standard 'c42'"),
        ({"std": "-o/tmp/x"}, "unknown C standard '-o/tmp/x'"),
    ],
)
def test_options_that_cannot_be_followed_are_named(tmp_path: Path, options: dict[str, str], message: str) -> None:
    path = tmp_path / "x.h"
    path.write_text("int a;\n")
    with pytest.raises(AbigenError) as caught:
        unit_of(path, **options)  # type: ignore[arg-type]
    assert [each.message for each in caught.value.diagnostics] == [message]
    assert caught.value.diagnostics[0].hint


@pytest.mark.parametrize("name", ["<vector>", "<cstdint>", "<string>", "<bits/stdc++.h>", '"plugin.hpp"'])
def test_a_header_of_cpp_is_named_as_such(name: str, tmp_path: Path) -> None:
    ((_, message, hint),) = errors(tmp_path / "api.h", f"#include {name}\n")
    assert message == f"'{name[1:-1]}' is a header of C++, a C compiler cannot read it"
    assert hint == "put it, and what needs it, inside #ifdef __cplusplus"
