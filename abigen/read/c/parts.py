"""Which included files belong to an API besides those that the operand names.

A header that declares nothing itself stands for what it includes from its own folder; `--own` says otherwise.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from posixpath import dirname, join

from abigen.files import absolute
from abigen.links import is_below
from abigen.model.span import AbigenError, Diagnostic, Span
from abigen.read.c.unit import Token, Unit
from abigen.read.operand import decode, fits
from abigen.read.options import ReadOptions, SourceFile

_MOST_NAMED = 40
_ASSERTIONS = ("_Static_assert", "static_assert")
_LINKAGE = ("extern", '"C"', "{", "}", ";")


def parts_of(
    sources: Sequence[SourceFile], units: Sequence[Unit], options: ReadOptions
) -> tuple[list[SourceFile], list[Diagnostic]]:
    """The included files whose declarations are the API's own.

    Args:
        sources: the files that the operand names.
        units: these, preprocessed.
        options: say which files are meant, and show them.

    Returns:
        The files, to be read where they are included, and what the report says of them.

    Raises:
        AbigenError: one cannot be read.
    """
    if not options.own and any(map(_declares, units)):
        return [], []
    included = dict.fromkeys(absolute(path) for unit in units for path in unit.dependencies)
    system = {absolute(path) for unit in units for path in unit.system_files}
    for source in sources:
        included.pop(absolute(source.path), None)
    folder = os.path.commonpath([_folder(source) for source in sources])
    own = [each for each in included if fits(each, options.own) or (not options.own and is_below(each, folder))]
    own = [each for each in own if not fits(os.path.relpath(each, folder), options.exclude)]
    from_top = [each for each in options.own if each.startswith("/")]  # the only way to mean a file of the system's
    parts = [_part(each, sources[0], options) for each in own if each not in system or fits(each, from_top)]
    others = [_name(each, sources[0], options) for each in included if each not in system]
    if parts:
        because = "" if options.own else " declares nothing itself, and"
        remark = f"{sources[0].name}{because} is judged together with {_some([part.name for part in parts])}"
    elif others:
        remark = f"{sources[0].name} declares no types or functions; not judged: {_some(others)}, for want of --own"
    else:
        return [], []
    return parts, [Diagnostic(Span(sources[0].name, 1, 1), remark, severity="note")]


def _some(names: Sequence[str]) -> str:
    """Names, as many as one reads."""
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(names[:_MOST_NAMED]) + more


def _declares(unit: Unit) -> bool:
    """Whether files of the API's own declare anything: assertions, and brackets for C++, declare nothing."""
    own = frozenset(unit.own_files)
    return any(
        token.kind != "pragma" and token.text not in _LINKAGE
        for token in _without_assertions(unit.tokens)
        if token.file in own
    )


def _without_assertions(tokens: Sequence[Token]) -> Iterator[Token]:
    """The tokens outside of static assertions."""
    depth = 0
    asserts = False
    for token in tokens:
        if not asserts and token.text in _ASSERTIONS:
            asserts = True
        elif asserts:
            depth += (token.text == "(") - (token.text == ")")
            asserts = depth > 0
        else:
            yield token


def _folder(source: SourceFile) -> str:
    """The folder that a source is in; what stands in no file is where abigen runs."""
    folder = dirname(source.path)
    return absolute(os.curdir) if folder == os.devnull else folder


def _part(path: str, source: SourceFile, options: ReadOptions) -> SourceFile:
    """An included file as a source that is read only where it is included."""
    name = _name(path, source, options)
    try:
        return SourceFile(name, path, decode(options.files.read(path), name), is_part=True)
    except OSError as error:
        raise AbigenError.at(None, f"{name} cannot be read: {error.strerror}") from None


def _name(path: str, source: SourceFile, options: ReadOptions) -> str:
    """What messages call a file, as the user has named the source that includes it."""
    name = options.display_name(path)
    if name != path:
        return name
    return os.path.normpath(join(dirname(source.name), os.path.relpath(path, _folder(source))))
