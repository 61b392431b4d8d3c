"""Specs are untrusted input: whatever stands in one, it is read or refused with a message, soon, in little memory."""

from __future__ import annotations

import random
import re
import resource
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abigen.model.span import AbigenError
from abigen.workspace.document.tree import MAX_CHARACTERS, MAX_DEPTH, decode
from tests.specs.language.samples import FULL, errors_in, read_text

HEAD = "abigen: 1\napi: toy\nversion: 1.2.0\n"
WORDS = sorted(set(re.findall(r"\w+|[^\w\s]", FULL)))
NASTY = [
    *[
        "*",
        "&a",
        "*a",
        "!!python/object:os",
        "<<",
        "? ",
        "- ",
        "---",
        "...",
        "%",
        "@",
        "`",
        "'",
        '"',
        "\\",
        "\t",
        "\r",
        "#",
    ],
    *[
        "/*",
        "*/",
        "//",
        "??/",
        "{",
        "}",
        "[",
        "]",
        ":",
        ",",
        "|",
        ">",
        "\0",
        "\ud800",
        "\u2028",
        "010",
        "1e9",
        "0x",
        "-1",
    ],
    *[
        "void",
        "struct",
        "int",
        "(*)",
        "sizeof",
        "offsetof",
        "__attribute__",
        "((aligned(8)))",
        "__stdcall",
        "...",
        "=",
        ";",
    ],
    *[
        "9" * 50,
        "(" * 60,
        "a" * 300,
        "T[" * 20,
        "1/0",
        "1<<99",
        "-1",
        "0.0.0",
        "99999999999.0.0",
        "null",
        "~",
        "true",
        "no",
    ],
]


def survives(text: str) -> None:
    """Read a spec; anything but an API or a refusal is a failure."""
    try:
        read_text(text)
    except AbigenError as error:
        assert error.diagnostics
        for each in error.diagnostics:
            assert each.message
            assert "\n" not in each.message


def mutation(seed: int) -> str:
    """Return the sample with a few words replaced, removed, doubled or put elsewhere."""
    chance = random.Random(seed)
    parts = re.split(r"(\W)", FULL)
    for _ in range(chance.randint(1, 6)):
        place = chance.randrange(len(parts))
        action = chance.randrange(5)
        if action == 0:
            parts[place] = chance.choice(WORDS)
        elif action == 1:
            parts[place] = chance.choice(NASTY)
        elif action == 2:
            parts.insert(place, chance.choice([*WORDS, *NASTY]))
        elif action == 3:
            del parts[place : place + chance.randint(1, 10)]
        else:
            other = chance.randrange(len(parts))
            parts[place], parts[other] = parts[other], parts[place]
    return "".join(parts)


@pytest.mark.ci
@given(st.integers(0, 2**40))
@settings(deadline=None)
def test_a_mutated_spec_is_read_or_refused(seed: int) -> None:
    survives(mutation(seed))


@given(st.text())
@settings(deadline=None)
def test_any_text_is_read_or_refused(text: str) -> None:
    survives(text)


@given(st.text(alphabet="intvoidchar*&()[]{}<>,;:.=+-/\\\"'#@ \n_T0919", max_size=40))
@settings(deadline=None)
def test_any_text_as_a_type_is_read_or_refused(text: str) -> None:
    quoted = text.replace("'", "''").replace("\n", "\n\n  ")
    survives(HEAD + f"typedefs:\n  - name: T\n    type: '{quoted}'\n  - {{name: U, type: T}}\n")
    survives(HEAD + f"enums:\n  - name: E\n    enumerators:\n      - name: A\n        value: '{quoted}'\n")


@pytest.mark.fuzz
def test_a_hundred_thousand_mutated_specs_are_read_or_refused() -> None:
    for seed in range(100_000):
        begin = time.monotonic()
        survives(mutation(seed))
        assert time.monotonic() - begin < 10, seed


@pytest.mark.parametrize("data", [b"\xff\xfe\x00a", b"abigen: \xe9", bytes(range(256)) * 8, b"\x7fELF\x02\x01\x01\0\0"])
def test_what_is_no_text_is_refused_at_its_first_wrong_byte(data: bytes) -> None:
    with pytest.raises(AbigenError) as refusal:
        read_text(decode("toy.yaml", data))
    assert refusal.value.diagnostics[0].place


def test_a_byte_that_is_not_utf_8_is_named() -> None:
    with pytest.raises(AbigenError, match=r"toy.yaml:2:11: error: byte 0xe9 is not UTF-8"):
        decode("toy.yaml", b"doc:\n  caf\xc3\xa9 caf\xe9\n")


def test_an_alias_bomb_is_refused() -> None:
    bomb = "a0: &a0 [x]\n" + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 20))
    assert "values, each alias counted with its whole value" in errors_in(bomb)[-1]


def test_an_alias_stands_for_what_it_names() -> None:
    fields = "[{name: x, type: &t void*, doc: *d}, {name: y, type: *t}]"
    text = HEAD + f"structs:\n  - {{name: A, doc: &d Shared., fields: {fields}}}\n"
    struct = read_text(text).structs["A"]
    assert [field.doc for field in struct.fields or ()] == ["Shared.", ""]
    assert len({field.type for field in struct.fields or ()}) == 1


def test_nesting_is_bounded() -> None:
    for text in "[" * 100_000, "{a: " * 100_000, "- " * 100_000, "? " * 100_000:
        assert f"nested more than {MAX_DEPTH} levels deep" in errors_in(text)[-1]


@pytest.mark.ci
def test_macros_that_grow_without_end_are_refused() -> None:
    lines = "".join(f"  - {{name: A{n}, value: A{n - 1} + A{n - 1}}}\n" for n in range(1, 40))
    text = (
        HEAD
        + "constants:\n  - {name: A0, value: 1}\n"
        + lines
        + "structs: [{name: S, fields: [{name: x, type: 'int[A39]'}]}]\n"
    )
    assert "takes more than" in "".join(errors_in(text))


@pytest.mark.ci
def test_a_long_chain_is_read_without_recursion() -> None:
    count = 3000
    structs = "".join(f"  - {{name: S{n}, fields: [{{name: x, type: S{n + 1}*}}]}}\n" for n in range(count))
    text = HEAD + "structs:\n" + structs + f"  - {{name: S{count}, fields: [{{name: x, type: int}}]}}\n"
    assert len(read_text(text).structs) == count + 1
    by_value = re.sub(r"\*", "", text)
    survives(by_value)
    typedefs = "".join(f"  - {{name: T{n}, type: T{n + 1}}}\n" for n in range(count))
    survives(HEAD + "typedefs:\n" + typedefs + f"  - {{name: T{count}, type: int}}\n")


HUGE = {
    "characters": "doc: " + "x" * (MAX_CHARACTERS + 1),
    "values": "doc: [" + "a," * 3_000_000,
    "unknown keys": HEAD + "".join(f"key{n}: 1\n" for n in range(300_000)),
    "unknown types": HEAD
    + "structs:\n  - name: S\n    fields:\n"
    + "".join(f"      - {{name: f{n}, type: Unknown{n}*}}\n" for n in range(50_000)),
    "names that are taken": HEAD + "constants:\n" + "  - {name: A, value: 1}\n" * 60_000,
    "structs": HEAD
    + "structs:\n"
    + "".join(f"  - {{name: S{n}, fields: [{{name: x, type: int}}]}}\n" for n in range(15_000)),
}


@pytest.mark.slow
@pytest.mark.parametrize("what", HUGE)
def test_a_huge_spec_takes_little_time_and_memory(what: str, tmp_path: Path) -> None:
    path = tmp_path / "huge.yaml"
    path.write_text(HUGE[what])
    program = (
        "import sys\nfrom pathlib import Path\nfrom tests.specs.language.test_robustness import survives\n"
        "survives(Path(sys.argv[1]).read_text())\n"
    )
    begin = time.monotonic()
    subprocess.run([sys.executable, "-c", program, str(path)], check=True, preexec_fn=_limit_memory, timeout=60)
    assert time.monotonic() - begin < 20


def _limit_memory() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
