"""What `abigen skew OLD NEW` finds: for each finding about bytes, whether programs built from both sides show it."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from abigen.model.finding import Axis, Finding
from abigen.model.span import AbigenError
from abigen.skew.crossings import SIDES, Crossing, Pair, StructOfSide
from abigen.skew.programs import BuildSteps, ProgramFolder, ProgramRun, Toolchain, compile_command
from abigen.skew.witness_subjects import Headers, crossings_for, is_about_bytes, places_of, program_files

SHOWN, HOLDS, NO_BYTES, NOT_SHOWN = "shown", "holds with care", "not about bytes", "not shown"
_MOST_LINES = 4
"""What is told of one finding."""
_WAYS = ("careful", "naive")
_HEAD = re.compile(r"^== (\d+) (.*), (OLD|NEW) (.*)\n", re.MULTILINE)
_MISREAD = re.compile(r"^.*: (?:OLD|NEW) wrote .*", re.MULTILINE)
_MEMBER = re.compile(r"(?:GET|PUT)\w*\(\d+, (?:\"[^\"]*\", )?(?:object->)?([\w.\[\]]+)")


class Attempt(msgspec.Struct, frozen=True):
    """What happened when something crossed in one way."""

    number: int
    """The position of the crossing among those of the program."""
    what: str
    """What crossed: a struct's name, a function's, an expression."""
    how: str
    """`OLD hands it over`."""
    wrong: tuple[str, ...]
    """Members that were misread, and what a sanitizer said; empty when all was well."""

    @property
    def is_fine(self) -> bool:
        """Whether nothing went wrong."""
        return not self.wrong


def attempts_of(run: ProgramRun, sources: Mapping[str, str]) -> tuple[Attempt, ...]:
    """Take apart what a program wrote.

    Args:
        run: of the program.
        sources: its files by name, which tell the member that a sanitizer's line is about.
    """
    parts = _HEAD.split(run.errors)[1:]
    found = []
    for number, what, side, how, text in zip(*(parts[at::5] for at in range(5)), strict=True):
        wrong = [each.strip() for each in _MISREAD.findall(text)]
        rest = _MISREAD.sub("", text).strip()
        if rest:
            wrong.append(_incident(rest, sources))
        found.append(Attempt(int(number), what, f"{side} {how}", tuple(wrong)))
    return tuple(found)


def _incident(text: str, sources: Mapping[str, str]) -> str:
    """The sanitizer's line, with the member and the place in the program; else the first line of what was said."""
    run = ProgramRun(1, "", text)
    said = run.sanitizer or text.splitlines()[0]
    if run.place is None:
        return said
    side, number = run.place
    lines: Sequence[str] = sources.get(f"{side}.c", "").splitlines()
    member = _MEMBER.search(lines[number - 1]) if number <= len(lines) else None
    return f"{f'{member[1]}: ' if member else ''}{said} ({side}.c:{number})"


class Witness(msgspec.Struct, frozen=True):
    """What became of one finding."""

    finding: Finding
    outcome: str
    """`shown`, `holds with care`, `not about bytes`, `not shown`."""
    lines: tuple[str, ...] = ()
    """What the programs said."""
    reason: str = ""
    """Why nothing is shown, or what holds."""
    program: str = ""
    """The folder of its program, below the one for all."""


class _Program(msgspec.Struct, frozen=True):
    """A program that is about one thing."""

    name: str
    """Of its folder."""
    crossings: tuple[Crossing, ...]
    about: tuple[str, ...]
    """The findings that it may show, a line each."""


_Results = Mapping[_Program, Mapping[str, Sequence[Attempt]] | AbigenError]
"""What each program showed, by how careful its sides were; or why it could not be built."""


def witnesses_of(
    findings: Sequence[Finding],
    layouts: Pair,
    renamed: Mapping[str, str],
    headers: tuple[Headers, Headers],
    folder: ProgramFolder,
) -> tuple[Witness, ...]:
    """Try to show each finding.

    Args:
        findings: of a comparison, in the order of its report.
        layouts: of OLD and of NEW, on the target of the compiler.
        renamed: OLD's names of structs to NEW's, where they differ.
        headers: how each side finds its own.
        folder: for the programs.

    Raises:
        AbigenError: no program at all could be compiled.
    """
    programs: dict[str, _Program | None] = {}
    for each in findings:
        name = _subject(each)
        if is_about_bytes(each) and name not in programs:
            about = [other for other in findings if _subject(other) == name and is_about_bytes(other)]
            programs[name] = _program(about, name, layouts, renamed)
    wanted = [each for each in programs.values() if each is not None]
    for side in headers:
        for path, content in side.files.items():
            folder.write(f"headers/{path}", content)
    results = _tried(wanted, headers, folder)
    complaints = [each for each in results.values() if isinstance(each, AbigenError)]
    if complaints and len(complaints) == len(results):
        raise complaints[0]
    places = {key: places_of(layouts, (key, renamed.get(key, key))) for key in _structs(wanted)}
    return tuple(_witness(each, programs.get(_subject(each)), results, places) for each in findings)


def _tried(programs: Sequence[_Program], headers: tuple[Headers, Headers], folder: ProgramFolder) -> _Results:
    """Write and build programs, and run one after the other."""
    commands = _commands(headers, folder.tools)
    files = {each: _files(each, headers, commands) for each in programs}
    for program, texts in files.items():
        for name, text in texts.items():
            folder.write(f"{program.name}/{name}", text)
    complaints = folder.compile([BuildSteps(commands, each.name) for each in programs])
    results: dict[_Program, Mapping[str, Sequence[Attempt]] | AbigenError] = {}
    for each, complaint in zip(programs, complaints, strict=True):
        folder.announce(f"running {each.name}")
        place = folder.folder / each.name
        for made in place.glob("*.o"):
            made.unlink()
        results[each] = complaint or {
            care: attempts_of(folder.run([place / "witness", care], each.name), files[each]) for care in _WAYS
        }
    return results


def _files(program: _Program, headers: tuple[Headers, Headers], commands: Sequence[Sequence[str]]) -> Mapping[str, str]:
    """The files of a program by name, with notes about how to build and run it."""
    names = [[each if Path(each).is_absolute() else f"../headers/{each}" for each in one.includes] for one in headers]
    notes = [
        *program.about,
        "",
        "Build it and run it, in this folder:",
        *(f"  {shlex.join(each)}" for each in commands),
        "  ./witness          each side looks at struct_size before it touches a member",
        "  ./witness naive    no side does",
    ]
    return program_files(program.crossings, (names[0], names[1]), notes)


def _commands(headers: tuple[Headers, Headers], tools: Toolchain) -> list[list[str]]:
    """What builds a program: each part by itself, since each side has its own options, and then the whole."""
    commands = []
    for side, each in zip(SIDES, headers, strict=True):
        options = [f"-I../headers/{option[2:]}" if _is_copied(option) else option for option in each.options]
        commands.append(compile_command(tools, [f"{side}.c"], f"{side}.o", ["-w", "-c", *options]))
    commands.append(compile_command(tools, ["main.c"], "main.o", ["-w", "-c"]))
    commands.append(compile_command(tools, ["old.o", "new.o", "main.o"], "witness"))
    return commands


def _is_copied(option: str) -> bool:
    return option.startswith("-I") and not Path(option[2:]).is_absolute()


def _subject(finding: Finding) -> str:
    """What findings that share a program have in common: a struct, a function, one callback, ..."""
    is_call = finding.rule == "callback-signature-changed"
    return finding.entity if is_call else finding.entity.partition(".")[0]


def _program(about: Sequence[Finding], name: str, layouts: Pair, renamed: Mapping[str, str]) -> _Program | None:
    """The program that can show some findings of one subject; None when there is nothing that crosses."""
    crossings: dict[str, Crossing] = {}
    for finding in about:
        for made in crossings_for(finding, layouts, renamed):
            if made is not None:
                crossings.setdefault(f"{made.name} {type(made.old).__name__}", made)
    lines = tuple(f"{each.code} {each.rule}: {each.message}".replace("*/", "* /") for each in about)
    return _Program(re.sub(r"\W+", "_", name), tuple(crossings.values()), lines) if crossings else None


def _structs(programs: Sequence[_Program]) -> set[str]:
    return {each.name for program in programs for each in program.crossings if isinstance(each.old, StructOfSide)}


def _witness(
    finding: Finding,
    program: _Program | None,
    results: _Results,
    places: Mapping[str, Mapping[str, str]],
) -> Witness:
    """What programs show of a finding."""
    if not is_about_bytes(finding):
        return Witness(finding, NO_BYTES)
    if program is None:
        return Witness(finding, NOT_SHOWN, reason="there is nothing that both sides have and that C can name")
    result = results[program]
    if isinstance(result, AbigenError):
        said = "; ".join(each.message for each in result.diagnostics[:2])
        return Witness(finding, NOT_SHOWN, reason=said, program=program.name)
    careful, naive = (_lines(finding, result[care], places) for care in _WAYS)
    if careful:
        return Witness(finding, SHOWN, careful, program=program.name)
    if naive:
        reason = "sides that look at struct_size first work; without that"
        return Witness(finding, HOLDS, naive, reason, program.name)
    reason = "programs of both sides ran, and read what was written"
    if not all(each.is_fine for attempts in result.values() for each in attempts):
        reason = "what its program shows is what other findings about it say"
    return Witness(finding, NOT_SHOWN, reason=reason, program=program.name)


def _lines(finding: Finding, trials: Sequence[Attempt], places: Mapping[str, Mapping[str, str]]) -> tuple[str, ...]:
    """What went wrong in some trials, what is about the finding's own member first or alone."""
    member = finding.entity.partition(".")[2]
    own: dict[tuple[str, str, str], str] = {}
    others: dict[tuple[str, str, str], str] = {}
    for trial in trials:
        for each in trial.wrong:
            path = each.partition(":")[0]
            place = places.get(trial.what, {}).get(path, "")
            line = f"{trial.what}, {trial.how}: {each}{f' ({place})' if place else ''}"
            is_own = bool(member) and path.partition("[")[0] == member
            # What comes the second way is the same again.
            (own if is_own else others).setdefault((trial.what, trial.how[:3], path), line)
    axes = (finding.axes.old_plugin, finding.axes.new_plugin)
    if Axis.BREAKS not in axes and Axis.AT_RISK in axes and finding.code.startswith("ABI1"):
        others = {}  # another finding says that those break
    found = {**own, **others}
    ranks = Counter[str]()  # something of each struct comes before more of the same
    order = []
    for what, _, _ in found:
        ranks[what] += 1
        order.append(ranks[what])
    ranked = sorted(zip(order, found.values(), strict=True), key=lambda each: each[0])
    return tuple(line for _, line in ranked)[:_MOST_LINES]
