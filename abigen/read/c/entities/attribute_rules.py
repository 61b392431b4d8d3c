"""What the attributes of a declaration do to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from abigen.model.api import Api
from abigen.model.contract import Contract
from abigen.model.ctype import Expression
from abigen.model.layout import Layouts
from abigen.model.span import AbigenError, Diagnostic
from abigen.read.c.comments.marks import read_contract
from abigen.read.c.entities.unit_context import Question, UnitContext
from abigen.read.c.syntax.chunks import balance
from abigen.read.c.syntax.parser import parse
from abigen.read.c.syntax.specifiers import FLAGS, KNOWN, NOT_MODELLED, number_argument
from abigen.read.c.syntax.trees import Attribute
from abigen.read.c.types.builder import DeclaredType
from abigen.read.c.unit import Token


class AttributeRules:
    """Applies attributes, and reports those that are not understood."""

    def __init__(self, context: UnitContext) -> None:
        """Prepare to apply attributes."""
        self._context = context
        self._reported: set[tuple[str, object]] = set()
        context.types.number_of = self.number_of

    def alignment(
        self, attributes: Sequence[Attribute], alignments: Sequence[Expression | int]
    ) -> Expression | int | None:
        """The strictest alignment that `aligned`, `__declspec(align)` and `_Alignas` ask for.

        Args:
            attributes: all of a declaration's.
            alignments: the operands of its `_Alignas`.

        Returns:
            Bytes; 0 for `aligned` without a number, None when nothing is asked for.
        """
        wanted: list[Expression | int] = list(alignments)
        for each in attributes:
            if each.name in ("aligned", "align"):
                if not each.arguments:
                    return 0
                number = number_argument(each)
                wanted.append(self._argument(each) if number is None else number)
        numbers = [each for each in wanted if isinstance(each, int)]
        others = [each for each in wanted if not isinstance(each, int)]
        if others:
            return others[0]
        return max(numbers) if numbers else None

    def ask(self, declared: DeclaredType) -> None:
        """Have the alignment that a declaration asks for checked."""
        if not declared.attributes and not declared.alignments:
            return
        alignment = self.alignment(declared.attributes, declared.alignments)
        if alignment is not None and alignment != 0:
            kind = "alignas" if declared.alignments else "alignment"
            self._context.questions.append(Question(kind, alignment, declared.token.span, declared.name, declared.type))
        if declared.alignments and (declared.is_typedef or declared.bit_width is not None):
            what = "a typedef" if declared.is_typedef else "a bit-field"
            self._context.report(Diagnostic(declared.token.span, f"_Alignas on '{declared.name}', which is {what}"))

    def check(self, attributes: Sequence[Attribute], what: str, place: Token) -> None:
        """Warn of attributes that are not known; refuse those that change layout and cannot be modelled.

        Args:
            attributes: those of one declaration.
            what: how messages call what it declares.
            place: where that stands.
        """
        for each in attributes:
            name = each.name
            if name in KNOWN or not self._context.is_own(place):
                continue
            if (name, each.span) in self._reported:
                continue
            self._reported.add((name, each.span))
            if name in NOT_MODELLED:
                message = f"attribute '{name}' of {what} changes the layout in a way that abigen cannot model"
                self._context.report(Diagnostic(each.span, message))
            else:
                message = f"attribute '{name}' of {what} is not known; its effect on layout and calls is ignored"
                self._context.report(Diagnostic(each.span, message, severity="warning"))

    def number_of(self, attribute: Attribute) -> int:
        """The value of an attribute's argument, in whatever unit it has; 0, and a report, when it has none."""
        number = number_argument(attribute)
        if number is not None:
            return number
        value = self._argument(attribute)
        if isinstance(value, int):
            return value
        try:
            return Layouts(Api(name=""), self._context.target).evaluate(value)
        except AbigenError as error:
            message = f"the argument of '{attribute.name}' cannot be evaluated: {error.diagnostics[0].message}"
            self._context.report(Diagnostic(attribute.span, message))
            return 0

    def _argument(self, attribute: Attribute) -> Expression | int:
        """The argument of an attribute, as a constant expression."""
        stream, _ = balance(attribute.arguments)
        flat = self._context.symbols.flattener.flatten(stream, 0, len(stream.tokens))
        node = parse("expression", flat)
        if node is not None:
            return self._context.types.constant(flat, node)
        self._context.report(Diagnostic(attribute.span, f"the argument of '{attribute.name}' is not an expression"))
        return 1


def flags_of(attributes: Sequence[Attribute]) -> tuple[str, ...]:
    """The attributes that an entity keeps by name."""
    return tuple(dict.fromkeys(each.name for each in attributes if each.name in FLAGS))


def exported(attributes: Sequence[Attribute]) -> bool | None:
    """What attributes say about the export of a symbol; None when they say nothing."""
    result: bool | None = None
    for each in attributes:
        if each.name in ("dllexport", "dllimport", "externally_visible"):
            result = True
        elif each.name == "visibility" and each.arguments:
            result = each.arguments[0].text.strip('"') in ("default", "protected")
    return result


def with_deprecation(contract: Contract, attributes: Sequence[Attribute]) -> Contract:
    """The contract, deprecated when an attribute says so; its message may name the replacement."""
    for each in attributes:
        if each.name in ("deprecated", "unavailable") and not contract.lifecycle.deprecated:
            message = "".join(token.text.strip('"') for token in each.arguments if token.kind == "string")
            said = read_contract(f"Deprecated. {message}").lifecycle
            lifecycle = replace(
                said, deprecated=True, since=contract.lifecycle.since, replaces=contract.lifecycle.replaces
            )
            contract = replace(contract, lifecycle=lifecycle)
    return contract
