"""The value of the expression behind `#if`: C 6.10.1."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from abigen.model.evaluate import IntegerTypes, Value, apply, combine, convert
from abigen.read.c.literals import code_units, integer, packed
from abigen.read.c.preprocessor.lexemes import Lexeme

MAX_DEPTH = 50
"""How deep parentheses may nest."""

_BITS = 64
_LONGEST = _BITS + 1
_SIGNED, _UNSIGNED = "int", "unsigned int"
_TYPES = IntegerTypes({_SIGNED: (8, 8), _UNSIGNED: (8, 8)})
"""In `#if` all integers are `intmax_t` and `uintmax_t` (C 6.10.1 paragraph 4)."""
_PRECEDENCE = {
    operator: level
    for level, operators in enumerate(
        ("||", "&&", "|", "^", "&", "== !=", "< > <= >=", "<< >>", "+ -", "* / %"), start=1
    )
    for operator in operators.split()
}


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
    parser = _Parser(lexemes)
    result = parser.comma(evaluated=True)
    if parser.index < len(lexemes):
        raise ConditionError(f"'{lexemes[parser.index].text}' does not belong in this expression")
    return result[0] != 0


def questions_in(lexemes: Sequence[Lexeme]) -> Iterator[str]:
    """The names in a condition before macro expansion; `defined NAME` where only that matters of one."""
    before = ""
    for each in lexemes:
        if each.kind == "id":
            yield f"defined {each.text}" if before == "defined" else each.text
        before = before if each.text == "(" else each.text


class _Parser:
    def __init__(self, lexemes: Sequence[Lexeme]) -> None:
        self.lexemes = lexemes
        self.index = 0
        self.depth = 0

    def peek(self) -> str:
        """The operator that comes next; empty when none does."""
        if self.index < len(self.lexemes) and self.lexemes[self.index].kind == "punct":
            return self.lexemes[self.index].text
        return ""

    def comma(self, *, evaluated: bool) -> Value:
        result = self.conditional(evaluated=evaluated)
        while self.peek() == ",":
            self.index += 1
            result = self.conditional(evaluated=evaluated)
        return result

    def conditional(self, *, evaluated: bool) -> Value:
        self.nest()
        condition = self.binary(1, evaluated=evaluated)
        if self.peek() == "?":
            self.index += 1
            then = self.comma(evaluated=evaluated and condition[0] != 0)
            self.expect(":")
            otherwise = self.conditional(evaluated=evaluated and condition[0] == 0)
            name = max(then[1], otherwise[1])
            condition = convert((then if condition[0] else otherwise)[0], name, _TYPES), name
        self.depth -= 1
        return condition

    def binary(self, level: int, *, evaluated: bool) -> Value:
        left = self.unary(evaluated=evaluated)
        while (precedence := _PRECEDENCE.get(self.peek(), 0)) >= level:
            operator = self.peek()
            self.index += 1
            decided = operator in ("&&", "||") and bool(left[0]) == (operator == "||")
            right = self.binary(precedence + 1, evaluated=evaluated and not decided)
            if operator in ("<<", ">>"):
                left = _shifted(left, right[0] if operator == "<<" else -right[0])
            elif operator in ("/", "%") and not right[0]:
                if evaluated:
                    raise ConditionError("division by zero")
                left = 0, max(left[1], right[1])
            else:
                left = combine(operator, left, right, _TYPES)
        return left

    def unary(self, *, evaluated: bool) -> Value:
        signs = []
        while self.peek() in ("+", "-", "!", "~"):
            signs.append(self.peek())
            self.index += 1
        result = self.primary(evaluated=evaluated)
        for sign in reversed(signs):
            result = apply(sign, result, _TYPES)
        return result

    def primary(self, *, evaluated: bool) -> Value:
        if self.index == len(self.lexemes):
            raise ConditionError("the expression ends too early")
        lexeme = self.lexemes[self.index]
        self.index += 1
        if lexeme.kind == "number":
            return _integer(lexeme.text)
        if lexeme.kind == "char":
            return _character(lexeme.text)
        if lexeme.kind == "id":
            if self.peek() == "(":
                raise UndefinedMacroError(f"'{lexeme.text}' is not a function-like macro that is defined")
            return 0, _SIGNED
        if lexeme.text == "(" and lexeme.kind == "punct":
            result = self.comma(evaluated=evaluated)
            self.expect(")")
            return result
        raise ConditionError(f"'{lexeme.text}' does not belong in this expression")

    def expect(self, text: str) -> None:
        if self.peek() != text:
            raise ConditionError(f"'{text}' is missing")
        self.index += 1

    def nest(self) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise ConditionError(f"the expression nests more than {MAX_DEPTH} deep")


def _shifted(left: Value, distance: int) -> Value:
    """A value shifted left, or right when the distance is negative; preprocessors take any distance."""
    value = left[0] << min(distance, _BITS) if distance >= 0 else left[0] >> min(-distance, _BITS)
    return convert(value, left[1], _TYPES), left[1]


def _integer(text: str) -> Value:
    plain = re.sub("[wW][bB]", "", text)
    literal = integer(plain) or integer(f"{plain}u")
    if literal is not None:
        return literal.value, _UNSIGNED if "u" in text.lower() or literal.value >> (_BITS - 1) else _SIGNED
    if re.match(r"(?:0[xX][0-9a-fA-F.']*[pP]|[0-9']*\.|[0-9']+[eE])", text):
        raise ConditionError(f"'{text}' is a floating number, which #if cannot use")
    if re.fullmatch(r"(?:0[xX][0-9a-fA-F']+|0[bB][01']+|0[0-7']*|[1-9][0-9']*)[uUlLzZ]*", text):
        raise ConditionError(f"'{text[:20] + '...' if len(text) > _LONGEST else text}' is too large for its type")
    raise ConditionError(f"'{text}' is not an integer")


def _character(text: str) -> Value:
    prefix, _, rest = text.partition("'")
    units = code_units(rest[:-1], wide=bool(prefix)) or [0]
    if prefix:
        return units[-1], _SIGNED if prefix == "L" else _UNSIGNED
    return (units[0] & 0xFF ^ 0x80) - 0x80 if len(units) == 1 else packed(units), _SIGNED
