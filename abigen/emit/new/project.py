"""A project from an API and what its author wants, in memory.

It has files that the author goes on with, and files that are made anew by each update.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from abigen.emit.build import build
from abigen.emit.c.prose import comment
from abigen.emit.c.wrapping import wrap_declaration, wrap_macro
from abigen.emit.new.catalogue import Catalogue
from abigen.emit.new.cpp import cpp_view
from abigen.emit.new.identity import Identity
from abigen.emit.new.pieces import Piece, pieces_of
from abigen.emit.new.surface import Surface
from abigen.emit.new.view import CppView, PluginFunction, Project
from abigen.emit.publication import Publication
from abigen.model.span import AbigenError

GENERATED = "generated/"
"""What stands below this folder is made anew by each update; everything else is the author's."""

_CHECKS = f"{GENERATED}checks/"
_STEM = "__stem__"


@dataclass(frozen=True, kw_only=True)
class Request:
    """What the author wants."""

    identity: Identity
    api: str
    """Name of the API's spec."""
    language: str
    features: tuple[str, ...]
    minimal: bool
    abigen_version: str

    @property
    def options(self) -> str:
        """The request as a command line, behind the name and the directory."""
        parts = [f"--api {self.api}", f"--lang {self.language}"]
        parts += [f"--with {','.join(self.features)}"] if self.features else []
        parts += ["--minimal"] if self.minimal else []
        changed = self.identity.device_type != self.identity.name
        return " ".join(parts + ([f"--device-type {self.identity.device_type}"] if changed else []))


@dataclass(frozen=True, kw_only=True)
class Scaffold:
    """A project, in memory."""

    project: Project
    files: Mapping[str, str]
    """Path to text."""
    pieces: Mapping[str, Piece]
    """Each function by its key as some file has it, or as it could stand at the end of one."""
    places: Mapping[str, str]
    """The file that each function stands in, by its key."""


def scaffold(
    publication: Publication,
    others: Sequence[Publication],
    request: Request,
    catalogue: Catalogue,
    known: Mapping[str, str],
) -> Scaffold:
    """Make a project.

    Args:
        publication: the API that the plugin is for.
        others: the APIs that it uses, and those of the features.
        request: what the author wants.
        catalogue: of the templates.
        known: names that functions have already, by their keys; empty for a new project.

    Raises:
        AbigenError: the API has nothing that a plugin could implement, or a template is wrong.
    """
    surface = Surface(publication, request.identity, known, minimal=request.minimal)
    if not surface.functions:
        message = f"{publication.spec} has no entry point and no function that a plugin would implement"
        raise AbigenError.at(None, message, "state `entry_point: true` at the function that core looks up")
    targets = catalogue.targets(request.language)
    headers: dict[str, str] = {}
    for target, folder in targets.items():
        headers |= _generated((publication, *others), target, catalogue, f"{GENERATED}{folder}/")
    checks = _generated((publication,), "c-checks", catalogue, _CHECKS)
    everything = (publication, *others)
    cpp = cpp_view(everything, surface.functions, request.identity) if "cpp" in targets else None
    project = _project(everything, request, surface, checks, cpp)
    files = {**headers, **checks}
    pieces: dict[str, Piece] = {}
    places: dict[str, str] = {}
    for path, template in catalogue.files(request.language, request.api).items():
        text, found = pieces_of(catalogue.templates.render(template, _FILTERS, project=project))
        if text.strip():
            place = path.replace(_STEM, request.identity.stem)
            files[place] = text
            pieces |= found
            places |= dict.fromkeys(found, place)
    missing = [each for each in project.functions.values() if each.key not in pieces]
    if missing:
        place, begin = catalogue.callbacks(request.language)
        made = {each.key: _default(each, project, catalogue) for each in missing}
        head = catalogue.templates.render(begin, _FILTERS, project=project)
        files[place] = "\n".join((head, *(each.text for each in made.values())))
        pieces |= made
        places |= dict.fromkeys(made, place)
    return Scaffold(project=project, files=dict(sorted(files.items())), pieces=pieces, places=places)


def _generated(publications: Iterable[Publication], target: str, catalogue: Catalogue, folder: str) -> dict[str, str]:
    """What a target makes, by path in the project."""
    together = [replace(each, group="") for each in publications]
    files = build(together, (target,), catalogue.templates)
    return {folder + path.removeprefix(f"{target}/"): content.decode() for path, content in files.items()}


def _default(function: PluginFunction, project: Project, catalogue: Catalogue) -> Piece:
    """The text of a function for which the API has no body."""
    template = catalogue.callback(project.language)
    text = catalogue.templates.render(template, _FILTERS, project=project, function=function)
    return pieces_of(text)[1].get(function.key, Piece(function.name, text))


def _project(
    publications: Sequence[Publication],
    request: Request,
    surface: Surface,
    checks: Mapping[str, str],
    cpp: CppView | None,
) -> Project:
    """The view of a project for the first of these APIs, which takes the others."""
    api, header = publications[0].api, publications[0].api.header
    assert header is not None, "only specs say how they are published"
    checking = [path.removeprefix(_CHECKS) for path in checks if path.endswith("_checks.h")]
    return Project(
        identity=request.identity,
        api=request.api,
        api_version=str(api.version.version) if api.version else "",
        api_doc=api.doc,
        language=request.language,
        features=request.features,
        minimal=request.minimal,
        options=request.options,
        abigen_version=request.abigen_version,
        banner=(publications[0].banner[0], "To remake it: abigen new --update"),
        includes=(surface.helpers.path if surface.helpers else header.path,),
        checks=checking[0] if checking else "",
        check_sources=tuple(path.removeprefix(_CHECKS) for path in checks if path.endswith(".c")),
        loaders=surface.loaders if checking else (),
        finding=f"{header.prefix}_Finding" if checking else "",
        major=header.version_macros[0] if header.version_macros else "",
        core_functions=tuple(
            name
            for each in publications
            for name, function in each.api.functions.items()
            if function.in_api and function.implemented_by == "core" and not function.static
        ),
        errors=api.conventions.errors,
        functions=surface.functions,
        tables=surface.tables,
        cpp=cpp,
    )


def _unmentioned(function: PluginFunction, body: str) -> str:
    """Names of the parameters that a body does not mention, with spaces between them."""
    words = set(re.findall(r"\w+", body))
    return " ".join(each.name for each in function.parameters if each.name not in words)


def _anonymous(declaration: str, function: PluginFunction, body: str) -> str:
    """A declaration without the names of parameters that a body does not mention."""
    for name in _unmentioned(function, body).split():
        declaration = re.sub(rf" ?\b{name}\b(?=[,)])", "", declaration)
    return declaration


_FILTERS: Mapping[str, Callable[..., str]] = {
    "anonymous": _anonymous,
    "comment": comment,
    "declaration": wrap_declaration,
    "define": wrap_macro,
    "unmentioned": _unmentioned,
}
