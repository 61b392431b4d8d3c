"""The bridge to pycparser: flattened declarations in, its syntax trees out.

pycparser is given terminals, not text (`vocabulary.TERMINALS`), and every terminal's line number is its position in the
declaration. Names and numbers are blanked out, so `uint64_t size` and `size_t count` are the same sentence to the
grammar: each shape of declaration is parsed once, however often it occurs and in however many headers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from abigen.read.c.syntax.nodes import copy_trees
from abigen.read.c.syntax.shapes import SHAPES, Shape, SyntaxFailure
from abigen.read.c.syntax.vocabulary import ATTRIBUTE, TERMINALS

if TYPE_CHECKING:
    from pycparser.c_ast import Node
    from pycparser.c_lexer import Token as GrammarToken

_FRAMES = {
    "declaration": ((), (";",)),
    "member": (("struct", "{"), (";", "}", ";")),
    "expression": (("_Static_assert", "(", "("), (")", ")", ";")),
    "type": (("_Static_assert", "(", "_Alignof", "("), (")", ")", ";")),
}
"""What is put around a fragment to make it a translation unit."""

_PLACE = re.compile(r"^(?P<file>[^:]*):(?P<line>-?\d+):(?P<column>\d+): (?P<message>.*)", re.DOTALL)


class _WordLexer:
    """What pycparser calls a lexer, for words that are terminals already."""

    def __init__(self, error_func: object, *, dialect: str = "legacy") -> None:
        self.filename = ""
        self.reached = 0
        self._next: Iterator[GrammarToken] = iter(())

    def input(self, tokens: Iterator[GrammarToken], filename: str = "") -> None:
        """Take the terminals to hand out."""
        self._next = iter(tokens)

    def token(self) -> GrammarToken | None:
        """The next terminal, None at the end."""
        token = next(self._next, None)
        if token is not None:
            self.reached = token.lineno
        return token


_parser: Any = None


def parse_shape(mode: str, words: list[str]) -> Shape | SyntaxFailure:
    """Parse a fragment, or recall how one of the same shape was parsed.

    Args:
        mode: `declaration` (without its semicolon), `member` (of a struct), `expression` or `type` (a type name).
        words: its terminals.

    Returns:
        The trees; `position` in them is that of a word in `words`.
    """
    key = (mode, tuple(words))
    known = SHAPES.find(key)
    if known is None:
        known = _parse(mode, words)
        SHAPES.add(key, known)
    return known


def _parse(mode: str, words: list[str]) -> Shape | SyntaxFailure:
    """Parse with pycparser."""
    global _parser
    from pycparser.c_lexer import Token as GrammarToken
    from pycparser.c_parser import CParser, ParseError

    if _parser is None:
        _parser = CParser(lexer=_WordLexer, dialect="c23")
    before, after = _FRAMES[mode]
    tokens = [GrammarToken(TERMINALS[word], word, -1, 1, "") for word in before]
    for position, word in enumerate(words):
        kind = "CONST" if word.startswith(ATTRIBUTE) and len(word) > 1 else TERMINALS.get(word, "PPHASH")
        tokens.append(GrammarToken(kind, word, position, 1, ""))
    tokens += [GrammarToken(TERMINALS[word], word, len(words), 1, "") for word in after]
    try:
        tree = _parser.parse(tokens, "")
    except ParseError as error:
        found = _PLACE.match(str(error))
        if found is None:
            return SyntaxFailure(max(0, _parser.clex.reached), str(error).lstrip(": "))
        return SyntaxFailure(max(0, min(int(found["line"]), len(words))), found["message"])
    except RecursionError:
        return SyntaxFailure(0, "nested too deeply")
    except (AttributeError, AssertionError, TypeError, ValueError, IndexError) as error:
        # pycparser trips over some sentences that are not C instead of refusing them.
        return SyntaxFailure(max(0, _parser.clex.reached), f"Invalid declaration ({type(error).__name__})")
    return Shape(copy_trees(_unframe(mode, tree.ext)))


def _unframe(mode: str, nodes: list[Any]) -> list[Node]:
    """Take off what `_FRAMES` put around a fragment."""
    if mode == "declaration":
        return nodes
    if mode == "member":
        return list(nodes[0].type.decls)
    return [nodes[0].cond if mode == "expression" else nodes[0].cond.expr]
