"""Shell completion: names of rules, targets, languages, APIs and git revisions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

from abigen.workspace.files import Files

if TYPE_CHECKING:
    from abigen.generator.build import SpecFile

Completer = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def among(names: Callable[[], Iterable[str]]) -> Completer:
    """Complete from a list of names, which is made only when a shell asks."""

    def complete(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return [CompletionItem(name) for name in names() if name.startswith(incomplete)]

    return complete


def rules() -> list[str]:
    """Return names and codes of all rules."""
    from abigen.cli.reports import whole_manual

    return [name for page in whole_manual() for name in (page.name, page.code)]


def targets() -> tuple[str, ...]:
    """Return the targets that APIs are judged for."""
    from abigen.model.target import target_names

    return target_names()


def apis() -> list[str]:
    """Return the APIs whose plugins `abigen verify` knows by their entry point: of the project, and shipped."""
    disk = Files()
    return list(dict.fromkeys(each.api for each in _specs(disk) if b"entry_point:" in disk.read(each.path)))


def apis_of_new() -> list[str]:
    """Return the APIs that `abigen new` can begin a plugin for: the project's own, and the shipped ones."""
    from abigen.generator.new.new_project import plugin_apis
    from abigen.generator.new.scaffold import Languages
    from abigen.generator.project import templates_of

    return plugin_apis(Languages(templates_of(None, Files())))


def _specs(disk: Files) -> list[SpecFile]:
    """Return all specs of the project, and those that come with abigen."""
    from abigen.generator.build import find_specs, spec_folders
    from abigen.generator.project import build_settings

    return [each for folder in spec_folders(build_settings(disk).specs, disk) for each in find_specs([], folder, disk)]


def revisions() -> list[str]:
    """Return the tags and branches of the repository here; none outside of one."""
    from abigen.workspace.git_process import run_git

    return run_git(["for-each-ref", "--format=%(refname:short)", "refs/tags", "refs/heads"]).stdout.decode().split()
