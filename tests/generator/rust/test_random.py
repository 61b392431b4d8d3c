"""Modules of random APIs: each Rust compiles them, and lays out their structs as abigen says."""

from __future__ import annotations

from pathlib import Path

import pytest

from abigen.generator.build import build
from abigen.generator.publication import Publication
from abigen.generator.templates import Templates
from abigen.workspace.files import Files
from abigen.workspace.shipped import shipped
from tests.generator.rust.building import checked, crate
from tests.runner.skew import specs
from tests.runner.skew.worlds import WorldMaker
from tests.sampling import short_form

_TEMPLATES = Templates((), shipped("templates"), Files())
_AT_ONCE = 20


@pytest.mark.ci
@pytest.mark.parametrize("first", short_form(range(0, 400, _AT_ONCE), 20))
def test_modules_of_random_specs_compile(first: int, tmp_path: Path) -> None:
    modules: dict[str, Path] = {}
    for number in range(first, first + _AT_ONCE):
        text = specs.spec_of(WorldMaker(4 * number + 3).world(number))  # those that specs have words for
        if not text:
            continue
        api = specs.read(text, "x86_64-linux-gnu").groups[0].api
        for path, content in build([Publication(api, f"spec/c{number}.yaml", "")], ["rust"], _TEMPLATES).items():
            modules[path] = tmp_path / Path(path).name
            modules[path].write_bytes(content)
    assert len(modules) > _AT_ONCE / 2
    checked(crate(tmp_path, modules.values()))
