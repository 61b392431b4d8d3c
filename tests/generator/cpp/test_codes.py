"""Functions that return codes: nobody ignores one, and what is thrown becomes one."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.generator.cpp.building import COMPILERS, SANITIZED, WARNINGS, Generated, compiled, generate

_SPEC = """\
abigen: 1
api: radio
prefix: RA
conventions:
  filled_by: {RAP_: plugin}
  errors: {result: {type: RA_Result, ok: RA_OK, failed: RA_FAILED, unsupported: RA_UNSUPPORTED}}
enums:
  - name: RA_Result
    enumerators: [{name: RA_OK}, {name: RA_FAILED}, {name: RA_UNSUPPORTED}, {name: RA_BUSY}, {name: RA_TAKEN, value: 3}]
handles:
  - {name: RA_Radio, tag: RA_Radio_st, create: RA_Open, destroy: RA_Close}
structs:
  - name: RAP_Fns
    versioned: false
    fields:
      - {name: tune, required: true, thread: audio, doc: Tunes., type: RA_Result (*)(int channel)}
      - {name: stop, required: true, type: RA_Result (*)(void)}
functions:
  - {name: RA_Open, gives: [return], type: RA_Radio (void)}
  - {name: RA_Close, type: void (RA_Radio radio)}
  - name: RA_Volume
    type: RA_Result (RA_Radio radio, int level)
    thread: main
    parameters: [{name: radio, nullable: false}]
  - {name: RA_Level, outputs: [level], type: "RA_Result (RA_Radio radio, int* level)"}
  - {name: RA_Send, type: "RA_Result (const char* text, size_t text_size)", parameters: [{name: text, nullable: false}]}
  - {name: RA_Start, implemented_by: plugin, entry_point: true, type: RA_Result (RAP_Fns* fns)}
"""
_C = """
#include <stdlib.h>
#include "radio.h"
struct RA_Radio_st { int level; };
RA_Radio RA_Open(void) { return calloc(1, sizeof(struct RA_Radio_st)); }
void RA_Close(RA_Radio radio) { free(radio); }
RA_Result RA_Volume(RA_Radio radio, int level) {
  if (level > 9) return RA_BUSY;
  radio->level = level;
  return RA_OK;
}
RA_Result RA_Level(RA_Radio radio, int *level) { *level = radio->level; return RA_OK; }
RA_Result RA_Send(const char *text, size_t text_size) { return *text == 'a' && text_size ? RA_OK : RA_FAILED; }
"""
_USE = """
#include <cstring>
#include <stdexcept>
#include "radio.hpp"

struct Mine : ra::Fns<Mine> {
  static RA_Result tune(int channel) {
    ra::Radio radio = ra::Radio::Open();
    radio.Volume(channel).OrThrow();
    return RA_OK;
  }
  static ra::Result stop() { throw std::runtime_error("no"); }
};
RA_Result Start(RAP_Fns*) { ra::Radio().Volume(1).OrThrow(); return RA_OK; }
RA_Result Busy(RAP_Fns*) { ra::Radio::Open().Volume(10).OrThrow(); return RA_OK; }

template <class Call>
bool Refused(Call call, const char* text) {
  try {
    call();
  } catch (const std::invalid_argument& error) {
    return std::strcmp(error.what(), text) == 0;
  }
  return false;
}

int main() {
  ra::Radio radio = ra::Radio::Open();
  const ra::Result done = radio.Volume(4), busy = radio.Volume(10);
  if (!done.ok() || busy.ok() || busy != RA_BUSY || std::strcmp(busy.name(), "RA_BUSY") != 0) return 1;
  const RA_Result plain = busy;
  const auto level = radio.Level();
  if (plain != RA_BUSY || !level || *level != 4 || level.status().code() != RA_OK) return 2;
  if (std::strcmp(ra::Result(static_cast<RA_Result>(2)).name(), "RA_UNSUPPORTED") != 0) return 3;
  if (!Refused([] { (void)ra::Radio().Volume(1); }, "RA_Volume: radio is NULL")) return 4;
  if (!Refused([] { (void)ra::Send({}); }, "RA_Send: text is NULL") || !ra::Send({"a", 1}).ok()) return 5;
  RAP_Fns fns{};
  Mine::Fill(&fns);
  const ra::FnsView view(&fns);
  if (!view.tune(3).ok() || view.tune(11).code() != RA_BUSY || view.stop() != RA_FAILED) return 6;
  if (ra::Start<&Start>(&fns) != RA_FAILED || ra::Start<&Busy>(&fns) != RA_BUSY) return 7;
  return 0;
}
"""


@pytest.fixture(scope="module")
def radio(tmp_path_factory: pytest.TempPathFactory) -> Generated:
    """Return the output for the spec."""
    folder = tmp_path_factory.mktemp("radio")
    (folder / "spec").mkdir()
    (folder / "spec" / "radio.yaml").write_text(_SPEC)
    return generate(folder / "out", folder / "spec")


@pytest.mark.ci
@pytest.mark.parametrize(("compiler", "standard"), COMPILERS)
def test_codes_are_asked_and_thrown_by_name_and_null_is_refused(
    radio: Generated, compiler: str, standard: str, tmp_path: Path
) -> None:
    (tmp_path / "radio.c").write_text(_C)
    (tmp_path / "use.cc").write_text(_USE)
    c = {"g++": "gcc", "clang++": "clang"}[compiler]
    options = (*WARNINGS, *SANITIZED, *radio.include)
    assert compiled(c, *options, "-c", tmp_path / "radio.c", "-o", tmp_path / "radio.o") == ""
    said = compiled(
        compiler, f"-std={standard}", *options, tmp_path / "use.cc", tmp_path / "radio.o", "-o", tmp_path / "use"
    )
    assert said == ""
    assert subprocess.run([tmp_path / "use"], check=False).returncode == 0


@pytest.mark.ci
@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("radio.Volume(1);", "nodiscard"),
        ("radio.Level();", "nodiscard"),
        ("if (radio.Volume(1)) { }", "deleted"),
    ],
)
def test_a_code_that_is_ignored_or_taken_for_a_truth_does_not_compile(
    radio: Generated, code: str, message: str, tmp_path: Path
) -> None:
    source = tmp_path / "wrong.cc"
    source.write_text(f'#include "radio.hpp"\nvoid f(ra::Radio& radio) {{ {code} }}\n')
    assert message in compiled("clang++", "-std=c++17", *WARNINGS, *radio.include, "-fsyntax-only", source)


def test_comments_say_on_which_thread_something_is_called(radio: Generated) -> None:
    text = " ".join(radio.read("radio.hpp").replace("//", " ").split())
    assert "Required. Tunes. Called on the `audio` thread only." in text
    assert "Called on the `main` thread only." in text
