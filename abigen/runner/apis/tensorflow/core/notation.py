"""The notation in which ops are declared (ops.h, TF_OpDefinitionBuilderAddAttr and TF_OpDefinitionBuilderAddInput)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import prod

from msgspec.structs import replace

from abigen.model.span import AbigenError
from abigen.runner.apis.tensorflow.host.ops import (
    ELEMENT_TYPES,
    AttributeValue,
    OpArgument,
    OpAttribute,
    OpDefinition,
    Tensor,
    from_nested,
)

from .library import GROUPS, NAMES, NOTATION, type_named

_KINDS = ("string", "int", "float", "bool", "type", "shape", "tensor", "func")
_OP_NAME = re.compile(r"_?(?:[A-Z][A-Za-z0-9_]*>)*[A-Z][A-Za-z0-9_]*")
_ATTRIBUTE_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_MOST_ELEMENTS = 1 << 20
_TRUE = ("true", "True", "1")
_FALSE = ("false", "False", "0")
_ARGUMENT_NAME = re.compile(r"[a-z][a-z0-9_]*")


class NotationError(ValueError):
    """An op's declaration cannot be read; the message has the place and the reason."""


def parse_op(
    name: str,
    attributes: Sequence[str],
    inputs: Sequence[str],
    outputs: Sequence[str],
    *,
    infer_shapes: object = None,
    owner: str = "",
) -> OpDefinition:
    """Read the declaration of an op.

    Args:
        name: of the op, in CamelCase.
        attributes: such as `T: {float, int32} = DT_FLOAT`.
        inputs: such as `x: T` or `values: N * T`.
        outputs: in the same notation.
        infer_shapes: the function that infers the shapes of the outputs.
        owner: the plugin that declares it.

    Raises:
        NotationError: one of them cannot be read, two have one name, or an attribute that is used is not there.
    """
    if not _OP_NAME.fullmatch(name):
        raise NotationError(f"`{name}` cannot be the name of an op: such a name begins with a capital letter")
    own = {each.name: each for each in map(parse_attribute, attributes)}
    taken = tuple(parse_argument(each, own) for each in inputs)
    given = tuple(parse_argument(each, own) for each in outputs)
    names = [*map(_name_of, attributes), *(each.name for each in (*taken, *given))]
    twice = next((each for each in names if names.count(each) > 1), None)
    if twice is not None:
        raise NotationError(f"op {name}: there are two `{twice}` among attributes, inputs and outputs")
    lengths = {each.count_attribute or each.types_attribute for each in (*taken, *given)}
    filled = tuple(_with_minimum(each) if each.name in lengths else each for each in own.values())
    for each in filled:
        _check_default(each)
    return OpDefinition(
        name=name, inputs=taken, outputs=given, attributes=filled, infer_shapes=infer_shapes, owner=owner
    )


def parse_argument(text: str, attributes: Mapping[str, OpAttribute]) -> OpArgument:
    """Read the declaration of an input or output.

    Args:
        text: such as `x: T`, `x: N * T`, `x: Ref(float)`.
        attributes: of the op, by their names.

    Raises:
        NotationError: it cannot be read, or names an attribute that is not there or of another kind.
    """
    name, type = _halves(text)
    if not _ARGUMENT_NAME.fullmatch(name):
        raise NotationError(
            f"`{text}`: `{name}` cannot be the name of an input or output: use small letters, digits and underscores"
        )
    inner = re.fullmatch(r"Ref\s*\((.*)\)", type)
    type = inner[1].strip() if inner else type
    count, star, element = (each.strip() for each in type.rpartition("*"))
    if star and not _is(attributes.get(count), "int", is_list=False):
        raise NotationError(f"`{text}`: there is no attribute `{count}` that is an int")
    attribute = attributes.get(element)
    fixed = type_named(element)
    if attribute is not None:
        if _is(attribute, "type", is_list=False):
            return OpArgument(name=name, type_attribute=element, count_attribute=count)
        if _is(attribute, "type", is_list=True) and not star:
            return OpArgument(name=name, types_attribute=element)
        raise NotationError(f"`{text}`: attribute `{element}` is neither a type nor a list of types")
    if fixed is None:
        raise NotationError(f"`{text}`: there is no type, and no attribute, `{element}`")
    return OpArgument(name=name, type=fixed, count_attribute=count)


def parse_attribute(text: str) -> OpAttribute:
    """Read the declaration of an attribute.

    Args:
        text: such as `T: type`, `T: {float, int32} = DT_FLOAT`, `N: int >= 1`, `perm: list(int)`.

    Raises:
        NotationError: it cannot be read.
    """
    name, rest = _halves(text)
    if not _ATTRIBUTE_NAME.fullmatch(name):
        raise NotationError(
            f"`{text}`: `{name}` cannot be the name of an attribute: use a letter, then letters, digits and underscores"
        )
    type, equals, default = _split_default(rest)
    bare, _, bound = (each.strip() for each in type.partition(">="))
    minimum = None
    if ">=" in type:
        if not re.fullmatch(r"-?\d+", bound):
            raise NotationError(f"`{text}`: after >= `{bound}` is not a number")
        minimum = int(bound)
    listed = re.fullmatch(r"list\s*\((.*)\)", bare)
    kind, allowed = _kind_of((listed[1] if listed else bare).strip(), text)
    if minimum is not None and not listed and kind != "int":
        raise NotationError(f"`{text}`: only ints and lists have a minimum")
    attribute = OpAttribute(name=name, kind=kind, is_list=listed is not None, allowed=allowed, minimum=minimum)
    if not equals:
        return attribute
    value = _default(default.strip(), attribute, text)
    return replace(attribute, default=value, has_default=True)


def _halves(text: str) -> tuple[str, str]:
    name, colon, rest = text.partition(":")
    if not colon:
        raise NotationError(f"`{text}`: the colon after the name is missing")
    return name.rstrip(), rest.strip()


def _name_of(text: str) -> str:
    return _halves(text)[0]


def _split_default(text: str) -> tuple[str, str, str]:
    """Split a text at the first `=`, except in `>=` and in a text in quotes."""
    found = re.match(r"((?:'[^']*'|\"[^\"]*\"|>=|[^='\"])*)(=?)(.*)", text, re.DOTALL)
    assert found is not None
    return found[1].strip(), found[2], found[3]


def _kind_of(text: str, whole: str) -> tuple[str, frozenset[str]]:
    """Return the kind of an attribute, and its allowed values."""
    if text in GROUPS:
        return "type", GROUPS[text]
    if text in _KINDS:
        return text, frozenset()
    if text.startswith("{") and text.endswith("}"):
        elements = [each.strip() for each in text[1:-1].strip().removesuffix(",").split(",")]
        if elements and all(re.fullmatch(r"'[^']*'|\"[^\"]*\"", each) for each in elements):
            return "string", frozenset(each[1:-1] for each in elements)
        types: set[str] = set()
        for each in elements:
            named = type_named(each) if "_" not in each else None  # a word ends there
            if named is None and each not in GROUPS:
                raise NotationError(f"`{whole}`: there is no type `{each}`")
            types |= GROUPS.get(each, {named or ""})
        if types:
            return "type", frozenset(types)
    raise NotationError(f"`{whole}`: `{text}` is not a type of attributes")


def _default(text: str, attribute: OpAttribute, whole: str) -> AttributeValue:
    """Read a default, written as the text format of protocol buffers has it."""
    if not attribute.is_list:
        return _value(text, attribute.kind, whole)
    if not (text.startswith("[") and text.endswith("]")):
        raise NotationError(f"`{whole}`: write the default of a list in brackets")
    inner = text[1:-1].strip()
    parts = re.split(r",(?=(?:[^'\"]|'[^']*'|\"[^\"]*\")*$)(?![^{]*\})", inner) if inner else []
    return tuple(_value(part.strip(), attribute.kind, whole) for part in parts)


def _value(text: str, kind: str, whole: str) -> AttributeValue:
    """Read one value; numbers have to fit."""
    if kind == "bool" and text in _TRUE + _FALSE:
        return text in _TRUE
    if kind == "int" and re.fullmatch(r"[+-]?\d+", text) and -(2**63) <= int(text) < 2**63:
        return int(text)
    if kind == "float" and re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|-?(?i:inf(inity)?|nan)", text):
        return float(text)
    if kind == "string" and re.fullmatch(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"", text):
        return _unescaped(text[1:-1], whole)
    if kind == "type":
        plain = text.removeprefix("DT_").lower() if re.fullmatch("DT_[A-Z0-9_]+", text) else ""
        named = type_named(plain) if plain not in NOTATION.values() else None
        if named is not None or (text.isdecimal() and int(text) in NAMES):
            return named or NAMES[int(text)]
    if kind == "shape" and text.startswith("{") and text.endswith("}"):
        return _shape(text)
    if kind == "tensor" and text.startswith("{") and text.endswith("}"):
        return _tensor(text, whole)
    raise NotationError(f"`{whole}`: `{text}` is not of type {kind}")


def _unescaped(text: str, whole: str) -> str:
    """Return a text with escapes as in C."""
    try:
        return text.encode("utf-8").decode("unicode_escape").encode("latin-1").decode("utf-8")
    except UnicodeError as error:
        raise NotationError(f"`{whole}`: the text cannot be read: {error}") from error


def _shape(text: str) -> tuple[int, ...] | None:
    """Return the lengths in a TensorShapeProto; None for an unknown rank."""
    if re.search(r"unknown_rank\s*:\s*(true|True|t|1)\b", text):
        return None
    lengths = tuple(int(each) for each in re.findall(r"\bsize\s*:\s*(-?\d{1,18})", text))
    if any(each < -1 for each in lengths):
        raise NotationError(f"`{text}`: no length is less than -1")
    return lengths


def _tensor(text: str, whole: str) -> Tensor:
    """Return a TensorProto; where it has fewer values than elements, the last one is repeated."""
    type = re.search(r"dtype\s*:\s*DT_(\w+)", text)
    kind = re.search(r"\b(\w+)_val\b", text)
    named = type_named(type[1].lower()) if type else type_named(kind[1]) if kind else None
    if named not in ELEMENT_TYPES:
        raise NotationError(f"`{whole}`: a default of this type is not supported")
    shape = re.search(r"tensor_shape\s*:?\s*(\{(?:[^{}]|\{[^{}]*\})*\})", text)
    lengths = _shape(shape[1]) if shape else ()
    found = re.findall(r"\w+_val\s*:\s*(\[[^\]]*\]|[^\s{}\[\]]+)", text)
    words = [word for each in found for word in each.strip("[]").replace(",", " ").split()] or ["0"]
    try:
        numbers = [word in _TRUE if named == "bool" else float(word) for word in words]
        from_nested(numbers, named)
    except (ValueError, AbigenError) as error:
        raise NotationError(f"`{whole}`: {error}") from error
    count = prod(lengths or ())
    if not 0 <= count <= _MOST_ELEMENTS:
        raise NotationError(f"`{whole}`: a default of {count} elements is not supported")
    numbers = (numbers + numbers[-1:] * count)[:count]
    return Tensor(named, lengths or (), from_nested(numbers, named).data)


def _check_default(attribute: OpAttribute) -> None:
    """Refuse a default that the attribute itself would not allow."""
    value = attribute.default
    if not attribute.has_default:
        return
    elements = value if attribute.is_list and isinstance(value, tuple) else (value,)
    wrong = next((each for each in elements if attribute.allowed and each not in attribute.allowed), None)
    if wrong is not None:
        raise NotationError(f"attribute {attribute.name}: the default {wrong} is not an allowed value")
    measure = len(elements) if attribute.is_list else value
    if attribute.minimum is not None and isinstance(measure, int) and measure < attribute.minimum:
        raise NotationError(f"attribute {attribute.name}: the default is less than {attribute.minimum}")


def _with_minimum(attribute: OpAttribute) -> OpAttribute:
    """Return the attribute of a length with the minimum 1, unless it states another one."""
    return attribute if attribute.minimum is not None else replace(attribute, minimum=1)


def _is(attribute: OpAttribute | None, kind: str, *, is_list: bool) -> bool:
    return attribute is not None and attribute.kind == kind and attribute.is_list == is_list
