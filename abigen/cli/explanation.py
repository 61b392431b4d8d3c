"""`--explain-config`: every setting, what it is, and who says so."""

from __future__ import annotations

from collections.abc import Iterator

from abigen.check.policy import find_policy
from abigen.cli.configuration import Configuration
from abigen.model.api import Conventions
from abigen.model.span import Span
from abigen.read.config.reading import config_schema
from abigen.report.configuration import ExceptionRow, Explanation, Setting

_COMMAND_LINE = "command line"
_DEFAULT = "default"


def explain(configuration: Configuration, policy: str | None) -> Explanation:
    """What a run goes by.

    Args:
        configuration: the run's own.
        policy: what the command line says of it.

    Raises:
        AbigenError: there is no such policy.
    """
    settings = configuration.settings
    exceptions = [
        ExceptionRow(each.rule, each.entity, each.level, each.reason, each.expires, each.place)
        for each in settings.exceptions
    ]
    return Explanation(settings.path, list(_settings(configuration, policy)), exceptions)


def _settings(configuration: Configuration, policy: str | None) -> Iterator[Setting]:
    """All settings in the order of the configuration's keys."""
    places, said = configuration.settings.places, {*configuration.given, *(["policy"] if policy else ())}
    levels = configuration.settings.table("rules")
    values, base = _values(configuration, policy), configuration.policy_name(policy)
    for name, key in config_schema()["properties"].items():
        if "additionalProperties" in key and levels and "properties" not in key:
            yield from (Setting(f"{name}.{rule}", level, (places[f"{name}.{rule}"],)) for rule, level in levels.items())
        elif name != "exceptions":
            inner = [f"{name}.{each}" for each in key["properties"]] if "properties" in key else [name]
            for each in inner:
                usual = f"policy {base}" if name == "options" and base != "default" else _DEFAULT
                yield Setting(each, values[each], _origins(places.get(each), usual, each, given=each in said))


def _origins(place: Span | None, usual: str, name: str, *, given: bool) -> tuple[Span | str, ...]:
    """Who says what a setting is; of a list that the command line extends, both."""
    if given and place is not None and name in Configuration.EXTENDED:
        return _COMMAND_LINE, place
    return (_COMMAND_LINE,) if given else (place or usual,)


def _values(configuration: Configuration, policy: str | None) -> dict[str, object]:
    """What every setting is, all sources taken together."""
    options, judged = configuration.options, configuration.policy(policy).options
    conventions = configuration.conventions(Conventions())
    return {
        "policy": find_policy(configuration.policy_name(policy)).name,
        "targets": options.targets,
        "includes": options.include_dirs,
        "defines": options.defines,
        "undefines": options.undefines,
        "std": options.std,
        "cc": options.cc or "found on PATH",
        "rules": {},
        "options.major-zero": judged.major_zero,
        "options.source-counts": judged.source_counts,
        "options.macro-body-bump": judged.macro_body_bump.value,
        "options.repurposed-bump": judged.repurposed_bump.value,
        "options.strict-padding": judged.strict_padding,
        "conventions.size-field": conventions.size_field,
        "conventions.extension-field": conventions.extension_field,
        "conventions.max-alignment": conventions.max_alignment,
        "conventions.sentinels": conventions.sentinels,
        "conventions.counts": conventions.counts,
        "conventions.size-macro": conventions.size_macro,
        "conventions.filled-by": conventions.filled_by,
        "conventions.unmarked": conventions.unmarked.value,
    }
