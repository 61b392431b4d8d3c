"""The template environment: where templates are found, and how their errors reach the user."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from abigen.model.span import AbigenError, Span

SHIPPED = "abigen"
"""`{% extends "abigen:c/header.h.j2" %}` names the shipped template from one that shadows it."""


class Templates:
    """Renders templates that are looked for in several directories."""

    def __init__(self, directories: Sequence[Path], shipped: Path) -> None:
        """Look for templates in directories.

        Args:
            directories: those of the project and the user, the first one wins, for each template by itself.
            shipped: the templates that come with abigen, which are looked for last.
        """
        self._directories = (*directories, shipped)
        self._shipped = shipped

    def render(self, name: str, filters: Mapping[str, Callable[..., str]], **views: object) -> str:
        """Fill in a template.

        Args:
            name: of the template, relative to the directories: `c/header.h.j2`.
            filters: the vocabulary of the target's language.
            views: what the template sees.

        Returns:
            The text, ending in one newline.

        Raises:
            AbigenError: the template is missing, or wrong at a line that the message names.
        """
        import jinja2

        shipped = jinja2.FileSystemLoader(self._shipped)
        environment = jinja2.Environment(
            loader=jinja2.ChoiceLoader(
                [jinja2.FileSystemLoader(self._directories), jinja2.PrefixLoader({SHIPPED: shipped}, delimiter=":")]
            ),
            undefined=jinja2.StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
            autoescape=False,
        )
        environment.filters.update(filters)
        environment.globals["words"] = _words
        try:
            return environment.get_template(name).render(**views).strip("\n") + "\n"
        except jinja2.TemplateSyntaxError as error:
            place = Span(error.filename or error.name or name, error.lineno, 1)
            raise AbigenError.at(place, f"template: {error.message}") from error
        except jinja2.TemplateNotFound as error:
            looked = ", ".join(str(directory) for directory in self._directories)
            raise AbigenError.at(None, f"there is no template `{error.name}`", f"looked for it in {looked}") from error
        except jinja2.TemplateError as error:
            raise AbigenError.at(_place(error), f"template `{name}`: {error}") from error


def _words(*parts: str | bool | None) -> str:
    """Join the words that are there with single spaces."""
    return " ".join(part for part in parts if isinstance(part, str) and part)


def _place(error: Exception) -> Span | None:
    """The innermost line of a template that an error passed through."""
    from traceback import walk_tb

    lines = [(frame.f_code.co_filename, line) for frame, line in walk_tb(error.__traceback__)]
    return next((Span(file, line, 1) for file, line in reversed(lines) if file.endswith(".j2")), None)
