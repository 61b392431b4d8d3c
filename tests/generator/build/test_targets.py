"""Targets that do not come with abigen, and the model as JSON."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from tests.generator.build.building import REPOSITORY, Run, abigen
from tests.readme.blocks import read
from tests.running import run_apart, run_here

PAGE = REPOSITORY / "docs" / "targets.md"
_CODE = "from pathlib import Path\nPath('ran').write_text('')\nMODEL_VERSION = 1\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The files that the page shows."""
    text = PAGE.read_text()
    for block in read(PAGE):
        if block.path:
            path = tmp_path / block.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text)
    template = text.partition("```jinja\n")[2].partition("```")[0]
    path = tmp_path / template.split()[1]
    path.parent.mkdir(parents=True)
    path.write_text(template)
    return tmp_path


def test_the_page_shows_a_target_that_works(folder: Path) -> None:
    (console,) = (each.text for each in read(PAGE) if each.language == "console")
    command, said, _, listed = console.splitlines()
    done = run_here(command.removeprefix("$ abigen ").split(), folder)
    assert (done.code, done.stdout) == (0, said + "\n"), done.stderr
    assert (folder / "generated" / "names" / "functions.txt").read_text() == listed + "\n"
    assert abigen("build", "--check", "--target", "./names", cwd=folder).code == 0


@pytest.mark.ci
def test_an_installed_package_brings_a_target(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "names").rename(folder / "acme_names")
    (folder / "acme_names" / "__init__.py").write_text("")
    info = folder / "acme_names-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-names\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[abigen.targets]\nnames = acme_names.target\n")
    monkeypatch.setenv("PYTHONPATH", f"{folder}:{REPOSITORY}")
    done = run_apart(["build", "--target", "names"], folder)
    assert (done.code, done.stdout) == (0, "wrote 1 file to generated from 1 spec\n"), done.stderr


def test_the_target_for_rust_is_one_that_could_come_from_outside(tmp_path: Path) -> None:
    own = REPOSITORY / "abigen" / "emit" / "rust"
    shutil.copytree(own, tmp_path / "ferris", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(REPOSITORY / "templates" / "rust", tmp_path / "ferris" / "templates" / "ferris")
    target = tmp_path / "ferris" / "target.py"
    target.write_text(target.read_text().replace('"rust/', '"ferris/'))
    options = ("--no-cache", "--spec-dir", REPOSITORY / "tests" / "emit" / "spec", "--out", tmp_path)
    done = abigen("build", "--target", f"{tmp_path}/ferris", "--target", "rust", *options)
    assert done.code == 0, done.stderr
    made = {each.name: each.read_text() for each in (tmp_path / "ferris").glob("*.rs")}
    assert made == {each.name: each.read_text() for each in (tmp_path / "rust").glob("*.rs")}
    assert len(made) > 2
    imported = {name for each in own.glob("*.py") for name in re.findall(r"^from (abigen\S+)", each.read_text(), re.M)}
    assert {each for each in imported if f"`{each}" not in PAGE.read_text()} == set()


def test_a_target_has_no_filter_of_the_one_before(folder: Path) -> None:
    template = folder / "mine" / "rust" / "module.rs.j2"
    template.parent.mkdir(parents=True)
    template.write_text("{{ module.path | comment }}\n")
    done = run_here(["build", "--target", "c", "--target", "rust", "--templates", "mine"], folder)
    assert done.code == 2
    assert "module.rs.j2:1:1: error: template: No filter named 'comment'" in done.stderr


def test_nothing_in_a_repository_names_a_target(folder: Path) -> None:
    for name in ("c", "names"):
        (folder / name).mkdir(exist_ok=True)
        (folder / name / "target.py").write_text(_CODE)
    assert run_here(["build", "--target", "c"], folder).code == 0
    assert run_here(["build"], folder).code == 0
    assert not (folder / "ran").exists()
    (folder / "abigen.toml").write_text('target = "./names"\n')
    assert run_here(["diff", "spec/bell.yaml", "spec/bell.yaml"], folder).code == 2
    (folder / "abigen.toml").unlink()
    (folder / "spec" / "bell.yaml").write_text("abigen: 1\napi: bell\nprefix: BE\ntarget: ./names\n")
    assert run_here(["build"], folder).code == 2
    assert not (folder / "ran").exists()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("MODEL_VERSION = 1", "MODEL_VERSION = 7"), "target 'names' is for version 7 of the model, and this is 1"),
        (("def outputs", "def others"), "target 'names' has no function outputs(publication, templates)"),
        (
            ("yield Gen", "1 / 0; yield Gen"),
            "target.py:16:1: error: target 'names': ZeroDivisionError: division by zero",
        ),
        (("MODEL_VERSION = 1", "from . import nothing"), "error: target 'names': ImportError: cannot import"),
    ],
)
def test_a_target_that_cannot_be_used_is_refused(folder: Path, change: tuple[str, str], message: str) -> None:
    path = folder / "names" / "target.py"
    path.write_text(path.read_text().replace(*change))
    done = run_here(["build", "--target", "./names"], folder)
    assert done.code == 2
    assert message in done.stderr
    assert not (folder / "generated").exists()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("pyton", "there is no target 'pyton'\n  hint: did you mean 'python'?"),
        ("./spec", "./spec is not the folder of a target: it has no target.py"),
    ],
)
def test_a_target_that_is_not_there_is_an_error(folder: Path, name: str, message: str) -> None:
    done = run_here(["build", "--target", name], folder)
    assert done.code == 2
    assert message in done.stderr


def _dumped(*arguments: str) -> Run:
    return run_here(["build", "--dump-model", "--no-cache", *arguments], REPOSITORY)


def test_the_model_is_printed_as_json() -> None:
    done = _dumped("tensorflow/stream_executor")
    document = json.loads(done.stdout)
    assert document["model_version"] == 1
    first = document["publications"][0]
    assert (first["spec"], first["group"]) == ("spec/tensorflow/stream_executor.yaml", "tensorflow")
    assert first["api"]["header"]["api"] == "stream_executor"
    platform = first["api"]["structs"]["SP_Platform"]
    assert platform["class"] == "Struct"
    assert platform["fields"][0]["type"] == {"class": "NamedType", "name": "size_t"}
    assert first["api"]["version"]["version"] == "0.0.1"
    assert done.stderr == ""


@pytest.mark.ci
def test_every_part_of_the_model_is_in_the_json() -> None:
    for spec in sorted(REPOSITORY.glob("tests/generator/*/spec")):
        document = json.loads(_dumped("--spec-dir", str(spec)).stdout)
        assert len(document["publications"]) == len(list(spec.rglob("*.yaml")))
