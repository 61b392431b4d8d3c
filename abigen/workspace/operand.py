"""Parses operands: a file, a directory, standard input, or one of them at a git revision or a release."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from posixpath import basename, join, split
from select import select
from typing import ClassVar, NoReturn

import msgspec
from msgspec.structs import replace

from abigen.model.span import AbigenError, Span, printable, similar_names
from abigen.model.version import Version
from abigen.workspace.files import MAX_BYTES, Files, absolute, is_below, refuse_leading_out, typed
from abigen.workspace.options import ReadOptions, Side, SourceFile

SPEC_SUFFIXES = (".yaml", ".yml")
HEADER_SUFFIX = ".h"
_PATHS = ("/", "./", "../")
"""The beginnings of operands that have no revision: git has no revision with such a name."""
_PATIENCE = 5.0
"""Seconds in which somebody has to begin to write to a pipe."""


class Operand(msgspec.Struct, frozen=True):
    """An operand taken apart. What abigen finds itself is such a value, and never a text that is taken apart again."""

    text: str
    """The operand as the user wrote it, or would write it."""
    path: str
    """`-` for standard input; below `revision` the path as git takes it: from the top, or from here after `./`."""
    revision: str = ""
    """A git revision; empty for what stands on disk."""
    release: Version | None = None
    """The release to read a spec at."""

    @classmethod
    def of_file(cls, path: str, release: Version | None = None) -> Operand:
        """Return the operand for a path on disk, whatever its name looks like."""
        return cls(f"{path}@{release}" if release is not None else path, path, "", release)

    @classmethod
    def at_revision(cls, revision: str, path: str, release: Version | None = None) -> Operand:
        """Return the operand for a path from the top at a git revision."""
        return cls(f"{revision}:{path}" + (f"@{release}" if release is not None else ""), path, revision, release)

    def __str__(self) -> str:
        return self.text

    @property
    def is_on_disk(self) -> bool:
        """True if it names files of the working tree, which can be edited."""
        return not self.revision and self.path != "-"

    @property
    def is_spec(self) -> bool:
        """True if the name says that it is a spec."""
        return self.path.endswith(SPEC_SUFFIXES)

    def at_release(self, release: Version) -> Operand:
        """Return the operand for this spec at a release."""
        return replace(self, text=f"{self.text}@{release}", release=release)

    def below(self, path: str) -> Operand:
        """Return the operand for a path below this directory."""
        whole = join(self.path, path)
        return Operand.at_revision(self.revision, whole) if self.revision else Operand.of_file(whole)


class EmptyOperand(msgspec.Struct, frozen=True):
    """Takes the place of an operand on the side on which a file does not exist: an API without anything in it."""

    absent: Operand
    """The operand that names nothing."""
    is_on_disk: ClassVar = False

    def __str__(self) -> str:
        return self.absent.text


class Sources(msgspec.Struct, frozen=True):
    """The files that an operand names."""

    files: tuple[SourceFile, ...]
    is_spec: bool
    is_directory: bool = False


def parse_operand(operand: str | Operand, files: Files) -> Operand:
    """Take an operand apart: `x.h`, `x.yaml`, `x.yaml@1.2.0`, `REV:path`, a directory, or `-`.

    A single letter before a colon and a slash is a drive of Windows. A path that begins with `/`, `./` or `../` has no
    revision.

    Args:
        operand: as it stands on the command line; an operand that is taken apart is returned as it is.
        files: shows what exists.

    Raises:
        AbigenError: it is empty, the release is no version, or it names a file and a revision or release as well:
            whoever can add a file to the project must not decide which of them is read.
    """
    if isinstance(operand, Operand):
        return operand
    if not operand:
        raise AbigenError.at(None, "the name of a header or spec is empty")
    if "\0" in operand:
        raise AbigenError.at(None, f"`{printable(operand)}` cannot be a file's name")
    is_file = operand == "-" or files.is_entry(operand)
    revision, path = ("", operand) if operand.startswith(_PATHS) else _split_revision(operand, is_file=is_file)
    base, at, version = path.rpartition("@")
    is_release = bool(at) and base.endswith(SPEC_SUFFIXES) and os.sep not in version
    if is_file:
        if revision:
            _refuse_ambiguous_revision(operand, revision, path, files)
        elif is_release and files.is_entry(base):
            message = f"`{printable(operand)}` names a file, and release {printable(version)} of {printable(base)}"
            raise AbigenError.at(None, message, "rename the file, or name it from its folder's parent")
        return Operand(operand, operand)
    release = parse_release(version, operand) if is_release else None
    return Operand(operand, base if is_release else path, revision, release)


def _refuse_ambiguous_revision(text: str, revision: str, path: str, files: Files) -> None:
    """Refuse the name of a file that git may read as a revision and a path, if there is such a revision.

    Raises:
        AbigenError: there is.
    """
    from abigen.workspace.git_process import run_git

    if revision.startswith("-") or "\n" in revision:
        return
    files.do_not_store()  # there may be such a revision next time
    try:
        result = run_git(["rev-parse", "--verify", "--quiet", f"{revision}^{{tree}}"])
    except AbigenError:  # git is not installed
        return
    if result.returncode == 0:
        tree = result.stdout.decode().strip()
        message = f"`{printable(text)}` names a file, and {printable(path)} at the git revision {printable(revision)}"
        hint = f"write `./{printable(text)}` for the file, or `{tree}:{printable(path)}` for the revision"
        raise AbigenError.at(None, message, hint)


def find_sources(path: str, options: ReadOptions) -> Sources:
    """Read the files that an operand names.

    Args:
        path: a file or directory.
        options: show the files, and say what messages call them.

    Raises:
        AbigenError: there is no such file, it cannot be read, or it is no text; a directory holds no header.
    """
    files = options.files
    if files.is_dir(path):
        return _find_below(path, options)
    refuse_leading_out(path, files)
    is_spec = path.endswith(SPEC_SUFFIXES)
    try:
        return Sources((_source(path, options, is_spec=is_spec),), is_spec)
    except OSError as error:
        refuse_missing(options.display_name(path), error, files)


def read_once(path: str, files: Files) -> bytes:
    """Return the content of standard input or a pipe; `decode` refuses more than `MAX_BYTES`.

    Raises:
        AbigenError: it cannot be read.
    """
    files.do_not_store()
    if path == "-":
        return sys.stdin.buffer.read(MAX_BYTES + 1)
    try:
        # A pipe with a name opens only when somebody writes to it, unless it is opened without waiting.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        with os.fdopen(descriptor, "rb") as file:
            if not select([file], [], [], _PATIENCE)[0]:
                message = f"{printable(path)} is a pipe that no process writes to"
                raise AbigenError.at(None, message, f"abigen has waited for {_PATIENCE:.0f} seconds")
            os.set_blocking(descriptor, True)
            return file.read(MAX_BYTES + 1)
    except OSError as error:
        raise AbigenError.at(None, f"{printable(path)} cannot be read: {error.strerror}") from None


def decode(content: bytes, name: str, *, is_spec: bool = False) -> str:
    """Return the text of a header or spec: UTF-8 with or without a mark; a header that is not UTF-8 is read as Latin-1.

    Line ends become `\\n`; lines and columns stay what they are in the file.

    Args:
        content: the file's bytes.
        name: what messages call it.
        is_spec: whether it has to be UTF-8.

    Raises:
        AbigenError: it is longer than `MAX_BYTES`, or no text.
    """
    if len(content) > MAX_BYTES:
        raise AbigenError.at(None, f"{printable(name)} is too long", f"the limit is {MAX_BYTES // 1024 // 1024} MiB")
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise AbigenError.at(Span(name, 1, 1), "the file is UTF-16", "save it as UTF-8")
    zero = content.find(b"\0")
    if zero >= 0:
        line = content.count(b"\n", 0, zero) + 1
        raise AbigenError.at(Span(name, line, 1), "a NUL byte: this is not a text file")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        if is_spec:
            from abigen.workspace.document.tree import decode as decode_spec

            return decode_spec(name, content)
        text = content.decode("latin-1")
    return text.replace("\r\n", "\n")


def looks_like_spec(text: str) -> bool:
    """True if a text without a name is a spec: a line of it states the version of the spec language."""
    return re.search(r"^abigen[ \t]*:", text, re.MULTILINE) is not None


def fits(path: str, globs: Iterable[str]) -> bool:
    """True if one of some globs means a file: its name, the end of its path, or a directory on the way to it.

    Args:
        path: the file's.
        globs: `*_impl.h`, `detail/*.h`, `detail`; one that begins with `/` has to fit the whole path.
    """
    whole = "/" + path.replace(os.sep, "/").lstrip("/")
    wanted = (each.removeprefix("./").rstrip("/") for each in globs)
    ends = (each if each.startswith("/") else f"*/{each}" for each in wanted)
    return any(fnmatchcase(whole, each) or fnmatchcase(whole, f"{each}/*") for each in ends)


def baseline_names(old: Operand | EmptyOperand) -> tuple[str, ...]:
    """Return the names that a configuration may use for a baseline: the operand, its git revision, its release."""
    operand = old.absent if isinstance(old, EmptyOperand) else old
    release = str(operand.release) if operand.release is not None else ""
    return (operand.text, *(name for name in (operand.revision, release) if name))


def is_header(name: str) -> bool:
    """True if a directory as an operand means this file, a path, too."""
    return name.endswith(HEADER_SUFFIX) and not basename(name).startswith(".")


def apis_in(text: str, options: ReadOptions) -> list[Operand]:
    """Return the operands that one stands for: a directory means its headers, together, and each of its specs."""
    operand = parse_operand(text, options.files)
    if operand.revision or not options.files.is_dir(operand.path):
        return [operand]
    names = files_below(operand.path, options)
    specs = [operand.below(name) for name in names if name.endswith(SPEC_SUFFIXES)]
    return [operand, *specs] if not specs or any(map(is_header, names)) else specs


def files_below(directory: str, options: ReadOptions) -> list[str]:
    """Return paths from a directory, with `/` between their parts, of the files below it that it means, sorted.

    That are all that are neither hidden nor excluded.

    Raises:
        AbigenError: a directory cannot be listed: what is in it may be half of the API; or it is a link that leads out.
    """
    refuse_leading_out(directory, options.files)
    try:
        return [each for each in options.files.below(directory) if not fits(each, options.exclude)]
    except OSError as error:
        raise AbigenError.at(None, f"{printable(str(error.filename))} cannot be read: {error.strerror}") from None


def refuse_missing(path: str, error: OSError, files: Files, where: str = "", kind: str = "file") -> NoReturn:
    """Say why a path cannot be used, and what may have been meant.

    Args:
        path: as the user wrote it.
        error: what the system says of it.
        files: shows what exists.
        where: where else it was looked for: `, now or at main`.
        kind: what it should be: `file` or `directory`.

    Raises:
        AbigenError: always.
    """
    if not isinstance(error, (FileNotFoundError, NotADirectoryError)):
        raise AbigenError.at(None, f"{printable(path)} cannot be read: {error.strerror}") from None
    directory, name = split(path.rstrip("/" + os.sep))
    try:
        names = files.names(directory or ".")
    except OSError:
        raise AbigenError.at(None, f"there is no directory {printable(directory)}{where}") from None
    prefix = join(directory, "") if directory else ""
    hint = similar_names(name, names, prefix)
    raise AbigenError.at(None, f"there is no {kind} {printable(path)}{where}", hint) from None


def _split_revision(text: str, *, is_file: bool) -> tuple[str, str]:
    """Return revision and path of `REV:path`; the revision is empty when there is none.

    Raises:
        AbigenError: it cannot be one, and there is no file of this name.
    """
    if text[1:2] == ":" and text[0].isascii() and text[0].isalpha() and text[2:3] in ("/", "\\"):
        return "", text
    depth = 0
    for position, character in enumerate(text):
        depth += (character == "{") - (character == "}")
        if character == ":" and depth == 0:
            if is_file:
                return text[:position], text[position + 1 :]
            if text.startswith("://", position):
                raise AbigenError.at(None, f"`{printable(text)}` is a URL; abigen reads files", "download it first")
            if position == 0:
                raise AbigenError.at(None, f"`{printable(text)}` has no revision before the colon")
            return text[:position], text[position + 1 :]
    return "", text


def parse_release(version: str, text: str) -> Version:
    """Return the release of `x.yaml@1.2.0`.

    Raises:
        AbigenError: it is no version.
    """
    parts = version.split(".")
    if len(parts) in (2, 3) and all(part.isascii() and part.isdecimal() and len(part) < 10 for part in parts):
        return Version(*map(int, parts))
    message = f"`{printable(version)}` in `{printable(text)}` is not a release"
    raise AbigenError.at(None, message, "write it as MAJOR.MINOR.PATCH, for example `api.yaml@1.2.0`")


def _find_below(directory: str, options: ReadOptions) -> Sources:
    """Return all headers below a directory, sorted by their path from it; hidden files and directories are left out."""
    files = options.files
    found = files_below(directory, options)
    headers = [join(directory, each) for each in sorted(found, key=lambda each: each.split("/")) if is_header(each)]
    # A pipe or a device among headers would never end; a broken link is told of below.
    headers = [path for path in headers if files.is_file(path) or not files.exists(path)]
    if not headers:
        shown = options.display_name(join(directory, ""))
        name = directory if shown == join(directory, "") else shown.rstrip("/")
        specs = [join(name, each) for each in found if each.endswith(SPEC_SUFFIXES)]
        hint = (
            f"name the spec itself: `{specs[0]}`"
            if specs
            else "--exclude may leave them out"
            if options.exclude
            else ""
        )
        raise AbigenError.at(None, f"there is no header (*{HEADER_SUFFIX}) in {printable(name)} or below it", hint)
    sources: list[SourceFile] = []
    for path in headers:
        refuse_leading_out(path, files, directory)
        try:
            sources.append(_source(path, options))
        except OSError as error:
            name = printable(options.display_name(path))
            raise AbigenError.at(None, f"{name} cannot be read: {error.strerror}") from None
    return Sources(tuple(sources), is_spec=False, is_directory=True)


def _source(path: str, options: ReadOptions, *, is_spec: bool = False) -> SourceFile:
    """Return a header or a spec; its path is made absolute, without `..`."""
    name = options.display_name(path)
    return SourceFile(name, absolute(path), decode(options.files.read(path), name, is_spec=is_spec))


def options_of_sides(
    pair: Sequence[Operand | EmptyOperand], options: ReadOptions, includes: Sequence[Sequence[str]]
) -> list[ReadOptions]:
    """Return the reading options of OLD and of NEW: each searches its own tree first.

    A directory of the include path that is in the other side's tree stands for the one in the same place in one's own,
    as it does at a git revision.

    Args:
        pair: OLD and NEW.
        options: what holds for both.
        includes: `--old-include` and `--new-include`.
    """
    roots = _roots(pair, options.files)
    in_git = any((each.absent if isinstance(each, EmptyOperand) else each).revision for each in pair)
    found = []
    for name, own, other, mine in zip(("old", "new"), roots, roots[::-1], includes, strict=True):
        near = list(mine)
        for directory in options.include_dirs if own and other else ():
            twin = _in_own_tree(directory, own, other)
            near += [twin] if twin and options.files.is_dir(twin) else []
        include_dirs = tuple(dict.fromkeys((*near, *options.include_dirs)))
        preincludes = []
        for file in options.preincludes:
            twin = _in_own_tree(file, own, other) if own and other else ""
            preincludes.append(twin if twin and options.files.is_file(twin) else file)
        side = Side(name, tuple(mine), "" if own and is_below(own, other) else other, in_git)
        found.append(replace(options, include_dirs=include_dirs, preincludes=tuple(preincludes), side=side))
    return found


def _in_own_tree(path: str, own: str, other: str) -> str:
    """Return a path in the user's own tree, or its counterpart for a path in the other; empty for other paths."""
    whole = absolute(path)
    if is_below(whole, other) and not is_below(own, other):
        return typed(os.path.normpath(Path(own) / os.path.relpath(whole, other)))
    return path if is_below(whole, own) else ""


def _roots(pair: Sequence[Operand | EmptyOperand], files: Files) -> tuple[str, str]:
    """Return the folders in which the trees of OLD and NEW part; empty where they are not two trees on disk.

    What they call the same at the end is not told apart: `a/include/x.h` and `b/include/x.h` are in `a` and `b`.
    """
    if files.variable("GIT_DIFF_PATH_TOTAL"):  # git shows a file of a tree as one that stands alone somewhere
        return "", ""
    folders: list[list[str]] = []
    for operand in pair:
        if isinstance(operand, EmptyOperand) or operand.revision:
            return "", ""
        if not (files.is_dir(operand.path) or files.is_file(operand.path)):
            return "", ""
        whole = Path(absolute(operand.path))
        folders.append(list((whole if files.is_dir(whole) else whole.parent).parts))
    old, new = folders
    while old and new and old[-1] == new[-1]:
        old.pop()
        new.pop()
    return (str(Path(*old)), str(Path(*new))) if len(old) > 1 and len(new) > 1 else ("", "")
