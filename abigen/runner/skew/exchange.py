"""Data exchanged between the core and the plugin, as the templates of their programs receive it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise

import msgspec
from msgspec.structs import replace

from abigen.generator.c.lines import Speller, with_suffix
from abigen.generator.c_checks.validators import Validator, Validators
from abigen.generator.publication import Publication
from abigen.model.api import Api
from abigen.model.contract import Party, Requirement
from abigen.model.ctype import (
    Array,
    Basic,
    BitInt,
    CType,
    EnumType,
    Expression,
    FunctionType,
    NamedType,
    Parameter,
    Pointer,
    Qualified,
    RecordType,
    Vector,
    unqualified,
)
from abigen.model.entities import Enumerator, Field, Function, Struct
from abigen.model.evaluate import fold
from abigen.model.pattern import Pattern, parse_pattern
from abigen.model.roles import counts_of
from abigen.model.spelling import canonical

_PREFERRED = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
"""The characters of texts that follow a pattern, where the pattern leaves the choice."""


class Identities(msgspec.Struct, frozen=True):
    """The identities of entities across releases."""

    members: Sequence[Mapping[tuple[str, str], str]]
    """For each release: struct and member to the name under which an earlier release had the member."""
    enumerators: Mapping[str, str]
    """Enumeration to an enumerator of it that every release has which has the enumeration at all."""
    texts: Mapping[str, tuple[str, ...]] = msgspec.field(default_factory=dict)
    """`Struct.member` to the texts that some release sets it to."""


def identities_of(apis: Sequence[Api]) -> Identities:
    """Find out what releases of an API have in common.

    Args:
        apis: the releases, the oldest first.
    """
    members: list[dict[tuple[str, str], str]] = [{}]
    for old, new in pairwise(apis):
        names = dict[tuple[str, str], str]()
        for key, struct in new.structs.items():
            if key in old.structs:
                for was, now in _renamed(old.structs[key], struct, old, new):
                    names[key, now] = members[-1].get((key, was), was)
                kept = {each.name for each in struct.fields or ()} & {
                    each.name for each in old.structs[key].fields or ()
                }
                names |= {(key, name): members[-1][key, name] for name in kept if (key, name) in members[-1]}
        members.append(names)
    texts: dict[str, dict[str, None]] = {}
    for api, names in zip(apis, members, strict=True):
        for struct in api.structs.values():
            for each in struct.fields or ():
                key = f"{struct.name}.{names.get((struct.name, each.name), each.name)}"
                texts.setdefault(key, {})[text_of(key, each.pattern)] = None
    found = {key: tuple(each) for key, each in texts.items()}
    return Identities(members, dict(_shared_enumerators(apis)), found)


def text_of(key: str, pattern: str) -> str:
    """Return the text that a side sets a member to: its key, or the shortest one that its pattern allows."""
    if not pattern or parse_pattern(pattern).matches(key):
        return key
    return _shortest(parse_pattern(pattern))


def _shortest(pattern: Pattern) -> str:
    steps = [step for step in pattern.steps if not step.optional]
    preferred = (next((each for each in _PREFERRED if each in step.bytes), min(step.bytes)) for step in steps)
    return bytes(preferred).decode("latin-1")


def _renamed(old: Struct, new: Struct, before: Api, after: Api) -> Iterator[tuple[str, str]]:
    """Yield members that have another name in the same place, with the same type."""
    was, now = old.fields or (), new.fields or ()
    old_names, new_names = ({each.name for each in fields} for fields in (was, now))
    for one, other in zip(was, now, strict=False):
        is_other = one.name not in new_names and other.name not in old_names and not one.contract.reserved
        if is_other and canonical(one.type, before) == canonical(other.type, after):
            yield one.name, other.name


def _shared_enumerators(apis: Sequence[Api]) -> Iterator[tuple[str, str]]:
    """For each enumeration an enumerator that all releases have; rather one that is not 0."""
    for key in dict.fromkeys(key for api in apis for key in api.enums):
        have = [api.enums[key].enumerators or () for api in apis if key in api.enums]
        common = {each.name for each in have[0]}.intersection(*({each.name for each in some} for some in have[1:]))
        ranked: list[Enumerator] = sorted(
            (each for each in have[0] if each.name in common), key=lambda each: not each.value
        )
        if ranked:
            yield key, ranked[0].name


class ExchangedValue(msgspec.Struct, frozen=True, kw_only=True):
    """The way in which a value of some type is exchanged."""

    kind: str
    """`bytes`, `truth`, `floating`, `number` (a constant), `zero`, `text`, `token` (an address that is only handed
    back), `callback`, `status`, `object` (a pointer to a struct), `elements` (a pointer to other things), `struct`,
    `array`, `nothing`, or `unknown`."""
    type: str = ""
    """The spelling in C, without qualifiers of its own."""
    constant: str = ""
    """Of a number: what it is in C; the text of a text."""
    texts: tuple[str, ...] = ()
    """Of a text: those that the other side may have set."""
    is_checked: bool = True
    """True if the other side knows what a number has to be."""
    struct: str = ""
    """Of a struct, and of an object: the name in those of its functions."""
    element: ExchangedValue | None = None
    is_const: bool = False
    """True if what a pointer leads to is const."""
    count: str = "1"
    """The number of elements."""
    counted_by: str = ""
    """The name of the number of elements; empty for one element."""
    callback: str = ""
    """The name of the functions that call it and stand for it."""

    @property
    def tag(self) -> str:
        """The kind that marks have given it: sides that disagree about that are not compared byte by byte."""
        if self.kind in ("token", "elements", "object", "text"):
            return f"{self.kind}:{self.counted_by}"
        if self.kind == "number" and not self.is_checked:
            return "version"
        return "count" if self.constant == "SKEW_ELEMENTS" else "zero" if self.kind == "zero" else ""


class ExchangedMember(msgspec.Struct, frozen=True, kw_only=True):
    """A member of a struct, or of an anonymous one inside."""

    name: str
    key: str
    owner: str
    """`core` or `plugin`; empty for whoever provides the object."""
    value: ExchangedValue
    bits: int = 0
    """The width of a bit-field; 0 for others."""
    before: str = ""
    """Of a bit-field: the last member before it that C can point to."""
    must_be_understood: bool = False


class ExchangedStruct(msgspec.Struct, frozen=True, kw_only=True):
    """A struct or union."""

    id: str
    type: str
    key: str
    members: tuple[ExchangedMember, ...]
    size_field: str
    last: str
    """The name of its last member."""
    init: str
    """The generated function that begins an object; empty for none."""
    whole: str
    """The side that fills all of it: `core`, `plugin`, or empty."""
    check: str
    """The generated function that checks it; empty for none."""
    given: int
    """The number of other objects that the function receives."""
    prefix: str
    """The prefix of the names of types for findings."""


class ExchangedCall(msgspec.Struct, frozen=True, kw_only=True):
    """A function, or a place for a callback."""

    id: str
    key: str
    type: str
    """Declares a pointer type named `call_ID`."""
    definition: str
    """Declares the function by a name that is `@`."""
    parameters: tuple[tuple[str, ExchangedValue], ...]
    """Key and value; they are called a0, a1, ..."""
    declarations: tuple[str, ...]
    """Of variables with the types of the parameters."""
    result: ExchangedValue
    function: Function | None = None
    """The declaration; None for a callback."""


_BYTE = Basic("unsigned char")
_FLOATING = ("float", "double", "_Float16", "__bf16", "__float128")


class ReleaseExchange:
    """The data and calls that the two sides of one release exchange."""

    def __init__(self, publications: Sequence[Publication], number: int, identities: Identities) -> None:
        """Find it.

        Args:
            publications: the API, and behind it those that it uses.
            number: of the release among all.
            identities: of all releases.
        """
        self.publications = publications
        self.api = publications[0].api
        self._names = identities.members[number]
        self._identities = identities
        self._declare = Speller(self.api).declare
        self.structs: dict[str, ExchangedStruct | None] = {}
        """By id; the value is None while one is being made."""
        self.calls: dict[str, ExchangedCall] = {}
        """Functions and callbacks, by id."""
        self.unknown: list[str] = []
        """Keys of what cannot be called or filled."""
        for struct in self.api.structs.values():
            if struct.in_api and struct.fields and not struct.anonymous:
                self._struct(struct)
        for function in self.api.functions.values():
            if not function.static:
                self._call(f"{function.name}()", function.type, function)

    @cached_property
    def functions(self) -> tuple[ExchangedCall, ...]:
        """The calls that are functions."""
        return tuple(each for each in self.calls.values() if each.function is not None)

    @cached_property
    def _status(self) -> CType | None:
        """Return the type of the API's status objects or of pointers to them; None where it has none."""
        errors = self.api.conventions.errors
        return self.api.resolve(NamedType(errors.status)) if errors else None

    @property
    def keys(self) -> Mapping[str, str]:
        """The names of all that crosses, each with its tag: what the contract makes of its type."""
        found: dict[str, str] = {}
        for struct in self.structs.values():
            found |= {each.key: each.value.tag for each in (struct.members if struct else ())}
        for call in self.calls.values():
            found[call.key] = ""
            found |= {key: value.tag for key, value in call.parameters}
            if call.result.kind != "nothing":
                is_entry = call.function is not None and call.function.entry_point
                found[f"{call.key}="] = "entry" if is_entry else call.result.tag
        return found

    @property
    def constants(self) -> tuple[str, ...]:
        """Names of the enumerators and constants that both sides have compiled in; sentinels may grow."""
        from abigen.checker.sentinels import find_sentinels

        patterns, own = self.api.conventions.sentinels, self.publications[0].header
        names: list[str] = []
        for enum in self.api.enums.values():
            values = {each.name: each.value for each in enum.enumerators or () if enum.in_api}
            comments = {each.name: each.doc for each in enum.enumerators or ()}
            ends = () if enum.anonymous else find_sentinels(values, values, comments, patterns)
            names += [each for each in values if each not in ends]
        constants = (each for each in self.api.constants.values() if each.in_api and each.expression is not None)
        return (*names, *(each.name for each in constants if each.name not in own.version_macros))

    @cached_property
    def _checks(self) -> Mapping[str, tuple[Validator, str]]:
        """Struct to its validator and the prefix of the API that has it."""
        found: dict[str, tuple[Validator, str]] = {}
        for each in self.publications:
            found |= {one.struct.name: (one, each.header.prefix) for one in Validators(each).all}
        return found

    # ---- structs

    def _struct(self, struct: Struct) -> str:
        """Return the id of a struct, which is there from then on."""
        id = re.sub(r"\W", "_", struct.name)
        if id in self.structs:
            return id
        self.structs[id] = None
        members = tuple(self._members(struct, struct.name))
        filled = {each.owner for each in members if each.value.kind not in ("zero", "unknown")}
        header = next((p.header for p in self.publications if struct.name in p.header.size_macros), None)
        validator, prefix = self._checks.get(struct.name, (None, ""))
        self.structs[id] = ExchangedStruct(
            id=id,
            type=self._declare(RecordType(struct.name)),
            key=struct.name,
            members=members,
            size_field=struct.size_field,
            last=next(
                (each.name for each in reversed(struct.fields or ()) if each.name and each.bit_width is None), ""
            ),
            init=with_suffix(struct.name, "Init") if header is not None else "",
            whole=next(iter(filled)) if len(filled) == 1 else "",
            check=validator.function if validator else "",
            given=len(validator.given) if validator else 0,
            prefix=prefix,
        )
        return id

    def _members(self, struct: Struct, key: str, path: str = "") -> Iterator[ExchangedMember]:
        """Yield the members that are filled and read; those of anonymous structs by their own names."""
        fields = struct.fields or ()
        counts = {each.count for each in fields if each.count}
        excluded = self._excluded(fields)
        before = ""
        for each in fields[:1] if struct.is_union else fields:
            place = f"{path}{each.name}"
            inner = self.api.struct_of(each.type)
            if inner is not None and inner.anonymous and inner.fields:
                yield from self._members(inner, key, f"{place}." if each.name else path)
                continue
            if not each.name or place == struct.size_field or struct.size_field.startswith(f"{place}."):
                continue
            name = f"{key}.{path}{self._names.get((struct.name, each.name), each.name)}"
            value = self._member_value(each, name, counts, excluded)
            if value.kind == "unknown":
                self.unknown.append(name)
                continue
            width = fold(each.bit_width, {}) if isinstance(each.bit_width, Expression) else each.bit_width
            provider = each.allocated_by if value.kind == "object" else Party.UNKNOWN
            owner = provider or each.filler
            yield ExchangedMember(
                name=place,
                key=name,
                owner=str(owner) if owner in (Party.CORE, Party.PLUGIN) else "",
                value=value,
                bits=int(width or 0),
                before=before,
                must_be_understood=each.contract.must_be_understood,
            )
            before = place if width is None else before

    def _excluded(self, fields: Sequence[Field]) -> set[str]:
        """Return the members that stay zero, because they cannot be set together with others."""
        found: set[str] = set()
        for each in fields:
            if each.excludes and each.name not in found:
                other = next((one for one in fields if one.name == each.excludes), each)
                is_needed = other.contract.requirement in (Requirement.REQUIRED, Requirement.CONDITIONAL)
                found.add(each.name if is_needed else other.name)
        return found

    def _member_value(self, field: Field, key: str, counts: set[str], excluded: set[str]) -> ExchangedValue:
        """Return the value that a member is set to."""
        type = self._declare(unqualified(field.type))
        own = self.publications[0].header
        macros = dict(zip(("major", "minor", "patch"), own.version_macros, strict=False))
        if field.version_part in macros:
            return ExchangedValue(kind="number", type=type, constant=macros[field.version_part], is_checked=False)
        is_extension = field.name == self.api.conventions.extension_field
        if field.contract.reserved or is_extension or field.name in excluded:
            return ExchangedValue(kind="zero", type=type)
        if field.name in counts:
            return ExchangedValue(kind="number", type=type, constant="SKEW_ELEMENTS")
        value = self._value(field.type, key, "SKEW_ELEMENTS" if field.count else "1")
        value = replace(value, counted_by=field.count)
        if value.kind == "text":
            text = text_of(key, field.pattern)
            value = replace(value, constant=text, texts=self._identities.texts.get(key, (text,)))
        return value

    # ---- values

    def _value(self, type: CType, key: str, count: str = "1") -> ExchangedValue:
        """Return the way in which values of a type are exchanged."""
        spelled = self._declare(_bare(type))
        resolved = self.api.resolve(type)
        if isinstance(resolved, Pointer):
            return self._pointer(type, resolved, key, count)
        if isinstance(resolved, Array):
            return self._array(resolved, key)
        struct = self.api.struct_of(resolved)
        if struct is not None:
            known = struct.fields and not struct.anonymous
            return (
                ExchangedValue(kind="struct", type=spelled, struct=self._struct(struct))
                if known
                else ExchangedValue(kind="unknown")
            )
        if isinstance(resolved, EnumType):
            enumerator = self._identities.enumerators.get(resolved.key, "")
            return ExchangedValue(kind="number" if enumerator else "zero", type=spelled, constant=enumerator)
        if isinstance(resolved, (FunctionType, BitInt, Vector)) or resolved == Basic("__builtin_va_list"):
            return ExchangedValue(kind="unknown")
        name = resolved.name if isinstance(resolved, (Basic, NamedType)) else ""
        if name == "void":
            return ExchangedValue(kind="nothing")
        if name in ("_Bool", "bool"):
            return ExchangedValue(kind="truth", type=spelled)
        if any(each in name.split() for each in _FLOATING):
            return ExchangedValue(kind="unknown" if "_Complex" in name else "floating", type=spelled)
        return ExchangedValue(kind="unknown" if name == "va_list" else "bytes", type=spelled)

    def _array(self, array: Array, key: str) -> ExchangedValue:
        if array.length is None:
            return ExchangedValue(kind="unknown")
        element = self._value(array.element, key)
        if element.kind in ("unknown", "nothing"):
            return ExchangedValue(kind="unknown")
        return ExchangedValue(kind="array", element=element)

    def _pointer(self, type: CType, pointer: Pointer, key: str, count: str) -> ExchangedValue:
        """Return the way in which a pointer is exchanged, which depends on its pointee."""
        spelled, target = self._declare(_bare(type)), self.api.resolve(pointer.target)
        is_const = self.api.is_const_pointer(type)
        if self._status is not None and self._status in (pointer, target):
            return ExchangedValue(kind="status", type=spelled, is_const=is_const)
        if isinstance(target, FunctionType):
            known = self._call(key, target)
            return (
                ExchangedValue(kind="callback", type=spelled, callback=known)
                if known
                else ExchangedValue(kind="token", type=spelled)
            )
        struct = self.api.struct_of(target)
        if struct is not None and struct.fields and not struct.anonymous:
            return ExchangedValue(
                kind="object", type=spelled, struct=self._struct(struct), is_const=is_const, count=count,
            )  # fmt: skip
        if target == Basic("char") and is_const and count == "1":
            return ExchangedValue(kind="text", type=spelled, constant=key, texts=(key,))
        element = self._value(_BYTE if target == Basic("void") and count != "1" else pointer.target, key)
        if element.kind in ("unknown", "nothing") or struct is not None:
            return ExchangedValue(kind="token", type=spelled)
        return ExchangedValue(kind="elements", type=spelled, element=element, is_const=is_const, count=count)

    # ---- calls

    def _call(self, key: str, type: FunctionType, function: Function | None = None) -> str:
        """Return the id of a function or callback, which is there from then on; empty for one that cannot be called."""
        id = re.sub(r"\W+", "_", key).strip("_")
        if id in self.calls:
            return id
        counts = counts_of(type.parameters, self.api)
        parameters: list[tuple[str, ExchangedValue]] = []
        for at, each in enumerate(type.parameters):
            name = f"{key}#{at + 1}"
            value = self._value(each.type, name, "SKEW_ELEMENTS" if at in counts else "1")
            value = replace(value, counted_by=f"#{counts[at] + 1}" if at in counts else "")
            if at in counts.values():
                value = ExchangedValue(kind="number", type=self._declare(_bare(each.type)), constant="SKEW_ELEMENTS")
            parameters.append((name, value))
        result = self._value(type.result, f"{key}=")
        values = [result, *(value for _, value in parameters)]
        if type.variadic or any(each.kind == "unknown" for each in values):
            self.unknown.append(key)
            return ""
        named = tuple(Parameter(f"a{at}", each.type) for at, each in enumerate(type.parameters))
        shown = replace(type, parameters=named)
        self.calls[id] = ExchangedCall(
            id=id,
            key=key,
            type=self._declare(Pointer(type), f"call_{id}"),
            definition=self._declare(shown, "@"),
            parameters=tuple(parameters),
            declarations=tuple(self._declare(_bare(each.type), f"a{at}") for at, each in enumerate(type.parameters)),
            result=result,
            function=function,
        )
        return id


def _bare(type: CType) -> CType:
    """Return a type of which a variable can be written to."""
    return type.type if isinstance(type, Qualified) else type
