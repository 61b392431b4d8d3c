"""Commands that judge headers load neither the code that runs binaries nor the code that writes files."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.samples import FIRST, INSERTED
from tests.running import REPOSITORY

_PROGRAM = """\
import sys
from abigen.__main__ import main
try:
    main()
except SystemExit:
    print("\\n".join(name for name in sys.modules if name.startswith("abigen")), file=sys.stderr)
"""


@pytest.mark.parametrize(
    "command",
    [
        ("diff", "old.h", "new.h"),
        ("diff", "old.h", "new.h", "--format", "sarif"),
        ("lint", "new.h"),
        ("layout", "new.h"),
        ("history", "old.h", "new.h"),
        ("explain", "ABI103"),
    ],
    ids=" ".join,
)
def test_a_command_that_judges_loads_neither_runner_nor_generator(command: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "old.h").write_text(FIRST)
    (tmp_path / "new.h").write_text(INSERTED)
    environment = {"PYTHONPATH": str(REPOSITORY), "ABIGEN_CACHE_DIR": str(tmp_path / "cache"), "PATH": "/usr/bin:/bin"}
    words = [sys.executable, "-c", _PROGRAM, *command]
    run = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    loaded = {name.split(".")[1] for name in run.stderr.splitlines() if name.startswith("abigen.")}
    assert {"cli", "checker", "model"} <= loaded, run.stderr
    assert loaded.isdisjoint({"runner", "generator", "editor"})
