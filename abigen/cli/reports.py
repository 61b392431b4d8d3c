"""Where reports go: `--format`, `--output`, `--fail-on` and their like, for every command that has findings."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, TypeVar

import click

from abigen.cli import terminal
from abigen.cli.options import warnings_of
from abigen.model.dataclass import dataclass
from abigen.model.finding import Bump, Finding, Level
from abigen.model.span import AbigenError
from abigen.report.formats import Format, find_format, format_names
from abigen.report.subject import Style

if TYPE_CHECKING:
    from abigen.cli.configuration import Configuration
    from abigen.model.manual import Page
    from abigen.read.evidence import Evidence
    from abigen.read.load import Loaded

R = TypeVar("R")

_LOUDNESS = [Level.NOTE, Level.WARNING, Level.ERROR]


@dataclass(frozen=True, kw_only=True)
class Output:
    """What the user wants to see."""

    format: str
    paths: tuple[tuple[str, str], ...]
    """Formats and the files to write them to."""
    fail_on: str
    policy: str | None
    """What the command line says of it."""
    explain_config: bool
    quiet: bool
    summary: bool

    def write(self, render: Callable[[Format, Style | None], str]) -> str:
        """Write the files, and make the text for stdout.

        Args:
            render: makes the report in a format; with a style for files, without one for the terminal.

        Returns:
            The report for stdout, empty with `--quiet`.

        Raises:
            AbigenError: a file cannot be written.
        """
        for name, path in self.paths:
            _write_file(path, render(find_format(name), Style(summary=self.summary)))
        return "" if self.quiet else render(find_format(self.format), None)


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


def deliver(
    arguments: list[str],
    output: Output,
    text: str,
    code: int,
    loaded: Sequence[Loaded],
    configuration: Configuration,
) -> int:
    """Write a command's answer, remarks of the readers first, and remember it for when it is asked again.

    Args:
        arguments: the command line.
        output: what the user wants to see; an answer that writes files is not remembered.
        text: for stdout.
        code: the exit code.
        loaded: what the answer rests on, besides the command line.
        configuration: how it was read and judged.

    Returns:
        The exit code.
    """
    remarks = warnings_of(each.api for each in loaded)
    terminal.write(remarks, sys.stderr)
    terminal.write(text, sys.stdout)
    evidence: Evidence = {}
    for found in (configuration.evidence, *(each.evidence for each in loaded)):
        if found is None:
            return code
        evidence |= found
    if configuration.options.cache and not output.paths:
        from abigen.cli.replay import keep

        keep(arguments, text, remarks, code, evidence)
    return code


def explain_configuration(output: Output, configuration: Configuration) -> int:
    """Write where every setting comes from, and what it is, to stdout.

    Returns:
        The exit code.

    Raises:
        AbigenError: there is no such policy.
    """
    from abigen.cli.explanation import explain
    from abigen.report.configuration import explanation_json, explanation_text

    if output.format not in ("text", "json"):
        raise click.UsageError("--explain-config writes text or json.")
    render = explanation_json if output.format == "json" else explanation_text
    terminal.write(render(explain(configuration, output.policy)), sys.stdout)
    return 0


def manual() -> Sequence[Page]:
    """The manual, for reports that carry it."""
    from abigen.check.manual import pages

    return pages()


def fails(findings: Iterable[Finding], threshold: str) -> bool:
    """Whether a finding is at or above a threshold.

    Args:
        findings: all of them.
        threshold: a bump (`major`, `minor`, `patch`), a level (`error`, `warning`, `note`), or `never`.
    """
    if threshold == "never":
        return False
    if threshold in ("major", "minor", "patch"):
        return any(finding.bump.rank >= Bump(threshold).rank for finding in findings)
    return any(_LOUDNESS.index(finding.level) >= _LOUDNESS.index(Level(threshold)) for finding in findings)


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


def _write_file(path: str, text: str) -> None:
    """Put a report in place as a whole."""
    content = text.encode("utf-8", "backslashreplace")
    folder, name = os.path.split(path)
    temporary = os.path.join(folder, f".{name}.{os.getpid()}.tmp")
    replaceable = os.path.isfile(path) or not os.path.exists(path)  # /dev/stdout and the like cannot be replaced
    try:
        with open(temporary if replaceable else path, "wb") as file:
            file.write(content)
        if replaceable:
            os.replace(temporary, path)
    except OSError as error:
        if os.path.exists(temporary):
            os.unlink(temporary)
        raise AbigenError.at(None, f"{path} cannot be written: {error.strerror}") from None
