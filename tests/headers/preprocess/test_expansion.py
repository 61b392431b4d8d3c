"""Macros expand to what compilers expand them to."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from abigen.headers.preprocessor.expansion import expand
from abigen.headers.preprocessor.macros import MacroTable
from abigen.headers.unit import Token
from abigen.model.span import AbigenError
from tests.headers.preprocess.compilers import compiler_tokens, own_tokens, unit_of
from tests.headers.preprocess.programs import program
from tests.tools import require


def difference(path: Path, cc: str, seed: int) -> str:
    """Return the difference between abigen and a compiler for a random program; empty for none."""
    path.write_text(program(seed))
    theirs = compiler_tokens(cc, path)
    try:
        ours = own_tokens(unit_of(path))
    except AbigenError as error:
        return "" if theirs is None else f"seed {seed}: refused by abigen only: {error}"
    if theirs is None:
        return f"seed {seed}: accepted by abigen only"
    return "" if ours == theirs[0] else f"seed {seed}: {ours} instead of {theirs[0]}"


@pytest.mark.ci
@pytest.mark.parametrize(("cc", "seeds"), [("gcc", range(60)), ("clang", range(1000, 1040))])
def test_random_programs_expand_as_with_a_compiler(tmp_path: Path, cc: str, seeds: range) -> None:
    require(cc)
    assert [found for seed in seeds if (found := difference(tmp_path / "program.h", cc, seed))] == []


@pytest.mark.slow
@pytest.mark.parametrize("cc", ["gcc", "clang"])
def test_many_random_programs_expand_as_with_a_compiler(tmp_path: Path, cc: str) -> None:
    require(cc)
    assert [found for seed in range(10_000, 13_000) if (found := difference(tmp_path / "program.h", cc, seed))] == []


def tokens(tmp_path: Path, text: str, *, std: str = "gnu17") -> str:
    path = tmp_path / "header.h"
    path.write_text(text)
    return " ".join(own_tokens(unit_of(path, cc="none", std=std)))


def test_a_macro_is_not_expanded_in_its_own_expansion(tmp_path: Path) -> None:
    assert tokens(tmp_path, "#define a b\n#define b a + a\na b") == "a + a b + b"


def test_the_arguments_may_come_from_behind_the_expansion(tmp_path: Path) -> None:
    assert tokens(tmp_path, "#define f(x) [x]\n#define g f\ng\n(1)") == "[ 1 ]"


def test_a_directive_parts_a_name_from_its_arguments(tmp_path: Path) -> None:
    assert tokens(tmp_path, "#define f(x) [x]\nf\n#define y\n(1)") == "f ( 1 )"


def test_conditionals_may_stand_between_arguments(tmp_path: Path) -> None:
    text = "#define f(a, b) a + b\nf(1,\n#ifdef no\n2\n#else\n3\n#endif\n);"
    assert tokens(tmp_path, text) == "1 + 3 ;"


def test_strings_are_made_of_what_was_written(tmp_path: Path) -> None:
    text = "#define s(x) #x\ns( a  +  \"b\\n\"  '\\0' /* c */ d )"
    assert tokens(tmp_path, text) == '"a + \\"b\\\\n\\" \'\\\\0\' d"'


def test_a_comma_goes_with_the_arguments_that_are_left_out(tmp_path: Path) -> None:
    text = "#define e(f, ...) p(f, ##__VA_ARGS__)\ne(1) e(1,) e(1,2,3)"
    assert tokens(tmp_path, text) == "p ( 1 ) p ( 1 , ) p ( 1 , 2 , 3 )"


def test_strict_standards_keep_the_comma_before_empty_arguments(tmp_path: Path) -> None:
    text = "#define e(...) p(f, ##__VA_ARGS__)\ne()"
    assert tokens(tmp_path, text) == "p ( f )"
    assert tokens(tmp_path, text, std="c11") == "p ( f , )"


def test_a_saved_definition_comes_back(tmp_path: Path) -> None:
    text = '#define X 1\n#pragma push_macro("X")\n#undef X\n#define X 2\nX\n#pragma pop_macro("X")\nX'
    assert tokens(tmp_path, text) == "2 1"


def test_macros_that_depend_on_the_place_have_its_value(tmp_path: Path) -> None:
    assert tokens(tmp_path, "__LINE__\n__LINE__ __COUNTER__ __COUNTER__ __INCLUDE_LEVEL__") == "1 2 0 1 0"


def test_the_body_of_a_macro_can_be_expanded_at_the_end_of_the_unit(tmp_path: Path) -> None:
    path = tmp_path / "header.h"
    path.write_text(
        "#include <stddef.h>\n"
        "#define END_OF(T, M) (offsetof(T, M) + sizeof(((T*)0)->M))\n"
        "typedef struct { size_t struct_size; int last; } S;\n"
        "#define S_SIZE END_OF(S, last)\n"
    )
    unit = unit_of(path)
    definition = next(each for each in unit.macros if each.name == "S_SIZE")
    name = Token("id", definition.name, definition.file, definition.line, definition.column)
    found = expand(definition.body, MacroTable(unit.macros), name)
    assert " ".join(each.text for each in found) == (
        "( __builtin_offsetof ( S , last ) + sizeof ( ( ( S * ) 0 ) -> last ) )"
    )
    assert {(each.line, each.column, each.macro, each.span.length) for each in found} == {(4, 9, "S_SIZE", 6)}


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("#define f(a) a\nint x = f(1, 2);", "2:9", "macro 'f' takes 1 argument, 2 given"),
        ("#define f(a, b, ...) a\nf(1)", "2:1", "macro 'f' takes 2 or more arguments, 1 given"),
        ("#define f(a) a\n\n  f(1", "3:3", "the arguments of macro 'f' are not closed"),
        ("#define c(a, b) a##b\n c(+, x)", "2:2", "pasting '+' and 'x' does not give one token"),
        ("#define f(a) #b", "1:1", "'#' in the body of 'f' is not followed by a parameter"),
        ("#define f(a, a) b", "1:1", "two parameters of 'f' have the same name"),
        ("#define f ## b", "1:1", "'##' at an end of the body of 'f'"),
        ("#define f(a b", "1:1", "the list of parameters of 'f' is not closed"),
        ("#define f(1) b", "1:1", "the parameters of 'f' are not a list of names"),
        ("#define defined 1", "1:1", "'defined' cannot be the name of a macro"),
        ("#define 1 2", "1:1", "the name of a macro is an identifier"),
        ("#define", "1:1", "#define without a name"),
    ],
)
def test_a_macro_that_is_wrong_is_named_where_it_stands(tmp_path: Path, text: str, place: str, message: str) -> None:
    path = tmp_path / "header.h"
    path.write_text(text)
    with pytest.raises(AbigenError) as caught:
        unit_of(path, cc="none")
    (found,) = caught.value.diagnostics
    assert str(found.place) == f"{path}:{place}"
    assert found.message == message


def test_seeds_make_different_programs() -> None:
    assert all(first != second for first, second in pairwise(program(seed) for seed in range(50)))
