"""The output that all tests of checks share."""

from __future__ import annotations

import pytest

from tests.generator.c_checks.building import Generated, generate


@pytest.fixture(scope="session")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Generated:
    return generate(tmp_path_factory.mktemp("checks"))
