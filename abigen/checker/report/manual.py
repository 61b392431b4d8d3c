"""The manual and the table of rules as text, JSON and Markdown."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import groupby
from textwrap import wrap

from abigen.model.finding import Page

TABLE_FORMATS = ("text", "json", "markdown")
"""The formats of `rules_table`."""

_SOURCES = (
    "A rule names its sources. *Versioning strategy* is TensorFlow's document on versions of the StreamExecutor C API;",
    "*RFC* is its proposal of that API, and *PR* the discussion of the proposal. *Rulebook* is abigen's own list of",
    "rules, which follows them and, where they are silent, the C standard (*C*, with its section).",
    "",
    "Column *requires* has the part of the version to raise, unless the finding states another one. *PATCH or MAJOR*",
    "depends on `options.source-counts`, since only source code breaks.",
)
"""The introduction of the reference."""
_COLUMNS = ("| code | rule | what it finds |", "|---|---|---|")
_BUMP_COLUMNS = ("| code | rule | requires | what it finds |", "|---|---|---|---|")

_BOLD = "\x1b[1m"
_RESET = "\x1b[0m"
_INDENT = "  "


def page_text(page: Page, *, width: int = 80, colour: bool = False) -> str:
    """Return one page for a terminal.

    Args:
        page: what to print.
        width: columns to wrap at.
        colour: whether headings are bold.
    """
    bold, reset = (_BOLD, _RESET) if colour else ("", "")
    lines = [f"{bold}{page.code} {page.name}{reset}", f"{page.group}; reported by {_commands(page)}", ""]
    lines += wrap(page.summary, width, break_on_hyphens=False)
    for heading, text in page.sections:
        lines += ["", *([f"{bold}{heading}{reset}"] if heading else [])]
        text = _sentence(text)
        lines += wrap(text, width, initial_indent=_INDENT, subsequent_indent=_INDENT, break_on_hyphens=False)
    return "\n".join(lines) + "\n"


def rules_table(pages: Sequence[Page], form: str, *, width: int = 100, colour: bool = False) -> str:
    """Return all rules.

    Args:
        pages: by code.
        form: one of `TABLE_FORMATS`; `text` is a table, the others hold every page as a whole.
        width: columns to cut a table's lines at.
        colour: whether headings are bold.
    """
    return {"text": _text, "json": _json, "markdown": _markdown}[form](pages, width, colour)


def _text(pages: Sequence[Page], width: int, colour: bool) -> str:
    """Return a line per rule, grouped."""
    bold, reset = (_BOLD, _RESET) if colour else ("", "")
    column = max(len(page.name) for page in pages) + 2
    lines = []
    for group, members in groupby(pages, key=lambda page: page.group):
        lines += ["", f"{bold}{group}{reset}"]
        for page in members:
            head = f"  {page.code}  {page.name:{column}}"
            first, *rest = wrap(page.summary, max(width - len(head), 30), break_on_hyphens=False)
            lines += [head + first, *(" " * len(head) + line for line in rest)]
    return "\n".join(lines[1:]) + "\n"


def _json(pages: Sequence[Page], width: int, colour: bool) -> str:
    """Return an object with every page."""
    rules = [
        {
            "code": page.code,
            "rule": page.name,
            "group": page.group,
            "commands": list(page.commands),
            "summary": page.summary,
            "sections": [{"heading": heading, "text": text} for heading, text in page.sections],
        }
        for page in pages
    ]
    return json.dumps({"schema": "abigen-rules/1", "rules": rules}, indent=2) + "\n"


def _markdown(pages: Sequence[Page], width: int, colour: bool) -> str:
    """Return a reference: a table for each subject first, then a section per rule."""
    bar = "\\|"
    lines = ["# Rules", "", *_SOURCES]
    for group, members in groupby(pages, key=lambda page: page.group):
        listed = tuple(members)
        has_bumps = any(page.bump for page in listed)
        lines += ["", f"**{group}**", "", *(_BUMP_COLUMNS if has_bumps else _COLUMNS)]
        for page in listed:
            bump, summary = f" {page.bump} |" if has_bumps else "", page.summary.replace("|", bar)
            lines.append(f"| {page.code} | [{page.name}](#{_anchor(page)}) |{bump} {summary} |")
    for group, members in groupby(pages, key=lambda page: page.group):
        lines += ["", f"## {group}"]
        for page in members:
            lines += ["", f"### {page.code} {page.name}", "", f"{page.summary} Reported by {_commands(page)}."]
            for heading, text in page.sections:
                lines += ["", f"**{heading}.** {_sentence(text)}" if heading else text]
    return "\n".join(lines) + "\n"


def _commands(page: Page) -> str:
    """`abigen diff and abigen lint`."""
    return " and ".join(f"`abigen {command}`" for command in page.commands)


def _anchor(page: Page) -> str:
    """Return the name that Markdown renderers give to a rule's heading."""
    return f"{page.code} {page.name}".lower().replace(" ", "-").replace("?", "")


def _sentence(text: str) -> str:
    """Return a text that stood behind a colon, as it stands below a heading."""
    return text[:1].upper() + text[1:]
