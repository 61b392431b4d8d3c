"""Records of which comparing looks at a part only."""

from __future__ import annotations

from abigen.model.ctype import Array, Basic, Parameter, Pointer
from abigen.model.entities import Constant, Variable
from abigen.model.span import Span

HERE, THERE = Span("a.h", 1, 2), Span("b.h", 3, 4)


def test_entities_are_equal_wherever_they_stand() -> None:
    one, other = (Constant(name="A", text="1", span=span) for span in (HERE, THERE))
    assert one == other
    assert not one != other  # noqa: SIM202
    assert hash(one) == hash(other)


def test_entities_that_differ_in_anything_else_are_not_equal() -> None:
    assert Constant(name="A", text="1", span=HERE) != Constant(name="A", text="2", span=HERE)
    assert Variable(name="A", type=Basic("int")) != Constant(name="A", text="1")


def test_types_are_equal_whatever_their_lengths_and_parameters_were_written_like() -> None:
    one, other = Array(Basic("int"), 3, "COUNT"), Array(Basic("int"), 3)
    assert Pointer(one) == Pointer(other)
    assert hash(Pointer(one)) == hash(Pointer(other))
    assert Parameter("x", one, HERE, example="1") == Parameter("x", other)
    assert Parameter("x", one) != Parameter("y", one)
