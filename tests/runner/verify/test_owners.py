"""Plugins of an owner's own API, whose core offers functions and whose functions take data that the spec gives."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.generator.build.building import abigen
from tests.runner.verify.plugins import HERE, Verified, compile_plugin, verify
from tests.sampling import short_form

SPEC = HERE / "spec"


@pytest.fixture(scope="module")
def include(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The API's header, as a compiler finds it."""
    out = tmp_path_factory.mktemp("pixels")
    run = abigen("build", "--no-cache", "--target", "c", "--spec-dir", SPEC, "--out", out, SPEC / "pixels.yaml")
    assert run.code == 0, run.stderr
    return f"-I{out / 'c'}"


def tried(folder: Path, include: str, fault: str, *options: str) -> Verified:
    plugin = compile_plugin(folder, "pixels", include, f"-DFAULT={fault}", source="pixels.c")
    return verify(plugin, "--spec-dir", str(SPEC), *options, api="pixels")


@pytest.mark.ci
def test_a_plugin_that_uses_what_the_core_offers_has_no_finding(include: str, tmp_path: Path) -> None:
    verified = tried(tmp_path, include, "NONE")
    assert verified.found == set(), verified.output
    assert json.loads(verified.output)["not_called"] == []


FAULTS = [
    ("ABORTS_IN_OPEN", "callback-crashes", "IP_Codec.open"),
    ("ABORTS_IN_EXPORTED", "callback-crashes", "IC_CountFormats"),
    ("HANGS", "callback-hangs", "IP_Codec.decode"),
    ("WRITES_PAST_BUFFER", "writes-past-end", "IP_Codec.decode"),
    ("READS_PAST_DATA", "reads-past-end", "IP_Codec.open"),
    ("WRITES_DATA", "const-struct-written", "IP_Codec.open"),
    ("KEEPS_TEXT", "touches-what-has-ended", "IP_Codec.close"),
    ("FREES_TWICE", "core-block-misused", "IP_Codec.close"),
    ("FREES_OWN", "core-block-misused", "IP_Codec.close"),
    ("WRITES_PAST_BLOCK", "writes-past-end", "IP_Codec.open"),
    ("LEAKS", "destruction-leaks", "IP_Codec.close"),
    ("NEEDS_PROGRESS", "callback-crashes", "IP_Codec.decode"),
    ("CALLS_FROM_THREAD", "core-called-on-wrong-thread", "IC_Log.write"),
    ("ASSIGNS_WHOLE_STRUCT", "writes-past-end", "IP_Codec.thumbnail"),
    ("GARBAGE", "impossible-value", "IP_Codec.decode"),
]


@pytest.mark.ci
@pytest.mark.parametrize(("fault", "rule", "entity"), short_form(FAULTS, 3, in_ci=True, ci_every=2))
def test_a_fault_is_reported_once_at_the_function_that_has_it(
    fault: str, rule: str, entity: str, include: str, tmp_path: Path
) -> None:
    verified = tried(tmp_path, include, fault, "--timeout", "3")
    assert verified.found == {(rule, entity)}, verified.output


@pytest.mark.ci
def test_an_error_for_arguments_that_abigen_makes_up_is_no_finding(include: str, tmp_path: Path) -> None:
    assert tried(tmp_path, include, "REFUSES_MADE_UP").found == set()


def test_an_exported_function_that_the_spec_demands_and_the_library_has_not_is_named(
    include: str, tmp_path: Path
) -> None:
    plugin = compile_plugin(tmp_path, "pixels", include, "-DFAULT=NONE", "-DWITHOUT_EXPORT", source="pixels.c")
    verified = verify(plugin, "--spec-dir", str(SPEC), "--only", "entry-point-missing", api="pixels")
    assert verified.found == {("entry-point-missing", "IC_CountFormats")}


@pytest.mark.ci
def test_a_function_whose_handle_no_call_gives_is_listed_with_the_way_to_give_it_data(
    include: str, tmp_path: Path
) -> None:
    text = (SPEC / "pixels.yaml").read_text(encoding="utf-8")
    (tmp_path / "pixels.yaml").write_text(text[: text.index("verify:")], encoding="utf-8")
    plugin = compile_plugin(tmp_path, "pixels", include, "-DFAULT=NONE", source="pixels.c")
    verified = verify(plugin, "--spec-dir", str(tmp_path), api="pixels")
    assert verified.found == set(), verified.output
    reasons = {each["function"]: each["reason"] for each in json.loads(verified.output)["not_called"]}
    assert set(reasons) == {f"IP_Codec.{name}" for name in ("close", "decode", "annotate", "thumbnail")}
    assert reasons["IP_Codec.decode"] == (
        "the plugin has created no IP_Image: IP_Codec.open refuses generated arguments; "
        "state its arguments under `verify: calls:` in the spec"
    )


def test_a_plugin_meets_cores_of_all_listed_releases(include: str, tmp_path: Path) -> None:
    verified = tried(tmp_path, include, "NONE", "--only", "older-core-refused")
    assert verified.result("older-core-refused") == "passed"


def test_a_check_without_its_library_is_not_run_and_says_how_to_install_it(tmp_path: Path, include: str) -> None:
    (tmp_path / "checks").mkdir()
    (tmp_path / "checks" / "own.py").write_text(CHECK, encoding="utf-8")
    verified = tried(tmp_path, include, "NONE", "--checks", str(tmp_path / "checks"), "--only", "needs-a-library")
    (run,) = json.loads(verified.output)["checks"]
    assert run["result"] == "not run"
    assert run["reason"] == "no_such_library is not installed (pip install no_such_library)"
    assert verified.code == 0


CHECK = '''
from abigen.runner.verify.check import check


@check("ABI899")
def needs_a_library(harness):
    """It needs a library.

    What happens: Nothing.

    Instead: Nothing.

    Source: none.
    """
    import no_such_library

    yield from no_such_library.look(harness)
'''


@pytest.mark.parametrize(
    ("calls", "message"),
    [
        ("{function: IP_Codec.opn, arguments: {data: x}}", "there is no function or member 'IP_Codec.opn'"),
        ("{function: IP_Codec.open, arguments: {dat: x}}", "'IP_Codec.open' has no parameter 'dat'"),
        ("{function: IP_Codec.open, arguments: {format: IC_RGBA}}", "'IC_RGBA' is no number, enumerator or constant"),
        ("{function: IP_Codec.open}", "a call needs the key 'arguments'"),
    ],
)
def test_a_call_that_fits_no_function_is_refused_at_its_place(calls: str, message: str, tmp_path: Path) -> None:
    text = (SPEC / "pixels.yaml").read_text(encoding="utf-8")
    spec = tmp_path / "pixels.yaml"
    spec.write_text(text[: text.index("verify:")] + f"verify:\n  calls:\n    - {calls}\n", encoding="utf-8")
    run = abigen("build", "--check", "--spec-dir", tmp_path, "--out", tmp_path / "out", spec)
    assert run.code == 2
    assert message in run.stderr
    assert f"pixels.yaml:{len(text[: text.index('verify:')].splitlines()) + 3}:" in run.stderr
