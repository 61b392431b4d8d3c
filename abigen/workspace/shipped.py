"""Paths of the specs and templates that abigen ships, and rendering of its own templates."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2.sandbox import ImmutableSandboxedEnvironment

SPECS = "spec"
TEMPLATES = "templates"
RUNTIME = "runtime"
GENERATED = "generated"
"""The default names of folders."""
_PACKAGE = Path(__file__).resolve().parents[1]


def shipped(folder: str) -> Path:
    """Return a folder that comes with abigen: in the package when it is installed, beside it in a source checkout.

    Args:
        folder: `SPECS` or `TEMPLATES`.
    """
    installed = _PACKAGE / "_data" / folder
    return installed if installed.is_dir() else _PACKAGE.parent / folder


def fill_in(name: str, /, **views: object) -> str:
    """Fill in a template that comes with abigen, which no template of the user's can take the place of.

    Args:
        name: of the template, relative to the folder with templates: `init/abigen.toml.j2`.
        views: what the template sees.

    Returns:
        The text as it is, nothing in it escaped.
    """
    return _text_environment().get_template(name).render(**views)


def template_environment(
    *, is_page: bool, finalize: Callable[[object], object] | None = None
) -> ImmutableSandboxedEnvironment:
    """Return the environment of shipped templates, where no template of the user replaces them.

    Args:
        is_page: whether they are pages, in which everything is escaped; else nothing is.
        finalize: what becomes of each value that a template shows.
    """
    from jinja2 import FileSystemLoader, StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    return ImmutableSandboxedEnvironment(
        loader=FileSystemLoader(shipped(TEMPLATES)),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=not is_page,
        autoescape=is_page,
        finalize=finalize,
    )


@cache
def _text_environment() -> ImmutableSandboxedEnvironment:
    return template_environment(is_page=False)


def is_shipped(file: str) -> bool:
    """True if a file is a shipped spec or template, outside of a checkout of abigen.

    Args:
        file: its path.
    """
    path, here = Path(file).resolve(), Path.cwd().resolve()
    folders = [shipped(each).resolve() for each in (SPECS, TEMPLATES)]
    return any(path.is_relative_to(each) and not here.is_relative_to(each.parent) for each in folders)


def hint_about(file: str, hint: str) -> str:
    """Return the user's remedy for an error in a spec or template; it never asks to change files of the package.

    Args:
        file: its path.
        hint: what to change in it, as an imperative without a full stop; may be empty.

    Returns:
        The hint; for a file that comes with abigen, how to change a copy of it in place of it.
    """
    if not is_shipped(file):
        return hint
    if Path(file).resolve().is_relative_to(shipped(TEMPLATES).resolve()):
        return "this template comes with abigen: report this, or use a changed copy in a folder that --templates names"
    change = hint or "change that"
    return (
        f"this spec comes with abigen: choose another, or copy the specs to a folder, and there {change} (--spec-dir)"
    )
