"""Memory that both sides see: buffers, text, and objects whose address C holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias, TypeVar

import cffi  # type: ignore[import-untyped, unused-ignore]
from _cffi_backend import string  # type: ignore[import-untyped, import-not-found, unused-ignore]

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from typing_extensions import Buffer

AnyValue = TypeVar("AnyValue")
CData: TypeAlias = Any
"""A value of cffi's."""
Object: TypeAlias = Any
"""A Python object that C passes back unchanged."""
Implementation: TypeAlias = "Callable[..., Any] | None"
"""The type of a function that is passed when an object is made; assigning has a more exact type."""
UNSET: Any = ...
"""For type checkers: the default of a member that is not given."""
Pointer: TypeAlias = "Buffer | Sequence[int] | Sequence[float] | Pointed | CData | None"
"""The type of a pointer argument: an object with a buffer, used as it is; a sequence, copied for one call; None."""

ffi: Any = cffi.FFI()
"""For types that C itself has."""
NULL: CData = ffi.NULL
"""The pointer to nothing."""
VOID_POINTER: Any = ffi.typeof(NULL)
"""The type of a pointer to `void`, as cffi has it."""

_CDATA = ffi.CData
_INTEGERS = {1: "b", 2: "h", 4: "i", 8: "q"}
_NOT_INTEGERS = frozenset({"_Bool", "char", "wchar_t", "char16_t", "char32_t"})
_AS_THEY_ARE = (_CDATA, list, tuple)
_BYTES = ffi.typeof("char[]")


class Pointed:
    """An object that has a pointer in `cdata`, and that may be passed as a pointer."""

    __slots__ = ()

    cdata: CData
    """The pointer, for use with cffi."""


_wrapped: dict[int, object] = {}


def is_cdata(value: object) -> bool:
    """True if a value is one of cffi's."""
    return isinstance(value, _CDATA)


def memory(value: Pointer) -> CData:
    """Return the value that cffi takes for a pointer to memory of any kind that C reads; nothing is copied.

    Args:
        value: a value of cffi's, an object with a buffer (`bytes`, `bytearray`, `memoryview`, an array of numpy's), a
            sequence of numbers, or None.

    Raises:
        BufferError: the object's memory is not contiguous.
        TypeError: it has no buffer.
    """
    if value is None:
        return NULL
    if isinstance(value, _AS_THEY_ARE):
        return value
    if isinstance(value, Pointed):
        return value.cdata
    return ffi.from_buffer(_BYTES, value)


def writable(value: Pointer) -> CData:
    """Return the value that cffi takes for a pointer to memory of any kind that C writes to; see `memory`.

    Raises:
        BufferError: the object's memory may only be read, or is not contiguous.
        TypeError: it has no buffer.
    """
    if value is None:
        return NULL
    if isinstance(value, _AS_THEY_ARE):
        return value
    if isinstance(value, Pointed):
        return value.cdata
    return ffi.from_buffer(_BYTES, value, True)


def elements(ffi: Any, ctype: str, value: Pointer, *, writable: bool = False) -> CData:
    """Return the value that cffi takes for a pointer to numbers; nothing is copied.

    Args:
        ffi: of cffi, which knows the type.
        ctype: the array that the memory is: `int64_t[]`.
        value: as for `memory`.
        writable: true if C writes to it.

    Raises:
        BufferError: the object's memory may only be read, or is not contiguous.
        TypeError: it has no buffer, or one of elements of another size.
    """
    if value is None:
        return NULL
    if isinstance(value, _AS_THEY_ARE):
        return value
    if isinstance(value, Pointed):
        return value.cdata
    _check_elements(ffi, ctype, memoryview(value))  # type: ignore[arg-type]
    return ffi.from_buffer(ctype, value, writable)


def _check_elements(ffi: Any, ctype: str, view: memoryview) -> None:
    """Refuse memory whose elements have another size than C expects, unless they are bytes."""
    size = ffi.sizeof(ffi.typeof(ctype).item)
    if view.itemsize != size and view.format not in ("B", "b", "c"):
        raise TypeError(
            f"elements of {view.itemsize} bytes, format {view.format!r}, where C expects {ctype}"
        )


def given(value: AnyValue | None, what: str) -> AnyValue:
    """Return the argument, or fail if it is NULL, where the API allows no NULL.

    Raises:
        TypeError: it is None, or a pointer that is NULL.
        ValueError: it is a handle that was closed or given away.
    """
    pointer = value.cdata if isinstance(value, Pointed) else value
    if value is None or (isinstance(pointer, _CDATA) and not pointer):
        raise TypeError(f"{what} cannot be None: the API allows no NULL there")
    return value


def refuse_none(function: str, /, **arguments: object) -> NoReturn:
    """Refuse None where the API states nothing about NULL; called by generated code.

    Args:
        function: its name in C.
        arguments: structs and handles, of which one is None.

    Raises:
        TypeError: always.
    """
    name = next(name for name, value in arguments.items() if value is None)
    raise TypeError(
        f"{function}: {name} cannot be None; null() of its class stands for NULL"
    )


def characters(value: str | bytes | CData | None) -> CData:
    """Return the value that cffi takes for characters that are read during one call."""
    if isinstance(value, bytes):
        return value
    if isinstance(value, str):
        return value.encode("utf-8", "surrogateescape")
    return memory(value)


def text(value: CData) -> str | None:
    """Return characters up to NUL as a string; None for NULL. Bytes that are no UTF-8 become lone surrogates."""
    if not value:
        return None
    result: bytes = string(value)
    return result.decode("utf-8", "surrogateescape")


def buffer(value: CData, length: int | None = None) -> memoryview:
    """Return the memory behind a pointer or of an array, not copied.

    Args:
        value: a pointer or an array.
        length: number of elements; None for all of an array, or for one behind a pointer.

    Returns:
        A view whose elements are numbers where the type is one of numbers, and bytes otherwise. It does not keep the
        memory alive.
    """
    item = ffi.typeof(value).item
    whole = (
        ffi.buffer(value)
        if length is None
        else ffi.buffer(value, length * ffi.sizeof(item))
    )
    view: Any = memoryview(whole).cast("B")
    result: memoryview = view.cast(_format(item))
    return result


def _format(item: Any) -> str:
    """Return the format of an element, as `struct` writes it."""
    if item.kind != "primitive":
        return "B"
    if item.cname in ("float", "double"):
        return "f" if item.cname == "float" else "d"
    size = ffi.sizeof(item)
    if item.cname in _NOT_INTEGERS or size not in _INTEGERS:
        return "?" if item.cname == "_Bool" else "B"
    return _INTEGERS[size] if int(ffi.cast(item, -1)) < 0 else _INTEGERS[size].upper()


def address_of(value: CData) -> int:
    """Return the address in a pointer."""
    return int(ffi.cast("uintptr_t", value))


def wrap(value: object) -> CData:
    """Make a pointer that represents a Python object, for C to pass back; the object lives until `discard`."""
    handle = ffi.new_handle(value)
    _wrapped[address_of(handle)] = handle
    return handle


def unwrap(pointer: CData) -> Any:
    """Return the object that a pointer from `wrap` represents.

    Raises:
        ValueError: the pointer is not from `wrap`, or its object has been discarded.
    """
    if address_of(pointer) not in _wrapped:
        raise ValueError(f"{pointer} stands for no Python object")
    return ffi.from_handle(ffi.cast("void*", pointer))


def discard(pointer: CData) -> None:
    """Release the object that a pointer from `wrap` represents."""
    _wrapped.pop(address_of(pointer), None)
