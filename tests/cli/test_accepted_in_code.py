"""Comments in the code that accept findings."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.program import Program

Write = Callable[..., Path]

OLD = "int f(int);\nint g(int);\nstruct s {\n  int a;\n  int b;\n};\nint h(struct s*);\n"


@pytest.mark.parametrize(
    "line",
    [
        "int f(long);  // abigen: accept function-signature-changed: nobody calls it",
        "int f(long);  /* abigen: accept abi403: nobody calls it */",
        "// abigen: accept ABI403: nobody calls it\nint f(long);",
        "/* It rests.\n * abigen: accept function-signature-changed: nobody calls it\n */\nint\nf(\n  long);",
        "// abigen: accept function-signature-changed f: nobody calls it\nint k;\nint f(long);",
    ],
)
def test_a_comment_accepts_the_finding_about_its_declaration(line: str, abigen: Program, write: Write) -> None:
    write("old.h", OLD)
    write("new.h", OLD.replace("int f(int);", line).replace("int g(int)", "int g(long)"))
    result = abigen("diff", "old.h", "new.h")
    assert "accepted: ABI403 function-signature-changed: f: parameter 1 was `int`, is `long` (nobody calls it)\n" in (
        result.output
    )
    assert "ABI403 function-signature-changed: g: parameter 1" in result.output
    assert result.code == 1


def test_a_comment_names_what_is_gone(abigen: Program, write: Write) -> None:
    write("old.h", OLD)
    text = OLD.replace("struct s {", "// abigen: accept field-removed s.b: never shipped\nstruct s {")
    write("new.h", text.replace("  int b;\n", ""))
    result = abigen("diff", "old.h", "new.h")
    assert "accepted: ABI101 field-removed: s.b was removed" in result.output


def test_lint_takes_comments_of_headers_and_specs(abigen: Program, write: Write) -> None:
    write("api.h", "#pragma once\nlong f(void);  // abigen: accept nonportable-type: only on Linux\n")
    result = abigen("lint", "api.h")
    assert "accepted: ABI811 nonportable-type" in result.output
    assert "warning ABI811" not in result.output


def test_a_comment_that_no_longer_matters_is_reported(abigen: Program, write: Write) -> None:
    write("old.h", OLD)
    write("new.h", OLD.replace("int f(int);", "int f(int);  // abigen: accept function-signature-changed: it was"))
    result = abigen("diff", "old.h", "new.h")
    assert "exception-unused" in result.output
    assert "new.h:1:17" in abigen("diff", "old.h", "new.h", "--all").output


@pytest.mark.parametrize(
    ("comment", "message"),
    [
        ("accept function-signature-changed", "names the rule and gives a reason"),
        ("accept function-signatures-changed: why", "there is no rule 'function-signatures-changed'"),
    ],
)
def test_a_comment_without_reason_or_with_an_unknown_rule_is_a_mistake(
    comment: str, message: str, abigen: Program, write: Write
) -> None:
    write("old.h", OLD)
    write("new.h", OLD.replace("int f(int);", f"int f(int);  // abigen: {comment}"))
    result = abigen("diff", "old.h", "new.h")
    assert (result.code, result.output) == (2, "")
    assert "new.h:1:17: error: " in result.remarks
    assert message in result.remarks
