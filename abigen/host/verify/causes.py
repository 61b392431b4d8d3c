"""Which findings follow from others, and where each stands: a cause has the headline, what follows stands below."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
from msgspec.structs import replace

from abigen.host.verify.check import PluginCheck
from abigen.model.api import Api
from abigen.model.ctype import NamedType
from abigen.model.entities import Handle
from abigen.model.finding import Finding, Level
from abigen.model.span import Span
from abigen.shipped import is_shipped

Key = tuple[str, str]
"""The code and the entity of a finding."""
LOUDNESS = (Level.ERROR, Level.WARNING, Level.NOTE)


class Past(msgspec.Struct, frozen=True):
    """What had happened in a process before a check found something there."""

    found: frozenset[Key]
    """By checks that spoil the rest of a process."""
    called: frozenset[str]
    """The functions."""


def causes_first(
    findings: Sequence[Finding], checks: Sequence[PluginCheck], api: Api, pasts: Mapping[Key, Past]
) -> tuple[Finding, ...]:
    """The findings that do not follow from others, each with those that follow from it.

    One follows from another that is as loud or louder, and

    - is about the same entity, and from a check that explains its own (`PluginCheck.unless`); or
    - from a check after which nothing more can be expected (`PluginCheck.spoils`), and about the same function, or
      about the one that makes what this function takes, or found earlier in the same process; or
    - is from a check on which others rest (`PluginCheck.basic`), and this one has called the function that is accused.

    Args:
        findings: all of them, the loudest first.
        checks: those that they are from.
        api: says what functions take, and what makes it.
        pasts: what had happened before each finding of a check that calls the plugin.
    """
    by_code = {check.code: check for check in checks}

    def explains(cause: Finding, finding: Finding) -> bool:
        if cause is finding or LOUDNESS.index(cause.level) > LOUDNESS.index(finding.level):
            return False
        is_same, check, other = cause.entity == finding.entity, by_code[cause.code], by_code[finding.code]
        past = pasts.get((finding.code, finding.entity), Past(frozenset(), frozenset()))
        if (is_same and check.code in other.unless) or (check.spoils and _takes_what_is_made(api, cause, finding)):
            return True
        if is_same and other.code in check.unless:
            return False
        is_first = findings.index(cause) < findings.index(finding)  # of two that could explain each other
        if check.spoils and other.spoils:
            return is_same and is_first
        if check.spoils and (is_same or (cause.code, cause.entity) in past.found):
            return True
        return check.basic and check is not other and (is_first or not other.basic) and cause.entity in past.called

    causes = [next((i for i, each in enumerate(findings) if explains(each, one)), None) for one in findings]
    followed: dict[int, list[Finding]] = {}
    for index, finding in enumerate(findings):
        chain = [index]
        while (cause := causes[chain[-1]]) is not None and cause not in chain:
            chain.append(cause)
        root = chain[-1] if cause is None else min(chain)
        followed.setdefault(root, []).extend([] if root == index else [finding])
    return tuple(replace(findings[root], consequences=tuple(rest)) for root, rest in sorted(followed.items()))


def _takes_what_is_made(api: Api, cause: Finding, finding: Finding) -> bool:
    """Whether the function that a finding is about takes a handle that the other function makes."""
    made = {each.name for each in api.typedefs.values() if isinstance(each, Handle) and each.create == cause.entity}
    record, _, member = finding.entity.rpartition(".")
    fields = api.structs[record].fields or () if record in api.structs else ()
    type = next((api.callback(each.type) for each in fields if each.name == member), None)
    return type is not None and any(isinstance(p.type, NamedType) and p.type.name in made for p in type.parameters)


def place_of(api: Api, entity: str) -> Span | None:
    """Where the API declares an entity; None for what it does not declare, and for files that come with abigen."""
    name, _, member = entity.partition(".")
    struct = api.structs.get(name)
    if struct is not None and struct.in_api:
        return _of_users(next((each.span for each in struct.fields or () if each.name == member), struct.span))
    function = api.functions.get(name)
    return _of_users(function.span) if function is not None and function.in_api else None


def _of_users(span: Span | None) -> Span | None:
    """A place, unless it is in a spec that comes with abigen, and nobody is at work there."""
    return None if span is None or is_shipped(span.file) else span
