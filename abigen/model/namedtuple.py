"""The standard library's `NamedTuple`, but for when it works: constructors are compiled when they are first called.

The standard library compiles every annotation, and a constructor, for each class when its module is imported: a
thirtieth of a diff. Objects are tuples all the same, with the methods of named tuples, and type checkers see the
original. The modules of such classes have to begin with `from __future__ import annotations`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple
else:
    from _collections import _tuplegetter as _member

    class _Maker(type):
        """Makes the classes that name `NamedTuple` as a base."""

        def __new__(cls, name, bases, namespace):
            """Turn annotations into members; classes that are derived from such a class merely inherit them."""
            if not any("_is_root" in vars(base) for base in bases):
                return super().__new__(cls, name, bases, namespace)
            names = tuple(namespace.get("__annotations__", ()))
            defaults = {each: namespace[each] for each in names if each in namespace}
            if tuple(defaults) != names[len(names) - len(defaults) :]:
                raise TypeError(f"a member of {name} that has no default stands behind one that has")
            namespace.update((each, _member(place, "")) for place, each in enumerate(names))
            namespace |= {"__slots__": (), "__match_args__": names, "_fields": names, "_field_defaults": defaults}
            made = super().__new__(cls, name, bases, namespace)
            made.__new__ = _first_call(made)
            return made

    class NamedTuple(tuple, metaclass=_Maker):
        """What named tuples have in common; see `typing.NamedTuple` and `collections.namedtuple`."""

        __slots__ = ()
        _is_root = True

        @classmethod
        def _make(cls, values):
            """Make one of as many values as it has members."""
            made = tuple.__new__(cls, values)
            if len(made) != len(cls._fields):
                raise TypeError(f"expected {len(cls._fields)} values, got {len(made)}")
            return made

        def _replace(self, /, **values):
            """The same with some values replaced."""
            made = self._make(map(values.pop, self._fields, self))
            if values:
                raise ValueError(f"there are no members {list(values)}")
            return made

        def _asdict(self):
            """The values by name."""
            return dict(zip(self._fields, self, strict=True))

        def __repr__(self):
            values = ", ".join(f"{name}={value!r}" for name, value in self._asdict().items())
            return f"{self.__class__.__name__}({values})"

        def __getnewargs__(self):
            """The arguments to make an object from, for copies and pickles."""
            return tuple(self)


def _first_call(made: type) -> Callable[..., object]:
    """What stands for a constructor until it is called."""

    def construct(cls: type, /, *values: object, **named: object) -> object:
        constructor = _constructor(made.__dict__["_fields"], made.__dict__["_field_defaults"])
        setattr(made, "__new__", constructor)  # noqa: B010 - type checkers take the statement for an error
        return constructor(cls, *values, **named)

    return construct


def _constructor(names: tuple[str, ...], defaults: Mapping[str, object]) -> Callable[..., object]:
    """Compile a constructor."""
    parameters = "".join(f", {name}=_defaults[{name!r}]" if name in defaults else f", {name}" for name in names)
    values = "".join(f"{name}, " for name in names)
    scope: dict[str, object] = {"_new": tuple.__new__, "_defaults": defaults}
    exec(f"def __new__(_class{parameters}): return _new(_class, ({values}))", scope)
    constructor = scope["__new__"]
    assert callable(constructor)
    return constructor
