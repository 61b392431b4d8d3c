"""Types and constant expressions on their own, as specs state them: parsed as they are in headers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from pycparser.c_ast import Node

from abigen.headers.syntax.flatten import Flattener
from abigen.headers.syntax.parser import WHAT, Parser
from abigen.headers.syntax.specifiers import KEYWORDS
from abigen.headers.syntax.trees import Flat, KnownNames, balance
from abigen.headers.types import TypeBuilder
from abigen.headers.unit import Token
from abigen.model.ctype import CType, Expression
from abigen.model.span import AbigenError, Diagnostic, Span

_Result = TypeVar("_Result")


def parse_type(tokens: Sequence[Token], names: KnownNames, place: Span) -> CType:
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
    found: CType | None = _parse("type", TypeBuilder.type_name, tokens, names, place)
    assert found is not None, "the error was raised before"
    return found


def parse_expression(tokens: Sequence[Token], names: KnownNames, place: Span) -> Expression:
    """Parse an integer constant expression; arguments and errors as in `parse_type`."""
    found: Expression | None = _parse("expression", TypeBuilder.expression, tokens, names, place)
    assert found is not None, "the error was raised before"
    return found


def _parse(
    mode: str,
    build: Callable[[TypeBuilder, Flat, Node], _Result],
    tokens: Sequence[Token],
    names: KnownNames,
    place: Span,
) -> _Result | None:
    """Parse as `mode` and build the result; raise what went wrong."""
    errors: list[Diagnostic] = []
    stream, unbalanced = balance(tokens)
    errors += unbalanced
    flat = Flattener(KEYWORDS, names, errors.append).flatten(stream, 0, len(stream.tokens))
    if not flat.words and not errors:
        errors.append(Diagnostic(place, f"expected {WHAT[mode]}"))
    _refuse_early(tokens, flat, errors.append)
    result: _Result | None = None
    if not errors:
        Parser(names, errors.append).parse(mode, flat)
        if len(flat.nodes) == 1:
            result = build(TypeBuilder(names, errors.append), flat, flat.nodes[0])
        elif not errors:
            errors.append(Diagnostic(place, "expected exactly one declaration"))
    errors = [each for each in errors if each.severity == "error"]
    if errors or result is None:
        raise AbigenError(list(dict.fromkeys(errors)))
    return result


def _refuse_early(tokens: Sequence[Token], flat: Flat, report: Callable[[Diagnostic], None]) -> None:
    """Refuse what the grammar would allow or explain badly."""
    semicolon = next((each for each in tokens if each.text == ";" and each.kind == "punct"), None)
    if semicolon is not None:
        report(Diagnostic(semicolon.span, "unexpected ';'", "remove it"))
    for body in flat.bodies.values():
        report(
            Diagnostic(body.keyword.span, f"a {body.kind} cannot be defined here", f"define the {body.kind} by itself")
        )
    for segment in {id(each): each for each in flat.segments.values()}.values():
        if segment.initializer is not None:
            report(Diagnostic(flat.stream.tokens[segment.initializer[0] - 1].span, "unexpected '='"))
