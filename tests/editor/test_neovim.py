"""`abigen lsp` in a real editor: Neovim without a window."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.editor.editor import INSERTED
from tests.tools import require


@pytest.mark.ci
def test_neovim_shows_problems_and_makes_fixes(project: Path, tmp_path: Path) -> None:
    require("nvim --version")
    (project / "include/box.h").write_text(INSERTED)
    out = tmp_path / "out.json"
    environment = {
        **os.environ,
        "ABIGEN_SERVER": f"{sys.executable} -m abigen lsp",
        "ABIGEN_HEADER": str(project / "include/box.h"),
        "ABIGEN_OUT": str(out),
        "XDG_STATE_HOME": str(tmp_path / "state"),
    }
    script = Path(__file__).with_name("neovim.lua")
    done = subprocess.run(
        ["nvim", "--clean", "--headless", "-c", f"luafile {script}", "-c", "cquit"],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert out.exists(), done.stderr
    found = json.loads(out.read_text())
    assert (found["first"]["line"], found["first"]["code"]) == (17, "ABI103 field-inserted")
    assert "old plugin: breaks" in found["first"]["message"]
    assert "int32_t BX_Box.depth;" in found["hover"]
    assert found["lens"].startswith("ABI: MAJOR since v1.0.0")
    assert found["action"] == "Move depth after the last member"
    assert "height; /* 0 is no-op. */\n  int32_t depth;  /* 0 is no-op. */\n} BX_Box;" in found["text"]
