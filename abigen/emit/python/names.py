"""The names that things have in Python, C's unless Python has a use of its own for one, and where they come from."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from keyword import iskeyword
from pathlib import Path
from posixpath import basename, dirname, isabs, join, normpath, relpath

from abigen.emit.c.names import free_name
from abigen.emit.publication import Publication
from abigen.emit.python.view import PythonImport
from abigen.model.entities import Entity, Struct

RUNTIME = "plugin_api_runtime_v1"
"""The package that those of all APIs import; another number when what it has changes its meaning."""

BUILT_IN = frozenset({"bool", "bytes", "complex", "dict", "float", "int", "object", "str", "tuple", "type"})
"""What annotations are made of."""

OF_MODULES = BUILT_IN | {"Callable", "FUNCTIONS", "Plugin", "TYPE_CHECKING", "TypeAlias", "annotations", "ffi", "super"}
"""What a generated module calls something of its own."""

OF_STRUCTS = frozenset(
    {
        *("at", "cdata", "describe", "for_release", "forget", "function", "has", "having", "is_set", "kept"),
        *(
            "member_names",
            "mro",
            "new_array",
            "null",
            "offset_of",
            "part",
            "place",
            "returned",
            "self",
            "size_of",
            "storage",
            "type_of",
        ),
        *("unpadded_size", "unset", "within"),
    }
)
"""What objects of structs have besides their members."""

OF_ENUMS = frozenset(
    {"mro", "name", "value", "as_integer_ratio", "bit_count", "bit_length", "conjugate", "denominator"}
) | {
    *("from_bytes", "imag", "is_integer", "numerator", "real", "to_bytes"),
}
"""What members of enumerations have of their own."""

OF_LIBRARIES = frozenset({"close", "has", "path", "symbols"})
"""What a library has besides its functions."""

OF_BODIES = frozenset(
    {
        *("adapted", "call", "creation", "error", "ffi", "function", "handle", "kept", "more", "own", "result", "self"),
        "table",
    }
)
"""What generated functions call something of their own."""


def python_name(name: str, taken: Collection[str] = ()) -> str:
    """A name in Python.

    Args:
        name: in C.
        taken: what it may not be.

    Returns:
        The same, with an underscore behind it where it would be a keyword, private, or taken.
    """
    private = name.startswith("_")
    return f"{name}_" if iskeyword(name) or name in taken or (private and name.endswith("__")) else name


def attribute(holder: str, name: str, *, in_class: bool) -> str:
    """An expression for an attribute by its name in C.

    Args:
        holder: an expression.
        name: of the attribute.
        in_class: whether the expression stands in a class, where two underscores at the front change a name.
    """
    if iskeyword(name) or (in_class and name.startswith("__")):
        return f'getattr({holder}, "{name}")'
    return f"{holder}.{name}"


def module_name(path: str) -> str:
    """The name of the package for a spec: `group/stream-executor.yaml` gives `stream_executor`."""
    stem = basename(path.replace("\\", "/")).rpartition(".")[0] or basename(path)
    name = re.sub(r"\W", "_", stem, flags=re.ASCII)
    return python_name(f"api_{name}" if name[:1].isdigit() or name.startswith("_") else name)


def parent_name(group: str, package: str = "") -> str:
    """The name of the package that holds those of a group: `rfc` gives `rfc_plugin_api`, no group `plugin_api`.

    Args:
        group: the folder of the specs.
        package: what a spec says; empty for nothing.
    """
    if package:
        return package
    folder = normpath(group) if group else ""
    name = re.sub(r"\W", "_", folder.removeprefix("../").strip("./"), flags=re.ASCII)
    return "_".join(filter(None, (f"api_{name}" if name[:1].isdigit() else name, "plugin_api")))


def linter_order(name: str) -> tuple[int, tuple[tuple[int, str], ...]]:
    """What linters sort names by: constants, classes, then everything else, and numbers by their value."""
    kind = 0 if name.isupper() and len(name) > 1 else 1 if name[:1].isupper() else 2
    parts = re.findall(r"\d+|\D+", name)
    return kind, tuple((int(part), "") if part.isdigit() else (-1, part) for part in parts)


_STANDARD = ("collections.abc", "typing")


class PythonScope:
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
        if isinstance(entity, Struct) and entity.anonymous:
            words = (each for each in entity.name.split(".") if each[:1] != "<")
            api = self._publication.api
            taken = {*OF_MODULES, *api.structs, *api.enums, *api.typedefs, *api.functions, *api.constants}
            return self._imported(entity, free_name(python_name("_".join(words)), taken))
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
        module, conventions = module_name(path), self._publication.api.conventions
        file = normpath(join(dirname(self._own_file), path))
        used = {normpath(name).rpartition(".")[0]: each for name, (_, each) in self._publication.api.used.items()}
        found = used.get(file.rpartition(".")[0])
        parent = parent_name(other, found.python_package if found else "")
        is_beside = other == group and parent == parent_name(group, conventions.python_package)
        return f"..{module}" if is_beside else f"{parent}.{module}"

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
