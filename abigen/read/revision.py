"""Headers and specs of a git revision, put on disk with what they include, because a compiler reads only files."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterator
from dataclasses import replace

from abigen.model.span import AbigenError
from abigen.read.git import Revision
from abigen.read.includes import mentions
from abigen.read.operand import Found, Operand, decode, is_header, is_hidden, no_headers, printable
from abigen.read.options import ReadOptions, SourceFile

_USES = re.compile(r"^uses[ \t]*:(.*(?:\n(?:[ \t-].*)?)*)", re.MULTILINE)
_USED = re.compile(r"[\w./+-]*\w")


def check_out(operand: Operand, revision: Revision, options: ReadOptions, directory: str) -> tuple[Found, ReadOptions]:
    """Write what an operand names at a revision below a directory that mirrors the repository, and all it includes.

    Includes are followed as a preprocessor searches for them, in all branches of `#if`. Include directories inside the
    working tree mean their state at the revision; those that the revision does not have (a build's output, say) stay.

    Args:
        operand: at a revision.
        revision: the tree that it names.
        options: as the user gave them.
        directory: empty, and the caller's to remove.

    Returns:
        What was found, and the options to read it with.

    Raises:
        AbigenError: the path does not exist at the revision, or is no text.
    """
    path = revision.locate(operand.path)
    mapped, searched = _map_include_dirs(revision, options, directory)
    kind = revision.kind_of(path) if path else "tree"
    if kind == "tree":
        names = revision.files_below(path)
        paths = [each for each in names if not is_hidden(each[len(path) :]) and is_header(posixpath.basename(each))]
        if not paths:
            raise no_headers(f"{revision.name}:{path}", [each[len(path) :].lstrip("/") for each in names])
        paths.sort(key=lambda each: each.split("/"))
        searched = (*searched, path)  # the top of a tree of headers is where they find each other
        mapped = (*mapped, os.path.join(directory, *path.split("/")))
    elif kind == "blob":
        paths = [path]
    else:
        revision.explain_missing(path)
    contents = _closure(revision, paths, searched)
    for each, content in contents.items():
        target = os.path.join(directory, *each.split("/"))
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "wb") as file:
            file.write(content)
    sources = []
    for each in paths:
        name = f"{revision.name}:{each}"
        if each not in contents:
            raise AbigenError.at(None, f"{printable(name)} is not a file")
        text = decode(contents[each], name, is_spec=operand.is_spec)
        sources.append(SourceFile(name, os.path.join(directory, *each.split("/")), text))
    aliases = (*options.aliases, (directory + os.path.sep, f"{revision.name}:"))
    found = Found(tuple(sources), is_spec=operand.is_spec and kind == "blob")
    return found, replace(options, include_dirs=mapped, aliases=aliases)


def _map_include_dirs(
    revision: Revision, options: ReadOptions, directory: str
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Include directories as they are to be searched on disk, and those of them that are in the tree, from the top."""
    mapped: list[str] = []
    searched: list[str] = []
    for each in options.include_dirs:
        inside = revision.inside(each)
        if inside is not None and (not inside or revision.kind_of(inside) == "tree"):
            searched.append(inside)
            mapped.append(os.path.join(directory, *inside.split("/")))
        else:
            mapped.append(each)
    return tuple(mapped), tuple(searched)


def _closure(revision: Revision, paths: list[str], searched: tuple[str, ...]) -> dict[str, bytes]:
    """Files and all that they include or use, directly or not, as far as the tree has it."""
    contents: dict[str, bytes] = {}
    asked: set[str] = set()
    wanted = list(paths)
    while wanted:
        asked.update(wanted)
        fresh = revision.read(wanted)
        contents.update(fresh)
        candidates: dict[str, None] = {}
        for path, content in fresh.items():
            text = content.decode("utf-8", "surrogateescape")
            mentions = (
                _used(path, text) if path.endswith((".yaml", ".yml")) else _included(revision, path, text, searched)
            )
            candidates.update(dict.fromkeys(mentions))
        wanted = [each for each in candidates if each not in asked and not each.startswith("../")]
    return contents


def _included(revision: Revision, path: str, text: str, searched: tuple[str, ...]) -> Iterator[str]:
    """Where the files that a header includes may be, from the top."""
    folder = posixpath.dirname(path)
    for name, near in mentions(text):
        folders = (folder, *searched) if near else searched
        if name:
            yield from (posixpath.normpath(posixpath.join(each, name)) for each in folders)
        else:  # the name comes out of a macro: whatever is a header there may be meant
            for each in folders:
                yield from filter(is_header, revision.files_below(each))


def _used(path: str, text: str) -> Iterator[str]:
    """Where the specs that a spec uses may be, from the top."""
    folder = posixpath.dirname(path)
    for block in _USES.findall(text):
        for name in _USED.findall(block):
            base = posixpath.normpath(posixpath.join(folder, name))
            yield from (base, base + ".yaml", base + ".yml")
