"""The types of an API as cffi's parser reads them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from abigen.emit.c.types import Speller
from abigen.emit.c.wrapping import wrap_declaration
from abigen.model.api import Api
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
)
from abigen.model.entities import Callback, Enum, Field, Handle, Struct, Typedef
from abigen.model.layout import Layouts
from abigen.model.span import AbigenError
from abigen.model.standard import STANDARD_TYPES
from abigen.model.target import find_target

TARGETS = ("x86_64-linux-gnu", "aarch64-apple-darwin", "x86_64-windows-msvc", "i686-linux-gnu", "armv7-linux-gnueabihf")
"""Where a package may be used: what differs between these, it cannot say."""

_UNKNOWN_TO_CFFI = frozenset({"va_list", "wint_t"})
_BASIC = frozenset(
    {
        *("void", "_Bool", "char", "signed char", "unsigned char", "short", "unsigned short", "int", "unsigned int"),
        *("long", "unsigned long", "long long", "unsigned long long", "float", "double", "long double"),
        *("float _Complex", "double _Complex"),
    }
)
_CONVENTIONS = {"": "", "cdecl": "", "stdcall": "__stdcall "}
"""Calling conventions that cffi can call by, and the word for them."""


@dataclass(frozen=True, kw_only=True)
class Piece:
    """Declarations that are read together; `pack` is what structs in it are packed to, in bytes, 0 for nothing."""

    text: str
    pack: int = 0


class InexpressibleError(Exception):
    """cffi has no word for a type."""


class Declarations:
    """What cffi can be told of an API."""

    def __init__(self, api: Api) -> None:
        """Prepare to declare the types of an API."""
        self._api = api
        self._speller = Speller(api)
        self._layouts = [Layouts(api, find_target(name)) for name in TARGETS]
        self._plain: dict[str, bool] = {}

    def spell(self, type: CType, name: str = "") -> str:
        """A declaration, or the name of a type.

        Raises:
            InexpressibleError: cffi has no word for it.
        """
        text = self._speller.declare(self._reduced(type), name)
        return text.replace("__attribute__((stdcall)) ", "__stdcall ")

    def is_known(self, type: CType) -> bool:
        """Whether cffi has a word for a type."""
        try:
            self._reduced(type)
        except InexpressibleError:
            return False
        return True

    def is_transparent(self, key: str) -> bool:
        """Whether cffi can see the members of a struct."""
        if key not in self._plain:
            struct = self._api.structs[key]
            self._plain[key] = struct.fields is not None and self._has_usual_layout(struct)
            self._plain[key] = self._plain[key] and all(self._may_be_member(each) for each in struct.fields or ())
        return self._plain[key]

    def member(self, field: Field) -> str:
        """The declaration of a member, without a semicolon; a pointer to what cffi does not know is one to `void`."""
        type = field.type
        if not self.is_known(type) and isinstance(self._api.resolve(type), Pointer):
            type = Pointer(Basic("void"))
        text = self.spell(type, field.name)
        width = self._number(field.bit_width)
        return text if width is None else f"{text} : {width}".replace("  ", " ")

    def number(self, expression: Expression | int | None) -> int | None:
        """The value of an expression; None when it depends on the target, or when there is none."""
        try:
            return self._number(expression)
        except InexpressibleError:
            return None

    @cached_property
    def pieces(self) -> tuple[Piece, ...]:
        """All declarations of the API's own types, in an order that C accepts."""
        header = self._api.header
        assert header is not None, "only specs say how they are published"
        lines: list[str] = []
        pieces: list[Piece] = []
        for struct in self._own_structs():
            if struct.tag:
                lines.append(f"typedef {struct.kind} {struct.tag} {struct.name};")
        for kind, name in header.order:
            if kind == "struct":
                struct = self._api.structs[name]
                if struct.packed and self.is_transparent(name):
                    pieces += [Piece(text="\n".join(lines)), Piece(text=self._body(struct), pack=1)]
                    lines = []
                else:
                    lines.append(self._body(struct))
            elif kind == "enum":
                lines.append(self._enum(self._api.enums[name]))
            elif name in self._api.typedefs and kind != "function":
                lines += self._typedef(self._api.typedefs[name])
        pieces.append(Piece(text="\n".join(filter(None, lines))))
        return tuple(piece for piece in pieces if piece.text)

    def _own_structs(self) -> Iterator[Struct]:
        return (each for each in self._api.structs.values() if each.in_api and each.fields is not None)

    def _body(self, struct: Struct) -> str:
        if not self.is_transparent(struct.name):
            return "" if struct.tag else f"typedef ... {struct.name};"
        members = [f"  {wrap_declaration(self.member(each), 2)}" for each in struct.fields or ()]
        if struct.tag:
            return "\n".join((f"{struct.kind} {struct.tag} {{", *members, "};"))
        return "\n".join((f"typedef {struct.kind} {{", *members, f"}} {struct.name};"))

    def _enum(self, enum: Enum) -> str:
        if enum.underlying is not None:
            return wrap_declaration(f"typedef {self.spell(enum.underlying, enum.name)}")
        members = ",\n".join(f"  {each.name} = {each.value}" for each in enum.enumerators or ())
        return f"typedef enum{f' {enum.tag}' if enum.tag else ''} {{\n{members}\n}} {enum.name};"

    def _typedef(self, typedef: Typedef) -> Iterator[str]:
        if isinstance(typedef, Handle):
            yield f"typedef struct {typedef.tag}{'*' if typedef.by_pointer else ''} {typedef.name};"
        elif self.is_known(self.type_of(typedef)):
            yield wrap_declaration(f"typedef {self.spell(self.type_of(typedef), typedef.name)}")

    @staticmethod
    def type_of(typedef: Typedef) -> CType:
        """What a typedef stands for."""
        if isinstance(typedef, Callback):
            return Pointer(typedef.function) if typedef.by_pointer else typedef.function
        return typedef.type

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
        """Whether no attribute gives it a layout that cffi cannot be told of."""
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
        """A type with every array length a number and nothing that cffi does not know."""
        if isinstance(type, Basic):
            if type.name not in _BASIC:
                raise InexpressibleError(type.name)
            return type
        if isinstance(type, NamedType):
            self._check_name(type)
            return type
        if isinstance(type, Pointer):
            return Pointer(self._reduced(type.target))
        if isinstance(type, Qualified):
            return self._qualified(type)
        if isinstance(type, Array):
            return Array(self._reduced(type.element), self._number(type.length))
        if isinstance(type, FunctionType):
            if type.calling_convention not in _CONVENTIONS:
                raise InexpressibleError(type.calling_convention)
            for each in (type.result, *(each.type for each in type.parameters)):
                struct = self._api.struct_of(each)
                if struct is not None and not self.is_transparent(struct.name):
                    raise InexpressibleError(struct.name)
            parameters = tuple(replace(each, type=self._reduced(each.type)) for each in type.parameters)
            convention = type.calling_convention if _CONVENTIONS[type.calling_convention] else ""
            return replace(
                type, result=self._reduced(type.result), parameters=parameters, calling_convention=convention
            )
        if isinstance(type, (RecordType, EnumType)):
            return type
        raise InexpressibleError(str(type))

    def _check_name(self, type: NamedType) -> None:
        typedef = self._api.typedefs.get(type.name)
        if typedef is not None and (typedef.in_api or type.name not in STANDARD_TYPES):
            if not isinstance(typedef, Handle):
                self._reduced(self.type_of(typedef))
        elif type.name not in STANDARD_TYPES or type.name in _UNKNOWN_TO_CFFI:
            raise InexpressibleError(type.name)

    def _qualified(self, type: Qualified) -> CType:
        inner = self._reduced(type.type)
        if "_Atomic" in type.qualifiers and not isinstance(self._api.resolve(type.type), (Basic, Pointer, EnumType)):
            raise InexpressibleError("_Atomic")
        kept = tuple(each for each in type.qualifiers if each in ("const", "volatile"))
        return Qualified(inner, kept) if kept else inner

    def _number(self, expression: Expression | int | None) -> int | None:
        if expression is None or isinstance(expression, int):
            return expression
        try:
            values = {layouts.evaluate(expression) for layouts in self._layouts}
        except AbigenError as error:
            raise InexpressibleError(str(error)) from error
        if len(values) != 1:
            raise InexpressibleError("depends on the target")
        return values.pop()
