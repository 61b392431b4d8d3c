"""Rules of form about sizes: the member that carries it, the extension member beside it, and the size constants."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from abigen.check.form import Form
from abigen.check.rule import Report, form_rule
from abigen.check.sides import size_member
from abigen.check.sizes import Measure
from abigen.model.ctype import Pointer, RecordType
from abigen.model.entities import Struct
from abigen.model.finding import Bump
from abigen.model.identifiers import by_pattern

_USUAL_EXTENSION = "ext"
"""RFC, "Implementation Conventions": structs begin with two fields, `struct_size` and `ext`."""
_FEW = 3
"""What fewer than this many structs have in common is chance, not a convention."""


@form_rule("ABI801")
def size_field_missing(form: Form) -> Iterator[Report]:
    """A struct does not carry its size, although those around it do.

    What it means: most structs that this header hands over by pointer begin with `size_t struct_size` (directly, or in
    a base that comes first), and this one does not; or a constant tells its size, or its prefix (`SE_`, `SP_`) says
    that it keeps to the conventions of this kind of API. Parts of other structs, unions and opaque types need none, and
    a header in which no struct carries its size has no such convention. A spec says by itself which structs do.

    What happens: the struct can never grow: neither side can tell which members the other one knows.

    Instead: begin it with `size_t struct_size`, before the first release; afterwards it is too late.

    Source: RFC, "Implementation Conventions".
    """
    candidates = list(form.handed_over())
    without = [each for each in candidates if not _carries_size(each, form)]
    if form.is_specified:
        return
    is_usual = 2 * len(without) <= len(candidates)
    name = form.api.conventions.size_field
    for struct in without:
        reason = _why_sized(struct, form, is_usual)
        if reason and not any(_is_size_field(field.name, form) for field in struct.fields or ()):
            yield Report(
                entity=struct.name,
                bump=Bump.NONE,
                message=f"{struct.name} does not carry its size, {reason}",
                help=f"begin it with `size_t {name}`, before the first release",
                new=struct.span,
                level="warning",
            )


@form_rule("ABI802")
def size_field_not_first(form: Form) -> Iterator[Report]:
    """The member that carries a struct's size is not its first one.

    What it means: there is a member `struct_size`, and others stand before it.

    What happens: a reader that does not know the struct's version cannot even find the size.

    Instead: put it first, before the first release.

    Source: RFC, "Implementation Conventions" (structs begin with it).
    """
    for struct in form.structs:
        if _carries_size(struct, form):
            continue
        for field in struct.fields or ():
            if _is_size_field(field.name, form):
                yield Report(
                    entity=f"{struct.name}.{field.name}",
                    bump=Bump.NONE,
                    message=f"{struct.name}.{field.name} is not the first member",
                    help=f"put {field.name} first, before the first release",
                    new=field.span,
                    caret="should stand first",
                    level="error",
                )


@form_rule("ABI803")
def ext_missing(form: Form) -> Iterator[Report]:
    """A struct has no member for extensions, although those around it do.

    What it means: most versioned structs of this header have a pointer of the same name as their second member (`ext`,
    `extension_start`), or the spec says that they do, or its prefix (`SE_`, `SP_`) says that it keeps to the
    conventions of this kind of API; this one has none.

    What happens: there is no place to hang what a later version or a vendor wants to add without a new member.

    Instead: put it second, before the first release.

    Source: RFC, "Implementation Conventions".
    """
    name, is_said = _extension_field(form)
    is_prefixed = not name
    name = name or _USUAL_EXTENSION
    for struct in _extensible(form, name):
        if is_prefixed and (form.is_specified or not _has_owner(struct, form)):
            continue
        if all(field.name != name for field in struct.fields or ()):
            yield Report(
                entity=struct.name,
                bump=Bump.NONE,
                message=f"{struct.name} has no member {name}, as "
                + (
                    "the conventions say"
                    if is_said
                    else "those of its prefix have"
                    if is_prefixed
                    else "most structs of this API have"
                ),
                help=f"put `{name}` second, before the first release",
                new=struct.span,
                level="warning",
            )


@form_rule("ABI804")
def ext_not_second(form: Form) -> Iterator[Report]:
    """The member for extensions is not the second one.

    What it means: the struct has it, at another place than those around it.

    What happens: code that treats all structs alike (walks a chain of extensions) finds something else there.

    Instead: put it second, before the first release.

    Source: RFC, "Implementation Conventions".
    """
    name, _ = _extension_field(form)
    is_prefixed = not name
    name = name or _USUAL_EXTENSION
    for struct in _extensible(form, name):
        if is_prefixed and (form.is_specified or not _has_owner(struct, form)):
            continue
        for place, field in enumerate(struct.fields or ()):
            if field.name == name and place != 1:
                yield Report(
                    entity=f"{struct.name}.{name}",
                    bump=Bump.NONE,
                    message=f"{struct.name}.{name} is member {place + 1}, not the second one",
                    help=f"put {name} second, before the first release",
                    new=field.span,
                    caret="should stand second",
                    level="error",
                )


@form_rule("ABI805")
def size_macro_missing(form: Form) -> Iterator[Report]:
    """A versioned struct has no size constant, although those around it do.

    What it means: this header has a constant for the size of most of its versioned structs (a macro, an enumerator or a
    constant object), and none for this one; or its prefix (`SE_`, `SP_`) says that it keeps to the conventions of this
    kind of API.

    What happens: people write `sizeof`, which counts padding, so that a member that is appended into it goes unnoticed.

    Instead: define it, from the offset and the size of the last member.

    Source: RFC, "Detailed API"; VS, "Extending Functionality".
    """
    measured = {each.struct.name for each in form.measures} | {each.constant.struct for each in form.measures}
    published = set(form.api.header.size_macros) if form.api.header else set()
    with_constant = [each for each in form.versioned if each.name in measured | published]
    is_usual = 2 * len(with_constant) >= len(form.versioned) and bool(form.measures)
    meant = {_plain(_stem(each.constant.name)) for each in _misnaming(form)}
    for struct in form.versioned:
        is_part = struct.anonymous or "." in struct.name
        is_wanted = is_usual or (_has_owner(struct, form) and not form.is_specified)
        if struct in with_constant or is_part or _plain(struct.name) in meant or not is_wanted:
            continue
        yield Report(
            entity=struct.name,
            bump=Bump.NONE,
            message=f"{struct.name} has no constant that tells its unpadded size",
            help="define one that ends at " + next(each.name for each in reversed(struct.fields or ()) if each.name),
            new=struct.span,
            level="warning",
        )


@form_rule("ABI806")
def size_macro_stale(form: Form) -> Iterator[Report]:
    """A size constant does not end at the last member of its struct.

    What it means: members stand behind the one that the constant names, mostly because they were appended and the
    constant was forgotten.

    What happens: producers that use the constant declare a struct without these members, and readers that check
    `struct_size` never look at them, on either side, however new both are.

    Instead: let the constant end at the last member. Readers of older binaries have to cope with both values.

    Source: RFC, "Implementation Conventions" (the definition must use the new last member).
    """
    wrong = _misnaming(form)
    for each in form.measures:
        if not each.is_stale or each in wrong:
            continue
        names = ", ".join(each.left_out)
        yield Report(
            entity=each.constant.name,
            bump=Bump.NONE,
            message=f"{each.constant.name} is {each.value}, but {each.struct.name} ends at {each.unpadded_size}: "
            f"it leaves out {names}",
            help=f"let it end at {each.left_out[-1]}",
            new=each.constant.span,
            caret=f"should end at {each.left_out[-1]}",
            numbers={"new_size": each.value, "new_unpadded_size": each.unpadded_size},
            level="error",
        )


@form_rule("ABI807")
def size_macro_wrong_struct(form: Form) -> Iterator[Report]:
    """A size constant measures another struct than the one that it is named after.

    What it means: its name is that of one struct, its expression names another one; or offsetof and sizeof in it name
    two different structs or members.

    What happens: producers declare a size that has nothing to do with the struct that they hand over.

    Instead: name the same struct everywhere.

    Source: rulebook section 4; VS's own example has one (`TOY_STRUCT_SIZE` of `SE_Device`).
    """
    named = {_plain(struct.name): struct.name for struct in form.structs}
    for each in _misnaming(form):
        constant = each.constant
        if each.names_one_struct:
            meant = named[_plain(_stem(constant.name))]
            message = f"{constant.name} is named after {meant}, but measures {constant.struct}"
            advice = f"let it measure {meant}"
        else:
            first = f"{constant.offset_struct or constant.struct}.{constant.offset_member or constant.last_member}"
            second = f"{constant.struct}.{constant.last_member}".rstrip(".")
            message = f"{constant.name} adds the offset of {first} to the size of {second}"
            advice = "name the same struct and member in both places"
        yield Report(
            entity=constant.name, bump=Bump.NONE, message=message, help=advice, new=constant.span, level="error"
        )


@form_rule("ABI808")
def size_macro_name(form: Form) -> Iterator[Report]:
    """A size constant's name does not follow from its struct's name as the others do.

    What it means: most size constants of this header are formed in one way (`SP_DeviceFns`,
    `SP_DEVICE_FNS_STRUCT_SIZE`), and this one in another. Where the configuration says how they are formed
    (`conventions.size-macro`), that counts.

    What happens: nothing breaks; people and generators that form the name by the pattern do not find it.

    Instead: leave it, once it is released: the name is part of the API. Define a second name by the pattern if need be.

    Source: rulebook section 4.
    """
    said = form.api.conventions.size_macro
    if said:
        for each in form.measures:
            expected = by_pattern(said, each.struct.name)
            if each.constant.name != expected and each not in _misnaming(form):
                yield _misnamed(each, expected, f"by {said}")
        return
    fitting = [(each, _patterns(each)) for each in form.measures if each not in _misnaming(form)]
    counts = Counter(pattern for _, patterns in fitting for pattern in patterns)
    if not counts:
        return
    usual, number = counts.most_common(1)[0]
    if number < _FEW or 2 * number < len(fitting):
        return
    for each, patterns in fitting:
        if usual not in patterns:
            yield _misnamed(each, _formed(each.struct.name, usual), "by the pattern of the others")


def _misnamed(each: Measure, expected: str, reason: str) -> Report:
    """A report about a constant that should be called otherwise."""
    return Report(
        entity=each.constant.name,
        bump=Bump.NONE,
        message=f"{each.constant.name} does not follow from {each.struct.name}: {reason} it is {expected}",
        new=each.constant.span,
        caret=f"by the pattern: {expected}",
    )


def _why_sized(struct: Struct, form: Form, is_usual: bool) -> str:
    """Why a struct should carry its size, as a clause; empty when nothing says so."""
    constant = next((each.constant.name for each in form.measures if each.struct.name == struct.name), "")
    if constant:
        return f"although {constant} tells it"
    if is_usual:
        return "as most structs of this API do"
    return "as those of its prefix do" if _has_owner(struct, form) else ""


def _has_owner(struct: Struct, form: Form) -> bool:
    """Whether the prefix of a struct says who fills it, so that it keeps to the conventions that go with that."""
    return struct.name.startswith(tuple(form.api.conventions.filled_by))


def _carries_size(struct: Struct, form: Form) -> bool:
    """Whether a struct begins with its size."""
    return bool(size_member(struct, form.api))


def _is_size_field(name: str, form: Form) -> bool:
    """Whether a member is called as the member that carries the size is, underscores and case aside."""
    return bool(name) and _plain(name) == _plain(form.api.conventions.size_field)


def _extension_field(form: Form) -> tuple[str, bool]:
    """The name of the second member for extensions, and whether the conventions say it; empty when there is none."""
    said = form.api.conventions.extension_field
    if said:
        return said, True
    second = Counter(
        field.name
        for struct in form.versioned
        if len(struct.fields or ()) > 1
        and isinstance(form.api.resolve((field := (struct.fields or ())[1]).type), Pointer)
    )
    name, number = second.most_common(1)[0] if second else ("", 0)
    return (name, False) if number >= _FEW and 2 * number > len(form.versioned) else ("", False)


def _extensible(form: Form, name: str) -> Iterator[Struct]:
    """Versioned structs that should have the member for extensions: all but those that extensions consist of."""
    chained = {
        target.key
        for struct in form.versioned
        for field in struct.fields or ()
        if field.name == name
        and isinstance(pointer := form.api.resolve(field.type), Pointer)
        and isinstance(target := form.api.resolve(pointer.target), RecordType)
    }
    for struct in form.versioned:
        first = (struct.fields or ())[0]
        has_own_size = _is_size_field(first.name, form)
        if has_own_size and struct.name not in chained and not struct.anonymous:
            yield struct


def _misnaming(form: Form) -> list[Measure]:
    """Size constants that measure something else than their name or one half of their expression says."""
    named = {_plain(struct.name): struct.name for struct in form.structs}
    found = []
    for each in form.measures:
        meant = named.get(_plain(_stem(each.constant.name)))
        if not each.names_one_struct or (meant is not None and meant != each.struct.name):
            found.append(each)
    return found


_SUFFIX = re.compile(r"(?:_?STRUCT)?_?SIZE$", re.IGNORECASE)


def _stem(name: str) -> str:
    """A size constant's name without what says that it is one."""
    return _SUFFIX.sub("", name)


def _plain(name: str) -> str:
    """A name without what spellings differ in."""
    return name.replace("_", "").lower()


def _patterns(each: Measure) -> set[tuple[str, str]]:
    """The ways in which a constant's name may have been formed from its struct's: spelling of the name, and suffix."""
    name, struct = each.constant.name, each.struct.name
    found = set()
    for spelling, text in _spellings(struct).items():
        if name.startswith(text) and _SUFFIX.fullmatch(name[len(text) :]):
            found.add((spelling, name[len(text) :]))
    return found


def _formed(struct: str, pattern: tuple[str, str]) -> str:
    """The constant's name by a pattern."""
    return _spellings(struct)[pattern[0]] + pattern[1]


def _spellings(struct: str) -> dict[str, str]:
    """A struct's name as constants spell it."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", struct)
    return {"as it is": struct, "upper case": struct.upper(), "words": words.upper(), "lower words": words.lower()}
