"""Taking out of a declaration what pycparser's grammar has no place for.

Attributes, assembler names, initialisers and pragmas leave the token stream and are kept with the place where they
stood; names are told apart from names of types (C 6.2.3, 6.7.8), which no grammar of C can do alone.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from abigen.headers.syntax import specifiers as v
from abigen.headers.syntax.specifiers import PragmaState, starts_attribute, take_attributes
from abigen.headers.syntax.trees import Attribute, Flat, KnownNames, Segment, Stream, TagBody
from abigen.headers.unit import Token
from abigen.model.span import Diagnostic

_MOST_DIMENSIONS = 256
_MOST_BODIES = 64  # C 5.2.4.1 asks for 63 levels of nested structs at least

# A typedef's name is a type only where no type has been named yet (C 6.7.8).
_BEFORE_A_TYPE = frozenset(("(", ":", "{", ";", "=", *v.STORAGE, *v.FUNCTION_SPECIFIERS))
_ENDS_A_DECLARATOR = frozenset((v.PLAIN_NAME, v.TYPE_NAME, ")", "]", v.INTEGER))
_FOLLOWS_A_DECLARATOR = frozenset(("", ",", ";", "=", ":", ")", "[", "(", "{", "asm", "__asm__", "__asm"))
_BEFORE_ARGUMENTS = frozenset((v.PLAIN_NAME, ")", "]", "sizeof", "_Alignof", "_Alignas", "typeof", "_Atomic"))
_LITERALS = {"char": v.CHARACTER, "string": v.STRING}


class Flattener:
    """Flattens the declarations of one translation unit, in order."""

    def __init__(
        self,
        keywords: dict[str, str],
        names: KnownNames,
        report: Callable[[Diagnostic], None],
        pragmas: PragmaState | None = None,
    ) -> None:
        """Prepare to flatten.

        Args:
            keywords: word as it is written to the keyword that it means.
            names: what has been declared so far; hears of what bodies declare.
            report: where errors go.
            pragmas: hear of pragmas in bodies; None for texts that stand alone.
        """
        self.keywords = keywords
        self.names = names
        self.report = report
        self.pragmas = pragmas or PragmaState(report)

    def flatten(self, stream: Stream, start: int, end: int) -> Flat:
        """Flatten a declaration, a type name or an expression.

        Args:
            stream: the tokens.
            start: index of the first.
            end: index behind the last; a closing semicolon is not part of it.

        Returns:
            The words for pycparser and what was taken out. What is wrong with nested bodies is reported, not raised.
        """
        return _Flattening(self, Flat(stream, start, end)).run()


class _Context(msgspec.Struct, frozen=True):
    """An open bracket: where in the words it stands, what it belongs to, and what was going on around it."""

    bracket: str
    position: int
    body: TagBody | None
    segment: Segment


class _Flattening:
    """The conversion of one text. Each method that takes an index returns the index behind the part that it handled."""

    def __init__(self, owner: Flattener, flat: Flat) -> None:
        self._owner = owner
        self._flat = flat
        self._segment = Segment()
        self._contexts: list[_Context] = []
        self._bodies: dict[int, TagBody] = {}
        """The construct that begins at each brace, as its keyword announced it."""
        self._body: TagBody | None = None
        """The innermost one that is open."""
        self._alignas_ends: dict[int, int] = {}
        """The ends of the parentheses of each `_Alignas` in the words, to the position of the word."""
        self._behind_star: list[Attribute] = []
        """Attributes met before a `*` that belong behind it."""
        self._dimensions = 0

    def run(self) -> Flat:
        """Flatten all of it."""
        tokens, end = self._flat.stream.tokens, self._flat.end
        index = self._flat.start
        while index < end:
            token = tokens[index]
            kind = token.kind
            if self._segment.start < 0 and kind != "pragma" and token.text != "}":
                self._segment.start = index
                if self._is_in_enum():
                    index = self._enumerator(token, index)
                    continue
            if kind == "id":
                index = self._identifier(token, index)
            elif kind == "punct":
                index = self._punctuation(token.text, index)
            elif kind == "pragma":
                if self._body is not None:
                    self._owner.pragmas.apply(token)
                index += 1
            else:
                self._append(word_of_literal(token), index)
                index += 1
        self._segment.attributes += tuple(self._behind_star)
        return self._flat

    def _append(self, word: str, index: int) -> None:
        """Append a word, at which pycparser may say that a declarator stands."""
        flat = self._flat
        flat.words.append(word)
        flat.origins.append(index)
        flat.segments[index] = self._segment

    def _identifier(self, token: Token, index: int) -> int:
        """Return a keyword, a name, or attributes."""
        text, names = token.text, self._owner.names
        word = self._owner.keywords.get(text)
        if word is None:
            if starts_attribute(token):
                return self._attributes(index)
            if text in v.IGNORED_WORDS:
                return index + 1
            is_type = names.may_be_type(text) and self._names_type() and names.is_type(text)
            word = v.TYPE_NAME if is_type else v.PLAIN_NAME
        elif word in v.TAG_WORDS:
            return self._tag(index)
        elif word == "asm":
            return self._symbol(index)
        self._append(word, index)
        return index + 1

    def _punctuation(self, text: str, index: int) -> int:
        """Return an operator or a bracket."""
        words, stream = self._flat.words, self._flat.stream
        if text == "(":
            self._open(text, self._segment if self._is_grouping() else Segment(index + 1))
        elif text in (")", "]", "}") and self._contexts:
            return self._close(text, index)
        elif text == "," and not (self._contexts and self._contexts[-1].segment is self._segment):
            is_next = self._is_in_enum() and self._contexts[-1].bracket == "{"
            shared = () if self._contexts and self._contexts[-1].bracket == "(" else self._segment.specifiers
            self._segment = Segment(-1 if is_next else self._segment.start, specifiers=shared)
        elif text == ";" and self._body is not None and not self._is_in_enum():
            self._segment = Segment()
            if words[-1] not in ("{", ";"):
                self._append(text, index)
            return index + 1
        elif text == "[":
            if words and words[-1] == "]":
                self._dimensions += 1
                if self._dimensions > _MOST_DIMENSIONS:
                    place = stream.tokens[index].span
                    self._owner.report(Diagnostic(place, f"an array of more than {_MOST_DIMENSIONS} dimensions"))
                    self._flat = Flat(stream, self._flat.start, self._flat.end)
                    return self._flat.end
            if index + 1 < self._flat.end and stream.tokens[index + 1].text == "[":
                after = self._attributes(index)
                if after > index:
                    return after
            self._open(text, Segment(self._segment.start))
        elif text == "=":
            return self._initializer(index)
        elif text == "{" and (body := self._bodies.get(index)) is None:
            # A compound literal or a statement expression: nothing to look into.
            self._append(v.PLAIN_NAME, index)
            return stream.partners[index] + 1
        elif text == "{":
            self._append(text, index)
            self._open(text, Segment(), body)
            self._body = body
            return index + 1
        if text == "^" and self._declares_block():
            self._flat.blocks.add(index)
            text = "*"
        self._append("#" if text == "##" else text, index)
        if text == "*" and self._behind_star:
            self._flat.of_pointers[index] = self._behind_star
            self._behind_star = []
        return index + 1

    def _is_in_enum(self) -> bool:
        return self._body is not None and self._body.kind == "enum"

    def _is_grouping(self) -> bool:
        """True if a parenthesis groups a declarator, `(*name)`, and holds no parameters."""
        last = self._flat.words[-1] if self._flat.words else ""
        return last not in _BEFORE_ARGUMENTS

    def _declares_block(self) -> bool:
        """True if a `^` declares a block: `void (^b)(void)`, or `F ^b` with a typedef `F` of a function.

        The operator `^` is behind a value, which ends neither with a parenthesis that opens nor with a type.
        """
        words = self._flat.words
        behind = len(words) - 1
        while behind >= 0 and words[behind] in v.QUALIFIERS:
            behind -= 1
        return behind >= 0 and words[behind] in ("(", v.TYPE_NAME)

    def _open(self, text: str, segment: Segment, body: TagBody | None = None) -> None:
        """Note that a bracket opens."""
        self._contexts.append(_Context(text, len(self._flat.words), body, self._segment))
        self._segment = segment

    def _close(self, text: str, index: int) -> int:
        """Go on with what was going on around a bracket; behind a body, with its trailing attributes."""
        flat, words = self._flat, self._flat.words
        context = self._contexts.pop()
        after = index + 1
        body = context.body
        if body is not None:
            if body.kind == "enum" and words[-1] == "{":
                place = (body.name or body.keyword).span
                self._owner.report(Diagnostic(place, "an enum needs at least one enumerator"))
                self._append(v.PLAIN_NAME, index)
            elif body.kind != "enum" and words[-1] not in ("{", ";"):
                self._append(";", index)  # compilers take the last member without its semicolon
            trailing, after = take_attributes(flat.stream, index + 1, flat.end, self._owner.report)
            body.attributes = (*body.attributes, *trailing)
            body.pack, body.bitfield_rule = self._owner.pragmas.pack, self._owner.pragmas.bitfield_rule
            self._body = body.parent
        elif text == ")" and context.position and words[context.position - 1] == "_Alignas":
            self._alignas_ends[len(words)] = context.position - 1
        self._segment = context.segment
        self._append(text, index)
        return after

    def _names_type(self) -> bool:
        """True if a typedef's name in this place names the type."""
        words = self._flat.words
        position = len(words) - 1
        while position >= 0:
            word = words[position]
            if word in v.QUALIFIERS:
                position -= 1
            elif position in self._alignas_ends:
                position = self._alignas_ends[position] - 1
            elif word == "," and self._contexts and self._contexts[-1].bracket == "(":
                opening = self._contexts[-1].position
                return opening == 0 or words[opening - 1] != "offsetof"
            else:
                return word in _BEFORE_A_TYPE
        return True

    def _attributes(self, index: int) -> int:
        """Take the attributes at `index` out; `index` itself when `[` begins none."""
        flat, words = self._flat, self._flat.words
        run, after = take_attributes(flat.stream, index, flat.end, self._owner.report)
        if after == index:
            if flat.stream.tokens[index].text == "[":
                return index
            self._append("#", index)
            return index + 1
        following = flat.stream.tokens[after].text if after < flat.end else ""
        last = words[-1] if words else ""
        behind = len(words) - 1
        while behind >= 0 and words[behind] in v.QUALIFIERS:
            behind -= 1
        in_parentheses = bool(self._contexts) and self._contexts[-1].bracket == "("
        is_trailing = last in _ENDS_A_DECLARATOR and following in _FOLLOWS_A_DECLARATOR
        if last == "(" and following in ("*", "^"):
            self._behind_star += run
        elif behind >= 0 and words[behind] == "*":
            self._flat.of_pointers.setdefault(flat.origins[behind], []).extend(run)
        elif is_trailing or (last == "," and not in_parentheses) or (last == "(" and self._begins_name(after)):
            self._segment.attributes += tuple(run)
        else:
            self._segment.specifiers += tuple(run)
        return after

    def _begins_name(self, index: int) -> bool:
        """True if what stands behind `(` and attributes is a name in parentheses, and no parameter."""
        token = self._flat.stream.tokens[index] if index < self._flat.end else None
        if token is None or token.kind != "id":
            return token is not None and token.text == "("
        return token.text not in self._owner.keywords and not self._owner.names.may_be_type(token.text)

    def _symbol(self, index: int) -> int:
        """Take an assembler name out."""
        stream = self._flat.stream
        tokens = stream.tokens
        index += 1
        while index < len(tokens) and tokens[index].text in ("volatile", "__volatile__", "inline", "goto"):
            index += 1
        close = stream.partners[index] if index < len(tokens) else -1
        if close < index:
            return index
        literals = (each.text.strip('"') for each in tokens[index + 1 : close] if each.kind == "string")
        self._segment.symbol = "".join(literals)
        return close + 1

    def _initializer(self, index: int) -> int:
        """Leave an initialiser out."""
        flat, words, report = self._flat, self._flat.words, self._owner.report
        place = flat.stream.tokens[index].span
        if not words or words[-1] not in _ENDS_A_DECLARATOR or words[-1] == v.TYPE_NAME:
            report(Diagnostic(place, "unexpected '='", "write the name of the object before it"))
        if self._contexts and self._contexts[-1].bracket == "(":
            hint = "a C function has none; remove it, or put the declaration inside #ifdef __cplusplus"
            report(Diagnostic(place, "default arguments are C++", hint))
        elif self._body is not None and not self._is_in_enum():
            report(Diagnostic(place, "a member cannot have an initialiser in C", "remove it"))
        after = flat.stream.find(index + 1, flat.end, (",", ")", ";", "}"))
        self._segment.initializer = (index + 1, after)
        return after

    def _tag(self, index: int) -> int:
        """Take a struct, union or enum specifier up to its body."""
        flat, owner = self._flat, self._owner
        stream, end, tokens = flat.stream, flat.end, flat.stream.tokens
        keyword = tokens[index]
        attributes, after = take_attributes(stream, index + 1, end, owner.report)
        self._append(keyword.text, index)
        name = None
        if after < end and tokens[after].kind == "id" and tokens[after].text not in owner.keywords:
            name = tokens[after]
            self._append(v.PLAIN_NAME, after)
            after += 1
        brace, is_typed = after, False
        if keyword.text == "enum" and after + 1 < end and tokens[after].text == ":":
            is_typed = self._starts_type(tokens[after + 1])
            while is_typed and brace < end and tokens[brace].text not in ("{", ";", ","):
                brace += 1
        has_braces = brace < end and tokens[brace].text == "{" and stream.partners[brace] > brace
        if not has_braces and not is_typed:
            if name is not None:
                owner.names.declare_tag(keyword.text, keyword, name, None)
            return after
        opening, close = (brace, stream.partners[brace]) if has_braces else (brace - 1, brace - 1)
        body = TagBody(keyword.text, name, keyword, attributes, flat, index, opening, close, self._body)
        flat.bodies[index if keyword.text == "enum" else after - 1 if name is not None else brace] = body
        owner.names.declare_tag(keyword.text, keyword, name, body)
        self._bodies[brace] = body
        if sum(each.body is not None for each in self._contexts) >= _MOST_BODIES:
            owner.report(Diagnostic(keyword.span, f"structs nested more than {_MOST_BODIES} deep"))
            self._append("{", brace)
            self._append("}", close)
            return close + 1
        return after

    def _enumerator(self, name: Token, index: int) -> int:
        """Take an enumerator up to its value."""
        flat, owner = self._flat, self._owner
        tokens = flat.stream.tokens
        after = flat.stream.find(index, flat.end, (",", "}"))
        if name.kind != "id" or name.text in owner.keywords:
            owner.report(Diagnostic(name.span, f"expected the name of an enumerator before '{name.text}'"))
            self._segment = Segment()
            return after + (tokens[after].text == ",")
        self._append(v.PLAIN_NAME, index)
        attributes, value_at = take_attributes(flat.stream, index + 1, after, owner.report)
        self._segment.attributes += tuple(attributes)
        while value_at < after and tokens[value_at].kind == "pragma":
            value_at += 1
        owner.names.declare_enumerator(name)
        if value_at < after and tokens[value_at].text == "=":
            self._append("=", value_at)
            return value_at + 1
        if value_at < after:
            message = f"expected ',' or '=' before '{tokens[value_at].text}'"
            owner.report(Diagnostic(tokens[value_at].span, message, f"separate it from '{name.text}' by a comma"))
        return after

    def _starts_type(self, token: Token) -> bool:
        """True if what stands behind `enum E :` is a type, and not the width of a bit-field."""
        word = self._owner.keywords.get(token.text)
        return token.kind == "id" and (
            word in v.SIMPLE_TYPES
            or word in v.QUALIFIERS
            or word in ("typeof", "_BitInt")
            or self._owner.names.is_type(token.text)
        )


def word_of_literal(token: Token) -> str:
    """Return the word that the grammar has for a number, character or string, and for what is no token of C."""
    if token.kind == "number":
        return v.FLOATING if _is_floating(token.text) else v.INTEGER
    return _LITERALS.get(token.kind, "#")


def _is_floating(text: str) -> bool:
    """True if a preprocessing number is a floating constant (C 6.4.4.2)."""
    if text[:2] in ("0x", "0X"):
        return "p" in text or "P" in text
    return "." in text or "e" in text or "E" in text
