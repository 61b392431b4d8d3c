"""Headers as they are give what compilers give, whether or not there is a compiler."""

from __future__ import annotations

from pathlib import Path

import pytest

from abigen.headers.unit import Unit
from tests.headers.preprocess.compilers import compiler_tokens, own_tokens, system_tokens, unit_of
from tests.headers.preprocess.headers import SIZE_MACROS, TRAPS
from tests.sampling import covering_pairs, short_form
from tests.tools import require

ROOT = Path(__file__).parents[3]
STANDARD_HEADERS = (
    *("assert", "complex", "ctype", "errno", "fenv", "float", "inttypes", "iso646", "limits", "locale", "math"),
    *("setjmp", "signal", "stdalign", "stdarg", "stdatomic", "stdbool", "stddef", "stdint", "stdio", "stdlib"),
    *("stdnoreturn", "string", "tgmath", "threads", "time", "uchar", "wchar", "wctype", "pthread", "unistd", "dlfcn"),
)
FIXTURES = sorted(
    str(path.relative_to(ROOT)) for folder in ("tests", "generated") for path in (ROOT / folder).rglob("*.h")
)


@pytest.fixture
def trap(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A header of `TRAPS` on disk, with what it includes."""
    path = tmp_path / "self.h"
    path.write_bytes(TRAPS[request.param])
    (tmp_path / "sub.h").write_text("int from_sub;\n")
    return path


def seen(unit: Unit) -> tuple[object, ...]:
    """Return the part of a unit that belongs to the user's files."""
    own = {file for file in unit.dependencies if file not in unit.system_files}
    macros = [macro for macro in unit.macros if macro.file in own]
    return unit.tokens, unit.comments, macros, unit.own_files, [each.message for each in unit.diagnostics]


@pytest.mark.first_case
@pytest.mark.parametrize(("cc", "trap"), covering_pairs((("gcc", "clang"), TRAPS)), indirect=["trap"])
def test_tokens_are_those_of_a_compiler(trap: Path, cc: str) -> None:
    require(cc)
    theirs = compiler_tokens(cc, trap)
    assert theirs is not None
    unit = unit_of(trap, cc=cc)
    assert own_tokens(unit) == theirs[0]
    assert system_tokens(unit) == theirs[1]


@pytest.mark.first_case
@pytest.mark.parametrize("trap", TRAPS, indirect=True)
def test_without_a_compiler_all_is_the_same(trap: Path) -> None:
    require("gcc", "clang")
    without = seen(unit_of(trap, cc="none"))
    assert without == seen(unit_of(trap, cc="gcc"))
    assert without == seen(unit_of(trap, cc="clang"))


def test_a_typical_header_is_the_same_with_and_without_a_compiler(tmp_path: Path) -> None:
    require("gcc")
    path = tmp_path / "toy.h"
    path.write_bytes(SIZE_MACROS)
    theirs = compiler_tokens("gcc", path, defines=["SHARED_LIBRARY"])
    assert theirs is not None
    for cc in ("gcc", "none"):
        unit = unit_of(path, cc=cc, defines=["SHARED_LIBRARY"])
        assert own_tokens(unit) == theirs[0]
    assert seen(unit_of(path, cc="none")) == seen(unit_of(path, cc="gcc"))


@pytest.mark.first_case
@pytest.mark.parametrize("header", short_form(FIXTURES, 6))
def test_the_headers_of_all_tests_are_the_same_with_and_without_a_compiler(header: str) -> None:
    require("gcc")
    path = ROOT / header
    includes = [ROOT / "generated" / each for each in ("rfc", "tensorflow")]
    theirs = compiler_tokens("gcc", path, include_dirs=includes)
    if theirs is None:
        pytest.skip("no compiler takes it")
    unit = unit_of(path, cc="gcc", include_dirs=includes)
    assert own_tokens(unit) == theirs[0]
    assert system_tokens(unit) == theirs[1]
    assert seen(unit_of(path, cc="none", include_dirs=includes)) == seen(unit)


@pytest.mark.ci
@pytest.mark.parametrize("cc", ["gcc", "clang"])
def test_system_headers_declare_what_a_compiler_sees(tmp_path: Path, cc: str) -> None:
    require(cc)
    path = tmp_path / "all.h"
    path.write_text("".join(f"#include <{name}.h>\n" for name in STANDARD_HEADERS))
    theirs = compiler_tokens(cc, path)
    assert theirs is not None
    assert system_tokens(unit_of(path, cc=cc)) == theirs[1]


@pytest.mark.slow
@pytest.mark.parametrize(("cc", "std"), [("gcc", "gnu17"), ("gcc", "c99"), ("clang", "gnu17")])
def test_every_header_of_this_machine_is_read_as_a_compiler_reads_it(cc: str, std: str) -> None:
    require(cc)
    wrong = []
    for path in sorted(Path("/usr/include").glob("*.h")):
        theirs = compiler_tokens(cc, path, std=std)
        if theirs is not None:
            unit = unit_of(path, cc=cc, std=std)
            if (own_tokens(unit), system_tokens(unit)) != theirs:
                wrong.append(str(path))
    assert wrong == []
