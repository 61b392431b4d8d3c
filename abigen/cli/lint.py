"""Look for flaws in headers or specs, without comparing them with anything."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click
from msgspec.structs import replace

from abigen.checker.configuration import Configuration
from abigen.checker.report.subject import ReportedApi, lint_report
from abigen.cli import terminal
from abigen.cli.options import OPERANDS, jobs_option, reading_options, report_options
from abigen.cli.reports import Answer, ReportOutput, StoredCommand, fails, manual
from abigen.cli.shipped_library import shipped_library
from abigen.model.span import AbigenError, Diagnostic, printable

_EXAMPLES = f"""{OPERANDS}
\b
Examples:
  abigen lint api.h
  abigen lint include -I include --abi i686-linux-gnu
  abigen lint spec --format json
  abigen lint api.h --library build/libx.so
  abigen lint                the folder of specs, or else the `includes` of abigen.toml

\b
All headers below a directory are one API; each spec below it is an API of its own.

\b
Exit codes: 0 fine; 1 a finding at or above --fail-on; 2 the question could not
be answered.
"""


@click.command(cls=StoredCommand, epilog=_EXAMPLES)
@click.argument("apis", metavar="[API]...", nargs=-1)
@click.option("--library", "library_names", multiple=True, metavar="FILE",
              help="Also compare the API with the shared library that ships with it; repeatable.")  # fmt: skip
@jobs_option
@report_options(fail_on=("error", "warning", "note", "never"))
@reading_options
def command(
    apis: tuple[str, ...],
    library_names: tuple[str, ...],
    jobs: int | None,
    output: ReportOutput,
    configuration: Configuration,
) -> Answer:
    """Look for flaws in each API, without comparing it with anything."""
    from abigen.checker.compare import judge_form
    from abigen.checker.policy import said_once
    from abigen.specs.load import load_each
    from abigen.workspace.operand import apis_in

    apis = apis or _configured(configuration)
    policy = configuration.policy(output.policy).for_baseline()
    operands = list(dict.fromkeys(each for operand in apis for each in apis_in(operand, configuration.options)))
    with terminal.progress() as announce:
        read, refused = load_each(operands, configuration.options, announce, jobs or 1)
        wrong = tuple(dict.fromkeys(each for error in refused.values() for each in error.diagnostics))
        if not read:
            raise AbigenError(wrong)
        loaded = configuration.agreed(list(read.values()))
        if library_names and len(loaded) != 1:
            raise click.UsageError("--library goes with one API.")
        library = shipped_library(library_names, loaded[0], announce) if library_names else None
        judged = [judge_form(each, policy, library) for each in loaded]
        runs = said_once([findings for findings, _ in judged])
    if output.needs_fixes:
        from abigen.checker.fixes import with_fixes

        runs = [with_fixes(run, api) for run, api in zip(runs, loaded, strict=True)]
    findings = tuple(finding for run in runs for finding in run)
    both = zip((operands[place] for place in read), loaded, strict=True)
    reported = tuple(
        ReportedApi(str(operand), configuration.quotable(api), is_editable=operand.is_on_disk) for operand, api in both
    )
    accepted = tuple(each for _, found in judged for each in found)
    is_ok = not refused and not fails(findings, "error")
    report = lint_report(
        reported,
        findings,
        ok=is_ok,
        policy=policy.name,
        manual=manual,
        accepted=accepted,
        not_judged=tuple(map(_in_one_line, wrong)),
    )
    answer = output.answer([report], loaded)
    if not refused:
        return answer
    told = "".join(f"{each}\n" if each.place else f"abigen: {each}\n" for each in wrong)
    count = f"{len(refused)} of {len(operands)} cannot be read, and {'is' if len(refused) == 1 else 'are'} not judged"
    remarks = f"{answer.remarks}{told}abigen: error: {count}\n"
    return replace(answer, remarks=remarks, code=terminal.UNANSWERABLE)


def _configured(configuration: Configuration) -> tuple[str, ...]:
    """Return what the project's configuration names: the folder of specs, else the folders of its headers.

    Raises:
        click.UsageError: neither exists.
    """
    from abigen.generator.project import build_settings

    files = configuration.options.files
    specs = build_settings(files).specs
    names = [str(specs)] if files.is_dir(specs) else []
    below = Path(configuration.settings.path).parent
    headers = (below / each for each in configuration.settings.said.includes)
    names = names or [os.path.normpath(each) for each in headers if files.is_dir(each)]
    if not names:
        raise click.UsageError(
            "Missing argument 'API...': there is no folder of specs here, and no abigen.toml that names `includes`."
        )
    terminal.say(f"abigen: looked at {printable(', '.join(names))}, as the configuration names\n", sys.stderr)
    return tuple(names)


def _in_one_line(diagnostic: Diagnostic) -> str:
    """Return the errors of an API with their places, on one line."""
    return f"{diagnostic.place}: {diagnostic.message}" if diagnostic.place else diagnostic.message
