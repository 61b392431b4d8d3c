"""The lexer of C, for text that has been preprocessed and for the fragments of C in specs and macro bodies."""

from __future__ import annotations

import re

from abigen.read.c.unit import Token

_DIGRAPHS = {"<:": "[", ":>": "]", "<%": "{", "%>": "}", "%:": "#", "%:%:": "##"}

_TOKEN = re.compile(
    r"""
      (?P<string>(?:u8|[uUL])?"(?:\\.|[^"\\\n])*")
    | (?P<char>(?:u8|[uUL])?'(?:\\.|[^'\\\n])+')
    | (?P<id>(?!\d)[\w$]+)
    | (?P<blank>[ \t\f\v\r]+)
    | (?P<newline>\n)
    | (?P<number>\.?[0-9](?:[eEpP][+-]|'(?=[0-9A-Za-z])|[\w.])*)
    | (?P<comment>//[^\n]*|/\*[^*]*\*+(?:[^/*][^*]*\*+)*/)
    | (?P<pragma>\#[ \t]*pragma\b[^\n]*)
    | (?P<punct>\.\.\.|<<=|>>=|%:%:|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|\#\#|::|<:|:>|<%|%>|%:
        |[-+*/%&|^~!<>=?:;,.(){}\[\]\#])
    | (?P<other>.)
    """,
    re.VERBOSE,
)


def lex(text: str, file: str, line: int = 1, column: int = 1) -> list[Token]:
    """Split text in the tokens of C 6.4; comments and white space are dropped.

    Args:
        text: preprocessed text; a `#pragma` that starts a line becomes one token.
        file: the name that spans carry.
        line: number of the text's first line.
        column: number of the first character in that line.

    Returns:
        The tokens; what C has no token for (`@`, a lone quote) has the kind `other`. Digraphs are spelled out.
    """
    tokens: list[Token] = []
    append = tokens.append
    line_start = 1 - column
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        if kind == "blank":
            continue
        if kind == "newline":
            line += 1
            line_start = match.end()
            continue
        start = match.start()
        lexeme = match.group()
        if kind == "comment":
            newlines = lexeme.count("\n")
            if newlines:
                line += newlines
                line_start = start + lexeme.rfind("\n") + 1
            continue
        if kind == "punct":
            lexeme = _DIGRAPHS.get(lexeme, lexeme)
        elif kind == "pragma":
            lexeme = lexeme[lexeme.index("pragma") + len("pragma") :].strip()
        append(Token(kind or "other", lexeme, file, line, start - line_start + 1))
    return tokens
