"""Operations of JAX that a device has to run, several of a kind in one program."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax


class Program(NamedTuple):
    """A function, and what it is called with."""

    name: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    tolerance: float = 2e-6


_random = np.random.default_rng(0)


def floats(*shape: int) -> np.ndarray:
    return _random.standard_normal(shape, np.float32)


def _pairs(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return each of one array with each of another."""
    return tuple(np.broadcast_arrays(x[:, None], y))


_ODD = np.array([-np.inf, -7.5, -2.5, -0.5, -0.0, 0.0, 0.3, 0.5, 1.5, 2.5, 1e10, np.inf, np.nan], np.float32)
_INTEGERS = np.array([-(2**31), -7, -1, 0, 1, 2, 7, 2**31 - 1], np.int32)
_BYTES = np.arange(256, dtype=np.uint8)


def max_pool(x: jax.Array, size: int = 2, stride: int = 2, padding: str = "VALID") -> jax.Array:
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, size, size, 1), (1, stride, stride, 1), padding)


def convolution(layout: tuple[str, str, str], *arguments: Any, **options: Any) -> Callable[..., jax.Array]:
    return lambda x, k: lax.conv_general_dilated(x, k, *arguments, dimension_numbers=layout, **options)


NHWC = "NHWC", "HWIO", "NHWC"
NCHW = "NCHW", "OIHW", "NCHW"


OPERATIONS = [
    Program("x + 1", lambda x: x + 1, (floats(8),)),
    Program(
        "exponents and logarithms",
        lambda x: [f(jnp.abs(x)) for f in (jnp.exp, jnp.expm1, jnp.log, jnp.log1p, jnp.sqrt, lax.rsqrt, jnp.cbrt)],
        (_ODD,),
    ),
    Program(
        "angles",
        lambda x: (
            [f(x) for f in (jnp.sin, jnp.cos, jnp.tan, jnp.tanh, jnp.arctan, jax.nn.sigmoid)]
            + [jnp.arctan2(x, jnp.float32(0.5))]
        ),
        (floats(50),),
    ),
    Program(
        "inverse angles",
        lambda x: (
            [f(x) for f in (jnp.arcsin, jnp.arccos, jnp.arctanh, jnp.sinh, jnp.cosh, jnp.arcsinh)]
            + [jnp.arccosh(1 + x)]
        ),
        (np.linspace(0.01, 0.99, 40, dtype=np.float32),),
        5e-6,
    ),
    Program(
        "rounding and signs",
        lambda x: (
            [f(x) for f in (jnp.floor, jnp.ceil, jnp.round, jnp.sign, jnp.abs, jnp.isfinite, jnp.isnan)]
            + [lax.round(x, lax.RoundingMethod.AWAY_FROM_ZERO), jnp.trunc(x), -x]
        ),
        (_ODD,),
    ),
    Program(
        "comparisons with NaN",
        lambda x, y: [jnp.maximum(x, y), jnp.minimum(x, y), x < y, x == y, x != y, x >= y, jnp.clip(x, -1, 1)],
        _pairs(_ODD, _ODD),
    ),
    Program(
        "powers", lambda x, n: [x**2, jnp.abs(x) ** 2.5, x**-1, n**3, n ** jnp.abs(n)], (floats(9), _INTEGERS[1:7])
    ),
    Program(
        "integer division",
        lambda a, b: [lax.div(a, b), lax.rem(a, b), a // b, a % b, a * b, a + b],
        _pairs(_INTEGERS, _INTEGERS),
    ),
    Program(
        "unsigned integers",
        lambda a, b: [lax.div(a, b), lax.rem(a, b), a // b, a - b, lax.shift_right_arithmetic(a, b)],
        _pairs(_BYTES, _BYTES),
    ),
    Program("float remainders", lambda a, b: [lax.rem(a, b), a % b, a // b], _pairs(_ODD[1:11], _ODD[6:11])),
    Program(
        "bit operations",
        lambda a, b: (
            [
                a & b,
                a | b,
                a ^ b,
                ~a,
                lax.population_count(a),
                lax.clz(a),
                lax.shift_left(a, b),
                lax.shift_right_logical(a, b),
                lax.shift_right_arithmetic(a, b),
            ]
        ),
        _pairs(_INTEGERS, np.array([0, 1, 5, 31, 32, 33, -1], np.int32)),
    ),
    Program(
        "conversions",
        lambda x: (
            [x.astype(each) for each in (jnp.int8, jnp.uint8, jnp.int32, jnp.uint32, bool, jnp.float16)]
            + [x.astype(jnp.bfloat16), x.astype(jnp.bfloat16).astype(jnp.int16), x.astype(jnp.complex64)]
        ),
        (np.concatenate([_ODD, np.float32([255, 256, -129, 127.9, 2**31, -(2**31), 2**32, 4e9])]),),
    ),
    Program(
        "integer conversions",
        lambda x: [x.astype(each) for each in (jnp.int8, jnp.uint8, jnp.uint32, bool, jnp.float32, jnp.float16)],
        (_INTEGERS,),
    ),
    Program(
        "bits as other types",
        lambda x: [
            lax.bitcast_convert_type(x, jnp.int32),
            lax.bitcast_convert_type(x, jnp.uint8),
            lax.bitcast_convert_type(lax.bitcast_convert_type(x, jnp.uint16), jnp.float32),
        ],
        (floats(3, 4),),
    ),
    Program(
        "reduced precision",
        lambda x: [lax.reduce_precision(x, 5, 10), lax.reduce_precision(x, 8, 7), lax.reduce_precision(x, 4, 3)],
        (np.concatenate([_ODD, floats(20), np.float32([1e-7, 1e-3, 65504, 65520, 448, 480])]),),
    ),
    Program(
        "bfloat16",
        lambda x, y: (
            [
                x + y,
                x * y,
                x / y,
                jnp.exp(x),
                x @ y.T,
                jnp.sum(x),
                jnp.max(y, 1),
                x > y,
                jnp.float32(3) * x,
                jnp.bfloat16(1.5) + x,
                jnp.array([1, 2.5, 3], jnp.bfloat16) * 2,
            ]
        ),
        (floats(4, 5).astype(jnp.bfloat16), floats(4, 5).astype(jnp.bfloat16)),
        1e-2,
    ),
    Program(
        "float16",
        lambda x, y: [x + y, x * y, x / y, jnp.exp(x), x @ y.T, jnp.sum(x), jnp.float16(2) ** x, jnp.sort(x)],
        (floats(4, 5).astype(np.float16), floats(4, 5).astype(np.float16)),
        2e-3,
    ),
    Program(
        "complex numbers",
        lambda x, y: (
            [
                x * y,
                x / y,
                jnp.exp(x),
                jnp.abs(x),
                jnp.conj(y),
                x.real,
                jnp.angle(y),
                x @ y,
                jnp.sqrt(x),
                x + (1 + 2j),
                jnp.array([1j, 2.5, jnp.inf]),
                x == y,
                lax.complex(x.real, y.imag),
                jnp.tanh(x),
                jnp.log(x),
            ]
        ),
        (floats(3, 3) + 1j * floats(3, 3), floats(3, 3) + 1j * floats(3, 3)),
    ),
    Program(
        "fourier", lambda x: [jnp.fft.fft(x), jnp.fft.ifft2(x), jnp.fft.rfft(x), jnp.fft.irfft(x)], (floats(6, 8),)
    ),
    Program(
        "shapes",
        lambda x: (
            [
                x.T,
                x.reshape(4, 6),
                x[::-1],
                x[:, 1:3, ::2],
                jnp.concatenate([x, x], 1),
                jnp.squeeze(x[:1]),
                jnp.broadcast_to(x, (5, *x.shape)),
                jnp.stack([x, x], 1),
                jnp.tile(x, 2),
                jnp.roll(x, 1),
                jnp.arange(5),
                jnp.eye(3),
                jnp.transpose(x, (1, 2, 0)),
            ]
        ),
        (floats(2, 3, 4),),
    ),
    Program(
        "padding",
        lambda x: (
            [
                lax.pad(x, 7.0, ((1, 2, 0), (0, 1, 2))),
                lax.pad(x, 7.0, ((-1, 2, 1), (3, -2, 0))),
                jnp.pad(x, 2, mode="reflect"),
                lax.pad(x, 0.0, ((-1, -1, 1), (-2, 0, 1))),
            ]
        ),
        (floats(4, 5),),
    ),
    Program(
        "slices at places",
        lambda x, at: (
            [
                lax.dynamic_slice(x, (at, at), (2, 3)),
                lax.dynamic_update_slice(x, x[:2, :2] * 0, (at, 0)),
                x[at],
                x.at[at].set(1.0),
                lax.dynamic_index_in_dim(x, -1),
                lax.dynamic_slice(x, (at - 9, at + 9), (2, 3)),
            ]
        ),
        (floats(6, 5), np.int32(3)),
    ),
    Program(
        "products",
        lambda x, y: [x @ y, jnp.dot(x[0], y[0]), x @ x.swapaxes(1, 2)],
        (floats(3, 4, 5), floats(3, 5, 6)),
        1e-5,
    ),
    Program(
        "einsum",
        lambda x, y: (
            [
                jnp.einsum("bij,bjk->bik", x, y),
                jnp.einsum("bij,ckj->cbik", x, x),
                jnp.einsum("bii->bi", x @ x.swapaxes(1, 2)),
                jnp.einsum("bij,bjk->", x, y),
                jnp.tensordot(x, y, ((2, 0), (1, 0))),
            ]
        ),
        (floats(3, 4, 5), floats(3, 5, 6)),
        1e-5,
    ),
    Program(
        "integer products",
        lambda x, y: [x @ y, lax.dot(x, y, preferred_element_type=jnp.int32)],
        (_random.integers(-9, 9, (3, 4), np.int8), _random.integers(-9, 9, (4, 5), np.int8)),
    ),
    Program("convolution NHWC", convolution(NHWC, (2, 1), "SAME"), (floats(2, 9, 8, 3), floats(3, 3, 3, 4)), 1e-5),
    Program("convolution NCHW", convolution(NCHW, (1, 2), "VALID"), (floats(2, 3, 9, 8), floats(4, 3, 3, 2)), 1e-5),
    Program(
        "dilated convolution",
        convolution(NCHW, (1, 2), [(2, -1), (0, 3)], lhs_dilation=(2, 1), rhs_dilation=(1, 2)),
        (floats(2, 3, 9, 8), floats(4, 3, 3, 2)),
        1e-5,
    ),
    Program(
        "convolution in groups",
        lambda x, k, z: [
            convolution(NHWC, (1, 1), "SAME", feature_group_count=2)(x, k),
            convolution(NHWC, (1, 1), "SAME", batch_group_count=2)(x, z),
        ],
        (floats(4, 6, 6, 4), floats(3, 3, 2, 6), floats(3, 3, 4, 6)),
        1e-5,
    ),
    Program(
        "gradient of a convolution",
        jax.grad(lambda k, x: jnp.sum(convolution(NHWC, (2, 2), "SAME")(x, k) ** 2), (0, 1)),
        (floats(3, 3, 3, 4), floats(2, 9, 8, 3)),
        1e-4,
    ),
    Program(
        "convolution in one dimension",
        lambda x, k: [
            jnp.convolve(x, k),
            jnp.correlate(x, k, "same"),
            lax.conv_transpose(x[None, :, None], k[:, None, None], (2,), "SAME"),
        ],
        (floats(12), floats(3)),
        1e-5,
    ),
    Program("max pool", lambda x: [max_pool(x), max_pool(x, 3, 2, "SAME")], (floats(2, 8, 8, 3),)),
    Program(
        "gradient of a max pool",
        jax.grad(lambda x: jnp.sum(max_pool(x, 3, 2, "SAME") ** 2)),
        (floats(2, 8, 8, 3),),
    ),
    Program(
        "average pool",
        lambda x: lax.reduce_window(x, 0.0, lax.add, (1, 3, 3, 1), (1, 2, 1, 1), "SAME", (1, 2, 1, 1), (1, 1, 2, 1)),
        (floats(2, 8, 8, 3),),
    ),
    Program(
        "any window",
        lambda x: lax.reduce_window(
            (x, -x), (0.0, 1.0), lambda a, b: (a[0] + b[0] - a[0] * b[0], jnp.minimum(a[1], b[1])), (2,), (2,), "VALID"
        ),
        (floats(8),),
    ),
    Program(
        "sums",
        lambda x: (
            [
                x.sum(),
                x.sum(1),
                x.prod(0),
                x.max((0, 2)),
                x.min(-1),
                x.mean(),
                x.std(0),
                (x > 0).any(1),
                (x > 0).all(),
                jnp.linalg.norm(x[0]),
                jnp.linalg.norm(x, axis=2),
                jnp.sum(jnp.zeros((0, 3)), 0),
                jnp.median(x),
            ]
        ),
        (floats(3, 4, 5),),
        5e-6,
    ),
    Program(
        "sums of integers",
        lambda x: [x.sum(), x.prod(), x.max(), x.astype(jnp.uint8).sum(dtype=jnp.uint8), jnp.bitwise_xor.reduce(x)],
        (_INTEGERS,),
    ),
    Program("places of extremes", lambda x: [x.argmax(), x.argmin(1), jnp.nanargmax(x, 0)], (floats(7, 9).round(),)),
    Program(
        "any reduction",
        lambda x: lax.reduce((x, x), (0.0, 1.0), lambda a, b: (a[0] + b[0], a[1] * jnp.cos(b[1]) * 0 + a[1]), (1,)),
        (floats(4, 6),),
    ),
    Program(
        "a reduction with a condition",
        lambda x: lax.reduce(x, 0.0, lambda a, b: lax.cond(a > b, lambda: a, lambda: b), (1,)),
        (floats(4, 6),),
    ),
    Program(
        "cumulative",
        lambda x: (
            [
                jnp.cumsum(x),
                jnp.cumsum(x, 1),
                jnp.cumprod(x, 0),
                lax.cummax(x, 1),
                lax.cumsum(x, 1, reverse=True),
                lax.cumlogsumexp(x),
                lax.cumlogsumexp(x, 1, reverse=True),
                lax.associative_scan(jnp.maximum, x),
            ]
        ),
        (floats(6, 7),),
        5e-6,
    ),
    Program(
        "sort",
        lambda x: (
            [
                jnp.sort(x),
                jnp.sort(x, 0),
                jnp.argsort(x),
                jnp.argsort(x, descending=True),
                jnp.sort(_ODD),
                lax.sort((x.round(), x, -x), num_keys=2),
                jnp.lexsort((x[0], x[1].round())),
                lax.sort(x > 0),
            ]
        ),
        (floats(5, 13),),
    ),
    Program("sort of complex numbers", lambda x: jnp.sort(x), (floats(9).round() + 1j * floats(9),)),
    Program("unique and searchsorted", lambda x: [jnp.unique(x, size=5), jnp.searchsorted(x, x)], (_INTEGERS,)),
    Program("top_k", lambda x: [lax.top_k(x, 3), jax.nn.relu(-lax.top_k(-x, 2)[0])], (floats(4, 9).round(1),)),
    Program(
        "gather",
        lambda x, i: (
            [
                x[i],
                x[:, i],
                x[i, :, i],
                x[..., i],
                x[i[:, None], i],
                jnp.take(x, i, 1, mode="clip"),
                jnp.take_along_axis(x, x.argsort(1), 1),
                x[jnp.array([9, -1])],
                jax.vmap(lambda y, j: y[j])(x[:3], i),
                jnp.diagonal(x[0]),
                jnp.take(x, jnp.array([99]), 0, mode="fill"),
            ]
        ),
        (floats(4, 5, 5), np.int32([2, 0, 3])),
    ),
    Program(
        "scatter",
        lambda x, i: (
            [
                x.at[i].add(1),
                x.at[:, i].mul(2.0),
                x.at[i].set(x[0]),
                x.at[i, i].max(0.5),
                x.at[9].set(1),
                jax.vmap(lambda y, j: y.at[j].add(2.0))(x[:3], i),
                x.at[i].apply(jnp.sin),
                x.at[i, 0].min(-1),
                jnp.bincount(i, length=4),
                jnp.zeros(4, bool).at[i].set(True),
                jnp.zeros(5, jnp.bfloat16).at[i].add(1),
                x.at[jnp.array([2, 2])].mul(3.0),
            ]
        ),
        (floats(4, 5, 5), np.int32([2, 0, 2])),
    ),
    Program(
        "any scatter",
        lambda x, i: jax.ops.segment_sum(x, i, 4) + jax.ops.segment_prod(x, i, 4),
        (floats(6), np.int32([0, 3, 0, 0, 2, 3])),
    ),
]
"""Programs of one kind of operations."""
