"""Runs programs of JAX by the interpreter of a scaffold: PYTHON pjrt_interpreter.py FOLDER, in a Python that has JAX.

Prints a line for each program: the largest difference from what JAX gives on the CPU, the time, and the name.
"""

from __future__ import annotations

import sys
import timeit
from pathlib import Path
from typing import Any

import jax
import numpy as np
from jax._src.interpreters import mlir
from jax._src.lib import _jax

sys.path[:0] = [sys.argv[1], str(Path(__file__).parent)]

import pjrt_programs
from interpreter import operation, stablehlo

VERSION = "1.13.0"
"""The version of StableHLO that a plugin may ask for."""


def artifact(function: Any, *arguments: Any) -> bytes:
    """What JAX gives to a plugin: it makes the bytes with the same function."""
    lowered = jax.jit(function).trace(*arguments).lower(lowering_platforms=("other",))
    return _jax.mlir.serialize_portable_artifact(mlir.module_to_bytecode(lowered.compiler_ir("stablehlo")), VERSION)


def checked(translate: Any) -> Any:
    """A translator whose functions look at their results: each has the type that the program says."""

    def translator(op: Any) -> Any:
        work = translate(op)
        if not callable(work):
            return work

        def function(*arguments: Any) -> Any:
            results = work(*arguments)
            all_results = results if isinstance(results, tuple) else (results,)
            for result, expected in zip(all_results, op.results, strict=True):
                assert result.dtype == expected.dtype, (op.name, result.dtype, expected.dtype)
            return results

        return function

    return translator


def difference(result: Any, expected: Any) -> float:
    """The largest difference between two arrays, relative to the size of numbers above 1."""
    result, expected = np.asarray(result), np.asarray(expected)
    assert (result.shape, result.dtype) == (expected.shape, expected.dtype), (result, expected)
    if result.dtype.kind not in "fcV" and result.dtype.name != "bfloat16":
        return float(np.any(result != expected))
    wide = np.complex128 if result.dtype.kind == "c" else np.float64
    result, expected = result.astype(wide), expected.astype(wide)
    same = (result == expected) | (np.isnan(result) & np.isnan(expected))
    with np.errstate(all="ignore"):
        distance = np.where(same, 0, np.abs(result - expected) / np.maximum(np.abs(expected), 1))
    return float(np.nan_to_num(distance, nan=np.inf).max(initial=0))


def run(each: pjrt_programs.Program) -> None:
    """Run a program and print a line about it."""
    compiled = jax.jit(each.function).lower(*each.arguments).compile()
    expected = jax.tree.leaves(compiled(*each.arguments))
    code = artifact(each.function, *each.arguments)
    leaves = [np.asarray(leaf) for leaf in jax.tree.leaves(each.arguments)]
    usual = dict(operation.TRANSLATORS)
    operation.TRANSLATORS.update((name, checked(translate)) for name, translate in usual.items())
    try:
        with_checks = stablehlo.compile_program(code, "mlir")
    finally:
        operation.TRANSLATORS.update(usual)
    leaves = [leaf for leaf, _ in zip(leaves, with_checks.inputs, strict=False)] if len(with_checks.inputs) < len(leaves) else leaves
    results = with_checks.run(leaves)
    assert [(x.shape, x.dtype) for x in results] == with_checks.outputs
    found = max(map(difference, results, expected), default=0.0)
    program = stablehlo.compile_program(code, "mlir")
    times = timeit.Timer(lambda: program.run(leaves))
    count, _ = times.autorange() if len(sys.argv) > 2 else (1, 0)
    time = min(times.repeat(3, count)) / count * 1e6
    verdict = "" if found <= each.tolerance else " WRONG"
    print(f"{found:.1e} {time:9.1f} µs  {each.name}{verdict}", flush=True)


def main() -> None:
    for each in pjrt_programs.PROGRAMS:
        try:
            run(each)
        except Exception as error:
            import traceback; traceback.print_exc()
            print("FAIL", each.name, repr(error)[:300])
    jax.config.update("jax_enable_x64", True)
    for each in pjrt_programs.WIDE:
        try:
            run(each)
        except Exception as error:
            import traceback; traceback.print_exc()
            print("FAIL", each.name, repr(error)[:300])


main()
