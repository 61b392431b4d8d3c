"""The data types of tensors: TF_DataType, the names that op definitions use, and the element types of arrays."""

from __future__ import annotations

CODES = {
    "float32": 1,
    "float64": 2,
    "int32": 3,
    "uint8": 4,
    "int16": 5,
    "int8": 6,
    "string": 7,
    "complex64": 8,
    "int64": 9,
    "bool": 10,
    "qint8": 11,
    "quint8": 12,
    "qint32": 13,
    "bfloat16": 14,
    "qint16": 15,
    "quint16": 16,
    "uint16": 17,
    "complex128": 18,
    "float16": 19,
    "resource": 20,
    "variant": 21,
    "uint32": 22,
    "uint64": 23,
    "float8_e5m2": 24,
    "float8_e4m3fn": 25,
    "float8_e4m3fnuz": 26,
    "float8_e4m3b11fnuz": 27,
    "float8_e5m2fnuz": 28,
    "int4": 29,
    "uint4": 30,
    "int2": 31,
    "uint2": 32,
    "float4_e2m1fn": 33,
}
"""Name of each element type to its TF_DataType."""

NAMES = {code: name for name, code in CODES.items()}

NOTATION = {"float": "float32", "double": "float64", "half": "float16"}
"""What op definitions call a type where that is not its name (ops.h, TF_OpDefinitionBuilderAddInput)."""

_REAL = "float32 float64 int32 uint8 int16 int8 int64 bfloat16 uint16 float16 uint32 uint64"
_QUANTIZED = "qint8 quint8 qint32 qint16 quint16"
_NUMBERS = frozenset([*_REAL.split(), *_QUANTIZED.split(), "complex64", "complex128"])

GROUPS = {
    "numbertype": _NUMBERS,
    "numerictype": _NUMBERS,
    "realnumbertype": frozenset(_REAL.split()),
    "quantizedtype": frozenset(_QUANTIZED.split()),
}
"""Names for several types at once (ops.h, TF_OpDefinitionBuilderAddAttr)."""


def type_named(name: str) -> str | None:
    """The element type that an op definition means by a name; None when it means none."""
    own = NOTATION.get(name, name)
    return own if own in CODES else None


def name_of(code: int) -> str:
    """The element type with a TF_DataType; its number where it has none."""
    return NAMES.get(code, f"data type {code}")
