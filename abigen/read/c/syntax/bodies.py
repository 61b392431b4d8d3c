"""Taking the bodies of structs and enumerations apart."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from abigen.model.span import Diagnostic
from abigen.read.c.syntax import vocabulary as v
from abigen.read.c.syntax.attributes import take_attributes
from abigen.read.c.syntax.names import Names
from abigen.read.c.syntax.trees import EnumeratorSyntax, Flat, Member, Stream, TagBody
from abigen.read.c.unit import Token

_MOST_BODIES = 64  # C 5.2.4.1 asks for 63 levels of nested structs at least
_LONGEST_SIMPLE = 9  # `const unsigned long long int * const * name`


class Pragmas(Protocol):
    """What pragmas have said so far about the layout of structs."""

    pack: int | None
    bitfield_rule: str

    def apply(self, token: Token) -> None:
        """Obey a pragma."""


class BodySplitter:
    """Splits bodies in members and enumerators, in the order of the source."""

    def __init__(
        self,
        keywords: dict[str, str],
        names: Names,
        pragmas: Pragmas,
        report: Callable[[Diagnostic], None],
        flatten: Callable[[Stream, int, int], Flat],
    ) -> None:
        """Prepare to split.

        Args:
            keywords: word as it is written to the keyword that it means.
            names: hears of enumerators.
            pragmas: hear of pragmas in bodies.
            report: where errors go.
            flatten: flattens a declaration or an expression.
        """
        self._keywords = keywords
        self._names = names
        self._pragmas = pragmas
        self._report = report
        self._flatten = flatten
        self._depth = 0
        self._simple_members: dict[tuple[str, ...], Flat] = {}

    def split(self, body: TagBody, start: int, end: int) -> None:
        """Take a body apart: its members, or its enumerators, are flattened.

        Args:
            body: the struct, union or enum; it gets what is found.
            start: index of the token behind its opening brace.
            end: index of its closing brace.
        """
        if self._depth >= _MOST_BODIES:
            self._report(Diagnostic(body.keyword.span, f"structs nested more than {_MOST_BODIES} deep"))
            return
        self._depth += 1
        if body.kind == "enum":
            self._enumerators(body, start, end)
        else:
            self._members(body, start, end)
        self._depth -= 1
        body.pack, body.bitfield_rule = self._pragmas.pack, self._pragmas.bitfield_rule

    def _members(self, body: TagBody, start: int, end: int) -> None:
        """Split a struct's body in member declarations."""
        stream = body.stream
        tokens, partners = stream.tokens, stream.partners
        index = start
        while index < end:
            token = tokens[index]
            if token.kind == "pragma":
                self._pragmas.apply(token)
                index += 1
                continue
            if token.text == ";":
                index += 1
                continue
            after = index
            while after < end and tokens[after].text != ";":
                after = partners[after] + 1 if partners[after] > after else after + 1
            if self._keywords.get(token.text) == "_Static_assert":
                close = partners[index + 1] if index + 1 < after else -1
                flat = self._flatten(stream, index + 2, assertion_end(stream, index + 2, max(close, index + 2)))
                body.members.append(Member(flat, index, is_assertion=True))
            else:
                body.members.append(self._member(stream, index, after))
            index = after + 1

    def _member(self, stream: Stream, start: int, end: int) -> Member:
        """One member declaration, recognised when another one differs from it in the name only."""
        tokens = stream.tokens
        last = tokens[end - 1]
        key = None
        if end - start <= _LONGEST_SIMPLE and last.kind == "id" and last.text not in self._keywords:
            key = tuple([token.text for token in tokens[start : end - 1]])
            known = self._simple_members.get(key)
            if known is not None:
                return Member(known, start, name_at=end - 1)
        flat = self._flatten(stream, start, end)
        if key is not None and _is_simple(flat.words):
            self._simple_members[key] = flat
            return Member(flat, start, name_at=end - 1)
        return Member(flat, start)

    def _enumerators(self, body: TagBody, start: int, end: int) -> None:
        """Split an enumeration's body in enumerators."""
        stream = body.stream
        tokens, partners = stream.tokens, stream.partners
        index = start
        while index < end:
            token = tokens[index]
            if token.kind == "pragma":
                self._pragmas.apply(token)
                index += 1
                continue
            after = index
            while after < end and tokens[after].text != ",":
                after = partners[after] + 1 if partners[after] > after else after + 1
            if token.kind != "id" or token.text in self._keywords:
                self._report(Diagnostic(token.span, f"expected the name of an enumerator before '{token.text}'"))
                index = after + 1
                continue
            attributes, value_at = take_attributes(stream, index + 1, after, self._report)
            while value_at < after and tokens[value_at].kind == "pragma":
                value_at += 1
            value = None
            if value_at < after and tokens[value_at].text == "=":
                value = self._flatten(stream, value_at + 1, after)
            elif value_at < after:
                message = f"expected ',' or '=' before '{tokens[value_at].text}'"
                self._report(Diagnostic(tokens[value_at].span, message, f"separate it from '{token.text}' by a comma"))
            self._names.declare_enumerator(token)
            body.enumerators.append(EnumeratorSyntax(token, attributes, value, index, after))
            index = after + 1
        if not body.enumerators:
            place = body.name or body.keyword
            self._report(Diagnostic(place.span, "an enum needs at least one enumerator"))


def _is_simple(words: list[str]) -> bool:
    """Whether a declaration is type, stars and a name, so that its type does not depend on the name."""
    types = 0
    for position in range(len(words) - 1):
        word = words[position]
        if word == v.TYPE_NAME or word in v.SIMPLE_TYPES:
            types += 1
        elif word in v.TAG_WORDS:
            types += 1
            if words[position + 1 : position + 2] != [v.PLAIN_NAME] or position + 2 >= len(words):
                return False
        elif word == v.PLAIN_NAME:
            if words[position - 1] not in v.TAG_WORDS or not position:
                return False
        elif word not in ("*", "const", "volatile", "restrict"):
            return False
    return types > 0 and words[-1] == v.PLAIN_NAME


def assertion_end(stream: Stream, start: int, end: int) -> int:
    """Where the condition of a static assertion ends: before the comma and its message, or at `end`."""
    index = start
    while index < end:
        if stream.tokens[index].text == ",":
            return index
        index = stream.partners[index] + 1 if stream.partners[index] > index else index + 1
    return end
