"""Nodes as serialized protocol buffers: NodeDef, AttrValue and what they contain (node_def.proto, attr_value.proto)."""

from __future__ import annotations

import struct
from collections.abc import Iterable

from abigen.host.arrays import Tensor
from abigen.host.ops import AttributeValue, OpAttribute, OpUse

from .datatypes import CODES

_VARINT, _BYTES, _FIXED32 = 0, 2, 5

_FIELDS = {"string": 2, "int": 3, "float": 4, "bool": 5, "type": 6, "shape": 7, "tensor": 8}
"""Number of the field of AttrValue, and of AttrValue.ListValue, for a kind of attribute."""

_LIST = 1


def node_def(use: OpUse, name: str, device: str) -> bytes:
    """A NodeDef.

    Args:
        use: the op, its inputs and attributes.
        name: of the node.
        device: that it is placed on.
    """
    kinds = {each.name: each for each in use.op.attributes}
    inputs = input_names(use)
    attributes = (
        _bytes(1, key.encode()) + _bytes(2, _attribute(kinds[key], value))
        for key, value in sorted(use.attributes.items())
    )
    return (
        _bytes(1, name.encode())
        + _bytes(2, use.op.name.encode())
        + b"".join(_bytes(3, each.encode()) for each in inputs)
        + _bytes(4, device.encode())
        + b"".join(_bytes(5, each) for each in attributes)
    )


def input_names(use: OpUse) -> list[str]:
    """Names of the nodes that the inputs come from: each has one of its own."""
    return [f"input_{index}_{name}" for index, name in enumerate(use.input_names)]


def _attribute(attribute: OpAttribute, value: AttributeValue) -> bytes:
    """An AttrValue."""
    number = _FIELDS[attribute.kind]
    if not attribute.is_list:
        return _field(number, attribute.kind, value)
    elements = value if isinstance(value, tuple) else ()
    if attribute.kind in ("string", "shape", "tensor"):
        return _bytes(_LIST, b"".join(_field(number, attribute.kind, each) for each in elements))
    packed = b"".join(_packed(attribute.kind, each) for each in elements)
    return _bytes(_LIST, _bytes(number, packed) if packed else b"")


def _field(number: int, kind: str, value: AttributeValue) -> bytes:
    if kind == "string":
        return _bytes(number, value if isinstance(value, bytes) else str(value).encode("utf-8"))
    if kind == "shape":
        return _bytes(number, _shape(value))
    if kind == "tensor" and isinstance(value, Tensor):
        content = _key(1, _VARINT) + _varint(CODES[value.type]) + _bytes(2, _shape(value.shape))
        return _bytes(number, content + _bytes(4, value.data))
    return _key(number, _FIXED32 if kind == "float" else _VARINT) + _packed(kind, value)


def _packed(kind: str, value: AttributeValue) -> bytes:
    """A number without its key."""
    if kind == "float" and isinstance(value, (int, float)):
        return struct.pack("<f", value)
    if kind == "type":
        return _varint(CODES[str(value)])
    assert isinstance(value, int)
    return _varint(value & 0xFFFF_FFFF_FFFF_FFFF)


def _shape(value: AttributeValue) -> bytes:
    """A TensorShapeProto; None has an unknown rank."""
    if value is None:
        return _key(3, _VARINT) + _varint(1)
    lengths: Iterable[int] = value if isinstance(value, tuple) else ()
    return b"".join(_bytes(2, _key(1, _VARINT) + _varint(each & 0xFFFF_FFFF_FFFF_FFFF)) for each in lengths)


def _bytes(number: int, content: bytes) -> bytes:
    return _key(number, _BYTES) + _varint(len(content)) + content


def _key(number: int, wire_type: int) -> bytes:
    return _varint(number << 3 | wire_type)


def _varint(value: int) -> bytes:
    """Seven bits a byte, the lowest first, all but the last byte marked (protocol buffers, "Encoding")."""
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)
