"""Where the size of a struct matters: embedded by value, an element of an array, passed by value, or counted.

Followed through typedefs, nested structs, arrays and pointers to arrays. A pointer that goes with a count (`T* xs,
size_t num_xs`) makes an array whose stride is the size of `T`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from abigen.model.api import Api
from abigen.model.ctype import Array, Basic, CType, FunctionType, NamedType, Pointer, RecordType
from abigen.model.entities import Entity, Struct
from abigen.model.span import Span


@dataclass(frozen=True)
class Use:
    """One place where the size of a struct is compiled in."""

    kind: str
    """`member`, `element` (of an array), `counted` (pointer and count), `parameter` or `result`."""
    record: str
    """Key of the struct that is used."""
    holder: str
    """Key of the struct, or name of the function or typedef, that uses it."""
    member: str
    """The member or parameter; empty for a function's own result."""
    span: Span | None
    count: str = ""
    """For `counted`: the name of the count."""

    @property
    def path(self) -> str:
        """The place as users write it: `SP_Platform.device`."""
        return f"{self.holder}.{self.member}" if self.member else self.holder

    def __str__(self) -> str:
        """A clause that says who uses it how."""
        if self.kind == "member":
            return f"{self.path} holds it by value"
        if self.kind == "element":
            return f"{self.path} is an array of it"
        if self.kind == "counted":
            return f"{self.path} points to an array of it ({self.count} elements)"
        verb = "returns" if self.kind == "result" else "takes"
        return f"{self.path} {verb} it by value"


@dataclass(frozen=True)
class Uses:
    """All uses of structs by value in one API."""

    api: Api

    @cached_property
    def by_record(self) -> Mapping[str, tuple[Use, ...]]:
        """Key of a struct to the places that use it by value, in the order of declaration."""
        found: dict[str, list[Use]] = {}
        for use in self._all():
            found.setdefault(use.record, []).append(use)
        return {key: tuple(uses) for key, uses in found.items()}

    def of(self, key: str) -> tuple[Use, ...]:
        """Where a struct is used by value, directly."""
        return self.by_record.get(key, ())

    def reaching(self, key: str) -> tuple[Use, ...]:
        """Where a struct is used by value, directly or inside another struct; nearest first."""
        found: list[Use] = []
        seen = {key}
        waiting = [key]
        while waiting:
            for use in self.of(waiting.pop(0)):
                found.append(use)
                if use.kind in ("member", "element") and use.holder in self.api.structs and use.holder not in seen:
                    seen.add(use.holder)
                    waiting.append(use.holder)
        return tuple(found)

    def _all(self) -> Iterator[Use]:
        """Every use there is."""
        for struct in self.api.structs.values():
            yield from self._in_struct(struct)
        for typedef in self.api.typedefs.values():
            yield from self._in_calls(typedef.type, typedef)
        for function in self.api.functions.values():
            yield from self._in_calls(function.type, function)

    def _in_struct(self, struct: Struct) -> Iterator[Use]:
        """Uses by the members of one struct."""
        siblings = [(each.name, each.type) for each in struct.fields or ()]
        for member in struct.fields or ():
            resolved = self.api.resolve(member.type)
            if isinstance(resolved, RecordType):
                yield Use("member", resolved.key, struct.name, member.name, member.span)
            elif element := self._element(resolved):
                yield Use("element", element, struct.name, member.name, member.span)
            elif (record := self._pointed(resolved)) and (
                count := member.count or count_of(member.name, siblings, self.api)
            ):
                yield Use("counted", record, struct.name, member.name, member.span, count)
            holder = Entity(name=f"{struct.name}.{member.name}", span=member.span)
            yield from self._in_calls(member.type, holder)

    def _element(self, resolved: CType) -> str | None:
        """The struct that an array, or a pointer to an array, consists of."""
        if isinstance(resolved, Pointer):
            resolved = self.api.resolve(resolved.target)
        if not isinstance(resolved, Array):
            return None
        while isinstance(resolved, Array):
            resolved = self.api.resolve(resolved.element)
        return resolved.key if isinstance(resolved, RecordType) else None

    def _pointed(self, resolved: CType) -> str | None:
        """The struct that a single pointer points to."""
        target = self.api.resolve(resolved.target) if isinstance(resolved, Pointer) else None
        return target.key if isinstance(target, RecordType) else None

    def _in_calls(self, type: CType, holder: Entity) -> Iterator[Use]:
        """Uses by the parameters and the result of a function, or of a pointer to one."""
        while isinstance(type, Pointer):
            type = type.target
        if not isinstance(type, FunctionType):
            return
        result = self.api.resolve(type.result)
        if isinstance(result, RecordType):
            yield Use("result", result.key, holder.name, "", holder.span)
        siblings = [(each.name or "", each.type) for each in type.parameters]
        for position, parameter in enumerate(type.parameters, 1):
            name = parameter.name or f"parameter {position}"
            span = parameter.span or holder.span
            resolved = self.api.resolve(parameter.type)
            if isinstance(resolved, RecordType):
                yield Use("parameter", resolved.key, holder.name, name, span)
            elif element := self._element(resolved):
                yield Use("element", element, holder.name, name, span)
            elif (record := self._pointed(resolved)) and (count := count_of(parameter.name or "", siblings, self.api)):
                yield Use("counted", record, holder.name, name, span, count)
            else:
                inner = Entity(name=f"{holder.name}.{name}", span=span)
                yield from self._in_calls(parameter.type, inner)


_COUNT_WORDS = frozenset({"num", "n", "nb", "number", "of", "count", "cnt", "len", "length", "size", "nr"})


def count_of(name: str, siblings: Sequence[tuple[str, CType]], api: Api) -> str:
    """The sibling that says how many elements a pointer points to, by the usual naming patterns.

    Args:
        name: of the pointer: `xs`, `pXs`.
        siblings: names and types of all members or parameters beside it.
        api: to resolve their types.

    Returns:
        Its name (`num_xs`, `xs_count`, `n_xs`, `xs_size`, `xCount`, ...), or the empty string.
    """
    wanted = _stem(_words(name.removeprefix("p") if re.match(r"p+[A-Z]", name) else name))
    if not wanted:
        return ""
    for sibling, type in siblings:
        words = _words(sibling)
        rest = [word for word in words if word not in _COUNT_WORDS]
        if len(rest) < len(words) and _stem(rest) == wanted and is_integer(type, api):
            return sibling
    return ""


def is_integer(type: CType, api: Api) -> bool:
    """Whether a type counts something: an integer type that the language or a standard header names."""
    resolved = api.resolve(type)
    if isinstance(resolved, NamedType):
        return resolved.name.endswith("_t")
    return isinstance(resolved, Basic) and not {"float", "double", "void", "_Bool"} & set(resolved.name.split())


def _words(name: str) -> list[str]:
    """The words of an identifier in lower case: `num_args`, `queueInfoCount`."""
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name)]


def _stem(words: Sequence[str]) -> tuple[str, ...]:
    """The words with the last one in the singular."""
    if not words:
        return ()
    last = words[-1]
    if last.endswith("ies"):
        last = last[:-3] + "y"
    elif last.endswith("s") and len(last) > 1:
        last = last[:-1]
    return (*words[:-1], last)
