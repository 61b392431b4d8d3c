"""Write entries for a CHANGELOG: what each release of an API broke, added and deprecated."""

from __future__ import annotations

import click
from msgspec.structs import replace

from abigen.checker.configuration import Configuration
from abigen.checker.histories import judged_steps, named_revisions
from abigen.checker.report.history import changelog
from abigen.checker.report.subject import Style
from abigen.cli import terminal
from abigen.cli.history import refuse_since
from abigen.cli.options import OPERANDS, reading_options, terminal_options
from abigen.cli.reports import Answer
from abigen.model.finding import RevisionName

_EXAMPLES = f"""{OPERANDS}
\b
Examples:
  abigen changelog spec/api.yaml                 every release that the spec knows
  abigen changelog include/api.h --since v1.2    what git's log has brought since v1.2
  abigen changelog v1/api.h v2/api.h v3/api.h

\b
The entries are Markdown, the newest first. For a spec, there is an entry for each
release. For a header, there is an entry for each release that a git tag names, with
the changes of all commits that came with it. Commits that are in no such release
are named by the version that the header states. They are Unreleased when a release
states the same version, or its tag names it.

\b
Exit codes: 0 fine; 2 the question could not be answered.
"""


@click.command(epilog=_EXAMPLES)
@click.argument("operands", metavar="SPEC | FILE | OLD... NEW", nargs=-1, required=True)
@click.option("--since", metavar="REV|RELEASE", help="Begin after this git revision, or this release.")
@click.option("--policy", metavar="NAME", help="How severely to judge: default, binary-only or strict.")
@terminal_options
@reading_options
def command(
    operands: tuple[str, ...], since: str | None, policy: str | None, style: Style, configuration: Configuration
) -> int:
    """Write entries for a CHANGELOG: what each release of an API broke, added and deprecated."""
    names, remarks = _releases(operands, since, configuration), ""
    if not names:
        refuse_since(operands, since)
        names, remarks = named_revisions(operands, since, configuration)
        names = _with_releases(names)
    with terminal.progress() as announce:
        steps = judged_steps(names, configuration, policy, announce)
    return Answer(changelog(steps, without_first=since is not None), remarks).write()


def _with_releases(names: list[RevisionName]) -> list[RevisionName]:
    """Return the revisions with the releases that they are in, by git's tags."""
    from abigen.workspace.git_history import releases_of_commits

    releases = releases_of_commits([each.commit for each in names if each.commit])
    return [
        replace(each, release=found.name, release_version=str(found.version), released=found.date)
        if (found := releases.get(each.commit))
        else each
        for each in names
    ]


def _releases(operands: tuple[str, ...], since: str | None, configuration: Configuration) -> list[RevisionName]:
    """Return the releases of a spec, the oldest first; none of anything else."""
    from abigen.model.releases import releases_of
    from abigen.model.span import AbigenError
    from abigen.specs.load import load
    from abigen.workspace.operand import parse_operand

    operand = parse_operand(operands[0], configuration.options.files)
    if len(operands) > 1 or not operand.is_spec or operand.release:
        return []
    groups = load(operands[0], configuration.options).groups
    versions = sorted({release for group in groups for release in releases_of(group.api)})
    names = [RevisionName(str(each), f"{operands[0]}@{each}") for each in versions]
    first = next((number for number, each in enumerate(names) if each.label == since), None)
    if since is not None and first is None:
        known = ", ".join(each.label for each in names) or "none"
        raise AbigenError.at(None, f"{operands[0]} has no release {since}", f"it has {known}")
    return names[first:]
