"""A core that does not come with abigen."""

from __future__ import annotations

from pathlib import Path

import pytest

from abigen.model.span import AbigenError
from abigen.runner.reference import groups, prepare, start_backend

SPEC = """\
abigen: 1
api: lamp
version: 1.0.0
enums:
  - {name: LP_Colour, enumerators: [{name: LP_RED, value: 7}]}
functions:
  - {name: LP_Light, type: int (int), implemented_by: core}
"""
BACKEND = """\
from ..lamps_plugin_api import lamp

class Backend:
    def __init__(self, library, own, header):
        self.found = library.is_file(), own == library, header.read_text(), int(lamp.LP_Colour.LP_RED)
"""


def test_a_folder_of_templates_adds_a_core(tmp_path: Path) -> None:
    own = tmp_path / "mine"
    files = {
        tmp_path / "spec/lamps/lamp.yaml": SPEC,
        own / "host/lamps/library/core.h": "int LP_Light(int);\n",
        own / "host/lamps/library/light.c": '#include "lamp.h"\nint LP_Light(int colour) { return colour; }\n',
        own / "host/lamps/backend/__init__.py": BACKEND,
    }
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert groups((own,)) == ("lamps", "tensorflow")
    started = start_backend(prepare("lamps", spec_dir=tmp_path / "spec", template_dirs=(own,)))
    assert vars(started)["found"] == (True, True, "int LP_Light(int);\n", 7)
    with pytest.raises(AbigenError, match="there is no core for `lamps`"):
        prepare("lamps", spec_dir=tmp_path / "spec")
