"""Who creates and fills what (rulebook section 1, "producer" and "consumer")."""

from __future__ import annotations

import re

from abigen.check.embedding import Uses
from abigen.model.api import Api
from abigen.model.ctype import CType, NamedType, RecordType
from abigen.model.entities import Field, Struct

CORE, PLUGIN = "core", "plugin"


def producer_of(struct: Struct, api: Api) -> str:
    """Who fills a struct, by the prefix of its name or its own contract.

    Returns:
        `core`, `plugin`, or the empty string when nothing says so.
    """
    return _said_by(struct.contract.set_by) or _by_prefix(struct.name, api)


def filler_of(field: Field, struct: Struct, api: Api) -> str:
    """Who fills a member: what it says itself, else who fills the struct."""
    return _said_by(field.contract.set_by) or producer_of(struct, api)


_MAX_BASES = 63
"""How deep a base struct may be embedded in others: as deep as every compiler allows (C 5.2.4.1)."""


_CALLED_SIZE = r"(?:n|dw|cb|u|arg|self)?(?:struct(?:ure)?)?(?:size|sz|len|length)(?:ofstruct(?:ure)?)?"
"""What a member that holds its struct's size may be called, as `_plain` has it, if there is more evidence."""
_SAYS_OWN_SIZE = r"(?i)\bsize\s+of\s+(?:this|the)\s+(?:data\s+)?struct(?:ure)?\b"
_MEASURED = r"\bsizeof\s*\(\s*(?:(?:struct|union)\s+)?(\w+)\s*\)"
_BEGINS_WITH_SIZE = r"\(?\s*(?:\([\w\s]+\)\s*)?\{\s*(?:\.\w+\s*=\s*)?" + _MEASURED
"""An initialiser: `{ sizeof(T), ...}`."""


def size_member(struct: Struct, api: Api) -> str:
    """The path of the member in which a struct carries its own size.

    It is the first member, or the first member of a struct that is embedded first; it has the name that the API has
    agreed on, or is called `size` or the like and said to be the struct's: by its comment, or by an initialiser.

    Returns:
        `struct_size`, `base.struct_size`; the empty string when there is none.
    """
    seen = {struct.name}
    path = ""
    current: Struct | None = struct
    while current is not None and current.fields and not current.is_union and len(seen) <= _MAX_BASES:
        first = current.fields[0]
        if _plain(first.name) == _plain(api.conventions.size_field) or _is_said_to_be_size(first, current, api):
            return path + first.name if _is_size(first.type, api) else ""
        current = api.struct_of(first.type)
        if current is None or current.name in seen:
            return ""
        seen.add(current.name)
        path += f"{first.name}." if first.name else ""
    return ""


def late_size_member(struct: Struct, api: Api) -> str:
    """The member that has the agreed name of a size and is not the first; the empty string when there is none."""
    wanted = _plain(api.conventions.size_field)
    return next((each.name for each in (struct.fields or ())[1:] if _plain(each.name) == wanted), "")


def by_value_passes(struct: Struct, uses: Uses) -> tuple[str, ...]:
    """Clauses for each place where a struct is a parameter or a result by value, itself or inside another one."""
    return tuple(str(use) for use in uses.of(struct.name) if use.kind in ("parameter", "result"))


def is_versioned(struct: Struct, api: Api, uses: Uses) -> bool:
    """Whether a struct may grow: it carries its size, and is handed over by pointer only (rulebook section 1)."""
    return bool(size_member(struct, api)) and not by_value_passes(struct, uses)


def _said_by(set_by: str) -> str:
    """`core` or `plugin`; a member that both sides set has no single producer."""
    return set_by if set_by in (CORE, PLUGIN) else ""


def _by_prefix(name: str, api: Api) -> str:
    """By the longest prefix that fits."""
    fitting = [prefix for prefix in api.conventions.filled_by if name.startswith(prefix)]
    return api.conventions.filled_by[max(fitting, key=len)] if fitting else ""


def _is_said_to_be_size(first: Field, struct: Struct, api: Api) -> bool:
    """Whether a member whose name is not the agreed one holds its struct's size by all that the header says."""
    if not re.fullmatch(_CALLED_SIZE, _plain(first.name)):
        return False
    if re.search(_SAYS_OWN_SIZE, first.doc):
        return True
    measured = [found[1] for found in re.finditer(_MEASURED, first.doc)]
    measured += [found[1] for each in api.constants.values() if (found := re.match(_BEGINS_WITH_SIZE, each.text))]
    return any(_is_called(struct, name, api) for name in measured)


def _is_called(struct: Struct, name: str, api: Api) -> bool:
    """Whether a struct goes by a name, its own or a typedef's."""
    if name == struct.name:
        return True
    typedef = api.typedefs.get(name)
    return typedef is not None and api.struct_of(typedef.type) is struct


def _plain(name: str) -> str:
    """A name without what spellings differ in: `structSize`, `struct_size`."""
    return name.replace("_", "").lower()


def _is_size(type: CType, api: Api) -> bool:
    """Whether a type can hold a size: not a pointer, a struct or the like."""
    if isinstance(type, NamedType) and type.name == "size_t":
        return True
    resolved = api.resolve(type)
    return not isinstance(resolved, RecordType) and api.is_integer(resolved)
