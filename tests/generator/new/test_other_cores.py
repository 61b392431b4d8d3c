"""Plugins and the cores that load them, of different age: nobody writes or reads a byte that is not there."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.generator.new.projects import STRICT, include, new, sources
from tests.tools import require

HERE = Path(__file__).parent

_TOYS = """\
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plugin.h"

int main(void) {
  const size_t oldest = TP_TOY_FNS_STRUCT_SIZE_1_0_0, newest = TP_TOY_FNS_STRUCT_SIZE;
  size_t size;
  for (size = sizeof(size_t); size <= newest + 16; ++size) {
    TP_ToyFns* const fns = malloc(size);
    memset(fns, 0xA5, size);
    fns->struct_size = size;
    const int code = TB_InitPlugin(fns);
    const int enough = size >= offsetof(TP_ToyFns, destroy) + sizeof(fns->destroy);
    if ((code == 0) != enough) printf("%zu bytes: %d\\n", size, code);
    if (code == 0 && (fns->make != bear_make || strcmp(fns->brand, "Bear"))) printf("%zu bytes: no make\\n", size);
    if (size >= newest && fns->play != bear_play) printf("%zu bytes: no play\\n", size);
    if (size == oldest && fns->wind_up != bear_wind_up) printf("%zu bytes: no wind_up\\n", size);
    free(fns);
  }
  return 0;
}
"""


def _run(arguments: tuple[str | Path, ...], program: Path) -> str:
    """Return the output of a program, and the report of a sanitizer about it."""
    require("clang -fsanitize=address,undefined")
    options = (*STRICT, "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined")
    # Objects that are smaller than their type are what these tests are about; AddressSanitizer sees what matters.
    options += ("-fno-sanitize=object-size,alignment", "-Wno-unused-variable")
    subprocess.run(["clang", *options, *arguments, "-o", program], check=True)
    done = subprocess.run([program], capture_output=True, text=True, check=False)
    return f"{done.stdout}{done.stderr}" if done.returncode == 0 else f"{done.returncode}: {done.stdout}{done.stderr}"


@pytest.mark.ci
def test_a_plugin_for_tensorflow_fits_cores_of_any_size(full: Path, tmp_path: Path) -> None:
    arguments = (*include(full), HERE / "other_cores.c", full / "generated" / "core.c", *sources(full))
    assert _run(arguments, tmp_path / "cores") == ""


@pytest.mark.ci
def test_a_newer_plugin_gives_an_older_core_what_it_knows(tmp_path: Path) -> None:
    project = new(tmp_path / "p", "Bear", "toybox")
    program = tmp_path / "toys.c"
    program.write_text(_TOYS)
    assert _run((*include(project), program, *sources(project)), tmp_path / "toys") == ""
