"""Splitting a translation unit in its top-level declarations, so that each can be read and refused on its own."""

from __future__ import annotations

from collections.abc import Sequence

from abigen.model.span import Diagnostic
from abigen.read.c.syntax.attributes import starts_attribute
from abigen.read.c.syntax.trees import Chunk, Stream
from abigen.read.c.unit import Token

_CLOSER = {"(": ")", "[": "]", "{": "}"}
_BRACKETS = frozenset("()[]{}")
_TAG_KEYWORDS = frozenset(("struct", "union", "enum", "class", "namespace"))
_NEVER_IN_A_STRUCT = frozenset(("typedef", "extern"))
_MOST_LEVELS = 150
CPP_STARTS = frozenset(
    ("namespace", "template", "using", "class", "friend", "public", "private", "protected", "concept")
)
"""Words that begin declarations in C++ and are nothing special in C."""
_STARTS_ANEW = frozenset(
    """
    typedef struct union enum extern static _Static_assert inline
    void _Bool char short int long float double signed unsigned
    """.split()  # noqa: SIM905
)


def balance(tokens: Sequence[Token]) -> tuple[Stream, list[Diagnostic]]:
    """Find the partner of each bracket, and repair what is not balanced so that the rest can be read.

    Args:
        tokens: a whole translation unit.

    Returns:
        The stream, with brackets added or left out where they do not match, and an error for each such place.
    """
    partners = _partners(tokens)
    return _repair(tokens) if partners is None else (Stream(tokens, partners), [])


def _partners(tokens: Sequence[Token]) -> list[int] | None:
    """The partner of each bracket; None when they do not match, or something looks as if one were missing."""
    partners = [-1] * len(tokens)
    open_at: list[int] = []
    for index, token in enumerate(tokens):
        text = token[1]
        if text in _BRACKETS:
            if text in _CLOSER:
                if len(open_at) >= _MOST_LEVELS:
                    return None
                open_at.append(index)
                continue
            if not open_at:
                return None
            start = open_at.pop()
            if _CLOSER[tokens[start][1]] != text:
                return None
            partners[start] = index
            partners[index] = start
        elif open_at and (text in _NEVER_IN_A_STRUCT or (text == ";" and tokens[open_at[-1]][1] != "{")):
            return None
    return None if open_at else partners


def _repair(tokens: Sequence[Token]) -> tuple[Stream, list[Diagnostic]]:
    """What `balance` does, for tokens whose brackets may not match."""
    kept: list[Token] = []
    partners: list[int] = []
    errors: list[Diagnostic] = []
    open_at: list[int] = []
    code_at: list[int] = []  # those of `open_at` whose contents are statements
    tag_pending = False
    tags_before_attributes: set[int] = set()  # brackets of attributes that stand between `struct` and its brace

    def close(token: Token, text: str) -> None:
        nonlocal tag_pending
        start = open_at.pop()
        if code_at and code_at[-1] == start:
            code_at.pop()
        tag_pending = start in tags_before_attributes
        partners[start] = len(kept)
        partners.append(start)
        kept.append(token if token.text == text else token._replace(kind="punct", text=text))

    def refuse(index: int, before: Token | None) -> None:
        bracket = kept[index]
        where = f" before '{before.text}'" if before is not None else ""
        hint = f"add the missing '{_CLOSER[bracket.text]}'{where}"
        errors.append(Diagnostic(bracket.span, f"this '{bracket.text}' is never closed", hint))

    for token in tokens:
        text = token.text
        if token.kind == "punct":
            if text in _CLOSER:
                if len(open_at) >= _MOST_LEVELS and not code_at:
                    errors.append(Diagnostic(token.span, f"brackets nested more than {_MOST_LEVELS} deep"))
                    return Stream((), ()), errors
                if text == "{" and not tag_pending and (code_at or _opens_code(kept)):
                    code_at.append(len(kept))
                if tag_pending and text != "{" and _is_of_attribute(kept, text):
                    tags_before_attributes.add(len(kept))
                tag_pending = False
                open_at.append(len(kept))
            elif text in ")]}":
                while open_at and _CLOSER[kept[open_at[-1]].text] != text:
                    if text != "}" and "{" in (kept[each].text for each in open_at[-2:]):
                        break
                    refuse(open_at[-1], token)
                    close(token, _CLOSER[kept[open_at[-1]].text])
                if not open_at or _CLOSER[kept[open_at[-1]].text] != text:
                    errors.append(
                        Diagnostic(
                            token.span, f"'{text}' has no '{ {v: k for k, v in _CLOSER.items()}[text] }' before it"
                        )
                    )
                    continue
                close(token, text)
                continue
            elif text == ";" and not code_at:
                tag_pending = False
                while open_at and kept[open_at[-1]].text in "([":
                    refuse(open_at[-1], token)
                    close(token, _CLOSER[kept[open_at[-1]].text])
            elif text in ",=;":
                tag_pending = False
        elif text in _TAG_KEYWORDS:
            tag_pending = True
        elif text in _NEVER_IN_A_STRUCT and open_at and not code_at and token.kind == "id":
            while open_at and not _is_linkage(kept, open_at[-1]):
                refuse(open_at[-1], token)
                close(token, _CLOSER[kept[open_at[-1]].text])
            if kept and kept[-1].text == "}":
                partners.append(-1)
                kept.append(token._replace(kind="punct", text=";"))
        partners.append(-1)
        kept.append(token)
    if open_at:
        while open_at:
            refuse(open_at[-1], None)
            close(kept[-1], _CLOSER[kept[open_at[-1]].text])
        partners.append(-1)
        kept.append(kept[-1]._replace(kind="punct", text=";"))
    return Stream(kept, partners), errors


def split(stream: Stream) -> tuple[list[Chunk], list[Diagnostic]]:
    """Split a balanced stream in top-level declarations.

    Returns:
        The chunks in order, and an error for what is no declaration of C at all (C++, a missing semicolon).
    """
    tokens = stream.tokens
    chunks: list[Chunk] = []
    errors: list[Diagnostic] = []
    index, end = 0, len(tokens)
    while index < end:
        token = tokens[index]
        if token.text == ";":
            index += 1
        elif token.kind == "pragma":
            chunks.append(Chunk(stream, index, index + 1, "pragma"))
            index += 1
        elif token.text == "{" and token.kind == "punct":
            hint = 'if a macro before it should stand for extern "C", put the brace in the macro'
            errors.append(Diagnostic(token.span, "unexpected '{' outside of any declaration", hint))
            index += 1
        elif token.text == "}" and token.kind == "punct":
            index += 1
        elif (after := _linkage_block(stream, index)) > 0:
            errors.append(_bare_linkage(token))
            index = after
        elif token.text in CPP_STARTS and _is_cpp(stream, index):
            errors.append(
                Diagnostic(
                    token.span,
                    f"'{token.text}' is C++, a C compiler cannot read it",
                    "put it inside #ifdef __cplusplus",
                )
            )
            index = _skip_declaration(stream, index)
        else:
            chunk, index = _take(stream, index, errors)
            chunks.append(chunk)
    return chunks, errors


def _take(stream: Stream, start: int, errors: list[Diagnostic]) -> tuple[Chunk, int]:
    """The declaration that begins at a token, and the index behind it."""
    tokens, partners = stream.tokens, stream.partners
    kind = "assertion" if tokens[start].text in ("_Static_assert", "static_assert") else "declaration"
    index, end = start, len(tokens)
    initializing = False
    tag = -1
    while index < end:
        token = tokens[index]
        text = token.text
        if text == ";":
            body = _old_style_body(stream, start, index)
            if body:
                return Chunk(stream, start, _after_parameters(stream, start, index), "function"), body + 1
            return Chunk(stream, start, index, kind), index + 1
        if token.kind == "pragma":
            index += 1
            continue
        if text in _TAG_KEYWORDS and token.kind == "id":
            tag = index
        if text == "=":
            initializing = True
        if partners[index] > index:
            close = partners[index]
            if text == "{" and not initializing:
                if tag < 0 or not _opens_tag(stream, tag, index):
                    return Chunk(stream, start, index, "function"), close + 1
                tag = -1
                behind = tokens[close + 1] if close + 1 < end else None
                if behind is None or (behind.line > tokens[close].line and _starts_anew(stream, close + 1)):
                    errors.append(
                        Diagnostic(
                            tokens[close].span, "expected ';' after this '}'", "a struct, union or enum ends with '};'"
                        )
                    )
                    return Chunk(stream, start, close + 1, kind), close + 1
            index = close + 1
            continue
        index += 1
    last = tokens[end - 1]
    errors.append(Diagnostic(last.span, f"expected ';' after '{last.text}' at the end of the file"))
    return Chunk(stream, start, end, kind), end


def _starts_anew(stream: Stream, index: int) -> bool:
    """Whether what stands on the line behind a `}` begins another declaration: a word of C, or a type and a name."""
    token = stream.tokens[index]
    following = stream.tokens[index + 1] if index + 1 < len(stream.tokens) else token
    return token.text in _STARTS_ANEW or (
        token.kind == "id" and not starts_attribute(token) and (following.kind == "id" or following.text == "*")
    )


def _after_parameters(stream: Stream, start: int, end: int) -> int:
    """Behind the first parentheses that follow a name; `end` when there are none."""
    index = start + 1
    while index < end:
        close = stream.partners[index]
        if stream.tokens[index].text == "(" and stream.tokens[index - 1].kind == "id":
            return close + 1
        index = close + 1 if close > index else index + 1
    return end


def _old_style_body(stream: Stream, start: int, semicolon: int) -> int:
    """The closing brace of `int f(a) int a; { ... }` (C 6.9.1 paragraph 6), 0 when this is no such definition."""
    tokens, partners = stream.tokens, stream.partners
    after = _after_parameters(stream, start, semicolon)
    if after >= semicolon or tokens[after].kind != "id":
        return 0
    if any(each.kind != "id" and each.text != "," for each in tokens[partners[after - 1] + 1 : after - 1]):
        return 0
    index = semicolon
    while index < len(tokens):
        if tokens[index].text == "{":
            return partners[index] if tokens[index - 1].text == ";" else 0
        if tokens[index].text in ("}", "(") or (tokens[index].text == ";" and tokens[index - 1].text == ")"):
            return 0
        index += 1
    return 0


def _opens_tag(stream: Stream, tag: int, brace: int) -> bool:
    """Whether a brace is the body of the struct, union or enum whose keyword stands at `tag`."""
    index = tag + 1
    names = 0
    while index < brace:
        token = stream.tokens[index]
        if token.text in ("__attribute__", "__attribute", "__declspec", "_Alignas", "alignas", "_declspec"):
            index += 1
            if index < brace and stream.partners[index] > index:
                index = stream.partners[index] + 1
            continue
        if token.text == "[" and stream.partners[index] > index:
            index = stream.partners[index] + 1
            continue
        if token.text == ":":
            return True
        if token.kind != "id":
            return False
        names += 1
        index += 1
    return names <= 2


def _is_of_attribute(kept: Sequence[Token], bracket: str) -> bool:
    """Whether a bracket behind these tokens holds attributes."""
    before = kept[-1].text if kept else ""
    return before != "[" if bracket == "[" else before.startswith("__attribute") or "declspec" in before


def _opens_code(kept: list[Token]) -> bool:
    """Whether a `{` behind these tokens begins the body of a function or a statement expression."""
    if not kept:
        return False
    return kept[-1].text in ("(", ")")


def _is_linkage(kept: list[Token], brace: int) -> bool:
    """Whether the bracket at `brace` opens `extern "C" {`, or a block that is meant to be one."""
    if kept[brace].text != "{":
        return False
    if brace == 0 or kept[brace - 1].text in (";", "}"):
        return True
    return brace >= 2 and kept[brace - 1].kind == "string" and kept[brace - 2].text == "extern"


def _linkage_block(stream: Stream, index: int) -> int:
    """Behind `extern "C"` and its brace when they stand at `index`, else 0."""
    tokens = stream.tokens
    if tokens[index].text == "extern" and index + 1 < len(tokens) and tokens[index + 1].kind == "string":
        return index + 3 if index + 2 < len(tokens) and tokens[index + 2].text == "{" else index + 2
    return 0


def _bare_linkage(token: Token) -> Diagnostic:
    """The error for extern "C" in text that a C compiler reads."""
    return Diagnostic(token.span, 'extern "C" is C++, a C compiler cannot read it', "put it inside #ifdef __cplusplus")


def _is_cpp(stream: Stream, index: int) -> bool:
    """Whether the word at `index` is used as C++ would, and not as somebody's identifier."""
    following = stream.tokens[index + 1] if index + 1 < len(stream.tokens) else None
    return following is not None and (following.kind == "id" or following.text in ("<", ":", "{"))


def _skip_declaration(stream: Stream, index: int) -> int:
    """Behind the `;` or the `}` that ends whatever begins at `index`."""
    while index < len(stream.tokens):
        token = stream.tokens[index]
        if token.text == ";":
            return index + 1
        if token.text == "{" and stream.partners[index] > index:
            return stream.partners[index] + 1
        index = stream.partners[index] + 1 if stream.partners[index] > index else index + 1
    return index
