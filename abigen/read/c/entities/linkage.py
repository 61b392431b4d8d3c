"""Which declarations of a header stand in `extern "C"` when a C++ compiler reads it.

A header is read as C, where the preprocessor has removed all that; so this looks at the text itself.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Mapping

import msgspec

from abigen.read.c.unit import MacroDefinition, Token

_COMMENT = re.compile(r"""(?P<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|//[^\n]*|/\*.*?\*/""", re.DOTALL)
_MARK = re.compile(
    r"\n[ \t]*(?:#[ \t]*(?:(?P<condition>ifdef|ifndef|if|else|elif|endif)\b(?P<asked>[^\n]*)"
    r"|define[ \t]+(?P<macro>\w+)(?P<body>(?:[^\n\\]|\\.|\\\n)*))|(?!extern\b)(?P<word>\w+)\b(?![ \t]*\w))"
    r'|extern\s*"C(?:\+\+)?"\s*(?P<block>\{)|extern\s*(?P<single>"C")|\{(?P<brace>)|\}(?P<close>)',
    re.DOTALL,
)
"""What opens and closes an `extern "C"`: conditions, macros, and what stands in the text itself."""
_INCLUDE = re.compile(r"""^[ \t]*#[ \t]*include[ \t]*["<]([^">\n]+)[">]""", re.MULTILINE)
_END = 1 << 30
_MOST_CHARACTERS = 2000
_BLOCK = re.compile(r'\bextern\s*"C"\s*\{')
_ABOUT_C = r"(?=.*(?:DECL|EXTERN|CPLUSPLUS|CPP|(?:^|_)C(?:_|$)))"
_OPENS = re.compile(rf"{_ABOUT_C}.*(?:BEGIN|START|OPEN|ENTER)", re.IGNORECASE)
_CLOSES = re.compile(rf"{_ABOUT_C}.*(?:END|STOP|CLOSE|LEAVE|EXIT)", re.IGNORECASE)

_NEVER_DEFINED = re.compile(r"INDENT|EMACS|EDITOR|NEVER|DUMMY|FAKE|BALANCE|BRACE", re.IGNORECASE)
"""Names in conditions that hold for no compiler; they hide a brace from editors."""
_PREFIXES = re.compile(r"(?:^|_)EXTERN_?C(?:_|$)")


class _File(msgspec.Struct):
    """What one file says."""

    regions: list[tuple[int, int]] = msgspec.field(default_factory=list)
    """First and last lines of what stands in an `extern "C" { }`."""
    singles: set[int] = msgspec.field(default_factory=set)
    """Lines with an `extern "C"` of their own."""


class Linkage:
    """Tells which functions keep their names when a C++ compiler reads the header."""

    def __init__(self, texts: Mapping[str, str], macros: Mapping[str, MacroDefinition]) -> None:
        """Look through the own files.

        Args:
            texts: their texts by name.
            macros: all definitions alive at the end, to recognise macros that stand for `extern "C" {` in C++ only.
        """
        self._prefixes: set[str] = set()
        self._openers: set[str] = set()
        self._closers: set[str] = set()
        self._macros = macros.keys()
        self._users: dict[str, set[str]] = {}
        """Words to the macros in whose definitions they occur."""
        for name, macro in macros.items():
            if not macro.body and macro.parameters is None:
                if _CLOSES.match(name):
                    self._closers.add(name)
                elif _OPENS.match(name):
                    self._openers.add(name)
                elif _PREFIXES.search(name):
                    self._prefixes.add(name)
        plain = {name: _without_comments(text) for name, text in texts.items()}
        self._files = {name: self._scan(text) for name, text in plain.items()}
        self._add_prefixes_of_prefixes()
        for name, text in plain.items():
            self._files[name].singles |= self._prefixed_lines(text)
        self._spread(plain)
        self._for_cpp = any(
            "__cplusplus" in text or 'extern "C"' in text or self._files[name].regions for name, text in texts.items()
        )

    def of(self, token: Token, macro: str) -> str:
        """`C` or `C++`; empty when the files say nothing of C++.

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

    def _scan(self, text: str) -> _File:
        """Find the regions of one text: what opens and closes them stands where only C++ looks, or in macros."""
        file = _File()
        line, position = 0, 0
        text = f"\n{text}"  # each line begins behind a line's end
        open_lines: list[int] = []
        braces = 0
        """How many braces of classes, structs and functions are open in the text that only C++ reads."""
        is_for_cpp: list[bool] = []
        """For each condition that is open: True if it asks for C++."""
        is_skipped: list[bool] = []
        """For each condition that is open: True if no compiler reads the group that follows it."""
        for match in _MARK.finditer(text):
            line += text.count("\n", position, match.start() + 1)
            position = match.start() + 1
            opens, closes = match["word"] in self._openers, match["word"] in self._closers
            if (condition := match["condition"]) is not None:
                if condition.startswith("if"):
                    is_for_cpp.append("__cplusplus" in match["asked"])
                    is_skipped.append(self._is_never(condition, match["asked"]))
                elif is_for_cpp:
                    is_for_cpp[-1:] = [] if condition == "endif" else [False]
                    is_skipped[-1:] = [] if condition == "endif" else [self._is_never(condition, match["asked"])]
            elif any(is_skipped):
                continue
            elif match["macro"]:
                self._define(match["macro"], match["body"], is_for_cpp=any(is_for_cpp))
            elif any(is_for_cpp):
                opens = opens or match["block"] is not None
                if match["brace"] is not None:
                    braces += 1
                elif match["close"] is not None and braces:
                    braces -= 1
                else:
                    closes = closes or match["close"] is not None
                if match["single"]:
                    file.singles |= {line, _next_code(text, match.end(), line)}
            if opens:
                open_lines.append(line)
            elif closes and open_lines:
                file.regions.append((open_lines.pop(), line))
        file.regions += [(line, _END) for line in open_lines]
        return file

    def _is_never(self, directive: str, asked: str) -> bool:
        """True if a condition never holds: `#if 0`, or `#ifdef` of a name that nothing defines."""
        text = asked.strip().strip("()").strip()
        if directive in ("if", "elif"):
            return text in ("0", "false") or text.startswith("0 &&")
        return directive == "ifdef" and text not in self._macros and _NEVER_DEFINED.search(text) is not None

    def _spread(self, texts: Mapping[str, str]) -> None:
        """Let a file that is included in `extern "C" { }` only stand in it as a whole."""
        includes: dict[str, set[tuple[str, bool]]] = {}
        for name, text in texts.items():
            for match in _INCLUDE.finditer(text):
                line = text.count("\n", 0, match.start()) + 1
                is_inside = any(first <= line <= last for first, last in self._files[name].regions)
                if included := _named(match[1], name, texts):
                    includes.setdefault(included, set()).add((name, is_inside))
        inside: set[str] = set()
        for _ in includes:
            inside |= {
                included
                for included, places in includes.items()
                if all(each[1] or each[0] in inside for each in places)
            }
        for name in inside:
            self._files[name].regions.append((1, _END))

    def _define(self, name: str, body: str, *, is_for_cpp: bool) -> None:
        """Note what a macro stands for."""
        for word in re.findall(r"\w+", body):
            self._users.setdefault(word, set()).add(name)
        if is_for_cpp and _BLOCK.search(body):
            self._openers.add(name)
        elif is_for_cpp and 'extern "C"' in body:
            self._prefixes.add(name)
        elif is_for_cpp and body.strip() == "}":
            self._closers.add(name)

    def _add_prefixes_of_prefixes(self) -> None:
        """Macros that expand to one which stands for `extern "C"`: `#define X_API X_EXTERN_C X_EXPORT`."""
        waiting = list(self._prefixes)
        while waiting:
            fresh = self._users.get(waiting.pop(), set()) - self._prefixes
            self._prefixes |= fresh
            waiting += fresh

    def _prefixed_lines(self, text: str) -> set[int]:
        """The lines of declarations that begin with a macro for `extern "C"`; of an empty one C leaves nothing."""
        found: set[int] = set()
        position = 0
        for number, line in enumerate(text.split("\n") if self._prefixes else (), 1):
            if not line.lstrip().startswith("#") and not self._prefixes.isdisjoint(re.findall(r"\w+", line)):
                end = position + len(line)
                found |= {number} if line.rstrip().endswith(";") else {number, _next_code(text, end + 1, number + 1)}
            position += len(line) + 1
        return found


def _named(include: str, includer: str, names: Collection[str]) -> str | None:
    """The file that an #include means, of those whose names are given; None when it is none of them, or may be two."""
    beside = posixpath.normpath(posixpath.join(posixpath.dirname(includer), include))
    if beside in names:
        return beside
    found = [each for each in names if each.endswith(f"/{posixpath.normpath(include)}")]
    return found[0] if len(found) == 1 else None


def _without_comments(text: str) -> str:
    """A text with as many lines as it had."""
    return _COMMENT.sub(lambda match: match["text"] or "\n" * match[0].count("\n") or " ", text)


def _next_code(text: str, position: int, line: int) -> int:
    """The line of the first code behind a position, directives left out."""
    for offset, each in enumerate(text[position : position + _MOST_CHARACTERS].split("\n")):
        if each.strip() and not each.lstrip().startswith("#"):
            return line + offset
    return line
