"""The output that all tests of the C++ layer share."""

from __future__ import annotations

import pytest

from tests.generator.cpp.building import Generated, generate


@pytest.fixture(scope="session")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Generated:
    return generate(tmp_path_factory.mktemp("cpp"))
