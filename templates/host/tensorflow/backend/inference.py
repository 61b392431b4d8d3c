"""Shape inference: what an op's function says of the shapes of its outputs."""

from __future__ import annotations

from abigen.host.backend import Inference, PluginError, Shape
from abigen.host.ops import OpUse
from abigen.host.process import calling
from abigen.model.span import AbigenError

from .library import Library
from .nodes import Node
from .numpy_kernels import compute


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
    node = Node(library, use, use.op.name.lower(), "")
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
            raise PluginError.at(None, f"{use.op.name}: shape inference says {message}")
        outputs = [_output(library, context, index) for index in range(len(use.output_types))]
        unset = tuple(index for index, (known, _) in enumerate(outputs) if not known)
        left = functions.abigen_core_live_shapes() - before
        return Inference(tuple(shape for _, shape in outputs), unset, left)
    finally:
        functions.TF_DeleteStatus(status)
        functions.abigen_core_delete_inference(context)
        node.close()


def _output(library: Library, context: object, index: int) -> tuple[bool, Shape]:
    """Whether the shape of an output has been set, and what it is."""
    shape = library.ffi.new("abigen_core_shape*")
    known = bool(library.functions.abigen_core_inferred(context, index, shape))
    dims = tuple(shape.dims[axis] for axis in range(shape.rank)) if known and shape.rank >= 0 else None
    return known, dims
