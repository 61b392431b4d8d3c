"""What `abigen diff` did not compare: targets it could not read, text that no target reads, and included files."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import chain

from msgspec.structs import asdict

from abigen.model.api import Api, ApiSet, UnreadTarget
from abigen.model.entities import Entity
from abigen.model.span import Diagnostic, HiddenPart
from abigen.model.target import C_STANDARDS, find_target, target_names

_MOST = 5
_MOST_MISSING = 3
"""How many included files are named that a target lacks."""
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
    found = [_told(each) for each in changed]
    found += [_told(each) for each in gone if each.condition not in conditions]
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
    """What is said of each target for which one side, or both, could not be read."""
    before, after = ({each.name: each for each in side.unread} for side in (old, new))
    for name in dict.fromkeys([*after, *before]):
        side = "OLD cannot be read: " if name not in after else "NEW cannot be read: " if name not in before else ""
        yield f"{name}: {side}{_cause(after.get(name) or before[name])}"


def _cause(target: UnreadTarget) -> str:
    """Why a target cannot be read: the files that it lacks, else the first error and what may have led to it."""
    if target.missing:
        first, *others = [_placed(each) for each in target.missing[:_MOST_MISSING]]
        more = len(target.missing) - _MOST_MISSING
        nor = [f", nor {each.replace(' not found', '', 1)}" for each in others]
        return f"{first}{''.join(nor)}{f', nor {more} more' if more > 0 else ''}"
    return "; ".join(map(_placed, (target.reason, *target.warnings[:1])))


def _placed(diagnostic: Diagnostic) -> str:
    """The first part of a message, and its place."""
    place = f" ({diagnostic.place})" if diagnostic.place else ""
    return f"{diagnostic.message.partition(',')[0] if diagnostic.severity == 'warning' else diagnostic.message}{place}"


def _differ_beside(old: Api, new: Api) -> tuple[str, ...]:
    """What is said of included files that no system brings, where what they declare differs."""
    if old.header is not None or new.header is not None:
        return ()  # the specs that a spec uses are compared by themselves
    now, names = _beside(new), {each.file: each.name[1:-1] for each in (*new.included, *old.included)}
    changed = [now.get(key, each) for key, each in _beside(old).items() if _shape(now.get(key)) != _shape(each)]
    counts = Counter(names[each.span.file] for each in changed if each.span is not None)
    return tuple(
        f"{name}: {count} of its declarations differ{'s' if count == 1 else ''}, but it is only included; "
        f"--own {name.rpartition('/')[2]} has it compared"
        for name, count in [*counts.items()][:_MOST]
    )


def _shape(part: object) -> object:
    """An entity without what is only said of it."""
    if isinstance(part, Entity):
        return tuple(_shape(each) for key, each in asdict(part).items() if key not in ("doc", "span", "contract"))
    return tuple(map(_shape, part)) if isinstance(part, tuple) else part


def _beside(api: Api) -> dict[tuple[str, str], Entity]:
    """What included files declare, by kind and name, but for those of the system."""
    files = {each.file for each in api.included if not each.is_system}
    kinds = (api.structs, api.enums, api.typedefs, api.functions, api.variables)
    return {
        (type(each).__name__, each.name): each
        for each in (chain.from_iterable(kind.values() for kind in kinds) if files else ())
        if not each.in_api and each.span is not None and each.span.file in files
    }


def _definition(condition: str) -> str:
    """What a user defines so that a condition holds: `X`, `X=10` for `#if X >= 10`; empty where it asks for more."""
    if macro := _ONE_MACRO.fullmatch(condition):
        return macro[1]
    if (value := _LEAST.fullmatch(condition)) is None:
        return ""
    return f"{value[1]}={int(value[3]) + (value[2] == '>')}"


def _told(part: HiddenPart) -> str:
    definition = _definition(part.condition)
    way = f"-D {definition} has it compared" if definition else "--abi, -D and -U say what holds"
    if (asked := _STANDARD.search(part.condition)) is not None and not part.condition.startswith("#else"):
        least = int(asked["value"]) + (asked["sign"] == ">")
        name = next((name for name, value in C_STANDARDS.items() if value >= least), "c23")
        way = f"--std {name} has it compared"
    place = f"{part.place.file}:{part.place.line}"
    if _CPP.fullmatch(part.condition):
        return f"{place}: the text below {part.condition} differs, and only C++ reads it"
    return f"{place}: the text below {part.condition} differs, and no target reads it; {way}"
