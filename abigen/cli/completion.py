"""What shells complete: names of rules, targets, languages, APIs and git revisions."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import click
from click.shell_completion import CompletionItem

from abigen.files import Files

Completer = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def among(names: Callable[[], Iterable[str]]) -> Completer:
    """Complete from a list of names, which is made only when a shell asks."""

    def complete(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return [CompletionItem(name) for name in names() if name.startswith(incomplete)]

    return complete


def rules() -> list[str]:
    """Names and codes of all rules."""
    from abigen.cli.reports import whole_manual

    return [name for page in whole_manual() for name in (page.name, page.code)]


def targets() -> tuple[str, ...]:
    """The targets that APIs are judged for."""
    from abigen.model.target import target_names

    return target_names()


def apis() -> list[str]:
    """The APIs that a plugin may be for: the project's own, and those that come with abigen."""
    from abigen.cli.configuration import build_settings
    from abigen.emit.build import find_specs, spec_folders

    disk = Files()
    found = [each for folder in spec_folders(build_settings(disk).specs, disk) for each in find_specs([], folder, disk)]
    return list(dict.fromkeys(each.api for each in found if b"entry_point:" in disk.read(each.path)))


def revisions() -> list[str]:
    """The tags and branches of the repository here; none outside of one."""
    from abigen.read.git_objects import run_git

    return run_git(["for-each-ref", "--format=%(refname:short)", "refs/tags", "refs/heads"]).stdout.decode().split()
