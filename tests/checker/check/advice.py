"""Doing by text what the help of a finding says, as somebody with an editor would.

What is to be done `before it is released` costs MAJOR afterwards, so it is not done here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import msgspec

from abigen.model.entities import VersionDeclaration
from abigen.model.finding import Finding


class Situation(msgspec.Struct, frozen=True):
    """A finding, and the texts of both headers as lines."""

    finding: Finding
    old: Sequence[str]
    new: Sequence[str]
    version: VersionDeclaration | None
    """OLD's."""

    @property
    def name(self) -> str:
        """The subject of the finding, without the struct."""
        return self.finding.entity.rpartition(".")[2]


Edit = Callable[[Situation, re.Match[str]], list[str] | None]


def apply(situation: Situation) -> list[str] | None:
    """Return NEW's lines after the advice of a finding was taken; None where no text follows from it."""
    for pattern, edit in _EDITS:
        match = re.search(pattern, situation.finding.help)
        if match:
            return edit(situation, match)
    return None


def _set_version(situation: Situation, match: re.Match[str]) -> list[str] | None:
    """`set the version to 1.2.0`."""
    if situation.version is None or not situation.version.macros or situation.version.number is not None:
        return None
    lines = list(situation.new)
    for (name, _), number in zip(situation.version.macros, match["version"].split("."), strict=False):
        lines = [re.sub(rf"(\b{name}\b\s*=?\s*)\d+", rf"\g<1>{number}", line) for line in lines]
    return lines


def _set_number(situation: Situation, match: re.Match[str]) -> list[str] | None:
    """`set TOY_VERSION to 12020 (12.2)`."""
    pattern = rf"(\b{match['macro']}\b\s*=?\s*)(?:0[xX])?\w+"
    return [re.sub(pattern, rf"\g<1>{match['number']}", line) for line in situation.new]


def _add_definition(situation: Situation, match: re.Match[str]) -> list[str] | None:
    """`keep it: #define A B`, `typedef struct New Old;`: put before the end of the guard or of `extern "C"`."""
    return [*situation.new, match["text"]]


def _repair_size(situation: Situation, match: re.Match[str]) -> list[str] | None:
    """`let SIZE end at member`: another member in its definition."""
    place = situation.finding.new
    if place is None:
        return None
    lines, index = list(situation.new), place.line - 1
    while index < len(lines) and not re.search(r",\s*\w+\s*\)", lines[index]) and lines[index].endswith("\\"):
        index += 1
    repaired = re.sub(r"(,\s*)\w+(\s*\))", rf"\g<1>{match['member']}\2", lines[index])
    lines[index] = re.sub(r"(->\s*)\w+", rf"\g<1>{match['member']}", repaired)
    if lines[index].rstrip().endswith("\\"):
        lines[index + 1] = re.sub(r"(->\s*)\w+", rf"\g<1>{match['member']}", lines[index + 1])
    return lines


def _keep_declaration(situation: Situation, match: re.Match[str]) -> list[str] | None:
    """`keep toy_play`, perhaps `mark it deprecated`: the declaration of OLD, once more."""
    place = situation.finding.old
    if place is None or "." in situation.finding.entity:
        return None
    if any(re.match(rf"#\s*define\s+{situation.name}\b", line) for line in situation.new):
        return None
    lines = list(situation.old[place.line - 1 : place.line])
    while lines[-1].endswith("\\") or not (lines[0].lstrip().startswith("#") or lines[-1].rstrip().endswith(";")):
        following = place.line - 1 + len(lines)
        if following == len(situation.old) or len(lines) > 5:
            return None
        lines.append(situation.old[following])
    mark = ["// Deprecated."] if "deprecated" in situation.finding.help else []
    return _inserted(situation, place.line - 1 + len(lines), [*mark, *lines])


def _keep_member(situation: Situation, match: re.Match[str]) -> list[str] | None:
    """`keep depth in place and mark it `Deprecated.``."""
    place = situation.finding.old
    line = situation.old[place.line - 1] if place else ""
    if place is None or not _is_member(line, situation.name):
        return None
    return _inserted(situation, place.line, [_marked(line, "Deprecated.")])


def _keep_place(situation: Situation, match: re.Match[str]) -> list[str] | None:
    """`keep reserved in place, and append price after kind`; the same with a mark that says it is deprecated."""
    was, now = situation.finding.old, situation.finding.new
    if was is None or now is None:
        return None
    old, new = situation.old[was.line - 1], situation.new[now.line - 1]
    if not (_is_member(old, match["old"]) and _is_member(new, match["new"])):
        return None
    lines = list(situation.new)
    lines[now.line - 1] = _marked(old, "Deprecated.") if match["mark"] else old
    last = _line_of(lines, match["last"], now.line - 1)
    return None if last is None else [*lines[: last + 1], new, *lines[last + 1 :]]


def _keep_name(situation: Situation, match: re.Match[str]) -> list[str] | None:
    """`keep depth and mark it `Deprecated. Use width.`; append width (`Replaces depth.`)`."""
    was, now = situation.finding.old, situation.finding.new
    if was is None or now is None:
        return None
    old, new = situation.old[was.line - 1], situation.new[now.line - 1]
    if not (_is_member(old, match["old"]) and _is_member(new, match["new"])):
        return None
    return _replaced(situation, now.line - 1, _marked(old, f"Deprecated. Use {match['new']}."), new, match["old"])


def _keep_type(situation: Situation, match: re.Match[str]) -> list[str] | None:
    """`append a member of the new type (`Replaces depth.`), mark depth `Deprecated.``."""
    was, now, name = situation.finding.old, situation.finding.new, match["old"]
    if was is None or now is None:
        return None
    old, new = situation.old[was.line - 1], situation.new[now.line - 1]
    if not (_is_member(old, name) and _is_member(new, name)) or old.partition("//")[0] == new.partition("//")[0]:
        return None
    renamed = re.sub(rf"\b{name}\b", f"{name}_again", new.partition("//")[0].rstrip())
    return _replaced(situation, now.line - 1, _marked(old, f"Deprecated. Use {name}_again."), renamed, name)


def _append(situation: Situation, match: re.Match[str]) -> list[str] | None:
    """`append depth after width`."""
    place = situation.finding.new
    lines = list(situation.new)
    if place is None or not _is_member(lines[place.line - 1], match["member"]):
        return None
    member = lines.pop(place.line - 1)
    last = _line_of(lines, match["last"], place.line - 1)
    return None if last is None else [*lines[: last + 1], member, *lines[last + 1 :]]


def _old_value(situation: Situation, match: re.Match[str]) -> list[str] | None:
    """`give it its old value back: A = 5`."""
    place = situation.finding.new
    if place is None:
        return None
    lines = list(situation.new)
    line = lines[place.line - 1]
    changed = re.sub(rf"\b{match['name']}\b(\s*=[^,}}/]*)?", f"{match['name']} = {match['value']}", line, count=1)
    lines[place.line - 1] = changed
    return lines


def _old_enumerator(situation: Situation, match: re.Match[str]) -> list[str] | None:
    """`keep the old name as well: A = B`."""
    place = situation.finding.new
    if place is None:
        return None
    lines = list(situation.new)
    for index in range(place.line - 1, len(lines)):
        if "}" in lines[index]:
            before, brace, after = lines[index].partition("}")
            body = before.rstrip() or lines[index - 1].partition("//")[0].rstrip()
            comma = "" if body.endswith(",") else ","
            lines[index] = f"{before}{comma} {match['old']} = {match['new']} {brace}{after}"
            return lines
    return None


def _say(situation: Situation, match: re.Match[str]) -> list[str] | None:
    """`say `0 is no-op.`` in a member's comment."""
    place = situation.finding.new
    if place is None or not _is_member(situation.new[place.line - 1], situation.name):
        return None
    lines = list(situation.new)
    lines[place.line - 1] = _marked(
        lines[place.line - 1], "NULL is no-op." if "*" in lines[place.line - 1] else "0 is no-op."
    )
    return lines


def _guard(situation: Situation, match: re.Match[str]) -> list[str] | None:
    """`begin it with `#ifndef NAME` and `#define NAME`, and end it with `#endif``."""
    return ["#ifndef API_GUARD_H_", "#define API_GUARD_H_", *situation.new, "#endif"]


def _inserted(situation: Situation, behind: int, lines: Sequence[str]) -> list[str] | None:
    """NEW with lines behind that which stood in front of them in OLD, or in front of that which stood behind them."""
    rest = situation.old[behind:]
    end = next((each for each in rest if each.startswith("}")), "")
    last = situation.new.index(end) if end in situation.new else len(situation.new)
    first = max((at for at, each in enumerate(situation.new[:last]) if each.startswith("}")), default=0)
    before = situation.old[behind - 2]
    if end and before in situation.new[first:last]:
        at = situation.new.index(before, first) + 1
        return [*situation.new[:at], *lines, *situation.new[at:]]
    for following in rest:
        if situation.new.count(following) == 1 and following.strip():
            at = situation.new.index(following)
            if first <= at <= last:  # else it is a line of another struct
                return [*situation.new[:at], *lines, *situation.new[at:]]
    return None


def _replaced(situation: Situation, at: int, kept: str, appended: str, old: str) -> list[str] | None:
    """NEW with a member as it was, and what replaces it at the end of the struct."""
    lines = [*situation.new[:at], kept, *situation.new[at + 1 :]]
    end = next((index for index in range(at, len(lines)) if lines[index].startswith("}")), None)
    if end is None:
        return None
    return [*lines[:end], _marked(appended, f"Replaces {old}. 0 is no-op."), *lines[end:]]


def _marked(line: str, mark: str) -> str:
    """Return a member's line with a mark in its comment."""
    code, _, comment = line.partition("//")
    return f"{code.rstrip()}  // {mark} {comment.strip()}".rstrip()


def _is_member(line: str, name: str) -> bool:
    """True if a line declares one member, and nothing else."""
    code = line.partition("//")[0]
    return re.search(rf"\b{name}\b", code) is not None and code.count(";") == 1 and "{" not in code and "/*" not in code


def _line_of(lines: Sequence[str], name: str, start: int) -> int | None:
    """Return the line that declares a member, at or behind another, in the same struct."""
    for index in range(start, len(lines)):
        if _is_member(lines[index], name):
            return index
        if lines[index].lstrip().startswith("}"):
            break
    return None


_EDITS: tuple[tuple[str, Edit], ...] = (
    (r"set the version to (?P<version>[\d.]+)$", _set_version),
    (r"set (?P<macro>\w+) to (?P<number>\w+)(?: \([\d.]+\))?$", _set_number),
    (r"^keep it: (?P<text>#define \w+ .+)$", _add_definition),
    (r"^keep the old name: `(?P<text>typedef [^`]+;)`$", _add_definition),
    (r"^keep the old name as well: (?P<old>\w+) = (?P<new>\w+)$", _old_enumerator),
    (r"let (?:it|\w+) end at (?P<member>\w+)$", _repair_size),
    (
        r"^keep (?P<old>\w+) in place(?P<mark> and mark it `Deprecated\.`)?, and append (?P<new>\w+) "
        r"after (?P<last>\w+)",
        _keep_place,
    ),
    (r"^keep \w+ in place and mark it `Deprecated\.`; remove", _keep_member),
    (r"^keep (?P<old>\w+) and mark it `Deprecated\. Use (?P<new>\w+)\.`; append", _keep_name),
    (r"^append a member of the new type \(`Replaces (?P<old>\w+)\.`\), mark", _keep_type),
    (r"^append (?P<member>\w+) after (?P<last>\w+)", _append),
    (r"^give it its old value back: (?P<name>\w+) = (?P<value>-?\w+)$", _old_value),
    (r"^say `0 is no-op\.` \(", _say),
    (r"^begin it with `#ifndef NAME`", _guard),
    (r"^keep (?!a |stating|the |all )\w+(?:$|, mark it deprecated)", _keep_declaration),
)
