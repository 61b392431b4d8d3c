"""The pages of reference documentation: one of HTML, or one of Markdown per entity, by templates below `docs/`."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from html import escape

from abigen.emit.docs.names import LinkedText
from abigen.emit.docs.view import DocApi
from abigen.emit.templates import Templates
from abigen.model.printable import printable, printable_lines
from abigen.version import __version__

FORMATS = ("html", "markdown")
_MARKUP = re.compile(r"[\\`*{}\[\]<>#|~&@]|(?<!\w)_|_(?!\w)")
_BLANKS = re.compile(r"\n{3,}")


def pages(apis: Sequence[DocApi], form: str, templates: Templates) -> Mapping[str, bytes]:
    """Make the pages.

    Args:
        apis: what to describe.
        form: one of `FORMATS`.
        templates: the templates to use.

    Returns:
        Path relative to the folder of the documentation to content.
    """
    if form == "html":
        return {"index.html": _rendered("docs/page.html.j2", templates, apis=apis)}
    made = {"index.md": _rendered("docs/index.md.j2", templates, apis=apis)}
    for api in apis:
        for section in api.sections:
            for entity in section.entities:
                views = {"api": api, "entity": entity}
                made[f"{entity.page}.md"] = _rendered("docs/entity.md.j2", templates, **views)
    return made


def _rendered(name: str, templates: Templates, **views: object) -> bytes:
    vocabulary: dict[str, Callable[..., object]] = {
        "html": _html,
        "md": _markdown,
        "md_prose": _markdown_prose,
        "md_code": _markdown_code,
        "fenced": _fenced,
        "digest": _digest,
    }
    text = templates.render(name, vocabulary, version=__version__, **views)
    return (_BLANKS.sub("\n\n", text) if name.endswith(".md.j2") else text).encode()


def _html(text: object) -> str:
    """Text in which nothing is markup."""
    return escape(printable_lines(str(text)))


def _markdown(text: object) -> str:
    """Text in which nothing is markup, on one line."""
    return _markdown_prose(" ".join(str(text).split()))


def _markdown_prose(text: str) -> str:
    """The same, with the spaces that its runs begin and end with."""
    return _MARKUP.sub(lambda match: f"&#{ord(match[0])};", printable(text.replace("\n", " ")))


def _markdown_code(run: LinkedText) -> str:
    """A run of text as code on one line; HTML, because in Markdown no link may stand inside of code."""
    return f"<code>{_markdown_prose(run.text)}</code>"


def _fenced(text: str) -> str:
    """Text within a fence, which it cannot end."""
    return printable_lines(text).replace("```", "\\`\\`\\`")


def _digest(script: str) -> str:
    """By which a page allows its own script and no other."""
    return b64encode(sha256(script.encode()).digest()).decode()
