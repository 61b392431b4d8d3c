"""`abigen skew OLD NEW` for two headers: what `abigen diff` finds, shown by programs that are built from both."""

from __future__ import annotations

import subprocess
import tempfile
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from abigen.cli import terminal
from abigen.cli.configuration import Configuration
from abigen.model.span import AbigenError

if TYPE_CHECKING:
    from abigen.skew.programs import Toolchain
    from abigen.skew.witness_report import WitnessReport


def witnesses_of(
    operands: tuple[str, str], keep: Path | None, emulator: str, configuration: Configuration
) -> WitnessReport:
    """Compare two headers, and run a program for each finding about bytes.

    Args:
        operands: OLD and NEW.
        keep: where to leave the programs; None for nowhere.
        emulator: what runs programs of the compiler.
        configuration: how headers are read, and by which policy they are judged.

    Raises:
        AbigenError: a header cannot be read, or programs cannot be built or run.
    """
    from abigen.check.compare import compare
    from abigen.cli.specs import templates_of
    from abigen.model.layout import Layouts
    from abigen.model.target import find_target
    from abigen.read.load import load_all
    from abigen.read.own_trees import options_of_sides
    from abigen.skew.programs import find_toolchain
    from abigen.skew.witness import Witnesses
    from abigen.skew.witness_headers import headers_of
    from abigen.skew.witness_report import WitnessReport

    asked = configuration.options
    compiler = "" if asked.cc in (None, "none") else asked.cc or ""
    tools = find_toolchain(compiler, emulator)
    target = _target(tools, asked.targets)
    options = options_of_sides(operands, replace(asked, targets=(target,), cc=None), ((), ()))
    templates = templates_of(None, asked.files)
    render = partial(templates.render, filters={})
    with terminal.progress() as announce, ExitStack() as stack:
        old, new = load_all(operands, options, announce)
        verdict = compare(old, new, configuration.policy(None))
        layouts = tuple(Layouts(each.for_target(target), find_target(target)) for each in (old, new))
        sides = zip(operands, ("old", "new"), options, (old, new), strict=True)
        headers = [headers_of(*each) for each in sides]
        folder = keep.absolute() if keep else Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="abigen-")))
        renamed = {before: after for after, before in verdict.renamed.items()}
        found = Witnesses(tools, folder, render, announce).of(
            verdict.findings, (layouts[0], layouts[1]), renamed, (headers[0], headers[1])
        )
    return WitnessReport(*operands, target, tools, found, str(keep or ""), render)


def _target(tools: Toolchain, asked: tuple[str, ...]) -> str:
    """The target that a compiler builds for, as far as it says so and abigen knows it."""
    from abigen.model.target import find_target

    if len(asked) == 1:
        return asked[0]
    done = subprocess.run([*tools.compiler, "-dumpmachine"], capture_output=True, text=True, timeout=60, check=False)
    name = done.stdout.strip()
    if "-m32" in tools.compiler:
        name = name.replace("x86_64", "i686")
    try:
        return find_target(name).name
    except AbigenError as error:
        message = f"{tools.compiler[0]} builds for `{name}`, which abigen does not know"
        raise AbigenError.at(None, message, "name the target that comes near: --abi TARGET") from error
