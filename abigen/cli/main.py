"""The `abigen` command: finds its subcommands as files of this folder, and turns failures into messages and exit codes.

A subcommand `x-y` is a module `x_y.py` with a function `command`, a command of click; it exists by standing here. The
first line of the module is its line in `abigen --help`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from functools import cached_property
from importlib import import_module
from pathlib import Path

import click

from abigen import __version__
from abigen.cli.terminal import UNANSWERABLE, guarded, tell
from abigen.files import Files
from abigen.model.printable import printable
from abigen.model.span import did_you_mean

_EXAMPLES = """\b
Examples:
  abigen diff old.h new.h             judge what changed between two headers
  abigen diff HEAD~1:./api.h api.h    the same against an earlier commit
  abigen lint api.h                   look for flaws in one header
  abigen layout api.h                 show sizes, offsets and padding
  abigen build                        write what spec/ describes to generated/

\b
Exit codes: 0 fine; 1 findings; 2 the question could not be answered.
"""


class Commands(click.Group):
    """The subcommands, each imported when it is called."""

    @cached_property
    def _summaries(self) -> dict[str, str]:
        """Name of each subcommand to its line in the help; importing them all would take longer than the help may."""
        texts = {path.stem: path.read_text(encoding="utf-8") for path in sorted(Path(__file__).parent.glob("*.py"))}
        found = {name: text for name, text in texts.items() if "\ndef command(" in text}
        return {name.replace("_", "-"): text.partition("\n")[0].strip('".') for name, text in found.items()}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names of all subcommands, sorted."""
        return list(self._summaries)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the subcommands with their lines."""
        lines = {name: click.Command(name, short_help=summary) for name, summary in self._summaries.items()}
        click.Group(commands=lines).format_commands(ctx, formatter)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a subcommand; None when there is none of this name."""
        if cmd_name not in self._summaries:
            return None
        command: click.Command = import_module(f"{__package__}.{cmd_name.replace('-', '_')}").command
        command.short_help = self._summaries[cmd_name]
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the subcommand that a command line names, or suggest one."""
        name = args[0]
        if not name.startswith("-") and name not in self._summaries:
            raise click.UsageError(f"No such command '{name}'.{_suggestion(name, self.list_commands(ctx))}", ctx)
        return super().resolve_command(ctx, args)


@click.command(
    cls=Commands,
    epilog=_EXAMPLES,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="abigen", message="%(prog)s %(version)s")
def commands() -> None:
    """Generate C plugin APIs from specs, and judge changes to them: who breaks, and which version bump is required."""


def run(arguments: list[str]) -> int:
    """Run a command line.

    Args:
        arguments: without the program's name.

    Returns:
        The exit code: 0 fine, 1 findings, 2 the question could not be answered.
    """
    return guarded(lambda: _invoke(arguments))


def _invoke(arguments: list[str]) -> int:
    """Parse and run; not by click's `main`, which has exit codes of its own for closed pipes and interruptions."""
    if os.environ.get("_ABIGEN_COMPLETE"):
        commands.main(arguments, prog_name="abigen")  # a shell asks for completions
    try:
        _refuse_ambiguous(arguments)
        with commands.make_context("abigen", arguments or ["--help"], obj=Files()) as context:
            code = commands.invoke(context)
            sys.stdout.flush()
            return int(code or 0)
    except click.exceptions.Exit as request:
        return request.exit_code
    except click.ClickException as error:
        return _report_misuse(error)


def _refuse_ambiguous(arguments: list[str]) -> None:
    """Refuse an argument that is both an option and the name of a file.

    Hooks and shells hand on names of files that somebody else has chosen: a file `--cc=./x.h` would name a compiler.
    """
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    for argument in options:
        if argument.startswith("-") and argument != "-" and os.path.lexists(argument):
            raise click.UsageError(
                f"'{argument}' is an option and a file: write './{argument}', or put '--' before it."
            )


def _report_misuse(error: click.ClickException) -> int:
    """Print what is wrong with the command line, and where its help is."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    program = context.command_path if context is not None else "abigen"
    message = error.format_message()
    if isinstance(error, click.NoSuchOption) and context is not None:
        known = [name for parameter in context.command.params for name in parameter.opts]
        message = f"No such option '{error.option_name}'.{_suggestion(error.option_name, known)}"
    tell(f"{program}: error: {printable(message)}\nTry '{program} --help'.\n")
    return UNANSWERABLE


def _suggestion(name: str, known: Sequence[str]) -> str:
    """What a mistyped name may have meant, as a sentence; empty when nothing is close."""
    hint = did_you_mean(name, known, shown="'{}'".format)
    return f" D{hint[1:]}" if hint else ""
