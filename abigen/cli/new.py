"""Begin a plugin: a whole project, with sources, build, test and packaging."""

from __future__ import annotations

import os
from contextlib import redirect_stdout
from hashlib import sha256
from importlib import import_module
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click
from msgspec.structs import replace

from abigen.checker.configuration import configure
from abigen.cli import completion, terminal
from abigen.cli.options import spec_dir_option, templates_option
from abigen.generator.importing.vendor_header import VENDOR, is_found_by_compilers, kept_headers, texts_of
from abigen.generator.project import load_specs, publication_of, specs_named, templates_of
from abigen.model.span import AbigenError, printable
from abigen.workspace.files import Files
from abigen.workspace.operand import SPEC_SUFFIXES
from abigen.workspace.shipped import SPECS, is_shipped

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from abigen.generator.build import SpecFile
    from abigen.generator.imported.document import LikelyEntryPoint
    from abigen.generator.new.scaffold import Languages, ProjectRecord, Scaffold
    from abigen.generator.new.view import ScaffoldRequest
    from abigen.generator.publication import Publication
    from abigen.model.entities import Function

_LANGUAGE = "c"
_MADE = ("generated", "build", "target", "vendor")
"""Folders of a project in which its author writes nothing."""
_HEADERS = (".h", ".hh", ".hpp", ".hxx")

_EXAMPLES = """\b
The project is written to DIR, by default a folder with the plugin's name. abigen
owns the files in generated/ there, and overwrites them with --update. All other
files are yours.

\b
--api is the path of a spec below the folder of specs, without suffix, or a
file; API@1.2.0 is the API at an earlier release. With abigen come the APIs
rfc/stream_executor, tensorflow/kernels, tensorflow/stream_executor, xla/ffi
and xla/pjrt. Of vendors there are adbc, frei0r, ladspa, opencl_icd, pkcs11,
redis, sqlite and sudo.

\b
If --api is a header, abigen writes its spec to spec/ in the project. With
--entry, or if every compiler finds it, the header stays its vendor's, and the
plugin includes it. --entry names what the host looks up in each plugin; {name}
is replaced by the name of the plugin.

\b
Examples:
  abigen new XPU --api tensorflow/stream_executor --lang c
  abigen new XPU --api tensorflow/stream_executor --lang c --with kernels,ops
  abigen new XPU --api tensorflow/stream_executor --lang cpp --minimal
  abigen new gain --api ladspa --lang rust
  abigen new gain --api api.h --entry 'int api_{name}_init(const api_table* api)'
  abigen new --update xpu      after the API has had another release

\b
Exit codes: 0 fine; 2 a file exists already, or something is wrong, and nothing
was written.
"""


@click.command(epilog=_EXAMPLES)
@click.argument("name", required=False)
@click.argument("directory", required=False, metavar="[DIR]", type=click.Path(path_type=Path))
@click.option(
    "--api",
    metavar="API",
    shell_complete=completion.among(completion.apis_of_new),
    help="The API that the plugin is for.",
)
@click.option("--lang", "language", metavar="LANG", help="The programming language.  [default: c]")
@click.option(
    "--with", "features", multiple=True, metavar="FEATURE,...", help="Features to add, for example kernels,ops."
)
@click.option("--entry", "entries", multiple=True, metavar="NAME",
              help="What the host looks up in the plugin: a name, or a declaration that the header lacks.")  # fmt: skip
@click.option("-I", "includes", multiple=True, metavar="DIR", help="Also look for the vendor's header in DIR.")
@click.option("--minimal", is_flag=True, help="Write required functions only; no test, no packaging, no CI.")
@click.option("--device-type", metavar="TYPE", help="The type of the plugin's devices.  [default: NAME]")
@click.option("--force", is_flag=True, help="Overwrite existing files.")
@click.option("--update", is_flag=True, help="Bring the project in DIR up to the API's current release.")
@templates_option
@spec_dir_option
@click.pass_obj
def command(
    disk: Files,
    name: str | None,
    directory: Path | None,
    api: str | None,
    language: str | None,
    features: tuple[str, ...],
    entries: tuple[str, ...],
    includes: tuple[str, ...],
    minimal: bool,
    device_type: str | None,
    force: bool,
    update: bool,
    template_dir: Path | None,
    spec_dir: Path | None,
) -> int:
    """Begin a plugin: a whole project, with sources, build, test and packaging."""
    from abigen.generator.new.scaffold import Languages
    from abigen.generator.new.view import ScaffoldRequest

    languages = Languages(templates_of(template_dir, disk))
    if update:
        given = {"--lang": language, "--with": features, "--minimal": minimal, "--device-type": device_type}
        for option, value in given.items():
            if value:
                raise click.UsageError(f"{option} cannot change in an update.")
        return _update(name, directory, api, languages, spec_dir)
    if name is None:
        raise click.UsageError("Missing argument 'NAME'.")
    if api is None:
        raise click.UsageError(f"Missing option '--api'; there are {', '.join(completion.apis_of_new())}.")
    wanted = tuple(dict.fromkeys(each for given in features for each in given.split(",") if each))
    request = ScaffoldRequest(
        name=name,
        device_type=device_type,
        api=api,
        language=language or _LANGUAGE,
        features=wanted,
        minimal=minimal,
        entries=entries,
    )
    if api.endswith(_HEADERS) and not disk.is_dir(api):
        if entries or is_found_by_compilers(api):
            return _new_from_vendor(request, directory, languages, includes, force=force)
        return _new_from_header(request, directory, languages, force=force)
    made, spec = _make(request, {}, languages, spec_dir)
    place = directory or Path(made.project.identity.stem)
    kept, missing = kept_headers(made.project.vendor, includes, disk)
    code = _write_new(made, spec, place, disk, force=force, more=kept)
    if missing:
        terminal.say(f"{made.project.vendor} was not found: put it into {place / VENDOR}, or name its folder by -I\n")
    return code


def _new_from_header(request: ScaffoldRequest, directory: Path | None, languages: Languages, *, force: bool) -> int:
    """Import a header to a spec in the new project, and begin the plugin from this spec."""
    from abigen.generator.imported.document import with_entry_point
    from abigen.workspace.operand import parse_operand, refuse_missing

    header, disk = request.api, languages.templates.disk
    if not parse_operand(header, disk).revision and not disk.exists(header):
        refuse_missing(header, FileNotFoundError(), disk)
    guessed = ""
    with TemporaryDirectory(prefix="abigen-new-") as folder:
        specs = Path(folder, SPECS)
        try:
            spec_path, notes = _import(header, specs)
            entities, likely = _entry_points(spec_path, specs)
            has_entry_point = any(each.entry_point for each in entities)
            if not has_entry_point and len(likely) > 1:
                names = [each.name for each in likely]
                message = f"several functions may be the entry point: {', '.join(names)}"
                raise AbigenError.at(None, message, f"name the one that the core looks up: --entry {names[0]}")
            if not has_entry_point and likely:
                guessed = likely[0].name
                fillers = [f"--filled-by={struct}={side}" for struct, side in likely[0].fillers.items()]
                _import(header, specs, "--force", *fillers)
                text = with_entry_point(spec_path.read_text(encoding="utf-8"), guessed)
                spec_path.write_text(text, encoding="utf-8")
            made, spec = _make(replace(request, api=str(spec_path)), {}, languages, specs)
        except AbigenError as error:
            raise _no_start(header, error) from error
        more = {f"{SPECS}/{each.name}": each.read_text(encoding="utf-8") for each in sorted(specs.iterdir())}
        place = directory or Path(made.project.identity.stem)
        code = _write_new(made, spec, place, disk, force=force, more=more, kept=f"{SPECS}/{spec_path.name}")
    terminal.say("".join(f"{line}\n" for line in notes))
    said = f"wrote {place / SPECS / spec_path.name}, the spec of {header}"
    if guessed:
        said += f". {guessed} is assumed to be the entry point"
    terminal.say(f"{said}\n")
    return code


def _new_from_vendor(
    request: ScaffoldRequest, directory: Path | None, languages: Languages, includes: Sequence[str], *, force: bool
) -> int:
    """Import a vendor's header to a spec in the new project, and begin a plugin that includes the header."""
    from abigen.generator.importing.vendor_header import vendor_spec

    disk = languages.templates.disk
    written = vendor_spec(
        request.api,
        "",
        request.entries,
        configure({"includes": tuple(includes)}, None, disk, ignored=False, cache=True),
    )
    with TemporaryDirectory(prefix="abigen-new-") as folder:
        specs = Path(folder, SPECS)
        specs.mkdir()
        spec_path = specs / f"{written.name}.yaml"
        spec_path.write_text(written.text, encoding="utf-8")
        made, spec = _make(replace(request, api=str(spec_path), entries=()), {}, languages, specs)
    place = directory or Path(made.project.identity.stem)
    more = {f"{SPECS}/{spec_path.name}": written.text}
    more |= {f"{VENDOR}/{path}": text for path, text in texts_of(written.files, disk).items()}
    code = _write_new(made, spec, place, disk, force=force, more=more, kept=f"{SPECS}/{spec_path.name}")
    said = f"wrote {place / SPECS / spec_path.name}, the spec of {request.api}: the plugin exports "
    terminal.say(f"{said}{', '.join(written.entries)}\n")
    terminal.say("".join(f"to find out: {each}\n" for each in written.questions))
    return code


def _import(header: str, specs: Path, *options: str) -> tuple[Path, list[str]]:
    """Write the spec of a header into a folder; return its path, and what `abigen import` says besides."""
    importing: click.Command = import_module("abigen.cli.import").command
    said = StringIO()
    with redirect_stdout(said):
        context = importing.make_context("import", [header, "--out", str(specs), *options], obj=Files())
        with context:
            importing.invoke(context)
    lines = said.getvalue().splitlines()
    # The spec of the header itself is written last, after those of what it includes.
    written = [line for line in lines if line.startswith(f"wrote {specs}")]
    path = specs / Path(written[-1].removeprefix("wrote ")).name
    return path, [line for line in lines if not line.startswith("wrote ")]


def _entry_points(path: Path, specs: Path) -> tuple[list[Function], list[LikelyEntryPoint]]:
    """Return the functions of a spec that was just written, and those that may be its entry point."""
    from abigen.generator.build import spec_file
    from abigen.generator.imported.document import likely_entry_points

    disk = Files()
    api = load_specs([spec := spec_file(path, specs, disk)], lambda _: None, disk)[spec].groups[0].api
    return list(api.functions.values()), likely_entry_points(api)


def _no_start(header: str, error: AbigenError) -> AbigenError:
    """Return the error for a header of which no plugin can be begun: one line, whatever the number of causes."""
    first, *others = error.diagnostics
    cause = f"{first.place}: {first.message}" if first.place else first.message
    more = f" (and {len(others)} more)" if others else ""
    return AbigenError.at(None, f"abigen cannot begin a plugin from {printable(header)}: {cause}{more}", first.hint)


def _make(
    request: ScaffoldRequest, known: Mapping[str, str], languages: Languages, spec_dir: Path | None
) -> tuple[Scaffold, SpecFile]:
    """Read the API, and make the project in memory."""
    from abigen.generator.new.scaffold import scaffold

    disk = languages.templates.disk
    wanted, release = _split_release(request.api)
    spec = _find(wanted, spec_dir, disk)
    chosen = languages.chosen(spec.api, request.features)
    more = dict.fromkeys(name for specs in chosen.values() for name in specs)
    found: dict[str, Publication] = {}
    with terminal.progress() as announce:
        for asked, at in [(spec, release), *((_find(name, spec_dir, disk), "") for name in more)]:
            loaded = load_specs([asked], announce, disk, release=at)
            terminal.write_warnings(loaded.values())
            for each, api in loaded.items():
                found.setdefault(each.name, publication_of(each, api))
    request = replace(request, api=spec.api, features=tuple(chosen))
    return scaffold(list(found.values()), request, languages, known), spec


def _split_release(api: str) -> tuple[str, str]:
    """`api@1.2.0` as name and release; a name with another @ in it is a name."""
    name, _, release = api.rpartition("@")
    return (name, release) if name and release.replace(".", "").isdecimal() else (api, "")


_MOST_NAMES = 3
"""The number of conflicting files that are named."""


def _find(api: str, spec_dir: Path | None, disk: Files) -> SpecFile:
    """Return the spec of an API."""
    found = specs_named(api, spec_dir, disk)
    if len(found) > 1:
        all_names = [each.api for each in found]
        known = set(completion.apis_of_new())
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
) -> int:
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
    from abigen.generator.new.scaffold import RECORD, record_of
    from abigen.generator.output_files import write_files

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
    terminal.say(f"wrote {len(files)} files to {directory}\nnext: see {directory / 'README.md'}\n")
    return 0


def _update(
    name: str | None, directory: Path | None, api: str | None, languages: Languages, spec_dir: Path | None
) -> int:
    """Bring a project up to date, and say what is left to do."""
    from abigen.generator.new.scaffold import RECORD, deleted, read_record, update
    from abigen.generator.new.view import ScaffoldRequest
    from abigen.generator.output_files import inside, read_file, remove_files, write_files

    if directory is None:
        directory = Path(name or ".")
        name = None
    path = directory / RECORD
    disk = languages.templates.disk
    stated = read_file(path, disk)
    if stated is None:
        hint = "without --update, abigen begins a project"
        raise AbigenError.at(None, f"{directory} is not a project of abigen new: there is no {path}", hint)
    record = read_record(stated.decode("utf-8", "replace"), str(path))
    if name not in (None, record.name):
        raise AbigenError.at(None, f"the plugin in {directory} is {record.name}, not {name}")
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
    if record.spec and api is None and spec_dir is None:
        stored, spec_dir = _origin_of(record, directory, disk)
        request = replace(request, api=os.path.normpath(stored))
    try:
        _find(_split_release(request.api)[0], spec_dir, disk)
    except AbigenError as error:
        raise AbigenError.at(None, error.diagnostics[0].message, "--api or --spec-dir names its spec") from error
    known = {key: each[0] for key, each in record.functions.items() if key not in request.left_out}
    made, spec = _make(request, known, languages, spec_dir)
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
    terminal.say(text)
    return 0


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
