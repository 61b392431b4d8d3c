"""Enumerations on a target: the type behind each, and the values of its enumerators."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, NamedTuple

from abigen.model.ctype import Basic
from abigen.model.entities import Enum
from abigen.model.evaluate import Value, convert, evaluate, fits
from abigen.model.span import AbigenError, Diagnostic

if TYPE_CHECKING:
    from abigen.model.sizes import Sizes

_TYPES = ("int", "unsigned int", "long", "unsigned long", "long long", "unsigned long long")


class EnumValues(NamedTuple):
    """An enumeration on a target."""

    type: str
    """Canonical name of the basic type that it has."""
    values: Mapping[str, Value]
    """Name to value and type of the enumerators, in order of declaration."""


class Enumerations:
    """The enumerations of one API on one target, each evaluated once, when it is asked for."""

    def __init__(self, sizes: Sizes) -> None:
        """Prepare the enumerations of the API that `sizes` is about."""
        self._sizes = sizes
        self._known: dict[str, EnumValues] = {}
        self._owners: dict[str, str] | None = None

    def of(self, key: str) -> EnumValues:
        """An enumeration by its key in `Api.enums`.

        Raises:
            AbigenError: it is never defined, or a value cannot be computed.
        """
        known = self._known.get(key)
        if known is None:
            enum = self._sizes.api.enums.get(key)
            if enum is None or (enum.enumerators is None and enum.underlying is None):
                raise AbigenError.at(None, f"enum '{key}' is never defined, its size is unknown")
            known = self._known[key] = self._evaluate(key, enum)
        return known

    def enumerator(self, name: str) -> Value | None:
        """The value and the type of an enumerator; None when the API has none of that name."""
        if self._owners is None:
            enums = self._sizes.api.enums.items()
            self._owners = {each.name: key for key, enum in enums for each in enum.enumerators or ()}
        key = self._owners.get(name)
        return None if key is None else self.of(key).values.get(name)

    def _evaluate(self, key: str, enum: Enum) -> EnumValues:
        """Compute the values, which may depend on the target, and choose the type (C 6.7.2.2)."""
        # Enumerators may refer to earlier ones of the same enumeration, before its type is known.
        partial: dict[str, Value] = {}
        self._known[key] = EnumValues("int", partial)
        value = -1
        place = enum.span
        try:
            for each in enum.enumerators or ():
                place = each.span
                value = value + 1 if each.expression is None else evaluate(each.expression, self._sizes)
                partial[each.name] = (value, self._type_of(value))
            place = enum.span
            return self._finish(enum, {name: value for name, (value, _) in partial.items()})
        except AbigenError as error:
            raise AbigenError(
                [Diagnostic(each.place or place, each.message, each.hint, each.severity) for each in error.diagnostics]
            ) from None
        finally:
            del self._known[key]

    def _finish(self, enum: Enum, values: Mapping[str, int]) -> EnumValues:
        target = self._sizes.target
        if enum.underlying is None and target.enum_rule != "int":
            name = self._chosen_type(values.values(), short=enum.packed or target.enum_rule == "short")
            types = ("int", name)
            typed = {key: (value, types[not fits(value, "int", target)]) for key, value in values.items()}
            return EnumValues(name, typed)
        # Where the type is fixed, values are converted to it.
        name = "int"
        if enum.underlying is not None:
            resolved = self._sizes.resolve(enum.underlying)
            if not isinstance(resolved, Basic) or resolved.name not in target.types:
                raise AbigenError.at(None, "the type of an enumeration must be an integer type")
            name = resolved.name
        return EnumValues(name, {key: (convert(value, name, target), name) for key, value in values.items()})

    def _chosen_type(self, values: Collection[int], *, short: bool) -> str:
        """The first type that holds all values: unsigned unless one is negative, as GCC and clang choose."""
        target = self._sizes.target
        low, high = min(values, default=0), max(values, default=0)
        for name in (("signed char", "short") if short else ()) + ("int", "long", "long long"):
            candidate = name if low < 0 else f"unsigned {name.removeprefix('signed ')}"
            if fits(low, candidate, target) and fits(high, candidate, target):
                return candidate
        raise AbigenError.at(None, "no integer type holds all values of the enumeration")

    def _type_of(self, value: int) -> str:
        for name in _TYPES:
            if fits(value, name, self._sizes.target):
                return name
        raise AbigenError.at(None, f"no integer type holds the value {value}")
