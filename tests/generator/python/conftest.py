"""A package, the core that it calls, and the plugins that it loads, made once for all tests."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec
import pytest

from tests.generator.python.building import HERE, compile_library, generate, load_package


class Robots(msgspec.Struct, frozen=True):
    """The package for robots, with its core loaded."""

    folder: Path
    """The output of `abigen build`."""
    package: Any
    signal: Any
    shared: ModuleType
    core: Path
    plugin: Path
    old_plugin: Path

    def started(self, plugin: Path | None = None) -> tuple[Any, Any, Any]:
        """Return a plugin that has filled a robot and its arms, and these two."""
        plugin_ = self.package.Plugin(plugin or self.plugin)
        robot, arms = self.package.RB_Robot(ordinal=1), self.package.RB_Arms()
        plugin_.RB_Start(self.package.RB_Params(robot=robot, arms=arms))
        return plugin_, robot, arms


@pytest.fixture(scope="session")
def robots(tmp_path_factory: pytest.TempPathFactory) -> Robots:
    folder = generate(tmp_path_factory.mktemp("robots"))
    include = folder / "c"
    core = compile_library(HERE / "core.c", folder / "libcore.so", include)
    plugin = compile_library(HERE / "plugin.c", folder / "plugin.so", include)
    old = compile_library(HERE / "plugin.c", folder / "old.so", include, "-DOLD")
    package = load_package(folder / "python", "plugin_api.robot")
    shared = load_package(folder / "python", "plugin_api")
    signal = load_package(folder / "python", "plugin_api.signal")
    shared.core.load(core)
    return Robots(folder, package, signal, shared, core, plugin, old)
