"""No link of the README, of the pages in `docs/` and of the files beside them leads nowhere."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from tests.readme.blocks import ROOT

PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")]
PAGES += sorted((ROOT / "docs").rglob("*.md"))
_FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`[^`\n]*`")
_LINK = re.compile(r"\]\(([^)\s]+)\)")


def links(page: Path) -> list[str]:
    """Return the targets of the relative links of a page, outside of code."""
    text = _CODE.sub("", _FENCE.sub("", page.read_text(encoding="utf-8")))
    return [link for link in _LINK.findall(text) if not re.match(r"[a-z]+:", link)]


@cache
def anchors(page: Path) -> frozenset[str]:
    """Return the names that GitHub gives to the headings of a page."""
    found: dict[str, int] = {}
    names = set()
    for heading in re.findall(r"^#+ +(.+?) *$", _FENCE.sub("", page.read_text(encoding="utf-8")), re.MULTILINE):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        slug = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
        number = found.get(slug, 0)
        found[slug] = number + 1
        names.add(f"{slug}-{number}" if number else slug)
    return frozenset(names)


def leads_somewhere(page: Path, link: str) -> bool:
    """True if a file of the repository is there, and the heading in it that the link names."""
    path, _, anchor = link.partition("#")
    target = (page.parent / path).resolve() if path else page
    if not target.is_relative_to(ROOT.resolve()) or not target.exists():
        return False
    return not anchor or (target.suffix == ".md" and anchor in anchors(target))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_link_leads_to_a_file_and_a_heading(page: Path) -> None:
    assert [link for link in links(page) if not leads_somewhere(page, link)] == []


def test_there_are_links_to_be_checked() -> None:
    assert sum(len(links(page)) for page in PAGES) > 200


def test_headings_are_named_as_github_names_them(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# C++ & `abigen diff`\n\n```text\n# no heading\n```\n\n## A [link](x.md), twice\n## A link, twice\n"
    )
    assert anchors(page) == {"c--abigen-diff", "a-link-twice", "a-link-twice-1"}
