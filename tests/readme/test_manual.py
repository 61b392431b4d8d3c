"""The pages of the manual do what they say, and those that are made say what the code says."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from abigen.checker.report.manual import page_text, rules_table
from abigen.cli.main import commands
from abigen.cli.reports import whole_manual
from tests.manual import __main__ as manual
from tests.readme.blocks import ROOT, begins_with, read, tools
from tests.readme.test_readme import Reader
from tests.specs.language.samples import errors_in
from tests.tools import require
from tests.violations import APIS, PAGE

DOCS = ROOT / "docs"
WITHOUT_COMMANDS = {
    "commands.md",
    "comparison.md",
    "editors.md",
    "index.md",
    "language.md",
    "rules.md",
    "violations.md",
}
EXECUTED = ("sh", "console", "python")
ELSEWHERE = {"targets.md": "tests/generator/build/test_targets.py"}
"""Pages whose commands another test executes."""
HOSTS = sorted((DOCS / "hosts").glob("*.md"))
"""Pages whose commands run with the real hosts, see tests/hosts."""
PAGES = sorted(
    path for path in DOCS.rglob("*.md") if path.name not in WITHOUT_COMMANDS | set(ELSEWHERE) and path not in HOSTS
)


@pytest.mark.ci
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(DOCS).with_suffix("").as_posix())
def test_every_command_of_a_page_does_what_is_shown(page: Path, tmp_path: Path) -> None:
    """Two pages take more than 5 s: one builds a plugin with CMake, one compiles releases with sanitizers."""
    blocks = [block for block in read(page) if block.executed]
    assert any(block.language in EXECUTED for block in blocks)
    require("git", "bash", *tools(blocks))
    reader = Reader.with_files_of(tmp_path, begins_with(page))
    for block in blocks:
        reader.follow(block)


def test_the_commands_of_every_other_page_are_executed_elsewhere_or_there_are_none() -> None:
    for name in WITHOUT_COMMANDS:
        assert not any(block.language in EXECUTED for block in read(DOCS / name)), name
    for name, test in ELSEWHERE.items():
        assert name in (ROOT / test).read_text(encoding="utf-8")


@pytest.mark.ci
def test_the_pages_that_are_made_are_up_to_date() -> None:
    changes = manual.differences()
    assert not changes, f"run `python -m tests.manual`:\n{changes}"


def test_every_key_of_the_language_is_shown_with_an_example_that_can_be_read() -> None:
    assert errors_in((ROOT / "tests/manual/more_keys.yaml").read_text(encoding="utf-8")) == []
    rows = re.findall(r"^\| `(\w+)` \| (.+) \| `(.+)` \|$", (DOCS / "language.md").read_text("utf-8"), re.MULTILINE)
    assert len(rows) > 100
    assert all(meaning.strip() for _, meaning, _ in rows)


def test_every_key_of_the_configuration_is_shown() -> None:
    text = (DOCS / "configuration.md").read_text(encoding="utf-8")
    for key in ("policy", "rules", "exceptions.reason", "build.specs"):
        assert f"| `{key}` | " in text


def test_all_commands_and_all_rules_have_their_place() -> None:
    text = (DOCS / "commands.md").read_text(encoding="utf-8")
    context = commands.make_context("abigen", ["--help"], resilient_parsing=True)
    assert re.findall(r"^## (.+)$", text, re.MULTILINE) == commands.list_commands(context)
    assert len(whole_manual()) > 100


def test_explain_and_the_page_of_rules_say_the_same() -> None:
    page = " ".join(rules_table(whole_manual(), "markdown").split())
    for rule in whole_manual():
        explained = " ".join(page_text(rule, width=100_000).split())
        assert rule.summary in explained and rule.summary in page, rule.name
        for heading, text in rule.sections:
            assert heading in explained and heading in page
            assert text[1:] in explained and text[1:] in page, rule.name


def test_every_page_of_the_manual_is_in_its_contents() -> None:
    contents = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:")[2]
    named = re.findall(r"[\w/-]+\.md", contents)
    index = (DOCS / "index.md").read_text(encoding="utf-8")
    written = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")}
    assert sorted(named) == sorted(written)
    assert set(re.findall(r"\]\(([\w/-]+\.md)\)", index)) == written - {"index.md"}
    assert yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["hooks"] == ["tests/manual/hooks.py"]


def test_every_format_of_reports_has_a_word() -> None:
    formats = {path.stem for path in (ROOT / "abigen/checker/report/formats").glob("[a-z]*.py")}
    listed = (DOCS / "diff.md").read_text(encoding="utf-8").partition("| format | for |")[2].partition("\n\n")[0]
    assert {row.split("`")[1] for row in listed.splitlines() if "`" in row} == formats


def shown(path: str) -> dict[str, Any]:
    """Return a YAML file that the page about continuous integration shows."""
    (block,) = [block for block in read(DOCS / "ci.md") if block.path == path]
    return yaml.safe_load(block.text)


def test_the_hooks_that_are_shown_exist() -> None:
    hooks = {hook["id"] for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))}
    (repository,) = shown(".pre-commit-config.yaml")["repos"]
    assert {hook["id"] for hook in repository["hooks"]} <= hooks
    text = (DOCS / "ci.md").read_text(encoding="utf-8")
    assert all(f"`{hook}`" in text for hook in hooks)


def test_the_action_that_is_shown_has_these_inputs() -> None:
    inputs = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))["inputs"]
    *_, checkout, step = shown(".github/workflows/abi.yml")["jobs"]["abi"]["steps"]
    assert step["uses"] == f"./{checkout['with']['path']}"
    assert set(step["with"]) <= set(inputs)
    assert {name for name, each in inputs.items() if each.get("required")} <= set(step["with"])


def test_the_page_of_violations_has_a_part_for_each_api() -> None:
    page = (ROOT / PAGE).read_text("utf-8")
    assert [f"## {api.title}" for api in APIS] == re.findall(r"^## .*", page, re.MULTILINE)
    assert page.count("| version ") == len(APIS)
