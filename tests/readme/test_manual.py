"""The pages of the manual do what they say, and those that are made say what the code says."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest
import yaml

from abigen.cli.main import commands
from abigen.cli.reports import whole_manual
from abigen.report.manual import page_text, rules_table
from tests.readme.blocks import README, read
from tests.readme.test_readme import Reader
from tests.spec.samples import errors_in
from tests.tools import require

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [*sorted((DOCS / "start").glob("*.md")), DOCS / "hosts.md"]


def hooks() -> ModuleType:
    spec = importlib.util.spec_from_file_location("manual_hooks", DOCS / "hooks.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_command_of_a_page_does_what_is_shown(page: Path, tmp_path: Path) -> None:
    require("git", "bash")
    reader = Reader(tmp_path)
    blocks = read(page)
    assert any(block.language == "console" for block in blocks)
    for block in blocks:
        reader.follow(block)


def test_the_page_of_bindings_continues_the_example_of_the_readme(tmp_path: Path) -> None:
    require("git", "bash", "cc", "c++")
    reader = Reader(tmp_path)
    text = README.read_text(encoding="utf-8")
    before, shown, _ = re.split(r"^(?=## A spec$|In C\+\+ )", text, flags=re.MULTILINE)
    begin, end = before.count("\n"), (before + shown).count("\n")
    for block in [*(block for block in read() if begin < block.line < end), *read(DOCS / "bindings.md")]:
        reader.follow(block)


def test_every_key_of_the_language_is_shown_with_an_example_that_can_be_read() -> None:
    assert errors_in((DOCS / "language.yaml").read_text(encoding="utf-8")) == []
    rows = re.findall(r"^\| `(\w+)` \| (.+) \| `(.+)` \|$", hooks().language(), re.MULTILINE)
    assert len(rows) > 100
    assert all(meaning.strip() for _, meaning, _ in rows)


def test_every_key_of_the_configuration_is_shown() -> None:
    rows = "\n".join(hooks().configuration_keys())
    for key in ("policy", "rules", "exceptions.reason", "build.specs"):
        assert f"| `{key}` | " in rows


def test_all_commands_and_all_rules_have_their_place() -> None:
    text = "\n".join(hooks().all_commands())
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
    named = set(re.findall(r"[\w/-]+\.md", contents))
    written = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")}
    assert written < named
    assert yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["hooks"] == ["docs/hooks.py"]
