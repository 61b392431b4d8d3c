"""Tests of parameters in specs: headers, C++ and Python refuse NULL where the spec does not allow it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.generator.new.test_matrix import spec_of
from tests.generator.python.building import run_python
from tests.running import run_here
from tests.tools import require

_CPP = """
#include "toy.hpp"
static int made;
extern "C" XY_Item xy_new(void) { return reinterpret_cast<XY_Item>(&made); }
extern "C" void xy_free(XY_Item) {}
extern "C" int xy_post(XY_Item, const XY_Point*, const char*, XY_Visit, void*) { return 7; }
int main() {
  const xy::Item item = xy::Item::new_();
  const XY_Point point = {1, 2};
  if (item.post(&point, "title", nullptr, nullptr) != 7) return 1;
#ifdef __cpp_exceptions
  try {
    item.post(nullptr, "title", nullptr, nullptr);
  } catch (const std::invalid_argument& error) {
    std::puts(error.what());
  }
#else
  item.post(&point, nullptr, nullptr, nullptr);
#endif
}
"""
_PYTHON = """
from plugin_api import Fallible
from plugin_api.toy import XYP_Fns, XY_Point
table = XYP_Fns()
table.draw = Fallible(lambda point, title: 5 if title is None else 6, -1)
print(table.draw(XY_Point(), None), table.draw(XY_Point(), "x"))
for nothing in (None, XY_Point.null()):
    try:
        table.draw(nothing, "x")
    except TypeError as error:
        print(error)
print(XYP_Fns.draw.__doc__)
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("parameters")
    spec = spec_of("parameters", folder)
    done = run_here(["build", "--no-cache", "--spec-dir", str(spec.parent), "--out", str(folder / "out")])
    assert done.code == 0, done.stderr
    return folder


def test_the_header_lists_what_there_is_to_know_of_parameters(built: Path) -> None:
    text = (built / "out/c/toy.h").read_text()
    assert (
        """
// Posts a point. Called on the `audio` thread only.
//
// - `item`: Not NULL.
// - `point`: Where. Not NULL.
// - `title`: What it is called, in a text that is long enough for the comment
//   in the header to take two lines. Not NULL.
// - `user`: For visit. May be NULL.
int xy_post("""
        in text
    )
    assert (
        """
  // Required. Draws a point. Called on the `main` thread only.
  //
  // - `point`: Where. Not NULL.
  // - `title`: May be NULL.
  int (*draw)("""
        in text
    )


def test_python_names_the_parameter_that_cannot_be_none(built: Path) -> None:
    ran = run_python(_PYTHON, built / "out/python")
    assert ran.stderr == ""
    assert ran.stdout.splitlines()[:3] == [
        "5 6",
        *["XYP_Fns.draw: point cannot be None: the API allows no NULL there"] * 2,
    ]
    assert "- `point`: Where. Not NULL." in ran.stdout
    assert "Called on the `main` thread only." in ran.stdout


@pytest.mark.ci
def test_cpp_names_the_parameter_that_cannot_be_null(built: Path) -> None:
    require("g++")
    source, program = built / "user.cc", built / "user"
    source.write_text(_CPP)
    options = ["-std=c++17", "-Wall", "-Wextra", "-Werror", *(f"-I{built / 'out' / each}" for each in ("c", "cpp"))]
    subprocess.run(["g++", *options, str(source), "-o", str(program)], check=True)
    ran = subprocess.run([str(program)], capture_output=True, text=True, check=True)
    assert ran.stdout == "xy_post: point is NULL\n"
    subprocess.run(["g++", *options, "-fno-exceptions", str(source), "-o", str(program)], check=True)
    ran = subprocess.run([str(program)], capture_output=True, text=True, check=False)
    assert (ran.returncode < 0, ran.stderr) == (True, "xy_post: title is NULL\n")
