"""Comments: which entity each one documents, and what it says."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field

from abigen.model.entities import NO_CONTRACT, Contract
from abigen.model.span import Span
from abigen.read.c.marks import read_contract
from abigen.read.c.syntax import Stream
from abigen.read.c.unit import Comment

_DECORATION = re.compile(r"^[\s*/=#~_+<>!-]*$")
_HEADING = re.compile(
    r"^(?:/\*{2,}|/\*+\s*[-=*#~]{2,}|//+\s*[-=*#~]{3,}|//{3,})\s*(?P<title>[^\s*=#~-].*?)\s*(?:[-=*#~/]{2,}\s*(?:\*/)?|\*+/)$"
)
_LICENCE = re.compile(r"copyright|licen[cs]e|spdx", re.IGNORECASE)
_LINE_MARK = re.compile(r"^[ \t]*//+[!<]*")
_SIMPLE = re.compile(r"//[/!]?<?[ \t]*([A-Za-z0-9`'\"(\[][^\n]*[^\s*=~#-])[ \t\r]*\Z")
_BLOCK_LINE = re.compile(r"^[ \t]*\*+(?!/)[ \t]?")


@dataclass
class _Block:
    """Comments that stand together."""

    comments: list[Comment]
    trailing: bool
    heading: str = ""

    @property
    def first_line(self) -> int:
        return self.comments[0].span.line

    @property
    def last_line(self) -> int:
        return self.comments[-1].end_line


@dataclass
class _File:
    """The blocks of one file, by the lines where they begin and end."""

    blocks: list[_Block] = field(default_factory=list)
    by_last_line: dict[int, _Block] = field(default_factory=dict)
    trailing_at: dict[int, _Block] = field(default_factory=dict)
    headings: list[str] = field(default_factory=list)
    heading_lines: list[int] = field(default_factory=list)


class Commentary:
    """Finds the documentation of what stands at a place in the API's own files."""

    def __init__(self, comments: Sequence[Comment]) -> None:
        self._files: dict[str, _File] = {}
        for comment in comments:
            self._add(self._files.setdefault(comment.span.file, _File()), comment)
        for file in self._files.values():
            for block in file.blocks:
                block.heading = _heading(block)
                if block.heading:
                    file.headings.append(block.heading)
                    file.heading_lines.append(block.first_line)
                elif block.trailing:
                    file.trailing_at[block.first_line] = block
                else:
                    file.by_last_line[block.last_line] = block

    def _add(self, file: _File, comment: Comment) -> None:
        """Put a comment in the block that it continues, or begin a new one."""
        last = file.blocks[-1] if file.blocks else None
        if last is not None and not comment.trailing and comment.span.line == last.last_line + 1:
            previous = last.comments[-1]
            aligned = comment.span.column == previous.span.column
            same_kind = comment.text[:2] == previous.text[:2]
            if (last.trailing and aligned) or (not last.trailing and same_kind and comment.text.startswith("//")):
                last.comments.append(comment)
                return
        file.blocks.append(_Block([comment], comment.trailing))

    def of_declaration(self, stream: Stream, start: int, end: int, *, in_body: bool) -> tuple[str, Contract]:
        """Documentation and contract of a top-level declaration or a nested struct.

        Args:
            stream: the tokens.
            start: index of the declaration's first token.
            end: index behind its last (the semicolon).
            in_body: it stands in a struct; then comments on its last line belong to the member.
        """
        tokens = stream.tokens
        file = self._files.get(tokens[start].file)
        if file is None:
            return "", NO_CONTRACT
        first, last = tokens[start], tokens[min(end, len(tokens) - 1)]
        doc = self._before(file, first.line)
        if not doc and not in_body and last.line == first.line:
            doc = self._behind(file, last.line)
        return doc, read_contract(doc)

    def of_member(self, stream: Stream, start: int, end: int, name: str) -> tuple[str, Contract]:
        """Documentation and contract of a member or enumerator; arguments as in `of_declaration`."""
        tokens = stream.tokens
        file = self._files.get(tokens[start].file)
        if file is None:
            return "", read_contract("", name)
        first, last = tokens[start], tokens[min(end, len(tokens) - 1)]
        before, behind = self._before(file, first.line), self._behind(file, last.line)
        doc = "\n".join(each for each in (before, behind) if each)
        return doc, read_contract(doc, name)

    def group(self, name: str, line: int, after_line: int) -> str:
        """The heading that a member stands under.

        Args:
            name: the file.
            line: the member's.
            after_line: where its struct begins; headings before it do not count.
        """
        file = self._files.get(name)
        if file is None or not file.headings:
            return ""
        index = bisect_left(file.heading_lines, line) - 1
        return file.headings[index] if index >= 0 and file.heading_lines[index] >= after_line else ""

    def of_macro(self, place: Span) -> str:
        """The documentation of a macro."""
        file = self._files.get(place.file)
        if file is None:
            return ""
        return self._before(file, place.line) or self._behind(file, place.line)

    def of_file(self, file: str) -> str:
        """The comment at the top of a file that says what it is for; licences are not it."""
        known = self._files.get(file)
        if known is None:
            return ""
        for block in known.blocks[:3]:
            if block.trailing or block.first_line > 60:
                break
            doc = _plain(block)
            if doc and not _LICENCE.search(doc):
                return doc
        return ""

    def _before(self, file: _File, line: int) -> str:
        """The comment directly before a line."""
        block = file.by_last_line.get(line - 1)
        if block is None:
            return ""
        doc = _plain(block)
        return "" if block.first_line <= 2 and _LICENCE.search(doc) else doc

    def _behind(self, file: _File, line: int) -> str:
        """The comment behind the code of a line."""
        block = file.trailing_at.get(line)
        return "" if block is None else _plain(block)


def _heading(block: _Block) -> str:
    """The title when a block is a section's heading and documents nothing."""
    if block.trailing:
        return ""
    first = block.comments[0].text
    if len(block.comments) == 1 and "\n" not in first:
        match = _HEADING.match(first.strip())
        return match["title"].strip() if match else ""
    lines = [line for comment in block.comments for line in comment.text.split("\n")]
    if len(lines) >= 3 and _is_rule(lines[0]) and _is_rule(lines[-1]):
        return " ".join(filter(None, (_strip(line) for line in lines[1:-1])))
    return ""


def _is_rule(line: str) -> bool:
    """Whether a line of a comment is nothing but decoration, and plenty of it."""
    return len(line.strip()) >= 10 and _DECORATION.match(line) is not None


def _strip(line: str) -> str:
    """A line of a comment without its markers."""
    line = _LINE_MARK.sub("", line)
    return line.strip().removesuffix("*/").removeprefix("/*").strip("*").strip()


def _plain(block: _Block) -> str:
    """The text of a block without markers and decoration, its paragraphs kept."""
    if len(block.comments) == 1 and (simple := _SIMPLE.match(block.comments[0].text)):
        return simple[1]
    lines: list[str] = []
    for comment in block.comments:
        text = comment.text
        if text.startswith("//"):
            lines.append(_LINE_MARK.sub("", text))
            continue
        text = text.removesuffix("*/")[2:].lstrip("*!<")
        inner = text.split("\n")
        lines.append(inner[0])
        rest = inner[1:]
        starred = all(not line.strip() or line.lstrip().startswith("*") for line in rest)
        lines += [_BLOCK_LINE.sub("", line) if starred else line for line in rest]
    lines = ["" if _DECORATION.match(line) else line.rstrip() for line in lines]
    while lines and not lines[0]:
        lines.pop(0)
    while lines and not lines[-1]:
        lines.pop()
    if not lines:
        return ""
    first = lines[0].strip()
    rest_indent = min((len(line) - len(line.lstrip()) for line in lines[1:] if line), default=0)
    doc = "\n".join([first, *(line[rest_indent:] for line in lines[1:])])
    return re.sub(r"\n{3,}", "\n\n", re.sub(r"^[\\@]brief\s+", "", doc))
