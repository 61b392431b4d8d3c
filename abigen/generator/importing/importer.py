"""Imports headers: reads each with the headers that it includes, and builds a spec of each."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, TypeAlias, cast

import msgspec
from msgspec.structs import replace

from abigen.checker.configuration import Configuration
from abigen.generator.output_files import write_files
from abigen.model.api import Api, ApiSet
from abigen.model.span import AbigenError, Diagnostic, printable, refuse_control_characters
from abigen.model.version import Version
from abigen.workspace.files import Files, absolute, is_below
from abigen.workspace.operand import Operand
from abigen.workspace.options import ReadOptions

if TYPE_CHECKING:
    from abigen.generator.imported.keys import HeaderContext

Release: TypeAlias = tuple[Version, str | Operand]
"""A release of a header, and the operand that names the header as it was then."""
_IDENTIFIER = re.compile(r"\W+")
_MOST_ATTEMPTS = 12
"""The number of times that entities are removed from specs that cannot be built."""
_WORD = re.compile(r"[A-Za-z_]\w*")
_FOR_SYSTEMS = frozenset({"WIN32_LEAN_AND_MEAN", "NOMINMAX", "STRICT", "UNICODE", "WINVER"})
"""Macros without an underscore in front that headers of Windows ask for."""
_COMMENT = (
    "The spec of {}, as abigen has read it. Look through it: its owners have to state which side sets each struct."
)
_CONDITIONS = re.compile(r"^[ \t]*#[ \t]*(?:el)?if(?:n?def)?\b(.*)$", re.MULTILINE)
_WORD = re.compile(r"[A-Za-z_]\w*")


class ImportedHeader(msgspec.Struct, frozen=True):
    """A header that becomes a spec."""

    name: str
    operand: str
    path: str
    """By which users include it."""
    read: ApiSet
    uses: tuple[str, ...]
    """Names of the specs of what it includes."""
    inner: tuple[str, ...]
    """By which it includes these."""
    options: ReadOptions
    """The reading options: an included header is read with the macros of the including one."""


def following(read: ApiSet) -> Iterator[str]:
    """Yield the files that a header includes after its first declaration: they need it, and are part of the header.

    What it includes below a condition, or from the system, is none of them.
    """
    from abigen.generator.imported.keys import way_to
    from abigen.headers.preprocessor.lexemes import outline_of

    api = read.groups[0].api
    written = {one for text in read.sources.values() for one in outline_of(text).includes}
    groups = (api.typedefs, api.structs, api.enums, api.functions)
    places = [way_to(each.span, api) for group in groups for each in group.values() if each.in_api and each.span]
    for each in api.included:
        if each.place is None or each.is_system or each.place.file not in api.files or each.file in api.files:
            continue
        if each.name in written and each.name[0] == '"' and places and min(places) < way_to(each.place, api):
            yield each.file


def companion_headers(read: ApiSet, include_dirs: Sequence[str], files: Files) -> list[str]:
    """Return the files that a header includes in quotes, or whose types or macros it uses, below its folder or -I.

    What the system has is none of them, also where -I names a folder of the system's, as for compilers.
    """
    api = read.groups[0].api
    own = {*api.files, *(each.file for each in api.included if each.is_system)}
    words = set(_WORD.findall("\n".join(read.sources.values())))
    folders = [*include_dirs, *(str(Path(each).parent) for each in api.files if files.is_file(each))]
    roots = [*map(files.real, folders), *map(absolute, folders)]  # what is included may lie behind a link
    groups = (api.typedefs, api.structs, api.enums, api.macros, api.constants)
    named = [each.span.file for group in groups for each in group.values() if each.span and each.name in words]
    found = []
    quoted = [each for each in api.included if each.name[:1] == '"' and not {*each.by}.isdisjoint(api.files)]
    beside = {each.file for each in quoted if ".." in each.name.strip('"').split("/")}
    for file in dict.fromkeys((*named, *(each.file for each in quoted))):
        is_reached = any(is_below(place, root) for root in roots for place in (files.real(file), absolute(file)))
        if file not in own and files.is_file(file) and (is_reached or file in beside):
            found.append(file)
    return found


def including_itself(read: ApiSet, operand: str, roots: Sequence[str]) -> Iterator[str]:
    """Yield the names by which a header includes itself and those that are part of it."""
    from abigen.headers.preprocessor.lexemes import outline_of

    own = {absolute(each) for each in (operand.rpartition(":")[2], *read.sources, *read.groups[0].api.files)}
    for file, text in read.sources.items():
        for each in outline_of(text).includes:
            beside = [str(Path(file).parent)] if each[0] == '"' else []
            folders = [folder or "." for folder in (*beside, *roots)]
            if any(absolute(Path(folder, each[1:-1])) in own for folder in folders):
                yield each[1:-1]


def path_in(path: str, include_dirs: Iterable[str]) -> str:
    """Return the path between the quotes of an include of a header; never the name of a system header."""
    from abigen.specs.header_plan import SYSTEM_HEADERS

    whole, folders = Path(absolute(path)), [Path(absolute(each)) for each in include_dirs]
    found = [whole.relative_to(each).as_posix() for each in folders if whole.is_relative_to(each)]
    found = found or [PurePosixPath(path).name]
    return next((each for each in found if not SYSTEM_HEADERS.fullmatch(each)), found[0])


def declaring(files: Iterable[str], api: Api) -> list[str]:
    """Return the files that declare anything."""
    groups = (api.functions, api.structs, api.enums, api.typedefs, api.constants, api.macros, api.variables)
    found = {absolute(each.span.file) for group in groups for each in group.values() if each.span}
    return [each for each in files if absolute(each) in found]


def completes(api: Api, used: Api) -> bool:
    """True if an API declares the members of a struct that another one, which it uses, has declared without any."""
    opaque = {each.tag for each in used.structs.values() if each.in_api and each.fields is None}
    return any(each.in_api and each.fields is not None and each.tag in opaque for each in api.structs.values())


def asked(text: str) -> Iterator[str]:
    """Yield the words in the conditions of a header."""
    for line in _CONDITIONS.findall(text):
        yield from _WORD.findall(line)


def begins(api: Api, prefix: str) -> bool:
    """True if a struct of an API has this prefix."""
    return any(each.in_api and each.name.startswith(prefix) for each in api.structs.values())


class _RoundError(AbigenError):
    """A header includes itself by way of others, which become part of it."""

    def __init__(self, header: str) -> None:
        """Name the header."""
        super().__init__((Diagnostic(None, f"{printable(header)} includes itself by way of others"),))
        self.header = header


class Importer:
    """Reads headers and what they include, and makes specs of them."""

    def __init__(
        self, configuration: Configuration, filled_by: dict[str, str], history: Mapping[str, Sequence[Release]]
    ) -> None:
        """Begin without a header.

        Args:
            configuration: how to read.
            filled_by: prefix of a struct's name to the side that fills it.
            history: the headers that the user names, and others, each with its releases, the oldest first.
        """
        self.found: list[ImportedHeader] = []
        self._configuration = configuration
        self._options = configuration.options
        self._filled_by = filled_by
        self._history = history
        self._gaps: list[Diagnostic] = []
        self._included: dict[str, tuple[str, ...]] = {}
        """Name of a spec to what it includes."""
        self.remarks: list[str] = []
        """The remarks for owners of the specs, besides the losses."""
        self._begun: list[str] = []
        """The headers that are being read, each of which includes the next one."""
        self._roots = (*self._options.include_dirs, *(str(Path(each.rpartition(":")[2]).parent) for each in history))
        """The folders below which headers have their paths: those of -I, and those of the headers that users name."""

    def add(self, operand: str, name: str | None = None, defines: Sequence[str] = ()) -> str:
        """Read a header and, before it, those that it takes types from.

        Args:
            operand: names the header.
            name: of its spec; None for that of the file.
            defines: what a header that includes it has defined before, as `-D` takes it.

        Returns:
            The name of its spec.

        Raises:
            AbigenError: it cannot be read, or it is among those that include it.
        """
        from abigen.headers.preprocessor.lexemes import outline_of
        from abigen.specs.load import load, refuse_empty

        refuse_control_characters(operand)
        stem = _IDENTIFIER.sub("_", PurePosixPath(operand.rpartition(":")[2]).stem)
        name = name or (f"api_{stem}" if stem[:1].isdigit() else stem)
        known = next((each for each in self.found if each.operand == operand), None)
        if known is not None:
            return known.name
        if absolute(operand) in self._begun:
            raise _RoundError(absolute(operand))
        options = replace(self._options, defines=(*self._options.defines, *defines))
        (read,) = self._configuration.agreed([load(operand, options)])
        if read.groups[0].api.header is not None:
            raise AbigenError.at(None, f"{printable(operand)} is a spec already")
        refuse_empty(read, operand)
        if any(each.name == name for each in self.found):
            raise AbigenError.at(None, f"two headers would become {name}.yaml", "import them into folders of their own")
        read, companions, merged = self._whole(operand, options, defines, read)
        for each in declaring(merged, read.groups[0].api):
            text = f"header {path_in(each, self._roots)}: it has no spec of its own, so what it"
            self._gaps.append(Diagnostic(None, f"{text} declares is in {name}.yaml", severity="note"))
        inner = [path_in(file, self._roots) for file in (*merged, *companions)]
        uses = tuple(companions.values())
        written = tuple(each for text in read.sources.values() for each in outline_of(text).includes)
        inner += [
            each[1:-1] for each in written if each[1:-1].rpartition("/")[2] in {one.rpartition("/")[2] for one in inner}
        ]
        inner += including_itself(read, operand, self._roots)
        path = path_in(operand.rpartition(":")[2], self._roots)
        self.found.append(ImportedHeader(name, operand, path, read, uses, tuple(inner), options))
        return name

    def _whole(
        self, operand: str, options: ReadOptions, defines: Sequence[str], read: ApiSet
    ) -> tuple[ApiSet, Mapping[str, str], Sequence[str]]:
        """Give included headers specs of their own, and read the others along with the header that includes them.

        Args:
            operand: names the header.
            options: how it is read.
            defines: what a header that includes it has defined before.
            read: what it declares by itself.

        Returns:
            What it declares with those that are part of it; included headers with the names of their specs; and those
            that are part of it.
        """
        from abigen.generator.imported.document import defined_before
        from abigen.headers.preprocessor.lexemes import outline_of
        from abigen.specs.load import load

        companions: dict[str, str] = {}
        merged: list[str] = []
        before = 0
        while found := [
            each
            for each in (*following(read), *companion_headers(read, self._options.include_dirs, self._files))
            if each not in companions and each not in merged
        ]:
            parts = [*following(read)]
            for file in found:
                self._reach(file)
                if file in parts:
                    merged.append(file)
                    continue
                text = self._files.read(file).decode("utf-8", "replace")
                guards = {outline_of(each).guard for each in read.sources.values()} - {outline_of(text).guard}
                given = defined_before(file, read, text, guards)
                used = self._used(file, absolute(operand), (*defines, *given), read)
                if used:
                    companions[file] = used
                else:
                    merged.append(file)
            if len(merged) == before:
                continue  # nothing has become part of the header
            before, own = len(merged), tuple(absolute(each) for each in merged)
            (read,) = self._configuration.agreed([load(operand, replace(options, own=own))])
        return read, companions, merged

    def _reach(self, file: str) -> None:
        """Let an included file have a path: where no folder has it, below the one that it shares with the others."""
        path = absolute(file)
        places = (path, self._files.real(file))
        if not any(is_below(place, absolute(root)) for root in self._roots for place in places):
            self._roots = (*self._roots, os.path.commonpath([path, *map(absolute, self._roots[-1:])]))

    def _used(self, file: str, includer: str, defines: Sequence[str], read: ApiSet) -> str:
        """Return the name of the spec of an included header; empty where it cannot have one of its own.

        Its includer may declare the members of a struct that it has declared, itself or in what it includes: a spec
        says both in one place.

        Args:
            file: the included header.
            includer: the path of the header that includes it.
            defines: what that one has defined before.
            read: what that one declares.

        Raises:
            _RoundError: it includes a header, by way of others, that includes its includer.
        """
        begun, gaps = len(self.found), len(self._gaps)
        self._begun.append(includer)
        try:
            name = self.add(file, None, defines)
            used = next(each for each in self.found if each.name == name)
            if any(completes(read.groups[0].api, each.read.groups[0].api) for each in (used, *self._used_by(used))):
                del self.found[begun:], self._gaps[gaps:]
                return ""
            return name
        except AbigenError as error:
            del self.found[begun:], self._gaps[gaps:]
            if isinstance(error, _RoundError) and error.header != includer:
                raise
            return ""
        finally:
            self._begun.pop()

    @property
    def _files(self) -> Files:
        return self._options.files

    def _document(self, header: ImportedHeader) -> dict[str, object]:
        """Return the spec of a header; what it cannot express is kept for `specs`."""
        from abigen.generator.imported.document import document_of
        from abigen.generator.imported.keys import HeaderContext, calling_macros
        from abigen.generator.importing.attempts import (
            exports_undefined,
            lost_macros,
            placed,
            scoped_types,
            stating,
            still_defined,
            unread,
        )
        from abigen.headers.preprocessor.lexemes import outline_of
        from abigen.headers.preprocessor.macros import conditional_macros

        api = header.read.groups[0].api
        texts = [*header.read.sources.values()]
        outlines = [outline_of(each) for each in texts]
        conditional = {
            name: each
            for name, each in conditional_macros(texts).items()
            if each.parameters == (api.macros[name].parameters if name in api.macros else None)
        }
        guarded = {name for name, each in conditional.items() if each.guarded}
        ended = exports_undefined(header.read.sources)
        for constant, _ in ended.values():
            self._gaps.append(Diagnostic(constant.span, still_defined(constant.name), severity="note"))
        api = replace(api, constants={**api.constants, **{name: each for name, (each, _) in ended.items()}})
        includes = self._includes(header)
        configured = [text for each in self._used_by(header) for text in each.read.sources.values()]
        calls = {name: each.cases for name, each in conditional_macros([*configured, *texts]).items()}
        around = HeaderContext(
            name=header.name,
            path=header.path,
            guard=outlines[0].guard if outlines else "",
            includes=includes,
            uses=header.uses,
            conditional=frozenset().union(*(each.conditional for each in outlines)),
            cases={name: each.cases for name, each in conditional.items()}
            | {name: cases for name, (_, cases) in ended.items() if len(cases) > 1},
            calling=calling_macros(calls),
            guarded=frozenset(guarded).union(*(each.guarded for each in outlines)),
            lines={name: text.splitlines() for name, text in header.read.sources.items()},
            known=self._known(header, includes),
            given=self._used_macros(header),
            before_includes=self._before_includes(header),
            stated=frozenset(name for each in self._used_by(header) for name in stating(each.read.groups[0].api)),
            filled_by={prefix: side for prefix, side in self._filled_by.items() if begins(api, prefix)},
        )
        made = document_of(api, self._with_releases(header, api, around))
        self._gaps += (*made.gaps, *unread(header.read.hidden), *scoped_types(header.read))
        self._gaps += lost_macros(header.read, made.document, (each.read for each in self._used_by(header)))
        self.remarks += [f"{placed(each)}{each.message}" for each in made.remarks]
        return made.document

    def _with_releases(self, header: ImportedHeader, api: Api, around: HeaderContext) -> HeaderContext:
        """Return what is known around a header, with the releases that brought and deprecated its entities."""
        from abigen.generator.imported.keys import first_releases

        releases = self._history.get(header.operand)
        if not releases:
            return around
        read = list(self._api_at_each(releases, header))
        newest = self._version(header, releases[-1], read[-1][1])
        older = ((version, before.groups[0].api) for version, before in read if version != newest)
        found = first_releases([*older, (newest, api)])
        self._gaps += found.removed
        versions = tuple(dict.fromkeys((*(version for version, _ in releases), newest)))
        return replace(around, since=found.since, deprecated=found.deprecated, releases=versions)

    def _used_macros(self, header: ImportedHeader) -> dict[str, Sequence[tuple[str, str]]]:
        """Return the macros of the specs that a header uses, with what each stands for under each condition."""
        from abigen.headers.preprocessor.macros import conditional_macros

        found: dict[str, Sequence[tuple[str, str]]] = {}
        for used in self._used_by(header):
            api = used.read.groups[0].api
            texts = {each.name: each.text for each in api.constants.values() if each.in_api}
            texts |= {each.name: each.body for each in api.macros.values() if each.in_api}
            cases = conditional_macros(used.read.sources.values())
            found |= {name: cases[name].cases if name in cases else [("", text)] for name, text in texts.items()}
        return found

    def _before_includes(self, header: ImportedHeader) -> frozenset[str]:
        """Return the macros that a header defines before an #include, for the headers that it includes."""
        api = header.read.groups[0].api
        own = next(iter(api.files), "")
        places = [each.place.line for each in api.included if each.place is not None and each.place.file == own]
        names = {word for each in self._used_by(header) for text in each.read.sources.values() for word in asked(text)}
        return frozenset(
            each.name
            for each in api.constants.values()
            if each.in_api
            and each.span is not None
            and each.span.file == own
            and each.span.line < max(places, default=0)
            if each.name[:1] == "_" or each.name in names or each.name in _FOR_SYSTEMS
        )

    def _includes(self, header: ImportedHeader) -> tuple[str, ...]:
        """Return the includes of a header's spec: those of the header, without the headers that have specs."""
        from abigen.generator.importing.attempts import conditional_includes
        from abigen.headers.preprocessor.lexemes import outline_of

        if header.name not in self._included:
            written = dict.fromkeys(one for text in header.read.sources.values() for one in outline_of(text).includes)
            includes = tuple(each for each in written if each[1:-1] not in header.inner)
            self._gaps += conditional_includes(header.read, includes)
            self._included[header.name] = (*includes, *self._needed(header, includes))
        return self._included[header.name]

    def _needed(self, header: ImportedHeader, includes: Sequence[str]) -> Iterator[str]:
        """Yield the system headers below a condition from which a header takes types or macros; each of them is noted.

        Args:
            header: that includes them.
            includes: what its spec includes already.
        """
        from abigen.generator.importing.attempts import conditional_include

        api = header.read.groups[0].api
        known = self._known(header, includes)
        for each in api.included:
            if each.place is None or each.place.file not in api.files or each.name[0] != "<" or not each.is_system:
                continue
            if each.name not in includes and (more := self._known(header, (*includes, each.name))) > known:
                self._gaps.append(conditional_include(each.name, each.place))
                includes, known = (*includes, each.name), more
                yield each.name

    def _known(self, header: ImportedHeader, includes: Iterable[str]) -> frozenset[str]:
        """Return the names that a spec can use: types and tags of used specs and standard headers, and their macros.

        Macros count where the header asks for them in a condition, or in what it defines below one, or with parameters;
        and where each system has another value.
        """
        from abigen.headers.preprocessor.macros import conditional_macros
        from abigen.specs.header_plan import system_names

        used = [*self._used_by(header)]
        texts = "".join(text for each in (header, *used) for text in each.read.sources.values())
        provided = {*includes, *(one for each in used for one in self._includes(each))}
        # Each system header is read once, alone, whatever it is included with.
        read = [system_names((one,), texts, self._options) for one in sorted(provided)]
        apis = [each for declared, _ in read for each in declared]
        conditional = conditional_macros([*header.read.sources.values()]).values()
        bodies = [part for each in conditional for case in each.cases for part in case]
        api = header.read.groups[0].api
        bodies += [each.body for each in api.macros.values() if each.in_api]
        macros = {name for each in apis for name in each.constants}.intersection(_WORD.findall("\n".join(bodies)))
        macros |= {name for _, varying in read for name in varying}
        apis += [each.read.groups[0].api for each in used]
        own = (group.values() for api in apis for group in (api.typedefs, api.structs, api.enums))
        types = {each.name for entities in own for each in entities if each.in_api or each.of_system}
        return frozenset(types | macros)

    def _used_by(self, header: ImportedHeader) -> Iterator[ImportedHeader]:
        """Yield the headers that a header uses, directly or through others; some of them more than once."""
        waiting = [*header.uses]
        while waiting:
            name = waiting.pop()
            used = next((each for each in self.found if each.name == name), None)
            if used is None:
                continue
            yield used
            waiting += used.uses

    def _api_at_each(self, releases: Iterable[Release], header: ImportedHeader) -> Iterator[tuple[Version, ApiSet]]:
        """Yield the content of a header at each of its releases."""
        from abigen.specs.load import load

        for version, operand in releases:
            (read,) = self._configuration.agreed([load(operand, header.options)])
            yield version, read

    def _version(self, header: ImportedHeader, last: Release, then: ApiSet) -> Version:
        """Return the release of a header: the last one if nothing changed, the one it states, or the one after it.

        Args:
            header: as it is now.
            last: its last release.
            then: what it was then.
        """
        version, operand = last
        if str(operand) == header.operand or [*header.read.sources.values()] == [*then.sources.values()]:
            return version
        stated = header.read.groups[0].api.version
        said = stated.version if stated else None
        return said if said is not None and said > version else Version(version.major, version.minor + 1, 0)

    def specs(self) -> tuple[dict[str, str], list[str]]:
        """Make the specs of all headers, without what keeps them from being built.

        Returns:
            The name of each file with its text; and what the headers say and the specs do not, by place: what was left
            out, and what reading the specs back shows.

        Raises:
            AbigenError: a spec cannot be built, or what is built of it does not compile.
        """
        from abigen.generator.imported.document import yaml_text
        from abigen.generator.importing.attempts import declares_something, grouped, mend, refusal, try_out

        documents = {each.name: self._document(each) for each in self.found}
        self._without_empty(documents)
        comments = {each.name: _COMMENT.format(each.path) for each in self.found}
        first: AbigenError | None = None
        with TemporaryDirectory(prefix="abigen-import-") as path:
            folder = Path(path)
            for attempt in range(_MOST_ATTEMPTS + 1):
                texts = {f"{name}.yaml": yaml_text(each, comments[name]) for name, each in documents.items()}
                for name, text in texts.items():
                    Path(folder, name).write_text(text, encoding="utf-8")
                try:
                    made = try_out(folder, {each.name: each.operand for each in self.found}, self._options)
                    break
                except AbigenError as error:
                    first = first or error
                    taken = mend(documents, error, folder) if attempt < _MOST_ATTEMPTS else ()
                    if not taken or not any(declares_something(each) for each in documents.values()):
                        raise refusal(first) from None
                    self._gaps += taken
            differences = [
                line for each in self.found for line in self._differences(each, Path(folder, f"{each.name}.yaml"), made)
            ]
        return texts, [*grouped(self._gaps), *differences]

    def _without_empty(self, documents: dict[str, dict[str, object]]) -> None:
        """Drop the specs of included headers that declare nothing; others include what those include."""
        from abigen.generator.importing.attempts import declares_something

        for empty in [each for each in self.found if each.operand not in self._history]:
            document = documents[empty.name]
            if declares_something(document) or document.get("version"):
                continue
            del documents[empty.name]
            self.found.remove(empty)
            for other in documents.values():
                uses = cast(list[str], other.get("uses", []))
                if empty.name in uses:
                    at = uses.index(empty.name)
                    uses[at : at + 1] = [each for each in empty.uses if each not in uses]
                    if not uses:
                        del other["uses"]
                    included = cast(dict[str, list[str]], document["header"]).get("includes", [])
                    header = cast(dict[str, list[str]], other["header"])
                    if more := [each for each in included if each not in header.get("includes", [])]:
                        header["includes"] = [*more, *header.get("includes", [])]
            text = f"header {empty.path}: it declares nothing that a spec can have, so it has none"
            self._gaps.append(Diagnostic(None, text, severity="note"))

    def _differences(self, header: ImportedHeader, spec: Path, built: Mapping[str, ApiSet]) -> Iterator[str]:
        """Yield what `abigen diff` finds between a header and its spec.

        Args:
            header: the header.
            spec: its spec.
            built: the specs that were built, by name.
        """
        from abigen.generator.importing.attempts import differences, header_again, loaded_again

        told = {gap.message.partition(": ")[0].rpartition(" ")[2] for gap in self._gaps}
        used = [each.read.groups[0].api for each in self._used_by(header)]
        back = loaded_again(spec, built.get(spec.stem), self._options)
        made = back.groups[0].api.header
        path = made.path if made else f"{spec.stem}.h"
        yield from differences("", header.read, back, told, used, lambda: header_again(spec, path, header.options))
        for version, then in self._api_at_each(self._history.get(header.operand, ()), header):
            then_made = loaded_again(Path(f"{spec}@{version}"), None, self._options)
            yield from differences(f"at {version}: ", then, then_made, told, used, lambda: None)


def import_header(
    header: str, folder: Path, configuration: Configuration, filled_by: Mapping[str, str]
) -> tuple[Path, list[str]]:
    """Write the spec of a header, and those of the headers that it includes, into a folder.

    Args:
        header: the operand that names it.
        folder: the folder of specs; specs that are there are replaced.
        configuration: how to read it.
        filled_by: prefix of a struct's name to the side that fills it.

    Returns:
        The path of the header's own spec, and what the specs do not state, a line each.

    Raises:
        AbigenError: the header cannot be read, or no spec can be built.
    """
    importer = Importer(configuration, dict(filled_by), {header: []})
    name = importer.add(header, None)
    texts, notes = importer.specs()
    write_files({path: text.encode() for path, text in texts.items()}, folder, configuration.options.files)
    return folder / f"{name}.yaml", [printable(str(note)) for note in (*importer.remarks, *notes)]
