"""A view of a table that someone else has filled calls what is there, and says what is not."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.generator.build.building import abigen
from tests.generator.cpp.building import SANITIZED, WARNINGS
from tests.tools import require_compiler

NEWER = "      - {name: mute, optional: true, since: 1.1.0, zero: no-op, type: void (*)(int channel)}\n"
SPEC = """\
abigen: 1
api: sound
prefix: SO
version: VERSION
conventions: {filled_by: {SP_: plugin}, leading_fields: [size_t struct_size]}
structs:
  - name: SP_Sound
    fields:
      - {name: play, required: true, type: int (*)(int channel)}
      - {name: Call, optional: true, type: int (*)(int channel)}
"""
PLUGIN = """
#include <stdlib.h>
#include "sound.h"
static int play(int channel) { return channel + 1; }
SP_Sound *plugin_table(void) {
  SP_Sound *table = (SP_Sound *)calloc(1, SP_SOUND_STRUCT_SIZE);
  table->struct_size = SP_SOUND_STRUCT_SIZE;
  table->play = play;
  table->Call = play;
  return table;
}
"""
CORE = """
#include <cstdlib>
#include <cstring>
#include "sound.hpp"
extern "C" SP_Sound* plugin_table(void);
int main() {
  SP_Sound* table = plugin_table();
  const so::SoundFnsView view(table);
  const bool works = view && view.Missing() == nullptr && view.play(3) == 4 && view.Call_(4).value() == 5;
  const bool is_old = !view.Has<&SP_Sound::mute>() && !view.mute(1);
  table->play = nullptr;
  table->Call = nullptr;
  const so::SoundFnsView broken(table), none(nullptr);
  const bool tells = !broken && std::strcmp(broken.Missing(), "play") == 0 && !broken.Call_(1).has_value();
  std::free(table);
  return works && is_old && tells && !none ? 0 : 1;
}
"""


def _built(folder: Path, text: str) -> None:
    (folder / "spec").mkdir(parents=True)
    (folder / "spec/sound.yaml").write_text(text)
    done = abigen(
        "build", "--no-cache", "--target", "c", "--target", "cpp", "--spec-dir", folder / "spec", "--out", folder
    )
    assert done.code == 0, done.stderr


@pytest.mark.ci
@pytest.mark.parametrize(("c", "cpp"), [("gcc", "g++"), ("clang", "clang++")])
def test_a_newer_core_calls_what_an_older_plugin_has(c: str, cpp: str, tmp_path: Path) -> None:
    require_compiler(c, *SANITIZED)
    require_compiler(cpp, "-std=c++17", *SANITIZED)
    _built(tmp_path / "old", SPEC.replace("VERSION", "1.0.0"))
    _built(tmp_path / "new", SPEC.replace("VERSION", "1.1.0") + NEWER)
    (tmp_path / "plugin.c").write_text(PLUGIN)
    (tmp_path / "core.cc").write_text(CORE)
    include = [f"-I{tmp_path}/{side}/{language}" for side in ("old", "new") for language in ("c", "cpp")]
    commands = [
        [c, *WARNINGS, *SANITIZED, *include[:2], "-c", "plugin.c"],
        [cpp, "-std=c++17", *WARNINGS, *SANITIZED, *include[2:], "core.cc", "plugin.o", "-o", "core"],
        ["./core"],
    ]
    for command in commands:
        subprocess.run(command, cwd=tmp_path, check=True)
