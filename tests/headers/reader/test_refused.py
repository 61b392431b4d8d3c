"""Tests that constructs which compilers refuse get an error at the right place, in clear words."""

from __future__ import annotations

from pathlib import Path

import pytest

from abigen.headers.reader import read_headers
from abigen.model.span import AbigenError
from abigen.workspace.options import ReadOptions, SourceFile
from tests.headers.reader.reading import read
from tests.headers.reader.refused import REFUSED
from tests.headers.reader.test_accepted import compile_with


@pytest.mark.first_case
@pytest.mark.parametrize("name", REFUSED)
def test_a_header_that_gcc_refuses_is_refused_with_every_error_at_its_place(name: str) -> None:
    text, expected = REFUSED[name]
    assert compile_with("gcc", text) != ""
    with pytest.raises(AbigenError) as caught:
        read(text)
    found = [(each.place.line, each.place.column, each.message) for each in caught.value.diagnostics if each.place]
    assert len(found) == len(expected) == len(caught.value.diagnostics)
    for (line, column, message), (wanted_line, wanted_column, part) in zip(found, sorted(expected), strict=True):
        assert (line, column) == (wanted_line, wanted_column)
        assert part in message


def test_an_unknown_type_is_answered_with_the_name_that_was_meant() -> None:
    with pytest.raises(AbigenError, match="did you mean 'int32_t'"):
        read("#include <stdint.h>\nstruct S { int32 a; };")


def test_a_standard_type_without_its_header_is_answered_with_the_include() -> None:
    with pytest.raises(AbigenError, match=r"include <stdint\.h>"):
        read("struct S { uint64_t a; };")


def test_a_tag_without_its_keyword_is_answered_with_the_keyword() -> None:
    with pytest.raises(AbigenError, match="write 'struct S'"):
        read("struct S; S *f(void);")


def test_one_missing_include_is_one_error_though_it_defined_what_other_files_use(tmp_path: Path) -> None:
    (tmp_path / "second.h").write_text("struct EXPORTED First { signed char x; };\nstruct Second { Word w; };\n")
    text = '#ifndef NO_NOWHERE\n#include "nowhere.h"\n#endif\n#include "second.h"\nstruct Third { struct First t; };\n'
    options = ReadOptions(targets=("x86_64-linux-gnu",), cc="none", cache=False)
    with pytest.raises(AbigenError) as caught:
        read_headers([SourceFile("api.h", str(tmp_path / "api.h"), text)], options)
    assert [each.message for each in caught.value.diagnostics] == ["'nowhere.h' not found"]
