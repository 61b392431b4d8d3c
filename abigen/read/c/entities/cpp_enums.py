"""The types that enumerations have behind a colon where only C++ reads it.

```c
#ifdef __cplusplus
typedef enum : int32_t {
#else
typedef enum {
#endif
```

Or only the colon and the type stand below the condition, behind the tag or as the body of a macro that stands there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

import msgspec

from abigen.model.ctype import CType, NamedType
from abigen.model.spelling import STANDARD_TYPES
from abigen.read.c.preprocessor.lexemes import lexemes_of
from abigen.read.c.syntax.specifiers import basic_type
from abigen.read.c.syntax.trees import TagBody
from abigen.read.c.unit import HiddenText, Token

_MOST_LINES = 8
"""Between the keyword of an enumeration and its brace."""
_CONDITIONS = ("#ifdef __cplusplus", "#if defined(__cplusplus)", "#if defined __cplusplus")


class _Text(msgspec.Struct, frozen=True):
    """What only C++ reads, and what it says of an enumeration."""

    hidden: HiddenText
    tag: str | None
    """None where `enum` is not part of it."""
    type: CType
    macro: str = ""
    """The macro that it is the body of."""


class CppEnums:
    """Finds those types in what the C preprocessor has hidden, and remembers which texts they stood in."""

    def __init__(self, hidden: Iterable[HiddenText], texts: Mapping[str, str]) -> None:
        """Look through what is hidden.

        Args:
            hidden: of one unit.
            texts: of the API's own files, by name.
        """
        self._sources = texts
        self._lines: dict[str, list[str]] = {}
        self.read: set[HiddenText] = set()
        """What has been read after all."""
        self._texts = [found for each in hidden if (found := _text(each)) is not None]

    def underlying(self, body: TagBody) -> CType | None:
        """The type of an enumeration in C++; None where C++ reads what C does, or another thing that is not read."""
        if not self._texts or not body.is_complete:
            return None
        tokens, begin = body.stream.tokens, body.start
        if begin and tokens[begin - 1].text == "typedef":
            begin -= 1
        for text in self._texts:
            if text.macro and text.macro in self._words(tokens[body.start], tokens[body.opening]):
                self.read.add(text.hidden)
                return text.type
        for index in range(begin, body.opening + 1):
            before = tokens[index - 1] if index else None
            for text in self._texts:
                if text.macro:
                    continue
                if text.tag is None:
                    is_same = index > body.start
                else:
                    is_same = index <= body.start and text.tag == (body.name.text if body.name else "")
                if is_same and _stands_between(text.hidden, before, tokens[index]):
                    self.read.add(text.hidden)
                    return text.type
        return None

    def _words(self, keyword: Token, brace: Token) -> list[str]:
        """The words between two tokens of one file as they are written, those of macros that vanish in C among them."""
        if keyword.file not in self._lines:
            self._lines[keyword.file] = self._sources.get(keyword.file, "").splitlines()
        lines = self._lines[keyword.file][keyword.line - 1 : brace.line]
        return re.findall(r"\w+", " ".join(lines)) if len(lines) <= _MOST_LINES else []


def _stands_between(hidden: HiddenText, before: Token | None, after: Token) -> bool:
    """Whether a hidden text stands between two tokens of the same file."""
    file, lines = hidden.place.file, hidden.lines
    is_behind = before is None or before.file != file or before.line < lines.start
    return is_behind and after.file == file and after.line >= lines.stop


def _text(hidden: HiddenText) -> _Text | None:
    """What a hidden text says of an enumeration; None where it says something else."""
    if hidden.condition not in _CONDITIONS:
        return None
    words = [each.text for each in lexemes_of(hidden.text)]
    macro = words[2] if words[:2] == ["#", "define"] and words[3:4] == [":"] else ""
    words = words[3 if macro else 0 :]
    has_brace = words[-1:] == ["{"]
    words = words[: len(words) - has_brace]
    if ":" not in words:
        return None
    colon = words.index(":")
    head, type = words[:colon], words[colon + 1 :]
    head = head[head[:1] == ["typedef"] :]
    is_standard = len(type) == 1 and type[0] in STANDARD_TYPES
    found = NamedType(type[0]) if is_standard else basic_type(type) if type else None
    if found is None or (head and head[0] != "enum") or len(head) > 2 or (has_brace and not head):
        return None
    return _Text(hidden, head[1] if len(head) == 2 else "" if head else None, found, macro)
