"""Several sources, sources that are not what stands on disk, and what a unit says about its files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from abigen.headers.preprocessor.preprocess import preprocess
from abigen.model.target import find_target
from abigen.workspace.options import ReadOptions, SourceFile
from tests.headers.preprocess.compilers import HOST, own_tokens, unit_of
from tests.tools import require

OPTIONS = ReadOptions(targets=(HOST,), cc="none", cache=False)


def test_sources_are_read_in_turn_and_each_once(tmp_path: Path) -> None:
    a, b = tmp_path / "a.h", tmp_path / "b.h"
    a.write_text('int a;\n#include "b.h"\n#define A 1\n')
    b.write_text("#ifdef A\nint late;\n#endif\nint b;\n")
    unit = unit_of(a, b, cc="none")
    assert own_tokens(unit) == ["int", "a", ";", "int", "b", ";"]
    assert unit.own_files == (str(a), str(b))
    assert " ".join(own_tokens(unit_of(b, a, cc="none"))) == "int b ; int a ; int b ;"


def test_include_guards_hold_across_sources(tmp_path: Path) -> None:
    (tmp_path / "common.h").write_text("#pragma once\nint common;\n")
    sources = []
    for name in ("a", "b"):
        sources.append(tmp_path / f"{name}.h")
        sources[-1].write_text(f'#ifndef {name}_H\n#define {name}_H\n#include "common.h"\nint {name};\n#endif\n')
    assert " ".join(own_tokens(unit_of(*sources, cc="none"))) == "int common ; int a ; int b ;"


def test_the_same_source_twice_is_read_once(tmp_path: Path) -> None:
    path = tmp_path / "a.h"
    path.write_text("int a;\n")
    (tmp_path / "link.h").symlink_to(path)
    assert own_tokens(unit_of(path, path, tmp_path / "link.h", cc="none")) == ["int", "a", ";"]


def test_a_source_is_its_text_not_what_stands_on_disk(tmp_path: Path) -> None:
    path = tmp_path / "a.h"
    path.write_text("int old;\n")
    (tmp_path / "b.h").write_text('#include "a.h"\n')
    sources = [
        SourceFile("HEAD~1:b.h", str(tmp_path / "b.h"), '#include "a.h"\nint b;\n'),
        SourceFile("HEAD~1:a.h", str(path), "int new;\n"),
    ]
    unit = preprocess(sources, OPTIONS, find_target(HOST))
    assert " ".join(own_tokens(unit)) == "int new ; int b ;"
    assert {token.file for token in unit.tokens} == {"HEAD~1:a.h", "HEAD~1:b.h"}


def test_a_source_need_not_exist(tmp_path: Path) -> None:
    (tmp_path / "sub.h").write_text("int sub;\n")
    source = SourceFile("-", str(tmp_path / "nowhere.h"), '#include "sub.h"\nint a;\n')
    unit = preprocess([source], OPTIONS, find_target(HOST))
    assert [(token.text, token.file) for token in unit.tokens if token.kind == "id"] == [
        ("int", str(tmp_path / "sub.h")),
        ("sub", str(tmp_path / "sub.h")),
        ("int", "-"),
        ("a", "-"),
    ]


def test_files_of_a_revision_are_called_by_it(tmp_path: Path) -> None:
    (tmp_path / "sub.h").write_text("int sub;\n")
    options = ReadOptions(targets=(HOST,), cc="none", cache=False, aliases=((str(tmp_path), "v1.0:"),))
    source = SourceFile("v1.0:a.h", str(tmp_path / "a.h"), '#include "sub.h"\n')
    (token, *_) = preprocess([source], options, find_target(HOST)).tokens
    assert token.file == "v1.0:sub.h"


def test_a_unit_names_what_was_read(tmp_path: Path) -> None:
    require("gcc")
    (tmp_path / "inc").mkdir()
    (tmp_path / "inc" / "sub.h").write_text("#include <stddef.h>\n")
    path = tmp_path / "a.h"
    path.write_text('#include "sub.h"\n')
    unit = unit_of(path, cc="gcc", include_dirs=[tmp_path / "inc"])
    assert unit.dependencies[:2] == (str(path), str(tmp_path / "inc" / "sub.h"))
    assert unit.dependencies[2].endswith("stddef.h")
    assert unit.system_files == unit.dependencies[2:]
    assert Path(unit.compiler).name == "gcc"


def test_include_directories_are_searched_in_order(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "x.h").write_text(f"int {name};\n#include_next <y.h>\n")
        (tmp_path / name / "y.h").write_text(f"int y_of_{name};\n")
    path = tmp_path / "a.h"
    path.write_text("#include <x.h>\n")
    found = own_tokens(unit_of(path, cc="none", include_dirs=[tmp_path / "one", tmp_path / "two"]))
    assert " ".join(found) == "int one ; int y_of_two ;"


def test_a_header_of_the_user_hides_the_systems(tmp_path: Path) -> None:
    (tmp_path / "stdint.h").write_text("typedef int my_int;\n")
    path = tmp_path / "a.h"
    path.write_text("#include <stdint.h>\n")
    unit = unit_of(path, include_dirs=[tmp_path])
    assert "my_int" in own_tokens(unit)
    assert unit.system_files == ()


def test_defines_and_undefines_come_before_the_first_line(tmp_path: Path) -> None:
    path = tmp_path / "a.h"
    path.write_text("A B F(2) \n#ifdef __CHAR_BIT__\nbits\n#endif\n")
    options = ReadOptions(
        targets=(HOST,), cc="none", cache=False, defines=("A", "B=x y", "F(n)=n+n"), undefines=("__CHAR_BIT__",)
    )
    unit = preprocess([SourceFile("a.h", str(path), path.read_text())], options, find_target(HOST))
    assert " ".join(own_tokens(unit)) == "1 x y 2 + 2"


SYSTEM = "#include <stdio.h>\n#include <stdint.h>\n#include <limits.h>\nFILE *f;\nlong l = LONG_MAX;\n"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of the test's own."""
    monkeypatch.setenv("ABIGEN_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_system_headers_are_read_again_when_a_definition_that_they_ask_for_is_another(
    tmp_path: Path, cache: Path
) -> None:
    require("gcc")
    path = tmp_path / "a.h"
    found = []
    for definition in ("", "#define _GNU_SOURCE\n", "#define _FILE_OFFSET_BITS 64\n", ""):
        path.write_text(f"{definition}{SYSTEM}")
        unit = unit_of(path, cc="gcc", cache=True)
        assert unit == unit_of(path, cc="gcc")
        found.append(unit.system_tokens)
    assert found[0] != found[1]
    assert found[0] == found[3]


def test_system_headers_are_read_again_when_a_file_has_changed(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    require("gcc")
    system = tmp_path / "system"
    system.mkdir()
    monkeypatch.setenv("C_INCLUDE_PATH", str(system))
    path = tmp_path / "a.h"
    path.write_text("#include <mine.h>\n#include <mine.h>\nMINE\n")
    for number, text in enumerate(("#define MINE 1\n", "#define MINE 2222\nint a;\n", '#include "more.h"\n')):
        (system / "more.h").write_text("#define MINE 3\n")
        (system / "mine.h").write_text(text)
        os.utime(system / "mine.h", (number, number))
        for _ in range(2):
            unit = unit_of(path, cc="gcc", cache=True)
            assert unit == unit_of(path, cc="gcc")
            assert own_tokens(unit) == [("1", "2222", "3")[number]]
    (system / "more.h").unlink()
    (tmp_path / "more.h").write_text("")
    (system / "mine.h").write_text("#if __has_include(<other.h>)\n#define MINE 5\n#else\n#define MINE 4\n#endif\n")
    assert own_tokens(unit_of(path, cc="gcc", cache=True)) == ["4"]
    (system / "other.h").touch()
    assert own_tokens(unit_of(path, cc="gcc", cache=True)) == ["5"]


def test_system_headers_that_the_user_has_redefined_things_for_are_not_confused(tmp_path: Path, cache: Path) -> None:
    path = tmp_path / "a.h"
    for order in (
        "#include <stdbool.h>\n#undef true\n",
        "#define true 5\n#include <stdbool.h>\n",
        "#include <stdbool.h>\n",
    ):
        path.write_text(f"{order}int a = true;\n")
        for _ in range(2):
            assert own_tokens(unit_of(path, cc="none", cache=True)) == own_tokens(unit_of(path, cc="none"))
