"""What a revision of an API did to the one before it, and how its structs and size constants stand there."""

from __future__ import annotations

from collections.abc import Iterator

from abigen.check.compare import compare
from abigen.check.policy import Policy
from abigen.check.release import TOLD_BY_THE_REMOVAL, release_rules
from abigen.check.struct_sizes import measures
from abigen.model.api import ApiSet
from abigen.model.finding import Bump, Finding, Level, MemberShape, RevisionState, StaleConstant, StructShape
from abigen.model.layout import Layouts
from abigen.model.span import AbigenError
from abigen.model.spelling import canonical, spell
from abigen.model.target import find_target


def state_of(before: ApiSet | None, now: ApiSet, policy: Policy) -> RevisionState:
    """Judge one revision of an API.

    Args:
        before: the revision before it that can be read; None for the first.
        now: the API at this revision.
        policy: which rules count, and how loud they are.

    Returns:
        The state; structs and size constants stand as they do on the first target.

    Raises:
        AbigenError: the two have no target in common, or a type's layout cannot be computed.
    """
    verdict = None if before is None else compare(before, now, policy)
    target = now.targets[0]
    layouts = Layouts(now.for_target(target), find_target(target))
    declared = layouts.api.version
    version = "" if declared is None else str(declared.version)
    structs, stale = tuple(_shapes(layouts)), tuple(_stale(layouts))
    if verdict is None:
        return RevisionState(version=version, structs=structs, stale=stale)
    told = {*(rule.name for rule in release_rules), TOLD_BY_THE_REMOVAL}
    breaks = tuple(each for each in verdict.findings if _is_break(each) and each.rule not in told)
    return RevisionState(
        version=version,
        required=verdict.required,
        demanded=verdict.demanded,
        declared=verdict.declared,
        ok=verdict.ok,
        breaks=breaks,
        others=tuple(each for each in verdict.findings if each.bump in (Bump.MINOR, Bump.PATCH)),
        structs=structs,
        stale=stale,
    )


def _is_break(finding: Finding) -> bool:
    """Whether a finding requires MAJOR, or is a flaw that no version repairs."""
    return finding.bump is Bump.MAJOR or (finding.level is Level.ERROR and finding.bump is Bump.NONE)


def _shapes(layouts: Layouts) -> Iterator[StructShape]:
    """The structs and unions of the API itself that it defines and that have a layout."""
    for key, struct in layouts.api.structs.items():
        if not struct.in_api or struct.anonymous or struct.fields is None:
            continue
        try:
            layout = layouts.of(key)
        except AbigenError:  # a member of incomplete type; the rules speak of it
            continue
        members = tuple(
            MemberShape(
                each.name or f"(unnamed at {each.offset})",
                spell(canonical(each.field.type, layouts.api)).replace("\n", " "),
                each.offset,
                each.size,
            )
            for each in layout.fields
        )
        yield StructShape(key, layout.size, members)


def _stale(layouts: Layouts) -> Iterator[StaleConstant]:
    for each in measures(layouts):
        if each.is_stale and each.names_one_struct:
            yield StaleConstant(each.constant.name, each.struct.name, each.value, each.unpadded_size, each.left_out)
