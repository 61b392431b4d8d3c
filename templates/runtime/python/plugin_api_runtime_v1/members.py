"""Members of structs as attributes of classes, and the exceptions for missing ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Sized
from operator import attrgetter
from typing import (
    TYPE_CHECKING,
    Any,
    Concatenate,
    Generic,
    ParamSpec,
    Self,
    TypeVar,
    cast,
    overload,
)

from .functions import deprecated
from .memory import NULL, CData, Pointed, address_of, elements, is_cdata, memory

if TYPE_CHECKING:
    from .conversions import Array, Conversion
    from .memory import Pointer
    from .structs import Struct

Read = TypeVar("Read")
Write_contra = TypeVar("Write_contra", contravariant=True)
AnyStruct_contra = TypeVar("AnyStruct_contra", bound="Struct", contravariant=True)
Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


class FieldNotAvailable(AttributeError):
    """The other side's struct is too small to have a member: it was compiled with another release of the header."""

    def __init__(
        self, struct: str, member: str, since: str, size: int, needed: int, release: str
    ) -> None:
        """Describe the missing member.

        Args:
            struct: its name.
            member: the member that is not there.
            since: the release that brought the member; empty when nobody knows.
            size: the size that the object states, in bytes.
            needed: the size from which on the member is there, in bytes.
            release: the release that such a size belongs to, or `before` one; empty when nobody knows.
        """
        self.struct, self.member, self.since = struct, member, since
        self.size, self.needed, self.release = size, needed, release
        came = f"came with {since}" if since else "is not there"
        of = "" if release.startswith("before") else "of "
        other = f", as {of}{release}" if release else ""
        super().__init__(
            f"{struct}.{member} {came}: the object has {size} bytes{other}, and {needed} are needed",
            name=member,
        )


class NullPointer(AttributeError):
    """A member was asked for of a struct that a NULL pointer points to."""


class FieldNotSet(RuntimeError):
    """A function was called that the other side has left NULL."""


class Member(property, Generic[Read, Write_contra]):
    """A member that is data."""

    def __init__(
        self,
        conversion: Conversion[Read, Write_contra],
        *,
        field: str = "",
        since: str = "",
        deprecated: str = "",
    ) -> None:
        """Describe a member.

        Args:
            conversion: between C's value and Python's.
            field: its name in C; empty where Python has the same.
            since: the release that brought it; empty when it has always been there.
            deprecated: the message for readers of a deprecated member; empty for others.
        """
        super().__init__()
        self.conversion = conversion
        self.field = field
        self.since = since
        self._deprecated = deprecated

    def __set_name__(self, owner: type[Struct], name: str) -> None:
        self.field = self.field or name

    read: Callable[[Any], Any]
    """Reads it without a warning."""

    def bind(self, struct: str, size_field: str) -> None:
        """Make the functions that read and write it; both check the size first.

        Args:
            struct: the struct's name.
            size_field: the member of the struct that tells its size; empty for a struct of one size.
        """
        field = self.field
        # A property is called without a step in Python where C's value is Python's.
        raw: Callable[[Any], Any] = attrgetter(f"cdata.{field}")

        size_of = attrgetter(size_field or field)
        known = 0  # asking for it each time takes long

        def get_within(instance: Struct) -> Any:
            nonlocal known
            table = instance.cdata
            known = known or instance.unpadded_size
            if size_of(table) < known:
                instance.having(field)
            return getattr(table, field)

        if size_field not in ("", field):
            raw = get_within
        self.read = read = self._getter(raw)
        message = f"{struct}.{field} is deprecated: {self._deprecated}"

        def get_deprecated(instance: Struct) -> Any:
            deprecated(message)
            return read(instance)

        get = get_deprecated if self._deprecated else read
        super().__init__(get, self._setter(size_field))

    def _setter(self, size_field: str) -> Callable[[Any, Any], None]:
        """Return the function that writes: directly, if C's value needs no conversion and keeps nothing alive."""
        field = self.field
        plain = type(self) is Member and self.conversion.stores_as_given
        if not plain or "." in size_field:
            return self._set

        def set(instance: Struct, value: object) -> None:
            setattr(instance.cdata, field, value)

        known = 0

        def set_within(instance: Struct, value: object) -> None:
            nonlocal known
            table = instance.cdata
            known = known or instance.unpadded_size
            if getattr(table, size_field) < known:
                instance.having(field)
            setattr(table, field, value)

        return set_within if size_field else set

    def _getter(self, raw: Callable[[Any], Any]) -> Callable[[Any], Any]:
        return self.conversion.getter(raw, self.field)

    if TYPE_CHECKING:

        @overload  # type: ignore[override, unused-ignore]
        def __get__(self, instance: None, owner: type[Struct]) -> Self: ...

        @overload
        def __get__(self, instance: Struct, owner: type[Struct]) -> Read: ...

        def __get__(self, instance: Struct | None, owner: type[Struct]) -> Self | Read:
            """Read it."""

        def __set__(self, instance: Struct, value: Write_contra) -> None:
            """Write it."""

    def _set(self, instance: Struct, value: Write_contra) -> None:
        value = self.conversion.settle(value)
        stored = self.conversion.store(value)
        setattr(instance.having(self.field), self.field, stored)
        if self.conversion.keeps:
            ctype, place = instance.type_of(self.field), instance.place(self.field)
            self.conversion.keep(instance.storage, place, ctype, value, stored)


class Counted(Member[Read, Write_contra]):
    """A pointer beside a member that states the number of its elements.

    Assigning a list or a tuple copies its elements; an object with a buffer, an array of cffi's and a view of one are
    used as they are. All of these set the number of elements as well. With a plain pointer it is the caller's business.
    """

    def __init__(self, item: Conversion[Any, Any], count: str, **more: str) -> None:
        from .conversions import POINTER

        conversion = cast("Conversion[Any, Any]", POINTER)
        super().__init__(conversion, **more)
        self._item = item
        self._count = count

    def _set(self, instance: Struct, value: Any) -> None:
        from .conversions import Array

        table = instance.having(self.field)
        kept: object
        length: int | None
        if isinstance(value, (list, tuple)):
            plain = self._item.plain
            length = len(value)
            given = list(value) if plain else len(value)
            stored = instance.new_array(self.field, given)
            kept = array = Array(stored, len(value), self._item)
            if not plain:
                array[:] = value
        else:
            stored, length = _counted(instance, self.field, value)
            kept = None if value is None else (stored, value)
        if length is not None:
            setattr(instance.having(self._count), self._count, length)
        setattr(table, self.field, stored)
        place, size = instance.place(self.field), instance.size_of(self.field)
        instance.storage.keep(place, size, kept)


class CountedMember(Counted["Array[Read]", "Pointer | Sequence[Read]"], Generic[Read]):
    """A pointer to several elements, which can be read."""

    def __init__(self, item: Conversion[Read, Any], count: str, **more: str) -> None:
        """Describe a member.

        Args:
            item: of an element.
            count: the name in C of the member that counts them.
            more: as for `Member`.
        """
        super().__init__(item, count, **more)

    def _getter(self, raw: Callable[[Any], Any]) -> Callable[[Any], Any]:
        from .conversions import Array

        item, count, field = self._item, self._count, self.field

        def get(instance: Struct) -> Array[Read]:
            value = raw(instance)
            length = getattr(instance.having(count), count) if value else 0
            return Array(value, length, item, (instance, instance.kept(field)))

        return get


class CountedPointer(Counted["CData", "Pointer"]):
    """A pointer to memory of any kind, of so many bytes.

    It is read as the pointer that it is: the memory may be one that only a device can read.
    """

    def __init__(self, count: str, **more: str) -> None:
        """Describe a member; for the arguments see `CountedMember`."""
        from .conversions import INT

        super().__init__(INT, count, **more)


class FlexibleMember(Member["Array[Read]", "Sequence[Read]"], Generic[Read]):
    """An array without a length, which is the last member: it has the elements that the object was made with.

    In an object that belongs to someone else nothing says how many there are: slice its `cdata`.
    """

    def __init__(self, item: Conversion[Read, Any], **more: str) -> None:
        """Describe a member; `item` is the conversion of an element."""
        from .conversions import array

        super().__init__(array(item), **more)
        self._item = item

    def _getter(self, raw: Callable[[Any], Any]) -> Callable[[Any], Any]:
        from .conversions import Array

        def get(instance: Struct) -> Array[Read]:
            return Array(raw(instance), self._room(instance), self._item, instance)

        return get

    def _set(self, instance: Struct, value: Sequence[Read]) -> None:
        from .conversions import Array

        values, room = list(value), self._room(instance)
        if len(values) > room:
            raise ValueError(
                f"{instance._name}.{self.field} has room for {room} elements, not {len(values)}: "
                f"an object is made with the elements that it is to have"
            )
        place = getattr(instance.having(self.field), self.field)
        Array(place, len(values), self._item, instance)[:] = values

    def _room(self, instance: Struct) -> int:
        """Return the number of elements that fit behind the object; 0 in memory that is not Python's."""
        free = address_of(instance.storage.end) - instance.place(self.field)
        item = instance.type_of(self.field).item
        return max(0, free) // int(instance._ffi.sizeof(item))


def _counted(instance: Struct, field: str, value: Pointer) -> tuple[CData, int | None]:
    """Return a pointer to several values for cffi, and their number, in bytes for `void`; None if it is unknown."""
    stored: CData = value.cdata if isinstance(value, Pointed) else value
    if stored is None:
        return NULL, None
    ffi, of_bytes = instance._ffi, instance.type_of(field).item.kind == "void"
    if not is_cdata(stored):
        item = ffi.getctype(instance._item_of(field), "[]")
        stored = memory(value) if of_bytes else elements(ffi, item, value)
        return stored, len(stored)
    type = ffi.typeof(stored)
    several: Any = value if isinstance(value, Pointed) else stored
    if type.kind != "array" and (is_cdata(several) or not isinstance(several, Sized)):
        return stored, None
    return stored, len(several) * (ffi.sizeof(type.item) if of_bytes else 1)


if TYPE_CHECKING:

    class function(Generic[AnyStruct_contra, Parameters, Result]):
        """A member that points to a function: called as a method, set by assignment."""

        def __init__(
            self, call: Callable[Concatenate[AnyStruct_contra, Parameters], Result]
        ) -> None:
            """Describe it by the function that calls it."""

        @overload
        def __get__(self, instance: None, owner: type[Struct]) -> Self: ...

        @overload
        def __get__(
            self, instance: Struct, owner: type[Struct]
        ) -> Callable[Parameters, Result]: ...

        def __get__(self, instance: Struct | None, owner: type[Struct]) -> Any:
            """Return the function that calls it."""

        def __set__(
            self, instance: Struct, value: Callable[Parameters, Result] | None
        ) -> None:
            """Make C call a Python function."""

else:

    def function(call):
        """Mark a member that points to a function; `Struct.describe` makes it one."""
        return call
