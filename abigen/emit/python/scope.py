"""Where a generated module gets names from: its own, those of the packages beside it, and the standard library's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from posixpath import dirname, isabs, join, normpath, relpath

from abigen.emit.publication import Publication
from abigen.emit.python.code import WIDTH, Call, Code
from abigen.emit.python.names import OF_MODULES, free_name, linter_order, module_name, parent_name, python_name
from abigen.model.entities import Entity

_STANDARD = ("collections.abc", "typing")


class Scope:
    """The names that a module uses, each imported once it is asked for."""

    def __init__(self, publication: Publication) -> None:
        """Begin a module.

        Args:
            publication: the API that it is for.
        """
        self._publication = publication
        self._own_file = next(iter(publication.api.files), "")
        self._imported: dict[str, set[str]] = {"..": {"_runtime as _rt"}}
        self._aliases: dict[str, str] = {}

    def name(self, entity: Entity) -> str:
        """The name of an entity in Python, imported when it belongs to another spec."""
        name = python_name(entity.name, OF_MODULES)
        if not self._is_own(entity):
            self._imported.setdefault(self._package(entity), set()).add(name)
        return name

    def private(self, entity: Entity) -> str:
        """The name of what stands for an entity within packages, imported when it belongs to another spec."""
        name = f"_{python_name(entity.name, OF_MODULES)}"
        if not self._is_own(entity):
            self._imported.setdefault(self._package(entity), set()).add(name)
        return name

    def symbols(self, entity: Entity) -> str:
        """An expression for the functions of core's that an entity is one of."""
        if self._is_own(entity):
            return "_core"
        package = self._package(entity)
        name = self._aliases.setdefault(package, free_name(f"_{last_part(package)}", self._aliases.values()))
        self._imported.setdefault(parent_of(package), set()).add(f"{last_part(package)} as {name}")
        return f"{name}._core"

    def import_from(self, module: str, name: str) -> None:
        """Import a name from a module, as `from module import name` says it."""
        self._imported.setdefault(module, set()).add(name)

    def imports(self) -> tuple[tuple[Code, ...], ...]:
        """What to import, in the groups and the order that linters like."""
        standard = [each for each in sorted(self._imported) if each in _STANDARD]
        relative = [each for each in sorted(self._imported) if each.startswith(".")]
        relative.sort(key=lambda each: (len(each.lstrip(".")) - len(each), each))
        others = [each for each in sorted(self._imported) if each not in standard and each not in relative]
        groups = ((line for module in group for line in self._lines(module)) for group in (standard, others, relative))
        return tuple(filter(None, map(tuple, groups)))

    def _lines(self, module: str) -> Iterator[Code]:
        names = sorted(self._imported[module], key=linter_order)
        plain = tuple(name for name in names if " as " not in name)
        if plain:
            line = f"from {module} import {', '.join(plain)}"
            yield line if len(line) <= WIDTH else Call(f"from {module} import ", plain)
        for name in names:
            if " as " in name:
                yield f"from {module} import {name}"

    def package_of(self, path: str) -> str:
        """The package of another spec.

        Args:
            path: as `uses` gives it, relative to this spec and without suffix.
        """
        return self._of_path(f"{path}.yaml")

    def _is_own(self, entity: Entity) -> bool:
        return entity.in_api or (entity.span is not None and entity.span.file == self._own_file)

    def _package(self, entity: Entity) -> str:
        file = entity.span.file if entity.span else ""
        folder = dirname(self._own_file)
        if isabs(file) != isabs(folder):
            folder, file = (Path(each).absolute().as_posix() for each in (folder, file))
        return self._of_path(relpath(file, folder or "."))

    def _of_path(self, path: str) -> str:
        folder, group = dirname(path), self._publication.group
        other = normpath(join(group, folder)) if folder else group
        other = "" if other == "." else other
        module = module_name(path)
        return f"..{module}" if other == group else f"{parent_name(other)}.{module}"


def last_part(package: str) -> str:
    """The last name of a dotted one: `..a` and `x.a` give `a`."""
    return package.rpartition(".")[2]


def parent_of(package: str) -> str:
    """What a dotted name begins with, the dots of a relative one included: `..a` gives `..`, `x.a` gives `x`."""
    parent = package.removesuffix(last_part(package))
    return parent if not parent.strip(".") else parent.removesuffix(".")
