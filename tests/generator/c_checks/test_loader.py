"""The generated loader and validators in a small core: what they refuse, with which words, and what they accept."""

from __future__ import annotations

import ctypes.util
from pathlib import Path

import pytest

from tests.generator.c_checks.building import HERE, SANITIZED, WARNINGS, Generated, compiled, plugin, run
from tests.tools import require

_GIVES = "lamp gives 42\n"

ACCEPTED = {
    "a plugin of the same release": ((), _GIVES),
    "a plugin that counts the padding behind the last member": (("SIZE=sizeof(LP_Lamp)",), _GIVES),
    "a plugin of the first release": (("SIZE=LP_LAMP_STRUCT_SIZE_1_0_0", "DIM=NULL"), _GIVES),
    "a plugin of the second release": (("SIZE=LP_LAMP_STRUCT_SIZE_1_1_0", "DIM=NULL"), _GIVES),
    "a plugin of the second release that counts its padding": (("SIZE=offsetof(LP_Lamp,dim)", "DIM=NULL"), _GIVES),
    "a plugin that sets what is deprecated, and what replaces it": (("COLOUR=7",), _GIVES),
    "a plugin of the first release that sets what is deprecated today": (
        ("COLOUR=7", "SIZE=LP_LAMP_STRUCT_SIZE_1_0_0", "DIM=NULL"),
        _GIVES,
    ),
}

REFUSED = {
    "a newer plugin, which writes behind the end": (
        ("SIZE=sizeof(LP_Lamp)+1",),
        "[LP_Lamp.struct_size ]: LP_Lamp.struct_size is 49, but core has provided 48 bytes: "
        "the plugin is newer than core and writes behind the end",
    ),
    "a newer major version": (
        ("MAJOR=2",),
        "[LC_Start.plugin_major ]: the plugin was built with major version 2 of lamp, core with 1: "
        "core is older and must be updated",
    ),
    "an older major version": (
        ("MAJOR=0",),
        "[LC_Start.plugin_major ]: the plugin was built with major version 0 of lamp, core with 1: "
        "the plugin is older and must be updated",
    ),
    "another entry point": (("ENTRY=Lampe_Start",), "[. ]: {path} is no plugin for lamp: it exports no Lamp_Start"),
    "a missing callback": (
        ("SWITCH_ON=NULL",),
        "[LP_Lamp.switch_on 1.0.0]: LP_Lamp.switch_on is NULL, but required since 1.0.0",
    ),
    "a callback of the latest release that is missing": (
        ("DIM=NULL",),
        "[LP_Lamp.dim 1.2.0]: LP_Lamp.dim is NULL, but required since 1.2.0",
    ),
    "a size of 0": (
        ("SIZE=0",),
        "[LP_Lamp.struct_size 1.0.0]: LP_Lamp.struct_size is 0, but the struct has at least 28 bytes since 1.0.0",
    ),
    "a size below that of the first release": (
        ("SIZE=LP_LAMP_STRUCT_SIZE_1_0_0-1",),
        "[LP_Lamp.struct_size 1.0.0]: LP_Lamp.struct_size is 27, but the struct has at least 28 bytes since 1.0.0",
    ),
    "a size that cuts a member in two": (
        ("SIZE=44",),
        "[LP_Lamp.struct_size 1.2.0]: LP_Lamp.struct_size is 44, the size in no release: "
        "it is 33 before 1.2.0, and 48 from there on",
    ),
    "an object of the plugin's own": (
        ("LAMP=&own",),
        "[. ]: LC_Start.lamp points to an object of the plugin; it has to set the one that the core provides",
    ),
    "an object that has gone": (
        ("LAMP=NULL",),
        "[LC_Start.lamp 1.0.0]: LC_Start.lamp is NULL, but required since 1.0.0",
    ),
    "a plugin that refuses core": (("RESULT=7",), "[. ]: the plugin refused lamp 1.2.0: Lamp_Start returned 7"),
}


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory, generated: Generated) -> Path:
    """A core that AddressSanitizer and UndefinedBehaviorSanitizer watch."""
    program = tmp_path_factory.mktemp("core") / "core"
    sources = (HERE / "lamp_core.c", *generated.linked("lamp/lamp"))
    options = ("-std=c99", *WARNINGS, *SANITIZED, *generated.include)
    assert compiled("gcc", *options, *sources, "-ldl", "-o", program) == ""
    return program


@pytest.mark.first_case
@pytest.mark.parametrize("what", ACCEPTED)
def test_a_core_accepts(what: str, core: Path, generated: Generated, tmp_path: Path) -> None:
    macros, expected = ACCEPTED[what]
    library = plugin(tmp_path / "lamp.so", HERE / "lamp_plugin.c", generated, macros)
    done = run(core, library)
    assert (done.code, done.stderr, done.stdout) == (0, "", expected)


@pytest.mark.parametrize("what", REFUSED)
def test_a_core_refuses(what: str, core: Path, generated: Generated, tmp_path: Path) -> None:
    macros, expected = REFUSED[what]
    library = plugin(tmp_path / "lamp.so", HERE / "lamp_plugin.c", generated, macros)
    # Nothing of a plugin that has written behind the end is called, so what it took is not freed.
    leaks = ("env", "ASAN_OPTIONS=detect_leaks=0") if "behind the end" in what else ()
    done = run(core, library, under=leaks)
    assert (done.code, done.stderr) == (0, "")
    assert f"error {expected.format(path=library)}\n" in done.stdout
    assert "gives" not in done.stdout


def test_a_core_refuses_what_is_no_library(core: Path, tmp_path: Path) -> None:
    text = tmp_path / "text.so"
    text.write_text("no library\n")
    empty = tmp_path / "empty.so"
    empty.touch()
    for path in (text, empty, tmp_path, tmp_path / "missing.so"):
        done = run(core, path)
        assert (done.code, done.stderr) == (0, "")
        assert done.stdout.startswith(f"error [. ]: cannot load {path}: ")
    assert run(core, "-").stdout == "error [. ]: there is no path to load a plugin from\n"


def test_a_core_refuses_a_library_that_is_no_plugin(core: Path) -> None:
    name = ctypes.util.find_library("m") or "libm.so.6"
    done = run(core, name)
    assert done.stdout == f"error [. ]: {name} is no plugin for lamp: it exports no Lamp_Start\n"


@pytest.mark.ci
@pytest.mark.parametrize(
    "under", [(), ("valgrind", "-q", "--leak-check=full", "--error-exitcode=9")], ids=["", "valgrind"]
)
def test_every_way_out_frees_what_it_took(under: tuple[str, ...], generated: Generated, tmp_path: Path) -> None:
    if under:
        require("valgrind")
    program = tmp_path / "core"
    options = ("-std=c11", "-g", *WARNINGS, *(SANITIZED if not under else ()), *generated.include)
    sources = (HERE / "lamp_core.c", *generated.linked("lamp/lamp"))
    assert compiled("gcc", *options, *sources, "-ldl", "-o", program) == ""
    freed = [REFUSED[what] for what in REFUSED if "behind the end" not in what]
    libraries = [
        plugin(tmp_path / f"lamp{at}.so", HERE / "lamp_plugin.c", generated, macros)
        for at, (macros, _) in enumerate((*ACCEPTED.values(), *freed))
    ]
    done = run(program, *libraries, "-", tmp_path / "missing.so", under=under)
    assert (done.code, done.stderr) == (0, "")
    assert done.stdout.count("gives") == len(ACCEPTED)


@pytest.mark.ci
def test_an_entry_point_may_return_the_plugin_s_table(generated: Generated, tmp_path: Path) -> None:
    plugin_text = """#include "table.h"
static int run(void) { return 5; }
static const table_t table = {SIZE, MAJOR, run, 0};
const table_t* table_get(void) { return TABLE; }
"""
    core_text = """#include <stdio.h>
#include "table_checks.h"
static void show(const TBL_Finding* finding, void* context) { (void)context; printf("%s\\n", finding->message); }
int main(int argc, char** argv) {
  table_get_library library;
  (void)argc;
  table_get_prepare(&library);
  if (table_get_load(&library, argv[1], show, NULL) == 0) printf("ran %d\\n", library.result->run());
  table_get_unload(&library);
  return 0;
}
"""
    (tmp_path / "plugin.c").write_text(plugin_text)
    (tmp_path / "core.c").write_text(core_text)
    program = tmp_path / "core"
    options = ("-std=c11", *WARNINGS, *SANITIZED, *generated.include)
    assert compiled("gcc", *options, tmp_path / "core.c", *generated.linked("table"), "-ldl", "-o", program) == ""
    cases = {
        ("TABLE=&table", "MAJOR=2", "SIZE=offsetof(table_t,stop)"): "ran 5\n",
        ("TABLE=&table", "MAJOR=2", "SIZE=sizeof(table_t)"): "table_t.stop is NULL, but required since 2.1.0\n",
        ("TABLE=&table", "MAJOR=3", "SIZE=4"): (
            "table_t.size is 4, but the struct has at least 16 bytes since 2.0.0\n"
        ),
        ("TABLE=&table", "MAJOR=3", "SIZE=24"): (
            "the plugin was built with major version 3 of table, core with 2: core is older and must be updated\n"
        ),
        ("TABLE=NULL", "MAJOR=2", "SIZE=0"): "the plugin refused table 2.1.0: table_get returned NULL\n",
    }
    for macros, expected in cases.items():
        library = plugin(tmp_path / "table.so", tmp_path / "plugin.c", generated, macros)
        assert run(program, library).stdout == expected
