"""`--explain-config`: every setting, what it is, and who says so."""

from __future__ import annotations

from collections.abc import Iterator

import click

from abigen.cli.configuration import Configuration
from abigen.cli.reports import Answer, ReportOutput
from abigen.model.api import Conventions
from abigen.model.span import Span
from abigen.read.config.settings import config_keys
from abigen.report.configuration import ConfigurationReport, ExceptionRow, Setting, explanation_json, explanation_text

_COMMAND_LINE = "command line"


def explain_configuration(output: ReportOutput, configuration: Configuration) -> Answer:
    """What every setting is, and where it comes from.

    Raises:
        AbigenError: there is no such policy.
    """
    if output.format not in ("text", "json"):
        raise click.UsageError("--explain-config writes text or json.")
    settings = configuration.settings
    rows = [
        ExceptionRow(each.rule, each.entity, each.level, each.reason, each.expires, (each.place,))
        for each in settings.exceptions
    ]
    explanation = ConfigurationReport(settings.path, list(_settings(configuration, output.policy)), rows)
    return Answer((explanation_json if output.format == "json" else explanation_text)(explanation))


def _settings(configuration: Configuration, policy: str | None) -> Iterator[Setting]:
    """All settings in the order of the configuration's keys."""
    places, said = configuration.settings.places, {*configuration.given, *(["policy"] if policy else ())}
    levels = configuration.settings.table("rules")
    values, base = _values(configuration, policy), configuration.policy_name(policy)
    for name, key in config_keys().items():
        if "additionalProperties" in key and levels and "properties" not in key:
            yield from (Setting(f"{name}.{rule}", level, (places[f"{name}.{rule}"],)) for rule, level in levels.items())
        elif name != "exceptions":
            usual = f"policy {base}" if name == "options" and base != "default" else "default"
            for each in [f"{name}.{each}" for each in key["properties"]] if "properties" in key else [name]:
                yield Setting(each, values[each], _origins(places.get(each), usual, each, given=each in said))


def _origins(place: Span | None, usual: str, name: str, *, given: bool) -> tuple[Span | str, ...]:
    """Who says what a setting is; of a list that the command line extends, both."""
    if given and place is not None and name in Configuration.EXTENDED:
        return _COMMAND_LINE, place
    return (_COMMAND_LINE,) if given else (place or usual,)


def _values(configuration: Configuration, policy: str | None) -> dict[str, object]:
    """What every setting is, all sources taken together."""
    options, judged = configuration.options, configuration.policy(policy)
    conventions = configuration.conventions(Conventions())
    values: dict[str, object] = {
        "policy": judged.name,
        "targets": options.targets,
        "includes": options.include_dirs,
        "defines": options.defines,
        "undefines": options.undefines,
        "own": options.own,
        "exclude": options.exclude,
        "std": options.std,
        "cc": options.cc or "found on PATH",
        "rules": {},
    }
    for prefix, group in (("options", judged.options), ("conventions", conventions)):
        for name, value in vars(group).items():
            values[f"{prefix}.{name.replace('_', '-')}"] = getattr(value, "value", value)
    return values
