"""Consequences of findings and version numbers: the required bump, the declared bump, and what was not compared."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain

import msgspec
from msgspec.structs import asdict, replace

from abigen.checker.policy import Options
from abigen.checker.rule import RuleList
from abigen.model.api import Api, ApiSet, UnreadTarget
from abigen.model.entities import Entity, VersionDeclaration
from abigen.model.finding import Bump, Finding
from abigen.model.span import Diagnostic, HiddenPart
from abigen.model.target import C_STANDARDS, find_target, target_names
from abigen.model.version import Version, agreed_readings

_MOST = 5
_MOST_MISSING = 3
"""The number of missing included files that are named for a target."""
_CPP = re.compile(
    r"#ifdef __cplusplus|#if defined ?\(? ?__cplusplus\b(?:(?!\|\|).)*"
    r"|#else of #(?:ifndef|if ! ?defined ?\(?) ?__cplusplus(?:(?!&&).)*"
)
"""A condition that holds for C++ alone."""
_STANDARD = re.compile(r"__STDC_VERSION__ ?(?P<sign>>=?) ?(?P<value>\d{6})[uUlL]*")
"""A part of a condition that asks for a C standard."""
_CONDITION = re.compile(r"(?m)^[ \t]*#[ \t]*(?:el)?if(?:n?def)?\b(?P<asked>(?:[^\n\\]|\\\n|\\.)*)")
_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_ONE_MACRO = re.compile(r"#(?:el)?(?:ifdef |if (?:defined ?\(? ?)?)(?!_[_A-Z])(\w+)(?: ?\))?")
"""A condition that holds where one macro is defined which a user may define."""
_LEAST = re.compile(r"#(?:el)?if \(?(?!_[_A-Z])(\w+) (>=|>|==) (\d{1,9})[uUlL]*\)?")
"""A condition that holds where a macro has a value, or one above it."""


def not_compared(old: ApiSet, new: ApiSet) -> tuple[str, ...]:
    """Say what was not compared: targets that cannot be read, declarations that no target reads, and included files.

    Args:
        old: the API as it was.
        new: the API as it is.
    """
    # A spec has no text of its own for macros and for C++.
    is_published = (old.groups[0].api.header is None) != (new.groups[0].api.header is None)
    before, after = ([each for each in side.hidden if each.is_for_c or not is_published] for side in (old, new))
    had = {(each.condition, each.tokens) for each in before}
    has = {(each.condition, each.tokens) for each in after}
    changed = [each for each in after if (each.condition, each.tokens) not in had]
    conditions = {each.condition for each in changed}
    gone = [each for each in before if (each.condition, each.tokens) not in has]
    found = [_hidden_remark(each) for each in changed]
    found += [_hidden_remark(each) for each in gone if each.condition not in conditions]
    more = len(found) - _MOST
    parts = [f"{more} more parts of which no target reads the text"] if more > 0 else []
    beside = _differ_beside(old.groups[0].api, new.groups[0].api)
    targets = _targets_in_conditions(old, new)
    return (*_unread_targets(old, new), *found[:_MOST], *parts, *targets, *beside)


def _targets_in_conditions(old: ApiSet, new: ApiSet) -> Iterator[str]:
    """Yield a line for each condition of one side that asks for a target that was not compared."""
    before, after = _asked_names(old), _asked_names(new)
    names = sorted(before.keys() ^ after.keys())
    if not names:
        return
    compared = [find_target(name).macros for name in new.targets]
    for name in names:
        if any(name in macros for macros in compared):
            continue
        target = next((each for each in target_names() if name in find_target(each).macros), "")
        if target:
            place, words = (after[name], "asks") if name in after else (before[name], "asked")
            yield (
                f"{place}: a condition {words} for {name}, and no target was compared that has it; "
                f"--abi {target} has it compared"
            )


def _asked_names(api: ApiSet) -> dict[str, str]:
    """Return the names of compilers and systems that conditions ask for, each with its first place, `file:line`."""
    found: dict[str, str] = {}
    for file, text in api.sources.items():
        plain = _COMMENT.sub(lambda match: "\n" * match[0].count("\n"), text)
        for condition in _CONDITION.finditer(plain):
            for name in re.findall(r"\b_\w+", condition["asked"]):
                found.setdefault(name, f"{file}:{plain.count(chr(10), 0, condition.start('asked')) + 1}")
    return found


def _unread_targets(old: ApiSet, new: ApiSet) -> Iterator[str]:
    """Yield a finding about each target for which one side, or both, could not be read."""
    before, after = ({each.name: each for each in side.unread} for side in (old, new))
    for name in dict.fromkeys([*after, *before]):
        side = "OLD cannot be read: " if name not in after else "NEW cannot be read: " if name not in before else ""
        yield f"{name}: {side}{_cause(after.get(name) or before[name])}"


def _cause(target: UnreadTarget) -> str:
    """Return the reason why a target cannot be read: the missing files, else the first error and its possible cause."""
    if target.missing:
        first, *others = [_placed(each) for each in target.missing[:_MOST_MISSING]]
        more = len(target.missing) - _MOST_MISSING
        nor = [f", nor {each.replace(' not found', '', 1)}" for each in others]
        return f"{first}{''.join(nor)}{f', nor {more} more' if more > 0 else ''}"
    return "; ".join(map(_placed, (target.reason, *target.warnings[:1])))


def _placed(diagnostic: Diagnostic) -> str:
    """Return the first part of a message, and its place."""
    place = f" ({diagnostic.place})" if diagnostic.place else ""
    return f"{diagnostic.message.partition(',')[0] if diagnostic.severity == 'warning' else diagnostic.message}{place}"


def _differ_beside(old: Api, new: Api) -> tuple[str, ...]:
    """Return findings about included files outside of the system whose declarations differ."""
    if old.header is not None or new.header is not None:
        return ()  # the specs that a spec uses are compared by themselves
    now, names = _beside(new), {each.file: each.name[1:-1] for each in (*new.included, *old.included)}
    changed = [now.get(key, each) for key, each in _beside(old).items() if _shape(now.get(key)) != _shape(each)]
    counts = Counter(names[each.span.file] for each in changed if each.span is not None)
    return tuple(
        f"{name}: {count} of its declarations differ{'s' if count == 1 else ''}, but it is only included; "
        f"--own {name.rpartition('/')[2]} compares it"
        for name, count in [*counts.items()][:_MOST]
    )


def _shape(part: object) -> object:
    """Return an entity without what is only said of it."""
    if isinstance(part, Entity):
        return tuple(_shape(each) for key, each in asdict(part).items() if key not in ("doc", "span", "contract"))
    return tuple(map(_shape, part)) if isinstance(part, tuple) else part


def _beside(api: Api) -> dict[tuple[str, str], Entity]:
    """Return the declarations of included files, by kind and name, without those of the system."""
    files = {each.file for each in api.included if not each.is_system}
    kinds = (api.structs, api.enums, api.typedefs, api.functions, api.variables)
    return {
        (type(each).__name__, each.name): each
        for each in (chain.from_iterable(kind.values() for kind in kinds) if files else ())
        if not each.in_api and each.span is not None and each.span.file in files
    }


def _definition(condition: str) -> str:
    """Return the definition that makes a condition hold: `X`, `X=10` for `#if X >= 10`; empty for others."""
    if macro := _ONE_MACRO.fullmatch(condition):
        return macro[1]
    if (value := _LEAST.fullmatch(condition)) is None:
        return ""
    return f"{value[1]}={int(value[3]) + (value[2] == '>')}"


def _hidden_remark(part: HiddenPart) -> str:
    definition = _definition(part.condition)
    way = f"-D {definition} compares it" if definition else "choose the text with --abi, -D or -U"
    if (asked := _STANDARD.search(part.condition)) is not None and not part.condition.startswith("#else"):
        least = int(asked["value"]) + (asked["sign"] == ">")
        name = next((name for name, value in C_STANDARDS.items() if value >= least), "c23")
        way = f"--std {name} compares it"
    place = f"{part.place.file}:{part.place.line}"
    if _CPP.fullmatch(part.condition):
        return f"{place}: the text below {part.condition} differs, and only C++ reads it"
    return f"{place}: the text below {part.condition} differs, and no target reads it; {way}"


_ALL_PARTS = 3


class Release(msgspec.Struct, frozen=True):
    """The findings of all rules about changes, before those about the whole are added, and what the versions say."""

    old: ApiSet
    new: ApiSet
    findings: tuple[Finding, ...]
    required: Bump
    """The highest bump of all findings."""
    demanded: Bump
    """The bump under the policy: less than `required` while MAJOR is 0."""
    declared: str
    """`none`, `patch`, `minor`, `major`, `backwards` or `unknown`."""
    options: Options

    @property
    def old_api(self) -> Api:
        """OLD as the first target sees it."""
        return self.old.groups[0].api

    @property
    def new_api(self) -> Api:
        """NEW as the first target sees it."""
        return self.new.groups[0].api

    @property
    def causes(self) -> list[Finding]:
        """The findings that ask for the bump that is required."""
        return [each for each in self.findings if each.bump is self.required and each.rule != TOLD_BY_THE_REMOVAL]


TOLD_BY_THE_REMOVAL = "removed-without-deprecation"
"""The rule whose findings add to a removal that is reported anyway, for the author of the change."""

release_rules = RuleList[Release]()


def required_bump(findings: Iterable[Finding]) -> Bump:
    """Return the highest bump of all findings; NONE when there are none."""
    return max((finding.bump for finding in findings), key=lambda bump: bump.rank, default=Bump.NONE)


def declared_bump(old: VersionDeclaration | None, new: VersionDeclaration | None) -> str:
    """Return the bump that the version numbers declare.

    Returns:
        `none`, `patch`, `minor`, `major`, `backwards`, or `unknown` when a side states no version, several numbers may
        be the version and move differently, it is a number whose parts are unknown (`VersionDeclaration.is_counter`),
        or only the names of the macros suggest that it is the version.
    """
    if old is None or new is None:
        return "unknown"
    is_chosen = old.is_chosen or new.is_chosen
    old, new = agreed(old, new)
    if not is_chosen and any(each.is_likely or each.is_counter != old.is_counter for each in (old, new)):
        return "unknown"
    said = {_own_step(*each) for each in old.candidates_with(new)}
    return said.pop() if len(said) == 1 else "unknown"


def _own_step(old: VersionDeclaration, new: VersionDeclaration) -> str:
    """Return the step of one number that may be the version; `unknown` where its readings disagree."""
    old, new = agreed(old, new)
    if old.is_counter and new.is_counter:
        return "unknown"
    said = {_step(old.read_as((one,)), new.read_as((one,))) for one in new.readings} or {_step(old, new)}
    return said.pop() if len(said) == 1 else "unknown"


def agreed(old: VersionDeclaration, new: VersionDeclaration) -> tuple[VersionDeclaration, VersionDeclaration]:
    """Two versions that are one number each, taken apart in the same way; in several where nothing tells which.

    Args:
        old: what OLD states.
        new: what NEW states; versions that are more than one number stay as they are.
    """
    if old.number is None or new.number is None:
        return old, new
    readings = agreed_readings(old.readings, new.readings)
    return old.read_as(readings), new.read_as(readings)


def with_agreed_versions(old: ApiSet, new: ApiSet) -> tuple[ApiSet, ApiSet]:
    """Two APIs whose versions come from the same macros where they can, and are taken apart in the same way.

    NEW states none where its number comes from another macro than OLD's and is lower: that counts something else.
    """
    before, after = old.groups[0].api.version, new.groups[0].api.version
    if before is None or after is None:
        return old, new
    before, after = agreed(*_of_same_macros(before, after))
    is_lower = before.number is not None and after.number is not None and after.number < before.number
    if is_lower and not {*before.names} & {*after.names}:
        groups = (replace(each, api=replace(each.api, version=None)) for each in new.groups)
        return _with_version(old, before), replace(new, groups=tuple(groups))
    return _with_version(old, before), _with_version(new, after)


def _of_same_macros(old: VersionDeclaration, new: VersionDeclaration) -> tuple[VersionDeclaration, VersionDeclaration]:
    """Return the versions by macros of both sides; those taken for the version where there are none."""
    if old.is_chosen or new.is_chosen or {*old.names} & {*new.names}:
        return old, new
    both = ((one, other) for one in (old, *old.others) for other in (new, *new.others))
    return next((each for each in both if {*each[0].names} & {*each[1].names}), (old, new))


def _with_version(apis: ApiSet, version: VersionDeclaration) -> ApiSet:
    """Return an API whose version comes from some macros, in one reading; unchanged where that is the same."""

    def stated(found: VersionDeclaration | None) -> VersionDeclaration | None:
        all_found = (found, *found.others) if found is not None else ()
        same = next((each for each in all_found if each.names == version.names), found)
        return same and same.read_as(version.readings)

    if all(each.api.version == stated(each.api.version) for each in apis.groups):
        return apis
    groups = (replace(each, api=replace(each.api, version=stated(each.api.version))) for each in apis.groups)
    return replace(apis, groups=tuple(groups))


def _step(old: VersionDeclaration, new: VersionDeclaration) -> str:
    """Return the step between two versions."""
    before, after = (_cut(each.version, min(old.parts, new.parts)) for each in (old, new))
    if after < before:
        return "backwards"
    if after.major > before.major:
        return Bump.MAJOR.value
    if after.minor > before.minor:
        return Bump.MINOR.value
    return Bump.PATCH.value if after.patch > before.patch else Bump.NONE.value


def _cut(version: Version, parts: int) -> Version:
    """Return a version without the parts that a side does not state."""
    return Version(version.major, version.minor if parts > 1 else 0, version.patch if parts > _ALL_PARTS - 1 else 0)


def demanded_bump(
    required: Bump, old: VersionDeclaration | None, new: VersionDeclaration | None, major_zero: str
) -> Bump:
    """Return the bump that the policy demands for a required bump.

    While MAJOR is 0 nothing is promised (RFC, "Versioning Strategy and Stability"), so less may do. An API that states
    fewer than three numbers cannot be asked to move PATCH. The only number of a version counts as MAJOR, so its moving
    is enough for everything.

    Args:
        required: the highest bump of all findings.
        old: OLD's version, None when it states none.
        new: NEW's.
        major_zero: `cargo`, `none` or `strict` (`Options.major_zero`).
    """
    if old is None or new is None:
        return required
    old, new = agreed(old, new)
    if declared_bump(old, new) == "unknown":  # nor is it known whether MAJOR is 0
        return required
    demanded = required
    parts = min(old.parts, new.parts)
    if old.version.major == 0 and parts > 1:
        if major_zero == "none":
            return Bump.NONE
        if major_zero == "cargo":
            demanded = {Bump.MAJOR: Bump.MINOR, Bump.MINOR: Bump.PATCH}.get(required, required)
    if parts < _ALL_PARTS and demanded is Bump.PATCH:
        return Bump.NONE
    return demanded


def is_enough(demanded: Bump, declared: str, options: Options) -> bool:
    """True if a declared bump satisfies a demanded one.

    An API without version numbers can say nothing, so additions are fine and breaks are not (the same result as a
    release that declares MINOR). A PATCH that did not move is fine unless the policy counts it.

    Args:
        demanded: by `demanded_bump`.
        declared: by `declared_bump`.
        options: the policy's.
    """
    if declared == "backwards":
        return False
    if declared == "unknown":
        return demanded is not Bump.MAJOR
    is_excused = demanded is Bump.PATCH and not options.patch_counts
    return is_excused or Bump(declared).rank >= demanded.rank
