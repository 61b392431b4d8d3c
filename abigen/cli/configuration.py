"""What holds for a run: the command line, then the project's configuration file, then what is usual."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from abigen.read.options import ReadOptions

if TYPE_CHECKING:
    from abigen.check.policy import Policy
    from abigen.model.api import ApiSet, Conventions
    from abigen.read.config.settings import Settings, Value
    from abigen.read.evidence import Evidence
    from abigen.read.load import Loaded


class Row(NamedTuple):
    """A setting, for `--explain-config`."""

    name: str
    value: object
    origin: str
    """`command line`, `default`, or a place in a file."""


@dataclass(frozen=True, kw_only=True)
class Configuration:
    """What the configuration file says, with what the command line says instead."""

    settings: Settings
    options: ReadOptions
    """How to read, all sources taken together."""
    evidence: Evidence | None
    """What an answer rests on because of all this; None when it cannot be repeated."""
    given: Mapping[str, Value] = field(default_factory=dict)
    """What the command line says, by the name that the file has for it; what it does not say is absent."""

    def policy(self, name: str | None) -> Policy:
        """The policy to judge by, with all that the project has decided.

        Args:
            name: what the command line says; None when it says nothing.

        Raises:
            AbigenError: there is no such policy.
        """
        from abigen.check.policy import find_policy

        policy = find_policy(name or self.settings.string("policy") or "default")
        return _configured(policy, self.settings) if self.settings.path else policy

    def agreed(self, loaded: Iterable[Loaded]) -> list[Loaded]:
        """What was read, headers with the conventions that the project says they keep."""
        if not any(name.startswith("conventions.") for name in self.settings.values):
            return list(loaded)
        return [replace(each, api=_with_conventions(each.api, self.settings)) for each in loaded]

    def rows(self, policy: str | None) -> list[Row]:
        """Every setting, where it comes from, and what it is.

        Args:
            policy: what the command line says.
        """
        from abigen.read.config.keys import KEYS, TABLE, TABLES

        found: list[Row] = []
        given = {**self.given} | ({"policy": policy} if policy else {})
        usual = self._usual(str(given.get("policy") or self.settings.string("policy") or "default"))
        for name, key in KEYS.items():
            if key.kind == TABLE:
                found += [self._row(f"{name}.{inner}", given, usual) for inner in key.keys or ()]
            elif key.kind != TABLES:
                found.append(self._row(name, given, usual))
        for each in self.settings.exceptions:
            until = f", until {each.expires}" if each.expires else ""
            found.append(Row("exceptions", f"{each.rule} {each.entity}: {each.level}{until}", str(each.place)))
        return found

    def _row(self, name: str, given: Mapping[str, Value], usual: Mapping[str, object]) -> Row:
        here, there = given.get(name), self.settings.values.get(name)
        place = str(self.settings.places.get(name, ""))
        if name in _EXTENDED and here and there:
            return Row(name, (*_tuple(there), *_tuple(here)), f"{place} and command line")
        if here:
            return Row(name, here, "command line")
        return Row(name, usual.get(name, "") if there is None else there, "default" if there is None else place)

    def _usual(self, policy: str) -> dict[str, object]:
        """What holds where nobody says anything."""
        from abigen.check.policy import find_policy
        from abigen.model.api import Conventions
        from abigen.model.target import default_targets

        options, conventions = find_policy(policy).options, Conventions()
        return {
            "policy": "default",
            "targets": default_targets(),
            "std": ReadOptions(targets=()).std,
            "cc": "found on PATH",
            "options.major-zero": options.major_zero,
            "options.source-counts": options.source_counts,
            "options.macro-body-bump": options.macro_body_bump.value,
            "options.repurposed-bump": options.repurposed_bump.value,
            "options.strict-padding": options.strict_padding,
            "conventions.size-field": conventions.size_field,
            "conventions.extension-field": conventions.extension_field,
            "conventions.max-alignment": conventions.max_alignment,
            "conventions.sentinels": conventions.sentinels,
            "conventions.filled-by": conventions.filled_by,
        }


_EXTENDED = ("includes", "defines", "undefines")
"""Lists to which the command line adds; of all else it says it instead."""


def configure(given: Mapping[str, Value], path: str | None, *, ignored: bool, cache: bool) -> Configuration:
    """Take the command line and the configuration file together.

    Args:
        given: what the command line says of reading, by the name that the file has for it.
        path: the file that the command line names; None to look for one.
        ignored: whether no file counts.
        cache: whether earlier runs may be used.

    Raises:
        AbigenError: with everything that is wrong with the file, or because there is no such target.
    """
    from abigen.model.target import default_targets, find_target

    moment = time.time_ns()
    settings = _settings(path, ignored=ignored)
    base = os.path.dirname(settings.path)
    named = tuple(dict.fromkeys(find_target(name).name for name in _tuple(given.get("targets", ()))))
    targets = named or settings.strings("targets")
    standard, compiler = given.get("std") or settings.string("std"), given.get("cc") or settings.string("cc")
    options = ReadOptions(
        targets=targets or default_targets(),
        include_dirs=(
            *_tuple(given.get("includes", ())),
            *(os.path.normpath(os.path.join(base, each)) for each in settings.strings("includes")),
        ),
        defines=(*settings.strings("defines"), *_tuple(given.get("defines", ()))),
        undefines=(*settings.strings("undefines"), *_tuple(given.get("undefines", ()))),
        std=str(standard or ReadOptions(targets=()).std),
        cc=str(compiler) if compiler else None,
        cache=cache,
    )
    said = {name: each for name, each in given.items() if each}
    return Configuration(settings=settings, options=options, evidence=_evidence(settings, moment), given=said)


def _settings(path: str | None, *, ignored: bool) -> Settings:
    """What the file says."""
    from abigen.read.config.find import Source, find_configuration, read_configuration
    from abigen.read.config.settings import Settings, parse_settings

    if ignored:
        return Settings()
    if path is None:
        try:
            directory = os.getcwd()
        except OSError:  # it has been removed
            return Settings()
        source: Source = find_configuration(directory)
    else:
        source = read_configuration(path)
    return parse_settings(source, _rules)


def _evidence(settings: Settings, moment: int) -> Evidence | None:
    """What an answer rests on because of the configuration, which was looked for after a moment."""
    from abigen.read.evidence import changed_since, date_evidence

    if settings.evidence is None or changed_since(settings.evidence, moment):
        return None
    return settings.evidence | (date_evidence() if any(each.expires for each in settings.exceptions) else {})


def _rules() -> Iterable[tuple[str, str]]:
    """Code and name of every rule."""
    from abigen.check.rule import labels, registry

    return labels(registry().all())


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
        overrides=policy.overrides
        + tuple(
            Override(
                rule=each.rule,
                entity=each.entity,
                level=each.level,
                reason=each.reason,
                expires=each.expires,
                place=each.place,
            )
            for each in settings.exceptions
        ),
    )


def _with_conventions(api: ApiSet, settings: Settings) -> ApiSet:
    """Headers with what the file says of their conventions; a spec says it itself."""
    changes = {
        name.removeprefix("conventions.").replace("-", "_"): value
        for name, value in settings.values.items()
        if name.startswith("conventions.")
    }
    groups = tuple(
        group
        if group.api.header is not None
        else replace(group, api=replace(group.api, conventions=_changed(group.api.conventions, changes)))
        for group in api.groups
    )
    return replace(api, groups=groups)


def _changed(conventions: Conventions, changes: Mapping[str, object]) -> Conventions:
    return replace(conventions, **changes)  # type: ignore[arg-type]


def _tuple(value: Value) -> tuple[str, ...]:
    return value if isinstance(value, tuple) else ()
