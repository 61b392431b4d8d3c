"""When entities came and when they go: what `since`, `deprecated` and `replaces` may not contradict."""

from __future__ import annotations

from collections.abc import Collection
from fnmatch import fnmatchcase

from abigen.model.api import Api, Conventions
from abigen.model.entities import Field, Function, Typedef
from abigen.model.roles import unknown_tables
from abigen.model.version import Version
from abigen.read.document.tree import Item, Problems, parse_version
from abigen.read.spec.header_plan import named_in
from abigen.read.spec.spec_names import KINDS, SpecNames, structs_with_keys


def sentinels(root: Item) -> tuple[str, ...]:
    """The patterns of enumerators that may grow, from the spec's conventions or as usual."""
    conventions = root.item("conventions")
    return conventions.texts("sentinels") if conventions.has("sentinels") else Conventions().sentinels


class LifecycleChecker:
    """Checks the lifecycles of all entities, members and enumerators of one spec."""

    def __init__(self, root: Item, names: SpecNames, problems: Problems) -> None:
        """Prepare to check a spec whose names have been collected."""
        self.root = root
        self.names = names
        self.problems = problems
        self.current = root.version("version")
        self.releases = {parse_version(each) for each in root.texts("releases")}
        if self.current and self.releases:
            self.releases.add(self.current)
        self._members = {item.name: {each.name for each in item.items("fields")} for item in root.items("structs")}

    def check(self) -> None:
        """Check everything."""
        for scalar in self.root.scalars("releases"):
            if self.current is not None and parse_version(scalar.text) > self.current:
                message = f"release {scalar.text} is newer than the API's version {self.current}"
                self.problems.error(scalar.span, message)
        for key in KINDS:
            for item in self.root.items(key):
                self._check_item(item, None, ())
                for _, owner in structs_with_keys([item]):
                    inside = owner.items("fields") or owner.items("enumerators")
                    siblings = {each.name for each in inside}
                    for each in inside:
                        self._check_item(each, item, siblings)
                if key == "structs" and item.text("kind") != "union":
                    self._check_members(item)
                elif key == "enums":
                    self._check_enumerators(item)

    def _check_item(self, item: Item, owner: Item | None, siblings: Collection[str]) -> None:
        """Check what an entity, member or enumerator says of itself."""
        since, begin = item.version("since"), owner.version("since") if owner else None
        self._check_version(item)
        if owner and since and begin and since < begin:
            message = f"since {since} is older than '{owner.name}', which came in {begin}"
            self.problems.error(item.place("since"), message)
        deprecation = item.item("deprecated")
        self._check_version(deprecation)
        marked, born = deprecation.version("since"), since or begin
        if marked and born and marked < born:
            message = f"deprecated in {marked}, before it came in {born}"
            self.problems.error(deprecation.place("since"), message)
        use = deprecation.text("use")
        struct, _, member = use.partition(".")
        if use and use == item.name:
            self.problems.error(deprecation.place("use"), f"'{use}' cannot be used instead of itself")
        elif use and not (use in siblings or use in self.names.ordinary or member in self._members.get(struct, ())):
            message = f"'{use}', to be used instead, does not exist"
            self.problems.unknown(deprecation.place("use"), message, use, [*siblings, *self.names.ordinary])

    def _check_version(self, item: Item) -> None:
        """The version in `since` has to be one of the API's."""
        version, place = item.version("since"), item.place("since")
        if version is None:
            return
        if self.current is None:
            hint = "state it at the top: version: 1.0.0"
            self.problems.error(place, f"since {version}, but the API states no version of its own", hint)
        elif version > self.current:
            hint = f"raise 'version', or write {self.current}"
            self.problems.error(place, f"since {version} is newer than the API's version {self.current}", hint)
        elif self.releases and version not in self.releases:
            known = [str(each) for each in sorted(self.releases)]
            self.problems.unknown(place, f"{version} is none of 'releases'", str(version), known)

    def _age(self, item: Item, owner: Item) -> Version | None:
        """When an item came, None for the beginning; a version that was refused already counts as the owner's."""
        since = item.version("since")
        return since if since and self.current and since <= self.current else owner.version("since")

    def _check_members(self, struct: Item) -> None:
        """New members go to the end, and say what zero means to those that do not know them."""
        before: Item | None = None
        for member in struct.items("fields"):
            age, since = self._age(member, struct), member.version("since")
            if since and not (self.current and since <= self.current):
                continue
            last = self._age(before, struct) if before else None
            if before and _is_older(age, last):
                message = f"'{member.name}' is older than '{before.name}' before it, which came in {last}"
                place = member.place("since") if member.has("since") else member.name_span
                self.problems.error(place, message, "a new member goes to the end of the struct")
                continue
            before = member
            is_settled = member.has("zero") or member.flag("reserved")
            is_settled = is_settled or self._is_left_out_with_condition(member, struct, age)
            if _is_older(struct.version("since"), age) and not is_settled:
                name = member.name or "a member without a name"
                message = f"'{name}' was appended in {age} and does not say what zero means"
                hint = "older producers leave it zero: state zero: no-op or zero: meaningful"
                self.problems.error(member.name_span, message, hint)

    def _is_left_out_with_condition(self, member: Item, struct: Item, age: Version | None) -> bool:
        """True if a member is required only when another one is set that came no earlier.

        Whoever does not know the member leaves the other one zero, too.
        """
        owner, _, name = member.item("required").text("when").rpartition(".")
        holder = (
            struct if not owner else next((each for each in self.root.items("structs") if each.name == owner), None)
        )
        others = holder.items("fields") if holder is not None else ()
        return any(each.name == name and not _is_older(self._age(each, holder or struct), age) for each in others)

    def _check_enumerators(self, enum: Item) -> None:
        """A newer enumerator before an older one without a value would give that another value in older releases."""
        newest: Item | None = None
        patterns = sentinels(self.root)
        for each in enum.items("enumerators"):
            age = self._age(each, enum)
            newest_age = self._age(newest, enum) if newest else None
            is_sentinel = any(fnmatchcase(each.name, pattern) for pattern in patterns)
            if newest and not each.has("value") and _is_older(age, newest_age) and not is_sentinel:
                message = f"'{each.name}' is older than '{newest.name}' before it, so its value changed in {newest_age}"
                hint = f"give '{each.name}' a value, or move '{newest.name}' behind it"
                self.problems.error(each.name_span, message, hint)
                continue
            newest = each


def _is_older(age: Version | None, than: Version | None) -> bool:
    """Whether one version lies before another; None is the beginning."""
    return than is not None and (age is None or age < than)


def check_older_plugins_stay_valid(api: Api, problems: Problems) -> None:
    """A table that came later is optional, or validators would refuse plugins of releases without it.

    Args:
        api: an API.
        problems: receives each member that holds such a table.
    """
    for member, required in unknown_tables(api):
        since = member.contract.lifecycle.since
        message = f"plugins from before {since} leave what '{member.name}' points to empty, but {required} is required"
        hint = f"state optional: true; then {required} is required only of plugins that fill any of it"
        problems.error(member.span, message, hint)


def check_types_are_older(api: Api, problems: Problems) -> None:
    """What is declared can only be made of types that were there already.

    Args:
        api: an API.
        problems: receives what is older than a type that it names.
    """
    users: list[tuple[str, Version | None, Field | Function | Typedef]] = []
    for struct in api.structs.values():
        for member in struct.fields or () if struct.in_api else ():
            since = member.contract.lifecycle.since or struct.contract.lifecycle.since
            users.append((f"{struct.name}.{member.name}", since, member))
    others: list[Function | Typedef] = [*api.functions.values(), *api.typedefs.values()]
    for each in others:
        if each.in_api and each.name not in api.structs and each.name not in api.enums:
            users.append((each.name, each.contract.lifecycle.since, each))
    for name, age, user in users:
        for used in named_in(user.type):
            entity = api.typedefs.get(used) or api.structs.get(used) or api.enums.get(used)
            since = entity.contract.lifecycle.since if entity and entity.in_api else None
            if _is_older(age, since):
                message = f"'{name}' is older than its type '{used}', which came in {since}"
                problems.error(user.span, message, f"state since: {since}")
                break
