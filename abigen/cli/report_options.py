"""`--format`, `--output`, `--fail-on` and their like, for every command that has findings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

import click

from abigen.cli.reports import Answer, Output
from abigen.report.formats import format_names

if TYPE_CHECKING:
    from abigen.cli.configuration import Configuration

R = TypeVar("R")


def report_options(*, fail_on: Sequence[str]) -> Callable[[Callable[..., R]], Callable[..., R]]:
    """Give a command the options about its report; it gets them as `output: Output`.

    Args:
        fail_on: what `--fail-on` may be; the first is the default.
    """

    def decorate(function: Callable[..., R]) -> Callable[..., R]:
        from functools import wraps

        @click.option(
            "--format", "format_name", type=click.Choice(format_names()), default="text", show_default=True,
            help="How to write the report to stdout.",
        )  # fmt: skip
        @click.option(
            "--output", "paths", multiple=True, metavar="FORMAT=PATH", callback=split_paths,
            help="Write a report to a file besides; repeatable.",
        )  # fmt: skip
        @click.option(
            "--fail-on", type=click.Choice(fail_on), default=fail_on[0], show_default=True,
            help="What makes the exit code 1: a bump or a level, or anything above.",
        )  # fmt: skip
        @click.option(
            "--policy", metavar="NAME",
            help="What to judge by: default, binary-only or strict.  [default: the configuration's]",
        )  # fmt: skip
        @click.option("--strict", "policy", flag_value="strict", help="The same as --policy strict.")
        @click.option("--explain-config", is_flag=True, help="Say what is set, and where; do nothing else.")
        @click.option("-q", "--quiet", is_flag=True, help="Write nothing to stdout; the exit code tells.")
        @click.option("--summary", is_flag=True, help="Only the last line of the report.")
        @wraps(function)
        def wrapper(
            *,
            format_name: str,
            paths: tuple[tuple[str, str], ...],
            fail_on: str,
            policy: str | None,
            explain_config: bool,
            quiet: bool,
            summary: bool,
            **rest: object,
        ) -> R:
            rest["output"] = Output(
                format=format_name,
                paths=paths,
                fail_on=fail_on,
                policy=policy,
                explain_config=explain_config,
                quiet=quiet,
                summary=summary,
            )
            return function(**rest)

        return wrapper

    return decorate


def explain_configuration(output: Output, configuration: Configuration) -> Answer:
    """Where every setting comes from, and what it is.

    Raises:
        AbigenError: there is no such policy.
    """
    from abigen.cli.explanation import explain
    from abigen.report.configuration import explanation_json, explanation_text

    if output.format not in ("text", "json"):
        raise click.UsageError("--explain-config writes text or json.")
    render = explanation_json if output.format == "json" else explanation_text
    return Answer(render(explain(configuration, output.policy)))


def split_paths(
    context: click.Context, option: click.Parameter, values: tuple[str, ...]
) -> tuple[tuple[str, str], ...]:
    """Take `FORMAT=PATH` apart."""
    pairs = []
    for value in values:
        name, equals, path = value.partition("=")
        if not equals or not path:
            raise click.BadParameter(f"'{value}' is not FORMAT=PATH.", context, option)
        if name not in format_names():
            raise click.BadParameter(f"'{name}' is not one of {', '.join(format_names())}.", context, option)
        pairs.append((name, path))
    return tuple(pairs)
