"""Runs programs of JAX by the interpreter of a scaffold: PYTHON pjrt_interpreter.py FOLDER, in a Python that has JAX.

Prints a line for each program: the largest difference from what JAX gives on the CPU, the time, and the name. Exits
with 1 when one of them fails.
"""

from __future__ import annotations

import sys
import timeit
import traceback
from pathlib import Path
from typing import Any

import jax
import numpy as np
from jax._src.interpreters import mlir
from jax._src.lib import _jax

sys.path[:0] = [sys.argv[1], str(Path(__file__).parent)]

import pjrt_programs  # noqa: E402
from interpreter import operation, stablehlo  # noqa: E402

_VERSION = "1.13.0"
"""The version of StableHLO that a plugin may ask for."""


def artifact(function: Any, *arguments: Any) -> bytes:
    """Return the bytes that JAX passes to a plugin, made by JAX's own function."""
    lowered = jax.jit(function, keep_unused=True).trace(*arguments).lower(lowering_platforms=("other",))
    return _jax.mlir.serialize_portable_artifact(mlir.module_to_bytecode(lowered.compiler_ir("stablehlo")), _VERSION)


def checked(translate: Any) -> Any:
    """Return a translator whose functions look at their results: each must have the type that the program says."""

    def translator(op: Any) -> Any:
        work = translate(op)
        if not callable(work):
            return work

        def function(*arguments: Any) -> Any:
            results = work(*arguments)
            for result, expected in zip(results if isinstance(results, tuple) else (results,), op.results, strict=True):
                assert result.dtype == expected.dtype, (op.name, result.dtype, expected.dtype)
            return results

        return function

    return translator


def compile_checked(code: bytes) -> Any:
    """Return a program that looks at the result of each operation."""
    usual = dict(operation.TRANSLATORS)
    operation.TRANSLATORS.update((name, checked(translate)) for name, translate in usual.items())
    try:
        return stablehlo.compile_program(code, "mlir")
    finally:
        operation.TRANSLATORS.update(usual)


def difference(result: Any, expected: Any) -> float:
    """Return the largest difference between two arrays, relative for numbers above 1."""
    expected = np.asarray(expected)
    assert (result.shape, result.dtype) == (expected.shape, expected.dtype), (result, expected)
    if result.dtype.kind in "iub":
        return float(np.any(result != expected))
    wide = np.complex128 if result.dtype.kind == "c" else np.float64
    result, expected = result.astype(wide), expected.astype(wide)
    same = (result == expected) | (np.isnan(result) & np.isnan(expected))
    with np.errstate(all="ignore"):
        distance = np.where(same, 0, np.abs(result - expected) / np.maximum(np.abs(expected), 1))
    return float(np.nan_to_num(distance, nan=np.inf).max(initial=0))


def largest(results: list[Any], expected: list[Any]) -> float:
    """Return the largest difference between several arrays."""
    return max((difference(*pair) for pair in zip(results, expected, strict=True)), default=0.0)


def microseconds(program: Any, arguments: list[Any]) -> float:
    """Return the running time of a program, in microseconds."""
    timer = timeit.Timer(lambda: program.run(arguments))
    count = max(1, min(1000, int(0.01 / timer.timeit(1))))
    return min(timer.repeat(3, count)) / count * 1e6


def run(each: pjrt_programs.Program) -> tuple[float, float]:
    """Return the largest difference of a program's results, and its time."""
    expected = jax.tree.leaves(jax.jit(each.function)(*each.arguments))
    arguments = [np.asarray(leaf) for leaf in jax.tree.leaves(each.arguments)]
    code = artifact(each.function, *each.arguments)
    program = compile_checked(code)
    assert [(x.shape, x.dtype) for x in arguments] == program.inputs
    before = [each.copy() for each in arguments]
    results = program.run(arguments)
    assert all(x.tobytes() == y.tobytes() for x, y in zip(arguments, before, strict=True))
    assert [(x.shape, x.dtype) for x in results] == program.outputs
    found = largest(results, expected)
    assert found <= each.tolerance, f"differs by {found}"
    return found, microseconds(stablehlo.compile_program(code, "mlir"), arguments)


def run_training() -> tuple[float, float]:
    """Return the same for a network that is trained in a hundred steps, each of which is one call of a program."""
    state, treedef = jax.tree.flatten(pjrt_programs.PARAMETERS)
    data = [pjrt_programs.X, pjrt_programs.Y]
    program = stablehlo.compile_program(artifact(pjrt_programs.step, pjrt_programs.PARAMETERS, *data), "mlir")
    for _ in range(100):
        *state, loss = program.run([*state, *data])
    parameters, losses = jax.jit(pjrt_programs.train)(pjrt_programs.PARAMETERS, *data)
    assert losses[-1] < losses[0] / 2
    expected = [*jax.tree.leaves(parameters), losses[-1]]
    found = largest([*state, loss], expected)
    assert found < 1e-4, f"differs by {found}"
    assert treedef == jax.tree.structure(parameters)
    return found, microseconds(program, [*state, *data])


def main() -> int:
    """Run all."""
    failed = False

    def report(name: str, function: Any, *arguments: Any) -> None:
        nonlocal failed
        try:
            found, time = function(*arguments)
            print(f"{found:8.1e} {time:8.1f} µs  {name}", flush=True)
        except Exception:
            failed = True
            print(f"FAILED: {name}", flush=True)
            traceback.print_exc()

    for each in pjrt_programs.PROGRAMS:
        report(each.name, run, each)
    report("a network trained in a hundred calls", run_training)
    jax.config.update("jax_enable_x64", True)
    for each in pjrt_programs.WIDE:
        report(each.name, run, each)
    return failed


if __name__ == "__main__":
    sys.exit(main())
