"""Hosts, with one thing wrong each, and one that is right."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.generator.build.building import abigen
from tests.runner.verify.plugins import HERE, compile_plugin
from tests.running import run_here
from tests.tools import require

SPEC = HERE / "spec"


@pytest.fixture(scope="module")
def include(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The headers of the APIs, as a compiler finds them."""
    out = tmp_path_factory.mktemp("headers")
    run = abigen("build", "--no-cache", "--target", "c", "--spec-dir", SPEC, "--out", out)
    assert run.code == 0, run.stderr
    return f"-I{out / 'c'}"


def tried(folder: Path, include: str, api: str, fault: str, *options: str) -> tuple[int, str, str]:
    """Return the findings about a host."""
    (compiler,) = require("cc")
    host = folder / "host"
    command = [compiler, "-w", "-rdynamic", f"-DFAULT={fault}", include, str(HERE / "host.c"), "-ldl", "-o", str(host)]
    subprocess.run(command, check=True)
    words = [
        "verify",
        "--host",
        f"{host} {{plugin}}",
        "--api",
        api,
        "--spec-dir",
        str(SPEC),
        "--format",
        "json",
        *options,
    ]
    done = run_here(words)
    return done.code, done.stdout, done.stderr


@pytest.mark.ci
@pytest.mark.parametrize("api", ["lamp", "horn"])
def test_a_host_that_is_right_is_not_accused(api: str, include: str, tmp_path: Path) -> None:
    code, output, remarks = tried(tmp_path, include, api, "NONE")
    assert code == 0, output + remarks
    assert json.loads(output)["findings"] == []


@pytest.mark.first_case
@pytest.mark.parametrize(
    ("api", "fault", "rules"),
    [
        ("lamp", "EQUAL_SIZES", {"fitting-plugin-refused"}),
        ("lamp", "CALLS_NULL", {"host-reads-past-end", "null-member-called"}),
        ("lamp", "IGNORES_REFUSAL", {"refusal-ignored"}),
        ("lamp", "READS_BEHIND", {"host-reads-past-end"}),
        ("lamp", "DESTROYS_TWICE", {"handle-misused"}),
        ("lamp", "DESTROYS_NULL", {"handle-misused"}),
        ("lamp", "DESTROYS_OTHER", {"handle-misused"}),
        ("lamp", "USES_DESTROYED", {"handle-misused"}),
        ("lamp", "IGNORES_FAILURE", {"handle-misused"}),
        ("horn", "READS_BEHIND", {"host-reads-past-end"}),
        ("horn", "WRITES_BEHIND", {"host-writes-past-end"}),
        ("horn", "CALLS_NULL", {"null-member-called"}),
    ],
)
def test_a_fault_of_a_host_is_found(api: str, fault: str, rules: set[str], include: str, tmp_path: Path) -> None:
    code, output, remarks = tried(tmp_path, include, api, fault)
    assert code == 1, output + remarks
    assert {each["rule"] for each in json.loads(output)["findings"]} == rules


@pytest.mark.ci
@pytest.mark.parametrize(
    ("fault", "rules"),
    [
        ("NONE", set()),
        ("EQUAL_SIZES", {"fitting-plugin-refused"}),
        ("CALLS_NULL", {"host-reads-past-end", "null-member-called"}),
        ("IGNORES_REFUSAL", {"refusal-ignored"}),
        ("READS_BEHIND", {"host-reads-past-end"}),
    ],
)
def test_a_wrapped_plugin_finds_the_same_faults_of_a_host(
    fault: str, rules: set[str], include: str, tmp_path: Path
) -> None:
    good = compile_plugin(tmp_path, "lamp", include, source="lamp.c")
    code, output, remarks = tried(tmp_path, include, "lamp", fault, "--with", str(good))
    assert code == bool(rules), output + remarks
    assert {each["rule"] for each in json.loads(output)["findings"]} == rules


@pytest.mark.ci
def test_a_host_that_exports_no_function_for_refusals_is_not_accused(include: str, tmp_path: Path) -> None:
    (compiler,) = require("cc")
    (tmp_path / "own.h").write_text("#define LA_SetStatus(status, code, message) ((void)(status))\n")
    own = ("-include", "lamp.h", "-include", str(tmp_path / "own.h"))
    good = compile_plugin(tmp_path, "lamp", include, *own, source="lamp.c")
    host = str(tmp_path / "host")
    subprocess.run([compiler, "-w", "-DFAULT=NONE", include, str(HERE / "host.c"), "-ldl", "-o", host], check=True)
    words = ["verify", "--host", f"{host} {{plugin}}", "--with", str(good), "--api", "lamp", "--spec-dir", str(SPEC)]
    done = run_here(words)
    assert done.code == 0, done.stdout + done.stderr
    assert "is not tried: nothing in the process exports the function that sets a status" in done.stderr
    assert "refusal-ignored" in done.stdout


@pytest.mark.ci
@pytest.mark.parametrize(
    ("fault", "said"), [("CALLS_NOTHING", "does not call LA_InitPlugin"), ("NEVER_ENDS", "does not call LA_InitPlugin")]
)
def test_a_host_that_does_not_call_the_plugin_cannot_be_judged(
    fault: str, said: str, include: str, tmp_path: Path
) -> None:
    code, _, remarks = tried(tmp_path, include, "lamp", fault, "--timeout", "1")
    assert code == 2
    assert said in remarks


def test_a_host_needs_an_api_and_a_place_for_the_plugin() -> None:
    for words in (["--host", "true"], ["--host", "true {plugin}"], ["--host", "x {plugin}", "--api", "a", "p.so"]):
        done = run_here(["verify", *words])
        assert done.code == 2
        assert "--host takes a command with {plugin} in it, --api, and no PLUGIN." in done.stderr


LOADER = """
#include <stdio.h>
#include "lamp_checks.h"
struct LA_Status { LA_Code code; };
LA_Status* LA_NewStatus(void) { static LA_Status one; return &one; }
void LA_DeleteStatus(LA_Status* status) { (void)status; }
void LA_SetStatus(LA_Status* status, LA_Code code, const char* message) { status->code = code; (void)message; }
LA_Code LA_GetCode(const LA_Status* status) { return status->code; }
const char* LA_Message(const LA_Status* status) { return status->code == LA_OK ? "" : "no"; }
static void tell(const LA_Finding* finding, void* context) { (void)context; puts(finding->message); }
int main(int count, char** arguments) {
  LA_InitPlugin_Library library;
  LA_Status status = {LA_OK};
  LA_InitPlugin_Prepare(&library);
  if (count < 2 || LA_InitPlugin_Load(&library, arguments[1], tell, NULL, &status) != 0) return 1;
  LP_Bulb bulb = NULL;
  library.fns.create_bulb(&bulb, &status);
  if (status.code == LA_OK) library.fns.destroy_bulb(bulb);
  LA_InitPlugin_Unload(&library);
  return status.code != LA_OK;
}
"""


@pytest.mark.ci
def test_the_generated_loader_is_a_host_that_is_right(include: str, tmp_path: Path) -> None:
    (compiler,) = require("cc")
    run = abigen("build", "--no-cache", "--target", "c-checks", "--spec-dir", SPEC, "--out", tmp_path)
    assert run.code == 0, run.stderr
    checks = tmp_path / "c-checks"
    (tmp_path / "host.c").write_text(LOADER)
    sources = [str(tmp_path / "host.c"), *map(str, checks.rglob("*.c"))]
    command = [compiler, "-rdynamic", include, f"-I{checks}", *sources, "-ldl", "-o", str(tmp_path / "host")]
    subprocess.run(command, check=True)
    words = ["verify", "--host", f"{tmp_path / 'host'} {{plugin}}", "--api", "lamp", "--spec-dir", str(SPEC)]
    done = run_here(words)
    assert done.code == 0, done.stdout + done.stderr


def test_functions_that_the_host_never_calls_are_named(include: str, tmp_path: Path) -> None:
    _, _, remarks = tried(tmp_path, include, "lamp", "NONE")
    assert remarks == "abigen: the host calls none of these, so they are not judged: LP_LampFns.flash\n"


PUMP = """\
abigen: 1
api: pump
prefix: PU
version: 1.0.0
header: {path: pump.h, includes: [<stddef.h>, <stdint.h>]}
conventions: {leading_fields: [size_t struct_size], filled_by: {PU_: plugin}}
enums:
  - {name: PU_State, since: 1.0.0, enumerators: [{name: PU_STATE_IDLE}, {name: PU_STATE_BROKEN}, {name: PU_STATE_DONE}]}
typedefs:
  - {name: PU_Bool, since: 1.0.0, type: unsigned char}
structs:
  - name: PU_Memory
    versioned: false
    since: 1.0.0
    fields: [{name: place, type: void*}, {name: size, type: uint64_t}]
  - name: PU_Place
    versioned: false
    since: 1.0.0
    fields: [{name: x, type: double}, {name: floor, type: int}, {name: names, type: "char[2]"}]
  - name: PU_Fns
    since: 1.0.0
    fields:
      - {name: count, required: true, type: void (*)(int* count)}
      - {name: room, required: true, type: PU_Bool (*)(int64_t* bytes)}
      - {name: allocate, required: true, type: "void (*)(uint64_t size, PU_Memory* memory)"}
      - {name: move, required: true, type: "PU_Place (*)(PU_Place from, float by, int* count)"}
      - {name: poll, required: true, type: PU_State (*)(void)}
functions:
  - {name: PU_Init, since: 1.0.0, implemented_by: plugin, entry_point: true, type: void (PU_Fns* fns)}
"""
PUMP_HOST = """
#include <dlfcn.h>
#include <string.h>
#include "pump.h"
int main(int count, char** arguments) {
  void* library = dlopen(arguments[1], RTLD_NOW);
  if (library == NULL) return 2;
  PU_Fns fns = {.struct_size = PU_FNS_STRUCT_SIZE};
  ((void (*)(PU_Fns*))dlsym(library, "PU_Init"))(&fns);
  int pumps = 0;
  int64_t bytes = 0;
  PU_Memory memory = {0};
  fns.count(&pumps);
  if (pumps != 1) return 3;
  if (!fns.room(&bytes) || bytes < 1 << 20) return 4;
  PU_Place from = {1.5, 7, "a"};
  PU_Place there = fns.move(from, 0.5f, &pumps);
  if (there.x != 0 || there.floor != 0 || pumps != 1) return 7;
  fns.allocate(1 << 20, &memory);
  if (memory.place == NULL) return 5;
  memset(memory.place, 1, 1 << 20);
  return fns.poll() == PU_STATE_DONE ? 0 : 6;
}
"""


@pytest.mark.ci
def test_a_probe_answers_so_that_the_host_goes_on(tmp_path: Path) -> None:
    (compiler,) = require("cc")
    (tmp_path / "spec").mkdir()
    (tmp_path / "spec/pump.yaml").write_text(PUMP)
    run = abigen("build", "--no-cache", "--target", "c", "--spec-dir", tmp_path / "spec", "--out", tmp_path / "out")
    assert run.code == 0, run.stderr
    (tmp_path / "host.c").write_text(PUMP_HOST)
    command = [compiler, f"-I{tmp_path / 'out/c'}", str(tmp_path / "host.c"), "-ldl", "-o", str(tmp_path / "host")]
    subprocess.run(command, check=True)
    words = ["verify", "--host", f"{tmp_path / 'host'} {{plugin}}", "--api", "pump"]
    done = run_here([*words, "--spec-dir", str(tmp_path / "spec")])
    assert done.code == 0, done.stdout + done.stderr
    assert "does not apply: refusal-ignored: PU_Init has no way to refuse" in done.stdout


def test_a_host_without_the_function_that_plugins_refuse_with_is_told_so(include: str, tmp_path: Path) -> None:
    (compiler,) = require("cc")
    host = str(tmp_path / "host")
    subprocess.run([compiler, "-w", "-DFAULT=NONE", include, str(HERE / "host.c"), "-ldl", "-o", host], check=True)
    done = run_here(["verify", "--host", f"{host} {{plugin}}", "--api", "lamp", "--spec-dir", str(SPEC)])
    assert done.code == 2
    assert "the host has no LA_SetStatus, which plugins refuse with" in done.stderr
