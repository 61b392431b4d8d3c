"""Types and declarations of the model as a header that C99 and C++11 both read spells them."""

from __future__ import annotations

import re
from dataclasses import replace

from abigen.model.api import Api
from abigen.model.ctype import (
    Array,
    Basic,
    CType,
    EnumType,
    FunctionType,
    NamedType,
    Pointer,
    Qualified,
    RecordType,
    Vector,
)
from abigen.model.spelling import spell

_IN_BOTH_LANGUAGES = {"_Bool": "bool", "__builtin_va_list": "va_list"}
"""Names of C's own that C++ lacks, or that are a compiler's, to those of the standard headers."""

_STARS_AT_THE_NAME = re.compile(r"(?<=\w) (\*+)(?! )")


class Speller:
    """Spells the types of one API."""

    def __init__(self, api: Api) -> None:
        """Use the names of an API.

        Args:
            api: where structs and enumerations are looked up.
        """
        self._api = api

    def declare(self, type: CType, name: str = "") -> str:
        """Spell a declaration.

        Args:
            type: its type.
            name: what it declares; empty for a type name.

        Returns:
            One line without a semicolon, stars at the type: `void* (*f)(const char* a)`.
        """
        text = _STARS_AT_THE_NAME.sub(r"\1 ", spell(self._named(type), name))
        return text.replace("* ,", "*,").replace("* )", "*)").rstrip()

    def _named(self, type: CType) -> CType:
        """The type with every struct and enumeration by the name that C code uses for it."""
        if isinstance(type, Basic):
            return Basic(_IN_BOTH_LANGUAGES.get(type.name, type.name))
        if isinstance(type, (RecordType, EnumType)):
            return NamedType(self._reference(type))
        if isinstance(type, Pointer):
            return Pointer(self._named(type.target))
        if isinstance(type, Qualified):
            return replace(type, type=self._named(type.type))
        if isinstance(type, (Array, Vector)):
            return replace(type, element=self._named(type.element))
        if isinstance(type, FunctionType):
            parameters = tuple(replace(each, type=self._named(each.type)) for each in type.parameters)
            return replace(type, result=self._named(type.result), parameters=parameters)
        return type

    def _reference(self, type: RecordType | EnumType) -> str:
        if isinstance(type, RecordType):
            struct = self._api.structs[type.key]
            return struct.typedef_names[0] if struct.typedef_names else f"{struct.kind} {struct.tag}"
        enum = self._api.enums[type.key]
        return enum.typedef_names[0] if enum.typedef_names else f"enum {enum.tag}"
