"""A mapping of a spec whose structure has been checked, with its values as what they mean."""

from __future__ import annotations

from dataclasses import dataclass

from abigen.model.entities import NO_CONTRACT, Contract, Deprecation, Version
from abigen.model.span import Span
from abigen.read.spec.nodes import Mapping, Node, Scalar, Sequence

_CONTRACT = frozenset(
    {"zero", "optional", "required", "deprecated", "replaces", "must_be_understood", "set_by", "since", "reserved"}
)


@dataclass(frozen=True)
class Item:
    """A mapping; keys that are missing, or were refused by the structure's check, read as their default."""

    node: Mapping

    @property
    def name(self) -> str:
        """The value of `name`, empty when there is none."""
        return self.text("name")

    @property
    def name_span(self) -> Span:
        """The place of the name, or of the whole item."""
        return self.span("name")

    def has(self, key: str) -> bool:
        """Whether the key stands there with a valid value."""
        return self.node.get(key) is not None

    def scalar(self, key: str) -> Scalar | None:
        """The scalar behind a key."""
        value = self.node.get(key)
        return value if isinstance(value, Scalar) else None

    def text(self, key: str, default: str = "") -> str:
        """The text behind a key; of numbers, as they are written."""
        value = self.scalar(key)
        return default if value is None else value.text

    def flag(self, key: str, *, default: bool = False) -> bool:
        """The boolean behind a key."""
        value = self.scalar(key)
        return default if value is None or value.kind != "boolean" else is_true(value)

    def number(self, key: str) -> int | None:
        """The whole number behind a key."""
        value = self.scalar(key)
        return None if value is None else int(value.text, 0)

    def version(self, key: str) -> Version | None:
        """The version behind a key."""
        value = self.scalar(key)
        return None if value is None else parse_version(value.text)

    def span(self, key: str) -> Span:
        """The place of the value behind a key, or of the whole item."""
        value = self.node.get(key)
        return self.node.span if value is None else value.span

    def nodes(self, key: str) -> tuple[Node, ...]:
        """The entries of the list behind a key."""
        value = self.node.get(key)
        return value.items if isinstance(value, Sequence) else ()

    def scalars(self, key: str) -> tuple[Scalar, ...]:
        """The entries of the list of scalars behind a key."""
        return tuple(node for node in self.nodes(key) if isinstance(node, Scalar))

    def items(self, key: str) -> tuple[Item, ...]:
        """The entries of the list of mappings behind a key."""
        return tuple(Item(node) for node in self.nodes(key) if isinstance(node, Mapping))

    def item(self, key: str) -> Item | None:
        """The mapping behind a key."""
        value = self.node.get(key)
        return Item(value) if isinstance(value, Mapping) else None

    def contract(self) -> Contract:
        """What all keys of the contract say; those that this kind of item cannot have read as not said."""
        if not any(entry.key.text in _CONTRACT for entry in self.node):
            return NO_CONTRACT
        return Contract(
            zero=self.text("zero"),
            optional=self.flag("optional"),
            required=self.flag("required"),
            deprecated=self.deprecation(),
            replaces=self.text("replaces"),
            must_be_understood=self.flag("must_be_understood"),
            set_by=self.text("set_by"),
            since=self.version("since"),
            reserved=self.flag("reserved"),
        )

    def required(self, when: str) -> str:
        """The member that makes this one required, `when` or `unless` it is set; empty for none."""
        condition = self.item("required")
        return condition.text(when) if condition else ""

    def deprecation(self) -> Deprecation | None:
        """What `deprecated` says."""
        value = self.node.get("deprecated")
        if isinstance(value, Mapping):
            return Deprecation(Item(value).version("since"), Item(value).text("use"))
        return Deprecation() if self.flag("deprecated") else None


def is_true(scalar: Scalar) -> bool:
    """What a boolean scalar says, in any of YAML 1.1's spellings."""
    return scalar.text.lower() in ("true", "yes", "on")


def parse_version(text: str) -> Version:
    """A version whose form has been checked.

    Args:
        text: three numbers with dots between them.
    """
    major, minor, patch = text.split(".")
    return Version(int(major), int(minor), int(patch))
