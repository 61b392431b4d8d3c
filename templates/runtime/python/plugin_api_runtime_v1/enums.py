"""Enumerations that may get a value which only the other side knows."""

from __future__ import annotations

from enum import IntEnum, IntFlag
from typing import Self


class OpenEnum(IntEnum):
    """An enumeration of C's; a value without a name becomes a member called `unknown_VALUE`."""

    @classmethod
    def _missing_(cls, value: object) -> Self | None:
        if not isinstance(value, int):
            return None
        member = int.__new__(cls, value)
        member._name_ = f"unknown_{value}"
        member._value_ = value
        return cls._value2member_map_.setdefault(value, member)  # type: ignore[return-value]


class OpenFlags(IntFlag):
    """An enumeration of C's whose values may be combined; bits without a name are kept."""

    __bits__ = 32

    def __invert__(self) -> Self:
        """Return all other bits, as in C, so that `&` keeps those that only the other side has names for."""
        return type(self)(self._value_ ^ ((1 << self.__bits__) - 1))
