"""What the builders of a translation unit's entities share, and what attributes do to a declaration."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypedDict

import msgspec
from msgspec.structs import replace

from abigen.model.api import Api
from abigen.model.contract import NO_CONTRACT, Contract
from abigen.model.ctype import Alignments, CType, Expression, Literal
from abigen.model.layout import Layouts
from abigen.model.span import AbigenError, Diagnostic, Span
from abigen.model.target import Target
from abigen.read.c.documentation import Commentary
from abigen.read.c.entities.cpp_enums import CppEnums
from abigen.read.c.entities.linkage import Linkage
from abigen.read.c.marks import read_contract
from abigen.read.c.symbols import Symbols
from abigen.read.c.syntax.chunks import balance
from abigen.read.c.syntax.parser import parse
from abigen.read.c.syntax.specifiers import FLAGS, KNOWN, NOT_MODELLED
from abigen.read.c.syntax.trees import Attribute
from abigen.read.c.types.builder import DeclaredType, TypeBuilder
from abigen.read.c.unit import Token


class Question(msgspec.Struct, frozen=True):
    """An expression, and what its value must not be.

    `kind` is `length` (of an array), `assertion`, `alignment` (in bytes, as an attribute asks for it), or `alignas`,
    which may not ask for less than the type needs.
    """

    kind: str
    expression: Expression | int
    span: Span
    subject: str
    """The array's or the member's name; for an assertion its message."""
    type: CType | None = None


class Described(TypedDict):
    """What all entities have, as `abigen.model.entities.Entity` names it."""

    name: str
    span: Span
    doc: str
    contract: Contract
    in_api: bool


class UnitContext(msgspec.Struct, frozen=True):
    """A translation unit whose names are known, and who helps to understand it."""

    symbols: Symbols
    types: TypeBuilder
    commentary: Commentary
    linkage: Linkage
    target: Target
    """For whom it was preprocessed."""
    own_files: frozenset[str]
    """Whose declarations are the API's own."""
    report: Callable[[Diagnostic], None]
    """Where what is wrong goes."""
    cpp_enums: CppEnums
    """Finds what only C++ reads of enumerations."""
    questions: list[Question] = msgspec.field(default_factory=list)
    """What has to be checked once the sizes of types are known."""
    _reported: set[tuple[str, Span]] = msgspec.field(default_factory=set)
    """Attributes that somebody has been told of."""

    def __post_init__(self) -> None:
        self.types.number_of = self._number_of

    def entity(
        self,
        name: str,
        token: Token,
        documentation: tuple[str, Contract] = ("", NO_CONTRACT),
        attributes: Sequence[Attribute] = (),
    ) -> Described:
        """What all entities have, of one that is declared at a token, by its comments and attributes."""
        doc, contract = documentation
        contract = _with_deprecation(contract, attributes)
        return {
            "name": name,
            "span": token.span,
            "doc": doc,
            "contract": contract,
            "in_api": token.file in self.own_files,
        }

    def alignment(
        self, attributes: Sequence[Attribute], alignments: Sequence[Expression | int]
    ) -> Expression | int | None:
        """The alignment that `aligned`, `__declspec(align)` and `_Alignas` ask for.

        Args:
            attributes: all of a declaration's.
            alignments: the operands of its `_Alignas`.

        Returns:
            Bytes; 0 for `aligned` without a number, None when nothing is asked for.
        """
        if not attributes and not alignments:
            return None
        wanted = self._alignments(attributes, alignments)
        numbers = [each for each in wanted if isinstance(each, int) and each > 0]
        if len(set(wanted)) < 2 or (len(numbers) == len(wanted) and numbers[-1] == max(numbers)):
            return wanted[-1] if wanted else None
        return Alignments(tuple(Literal(each) if isinstance(each, int) else each for each in wanted))

    def _alignments(
        self, attributes: Sequence[Attribute], alignments: Sequence[Expression | int]
    ) -> list[Expression | int]:
        """All that a declaration asks for, in order; `_Alignas(0)` asks for nothing."""
        asked = [each for each in attributes if each.name in ("aligned", "align")]
        return [
            *(each for each in alignments if each != 0),
            *(self._argument(each) if each.arguments else 0 for each in asked),
        ]

    def ask(self, declared: DeclaredType) -> None:
        """Have the alignment that a declaration asks for checked."""
        if not declared.attributes and not declared.alignments:
            return
        wanted = self._alignments(declared.attributes, declared.alignments)
        largest = max((each for each in wanted if isinstance(each, int)), default=0)
        for each in dict.fromkeys(wanted):
            # Of several numbers the largest has to be enough for the type.
            is_enough = bool(declared.alignments) and (each == largest or not isinstance(each, int))
            if each != 0:
                kind = "alignas" if is_enough else "alignment"
                self.questions.append(Question(kind, each, declared.token.span, declared.name, declared.type))
        if declared.alignments and (declared.is_typedef or declared.bit_width is not None):
            what = "a typedef" if declared.is_typedef else "a bit-field"
            self.report(Diagnostic(declared.token.span, f"_Alignas on '{declared.name}', which is {what}"))

    def check(self, attributes: Sequence[Attribute], what: str, place: Token) -> None:
        """Warn of attributes that are not known; refuse those that change layout and cannot be modelled.

        Args:
            attributes: those of one declaration.
            what: how messages call what it declares.
            place: where that stands.
        """
        for each in attributes:
            name = each.name
            if name in KNOWN or place.file not in self.own_files:
                continue
            if (name, each.span) in self._reported:
                continue
            self._reported.add((name, each.span))
            if name in NOT_MODELLED:
                message = f"attribute '{name}' of {what} changes the layout in a way that abigen cannot model"
                self.report(Diagnostic(each.span, message))
            else:
                message = f"attribute '{name}' of {what} is not known; its effect on layout and calls is ignored"
                self.report(Diagnostic(each.span, message, severity="warning"))

    def _number_of(self, attribute: Attribute) -> int:
        """The value of an attribute's argument, in whatever unit it has; 0, and a report, when it has none."""
        value = self._argument(attribute)
        if isinstance(value, int):
            return value
        try:
            return Layouts(Api(name=""), self.target).evaluate(value)
        except AbigenError as error:
            message = f"the argument of '{attribute.name}' cannot be evaluated: {error.diagnostics[0].message}"
            self.report(Diagnostic(attribute.span, message))
            return 0

    def _argument(self, attribute: Attribute) -> Expression | int:
        """The argument of an attribute, as a constant expression."""
        stream, _ = balance(attribute.arguments)
        flat = self.symbols.flattener.flatten(stream, 0, len(stream.tokens))
        node = parse("expression", flat)
        if node is not None:
            return self.types.constant(flat, node)
        self.report(Diagnostic(attribute.span, f"the argument of '{attribute.name}' is not an expression"))
        return 1


def flags_of(attributes: Sequence[Attribute]) -> tuple[str, ...]:
    """Return the attributes that an entity keeps by name, with their arguments where these tell what is meant."""
    return tuple(dict.fromkeys(_flag(each) for each in attributes if each.name in FLAGS))


_WITH_ARGUMENTS = frozenset(
    ("nonnull", "format", "format_arg", "alloc_size", "alloc_align", "assume_aligned", "sentinel")
)


def _flag(attribute: Attribute) -> str:
    """An attribute as a flag: `pure`, `nonnull(1, 2)`."""
    if attribute.name not in _WITH_ARGUMENTS or not attribute.arguments:
        return attribute.name
    words = (each.text.strip("_") or each.text for each in attribute.arguments)
    return f"{attribute.name}({''.join(words).replace(',', ', ')})"


def exported(attributes: Sequence[Attribute], visibility: str) -> bool | None:
    """What attributes, or else a pragma, say about the export of a symbol; None when they say nothing."""
    result = visibility in ("default", "protected") if visibility else None
    for each in attributes:
        if each.name in ("dllexport", "dllimport", "externally_visible"):
            result = True
        elif each.name == "visibility" and each.arguments:
            result = each.arguments[0].text.strip('"') in ("default", "protected")
    return result


def _with_deprecation(contract: Contract, attributes: Sequence[Attribute]) -> Contract:
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
