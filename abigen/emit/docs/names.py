"""Anchors of what reference documentation describes, which follow from names only, and text with links to them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping

import msgspec

from abigen.emit.c.lines import cleaned

_IDENTIFIER = re.compile(r"[A-Za-z_]\w*(?:\.\w+)*")
_CODE = re.compile(r"`([^`\n]+)`")
_ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)]) +")
_CODE_INDENT = "    "


class LinkedText(msgspec.Struct, frozen=True):
    """A run of text that may lead to an entity."""

    text: str
    anchor: str = ""
    """Of what it leads to; empty for none."""
    page: str = ""
    """Name of the page that the anchor is on, where each entity has one."""
    is_code: bool = False


Line = tuple[LinkedText, ...]
"""Runs that follow each other."""


class DocParagraph(msgspec.Struct, frozen=True):
    """A paragraph, an item of a list, or code whose lines stay as they are."""

    kind: str
    """`text`, `item` or `code`."""
    line: Line


class Anchors(msgspec.Struct):
    """The anchors of all that is described, filled before any text is made."""

    _of: dict[str, LinkedText] = msgspec.field(default_factory=dict)
    """Name, or path of a member, to a run that leads there."""
    _taken: set[str] = msgspec.field(default_factory=set)
    _pages: set[str] = msgspec.field(default_factory=lambda: {"index"})
    """In lower case: two names that differ in case are one file on some systems."""

    def add(self, name: str, kind: str, page: str = "") -> LinkedText:
        """Give something an anchor.

        Args:
            name: its name, or its path from the entity that it is part of.
            kind: what tells it from something else of that name.
            page: of the entity that it is part of; an entity of its own gets one.

        Returns:
            A link to it.
        """
        plain = re.sub(r"[^\w.-]+", "_", name)
        anchor = _free(plain, kind, self._taken)
        self._taken.add(anchor)
        if not page:
            page = _free(anchor, kind, self._pages, fold=True)
            self._pages.add(page.casefold())
        made = LinkedText(name, anchor, page, is_code=True)
        self._of.setdefault(name, made)
        return made

    def alias(self, name: str, known: LinkedText) -> None:
        """Let another name lead to something."""
        self._of.setdefault(name, known)

    def find(self, name: str) -> LinkedText | None:
        """What a name leads to."""
        return self._of.get(name)

    def mentioned(self, text: str) -> Iterator[LinkedText]:
        """What the names in a declaration lead to."""
        for match in _IDENTIFIER.finditer(text):
            if found := self._of.get(match[0]):
                yield found

    def code(self, text: str, near: Mapping[str, str] | None = None, besides: Collection[str] = ()) -> Line:
        """Code with links.

        Args:
            text: as C has it.
            near: names that mean something here to the names that they stand for: siblings to their paths.
            besides: names that lead nowhere here: what is just being described.
        """
        runs: list[LinkedText] = []
        end = 0
        for match in _IDENTIFIER.finditer(text):
            found = self._of.get((near or {}).get(match[0], match[0]))
            if found is not None and match[0] not in besides:
                runs += [LinkedText(text[end : match.start()], is_code=True)] if match.start() > end else []
                runs.append(LinkedText(match[0], found.anchor, found.page, is_code=True))
                end = match.end()
        return (*runs, LinkedText(text[end:], is_code=True)) if text[end:] else tuple(runs)

    def prose(self, text: str, near: Mapping[str, str] | None = None) -> Line:
        """A sentence with links: what stands in backticks is code, and of the rest only what cannot be a plain word."""
        runs: list[LinkedText] = []
        for number, part in enumerate(_CODE.split(text)):
            if number % 2:
                runs += self.code(part, near)
                continue
            for run in self.code(part):
                is_name = run.anchor and re.search("[_A-Z]", run.text[1:])
                runs.append(LinkedText(run.text, run.anchor, run.page, is_code=True) if is_name else _plain(run))
        return tuple(run for run in runs if run.text)

    def paragraphs(self, text: str, near: Mapping[str, str] | None = None) -> tuple[DocParagraph, ...]:
        """Documentation as its author wrote it, in paragraphs."""
        found: list[tuple[str, str]] = []
        fresh = True
        for line in cleaned(text).split("\n"):
            kind = found[-1][0] if found else ""
            if not line.strip():
                fresh = True
            elif line.startswith(_CODE_INDENT) and (kind == "code" or (fresh and kind != "item")):
                joined = f"{found.pop()[1]}\n" if kind == "code" else ""
                found.append(("code", joined + line.removeprefix(_CODE_INDENT)))
                fresh = True
            elif item := _ITEM.match(line):
                found.append(("item", line[item.end() :]))
                fresh = False
            elif fresh and not (kind == "item" and line.startswith(" ")):
                found.append(("text", line))
                fresh = False
            else:
                found[-1] = (kind, f"{found[-1][1]} {line.strip()}")
        return tuple(
            DocParagraph(kind, self.code(each, near) if kind == "code" else self.prose(each, near))
            for kind, each in found
        )


def _plain(run: LinkedText) -> LinkedText:
    return LinkedText(run.text)


def _free(wanted: str, kind: str, taken: Collection[str], *, fold: bool = False) -> str:
    """A name that nothing has yet: as it is, with its kind behind it, or with a number."""
    number = 1
    name = wanted
    while (name.casefold() if fold else name) in taken:
        name = f"{wanted}-{kind}" + (f"-{number}" if number > 1 else "")
        number += 1
    return name
