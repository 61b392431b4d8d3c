"""Tests of exceptions that reach C: as a message and a code, which is never the one for success."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.generator.cpp.building import COMPILERS, SANITIZED, WARNINGS, compiled, generate

SPEC = """\
abigen: 1
api: lamps
prefix: LA
conventions:
  errors:
    result: {type: LA_Result, ok: LA_OK, failed: LA_FAILED, unsupported: LA_UNKNOWN}
    negative_errno: int64_t
    null_fails: true
    last_error: {message: LA_Message, set: LA_Explain}
enums:
  - name: LA_Result
    enumerators: [{name: LA_OK, value: 0}, {name: LA_BUSY, value: 3}, {name: LA_FAILED, value: 7}, {name: LA_UNKNOWN}]
callbacks:
  - {name: LA_Step, type: LA_Result (*)(int at)}
structs:
  - name: LA_Lamp
    versioned: false
    fields:
      - {name: lit, type: LA_Result (*)(int at)}
      - {name: count, type: int64_t (*)(int at)}
      - {name: find, type: const char* (*)(int at)}
      - {name: dim, type: void (*)(int at)}
functions:
  - {name: LA_Run, implemented_by: core, type: "LA_Result (LA_Step step, int at)"}
  - {name: LA_Message, implemented_by: core, type: const char* (void)}
  - {name: LA_Explain, implemented_by: core, type: "void (CODEconst char* message)"}
  - {name: LA_LastCode, implemented_by: core, type: int (void)}
  - {name: LA_Init, implemented_by: plugin, entry_point: true, type: LA_Result (int at)}
"""
CORE = """
#include <stdio.h>
#include "lamps.h"
static char message[100] = "it is dark";
static int last_code = 0;
void LA_Explain(PARAMETERS) {
  STORE
  (void)snprintf(message, sizeof(message), "%s", why);
}
int LA_LastCode(void) { return last_code; }
LA_Result LA_Run(LA_Step step, int at) { return step(at); }
const char* LA_Message(void) { return message; }
"""
USE = """
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include "lamps.hpp"

[[noreturn]] void Break(int at) {
  if (at == 0) throw abigen::CodeError<LA_Result>(LA_BUSY, "busy");
  if (at == 1) throw abigen::CodeError<LA_Result>(LA_OK, "a success that was thrown");
  if (at == 2) throw 42;
  throw std::runtime_error("no oil");
}
struct Lamp : la::LampFns<Lamp> {
  static LA_Result lit(int at) { Break(at); }
  static int64_t count(int at) { Break(at); }
  static const char* find(int at) { Break(at); }
  static void dim(int at) { Break(at); }
};
LA_Result Step(int at) { Break(at); }

bool Said(int code, const char* message) {
  const bool is_said = std::strcmp(LA_Message(), message) == 0 && LA_LastCode() == (TAKES_CODE ? code : 0);
  LA_Explain(RESET "it is dark");
  return is_said;
}

int main() {
  LA_Lamp lamp{};
  Lamp::Fill(&lamp);
  if (lamp.lit(0) != LA_BUSY || !Said(LA_BUSY, "busy")) return 1;
  if (lamp.lit(1) != LA_FAILED || !Said(LA_FAILED, "a success that was thrown")) return 2;
  if (lamp.lit(2) != LA_FAILED || !Said(LA_FAILED, "an exception of an unknown type")) return 3;
  if (lamp.count(3) != -EIO || !Said(EIO, "no oil")) return 4;
  if (lamp.find(3) != nullptr || !Said(LA_FAILED, "no oil")) return 5;
  if (lamp.find(0) != nullptr || !Said(LA_BUSY, "busy")) return 6;
  lamp.dim(3);
  if (!Said(0, "it is dark")) return 7;
  if (la::Run<&Step>(3).code() != LA_FAILED || !Said(LA_FAILED, "no oil")) return 8;
  if (la::Init<&Step>(0) != LA_BUSY || !Said(LA_BUSY, "busy")) return 9;
  LA_Explain(RESET "out of wicks");
  try {
    la::LampFnsView(&lamp).lit(3).value_or(LA_OK).OrThrow();
    return 10;
  } catch (const abigen::CodeError<LA_Result>& error) {
    if (error.code() != LA_FAILED || std::strcmp(error.what(), "no oil") != 0) return 11;
  }
  LA_Explain(RESET "");
  try {
    la::Result(LA_BUSY).OrThrow();
    return 12;
  } catch (const abigen::CodeError<LA_Result>& error) {
    if (std::strcmp(error.what(), "LA_BUSY") != 0) return 13;
  }
  return 0;
}
"""
WITH_CODE = {
    "CODE": "int code, ",
    "PARAMETERS": "int code, const char* why",
    "STORE": "last_code = code;",
    "RESET": "0,",
}
WITHOUT_CODE = {"CODE": "", "PARAMETERS": "const char* why", "STORE": "", "RESET": ""}

SILENT = """\
abigen: 1
api: bells
prefix: BE
callbacks:
  - {name: BE_Rule, type: int (*)(int at)}
structs:
  - name: BE_Bell
    versioned: false
    fields: [{name: pitch, type: int (*)(void* self)}, {name: rung, type: void (*)(void* self)}]
functions:
  - {name: BE_Ask, implemented_by: core, type: "int (BE_Rule rule, int at)"}
"""
BELL = """
struct Bell : be::BellFns<Bell> {
  static Bell& Self(void* self) SELF { return *static_cast<Bell*>(self); }
  int pitch(void*) PITCH { return 4; }
  static void rung(void*) { throw 1; }
  EXTRA
};
int Rule(int at) RULE { return at; }
void Use(BE_Bell* bell) { Bell::Fill(bell); (void)be::Ask<&Rule>(3); }
"""


@pytest.mark.ci
@pytest.mark.parametrize(("compiler", "standard"), COMPILERS)
@pytest.mark.parametrize("words", [WITH_CODE, WITHOUT_CODE], ids=["code", "message"])
def test_the_last_error_is_that_of_the_function_that_threw(
    compiler: str, standard: str, words: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "spec").mkdir()
    (tmp_path / "spec/lamps.yaml").write_text(_said(SPEC, {"CODE": words["CODE"]}))
    made = generate(tmp_path / "out", tmp_path / "spec")
    (tmp_path / "core.c").write_text(_said(CORE, {each: words[each] for each in ("PARAMETERS", "STORE")}))
    takes = {"TAKES_CODE": "true" if words["CODE"] else "false", "RESET": words["RESET"]}
    (tmp_path / "use.cc").write_text(_said(USE, takes))
    options = (*WARNINGS, *SANITIZED, *made.include)
    c = {"g++": "gcc", "clang++": "clang"}[compiler]
    assert compiled(c, *options, "-c", tmp_path / "core.c", "-o", tmp_path / "core.o") == ""
    arguments = (tmp_path / "use.cc", tmp_path / "core.o", "-o", tmp_path / "use")
    assert compiled(compiler, f"-std={standard}", *options, *arguments) == ""
    assert subprocess.run([tmp_path / "use"], check=False).returncode == 0


@pytest.mark.ci
@pytest.mark.parametrize(
    ("throws", "is_refused"),
    [
        ((), False),
        (("PITCH",), True),
        (("SELF",), True),
        (("RULE",), True),
        (("PITCH", "EXTRA"), False),
    ],
)
@pytest.mark.parametrize("compiler", ["g++", "clang++"])
def test_a_function_that_may_throw_is_refused_where_nothing_means_failure(
    compiler: str, throws: tuple[str, ...], is_refused: bool, tmp_path: Path
) -> None:
    (tmp_path / "spec").mkdir()
    (tmp_path / "spec/bells.yaml").write_text(SILENT)
    made = generate(tmp_path / "out", tmp_path / "spec")
    words = {each: "" if each in throws else "noexcept" for each in ("SELF", "PITCH", "RULE")}
    words["EXTRA"] = "template <class R> static R OnException() { return R(-1); }" if "EXTRA" in throws else ""
    source = tmp_path / "bell.cc"
    source.write_text('#include "bells.hpp"\n' + _said(BELL, words))
    said = compiled(compiler, "-std=c++17", *WARNINGS, *made.include, "-fsyntax-only", source)
    sentence = "nothing says which result means failure: make the function noexcept"
    assert (sentence in said.replace('" "', ""), bool(said)) == (is_refused, is_refused)


def _said(text: str, words: dict[str, str]) -> str:
    for each, replacement in words.items():
        text = text.replace(each, replacement)
    return text
