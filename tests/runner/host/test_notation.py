"""The notation of op definitions, and what they make of inputs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abigen.model.span import AbigenError
from abigen.runner.apis.tensorflow.host.core import Core
from abigen.runner.apis.tensorflow.host.ops import Tensor, bind, from_nested, parse_attribute

Backend = Callable[[str], ModuleType]


@pytest.fixture(scope="session")
def notation(backend: Backend) -> Any:
    return backend("notation")


@pytest.mark.parametrize(
    ("text", "kind", "is_list", "allowed", "minimum", "default"),
    [
        ("T: type", "type", False, (), None, ...),
        ("T: {float, int32}", "type", False, ("float32", "int32"), None, ...),
        ("T: {float, int32} = DT_FLOAT", "type", False, ("float32", "int32"), None, "float32"),
        ("T: quantizedtype", "type", False, ("qint8", "quint8", "qint16", "quint16", "qint32"), None, ...),
        ("T: list(type) >= 2", "type", True, (), 2, ...),
        ("N: int >= 3", "int", False, (), 3, ...),
        ("N: int>=-3=-1", "int", False, (), -3, -1),
        ("s: string = 'a=b'", "string", False, (), None, "a=b"),
        ("s: {'SAME', \"VALID\"} = 'SAME'", "string", False, ("SAME", "VALID"), None, "SAME"),
        ("s: list(string) = ['a', 'b,c']", "string", True, (), None, ("a", "b,c")),
        ("b: bool = true", "bool", False, (), None, True),
        ("f: float = 1e-3", "float", False, (), None, 0.001),
        ("f: float = -inf", "float", False, (), None, float("-inf")),
        ("p: list(int) = [1, 2, 3]", "int", True, (), None, (1, 2, 3)),
        ("p: list(int) = []", "int", True, (), None, ()),
        ("s: shape = { dim { size: 3 } dim { size: -1 } }", "shape", False, (), None, (3, -1)),
        ("s: shape = { unknown_rank: true }", "shape", False, (), None, None),
        ("t: list(type) = [DT_FLOAT, DT_INT64]", "type", True, (), None, ("float32", "int64")),
        ("f: func", "func", False, (), None, ...),
    ],
)
def test_attributes(
    notation: Any, text: str, kind: str, is_list: bool, allowed: tuple[str, ...], minimum: int | None, default: object
) -> None:
    found = notation.parse_attribute(text)
    assert (found.kind, found.is_list, found.allowed, found.minimum) == (kind, is_list, frozenset(allowed), minimum)
    assert found.has_default == (default is not ...)
    if default is not ...:
        assert found.default == default


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("T", "the colon after the name is missing"),
        ("1: type", "`1` cannot be the name of an attribute"),
        ("T: typ", "`typ` is not a type of attributes"),
        ("T: {float, strange}", "there is no type `strange`"),
        ("T: {}", "there is no type ``"),
        ("N: int >= x", "after >= `x` is not a number"),
        ("T: type >= 1", "only ints and lists have a minimum"),
        ("N: int = 1.5", "`1.5` is not of type int"),
        ("b: bool = yes", "`yes` is not of type bool"),
        ("l: list(int) = 1", "write the default of a list in brackets"),
        ("t: tensor = { }", "a default of this type is not supported"),
    ],
)
def test_wrong_attributes_are_refused(notation: Any, text: str, message: str) -> None:
    with pytest.raises(notation.NotationError) as error:
        notation.parse_attribute(text)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x", "the colon after the name is missing"),
        ("X: float", "`X` cannot be the name of an input or output"),
        ("x: M * T", "there is no attribute `M` that is an int"),
        ("x: U", "there is no type, and no attribute, `U`"),
        ("x: N", "attribute `N` is neither a type nor a list of types"),
        ("x: N * L", "attribute `L` is neither a type nor a list of types"),
        ("x: float33", "there is no type, and no attribute, `float33`"),
    ],
)
def test_wrong_arguments_are_refused(notation: Any, text: str, message: str) -> None:
    attributes = {each.name: each for each in map(notation.parse_attribute, ("N: int", "T: type", "L: list(type)"))}
    with pytest.raises(notation.NotationError) as error:
        notation.parse_argument(text, attributes)
    assert message in str(error.value)


def test_arguments(notation: Any) -> None:
    attributes = {each.name: each for each in map(notation.parse_attribute, ("N: int", "T: type", "L: list(type)"))}
    for text, type, type_attribute, types_attribute, count_attribute in (
        ("x: float", "float32", "", "", ""),
        ("x: Ref(T)", "", "T", "", ""),
        ("x: N * T", "", "T", "", "N"),
        ("x:N*int64", "int64", "", "", "N"),
        ("x: L", "", "", "L", ""),
    ):
        found = notation.parse_argument(text, attributes)
        assert (found.type, found.type_attribute, found.types_attribute, found.count_attribute) == (
            type, type_attribute, types_attribute, count_attribute,
        )  # fmt: skip


def declarations() -> Iterator[tuple[bool, str, str]]:
    """Yield the lines of `notation.txt`: whether it is accepted, what it is, and what is written."""
    for line in (Path(__file__).parent / "notation.txt").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            words, _, text = line.partition("|")
            verdict, kind = words.split()
            yield verdict == "accepted", kind, text[:-1]


def test_what_tensorflow_accepts_is_accepted_and_nothing_else(notation: Any) -> None:
    around = ["N: int", "T: type", "L: list(type)", "M: list(int)"]
    wrong = []
    for index, (accepted, kind, text) in enumerate(declarations()):
        attributes, inputs, outputs = {
            "attr": ([text], [], ["y: float"]),
            "in": (around, [text], ["y: float"]),
            "out": (around, [], [text]),
            "op": ([], [], ["y: float"]),
        }.get(kind) or json.loads(text)
        try:
            notation.parse_op(text if kind == "op" else f"Op{index}", attributes, inputs, outputs)
        except notation.NotationError as error:
            if accepted:
                wrong.append(f"{text} is refused: {error}")
        else:
            if not accepted:
                wrong.append(f"{text} is accepted")
    assert wrong == []
    assert index > 250


WORDS = st.sampled_from(
    [
        *("T", "x", "N", ":", "=", ">=", "{", "}", "[", "]", "(", ")", ",", "'", '"', "*", "-1", "0", "2.5", "1e999"),
        *("99999999999999999999", "float", "int32", "DT_FLOAT", "type", "list", "list(", "shape", "tensor", "string"),
        *("bool", "true", "dim", "size:", "dtype:", "float_val:", "int_val:", "tensor_shape", "unknown_rank:"),
        *("\\x", "\\u12", "\\N", "é"),
    ]
)


@given(st.lists(WORDS, max_size=12), st.lists(WORDS, max_size=5), st.booleans())
@settings(deadline=None)
def test_nothing_but_a_notation_error_comes_of_any_text(
    notation: Any, first: list[str], second: list[str], spaced: bool
) -> None:
    between = " " if spaced else ""
    with suppress(notation.NotationError):
        notation.parse_op("Op", [f"a: {between.join(first)}"], [f"x: {between.join(second)}"], [])
    with suppress(notation.NotationError):
        notation.parse_attribute(f"t: tensor = {{ {' '.join(first)} }}")


def test_tensors_as_defaults(notation: Any) -> None:
    for text, type, shape, values in (
        ("{ dtype: DT_INT32 int_val: 3 tensor_shape { dim { size: 2 } } }", "int32", (2,), [3, 3]),
        ("{ dtype: DT_FLOAT float_val: [1, 2] tensor_shape { dim { size: 3 } } }", "float32", (3,), [1.0, 2.0, 2.0]),
        ("{ float_val: 1.5 tensor_shape { } }", "float32", (), 1.5),
        ("{ dtype: DT_BOOL bool_val: true }", "bool", (), True),
        ("{ dtype: DT_HALF }", "float16", (), 0.0),
    ):
        found = notation.parse_attribute(f"t: tensor = {text}").default
        assert (found.type, found.shape, found.tolist()) == (type, shape, values)


def test_every_built_in_op_can_be_read(core: Core) -> None:
    ops = {op.name: op for op in core.ops}
    assert {"AddV2", "MatMul", "Sum", "Relu", "Conv2D", "ConcatV2"} <= ops.keys()
    assert all(op.outputs for op in ops.values())


def test_lists_of_inputs_are_divided(notation: Any) -> None:
    concat = notation.parse_op(
        "ConcatV2", ["N: int >= 2", "T: type", "Tidx: {int32, int64} = DT_INT32"],
        ["values: N * T", "axis: Tidx"], ["output: T"],
    )  # fmt: skip
    one, axis = from_nested([1.5]), from_nested(0)
    for inputs in ([one, one, one, axis], [[one, one, one], axis]):
        use = bind(concat, inputs, {})
        assert use.attributes == {"N": 3, "T": "float32", "Tidx": "int32"}
        assert use.ranges == {"values": (0, 3), "axis": (3, 4)}
        assert use.input_names == ("values", "values", "values", "axis")
    with pytest.raises(AbigenError, match="ConcatV2: attribute N is 1, less than 2"):
        bind(concat, [one, axis], {})


def test_lists_of_outputs_are_counted(notation: Any) -> None:
    split = notation.parse_op("Split", ["num: int", "T: type"], ["x: T"], ["y: num * T"])
    assert bind(split, [from_nested([1, 2])], {"num": 2}).output_types == ("int32", "int32")
    with pytest.raises(AbigenError, match="Split: attribute num is missing"):
        bind(split, [from_nested([1, 2])], {})
    with pytest.raises(AbigenError, match="attribute num is 0, less than 1"):
        bind(split, [from_nested([1, 2])], {"num": 0})
    mixed = notation.parse_op("Mixed", ["L: list(type)"], ["x: L"], ["y: L"])
    assert bind(mixed, [from_nested(1), from_nested(1.5)], {}).output_types == ("int32", "float32")


def test_two_lists_have_to_be_grouped(notation: Any) -> None:
    op = notation.parse_op("Two", ["A: list(type)", "B: list(type)"], ["a: A", "b: B"], [])
    one = from_nested(1)
    assert bind(op, [[one], [one, one]], {}).ranges == {"a": (0, 1), "b": (1, 3)}
    with pytest.raises(AbigenError, match="input a is a list"):
        bind(op, [one, one, one], {})


@pytest.mark.parametrize(
    ("declaration", "text", "value"),
    [
        ("a: int", "3", 3),
        ("a: bool", "true", True),
        ("a: string", "plain text", "plain text"),
        ("a: type", "float32", "float32"),
        ("a: list(int)", "[1, 2]", (1, 2)),
        ("a: list(string)", '["x", "y"]', ("x", "y")),
        ("a: shape", "[2, null]", (2, -1)),
        ("a: shape", "null", None),
        ("a: list(shape)", "[[1], null]", ((1,), None)),
        ("a: tensor", "float32:[1, 2]", from_nested([1, 2], "float32")),
    ],
)
def test_attributes_from_the_command_line(notation: Any, declaration: str, text: str, value: object) -> None:
    assert parse_attribute(notation.parse_attribute(declaration), text) == value


def test_attributes_of_the_wrong_kind_are_refused(notation: Any) -> None:
    op = notation.parse_op("X", ["a: list(int) = []", "b: bool = true", "t: tensor"], [], ["y: float"])
    tensor = Tensor.of(1.0)
    assert bind(op, [], {"t": tensor}).attributes == {"a": (), "b": True, "t": tensor}
    for attributes, message in (
        ({"a": 1, "t": tensor}, "attribute a is a list of ints, not 1"),
        ({"a": [True], "t": tensor}, r"attribute a is a list of ints, not \(True,\)"),
        ({"b": 1, "t": tensor}, "attribute b is a bool, not 1"),
        ({"t": 1}, "attribute t is a tensor, not 1"),
    ):
        with pytest.raises(AbigenError, match=message):
            bind(op, [], attributes)


NODE = """
0a0570726f6265120550726f62651a09696e7075745f305f781a0c696e7075745f315f6d616e791a0c696e7075745f325f6d
616e79220d2f6465766963653a4350553a302a070a014e120218022a070a0162120228012a0c0a02626c12060a042a020100
2a0a0a01661205250000e0402a0e0a02666c12080a062204000000412a180a016812133a1112020802120b08ffffffffffff
ffffff012a120a02686c120c0a0a3a04120208023a0218012a100a0169120b18fdffffffffffffffff012a160a02696c1210
0a0e1a0c04fbffffffffffffffff01062a0a0a046e6f6e6512020a002a0b0a017312061204746578742a140a02736c120e0a
0c12036f6e65120574687265652a070a0174120230062a0c0a02746c12060a04320213072a120a027474120c420a08031200
220403000000
"""
"""A node, as TensorFlow's protocol buffers have read it: every attribute came out with the value that it has below."""


def test_nodes_are_serialized(notation: Any, backend: Backend) -> None:
    op = notation.parse_op(
        "Probe",
        [
            *("i: int = -3", "il: list(int) = [4, -5, 6]", "f: float = 7.0", "fl: list(float) = [8.0]"),
            *("b: bool = true", "bl: list(bool) = [true, false]", "s: string = 'text'"),
            *("sl: list(string) = ['one', 'three']", "t: type = DT_INT8", "tl: list(type) = [DT_HALF, DT_STRING]"),
            *("h: shape = { dim { size: 2 } dim { size: -1 } }", "none: list(int) = []", "N: int"),
            "hl: list(shape) = [{ dim { size: 2 } }, { unknown_rank: true }]",
            "tt: tensor = { dtype: DT_INT32 int_val: 3 }",
        ],
        ["x: float", "many: N * int32"],
        ["y: int64"],
    )
    use = bind(op, [Tensor.of(1.5), [Tensor.of(1), Tensor.of(2)]], {})
    assert backend("nodes").node_def(use, "probe", "/device:CPU:0") == bytes.fromhex(NODE)
