"""Text as it is while somebody types: engines of `abigen lsp` answer, or refuse it as the command line does."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abigen.editor.analysis import Analyst
from abigen.editor.places import Columns
from abigen.editor.spec_keys import explanation, suggestions
from abigen.editor.spec_text import CursorContext, context_at
from abigen.editor.subjects import described, subject_at, subjects, word_at
from abigen.model.span import AbigenError
from tests.editor.editor import BOX, SPEC


def context(marked: str) -> CursorContext | None:
    """Return the context of the place that `|>` marks."""
    before, _, _ = marked.partition("|>")
    return context_at(marked.replace("|>", ""), before.count("\n") + 1, len(before.rpartition("\n")[2]) + 1)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("abigen: 1\n|>", CursorContext((), "", "", frozenset({"abigen"}))),
        ("structs:\n  - name: A\n    |>", CursorContext(("structs", 0), "", "", frozenset({"name"}))),
        ("structs:\n- name: A\n  kind: un|>", CursorContext(("structs", 0), "kind", "un")),
        ("structs:\n  - |>\n    name: A", CursorContext(("structs", 0), "", "", frozenset({"name"}))),
        (
            "structs:\n  - fields:\n      - {name: x, ty|>, doc: y}",
            CursorContext(("structs", 0, "fields", 0), "", "ty", frozenset({"name", "doc"})),
        ),
        ("fields:\n  - {name: x, type: in|>}", CursorContext(("fields", 0), "type", "in")),
        ("uses: [a, b|>]", CursorContext(("uses", 0), "", "b")),
        ("header:\n  includes: [a,\n    b|>", CursorContext(("header", "includes", 0), "", "b")),
        ("doc: |\n  a: b|>", None),
        ("doc: |\n  a: b\npre|>", CursorContext((), "", "pre", frozenset({"doc"}))),
        ("# a: |>", None),
        ("api: x # |>", None),
        ('doc: "a # |>', CursorContext((), "doc", '"a #')),
    ],
)
def test_the_keys_around_the_cursor_are_found_by_indentation_and_brackets(
    text: str, expected: CursorContext | None
) -> None:
    assert context(text) == expected


_PIECES = ("", "{", "}", "(", "#", "/*", '"', "\n", "\t", ":", "\u00e4", "- ", "\\\n")


@st.composite
def edited(draw: st.DrawFn, text: str) -> str:
    """Return a text with a few pieces cut, doubled, or replaced."""
    for _ in range(draw(st.integers(0, 4))):
        first, last = sorted(draw(st.tuples(*[st.integers(0, len(text))] * 2)))
        last = min(last, first + draw(st.integers(0, 60)))
        piece = draw(st.sampled_from([*_PIECES, text[first:last] * 2]))
        text = text[:first] + piece + text[last:]
    return text[: draw(st.integers(0, len(text)))] if draw(st.booleans()) else text


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for the files of all examples, which are not written."""
    return tmp_path_factory.mktemp("typed")


def answer_everywhere(path: Path, text: str, line: int, column: int) -> None:
    """Ask for everything that an editor asks for at a place; only an `AbigenError` of reading is allowed."""
    analyst = Analyst()
    examined = None
    try:
        examined = analyst.examine(str(path), {str(path): text}, lambda: None)
        analyst.compare(str(path), examined, lambda: None)
    except AbigenError as error:
        assert error.diagnostics
    suggestions(text, line, column, examined, str(path))
    explanation(text, line, column)
    word = word_at(text, line, column)
    if examined is not None:
        subject = subject_at(examined, word) if word is not None else None
        for each in subjects(examined) if subject is None else [subject]:
            assert described(each, examined, {})


@pytest.mark.ci
@settings(max_examples=120, deadline=None)
@given(edited(BOX), st.integers(0, 40), st.integers(0, 90))
def test_any_text_of_a_header_is_answered(folder: Path, text: str, line: int, column: int) -> None:
    answer_everywhere(folder / "box.h", text, line, column)


@pytest.mark.ci
@settings(max_examples=120, deadline=None)
@given(edited(SPEC), st.integers(0, 40), st.integers(0, 60))
def test_any_text_of_a_spec_is_answered(folder: Path, text: str, line: int, column: int) -> None:
    answer_everywhere(folder / "box.yaml", text, line, column)


@pytest.mark.ci
@given(st.text(), st.data(), st.sampled_from(["utf-8", "utf-16", "utf-32"]))
def test_columns_are_the_same_after_both_conversions(line: str, data: st.DataObject, encoding: str) -> None:
    columns, index = Columns(encoding), data.draw(st.integers(0, len(line)))
    assert columns.from_client(line, columns.to_client(line, index)) == index
