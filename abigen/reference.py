"""The reference core of an API, started from its specs: what `abigen.host` is, with what it needs.

From Python::

    from abigen.reference import start_core

    with start_core() as core:
        core.load_plugin("./plugin.so")
        result = core.run("AddV2", [[1.0, 2.0], [3.0, 4.0]])
        print(result.device, result.outputs[0].tolist())

Headers and bindings are rendered from the specs and kept, with the library that plugins link against, below the user's
directory for caches; so all that is slow happens once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from abigen.model.span import AbigenError
from abigen.shipped import shipped

if TYPE_CHECKING:
    from abigen.host.core import Core
    from abigen.model.api import Api

HOST = "host"
"""The folder of templates with what is particular to one API: a folder below it for each group of specs."""

_TARGETS = ("c", "c-checks", "python")


def groups(template_dirs: Sequence[Path] = ()) -> tuple[str, ...]:
    """The groups of specs that there is a core for.

    Args:
        template_dirs: folders of templates besides the shipped one.
    """
    folders = [folder / HOST for folder in (*template_dirs, shipped("templates"))]
    return tuple(
        sorted({each.name for folder in folders if folder.is_dir() for each in folder.iterdir() if each.is_dir()})
    )


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
    from abigen.host.core import Core
    from abigen.host.parts import start_backend

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
    import os

    from abigen.host.library import find_compiler
    from abigen.host.parts import assemble, forget_old

    group = group or _only_group(template_dirs)
    specs = spec_dir or shipped("spec")
    own = _own_files(group, template_dirs)
    cores = _cache_folder()
    folder = (
        cores
        / f"abigen_core_{_as_name(group)}_{_digest(group, release, specs, (*template_dirs, shipped('templates')))}"
    )
    if not folder.is_dir():
        find_compiler()  # rendering takes longer than noticing that there is none
        headers: dict[str, bytes] = {}
        bindings: dict[str, bytes] = {}
        for path, content in _render(group, release, specs, template_dirs).items():
            target, _, rest = path.removeprefix(f"{group}/").partition("/")
            (bindings if target == "python" else headers)[rest] = content
        assemble(folder, headers, bindings, own)
        forget_old(cores)
    os.utime(folder)
    return folder


def _as_name(group: str) -> str:
    """A group as a part of the name of a package."""
    return "".join(each if each.isalnum() and each.isascii() else "_" for each in group)


def _digest(group: str, release: str, specs: Path, template_dirs: Sequence[Path]) -> str:
    """What tells two cores apart: abigen itself, the specs, the templates, and what is asked for."""
    from abigen.read.cache import identity
    from abigen.read.evidence import digest

    parts = [identity(), group, release]
    for folder in (specs, *template_dirs):
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                status = path.stat()
                parts.append(f"{path.relative_to(folder)} {status.st_size} {status.st_mtime_ns}")
    return digest(part.encode("utf-8", "surrogateescape") for part in parts)


def _only_group(template_dirs: Sequence[Path]) -> str:
    known = groups(template_dirs)
    if len(known) != 1:
        raise AbigenError.at(None, "there are cores for several groups of specs", f"name one of {', '.join(known)}")
    return known[0]


def _own_files(group: str, template_dirs: Sequence[Path]) -> Mapping[str, bytes]:
    """The API's own files: those of the first folder win."""
    files: dict[str, bytes] = {}
    for folder in (shipped("templates"), *reversed(template_dirs)):
        start = folder / HOST / group
        files |= {
            path.relative_to(start).as_posix(): path.read_bytes()
            for path in sorted(start.rglob("*"))
            if path.is_file() and "__pycache__" not in path.parts
        }
    if not files:
        known = ", ".join(groups(template_dirs)) or "none"
        raise AbigenError.at(None, f"there is no core for `{group}`", f"there is one for {known}")
    return files


def _render(group: str, release: str, specs: Path, template_dirs: Sequence[Path]) -> Mapping[str, bytes]:
    """Headers, checks and bindings of all specs of a group, by their paths below the group's folder."""
    from abigen.emit.build import build
    from abigen.emit.project import find_specs
    from abigen.emit.publication import Publication
    from abigen.emit.templates import Templates
    from abigen.model.target import default_targets
    from abigen.read.load import load_all
    from abigen.read.options import ReadOptions

    found = find_specs([group], specs)
    options = ReadOptions(targets=default_targets(), cache=True)
    names = [str(each.path) for each in found]
    apis = [each.api.groups[0].api for each in load_all(names, options, _say_nothing)]
    if release:
        names = _at_release(names, apis, release)
        apis = [each.api.groups[0].api for each in load_all(names, options, _say_nothing)]
    publications = [Publication(api, spec.name, spec.group) for spec, api in zip(found, apis, strict=True)]
    return build(publications, _TARGETS, Templates(tuple(template_dirs), shipped("templates")))


def _at_release(names: Sequence[str], apis: Sequence[Api], release: str) -> list[str]:
    """Operands for specs as they were at a release, those that have had it.

    Raises:
        AbigenError: none has.
    """
    had = [{str(each) for each in api.header.releases} if api.header is not None else set() for api in apis]
    if not any(release in each for each in had):
        known = ", ".join(sorted(set().union(*had)))
        raise AbigenError.at(None, f"there has been no release {release}", f"there have been {known or 'none'}")
    return [f"{name}@{release}" if release in each else name for name, each in zip(names, had, strict=True)]


def _say_nothing(_: str) -> None:
    """Progress is not shown."""


def _cache_folder() -> Path:
    """Where cores are kept.

    Raises:
        AbigenError: there is no place that belongs to the user alone.
    """
    from abigen.read.cache import open_cache

    cache = open_cache()
    if cache is None:
        raise AbigenError.at(
            None,
            "there is no directory for caches that belongs to you alone, and the core's library has to be kept in one",
            "name one in the environment as ABIGEN_CACHE_DIR",
        )
    return Path(cache.directory) / "cores"
