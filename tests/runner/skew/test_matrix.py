"""Releases of specs are compiled and run with each other, and what breaks is told."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.generator.build.building import REPOSITORY, Run
from tests.runner.skew.toys import BREAKS, COMPATIBLE, GROWN, TOY, changed
from tests.running import run_here
from tests.sampling import short_form
from tests.tools import require


@pytest.fixture(autouse=True)
def _has_compiler() -> None:
    require("gcc")


def skew(folder: Path, specs: dict[str, str], *more: str) -> Run:
    """Run `abigen skew` on specs."""
    for name, text in specs.items():
        (folder / name).write_text(text)
    return run_here(["skew", *specs, "--no-config", "--cc", "gcc", *more], folder)


@pytest.mark.ci
def test_every_release_works_with_every_other(tmp_path: Path) -> None:
    ran = skew(tmp_path, {"toy.yaml": TOY})
    assert ran.code == 0, ran.stdout
    assert ran.stdout.splitlines()[:4] == [
        "            plugin 1.0.0  plugin 1.1.0  plugin 1.2.0",
        "core 1.0.0  works         works         works",
        "core 1.1.0  works         works         works",
        "core 1.2.0  works         works         works",
    ]
    assert ran.stdout.endswith("9 pairs of core and plugin: 9 work\n")


@pytest.mark.first_case
@pytest.mark.parametrize("name", short_form(BREAKS, 12, in_ci=True, ci_every=4))
def test_a_break_is_seen_and_named(name: str, tmp_path: Path) -> None:
    text, words = BREAKS[name]
    ran = skew(tmp_path, {"old.yaml": TOY, "new.yaml": text}, "--from", "1.2.0", "--width", "400")
    if name == "what has to be understood":
        ran = skew(tmp_path, {"new.yaml": text}, "--to", "1.1.0", "--width", "400")
    assert ran.code == 1, ran.stdout
    assert words in ran.stdout


@pytest.mark.ci
@pytest.mark.parametrize("name", short_form(COMPATIBLE, 6, in_ci=True, ci_every=2))
def test_what_no_binary_notices_works(name: str, tmp_path: Path) -> None:
    ran = skew(tmp_path, {"old.yaml": TOY, "new.yaml": COMPATIBLE[name]}, "--from", "1.2.0")
    assert ran.code == 0, ran.stdout


@pytest.mark.ci
def test_only_what_ends_a_list_may_have_another_value(tmp_path: Path) -> None:
    limits = "enums:\n  - {name: TB_Its, since: 1.0.0, enumerators: [{name: TB_MAX, value: %s}, {name: TB_MIN}]}\n"
    old, new = (TOY.replace("enums:\n", limits % value) for value in (100, 10))
    ran = skew(tmp_path, {"old.yaml": old, "new.yaml": new}, "--from", "1.2.0", "--width", "400")
    assert ran.code == 1, ran.stdout
    assert "TB_MAX: it is" in ran.stdout


FOLDERS = ("build", "c_checks", "cpp", "python")
SPECS = sorted(path for each in FOLDERS for path in (REPOSITORY / "tests/generator" / each / "spec").glob("*.yaml"))
"""Specs with all that specs can hold. In toy.yaml an entry point came later."""


@pytest.mark.ci
@pytest.mark.parametrize("spec", [each for each in SPECS if each.name != "toy.yaml"], ids=lambda each: each.stem)
def test_whatever_a_spec_holds_works_with_itself(spec: Path) -> None:
    ran = run_here(["skew", str(spec), "--no-config", "--cc", "gcc"], REPOSITORY)
    assert ran.code == 0, ran.stdout + ran.stderr


NESTED = """\
abigen: 1
api: nested
prefix: NS
version: 1.1.0
header: {path: nested.h}
conventions: {leading_fields: [size_t struct_size], filled_by: {NS_: core, NS_Size: both}}
structs:
  - name: NS_Arguments
    since: 1.0.0
    fields: [{name: first, type: int32_t}, {name: later, since: 1.1.0, zero: no-op, type: int64_t}]
  - name: NS_Frame
    since: 1.0.0
    fields: [{name: held, type: NS_Arguments *}, {name: four, type: "NS_Size[4]"}, {name: one, type: NS_Size}]
  - {name: NS_Size, since: 1.0.0, fields: [{name: width, type: int16_t}]}
  - name: NS_Metadata
    since: 1.0.0
    size_macro: false
    fields:
      - {name: size, type: NS_Size, set_by: plugin}
      - {name: text, since: 1.1.0, zero: no-op, type: const char *, set_by: plugin}
functions:
  - {name: NS_Begin, since: 1.0.0, implemented_by: plugin, type: "void (NS_Frame *frame, NS_Metadata *metadata)"}
order: [NS_Size, NS_Arguments, NS_Frame, NS_Metadata, NS_Begin]
"""
"""Structs that state their size inside of others, and one that grew without a constant for its size."""


@pytest.mark.ci
def test_structs_inside_of_others_state_their_own_size(tmp_path: Path) -> None:
    ran = skew(tmp_path, {"nested.yaml": NESTED})
    assert ran.stdout.endswith("4 pairs of core and plugin: 4 work\n"), ran.stdout + ran.stderr


@pytest.mark.ci
def test_bit_fields_right_behind_the_stated_size_cross(tmp_path: Path) -> None:
    bits = "fields: [{name: fast, type: unsigned, bits: 1}, {name: level, type: unsigned, bits: 3}, "
    ran = skew(
        tmp_path, {"nested.yaml": NESTED.replace("fields: [{name: held", f"{bits}{{name: held")}, "--from", "1.1.0"
    )
    assert ran.stdout.endswith("1 pair of core and plugin: 1 works\n"), ran.stdout + ran.stderr


@pytest.mark.ci
def test_xlas_plugins_and_cores_work_together(tmp_path: Path) -> None:
    ran = run_here(["skew", "spec/xla/ffi.yaml", "--from", "0.6.0", "--to", "0.8.0", "--no-config"], REPOSITORY)
    assert ran.stdout.endswith("4 pairs of core and plugin: 4 work\n"), ran.stdout + ran.stderr


@pytest.mark.ci
def test_a_release_that_both_specs_tell_alike_is_run_once(tmp_path: Path) -> None:
    ran = skew(tmp_path, {"old.yaml": TOY, "new.yaml": COMPATIBLE["an enumerator appended"]}, "--format", "json")
    assert json.loads(ran.stdout)["releases"] == ["old 1.0.0", "old 1.1.0", "old 1.2.0", "new 1.2.0"]


@pytest.mark.ci
def test_a_break_within_one_spec_is_shown_with_its_program(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    ran = skew(tmp_path, {"toy.yaml": GROWN}, "--to", "1.1.0", "--keep", "kept", "--output", "html=page.html")
    assert ran.code == 1
    assert "core 1.0.0  works         BREAKS 1\ncore 1.1.0  BREAKS 1      works\n" in ran.stdout
    assert "the plugin reads TB_Point.y at bytes 8 to 11 and finds" in ran.stdout
    assert "--> 1.1.0/plugin.c" in ran.stdout
    assert "to see it: cd kept && ./1.0.0/core.exe ./1.1.0/plugin.so" in ran.stdout
    assert (kept / "1.1.0" / "plugin.c").is_file()
    assert "1.1.0/plugin.so" in (kept / "build.sh").read_text()
    page = (tmp_path / "page.html").read_text()
    assert '<a class="cell error" href="#c1">breaks 1</a>' in page
    assert 'id="c1" open' in page
    assert "<script" not in page


@pytest.mark.ci
def test_what_a_new_core_demands_of_an_old_plugin_is_a_refusal_that_no_version_announces(tmp_path: Path) -> None:
    tightened = changed("name: make, required: true", "name: make, required: true, excludes: move").replace(
        "name: move, required: true", "name: move"
    )
    ran = skew(tmp_path, {"old.yaml": TOY, "new.yaml": tightened}, "--from", "1.2.0", "--format", "json")
    pairs = {(each["core"], each["plugin"]): each for each in json.loads(ran.stdout)["pairs"]}
    pair = pairs["new 1.2.0", "old 1.2.0"]
    assert (pair["outcome"], pair["ok"]) == ("refused", False)
    assert "TP_ToyFns.move" in pair["reasons"][0]
    assert ran.code == 1


HANDSHAKE = (
    TOY.replace("version: 1.2.0", "version: {}", 1)
    .replace(
        "    type: int (TP_ToyFns* fns)",
        "    type: int (TB_Params* params)",
    )
    .replace(
        "functions:\n",
        """\
  - name: TB_Params
    since: 1.0.0
    fields:
      - {name: major, type: int32_t, set_by: core, version_part: major, required: true}
      - {name: minor, type: int32_t, set_by: core, version_part: minor}
      - {name: patch, type: int32_t, set_by: core, version_part: patch}
      - {name: fns, type: TP_ToyFns*, set_by: plugin, allocated_by: core, required: true}
functions:
""",
    )
)
"""The same API with an entry point that is told core's version; its own version is left open."""


@pytest.mark.ci
def test_another_major_version_is_refused_as_the_versions_say(tmp_path: Path) -> None:
    specs = {"old.yaml": HANDSHAKE.replace("{}", "1.2.0", 1), "new.yaml": HANDSHAKE.replace("{}", "2.0.0", 1)}
    ran = skew(tmp_path, specs, "--from", "1.2.0", "--format", "json")
    pairs = {(each["core"], each["plugin"]): each for each in json.loads(ran.stdout)["pairs"]}
    outcome = pairs["old 1.2.0", "new 2.0.0"]
    assert (outcome["outcome"], outcome["ok"]) == ("refused", True), ran.stdout
    assert ran.code == 0


@pytest.mark.ci
def test_reports_say_the_same(tmp_path: Path) -> None:
    more = ("--to", "1.1.0", "--output", "json=a.json", "--output", "junit=a.xml")
    assert skew(tmp_path, {"toy.yaml": GROWN}, *more).code == 1
    pairs = json.loads((tmp_path / "a.json").read_text())["pairs"]
    suite = ElementTree.parse(tmp_path / "a.xml").getroot()[0]
    assert [each.get("name") for each in suite] == [
        f"core {each['core']} with plugin {each['plugin']}" for each in pairs
    ]
    failed = [each.find("failure") is not None for each in suite]
    assert failed == [not each["ok"] for each in pairs] == [False, True, True, False]
    assert (suite.get("tests"), suite.get("failures")) == ("4", "2")


@pytest.mark.first_case
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["toy.yaml", "--from", "2.0.0"], "there are no such releases"),
        (["toy.yaml", "--from", "one"], "`one` is no version"),
        (["toy.yaml", "--cc", "no-such-cc"], "there is no program `no-such-cc`"),
        (["toy.yaml", "--emulator", "no-such-emulator"], "there is no program `no-such-emulator`"),
        (["toy.yaml", "--keep", "toy.yaml"], "toy.yaml cannot be created"),
        (["missing.yaml"], "missing.yaml"),
        (["toy.h"], "name OLD and NEW"),
        (["a.yaml", "b.yaml", "c.yaml"], "name one spec, or OLD and NEW"),
        ([], "Missing argument"),
        (["toy.yaml", "--format", "pdf"], "'pdf' is not one of"),
        (["toy.yaml", "--output", "json=no/such/folder.json"], "cannot be written"),
    ],
)  # fmt: skip
def test_a_question_that_cannot_be_answered_is_refused(arguments: list[str], message: str, tmp_path: Path) -> None:
    (tmp_path / "toy.yaml").write_text(TOY.replace("1.1.0", "1.2.0"))
    ran = run_here(["skew", *arguments], tmp_path)
    assert ran.code == 2
    assert message in ran.stderr
    assert "Traceback" not in ran.stderr
