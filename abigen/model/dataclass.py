"""The standard library's `dataclass`, but for when it works: methods are compiled when they are first called.

The standard library writes and compiles six functions for each class when its module is imported, and needs `inspect`
for it. For the hundred classes that a diff imports that took a quarter of its time, and most of the functions were
never called. The classes are dataclasses all the same: the standard library's functions know them, and type checkers
see the original.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
    from dataclasses import field as field
    from dataclasses import replace as replace

_NOTHING = object()
_REFUSING = {"__setattr__": "assign to", "__delattr__": "delete"}
_COMPARISONS = {"__eq__": "==", "__lt__": "<", "__le__": "<=", "__gt__": ">", "__ge__": ">="}


class _Field:
    """What is known of a field of a class."""

    name: str
    type: object
    kw_only: bool

    def __init__(
        self, *, default: object, default_factory: object, repr: bool, hash: bool | None, compare: bool
    ) -> None:
        self.default = default
        self.default_factory = default_factory
        self.repr = repr
        self.hash = compare if hash is None else hash
        self.compare = compare


if not TYPE_CHECKING:

    def dataclass(cls=None, /, *, frozen=False, order=False, kw_only=False):
        """Make a class a dataclass; arguments and result are those of `dataclasses.dataclass`."""

        def decorate(cls):
            _add_fields(cls, kw_only=kw_only)
            _add_methods(cls, frozen=frozen, order=order)
            return cls

        return decorate if cls is None else decorate(cls)

    def field(*, default=_NOTHING, default_factory=_NOTHING, repr=True, hash=None, compare=True):
        """What a dataclass has to know of a field besides its type; arguments are those of `dataclasses.field`."""
        return _Field(default=default, default_factory=default_factory, repr=repr, hash=hash, compare=compare)

    def replace(obj, /, **changes):
        """A copy of a dataclass's object with other values in some fields, as `dataclasses.replace` makes it."""
        values = {name: value for name, value in obj.__dict__.items() if name in obj._fields_of_class}
        return type(obj)(**(values | changes))


def _add_fields(cls: type, *, kw_only: bool) -> None:
    """Read the fields that a class declares, and take its default values out of their descriptions."""
    fields: dict[str, _Field] = {}
    for base in reversed(cls.__mro__[1:]):
        fields |= base.__dict__.get("_fields_of_class", {})
    for name, annotation in cls.__annotations__.items():
        if str(annotation).startswith(("ClassVar", "typing.ClassVar")):
            continue
        given = cls.__dict__.get(name, _NOTHING)
        if isinstance(given, _Field):
            found = given
            if found.default is _NOTHING:
                delattr(cls, name)
            else:
                setattr(cls, name, found.default)
        else:
            found = _Field(default=given, default_factory=_NOTHING, repr=True, hash=None, compare=True)
        if found.default.__class__.__hash__ is None:
            raise ValueError(f"the default value of {name} can be changed; use default_factory")
        found.name, found.type, found.kw_only = name, annotation, kw_only
        fields[name] = found
    attributes = {
        "_fields_of_class": fields,
        "__dataclass_fields__": _StandardFields(),
        "__match_args__": tuple(each.name for each in fields.values() if not each.kw_only),
    }
    for name, value in attributes.items():
        setattr(cls, name, value)


class _StandardFields:
    """The fields as the standard library describes them, when somebody asks."""

    def __get__(self, instance: object, owner: type) -> Mapping[str, object]:
        """Have the standard library make a class with the same fields."""
        import dataclasses

        describe: Callable[..., object] = dataclasses.field
        described: list[tuple[str, object, object]] = []
        for each in _fields(owner):
            given = {"default": each.default, "default_factory": each.default_factory}
            options = {name: value for name, value in given.items() if value is not _NOTHING}
            flags = {"repr": each.repr, "hash": each.hash, "compare": each.compare, "kw_only": each.kw_only}
            described.append((each.name, each.type, describe(**options, **flags)))
        twin = dataclasses.make_dataclass(owner.__name__, described)
        found: Mapping[str, object] = twin.__dict__["__dataclass_fields__"]
        setattr(owner, "__dataclass_fields__", found)  # noqa: B010 - type checkers take the statement for an error
        return found


def _fields(cls: type) -> Sequence[_Field]:
    """The fields of a class, inherited ones first."""
    found: Mapping[str, _Field] = cls._fields_of_class  # type: ignore[attr-defined]
    return list(found.values())


def _add_methods(cls: type, *, frozen: bool, order: bool) -> None:
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
        from dataclasses import FrozenInstanceError

        raise FrozenInstanceError(f"cannot {_REFUSING[name]} field {field!r}")

    return refuse


def _first_call(cls: type, name: str) -> Callable[..., object]:
    """What stands for a method until it is called."""

    def method(self: object, /, *values: object, **named: object) -> object:
        compiled = _compile(cls, name)
        setattr(cls, name, compiled)
        return compiled(self, *values, **named)

    return method


def _compile(cls: type, name: str) -> Callable[..., object]:
    """Compile a method."""
    fields = _fields(cls)
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
        body = [f"return hash({_values('self', [each.name for each in fields if each.hash])})"]
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


def _initialiser(fields: Sequence[_Field], constants: dict[str, object]) -> tuple[list[str], list[str]]:
    """Parameters and statements of an `__init__`, which goes around what refuses to assign; adds what they mention.

    Most values are those that the class has as defaults; the object has no copy of them, which keeps pickles small.
    """
    parameters, body = ["self"], ["_ = self.__dict__"]
    keywords: list[str] = []
    for each in fields:
        parameter = name = each.name
        assignment = f"_[{name!r}] = {name}"
        if each.default is not _NOTHING:
            constants[f"_{name}"] = each.default
            parameter += f"=_{name}"
            if not hasattr(type(each.default), "__get__"):  # a function would be a method when the class has it
                assignment = f"if {name} is not _{name}: {assignment}"
        elif each.default_factory is not _NOTHING:
            constants[f"_{name}"] = each.default_factory
            parameter += f"=_{name}"
            assignment = f"_[{name!r}] = _{name}() if {name} is _{name} else {name}"
        (keywords if each.kw_only else parameters).append(parameter)
        body.append(assignment)
    return [*parameters, *(["*", *keywords] if keywords else [])], body


def _values(owner: str, names: Sequence[str]) -> str:
    """The expression of a tuple of an object's fields."""
    return f"({''.join(f'{owner}.{name}, ' for name in names)})"
