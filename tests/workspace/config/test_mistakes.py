"""Tests of errors in configurations: each is reported at its place, and no content causes a crash."""

from __future__ import annotations

import json
import time
import tomllib

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abigen.checker.compare import registry
from abigen.model.span import AbigenError
from abigen.workspace.config.reading import parse_settings
from abigen.workspace.config.settings import SCHEMA_FILE, Settings, Source, config_keys


def read(text: str, name: str = "abigen.toml") -> Settings:
    """Return the settings that a file states."""
    return parse_settings(Source(name, text), lambda: [rule.labels for rule in registry().all()])


def mistakes(text: str, name: str = "abigen.toml") -> list[str]:
    """Return the errors of a file, without its name."""
    with pytest.raises(AbigenError) as caught:
        read(text, name)
    assert all(each.place is not None and each.place.file == name for each in caught.value.diagnostics)
    return [str(each).removeprefix(f"{name}:").replace("\n  hint: ", " | ") for each in caught.value.diagnostics]


EXCEPTION = "[[exceptions]]\nrule = 'field-removed'\nentity = 'Toy.*'\nreason = 'never shipped'\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("polcy = 'strict'", "1:1: error: a configuration has no key 'polcy' | did you mean 'policy'?"),
        (
            "\n  policy = 'strct'",
            "2:12: error: expected default, binary-only or strict, found the text 'strct' | did",
        ),
        ("policy = 3", "1:10: error: expected default, binary-only or strict, found the number 3"),
        ("policy = 0x" + 5000 * "f", "1:10: error: expected default, binary-only or strict, found a very large number"),
        ("targets = 'x86_64-linux-gnu'", "1:11: error: expected a list, found the text 'x86_64-linux-gnu'"),
        ("targets = [\n  'x86_64-linux-gnu', # one\n  7,\n]", "3:3: error: expected text, found the number 7"),
        ("targets = ['x86_64-linux-gnu',\n 'arch64-apple-darwin']", "2:2: error: unknown target 'arch64-apple-darwin'"),
        ("targets = ['i686-linux-gnu', 'i686-linux-gnu']", "1:30: error: the target 'i686-linux-gnu' is listed twice"),
        ("std = 'c42'", "1:7: error: unknown C standard 'c42' | one of"),
        ("cc = './evil'", "1:6: error: './evil': this is not a compiler | name one on PATH"),
        ("cc = 'sh evil.sh'", "1:6: error: 'sh evil.sh': this is not a compiler | name one on PATH"),
        (
            "cc = 'gcc -fplugin=evil.so'",
            "1:6: error: 'gcc -fplugin=evil.so': this is not a compiler | name one",
        ),
        ('cc = "gcc\\n"', "1:6: error: 'gcc': this is not a compiler | name one on PATH"),
        ("cc = 'reboot'", "1:6: error: 'reboot': this is not a compiler | name one on PATH"),
        ("defines = ['A=1', '=2']", "1:19: error: '=2': a macro is defined as NAME or NAME=VALUE"),
        (
            'defines = ["A=1\\n#include <b>"]',
            "1:12: error: 'A=1 #include <b>': a macro is defined as NAME",
        ),
        ("undefines = ['A=1']", "1:14: error: 'A=1': name a macro"),
        ("[options]\nstrict-padding = 1", "2:18: error: expected true or false, found the number 1"),
        ("[options]\nmajor_zero = 'none'", "2:1: error: a table of options has no key 'major_zero' | did you mean"),
        ("options = ['a']", "1:11: error: expected a table, found a list"),
        ("[rules]\npolicy = 'strict'", "2:10: error: expected error, warning, note or off, found the text 'strict'"),
        (
            "[options]\ntargets = []",
            "2:1: error: a table of options has no key 'targets' | 'targets' belongs to",
        ),
        (
            "strict-padding = true",
            "1:1: error: a configuration has no key 'strict-padding' | 'strict-padding' belongs to 'options'",
        ),
        (
            "[rules]\nfield-remved = 'off'",
            "2:1: error: there is no rule 'field-remved' | did you mean 'field-removed'?",
        ),
        ("[rules]\nABI101 = 'off'\nfield-removed = 'note'", "3:1: error: the rule 'field-removed' has a level already"),
        ("exceptions = 3", "1:14: error: expected a list, found the number 3"),
        ("[exceptions]\nrule = 'a'", "1:2: error: expected a list, found a table"),
        (EXCEPTION.replace("reason", "because"), "4:1: error: an exception has no key 'because'"),
        (EXCEPTION.replace("'never shipped'", "' '"), "4:10: error: '': state the reason"),
        (EXCEPTION.replace("field-removed", "gone"), "2:8: error: there is no rule 'gone'"),
        (EXCEPTION + "expires = '1.2.2030'", "5:11: error: '1.2.2030': a date is written as 2027-01-31"),
        (EXCEPTION + "expires = '2030-02-30'", "5:11: error: '2030-02-30': a date is written as 2027-01-31"),
        (
            EXCEPTION + "expires = 2030-02-20 10:00:00",
            "5:11: error: '2030-02-20 10:00:00': a date is written",
        ),
        (EXCEPTION + "level = 'quiet'", "5:9: error: expected error, warning, note or off, found the text 'quiet'"),
        (EXCEPTION + EXCEPTION, "5:1: error: there is an exception for 'field-removed' of 'Toy.*' already | it begins"),
        ("exceptions = [{rule = 'x', reason = 'y'}]", "1:23: error: there is no rule 'x'"),
        ("[conventions]\nfilled-by = {A_ = 'host'}", "2:19: error: expected core or plugin, found the text 'host'"),
        ("[conventions]\nmax-alignment = 0", "2:17: error: expected a number of at least 1, found the number 0"),
        (
            "[conventions]\nsize-macro = '{WORD}_SIZE'",
            "2:14: error: '{WORD}_SIZE': one of {struct}, {STRUCT}, {WORDS} has to be in the pattern",
        ),
        ("[conventions]\ncounts = ['n_*', 'n']", "2:18: error: 'n': a count is a name with a *"),
        ("policy = 'strict'\npolicy = 'strict'", "2:1: error: 'policy' is given twice | first in line 1"),
        ("[rules]\n'a' = 1\n[rules]", "3:7: error: not TOML: cannot declare 'rules' twice"),
        ("[policy\n", "1:8: error: not TOML: expected ']'"),
        ("x = [1,\n\n", "1:8: error: not TOML: invalid value"),
        ("x = " + 5000 * "1", "1:1: error: Exceeds the limit"),
        ("x = " + 5000 * "[" + 5000 * "]", "1:1: error: the lists and tables in this file are nested too deeply"),
    ],
)
def test_a_mistake_is_said_where_it_stands(text: str, expected: str) -> None:
    found = mistakes(text)
    assert any(each.startswith(expected) for each in found), found


def test_an_exception_without_what_it_needs_is_said_at_its_header() -> None:
    assert [each.partition(" | ")[0] for each in mistakes("\n[[exceptions]]\nentity = 'a'")] == [
        "2:1: error: an exception needs the key 'rule'",
        "2:1: error: an exception needs the key 'reason'",
    ]


def test_all_mistakes_are_said_at_once_in_the_order_of_the_text() -> None:
    text = "targets = ['no']\nstd = 1\n[rules]\ngone = 'of'\n[[exceptions]]\nrule = 'gone'\nreason = 1\n"
    assert [each.partition(" error")[0] for each in mistakes(text)] == [
        "1:12:", "2:7:", "4:1:", "4:8:", "6:8:", "7:10:",
    ]  # fmt: skip


def test_in_a_pyproject_only_the_table_of_abigen_counts() -> None:
    text = (
        "[project]\npolcy = 1\n[tool.other]\nx = 1\n[tool.abigen]\nstd = 'c99'\n{}[tool.abigen.rules]\nABI101 = 'off'\n"
    )
    settings = read(text.format(""), "pyproject.toml")
    assert (settings.said.std, settings.said.rules) == ("c99", {"field-removed": "off"})
    assert str(settings.places["rules.field-removed"]) == "pyproject.toml:8:1"
    assert mistakes(text.format("polcy = 1\n"), "pyproject.toml") == [
        "7:1: error: a configuration has no key 'polcy' | did you mean 'policy'?"
    ]
    assert mistakes("[project]\n", "pyproject.toml") == ["1:1: error: this file has no table [tool.abigen]"]
    assert mistakes("[tool]\nabigen = 3\n", "pyproject.toml") == ["2:10: error: expected a table, found the number 3"]


def test_a_rule_is_known_by_its_name_or_its_code() -> None:
    text = "[rules]\nabi101 = 'off'\n'field-repurposed?' = 'error'\n[[exceptions]]\nrule = 'ABI10?'\nreason = 'x'\n"
    settings = read(text + "[[exceptions]]\nrule = 'ABI102'\nreason = 'y'\n")
    assert settings.said.rules == {"field-removed": "off", "field-repurposed": "error"}
    assert [each.rule for each in settings.exceptions] == ["ABI10?", "field-reordered"]


def test_a_date_may_stand_in_quotes() -> None:
    for written in ("2027-01-31", "'2027-01-31'"):
        assert read(EXCEPTION + f"expires = {written}").exceptions[0].expires == "2027-01-31"


def survives(text: str) -> None:
    """Reading ends in settings or in diagnostics whose places the text has."""
    try:
        read(text)
    except AbigenError as error:
        lines = text.split("\n")
        for each in error.diagnostics:
            if each.place is None:
                assert each.message.startswith("too many errors")
                continue
            assert 1 <= each.place.column <= len(lines[each.place.line - 1]) + 1


KEYS = config_keys()
_inner = [name for key in KEYS.values() for name in key.get("properties", key.get("items", {}).get("properties", ()))]
_keys = st.sampled_from([*KEYS, *_inner, "ABI101", "field-removed", "x", "'a.b'", "tool.abigen", "rules.x", '""'])
_values = st.recursive(
    st.sampled_from(
        [
            "1",
            "-1",
            "2027-01-31",
            "2027-01-31T00:00:00Z",
            "07:00:00",
            "'x86_64-linux-gnu'",
            "'A=1'",
            "1e400",
            "'field-*'",
            "0.5",
            "nan",
            "true",
            "''",
            "'off'",
            "'core'",
            '"\\u0000\\n"',
            "'*'",
            "'strict'",
            "'gcc'",
            "'[*'",
        ]
    ),
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda each: f"[{', '.join(each)}]")
        | st.lists(st.tuples(_keys, inner).map(" = ".join), max_size=3).map(lambda each: f"{{{', '.join(each)}}}")
    ),
    max_leaves=4,
)
_line = st.one_of(
    st.tuples(_keys, _values).map(" = ".join), _keys.map(lambda key: f"[{key}]"), _keys.map(lambda key: f"[[{key}]]")
)


@pytest.mark.ci
@settings(max_examples=500, deadline=None)
@given(st.lists(_line, max_size=8).map("\n".join))
def test_no_configuration_is_a_surprise(text: str) -> None:
    survives(text)


@pytest.mark.ci
@settings(max_examples=500, deadline=None)
@given(st.lists(_line, max_size=3).map("\n".join))
def test_what_is_read_is_what_the_schema_allows(text: str) -> None:
    try:
        read(text)
    except AbigenError:
        return
    document = json.loads(json.dumps(tomllib.loads(text), default=str))
    jsonschema.validate(document, json.loads(SCHEMA_FILE.read_text(encoding="utf-8")))


@pytest.mark.ci
@settings(max_examples=300, deadline=None)
@given(st.text(max_size=60))
def test_no_text_is_a_surprise(text: str) -> None:
    survives(text)


@pytest.mark.ci
@pytest.mark.parametrize(
    "text",
    [
        "".join(f"k{number} = 1\n" for number in range(60_000)),
        "".join(f"[[exceptions]]\nrule = 'x{number}'\n" for number in range(5_000)),
        "[rules]\n" + "".join(f"k{number} = 1\n" for number in range(20_000)),
        "targets = [" + 60_000 * "'x', " + "]",
        "x = " + 100_000 * "'",
    ],
    ids=["keys", "exceptions", "rules", "targets", "quotes"],
)
def test_a_large_file_is_refused_in_good_time(text: str) -> None:
    start = time.process_time()
    with pytest.raises(AbigenError):
        read(text)
    assert time.process_time() - start < 5
