"""Keys of a TOML document are found where they stand."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator

from hypothesis import given, settings
from hypothesis import strategies as st

from abigen.read.config.places import Path, places_of

DOCUMENT = '''\
# a comment with [brackets] and "quotes
title = "a # b = [c" # why
[tool."a.b".'c']
list = [ # one
  "]", 'x = 1',
]
text = """
key = 1
[table]
"""
last = { a = 1, b = [2] }

[[thing]]
name = 1
[[thing]]
  name = 2
  [thing.inner]
  deep.er = 2027-01-31
'''


def test_keys_and_headers_are_found_whatever_stands_around_them() -> None:
    found = {path: (line, column) for path, (line, column, _) in places_of(DOCUMENT).items()}
    assert found == {
        ("title",): (2, 1),
        ("tool", "a.b", "c"): (3, 1),
        ("tool", "a.b", "c", "list"): (4, 1),
        ("tool", "a.b", "c", "text"): (7, 1),
        ("tool", "a.b", "c", "last"): (11, 1),
        ("thing", 0): (13, 1),
        ("thing", 0, "name"): (14, 1),
        ("thing", 1): (15, 1),
        ("thing", 1, "name"): (16, 3),
        ("thing", 1, "inner"): (17, 3),
        ("thing", 1, "inner", "deep"): (18, 3),
        ("thing", 1, "inner", "deep", "er"): (18, 3),
    }


def _paths(value: object, path: Path = ()) -> Iterator[Path]:
    """Every key of a document."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield (*path, name)
            yield from _paths(inner, (*path, name))
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        for number, inner in enumerate(value):
            yield from _paths(inner, (*path, number))


_names = st.text(min_size=1, max_size=6)
_words = st.text(st.sampled_from("a]['\"#=\n\\{} "), max_size=12)
_values = st.one_of(_words, st.lists(_words, max_size=3), st.booleans(), st.integers(0, 99))
_tables = st.dictionaries(_names, _values, max_size=3)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=True).replace("\\u007f", "\x7f").replace("\x7f", "\\u007f")


def _value(value: object) -> str:
    if isinstance(value, list):
        return "[\n " + ",\n # ]\n ".join(_value(each) for each in value) + "]"
    return _quoted(value) if isinstance(value, str) else str(value).lower()


@settings(max_examples=100, deadline=None)
@given(st.dictionaries(_names, st.one_of(_tables, st.lists(_tables, min_size=1, max_size=3)), max_size=3))
def test_every_key_of_a_document_has_the_place_where_its_name_stands(document: dict[str, object]) -> None:
    lines: list[str] = []
    for name, content in document.items():
        tables = content if isinstance(content, list) else [content]
        for table in tables:
            header = f"[[{_quoted(name)}]]" if isinstance(content, list) else f"[{_quoted(name)}]"
            lines += [header, *(f"  {_quoted(key)} = {_value(value)}  # end" for key, value in table.items())]
    text = "\n".join(lines)
    try:
        parsed = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return  # a lone surrogate
    places = places_of(text)
    rows = text.split("\n")
    for path in _paths(parsed):
        if path not in places:
            assert isinstance(content_of(parsed, path), list)
            continue
        line, column, _ = places[path]
        assert rows[line - 1][column - 1 :].lstrip("[").startswith(_quoted(str(path[-1])))


def content_of(document: object, path: Path) -> object:
    """What stands at a path."""
    for part in path:
        document = document[part]  # type: ignore[index]
    return document


@settings(max_examples=300, deadline=None)
@given(st.text(st.sampled_from("ab=.[]{}\"'\\#\n, 1"), max_size=40))
def test_what_is_no_toml_ends_nevertheless(text: str) -> None:
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    places_of(text)
