"""Judge what changed between two versions of an API: who breaks, why, and which bump it needs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NoReturn

import click
from msgspec.structs import replace

from abigen.checker.configuration import Configuration, baseline_of
from abigen.checker.report.subject import Report, ReportedApi, diff_report
from abigen.cli import completion, terminal
from abigen.cli.options import OPERANDS, jobs_option, reading_options, report_options
from abigen.cli.reports import Answer, ReportOutput, StoredCommand, manual
from abigen.cli.shipped_library import shipped_library
from abigen.model.finding import Bump
from abigen.model.span import AbigenError, Diagnostic, printable

if TYPE_CHECKING:
    from abigen.checker.policy import Policy
    from abigen.model.api import ApiSet
    from abigen.model.compiled_library import CompiledLibrary
    from abigen.model.finding import Verdict
    from abigen.workspace.operand import EmptyOperand, Operand
    from abigen.workspace.options import ReadOptions

_EXAMPLES = f"""{OPERANDS}
\b
Examples:
  abigen diff old.h new.h
  abigen diff api.h                        since the last release, by git's tags
  abigen diff HEAD~1:./api.h api.h -I include
  abigen diff include spec --against origin/main
  abigen diff api.h --against main...      since this branch left main
  abigen diff --against HEAD               all that has changed since the last commit
  abigen diff v1.2:include include --abi i686-linux-gnu
  abigen diff api.yaml@1.0.0 api.yaml --format json --output json=diff.json
  abigen diff old.h new.h --library libx.so.1.0 libx.so.1.1

\b
With --against, a file that is not in the revision counts as new, and a file that
is only there counts as removed. A file that git considers renamed is compared
with the old file. All headers below a directory are one API; each spec below it
is an API of its own. Without PATH, abigen compares every changed header and spec
that git tracks.

\b
To use abigen in git, set these keys in git's configuration, each in one line:
  difftool.abigen.cmd
    abigen diff -I include "$LOCAL" "$REMOTE" ||
    {{ test $? = 2 && diff -ru "$LOCAL" "$REMOTE"; }}
  diff.abigen.textconv
    f() {{ abigen layout --no-places -I include "$1" 2>/dev/null || cat "$1"; }}; f
Then git difftool shows the report of abigen. git diff and git log show layouts for
files that .gitattributes marks (`*.h diff=abigen`):
  git difftool -y -t abigen main -- include/api.h
  git difftool -y -t abigen -d main -- include

\b
With --fail-on declared, the command fails when the version number moved less than
the changes require, or when NEW has an error that no version number makes up for.

Exit codes: 0 fine; 1 failed, see --fail-on; 2 the question could not be answered.
"""


@click.command(cls=StoredCommand, epilog=_EXAMPLES)
@click.argument("operands", metavar="OLD NEW | PATH | [PATH...] --against REV", nargs=-1)
@click.option("--against", metavar="REV", shell_complete=completion.among(completion.revisions),
              help="Compare each PATH with what it was at this git revision.")  # fmt: skip
@click.option(
    "--old-include", "old_includes", multiple=True, metavar="DIR", help="As -I, but for OLD only; searched first."
)
@click.option(
    "--new-include", "new_includes", multiple=True, metavar="DIR", help="As -I, but for NEW only; searched first."
)
@click.option("--library", "library_names", nargs=2, metavar="OLD.so NEW.so",
              help="Also compare OLD and NEW with the shared libraries that ship with them.")  # fmt: skip
@jobs_option
@report_options(fail_on=("declared", "major", "minor", "patch", "error", "warning", "note", "never"))
@reading_options
def command(
    operands: tuple[str, ...],
    against: str | None,
    old_includes: tuple[str, ...],
    new_includes: tuple[str, ...],
    library_names: tuple[str, str] | None,
    jobs: int | None,
    output: ReportOutput,
    configuration: Configuration,
) -> Answer:
    """Judge what changed from OLD to NEW: who breaks, why, and which version bump it needs."""
    from abigen.checker.compare import compare_with
    from abigen.checker.policy import said_once
    from abigen.checker.release import with_agreed_versions
    from abigen.specs.load import load_each, raise_refusals
    from abigen.workspace.operand import EmptyOperand, baseline_names, options_of_sides

    against = _baseline(operands, configuration) if against is None else against
    policy = configuration.policy(output.policy)
    pairs = _pairs(operands, against, configuration.options)
    with terminal.progress() as announce:
        sides = [side for pair in pairs for side in pair]
        includes = (old_includes, new_includes)
        options = [each for pair in pairs for each in options_of_sides(pair, configuration.options, includes)]
        read, refused = load_each(sides, options, announce, jobs or 1)
        folders = _folders(pairs, configuration.options)
        if refused and folders and all(each.diagnostics[0].place for each in refused.values()):
            decided = policy.for_baseline(against or "", *baseline_names(folders[0]))
            return _header_by_header(folders, options, refused, configuration, decided, output, announce, jobs or 1)
        raise_refusals(refused)
        loaded = configuration.agreed(read.values())
        loaded = [side for pair in zip(loaded[::2], loaded[1::2], strict=True) for side in with_agreed_versions(*pair)]
        libraries = _libraries(library_names, loaded, announce) if library_names else None
        verdicts = []
        for (old, new), before, after in zip(pairs, loaded[::2], loaded[1::2], strict=True):
            announce(f"comparing {new}")
            decided = policy.for_baseline(against or "", *baseline_names(old))
            is_first = isinstance(old, EmptyOperand)
            verdicts.append(compare_with(before, after, decided, libraries, is_first=is_first))
    both = zip(sides, loaded, strict=True)
    reported = [ReportedApi(str(side), configuration.quotable(api), is_editable=side.is_on_disk) for side, api in both]
    findings = said_once([verdict.findings for verdict in verdicts])
    subjects = [
        _report(old_api, new_api, replace(verdict, findings=kept), policy.name, output)
        for old_api, new_api, verdict, kept in zip(reported[::2], reported[1::2], verdicts, findings, strict=True)
    ]
    return output.answer(subjects, loaded)


def _libraries(
    names: tuple[str, str], loaded: Sequence[ApiSet], announce: Callable[[str], None]
) -> tuple[CompiledLibrary, CompiledLibrary]:
    """Read the libraries that ship with OLD and NEW.

    Raises:
        click.UsageError: there are several pairs.
        AbigenError: a library cannot be read.
    """
    if len(loaded) != 2:
        raise click.UsageError("--library goes with one OLD and one NEW.")
    old, new = (shipped_library([name], api, announce) for name, api in zip(names, loaded, strict=True))
    return old, new


def _report(old: ReportedApi, new: ReportedApi, verdict: Verdict, policy: str, output: ReportOutput) -> Report:
    """Return the report about a comparison, with the edits of NEW that remove findings if the output needs them."""
    if output.needs_fixes:
        from abigen.checker.fixes import with_fixes

        verdict = replace(verdict, findings=with_fixes(verdict.findings, new.api, old.api, verdict.demanded))
    return diff_report(old, new, verdict, policy, manual)


def _folders(
    pairs: Sequence[tuple[Operand | EmptyOperand, Operand | EmptyOperand]], options: ReadOptions
) -> tuple[Operand, Operand] | None:
    """Return the sides of the only pair if both are folders, on disk or at a git revision; else None."""
    from abigen.workspace.against import is_folder
    from abigen.workspace.operand import Operand

    if len(pairs) != 1:
        return None
    old, new = pairs[0]
    if not isinstance(old, Operand) or not isinstance(new, Operand):
        return None
    try:
        return (old, new) if is_folder(old, options) and is_folder(new, options) else None
    except AbigenError:  # reading says what is wrong with both
        return None


def _header_by_header(
    folders: tuple[Operand, Operand],
    options: Sequence[ReadOptions],
    refused: Mapping[int, AbigenError],
    configuration: Configuration,
    policy: Policy,
    output: ReportOutput,
    announce: Callable[[str], None],
    jobs: int,
) -> Answer:
    """Compare each header of two folders by itself, since their headers cannot be read together; the worst come first.

    The exit code is 2 if a header cannot be read that a compiler may read; all others are judged first.
    """
    from abigen.checker.histories import compare_headers
    from abigen.specs.load import raise_refusals
    from abigen.workspace.against import header_pairs

    old, new = folders
    headers = header_pairs(old, new, configuration.options)
    if len(headers) < 2:
        raise_refusals(refused)
    first = next(iter(refused.values())).diagnostics[0]
    near = (_with_folder(options[0], old), _with_folder(options[1], new))
    results = list(compare_headers(headers, near, configuration, policy, announce, jobs))
    shown = sorted(
        (each for each in results if not each.is_silent),
        key=lambda each: (bool(each.errors), -each.verdict.required.rank, -_breaks(each.verdict)),
    )
    subjects = [
        _report(
            ReportedApi(each.operand, configuration.quotable(each.old)),
            ReportedApi(each.operand, configuration.quotable(each.new), is_editable=new.is_on_disk),
            each.verdict,
            policy.name,
            output,
        )
        for each in shown
    ]
    unread = [each for each in results if each.is_unread]
    place = f" ({first.place})" if first.place else ""
    remark = (
        f"abigen: the headers of {printable(str(new))} cannot be read together{place}, so each was compared by itself: "
        f"{len(results)} headers, {sum(each.is_silent for each in results)} without a change, "
        f"{sum(bool(each.errors) for each in results)} not read\n"
    )
    answer = output.answer(subjects, [api for each in shown for api in (each.old, each.new)])
    return replace(answer, remarks=remark + answer.remarks, code=2 if unread else answer.code)


def _breaks(verdict: Verdict) -> int:
    """Return the number of findings that require MAJOR."""
    return sum(each.bump is Bump.MAJOR for each in verdict.findings)


def _with_folder(options: ReadOptions, folder: Operand) -> ReadOptions:
    """Options with the folder in which headers find each other, if it is on disk."""
    if folder.revision or not options.files.is_dir(folder.path):
        return options
    return replace(options, include_dirs=(*options.include_dirs, folder.path))


_TOLD = "abigen.baselines"
"""The baselines that the user was told of."""


def _baseline(operands: Sequence[str], configuration: Configuration) -> str | None:
    """Return the default baseline of a single operand; None for two operands."""
    if len(operands) == 2:
        return None
    if len(operands) != 1:
        raise click.UsageError("name OLD and NEW, or compare with a git revision: --against REV.")
    revision, origin = baseline_of(configuration)
    if not revision:
        _refuse_without_release(operands[0])
    told: set[str] = click.get_current_context().meta.setdefault(_TOLD, set())
    if revision not in told:  # --fix compares again after each round of edits
        terminal.say(f"abigen: compared with {printable(revision)}, {printable(origin)}\n", sys.stderr)
    told.add(revision)
    return revision


def _refuse_without_release(operand: str) -> NoReturn:
    """Say why git names no release that an operand could be compared with, and what to do."""
    from shutil import which

    from abigen.workspace.git_history import why_no_release

    reason, remedy = "git, whose tags name releases, is not installed", "install git"
    if which("git"):
        reason, remedy = why_no_release()
    message = f"there is nothing to compare {printable(operand)} with: {reason}"
    raise AbigenError.at(None, message, f"{remedy}; or name OLD and NEW")


def _pairs(
    operands: Sequence[str], against: str | None, options: ReadOptions
) -> Sequence[tuple[Operand | EmptyOperand, Operand | EmptyOperand]]:
    """Return the pairs of files to compare."""
    from abigen.workspace.against import pairs_against, pairs_between

    if against is not None:
        pairs = pairs_against(operands, against, options)
        if not pairs:
            terminal.say(f"abigen: no header or spec has changed since {printable(against)}\n", sys.stderr)
        terminal.say("".join(f"abigen: {printable(pair.remark)}\n" for pair in pairs if pair.remark), sys.stderr)
    elif all(options.files.is_dir(each) for each in operands):
        pairs = pairs_between(operands[0], operands[1], options)
    else:
        return [_parsed(operands, options)]
    return [(pair.old, pair.new) for pair in pairs]


def _parsed(operands: Sequence[str], options: ReadOptions) -> tuple[Operand, Operand]:
    """Take OLD and NEW apart.

    Raises:
        AbigenError: with all that is wrong with them.
    """
    from abigen.workspace.operand import parse_operand

    parsed: list[Operand] = []
    diagnostics: list[Diagnostic] = []
    for operand in operands:
        try:
            parsed.append(parse_operand(operand, options.files))
        except AbigenError as error:
            diagnostics += error.diagnostics
    if diagnostics:
        raise AbigenError(diagnostics)
    return parsed[0], parsed[1]
