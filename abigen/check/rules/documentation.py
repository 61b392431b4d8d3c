"""What comments say about members that are still there."""

from __future__ import annotations

import re
from collections.abc import Iterator

from abigen.check.axes import at_risk, axes
from abigen.check.comparison import Comparison, StructPair
from abigen.check.member_change import TYPE
from abigen.check.pairing.fields import MemberPair
from abigen.check.rule import Report, change_rule
from abigen.check.sides import filler_of
from abigen.model.finding import Detail

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


@change_rule("ABI609")
def field_repurposed_in_question(comparison: Comparison) -> Iterator[Report]:
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
    for pair in comparison.structs:
        retyped = {each.old.path for each, change in pair.member_changes if change.kind == TYPE}
        for each in (*pair.fields.kept, *pair.fields.moved):
            if each.old.path in retyped or (
                each.old.field.doc == each.new.field.doc and each.old.field.contract == each.new.field.contract
            ):
                continue
            before, after = said(each.old.field.doc), said(each.new.field.doc)
            duties = _duties(pair, each)
            if duties or (before and after and before != after):
                name = pair.entity(each.old.path)
                what = f"{name} is {' and '.join(duties)}" if duties else f"the comment of {name} was rewritten"
                yield Report(
                    entity=name,
                    bump=comparison.options.repurposed_bump,
                    message=f"{what}; check that it still means the same",
                    axes=axes(contract=at_risk("whoever reads or writes it has to agree with both comments")),
                    help="if the meaning changed, append a member for the new one and deprecate this one",
                    details=(Detail("was", _short(each.old.field.doc)), Detail("is", _short(each.new.field.doc))),
                    old=each.old.field.span,
                    new=each.new.field.span,
                    caret="documented otherwise",
                )


def _duties(pair: StructPair, each: MemberPair) -> list[str]:
    """What changed about who fills a member and who has to read it."""
    before, after = each.old.field.contract, each.new.field.contract
    changes = []
    # One text may leave to its conventions what the other says, so a side of which nothing is known is no other side.
    was = filler_of(each.old.field, pair.old, pair.comparison.old)
    now = filler_of(each.new.field, pair.new, pair.comparison.new)
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
