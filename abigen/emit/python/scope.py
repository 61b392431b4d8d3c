"""Where a generated module gets names from: its own, those of the packages beside it, and the standard library's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from posixpath import dirname, isabs, join, normpath, relpath

from abigen.emit.publication import Publication
from abigen.emit.python.names import OF_MODULES, RUNTIME, free_name, linter_order, module_name, parent_name, python_name
from abigen.emit.python.view import PythonImport
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
        self._names: dict[str, set[str]] = {}
        self._aliases: dict[str, str] = {"..core": "_libraries"}

    def name(self, entity: Entity) -> str:
        """The name of an entity in Python, imported when it belongs to another spec."""
        return self._imported(entity, python_name(entity.name, OF_MODULES))

    def private(self, entity: Entity) -> str:
        """The name of what describes an entity within packages, imported when it belongs to another spec."""
        return self._imported(entity, f"_{python_name(entity.name, OF_MODULES)}")

    def module(self, entity: Entity) -> str:
        """The name for the package that an entity belongs to, which is imported; empty for the module's own."""
        if self._is_own(entity):
            return ""
        package = self._package(entity)
        return self._aliases.setdefault(package, free_name(f"_{last_part(package)}", self._aliases.values()))

    def import_from(self, module: str, *names: str) -> None:
        """Import names from a module, as `from module import name` says it."""
        self._names.setdefault(module, set()).update(names)

    def package_of(self, path: str) -> str:
        """The package of a spec, as this module imports it.

        Args:
            path: of the spec, relative to this one's folder.
        """
        folder, group = dirname(path), self._publication.group
        other = normpath(join(group, folder)) if folder else group
        other = "" if other == "." else other
        module = module_name(path)
        return f"..{module}" if other == group else f"{parent_name(other)}.{module}"

    def imports(self) -> tuple[tuple[PythonImport, ...], ...]:
        """What to import, in the groups and the order that linters like."""
        modules = sorted({*self._names, *map(parent_of, self._aliases)})
        standard = [each for each in modules if each in _STANDARD]
        relative = [each for each in modules if each.startswith(".")]
        relative.sort(key=lambda each: (len(each.lstrip(".")) - len(each), each))
        others = [each for each in modules if each not in standard and each not in relative]
        made = [tuple(line for each in group for line in self._lines(each)) for group in (standard, others, relative)]
        made[1] = (PythonImport(module=RUNTIME, names=(), alias="_rt"), *made[1])
        return tuple(filter(None, made))

    def _lines(self, module: str) -> Iterator[PythonImport]:
        if module in self._names:
            yield PythonImport(module=module, names=tuple(sorted(self._names[module], key=linter_order)))
        for package, alias in sorted(self._aliases.items()):
            if parent_of(package) == module:
                yield PythonImport(module=module, names=(last_part(package),), alias=alias)

    def _imported(self, entity: Entity, name: str) -> str:
        if not self._is_own(entity):
            self.import_from(self._package(entity), name)
        return name

    def _is_own(self, entity: Entity) -> bool:
        return entity.in_api or (entity.span is not None and entity.span.file == self._own_file)

    def _package(self, entity: Entity) -> str:
        file = entity.span.file if entity.span else ""
        folder = dirname(self._own_file)
        if isabs(file) != isabs(folder):
            folder, file = (Path(each).absolute().as_posix() for each in (folder, file))
        return self.package_of(relpath(file, folder or "."))


def last_part(package: str) -> str:
    """The last name of a dotted one: `..a` and `x.a` give `a`."""
    return package.rpartition(".")[2]


def parent_of(package: str) -> str:
    """What a dotted name begins with, the dots of a relative one included: `..a` gives `..`, `x.a` gives `x`."""
    parent = package.removesuffix(last_part(package))
    return parent if not parent.strip(".") else parent.removesuffix(".")
