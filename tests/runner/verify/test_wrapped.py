"""Hosts that are tried out with a wrapped plugin: with one thing wrong each, and right ones."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from msgspec.structs import replace

from abigen.generator.build import spec_file
from abigen.generator.project import load_specs
from abigen.model.api import Api
from abigen.model.ctype import NamedType, Pointer
from abigen.model.entities import Variable
from abigen.model.target import find_target
from abigen.runner.verify.hosts import HostTrial, WrappedTrial
from abigen.runner.verify.scenario import this_target
from abigen.runner.verify.wrapper_source import Change, WrapperSource
from abigen.workspace.files import Files
from abigen.workspace.libraries import SharedLibrary
from tests.generator.build.building import abigen
from tests.runner.verify.plugins import HERE, Verified
from tests.running import run_here
from tests.tools import require

SOURCES = HERE / "wrapped"
WAYS = ("FILL", "STORE", "GET")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the headers of the API, and a working plugin for each way to give a table."""
    out = tmp_path_factory.mktemp("wrapped")
    run = abigen("build", "--no-cache", "--target", "c", "--spec-dir", SOURCES, "--out", out)
    assert run.code == 0, run.stderr
    (compiler,) = require("cc")
    for way in (*WAYS, "DATA"):
        command = [compiler, "-w", "-O1", "-shared", "-fPIC", f"-D{way}", f"-I{out / 'c'}", str(SOURCES / "plugin.c")]
        subprocess.run([*command, "-o", str(out / f"{way}.so")], check=True)
    return out


def host(built: Path, fault: str, folder: Path) -> Path:
    """Compile a host with one mistake."""
    (compiler,) = require("cc")
    path = folder / f"host-{fault}"
    words = [compiler, "-w", "-O0", f"-DFAULT={fault}", f"-I{built / 'c'}", str(SOURCES / "host.c"), "-ldl"]
    subprocess.run([*words, "-o", str(path)], check=True)
    return path


def tried(built: Path, fault: str, way: str, folder: Path, *options: str) -> Verified:
    """Run `abigen verify --host --with`."""
    command = f"{host(built, fault, folder)} {{plugin}}"
    words = ["verify", "--host", command, "--with", str(built / f"{way}.so"), "--api", "dial"]
    done = run_here([*words, "--spec-dir", str(SOURCES), "--format", "json", *options])
    return Verified(done.code, done.stdout, done.stderr)


@pytest.mark.ci
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("fault", ["NONE", "NEEDS_BLINK"])
def test_a_host_that_is_right_is_not_accused_with_a_wrapped_plugin(
    way: str, fault: str, built: Path, tmp_path: Path
) -> None:
    verified = tried(built, fault, way, tmp_path)
    assert (verified.code, verified.remarks) == (0, ""), verified.output + verified.remarks
    assert verified.found == set()
    for rule in ("fitting-plugin-refused", "refusal-ignored", "host-reads-past-end", "null-member-called"):
        assert verified.result(rule) == "passed"


@pytest.mark.ci
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        ("NULL_MEMBER", {("null-member-called", "DP_Dial.blink")}),
        ("NULL_LABEL", {("null-member-called", "DP_Dial.label")}),
        ("NULL_FUNCTION", {("null-member-called", "DI_Beep")}),
        ("READS_BEHIND", {("host-reads-past-end", "DP_Dial.glow")}),
        ("REFUSES_WITHOUT", {("fitting-plugin-refused", "DP_Dial.label")}),
        ("HANGS_WITHOUT", {("fitting-plugin-refused", "DP_Dial.label")}),
        ("ABORTS", {("fitting-plugin-refused", "DP_Dial.label")}),
    ],
)
def test_a_mistake_of_a_host_is_found_with_a_wrapped_plugin(
    way: str, fault: str, expected: set[tuple[str, str]], built: Path, tmp_path: Path
) -> None:
    verified = tried(built, fault, way, tmp_path, "--timeout", "2")
    assert verified.code == 1, verified.output + verified.remarks
    assert verified.found == expected


@pytest.mark.first_case
@pytest.mark.parametrize(("way", "entity"), [("FILL", "DI_Fill"), ("STORE", "DI_Store"), ("GET", "DI_Get")])
@pytest.mark.parametrize(
    ("fault", "rule"),
    [
        ("NO_REFUSAL", "refusal-ignored"),
        ("EQUAL_SIZES", "fitting-plugin-refused"),
        ("EQUAL_MINORS", "fitting-plugin-refused"),
    ],
)
def test_a_host_that_ignores_or_refuses_a_plugin_is_found(
    way: str, entity: str, fault: str, rule: str, built: Path, tmp_path: Path
) -> None:
    verified = tried(built, fault, way, tmp_path)
    assert {each for each, _ in verified.found} == {rule}, verified.output + verified.remarks
    if rule == "refusal-ignored":
        assert verified.found == {(rule, entity)}


@pytest.mark.ci
@pytest.mark.parametrize("way", ["STORE", "GET"])
@pytest.mark.parametrize(
    ("fault", "rule"), [("COPIES_WHOLE", "host-reads-past-end"), ("WRITES_BEHIND", "host-writes-past-end")]
)
def test_a_page_without_access_follows_a_table_that_is_cut_off(
    way: str, fault: str, rule: str, built: Path, tmp_path: Path
) -> None:
    verified = tried(built, fault, way, tmp_path)
    assert rule in {each for each, _ in verified.found}, verified.output + verified.remarks


@pytest.mark.ci
def test_a_host_is_not_accused_of_a_crash_in_the_plugin(built: Path, tmp_path: Path) -> None:
    (compiler,) = require("cc")
    good = tmp_path / "good.so"
    words = [compiler, "-w", "-O1", "-shared", "-fPIC", "-DSTORE", "-DNEEDS_BLINK", f"-I{built / 'c'}"]
    subprocess.run([*words, str(SOURCES / "plugin.c"), "-o", str(good)], check=True)
    command = f"{host(built, 'NONE', tmp_path)} {{plugin}}"
    done = run_here(["verify", "--host", command, "--with", str(good), "--api", "dial", "--spec-dir", str(SOURCES)])
    assert done.code == 0, done.stdout + done.stderr
    said = "good.so itself crashes as a plugin without DP_Dial.blink, so the host is not judged"
    assert said in done.stderr


@pytest.mark.first_case
@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("FAILS", "the host exits with 9 with FILL.so itself; its last line is: cannot find the knob"),
        ("COUNTS_FILES", "the host exits with 0 with FILL.so itself, but exits with 8 with its unchanged wrapper"),
        ("NEVER_LOADS", "the host exits with 0 and does not load the wrapper of FILL.so"),
        ("CALLS_NOTHING", "the host loads the wrapper of FILL.so, exits with 0, and calls none of its functions"),
    ],
)
def test_a_host_that_fails_with_the_working_plugin_is_not_judged(
    fault: str, said: str, built: Path, tmp_path: Path
) -> None:
    verified = tried(built, fault, "FILL", tmp_path)
    assert (verified.code, verified.output) == (2, "")
    assert said in verified.remarks


def test_a_wrapped_plugin_has_to_be_one_of_the_api(built: Path, tmp_path: Path) -> None:
    (compiler,) = require("cc")
    subprocess.run([compiler, "-shared", "-x", "c", "-", "-o", str(tmp_path / "x.so")], input=b"int x;", check=True)
    for path, said in ((tmp_path / "x.so", "exports nothing that dial declares"), (tmp_path / "y.so", "no file")):
        words = ["verify", "--host", "true {plugin}", "--with", str(path), "--api", "dial", "--spec-dir", str(SOURCES)]
        done = run_here(words)
        assert done.code == 2
        assert said in done.stderr


def test_a_wrapped_plugin_takes_a_host() -> None:
    done = run_here(["verify", "--with", "good.so"])
    assert done.code == 2
    assert "--with takes --host." in done.stderr


def test_functions_that_the_host_does_not_call_are_named(built: Path, tmp_path: Path) -> None:
    (compiler,) = require("cc")
    source = tmp_path / "idle.c"
    source.write_text(
        '#include <dlfcn.h>\n#include "dial.h"\nint main(int n, char** a) {\n'
        '  return ((int32_t (*)(DP_Dial*))dlsym(dlopen(a[1], 2), "DI_Fill"))(&(DP_Dial){sizeof(DP_Dial)});\n}\n'
    )
    program = tmp_path / "idle"
    subprocess.run([compiler, "-w", f"-I{built / 'c'}", str(source), "-ldl", "-o", str(program)], check=True)
    words = ["verify", "--host", f"{program} {{plugin}}", "--with", str(built / "FILL.so"), "--api", "dial"]
    done = run_here([*words, "--spec-dir", str(SOURCES), "--format", "json"])
    assert done.code == 0
    assert json.loads(done.stdout)["findings"] == []
    named = "DI_Beep, DP_Dial.mix, DP_Dial.turn, DP_Dial.blink, DP_Dial.glow"
    assert done.stderr == f"abigen: the host calls none of these, so they are not judged: {named}\n"


def dial() -> Api:
    """Read the API of dials."""
    spec = spec_file(SOURCES / "dial.yaml", SOURCES, Files())
    return load_specs([spec], lambda _: None, Files())[spec].groups[0].api


def test_a_wrapper_is_built_for_aarch64(tmp_path: Path) -> None:
    (compiler,) = require("aarch64-linux-gnu-gcc")
    library = SharedLibrary(frozenset(), (), (), frozenset({"DI_Store", "DI_Beep", "other"}), {"dial_limits": 12})
    good, target = tmp_path / "good.so", find_target("aarch64-linux-gnu")
    text = WrapperSource(dial(), target, library, good, Change(kind="refuses", name="DI_Store")).text()
    words = [compiler, "-shared", "-fPIC", "-O1", "-x", "c", "-", "-o", str(tmp_path / "wrapper.so")]
    subprocess.run(words, input=text, text=True, check=True)


def with_table(fault: str, built: Path, folder: Path) -> HostTrial:
    """Try out a host with a plugin whose table is exported data, which specs do not declare."""
    table = Variable(name="dial_table", type=NamedType("DP_Dial"))
    pointer = Variable(name="dial_pointer", type=Pointer(NamedType("DP_Dial")))
    api = replace(dial(), variables={each.name: each for each in (table, pointer)})
    command = f"{host(built, fault, folder)} {{plugin}}"
    good = built / "DATA.so"
    return WrappedTrial(command, api, this_target(), good, 10, folder / "libraries", lambda _: None).verify()


@pytest.mark.ci
@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        ("NONE", set()),
        ("NULL_MEMBER", {("ABI094", "DP_Dial.blink")}),
        ("READS_BEHIND", {("ABI092", "DP_Dial.glow")}),
        ("COPIES_WHOLE", {("ABI092", "DP_Dial.glow")}),
        ("WRITES_BEHIND", {("ABI093", "DP_Dial.glow")}),
    ],
)
def test_a_table_that_is_exported_data_is_changed(
    fault: str, expected: set[tuple[str, str]], built: Path, tmp_path: Path
) -> None:
    trial = with_table(fault, built, tmp_path)
    assert {(each.code, each.entity) for each in trial.findings} == expected


@pytest.mark.ci
@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        ("NONE", set()),
        ("REFUSES_OTHERS", set()),
        ("ABORTS", set()),
        ("IGNORES_VERSION", {("host-reads-past-end", "MP_Meter.reset")}),
        ("IGNORES_FAILURE", {("refusal-ignored", "ME_Open")}),
        ("CRASHES", {("fitting-plugin-refused", "ME_Open")}),
    ],
)
def test_a_table_that_begins_with_its_version_states_another_one(
    fault: str, expected: set[tuple[str, str]], built: Path, tmp_path: Path
) -> None:
    (compiler,) = require("cc")
    words = [compiler, "-w", "-O0", f"-I{built / 'c'}", str(SOURCES / "meter.c")]
    subprocess.run([*words, "-shared", "-fPIC", "-o", str(tmp_path / "meter.so")], check=True)
    subprocess.run([*words, f"-DFAULT={fault}", "-ldl", "-o", str(tmp_path / "host")], check=True)
    options = ["--with", str(tmp_path / "meter.so"), "--api", "meter", "--spec-dir", str(SOURCES), "--format", "json"]
    done = run_here(["verify", "--host", f"{tmp_path / 'host'} {{plugin}}", *options])
    assert Verified(done.code, done.stdout, done.stderr).found == expected


def test_a_function_that_the_host_has_put_into_the_table_stays(built: Path, tmp_path: Path) -> None:
    (compiler,) = require("cc")
    source = tmp_path / "ready.c"
    source.write_text(
        '#include <dlfcn.h>\n#include "dial.h"\nstatic int blink(void) { return 1; }\nint main(int n, char** a) {\n'
        "  DP_Dial dial = {.struct_size = sizeof(DP_Dial), .blink = blink};\n"
        '  if (((int32_t (*)(DP_Dial*))dlsym(dlopen(a[1], 2), "DI_Fill"))(&dial) < 0) return 1;\n'
        "  return dial.blink() - 1;\n}\n"
    )
    program = tmp_path / "ready"
    subprocess.run([compiler, "-w", f"-I{built / 'c'}", str(source), "-ldl", "-o", str(program)], check=True)
    words = ["verify", "--host", f"{program} {{plugin}}", "--with", str(built / "FILL.so"), "--api", "dial"]
    done = run_here([*words, "--spec-dir", str(SOURCES), "--format", "json"])
    assert Verified(done.code, done.stdout, done.stderr).found == set()
