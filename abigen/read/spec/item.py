"""A mapping of a spec whose structure has been checked, with its values as what they mean."""

from __future__ import annotations

from dataclasses import dataclass

from abigen.model.contract import NO_CONTRACT, Condition, Contract, Lifecycle, Party, Requirement, Zero
from abigen.model.span import Span
from abigen.model.version import Version
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
            zero=Zero(self.text("zero")),
            requirement=self._requirement(),
            condition=Condition(self.required("when"), self.required("unless")),
            must_be_understood=self.flag("must_be_understood"),
            set_by=Party(self.text("set_by")),
            reserved=self.flag("reserved"),
            lifecycle=self._lifecycle(),
        )

    def required(self, when: str) -> str:
        """The member that makes this one required, `when` or `unless` it is set; empty for none."""
        condition = self.item("required")
        return condition.text(when) if condition else ""

    def _requirement(self) -> Requirement:
        """What `required` and `optional` say."""
        if self.item("required"):
            return Requirement.CONDITIONAL
        if self.flag("required"):
            return Requirement.REQUIRED
        return Requirement.OPTIONAL if self.flag("optional") else Requirement.UNSAID

    def _lifecycle(self) -> Lifecycle:
        """What `since`, `deprecated` and `replaces` say."""
        details = self.item("deprecated")
        return Lifecycle(
            since=self.version("since"),
            deprecated=details is not None or self.flag("deprecated"),
            deprecated_since=details.version("since") if details else None,
            replaced_by=details.text("use") if details else "",
            replaces=self.text("replaces"),
        )


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
