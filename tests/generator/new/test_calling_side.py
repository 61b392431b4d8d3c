"""Tests of the core's side of an API: refusals, three ways to load a plugin, macros that ask for members."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.generator.new.test_matrix import spec_of
from tests.running import run_here
from tests.tools import require

_AUDIO = """\
#include "audio.h"
AU_Result AU_Init(const AUH_Host* host, AUP_Driver* driver) { (void)host; (void)driver; return AU_ERROR_BUSY; }
"""
_DISK = """\
#include "disk.h"
int disk_init(DKP_Ops* ops) { (void)ops; return -16; }
"""
_CLOCK = """\
#include "clock.h"
const CKP_Clock* ck_open(void) { return 0; }
"""
_CORE = """\
#include <dlfcn.h>
#include <stdio.h>
#include "audio_checks.h"
static void tell(const AU_Finding* finding, void* context) { (void)context; puts(finding->message); }
int main(int argc, char** argv) {
  AU_Init_Library library;
  void* handle = dlopen(argv[argc - 1], RTLD_NOW);
  AU_Init_Function entry = (AU_Init_Function)dlsym(handle, "AU_Init");
  AU_Init_Prepare(&library);
  AU_Init_Load(&library, argv[1], tell, NULL);
  AU_Init_Prepare(&library);
  AU_Init_LoadHandle(&library, handle, tell, NULL);
  AU_Init_Prepare(&library);
  AU_Init_LoadEntry(&library, entry, tell, NULL);
  AU_Init_LoadEntry(&library, NULL, tell, NULL);
  AU_Init_LoadHandle(&library, NULL, tell, NULL);
  return dlclose(handle);
}
"""
_ASKS = """\
#include "audio_helpers.h"
int main(void) {
  AUP_Driver driver = AUP_DRIVER_INITIALIZER;
  AUH_Host host = AUH_HOST_INITIALIZER;
  if (!AUP_DRIVER_HAS_FIELD(&driver, gain) || AUP_DRIVER_HAS(&driver, gain)) return 1;
  driver.name = "x";
  if (!AUP_DRIVER_HAS(&driver, name)) return 2;
  driver.struct_size = sizeof(size_t);
  return AUP_DRIVER_HAS(&driver, name) || AUP_DRIVER_HAS_FIELD(&WHOSE, open) || host.struct_size == 0;
}
"""
_HOST = """\
#include <stdio.h>
#include "audio_checks.h"
static void tell(const AU_Finding* finding, void* context) { (void)context; puts(finding->message); }
static void log_it(const char* text) { (void)text; }
int main(void) {
  AUH_Host host = AUH_HOST_INITIALIZER;
  const int errors = AUH_Host_Check(&host, tell, NULL);
  host.log = log_it;
  return errors != 1 || AUH_Host_Check(&host, tell, NULL) != 0;
}
"""
_THROWS = """\
#include <stdexcept>
#include "HEADER"
struct Functions : NAMESPACE::TABLE<Functions> {
  METHODS
};
int main() {
  STRUCT table{};
  table.struct_size = sizeof(table);
  Functions::Fill(&table);
  return CALL == FAILED ? 0 : 1;
}
"""


def made(name: str, folder: Path) -> tuple[Path, Path]:
    """Return the spec, and what the targets make of it."""
    spec, out = spec_of(name, folder), folder / "out"
    done = run_here(["build", "--no-cache", "--spec-dir", str(spec.parent), "--out", str(out)])
    assert done.code == 0, done.stderr
    return spec, out


def compiled(out: Path, compiler: str, text: str, program: Path, *options: str | Path) -> str:
    """Return the errors of a compiler for a text that includes generated headers."""
    require(compiler)
    source = program.with_suffix(".cc" if "++" in compiler else ".c")
    source.write_text(text)
    include = [f"-I{out / each}" for each in ("c", "c-checks", "cpp")]
    command = [compiler, *include, source, *options, "-o", program]
    return subprocess.run(command, capture_output=True, text=True, check=False).stderr


@pytest.mark.ci
@pytest.mark.parametrize(
    ("name", "plugin", "words"),
    [("audio", _AUDIO, "AU_ERROR_BUSY"), ("disk", _DISK, "-EBUSY"), ("clock", _CLOCK, "NULL")],
)
def test_verify_says_what_a_plugin_has_returned(name: str, plugin: str, words: str, tmp_path: Path) -> None:
    spec, out = made(name, tmp_path)
    library = tmp_path / "plugin.so"
    # The header exports the entry point, though all else is hidden.
    assert compiled(out, "gcc", plugin, library, "-shared", "-fPIC", "-fvisibility=hidden") == ""
    done = run_here(["verify", "--api", str(spec), str(library)])
    assert f"it returns {words}\n" in done.stdout


def _checks(out: Path) -> list[Path]:
    """Return the sources of the checks of the API."""
    return sorted((out / "c-checks").rglob("*.c"))


@pytest.mark.ci
def test_a_plugin_is_loaded_from_a_path_a_handle_or_an_entry_point(tmp_path: Path) -> None:
    _, out = made("audio", tmp_path)
    library, core = tmp_path / "plugin.so", tmp_path / "core"
    assert compiled(out, "gcc", _AUDIO, library, "-shared", "-fPIC", "-fvisibility=hidden") == ""
    assert compiled(out, "gcc", _CORE, core, "-Wall", *_checks(out), "-ldl") == ""
    ran = subprocess.run([core, library], capture_output=True, text=True, check=False)
    refused = "the plugin refused audio 1.1.0: AU_Init returned AU_ERROR_BUSY"
    nothing = ["there is no function to call", "there is no library to look into"]
    assert (ran.returncode, ran.stdout.splitlines()) == (0, [refused, refused, refused, *nothing])


def test_what_core_fills_is_checked_by_either_side(tmp_path: Path) -> None:
    _, out = made("audio", tmp_path)
    program = tmp_path / "host"
    options = ("-include", "audio_helpers.h", "-Wall", "-Wextra", "-Werror")
    assert compiled(out, "gcc", _HOST, program, *options, *_checks(out), "-ldl") == ""
    ran = subprocess.run([program], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout) == (0, "AUH_Host.log is NULL, but required since 1.1.0\n")


@pytest.mark.ci
@pytest.mark.parametrize("compiler", ["gcc", "g++"])
def test_a_member_is_asked_for_in_its_own_struct_only(compiler: str, tmp_path: Path) -> None:
    _, out = made("audio", tmp_path)
    program = tmp_path / "asks"
    assert compiled(out, compiler, _ASKS, program, "-DWHOSE=driver", "-Wall", "-Wextra", "-Werror") == ""
    assert subprocess.run([program], check=False).returncode == 0
    said = compiled(out, compiler, _ASKS.replace("&WHOSE, open", "&host, log"), program, "-w")
    assert "error:" in said


@pytest.mark.ci
@pytest.mark.parametrize("compiler", ["g++", "clang++"])
@pytest.mark.parametrize(
    ("name", "words"),
    [
        (
            "audio",
            {
                "NAMESPACE": "au",
                "TABLE": "DriverFns",
                "STRUCT": "AUP_Driver",
                "METHODS": """static AU_Result open(const char*, AU_Device*) { throw std::runtime_error("no"); }
                static AU_Result write(au::Device, const float*, size_t) { return AU_OK; }
                static void close(au::Device) {}""",
                "CALL": 'table.open("x", nullptr)',
                "FAILED": "AU_ERROR_FAILED",
            },
        ),
        (
            "disk",
            {
                "NAMESPACE": "dk",
                "TABLE": "OpsFns",
                "STRUCT": "DKP_Ops",
                "METHODS": """static int mount(const char*) { throw 3; }
                static int read(uint64_t, void*, size_t) { return 0; }""",
                "CALL": 'table.mount("x")',
                "FAILED": "-EIO",
            },
        ),
    ],
)
def test_an_exception_becomes_the_value_that_means_failure(
    name: str, words: dict[str, str], compiler: str, tmp_path: Path
) -> None:
    _, out = made(name, tmp_path)
    text = _THROWS.replace("HEADER", f"{name}.hpp")
    for word, value in words.items():
        text = text.replace(word, value)
    program = tmp_path / "throws"
    assert compiled(out, compiler, text, program, "-std=c++17", "-Wall", "-Wextra", "-Werror") == ""
    assert subprocess.run([program], check=False).returncode == 0


@pytest.mark.ci
def test_a_code_cannot_be_ignored_in_cpp(tmp_path: Path) -> None:
    _, out = made("audio", tmp_path)
    text = '#include "audio.hpp"\nvoid ask() { au::Query("x"); }\n'
    assert "nodiscard" in compiled(out, "g++", text, tmp_path / "ask.o", "-std=c++17", "-c")


@pytest.mark.parametrize("standard", ["11", "14"])
def test_older_languages_get_one_error(standard: str, tmp_path: Path) -> None:
    _, out = made("audio", tmp_path)
    said = compiled(out, "g++", '#include "audio.hpp"\n', tmp_path / "old.o", f"-std=c++{standard}", "-c")
    assert [line.partition("error: ")[2] for line in said.splitlines() if "error: " in line] == [
        '#error "this header needs C++17: compile with -std=c++17 or /std:c++17"'
    ]
