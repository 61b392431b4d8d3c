"""Splitting a translation unit in its top-level declarations, so that each can be read and refused on its own."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from abigen.model.span import Diagnostic
from abigen.read.c.syntax.trees import Chunk, Stream
from abigen.read.c.unit import Token

_CLOSER = {"(": ")", "[": "]", "{": "}"}
_OPENER = {closer: opener for opener, closer in _CLOSER.items()}
_TAG_KEYWORDS = frozenset(("struct", "union", "enum", "class", "namespace"))
_NEVER_IN_VALUES = frozenset((";", "typedef", "extern"))
_MOST_LEVELS = 256  # as many as clang takes
CPP_STARTS = frozenset(
    ("namespace", "template", "using", "class", "friend", "public", "private", "protected", "concept")
)
"""Words that begin declarations in C++ and are nothing special in C."""


def balance(tokens: Sequence[Token]) -> tuple[Stream, list[Diagnostic]]:
    """Find the partner of each bracket.

    Args:
        tokens: a whole translation unit.

    Returns:
        The stream, without the parameters that are declared in advance; or an empty one and the first bracket that has
        no partner.
    """
    partners = [-1] * len(tokens)
    open_at: list[int] = []
    misplaced: list[int] = []
    for index, token in enumerate(tokens):
        text = token.text
        if text in _NEVER_IN_VALUES:
            if open_at and _encloses_values(tokens, open_at):
                misplaced.append(index)
        elif text in _CLOSER and token.kind == "punct":
            open_at.append(index)
            if len(open_at) > _MOST_LEVELS:
                return _unbalanced(token, f"brackets nested more than {_MOST_LEVELS} deep")
        elif text in _OPENER and token.kind == "punct":
            if not open_at or _CLOSER[tokens[open_at[-1]].text] != text:
                if _OPENER[text] not in (tokens[each].text for each in open_at):
                    return _unbalanced(token, f"'{text}' has no '{_OPENER[text]}' before it")
                return _never_closed(tokens[open_at[-1]], f" before '{text}'")
            start = open_at.pop()
            partners[start] = index
            partners[index] = start
    if open_at:
        return _never_closed(tokens[open_at[-1]])
    kept = _without_forward_parameters(tokens) if misplaced else tokens
    return (Stream(tokens, partners, misplaced), []) if len(kept) == len(tokens) else balance(kept)


def _encloses_values(tokens: Sequence[Token], open_at: Sequence[int]) -> bool:
    """Whether the innermost bracket holds parameters or values, outside of statements in an expression."""
    start = open_at[-1]
    if tokens[start].text == "{" and tokens[start - 1].text != "=":
        return False
    return not any(tokens[each].text == "{" and tokens[each - 1].text == "(" for each in open_at)


def _never_closed(bracket: Token, where: str = "") -> tuple[Stream, list[Diagnostic]]:
    """The error about a bracket without a partner."""
    hint = f"add the missing '{_CLOSER[bracket.text]}'{where}"
    return _unbalanced(bracket, f"this '{bracket.text}' is never closed", hint)


def _unbalanced(token: Token, message: str, hint: str = "") -> tuple[Stream, list[Diagnostic]]:
    return Stream((), ()), [Diagnostic(token.span, message, hint)]


def _without_forward_parameters(tokens: Sequence[Token]) -> Sequence[Token]:
    """The tokens without the parameters that GNU C lets one declare in advance: `int f(int n; int a[n], int n)`.

    They are such where their names stand behind the last semicolon of their parentheses again.
    """
    left_out: set[int] = set()
    open_at: list[tuple[int, int]] = []
    """Each parenthesis, and the last semicolon directly in it or -1."""
    for index, token in enumerate(tokens):
        if token.text in _CLOSER:
            open_at.append((index, -1))
        elif token.text == ";" and open_at:
            open_at[-1] = (open_at[-1][0], index)
        elif token.text in _OPENER and open_at:
            start, semicolon = open_at.pop()
            if token.text == ")" and semicolon > start and _are_declared_again(tokens, start, semicolon, index):
                left_out.update(range(start + 1, semicolon + 1))
    return [each for index, each in enumerate(tokens) if index not in left_out] if left_out else tokens


def _are_declared_again(tokens: Sequence[Token], start: int, semicolon: int, end: int) -> bool:
    """Whether what is named between a parenthesis and a semicolon stands between that and the closing parenthesis."""
    names = {
        each.text
        for each, behind in pairwise(tokens[start : semicolon + 1])
        if each.kind == "id" and behind.text in (",", ";", "[")
    }
    return bool(names) and names <= {each.text for each in tokens[semicolon + 1 : end]}


def split(stream: Stream) -> tuple[list[Chunk], list[Diagnostic]]:
    """Split a balanced stream in top-level declarations.

    Returns:
        The chunks in order, and an error for what is no declaration of C at all (C++, a semicolon missing at the end).
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
            index = close + 1
            continue
        index += 1
    last = tokens[end - 1]
    errors.append(Diagnostic(last.span, f"expected ';' after '{last.text}' at the end of the file"))
    return Chunk(stream, start, end, kind), end


def _after_parameters(stream: Stream, start: int, end: int) -> int:
    """Behind the first parentheses that follow a name; `end` when there are none."""
    index = start + 1
    while index < end:
        if stream.tokens[index].text == "(" and stream.tokens[index - 1].kind == "id":
            return stream.after(index)
        index = stream.after(index)
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
            index = stream.after(index + 1) if index + 1 < brace else brace
            continue
        if token.text == "[":
            index = stream.after(index)
            continue
        if token.text == ":":
            return True
        if token.kind != "id":
            return False
        names += 1
        index += 1
    return names <= 2


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
    end = stream.find(index, len(stream.tokens), (";", "{"))
    return stream.after(end) if end < len(stream.tokens) else end
