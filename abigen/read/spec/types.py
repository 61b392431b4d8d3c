"""Types and expressions in a spec's scalars, parsed as those in headers are."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from abigen.model.api import Api
from abigen.model.ctype import CType, Expression
from abigen.model.span import AbigenError, Diagnostic, Span
from abigen.model.words import reserved_word
from abigen.read.c.fragment import FragmentNames, parse_expression, parse_type
from abigen.read.c.syntax.attributes import starts_attribute, take_attributes
from abigen.read.c.syntax.chunks import balance
from abigen.read.c.syntax.trees import Attribute
from abigen.read.c.syntax.vocabulary import IGNORED_WORDS, KEYWORDS, QUALIFIERS, TAG_WORDS
from abigen.read.c.types.attribute_kinds import CALLS
from abigen.read.c.types.folding import fold
from abigen.read.c.unit import Token
from abigen.read.spec.c_text import MacroExpander, tokens_of
from abigen.read.spec.messages import Report, did_you_mean
from abigen.read.spec.needs import functions_in
from abigen.read.spec.nodes import Scalar

_KEPT_ATTRIBUTES = CALLS | {"vector_size", "ext_vector_type", "mode"}
"""Attributes that are part of a type in the model."""
_TAKES_EXPRESSION = ("sizeof", "_Alignof", "typeof", "__typeof__", "]")
_ALONE = re.compile(r"unexpected '([A-Za-z_]\w*)'")
_SPELLINGS = {"_Bool": "bool", "__builtin_va_list": "va_list"}
"""What C++ does not know, by the name that both languages know."""


@dataclass
class TypeReader:
    """Parses the types of one spec."""

    context: Api
    """What the used specs declare."""
    macros: MacroExpander
    report: Report
    forgiven: frozenset[str]
    """Names that stand in the spec but were refused: using them is no second error."""
    incomplete: bool
    """Whether a used spec could not be read, so that names may be missing for no fault of this one."""
    types: dict[str, CType | None] = field(default_factory=dict)
    tags: dict[str, tuple[str, str]] = field(default_factory=dict)
    type_constants: dict[str, CType] = field(default_factory=dict)
    """Constants that stand for a type."""
    used_macros: dict[str, Span] = field(default_factory=dict)
    """Macros that the last piece of C names, and where."""
    _known: dict[str, tuple[CType, tuple[str, ...]]] = field(default_factory=dict)
    """Types that have been read, by their text, with the macros in them."""
    _enumerators: set[str] = field(default_factory=set)
    _values: dict[str, int] = field(default_factory=dict)

    def type(self, scalar: Scalar | None) -> CType | None:
        """The type that a scalar states; None, and an error, when it states none."""
        if scalar is None:
            return None
        known = self._known.get(scalar.text)
        if known is not None:
            self.used_macros = dict.fromkeys(known[1], scalar.span)
            return known[0]
        type = self.type_of(tokens_of(scalar), scalar.span)
        if type is not None and "(" not in scalar.text:  # parameters have places, so they are read each time
            self._known[scalar.text] = (type, tuple(self.used_macros))
        return type

    def type_of(self, tokens: Sequence[Token], place: Span) -> CType | None:
        """The type that tokens state; None, and an error, when they state none.

        Args:
            tokens: as they stand in the spec.
            place: of the whole, for what has no place of its own.
        """
        try:
            type = self._parse_type(tokens, place)
            self._check_parameters(type)
            return type
        except AbigenError as error:
            self._refuse(error, place, "a type stands here without the name that it is the type of")
            return None

    def expression(self, scalar: Scalar | None) -> Expression | None:
        """The constant expression that a scalar states; None, and an error, when it states none."""
        if scalar is None:
            return None
        try:
            return parse_expression(self._prepared(tokens_of(scalar)), self._names, scalar.span)
        except AbigenError as error:
            self._refuse(error, scalar.span, "", is_type=False)
            return None

    def try_expression(self, scalar: Scalar) -> Expression | None:
        """The constant expression that a scalar states, None when it states something else."""
        try:
            tokens = self._prepared(tokens_of(scalar))
            known = (
                token.kind != "id" or token.text in self._enumerators or self._is_word(token.text) for token in tokens
            )
            # Asked first, because an error that nobody sees would cost the search for what was meant.
            return parse_expression(tokens, self._names, scalar.span) if all(known) else None
        except AbigenError:
            return None

    def try_type(self, scalar: Scalar) -> CType | None:
        """The type that a scalar states, None when it states something else."""
        try:
            tokens = self._prepared(tokens_of(scalar))
            if any(token.text not in self.types for token in _type_positions(_without_attributes(tokens)[0])):
                return None
            return self._parse_type(tokens_of(scalar), scalar.span)
        except AbigenError:
            return None

    def _is_word(self, text: str) -> bool:
        """Whether a word means something in an expression that is no enumerator."""
        return text in KEYWORDS or text in self.types or text in self.tags or text in ("true", "false")

    def know_enumerator(self, name: str, value: int | None) -> None:
        """Let expressions use an enumerator; the value is None when it depends on the target."""
        self._enumerators.add(name)
        if value is not None:
            self._values[name] = value

    def fold(self, expression: Expression) -> int | None:
        """The value of an expression when it is the same on all targets."""
        return fold(expression, self._values)

    def _parse_type(self, tokens: Sequence[Token], place: Span) -> CType:
        prepared = self._prepared(tokens)
        self._check_words(prepared)
        return parse_type(prepared, self._names, place)

    def _check_parameters(self, type: CType) -> None:
        """Names of parameters have to be names in C++ too."""
        for function in functions_in(type):
            for parameter in function.parameters:
                reason = reserved_word(parameter.name, file_scope=False) if parameter.name else ""
                if reason:
                    self.report.error(parameter.span, f"the parameter '{parameter.name}' {reason}")

    def _check_words(self, tokens: Sequence[Token]) -> None:
        """Refuse what a header may say in a type, and a spec says elsewhere."""
        for before, token in zip((None, *tokens), tokens, strict=False):
            if before and before.text in TAG_WORDS and token.kind == "id" and token.text not in self.tags:
                hint = did_you_mean(token.text, self.tags) or "list it among the handles if only one side knows it"
                raise AbigenError.at(token.span, f"'{before.text} {token.text}' is not declared", hint)
            if token.text in ("_Alignas", "alignas"):
                raise AbigenError.at(token.span, "an alignment cannot stand in a type", "use the key 'alignment'")
        plain, attributes = _without_attributes(tokens)
        for each in attributes:
            if each.name not in _KEPT_ATTRIBUTES:
                hint = "use the key 'alignment'" if each.name in ("aligned", "align") else ""
                raise AbigenError.at(each.span, f"the attribute '{each.name}' cannot stand in a type", hint)
        unknown = [
            Diagnostic(token.span, f"unknown type name '{token.text}'", did_you_mean(token.text, self.types))
            for token in _type_positions(plain)
            if token.text not in self.types
        ]
        if unknown:
            raise AbigenError(unknown)

    @property
    def _names(self) -> FragmentNames:
        """The names that are known now."""
        return FragmentNames(self.types, self.tags, self._enumerators, self._values)

    def _prepared(self, tokens: Sequence[Token]) -> list[Token]:
        self.used_macros = {
            token.text: token.span for token in tokens if token.kind == "id" and token.text in self.macros
        }
        return [
            token._replace(text=_SPELLINGS[token.text], width=token.width or len(token.text))
            if token.text in _SPELLINGS
            else token
            for token in self.macros.expand(tokens)
        ]

    def _refuse(self, error: AbigenError, place: Span, fallback: str, *, is_type: bool = True) -> None:
        """Report why a piece of C was refused, unless that follows from another error."""
        for each in error.diagnostics:
            message, hint = each.message.replace(" '['", ""), each.hint
            if message.startswith("unexpected"):
                hint = hint or fallback
                word = _ALONE.fullmatch(message)
                if word and word[1] not in KEYWORDS:
                    message, hint = f"unknown type name '{word[1]}'", did_you_mean(word[1], self.types)
            if not is_type and message.startswith("unknown type name '"):
                name = message.split("'")[1]
                message, hint = f"'{name}' is not declared", did_you_mean(name, self._enumerators)
            if not self._is_forgiven(message):
                self.report.error(each.place or place, message, hint)

    def _is_forgiven(self, message: str) -> bool:
        """Whether a name is missing because its own declaration, or the spec that has it, was refused."""
        if not message.startswith("unknown type name") and not message.endswith("is not declared"):
            return False
        name = message.split("'")[1].rpartition(" ")[2]
        return self.incomplete or (bool(self.report) and name in self.forgiven)


def _without_attributes(tokens: Sequence[Token]) -> tuple[list[Token], list[Attribute]]:
    """The tokens that are part of no attribute, and the attributes.

    Raises:
        AbigenError: an attribute stands where a declaration's would, but a type's cannot.
    """
    stream, _ = balance(tokens)
    plain: list[Token] = []
    attributes: list[Attribute] = []
    index, end = 0, len(stream.tokens)
    while index < end:
        run: list[Attribute] = []
        after = index
        if starts_attribute(stream.tokens[index]):
            # What is wrong with a list of attributes is told when the type is parsed.
            run, after = take_attributes(stream, index, end, lambda diagnostic: None)
        if after == index:
            plain.append(stream.tokens[index])
            after += 1
        if run and after == end and plain and plain[-1].text in (")", "]"):
            message = f"the attribute '{run[0].name}' stands behind the type"
            raise AbigenError.at(run[0].span, message, "put it in front: void (__attribute__((stdcall)) *)(int a)")
        attributes += run
        index = after
    return plain, attributes


def _type_positions(tokens: Sequence[Token]) -> Iterator[Token]:
    """Names that stand where only a type can stand: at the beginning, and first in a parameter."""
    brackets = 0
    before = ""
    for token in tokens:
        text = token.text
        brackets += (text == "[") - (text == "]")
        if text in QUALIFIERS or text in IGNORED_WORDS:
            continue
        if token.kind == "id" and not brackets and before in ("", "(", ",") and text not in KEYWORDS:
            yield token
        before = "[" if text == "(" and before in _TAKES_EXPRESSION else text
