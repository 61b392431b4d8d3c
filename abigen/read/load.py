"""From an operand to the API that it names: finds the text, chooses the reader, and remembers what was read."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from abigen.model.api import Api, ApiGroup, ApiSet
from abigen.model.span import AbigenError, Diagnostic
from abigen.read.cache import READING_ENVIRONMENT, Cache, identity, open_cache
from abigen.read.evidence import (
    Evidence,
    absence_evidence,
    changed_since,
    content_evidence,
    digest,
    executable_evidence,
    listing_evidence,
)
from abigen.read.includes import mentions
from abigen.read.operand import (
    Found,
    Nothing,
    Operand,
    decode,
    find_on_disk,
    looks_like_spec,
    parse_operand,
    read_file,
    read_standard_input,
)
from abigen.read.options import ReadOptions, SourceFile

_COMPILERS = ("cc", "gcc", "clang")
"""Names that a compiler is looked for under (`abigen.read.c.preprocessor.compiler` says in which order)."""


@dataclass(frozen=True)
class Loaded:
    """An API, and what it rests on."""

    api: ApiSet
    evidence: Evidence | None
    """None when something that files do not show decided what it is: standard input, or a git revision."""


def load(operand: str, options: ReadOptions) -> ApiSet:
    """Read the API that an operand names.

    Args:
        operand: `x.h`, `x.yaml`, `x.yaml@1.2.0`, `REV:path`, a directory (all headers below it), or `-`.
        options: how to read it; with `options.cache` an API that has been read before is taken from the user's cache
            as long as none of the files that it was made of has changed.

    Raises:
        AbigenError: there is no such file or revision, or what it holds is wrong.
    """
    return load_with_evidence(operand, options).api


def load_with_evidence(operand: str, options: ReadOptions) -> Loaded:
    """Read the API that an operand names, and say what would have to change for it to become another.

    Args:
        operand: see `load`.
        options: see `load`.

    Raises:
        AbigenError: there is no such file or revision, or what it holds is wrong.
    """
    moment = time.time_ns()
    wanted = parse_operand(operand)
    cache = open_cache() if options.cache else None
    if wanted.revision:
        return Loaded(_load_revision(wanted, options, cache), None)
    if wanted.path == "-":
        return Loaded(_load_content(wanted, read_standard_input(), options, cache), None)
    if not os.path.isdir(wanted.path) and os.path.exists(wanted.path) and not os.path.isfile(wanted.path):
        # A pipe (`<(command)`) can be read once, the compiler would find it empty.
        return Loaded(_load_content(wanted, read_file(wanted.path), options, cache), None)
    found = find_on_disk(wanted)
    if found.directories:  # the top of a tree of headers is where they find each other
        options = replace(options, include_dirs=(*options.include_dirs, wanted.path))
    api, evidence = _read(wanted, found, options, cache, _key(wanted, found, options), moment)
    return Loaded(api, evidence)


def load_all(
    operands: Sequence[str | Nothing], options: ReadOptions, announce: Callable[[str], None] | None = None
) -> list[Loaded]:
    """Read several operands, and report what is wrong in all of them at once.

    Args:
        operands: see `load`; at most one of them is standard input. `Nothing` is read as an API without anything.
        options: see `load`; they hold for each.
        announce: is told what is being read, before it is: `reading api.h`.

    Raises:
        AbigenError: with everything that is wrong in any of them.
    """
    if sum(operand == "-" for operand in operands) > 1:
        raise AbigenError.at(None, "standard input can be read only once")
    loaded: list[Loaded] = []
    diagnostics: dict[Diagnostic, None] = {}
    for number, operand in enumerate(operands, 1):
        if announce is not None:
            announce(f"reading {operand}" + (f" ({number} of {len(operands)})" if len(operands) > 2 else ""))
        try:
            if isinstance(operand, Nothing):
                loaded.append(Loaded(_empty(operand.name, options), None))
            else:
                loaded.append(load_with_evidence(operand, options))
        except AbigenError as error:
            diagnostics.update(dict.fromkeys(error.diagnostics))
    if diagnostics:
        raise AbigenError(tuple(diagnostics))
    return loaded


def _empty(name: str, options: ReadOptions) -> ApiSet:
    """The API of a file that does not exist."""
    return ApiSet((ApiGroup(options.targets, Api(name=name, files=(name,))),), {name: ""})


def _load_revision(operand: Operand, options: ReadOptions, cache: Cache | None) -> ApiSet:
    """Read an operand at a git revision; one that is remembered needs no file of the revision."""
    moment = time.time_ns()
    from abigen.read.git import open_revision

    revision = open_revision(operand.revision)
    parts = ["revision", revision.tree, revision.top, revision.prefix, operand.text, *_surroundings(options)]
    key = digest(os.fsencode(part) for part in parts)
    remembered = _recall(cache, key)
    if remembered is not None:
        return remembered[0]

    from tempfile import TemporaryDirectory

    from abigen.read.revision import check_out

    with TemporaryDirectory(prefix="abigen-") as directory:
        folder = os.path.realpath(directory)
        found, mapped = check_out(operand, revision, options, folder)
        return _read(operand, found, mapped, cache, key, moment, own_folder=folder)[0]


def _load_content(operand: Operand, content: bytes, options: ReadOptions, cache: Cache | None) -> ApiSet:
    """Read a text that stands in no file; what it includes is looked for from the current directory."""
    moment = time.time_ns()
    from tempfile import TemporaryDirectory

    text = decode(content, operand.text, is_spec=operand.is_spec)
    is_spec = operand.is_spec or looks_like_spec(text)
    if is_spec:
        text = decode(content, operand.text, is_spec=True)
    with TemporaryDirectory(prefix="abigen-") as directory:
        folder = os.path.realpath(directory)
        path = os.path.join(folder, "input.yaml" if is_spec else "input.h")
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        found = Found((SourceFile(operand.text, path, text),), is_spec=is_spec)
        here = replace(options, include_dirs=(os.getcwd(), *options.include_dirs))
        return _read(operand, found, here, cache, _key(operand, found, options), moment, own_folder=folder)[0]


def _read(
    operand: Operand,
    found: Found,
    options: ReadOptions,
    cache: Cache | None,
    key: str,
    moment: int,
    own_folder: str = "",
) -> tuple[ApiSet, Evidence | None]:
    """Read sources, or remember what they were read as.

    `moment` is a time before they were looked at; `own_folder` a temporary directory, whose files prove nothing.
    """
    remembered = _recall(cache, key)
    if remembered is not None:
        return remembered
    if found.is_spec:
        from abigen.read.spec.reader import read_spec

        api = read_spec(found.sources[0], options, operand.release)
    elif operand.release is not None:
        raise AbigenError.at(None, f"`{operand.text}`: only a spec knows its releases")
    else:
        from abigen.read.c.reader import read_headers

        api = read_headers(found.sources, options)
    evidence = _gather_evidence(operand, api, found, options, own_folder)
    if evidence is None or changed_since(evidence, moment):
        return api, None
    if cache is not None:
        _remember(cache, key, api, evidence)
    return api, evidence


def _recall(cache: Cache | None, key: str) -> tuple[ApiSet, Evidence] | None:
    """What was read before under this key, if it still holds."""
    entry = cache.get(key) if cache is not None else None
    if entry is None:
        return None
    return _unpickled(entry[0]), entry[1]


def _unpickled(payload: bytes) -> ApiSet:
    import pickle

    api = pickle.loads(payload)
    assert isinstance(api, ApiSet)
    return api


def _remember(cache: Cache, key: str, api: ApiSet, evidence: Evidence) -> None:
    """Keep what was read; types nested too deeply for pickle are read anew each time."""
    import pickle

    try:
        cache.put(key, pickle.dumps(api, pickle.HIGHEST_PROTOCOL), evidence)
    except RecursionError:
        return


def _key(operand: Operand, found: Found, options: ReadOptions) -> str:
    """The digest of everything that is known before reading."""
    texts = [part for source in found.sources for part in (source.name, source.text)]
    parts = ["file", operand.text, str(operand.release), *texts, *_surroundings(options)]
    return digest(part.encode("utf-8", "surrogateescape") for part in parts)


def _surroundings(options: ReadOptions) -> list[str]:
    """What else decides how a text is read: abigen itself, the options, the environment."""
    settings = [options.targets, options.include_dirs, options.defines, options.undefines, options.std, options.cc]
    environment = [f"{name}={os.environ.get(name)}" for name in READING_ENVIRONMENT]
    return [identity(), repr(settings), os.getcwd(), *environment]


def _gather_evidence(
    operand: Operand, api: ApiSet, found: Found, options: ReadOptions, own_folder: str
) -> Evidence | None:
    """What an API rests on; None when its reader did not say what it has read."""
    read = {os.path.realpath(path) for path in api.dependencies}
    if not read.issuperset(os.path.realpath(source.path) for source in found.sources):
        return None
    kept = [
        path
        for path in api.dependencies
        if not own_folder or not os.path.realpath(path).startswith(own_folder + os.path.sep)
    ]
    evidence = content_evidence(kept) | absence_evidence([operand.text])
    for directory in found.directories:
        evidence |= listing_evidence(directory)
    if not found.is_spec:
        evidence |= absence_evidence(_shadowing(kept, options.include_dirs))
        for path in _compilers(options):
            evidence |= executable_evidence(path)
    return evidence


def _shadowing(paths: Sequence[str], include_dirs: Sequence[str]) -> Iterator[str]:
    """Where a new file would be included instead of one that was, or by a `__has_include` that failed."""
    for path in paths:
        try:
            with open(path, encoding="utf-8", errors="surrogateescape") as file:
                text = file.read()
        except OSError:
            continue
        for name, near in mentions(text):
            if name:
                folders = (os.path.dirname(path), *include_dirs) if near else include_dirs
                yield from (os.path.join(folder, name) for folder in folders)


def _compilers(options: ReadOptions) -> Iterator[str]:
    """Where a compiler is, or would be found before the others if one were put there."""
    chosen = (options.cc or "").split()[:1]
    names = dict.fromkeys((*chosen, *_COMPILERS))
    suffix = ".exe" if os.name == "nt" else ""
    for name in names:
        if os.path.dirname(name):
            yield name
            continue
        for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
            yield os.path.join(folder, name + suffix)
