"""Taking a declaration apart until pycparser's grammar can read it.

Bodies of structs and enumerations, attributes, assembler names and initialisers leave the token stream and are kept
with the place where they stood; names are told apart from names of types (C 6.2.3, 6.7.8), which no grammar of C can do
alone.
"""

from __future__ import annotations

from collections.abc import Callable

from abigen.model.span import Diagnostic
from abigen.read.c.syntax import vocabulary as v
from abigen.read.c.syntax.attributes import starts_attribute, take_attributes
from abigen.read.c.syntax.bodies import BodySplitter, Pragmas
from abigen.read.c.syntax.names import Names
from abigen.read.c.syntax.trees import Attribute, AttributeUse, Flat, Segment, Stream, TagBody
from abigen.read.c.unit import Token

_MOST_DIMENSIONS = 256

# A typedef's name is a type only where no type has been named yet (C 6.7.8).
_BEFORE_A_TYPE = frozenset(("(", ":", v.TYPEDEF, "extern", "static", "register", "auto", "_Thread_local", "inline",
                            "_Noreturn", "constexpr"))  # fmt: skip
_ENDS_A_DECLARATOR = frozenset((v.PLAIN_NAME, v.TYPE_NAME, ")", "]", v.INTEGER))
_FOLLOWS_A_DECLARATOR = frozenset(("", ",", ";", "=", ":", ")", "[", "(", "{", "asm", "__asm__", "__asm"))


class Flattener:
    """Flattens the declarations of one translation unit, in order."""

    def __init__(
        self,
        keywords: dict[str, str],
        names: Names,
        pragmas: Pragmas,
        report: Callable[[Diagnostic], None],
    ) -> None:
        """Prepare to flatten.

        Args:
            keywords: word as it is written to the keyword that it means.
            names: what has been declared so far; hears of what bodies declare.
            pragmas: hear of pragmas in bodies.
            report: where errors go.
        """
        self._keywords = keywords
        self._names = names
        self._report = report
        self._bodies = BodySplitter(keywords, names, pragmas, report, self.flatten)

    def flatten(self, stream: Stream, start: int, end: int) -> Flat:
        """Flatten a declaration, a type name or an expression.

        Args:
            stream: the tokens.
            start: index of the first.
            end: index behind the last; a closing semicolon is not part of it.

        Returns:
            The words for pycparser and what was taken out. What is wrong with nested bodies is reported, not raised.
        """
        flat = Flat(stream, start, end)
        words, origins = flat.words, flat.origins
        tokens, partners, keywords = stream.tokens, stream.partners, self._keywords
        segment = Segment()
        flat.segments.append(segment)
        items: list[int] = []  # where in `words` the current item of each open parenthesis begins
        openings: list[int] = []  # where each of them stands
        alignas_ends: dict[int, int] = {}
        behind_star: list[Attribute] = []  # attributes met before a `*` that belong behind it
        dimensions = 0
        index = start
        while index < end:
            token = tokens[index]
            kind, text = token.kind, token.text
            if kind == "id":
                word = keywords.get(text)
                if word is None:
                    if starts_attribute(token):
                        index = self._attributes(flat, index, items, behind_star)
                        continue
                    if text in v.IGNORED_WORDS:
                        index += 1
                        continue
                    word = v.PLAIN_NAME
                    if (
                        self._names.may_be_type(text)
                        and self._names_type(words, openings, alignas_ends)
                        and self._names.is_type(text)
                    ):
                        word = v.TYPE_NAME
                elif word in v.TAG_WORDS:
                    index = self._tag(flat, index)
                    continue
                elif word == "asm":
                    index = self._symbol(stream, index, segment)
                    continue
            elif kind == "punct":
                word = "#" if text == "##" else text  # `#` and more behind it would be a run of attributes
                if text == "(":
                    items.append(len(words) + 1)
                    openings.append(len(words))
                elif text == ")":
                    if items:
                        items.pop()
                        opening = openings.pop()
                        if opening and words[opening - 1] == "_Alignas":
                            alignas_ends[len(words)] = opening - 1
                elif text == ",":
                    if items:
                        items[-1] = len(words) + 1
                    else:
                        segment = Segment()
                        flat.segments.append(segment)
                elif text == "[":
                    if words and words[-1] == "]":
                        dimensions += 1
                        if dimensions > _MOST_DIMENSIONS:
                            self._report(Diagnostic(token.span, f"an array of more than {_MOST_DIMENSIONS} dimensions"))
                            return Flat(stream, start, end)
                    if index + 1 < end and tokens[index + 1].text == "[":
                        after = self._attributes(flat, index, items, behind_star)
                        if after > index:
                            index = after
                            continue
                elif text == "=":
                    if not words or words[-1] not in _ENDS_A_DECLARATOR or words[-1] == v.TYPE_NAME:
                        self._report(Diagnostic(token.span, "unexpected '='", "write the name of the object before it"))
                    index = self._initializer(stream, index, end, segment, bool(items))
                    continue
                elif text == "{":
                    # A compound literal or a statement expression: nothing to look into.
                    words.append(v.PLAIN_NAME)
                    origins.append(index)
                    index = partners[index] + 1
                    continue
                elif text == "*" and behind_star:
                    words.append(word)
                    origins.append(index)
                    self._mark(flat, index, tuple(behind_star), "function")
                    behind_star.clear()
                    index += 1
                    continue
            elif kind == "number":
                word = v.FLOATING if _is_floating(text) else v.INTEGER
            elif kind == "char":
                word = v.CHARACTER
            elif kind == "string":
                word = v.STRING
            elif kind == "pragma":
                index += 1
                continue
            else:
                word = "#"
            words.append(word)
            origins.append(index)
            index += 1
        segment.attributes += behind_star
        return flat

    def _names_type(self, words: list[str], openings: list[int], alignas_ends: dict[int, int]) -> bool:
        """Whether a typedef's name in this place names the type."""
        position = len(words) - 1
        while position >= 0:
            word = words[position]
            if word in v.QUALIFIERS or (word[0] == v.ATTRIBUTE and len(word) > 1):
                position -= 1
            elif position in alignas_ends:
                position = alignas_ends[position] - 1
            else:
                if word == "," and openings:
                    return openings[-1] == 0 or words[openings[-1] - 1] != "offsetof"
                return word in _BEFORE_A_TYPE
        return True

    def _attributes(self, flat: Flat, index: int, items: list[int], behind_star: list[Attribute]) -> int:
        """Take the attributes at `index` out; the index behind them (`index` itself when there are none)."""
        stream, words = flat.stream, flat.words
        run, after = take_attributes(stream, index, flat.end, self._report)
        if after == index:
            if stream.tokens[index].text == "[":
                return index
            flat.words.append("#")
            flat.origins.append(index)
            return index + 1
        following = stream.tokens[after].text if after < flat.end else ""
        last = words[-1] if words else ""
        behind = len(words) - 1
        while behind >= 0 and (words[behind] in v.QUALIFIERS or words[behind].startswith(v.ATTRIBUTE)):
            behind -= 1
        if behind >= 0 and words[behind] == "*":
            self._mark(flat, index, tuple(run), "pointer")
        elif last == "(" and following == "*":
            behind_star += run
        elif (last == "," and not items) or (last == "(" and self._begins_name(stream, after, flat.end)):
            flat.segments[-1].attributes += run
        elif last in _ENDS_A_DECLARATOR and following in _FOLLOWS_A_DECLARATOR and behind == len(words) - 1:
            if items:
                self._mark(flat, index, tuple(run), "trailing", at=items[-1])
            else:
                flat.segments[-1].attributes += run
        else:
            self._mark(flat, index, tuple(run), "specifier")
        return after

    def _begins_name(self, stream: Stream, index: int, end: int) -> bool:
        """Whether what stands behind `(` and attributes is a name in parentheses, and no parameter."""
        token = stream.tokens[index] if index < end else None
        return token is not None and (
            token.text == "("
            or (token.kind == "id" and token.text not in self._keywords and not self._names.may_be_type(token.text))
        )

    def _mark(self, flat: Flat, index: int, run: tuple[Attribute, ...], place: str, at: int | None = None) -> None:
        """Let a word that is a qualifier to the grammar stand for attributes."""
        if at is None:
            at = len(flat.words)
        elif flat.tags:
            flat.tags = {position + (position >= at): body for position, body in flat.tags.items()}
        flat.words.insert(at, f"{v.ATTRIBUTE}{len(flat.uses)}")
        flat.origins.insert(at, index)
        flat.uses.append(AttributeUse(run, place))

    def _symbol(self, stream: Stream, index: int, segment: Segment) -> int:
        """Take an assembler name out; the index behind it."""
        index += 1
        while index < len(stream.tokens) and stream.tokens[index].text in (
            "volatile",
            "__volatile__",
            "inline",
            "goto",
        ):
            index += 1
        close = stream.partners[index] if index < len(stream.tokens) else -1
        if close < index:
            return index
        segment.symbol = "".join(
            each.text.strip('"') for each in stream.tokens[index + 1 : close] if each.kind == "string"
        )
        return close + 1

    def _initializer(self, stream: Stream, index: int, end: int, segment: Segment, in_parameters: bool) -> int:
        """Leave an initialiser out; the index behind it."""
        if in_parameters:
            hint = "a C function has none; remove it, or put the declaration inside #ifdef __cplusplus"
            self._report(Diagnostic(stream.tokens[index].span, "default arguments are C++", hint))
        after = index + 1
        while after < end and stream.tokens[after].text not in (",", ")"):
            after = stream.partners[after] + 1 if stream.partners[after] > after else after + 1
        segment.initializer = (index + 1, after)
        return after

    def _tag(self, flat: Flat, index: int) -> int:
        """Take a struct, union or enum specifier; the index behind it."""
        stream, end = flat.stream, flat.end
        tokens = stream.tokens
        keyword = tokens[index]
        attributes, after = take_attributes(stream, index + 1, end, self._report)
        name = None
        name_at = after
        if after < end and tokens[after].kind == "id" and tokens[after].text not in self._keywords:
            name = tokens[after]
            after += 1
        underlying = None
        if (
            keyword.text == "enum"
            and after + 1 < end
            and tokens[after].text == ":"
            and self._starts_type(tokens[after + 1])
        ):
            colon = after
            while after < end and tokens[after].text not in ("{", ";", ","):
                after += 1
            underlying = self.flatten(stream, colon + 1, after)
        if after < end and tokens[after].text == "{" and stream.partners[after] > after:
            close = stream.partners[after]
            body = TagBody(keyword.text, name, keyword, attributes, index, close, stream, underlying=underlying)
            self._names.declare_tag(keyword.text, keyword, name, body)
            self._bodies.split(body, after + 1, close)
            trailing, after = take_attributes(stream, close + 1, end, self._report)
            attributes += trailing
        elif underlying is not None:
            body = TagBody(keyword.text, name, keyword, attributes, index, after - 1, stream, underlying=underlying)
            body.is_complete = False
            self._names.declare_tag(keyword.text, keyword, name, body)
        else:
            if name is not None:
                self._names.declare_tag(keyword.text, keyword, name, None)
            flat.words.append(keyword.text)
            flat.origins.append(index)
            if name is not None:
                flat.words.append(v.PLAIN_NAME)
                flat.origins.append(name_at)
            return after
        flat.tags[len(flat.words)] = body
        flat.words.append(v.TAG_BODY)
        flat.origins.append(index)
        return after

    def _starts_type(self, token: Token) -> bool:
        """Whether what stands behind `enum E :` is a type, and not the width of a bit-field."""
        word = self._keywords.get(token.text)
        return token.kind == "id" and (
            word in v.SIMPLE_TYPES
            or word in v.QUALIFIERS
            or word in ("typeof", "_BitInt")
            or self._names.is_type(token.text)
        )


def _is_floating(text: str) -> bool:
    """Whether a preprocessing number is a floating constant (C 6.4.4.2)."""
    if text[:2] in ("0x", "0X"):
        return "p" in text or "P" in text
    return "." in text or "e" in text or "E" in text
