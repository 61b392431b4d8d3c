"""The reference core of an API, started from its specs: what `abigen.host` is, with what it needs.

From Python::

    from abigen.runner.reference import start_core

    with start_core() as core:
        core.load_plugin("./plugin.so")
        result = core.run("AddV2", [[1.0, 2.0], [3.0, 4.0]])
        print(result.device, result.outputs[0].tolist())

Headers and bindings are rendered from the specs and kept, with the library that plugins link against, below the user's
directory for caches; so all that is slow happens once.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from abigen.model.span import AbigenError
from abigen.model.target import default_targets
from abigen.workspace.files import Files
from abigen.workspace.libraries import compile_library, find_compiler
from abigen.workspace.shipped import RUNTIME, TEMPLATES, shipped

if TYPE_CHECKING:
    from abigen.model.api import Api
    from abigen.runner.apis.tensorflow.host.backend import Backend
    from abigen.runner.apis.tensorflow.host.core import Core
    from abigen.workspace.operand import Operand

HOST = "host"
"""The folder of templates with what is particular to one API: a folder below it for each group of specs."""
_OWN_BACKEND = "backend"
"""The package in it with the side of an API in Python, for a core that does not come with abigen."""

_TARGETS = ("c", "c-checks", "python")
_PREFIX = "abigen_core_"
"""The prefix of the folder of a core, which the group and a digest follow."""
_KEPT = 8
_OLD_SECONDS = 24 * 3600


def groups(template_dirs: Sequence[Path] = ()) -> tuple[str, ...]:
    """Return the groups of specs that there is a core for.

    Args:
        template_dirs: folders of templates besides the shipped one.
    """
    folders = (folder / HOST for folder in (*template_dirs, shipped(TEMPLATES)))
    return tuple(sorted({each.name for folder in folders for each in folder.glob("*/") if each.is_dir()}))


def library_name() -> str:
    """Return the file name of a core's library on this platform."""
    return "libabigen-core.dylib" if sys.platform == "darwin" else "libabigen-core.so"


def start_core(
    group: str = "",
    *,
    release: str = "",
    built_in: Sequence[str] = (),
    spec_dir: Path | None = None,
    template_dirs: Sequence[Path] = (),
) -> Core:
    """Start the core of an API, without any plugin.

    Args:
        group: of specs, by the name of its folder; empty where there is a core for one group only.
        release: of the specs, as `1.2.0`, to be an older core; empty for the current one.
        built_in: types of devices that the core is to have itself besides the host; plugins may replace them.
        spec_dir: the folder of specs; None for the one that comes with abigen.
        template_dirs: folders of templates that take the place of abigen's own, file by file.

    Raises:
        AbigenError: there is no core for this group, a spec is wrong, or there is no C compiler.
    """
    from abigen.runner.apis.tensorflow.host.core import Core

    folder = prepare(group, release=release, spec_dir=spec_dir, template_dirs=template_dirs)
    return Core(start_backend(folder), built_in)


def prepare(
    group: str = "",
    *,
    release: str = "",
    spec_dir: Path | None = None,
    template_dirs: Sequence[Path] = (),
) -> Path:
    """Make what a core consists of, unless it has been made before.

    Args:
        group: as for `start_core`.
        release: as for `start_core`.
        spec_dir: as for `start_core`.
        template_dirs: as for `start_core`.

    Returns:
        A folder with the library, `include/`, and the package of bindings.

    Raises:
        AbigenError: there is no core for this group, a spec is wrong, or there is no C compiler.
    """
    known = groups(template_dirs)
    if not group and len(known) != 1:
        raise AbigenError.at(None, "there are cores for several groups of specs", f"name one of {', '.join(known)}")
    group = group or known[0]
    if group not in known:
        hint = f"there is one for {', '.join(known) or 'none'}"
        raise AbigenError.at(None, f"there is no core for `{group}`", hint)
    specs = spec_dir or shipped("spec")
    cores = _cache_folder()
    digest = _digest(group, release, specs, (*template_dirs, shipped(TEMPLATES), shipped(RUNTIME)))
    folder = cores / f"{_PREFIX}{re.sub('[^A-Za-z0-9]', '_', group)}_{digest}"
    if not folder.is_dir():
        find_compiler()  # rendering takes longer than noticing that there is none
        files = _own_files(group, template_dirs)
        for path, content in _render(group, release, specs, template_dirs).items():
            target, _, rest = path.removeprefix(f"{group}/").partition("/")
            files[rest if target == "python" else f"include/{rest}"] = content
        _assemble(folder, files)
        _remove_old(cores)
    os.utime(folder)
    return folder


def start_backend(folder: Path) -> Backend:
    """Load the library of a core that has been made, and import the side of its API in Python.

    Plugins find the functions of the first library that is loaded, so cores of several releases share that one.

    Args:
        folder: what `prepare` has made.

    Raises:
        AbigenError: the library of another abigen's core of this API has been loaded before.
    """
    if folder.name not in sys.modules:  # cores of several releases can be in one process: each is a package
        package = ModuleType(folder.name, "A core and the bindings that it is built on.")
        package.__path__ = [str(folder)]
        sys.modules[folder.name] = package
    sys.path.append(str(folder))  # where the runtime of the bindings is, unless this process has one
    from abigen.runner.apis import core_of

    parts = _serving(folder), folder / library_name(), folder / "library" / "core.h"
    if (folder / _OWN_BACKEND / "__init__.py").is_file():
        started: Backend = import_module(f"{folder.name}.{_OWN_BACKEND}").Backend(*parts)
    else:
        started = core_of(folder.name.removeprefix(_PREFIX).rpartition("_")[0]).start(*parts, folder.name)
    return started


_libraries: dict[str, tuple[dict[str, bytes], Path]] = {}
"""The part of a folder's name that tells the API, to what the library that serves it was made of, and where it is."""


def _serving(folder: Path) -> Path:
    """Return the library in which plugins find the core's functions."""
    sources = {path.name: path.read_bytes() for path in sorted((folder / "library").iterdir()) if path.is_file()}
    made_of, library = _libraries.setdefault(folder.name.rpartition("_")[0], (sources, folder / library_name()))
    if made_of != sources:
        raise AbigenError.at(None, "another core of this API is in this process already", "start it in a new process")
    return library


def _assemble(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write the files of a core and compile its library; the folder appears whole, or not at all.

    Raises:
        AbigenError: there is no C compiler, or the folder cannot be written.
    """
    if sys.platform == "win32":
        raise AbigenError.at(
            None,
            "the core's library is built for Linux and macOS only",
            "on Windows plugins link against the import library of one core; run abigen under WSL",
        )
    options = ["-std=c11", "-D_GNU_SOURCE", "-g", "-fvisibility=hidden"]
    options += [] if sys.platform == "darwin" else ["-pthread", "-Wl,-z,defs"]
    try:
        folder.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.TemporaryDirectory(prefix=".", dir=folder.parent) as temporary:
            made = Path(temporary) / folder.name
            for path, content in files.items():
                place = made / path
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(content)
            sources = sorted(map(str, (made / "library").glob("*.c")))
            compile_library([*options, f"-I{made / 'include'}", *sources], made / library_name())
            made.rename(folder)
    except OSError as error:
        if not folder.is_dir():  # nobody else was faster
            raise AbigenError.at(None, f"{error.filename}: {error.strerror}") from error


def _remove_old(folder: Path) -> None:
    """Remove the cores that nobody has used for long, all but the last few."""
    cores = sorted((each for each in folder.iterdir() if each.is_dir()), key=lambda each: each.stat().st_mtime)
    for each in cores[:-_KEPT]:
        if time.time() - each.stat().st_mtime > _OLD_SECONDS:
            shutil.rmtree(each, ignore_errors=True)


def _digest(group: str, release: str, specs: Path, template_dirs: Sequence[Path]) -> str:
    """Return the digest that identifies a core: of abigen itself, the specs, the templates, and the options."""
    from abigen.workspace.files import digest
    from abigen.workspace.result_cache import identity

    parts = [identity(), group, release]
    for folder in (specs, *template_dirs):
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                status = path.stat()
                parts.append(f"{path.relative_to(folder)} {status.st_size} {status.st_mtime_ns}")
    return digest([part.encode("utf-8", "surrogateescape") for part in parts])


def _own_files(group: str, template_dirs: Sequence[Path]) -> dict[str, bytes]:
    """Return an API's files by path: the library in C, and a `backend` of a user. Those of the first folder win."""
    files: dict[str, bytes] = {}
    for folder in (shipped(TEMPLATES), *reversed(template_dirs)):
        start = folder / HOST / group
        files |= {
            path.relative_to(start).as_posix(): path.read_bytes()
            for path in sorted(start.rglob("*"))
            if path.is_file() and "__pycache__" not in path.parts
        }
    return files


def _render(group: str, release: str, specs: Path, template_dirs: Sequence[Path]) -> Mapping[str, bytes]:
    """Headers, checks and bindings of all specs of a group, by their paths below the group's folder."""
    from abigen.generator.build import build, find_specs
    from abigen.generator.publication import Publication
    from abigen.generator.templates import Templates
    from abigen.specs.load import load_all
    from abigen.workspace.operand import Operand
    from abigen.workspace.options import ReadOptions

    def load(names: Sequence[Operand]) -> list[Api]:
        return [each.groups[0].api for each in load_all(names, options, lambda _: None)]

    disk = Files()
    found = find_specs([group], specs, disk)
    options = ReadOptions(targets=default_targets(), cache=True, files=disk)
    names = [Operand.of_file(str(spec.path)) for spec in found]
    apis = load(names)
    if release:
        apis = load(_at_release(names, apis, release))
    publications = [Publication(api, spec.name, spec.group) for spec, api in zip(found, apis, strict=True)]
    return build(publications, _TARGETS, Templates(tuple(template_dirs), shipped(TEMPLATES), disk))


def _at_release(names: Sequence[Operand], apis: Sequence[Api], release: str) -> list[Operand]:
    """Operands for specs as they were at a release, those that have had it.

    Raises:
        AbigenError: none has.
    """
    from abigen.workspace.operand import parse_release

    had = [{str(each) for each in api.header.releases} if api.header is not None else set() for api in apis]
    if not any(release in each for each in had):
        known = ", ".join(sorted(set().union(*had)))
        raise AbigenError.at(None, f"there has been no release {release}", f"there have been {known or 'none'}")
    version = parse_release(release, release)
    return [name.at_release(version) if release in each else name for name, each in zip(names, had, strict=True)]


def _cache_folder() -> Path:
    """Return the folder of cores.

    Raises:
        AbigenError: there is no place that belongs to the user alone.
    """
    from abigen.workspace.result_cache import cache_folder

    folder = cache_folder()
    if folder is None:
        message = "there is no directory for caches that belongs to you alone"
        hint = "name one in the environment as ABIGEN_CACHE_DIR"
        raise AbigenError.at(None, f"{message}, and the core's library has to be kept in one", hint)
    return folder / "cores"
