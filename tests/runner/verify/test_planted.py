"""Scaffolded plugins with one thing wrong each: it is found, and named."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest

from tests.runner.verify.planted.calls import CALLS
from tests.runner.verify.planted.copies import COPIES
from tests.runner.verify.planted.guests import GUESTS
from tests.runner.verify.planted.kernels import KERNELS
from tests.runner.verify.planted.leaks import LEAKS
from tests.runner.verify.planted.order import ORDER
from tests.runner.verify.planted.structs import STRUCTS
from tests.runner.verify.planted.variants import VARIANTS
from tests.runner.verify.planting import API, Plant, Scaffold
from tests.runner.verify.plugins import Verified, verify
from tests.sampling import short_form

CHECKS = [
    word
    for name in ("creation-fails", "copy-is-wrong", "enqueued-copy-is-wrong", "fill-is-wrong", "allocations-overlap")
    for word in ("--only", name)
]
PLANTS = [*CALLS, *COPIES, *GUESTS, *LEAKS, *ORDER, *STRUCTS, *VARIANTS]


@pytest.fixture(scope="module")
def with_kernels(tmp_path_factory: pytest.TempPathFactory) -> Scaffold:
    """A plugin in C with kernels and ops."""
    return Scaffold(tmp_path_factory.mktemp("kernels"), API, "--with", "kernels,ops")


@pytest.fixture(scope="module")
def scaffold(tmp_path_factory: pytest.TempPathFactory) -> Scaffold:
    """A plugin in C."""
    return Scaffold(tmp_path_factory.mktemp("planted"))


@pytest.mark.ci
@pytest.mark.parametrize("plant", short_form(PLANTS, 15, in_ci=True, ci_every=8), ids=lambda plant: plant.name)
def test_a_planted_fault_is_found_under_its_own_rule(plant: Plant, scaffold: Scaffold) -> None:
    only = [option for name in plant.checks for option in ("--only", name)]
    verified = verify(scaffold.plugin(plant), *only)
    found = {(rule, entity) for rule, entity in verified.found if entity == plant.entity or not plant.entity}
    assert plant.rule in {rule for rule, _ in found}, verified.output + verified.remarks


def headlines(scaffold: Scaffold, *names: str) -> tuple[set[tuple[str, str]], set[str], Verified]:
    """Return the findings of checks of memory and copies about a plugin with faults, and their consequences."""
    verified = verify(scaffold.plugin(*(plant for plant in PLANTS if plant.name in names)), *CHECKS)
    findings = json.loads(verified.output)["findings"]
    return verified.found, {each["rule"] for one in findings for each in one["consequences"]}, verified


@pytest.mark.ci
def test_what_follows_from_a_fault_stands_below_it_and_does_not_count(scaffold: Scaffold) -> None:
    found, following, verified = headlines(scaffold, "one-less-to-host")
    assert found == {("copy-is-wrong", "SP_StreamExecutor.sync_memcpy_dtoh")}, verified.output
    assert following >= {"fill-is-wrong", "allocations-overlap"}
    assert verified.result("fill-is-wrong") == "failed"
    (reason,) = {each["reason"] for each in json.loads(verified.output)["checks"] if each["rule"] == "fill-is-wrong"}
    assert reason == "its finding follows from ABI060 copy-is-wrong"


@pytest.mark.ci
def test_a_function_that_does_not_make_a_stream_explains_what_takes_one(scaffold: Scaffold) -> None:
    found, following, verified = headlines(scaffold, "stream-is-none")
    assert {entity for _, entity in found} == {"SP_StreamExecutor.create_stream"}, verified.output
    assert following
    plugin = scaffold.plugin(*(each for each in PLANTS if each.name == "stream-is-none"))
    assert "= follows    ABI" in verify(plugin, *CHECKS, form="text").output
    suite = ElementTree.fromstring(verify(plugin, *CHECKS, form="junit").output).find("testsuite")
    assert suite is not None
    assert suite.get("failures") == "1"


@pytest.mark.ci
def test_of_two_faults_neither_follows_from_the_other(scaffold: Scaffold) -> None:
    found, following, verified = headlines(scaffold, "sync-memcpy-dtod-fails", "zeroes-one-more")
    assert {rule for rule, _ in found} == {"call-fails", "fill-is-wrong"}, verified.output
    assert following == set()


@pytest.mark.ci
@pytest.mark.parametrize("plant", short_form(KERNELS, 40, in_ci=True, ci_every=8), ids=lambda plant: plant.name)
def test_a_planted_fault_of_a_kernel_is_found_under_its_own_rule(plant: Plant, with_kernels: Scaffold) -> None:
    test_a_planted_fault_is_found_under_its_own_rule(plant, with_kernels)


def test_each_is_planted_once() -> None:
    names = [plant.name for plant in (*PLANTS, *KERNELS)]
    assert len(names) == len(set(names))
