"""Every verdict about a struct's bytes is tried by running binaries that were built against OLD and NEW."""

from __future__ import annotations

from pathlib import Path

import pytest

from abigen.checker.compare import compare
from abigen.checker.policy import find_policy
from abigen.checker.struct_sizes import sizes_of_releases
from abigen.headers.reader import read_headers
from abigen.model.api import Api, ApiSet
from abigen.model.finding import Axis, Finding
from abigen.model.layout import Layouts
from abigen.model.target import find_target
from abigen.runner.skew.data_exchange import scalars_of, struct_exchange
from abigen.workspace.options import ReadOptions, SourceFile
from tests.runner.skew.oracle import execute
from tests.sampling import short_form
from tests.tools import require

PAIRS = Path(__file__).parents[2] / "checker/rules"
CASES = sorted(each.parent for each in PAIRS.glob("*/*/old.h") if each.with_name("new.h").exists())

MOVES_BYTES = {
    "field-inserted",
    "field-reordered",
    "append-to-frozen-struct",
    "append-shifts-embedder",
    "append-undetectable",
}
"""Rules whose verdict has to show in a run whenever it says that a binary breaks."""


def _read(path: Path) -> ApiSet:
    source = SourceFile(str(path), str(path), path.read_text(encoding="utf-8-sig"))
    options = ReadOptions(targets=("x86_64-linux-gnu",), include_dirs=(str(path.parent),))
    return read_headers([source], options)


def _changed_structs(old: Api, new: Api) -> list[str]:
    names = []
    for name, struct in old.structs.items():
        other = new.structs.get(name)
        if struct.in_api and struct.fields and other is not None and other.fields and not struct.is_union:
            names.append(name)
    # A consumer of a struct that only one side allocates has pointers to it, and no object of its own.
    names = [name for name in names if not (old.structs[name].anonymous or old.structs[name].allocated_by)]
    # What a parameter, a mask or a release decides, no consumer that has only the struct can know.
    return [name for name in names if not _is_decided_elsewhere(name, old, new)]


def _is_decided_elsewhere(name: str, old: Api, new: Api) -> bool:
    struct, target = old.structs[name], find_target("x86_64-linux-gnu")
    size = Layouts(old, target).of(name).unpadded_size
    is_of_release = size in sizes_of_releases(new.structs[name], Layouts(new, target)).values()
    return is_of_release or (struct.may_grow and not (struct.size_field or struct.version_field))


def _outcomes(folder: Path, old: tuple[Layouts, Path], new: tuple[Layouts, Path]) -> dict[str, dict[str, list[str]]]:
    """Care to struct to what went wrong, in all ways that the struct may travel."""
    outcomes: dict[str, dict[str, list[str]]] = {"careful": {}, "naive": {}}
    exchanges = []
    for name in _changed_structs(old[0].api, new[0].api):
        if scalars_of(old[0], name) != scalars_of(new[0], name):
            exchange = struct_exchange((name, name), (old[0], new[0]))
            exchanges += [exchange] if exchange else []
    for care, trials in execute(exchanges, (str(old[1]), str(new[1])), folder).items() if exchanges else ():
        for trial in trials:
            if not trial.is_fine:
                outcomes[care].setdefault(trial.what, []).append(f"{trial.how}: {'; '.join(trial.wrong)}")
    return outcomes


def _worst(findings: tuple[Finding, ...]) -> set[Axis]:
    return {axis for finding in findings for axis in (finding.axes.old_plugin, finding.axes.new_plugin)}


@pytest.mark.first_case
@pytest.mark.parametrize(
    "case", short_form(CASES, 8, in_ci=True, ci_every=4), ids=lambda case: f"{case.parent.name}/{case.name}"
)
def test_what_a_run_shows_is_what_the_findings_say(case: Path, tmp_path: Path) -> None:
    require("gcc")
    old, new = case / "old.h", case / "new.h"
    old_set, new_set = _read(old), _read(new)
    old_api, new_api = old_set.groups[0].api, new_set.groups[0].api
    target = find_target("x86_64-linux-gnu")
    findings = compare(old_set, new_set, find_policy("default")).findings
    outcomes = _outcomes(tmp_path, (Layouts(old_api, target), old), (Layouts(new_api, target), new))
    said = _worst(findings)
    wrong = [each for runs in outcomes["careful"].values() for each in runs]
    if any("misaligned address" not in each for each in wrong):
        assert Axis.BREAKS in said, f"binaries break, and no finding says so: {outcomes['careful']}"
    if outcomes["naive"] or wrong:  # few processors mind an address that is no multiple of the alignment
        assert said & {Axis.BREAKS, Axis.AT_RISK}, (
            f"careless binaries break, and no finding says so: {outcomes['naive']}"
        )
    for finding in findings:
        struct = finding.entity.partition(".")[0]
        breaks = Axis.BREAKS in (finding.axes.old_plugin, finding.axes.new_plugin)
        if finding.rule in MOVES_BYTES and breaks and struct in _changed_structs(old_api, new_api):
            everything = {**outcomes["careful"], **outcomes["naive"]}
            assert everything, f"{finding.rule} {finding.entity} says that a binary breaks, and every run is fine"
