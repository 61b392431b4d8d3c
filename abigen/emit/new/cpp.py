"""What scaffolds in C++ see besides: the classes whose functions go into tables, on top of target `cpp`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from abigen.emit.c.types import Speller
from abigen.emit.cpp.functions import named_parameters, plain_parameter
from abigen.emit.cpp.header import header_of
from abigen.emit.cpp.names import table_name
from abigen.emit.cpp.view import CppTableMember
from abigen.emit.new.identity import Identity
from abigen.emit.new.view import CppClass, CppMember, CppView, PluginFunction
from abigen.emit.publication import Publication
from abigen.model.api import Api
from abigen.model.identifiers import reserved_word


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
    api = publications[0].api
    tables = {table.struct: table for table in header.tables}
    keys: dict[str, list[str]] = {}
    for key, function in functions.items():
        if not function.exported:
            keys.setdefault(key.partition(".")[0], []).append(key)
    prefix = api.header.prefix if api.header is not None else ""
    declared = {*api.structs, *api.enums, *api.typedefs, *api.functions}
    classes: list[CppClass] = []
    members: dict[str, CppMember] = {}
    for struct, own in keys.items():
        table = tables.get(struct)
        filled = {f"{struct}.{each.name}": each for each in table.members} if table is not None else {}
        complete = table is not None and all(key in filled for key in own)
        name = table.name if table is not None else table_name(struct, prefix)
        if name in declared:
            name = f"My{name}"
        base = f"{header.namespace}::{table.name}" if table is not None and complete else ""
        classes.append(CppClass(name=name, base=base, struct=struct, keys=tuple(own)))
        for key in own:
            members[key] = CppMember(of=name, function=filled[key] if complete else _as_in_c(key, api))
    taken = {"std", "abigen", *(each.namespace for each in headers)}
    clashes = identity.stem in taken or reserved_word(identity.stem)
    return CppView(
        namespace=f"{identity.stem}_plugin" if clashes else identity.stem,
        include="" if header.is_empty else header.path,
        failing=header.reports.owner if header.reports else "",
        classes=tuple(classes),
        members=members,
    )


def _as_in_c(key: str, api: Api) -> CppTableMember:
    """A function as C declares it, by its struct and member."""
    struct, _, name = key.partition(".")
    member = next(each for each in api.structs[struct].fields or () if each.name == name)
    type = api.callback(member.type)
    assert type is not None, "only functions are asked for"
    speller = Speller(api)
    parameters = tuple(plain_parameter(each, speller) for each in named_parameters(type.parameters))
    return CppTableMember(
        name=name,
        accessor="",
        required=False,
        result=speller.declare(type.result),
        parameters=parameters,
        doc="",
        heading="",
    )
