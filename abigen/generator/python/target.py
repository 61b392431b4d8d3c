"""Target `python`: a package per API, and one that all of them import, the runtime.

The packages of a group stand in one parent package, so that they can be taken into another as they are: imports between
them are relative. They need the runtime, which needs cffi and nothing else.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from abigen.generator.c.lines import comment, wrap_declaration
from abigen.generator.publication import BANNER, GeneratedFile, Publication
from abigen.generator.python.formatting import comments, docstring, lay_out, literal
from abigen.generator.python.package import package_of
from abigen.generator.python.view import RUNTIME, attribute, module_name, parent_name
from abigen.generator.templates import Templates
from abigen.model.span import AbigenError
from abigen.workspace.files import put_in_place

_OF_PARENT = {
    "__init__.py": "parent.py",
    "_version.py": "_version.py",
    "compile.py": "compile.py",
    "pyproject.toml": "pyproject.toml",
}
"""The files in the parent package, each with its template."""


def outputs(publication: Publication, templates: Templates) -> Iterator[GeneratedFile]:
    """Write the package of an API, and what it shares with others.

    Args:
        publication: the API.
        templates: the templates to use.

    Raises:
        AbigenError: a template is wrong.
    """
    parent = parent_name(publication.group, publication.api.conventions.python_package)
    folder = f"{parent}/{module_name(publication.spec)}"
    view = package_of(publication)
    for name in ("__init__", "_declarations"):
        text = templates.render(f"python/{name}.py.j2", _FILTERS, package=view)
        yield GeneratedFile(f"{folder}/{name}.py", lay_out(text))
    up = "../" * (2 + len(publication.group.split("/"))) + "python/" if publication.group else "../"
    folder_of_runtime = f"{up}{RUNTIME}"
    yield GeneratedFile(f"{parent}/py.typed", "")
    yield GeneratedFile(f"{RUNTIME}/py.typed", "", shared=True)
    names = {"group": publication.group, "parent": parent, "runtime": RUNTIME, "runtime_folder": folder_of_runtime}
    for name, file in _OF_PARENT.items():
        template = f"python/{file}.j2"
        text = templates.render(template, _FILTERS, banner=_banner(template), **names)
        yield GeneratedFile(f"{parent}/{name}", text)
    for path, text in templates.runtime("python").items():
        banner = _banner(f"runtime/python/{path}")
        yield GeneratedFile(path, f"{banner}\n{text}", shared=True)


def _banner(template: str) -> str:
    return comments([f"{BANNER} its template {template}; do not edit."])


def compile_packages(files: Iterable[str], out: Path) -> Iterator[str]:
    """Compile packages against the headers of target `c` beside them (API mode), so that the compiler checks them.

    Python runs in a copy that has the generated files only, since other files of the output directory are untrusted.

    Args:
        files: what was made, by path relative to the output directory.
        out: that directory.

    Yields:
        A line for each module that was written.

    Raises:
        AbigenError: a package and its header disagree, there are no packages, or nothing can be compiled here.
    """
    from subprocess import run
    from tempfile import TemporaryDirectory

    files = [name for name in files if name.endswith(".py")]
    packages: dict[Path, list[str]] = {}
    for file in map(Path, files):
        if file.name == "_declarations.py":
            packages.setdefault(file.parent.parent, []).append(file.parent.name)
    if not packages:
        raise AbigenError.at(None, "no generated package can be compiled", "generate target `python`")
    with TemporaryDirectory(prefix="abigen-") as folder:
        copy = Path(folder).resolve()
        for name in files:
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            (copy / name).write_bytes((out / name).read_bytes())
        outer = [os.path.abspath(path) for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]  # noqa: PTH100
        for parent, names in packages.items():
            headers = (out / parent).parents[1] / "c"
            command = [sys.executable, "-P", "-m", f"{parent.name}.compile", "-I", str(headers.resolve()), *names]
            search = os.pathsep.join(map(str, dict.fromkeys([copy / parent.parent, copy / "python", *outer])))
            environment = {**os.environ, "PYTHONPATH": search}
            done = run(command, cwd=copy, capture_output=True, text=True, env=environment, check=False)
            if done.returncode:
                raise AbigenError.at(None, done.stderr.strip() or f"{parent.name}.compile failed")
            for line in done.stdout.splitlines():
                made = Path(line.removeprefix("wrote "))
                path = out.resolve() / made.relative_to(copy)
                put_in_place(path, made.read_bytes(), 0o777)
                yield f"wrote {path}"


_FILTERS: Mapping[str, Callable[..., str]] = {
    "attribute": attribute,
    "comment": comment,
    "comments": comments,
    "declaration": wrap_declaration,
    "docstring": docstring,
    "literal": literal,
    "suffixed": "{}_".format,
}
