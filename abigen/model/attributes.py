"""Table of the keys of specs that state facts besides types, and the words for them.

Readers, rules, documentation and comments go through this table. The reader of specs and `keys_of`, by which
`abigen import` writes them, are inverses of each other. Comments and documentation have their own words for the
contract: those for zero, a condition and a deprecation depend on several keys.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from operator import attrgetter
from typing import Any

import msgspec

from abigen.model.contract import Requirement
from abigen.model.entities import (
    Callback,
    Entity,
    Enum,
    Field,
    Function,
    Handle,
    ObjectCallbacks,
    Struct,
    Typedef,
    Variable,
)


class Value(StrEnum):
    """The type of the value of an attribute."""

    TEXT = "text"
    MEMBER = "member"
    """The name of a member of the same struct."""
    SIDE = "side"
    FLAG = "flag"
    NAMES = "names"
    """Names of parameters."""
    FROM_PARAMETERS = "from parameters"
    """Names of parameters, of which each says it of itself in a spec."""
    OBJECT = "object"
    """The functions of one object."""
    ZERO = "zero"
    """The meaning of zero."""
    RELEASE = "release"

    @property
    def is_list(self) -> bool:
        """True if it is made up of several names."""
        return self in (Value.NAMES, Value.FROM_PARAMETERS, Value.OBJECT)


_CALLED = (Field, Callback, Function)
"""The kinds of entities that are called, or are types of what is called."""
_QUOTED = {"": "`{}`"}


class EntityAttribute(msgspec.Struct, frozen=True):
    """A fact that specs state about some kinds of entities.

    Words are given by value; those for "" hold for all other values, which stand in place of `{}`.
    """

    key: str
    """The key in specs; `deprecated.use` is the key `use` of a mapping at the key `deprecated`."""
    kinds: tuple[type[Entity], ...]
    """The kinds of entities that have it."""
    value: Value = Value.TEXT
    changed: str = ""
    """The name of its change, which is ABI613; empty where another rule, or none, reports it."""
    label: str = ""
    """The label in reference documentation; empty where that does not list it."""
    shown: Mapping[str, str] = {}
    """The wording of a value in reference documentation, if it is not the value itself."""
    sentence: Mapping[str, str] = {}
    """The sentence of a comment about the entity."""
    mark: str = ""
    """The sentence of reference documentation about each parameter that it names."""
    path: str = ""
    """The path to the attribute in the model, if it is not the key."""
    flag: object = True
    """The value in the model if the spec states `true`, or a mapping."""

    def values(self, entity: Entity) -> tuple[str, ...]:
        """Return the texts of an entity: one, several for a list, none where nothing is stated."""
        value = attrgetter(self.path or self.key)(entity)
        if isinstance(value, ObjectCallbacks):
            return value.create, " ".join(value.methods), value.destroy
        if isinstance(value, tuple):
            return value
        if self.value is Value.FLAG:
            return (self.key,) if value == self.flag else ()
        return (str(value),) if value else ()

    def in_docs(self, entity: Entity) -> str:
        """Return the text of reference documentation after the label; empty for none."""
        return ", ".join(_worded(self.shown, each) for each in self.values(entity))

    def in_comment(self, entity: Entity) -> str:
        """Return the sentence in a comment; empty for none."""
        values = self.values(entity)
        if not {"", values[0]} & {*self.sentence}:
            return ""
        return _worded(self.sentence, " and ".join(f"`{each}`" for each in values) if self.value.is_list else values[0])


def _worded(words: Mapping[str, str], value: str) -> str:
    return words.get(value, words.get("", "{}")).format(value)


ATTRIBUTES = (
    EntityAttribute("count", (Field,), Value.MEMBER, "the member that counts its elements", "Counted by", _QUOTED),
    EntityAttribute("allocated_by", (Field,), Value.SIDE, "the side that allocates its pointee", "Object made by"),
    EntityAttribute("defined_by", (Typedef,), Value.SIDE, "the side that defines it", "Defined by"),
    EntityAttribute(
        "create",
        (Struct,),
        Value.TEXT,
        "the function that creates it",
        "Made by",
        _QUOTED,
        sentence={"": "Allocated by `{}` only."},
    ),
    EntityAttribute("create", (Typedef,), Value.TEXT, "the function that creates it", "Made by", _QUOTED),
    EntityAttribute("destroy", (Struct, Typedef), Value.TEXT, "the function that destroys it", "Destroyed by", _QUOTED),
    EntityAttribute("destroy", (Field,), Value.MEMBER, "the function that frees it", "Destroyed by", _QUOTED),
    EntityAttribute("begin", (Struct,), Value.TEXT, "the function that begins its use", "First passed to", _QUOTED),
    EntityAttribute(
        "calls",
        (Struct, Typedef),
        Value.NAMES,
        "the order of the calls with it",
        label="Called in order",
        shown=_QUOTED,
    ),
    EntityAttribute(
        "extension",
        (Struct,),
        changed="the value that identifies it",
        label="Extension",
        shown=_QUOTED,
        sentence={"": "An extension; its type is `{}`."},
    ),
    EntityAttribute(
        "next_extension",
        (Struct,),
        Value.MEMBER,
        "the member that points to the next extension",
        "Next extension",
        _QUOTED,
    ),
    EntityAttribute("failure", (Handle,), Value.TEXT, "the result that reports its failure", "Failure", _QUOTED),
    EntityAttribute(
        "version_part",
        (Field,),
        changed="the part of the version that it states",
        label="Version",
        shown={"": "{} version of the side that fills it"},
    ),
    EntityAttribute("excludes", (Field,), Value.MEMBER, label="Excludes", shown=_QUOTED),
    EntityAttribute("pattern", (Field,), label="Form", shown=_QUOTED),
    EntityAttribute(
        "stands_for",
        (Field,),
        changed="the name that it replaces",
        label="Stands for",
        shown={"plugin_name": "plugin name", "device_type": "device type"},
    ),
    EntityAttribute(
        "implemented_by",
        (Function, Variable),
        Value.SIDE,
        label="Implemented by",
        sentence={"plugin": "Implemented by the plugin."},
    ),
    EntityAttribute(
        "entry_point",
        (Function, Variable),
        Value.FLAG,
        label="Entry point",
        shown={"": "yes"},
        sentence={"": "Entry point."},
    ),
    EntityAttribute(
        "symbol",
        (Function, Variable),
        label="Exported as",
        shown=_QUOTED,
        sentence={"": "A plugin exports it as `{}`."},
    ),
    EntityAttribute(
        "begins_with", (Typedef,), Value.TEXT, "what it begins with", "Begins with", {"": "a pointer to `{}`"}
    ),
    EntityAttribute("found_by", (Function,), Value.TEXT, "the function that finds it", "Found by", _QUOTED),
    EntityAttribute(
        "listed_by",
        (Function,),
        changed="the parameter that counts what it lists",
        label="Called with",
        shown={"": "`{}` from 0 up, until it returns NULL"},
        sentence={"": "Called with `{}` from 0 up, until it returns NULL."},
    ),
    EntityAttribute(
        "only_if",
        (Function,),
        changed="the condition under which it is called",
        label="Called if",
        shown=_QUOTED,
        sentence={"": "Called only if `{}`."},
    ),
    EntityAttribute(
        "value",
        (Field,),
        changed="the value that it is set to",
        label="Set to",
        shown=_QUOTED,
        sentence={"": "Always `{}`."},
    ),
    EntityAttribute("declared_by", (Function,), Value.SIDE, label="Declared by", shown={"": "each {} itself"}),
    EntityAttribute("nullable", _CALLED, Value.FROM_PARAMETERS, mark="may be NULL"),
    EntityAttribute("non_null", _CALLED, Value.FROM_PARAMETERS, mark="not NULL"),
    EntityAttribute("outputs", (Function,), Value.NAMES, "the parameter that receives results", mark="output"),
    EntityAttribute(
        "outputs", (Field, Callback), Value.FROM_PARAMETERS, "the parameter that receives results", mark="output"
    ),
    EntityAttribute(
        "gives",
        (Function,),
        Value.NAMES,
        "the data owned by its caller",
        mark="belongs to the caller afterwards",
    ),
    EntityAttribute(
        "gives",
        (Field, Callback),
        Value.FROM_PARAMETERS,
        "the data owned by its caller",
        mark="belongs to the caller afterwards",
    ),
    EntityAttribute(
        "takes",
        (Function,),
        Value.NAMES,
        "the arguments that it owns",
        mark="belongs to the function afterwards",
    ),
    EntityAttribute(
        "takes",
        (Field, Callback),
        Value.FROM_PARAMETERS,
        "the arguments that it owns",
        mark="belongs to the function afterwards",
    ),
    EntityAttribute(
        "thread",
        _CALLED,
        changed="the thread that it is called on",
        label="Thread",
        sentence={"any": "Called on any thread.", "": "Called on the `{}` thread only."},
    ),
    EntityAttribute(
        "retains",
        _CALLED,
        Value.NAMES,
        changed="the arguments that it retains",
        label="Keeps",
        shown=_QUOTED,
        sentence={"": "Keeps {}: it has to outlive the call."},
        mark="kept after the call",
    ),
    EntityAttribute(
        "scope",
        (Field, Callback),
        changed="how long it is called",
        label="Called",
        shown={"call": "during the call only", "once": "once", "static": "at any time until the program ends"},
        sentence={
            "call": "Not called after the call that it is passed to.",
            "once": "Called once.",
            "static": "May be called at any time until the program ends.",
        },
    ),
    EntityAttribute("object", (Function,), Value.OBJECT, "the functions of its object"),
    EntityAttribute(
        "flags",
        (Enum,),
        Value.FLAG,
        changed="the kind of its values",
        label="Flags",
        shown={"": "values may be combined"},
        sentence={"": "The values are flags and may be combined."},
    ),
)
"""The attributes, in the order in which documentation and messages list them."""


_LIFE = "contract.lifecycle."
CONTRACT = (
    EntityAttribute("since", (Entity,), Value.RELEASE, path=f"{_LIFE}since"),
    EntityAttribute("required", (Field,), Value.FLAG, path="contract.requirement", flag=Requirement.REQUIRED),
    EntityAttribute("required.when", (Field,), path="contract.condition.when"),
    EntityAttribute("required.unless", (Field,), path="contract.condition.unless"),
    EntityAttribute("optional", (Field,), Value.FLAG, path="contract.requirement", flag=Requirement.OPTIONAL),
    EntityAttribute("zero", (Field,), Value.ZERO, path="contract.zero"),
    EntityAttribute("filled_by", (Struct,), Value.SIDE, path="contract.set_by"),
    EntityAttribute("set_by", (Field,), Value.SIDE, path="contract.set_by"),
    EntityAttribute("must_be_understood", (Field,), Value.FLAG, path="contract.must_be_understood"),
    EntityAttribute("reserved", (Field,), Value.FLAG, path="contract.reserved"),
    EntityAttribute("replaces", (Field,), path=f"{_LIFE}replaces"),
    EntityAttribute("deprecated", (Entity,), Value.FLAG, path=f"{_LIFE}deprecated"),
    EntityAttribute("deprecated.since", (Entity,), Value.RELEASE, path=f"{_LIFE}deprecated_since"),
    EntityAttribute("deprecated.use", (Entity,), path=f"{_LIFE}replaced_by"),
)
"""The keys of the contract. `kinds` are the kinds of entities for which `abigen import` writes them."""


def keys_of(entity: Entity) -> dict[str, object]:
    """Return the keys of the contract by which a spec states what an entity has agreed."""
    found: dict[str, Any] = {}
    for each in CONTRACT:
        if isinstance(entity, each.kinds) and (said := each.values(entity)):
            outer, _, key = each.key.rpartition(".")
            if outer and found.get(outer) in (None, True):
                found[outer] = {}
            (found[outer] if outer else found)[key] = each.value is Value.FLAG or said[0]
    return found


def inner_keys_of(name: str) -> frozenset[str]:
    """Return the keys that a spec may state of a member which is a struct written inside of another.

    Args:
        name: of the member; empty for none.
    """
    of_nameless = frozenset({"fields", "kind", "doc", "group", "since", "zero", "alignment"})
    return of_nameless | {"name", "set_by", "deprecated", "reserved"} if name else of_nameless


@cache
def attributes_of(kind: type[Entity]) -> tuple[EntityAttribute, ...]:
    """Return the attributes that a kind of entity has."""
    return tuple(each for each in ATTRIBUTES if issubclass(kind, each.kinds))
