"""Facts of an API that follow from marks, names and conventions, each decided here and nowhere else.

Both readers call `with_facts` on what they have read. Checks, emitters and the host read the results.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import zip_longest

from msgspec.structs import replace

from abigen.model.api import Api
from abigen.model.contract import NO_CONTRACT, Party, Requirement
from abigen.model.ctype import CType, FunctionType, Parameter, Pointer, RecordType
from abigen.model.entities import Field, Function, Struct
from abigen.model.roles import count_of

_MAX_BASES = 63
"""The nesting limit of embedded base structs: the one that every compiler allows (C 5.2.4.1)."""
_CALLED_SIZE = re.compile(
    r"(?:n|dw|cb|u|ul|arg|args|self|hdr|header|info)?(?:struct(?:ure)?)?(?:size|sz|len|length)(?:ofstruct(?:ure)?)?",
)
"""The names of a member with its struct's size, as `plain_name` has them, if there is more evidence."""
_CALLED_STRUCT_SIZE = re.compile(
    r"(?:n|dw|cb|u|ul)?struct(?:ure)?(?:size|sz)|cbstruct(?:ure)?|(?:dw)?size(?:of)?struct(?:ure)?"
)
"""Names that are evidence enough: `dwStructSize`, `cb_struct`. (`cbSize` may as well be the size of a buffer.)"""
_SAYS_OWN_SIZE = re.compile(r"\bsize\s+of\s+(?:this|the)\s+(?:data\s+)?struct(?:ure)?\b", re.IGNORECASE)
_MEASURED = re.compile(r"\bsizeof\s*\(\s*(?:(?:struct|union)\s+)?(\w+)\s*\)")
_BEGINS_WITH_SIZE = re.compile(r"\(?\s*(?:\([\w\s]+\)\s*)?\{\s*(?:\.\w+\s*=\s*)?" + _MEASURED.pattern)
"""An initialiser: `{ sizeof(T), ...}`."""
_CALLED_STRUCT_VERSION = re.compile(r"iversion|struct(?:ure)?version|versionof(?:this)?struct(?:ure)?")
"""Names, as `plain_name` has them, of members that count the versions of their struct: `iVersion`."""
_SAYS_STRUCT_VERSION = re.compile(
    r"\bversion\s+of\s+(?:this|the)\s+(?:struct(?:ure)?|table|interface|object)\b|\bstruct(?:ure)?\s+version\b"
    r"|\b(?:in|since|from|for|with|only)\s+(?:\w+\s+)?version\s+\d+\b|\bversion\s+\d+\s+(?:and|or)\s+(?:greater|later|above|up)\b",
    re.IGNORECASE,
)
"""Words on a struct or its members that say which version of it has what."""
_VERSION_IN_NAME = re.compile(
    r"(?:^|_)(?:STRUCT_|TABLE_|ABI_|API_)?(?:CURRENT_|LATEST_)?VERSION(?:_CURRENT|_LATEST)?(?=_|$)"
)
"""The words of a constant that states the version of a struct, beside the name of the struct."""
_NUMBER_OF_RELEASE = re.compile(r"_?v\d+$")
_SAYS_MASK = re.compile(
    r"\b(?:states|tells|says|specif(?:y|ies)|indicat(?:es?|ing)|defines?|describes?)? ?which (?:of the )?(?:other )?"
    r"(?:fields|members)\b[^.]*\b(?:set|valid|present|filled|used)\b"
    r"|\bmask of (?:the )?(?:valid|set|present|used) (?:fields|members)\b",
    re.IGNORECASE,
)
"""Comments at a member whose bits tell which other members are set: `States which members are set.`"""
_WORD = re.compile(r"[A-Za-z_]\w*")
_ALLOCATED = re.compile(
    r"\b(?:is |are |be )?(?:only )?(?:allocated|created) (?P<first>only |exclusively )?(?:by|with|using|through) "
    r"(?:the )?(?P<who>`?\w+`?(?:\(\))?|plug-in)(?P<last> only\b| exclusively\b)?",
    re.IGNORECASE,
)
"""Comments at a struct that only one side allocates: `Allocated by the core only.`, `Allocated by `x_new` only.`"""
_MUST_BE = re.compile(r"\bmust (?:only )?be $|\bonly $|\b(?:is|are) only $|\bonly (?:ever )?be $", re.IGNORECASE)
_SIZE_IS_PRIVATE = re.compile(
    r"\bsizeof ?\( ?(?:(?:struct|union) )?\w+ ?\) is not (?:a )?part of the (?:public )?(?:ABI|API)\b", re.IGNORECASE
)
_PLUGIN_IMPLEMENTS = re.compile(
    r"\b(?:implemented|defined|provided|exported|supplied) by (?:(?:the|a|an|each|every|all) )?plug-?ins?\b"
    r"|\bplug-?ins? (?:must|should|shall|may|can|has to|have to|needs? to) (?:implement|define|export|provide)\b",
    re.IGNORECASE,
)
_ENTRY_POINT = re.compile(r"(?:^|[.;:]\s+)entry point\.(?:\s|$)", re.IGNORECASE)
"""The mark in a comment of a header for the function that the core calls first."""


def with_facts(api: Api, frozen: Collection[str] = ()) -> Api:
    """Decide who fills, implements and versions what in an API.

    The same call on its own result with other conventions decides anew.

    Args:
        api: as it was read, complete. Of an API read from a spec only its own entities are looked at: those of the
            specs that it uses were decided by their own conventions.
        frozen: keys of structs that are not versioned whatever they begin with, because the spec says so.
    """
    looked_at = {key: each for key, each in api.structs.items() if each.in_api or api.header is None}
    fillers = _fillers(api, looked_at)
    by_value, handed_over = set(_passed_by_value(api)), _handed_over_with_size(api)
    held = set(_held_by_value(api)) | by_value
    structs = dict(api.structs)
    for key, struct in looked_at.items():
        size_member = "" if key in frozen else _size_member(struct, api)
        first = next(iter(struct.fields or ()), None)
        mask = "" if size_member else _mask_member(struct, api)
        version, constant = ("", "") if size_member or mask else _version_member(struct, api)
        told_by = "" if size_member else mask or version or handed_over.get(key, "")
        told_by = "" if key in frozen and not mask else told_by
        likely_size = first.name if first is not None and not size_member and _is_like_size(first, api) else ""
        fields = struct.fields
        if fields:
            fields = tuple(_decided(at, struct, fillers[key], size_member, api) for at in range(len(fields)))
        structs[key] = replace(
            struct,
            fields=fields,
            filler=fillers[key],
            size_member=size_member,
            told_by=told_by,
            mask_member=mask,
            version_constant=constant if told_by else "",
            allocated_by=Party.UNKNOWN if key in held else _allocator(struct, api),
            likely_size=likely_size,
            by_value=key in by_value,
        )
    functions = {
        key: _with_side(each, api) if each.in_api or api.header is None else each for key, each in api.functions.items()
    }
    return replace(api, structs=structs, functions=functions)


def plain_name(name: str) -> str:
    """Return a name without what spellings differ in: `structsize` of `structSize` and `struct_size`."""
    return name.replace("_", "").lower()


def _decided(position: int, struct: Struct, filler: Party, size_member: str, api: Api) -> Field:
    """Return a member with who sets it, what counts it, and whether it is required."""
    fields = struct.fields or ()
    field = fields[position]
    filler = field.contract.set_by or filler
    contract = field.contract
    if api.header is None and contract.condition and not _has_condition(field, struct, api):
        contract = replace(contract, requirement=Requirement.UNSAID, condition=NO_CONTRACT.condition)
    if api.conventions.unmarked and not contract.requirement and field.name and not contract.reserved:
        leading = (size_member.partition(".")[0], api.conventions.extension_field)
        if field.name not in leading:
            contract = replace(contract, requirement=Requirement.REQUIRED)
    count = field.count if api.header else ""
    if not count and (at := count_of(position, fields, api)) is not None:
        count = fields[at].name
    if (filler, contract, count) == (field.filler, field.contract, field.count):
        return field
    return replace(field, filler=filler, contract=contract, count=count)


def _has_condition(field: Field, struct: Struct, api: Api) -> bool:
    """True if the members that a comment names as a condition exist, and zero tells whether they are set."""
    paths = [each for each in (field.contract.condition.when, field.contract.condition.unless) if each]
    for path in paths:
        owner, _, name = path.removeprefix(f"{struct.name}.").rpartition(".")
        holder = api.structs.get(owner) if owner else struct
        found = holder.member(name) if holder is not None else None
        if found is None or found is field or found.bit_width is not None:
            return False
        if not (api.holds_whole_numbers(found.type) or isinstance(api.resolve(found.type), Pointer)):
            return False
    return len(set(paths)) == len(paths)


def _fillers(api: Api, looked_at: Mapping[str, Struct]) -> dict[str, Party]:
    """Return the side that fills each struct: by its own mark, else the longest fitting prefix, else the caller."""
    prefixes = sorted(api.conventions.filled_by.items(), key=lambda each: -len(each[0]))
    found: dict[str, Party] = {key: each.filler for key, each in api.structs.items()}
    for key, struct in looked_at.items():
        outer = looked_at.get(key.partition(".")[0], struct)  # a nested struct is filled with the one around it
        prefix = next((who for prefix, who in prefixes if key.startswith(prefix)), "")
        found[key] = struct.contract.set_by or outer.contract.set_by or Party(prefix)
    if Party.UNKNOWN in found.values():
        callers = _callers(api, found)
        for key in looked_at:
            calls = callers.get(key, [])
            # What several callbacks may write to is an object that they share; what none may write to are arguments.
            if not found[key] and len({who for who, _ in calls}) == 1 and (len(calls) == 1 or all(c for _, c in calls)):
                found[key] = calls[0][0]
    return found


def _callers(api: Api, fillers: Mapping[str, Party]) -> dict[str, list[tuple[Party, bool]]]:
    """Key of a struct to who calls each callback in tables that is handed a pointer to it, and whether it is const."""
    found: dict[str, list[tuple[Party, bool]]] = {}
    for table in api.structs.values():
        for field in table.fields or ():
            callback = api.function_behind(field.type)
            for parameter in callback.parameters if callback else ():
                argument = api.pointee(parameter.type)
                if argument and argument.name != table.name and _is_argument(argument, parameter.type, api):
                    implementer = field.contract.set_by or fillers[table.name]
                    call = implementer.other, api.is_const_pointer(parameter.type)
                    found.setdefault(argument.name, []).append(call)
    return found


def _is_argument(struct: Struct, type: CType, api: Api) -> bool:
    """True if a struct behind a pointer holds arguments: no table itself, and nothing that the callee stores there."""
    if any(api.function_behind(each.type) for each in struct.fields or ()):
        return False
    return api.is_const_pointer(type) or bool(_size_member(struct, api))


def _with_side(function: Function, api: Api) -> Function:
    """Return a function with the side that implements it, and with its mark as an entry point in the comment."""
    says_entry = api.header is None and bool(_ENTRY_POINT.search(" ".join(function.doc.split())))
    function = replace(function, entry_point=function.entry_point or says_entry)
    return replace(function, implemented_by=_implementer(function))


def _implementer(function: Function) -> Party:
    """Return the side that implements a function: by its documentation, else the owner of the header."""
    if function.implemented_by:
        return function.implemented_by
    if function.entry_point or _PLUGIN_IMPLEMENTS.search(" ".join(function.doc.split())):
        return Party.PLUGIN
    return Party.CORE


def _size_member(struct: Struct, api: Api) -> str:
    """Return the path of the member in which a struct carries its own size; empty when there is none.

    It is the first member, or the first member of a struct that is embedded first. It has the name that the API has
    agreed on or one like it (`dwStructSize`), or is called `size` or the like and said to be the struct's: by its
    comment, by an initialiser, or by a size constant that ends at the struct's last member.
    """
    wanted = {plain_name(each) for each in (api.conventions.size_field, *api.conventions.size_member)}
    for owner, _, name in (each.partition(".") for each in api.conventions.size_member):
        own = struct.member(name) if owner in (struct.name, struct.tag) else None
        if own is not None and api.is_integer(own.type):
            return name
    seen = {struct.name}
    path = ""
    current: Struct | None = struct
    while current is not None and current.fields and not current.is_union and len(seen) <= _MAX_BASES:
        first = current.fields[0]
        if plain_name(first.name) in wanted or _is_said_to_be_size(first, current, api):
            return path + first.name if api.is_integer(first.type) else ""
        current = api.struct_of(first.type)
        if current is None or current.name in seen:
            return ""
        seen.add(current.name)
        path += f"{first.name}." if first.name else ""
    return ""


def _version_member(struct: Struct, api: Api) -> tuple[str, str]:
    """Return the member that counts the versions of its struct, and the constant that states the current one.

    It is the first member, or the second after a number (`type, version`). Its name states it; or the name is one of a
    version (`version`, `abi_version`), and documentation or a constant for the struct (`FOO_VERSION` for `foo`) does.
    Both are empty where nothing states it; the constant also where there is none.
    """
    fields = () if struct.is_union else struct.fields or ()
    leading = [each for each in fields[:2] if each.bit_width is None and api.is_integer(each.type)]
    docs = (struct.doc, *(each.doc for each in fields))
    for at, field in enumerate(leading if leading[:1] == list(fields[:1]) else ()):
        name = plain_name(field.name)
        if not at and (
            name in map(plain_name, api.conventions.version_member) or _CALLED_STRUCT_VERSION.fullmatch(name)
        ):
            return field.name, _version_constant(field, struct, api)
        if name.endswith("version"):
            constant = _version_constant(field, struct, api)
            is_said = not at and any(_SAYS_STRUCT_VERSION.search(each) for each in docs)
            return (field.name, constant) if constant or is_said else ("", "")
    return "", ""


def _version_constant(field: Field, struct: Struct, api: Api) -> str:
    """Return the constant that states the version of a struct: by the struct's name, or by the member's comment."""
    numbers = {each.name for each in api.constants.values() if each.expression is not None}
    numbers |= api.enumerators.keys()
    of_api = {name for name, _ in api.version.macros} if api.version else set()
    numbers |= of_api
    said = (each for each in _WORD.findall(field.doc) if "VERSION" in each.upper() and each in numbers)
    if found := next(said, ""):
        return found
    stems = {_stem_of_struct(each) for each in (struct.name, struct.tag, *struct.typedef_names) if each} - {""}
    for name in sorted(numbers - of_api):
        stem, count = _VERSION_IN_NAME.subn("", name)
        if count == 1 and _stem_of_struct(stem) in stems:
            return name
    return ""


def _stem_of_struct(name: str) -> str:
    """Return a name as `plain_name` has it, without `_t`, a number of a release (`InfoV1`) and the `s` of a plural."""
    name = name.lower().removesuffix("_t")
    return plain_name(_NUMBER_OF_RELEASE.sub("", name)).removesuffix("struct").removesuffix("s")


def _mask_member(struct: Struct, api: Api) -> str:
    """Return the member whose bits tell which other members of its struct are set; empty where nothing states that."""
    names = set(map(plain_name, api.conventions.mask_member))
    for field in () if struct.is_union else struct.fields or ():
        is_mask = plain_name(field.name) in names or ("mask" in field.name.lower() and _SAYS_MASK.search(field.doc))
        if is_mask and field.bit_width is None and api.is_integer(field.type):
            return field.name
    return ""


def _allocator(struct: Struct, api: Api) -> Party:
    """Return the only side that allocates a struct: by its spec, the configuration, or its comment."""
    creator = api.functions.get(struct.create)
    if creator is not None:
        return _implementer(creator)
    for pattern, side in api.conventions.allocated_by.items():
        if any(fnmatchcase(each, pattern) for each in (struct.name, struct.tag) if each):
            return Party(side)
    doc = " ".join(struct.doc.split())
    for said in _ALLOCATED.finditer(doc):
        before = doc[: said.start()] + said[0].lower().partition("allocated")[0].partition("created")[0]
        if said["first"] or said["last"] or _MUST_BE.search(before):
            return Party.PLUGIN if said["who"].lower().startswith("plug") else Party.CORE
    return Party.CORE if _SIZE_IS_PRIVATE.search(doc) else Party.UNKNOWN


def _held_by_value(api: Api) -> Iterator[str]:
    """Yield keys of the structs that a member or an object holds by value, also as elements of arrays."""
    types = [field.type for struct in api.structs.values() for field in struct.fields or ()]
    types += [each.type for each in api.variables.values()]
    for type in types:
        element = api.element_of(type)
        if isinstance(element, RecordType):
            yield element.key


def _handed_over_with_size(api: Api) -> dict[str, str]:
    """Return keys of structs to the parameter that states their size wherever they are passed.

    The parameter has a name that the configuration states, or it follows the pointer and is named after it
    (`info, info_size`). By its name alone it counts only if every function that receives the struct has one.
    """
    names = {plain_name(each) for each in api.conventions.size_member}
    lists = list(_parameter_lists(api))
    found: dict[str, str] = {}
    by_name: dict[str, str] = {}
    for parameters in lists:
        for at, parameter in enumerate(parameters):
            name = plain_name(parameter.name or "")
            if name in names and api.is_integer(parameter.type):
                structs = (api.pointee(each.type) for each in reversed(parameters[:at]))
                if struct := next(filter(None, structs), None):
                    found.setdefault(struct.name, parameter.name or "")
            elif at and ("size" in name or name.startswith("cb")) and api.is_integer(parameter.type):
                struct = api.pointee(parameters[at - 1].type)
                if struct is not None and _is_size_of(parameter, parameters[at - 1], struct):
                    by_name.setdefault(struct.name, parameter.name or "")
    for parameters in lists if by_name else ():
        for parameter, behind in zip_longest(parameters, parameters[1:]):
            struct = api.pointee(parameter.type)
            if struct is not None and not (behind is not None and _is_size_of(behind, parameter, struct)):
                by_name.pop(struct.name, None)
    return {**by_name, **found}


def _parameter_lists(api: Api) -> Iterator[Sequence[Parameter]]:
    """Yield the parameters of each function, and of each pointer to one in a typedef or a member."""
    members = (field.type for struct in api.structs.values() for field in struct.fields or ())
    functions = (each.type for each in api.functions.values())
    for type in (*members, *functions, *(each.type for each in api.typedefs.values())):
        callee = api.function_behind(type) or (type if isinstance(type, FunctionType) else None)
        if callee is not None and callee.parameters:
            yield callee.parameters


def _is_size_of(size: Parameter, pointer: Parameter, struct: Struct) -> bool:
    """True if a parameter is named as the size of the struct that the one before it points to."""
    stems = {plain_name(each) for each in (pointer.name or "", struct.name, struct.tag, "struct") if each}
    name = plain_name(size.name or "")
    return any(name in (f"{stem}size", f"sizeof{stem}", f"sizeof{stem}t", f"cb{stem}") for stem in stems)


def _is_like_size(first: Field, api: Api) -> bool:
    """True if a struct's first member may hold its size by name and type."""
    return bool(_CALLED_SIZE.fullmatch(plain_name(first.name))) and api.is_integer(first.type)


def _is_said_to_be_size(first: Field, struct: Struct, api: Api) -> bool:
    """True if a member whose name is not the agreed one holds its struct's size by all that the header says."""
    if _CALLED_STRUCT_SIZE.fullmatch(plain_name(first.name)):
        return True
    if not _CALLED_SIZE.fullmatch(plain_name(first.name)):
        return False
    if _SAYS_OWN_SIZE.search(first.doc):
        return True
    is_measured = any(each.struct == struct.name and each.last_member for each in api.size_constants.values())
    if is_measured and "len" not in plain_name(first.name):
        return True
    measured = [found[1] for found in _MEASURED.finditer(first.doc)]
    measured += [found[1] for each in api.constants.values() if (found := _BEGINS_WITH_SIZE.match(each.text))]
    return any(_is_called(struct, name, api) for name in measured)


def _is_called(struct: Struct, name: str, api: Api) -> bool:
    """True if a struct goes by a name, its own or a typedef's."""
    typedef = api.typedefs.get(name)
    return name == struct.name or (typedef is not None and api.struct_of(typedef.type) is struct)


def _passed_by_value(api: Api) -> Iterator[str]:
    """Yield keys of the structs that some function takes or returns by value."""
    types: list[CType] = [each.type for each in api.functions.values()]
    types += [each.type for each in api.typedefs.values()]
    types += [field.type for struct in api.structs.values() for field in struct.fields or ()]
    while types:
        type = types.pop()
        while isinstance(type, Pointer):
            type = type.target
        if isinstance(type, FunctionType):
            passed = [type.result, *(each.type for each in type.parameters)]
            types += passed
            yield from (each.key for each in map(api.resolve, passed) if isinstance(each, RecordType))
