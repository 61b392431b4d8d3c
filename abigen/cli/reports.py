"""Writes reports, and computes the exit code of every command that has findings."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from abigen.checker.report.formats import render, shows_fixes
from abigen.checker.report.subject import Report, Style
from abigen.cli import terminal
from abigen.model.finding import Fix
from abigen.model.span import AbigenError
from abigen.workspace.files import Files, put_in_place
from abigen.workspace.result_cache import remember

if TYPE_CHECKING:
    from abigen.checker.report.subject import Selection
    from abigen.model.api import ApiSet
    from abigen.model.finding import Finding, Page


class Answer(msgspec.Struct, frozen=True):
    """The output of a command and its exit code."""

    output: str
    """For stdout."""
    remarks: str = ""
    """For stderr, written first."""
    code: int = 0
    """The exit code."""
    fixes: tuple[Fix, ...] = ()
    """The edits that the user wants to be made."""
    sources: Mapping[str, str] = {}
    """The texts that they are about, by file name."""

    def write(self) -> int:
        """Write it; gives the exit code."""
        terminal.say(self.remarks, sys.stderr)
        terminal.write(self.output)
        return self.code


class StoredCommand(click.Command):
    """A command that gives an `Answer`, which is written; asked again, the answer of an earlier run is, if it holds."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Show the options in groups, those of the command itself first."""
        groups: dict[str, list[tuple[str, str]]] = {"Options": []}
        for option in self.get_params(ctx):
            if isinstance(option, click.Option) and (record := option.get_help_record(ctx)):
                groups.setdefault(getattr(option, "group", "Options"), []).append(record)
        for title, records in groups.items():
            with formatter.section(title):
                formatter.write_dl(records)

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: object
    ) -> click.Context:
        """Parse arguments, and keep them: the command runs again after fixes."""
        given = list(args)
        context = super().make_context(info_name, args, parent, **extra)
        context.meta[_ARGUMENTS] = given
        return context

    def invoke(self, ctx: click.Context) -> int:
        """Answer, and give the exit code."""
        if ctx.params.get("fix"):
            return self._fix(ctx)
        key = ["answer", ctx.command_path, repr(sorted(ctx.params.items())), terminal.describe()]
        run = super().invoke
        if ctx.params["no_cache"] or ctx.params["paths"]:  # files are to be written each time
            answer: Answer = run(ctx)
        else:
            answer = remember(key, lambda: run(ctx), Answer, ctx.ensure_object(Files))
        return answer.write()

    def _fix(self, ctx: click.Context) -> int:
        """Make the fixes of the report, report again what is left, and so on; gives the exit code."""
        from abigen.cli.fixing import write_fixes

        remarks: list[str] = []
        for rounds_left in reversed(range(_MOST_ROUNDS)):
            with ctx:
                answer: Answer = super().invoke(ctx)
            if not rounds_left:
                break
            made, lines = write_fixes(answer.fixes, answer.sources)
            remarks += (line for line in lines if line not in remarks)
            if not made:
                break
            ctx = self.make_context(ctx.info_name, list(ctx.meta[_ARGUMENTS]), ctx.parent, obj=Files())
        if not ctx.params["quiet"]:
            terminal.say("".join(f"abigen: {line}\n" for line in remarks), sys.stderr)
        return answer.write()


_ARGUMENTS = "abigen.arguments"
_MOST_ROUNDS = 10
"""A fix may lead to another finding with a fix, as a moved member to its size constant."""


class ReportOutput(msgspec.Struct, frozen=True, kw_only=True):
    """The options of the user that choose the output."""

    format: str
    paths: tuple[tuple[str, str], ...]
    """Formats and the files to write them to."""
    fail_on: str
    policy: str | None = None
    """The options as the command line states them."""
    explain_config: bool = False
    fix: bool = False
    unsafe_fixes: bool = False
    quiet: bool
    selection: Selection
    style: Style
    """For stdout; files have neither colours nor the terminal's width."""

    @property
    def needs_fixes(self) -> bool:
        """True if the edits that remove findings are made or shown."""
        names = [name for name, _ in self.paths] if self.quiet else [self.format, *(name for name, _ in self.paths)]
        return self.fix or any(shows_fixes(name, self.style) for name in names)

    def answer(self, reports: Sequence[Report], apis: Iterable[ApiSet]) -> Answer:
        """Write the files, and make what the command has to say.

        Args:
            reports: what was found.
            apis: what was read.

        Raises:
            AbigenError: a file cannot be written.
        """
        shown = [self.selection.of(each) for each in reports]
        for name, path in self.paths:
            style = Style(everything=self.style.everything, folder=self.style.folder)
            write_file(Path(path), render(name, shown, style))
        text = "" if self.quiet else render(self.format, shown, self.style)
        if self.fail_on == "declared":
            failed = not all(report.ok for report in reports)
        else:
            failed = any(fails(report.findings, self.fail_on) or self._is_gap(report) for report in reports)
        fixes = tuple(fix for each in shown for fix in each.fixes(unsafe=self.unsafe_fixes)) if self.fix else ()
        files = {edit.file for fix in fixes for edit in fix.edits}
        sources = {name: text for report in shown for name, text in report.editable.items() if name in files}
        return Answer(text, terminal.warnings_of(apis), int(failed), fixes, sources)

    def _is_gap(self, report: Report) -> bool:
        """True if a check of a plugin was not run although what it is about is there, and that is to fail."""
        from abigen.model.finding import NOT_RUN

        runs = report.runs if self.fail_on == "not-run" else ()
        return any(run.result == NOT_RUN and not run.inapplicable for run in runs)


def fails(findings: Iterable[Finding], threshold: str) -> bool:
    """True if a finding is at or above a threshold.

    Args:
        findings: all of them.
        threshold: a bump (`major`, `minor`, `patch`), a level (`error`, `warning`, `note`), `never`, or `not-run`,
            which is about errors here.
    """
    from abigen.model.finding import Bump, Level

    if threshold == "never":
        return False
    if threshold in ("major", "minor", "patch"):
        return any(finding.bump.rank >= Bump(threshold).rank for finding in findings)
    loudness = [Level.NOTE, Level.WARNING, Level.ERROR]
    least = Level.ERROR if threshold == "not-run" else Level(threshold)
    return any(loudness.index(finding.level) >= loudness.index(least) for finding in findings)


def manual() -> Sequence[Page]:
    """Return the manual of the rules about APIs, for reports that carry it."""
    from abigen.checker.compare import pages

    return pages()


def whole_manual() -> tuple[Page, ...]:
    """Return every page, by code: of the rules about APIs, and of the checks of plugins and hosts."""
    from abigen.runner.apis import shipped_checks
    from abigen.runner.verify.hosts import HOST_PAGES

    checks = (check.page for check in shipped_checks())
    return tuple(sorted((*manual(), *checks, *HOST_PAGES), key=lambda page: page.code))


def write_file(path: Path, text: str) -> None:
    """Write a report, as a whole where it is a file; /dev/stdout and the like cannot be replaced."""
    content = text.encode("utf-8", "backslashreplace")
    try:
        if path.is_file() or not path.exists():
            put_in_place(path, content)
        else:
            path.write_bytes(content)
    except OSError as error:
        raise AbigenError.at(None, f"{path} cannot be written: {error.strerror}") from None
