"""Headers that are built for at most a release have what that release had, and nothing that came later."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.generator.new.test_matrix import spec_of
from tests.running import run_here
from tests.tools import require

_STRICT = ("-Wall", "-Wextra", "-Werror", "-pedantic")
_SHOWN = ("XY_MAJOR", "XY_MINOR", "XY_PATCH", "XY_ROUNDS", "XY_LIMIT", "XY_HAS_xy_post", "XY_HAS_XY_C")
_MEMBERS = (
    ("XYC_Host", ("context", "log", "level")),
    ("XYP_Fns", ("get", "put", "drop", "mode")),
    ("XYP_More", ("count",)),
)
_PLUGIN = """
#include "toy_helpers.h"
static int get(int key) { return key + 1; }
int xy_start(const XYC_Host* host, XYP_Fns* fns) {
  const XYP_Fns table = XYP_FNS_INITIALIZER;
  const XYC_Host copy = XYC_HOST_INITIALIZER;
  (void)copy;
  if (!XYC_HOST_HAS_FIELD(host, context)) return -1;
  if (!XYP_Fns_Init(fns, fns->struct_size)) return -2;
  fns->get = get;
  return (int)table.struct_size;
}
"""
_CORE = """
#include <dlfcn.h>
#include <stdio.h>
#include "toy_helpers.h"
int main(int count, char** values) {
  XYC_Host host = XYC_HOST_INITIALIZER;
  XYP_Fns fns = XYP_FNS_INITIALIZER;
  void* library = count > 1 ? dlopen(values[1], RTLD_NOW) : NULL;
  int (*start)(const XYC_Host*, XYP_Fns*) = NULL;
  if (!library) return 1;
  *(void**)&start = dlsym(library, "xy_start");
  if (!start) return 2;
  printf("%d", start(&host, &fns) == (int)fns.struct_size);
  printf(" %d %d", fns.struct_size == XYP_FNS_STRUCT_SIZE_1_0_0, fns.struct_size == XYP_FNS_STRUCT_SIZE_1_1_0);
  printf(" %d %d\\n", XYP_FNS_HAS_FIELD(&fns, put), fns.get(4));
  return 0;
}
"""


def _then(value: Any, release: str) -> Any:
    """Return the spec as it was at a release."""
    if isinstance(value, list):
        return [
            _then(each, release) for each in value if not isinstance(each, dict) or each.get("since", "0") <= release
        ]
    return {key: _then(each, release) for key, each in value.items()} if isinstance(value, dict) else value


def _built(spec: Path, out: Path) -> Path:
    done = run_here(["build", "--no-cache", "--spec-dir", str(spec.parent), "--out", str(out)])
    assert done.code == 0, done.stderr
    return out


def _run(*command: object) -> str:
    done = subprocess.run([str(each) for each in command], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def _program(release: str) -> str:
    """Return a program that prints all numbers that a header of a release gives."""
    sinces = {"log": "1.1.0", "put": "1.1.0", "drop": "1.1.0", "level": "1.2.0", "mode": "1.2.0", "count": "1.2.0"}
    lines = [f"#ifdef {each}\n  SHOW({each});\n#endif" for each in _SHOWN]
    for struct, members in _MEMBERS:
        if struct == "XYP_More" and release < "1.2.0":
            continue
        size = re.sub(r"^(XY[CP])_(\w+)", lambda at: f"{at[1]}_{at[2].upper()}_STRUCT_SIZE", struct)
        lines += [f"  SHOW(sizeof({struct}));", f"  SHOW({size});"]
        lines += [f"  SHOW(offsetof({struct}, {each}));" for each in members if sinces.get(each, "1.0.0") <= release]
    show = '#define SHOW(value) printf("%s %ld\\n", #value, (long)(value))'
    body = "\n".join(lines)
    return f'#include <stdio.h>\n#include "toy.h"\n{show}\nint main(void) {{\n{body}\n  return (int)XY_A;\n}}\n'


_SHARED = """\
abigen: 1
api: NAME
prefix: PREFIX
version: VERSION
releases: [1.0.0, 1.1.0]
USES
conventions: {release_macro: XY_API, leading_fields: [size_t struct_size]}
structs:
  - {name: PREFIX_All, fields: [{name: first, type: int}, {name: more, since: 1.1.0, zero: no-op, type: int64_t}]}
"""


@pytest.mark.parametrize(("version", "code"), [("1.1.0", 0), ("1.2.0", 2)])
def test_specs_that_use_one_another_share_a_macro_for_the_same_releases(
    version: str, code: int, tmp_path: Path
) -> None:
    require("gcc")
    for name, prefix, own, uses in (("one", "OE", "1.1.0", ""), ("two", "TW", version, "uses: [one]")):
        replaced = {"NAME": name, "PREFIX": prefix, "VERSION": own, "USES\n": f"{uses}\n" if uses else ""}
        text = _SHARED
        for word, other in replaced.items():
            text = text.replace(word, other)
        (tmp_path / f"{name}.yaml").write_text(text.replace("1.1.0]", f"1.1.0, {own}]" if own > "1.1.0" else "1.1.0]"))
    done = run_here(["build", "--no-cache", "--target", "c", "--spec-dir", str(tmp_path), "--out", str(tmp_path)])
    assert done.code == code, done.stderr
    if code:
        assert "'XY_API' is declared twice: one declares it as a release macro from 1.0.0 to 1.1.0" in done.stderr
        assert "hint: specs that share a release macro have the same first release, and the same version" in done.stderr
        return
    program = tmp_path / "sizes.c"
    body = 'printf("%d %d", (int)OE_ALL_STRUCT_SIZE, (int)TW_ALL_STRUCT_SIZE);'
    program.write_text(f'#include <stdio.h>\n#include "two.h"\nint main(void) {{ {body} return 0; }}\n')
    for option, sizes in (("-DXY_API=10000", "12 12"), ("-DXY_API=10100", "24 24")):
        _run("gcc", *_STRICT, option, f"-I{tmp_path}/c", program, "-o", tmp_path / "sizes")
        assert _run(tmp_path / "sizes") == sizes


@pytest.mark.ci
@pytest.mark.parametrize("release", ["1.0.0", "1.1.0", "1.2.0"])
def test_the_newest_header_built_for_a_release_is_the_header_of_that_release(release: str, tmp_path: Path) -> None:
    require("gcc", "g++", "clang")
    spec = spec_of("release_macro", tmp_path)
    newest = _built(spec, tmp_path / "newest")
    old = yaml.safe_load(spec.read_text())
    old = _then(old, release) | {"version": release, "releases": [each for each in old["releases"] if each <= release]}
    (tmp_path / "old").mkdir()
    (tmp_path / "old/toy.yaml").write_text(yaml.safe_dump(old, sort_keys=False))
    past = _built(tmp_path / "old/toy.yaml", tmp_path / "past")
    number = f"10{release[2]}00"
    program, plugin, core = (tmp_path / each for each in ("show.c", "plugin.c", "core.c"))
    for path, text in ((program, _program(release)), (plugin, _PLUGIN), (core, _CORE)):
        path.write_text(text)
    for compiler in ("gcc", "clang"):
        for standard in ("-std=c99", "-std=c17"):
            printed = []
            for out, options in ((newest, [f"-DXY_API={number}"]), (past, [])):
                _run(compiler, standard, *_STRICT, *options, f"-I{out}/c", program, "-o", tmp_path / "show")
                printed.append(_run(tmp_path / "show"))
            assert printed[0] == printed[1]
            assert printed[0].startswith(f"XY_MAJOR 1\nXY_MINOR {release[2]}\nXY_PATCH 0\n")
            assert ("XY_LIMIT" in printed[0]) == (release >= "1.1.0")
            options = [compiler, standard, *_STRICT, f"-DXY_API={number}", f"-I{newest}/c", f"-I{newest}/c-checks"]
            _run(*options, "-fPIC", "-shared", plugin, "-o", tmp_path / "plugin.so")
            if standard == "-std=c17":
                _run(*options, "-fsyntax-only", "-include", "assert.h", "-x", "c", newest / "c-checks/toy_asserts.h")
    strict = ("g++", "-std=c++17", *_STRICT, "-fsyntax-only", "-x", "c++")
    _run(*strict, f"-DXY_API={number}", f"-I{newest}/c", newest / "c/toy_helpers.h")
    texts = [_run("gcc", "-E", "-P", f"-I{out}/c", *each, out / "c/toy.h") for out, each in _both(newest, past, number)]
    declared = [" ".join(each[each.index("typedef enum XY_Kind") :].split()) for each in texts]
    assert re.sub(r",\s*}", " }", declared[0]) == declared[1]
    _run("gcc", "-std=gnu17", "-Wall", "-Werror", f"-I{newest}/c", core, "-o", tmp_path / "core", "-ldl")
    is_old, is_middle = release == "1.0.0", release == "1.1.0"
    answer = f"1 {is_old:d} {is_middle:d} {not is_old:d} 5\n"
    assert _run(tmp_path / "core", tmp_path / "plugin.so") == answer


def _both(newest: Path, past: Path, number: str) -> tuple[tuple[Path, list[str]], tuple[Path, list[str]]]:
    return (newest, [f"-DXY_API={number}"]), (past, [])


@pytest.mark.first_case
@pytest.mark.parametrize(
    ("number", "file", "message"),
    [
        ("9999", "c/toy.h", "XY_API has to be from 10000 (release 1.0.0) to 10200 (release 1.2.0)"),
        ("10201", "c/toy.h", "XY_API has to be from 10000 (release 1.0.0) to 10200 (release 1.2.0)"),
        ("10100", "c-checks/toy_checks.h", "this file needs all of the API: compile it without XY_API"),
        ("10100", "cpp/toy.hpp", "this file needs all of the API: compile it without XY_API"),
    ],
)
def test_a_release_that_a_file_cannot_be_built_for_is_refused(
    number: str, file: str, message: str, tmp_path: Path
) -> None:
    require("g++")
    out = _built(spec_of("release_macro", tmp_path), tmp_path / "out")
    includes = [f"-I{out / each}" for each in ("c", "c-checks", "cpp")]
    command = ["g++", "-std=c++17", "-fsyntax-only", *includes, "-x", "c++", str(out / file)]
    done = subprocess.run([*command, f"-DXY_API={number}"], capture_output=True, text=True)
    assert done.returncode != 0
    assert f'#error "{message}"' in done.stderr
    assert subprocess.run([*command, "-DXY_API=10200"], capture_output=True, text=True).returncode == 0


@pytest.mark.ci
def test_a_header_with_hidden_parts_is_read_as_its_newest_release(tmp_path: Path) -> None:
    spec = spec_of("release_macro", tmp_path)
    spec.write_text(re.sub(r"underlying: uint8_t, |filled_by: {.*?}, ", "", spec.read_text()))
    header = _built(spec, tmp_path / "out") / "c/toy.h"
    done = run_here(["diff", "--no-cache", str(header), str(spec), "--summary"])
    assert done.stdout == "No change. No new version is needed. The version is still 1.2.0.\n"
    spec.write_text(spec.read_text().replace("release_macro: XY_API, ", ""))
    plain = _built(spec, tmp_path / "plain") / "c/toy.h"
    done = run_here(["diff", "--no-cache", str(plain), str(header), "--summary"])
    # What the macro selects is text that only users of earlier releases read.
    assert (
        done.stdout == "No change in what was compared. No new version is needed. "
        "The version is still 1.2.0 (XY_MAJOR, XY_MINOR, XY_PATCH).\n"
    )
    findings = [
        re.findall(r'"rule": "[^"]*"', run_here(["lint", "--no-cache", str(each), "--format", "json"]).stdout)
        for each in (plain, header)
    ]
    assert findings[0] == findings[1]


@pytest.mark.parametrize(
    ("found", "instead", "message"),
    [
        ("releases: [1.0.0, 1.1.0, 1.2.0]\n", "", "'release_macro' needs to know the first release"),
        ("version: 1.2.0", "version: 1.100.0", "'release_macro' has no value for 1.100.0"),
        ("release_macro: XY_API", "release_macro: XY_ROUNDS", "'XY_ROUNDS'"),
    ],
)
def test_a_spec_whose_releases_have_no_value_is_refused(found: str, instead: str, message: str, tmp_path: Path) -> None:
    spec = spec_of("release_macro", tmp_path)
    spec.write_text(spec.read_text().replace(found, instead))
    done = run_here(["build", "--no-cache", "--spec-dir", str(spec.parent), "--out", str(tmp_path / "out")])
    assert done.code != 0
    assert message in done.stderr
