"""Runs each target for each API, finds specs, templates and targets, and decides where files go.

A target `x-y` that comes with abigen is a folder `x_y` beside this module with a module `target` that has a function
`outputs(publication, templates)`; others have the same (docs/targets.md). It may also have
`contradictions(publication, old, new)`, which says what in files that are there the new ones must not change.

A third-party target is a folder with a module `target.py`, or an installed package with an entry point in the group
`abigen.targets`. Its code runs, so no file of a repository can name one: only the command line does.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from traceback import walk_tb
from types import ModuleType

import msgspec

from abigen.generator.output_files import read_file
from abigen.generator.publication import GeneratedFile, Publication
from abigen.generator.templates import Templates
from abigen.model import MODEL_VERSION
from abigen.model.span import AbigenError, Diagnostic, Span, did_you_mean
from abigen.workspace.files import Files
from abigen.workspace.shipped import SPECS, is_shipped, shipped

TARGETS = tuple(sorted(path.parent.name.replace("_", "-") for path in Path(__file__).parent.glob("*/target.py")))
"""The targets that are shipped and built by default: each folder below `emit` that has a `target.py`."""

_GROUP = "abigen.targets"
_NAME = re.compile(r"[a-z][a-z0-9_-]*")


class OutputTarget(msgspec.Struct, frozen=True):
    """A kind of output."""

    name: str
    """The folder of its files below that of a group."""
    module: ModuleType
    """Has the function `outputs(publication, templates)`."""
    folder: Path | None = None
    """The path of the module, for a target that does not come with abigen."""

    def outputs(self, publication: Publication, templates: Templates) -> tuple[GeneratedFile, ...]:
        """Return all that it makes of an API.

        Raises:
            AbigenError: the API cannot be written, or the target's own code is wrong.
        """
        if self.folder is None:
            return tuple(self.module.outputs(publication, templates))
        try:
            return tuple(self.module.outputs(publication, templates.also(self.folder / "templates")))
        except AbigenError:
            raise
        except Exception as error:
            raise self._wrong(error) from error

    def contradictions(
        self, publication: Publication, old: Mapping[str, str], new: Mapping[str, str]
    ) -> Iterable[Diagnostic]:
        """Return the contradictions between the new files and files that exist and must not change."""
        function = getattr(self.module, "contradictions", None)
        return function(publication, old, new) if function else ()

    def _wrong(self, error: Exception) -> AbigenError:
        """Return the error for an exception of a target's own code, with the innermost line of that code."""
        lines = [(frame.f_code.co_filename, line) for frame, line in walk_tb(error.__traceback__)]
        own = [Span(file, line, 1) for file, line in lines if self.folder and Path(file).is_relative_to(self.folder)]
        return AbigenError.at(own[-1] if own else None, f"target '{self.name}': {type(error).__name__}: {error}")


def find_targets(wanted: Iterable[str]) -> tuple[OutputTarget, ...]:
    """Targets by what a command line calls them, each once.

    Args:
        wanted: names of targets that come with abigen or are installed, and folders, which have a `/` in them.

    Raises:
        AbigenError: there is no such target, or it cannot be used.
    """
    return tuple({each.name: each for each in map(_find_target, dict.fromkeys(wanted))}.values())


def _find_target(wanted: str) -> OutputTarget:
    if wanted in TARGETS:
        return OutputTarget(wanted, import_module(f"abigen.generator.{wanted.replace('-', '_')}.target"))
    if "/" in wanted or "\\" in wanted:
        folder = Path(wanted).resolve()
        return _usable(folder.name, folder, _from_folder(folder, wanted))
    from importlib.metadata import entry_points

    installed = {each.name: each for each in entry_points(group=_GROUP)}
    if wanted not in installed:
        known = (*TARGETS, *installed)
        message = f"there is no target '{wanted}'"
        hint = did_you_mean(
            wanted, known, f"there are {', '.join(known)}, and folders: ./{wanted}", shown="'{}'".format
        )
        raise AbigenError.at(None, message, hint)
    try:
        module = installed[wanted].load()
    except Exception as error:
        raise AbigenError.at(None, f"target '{wanted}': {type(error).__name__}: {error}") from error
    return _usable(wanted, Path(module.__file__ or ".").parent, module)


def _from_folder(folder: Path, wanted: str) -> ModuleType:
    """Return the module `target` of a folder, which can import its neighbours: `from .view import ...`."""
    name, path = f"abigen_target_{re.sub(r'[^A-Za-z0-9]', '_', folder.name)}", folder / "target.py"
    spec = spec_from_file_location(name, path, submodule_search_locations=[str(folder)])
    if not path.is_file() or spec is None or spec.loader is None:
        raise AbigenError.at(
            None, f"{wanted} is not the folder of a target: it has no target.py", "see docs/targets.md"
        )
    module = sys.modules[name] = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        raise OutputTarget(folder.name, module, folder)._wrong(error) from error
    return module


def _usable(name: str, folder: Path, module: ModuleType) -> OutputTarget:
    """Return the target, if it is one for this abigen."""
    if not _NAME.fullmatch(name) or name in TARGETS:
        hint = "small letters, digits, - and _, and no name of a target that comes with abigen"
        raise AbigenError.at(None, f"'{name}' cannot be the name of a target", hint)
    written_for = getattr(module, "MODEL_VERSION", None)
    if written_for != MODEL_VERSION or not callable(getattr(module, "outputs", None)):
        message = f"target '{name}' is for version {written_for} of the model, and this is {MODEL_VERSION}"
        if written_for == MODEL_VERSION:
            message = f"target '{name}' has no function outputs(publication, templates)"
        raise AbigenError.at(None, message, "see docs/targets.md")
    return OutputTarget(name, module, folder)


_SUFFIXES = (".yaml", ".yml")


class SpecFile(msgspec.Struct, frozen=True):
    """A spec on disk."""

    path: Path
    name: str
    """The path relative to the project, such as `spec/group/api.yaml`, regardless of the current directory."""
    group: str
    """The folder below the folder of specs that it stands in, with `/` between parts; empty when in none."""
    folder: Path
    """The folder of specs."""

    @property
    def api(self) -> str:
        """The name of the API on command lines: its path below the folder of specs, without suffix."""
        return Path(self.name).with_suffix("").as_posix().removeprefix(f"{self.folder.name}/")


def spec_folders(own: Path, disk: Files) -> tuple[Path, ...]:
    """Folders in which a spec may be: the project's own if there is one, then the one that comes with abigen.

    Args:
        own: the project's own.
        disk: where folders are looked up.
    """
    return tuple(dict.fromkeys((*([own] if disk.is_dir(own) else ()), shipped(SPECS))))


def find_specs(wanted: Sequence[str], folder: Path, disk: Files) -> tuple[SpecFile, ...]:
    """Find the specs that a command line names.

    Args:
        wanted: files, folders, or names relative to the folder of specs, with or without suffix; empty means all.
        folder: the folder of specs.
        disk: where files are looked up.

    Returns:
        Each spec once, in the order of the command line, those of a folder sorted.

    Raises:
        AbigenError: a name that fits nothing, with a suggestion; a folder without specs.
    """
    paths: list[Path] = []
    for each in wanted or (".",):
        found = _find(each, folder, disk) if wanted else _below(folder, disk)
        if not found:
            raise AbigenError.at(None, f"there are no specs in {folder if not wanted else each}")
        paths += found
    return tuple(dict.fromkeys(spec_file(path, folder, disk) for path in paths))


def spec_file(path: Path, folder: Path, disk: Files) -> SpecFile:
    """Return a spec by its path, named relative to the folder of specs, or by file name when it is elsewhere."""
    resolved, root = Path(disk.real(path)), Path(disk.real(folder))
    if not resolved.is_relative_to(root):
        return SpecFile(path, path.name, "", folder)
    relative = resolved.relative_to(root)
    group = relative.parent.as_posix()
    return SpecFile(path, (root.name / relative).as_posix(), "" if group == "." else group, folder)


def _find(wanted: str, folder: Path, disk: Files) -> list[Path]:
    """Return the specs that one argument names."""
    for start in (Path(wanted), folder / wanted, folder / VENDOR / wanted):
        if disk.is_dir(start):
            return _below(start, disk)
        for candidate in (start, *(start.with_name(start.name + suffix) for suffix in _SUFFIXES)):
            if disk.is_file(candidate):
                return [candidate]
    raise AbigenError.at(None, f"there is no spec `{wanted}`", _suggestion(wanted, _below(folder, disk), folder))


VENDOR = "vendor"
"""The folder of specs that describe the APIs of vendors, which names may leave out."""


def _below(folder: Path, disk: Files) -> list[Path]:
    """Return all specs below a folder, sorted; what is hidden is left out."""
    paths = disk.below(folder) if disk.is_dir(folder) else ()
    return sorted(folder / path for path in paths if path.endswith(_SUFFIXES))


def _suggestion(wanted: str, specs: Sequence[Path], folder: Path) -> str:
    names = [path.relative_to(folder).with_suffix("").as_posix() for path in specs]
    known = {short: name for name in names for short in (name.rpartition("/")[2], name)}
    plain = wanted.removesuffix(".yaml").removeprefix(f"{SPECS}/")
    listed = ", ".join(f"`{name}`" for name in names)
    whose = "abigen" if is_shipped(str(folder)) else str(folder)
    there_are = f"{whose} has {listed}" if names else f"abigen looked for specs in {folder}, which has none"
    return did_you_mean(plain, known, there_are, shown=lambda each: f"`{known[each]}`")


def build(
    publications: Sequence[Publication],
    targets: Iterable[str] | Iterable[OutputTarget],
    templates: Templates,
    only: Mapping[str, Sequence[str]] | None = None,
) -> Mapping[str, bytes]:
    """Make all files, in memory.

    Args:
        publications: the APIs.
        targets: the targets, or names of such that come with abigen.
        templates: the templates to use.
        only: groups of specs for which only some of the targets are built, and the names of these targets.

    Returns:
        Path relative to the output directory (`group/target/path`, `target/path` of what groups share) to content,
        sorted.

    Raises:
        AbigenError: some API cannot be written, or two files would have one path; all reasons at once.
    """
    files: dict[str, bytes] = {}
    made_by: dict[str, tuple[str, str]] = {}
    problems: list[Diagnostic] = []
    for target in _found(targets):
        for publication in publications:
            if target.name not in (only or {}).get(publication.group, (target.name,)):
                continue
            try:
                made = target.outputs(publication, templates)
            except AbigenError as error:
                problems += error.diagnostics
                continue
            for output in made:
                group = "" if output.shared else publication.group
                path = "/".join(filter(None, (group, target.name, output.path)))
                other, spec = made_by.setdefault(path.casefold(), (path, publication.spec))
                content = output.text.encode("utf-8")
                if spec != publication.spec and files.get(path) != content:
                    problems.append(_collision(path, other, publication.spec, spec))
                files[path] = content
    if problems:
        raise AbigenError(tuple(dict.fromkeys(problems)))
    return dict(sorted(files.items()))


def refuse_contradictions(
    publications: Sequence[Publication],
    targets: Iterable[OutputTarget],
    files: Mapping[str, bytes],
    directory: Path,
    disk: Files,
) -> None:
    """Refuse files that would break what those in their places have promised.

    Args:
        publications: the APIs.
        targets: the targets.
        files: what `build` has made of them.
        directory: where the files are to be.
        disk: where those that are there are looked up.

    Raises:
        AbigenError: all that would be broken.
    """
    problems: list[Diagnostic] = []
    for target in targets:
        for publication in publications if hasattr(target.module, "contradictions") else ():
            folder = "/".join(filter(None, (publication.group, target.name))) + "/"
            made = {path.removeprefix(folder): path for path in files if path.startswith(folder)}
            there = {short: read_file(directory / path, disk) for short, path in made.items()}
            old = {short: text.decode("utf-8", "replace") for short, text in there.items() if text is not None}
            new = {short: files[path].decode("utf-8") for short, path in made.items()}
            problems += target.contradictions(publication, old, new)
    if problems:
        raise AbigenError(problems)


def _found(targets: Iterable[str] | Iterable[OutputTarget]) -> Iterator[OutputTarget]:
    for each in targets:
        yield from (each,) if isinstance(each, OutputTarget) else find_targets((each,))


def _collision(path: str, other: str, spec: str, other_spec: str) -> Diagnostic:
    same = (
        f"`{path}`" if path == other else f"`{path}` and `{other}`, one file where the case of letters does not count,"
    )
    return Diagnostic(None, f"{same} is made by {other_spec} and by {spec}", "change header.path in one of them")
