"""Specs of vendors' headers: where the header is, what its spec says of it, and whether both still agree."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import TypeVar, cast

import msgspec
from msgspec.structs import replace

from abigen.checker.configuration import Configuration, configure
from abigen.model.api import Api, ApiGroup, ApiSet, Conventions
from abigen.model.contract import NO_CONTRACT, Party
from abigen.model.entities import Entity
from abigen.model.finding import Bump
from abigen.model.span import AbigenError, Diagnostic, printable, refuse_control_characters
from abigen.workspace.config.settings import Settings
from abigen.workspace.files import Files, absolute
from abigen.workspace.options import ReadOptions

E = TypeVar("E", bound=Entity)
_SYSTEM = ("/usr/local/include", "/usr/include")
"""Folders in which every compiler looks for headers."""
_MOST_ATTEMPTS = 12
"""The number of times that entities are removed from a spec that cannot be read."""
_INCLUDE = re.compile(r"^include (<[^<>]+>)$")
"""The hint of an error about a type that a standard header has."""
_INCOMPLETE = re.compile(r"the incomplete type 'struct (\w+)'")
_STRUCTS = {
    **dict.fromkeys(("tm", "timespec"), "<time.h>"),
    "stat": "<sys/stat.h>",
    "timeval": "<sys/time.h>",
    "sockaddr": "<sys/socket.h>",
}
"""Structs of POSIX to the headers that define them."""
_COMMENT = "The plugin API of {}, as abigen has read it. The header stays its vendor's."


class VendorSpec(msgspec.Struct, frozen=True, kw_only=True):
    """The spec of a vendor's header."""

    name: str
    text: str
    include: str
    """The header as it is included: `<ladspa.h>`."""
    files: tuple[str, ...]
    """The header and those that it includes from its own folder, unless every compiler finds them."""
    entries: tuple[str, ...]
    """Names of the entry points."""
    left_out: tuple[Diagnostic, ...]
    """The declarations of the header that the spec does not have."""
    questions: tuple[str, ...]


def vendor_spec(operand: str, name: str, entries: Sequence[str], configuration: Configuration) -> VendorSpec:
    """Write the spec of a vendor's header.

    Args:
        operand: names the header.
        name: of the spec; empty for that of the file.
        entries: names or declarations of the entry points; none to take the only one that there can be.
        configuration: how to read.

    Raises:
        AbigenError: the header cannot be read, or nobody knows its entry points; the message lists the candidates.
    """
    from abigen.generator.imported.document import document_of
    from abigen.generator.imported.keys import HeaderContext, holds_reserved_names
    from abigen.generator.imported.vendor_part import candidates, entry_point, is_listed, part_of, with_facts

    refuse_control_characters(operand)
    stem = name or "".join(each if each.isalnum() else "_" for each in PurePosixPath(operand.rpartition(":")[2]).stem)
    name = f"api_{stem}" if stem[:1].isdigit() else stem
    needs, read, files = _with_needs(operand, configuration)
    api = read.groups[0].api
    wanted = list(entries) or candidates(api)
    if len(wanted) != 1 and not entries and not is_listed(api):
        shown = ", ".join(wanted[:8]) + (", ..." if len(wanted) > 8 else "")
        hint = f"name one or several by --entry; it may be {shown}" if wanted else "name it by --entry"
        message = f"{printable(operand)} does not state which function of a plugin a host calls first"
        raise AbigenError.at(None, message, hint)
    points = [entry_point(each, api) for each in wanted]
    part = part_of(api, points, read.groups[0].targets[0])
    include, is_found = _include_of(operand, configuration.options)
    made = document_of(part, HeaderContext(name=name, path=f"{name}.h"))
    document: dict[str, object] = dict(made.document)
    is_reserved = "reserved_names" in cast(dict[str, object], document["header"])
    says_cpp = any("__cplusplus" in each for each in read.sources.values())
    stated: dict[str, object] = {"vendor": include} | ({"includes": list(needs)} if needs else {})
    stated |= {} if says_cpp else {"extern_c": True}
    document["header"] = stated | ({"reserved_names": True} if is_reserved else {})
    facts = with_facts(document, part, points, api)
    header = cast(dict[str, object], facts.document["header"])
    if holds_reserved_names({key: each for key, each in facts.document.items() if key != "header"}):
        header["reserved_names"] = True
    text, taken = _readable(dict(facts.document), name, configuration)
    for point in points:
        lost = next((each for each in taken if f" {point.name}: it is left out" in each.message), None)
        if lost is not None:
            reason = lost.message.partition(": it is left out; ")[2]
            hint = "write its declaration with types that the header has"
            raise AbigenError.at(None, f"--entry: {point.name} cannot be declared: {reason}", hint)
    return VendorSpec(
        name=name,
        text=text,
        include=include,
        files=() if is_found else tuple(files),
        entries=tuple(each.name for each in points),
        left_out=(*made.gaps, *taken),
        questions=facts.questions,
    )


def _readable(document: dict[str, object], name: str, configuration: Configuration) -> tuple[str, list[Diagnostic]]:
    """Return a spec as text, without what keeps it from being read, and what was taken away."""
    from abigen.generator.imported.document import yaml_text
    from abigen.generator.importing.attempts import mend
    from abigen.specs.load import load

    taken: list[Diagnostic] = []
    include = str(cast(dict[str, object], document["header"])["vendor"])
    with TemporaryDirectory(prefix="abigen-import-") as path:
        file = Path(path, f"{name}.yaml")
        for attempt in range(_MOST_ATTEMPTS + 1):
            text = yaml_text(document, _COMMENT.format(include))
            file.write_text(text, encoding="utf-8")
            try:
                load(str(file), replace(configuration.options, files=Files(), cache=False, include_dirs=()))
                return text, taken
            except AbigenError as error:
                mended = mend({name: document}, error, Path(path)) if attempt < _MOST_ATTEMPTS else ()
                if not mended:
                    raise
                taken += mended
    raise AssertionError("the last attempt returns or raises")


def _with_needs(operand: str, configuration: Configuration) -> tuple[list[str], ApiSet, list[str]]:
    """Read a header, with the standard headers before it that it takes types from without including them.

    Returns:
        These headers, with brackets; what was read; and the files that are the vendor's.

    Raises:
        AbigenError: the header cannot be read.
    """
    needs: list[str] = []
    while True:
        options = configuration.options
        before = (*options.preincludes, *(each[1:-1] for each in needs))
        try:
            return needs, *_with_own_files(
                operand, replace(configuration, options=replace(options, preincludes=before))
            )
        except AbigenError as error:
            found = [match[1] for each in error.diagnostics if (match := _INCLUDE.search(each.hint or ""))]
            tags = [match[1] for each in error.diagnostics if (match := _INCOMPLETE.search(each.message))]
            found += [_STRUCTS[each] for each in tags if each in _STRUCTS]
            missing = dict.fromkeys(each for each in found if each not in needs)
            if not missing or len(needs) > _MOST_ATTEMPTS:
                raise
            needs += missing


def _with_own_files(operand: str, configuration: Configuration) -> tuple[ApiSet, list[str]]:
    """Read a header together with the headers of the same vendor that it includes; return these files, too."""
    from abigen.specs.load import load, refuse_empty

    options, own = configuration.options, [operand.rpartition(":")[2]]
    while True:
        patterns = tuple(dict.fromkeys((*options.own, *(absolute(each) for each in own[1:]))))
        (read,) = configuration.agreed([load(operand, replace(options, own=patterns))])
        found = [each for each in _of_vendor(read.groups[0].api, own) if absolute(each) not in map(absolute, own)]
        if not found:
            break
        own += found
    if read.groups[0].api.header is not None:
        raise AbigenError.at(None, f"{printable(operand)} is a spec already")
    refuse_empty(read, operand)
    return read, own


def _of_vendor(api: Api, own: Sequence[str]) -> Iterator[str]:
    """Yield the included files that are the vendor's: in quotes, or from a folder below the system's folders."""
    folders = {str(Path(absolute(each)).parent) for each in own}
    for each in api.included:
        folder = str(Path(absolute(each.file)).parent)
        is_beside = folder in folders and folder not in _SYSTEM and "-linux-gnu" not in Path(folder).name
        if (each.name[:1] == '"' or is_beside) and not {*map(absolute, each.by)}.isdisjoint(map(absolute, own)):
            yield each.file


def _include_of(operand: str, options: ReadOptions) -> tuple[str, bool]:
    """Return how users include a header, and whether every compiler finds it."""
    path = Path(absolute(operand.rpartition(":")[2]))
    for folder in _SYSTEM:
        if path.is_relative_to(folder):
            return f"<{path.relative_to(folder).as_posix()}>", True
    for folder in options.include_dirs:
        if path.is_relative_to(absolute(folder)):
            return f"<{path.relative_to(absolute(folder)).as_posix()}>", False
    return f'"{path.name}"', False


VENDOR = "vendor"
"""The folder of a project that has the vendor's headers which no compiler finds."""


def is_found_by_compilers(header: str) -> bool:
    """Tell whether a header is in a folder in which every compiler looks.

    Args:
        header: its path.
    """
    return any(Path(absolute(header)).is_relative_to(each) for each in _SYSTEM)


def texts_of(files: Sequence[str], disk: Files) -> dict[str, str]:
    """Return the texts of headers by their paths from the folder that they share.

    Args:
        files: paths; the first is the header that others include.
        disk: where they are.
    """
    folder = Path(absolute(files[0])).parent if files else Path()
    found = {}
    for each in files:
        path = Path(absolute(each))
        name = path.relative_to(folder).as_posix() if path.is_relative_to(folder) else path.name
        found[name] = disk.read(each).decode("utf-8", "surrogateescape")
    return found


def find_header(include: str, include_dirs: Sequence[str], disk: Files) -> str:
    """Return the path of a vendor's header; empty where it is not found.

    Args:
        include: as the spec has it, with brackets or quotes.
        include_dirs: folders to look in first; those of every compiler come after them.
        disk: where folders are.
    """
    paths = (str(Path(folder, include[1:-1])) for folder in (*include_dirs, *_SYSTEM))
    return next((each for each in paths if disk.is_file(each)), "")


def kept_headers(include: str, include_dirs: Sequence[str], disk: Files) -> tuple[dict[str, str], bool]:
    """Return what a project keeps of a vendor's header, and whether the header is missing.

    Args:
        include: as the spec has it; empty for an API whose header is generated.
        include_dirs: folders to look in.
        disk: where folders are.

    Returns:
        Path in the project to text, none if every compiler finds the header; and True if nothing has it.
    """
    path = find_header(include, include_dirs, disk) if include else ""
    if not path or is_found_by_compilers(path):
        return {}, bool(include) and not path
    return {f"{VENDOR}/{include[1:-1]}": disk.read(path).decode("utf-8", "surrogateescape")}, False


def differences_from_header(spec: Api, files: Files, options: ReadOptions) -> list[str] | None:
    """Compare the declarations of a spec with those of the vendor's header.

    Args:
        spec: the API, as the spec has it.
        files: where headers are looked up.
        options: how the header is read; its folders are looked in before those of every compiler.

    Returns:
        What differs, one line each; None where the header is not found.

    Raises:
        AbigenError: the header cannot be read.
    """
    from abigen.checker.compare import compare
    from abigen.checker.policy import find_policy
    from abigen.generator.imported.vendor_part import version_constants

    header = spec.header
    path = find_header(header.vendor, options.include_dirs, files) if header is not None else ""
    if not path:
        return None
    options = replace(options, targets=options.targets[:1])
    before = tuple(each[1:-1] for each in header.needs) if header is not None else ()
    options = replace(options, preincludes=(*options.preincludes, *before))
    read, _ = _with_own_files(path, Configuration(settings=Settings(), options=options))
    found, targets = read.groups[0].api, read.groups[0].targets
    found = replace(found, constants={**found.constants, **{each.name: each for each in version_constants(found)}})
    kept = _names(spec)
    sides = [_declarations(each, kept, frozenset(found.functions)) for each in (found, spec)]
    old, new = (ApiSet(groups=(ApiGroup(targets, each),), sources={}) for each in sides)
    findings = compare(old, new, find_policy("default")).findings
    return [
        f"{each.old or each.new or path}: not as in the spec: {each.message}"
        for each in findings
        if each.bump in (Bump.MAJOR, Bump.MINOR) and each.rule != "bump-missing"
    ]


def _names(spec: Api) -> frozenset[str]:
    """Return the names of all that a spec declares."""
    groups = (spec.structs, spec.enums, spec.typedefs, spec.functions, spec.variables, spec.constants)
    return frozenset(name for group in groups for name, each in group.items() if each.in_api)


def _declarations(api: Api, kept: Collection[str], symbols: Collection[str]) -> Api:
    """Return what an API declares, without what only a spec says of it.

    Args:
        api: of a spec, or of a header.
        kept: names of all that the spec declares.
        symbols: names of the functions of the header; others are the plugin's own, or found by their names.
    """

    def own(entities: Mapping[str, E]) -> dict[str, E]:
        return {name: bare(each) for name, each in entities.items() if name in kept or not each.in_api}

    def bare(entity: E) -> E:
        return replace(entity, contract=NO_CONTRACT, doc="")

    functions = {name: each for name, each in own(api.functions).items() if name in symbols}
    return replace(
        api,
        header=None,
        conventions=Conventions(filled_by={}),
        structs={
            name: replace(
                each,
                filler=Party.UNKNOWN,
                create="",
                fields=tuple(replace(bare(one), pattern="", excludes="") for one in each.fields),
            )
            if each.fields is not None
            else each
            for name, each in own(api.structs).items()
        },
        enums=own(api.enums),
        typedefs=own(api.typedefs),
        functions={
            name: replace(each, implemented_by=Party.UNKNOWN, entry_point=False, exported=None, symbol="")
            for name, each in functions.items()
            if each.in_api
        },
        variables={},
        constants={name: each for name, each in own(api.constants).items() if each.in_api},
        macros={},
        size_constants={},
        version=None,
    )


def reading_here(files: Files) -> ReadOptions:
    """Return how vendors' headers are read where nothing is said on the command line: as the project's file says.

    Args:
        files: where headers and the file are looked up.
    """
    return configure({}, None, files, ignored=False, cache=True).options
