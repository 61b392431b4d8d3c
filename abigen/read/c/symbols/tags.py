"""Structs, unions and enumerations by tag and by body, and the keys that the model has for them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from abigen.model.span import Diagnostic
from abigen.read.c.syntax.trees import TagBody
from abigen.read.c.unit import Token


@dataclass
class Tag:
    """A struct, union or enumeration, with or without a tag."""

    kind: str
    name: str
    first: Token
    """Where it is mentioned first."""
    body: TagBody | None = None
    typedef_names: list[str] = field(default_factory=list)
    parent: Tag | None = None
    member: str = ""
    """For what has no name of its own: the member or declaration that it is the type of."""
    key: str = ""
    declared_from: int = 0
    """Index of the token that the declaration with its body begins with."""

    @property
    def place(self) -> Token:
        """The name in its definition, or where it is mentioned first."""
        if self.body is None:
            return self.first
        return self.body.name or self.body.keyword


class TagTable:
    """All tags of a translation unit; there is one name space for them (C 6.2.3)."""

    def __init__(self, report: Callable[[Diagnostic], None]) -> None:
        """Begin without tags; `report` hears of conflicts."""
        self.all: list[Tag] = []
        """In the order in which they are mentioned first."""
        self._report = report
        self._by_name: dict[str, Tag] = {}
        self._by_body: dict[int, Tag] = {}
        self._by_key: dict[tuple[bool, str], Tag] = {}
        self._keys_are_assigned = False

    def named(self, name: str) -> Tag | None:
        """What a tag names; None when it has not been mentioned."""
        return self._by_name.get(name)

    def with_body(self, body: TagBody) -> Tag:
        """What a body defines."""
        return self._by_body[id(body)]

    def with_key(self, key: str, *, is_enum: bool) -> Tag | None:
        """The struct or union, or the enum, with a key."""
        return self._by_key.get((is_enum, key))

    def declare(self, kind: str, keyword: Token, name: Token | None, body: TagBody | None) -> None:
        """Take note of a struct, union or enum, when it is mentioned or defined.

        Args:
            kind: `struct`, `union` or `enum`.
            keyword: that word in the source.
            name: the tag; None when it has none.
            body: what it is defined as; None for a mention.
        """
        tag = self._by_name.get(name.text) if name is not None else None
        if tag is None:
            tag = Tag(kind, name.text if name else "", name or keyword)
            self.all.append(tag)
            if name is not None:
                self._by_name[name.text] = tag
        elif tag.kind != kind and name is not None:
            message = f"'{name.text}' is a {kind} here, but a {tag.kind} at {tag.place.span}"
            self._report(Diagnostic(name.span, message))
        if body is None:
            return
        self._by_body[id(body)] = tag
        if tag.body is not None and (tag.body.is_complete or not body.is_complete):
            place = (name or keyword).span
            self._report(Diagnostic(place, f"'{kind} {tag.name}' is defined twice, first at {tag.place.span}"))
            # Keep the refused body too: its identity must not be taken by another one.
            tag.body.refused.append(body)
        else:
            tag.body = body
            tag.declared_from = body.start

    def assign_keys(self) -> None:
        """Give every struct, union and enum without a key the one that the model has for it.

        To be called when all of the user's files have been read; a typedef that gives the name may come last.
        """
        self._keys_are_assigned = True
        for tag in self.all:
            if not tag.key and tag.typedef_names:
                self._assign(tag, tag.typedef_names[0])
        for tag in self.all:
            if not tag.key:
                self._assign(tag, self._free_key(tag))

    def assign_late_keys(self) -> None:
        """Do so for what system headers have added since, if keys have been assigned at all."""
        if self._keys_are_assigned:
            self.assign_keys()

    def _assign(self, tag: Tag, key: str) -> None:
        """Let a key be that of a tag."""
        tag.key = key
        self._by_key[tag.kind == "enum", key] = tag

    def _free_key(self, tag: Tag) -> str:
        """A key for what no typedef names."""
        is_enum = tag.kind == "enum"
        if tag.name:
            return f"{tag.kind} {tag.name}" if (is_enum, tag.name) in self._by_key else tag.name
        if tag.parent is not None:
            key = f"{tag.parent.key}.{tag.member}"
        elif tag.member:
            key = f"{tag.member}.<anonymous 1>"
        elif tag.body is not None and tag.kind == "enum" and tag.body.members:
            key = f"<anonymous {tag.body.flat.token_of(tag.body.members[0]).text}>"
        else:
            key = "<anonymous 1>"
        number = 1
        candidate = key
        while (is_enum, candidate) in self._by_key:
            number += 1
            candidate = f"{key} {number}"
        return candidate
