"""Types and constant expressions on their own, as specs state them: parsed as they are in headers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TypeVar

import msgspec
from pycparser.c_ast import Node

from abigen.model.ctype import CType, Expression
from abigen.model.span import AbigenError, Diagnostic, Span
from abigen.read.c.syntax.chunks import balance
from abigen.read.c.syntax.explain import WHAT, suggest
from abigen.read.c.syntax.flatten import Flattener
from abigen.read.c.syntax.parser import Parser
from abigen.read.c.syntax.specifiers import KEYWORDS
from abigen.read.c.syntax.trees import Flat, KnownNames, TagBody
from abigen.read.c.types.builder import TypeBuilder
from abigen.read.c.unit import Token

_Result = TypeVar("_Result")
_BASIC_NAMES = ("int", "char", "double", "float", "unsigned", "void", "long")


class FragmentNames(msgspec.Struct, frozen=True):
    """The names that a fragment may use."""

    typedefs: Mapping[str, CType | None] = msgspec.field(default_factory=dict)
    """Names of types to what they stand for; None when that is not known (yet)."""
    tags: Mapping[str, tuple[str, str]] = msgspec.field(default_factory=dict)
    """Tag to kind (`struct`, `union`, `enum`) and key in the API. Other tags are opaque types, their own key."""
    constants: Collection[str] = ()
    """Names that an expression may use: enumerators."""
    values: Mapping[str, int] = msgspec.field(default_factory=dict)
    """Those constants whose value is the same on every target."""


def parse_type(tokens: Sequence[Token], names: FragmentNames, place: Span) -> CType:
    """Parse a type name, such as `const T*`, `void (*)(int count)`, `struct X[4]`, `void (int a, ...)`.

    Args:
        tokens: the text; what is wrong is reported at their places.
        names: what it may use.
        place: where an empty text is reported.

    Returns:
        The type; parameters keep their names and places.

    Raises:
        AbigenError: it is no type, or uses a name that is not known; with every error found.
    """
    build: Callable[[TypeBuilder, Flat, Node], CType | None] = TypeBuilder.type_name
    found = _Fragment(tokens, names, place).run("type", build)
    assert found is not None, "what is wrong has been raised"
    return found


def parse_expression(tokens: Sequence[Token], names: FragmentNames, place: Span) -> Expression:
    """Parse an integer constant expression; arguments and errors as in `parse_type`."""
    build: Callable[[TypeBuilder, Flat, Node], Expression | None] = TypeBuilder.expression
    found = _Fragment(tokens, names, place).run("expression", build)
    assert found is not None, "what is wrong has been raised"
    return found


class _Fragment(KnownNames):
    """One fragment on its way, and the names that it may use."""

    def __init__(self, tokens: Sequence[Token], names: FragmentNames, place: Span) -> None:
        self.values = names.values
        self._names = names
        self._place = place
        self._tokens = tokens
        self._errors: list[Diagnostic] = []

    def run(self, mode: str, build: Callable[[TypeBuilder, Flat, Node], _Result]) -> _Result | None:
        """Parse as `mode` and build the result; raise what went wrong."""
        report = self._errors.append
        stream, errors = balance(self._tokens)
        self._errors += errors
        flat = Flattener(KEYWORDS, self, report).flatten(stream, 0, len(stream.tokens))
        self._refuse_early(mode, flat)
        result: _Result | None = None
        if not self._errors:
            Parser(self, report).parse(mode, flat)
            if len(flat.nodes) == 1:
                result = build(TypeBuilder(self, report), flat, flat.nodes[0])
            elif not self._errors:
                report(Diagnostic(self._place, "expected exactly one declaration"))
        errors = [each for each in self._errors if each.severity == "error"]
        if errors or result is None:
            raise AbigenError(list(dict.fromkeys(errors)))
        return result

    def _refuse_early(self, mode: str, flat: Flat) -> None:
        """Refuse what the grammar would allow or explain badly."""
        report = self._errors.append
        if not flat.words and not self._errors:
            report(Diagnostic(self._place, f"expected {WHAT[mode]}"))
        semicolon = next((each for each in self._tokens if each.text == ";" and each.kind == "punct"), None)
        if semicolon is not None:
            report(Diagnostic(semicolon.span, "unexpected ';'", "remove it"))
        for body in flat.bodies.values():
            hint = f"define the {body.kind} by itself"
            report(Diagnostic(body.keyword.span, f"a {body.kind} cannot be defined here", hint))
        for segment in {id(each): each for each in flat.segments.values()}.values():
            if segment.initializer is not None:
                report(Diagnostic(flat.stream.tokens[segment.initializer[0] - 1].span, "unexpected '='"))

    def is_type(self, name: str) -> bool:
        """Whether a name is a typedef's."""
        return name in self._names.typedefs

    def declare_tag(self, kind: str, keyword: Token, name: Token | None, body: TagBody | None) -> None:
        """Check that a tag is of the kind that it is used as."""
        known = self._names.tags.get(name.text) if name is not None else None
        if known is not None and name is not None and known[0] != kind:
            hint = f"write '{known[0]} {name.text}'"
            self._errors.append(Diagnostic(name.span, f"'{name.text}' is a {known[0]}, not a {kind}", hint))

    def type_of_typedef(self, name: str) -> CType | None:
        """What a typedef stands for."""
        return self._names.typedefs.get(name)

    def key_of_reference(self, kind: str, token: Token) -> str:
        """The key of `struct X`."""
        known = self._names.tags.get(token.text)
        return known[1] if known is not None else token.text

    def ordinary(self, name: str) -> str:
        """What an identifier stands for."""
        return "enumerator" if name in self._names.constants else ""

    def suggest_value(self, name: str) -> str:
        """A hint for an identifier that is not known."""
        return suggest(name, self._names.constants)

    def suggest_type(self, name: str) -> str:
        """A hint for a name that should be a type."""
        if name in self._names.tags:
            return f"write '{self._names.tags[name][0]} {name}'"
        return suggest(name, [*self._names.typedefs, *_BASIC_NAMES])
