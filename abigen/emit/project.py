"""Where a project keeps its specs and templates, and where abigen keeps those that come with it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from abigen.model.span import AbigenError
from abigen.shipped import shipped

SPECS = "spec"
TEMPLATES = "templates"
_SUFFIXES = (".yaml", ".yml")


@dataclass(frozen=True)
class SpecFile:
    """A spec on disk."""

    path: Path
    name: str
    """As the project would write it: `spec/group/api.yaml`, wherever the command was called."""
    group: str
    """The folder below the folder of specs that it stands in, with `/` between parts; empty when in none."""


def spec_folder(chosen: Path | None) -> Path:
    """The folder of specs: the chosen one, else the project's own, else the one that comes with abigen.

    Args:
        chosen: what the user asks for.

    Raises:
        AbigenError: the chosen folder does not exist.
    """
    if chosen is not None:
        return existing_folder(chosen)
    own = Path(SPECS)
    return own if own.is_dir() else shipped(SPECS)


def template_folders(chosen: Path | None) -> tuple[Path, ...]:
    """Folders whose templates shadow the shipped ones, file by file, the first one first.

    Args:
        chosen: what the user asks for.

    Raises:
        AbigenError: the chosen folder does not exist.
    """
    own = Path(TEMPLATES)
    first = (existing_folder(chosen),) if chosen is not None else ()
    return (*first, *((own,) if own.is_dir() else ()))


def existing_folder(path: Path) -> Path:
    """The path itself.

    Raises:
        AbigenError: it is not a folder.
    """
    if not path.is_dir():
        raise AbigenError.at(None, f"there is no folder {path}")
    return path


def find_specs(wanted: Sequence[str], folder: Path) -> tuple[SpecFile, ...]:
    """Find the specs that a command line names.

    Args:
        wanted: files, folders, or names relative to the folder of specs, with or without suffix; empty means all.
        folder: the folder of specs.

    Returns:
        Each spec once, in the order of the command line, those of a folder sorted.

    Raises:
        AbigenError: a name that fits nothing, with a suggestion; a folder without specs.
    """
    paths: list[Path] = []
    for each in wanted or (".",):
        found = _below(folder) if not wanted else _find(each, folder)
        if not found:
            raise AbigenError.at(None, f"there are no specs in {folder if not wanted else each}")
        paths += found
    return tuple(dict.fromkeys(spec_file(path, folder) for path in paths))


def spec_file(path: Path, folder: Path) -> SpecFile:
    """A spec by its path, named relative to the folder of specs, or by its file's name when it is not in there."""
    resolved, root = path.resolve(), folder.resolve()
    if not resolved.is_relative_to(root):
        return SpecFile(path, path.name, "")
    relative = resolved.relative_to(root)
    group = relative.parent.as_posix()
    return SpecFile(path, (root.name / relative).as_posix(), "" if group == "." else group)


def _find(wanted: str, folder: Path) -> list[Path]:
    """The specs that one argument names."""
    for start in (Path(wanted), folder / wanted):
        if start.is_dir():
            return _below(start)
        for candidate in (start, *(start.with_name(start.name + suffix) for suffix in _SUFFIXES)):
            if candidate.is_file():
                return [candidate]
    raise AbigenError.at(None, f"there is no spec `{wanted}`", _suggestion(wanted, _below(folder), folder))


def _below(folder: Path) -> list[Path]:
    """All specs below a folder, sorted; hidden folders are left out."""
    found = (path for suffix in _SUFFIXES for path in folder.rglob(f"*{suffix}"))
    return sorted(path for path in found if path.is_file() and not _is_hidden(path.relative_to(folder).parts))


def _is_hidden(parts: Iterable[str]) -> bool:
    return any(part.startswith(".") for part in parts)


def _suggestion(wanted: str, specs: Sequence[Path], folder: Path) -> str:
    from difflib import get_close_matches

    names = {path.relative_to(folder).with_suffix("").as_posix(): None for path in specs}
    stems = {name.rpartition("/")[2]: name for name in names}
    plain = wanted.removesuffix(".yaml").removeprefix(f"{SPECS}/")
    close = get_close_matches(plain, [*names, *stems], 1)
    return f"did you mean `{stems.get(close[0], close[0])}`?" if close else f"specs are looked for in {folder}"
