"""Checks of a spec: keys that contradict each other, names that do not exist, and releases out of order."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase

from abigen.headers.preprocessor.lexemes import without_comments
from abigen.model import ctype
from abigen.model.api import Api, Conventions
from abigen.model.attributes import inner_keys_of
from abigen.model.ctype import CType
from abigen.model.entities import Field, Function, Struct, Typedef
from abigen.model.evaluate import number_of
from abigen.model.layout import Layouts
from abigen.model.pattern import parse_pattern
from abigen.model.roles import extension_base, kind_member, unknown_tables
from abigen.model.span import AbigenError, Span
from abigen.model.spelling import spell
from abigen.model.target import find_target
from abigen.model.version import Version
from abigen.specs.c_types import check_error_names
from abigen.specs.header_plan import named_in
from abigen.specs.spec_names import (
    KINDS,
    SpecNames,
    StructPlan,
    defined_items,
    enum_key,
    has_typedef,
    structs_with_keys,
    text_key,
    tokens_of,
)
from abigen.workspace.document.tree import Item, Problems, Scalar, parse_version


def sentinels(root: Item) -> tuple[str, ...]:
    """Return the patterns of enumerators that may grow, from the spec's conventions or as usual."""
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
        """Return the release of an item, None for the first; a refused version counts as the owner's."""
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
                message = f"'{name}' was appended in {age} and does not state the meaning of zero"
                hint = "older producers leave it zero: write zero: no-op or zero: meaningful"
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
    """True if one version lies before another; None is the beginning."""
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
    """Check that a declaration uses only types that are at least as old.

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


Members = Mapping[str, Collection[str]]
"""Struct to the names of its members."""

_CHAR = ctype.Basic("char")
_SIBLINGS = {
    "count": "that could count",
    "destroy": "that could destroy",
    "excludes": "to exclude",
    "replaces": "to replace",
}
"""Keys of a member that name another one of the same struct, and what for."""
_NEEDED = {
    "name": "'name': Name of the member",
    "type": "'type': Its type, as C writes a type without a name; or 'fields', the members that it has itself",
}
"""The keys that a member needs, each with its description."""


def check_replacements(root: Item, problems: Problems) -> None:
    """Check what macros and constants stand for, before anything is computed from it."""
    for macro in root.items("macros"):
        for parameter in macro.scalars("parameters")[:-1]:
            if parameter.text == "...":
                problems.error(parameter.span, "'...' can only be the last parameter")
    for item in defined_items(root):
        cases = item.items(text_key(item))
        _check_replacement(item.scalar(text_key(item)), problems)
        for case in cases:
            _check_replacement(case.scalar("if"), problems)
            _check_replacement(case.scalar("text"), problems)
            if not case.has("if") and case is not cases[-1]:
                problems.error(case.span, "a case without 'if' always applies, so it has to be the last")
        if cases and cases[-1].has("if"):
            message = f"no case states the value of '{item.name}' where no condition holds"
            problems.error(cases[-1].span, message, "add a last case that has no 'if'")


def _check_replacement(scalar: Scalar | None, problems: Problems) -> None:
    """Refuse text that would not stay on a directive's line: comments, a backslash at an end, stray characters."""
    tokens = tokens_of(scalar) if scalar else []
    for token in tokens:
        if token.kind in ("other", "pragma"):
            problems.error(token.span, f"'{token.text}' is not allowed in a macro")
            return
    if scalar and without_comments(scalar.text) != scalar.text:
        problems.error(scalar.span, "a comment is not allowed in a macro", "write it in 'doc'")


def check_references(root: Item, plans: Sequence[StructPlan], names: SpecNames, problems: Problems) -> None:
    """Check all items of a spec for themselves, and that what they name exists.

    Args:
        root: the spec.
        plans: its structs.
        names: all names that it may use.
        problems: receives what is wrong.
    """
    for item in (*root.items("structs"), *root.items("enums")):
        if item.name and not has_typedef(item):
            for key in ("tag", "underlying"):
                if item.has(key):
                    message = f"'{item.name}' has no typedef, so its name is its tag, and it has no '{key}'"
                    problems.error(item.place(key), message, f"remove '{key}', or 'typedef'")
    members = {plan.item.name: plan.members for plan in plans}
    limit = root.item("conventions").number("max_alignment") or 8
    for plan in plans:
        if not plan.members:
            hint = "list it in 'handles' if only one side knows its members"
            problems.error(plan.item.name_span, f"'{plan.item.name}' has no members", hint)
        for _, struct in structs_with_keys([plan.item]):
            for item in struct.items("fields"):
                _check_shape(item, struct, plan, problems)
                _check_keys(item, plan, limit, problems)
        for item in plan.item.items("fields"):
            _check_siblings(item, plan, problems)
            _check_condition(item, plan.item, members, problems)
    for item in root.items("functions"):
        if item.flag("entry_point") and item.text("implemented_by") == "core":
            message = f"the entry point '{item.name}' has to be implemented by the plugin: the core calls it"
            problems.error(item.place("implemented_by"), message)
    for item in root.items("variables"):
        if item.flag("entry_point") and item.text("implemented_by") == "core":
            message = f"the entry point '{item.name}' has to be defined by the plugin: the core looks it up there"
            problems.error(item.place("implemented_by"), message)
    functions = names.of_kinds("function")
    conventions = root.item("conventions")
    order = [conventions.scalar(key) for key in ("first_call", "last_call")]
    order += [each.scalar("found_by") for each in root.items("functions")]
    begins = [each.scalar("begins_with") for each in (*root.items("typedefs"), *root.items("handles"))]
    for scalar in filter(None, (*order, *begins)):
        owner, dot, member = scalar.text.partition(".")
        if dot:
            _check_member(scalar.span, owner, member, members, problems)
        elif scalar in begins:
            _check_known(scalar, "struct or function", [*functions, *names.of_kinds("struct", "callback")], problems)
        else:
            _check_known(scalar, "function", functions, problems)
    for item in (*root.items("typedefs"), *root.items("handles"), *root.items("structs")):
        single = (item.scalar(key) for key in ("create", "destroy", "failure", "begin"))
        for scalar in filter(None, (*single, *item.scalars("calls"))):
            owner, dot, member = scalar.text.partition(".")
            if dot:
                _check_member(scalar.span, owner, member, members, problems)
            else:
                _check_known(scalar, "function", functions, problems)
    _check_conventions(root.item("conventions"), names, problems)


def _check_shape(item: Item, owner: Item, plan: StructPlan, problems: Problems) -> None:
    """A member has a name and a type, or members of its own, and then says nothing that takes a type or a name."""
    is_inner = "fields" in item.keys
    for key in ("name", "type") if not is_inner else ():
        if key not in item.keys:
            problems.error(item.span, f"a field needs the key '{key}'", _NEEDED[key])
    if item.has("kind") and not is_inner:
        problems.error(
            item.place("kind"), f"'{item.name}' has a type, so it has no kind", "list its members in 'fields'"
        )
    wrong = [key for key in item.keys if key not in inner_keys_of(item.name)] if is_inner else []
    for key in wrong:
        what = f"'{item.name}'" if item.name else "a member without a name"
        problems.error(item.keys[key].span, f"{what} lists its members, so it has no {key}")
    if item.has("since") and owner is not plan.item and owner.text("kind") != "union":
        problems.error(item.place("since"), f"'{item.name}' cannot be newer than the struct that it is in")


def _check_known(scalar: Scalar | None, what: str, known: Collection[str], problems: Problems) -> None:
    if scalar is not None and scalar.text not in known:
        problems.unknown(scalar.span, f"there is no {what} '{scalar.text}'", scalar.text, known)


def _check_path(item: Item, key: str, owner: str, member: str, members: Members, problems: Problems) -> bool:
    """Check that a struct and its member exist."""
    return _check_member(item.place(key), owner, member, members, problems)


def _check_member(place: Span, owner: str, member: str, members: Members, problems: Problems) -> bool:
    """Check that a struct and its member exist."""
    if owner not in members:
        problems.unknown(place, f"there is no struct '{owner}'", owner, members)
    elif member not in members[owner]:
        problems.unknown(place, f"'{owner}' has no member '{member}'", member, members[owner])
    return owner in members and member in members[owner]


def _check_keys(item: Item, plan: StructPlan, limit: int, problems: Problems) -> None:
    """Refuse pairs of keys of a member that contradict each other."""
    required = item.flag("required") or isinstance(item.values.get("required"), Item)
    if required and item.flag("optional"):
        problems.error(item.place("optional"), f"'{item.name}' cannot be both required and optional")
    if required and item.flag("reserved"):
        problems.error(item.place("required"), f"'{item.name}' is reserved, so no side can be required to set it")
    alignment = item.number("alignment")
    if alignment and plan.versioned and alignment > limit:
        where = f"'{plan.item.name}.{item.name}'"
        message = f"{where} is aligned to {alignment} bytes; the limit in versioned structs is {limit}"
        problems.error(item.place("alignment"), message, "see conventions.max_alignment")
    if alignment and item.has("bits"):
        problems.error(item.place("alignment"), f"the bit-field '{item.name}' cannot have an alignment of its own")
    if item.has("pattern"):
        try:
            parse_pattern(item.text("pattern"), item.place("pattern"))
        except AbigenError as error:
            problems.add(error.diagnostics)


def _check_siblings(item: Item, plan: StructPlan, problems: Problems) -> None:
    """Check the references of a member to others of the same struct."""
    for key, purpose in _SIBLINGS.items():
        other = item.text(key)
        if other and other not in plan.members:
            message = f"'{plan.item.name}' has no member '{other}' {purpose}"
            problems.unknown(item.place(key), message, other, plan.members)
        elif other and other == item.name and key in ("excludes", "replaces"):
            problems.error(item.place(key), f"'{other}' cannot {purpose.removeprefix('to ')} itself")
    excluded, needed = item.text("excludes"), item.item("required").text("when")
    if excluded and excluded != item.name and needed.removeprefix(f"{plan.item.name}.") == excluded:
        message = f"'{excluded}' makes '{item.name}' required, so it cannot exclude it"
        problems.error(item.place("excludes"), message)


def _check_condition(item: Item, struct: Item, members: Members, problems: Problems) -> None:
    """Check `required: {when: ..., unless: ...}` of a member."""
    condition = item.item("required")
    paths = {key: condition.text(key).removeprefix(f"{struct.name}.") for key in condition.values}
    if not paths and isinstance(item.values.get("required"), Item):
        problems.error(condition.span, "a condition needs 'when' or 'unless', with a member")
    if len(set(paths.values())) < len(paths):
        problems.error(condition.place("unless"), f"'{condition.text('unless')}' cannot be both set and not set")
    for key, path in paths.items():
        owner, _, member = path.rpartition(".")
        found = _check_path(condition, key, owner or struct.name, member, members, problems)
        if found and not owner and member == item.name:
            problems.error(condition.place(key), f"'{item.name}' cannot be its own condition")


def _check_conventions(conventions: Item, names: SpecNames, problems: Problems) -> None:
    """Check that the names in conventions are declared, here or in a used spec."""
    check_error_names(conventions.item("errors"), names, problems)
    known = names.of_kinds("handle", "struct", "function")
    for name in conventions.item("cpp").item("names").keys.values():
        _check_known(name, "handle, struct or function", known, problems)


def check_entities(root: Item, api: Api, problems: Problems) -> None:
    """Check members, enumerations and functions whose types are known.

    Args:
        root: the spec.
        api: what was made of it.
        problems: receives what is wrong.
    """
    for key, item in structs_with_keys(root.items("structs")):
        struct = api.structs.get(key)
        fields = {each.name: each for each in (struct.fields if struct else None) or () if each.name}
        for member in item.items("fields"):
            if struct and member.name in fields and member.name_span == fields[member.name].span and member.has("type"):
                _check_type(member, fields[member.name].type, struct, api, problems)
                _check_uses(member, fields, api, problems)
    _check_extensions(root, api, problems)
    for item in root.items("enums"):
        enum = api.enums.get(enum_key(item))
        types = {"underlying": enum.underlying, "cpp_underlying": enum.cpp_underlying} if enum else {}
        for key, type in types.items():
            if type is not None and not api.holds_whole_numbers(type):
                message = f"the type behind '{enum_key(item)}' has to be an integer type"
                problems.error(item.place(key), message)
        if item.has("underlying") and item.has("cpp_underlying"):
            message = "an enumeration has the type that is its 'underlying' in C++ too"
            problems.error(item.place("cpp_underlying"), message, "remove one of the two")
    for item in root.items("functions"):
        if item.name in api.functions:
            _check_parameters(item, api.functions[item.name].type, api, problems)
            _check_only_if(item, api, problems)


def _check_extensions(root: Item, api: Api, problems: Problems) -> None:
    """Extensions begin with a base, each has a value of its own, and bases have what a chain needs."""
    constants = _names_of_numbers(api)
    known: dict[str, str] = {}
    for item in root.items("structs"):
        struct, kind = api.structs.get(item.name), item.scalar("extension")
        if struct is None:
            continue
        if item.has("next_extension"):
            _check_base(item, struct, api, problems)
        if kind is None:
            continue
        base = extension_base(struct, api)
        member = kind_member(base, api) if base is not None else None
        enum = api.enum_of(member.type) if member is not None else None
        if enum is not None:
            possible = [each.name for each in enum.enumerators or ()]
            _check_known(kind, f"enumerator of {enum.name}", possible, problems)
        else:
            _check_known(kind, "enumerator or constant", constants, problems)
        if kind.text in known:
            problems.error(kind.span, f"'{kind.text}' is the value of '{known[kind.text]}' already")
        known.setdefault(kind.text, item.name)
        if base is None or struct.is_union:
            hint = "let its first member be a struct that has next_extension"
            problems.error(kind.span, f"'{item.name}' is an extension, but does not begin with a base", hint)
        if item.has("versioned") and not item.flag("versioned"):
            problems.error(item.place("versioned"), f"'{item.name}' is an extension, and those are versioned")


def _check_base(item: Item, struct: Struct, api: Api, problems: Problems) -> None:
    """Check that the base of extensions has a size, a number that identifies each, and a pointer to the next."""
    place, name = item.place("next_extension"), struct.next_extension
    member = struct.member(name)
    if member is None:
        names = [each.name for each in struct.fields or ()]
        problems.unknown(place, f"'{item.name}' has no member '{name}'", name, names)
    elif (pointee := api.pointee(member.type)) is None or pointee.name != struct.name:
        problems.error(place, f"'{name}' does not point to a {item.name}, so it is not the next extension")
    if not api.holds_whole_numbers((struct.fields or ())[0].type):
        problems.error(place, f"'{item.name}' does not begin with its size, so extensions cannot begin with it")
    elif kind_member(struct, api) is None and all(struct.member(each.name) for each in item.items("fields")):
        problems.error(place, f"'{item.name}' has no number that identifies the extension")


def check_parameters(said: Iterable[tuple[Item, CType]], api: Api, problems: Problems) -> None:
    """Only pointers can be NULL, or not; and an example has to be something that the parameter can be.

    Args:
        said: what the spec says of parameters, and their types.
        api: what was made of the spec.
        problems: receives what is wrong.
    """
    numbers = _names_of_numbers(api)
    for item, type in said:
        resolved = api.resolve(type)
        if item.has("nullable") and not isinstance(resolved, ctype.Pointer):
            problems.error(item.place("nullable"), f"'{item.name}' is not a pointer, so it cannot be NULL")
        for key in ("output", "count", "ended"):
            if item.has(key) and not isinstance(resolved, ctype.Pointer):
                problems.error(item.place(key), f"'{item.name}' is no pointer, so it has no {key}")
        for key in ("below", "versions"):
            if item.has(key) and not api.is_integer(type):
                problems.error(item.place(key), f"'{item.name}' is no whole number, so it has no {key}")
        for name, key_span in item.item("versions").keys.items():
            if not _is_number(name) and name not in numbers:
                problems.unknown(key_span.span, f"there is no constant '{name}'", name, numbers)
        count = item.scalar("count")
        if count is not None and "." in count.text:
            _check_counted_later(count, api, problems)
        below = item.scalar("below")
        owner, dot, member = below.text.partition(".") if below is not None else ("", "", "")
        if below is not None and dot:
            names = {one.name: [each.name for each in one.fields or ()] for one in api.structs.values()}
            _check_member(below.span, owner, member, names, problems)
        elif below is not None and not _is_number(owner) and owner not in numbers:
            problems.unknown(below.span, f"there is no constant '{owner}'", owner, numbers)
        example = item.scalar("example")
        if example is not None:
            _check_example(item.name, resolved, example, numbers, api, problems)


def _check_counted_later(count: Scalar, api: Api, problems: Problems) -> None:
    """Check that a parameter of another function exists: `function.parameter`, or `Struct.member.parameter`."""
    path, _, name = count.text.rpartition(".")
    struct, _, member = path.rpartition(".")
    function = api.functions.get(path)
    field = api.structs[struct].member(member) if struct in api.structs else None
    type = api.function_behind(field.type) if field is not None else function.type if function is not None else None
    if type is None:
        problems.unknown(count.span, f"there is no function or member '{path}'", path, api.functions)
    elif name not in {each.name for each in type.parameters}:
        known = [each.name for each in type.parameters if each.name]
        problems.unknown(count.span, f"'{path}' has no parameter '{name}'", name, known)


def _names_of_numbers(api: Api) -> set[str]:
    return {*api.enumerators, *api.constants}


def _check_example(
    name: str, type: CType, example: Scalar, numbers: Collection[str], api: Api, problems: Problems
) -> None:
    """Report an argument that a parameter cannot take."""
    target = api.resolve(type.target) if isinstance(type, ctype.Pointer) else None
    if target is not None and example.text == "NULL":
        return
    if isinstance(target, (ctype.Basic, ctype.NamedType)) and (example.kind == "string" or target == _CHAR):
        return
    if not isinstance(type, (ctype.Basic, ctype.EnumType, ctype.NamedType)):
        problems.error(example.span, f"'{name}' is neither a number nor a text, so it can have no example")
    elif not _is_number(example.text) and example.text not in numbers:
        message = f"{example.text!r} is no number, enumerator or constant, which '{name}' has to be"
        problems.unknown(example.span, message, example.text, numbers)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return number_of(text) is not None
    return True


def verify_samples(root: Item, api: Api, problems: Problems) -> dict[str, dict[str, str]]:
    """Return the arguments that a spec gives under `verify: calls:`, by function and parameter.

    Args:
        root: the spec.
        api: what was made of it.
        problems: receives functions and parameters that do not exist, and arguments that they cannot take.
    """
    known: dict[str, ctype.FunctionType] = {each.name: each.type for each in api.functions.values() if each.in_api}
    for struct in api.structs.values():
        members = ((each, api.function_behind(each.type)) for each in struct.fields or () if struct.in_api)
        known |= {f"{struct.name}.{each.name}": type for each, type in members if type is not None}
    found: dict[str, dict[str, str]] = {}
    for call in root.item("verify").items("calls"):
        scalar, arguments = call.scalar("function"), call.item("arguments")
        function = known.get(scalar.text) if scalar is not None else None
        if scalar is None or function is None:
            name = scalar.text if scalar is not None else ""
            problems.unknown(call.place("function"), f"there is no function or member '{name}'", name, known)
            continue
        types = {each.name: api.resolve(each.type) for each in function.parameters if each.name}
        for name, key in arguments.keys.items():
            value = arguments.scalar(name)
            if name not in types:
                problems.unknown(key.span, f"'{scalar.text}' has no parameter '{name}'", name, types)
            elif value is not None:
                _check_example(name, types[name], value, _names_of_numbers(api), api, problems)
        found.setdefault(scalar.text, {}).update(arguments.table())
    return found


def _check_only_if(item: Item, api: Api, problems: Problems) -> None:
    """Check that the member and the values exist that decide whether a function is called."""
    said = item.scalar("only_if")
    if said is None:
        return
    path, _, values = said.text.partition(" == ")
    owner, _, member = path.partition(".")
    members = {one.name: [each.name for each in one.fields or ()] for one in api.structs.values()}
    _check_member(said.span, owner, member, members, problems)
    numbers = _names_of_numbers(api)
    for value in values.split(" or "):
        if not _is_number(value) and value not in numbers:
            problems.unknown(said.span, f"there is no constant '{value}'", value, numbers)


def _check_parameters(item: Item, type: ctype.FunctionType, api: Api, problems: Problems) -> None:
    """Check that keys about parameters name parameters, and that outputs are pointers."""
    known = [each.name for each in type.parameters if each.name]
    resolved = [(each.name, api.resolve(each.type)) for each in type.parameters]
    pointers = [name for name, each in resolved if name and isinstance(each, ctype.Pointer)]
    object = item.item("object")
    named = (*item.scalars("takes"), object.scalar("create"), *object.scalars("methods"), object.scalar("destroy"))
    for scalars, possible in (
        (item.scalars("outputs"), pointers),
        (item.scalars("gives"), [*known, "return"]),
        (named, known),
    ):
        for scalar in scalars:
            _check_known(scalar, "parameter", possible, problems)


def _check_type(item: Item, type: CType, struct: Struct, api: Api, problems: Problems) -> None:
    """Refuse types that a member cannot have (C 6.7.2.1)."""
    resolved, message, hint = api.resolve(type), "", ""
    fields = struct.fields or ()
    if isinstance(resolved, ctype.FunctionType):
        message, hint = f"the member '{item.name}' cannot be a function", "write a pointer to it: 'void (*)(void* arg)'"
    elif resolved == ctype.Basic("void"):
        message, hint = f"the member '{item.name}' cannot be void", "'void*' is a pointer to anything"
    elif isinstance(resolved, ctype.Array) and resolved.length is None:
        if fields[-1].name != item.name or len(fields) == 1 or struct.is_union:
            message = f"'{item.name}' has no length: only the last of several members of a struct can do without"
    elif (holder := api.struct_of(resolved)) is not None and holder.fields is None:
        named = spell(type.type if isinstance(type, ctype.Qualified) else type)
        message = f"the member '{item.name}' has a type whose size is unknown: {named} is opaque"
        hint = f"hold it by pointer: {named}*"
    if message:
        problems.error(item.place("type"), message, hint)


def _check_uses(item: Item, fields: Mapping[str, Field], api: Api, problems: Problems) -> None:
    """Refuse keys that only members of some types can have."""
    type = fields[item.name].type
    resolved = api.resolve(type)
    target = api.resolve(resolved.target) if isinstance(resolved, ctype.Pointer) else None
    struct = api.struct_of(target) if target is not None else None
    to_struct = struct is not None and struct.fields is not None
    whole = api.holds_whole_numbers(type)
    demands = {
        "bits": (whole, "is not of an integer type, so it cannot be a bit-field"),
        "count": (target is not None, "is no pointer, so it has no count"),
        "allocated_by": (to_struct, "is no pointer to a struct, so it has no allocated_by"),
        "destroy": (to_struct, "is no pointer to a struct, so it has no destroy"),
        "version_part": (whole and not item.has("bits"), "is not of an integer type, so it has no version"),
        "pattern": (target == ctype.Basic("char"), "is no pointer to char, so it has no pattern"),
        "stands_for": (target == ctype.Basic("char"), "is no pointer to char, so it holds no name"),
    }
    value = item.scalar("value")
    if value is not None:
        numbers = _names_of_numbers(api)
        has_value = whole or (item.has("count") and target is not None and api.holds_whole_numbers(target))
        demands["value"] = (has_value, "is not of an integer type, so it has no value")
        for each in value.text.split(" or ") if has_value else ():
            if not _is_number(each) and each not in numbers:
                problems.unknown(value.span, f"there is no constant '{each}'", each, numbers)
    demands["thread"] = (api.function_behind(type) is not None, "points to no function, so no thread calls it")
    for key, (is_met, otherwise) in demands.items():
        if item.has(key) and not is_met:
            problems.error(item.place(key), f"'{item.name}' {otherwise}")
    count, destroyer = fields.get(item.text("count")), fields.get(item.text("destroy"))
    if target is not None and count and not api.holds_whole_numbers(count.type):
        problems.error(item.place("count"), f"'{count.name}' is not of an integer type, so it cannot count")
    called = api.function_behind(destroyer.type) if destroyer else None
    if target is not None and destroyer and (called is None or len(called.parameters) != 1):
        message = f"'{destroyer.name}' is no pointer to a function that takes what it is to destroy"
        problems.error(item.place("destroy"), message)
    condition = item.item("required")
    asked = [(condition, "when"), (condition, "unless"), (item, "excludes")]
    for source, key in asked:
        path = source.text(key)
        owner, _, name = path.rpartition(".")
        others = api.structs[owner].fields or () if owner in api.structs else fields.values()
        found = next((each for each in others if each.name == name), None)
        is_plain = found and (api.holds_whole_numbers(found.type) or isinstance(api.resolve(found.type), ctype.Pointer))
        if found and (found.bit_width is not None or not is_plain):
            message = f"'{path}' is neither a plain number nor a pointer, so it is no condition"
            problems.error(source.place(key), message)


def check_layouts(api: Api, targets: Sequence[str], problems: Problems) -> None:
    """Lay out every struct of the API's own on every target.

    Args:
        api: an API in whose types nothing else is wrong.
        targets: names of targets.
        problems: receives members that have no size, bit-fields wider than their type, and alignments over the limit,
            once for all targets.
    """
    limit = api.conventions.max_alignment
    for target in targets:
        layouts = Layouts(api, find_target(target))
        for key, struct in api.structs.items():
            if not struct.in_api or struct.fields is None:
                continue
            try:
                members = layouts.of(key).fields
            except AbigenError as error:
                problems.add(error.diagnostics)
                continue
            too_large = next((each for each in members if each.alignment > limit), None)
            if too_large and api.header and key in api.header.size_macros:
                where = f"'{struct.name}.{too_large.name}' is aligned to {too_large.alignment} bytes on {target}"
                message = f"{where}; the limit in versioned structs is {limit}"
                problems.error(too_large.field.span, message, "see conventions.max_alignment")
