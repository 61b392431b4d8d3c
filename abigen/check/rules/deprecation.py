"""What is on its way out, and what comments say about members that are still there."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from abigen.check.comparison import Comparison, change_rules
from abigen.check.differences import TYPE
from abigen.check.pairs import Changed
from abigen.check.rule import AtRisk, Outcome, Subject
from abigen.check.structs import KeptMember, RemovedMember
from abigen.model.api import Api
from abigen.model.contract import Contract, Party
from abigen.model.ctype import Pointer
from abigen.model.entities import Entity, Enum, Function
from abigen.model.finding import Bump, Detail

NO_OP = "no-op"
_AFTER_TRANSITION = "raise MINOR; remove it in a MAJOR release after the transition"

_NAME = r"\w+"
_MARK = (
    r"(?:0|zero|null|nullptr|false) (?:is|means) (?:a )?no op|(?:0|zero|null|nullptr|false) by default"
    r"|optional|required|reserved|deprecated(?: since [\d ]+)?|deprecating soon|since [\d ]+"
    rf"|deprecated use (?:the )?{_NAME}(?: instead)?|(?:{_NAME} )*(?:will be|is|was) deprecated(?: soon)?"
    rf"|use (?:the )?{_NAME}(?: instead)?|replaces (?:the )?{_NAME}"
    r"|consumers must (?:read|understand) this|(?:set|filled) by (?:the )?(?:core|plug ?in|both sides|core and plugin)"
)
_SENTENCES = r"[.;:!?](?:\s|$)|\n\n|[\[\]()]"
_TAG = r"[@\\]deprecated\b|[@\\](?=[a-z])"
_LONGEST_TEXT = 60


def _going_out(zero: str) -> Callable[[Comparison], Iterator[KeptMember]]:
    """Members that NEW marks as deprecated without a successor, by what OLD says about their zero.

    Args:
        zero: `meaningful`, `required` (a no-op, but to be filled) or `optional`.
    """

    def members(comparison: Comparison) -> Iterator[KeptMember]:
        for struct in comparison.structs:
            for each in struct.newly_deprecated:
                if each.name not in struct.successors and _zero_was(each.old.field.contract) == zero:
                    yield each

    return members


def _zero_was(contract: Contract) -> str:
    """What OLD says about a member's zero."""
    if contract.zero != NO_OP:
        return "meaningful"
    return "optional" if contract.is_optional else "required"


@change_rules.each("ABI601", _going_out("optional"), Bump.MINOR, "warning")
def field_deprecated(member: KeptMember) -> Iterator[Outcome]:
    """A member that may be zero is on its way out.

    What changed: NEW marks the member as deprecated; OLD says that zero is a no-op and that the member is optional.

    What happens: newer producers leave it zero, and older consumers skip it, as they always had to.

    Instead: nothing; this is how a member goes. Raise MINOR now; it can be removed in a MAJOR release later.

    Source: VS, "By Value Inspection" and "Deprecating Functionality"; PR, the last comment on the versioning strategy.
    """
    yield Outcome(
        f"{member.entity} is deprecated; zero is a no-op and it was optional, so older consumers skip it",
        help=_AFTER_TRANSITION,
        caret="deprecated",
        numbers={},
    )


@change_rules.each("ABI602", _going_out("meaningful"), Bump.MAJOR)
def deprecated_meaningful_zero(member: KeptMember) -> Iterator[Outcome]:
    """A member is on its way out, but its zero means something.

    What changed: NEW marks the member as deprecated; OLD does not say that zero (or NULL) is a no-op.

    What happens: a newer producer leaves the member zero, and an older consumer takes that for a value: an index, a
    size, a default.

    Instead: mark zero as a no-op in a release before, append a replacement (`Replaces x.`) and go on filling the old
    member; or raise MAJOR.

    Source: VS, "By Value Inspection" (`can_be_zero`, `optional_zero_default`).
    """
    zero = _zero(member)
    says = "is a valid value of it" if member.old.field.contract.zero else "was never said to be a no-op"
    yield Outcome(
        f"{member.entity} is deprecated, but {zero} {says}",
        help="append a member that replaces it and go on filling both, or raise MAJOR",
        caret="deprecated",
        plugins=_left_zero(member, f"takes {zero} for a value, because OLD does not say that it is a no-op"),
        contract=f"{zero} means nothing to the newer side, and is a value to the older one",
        numbers={},
    )


@change_rules.each("ABI603", _going_out("required"), Bump.MAJOR)
def deprecated_required_field(member: KeptMember) -> Iterator[Outcome]:
    """A member is on its way out that producers had to fill.

    What changed: NEW marks the member as deprecated; in OLD zero is a no-op, but the member is not optional.

    What happens: a newer producer leaves the member zero, and an older consumer may reject that as incomplete: it was
    told that the member is always there.

    Instead: make it `Optional.` first, and deprecate it when consumers that insist on it are gone; or raise MAJOR.

    Source: PR, the last comment on the versioning strategy; rulebook section 3, "Deprecation".
    """
    yield Outcome(
        f"{member.entity} is deprecated, but OLD requires it",
        help="say `Optional.` in a release before, or raise MAJOR",
        caret="deprecated",
        plugins=_left_zero(member, f"may reject {_zero(member)} there, because OLD does not say that it is optional"),
        numbers={},
    )


def _left_zero(member: KeptMember, reason: str) -> tuple[str, str]:
    """What it means for plugins of both sides that newer producers may leave a member zero.

    Args:
        member: that NEW marks as deprecated.
        reason: what an older consumer does with a zero.
    """
    for_old = f"a core built against NEW may leave {member.name} zero; it {reason}"
    for_new = f"it may leave {member.name} zero; a core built against OLD {reason}"
    return "" if member.filler is Party.PLUGIN else for_old, "" if member.filler is Party.CORE else for_new


def _zero(member: KeptMember) -> str:
    """How zero is called for a member's type."""
    is_pointer = isinstance(member.struct.apis.old.resolve(member.old.field.type), Pointer)
    return "NULL" if is_pointer else "0"


def _replaced(comparison: Comparison) -> Iterator[KeptMember]:
    """Members that NEW marks as deprecated, and that have a successor."""
    deprecated = (each for struct in comparison.structs for each in struct.newly_deprecated)
    return (each for each in deprecated if each.name in each.struct.successors)


@change_rules.each("ABI604", _replaced, Bump.MINOR, "warning")
def renamed_by_deprecation(member: KeptMember) -> Iterator[Outcome]:
    """A member was given a successor at the end of the struct.

    What changed: a member was appended that replaces an old one (`Replaces old.` or, at the old one, `Use new.`), and
    the old one is marked as deprecated in the same change; or the new one came in a release before.

    What happens: both are there, and both are filled during the transition: readers take the new one when `struct_size`
    says that it is there, else the old one.

    Instead: nothing; this is the accepted way to rename a member or to change its type. Raise MINOR.

    Source: VS, "Deprecation with Extension".
    """
    struct, name = member.struct, member.name
    successor = struct.successors[name]
    new = next(each for each in struct.new_members if each.name == successor)
    is_appended = any(each.name == successor for each in struct.fields.appended)
    if is_appended:
        reader = f"must take {successor} only if struct_size reaches {new.end}, and {name} otherwise"
        old_plugin = f"it knows {name} only; a core built against NEW {reader}"
        new_plugin = f"a core built against OLD knows {name} only; it {reader}"
    else:
        reader = f"must check {name} for zero, and take {successor} then"
        old_plugin = f"it may fill only one of {name} and {successor}; a core built against NEW {reader}"
        new_plugin = f"it may leave {name} zero; a core built against OLD {reader}"
    yield Outcome(
        f"{member.entity} is deprecated, {successor} at offset {new.offset} replaces it",
        help="fill both during the transition; raise MINOR",
        caret=f"use {successor}",
        plugins=(AtRisk(old_plugin), AtRisk(new_plugin)),
        details=[Detail("replaced", f"by {successor}, {'new ' if is_appended else ''}at offset {new.offset}")],
        numbers={"old_offset": member.old.offset, "new_offset": new.offset, "new_size": new.size},
    )


@change_rules.whole("ABI605", Bump.MINOR, "warning")
def type_deprecated(comparison: Comparison) -> Iterator[Outcome]:
    """A type is on its way out.

    What changed: NEW marks a struct, an enumeration, a handle or a typedef as deprecated, with or without a successor.

    What happens: nothing yet; it is still there.

    Instead: nothing. Raise MINOR; it can be removed in a MAJOR release later.

    Source: VS, "Deprecation with Extension", case 2.
    """
    told: set[str] = set()
    types: list[tuple[Entity, Entity]] = [(struct.old, struct.new) for struct in comparison.structs]
    types += [*comparison.pair.enums.changed, *comparison.pair.typedefs.changed]
    for old, new in types:  # A struct and its typedef may both carry the mark.
        if _is_new_mark(old, new) and old.name not in told and not _is_deprecated(old.name, comparison.old):
            told.add(old.name)
            yield deprecated(old.name, new)._replace(about=Subject(old.name, old.span, new.span))


@change_rules.whole("ABI606", Bump.MINOR, "warning")
def enumerator_deprecated(comparison: Comparison) -> Iterator[Outcome]:
    """An enumerator is on its way out.

    What changed: NEW marks an enumerator as deprecated.

    What happens: nothing yet; its value is still there.

    Instead: nothing. Raise MINOR; its value must not be given to another enumerator when it goes.

    Source: VS, "Deprecation with Extension", case 2; rulebook section 3.
    """
    for old, new in comparison.pair.enums.changed:
        before = {each.name: each for each in old.enumerators or ()}
        for each in new.enumerators or ():
            known = before.get(each.name)
            if known and _is_new_mark(known, each):
                entity = _enumerator(old, each.name)
                yield deprecated(entity, each)._replace(about=Subject(entity, known.span, each.span))


@change_rules.each("ABI406", lambda comparison: comparison.changed(comparison.pair.functions), Bump.MINOR, "warning")
def function_deprecated(function: Changed[Function]) -> Iterator[Outcome]:
    """A function is marked deprecated.

    What changed: its comment says so (`Deprecated.`, `Deprecating soon.`, `Use x.`), an attribute, or the spec.

    What happens: nothing yet. Compilers warn where an attribute says it.

    Instead: name the replacement (`Use x.`), and keep the function until the next MAJOR release.

    Source: VS, "Deprecating Functionality" and "Deprecation with Extension", case 3.
    """
    if _is_new_mark(function.old, function.new):
        yield deprecated(function.name, function.new)._replace(help="")


def deprecated(entity: str, new: Entity) -> Outcome:
    """What is said of anything that NEW marks as deprecated, and that nobody fills."""
    use = new.contract.lifecycle.replaced_by
    return Outcome(
        f"{entity} is deprecated" + (f"; use {use}" if use else ""), help=_AFTER_TRANSITION, caret="deprecated"
    )


def _is_new_mark(old: Entity, new: Entity) -> bool:
    """Whether only NEW marks an entity as deprecated."""
    return new.contract.lifecycle.deprecated and not old.contract.lifecycle.deprecated


def _enumerator(enum: Enum, name: str) -> str:
    """What findings call an enumerator: a type without a name leaves it bare."""
    return name if enum.anonymous else f"{enum.name}.{name}"


def _is_deprecated(name: str, api: Api) -> bool:
    """Whether anything of a name that is a type is marked as deprecated."""
    entities = (api.structs.get(name), api.enums.get(name), api.typedefs.get(name))
    return any(entity is not None and entity.contract.lifecycle.deprecated for entity in entities)


@change_rules.each("ABI607", lambda comparison: comparison.members(lambda fields: fields.paired), Bump.MINOR, "warning")
def field_undeprecated(member: KeptMember) -> Iterator[Outcome]:
    """A member that was on its way out is to stay.

    What changed: OLD marks the member as deprecated, NEW does not.

    What happens: producers built against OLD may already leave it zero, and readers built against NEW may count on it.

    Instead: let readers go on checking for zero.

    Source: rulebook section 3, "Deprecation".
    """
    if not _is_new_mark(member.new.field, member.old.field):
        return
    check = f"must go on checking {member.name} for zero"
    for_old = AtRisk(f"it may leave {member.name} zero; a core built against NEW {check}")
    for_new = AtRisk(f"a core built against OLD may leave {member.name} zero; it {check}")
    yield Outcome(
        f"{member.entity} is no longer deprecated",
        help="check whether anybody has stopped to fill it",
        caret="deprecated no longer",
        plugins=("" if member.filler is Party.CORE else for_old, "" if member.filler is Party.PLUGIN else for_new),
        numbers={},
    )


@change_rules.each("ABI608", lambda comparison: comparison.members(lambda fields: fields.paired))
def zero_meaning_changed(member: KeptMember) -> Iterator[Outcome]:
    """What zero means in a member, or whether it may be zero, is not what it was.

    What changed: the mark `0 is no-op.`, `NULL is no-op.` or `Optional.` appeared at an existing member, or went away.

    What happens: the bytes are the same, but the two sides disagree about a zero in them. MINOR where readers merely
    have to accept more: the member became optional, or NULL is allowed where a pointer was demanded. Where NULL meant
    something (`NULL by default.`), it is not merely more.

    Instead: append a member with the new meaning, and deprecate this one.

    Source: VS, "Conventions" (a member cannot be repurposed) and "By Value Inspection".
    """
    before, after = member.old.field.contract, member.new.field.contract
    changes = _mark_changes(before, after)
    if not changes or before.lifecycle.deprecated != after.lifecycle.deprecated:
        return
    zero = _zero(member)
    new_no_op = after.zero == NO_OP and before.zero != NO_OP
    lost = (before.zero == NO_OP and after.zero != NO_OP) or (before.is_optional and not after.is_optional)
    had_meaning = before.zero not in (NO_OP, "") or zero != "NULL"
    is_wider = not lost and not (new_no_op and had_meaning)
    filler = member.new.field.filler
    is_known = filler in (Party.CORE, Party.PLUGIN)
    producer, reader = (filler, filler.other) if is_known else ("its producer", "its reader")
    contract = f"{zero} written by one side means something else to the other"
    if is_wider:
        contract = AtRisk(f"a newer {producer} may leave {zero} there; the {reader} must accept it")
    yield Outcome(
        f"the meaning of {zero} in {member.entity} changed: {', '.join(changes)}",
        Bump.MINOR if is_wider else Bump.MAJOR,
        help="" if is_wider else "append a member with the new meaning and deprecate this one",
        caret=", ".join(changes),
        contract=contract,
        numbers={},
    )


def _mark_changes(before: Contract, after: Contract) -> list[str]:
    """The marks that came or went, in words."""
    changes = []
    if (before.zero == NO_OP) != (after.zero == NO_OP):
        changes.append("zero " + ("is a no-op now" if after.zero == NO_OP else "is no longer a no-op"))
    if before.is_optional != after.is_optional:
        changes.append("it is " + ("optional now" if after.is_optional else "no longer optional"))
    return changes


@change_rules.each("ABI610", lambda comparison: comparison.removed_members, Bump.MAJOR, "warning")
def removed_without_deprecation(removed: RemovedMember) -> Iterator[Outcome]:
    """A member went without a warning.

    What changed: a member is gone that OLD does not mark as deprecated.

    What happens: nobody who uses it had a release in which it still worked and its end was announced.

    Instead: bring it back, mark it `Deprecated.`, release that, and remove it in the MAJOR release after.

    Source: VS, "Deprecating Functionality" ("after the transition time has passed").
    """
    marks = (each.contract.lifecycle.deprecated for each in (removed.struct.old, removed.member.field))
    if not any(marks):
        yield Outcome(
            f"{removed.entity} was never marked as deprecated before it went",
            source="its users had no release in which both ways worked",
            numbers={},
        )


def _same_members(comparison: Comparison) -> Iterator[KeptMember]:
    """Members of both sides with the same name and type whose comment or contract differs."""
    for struct in comparison.structs:
        retyped = {each.old.path for each in struct.retyped if each.kind == TYPE}
        for each in struct.kept((*struct.fields.kept, *struct.fields.moved)):
            before, after = each.old.field, each.new.field
            if each.old.path not in retyped and (before.doc, before.contract) != (after.doc, after.contract):
                yield each


@change_rules.each("ABI609", _same_members)
def field_repurposed_in_question(member: KeptMember) -> Iterator[Outcome]:
    """The comment of a member was rewritten; its meaning may have changed.

    What changed: name, type and place are what they were, but the comment says something else: not only other wrapping
    or punctuation, and not only a mark about zero or the end of the member (those have rules of their own). Or the
    marks say that another side fills it, or that consumers must read it, and did not before.

    What happens: nothing, if the words are merely better. If the meaning changed, one side writes what the other takes
    for something else, and no compiler and no size tells.

    Instead: read both comments. When the meaning changed, append a member for it and deprecate the old one. Whether the
    finding counts is the policy's decision.

    Source: VS, "Conventions" (a member cannot be repurposed).
    """
    old_doc, new_doc = member.old.field.doc, member.new.field.doc
    before, after = said(old_doc), said(new_doc)
    duties = _duties(member)
    if duties or (before and after and before != after):
        what = f"the comment of {member.entity} was rewritten"
        if duties:
            what = f"{member.entity} is {' and '.join(duties)}"
        yield Outcome(
            f"{what}; check that it still means the same",
            member.struct.apis.options.repurposed_bump,
            help="if the meaning changed, append a member for the new one and deprecate this one",
            caret="documented otherwise",
            contract=AtRisk("whoever reads or writes it has to agree with both comments"),
            details=(Detail("was", _short(old_doc)), Detail("is", _short(new_doc))),
            numbers={},
        )


def _duties(member: KeptMember) -> list[str]:
    """What changed about who fills a member and who has to read it."""
    before, after = member.old.field.contract, member.new.field.contract
    changes = []
    # One text may leave to its conventions what the other says, so a side of which nothing is known is no other side.
    was, now = member.filler, member.new.field.filler
    if was and now and was != now:
        changes.append(f"filled by {now} now")
    if before.must_be_understood != after.must_be_understood:
        changes.append("to be read by all consumers now" if after.must_be_understood else "no longer to be read by all")
    return changes


def said(doc: str) -> tuple[str, ...]:
    """The words of a comment, without marks of the contract, in lower case."""
    words: list[str] = []
    for sentence in re.split(_SENTENCES, re.sub(_TAG, "", doc)):
        plain = " ".join(re.findall(r"\w+", sentence.lower()))
        if plain and not re.fullmatch(_MARK, plain):
            words += plain.split()
    return tuple(words)


def _short(doc: str) -> str:
    """A comment on one line, cut when it is long."""
    line = " ".join(doc.split())
    return line if len(line) <= _LONGEST_TEXT else line[: _LONGEST_TEXT - 4].rstrip() + " ..."
