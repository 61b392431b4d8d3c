"""Extensions: what is made of a struct that begins with a base, and how the chain that it hangs on is checked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.generator.build.building import abigen
from tests.generator.c_checks.building import SANITIZED, WARNINGS, Generated, compiled, run
from tests.generator.cpp.building import Generated as Headers
from tests.generator.python.building import load_package
from tests.generator.rust.building import crate, tools
from tests.running import run_here

HERE = Path(__file__).parent

FOUND = {
    "whole": "",
    "none": "",
    "older": "",
    "small": "CH_Device extensions: CH_Device.extensions: extension 3 has a struct_size of 8, but each has at least 24"
    " bytes\n",
    "cut": "CH_Light base.struct_size: CH_Light.base.struct_size is 24, but the struct has at least 32 bytes since"
    " 1.0.0\n",
    "unset": "CH_Light toggle: CH_Light.toggle is NULL, but required since 1.0.0\n",
    "loop": "CH_Device extensions: CH_Device.extensions: the chain of extensions has no end\n",
    "itself": "CH_Device extensions: CH_Device.extensions: the chain of extensions has no end\n",
    "kind": "CH_Sound base.kind: CH_Sound.base.kind is not CH_SOUND\n",
}
"""The faults of a chain, with the expected findings."""


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the output for the spec."""
    out = tmp_path_factory.mktemp("chain")
    done = abigen("build", "--no-cache", "--spec-dir", HERE / "spec", "--out", out)
    assert done.code == 0, done.stderr
    return out


@pytest.fixture(scope="module", params=["gcc -std=c99", "clang++ -xc++ -std=c++17"])
def core(request: pytest.FixtureRequest, generated: Path) -> Path:
    """A program that checks chains."""
    compiler, *options = str(request.param).split()
    made, program = Generated(generated), generated / compiler
    sources = [HERE / "core.c", *made.linked("chain")]
    assert compiled(compiler, *options, *WARNINGS, *SANITIZED, *made.include, *sources, "-ldl", "-o", program) == ""
    return program


@pytest.mark.ci
@pytest.mark.parametrize("what", FOUND)
def test_a_chain_is_walked_to_its_end_and_each_extension_is_checked(what: str, core: Path) -> None:
    done = run(core, what)
    found = FOUND[what]
    assert (done.code, done.stdout, done.stderr) == (found.count("\n"), found, "")


@pytest.mark.ci
def test_a_table_of_cpp_says_which_extension_it_is(generated: Path) -> None:
    source, program = generated / "fill.cc", generated / "fill"
    source.write_text(
        '#include "chain.hpp"\n'
        "struct Mine : ch::LightFns<Mine> { static void toggle(std::int32_t) {} };\n"
        "int main() {\n"
        "  CH_Light light; CH_Extension base;\n"
        "  const bool whole = Mine::Fill(&light, sizeof(light)) == CH_LIGHT_STRUCT_SIZE;\n"
        "  const bool known = light.base.kind == CH_LIGHT && light.base.struct_size == CH_LIGHT_STRUCT_SIZE;\n"
        "  const auto cut = Mine::Fill(reinterpret_cast<CH_Light*>(&base), sizeof(base));\n"
        "  return !(whole && known && light.toggle && cut == sizeof(base) && base.kind == CH_LIGHT);\n"
        "}\n"
    )
    include = Headers(generated).include
    assert compiled("g++", "-std=c++17", *WARNINGS, *SANITIZED, *include, source, "-o", program) == ""
    assert run(program).code == 0


def test_an_object_of_python_says_which_extension_it_is(generated: Path) -> None:
    package: Any = load_package(generated / "python", "chains.chain")
    called: list[int] = []
    light = package.CH_Light(toggle=called.append)
    assert (light.base.struct_size, light.base.kind) == (package.CH_Light.unpadded_size, package.CH_Kind.CH_LIGHT)
    light.toggle(2)
    assert light.has("colour") and called == [2]
    light.colour = 7
    older = package.CH_Light.for_release("1.0.0")
    assert older.base.kind == package.CH_Kind.CH_LIGHT and not older.has("colour")
    for each in (lambda: older.colour, lambda: setattr(older, "colour", 1)):
        with pytest.raises(package._rt.FieldNotAvailable, match=r"CH_Light\.colour"):
            each()
    assert light.colour == 7


def test_an_object_of_rust_says_which_extension_it_is(generated: Path) -> None:
    body = """
use chain::*;
fn main() {
    let light = CH_Light::new();
    assert!(light.base.kind == CH_LIGHT && light.base.struct_size == CH_LIGHT_STRUCT_SIZE);
    let mut other = CH_Sound { loudness: 3, ..CH_Sound::new() };
    other.base.kind = CH_NOTHING;
    assert_eq!(unsafe { abigen_v1::start(&mut other, core::mem::size_of::<CH_Extension>() - 1) }, 0);
    assert!(other.base.kind == CH_NOTHING);
    assert_eq!(unsafe { abigen_v1::start(&mut other, CH_SOUND_STRUCT_SIZE) }, CH_SOUND_STRUCT_SIZE);
    assert!(other.base.kind == CH_SOUND && other.loudness == 0);
}
"""
    source = crate(generated, sorted(generated.rglob("*.rs")), head="#![allow(dead_code)]", body=body)
    assert compiled(tools("rustc")[0], "--edition=2021", source, "-o", generated / "rusty") == ""
    assert run(generated / "rusty").code == 0


def test_documentation_and_comments_say_what_is_an_extension(generated: Path) -> None:
    header = (generated / "c" / "chain.h").read_text()
    assert "An extension; its type is `CH_LIGHT`." in header


def test_an_extension_that_is_known_by_another_value_breaks(tmp_path: Path) -> None:
    text = (HERE / "spec" / "chain.yaml").read_text()
    for name, kind in (("old", "CH_SOUND"), ("new", "CH_NOTHING")):
        (tmp_path / f"{name}.yaml").write_text(text.replace("extension: CH_SOUND", f"extension: {kind}"))
    done = run_here(["diff", "old.yaml", "new.yaml"], tmp_path)
    assert done.code == 1
    assert "ABI613 agreement-changed" in done.stdout and "the value that identifies it" in done.stdout


def test_an_extension_may_get_members_at_its_end(tmp_path: Path) -> None:
    text = (HERE / "spec" / "chain.yaml").read_text()
    more = text.replace(
        "type: int32_t}]\n", "type: int32_t}, {name: tone, type: int32_t, since: 1.1.0, zero: no-op}]\n"
    )
    assert more != text
    (tmp_path / "old.yaml").write_text(text)
    (tmp_path / "new.yaml").write_text(more.replace("1.1.0", "1.2.0"))
    done = run_here(["diff", "old.yaml", "new.yaml"], tmp_path)
    assert done.code == 0, done.stdout
    assert "field-appended: CH_Sound.tone" in done.stdout


def test_an_imported_header_has_its_extensions(generated: Path, tmp_path: Path) -> None:
    done = run_here(["import", "--no-config", str(generated / "c" / "chain.h"), "--filled-by", "CH_=plugin"], tmp_path)
    assert done.code == 0, done.stderr
    spec = {each["name"]: each for each in yaml.safe_load((tmp_path / "spec" / "chain.yaml").read_text())["structs"]}
    assert spec["CH_Extension"]["next_extension"] == "next"
    assert {name: each.get("extension") for name, each in spec.items()} == {
        "CH_Extension": None,
        "CH_Device": None,
        "CH_Light": "CH_LIGHT",
        "CH_Sound": "CH_SOUND",
    }
