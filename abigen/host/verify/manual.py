"""The manual of the checks: a page per check, made of its docstring."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from abigen.model.manual import Page

if TYPE_CHECKING:
    from abigen.host.verify.check import Check

GROUP = "Plugin binaries"
_HEADING = re.compile(r"([A-Z][a-z]+(?: [a-z]+){0,2}): ")


def pages_of(checks: Iterable[Check]) -> tuple[Page, ...]:
    """The manual's pages about checks, in their order."""
    return tuple(_page(check) for check in checks)


def _page(check: Check) -> Page:
    _, *paragraphs = check.manual.split("\n\n")
    return Page(
        code=check.code,
        name=check.name,
        group=GROUP,
        commands=("verify",),
        summary=check.summary,
        sections=tuple(_section(paragraph) for paragraph in paragraphs),
    )


def _section(paragraph: str) -> tuple[str, str]:
    """Heading and text of `What happens: ...`."""
    text = " ".join(paragraph.split())
    heading = _HEADING.match(text)
    return (heading[1], text[heading.end() :]) if heading else ("", text)
