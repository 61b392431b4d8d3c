"""The rule about typedefs; those that name functions are judged as callbacks, those that name structs as structs."""

from __future__ import annotations

from collections.abc import Iterator

from abigen.check.axes import axes, breaks
from abigen.check.comparison import Comparison
from abigen.check.member_change import functions_behind
from abigen.check.rule import Report, change_rule
from abigen.check.signature import differ_in_qualifiers
from abigen.check.sources import source_bump
from abigen.check.typedef_uses import reached
from abigen.check.wording import was_is
from abigen.model.ctype import CType, EnumType, NamedType, RecordType
from abigen.model.entities import Typedef
from abigen.model.finding import Bump


@change_rule("ABI207")
def typedef_changed(comparison: Comparison) -> Iterator[Report]:
    """A typedef stands for another type.

    What changed: the types differ in more than spelling. The members, functions and other typedefs that use the name
    are listed below the finding; they are not reported again, and neither is what moves behind those members.

    What happens: every use of the name is compiled with another type. Where only qualifiers differ, binaries do not
    notice.

    Instead: add a typedef with another name, and members that use it.

    Source: VS, "Deprecation with Extension" (changing types is deprecation with extension); C 6.7.8.
    """
    typedefs = comparison.typedefs
    for old, new in typedefs.changed if comparison.equality.names_are_enough else typedefs.both:
        if _is_same(old, new, comparison) or _belongs_elsewhere(old.type, new.type, comparison):
            continue
        only_qualifiers = differ_in_qualifiers(old.type, new.type, comparison.equality)
        aligned = f"; its alignment was {_alignment(old, comparison, False)}, is {_alignment(new, comparison, True)}"
        words = was_is(old.type, new.type, comparison.equality) + (aligned if old.alignment != new.alignment else "")
        source = breaks(f"code that uses {old.name} in the old way may no longer compile")
        yield Report(
            entity=old.name,
            bump=source_bump(comparison, is_broken=True) if only_qualifiers else Bump.MAJOR,
            message=f"{old.name} {words}",
            help="add a typedef with another name, and leave this one as it is",
            axes=axes(source=source)
            if only_qualifiers
            else axes(
                old_plugin=breaks(f"it uses {old.name} as `{_spelled(old)}`, a core built against NEW does not"),
                new_plugin=breaks(f"it uses {old.name} as `{_spelled(new)}`, a core built against OLD does not"),
                source=source,
            ),
            details=tuple(reached(comparison, old.name)),
            old=old.span,
            new=new.span,
            caret=f"was `{_spelled(old)}`",
            numbers={"old_size": _size(old, comparison, False), "new_size": _size(new, comparison, True)},
        )


def _is_same(old: Typedef, new: Typedef, comparison: Comparison) -> bool:
    """Whether both stand for the same type, as far as anyone can tell."""
    if old.alignment != new.alignment:
        before, after = _alignment(old, comparison, False), _alignment(new, comparison, True)
        return before == after and comparison.same_type(old.type, new.type)
    return comparison.same_type(old.type, new.type)


def _alignment(typedef: Typedef, comparison: Comparison, new: bool) -> int:
    """The alignment of what a typedef stands for, in bytes."""
    layouts = comparison.new_layouts if new else comparison.old_layouts
    return layouts.alignment_of(NamedType(typedef.name))


def _belongs_elsewhere(old: CType, new: CType, comparison: Comparison) -> bool:
    """Whether other rules judge it: functions behind equal pointers, or a struct or enumeration on either side."""
    if functions_behind(old, new, comparison.equality):
        return True
    return any(isinstance(each, RecordType | EnumType) for each in (old, new))


def _size(typedef: Typedef, comparison: Comparison, new: bool) -> int | None:
    """The size of what a typedef stands for, in bytes; None when it has none."""
    from abigen.model.span import AbigenError

    layouts = comparison.new_layouts if new else comparison.old_layouts
    try:
        return layouts.size_of(typedef.type)
    except AbigenError:
        return None


def _spelled(typedef: Typedef) -> str:
    """What a typedef stands for, as C writes it."""
    from abigen.model.spelling import spell

    return spell(typedef.type)
