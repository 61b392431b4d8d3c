"""C standards by the names that compilers have for them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from abigen.model.span import AbigenError
from abigen.model.target import C_STANDARDS

_STANDARD = re.compile(r"(?:c|gnu|iso9899:(?:19|20))(\d[\dx])")
_STANDARDS: Mapping[str, str] = (
    dict.fromkeys(("89", "90"), "")
    | {name[1:]: f"{value}L" for name, value in C_STANDARDS.items()}
    | {"9x": "199901L", "1x": "201112L", "18": "201710L", "2x": "202000L"}
)
"""The last part of a standard's name to the value of `__STDC_VERSION__`."""


def check_standard(std: str) -> str:
    """Return the value of `__STDC_VERSION__` under a standard, empty when it has none.

    Args:
        std: the standard's name, as compilers have it (`c11`, `gnu17`, `iso9899:2011`).

    Raises:
        AbigenError: there is no such standard.
    """
    match = _STANDARD.fullmatch(std)
    if match is None or match[1] not in _STANDARDS:
        raise AbigenError.at(None, f"unknown C standard '{std}'", "one of c89, c99, c11, c17, c23, gnu89, ... gnu23")
    return _STANDARDS[match[1]]
