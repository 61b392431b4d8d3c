"""Constants whose value moves with every release, as it has to: numbers of versions, and the ends of lists."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase

from abigen.check.pairing.constants import NUMBER, TEXT, Meaning
from abigen.model.layout import Layouts
from abigen.model.span import AbigenError

_VERSION = (
    r"(?:^|_)(?:VERSION|REVISION|VER|VERNUM)(?:_RELEASE)?(?:_(?:NUMBER|NUM|COMPLETE|CODE|HEX|INT|FULL|STRING|STR|TEXT|CURRENT|LATEST))?"
    r"(?:_M)?_*$"
)
_CAMEL_VERSION = r"(?:[a-z0-9_]|API|ABI)Version$"
_DATED = r'"\s*(?:19|20)\d\d-?[01]\d-?[0-3]\d'
_DIGEST = r'"[0-9a-fA-F]{16,}"'


def tells_versions_apart(name: str, old: Meaning, new: Meaning) -> bool:
    """Whether a constant is there to change: a number that rises and is called a version, a date, or a checksum.

    Args:
        name: the constant's.
        old: what OLD says.
        new: what NEW says.
    """
    if old.kind != new.kind:
        return False
    if old.kind == NUMBER:
        return _is_of_version(name) and int(new.value) > int(old.value)
    if old.kind != TEXT or not (isinstance(old.value, str) and isinstance(new.value, str)):
        return False
    if _is_of_version(name):
        return True
    return any(re.match(pattern, old.value) and re.match(pattern, new.value) for pattern in (_DATED, _DIGEST))


def _is_of_version(name: str) -> bool:
    """Whether a name says that it is of a version."""
    return bool(re.search(_VERSION, name, re.IGNORECASE) or re.search(_CAMEL_VERSION, name))


def ends_a_list(name: str, old: Meaning, new: Meaning, old_layouts: Layouts, new_layouts: Layouts) -> bool:
    """Whether a constant is the end of a list of others (`X_MAX`, `X_COUNT`), and grew because new ones came.

    Args:
        name: the constant's.
        old: its value in OLD.
        new: its value in NEW.
        old_layouts: OLD's.
        new_layouts: NEW's.

    Returns:
        True when one that OLD lacks, whose name begins alike, has the last value, or the one before it.
    """
    if not (old.kind == new.kind == NUMBER) or int(new.value) <= int(old.value):
        return False
    api = new_layouts.api
    pattern = next((each for each in api.conventions.sentinels if fnmatchcase(name, each)), "")
    stem = name[: len(name) - len(pattern.lstrip("*"))]
    if not pattern or not stem:
        return False
    ends = (int(new.value), int(new.value) - 1)
    known = old_layouts.api
    for constant in api.constants.values():
        if constant.name.startswith(f"{stem}_") and constant.name not in known.constants and constant.name != name:
            try:
                if constant.expression is not None and new_layouts.evaluate(constant.expression) in ends:
                    return True
            except AbigenError:
                continue
    return any(
        each.name.startswith(f"{stem}_") and old_layouts.enumerator(each.name) is None and each.value in ends
        for enum in api.enums.values()
        for each in enum.enumerators or ()
    )
