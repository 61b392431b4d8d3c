"""Builds a plugin project in memory, and updates an existing one.

A project has files that its author edits, and files that each update writes anew.

A language is a folder below `new/`; `project/` in it has the files of every project. The files of one API are in
`new/api/` below the API's name: a folder for each language, whose files replace those of the same path, and
`features.yaml`, which lists what can be added and which other specs that needs.

A project keeps a record of how it was made, so that an update knows what is new and what its author has written.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import asdict, replace

from abigen.generator.build import TARGETS, build
from abigen.generator.c.lines import Speller, wrap_macro
from abigen.generator.cpp.functions import named_parameters, plain_parameter
from abigen.generator.cpp.header import header_of
from abigen.generator.cpp.target import FILTERS as CPP_FILTERS
from abigen.generator.cpp.view import CppTableMember, table_name
from abigen.generator.new.plugin import PluginSide
from abigen.generator.new.view import (
    BEGIN,
    END,
    NAME,
    PluginClass,
    PluginFunction,
    PluginIdentity,
    PluginInCpp,
    PluginInRust,
    ScaffoldProject,
    ScaffoldRequest,
    identify,
)
from abigen.generator.publication import Publication
from abigen.generator.python.cffi_types import CffiTypes
from abigen.generator.rust.target import FILTERS as RUST_FILTERS
from abigen.generator.rust.view import INTEGERS, RustFunction, declared_in_rust, module_of, rust_name
from abigen.generator.templates import Templates
from abigen.model.api import Api, HostProgram
from abigen.model.contract import Party
from abigen.model.ctype import RecordType
from abigen.model.entities import Function, Variable
from abigen.model.span import AbigenError, did_you_mean
from abigen.model.spelling import reserved_word
from abigen.version import __version__
from abigen.workspace.shipped import hint_about

_ROOT = "new"
_APIS = "api"
_SUFFIX = ".j2"


class Languages(msgspec.Struct, frozen=True):
    """The languages and APIs that there are templates for."""

    templates: Templates

    def languages(self) -> tuple[str, ...]:
        """Return names of all languages, sorted."""
        folders = {name.split("/")[1] for name in self.templates.names(_ROOT) if "/project/" in name}
        return tuple(sorted(folders - {_APIS}))

    def files(self, language: str, api: str) -> Mapping[str, str]:
        """Return the files of a project: path in the project, `__stem__` standing for the plugin's name, to template.

        Raises:
            AbigenError: there is no such language, with a suggestion.
        """
        known = self.languages()
        if language not in known:
            raise AbigenError.at(None, f"there is no language '{language}'", _close(language, known))
        found: dict[str, str] = {}
        for folder in (f"{_ROOT}/{language}/project/", f"{_ROOT}/{_APIS}/{api}/{language}/project/"):
            found |= {
                name.removeprefix(folder).removesuffix(_SUFFIX): name
                for name in self.templates.names(folder)
                if name.endswith(_SUFFIX)
            }
        return dict(sorted(found.items()))

    def calls_own_functions(self, api: str) -> bool:
        """True if the core calls functions with names that plugins choose, as `functions: own` in `api.yaml` says."""
        stated = self._mapping(f"{_ROOT}/{_APIS}/{api}/api.yaml") or {}
        return stated.get("functions") == "own"

    def has_own_functions(self, api: str, language: str) -> bool:
        """True if plugins name the functions that the core calls, as `functions: own` in `api.yaml` says.

        Raises:
            AbigenError: they do, and there are no files for the language, which would have these functions.
        """
        if not self.calls_own_functions(api):
            return False
        folders = f"{_ROOT}/{_APIS}/{api}/"
        names = (name.removeprefix(folders) for name in self.templates.names(folders))
        known = sorted({name.partition("/")[0] for name in names if "/project/" in name})
        if language not in known:
            raise AbigenError.at(None, f"there is nothing for {api} in '{language}'", f"there is {', '.join(known)}")
        return True

    def targets(self, language: str) -> Mapping[str, str]:
        """Return the targets of `abigen build` that a project needs, and their folders below its generated files.

        `new/LANGUAGE/targets.yaml` says so; without it that is target `c`, to `include`.

        Raises:
            AbigenError: the file is not what it should be.
        """
        stated = self._mapping(f"{_ROOT}/{language}/targets.yaml")
        if stated is None:
            return {"c": "include"}
        unknown = [each for each in stated if each not in TARGETS]
        if unknown:
            raise AbigenError.at(None, f"there is no target '{unknown[0]}'", _close(str(unknown[0]), TARGETS))
        return {str(target): str(folder) for target, folder in stated.items()}

    def callback(self, language: str, api: str) -> str:
        """Return the template of a function for which the API has no body: the API's own, or else the language's."""
        own = f"{_ROOT}/{_APIS}/{api}/{language}/callback.j2"
        return own if self.templates.exists(own) else f"{_ROOT}/{language}/callback.j2"

    def callbacks(self, language: str, api: str) -> tuple[str, str]:
        """Return the file for such functions: where it goes below `src/`, and the template of its beginning.

        Raises:
            AbigenError: the language has none.
        """
        for folder in (f"{_ROOT}/{_APIS}/{api}/{language}", f"{_ROOT}/{language}"):
            for name in self.templates.names(folder):
                directory, _, file = name.rpartition("/")
                if directory == folder and file.startswith("callbacks.") and file.endswith(_SUFFIX):
                    return f"src/{file.removesuffix(_SUFFIX)}", name
        raise AbigenError.at(None, f"the templates of '{language}' have no callbacks.*{_SUFFIX}")

    def features(self, api: str) -> Mapping[str, tuple[str, ...]]:
        """Return the features that a plugin of an API can have, each with the specs whose headers it includes.

        Raises:
            AbigenError: `features.yaml` is not what it should be.
        """
        name = f"{_ROOT}/{_APIS}/{api}/features.yaml"
        stated: Mapping[object, Any] = self._mapping(name) or {}
        for key, value in stated.items():
            if not isinstance(value, dict) or set(value) != {"doc", "specs"} or not isinstance(value["specs"], list):
                raise AbigenError.at(None, f"{name}: '{key}' needs a doc, and a list of specs")
        return {str(key): tuple(map(str, value["specs"])) for key, value in stated.items()}

    def _mapping(self, name: str) -> Mapping[object, object] | None:
        """Return a file of YAML that says something by its keys; None when there is none."""
        if not self.templates.exists(name):
            return None
        import yaml

        try:
            stated = yaml.safe_load(self.templates.render(name, {}))
        except yaml.YAMLError as error:
            raise AbigenError.at(None, f"{name} is not YAML: {' '.join(str(error).split())}") from error
        if not isinstance(stated, dict):
            raise AbigenError.at(None, f"{name} is not a mapping of keys to values")
        return stated

    def chosen(self, api: str, wanted: Iterable[str]) -> Mapping[str, tuple[str, ...]]:
        """Return the features that were asked for, as `features` gives them.

        Raises:
            AbigenError: there is no such feature, with a suggestion.
        """
        known = self.features(api)
        for each in wanted:
            if each not in known:
                raise AbigenError.at(None, f"{api} has no feature '{each}'", _close(each, known))
        return {name: specs for name, specs in known.items() if name in set(wanted)}


def _close(name: str, known: Collection[str]) -> str:
    return did_you_mean(name, known, f"there is {', '.join(known) or 'none'}", shown="'{}'".format)


GENERATED = "generated/"
"""The folder that each update generates anew; all other files are the author's."""

_CHECKS = f"{GENERATED}checks/"
_STEM = "__stem__"
_MARKED = re.compile(rf"{BEGIN}([^{BEGIN}{END}]+){NAME}([^{BEGIN}{END}]*){END}\n?(.*?){BEGIN}/\1{END}\n?", re.DOTALL)


class WrittenFunction(msgspec.Struct, frozen=True):
    """A function in a file of a project, between the marks that its template has printed around it."""

    name: str
    """The name in the file."""
    text: str
    path: str
    """Of the file, in the project."""


class Scaffold(msgspec.Struct, frozen=True, kw_only=True):
    """A project, in memory."""

    project: ScaffoldProject
    files: Mapping[str, str]
    """Path to text."""
    written: Mapping[str, WrittenFunction]
    """Each function by its key as some file has it, or as it could stand at the end of one."""


def scaffold(
    publications: Sequence[Publication], request: ScaffoldRequest, languages: Languages, known: Mapping[str, str]
) -> Scaffold:
    """Make a project.

    Args:
        publications: the API that the plugin is for; then those that it uses, and those of the features.
        request: what the author wants.
        languages: the templates.
        known: names that functions have already, by their keys; empty for a new project.

    Raises:
        AbigenError: a name cannot be used, the API has nothing that a plugin could implement, or a template is wrong.
    """
    identity = identify(request.name, request.device_type, publications[0].api)
    _refuse_unknown_entries(request.entries, publications[0])
    side = PluginSide(
        publications[0], identity, known,
        minimal=request.minimal, chosen=request.entries, left_out=request.left_out,
    )  # fmt: skip
    is_own = languages.has_own_functions(request.api, request.language)
    if is_own:
        side.functions, side.tables = {}, ()
    own = publications[0].api
    is_begun = any(each.in_api and each.entry_point for each in own.functions.values())
    if not (is_own or is_begun) and any(each.in_api and each.extension for each in own.structs.values()):
        message = f"{publications[0].spec} describes an extension, which the plugin of another API offers"
        raise AbigenError.at(None, message, "begin a plugin for that API, and write the extension there")
    has_exports = any(each.exported for each in side.functions.values()) or bool(side.objects)
    if not has_exports and not is_own:
        message = f"a plugin of {publications[0].spec} would export nothing: no function or variable is an entry point"
        hint = hint_about(publications[0].api.name, "state `entry_point: true` at the function that the core looks up")
        raise AbigenError.at(None, message, hint)
    targets = languages.targets(request.language)
    if "python" in targets:
        _refuse_opaque_values(publications[0], side.functions)
    has_checks = "c" in targets and not publications[0].header.vendor
    checks = _generated(publications[:1], "c-checks", languages, _CHECKS) if has_checks else {}
    files = dict(checks)
    for target, folder in targets.items():
        files |= _generated(publications, target, languages, f"{GENERATED}{folder}/")
    cpp = _in_cpp(publications, side.functions, identity) if "cpp" in targets else None
    rust = _in_rust(publications, _all_functions(side)) if "rust" in targets else None
    project = replace(_project(publications, request, identity, side, checks, cpp), rust=rust)
    written: dict[str, WrittenFunction] = {}
    for path, template in languages.files(request.language, request.api).items():
        place = path.replace(_STEM, identity.stem)
        text, found = _unmarked(languages.templates.render(template, _FILTERS, project=project), place)
        if text.strip():
            files[place] = text
            written |= found
    missing = [each for each in project.functions.values() if each.key not in written]
    if missing:
        place, begin = languages.callbacks(request.language, request.api)
        made = {each.key: _default(each, project, languages, place) for each in missing}
        head = languages.templates.render(begin, _FILTERS, project=project)
        files[place] = "\n".join((head, *(each.text for each in made.values())))
        written |= made
    return Scaffold(project=project, files=dict(sorted(files.items())), written=written)


def _refuse_opaque_values(publication: Publication, functions: Iterable[str]) -> None:
    """Raise an error if a function takes or returns a struct by value of which cffi cannot know the members.

    Args:
        publication: of the API.
        functions: their keys.
    """
    api = publication.api
    types = CffiTypes(api)
    for key in functions:
        struct, _, name = key.rpartition(".")
        member = api.structs[struct].member(name) if struct else None
        type = api.callback(member.type) if member is not None else api.functions[key].type if not struct else None
        for each in (type.result, *(one.type for one in type.parameters)) if type is not None else ():
            resolved = api.resolve(each)
            if isinstance(resolved, RecordType) and not types.is_transparent(resolved.key):
                span = member.span if member is not None else api.functions[key].span
                message = (
                    f"{key} passes {resolved.key} by value, which Python cannot represent: its layout needs attributes"
                )
                hint = "begin the plugin in another language, or pass a pointer to the struct"
                raise AbigenError.at(span, message, hint)


def _generated(publications: Iterable[Publication], target: str, languages: Languages, folder: str) -> dict[str, str]:
    """Return the output of a target, by path in the project."""
    together = [replace(each, group="") for each in publications]
    files = build(together, (target,), languages.templates)
    return {folder + path.removeprefix(f"{target}/"): content.decode() for path, content in files.items()}


def _unmarked(text: str, path: str) -> tuple[str, dict[str, WrittenFunction]]:
    """Return the output of a template without marks, and the functions between the marks, by their keys."""
    found = {match[1]: WrittenFunction(match[2], match[3], path) for match in _MARKED.finditer(text)}
    return _MARKED.sub(lambda match: match[3], text), found


def _default(function: PluginFunction, project: ScaffoldProject, languages: Languages, path: str) -> WrittenFunction:
    """Return the text of a function for which the API has no body."""
    template = languages.callback(project.language, project.api)
    text = languages.templates.render(template, _FILTERS, project=project, function=function)
    return _unmarked(text, path)[1].get(function.key, WrittenFunction(function.name, text, path))


def _project(
    publications: Sequence[Publication],
    request: ScaffoldRequest,
    identity: PluginIdentity,
    side: PluginSide,
    checks: Iterable[str],
    cpp: PluginInCpp | None,
) -> ScaffoldProject:
    """Return the view of a project for the first of these APIs, which takes the others."""
    api, header = publications[0].api, publications[0].api.header
    assert header is not None, "only specs say how they are published"
    checking = [path.removeprefix(_CHECKS) for path in checks if path.endswith("_checks.h")]
    functions = [each for publication in publications for each in publication.api.functions.values()]
    core = (each for each in functions if each.in_api and each.implemented_by is Party.CORE and not each.static)
    return ScaffoldProject(
        **asdict(request),
        identity=identity,
        api_version=str(api.version.version) if api.version else "",
        abigen_version=__version__,
        banner=(publications[0].banner[0], "To generate it again: abigen new --update"),
        includes=(f'"{side.helpers.path}"',) if side.helpers else header.published,
        vendor=header.vendor,
        constants=tuple(
            each.name
            for each in api.constants.values()
            if header.vendor and each.in_api and each.expression is not None
        ),
        extern_c=header.extern_c,
        checks=checking[0] if checking else "",
        check_sources=tuple(path.removeprefix(_CHECKS) for path in checks if path.endswith(".c")),
        loaders=side.loaders if checking else (),
        handed=side.handed,
        finding=f"{header.prefix}_Finding" if checking else "",
        major=header.version_macros[0] if header.version_macros else "",
        core_functions=tuple(each.name for each in core),
        errors=api.conventions.errors,
        functions=side.functions,
        tables=side.tables,
        objects=side.objects,
        life=side.life,
        host=_host(header.host, identity),
        cpp=cpp,
        rust=None,
    )


def _host(host: HostProgram, identity: PluginIdentity) -> HostProgram:
    """Return the program that loads the plugin, with the plugin's name in its texts."""

    def named(text: str) -> str:
        return text.replace("{name}", identity.stem)

    return HostProgram(
        library=named(host.library),
        files={named(name): named(text) for name, text in host.files.items()},
        command=named(host.command),
        environment={name: named(text) for name, text in host.environment.items()},
    )


def _refuse_unknown_entries(entries: Sequence[str], publication: Publication) -> None:
    """Refuse a name of an entry point that the API does not have."""
    api = publication.api
    entities: list[Function | Variable] = [*api.functions.values(), *api.variables.values()]
    known = [each.name for each in entities if each.in_api and each.implemented_by is Party.PLUGIN]
    for each in entries:
        if each not in known:
            raise AbigenError.at(
                None,
                f"{publication.spec} has no entry point {each}",
                did_you_mean(each, known, f"it has {', '.join(known)}"),
            )


def _all_functions(side: PluginSide) -> Mapping[str, PluginFunction]:
    """Return the plugin's functions, and those of the core that its tests need, by key."""
    cores = (each.function for objects in side.handed.values() for handed in objects for each in handed.values)
    return {**side.functions, **{each.key: each for each in cores if each is not None}}


def _in_rust(publications: Sequence[Publication], functions: Mapping[str, PluginFunction]) -> PluginInRust:
    """Return the view of functions in Rust."""
    modules = [module_of(each) for each in publications]
    api = publications[0].api
    structs = {each.name: each for module in modules for each in module.structs}
    declared: dict[str, RustFunction | None] = {}
    for key in functions:
        struct, _, name = key.rpartition(".")
        member = api.structs[struct].member(name) if struct else None
        type = api.callback(member.type) if member else api.functions[name].type
        assert type is not None, "only functions are asked for"
        named = replace(type, parameters=named_parameters(type.parameters))
        declared[key] = declared_in_rust(Function(name=functions[key].name, type=named), api)
    return PluginInRust(
        modules=tuple(each.path.removesuffix(".rs") for each in modules),
        structs=structs,
        functions={key: each for key, each in declared.items() if each is not None},
        numbers=frozenset(each.name for module in modules for each in module.constants if each.type in INTEGERS),
    )


def _in_cpp(
    publications: Sequence[Publication], functions: Mapping[str, PluginFunction], identity: PluginIdentity
) -> PluginInCpp:
    """Return the view of a plugin's classes in C++: those whose functions go into tables, on top of target `cpp`."""
    headers = [header_of(each) for each in publications]
    header, api = headers[0], publications[0].api
    tables = {table.struct: table for table in header.tables}
    keys: dict[str, list[str]] = {}
    for key, function in functions.items():
        if not function.exported:
            keys.setdefault(key.partition(".")[0], []).append(key)
    prefix = api.header.prefix if api.header is not None else ""
    declared = {*api.structs, *api.enums, *api.typedefs, *api.functions}
    classes: dict[str, PluginClass] = {}
    for struct, own in keys.items():
        table = tables.get(struct)
        filled = {f"{struct}.{each.c.name}": each for each in table.members} if table is not None else {}
        complete = all(key in filled for key in own)
        name = table.name if table is not None else table_name(struct, prefix)
        name = f"My{name}" if name in declared else name
        base = f"{header.namespace}::{table.name}" if table is not None and complete else ""
        members = {key: filled[key] if complete else _as_in_c(key, api) for key in own}
        classes[struct] = PluginClass(name=name, base=base, functions=members)
    taken = {"std", "abigen", *(each.namespace for each in headers)}
    clashes = identity.stem in taken or reserved_word(identity.stem)
    return PluginInCpp(
        namespace=f"{identity.stem}_plugin" if clashes else identity.stem,
        include="" if header.is_empty else header.path,
        failing=header.reports.owner if header.reports else "",
        classes=classes,
    )


def _as_in_c(key: str, api: Api) -> CppTableMember:
    """Return a function as C declares it, by its struct and member."""
    struct, _, name = key.partition(".")
    member = api.structs[struct].member(name)
    type = api.callback(member.type) if member else None
    assert member is not None and type is not None, "only functions are asked for"
    speller = Speller(api)
    parameters = tuple(plain_parameter(each, speller) for each in named_parameters(type.parameters))
    return CppTableMember(c=member, result=speller.declare(type.result), parameters=parameters)


def _unmentioned(function: PluginFunction, body: str) -> str:
    """Return names of the parameters that a body does not mention, with spaces between them."""
    words = set(re.findall(r"\w+", body))
    return " ".join(each.name for each in function.parameters if each.name not in words)


def _anonymous(declaration: str, function: PluginFunction, body: str) -> str:
    """Return a declaration without the names of parameters that a body does not mention."""
    for name in _unmentioned(function, body).split():
        declaration = re.sub(rf" ?\b{name}\b(?=[,)])", "", declaration)
    return declaration


def _in_cmake(text: str, target: str) -> str:
    """Return a text about the host, with CMake's words for the library and its folder."""
    text = text.replace("\\", "\\\\").replace('"', '\\"').replace("$", "\\$")
    return text.replace("{library}", f"$<TARGET_FILE:{target}>").replace("{folder}", f"$<TARGET_FILE_DIR:{target}>")


def _declared_name(declaration: str) -> str:
    """Return the name in the declaration of a pointer to a function, or of a plain variable."""
    function = re.match(r"[^(]*\(\*(?:const )?(\w+)\)", declaration)
    return function[1] if function is not None else re.findall(r"\w+", declaration)[-1]


def _in_python(value: str) -> str:
    """Return the expression for a function of C in a Python module with `ffi` and `lib`."""
    bare = re.sub(r"^\([^)]*\)", "", value)
    known = {"NULL": "ffi.NULL", "": "ffi.NULL", "true": "True", "false": "False"}
    return known.get(bare) or re.sub(r"^(-?)(?=[A-Za-z_])", r"\1lib.", bare)


def _as_rust(value: str, numbers: Collection[str] = ()) -> str:
    """Return a C value of a member or result as Rust writes it; `numbers` are constants of integers."""
    cast = re.fullmatch(r"\(([^()]*)\)(\d+)", value)
    if cast:
        return f"{rust_name(cast[1].rpartition(' ')[2])}({cast[2]})"
    if value.startswith('"'):
        return f'b{value[:-1]}\\0".as_ptr() as _'
    return f"{value} as _" if value in numbers else value


_FILTERS: Mapping[str, Callable[..., str]] = {
    **CPP_FILTERS,
    **RUST_FILTERS,
    "as_rust": _as_rust,
    "anonymous": _anonymous,
    "declared_name": _declared_name,
    "define": wrap_macro,
    "in_cmake": _in_cmake,
    "in_python": _in_python,
    "unmentioned": _unmentioned,
}


RECORD = ".abigen-new.json"
"""Path of the record in a project."""

_FORMAT = 2
_READ = (1, _FORMAT)
"""Formats that are read: a record of format 1 does not state where the spec is."""


class ProjectRecord(msgspec.Struct, frozen=True, kw_only=True):
    """The options and versions that a project was created with."""

    format: int
    abigen: str
    """The version of abigen that made it, or updated it last."""
    name: str
    device_type: str
    api: str
    api_version: str
    language: str
    features: Sequence[str]
    minimal: bool
    entries: tuple[str, ...] = ()
    left_out: Mapping[str, str] = {}
    """Key to name in the sources of each optional function that the author has deleted."""
    functions: Mapping[str, Sequence[str]]
    """Key to name, what the sources call it, and declaration in C, of each function that the author writes."""
    files: Mapping[str, str]
    """Path to the SHA-256 of what was last written there, of the author's files."""
    generated: Sequence[str]
    """Paths of the files that every update makes anew."""
    spec: str = ""
    """Path of the API's spec, relative to the project; empty for one that comes with abigen."""
    specs: str = ""
    """Path of the folder of specs, relative to the project; empty for abigen's own."""
    spec_digest: str = ""
    """The SHA-256 of the spec; empty where `spec` is."""

    def text(self) -> str:
        """Return the record as it is written."""
        return json.dumps(msgspec.to_builtins(self), indent=2) + "\n"


class ProjectUpdate(msgspec.Struct, frozen=True, kw_only=True):
    """The changes of an update of a project."""

    files: Mapping[str, str]
    """Path to new text, of every file that changes."""
    removed: Sequence[str]
    """Paths of generated files that are no longer made."""
    remarks: Sequence[str]
    """The changes that were made."""
    tasks: Sequence[str]
    """The changes that the author has to make."""
    record: ProjectRecord


def record_of(scaffold: Scaffold, digests: Mapping[str, str] | None = None) -> ProjectRecord:
    """Make the record of a project.

    Args:
        scaffold: as it would be if it were made now.
        digests: path to digest, of the author's files as they were last written; None for a new project.
    """
    project = scaffold.project
    if digests is None:
        own = {path: text for path, text in scaffold.files.items() if not path.startswith(GENERATED)}
        digests = {path: _digest(text.encode()) for path, text in own.items()}
    return ProjectRecord(
        format=_FORMAT,
        abigen=project.abigen_version,
        name=project.identity.name,
        device_type=project.identity.device_type,
        api=project.api,
        api_version=project.api_version,
        language=project.language,
        features=project.features,
        minimal=project.minimal,
        entries=project.entries,
        left_out={key: name for key, name in project.left_out.items() if key not in project.functions},
        functions={
            key: (each.name, scaffold.written[key].name, each.declaration) for key, each in project.functions.items()
        },
        files=dict(sorted(digests.items())),
        generated=tuple(path for path in scaffold.files if path.startswith(GENERATED)),
    )


def read_record(text: str, path: str) -> ProjectRecord:
    """Read a record.

    Args:
        text: of the file.
        path: of the file, for messages.

    Raises:
        AbigenError: it is no record, or one of a later abigen.
    """
    try:
        stated = json.loads(text)
        if stated["format"] not in _READ:
            hint = "update abigen"
            raise AbigenError.at(None, f"{path} was written by abigen {stated['abigen']}, in another format", hint)
        record = ProjectRecord(**stated)
        paths = (record.name, record.device_type, record.api, record.language, *record.files, *record.generated)
        outside = ".." in "/".join(paths).split("/") or not all(each.startswith(GENERATED) for each in record.generated)
        whole = all(len(each) == 3 for each in record.functions.values())
        texts = (*record.features, *(text for each in record.functions.values() for text in each))
        if any(Path(each).is_absolute() for each in (record.spec, record.specs)) or not isinstance(
            record.spec_digest, str
        ):
            raise ValueError
        if outside or not whole or not all(isinstance(each, str) for each in texts):
            raise ValueError
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise AbigenError.at(
            None, f"{path} is not a record of abigen new", "restore it from version control"
        ) from error
    return record


def update(record: ProjectRecord, made: Scaffold, present: Mapping[str, bytes]) -> ProjectUpdate:
    """Compare a project with what it would be if it were made now.

    What its author has not touched is replaced. What its author has changed is kept, and functions that are new are
    appended to it.

    Args:
        record: how the project was made.
        made: the project as it would be now, with the names that the record knows.
        present: path to content, of the author's files and all other sources.
    """
    return _Merge(record, made, present).result()


def deleted(record: ProjectRecord, sources: Iterable[str]) -> Mapping[str, str]:
    """Return the names of the functions that no source of a project has, by their keys.

    Args:
        record: how the project was made.
        sources: the texts of all files that its author may have written functions in.
    """
    texts = tuple(sources)
    names = {**record.left_out, **{key: name for key, (_, name, _) in record.functions.items()}}
    last = {key: name.rpartition("::")[2] for key, name in names.items()}
    return {key: name for key, name in names.items() if not any(_line(text, last[key]) for text in texts)}


class _Merge:
    def __init__(self, record: ProjectRecord, made: Scaffold, present: Mapping[str, bytes]) -> None:
        self._record = record
        self._made = made
        self._present = present
        # A file that is the author's own by now: changed, or never abigen's.
        self._own = {
            path: content.decode("utf-8", "surrogateescape")
            for path, content in present.items()
            if record.files.get(path) != _digest(content) and not path.startswith(GENERATED)
        }
        self._files: dict[str, str] = {}
        self._remarks: list[str] = []
        self._tasks: list[str] = []

    def result(self) -> ProjectUpdate:
        removed = [path for path in self._record.generated if path not in self._made.files]
        digests = dict(self._record.files)
        for path, text in self._made.files.items():
            if path.startswith(GENERATED):
                self._files[path] = text
            elif path not in self._present and path in self._record.files:
                continue  # The author has deleted it.
            elif path in self._own:
                self._keep(path, text)
            else:
                self._files[path] = self._without_known(path, text)
                digests[path] = _digest(self._files[path].encode())
        for key in self._made.project.functions:
            if key not in self._record.functions:
                self._add(key)
        for key, name in self._made.project.left_out.items():
            if key in self._made.project.functions:
                self._tasks.append(f"{name} is required, and no file defines it: write it")
            elif key not in self._record.left_out:
                self._remarks.append(f"{name} is optional, and no file defines it: the plugin leaves it out")
        self._tasks += [*self._changed(), *self._gone()]
        self._remarks += [f"abigen no longer generates {path}" for path in removed]
        return ProjectUpdate(
            files=self._files,
            removed=removed,
            remarks=self._remarks,
            tasks=self._tasks,
            record=record_of(self._made, digests),
        )

    def _keep(self, path: str, text: str) -> None:
        """Say what the author may want to know of a file that would be another one now."""
        holds_functions = any(each.path == path for each in self._made.written.values())
        if path not in self._record.files:
            self._tasks.append(f"{path} is your file, and abigen would now generate one: compare both")
        elif _digest(text.encode()) != self._record.files[path] and not holds_functions:
            self._tasks.append(f"you have changed {path}, and a new project has another one: compare both")

    def _without_known(self, path: str, text: str) -> str:
        """Return the text of a file without the functions that the author has somewhere else."""
        for each in self._made.written.values():
            if each.path == path and self._definition(each.name):
                text = text.replace(each.text, "")
        return text

    def _add(self, key: str) -> None:
        """See to it that some file has a function that is new."""
        function = self._made.written[key]
        path = function.path
        mine = self._definition(function.name)
        if mine:
            self._remarks.append(f"{function.name} is new in the API, and {mine} defines it")
            return
        if path not in self._files:
            before = self._own.get(path, "") or self._head(path)
            self._files[path] = self._own[path] = f"{before.rstrip()}\n\n{function.text}"
        line = _line(self._files[path], function.name)
        self._tasks.append(f"{path}:{line}: {function.name} is new: read its default, and implement it")

    def _head(self, path: str) -> str:
        """Return the beginning of a file that the author has deleted, up to its first function."""
        text = self._made.files[path]
        first = min(text.find(each.text) for each in self._made.written.values() if each.path == path)
        return text[: max(first, 0)]

    def _changed(self) -> Iterator[str]:
        """Yield functions that the core calls in another way now."""
        for key, (_, name, before) in self._record.functions.items():
            now = self._made.project.functions.get(key)
            if now is not None and now.declaration != before:
                where = self._definition(name)
                what = f"{name} is declared in another way now:\n    was {before}\n    is  {now.declaration}"
                yield f"{where}: {what}" if where else what

    def _gone(self) -> Iterator[str]:
        """Yield functions that the core does not know any more."""
        for key, (_, name, _) in self._record.functions.items():
            where = self._definition(name)
            if key not in self._made.project.functions and where:
                yield f"{where}: {name} is no longer part of the API: remove it"

    def _definition(self, name: str) -> str:
        """Return the first place in the author's own files that names a function, as `path:line`; empty for none."""
        found = ((path, _line(text, name)) for path, text in self._own.items())
        return next((f"{path}:{line}" for path, line in found if line), "")


def _line(text: str, name: str) -> int:
    """Return the line of a text that names something first; 0 for none."""
    found = re.search(rf"\b{re.escape(name)}\b", text)
    return text.count("\n", 0, found.start()) + 1 if found else 0


def _digest(content: bytes) -> str:
    """Return the SHA-256 of a file, in hexadecimal."""
    return sha256(content).hexdigest()
