"""Records that the templates of target `rust` receive, and the Rust spelling of types.

Rust lacks some of C's types. A struct with a member of such a type is known by pointers only.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from pathlib import PurePosixPath

import msgspec
from msgspec.structs import replace

from abigen.generator.c.lines import documentation, free_name, names_in
from abigen.generator.c.target import helpers_of
from abigen.generator.c_checks.target import ReleaseAsserts, release_asserts
from abigen.generator.publication import Publication
from abigen.model import ctype
from abigen.model.api import Api
from abigen.model.contract import Party
from abigen.model.ctype import CType, EnumType, Expression, FunctionType, Name, Parameter, RecordType
from abigen.model.entities import Constant, Entity, Enum, Field, Function, Struct, Typedef
from abigen.model.layout import Layouts, agreed_value
from abigen.model.meaning import bound_value
from abigen.model.roles import extension_kind
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
    """True if Rust needs two structs: one is packed, and the other aligned."""
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
    """Return a name of C's as Rust takes it: `type_`, `Outer_member`."""
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
        """Return the integer type that an enumeration's values have."""
        try:
            return _BASIC[self.layouts[0].underlying_type(key)]
        except AbigenError:
            return "i32"

    def number(self, expression: Expression | int) -> int:
        """Return the value of an expression.

        Raises:
            UnknownTypeError: it is not the same everywhere, or not known.
        """
        value = agreed_value(self.layouts, expression)
        if value is None:
            raise UnknownTypeError
        return value

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
        names = (*_OF_PRELUDE, *self.api.constants, *self.api.enums, *self.api.enumerators)
        return frozenset(map(rust_name, names))

    def result(self, type: FunctionType) -> str:
        """Return the spelling of a function's result; empty for `void`."""
        return "" if self.api.resolve(type.result) == ctype.Basic("void") else self.spell(type.result)

    def is_known(self, key: str) -> bool:
        """True if Rust can hold a struct by value."""
        if key not in self._known:
            self._known[key] = True  # a function in it may take or return it
            try:
                tuple(self.members(self.api.structs[key]))
            except UnknownTypeError:
                self._known[key] = False
        return self._known[key]

    def members(self, struct: Struct) -> Iterator[RustMember]:
        """Yield the members of a struct; those that C does not name are private.

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
        """Return a name that no member of C's has."""
        while any(rust_name(each.name) == name for each in struct.fields or () if each.name):
            name += "_"
        return name

    def _function(self, type: FunctionType) -> str:
        """Return a function's type, which is never NULL."""
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
        """Return a type behind a pointer, where also a struct can stand whose members are not known.

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


INTEGERS = {"i32": (-(2**31), 2**31), "u32": (0, 2**32), "i64": (-(2**63), 2**63), "u64": (0, 2**64)}
_LARGEST_ALIGNMENT = 8
"""Of a type that a bit-field can have."""
_LARGEST = 1 << 16
"""Bytes of a struct up to which Rust is asked where its members stand."""


class RustItem(msgspec.Struct, frozen=True, kw_only=True):
    """A named item with a type and documentation: a member, a parameter, a constant, an alias."""

    name: str
    type: str
    doc: str = ""
    value: str = ""
    """Of a constant."""
    private: bool = False
    """Of a member that C does not name."""
    deprecated: str = ""
    """The advice for readers of a deprecated member; empty for others."""


class RustEnum(msgspec.Struct, frozen=True, kw_only=True):
    """An enumeration: an integer with constants, so that a value which nobody knows here is a value like any other."""

    name: str
    """Empty for one without a name, whose constants are plain integers."""
    type: str
    doc: str
    flags: bool
    ok: str
    """The constant that says that all went well, where functions return it; empty otherwise."""
    values: tuple[RustItem, ...]
    named: tuple[str, ...]
    """The constants of different numbers."""


class RustAssert(msgspec.Struct, frozen=True, kw_only=True):
    """The offsets of a member on each group of platforms."""

    name: str
    places: tuple[int, ...]

    def __str__(self) -> str:
        """Return the member and its places, as the macro `laid_out` takes them."""
        return f"{self.name} [{', '.join(map(str, self.places))}]"


class RustAccess(msgspec.Struct, frozen=True, kw_only=True):
    """A bit-field, or a member of a member without a name: functions read and write it."""

    name: str
    type: str
    doc: str
    path: str
    """From the struct to the member, or to the bytes that hold the bit-field."""
    first: str = ""
    """The bit of those bytes that the bit-field begins with, which may depend on the platform."""
    width: int = 0
    """Of a bit-field, in bits; 0 for others."""

    @property
    def place(self) -> str:
        """The member as macros take it."""
        return f"{self.path}[{self.first}; {self.width}]" if self.width else self.path


class RustStruct(msgspec.Struct, frozen=True, kw_only=True):
    """A struct or union."""

    name: str
    kind: str
    doc: str
    opaque: bool
    """True if it is known by pointers only."""
    representation: str
    alignment: str
    """The part of that which says how it is aligned; empty for none."""
    wrapped: str
    """The struct that holds the members, of one that is packed and aligned; empty for all others."""
    members: tuple[RustItem, ...]
    private: bool
    """True if it is the type of nothing but a member without a name."""
    bits: tuple[RustAccess, ...]
    """The bit-fields of one that does not carry its size."""
    inner: tuple[RustAccess, ...]
    """The other members that functions read and write."""
    ends: tuple[str, ...]
    """Of one that carries its size: constants, each with the member at whose end it is; first that of this release."""
    size_field: str
    kind_said: str
    """Of an extension: the member that is its base, and the path and the value of what it says of itself there."""
    sizes: tuple[int, ...]
    """On each group of platforms; empty where nobody asks."""
    alignments: tuple[int, ...]
    asserts: tuple[RustAssert, ...]


class RustFunction(msgspec.Struct, frozen=True, kw_only=True):
    """A function that the core exports, or the type of one that a plugin exports."""

    name: str
    pointer: str = ""
    """The name of the type of a pointer to a function that a plugin exports."""
    doc: str
    parameters: tuple[tuple[str, str], ...]
    variadic: bool
    result: str
    symbol: str
    deprecated: str
    """The advice for callers of a deprecated function; empty for others."""


class RustModule(msgspec.Struct, frozen=True, kw_only=True):
    """A module from top to bottom."""

    publication: Publication
    path: str
    doc: str
    uses: tuple[str, ...]
    """Modules of other APIs."""
    constants: tuple[RustItem, ...]
    aliases: tuple[RustItem, ...]
    enums: tuple[RustEnum, ...]
    structs: tuple[RustStruct, ...]
    functions: tuple[RustFunction, ...]
    entries: tuple[RustFunction, ...]
    """The functions that plugins export."""
    platforms: tuple[tuple[str, ...], ...]
    """Groups of platforms that lay out all structs alike."""
    missing: tuple[str, ...]
    """Names of the functions that Rust cannot declare."""


def module_of(publication: Publication) -> RustModule:
    """Make the view of an API in Rust.

    Args:
        publication: the API.

    Raises:
        AbigenError: a struct has no layout on some platform.
    """
    builder = _Builder(publication)
    api = publication.api
    called = [each for each in api.functions.values() if each.in_api and not each.static]
    functions = [each for each in called if each.implemented_by is not Party.PLUGIN]
    versions = (RustItem(name=name, type="i32", value=str(number)) for name, number in publication.version)
    own_file = next(iter(api.files), "")
    own_enums = [each for each in api.enums.values() if each.in_api and each.enumerators is not None]
    return RustModule(
        publication=publication,
        path=f"{module_name(publication.spec, _types_of(api, own_file))}.rs",
        doc=api.doc,
        uses=tuple(module_name(each.banner, _types_of(api, file)) for file, (each, _) in api.used.items()),
        constants=(*versions, *builder.constants()),
        aliases=tuple(builder.aliases()),
        enums=tuple(map(builder.enum, own_enums)),
        structs=tuple(builder.struct(each) for each in api.structs.values() if each.in_api),
        functions=tuple(filter(None, map(builder.function, functions))),
        entries=tuple(filter(None, (builder.entry(each) for each in called if each not in functions))),
        platforms=builder.asserts.groups if builder.asserts else (),
        missing=tuple(each.name for each in called if builder.function(each) is None),
    )


def _types_of(api: Api, file: str) -> frozenset[str]:
    """Return the names of the types that one spec declares."""
    types: tuple[Entity, ...] = (*api.structs.values(), *api.enums.values(), *api.typedefs.values())
    return frozenset(rust_name(each.name) for each in types if each.span is not None and each.span.file == file)


class _Builder:
    """Makes the parts of a module."""

    def __init__(self, publication: Publication) -> None:
        self._api: Api = publication.api
        self._header = publication.header
        self._types = RustTypes(self._api)
        helpers = helpers_of(publication)
        self._sized = {each.struct: each for each in helpers.structs} if helpers else {}
        known = {key: each for key, each in self._api.structs.items() if self._types.is_known(key)}
        of_known = replace(publication, api=replace(self._api, structs=known))
        self.asserts: ReleaseAsserts | None = release_asserts(of_known, None)
        self._layouts = self.asserts.layouts if self.asserts else ()
        fields = (field for each in self._api.structs.values() for field in each.fields or () if not field.name)
        self._nameless = {each.type.key for each in fields if isinstance(each.type, RecordType)}
        self._asserted = {each.struct.name: each for each in self.asserts.structs} if self.asserts else {}
        result = self._api.conventions.returned.result
        self._result = result
        self._codes = {result.ok, result.failed, result.unsupported, *result.codes} if result else set()

    def constants(self) -> Iterator[RustItem]:
        """Yield macros that stand for a number, a text, or an enumerator."""
        for each in self._api.constants.values():
            is_everywhere = each.name not in self._header.cases and not self._api.has_value_of_system(each)
            if each.in_api and is_everywhere:
                found = self._constant(each)
                if found:
                    doc = documentation(each, self._api)
                    yield RustItem(name=rust_name(each.name), type=found[0], value=found[1], doc=doc)

    def _constant(self, constant: Constant) -> tuple[str, str] | None:
        """Type and value; None where Rust has nothing like it."""
        name = constant.expression.name if isinstance(constant.expression, Name) else ""
        if (enum := self._api.enums_of_enumerators.get(name)) is not None:
            return self._types.spell(EnumType(enum.name)), rust_name(name)
        value = bound_value(constant, self._types.layouts)
        if isinstance(value, bytes):
            return "&[u8]", f'b"{"".join(map(_escaped, value))}\\0"'
        if value is None or isinstance(value, float):
            return None if value is None else ("f64", f"{value!r}_f64")
        if self._result is not None and constant.name in self._codes:
            return self._types.spell(self._result.type), str(value)
        type = next((name for name, (low, high) in INTEGERS.items() if low <= value < high), "")
        return (type, str(value)) if type else None

    def aliases(self) -> Iterator[RustItem]:
        """Typedefs, also those that are macros, but for those that merely name a struct or an enumeration."""
        for name, each in self._api.typedefs.items():
            is_itself = isinstance(each.type, (RecordType, EnumType)) and each.type.key == name
            if self._api.constants.get(name, each).in_api and not is_itself:
                try:
                    yield RustItem(name=rust_name(name), type=self._alias(each), doc=documentation(each, self._api))
                except UnknownTypeError:
                    continue

    def _alias(self, typedef: Typedef) -> str:
        if typedef.alignment is not None:
            raise UnknownTypeError
        return self._types.pointed_to(typedef.type)

    def enum(self, enum: Enum) -> RustEnum:
        """Return an enumeration."""
        type = self._types.integer_of(enum.name)
        values = tuple(
            RustItem(
                name=rust_name(each.name),
                type=type if enum.anonymous else rust_name(enum.name),
                value=str(each.value),
                doc=documentation(each, self._api, enum),
            )
            for each in enum.enumerators or ()
        )
        firsts = {each.value: each.name for each in reversed(values)}
        ok = self._result.ok if self._result is not None and self._returns(self._result.type, enum) else ""
        return RustEnum(
            name="" if enum.anonymous else rust_name(enum.name),
            type=type,
            doc=documentation(enum, self._api),
            flags=enum.flags,
            ok=ok if ok.isidentifier() else "",
            values=values,
            named=tuple(each.name for each in values if firsts[each.value] == each.name),
        )

    def _returns(self, type: CType, enum: Enum) -> bool:
        return self._api.enum_of(type) == enum

    def struct(self, struct: Struct) -> RustStruct:
        """Return a struct or union; one that Rust cannot hold by value is known by pointers only."""
        known = self._types.is_known(struct.name)
        asserted = self._asserted.get(struct.name) if known else None
        layouts = asserted.layouts if asserted and asserted.layouts[0].size < _LARGEST else ()
        own = {each.name for each in struct.fields or ()}
        own_names = {rust_name(each) for each in own if each}
        sized = struct.name in self._sized
        found = asserted.members if asserted and layouts else ()
        places = tuple(each for each in found if each[0].name in own)  # Rust has no names for what is further inside
        packing = f"packed({struct.pack})" if struct.pack else "packed" if struct.packed else ""
        aligned = f"align({self._types.number(struct.alignment)})" if known and struct.alignment is not None else ""
        wrapped = self._free(f"{rust_name(struct.name)}_packed") if known and is_wrapped(struct) else ""
        private = struct.name in self._nameless
        accesses = tuple(self._accesses(struct, "packed." if wrapped else "")) if known and not private else ()
        direct = [each for each in accesses if each.width and each.name in own_names] if not sized else []
        return RustStruct(
            name=rust_name(struct.name),
            kind=struct.kind,
            doc=documentation(struct, self._api),
            opaque=not known,
            representation=", ".join(filter(None, ("C", packing, "" if wrapped else aligned))),
            alignment=aligned,
            wrapped=wrapped,
            members=tuple(self._members(struct)) if known else (),
            private=private,
            bits=tuple(each for each in accesses if each in direct),
            inner=tuple(each for each in accesses if each not in direct),
            ends=tuple(self._ends(struct)) if known else (),
            size_field=".".join(map(rust_name, struct.size_member.split("."))),
            kind_said=self._kind_said(struct),
            sizes=tuple(each.size for each in layouts),
            alignments=tuple(each.alignment for each in layouts),
            asserts=tuple(
                RustAssert(
                    name=("packed." if wrapped else "") + rust_name(each[0].name),
                    places=tuple(place.offset for place in each),
                )
                for each in places
                if struct.member(each[0].name)  # others stand in a member without a name, which is asked itself
            ),
        )

    def _kind_said(self, struct: Struct) -> str:
        kind = extension_kind(struct, self._api)
        if kind is None:
            return ""
        plain = self._api.enum_of(kind.type) is None
        path = ".".join(map(rust_name, kind.member.split(".")))
        enum = self._api.enums_of_enumerators.get(kind.value)
        is_enumerator = enum is not None and not enum.anonymous  # those of an enumeration without a name are numbers
        value = f"{rust_name(kind.value)}{'.0' if plain and is_enumerator else ''}"
        return f"{rust_name(kind.holder)}: {path} = {value}{' as _' if plain else ''}"

    def _ends(self, struct: Struct) -> Iterator[str]:
        """Yield the sizes of a struct that carries its size; nothing for others."""
        if sized := self._sized.get(struct.name):
            yield f"{self._header.size_macros[struct.name]} = {rust_name(sized.last_member)}"
            for each in sized.releases:
                yield f"{each.name} = {rust_name(each.last_member)}"

    def _members(self, struct: Struct) -> Iterator[RustItem]:
        for each in self._types.members(struct):
            type, doc = each.type, documentation(each.field, self._api, struct) if each.field else ""
            if each.bits:
                lengths = [end - begin for begin, end in self._bytes(struct, each)]
                type, doc = f"[u8; {_on_platforms(lengths)}]", "Bit-fields."
            elif not type:
                numbers = [min(layouts.of(struct.name).alignment, _LARGEST_ALIGNMENT) for layouts in self._layouts]
                spelled = _on_platforms(numbers)
                type = f"AlignedTo<{spelled if spelled.isdecimal() else f'{{ {spelled} }}'}>"
            gone = each.field.contract.lifecycle.advice if each.field else ""
            private = each.field is None or not each.field.name
            yield RustItem(name=each.name, type=type, doc=doc, private=private, deprecated=gone)

    def _accesses(self, struct: Struct, path: str, *, inside: bool = False) -> Iterator[RustAccess]:
        """Yield the bit-fields of a struct, and all members of its members without a name.

        Args:
            struct: the struct.
            path: from the outermost struct to its members.
            inside: whether it is itself the type of a member without a name.
        """
        for member in self._types.members(struct):
            field = member.field
            inner = self._api.struct_of(field.type) if field and not field.name else None
            if member.bits:
                yield from self._bits(struct, member, path)
            elif inner is not None:
                yield from self._accesses(inner, f"{path}{member.name}.", inside=True)
            elif field is not None and inside:
                doc = documentation(field, self._api, struct)
                yield RustAccess(name=member.name, type=member.type, doc=doc, path=path + member.name)

    def _bits(self, struct: Struct, member: RustMember, path: str) -> Iterator[RustAccess]:
        """Yield the bit-fields that stand in the bytes of one member."""
        begins = [begin for begin, _ in self._bytes(struct, member)]
        for each in (each for each in member.bits if each.name):
            places = [layouts.of(struct.name).named(each.name) for layouts in self._layouts]
            firsts = [place.bit_offset or 0 for place in places if place is not None]
            yield RustAccess(
                name=rust_name(each.name),
                type=self._types.spell(each.type),
                doc=documentation(each, self._api, struct),
                path=path + member.name,
                first=_on_platforms([first - 8 * begin for first, begin in zip(firsts, begins, strict=True)]),
                width=self._types.number(each.bit_width or 0),
            )

    def _bytes(self, struct: Struct, member: RustMember) -> Iterator[tuple[int, int]]:
        """Yield the first and the end byte of the bytes that hold bit-fields, on each group of platforms.

        They begin where the member before them ends, and end where the next one begins. In a union they are all of it.
        """
        fields = [each for each in struct.fields or () if each.name or each.bit_width is None]
        at = next(at for at, each in enumerate(struct.fields or ()) if each is member.bits[0])
        before = [each for each in (struct.fields or ())[:at] if each in fields]
        after = len(before) + sum(1 for each in member.bits if each.name)
        for layouts in self._layouts:
            layout = layouts.of(struct.name)
            if struct.is_union:
                yield 0, layout.size
                continue
            places = layout.fields
            begin = places[len(before) - 1].offset + places[len(before) - 1].size if before else 0
            yield begin, places[after].offset if after < len(places) else layout.size

    def entry(self, function: Function) -> RustFunction | None:
        """Return a function that plugins export; None for one that Rust cannot declare."""
        declared = self.function(function)
        return replace(declared, pointer=self._free(f"{declared.name}_fn")) if declared else None

    def _free(self, name: str) -> str:
        """Return a name for something that the API does not declare itself."""
        return free_name(name, set(map(rust_name, names_in(self._api))))

    def function(self, function: Function) -> RustFunction | None:
        """Return a function of the API; None for one that Rust cannot declare."""
        return declared_in_rust(function, self._api, self._types)


def _escaped(byte: int) -> str:
    """Return a byte as a byte string of Rust spells it."""
    character = chr(byte)
    if character in '"\\':
        return f"\\{character}"
    return (
        character
        if " " <= character <= "~"
        else {"\n": "\\n", "\r": "\\r", "\t": "\\t"}.get(character, f"\\x{byte:02x}")
    )


def _on_platforms(numbers: Sequence[int]) -> str:
    """Return a number, or what chooses it where groups of platforms differ."""
    if len(set(numbers)) == 1:
        return str(numbers[0])
    return f"here(PLATFORM, [{', '.join(map(str, numbers))}])"


def declared_in_rust(function: Function, api: Api, types: RustTypes | None = None) -> RustFunction | None:
    """Return a function as Rust declares it.

    Args:
        function: the function.
        api: whose types it takes.
        types: how those are spelled, where that is known.

    Returns:
        None where Rust cannot declare it.
    """
    types = types or RustTypes(api)
    try:
        parameters, result = types.parameters(function.type.parameters), types.result(function.type)
    except UnknownTypeError:
        return None
    if function.type.calling_convention:
        return None
    name = rust_name(function.name)
    return RustFunction(
        name=name,
        doc=documentation(function, api),
        parameters=parameters,
        variadic=function.type.variadic,
        result=result,
        symbol=function.symbol or (function.name if name != function.name else ""),
        deprecated=function.contract.lifecycle.advice,
    )
