"""What one struct, one member, one function or one value is to the templates of the programs."""

from __future__ import annotations

from dataclasses import dataclass

from abigen.model.entities import Function


@dataclass(frozen=True, kw_only=True)
class CrossingValue:
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


@dataclass(frozen=True, kw_only=True)
class ExchangedMember:
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


@dataclass(frozen=True, kw_only=True)
class ExchangedStruct:
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


@dataclass(frozen=True, kw_only=True)
class ExchangedCall:
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
