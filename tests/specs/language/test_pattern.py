"""Patterns of texts: those that are taken match as regular expressions do."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abigen.model.pattern import parse_pattern
from abigen.model.span import AbigenError

_CLASSES = [
    "[A-Z_]",
    "[^/]",
    r"[a\-c]",
    r"[\]x-z]",
    "[^a-y]",
    "[a-c-]",
    "[ -]",
    "[-a]",
    "[-]",
    "[^-]",
    "[^-a]",
    "[^a-]",
]
_ATOMS = st.sampled_from(["a", "Z", "_", " ", r"\.", r"\\", ".", *_CLASSES])
_PATTERNS = st.lists(st.tuples(_ATOMS, st.sampled_from(["", "", "?", "*", "+"])), min_size=1, max_size=8)
_TEXTS = st.text(st.sampled_from("aZ_ .\\/-]xyzbc\u00e9"), max_size=10)


@given(pattern=_PATTERNS, text=_TEXTS)
def test_a_pattern_matches_as_a_regular_expression(pattern: list[tuple[str, str]], text: str) -> None:
    written = "".join(atom + sign for atom, sign in pattern)
    expected = re.fullmatch(written.encode(), text.encode(), re.DOTALL) is not None
    assert parse_pattern(written).matches(text) is expected


def test_a_long_text_takes_no_long_time() -> None:
    assert not parse_pattern("a*a*a*a*a*a*a*a*b").matches("a" * 5000)


def test_an_owner_s_pattern_of_names_may_end_in_a_hyphen() -> None:
    assert parse_pattern("[A-Za-z0-9 _-]*").matches("a-b _9Z")
    assert not parse_pattern("[A-Za-z0-9 _-]*").matches("a/b")


_REFUSED = ["", "*", "a**", "a??", "a{2}", "(a)", "a|b", "^a", "a$", "[", "[]", "[^]", "[b-a]", "[a", "\\", r"\d", "é"]
_REFUSED += ["[a-c-e]", "[--]", "[--a]", "[a--]", "[+--]", "[a-", "[-", "[^-"]


@pytest.mark.parametrize("text", _REFUSED)
def test_what_engines_read_differently_is_no_pattern(text: str) -> None:
    with pytest.raises(AbigenError):
        parse_pattern(text)
