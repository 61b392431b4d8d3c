"""The `abigen` command: finds its subcommands as files of this folder, and turns failures into messages and exit codes.

A subcommand `x-y` is a module `x_y.py` with a function `command`, a command of click; it exists by standing here. The
first line of the module is its line in `abigen --help`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from functools import cached_property
from importlib import import_module
from pathlib import Path

import click

from abigen import __version__
from abigen.cli.terminal import UNANSWERABLE, guarded, tell
from abigen.model.span import did_you_mean, printable
from abigen.workspace.files import Files

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
        """Return names of all subcommands, sorted."""
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
        parameters = context.command.get_params(context)
        known = {name: each.metavar or "" for each in parameters for name in each.opts}
        near = near_option(error.option_name, known)
        message = f"No such option '{error.option_name}'." + (f" Did you mean '{near}'?" if near else "")
    tell(f"{program}: error: {printable(message)}\nTry '{program} --help'.\n")
    return UNANSWERABLE


_NEAR = 0.8
"""The least likeness of two words of which one counts as the other mistyped."""
_SYNONYMS = {"directory": "dir", "folder": "dir", "colour": "color"}
_SHORT = {"include": "-I", "include-dir": "-I", "include-path": "-I", "define": "-D", "undefine": "-U"}
"""The names that other programs use for options that have one letter here."""
_CONTRARY = frozenset(("no", "not", "without", "old", "new"))
"""Words that give an option another meaning."""


def near_option(name: str, known: Mapping[str, str]) -> str:
    """Return the option that a mistyped one means, or the empty string.

    An option is meant if each of its words is one of the name's, or nearly, in the same place: `--formt`, `--failon`.
    It is meant, too, if it is the last word of a longer name, which states what the name is about: in
    `--output-format` that is the format. Words such as `no` and `old` have to be the same on both sides.

    Args:
        name: as it was written, with its dashes.
        known: the options that there are, each with the name of its value.
    """
    wanted = _words(name)
    short = _SHORT.get("-".join(wanted), "")
    if not name.startswith("--") or short in known:
        return short if short in known else ""
    ranked = []
    for each, value in known.items():
        words = _words(each)
        if each.startswith("--") and _CONTRARY.intersection(wanted) == _CONTRARY.intersection(words):
            near = float("".join(wanted) == "".join(words))
            if len(words) == len(wanted):
                near = min(map(_closeness, wanted, words))
            elif wanted[-len(words) :] == words or (wanted[-1] == "dir" and "DIR" in value and wanted[:-1] == words):
                near = 1.0
            elif wanted[-1] == "dir" and "DIR" in value:
                near = _closeness("".join(wanted[:-1]), "".join(words))
            ranked.append((near, each))
    near, best = max(ranked, key=lambda each: each[0], default=(0.0, ""))
    return best if near >= _NEAR else ""


def _words(option: str) -> list[str]:
    """Return the words of an option, those that mean the same spelled in one way."""
    return [_SYNONYMS.get(each, each) for each in option.lstrip("-").replace("_", "-").lower().split("-")]


def _closeness(one: str, other: str) -> float:
    """Return the likeness of two words, from 0 to 1: 1 also for one that is cut short, `lang` for `language`."""
    return 1.0 if len(other) >= _SHORTEST and one.startswith(other) else _likeness(one, other)


_SHORTEST = 3
"""The least letters of a word that is cut short."""


def _likeness(one: str, other: str) -> float:
    """Return the likeness of two words, from 0 to 1; 0 if they begin differently; swapped letters count as alike."""
    from difflib import SequenceMatcher  # which no run needs that finds what it is asked for

    if one[:1] != other[:1]:
        return 0.0
    return 1.0 if sorted(one) == sorted(other) else SequenceMatcher(None, one, other).ratio()


def _suggestion(name: str, known: Sequence[str]) -> str:
    """Return a sentence with the names that a mistyped name may have meant; empty when none is close."""
    hint = did_you_mean(name, known, shown="'{}'".format, cutoff=0.7)
    return f" D{hint[1:]}" if hint else ""
