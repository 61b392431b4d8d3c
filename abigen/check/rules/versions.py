"""Rules about version numbers: whether they say what happened."""

from __future__ import annotations

from collections.abc import Iterator

from abigen.check.axes import axes, breaks
from abigen.check.judgement import Judgement
from abigen.check.rule import Report, verdict_rule
from abigen.check.wording import count
from abigen.model.entities import VersionDeclaration
from abigen.model.finding import Bump, Detail, Finding
from abigen.model.span import Span

_PARTS = ("MAJOR", "MINOR", "PATCH")
_PLACE = {Bump.MAJOR: 0, Bump.MINOR: 1, Bump.PATCH: 2}
_SHOWN = 6


@verdict_rule("ABI701")
def bump_missing(judgement: Judgement) -> Iterator[Report]:
    """The version does not move as far as the findings require.

    What changed: NEW declares the same version as OLD, or moves a lower number than the findings need. They are listed.
    While MAJOR is 0 the policy decides what has to move: by default a break needs MINOR, everything else PATCH.

    What happens: the handshake compares version numbers; with the same MAJOR on both sides it lets a pair run that
    cannot work together.

    Instead: raise the number that the finding names, and set those below it to 0.

    Source: VS, "Updating Guidelines"; RFC, "Versioning Strategy and Stability" (MAJOR 0).
    """
    old, new = judgement.old_api.version, judgement.new_api.version
    if old is None or new is None or judgement.declared in ("backwards", "unknown"):
        return
    if Bump(judgement.declared).rank >= judgement.demanded.rank:
        return
    place = min(_PLACE[judgement.demanded], new.parts - 1)
    moved = f"{old.version} to {new.version}" if old.version != new.version else f"it stays {_short(new)}"
    causes = [each for each in judgement.findings if each.bump is judgement.required]
    as_released = (
        "" if judgement.demanded is judgement.required else f" ({judgement.required.value.upper()} from 1.0.0 on)"
    )
    yield Report(
        entity=_macro(new, place),
        bump=Bump.NONE,
        message=f"{_part(new, place)} has to move{as_released}, but the version does not say so: {moved}",
        help=f"set the version to {_next(old, place)}",
        details=(Detail("required", _causes(causes)),),
        old=_span(old, place),
        new=_span(new, place),
        caret=f"at least {_next(old, place)}",
    )


@verdict_rule("ABI702")
def version_went_back(judgement: Judgement) -> Iterator[Report]:
    """NEW's version is lower than OLD's.

    What changed: the first number that differs is smaller, mostly because a change was reverted and its version with
    it.

    What happens: two different states of the API carry the same number, and a newer binary takes itself for an older
    one.

    Instead: a revert is a change like any other: give it a version that was never used.

    Source: VS, "Updating Guidelines"; Semantic Versioning 2.0.0, items 3 and 11.
    """
    old, new = judgement.old_api.version, judgement.new_api.version
    if old is None or new is None or judgement.declared != "backwards":
        return
    before, after = _numbers(old), _numbers(new)
    place = next(index for index in range(len(_PARTS)) if before[index] != after[index])
    yield Report(
        entity=_macro(new, place),
        bump=Bump.NONE,
        message=f"the version went back from {old.version} to {new.version}",
        help="give it a number that was never used",
        old=_span(old, place),
        new=_span(new, place),
        caret=f"was {before[place]}",
    )


@verdict_rule("ABI703")
def version_macros_missing(judgement: Judgement) -> Iterator[Report]:
    """The header no longer states its version.

    What changed: OLD defines version macros, NEW defines none.

    What happens: code that uses them no longer compiles; neither side can tell the other which version it was built
    for.

    Instead: keep the macros.

    Source: VS, "By Comparing SE_MAJOR at Registration Time".
    """
    old, new = judgement.old_api.version, judgement.new_api.version
    if old is None or new is not None:
        return
    names = [name for name, _ in old.macros]
    if names and all(name in judgement.new_api.constants for name in names):
        return  # They have gone to a file that is included.
    yield Report(
        entity=_macro(old, 0),
        bump=Bump.MAJOR,
        message=f"{', '.join(names) or 'the version'} (version {_short(old)}) went, and nothing states the version now",
        help="keep stating the version",
        axes=axes(
            source=breaks(f"code that uses {names[0] if names else 'the version'} no longer compiles"),
            contract=breaks("neither side can tell the other which version it was built for"),
        ),
        old=_span(old, 0),
    )


@verdict_rule("ABI704")
def bump_not_reset(judgement: Judgement) -> Iterator[Report]:
    """A number rises, and a lower one does not go back to 0.

    What changed: MAJOR rises with a MINOR or PATCH other than 0, or MINOR with a PATCH other than 0.

    What happens: nothing breaks; but the numbers suggest releases that never were.

    Instead: set the lower numbers to 0.

    Source: Semantic Versioning 2.0.0, items 7 and 8.
    """
    old, new = judgement.old_api.version, judgement.new_api.version
    if old is None or new is None or judgement.declared not in ("major", "minor"):
        return
    raised = 0 if judgement.declared == "major" else 1
    numbers = _numbers(new)
    place = next((index for index in range(raised + 1, new.parts) if numbers[index]), None)
    if place is None:
        return
    lower = " and ".join(_PARTS[raised + 1 : new.parts])
    yield Report(
        entity=_macro(new, place),
        bump=Bump.NONE,
        message=f"{_PARTS[raised]} rises, so {lower} should be 0: {old.version} to {new.version}",
        help=f"set the version to {_next(old, raised, numbers[raised])}",
        old=_span(old, place),
        new=_span(new, place),
        caret="should be 0",
    )


@verdict_rule("ABI705")
def bump_without_cause(judgement: Judgement) -> Iterator[Report]:
    """The version moves further than the findings require.

    What changed: MAJOR rises although nothing breaks, or MINOR although nothing was added. (PATCH may always rise: a
    fix behind the header. So may MAJOR from 0 to 1: the end of the bake-in period.)

    What happens: with another MAJOR, plugins that would work are refused.

    Instead: nothing, when something that no header shows has changed, such as the meaning of a call.

    Source: VS, "Updating Guidelines".
    """
    old, new = judgement.old_api.version, judgement.new_api.version
    if old is None or new is None or judgement.declared not in ("major", "minor"):
        return
    declared = Bump(judgement.declared)
    is_first_release = declared is Bump.MAJOR and old.version.major == 0
    if is_first_release or judgement.required.rank >= declared.rank:
        return
    place = _PLACE[declared]
    needed = (
        "nothing that needs a bump" if judgement.required is Bump.NONE else f"only {judgement.required.value.upper()}"
    )
    yield Report(
        entity=_macro(new, place),
        bump=Bump.NONE,
        message=f"{_PARTS[place]} rises ({old.version} to {new.version}), and the header shows {needed}",
        old=_span(old, place),
        new=_span(new, place),
        caret=f"was {_numbers(old)[place]}",
    )


def _numbers(declared: VersionDeclaration) -> tuple[int, int, int]:
    """Major, minor and patch."""
    return declared.version.major, declared.version.minor, declared.version.patch


def _part(declared: VersionDeclaration, place: int) -> str:
    """What a version calls one of its numbers: the only one has the name of its macro."""
    return _macro(declared, place) if declared.parts == 1 else _PARTS[place]


def _short(declared: VersionDeclaration) -> str:
    """A version with as many numbers as the API states."""
    return ".".join(str(number) for number in _numbers(declared)[: declared.parts])


def _macro(declared: VersionDeclaration, place: int) -> str:
    """The macro that states one of the numbers; one macro may state them all, and a spec needs none."""
    macros = declared.macros
    return macros[min(place, len(macros) - 1)][0] if macros else "version"


def _span(declared: VersionDeclaration, place: int) -> Span | None:
    """Where one of the numbers is stated."""
    return declared.macros[min(place, len(declared.macros) - 1)][1] if declared.macros else None


def _next(old: VersionDeclaration, place: int, number: int | None = None) -> str:
    """OLD's version with one number raised (or set) and the lower ones at 0."""
    numbers = list(_numbers(old))
    numbers[place] = numbers[place] + 1 if number is None else number
    numbers[place + 1 :] = [0] * (len(numbers) - place - 1)
    return ".".join(str(each) for each in numbers[: old.parts])


def _causes(findings: list[Finding]) -> str:
    """The findings that ask for the bump."""
    named = [f"{each.rule} {each.entity}" for each in findings[:_SHOWN]]
    rest = len(findings) - len(named)
    return f"by {count(len(findings), 'finding')}: " + ", ".join(named) + (f" and {rest} more" if rest else "")
