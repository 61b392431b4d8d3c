"""Constants: macros with their values, and which of them tell how large a struct is."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec
from msgspec.structs import asdict, replace

from abigen.model.api import Api
from abigen.model.ctype import Binary, Cast, CType, Expression, Literal, NamedType, OffsetOf, SizeOf, SizeOfMember
from abigen.model.entities import Constant, Entity, Enumerator, Macro, SizeConstant
from abigen.model.span import AbigenError, Diagnostic
from abigen.model.spelling import spell_path
from abigen.read.c.documentation import Commentary
from abigen.read.c.marks import read_contract
from abigen.read.c.preprocessor.expansion import expand
from abigen.read.c.preprocessor.lexemes import lex
from abigen.read.c.preprocessor.macros import MacroTable
from abigen.read.c.syntax.chunks import balance
from abigen.read.c.syntax.flatten import Flattener
from abigen.read.c.syntax.parser import parse
from abigen.read.c.syntax.specifiers import KEYWORDS
from abigen.read.c.types.builder import TypeBuilder
from abigen.read.c.types.expressions import ExpressionBuilder
from abigen.read.c.unit import MacroDefinition, Token, Unit

_MOST_TOKENS = 200_000
_LONGEST_BODY = 65_536
"""A body of more characters is no number, whatever it holds; compilers need not take lines above 4095 (C 5.2.4.1)."""
_FIRST_DIRECTIVES = re.compile(
    r"\A(?>\s++|//[^\n]*\n|/\*.*?\*/|#[^\S\n]*+pragma[^\S\n]++once\b[^\n]*\n"
    r'|#\s*if[^\n]*\n\s*+(?:extern\s*"C"\s*\{|#\s*error\b[^\n]*\n)\s*#\s*endif[^\n]*\n)*+'
    r"#\s*(?:ifndef\s+(?P<a>\w+)|if\s+!\s*defined\s*\(?\s*(?P<b>\w+)\s*\)?)[^\n]*\n"
    r"(?>\s++|//[^\n]*\n|/\*.*?\*/)*+#\s*define\s+(?:(?P=a)|(?P=b))\b",
    re.DOTALL,
)
_NO_VALUES = frozenset((";", "{", "typedef", "__attribute__", "__declspec"))
_STRUCT = r"(?:(?P<kind>struct|union) )?(?P<name>[A-Za-z_]\w*)"
_MEMBER = r"(?P<member>[A-Za-z_]\w*)"
_BY_OFFSET = re.compile(rf"\b(?:__builtin_)?offsetof \( {_STRUCT} , {_MEMBER}\b")
_BY_NULL = re.compile(rf"\( {_STRUCT} \* \) (?:0|NULL) \) -> {_MEMBER}\b")
_WHOLE = re.compile(rf"(?:\( )*sizeof \( {_STRUCT} \)(?: \))*")
_MARK = re.compile(r"(?:^|_)DEP(?:R(?:ECATED?)?)?(?:_|$)", re.IGNORECASE)
"""A name of a macro that stands before declarations that are deprecated."""
_IS_SIZE = re.compile(r"STRUCT_?SIZE$", re.IGNORECASE)


def _marks_deprecated(name: str, body: str) -> bool:
    """True for a macro that marks other declarations as deprecated: a comment beside it describes those."""
    return "deprecated" in body.lower() or (not body and _MARK.search(name) is not None)


class MacroEntities(msgspec.Struct):
    """What the macros of a unit declare."""

    constants: dict[str, Constant] = msgspec.field(default_factory=dict)
    macros: dict[str, Macro] = msgspec.field(default_factory=dict)
    broken_sizes: list[SizeConstant] = msgspec.field(default_factory=list)
    """The API's own macros that would tell how large a struct is if there were one of that name."""
    warnings: list[Diagnostic] = msgspec.field(default_factory=list)


class MacroReader:
    """Reads the macros that the API's own files and those that they include define."""

    def __init__(self, unit: Unit, types: TypeBuilder, commentary: Commentary) -> None:
        """Prepare to read.

        Args:
            unit: the headers.
            types: understands the types in expressions, and knows what the headers declare.
            commentary: the documentation.
        """
        self._unit = unit
        # Whoever uses a macro may include <stddef.h> himself.
        self._flattener = Flattener(KEYWORDS, types.names, _refuse)
        self._types = types
        self._commentary = commentary
        self._table: MacroTable | None = None
        self._own = frozenset(unit.own_files)
        self._expanded = 0

    def read(self, texts: Mapping[str, str], is_context: Callable[[str], bool]) -> MacroEntities:
        """Make the entities.

        Args:
            texts: the text of each own file, to find the include guards, which are no part of the API.
            is_context: whether a file that is not the API's own counts nevertheless (system headers do not).
        """
        guards = {guard for text in texts.values() if (guard := include_guard(text))}
        result = MacroEntities()
        for definition in self._unit.macros:
            in_api = definition.file in self._own
            if definition.name in guards or not (in_api or is_context(definition.file)):
                continue
            name, span = definition.name, definition.span
            doc = self._commentary.of_macro(span, name) if in_api else ""
            body = " ".join(definition.body.split())
            contract = read_contract(doc)
            if contract.lifecycle.deprecated and _marks_deprecated(name, body):
                contract = replace(contract, lifecycle=replace(contract.lifecycle, deprecated=False, replaced_by=""))
            entity = Entity(name=name, span=span, doc=doc, contract=contract, in_api=in_api)
            if definition.parameters is None:
                tokens = self._tokens(definition) if body else None
                value = None if tokens is None else self.expression(tokens)
                literal = _literal(tokens or ()) if value is None else ""
                result.constants[name] = Constant(**asdict(entity), text=body, expression=value, literal=literal)
                if in_api and tokens is not None:
                    result.broken_sizes += self._broken_size(entity, value, tokens)
            else:
                result.macros[name] = Macro(**asdict(entity), parameters=definition.parameters, body=body)
        if self._expanded > _MOST_TOKENS:
            message = f"the macros expand to more than {_MOST_TOKENS} tokens; the values of some are not known"
            result.warnings.append(Diagnostic(None, message, severity="warning"))
        return result

    def _tokens(self, definition: MacroDefinition) -> Sequence[Token] | None:
        """What an object-like macro stands for, macros in it expanded; None when that cannot be a constant."""
        if len(definition.body) > _LONGEST_BODY:
            return None
        place = Token("id", definition.name, definition.file, definition.line, definition.column)
        tokens = lex(definition.body, definition.file)
        if any(token.kind == "id" for token in tokens):
            if self._table is None:
                self._table = MacroTable(self._unit.macros)
            if self._expanded > _MOST_TOKENS:
                return None
            try:
                tokens = expand(definition.body, self._table, place)
            except AbigenError:
                return None
            self._expanded += len(tokens)
        return tokens

    def expression(self, tokens: Iterable[Token]) -> Expression | None:
        """The integer constant expression that tokens are, macros in them expanded; None when they are none."""
        stream, errors = balance(tuple(tokens))
        if errors or not stream.tokens or _cannot_be_a_value(stream.tokens):
            return None
        try:
            flat = self._flattener.flatten(stream, 0, len(stream.tokens))
            node = None if flat.bodies else parse("expression", flat)
            if node is None:
                return None
            return ExpressionBuilder(TypeBuilder(self._types.names, _refuse), flat).build(node)
        except AbigenError:
            return None

    def _broken_size(
        self, entity: Entity, expression: Expression | None, tokens: Sequence[Token]
    ) -> list[SizeConstant]:
        """The size constant that a macro would be if the struct that it names existed, or nothing.

        No compiler takes such a macro, so it is known by its words alone.

        Args:
            entity: the macro.
            expression: what it stands for, as far as that makes sense.
            tokens: its body, macros in it expanded.
        """
        text = " ".join(token.text for token in tokens)
        found = "sizeof" in text and (_BY_OFFSET.search(text) or _BY_NULL.search(text))
        member = found["member"] if found else ""
        if not found and _IS_SIZE.search(entity.name):
            found = _WHOLE.fullmatch(text)
        if not found:
            return []
        name, names = found["name"], self._types.names
        if found["kind"]:
            # A tag that only the macro mentions has no key.
            is_known = names.key_of_reference(found["kind"], next(each for each in tokens if each.text == name)) != ""
        else:
            is_known = expression is not None or names.is_type(name)
        if is_known:
            return []
        type, path = NamedType(name), (member,)
        size = Binary("+", OffsetOf(type, path), SizeOfMember(type, path)) if member else SizeOf(type)
        return [SizeConstant(**asdict(entity), struct=name, last_member=member, form="macro", expression=size)]


def _literal(tokens: Sequence[Token]) -> str:
    """The string literals that a macro of other macros expands to; empty for anything else, and for what is plain."""
    words = [each for each in tokens if each.text not in ("(", ")")]
    if not (any(each.width for each in words) and all(each.kind == "string" for each in words)):
        return ""
    return " ".join(each.text for each in words)


def include_guard(text: str) -> str:
    """The name of the macro that keeps a file from being included twice; empty when it has none.

    Args:
        text: the whole file.
    """
    match = _FIRST_DIRECTIVES.match(text.removeprefix("\ufeff"))
    return "" if match is None else match["a"] or match["b"]


def _cannot_be_a_value(tokens: Sequence[Token]) -> bool:
    """Whether tokens hold something that no expression does; a cheap answer for attributes, types and code."""
    return tokens[0].text in ("struct", "[") or not _NO_VALUES.isdisjoint(each.text for each in tokens)


def _refuse(diagnostic: Diagnostic) -> None:
    """A macro that does not make sense as an expression is none; nobody has to hear why."""
    raise AbigenError((diagnostic,))


def find_size_constants(
    api: Api, objects: Iterable[Constant] = (), broken: Iterable[SizeConstant] = ()
) -> dict[str, SizeConstant]:
    """Find the size constants among the macros, enumerators and constant objects of an API.

    Offset of the last member plus its size, and `sizeof(T)`, count in each of them.

    Args:
        api: all else that it declares.
        objects: objects that are const, with the values that they are initialised with.
        broken: those of structs that do not exist.
    """
    enumerators = [each for enum in api.enums.values() for each in enum.enumerators or ()]
    candidates: dict[str, Iterable[Constant | Enumerator]] = {
        "macro": api.constants.values(),
        "variable": objects,
        "enumerator": enumerators,
    }
    found = {each.name: each for each in broken}
    for form, each in ((form, each) for form, entities in candidates.items() for each in entities):
        names = None if each.expression is None else _measured(each, each.expression, api) or _called_size(each, api)
        if names is not None and each.expression is not None:
            common = {one: getattr(each, one) for one in Entity.__struct_fields__}
            found[each.name] = SizeConstant(**(common | names), form=form, expression=each.expression)
    return found


def _called_size(constant: Constant | Enumerator, api: Api) -> dict[str, str] | None:
    """The struct that a plain number is called the size of: `TOY_STRUCT_SIZE 16`; None for anything else."""
    match = _IS_SIZE.search(constant.name)
    if match is None or not isinstance(constant.expression, Literal):
        return None
    stem = constant.name[: match.start()].replace("_", "").lower()
    key = next((key for key, each in api.structs.items() if each.fields and key.replace("_", "").lower() == stem), "")
    return {"struct": key, "last_member": ""} if key and stem else None


def _measured(constant: Entity, expression: Expression, api: Api) -> dict[str, str] | None:
    """The struct and members that an expression measures, by attributes of `SizeConstant`; None for anything else.

    An offset plus a plain number (`offsetof(T, data) + 64`) is a size only if the constant is called one.
    """
    terms = _terms(expression)
    if len(terms) == 1 and isinstance(terms[0], SizeOf):
        struct = _key(terms[0].type, api)
        return {"struct": struct, "last_member": ""} if struct else None
    offset = next((term for term in terms if isinstance(term, OffsetOf)), None)
    size = next((term for term in terms if term is not offset), None)
    if len(terms) != 2 or offset is None or size is None or not _is_measure(size):
        return None
    if isinstance(size, Literal) and "size" not in constant.name.lower():
        return None
    start = {"struct": _key(offset.type, api), "last_member": spell_path(offset.path)}
    end = start
    if isinstance(size, SizeOfMember):
        end = {"struct": _key(size.type, api), "last_member": spell_path(size.path)}
    if not (start["struct"] and end["struct"]):
        return None
    differ = start != end
    return end | ({"offset_struct": start["struct"], "offset_member": start["last_member"]} if differ else {})


def _is_measure(expression: Expression) -> bool:
    """Whether an expression may be the size of a member: a size, a number, a product (`3 * sizeof(int32_t)`)."""
    if isinstance(expression, Cast):
        return _is_measure(expression.operand)
    if isinstance(expression, Binary) and expression.operator == "*":
        return _is_measure(expression.left) and _is_measure(expression.right)
    return isinstance(expression, (SizeOf, SizeOfMember, Literal))


def _terms(expression: Expression) -> list[Expression]:
    """The summands of an expression, casts around it taken off."""
    terms: list[Expression] = []
    pending = [expression]
    while pending and len(terms) < 3:
        each = pending.pop()
        if isinstance(each, Cast):
            pending.append(each.operand)
        elif isinstance(each, Binary) and each.operator == "+":
            pending += [each.right, each.left]
        else:
            terms.append(each)
    return terms


def _key(type: CType, api: Api) -> str:
    """The key of the struct that a type is; empty when it is none."""
    struct = api.struct_of(type)
    return "" if struct is None else struct.name
