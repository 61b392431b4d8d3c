"""Annotations, as the runner of GitHub Actions reads them."""

from __future__ import annotations

import re

from msgspec.structs import replace

from abigen.checker.report.formats.github import render
from abigen.checker.report.subject import Style, lint_report
from abigen.model.span import Span
from tests.checker.report.samples import COMPARISON, FINDING, NO_CHANGE

COMMAND = re.compile(r"::(error|warning|notice) ([^:]*)::(.*)")


def _parse(line: str) -> tuple[str, dict[str, str], str]:
    """Return a workflow command as the runner takes it apart."""
    match = COMMAND.fullmatch(line)
    assert match is not None, line
    properties = dict(pair.split("=", 1) for pair in match[2].split(","))

    def plain(text: str) -> str:
        for escaped, character in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
            text = text.replace(escaped, character)
        return text

    return match[1], {name: plain(value) for name, value in properties.items()}, plain(match[3])


def test_each_finding_is_an_annotation_at_its_place_and_the_verdict_is_the_last() -> None:
    lines = render([COMPARISON], Style()).splitlines()
    kind, properties, message = _parse(lines[0])
    assert kind == "error"
    assert properties == {
        "title": "ABI103 field-inserted",
        "file": "new.h",
        "line": "3",
        "col": "6",
        "endColumn": "11",
    }
    assert message.splitlines()[0] == FINDING.message
    assert any(line.startswith("old plugin: breaks") for line in message.splitlines())
    assert "Raise MAJOR" in _parse(lines[-1])[2]


def test_what_would_end_a_command_is_escaped() -> None:
    hostile = replace(FINDING, message="100%\r\n::error::x", new=Span("a,b:c\n.h", 1, 1))
    text = render([lint_report((COMPARISON.new,), (hostile,), ok=False)], Style())
    kind, properties, message = _parse(text.splitlines()[0])
    assert kind == "error"
    assert properties["file"] == r"a,b:c\n.h"
    assert message.startswith(r"100%\r\n::error::x")
    assert len(text.splitlines()) == 2


def test_without_changes_there_is_one_notice() -> None:
    (line,) = render([NO_CHANGE], Style()).splitlines()
    assert _parse(line)[0] == "notice"
