"""Target `rust`: a module per API, and one that all of them use.

A module takes no crate and no standard library. It stands beside the modules of the APIs that it uses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from abigen.generator.c.lines import cleaned, wrapped
from abigen.generator.publication import BANNER, GeneratedFile, Publication
from abigen.generator.templates import Templates

from .view import module_of, rust_name

MODEL_VERSION = 1
"""The facts that a target from outside states; this target is written in the same way."""

_WIDTH = 100
_CODE_WIDTH = 120
"""The content of rustfmt.toml in a plugin's project."""


def outputs(publication: Publication, templates: Templates) -> Iterator[GeneratedFile]:
    """Write the module of an API.

    Args:
        publication: the API.
        templates: the templates to use.

    Raises:
        AbigenError: a struct has no layout on some platform, or a template is wrong.
    """
    module = module_of(publication)
    yield GeneratedFile(module.path, templates.render("rust/module.rs.j2", FILTERS, module=module))
    for path, text in templates.runtime("rust").items():
        banner = f"// {BANNER} its template runtime/rust/{path}; do not edit."
        yield GeneratedFile(path, f"{banner}\n\n{text}", shared=True)


def rustdoc(text: str, indent: int = 0, mark: str = "///") -> str:
    """Return text as documentation, or as a comment with another mark."""
    margin = " " * indent
    lines = wrapped(cleaned(text), _WIDTH - indent - len(mark) - 1)
    return "\n".join(f"{margin}{mark} {line}".rstrip() for line in lines)


def listed(items: Iterable[str], before: str, after: str) -> str:
    """Parameters as rustfmt writes them: on one line where that is short enough."""
    parts = tuple(items)
    line = f"{before}({', '.join(parts)}){after}"
    return (
        line
        if len(line) <= _CODE_WIDTH
        else "\n".join((f"{before}(", *(f"    {each}," for each in parts), f"){after}"))
    )


def filled(items: Iterable[object], indent: int) -> str:
    """Items with commas between them, as many on a line as there is room for."""
    lines: list[str] = []
    for each in map(str, items):
        if lines and indent + len(f"{lines[-1]}, {each},") <= _CODE_WIDTH:
            lines[-1] += f", {each}"
        else:
            lines.append(each)
    return ",\n".join(" " * indent + each for each in lines)


FILTERS: Mapping[str, Callable[..., str]] = {
    "rust_name": rust_name,
    "rustdoc": rustdoc,
    "listed": listed,
    "filled": filled,
}
