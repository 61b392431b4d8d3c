"""Operations as plugins and cores declare them, and the registry that a core has of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from abigen.host.arrays import Tensor
from abigen.model.span import AbigenError, did_you_mean

AttributeValue = object
"""What an attribute may be, by its kind: `string` str or bytes; `int` int; `float` float; `bool` bool; `type` the name
of an element type; `shape` a tuple of lengths, -1 where one is not known, None for an unknown rank; `tensor` an
`Tensor`; a tuple of these when it is a list."""


@dataclass(frozen=True, kw_only=True)
class OpArgument:
    """An input or output: one array, or several; exactly one of the kinds of type is not empty."""

    name: str
    type: str = ""
    """The element type, when it is always the same."""
    type_attribute: str = ""
    """The attribute that is the element type."""
    types_attribute: str = ""
    """The attribute that lists the element type of each array."""
    count_attribute: str = ""
    """The attribute that tells how many arrays there are; empty: one, or as many as types are listed."""

    @property
    def is_list(self) -> bool:
        """Whether it is any number of arrays."""
        return bool(self.types_attribute or self.count_attribute)


@dataclass(frozen=True, kw_only=True)
class OpAttribute:
    """A setting of an op."""

    name: str
    kind: str
    """`string`, `int`, `float`, `bool`, `type`, `shape`, `tensor` or `func`."""
    is_list: bool = False
    allowed: frozenset[str] = frozenset()
    """The types or strings that it may be; empty for any."""
    minimum: int | None = None
    """The least value of an int, or length of a list."""
    default: AttributeValue = None
    has_default: bool = False


@dataclass(frozen=True, kw_only=True)
class OpDefinition:
    """An operation."""

    name: str
    inputs: tuple[OpArgument, ...] = ()
    outputs: tuple[OpArgument, ...] = ()
    attributes: tuple[OpAttribute, ...] = ()
    infer_shapes: object = None
    """What its core calls to tell the shapes of the outputs; None: nothing is known of them."""
    owner: str = ""
    """The plugin that declared it; empty for an op that the core knows itself."""

    def attribute(self, name: str) -> OpAttribute:
        """The attribute with a name.

        Raises:
            AbigenError: there is none, with a suggestion.
        """
        for each in self.attributes:
            if each.name == name:
                return each
        known = [each.name for each in self.attributes]
        hint = did_you_mean(name, known, f"its attributes are {', '.join(known) or 'none'}")
        raise AbigenError.at(None, f"{self.name}: there is no attribute {name}", hint)


@dataclass(frozen=True, kw_only=True)
class OpUse:
    """An op with its inputs and attributes."""

    op: OpDefinition
    inputs: tuple[Tensor, ...]
    input_names: tuple[str, ...]
    """The argument that each input belongs to."""
    ranges: Mapping[str, tuple[int, int]]
    """Name of each input argument to the indices of its first input and of the one behind its last."""
    attributes: Mapping[str, AttributeValue]
    output_types: tuple[str, ...]
    output_names: tuple[str, ...]
    """The argument that each output belongs to."""


class OpRegistry:
    """Ops by name."""

    def __init__(self) -> None:
        self._ops: dict[str, OpDefinition] = {}
        self._hidden: dict[str, OpDefinition] = {}
        """Ops of the core that a plugin has taken the place of."""

    def add(self, op: OpDefinition) -> None:
        """Take an op in; one that a plugin declares takes the place of one that the core knows itself.

        Raises:
            AbigenError: another plugin has declared an op with this name.
        """
        other = self._ops.get(op.name)
        if other is not None and other.owner:
            whose = "already" if other.owner == op.owner else f"by {other.owner}"
            raise AbigenError.at(None, f"op {op.name} has been registered {whose}")
        if other is not None:
            self._hidden[op.name] = other
        self._ops[op.name] = op

    def remove(self, owner: str) -> None:
        """Forget the ops of a plugin; those of the core that they have hidden are back."""
        for name in [each.name for each in self._ops.values() if each.owner == owner]:
            del self._ops[name]
            if name in self._hidden:
                self._ops[name] = self._hidden.pop(name)

    def find(self, name: str) -> OpDefinition:
        """The op with a name.

        Raises:
            AbigenError: there is none, with a suggestion.
        """
        if name in self._ops:
            return self._ops[name]
        hint = did_you_mean(name, self._ops, "a plugin declares an op of its own when it registers it")
        raise AbigenError.at(None, f"there is no op {name}", hint)

    def all(self) -> tuple[OpDefinition, ...]:
        """All ops, in the order of registration."""
        return tuple(self._ops.values())
