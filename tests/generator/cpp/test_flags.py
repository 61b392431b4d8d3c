"""Values of enumerations that are flags are combined in C++ without casts, and stay of their type."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.generator.build.building import abigen
from tests.tools import require

SPEC = """
abigen: 1
api: sound
prefix: SO
enums:
  - name: SO_Effects
    flags: true
    enumerators: [{name: SO_LOUD, value: 1}, {name: SO_WIDE, value: 2}, {name: SO_LATE, value: 4}]
  - {name: SO_Kind, enumerators: [{name: SO_A}, {name: SO_B}]}
"""
USER = """
#include "sound.hpp"
int main() {
  constexpr SO_Effects both = SO_LOUD | SO_LATE;
  static_assert(both == 5, "the values");
  SO_Effects effects = both;
  effects |= SO_WIDE;
  effects &= SO_WIDE;
  effects ^= SO_LATE;
  constexpr SO_Effects fewer = (SO_LOUD | SO_WIDE) & ~SO_LOUD;
  static_assert(fewer == SO_WIDE && (~SO_WIDE & both) == both, "all but some");
  SO_Effects newer = static_cast<SO_Effects>(effects | 1 << 1);
  newer &= ~SO_WIDE;
  return effects == (SO_WIDE | SO_LATE) && newer == SO_LATE ? 0 : 1;
}
"""


@pytest.mark.ci
@pytest.mark.parametrize("compiler", ["g++", "clang++"])
def test_flags_are_combined(compiler: str, tmp_path: Path) -> None:
    (found,) = require(compiler)
    (tmp_path / "spec").mkdir()
    (tmp_path / "spec/sound.yaml").write_text(SPEC)
    options = ("--no-cache", "--target", "c", "--target", "cpp", "--spec-dir", tmp_path / "spec", "--out", tmp_path)
    assert abigen("build", *options).code == 0
    (tmp_path / "user.cc").write_text(USER)
    wrong = ("SO_A | SO_B", "both & ~SO_A", "~SO_LOUD")
    for at, each in enumerate(wrong):
        (tmp_path / f"wrong{at}.cc").write_text(USER.replace("effects = both", f"effects = {each}"))
    command = [found, "-std=c++17", "-Wall", "-Wextra", "-Werror", "-pedantic", f"-I{tmp_path}/c", f"-I{tmp_path}/cpp"]
    subprocess.run([*command, str(tmp_path / "user.cc"), "-o", str(tmp_path / "user")], check=True)
    assert subprocess.run([str(tmp_path / "user")], check=False).returncode == 0
    for at in range(len(wrong)):
        refused = [*command, "-fsyntax-only", str(tmp_path / f"wrong{at}.cc")]
        assert subprocess.run(refused, capture_output=True, check=False).returncode != 0
