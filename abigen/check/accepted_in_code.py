"""What comments in a header or a spec accept: `// abigen: accept RULE: reason`, beside what it is about."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from abigen.model.api import ApiSet
from abigen.model.finding import Labels, Override, rule_named
from abigen.model.span import AbigenError, Diagnostic, Span, did_you_mean

_COMMENT = re.compile(r"(?://[/!]?|/\*[*!]?|^\s*\*|#)\s*(?P<said>abigen:\s*accept\b\s*(?P<rest>.*?))\s*(?:\*/.*)?$")
_WORDS = re.compile(r"(?P<rule>[\w*?-]+)(?:\s+(?P<entity>[\w.*?]+))?\s*:\s*(?P<reason>\S.*)")
_NO_CODE = re.compile(r"\s*(?:$|//|/\*|\*(?!\w))")
_YAML_COMMENT = re.compile(r"\s*(?:$|#)")
_LONGEST = 40
"""How many lines a declaration has that a comment before it is about, at most."""


def accepted_in_code(api: ApiSet, labels: Labels) -> tuple[Override, ...]:
    """What comments in the API's own files accept.

    A comment behind a declaration is about its line; one on a line of its own is about the declaration that follows.
    What is gone has no line: `abigen: accept RULE ENTITY: reason` names it.

    Args:
        api: as it was read.
        labels: code, name and former names of each rule.

    Raises:
        AbigenError: a comment gives no reason, or names no rule.
    """
    own = {file for group in api.groups for file in group.api.files}
    problems: list[Diagnostic] = []
    found: list[Override] = []
    for file in sorted(own & {*api.sources}):
        if "abigen:" not in api.sources[file]:
            continue
        lines = api.sources[file].splitlines()
        for number, comment in _comments(lines):
            place = Span(file, number + 1, comment.start("said") + 1, len(comment["said"]))
            words = _WORDS.fullmatch(comment["rest"])
            rule = rule_named(words["rule"], labels) if words is not None else ""
            if words is None:
                message = "a comment that accepts a finding names the rule and gives a reason"
                problems.append(Diagnostic(place, message, "write `abigen: accept RULE: reason`"))
            elif not rule:
                hint = did_you_mean(words["rule"], [each[1] for each in labels], "`abigen rules` lists all of them")
                problems.append(Diagnostic(place, f"there is no rule '{words['rule']}'", hint))
            else:
                span = (0, 0) if words["entity"] else _declaration(lines, number, comment.start(), file)
                entity, reason = words["entity"] or "*", words["reason"]
                found.append(Override(rule=rule, entity=entity, reason=reason, place=place, lines=span))
    if problems:
        raise AbigenError(tuple(problems))
    return tuple(found)


def _comments(lines: Sequence[str]) -> Iterator[tuple[int, re.Match[str]]]:
    """The lines, counted from 0, in which a comment accepts something."""
    for number, line in enumerate(lines):
        if "abigen:" in line and (found := _COMMENT.search(line)):
            yield number, found


def _declaration(lines: Sequence[str], number: int, column: int, file: str) -> tuple[int, int]:
    """The first and the last line, counted from 1, of what a comment is about."""
    no_code = _YAML_COMMENT if file.endswith((".yaml", ".yml")) else _NO_CODE
    if lines[number][:column].strip():
        return number + 1, number + 1
    first = next((at for at in range(number + 1, len(lines)) if not no_code.match(lines[at])), number)
    end = min(len(lines), first + _LONGEST)
    last = next((at for at in range(first, end) if re.search(r"[;,{}]|^\s*#", lines[at])), first)
    return first + 1, last + 1
