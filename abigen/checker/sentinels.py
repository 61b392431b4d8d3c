"""Sentinels (enumerators that count the others, such as `TOY_KIND_COUNT`) and constants that follow from another."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from fnmatch import fnmatchcase
from itertools import accumulate
from typing import Literal

import msgspec

from abigen.checker.constants import PART_OF_NUMBER, identifiers, value_of
from abigen.model.api import Api
from abigen.model.entities import Constant
from abigen.model.layout import Layouts
from abigen.model.meaning import NUMBER, TEXT, Meaning
from abigen.model.spelling import words_of

NAMES_OF_ENDS = re.compile(
    r"(?:^|_)(?:MAX|LAST|LATEST|CURRENT|NEWEST|HIGHEST|END|COUNT|CNT|NUM|NUMBER|NR|TOTAL|NB|SENTINEL)(?:_|$)|_SUPPORTED$"
    r"|(?<=[a-z0-9])(?:Max|Last|Latest|Current|End|Count|Num)_?$"
    r"|(?:^|[a-z0-9_])Num[A-Z][A-Za-z]*s$"
)
"""Names that sound like the end of a list (`X_COUNT`, `kNumKinds`); that one is, its values have to show."""
_ENDS_SOMETHING_BEGUN = re.compile(r"(?:^|_)END(?:_|$)|(?<=[a-z0-9])End_?$")
_MAY_END = re.compile(r"(?:^|_)SIZE_?$|(?<=[a-z0-9])Size_?$")
"""Names that may be an end or a value like others (`PROPERTY_SIZE`): behind another end they are one."""
SAID_TO_END = re.compile(
    r"\b(?:must|keep|always|stays?|leave)\b[^.]*\blast\b|\bsentinel\b|\bend of (?:the |this )?(?:list|enum)"
    r"|\b(?:number|count) of (?:them|these|all (?:of )?(?:them|these)|(?:the )?(?:above|enumerators|values|entries))",
    re.IGNORECASE,
)
"""Comments that say so of any name: `Keep last.`, `Number of the above.`"""
_BEGINS = re.compile(r"(?:^|_)(?:BEGIN|START)_?$|(?<=[a-z0-9])(?:Begin|Start)$")
PINS = (0x7FFFFFFF, 0xFFFFFFFF)
"""Values that keep a type 32 bits wide and are the end of nothing."""


_WORD_OF_END = re.compile(r"_?(?:MAX(?:IMUM)?|LAST|END|COUNT|CNT|NUM|TOTAL)_*$|(?:Max|Last|End|Count|Num)_*$")
"""The word that the name of an end adds to the name of its list."""
_LEAST = re.compile(r"(?:^|_)MIN(?:IMUM)?_?$|(?<=[a-z0-9])Min(?:imum)?$")
"""Names of a smallest one: beside it a greatest one is a value like others, and so is a sum or a count."""


_COVERS = re.compile(r"(?:^|_)(?:MASK|MSK|SUPPORTED|ALL|KNOWN|VALID|AVAILABLE|FLAGS|BITS|ANY)_*$")
"""Names of what has all bits of a set of flags: `X_MASK`, `X_SUPPORTED`."""
_BEHIND_LAST = re.compile(r"(?:^|_)(?:LAST_?P(?:LUS)?_?(?:1|ONE)|LAST_?1|NEXT|END|LIMIT|MAX)_*$")
"""Names of the first bit behind a set of flags: `X_LASTP1`."""
_SAID_TO_FOLLOW = re.compile(
    r"\b(?:must|should|shall|has to|needs to) be (?:updated|raised|changed|increased)\b[^.]*\b(?:add(?:ed|ing)?|new)\b",
    re.IGNORECASE,
)
"""Comments of a constant that follows the others: `Must be updated when a new event is added.`"""
_COUNTS = re.compile(r"(?:^|_)(?:COUNT|CNT|NUM|NR|NUMBER|TOTAL)_*$")
"""Names of the number of elements of a set: `X_COUNT`."""


def stem_of_set(name: str) -> str:
    """Return what the names of a set begin with, given the name of its mask, count or end; empty for other names."""
    found = next(filter(None, (each.search(name) for each in (_COVERS, _BEHIND_LAST, _COUNTS))), None)
    stem = name[: found.start()].strip("_") if found else ""
    return stem_of_set(stem) or stem if stem else ""


def role_of(name: str) -> str:
    """Return what a constant is there for, by its name, in words."""
    return "has the bits of a set" if _COVERS.search(name) else "ends the list"


def follows_a_list(name: str, comment: str) -> bool:
    """True if a constant is the next value after a list (`_X_NEXT`): its name begins with `_`, or its comment says so.

    Another `X_NEXT` may be a value like others, as that of a command.
    """
    return bool(_BEHIND_LAST.search(name)) and (name.startswith("_") or bool(_SAID_TO_FOLLOW.search(comment)))


def cause_behind_list(name: str, old: Mapping[str, int], new: Mapping[str, int]) -> str:
    """Return the new constant because of which the value after a list grew; empty where that does not fit.

    Args:
        name: of a constant that follows the list.
        old: OLD's names and values whose names begin alike, with its own.
        new: NEW's.
    """
    before, after = ({each: value for each, value in side.items() if each != name} for side in (old, new))
    tops = [max(side.values(), default=-1) for side in (before, after)]
    if (old[name], new[name]) != (tops[0] + 1, tops[1] + 1):
        return ""
    return next((each for each, value in after.items() if each not in before and value == tops[1]), "")


def find_covers(old: Mapping[str, int], new: Mapping[str, int]) -> dict[str, str]:
    """Find masks, counts and ends of sets of constants that grew only because new constants came.

    A mask may gain the bits of new constants and lose none. A count rises by the number of new values. An end stays
    twice the highest bit. All names of a set begin alike.

    Args:
        old: OLD's names and values.
        new: NEW's.

    Returns:
        Each name to the first new constant of its set.
    """
    found = {}
    for name, value in old.items():
        stem = stem_of_set(name)
        if stem and new.get(name, value) != value and (cause := _cause_of_growth(name, f"{stem}_", old, new)):
            found[name] = cause
    return found


def _cause_of_growth(name: str, stem: str, old: Mapping[str, int], new: Mapping[str, int]) -> str:
    """Return the first new constant of a set that made its mask, count or end grow; empty for none."""
    before, after = (
        {each: value for each, value in side.items() if each.startswith(stem) and not stem_of_set(each)}
        for side in (old, new)
    )
    was, now = old[name], new[name]
    fresh = {each: value for each, value in after.items() if each not in before and value >= 0}
    if _COVERS.search(name) and was >= 0 and now & was == was:
        gained = {each: value for each, value in fresh.items() if value and value & (now & ~was) == value}
        covered = 0
        for value in gained.values():
            covered |= value
        return next(iter(gained)) if gained and covered == now & ~was else ""
    bits = [
        max((each for each in side.values() if each > 0 and not each & (each - 1)), default=0)
        for side in (before, after)
    ]
    if _BEHIND_LAST.search(name) and fresh and bits[0] and (was, now) == (2 * bits[0], 2 * bits[1]):
        return (
            next(each for each, value in after.items() if value == bits[1] and each in fresh)
            if bits[1] in fresh.values()
            else ""
        )
    sizes = [len(set(side.values())) for side in (before, after)]
    is_list = sorted(set(before.values())) == list(range(sizes[0]))  # what counts from 0 is a list, and has an end
    if _COUNTS.search(name) and fresh and not is_list and (was, now) == (sizes[0], sizes[1]):
        return next(iter(fresh))
    return ""


class _ListEnd(msgspec.Struct, frozen=True):
    """The ends of one state of an enumeration, and the last value before them."""

    ends: Set[str]
    top: int
    """The highest value of all that are no ends; -1 where there are none."""


def find_sentinels(
    old: Mapping[str, int], new: Mapping[str, int], comments: Mapping[str, str], patterns: Sequence[str]
) -> dict[str, str]:
    """Return the sentinels of each side that has them and that moved only because others were added.

    A name or a comment makes an enumerator likely to be one. It is one if nothing but other ends, pins, second names
    and values below zero stand behind it, and if its value is the last one before it, or one more.

    Args:
        old: OLD's names and values, in the order of the text.
        new: NEW's.
        comments: what is written at each name.
        patterns: of names (`*_COUNT`) that sound like an end besides the usual ones.

    Returns:
        Their names, each to the new enumerator by which it grew; empty for those that both sides have alike, and for
        those that one side lacks.
    """
    names = {*old, *new}
    likely = {name for name in names if NAMES_OF_ENDS.search(name) or any(fnmatchcase(name, each) for each in patterns)}
    if any(map(_BEGINS.search, names)):
        likely = {name for name in likely if not _ENDS_SOMETHING_BEGUN.search(name)}
    least = {name[: found.start()].strip("_") for name in names if (found := _LEAST.search(name))}
    likely = {name for name in likely if _WORD_OF_END.sub("", name).strip("_") not in least}
    said = {name for name, comment in comments.items() if SAID_TO_END.search(comment)}
    likely |= said
    common = set.intersection(*(set(words_of(name)) for name in names)) if names else set()
    bare = said | {name for name in names if len(set(words_of(name)) - common) == 1}
    first = _grown(old, new, _list_end(old, likely, bare), _list_end(new, likely, bare))
    return {**_grown(old, new, _end_of_all(old, likely), _end_of_all(new, likely)), **first}


def _grown(old: Mapping[str, int], new: Mapping[str, int], before: _ListEnd, after: _ListEnd) -> dict[str, str]:
    """Return the ends that moved as far as the last value before them, each with the new enumerator of that value."""
    rise = after.top - before.top
    came = (name for name, value in new.items() if name not in old and value == after.top)
    cause = next(came, "") if rise > 0 else ""
    found = {}
    for name in sorted(before.ends | after.ends):
        if name not in old or name not in new:
            found[name] = ""
        elif name in before.ends and name in after.ends and new[name] - old[name] == (rise if cause else 0):
            found[name] = cause
    return found


def _list_end(values: Mapping[str, int], likely: Set[str], bare: Set[str]) -> _ListEnd:
    """Return the ends of one side, and what they follow.

    Args:
        values: of one side, in the order of the text.
        likely: names that sound like an end, or are said to be one.
        bare: names that say nothing else: several of them may follow each other, and `X_SIZE` may follow another one.
    """
    first = min((values[name] for name in likely if name in values), default=None)
    if first is None:
        return _ListEnd(frozenset(), -1)
    ends = {name for name in values if name in likely or (name in bare and _MAY_END.search(name))}
    ends = {name for name in ends if values[name] >= first}
    ends |= {name for name in values if _COVERS.search(name)}  # a mask is above all flags
    others = {name: value for name, value in values.items() if not (name in ends or value in PINS)}
    top = max((-1, *others.values()))
    last = _last_place(values, others)
    places = {name: place for place, name in enumerate(values)}
    accepted = {name for name in ends & likely if places[name] > last and values[name] - top in (0, 1)}
    for name in sorted(ends & bare - accepted, key=values.__getitem__):
        if places[name] > last and any(values[name] - values[each] in (0, 1) for each in accepted):
            accepted.add(name)
    return _ListEnd(accepted, top)


def _end_of_all(values: Mapping[str, int], likely: Set[str]) -> _ListEnd:
    """Return the ends of a list with several names like ends: the last one, and names that count back from it.

    It is one more than all before it, or as much as the highest; nothing behind it has a higher value.
    """
    names = [name for name, value in values.items() if value not in PINS]
    highest = list(accumulate((values[each] for each in names), max))
    for place in range(len(names) - 1, 0, -1):
        name, top = names[place], highest[place - 1]
        if name in likely and values[name] == top + 1:
            behind = names[place + 1 :]
            counted_back = [each for each in behind if each in likely and values[name] - values[each] in (0, 1)]
            return _ListEnd({name, *counted_back} if len(counted_back) == len(behind) else frozenset(), top)
    return _ListEnd(frozenset(), -1)


def _last_place(values: Mapping[str, int], others: Mapping[str, int]) -> int:
    """Return the place of the last enumerator with a value of its own that is no end; second names do not count.

    Args:
        values: of all, in the order of the text.
        others: of those that are no ends and no pins.
    """
    firsts: dict[int, str] = {}
    for name, value in others.items():
        firsts.setdefault(value, name)
    own = {name for value, name in firsts.items() if value >= 0}
    return max((place for place, name in enumerate(values) if name in own), default=-1)


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
"""The names of the parts of a version: `X_VERSION_EXTRA`, `X_NANO`, `X_RELEASE_DATE`."""
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
    """True if a constant is there to change: a number that rises and is called a version, or text for people.

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
    """Return the enumerators that are version numbers and rose: constants, or the end of a list of versions.

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
    """True if a constant is a part of a version, or the same one in other words, by its name and those beside it.

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
    """Return a name as macros are written: `FOO_VERSION_MAJOR` of `kFooVersionMajor`."""
    if "_" in name.strip("_") or name.isupper():
        return name.upper()
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", re.sub(r"^k(?=[A-Z])", "", name)).upper()


def _is_of_version(name: str) -> bool:
    """True if a name says that it is of a version."""
    return bool(re.search(_CALLED_VERSION, name, re.IGNORECASE) or re.search(_CAMEL_VERSION, name))


def grown_by(name: str, old: Meaning, new: Meaning, old_layouts: Layouts, new_layouts: Layouts) -> str:
    """Return the new constant that made the end of a list of others (`X_MAX`, `X_COUNT`) grow; empty for none.

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
    """Return the first new constant that a mask of named bits names in NEW, if it gained only such constants."""
    before, after = old_layouts.api.constants.get(name), new_layouts.api.constants.get(name)
    if before is None or after is None or new & old != old or old < 0 or "|" not in after.text:
        return ""
    fresh = [each for each in identifiers(after.text) - identifiers(before.text) if value_of(each, old_layouts) is None]
    gained = 0
    for each in fresh:
        gained |= value_of(each, new_layouts) or 0
    return min(fresh) if fresh and gained & ~old == new & ~old else ""


def _family(stem: str, layouts: Layouts) -> dict[str, int]:
    """Return the numbers whose names begin alike: enumerators, and macros behind them, as written."""
    start = f"{stem}_"
    names = dict.fromkeys((*layouts.api.enumerators, *layouts.api.constants))
    found = ((each, value_of(each, layouts)) for each in names if each.startswith(start))
    return {each: value for each, value in found if value is not None}
