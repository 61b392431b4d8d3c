"""Functions: C's called from Python, and Python's called from C."""

from __future__ import annotations

from collections.abc import Callable
from types import MethodType
from typing import Any, TypeAlias
from warnings import warn
from weakref import ref

from .memory import NULL, CData, Pointed, Pointer, address_of, is_cdata, memory
from .memory import ffi as plain_ffi
from .storage import holding

AnyFunction: TypeAlias = Callable[..., Any]
"""A function of Python's."""
Adapter: TypeAlias = Callable[[AnyFunction], AnyFunction]
"""Makes of a function of Python's one that takes and gives values of cffi's."""

_callbacks: dict[tuple[int, ...], ref[CData]] = {}
"""Callbacks in use, by the identity of the type and of the Python function."""
_for_ever: dict[int, object] = {}
"""Objects that live as long as the program, by identity."""
_owned: dict[int, dict[int, object]] = {}
"""Objects that live as long as an object of C's, by the address of that and by identity."""


class Fallible:
    """A Python function with the result for C if it raises, for APIs that do not define failures."""

    def __init__(self, function: AnyFunction, failed: object) -> None:
        """Set the result that reports a failure to C.

        Args:
            function: the function.
            failed: the result for C, as cffi takes it.
        """
        self.function = function
        self.failed = failed

    def __call__(self, *arguments: Any) -> Any:
        """Call the function."""
        return self.function(*arguments)


def deprecated(message: str) -> None:
    """Warn the caller of the function that calls this."""
    warn(message, DeprecationWarning, stacklevel=3)


class Creation:
    """A call that creates objects of C's, which keep pointers to the arguments of the call."""

    def __init__(self) -> None:
        self.kept: dict[int, object] = {}
        """The values that live as long as the objects."""

    def of(self, *objects: CData) -> None:
        """Name the created objects: the kept values live as long as any of these.

        Args:
            objects: pointers to them.
        """
        for each in objects:
            if each:
                _owned.setdefault(address_of(each), {}).update(self.kept)


def retain(owner: Pointed | Creation | None, stored: CData, value: object) -> CData:
    """Keep a value to which C keeps a pointer alive as long as an object of C's; return the pointer.

    Args:
        owner: stands for that object, or for the call that creates it; None for as long as the program.
        stored: the pointer.
        value: the object from which it was made.
    """
    if value is not None:
        if owner is None:
            kept = _for_ever
        elif isinstance(owner, Creation):
            kept = owner.kept
        else:
            kept = _owned.setdefault(address_of(owner.cdata), {})
        kept[id(stored)] = (stored, value)
    return stored


def release(cdata: CData) -> CData:
    """Release the values to which an object of C's has kept pointers, when the returned pointer is freed.

    Args:
        cdata: a pointer to the object, which C is about to destroy.
    """
    kept = _owned.pop(address_of(cdata), None)
    return holding(cdata, kept) if kept else cdata


def keep_for_ever(cdata: CData) -> None:
    """Keep the objects to which an object of C's has pointers for ever: they belong to C now.

    Args:
        cdata: a pointer to the object.
    """
    _for_ever.update(_owned.pop(address_of(cdata), {}))


class Signature:
    """The type of a C function, and its form in Python.

    In Python a status is no parameter but an exception, and what a parameter points to for a result is a result; with
    several results, the function's own comes first.
    """

    def __init__(
        self,
        ffi: Any,
        ctype: Any,
        adapter: Adapter,
        *,
        caller: AnyFunction | None = None,
        failed: object = None,
        scope: str = "",
        unsaid: bool = False,
    ) -> None:
        """Describe a function.

        Args:
            ffi: of cffi, which knows the types.
            ctype: the name of the type of a pointer to the function, or a function that returns the type.
            adapter: converts a Python function to one that takes and gives values of C.
            caller: calls a pointer to such a function.
            failed: the result for C if a Python function raises; None for zero.
            scope: the time in which C calls the function: `call`, `once` or `static`; empty if unknown.
            unsaid: true if it has a result, and the API does not define which results mean failure.
        """
        self._ffi = ffi
        self._ctype = ctype
        self.text = ctype if isinstance(ctype, str) else ""
        """The name of the type of a pointer to the function; empty for a member."""
        self.adapt = adapter
        """The Python function as one that takes and gives values of cffi's."""
        self.caller = caller
        self._failed = failed
        self._scope = scope
        self._unsaid = unsaid

    @property
    def ctype(self) -> Any:
        """The type of a pointer to the function, as cffi has it."""
        if isinstance(self._ctype, str):
            self._ctype = self._ffi.typeof(self._ctype)
        elif callable(self._ctype):
            self._ctype = self._ctype()
        return self._ctype

    def cast(self, address: CData) -> CData:
        """Return a pointer to a function at an address."""
        return self._ffi.cast(self.ctype, address)

    def load(self, value: CData, owner: object = None) -> AnyFunction | None:
        """Return a Python function that calls a C function; None for NULL.

        Args:
            value: a pointer to the function.
            owner: an object that must live as long as it.
        """
        return Function(self, self.cast(value), owner) if value else None

    def store(self, value: object) -> CData:
        """Return a C function that calls a Python function. It is valid while the result is referenced.

        It is the same for the same Python function.

        Args:
            value: the Python function; None gives NULL, what is C's already is returned as it is.

        Raises:
            TypeError: it is none of these, or nothing says what C is given when it raises.
        """
        if value is None:
            return NULL
        if is_cdata(value):
            return value
        if isinstance(value, Function):
            return value.cdata
        if not callable(value):
            raise TypeError(f"{value!r} is no function")
        if self._scope == "static":
            return retain(None, self._callback(value), value)
        return self._callback(value)

    def give(self, value: object, owner: Pointed | None = None) -> CData:
        """Return a C function that calls a Python function, for a call that it is an argument of.

        It lives as long as the scope says; where that says nothing, as long as the owner.

        Args:
            value: as for `store`.
            owner: a handle to what may keep the function; None for as long as the program.
        """
        if value is None:
            return NULL
        if self._scope == "once" and callable(value) and not is_cdata(value):
            return _Once(self, value).cdata
        stored = self.store(value)
        return stored if self._scope == "call" else retain(owner, stored, value)

    def make(self, function: AnyFunction) -> CData:
        """Return a C function that calls a Python function, a new one."""
        return self.callback(function, self.adapt(function))

    def callback(self, function: AnyFunction, adapted: AnyFunction) -> CData:
        """Return a C function that calls the adapted Python function.

        Raises:
            TypeError: nothing says what C is given when the function raises.
        """
        failed = function.failed if isinstance(function, Fallible) else self._failed
        if self._unsaid and not isinstance(function, Fallible):
            raise TypeError(
                f"nothing says which result of {self.ctype.cname} means failure, which C needs "
                f"when {function!r} raises: give Fallible(function, failed) with that result"
            )
        return self._ffi.callback(self.ctype, adapted, failed)

    def _callback(self, function: AnyFunction) -> CData:
        """Return the C function for a Python function: always the same for one function or bound method."""
        parts = (
            (id(function.__self__), id(function.__func__))
            if isinstance(function, MethodType)
            else (id(function),)
        )
        key = (id(self), *parts)
        known = _callbacks.get(key)
        found = known() if known is not None else None
        if found is None:
            found = self.make(function)
            _callbacks[key] = ref(found, lambda gone: _forget(key, gone))
        return found


def _forget(key: tuple[int, ...], gone: ref[CData]) -> None:
    if _callbacks is not None and _callbacks.get(key) is gone:
        del _callbacks[key]


class _Once:
    """A callback that C calls one time; after that nothing holds the Python function any more."""

    _waiting: dict[int, _Once] = {}
    _spent: list[CData] = []
    """Callbacks that have been called: their code may not be freed while it runs."""

    def __init__(self, signature: Signature, function: AnyFunction) -> None:
        self._spent.clear()
        self._adapted: AnyFunction | None = signature.adapt(function)
        self.cdata = signature.callback(function, self._call)
        self._waiting[id(self)] = self

    def _call(self, *arguments: CData) -> CData:
        adapted, self._adapted = self._adapted, None
        if adapted is None:
            raise RuntimeError("C has called a function again that it may call once")
        try:
            return adapted(*arguments)
        finally:
            self._spent.append(self.cdata)
            self._waiting.pop(id(self), None)


class Function(Pointed):
    """A C function as a Python function."""

    __slots__ = ("_owner", "_signature", "cdata")

    def __init__(
        self, signature: Signature, cdata: CData, owner: object = None
    ) -> None:
        """Wrap a pointer to a function.

        Args:
            signature: its type.
            cdata: the pointer.
            owner: an object that must live as long as it.
        """
        self.cdata = cdata
        self._signature = signature
        self._owner = owner

    def __call__(self, *arguments: Any) -> Any:
        """Call it."""
        caller = self._signature.caller
        if caller is None:
            raise TypeError(f"{self!r} cannot be called from Python")
        return caller(self.cdata, *arguments)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Function) and bool(self.cdata == other.cdata)

    def __hash__(self) -> int:
        return hash(self.cdata)

    def __repr__(self) -> str:
        return f"<function {self.cdata}>"


class Results:
    """Values that a Python function has returned to C by pointers: they live as long as the callback."""

    __slots__ = ("_kept",)

    def __init__(self) -> None:
        self._kept: dict[object, object] = {}

    def text(self, value: str | bytes | CData | None) -> CData:
        """Return a pointer to characters, the same for the same text."""
        if not isinstance(value, (str, bytes)):
            return self.memory(value)
        known = self._kept.get(value)
        if known is None:
            plain = (
                value.encode("utf-8", "surrogateescape")
                if isinstance(value, str)
                else value
            )
            known = self._kept[value] = plain_ffi.new("char[]", plain)
        return known

    def struct(self, value: Any) -> CData:
        """Return a struct itself, which may lead to others."""
        self._keep(value.storage)
        return value.cdata[0]

    def pointer(self, value: Any) -> CData:
        """Return a pointer to a struct; None for NULL."""
        if value is None:
            return NULL
        self._keep(value.storage)
        return value.cdata

    def memory(self, value: Pointer) -> CData:
        """Return a pointer to memory of any kind."""
        self._keep(value)
        if isinstance(value, (list, tuple)):
            raise TypeError("a list has no memory that C could keep; give an array")
        stored = memory(value)
        self._keep(stored)
        return stored

    def handle(self, value: Any) -> CData:
        """Return a handle, with which C may do what it likes; None for NULL."""
        return NULL if value is None else value.hand_over()

    def _keep(self, what: object) -> None:
        if what is not None:
            self._kept[id(what)] = what
