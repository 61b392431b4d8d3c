"""Runs programs built from OLD and NEW for `abigen skew OLD NEW`, and compares them with the findings.

A program includes the headers of either side from their own folders, or from copies out of git.
"""

from __future__ import annotations

import os
import re
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path

import msgspec

from abigen.model.api import Api, ApiSet
from abigen.model.ctype import Array, CType, FunctionType, NamedType, RecordType, types_in
from abigen.model.finding import Axis, Finding
from abigen.model.layout import Layouts
from abigen.model.span import AbigenError, printable
from abigen.runner.skew.data_exchange import (
    SIDES,
    CallOfSide,
    DataExchange,
    Pair,
    StructOfSide,
    ValueOfSide,
    call_exchange,
    scalars_of,
    struct_exchange,
    type_name,
    value_exchange,
)
from abigen.runner.skew.programs import BuildSteps, ProgramFolder, ProgramRun, Toolchain, compile_command
from abigen.workspace.git import open_revision
from abigen.workspace.operand import parse_operand
from abigen.workspace.options import ReadOptions
from abigen.workspace.shipped import fill_in

_VALUES = {"constant-changed", "size-macro-changed", "enumerator-value-changed", "enumerator-inserted"}
"""Rules about values that both sides have compiled into their code, whatever their findings say of binaries."""
_OF_NAMES = ("removed", "added", "linkage-changed", "enumerator-appended")
"""Ends of the names of rules about what one side has no name for, or does not find by its name."""
_MOST_HOLDERS = 6


def is_about_bytes(finding: Finding) -> bool:
    """True if a finding says that a binary may meet other bytes than it expects."""
    is_member = finding.code.startswith("ABI1")
    if finding.rule.endswith(_OF_NAMES) and not is_member:
        return False
    axes = (finding.axes.old_plugin, finding.axes.new_plugin)
    return finding.rule in _VALUES or axes != (Axis.OK, Axis.OK)


def exchanges_for(finding: Finding, layouts: Pair, renamed: Mapping[str, str]) -> Iterator[DataExchange | None]:
    """Yield the exchanges that a finding is about; None for each that C cannot write down.

    Args:
        finding: that speaks of bytes.
        layouts: of OLD and of NEW.
        renamed: OLD's names of structs to NEW's, where they differ.
    """
    old, new = (each.api for each in layouts)
    name, _, member = finding.entity.partition(".")
    keys = name, renamed.get(name, name)
    if keys[0] in old.structs and keys[1] in new.structs:
        callbacks = [_callback(each, key, member) for each, key in zip(layouts, keys, strict=True)]
        if callbacks[0] and callbacks[1] and finding.rule == "callback-signature-changed":
            yield call_exchange(finding.entity, (callbacks[0], callbacks[1]), layouts)
            return
        for key in (name, *_holders(name, old, new)):
            yield struct_exchange((key, renamed.get(key, key)), layouts)
        yield from _measures(layouts, keys)
    elif name in old.functions and name in new.functions:
        yield call_exchange(name, (old.functions[name].type, new.functions[name].type), layouts)
    elif name in old.typedefs and name in new.typedefs:
        yield from _of_typedef(name, layouts)
    elif name in old.enums and name in new.enums:
        yield from _of_enum(name, old, new)
    elif finding.rule in _VALUES:
        yield _value(name)


def _of_typedef(name: str, layouts: Pair) -> Iterator[DataExchange | None]:
    """Yield the values of a typedef: a function type is called, other types are measured, and their users exchanged."""
    types = [each.api.callback(NamedType(name)) or each.api.resolve(NamedType(name)) for each in layouts]
    if isinstance(types[0], FunctionType) and isinstance(types[1], FunctionType):
        yield call_exchange(name, (types[0], types[1]), layouts)
        return
    yield _value(f"sizeof({name})")
    old, new = (each.api for each in layouts)
    users = [key for key, struct in old.structs.items() if key in new.structs and _mentions(name, old, key)]
    for key in users[:_MOST_HOLDERS]:
        yield struct_exchange((key, key), layouts)


def _of_enum(name: str, old: Api, new: Api) -> Iterator[DataExchange]:
    """Yield the values of all names that both sides have, and the size."""
    enums = old.enums[name], new.enums[name]
    known = {each.name for each in enums[1].enumerators or ()}
    for each in enums[0].enumerators or ():
        if each.name in known:
            yield _value(each.name)
    if all(each.tag or each.typedef_names for each in enums):
        spelled = [each.typedef_names[0] if each.typedef_names else f"enum {each.tag}" for each in enums]
        yield value_exchange(f"sizeof({name})", (f"sizeof({spelled[0]})", f"sizeof({spelled[1]})"))


def _measures(layouts: Pair, keys: tuple[str, str]) -> Iterator[DataExchange]:
    """Yield the size and the alignment of a struct that has one size."""
    structs = [each.api.structs[key] for each, key in zip(layouts, keys, strict=True)]
    if all(each.fields and type_name(each) and not each.may_grow for each in structs):
        for operator in ("sizeof", "_Alignof"):
            old, new = (f"{operator}({type_name(each)})" for each in structs)
            yield value_exchange(f"{operator}({keys[0]})", (old, new))


def _holders(name: str, old: Api, new: Api) -> list[str]:
    """Return the structs of both sides that hold a struct by value, directly or not; nearest first."""
    found: list[str] = []
    waiting = [name]
    while waiting and len(found) < _MOST_HOLDERS:
        held = waiting.pop(0)
        for key, struct in old.structs.items():
            holds = any(_stored(old, each.type) == RecordType(held) for each in struct.fields or ())
            if holds and key not in (name, *found):
                found.append(key)
                waiting.append(key)
    return [key for key in found if key in new.structs]


def _stored(api: Api, type: CType) -> CType:
    """Return the type of a member's value, by itself or as an element of an array."""
    resolved = api.resolve(type)
    while isinstance(resolved, Array):
        resolved = api.resolve(resolved.element)
    return resolved


def _mentions(name: str, api: Api, key: str) -> bool:
    """True if a member of a struct is written with a typedef."""
    fields = api.structs[key].fields or ()
    return any(part == NamedType(name) for each in fields for part in types_in(each.type))


def _callback(layouts: Layouts, key: str, member: str) -> FunctionType | None:
    """Return the function that a member of a struct points to."""
    field = layouts.api.structs[key].member(member)
    return layouts.api.callback(field.type) if field else None


def _value(expression: str) -> DataExchange:
    return value_exchange(expression, (expression, expression))


def places_of(layouts: Pair, keys: tuple[str, str]) -> Mapping[str, str]:
    """Return the places of the members of a struct on each side: `bytes 8 to 11 in OLD, 12 to 15 in NEW`."""
    sides: list[dict[str, str]] = []
    for each, key in zip(layouts, keys, strict=True):
        scalars = scalars_of(each, key)
        sides.append(
            {
                scalar.path: f"{scalar.offset}{f' to {scalar.end - 1}' * (scalar.end - 1 > scalar.offset)}"
                for scalar in scalars
            }
        )
    old, new = sides
    found = {path: f"bytes {place} in OLD, {new[path]} in NEW" for path, place in old.items() if path in new}
    found |= {path: f"bytes {place} in both" for path, place in old.items() if new.get(path) == place}
    found |= {path: f"bytes {place}, only in OLD" for path, place in old.items() if path not in new}
    return found | {path: f"bytes {place}, only in NEW" for path, place in new.items() if path not in old}


class Headers(msgspec.Struct, frozen=True):
    """The headers of one side of the programs."""

    includes: tuple[str, ...]
    """The files to include, absolute or from the folder of the programs' headers."""
    options: tuple[str, ...]
    """For the compiler: `-I`, `-D` and the like."""
    files: Mapping[str, bytes] = msgspec.field(default_factory=dict)
    """Copies to write beside the programs, by their path from there."""


def headers_of(operand: str, side: str, options: ReadOptions, read: ApiSet) -> Headers:
    """Find out what a side includes.

    Args:
        operand: as the user wrote it.
        side: `old` or `new`, which names the folder of copies.
        options: how it was read.
        read: what it declares.

    Raises:
        AbigenError: it is a spec, or what it names has gone meanwhile.
    """
    wanted = parse_operand(operand, options.files)
    switches = [*(f"-D{each}" for each in options.defines), *(f"-U{each}" for each in options.undefines)]
    switches.append(f"-std={options.std}")
    before = (str(Path(each).absolute()) if options.files.exists(each) else each for each in options.preincludes)
    switches += [part for each in before for part in ("-include", each)]
    own = read.groups[0].api.files
    if wanted.is_spec:
        hint = "write its header with `abigen build`, and name that; two specs can be run with each other as they are"
        raise AbigenError.at(None, f"{printable(operand)} is a spec, and the other side is a header", hint)
    if wanted.revision:
        return _of_revision(wanted.revision, side, options, read, switches)
    folders = [f"-I{Path(each).absolute()}" for each in options.include_dirs]
    if wanted.path == "-":
        text = read.sources[own[0]].encode()
        return Headers((f"{side}/input.h",), (*switches, *folders, f"-I{Path.cwd()}"), {f"{side}/input.h": text})
    if options.files.is_dir(wanted.path):
        folders.append(f"-I{Path(wanted.path).absolute()}")
    return Headers(tuple(str(Path(each).absolute()) for each in own), (*switches, *folders))


def _of_revision(revision: str, side: str, options: ReadOptions, read: ApiSet, switches: Sequence[str]) -> Headers:
    """Copies of the files that were read at a revision of git, at the same places from the top."""
    with closing(open_revision(revision, options.files)) as tree:
        top = f"{os.devnull}/{tree.tree}/"
        paths = [each.removeprefix(top) for each in read.dependencies if each.startswith(top)]
        files = {f"{side}/{path}": tree.read(path) for path in paths}
        folders = []
        for each in options.include_dirs:
            inside = tree.inside(each)
            is_there = inside is not None and tree.kind_of(inside) == "directory"
            folders.append(f"-I{side}/{inside}".rstrip("/") if is_there else f"-I{Path(each).absolute()}")
        name = f"{tree.name}:"
    own = [each.removeprefix(name) for each in read.groups[0].api.files]
    includes = tuple(f"{side}/{each}" for each in own)
    if missing := [each for each in includes if each not in files]:
        raise AbigenError.at(None, f"{missing[0].removeprefix(side + '/')} was not read at {revision}")
    return Headers(includes, (*switches, *folders, f"-I{side}"), files)


def program_files(
    exchanges: Sequence[DataExchange], headers: tuple[Sequence[str], Sequence[str]], notes: Sequence[str]
) -> Mapping[str, str]:
    """Return the files of one program, by name.

    Args:
        exchanges: what crosses; the programs know each by its position.
        headers: what each side includes.
        notes: what the top of `main.c` says of it, in lines.
    """
    files = {"exchange.h": fill_in("skew/exchange.h")}
    kinds = {"structs": StructOfSide, "calls": CallOfSide, "values": ValueOfSide}
    numbered = {
        name: [(number, each) for number, each in enumerate(exchanges) if isinstance(each.old, kind)]
        for name, kind in kinds.items()
    }
    for side, included in zip(SIDES, headers, strict=True):
        files[f"{side}.c"] = fill_in("skew/side.c.j2", side=side, headers=included, **numbered)
    scalars = max(each.scalars for each in exchanges)
    files["main.c"] = fill_in("skew/main.c.j2", notes=notes, scalars=scalars, **numbered)
    return files


SHOWN, HOLDS, NO_BYTES, NOT_SHOWN = "shown", "holds with care", "not about bytes", "not shown"
_MOST_LINES = 4
"""The number of lines that are shown of one finding."""
_WAYS = ("careful", "naive")
_HEAD = re.compile(r"^== (\d+) (.*), (OLD|NEW) (.*)\n", re.MULTILINE)
_MISREAD = re.compile(r"^.*: (?:OLD|NEW) wrote .*", re.MULTILINE)
_MEMBER = re.compile(r"(?:GET|PUT)\w*\(\d+, (?:\"[^\"]*\", )?(?:object->)?([\w.\[\]]+)")


class Attempt(msgspec.Struct, frozen=True):
    """The outcome of one exchange."""

    number: int
    """The position of the exchange among those of the program."""
    what: str
    """The exchanged entity: a struct's name, a function's, an expression."""
    how: str
    """`OLD hands it over`."""
    wrong: tuple[str, ...]
    """Members that were misread, and what a sanitizer said; empty when all was well."""

    @property
    def is_fine(self) -> bool:
        """True if nothing went wrong."""
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
    """Return the sanitizer's line with member and place in the program; else the first line of the output."""
    run = ProgramRun(1, "", text)
    said = run.sanitizer or text.splitlines()[0]
    if run.place is None:
        return said
    side, number = run.place
    lines: Sequence[str] = sources.get(f"{side}.c", "").splitlines()
    member = _MEMBER.search(lines[number - 1]) if number <= len(lines) else None
    return f"{f'{member[1]}: ' if member else ''}{said} ({side}.c:{number})"


class Witness(msgspec.Struct, frozen=True):
    """The outcome of one finding."""

    finding: Finding
    outcome: str
    """`shown`, `holds with care`, `not about bytes`, `not shown`."""
    lines: tuple[str, ...] = ()
    """The statements of the programs."""
    reason: str = ""
    """The reason why nothing is shown, or the fact that holds."""
    program: str = ""
    """The folder of its program, below the one for all."""


class _Program(msgspec.Struct, frozen=True):
    """A program that is about one thing."""

    name: str
    """Of its folder."""
    exchanges: tuple[DataExchange, ...]
    about: tuple[str, ...]
    """The findings that it may show, a line each."""


_Results = Mapping[_Program, Mapping[str, Sequence[Attempt]] | AbigenError]
"""The outcome of each program by the checks of its sides, or the reason why it could not be built."""


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
    """Return the files of a program by name, with notes about how to build and run it."""
    names = [[each if Path(each).is_absolute() else f"../headers/{each}" for each in one.includes] for one in headers]
    notes = [
        *program.about,
        "",
        "Build it and run it, in this folder:",
        *(f"  {shlex.join(each)}" for each in commands),
        "  ./witness          each side looks at struct_size before it touches a member",
        "  ./witness naive    no side does",
    ]
    return program_files(program.exchanges, (names[0], names[1]), notes)


def _commands(headers: tuple[Headers, Headers], tools: Toolchain) -> list[list[str]]:
    """Return the commands that build a program: each part with the options of its side, and then the whole."""
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
    """Return the subject that findings of one program share: a struct, a function, one callback, ..."""
    is_call = finding.rule == "callback-signature-changed"
    return finding.entity if is_call else finding.entity.partition(".")[0]


def _program(about: Sequence[Finding], name: str, layouts: Pair, renamed: Mapping[str, str]) -> _Program | None:
    """Return the program that can show some findings of one subject; None when there is nothing that crosses."""
    exchanges: dict[str, DataExchange] = {}
    for finding in about:
        for made in exchanges_for(finding, layouts, renamed):
            if made is not None:
                exchanges.setdefault(f"{made.name} {type(made.old).__name__}", made)
    lines = tuple(f"{each.code} {each.rule}: {each.message}".replace("*/", "* /") for each in about)
    return _Program(re.sub(r"\W+", "_", name), tuple(exchanges.values()), lines) if exchanges else None


def _structs(programs: Sequence[_Program]) -> set[str]:
    return {each.name for program in programs for each in program.exchanges if isinstance(each.old, StructOfSide)}


def _witness(
    finding: Finding,
    program: _Program | None,
    results: _Results,
    places: Mapping[str, Mapping[str, str]],
) -> Witness:
    """Return the outcome of the programs for a finding."""
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
    """Return the errors of some trials, those about the finding's own member first or alone."""
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
