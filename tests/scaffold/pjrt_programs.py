"""Programs in JAX that a device has to run: what each one gives is compared with what JAX gives on the CPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax, random

# ruff: noqa: E731, D103


class Program(NamedTuple):
    """A function, and what it is called with."""

    name: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    tolerance: float = 2e-6


_random = np.random.default_rng(0)


def _floats(*shape: int) -> np.ndarray:
    return _random.standard_normal(shape, np.float32)


def _pairs(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, ...]:
    """Each of one array with each of another."""
    return tuple(np.broadcast_arrays(x[:, None], y))


_ODD = np.array([-np.inf, -7.5, -2.5, -0.5, -0.0, 0.0, 0.3, 0.5, 1.5, 2.5, 1e10, np.inf, np.nan], np.float32)
_INTEGERS = np.array([-(2**31), -7, -1, 0, 1, 2, 7, 2**31 - 1], np.int32)
_BYTES = np.arange(256, dtype=np.uint8)


def _layer_norm(x: jax.Array, gain: jax.Array, offset: jax.Array) -> jax.Array:
    mean = x.mean(-1, keepdims=True)
    return (x - mean) * lax.rsqrt(x.var(-1, keepdims=True) + 1e-5) * gain + offset


def _scan(x: jax.Array) -> Any:
    return lax.scan(lambda carry, each: (carry * 0.9 + each, jnp.tanh(carry)), jnp.zeros(3), x)


def _collatz(x: jax.Array) -> Any:
    step = lambda state: (jnp.where(state[0] % 2 == 0, state[0] // 2, 3 * state[0] + 1), state[1] + 1)
    return lax.while_loop(lambda state: state[0] != 1, step, (x, 0))


def _conditions(x: jax.Array) -> Any:
    return [
        lax.cond(x[0] > 0, lambda y: y + 1, lambda y: y * x[1], x),
        lax.switch(7, [jnp.sin, jnp.cos, jnp.exp], x),
        jax.vmap(lambda y: lax.cond(y > 0, jnp.sin, jnp.cos, y))(x),
    ]


def _max_pool(x: jax.Array, size: int = 2, stride: int = 2, padding: str = "VALID") -> jax.Array:
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, size, size, 1), (1, stride, stride, 1), padding)


def _convolution(layout: tuple[str, str, str], *arguments: Any, **options: Any) -> Callable[..., jax.Array]:
    return lambda x, k: lax.conv_general_dilated(x, k, *arguments, dimension_numbers=layout, **options)


_NHWC = "NHWC", "HWIO", "NHWC"
_NCHW = "NCHW", "OIHW", "NCHW"


def network(parameters: Any, x: jax.Array) -> jax.Array:
    for weights, offset in parameters[:-1]:
        x = jnp.tanh(x @ weights + offset)
    weights, offset = parameters[-1]
    return x @ weights + offset


def loss(parameters: Any, x: jax.Array, y: jax.Array) -> jax.Array:
    return jnp.mean((network(parameters, x) - y) ** 2)


def step(parameters: Any, x: jax.Array, y: jax.Array) -> tuple[Any, jax.Array]:
    value, slopes = jax.value_and_grad(loss)(parameters, x, y)
    return jax.tree.map(lambda each, slope: each - 0.1 * slope, parameters, slopes), value


def train(parameters: Any, x: jax.Array, y: jax.Array) -> Any:
    return lax.scan(lambda state, _: step(state, x, y), parameters, None, length=100)


PARAMETERS = [(_floats(2, 16), np.zeros(16, np.float32)), (_floats(16, 1) / 4, np.zeros(1, np.float32))]
X = _floats(32, 2)
Y = (X[:, :1] * X[:, 1:]).astype(np.float32)


def _classify(parameters: Any, x: jax.Array, labels: jax.Array) -> jax.Array:
    kernel, weights = parameters
    seen = jax.nn.relu(_convolution(_NHWC, (1, 1), "SAME")(x, kernel))
    logits = jax.nn.log_softmax(_max_pool(seen).reshape(len(x), -1) @ weights)
    return -jnp.mean(jnp.sum(jax.nn.one_hot(labels, 3) * logits, -1))


def _by_key(*names: str, **options: Any) -> Callable[[Any], Any]:
    return lambda seed: [getattr(random, name)(random.key(seed), **options) for name in names]


PROGRAMS = [
    Program("x + 1", lambda x: x + 1, (_floats(8),)),
    Program(
        "exponents and logarithms",
        lambda x: [f(jnp.abs(x)) for f in (jnp.exp, jnp.expm1, jnp.log, jnp.log1p, jnp.sqrt, lax.rsqrt, jnp.cbrt)],
        (_ODD,),
    ),
    Program(
        "angles",
        lambda x: [f(x) for f in (jnp.sin, jnp.cos, jnp.tan, jnp.tanh, jnp.arctan, jax.nn.sigmoid)]
        + [jnp.arctan2(x, jnp.float32(0.5))],
        (_floats(50),),
    ),
    Program(
        "inverse angles",
        lambda x: [f(x) for f in (jnp.arcsin, jnp.arccos, jnp.arctanh, jnp.sinh, jnp.cosh, jnp.arcsinh)]
        + [jnp.arccosh(1 + x)],
        (np.linspace(0.01, 0.99, 40, dtype=np.float32),),
        5e-6,
    ),
    Program(
        "rounding and signs",
        lambda x: [f(x) for f in (jnp.floor, jnp.ceil, jnp.round, jnp.sign, jnp.abs, jnp.isfinite, jnp.isnan)]
        + [lax.round(x, lax.RoundingMethod.AWAY_FROM_ZERO), jnp.trunc(x), -x],
        (_ODD,),
    ),
    Program(
        "comparisons with NaN",
        lambda x, y: [jnp.maximum(x, y), jnp.minimum(x, y), x < y, x == y, x != y, x >= y, jnp.clip(x, -1, 1)],
        _pairs(_ODD, _ODD),
    ),
    Program("powers", lambda x, n: [x**2, jnp.abs(x) ** 2.5, x**-1, n**3, n ** jnp.abs(n)], (_floats(9), _INTEGERS[1:7])),
    Program(
        "integer division",
        lambda a, b: [lax.div(a, b), lax.rem(a, b), a // b, a % b, a * b, a + b],
        _pairs(_INTEGERS, _INTEGERS),
    ),
    Program(
        "unsigned division",
        lambda a, b: [lax.div(a, b), lax.rem(a, b), a // b, a - b],
        _pairs(_BYTES, _BYTES),
    ),
    Program("float remainders", lambda a, b: [lax.rem(a, b), a % b, a // b], _pairs(_ODD[1:11], _ODD[6:11])),
    Program(
        "bit operations",
        lambda a, b: [a & b, a | b, a ^ b, ~a, lax.population_count(a), lax.clz(a), lax.shift_left(a, b)]
        + [lax.shift_right_logical(a, b), lax.shift_right_arithmetic(a, b)],
        _pairs(_INTEGERS, np.array([0, 1, 5, 31, 32, 33, -1], np.int32)),
    ),
    Program(
        "conversions",
        lambda x: [x.astype(each) for each in (jnp.int8, jnp.uint8, jnp.int32, jnp.uint32, bool, jnp.float16)]
        + [x.astype(jnp.bfloat16), x.astype(jnp.bfloat16).astype(jnp.int16), x.astype(jnp.complex64)],
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
        (_floats(3, 4),),
    ),
    Program(
        "reduced precision",
        lambda x: [lax.reduce_precision(x, 5, 10), lax.reduce_precision(x, 8, 7), lax.reduce_precision(x, 4, 3)],
        (np.concatenate([_ODD, _floats(20), np.float32([1e-7, 1e-3, 65504, 65520, 448, 480])]),),
    ),
    Program(
        "bfloat16",
        lambda x, y: [x + y, x * y, x / y, jnp.exp(x), x @ y.T, jnp.sum(x), jnp.max(y, 1), x > y, jnp.float32(3) * x]
        + [jnp.bfloat16(1.5) + x, jnp.array([1, 2.5, 3], jnp.bfloat16) * 2],
        (_floats(4, 5).astype(jnp.bfloat16), _floats(4, 5).astype(jnp.bfloat16)),
        1e-2,
    ),
    Program(
        "float16",
        lambda x, y: [x + y, x * y, x / y, jnp.exp(x), x @ y.T, jnp.sum(x), jnp.float16(2) ** x, jnp.sort(x)],
        (_floats(4, 5).astype(np.float16), _floats(4, 5).astype(np.float16)),
        2e-3,
    ),
    Program(
        "complex numbers",
        lambda x, y: [x * y, x / y, jnp.exp(x), jnp.abs(x), jnp.conj(y), x.real, jnp.angle(y), x @ y, jnp.sqrt(x)]
        + [x + (1 + 2j), jnp.array([1j, 2.5, jnp.inf]), x == y, lax.complex(x.real, y.imag), jnp.tanh(x), jnp.log(x)],
        (_floats(3, 3) + 1j * _floats(3, 3), _floats(3, 3) + 1j * _floats(3, 3)),
    ),
    Program("fourier", lambda x: [jnp.fft.fft(x), jnp.fft.ifft2(x), jnp.fft.rfft(x), jnp.fft.irfft(x)], (_floats(6, 8),)),
    Program(
        "shapes",
        lambda x: [x.T, x.reshape(4, 6), x[::-1], x[:, 1:3, ::2], jnp.concatenate([x, x], 1), jnp.squeeze(x[:1])]
        + [jnp.broadcast_to(x, (5, *x.shape)), jnp.stack([x, x], 1), jnp.tile(x, 2), jnp.roll(x, 1), jnp.arange(5)]
        + [jnp.eye(3), jnp.transpose(x, (1, 2, 0))],
        (_floats(2, 3, 4),),
    ),
    Program(
        "padding",
        lambda x: [lax.pad(x, 7.0, ((1, 2, 0), (0, 1, 2))), lax.pad(x, 7.0, ((-1, 2, 1), (3, -2, 0)))]
        + [jnp.pad(x, 2, mode="reflect"), lax.pad(x, 0.0, ((-1, -1, 1), (-2, 0, 1)))],
        (_floats(4, 5),),
    ),
    Program(
        "slices at places",
        lambda x, at: [lax.dynamic_slice(x, (at, at), (2, 3)), lax.dynamic_update_slice(x, x[:2, :2] * 0, (at, 0))]
        + [x[at], x.at[at].set(1.0), lax.dynamic_index_in_dim(x, -1), lax.dynamic_slice(x, (at - 9, at + 9), (2, 3))],
        (_floats(6, 5), np.int32(3)),
    ),
    Program("products", lambda x, y: [x @ y, jnp.dot(x[0], y[0]), x @ x.swapaxes(1, 2)], (_floats(3, 4, 5), _floats(3, 5, 6)), 1e-5),
    Program(
        "einsum",
        lambda x, y: [jnp.einsum("bij,bjk->bik", x, y), jnp.einsum("bij,ckj->cbik", x, x), jnp.einsum("bii->bi", x @ x.swapaxes(1, 2))]
        + [jnp.einsum("bij,bjk->", x, y), jnp.tensordot(x, y, ((2, 0), (1, 0)))],
        (_floats(3, 4, 5), _floats(3, 5, 6)),
        1e-5,
    ),
    Program(
        "integer products",
        lambda x, y: [x @ y, lax.dot(x, y, preferred_element_type=jnp.int32)],
        (_random.integers(-9, 9, (3, 4), np.int8), _random.integers(-9, 9, (4, 5), np.int8)),
    ),
    Program("convolution NHWC", _convolution(_NHWC, (2, 1), "SAME"), (_floats(2, 9, 8, 3), _floats(3, 3, 3, 4)), 1e-5),
    Program("convolution NCHW", _convolution(_NCHW, (1, 2), "VALID"), (_floats(2, 3, 9, 8), _floats(4, 3, 3, 2)), 1e-5),
    Program(
        "dilated convolution",
        _convolution(_NCHW, (1, 2), [(2, -1), (0, 3)], lhs_dilation=(2, 1), rhs_dilation=(1, 2)),
        (_floats(2, 3, 9, 8), _floats(4, 3, 3, 2)),
        1e-5,
    ),
    Program(
        "convolution in groups",
        lambda x, k, z: [
            _convolution(_NHWC, (1, 1), "SAME", feature_group_count=2)(x, k),
            _convolution(_NHWC, (1, 1), "SAME", batch_group_count=2)(x, z),
        ],
        (_floats(4, 6, 6, 4), _floats(3, 3, 2, 6), _floats(3, 3, 4, 6)),
        1e-5,
    ),
    Program(
        "gradient of a convolution",
        jax.grad(lambda k, x: jnp.sum(_convolution(_NHWC, (2, 2), "SAME")(x, k) ** 2), (0, 1)),
        (_floats(3, 3, 3, 4), _floats(2, 9, 8, 3)),
        1e-4,
    ),
    Program(
        "convolution in one dimension",
        lambda x, k: [jnp.convolve(x, k), jnp.correlate(x, k, "same"), lax.conv_transpose(x[None, :, None], k[:, None, None], (2,), "SAME")],
        (_floats(12), _floats(3)),
        1e-5,
    ),
    Program("max pool", lambda x: [_max_pool(x), _max_pool(x, 3, 2, "SAME")], (_floats(2, 8, 8, 3),)),
    Program(
        "gradient of a max pool",
        jax.grad(lambda x: jnp.sum(_max_pool(x, 3, 2, "SAME") ** 2)),
        (_floats(2, 8, 8, 3),),
    ),
    Program(
        "average pool",
        lambda x: lax.reduce_window(x, 0.0, lax.add, (1, 3, 3, 1), (1, 2, 1, 1), "SAME", (1, 2, 1, 1), (1, 1, 2, 1)),
        (_floats(2, 8, 8, 3),),
    ),
    Program(
        "any window",
        lambda x: lax.reduce_window((x, -x), (0.0, 1.0), lambda a, b: (a[0] + b[0] - a[0] * b[0], jnp.minimum(a[1], b[1])), (2,), (2,), "VALID"),
        (_floats(8),),
    ),
    Program(
        "sums",
        lambda x: [x.sum(), x.sum(1), x.prod(0), x.max((0, 2)), x.min(-1), x.mean(), x.std(0), (x > 0).any(1), (x > 0).all()]
        + [jnp.linalg.norm(x[0]), jnp.linalg.norm(x, axis=2), jnp.sum(jnp.zeros((0, 3)), 0), jnp.median(x)],
        (_floats(3, 4, 5),),
        5e-6,
    ),
    Program(
        "sums of integers",
        lambda x: [x.sum(), x.prod(), x.max(), x.astype(jnp.uint8).sum(dtype=jnp.uint8), jnp.bitwise_xor.reduce(x)],
        (_INTEGERS,),
    ),
    Program("places of extremes", lambda x: [x.argmax(), x.argmin(1), jnp.nanargmax(x, 0)], (_floats(7, 9).round(),)),
    Program(
        "any reduction",
        lambda x: lax.reduce((x, x), (0.0, 1.0), lambda a, b: (a[0] + b[0], a[1] * jnp.cos(b[1]) * 0 + a[1]), (1,)),
        (_floats(4, 6),),
    ),
    Program(
        "a reduction with a condition",
        lambda x: lax.reduce(x, 0.0, lambda a, b: lax.cond(a > b, lambda: a, lambda: b), (1,)),
        (_floats(4, 6),),
    ),
    Program(
        "cumulative",
        lambda x: [jnp.cumsum(x), jnp.cumsum(x, 1), jnp.cumprod(x, 0), lax.cummax(x, 1), lax.cumsum(x, 1, reverse=True)]
        + [lax.cumlogsumexp(x), lax.associative_scan(jnp.maximum, x)],
        (_floats(6, 7),),
        5e-6,
    ),
    Program(
        "sort",
        lambda x: [jnp.sort(x), jnp.sort(x, 0), jnp.argsort(x), jnp.argsort(x, descending=True), jnp.sort(_ODD)]
        + [lax.sort((x.round(), x, -x), num_keys=2), jnp.lexsort((x[0], x[1].round())), lax.sort(x > 0)],
        (_floats(5, 13),),
    ),
    Program("sort of complex numbers", lambda x: jnp.sort(x), (_floats(9).round() + 1j * _floats(9),)),
    Program("unique and searchsorted", lambda x: [jnp.unique(x, size=5), jnp.searchsorted(x, x)], (_INTEGERS,)),
    Program("top_k", lambda x: [lax.top_k(x, 3), jax.nn.relu(-lax.top_k(-x, 2)[0])], (_floats(4, 9).round(1),)),
    Program(
        "gather",
        lambda x, i: [x[i], x[:, i], x[i, :, i], x[..., i], x[i[:, None], i], jnp.take(x, i, 1, mode="clip")]
        + [jnp.take_along_axis(x, x.argsort(1), 1), x[jnp.array([9, -1])], jax.vmap(lambda y, j: y[j])(x[:3], i)]
        + [jnp.diagonal(x[0]), jnp.take(x, jnp.array([99]), 0, mode="fill")],
        (_floats(4, 5, 5), np.int32([2, 0, 3])),
    ),
    Program(
        "scatter",
        lambda x, i: [x.at[i].add(1), x.at[:, i].mul(2.0), x.at[i].set(x[0]), x.at[i, i].max(0.5), x.at[9].set(1)]
        + [jax.vmap(lambda y, j: y.at[j].add(2.0))(x[:3], i), x.at[i].apply(jnp.sin), x.at[i, 0].min(-1), jnp.bincount(i, length=4)]
        + [jnp.zeros(4, bool).at[i].set(True), jnp.zeros(5, jnp.bfloat16).at[i].add(1), x.at[jnp.array([2, 2])].mul(3.0)],
        (_floats(4, 5, 5), np.int32([2, 0, 2])),
    ),
    Program(
        "any scatter",
        lambda x, i: jax.ops.segment_sum(x, i, 4) + jax.ops.segment_prod(x, i, 4),
        (_floats(6), np.int32([0, 3, 0, 0, 2, 3])),
    ),
    Program("one_hot", lambda x: jax.nn.one_hot(x, 6, dtype=jnp.float32), (np.int32([1, 5, 0]),)),
    Program("gradient", jax.grad(lambda x: jnp.sum(jnp.sin(x) * x**2 / (1 + jnp.exp(x)))), (_floats(9),)),
    Program("second derivative", jax.hessian(lambda x: jnp.prod(jnp.tanh(x))), (_floats(4),)),
    Program("vmap", jax.vmap(lambda x, y: x @ y + x.sum(), (0, None)), (_floats(3, 4, 5), _floats(5, 2)), 1e-5),
    Program("scan", _scan, (_floats(20, 3),)),
    Program("gradient of a scan", jax.grad(lambda x: _scan(x)[1].sum()), (_floats(20, 3),)),
    Program("while_loop", _collatz, (np.int32(27),)),
    Program("fori_loop", lambda x: lax.fori_loop(0, 10, lambda at, y: y * 0.5 + x[at % 3], 0.0), (_floats(3),)),
    Program("conditions", _conditions, (_floats(6),)),
    Program(
        "random bits",
        lambda seed: [random.bits(random.key(seed), (7,), each) for each in (jnp.uint8, jnp.uint16, jnp.uint32)],
        (np.uint32(3),),
    ),
    Program("random floats", _by_key("normal", "uniform", "exponential", "gumbel", shape=(5, 3)), (np.uint32(4),)),
    Program("random.gamma", _by_key("cauchy", "laplace", "rademacher", shape=(5,)), (np.uint32(4),), 1e-5),
    Program(
        "random choices",
        lambda seed: [
            random.permutation(random.key(seed), 20),
            random.categorical(random.key(seed), jnp.arange(5.0), shape=(9,)),
            random.randint(random.key(seed), (9,), -5, 100),
            random.key_data(random.split(random.fold_in(random.key(seed), 3))),
            random.choice(random.key(seed), 10, (4,), replace=False),
        ],
        (np.uint32(5),),
    ),
    Program(
        "generator of bits",
        lambda state: [
            lax.rng_bit_generator(state, shape, dtype, algorithm=algorithm)
            for algorithm in (lax.RandomAlgorithm.RNG_THREE_FRY, lax.RandomAlgorithm.RNG_PHILOX, lax.RandomAlgorithm.RNG_DEFAULT)
            for shape in ((), (7,), (3, 5), (3, 4, 2))
            for dtype in (jnp.uint8, jnp.uint32)
        ],
        (np.uint32([1, 2, 3, 4]),),
    ),
    Program("random by another generator", lambda x: random.normal(random.key(7, impl="rbg"), (6,)) + x, (np.float32(0),)),
    Program("softmax", lambda x: [jax.nn.softmax(x), jax.nn.log_softmax(x, 0), jax.nn.logsumexp(x, 1)], (_floats(4, 6),)),
    Program("layer norm", _layer_norm, (_floats(4, 6), _floats(6), _floats(6))),
    Program(
        "activations",
        lambda x: [jax.nn.gelu(x), jax.nn.gelu(x, approximate=False), jax.nn.silu(x), jax.nn.softplus(x), jax.nn.elu(x)],
        (_floats(40),),
    ),
    Program(
        "special functions",
        lambda x: [lax.erf(x), lax.erfc(x), lax.erf_inv(x / 4), lax.lgamma(x), lax.digamma(x), jnp.nextafter(x, 9.0)]
        + [lax.igamma(x, 2 * x), lax.bessel_i1e(x), jax.scipy.special.zeta(x + 1, x)],
        (np.linspace(0.1, 3.9, 30, dtype=np.float32),),
        2e-5,
    ),
    Program("equations", lambda x: [jnp.linalg.inv(x @ x.T + jnp.eye(4)), jnp.linalg.cholesky(x @ x.T + jnp.eye(4))], (_floats(4, 4),), 1e-4),
    Program("checkpoint", jax.grad(jax.checkpoint(lambda x: jnp.sum(jnp.sin(jnp.sin(x))))), (_floats(5),)),
    Program("attention", lambda q, k, v: jax.nn.dot_product_attention(q, k, v, is_causal=True), tuple(_floats(2, 5, 3, 4) for _ in range(3)), 1e-5),
    Program(
        "gradient of a network of convolutions",
        jax.grad(_classify),
        ((_floats(3, 3, 1, 4), _floats(64, 3) / 8), _floats(6, 8, 8, 1), _random.integers(0, 3, 6, np.int32)),
        1e-5,
    ),
    Program("a network trained in one program", train, (PARAMETERS, X, Y), 1e-4),
    Program("no results", lambda x: [], (np.float32(1),)),
]
"""All programs."""


WIDE = [
    Program(
        "64 bits",
        lambda i, x: [i * i, i // 3, lax.div(i, i - 1), x.astype(jnp.int64), jnp.exp(x), x.sum(), jnp.sort(x), i.astype(jnp.uint64)]
        + [(x * 1e30).astype(jnp.int64), (x * 1e30).astype(jnp.uint64), lax.clz(i), lax.population_count(i), lax.shift_right_logical(i, 70)],
        (np.array([-(2**63), -5, 0, 1, 2, 2**62], np.int64), np.linspace(-3, 4, 7)),
        1e-12,
    ),
    Program("complex of 128 bits", lambda x: [x * x, jnp.exp(x), jnp.array([1j, 2]) * x[0], jnp.abs(x)], (np.array([1 + 2j, -3j]),), 1e-12),
    Program(
        "generator of 64 bits",
        lambda state: [
            lax.rng_bit_generator(state, (5, 3), jnp.uint64, algorithm=algorithm)
            for algorithm in (lax.RandomAlgorithm.RNG_THREE_FRY, lax.RandomAlgorithm.RNG_PHILOX)
        ]
        + [lax.rng_bit_generator(state, (9,), jnp.uint32), random.normal(random.key(1), (5,), jnp.float64)],
        (np.array([5, 2**64 - 2], np.uint64),),
        1e-12,
    ),
]
"""Programs that need 64 bits."""
