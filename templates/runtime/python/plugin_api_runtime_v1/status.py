"""Statuses: objects by which calls report errors, as exceptions."""

from __future__ import annotations

from collections.abc import Callable
from os import strerror
from typing import TYPE_CHECKING

from .library import SymbolNotFound
from .memory import NULL, CData, characters, text

if TYPE_CHECKING:
    from .library import Symbols


class StatusError(Exception):
    """A call has failed, or a function of Python's tells C that it has.

    Attributes:
        code: the kind of error.
        message: the description of the error.
    """

    def __init__(self, code: int, message: str = "") -> None:
        """Make an error.

        Args:
            code: one of the API's codes, but the one for success.
            message: the description of the error.
        """
        self.code = code
        self.message = message
        super().__init__(code, message)

    def __str__(self) -> str:
        name = getattr(self.code, "name", str(self.code))
        return f"{name}: {self.message}" if self.message else name


class NullResult(RuntimeError):
    """A function has returned NULL, by which it tells that it has failed."""


def check_code(code: int, ok: int, message: Callable[[], CData] | None = None) -> None:
    """Raise the error that a result reports, unless it means success.

    Raises:
        StatusError: it is another code than that for success.
    """
    if code != ok:
        raise StatusError(code, (text(message()) or "") if message else "")


def check_negative(number: int) -> int:
    """Return the number, unless it is negative and so an error.

    Raises:
        OSError: it is.
    """
    if number < 0:
        raise OSError(-number, strerror(-number))
    return number


def check_null(
    value: CData, function: str, message: Callable[[], CData] | None = None
) -> CData:
    """Return the pointer, unless it is NULL and so an error.

    Raises:
        NullResult: it is.
    """
    if not value:
        told = (text(message()) or "") if message else ""
        raise NullResult(f"{function}: {told}" if told else f"{function} returned NULL")
    return value


class LastError:
    """The function that reports the reason of a failure to an API which keeps the last error."""

    def __init__(
        self, symbols: Symbols, function: str, failed: int | None = None
    ) -> None:
        """Name the function.

        Args:
            symbols: has the function.
            function: its name.
            failed: the code for an exception that comes with none; None for a function that takes no code.
        """
        self._symbols = symbols
        self._function = function
        self._failed = failed

    def report(self, error: Exception, code: int | None = None) -> bool:
        """Tell the API of an exception; false where no library has the function.

        Args:
            error: the exception.
            code: the code that C receives; None if C receives no code.
        """
        try:
            function = getattr(self._symbols, self._function)
        except SymbolNotFound:
            return False
        message = characters(_message(error))
        if self._failed is None:
            function(message)
            return True
        if code is None:
            code = self._failed
            if isinstance(error, StatusError):
                code = int(error.code)
            elif isinstance(error, OSError) and error.errno:
                code = error.errno
        function(code, message)
        return True


def returned_code(value: object, ok: int) -> int:
    """Return the code of a Python function for C: its result, or success if the result is None.

    Raises:
        StatusError: it returns one.
        TypeError: it returns another object that is no code.
    """
    if value is None:
        return ok
    if isinstance(value, StatusError):
        raise value
    if not isinstance(value, int):
        raise TypeError(f"{value!r} is no code that C could be given")
    return int(value)


def is_code(value: object, codes: type, ok: int) -> bool:
    """True if a function of Python's gives a code where its results are expected: it has failed.

    Args:
        value: its result.
        codes: the enumeration of the codes.
        ok: the code for success, which comes with results.

    Raises:
        StatusError: it returns one.
        TypeError: it gives the code for success.
    """
    if isinstance(value, StatusError):
        raise value
    if isinstance(value, codes) and value == ok:
        raise TypeError(f"{value!r} where results are expected")
    return isinstance(value, codes)


def failed_code(
    error: Exception, ok: int, failed: int, last: LastError | None = None
) -> int:
    """Return the code that C is given for an exception, after its message has been stored.

    Args:
        error: raised by a function of Python's.
        ok: the code for success, which no exception gives.
        failed: the code for an exception that comes with none.
        last: reports the last error to the API; None if the API keeps none.

    Raises:
        Exception: the same, where it comes with no code and nobody can be told of it.
    """
    has_code = isinstance(error, StatusError) and error.code != ok
    code = int(error.code) if isinstance(error, StatusError) and has_code else failed
    is_told = last is not None and last.report(error, code)
    if not is_told and not isinstance(error, StatusError):
        raise error
    return code


def failed_number(error: Exception, failed: int, last: LastError | None = None) -> int:
    """Return the negative error number that C is given for an exception; see `failed_code`.

    Raises:
        Exception: the same, where it comes with no number and nobody can be told of it.
    """
    known = error.errno if isinstance(error, OSError) else None
    number = -abs(known or failed)
    is_told = last is not None and last.report(error, -number)
    if not is_told and not isinstance(error, OSError):
        raise error
    return number


def failed_null(error: Exception, last: LastError) -> CData:
    """Store the message of an exception, and return NULL for C.

    Raises:
        Exception: the same, where nobody can be told of it.
    """
    if not last.report(error):
        raise error
    return NULL


def _message(error: Exception) -> str:
    """Return the message that C receives for an exception."""
    if isinstance(error, StatusError):
        return error.message
    return f"{type(error).__name__}: {error}"


class Statuses:
    """The functions of an API that create, fill, read and free its statuses."""

    def __init__(
        self,
        *,
        new: tuple[Symbols, str],
        delete: tuple[Symbols, str],
        set: tuple[Symbols, str],
        code: tuple[Symbols, str],
        message: tuple[Symbols, str],
        code_type: Callable[[int], int],
        ok: int,
        failed: int,
    ) -> None:
        """Name the functions, each with where it is looked up.

        Args:
            new: makes a status.
            delete: frees one.
            set: stores a code and a message.
            code: gives the code.
            message: gives the message.
            code_type: makes what `StatusError.code` is.
            ok: the code for success.
            failed: the code for an exception that is no `StatusError`.
        """
        self._names = {
            "new": new,
            "delete": delete,
            "_set": set,
            "_code": code,
            "_message": message,
        }
        self._code_type = code_type
        self._ok = ok
        self._failed = failed

    new: Callable[[], CData]
    """Makes a status."""
    delete: Callable[[CData], None]
    """Frees a status."""
    _set: Callable[[CData, int, CData], None]
    _code: Callable[[CData], int]
    _message: Callable[[CData], CData]

    def __getattr__(self, name: str) -> CData:
        """Look a function up when it is needed first."""
        if name not in self.__dict__.get("_names", ()):
            raise AttributeError(name)
        symbols, function = self._names[name]
        found = getattr(symbols, function)
        symbols.watch(self.__dict__, name)
        self.__dict__[name] = found
        return found

    def check(self, status: CData) -> None:
        """Raise the error that a status reports, unless it means success.

        Raises:
            StatusError: the status holds another code than that for success.
        """
        code = self._code(status)
        if code != self._ok:
            raise StatusError(self._code_type(code), text(self._message(status)) or "")

    def call(self, function: CData, *arguments: CData) -> CData:
        """Call a function whose last parameter is a status; gives its result.

        Raises:
            StatusError: it says that it has failed.
        """
        status = self.new()
        try:
            result = function(*arguments, status)
            if self._code(status) != self._ok:
                self.check(status)
            return result
        finally:
            self.delete(status)

    def call_at(self, place: int, function: CData, *arguments: CData) -> CData:
        """Call a function whose status is not its last argument; return its result.

        Args:
            place: the number of parameters before the status.
            function: a pointer to it.
            arguments: without the status.

        Raises:
            StatusError: it says that it has failed.
        """
        status = self.new()
        try:
            result = function(*arguments[:place], status, *arguments[place:])
            if self._code(status) != self._ok:
                self.check(status)
            return result
        finally:
            self.delete(status)

    def report(self, status: CData, error: Exception) -> None:
        """Store an exception in a status."""
        code = int(error.code) if isinstance(error, StatusError) else self._failed
        self._set(status, code, characters(_message(error)))
