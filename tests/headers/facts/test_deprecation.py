"""Tests that all parts agree about deprecation: an entity and its replacement are both set until the removal."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.generator.rust.building import compiled, crate, tools
from tests.headers.facts.consumers import Consumers, findings
from tests.running import run_here
from tests.tools import require

_SPEC = """\
abigen: 1
api: probe
prefix: PR
version: 1.1.0
header: {path: probe/probe.h, includes: [<stddef.h>]}
conventions: {leading_fields: [size_t struct_size], filled_by: {PP_: plugin}}
structs:
  - name: PP_Fns
    doc: What the plugin can do.
    fields:
      - {name: must, required: true, deprecated: {since: 1.1.0, use: better}, type: FN, doc: Is needed.}
      - {name: old, optional: true, zero: no-op, deprecated: {since: 1.1.0, use: fresh}, type: FN, doc: Was.}
      - {name: gone, optional: true, zero: no-op, deprecated: {since: 1.1.0}, type: FN, doc: Goes.}
      - {name: fresh, since: 1.1.0, optional: true, zero: no-op, type: FN, doc: Is so.}
      - {name: better, since: 1.1.0, optional: true, zero: no-op, type: FN, doc: Is better.}
functions:
  - {name: PR_Sum, deprecated: {since: 1.1.0, use: PR_Add}, type: int (int x), doc: Adds.}
  - {name: PR_Add, since: 1.1.0, type: int (int x), doc: Adds.}
  - {name: PR_Init, implemented_by: plugin, entry_point: true, type: int (PP_Fns* fns), doc: Begins.}
"""
_SPEC = _SPEC.replace("FN", '"int (*)(int x)"')
_BEFORE = (
    _SPEC.replace("version: 1.1.0", "version: 1.0.0")
    .replace("deprecated: {since: 1.1.0, use: better}, ", "")
    .replace("deprecated: {since: 1.1.0, use: fresh}, ", "")
    .replace("deprecated: {since: 1.1.0}, ", "")
    .replace("deprecated: {since: 1.1.0, use: PR_Add}, ", "")
)
_OLD = "".join(line for line in _BEFORE.splitlines(keepends=True) if "since: 1.1.0" not in line)
_PLUGIN = """
#include "probe/probe.h"
static int f(int x) { return x; }
int PR_Init(PP_Fns *fns) { SETS return 0; }
"""
_CORE = """
#include <stdio.h>
#include "probe/probe_checks.h"
extern int PR_Init(PP_Fns *fns);
static void report(const PR_Finding *finding, void *context) {
  (void)context;
  printf("%s %s\\n", finding->is_error ? "error" : "warning", finding->member);
}
int main(void) {
  PP_Fns fns = {PP_FNS_STRUCT_SIZE, 0, 0, 0, 0, 0};
  PR_Init(&fns);
  PP_Fns_Check(&fns, report, NULL);
  return 0;
}
"""
_FILLED = {
    "both": ("must better old fresh", set()),
    "what is required, and nothing for it": ("must old fresh", set()),
    "the old one only": ("must old", {("warning", "old")}),
    "the new one only": ("must fresh", set()),
    "what nothing replaces": ("must gone", {("warning", "gone")}),
    "not what is required": ("better old fresh", {("error", "must")}),
}
_WORDS = {
    "must": "Deprecated since 1.1.0. Use `better`. Required.",
    "old": "Deprecated since 1.1.0. Use `fresh`. Optional.",
    "gone": "Deprecated since 1.1.0. Optional.",
}
_RULES = {"deprecated-member-used": "warning", "required-member-missing": "error"}


@pytest.fixture(scope="module")
def probe(tmp_path_factory: pytest.TempPathFactory) -> Consumers:
    return Consumers(tmp_path_factory.mktemp("probe"), _SPEC)


def _rust(probe: Consumers) -> str:
    return (probe.built / "rust/probe.rs").read_text()


def _plain(text: str) -> str:
    return " ".join(re.sub(r"//[/!]?|\*/|/\*", " ", text).split())


@pytest.mark.ci
@pytest.mark.parametrize(("filled", "expected"), _FILLED.values(), ids=_FILLED)
def test_validators_and_verify_say_the_same(
    probe: Consumers, filled: str, expected: set[tuple[str, str]], tmp_path: Path
) -> None:
    (compiler,) = require("cc")
    sets = " ".join(f"fns->{each} = f;" for each in filled.split())
    (tmp_path / "plugin.c").write_text(_PLUGIN.replace("SETS", sets))
    (tmp_path / "core.c").write_text(_CORE)
    include = [f"-I{probe.built / each}" for each in ("c", "c-checks")]
    checks = [probe.built / "c-checks" / each for each in ("probe/probe_checks.c", "abigen/checks_v1.c")]
    for command in (
        [compiler, *include, tmp_path / "core.c", tmp_path / "plugin.c", *checks, "-ldl", "-o", tmp_path / "core"],
        [compiler, *include, "-shared", "-fPIC", tmp_path / "plugin.c", "-o", tmp_path / "plugin.so"],
    ):
        subprocess.run(command, check=True)
    told = subprocess.run([tmp_path / "core"], capture_output=True, text=True, check=True).stdout.splitlines()
    assert {tuple(each.split()) for each in told} == expected
    arguments = ["verify", str(tmp_path / "plugin.so"), "--api", "probe", "--spec-dir", str(probe.spec.parent)]
    only = [option for rule in _RULES for option in ("--only", rule)]
    said = run_here([*arguments, *only]).stdout
    found = re.findall(r"^(?:warning|error) ABI\d+ ([\w-]+): .*?PP_Fns\.(\w+)", said, re.MULTILINE)
    assert {(_RULES[rule], member) for rule, member in found} == expected, said


def test_comments_of_all_languages_have_the_same_words(probe: Consumers) -> None:
    for text in (probe.header, probe.cpp, probe.python, _rust(probe)):
        for words in _WORDS.values():
            assert words in _plain(text)


def test_a_required_function_stays_required_in_cpp_while_it_is_deprecated(probe: Consumers) -> None:
    required = re.findall(r"ABIGEN_CPP_REQUIRE\(\w+,\s*PP_Fns,\s*(\w+),", probe.cpp)
    assert required == ["must"]
    assert re.findall(r"Require<&PP_Fns::(\w+)>", probe.cpp) == ["must"]


def test_whoever_calls_a_member_that_goes_through_a_view_is_told(probe: Consumers, tmp_path: Path) -> None:
    (compiler,) = require("g++")
    (tmp_path / "core.cc").write_text(
        '#include "probe/probe.hpp"\nint main() { return pr::FnsView(nullptr).gone(1).has_value(); }\n'
    )
    include = [f"-I{probe.built / each}" for each in ("c", "cpp")]
    command = [compiler, "-std=c++17", *include, "-fsyntax-only", str(tmp_path / "core.cc")]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    assert re.search(r"gone.* is deprecated: there is nothing in its place", said), said


def test_whoever_reads_a_member_that_goes_in_rust_is_told(probe: Consumers, tmp_path: Path) -> None:
    body = "pub fn read(fns: *const probe::PP_Fns) { unsafe { let _ = probe::PP_Fns::get_old(fns); } }"
    modules = sorted((probe.built / "rust").glob("*.rs"))
    for rustc in tools("rustc"):
        said = compiled(
            crate(tmp_path, modules, "#![no_std]", body), tmp_path / "lib.rlib", "--crate-type", "lib", rustc=rustc
        )
        assert "`probe::PP_Fns::get_old`: use fresh" in said, said


def test_a_scaffold_fills_both_and_not_what_nothing_replaces(probe: Consumers) -> None:
    source = (probe.scaffold / "src/callbacks.c").read_text()
    assert re.findall(r"^int xp_(\w+)\(int x\)", source, re.MULTILINE) == ["must", "old", "fresh", "better"]


def test_whoever_calls_a_function_that_goes_is_told_what_replaces_it(probe: Consumers) -> None:
    assert '[[deprecated("use PR_Add")]]' in probe.cpp
    assert '_rt.deprecated("PR_Sum is deprecated: use PR_Add")' in probe.python
    assert re.search(r'#\[deprecated\(note = "use PR_Add"\)\]\s*pub fn PR_Sum', _rust(probe))


def test_deprecating_is_minor_but_for_what_is_required(tmp_path: Path) -> None:
    old, new = tmp_path / "old.yaml", tmp_path / "new.yaml"
    old.write_text(_OLD)
    new.write_text(_SPEC)
    rules = {(rule, entity) for rule, entity, _ in findings(old, new)}
    assert {("renamed-by-deprecation", "PP_Fns.must"), ("renamed-by-deprecation", "PP_Fns.old")} <= rules
    assert ("field-deprecated", "PP_Fns.gone") in rules
    new.write_text(_SPEC.replace(", use: better}", "}"))
    rules = {(rule, entity) for rule, entity, _ in findings(old, new)}
    assert ("deprecated-required-field", "PP_Fns.must") in rules
