"""Options that several commands share, as decorators: how to read headers, and how to write reports."""

from __future__ import annotations

import fnmatch
import re
import sys
from collections.abc import Callable, Sequence
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click
from msgspec.structs import replace

from abigen.checker.configuration import Configuration, configure
from abigen.checker.report.formats import format_names
from abigen.checker.report.subject import Selection, Style
from abigen.cli import completion, terminal
from abigen.cli.reports import ReportOutput
from abigen.model.finding import Level
from abigen.model.span import did_you_mean
from abigen.workspace.files import Files

if TYPE_CHECKING:
    from abigen.workspace.process import Bounds

R = TypeVar("R")

FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
spec_dir_option = click.option("--spec-dir", type=FOLDER, metavar="DIR", help="The folder with the specs.")
templates_option = click.option("--templates", "template_dir", type=FOLDER, metavar="DIR",
    help="Use templates in DIR in place of abigen's own of the same name; they run in a sandbox.")  # fmt: skip

OPERANDS = """\b
An API is named by
  api.h           a header            REV:path   a header or spec at a git revision
  api.yaml        a spec              DIR        all headers below a directory
  api.yaml@1.2.0  a spec at a release -          standard input
"""
"""The kinds of operands, for the end of a command's help."""

_READING = ("includes", "defines", "undefines", "preincludes", "own", "exclude", "std", "cc", "targets")
_REPORTING = ("format", "fail_on", "policy", "explain_config", "fix", "unsafe_fixes", "quiet", "selection")


class GroupedOption(click.Option):
    """An option that the help shows with others of its group."""

    def __init__(self, *arguments: Any, group: str, **attributes: Any) -> None:
        """Make an option of a group, by its heading."""
        super().__init__(*arguments, **attributes)
        self.group = group


_reading = partial(click.option, cls=GroupedOption, group="How headers are read")
_reporting = partial(click.option, cls=GroupedOption, group="What is reported, and how")


def reading_options(function: Callable[..., R]) -> Callable[..., R]:
    """Give a command the options that say how headers are read; it gets them as `configuration: Configuration`.

    The configuration file is read, and the names of targets are checked, before the command runs.
    """

    @_reading("-I", "includes", multiple=True, metavar="DIR", help="Also look for included files in DIR.")
    @_reading("-D", "defines", multiple=True, metavar="NAME[=VALUE]", help="Define a macro.")
    @_reading("-U", "undefines", multiple=True, metavar="NAME", help="Undefine a macro.")
    @_reading("--preinclude", "preincludes", multiple=True, metavar="FILE", help="Read FILE before each header.")
    @_reading("--own", "own", multiple=True, metavar="GLOB", help="Also judge included files that match.")
    @_reading("--exclude", "exclude", multiple=True, metavar="GLOB", help="Leave out files of directories that match.")
    @_reading("--std", metavar="STD", help="The C standard of the headers.  [default: gnu17]")
    @_reading("--cc", metavar="CC", help="The compiler that preprocesses; with `none`, abigen preprocesses.")
    @_reading("--fetch", is_flag=True,
              help="In a partial clone of git, fetch what it lacks, with your own configuration of git.")  # fmt: skip
    @_reading("--abi", "targets", multiple=True, metavar="TARGET",
                  shell_complete=completion.among(completion.targets),
                  help="Compute layouts for this target only; repeatable.")  # fmt: skip
    @_reading("--config", metavar="FILE", help="The configuration file.  [default: the nearest abigen.toml]")
    @_reading("--no-config", is_flag=True, help="Read no configuration.")
    @_reading("--no-cache", is_flag=True, help="Do not use results of earlier runs, and store none for later runs.")
    @wraps(function)
    def wrapper(*, config: str | None, no_config: bool, no_cache: bool, fetch: bool, **rest: object) -> R:
        given = {name: cast("str | tuple[str, ...]", rest.pop(name) or "") for name in _READING}
        if no_config and config is not None:
            raise click.UsageError("--config and --no-config exclude each other.")
        context = click.get_current_context()
        if fetch:
            from abigen.workspace.git_process import fetching

            context.with_resource(fetching())
        files = context.ensure_object(Files)
        configuration = configure(given, config, files, ignored=no_config, cache=not no_cache)
        output = rest.get("output")
        if isinstance(output, ReportOutput) and output.explain_config:
            from abigen.cli.explanation import explain_configuration

            return cast(R, explain_configuration(output, configuration))
        return function(configuration=configuration, **rest)

    return wrapper


def configuration_so_far(context: click.Context) -> Configuration:
    """Return the reading options of an incomplete command line, for completion.

    Raises:
        AbigenError: the configuration, or a name on the command line, is wrong.
    """
    typed = context.params
    given = {name: cast("str | tuple[str, ...]", typed.get(name) or "") for name in _READING}
    config = cast("str | None", typed.get("config"))
    ignored, uncached = (bool(typed.get(name)) for name in ("no_config", "no_cache"))
    return configure(given, config, Files(), ignored=ignored, cache=not uncached)


jobs_option = click.option("--jobs", type=click.IntRange(min=1), metavar="N",
                           help="Read with N processes.")  # fmt: skip


def terminal_options(function: Callable[..., R]) -> Callable[..., R]:
    """Give a command `--color` and `--width`; it gets them, for stdout, as `style: Style`."""

    @_reporting("--color", type=click.Choice(["auto", "always", "never"]), default="auto", show_default=True,
                  help="When to use colours.")  # fmt: skip
    @_reporting("--width", type=click.IntRange(min=40), metavar="COLUMNS", help="The width of lines.")
    @wraps(function)
    def wrapper(*, color: str, width: int | None, **rest: object) -> R:
        colour = terminal.wants_colour(sys.stdout, color)
        folder = _folder(click.get_current_context().ensure_object(Files))
        columns, is_wrapped = terminal.width_of(sys.stdout, width), terminal.is_wrapping(sys.stdout, width)
        rest["style"] = Style(colour=colour, width=columns, is_wrapped=is_wrapped, folder=folder)
        return function(**rest)

    return wrapper


def _folder(files: Files) -> str:
    """Return the working folder below the root of the repository, as reports for machines name it."""
    here = Path.cwd()
    root = next((each for each in (here, *here.parents) if files.exists(each / ".git")), here)
    return "" if root == here else f"{here.relative_to(root).as_posix()}/"


def report_options(
    *, fail_on: Sequence[str], formats: Sequence[str] = format_names(), judges: bool = True
) -> Callable[[Callable[..., R]], Callable[..., R]]:
    """Give a command the options about its report; it gets them as `output: ReportOutput`.

    Args:
        fail_on: what `--fail-on` may be; the first is the default.
        formats: what `--format` may be.
        judges: whether it judges by a policy, and can explain its configuration.
    """

    def decorate(function: Callable[..., R]) -> Callable[..., R]:
        @wraps(function)
        def wrapper(*, style: Style, summary: bool, paths: tuple[tuple[str, str], ...], **rest: object) -> R:
            patterns = {name: cast("tuple[str, ...]", rest.pop(name, ())) for name in ("select", "ignore")}
            rest["selection"] = Selection(**patterns, level=Level(str(rest.pop("level", "note"))))
            given = {name: rest.pop(name) for name in _REPORTING if name in rest}
            everything, statistics = (bool(rest.pop(name, False)) for name in ("everything", "statistics"))
            shown = "" if not rest.pop("show_fixes", False) else "unsafe" if rest.get("unsafe_fixes") else "safe"
            style = replace(style, summary=summary, everything=everything, statistics=statistics, fixes=shown)
            rest["output"] = ReportOutput(paths=paths, style=style, **given)  # type: ignore[arg-type]
            return function(**rest)

        decorated: Callable[..., R] = terminal_options(wrapper)
        for option in reversed(_report_options(fail_on, formats, judges=judges)):
            decorated = option(decorated)
        return decorated

    return decorate


def _report_options(
    fail_on: Sequence[str], formats: Sequence[str], *, judges: bool
) -> list[Callable[[Callable[..., R]], Callable[..., R]]]:
    """Return the options about reports, in the order of the help."""
    what = "this bump or level" if "major" in fail_on else "this level"
    policy = "How severely to judge: default, binary-only or strict.  [default: from the configuration]"
    judging = [
        _reporting("--policy", metavar="NAME", help=policy),
        _reporting("--strict", "policy", flag_value="strict", help="The same as --policy strict."),
        _reporting("--fix", is_flag=True, help="Edit headers where a finding has one right edit; report the rest."),
        _reporting(
            "--unsafe-fixes",
            is_flag=True,
            help="With --fix or --show-fixes: also edits that take back a decision, such as a removal.",
        ),
        _reporting("--show-fixes", is_flag=True, help="Show these edits as a diff; write nothing."),
        _reporting("--explain-config", is_flag=True, help="Print all settings and where each is set; do nothing else."),
    ]
    return [
        _reporting("--format", type=click.Choice(formats), default="text", show_default=True,
                     help="How to write the report to stdout."),
        _reporting("--output", "paths", multiple=True, metavar="FORMAT=PATH", callback=partial(split_paths, formats),
                     help="Also write a report to a file; repeatable."),
        _reporting("--fail-on", type=click.Choice(fail_on), default=fail_on[0], show_default=True,
                     help=f"Exit with 1 if a finding has {what}, or a higher one."),
        *(judging if judges else []),
        _reporting("-q", "--quiet", is_flag=True, help="Print nothing; use the exit code only."),
        _reporting("--summary", is_flag=True, help="Print the last line of the report only."),
        *([_reporting("--statistics", is_flag=True, help="Count the findings of each rule instead of showing them.")]
          if judges else []),
        *([_reporting("--all", "everything", is_flag=True, help="Show each finding in full.")] if judges else []),
        *(_selecting() if judges else []),
    ]  # fmt: skip


def _selecting() -> list[Callable[[Callable[..., R]], Callable[..., R]]]:
    """Return the options about which findings are shown; they change no verdict and no exit code."""
    rules = partial(_reporting, multiple=True, metavar="RULE", callback=_rule_patterns,
                    shell_complete=completion.among(completion.rules))  # fmt: skip
    levels = click.Choice(["error", "warning", "note"])
    return [
        rules("--select", help="Show findings of this rule only: its name, its code, or a pattern (`field-*`)."),
        rules("--ignore", help="Hide findings of this rule; the verdict still counts them."),
        _reporting(
            "--level",
            type=levels,
            default="note",
            help="Hide findings below this level; the verdict still counts them.",
        ),
    ]


def _rule_patterns(context: click.Context, option: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    """Take patterns apart at commas; each has to mean a rule."""
    patterns = tuple(each.strip() for value in values for each in value.split(",") if each.strip())
    if patterns:
        names = completion.rules()
        for each in patterns:
            if not fnmatch.filter(names, each):
                hint = did_you_mean(each, names, "`abigen rules` lists them", shown="`{}`".format)
                raise click.BadParameter(f"there is no rule `{each}`; {hint}", context, option)
    return patterns


def split_paths(
    formats: Sequence[str], context: click.Context, option: click.Parameter, values: tuple[str, ...]
) -> tuple[tuple[str, str], ...]:
    """Take `FORMAT=PATH` apart."""
    pairs = []
    for value in values:
        name, equals, path = value.partition("=")
        if not equals or not path:
            raise click.BadParameter(f"'{value}' is not FORMAT=PATH.", context, option)
        if name not in format_names():
            raise click.BadParameter(f"'{name}' is not one of {', '.join(format_names())}.", context, option)
        if name not in formats:
            raise click.UsageError(f"Plugins are not reported as {name}; there is {', '.join(formats)}.")
        pairs.append((name, path))
    return tuple(pairs)


_LIMITS = {"processes": "processes", "memory": "memory", "file-size": "file_size"}
"""The limits by their options, each with its name in `Limits`."""
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def bounding_options(function: Callable[..., R]) -> Callable[..., R]:
    """Give a command that has --timeout options for what a plugin may use; it gets `bounded: Bounded`."""

    @_reporting("--limit", "limits", multiple=True, metavar="WHAT=NUMBER",
                  help="Limit what the plugin uses: `processes` (counts threads, too), or `memory` or `file-size` in "
                       "bytes, also with K, M or G; repeatable.")  # fmt: skip
    @_reporting("--sandbox", is_flag=True,
                  help="Run the plugin without network, home and write access; needs bubblewrap.")  # fmt: skip
    @wraps(function)
    def wrapper(**rest: object) -> R:
        limits = cast("tuple[str, ...]", rest.pop("limits"))
        bounds = _bounds(cast("float", rest.pop("timeout")), limits)
        is_boxed = bool(rest.pop("sandbox"))

        def bounded(plugins: Sequence[Path], others: Sequence[Path]) -> Bounds:
            from abigen.workspace.process import Sandbox

            return replace(bounds, sandbox=Sandbox.around(plugins, others)) if is_boxed else bounds

        return function(**rest, bounded=bounded)

    return wrapper


Bounded = Callable[[Sequence[Path], Sequence[Path]], "Bounds"]
"""Makes the bounds of plugins: given their libraries, and what else their processes read."""


def _bounds(seconds: float, limits: Sequence[str]) -> Bounds:
    """Return the limits that the command line sets for a plugin."""
    from abigen.workspace.process import Bounds, Limits

    found: dict[str, int] = {}
    for each in limits:
        name, _, number = each.partition("=")
        amount = re.fullmatch(r"(\d+)([KMG]?)", number)
        if name not in _LIMITS or amount is None:
            known = ", ".join(_LIMITS)
            message = f"{each!r} is no limit: write WHAT=NUMBER, where WHAT is one of {known}, like memory=8G."
            raise click.BadParameter(message, param_hint="'--limit'")
        found[_LIMITS[name]] = int(amount[1]) * _UNITS[amount[2]]
    return Bounds(seconds=seconds, limits=Limits(**found))
