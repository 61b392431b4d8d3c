"""The types that enumerations have behind a colon where only C++ reads it.

```c
#ifdef __cplusplus
typedef enum : int32_t {
#else
typedef enum {
#endif
```

Or only the colon and the type stand below the condition, behind the tag.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from abigen.model.ctype import CType, NamedType
from abigen.model.identifiers import STANDARD_TYPES
from abigen.read.c.preprocessor.lexemes import lexemes_of
from abigen.read.c.syntax.specifiers import basic_type
from abigen.read.c.syntax.trees import TagBody
from abigen.read.c.unit import HiddenText, Token

_CONDITIONS = ("#ifdef __cplusplus", "#if defined(__cplusplus)", "#if defined __cplusplus")


class _Text(msgspec.Struct, frozen=True):
    """What only C++ reads, and what it says of an enumeration."""

    hidden: HiddenText
    tag: str | None
    """None where `enum` is not part of it."""
    type: CType


class CppEnums:
    """Finds those types in what the C preprocessor has hidden, and remembers which texts they stood in."""

    def __init__(self, hidden: Iterable[HiddenText]) -> None:
        """Look through what is hidden.

        Args:
            hidden: of one unit.
        """
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
        for index in range(begin, body.opening + 1):
            before = tokens[index - 1] if index else None
            for text in self._texts:
                if text.tag is None:
                    is_same = index > body.start
                else:
                    is_same = index <= body.start and text.tag == (body.name.text if body.name else "")
                if is_same and _stands_between(text.hidden, before, tokens[index]):
                    self.read.add(text.hidden)
                    return text.type
        return None


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
    return _Text(hidden, head[1] if len(head) == 2 else "" if head else None, found)
