"""Uses of types by several releases under names of their own, and the text that each side writes and expects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

import msgspec

from abigen.model.api import Api
from abigen.model.entities import Enumerator, Function, Struct
from abigen.model.pattern import Pattern, parse_pattern
from abigen.model.spelling import canonical

_PREFERRED = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
"""What texts that follow a pattern are made of, where it leaves the choice."""


class Identities(msgspec.Struct, frozen=True):
    """What is the same across releases."""

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
    """The text that a side sets a member to: its key, or the shortest one that its pattern allows."""
    if not pattern or parse_pattern(pattern).matches(key):
        return key
    return _shortest(parse_pattern(pattern))


def _shortest(pattern: Pattern) -> str:
    steps = [step for step in pattern.steps if not step.optional]
    preferred = (next((each for each in _PREFERRED if each in step.bytes), min(step.bytes)) for step in steps)
    return bytes(preferred).decode("latin-1")


def _renamed(old: Struct, new: Struct, before: Api, after: Api) -> Iterator[tuple[str, str]]:
    """Members that have another name in the same place, with the same type."""
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


class CrossingValue(msgspec.Struct, frozen=True, kw_only=True):
    """How a value of some type crosses."""

    kind: str
    """`bytes`, `truth`, `floating`, `number` (a constant), `zero`, `text`, `token` (an address that is only handed
    back), `callback`, `status`, `object` (a pointer to a struct), `elements` (a pointer to other things), `struct`,
    `array`, `nothing`, or `unknown`."""
    type: str = ""
    """As C names it, without qualifiers of its own."""
    constant: str = ""
    """Of a number: what it is in C; the text of a text."""
    texts: tuple[str, ...] = ()
    """Of a text: those that the other side may have set."""
    is_checked: bool = True
    """Whether the other side knows what a number has to be."""
    struct: str = ""
    """Of a struct, and of an object: the name in those of its functions."""
    element: CrossingValue | None = None
    is_const: bool = False
    """Whether what a pointer leads to is const."""
    count: str = "1"
    """How many elements there are."""
    counted_by: str = ""
    """What tells how many elements there are; empty for one element."""
    callback: str = ""
    """The name of the functions that call it and stand for it."""

    @property
    def tag(self) -> str:
        """What marks have made of it: sides that disagree about that are not compared byte by byte."""
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
    value: CrossingValue
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
    """Who fills all of it: `core`, `plugin`, or empty."""
    check: str
    """The generated function that checks it; empty for none."""
    given: int
    """How many other objects that function is given."""
    prefix: str
    """What the names of types for findings begin with."""


class ExchangedCall(msgspec.Struct, frozen=True, kw_only=True):
    """A function, or a place for a callback."""

    id: str
    key: str
    type: str
    """Declares a pointer type named `call_ID`."""
    definition: str
    """Declares the function by a name that is `@`."""
    parameters: tuple[tuple[str, CrossingValue], ...]
    """Key and value; they are called a0, a1, ..."""
    declarations: tuple[str, ...]
    """Of variables with the types of the parameters."""
    result: CrossingValue
    function: Function | None = None
    """None for a callback."""
