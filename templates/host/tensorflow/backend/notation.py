"""The notation in which ops are declared (ops.h, TF_OpDefinitionBuilderAddAttr and TF_OpDefinitionBuilderAddInput)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from abigen.host.arrays import Array, from_nested
from abigen.host.ops import Argument, Attribute, AttributeValue, OpDefinition

from .datatypes import GROUPS, type_named

_KINDS = ("string", "int", "float", "bool", "type", "shape", "tensor", "func")
_OP_NAME = re.compile(r"_?(?:[A-Z][A-Za-z0-9_]*>)*[A-Z][A-Za-z0-9_]*")
_ATTRIBUTE_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_ARGUMENT_NAME = re.compile(r"[a-z][a-z0-9_]*")


class NotationError(ValueError):
    """An op's declaration cannot be read; the message says where and why."""


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
        infer_shapes: what is called to tell the shapes of the outputs.
        owner: the plugin that declares it.

    Raises:
        NotationError: one of them cannot be read, two have one name, or an attribute that is used is not there.
    """
    if not _OP_NAME.fullmatch(name):
        raise NotationError(f"`{name}` is no name for an op: it begins with a capital letter")
    own = {each.name: each for each in map(parse_attribute, attributes)}
    if len(own) != len(attributes):
        raise NotationError(f"op {name}: two attributes have one name")
    taken = tuple(parse_argument(each, own) for each in inputs)
    given = tuple(parse_argument(each, own) for each in outputs)
    for arguments, what in ((taken, "inputs"), (given, "outputs")):
        if len({each.name for each in arguments}) != len(arguments):
            raise NotationError(f"op {name}: two {what} have one name")
    lengths = {each.count_attribute or each.types_attribute for each in (*taken, *given)}
    filled = (_with_minimum(each) if each.name in lengths else each for each in own.values())
    return OpDefinition(
        name=name, inputs=taken, outputs=given, attributes=tuple(filled), infer_shapes=infer_shapes, owner=owner
    )


def parse_argument(text: str, attributes: Mapping[str, Attribute]) -> Argument:
    """Read the declaration of an input or output.

    Args:
        text: such as `x: T`, `x: N * T`, `x: Ref(float)`.
        attributes: of the op, by their names.

    Raises:
        NotationError: it cannot be read, or names an attribute that is not there or of another kind.
    """
    name, type = _halves(text)
    if not _ARGUMENT_NAME.fullmatch(name):
        raise NotationError(f"`{text}`: `{name}` is no name for an input or output: small letters, digits, underscores")
    inner = re.fullmatch(r"Ref\s*\((.*)\)", type)
    type = inner[1].strip() if inner else type
    count, star, element = (each.strip() for each in type.rpartition("*"))
    if star and not _is(attributes.get(count), "int", is_list=False):
        raise NotationError(f"`{text}`: there is no attribute `{count}` that is an int")
    attribute = attributes.get(element)
    fixed = type_named(element)
    if attribute is not None:
        if _is(attribute, "type", is_list=False):
            return Argument(name=name, type_attribute=element, count_attribute=count)
        if _is(attribute, "type", is_list=True) and not star:
            return Argument(name=name, types_attribute=element)
        raise NotationError(f"`{text}`: attribute `{element}` is neither a type nor a list of types")
    if fixed is None:
        raise NotationError(f"`{text}`: there is no type, and no attribute, `{element}`")
    return Argument(name=name, type=fixed, count_attribute=count)


def parse_attribute(text: str) -> Attribute:
    """Read the declaration of an attribute.

    Args:
        text: such as `T: type`, `T: {float, int32} = DT_FLOAT`, `N: int >= 1`, `perm: list(int)`.

    Raises:
        NotationError: it cannot be read.
    """
    name, rest = _halves(text)
    if not _ATTRIBUTE_NAME.fullmatch(name):
        raise NotationError(
            f"`{text}`: `{name}` is no name for an attribute: a letter, then letters, digits, underscores"
        )
    type, equals, default = _split_default(rest)
    bare, _, bound = (each.strip() for each in type.partition(">="))
    minimum = None
    if ">=" in type:
        if not re.fullmatch(r"-?\d+", bound):
            raise NotationError(f"`{text}`: behind >= stands `{bound}` instead of a number")
        minimum = int(bound)
    listed = re.fullmatch(r"list\s*\((.*)\)", bare)
    kind, allowed = _kind_of((listed[1] if listed else bare).strip(), text)
    if minimum is not None and not listed and kind != "int":
        raise NotationError(f"`{text}`: only ints and lists have a minimum")
    attribute = Attribute(name=name, kind=kind, is_list=listed is not None, allowed=allowed, minimum=minimum)
    if not equals:
        return attribute
    value = _default(default.strip(), attribute, text)
    return Attribute(**{**vars(attribute), "default": value, "has_default": True})


def _halves(text: str) -> tuple[str, str]:
    name, colon, rest = text.partition(":")
    if not colon:
        raise NotationError(f"`{text}`: there is no colon behind the name")
    return name.strip(), rest.strip()


def _split_default(text: str) -> tuple[str, str, str]:
    """What stands before and behind the `=`, which is not part of `>=` or of a text in quotes."""
    found = re.match(r"((?:'[^']*'|\"[^\"]*\"|>=|[^='\"])*)(=?)(.*)", text, re.DOTALL)
    assert found is not None
    return found[1].strip(), found[2], found[3]


def _kind_of(text: str, whole: str) -> tuple[str, frozenset[str]]:
    """The kind of an attribute, and what it is restricted to."""
    if text in GROUPS:
        return "type", GROUPS[text]
    if text in _KINDS:
        return text, frozenset()
    if text.startswith("{") and text.endswith("}"):
        elements = [each.strip() for each in text[1:-1].split(",") if each.strip()]
        if elements and all(re.fullmatch(r"'[^']*'|\"[^\"]*\"", each) for each in elements):
            return "string", frozenset(each[1:-1] for each in elements)
        types: set[str] = set()
        for each in elements:
            named = type_named(each)
            if named is None and each not in GROUPS:
                raise NotationError(f"`{whole}`: there is no type `{each}`")
            types |= GROUPS.get(each, {named or ""})
        if types:
            return "type", frozenset(types)
    raise NotationError(f"`{whole}`: `{text}` is no type of attribute")


def _default(text: str, attribute: Attribute, whole: str) -> AttributeValue:
    """Read a default, written as the text format of protocol buffers has it."""
    if not attribute.is_list:
        return _value(text, attribute.kind, whole)
    if not (text.startswith("[") and text.endswith("]")):
        raise NotationError(f"`{whole}`: the default of a list stands in brackets")
    parts = re.findall(r"'[^']*'|\"(?:[^\"\\]|\\.)*\"|\{[^{}]*\}|[^,\s][^,]*", text[1:-1])
    return tuple(_value(part.strip(), attribute.kind, whole) for part in parts)


def _value(text: str, kind: str, whole: str) -> AttributeValue:
    if kind == "bool" and text in ("true", "false"):
        return text == "true"
    if kind == "int" and re.fullmatch(r"-?\d+", text):
        return int(text)
    if kind == "float":
        try:
            return float(text.removesuffix("f") if not text.endswith("inf") else text)
        except ValueError:
            pass
    if kind == "string" and len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        return text[1:-1].encode().decode("unicode_escape")
    if kind == "type":
        named = type_named(text.removeprefix("DT_").lower())
        if named is not None:
            return named
    if kind == "shape":
        if re.search(r"unknown_rank\s*:\s*true", text):
            return None
        return tuple(int(each) for each in re.findall(r"size\s*:\s*(-?\d+)", text))
    if kind == "tensor":
        return _tensor(text, whole)
    raise NotationError(f"`{whole}`: `{text}` is no {kind}")


def _tensor(text: str, whole: str) -> Array:
    """A tensor with one number in it, which is all that defaults are used for."""
    type = re.search(r"dtype\s*:\s*DT_(\w+)", text)
    named = type_named(type[1].lower()) if type else None
    number = re.search(r"\w+_val\s*:\s*(\S+)", text)
    if named is None:
        raise NotationError(f"`{whole}`: the default has no dtype")
    value = {"true": True, "false": False}.get(number[1], number[1]) if number else 0
    return from_nested(float(value) if isinstance(value, str) else value, named)


def _with_minimum(attribute: Attribute) -> Attribute:
    """The length of an input or output is at least 1 unless it says otherwise."""
    return attribute if attribute.minimum is not None else Attribute(**{**vars(attribute), "minimum": 1})


def _is(attribute: Attribute | None, kind: str, *, is_list: bool) -> bool:
    return attribute is not None and attribute.kind == kind and attribute.is_list == is_list
