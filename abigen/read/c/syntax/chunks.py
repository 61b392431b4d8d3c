"""Splitting a translation unit in its top-level declarations, so that each can be read and refused on its own."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from msgspec.structs import replace

from abigen.model.span import Diagnostic
from abigen.read.c.syntax.specifiers import starts_attribute
from abigen.read.c.syntax.trees import Chunk, Stream
from abigen.read.c.unit import Token

_CLOSER = {"(": ")", "[": "]", "{": "}"}
_OPENER = {closer: opener for opener, closer in _CLOSER.items()}
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
    if partners is None:
        tokens = _without_forward_parameters(tokens)
        partners = _partners(tokens)
    if partners is not None:
        return Stream(tokens, partners), []
    repair = _Repair()
    return repair.run(tokens), repair.errors


def _partners(tokens: Sequence[Token]) -> list[int] | None:
    """The partner of each bracket; None when they do not match, or something looks as if one were missing."""
    partners = [-1] * len(tokens)
    open_at: list[int] = []
    for index, token in enumerate(tokens):
        text = token.text
        if text in _BRACKETS:
            if text in _CLOSER:
                if len(open_at) >= _MOST_LEVELS:
                    return None
                open_at.append(index)
                continue
            if not open_at:
                return None
            start = open_at.pop()
            if _CLOSER[tokens[start].text] != text:
                return None
            partners[start] = index
            partners[index] = start
        elif open_at and (text in _NEVER_IN_A_STRUCT or (text == ";" and tokens[open_at[-1]].text != "{")):
            return None
    return None if open_at else partners


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


class _Repair:
    """Puts a text together whose brackets may not match: missing ones are added, those too many are left out."""

    def __init__(self) -> None:
        self.errors: list[Diagnostic] = []
        self._kept: list[Token] = []
        self._partners: list[int] = []
        self._open_at: list[int] = []
        self._code_at: list[int] = []
        """Those of `_open_at` whose contents are statements."""
        self._tag_pending = False
        """Whether a brace would be the body of a struct, union or enum."""
        self._before_a_body: set[int] = set()
        """Brackets of attributes that stand between `struct` and its brace."""

    def run(self, tokens: Sequence[Token]) -> Stream:
        """Repair a whole translation unit."""
        for token in tokens:
            text = token.text
            if token.kind == "punct" and text in _CLOSER:
                if len(self._open_at) >= _MOST_LEVELS and not self._code_at:
                    self.errors.append(Diagnostic(token.span, f"brackets nested more than {_MOST_LEVELS} deep"))
                    return Stream((), ())
                self._open(text)
            elif token.kind == "punct" and text in _OPENER:
                self._close_with(token)
                continue
            elif token.kind == "punct" and text in ",=;":
                self._tag_pending = False
                while text == ";" and not self._code_at and self._open_at and self._innermost() in "([":
                    self._close_missing(token)
            elif text in _TAG_KEYWORDS:
                self._tag_pending = True
            elif text in _NEVER_IN_A_STRUCT and self._open_at and not self._code_at and token.kind == "id":
                while self._open_at and not _is_linkage(self._kept, self._open_at[-1]):
                    self._close_missing(token)
                if self._kept and self._kept[-1].text == "}":
                    self._keep(replace(token, kind="punct", text=";"))
            self._keep(token)
        while self._open_at:
            self._close_missing(None)
            if not self._open_at:
                self._keep(replace(self._kept[-1], kind="punct", text=";"))
        return Stream(self._kept, self._partners)

    def _keep(self, token: Token, partner: int = -1) -> None:
        self._partners.append(partner)
        self._kept.append(token)

    def _innermost(self) -> str:
        """The bracket that is open; empty when none is."""
        return self._kept[self._open_at[-1]].text if self._open_at else ""

    def _open(self, text: str) -> None:
        """Take note of an opening bracket, which is kept next."""
        if text == "{" and not self._tag_pending and (self._code_at or _opens_code(self._kept)):
            self._code_at.append(len(self._kept))
        if self._tag_pending and text != "{" and _is_of_attribute(self._kept, text):
            self._before_a_body.add(len(self._kept))
        self._tag_pending = False
        self._open_at.append(len(self._kept))

    def _close_with(self, token: Token) -> None:
        """Close with a closing bracket all that it can close."""
        opener = _OPENER[token.text]
        while self._open_at and self._innermost() != opener:
            if token.text != "}" and "{" in (self._kept[each].text for each in self._open_at[-2:]):
                break
            self._close_missing(token)
        if self._innermost() == opener:
            self._close(token)
        else:
            self.errors.append(Diagnostic(token.span, f"'{token.text}' has no '{opener}' before it"))

    def _close_missing(self, before: Token | None) -> None:
        """Report a bracket that is never closed, and close it before a token, or at the end."""
        bracket = self._kept[self._open_at[-1]]
        where = f" before '{before.text}'" if before is not None else ""
        hint = f"add the missing '{_CLOSER[bracket.text]}'{where}"
        self.errors.append(Diagnostic(bracket.span, f"this '{bracket.text}' is never closed", hint))
        self._close(replace(before or self._kept[-1], kind="punct", text=_CLOSER[bracket.text]))

    def _close(self, token: Token) -> None:
        start = self._open_at.pop()
        if self._code_at and self._code_at[-1] == start:
            self._code_at.pop()
        self._tag_pending = start in self._before_a_body
        self._partners[start] = len(self._kept)
        self._keep(token, start)


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
    end = stream.find(index, len(stream.tokens), (";", "{"))
    return stream.after(end) if end < len(stream.tokens) else end
