"""Types and declarations of the model as a header that C99 and C++11 both read spells them."""

from __future__ import annotations

import re

from abigen.model.api import Api
from abigen.model.ctype import CType
from abigen.model.spelling import spell

_IN_BOTH_LANGUAGES = {"_Bool": "bool", "__builtin_va_list": "va_list"}
"""Names of C's own that C++ lacks, or that are a compiler's, to those of the standard headers."""

_OF_ONE_LANGUAGE = re.compile(rf"\b({'|'.join(_IN_BOTH_LANGUAGES)})\b")
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
        text = _STARS_AT_THE_NAME.sub(r"\1 ", spell(type, name, self._api))
        text = _OF_ONE_LANGUAGE.sub(lambda found: _IN_BOTH_LANGUAGES[found[0]], text)
        return text.replace("* ,", "*,").replace("* )", "*)").rstrip()
