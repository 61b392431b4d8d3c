"""Uses of ops as the library takes them."""

from __future__ import annotations

from collections.abc import Sequence

from abigen.host.arrays import Tensor
from abigen.host.ops import AttributeValue, OpAttribute, OpUse

from .datatypes import CODES
from .library import Library, Pointer
from .proto import node_def

_KINDS = {"string": 0, "int": 1, "float": 2, "bool": 3, "type": 4, "shape": 5, "tensor": 6, "func": 8}
"""Kind of attribute to TF_AttrType."""


class Node:
    """One use of an op, in memory that lives as long as this object."""

    def __init__(self, library: Library, use: OpUse, name: str, device: str) -> None:
        """Write a use down.

        Args:
            library: whose structs to fill.
            use: the op, its inputs and attributes.
            name: of the node.
            device: name of the device that it runs on.
        """
        self._library = library
        self._kept: list[Pointer] = []
        self._tensors: list[Pointer] = []
        ffi = library.ffi
        definitions = {each.name: each for each in use.op.attributes}
        attributes = ffi.new("abigen_core_attribute[]", len(use.attributes))
        for index, (key, value) in enumerate(use.attributes.items()):
            self._fill(attributes[index], definitions[key], value)
        serialized = node_def(use, name, device)
        self.struct = ffi.new("abigen_core_node*")
        self.struct.name = self._text(name)
        self.struct.op = self._text(use.op.name)
        self.struct.num_attributes = len(use.attributes)
        self.struct.attributes = self._keep(attributes)
        self.struct.serialized = self._keep(ffi.new("char[]", serialized))
        self.struct.serialized_size = len(serialized)

    def close(self) -> None:
        """Free the tensors of its attributes."""
        for tensor in self._tensors:
            self._library.functions.TF_DeleteTensor(tensor)
        self._tensors.clear()

    def _fill(self, struct: Pointer, attribute: OpAttribute, value: AttributeValue) -> None:
        """Write an attribute down."""
        ffi = self._library.ffi
        values = value if attribute.is_list and isinstance(value, tuple) else (value,)
        struct.name = self._text(attribute.name)
        struct.type = _KINDS[attribute.kind]
        struct.is_list = attribute.is_list
        struct.count = len(values)
        if attribute.kind in ("int", "bool", "type"):
            numbers = [CODES[str(each)] if attribute.kind == "type" else each for each in values]
            struct.integers = self._keep(ffi.new("int64_t[]", numbers))
        elif attribute.kind == "float":
            struct.floats = self._keep(ffi.new("float[]", list(values)))
        elif attribute.kind == "string":
            texts = [each if isinstance(each, bytes) else str(each).encode("utf-8") for each in values]
            struct.texts = self._keep(ffi.new("char*[]", [self._keep(ffi.new("char[]", each)) for each in texts]))
            struct.lengths = self._keep(ffi.new("int64_t[]", list(map(len, texts))))
        elif attribute.kind == "shape":
            self._fill_shapes(struct, [each if isinstance(each, tuple) else None for each in values])
        elif attribute.kind == "tensor":
            tensors = [self._library.host_tensor(each) for each in values if isinstance(each, Tensor)]
            self._tensors += tensors
            struct.tensors = self._keep(ffi.new("TF_Tensor*[]", tensors))

    def _fill_shapes(self, struct: Pointer, shapes: Sequence[tuple[int, ...] | None]) -> None:
        ffi = self._library.ffi
        struct.integers = self._keep(ffi.new("int64_t[]", [length for shape in shapes for length in shape or ()]))
        ranks = [-1 if shape is None else len(shape) for shape in shapes]
        struct.lengths = self._keep(ffi.new("int64_t[]", ranks))

    def _text(self, text: str) -> Pointer:
        return self._keep(self._library.ffi.new("char[]", text.encode("utf-8")))

    def _keep(self, memory: Pointer) -> Pointer:
        self._kept.append(memory)
        return memory
