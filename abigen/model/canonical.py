"""Canonical types: two spellings of one type become equal."""

from __future__ import annotations

from dataclasses import replace
from functools import cache, cached_property

from abigen.model import ctype
from abigen.model.api import Api
from abigen.model.ctype import CType, Expression, NamedType
from abigen.model.entities import Enumerator
from abigen.model.layout import Layouts
from abigen.model.span import AbigenError
from abigen.model.target import Target, find_target


def canonical(type: CType, api: Api, target: Target | None = None) -> CType:
    """Reduce a type to the form in which equal types are equal values.

    Typedefs are resolved at every depth; names, places and documentation of parameters go, and so do qualifiers at the
    top of a parameter (C 6.7.6.3 paragraph 15). Qualifiers of an array stand on its element. Structs and enumerations
    remain references by key.

    Args:
        type: the type.
        api: where its typedefs are.
        target: for which the standard library's names (`int64_t`, `size_t`) are resolved. Without one, those that mean
            different types on different 64-bit targets stay as they are.

    Returns:
        The canonical type. The length of an array becomes a number unless it depends on the target.

    Raises:
        AbigenError: the type is too deeply nested.
    """
    try:
        return _Canonical(api, target).type(type)
    except RecursionError:
        raise AbigenError.at(None, "the type is too deeply nested") from None


class _Canonical:
    """One conversion: the API and the target that it is made for."""

    def __init__(self, api: Api, target: Target | None) -> None:
        self._api = api
        self._target = target

    def type(self, type: CType) -> CType:
        if isinstance(type, NamedType):
            return self._named(type)
        if isinstance(type, ctype.Qualified):
            return _qualify(self.type(type.type), type.qualifiers)
        if isinstance(type, ctype.Pointer):
            return ctype.Pointer(self.type(type.target))
        if isinstance(type, ctype.Array):
            length = self._length(type.length) if isinstance(type.length, Expression) else type.length
            return ctype.Array(self.type(type.element), length)
        if isinstance(type, ctype.FunctionType):
            return replace(
                type,
                result=_unqualified(self.type(type.result)),
                parameters=tuple(ctype.Parameter(None, _adjusted(self.type(each.type))) for each in type.parameters),
            )
        return ctype.rebuilt(type, self._part)

    def _part(self, node: ctype.Node) -> ctype.Node:
        """A part of a type or an expression with canonical types in it."""
        if isinstance(node, CType):
            return self.type(node)
        return ctype.rebuilt(node, self._part) if isinstance(node, Expression) else node

    def _named(self, type: NamedType) -> CType:
        seen = 0
        current: CType = type
        while isinstance(current, NamedType):
            typedef = self._api.typedefs.get(current.name)
            if typedef is None or not typedef.in_api:
                standard = _standard(current.name, self._target)
                if standard is not None:
                    return standard
            if typedef is None or seen > len(self._api.typedefs):
                return current
            seen += 1
            current = typedef.type
        return self.type(current)

    def _length(self, length: Expression) -> Expression | int:
        if self._target is None and self._asks_target(length):
            return ctype.rebuilt(length, self._part)
        target = self._target or find_target("x86_64-linux-gnu")
        try:
            return Layouts(self._api, target).evaluate(length)
        except AbigenError:
            return ctype.rebuilt(length, self._part)

    def _asks_target(self, expression: Expression) -> bool:
        """Whether the value of an expression may differ between targets."""
        seen: set[str] = set()
        stack: list[Expression] = [expression]
        while stack:
            each = stack.pop()
            if isinstance(each, (ctype.SizeOf, ctype.AlignOf, ctype.OffsetOf, ctype.SizeOfMember, ctype.Cast)):
                return True
            if isinstance(each, ctype.Name) and each.name not in seen:
                # An implicit value follows from the ones before it, so the whole enumeration counts.
                enumerators = self._siblings.get(each.name, ())
                seen.update(one.name for one in enumerators)
                stack += [one.expression for one in enumerators if one.expression is not None]
            stack += [part for part in ctype.parts(each) if isinstance(part, Expression)]
        return False

    @cached_property
    def _siblings(self) -> dict[str, tuple[Enumerator, ...]]:
        """Name of an enumerator to all of its enumeration."""
        enums = (enum.enumerators or () for enum in self._api.enums.values())
        return {each.name: enumerators for enumerators in enums for each in enumerators}


def _qualify(type: CType, qualifiers: tuple[str, ...]) -> CType:
    if isinstance(type, ctype.Array):
        return ctype.Array(_qualify(type.element, qualifiers), type.length)
    if isinstance(type, ctype.FunctionType):
        return type
    return ctype.qualified(type, qualifiers)


def _adjusted(type: CType) -> CType:
    """The type of a parameter (C 6.7.6.3 paragraphs 7 and 8): arrays that hide behind typedefs decay here."""
    if isinstance(type, ctype.Array):
        return ctype.Pointer(type.element)
    return ctype.Pointer(type) if isinstance(type, ctype.FunctionType) else _unqualified(type)


def _unqualified(type: CType) -> CType:
    """Without the qualifiers that a value cannot have; `_Atomic` makes another type and stays."""
    if isinstance(type, ctype.Qualified):
        return ctype.Qualified(type.type, ("_Atomic",)) if "_Atomic" in type.qualifiers else type.type
    return type


def _standard(name: str, target: Target | None) -> CType | None:
    """The basic type behind a name of the standard library, or the name itself where targets differ."""
    if target is None:
        return _agreed(name)
    return ctype.Basic(target.typedefs[name]) if name in target.typedefs else None


@cache
def _agreed(name: str) -> CType | None:
    """What a standard name means on all usual targets; the name itself when they disagree, None when it is not one."""
    usual = ("x86_64-linux-gnu", "x86_64-apple-darwin", "x86_64-windows-msvc")
    meanings = {find_target(each).typedefs.get(name) for each in usual}
    if meanings == {None}:
        return None
    meaning = meanings.pop()
    return NamedType(name) if meanings or meaning is None else ctype.Basic(meaning)
