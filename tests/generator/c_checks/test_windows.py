"""Generated checks on Windows: they compile, and load, refuse and unload plugins there as elsewhere."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.generator.c_checks.building import HERE, WARNINGS, Generated, all_shipped, compiled
from tests.generator.c_checks.test_loader import ACCEPTED, REFUSED
from tests.tools import require

_COMPILER = "x86_64-w64-mingw32-gcc-win32"
_PLUGINS = {
    "accepted.dll": (*ACCEPTED["a plugin of the first release"],),
    "padded.dll": (*ACCEPTED["a plugin that counts the padding behind the last member"],),
    "newer.dll": (*REFUSED["a newer plugin, which writes behind the end"],),
    "major.dll": (*REFUSED["a newer major version"],),
    "entry.dll": (*REFUSED["another entry point"],),
    "callback.dll": (*REFUSED["a missing callback"],),
    "size.dll": (*REFUSED["a size of 0"],),
}


@pytest.mark.ci
@pytest.mark.parametrize(("compiler", "standard"), [(_COMPILER, "c99"), ("i686-w64-mingw32-gcc-win32", "c17")])
def test_checks_compile_for_windows(generated: Generated, compiler: str, standard: str) -> None:
    for each in (generated, *all_shipped()):
        options = (f"-std={standard}", *WARNINGS, "-Wshadow", "-Wcast-qual", *each.include)
        assert compiled(compiler, *options, "-fsyntax-only", *each.sources) == ""


@pytest.mark.ci
def test_a_core_loads_and_refuses_plugins_on_windows(generated: Generated, tmp_path: Path) -> None:
    (wine,) = require("wine")
    options = ("-std=c11", *WARNINGS, *generated.include)
    sources = (HERE / "lamp_core.c", *generated.linked("lamp/lamp"))
    assert compiled(_COMPILER, *options, *sources, "-o", tmp_path / "core.exe") == ""
    for name, (macros, _) in _PLUGINS.items():
        defines = [f"-D{each}" for each in macros]
        arguments = ("-shared", *generated.include, *defines, HERE / "lamp_plugin.c", "-o", tmp_path / name)
        assert compiled(_COMPILER, *arguments) == ""
    (tmp_path / "text.dll").write_text("no library\n")
    environment = os.environ | {
        "WINEPREFIX": str(tmp_path / "prefix"),
        "WINEDEBUG": "-all",
        "WINEDLLOVERRIDES": "mscoree,mshtml=",
    }
    paths = [*_PLUGINS, "./accepted.dll", "text.dll", ".\\missing.dll", "kernel32.dll", "-"]
    done = subprocess.run(
        [wine, "core.exe", *paths],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    lines = done.stdout.splitlines()
    expected = [
        said.format(path=name) for name, (_, said) in _PLUGINS.items() if name not in ("accepted.dll", "padded.dll")
    ]
    assert done.returncode == 0, done.stderr
    assert lines[:2] == ["lamp gives 42"] * 2
    assert lines[2:7] == [f"error {each}" for each in expected]
    assert lines[7] == "lamp gives 42"
    assert lines[8].startswith("error [. ]: cannot load text.dll: ") and lines[8][-1] not in " ."
    assert lines[9].startswith("error [. ]: cannot load .\\missing.dll: ")
    assert lines[10:] == [
        "error [. ]: kernel32.dll is no plugin for lamp: it exports no Lamp_Start",
        "error [. ]: there is no path to load a plugin from",
    ]
