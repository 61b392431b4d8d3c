"""What is said of members that are still there: what zero means, whether they are required, their comments."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec.structs import replace

from abigen.check.comparison import ApiComparison, change_rules
from abigen.check.differences import TYPE
from abigen.check.pairs import Changed
from abigen.check.reasons import where_they_differ
from abigen.check.rule import AtRisk, RuleResult
from abigen.check.struct_pairs import KeptMember
from abigen.model.contract import Party, Requirement, Zero
from abigen.model.entities import Function
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
    Requirement.OPTIONAL: "it is optional now",
    Requirement.UNSAID: "nothing says any more whether it is required",
    Requirement.CONDITIONAL: "it is required under a condition now",
    Requirement.REQUIRED: "it is required now",
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
    """What zero means in a member is not what it was.

    What changed: the mark `0 is no-op.` or `NULL is no-op.` appeared at an existing member, or went away. MINOR where
    nothing was said of zero before, and where a zero that meant something is no longer explained.

    What happens: the bytes are the same, but the two sides disagree about a zero in them. Where nothing was said
    before, readers merely have to accept more. Where NULL meant something (`NULL by default.`), it is not merely more.

    Instead: append a member with the new meaning, and deprecate this one.

    Source: VS, "Conventions" (a member cannot be repurposed) and "By Value Inspection".
    """
    before, after, zero = member.old.field.contract.zero, member.new.field.contract.zero, member.zero
    if before is Zero.MEANINGFUL and after is Zero.UNSAID and not _is_going_out(member):
        yield RuleResult(
            f"nothing says any more that {zero} in {member.entity} is a value",
            Bump.MINOR,
            help="say as before what it means",
            contract=AtRisk(f"an older side takes {zero} for a value; a newer one may not"),
        )
    if (before is Zero.NO_OP) == (after is Zero.NO_OP) or (after is Zero.NO_OP and _is_going_out(member)):
        return
    change = "zero is a no-op now" if after is Zero.NO_OP else "zero is no longer a no-op"
    result = RuleResult(
        f"the meaning of {zero} in {member.entity} changed: {change}",
        Bump.MAJOR,
        help="append a member with the new meaning and deprecate this one",
        caret=change,
        contract=f"{zero} written by one side means something else to the other",
    )
    if before is Zero.UNSAID:
        result = replace(result, bump=Bump.MINOR, help="", contract=_may_be_left_zero(member))
    yield result


def _may_be_left_zero(member: KeptMember) -> AtRisk:
    """Who has to accept a zero now."""
    filler = member.new.field.filler
    is_known = filler in (Party.CORE, Party.PLUGIN)
    producer, reader = (filler, filler.other) if is_known else ("producer", "reader")
    return AtRisk(f"a newer {producer} may leave {member.zero} there; the {reader} must accept it")


@change_rules.each("ABI611", _marked_members, Bump.MAJOR)
def requirement_tightened(member: KeptMember) -> Iterator[RuleResult]:
    """More is demanded of whoever fills a member.

    What changed: the member was optional, or nothing was said of it, and it is required now (`Required.`, or under a
    condition); or a condition, a pattern or an exclusion appeared or is another one. MINOR where `Optional.` went away
    and nothing came in its place.

    What happens: validators of a newer core refuse plugins that were right before; a newer side may count on a member
    that an older one leaves zero.

    Instead: leave the member as it is, and append one that is required where `struct_size` reaches it.

    Source: rulebook section 3, "Deprecation"; VS, "Conventions".
    """
    old, new = member.old.field, member.new.field
    before, after = old.contract, new.contract
    changes = [_SAID[after.requirement]] if _is_stricter(after.requirement, before.requirement) else []
    if before.condition and after.condition and not before.condition.holds_whenever(after.condition):
        changes.append("the condition under which it is required is another one")
    changes += ["it has to look in another way"] if new.pattern and not _is_allowed(old.pattern, new.pattern) else []
    changes += [f"it excludes {new.excludes} now"] if new.excludes and new.excludes != old.excludes else []
    if changes == [_SAID[Requirement.UNSAID]]:
        yield RuleResult(
            f"{member.entity} was optional; {changes[0]}",
            Bump.MINOR,
            help="say `Optional.` as before",
            caret=changes[0],
            contract=AtRisk(f"a newer reader may count on it; it must go on accepting {member.zero}"),
        )
    elif changes:
        yield RuleResult(
            f"more is demanded of {member.entity}: {', '.join(changes)}",
            help="leave it as it is, and append a member of which more is demanded",
            caret=", ".join(changes),
            contract="what was right in OLD may be refused as incomplete or wrong in NEW",
        )


@change_rules.each("ABI612", _marked_members, Bump.MINOR)
def requirement_loosened(member: KeptMember) -> Iterator[RuleResult]:
    """Less is demanded of whoever fills a member.

    What changed: the member was required, or nothing was said of it, and it is optional now; or nothing demands it any
    more, always or at all; or a pattern or an exclusion went away.

    What happens: a newer side may leave the member zero, or fill it otherwise; an older reader may not stand that.

    Instead: nothing; raise MINOR, and fill the member as before as long as older readers are about.

    Source: rulebook section 3, "Deprecation".
    """
    old, new = member.old.field, member.new.field
    before, after = old.contract.requirement, new.contract.requirement
    if _is_going_out(member):
        return
    changes = [_SAID[after]] if _is_stricter(before, after) else []
    was, now = old.contract.condition, new.contract.condition
    if was and now and was != now and was.holds_whenever(now):
        changes.append("it is required in fewer cases now")
    changes += ["it may look in any way now"] if old.pattern and not new.pattern else []
    if old.pattern != new.pattern and new.pattern and _is_allowed(old.pattern, new.pattern):
        changes.append("it may look in more ways now")
    changes += [f"it no longer excludes {old.excludes}"] if old.excludes and not new.excludes else []
    if changes:
        yield RuleResult(
            f"less is demanded of {member.entity}: {', '.join(changes)}",
            caret=", ".join(changes),
            contract=_may_be_left_zero(member),
        )


@change_rules.also("ABI611", lambda comparison: comparison.changed(comparison.pair.functions))
def _plugin_has_to_have(function: Changed[Function]) -> Iterator[RuleResult]:
    """A function that plugins did not need to have."""
    old, new, name = function.old, function.new, function.name
    if old.implemented_by is new.implemented_by and new.is_demanded and not old.is_demanded:
        yield RuleResult(
            f"more is demanded of plugins: they have to implement {name} now",
            help=f"mark {name} `Optional.` as before, and let the core do without it",
            caret="no longer optional",
            plugins=(f"it may lack {name}, which a core built against NEW needs", ""),
        )


@change_rules.also("ABI612", lambda comparison: comparison.changed(comparison.pair.functions))
def _plugin_may_lack(function: Changed[Function]) -> Iterator[RuleResult]:
    """A function that plugins had to have."""
    old, new, name = function.old, function.new, function.name
    if old.implemented_by is new.implemented_by and old.is_demanded and not new.is_demanded:
        yield RuleResult(
            f"less is demanded of plugins: they need not implement {name} any more",
            caret="optional now",
            plugins=("", AtRisk(f"it has to have {name} all the same: a core built against OLD needs it")),
        )


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

    What changed: name, type and place are what they were, but the comment says something else: not only other wrapping
    or punctuation, and not only a mark about zero or the end of the member (those have rules of their own).

    What happens: nothing, if the words are merely better. If the meaning changed, one side writes what the other takes
    for something else, and no compiler and no size tells.

    Instead: read both comments. When the meaning changed, append a member for it and deprecate the old one. Whether the
    finding counts is the policy's decision.

    Source: VS, "Conventions" (a member cannot be repurposed).
    """
    old_doc, new_doc = member.old.field.doc, member.new.field.doc
    before, after = said(old_doc), said(new_doc)
    if before and after and before != after:
        yield RuleResult(
            f"the comment of {member.entity} was rewritten; check that it still means the same",
            member.struct.apis.options.repurposed_bump,
            help="if the meaning changed, append a member for the new one and deprecate this one",
            caret="documented otherwise",
            contract=AtRisk("whoever reads or writes it has to agree with both comments"),
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
