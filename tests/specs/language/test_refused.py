"""Specs that are refused: every error of each at its line and column, with its hint.

`refused.txt` holds them: behind `===` what is wrong, then the spec, then behind `---` what abigen says.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from abigen.model.span import AbigenError
from abigen.workspace.document.tree import MAX_PROBLEMS
from tests.specs.language.samples import errors_in, read_text

HEAD = "abigen: 1\napi: toy\nversion: 1.2.0\n"


def _cases() -> dict[str, tuple[str, str]]:
    cases: dict[str, tuple[str, str]] = {}
    text = Path(__file__).with_name("refused.txt").read_text(encoding="utf-8")
    for section in text.split("=== ")[1:]:
        what, _, rest = section.partition("\n")
        spec, _, expected = rest.rpartition("\n---\n")
        # A backslash at the end stands for a text that does not end its last line.
        cases[what] = (spec[:-1] if spec.endswith("\\") else spec + "\n", expected)
    return cases


CASES = _cases()


@pytest.mark.parametrize("what", CASES)
def test_a_spec_is_refused_with_every_error_at_its_place(what: str) -> None:
    text, expected = CASES[what]
    with pytest.raises(AbigenError) as refusal:
        read_text(text)
    found = [str(each).removeprefix("toy.yaml:") for each in refusal.value.diagnostics]
    assert "\n".join(found) + "\n" == expected


def test_a_byte_order_mark_counts_as_no_column() -> None:
    assert errors_in("\ufeffapi: 1\n")[0].startswith("1:1: ")
    assert errors_in("\ufeff" + HEAD + "structz: 1\n") == ["4:1: error: a spec has no key 'structz'"]


def test_lines_may_end_in_carriage_return_and_line_feed() -> None:
    text = (HEAD + "structz: 1\nfunctionz: 2\n").replace("\n", "\r\n")
    assert errors_in(text) == [
        "4:1: error: a spec has no key 'structz'",
        "5:1: error: a spec has no key 'functionz'",
    ]


def test_lines_are_counted_as_editors_count_them() -> None:
    for separator in "\u2028", "\u2029", "\x85":
        assert errors_in(HEAD + f"doc: 'a{separator}b'\nstructz: 1\n") == ["5:1: error: a spec has no key 'structz'"]


def test_columns_count_characters() -> None:
    text = HEAD + 'typedefs: [{doc: "äöü 😀", name: T, type: unknown}]\n'
    column = text.splitlines()[3].index("unknown") + 1
    assert errors_in(text) == [f"4:{column}: error: unknown type name 'unknown'"]


def test_control_characters_are_refused_where_they_stand() -> None:
    assert errors_in(HEAD + "doc: a\x00b\n") == ["4:7: error: the control character U+0000 is not allowed in YAML"]
    assert errors_in(HEAD + "doc: a\x1bb\n") == ["4:7: error: the control character U+001B is not allowed in YAML"]
    assert errors_in(HEAD + "doc: \udcff\n") == ["4:6: error: a byte that is not UTF-8"]


def test_errors_stop_at_a_number_that_somebody_may_read() -> None:
    text = HEAD + "constants:\n" + "".join(f"  - {{name: C{number}, walue: 1}}\n" for number in range(1000))
    errors = errors_in(text)
    assert len(errors) == MAX_PROBLEMS + 1
    assert errors[-1] == f"error: too many errors; only the first {MAX_PROBLEMS} are shown"


def test_a_name_that_was_refused_is_not_reported_again_where_it_is_used() -> None:
    text = (
        HEAD
        + "structs:\n  - {name: no, fields: [{name: x, type: int}]}\n  - {name: A, fields: [{name: x, type: no*}]}\n"
    )
    assert errors_in(text) == ["5:12: error: expected text, found 'no', which YAML reads as false"]
