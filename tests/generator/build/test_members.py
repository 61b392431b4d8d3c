"""Tests of the alignment of members and their comments."""

from __future__ import annotations

from abigen.generator.c.target import CMember, lay_out


def _member(text: str, doc: str, heading: str = "") -> CMember:
    return CMember(text=text, doc=doc, heading=heading)


def _placed(*members: CMember) -> list[CMember]:
    return lay_out(members, lambda each, _: f"{each.text};")


def _members(*pairs: tuple[str, str]) -> list[CMember]:
    return _placed(*(_member(text, doc) for text, doc in pairs))


def _lines(*pairs: tuple[str, str]) -> list[str]:
    return [f"  {each.text}{each.behind}" for each in _members(*pairs)]


def test_short_comments_stand_behind_and_align() -> None:
    assert _lines(("void* ext", "Reserved."), ("int32_t ordinal", "Index.")) == [
        "  void* ext;        // Reserved.",
        "  int32_t ordinal;  // Index.",
    ]


def test_a_comment_that_does_not_fit_stands_above_between_empty_lines() -> None:
    first, second, third = _members(("int a", "First."), ("int b", "word " * 30), ("int c", "Third."))
    assert (first.gap, second.gap, third.gap) == (False, True, True)
    assert second.doc and not second.behind
    assert third.behind == "  // Third."


def test_functions_have_their_comments_above() -> None:
    (only,) = _members(("void (*f)(void)", "Short."))
    assert only.doc == "Short." and not only.behind and not only.gap


def test_a_heading_separates() -> None:
    placed = _placed(_member("int first", "A."), _member("int b", "B.", "Others"))
    assert placed[1].gap
    assert [each.behind for each in placed] == ["  // A.", "  // B."]


def test_one_long_name_does_not_push_all_comments_over_the_edge() -> None:
    lines = _lines(("int a", "x " * 30), ("int " + "n" * 50, "Short."))
    assert all(len(line) <= 80 for line in lines)
