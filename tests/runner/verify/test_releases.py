"""An API with a history: cores of each release, and plugins that know too much or too little."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.generator.build.building import abigen
from tests.runner.verify.plugins import HERE, Verified, compile_plugin, verify
from tests.tools import require

SPEC = HERE / "spec"
MISSING = "LP_LampFns.destroy_bulb"


@pytest.fixture(scope="module")
def include(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The API's header, as a compiler finds it."""
    out = tmp_path_factory.mktemp("lamp")
    run = abigen("build", "--no-cache", "--target", "c", "--spec-dir", SPEC, "--out", out)
    assert run.code == 0, run.stderr
    return f"-I{out / 'c'}"


def tried(folder: Path, include: str, *options: str, defined: str = "FAULT=NONE") -> Verified:
    plugin = compile_plugin(folder, "lamp", include, f"-D{defined}", source="lamp.c")
    return verify(plugin, "--spec-dir", str(SPEC), *options, api=None)


@pytest.mark.ci
def test_a_plugin_that_looks_at_sizes_works_with_every_release(include: str, tmp_path: Path) -> None:
    for options in ((), ("--release", "1.0.0"), ("--release", "1.1.0")):
        verified = tried(tmp_path, include, *options)
        assert verified.found == set(), verified.output


def test_a_member_written_to_an_older_core_is_named_with_its_offset(include: str, tmp_path: Path) -> None:
    verified = tried(tmp_path, include, "--only", "older-core-refused", defined="FAULT=WRITES_NEWER")
    assert verified.found == {("writes-past-end", "LP_LampFns.dim")}
    assert "writes at offset 48 of LP_LampFns, which has 48 bytes: LP_LampFns.dim" in verified.output
    assert "an older core, of release 1.1.0" in verified.output


def test_a_whole_struct_assigned_is_caught_at_the_first_member_that_core_lacks(include: str, tmp_path: Path) -> None:
    verified = tried(tmp_path, include, "--only", "older-core-refused", defined="FAULT=ASSIGNS_WHOLE")
    assert verified.found == {("writes-past-end", "LP_LampFns.dim"), ("writes-past-end", "LP_LampFns.hue")}


def test_a_member_read_of_an_older_core_is_named(include: str, tmp_path: Path) -> None:
    verified = tried(tmp_path, include, "--only", "not-again-after-the-end", defined="FAULT=READS_NEWER")
    assert verified.found == {("reads-past-end", "LA_InitParams.volts")}


def test_a_member_on_its_way_out_is_told_when_its_successor_is_not_filled(include: str, tmp_path: Path) -> None:
    verified = tried(tmp_path, include, "--only", "deprecated-member-used", defined="FAULT=DEPRECATED")
    assert verified.found == {("deprecated-member-used", "LP_LampFns.colour")}
    assert verified.code == 0, "a warning"


@pytest.mark.ci
def test_a_core_from_before_the_deprecation_wants_the_old_member(include: str, tmp_path: Path) -> None:
    assert tried(tmp_path, include, "--release", "1.0.0", defined="FAULT=DEPRECATED").found == set()


def test_a_plugin_that_needs_the_latest_core_is_warned_of(include: str, tmp_path: Path) -> None:
    verified = tried(tmp_path, include, "--only", "older-core-refused", defined="FAULT=REFUSES_OLDER")
    assert verified.found == {("older-core-refused", "LA_InitPlugin")}
    assert verified.code == 0


def test_a_plugin_that_accepts_an_older_core_and_then_fails_is_told(include: str, tmp_path: Path) -> None:
    only = ("--only", "creation-fails", "--only", "creation-fails-on-older-core")
    verified = tried(tmp_path, include, *only, defined="FAULT=NO_BULB_ON_OLDER")
    assert verified.found == {("creation-fails-on-older-core", "LP_LampFns.create_bulb")}


@pytest.mark.ci
def test_a_function_that_core_has_only_later_is_named_with_the_release(include: str, tmp_path: Path) -> None:
    assert tried(tmp_path, include, "--only", "symbol-unknown", defined="NEWER_SYMBOL").found == set()
    only = ("--only", "symbol-unknown", "--release", "1.1.0")
    verified = tried(tmp_path, include, *only, defined="NEWER_SYMBOL")
    assert verified.found == {("symbol-unknown", "LA_Log")}
    assert "core has it from release 1.2.0 on" in verified.output


def test_two_members_that_exclude_each_other_are_named(include: str, tmp_path: Path) -> None:
    verified = tried(tmp_path, include, "--only", "exclusive-members-set", defined="FAULT=FLASHES")
    assert verified.found == {("exclusive-members-set", "LP_LampFns.flash")}


def test_a_release_that_never_was_is_refused_with_those_that_were(include: str, tmp_path: Path) -> None:
    verified = tried(tmp_path, include, "--release", "1.3.0")
    assert verified.code == 2
    assert "its releases: 1.0.0, 1.1.0, 1.2.0" in verified.remarks


@pytest.mark.ci
@pytest.mark.parametrize("filled_by", ["{L: core, LP_: plugin}", "{LP_: plugin, L: core}"])
@pytest.mark.parametrize(("fault", "found"), [("NONE", set()), ("NO_END", {("required-member-missing", MISSING)})])
def test_the_longest_prefix_tells_who_fills_a_struct_whatever_the_order(
    filled_by: str, fault: str, found: set[tuple[str, str]], include: str, tmp_path: Path
) -> None:
    spec = (SPEC / "lamp.yaml").read_text(encoding="utf-8")
    (tmp_path / "lamp.yaml").write_text(spec.replace("{LA_: core, LP_: plugin}", filled_by), encoding="utf-8")
    plugin = compile_plugin(tmp_path, "lamp", include, f"-DFAULT={fault}", source="lamp.c")
    verified = verify(plugin, "--spec-dir", str(tmp_path), "--only", "required-member-missing", api=None)
    assert verified.found == found, verified.output


def rung(folder: Path, include: str, fault: str, *options: str) -> Verified:
    plugin = compile_plugin(folder, "bell", include, f"-DFAULT={fault}", source="bell.c")
    return verify(plugin, "--spec-dir", str(SPEC), *options, api="bell")


@pytest.mark.ci
def test_functions_are_called_with_examples_and_callbacks_of_the_core(include: str, tmp_path: Path) -> None:
    verified = rung(tmp_path, include, "NONE")
    assert verified.found == set(), verified.output
    assert json.loads(verified.output)["not_called"] == []


@pytest.mark.ci
@pytest.mark.parametrize(
    ("fault", "found"),
    [("RINGS_ONCE", ("example-fails", "BP_Fns.ring")), ("HUMS_NULL", ("callback-crashes", "BP_Fns.hum"))],
)
def test_what_goes_wrong_with_examples_and_made_up_arguments_is_found(
    fault: str, found: tuple[str, str], include: str, tmp_path: Path
) -> None:
    assert rung(tmp_path, include, fault, "--only", "example-fails").found == {found}


@pytest.mark.ci
def test_a_finding_stands_at_the_function_in_the_source_when_there_is_debug_information(
    include: str, tmp_path: Path
) -> None:
    require("addr2line")
    source = HERE / "bell.c"
    line = next(at for at, text in enumerate(source.read_text().splitlines(), 1) if text.startswith("static int hum("))
    for debug, place in (("-g", f"{source}:{line}:1"), ("-g0", f"{SPEC / 'bell.yaml'}:25:16")):
        plugin = compile_plugin(tmp_path, "bell", include, "-DFAULT=HUMS_NULL", debug, source="bell.c")
        options = ("--spec-dir", str(SPEC), "--only", "example-fails")
        said = verify(plugin, *options, form="text", api="bell").output
        shown = next(each.split("--> ")[1] for each in said.splitlines() if "--> " in each)
        assert Path(shown).resolve() == Path(place)


@pytest.mark.ci
@pytest.mark.parametrize(
    ("fault", "found"),
    [
        ("NONE", set()),
        ("ASKS_WHY", {("null-refused", "BP_Fns.toll")}),
        ("READS_WHY", {("callback-crashes", "BP_Fns.toll")}),
        ("NEEDS_HOST", {("null-refused", "BE_InitPlugin")}),
    ],
)
def test_null_is_handed_over_where_the_spec_allows_it(
    fault: str, found: set[tuple[str, str]], include: str, tmp_path: Path
) -> None:
    assert rung(tmp_path, include, fault, "--only", "null-refused").found == found


@pytest.mark.ci
def test_what_one_thread_calls_is_not_called_by_two(include: str, tmp_path: Path) -> None:
    only = ("--only", "fails-with-two-threads")
    assert rung(tmp_path, include, "SHARES", *only).found == set()
    text = (SPEC / "bell.yaml").read_text()
    assert text.count("thread: main, ") == 2
    (tmp_path / "bell.yaml").write_text(text.replace("thread: main, ", ""))
    found = verify(tmp_path / "bell.so", "--spec-dir", str(tmp_path), *only, api="bell").found
    assert found == {("fails-with-two-threads", "BP_Fns.create_bell")}
