"""The order in which keys of a spec are written means nothing: what is built, compared and verified stays the same."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.headers.facts.consumers import Consumers
from tests.running import run_here

ROOT = Path(__file__).parents[3]
GROUPS = (
    "spec/tensorflow",
    "spec/rfc",
    "tests/generator/build/spec",
    "tests/generator/c_checks/spec",
    "tests/headers/facts/spec",
)


class _Plain(yaml.SafeLoader):
    """Reads scalars as they are written: 1.10.0 and 0x10 stay what they are."""


_Plain.yaml_implicit_resolvers = {}


def _shuffled(node: Any, shuffle: random.Random) -> Any:
    """Return the same document with the keys of each mapping in another order; lists have an order that counts."""
    if isinstance(node, dict):
        keys = list(node)
        shuffle.shuffle(keys)
        return {key: _shuffled(node[key], shuffle) for key in keys}
    return [_shuffled(each, shuffle) for each in node] if isinstance(node, list) else node


def _written(node: Any, indent: int = 0) -> str:
    """Return a document as YAML, with its scalars as they were written."""
    margin = "  " * indent
    if isinstance(node, dict):
        return "\n" + "".join(f"{margin}{json.dumps(key)}:{_written(each, indent + 1)}" for key, each in node.items())
    if isinstance(node, list):
        return "\n" + "".join(f"{margin}-{_written(each, indent + 1)}" for each in node) if node else " []\n"
    plain = node in ("true", "false") or node.lstrip("-").isdigit() or node[:2] in ("0x", "0X")
    return f" {node}\n" if plain else f" {json.dumps(node, ensure_ascii=False)}\n"


def _shuffle(source: Path, target: Path, seed: int) -> None:
    shuffle = random.Random(seed)
    shutil.copytree(source, target)
    for path in target.rglob("*.yaml"):
        document = yaml.load(path.read_text(encoding="utf-8"), _Plain)
        path.write_text(_written(_shuffled(document, shuffle)).lstrip("\n"), encoding="utf-8")


def _built(specs: Path, out: Path) -> dict[str, bytes]:
    done = run_here(["build", "--no-cache", "--spec-dir", str(specs), "--out", str(out)])
    assert done.code == 0, done.stderr
    return {str(path.relative_to(out)): path.read_bytes() for path in out.rglob("*") if path.is_file()}


@pytest.mark.ci
@pytest.mark.parametrize("group", GROUPS)
def test_what_is_built_is_the_same_byte_for_byte(group: str, tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    shutil.copytree(ROOT / group, tmp_path / "a/spec")
    _shuffle(ROOT / group, tmp_path / "b/spec", seed=1)
    before, after = _built(tmp_path / "a/spec", tmp_path / "a/out"), _built(tmp_path / "b/spec", tmp_path / "b/out")
    assert before.keys() == after.keys()
    assert [name for name in before if before[name] != after[name]] == []


@pytest.mark.ci
@pytest.mark.parametrize("group", GROUPS)
def test_a_comparison_finds_no_change(group: str, tmp_path: Path) -> None:
    _shuffle(ROOT / group, tmp_path / "spec", seed=2)
    for path in sorted((tmp_path / "spec").glob("*.yaml")):
        done = run_here(["diff", str(ROOT / group / path.name), str(path), "--format", "json"])
        assert done.code == 0, done.stderr
        assert json.loads(done.stdout)["findings"] == []


@pytest.mark.ci
def test_verify_finds_the_same(tmp_path: Path) -> None:
    source = ROOT / "tests/headers/facts/spec"
    _shuffle(source, tmp_path / "spec", seed=3)
    shuffled = Consumers(tmp_path / "b", (tmp_path / "spec/probe.yaml").read_text())
    assert shuffled.verified == Consumers(tmp_path / "a", (source / "probe.yaml").read_text()).verified
