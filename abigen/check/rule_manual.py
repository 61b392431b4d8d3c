"""The manual: a page per rule, made of the rules' own docstrings."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec.structs import replace

from abigen.check.compare import registry
from abigen.check.rule import Rule
from abigen.model.finding import Page
from abigen.model.span import AbigenError, did_you_mean

GROUPS = {
    "1": "Members of structs and unions",
    "2": "Whole types",
    "3": "Enumerations",
    "4": "Functions and variables",
    "5": "Macros, constants and includes",
    "6": "Deprecation",
    "7": "Versions",
    "8": "Form",
    "9": "Policy",
}
"""What the hundreds of the codes stand for."""

_HEADING = re.compile(r"([A-Z][a-z]+(?: [a-z]+){0,2}): ")


def pages() -> tuple[Page, ...]:
    """The manual, by code; a rule that looks both at changes and at one API has one page.

    Returns:
        One page per public name.
    """
    found: dict[str, Page] = {}
    rules = registry()
    kinds = (("diff", [*rules.change, *rules.release, *rules.policy]), ("lint", [*rules.lint, *rules.policy]))
    for command, rule in ((command, rule) for command, kind in kinds for rule in kind):
        page, known = _page(rule, command), found.get(rule.name)
        if known is not None:
            sections = tuple(dict.fromkeys((*known.sections, *page.sections)))
            page = replace(page, commands=(*known.commands, command), sections=sections)
        found[rule.name] = page
    return tuple(sorted(found.values(), key=lambda page: page.code))


def find_page(
    name: str,
    manual: Sequence[Page] | None = None,
    *,
    kind: str = "rule",
    otherwise: str = "`abigen rules` lists all of them",
) -> Page:
    """The page about one rule.

    Args:
        name: the rule's public name or its code, in upper or lower case.
        manual: the pages to look at; those of all rules when it is None.
        kind: what the pages are about.
        otherwise: the hint when no name is close.

    Raises:
        AbigenError: there is no such rule.
    """
    known = {
        key.lower(): page
        for page in (pages() if manual is None else manual)
        for key in (page.code, page.name, *page.former)
    }
    page = known.get(name.lower())
    if page is None:
        hint = did_you_mean(name.lower(), known, otherwise, shown=lambda key: f"`{known[key].name}`")
        raise AbigenError.at(None, f"there is no {kind} `{name}`", hint)
    return page


def _page(rule: Rule, command: str) -> Page:
    """Take the docstring of a rule apart that one command runs."""
    summary, *paragraphs = rule.manual.split("\n\n")
    return Page(
        code=rule.code,
        name=rule.name,
        group=GROUPS[rule.code[3]],
        commands=(command,),
        summary=" ".join(summary.split()),
        sections=tuple(map(_section, paragraphs)),
        former=rule.former,
    )


def _section(paragraph: str) -> tuple[str, str]:
    """Heading and text of `What happens: ...`."""
    text = " ".join(paragraph.split())
    heading = _HEADING.match(text)
    return (heading[1], text[heading.end() :]) if heading else ("", text)
