"""Programs in JAX that a device has to run: what each one gives is compared with what JAX gives on the CPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax, random
from jax.sharding import AxisType, NamedSharding, PartitionSpec
from pjrt_operations import NHWC, OPERATIONS, Program, convolution, floats, max_pool

# ruff: noqa: E731


_MESH = jax.make_mesh((1,), ("a",), axis_types=(AxisType.Auto,), devices=jax.devices()[:1])
_ONE_DEVICE = NamedSharding(_MESH, PartitionSpec("a"))


def _layer_norm(x: jax.Array, gain: jax.Array, offset: jax.Array) -> jax.Array:
    mean = x.mean(-1, keepdims=True)
    return (x - mean) * lax.rsqrt(x.var(-1, keepdims=True) + 1e-5) * gain + offset


def _scan(x: jax.Array) -> Any:
    return lax.scan(lambda carry, each: (carry * 0.9 + each, jnp.tanh(carry)), jnp.zeros(3), x)


def _collatz(x: jax.Array) -> Any:
    step = lambda state: (jnp.where(state[0] % 2 == 0, state[0] // 2, 3 * state[0] + 1), state[1] + 1)
    return lax.while_loop(lambda state: state[0] != 1, step, (x, 0))


def _fill(x: jax.Array) -> Any:
    both = lambda at, state: (lax.dynamic_update_slice(state[0], state[1][:1] + 1, (at, 0)), state[0])
    inner = lambda carry, row: (carry + 1, lax.scan(lambda d, each: (d + each, (d * carry, d)), carry, row))
    return [
        lax.fori_loop(0, 5, both, (x, x)),
        lax.fori_loop(0, 6, lambda at, y: y.at[at].set(y[at] * 2), x),
        lax.fori_loop(0, 6, lambda at, y: lax.dynamic_update_slice(y, x[at][None] * 2, (at, 0)), x),
        lax.scan(inner, 1.0, x),
        lax.while_loop(lambda y: y[0, 0] < 9, lambda y: lax.dynamic_update_slice(y, y[:1] + 1, (0, 0)), x),
        x,
    ]


def _conditions(x: jax.Array) -> Any:
    return [
        lax.cond(x[0] > 0, lambda y: y + 1, lambda y: y * x[1], x),
        lax.switch(7, [jnp.sin, jnp.cos, jnp.exp], x),
        jax.vmap(lambda y: lax.cond(y > 0, jnp.sin, jnp.cos, y))(x),
    ]


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


PARAMETERS = [(floats(2, 16), np.zeros(16, np.float32)), (floats(16, 1) / 4, np.zeros(1, np.float32))]
X = floats(32, 2)
Y = (X[:, :1] * X[:, 1:]).astype(np.float32)


def _classify(parameters: Any, x: jax.Array, labels: jax.Array) -> jax.Array:
    kernel, weights = parameters
    seen = jax.nn.relu(convolution(NHWC, (1, 1), "SAME")(x, kernel))
    logits = jax.nn.log_softmax(max_pool(seen).reshape(len(x), -1) @ weights)
    return -jnp.mean(jnp.sum(jax.nn.one_hot(labels, 3) * logits, -1))


def _by_key(*names: str, **options: Any) -> Callable[[Any], Any]:
    return lambda seed: [getattr(random, name)(random.key(seed), **options) for name in names]


PROGRAMS = [
    *OPERATIONS,
    Program("one_hot", lambda x: jax.nn.one_hot(x, 6, dtype=jnp.float32), (np.int32([1, 5, 0]),)),
    Program("gradient", jax.grad(lambda x: jnp.sum(jnp.sin(x) * x**2 / (1 + jnp.exp(x)))), (floats(9),)),
    Program("second derivative", jax.hessian(lambda x: jnp.prod(jnp.tanh(x))), (floats(4),)),
    Program("vmap", jax.vmap(lambda x, y: x @ y + x.sum(), (0, None)), (floats(3, 4, 5), floats(5, 2)), 1e-5),
    Program("scan", _scan, (floats(20, 3),)),
    Program("gradient of a scan", jax.grad(lambda x: _scan(x)[1].sum()), (floats(20, 3),)),
    Program("while_loop", _collatz, (np.int32(27),)),
    Program("fori_loop", lambda x: lax.fori_loop(0, 10, lambda at, y: y * 0.5 + x[at % 3], 0.0), (floats(3),)),
    Program("loops that fill arrays", _fill, (floats(6, 3),)),
    Program("conditions", _conditions, (floats(6),)),
    Program(
        "random bits",
        lambda seed: [random.bits(random.key(seed), (7,), each) for each in (jnp.uint8, jnp.uint16, jnp.uint32)],
        (np.uint32(3),),
    ),
    Program("random floats", _by_key("normal", "uniform", "exponential", "gumbel", shape=(5, 3)), (np.uint32(4),)),
    Program("more distributions", _by_key("cauchy", "laplace", "rademacher", shape=(5,)), (np.uint32(4),), 1e-5),
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
            for algorithm in (
                lax.RandomAlgorithm.RNG_THREE_FRY,
                lax.RandomAlgorithm.RNG_PHILOX,
                lax.RandomAlgorithm.RNG_DEFAULT,
            )
            for shape in ((), (7,), (3, 5), (3, 4, 2))
            for dtype in (jnp.uint8, jnp.uint32)
        ],
        (np.uint32([1, 2, 3, 4]),),
    ),
    Program(
        "random by another generator", lambda x: random.normal(random.key(7, impl="rbg"), (6,)) + x, (np.float32(0),)
    ),
    Program(
        "softmax", lambda x: [jax.nn.softmax(x), jax.nn.log_softmax(x, 0), jax.nn.logsumexp(x, 1)], (floats(4, 6),)
    ),
    Program("layer norm", _layer_norm, (floats(4, 6), floats(6), floats(6))),
    Program(
        "activations",
        lambda x: [
            jax.nn.gelu(x),
            jax.nn.gelu(x, approximate=False),
            jax.nn.silu(x),
            jax.nn.softplus(x),
            jax.nn.elu(x),
        ],
        (floats(40),),
    ),
    Program(
        "special functions",
        lambda x: (
            [
                lax.erf(x),
                lax.erfc(x),
                lax.erf_inv(x / 4),
                lax.lgamma(x),
                lax.digamma(x),
                jnp.nextafter(x, 9.0),
                lax.igamma(x, 2 * x),
                lax.bessel_i1e(x),
                jax.scipy.special.zeta(x + 1, x),
            ]
        ),
        (np.linspace(0.1, 3.9, 30, dtype=np.float32),),
        2e-5,
    ),
    Program(
        "equations",
        lambda x: (
            [f(x @ x.T + jnp.eye(4)) for f in (jnp.linalg.inv, jnp.linalg.det, jnp.linalg.cholesky)]
            + [jnp.linalg.cholesky(-jnp.eye(2)), jnp.linalg.qr(x), jnp.linalg.solve(jnp.stack([x, x.T]), x)]
        ),
        (floats(4, 4),),
        1e-4,
    ),
    Program("a sharding", lambda x: lax.with_sharding_constraint(x, _ONE_DEVICE) + 1, (floats(4),)),
    Program(
        "shard_map",
        lambda x: jax.shard_map(
            lambda y: lax.psum(y, "a") + lax.axis_index("a"),
            mesh=_MESH,
            in_specs=PartitionSpec("a"),
            out_specs=PartitionSpec("a"),
        )(x),
        (floats(4),),
    ),
    Program("checkpoint", jax.grad(jax.checkpoint(lambda x: jnp.sum(jnp.sin(jnp.sin(x))))), (floats(5),)),
    Program(
        "attention",
        lambda q, k, v: jax.nn.dot_product_attention(q, k, v, is_causal=True),
        tuple(floats(2, 5, 3, 4) for _ in range(3)),
        1e-5,
    ),
    Program(
        "gradient of a network of convolutions",
        jax.grad(_classify),
        ((floats(3, 3, 1, 4), floats(64, 3) / 8), floats(6, 8, 8, 1), np.arange(6, dtype=np.int32) % 3),
        1e-5,
    ),
    Program("a network trained in one program", train, (PARAMETERS, X, Y), 1e-4),
    Program("no results", lambda x: [], (np.float32(1),)),
]
"""The programs."""


WIDE = [
    Program(
        "64 bits",
        lambda i, x: (
            [
                i * i,
                i // 3,
                lax.div(i, i - 1),
                x.astype(jnp.int64),
                jnp.exp(x),
                x.sum(),
                jnp.sort(x),
                i.astype(jnp.uint64),
                (x * 1e30).astype(jnp.int64),
                (x * 1e30).astype(jnp.uint64),
                lax.clz(i),
                lax.population_count(i),
                lax.shift_right_logical(i, 70),
            ]
        ),
        (np.array([-(2**63), -5, 0, 1, 2, 2**62], np.int64), np.linspace(-3, 4, 7)),
        1e-12,
    ),
    Program(
        "complex of 128 bits",
        lambda x: [x * x, jnp.exp(x), jnp.array([1j, 2]) * x[0], jnp.abs(x)],
        (np.array([1 + 2j, -3j]),),
        1e-12,
    ),
    Program(
        "generator of 64 bits",
        lambda state: (
            [
                lax.rng_bit_generator(state, (5, 3), jnp.uint64, algorithm=algorithm)
                for algorithm in (lax.RandomAlgorithm.RNG_THREE_FRY, lax.RandomAlgorithm.RNG_PHILOX)
            ]
            + [lax.rng_bit_generator(state, (9,), jnp.uint32), random.normal(random.key(1), (5,), jnp.float64)]
        ),
        (np.array([5, 2**64 - 2], np.uint64),),
        1e-12,
    ),
]
"""Programs that need 64 bits."""
