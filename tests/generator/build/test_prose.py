"""Documentation as comments."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abigen.generator.c.lines import comment, documented, one_line
from abigen.model.contract import Condition, Contract, Lifecycle, Party, Requirement, Zero
from abigen.model.version import Version


def test_paragraphs_are_wrapped_at_80_columns() -> None:
    text = comment("word " * 40 + "\n\nsecond", 2)
    assert max(map(len, text.split("\n"))) <= 80
    assert text.split("\n")[-2:] == ["  //", "  // second"]


def test_items_of_a_list_hang() -> None:
    lines = comment("- " + "word " * 30 + "\n- next").split("\n")
    assert lines[0].startswith("// - word")
    assert lines[1].startswith("//   word")
    assert lines[-1] == "// - next"


def test_indented_code_keeps_its_lines() -> None:
    assert comment("See:\n\n    f(1);\n      g(2);") == "// See:\n//\n//     f(1);\n//       g(2);"


def test_a_long_word_is_not_broken() -> None:
    address = "https://example.org/" + "x" * 100
    assert comment(f"At {address} you find it.") == f"// At\n// {address}\n// you find it."


@pytest.mark.parametrize("end", ["\\", "??/", "a \\\\"])
def test_the_end_of_a_line_cannot_join_the_next_line_to_the_comment(end: str) -> None:
    assert comment(f"path {end}") == f"// path {end} //"
    assert one_line(f"path {end}") == f"// path {end} //"


def test_marks_of_text_direction_and_surrogates_are_dropped() -> None:
    assert comment("a\u202eb\u2066c\ud800d") == "// abcd"


@given(st.text())
def test_a_comment_is_a_comment_on_every_line(text: str) -> None:
    lines = comment(text).encode("utf-8").decode("utf-8").splitlines()
    assert all(line.startswith("//") and not line.endswith(("\\", "??/")) for line in lines)


def test_a_pointer_that_may_be_null_says_so_in_the_contract_s_words() -> None:
    contract = Contract(zero=Zero.NO_OP, requirement=Requirement.OPTIONAL)
    assert documented("The name.", contract, pointer=True) == "Optional. The name. NULL is no-op."
    assert documented("The name.", contract) == "Optional. The name. 0 is no-op."


def test_what_is_required_says_so() -> None:
    contract = Contract(requirement=Requirement.REQUIRED, set_by=Party.BOTH)
    assert documented("The name.", contract) == "Required. The name. Set by both sides."


@pytest.mark.parametrize(
    ("doc", "words"),
    [
        ("Ends.", "Required when `scan` is set. Ends."),
        ("Ends; required when scan is set.", "Ends; required when scan is set."),
        ("Not required when scan is set.", "Required when `scan` is set. Not required when scan is set."),
    ],
)
def test_a_condition_is_stated_once(doc: str, words: str) -> None:
    contract = Contract(requirement=Requirement.CONDITIONAL, condition=Condition(when="scan"))
    assert documented(doc, contract) == words


def test_a_deprecation_names_what_to_use() -> None:
    contract = Contract(
        zero=Zero.NO_OP, lifecycle=Lifecycle(deprecated=True, deprecated_since=Version(1, 2), replaced_by="better_name")
    )
    assert documented("", contract) == "Deprecated since 1.2.0. Use `better_name`. 0 is no-op."
    assert documented("", Contract(lifecycle=Lifecycle(deprecated=True))) == "Deprecated."


def test_the_age_is_told_of_what_came_later_than_what_it_is_part_of() -> None:
    contract = Contract(lifecycle=Lifecycle(since=Version(1, 1)))
    assert documented("", contract) == "Since 1.1.0."
    assert documented("", contract, born=Version(1, 0)) == "Since 1.1.0."
    assert documented("", contract, born=Version(1, 1)) == ""


def test_marks_stand_apart_from_longer_texts() -> None:
    text = documented("One.\n\nTwo.", Contract(requirement=Requirement.OPTIONAL, lifecycle=Lifecycle(replaces="x")))
    assert text == "Optional.\n\nOne.\n\nTwo.\n\nReplaces `x`."


@pytest.mark.parametrize(
    ("contract", "words"),
    [
        (Contract(zero=Zero.MEANINGFUL), "0 by default."),
        (Contract(set_by=Party.PLUGIN), "Set by plugin."),
        (Contract(set_by=Party.BOTH), "Set by both sides."),
        (Contract(must_be_understood=True), "Consumers must read this."),
        (Contract(reserved=True), "Reserved."),
    ],
)
def test_every_mark_has_its_wording(contract: Contract, words: str) -> None:
    assert documented("", contract) == words


def test_what_takes_paragraphs_does_not_fit_behind_code() -> None:
    assert one_line("One.\n\nTwo.") == ""
    assert one_line("- item") == ""
    assert one_line("One\nline.") == "// One line."
