"""Uses of ops: as the library takes them, as protocol buffers (node_def.proto), and the shapes of their outputs."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence

from abigen.model.span import AbigenError
from abigen.runner.apis.tensorflow.host.backend import Inference, Shape
from abigen.runner.apis.tensorflow.host.ops import AttributeValue, OpAttribute, OpUse, Tensor
from abigen.workspace.process import PluginError, calling

from .library import CODES, Library, Pointer
from .numpy_kernels import compute

_VARINT, _BYTES, _FIXED32 = 0, 2, 5

_FIELDS = {"string": 2, "int": 3, "float": 4, "bool": 5, "type": 6, "shape": 7, "tensor": 8}
"""Number of the field of AttrValue, and of AttrValue.ListValue, for a kind of attribute."""

_LIST = 1


def node_def(use: OpUse, name: str, device: str) -> bytes:
    """Return a NodeDef.

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
    """Return names of the nodes that the inputs come from: each has one of its own."""
    return [f"input_{index}_{name}" for index, name in enumerate(use.input_names)]


def _attribute(attribute: OpAttribute, value: AttributeValue) -> bytes:
    """Return an AttrValue."""
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
    """Return a number without its key."""
    if kind == "float" and isinstance(value, (int, float)):
        return struct.pack("<f", value)
    if kind == "type":
        return _varint(CODES[str(value)])
    assert isinstance(value, int)
    return _varint(value & 0xFFFF_FFFF_FFFF_FFFF)


def _shape(value: AttributeValue) -> bytes:
    """Return a TensorShapeProto; None has an unknown rank."""
    if value is None:
        return _key(3, _VARINT) + _varint(1)
    lengths: Iterable[int] = value if isinstance(value, tuple) else ()
    return b"".join(_bytes(2, _key(1, _VARINT) + _varint(each & 0xFFFF_FFFF_FFFF_FFFF)) for each in lengths)


def _bytes(number: int, content: bytes) -> bytes:
    return _key(number, _BYTES) + _varint(len(content)) + content


def _key(number: int, wire_type: int) -> bytes:
    return _varint(number << 3 | wire_type)


def _varint(value: int) -> bytes:
    """Encode a number, seven bits a byte, lowest first, all but the last byte marked (protocol buffers, "Encoding")."""
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)


_KINDS = {"string": 0, "int": 1, "float": 2, "bool": 3, "type": 4, "shape": 5, "tensor": 6, "func": 8}
"""Kind of attribute to TF_AttrType."""


class OpNode:
    """A use of an op, in memory that lives as long as this object."""

    def __init__(self, library: Library, use: OpUse, name: str, device: str) -> None:
        """Write a use down.

        Args:
            library: the library of the structs to fill.
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


def infer_shapes(library: Library, use: OpUse) -> Inference:
    """Ask an op for the shapes of its outputs.

    Args:
        library: the core's.
        use: the op, its inputs and attributes.

    Returns:
        What the op's function says, and for an op without one what this core itself computes. Nothing is known of an
        output that neither tells.

    Raises:
        PluginError: the function says that the inputs do not fit.
    """
    if use.op.infer_shapes is None:
        try:
            known = compute(use)
        except AbigenError:  # the kernel is to say what is wrong
            known = None
        nothing = (None,) * len(use.output_types)
        return Inference(nothing if known is None else tuple(each.shape for each in known))
    ffi, functions = library.ffi, library.functions
    node = OpNode(library, use, use.op.name.lower(), "")
    dims = [ffi.new("int64_t[]", list(each.shape)) for each in use.inputs]
    shapes = [(len(each.shape), own) for each, own in zip(use.inputs, dims, strict=True)]
    given = ffi.new("abigen_core_shape[]", shapes)
    context = functions.abigen_core_new_inference(node.struct, len(shapes), given, len(use.output_types))
    status, before = functions.TF_NewStatus(), functions.abigen_core_live_shapes()
    try:
        function = ffi.cast("void(*)(TF_ShapeInferenceContext*, TSL_Status*)", use.op.infer_shapes)
        with calling(f"the shape inference function of {use.op.name}"):
            function(context, status)
        message = library.message_of(status)
        if message:
            raise PluginError.at(None, f"{use.op.name}: shape inference reports {message}")
        outputs = [_output(library, context, index) for index in range(len(use.output_types))]
        unset = tuple(index for index, (known, _) in enumerate(outputs) if not known)
        left = functions.abigen_core_live_shapes() - before
        return Inference(tuple(shape for _, shape in outputs), unset, left)
    finally:
        functions.TF_DeleteStatus(status)
        functions.abigen_core_delete_inference(context)
        node.close()


def _output(library: Library, context: object, index: int) -> tuple[bool, Shape]:
    """Return true if the shape of an output has been set, and the shape."""
    shape = library.ffi.new("abigen_core_shape*")
    known = bool(library.functions.abigen_core_inferred(context, index, shape))
    dims = tuple(shape.dims[axis] for axis in range(shape.rank)) if known and shape.rank >= 0 else None
    return known, dims
