"""Size constants of structs that do not exist: no compiler takes them, so they are known by their words alone."""

from __future__ import annotations

import re
from collections.abc import Sequence

from abigen.model.ctype import Binary, Expression, NamedType, OffsetOf, SizeOf, SizeOfMember
from abigen.model.entities import Entity, SizeConstant
from abigen.read.c.syntax.names import KnownNames
from abigen.read.c.unit import Token

_STRUCT = r"(?:(?P<kind>struct|union) )?(?P<name>[A-Za-z_]\w*)"
_MEMBER = r"(?P<member>[A-Za-z_]\w*)"
_BY_OFFSET = re.compile(rf"\b(?:__builtin_)?offsetof \( {_STRUCT} , {_MEMBER}\b")
_BY_NULL = re.compile(rf"\( {_STRUCT} \* \) (?:0|NULL) \) -> {_MEMBER}\b")
_WHOLE = re.compile(rf"(?:\( )*sizeof \( {_STRUCT} \)(?: \))*")
_IS_SIZE = re.compile(r"STRUCT_?SIZE$", re.IGNORECASE)


def find_broken_size(
    entity: Entity, expression: Expression | None, tokens: Sequence[Token], names: KnownNames
) -> list[SizeConstant]:
    """Find out whether a macro would be a size constant if the struct that it names existed.

    Args:
        entity: the macro.
        expression: what it stands for, as far as that makes sense.
        tokens: its body, macros in it expanded.
        names: what has been declared.

    Returns:
        One size constant, of a struct that the API does not have, or nothing.
    """
    text = " ".join(token.text for token in tokens)
    if "sizeof" not in text:
        return []
    found = _BY_OFFSET.search(text) or _BY_NULL.search(text)
    member = found["member"] if found else ""
    if found is None and _IS_SIZE.search(entity.name):
        found = _WHOLE.fullmatch(text)
    if found is None:
        return []
    name = found["name"]
    if found["kind"]:
        # A tag that only the macro mentions has no key.
        is_unknown = not names.key_of_reference(found["kind"], next(each for each in tokens if each.text == name))
    else:
        is_unknown = expression is None and not names.is_type(name)
    if not is_unknown:
        return []
    type = NamedType(name)
    path = (member,)
    size = Binary("+", OffsetOf(type, path), SizeOfMember(type, path)) if member else SizeOf(type)
    return [SizeConstant(**vars(entity), struct=name, last_member=member, form="macro", expression=size)]
