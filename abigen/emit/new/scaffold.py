"""A project from an API and what its author wants, in memory.

It has files that the author goes on with, and files that are made anew by each update.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

import msgspec
from msgspec.structs import asdict, replace

from abigen.emit.build import build
from abigen.emit.c.lines import wrap_macro
from abigen.emit.c.names import Speller
from abigen.emit.cpp.functions import named_parameters, plain_parameter
from abigen.emit.cpp.header import header_of
from abigen.emit.cpp.names import table_name
from abigen.emit.cpp.target import FILTERS as CPP_FILTERS
from abigen.emit.cpp.view import CppTableMember
from abigen.emit.new.languages import Languages
from abigen.emit.new.plugin import PluginSide
from abigen.emit.new.view import (
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
from abigen.emit.publication import Publication
from abigen.emit.python.cffi_types import CffiTypes
from abigen.emit.rust.rust_types import rust_name
from abigen.emit.rust.target import FILTERS as RUST_FILTERS
from abigen.emit.rust.view import INTEGERS, RustFunction, declared_in_rust, module_of
from abigen.model.api import Api, HostProgram
from abigen.model.contract import Party
from abigen.model.ctype import RecordType
from abigen.model.entities import Function, Variable
from abigen.model.identifiers import reserved_word
from abigen.model.span import AbigenError, did_you_mean
from abigen.shipped import hint_about
from abigen.version import __version__

GENERATED = "generated/"
"""What stands below this folder is made anew by each update; everything else is the author's."""

_CHECKS = f"{GENERATED}checks/"
_STEM = "__stem__"
_MARKED = re.compile(rf"{BEGIN}([^{BEGIN}{END}]+){NAME}([^{BEGIN}{END}]*){END}\n?(.*?){BEGIN}/\1{END}\n?", re.DOTALL)


class WrittenFunction(msgspec.Struct, frozen=True):
    """A function in a file of a project, between the marks that its template has printed around it."""

    name: str
    """What the file calls it."""
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
                message = f"{key} passes {resolved.key} by value, which Python cannot hold: its layout needs attributes"
                hint = "begin the plugin in another language, or pass a pointer to the struct"
                raise AbigenError.at(span, message, hint)


def _generated(publications: Iterable[Publication], target: str, languages: Languages, folder: str) -> dict[str, str]:
    """What a target makes, by path in the project."""
    together = [replace(each, group="") for each in publications]
    files = build(together, (target,), languages.templates)
    return {folder + path.removeprefix(f"{target}/"): content.decode() for path, content in files.items()}


def _unmarked(text: str, path: str) -> tuple[str, dict[str, WrittenFunction]]:
    """What a template has printed, without marks, and the functions that stood between them, by their keys."""
    found = {match[1]: WrittenFunction(match[2], match[3], path) for match in _MARKED.finditer(text)}
    return _MARKED.sub(lambda match: match[3], text), found


def _default(function: PluginFunction, project: ScaffoldProject, languages: Languages, path: str) -> WrittenFunction:
    """The text of a function for which the API has no body."""
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
    """The view of a project for the first of these APIs, which takes the others."""
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
        banner=(publications[0].banner[0], "To remake it: abigen new --update"),
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
    """The program that loads the plugin, with the plugin's name in its texts."""

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
    """The plugin's functions, and those of core that its tests need, by key."""
    cores = (each.function for objects in side.handed.values() for handed in objects for each in handed.values)
    return {**side.functions, **{each.key: each for each in cores if each is not None}}


def _in_rust(publications: Sequence[Publication], functions: Mapping[str, PluginFunction]) -> PluginInRust:
    """The view of functions in Rust."""
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
    """The view of a plugin's classes in C++: those whose functions go into tables, on top of target `cpp`."""
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
    """A function as C declares it, by its struct and member."""
    struct, _, name = key.partition(".")
    member = api.structs[struct].member(name)
    type = api.callback(member.type) if member else None
    assert member is not None and type is not None, "only functions are asked for"
    speller = Speller(api)
    parameters = tuple(plain_parameter(each, speller) for each in named_parameters(type.parameters))
    return CppTableMember(c=member, result=speller.declare(type.result), parameters=parameters)


def _unmentioned(function: PluginFunction, body: str) -> str:
    """Names of the parameters that a body does not mention, with spaces between them."""
    words = set(re.findall(r"\w+", body))
    return " ".join(each.name for each in function.parameters if each.name not in words)


def _anonymous(declaration: str, function: PluginFunction, body: str) -> str:
    """A declaration without the names of parameters that a body does not mention."""
    for name in _unmentioned(function, body).split():
        declaration = re.sub(rf" ?\b{name}\b(?=[,)])", "", declaration)
    return declaration


def _in_cmake(text: str, target: str) -> str:
    """A text about the host, with CMake's words for the library and its folder."""
    text = text.replace("\\", "\\\\").replace('"', '\\"').replace("$", "\\$")
    return text.replace("{library}", f"$<TARGET_FILE:{target}>").replace("{folder}", f"$<TARGET_FILE_DIR:{target}>")


def _declared_name(declaration: str) -> str:
    """The name in the declaration of a pointer to a function, or of a plain variable."""
    function = re.match(r"[^(]*\(\*(?:const )?(\w+)\)", declaration)
    return function[1] if function is not None else re.findall(r"\w+", declaration)[-1]


def _in_python(value: str) -> str:
    """What a function in C returns as a module with `ffi` and `lib` has it."""
    bare = re.sub(r"^\([^)]*\)", "", value)
    known = {"NULL": "ffi.NULL", "": "ffi.NULL", "true": "True", "false": "False"}
    return known.get(bare) or re.sub(r"^(-?)(?=[A-Za-z_])", r"\1lib.", bare)


def _as_rust(value: str, numbers: Collection[str] = ()) -> str:
    """What C sets a member to, or returns from a function, as Rust writes it; `numbers` are constants of integers."""
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
