"""Lint rules about sizes: the member that carries it, the extension member beside it, and the size constants."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Set

from abigen.checker.comparison import LintContext, lint_rules, member, whole
from abigen.checker.rule import RuleResult, Subject, last_members
from abigen.checker.struct_sizes import Measure, Uses, repair_of, words_for_missing
from abigen.model.api import release_of_size
from abigen.model.contract import FIXED_SIZE
from abigen.model.ctype import NamedType, Pointer, RecordType
from abigen.model.entities import Struct
from abigen.model.spelling import by_pattern, spell

_USUAL_EXTENSION = "ext"
"""RFC, "Implementation Conventions": structs begin with two fields, `struct_size` and `ext`."""
_FEW = 3
"""The least number of structs whose common feature counts as a convention."""


@lint_rules.whole("ABI801", level="warning")
def size_field_missing(context: LintContext) -> Iterator[RuleResult]:
    """A struct does not carry its size, although those around it do."""
    if context.is_specified or len(context.versioned) == len(context.structs):
        return
    candidates = list(context.handed_over())
    without = [each for each in candidates if not each.size_member and not each.told_by and not _says_fixed(each)]
    carrying = [each for each in candidates if each not in without and not each.version_constant]
    is_usual, pointed_to = 2 * len(carrying) >= len(candidates), Uses(context.api).pointed_to
    stating = [each for each in context.measures if not release_of_size(each.constant.name)]
    for struct in without:
        constant = next((each.constant.name for each in stating if each.struct.name == struct.name), "")
        reason = f"although {constant} states it" if constant else ""
        reason = reason or ("as most structs of this API do" if is_usual and struct.name in pointed_to else "")
        reason = reason or ("as those of its prefix do" if _has_owner(struct, context) else "")
        if reason and not any(_is_size_field(field.name, context) for field in struct.fields or ()):
            yield RuleResult(
                f"{struct.name} does not carry its size, {reason}",
                help=f"begin it with `{_usual_size_field(context)}`, before the first release",
                about=whole(struct),
            )


@lint_rules.whole("ABI802", level="error")
def size_field_not_first(context: LintContext) -> Iterator[RuleResult]:
    """The member that carries the size of a struct is not its first member."""
    for struct in context.structs:
        for field in () if struct.size_member else struct.fields or ():
            if _is_size_field(field.name, context):
                yield RuleResult(
                    f"{struct.name}.{field.name} is not the first member",
                    help=f"put {field.name} first, before the first release",
                    caret="should be first",
                    about=member(struct, field),
                )


@lint_rules.whole("ABI803", level="warning")
def ext_missing(context: LintContext) -> Iterator[RuleResult]:
    """A struct has no member for extensions, although most structs of the API have one."""
    for struct, name, reason in _extensible(context):
        if all(field.name != name for field in struct.fields or ()):
            yield RuleResult(
                f"{struct.name} has no member {name}, as {reason}",
                help=f"put `{name}` second, before the first release",
                about=whole(struct),
            )


@lint_rules.whole("ABI804", level="error")
def ext_not_second(context: LintContext) -> Iterator[RuleResult]:
    """The member for extensions is not the second one."""
    for struct, name, _ in _extensible(context):
        for place, field in enumerate(struct.fields or ()):
            if field.name == name and place != 1:
                yield RuleResult(
                    f"{struct.name}.{name} is member {place + 1}, not the second one",
                    help=f"put {name} second, before the first release",
                    caret="should be second",
                    about=member(struct, field),
                )


@lint_rules.whole("ABI805", level="warning")
def size_macro_missing(context: LintContext) -> Iterator[RuleResult]:
    """A versioned struct has no size constant, although most structs of the header have one."""
    measured = {name for each in context.measures for name in (each.struct.name, each.constant.struct)}
    measured |= {context.api.size_constants[name].struct for name in context.broken_sizes}
    measured |= set(context.api.header.size_macros) if context.api.header else set()
    without = [each for each in context.versioned if each.name not in measured]
    is_usual = 2 * len(without) <= len(context.versioned) and bool(context.measures)
    meant = {_plain(_stem(each.constant.name)) for each in _misnaming(context)}
    meant |= {_plain(_stem(name)) for name in context.broken_sizes}
    for struct in without:
        is_part = struct.anonymous or "." in struct.name
        is_wanted = is_usual or (_has_owner(struct, context) and not context.is_specified)
        if not is_part and _plain(struct.name) not in meant and is_wanted:
            last = next(each.name for each in reversed(struct.fields or ()) if each.name)
            yield RuleResult(
                f"{struct.name} has no constant for its unpadded size",
                help=f"define one that ends at {last}",
                about=whole(struct),
            )


@lint_rules.whole("ABI806", level="error")
def size_macro_stale(context: LintContext) -> Iterator[RuleResult]:
    """A size constant does not end at the last member of its struct."""
    wrong = _misnaming(context)
    for each in context.measures:
        if each.value > each.size and each not in wrong:
            yield RuleResult(
                f"{each.constant.name} is {each.value}, but {each.struct.name} has {each.size} bytes",
                help=f"let it be the size of {each.struct.name}",
                caret=f"should be {each.unpadded_size}",
                about=whole(each.constant),
            )
        if each.is_stale and each not in wrong:
            name, last = each.constant.name, each.left_out[-1]
            left_out = f"it leaves out {last_members(each.left_out)}"
            yield RuleResult(
                f"{name} is {each.value}, but {each.struct.name} ends at byte {each.unpadded_size}: {left_out}",
                help=f"let it end at {last}",
                caret=f"should end at {last}",
                about=whole(each.constant),
            )


@lint_rules.whole("ABI820", level="error")
def size_macro_broken(context: LintContext) -> Iterator[RuleResult]:
    """A size constant names a struct or member that does not exist."""
    for name, missing in context.broken_sizes.items():
        constant = context.api.size_constants[name]
        words, caret = words_for_missing(missing, context.api)
        yield RuleResult(
            f"{name} {words}",
            help=repair_of(constant, context.api),
            caret=caret,
            about=whole(constant),
        )


@lint_rules.whole("ABI807", level="error")
def size_macro_wrong_struct(context: LintContext) -> Iterator[RuleResult]:
    """A size constant is the size of another struct than its name shows."""
    named = {_plain(struct.name): struct.name for struct in context.structs}
    for each in _misnaming(context):
        constant = each.constant
        if each.names_one_struct:
            meant = named[_plain(_stem(constant.name))]
            message = f"{constant.name} is named after {meant}, but is the size of {constant.struct}"
            advice = f"let it name {meant}"
        else:
            first = f"{constant.offset_struct or constant.struct}.{constant.offset_member or constant.last_member}"
            second = f"{constant.struct}.{constant.last_member}".rstrip(".")
            message = f"{constant.name} adds the offset of {first} to the size of {second}"
            advice = "name the same struct and member in both places"
        yield RuleResult(message, help=advice, about=whole(constant))


@lint_rules.whole("ABI808")
def size_macro_name(context: LintContext) -> Iterator[RuleResult]:
    """The name of a size constant does not follow the pattern of the others."""
    wrong = _misnaming(context)
    judged = [each for each in context.measures if each not in wrong]
    said = context.api.conventions.size_macro
    if said:
        expected = [(each, by_pattern(said, each.struct.name)) for each in judged]
        found = [(each, name, f"by {said}") for each, name in expected if each.constant.name != name]
    else:
        patterns = {each.constant.name: _patterns(each) for each in judged}
        counts = Counter(pattern for each in judged for pattern in patterns[each.constant.name])
        usual, number = counts.most_common(1)[0] if counts else (("", ""), 0)
        if number < _FEW or 2 * number < len(judged):
            return
        unusual = [each for each in judged if usual not in patterns[each.constant.name]]
        others = "by the pattern of the others"
        found = [(each, _spellings(each.struct.name)[usual[0]] + usual[1], others) for each in unusual]
    for each, name, reason in found:
        yield RuleResult(
            f"{each.constant.name} does not follow from {each.struct.name}: {reason} it is {name}",
            caret=f"by the pattern: {name}",
            about=whole(each.constant),
        )


def _has_owner(struct: Struct, context: LintContext) -> bool:
    """True if the prefix of a struct says who fills it, so that it keeps to the conventions that go with that."""
    return struct.name.startswith(tuple(context.api.conventions.filled_by))


def _usual_size_field(context: LintContext) -> str:
    """Return the declaration with which most structs begin that carry their size; else the usual one."""
    first = [(each.fields or ())[0] for each in context.versioned if "." not in each.size_member]
    declared = Counter(spell(each.type, each.name) for each in first)
    return declared.most_common(1)[0][0] if declared else f"size_t {context.api.conventions.size_field}"


def _says_fixed(struct: Struct) -> bool:
    """True if the comment of a struct says that it never grows."""
    return FIXED_SIZE.casefold() in " ".join(struct.doc.split()).casefold()


@lint_rules.whole("ABI823", level="warning")
def mask_bit_without_member(context: LintContext) -> Iterator[RuleResult]:
    """A bit of a mask of set members belongs to no member."""
    for struct in context.structs if context.is_first else ():
        names = {each.name.upper() for each in struct.fields or () if each.name != struct.mask_member}
        for bits in context.api.enums.values() if struct.mask_member else ():
            values = [each for each in bits.enumerators or () if each.value > 0 and not each.value & (each.value - 1)]
            with_member = [each for each in values if _member_of(each.name, names)]
            if len(with_member) < _FEW - 1 or 2 * len(with_member) < len(values):
                continue
            for each in values:
                if each not in with_member:
                    yield RuleResult(
                        f"{each.name} is a bit of {struct.name}.{struct.mask_member}, and no member is named after it",
                        help=f"append the member to {struct.name}, or name the bit after its member",
                        about=Subject(each.name, None, each.span),
                    )


def _member_of(bit: str, members: Set[str]) -> str:
    """Return the member, in upper case, that the name of a bit ends with; empty for none."""
    words = bit.upper().split("_")
    tails = ("_".join(words[at:]) for at in range(1, len(words)))
    return next((each for each in tails if each in members), "")


def _is_size_field(name: str, context: LintContext) -> bool:
    """True if a member is called as the member that carries the size is, underscores and case aside."""
    return bool(name) and _plain(name) == _plain(context.api.conventions.size_field)


def _extensible(context: LintContext) -> Iterator[tuple[Struct, str, str]]:
    """Versioned structs that should have a member for extensions: all but those that extensions consist of.

    Returns:
        Each struct, the member's name, and why it should have it.
    """
    name, reason = context.api.conventions.extension_field, "the conventions say"
    is_prefixed = False
    if not name:
        name, reason = _usual_second_member(context), "most structs of this API have"
    if not name:
        name, reason, is_prefixed = _USUAL_EXTENSION, "those of its prefix have", True
    chained = {
        target.key
        for struct in context.versioned
        for field in struct.fields or ()
        if field.name == name
        and isinstance(pointer := context.api.resolve(field.type), Pointer)
        and isinstance(target := context.api.resolve(pointer.target), RecordType)
    }
    for struct in context.versioned:
        is_of_kind = _has_owner(struct, context) and (struct.fields or ())[0].type == NamedType("size_t")
        is_wanted = not is_prefixed or (is_of_kind and not context.is_specified)
        has_own_size = _is_size_field((struct.fields or ())[0].name, context)
        if is_wanted and has_own_size and struct.name not in chained and not struct.anonymous:
            yield struct, name, reason


def _usual_second_member(context: LintContext) -> str:
    """Return the name of the pointer that most versioned structs have as second member; empty for none."""
    fields = [(struct.fields or ())[1] for struct in context.versioned if len(struct.fields or ()) > 1]
    pointers = Counter(each.name for each in fields if isinstance(context.api.resolve(each.type), Pointer))
    name, number = pointers.most_common(1)[0] if pointers else ("", 0)
    return name if number >= _FEW and 2 * number > len(context.versioned) else ""


def _misnaming(context: LintContext) -> list[Measure]:
    """Return size constants that measure something else than their name or one half of their expression says."""
    named = {_plain(struct.name): struct.name for struct in context.structs}
    meant = [(each, named.get(_plain(_stem(each.constant.name)), each.struct.name)) for each in context.measures]
    return [each for each, struct in meant if not each.names_one_struct or struct != each.struct.name]


_SUFFIX = re.compile(r"(?:_?STRUCT)?_?SIZE$", re.IGNORECASE)


def _stem(name: str) -> str:
    """Return a size constant's name without what says that it is one."""
    return _SUFFIX.sub("", name)


def _plain(name: str) -> str:
    """Return a name without what spellings differ in."""
    return name.replace("_", "").lower()


def _patterns(each: Measure) -> set[tuple[str, str]]:
    """Return the ways in which a constant's name follows from its struct's: spelling of the name, and suffix."""
    name, spellings = each.constant.name, _spellings(each.struct.name)
    found = {(spelling, name.removeprefix(text)) for spelling, text in spellings.items() if name.startswith(text)}
    return {(spelling, rest) for spelling, rest in found if _SUFFIX.fullmatch(rest)}


def _spellings(struct: str) -> dict[str, str]:
    """Return a struct's name as constants spell it."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", struct)
    return {"as it is": struct, "upper case": struct.upper(), "words": words.upper(), "lower words": words.lower()}
