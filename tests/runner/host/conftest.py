"""The reference core, and plugins that are compiled for it."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from abigen.runner.apis.tensorflow.host.core import Core
from abigen.runner.reference import prepare, start_backend

PLUGINS = Path(__file__).parent / "plugins"

Build = Callable[..., Path]
Start = Callable[..., Core]


@pytest.fixture(scope="session")
def core_folder() -> Path:
    """Return the folder of the parts of the core."""
    return prepare("tensorflow")


@pytest.fixture(scope="session")
def start(core_folder: Path) -> Start:
    """Start a core, with types of devices that it is to have itself."""
    return lambda *built_in: Core(start_backend(core_folder), built_in)


@pytest.fixture
def core(start: Start) -> Iterator[Core]:
    """A core without plugins."""
    with start() as started:
        yield started


@pytest.fixture(scope="session")
def build(core_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Build:
    """Compile a plugin from sources of the folder `plugins`, with macros set; the same one is compiled once.

    Every call gives a file of its own, since a core loads one file once.
    """
    folder = tmp_path_factory.mktemp("plugins")
    made: dict[tuple[object, ...], Path] = {}

    def build_plugin(name: str, *sources: str, flags: tuple[str, ...] = (), **macros: object) -> Path:
        key = (sources, flags, tuple(sorted(macros.items())))
        if key not in made:
            made[key] = folder / f"{len(made)}.so"
            defines = [f"-D{macro}={value}" for macro, value in macros.items()]
            command = ["cc", "-shared", "-fPIC", "-pthread", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function"]
            command += [*flags, f"-I{core_folder / 'include'}", *defines]
            command += [*(str(PLUGINS / source) for source in sources), "-o", str(made[key])]
            subprocess.run(command, check=True)
        place = folder / f"{len(list(folder.iterdir()))}-{name}"
        place.mkdir()
        return Path(shutil.copy(made[key], place / f"{name}.so"))

    return build_plugin


@pytest.fixture
def toy(build: Build) -> Path:
    """A plugin with two devices of type XPU, and kernels and ops of its own."""
    return build("toy", "device.c", "kernels.c")


@pytest.fixture(scope="session")
def backend(start: Start) -> Callable[[str], ModuleType]:
    """Import a module of the core's own side in Python."""
    start().close()
    return lambda name: import_module(f"abigen.runner.apis.tensorflow.core.{name}")
