"""Classifies macros: constants, size constants and versions."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

import msgspec
from msgspec.structs import asdict, replace

from abigen.headers.documentation import Commentary, read_contract
from abigen.headers.preprocessor.expansion import expand
from abigen.headers.preprocessor.lexemes import lex
from abigen.headers.preprocessor.macros import MacroTable
from abigen.headers.syntax.flatten import Flattener
from abigen.headers.syntax.parser import parse
from abigen.headers.syntax.specifiers import KEYWORDS
from abigen.headers.syntax.trees import balance
from abigen.headers.types import ExpressionBuilder, TypeBuilder
from abigen.headers.unit import MacroDefinition, Token, Unit
from abigen.model.api import Api
from abigen.model.ctype import Binary, Cast, CType, Expression, Literal, NamedType, OffsetOf, SizeOf, SizeOfMember
from abigen.model.entities import Constant, Entity, Enumerator, Macro, SizeConstant, VersionDeclaration
from abigen.model.span import AbigenError, Diagnostic
from abigen.model.spelling import spell_path
from abigen.model.version import (
    COUNTER,
    Reading,
    Version,
    accessed_reading,
    described_readings,
    explicit_version,
    read_version,
    stated_reading,
    version_of_call,
)

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
_HELPER_CALL = re.compile(r"\(*\s*([A-Za-z_]\w*)\s*\(([^()]*)\)[\s)]*")
_ANY_CALL = re.compile(r"\b(?!U?INT(?:8|16|32|64|MAX)_C\b)[A-Za-z_]\w*\s*\(")
_OF_A_CODE = re.compile(r"(?:^|_)(?:IO[RW]*C?|IOCTL|CTL|CMD|COMMAND|CODE|OPCODE|FOURCC|REQUEST)(?:_|$)", re.IGNORECASE)
"""Words in the name of a macro that makes numbers of ioctls, commands and the like."""
_ACCESSOR = re.compile(r"^\w*?(MAJOR|MINOR|PATCH|MICRO|REVISION)\w*$", re.IGNORECASE)
_SHORTEST_LIST = 3
"""From so many macros on, values that count up are a list, not versions."""
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
"""A constant of one bit: `TOY_FIND_LAST_VERSION (1 << 1)`."""
_OF_A_KEY = re.compile(r"(?:^|_)(?:ATTRIB|ATTRIBUTE|ATTR|QUERY|PARAM|PARAMETER|PROPERTY|OPTION|SHIFT|OFFSET|MASK)_")
"""Words in the name of a key by which a version is asked for: `X_ATTRIB_MAJOR_VERSION 0x3098`."""

_NO_API = Api(name="")


def find_version(
    constants: Iterable[Constant],
    values: Mapping[str, int],
    texts: Sequence[str] = (),
    api: Api = _NO_API,
    names: Sequence[str] = (),
    split: str = "",
) -> VersionDeclaration | None:
    """Find the version among an API's own constants.

    Args:
        constants: object-like macros, in order of definition.
        values: the values of those that have one.
        texts: of the API's own files. A number that they define only where nobody has (`#ifndef X_VERSION`) is a
            setting of those who include them.
        api: what else it declares: macros of other headers, which an own one may stand for, and structs, which may
            have versions of their own.
        names: the macros that the project says state it, by their order MAJOR, MINOR, PATCH; those that are not among
            the constants are left out, and without any of them the names decide.
        split: how the project says that one number is made up: `major << 16 | minor`.

    Returns:
        Major, minor and patch where three macros state them (`X_MAJOR`, `X_API_MAJOR`, `X_VERSION_MAJOR`,
        `X_MAJOR_VERSION`, `X` beside `X_MINOR`; with `X_REVISION`, `X_HOTFIX`, `X_RELEASE` for the patch level; numbers
        or strings of digits), else the parts of one number (`X_VERSION`; of several the one that the others' names
        continue), else those that a string states (`X_VERSION "1.2.3"`), else a number without parts, else None. What
        states it in the same form is with it (`others`).
    """
    constants = list(constants)
    by_name = {each.name: each for each in constants}
    if found := [by_name[each] for each in names if each in by_name]:
        return _chosen(found, values, constants, texts, api, split)
    listed = _listed(constants, values)
    constants = [each for each in constants if each.name not in listed]
    carriers = _carriers(api)
    constants = [each for each in constants if not _is_of_something_else(each, carriers)]
    spelled = _spelled_parts(constants, values)
    valued = {each.name: each for each in constants if each.name in values or each.name in spelled}
    families, numbers = _families_and_numbers(valued)
    if stated := _of_families(families, {**spelled, **values}):
        return _first([_as_likely(each, constants, api) for each in stated])
    likely = _of_the_whole(numbers)
    usable = [each for each in likely if values[each.name] >= 0 and not _is_setting(each.name, texts)]
    if likely and not usable:
        return None
    declared = _all_declared(usable, values, constants, texts, api, split)
    parted = [each for each in declared if not each.is_counter]
    strings = [each for each in constants if re.match(_STRING, each.name)]
    string = _stated_by_string(strings)
    return _first(parted) or (string and _as_likely(string, constants, api)) or _first(declared)


def _listed(constants: Sequence[Constant], values: Mapping[str, int]) -> set[str]:
    """Return the names that are entries of a list, such as opcodes: values that count up among others of a prefix."""
    found: set[str] = set()
    run: list[Constant] = []
    for each in [*constants, None]:
        last = run[-1] if run else None
        if each is not None and last is not None and _follows(last, each, values):
            run.append(each)
            continue
        versions = [one.name for one in run if may_state_version(one.name)]
        if len(run) >= _SHORTEST_LIST and len(run) > len(versions) + 1:
            found |= {*versions}
        run = [each] if each is not None else []
    return found


def _follows(last: Constant, constant: Constant, values: Mapping[str, int]) -> bool:
    """True if a macro continues a list: the same first word, and the next value."""
    if last.name not in values or constant.name not in values or not constant.text:
        return False
    is_next = values[constant.name] == values[last.name] + 1
    return is_next and last.name.strip("_").partition("_")[0] == constant.name.strip("_").partition("_")[0]


def _as_likely(declared: VersionDeclaration, constants: Iterable[Constant], api: Api) -> VersionDeclaration:
    """Return a version as a likely one unless its macros have the API's own prefix, and enough parts to be certain."""
    if declared.parts > 2 and not declared.texts[0].startswith('"'):
        return declared
    name = declared.names[0]
    whose = _whose(_stem(re.sub(r"_?(?:MAJOR|MINOR)(?=_|$).*", "", name.strip("_"))))
    is_named_so = declared.parts > 1 or re.search(r"VER|API|ABI", name) is not None
    return declared if is_named_so and _is_own(whose, constants, api) else replace(declared, is_likely=True)


def _is_own(prefix: str, constants: Iterable[Constant], api: Api) -> bool:
    """True if other names of the API, or its file, have a prefix, whatever its case."""
    wanted = _folded(prefix)
    files = {each.span.file for each in constants if each.span is not None}
    files |= {each.span.file for each in api.functions.values() if each.span is not None and each.in_api}
    kinds = (api.functions, api.structs, api.typedefs, api.enums, api.variables, api.macros)
    names = [name for kind in kinds for name, each in kind.items() if each.in_api]
    names += [name for name, enum in api.enums_of_enumerators.items() if enum.in_api]
    names += [each.name for each in constants if not may_state_version(each.name)]
    names += [re.split(r"[/\\:]", each)[-1].partition(".")[0] for each in files]
    return not wanted or any(_folded(each).startswith(wanted) for each in names)


def _folded(name: str) -> str:
    """Return a name without case, underscores and a leading `lib`."""
    return name.replace("_", "").replace("-", "").lower().removeprefix("lib")


def _families_and_numbers(
    valued: Mapping[str, Constant],
) -> tuple[dict[str, dict[int, Constant]], list[Constant]]:
    """Return macros that state parts of one version (`X_MAJOR`, `X_MINOR`, `X_PATCH`), and whole numbers."""
    families: dict[str, dict[int, Constant]] = {}
    numbers: list[Constant] = []
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
    return families, numbers


def _of_families(families: Mapping[str, Mapping[int, Constant]], values: Mapping[str, int]) -> list[VersionDeclaration]:
    """Return the version of the most complete family, and the families that may state parts of the same version."""
    complete = [(key, each) for key, each in families.items() if 0 in each]
    if not complete:
        return []
    first, most = max(complete, key=lambda each: len(each[1]))
    # `X_API_MAJOR` and `X_VERSION_MAJOR` may be the same version; `X_ENGINE_MAJOR` is another one's.
    same = [each for key, each in complete if len(each) == len(most) and _whose(key) == _whose(first)]
    return [found for each in same if (found := _of_parts(each, values)) is not None]


def _whose(family: str) -> str:
    """Return the subject of a family of version macros: `X` of `X_API_*`."""
    return re.sub(r"_?(?:(?:API|ABI|LIB|VERSION|VER)_?)*$", "", family.partition("*")[0].strip("_"))


def _of_parts(family: Mapping[int, Constant], values: Mapping[str, int]) -> VersionDeclaration | None:
    """Return the version that macros for its parts state; None where one of them is negative."""
    found = [values[family[rank].name] if rank in family else 0 for rank in range(3)]
    if min(found) < 0:
        return None
    ranks = sorted(family)
    macros = tuple((family[rank].name, family[rank].span) for rank in ranks)
    # An expression may name what the spec has no more; a string is no number.
    texts = tuple(family[rank].text if family[rank].text.startswith('"') else str(found[rank]) for rank in ranks)
    return VersionDeclaration(version=Version(*found), macros=macros, texts=texts, parts=len(family))


def _first(declared: Sequence[VersionDeclaration]) -> VersionDeclaration | None:
    """Return the first version, with the others beside it; not those whose macros state the first one, too."""
    if not declared:
        return None
    first, *rest = declared
    return replace(first, others=tuple(each for each in rest if not {*each.names} & {*first.names}))


def _all_declared(
    numbers: Sequence[Constant],
    values: Mapping[str, int],
    constants: Sequence[Constant],
    texts: Sequence[str],
    api: Api,
    split: str,
) -> list[VersionDeclaration]:
    """Return the versions that numbers state, each for itself."""
    included = [each for each in api.constants.values() if not each.in_api]
    found = (_declared(each, values, [*constants, *included], texts, api, split) for each in numbers)
    return [each for each in found if each is not None]


def _chosen(
    stating: Sequence[Constant],
    values: Mapping[str, int],
    constants: Sequence[Constant],
    texts: Sequence[str],
    api: Api,
    split: str,
) -> VersionDeclaration | None:
    """Return the version that some macros state because the project says so; None where they have no values."""
    spelled = {each.name: int(digits[1]) for each in stating if (digits := re.fullmatch(_DIGITS, each.text.strip()))}
    values = {**spelled, **values}
    if any(values.get(each.name, 0) < 0 for each in stating):
        return None
    if len(stating) == 1:
        numbers = [each for each in stating if each.name in values]
        found = _first(_all_declared(numbers, values, constants, texts, api, split)) or _stated_by_string(stating)
    elif all(each.name in values for each in stating):
        found = _of_parts(dict(enumerate(stating[:3])), values)
    else:
        found = None
    return replace(found, is_chosen=True) if found is not None else None


def _declared(
    constant: Constant,
    values: Mapping[str, int],
    constants: Sequence[Constant],
    texts: Sequence[str],
    api: Api,
    split: str,
) -> VersionDeclaration | None:
    """Return the version that one number states; None for what is no number of its own, such as an ioctl's.

    Its parts are known from its text, from helper and accessor macros, from the comment on it and from strings beside
    it; nothing else decides them.
    """
    stating, text = _definition(constant, constants, texts)
    macros = tuple((each.name, each.span) for each in stating)
    written = tuple(each.text for each in stating)
    explicit = _of_helper(text, values, api) or explicit_version(
        re.sub(r"\b[A-Za-z_]\w*", lambda name: str(values.get(name[0], name[0])), text)
    )
    if explicit is not None:
        return VersionDeclaration(version=explicit[0], macros=macros, texts=written, parts=explicit[1])
    value = values[constant.name]
    if _ANY_CALL.search(text) or value >= 1 << 32:
        return None
    numerals = [each for each in re.findall(_NUMERAL, text.replace("'", "")) if _value(each) == value]
    spelling = numerals[0] if len(numerals) == 1 else str(value)
    number = int(spelling) if spelling.isdigit() else value  # 010 means 0.1.0 to people, whatever it means to C
    strings = (each.text for each in constants if re.match(_STRING, each.name))
    found = _readings([*(each.doc for each in stating), *strings], constant, number, spelling, api, split)
    first = found[0] if found else COUNTER
    return VersionDeclaration(
        version=first.version(number),
        macros=macros,
        texts=(*written[:-1], str(number)),
        parts=len(first.weights),
        number=number,
        spelling=spelling,
        readings=found or (COUNTER,),
        is_stated=bool(found),
    )


def _definition(constant: Constant, constants: Iterable[Constant], texts: Sequence[str]) -> tuple[list[Constant], str]:
    """Return the macros behind a version, each of which stands for the next one, and the text of the last."""
    others = {each.name: each for each in constants}
    text = constant.text.strip() or _initialiser(constant.name, texts)
    stating = [constant]
    while (other := others.pop(text.strip("() "), None)) is not None:
        stating.append(other)
        text = other.text.strip()
    return stating, text


def _readings(
    comments: Sequence[str], constant: Constant, number: int, spelling: str, api: Api, split: str
) -> tuple[Reading, ...]:
    """Return how a number is made up; nothing where nobody states it."""
    is_hexadecimal = spelling[:2] in ("0x", "0X")
    chosen = stated_reading(split, is_hexadecimal=is_hexadecimal) if split else None
    reading = chosen or accessed_reading(_accessors(constant, api))
    if reading is not None:
        return (reading,)
    described = (described_readings(each, number, is_hexadecimal=is_hexadecimal) for each in comments)
    return next(filter(None, described), ())


def _accessors(constant: Constant, api: Api) -> dict[str, str]:
    """Return the bodies of macros with one parameter that take a version apart, by the part."""
    whose = _whose(_stem(constant.name))
    found: dict[str, str] = {}
    for name, macro in api.macros.items():
        match = _ACCESSOR.match(name)
        if match and len(macro.parameters) == 1 and _folded(name).startswith(_folded(whose)):
            part = match[1].lower()
            found.setdefault(part if part in ("major", "minor") else "patch", macro.body)
    return found


def _of_helper(text: str, values: Mapping[str, int], api: Api) -> tuple[Version, int] | None:
    """Return the version that a call of a helper macro states, `MAKE_VERSION(1, 2, 3)`, by the helper's body."""
    call = _HELPER_CALL.fullmatch(text)
    macro = api.macros.get(call[1]) if call else None
    if call is None or macro is None or _OF_A_CODE.search(call[1]):
        return None
    words = [each.strip() for each in call[2].split(",")]
    numbers = [values.get(each, _value(re.sub(r"[uUlL]+$", "", each))) for each in words]
    arguments = [each for each in numbers if each is not None]
    if len(arguments) < len(words):
        return None
    return version_of_call(arguments, macro.parameters, macro.body)


def _initialiser(name: str, texts: Iterable[str]) -> str:
    """Return the form of the value of an enumerator."""
    found = (re.search(rf"\b{name}\s*=\s*([^,}}\n]*)", each) for each in texts)
    return next((each[1] for each in found if each), "")


def _value(numeral: str) -> int | None:
    """Return the value that C gives to a number."""
    try:
        return int(numeral, 8 if numeral.isdigit() and numeral.startswith("0") else 0)
    except ValueError:
        return None


def states_parts(names: Iterable[str]) -> bool:
    """True if names are those of the parts of a version, and nothing else: what an enumeration without a name holds."""
    names = list(names)
    return bool(names) and all(map(may_state_version, names))


def may_state_version(name: str) -> bool:
    """True if a name is one of those by which versions, or parts of them, go."""
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
    """Return the version that the first string states which is one."""
    for constant in constants:
        found = read_version(constant.text)
        if found is not None:
            macros = ((constant.name, constant.span),)
            return VersionDeclaration(version=found[0], macros=macros, texts=(constant.text,), parts=found[1])
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


def _of_the_whole(numbers: Sequence[Constant]) -> list[Constant]:
    """Return the numbers that may state the version of all, the likeliest first: other names continue theirs."""
    stems = {each.name: _stem(each.name) for each in numbers}
    shortest = min(stems.values(), key=len, default="")
    if not all(stem == shortest or stem.startswith(f"{shortest}_") for stem in stems.values()):
        return []
    return sorted((each for each in numbers if stems[each.name] == shortest), key=lambda each: "ABI" in each.name)


def _is_of_something_else(constant: Constant, carriers: Collection[str]) -> bool:
    """True if a constant is the version of a format, of a language, of one struct, and not of the API."""
    name, file = constant.name.upper(), constant.span.file if constant.span else ""
    if re.search(_OF_SOMETHING_ELSE, name) or _plain_struct(_stem(name)) in carriers:
        return True
    base = re.split(r"[/\\:]", file)[-1].upper()
    return any(each not in base for each in _SUBJECTS.findall(name))


def _carriers(api: Api) -> frozenset[str]:
    """Return names of the structs that have a member for a version of their own."""
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
    """Return a struct's name without what a constant's differs in; empty for one that stands for the whole API."""
    name = re.sub(r"_(?:T|S|ST|STRUCT|TAG)$", "", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).upper().strip("_"))
    return "" if _WHOLE_API.search(name) else name.replace("_", "")


def _stem(name: str) -> str:
    """Return the subject of a version number, by its name."""
    match = _NUMBER.match(name)
    return (match["before"] if match else name).strip("_")


def _is_setting(name: str, texts: Iterable[str]) -> bool:
    """True if a header leaves a macro to whoever defines it first."""
    asks = re.compile(rf"^[ \t]*#[ \t]*(?:ifndef[ \t]+{name}\b|if[ \t]+!\s*defined\b[ \t]*\(?[ \t]*{name}\b)", re.M)
    return any(asks.search(text) for text in texts)


_MOST_TOKENS = 200_000
_LONGEST_BODY = 65_536
"""A body of more characters is no number, whatever it holds; compilers need not take lines above 4095 (C 5.2.4.1)."""
_FIRST_DIRECTIVES = re.compile(
    r"\A(?>\s++|//[^\n]*\n|/\*.*?\*/|#[^\S\n]*+pragma[^\S\n]++once\b[^\n]*\n"
    r'|#\s*if[^\n]*\n\s*+(?:extern\s*"C"\s*\{|#\s*error\b[^\n]*\n)\s*#\s*endif[^\n]*\n)*+'
    r"#\s*(?:ifndef\s+(?P<a>\w+)|if\s+!\s*defined\s*\(?\s*(?P<b>\w+)\s*\)?)[^\n]*\n"
    r"(?>\s++|//[^\n]*\n|/\*.*?\*/)*+#\s*define\s+(?:(?P=a)|(?P=b))\b",
    re.DOTALL,
)
_NO_VALUES = frozenset((";", "{", "typedef", "__attribute__", "__declspec"))
_STRUCT = r"(?:(?P<kind>struct|union) )?(?P<name>[A-Za-z_]\w*)"
_MEMBER = r"(?P<member>[A-Za-z_]\w*)"
_BY_OFFSET = re.compile(rf"\b(?:__builtin_)?offsetof \( {_STRUCT} , {_MEMBER}\b")
_BY_NULL = re.compile(rf"\( {_STRUCT} \* \) (?:0|NULL) \) -> {_MEMBER}\b")
_WHOLE = re.compile(rf"(?:\( )*sizeof \( {_STRUCT} \)(?: \))*")
_MARK = re.compile(r"(?:^|_)DEP(?:R(?:ECATED?)?)?(?:_|$)", re.IGNORECASE)
"""A name of a macro that stands before declarations that are deprecated."""
_IS_SIZE = re.compile(r"STRUCT_?SIZE$", re.IGNORECASE)


def _marks_deprecated(name: str, body: str) -> bool:
    """True for a macro that marks other declarations as deprecated: a comment beside it describes those."""
    return "deprecated" in body.lower() or (not body and _MARK.search(name) is not None)


class MacroEntities(msgspec.Struct):
    """The entities that the macros of a unit declare."""

    constants: dict[str, Constant] = msgspec.field(default_factory=dict)
    macros: dict[str, Macro] = msgspec.field(default_factory=dict)
    broken_sizes: list[SizeConstant] = msgspec.field(default_factory=list)
    """The API's own macros that would tell how large a struct is if there were one of that name."""
    warnings: list[Diagnostic] = msgspec.field(default_factory=list)


class MacroReader:
    """Reads the macros that the API's own files and those that they include define."""

    def __init__(self, unit: Unit, types: TypeBuilder, commentary: Commentary) -> None:
        """Prepare to read.

        Args:
            unit: the headers.
            types: understands the types in expressions, and knows what the headers declare.
            commentary: the documentation.
        """
        self._unit = unit
        # Whoever uses a macro may include <stddef.h> himself.
        self._flattener = Flattener(KEYWORDS, types.names, _refuse)
        self._types = types
        self._commentary = commentary
        self._table: MacroTable | None = None
        self._own = frozenset(unit.own_files)
        self._expanded = 0

    def read(self, texts: Mapping[str, str], is_context: Callable[[str], bool]) -> MacroEntities:
        """Make the entities.

        Args:
            texts: the text of each own file, to find the include guards, which are no part of the API.
            is_context: whether a file that is not the API's own counts nevertheless (system headers do not).
        """
        guards = {guard for text in texts.values() if (guard := include_guard(text))}
        result = MacroEntities()
        for definition in self._unit.macros:
            in_api = definition.file in self._own
            if definition.name in guards or not (in_api or is_context(definition.file)):
                continue
            name, span = definition.name, definition.span
            doc = self._commentary.of_macro(span, name) if in_api else ""
            body = " ".join(definition.body.split())
            contract = read_contract(doc)
            if contract.lifecycle.deprecated and _marks_deprecated(name, body):
                contract = replace(contract, lifecycle=replace(contract.lifecycle, deprecated=False, replaced_by=""))
            entity = Entity(name=name, span=span, doc=doc, contract=contract, in_api=in_api)
            if definition.parameters is None:
                tokens = self._tokens(definition) if body else None
                value = None if tokens is None else self.expression(tokens)
                literal = _literal(tokens or ()) if value is None else ""
                result.constants[name] = Constant(**asdict(entity), text=body, expression=value, literal=literal)
                if in_api and tokens is not None:
                    result.broken_sizes += self._broken_size(entity, value, tokens)
            else:
                result.macros[name] = Macro(**asdict(entity), parameters=definition.parameters, body=body)
        if self._expanded > _MOST_TOKENS:
            message = f"the macros expand to more than {_MOST_TOKENS} tokens; the values of some are not known"
            result.warnings.append(Diagnostic(None, message, severity="warning"))
        return result

    def _tokens(self, definition: MacroDefinition) -> Sequence[Token] | None:
        """Return the tokens of an object-like macro with macros expanded; None when they cannot be a constant."""
        if len(definition.body) > _LONGEST_BODY:
            return None
        place = Token("id", definition.name, definition.file, definition.line, definition.column)
        tokens = lex(definition.body, definition.file)
        if any(token.kind == "id" for token in tokens):
            if self._table is None:
                self._table = MacroTable(self._unit.macros)
            if self._expanded > _MOST_TOKENS:
                return None
            try:
                tokens = expand(definition.body, self._table, place)
            except AbigenError:
                return None
            self._expanded += len(tokens)
        return tokens

    def expression(self, tokens: Iterable[Token]) -> Expression | None:
        """Return the integer constant expression that tokens are, macros in them expanded; None when they are none."""
        stream, errors = balance(tuple(tokens))
        if errors or not stream.tokens or _cannot_be_a_value(stream.tokens):
            return None
        try:
            flat = self._flattener.flatten(stream, 0, len(stream.tokens))
            node = None if flat.bodies else parse("expression", flat)
            if node is None:
                return None
            return ExpressionBuilder(TypeBuilder(self._types.names, _refuse), flat).build(node)
        except AbigenError:
            return None

    def _broken_size(
        self, entity: Entity, expression: Expression | None, tokens: Sequence[Token]
    ) -> list[SizeConstant]:
        """Return the size constant that a macro would be if the struct that it names existed, or nothing.

        No compiler takes such a macro, so it is known by its words alone.

        Args:
            entity: the macro.
            expression: what it stands for, as far as that makes sense.
            tokens: its body, macros in it expanded.
        """
        text = " ".join(token.text for token in tokens)
        found = "sizeof" in text and (_BY_OFFSET.search(text) or _BY_NULL.search(text))
        member = found["member"] if found else ""
        if not found and _IS_SIZE.search(entity.name):
            found = _WHOLE.fullmatch(text)
        if not found:
            return []
        name, names = found["name"], self._types.names
        if found["kind"]:
            # A tag that only the macro mentions has no key.
            is_known = names.key_of_reference(found["kind"], next(each for each in tokens if each.text == name)) != ""
        else:
            is_known = expression is not None or names.is_type(name)
        if is_known:
            return []
        type, path = NamedType(name), (member,)
        size = Binary("+", OffsetOf(type, path), SizeOfMember(type, path)) if member else SizeOf(type)
        return [SizeConstant(**asdict(entity), struct=name, last_member=member, form="macro", expression=size)]


def _literal(tokens: Sequence[Token]) -> str:
    """Return the string literals that a macro of other macros expands to; empty for other macros."""
    words = [each for each in tokens if each.text not in ("(", ")")]
    if not (any(each.width for each in words) and all(each.kind == "string" for each in words)):
        return ""
    return " ".join(each.text for each in words)


def include_guard(text: str) -> str:
    """Return the name of the macro that keeps a file from being included twice; empty when it has none.

    Args:
        text: the whole file.
    """
    match = _FIRST_DIRECTIVES.match(text.removeprefix("\ufeff"))
    return "" if match is None else match["a"] or match["b"]


def _cannot_be_a_value(tokens: Sequence[Token]) -> bool:
    """True if tokens hold something that no expression does; a cheap answer for attributes, types and code."""
    return tokens[0].text in ("struct", "[") or not _NO_VALUES.isdisjoint(each.text for each in tokens)


def _refuse(diagnostic: Diagnostic) -> None:
    """A macro that does not make sense as an expression is none; nobody has to hear why."""
    raise AbigenError((diagnostic,))


def find_size_constants(
    api: Api, objects: Iterable[Constant] = (), broken: Iterable[SizeConstant] = ()
) -> dict[str, SizeConstant]:
    """Find the size constants among the macros, enumerators and constant objects of an API.

    Offset of the last member plus its size, and `sizeof(T)`, count in each of them.

    Args:
        api: all else that it declares.
        objects: objects that are const, with the values that they are initialised with.
        broken: those of structs that do not exist.
    """
    candidates: dict[str, Iterable[Constant | Enumerator]] = {
        "macro": api.constants.values(),
        "variable": objects,
        "enumerator": api.enumerators.values(),
    }
    found = {each.name: each for each in broken}
    for form, each in ((form, each) for form, entities in candidates.items() for each in entities):
        names = None if each.expression is None else _measured(each, each.expression, api) or _called_size(each, api)
        if names is not None and each.expression is not None:
            common = {one: getattr(each, one) for one in Entity.__struct_fields__}
            found[each.name] = SizeConstant(**(common | names), form=form, expression=each.expression)
    return found


def _called_size(constant: Constant | Enumerator, api: Api) -> dict[str, str] | None:
    """Return the struct that a plain number is called the size of: `TOY_STRUCT_SIZE 16`; None for anything else."""
    match = _IS_SIZE.search(constant.name)
    if match is None or not isinstance(constant.expression, Literal):
        return None
    stem = constant.name[: match.start()].replace("_", "").lower()
    key = next((key for key, each in api.structs.items() if each.fields and key.replace("_", "").lower() == stem), "")
    return {"struct": key, "last_member": ""} if key and stem else None


def _measured(constant: Entity, expression: Expression, api: Api) -> dict[str, str] | None:
    """Return the struct and members that an expression measures; None for other expressions.

    An offset plus a plain number (`offsetof(T, data) + 64`) is a size only if the constant is called one.
    """
    terms = _terms(expression)
    if len(terms) == 1 and isinstance(terms[0], SizeOf):
        struct = _key(terms[0].type, api)
        return {"struct": struct, "last_member": ""} if struct else None
    offset = next((term for term in terms if isinstance(term, OffsetOf)), None)
    size = next((term for term in terms if term is not offset), None)
    if len(terms) != 2 or offset is None or size is None or not _is_measure(size):
        return None
    if isinstance(size, Literal) and "size" not in constant.name.lower():
        return None
    start = {"struct": _key(offset.type, api), "last_member": spell_path(offset.path)}
    end = start
    if isinstance(size, SizeOfMember):
        end = {"struct": _key(size.type, api), "last_member": spell_path(size.path)}
    if not (start["struct"] and end["struct"]):
        return None
    differ = start != end
    return end | ({"offset_struct": start["struct"], "offset_member": start["last_member"]} if differ else {})


def _is_measure(expression: Expression) -> bool:
    """True if an expression may be the size of a member: a size, a number, a product (`3 * sizeof(int32_t)`)."""
    if isinstance(expression, Cast):
        return _is_measure(expression.operand)
    if isinstance(expression, Binary) and expression.operator == "*":
        return _is_measure(expression.left) and _is_measure(expression.right)
    return isinstance(expression, (SizeOf, SizeOfMember, Literal))


def _terms(expression: Expression) -> list[Expression]:
    """Return the summands of an expression, casts around it taken off."""
    terms: list[Expression] = []
    pending = [expression]
    while pending and len(terms) < 3:
        each = pending.pop()
        if isinstance(each, Cast):
            pending.append(each.operand)
        elif isinstance(each, Binary) and each.operator == "+":
            pending += [each.right, each.left]
        else:
            terms.append(each)
    return terms


def _key(type: CType, api: Api) -> str:
    """Return the key of the struct that a type is; empty when it is none."""
    struct = api.struct_of(type)
    return "" if struct is None else struct.name
