"""The ops that this core computes itself, in the host's memory, with numpy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import erf
from typing import Any

from abigen.model.span import AbigenError
from abigen.runner.apis.tensorflow.host.ops import OpUse, Tensor, from_numpy

Array = Any
"""An array of numpy."""

Attributes = Mapping[str, Any]

_NARROW = ("float16", "bfloat16")
"""Types of which sums and the like are computed as float32."""


def compute(use: OpUse) -> tuple[Tensor, ...] | None:
    """Return the outputs of an op; None if this core cannot compute the op.

    Args:
        use: the op, its inputs and attributes.

    Raises:
        AbigenError: the op does not accept such inputs.
    """
    import numpy

    function = None if use.op.owner else _functions().get(use.op.name)
    arrays = [each.numpy() for each in use.inputs]
    if function is None:
        return None
    arrays = [each.astype("float32") if own.type in _NARROW else each
              for each, own in zip(arrays, use.inputs, strict=True)]  # fmt: skip
    try:
        with numpy.errstate(all="ignore"):
            found = function(*arrays, **use.attributes)
    except (ValueError, IndexError, TypeError, OverflowError, MemoryError) as error:
        raise AbigenError.at(None, f"{use.op.name} does not accept such inputs: {error}") from error
    outputs = found if isinstance(found, (list, tuple)) else (found,)
    with numpy.errstate(all="ignore"):
        return tuple(from_numpy(each, type) for each, type in zip(outputs, use.output_types, strict=True))


def _of_arrays_alone() -> Mapping[str, Callable[..., Array]]:
    """Name of each op without attributes that matter to what computes it."""
    import numpy as np

    return {
        "Add": np.add, "AddV2": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": _divide, "RealDiv": np.divide,
        "FloorDiv": np.floor_divide, "FloorMod": np.mod, "Maximum": np.maximum, "Minimum": np.minimum,
        "Pow": np.power, "DivNoNan": lambda x, y: np.where(y == 0, 0, np.divide(x, y)),
        "SquaredDifference": lambda x, y: np.conj(x - y) * (x - y),
        "Greater": np.greater, "GreaterEqual": np.greater_equal, "Less": np.less, "LessEqual": np.less_equal,
        "Equal": np.equal, "NotEqual": np.not_equal,
        "LogicalAnd": np.logical_and, "LogicalOr": np.logical_or, "LogicalNot": np.logical_not,
        "Neg": np.negative, "Sign": np.sign, "Reciprocal": _reciprocal, "Inv": _reciprocal, "Round": np.round,
        "Abs": np.abs, "Square": np.square, "Exp": np.exp, "Log": np.log, "Log1p": np.log1p, "Expm1": np.expm1,
        "Sqrt": np.sqrt, "Rsqrt": lambda x: 1 / np.sqrt(x), "Sin": np.sin, "Cos": np.cos, "Tan": np.tan,
        "Tanh": np.tanh, "Sigmoid": lambda x: 1 / (1 + np.exp(-x)), "Erf": np.vectorize(erf, otypes=[float]),
        "Floor": np.floor, "Ceil": np.ceil, "Relu": lambda x: np.maximum(x, x.dtype.type(0)),
        "Relu6": lambda x: np.clip(x, 0, 6), "Elu": lambda x: np.where(x < 0, np.expm1(x), x),
        "Selu": lambda x: 1.0507009873554805 * np.where(x < 0, 1.6732632423543772 * np.expm1(x), x),
        "Softplus": lambda x: np.logaddexp(x, 0), "Softsign": lambda x: x / (1 + np.abs(x)),
        "Softmax": _softmax, "LogSoftmax": lambda x: np.log(_softmax(x)),
        "Identity": np.array, "IdentityN": lambda *each: each, "ZerosLike": np.zeros_like, "OnesLike": np.ones_like,
        "Cast": np.array, "AddN": lambda *each: sum(each[1:], each[0]), "Shape": lambda x: np.array(x.shape),
        "Reshape": lambda x, shape: x.reshape(shape), "Transpose": lambda x, order: x.transpose(order),
        "Fill": lambda shape, value: np.full(shape, _scalar(value)),
        "ExpandDims": lambda x, axis: np.expand_dims(x, int(axis.reshape(()))),
        "Tile": _tile, "Pad": lambda x, margins: np.pad(x, margins), "Slice": _slice,
        "ConcatV2": lambda *each: np.concatenate(each[:-1], int(_scalar(each[-1]))),
        "Range": lambda start, limit, step: np.arange(_scalar(start), _scalar(limit), _scalar(step)),
        "BroadcastTo": lambda x, shape: np.broadcast_to(x, tuple(shape)), "SelectV2": np.where,
    }  # fmt: skip


def _functions() -> Mapping[str, Callable[..., Any]]:
    """Name of each op to what computes it."""
    import numpy as np

    def same(function: Callable[..., Array]) -> Callable[..., Array]:
        """Return a function of arrays alone."""
        return lambda *arrays, **_: function(*arrays)

    def reduced(function: Callable[..., Array]) -> Callable[..., Array]:
        def reduce(x: Array, axes: Array, *, keep_dims: bool, **_: object) -> Array:
            axis = tuple(int(each) for each in axes.ravel())
            return function(x, axis=axis, keepdims=keep_dims)

        return reduce

    known: dict[str, Callable[..., Any]] = {name: same(function) for name, function in _of_arrays_alone().items()}
    reductions: dict[str, Callable[..., Any]] = {
        "Sum": np.sum, "Prod": np.prod, "Mean": _mean, "Max": np.max, "Min": np.min, "Any": np.any, "All": np.all,
    }  # fmt: skip
    known |= {name: reduced(function) for name, function in reductions.items()}
    return known | {
        "LeakyRelu": lambda x, *, alpha, **_: np.where(x < 0, x * x.dtype.type(alpha), x),
        "MatMul": _multiply,
        "BatchMatMulV2": lambda x, y, *, adj_x, adj_y, **_: np.matmul(_adjoint(x, adj_x), _adjoint(y, adj_y)),
        "BiasAdd": _add_bias,
        "ArgMax": lambda x, axis, **_: np.argmax(x, int(_scalar(axis))),
        "ArgMin": lambda x, axis, **_: np.argmin(x, int(_scalar(axis))),
        "Split": lambda axis, x, *, num_split, **_: np.split(x, num_split, int(_scalar(axis))),
        "Pack": lambda *each, axis, **_: np.stack(each, axis),
        "Unpack": lambda x, *, axis, num, **_: _unpack(x, axis, num),
        "Squeeze": lambda x, *, squeeze_dims, **_: np.squeeze(x, tuple(squeeze_dims) or None),
        "Const": lambda *, value, **_: value.numpy(),
        "GatherV2": _gather,
    }


def _scalar(array: Array) -> Array:
    """Return the one element of an array without dimensions."""
    if array.ndim:
        raise ValueError("a scalar is expected")
    return array[()]


def _divide(x: Array, y: Array) -> Array:
    """Return a quotient; of integers without its fraction, as C has it."""
    import numpy as np

    found = np.divide(x, y)
    return np.trunc(found) if x.dtype.kind in "iu" else found


def _reciprocal(x: Array) -> Array:
    return 1 // x if x.dtype.kind in "iu" else 1 / x


def _softmax(x: Array) -> Array:
    import numpy as np

    if not x.ndim:
        raise ValueError("logits have one dimension at least")
    powers = np.exp(x - np.max(x, -1, keepdims=True, initial=-np.inf))
    return powers / powers.sum(-1, keepdims=True)


def _mean(x: Array, axis: tuple[int, ...], *, keepdims: bool) -> Array:
    import numpy as np

    found = np.mean(x, axis, keepdims=keepdims)
    return np.trunc(found) if x.dtype.kind in "iu" else found


def _multiply(a: Array, b: Array, *, transpose_a: bool, transpose_b: bool, **_: object) -> Array:
    if a.ndim != 2 or b.ndim != 2:
        raise ValueError("matrices are expected")
    return (a.T if transpose_a else a) @ (b.T if transpose_b else b)


def _adjoint(x: Array, wanted: bool) -> Array:
    return x.swapaxes(-1, -2).conj() if wanted else x


def _add_bias(value: Array, bias: Array, *, data_format: str, **_: object) -> Array:
    if bias.ndim != 1 or value.ndim < 2:
        raise ValueError("a bias of one dimension and a value of at least two are expected")
    axis = 1 if data_format == "NCHW" else value.ndim - 1
    if len(bias) != value.shape[axis]:
        raise ValueError("bias and value differ in their number of channels")
    return value + bias.reshape([-1 if each == axis else 1 for each in range(value.ndim)])


def _tile(x: Array, times: Array) -> Array:
    import numpy as np

    if times.shape != (x.ndim,):
        raise ValueError("a number for each dimension is expected")
    return np.tile(x, times)


def _slice(x: Array, begin: Array, size: Array) -> Array:
    ends = [start + count if count >= 0 else length for start, count, length in zip(begin, size, x.shape, strict=True)]
    if any(not 0 <= start <= end <= length for start, end, length in zip(begin, ends, x.shape, strict=True)):
        raise ValueError("the slice is not inside")
    return x[tuple(slice(start, end) for start, end in zip(begin, ends, strict=True))]


def _unpack(x: Array, axis: int, number: int) -> list[Array]:
    import numpy as np

    if x.shape[axis] != number:
        raise ValueError(f"{number} arrays are expected, of {x.shape[axis]}")
    return list(np.moveaxis(x, axis, 0))


def _gather(x: Array, indices: Array, axis: Array, *, batch_dims: int, **_: object) -> Array:
    import numpy as np

    if batch_dims:
        raise ValueError("this core gathers without batches")
    return np.take(x, indices, int(_scalar(axis)))
