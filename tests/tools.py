"""Programs that tests need beyond Python and one C compiler."""

from __future__ import annotations

import os
import shutil

import pytest


def require(*programs: str) -> tuple[str, ...]:
    """Paths of the programs; skips the test when one is missing, or fails it where `ABIGEN_REQUIRE_TOOLS` is set.

    Continuous integration sets the variable, so that a missing tool cannot turn a test off unnoticed.
    """
    found: list[str] = []
    for program in programs:
        path = shutil.which(program)
        if path is None:
            reason = f"needs the program {program}"
            if os.environ.get("ABIGEN_REQUIRE_TOOLS"):
                pytest.fail(reason)
            pytest.skip(reason)
        found.append(path)
    return tuple(found)
