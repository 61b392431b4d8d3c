"""The version that a header states of itself, in whichever of the usual ways."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from abigen.model.api import Api
from abigen.model.entities import Constant, VersionDeclaration
from abigen.model.version import Version, described_reading, explicit_version, read_version, readings

_PART = re.compile(
    r"^(?P<before>\w*?_)??(?P<part>MAJOR|MINOR|PATCH|REVISION|PATCHLEVEL|MICRO|HOTFIX|BUGFIX|RELEASE)"
    r"(?P<after>_(?:VERSION|VER|NUMBER|NUM|N))?$"
)
_NUMBER = re.compile(
    r"^(?P<before>\w*?)_?(?:API_|ABI_)?(?:VERSION|VERSION_NUMBER|VERSION_NUM|VERNUM|REVISION)(?:_NUMBER)?$"
)
_STRING = r"^\w*?_?(?:API_|ABI_|LIB_)?VERSION(?:_(?:STRING|STR|TEXT))?$"
_DIGITS = r'\(*\s*"(\d{1,9})"\s*\)*'
_NUMERAL = r"\b(0[xX][0-9a-fA-F]{1,16}|\d{1,20})[uUlL]*\b"
_KEY_VALUE = r"\(*\s*0[xX]0*[1-9a-fA-F][0-9a-fA-F]{2}"
"""A hexadecimal number beyond a byte, such as OpenGL's `GL_MAJOR_VERSION 0x821B`, is no part of a version."""
_RANK = {"MAJOR": 0, "MINOR": 1}
_ALWAYS_PATCH = ("PATCH", "REVISION", "PATCHLEVEL", "MICRO")
_OF_SOMETHING_ELSE = (
    r"(?:^|_)(?:SINCE|MIN|MINIMUM|MAX|MAXIMUM|OLDEST|REQUIRED|DEFAULT|EXPERIMENTAL|GET|SET|FLAGS?|BIT|MASK"
    r"|FORMAT|FILE|METALAYER|SCHEMA|NEXT|PREVIOUS|LAST|SUPPORTED|COMPAT|COMPATIBLE|COMPATIBILITY)(?:_|$)"
)
"""Words in the name of a number that is not the version which a header has."""
_SUBJECTS = re.compile(
    r"(?:^|_)(LANGUAGE|LANG|GRAMMAR|SYNTAX|BYTECODE|PROTOCOL|PROTO|WIRE|PACKET|MESSAGE|DATABASE|CACHE|STORAGE|DISK|DUMP"
    r"|SNAPSHOT|TLS|SSL|HTTP|FIRMWARE|HARDWARE|DRIVER|COMPILER|SERVER|CLIENT|PEER)(?=_|$)"
)
"""Words for what has a version of its own; a header has it only where its file is named so, too."""
_WHOLE_API = re.compile(r"(?:^|_)(?:API|ABI|INTERFACE|IFACE|PLUGIN|MODULE|EXTENSION|EXT|HOST|CORE)$")
"""The ends of names of structs whose version is that of the API: `toy_plugin`."""
_FLAG_VALUE = r"\(*\s*1[uUlL]*\s*\)*\s*<<\s*\w+\s*\)*"
"""One bit: `TOY_FIND_LAST_VERSION (1 << 1)`."""
_OF_A_KEY = re.compile(r"(?:^|_)(?:ATTRIB|ATTRIBUTE|ATTR|QUERY|PARAM|PARAMETER|PROPERTY|OPTION|SHIFT|OFFSET|MASK)_")
"""Words in the name of a key by which a version is asked for: `X_ATTRIB_MAJOR_VERSION 0x3098`."""

_NO_API = Api(name="")


def find_version(
    constants: Iterable[Constant],
    values: Mapping[str, int],
    texts: Sequence[str] = (),
    api: Api = _NO_API,
) -> VersionDeclaration | None:
    """Find the version among an API's own constants.

    Args:
        constants: object-like macros, in order of definition.
        values: the values of those that have one.
        texts: of the API's own files. A number that they define only where nobody has (`#ifndef X_VERSION`) is a
            setting of those who include them.
        api: what else it declares: macros of other headers, which an own one may stand for, and structs, which may
            have versions of their own.

    Returns:
        Major, minor and patch where three macros state them (`X_MAJOR`, `X_API_MAJOR`, `X_VERSION_MAJOR`,
        `X_MAJOR_VERSION`, `X` beside `X_MINOR`; with `X_REVISION`, `X_HOTFIX`, `X_RELEASE` for the patch level; numbers
        or strings of digits), else the parts of one number (`X_VERSION`; of several the one that the others' names
        continue), else those that a string states (`X_VERSION "1.2.3"`), else None.
    """
    carriers = _carriers(api)
    constants = [each for each in constants if not _is_of_something_else(each, carriers)]
    # Macros that state parts of one version, `X_MAJOR`, `X_MINOR`, `X_PATCH`: by their place in it.
    families: dict[str, dict[int, Constant]] = {}
    numbers: list[Constant] = []
    spelled = _spelled_parts(constants, values)
    valued = {each.name: each for each in constants if each.name in values or each.name in spelled}
    values = {**spelled, **values}
    for constant in valued.values():
        match = _PART.match(constant.name.strip("_"))
        if match is not None and not (_OF_A_KEY.search(constant.name) or re.match(_KEY_VALUE, constant.text)):
            parts = families.setdefault(f"{match['before'] or ''}*{match['after'] or ''}", {})
            rank = _RANK.get(match["part"], 2)
            if rank not in parts or (rank == 2 and match["part"] in _ALWAYS_PATCH):
                parts[rank] = constant
        elif _NUMBER.match(constant.name) and not re.fullmatch(_FLAG_VALUE, constant.text.strip()):
            numbers.append(constant)
    _add_bare_majors(families, valued)
    best = max((each for each in families.values() if 0 in each), key=len, default={})
    found = [values[best[rank].name] if rank in best else 0 for rank in range(3)]
    if best and all(number >= 0 for number in found):
        macros = tuple((best[rank].name, best[rank].span) for rank in sorted(best))
        return VersionDeclaration(version=Version(*found), macros=macros, parts=len(best))
    number = _of_the_whole(numbers)
    if number is not None and (values[number.name] < 0 or _is_setting(number.name, texts)):
        return None
    included = [each for each in api.constants.values() if not each.in_api]
    declared = None if number is None else _declared(number, values[number.name], constants, texts, included)
    return _stated_by_string(constants) if declared is None else declared


def _declared(
    constant: Constant, value: int, constants: Sequence[Constant], texts: Sequence[str], included: Sequence[Constant]
) -> VersionDeclaration | None:
    """The version that one number states, as far as its text, the comment on it and strings beside it tell."""
    others = {each.name: each for each in (*included, *constants)}
    text = constant.text.strip() or _initialiser(constant.name, texts)
    stating = [constant]
    while (other := others.pop(text.strip("() "), None)) is not None:  # one macro may stand for another
        stating.append(other)
        text = other.text.strip()
    macros = tuple((each.name, each.span) for each in stating)
    explicit = explicit_version(text)
    if explicit is not None:
        return VersionDeclaration(version=explicit[0], macros=macros, parts=explicit[1])
    numerals = [each for each in re.findall(_NUMERAL, text.replace("'", "")) if _value(each) == value]
    spelling = numerals[0] if len(numerals) == 1 else str(value)
    number = int(spelling) if spelling.isdigit() else value  # 010 means 0.1.0 to people, whatever it means to C
    found = readings(constant.name, spelling, number)
    said = [*(each.doc for each in stating), *(each.text for each in constants if re.match(_STRING, each.name))]
    described = next(filter(None, (described_reading(each, found, number) for each in said)), None)
    found = (described,) if described is not None else found
    if not found:
        return None
    version = found[0].version(number)
    return VersionDeclaration(
        version=version, macros=macros, parts=len(found[0].weights), number=number, spelling=spelling, readings=found
    )


def _initialiser(name: str, texts: Iterable[str]) -> str:
    """How the value of an enumerator is written."""
    found = (re.search(rf"\b{name}\s*=\s*([^,}}\n]*)", each) for each in texts)
    return next((each[1] for each in found if each), "")


def _value(numeral: str) -> int | None:
    """The value that C gives to a number."""
    try:
        return int(numeral, 8 if numeral.isdigit() and numeral.startswith("0") else 0)
    except ValueError:
        return None


def states_parts(names: Iterable[str]) -> bool:
    """Whether names are those of the parts of a version, and nothing else: what an enumeration without a name holds."""
    names = list(names)
    return bool(names) and all(map(may_state_version, names))


def may_state_version(name: str) -> bool:
    """Whether a name is one of those by which versions, or parts of them, go."""
    return bool(_PART.match(name.strip("_")) or _NUMBER.match(name))


def _spelled_parts(constants: Iterable[Constant], values: Mapping[str, int]) -> dict[str, int]:
    """Parts of a version that strings state: `X_VERSION_MAJOR "5"`."""
    return {
        each.name: int(digits[1])
        for each in constants
        if each.name not in values
        and _PART.match(each.name.strip("_"))
        and (digits := re.fullmatch(_DIGITS, each.text.strip()))
    }


def _stated_by_string(constants: Iterable[Constant]) -> VersionDeclaration | None:
    """The version that the first string of such a name states."""
    for constant in constants:
        found = read_version(constant.text) if re.match(_STRING, constant.name) else None
        if found is not None:
            return VersionDeclaration(version=found[0], macros=((constant.name, constant.span),), parts=found[1])
    return None


def _add_bare_majors(families: Mapping[str, dict[int, Constant]], constants: Mapping[str, Constant]) -> None:
    """Complete families whose major number has no name of its own: `__X__` beside `__X_MINOR__`, as compilers do it.

    Or `X_VERSION` beside `X_MINOR_VERSION`.
    """
    bare = {name.strip("_"): constant for name, constant in constants.items()}
    for key, parts in families.items():
        before, _, after = key.partition("*")
        major = bare.get(before.strip("_")) or bare.get(f"{before}{after.strip('_')}".strip("_"))
        if 1 in parts and 0 not in parts and major is not None:
            parts[0] = major


def _of_the_whole(numbers: Sequence[Constant]) -> Constant | None:
    """The number that states the version of all: the one that the names of the others continue; None when none does."""
    stems = {each.name: _stem(each.name) for each in numbers}
    shortest = min(stems.values(), key=len, default="")
    if not all(stem == shortest or stem.startswith(f"{shortest}_") for stem in stems.values()):
        return None
    of_shortest = [each for each in numbers if stems[each.name] == shortest]
    return next((each for each in of_shortest if "ABI" not in each.name), of_shortest[0] if of_shortest else None)


def _is_of_something_else(constant: Constant, carriers: Collection[str]) -> bool:
    """Whether a constant is the version of a format, of a language, of one struct, and not of the API."""
    name, file = constant.name.upper(), constant.span.file if constant.span else ""
    if re.search(_OF_SOMETHING_ELSE, name) or _plain_struct(_stem(name)) in carriers:
        return True
    base = re.split(r"[/\\:]", file)[-1].upper()
    return any(each not in base for each in _SUBJECTS.findall(name))


def _carriers(api: Api) -> frozenset[str]:
    """Names of the structs that have a member for a version of their own."""
    holders = {
        key
        for key, each in api.structs.items()
        if any(field.name.lower().endswith("version") and api.is_integer(field.type) for field in each.fields or ())
    }
    aliases = {
        name for name, each in api.typedefs.items() if (found := api.struct_of(each.type)) and found.name in holders
    }
    return frozenset(map(_plain_struct, holders | aliases)) - {""}


def _plain_struct(name: str) -> str:
    """A struct's name without what a constant's differs in; empty for one that stands for the whole API."""
    name = re.sub(r"_(?:T|S|ST|STRUCT|TAG)$", "", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).upper().strip("_"))
    return "" if _WHOLE_API.search(name) else name.replace("_", "")


def _stem(name: str) -> str:
    """What a number is the version of, by its name."""
    match = _NUMBER.match(name)
    return (match["before"] if match else name).strip("_")


def _is_setting(name: str, texts: Iterable[str]) -> bool:
    """Whether a header leaves a macro to whoever defines it first."""
    asks = re.compile(rf"^[ \t]*#[ \t]*(?:ifndef[ \t]+{name}\b|if[ \t]+!\s*defined\b[ \t]*\(?[ \t]*{name}\b)", re.M)
    return any(asks.search(text) for text in texts)
