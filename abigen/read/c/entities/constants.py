"""Constants: macros with their values, and which of them tell how large a struct is."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from abigen.model.api import Api
from abigen.model.ctype import Binary, Cast, CType, Expression, Literal, OffsetOf, SizeOf, SizeOfMember
from abigen.model.entities import Constant, Entity, Macro, SizeConstant
from abigen.model.span import AbigenError, Diagnostic
from abigen.model.spelling import spell_path
from abigen.read.c.comments.documentation import Commentary
from abigen.read.c.comments.marks import read_contract
from abigen.read.c.entities.broken_sizes import find_broken_size
from abigen.read.c.lexer import lex
from abigen.read.c.preprocessor.expansion import expand
from abigen.read.c.preprocessor.macros import MacroTable
from abigen.read.c.syntax.chunks import balance
from abigen.read.c.syntax.flatten import Flattener
from abigen.read.c.syntax.parser import parse
from abigen.read.c.syntax.trees import Stream
from abigen.read.c.syntax.vocabulary import KEYWORDS
from abigen.read.c.types.builder import TypeBuilder
from abigen.read.c.types.expressions import ExpressionBuilder, NotConstantError
from abigen.read.c.unit import MacroDefinition, Token, Unit

_MOST_TOKENS = 200_000
_LONGEST_BODY = 65_536
"""A body of more characters is no number, whatever it holds; compilers need not take lines above 4095 (C 5.2.4.1)."""
_FIRST_DIRECTIVES = re.compile(
    r"\A(?>\s++|//[^\n]*\n|/\*.*?\*/|#[^\S\n]*+pragma[^\S\n]++once\b[^\n]*\n)*+"
    r"#\s*(?:ifndef\s+(?P<a>\w+)|if\s+!\s*defined\s*\(?\s*(?P<b>\w+)\s*\)?)[^\n]*\n"
    r"(?>\s++|//[^\n]*\n|/\*.*?\*/)*+#\s*define\s+(?:(?P=a)|(?P=b))\b",
    re.DOTALL,
)


@dataclass
class MacroEntities:
    """What the macros of a unit declare."""

    constants: dict[str, Constant] = field(default_factory=dict)
    macros: dict[str, Macro] = field(default_factory=dict)
    broken_sizes: list[SizeConstant] = field(default_factory=list)
    """The API's own macros that would tell how large a struct is if there were one of that name."""
    warnings: list[Diagnostic] = field(default_factory=list)


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
            doc = self._commentary.of_macro(span) if in_api else ""
            entity = Entity(name=name, span=span, doc=doc, contract=read_contract(doc), in_api=in_api)
            body = " ".join(definition.body.split())
            if definition.parameters is None:
                tokens = self._tokens(definition) if body else None
                value = None if tokens is None else self.expression(tokens)
                result.constants[name] = Constant(**vars(entity), text=body, expression=value)
                if in_api and tokens is not None:
                    result.broken_sizes += find_broken_size(entity, value, tokens, self._types.names)
            else:
                result.macros[name] = Macro(**vars(entity), parameters=definition.parameters, body=body)
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
        if errors or not stream.tokens or _cannot_be_a_value(stream):
            return None
        try:
            flat = self._flattener.flatten(stream, 0, len(stream.tokens))
            node = None if flat.bodies else parse("expression", flat)
            if node is None:
                return None
            return ExpressionBuilder(TypeBuilder(self._types.names, _refuse), flat).build(node)
        except NotConstantError:
            return None


def include_guard(text: str) -> str:
    """The name of the macro that keeps a file from being included twice; empty when it has none.

    Args:
        text: the whole file.
    """
    match = _FIRST_DIRECTIVES.match(text.removeprefix("\ufeff"))
    return "" if match is None else match["a"] or match["b"]


def _cannot_be_a_value(stream: Stream) -> bool:
    """Whether tokens hold something that no expression does; a cheap answer for attributes, types and code."""
    return any(token.text in (";", "{", "typedef", "__attribute__", "__declspec", "struct") and token.kind != "string"
               and (token.text != "struct" or index == 0) for index, token in enumerate(stream.tokens))  # fmt: skip


def _refuse(diagnostic: object) -> None:
    """A macro that does not make sense as an expression is none; nobody has to hear why."""
    raise NotConstantError(Token("id", "", "", 1, 1), str(diagnostic))


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
    candidates: list[tuple[Entity, Expression | None, str]] = []
    candidates += [(each, each.expression, "macro") for each in api.constants.values()]
    candidates += [(each, each.expression, "variable") for each in objects]
    for enum in api.enums.values():
        candidates += [(each, each.expression, "enumerator") for each in enum.enumerators or ()]
    found = {each.name: each for each in broken}
    for entity, expression, form in candidates:
        size = None if expression is None else _read(entity, expression, form, api)
        if size is not None:
            found[entity.name] = size
    return found


def _read(entity: Entity, expression: Expression, form: str, api: Api) -> SizeConstant | None:
    """The size constant that an expression is; None when it is anything else."""

    def make(struct: str, member: str, offset_struct: str = "", offset_member: str = "") -> SizeConstant:
        return SizeConstant(
            name=entity.name,
            span=entity.span,
            doc=entity.doc,
            contract=entity.contract,
            in_api=entity.in_api,
            struct=struct,
            last_member=member,
            form=form,
            expression=expression,
            offset_struct=offset_struct,
            offset_member=offset_member,
        )

    terms = _terms(expression)
    if len(terms) == 1 and isinstance(terms[0], SizeOf):
        struct = _key(terms[0].type, api)
        return make(struct, "") if struct else None
    if len(terms) != 2:
        return None
    offset = next((term for term in terms if isinstance(term, OffsetOf)), None)
    size = next((term for term in terms if term is not offset), None)
    if offset is None or size is None or not _is_measure(size):
        return None
    offset_struct, offset_member = _key(offset.type, api), spell_path(offset.path)
    if not isinstance(size, SizeOfMember):
        return make(offset_struct, offset_member) if offset_struct else None
    struct, member = _key(size.type, api), spell_path(size.path)
    if not struct or not offset_struct:
        return None
    if (struct, member) == (offset_struct, offset_member):
        return make(struct, member)
    return make(struct, member, offset_struct, offset_member)


def _is_measure(expression: Expression) -> bool:
    """Whether an expression may be the size of a member: a size, a number, a product (`3 * sizeof(int32_t)`)."""
    if isinstance(expression, Cast):
        return _is_measure(expression.operand)
    if isinstance(expression, Binary) and expression.operator == "*":
        return _is_measure(expression.left) and _is_measure(expression.right)
    return isinstance(expression, SizeOf | SizeOfMember | Literal)


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
