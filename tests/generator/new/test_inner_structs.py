"""Structs and unions inside of others, and enumerations without a name: in C, C++ and Python, and from a header."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
import yaml

from tests.generator.new.test_matrix import spec_of
from tests.generator.python.building import run_python
from tests.running import run_here
from tests.tools import require

_USER = """
import gc
from plugin_api.toy import *

event = XY_Event(kind=3, dx=2.5, name="hello")
assert (event.dx, event.name) == (2.5, "hello")
event.key = XY_Event_key(code=9, flags=5)
gc.collect()
key = event.key
del event
gc.collect()
assert (key.code, key.flags, repr(key)) == (9, 5, "XY_Event.key(code=9, flags=5)")
try:
    key.cod = 1
except AttributeError as error:
    assert "cod" in str(error), error
else:
    raise SystemExit("a member that there is not was set")
try:
    XY_Event_key(cod=1)
except (AttributeError, TypeError) as error:
    assert str(error) == "XY_Event.key has no member cod; did you mean code?", error
table = XYP_Fns(depth=4, title="abc")
table.style.whole = 7
gc.collect()
assert (table.depth, table.title, table.style.whole, table.more.b) == (4, "abc", 7, 0)
old = XYP_Fns.for_release("1.0.0", title="x")
assert (old.has("title"), old.has("more"), old.title) == (True, False, "x")
try:
    old.more
except Exception as error:
    assert "XYP_Fns.more came with 1.1.0" in str(error), error
names = ("kind", "key", "dx", "dy", "at_", "user")
print(*(XY_Event.offset_of(each) for each in names), XYP_Fns.offset_of("title"), XYP_Fns.offset_of("more"))
"""
_PLACES = """
#include <stdio.h>
#include "toy_helpers.h"
#define AT(type, member) (int)offsetof(type, member)
int main(void) {
  XYP_Fns table = XYP_FNS_INITIALIZER;
  table.depth = 1;
  if (!XYP_FNS_HAS_FIELD(&table, title) || !XYP_FNS_HAS(&table, depth) || XYP_FNS_HAS(&table, style.whole)) return 1;
  printf("%d %d %d %d %d %d %d %d\\n", AT(XY_Event, kind), AT(XY_Event, key), AT(XY_Event, dx), AT(XY_Event, dy),
         AT(XY_Event, at), AT(XY_Event, user), AT(XYP_Fns, title), AT(XYP_Fns, more));
  return 0;
}
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("inner")
    spec = spec_of("inner", folder)
    done = run_here(["build", "--no-cache", "--spec-dir", str(spec.parent), "--out", str(folder / "out")])
    assert done.code == 0, done.stderr
    return folder


@pytest.mark.parametrize(
    ("compiler", "standards"), [("gcc", ["c99", "c11", "c17"]), ("g++", ["c++11", "c++17"]), ("clang", ["c99", "c11"])]
)
def test_no_compiler_warns_of_structs_without_names(compiler: str, standards: list[str], built: Path) -> None:
    require(compiler)
    language = "c++" if compiler == "g++" else "c"
    options = ["-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only", "-x", language]
    for standard in standards:
        command = [compiler, f"-std={standard}", *options, str(built / "out/c/toy_helpers.h")]
        subprocess.run(command, check=True)


def test_c_and_python_reach_members_of_structs_in_structs_at_the_same_places(built: Path) -> None:
    require("gcc")
    (built / "places.c").write_text(_PLACES)
    program = built / "places"
    options = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic", f"-I{built / 'out/c'}"]
    subprocess.run(["gcc", *options, str(built / "places.c"), "-o", str(program)], check=True)
    in_c = subprocess.run([str(program)], capture_output=True, text=True, check=True).stdout
    in_python = run_python(_USER, built / "out/python")
    assert (in_python.stdout, in_python.stderr) == (in_c, "")


def test_the_header_of_a_struct_in_a_struct_says_what_its_spec_does(built: Path) -> None:
    header, spec = str(built / "out/c/toy.h"), str(built / "spec/toy.yaml")
    done = run_here(["diff", "--no-cache", header, spec, "--summary"])
    assert (done.stdout, done.code) == (
        "No change. No new version is needed. The version is still 1.1.0.\n",
        0,
    )


def test_import_writes_structs_in_structs_as_the_header_has_them(built: Path) -> None:
    done = run_here(["import", "--no-cache", str(built / "out/c/toy.h"), "--out", str(built / "imported")])
    assert "gets a name" not in done.stdout
    found, wanted = (
        {each["name"]: each["fields"] for each in yaml.safe_load(path.read_text())["structs"]}
        for path in (built / "imported/toy.yaml", built / "spec/toy.yaml")
    )
    union, inner = found["XY_Event"][1], wanted["XY_Event"][1]
    assert [[*each] for each in union["fields"]] == [
        ["name", "doc", "fields"],
        ["fields"],
        *[["name", "type", "doc"]],
        ["name", "type", "doc", "since"],
    ]
    assert union["fields"][0] == inner["fields"][0]
    assert union["fields"][1] == inner["fields"][1]


@pytest.mark.ci
def test_a_release_has_the_structs_in_structs_that_were_there(built: Path) -> None:
    spec = str(built / "spec/toy.yaml")
    done = run_here(["layout", "--no-cache", f"{spec}@1.0.0", "--no-places"])
    assert "late" not in done.stdout
    assert "more" not in done.stdout
    done = run_here(["skew", spec])
    assert "4 pairs of core and plugin: 4 work" in done.stdout


def test_an_enumeration_without_a_name_gives_numbers_in_all_languages(tmp_path: Path) -> None:
    require("gcc", "g++")
    spec, out = spec_of("nameless_enum", tmp_path), tmp_path / "out"
    assert run_here(["build", "--no-cache", "--spec-dir", str(spec.parent), "--out", str(out)]).code == 0
    (tmp_path / "user.c").write_text(
        '#include "toy.h"\nint seen[XY_SMALL + XY_HUGE == 8 && (int)XY_A == (int)XY_MOST ? 1 : -1];\n'
    )
    for compiler, language in (("gcc", "c"), ("g++", "c++")):
        command = [compiler, f"-I{out / 'c'}", "-Wall", "-Werror", "-pedantic", "-fsyntax-only", "-x", language]
        subprocess.run([*command, str(tmp_path / "user.c")], check=True)
    code = "from plugin_api.toy import *; print(XY_SMALL, XY_LARGE, XY_HUGE, type(XY_HUGE), XY_Kind(XY_MOST).name)"
    assert run_python(code, out / "python").stdout == "0 7 8 <class 'int'> XY_A\n"
    done = run_here(["import", "--no-cache", str(out / "c/toy.h"), "--out", str(tmp_path / "imported")])
    imported = yaml.safe_load((tmp_path / "imported/toy.yaml").read_text())
    assert "macro" not in done.stdout
    assert "name" not in imported["enums"][0]
    assert imported["order"] == ["XY_MOST", "XY_SMALL", "XYP_Fns", "XY_Kind", "xy_start"]
    old = run_here(["diff", "--no-cache", f"{spec}@1.0.0", str(spec), "--summary"])
    assert old.stdout == "1 addition. Version 1.1.0 is enough for additions. The version moved from 1.0.0 to 1.1.0.\n"


def test_size_macros_are_named_by_the_convention_and_found_again(tmp_path: Path) -> None:
    spec, out = spec_of("size_macro", tmp_path), tmp_path / "out"
    assert run_here(["build", "--no-cache", "--spec-dir", str(spec.parent), "--out", str(out)]).code == 0
    header, helpers = (out / "c/toy.h").read_text(), (out / "c/toy_helpers.h").read_text()
    assert "#define SIZE_OF_XYP_Fns XY_OFFSET_OF_END(XYP_Fns, put)" in header
    assert "#define SIZE_OF_XYP_Fns_1_0_0 " in helpers
    assert "_STRUCT_SIZE" not in header
    run_here(["import", "--no-cache", str(out / "c/toy.h"), "--out", str(tmp_path / "imported")])
    imported = yaml.safe_load((tmp_path / "imported/toy.yaml").read_text())
    assert imported["conventions"]["size_macro"] == "SIZE_OF_{struct}"
    assert not any("size_macro" in each for each in imported["structs"])
    done = run_here(["diff", "--no-cache", str(tmp_path / "imported/toy.yaml"), str(spec), "--summary"])
    assert "size" not in done.stdout


def test_a_header_says_which_later_functions_and_enumerators_it_has(tmp_path: Path) -> None:
    spec, out = spec_of("since_macro", tmp_path), tmp_path / "out"
    assert run_here(["build", "--no-cache", "--spec-dir", str(spec.parent), "--out", str(out)]).code == 0
    header = (out / "c/toy.h").read_text()
    assert "// Since 1.1.0.\n#define XY_HAS_xy_post 1\n\n// Since 1.1.0.\n#define XY_HAS_XY_B 1\n" in header
    assert "XY_HAS_XY_A" not in header
    assert "XY_HAS_xy_post = 1" in (out / "python/plugin_api/toy/__init__.py").read_text()
    done = run_here(["diff", "--no-cache", str(out / "c/toy.h"), str(spec), "--summary"])
    assert done.stdout == "No change. No new version is needed. The version is still 1.1.0.\n"
    done = run_here(["diff", "--no-cache", f"{spec}@1.0.0", str(spec), "--format", "json"])
    assert done.stdout.count('"rule": "constant-added"') == 2
