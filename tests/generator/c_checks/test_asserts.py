"""Asserts of layouts: right on every platform, broken by every change of a layout, and never changed once released."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from abigen.generator.c_checks.target import outputs
from abigen.generator.publication import Publication
from abigen.generator.templates import Templates
from abigen.model.version import Version
from abigen.specs.spec_reader import read_spec
from abigen.workspace.files import Files
from abigen.workspace.options import ReadOptions, SourceFile
from abigen.workspace.shipped import shipped
from tests.generator.c_checks.building import SPEC, WARNINGS, Generated, all_shipped, compiled
from tests.sampling import covering_pairs, short_form
from tests.tools import require

_OPTIONS = ReadOptions(targets=("x86_64-linux-gnu",), cache=False)

COMPILERS = covering_pairs((("gcc", "clang"), ("c99", "c11", "c17", "c2x")), (("g++", "clang++"), ("c++11", "c++17")))

PLATFORMS = (
    "x86_64-linux-gnu",
    "i686-linux-gnu",
    "aarch64-linux-gnu",
    "armv7-linux-gnueabihf",
    "riscv64-linux-gnu",
    "powerpc64le-linux-gnu",
    "s390x-linux-gnu",
    "x86_64-apple-darwin",
    "arm64-apple-darwin",
    "x86_64-pc-windows-msvc",
    "i686-pc-windows-msvc",
    "x86_64-pc-windows-gnu",
    "i686-pc-windows-gnu",
    "wasm32-wasi",
)


def _made(text: str, release: str = "") -> dict[str, str]:
    """Return all files that the target makes of a spec as of a release."""
    at = Version(*(int(each) for each in release.split("."))) if release else None
    api = read_spec(SourceFile("lamp.yaml", "lamp.yaml", text), _OPTIONS, at).groups[0].api
    made = outputs(Publication(api, "spec/lamp.yaml", ""), Templates((), shipped("templates"), Files()))
    return {each.path: each.text for each in made}


def test_the_asserts_of_a_release_are_the_same_bytes_from_every_later_spec() -> None:
    text = (SPEC / "lamp.yaml").read_text()
    later = text.replace("version: 1.2.0\n", "version: 1.3.0\n").replace(
        "functions:\n",
        "  - {name: LP_Shade, since: 1.3.0, fields: [{name: a, type: int}]}\nfunctions:\n",
    )
    later = later.replace(
        "  - name: LC_Start\n",
        "      - {name: wide, type: LP_Point, since: 1.3.0, zero: no-op}\n  - name: LC_Start\n",
    )
    now, then = _made(text), _made(later)
    assert "lamp/lamp_asserts_1_3_0.h" in then and then["lamp/lamp_asserts.h"] != now["lamp/lamp_asserts.h"]
    for release in ("1.0.0", "1.1.0", "1.2.0"):
        path = f"lamp/lamp_asserts_{release.replace('.', '_')}.h"
        assert _made(text, release)[path] == now[path] == then[path]


def test_each_release_asserts_what_it_had() -> None:
    made = _made((SPEC / "lamp.yaml").read_text())
    assert "LP_Lamp, rgb" not in made["lamp/lamp_asserts_1_0_0.h"]
    assert "LP_Lamp, rgb" in made["lamp/lamp_asserts_1_1_0.h"]
    assert "LP_Lamp, dim" not in made["lamp/lamp_asserts_1_1_0.h"]
    assert "LAMP_MAJOR == 1 && LAMP_MINOR == 1 && LAMP_PATCH == 0" in made["lamp/lamp_asserts_1_1_0.h"]


@pytest.mark.ci
@pytest.mark.parametrize(("compiler", "standard"), COMPILERS)
def test_asserts_hold_for_every_compiler_and_standard(generated: Generated, compiler: str, standard: str) -> None:
    language = "c++" if "++" in compiler else "c"
    for each in (generated, *all_shipped()):
        headers = [path for path in each.headers if language == "c" or path.name != "tail_asserts.h"]
        options = (f"-std={standard}", *WARNINGS, *each.include, "-fsyntax-only", "-x", language)
        assert compiled(compiler, *options, *headers) == ""


@pytest.mark.ci
@pytest.mark.parametrize("platform", short_form(PLATFORMS, 3, in_ci=True))
def test_asserts_hold_on_other_platforms(generated: Generated, tmp_path: Path, platform: str) -> None:
    require("clang")
    headers = [path for path in generated.headers if "_asserts" in path.name]
    options = (f"--target={platform}", "-std=c11", "-ffreestanding", "-nostdlibinc", *generated.include)
    assert compiled("clang", *options, "-fsyntax-only", "-x", "c", *headers) == ""
    # The asserts are there at all: a number that is wrong is noticed.
    header = next(path for path in headers if path.name == "lamp_asserts_1_0_0.h")
    spoiled = tmp_path / "spoiled.h"
    line = r"(LAMP_1_0_0_OFFSET\(LP_Lamp, colour, LAMP_1_0_0_PICK\()[^)]*\)"
    text = re.sub(
        line,
        lambda match: f"{match[1]}{', '.join('9' for _ in match[0].split('PICK(')[1].split(','))})",
        header.read_text(),
    )
    spoiled.write_text(text)
    said = compiled("clang", *options, "-fsyntax-only", "-x", "c", spoiled)
    assert "LP_Lamp.colour has moved: its offset is 9 in 1.0.0" in said


MOVES = {
    "a member that moved": (
        "int (*switch_on)(void);",
        "int64_t wedge;\n  int (*switch_on)(void);",
        "LP_Lamp.switch_on has moved: its offset is 16 in 1.0.0",
    ),
    "a member of another size": (
        "int32_t colour;",
        "int8_t colour;",
        "LP_Lamp.colour has another size: it is 4 in 1.0.0",
    ),
    "a struct of one size that grew": (
        "} LP_Point;",
        "int32_t z;\n} LP_Point;",
        "LP_Point has another size: it is 16 in 1.0.0",
    ),
    "a struct that is packed": (
        "typedef struct LP_Point {",
        "typedef struct __attribute__((packed)) LP_Point {",
        "LP_Point has another alignment: it is 8 in 1.0.0",
    ),
}


@pytest.mark.parametrize("what", MOVES)
@pytest.mark.parametrize(("compiler", "standard"), [("gcc", "c99"), ("clang", "c11"), ("g++", "c++17")])
def test_a_broken_promise_fails_the_build_and_says_what_broke(
    what: str, compiler: str, standard: str, generated: Generated, tmp_path: Path
) -> None:
    old, new, message = MOVES[what]
    text = (generated.folder / "c/lamp/lamp.h").read_text()
    changed = re.sub(re.escape(old).replace(r"\ ", r"\s+"), lambda _: new, text)
    assert changed != text
    (tmp_path / "lamp").mkdir()
    (tmp_path / "lamp/lamp.h").write_text(changed)
    language = "c++" if "++" in compiler else "c"
    options = (f"-std={standard}", f"-I{tmp_path}", *generated.include, "-fsyntax-only", "-x", language)
    assert message in compiled(compiler, *options, generated.folder / "c-checks/lamp/lamp_asserts.h")


def test_a_member_that_is_appended_to_a_struct_that_states_its_size_breaks_no_older_promise(
    generated: Generated, tmp_path: Path
) -> None:
    text = (generated.folder / "c/lamp/lamp.h").read_text()
    changed = text.replace("} LP_Lamp;", "int64_t more;\n} LP_Lamp;").replace("LAMP_MINOR 2", "LAMP_MINOR 3")
    (tmp_path / "lamp").mkdir()
    (tmp_path / "lamp/lamp.h").write_text(changed)
    options = ("-std=c11", f"-I{tmp_path}", *generated.include, "-fsyntax-only", "-x", "c")
    assert compiled("gcc", *options, generated.folder / "c-checks/lamp/lamp_asserts.h") == ""
