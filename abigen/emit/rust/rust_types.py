"""How Rust spells what an API declares.

Rust lacks some of C's types. A struct that holds one is known by pointers only.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import cached_property
from pathlib import PurePosixPath

import msgspec

from abigen.emit.c.names import free_name
from abigen.model import ctype
from abigen.model.api import Api
from abigen.model.ctype import CType, Expression, FunctionType, Parameter
from abigen.model.entities import Field, Struct
from abigen.model.layout import Layouts
from abigen.model.span import AbigenError
from abigen.model.target import find_target

_KEYWORDS = frozenset(
    """
    as async await break const continue crate dyn else enum extern false fn for gen if impl in let loop match mod move
    mut pub ref return self Self static struct super trait true type unsafe use where while
    abstract become box do final macro override priv try typeof unsized virtual yield
    """.split()  # noqa: SIM905
)
# fmt: off
_BASIC = {
    "void": "c_void", "_Bool": "bool", "char": "c_char", "signed char": "i8", "unsigned char": "u8", "short": "i16",
    "unsigned short": "u16", "int": "i32", "unsigned int": "u32", "long": "c_long", "unsigned long": "c_ulong",
    "long long": "i64", "unsigned long long": "u64", "float": "f32", "double": "f64",
}
_STANDARD = {
    "size_t": "usize", "uintptr_t": "usize", "ssize_t": "isize", "ptrdiff_t": "isize", "intptr_t": "isize",
    "intmax_t": "i64", "uintmax_t": "u64", "char16_t": "u16", "char32_t": "u32", "wchar_t": "wchar_t",
}
# fmt: on
_EXACT = re.compile(r"(u?)int(?:_least)?(\d+)_t")
_CONVENTIONS = {"": "C", "cdecl": "C", "stdcall": "system"}
_PLATFORMS = ("x86_64-linux-gnu", "i686-linux-gnu", "x86_64-windows-msvc")
"""The data models that what Rust reads as a number has to agree on."""
_OF_SYSTEM = frozenset(
    """
    clock_t clockid_t dev_t gid_t id_t ino_t key_t mode_t nfds_t off_t pid_t sa_family_t sig_atomic_t socklen_t
    suseconds_t time_t uid_t useconds_t wint_t
    """.split()  # noqa: SIM905
)
"""Integers of the system's headers that the module of all APIs declares for each platform."""
_OF_PRELUDE = ("None", "Some", "Ok", "Err")
_VARIABLE_ARGUMENTS = frozenset({"va_list", "__builtin_va_list", "__gnuc_va_list"})
_ANY_FUNCTION = 'Option<unsafe extern "C" fn()>'
"""A pointer to a function that Rust cannot declare: it can be passed on, and asked whether it is NULL."""


def is_wrapped(struct: Struct) -> bool:
    """Whether Rust needs two structs: one is packed, and the other aligned."""
    return struct.alignment is not None and bool(struct.packed or struct.pack)


class RustMember(msgspec.Struct, frozen=True):
    """A member of a struct of Rust's: one of C's, bytes that hold bit-fields, or what aligns the struct."""

    name: str
    type: str = ""
    """Empty for bytes and for what aligns the struct, which depend on the platform."""
    field: Field | None = None
    bits: tuple[Field, ...] = ()


class UnknownTypeError(Exception):
    """Rust has no such type."""


def rust_name(name: str) -> str:
    """A name of C's as Rust takes it: `type_`, `Outer_member`."""
    plain = re.sub(r"\W+", "_", name, flags=re.ASCII).rstrip("_") if not name.isidentifier() else name
    return f"{plain}_" if plain in _KEYWORDS or not plain.strip("_") else plain


def module_name(spec: str, types: Collection[str]) -> str:
    """Return the module of a spec.

    Args:
        spec: its path; `spec/group/api.yaml` gives `api`.
        types: the names of the types that the spec declares. A module of such a name would hide the type.
    """
    name = rust_name(PurePosixPath(spec).stem)
    name = f"_{name}" if name[0].isdigit() else name
    return f"{name}_api" if name in types else name


class RustTypes:
    """Spells the types of one API."""

    def __init__(self, api: Api) -> None:
        """Use the names of an API.

        Args:
            api: where structs, enumerations and typedefs are looked up.
        """
        self.api = api
        self.layouts = tuple(Layouts(api, find_target(each)) for each in _PLATFORMS)
        self._known: dict[str, bool] = {}

    def spell(self, type: CType) -> str:
        """Spell a type.

        Raises:
            UnknownTypeError: Rust has no such type.
        """
        match type:
            case ctype.Qualified(inner, qualifiers) if "_Atomic" not in qualifiers:
                return self.spell(inner)
            case ctype.Basic(name) if name in _BASIC:
                return _BASIC[name]
            case ctype.NamedType(name):
                return self._named(name)
            case ctype.RecordType(key) if self.is_known(key):
                return rust_name(key)
            case ctype.EnumType(key):
                return self.integer_of(key) if self.api.enums[key].anonymous else rust_name(key)
            case ctype.Pointer(target, block=False):
                return self._pointer(target)
            case ctype.Array(element, length):
                return f"[{self.spell(element)}; {0 if length is None else self.number(length)}]"
            case FunctionType():
                return self._function(type)
        raise UnknownTypeError

    def integer_of(self, key: str) -> str:
        """The integer type that an enumeration's values have."""
        try:
            return _BASIC[self.layouts[0].underlying_type(key)]
        except AbigenError:
            return "i32"

    def number(self, expression: Expression | int) -> int:
        """The value of an expression.

        Raises:
            UnknownTypeError: it is not the same everywhere, or not known.
        """
        try:
            values = {each.evaluate(expression) for each in self.layouts}
        except AbigenError as error:
            raise UnknownTypeError from error
        if len(values) > 1:
            raise UnknownTypeError
        return values.pop()

    def parameters(self, parameters: tuple[Parameter, ...]) -> tuple[tuple[str, str], ...]:
        """Return names and types of parameters; one without a name gets its number.

        A parameter must not have the name of a constant or of an enumeration: Rust reads that name as a pattern.
        """
        found: dict[str, str] = {}
        for at, each in enumerate(parameters):
            name = rust_name(each.name) if each.name else f"arg{at}"
            found[free_name(name, (*found, *self._patterns))] = self._parameter(each.type)
        return tuple(found.items())

    def _parameter(self, type: CType) -> str:
        """Spell the type of a parameter; a `va_list` is the address of a list on every platform."""
        resolved = self.api.resolve(type)
        is_list = isinstance(resolved, (ctype.NamedType, ctype.Basic)) and resolved.name in _VARIABLE_ARGUMENTS
        return "va_list" if is_list else self.spell(type)

    @cached_property
    def _patterns(self) -> frozenset[str]:
        """The names that a pattern of Rust takes for a value."""
        enums = self.api.enums.values()
        values = (one.name for each in enums for one in each.enumerators or ())
        return frozenset(map(rust_name, (*_OF_PRELUDE, *self.api.constants, *self.api.enums, *values)))

    def result(self, type: FunctionType) -> str:
        """What a function returns; empty for nothing."""
        return "" if self.api.resolve(type.result) == ctype.Basic("void") else self.spell(type.result)

    def is_known(self, key: str) -> bool:
        """Whether Rust can hold a struct by value."""
        if key not in self._known:
            self._known[key] = True  # a function in it may take or return it
            try:
                tuple(self.members(self.api.structs[key]))
            except UnknownTypeError:
                self._known[key] = False
        return self._known[key]

    def members(self, struct: Struct) -> Iterator[RustMember]:
        """The members of a struct; those that C does not name are private.

        Raises:
            UnknownTypeError: Rust cannot say what stands in it.
        """
        if struct.fields is None or struct.of_system or (is_wrapped(struct) and struct.size_member):
            raise UnknownTypeError
        bits: list[Field] = []
        has_bits = any(each.bit_width is not None for each in struct.fields)
        if has_bits and self.api.is_of_system(ctype.RecordType(struct.name)):
            raise UnknownTypeError  # where its bits are depends on the C library
        for at, each in enumerate(struct.fields):
            if each.bit_width is not None:
                self.spell(each.type)
                bits.append(each)
            if bits and (each.bit_width is None or struct.is_union):
                yield RustMember(self._private(struct, f"bits_{at}"), bits=tuple(bits))
                bits = []
            if each.bit_width is None:
                if each.alignment is not None or each.packed:
                    raise UnknownTypeError
                name = rust_name(each.name) if each.name else self._private(struct, f"anonymous_{at}")
                yield RustMember(name, self.spell(each.type), each)
        if bits:
            yield RustMember(self._private(struct, f"bits_{len(struct.fields)}"), bits=tuple(bits))
        if not struct.packed and has_bits:
            yield RustMember(self._private(struct, "align"))  # at the end, where it moves no member

    def _private(self, struct: Struct, name: str) -> str:
        """A name that no member of C's has."""
        while any(rust_name(each.name) == name for each in struct.fields or () if each.name):
            name += "_"
        return name

    def _function(self, type: FunctionType) -> str:
        """A function's type, which is never NULL."""
        if type.calling_convention not in _CONVENTIONS:
            raise UnknownTypeError
        parts = [f"{name}: {spelled}" for name, spelled in self.parameters(type.parameters)] + ["..."] * type.variadic
        head = f'unsafe extern "{_CONVENTIONS[type.calling_convention]}" fn({", ".join(parts)})'
        result = self.result(type)
        return f"{head} -> {result}" if result else head

    def _named(self, name: str) -> str:
        typedef, exact = self.api.typedefs.get(name), _EXACT.fullmatch(name)
        if typedef is not None and typedef.alignment is None and not typedef.of_system:
            self.spell(typedef.type)  # what it stands for has to be known
            return rust_name(name)
        if name in _OF_SYSTEM and (typedef is None or typedef.of_system):
            return name
        if typedef is None and exact and exact[2] in ("8", "16", "32", "64"):
            return f"{'u' if exact[1] else 'i'}{exact[2]}"
        if typedef is None and name in _STANDARD:
            return _STANDARD[name]
        raise UnknownTypeError

    def _pointer(self, target: CType) -> str:
        is_function = isinstance(self.api.resolve(target), FunctionType)
        try:
            spelled = self.pointed_to(target)
        except UnknownTypeError:
            return _ANY_FUNCTION if is_function else f"*{self._mutability(target)} c_void"
        return f"Option<{spelled}>" if is_function else f"*{self._mutability(target)} {spelled}"

    def _mutability(self, target: CType) -> str:
        return "const" if self.api.is_const(target) else "mut"

    def pointed_to(self, type: CType) -> str:
        """A type behind a pointer, where also a struct can stand whose members are not known.

        Raises:
            UnknownTypeError: Rust has no such type.
        """
        type = ctype.unqualified(type)
        struct = self.api.struct_of(type)
        if struct is not None and struct.of_system:
            raise UnknownTypeError
        if struct is None:
            return self.spell(type)
        return rust_name(type.name if isinstance(type, ctype.NamedType) else getattr(type, "key", ""))
