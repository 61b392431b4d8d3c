"""Where reports go, and what they make of the exit code, for every command that has findings."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from abigen.cli import terminal
from abigen.files import Files
from abigen.model.finding import Bump, Finding, Level
from abigen.model.span import AbigenError
from abigen.report.formats import Format, find_format
from abigen.report.subject import Style
from abigen.result_cache import remember

if TYPE_CHECKING:
    from abigen.model.finding import Page

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


@dataclass(frozen=True)
class Answer:
    """What a command has to say."""

    output: str
    """For stdout."""
    remarks: str = ""
    """For stderr, written first."""
    code: int = 0
    """The exit code."""


class StoredCommand(click.Command):
    """A command that gives an `Answer`, which is written; asked again, the answer of an earlier run is, if it holds."""

    def invoke(self, ctx: click.Context) -> int:
        """Answer, and give the exit code."""
        key = ["answer", ctx.command_path, repr(sorted(ctx.params.items())), terminal.describe()]
        run = super().invoke
        if ctx.params["no_cache"] or ctx.params["paths"]:  # files are to be written each time
            answer: Answer = run(ctx)
        else:
            answer = remember(key, lambda: run(ctx), [Answer], ctx.ensure_object(Files))
        terminal.write(answer.remarks, sys.stderr)
        terminal.write(answer.output, sys.stdout)
        return answer.code


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
