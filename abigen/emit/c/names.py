"""How C spells what an API declares, and the names of what is generated beside it.

Those names follow from the API's own, and may be none of them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import cast

from msgspec.structs import replace

from abigen.model.api import Api
from abigen.model.ctype import Array, CType, Name, Node, Parameter, rebuilt
from abigen.model.entities import Entity
from abigen.model.span import AbigenError, Diagnostic
from abigen.model.spelling import spell

_IN_BOTH_LANGUAGES = {"_Bool": "bool", "__builtin_va_list": "va_list", "restrict": "__restrict"}
"""Names of C's own that C++ lacks, or that are a compiler's, to those of the standard headers."""

_OF_ONE_LANGUAGE = re.compile(rf"\b({'|'.join(_IN_BOTH_LANGUAGES)})\b")
_STARS_AT_THE_NAME = re.compile(r"(?<=\w) (\*+)(?! )")


def with_suffix(name: str, suffix: str) -> str:
    """A name with a word behind it, in the style of the name.

    Args:
        name: `XY_Device`, `xy_device_t`.
        suffix: `Check`.

    Returns:
        `XY_Device_Check`, `xy_device_check`.
    """
    return f"{name.removesuffix('_t')}_{suffix.lower()}" if name.islower() else f"{name}_{suffix}"


def free_name(wanted: str, taken: Collection[str]) -> str:
    """A name that nothing has yet: the wanted one, with as many underscores behind it as it takes."""
    while wanted in taken:
        wanted += "_"
    return wanted


def file_beside(header: str, ending: str) -> str:
    """The path of a file that belongs to a header: `dir/api.h` and `_checks.h` give `dir/api_checks.h`."""
    return header[: header.rindex(".")] + ending


def names_in(api: Api) -> dict[str, Entity]:
    """What an API has declared, by all names that it has in C outside of structs."""
    groups = (api.structs, api.enums, api.typedefs, api.functions, api.variables, api.constants, api.macros)
    found: dict[str, Entity] = {name: entity for group in groups for name, entity in group.items()}
    found |= {each.name: each for each in api.size_constants.values()}
    found |= {each.name: each for enum in api.enums.values() for each in enum.enumerators or ()}
    found |= {name: struct for struct in api.structs.values() for name in struct.typedef_names}
    return found


def refuse_clashes(made: Mapping[str, str], api: Api, hint: str) -> None:
    """Refuse to make what the API itself has declared.

    Args:
        made: names, with the rest of a sentence about each that says what it is.
        api: whose names those may not be.
        hint: what to do.

    Raises:
        AbigenError: all that are taken.
    """
    taken = names_in(api)
    found = [Diagnostic(taken[name].span, f"`{name}` {text}", hint) for name, text in made.items() if name in taken]
    if found:
        raise AbigenError(found)


def as_written(type: CType) -> CType:
    """A type with the lengths of arrays by the names that a spec has for them."""
    return cast(CType, _as_written(type))


def _as_written(part: Node) -> Node:
    if isinstance(part, Parameter):
        return replace(part, type=as_written(part.type))
    part = rebuilt(part, _as_written)
    return replace(part, length=Name(part.written)) if isinstance(part, Array) and part.written else part


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
        text = _STARS_AT_THE_NAME.sub(r"\1 ", spell(as_written(type), name, self._api))
        text = _OF_ONE_LANGUAGE.sub(lambda found: _IN_BOTH_LANGUAGES[found[0]], text)
        return text.replace("* ,", "*,").replace("* )", "*)").rstrip()
