"""What the members of structs cannot be; judged when all types of a spec are known."""

from __future__ import annotations

from dataclasses import dataclass

from abigen.model.api import Api
from abigen.model.ctype import (
    Array,
    Basic,
    BitInt,
    CType,
    EnumType,
    FunctionType,
    NamedType,
    Pointer,
    Qualified,
    RecordType,
)
from abigen.model.standard import BUILT_IN
from abigen.read.spec.entities import Entities
from abigen.read.spec.item import Item
from abigen.read.spec.messages import Report

_CHARACTER = Basic("char")


@dataclass(frozen=True)
class Member:
    """A member as the spec states it, with its type."""

    struct: Item
    item: Item
    type: CType
    last: bool
    alone: bool
    """Whether the struct has no other."""


class MemberChecker:
    """Checks members against all that a spec and its context declare."""

    def __init__(self, entities: Entities, context: Api, report: Report) -> None:
        """Check by these entities, which may still be growing."""
        self.entities = entities
        self.context = context
        self.report = report
        self._types: dict[str, dict[str, CType]] = {}

    def check(self, member: Member) -> None:
        """What cannot be the type of a member (C 6.7.2.1)."""
        item, type = member.item, member.type
        place = item.span("type")
        resolved = self.resolve(type)
        if isinstance(resolved, FunctionType):
            hint = "write a pointer to it: 'void (*)(void* arg)'"
            self.report.error(place, f"the member '{item.name}' cannot be a function", hint)
        elif resolved == Basic("void"):
            self.report.error(place, f"the member '{item.name}' cannot be void", "'void*' is a pointer to anything")
        elif isinstance(resolved, Array) and resolved.length is None:
            if not member.last or member.alone or member.struct.text("kind") == "union":
                message = f"'{item.name}' has no length: only the last of several members of a struct can do without"
                self.report.error(place, message)
        elif isinstance(resolved, RecordType) and self._is_opaque(resolved.key):
            message = f"the member '{item.name}' has a type whose size nobody knows: {_named(type)} is opaque"
            self.report.error(place, message, f"hold it by pointer: {_named(type)}*")
        if item.has("bits") and not self.is_integer(type):
            self.report.error(
                item.span("bits"), f"'{item.name}' is not of an integer type, so it cannot be a bit-field"
            )
        if item.has("count") and not isinstance(resolved, Pointer):
            self.report.error(item.span("count"), f"'{item.name}' is no pointer, so it has no count")
        elif item.has("count"):
            counting = self._member_types(member.struct.name).get(item.text("count"))
            if counting is not None and not self.is_integer(counting):
                message = f"'{item.text('count')}' is not of an integer type, so it cannot count"
                self.report.error(item.span("count"), message)

        self._check_lifetime(member, resolved)

    def _check_lifetime(self, member: Member, resolved: CType) -> None:
        """What only pointers to objects and whole numbers can have."""
        item = member.item
        for key in ("allocated_by", "destroy"):
            if item.has(key) and not (isinstance(resolved, Pointer) and self._has_members(resolved.target)):
                self.report.error(item.span(key), f"'{item.name}' is no pointer to a struct, so it has no {key}")
        if item.has("version_part") and (not self.is_integer(member.type) or item.has("bits")):
            self.report.error(
                item.span("version_part"), f"'{item.name}' is not of an integer type, so it has no version"
            )
        self._check_text(member, resolved)
        destroyer = self._member_types(member.struct.name).get(item.text("destroy"))
        if destroyer is not None and isinstance(resolved, Pointer):
            function = self.resolve(destroyer)
            called = self.resolve(function.target) if isinstance(function, Pointer) else function
            if not (isinstance(called, FunctionType) and len(called.parameters) == 1):
                message = f"'{item.text('destroy')}' is no pointer to a function that takes what it is to destroy"
                self.report.error(item.span("destroy"), message)

    def _check_text(self, member: Member, resolved: CType) -> None:
        """What only pointers to text can have, and what only plain numbers and pointers can be."""
        item = member.item
        is_text = isinstance(resolved, Pointer) and self.resolve(resolved.target) == _CHARACTER
        for key, what in (("pattern", "has no pattern"), ("stands_for", "holds no name")):
            if item.has(key) and not is_text:
                self.report.error(item.span(key), f"'{item.name}' is no pointer to char, so it {what}")
        condition = item.item("required") or item
        asked = [(condition.span(key), item.required(key)) for key in ("when", "unless")]
        for place, path in (*asked, (item.span("excludes"), item.text("excludes"))):
            owner, _, name = path.rpartition(".")
            struct = self.entities.structs.get(owner or member.struct.name)
            found = next((each for each in (struct.fields if struct else None) or () if each.name == name), None)
            if found and (found.bit_width is not None or not self._is_scalar(found.type)):
                self.report.error(place, f"'{path}' is neither a plain number nor a pointer, so it is no condition")

    def _is_scalar(self, type: CType) -> bool:
        return self.is_integer(type) or isinstance(self.resolve(type), Pointer)

    def _has_members(self, type: CType) -> bool:
        resolved = self.resolve(type)
        return isinstance(resolved, RecordType) and not self._is_opaque(resolved.key)

    def _member_types(self, struct: str) -> dict[str, CType]:
        if struct not in self._types:
            fields = self.entities.structs[struct].fields or ()
            self._types[struct] = {each.name: each.type for each in fields}
        return self._types[struct]

    def _is_opaque(self, key: str) -> bool:
        struct = self.entities.structs.get(key) or self.context.structs.get(key)
        return struct is not None and struct.fields is None

    def resolve(self, type: CType) -> CType:
        """Without typedefs and qualifiers at the top, as far as they are known."""
        for _ in range(1000):
            if isinstance(type, Qualified):
                type = type.type
            elif isinstance(type, NamedType):
                typedef = self.entities.typedefs.get(type.name) or self.context.typedefs.get(type.name)
                known = typedef.type if typedef else BUILT_IN.get(type.name)
                if known is None:
                    break
                type = known
            else:
                break
        return type

    def is_integer(self, type: CType) -> bool:
        """Whether a type is one of integers, so that a bit-field or an enumeration can have it."""
        resolved = self.resolve(type)
        if isinstance(resolved, NamedType):  # the standard library's integer types
            return True
        if isinstance(resolved, Basic):
            return not any(word in resolved.name for word in ("float", "double", "void", "va_list", "bf16", "Float"))
        return isinstance(resolved, (EnumType, BitInt))


def _named(type: CType) -> str:
    inner = type.type if isinstance(type, Qualified) else type
    return inner.name if isinstance(inner, NamedType) else inner.key if isinstance(inner, RecordType) else "it"
