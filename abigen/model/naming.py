"""Names that follow from other names."""

from __future__ import annotations

import re

_WORD_BEGINS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def screaming_snake(name: str) -> str:
    """Spell a name in capitals with an underscore between its words.

    Args:
        name: `XY_DeviceFns`.

    Returns:
        `XY_DEVICE_FNS`.
    """
    return _WORD_BEGINS.sub("_", name).upper()


def size_macro_name(struct: str) -> str:
    """The name that a struct's size macro has unless something else is said.

    Args:
        struct: name of the struct: `XY_DeviceFns`.

    Returns:
        `XY_DEVICE_FNS_STRUCT_SIZE`.
    """
    return f"{screaming_snake(struct)}_STRUCT_SIZE"


PLACES = ("{struct}", "{STRUCT}", "{WORDS}")
"""What stands for a struct's name in a pattern: `XY_DeviceFns`, `XY_DEVICEFNS`, `XY_DEVICE_FNS`."""


def by_pattern(pattern: str, struct: str) -> str:
    """The name that follows from a struct's by a pattern.

    Args:
        pattern: with one of `PLACES` in it: `{WORDS}_STRUCT_SIZE`.
        struct: name of the struct: `XY_DeviceFns`.

    Returns:
        `XY_DEVICE_FNS_STRUCT_SIZE`.
    """
    for place, name in zip(PLACES, (struct, struct.upper(), screaming_snake(struct)), strict=True):
        pattern = pattern.replace(place, name)
    return pattern


def include_guard(path: str) -> str:
    """The name of a header's include guard: its path in capitals, with an underscore at the end.

    Args:
        path: `dir/api.h`, as users include it.

    Returns:
        `DIR_API_H_`.
    """
    guard = re.sub(r"[^A-Za-z0-9]+", "_", path).upper() + "_"
    return f"H_{guard}" if guard[0].isdigit() else guard.lstrip("_")
