"""Rules about macros: constants that both sides have compiled in, and function-like ones."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from abigen.check.axes import at_risk, axes, breaks
from abigen.check.comparison import Comparison
from abigen.check.pairing.constants import (
    ATTRIBUTE,
    CODE,
    follows_from_api,
    identifiers,
    meaning_of,
    states_version,
)
from abigen.check.pairing.enums import value_of
from abigen.check.pairing.growth import ends_a_list, tells_versions_apart
from abigen.check.rule import Report, change_rule
from abigen.check.sources import source_bump
from abigen.model.api import Api
from abigen.model.entities import Constant, Macro
from abigen.model.finding import Bump, Detail
from abigen.model.span import Span


@change_rule("ABI501")
def constant_changed(comparison: Comparison) -> Iterator[Report]:
    """A macro stands for another value.

    What changed: the integer, string or floating number that an object-like macro expands to. Another spelling of the
    same value is no change. Version macros and size constants have rules of their own; macros that stand for attributes
    or types show at the declarations that use them. A macro whose text is the same, and whose value follows from
    another entity of the API, is listed under that one. One that marks the end of a list (`X_MAX`, `X_COUNT`) follows
    the list. One that is there to change (a number called a version that rises, a date, a checksum) is shown, and
    requires nothing by itself.

    What happens: the value is compiled into both sides, and they no longer agree.

    Instead: add a constant with another name.

    Source: VS, "Conventions" (members cannot be repurposed); the value is part of both binaries.
    """
    changed: list[tuple[Constant, Constant, str, str]] = []
    for old, new in comparison.constants.both:
        before, after = meaning_of(old, comparison.old_layouts), meaning_of(new, comparison.new_layouts)
        if _is_special(old.name, comparison) or not before.is_value or before == after:
            continue
        if ends_a_list(old.name, before, after, comparison.old_layouts, comparison.new_layouts):
            continue
        if tells_versions_apart(old.name, before, after):
            yield _version_moved(old, new, str(before), str(after))
            continue
        changed.append((old, new, str(before), str(after) if after.is_value else f"`{new.text}`"))
    following = [
        each for each in changed if each[0].text == each[1].text and follows_from_api(each[1].text, comparison.new)
    ]
    for each in changed:
        old, new, was, now = each
        if each not in following:
            followers = [other for other in following if old.name in identifiers(other[1].text)]
            shifts = [f"{other[0].name} from {other[2]} to {other[3]}" for other in followers]
            yield _changed(old, new, was, now, shifts)
    for old in comparison.constants.removed:
        value = value_of(old.name, comparison.new_layouts)
        before = meaning_of(old, comparison.old_layouts)
        if value is not None and before.is_value and before.value != value and not _is_special(old.name, comparison):
            yield _changed(old, None, str(before), str(value))


def _changed(old: Constant, new: Constant | None, was: str, now: str, shifts: Sequence[str] = ()) -> Report:
    """The report about one constant."""
    reason = f"{old.name} is {was} in OLD and {now} in NEW, and each side has its own compiled in"
    return Report(
        entity=old.name,
        bump=Bump.MAJOR,
        message=f"{old.name} was {was}, is {now}",
        help=f"leave {old.name} as it is and add a constant with another name",
        axes=axes(old_plugin=breaks(reason), new_plugin=breaks(reason), contract=breaks(reason)),
        details=(Detail("moves", ", ".join(shifts)),) if shifts else (),
        old=old.span,
        new=new.span if new else None,
        caret=f"was {was}",
        numbers={"old_value": was, "new_value": now},
    )


def _version_moved(old: Constant, new: Constant, was: str, now: str) -> Report:
    """The report about a constant that is there to change."""
    return Report(
        entity=old.name,
        bump=Bump.NONE,
        message=f"{old.name}, which tells versions apart, was {was}, is {now}",
        axes=axes(contract=at_risk("a side that asks for the very same value refuses the other one")),
        old=old.span,
        new=new.span,
        caret=f"was {was}",
        numbers={"old_value": was, "new_value": now},
    )


@change_rule("ABI502")
def constant_removed(comparison: Comparison) -> Iterator[Report]:
    """A constant is gone, or has another name.

    What changed: an object-like macro with a value does not exist in NEW, nor does an enumerator or an object of that
    name. When a new constant has the same value and a name that resembles it, it is taken for a rename.

    What happens: code that names it no longer compiles. Binaries have the value compiled in.

    Instead: keep it, as another name of its successor if there is one.

    Source: VS, "Conventions".
    """
    names = _renames(comparison)
    for old in comparison.constants.removed:
        meaning = meaning_of(old, comparison.old_layouts)
        if not meaning.is_value or _is_special(old.name, comparison) or _is_named(old.name, comparison.new):
            continue
        new = names.get(old.name)
        yield Report(
            entity=old.name,
            bump=Bump.MAJOR,
            message=f"{old.name} (value {meaning}) " + (f"is called {new.name} now" if new else "was removed"),
            help=f"keep it: #define {old.name} {new.name if new else old.text}",
            axes=axes(source=breaks(f"code that names {old.name} no longer compiles")),
            old=old.span,
            new=new.span if new else None,
            caret=f"was {old.name}" if new else "",
            numbers={"old_value": str(meaning), "new_value": None},
        )
    now = comparison.new.version
    if now is not None:
        for name, place in _version_macros(comparison.old, comparison.new):
            yield Report(
                entity=name,
                bump=Bump.MAJOR,
                message=f"{name}, which stated the version, was removed",
                help=f"keep {name}",
                axes=axes(source=breaks(f"code that names {name} no longer compiles")),
                old=place,
                new=now.macros[0][1] if now.macros else None,
            )


@change_rule("ABI503")
def constant_added(comparison: Comparison) -> Iterator[Report]:
    """A constant is new.

    What changed: an object-like macro with a value, a size constant for a struct that had none, or a version macro.

    What happens: nothing; old code does not use it.

    Instead: nothing; raise MINOR.

    Source: VS, "SE_MINOR" (adding a variable).
    """
    renames = {each.name for each in _renames(comparison).values()}
    for new in comparison.constants.added:
        meaning = meaning_of(new, comparison.new_layouts)
        was_there = _is_named(new.name, comparison.old) or new.name in renames
        if meaning.is_value and not was_there and new.name not in comparison.new.size_constants:
            yield Report(
                entity=new.name,
                bump=Bump.MINOR,
                message=f"{new.name} = {meaning} is new",
                new=new.span,
                caret="new",
                numbers={"old_value": None, "new_value": str(meaning)},
            )
    for name, place in _version_macros(comparison.new, comparison.old):
        yield Report(
            entity=name, bump=Bump.MINOR, message=f"{name}, which states the version, is new", new=place, caret="new"
        )
    yield from _sizes_added(comparison)


def _version_macros(api: Api, other: Api) -> list[tuple[str, Span | None]]:
    """Macros that state an API's version, and do not exist on the other side."""
    theirs = {name for name, _ in other.version.macros} if other.version else set()
    mine = api.version.macros if api.version else ()
    return [(name, place) for name, place in mine if name not in theirs and not _is_macro(name, other)]


def _is_macro(name: str, api: Api) -> bool:
    """Whether an API defines a macro of that name."""
    return name in api.constants or name in api.macros


def _sizes_added(comparison: Comparison) -> Iterator[Report]:
    """Reports about size constants for structs that had none; those of new structs come with them."""
    had_one = {each.struct for each in comparison.old.size_constants.values()}
    old_structs = {new: old for old, new in comparison.pair.types.records.items()}
    for size in comparison.size_constants.added:
        old_struct = old_structs.get(size.struct)
        if old_struct is not None and old_struct not in had_one and size.name not in comparison.old.constants:
            yield Report(
                entity=size.name,
                bump=Bump.MINOR,
                message=f"{size.name}, the size of {size.struct}, is new",
                new=size.span,
                caret="new",
            )


@change_rule("ABI504")
def macro_body_changed(comparison: Comparison) -> Iterator[Report]:
    """A macro expands to something else, which only a person can judge.

    What changed: the body of a function-like macro, or of one that stands for a type or for code. White space and names
    of parameters do not count.

    What happens: its users have compiled the old text in. Whether the new one does the same, no tool can tell; the
    bump that it needs is the policy's (`macro_body_bump`).

    Instead: have a look; when it does something else, give it another name.

    Source: rulebook section 3, "Macros and constants".
    """
    for old, new in comparison.macros.changed:
        before, after = _normal_form(old), _normal_form(new)
        if before != after:
            accepts_calls = len(old.parameters) == len(new.parameters)
            yield _body_changed(comparison, old, new, old.body, new.body, accepts_calls=accepts_calls)
    for was, now in comparison.constants.changed:
        meanings = meaning_of(was, comparison.old_layouts), meaning_of(now, comparison.new_layouts)
        if meanings[0].kind == CODE and meanings[0] != meanings[1]:
            yield _body_changed(comparison, was, now, was.text, now.text, accepts_calls=True)


def _body_changed(
    comparison: Comparison, old: Macro | Constant, new: Macro | Constant, was: str, now: str, *, accepts_calls: bool
) -> Report:
    """The report about one macro."""
    words = "expands to something else" if accepts_calls else "takes another number of arguments"
    broken = axes(source=breaks(f"code that uses {old.name} in the old form no longer compiles"))
    return Report(
        entity=old.name,
        bump=comparison.options.macro_body_bump if accepts_calls else source_bump(comparison, is_broken=True),
        message=f"{old.name} {words}",
        help="review it: if it does something else now, give it another name",
        axes=axes(contract=at_risk("old binaries have the old text compiled in: a person has to compare the two"))
        if accepts_calls
        else broken,
        details=(Detail("was", was), Detail("is", now)),
        old=old.span,
        new=new.span,
    )


@change_rule("ABI505")
def macro_removed(comparison: Comparison) -> Iterator[Report]:
    """A function-like macro, or one that stands for a type, code or attributes, is gone.

    What changed: NEW does not define it, nor does a function or a type of that name take its place.

    What happens: code that uses it no longer compiles. Binaries do not notice. Macros for attributes are mostly the
    header's own business, and count for less.

    Instead: keep it, and let it expand to its successor.

    Source: VS, "Conventions".
    """
    for macro in comparison.macros.removed:
        now = comparison.new.constants.get(macro.name)
        is_alias = now is not None and meaning_of(now, comparison.new_layouts).kind == CODE
        if not (is_alias or _is_named(macro.name, comparison.new)):
            yield _macro_removed(macro, comparison, is_attribute=False)
    for constant in comparison.constants.removed:
        meaning = meaning_of(constant, comparison.old_layouts)
        is_named = _is_named(constant.name, comparison.new) or constant.name in comparison.new.macros
        if meaning.kind in (CODE, ATTRIBUTE) and not is_named:
            yield _macro_removed(constant, comparison, is_attribute=meaning.kind == ATTRIBUTE)


def _macro_removed(macro: Macro | Constant, comparison: Comparison, *, is_attribute: bool) -> Report:
    """The report about one macro."""
    reason = f"code that uses {macro.name} no longer compiles"
    return Report(
        entity=macro.name,
        bump=source_bump(comparison, is_broken=not is_attribute),
        message=f"the macro {macro.name} was removed",
        help=f"keep {macro.name}",
        axes=axes(source=at_risk(f"only if it uses {macro.name} itself: {reason}") if is_attribute else breaks(reason)),
        old=macro.span,
    )


@change_rule("ABI506")
def macro_added(comparison: Comparison) -> Iterator[Report]:
    """A function-like macro, or one that stands for a type or for code, is new.

    What changed: NEW defines a macro that OLD does not have. Macros for attributes of declarations are not reported.

    What happens: nothing; old code does not use it.

    Instead: nothing; raise MINOR.

    Source: VS, "SE_MINOR".
    """
    for macro in comparison.macros.added:
        if not (_is_named(macro.name, comparison.old) or _is_macro(macro.name, comparison.old)):
            yield _macro_added(macro)
    for constant in comparison.constants.added:
        meaning = meaning_of(constant, comparison.new_layouts)
        was_there = _is_named(constant.name, comparison.old) or _is_macro(constant.name, comparison.old)
        if meaning.kind == CODE and not was_there:
            yield _macro_added(constant)


def _macro_added(macro: Macro | Constant) -> Report:
    """The report about one macro."""
    return Report(
        entity=macro.name, bump=Bump.MINOR, message=f"the macro {macro.name} is new", new=macro.span, caret="new"
    )


def _is_special(name: str, comparison: Comparison) -> bool:
    """Whether other rules judge a constant of OLD: it tells a size or the version, on either side."""
    if name in comparison.old.size_constants or name in comparison.new.size_constants:
        return True
    return states_version(name, comparison.old) or states_version(name, comparison.new)


def _is_named(name: str, api: Api) -> bool:
    """Whether an API has something else of that name: a type, a function, an object, an enumerator."""
    if any(name in entities for entities in (api.typedefs, api.functions, api.variables, api.size_constants)):
        return True
    if name in api.structs or name in api.enums:
        return True
    return any(each.name == name for enum in api.enums.values() for each in enum.enumerators or ())


def _renames(comparison: Comparison) -> dict[str, Constant]:
    """Constants of OLD that have another name in NEW."""
    old, new, constants = comparison.old, comparison.new, comparison.constants
    if not (constants.removed and constants.added):
        return {}
    from abigen.check.pairing.likeness import renamed

    def is_equal(before: Constant, after: Constant) -> bool:
        meaning = meaning_of(before, comparison.old_layouts)
        return meaning.is_value and meaning == meaning_of(after, comparison.new_layouts)

    removed = [each for each in constants.removed if not _is_named(each.name, new)]
    added = [each for each in constants.added if not _is_named(each.name, old)]
    return renamed(old.constants, new.constants, removed, added, is_equal)


def _normal_form(macro: Macro) -> tuple[int, str]:
    """A function-like macro without what its users cannot see: names of parameters, white space."""
    names = {name: f"\0{place}" for place, name in enumerate(macro.parameters)}
    body = re.sub(r"[A-Za-z_]\w*", lambda match: names.get(match[0], match[0]), macro.body)
    return len(macro.parameters), re.sub(r"\s*([^\w\s\0])\s*", r"\1", " ".join(body.split()))
