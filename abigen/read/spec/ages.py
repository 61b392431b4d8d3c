"""Ages: since and deprecated, and what they may not contradict."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase

from abigen.model.api import Api, Conventions
from abigen.model.ctype import CType
from abigen.model.span import Span
from abigen.model.version import Version
from abigen.read.spec.item import Item, parse_version
from abigen.read.spec.messages import Report, did_you_mean
from abigen.read.spec.names import KINDS, Names
from abigen.read.spec.needs import named_in
from abigen.read.spec.nodes import Mapping as MappingNode


class AgeChecker:
    """Checks all ages of one spec."""

    def __init__(self, root: Item, names: Names, report: Report) -> None:
        """Prepare to check a spec whose names have been collected."""
        self.root = root
        self.names = names
        self.report = report
        self.current = root.version("version")
        self.releases = {parse_version(each.text) for each in root.scalars("releases")}
        if self.current and self.releases:
            self.releases.add(self.current)
        self._inside: dict[int, dict[str, Item]] = {}
        self.structs = {item.name: item for item in root.items("structs")}

    def check(self) -> None:
        """Check the ages of all entities, their members and their enumerators."""
        self._check_releases()
        for key in KINDS:
            for item in self.root.items(key):
                self._check_entity(item, None)
                if key == "structs":
                    self._check_members(item)
                elif key == "enums":
                    self._check_enumerators(item)

    def _check_releases(self) -> None:
        for scalar in self.root.scalars("releases"):
            if self.current is not None and parse_version(scalar.text) > self.current:
                self.report.error(scalar.span, f"release {scalar.text} is newer than the API's version {self.current}")

    def _check_entity(self, item: Item, owner: Item | None) -> None:
        """Check what an entity, member or enumerator says of itself."""
        since = item.version("since")
        self._check_version(item, "since")
        begin = owner.version("since") if owner else None
        if owner and since and begin and since < begin:
            message = f"since {since} is older than '{owner.name}', which came in {begin}"
            self.report.error(item.span("since"), message)
        node = item.node.get("deprecated")
        if not isinstance(node, MappingNode):
            return
        deprecation = Item(node)
        self._check_version(deprecation, "since")
        marked = deprecation.version("since")
        born = since or begin
        if marked and born and marked < born:
            self.report.error(deprecation.span("since"), f"deprecated in {marked}, before it came in {born}")
        if deprecation.has("use"):
            self._check_use(item, deprecation, owner)

    def _check_version(self, item: Item, key: str) -> None:
        version = item.version(key)
        if version is None:
            return
        if self.current is None:
            hint = "state it at the top: version: 1.0.0"
            self.report.error(item.span(key), f"{key} {version}, but the API states no version of its own", hint)
        elif version > self.current:
            hint = f"raise 'version', or write {self.current}"
            self.report.error(item.span(key), f"{key} {version} is newer than the API's version {self.current}", hint)
        elif self.releases and version not in self.releases:
            hint = did_you_mean(str(version), [str(each) for each in sorted(self.releases)])
            self.report.error(item.span(key), f"{version} is none of 'releases'", hint)

    def _check_use(self, item: Item, deprecation: Item, owner: Item | None) -> None:
        """What is to be used instead has to exist."""
        use = deprecation.text("use")
        siblings = self._siblings(owner)
        if use == item.name:
            self.report.error(deprecation.span("use"), f"'{use}' cannot be used instead of itself")
        elif use not in siblings and use not in self.names.ordinary and not self._is_member(use):
            hint = did_you_mean(use, [*siblings, *self.names.ordinary])
            self.report.error(deprecation.span("use"), f"'{use}', to be used instead, does not exist", hint)

    def _is_member(self, path: str) -> bool:
        struct, dot, member = path.partition(".")
        return bool(dot) and struct in self.structs and member in self._siblings(self.structs[struct])

    def _check_members(self, struct: Item) -> None:
        union = struct.text("kind") == "union"
        begin = struct.version("since")
        before: Item | None = None
        for member in struct.items("fields"):
            self._check_entity(member, struct)
            age = self._age(member) or begin
            if union or (member.has("since") and not self._age(member)):
                continue
            last = (self._age(before) or begin) if before else None
            if before and _is_older(age, last):
                message = f"'{member.name}' is older than '{before.name}' before it, which came in {last}"
                place = member.span("since") if member.has("since") else member.name_span
                self.report.error(place, message, "a new member goes to the end of the struct")
                continue
            before = member
            if _is_older(begin, age) and not member.has("zero"):
                message = f"'{member.name}' was appended in {age} and does not say what zero means"
                hint = "older producers leave it zero: state zero: no-op or zero: meaningful"
                self.report.error(member.name_span, message, hint)
            if member.has("replaces"):
                self._check_replaced(member, struct)

    def _siblings(self, owner: Item | None) -> Mapping[str, Item]:
        """The members or enumerators of a struct or enumeration, by name."""
        if owner is None:
            return {}
        key = id(owner.node)
        if key not in self._inside:
            inside = [*owner.items("fields"), *owner.items("enumerators")]
            self._inside[key] = {each.name: each for each in inside if each.name}
        return self._inside[key]

    def _age(self, item: Item) -> Version | None:
        """When an item came, None for the beginning; an age that was refused already counts as the beginning."""
        since = item.version("since")
        return since if since and self.current and since <= self.current else None

    def _check_replaced(self, member: Item, struct: Item) -> None:
        old = member.text("replaces")
        siblings = self._siblings(struct)
        if old == member.name:
            self.report.error(member.span("replaces"), f"'{old}' cannot replace itself")
        elif old not in siblings:
            hint = did_you_mean(old, siblings)
            self.report.error(member.span("replaces"), f"'{struct.name}' has no member '{old}' to replace", hint)

    def _check_enumerators(self, enum: Item) -> None:
        """A newer enumerator before an older one without a value would give that another value in older releases."""
        patterns = sentinels(self.root)
        begin = enum.version("since")
        newest: Item | None = None
        for each in enum.items("enumerators"):
            self._check_entity(each, enum)
            age = self._age(each) or begin
            if each.has("value"):
                newest = each
                continue
            newest_age = (self._age(newest) or begin) if newest else None
            if newest and _is_older(age, newest_age) and not _matches(each.name, patterns):
                message = f"'{each.name}' is older than '{newest.name}' before it, so its value changed in {newest_age}"
                self.report.error(
                    each.name_span, message, f"give '{each.name}' a value, or move '{newest.name}' behind it"
                )
                continue
            newest = each


def _is_older(age: Version | None, than: Version | None) -> bool:
    """Whether one age lies before another; None is the beginning."""
    return than is not None and (age is None or age < than)


def sentinels(root: Item) -> tuple[str, ...]:
    """The patterns of enumerators that may grow, from the spec's conventions or as usual."""
    conventions = root.item("conventions")
    if conventions is None or not conventions.has("sentinels"):
        return Conventions().sentinels
    return tuple(each.text for each in conventions.scalars("sentinels"))


def _matches(name: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def check_type_ages(api: Api, report: Report) -> None:
    """What is declared can only be made of types that were there already.

    Args:
        api: an API.
        report: receives what is older than a type that it names.
    """
    for struct in api.structs.values():
        if struct.in_api:
            for member in struct.fields or ():
                age = member.contract.lifecycle.since or struct.contract.lifecycle.since
                _check_type_age(f"{struct.name}.{member.name}", age, member.type, member.span, api, report)
    for function in api.functions.values():
        if function.in_api:
            _check_type_age(function.name, function.contract.lifecycle.since, function.type, function.span, api, report)
    for typedef in api.typedefs.values():
        if typedef.in_api and typedef.name not in api.structs and typedef.name not in api.enums:
            _check_type_age(typedef.name, typedef.contract.lifecycle.since, typedef.type, typedef.span, api, report)


def _check_type_age(name: str, age: Version | None, type: CType, place: Span | None, api: Api, report: Report) -> None:
    for each in named_in(type):
        entity = api.typedefs.get(each) or api.structs.get(each) or api.enums.get(each)
        since = entity.contract.lifecycle.since if entity and entity.in_api else None
        if _is_older(age, since):
            message = f"'{name}' is older than its type '{each}', which came in {since}"
            report.error(place, message, f"state since: {since}")
            return
