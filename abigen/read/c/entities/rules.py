"""Rules that declarations have to keep beyond the grammar, and what depends on the target."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Set

import msgspec
from msgspec.structs import replace

from abigen.model import ctype
from abigen.model.api import Api
from abigen.model.ctype import CType
from abigen.model.entities import Enumerator, Field
from abigen.model.layout import Layouts
from abigen.model.span import AbigenError, Diagnostic, Span
from abigen.model.spelling import canonical, spell
from abigen.model.target import Target
from abigen.read.c.entities.unit_context import Question, UnitContext
from abigen.read.c.symbols import Tag

_WIDTHS = {"_Bool": 1, "char": 8, "short": 16, "int": 32, "long": 64, "long long": 64, "__int128": 128}
"""Bits of the integer types; of `long` where it is longest."""


class MemberRules:
    """Checks the members of structs, one struct at a time."""

    def __init__(self, context: UnitContext, fields_of: Callable[[str], Sequence[Field] | None]) -> None:
        """Prepare to check; `fields_of` gives the members of the struct with a key."""
        self._tags = context.symbols.tags
        self._resolve = context.types.resolve
        self._fields_of = fields_of
        self._report = context.report

    def check(self, tag: Tag, fields: Sequence[Field], starts: Sequence[int]) -> None:
        """Check a struct or union.

        Args:
            tag: the struct.
            fields: its members.
            starts: for each the index of the token that its declaration begins with, in the struct's own stream.
        """
        seen: set[str] = set()
        for index, field in enumerate(fields):
            if field.name:
                self._check_name(field.name, field.span, seen)
            elif isinstance(field.type, ctype.RecordType):
                for name, span in self._names_in(field.type.key):
                    self._check_name(name, span, seen)
            if field.bit_width is not None:
                self._check_bit_field(field)
                continue
            if field.type.__class__ is ctype.Pointer:
                continue
            type = self._resolve(field.type)
            if isinstance(type, ctype.Array) and type.length is None:
                self._check_flexible(tag, field, is_last=index == len(fields) - 1, is_first=index == 0)
            self.check_complete(type, field.name, field.span, tag, starts[index])

    def check_complete(
        self, type: CType, name: str, span: Span | None, tag: Tag | None = None, start: int = -1
    ) -> None:
        """Report a type that no object or member can have.

        Args:
            type: the type, typedefs at the top resolved.
            name: of what has it.
            span: where that stands.
            tag: the struct that it is a member of.
            start: index of the token that the member's declaration begins with, in the struct's stream; definitions
                behind it come too late.
        """
        what = f"member '{name}'" if tag is not None else f"'{name}'"
        is_element = False
        while isinstance(type, ctype.Array):
            type = self._resolve(type.element)
            is_element = True
            if isinstance(type, ctype.Array) and type.length is None:
                self._report(Diagnostic(span, f"{what} is an array of arrays of unknown length, an incomplete type"))
                return
        if isinstance(type, ctype.FunctionType):
            if tag is not None:
                hint = f"make it a pointer: '(*{name})'; member functions are C++"
                self._report(
                    Diagnostic(span, f"{what} is a function; a {tag.kind} can only hold pointers to functions", hint)
                )
        elif type == ctype.Basic("void"):
            if not is_element:
                self._report(Diagnostic(span, f"{what} has the type void", "write 'void *' for a pointer to anything"))
        elif isinstance(type, (ctype.RecordType, ctype.EnumType)):
            inner = self._tags.with_key(type.key, is_enum=isinstance(type, ctype.EnumType))
            if inner is not None and not self._is_complete(inner, tag, start):
                self._report_incomplete(
                    inner, f"{what} {'is an array of' if is_element else 'has'}", span, is_element=is_element
                )

    def _is_complete(self, inner: Tag, tag: Tag | None, start: int) -> bool:
        """Whether a struct has been defined when a member of another one is declared."""
        if inner.body is None:
            return False
        if tag is None or tag.body is None or inner.body.stream is not tag.body.stream:
            return True
        # Nested definitions begin behind the start of the member that they are the type of.
        return inner.body.end < start or (start <= inner.body.start and inner.parent is tag)

    def _report_incomplete(self, inner: Tag, what: str, span: Span | None, *, is_element: bool) -> None:
        """Report a struct by value whose definition is missing."""
        name = f"{inner.kind} {inner.name}" if inner.name else inner.kind
        where = "" if inner.body is None else f", which is only complete at {inner.place.span}"
        verb = "elements of the incomplete type" if is_element else "the incomplete type"
        hint = "define it before" if inner.kind == "enum" else f"define '{name}' before, or use a pointer to it"
        self._report(Diagnostic(span, f"{what} {verb} '{name}'{where}", hint))

    def _check_name(self, name: str, span: Span | None, seen: set[str]) -> None:
        """Report a second member of the same name."""
        if name in seen:
            self._report(Diagnostic(span, f"duplicate member '{name}'"))
        seen.add(name)

    def _names_in(self, key: str) -> Iterable[tuple[str, Span | None]]:
        """The members that an anonymous struct or union lends to the one around it."""
        for field in self._fields_of(key) or ():
            if field.name:
                yield field.name, field.span
            elif isinstance(field.type, ctype.RecordType) and field.type.key != key:
                yield from self._names_in(field.type.key)

    def _check_flexible(self, tag: Tag, field: Field, *, is_last: bool, is_first: bool) -> None:
        """C 6.7.2.1 paragraph 18."""
        if tag.kind == "union":
            self._report(Diagnostic(field.span, f"flexible array '{field.name}' in a union", "give it a length"))
        elif not is_last:
            hint = "move it to the end of the struct, or give it a length"
            self._report(Diagnostic(field.span, f"flexible array '{field.name}' is not the last member", hint))
        elif is_first:
            hint = "put another member before it, or give it a length"
            self._report(Diagnostic(field.span, f"flexible array '{field.name}' is the only member", hint))

    def _check_bit_field(self, field: Field) -> None:
        """C 6.7.2.1 paragraphs 4 and 5."""
        name = f"bit-field '{field.name}'" if field.name else "unnamed bit-field"
        type = self._resolve(field.type)
        width: int | None = None
        if isinstance(type, ctype.Basic):
            width = _WIDTHS.get(type.name.removeprefix("unsigned ").removeprefix("signed "))
        elif isinstance(type, ctype.EnumType):
            width = 64
        elif isinstance(type, ctype.BitInt):
            width = type.width
        if width is None:
            self._report(Diagnostic(field.span, f"{name} is not of an integer type; a bit-field must be"))
        elif isinstance(field.bit_width, int):
            if field.bit_width < 0:
                self._report(Diagnostic(field.span, f"{name} has a negative width ({field.bit_width})"))
            elif field.bit_width > width:
                self._report(
                    Diagnostic(field.span, f"{name} is wider ({field.bit_width} bits) than its type ({width} bits)")
                )
            elif field.bit_width == 0 and field.name:
                self._report(Diagnostic(field.span, f"{name} has a width of zero; only an unnamed one may"))


_MOST_LEVELS = 100


class Redeclaration(msgspec.Struct, frozen=True):
    """That a name is declared again: what it was, what it is now, and both places."""

    kind: str
    """`typedef`, `function` or `variable`."""
    name: str
    first: CType
    second: CType
    first_span: Span | None
    second_span: Span | None


def find_conflicts(redeclarations: Iterable[Redeclaration], api: Api, target: Target) -> list[Diagnostic]:
    """Find the redeclarations whose types are not compatible.

    Args:
        redeclarations: all that there are.
        api: where the types that they mention are.
        target: for which types are compared.
    """
    errors: list[Diagnostic] = []
    for each in redeclarations:
        first, second = canonical(each.first, api, target), canonical(each.second, api, target)
        same = first == second if each.kind == "typedef" else _are_compatible(first, second, 0)
        if not same:
            was = spell(each.first, each.name)
            message = f"'{each.name}' is declared again with another type; it was '{was}' at {each.first_span}"
            errors.append(Diagnostic(each.second_span, message))
    return errors


def _are_compatible(first: CType, second: CType, level: int) -> bool:
    """C 6.2.7, as far as redeclarations need it."""
    if first == second or level > _MOST_LEVELS:
        return True
    if isinstance(first, ctype.EnumType) != isinstance(second, ctype.EnumType):
        # An enumeration is compatible with an integer type that the compiler chooses.
        return not any(isinstance(each, (ctype.Pointer, ctype.Array, ctype.FunctionType)) for each in (first, second))
    inner: list[tuple[CType, CType]] = []
    if isinstance(first, ctype.Qualified) and isinstance(second, ctype.Qualified):
        inner = [(first.type, second.type)] if first.qualifiers == second.qualifiers else []
    elif isinstance(first, ctype.Pointer) and isinstance(second, ctype.Pointer):
        inner = [(first.target, second.target)] if first.block == second.block else []
    elif isinstance(first, ctype.Array) and isinstance(second, ctype.Array):
        known = isinstance(first.length, int) and isinstance(second.length, int)
        inner = [] if known and first.length != second.length else [(first.element, second.element)]
    elif isinstance(first, ctype.FunctionType) and isinstance(second, ctype.FunctionType):
        inner = [(first.result, second.result)]
        if first.prototyped and second.prototyped:
            if len(first.parameters) != len(second.parameters) or first.variadic != second.variadic:
                return False
            inner += [(a.type, b.type) for a, b in zip(first.parameters, second.parameters, strict=True)]
    return bool(inner) and all(_are_compatible(one, other, level + 1) for one, other in inner)


def answer(questions: Sequence[Question], api: Api, target: Target) -> list[Diagnostic]:
    """Evaluate every question on a target.

    Args:
        questions: what to evaluate.
        api: where the types are.
        target: whose sizes count.

    Returns:
        An error for each that cannot be evaluated or has a forbidden value.
    """
    if not questions:
        return []
    errors: list[Diagnostic] = []
    layouts = Layouts(api, target)
    for each in questions:
        try:
            value = each.expression if isinstance(each.expression, int) else layouts.evaluate(each.expression)
        except AbigenError as error:
            errors += [found if found.place else replace(found, place=each.span) for found in error.diagnostics]
            continue
        if each.kind == "length" and value < 0:
            errors.append(Diagnostic(each.span, f"the length of the array '{each.subject}' is negative ({value})"))
        elif each.kind == "assertion" and not value:
            said = f": {each.subject}" if each.subject else ""
            errors.append(Diagnostic(each.span, f"static assertion failed on {target.name}{said}"))
        elif each.kind in ("alignment", "alignas") and (value < 0 or value & (value - 1)):
            message = f"the alignment of '{each.subject}' is {value}, which is not a power of two"
            errors.append(Diagnostic(each.span, message))
        elif each.kind == "alignas" and each.type is not None and 0 < value < layouts.alignment_of(each.type):
            needed = layouts.alignment_of(each.type)
            message = f"_Alignas asks for an alignment of {value} for '{each.subject}', whose type needs {needed}"
            errors.append(Diagnostic(each.span, message))
    return errors


def with_values(api: Api, unvalued: Set[str], target: Target) -> tuple[Api, list[Diagnostic]]:
    """Compute the values of enumerators that depend on the target.

    Args:
        api: an API in which such enumerators have no value yet.
        unvalued: their names.
        target: whose sizes count.

    Returns:
        The API with all values, and an error for each that cannot be computed.
    """
    errors: list[Diagnostic] = []
    enums = dict(api.enums)
    layouts = Layouts(api, target)
    for key, enum in api.enums.items():
        if not any(each.name in unvalued for each in enum.enumerators or ()):
            continue
        enumerators: list[Enumerator] = []
        value = -1
        for each in enum.enumerators or ():
            try:
                computed = value + 1 if each.expression is None else layouts.evaluate(each.expression, each.span)
            except AbigenError as error:
                errors += error.diagnostics
                computed = 0
            value = computed if each.name in unvalued else each.value
            enumerators.append(replace(each, value=value))
        enums[key] = replace(enum, enumerators=tuple(enumerators))
    return replace(api, enums=enums) if unvalued else api, errors
