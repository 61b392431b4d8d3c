"""What can be scaffolded: languages, and what their templates offer for an API.

A language is a folder below `new/`; `project/` in it holds the files of every project. What belongs to one API stands
in `new/api/` below the API's name: a folder for each language, whose files take the place of those with the same path,
and `features.yaml`, which says what can be added and which other specs that takes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from abigen.emit.templates import Templates
from abigen.model.span import AbigenError

_ROOT = "new"
_APIS = "api"
_SUFFIX = ".j2"


@dataclass(frozen=True)
class Feature:
    """Something that a scaffold can have besides."""

    doc: str
    specs: tuple[str, ...]
    """Names of the specs whose headers it takes."""


@dataclass(frozen=True)
class Catalogue:
    """The templates of scaffolds."""

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

    def callback(self, language: str) -> str:
        """The template of a function for which the API has no body."""
        return f"{_ROOT}/{language}/callback.j2"

    def callbacks(self, language: str) -> tuple[str, str]:
        """The file for such functions: where it goes below `src/`, and the template of its beginning.

        Raises:
            AbigenError: the language has none.
        """
        for name in self.templates.names(f"{_ROOT}/{language}"):
            directory, _, file = name.rpartition("/")
            if directory == f"{_ROOT}/{language}" and file.startswith("callbacks.") and file.endswith(_SUFFIX):
                return f"src/{file.removesuffix(_SUFFIX)}", name
        raise AbigenError.at(None, f"the templates of '{language}' have no callbacks.*{_SUFFIX}")

    def features(self, api: str) -> Mapping[str, Feature]:
        """What can be added to a plugin of an API, by name.

        Raises:
            AbigenError: `features.yaml` is not what it should be.
        """
        name = f"{_ROOT}/{_APIS}/{api}/features.yaml"
        if not self.templates.exists(name):
            return {}
        import yaml

        text = self.templates.render(name, {})
        try:
            stated = yaml.safe_load(text)
            return {key: Feature(str(value["doc"]), tuple(map(str, value["specs"]))) for key, value in stated.items()}
        except (yaml.YAMLError, AttributeError, KeyError, TypeError) as error:
            message = f"{name} is not a mapping of features to their doc and specs: {error}"
            raise AbigenError.at(None, " ".join(message.split())) from error

    def chosen(self, api: str, wanted: Iterable[str]) -> Mapping[str, Feature]:
        """The features that were asked for.

        Raises:
            AbigenError: there is no such feature, with a suggestion.
        """
        known = self.features(api)
        for each in wanted:
            if each not in known:
                raise AbigenError.at(None, f"{api} has no feature '{each}'", _close(each, known))
        return {name: feature for name, feature in known.items() if name in set(wanted)}


def _close(name: str, known: Iterable[str]) -> str:
    from difflib import get_close_matches

    names = list(known)
    close = get_close_matches(name, names, 1)
    return f"did you mean '{close[0]}'?" if close else f"there is {', '.join(names)}" if names else "there is none"
