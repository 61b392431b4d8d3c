"""Options that several commands share, as decorators: how to read headers, and how to write reports."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from typing import TypeVar

import click

from abigen.cli import terminal
from abigen.cli.configuration import configure
from abigen.files import Files

R = TypeVar("R")

OPERANDS = """\b
An API is named by
  api.h           a header            REV:path   either at a git revision
  api.yaml        a spec              DIR        all headers below a directory
  api.yaml@1.2.0  a spec at a release -          standard input
"""
"""What an operand may be, for the end of a command's help."""


def reading_options(function: Callable[..., R]) -> Callable[..., R]:
    """Give a command the options that say how headers are read; it gets them as `configuration: Configuration`.

    The configuration file is read, and the names of targets are checked, before the command runs.
    """

    @click.option("-I", "includes", multiple=True, metavar="DIR", help="Look for included files here too.")
    @click.option("-D", "defines", multiple=True, metavar="NAME[=VALUE]", help="Define a macro.")
    @click.option("-U", "undefines", multiple=True, metavar="NAME", help="Undefine a macro.")
    @click.option("--std", metavar="STD", help="The C standard to read by.  [default: gnu17]")
    @click.option("--cc", metavar="CC", help="The compiler to preprocess with; `none` for abigen's own preprocessor.")
    @click.option("--abi", "targets", multiple=True, metavar="TARGET", help="Judge for this target only; repeatable.")
    @click.option("--config", metavar="FILE", help="Read this configuration.  [default: the nearest abigen.toml]")
    @click.option("--no-config", is_flag=True, help="Read no configuration.")
    @click.option("--no-cache", is_flag=True, help="Neither use nor keep what earlier runs have read.")
    @wraps(function)
    def wrapper(
        *,
        includes: tuple[str, ...],
        defines: tuple[str, ...],
        undefines: tuple[str, ...],
        std: str | None,
        cc: str | None,
        targets: tuple[str, ...],
        config: str | None,
        no_config: bool,
        no_cache: bool,
        **rest: object,
    ) -> R:
        if no_config and config is not None:
            raise click.UsageError("--config and --no-config exclude each other.")
        files = click.get_current_context().find_object(Files) or Files()
        given = {"includes": includes, "defines": defines, "undefines": undefines, "targets": targets}
        compiler = {"std": std or "", "cc": cc or ""}
        rest["configuration"] = configure({**given, **compiler}, config, files, ignored=no_config, cache=not no_cache)
        return function(**rest)

    return wrapper


def terminal_options(function: Callable[..., R]) -> Callable[..., R]:
    """Give a command `--color` and `--width`; it gets them as `colour: bool` and `width: int`, for stdout."""

    @click.option(
        "--color",
        type=click.Choice(["auto", "always", "never"]),
        default="auto",
        show_default=True,
        help="When to colour the output.",
    )
    @click.option("--width", type=click.IntRange(min=40), metavar="COLUMNS", help="Where to wrap lines.")
    @wraps(function)
    def wrapper(*, color: str, width: int | None, **rest: object) -> R:
        rest["colour"] = terminal.wants_colour(sys.stdout, color)
        rest["width"] = terminal.width_of(sys.stdout, width)
        return function(**rest)

    return wrapper


def write_result(text: str) -> None:
    """Write a result to stdout."""
    terminal.write(text, sys.stdout)
