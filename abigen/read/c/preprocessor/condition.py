"""The value of the expression behind `#if`: C 6.10.1."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache, reduce
from itertools import pairwise

from pycparser import c_ast

from abigen.model.ctype import Conditional, Expression, Literal
from abigen.model.evaluate import evaluate_condition
from abigen.model.span import AbigenError, Diagnostic
from abigen.read.c import literals
from abigen.read.c.preprocessor.lexemes import Lexeme
from abigen.read.c.syntax.chunks import balance
from abigen.read.c.syntax.flatten import word_of_literal
from abigen.read.c.syntax.parser import Parser
from abigen.read.c.syntax.specifiers import PLAIN_NAME
from abigen.read.c.syntax.trees import Flat, KnownNames
from abigen.read.c.types.builder import TypeBuilder
from abigen.read.c.types.expressions import ExpressionBuilder
from abigen.read.c.unit import Token


class ConditionError(Exception):
    """The expression has no value; the text says why."""


class UndefinedMacroError(ConditionError):
    """It calls a macro that is not defined; a header that was not found may define it."""


def evaluate(lexemes: Sequence[Lexeme]) -> bool:
    """Evaluate the expression of a conditional, after macro expansion.

    Args:
        lexemes: the expression, with `defined` and its like already replaced by numbers.

    Returns:
        Whether its value is other than zero (C 6.10.1 paragraph 4; remaining identifiers count as 0).

    Raises:
        ConditionError: it is not a constant expression.
    """
    if not lexemes:
        raise ConditionError("no expression behind the directive")
    for each, behind in pairwise(lexemes):
        if each.kind == "id" and behind.text == "(":
            raise UndefinedMacroError(f"'{each.text}' is not a function-like macro that is defined")
    try:
        return _holds(tuple((each.kind, each.text) for each in lexemes))
    except AbigenError as error:
        raise ConditionError(error.diagnostics[0].message) from None


def questions_in(lexemes: Sequence[Lexeme]) -> Iterator[str]:
    """The names in a condition before macro expansion; `defined NAME` where only that matters of one."""
    before = ""
    for each in lexemes:
        if each.kind == "id":
            yield f"defined {each.text}" if before == "defined" else each.text
        before = before if each.text == "(" else each.text


@lru_cache(maxsize=5000)
def _holds(words: tuple[tuple[str, str], ...]) -> bool:
    """Whether an expression of these words has another value than zero; headers ask the same again and again."""
    tokens = [Token(kind, text, "", 1, 1) for kind, text in words]
    stream, errors = balance(tokens)
    for each in errors:
        _refuse(each)
    flat = Flat(stream, 0, len(tokens), [_word(each) for each in tokens], list(range(len(tokens))))
    Parser(KnownNames(), _refuse).parse("expression", flat)
    expression = _ConditionBuilder(TypeBuilder(KnownNames(), _refuse), flat).build(flat.nodes[0])
    return evaluate_condition(expression) != 0


def _word(token: Token) -> str:
    """The word that the grammar has for a token; no name is a keyword or a type here."""
    return PLAIN_NAME if token.kind == "id" else token.text if token.kind == "punct" else word_of_literal(token)


def _refuse(diagnostic: Diagnostic) -> None:
    raise AbigenError((diagnostic,))


class _ConditionBuilder(ExpressionBuilder):
    """Builds expressions by the rules of the preprocessor."""

    def _build_ID(self, node: c_ast.Node) -> Expression:  # noqa: N802
        return Literal(0)

    def _build_Constant(self, node: c_ast.Node) -> Expression:  # noqa: N802
        """Every number is an `intmax_t` if it is not a `uintmax_t`, in whatever base it is written."""
        text = re.sub("[wW][bB]", "", self._token(node).text)
        literal = literals.integer(text) or literals.integer(f"{text}u")
        if literal is None:
            return super()._build_Constant(node)
        return Literal(literal.value, "unsigned long" if "u" in text.lower() or literal.value >> 63 else "long")

    def _build_ExprList(self, node: c_ast.Node) -> Expression:  # noqa: N802
        """Preprocessors take commas; what stands before one is evaluated all the same."""
        return reduce(lambda before, last: Conditional(before, last, last), map(self.build, node.exprs))
