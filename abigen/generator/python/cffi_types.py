"""The types of an API: as cffi's parser reads them, and what values of them are in Python."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from abigen.generator.c.lines import Speller
from abigen.generator.python.view import CffiBlock, CffiDeclaration, PythonScope, PythonValue
from abigen.model.api import Api, Header
from abigen.model.ctype import (
    Array,
    Basic,
    CType,
    EnumType,
    Expression,
    FunctionType,
    NamedType,
    Pointer,
    Qualified,
    RecordType,
    types_in,
    unqualified,
)
from abigen.model.entities import Callback, Constant, Entity, Enum, Field, Handle, Struct, Typedef
from abigen.model.layout import Layouts, agreed_value
from abigen.model.meaning import bound_value
from abigen.model.spelling import STANDARD_TYPES
from abigen.model.target import find_target

TARGETS = ("x86_64-linux-gnu", "aarch64-apple-darwin", "x86_64-windows-msvc", "i686-linux-gnu", "armv7-linux-gnueabihf")
"""The targets of a package, which can state only facts that are the same on all of them."""

_UNKNOWN = "/* another pointer in C */"
"""Marks a member whose type cffi does not know; the runtime finds the mark in `compiling.py`."""
_UNKNOWN_TO_CFFI = frozenset({"va_list", "wint_t"})
_BASIC = frozenset(
    {
        *("void", "_Bool", "char", "signed char", "unsigned char", "short", "unsigned short", "int", "unsigned int"),
        *("long", "unsigned long", "long long", "unsigned long long", "float", "double", "long double"),
        *("float _Complex", "double _Complex"),
    }
)
_CONVENTIONS = {"": "", "cdecl": "", "stdcall": "stdcall"}
"""Calling conventions that cffi can call by, and what it has to be told of them."""


def cffi_name(struct: Struct, api: Api) -> str:
    """Return how the runtime finds a struct: by its type name, or as a member of the struct around it."""
    path = ".".join(each for each in struct.name.split(".") if each[:1] != "<")
    outer = api.structs[struct.name.partition(".")[0]]
    return path if is_typedef(outer) or not outer.tag else f"{outer.kind} {path}"


def is_typedef(entity: Struct | Enum) -> bool:
    """True if C has a typedef for a struct or an enumeration, so that its name needs no keyword."""
    return entity.name in entity.typedef_names


class InexpressibleError(Exception):
    """cffi has no word for a type."""


def aliased_type(typedef: Typedef) -> CType:
    """Return the type that a typedef stands for."""
    if isinstance(typedef, Callback):
        return replace(typedef.type, target=typedef.function) if isinstance(typedef.type, Pointer) else typedef.function
    return typedef.type


class CffiTypes:
    """The declarations of an API that cffi understands."""

    def __init__(self, api: Api) -> None:
        """Prepare to declare the types of an API."""
        self._api = api
        self._speller = Speller(api)
        self._layouts = [Layouts(api, find_target(name)) for name in TARGETS]
        self._transparent: dict[str, bool] = {}

    def spell(self, type: CType, name: str = "") -> str:
        """Return a declaration, or the name of a type.

        Raises:
            InexpressibleError: cffi has no word for it.
        """
        text = self._speller.declare(self._reduced(type), name)
        return text.replace("__attribute__((stdcall)) ", "__stdcall ")

    def bits_of(self, enum: Enum) -> int:
        """Return the number of bits that the values of an enumeration have on all targets."""
        return min(8 * layouts.size_of(EnumType(enum.name)) for layouts in self._layouts)

    def is_known(self, type: CType) -> bool:
        """True if cffi has a word for a type."""
        try:
            self._reduced(type)
        except InexpressibleError:
            return False
        return True

    def is_transparent(self, key: str) -> bool:
        """True if cffi can see the members of a struct."""
        if key not in self._transparent:
            struct = self._api.structs[key]
            usual = struct.fields is not None and self._has_usual_layout(struct)
            self._transparent[key] = usual and all(map(self._may_be_member, struct.fields or ()))
        return self._transparent[key]

    def number(self, expression: Expression | int | None) -> int | None:
        """Return the value of an expression; None where targets differ, where it is unknown, or where there is none."""
        return None if expression is None else agreed_value(self._layouts, expression)

    def value_of(self, constant: Constant) -> int | float | str | None:
        """Return the value of a constant; None where it has none in Python, or targets differ."""
        value = bound_value(constant, self._layouts)
        return value.decode(errors="replace") if isinstance(value, bytes) else value

    def blocks(self, header: Header) -> tuple[CffiBlock, ...]:
        """Return all declarations of the API's own types, in an order that C accepts."""
        structs = self._api.structs
        current = [
            CffiDeclaration(kind="forward", name=each.name if is_typedef(each) else "", tag=each.tag, keyword=each.kind)
            for each in structs.values()
            if each.in_api and each.tag and not each.of_system and (each.fields is not None or not is_typedef(each))
        ]
        blocks: list[CffiBlock] = []
        for kind, name in self._in_order(header):
            if kind == "struct" and structs[name].packed and self.is_transparent(name):
                blocks += [
                    CffiBlock(declarations=tuple(current)),
                    CffiBlock(declarations=tuple(self._struct(structs[name])), pack=1),
                ]
                current = []
            elif kind == "struct":
                current += self._struct(structs[name])
            elif kind == "enum" and not self._api.enums[name].anonymous:
                current.append(self._enum(self._api.enums[name]))
            elif kind != "function" and name in self._api.typedefs:
                current += self._typedef(self._api.typedefs[name])
        blocks.append(CffiBlock(declarations=tuple(current)))
        return tuple(each for each in blocks if each.declarations)

    def _in_order(self, header: Header) -> Iterator[tuple[str, str]]:
        """Yield what a header declares; the name of another type is preceded by that type.

        A macro that is another name of a type may be defined before the type.
        """
        kinds = {name: kind for kind, name in header.order if kind != "function"}
        seen: set[str] = set()

        def before(name: str) -> Iterator[tuple[str, str]]:
            seen.add(name)
            typedef = self._api.typedefs.get(name)
            for each in types_in(aliased_type(typedef)) if typedef is not None else ():
                mentioned = each.name if isinstance(each, NamedType) else getattr(each, "key", "")
                if mentioned in kinds and mentioned not in seen and mentioned not in self._api.structs:
                    yield from before(mentioned)
            yield kinds[name], name

        for name in kinds:
            if name not in seen:
                yield from before(name)

    def _struct(self, struct: Struct) -> Iterator[CffiDeclaration]:
        if self.is_transparent(struct.name):
            yield self._seen_struct(struct)
        elif not struct.tag:
            yield CffiDeclaration(kind="opaque", name=struct.name)

    def _seen_struct(self, struct: Struct, name: str = "") -> CffiDeclaration:
        """Return a struct with its members, those that are structs written down in it as declarations of their own."""
        members: list[tuple[str, int | None] | CffiDeclaration] = []
        for each in struct.fields or ():
            inner = self._api.struct_of(each.type)
            if inner is not None and inner.anonymous:
                members.append(self._seen_struct(inner, each.name))
            else:
                members.append((self._member(each), self.number(each.bit_width)))
        return CffiDeclaration(
            kind="inner" if struct.anonymous else "struct",
            name=name if struct.anonymous else struct.name,
            tag=struct.tag,
            keyword=struct.kind,
            members=tuple(members),
        )

    def _member(self, field: Field) -> str:
        """Return the declaration of a member; a pointer to what cffi does not know is one to `void`."""
        unknown = not self.is_known(field.type) and isinstance(self._api.resolve(field.type), Pointer)
        if unknown:
            return f"{self.spell(Pointer(Basic('void')), field.name)} {_UNKNOWN}"
        return self.spell(field.type, field.name)

    def _enum(self, enum: Enum) -> CffiDeclaration:
        if enum.underlying is not None:
            return CffiDeclaration(kind="typedef", name=enum.name, text=self.spell(enum.underlying, enum.name))
        members = tuple((each.name, each.value) for each in enum.enumerators or ())
        name = enum.name if is_typedef(enum) else ""
        return CffiDeclaration(kind="enum", name=name, tag=enum.tag, members=members)

    def _typedef(self, typedef: Typedef) -> Iterator[CffiDeclaration]:
        if isinstance(typedef, Handle):
            text = f"struct {typedef.tag}{'*' if typedef.by_pointer else ''} {typedef.name}"
            yield CffiDeclaration(kind="typedef", name=typedef.name, text=text)
        elif self._is_opaque(typedef):
            yield CffiDeclaration(kind="opaque", name=typedef.name)  # cffi cannot alias an opaque type
        elif self.is_known(aliased_type(typedef)):
            text = self.spell(aliased_type(typedef), typedef.name)
            yield CffiDeclaration(kind="typedef", name=typedef.name, text=text)

    def _is_opaque(self, typedef: Typedef) -> bool:
        """True if a typedef is another name of a struct that has no tag and that cffi cannot look into."""
        resolved = self._api.resolve(typedef.type)
        struct = self._api.structs[resolved.key] if isinstance(resolved, RecordType) else None
        return struct is not None and not struct.tag and not struct.of_system and not self.is_transparent(struct.name)

    def _may_be_member(self, field: Field) -> bool:
        resolved = self._api.resolve(field.type)
        if isinstance(resolved, Pointer):
            return True
        while isinstance(resolved, Array):
            resolved = self._api.resolve(resolved.element)
        if isinstance(resolved, RecordType) and not self.is_transparent(resolved.key):
            return False
        return self.is_known(field.type)

    def _has_usual_layout(self, struct: Struct) -> bool:
        """True if no attribute gives it a layout that cffi cannot be told of."""
        fields = struct.fields or ()
        if struct.alignment is None and all(each.alignment is None and not each.packed for each in fields):
            return struct.pack is None and not struct.bitfield_rule
        usual = replace(struct, alignment=None, fields=tuple(replace(each, alignment=None) for each in fields))
        structs: Mapping[str, Struct] = {**self._api.structs, struct.name: usual}
        for layouts in self._layouts:
            plain = Layouts(replace(self._api, structs=structs), layouts.target).of(struct.name)
            asked = layouts.of(struct.name)
            same = [each.offset for each in plain.fields] == [each.offset for each in asked.fields]
            if not same or plain.size != asked.size or plain.alignment != asked.alignment:
                return False
        return True

    def _reduced(self, type: CType) -> CType:
        """Return a type with every array length a number and nothing that cffi does not know."""
        if isinstance(type, NamedType):
            self._check_name(type)
        elif isinstance(type, Pointer) and not type.block:
            return Pointer(self._reduced(type.target))
        elif isinstance(type, Qualified):
            return self._qualified(type)
        elif isinstance(type, Array):
            length = self.number(type.length)
            if length is None and type.length is not None:
                raise InexpressibleError(str(type.length))
            return Array(self._reduced(type.element), length)
        elif isinstance(type, FunctionType):
            return self._function(type)
        elif isinstance(type, RecordType) and self._api.structs[type.key].of_system:
            raise InexpressibleError(type.key)
        elif not isinstance(type, (RecordType, EnumType)) and not (isinstance(type, Basic) and type.name in _BASIC):
            raise InexpressibleError(str(type))
        return type

    def _function(self, type: FunctionType) -> FunctionType:
        if type.calling_convention not in _CONVENTIONS:
            raise InexpressibleError(type.calling_convention)
        for each in (type.result, *(each.type for each in type.parameters)):
            struct = self._api.struct_of(each)
            if struct is not None and not self.is_transparent(struct.name):
                raise InexpressibleError(struct.name)
        parameters = tuple(replace(each, type=self._reduced(each.type)) for each in type.parameters)
        convention = _CONVENTIONS[type.calling_convention]
        return replace(type, result=self._reduced(type.result), parameters=parameters, calling_convention=convention)

    def _check_name(self, type: NamedType) -> None:
        typedef = self._api.typedefs.get(type.name)
        if typedef is not None and typedef.of_system:
            raise InexpressibleError(type.name)
        if typedef is not None and (typedef.in_api or type.name not in STANDARD_TYPES):
            if not isinstance(typedef, Handle):
                self._reduced(aliased_type(typedef))
        elif type.name not in STANDARD_TYPES or type.name in _UNKNOWN_TO_CFFI:
            raise InexpressibleError(type.name)

    def _qualified(self, type: Qualified) -> CType:
        inner = self._reduced(type.type)
        if "_Atomic" in type.qualifiers and not isinstance(self._api.resolve(type.type), (Basic, Pointer, EnumType)):
            raise InexpressibleError("_Atomic")
        kept = tuple(each for each in type.qualifiers if each in ("const", "volatile"))
        return Qualified(inner, kept) if kept else inner


NOTHING = PythonValue(kind="nothing")

_KINDS = {
    "void": "nothing",
    "_Bool": "boolean",
    "bool": "boolean",
    "char": "character",
    **dict.fromkeys(("wchar_t", "char16_t", "char32_t"), "wide character"),
    **dict.fromkeys(("float", "double"), "float"),
    "long double": "long double",
    **dict.fromkeys(("float _Complex", "double _Complex", "long double _Complex"), "complex"),
}
"""Basic and standard types to kinds of values; all others are integers."""


class Values:
    """Decides for each type of an API what it is in Python."""

    def __init__(self, api: Api, types: CffiTypes, scope: PythonScope) -> None:
        """Prepare for an API.

        Args:
            api: the API.
            types: what cffi can be told of it.
            scope: of the module that uses the values.
        """
        self._api = api
        self._types = types
        self._scope = scope
        self.nameless: dict[str, FunctionType] = {}
        """The functions without a type of their own that were met, by the name that their types get."""

    def of(self, type: CType, place: str = "") -> PythonValue:
        """Return the kind of Python value that a type has.

        Args:
            type: of a parameter, a result, or a member.
            place: the name of a type for a function that has none; empty where no such type is wanted.
        """
        resolved = self._api.resolve(type)
        if isinstance(resolved, (Basic, NamedType)):
            return PythonValue(kind=_KINDS.get(resolved.name, "integer"))
        if isinstance(resolved, EnumType):
            return PythonValue(kind="enumeration", name=self._scope.name(self._api.enums[resolved.key]))
        if isinstance(resolved, RecordType):
            struct = self._api.structs[resolved.key]
            return PythonValue(kind="struct", name=self._scope.name(struct), ctype=cffi_name(struct, self._api))
        if isinstance(resolved, Array):
            length = self._types.number(resolved.length)
            if self._api.resolve(resolved.element) == Basic("char") and length:
                return PythonValue(kind="characters", length=length)
            kind = "array" if resolved.length is not None else "flexible array"
            return PythonValue(kind=kind, item=self.of(resolved.element))
        assert isinstance(resolved, Pointer), f"{resolved} has no value"
        if handle := self._api.handle_of(type):
            return PythonValue(kind="handle", name=self._scope.name(handle))
        if function := self.function_of(type):
            return self._function_pointer(type, function, place)
        return self._object_pointer(resolved)

    def module(self, entity: Entity) -> str:
        """Return the module that has an entity; empty for the one that uses the values."""
        return self._scope.module(entity)

    def function_of(self, type: CType) -> FunctionType | None:
        """Return the function that a type points to; None when it is no such pointer, or cffi does not know it."""
        function = self._api.callback(type)
        return function if function is not None and self._types.is_known(function) else None

    def _function_pointer(self, type: CType, function: FunctionType, place: str) -> PythonValue:
        typedef = self._function_typedef(type)
        if typedef is not None:
            name = self._scope.name(typedef)
            return PythonValue(kind="function", name=name, signature=self._scope.private(typedef))
        if not place:
            return PythonValue(kind="address")
        self.nameless[place] = function
        return PythonValue(kind="function", name=place, signature=f"_{place}")

    def _function_typedef(self, type: CType) -> Typedef | None:
        """Return the typedef that names a pointer to a function, or the function that a type points to."""
        type = unqualified(type)
        if isinstance(type, Pointer):
            type = unqualified(type.target)
        typedef = self._api.typedefs.get(type.name) if isinstance(type, NamedType) else None
        while typedef is not None and not isinstance(typedef, Callback):
            inner = aliased_type(typedef)
            if not isinstance(inner, NamedType):
                break
            typedef = self._api.typedefs.get(inner.name)
        if typedef is None or isinstance(typedef, Handle):
            return None
        target = aliased_type(typedef)
        function = target.target if isinstance(target, Pointer) else target
        return typedef if isinstance(function, FunctionType) else None

    def _object_pointer(self, type: Pointer) -> PythonValue:
        """Return a pointer to a struct, to text, to numbers, to pointers, or to nobody knows what."""
        target = self._api.resolve(type.target)
        const = self._api.is_const(type.target)
        if const and target == Basic("char"):
            return PythonValue(kind="text")
        struct = self._api.struct_of(target)
        if struct is not None and struct.fields is not None:
            return PythonValue(kind="struct pointer", name=self._scope.name(struct))
        opaque = isinstance(target, (Pointer, FunctionType, RecordType, Array)) or target == Basic("void")
        if opaque or not self._types.is_known(target):
            return PythonValue(kind="constant pointer" if const else "pointer")
        return PythonValue(kind="constant elements" if const else "elements", ctype=f"{self._types.spell(target)}[]")
