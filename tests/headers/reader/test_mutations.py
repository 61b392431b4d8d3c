"""Headers with mistakes in them, made by chance: never a crash, and the compiler's opinion shared."""

from __future__ import annotations

import random
import re

import pytest

from abigen.model.span import AbigenError
from tests.headers.reader.headers import ACCEPTED
from tests.headers.reader.reading import read
from tests.headers.reader.refused import REFUSED
from tests.headers.reader.test_accepted import compile_with

_LEXEME = re.compile(r'\w+|"[^"\n]*"|\'[^\'\n]*\'|\s+|\.\.\.|->|\[\[|\]\]|.', re.DOTALL)
_TEXTS = [text for text in (*ACCEPTED.values(), *(text for text, _ in REFUSED.values())) if 0 < len(text) < 900]
_WORDS = [word for text in _TEXTS for word in _LEXEME.findall(text) if not word.isspace()]
_WORDS += [
    *"{}()[];*,:=@\\\"'",
    "::",
    "__attribute__((",
    "))",
    "struct",
    "enum",
    "union",
    "typedef",
    "sizeof",
    "//",
    "/*",
]
_PLAIN = [
    text
    for name, text in ACCEPTED.items()
    # What a compiler has against bodies and initialisers is not read.
    if "#" not in text and "{ return" not in text and "= {" not in text and "for (" not in text and len(text) < 900
    and name not in ("implicit-int", "auto-type", "asm-at-top-level", "old-style-definition")
]  # fmt: skip


def mutated(text: str, chance: random.Random, changes: int) -> str:
    """Return the text with some of its lexemes deleted, doubled, exchanged or replaced."""
    words = _LEXEME.findall(text)
    for _ in range(changes):
        if not words:
            break
        index = chance.randrange(len(words))
        kind = chance.random()
        if kind < 0.35:
            del words[index]
        elif kind < 0.6:
            words.insert(index, f" {chance.choice(_WORDS)} ")
        elif kind < 0.8:
            words[index] = f" {chance.choice(_WORDS)} "
        else:
            other = chance.randrange(len(words))
            words[index], words[other] = words[other], words[index]
    return "".join(words)


def survive(seed: int, count: int) -> None:
    chance = random.Random(seed)
    for _ in range(count):
        text = mutated(chance.choice(_TEXTS), chance, chance.choice((1, 2, 4, 8)))
        try:
            read(text, cc="none")
        except AbigenError as error:
            assert all(str(each) for each in error.diagnostics)


@pytest.mark.first_case
@pytest.mark.parametrize("seed", range(4))
def test_a_mutated_header_is_read_or_refused(seed: int) -> None:
    survive(seed, 100)


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", range(100, 120))
def test_many_mutated_headers_are_read_or_refused(seed: int) -> None:
    survive(seed, 2000)


@pytest.mark.fuzz
def test_gcc_and_the_reader_agree_on_mutated_headers() -> None:
    chance = random.Random(7)
    differing = []
    for _ in range(1500):
        text = mutated(chance.choice(_PLAIN), chance, 1)
        try:
            read(text)
            accepted = True
        except AbigenError:
            accepted = False
        if accepted != (compile_with("gcc", text) == ""):
            differing.append(text)
    # What is left: forward declarations of parameters, conflicts of attributes, scopes of parameters.
    assert len(differing) <= 45, "\n----\n".join(differing)
