"""What is built: each target's files for each API, and where they go.

A target `x-y` that comes with abigen is a folder `x_y` beside this module with a module `target` that has a function
`outputs(publication, templates)`; others have the same (docs/targets.md). It may also have
`contradictions(publication, old, new)`, which says what in files that are there the new ones must not change.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from abigen.emit.output_files import read_file
from abigen.emit.outside import OutputTarget, find_targets
from abigen.emit.publication import Publication
from abigen.emit.templates import Templates
from abigen.files import Files
from abigen.model.span import AbigenError, Diagnostic


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
