"""The constants that are there to change: parts of versions, text for people, and the ends of lists."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Literal

from abigen.check.constants import NUMBER, PART_OF_NUMBER, TEXT, Meaning, identifiers, value_of
from abigen.check.sentinels import cause_behind_list, find_covers, find_sentinels, follows_a_list, stem_of_set
from abigen.model.api import Api
from abigen.model.entities import Constant
from abigen.model.layout import Layouts

_CALLED_VERSION = (
    r"(?:^|_)(?:SO_?)?(?:VERSION|REVISION|VER|VERNUM)(?:_RELEASE)?(?:_(?:NUMBER|NUM|COMPLETE|CODE|HEX|INT|FULL|STRING|STR|TEXT|CURRENT|LATEST))?"
    r"(?:_M)?_*$"
)
_CAMEL_VERSION = r"(?:[a-z0-9_]|API|ABI)Version$"
_PART_WORD = (
    r"MAJOR|MINOR|PATCH|PATCH_?LEVEL|MICRO|NANO|TWEAK|REVISION|HOTFIX|BUGFIX|PRE_?RELEASE|RC|BUILD"
    r"|(?:RELEASE_|BUILD_)?DATE"
)
_PART_OF_VERSION = re.compile(
    rf"(?P<stem>\w*?)_?(?:(?:SO|LIB|API|ABI)?_?(?:VERSION|VER|RELEASE)_(?:{_PART_WORD}|EXTRA|SUFFIX|PRE|POST|BETA|ALPHA"
    r"|STATUS|STAGE|TAG|LABEL|QUALIFIER|METADATA|NUMBER|NUM|STRING|STR|TEXT|HEX|DEC|INT|CODE|FULL|LONG|SHORT|DOTTED|NAME"
    r"|YEAR|MONTH|DAY|TIMESTAMP|LEVEL|SERIAL|COMMIT|HASH|SHA)"
    rf"|(?:API_|ABI_)?(?:{_PART_WORD}|SO_?VERSION|SO_?NUM)(?:_(?:VERSION|VER|NUMBER|NUM|STRING|STR))?)_*"
)
"""What the parts of a version are called: `X_VERSION_EXTRA`, `X_NANO`, `X_RELEASE_DATE`."""
_OF_TEXTS, _TEXT_OR_DATE = r"(?<!VERSION)_(?:DATE|RC)_*$", r'"|(?:19|20)\d\d'
"""A date is one, and a candidate for a release is called so; other numbers of these names are something else."""
_PACKAGE = r"(?:\w+_)?PACKAGE_(?:STRING|VERSION)"
_KEY = r"\(*\s*0[xX]0*[1-9a-fA-F][0-9a-fA-F]{2}"
"""A number beyond a byte, as those by which a version is asked for: `X_CONTEXT_VERSION_MAJOR 0x2002`."""
_DATED = r'"\W*(?:\w*Date\w*\W*)?(?:19|20)\d\d-?[01]\d-?[0-3]\d'
_DIGEST = r'"[0-9a-fA-F]{16,}"'
_CALLED_NOTE = re.compile(
    r"(?:^|_)(?:COPYRIGHTS?|COPYLEFT|RELEASE(?:_?(?:NAME|STRING|STR|TEXT|TAG|DATE))?|(?:BUILD_?|RELEASE_?)?(?:DATE|TIMESTAMP)"
    r"|(?:GIT|SVN|HG|CVS|VCS|SCM|SOURCE|SRC)_?(?:REVISION|REV|COMMIT|HASH|SHA|SHA1|ID|TAG|BRANCH|DESCRIBE|VERSION)"
    r"|COMMIT(?:_?(?:HASH|ID|SHA))?|RCS_?ID|SCCS_?ID|CVS_?ID)_*$"
)
_NOTE = re.compile(r'"\W*(?i:copyright\b|\(c\) ?(?:19|20)\d\d|©|\$(?:id|date|revision|rev|header|author)\b|@\(#\))')
"""Texts for people: `"Copyright (C) 1994 ..."`, keywords of version control systems. By name alone a text is one only
if there is a number in it: `X_RELEASE "release"` is the name of something."""


def tells_versions_apart(name: str, old: Meaning, new: Meaning) -> bool:
    """Whether a constant is there to change: a number that rises and is called a version, or text for people.

    Such text tells a version, a release, a date, a copyright, a checksum, or a revision of the source.

    Args:
        name: the constant's.
        old: what OLD says.
        new: what NEW says.
    """
    if old.kind != new.kind:
        return False
    if old.kind == NUMBER:
        return _is_of_version(name) and rises(old, new)
    if old.kind != TEXT or not (isinstance(old.value, str) and isinstance(new.value, str)):
        return False
    if _is_of_version(name):
        return True
    if _CALLED_NOTE.search(_words(name)) and re.search(r"\d", old.value) and re.search(r"\d", new.value):
        return True
    patterns = (_DATED, _DIGEST, _NOTE)
    return any(re.match(pattern, old.value) and re.match(pattern, new.value) for pattern in patterns)


def rises(old: Meaning, new: Meaning) -> bool:
    """True if both are numbers, and NEW's is larger."""
    return old.kind == new.kind == NUMBER and int(new.value) > int(old.value)


def versions_that_rose(old: Mapping[str, int], new: Mapping[str, int], *, is_named: bool) -> list[str]:
    """The enumerators that are numbers of versions and rose: constants, or the one that lists of versions end with.

    Args:
        old: OLD's names and values.
        new: NEW's.
        is_named: whether the enumeration has a name; then all of its names have to speak of versions.
    """
    if is_named and not all(re.search(r"(?:^|_)VERSION(?:_|$)", name) for name in (*old, *new)):
        return []
    return [
        name
        for name, value in old.items()
        if name in new and tells_versions_apart(name, Meaning(NUMBER, value), Meaning(NUMBER, new[name]))
    ]


def part_of_version(constant: Constant, api: Api) -> Literal["", "own", "other"]:
    """Whether a constant is a part of a version, or the same one in other words, by its name and those beside it.

    Args:
        constant: of `api`.
        api: where it stands.

    Returns:
        `own` for the version that the API states; `other` where a major and a minor number stand beside it, or its file
        is named after the version; empty for none.
    """
    match = _PART_OF_VERSION.fullmatch(_words(constant.name))
    if match is None or (re.search(_OF_TEXTS, match[0]) and not re.search(_TEXT_OR_DATE, constant.text)):
        return "other" if re.fullmatch(_PACKAGE, constant.name) else ""
    stating = [_words(name) for name, _ in api.version.macros] if api.version else []
    if any(re.sub(PART_OF_NUMBER, "", each).strip("_") == match["stem"].strip("_") for each in stating):
        return "own"
    found = [_PART_OF_VERSION.fullmatch(_words(each)) for each in api.constants]
    others = " ".join(each[0] for each in found if each and each["stem"] == match["stem"])
    file = re.split(r"[/\\:]", constant.span.file)[-1] if constant.span else ""
    is_beside = ("MAJOR" in others and "MINOR" in others) or "version" in file.lower()
    return "other" if is_beside and not re.match(_KEY, constant.text) else ""


def _words(name: str) -> str:
    """A name as macros are written: `FOO_VERSION_MAJOR` of `kFooVersionMajor`."""
    if "_" in name.strip("_") or name.isupper():
        return name.upper()
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", re.sub(r"^k(?=[A-Z])", "", name)).upper()


def _is_of_version(name: str) -> bool:
    """Whether a name says that it is of a version."""
    return bool(re.search(_CALLED_VERSION, name, re.IGNORECASE) or re.search(_CAMEL_VERSION, name))


def grown_by(name: str, old: Meaning, new: Meaning, old_layouts: Layouts, new_layouts: Layouts) -> str:
    """The new constant because of which one that ends a list of others (`X_MAX`, `X_COUNT`) grew; empty for none.

    The list are the constants and enumerators whose names begin alike, and what holds for an enumeration's sentinels
    holds for its end.

    Args:
        name: the constant's.
        old: its value in OLD.
        new: its value in NEW.
        old_layouts: OLD's.
        new_layouts: NEW's.
    """
    if not (old.kind == new.kind == NUMBER) or int(new.value) <= int(old.value):
        return ""
    if cause := _named_bits(name, int(old.value), int(new.value), old_layouts, new_layouts):
        return cause
    if stem := stem_of_set(name):
        families = [
            {**_family(stem, each), name: int(value.value)} for each, value in ((old_layouts, old), (new_layouts, new))
        ]
        if cause := find_covers(*families).get(name, ""):
            return cause
        constant = new_layouts.api.constants.get(name)
        if constant is not None and follows_a_list(name, constant.doc):
            return cause_behind_list(name, *families)
    patterns = new_layouts.api.conventions.sentinels
    pattern = next((each for each in patterns if fnmatchcase(name, each)), "")
    stem = name[: len(name) - len(pattern.lstrip("*"))]
    if not pattern or not stem:
        return ""
    return find_sentinels(_family(stem, old_layouts), _family(stem, new_layouts), {}, patterns).get(name, "")


def _named_bits(name: str, old: int, new: int, old_layouts: Layouts, new_layouts: Layouts) -> str:
    """The first new constant that a mask of named bits names in NEW, where all that it gained are such constants."""
    before, after = old_layouts.api.constants.get(name), new_layouts.api.constants.get(name)
    if before is None or after is None or new & old != old or old < 0 or "|" not in after.text:
        return ""
    fresh = [each for each in identifiers(after.text) - identifiers(before.text) if value_of(each, old_layouts) is None]
    gained = 0
    for each in fresh:
        gained |= value_of(each, new_layouts) or 0
    return min(fresh) if fresh and gained & ~old == new & ~old else ""


def _family(stem: str, layouts: Layouts) -> dict[str, int]:
    """The numbers whose names begin alike: enumerators, and macros behind them, as written."""
    start = f"{stem}_"
    enums = layouts.api.enums.values()
    names = {each.name: None for enum in enums for each in enum.enumerators or () if each.name.startswith(start)}
    names |= {each: None for each in layouts.api.constants if each.startswith(start)}
    found = ((each, value_of(each, layouts)) for each in names)
    return {each: value for each, value in found if value is not None}
