"""The template environment: where templates are found, what they may do, and how their errors reach the user.

Whoever wrote a template decides what is generated, and nothing else: it runs in a sandbox, where it sees what views
show, and reaches no more of Python.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from abigen.model.span import AbigenError, Span
from abigen.workspace.files import Files, refuse_leading_out
from abigen.workspace.shipped import RUNTIME, TEMPLATES, shipped

if TYPE_CHECKING:
    from jinja2.sandbox import SandboxedEnvironment

SHIPPED = "abigen"
"""`{% extends "abigen:c/header.h.j2" %}` names the shipped template from one that shadows it."""


class Templates:
    """Renders templates that are looked for in several directories."""

    def __init__(self, directories: Sequence[Path], shipped: Path, disk: Files) -> None:
        """Look for templates in directories.

        Args:
            directories: those that the user asks for, the first one wins, for each template by itself.
            shipped: the templates that come with abigen, which are looked for last.
            disk: where they are looked up.
        """
        self.disk = disk
        self._directories = (*directories, shipped)
        self._shipped = shipped
        self._loaded: set[str] = set()
        self._environments: dict[frozenset[tuple[str, Callable[..., object]]], SandboxedEnvironment] = {}

    def also(self, directory: Path) -> Templates:
        """Return the same, which looks in one more directory before those that come with abigen."""
        return Templates((*self._directories[:-1], directory), self._shipped, self.disk)

    def _environment(self, filters: Mapping[str, Callable[..., object]]) -> SandboxedEnvironment:
        """Return the environment of a vocabulary, which no other has a part in."""
        from jinja2 import FunctionLoader, StrictUndefined
        from jinja2.sandbox import SandboxedEnvironment

        from abigen.generator.compiled_templates import compiled_templates

        key = frozenset(filters.items())
        if key in self._environments:
            return self._environments[key]
        environment = self._environments[key] = SandboxedEnvironment(
            loader=FunctionLoader(self._load),
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
            autoescape=False,
            bytecode_cache=compiled_templates(key),
        )
        environment.globals["words"] = _words
        environment.filters.update(filters)
        return environment

    def _load(self, name: str) -> tuple[str, str, None] | None:
        """Return text and path of a template; None when no directory has it."""
        short = name.removeprefix(f"{SHIPPED}:")
        for directory in self._directories if short == name else (self._shipped,):
            path = directory / short
            if self.disk.is_file(path):
                self._loaded.add(str(path))
                return self._text(path, directory), str(path), None
        return None

    def _text(self, path: Path, directory: Path) -> str:
        """Read a file of a directory.

        Raises:
            AbigenError: a link leads out of the directory, or the file is not UTF-8.
        """
        refuse_leading_out(path, self.disk, str(directory))
        try:
            return self.disk.read(path).decode()
        except UnicodeDecodeError as error:
            raise AbigenError.at(Span(str(path), 1, 1), "template: it is not UTF-8") from error

    def runtime(self, language: str) -> Mapping[str, str]:
        """Return the files that all APIs share in a language, by their paths in the output, sorted.

        A file `runtime/LANGUAGE/PATH` of a directory replaces the file of that path that comes with abigen.

        Args:
            language: a folder below `runtime/`: `cpp`.
        """
        files: dict[str, str] = {}
        for directory in (*reversed(self._directories[:-1]), None):
            folder = (directory or shipped(TEMPLATES)) / RUNTIME / language
            if self.disk.is_dir(folder):
                paths = [each for each in self.disk.below(folder) if not each.endswith(".pyc")]
                files = {path: self._text(folder / path, folder) for path in paths} | files
        return dict(sorted(files.items()))

    def render(self, name: str, filters: Mapping[str, Callable[..., object]], **views: object) -> str:
        """Fill in a template.

        Args:
            name: of the template, relative to the directories: `c/header.h.j2`.
            filters: the vocabulary of the target's language.
            views: what the template sees.

        Returns:
            The text, ending in one newline.

        Raises:
            AbigenError: the template is missing, or wrong at a line that the message names, or reaches for what the
                sandbox refuses.
        """
        import jinja2

        try:
            return self._environment(filters).get_template(name).render(**views).strip("\n") + "\n"
        except jinja2.TemplateSyntaxError as error:
            wrong = Span(error.filename or error.name or name, error.lineno, 1)
            raise AbigenError.at(wrong, f"template: {error.message}") from error
        except jinja2.TemplateNotFound as error:
            looked = ", ".join(str(directory) for directory in self._directories)
            raise AbigenError.at(None, f"there is no template `{error.name}`", f"looked for it in {looked}") from error
        except AbigenError:
            raise
        except Exception as error:
            place = self._place(error)
            if not isinstance(error, jinja2.TemplateError) and (place is None or self._is_shipped(place.file)):
                raise
            raise AbigenError.at(place, f"template `{name}`: {error}") from error

    def names(self, folder: str) -> tuple[str, ...]:
        """Return names of all templates below a folder, sorted.

        Args:
            folder: relative to the directories: `c`.
        """
        places = [directory / folder for directory in self._directories if self.disk.is_dir(directory / folder)]
        found = {f"{folder.rstrip('/')}/{path}" for place in places for path in self.disk.below(place, hidden=True)}
        return tuple(sorted(found))

    def exists(self, name: str) -> bool:
        """True if some directory has a template.

        Args:
            name: relative to the directories.
        """
        return any(self.disk.is_file(directory / name) for directory in self._directories)

    def _is_shipped(self, file: str) -> bool:
        return Path(file).is_relative_to(self._shipped)

    def _place(self, error: Exception) -> Span | None:
        """Return the innermost line of a template that an error passed through."""
        from traceback import walk_tb

        lines = [(frame.f_code.co_filename, line) for frame, line in walk_tb(error.__traceback__)]
        return next((Span(file, line, 1) for file, line in reversed(lines) if file in self._loaded), None)


def _words(*parts: str | bool | None) -> str:
    """Join the words that are there with single spaces."""
    return " ".join(part for part in parts if isinstance(part, str) and part)
