"""Finds the place of the cursor among the keys of a spec, in text that need not be YAML yet."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

_KEY = re.compile(r"""\s*(?P<key>[A-Za-z_][\w-]*|"[^"]*"|'[^']*'|<[^<>]*>)\s*:(?=\s|$)""")
_BLOCK_TEXT = re.compile(r":\s+[|>][-+0-9]*\s*(?:#.*)?$")


class CursorContext(msgspec.Struct, frozen=True):
    """The mapping around the cursor, and what is being written in it."""

    path: tuple[str | int, ...]
    """Keys and `0` for an element of a list, from the top to the mapping or list around the cursor."""
    key: str
    """The key whose value is being written; empty while a key is written."""
    written: str
    """The part of the key or value in front of the cursor."""
    siblings: frozenset[str] = frozenset()
    """The keys that the mapping has already."""


class _Frame(msgspec.Struct):
    """A key or an element of a list whose content is being read."""

    indent: int
    step: str | int


class _Bracket:
    """A mapping or list in brackets, and what was read of it."""

    def __init__(self, mark: str) -> None:
        self.mark = mark
        self.key = ""
        self.keys: list[str] = []
        self.word = ""

    def is_key_end(self, text: str) -> bool:
        """True if a colon, with the character after it, ends a key here."""
        return self.mark == "{" and not self.key and text in (":", ": ")

    def end_item(self) -> None:
        """Begin with the next key or element."""
        self.key, self.word = "", ""


def context_at(text: str, line: int, column: int) -> CursorContext | None:
    """Return the context of the cursor; None inside of a comment or a text of several lines.

    Indentation decides, and brackets; the text may break the rules of YAML anywhere else.

    Args:
        text: the whole text.
        line: counted from 1.
        column: counted from 1, of the character after the cursor.
    """
    lines = text.split("\n")
    current = lines[line - 1] if line <= len(lines) else ""
    frames: list[_Frame] = []
    brackets: list[_Bracket] = []
    text_indent = -1
    for each in lines[: line - 1]:
        content = each.lstrip(" ")
        indent = len(each) - len(content)
        if text_indent >= 0 and (not content or indent > text_indent):
            continue
        text_indent = -1
        if brackets:
            _read_brackets(content, brackets)
        elif content and not content.startswith("#"):
            rest, _ = _enter(content, indent, frames)
            if _BLOCK_TEXT.search(each):
                text_indent = frames[-1].indent if frames else indent
            else:
                _read_brackets(rest, brackets)
    written, behind = current[: column - 1], current[column - 1 :]
    content = written.lstrip(" ")
    indent = len(written) - len(content)
    if 0 <= text_indent < indent:
        return None
    if not brackets:
        content, indent = _enter(content, indent, frames)
    if not _read_brackets(content, brackets):
        return None
    if brackets:
        return _in_brackets(frames, brackets, behind)
    path = [each.step for each in frames]
    if frames and frames[-1].indent == indent and frames[-1].step != 0:
        return CursorContext(tuple(path[:-1]), str(path[-1]), content.strip())
    return CursorContext(tuple(path), "", content.strip(), _siblings(lines, line, indent))


def _enter(content: str, indent: int, frames: list[_Frame]) -> tuple[str, int]:
    """Enter the list elements and the key at the start of a line.

    Returns:
        The text behind them, and the indentation of what is written there.
    """
    while content == "-" or content.startswith("- "):
        _leave(frames, indent, is_element=True)
        frames.append(_Frame(indent, 0))
        inner = content[1:].lstrip(" ")
        indent += len(content) - len(inner) if inner else 2
        content = inner
    _leave(frames, indent)
    match = _KEY.match(content)
    if match is None:
        return content, indent
    frames.append(_Frame(indent, match["key"].strip("\"'")))
    return content[match.end() :], indent


def _leave(frames: list[_Frame], indent: int, *, is_element: bool = False) -> None:
    """Leave what is not around text of this indentation; a list may be as far to the left as its key."""
    while frames and (
        frames[-1].indent > indent or (frames[-1].indent == indent and not (is_element and frames[-1].step != 0))
    ):
        frames.pop()


def _siblings(lines: Sequence[str], line: int, indent: int) -> frozenset[str]:
    """Return the keys of the mapping at an indentation around a line."""
    found = set()
    begins = line <= len(lines) and lines[line - 1].lstrip(" ").startswith("- ")
    for above, way in ((True, [] if begins else lines[: line - 1][::-1]), (False, lines[line:])):
        for each in way:
            content = each.lstrip(" -")
            at, is_element = len(each) - len(content), each.lstrip(" ").startswith("- ")
            if not content or content.startswith("#"):
                continue
            if at < indent or (at == indent and is_element and not above):
                break
            if at == indent and (match := _KEY.match(content)):
                found.add(match["key"].strip("\"'"))
            if at == indent and is_element:
                break
    return frozenset(found)


def _read_brackets(content: str, brackets: list[_Bracket]) -> bool:
    """Read text that may open and close brackets.

    Returns:
        False if the text ends inside of a comment.
    """
    quote = ""
    for place, each in enumerate(content):
        inner = brackets[-1] if brackets else None
        if quote:
            quote = "" if each == quote else quote
        elif each in "\"'" and (inner is None or not inner.word.strip()):
            quote = each
        elif each == "#" and (place == 0 or content[place - 1] == " "):
            return False
        elif each in "{[" and ((inner is None and not content[:place].strip(" -")) or inner is not None):
            brackets.append(_Bracket(each))
            continue
        elif each in "}]" and inner is not None:
            brackets.pop()
            continue
        elif inner is not None and each == ",":
            inner.end_item()
            continue
        elif inner is not None and inner.is_key_end(content[place : place + 2]):
            inner.key, inner.word = inner.word.strip().strip("\"'"), ""
            inner.keys.append(inner.key)
            continue
        if inner is not None:
            inner.word += each
    return True


def _in_brackets(frames: Sequence[_Frame], brackets: Sequence[_Bracket], behind: str) -> CursorContext:
    """Return the context inside of brackets."""
    path: list[str | int] = [each.step for each in frames]
    for each in brackets[:-1]:
        path.append(each.key if each.mark == "{" else 0)
    inner = brackets[-1]
    if inner.mark == "[":
        return CursorContext((*path, 0), "", inner.word.strip())
    if inner.key:
        return CursorContext(tuple(path), inner.key, inner.word.strip())
    later = re.findall(r"([A-Za-z_]\w*)\s*:(?=\s)", behind.partition("}")[0])
    return CursorContext(tuple(path), "", inner.word.strip(), frozenset((*inner.keys, *later)))
