"""The configuration of a run: what the command line, the configuration file and the defaults state.

A setting comes from the command line, else from the configuration file, else from the defaults.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec
from msgspec.structs import asdict, replace

from abigen.model.finding import Bump
from abigen.model.span import AbigenError, Diagnostic
from abigen.workspace.config.settings import ConfigurationFile, Settings, find_configuration, read_configuration
from abigen.workspace.files import Files
from abigen.workspace.options import USUAL_STANDARD, ReadOptions
from abigen.workspace.result_cache import remember

if TYPE_CHECKING:
    from abigen.checker.policy import Policy
    from abigen.model.api import Api, ApiSet, Conventions


class Configuration(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of the configuration file, overridden by the command line."""

    settings: Settings
    options: ReadOptions
    """The reading options, from all sources."""
    given: Mapping[str, str | tuple[str, ...]] = msgspec.field(default_factory=dict)
    """The settings of the command line, by their names in the file; absent where the command line has none."""

    EXTENDED: ClassVar = ("includes", "defines", "undefines", "preincludes")
    """Lists to which the command line adds; of all else it says it instead."""

    def policy_name(self, name: str | None) -> str:
        """Return the policy's name; `name` is what the command line says, None when it says nothing."""
        return name or self.settings.said.policy or "default"

    def policy(self, name: str | None) -> Policy:
        """Return the policy to judge by, with all that the project has decided.

        Args:
            name: what the command line says; None when it says nothing.

        Raises:
            AbigenError: there is no such policy.
        """
        from abigen.checker.policy import find_policy

        policy = find_policy(self.policy_name(name))
        said = _stated(self.settings.said.options)
        options = {name: Bump(value) if name.endswith("_bump") else value for name, value in said.items()}
        return replace(
            policy,
            options=replace(policy.options, **options),
            levels={**policy.levels, **self.settings.said.rules},
            overrides=(*policy.overrides, *self.settings.exceptions),
        )

    def agreed(self, loaded: Iterable[ApiSet]) -> list[ApiSet]:
        """Return a header's API with the conventions that the project states; a spec states them itself."""
        if not _stated(self.settings.said.conventions):
            return list(loaded)
        from abigen.headers.facts import with_facts

        def keeping(api: Api) -> Api:
            return api if api.header else with_facts(replace(api, conventions=self.conventions(api.conventions)))

        agreed = [
            replace(each, groups=tuple(replace(group, api=keeping(group.api)) for group in each.groups))
            for each in loaded
        ]
        return self._told_of_the_version(agreed)

    def _told_of_the_version(self, loaded: list[ApiSet]) -> list[ApiSet]:
        """Return the API, with a warning where no header has the macros that should state the version."""
        versions = [group.api.version for each in loaded for group in each.groups]
        if not self.options.version or not loaded or any(each is not None and each.is_chosen for each in versions):
            return loaded
        message = f"no header defines {' or '.join(self.options.version)}, so the version is found by names of macros"
        place = self.settings.places.get("conventions.version")
        first, *others = loaded[0].groups
        warned = (*first.api.warnings, Diagnostic(place, message, severity="warning"))
        groups = (replace(first, api=replace(first.api, warnings=warned)), *others)
        return [replace(loaded[0], groups=groups), *loaded[1:]]

    def quotable(self, api: ApiSet) -> ApiSet:
        """Return an API for a report, which may also have to quote what the configuration says."""
        settings = self.settings
        return replace(api, sources={**api.sources, settings.path: settings.text}) if settings.exceptions else api

    def conventions(self, usual: Conventions) -> Conventions:
        """Conventions with what the file says of them."""
        changes = _stated(self.settings.said.conventions)
        for key in ("version", "version_split"):  # readers of headers know them
            changes.pop(key, None)
        if "unmarked" in changes:
            from abigen.model.contract import Requirement

            changes["unmarked"] = Requirement.REQUIRED
        return replace(usual, **changes)


def configure(
    given: Mapping[str, str | tuple[str, ...]], path: str | None, files: Files, *, ignored: bool, cache: bool
) -> Configuration:
    """Take the command line and the configuration file together.

    Args:
        given: what the command line says of reading, by the name that the file has for it.
        path: the file that the command line names; None to look for one.
        files: shows what exists.
        ignored: whether no file counts.
        cache: whether earlier runs may be used.

    Raises:
        AbigenError: with everything that is wrong with the file, or because there is no such target.
    """
    from abigen.model.target import default_targets, find_target

    settings = project_settings(path, files, ignored=ignored, cache=cache)
    if path is None:
        for key, option in (("includes", "-I"), ("preincludes", "--preinclude")):
            refuse_outside(settings, key, getattr(settings.said, key), option, files)
    if any(each.expires for each in settings.exceptions):
        files.today()
    said: dict[str, Any] = {name: each for name, each in given.items() if each}
    line, file = ConfigurationFile(**said), settings.said
    macros = {*map(_macro, line.defines), *line.undefines}
    below = os.path.dirname(settings.path)
    targets = line.targets or file.targets or default_targets()
    options = ReadOptions(
        targets=tuple(dict.fromkeys(find_target(name).name for name in targets)),
        include_dirs=(*line.includes, *(os.path.join(below, each) for each in file.includes)),
        defines=(*(each for each in file.defines if _macro(each) not in macros), *line.defines),
        undefines=(*(each for each in file.undefines if each not in macros), *line.undefines),
        preincludes=(*(os.path.join(below, each) for each in file.preincludes), *line.preincludes),
        own=line.own or file.own,
        exclude=line.exclude or file.exclude,
        version=_stated(file.conventions).get("version", ()),
        version_split=_stated(file.conventions).get("version_split", ""),
        std=line.std or file.std or USUAL_STANDARD,
        cc=line.cc or file.cc or None,
        cache=cache,
        files=files,
    )
    return Configuration(settings=settings, options=options, given=said)


def project_settings(path: str | None, files: Files, *, ignored: bool = False, cache: bool = True) -> Settings:
    """Return the settings of the configuration file.

    Args:
        path: the file that the command line names; None to look for one.
        files: shows what exists.
        ignored: whether no file counts.
        cache: whether earlier runs may be used.

    Raises:
        AbigenError: with everything that is wrong with the file.
    """
    if ignored:
        return Settings()
    try:
        source = read_configuration(path, files) if path is not None else find_configuration(str(Path.cwd()), files)
    except FileNotFoundError:  # the current directory has been removed
        return Settings()
    if not source.path:
        return Settings()

    def parse() -> Settings:
        from abigen.checker.compare import registry
        from abigen.workspace.config.reading import parse_settings

        return parse_settings(source, lambda: [rule.labels for rule in registry().all()])

    key = ["configuration", source.path, source.text]
    return remember(key, parse, Settings, files) if cache else parse()


def refuse_outside(settings: Settings, name: str, paths: Sequence[str], option: str, files: Files) -> None:
    """Refuse directories outside of the working copy: who writes its files must not choose what else is used."""
    if not paths:
        return
    from abigen.workspace.files import is_below, root_of

    root, base = root_of(settings.path, files), os.path.dirname(settings.path)
    outside = [each for each in paths if not is_below(files.real(os.path.join(base, each)), root)]
    if outside:
        message = f"`{outside[0]}` is outside of the directories that may be read"
        raise AbigenError.at(settings.places.get(name), message, f"set it on the command line: {option} {outside[0]}")


def baseline_of(configuration: Configuration) -> tuple[str, str]:
    """Return the git revision that an API is compared with where the user names none, and where it is from.

    Returns:
        The revision and its origin in words; the revision is empty if neither the configuration nor a tag names one.
    """
    from shutil import which

    from abigen.workspace.git_history import last_release

    said = configuration.settings.said.baseline
    if said:
        return said, f"the baseline of {configuration.settings.path}"
    configuration.options.files.do_not_store()  # git may have other tags next time
    return (last_release() if which("git") else ""), "the last release by git's tags"


def _stated(table: msgspec.Struct) -> dict[str, Any]:
    """Return the settings of a table of the file, by the names of attributes."""
    return {name: value for name, value in asdict(table).items() if value is not msgspec.UNSET}


def _macro(definition: str) -> str:
    """Return the name of the macro that `NAME`, `NAME=VALUE` or `NAME(PARAMETERS)=VALUE` defines."""
    return definition.partition("=")[0].partition("(")[0].strip()
