"""Verdicts against binaries: random changes are judged by `compare`, and tried by programs built from both sides.

A case fails when binaries disagree about bytes, or a sanitizer speaks, and no finding says that anything breaks; and
when a finding about bytes says that a binary breaks, and nothing at all differs.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from abigen.checker.compare import compare
from abigen.checker.policy import find_policy
from abigen.headers.reader import read_headers
from abigen.model.api import ApiSet
from abigen.model.finding import Axis, Finding
from abigen.model.layout import Layouts
from abigen.model.target import find_target
from abigen.runner.skew.data_exchange import (
    DataExchange,
    ScalarMember,
    call_exchange,
    scalars_of,
    struct_exchange,
    value_exchange,
)
from abigen.runner.skew.programs import ProgramRun
from abigen.runner.skew.witness import Attempt, attempts_of, program_files
from abigen.workspace.options import ReadOptions, SourceFile
from tests.runner.skew import specs
from tests.runner.skew.changes import Maker

TARGETS = {"x86_64-linux-gnu": ["gcc"], "i686-linux-gnu": ["gcc", "-m32"]}
"""Each target that is tried, with its compiler."""
PREAMBLE = "#include <stddef.h>\n#include <stdint.h>\n"
FLAGS = ["-std=gnu17", "-w", "-O0", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
ENVIRONMENT = {"ASAN_OPTIONS": "detect_leaks=0:print_legend=0:symbolize=0", "UBSAN_OPTIONS": "symbolize=0"}
_NAME = re.compile(r"\b(?:S[PE]_|XX_)?C\d+_\w+")

ABOUT_BYTES = {
    "field-type-changed",
    "field-inserted",
    "field-reordered",
    "append-to-frozen-struct",
    "append-shifts-embedder",
    "append-undetectable",
    "bitfield-changed",
    "array-length-changed",
    "packing-changed",
    "kind-changed",
    "layout-changed",
    "enum-width-changed",
    "enumerator-value-changed",
    "enumerator-inserted",
}
"""Rules that, when they say that a binary breaks, say that bytes differ."""


class Case(msgspec.Struct):
    """A change, the findings about it, and the result of running it."""

    number: int
    old: str
    new: str
    changes: list[str]
    specs: tuple[str, str] | None = None
    """The specs of OLD and NEW that abigen reads instead, where the headers are made from specs."""
    findings: tuple[Finding, ...] = ()
    exchanges: list[DataExchange] = msgspec.field(default_factory=list)
    gone: set[str] = msgspec.field(default_factory=set)
    """Structs of OLD that NEW has nothing for."""
    untouched: set[str] = msgspec.field(default_factory=set)
    """Structs of which only what is kept free has changed: nobody reads that."""
    structs: set[str] = msgspec.field(default_factory=set)
    """The structs of OLD."""
    scalars: dict[str, tuple[Sequence[ScalarMember], Sequence[ScalarMember]]] = msgspec.field(default_factory=dict)
    """The structs that both sides have and can name, with their scalars in OLD and NEW."""
    outcomes: dict[tuple[str, str], list[str]] = msgspec.field(default_factory=dict)
    """(`careful` or `naive`, what crosses) to what went wrong."""

    @property
    def needs(self) -> dict[str, set[str]]:
        """Each name of the case to the names that its declarations use."""
        used: dict[str, set[str]] = {}
        for text in (self.old, self.new):
            for part in re.split(r"^(?=typedef|#define|\w[\w *]*\()", text, flags=re.MULTILINE):
                names = _NAME.findall(part)
                for name in names:
                    used.setdefault(name, set()).update(names)
        return used

    def reach(self, name: str) -> set[str]:
        """Return a name and all that it is made of."""
        found, needs = {name}, self.needs
        while more := {each for known in found for each in needs.get(known, ())} - found:
            found |= more
        return found

    def is_tried(self, entity: str) -> bool:
        """True if the programs try what a finding about a struct or one of its members is about.

        They know members by their names. Where OLD's have other names in NEW, or stand in another struct, there is
        nothing that both sides fill and read, and no way to tell which alternative of a union a new member is for.
        """
        head, _, path = entity.partition(".")
        if head not in self.scalars:
            return False
        old, new = self.scalars[head]
        if not path:
            return True
        is_part = re.compile(rf"{re.escape(path)}(?=[.\[]|$)").match
        lost = [each for each in old if is_part(each.path)]
        if not lost:
            added = [each for each in new if is_part(each.path)]
            lost = [each for each in old if any(each.place < 8 * one.end and one.place < 8 * each.end for one in added)]
            if any(each.choices for each in (*lost, *added)):
                return False
        return {each.path for each in lost} <= {each.path for each in new}


def make_case(seed: int, number: int) -> Case:
    """Return a random API and a random change of it."""
    maker = Maker(seed)
    world = maker.world(number)
    new, changes = maker.changed(world)
    texts = specs.spec_of(world), specs.spec_of(new)
    if not (maker.is_plain and all(texts)):
        return Case(number, world.text(), new.text(), changes)
    headers = [specs.header_of(specs.read(each, "x86_64-linux-gnu")) for each in texts]
    return Case(number, *headers, ["spec", *changes], texts)


def _read(case: Case, target: str) -> tuple[ApiSet, ApiSet]:
    """Return both sides of a case as abigen reads them."""
    if case.specs:
        return specs.read(case.specs[0], target), specs.read(case.specs[1], target)
    return _read_header(case.old, target), _read_header(case.new, target)


def _read_header(text: str, target: str) -> ApiSet:
    options = ReadOptions(targets=(target,))
    return read_headers([SourceFile("api.h", "api.h", PREAMBLE + text)], options)


def judge(case: Case, target: str = "x86_64-linux-gnu") -> None:
    """Fill in what abigen says, and what there is to try."""
    sets = _read(case, target)
    verdict = compare(*sets, find_policy("default"))
    case.findings = verdict.findings
    renamed = {old: new for new, old in verdict.renamed.items()}
    layouts = tuple(Layouts(each.groups[0].api, find_target(target)) for each in sets)
    for name in layouts[0].api.structs:
        if renamed.get(name, name) not in layouts[1].api.structs:
            case.gone.add(name)
        elif _is_untouched(layouts, (name, renamed.get(name, name))):  # type: ignore[arg-type]
            case.untouched.add(name)
    case.structs = set(layouts[0].api.structs)
    shared = dict(_shared_structs(layouts, renamed))  # type: ignore[arg-type]
    case.scalars = {name: (scalars_of(layouts[0], name), scalars_of(layouts[1], key)) for name, key in shared.items()}
    case.exchanges += filter(None, _exchanges(layouts, shared))  # type: ignore[arg-type]


def _is_untouched(layouts: tuple[Layouts, Layouts], keys: tuple[str, str]) -> bool:
    """True if all that both sides read of a struct lies where it was."""
    structs = [each.api.structs.get(key) for each, key in zip(layouts, keys, strict=True)]
    if not all(each and each.fields for each in structs):
        return False
    old, new = (
        {each.path.rpartition(".")[2]: each for each in scalars_of(of, key)}
        for of, key in zip(layouts, keys, strict=True)
    )
    places = [{path: (each.place, each.end) for path, each in scalars.items()} for scalars in (old, new)]
    changed = {path for path in old if places[0][path] != places[1].get(path)}
    is_as_large = len({of.of(key).size for of, key in zip(layouts, keys, strict=True)}) == 1
    return is_as_large and bool(changed) and all(old[path].is_free for path in changed)


def _shared_structs(layouts: tuple[Layouts, Layouts], renamed: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the names of each struct that both sides define and can name."""
    for name, struct in layouts[0].api.structs.items():
        other = layouts[1].api.structs.get(renamed.get(name, name))
        if struct.in_api and struct.fields and other and other.fields and struct.typedef_names and other.typedef_names:
            yield name, other.name


def _exchanges(layouts: tuple[Layouts, Layouts], shared: Mapping[str, str]) -> Iterator[DataExchange | None]:
    """Yield the exchanges of a case; None for each that C cannot write down."""
    old, new = (each.api for each in layouts)
    for name, key in shared.items():
        yield struct_exchange((name, key), layouts)
        for measure in ("sizeof({})", "_Alignof({})"):
            yield _value(measure, (name, key))
        for before in old.structs[name].fields or ():
            became = new.structs[key].member(before.name) if before.name else None
            is_measured = became and before.bit_width is None and became.bit_width is None
            if is_measured and not before.name.startswith("reserved"):
                yield _value(f"offsetof({{}}, {before.name})", (name, key))
                yield _value(f"sizeof((({{}} *)0)->{before.name})", (name, key))
    for name, enum in old.enums.items():
        changed = new.enums.get(name)
        if enum.in_api and changed is not None:
            yield _value("sizeof({})", (name, name))
            values = {each.name for each in changed.enumerators or ()}
            for each in enum.enumerators or ():
                if each.name in values:
                    yield _value(each.name, (name, name))
    for name, constant in old.constants.items():
        if constant.in_api and name in new.constants and name not in old.size_constants:
            yield _value("{}", (name, name))
    for name, function in old.functions.items():
        if function.in_api and name in new.functions:
            yield call_exchange(name, (function.type, new.functions[name].type), layouts)


def _value(expression: str, names: tuple[str, str]) -> DataExchange:
    old, new = (expression.format(each) for each in names)
    return value_exchange(old, (old, new))


def run(cases: Sequence[Case], folder: Path, target: str = "x86_64-linux-gnu") -> None:
    """Compile and run all cases as one program, and note what came of each."""
    for case in cases:
        judge(case, target)
    (folder / "old.h").write_text(PREAMBLE + "".join(case.old for case in cases))
    (folder / "new.h").write_text(PREAMBLE + "".join(case.new for case in cases))
    owners = [case for case in cases for _ in case.exchanges]
    exchanges = [each for case in cases for each in case.exchanges]
    for care, trials in execute(exchanges, ("old.h", "new.h"), folder, TARGETS[target]).items():
        for trial in trials:
            if not trial.is_fine:
                told = owners[trial.number].outcomes.setdefault((care, trial.what), [])
                told.append(f"{trial.how}: {'; '.join(trial.wrong[:4])}")


def execute(
    exchanges: Sequence[DataExchange], headers: tuple[str, str], folder: Path, compiler: Sequence[str] = ("gcc",)
) -> Mapping[str, Sequence[Attempt]]:
    """Build one program of both sides, and run it with careful and with naive ones.

    Args:
        exchanges: what crosses.
        headers: of OLD and of NEW, as one includes them.
        folder: to work in.
        compiler: of C, a command.
    """
    files = program_files(exchanges, ([headers[0]], [headers[1]]), ())
    for name, text in files.items():
        (folder / name).write_text(text)
    processes = [
        subprocess.Popen([*compiler, *FLAGS, "-c", f"{name}.c"], cwd=folder, stderr=subprocess.PIPE, text=True)
        for name in ("old", "new", "main")
    ]
    for process in processes:
        _, said = process.communicate()
        assert process.returncode == 0, said[:3000]
    subprocess.run([*compiler, *FLAGS, "old.o", "new.o", "main.o", "-o", "program"], cwd=folder, check=True)
    found = {}
    for care in ("careful", "naive"):
        environment = {**os.environ, **ENVIRONMENT}
        done = subprocess.run(["./program", care], cwd=folder, capture_output=True, timeout=600, env=environment)
        said = done.stderr.decode("utf-8", "replace")
        found[care] = attempts_of(ProgramRun(done.returncode, "", said), files)
        assert len(found[care]) >= len(exchanges), said[:2000]
    return found


def disagreements(case: Case) -> Iterator[str]:
    """Yield the disagreements between a verdict and the binaries."""
    breaking = [each for each in case.findings if Axis.BREAKS in (each.axes.old_plugin, each.axes.new_plugin)]
    told = [*breaking, *(each for each in case.findings if _is_same_bytes(each))]
    risky = [each for each in case.findings if Axis.AT_RISK in (each.axes.old_plugin, each.axes.new_plugin)]
    for (care, name), wrong in case.outcomes.items():
        reach = case.reach(_bare(name))
        said = told if care == "careful" else [*told, *risky]
        if not any(_head(each) in reach for each in said):
            if name.startswith("sizeof(") and any(_head(each) in reach for each in risky):
                continue  # it may grow
            yield f"{care} sides disagree about {name}, and no finding says so: {wrong[0]}"
    differing = {_bare(name) for _, name in case.outcomes}
    tried = {_bare(each.name) for each in case.exchanges}
    for each in breaking:
        if _head(each) in case.gone or not any(_head(each) in case.reach(name) for name in tried):
            continue  # the other side has nothing of that name
        if _head(each) in case.structs and not case.is_tried(each.entity):
            continue
        is_free = _head(each) in case.untouched or ".reserved" in each.entity
        if each.rule in ABOUT_BYTES and not is_free and not any(_head(each) in case.reach(name) for name in differing):
            yield f"{each.rule} {each.entity} says that binaries break, and nothing differs: {each.message}"


def _is_same_bytes(finding: Finding) -> bool:
    """True if it says that the same bytes mean something else: a number has, or has no, sign."""
    return finding.axes.contract is Axis.BREAKS or finding.rule == "enum-sign-changed"


def _bare(name: str) -> str:
    """Return the subject of an exchange: `T` of `sizeof(T)`."""
    found = _NAME.search(name)
    return found[0] if found else name


def _head(finding: Finding) -> str:
    return finding.entity.partition(".")[0]
