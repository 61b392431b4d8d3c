"""Builds all targets of a group of the specs that come with abigen, once in a session if they are not committed."""

from __future__ import annotations

import os
from fcntl import LOCK_EX, flock
from functools import cache
from pathlib import Path

from abigen.generator.build import TARGETS
from tests.running import REPOSITORY, run_here
from tests.tools import SHARED

COMMITTED = "tensorflow"
"""The group of which all targets are in `generated/`; `abigen.toml` names those of others."""
GROUPS = ("rfc", COMMITTED, "xla")


@cache
def whole_build(group: str) -> Path:
    """Return the folder of a group's files; beside it are those that groups share.

    Args:
        group: a folder below `spec`.
    """
    if group == COMMITTED:
        return REPOSITORY / "generated" / group
    out = Path(os.environ[SHARED], f"generated-{group}")
    with Path(f"{out}.lock").open("w") as lock:
        flock(lock, LOCK_EX)  # another process of the session may be building it
        if not out.exists():
            targets = [word for target in TARGETS for word in ("--target", target)]
            unfinished = out.with_name(f"{out.name}.unfinished")
            run = run_here(["build", group, *targets, "--out", str(unfinished)], REPOSITORY)
            assert run.code == 0, run.stderr
            unfinished.rename(out)
    return out / group
