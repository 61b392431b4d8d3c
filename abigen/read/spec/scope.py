"""The names that the types of a spec may use: its own, those of its context, and macros."""

from __future__ import annotations

from abigen.model.api import Api
from abigen.model.ctype import CType, EnumType, RecordType
from abigen.model.span import Span
from abigen.model.standard import BUILT_IN, STANDARD_TYPES
from abigen.read.c.preprocessor.scan import folded
from abigen.read.c.unit import MacroDefinition
from abigen.read.spec.c_text import MacroExpander, tokens_of
from abigen.read.spec.cases import Choice
from abigen.read.spec.item import Item
from abigen.read.spec.messages import Report
from abigen.read.spec.names import tag_of
from abigen.read.spec.types import TypeReader


def make_reader(
    root: Item, context: Api, choice: Choice, report: Report, forgiven: frozenset[str], *, incomplete: bool
) -> TypeReader:
    """Prepare to read the types of a spec.

    Args:
        root: the spec.
        context: what the specs that it uses declare.
        choice: the cases of constants that hold.
        report: receives what is wrong.
        forgiven: names that stand in the spec but were refused.
        incomplete: whether a used spec could not be read.
    """
    reader = TypeReader(context, MacroExpander(()), report, forgiven, incomplete)
    _add_context(reader, context)
    reader.types |= dict.fromkeys(STANDARD_TYPES) | BUILT_IN
    for item in root.items("structs"):
        _name(reader, item, "struct", RecordType(item.name), item.text("kind", "struct"))
    for item in root.items("enums"):
        _name(reader, item, "enum", EnumType(item.name), "enum")
        for each in item.items("enumerators"):
            reader.know_enumerator(each.name, None)
    # Several handles may stand for one opaque struct; its key is the first name that stands for the struct itself.
    for item in sorted(root.items("handles"), key=lambda each: each.flag("by_pointer", default=True)):
        tag = tag_of(item, "handle")
        key = tag if item.flag("by_pointer", default=True) else item.name
        reader.tags.setdefault(tag, ("struct", key))
        reader.types[item.name] = None
    for key in ("typedefs", "callbacks"):
        for item in root.items(key):
            reader.types[item.name] = None
    definitions = _definitions(root, context, choice)
    reader.macros = MacroExpander(definitions.values())
    _find_type_constants(reader, root, definitions)
    # Which typedefs are arrays or functions has to be known before parameters of their types are adjusted.
    for item in (*root.items("typedefs"), *root.items("callbacks")):
        scalar = item.scalar("type")
        reader.types[item.name] = reader.try_type(scalar) if scalar else None
    return reader


def _name(reader: TypeReader, item: Item, kind: str, type: CType, keyword: str) -> None:
    reader.types[item.name] = type
    tag = tag_of(item, kind)
    if tag:
        reader.tags[tag] = (keyword, item.name)


def _add_context(reader: TypeReader, context: Api) -> None:
    reader.types |= {name: each.type for name, each in context.typedefs.items()}
    for key, struct in context.structs.items():
        if struct.tag:
            reader.tags[struct.tag] = (struct.kind, key)
    for key, enum in context.enums.items():
        if enum.tag:
            reader.tags[enum.tag] = ("enum", key)
        for each in enum.enumerators or ():
            reader.know_enumerator(each.name, reader.fold(each.expression) if each.expression else each.value)


def _definitions(root: Item, context: Api, choice: Choice) -> dict[str, MacroDefinition]:
    """The macros that types and expressions may use."""
    definitions: dict[str, MacroDefinition] = {}
    for name, constant in context.constants.items():
        if name not in context.typedefs:
            definitions[name] = _definition(name, None, constant.text, constant.span)
    for name, macro in context.macros.items():
        definitions[name] = _definition(name, macro.parameters, macro.body, macro.span)
    for item in root.items("constants"):
        scalar = choice.text(item)
        definitions[item.name] = _definition(item.name, None, scalar.text if scalar else "", item.name_span)
    for item in root.items("macros"):
        parameters = tuple(scalar.text for scalar in item.scalars("parameters"))
        definitions[item.name] = _definition(item.name, parameters, item.text("body"), item.name_span)
    return definitions


def _definition(name: str, parameters: tuple[str, ...] | None, body: str, span: Span | None) -> MacroDefinition:
    place = (span.file, span.line, span.column) if span else ("", 1, 1)
    return MacroDefinition(name, parameters, folded(body), *place)


def _find_type_constants(reader: TypeReader, root: Item, definitions: dict[str, MacroDefinition]) -> None:
    """Tell constants that stand for a type from the others: their names are types, not macros to expand."""
    for item in root.items("constants"):
        scalar = item.scalar("value")
        if scalar is None or scalar.kind != "string":
            continue
        tokens = tokens_of(scalar)
        if (
            tokens
            and tokens[0].kind == "id"
            and not any(token.kind in ("string", "number", "char") for token in tokens)
        ):
            type = reader.try_type(scalar)
            if type is not None:
                reader.type_constants[item.name] = type
                reader.types[item.name] = type
    rest = (each for name, each in definitions.items() if name not in reader.type_constants)
    reader.macros = MacroExpander(rest)
