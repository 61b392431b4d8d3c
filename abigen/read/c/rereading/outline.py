"""What an edited text has in common with what it was: its struct bodies and directives, found without reading it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import NamedTuple

# Each alternative begins with one character, which lets the search skip all others fast.
_LANDMARK = re.compile(
    r"/(?:/[^\n]*|\*.*?\*/)"
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|'(?:[^'\\\n]|\\.)*'"
    r"|\#(?P<directive>(?:[^\n\\/]++|\\.|/(?!\*)|/\*.*?\*/)*+)"
    r"|s(?<!\ws)truct(?P<struct>(?:[ \t\n]+\w+)?[ \t\n]*\{)"
    r"|u(?<!\wu)nion(?P<union>(?:[ \t\n]+\w+)?[ \t\n]*\{)"
    r"|\{(?P<open>)"
    r"|\}(?P<close>)",
    re.DOTALL,
)
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_DIRECTIVE = re.compile(r"[ \t]*(?P<kind>\w*)[ \t]*(?P<name>\w*)")
_NOT_PLAIN = re.compile(r"[^\w\s*(),;:\[\]]")
_OPEN_LENGTH = re.compile(r"\[\s*\]|:\s*[^\d\s]")
_TELLING = frozenset(
    ["struct", "union", "enum", "sizeof", "typeof", "typeof_unqual", "alignas", "alignof", "static_assert", "asm"]
)
"""Words beside which the meaning of a body does not follow from that of the names in it; reserved names are others."""
_LENGTH = re.compile(r"\[\s*(\w+)\s*\]")
_WORD = re.compile(r"[A-Za-z_]\w*")


class Body(NamedTuple):
    """What stands between the braces of a struct or union, on lines of its own."""

    line: int
    column: int
    """Where the word `struct` or `union` stands."""
    first_line: int
    last_line: int
    """The lines between that of the opening brace and that of the closing one."""
    start: int
    end: int
    """Their characters."""
    head: str
    """From the word to the end of the line with the brace; a comment there may go on in the body."""
    text: str
    region: int
    """How many directives other than `#define` come before it."""

    @property
    def key(self) -> tuple[str, str, int]:
        """What two texts have in common when they have this body in common."""
        return self.head, self.text, self.region

    @property
    def content(self) -> Content | None:
        """What it names; None when its meaning does not follow from that of its names."""
        code = _COMMENT.sub(" ", self.text)
        behind_brace = _COMMENT.sub("", self.head.partition("{")[2])
        if _NOT_PLAIN.search(code) or _OPEN_LENGTH.search(code) or behind_brace.strip():
            return None
        words = frozenset(_WORD.findall(code))
        lengths = frozenset(each for each in _LENGTH.findall(code) if not each[0].isdigit())
        return Content(words, lengths) if are_plain(words) else None


class Content(NamedTuple):
    """The names in a body, comments aside."""

    words: Set[str]
    """All names and keywords."""
    lengths: Set[str]
    """The names that stand between brackets."""


class Outline(NamedTuple):
    """The bodies and directives of a text."""

    bodies: Sequence[Body]
    directives: Sequence[str]
    """All but `#define`, in order."""
    macros: Mapping[str, Sequence[tuple[int, int, str]]]
    """By name, of each `#define`: its line, its region (as a body's), its text."""

    def definitions(self, name: str, line: int) -> Sequence[tuple[int, str]]:
        """Region and text of the definitions of a macro that come before a line."""
        return [(region, text) for at, region, text in self.macros.get(name, ()) if at < line]


def outline(text: str) -> Outline:
    """Find the bodies and directives of a text."""
    starts = [0, *(match.end() for match in re.finditer("\n", text))]
    bodies: list[Body] = []
    directives: list[str] = []
    macros: dict[str, list[tuple[int, int, str]]] = {}
    head: re.Match[str] | None = None
    for match in _LANDMARK.finditer(text):
        kind = match.lastgroup
        if kind is None:
            continue
        if kind in ("struct", "union"):
            head = match
        elif kind in ("open", "close"):
            body = _body(text, head, match.start(), len(directives), starts) if head and kind == "close" else None
            bodies += [] if body is None else [body]
            head = None
        else:
            head = None
            directive = _DIRECTIVE.match(match["directive"])
            if directive is not None and directive["kind"] == "define":
                line = bisect_right(starts, match.start())
                macros.setdefault(directive["name"], []).append((line, len(directives), match[0]))
            else:
                directives.append(match[0])
    return Outline(bodies, directives, macros)


def _body(text: str, head: re.Match[str], close: int, region: int, starts: Sequence[int]) -> Body | None:
    """The body between two braces; None when these do not stand on lines of their own."""
    start = text.find("\n", head.end()) + 1
    end = text.rfind("\n", 0, close) + 1
    if not 0 < start < end or text[end:close].strip():
        return None
    line, first = bisect_right(starts, head.start()), bisect_right(starts, start)
    return Body(
        line=line,
        column=head.start() - starts[line - 1] + 1,
        first_line=first,
        last_line=bisect_right(starts, end) - 1,
        start=start,
        end=end,
        head=text[head.start() : start],
        text=text[start:end],
        region=region,
    )


def are_plain(words: Iterable[str]) -> bool:
    """Whether what a body declares follows from its text and from what its names mean."""
    return not any(word in _TELLING or (word[0] == "_" and _is_reserved(word)) for word in words)


def _is_reserved(word: str) -> bool:
    """Whether a name is the language's or a compiler's own, types aside (C 7.1.3)."""
    return word != "_Bool" and (word[1:2] == "_" or word[1:2].isupper())


def words_of(text: str) -> Set[str]:
    """All names and keywords in a text."""
    return frozenset(_WORD.findall(text))


def without(text: str, bodies: Sequence[Body]) -> str:
    """A text where nothing stands between the braces of some structs; all else keeps its place."""
    parts = []
    at = 0
    for each in bodies:
        parts += [text[at : each.start], "\n" * each.text.count("\n")]
        at = each.end
    return "".join((*parts, text[at:]))
