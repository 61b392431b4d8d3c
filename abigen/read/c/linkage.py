"""Which declarations of a header stand in `extern "C"` when a C++ compiler reads it.

A header is read as C, where the preprocessor has removed all that; so this looks at the text itself.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from abigen.read.c.unit import MacroDefinition, Token

_NOISE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)
_LINE = re.compile(
    r"^[ \t]*#[ \t]*define[ \t]+(?P<macro>\w+)[ \t]+(?P<body>(?:[^\n\\]|\\.|\\\n)*)"
    r"|(?P<directive>^[ \t]*#(?:[^\n\\]|\\.|\\\n)*)"
    r'|(?P<block>\bextern\s*"C"\s*\{)|(?P<single>\bextern\s*"C")|(?P<open>\{)|(?P<close>\})'
    r"|^[ \t]*(?P<word>[A-Za-z_]\w*)[ \t]*(?:\([ \t]*\))?[ \t]*;?[ \t]*$",
    re.MULTILINE | re.DOTALL,
)
_OPENS = re.compile(r"BEGIN|START|OPEN|ENTER|EXTERN_C", re.IGNORECASE)
_CLOSES = re.compile(r"END|STOP|CLOSE|LEAVE|EXIT", re.IGNORECASE)


@dataclass
class _File:
    """What one file says."""

    regions: list[tuple[int, int]] = field(default_factory=list)
    """First and last lines of what stands in an `extern "C" { }`."""
    singles: set[int] = field(default_factory=set)
    """Lines with an `extern "C"` of their own."""


class Linkage:
    """Tells which functions keep their names when a C++ compiler reads the header."""

    def __init__(self, texts: Mapping[str, str], macros: Mapping[str, MacroDefinition]) -> None:
        """Look through the own files.

        Args:
            texts: their texts by name.
            macros: all definitions alive at the end, to recognise macros that stand for `extern "C" {` in C++ only.
        """
        self._files: dict[str, _File] = {}
        self._prefixes: set[str] = set()
        self._for_cpp = any("__cplusplus" in text or 'extern "C"' in text for text in texts.values())
        for name, text in texts.items():
            self._files[name] = self._scan(text, macros)
        if not self._for_cpp:
            self._for_cpp = any(each.regions for each in self._files.values())

    def of(self, token: Token, macro: str) -> str:
        """`C` or `C++`; empty when the files never mention C++.

        Args:
            token: the function's name where it is declared.
            macro: the macro that the declaration begins with, empty when there is none.
        """
        file = self._files.get(token.file)
        if file is None or macro in self._prefixes or token.line in file.singles:
            return "C"
        if not self._for_cpp:
            return ""
        return "C" if any(first <= token.line <= last for first, last in file.regions) else "C++"

    def _scan(self, text: str, macros: Mapping[str, MacroDefinition]) -> _File:
        """Find the regions of one text."""
        file = _File()
        text = _NOISE.sub(_blank, text)
        braces: list[int | None] = []  # the line where a block opens, None for any other brace
        words: list[int] = []
        openers, closers = set(), set()
        position, line = 0, 1
        for match in _LINE.finditer(text):
            line += text.count("\n", position, match.start())
            position = match.start()
            if match["macro"]:
                if re.search(r'\bextern\s*"C"\s*\{', match["body"]):
                    openers.add(match["macro"])
                elif re.search(r'\bextern\s*"C"', match["body"]):
                    self._prefixes.add(match["macro"])
                elif match["body"].strip() == "}":
                    closers.add(match["macro"])
            elif match["block"]:
                braces.append(line)
            elif match["single"]:
                file.singles |= {line, line + 1}
            elif match["open"]:
                braces.append(None)
            elif match["close"]:
                opened = braces.pop() if braces else None
                if opened is not None:
                    file.regions.append((opened, line))
            elif match["word"]:
                name = match["word"]
                empty = name in macros and not macros[name].body
                if name in openers or (empty and _OPENS.search(name) and not _CLOSES.search(name)):
                    words.append(line)
                elif words and (name in closers or (empty and _CLOSES.search(name))):
                    file.regions.append((words.pop(), line))
        file.regions += [(line, 1 << 30) for line in words]
        return file


def _blank(match: re.Match[str]) -> str:
    """Take comments and literals away, but keep `"C"` and the lines."""
    text = match[0]
    return text if text == '"C"' else "\n" * text.count("\n") or " "
