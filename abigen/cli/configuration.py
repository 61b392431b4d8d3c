"""What holds for a run: the command line, then the project's configuration file, then what is usual."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar

from abigen.files import Files
from abigen.model.span import AbigenError, Span
from abigen.read.config.find import find_configuration, read_configuration
from abigen.read.config.settings import Accepted, Settings, Value
from abigen.read.options import ReadOptions
from abigen.result_cache import remember

if TYPE_CHECKING:
    from abigen.check.policy import Policy
    from abigen.model.api import Api, ApiSet, Conventions


@dataclass(frozen=True, kw_only=True)
class Configuration:
    """What the configuration file says, with what the command line says instead."""

    settings: Settings
    options: ReadOptions
    """How to read, all sources taken together."""
    given: Mapping[str, Value] = field(default_factory=dict)
    """What the command line says, by the name that the file has for it; what it does not say is absent."""

    EXTENDED: ClassVar = ("includes", "defines", "undefines")
    """Lists to which the command line adds; of all else it says it instead."""

    def policy_name(self, name: str | None) -> str:
        """The policy's name; `name` is what the command line says, None when it says nothing."""
        return name or self.settings.string("policy") or "default"

    def policy(self, name: str | None) -> Policy:
        """The policy to judge by, with all that the project has decided.

        Args:
            name: what the command line says; None when it says nothing.

        Raises:
            AbigenError: there is no such policy.
        """
        from abigen.check.policy import find_policy

        policy = find_policy(self.policy_name(name))
        return _configured(policy, self.settings) if self.settings.path else policy

    def agreed(self, loaded: Iterable[ApiSet]) -> list[ApiSet]:
        """What was read, headers with the conventions that the project says they keep; a spec says them itself."""
        if not any(name.startswith("conventions.") for name in self.settings.values):
            return list(loaded)
        from abigen.read.facts import with_facts

        def keeping(api: Api) -> Api:
            return api if api.header else with_facts(replace(api, conventions=self.conventions(api.conventions)))

        return [
            replace(each, groups=tuple(replace(group, api=keeping(group.api)) for group in each.groups))
            for each in loaded
        ]

    def quotable(self, api: ApiSet) -> ApiSet:
        """An API for a report, which may also have to quote what the configuration says."""
        settings = self.settings
        return replace(api, sources={**api.sources, settings.path: settings.text}) if settings.exceptions else api

    def conventions(self, usual: Conventions) -> Conventions:
        """Conventions with what the file says of them."""
        changes: dict[str, object] = {
            name.removeprefix("conventions.").replace("-", "_"): value
            for name, value in self.settings.values.items()
            if name.startswith("conventions.")
        }
        if "unmarked" in changes:
            from abigen.model.contract import Requirement

            changes["unmarked"] = Requirement.REQUIRED
        return replace(usual, **changes) if changes else usual  # type: ignore[arg-type]


def configure(
    given: Mapping[str, Value], path: str | None, files: Files, *, ignored: bool, cache: bool
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

    settings = _settings(path, files, ignored=ignored, cache=cache)
    base = os.path.dirname(settings.path)
    if path is None:
        _check_includes(settings, files)
    if any(each.expires for each in settings.exceptions):
        files.today()
    named = tuple(dict.fromkeys(find_target(name).name for name in _tuple(given.get("targets", ()))))
    targets = named or settings.strings("targets")
    defines, undefines = _tuple(given.get("defines", ())), _tuple(given.get("undefines", ()))
    macros = {*map(_macro, defines), *undefines}
    standard, compiler = given.get("std") or settings.string("std"), given.get("cc") or settings.string("cc")
    options = ReadOptions(
        targets=targets or default_targets(),
        include_dirs=(
            *_tuple(given.get("includes", ())),
            *(os.path.join(base, each) for each in settings.strings("includes")),
        ),
        defines=(*(each for each in settings.strings("defines") if _macro(each) not in macros), *defines),
        undefines=(*(each for each in settings.strings("undefines") if each not in macros), *undefines),
        std=str(standard or ReadOptions(targets=()).std),
        cc=str(compiler) if compiler else None,
        cache=cache,
        files=files,
    )
    said = {name: each for name, each in given.items() if each}
    return Configuration(settings=settings, options=options, given=said)


def _check_includes(settings: Settings, files: Files) -> None:
    """Refuse directories outside of the working copy: who writes its files must not choose what else is read."""
    if not settings.strings("includes"):
        return
    from abigen.links import is_below, root_of

    root, base = root_of(settings.path, files), os.path.dirname(settings.path)
    outside = [
        each for each in settings.strings("includes") if not is_below(files.real(os.path.join(base, each)), root)
    ]
    if outside:
        message = f"`{outside[0]}` leads out of the directories that may be read"
        raise AbigenError.at(settings.places.get("includes"), message, f"give it on the command line: -I {outside[0]}")


def _settings(path: str | None, files: Files, *, ignored: bool, cache: bool) -> Settings:
    """What the file says."""
    if ignored:
        return Settings()
    try:
        source = read_configuration(path, files) if path is not None else find_configuration(os.getcwd(), files)
    except FileNotFoundError:  # the current directory has been removed
        return Settings()
    if not source.path:
        return Settings()

    def parse() -> Settings:
        from abigen.check.rule_engine import registry
        from abigen.read.config.reading import parse_settings

        return parse_settings(source, lambda: [(rule.code, rule.name) for rule in registry().all()])

    key = ["configuration", source.path, source.text]
    return remember(key, parse, (Settings, Accepted, Span), files) if cache else parse()


def _configured(policy: Policy, settings: Settings) -> Policy:
    """A policy with the project's own options, levels and exceptions."""
    from abigen.check.policy import Override
    from abigen.model.finding import Bump

    options = policy.options
    changes: dict[str, object] = {}
    for name, value in settings.values.items():
        if name.startswith("options."):
            key = name.removeprefix("options.").replace("-", "_")
            changes[key] = Bump(value) if key.endswith("_bump") else value
    return replace(
        policy,
        options=replace(options, **changes) if changes else options,  # type: ignore[arg-type]
        levels={**policy.levels, **settings.table("rules")},
        overrides=(*policy.overrides, *(Override(**each._asdict()) for each in settings.exceptions)),
    )


def _macro(definition: str) -> str:
    """The name of the macro that `NAME`, `NAME=VALUE` or `NAME(PARAMETERS)=VALUE` defines."""
    return definition.partition("=")[0].partition("(")[0].strip()


def _tuple(value: Value) -> tuple[str, ...]:
    return value if isinstance(value, tuple) else ()
