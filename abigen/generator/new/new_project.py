"""Begins the project of a plugin, from a spec or from a header, and brings projects up to date."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
from msgspec.structs import replace

from abigen.checker.configuration import configure
from abigen.generator.build import SpecFile, find_specs, spec_file, spec_folders
from abigen.generator.imported.document import LikelyEntryPoint, likely_entry_points, with_entry_point
from abigen.generator.importing.importer import import_header
from abigen.generator.importing.vendor_header import (
    VENDOR,
    is_found_by_compilers,
    kept_headers,
    texts_of,
    vendor_spec,
)
from abigen.generator.new.scaffold import (
    RECORD,
    Languages,
    ProjectRecord,
    Scaffold,
    deleted,
    read_record,
    record_of,
    scaffold,
    update,
)
from abigen.generator.new.view import ScaffoldRequest
from abigen.generator.output_files import inside, read_file, remove_files, write_files
from abigen.generator.project import build_settings, load_specs, publication_of, specs_named
from abigen.generator.publication import Publication
from abigen.model.api import ApiSet
from abigen.model.entities import Function
from abigen.model.span import AbigenError, printable
from abigen.workspace.files import Files
from abigen.workspace.operand import SPEC_SUFFIXES, parse_operand, refuse_missing
from abigen.workspace.shipped import SPECS, is_shipped

_MADE = ("generated", "build", "target", "vendor")
"""Folders of a project in which its author writes nothing."""
_HEADERS = (".h", ".hh", ".hpp", ".hxx")
_MOST_NAMES = 3
"""The number of conflicting files that are named."""


class Surroundings(msgspec.Struct, frozen=True):
    """The languages, specs and headers that a project is made from, and the way to tell the user about them."""

    languages: Languages
    spec_dir: Path | None
    """The folder of specs that the command line names."""
    includes: Sequence[str]
    """The folders in which headers of vendors are looked for, besides the usual ones."""
    announce: Callable[[str], None]
    """Receives a line about the spec that is read next."""
    warn: Callable[[Iterable[ApiSet]], None]
    """Receives the specs that were read, whose warnings are to be shown."""

    @property
    def disk(self) -> Files:
        """The files of this run."""
        return self.languages.templates.disk


def plugin_apis(languages: Languages) -> list[str]:
    """Return the APIs that a plugin can be begun for: the project's own, and the shipped ones.

    The core calls an entry point of the plugin, another function that the plugin implements, or functions with names
    that the plugin chooses.
    """
    disk = languages.templates.disk

    def has_plugins(spec: SpecFile) -> bool:
        text = disk.read(spec.path)
        stated = b"entry_point:" in text or b"implemented_by: plugin" in text
        return stated or languages.calls_own_functions(spec.api)

    folders = spec_folders(build_settings(disk).specs, disk)
    specs = (spec for folder in folders for spec in find_specs([], folder, disk))
    return list(dict.fromkeys(spec.api for spec in specs if has_plugins(spec)))


def begin_project(request: ScaffoldRequest, directory: Path | None, around: Surroundings, *, force: bool) -> str:
    """Write a new project.

    Args:
        request: the plugin, its API and its language.
        directory: the folder of the project; None for one with the plugin's name.
        around: the specs and languages.
        force: True to overwrite files.

    Returns:
        A text for the user: the written files, and the next step.

    Raises:
        AbigenError: the API has no plugins, or files exist; nothing was written.
    """
    if request.api.endswith(_HEADERS) and not around.disk.is_dir(request.api):
        if request.entries or is_found_by_compilers(request.api):
            return _from_vendor(request, directory, around, force=force)
        return _from_header(request, directory, around, force=force)
    made, spec = _make(request, {}, around)
    place = directory or Path(made.project.identity.stem)
    kept, missing = kept_headers(made.project.vendor, around.includes, around.disk)
    text = _write_new(made, spec, place, around.disk, force=force, more=kept)
    if missing:
        text += f"{made.project.vendor} was not found: put it into {place / VENDOR}, or name its folder by -I\n"
    return text


def _from_header(request: ScaffoldRequest, directory: Path | None, around: Surroundings, *, force: bool) -> str:
    """Import a header to a spec in the new project, and begin the plugin from this spec."""
    header, disk = request.api, around.disk
    if not parse_operand(header, disk).revision and not disk.exists(header):
        refuse_missing(header, FileNotFoundError(), disk)
    guessed = ""
    with TemporaryDirectory(prefix="abigen-new-") as folder:
        specs = Path(folder, SPECS)
        try:
            reading = configure({}, None, Files(), ignored=False, cache=True)
            spec_path, notes = import_header(header, specs, reading, {})
            entities, likely = _entry_points(spec_path, specs)
            has_entry_point = any(each.entry_point for each in entities)
            if not has_entry_point and len(likely) > 1:
                names = [each.name for each in likely]
                message = f"several functions may be the entry point: {', '.join(names)}"
                raise AbigenError.at(None, message, f"name the one that the core looks up: --entry {names[0]}")
            if not has_entry_point and likely:
                guessed = likely[0].name
                import_header(header, specs, reading, likely[0].fillers)
                stated = with_entry_point(spec_path.read_text(encoding="utf-8"), guessed)
                spec_path.write_text(stated, encoding="utf-8")
            made, spec = _make(replace(request, api=str(spec_path)), {}, replace(around, spec_dir=specs))
        except AbigenError as error:
            raise _no_start(header, error) from error
        more = {f"{SPECS}/{each.name}": each.read_text(encoding="utf-8") for each in sorted(specs.iterdir())}
        place = directory or Path(made.project.identity.stem)
        text = _write_new(made, spec, place, disk, force=force, more=more, kept=f"{SPECS}/{spec_path.name}")
    text += "".join(f"{line}\n" for line in notes)
    text += f"wrote {place / SPECS / spec_path.name}, the spec of {header}"
    if guessed:
        text += f". {guessed} is assumed to be the entry point"
    return f"{text}\n"


def _from_vendor(request: ScaffoldRequest, directory: Path | None, around: Surroundings, *, force: bool) -> str:
    """Import a vendor's header to a spec in the new project, and begin a plugin that includes the header."""
    disk = around.disk
    written = vendor_spec(
        request.api,
        "",
        request.entries,
        configure({"includes": tuple(around.includes)}, None, disk, ignored=False, cache=True),
    )
    with TemporaryDirectory(prefix="abigen-new-") as folder:
        specs = Path(folder, SPECS)
        specs.mkdir()
        spec_path = specs / f"{written.name}.yaml"
        spec_path.write_text(written.text, encoding="utf-8")
        made, spec = _make(replace(request, api=str(spec_path), entries=()), {}, replace(around, spec_dir=specs))
    place = directory or Path(made.project.identity.stem)
    more = {f"{SPECS}/{spec_path.name}": written.text}
    more |= {f"{VENDOR}/{path}": text for path, text in texts_of(written.files, disk).items()}
    text = _write_new(made, spec, place, disk, force=force, more=more, kept=f"{SPECS}/{spec_path.name}")
    text += f"wrote {place / SPECS / spec_path.name}, the spec of {request.api}: the plugin exports "
    text += f"{', '.join(written.entries)}\n"
    return text + "".join(f"to find out: {question}\n" for question in written.questions)


def _entry_points(path: Path, specs: Path) -> tuple[list[Function], list[LikelyEntryPoint]]:
    """Return the functions of a spec that was just written, and those that may be its entry point."""
    disk = Files()
    api = load_specs([spec := spec_file(path, specs, disk)], lambda _: None, disk)[spec].groups[0].api
    return list(api.functions.values()), likely_entry_points(api)


def _no_start(header: str, error: AbigenError) -> AbigenError:
    """Return the error for a header of which no plugin can be begun: one line, whatever the number of causes."""
    first, *others = error.diagnostics
    cause = f"{first.place}: {first.message}" if first.place else first.message
    more = f" (and {len(others)} more)" if others else ""
    return AbigenError.at(None, f"abigen cannot begin a plugin from {printable(header)}: {cause}{more}", first.hint)


def _make(request: ScaffoldRequest, known: Mapping[str, str], around: Surroundings) -> tuple[Scaffold, SpecFile]:
    """Read the API, and make the project in memory."""
    languages, disk = around.languages, around.disk
    wanted, release = _split_release(request.api)
    spec = _find(wanted, around)
    chosen = languages.chosen(spec.api, request.features)
    more = dict.fromkeys(name for specs in chosen.values() for name in specs)
    found: dict[str, Publication] = {}
    for asked, at in [(spec, release), *((_find(name, around), "") for name in more)]:
        loaded = load_specs([asked], around.announce, disk, release=at)
        around.warn(loaded.values())
        for file, api in loaded.items():
            found.setdefault(file.name, publication_of(file, api))
    request = replace(request, api=spec.api, features=tuple(chosen))
    return scaffold(list(found.values()), request, languages, known), spec


def _split_release(api: str) -> tuple[str, str]:
    """`api@1.2.0` as name and release; a name with another @ in it is a name."""
    name, _, release = api.rpartition("@")
    return (name, release) if name and release.replace(".", "").isdecimal() else (api, "")


def _find(api: str, around: Surroundings) -> SpecFile:
    """Return the spec of an API."""
    found = specs_named(api, around.spec_dir, around.disk)
    if len(found) > 1:
        all_names = [each.api for each in found]
        known = set(plugin_apis(around.languages))
        names = ", ".join([each for each in all_names if each in known] or all_names)
        raise AbigenError.at(
            None, f"'{api}' is a folder of specs, and a plugin is for one API", f"name one of them: {names}"
        )
    return found[0]


def _with_origin(record: ProjectRecord, spec: SpecFile, directory: Path, disk: Files, kept: str = "") -> ProjectRecord:
    """Return the record with the place of the spec, by which an update finds the spec again.

    Args:
        record: of the project.
        spec: the API's.
        directory: the project's.
        disk: where the spec is read.
        kept: the path of the spec in the project, if the project has a copy.
    """
    if is_shipped(str(spec.folder)) and is_shipped(str(spec.path)):
        return record
    here = disk.real(directory)
    path = kept or Path(os.path.relpath(disk.real(spec.path), here)).as_posix()
    folder = SPECS if kept else Path(os.path.relpath(disk.real(spec.folder), here)).as_posix()
    return replace(record, spec=path, specs=folder, spec_digest=sha256(disk.read(spec.path)).hexdigest())


def _origin_of(record: ProjectRecord, directory: Path, disk: Files) -> tuple[Path, Path]:
    """Return the spec that a project was made from, and the folder of specs.

    Raises:
        AbigenError: the spec was removed.
    """
    stored, folder = directory / record.spec, directory / record.specs
    if not record.spec.endswith(SPEC_SUFFIXES) or not disk.is_file(stored):
        message = f"the spec of {record.name} is no longer at {stored}: it was {record.api} {record.api_version}"
        raise AbigenError.at(None, message.rstrip(), "--api FILE names the spec in its new place")
    return stored, folder if disk.is_dir(folder) else stored.parent


def _unreleased(before: ProjectRecord, now: ProjectRecord) -> str:
    """Return a line if the spec has changed, and still states the release that the project was made from."""
    is_same = now.api_version == before.api_version != ""
    if not is_same or not before.spec_digest or now.spec_digest == before.spec_digest:
        return ""
    return f"{now.spec} has changed since, and is still release {before.api_version}\n"


def _write_new(
    made: Scaffold,
    spec: SpecFile,
    directory: Path,
    disk: Files,
    *,
    force: bool,
    more: Mapping[str, str] | None = None,
    kept: str = "",
) -> str:
    """Write a new project, unless something is in its place.

    Args:
        made: the project.
        spec: of its API.
        directory: where to.
        disk: where files are looked up.
        force: True to overwrite what is there.
        more: files that the project has besides, by path.
        kept: the path of the spec among `more`.
    """
    record = _with_origin(record_of(made), spec, directory, disk, kept)
    files = {**made.files, **(more or {}), RECORD: record.text()}
    if not force:
        there = [path for path in files if os.path.lexists(directory / path)]
        if there:
            named = ", ".join(there[:_MOST_NAMES]) + (", ..." if len(there) > _MOST_NAMES else "")
            said = f"{directory / there[0]} is" if len(there) == 1 else f"{len(there)} files of {directory} are"
            message = f"{said} there already; nothing was written"
            if len(there) > 1:
                message += f": {named}"
            hint = "--force overwrites" + (", and --update brings a project up to date" if RECORD in there else "")
            raise AbigenError.at(None, message, hint)
    write_files({path: text.encode() for path, text in files.items()}, directory, disk)
    return f"wrote {len(files)} files to {directory}\nnext: see {directory / 'README.md'}\n"


def update_project(name: str | None, directory: Path | None, api: str | None, around: Surroundings) -> str:
    """Bring a project up to the current release of its API.

    Args:
        name: the plugin, or the folder of the project if `directory` is None.
        directory: the folder of the project.
        api: the API in its new place; None if it is where it was.
        around: the specs and languages.

    Returns:
        A text for the user: the written files, and what is left to do.

    Raises:
        AbigenError: there is no project, or its spec was removed.
    """
    if directory is None:
        directory = Path(name or ".")
        name = None
    record = _record_in(directory, name, around.disk)
    disk = around.disk
    request = ScaffoldRequest(
        name=record.name,
        device_type=record.device_type,
        api=api or record.api,
        language=record.language,
        features=tuple(record.features),
        minimal=record.minimal,
        entries=record.entries,
        left_out=deleted(record, _texts(directory, record.files)),
    )
    if record.spec and api is None and around.spec_dir is None:
        stored, folder = _origin_of(record, directory, disk)
        around = replace(around, spec_dir=folder)
        request = replace(request, api=os.path.normpath(stored))
    try:
        _find(_split_release(request.api)[0], around)
    except AbigenError as error:
        raise AbigenError.at(None, error.diagnostics[0].message, "--api or --spec-dir names its spec") from error
    known = {key: each[0] for key, each in record.functions.items() if key not in request.left_out}
    made, spec = _make(request, known, around)
    paths = {*record.files, *made.files, *_sources(directory)}
    present = {
        each: content for each in paths if (content := read_file(inside(directory, each, disk), disk)) is not None
    }
    done = update(record, made, present)
    files = {each: text.encode("utf-8", "surrogateescape") for each, text in done.files.items()}
    renewed = _with_origin(done.record, spec, directory, disk)
    files[RECORD] = renewed.text().encode()
    changed = write_files(files, directory, disk)
    remove_files(done.removed, directory)
    then, now = (f"{each.api} {each.api_version}".rstrip() for each in (record, done.record))
    text = f"{record.name}: {then} to {now}\n"
    text += "".join(f"wrote {directory / each}\n" for each in changed if each != RECORD)
    text += _unreleased(record, renewed)
    text += "".join(f"{each}\n" for each in done.remarks)
    text += "to do:\n" + "".join(f"  {each}\n" for each in done.tasks) if done.tasks else "nothing is left to do\n"
    return text


def _record_in(directory: Path, name: str | None, disk: Files) -> ProjectRecord:
    """Return the record that a project keeps of itself.

    Raises:
        AbigenError: this is no project, or one of a plugin with another name.
    """
    path = directory / RECORD
    stated = read_file(path, disk)
    if stated is None:
        hint = "without --update, abigen begins a project"
        raise AbigenError.at(None, f"{directory} is not a project of abigen new: there is no {path}", hint)
    record = read_record(stated.decode("utf-8", "replace"), str(path))
    if name not in (None, record.name):
        raise AbigenError.at(None, f"the plugin in {directory} is {record.name}, not {name}")
    return record


def _texts(directory: Path, files: Iterable[str]) -> Iterator[str]:
    """Yield the texts of all files of a project that may hold functions: those of the language of its sources."""
    suffixes = {Path(each).suffix for each in files if each.startswith("src/")}
    for path in directory.rglob("*"):
        if path.suffix in suffixes and path.is_file() and path.relative_to(directory).parts[0] not in _MADE:
            yield path.read_text(encoding="utf-8", errors="replace")


def _sources(directory: Path) -> Iterable[str]:
    """Return all files below the folder that abigen puts sources into."""
    found = (path for path in (directory / "src").rglob("*") if path.is_file())
    return [path.relative_to(directory).as_posix() for path in found]
