"""Structs whose size a release or a version decides are tried with binaries of OLD and NEW, in all four pairs."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from abigen.checker.compare import compare
from abigen.checker.policy import find_policy
from abigen.headers.reader import read_headers
from abigen.model.api import ApiSet
from abigen.model.finding import Axis, Bump
from abigen.workspace.options import ReadOptions, SourceFile
from tests.tools import require

FLAGS = ["-std=gnu17", "-g", "-O0", "-fsanitize=address", "-I."]

DRIVER = """#include <stddef.h>
#define DRIVER_VERSION_1_0 10
struct Driver {{
  int (*open)(int number);{member}
}};
{constants}
typedef int (*DriverInit)(int version, struct Driver* driver);
"""
DRIVER_HEADERS = {
    "old.h": DRIVER.format(member="", constants=""),
    "new.h": DRIVER.format(
        member="\n  int (*close)(int number);",
        constants="#define DRIVER_VERSION_1_1 11\n"
        "#define DRIVER_1_0_SIZE (offsetof(struct Driver, close))\n"
        "#define DRIVER_1_1_SIZE (sizeof(struct Driver))",
    ),
}
"""The release that the core asks for decides the size."""

DRIVER_PLUGIN = """#include HEADER
static int twice(int number) { return 2 * number; }
int start(int version, struct Driver* driver) {
#ifdef DRIVER_VERSION_1_1
  if (version > DRIVER_VERSION_1_1) return 1;
  driver->open = twice;
#ifdef CARELESS
  version = DRIVER_VERSION_1_1;
#endif
  if (version == DRIVER_VERSION_1_1) driver->close = twice;
#else
  if (version != DRIVER_VERSION_1_0) return 1;
  driver->open = twice;
#endif
  return 0;
}
"""
DRIVER_CORE = """#include HEADER
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char** argv) {
  DriverInit start = (DriverInit)dlsym(dlopen(argv[1], RTLD_NOW), "start");
  struct Driver* driver = malloc(sizeof(struct Driver));
#ifdef DRIVER_VERSION_1_1
  if (start(DRIVER_VERSION_1_1, driver) == 0) return printf("%d %d\\n", driver->open(2), driver->close(3)) < 0;
#endif
  if (start(DRIVER_VERSION_1_0, driver) != 0) return 1;
  return printf("%d\\n", driver->open(2)) < 0;
}
"""

METHODS = """#include <stdint.h>
#define TYPE_METHODS_VERSION {version}
struct type_methods {{
  uint64_t version;
  int (*load)(int number);{member}
}};
typedef struct type_methods* (*Start)(void);
"""
METHODS_HEADERS = {
    "old.h": METHODS.format(version=1, member=""),
    "new.h": METHODS.format(version=2, member="\n  int (*save)(int number);"),
}
"""The struct begins with its version, which a constant states."""

METHODS_PLUGIN = """#include HEADER
#include <stdlib.h>
static int twice(int number) { return 2 * number; }
struct type_methods* start(void) {
  struct type_methods* made = malloc(sizeof *made);
  made->version = TYPE_METHODS_VERSION;
  made->load = twice;
#if TYPE_METHODS_VERSION > 1
  made->save = twice;
#endif
  return made;
}
"""
METHODS_CORE = """#include HEADER
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char** argv) {
  struct type_methods* methods = ((Start)dlsym(dlopen(argv[1], RTLD_NOW), "start"))();
#if TYPE_METHODS_VERSION > 1
#ifdef CARELESS
  methods->version = 2;
#endif
  if (methods->version > 1) return printf("%d %d\\n", methods->load(2), methods->save(3)) < 0;
#endif
  return printf("%d\\n", methods->load(2)) < 0;
}
"""
SIDES = {"driver": (DRIVER_PLUGIN, DRIVER_CORE), "methods": (METHODS_PLUGIN, METHODS_CORE)}
HEADERS = {"driver": DRIVER_HEADERS, "methods": METHODS_HEADERS}


def run(folder: Path, api: str, plugin: str, core: str, *flags: str) -> str:
    """Build a plugin and a core, each with a header of its own, and return what the core prints; or `overflow`."""
    for name, text in HEADERS[api].items():
        (folder / name).write_text(text)
    for name, text, header, more in (
        ("plugin.so", SIDES[api][0], plugin, ["-shared", "-fPIC"]),
        ("core", SIDES[api][1], core, []),
    ):
        (folder / f"{name}.c").write_text(text)
        command = ["gcc", *FLAGS, *flags, f'-DHEADER="{header}"', *more, f"{name}.c", "-o", name, "-ldl"]
        subprocess.run(command, cwd=folder, check=True, timeout=60)
    environment = {"ASAN_OPTIONS": "detect_leaks=0"}
    done = subprocess.run(["./core", "./plugin.so"], cwd=folder, capture_output=True, timeout=60, env=environment)
    return "overflow" if b"heap-buffer-overflow" in done.stderr else done.stdout.decode().strip()


def _read(name: str, text: str) -> ApiSet:
    return read_headers([SourceFile(name, name, text)], ReadOptions(targets=("x86_64-linux-gnu",)))


@pytest.mark.parametrize("api", HEADERS)
def test_what_a_release_or_a_version_decides_is_an_addition(api: str) -> None:
    old, new = (_read(name, text) for name, text in HEADERS[api].items())
    findings = compare(old, new, find_policy("default")).findings
    (appended,) = [each for each in findings if each.rule == "field-appended"]
    assert (appended.axes.old_plugin, appended.axes.new_plugin) == (Axis.AT_RISK, Axis.AT_RISK)
    assert Bump.MAJOR not in [each.bump for each in findings]


@pytest.mark.first_case
@pytest.mark.parametrize("api", HEADERS)
@pytest.mark.parametrize("plugin", ["old.h", "new.h"])
@pytest.mark.parametrize("core", ["old.h", "new.h"])
def test_sides_that_ask_for_the_release_or_version_work_together(
    api: str, plugin: str, core: str, tmp_path: Path
) -> None:
    require("gcc -fsanitize=address")
    assert run(tmp_path, api, plugin, core) == ("4 6" if plugin == core == "new.h" else "4")


@pytest.mark.ci
@pytest.mark.parametrize(("api", "plugin", "core"), [("driver", "new.h", "old.h"), ("methods", "old.h", "new.h")])
def test_a_side_that_does_not_ask_passes_the_end_of_the_other_sides_struct(
    api: str, plugin: str, core: str, tmp_path: Path
) -> None:
    require("gcc -fsanitize=address")
    assert run(tmp_path, api, plugin, core, "-DCARELESS") == "overflow"
