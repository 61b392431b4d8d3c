"""The names that things have in C++: they follow from those in C, and no two of a class or namespace are the same."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from functools import cache
from pathlib import Path

from abigen.model.api import Api
from abigen.model.entities import Entity
from abigen.model.identifiers import reserved_word
from abigen.model.span import AbigenError, Diagnostic, Span

_CAPITALS = re.compile(r"[A-Z][A-Z0-9]*_(?=[A-Za-z])")
_CALLBACK = re.compile(r"_?(func|fn|function|callback|cb)$", re.IGNORECASE)
_TABLE = "Fns"
_MOST_ALIKE = 20
_NAMESPACES = ("abigen", "std")
_C_LIBRARY = Path(__file__).with_name("c_library.txt")
"""What the headers of C and POSIX declare outside of all namespaces, or define as a macro, in small letters."""


def namespace_name(prefix: str, taken: Collection[str]) -> str:
    """The namespace of an API: its prefix in small letters.

    Args:
        prefix: `XY`.
        taken: names of something else.

    Returns:
        `xy`, or `xy_api` where `xy` is something else.
    """
    name = usable(prefix.lower().strip("_") or "api")
    is_taken = name in taken or name in _NAMESPACES or is_in_c_library(name)
    return f"{name.rstrip('_')}_api" if is_taken else name


@cache
def _c_library() -> frozenset[str]:
    return frozenset(_C_LIBRARY.read_text(encoding="utf-8").split())


def is_in_c_library(name: str) -> bool:
    """Whether headers that C++ includes may declare a name outside of all namespaces."""
    return name in _c_library()


def bare(name: str, prefix: str) -> str:
    """A name in C without what stands for a namespace there.

    Args:
        name: `XY_OpenDevice`, `XYOpenDevice`, `xy_open_device`.
        prefix: the API's, `XY`.

    Returns:
        `OpenDevice`, `OpenDevice`, `open_device`. A word of capitals before the first underscore is such a prefix,
        whatever the API's is.
    """
    if not name.isupper() and (leading := _CAPITALS.match(name)):
        return name[leading.end() :]
    rest = name[len(prefix) :]
    if not prefix or not rest or not name.lower().startswith(prefix.lower()):
        return name
    if rest.startswith("_") and rest[1:2].isalpha():
        return rest[1:]
    return rest if rest[0].isupper() and not prefix.islower() else name


def class_name(name: str, prefix: str) -> str:
    """The class of a handle or struct.

    Args:
        name: `XY_Device`, `xy_device_t`.
        prefix: the API's.

    Returns:
        `Device`; `Xy` of a handle `xy_t`.
    """
    words = bare(name.removesuffix("_t"), prefix).split("_")
    return usable("".join(word[:1].upper() + word[1:] for word in words))


def whole_name(name: str) -> str:
    """A class by its whole name in C, where a part of it stands for something else already: `XyDevice`."""
    words = name.removesuffix("_t").split("_")
    return usable("".join(word[:1].upper() + word[1:] for word in words))


def numbered(name: str) -> Iterator[str]:
    """Yield names for things whose names in C differ only in case or underscores: `Device2`, `Device3`."""
    yield from (f"{name}{number}" for number in range(2, _MOST_ALIKE))


def table_name(name: str, prefix: str) -> str:
    """The class template that fills a struct of functions: `XY_Device` and `XY_DeviceFns` give `DeviceFns`."""
    found = class_name(name, prefix)
    return found if found.endswith(_TABLE) else found + _TABLE


def method_name(function: str, handle: str, prefix: str) -> str:
    """The method that a function becomes.

    Args:
        function: `XY_DeviceName`, `XY_Device_Name`, `XY_NewDevice`, `xy_device_name`.
        handle: the handle that it is a method of, in C: `XY_Device`, `xy_device_t`.
        prefix: the API's.

    Returns:
        `Name`, `Name`, `New`, `name`.
    """
    stem = handle.removesuffix("_t")
    rest = _after(function, stem)
    if rest:
        return usable(rest)
    name, noun = bare(function, prefix), bare(stem, prefix)
    return usable(_after(name, noun) or _before(name, noun) or name)


def function_name(function: str, prefix: str) -> str:
    """The function in the API's namespace that a function becomes."""
    return usable(bare(function, prefix))


def callback_name(parameter: str, function: str) -> str:
    """The method that a parameter of type function stands for, in the style of the function's name.

    Args:
        parameter: `compute_func`.
        function: the function that has it: `XY_NewThing`.

    Returns:
        `Compute`.
    """
    name = _CALLBACK.sub("", parameter) or parameter
    if function.islower():
        return usable(name)
    return usable("".join(word[:1].upper() + word[1:] for word in name.split("_")))


def usable(name: str) -> str:
    """The name, or one like it that C++ does not reserve."""
    if name[:1].isdigit():
        name = f"_{name}"
    name = re.sub(r"__+", "_", name)
    return f"{name}_" if reserved_word(name, file_scope=False) else name


def _after(name: str, start: str) -> str:
    """What follows a word in a name; empty when it is not a word of its own there."""
    if not name.startswith(start):
        return ""
    rest = name[len(start) :]
    if rest.startswith("_") and rest[1:2].isalpha():
        return rest[1:]
    return rest if rest[:1].isupper() and not start.islower() else ""


def _before(name: str, end: str) -> str:
    """What comes before a word in a name."""
    if not name.endswith(end):
        return ""
    rest = name[: -len(end)]
    return rest[:-1] if rest.endswith("_") else rest if end[:1].isupper() else ""


class CppNames:
    """The names of one class or namespace."""

    def __init__(self, avoided: Collection[str] = ()) -> None:
        """Begin without names.

        Args:
            avoided: names that would hide something else.
        """
        self._avoided = avoided
        self._taken: dict[str, str] = {}

    def choose(self, candidates: Sequence[str], what: str, span: Span | None, *, along: Sequence[str] = ()) -> str:
        """Give a name to something.

        Args:
            candidates: from the best one on; one that would hide something gets an underscore behind it.
            what: what is to be named, for messages.
            span: where it stands.
            along: endings of other names that it takes with its own.

        Returns:
            The first candidate that is free.

        Raises:
            AbigenError: all of them are taken.
        """
        for candidate in candidates:
            name = f"{candidate}_" if candidate in self._avoided else candidate
            names = [name, *(name + ending for ending in along)]
            if not any(each in self._taken for each in names):
                self._taken |= dict.fromkeys(names, what)
                return name
        other = next(self._taken[name] for name in (*candidates, f"{candidates[0]}_") if name in self._taken)
        message = f"{what} and {other} would both be `{candidates[0]}` in C++"
        raise AbigenError((Diagnostic(span, message, "name one of them in conventions.cpp.names"),))


def types_in(api: Api, file: str | None = None) -> frozenset[str]:
    """Names of types, tags and values in C, which a name in C++ would hide.

    Args:
        api: the API.
        file: only what this spec declares; None for all.
    """
    return frozenset(name for name, each in _entities(api) if file is None or (each.span and each.span.file == file))


def _entities(api: Api) -> Iterator[tuple[str, Entity]]:
    for struct in api.structs.values():
        yield from ((struct.name, struct), (struct.tag, struct))
    for each in api.enums.values():
        yield from ((each.name, each), (each.tag, each))
    yield from api.typedefs.items()
    yield from api.constants.items()
    for enum in api.enums.values():
        yield from ((each.name, each) for each in enum.enumerators or ())
