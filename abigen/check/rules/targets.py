"""Changes that are judged otherwise on one target than on another."""

from __future__ import annotations

from collections.abc import Iterator

from abigen.check.judgement import Judgement
from abigen.check.merge import worst_by_target
from abigen.check.rule import Report, verdict_rule
from abigen.model.api import Api
from abigen.model.finding import Bump, Detail, Finding


@verdict_rule("ABI119")
def target_dependent(judgement: Judgement) -> Iterator[Report]:
    """A change costs more on some targets than on others.

    What changed: the same edit was judged on each target by its own sizes, alignments and types, and the verdicts
    differ: a union that grows on 32-bit targets only, a type that is another one on Windows.

    What happens: a release that looks harmless where it was tested breaks elsewhere. The worst verdict counts.

    Instead: use types of fixed size (`int32_t`, `uint64_t`), and lay structs out alike on all targets.

    Source: rulebook section 3; C 6.2.5 (sizes of types are the implementation's).
    """
    by_entity: dict[str, list[Finding]] = {}
    for finding in judgement.findings:
        by_entity.setdefault(finding.entity, []).append(finding)
    for entity, about in by_entity.items():
        if not any(finding.targets for finding in about):
            continue
        bumps = _verdicts(entity, about, judgement)
        if len(set(bumps.values())) > 1:
            yield _report(entity, about, bumps)


def _verdicts(entity: str, about: list[Finding], judgement: Judgement) -> dict[str, Bump]:
    """What an entity's changes require on each target that has the entity."""
    worst = worst_by_target(about, entity)
    for target in judgement.new.targets:
        if target not in worst and target in judgement.old.targets:
            before, after = judgement.of_target(target)
            if has_entity(before, entity) and has_entity(after, entity):
                worst[target] = Bump.NONE
    return {target: worst[target] for target in judgement.new.targets if target in worst}


def has_entity(api: Api, entity: str) -> bool:
    """Whether an API declares an entity, or the struct or enumeration that it belongs to."""
    name = entity.partition(".")[0]
    return any(
        name in entities
        for entities in (api.structs, api.enums, api.typedefs, api.functions, api.variables, api.constants, api.macros)
    )


def _report(entity: str, about: list[Finding], bumps: dict[str, Bump]) -> Report:
    """The report about one entity."""
    worst = max(bumps.values(), key=lambda bump: bump.rank)
    cause = max(about, key=lambda finding: finding.bump.rank)
    by_bump: dict[Bump, list[str]] = {}
    for target, bump in bumps.items():
        by_bump.setdefault(bump, []).append(target)
    said = "; ".join(
        f"{bump.value} on {', '.join(targets)}"
        for bump, targets in sorted(by_bump.items(), key=lambda item: -item[0].rank)
    )
    return Report(
        entity=entity,
        bump=worst,
        message=f"the change of {entity} is not judged alike everywhere: {said}",
        axes=cause.axes,
        help="use types whose size is the same everywhere, or declare the worst bump",
        details=(Detail("cause", f"{cause.code} {cause.rule}"),),
        old=cause.old,
        new=cause.new,
        caret=said,
    )
