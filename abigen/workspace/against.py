"""Pairs the operands of `--against REV` and of two directories."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import NoReturn

import msgspec

from abigen.model.span import AbigenError, Diagnostic, printable
from abigen.model.version import Version
from abigen.workspace.files import Files, absolute
from abigen.workspace.git import Revision, open_revision
from abigen.workspace.operand import (
    SPEC_SUFFIXES,
    EmptyOperand,
    Operand,
    files_below,
    fits,
    is_header,
    looks_like_spec,
    parse_operand,
    refuse_missing,
)
from abigen.workspace.options import ReadOptions

_COMMENT = re.compile(rb"/\*.*?(?:\*/|\Z)|//[^\n]*", re.DOTALL)
_WORD = re.compile(rb"[A-Za-z_]\w{2,}")
_HALF = 0.5


class Pair(msgspec.Struct, frozen=True):
    """The two sides of one comparison."""

    old: Operand | EmptyOperand
    new: Operand | EmptyOperand
    remark: str = ""
    """The remarks for the user about how they were found."""


def pairs_against(paths: Sequence[str | Operand], revision: str, options: ReadOptions) -> list[Pair]:
    """Find the past of files and directories, or of all headers and specs that are not what they were.

    A file that the revision does not have is compared to what it was renamed from, or else to the header that is gone
    and whose names it has; else to nothing: it is new. A directory is one pair for its headers, which together
    are one API, and one for each spec below it.

    Args:
        paths: as on the command line: in the working tree, `api.yaml@1.0.0`, or at another revision (`HEAD:./api.h`);
            empty for whatever has changed.
        revision: what to compare with; see `open_revision`.
        options: show the working tree, and say what is left out of directories, and of what has changed.

    Returns:
        At least one pair for each path; none when nothing has changed.

    Raises:
        AbigenError: with everything that is wrong: there is no such revision, a path exists on neither side or is in
            no repository.
    """
    options.files.do_not_store()  # git may answer otherwise next time
    pairs: dict[tuple[Operand | EmptyOperand, Operand | EmptyOperand], Pair] = {}
    diagnostics: list[Diagnostic] = []
    with closing(_open(revision, paths, options.files)) as past:
        for path in dict.fromkeys(paths or map(Operand.of_file, _changed(past, options))):
            try:
                for pair in _pairs_of(path, past, options):
                    pairs.setdefault((pair.old, pair.new), pair)
            except AbigenError as error:
                diagnostics += error.diagnostics
    if diagnostics:
        raise AbigenError(diagnostics)
    return list(pairs.values())


def _changed(past: Revision, options: ReadOptions) -> Iterator[str]:
    """Yield the headers and specs of the repository that are not what they were, as one writes them here."""
    if not past.top:
        _explain_outside("", os.curdir, past)
    for place in past.changed(lambda path: is_header(path) or path.endswith(SPEC_SUFFIXES)):
        path = past.relative(place)
        if not fits(place, options.exclude):
            now = past.files.read(path) if past.files.is_file(path) else b""
            then = past.read(place)
            is_api = is_header(path) or any(looks_like_spec(each.decode(errors="replace")) for each in (then, now))
            # The index may have another text than both; and reading makes all line ends alike.
            if is_api and then.replace(b"\r\n", b"\n") != now.replace(b"\r\n", b"\n"):
                yield path


def pairs_between(old: str, new: str, options: ReadOptions) -> list[Pair]:
    """Find what two directories have in common: their headers, together, and each spec with the one of the same path.

    Args:
        old: a directory.
        new: another.
        options: show what is in them, and say what is left out.

    Returns:
        At least one pair; what only one of them has is compared to nothing.
    """
    then, now = files_below(old, options), files_below(new, options)
    before, after = Operand.of_file(old), Operand.of_file(new)

    specs = [Pair(_side(before, name, then), _side(after, name, now)) for name in _specs_in(then, now)]
    return [*_pair_of_headers(before, then, after, now), *specs] if specs else [Pair(before, after)]


def header_pairs(
    old: Operand, new: Operand, options: ReadOptions
) -> list[tuple[Operand | EmptyOperand, Operand | EmptyOperand]]:
    """Find the headers of two directories one by one, each with the one of the same path.

    Args:
        old: a directory, or one at a git revision (`v1.2:include`).
        new: another.
        options: show what is in them, and say what is left out.

    Returns:
        OLD's and NEW's operand for each header, sorted by path; a side that does not have it is empty.
    """
    then, now = (_headers_in(folder, options) for folder in (old, new))

    return [(_side(old, name, then), _side(new, name, now)) for name in sorted({*then, *now})]


def _side(folder: Operand, name: str, there: Sequence[str]) -> Operand | EmptyOperand:
    """Return the operand for a path below a folder; an empty one if it is not among those that are there."""
    operand = folder.below(name)
    return operand if name in there else EmptyOperand(operand)


def is_folder(operand: Operand, options: ReadOptions) -> bool:
    """True if an operand is a directory, on disk or at a git revision."""
    if not operand.revision:
        return options.files.is_dir(operand.path)
    with closing(open_revision(operand.revision, options.files)) as past:
        return past.look(past.locate(operand.path)) == "directory"


def _headers_in(directory: Operand, options: ReadOptions) -> list[str]:
    """Return the headers below a directory, on disk or at a git revision, by their paths from it."""
    if not directory.revision:
        return [path for path in files_below(directory.path, options) if is_header(path)]
    with closing(open_revision(directory.revision, options.files)) as past:
        place = past.locate(directory.path)
        found = [path[len(place) :].lstrip("/") for path in past.files_below(place)]
    visible = (path for path in found if not any(part.startswith(".") for part in path.split("/")))
    return [path for path in visible if is_header(path) and not fits(path, options.exclude)]


def _specs_in(then: Iterable[str], now: Iterable[str]) -> list[str]:
    """Return the specs among the files of two directories, sorted."""
    return sorted({path for path in (*then, *now) if path.endswith(SPEC_SUFFIXES)})


def _pair_of_headers(
    old: Operand, then: Iterable[str], new: Operand, now: Iterable[str], remark: str = ""
) -> Iterator[Pair]:
    """Yield the headers of two directories as one pair, if there are any; a remark says that there were none."""
    had, has = (any(map(is_header, paths)) for paths in (then, now))
    if had or has:
        yield Pair(old if had else EmptyOperand(old), new if has else EmptyOperand(new), "" if had else remark)


def _open(revision: str, paths: Sequence[str | Operand], files: Files) -> Revision:
    """Find the revision; when the current directory is in no repository, say in which one the paths are."""
    try:
        return open_revision(revision, files)
    except AbigenError as error:
        elsewhere = [repository for path in paths if (repository := _repository_of(str(path), files))]
        if elsewhere and not _repository_of(os.curdir, files):
            message = f"{printable(absolute(os.curdir))} is not inside a git repository"
            raise AbigenError.at(None, message, f"run abigen in {printable(elsewhere[0])}") from None
        raise error


def _pairs_of(path: str | Operand, past: Revision, options: ReadOptions) -> Iterator[Pair]:
    """Yield the pairs of one path."""
    files = past.files
    operand = parse_operand(path, files)
    if operand.path == "-":
        raise AbigenError.at(None, "standard input has no older version", "name a file in the repository")
    if operand.revision:
        with closing(open_revision(operand.revision, files)) as present:
            place = present.locate(operand.path)
        yield Pair(Operand.at_revision(past.name, place, operand.release), operand)
        return
    place = _locate(operand, past)
    kind = past.look(place)
    if kind == "submodule":
        raise past.submodule_error(place)
    if files.is_dir(operand.path) or (kind == "directory" and not files.is_entry(operand.path)):
        yield from _pairs_below(operand.path, place, past, options)
    elif files.is_entry(operand.path):
        yield _pair_of_file(operand.path, place, past, operand.release, was_there=kind == "file")
    elif kind == "file":
        yield _pair_of_what_is_gone(place, past)
    else:
        refuse_missing(operand.path, FileNotFoundError(), files, f", now or at {printable(past.name)}")


def _pair_of_file(path: str, place: str, past: Revision, release: Version | None, *, was_there: bool) -> Pair:
    """Return a file that exists, and what it was."""
    old, new = Operand.at_revision(past.name, place, release), Operand.of_file(path, release)
    if was_there:
        return Pair(old, new)
    before = past.renamed(place) or _taken_over(path, past)
    if before:
        return Pair(Operand.at_revision(past.name, before, release), new, f"{path} was {before} at {past.name}")
    return Pair(EmptyOperand(old), new, f"{path} does not exist at {past.name}: all of its declarations are new")


def _taken_over(path: str, past: Revision) -> str:
    """Return the header that is gone and of whose names a new one has the most, half of them or more; empty for none.

    git sees no rename where most lines differ, and none of a file that nobody has added yet.
    """
    files = past.files
    if not is_header(path):
        return ""
    present, shares = _names(files.read(path)), {}
    for gone in past.changed(is_header):
        if past.look(gone) == "file" and not files.is_entry(posixpath.join(past.top, gone)):
            names = _names(past.read(gone))
            shares[gone] = len(names & present) / (len(names) or 1)
    best = max(shares, key=shares.__getitem__, default="")
    return best if best and shares[best] >= _HALF else ""


def _names(content: bytes) -> frozenset[bytes]:
    """Return the words of a header that are no comment."""
    return frozenset(_WORD.findall(_COMMENT.sub(b" ", content)))


def _pair_of_what_is_gone(place: str, past: Revision) -> Pair:
    """Return a file that only the revision has, and what became of it."""
    old = Operand.at_revision(past.name, place)
    after = past.renamed(place)
    shown = past.relative(place)
    if after:
        path = past.relative(after)
        return Pair(old, Operand.of_file(path), f"{shown} was renamed to {path}")
    absent = EmptyOperand(Operand.of_file(shown))
    return Pair(old, absent, f"{shown} no longer exists: all of its declarations were removed")


def _pairs_below(directory: str, place: str, past: Revision, options: ReadOptions) -> Iterator[Pair]:
    """Yield the headers of a directory as one pair, and each of its specs as another."""
    past.refuse_submodules(place)
    then = [path[len(place) :].lstrip("/") for path in past.files_below(place)]
    then = [path for path in then if not any(part.startswith(".") for part in path.split("/"))]
    then = [path for path in then if not fits(path, options.exclude)]
    now = files_below(directory, options) if past.files.is_dir(directory) else []
    remark = f"{directory} has no header at {past.name}: all of its declarations are new"
    before = Operand.at_revision(past.name, place or ".")
    headers = list(_pair_of_headers(before, then, Operand.of_file(directory), now, remark))
    specs = _specs_in(then, now)
    if not headers and not specs:
        raise AbigenError.at(None, f"there is no header or spec in {printable(directory)}, now or at {past.name}")
    yield from headers
    for name in specs:
        path, earlier = posixpath.join(directory, name), posixpath.join(place, name)
        if name in now:
            yield _pair_of_file(path, earlier, past, None, was_there=name in then)
        else:
            yield _pair_of_what_is_gone(earlier, past)


def _locate(operand: Operand, past: Revision) -> str:
    """Return the path of a file below the top of the repository; links in its last part are not followed.

    Raises:
        AbigenError: it is outside of the repository, or in a submodule.
    """
    path, files = operand.path, past.files
    whole = absolute(path)
    parent, name = (whole, "") if files.is_dir(whole) and not files.is_link(whole) else posixpath.split(whole)
    folder = past.inside(parent)
    if folder is None:
        _explain_outside(path, parent, past)
    above = files.real(parent)
    while above != past.top:
        if files.is_entry(posixpath.join(above, ".git")):
            inner = printable(past.relative(past.inside(above) or ""))
            message = f"{printable(path)} is in {inner}, a repository of its own"
            raise AbigenError.at(None, message, f"run abigen in {inner}, with one of its own revisions")
        above = posixpath.dirname(above)
    return posixpath.join(folder, name) if name else folder


def _explain_outside(path: str, parent: str, past: Revision) -> NoReturn:
    """Raise the error for a path that is not in the working tree."""
    if not past.top:
        raise AbigenError.at(None, "a bare repository has no working tree", f"write `HEAD:{printable(path)}`")
    other = _repository_of(parent, past.files)
    hint = "it is not in a repository; compare it with another file: `abigen diff OLD NEW`"
    if other:
        hint = f"it is in another one: run abigen in {printable(other)}"
    raise AbigenError.at(None, f"{printable(path)} is outside of the repository {past.top}", hint)


def _repository_of(path: str, files: Files) -> str:
    """Return the top of the working tree that a path is in; empty when it is in none."""
    real = Path(files.real(path))
    return next((str(each) for each in (real, *real.parents) if files.is_entry(each / ".git")), "")
