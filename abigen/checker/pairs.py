"""Pairs the entities of OLD and NEW on one target, and compares types and signatures of pairs."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Generic, NamedTuple, TypeAlias, TypeVar

import msgspec
from msgspec.structs import replace

from abigen.checker.equality import (
    Equality,
    differ_in_qualifiers,
    gained_its_type,
    lost_its_type,
    peel,
    peel_top,
    point_to_characters,
    representation,
    spelled,
    unqualified,
)
from abigen.checker.policy import Options
from abigen.checker.release import declared_bump
from abigen.checker.rule import Subject
from abigen.checker.struct_sizes import Uses, broken_sizes
from abigen.checker.type_pairs import (
    PARAMETER_ABSENT,
    PARAMETER_FORBIDDEN,
    PARAMETER_RENAMED,
    PARAMETER_RETYPED,
    TypeNameChanges,
    TypePairs,
    pair_types,
)
from abigen.model.api import Api
from abigen.model.ctype import (
    Array,
    Basic,
    CType,
    EnumType,
    Expression,
    FunctionType,
    NamedType,
    Parameter,
    Pointer,
    RecordType,
    types_in,
)
from abigen.model.entities import Entity, Struct
from abigen.model.layout import Layouts
from abigen.model.span import Span
from abigen.model.spelling import spell
from abigen.model.target import Target, find_target

BIT_FIELD, FLEXIBLE, ARRAY_LENGTH = "bit-field", "flexible", "array-length"
CALLBACK, QUALIFIER, TYPE = "callback", "qualifier", "type"


class ParameterChange(msgspec.Struct, frozen=True):
    """A parameter that differs; positions count from 1."""

    kind: str
    """`added`, `removed`, `moved`, `retyped`, `qualified` (only qualifiers behind a pointer differ), `renamed`,
    `converted` (an enumeration became an integer of its size, or the reverse), `bytes` (a pointer to characters became
    one to characters of another sign), or `handle` (a pointer to an opaque struct became one to `void`)."""
    old: Parameter | None = None
    new: Parameter | None = None
    old_position: int = 0
    new_position: int = 0
    texts: tuple[str, str] = ("", "")
    """OLD's and NEW's declaration, in backticks."""

    def __str__(self) -> str:
        """Return a clause that names the parameter."""
        return _CLAUSES.get(self.kind, "parameter {new_position} was {old}, is {new}").format(
            old=self.texts[0], new=self.texts[1], old_position=self.old_position, new_position=self.new_position
        )


_CLAUSES = {
    "added": "parameter {new_position} {new} was added",
    "removed": "parameter {old_position} {old} was removed",
    "moved": "parameter {new} moved from position {old_position} to {new_position}",
}


class SignatureChange(msgspec.Struct, frozen=True):
    """The differences between two function types."""

    parameters: tuple[ParameterChange, ...] = ()
    """Without those that were only renamed."""
    renamed: tuple[ParameterChange, ...] = ()
    """Parameters that differ in nothing but their name, where both have one."""
    result: tuple[CType, CType] | None = None
    """OLD's and NEW's return type when they differ."""
    words: tuple[str, ...] = ()
    """A clause for each difference, names of parameters aside."""
    breaks_calls: bool = False
    """True if caller and callee no longer agree about the machine's registers and stack, or about who is who."""
    loses_a_handle: bool = False
    """True if only handles differ, which are `void*` now or were (a result that OLD's `void*` stood for), and maybe
    qualifiers."""
    is_converted: bool = False
    """True if calls are as before, and an enumeration became an integer of its size, or the reverse, or a pointer to
    characters became one to characters of another sign."""
    returns_characters: bool = False
    """True if the result pointed to characters, and points to characters of another sign."""

    @property
    def is_of_characters(self) -> bool:
        """True if a parameter or the result points to characters of another sign."""
        return any(each.kind == "bytes" for each in self.parameters) or self.returns_characters

    @property
    def integers(self) -> tuple[tuple[CType, CType], ...]:
        """OLD's and NEW's types of what was passed and is passed as an integer or an enumeration, where they differ."""
        pairs = [(each.old.type, each.new.type) for each in self.parameters if each.old and each.new]
        return (*pairs, *([self.result] if self.result else []))

    @property
    def place(self) -> Span | None:
        """The place in NEW's text of the first parameter that differs."""
        return next((each.new.span for each in self.parameters if each.new is not None and each.new.span), None)


class TypeChange(NamedTuple):
    """The change of a type; `signature` is there for callbacks, and for qualifiers inside one."""

    kind: str
    signature: SignatureChange | None = None


def fine_callers(old: FunctionType, new: FunctionType, equality: Equality) -> tuple[bool, bool]:
    """True if callers of OLD, and those of NEW, call the other side rightly: they expect no result where one comes."""
    is_void = [api.resolve(each.result) == Basic("void") for api, each in ((equality.old, old), (equality.new, new))]
    if is_void[0] == is_void[1] or compare_signatures(old, replace(new, result=old.result), equality).breaks_calls:
        return False, False
    result, layouts = (new.result, equality.new_layouts) if is_void[0] else (old.result, equality.old_layouts)
    is_in_a_register = representation(result, layouts) in ("signed", "unsigned", "pointer", "block")
    return is_in_a_register and is_void[0], is_in_a_register and is_void[1]


def compare_signatures(old: FunctionType, new: FunctionType, equality: Equality) -> SignatureChange:
    """Compare two signatures.

    Args:
        old: OLD's.
        new: NEW's.
        equality: of types, on one target.
    """
    changes = _parameter_changes(old.parameters, new.parameters, equality)
    parameters = tuple(change for change in changes if change.kind != "renamed")
    result = None if equality.same(old.result, new.result) else (old.result, new.result)
    words = [str(change) for change in parameters]
    breaks_calls = any(change.kind not in ("qualified", "handle", "converted", "bytes") for change in parameters)
    is_converted = any(change.kind in ("converted", "bytes") for change in parameters)
    is_handle = any(change.kind == "handle" for change in parameters)
    returns_characters = False
    if result is not None:
        was, now = spelled(*result, equality)
        words.append(f"the return type was {was}, is {now}")
        is_only_handle = lost_its_type(*result, equality) or gained_its_type(*result, equality)
        is_handle = is_handle or is_only_handle
        returns_characters = _differ_in_sign_of_characters(*result, equality)
        is_converted_result = returns_characters or passed_alike(*result, equality)
        is_converted = is_converted or is_converted_result
        is_alike = is_converted_result or differ_in_qualifiers(*result, equality)
        breaks_calls = breaks_calls or not (is_alike or is_only_handle)
    if old.variadic != new.variadic:
        breaks_calls = True
        words.append("the variable arguments (`...`) were " + ("added" if new.variadic else "removed"))
    if not equality.same_convention(old, new):
        breaks_calls = True
        was, now = (each.calling_convention or "the target's usual one" for each in (old, new))
        words.append(f"the calling convention was {was}, is {now}")
    return SignatureChange(
        parameters=parameters,
        renamed=tuple(change for change in changes if change.kind == "renamed"),
        result=result,
        words=tuple(words),
        breaks_calls=breaks_calls,
        loses_a_handle=is_handle and not breaks_calls and not is_converted,
        is_converted=is_converted and not breaks_calls,
        returns_characters=returns_characters,
    )


def passed_alike(old: CType, new: CType, equality: Equality) -> bool:
    """True if one type is an enumeration and the other an integer of the same size (C 6.7.2.2 p4)."""
    before, after = equality.old_layouts.resolve(old), equality.new_layouts.resolve(new)
    if isinstance(before, EnumType) == isinstance(after, EnumType):
        return False
    kinds = {representation(old, equality.old_layouts), representation(new, equality.new_layouts)}
    if not kinds <= {"signed", "unsigned"}:
        return False
    return equality.old_layouts.size_of(old) == equality.new_layouts.size_of(new)


def _differ_in_sign_of_characters(old: CType, new: CType, equality: Equality) -> bool:
    """True if both types point to characters, of another sign."""
    return point_to_characters(old, new, equality) and not differ_in_qualifiers(old, new, equality)


def integer_of(type: CType, layouts: Layouts) -> tuple[int, str] | None:
    """Return size in bytes and sign of an integer or an enumeration on a target; None for any other type."""
    if not isinstance(layouts.resolve(type), (EnumType, Basic)):
        return None
    sign = representation(type, layouts)
    return (layouts.size_of(type), sign) if sign in ("signed", "unsigned") else None


def type_change(old: CType, new: CType, equality: Equality) -> TypeChange | None:
    """Classify the difference of two types.

    Returns:
        None when they are the same; two parameters of one type that changed places are a difference all the same.
    """
    if old == new and equality.names_are_enough:
        return None
    functions = functions_behind(old, new, equality)
    signature = compare_signatures(*functions, equality) if functions else None
    if equality.same(old, new):
        return TypeChange(CALLBACK, signature) if signature and signature.breaks_calls else None
    if is_flexible(old) != is_flexible(new):
        return TypeChange(FLEXIBLE)
    old_core, new_core = peel(old, equality.old_layouts)[1], peel(new, equality.new_layouts)[1]
    if isinstance(old_core, Array) and isinstance(new_core, Array) and _same_elements(old_core, new_core, equality):
        return TypeChange(ARRAY_LENGTH)
    if signature:
        is_told = signature.breaks_calls or signature.loses_a_handle or signature.is_converted
        return TypeChange(CALLBACK if is_told else QUALIFIER, signature)
    return TypeChange(QUALIFIER if differ_in_qualifiers(old, new, equality) else TYPE)


def is_flexible(type: CType) -> bool:
    """True if a type is an array without a length."""
    return isinstance(type, Array) and type.length is None


def functions_behind(old: CType, new: CType, equality: Equality) -> tuple[FunctionType, FunctionType] | None:
    """Return the two functions that both types reach through the same pointers and arrays; None when they do not."""
    while True:
        old, new = peel(old, equality.old_layouts)[1], peel(new, equality.new_layouts)[1]
        if isinstance(old, FunctionType) and isinstance(new, FunctionType):
            return old, new
        if isinstance(old, Pointer) and isinstance(new, Pointer) and old.block == new.block:
            old, new = old.target, new.target
        elif isinstance(old, Array) and isinstance(new, Array) and equality.same_length(old.length, new.length):
            old, new = old.element, new.element
        else:
            return None


def _same_elements(old: Array, new: Array, equality: Equality) -> bool:
    """True if two arrays consist of the same type, whatever their lengths at any depth."""
    before, after = peel(old.element, equality.old_layouts)[1], peel(new.element, equality.new_layouts)[1]
    if isinstance(before, Array) and isinstance(after, Array):
        return _same_elements(before, after, equality)
    return equality.same(old.element, new.element)


def _parameter_changes(
    olds: Sequence[Parameter], news: Sequence[Parameter], equality: Equality
) -> list[ParameterChange]:
    """Align the parameters at the least cost, then say what each pair of the alignment means."""
    changes: list[ParameterChange] = []
    removed: list[tuple[int, Parameter]] = []
    added: list[tuple[int, Parameter]] = []
    for old_place, new_place in _align(olds, news, equality):
        if old_place is not None and new_place is not None:
            old, new = olds[old_place], news[new_place]
            kind = _difference(old, new, equality)
            if kind:
                texts = spelled(old.type, new.type, equality, (old.name or "", new.name or ""))
                changes.append(ParameterChange(kind, old, new, old_place + 1, new_place + 1, texts))
        elif old_place is not None:
            removed.append((old_place + 1, olds[old_place]))
        elif new_place is not None:
            added.append((new_place + 1, news[new_place]))
    for position, old in removed:
        text = f"`{spell(old.type, old.name or '', equality.old)}`"
        there = next((each for each in added if _is_moved(old, each[1], equality)), None)
        if there:
            added.remove(there)
            new_text = f"`{spell(there[1].type, there[1].name or '', equality.new)}`"
            changes.append(ParameterChange("moved", old, there[1], position, there[0], ("", new_text)))
        else:
            changes.append(ParameterChange("removed", old, None, position, 0, (text, "")))
    for position, new in added:
        text = f"`{spell(new.type, new.name or '', equality.new)}`"
        changes.append(ParameterChange("added", None, new, 0, position, ("", text)))
    return sorted(changes, key=lambda change: (change.new_position or change.old_position, change.kind))


def _difference(old: Parameter, new: Parameter, equality: Equality) -> str:
    """Return the difference between two parameters at corresponding places; empty for none."""
    if equality.same_parameter(old.type, new.type):
        return "renamed" if old.name and new.name and old.name != new.name else ""
    if lost_its_type(old.type, new.type, equality):
        return "handle"
    if passed_alike(old.type, new.type, equality):
        return "converted"
    if differ_in_qualifiers(unqualified(old.type), unqualified(new.type), equality):
        return "qualified"
    return "bytes" if point_to_characters(old.type, new.type, equality) else "retyped"


def _is_moved(old: Parameter, new: Parameter | None, equality: Equality) -> bool:
    """True if a parameter of OLD is one of NEW, by name and type, wherever it stands."""
    return new is not None and bool(old.name) and old.name == new.name and equality.same_parameter(old.type, new.type)


_Alignment: TypeAlias = tuple[tuple[int | None, int | None], ...]
"""Pairs of places in two lists, in order; None where one side has no counterpart."""


def _align(olds: Sequence[Parameter], news: Sequence[Parameter], equality: Equality) -> _Alignment:
    """Return the cheapest way from one list to the other; of several, the first that takes one for the other."""
    old_names = {each.name: each for each in olds if each.name}
    new_names = {each.name: each for each in news if each.name}

    def cost(old: Parameter, new: Parameter) -> float:
        """Of taking one for the other; a name that lives on elsewhere must not be taken for a new name."""
        same_name = old.name == new.name or not (old.name and new.name)
        if not same_name:
            namesake = old_names.get(new.name or "")
            lives_on = _is_moved(old, new_names.get(old.name or ""), equality)
            if lives_on or (namesake is not None and _is_moved(namesake, new, equality)):
                return PARAMETER_FORBIDDEN
        retyped = 0.0 if equality.same_parameter(old.type, new.type) else PARAMETER_RETYPED
        return retyped if same_name else PARAMETER_RENAMED + retyped

    if len(olds) == len(news) and not any(map(cost, olds, news)):
        return tuple((place, place) for place in range(len(olds)))
    best: dict[tuple[int, int], tuple[float, _Alignment]] = {}
    for i in reversed(range(len(olds) + 1)):
        for j in reversed(range(len(news) + 1)):
            steps = [(1, 1, cost(olds[i], news[j]))] if i < len(olds) and j < len(news) else []
            steps += [(1, 0, PARAMETER_ABSENT)] if i < len(olds) else []
            steps += [(0, 1, PARAMETER_ABSENT)] if j < len(news) else []
            ways = []
            for old_step, new_step, price in steps:
                total, rest = best[i + old_step, j + new_step]
                ways.append((total + price, ((i if old_step else None, j if new_step else None), *rest)))
            best[i, j] = min(ways, key=lambda way: way[0], default=(0.0, ()))
    return best[0, 0][1]


def broken_use(change: SignatureChange, equality: Equality, *, is_defined_by_users: bool) -> str:
    """Return the reason why code that uses a function no longer compiles.

    Args:
        change: of its signature.
        equality: of OLD's and NEW's types.
        is_defined_by_users: those who include the header define the function, so that their definition has to agree.

    Returns:
        A clause; empty when calls still compile: numbers convert (C 6.5.2.2 paragraph 7), and a pointer may gain
        qualifiers on what it points to (C 6.5.16.1).
    """
    if is_defined_by_users:
        return "a definition with the signature of OLD no longer compiles"
    for each in change.parameters:
        if each.old is None or each.new is None or each.kind == "moved":
            return f"calls with the arguments of OLD no longer compile: {each}"
        if each.kind == "converted" and isinstance(equality.new.resolve(each.new.type), EnumType):
            return f"C++ code that passes a number no longer compiles: {each}"
        if not _converts(each.old.type, each.new.type, equality, to_old=False):
            return f"calls with an argument of the old type no longer compile: {each}"
    if change.result and not _converts(*change.result, equality, to_old=True):
        return "code that uses the result as in OLD no longer compiles"
    return ""


def _converts(old: CType, new: CType, equality: Equality, *, to_old: bool) -> bool:
    """True if a value of one side's type converts to the other side's type without a cast, in C and in C++."""
    old, new = equality.old.resolve(old), equality.new.resolve(new)
    to, source = (old, new) if to_old else (new, old)
    if _is_number(to) and (_is_number(source) or isinstance(source, EnumType)):
        return True
    if not (isinstance(old, Pointer) and isinstance(new, Pointer) and old.block == new.block):
        return isinstance(to, Basic) and to.name == "void"
    before, after = peel_top(old.target, equality.old_layouts)[0], peel_top(new.target, equality.new_layouts)[0]
    same = equality.same(unqualified(old.target), unqualified(new.target))
    return same and (after <= before if to_old else before <= after)


def _is_number(type: CType) -> bool:
    """True if a type is arithmetic; what no typedef explains is the standard library's (`int32_t`)."""
    if isinstance(type, NamedType):
        return type.name.endswith("_t")
    return isinstance(type, Basic) and type.name not in ("void", "__builtin_va_list")


Named = TypeVar("Named", bound=Entity)


class NamedPairs(msgspec.Struct, Generic[Named], frozen=True, dict=True):
    """Entities of one kind: those of both sides, those that went and those that came.

    Only what is part of the API on at least one side is here. What moved between the API's own file and an included
    one is still there for whoever includes the header, so it is in `both`.
    """

    both: tuple[tuple[Named, Named], ...]
    removed: tuple[Named, ...]
    added: tuple[Named, ...]

    @cached_property
    def changed(self) -> tuple[tuple[Named, Named], ...]:
        """Return the pairs of `both` that differ in more than their place."""
        return tuple((old, new) for old, new in self.both if old != new)


def pair_named(
    old: Mapping[str, Named], new: Mapping[str, Named], names: Mapping[str, str] | None = None
) -> NamedPairs[Named]:
    """Pair two mappings.

    Args:
        old: OLD's entities by key.
        new: NEW's.
        names: OLD's key to NEW's, where they have been paired otherwise than by equal keys.

    Returns:
        Pairs and removals in OLD's order, additions in NEW's.
    """
    pairs = {name: name for name in old if name in new} if names is None else names
    taken = set(pairs.values())
    both = [(entity, new[pairs[name]]) for name, entity in old.items() if name in pairs]
    return NamedPairs(
        both=tuple(pair for pair in both if pair[0].in_api or pair[1].in_api),
        removed=tuple(entity for name, entity in old.items() if entity.in_api and name not in pairs),
        added=tuple(entity for name, entity in new.items() if entity.in_api and name not in taken),
    )


class ApiPair:
    """OLD and NEW as one group of targets sees them, paired once."""

    def __init__(self, old: Api, new: Api) -> None:
        """Pair `old` with `new`: types by all that speaks for it, everything else by name."""
        self.old, self.new = old, new
        self.types: TypePairs = pair_types(old, new)
        self.type_names = TypeNameChanges(old, new, self.types)
        self.enums = pair_named(old.enums, new.enums, self.types.enums)
        self.functions = pair_named(old.functions, new.functions)
        self.variables = pair_named(old.variables, new.variables)
        self.typedefs = pair_named(old.typedefs, new.typedefs)
        self.constants = pair_named(old.constants, new.constants)
        self.macros = pair_named(old.macros, new.macros)
        self.size_constants = pair_named(old.size_constants, new.size_constants)
        self.old_uses = Uses(old)
        """The uses of structs by value in OLD."""
        self.unpadded = frozenset(each.struct for each in old.size_constants.values() if each.last_member)
        """OLD's keys of the structs that have a size constant which ends at a member, so that it counts no padding."""

    @cached_property
    def broken_sizes(self) -> Mapping[str, str]:
        """NEW's own size constants that name what does not exist, with that name."""
        return broken_sizes(self.new)

    @cached_property
    def is_computed(self) -> bool:
        """True if anything in OLD has a length, a width or an alignment that follows from other declarations."""
        fields = [field for struct in self.old.structs.values() for field in struct.fields or ()]
        numbers: list[object] = [number for each in fields for number in (each.alignment, each.bit_width)]
        numbers += (each.alignment for each in self.old.structs.values())
        numbers += (each.alignment for each in self.old.typedefs.values())
        types = [*(each.type for each in fields), *(each.type for each in self.old.typedefs.values())]
        numbers += (part.length for each in types for part in types_in(each) if isinstance(part, Array))
        return any(isinstance(each, Expression) for each in numbers)

    @cached_property
    def structs(self) -> tuple[tuple[Struct, Struct], ...]:
        """The structs and unions that exist on both sides, including those of included headers, in OLD's order.

        Those that are types of unnamed members are left out: their members belong to the struct around them.
        """
        records, new = self.types.records, self.new.structs
        members = (field for struct in self.old.structs.values() for field in struct.fields or () if not field.name)
        parts = [resolved.key for each in members if isinstance(resolved := self.old.resolve(each.type), RecordType)]
        keys = [key for key in self.old.structs if key in records and key not in parts]
        return tuple((self.old.structs[key], new[records[key]]) for key in keys)


class ApisOnTarget:
    """OLD and NEW as one target sees them, with layouts, and the policy's options."""

    def __init__(self, pair: ApiPair, target_name: str, options: Options) -> None:
        """Prepare to compare two APIs on a target.

        Args:
            pair: both sides, paired by what all targets have in common.
            target_name: name of the target.
            options: the policy's.
        """
        self.pair, self.options = pair, options
        self.old, self.new = pair.old, pair.new
        self.target: Target = find_target(target_name)
        self.old_layouts = Layouts(self.old, self.target)
        self.new_layouts = Layouts(self.new, self.target)
        self.equality = Equality(pair.types, self.old_layouts, self.new_layouts)

    def to_raise(self, words: str) -> str:
        """Return a part of an advice that asks for MINOR or MAJOR; empty when NEW's version has raised it already."""
        declared = declared_bump(self.old.version, self.new.version)
        is_done = declared == "major" or (declared == "minor" and "MAJOR" not in words)
        if is_done:
            return ""
        now = self.new.version
        # The only number of a version has the name of its macro.
        return re.sub("MINOR|MAJOR", now.macros[0][0], words) if now and now.parts == 1 and now.macros else words

    def function_behind(self, type: CType, *, new: bool) -> FunctionType | None:
        """Return the function that a type is or points to (once), through typedefs; None when it is something else.

        Args:
            type: a type of OLD or of NEW.
            new: which of the two it belongs to.
        """
        api = self.new if new else self.old
        resolved = api.resolve(type)
        if isinstance(resolved, Pointer):
            resolved = api.resolve(resolved.target)
        return resolved if isinstance(resolved, FunctionType) else None

    def changed(self, pairs: NamedPairs[Named]) -> Iterator[Changed[Named]]:
        """Return the entities of both sides that differ in anything but their place."""
        return (Changed(self, old, new) for old, new in pairs.changed)

    def both(self, pairs: NamedPairs[Named]) -> Iterator[Changed[Named]]:
        """Return all entities of both sides: what they stand for may differ although they are spelled alike."""
        return (Changed(self, old, new) for old, new in pairs.both)

    def removed(
        self, pairs: NamedPairs[Named], successors: Mapping[str, Named] | None = None
    ) -> Iterator[Removed[Named]]:
        """Return the entities that went, those that are called otherwise now with their successors, by OLD's names."""
        return (Removed(self, each, (successors or {}).get(each.name)) for each in pairs.removed)

    def added(self, pairs: NamedPairs[Named], successors: Mapping[str, Named] | None = None) -> Iterator[Added[Named]]:
        """Return the entities that came and are no successors of others."""
        taken = {each.name for each in (successors or {}).values()}
        return (Added(self, each) for each in pairs.added if each.name not in taken)


class Changed(msgspec.Struct, Generic[Named], frozen=True):
    """An entity that both sides have."""

    apis: ApisOnTarget
    old: Named
    new: Named

    @property
    def name(self) -> str:
        """OLD's name."""
        return self.old.name

    @property
    def about(self) -> Subject:
        """OLD's name, and both places."""
        return Subject(self.old.name, self.old.span, self.new.span)


class Removed(msgspec.Struct, Generic[Named], frozen=True):
    """An entity that only OLD has."""

    apis: ApisOnTarget
    old: Named
    successor: Named | None = None
    """The new name."""

    @property
    def about(self) -> Subject:
        """Its name and its place in OLD, and its successor's place."""
        return Subject(self.old.name, self.old.span, self.successor.span if self.successor else None)


class Added(msgspec.Struct, Generic[Named], frozen=True):
    """An entity that only NEW has."""

    apis: ApisOnTarget
    new: Named

    @property
    def about(self) -> Subject:
        """Its name and its place in NEW."""
        return Subject(self.new.name, None, self.new.span, caret="new")


def out_of_order(old: Iterable[str], new: Iterable[str]) -> set[str]:
    """Return the fewest names of both lists that changed places, so that all others kept their order.

    The others are a longest common subsequence of two permutations, found in n log n steps. Where several are equally
    long, the one that keeps what stood first is taken.

    Args:
        old: OLD's names, distinct.
        new: NEW's names, distinct.
    """
    places = {name: place for place, name in enumerate(old)}
    numbers = [places[name] for name in new if name in places]
    tails: list[int] = []
    previous: dict[int, int | None] = {}
    for number in numbers:
        place = bisect_left(tails, number)
        previous[number] = tails[place - 1] if place else None
        tails[place : place + 1] = [number]
    kept: set[int] = set()
    number_or_none = tails[-1] if tails else None
    while number_or_none is not None:
        kept.add(number_or_none)
        number_or_none = previous[number_or_none]
    moved = set(numbers) - kept
    return {name for name, place in places.items() if place in moved}


def is_macro(name: str, api: Api) -> bool:
    """True if an API defines a macro of that name."""
    return name in api.constants or name in api.macros


def is_named(name: str, api: Api) -> bool:
    """True if an API has something else of that name: a type, a function, an object, an enumerator."""
    kinds = (api.typedefs, api.functions, api.variables, api.size_constants, api.structs, api.enums, api.enumerators)
    return any(name in entities for entities in kinds)
