"""The manual that `abigen explain` and `abigen rules` print."""

from __future__ import annotations

import json
import re

import pytest

from abigen.checker.compare import find_page, pages
from abigen.checker.report.manual import page_text, rules_table
from abigen.model.span import AbigenError


def test_every_rule_has_one_page_under_a_group_with_what_happens() -> None:
    names = [page.name for page in pages()]
    assert len(names) == len(set(names)) > 60
    assert [page.code for page in pages()] == sorted(page.code for page in pages())
    for page in pages():
        assert page.summary.endswith("."), page.name
        assert page.commands, page.name
        assert {"What happens", "Source"} <= {heading for heading, _ in page.sections}, page.name


@pytest.mark.parametrize("name", ["field-inserted", "ABI103", "abi103", "FIELD-INSERTED"])
def test_a_rule_is_found_by_name_and_by_code(name: str) -> None:
    assert find_page(name).name == "field-inserted"


def test_a_rule_with_a_question_mark_is_found_without_it() -> None:
    assert find_page("field-repurposed") == find_page("field-repurposed?")


def test_a_rule_that_looks_at_changes_and_at_form_has_one_page() -> None:
    assert find_page("size-macro-stale").commands == ("diff", "lint")


def test_a_mistyped_rule_gets_a_suggestion() -> None:
    with pytest.raises(AbigenError) as error:
        find_page("feild-inserted")
    assert error.value.diagnostics[0].hint == "did you mean `field-inserted`?"


def test_a_page_is_wrapped_at_the_width() -> None:
    text = page_text(find_page("field-inserted"), width=50)
    assert text.startswith("ABI103 field-inserted\nMembers of structs and unions; reported by `abigen diff`\n\n")
    assert max(len(line) for line in text.splitlines()[3:]) <= 50
    assert "\nInstead\n  " in text


def test_the_table_has_a_line_per_rule() -> None:
    text = rules_table(pages(), "text")
    assert re.findall(r"^  (ABI\d{3})  ", text, re.MULTILINE) == [page.code for page in pages()]


def test_the_table_as_json_holds_every_page() -> None:
    report = json.loads(rules_table(pages(), "json"))
    assert report["schema"] == "abigen-rules/1"
    assert [rule["rule"] for rule in report["rules"]] == [page.name for page in pages()]
    assert all(rule["sections"] for rule in report["rules"])


def test_the_reference_in_markdown_links_to_sections_that_exist() -> None:
    text = rules_table(pages(), "markdown")
    links = set(re.findall(r"\]\(#([^)]*)\)", text))
    headings = re.findall(r"^### (.*)$", text, re.MULTILINE)
    anchors = {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}
    assert links == anchors
    assert len(links) == len(pages())
