"""Target `python`: a package per API, and beside them what they share.

The packages of a group stand in one parent package, so that they can be taken into another as they are: imports between
them are relative. They need cffi and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from abigen.emit.c.prose import comment
from abigen.emit.publication import BANNER, Output, Publication
from abigen.emit.python.builder import package_of
from abigen.emit.python.code import comments, docstring, lay_out
from abigen.emit.python.names import module_name, parent_name
from abigen.emit.templates import Templates

SHARED = (
    "compiling",
    "conversions",
    "enums",
    "ffi",
    "functions",
    "handles",
    "library",
    "members",
    "memory",
    "status",
    "structs",
)
"""The modules of what packages share."""


def outputs(publication: Publication, templates: Templates) -> Iterator[Output]:
    """Write the package of an API, and what it shares with others.

    Args:
        publication: the API.
        templates: the templates to use.

    Raises:
        AbigenError: a template is wrong.
    """
    parent = parent_name(publication.group)
    folder = f"{parent}/{module_name(publication.spec)}"
    view = package_of(publication)
    for name in ("__init__", "_declarations"):
        text = templates.render(f"python/{name}.py.j2", _FILTERS, package=view)
        yield Output(f"{folder}/{name}.py", text)
    yield Output(f"{parent}/py.typed", "")
    shared = {"__init__": "parent", "compile": "compile", "_runtime/__init__": "runtime/package"}
    shared |= {f"_runtime/{name}": f"runtime/{name}" for name in SHARED}
    for path, template in shared.items():
        banner = comments([f"{BANNER} its template python/{template}.py.j2; do not edit."])
        yield Output(f"{parent}/{path}.py", templates.render(f"python/{template}.py.j2", _FILTERS, banner=banner))


_FILTERS: Mapping[str, Callable[..., str]] = {
    "comment": comment,
    "comments": comments,
    "docstring": docstring,
    "code": lay_out,
}
