"""What can be scaffolded: languages, and what their templates offer for an API.

A language is a folder below `new/`; `project/` in it holds the files of every project. What belongs to one API stands
in `new/api/` below the API's name: a folder for each language, whose files take the place of those with the same path,
and `features.yaml`, which says what can be added and which other specs that takes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

import msgspec

from abigen.emit.outside import TARGETS
from abigen.emit.templates import Templates
from abigen.model.span import AbigenError, did_you_mean

_ROOT = "new"
_APIS = "api"
_SUFFIX = ".j2"


class Languages(msgspec.Struct, frozen=True):
    """The languages and APIs that there are templates for."""

    templates: Templates

    def languages(self) -> tuple[str, ...]:
        """Names of all languages, sorted."""
        folders = {name.split("/")[1] for name in self.templates.names(_ROOT) if "/project/" in name}
        return tuple(sorted(folders - {_APIS}))

    def files(self, language: str, api: str) -> Mapping[str, str]:
        """The files of a project: path in the project, `__stem__` standing for the plugin's name, to template.

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
        """Whether core calls functions with names that plugins choose, as `functions: own` in `api.yaml` says."""
        stated = self._mapping(f"{_ROOT}/{_APIS}/{api}/api.yaml") or {}
        return stated.get("functions") == "own"

    def has_own_functions(self, api: str, language: str) -> bool:
        """Whether plugins name the functions that core calls, as `functions: own` in `api.yaml` says.

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
        """The targets of `abigen build` whose files a project needs, and where they go below its generated files.

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
        """The template of a function for which the API has no body: the API's own, or else the language's."""
        own = f"{_ROOT}/{_APIS}/{api}/{language}/callback.j2"
        return own if self.templates.exists(own) else f"{_ROOT}/{language}/callback.j2"

    def callbacks(self, language: str, api: str) -> tuple[str, str]:
        """The file for such functions: where it goes below `src/`, and the template of its beginning.

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
        """What can be added to a plugin of an API: its name to the names of the specs whose headers it takes.

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
        """A file of YAML that says something by its keys; None when there is none."""
        if not self.templates.exists(name):
            return None
        import yaml

        try:
            stated = yaml.safe_load(self.templates.render(name, {}))
        except yaml.YAMLError as error:
            raise AbigenError.at(None, f"{name} is no YAML: {' '.join(str(error).split())}") from error
        if not isinstance(stated, dict):
            raise AbigenError.at(None, f"{name} is no mapping of keys to values")
        return stated

    def chosen(self, api: str, wanted: Iterable[str]) -> Mapping[str, tuple[str, ...]]:
        """The features that were asked for, as `features` gives them.

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
