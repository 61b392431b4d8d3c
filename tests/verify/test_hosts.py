"""Hosts, with one thing wrong each, and one that is right."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.emit.building import abigen
from tests.running import run_here
from tests.tools import require
from tests.verify.plugins import HERE

SPEC = HERE / "spec"


@pytest.fixture(scope="module")
def include(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The headers of the APIs, as a compiler finds them."""
    out = tmp_path_factory.mktemp("headers")
    run = abigen("build", "--no-cache", "--target", "c", "--spec-dir", SPEC, "--out", out)
    assert run.code == 0, run.stderr
    return f"-I{out / 'c'}"


def tried(folder: Path, include: str, api: str, fault: str, *options: str) -> tuple[int, str, str]:
    """What is said of a host."""
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


@pytest.mark.parametrize("api", ["lamp", "horn"])
def test_a_host_that_is_right_is_not_accused(api: str, include: str, tmp_path: Path) -> None:
    code, output, remarks = tried(tmp_path, include, api, "NONE")
    assert code == 0, output + remarks
    assert json.loads(output)["findings"] == []


@pytest.mark.parametrize(
    ("api", "fault", "rules"),
    [
        ("lamp", "EQUAL_SIZES", {"fitting-plugin-refused"}),
        ("lamp", "CALLS_NULL", {"host-reads-past-end", "null-member-called"}),
        ("lamp", "IGNORES_REFUSAL", {"refusal-ignored"}),
        ("lamp", "READS_BEHIND", {"host-reads-past-end"}),
        ("horn", "READS_BEHIND", {"host-reads-past-end"}),
        ("horn", "WRITES_BEHIND", {"host-writes-past-end"}),
        ("horn", "CALLS_NULL", {"null-member-called"}),
    ],
)
def test_a_fault_of_a_host_is_found(api: str, fault: str, rules: set[str], include: str, tmp_path: Path) -> None:
    code, output, remarks = tried(tmp_path, include, api, fault)
    assert code == 1, output + remarks
    assert {each["rule"] for each in json.loads(output)["findings"]} == rules


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
  library.fns.destroy_bulb(bulb);
  LA_InitPlugin_Unload(&library);
  return status.code != LA_OK;
}
"""


def test_the_generated_loader_is_a_host_that_is_right(include: str, tmp_path: Path) -> None:
    (compiler,) = require("cc")
    run = abigen("build", "--no-cache", "--target", "c-checks", "--spec-dir", SPEC, "--out", tmp_path)
    assert run.code == 0, run.stderr
    checks = tmp_path / "c-checks"
    (tmp_path / "host.c").write_text(LOADER)
    sources = [str(tmp_path / "host.c"), str(checks / "lamp_checks.c")]
    command = [compiler, "-rdynamic", include, f"-I{checks}", *sources, "-ldl", "-o", str(tmp_path / "host")]
    subprocess.run(command, check=True)
    words = ["verify", "--host", f"{tmp_path / 'host'} {{plugin}}", "--api", "lamp", "--spec-dir", str(SPEC)]
    done = run_here(words)
    assert done.code == 0, done.stdout + done.stderr
