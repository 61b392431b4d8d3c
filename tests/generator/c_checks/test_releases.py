"""Plugins of older releases stay valid when a release adds an optional table."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.generator.build.building import abigen
from tests.generator.c_checks.building import SANITIZED, SPEC, WARNINGS, Generated, compiled, generate

_CODEC = (SPEC / "codec.yaml").read_text()

PLUGIN = """
#include <string.h>
#include "codec_helpers.h"
static int decode(const char* data) { return data != NULL; }
#if CD_MINOR >= 1
static int create(int level) { return level; }
static int encode(const char* data) { return data != NULL; }
#endif
int CD_InitPlugin(CD_Registration* registration) {
  CDP_DecoderFns* const decoder = registration->decoder;
  registration->name = "codec";
  CDP_DecoderFns_Init(decoder, decoder->struct_size);
  decoder->decode = decode;
#if CD_MINOR >= 1
  if (CD_REGISTRATION_HAS_FIELD(registration, encoder)) {
    CDP_EncoderFns* const encoder = registration->encoder;
    CDP_EncoderFns_Init(encoder, encoder->struct_size);
    encoder->encode = encode;
    if (!HALF) encoder->create = create;
  }
#endif
  return 0;
}
"""
CORE = """
#include <stdio.h>
#include "codec_checks.h"
static void tell(const CD_Finding* finding, void* context) {
  (void)context;
  puts(finding->message);
}
int main(int count, char** arguments) {
  CD_InitPlugin_Library library;
  CD_InitPlugin_Prepare(&library);
  if (count < 2 || !CD_InitPlugin_Load(&library, arguments[1], tell, NULL)) return 1;
  CD_InitPlugin_Unload(&library);
  return 0;
}
"""
VIEW = """
#include <cstdio>
#include <cstring>
#include "codec.hpp"
static int number(int value) { return value; }
static int text(const char*) { return 2; }
static int none() { return 3; }
int main() {
  CDP_EncoderFns table = {};
  table.struct_size = offsetof(CDP_EncoderFns, flush);  // as a plugin of 1.1.0 states it
  table.create = number;
  table.encode = text;
  const cd::EncoderFnsView older(&table);
  const bool accepts = older && older.create(1) == 1 && !older.flush().has_value();
  table.struct_size = sizeof(table);
  const cd::EncoderFnsView newer(&table);
  const bool refuses = !newer && std::strcmp(newer.Missing(), "flush") == 0;
  table.flush = none;
  const cd::EncoderFnsView whole(&table);
  return accepts && refuses && whole && whole.flush().value() == 3 ? 0 : 1;
}
"""


@pytest.fixture(scope="module")
def releases(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Generated]:
    """Return the output for the newest release, and for the first."""
    made = {}
    for release in ("1.0.0", "1.1.0", "1.2.0"):
        folder = tmp_path_factory.mktemp(release)
        (folder / "spec").mkdir()
        (folder / "spec/codec.yaml").write_text(_at(release))
        made[release] = generate(folder / "out", folder / "spec")
    return made


def _at(release: str) -> str:
    """Return the spec as it was."""
    newer = {"1.0.0": ("1.1.0", "1.2.0"), "1.1.0": ("1.2.0",), "1.2.0": ()}[release]
    lines = _CODEC.replace("version: 1.2.0", f"version: {release}").splitlines(keepends=True)
    kept: list[str] = []
    inside = True
    for line in lines:
        if line.startswith(("  - name: CDP_EncoderFns", "  - name: CD_Registration")):
            inside = release != "1.0.0" or "Encoder" not in line
        if inside and not any(f"since: {each}" in line for each in newer):
            kept.append(line)
    return "".join(kept)


def _plugin(folder: Path, made: Generated, options: Sequence[str] = ("-DHALF=0",)) -> Path:
    source, library = folder / "plugin.c", folder / "plugin.so"
    source.write_text(PLUGIN)
    assert not compiled("gcc", *WARNINGS, *options, *made.include, "-shared", "-fPIC", source, "-o", library)
    return library


def _loaded(folder: Path, made: Generated, library: Path) -> str:
    """Return the findings of a core of a release about a plugin."""
    source, core = folder / "core.c", folder / "core"
    source.write_text(CORE)
    said = compiled("gcc", *WARNINGS, *SANITIZED, *made.include, source, *made.sources, "-ldl", "-o", core)
    assert not said
    return subprocess.run([core, library], capture_output=True, text=True, check=False).stdout


@pytest.mark.ci
@pytest.mark.parametrize("release", ["1.0.0", "1.1.0"])
def test_a_core_loads_plugins_of_older_releases(release: str, releases: dict[str, Generated], tmp_path: Path) -> None:
    assert _loaded(tmp_path, releases["1.2.0"], _plugin(tmp_path, releases[release])) == ""


@pytest.mark.ci
def test_a_plugin_of_the_release_itself_has_to_have_all(releases: dict[str, Generated], tmp_path: Path) -> None:
    said = _loaded(tmp_path, releases["1.2.0"], _plugin(tmp_path, releases["1.2.0"]))
    assert said == "CDP_EncoderFns.flush is NULL, but required since 1.2.0\n"


def test_a_table_that_is_filled_in_part_is_refused(releases: dict[str, Generated], tmp_path: Path) -> None:
    library = _plugin(tmp_path, releases["1.1.0"], ("-DHALF=1",))
    assert _loaded(tmp_path, releases["1.2.0"], library) == (
        "CDP_EncoderFns.create is NULL, but required since 1.1.0\n"
    )


@pytest.mark.ci
def test_verify_accuses_no_plugin_of_an_older_release(releases: dict[str, Generated], tmp_path: Path) -> None:
    (tmp_path / "spec").mkdir()
    (tmp_path / "spec/codec.yaml").write_text(_CODEC)
    done = abigen("verify", "--api", "codec", "--quick", _plugin(tmp_path, releases["1.0.0"]), cwd=tmp_path)
    assert (done.code, "error" in done.stdout) == (0, False), done.stdout


@pytest.mark.ci
def test_a_view_in_c_plus_plus_misses_only_what_the_table_knows(tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = abigen("build", "--no-cache", "--target", "c", "--target", "cpp", "--spec-dir", SPEC, "--out", out)
    assert done.code == 0, done.stderr
    (tmp_path / "view.cc").write_text(VIEW)
    include = (f"-I{out / 'c'}", f"-I{out / 'cpp'}")
    program = tmp_path / "view"
    assert not compiled("g++", "-std=c++17", *WARNINGS, *SANITIZED, *include, tmp_path / "view.cc", "-o", program)
    assert subprocess.run([program], check=False).returncode == 0


def test_a_later_table_that_is_not_optional_is_refused(tmp_path: Path) -> None:
    (tmp_path / "codec.yaml").write_text(_CODEC.replace("optional: true, ", ""))
    done = abigen("build", "codec.yaml", "--no-cache", cwd=tmp_path)
    assert (done.code, done.stderr.partition("\n")[0]) == (
        2,
        "codec.yaml:28:16: error: plugins from before 1.1.0 leave what 'encoder' points to empty, "
        "but CDP_EncoderFns.create is required",
    )
    assert not (tmp_path / "generated").exists()
