"""Loads the API that an operand names: finds the text, chooses the reader, and stores the result."""

from __future__ import annotations

import gc
import os
import posixpath
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, closing
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from abigen.headers.conventions import USUAL_CONVENTIONS
from abigen.model.api import Api, ApiGroup, ApiSet
from abigen.model.span import AbigenError, Diagnostic, Span, printable
from abigen.workspace.files import Answers, Files, digest
from abigen.workspace.git import Revision, open_revision
from abigen.workspace.git_process import is_fetching
from abigen.workspace.git_repository import foreign_objects
from abigen.workspace.operand import (
    EmptyOperand,
    Operand,
    Sources,
    decode,
    find_sources,
    looks_like_spec,
    parse_operand,
    read_once,
    refuse_missing,
)
from abigen.workspace.options import ReadOptions, SourceFile
from abigen.workspace.result_cache import remember

if TYPE_CHECKING:
    from concurrent.futures import Executor

_LARGE = 1_000_000
"""Characters of headers from which on it pays to free at once what reading has left behind."""
_MOST_ERRORS = 20
"""The number of errors that are printed about a directory."""


def load(operand: str | Operand, options: ReadOptions) -> ApiSet:
    """Read the API that an operand names.

    Args:
        operand: `x.h`, `x.yaml`, `x.yaml@1.2.0`, `REV:path`, a directory (all headers below it), or `-`.
        options: how to read it; with `options.cache` an API that has been read before is taken from the user's cache
            as long as reading it again would give the same.

    Raises:
        AbigenError: there is no such file or revision, or what it holds is wrong.
    """
    _refuse_missing_dirs([operand], [options])
    return _load(operand, options)


def _load(operand: str | Operand, options: ReadOptions) -> ApiSet:
    """Read the API that an operand names, of which the include directories have been looked at."""
    files = options.files
    wanted = parse_operand(operand, files)
    path = wanted.path
    key = ["api", wanted.text, repr(replace(options, cache=True))]
    if wanted.revision:
        if not _is_object_name(wanted.revision):
            files.do_not_store()  # the name may stand for another tree next time
        with closing(open_revision(wanted.revision, files)) as revision:
            key += [revision.tree, revision.top, revision.prefix]
            # What git cannot read today it may have tomorrow, so that is no answer to keep.
            return _remembered(key, lambda: _read_revision(wanted, revision, options), options, refusals=False)
    if _is_stream(path, files):
        content = read_once(path, files)  # a pipe (`<(command)`) can be read once
        return _remembered([*key, digest([content])], lambda: _read_content(wanted, content, options), options)
    return _remembered(key, lambda: _read(wanted, find_sources(path, options), path, options), options)


def _is_stream(path: str, files: Files) -> bool:
    """True if what a path names can be read only once: standard input, or a pipe."""
    return path == "-" or (files.exists(path) and not files.is_file(path) and not files.is_dir(path))


def _is_object_name(revision: str) -> bool:
    """True if a revision is the whole name of an object, which stands for the same one for ever."""
    return re.fullmatch("[0-9a-f]{40}|[0-9a-f]{64}", revision) is not None


def load_all(
    operands: Sequence[str | Operand | EmptyOperand],
    options: ReadOptions | Sequence[ReadOptions],
    announce: Callable[[str], None] | None = None,
    jobs: int = 1,
) -> list[ApiSet]:
    """Read several operands, and report what is wrong in all of them at once.

    Args:
        operands, options, announce, jobs: see `load_each`.

    Raises:
        AbigenError: with everything that is wrong in any of them.
    """
    loaded, refused = load_each(operands, options, announce, jobs)
    raise_refusals(refused)
    return list(loaded.values())


def raise_refusals(refused: Mapping[int, AbigenError]) -> None:
    """Raise one error with everything that is wrong in operands that `load_each` could not read, if there are any.

    Raises:
        AbigenError: an operand could not be read.
    """
    if refused:
        raise AbigenError(tuple(dict.fromkeys(each for error in refused.values() for each in error.diagnostics)))


def load_each(
    operands: Sequence[str | Operand | EmptyOperand],
    options: ReadOptions | Sequence[ReadOptions],
    announce: Callable[[str], None] | None = None,
    jobs: int = 1,
) -> tuple[dict[int, ApiSet], dict[int, AbigenError]]:
    """Read several operands, of which some may be wrong.

    Args:
        operands: see `load`; at most one of them is standard input. `EmptyOperand` is read as an API without anything.
        options: see `load`; they hold for each, or there are as many.
        announce: is told what is being read, before it is: `reading api.h`.
        jobs: how many processes may read at a time.

    Returns:
        What was read, and why others could not be, each by its place among the operands.

    Raises:
        AbigenError: standard input is named twice, or an include directory is missing.
    """
    if sum(str(operand) == "-" for operand in operands) > 1:
        raise AbigenError.at(None, "standard input can be read only once")
    loaded: dict[int, ApiSet] = {}
    refused: dict[int, AbigenError] = {}
    of_each = [options] * len(operands) if isinstance(options, ReadOptions) else options
    _refuse_missing_dirs(operands, of_each)
    with _Readers(min(jobs, len(operands))) as readers:
        results = [readers.begin(*each) for each in zip(operands, of_each, strict=True)]
        for number, (operand, result) in enumerate(zip(operands, results, strict=True), 1):
            if announce is not None:
                announce(f"reading {operand}" + (f" ({number} of {len(operands)})" if len(operands) > 2 else ""))
            try:
                loaded[number - 1] = result()
            except AbigenError as error:
                refused[number - 1] = error
    return loaded, refused


class _Readers(ExitStack):
    """Reads operands, in processes of their own where there are to be several."""

    def __init__(self, processes: int) -> None:
        """Begin.

        Args:
            processes: how many read at a time.
        """
        super().__init__()
        self._processes = processes

    @cached_property
    def _pool(self) -> Executor:
        from abigen.workspace.python_children import process_pool

        return self.enter_context(process_pool(self._processes))

    def begin(self, operand: str | Operand | EmptyOperand, options: ReadOptions) -> Callable[[], ApiSet]:
        """Begin to read an operand; what is given waits for it, and raises what reading it raises."""
        if isinstance(operand, EmptyOperand):
            return partial(_empty, str(operand), options)
        if self._processes < 2:
            return partial(_load, operand, options)
        wanted = parse_operand(operand, options.files)
        if _is_stream(wanted.path, options.files) or (wanted.revision and is_fetching()):
            return partial(_load, wanted, options)
        reading = self._pool.submit(_load_apart, wanted, replace(options, files=Files()))

        def result() -> ApiSet:
            loaded, diagnostics, answers = reading.result()
            options.files.note(answers)
            if loaded is None:
                raise AbigenError(diagnostics)
            return loaded

        return result


def _load_apart(operand: Operand, options: ReadOptions) -> tuple[ApiSet | None, tuple[Diagnostic, ...], Answers]:
    """Read an operand in a process of its own: the API or what is wrong, and all that was asked of the file system."""
    with options.files.noted() as answers:
        try:
            return _load(operand, options), (), answers
        except AbigenError as error:
            return None, error.diagnostics, answers


def _refuse_missing_dirs(operands: Sequence[str | Operand | EmptyOperand], options: Sequence[ReadOptions]) -> None:
    """Refuse include directories that no operand has, on disk or at its revision.

    Raises:
        AbigenError: with all of them.
    """
    wanted = dict.fromkeys(each for one in options for each in one.include_dirs)
    missing = [each for each in wanted if not options[0].files.is_dir(each)]
    for operand in operands if missing else ():
        if isinstance(operand, EmptyOperand):
            continue
        revision = parse_operand(operand, options[0].files).revision
        if revision:
            with closing(open_revision(revision, options[0].files)) as tree:
                missing = [each for each in missing if tree.kind_of(tree.inside(each) or "") != "directory"]
    diagnostics: list[Diagnostic] = []
    for each in missing:
        try:
            refuse_missing(
                each.rstrip("/") or each, FileNotFoundError(), options[0].files, " to include from", "directory"
            )
        except AbigenError as error:
            diagnostics += error.diagnostics
    if diagnostics:
        raise AbigenError(diagnostics)


def _empty(name: str, options: ReadOptions) -> ApiSet:
    """Return the API of a file that does not exist."""
    return ApiSet(
        (ApiGroup(options.targets, Api(name=name, files=(name,), conventions=USUAL_CONVENTIONS)),), {name: ""}
    )


def _remembered(
    key: Sequence[str], read: Callable[[], ApiSet], options: ReadOptions, *, refusals: bool = True
) -> ApiSet:
    """Return the result that was read before under this key, if it still holds; else read now."""
    return remember(key, read, ApiSet, options.files, refusals=refusals) if options.cache else read()


def _read_revision(operand: Operand, revision: Revision, options: ReadOptions) -> ApiSet:
    """Read an operand at a git revision.

    Files and directories that the command line names inside the working tree mean their state at the revision; those
    that the revision does not have (a build's output, say) stay what they are on disk.
    """
    path = revision.locate(operand.path)
    top = f"{os.devnull}/{revision.tree}"  # no file can be there
    files = options.files
    with files.mounted(top, revision):
        if not files.is_file(f"{top}/{path}") and not files.is_dir(f"{top}/{path}"):
            revision.explain_missing(path)
        revision.refuse_submodules(path)

        def then(path: str, is_there: Callable[[str], bool]) -> str:
            inside = revision.inside(path)
            at_revision = f"{top}/{inside}".rstrip("/")
            return at_revision if inside is not None and is_there(at_revision) else path

        options = replace(
            options,
            include_dirs=tuple(then(each, files.is_dir) for each in options.include_dirs),
            preincludes=tuple(then(each, files.is_file) for each in options.preincludes),
            aliases=(*options.aliases, (f"{top}/", f"{revision.name}:")),
            checkouts=(*options.checkouts, (top, revision.top)),
        )
        whole = f"{top}/{path}".rstrip("/")
        read = _read(operand, find_sources(whole, options), whole, options)
        return _with_warning_of_objects(read, files)


def _with_warning_of_objects(read: ApiSet, files: Files) -> ApiSet:
    """Return what was read at a revision, with a warning if git also reads objects of other repositories."""
    folders = foreign_objects(files)
    if not folders:
        return read
    message = f"git also reads objects from {printable(', '.join(folders))}, as .git/objects/info/alternates states"
    first, *others = read.groups
    warning = Diagnostic(None, message, severity="warning")
    return replace(
        read, groups=(replace(first, api=replace(first.api, warnings=(*first.api.warnings, warning))), *others)
    )


def _read_content(operand: Operand, content: bytes, options: ReadOptions) -> ApiSet:
    """Read a text that stands in no file; what it includes is looked for from the current directory."""
    text = decode(content, operand.text, is_spec=operand.is_spec)
    is_spec = operand.is_spec or looks_like_spec(text)
    if is_spec:
        text = decode(content, operand.text, is_spec=True)
    nowhere = f"{os.devnull}/-"  # no file can be beside it
    sources = Sources((SourceFile(operand.text, nowhere, text),), is_spec=is_spec)
    here = replace(options, include_dirs=(str(Path.cwd()), *options.include_dirs))
    return _read(operand, sources, nowhere, here)


def _read(operand: Operand, found: Sources, path: str, options: ReadOptions) -> ApiSet:
    """Read sources that were found at a path."""
    if found.is_spec:
        from abigen.specs.spec_reader import read_spec

        return _with_entities(read_spec(found.files[0], options, operand.release), operand)
    if operand.release is not None:
        raise AbigenError.at(None, f"`{operand.text}`: only a spec states its releases")
    if found.is_directory:  # the top of a tree of headers is where they find each other
        options = replace(options, include_dirs=(*options.include_dirs, path))
    from abigen.headers.reader import read_headers
    from abigen.headers.targets import wrapped

    try:
        api = read_headers(found.files, options)
        if found.is_directory:
            folder = options.display_name(posixpath.join(path, ""))
            api = replace(api, groups=tuple(replace(each, api=replace(each.api, folder=folder)) for each in api.groups))
        if sum(len(each.text) for each in found.files) > _LARGE:
            gc.collect()  # syntax trees refer to each other, and nobody collects cycles otherwise
        has_parts = len(api.sources) > len(found.files)
        names = [] if options.own and not has_parts else wrapped(api)
        is_empty = not any(group.api.declares for group in api.groups)
        if names and (is_empty or not has_parts):
            return _with_note_of_includes(api, operand, names)
        return _with_entities(api, operand)
    except AbigenError as error:
        if len(error.diagnostics) <= _MOST_ERRORS:
            raise
        message = f"{len(error.diagnostics) - _MOST_ERRORS} more errors in {printable(operand.text)}"
        rest = Diagnostic(None, message, "--exclude GLOB leaves files out" if found.is_directory else "")
        raise AbigenError((*error.diagnostics[:_MOST_ERRORS], rest)) from None


def _with_note_of_includes(read: ApiSet, operand: Operand, names: Sequence[str]) -> ApiSet:
    """Return a header that only includes other files, with a note that these are not judged."""
    from abigen.headers.targets import some_names

    first = read.groups[0].api
    name = first.files[0] if len(first.files) == 1 else operand.text
    message = f"{name} declares nothing of its own; includes {some_names(names)}; --own GLOB judges included files"
    note = Diagnostic(Span(first.files[0], 1, 1), message, severity="note")
    told = replace(read.groups[0], api=replace(first, warnings=(*first.warnings, note)))
    return replace(read, groups=(told, *read.groups[1:]))


def refuse_empty(read: ApiSet, operand: str) -> None:
    """Refuse an API that declares nothing on any target: every later comparison with it would pass.

    Raises:
        AbigenError: nothing is declared.
    """
    if not any(group.api.declares for group in read.groups):
        hint = "name the files that declare the API (--own GLOB for included ones); is -D missing?"
        raise AbigenError.at(None, f"{printable(operand)} declares nothing", hint)


def _with_entities(read: ApiSet, operand: Operand) -> ApiSet:
    """Return what was read, or fail if it declares nothing on any target. The null device may be empty.

    Raises:
        AbigenError: it declares nothing.
    """
    if operand.path != os.devnull:
        refuse_empty(read, operand.text)
    return read
