"""The order of keys in a mapping means nothing: shuffled specs give the same files, findings and verdicts."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.generator.build.building import REPOSITORY
from tests.runner.verify.plugins import compile_plugin
from tests.running import run_here

TESTS = REPOSITORY / "tests"
FOLDERS = [
    "spec/rfc",
    "spec/tensorflow",
    "spec/xla",
    *(str(each.relative_to(REPOSITORY)) for each in TESTS.glob("**/spec")),
]
PAIRS = sorted(each.parent for each in TESTS.glob("checker/rules/*/*/new.yaml") if (each.parent / "old.yaml").exists())
LINTED = sorted(TESTS.glob("checker/lint/*/*/api.yaml"))
CHANGES = re.compile(r'"(line|column|length|end_column|seconds)": [0-9.]+')
FOLDERS_WITH_SPECS = [each for each in FOLDERS if list((REPOSITORY / each).rglob("*.yaml"))]
FEW = [1]
MANY = pytest.mark.parametrize("seed", [*FEW, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 12))])


def shuffled(text: str, seed: int) -> str:
    """Return a spec with the keys of every mapping in another order, at the top as well; 0 changes nothing."""
    chance = random.Random(seed)
    root = yaml.compose(text)

    def visit(node: yaml.Node) -> None:
        if isinstance(node, yaml.MappingNode):
            if seed:
                chance.shuffle(node.value)
            for _, value in node.value:
                visit(value)
        elif isinstance(node, yaml.SequenceNode):
            for each in node.value:
                visit(each)

    visit(root)
    return str(yaml.serialize(root, width=10_000, allow_unicode=True))


def laid_out(folder: Path, source: Path, seed: int) -> Path:
    """Return a copy of a folder of specs below a folder, shuffled; both are called `spec`, because files name them."""
    for path in source.rglob("*.yaml"):
        copy = folder / str(seed) / "spec" / path.relative_to(source)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(shuffled(path.read_text(encoding="utf-8"), seed), encoding="utf-8")
    return folder / str(seed)


def built(folder: Path) -> dict[str, bytes]:
    """Return the output for the specs in a folder."""
    done = run_here(["build", "--no-cache", "--spec-dir", "spec", "--out", "out"], folder)
    assert done.code == 0, done.stderr
    return {str(path.relative_to(folder)): path.read_bytes() for path in (folder / "out").rglob("*") if path.is_file()}


def said(folder: Path, *arguments: str) -> object:
    """Return a report in JSON without places and times; findings elsewhere in a file come in another order."""
    done = run_here([*arguments, "--format", "json"], folder)
    assert done.code in (0, 1), done.stderr
    report = json.loads(CHANGES.sub('"changes": 0', done.stdout))
    for name in ("findings", "checks"):
        if name in report:
            report[name] = sorted(json.dumps(each, sort_keys=True) for each in report[name])
    return report


def all_mappings(value: object) -> Iterator[dict[str, object]]:
    """Yield all mappings in a document."""
    if isinstance(value, dict):
        yield value
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from all_mappings(each)


def test_a_shuffled_spec_says_the_same_in_another_order() -> None:
    text = (TESTS / "generator/build/spec/zoo.yaml").read_text(encoding="utf-8")
    first, second = (yaml.safe_load(shuffled(text, seed)) for seed in (0, 1))
    assert first == second == yaml.safe_load(text)
    orders = [[list(each) for each in all_mappings(value)] for value in (first, second)]
    assert orders[0] != orders[1]


@pytest.mark.ci
@MANY
@pytest.mark.parametrize(
    "source",
    [pytest.param(each, marks=pytest.mark.slow) if each == "spec/xla" else each for each in FOLDERS_WITH_SPECS],
)
def test_shuffled_specs_are_built_into_the_same_files(source: str, seed: int, tmp_path: Path) -> None:
    expected = built(laid_out(tmp_path, REPOSITORY / source, 0))
    found = built(laid_out(tmp_path, REPOSITORY / source, seed))
    assert found.keys() == expected.keys()
    assert [name for name, content in found.items() if content != expected[name]] == []


@pytest.mark.first_case
@MANY
@pytest.mark.parametrize("source", PAIRS, ids=lambda path: path.parent.name)
def test_shuffled_specs_differ_in_the_same_ways(source: Path, seed: int, tmp_path: Path) -> None:
    expected = said(laid_out(tmp_path, source, 0), "diff", "spec/old.yaml", "spec/new.yaml")
    both = said(laid_out(tmp_path, source, seed), "diff", "spec/old.yaml", "spec/new.yaml")
    assert both == expected


@pytest.mark.ci
@MANY
def test_shuffled_releases_of_a_spec_differ_in_the_same_ways(seed: int, tmp_path: Path) -> None:
    operands = ("spec/rfc/stream_executor.yaml", "spec/tensorflow/stream_executor.yaml")
    expected, found = (said(laid_out(tmp_path, REPOSITORY / "spec", each), "diff", *operands) for each in (0, seed))
    assert found == expected


@MANY
@pytest.mark.parametrize("source", LINTED, ids=lambda path: path.parent.name)
def test_shuffled_specs_have_the_same_flaws(source: Path, seed: int, tmp_path: Path) -> None:
    expected, found = (said(laid_out(tmp_path, source.parent, each), "lint", "spec/api.yaml") for each in (0, seed))
    assert found == expected


@pytest.mark.ci
@MANY
@pytest.mark.parametrize("fault", ["NONE", "FLASHES"])
def test_a_plugin_is_verified_by_a_shuffled_spec_as_by_the_spec(fault: str, seed: int, tmp_path: Path) -> None:
    folders = [laid_out(tmp_path, TESTS / "runner/verify/spec", each) for each in (0, seed)]
    built(folders[0])
    plugin = compile_plugin(tmp_path, "lamp", f"-I{folders[0] / 'out/c'}", f"-DFAULT={fault}", source="lamp.c")
    only = ("--only", "required-member-missing", "--only", "exclusive-members-set")
    expected, found = (said(each, "verify", str(plugin), "--spec-dir", "spec", *only) for each in folders)
    assert found == expected
