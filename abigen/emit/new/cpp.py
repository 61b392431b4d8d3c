"""What scaffolds in C++ see besides: the classes whose functions go into tables, on top of target `cpp`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from abigen.emit.cpp.header import header_of
from abigen.emit.cpp.names import table_name
from abigen.emit.new.identity import Identity
from abigen.emit.new.view import CppClass, CppMember, CppView, PluginFunction
from abigen.emit.publication import Publication
from abigen.model.words import reserved_word

_STATIC = "static "


def cpp_view(
    publications: Sequence[Publication], functions: Mapping[str, PluginFunction], identity: Identity
) -> CppView:
    """Make the view of a plugin's classes.

    Args:
        publications: the API, and others whose headers the plugin has.
        functions: what the plugin's author writes, by key.
        identity: of the plugin.

    Raises:
        AbigenError: the API has no header in C++.
    """
    headers = [header_of(each) for each in publications]
    header = headers[0]
    tables = {table.struct: table for table in header.tables}
    usages = {f"{table.struct}.{slot.name}": slot.usage for table in header.tables for slot in table.slots}
    keys: dict[str, list[str]] = {}
    for key, function in functions.items():
        if not function.exported:
            keys.setdefault(key.partition(".")[0], []).append(key)
    api = publications[0].api
    prefix = api.header.prefix if api.header is not None else ""
    declared = {*api.structs, *api.enums, *api.typedefs, *api.functions}
    classes: list[CppClass] = []
    members: dict[str, CppMember] = {}
    for struct, own in keys.items():
        table = tables.get(struct)
        complete = table is not None and all(key in usages for key in own)
        name = table.name if table is not None else table_name(struct, prefix)
        if name in declared:
            name = f"My{name}"
        base = f"{header.namespace}::{table.name}" if table is not None and complete else ""
        classes.append(CppClass(name=name, base=base, struct=struct, keys=tuple(own)))
        for key in own:
            members[key] = _member(functions[key], name, usages[key] if complete else "")
    taken = {"std", "abigen", *(each.namespace for each in headers)}
    clashes = identity.stem in taken or reserved_word(identity.stem)
    return CppView(
        namespace=f"{identity.stem}_plugin" if clashes else identity.stem,
        include="" if header.is_empty else header.path,
        failing=header.failing,
        classes=tuple(classes),
        members=members,
    )


def _member(function: PluginFunction, of: str, usage: str) -> CppMember:
    """A function by its usage in C++, or as C declares it."""
    name = function.key.partition(".")[2]
    declaration = usage.removeprefix(_STATIC) or function.declaration.replace(f"{function.name}(", f"{name}(", 1)
    result = declaration.partition(f" {name}(")[0] if usage else function.result
    return CppMember(of=of, declaration=declaration, result=result, name=name)
