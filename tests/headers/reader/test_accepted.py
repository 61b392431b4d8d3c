"""Tests that abigen reads constructs that compilers accept, with the same meaning."""

from __future__ import annotations

import subprocess

import pytest

from tests.headers.reader.headers import ACCEPTED
from tests.headers.reader.proof import proof
from tests.headers.reader.reading import read
from tests.tools import require

STRICTER_COMPILERS = {"old-style-definition", "implicit-int", "identifier-list-in-a-declaration"}
WITH_WARNINGS = STRICTER_COMPILERS | {"attributes-with-strange-arguments", "auto-type"}

LAYOUT_ONLY = {"floating-types-of-a-fixed-width", "modes"}
"""The model has another type of the same layout."""


def compile_with(compiler: str, text: str, *options: str) -> str:
    """Return the errors of a compiler for a header; empty when it accepts it."""
    (program,) = require(compiler)
    command = [program, "-std=gnu17", "-fsyntax-only", "-x", "c", "-w", *options, "-"]
    result = subprocess.run(command, input=text.encode(), capture_output=True, check=False)
    return result.stderr.decode(errors="replace") if result.returncode else ""


@pytest.mark.first_case
@pytest.mark.parametrize("name", ACCEPTED)
def test_a_header_that_gcc_accepts_is_read_as_gcc_understands_it(name: str) -> None:
    text = ACCEPTED[name]
    api = read(text)
    assert compile_with("gcc", text) == ""
    assert compile_with("gcc", text + "\n" + proof(api, types=name not in LAYOUT_ONLY)) == ""


@pytest.mark.parametrize("name", sorted(set(ACCEPTED) - WITH_WARNINGS))
def test_a_header_that_is_plainly_right_gives_no_warning(name: str) -> None:
    assert read(ACCEPTED[name]).warnings == ()


@pytest.mark.parametrize("name", sorted(WITH_WARNINGS))
def test_what_compilers_accept_against_the_standard_gives_a_warning(name: str) -> None:
    assert read(ACCEPTED[name]).warnings
