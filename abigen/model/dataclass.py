"""The standard library's `dataclass`, but for when it works: methods are compiled when they are first called.

The standard library writes and compiles six functions for each class when its module is imported. For the hundred
classes that a diff imports that took a fifth of its time, and most of the functions were never called. The classes are
dataclasses all the same: `fields`, `replace` and `is_dataclass` know them, and type checkers see the original.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass

    from _typeshed import DataclassInstance
else:

    def dataclass(cls=None, /, *, frozen=False, order=False, kw_only=False):
        """Make a class a dataclass; arguments and result are those of `dataclasses.dataclass`."""

        def decorate(cls):
            dataclasses.dataclass(init=False, repr=False, eq=False, kw_only=kw_only)(cls)
            _add_methods(cls, frozen=frozen, order=order)
            return cls

        return decorate if cls is None else decorate(cls)


_REFUSING = {"__setattr__": "assign to", "__delattr__": "delete"}
_COMPARISONS = {"__eq__": "==", "__lt__": "<", "__le__": "<=", "__gt__": ">", "__ge__": ">="}


def _add_methods(cls: type[DataclassInstance], *, frozen: bool, order: bool) -> None:
    """Give a class the methods that it does not define itself."""
    names = ["__init__", "__repr__", "__eq__"]
    if frozen:
        names += ["__hash__", *_REFUSING]
    if order:
        names += [name for name in _COMPARISONS if name != "__eq__"]
    for name in names:
        if name not in cls.__dict__:
            setattr(cls, name, _refusal(name) if name in _REFUSING else _first_call(cls, name))
    if "__hash__" not in cls.__dict__:
        setattr(cls, "__hash__", None)  # noqa: B010 - type checkers take the statement for an error


def _refusal(name: str) -> Callable[..., NoReturn]:
    """The `__setattr__` or `__delattr__` of a class that is frozen."""

    def refuse(self: object, field: str, *value: object) -> NoReturn:
        raise dataclasses.FrozenInstanceError(f"cannot {_REFUSING[name]} field {field!r}")

    return refuse


def _first_call(cls: type[DataclassInstance], name: str) -> Callable[..., object]:
    """What stands for a method until it is called."""

    def method(self: object, /, *values: object, **named: object) -> object:
        compiled = _compile(cls, name)
        setattr(cls, name, compiled)
        return compiled(self, *values, **named)

    return method


def _compile(cls: type[DataclassInstance], name: str) -> Callable[..., object]:
    """Compile a method."""
    fields = dataclasses.fields(cls)
    constants: dict[str, object] = {}
    if name == "__init__":
        parameters, body = _initialiser(fields, constants)
        if hasattr(cls, "__post_init__"):
            body.append("self.__post_init__()")
    elif name == "__repr__":
        parameters = ["self"]
        shown = ", ".join(f"{each.name}={{self.{each.name}!r}}" for each in fields if each.repr)
        body = [f"return f'{{type(self).__qualname__}}({shown})'"]
    elif name == "__hash__":
        parameters = ["self"]
        hashed = [each.name for each in fields if (each.compare if each.hash is None else each.hash)]
        body = [f"return hash({_values('self', hashed)})"]
    else:
        parameters = ["self", "other"]
        compared = [each.name for each in fields if each.compare]
        ours, theirs = _values("self", compared), _values("other", compared)
        body = ["if other.__class__ is not self.__class__: return NotImplemented"]
        body.append(f"return {ours} {_COMPARISONS[name]} {theirs}")
    source = "\n ".join([f"def {name}({', '.join(parameters)}):", *body])
    exec(source, constants)
    method = constants[name]
    assert callable(method)
    return method


def _initialiser(
    fields: Sequence[dataclasses.Field[object]], constants: dict[str, object]
) -> tuple[list[str], list[str]]:
    """Parameters and statements of an `__init__`, which goes around what refuses to assign; adds what they mention.

    Most values are those that the class has as defaults; the object has no copy of them, which keeps pickles small.
    """
    parameters, body = ["self"], ["_ = self.__dict__"]
    keywords: list[str] = []
    for each in fields:
        parameter = name = each.name
        assignment = f"_[{name!r}] = {name}"
        if each.default is not dataclasses.MISSING:
            constants[f"_{name}"] = each.default
            parameter += f"=_{name}"
            if not hasattr(type(each.default), "__get__"):  # a function would be a method when the class has it
                assignment = f"if {name} is not _{name}: {assignment}"
        elif each.default_factory is not dataclasses.MISSING:
            constants[f"_{name}"] = each.default_factory
            parameter += f"=_{name}"
            assignment = f"_[{name!r}] = _{name}() if {name} is _{name} else {name}"
        (keywords if each.kw_only else parameters).append(parameter)
        body.append(assignment)
    return [*parameters, *(["*", *keywords] if keywords else [])], body


def _values(owner: str, names: Sequence[str]) -> str:
    """The expression of a tuple of an object's fields."""
    return f"({''.join(f'{owner}.{name}, ' for name in names)})"
