"""Compares a verdict of abigen with a compiler's answers for both sides."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property

import msgspec

from abigen.model.finding import Bump, Finding, Verdict
from tests.checker.oracle.clang import Truth, paths
from tests.checker.oracle.headers import Header, Member, Record

_SAME = {"word": "unsigned int", "signed": "int", "long long int": "long long"}
_ABOUT_LAYOUT = ("layout-changed", "packing-changed")
_MOVE = re.compile(r"([\w.]+) from (bit )?(\d+) to (\d+)")


class Case(msgspec.Struct, frozen=True, dict=True):
    """An edit, what a compiler says of it on one target, and what abigen says of it."""

    target: str
    old: Header
    new: Header
    before: Mapping[str, Truth]
    after: Mapping[str, Truth]
    verdict: Verdict

    def complaints(self) -> Iterator[str]:
        """Yield the errors of the verdict, for people."""
        for record in self.old.records:
            if self._is_break(record) and not any(_names(each, record.name) for each in self._majors):
                yield f"{record.name} breaks without MAJOR: {self.differences(record.name)}"
        if self.is_the_same and self._majors:
            yield f"nothing moved, and MAJOR: {[f'{each.rule} {each.entity}' for each in self._majors]}"
        for finding in self.verdict.findings:
            if self.target in finding.targets:
                yield from self._wrong_numbers(finding)
                yield from self._wrong_claims(finding)

    @cached_property
    def _majors(self) -> list[Finding]:
        """Findings that need MAJOR on the target."""
        found = (each for each in self.verdict.findings if each.bump is Bump.MAJOR)
        found = (each for each in found if each.rule != "target-dependent")
        return [each for each in found if not each.targets or _bump(each, self.target) == "major"]

    @cached_property
    def _news(self) -> dict[str, Record]:
        return {each.name: each for each in self.new.records}

    def differences(self, name: str) -> list[str]:
        """Return the differences between a record in OLD and in NEW."""
        old, new = self.before[name], self.after.get(name)
        if new is None:
            return ["gone"]
        told = [f"{key} from {was} to {new.members.get(key)}" for key, was in old.members.items()]
        told = [each for each, key in zip(told, old.members, strict=True) if old.members[key] != new.members.get(key)]
        if (old.size, old.alignment) != (new.size, new.alignment):
            told.append(f"{old.size} bytes aligned to {old.alignment}, now {new.size} aligned to {new.alignment}")
        return told

    def _is_break(self, old: Record) -> bool:
        """True if what both sides have lies elsewhere; a struct that says its size may grow at the end."""
        if not self.differences(old.name):
            return False
        new = self._news.get(old.name)
        if new is None or not (_is_versioned(old, self.old) and _is_versioned(new, self.new)):
            return True
        held = re.compile(rf"\b{old.name}\b")
        is_held = any(held.search(each.shape) for record in self.old.records for _, each in paths(record))
        was, now = self.before[old.name], self.after[old.name]
        stays = all(now.members.get(key) == place for key, place in was.members.items())
        end = max(sum(place) for place in was.members.values())
        is_longer = any(first >= end for key, (first, _) in now.members.items() if key not in was.members)
        return is_held or not stays or not is_longer

    @cached_property
    def is_the_same(self) -> bool:
        """True if neither names nor types nor bytes differ anywhere."""
        if (self.old.aliases, self.old.enumerations) != (self.new.aliases, self.new.enumerations):
            return False
        if [(each.name, each.kind) for each in self.old.records] != [
            (each.name, each.kind) for each in self.new.records
        ]:
            return False
        if any(_types(each) != _types(self._news[each.name]) for each in self.old.records):
            return False
        return dict(self.before) == dict(self.after)

    def _wrong_numbers(self, finding: Finding) -> Iterator[str]:
        """Numbers of a finding that are not the compiler's."""
        name, _, path = finding.entity.partition(".")
        numbers = finding.targets[self.target]
        for side, truths in (("old", self.before), ("new", self.after)):
            said = {each: numbers.get(f"{side}_{each}") for each in ("offset", "size", "alignment")}
            truth = truths.get(name)
            if truth is None or said["size"] is None:
                continue
            right: dict[str, int] = {"size": truth.size, "alignment": truth.alignment}
            if path:
                place = truth.members.get(path)
                if place is None or (side == "new" and finding.rule == "field-renamed") or "." in path:
                    continue
                right = {"offset": place[0] // 8, "size": -(-(place[0] % 8 + place[1]) // 8)}
                if finding.rule == "union-member-added":
                    del right["size"]
            for key, number in right.items():
                if said[key] is not None and said[key] != number:
                    yield f"{finding.rule} {finding.entity}: {side}_{key} is {said[key]}, clang says {number}"

    def _wrong_claims(self, finding: Finding) -> Iterator[str]:
        """Moves that a finding about this target alone claims and that there are not."""
        name, _, path = finding.entity.partition(".")
        is_major = _bump(finding, self.target) == "major" and not path
        if is_major and finding.rule in _ABOUT_LAYOUT and name in self.before and not self.differences(name):
            yield f"{finding.rule} {finding.entity}: nothing of it differs"
        if len(finding.targets) > 1 or name not in self.before or name not in self.after:
            return
        texts = [finding.message, *(each.text for each in finding.details if each.label == "moves")]
        for path, bit, was, now in (found for text in texts for found in _MOVE.findall(text)):
            unit = 1 if bit else 8
            old, new = (each[name].members.get(path) for each in (self.before, self.after))
            if old and new and (old[0] // unit, new[0] // unit) != (int(was), int(now)):
                claim = f"{path} from {was} to {now}"
                yield f"{finding.rule} {finding.entity}: {claim}, clang says from bit {old[0]} to {new[0]}"


def _is_versioned(record: Record, header: Header) -> bool:
    """True if a record says its size, itself or in the struct that it begins with."""
    inner = record.members[0].record
    if inner is not None:
        return not record.members[0].name and record.kind == "struct" and _is_versioned(inner, header)
    first = record.members[0].shape.partition(f" {record.members[0].name}")
    held = next((each for each in header.records if f"{each.kind} {each.name}" == first[0] and not first[2]), None)
    return record.is_versioned or (held is not None and record.kind == "struct" and _is_versioned(held, header))


def _bump(finding: Finding, target: str) -> object:
    return finding.targets.get(target, {}).get("bump")


def _names(finding: Finding, name: str) -> bool:
    """True if a finding is about a record, or says that it is reached."""
    texts = (finding.entity, finding.message, *(each.text for each in finding.details))
    return any(re.search(rf"\b{name}\b", text) for text in texts)


def _types(record: Record) -> dict[str, str]:
    """Return each member's type as text, in one of its spellings."""
    found = {}
    for path, member in paths(record):
        text = member.shape
        for one, other in _SAME.items():
            text = other + text.removeprefix(one) if text.startswith(one + " ") else text
        found[path] = text
    others = [f"{each.shape} : {each.width}" for each in _all_members(record) if not each.name and not each.record]
    others += [f"{each.record.kind} {each.name}" for each in _all_members(record) if each.name and each.record]
    return {**found, "": ", ".join(others)}


def _all_members(record: Record) -> Iterator[Member]:
    for each in record.members:
        yield each
        yield from _all_members(each.record) if each.record is not None else ()
