"""Adds an example to each rule of docs/rules.md, a short case of the tests, and who breaks in it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from difflib import unified_diff
from pathlib import Path

from abigen.checker.compare import compare
from abigen.checker.report.wording import AXIS_LABELS, answers_of
from abigen.model.finding import Axis, Bump, Finding
from tests.checker.lint.fixtures import all_cases
from tests.checker.rules.fixtures import Pair, all_pairs

_CONTEXT = 2
"""The number of unchanged lines around a change."""
_COLUMN = "depends on `options.source-counts`, since only source code breaks."
_BREAKS = "Column *breaks* has who breaks in the example of the rule; an axis in parentheses is only at risk."
_LONGEST = 40
"""The number of lines of an example; a longer one is left out."""


def with_examples(page: str) -> str:
    """Return the page of rules with examples, and with a column that has who breaks in them."""
    pairs, flaws = _shortest_pairs(), _shortest_flaws()
    found = {rule: _worst(rule, pair) for rule, pair in pairs.items()}
    page = page.replace(_COLUMN, f"{_COLUMN}\n\n{_BREAKS}", 1)
    page = re.sub(r"^\| code \| rule \| requires \|", r"\g<0> breaks |", page, flags=re.MULTILINE)
    page = re.sub(r"^\|---\|---\|---\|---\|$", r"\g<0>---|", page, flags=re.MULTILINE)
    row = re.compile(r"^\| ABI\d+ \| \[([a-z0-9-]+)\]\(\S+\) \| [A-Za-z ]* \| (?=.* \|$)", re.MULTILINE)
    page = row.sub(_with_breaks(found), page)
    parts = re.split(r"^(### ABI\d+ ([a-z0-9-]+)\n)", page, flags=re.MULTILINE)
    text = parts[0]
    for head, rule, section in zip(parts[1::3], parts[2::3], parts[3::3], strict=True):
        example = _of_pair(pairs[rule]) if rule in pairs else _of_flaw(flaws[rule]) if rule in flaws else ""
        body, end, rest = section.partition("\n## ")
        text += head + body.rstrip("\n") + example + "\n" + ("\n" if not end else end.replace("\n", "\n\n", 1) + rest)
    return text.rstrip("\n") + "\n"


def _with_breaks(found: Mapping[str, Finding]) -> Callable[[re.Match[str]], str]:
    """Return a function that adds the cell with who breaks to a row of the table."""
    return lambda row: f"{row[0]}{_who_breaks(found[row[1]]) if row[1] in found else ''} | "


def _who_breaks(finding: Finding) -> str:
    """Return the axes on which a finding breaks something; those at risk in parentheses."""
    answers = [(AXIS_LABELS[name], answer) for name, answer in answers_of(finding).items() if answer is not Axis.OK]
    return ", ".join(label if answer is Axis.BREAKS else f"({label})" for label, answer in answers)


def _worst(rule: str, pair: Pair) -> Finding:
    """Return the finding of a rule that requires the highest bump."""
    findings = compare(pair.read("old"), pair.read("new"), pair.policy).findings
    return max((each for each in findings if each.rule == rule), key=lambda each: each.bump.rank)


def _shortest_pairs() -> dict[str, Pair]:
    """Return a short pair for each rule that reports changes: of those with the highest bump, one with few findings."""
    shortest: dict[str, tuple[tuple[int, int, int, str], Pair]] = {}
    for pair in all_pairs():
        if not all(pair.side(side).is_file() for side in ("old", "new")) or (pair.folder / "old.c").exists():
            continue  # folders, and headers with libraries, which have to be compiled
        length = len(_difference(pair))
        for each in pair.expected if length <= _LONGEST else ():
            size = (-Bump(each.bump).rank, len(pair.expected), length, pair.name)
            if each.rule not in shortest or size < shortest[each.rule][0]:
                shortest[each.rule] = size, pair
    return {rule: pair for rule, (_, pair) in shortest.items()}


def _shortest_flaws() -> dict[str, Path]:
    """Return the shortest file with a flaw for each rule of `abigen lint`."""
    shortest: dict[str, tuple[int, Path]] = {}
    for case in all_cases():
        path = next(path for path in (case.folder / "api.h", case.folder / "api.yaml") if path.exists())
        length = len(path.read_text(encoding="utf-8").splitlines())
        for rule in {line.split()[0] for line in case.expected} if length <= _LONGEST else ():
            if rule not in shortest or length < shortest[rule][0]:
                shortest[rule] = length, path
    return {rule: path for rule, (_, path) in shortest.items()}


def _difference(pair: Pair) -> list[str]:
    """Return the lines that differ, with those around them."""
    old, new = (pair.side(side).read_text(encoding="utf-8").splitlines() for side in ("old", "new"))
    lines = list(unified_diff(old, new, lineterm="", n=_CONTEXT))[3:]
    return ["..." if line.startswith("@@") else line for line in lines]


def _of_pair(pair: Pair) -> str:
    """Return an example of a change."""
    return "\n".join(["\n\n**Example.**\n", "```diff", *_difference(pair), "```"])


def _of_flaw(path: Path) -> str:
    """Return an example of a flaw."""
    language = "c" if path.suffix == ".h" else "yaml"
    return "\n".join(["\n\n**Example.**\n", f"```{language}", path.read_text(encoding="utf-8").strip(), "```"])
