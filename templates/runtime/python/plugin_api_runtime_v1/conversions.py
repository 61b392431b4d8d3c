"""Converts values between C and Python: one object per kind of value."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, MutableSequence
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeAlias, TypeVar, overload

from _cffi_backend import string  # type: ignore[import-untyped, import-not-found, unused-ignore]

from .memory import (
    NULL,
    Pointed,
    address_of,
    buffer,
    discard,
    elements,
    is_cdata,
    memory,
    text,
    unwrap,
    wrap,
)
from .memory import ffi as plain_ffi
from .storage import Storage, holding, storage_of

if TYPE_CHECKING:
    from .handles import Handle
    from .memory import CData, Pointer
    from .structs import Struct

Read = TypeVar("Read")
"""The type of a value that is read."""
Write_contra = TypeVar("Write_contra", contravariant=True)
"""The type of a value that may be written."""
AnyStruct = TypeVar("AnyStruct", bound="Struct")
AnyHandle = TypeVar("AnyHandle", bound="Handle")
AnyNumber = TypeVar("AnyNumber", bound=int)
Raw: TypeAlias = "Callable[[Any], Any]"
"""Reads a member of a struct."""


class Conversion(Generic[Read, Write_contra]):
    """A kind of value; this one passes values on as cffi gives and takes them."""

    plain = False
    """True if values are passed on as they are."""
    keeps = False
    """True if an object must live as long as the stored value."""
    pins = False
    """True if the loaded value must keep alive the objects that are kept for its place."""

    @property
    def stores_as_given(self) -> bool:
        """True if cffi takes an assigned value as it is, and no object has to live as long as the value."""
        kind = type(self)
        converts = (
            kind.store is not Conversion.store or kind.settle is not Conversion.settle
        )
        return not converts and not self.keeps

    def load(self, value: CData, owner: object = None) -> Read:
        """Make the Python value.

        Args:
            value: the value of cffi.
            owner: an object that must live as long as the result.
        """
        result: Read = value
        return result

    def getter(self, raw: Raw, field: str) -> Raw:
        """Return a function that reads a member of a struct.

        Args:
            raw: returns the value of cffi for the member of an object.
            field: the member's name in C.
        """
        load = self.load
        if self.pins:
            return lambda struct: load(raw(struct), struct.kept(field))
        return lambda struct: load(raw(struct), struct)

    def store(self, value: Write_contra) -> CData:
        """Return the value that cffi takes."""
        return value

    def settle(self, value: Any) -> Any:
        """Return the value to store, in a form that can be iterated more than once."""
        return value

    def keep(
        self, storage: Storage, place: int, ctype: Any, value: Any, stored: CData
    ) -> None:
        """Keep a stored value alive until another one is stored in its place.

        Args:
            storage: the memory that contains it.
            place: the address there.
            ctype: its type, as cffi has it.
            value: the stored value, as Python has it.
            stored: the same, as cffi took it.
        """
        what = None if value is None else (stored, value)
        storage.keep(place, plain_ffi.sizeof(ctype), what)


class _Plain(Conversion[Read, Write_contra]):
    """A value that is the same on both sides."""

    plain = True

    def getter(self, raw: Raw, field: str) -> Raw:
        return raw


class _LongDouble(Conversion[float, float]):
    """A number that cffi may give as a `long double` of its own."""

    def load(self, value: CData, owner: object = None) -> float:
        return float(value)


class _Text(Conversion["str | None", "str | bytes | CData | None"]):
    """Characters up to NUL."""

    keeps = True

    def load(self, value: CData, owner: object = None) -> str | None:
        return text(value)

    def getter(self, raw: Raw, field: str) -> Raw:
        def get(struct: Struct) -> str | None:
            value = raw(struct)
            return string(value).decode("utf-8", "surrogateescape") if value else None

        return get

    def store(self, value: str | bytes | CData | None) -> CData:
        if isinstance(value, str):
            value = value.encode("utf-8", "surrogateescape")
        return (
            plain_ffi.new("char[]", value)
            if isinstance(value, bytes)
            else memory(value)
        )


class _Characters(Conversion[str, "str | bytes"]):
    """Text in an array, up to NUL or to the array's end."""

    def __init__(self, length: int) -> None:
        """Describe an array.

        Args:
            length: the number of its characters.
        """
        self._length = length

    def load(self, value: CData, owner: object = None) -> str:
        result: bytes = string(value)
        return result.decode("utf-8", "surrogateescape")

    def getter(self, raw: Raw, field: str) -> Raw:
        return lambda struct: string(raw(struct)).decode("utf-8", "surrogateescape")

    def store(self, value: str | bytes) -> CData:
        """Return the value that cffi takes; bytes may fill the whole array, text leaves room for NUL.

        Raises:
            TypeError: it is neither text nor bytes.
            ValueError: it is too long, or text with NUL in it.
        """
        if isinstance(value, str):
            plain, room = value.encode("utf-8", "surrogateescape"), self._length - 1
            if "\0" in value:
                raise ValueError("text in C cannot have NUL in it")
        elif is_cdata(value) or not isinstance(value, (bytes, bytearray, memoryview)):
            raise TypeError(f"{type(value).__name__} where text is expected")
        else:
            plain, room = bytes(value), self._length
        if len(plain) > room:
            raise ValueError(f"{len(plain)} bytes of text where {room} have room")
        return plain.ljust(self._length, b"\0")


class _Pointer(Conversion["CData", "Pointer"]):
    """An address, of which nothing is known but the type."""

    keeps = pins = True

    def load(self, value: CData, owner: object = None) -> CData:
        return value if owner is None or not value else holding(value, owner)

    def store(self, value: Pointer) -> CData:
        return memory(value)


class _Elements(_Pointer):
    """An address of numbers."""

    def __init__(self, ffi: Any, ctype: str) -> None:
        self._ffi = ffi
        self._ctype = ctype

    def store(self, value: Pointer) -> CData:
        if isinstance(value, (list, tuple)):
            return self._ffi.new(self._ctype, value)
        return elements(self._ffi, self._ctype, value)


class _Object(Conversion[Any, Any]):
    """A Python object that C passes back by a pointer; it lives until the last time that C does so."""

    def __init__(self, *, is_last: bool = False) -> None:
        self._is_last = is_last

    def load(self, value: CData, owner: object = None) -> Any:
        result = unwrap(value) if value else None
        if self._is_last:
            discard(value)
        return result

    def store(self, value: Any) -> CData:
        return NULL if value is None else wrap(value)


class _Nothing(Conversion[None, None]):
    """The result of a function that has none."""

    def load(self, value: CData, owner: object = None) -> None:
        return None


class _Enumeration(Conversion[AnyNumber, int]):
    """A value of an enumeration."""

    def __init__(self, type: Callable[[int], AnyNumber]) -> None:
        self._type = type

    def load(self, value: CData, owner: object = None) -> AnyNumber:
        return self._type(value)

    def getter(self, raw: Raw, field: str) -> Raw:
        type = self._type
        known: dict[int, AnyNumber] = getattr(type, "_value2member_map_", {})

        def get(struct: Struct) -> AnyNumber:
            value = raw(struct)
            found = known.get(value)
            return type(value) if found is None else found

        return get


class _StructPointer(Conversion[AnyStruct, "AnyStruct | None"]):
    """A pointer to a struct."""

    keeps = pins = True

    def __init__(self, type: Callable[[], type[AnyStruct]]) -> None:
        self._type = type

    def load(self, value: CData, owner: object = None) -> AnyStruct:
        return self._type().at(value, owner)

    def store(self, value: AnyStruct | None) -> CData:
        return NULL if value is None else value.cdata


class _StructValue(Conversion[AnyStruct, AnyStruct]):
    """A struct itself: as a member it is a view, as an argument a copy."""

    keeps = True

    def __init__(self, type: Callable[[], type[AnyStruct]]) -> None:
        self._type = type

    def load(self, value: CData, owner: object = None) -> AnyStruct:
        return self._type().within(value, owner)

    def getter(self, raw: Raw, field: str) -> Raw:
        type = self._type

        def get(struct: Struct) -> Any:
            try:
                return struct._parts[field]
            except (AttributeError, KeyError):
                return struct.part(field, type, raw(struct))

        return get

    def store(self, value: AnyStruct) -> CData:
        return value.cdata[0]

    def keep(
        self, storage: Storage, place: int, ctype: Any, value: Any, stored: CData
    ) -> None:
        _keep_copied(storage, place, ctype, value.cdata)


class _HandleValue(Conversion[AnyHandle, "AnyHandle | None"]):
    """An opaque handle."""

    keeps = True

    def __init__(self, type: Callable[[], type[AnyHandle]]) -> None:
        self._type = type

    def load(self, value: CData, owner: object = None) -> AnyHandle:
        return self._type()(value)

    def store(self, value: AnyHandle | None) -> CData:
        return NULL if value is None else value.cdata


class Array(Pointed, MutableSequence[Read]):
    """A view of consecutive elements in memory that belongs to another object."""

    __slots__ = ("_conversion", "_length", "_owner", "cdata", "storage")

    def __init__(
        self,
        cdata: CData,
        length: int,
        conversion: Conversion[Read, Any],
        owner: object = None,
    ) -> None:
        """View elements.

        Args:
            cdata: an array or a pointer to the first element.
            length: the number of elements.
            conversion: of an element.
            owner: the object that keeps the memory alive, if it is not Python's.
        """
        self.cdata = cdata
        self.storage = storage_of(cdata)
        self._length = length
        self._conversion = conversion
        self._owner = owner

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> Read: ...

    @overload
    def __getitem__(self, index: slice) -> list[Read]: ...

    def __getitem__(self, index: int | slice) -> Read | list[Read]:
        if isinstance(index, slice):
            return [self[each] for each in range(*index.indices(self._length))]
        place = self._checked_index(index)
        owner: object = self
        if self._conversion.pins:
            owner = self.storage.kept(self._place(place))
        return self._conversion.load(self.cdata[place], owner)

    @overload
    def __setitem__(self, index: int, value: Any) -> None: ...

    @overload
    def __setitem__(self, index: slice, value: Iterable[Any]) -> None: ...

    def __setitem__(self, index: int | slice, value: Any) -> None:
        if not isinstance(index, slice):
            place = self._checked_index(index)
            value = self._conversion.settle(value)
            self.cdata[place] = stored = self._conversion.store(value)
            if self._conversion.keeps:
                ctype = plain_ffi.typeof(self.cdata).item
                self._conversion.keep(
                    self.storage, self._place(place), ctype, value, stored
                )
            return
        places, values = range(*index.indices(self._length)), list(value)
        if len(places) != len(values):
            raise ValueError(f"{len(values)} values for {len(places)} elements")
        for place, each in zip(places, values, strict=True):
            self[place] = each

    def __delitem__(self, index: int | slice) -> None:
        raise TypeError("an array in C keeps its length")

    def insert(self, index: int, value: Any) -> None:
        """Refuse: an array in C keeps its length."""
        raise TypeError("an array in C keeps its length")

    def __iter__(self) -> Iterator[Read]:
        return (self[index] for index in range(self._length))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, (Array, list, tuple)) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(list(self))

    def memory(self) -> memoryview:
        """Return the memory, not copied; it keeps alive the object that contains the array."""
        item = plain_ffi.getctype(plain_ffi.typeof(self.cdata).item, "*")
        return buffer(holding(plain_ffi.cast(item, self.cdata), self), self._length)

    def _place(self, index: int) -> int:
        size = plain_ffi.sizeof(plain_ffi.typeof(self.cdata).item)
        place: int = address_of(self.cdata) + index * size
        return place

    def _checked_index(self, index: int) -> int:
        if not -self._length <= index < self._length:
            raise IndexError(f"element {index} of {self._length}")
        return index % self._length


class _ArrayValue(Conversion["Array[Read]", "Iterable[Any]"]):
    """An array that is a member."""

    def __init__(self, item: Conversion[Read, Any]) -> None:
        self._item = item
        self.keeps = item.keeps

    def load(self, value: CData, owner: object = None) -> Array[Read]:
        return Array(value, len(value), self._item, owner)

    def store(self, value: Iterable[Any]) -> CData:
        if isinstance(value, Pointed):
            return value.cdata
        if is_cdata(value) or isinstance(value, bytes):
            return value
        return [self._item.store(each) for each in value]

    def settle(self, value: Any) -> Any:
        if is_cdata(value) or isinstance(value, (bytes, Pointed)):
            return value
        return [self._item.settle(each) for each in value]

    def keep(
        self, storage: Storage, place: int, ctype: Any, value: Any, stored: CData
    ) -> None:
        if not isinstance(stored, list):
            _keep_copied(storage, place, ctype, stored)
            return
        size = plain_ffi.sizeof(ctype.item)
        for at, (each, one) in enumerate(zip(value, stored, strict=True)):
            self._item.keep(storage, place + at * size, ctype.item, each, one)


def _keep_copied(storage: Storage, place: int, ctype: Any, source: CData) -> None:
    """Keep the objects to which copied bytes point alive as long as the copy."""
    size = plain_ffi.sizeof(ctype)
    storage.copy(place, size, storage_of(source), address_of(source))


class Callback(Protocol):
    """A converter of functions: a `Signature`."""

    def load(self, value: CData, owner: object = None) -> Any:
        """Return a Python function that calls a C function; None for NULL."""

    def store(self, value: Any) -> CData:
        """Return a C function that calls a Python function; NULL for None."""


class _FunctionPointer(Conversion[Any, Any]):
    """A pointer to a function."""

    keeps = pins = True

    def __init__(self, signature: Callable[[], Callback]) -> None:
        self._signature = signature

    def load(self, value: CData, owner: object = None) -> Any:
        return self._signature().load(value, owner)

    def store(self, value: Any) -> CData:
        return self._signature().store(value)


INT: Conversion[int, int] = _Plain()
"""An integer."""
BOOL: Conversion[bool, bool] = _Plain()
"""A truth value."""
CHAR: Conversion[bytes, bytes] = _Plain()
"""A character, as bytes of length 1."""
WIDE_CHAR: Conversion[str, str] = _Plain()
"""A character, as a string of length 1."""
COMPLEX: Conversion[complex, complex] = _Plain()
"""A complex number."""
FLOAT: Conversion[float, float] = _Plain()
"""A floating point number."""
LONG_DOUBLE = _LongDouble()
"""A `long double`, for which Python has no type."""
TEXT = _Text()
"""Characters up to NUL, as a string; bytes may be given as well."""
POINTER = _Pointer()
"""An address. Given may be anything that has a buffer, whose memory is then used as it is."""
OBJECT = _Object()
"""A Python object, by a pointer that represents it."""
LAST_OBJECT = _Object(is_last=True)
"""The same for the last time."""
NOTHING = _Nothing()
"""The result of a function without result: None."""

enumeration = _Enumeration
struct_pointer = _StructPointer
struct_value = _StructValue
handle = _HandleValue
array = _ArrayValue
function_pointer = _FunctionPointer
elements_at = _Elements
text_in = _Characters
