"""Opaque handles: pointers to objects of which only one side knows the content."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, Self

from .functions import keep_for_ever, release
from .memory import (
    NULL,
    VOID_POINTER,
    CData,
    Pointed,
    address_of,
    discard,
    unwrap,
    wrap,
)

if TYPE_CHECKING:
    from types import TracebackType

    from .library import Symbols
    from .status import Statuses


class Handle(Pointed):
    """A handle. It is false when it is NULL, closed or given away; the last two raise ValueError when it is used."""

    __slots__ = ("__weakref__", "_closer", "_created_at", "_gone", "cdata")

    _ffi: ClassVar[Any] = None
    _ctype: ClassVar[str] = ""
    _failure: ClassVar[tuple[Statuses, Symbols, str] | None] = None

    def __init_subclass__(cls, *, ffi: Any = None, ctype: str = "") -> None:
        """Describe a kind of handle.

        Args:
            ffi: of cffi, which knows the type.
            ctype: the type of the pointer; empty for a class that only adds to another.
        """
        super().__init_subclass__()
        if ctype:
            cls._ffi, cls._ctype = ffi, ctype

    def __init__(
        self, cdata: CData, closer: Callable[[Any], object] | None = None
    ) -> None:
        """Wrap a pointer.

        Args:
            cdata: the pointer, or the address in it; one to `void` becomes one of the right type.
            closer: the function that destroys the object; None if it is unknown.

        Raises:
            TypeError: it is a handle; two that own one object would destroy it twice.
        """
        self._created_at = self._gone = ""
        if isinstance(cdata, Handle):
            raise TypeError(f"{cdata!r} cannot be copied")
        if not cdata:
            cdata = NULL
        elif isinstance(cdata, int) or self._ffi.typeof(cdata) is VOID_POINTER:
            cdata = self._ffi.cast(self._ctype, cdata)
        self.cdata = cdata
        self._closer = closer

    if not TYPE_CHECKING:  # so that type checkers refuse names that are not there

        def __getattr__(self, name: str) -> Any:
            """Refuse to be used when it is closed or given away; then there is no pointer any more.

            Raises:
                ValueError: it is.
            """
            if name == "cdata":
                raise ValueError(f"{self!r} cannot be used any more")
            raise AttributeError(
                f"{type(self).__name__} has no attribute {name}", name=name
            )

    def __copy__(self) -> NoReturn:
        """Refuse: two handles that own one object would destroy it twice.

        Raises:
            TypeError: always.
        """
        raise TypeError(f"{self!r} cannot be copied")

    def __deepcopy__(self, memo: object) -> NoReturn:
        self.__copy__()

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        self.__copy__()

    @classmethod
    def fails_by(cls, statuses: Statuses, symbols: Symbols, function: str) -> None:
        """Set the function by which the receiver of such a handle reports a failure; called by generated code.

        Args:
            statuses: creates the statuses.
            symbols: has the function.
            function: the name of the function, which takes the handle and a status.
        """
        cls._failure = (statuses, symbols, function)

    def fail(self, error: Exception) -> bool:
        """Report an exception to the side that passed the handle; false if the API has no function for it."""
        if self._failure is None or not self:
            return False
        statuses, symbols, function = self._failure
        status = statuses.new()
        try:
            statuses.report(status, error)
            getattr(symbols, function)(self.cdata, status)
        finally:
            statuses.delete(status)
        return True

    @classmethod
    def null(cls) -> Self:
        """Return the handle that represents NULL."""
        return cls(NULL)

    @classmethod
    def wrap(cls, value: object) -> Self:
        """Make a handle that represents a Python object, which lives until `discard`."""
        return cls(wrap(value))

    def unwrap(self) -> Any:
        """Return the Python object that the handle represents.

        Raises:
            ValueError: it was not made by `wrap`, or has been discarded.
        """
        return unwrap(self.cdata)

    def discard(self) -> None:
        """Release the Python object that the handle represents."""
        discard(self.cdata)

    def take(self, how: str = "given away") -> CData:
        """Give up ownership and return the pointer; the handle cannot be used any more.

        Args:
            how: `closed` if the object has been destroyed.

        Raises:
            ValueError: it was closed or given away before.
        """
        cdata = self.cdata
        if cdata:
            del self.cdata
            self._gone = how
            if how == "closed":
                return release(cdata)
            keep_for_ever(cdata)
        return cdata

    def hand_over(self) -> CData:
        """Return the pointer for C, which owns the object from now on; no warning follows if it is not closed."""
        self._created_at = ""
        return self.cdata

    def __bool__(self) -> bool:
        return not self._gone and bool(self.cdata)

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, Handle) and bool(self.cdata == other.cdata)
        )

    def __hash__(self) -> int:
        return hash(address_of(self.cdata))

    def __repr__(self) -> str:
        state = self._gone or (f"at {address_of(self.cdata):#x}" if self else "NULL")
        return f"<{type(self).__name__} {state}>"


def reported(error: Exception, *handles: Handle) -> bool:
    """Report an exception by the first handle that can report it; false if none can."""
    return any(each.fail(error) for each in handles)


class OwnedHandle(Handle):
    """A handle to something that is to be destroyed: a context manager."""

    __slots__ = ()

    @classmethod
    def made(
        cls, cdata: CData, closer: Callable[[Any], object] | None = None, /
    ) -> Self:
        """Wrap a pointer to an object that belongs to the caller; generated code does.

        A handle that is made so, and neither closed nor given away before it is collected, gives a ResourceWarning.

        Args:
            cdata: the pointer.
            closer: the function that destroys the object.
        """
        self = cls(cdata, closer)
        if self.cdata:
            frame = sys._getframe(2)
            self._created_at = f"{frame.f_code.co_filename}:{frame.f_lineno}"
        return self

    def __del__(self) -> None:
        """Warn of an object that will never be destroyed."""
        if getattr(self, "_created_at", "") and self:
            message = f"{self!r}, made at {self._created_at}, was never closed"
            warnings.warn(message, ResourceWarning, source=self, stacklevel=1)

    def close(self) -> None:
        """Destroy the object of the handle, unless that has happened already.

        Raises:
            ValueError: the function that destroys it is unknown.
        """
        if self:
            if self._closer is None:
                raise ValueError(
                    f"{self!r} was not created here, so what destroys it is not known"
                )
            self._closer(self)
            if self:
                self.take("closed")

    def closing(self, closer: Callable[[Self], object]) -> Self:
        """Return the handle itself, with the function that destroys it.

        Args:
            closer: is given the handle.
        """
        self._closer = closer
        return self

    def __enter__(self) -> Self:
        """Begin to use it.

        Raises:
            ValueError: it was closed or given away.
        """
        _ = self.cdata
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()
