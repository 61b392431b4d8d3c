"""What differs between two states of one member that is still there: its type, in the one way that matters most."""

from __future__ import annotations

from typing import NamedTuple

from abigen.check.pairing.equality import Equality, peel
from abigen.check.pairing.fields import MemberPair, is_reserved
from abigen.check.signature import SignatureChange, compare_signatures, differ_in_qualifiers
from abigen.model.ctype import Array, Basic, BitInt, CType, EnumType, FunctionType, Pointer, RecordType
from abigen.model.layout import Layouts

BIT_FIELD, FLEXIBLE, ARRAY_LENGTH = "bit-field", "flexible", "array-length"
CALLBACK, QUALIFIER, TYPE = "callback", "qualifier", "type"


class MemberChange(NamedTuple):
    """How a member changed; `signature` is there for callbacks, and for qualifiers inside one."""

    kind: str
    signature: SignatureChange | None = None


def member_change(pair: MemberPair, equality: Equality) -> MemberChange | None:
    """Classify the change of one member.

    Returns:
        None when its type is the same on the target, however it is spelled.
    """
    old, new = pair.old, pair.new
    is_spelled_alike = old.bit_width == new.bit_width and old.field.type == new.field.type
    if is_spelled_alike and equality.names_are_enough:
        return None
    if is_reserved(old) and is_reserved(new) and old.behind == new.behind and new.place >= old.place:
        return None
    if (old.bit_width is None) != (new.bit_width is None) or old.bit_width != new.bit_width:
        return MemberChange(BIT_FIELD)
    return type_change(old.field.type, new.field.type, equality)


def type_change(old: CType, new: CType, equality: Equality) -> MemberChange | None:
    """Classify the difference of two types.

    Returns:
        None when they are the same; two parameters of one type that changed places are a difference all the same.
    """
    if equality.same(old, new):
        return None if old == new else _exchanged(old, new, equality)
    if is_flexible(old) != is_flexible(new):
        return MemberChange(FLEXIBLE)
    old_core, new_core = peel(old, equality.old_layouts)[1], peel(new, equality.new_layouts)[1]
    if isinstance(old_core, Array) and isinstance(new_core, Array) and _same_elements(old_core, new_core, equality):
        return MemberChange(ARRAY_LENGTH)
    functions = functions_behind(old, new, equality)
    if functions:
        signature = compare_signatures(*functions, equality)
        if signature.breaks_calls:
            return MemberChange(CALLBACK, signature)
        return MemberChange(QUALIFIER, signature)
    if differ_in_qualifiers(old, new, equality):
        return MemberChange(QUALIFIER)
    return MemberChange(TYPE)


def _exchanged(old: CType, new: CType, equality: Equality) -> MemberChange | None:
    """Whether two functions of the same type take the same parameters in another order."""
    functions = functions_behind(old, new, equality)
    signature = compare_signatures(*functions, equality) if functions else None
    return MemberChange(CALLBACK, signature) if signature and signature.breaks_calls else None


def is_flexible(type: CType) -> bool:
    """Whether a type is an array without a length."""
    return isinstance(type, Array) and type.length is None


def functions_behind(old: CType, new: CType, equality: Equality) -> tuple[FunctionType, FunctionType] | None:
    """The two functions that both types reach through the same pointers and arrays; None when they do not."""
    while True:
        old, new = peel(old, equality.old_layouts)[1], peel(new, equality.new_layouts)[1]
        if isinstance(old, FunctionType) and isinstance(new, FunctionType):
            return old, new
        if isinstance(old, Pointer) and isinstance(new, Pointer):
            old, new = old.target, new.target
        elif isinstance(old, Array) and isinstance(new, Array) and equality.same_length(old.length, new.length):
            old, new = old.element, new.element
        else:
            return None


def representation(type: CType, layouts: Layouts) -> str:
    """How a type's bytes are read: `pointer`, `floating`, `signed`, `unsigned`, or the type itself for all others."""
    core = layouts.resolve(type)
    if isinstance(core, Pointer):
        return "pointer"
    if isinstance(core, EnumType):
        core = Basic(layouts.underlying_type(core.key))
    if isinstance(core, BitInt):
        return "signed" if core.signed else "unsigned"
    if isinstance(core, Basic):
        if core.name == "_Bool":
            return "_Bool"
        if {"float", "double"} & set(core.name.split()) or core.name in ("_Float16", "__bf16", "__float128"):
            return "floating"
        return "signed" if layouts.target.is_signed(core.name) else "unsigned"
    if isinstance(core, RecordType):
        return f"{layouts.api.structs[core.key].kind} {core.key}"
    return "array" if isinstance(core, Array) else "other"


def _same_elements(old: Array, new: Array, equality: Equality) -> bool:
    """Whether two arrays consist of the same type, whatever their lengths at any depth."""
    before, after = peel(old.element, equality.old_layouts)[1], peel(new.element, equality.new_layouts)[1]
    if isinstance(before, Array) and isinstance(after, Array):
        return _same_elements(before, after, equality)
    return equality.same(old.element, new.element)
