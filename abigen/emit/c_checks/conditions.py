"""When a member is required: conditions on members of the same struct, or of another that the check is given too."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, count

from abigen.emit.c.types import Speller
from abigen.model.api import Api, Header
from abigen.model.ctype import Pointer, RecordType
from abigen.model.entities import Field, Struct
from abigen.model.identifiers import reserved_word, screaming_snake

_TAKEN = ("object", "report", "context", "reporter", "steps", "members", "conditions", "type")
"""Names that a check uses itself."""


@dataclass(frozen=True, kw_only=True)
class Given:
    """A struct that conditions ask and that is not the checked one: the check is given a pointer to it."""

    key: str
    """Of the struct in the model."""
    type: str
    """As C names it."""
    name: str
    """Of the parameter."""


@dataclass(frozen=True, kw_only=True)
class Condition:
    """Members that are set, or not, where another is required."""

    text: str
    """The end of a sentence: `when XY_Thing.flag is set`."""
    asked: tuple[Asked, ...]
    """All have to hold."""


@dataclass(frozen=True, kw_only=True)
class Asked:
    """One member that a condition asks."""

    object: str
    """The C variable that points to the struct."""
    given: Given | None
    """The parameter that it is, which may be NULL; None for the checked object itself."""
    type: str
    """The struct, as C names it."""
    size_field: str
    """Empty for a struct that is not versioned."""
    member: str
    zero: str
    """What C compares it with: `0` or `NULL`."""
    unless: bool
    """Whether it has to be zero."""


class Conditions:
    """The conditions of an API."""

    def __init__(self, api: Api, header: Header, speller: Speller) -> None:
        """Prepare to make them.

        Args:
            api: the API.
            header: how it is published.
            speller: of this API.
        """
        self._api = api
        self._header = header
        self._speller = speller

    def of(self, member: Field, struct: Struct) -> Condition | None:
        """The condition under which a member is required; None where there is none, or what it asks came later."""
        places = list(self._places(member, struct))
        if not places or any(asked is None for _, asked, _ in places):
            return None
        names = [f"{owner.name}.{asked.name}" for owner, asked, _ in places if asked]
        return Condition(
            text=_in_words(names, [unless for _, _, unless in places]),
            asked=tuple(self._asked(owner, asked, struct, unless=unless) for owner, asked, unless in places if asked),
        )

    def exclusion(self, member: Field, struct: Struct) -> Condition | None:
        """The condition under which a member may not be set; None where there is none."""
        other = _member(member.excludes, struct.fields or ()) if member.excludes else None
        if other is None:
            return None
        return Condition(
            text=_in_words([f"{struct.name}.{other.name}"], [False]),
            asked=(self._asked(struct, other, struct, unless=False),),
        )

    def given(self, conditions: Iterable[Condition]) -> tuple[Given, ...]:
        """The structs that conditions ask besides the one that they belong to, in the order in which they are named."""
        found = {asked.given.key: asked.given for each in conditions for asked in each.asked if asked.given}
        return tuple(found.values())

    @cached_property
    def _givens(self) -> Mapping[str, Given]:
        """Every struct that some condition could ask, with the parameter that stands for it."""
        api = self._api
        found: dict[str, Given] = {}
        taken = {*_TAKEN, *api.structs, *api.enums, *api.typedefs, *api.functions, *api.constants, *api.macros}
        for struct in api.structs.values():
            if struct.in_api and struct.fields and (struct.tag or struct.typedef_names):
                name = _free_name(struct.name, taken)
                taken.add(name)
                type = self._speller.declare(RecordType(struct.name))
                found[struct.name] = Given(key=struct.name, type=type, name=name)
        return found

    def _places(self, member: Field, struct: Struct) -> Iterator[tuple[Struct, Field | None, bool]]:
        """What a condition asks: a struct, its member (None where there is none yet), and whether it has to be zero."""
        for path, unless in ((member.contract.condition.when, False), (member.contract.condition.unless, True)):
            if path:
                name, _, asked = path.rpartition(".")
                owner = self._api.structs.get(name) if name else struct
                yield owner or struct, _member(asked, (owner.fields if owner else None) or ()), unless

    def _asked(self, owner: Struct, member: Field, struct: Struct, *, unless: bool) -> Asked:
        given = None if owner.name == struct.name else self._givens[owner.name]
        versioned = owner.name in self._header.size_macros
        return Asked(
            object="object" if given is None else given.name,
            given=given,
            type=self._speller.declare(RecordType(owner.name)),
            size_field=(owner.fields or ())[0].name if versioned else "",
            member=member.name,
            zero="NULL" if isinstance(self._api.resolve(member.type), Pointer) else "0",
            unless=unless,
        )


def _in_words(members: Sequence[str], unless: Sequence[bool]) -> str:
    if len(members) > 1:
        return f"when {members[0]} is set and {members[1]} is not"
    return f"{'unless' if unless[0] else 'when'} {members[0]} is set"


def _free_name(struct: str, taken: Collection[str]) -> str:
    """What to call a pointer to a struct: `XY_DeviceFns` gives `device_fns`, with a number where that is taken."""
    words = screaming_snake(struct.partition("_")[2] or struct).lower()
    base = re.sub("_+", "_", words).strip("_")
    names = (f"{base}{number}" for number in count(2))
    return next(each for each in chain([base], names) if each not in taken and not reserved_word(each))


def _member(name: str, members: Iterable[Field]) -> Field | None:
    return next((each for each in members if each.name == name), None)
