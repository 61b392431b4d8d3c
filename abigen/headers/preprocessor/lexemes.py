"""The first phases of translation: lines are joined, directives are found, and text is cut into lexemes with places.

This is all that looks at characters. It follows C 5.1.1.2, phases 2 and 3, in two passes of compiled expressions: one
finds the directives of a file, the other cuts a stretch of text between them. An `Outline` is what the directives of a
header say of it: its include guard, what it includes, and its macros' conditions.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

import msgspec

from abigen.headers.unit import Token
from abigen.model.span import Span

MAX_FILE_CHARACTERS = 8_000_000
"""The longest file that is read; five times the largest header of a real API that is known."""

_BLANK = r"[ \t\f\v\r]"
_BLOCK = r"/\*(?:.*?\*/|.*+)"
# A literal that is not closed takes the rest of the line; a quote between digits separates them (C23 6.4.4.1).
_STRING = r'"(?:[^"\\\n]++|\\.)*+"?'
_CHARACTER = r"'(?:(?<![0-9a-fA-F].)|(?<=u8.))(?:[^'\\\n]++|\\.)*+'?"
_LITERAL = f"{_STRING}|{_CHARACTER}"

_DIRECTIVES = re.compile(
    rf"""
      \n (?:{_BLANK}++|/\*.*?\*/)*+ (?P<hash>\#|%:) (?:{_BLANK}++|{_BLOCK})*+ (?P<name>[A-Za-z_]\w*+|)
         (?P<rest>(?:[^\n/"']++|{_BLOCK}|//[^\n]*+|{_LITERAL}|[/'])*+)
    | {_BLOCK}
    | //[^\n]*+
    | {_STRING}
    | {_CHARACTER}
    """,
    re.VERBOSE | re.DOTALL,
)

LEXEMES = re.compile(
    rf"""
    (?:[ \t\f\v\r\n]++|//[^\n]*+|{_BLOCK})*+
    (?: (?P<id>(?!\d|(?:u8?|[UL])["'])[\w$]++)
      | (?P<punct>\.\.\.|<<=|>>=|%:%:|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|\#\#|::|<:|:>|<%|%>|%:
          |[-+*/%&|^~!<>=?:;,(){{}}\[\]\#]|\.(?![0-9]))
      | (?P<number>\.?[0-9](?:[eEpP][+-]|'(?=[0-9A-Za-z])|[\w.])*+)
      | (?P<string>(?:u8|[uUL])?"(?:[^"\\\n]++|\\.)*+")
      | (?P<char>(?:u8|[uUL])?'(?:[^'\\\n]++|\\.)*+')
      | (?P<word>(?!\d)[\w$]++)
      | (?P<end>\Z)
      | (?P<other>["'][^\n]*+|.)
    )
    """,
    re.VERBOSE | re.DOTALL,
)
"""A spelling with the white space and comments before it. The group that matched is its kind; `word` is an `id`."""

OPENING = re.compile(rf"(?:[ \t\f\v\r\n]++|//[^\n]*+|{_BLOCK})*+\(", re.DOTALL)
"""White space and comments, and then `(`."""

_COMMENTS = re.compile(rf"{_LITERAL}|{_BLOCK}|//[^\n]*+", re.DOTALL)
_FOLDABLE = re.compile(rf"{_LITERAL}|\s+")
_SPLICE = re.compile(r"\\[ \t\f\v\r]*$", re.MULTILINE)
_DIGRAPHS = {"<:": "[", ":>": "]", "<%": "{", "%>": "}", "%:": "#", "%:%:": "##"}


class Lexeme(NamedTuple):
    """A preprocessing token (C 6.4) on its way through macro expansion.

    `spaced` says whether white space stands before it; `blocked` that it names a macro but may no longer be expanded
    (C 6.10.3.4 paragraph 2). `line` is 0 when the lexeme was not written by the user at the place of use.
    """

    kind: str
    text: str
    spaced: bool = False
    blocked: bool = False
    line: int = 0
    column: int = 0


NONE = -1
"""The value of `Directive.following` where no directive of the same group follows, though one should."""
STRAY = -2
"""The value of `Directive.following` where the directive belongs to no group."""


class Directive:
    """A line that begins with `#`: offsets in `Scan.text`, and what executing it has found out about it."""

    __slots__ = ("end", "following", "memo", "name", "rest", "sign", "start")

    def __init__(self, name: str, start: int, sign: int, rest: int, end: int) -> None:
        """Make a directive of what was found."""
        self.name = name
        self.start = start
        """The start of the line, at the newline before it."""
        self.sign = sign
        """The position of its `#`."""
        self.rest = rest
        """The text after the name."""
        self.end = end
        self.following = NONE
        """For a conditional, the index of the next directive of the same group: `#elif`, `#else` or `#endif`."""
        self.memo: object = None


class Flaw(msgspec.Struct, frozen=True):
    """An error in the form of a file that does not depend on macros; `offset` in `Scan.text`."""

    offset: int
    message: str
    hint: str = ""


class Scan:
    """A file's text with its lines joined, and its directives.

    `text` begins with a newline that the file does not have, so that every line has one before it. `line_starts` are
    the offsets at which the file's own lines begin; a line that a backslash continues is followed by one that begins in
    the middle of a joined line.
    """

    def __init__(self, text: str, line_starts: list[int]) -> None:
        """Begin with a text in which no directives have been looked for."""
        self.text = text
        self.line_starts = line_starts
        self.directives: list[Directive] = []
        self.flaws: list[Flaw] = []

    def place(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset, both from 1."""
        line = bisect_right(self.line_starts, offset)
        return line, offset - self.line_starts[line - 1] + 1

    def comments(self) -> list[tuple[int, int]]:
        """Start and end offsets of all comments."""
        text = self.text
        return [match.span() for match in _COMMENTS.finditer(text) if text[match.start()] == "/"]


class File:
    """A file that takes part in a translation unit.

    `name` is what users know it by, `path` where it stands on disk, `found_in` the index in the include path of the
    directory in which it was found (-1: beside the file that includes it, or named by the user).
    """

    __slots__ = ("found_in", "name", "own", "path", "real", "scan", "system")

    def __init__(
        self, name: str, path: str, text: Scan, real: str, *, own: bool, system: bool, found_in: int = -1
    ) -> None:
        """Make a file of a text that has been scanned."""
        self.name = name
        self.path = path
        self.real = real
        """Its path with all links followed; empty for text that is in no file."""
        self.scan = text
        self.own = own
        """Its declarations are the API's."""
        self.system = system
        self.found_in = found_in

    def span(self, offset: int, length: int = 1) -> Span:
        """Return the place of a stretch of the file's text."""
        line, column = self.scan.place(offset)
        return Span(self.name, line, column, max(1, length))


def scan(raw: str) -> Scan:
    """Join the lines of a file and find its directives.

    Args:
        raw: the file's content; line ends and a byte order mark may be of any kind.

    Returns:
        The scan. Its `flaws` say where a comment or a conditional is not closed, or closed without having been opened.
    """
    text = raw.removeprefix("\ufeff")
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    lexemes = text.split("\n")
    if _SPLICE.search(text):
        last = len(lexemes) - 1
        lexemes = [_joined(lexeme, is_last=number == last) for number, lexeme in enumerate(lexemes)]
        text = "\n" + "".join(lexemes)
        starts = list(accumulate(map(len, lexemes[:-1]), initial=1))
    else:
        text = "\n" + text
        starts = list(accumulate((len(lexeme) + 1 for lexeme in lexemes[:-1]), initial=1))
    result = Scan(text, starts)
    _find_directives(result)
    return result


def _joined(lexeme: str, *, is_last: bool) -> str:
    """Return a line with its newline, or without the backslash that continues it."""
    match = _SPLICE.search(lexeme) if "\\" in lexeme else None
    if match:
        return lexeme[: match.start()]
    return lexeme if is_last else lexeme + "\n"


def _find_directives(result: Scan) -> None:
    directives = result.directives
    for match in _DIRECTIVES.finditer(result.text):
        name = match["name"]
        if name is not None:
            directives.append(Directive(name, match.start(), match.start("hash"), match.start("rest"), match.end()))
        if match.end() == len(result.text):
            _report_open_comment(result, match)
    open_groups: list[tuple[int, int]] = []
    """The first and the latest directive of each."""
    for index, directive in enumerate(directives):
        name = directive.name
        if name in ("if", "ifdef", "ifndef"):
            open_groups.append((index, index))
        elif name in ("elif", "elifdef", "elifndef", "else", "endif"):
            if not open_groups:
                directive.following = STRAY
                result.flaws.append(Flaw(directive.sign, f"#{name} without #if"))
                continue
            first, latest = open_groups.pop()
            before = directives[latest]
            if before.name == "else" and name != "endif":
                result.flaws.append(Flaw(directive.sign, f"#{name} after #else"))
            before.following = index
            if name != "endif":
                open_groups.append((first, index))
    for first, _ in open_groups:
        message = f"#{directives[first].name} is never closed"
        result.flaws.append(Flaw(directives[first].sign, message, "add #endif where it should end"))


def _report_open_comment(result: Scan, last: re.Match[str]) -> None:
    """Say where a comment begins that reaches the end of the file without being closed."""
    for match in _COMMENTS.finditer(result.text, last.start()):
        comment = match[0]
        if comment.startswith("/*") and (len(comment) < 4 or not comment.endswith("*/")):
            result.flaws.append(Flaw(match.start(), "this comment is never closed", "add */ where it should end"))


def without_comments(text: str) -> str:
    """Replace every comment by a space, or by the line breaks in it, outside of literals."""
    if "/" not in text:
        return text
    return _COMMENTS.sub(_blank_out, text)


def _blank_out(match: re.Match[str]) -> str:
    text = match[0]
    return text if text[0] != "/" else "\n" * text.count("\n") or " "


def folded(text: str) -> str:
    """Return text with runs of white space and comments outside of literals as one space, none at the ends."""
    text = without_comments(text)
    if '"' not in text and "'" not in text:
        return " ".join(text.split())
    return _FOLDABLE.sub(lambda match: " " if match[0].isspace() else match[0], text).strip()


def lexemes_of(text: str, start: int = 0, end: int | None = None) -> list[Lexeme]:
    """Cut text into lexemes that have no place.

    Args:
        text: what to cut.
        start: where to begin, an offset.
        end: where to stop; None for the end of the text.
    """
    lexemes = []
    for match in LEXEMES.finditer(text, start, len(text) if end is None else end):
        kind = match.lastgroup or ""
        if kind == "end":
            break
        spelling = match[kind]
        lexemes.append(lexeme_of(kind, spelling, spaced=match.end() - len(spelling) > match.start()))
    return lexemes


def lexeme_of(kind: str, text: str, *, spaced: bool, line: int = 0, column: int = 0) -> Lexeme:
    """Make a lexeme of what `LEXEMES` found; digraphs are spelled out (C 6.4.6 paragraph 3)."""
    if kind == "punct":
        return Lexeme(kind, _DIGRAPHS.get(text, text), spaced, False, line, column)
    return Lexeme("id" if kind == "word" else kind, text, spaced, False, line, column)


def lex(text: str, file: str, line: int = 1, column: int = 1) -> list[Token]:
    """Split a fragment of C on one line, as in specs and in bodies of macros, in tokens.

    Args:
        text: the fragment.
        file: the name that spans carry.
        line: number of its line.
        column: number of its first character in that line.

    Returns:
        The tokens; what C has no token for (`@`, a lone quote) has the kind `other`. Digraphs are spelled out.
    """
    tokens = []
    for match in LEXEMES.finditer(text):
        kind = match.lastgroup or "end"
        if kind != "end":
            start = match.start(kind)
            kind, spelling = lexeme_of(kind, match[kind], spaced=False)[:2]
            tokens.append(Token(kind, spelling, file, line, column + start))
    return tokens


_GUARD = re.compile(r"\s*([A-Za-z_]\w*)\s*$")
_INCLUDED = re.compile(r'\s*(<[^>\n]+>|"[^"\n]+")')
_DEFINED = re.compile(r"\s*([A-Za-z_]\w*)")


class Outline(msgspec.Struct, frozen=True):
    """The facts about a header that its directives state."""

    guard: str = ""
    """The macro that is asked for before everything else and defined then; empty for none."""
    guards: frozenset[str] = frozenset()
    """Macros that are asked for at the beginning of a part of it and defined then as nothing, the guard among them."""
    includes: tuple[str, ...] = ()
    """`<stddef.h>` or `"other.h"`, those that stand below no condition but the guard, in order."""
    conditional: frozenset[str] = frozenset()
    """Macros that are defined below a condition."""
    guarded: frozenset[str] = frozenset()
    """Macros that are defined only where nothing has defined them before."""


@lru_cache(maxsize=64)
def outline_of(text: str) -> Outline:
    """Look at the directives of a header.

    Args:
        text: of the header.
    """
    found = scan(text)
    guard = _guard_of(found)
    includes: dict[str, None] = {}
    conditional, guarded, guards = set(), set(), {guard}
    stack: list[str] = []
    for directive in found.directives:
        rest = without_comments(found.text[directive.rest : directive.end])
        if directive.name in ("if", "ifdef", "ifndef"):
            asked = _GUARD.match(rest) if directive.name == "ifndef" else None
            stack.append(asked[1] if asked else "")
        elif directive.name == "endif" and stack:
            stack.pop()
        elif directive.name in ("else", "elif", "elifdef", "elifndef") and stack:
            stack[-1] = ""
        elif directive.name == "define" and (defined := _DEFINED.match(rest)):
            if stack == [guard] and defined[1] == guard:
                continue
            if stack[-1:] == [defined[1]]:
                guarded.add(defined[1])
                guards |= {defined[1]} if stack == [defined[1]] and not rest[defined.end() :].strip() else set()
            elif [each for each in stack if not each or each not in guards]:
                conditional.add(defined[1])
        elif directive.name == "include" and not [each for each in stack if not each or each not in guards]:
            name = _INCLUDED.match(rest)
            includes |= {name[1]: None} if name else {}
    return Outline(guard, frozenset(guards - {""}), tuple(includes), frozenset(conditional), frozenset(guarded))


def _guard_of(found: Scan) -> str:
    """Return the include guard of a header, if all of the header depends on it; empty for none."""
    guard, depth = "", 0
    for directive in found.directives:
        rest = without_comments(found.text[directive.rest : directive.end])
        if directive.name in ("if", "ifdef", "ifndef"):
            depth += 1
            if depth == 1 and guard:
                return ""  # the first condition has ended before
            asked = _GUARD.match(rest) if directive.name == "ifndef" and depth == 1 else None
            guard = asked[1] if asked else guard
            if not guard:
                return ""
        elif directive.name == "endif":
            depth -= 1
            if not depth and without_comments(found.text[directive.end :]).strip():
                return ""
    defined = (_DEFINED.match(found.text, each.rest) for each in found.directives if each.name == "define")
    return guard if any(each and each[1] == guard for each in defined) else ""
