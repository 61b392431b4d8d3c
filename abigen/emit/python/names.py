"""The names that things have in Python: those that they have in C, unless Python has a use of its own for one."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from keyword import iskeyword
from posixpath import basename, normpath

RUNTIME = "plugin_api_runtime_v1"
"""The package that those of all APIs import; another number when what it has changes its meaning."""

BUILT_IN = frozenset({"bool", "bytes", "complex", "dict", "float", "int", "object", "str", "tuple", "type"})
"""What annotations are made of."""

OF_MODULES = BUILT_IN | {"Callable", "FUNCTIONS", "Plugin", "TYPE_CHECKING", "TypeAlias", "annotations", "ffi", "super"}
"""What a generated module calls something of its own."""

OF_STRUCTS = frozenset(
    {
        *("at", "cdata", "describe", "for_release", "forget", "function", "has", "having", "is_set", "keep"),
        *(
            "member_names",
            "mro",
            "new_array",
            "null",
            "offset_of",
            "self",
            "type_of",
            "unpadded_size",
            "unset",
            "within",
        ),
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

OF_BODIES = frozenset({"call", "ffi", "handle", "result", "self", "table"})
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


def parent_name(group: str) -> str:
    """The name of the package that holds those of a group: `rfc` gives `rfc_plugin_api`, no group `plugin_api`."""
    folder = normpath(group) if group else ""
    name = re.sub(r"\W", "_", folder.removeprefix("../").strip("./"), flags=re.ASCII)
    return "_".join(filter(None, (f"api_{name}" if name[:1].isdigit() else name, "plugin_api")))


def free_name(wanted: str, taken: Iterable[str]) -> str:
    """A name that nothing has yet: the wanted one, with as many underscores behind it as it takes."""
    names = set(taken)
    while wanted in names:
        wanted += "_"
    return wanted


def linter_order(name: str) -> tuple[int, tuple[tuple[int, str], ...]]:
    """What linters sort names by: constants, classes, then everything else, and numbers by their value."""
    kind = 0 if name.isupper() and len(name) > 1 else 1 if name[:1].isupper() else 2
    parts = re.findall(r"\d+|\D+", name)
    return kind, tuple((int(part), "") if part.isdigit() else (-1, part) for part in parts)
