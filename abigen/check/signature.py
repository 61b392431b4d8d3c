"""What differs between two signatures, parameter by parameter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from abigen.check.pairing.equality import Equality, peel, unqualified
from abigen.model.ctype import Array, CType, FunctionType, Parameter, Pointer
from abigen.model.layout import Layouts
from abigen.model.spelling import spell

_ABSENT = 1.0
_RETYPED = 0.6
_RENAMED = 0.3
_FORBIDDEN = 2.5


class ParameterChange(NamedTuple):
    """One parameter that differs; positions count from 1."""

    kind: str
    """`added`, `removed`, `moved`, `retyped`, `qualified` (only qualifiers behind a pointer differ) or `renamed`."""
    old: Parameter | None = None
    new: Parameter | None = None
    old_position: int = 0
    new_position: int = 0
    texts: tuple[str, str] = ("", "")
    """OLD's and NEW's declaration."""

    def __str__(self) -> str:
        """A clause that names the parameter."""
        old, new = self.texts
        if self.kind == "added":
            return f"parameter {self.new_position} `{new}` was added"
        if self.kind == "removed":
            return f"parameter {self.old_position} `{old}` was removed"
        if self.kind == "moved":
            return f"parameter `{new}` moved from position {self.old_position} to {self.new_position}"
        return f"parameter {self.new_position} was `{old}`, is `{new}`"


class SignatureChange(NamedTuple):
    """All that differs between two function types."""

    parameters: tuple[ParameterChange, ...] = ()
    """Without those that were only renamed."""
    renamed: tuple[ParameterChange, ...] = ()
    """Parameters that differ in nothing but their name, where both have one."""
    rest: tuple[str, ...] = ()
    """Return type, variadic arguments, calling convention: a clause for each that differs."""
    result_qualified: bool = False
    """The return type differs only in qualifiers behind a pointer; `rest` does not name it."""
    result_words: str = ""
    """A clause about the return type when it differs."""
    result: tuple[CType, CType] | None = None
    """OLD's and NEW's return type when they differ."""

    @property
    def breaks_calls(self) -> bool:
        """Whether caller and callee no longer agree about the machine's registers and stack, or about who is who."""
        return bool(self.rest) or any(change.kind != "qualified" for change in self.parameters)

    @property
    def only_qualifiers(self) -> bool:
        """Whether qualifiers behind pointers are all that differs, names aside."""
        return not self.breaks_calls and (self.result_qualified or bool(self.parameters))

    @property
    def words(self) -> tuple[str, ...]:
        """A clause for each difference, names of parameters aside."""
        clauses = [str(change) for change in self.parameters]
        if self.result_qualified:
            clauses.append(self.result_words)
        return (*clauses, *self.rest)


def compare_signatures(old: FunctionType, new: FunctionType, equality: Equality) -> SignatureChange:
    """Compare two signatures.

    Args:
        old: OLD's.
        new: NEW's.
        equality: of types, on one target.
    """
    changes = _parameter_changes(old.parameters, new.parameters, equality)
    result_same = equality.same(old.result, new.result)
    qualified = not result_same and differ_in_qualifiers(old.result, new.result, equality)
    was, now = spelled(old.result, new.result, equality)
    result_words = f"the return type was `{was}`, is `{now}`"
    rest = [] if result_same or qualified else [result_words]
    if old.variadic != new.variadic:
        rest.append("further arguments (`...`) " + ("are accepted now" if new.variadic else "are no longer accepted"))
    if not equality.same_convention(old, new):
        was, now = (each.calling_convention or "the target's usual one" for each in (old, new))
        rest.append(f"the calling convention was {was}, is {now}")
    return SignatureChange(
        parameters=tuple(change for change in changes if change.kind != "renamed"),
        renamed=tuple(change for change in changes if change.kind == "renamed"),
        rest=tuple(rest),
        result_qualified=qualified,
        result_words="" if result_same else result_words,
        result=None if result_same else (old.result, new.result),
    )


def differ_in_qualifiers(old: CType, new: CType, equality: Equality) -> bool:
    """Whether two types that are not the same become the same when all qualifiers are taken away."""
    return equality.same(without_qualifiers(old, equality.old_layouts), without_qualifiers(new, equality.new_layouts))


def without_qualifiers(type: CType, layouts: Layouts) -> CType:
    """A type without qualifiers at any depth, parameters of function pointers included; typedefs are followed."""
    _, core = peel(type, layouts)
    if isinstance(core, Pointer):
        return Pointer(without_qualifiers(core.target, layouts))
    if isinstance(core, Array):
        return Array(without_qualifiers(core.element, layouts), core.length)
    if isinstance(core, FunctionType):
        parameters = tuple(Parameter(each.name, without_qualifiers(each.type, layouts)) for each in core.parameters)
        result = without_qualifiers(core.result, layouts)
        return FunctionType(result, parameters, core.variadic, core.prototyped, core.calling_convention)
    return core


def spelled(old: CType, new: CType, equality: Equality, names: tuple[str, str] = ("", "")) -> tuple[str, str]:
    """Two types as C writes them; what their names stand for as well when both are written alike.

    Args:
        old: OLD's.
        new: NEW's.
        equality: of types, on one target.
        names: what is declared to be of these types.
    """
    texts = spell(old, names[0]), spell(new, names[1])
    if spell(old) != spell(new):
        return texts
    from abigen.model.canonical import canonical

    before, after = equality.old_layouts, equality.new_layouts
    was, now = (spell(canonical(type, each.api, each.target)) for type, each in ((old, before), (new, after)))
    if was == now:
        was, now = (f"{size} bytes" for size in (before.size_of(old), after.size_of(new)))
    return f"{texts[0]} ({was})", f"{texts[1]} ({now})"


def _parameter_changes(
    olds: Sequence[Parameter], news: Sequence[Parameter], equality: Equality
) -> list[ParameterChange]:
    """Align the parameters at the least cost, then say what each pair of the alignment means."""
    changes: list[ParameterChange] = []
    removed: list[tuple[int, Parameter]] = []
    added: list[tuple[int, Parameter]] = []
    for old_place, new_place in _align(olds, news, equality):
        if new_place is None and old_place is not None:
            removed.append((old_place + 1, olds[old_place]))
        elif old_place is None and new_place is not None:
            added.append((new_place + 1, news[new_place]))
        elif old_place is not None and new_place is not None:
            old, new = olds[old_place], news[new_place]
            kind = _difference(old, new, equality)
            if kind:
                texts = spelled(old.type, new.type, equality, (old.name or "", new.name or ""))
                changes.append(ParameterChange(kind, old, new, old_place + 1, new_place + 1, texts))
    for position, parameter in removed:
        there = next((each for each in added if _is_moved(parameter, each[1], equality)), None)
        if there:
            added.remove(there)
            changes.append(ParameterChange("moved", parameter, there[1], position, there[0], ("", _text(there[1]))))
        else:
            changes.append(ParameterChange("removed", parameter, None, position, 0, (_text(parameter), "")))
    changes += [ParameterChange("added", None, each, 0, position, ("", _text(each))) for position, each in added]
    return sorted(changes, key=lambda change: (change.new_position or change.old_position, change.kind))


def _text(parameter: Parameter) -> str:
    """A parameter's declaration."""
    return spell(parameter.type, parameter.name or "")


def _difference(old: Parameter, new: Parameter, equality: Equality) -> str:
    """How two parameters at corresponding places differ; empty when they do not."""
    if equality.same_parameter(old.type, new.type):
        return "renamed" if old.name and new.name and old.name != new.name else ""
    return "qualified" if differ_in_qualifiers(unqualified(old.type), unqualified(new.type), equality) else "retyped"


def _is_moved(old: Parameter, new: Parameter, equality: Equality) -> bool:
    """Whether a parameter that is gone is the one that came elsewhere."""
    return bool(old.name) and old.name == new.name and equality.same_parameter(old.type, new.type)


def _in_order(own: Parameter, other: Parameter, *, own_is_old: bool) -> tuple[CType, CType]:
    """OLD's type, then NEW's."""
    return (own.type, other.type) if own_is_old else (other.type, own.type)


def _align(
    olds: Sequence[Parameter], news: Sequence[Parameter], equality: Equality
) -> list[tuple[int | None, int | None]]:
    """Pairs of places in both lists, in order; None where one side has no counterpart."""
    old_names = {each.name: each for each in olds if each.name}
    new_names = {each.name: each for each in news if each.name}

    def lives_on(parameter: Parameter, others: dict[str, Parameter]) -> bool:
        """Whether the other side has the same parameter elsewhere, and not another one of its name."""
        other = others.get(parameter.name or "")
        return other is not None and equality.same_parameter(
            *_in_order(parameter, other, own_is_old=others is new_names)
        )

    def cost(old: Parameter, new: Parameter) -> float:
        """Of taking one for the other; a name that lives on elsewhere must not be taken for a new name."""
        same_name = old.name == new.name or not (old.name and new.name)
        if not same_name and (lives_on(old, new_names) or lives_on(new, old_names)):
            return _FORBIDDEN
        same_type = equality.same_parameter(old.type, new.type)
        if same_name:
            return 0.0 if same_type else _RETYPED
        return _RENAMED if same_type else _RENAMED + _RETYPED

    costs = [[(len(olds) - i + len(news) - j) * _ABSENT for j in range(len(news) + 1)] for i in range(len(olds) + 1)]
    for i in reversed(range(len(olds))):
        for j in reversed(range(len(news))):
            costs[i][j] = min(
                costs[i + 1][j + 1] + cost(olds[i], news[j]), costs[i + 1][j] + _ABSENT, costs[i][j + 1] + _ABSENT
            )
    pairs: list[tuple[int | None, int | None]] = []
    i = j = 0
    while i < len(olds) and j < len(news):
        if costs[i][j] == costs[i + 1][j + 1] + cost(olds[i], news[j]):
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif costs[i][j] == costs[i + 1][j] + _ABSENT:
            pairs.append((i, None))
            i += 1
        else:
            pairs.append((None, j))
            j += 1
    return pairs + [(place, None) for place in range(i, len(olds))] + [(None, place) for place in range(j, len(news))]
