"""The helpers of a generated header, in programs."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.generator.build.building import COMPILERS, STRICT, abigen, build, compile_text, flags

_PROGRAM = Path(__file__).with_name("helpers.c")


@pytest.fixture(scope="module")
def include(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("out"))


@pytest.mark.ci
@pytest.mark.parametrize(("compiler", "standard"), COMPILERS)
def test_helpers_respect_the_size_that_the_other_side_allocated(
    include: Path, tmp_path: Path, compiler: str, standard: str
) -> None:
    program = tmp_path / "helpers"
    options = (f"-std={standard}", *STRICT, f"-I{include}")
    assert compile_text(compiler, options, _PROGRAM.read_text(), program) == ""
    done = subprocess.run([program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize(("compiler", "standard"), COMPILERS)
@pytest.mark.parametrize("name", ["toy/toy.h", "toy/toy_helpers.h", "zoo.h", "zoo_helpers.h"])
def test_a_header_compiles_alone_without_a_warning(include: Path, name: str, compiler: str, standard: str) -> None:
    header = (include / name).read_text()
    assert compile_text(compiler, (*flags(compiler, standard), f"-I{include}"), header) == ""


def test_headers_of_one_prefix_share_what_all_structs_need(include: Path, tmp_path: Path) -> None:
    spec = tmp_path / "spec"
    spec.mkdir()
    for name in ("one", "two"):
        fields = "{name: a, type: int}"
        (spec / f"{name}.yaml").write_text(
            f"abigen: 1\napi: {name}\nprefix: BOTH\nversion_macros: []\nversion: 1.0.0\n"
            "conventions: {leading_fields: [size_t struct_size]}\n"
            f"structs: [{{name: {name.title()}, fields: [{fields}]}}]\n"
        )
    out = build(tmp_path / "out", spec)
    text = '#include "one_helpers.h"\n#include "two_helpers.h"\n'
    text += "int main(void) { One one; Two two; One_Init(&one, sizeof one);\n"
    text += "Two_Init(&two, sizeof two); return one.a + two.a; }\n"
    assert compile_text("gcc", ("-std=c99", *STRICT, f"-I{out}"), text) == ""


@pytest.mark.ci
def test_a_size_of_another_type_than_size_t_is_set_in_its_own_type(tmp_path: Path) -> None:
    spec = tmp_path / "spec"
    spec.mkdir()
    (spec / "small.yaml").write_text(
        "abigen: 1\napi: small\nversion: 1.0.0\nconventions: {leading_fields: [uint32_t size]}\n"
        "structs: [{name: small_t, fields: [{name: a, type: int}]}]\n"
    )
    out = build(tmp_path / "out", spec)
    text = '#include "small_helpers.h"\n'
    text += "int main(void) { small_t s; return !(small_init(&s, sizeof s) == 8 && s.size == 8); }\n"
    for compiler, standard in (("gcc", "c99"), ("clang++", "c++11")):
        program = tmp_path / compiler
        assert compile_text(compiler, (f"-std={standard}", *STRICT, f"-I{out}"), text, program) == ""
        assert subprocess.run([program], check=False).returncode == 0


def test_a_helper_does_not_take_a_name_that_the_api_uses(tmp_path: Path) -> None:
    spec = tmp_path / "spec"
    spec.mkdir()
    (spec / "api.yaml").write_text(
        "abigen: 1\napi: api\nversion: 1.0.0\nconventions: {leading_fields: [size_t struct_size]}\n"
        "structs:\n  - {name: Thing, fields: [{name: a, type: int}]}\n"
        "functions:\n  - {name: Thing_Init, type: void (Thing* thing)}\n"
    )
    run = abigen("build", "--spec-dir", spec, "--out", tmp_path / "out")
    assert run.code == 2
    assert "api.yaml:8:12: error: `Thing_Init` is the name of a helper" in run.stderr
    assert not (tmp_path / "out").exists()


_BITS = """\
abigen: 1
api: bits
prefix: XY
version: 1.1.0
conventions: {leading_fields: [size_t struct_size]}
constants: [{name: XY_NAMELESS, value: 3}]
structs:
  - name: XY_Bits
    since: 1.0.0
    fields:
      - {name: first, type: unsigned, bits: 3}
      - {kind: struct, fields: [{name: inside, type: unsigned, bits: 2}]}
      - {kind: union, fields: [{name: x, type: int}, {name: y, type: float}]}
      - {name: plain, type: int}
      - {name: later, type: unsigned, bits: 5, since: 1.1.0, zero: meaningful}
      - {name: last, type: int, since: 1.1.0, zero: meaningful}
"""
_ASKING = """
#include "bits_helpers.h"
int main(void) {
  XY_Bits bits = {XY_BITS_STRUCT_SIZE_1_0_0, 5, {1}, {0}, 1, 7, 0};
  if (!XY_BITS_HAS(&bits, inside)) return 4;
  if (!XY_BITS_HAS(&bits, first) || !XY_BITS_HAS_FIELD(&bits, x) || !XY_BITS_HAS_FIELD(&bits, y)) return 1;
  if (XY_BITS_HAS_FIELD(&bits, later) || XY_BITS_HAS(&bits, last)) return 2;
  bits.struct_size = XY_BITS_STRUCT_SIZE;
  return !XY_BITS_HAS(&bits, later) + XY_BITS_HAS(&bits, last) + XY_NAMELESS - 3;
}
"""


@pytest.mark.parametrize(("compiler", "standard"), COMPILERS[:2])
def test_a_struct_may_be_asked_for_its_bit_fields(compiler: str, standard: str, tmp_path: Path) -> None:
    (tmp_path / "spec").mkdir()
    (tmp_path / "spec/bits.yaml").write_text(_BITS)
    out, program = build(tmp_path / "out", tmp_path / "spec"), tmp_path / "asking"
    assert compile_text(compiler, (f"-std={standard}", *STRICT, f"-I{out}"), _ASKING, program) == ""
    assert subprocess.run([program], check=False).returncode == 0
