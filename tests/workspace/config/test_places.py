"""Keys and values of a TOML document are found where they stand."""

from __future__ import annotations

import json
import time
import tomllib
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abigen.model.span import AbigenError
from abigen.workspace.document.tree import Item, ListNode, Node, read_toml

Path = tuple["str | int", ...]
Extent = tuple[int, int]


def places_in(text: str) -> tuple[dict[Path, Extent], dict[Path, Extent]]:
    """Return the places of the keys and values of a document."""
    keys: dict[Path, Extent] = {}
    values: dict[Path, Extent] = {}

    def visit(node: Node, path: Path) -> None:
        values[path] = node.start, node.end
        if isinstance(node, Item):
            keys.update({(*path, name): (key.start, key.end) for name, key in node.keys.items()})
            for name, value in node.values.items():
                visit(value, (*path, name))
        elif isinstance(node, ListNode):
            for number, value in enumerate(node.items):
                visit(value, (*path, number))

    visit(read_toml("abigen.toml", text), ())
    del values[()]
    return keys, values


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
last = { a = 1, b = [2], c.d = """x""" }
when = 2027-01-31 10:00:00 # a space within

[[thing]]
name = 1
[[thing]]
  name = 2
  [thing.inner]
  deep.er = 2027-01-31
'''


def shown(found: dict[Path, Extent]) -> dict[Path, str]:
    """Return the line, and the text, of everything that was found."""
    return {path: f"{DOCUMENT.count(chr(10), 0, at) + 1}: {DOCUMENT[at:end]}" for path, (at, end) in found.items()}


def test_keys_and_headers_are_found_whatever_stands_around_them() -> None:
    assert shown(places_in(DOCUMENT)[0]) == {
        ("title",): "2: title",
        ("tool",): "3: tool",
        ("tool", "a.b"): '3: "a.b"',
        ("tool", "a.b", "c"): "3: 'c'",
        ("tool", "a.b", "c", "list"): "4: list",
        ("tool", "a.b", "c", "text"): "7: text",
        ("tool", "a.b", "c", "last"): "11: last",
        ("tool", "a.b", "c", "last", "a"): "11: a",
        ("tool", "a.b", "c", "last", "b"): "11: b",
        ("tool", "a.b", "c", "last", "c"): "11: c",
        ("tool", "a.b", "c", "last", "c", "d"): "11: d",
        ("tool", "a.b", "c", "when"): "12: when",
        ("thing",): "14: thing",
        ("thing", 0, "name"): "15: name",
        ("thing", 1, "name"): "17: name",
        ("thing", 1, "inner"): "18: inner",
        ("thing", 1, "inner", "deep"): "19: deep",
        ("thing", 1, "inner", "deep", "er"): "19: er",
    }


def test_values_and_elements_of_lists_are_found() -> None:
    found = shown(places_in(DOCUMENT)[1])
    assert found[("thing", 0)] == "14: [[thing]]"
    assert found[("thing", 1)] == "16: [[thing]]"
    assert found[("thing", 1, "inner")] == "18: inner"
    assert found[("title",)] == '2: "a # b = [c"'
    assert found[("tool", "a.b", "c", "list", 0)] == '5: "]"'
    assert found[("tool", "a.b", "c", "list", 1)] == "5: 'x = 1'"
    assert found[("tool", "a.b", "c", "last", "b", 0)] == "11: 2"
    assert found[("tool", "a.b", "c", "last", "c", "d")] == '11: """x"""'
    assert found[("tool", "a.b", "c", "when")] == "12: 2027-01-31 10:00:00"
    assert found[("thing", 1, "inner", "deep", "er")] == "19: 2027-01-31"


def test_what_is_given_twice_is_told_with_the_first_place() -> None:
    with pytest.raises(AbigenError) as refusal:
        read_toml("abigen.toml", "a.b = 1\n[c]\nx = {y = 1}\nx = 2")
    assert str(refusal.value) == "abigen.toml:4:1: error: 'c.x' is given twice\n  hint: first in line 3"


@pytest.mark.ci
@pytest.mark.parametrize(
    "line", ["k{} = 1\n", "[[a]]\n", "a{}.b.c.d.e.f.g.h.i.j = 1\n", "x{} = [[[[[[[[[[1]]]]]]]]]]\n"]
)
def test_a_long_file_takes_time_by_its_length(line: str) -> None:
    def seconds(times: int) -> float:
        start = time.process_time()
        read_toml("abigen.toml", "".join(line.format(number) for number in range(times)))
        return time.process_time() - start

    seconds(100)
    assert seconds(8_000) < 40 * seconds(500) + 0.5


def _contents(value: object, path: Path = ()) -> Iterator[tuple[Path, object]]:
    """Yield the content below the top of a document, with its path."""
    inner: list[tuple[str | int, object]] = []
    if isinstance(value, dict):
        inner = list(value.items())
    elif isinstance(value, list):
        inner = list(enumerate(value))
    for name, each in inner:
        yield (*path, name), each
        yield from _contents(each, (*path, name))


def _quoted(text: str) -> str:
    return json.dumps(text).replace("\x7f", "\\u007f")


_bare_names = st.text(st.sampled_from("ab-_0"), min_size=1, max_size=3)
_names = st.one_of(_bare_names, st.text(st.characters(exclude_categories=["Cs"]), max_size=4).map(_quoted))
_layout = st.sampled_from(["", " ", "\t", "  "])
_lines = st.sampled_from(["", "\n", " # x = [1\n", "\r\n", "\n\n # \"'\n"])
_words = st.text(st.sampled_from("a]['#=\\{} ,."), max_size=8)
_strings = st.one_of(
    _words.map(_quoted),
    st.text(st.sampled_from('a]["#=\\{} ,.'), max_size=8).map(lambda text: f"'{text}'"),
    st.text(st.sampled_from("a]['#=\n{} ,."), max_size=8).map(lambda text: f'"""{text}"""'),
    st.text(st.sampled_from('a]["#=\n\\{} ,.'), max_size=8).map(lambda text: f"'''{text}'''"),
    st.sampled_from(['""""a"""""', "'''''''", '"""\\""" """', '""', "''"]),
)
_scalars = st.one_of(
    _strings, st.sampled_from(["1", "-0x1f", "true", "1e3", "2027-01-31", "2027-01-31 07:32:00", "inf"])
)


def _list(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.lists(st.tuples(_lines, inner, _lines).map("".join), max_size=3).map(lambda each: f"[{','.join(each)}]")


@st.composite
def _pairs(draw: st.DrawFn, values: st.SearchStrategy[str]) -> str:
    key = ".".join(draw(_layout) + name + draw(_layout) for name in draw(st.lists(_names, min_size=1, max_size=2)))
    return f"{key}={draw(_layout)}{draw(values)}{draw(_layout)}"


def _table(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.lists(_pairs(inner), max_size=3).map(lambda each: f"{{{','.join(each)}}}")


_values = st.recursive(_scalars, lambda inner: _list(inner) | _table(inner), max_leaves=5)
_headers = (
    st.lists(_names, min_size=1, max_size=3)
    .map(".".join)
    .flatmap(lambda key: st.sampled_from([f"[{key}]", f"[[{key}]]"]))
)
_documents = st.lists(
    st.tuples(_lines, st.one_of(_pairs(_values), _headers), st.sampled_from(["\n", " # end\n", "\r\n"])).map("".join),
    max_size=6,
).map("".join)


@pytest.mark.ci
@settings(max_examples=400, deadline=None)
@given(_documents)
def test_every_place_holds_what_is_said_to_stand_there(text: str) -> None:
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    keys, values = places_in(text)
    contents = dict(_contents(document))
    assert keys.keys() <= values.keys() == contents.keys()
    for path, value in contents.items():
        start, end = values[path]
        if not isinstance(value, dict | list) or text[start] in "[{":
            header = text.startswith("[[", start) and text[end - 2 : end] == "]]" and isinstance(value, dict)
            assert header or tomllib.loads(f"x = {text[start:end]}") == {"x": value}
        if isinstance(path[-1], str):
            start, end = keys[path]
            assert tomllib.loads(f"{text[start:end]} = 1") == {path[-1]: 1}


@settings(max_examples=400, deadline=None)
@given(st.text(st.sampled_from("ab=.[]{}\"'\\#\n, 1"), max_size=40))
def test_any_text_comes_to_an_end_and_whatever_is_toml_has_places(text: str) -> None:
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        with pytest.raises(AbigenError):
            read_toml("abigen.toml", text)
        return
    assert places_in(text)[1].keys() == dict(_contents(document)).keys()
