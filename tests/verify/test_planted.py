"""Scaffolded plugins with one thing wrong each: it is found, and named."""

from __future__ import annotations

import pytest

from tests.sampling import short_form
from tests.verify.planted.calls import CALLS
from tests.verify.planted.copies import COPIES
from tests.verify.planted.guests import GUESTS
from tests.verify.planted.leaks import LEAKS
from tests.verify.planted.order import ORDER
from tests.verify.planted.structs import STRUCTS
from tests.verify.planted.variants import VARIANTS
from tests.verify.planting import Plant, Scaffold
from tests.verify.plugins import verify

PLANTS = [*CALLS, *COPIES, *GUESTS, *LEAKS, *ORDER, *STRUCTS, *VARIANTS]


@pytest.fixture(scope="module")
def scaffold(tmp_path_factory: pytest.TempPathFactory) -> Scaffold:
    """A plugin in C with kernels and ops."""
    return Scaffold(tmp_path_factory.mktemp("planted"))


@pytest.mark.parametrize("plant", short_form(PLANTS, 15, in_ci=True, ci_every=3), ids=lambda plant: plant.name)
def test_a_planted_fault_is_found_under_its_own_rule(plant: Plant, scaffold: Scaffold) -> None:
    only = [option for name in plant.checks for option in ("--only", name)]
    verified = verify(scaffold.plugin(plant), *only)
    found = {(rule, entity) for rule, entity in verified.found if entity == plant.entity or not plant.entity}
    assert plant.rule in {rule for rule, _ in found}, verified.output + verified.remarks


def test_each_is_planted_once() -> None:
    names = [plant.name for plant in PLANTS]
    assert len(names) == len(set(names))
