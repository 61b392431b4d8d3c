"""What is said of members that are still there: what zero means, whether they are required, their comments."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec.structs import replace

from abigen.check.comparison import ApiComparison, change_rules, changed_symbols
from abigen.check.differences import TYPE
from abigen.check.pairs import Changed
from abigen.check.reasons import where_they_differ
from abigen.check.rule import AtRisk, RuleResult
from abigen.check.struct_pairs import KeptMember
from abigen.model.contract import Party, Requirement, Zero
from abigen.model.entities import Function, Variable
from abigen.model.finding import Bump, Detail
from abigen.model.pattern import parse_pattern

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
    Requirement.UNSAID: "it is no longer stated to be optional or required",
    Requirement.CONDITIONAL: "it became required under a condition",
    Requirement.REQUIRED: "it became required",
}
"""What is said of a member that is there now, the least strict first."""


def _marked_members(comparison: ApiComparison) -> Iterator[KeptMember]:
    """Members of both sides whose contract differs."""
    for each in comparison.paired_members:
        old, new = each.old.field, each.new.field
        if (old.contract, old.pattern, old.excludes) != (new.contract, new.pattern, new.excludes):
            yield replace(each, is_measured=False)


def _is_going_out(member: KeptMember) -> bool:
    """Whether only NEW marks a member as deprecated: what then is looser is said of that."""
    lifecycles = (member.old.field.contract.lifecycle, member.new.field.contract.lifecycle)
    return [each.deprecated for each in lifecycles] == [False, True]


@change_rules.each("ABI608", _marked_members)
def zero_meaning_changed(member: KeptMember) -> Iterator[RuleResult]:
    """The meaning of zero in a member changed.

    What changed: the mark `0 is no-op.` or `NULL is no-op.` was added to an existing member, or removed. MINOR if OLD
    states nothing of zero, or if NEW no longer states the meaning of a zero.

    What happens: the bytes are the same, but one side writes a zero and the other side reads another meaning. If OLD
    states nothing of zero, readers only have to accept zero.

    Instead: append a member with the new meaning, and deprecate this one.

    Source: VS, "Conventions" (a member cannot be repurposed) and "By Value Inspection".
    """
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
    """Who has to accept a zero now."""
    filler = member.new.field.filler
    is_known = filler in (Party.CORE, Party.PLUGIN)
    producer, reader = (filler, filler.other) if is_known else ("producer", "reader")
    return AtRisk(f"a {producer} built against NEW may leave it {member.zero}; the {reader} must accept that")


@change_rules.each("ABI611", _marked_members, Bump.MAJOR)
def requirement_tightened(member: KeptMember) -> Iterator[RuleResult]:
    """The requirements for the side that sets a member became stricter.

    What changed: the member was optional or unmarked, and became required (`Required.`, or under a condition); or a
    condition, a pattern or an exclusion was added or changed. MINOR if only `Optional.` was removed.

    What happens: the validator of a core built against NEW rejects plugins that were valid in OLD; a side built against
    NEW may rely on a member that a side built against OLD leaves zero.

    Instead: leave the member as it is, and append one that is required if `struct_size` includes it.

    Source: rulebook section 3, "Deprecation"; VS, "Conventions".
    """
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
    """The requirements for the side that sets a member became weaker.

    What changed: the member was required or unmarked, and became optional; or it is required in fewer cases; or a
    pattern or an exclusion was removed.

    What happens: a producer built against NEW may leave the member zero, or set other values; a reader built against
    OLD may reject them or crash.

    Instead: nothing; raise MINOR, and set the member as before while older readers exist.

    Source: rulebook section 3, "Deprecation".
    """
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
    """Whether a pattern allows all that was allowed before."""
    return before == after or (bool(before) and parse_pattern(after).allows(parse_pattern(before)))


def _is_stricter(one: Requirement, other: Requirement) -> bool:
    """Whether one requirement demands more than another."""
    strictness = list(_SAID)
    return strictness.index(one) > strictness.index(other)


def _same_members(comparison: ApiComparison) -> Iterator[KeptMember]:
    """Members of both sides with the same name and type whose comment differs."""
    for struct in comparison.structs:
        retyped = {each.old.path for each in struct.retyped if each.kind == TYPE}
        for each in struct.kept((*struct.fields.kept, *struct.fields.moved)):
            before, after = each.old.field, each.new.field
            if each.old.path not in retyped and before.doc != after.doc:
                yield replace(each, is_measured=False)


@change_rules.each("ABI609", _same_members, former=("field-repurposed?",))
def field_repurposed(member: KeptMember) -> Iterator[RuleResult]:
    """The comment of a member was rewritten; its meaning may have changed.

    What changed: the words of the comment; name, type and place are the same. Line breaks, punctuation and marks about
    zero or deprecation do not count.

    What happens: nothing, if only the words were improved. If the meaning changed, one side writes a value that the
    other side reads with another meaning, and neither compilers nor sizes show it.

    Instead: read both comments. If the meaning changed, append a member for the new meaning and deprecate the old one.
    The policy decides if the finding counts.

    Source: VS, "Conventions" (a member cannot be repurposed).
    """
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
    """The words of a comment, without marks of the contract, in lower case."""
    words: list[str] = []
    for sentence in re.split(_SENTENCES, re.sub(_TAG, "", doc)):
        plain = " ".join(re.findall(r"\w+", sentence.lower()))
        if plain and not re.fullmatch(_MARK, plain):
            words += plain.split()
    return tuple(words)
