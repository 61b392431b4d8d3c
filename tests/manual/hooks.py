"""The hooks of mkdocs: a link out of `docs/` to a file of the repository becomes plain text."""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

_LINK = re.compile(r"\[([^\[\]]+)\]\((\.\./[^)\s]*)\)")


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Keep the text only of links that lead out of the manual."""
    folder = posixpath.dirname(page.file.src_uri)

    def kept(link: re.Match[str]) -> str:
        return link[1] if posixpath.normpath(posixpath.join(folder, link[2])).startswith("../") else link[0]

    return _LINK.sub(kept, markdown)
