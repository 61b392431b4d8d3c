"""Rules about the contract of entities that remain: meaning of zero, requirement, comments, and further keys."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec
from msgspec.structs import asdict, replace

from abigen.checker.comparison import ApiComparison, change_rules, changed_symbols
from abigen.checker.pairs import TYPE, ApisOnTarget, Changed
from abigen.checker.rule import AtRisk, RuleResult, Subject, where_they_differ
from abigen.checker.struct_members import is_reserved
from abigen.checker.struct_pairs import KeptMember, StructPair
from abigen.model.attributes import Value, attributes_of
from abigen.model.contract import Party, Requirement, Returned, Zero
from abigen.model.ctype import FunctionType, Parameter, Pointer
from abigen.model.entities import Callback, Entity, Function, Struct, Variable
from abigen.model.finding import Bump, Detail
from abigen.model.pattern import parse_pattern
from abigen.model.spelling import spell

_SIDES = (Party.CORE, Party.PLUGIN)


def are_specs(apis: ApisOnTarget) -> bool:
    """True if both sides can say all of it: a header has no words for most."""
    return apis.old.header is not None and apis.new.header is not None


class _Entry(msgspec.Struct, frozen=True):
    """An agreement, as text; empty where nothing is stated."""

    what: str
    before: str
    after: str
    value: Value = Value.TEXT

    @property
    def words(self) -> str:
        """A clause with what was and what is."""
        return f"{self.what} was {self.before or 'not stated'}, is {self.after or 'not stated'}"

    @property
    def is_break(self) -> bool:
        """True if both sides were told different things, instead of one being told nothing.

        What a list leaves out is said not to be so, as soon as it says anything.
        """
        return bool(self.before and (self.after or self.value.is_list))


class _Agreement(msgspec.Struct, frozen=True):
    """An entity of both sides of which something else is agreed on."""

    about: Subject
    changes: tuple[_Entry, ...]


def _entries(old: Entity, new: Entity) -> Iterator[_Entry]:
    """Yield the agreements in which two states of an entity differ."""
    for each in attributes_of(type(new)):
        said = [each.values(state) for state in (old, new)]
        # The order of a list says nothing, but that of the functions of an object does.
        before, after = (", ".join(texts if each.value is Value.OBJECT else sorted(texts)) for texts in said)
        if each.changed and before != after:
            yield _Entry(each.changed, before, after, each.value)
    before_by_name = {each.name: each for each in _parameters(old)}
    for parameter in _parameters(new):
        was = before_by_name.get(parameter.name)
        for key, what in _OF_PARAMETERS.items() if was is not None and parameter.name else ():
            before, after = _text(getattr(was, key)), _text(getattr(parameter, key))
            if before != after:
                yield _Entry(f"{what} of `{parameter.name}`", before, after)


_OF_PARAMETERS = {
    "count": "the parameter that counts the elements",
    "ended": "the end",
    "below": "the limit",
    "versions": "the values",
}
"""The facts about parameters in specs, with the words for each."""


def _text(value: str | bool | tuple[tuple[str, str], ...]) -> str:
    """Return what is said of a parameter as text; empty where nothing is said."""
    if isinstance(value, tuple):
        return ", ".join(f"{name} for {release}" for name, release in value)
    return value if isinstance(value, str) else "NULL after the last element" if value else ""


def _parameters(entity: Entity) -> tuple[Parameter, ...]:
    """Return the parameters of a function, or of the function that a member or typedef leads to."""
    type = entity.function if isinstance(entity, Callback) else getattr(entity, "type", None)
    target = type.target if isinstance(type, Pointer) else type
    return target.parameters if isinstance(target, FunctionType) else ()


def _agreements(comparison: ApiComparison) -> Iterator[_Agreement]:
    """Yield all that two specs say otherwise of entities that both have."""
    if not are_specs(comparison):
        return
    for member in comparison.paired_members:
        about = Subject(member.entity, member.old.field.span, member.new.field.span)
        names = [{each.name for each in struct.fields or ()} for struct in (member.struct.old, member.struct.new)]
        changes = tuple(_entries(member.old.field, member.new.field))
        # Of members that came or went, or have another name, something is said already.
        named = [each for each in changes if each.value is not Value.MEMBER]
        named += [each for each in changes if each not in named and {each.before} - {""} <= names[1]]
        yield _Agreement(about, tuple(named))
    pair, structs = comparison.pair, [(each.old, each.new) for each in comparison.structs]
    symbols = (*pair.functions.changed, *pair.variables.changed)
    for old, new in (*structs, *pair.typedefs.changed, *pair.enums.changed, *symbols):
        if type(old) is type(new):
            yield _Agreement(Subject(old.name, old.span, new.span), tuple(_entries(old, new)))
    yield _errors(comparison)


def _errors(comparison: ApiComparison) -> _Agreement:
    """Return the differences between two specs in the way in which errors are reported."""
    old, new = comparison.old.conventions.errors, comparison.new.conventions.errors
    texts: list[dict[str, str]] = []
    for each, returned in ((old, comparison.old.conventions.returned), (new, comparison.new.conventions.returned)):
        said = {key: getattr(each, key) for key in ("status", "set", "code", "message")} if each else {}
        said |= {f"the code for {meaning}": code for meaning, code in (each.codes if each else {}).items()}
        texts.append(said | _returned(returned))
    for text, api in zip(texts, (comparison.old, comparison.new), strict=True):
        order = {"first_call": api.conventions.first_call, "last_call": api.conventions.last_call}
        text |= {key: name for key, name in order.items() if name}
    before, after = texts
    changes = [_Entry(key, before.get(key, ""), after.get(key, "")) for key in dict.fromkeys((*before, *after))]
    span = next((each.span for name, each in comparison.new.functions.items() if new and name == new.set), None)
    return _Agreement(
        Subject("conventions.errors", None, span), tuple(each for each in changes if each.before != each.after)
    )


def _returned(returned: Returned) -> dict[str, str]:
    """Return the convention of a spec about errors in results."""
    result, last = returned.result, returned.last
    codes = {"ok": result.ok, "failed": result.failed, "unsupported": result.unsupported} if result else {}
    found = {"result": spell(result.type)} if result else {}
    found |= {f"the result for {meaning}": code for meaning, code in codes.items()}
    found |= {"negative_errno": spell(returned.negative)} if returned.negative else {}
    found |= {"null_fails": "true"} if returned.null else {}
    found |= {"returned_error": returned.error} if returned.error else {}
    found |= {f"record.{key}": value for key, value in asdict(returned.record).items() if value}
    found |= {f"last_error.{key}": value for key, value in asdict(last).items() if value}
    return found | ({"except": ", ".join(sorted(returned.exempt))} if returned.exempt else {})


@change_rules.each("ABI613", lambda comparison: (each for each in _agreements(comparison) if each.changes))
def agreement_changed(agreement: _Agreement) -> Iterator[RuleResult]:
    """A key of the spec's contract changed that no type shows."""
    words = "; ".join(each.words for each in agreement.changes)
    is_break = any(each.is_break for each in agreement.changes)
    reason = "a side built against OLD follows the spec of OLD, a side built against NEW that of NEW"
    yield RuleResult(
        f"{agreement.about.entity}: {words}",
        Bump.MAJOR if is_break else Bump.MINOR,
        help="restore it, and add a member or function with the new contract" if is_break else "",
        contract=reason if is_break else AtRisk(f"{reason}, and one of the two does not state it"),
    )


def _filled_structs(comparison: ApiComparison) -> Iterator[StructPair]:
    """Yield structs that another side fills now; what stands in another struct is filled with that."""
    for each in comparison.structs:
        fillers = each.old.filler, each.new.filler
        is_known = all(fillers) or are_specs(comparison)
        if is_known and fillers[0] != fillers[1] and each.is_defined and each.old.name == each.new.name:
            yield from () if "." in each.name else (each,)


def _are_told(struct: StructPair, old: Entity, new: Entity) -> bool:
    """True if both sides say who fills something, as specs do; a header that says nothing changes nothing by it."""
    marks = old.contract.set_by, new.contract.set_by
    return all(marks) or (are_specs(struct.apis) and (any(marks) or isinstance(old, Struct)))


@change_rules.each("ABI614", _filled_structs)
def duty_changed(struct: StructPair) -> Iterator[RuleResult]:
    """Another side sets a struct or a member, or its readers got a new duty."""
    if _are_told(struct, struct.old, struct.new):
        yield _filled_otherwise(struct.name, struct.old.filler, struct.new.filler)


@change_rules.also("ABI614", lambda comparison: comparison.paired_members)
def _duty_of_member_changed(member: KeptMember) -> Iterator[RuleResult]:
    """Another side fills a member, or all have to read it."""
    old, new, struct = member.old.field, member.new.field, member.struct
    about = replace(member, is_measured=False).about
    if old.filler != new.filler and _are_told(struct, old, new):
        yield replace(_filled_otherwise(member.entity, old.filler, new.filler), about=about)
    if old.contract.must_be_understood != new.contract.must_be_understood:
        is_new = new.contract.must_be_understood
        yield RuleResult(
            f"{member.entity} {'must now be read by all consumers' if is_new else 'may now be ignored by consumers'}",
            Bump.MINOR,
            contract=AtRisk(
                "a reader built against OLD may ignore it, and a side built against NEW relies on it"
                if is_new
                else "a reader built against NEW may ignore it, and a side built against OLD relies on it"
            ),
            about=about,
        )


def _filled_otherwise(entity: str, before: Party, after: Party) -> RuleResult:
    """Return the result about an entity that another side sets."""
    words = {Party.BOTH: "both sides", Party.UNKNOWN: "an unknown side"}
    text = f"{entity} was set by {words.get(before, f'the {before}')}, is set by {words.get(after, f'the {after}')}"
    if before in _SIDES and after in _SIDES:
        nobody = f"an older {after} and a newer {before} both leave it unset"
        return RuleResult(text, Bump.MAJOR, help="append a member that the other side sets", contract=nobody)
    return RuleResult(text, Bump.MINOR, contract=AtRisk("both sides must agree on the side that sets it"))


@change_rules.also("ABI609", lambda comparison: comparison.paired_members)
def _filler_said(member: KeptMember) -> Iterator[RuleResult]:
    """A mark of one side says another side than what follows from the other side's conventions."""
    old, new, struct = member.old.field, member.new.field, member.struct
    is_marked = old.contract.set_by or new.contract.set_by
    if is_marked and old.filler and new.filler and old.filler != new.filler and not _are_told(struct, old, new):
        yield RuleResult(
            f"{member.entity} is now set by the {new.filler}; check that it still means the same",
            struct.apis.options.repurposed_bump,
            help="if the meaning changed, append a member for the new one and deprecate this one",
            contract=AtRisk("both sides misread the value if the comments have different meanings"),
            about=replace(member, is_measured=False).about,
        )


def _exchanged(comparison: ApiComparison) -> Iterator[Changed[Function] | Changed[Variable]]:
    """Yield functions and objects of both sides; a header that a spec is compared with leaves most unsaid."""
    if (comparison.old.header is None) == (comparison.new.header is None):
        yield from changed_symbols(comparison)


@change_rules.each("ABI414", _exchanged)
def implementer_changed(function: Changed[Function] | Changed[Variable]) -> Iterator[RuleResult]:
    """The other side implements a function, or an entry point was added or removed."""
    old, new, name = function.old, function.new, function.name
    if old.implemented_by != new.implemented_by and not (old.static and new.static):
        text = f"{name} was implemented by the {old.implemented_by}, is implemented by the {new.implemented_by}"
        if not are_specs(function.apis):
            yield RuleResult(
                text,
                Bump.MINOR,
                contract=AtRisk("check that the comment states the side that implemented it in OLD, too"),
            )
            return
        calls = "it fails to load: it calls {}, which a core built against {} does not export"
        idle = "it defines {}, which a core built against {} never calls"
        shapes = (calls, idle) if new.implemented_by is Party.PLUGIN else (idle, calls)
        plugins = shapes[0].format(name, "NEW"), shapes[1].format(name, "OLD")
        yield RuleResult(text, Bump.MAJOR, help=f"leave {name} as it is, and add another function", plugins=plugins)
    elif old.entry_point and not new.entry_point and are_specs(function.apis):
        yield RuleResult(
            f"{name} is no longer an entry point",
            Bump.MAJOR,
            help=f"keep {name} as an entry point, and let the core call it",
            plugins=(
                f"a core built against NEW never calls its {name}",
                AtRisk(f"a core built against OLD looks up {name}; the plugin must export it"),
            ),
        )
    elif new.entry_point and not old.entry_point and are_specs(function.apis):
        export = AtRisk(f"a core built against NEW looks up {name}; the plugin must export it")
        yield RuleResult(f"{name} became an entry point", Bump.MINOR, plugins=(export, ""))


def _newly_reserved(comparison: ApiComparison) -> Iterator[KeptMember]:
    """Yield members that only NEW calls reserved."""
    for each in comparison.paired_members:
        if each.name == each.new.name and is_reserved(each.new) and not is_reserved(each.old):
            yield replace(each, is_measured=False)


@change_rules.each("ABI615", _newly_reserved)
def meaning_withdrawn(member: KeptMember) -> Iterator[RuleResult]:
    """A used member became reserved."""
    said = member.old.field.contract
    is_break = said.zero is Zero.MEANINGFUL or said.requirement in (Requirement.REQUIRED, Requirement.CONDITIONAL)
    reason = f"a side built against OLD still sets and reads {member.name}; a side built against NEW leaves it zero"
    yield RuleResult(
        f"{member.entity} became reserved",
        Bump.MAJOR if is_break else Bump.MINOR,
        help=f"mark {member.name} deprecated instead, and still set it",
        contract=reason if is_break else AtRisk(reason),
    )


class _Published(msgspec.Struct, frozen=True):
    """A name by which users' code reaches an API, and what it was."""

    about: Subject
    what: str
    before: str
    after: str


def _published(comparison: ApiComparison) -> Iterator[_Published]:
    """Return names of two specs that are written otherwise."""
    old, new = comparison.old.header, comparison.new.header
    if old is None or new is None:
        return iter(())
    before, after = comparison.old.conventions, comparison.new.conventions
    found = [_Published(Subject("header.path"), "the header's path", old.path, new.path)]
    python = before.python_package, after.python_package
    found.append(_Published(Subject("python.package"), "the package in Python", *python))
    names = ({**before.cpp_names, "": before.cpp_namespace}, {**after.cpp_names, "": after.cpp_namespace})
    for name in sorted({*names[0], *names[1]}):
        key, what = ("names." + name, f"the name of {name}") if name else ("namespace", "the namespace")
        about = Subject(f"conventions.cpp.{key}")
        found.append(_Published(about, f"{what} in C++", names[0].get(name, ""), names[1].get(name, "")))
    return (each for each in found if each.before != each.after)


@change_rules.each("ABI616", _published, None)
def published_name_changed(name: _Published) -> Iterator[RuleResult]:
    """The path of a header, or a name in C++ or Python, changed."""
    text = f"{name.what} was {name.before or 'not stated'}, is {name.after or 'not stated'}"
    if name.about.entity == "header.path":
        yield RuleResult(
            text,
            None,
            help="keep a header at the old path that includes the new one",
            source=f'code with `#include "{name.before}"` no longer compiles',
        )
    else:
        made = "the packages in Python" if name.about.entity.startswith("python") else "the C++ layer"
        yield RuleResult(text, Bump.MINOR, source=AtRisk(f"code that uses {made} must use the new name"))


_NAME = r"\w+"
_MARK = (
    r"(?:0|zero|null|nullptr|false) (?:is|means) (?:a )?no op|(?:0|zero|null|nullptr|false) by default"
    r"|optional|required|reserved|deprecated(?: since [\d ]+)?|deprecating soon|since [\d ]+"
    r"|required (?:when|unless) [\w .]+? is set(?: and unless [\w .]+? is set)?"
    rf"|deprecated use (?:the )?{_NAME}(?: instead)?|(?:{_NAME} )*(?:will be|is|was) deprecated(?: soon)?"
    rf"|use (?:the )?{_NAME}(?: instead)?|replaces (?:the )?{_NAME}"
    r"|consumers must (?:read|understand) this|(?:set|filled) by (?:the )?(?:core|plug ?in|both sides|core and plugin)"
)
_SENTENCES = r"[.;:!?](?:\s|$)|\n\n|[\[\]()]"
_TAG = r"[@\\]deprecated\b|[@\\](?=[a-z])"
_LONGEST_TEXT = 60
_SAID = {
    Requirement.OPTIONAL: "it became optional",
    Requirement.UNSAID: "it is no longer marked as optional or required",
    Requirement.CONDITIONAL: "it became required under a condition",
    Requirement.REQUIRED: "it became required",
}
"""The marks of a member that exists now, the least strict first."""


def _marked_members(comparison: ApiComparison) -> Iterator[KeptMember]:
    """Yield members of both sides whose contract differs."""
    for each in comparison.paired_members:
        old, new = each.old.field, each.new.field
        if (old.contract, old.pattern, old.excludes) != (new.contract, new.pattern, new.excludes):
            yield replace(each, is_measured=False)


def _is_going_out(member: KeptMember) -> bool:
    """True if only NEW marks a member as deprecated: what then is looser is said of that."""
    lifecycles = (member.old.field.contract.lifecycle, member.new.field.contract.lifecycle)
    return [each.deprecated for each in lifecycles] == [False, True]


@change_rules.each("ABI608", _marked_members)
def zero_meaning_changed(member: KeptMember) -> Iterator[RuleResult]:
    """The meaning of zero in a member changed."""
    before, after, zero = member.old.field.contract.zero, member.new.field.contract.zero, member.zero
    if before is Zero.MEANINGFUL and after is Zero.UNSAID and not _is_going_out(member):
        yield RuleResult(
            f"{member.entity}: NEW no longer states that {zero} is a value",
            Bump.MINOR,
            help="state the meaning as in OLD",
            contract=AtRisk(f"a side built against OLD reads {zero} as a value; a side built against NEW may not"),
        )
    if (before is Zero.NO_OP) == (after is Zero.NO_OP) or (after is Zero.NO_OP and _is_going_out(member)):
        return
    change = "zero became a no-op" if after is Zero.NO_OP else "zero is no longer a no-op"
    result = RuleResult(
        f"the meaning of {zero} in {member.entity} changed: {change}",
        Bump.MAJOR,
        help="append a member with the new meaning and deprecate this one",
        caret=change,
        contract=f"{zero} written by one side has another meaning for the other side",
    )
    if before is Zero.UNSAID:
        result = replace(result, bump=Bump.MINOR, help="", contract=_may_be_left_zero(member))
    yield result


def _may_be_left_zero(member: KeptMember) -> AtRisk:
    """Return the side that now has to accept a zero."""
    filler = member.new.field.filler
    is_known = filler in (Party.CORE, Party.PLUGIN)
    producer, reader = (filler, filler.other) if is_known else ("producer", "reader")
    return AtRisk(f"a {producer} built against NEW may leave it {member.zero}; the {reader} must accept that")


@change_rules.each("ABI611", _marked_members, Bump.MAJOR)
def requirement_tightened(member: KeptMember) -> Iterator[RuleResult]:
    """The requirements for the side that sets a member became stricter."""
    old, new = member.old.field, member.new.field
    before, after = old.contract, new.contract
    changes = [_SAID[after.requirement]] if _is_stricter(after.requirement, before.requirement) else []
    if before.condition and after.condition and not before.condition.holds_whenever(after.condition):
        changes.append("it is required under another condition")
    changes += ["its pattern changed"] if new.pattern and not _is_allowed(old.pattern, new.pattern) else []
    changes += [f"it now excludes {new.excludes}"] if new.excludes and new.excludes != old.excludes else []
    if changes == [_SAID[Requirement.UNSAID]]:
        yield RuleResult(
            f"{member.entity} was optional; {changes[0]}",
            Bump.MINOR,
            help="write `Optional.` as in OLD",
            caret=changes[0],
            contract=AtRisk(f"a reader built against NEW may rely on it; it must still accept {member.zero}"),
        )
    elif changes:
        yield RuleResult(
            f"stricter requirements for {member.entity}: {', '.join(changes)}",
            help="leave it as it is, and append a member with the stricter requirements",
            caret=", ".join(changes),
            contract="a side built against NEW may reject a value that is valid in OLD",
        )


@change_rules.each("ABI612", _marked_members, Bump.MINOR)
def requirement_loosened(member: KeptMember) -> Iterator[RuleResult]:
    """The requirements for the side that sets a member became weaker."""
    old, new = member.old.field, member.new.field
    before, after = old.contract.requirement, new.contract.requirement
    if _is_going_out(member):
        return
    changes = [_SAID[after]] if _is_stricter(before, after) else []
    was, now = old.contract.condition, new.contract.condition
    if was and now and was != now and was.holds_whenever(now):
        changes.append("it is required in fewer cases")
    changes += ["its pattern was removed"] if old.pattern and not new.pattern else []
    if old.pattern != new.pattern and new.pattern and _is_allowed(old.pattern, new.pattern):
        changes.append("its pattern allows more values")
    changes += [f"it no longer excludes {old.excludes}"] if old.excludes and not new.excludes else []
    if changes:
        yield RuleResult(
            f"weaker requirements for {member.entity}: {', '.join(changes)}",
            caret=", ".join(changes),
            contract=_may_be_left_zero(member),
        )


@change_rules.also("ABI611", changed_symbols)
def _plugin_has_to_have(function: Changed[Function] | Changed[Variable]) -> Iterator[RuleResult]:
    """A function that plugins did not need to have."""
    old, new, name = function.old, function.new, function.name
    if old.implemented_by is new.implemented_by and new.is_demanded and not old.is_demanded:
        yield RuleResult(
            f"stricter requirements for plugins: they must {_verb(new)} {name}",
            help=f"mark {name} `Optional.` as before, and let the core work without it",
            caret="no longer optional",
            plugins=(f"it may not have {name}, which a core built against NEW requires", ""),
        )


@change_rules.also("ABI612", changed_symbols)
def _plugin_may_lack(function: Changed[Function] | Changed[Variable]) -> Iterator[RuleResult]:
    """A function that plugins had to have."""
    old, new, name = function.old, function.new, function.name
    if old.implemented_by is new.implemented_by and old.is_demanded and not new.is_demanded:
        yield RuleResult(
            f"weaker requirements for plugins: they need not {_verb(new)} {name}",
            caret="now optional",
            plugins=("", AtRisk(f"it must still {_verb(new)} {name}: a core built against OLD requires it")),
        )


def _verb(symbol: Function | Variable) -> str:
    """Return what a plugin does with a function or an object that it has."""
    return "implement" if isinstance(symbol, Function) else "define"


def _is_allowed(before: str, after: str) -> bool:
    """True if a pattern allows all that was allowed before."""
    return before == after or (bool(before) and parse_pattern(after).allows(parse_pattern(before)))


def _is_stricter(one: Requirement, other: Requirement) -> bool:
    """True if one requirement demands more than another."""
    strictness = list(_SAID)
    return strictness.index(one) > strictness.index(other)


def _same_members(comparison: ApiComparison) -> Iterator[KeptMember]:
    """Yield members of both sides with the same name and type whose comment differs."""
    for struct in comparison.structs:
        retyped = {each.old.path for each in struct.retyped if each.kind == TYPE}
        for each in struct.kept((*struct.fields.kept, *struct.fields.moved)):
            before, after = each.old.field, each.new.field
            if each.old.path not in retyped and before.doc != after.doc:
                yield replace(each, is_measured=False)


@change_rules.each("ABI609", _same_members, former=("field-repurposed?",))
def field_repurposed(member: KeptMember) -> Iterator[RuleResult]:
    """The comment of a member was rewritten; its meaning may have changed."""
    old_doc, new_doc = member.old.field.doc, member.new.field.doc
    before, after = said(old_doc), said(new_doc)
    if before and after and before != after:
        yield RuleResult(
            f"the comment of {member.entity} was rewritten; check that it still means the same",
            member.struct.apis.options.repurposed_bump,
            help="if the meaning changed, append a member for the new one and deprecate this one",
            caret="comment rewritten",
            contract=AtRisk("both sides misread the value if the comments have different meanings"),
            details=tuple(map(Detail, ("was", "is"), where_they_differ(old_doc, new_doc, longest=_LONGEST_TEXT))),
            about=replace(member.about, details=()),
        )


def said(doc: str) -> tuple[str, ...]:
    """Return the words of a comment, without marks of the contract, in lower case."""
    words: list[str] = []
    for sentence in re.split(_SENTENCES, re.sub(_TAG, "", doc)):
        plain = " ".join(re.findall(r"\w+", sentence.lower()))
        if plain and not re.fullmatch(_MARK, plain):
            words += plain.split()
    return tuple(words)
