"""What is built: each target's files for each API, and where they go; and where specs and templates are looked for.

A target `x-y` that comes with abigen is a folder `x_y` beside this module with a module `target` that has a function
`outputs(publication, templates)`; others have the same (docs/targets.md). It may also have
`contradictions(publication, old, new)`, which says what in files that are there the new ones must not change.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from abigen.emit.output_files import read_file
from abigen.emit.outside import OutputTarget, find_targets
from abigen.emit.publication import Publication
from abigen.emit.templates import Templates
from abigen.files import Files
from abigen.model.span import AbigenError, Diagnostic, did_you_mean
from abigen.shipped import SPECS, is_shipped, shipped

_SUFFIXES = (".yaml", ".yml")


class SpecFile(msgspec.Struct, frozen=True):
    """A spec on disk."""

    path: Path
    name: str
    """As the project would write it: `spec/group/api.yaml`, wherever the command was called."""
    group: str
    """The folder below the folder of specs that it stands in, with `/` between parts; empty when in none."""
    folder: Path
    """The folder of specs."""

    @property
    def api(self) -> str:
        """How command lines name it: its path below the folder of specs, without suffix."""
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
    """A spec by its path, named relative to the folder of specs, or by its file's name when it is not in there."""
    resolved, root = Path(disk.real(path)), Path(disk.real(folder))
    if not resolved.is_relative_to(root):
        return SpecFile(path, path.name, "", folder)
    relative = resolved.relative_to(root)
    group = relative.parent.as_posix()
    return SpecFile(path, (root.name / relative).as_posix(), "" if group == "." else group, folder)


def _find(wanted: str, folder: Path, disk: Files) -> list[Path]:
    """The specs that one argument names."""
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
    """All specs below a folder, sorted; what is hidden is left out."""
    paths = disk.below(folder) if disk.is_dir(folder) else ()
    return sorted(folder / path for path in paths if path.endswith(_SUFFIXES))


def _suggestion(wanted: str, specs: Sequence[Path], folder: Path) -> str:
    names = [path.relative_to(folder).with_suffix("").as_posix() for path in specs]
    known = {short: name for name in names for short in (name.rpartition("/")[2], name)}
    plain = wanted.removesuffix(".yaml").removeprefix(f"{SPECS}/")
    listed = ", ".join(f"`{name}`" for name in names)
    whose = "abigen" if is_shipped(str(folder)) else str(folder)
    there_are = f"{whose} has {listed}" if names else f"specs are looked for in {folder}, which has none"
    return did_you_mean(plain, known, there_are, shown=lambda each: f"`{known[each]}`")


def build(
    publications: Sequence[Publication], targets: Iterable[str] | Iterable[OutputTarget], templates: Templates
) -> Mapping[str, bytes]:
    """Make all files, in memory.

    Args:
        publications: the APIs.
        targets: the targets, or names of such that come with abigen.
        templates: the templates to use.

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
    same = f"`{path}`" if path == other else f"`{path}` and `{other}`, one file where case does not count,"
    return Diagnostic(None, f"{same} is made by {other_spec} and by {spec}", "change header.path in one of them")
