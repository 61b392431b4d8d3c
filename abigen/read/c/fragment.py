"""Types, members and constant expressions on their own, as specs state them: parsed as they are in headers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from abigen.model.ctype import CType, Expression, FunctionType
from abigen.model.span import AbigenError, Diagnostic, Span
from abigen.read.c.syntax.chunks import balance
from abigen.read.c.syntax.explain import explain, suggest
from abigen.read.c.syntax.flatten import Flattener
from abigen.read.c.syntax.grammar import parse_shape
from abigen.read.c.syntax.pragmas import PragmaState
from abigen.read.c.syntax.shapes import SyntaxFailure
from abigen.read.c.syntax.trees import TagBody
from abigen.read.c.syntax.vocabulary import KEYWORDS
from abigen.read.c.types.builder import TypeBuilder
from abigen.read.c.types.expressions import ExpressionBuilder, NotConstantError
from abigen.read.c.types.folding import fold
from abigen.read.c.unit import Token

_Result = TypeVar("_Result")


@dataclass(frozen=True)
class FragmentNames:
    """The names that a fragment may use."""

    typedefs: Mapping[str, CType | None] = field(default_factory=dict)
    """Names of types to what they stand for; None when that is not known (yet)."""
    tags: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Tag to kind (`struct`, `union`, `enum`) and key in the API. Other tags are opaque types, their own key."""
    constants: Collection[str] = ()
    """Names that an expression may use: enumerators."""
    values: Mapping[str, int] = field(default_factory=dict)
    """Those constants whose value is the same on every target."""


@dataclass(frozen=True)
class FragmentMember:
    """A member declaration: `int flags : 3`."""

    name: str
    type: CType
    bit_width: Expression | int | None = None
    span: Span | None = None


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
    return _Fragment(tokens, names, place).run(
        "type", lambda fragment, node: fragment.types.type_name(fragment.flat, node)
    )


def parse_function(tokens: Sequence[Token], names: FragmentNames, place: Span) -> FunctionType:
    """Parse the type of a function, such as `void (T* params, int count)`; arguments and errors as in `parse_type`."""
    type = parse_type(tokens, names, place)
    if not isinstance(type, FunctionType):
        hint = "write it as 'void (int count)': the result, then the parameters in parentheses"
        raise AbigenError.at(tokens[0].span if tokens else place, "this is not the type of a function", hint)
    return type


def parse_member(tokens: Sequence[Token], names: FragmentNames, place: Span) -> FragmentMember:
    """Parse the declaration of one member, such as `size_t struct_size`; arguments and errors as in `parse_type`."""
    return _Fragment(tokens, names, place).run("member", _member)


def parse_expression(tokens: Sequence[Token], names: FragmentNames, place: Span) -> Expression:
    """Parse an integer constant expression; arguments and errors as in `parse_type`."""
    return _Fragment(tokens, names, place).run(
        "expression", lambda fragment, node: ExpressionBuilder(fragment.types, fragment.flat).build(node)
    )


def _member(fragment: _Fragment, node: Any) -> FragmentMember:
    """The member that a declaration declares."""
    declared = fragment.types.declared(fragment.flat, node, 0)
    if not declared.name:
        fragment.report(Diagnostic(fragment.flat.token(0).span, "the member has no name", "write it as 'int count'"))
    return FragmentMember(declared.name, declared.type, declared.bit_width, declared.token.span)


class _Fragment:
    """One fragment on its way; to the flattener and the types it is the table of names as well."""

    is_c23 = False

    def __init__(self, tokens: Sequence[Token], names: FragmentNames, place: Span) -> None:
        self.errors: list[Diagnostic] = []
        self.types = TypeBuilder(self, self.report)
        self._names = names
        self._place = place
        stream, errors = balance(tokens)
        self.errors += errors
        self._semicolon = next((each for each in tokens if each.text == ";" and each.kind == "punct"), None)
        self.flat = Flattener(KEYWORDS, self, PragmaState(self.report), self.report).flatten(
            stream, 0, len(stream.tokens)
        )

    def run(self, mode: str, build: Callable[[_Fragment, Any], _Result]) -> _Result:
        """Parse as `mode` and build the result; raise what went wrong."""
        self._refuse_early(mode)
        result: _Result | None = None
        if not self.errors:
            shape = parse_shape(mode, self.flat.words)
            if isinstance(shape, SyntaxFailure):
                self.errors += explain(mode, self.flat, shape, self).errors
            elif len(shape.nodes) != 1:
                self.errors.append(Diagnostic(self._place, "expected exactly one declaration"))
            else:
                try:
                    result = build(self, shape.nodes[0])
                except NotConstantError as error:
                    self.report(Diagnostic(error.token.span, error.message, error.hint))
        errors = [each for each in self.errors if each.severity == "error"]
        if errors or result is None:
            raise AbigenError(list(dict.fromkeys(errors)))
        return result

    def _refuse_early(self, mode: str) -> None:
        """Refuse what the grammar would allow or explain badly."""
        flat = self.flat
        if not flat.words and not self.errors:
            what = {"type": "a type", "member": "a member", "expression": "an expression"}[mode]
            self.errors.append(Diagnostic(self._place, f"expected {what}"))
        if self._semicolon is not None:
            self.report(Diagnostic(self._semicolon.span, "unexpected ';'", "remove it"))
        for body in flat.tags.values():
            self.report(
                Diagnostic(
                    body.keyword.span, f"a {body.kind} cannot be defined here", f"define the {body.kind} by itself"
                )
            )
        for segment in flat.segments:
            if segment.initializer is not None:
                token = flat.stream.tokens[segment.initializer[0] - 1]
                self.report(Diagnostic(token.span, "unexpected '='"))

    def report(self, diagnostic: Diagnostic) -> None:
        """Keep an error."""
        self.errors.append(diagnostic)

    # The names, as `Flattener`, `TypeBuilder` and `explain` ask for them.

    def may_be_type(self, name: str) -> bool:
        """Whether a name is a typedef's."""
        return name in self._names.typedefs

    def is_type(self, name: str) -> bool:
        """Whether a name is a typedef's."""
        return name in self._names.typedefs

    def declare_tag(self, kind: str, keyword: Token, name: Token | None, body: TagBody | None) -> None:
        """Check that a tag is of the kind that it is used as."""
        known = self._names.tags.get(name.text) if name is not None else None
        if known is not None and name is not None and known[0] != kind:
            self.report(
                Diagnostic(name.span, f"'{name.text}' is a {known[0]}, not a {kind}", f"write '{known[0]} {name.text}'")
            )

    def declare_enumerator(self, token: Token) -> None:
        """Enumerations are not defined in fragments."""

    def type_of_typedef(self, name: str) -> CType | None:
        """What a typedef stands for."""
        return self._names.typedefs.get(name)

    def type_of_object(self, name: str) -> CType | None:
        """Fragments know no objects."""
        return None

    def type_of_member(self, record: CType, name: str) -> CType | None:
        """Fragments do not look into structs."""
        return None

    def key_of_reference(self, kind: str, token: Token) -> str:
        """The key of `struct X`."""
        known = self._names.tags.get(token.text)
        return known[1] if known is not None else token.text

    def key_of_body(self, body: TagBody) -> str:
        """Bodies have been refused already."""
        return body.name.text if body.name else ""

    def ordinary(self, name: str) -> str:
        """What an identifier stands for."""
        return "enumerator" if name in self._names.constants else ""

    def fold(self, expression: Expression) -> Expression | int:
        """The value of an expression when it is the same on all targets."""
        value = fold(expression, self._names.values)
        return expression if value is None else value

    def suggest_value(self, name: str) -> str:
        """A hint for an identifier that is not known."""
        return suggest(name, self._names.constants)

    def suggest_type(self, name: str) -> str:
        """A hint for a name that should be a type."""
        if name in self._names.tags:
            return f"write '{self._names.tags[name][0]} {name}'"
        return suggest(name, [*self._names.typedefs, "int", "char", "double", "float", "unsigned", "void", "long"])
