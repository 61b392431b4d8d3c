"""Structs: objects in C's memory, of which the other side may know fewer or more members."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from operator import attrgetter
from types import MethodType
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

from _cffi_backend import new_pointer_type, rawaddressof  # type: ignore[import-untyped, import-not-found, unused-ignore]

from .members import (
    Counted,
    FieldNotAvailable,
    FieldNotSet,
    FlexibleMember,
    Member,
    NullPointer,
)
from .memory import NULL, CData, Pointed, address_of, is_cdata
from .storage import FOREIGN, Storage, storage_of

if TYPE_CHECKING:
    from .functions import Adapter, Signature


AnyStruct = TypeVar("AnyStruct", bound="Struct")


class FunctionMember:
    """A member that points to a function."""

    def __init__(self, field: str, signature: Signature, since: str) -> None:
        self.field = field
        self.signature = signature
        self.since = since

    def set(self, instance: Struct, value: object) -> None:
        """Store a function: a Python function, one that another struct has, cffi's own, or None."""
        of_struct = getattr(value, "__self__", None)
        if (
            isinstance(of_struct, Struct)
            and of_struct.function(getattr(value, "__name__", "")) is self
        ):
            stored = getattr(of_struct.having(self.field), self.field)
        else:
            stored = self.signature.store(value)
        setattr(instance.having(self.field), self.field, stored)
        place, size = instance.place(self.field), instance.size_of(self.field)
        kept = None if value is None else (stored, value)
        instance.storage.keep(place, size, kept)


class StructType(type):
    """The class of struct classes: asks cffi about a type when the type is used first."""

    _computed = frozenset({"_pointer", "_ends", "unpadded_size"})

    def __getattr__(cls, name: str) -> Any:
        """Compute an attribute when it is first read; see `Struct` for the attributes."""
        owner = next((each for each in cls.__mro__ if each.__dict__.get("_name")), None)
        if name not in StructType._computed or owner is None:
            raise AttributeError(f"{cls.__name__} has no attribute {name}", name=name)
        ffi: Any = owner.__dict__["_ffi"]
        outer, *path = owner.__dict__["_name"].split(".")
        pointer = ffi.typeof(f"{outer} *")
        for field in path:  # to a struct without a name of its own
            pointer = new_pointer_type(dict(pointer.item.fields)[field].type)
        # cffi cannot be asked about an opaque type, which has no members.
        has_fields = owner.__dict__["_members"] or owner.__dict__["_functions"]
        fields = dict(pointer.item.fields or ()) if has_fields else {}
        ends = {field: _end(ffi, each) for field, each in fields.items()}
        type.__setattr__(owner, "_pointer", pointer)
        type.__setattr__(owner, "_ends", ends)
        type.__setattr__(owner, "unpadded_size", max(ends.values(), default=0))
        return owner.__dict__[name]


class Struct(Pointed, metaclass=StructType):
    """An object of a struct type: one of its own, or a view of one that belongs to someone else.

    The attributes are the struct's members. Members that point to functions are methods; assigning a Python function to
    one makes it the function that C calls. What is assigned stays alive as long as the object when that is Python's
    own, and until `forget` when it belongs to someone else.
    """

    __slots__ = ("__weakref__", "_owner", "_parts", "cdata", "storage")

    storage: Storage
    """The memory that contains it, which keeps the objects assigned to its members."""

    unpadded_size: ClassVar[int]
    """The offset at which the last member that this package knows ends, in bytes."""

    _ffi: ClassVar[Any] = None
    _name: ClassVar[str] = ""
    _pointer: ClassVar[Any]
    """The type of a pointer to it, as cffi has it."""
    _size_field: ClassVar[str] = ""
    _extension: ClassVar[tuple[str, int]] = ("", 0)
    """The member by which others know an extension, and its value."""
    _releases: ClassVar[tuple[tuple[str, str], ...]] = ()
    _ends: ClassVar[Mapping[str, int]]
    """The offset at which each member ends, in bytes, by its name in C."""
    _members: ClassVar[dict[str, Member[Any, Any]]] = {}
    _functions: ClassVar[dict[str, FunctionMember]] = {}
    _flexible: ClassVar[str] = ""
    """The member that is an array without a length; empty for none."""
    _owner: object
    _parts: dict[str, Any]
    """Views of members that are structs, by their names in C; not there before there are any."""
    _null: ClassVar[Any]

    def __init_subclass__(
        cls,
        *,
        ffi: Any = None,
        ctype: str = "",
        size_field: str = "",
        releases: Sequence[tuple[str, str]] = (),
        extension: tuple[str, int] = ("", 0),
    ) -> None:
        """Describe a struct.

        Args:
            ffi: of cffi, which knows the type.
            ctype: the type's name; empty for a class that only adds to another.
            size_field: the path of the member that states the size; empty for a struct of one size.
            releases: the releases that appended members, the oldest first, each with its last member.
            extension: the path of the member by which others know an extension, and its value.
        """
        super().__init_subclass__()
        if not ctype:
            return
        cls._ffi, cls._name = ffi, ctype
        cls._size_field, cls._extension = size_field, extension
        cls._releases = tuple(releases)
        cls._members = {
            name: each for name, each in vars(cls).items() if isinstance(each, Member)
        }
        cls._functions = {}
        for name, each in cls._members.items():
            each.bind(ctype, size_field)
            if isinstance(each, FlexibleMember):
                cls._flexible = name

    def __init__(self, **members: object) -> None:
        """Make an object with all members zero, but the size, which is that of this package's header.

        Args:
            members: values of members to begin with.
        """
        last: Any = members.get(self._flexible) if self._flexible else None
        length = {self._field(self._flexible): len(last)} if last is not None else None
        memory = self._ffi.new(type(self)._pointer, length)
        self._own_memory(Storage(memory, memory, self._ffi.sizeof(memory[0])), memory)
        self._begin(self.unpadded_size)
        _fill(self, members)

    @classmethod
    def at(cls, pointer: CData, owner: object = None) -> Self:
        """View the object that a pointer points to; NULL gives an object that is false.

        Where the memory is Python's, it lives as long as the view.

        Args:
            pointer: of any type, or an address.
            owner: another object that must live as long as the view.
        """
        if not pointer:
            cls = cls._null_type()
        self = cls.__new__(cls)
        if not pointer:
            pointer, storage = NULL, FOREIGN
        else:
            if isinstance(pointer, int) or cls._ffi.typeof(pointer) is not cls._pointer:
                owner = (pointer, owner)
                pointer = cls._ffi.cast(cls._pointer, pointer)
            storage = storage_of(pointer)
        set_cdata(self, pointer)
        set_storage(self, storage)
        set_owner(self, owner)
        return self

    @classmethod
    def null(cls) -> Self:
        """Return the struct that represents NULL where a pointer to such a struct is wanted."""
        return cls.at(NULL)

    @classmethod
    def within(cls, value: CData, owner: object = None) -> Self:
        """View a struct that is part of something else.

        Args:
            value: the struct itself.
            owner: the object that it is part of.
        """
        self = cls.__new__(cls)
        set_cdata(self, rawaddressof(cls._pointer, value, 0))
        set_storage(self, getattr(owner, "storage", FOREIGN))
        set_owner(self, owner)
        return self

    def part(self, field: str, type: Callable[[], Any], value: CData) -> Any:
        """Return the view of a struct that is a member: always the same.

        Args:
            field: the member's name in C.
            type: gives the class of the member.
            value: the member.
        """
        # What the whole needs to stay alive is enough; a part that held the whole would make a circle.
        part = type().within(value, self._owner)
        set_storage(part, self.storage)
        try:
            self._parts[field] = part
        except AttributeError:
            set_parts(self, {field: part})
        return part

    @classmethod
    def returned(cls, value: CData, *arguments: object) -> Self:
        """Hold a struct that a function has returned.

        Args:
            value: the struct itself.
            arguments: of the function; the struct may lead to what they lead to.
        """
        self = cls.__new__(cls)
        pointer = rawaddressof(cls._pointer, value, 0)
        storage = Storage(value, pointer, cls._ffi.sizeof(value))
        self._own_memory(storage, pointer)
        if arguments:
            storage.keep_all(arguments)
        return self

    @classmethod
    def _null_type(cls) -> type[Self]:
        """Return the class of the object that represents NULL, whose members cannot be read."""
        if "_null" not in cls.__dict__:
            made: Any = StructType(cls.__name__, (_Null, cls), {"__slots__": ()})
            made._null = cls._null = made
        null: type[Self] = cls.__dict__["_null"]
        return null

    def _begin(self, size: int) -> None:
        """Write the size of the struct; for an extension, also the value that identifies it."""
        for path, value in ((self._size_field, size), self._extension):
            *holders, name = path.split(".")
            holder = self.cdata
            for each in holders:
                holder = getattr(holder, each)
            if name:
                setattr(holder, name, value)

    def _size(self) -> int:
        """Return the size that it states."""
        return int(attrgetter(self._size_field)(self.cdata))

    def _own_memory(self, storage: Storage, pointer: CData) -> None:
        """Place it in memory of its own."""
        set_cdata(self, self._ffi.gc(pointer, storage))
        set_storage(self, storage)
        set_owner(self, None)

    @classmethod
    def for_release(cls, release: str, /, **members: object) -> Self:
        """Make an object as code compiled with an older release makes it, with that release's size.

        Args:
            release: the release, as the specification numbers them.
            members: values of members to begin with.

        Raises:
            ValueError: the struct is not versioned, or is younger than the release.
        """
        wanted = _number(release)
        lasts = [
            last
            for since, last in cls._releases
            if not since or _number(since) <= wanted
        ]
        if not lasts or not cls._size_field:
            raise ValueError(
                f"there was no {cls._name} in {release}"
                if cls._size_field
                else f"{cls._name} has no size"
            )
        size = cls._ends[lasts[-1]]
        memory = cls._ffi.new("char[]", size)
        self = cls.__new__(cls)
        self._own_memory(
            Storage(memory, memory, size), cls._ffi.cast(cls._pointer, memory)
        )
        self._begin(size)
        _fill(self, members)
        return self

    @classmethod
    def offset_of(cls, name: str) -> int:
        """Return the offset of a member, in bytes.

        Raises:
            AttributeError: the struct has no such member.
        """
        return int(cls._ffi.offsetof(cls._pointer.item, cls._field(name)))

    @classmethod
    def type_of(cls, field: str) -> Any:
        """Return the type of a member by its name in C, as cffi has it."""
        return dict(cls._pointer.item.fields)[field].type

    @classmethod
    def _item_of(cls, field: str) -> Any:
        """Return the type to which a member points, by its name in C, as cffi has it; bytes for `void`."""
        item = cls.type_of(field).item
        return cls._ffi.typeof("unsigned char") if item.kind == "void" else item

    @classmethod
    def member_names(cls) -> tuple[str, ...]:
        """Return the names of all members that this package knows, in their order."""
        names = {each.field: name for name, each in cls._members.items()}
        names |= {each.field: name for name, each in cls._functions.items()}
        return tuple(names[field] for field in cls._ends if field in names)

    @classmethod
    def describe(
        cls,
        name: str,
        adapter: Adapter,
        *,
        field: str = "",
        since: str = "",
        failed: object = None,
        scope: str = "",
        unsaid: bool = False,
    ) -> None:
        """Describe a member that points to a function; called by generated code.

        Args:
            name: the member's name in Python.
            adapter: converts a Python function to one that takes and gives values of C.
            field: the member's name in C; empty where Python has the same.
            since: the release that brought it; empty when it has always been there.
            failed: the result for C if a Python function raises; None for zero.
            scope: the time in which C calls it: `static` for ever; empty for the life of the struct.
            unsaid: true if it has a result, and the API does not define which results mean failure.
        """
        from .functions import Signature

        field = field or name
        signature = Signature(
            cls._ffi,
            lambda: dict(cls._pointer.item.fields)[field].type,
            adapter,
            failed=failed,
            scope=scope,
            unsaid=unsaid,
        )
        member = FunctionMember(field, signature, since)
        call = vars(cls)[name]
        # A property that makes the method without a step in Python; assigning takes no `__setattr__` then.
        method = partial(MethodType, call)
        setattr(cls, name, property(method, member.set, doc=call.__doc__))
        cls._functions[name] = member

    @classmethod
    def function(cls, name: str) -> FunctionMember | None:
        """Return the member of that name that points to a function; None when there is none."""
        return cls._functions.get(name)

    def has(self, name: str) -> bool:
        """True if the object is large enough to have a member.

        Raises:
            AttributeError: no release known here has such a member.
        """
        field = self._field(name)
        return not self._size_field or self._ends[field] <= self._size()

    def is_set(self, name: str) -> bool:
        """True if the object has a member and it is not zero.

        Raises:
            AttributeError: no release known here has such a member.
        """
        return self.has(name) and bool(getattr(self.cdata, self._field(name)))

    def having(self, field: str) -> CData:
        """Return the pointer, after a look at whether there is such a member.

        Args:
            field: the member's name in C.

        Raises:
            FieldNotAvailable: the object is too small.
            NullPointer: there is no object.
        """
        cdata = self.cdata
        if not cdata:
            raise NullPointer(
                f"{self._name}.{field}: the pointer to the struct is NULL", name=field
            )
        if self._size_field:
            size = self._size()
            if size < self._ends[field]:
                raise FieldNotAvailable(
                    self._name,
                    field,
                    self._since(field),
                    size,
                    self._ends[field],
                    self._release_of(size),
                )
        return cdata

    def new_array(self, field: str, values: list[Any] | int) -> CData:
        """Allocate memory of Python's for the elements of a member; return a pointer that keeps it.

        Args:
            field: the member's name in C.
            values: the elements, or how many there are.
        """
        item = self._item_of(field)
        memory = self._ffi.new(self._ffi.getctype(item, "[]"), values)
        storage = Storage(memory, memory, self._ffi.sizeof(memory))
        return self._ffi.gc(
            self._ffi.cast(self._ffi.getctype(item, "*"), memory), storage
        )

    def unset(self, field: str) -> CData:
        """Refuse to call a function that is not there; generated code asks.

        Raises:
            FieldNotSet: always.
        """
        raise FieldNotSet(
            f"{self._name}.{field} is NULL: the other side has not set it"
        )

    def place(self, field: str) -> int:
        """Return the address of a member by its name in C."""
        type = self._pointer.item
        return address_of(self.cdata) + int(self._ffi.offsetof(type, field))

    def size_of(self, field: str) -> int:
        """Return the size of a member by its name in C, in bytes."""
        return int(self._ffi.sizeof(self.type_of(field)))

    def kept(self, field: str) -> object:
        """Return the object that was assigned here to a member, by its name in C; None if there is none."""
        return self.storage.kept(self.place(field))

    def forget(self) -> None:
        """Release the values that were assigned to members, if the object is in memory that is not Python's."""
        if self.storage is FOREIGN:
            FOREIGN.drop(address_of(self.cdata), max(self._ends.values(), default=0))

    def __bool__(self) -> bool:
        return bool(self.cdata)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Struct)
            and self._name == other._name
            and bool(self.cdata == other.cdata)
        )

    def __hash__(self) -> int:
        return hash((self._name, address_of(self.cdata)))

    def __repr__(self) -> str:
        if not self:
            return f"<{self._name} NULL>"
        parts = []
        for name in self.member_names():
            if not self.has(name):
                parts.append("...")
                break
            parts.append(f"{name}={_shown(self, name)}")
        return f"{self._name}({', '.join(parts)})"

    @classmethod
    def _field(cls, name: str) -> str:
        """Return the name in C of a member by its name in Python."""
        found = cls._members.get(name) or cls._functions.get(name)
        if found is None:
            from difflib import get_close_matches

            close = get_close_matches(name, cls.member_names(), 1)
            hint = f"; did you mean {close[0]}?" if close else ""
            raise AttributeError(f"{cls._name} has no member {name}{hint}", name=name)
        return found.field

    @classmethod
    def _since(cls, field: str) -> str:
        members: list[Member[Any, Any] | FunctionMember] = [
            *cls._members.values(),
            *cls._functions.values(),
        ]
        return next((each.since for each in members if each.field == field), "")

    @classmethod
    def _release_of(cls, size: int) -> str:
        """Return the last release whose struct fits into so many bytes."""
        found = ""
        for since, last in cls._releases:
            if cls._ends[last] > size:
                return found or f"before {since}"
            found = since
        return found


set_cdata: Callable[[Struct, object], None] = vars(Struct)["cdata"].__set__
set_parts: Callable[[Struct, object], None] = vars(Struct)["_parts"].__set__
set_storage: Callable[[Struct, object], None] = vars(Struct)["storage"].__set__
set_owner: Callable[[Struct, object], None] = vars(Struct)["_owner"].__set__


class _Null:
    """The behaviour of the objects that represent NULL."""

    __slots__ = ()

    def __getattribute__(self, name: str) -> Any:
        """Refuse to read a member.

        Raises:
            NullPointer: always, for the name of a member.
        """
        member = type(self)._members.get(name)  # type: ignore[attr-defined]
        if member is not None:
            self.having(member.field)
        return object.__getattribute__(self, name)

    def __setattr__(self, name: str, value: object) -> None:
        """Refuse to write a member.

        Raises:
            NullPointer: always, for the name of a member.
        """
        member = type(self)._members.get(name)  # type: ignore[attr-defined]
        if member is not None:
            self.having(member.field)
        object.__setattr__(self, name, value)


_known: set[type] = set()
"""The classes whose types have been looked at."""
_new: Any = object.__new__


def view(cls: type[AnyStruct], pointer: CData) -> AnyStruct:
    """View the object that a pointer of the right type points to; see `Struct.at`."""
    if not pointer or cls not in _known:
        _known.add(cls)
        _ = cls._pointer  # is computed when it is asked for first
        return cls.at(pointer)
    self: AnyStruct = _new(cls)
    set_cdata(self, pointer)
    set_storage(self, storage_of(pointer))
    set_owner(self, None)
    return self


def _fill(struct: Struct, members: Mapping[str, object]) -> None:
    """Assign members; those that set their number as well come first, so that a number that is given counts."""
    known = struct._members
    counted = [each for each in members if isinstance(known.get(each), Counted)]
    for name in dict.fromkeys((*counted, *members)):
        if not hasattr(type(struct), name):
            struct._field(name)
        setattr(struct, name, members[name])


def _end(ffi: Any, field: Any) -> int:
    """Return the offset at which a member ends, in bytes; a flexible array has no size."""
    length = getattr(field.type, "length", 0) if field.type.kind == "array" else 0
    if field.bitsize >= 0:
        return int(field.offset + (field.bitshift + field.bitsize + 7) // 8)
    return int(field.offset + (0 if length is None else ffi.sizeof(field.type)))


def _number(release: str) -> tuple[int, ...]:
    return tuple(map(int, release.split(".")))


def _is_pointer(struct: Struct, name: str) -> bool:
    return bool(struct.type_of(struct._field(name)).kind == "pointer")


def _shown(struct: Struct, name: str) -> str:
    """Return a member's value for people: structs in short, pointers by their address."""
    member = struct._members.get(name)
    value = (
        member.read(struct) if member else getattr(struct.cdata, struct._field(name))
    )
    if isinstance(value, Struct) and _is_pointer(struct, name):
        return f"<{value._name} at {address_of(value.cdata):#x}>" if value else "NULL"
    if is_cdata(value):
        try:
            return f"{address_of(value):#x}" if value else "NULL"
        except TypeError:
            return repr(value)
    return repr(value)
