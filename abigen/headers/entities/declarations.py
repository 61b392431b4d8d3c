"""Makes functions, structs, enumerations and typedefs of declarations, and refuses declarations that C forbids."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Set
from hashlib import blake2b

import msgspec
from msgspec.structs import asdict, replace
from pycparser import c_ast
from pycparser.c_ast import Decl

from abigen.headers.entities.unit_context import Described, Question, UnitContext, exported, flags_of
from abigen.headers.symbols import Declaration, Tag
from abigen.headers.syntax.trees import Attribute, Chunk, KnownNames, TagBody
from abigen.headers.types import DeclaredType
from abigen.headers.unit import Token
from abigen.model import ctype
from abigen.model.api import Api
from abigen.model.contract import NO_CONTRACT
from abigen.model.ctype import Array, CType, EnumType, Expression, FunctionType, Pointer, Qualified, RecordType
from abigen.model.entities import (
    Callback,
    Constant,
    Entity,
    Enum,
    Enumerator,
    Field,
    Function,
    Handle,
    Struct,
    Typedef,
    Variable,
)
from abigen.model.layout import Layouts
from abigen.model.span import AbigenError, Diagnostic, Span
from abigen.model.spelling import canonical, spell
from abigen.model.target import Target

_WIDTHS = {"_Bool": 1, "char": 8, "short": 16, "int": 32, "long": 64, "long long": 64, "__int128": 128}
"""Bits of the integer types; of `long` where it is longest."""


class MemberRules:
    """Checks the members of structs, one struct at a time."""

    def __init__(self, context: UnitContext, fields_of: Callable[[str], Sequence[Field] | None]) -> None:
        """Prepare to check; `fields_of` gives the members of the struct with a key."""
        self._tags = context.symbols.tags
        self._resolve = context.types.resolve
        self._fields_of = fields_of
        self._report = context.report

    def check(self, tag: Tag, fields: Sequence[Field], starts: Sequence[int]) -> None:
        """Check a struct or union.

        Args:
            tag: the struct.
            fields: its members.
            starts: for each the index of the token that its declaration begins with, in the struct's own stream.
        """
        seen: set[str] = set()
        for index, field in enumerate(fields):
            if field.name:
                self._check_name(field.name, field.span, seen)
            elif isinstance(field.type, ctype.RecordType):
                for name, span in self._names_in(field.type.key):
                    self._check_name(name, span, seen)
            if field.bit_width is not None:
                self._check_bit_field(field)
                continue
            if field.type.__class__ is ctype.Pointer:
                continue
            type = self._resolve(field.type)
            if isinstance(type, ctype.Array) and type.length is None:
                self._check_flexible(tag, field, is_last=index == len(fields) - 1, is_first=index == 0)
            self.check_complete(type, field.name, field.span, tag, starts[index])

    def check_complete(
        self, type: CType, name: str, span: Span | None, tag: Tag | None = None, start: int = -1
    ) -> None:
        """Report a type that no object or member can have.

        Args:
            type: the type, typedefs at the top resolved.
            name: of what has it.
            span: where that stands.
            tag: the struct that it is a member of.
            start: index of the token that the member's declaration begins with, in the struct's stream; definitions
                behind it come too late.
        """
        what = f"member '{name}'" if tag is not None else f"'{name}'"
        is_element = False
        while isinstance(type, ctype.Array):
            type = self._resolve(type.element)
            is_element = True
            if isinstance(type, ctype.Array) and type.length is None:
                self._report(Diagnostic(span, f"{what} is an array of arrays of unknown length, an incomplete type"))
                return
        if isinstance(type, ctype.FunctionType):
            if tag is not None:
                hint = f"make it a pointer: '(*{name})'; member functions are C++"
                self._report(
                    Diagnostic(span, f"{what} is a function; a {tag.kind} can only hold pointers to functions", hint)
                )
        elif type == ctype.Basic("void"):
            if not is_element:
                self._report(Diagnostic(span, f"{what} has the type void", "write 'void *' for a pointer to anything"))
        elif isinstance(type, (ctype.RecordType, ctype.EnumType)):
            inner = self._tags.with_key(type.key, is_enum=isinstance(type, ctype.EnumType))
            if inner is not None and not self._is_complete(inner, tag, start):
                self._report_incomplete(
                    inner, f"{what} {'is an array of' if is_element else 'has'}", span, is_element=is_element
                )

    def _is_complete(self, inner: Tag, tag: Tag | None, start: int) -> bool:
        """True if a struct has been defined when a member of another one is declared."""
        if inner.body is None:
            return False
        if tag is None or tag.body is None or inner.body.stream is not tag.body.stream:
            return True
        # Nested definitions begin behind the start of the member that they are the type of.
        return inner.body.end < start or (start <= inner.body.start and inner.parent is tag)

    def _report_incomplete(self, inner: Tag, what: str, span: Span | None, *, is_element: bool) -> None:
        """Report a struct by value whose definition is missing."""
        name = f"{inner.kind} {inner.name}" if inner.name else inner.kind
        where = "" if inner.body is None else f", which is only complete at {inner.place.span}"
        verb = "elements of the incomplete type" if is_element else "the incomplete type"
        hint = "define it before" if inner.kind == "enum" else f"define '{name}' before, or use a pointer to it"
        self._report(Diagnostic(span, f"{what} {verb} '{name}'{where}", hint))

    def _check_name(self, name: str, span: Span | None, seen: set[str]) -> None:
        """Report a second member of the same name."""
        if name in seen:
            self._report(Diagnostic(span, f"duplicate member '{name}'"))
        seen.add(name)

    def _names_in(self, key: str) -> Iterable[tuple[str, Span | None]]:
        """Yield the members that an anonymous struct or union lends to the one around it."""
        for field in self._fields_of(key) or ():
            if field.name:
                yield field.name, field.span
            elif isinstance(field.type, ctype.RecordType) and field.type.key != key:
                yield from self._names_in(field.type.key)

    def _check_flexible(self, tag: Tag, field: Field, *, is_last: bool, is_first: bool) -> None:
        """C 6.7.2.1 paragraph 18."""
        if tag.kind == "union":
            self._report(Diagnostic(field.span, f"flexible array '{field.name}' in a union", "give it a length"))
        elif not is_last:
            hint = "move it to the end of the struct, or give it a length"
            self._report(Diagnostic(field.span, f"flexible array '{field.name}' is not the last member", hint))
        elif is_first:
            hint = "put another member before it, or give it a length"
            self._report(Diagnostic(field.span, f"flexible array '{field.name}' is the only member", hint))

    def _check_bit_field(self, field: Field) -> None:
        """C 6.7.2.1 paragraphs 4 and 5."""
        name = f"bit-field '{field.name}'" if field.name else "unnamed bit-field"
        type = self._resolve(field.type)
        width: int | None = None
        if isinstance(type, ctype.Basic):
            width = _WIDTHS.get(type.name.removeprefix("unsigned ").removeprefix("signed "))
        elif isinstance(type, ctype.EnumType):
            width = 64
        elif isinstance(type, ctype.BitInt):
            width = type.width
        if width is None:
            self._report(Diagnostic(field.span, f"{name} is not of an integer type; a bit-field must be"))
        elif isinstance(field.bit_width, int):
            if field.bit_width < 0:
                self._report(Diagnostic(field.span, f"{name} has a negative width ({field.bit_width})"))
            elif field.bit_width > width:
                self._report(
                    Diagnostic(field.span, f"{name} is wider ({field.bit_width} bits) than its type ({width} bits)")
                )
            elif field.bit_width == 0 and field.name:
                self._report(Diagnostic(field.span, f"{name} has a width of zero; only an unnamed one may"))


_MOST_LEVELS = 100


class Redeclaration(msgspec.Struct, frozen=True):
    """A repeated declaration of a name: its former and new meaning, and both places."""

    kind: str
    """`typedef`, `function` or `variable`."""
    name: str
    first: CType
    second: CType
    first_span: Span | None
    second_span: Span | None


def find_conflicts(redeclarations: Iterable[Redeclaration], api: Api, target: Target) -> list[Diagnostic]:
    """Find the redeclarations whose types are not compatible.

    Args:
        redeclarations: all that there are.
        api: where the types that they mention are.
        target: for which types are compared.
    """
    errors: list[Diagnostic] = []
    for each in redeclarations:
        first, second = canonical(each.first, api, target), canonical(each.second, api, target)
        same = first == second if each.kind == "typedef" else _are_compatible(first, second, 0)
        if not same:
            was = spell(each.first, each.name)
            message = f"'{each.name}' is declared again with another type; it was '{was}' at {each.first_span}"
            errors.append(Diagnostic(each.second_span, message))
    return errors


def _are_compatible(first: CType, second: CType, level: int) -> bool:
    """C 6.2.7, as far as redeclarations need it."""
    if first == second or level > _MOST_LEVELS:
        return True
    if isinstance(first, ctype.EnumType) != isinstance(second, ctype.EnumType):
        # An enumeration is compatible with an integer type that the compiler chooses.
        return not any(isinstance(each, (ctype.Pointer, ctype.Array, ctype.FunctionType)) for each in (first, second))
    inner: list[tuple[CType, CType]] = []
    if isinstance(first, ctype.Qualified) and isinstance(second, ctype.Qualified):
        inner = [(first.type, second.type)] if first.qualifiers == second.qualifiers else []
    elif isinstance(first, ctype.Pointer) and isinstance(second, ctype.Pointer):
        inner = [(first.target, second.target)] if first.block == second.block else []
    elif isinstance(first, ctype.Array) and isinstance(second, ctype.Array):
        known = isinstance(first.length, int) and isinstance(second.length, int)
        inner = [] if known and first.length != second.length else [(first.element, second.element)]
    elif isinstance(first, ctype.FunctionType) and isinstance(second, ctype.FunctionType):
        inner = [(first.result, second.result)]
        if first.prototyped and second.prototyped:
            if len(first.parameters) != len(second.parameters) or first.variadic != second.variadic:
                return False
            inner += [(a.type, b.type) for a, b in zip(first.parameters, second.parameters, strict=True)]
    return bool(inner) and all(_are_compatible(one, other, level + 1) for one, other in inner)


def answer(questions: Sequence[Question], api: Api, target: Target) -> list[Diagnostic]:
    """Evaluate every question on a target.

    Args:
        questions: what to evaluate.
        api: where the types are.
        target: whose sizes count.

    Returns:
        An error for each that cannot be evaluated or has a forbidden value.
    """
    if not questions:
        return []
    errors: list[Diagnostic] = []
    layouts = Layouts(api, target)
    for each in questions:
        try:
            value = each.expression if isinstance(each.expression, int) else layouts.evaluate(each.expression)
        except AbigenError as error:
            errors += [found if found.place else replace(found, place=each.span) for found in error.diagnostics]
            continue
        if each.kind == "length" and value < 0:
            errors.append(Diagnostic(each.span, f"the length of the array '{each.subject}' is negative ({value})"))
        elif each.kind == "assertion" and not value:
            said = f": {each.subject}" if each.subject else ""
            errors.append(Diagnostic(each.span, f"static assertion failed on {target.name}{said}"))
        elif each.kind in ("alignment", "alignas") and (value < 0 or value & (value - 1)):
            message = f"the alignment of '{each.subject}' is {value}, which is not a power of two"
            errors.append(Diagnostic(each.span, message))
        elif each.kind == "alignas" and each.type is not None and 0 < value < layouts.alignment_of(each.type):
            needed = layouts.alignment_of(each.type)
            message = f"_Alignas asks for an alignment of {value} for '{each.subject}', whose type needs {needed}"
            errors.append(Diagnostic(each.span, message))
    return errors


def with_values(api: Api, unvalued: Set[str], target: Target) -> tuple[Api, list[Diagnostic]]:
    """Compute the values of enumerators that depend on the target.

    Args:
        api: an API in which such enumerators have no value yet.
        unvalued: their names.
        target: whose sizes count.

    Returns:
        The API with all values, and an error for each that cannot be computed.
    """
    errors: list[Diagnostic] = []
    enums = dict(api.enums)
    layouts = Layouts(api, target)
    for key, enum in api.enums.items():
        if not any(each.name in unvalued for each in enum.enumerators or ()):
            continue
        enumerators: list[Enumerator] = []
        value = -1
        for each in enum.enumerators or ():
            try:
                computed = value + 1 if each.expression is None else layouts.evaluate(each.expression, each.span)
            except AbigenError as error:
                errors += error.diagnostics
                computed = 0
            value = computed if each.name in unvalued else each.value
            enumerators.append(replace(each, value=value))
        enums[key] = replace(enum, enumerators=tuple(enumerators))
    return replace(api, enums=enums) if unvalued else api, errors


class RecordBuilder:
    """Builds the structs, unions and enumerations of a translation unit."""

    def __init__(self, context: UnitContext) -> None:
        """Prepare to build."""
        self.structs: dict[str, Struct] = {}
        self.enums: dict[str, Enum] = {}
        self.unvalued: set[str] = set()
        """Enumerators whose value depends on the target."""
        self.transparent: set[str] = set()
        """Keys of unions that an attribute behind a typedef makes transparent."""
        self.rules = MemberRules(context, self.fields_of)
        self._context = context
        self._tags = context.symbols.tags
        self._pending: set[str] = set()

    def build_enums(self) -> bool:
        """Build the enumerations that are not built yet; whether there were any."""
        built = len(self.enums)
        # Building one may ask for a system header's, which is then appended to the list.
        for tag in self._tags.all:
            if tag.kind == "enum" and tag.key not in self.enums:
                self.enums[tag.key] = self._enum(tag)
        return len(self.enums) > built

    def build_structs(self) -> None:
        """Build all structs, in the order in which they are mentioned first."""
        ordered: dict[str, Struct] = {}
        for tag in self._tags.all:
            if tag.kind != "enum":
                ordered[tag.key] = self._get(tag)
        self.structs = ordered

    def fields_of(self, key: str) -> tuple[Field, ...] | None:
        """Return the members of a struct; None when it is not defined, or is being built."""
        tag = self._tags.with_key(key, is_enum=False)
        return None if tag is None or tag.body is None or key in self._pending else self._get(tag).fields

    def _get(self, tag: Tag) -> Struct:
        """Return a struct, built when it is first asked for."""
        known = self.structs.get(tag.key)
        if known is None:
            self._pending.add(tag.key)
            known = self.structs[tag.key] = self._struct(tag)
            self._pending.discard(tag.key)
        return known

    def _documented(self, tag: Tag) -> tuple[Described, Sequence[Attribute]]:
        """Return the entity that a tag names, without its members; and its attributes."""
        body = tag.body
        if body is None:
            return self._context.entity(tag.key, tag.place), []
        documentation = self._context.commentary.of_declaration(
            body.stream, tag.declared_from, body.end, in_body=tag.parent is not None
        )
        self._context.check(body.attributes, f"'{tag.key}'", tag.place)
        return self._context.entity(tag.key, tag.place, documentation, body.attributes), body.attributes

    def _struct(self, tag: Tag) -> Struct:
        """Build a struct or union."""
        body = tag.body
        fields = None if body is None else tuple(self._fields(tag, body))
        entity, attributes = self._documented(tag)
        names = {attribute.name for attribute in attributes}
        rule = "ms" if "ms_struct" in names else "sysv" if "gcc_struct" in names else body.bitfield_rule if body else ""
        return Struct(
            **entity,
            kind=tag.kind,
            tag=tag.name,
            typedef_names=tuple(tag.typedef_names),
            fields=fields,
            anonymous=not tag.name and not tag.typedef_names,
            packed="packed" in names,
            pack=body.pack if body else None,
            alignment=self._context.alignment(attributes, ()),
            bitfield_rule=rule,
            transparent="transparent_union" in names or tag.key in self.transparent,
            flags=flags_of(attributes),
        )

    def _fields(self, tag: Tag, body: TagBody) -> list[Field]:
        """Return the members of a struct."""
        fields: list[Field] = []
        starts: list[int] = []
        stream, commentary = body.stream, self._context.commentary
        end = -1
        for flat, node in body.members:
            if not isinstance(node, c_ast.Decl):
                continue
            declared = self._context.types.declared(flat, node)
            if not declared.name and declared.bit_width is None:
                inner = flat.body_of(node.type) if isinstance(node.type, (c_ast.Struct, c_ast.Union)) else None
                if inner is None or inner.name is not None:
                    continue  # no anonymous struct or union (C 6.7.2.1 paragraph 13)
            if declared.segment.start >= end:
                end = stream.find(declared.segment.start, body.end, (";",))
            documentation = commentary.of_member(stream, declared.segment.start, end, declared.name)
            token, attributes = declared.token, declared.attributes
            self._context.check(attributes, f"'{tag.key}.{declared.name}'", token)
            self._context.ask(declared)
            fields.append(
                Field(
                    **self._context.entity(declared.name, token, documentation, attributes),
                    type=commentary.with_parameters(declared.type, stream, declared.segment.start, end),
                    bit_width=declared.bit_width,
                    alignment=self._context.alignment(attributes, declared.alignments),
                    packed=any(attribute.name == "packed" for attribute in attributes),
                    group=commentary.group(token.file, token.line, body.keyword.line),
                )
            )
            starts.append(declared.segment.start)
        self.rules.check(tag, fields, starts)
        return fields

    def _enum(self, tag: Tag) -> Enum:
        """Build an enumeration; the values of its enumerators are known from then on."""
        body = tag.body
        entity, attributes = self._documented(tag)
        underlying: CType | None = None
        if body is not None and body.node is not None and body.node.underlying_type is not None:
            underlying = self._context.types.type_name(body.flat, body.node.underlying_type)
        return Enum(
            **entity,
            tag=tag.name,
            typedef_names=tuple(tag.typedef_names),
            enumerators=tuple(self._enumerators(body)) if body is not None and body.is_complete else None,
            underlying=underlying,
            cpp_underlying=self._context.cpp_enums.underlying(body) if body is not None else None,
            packed=any(each.name == "packed" for each in attributes),
            anonymous=not tag.name and not tag.typedef_names,
        )

    def _enumerators(self, body: TagBody) -> list[Enumerator]:
        """Return the enumerators of a body."""
        result: list[Enumerator] = []
        value: int | None = -1
        symbols = self._context.symbols
        for flat, each in body.members:
            expression: Expression | None = None
            if each.value is not None:
                expression = self._context.types.expression(flat, each.value)
                folded = None if expression is None else symbols.fold(expression)
                value = folded if isinstance(folded, int) else None
            elif value is not None:
                value += 1
            token, segment = flat.name_of(each)
            if value is None:
                self.unvalued.add(token.text)
            else:
                symbols.values[token.text] = value
            end = flat.stream.find(segment.start, body.end, (",",))
            documentation = self._context.commentary.of_member(flat.stream, segment.start, end, token.text)
            self._context.check(segment.attributes, f"'{token.text}'", token)
            entity = self._context.entity(token.text, token, documentation, segment.attributes)
            result.append(Enumerator(**entity, value=value or 0, expression=expression))
        return result


class ConstantObject(msgspec.Struct, frozen=True):
    """An object that is const: as a constant without a value, its initialiser, and whether nobody else sees it."""

    constant: Constant
    value: tuple[Token, ...]
    is_static: bool


class EntityBuilder(KnownNames):
    """Builds the entities that one translation unit declares."""

    def __init__(self, context: UnitContext) -> None:
        """Prepare to build what the names in `context` stand for."""
        self.typedefs: dict[str, Typedef] = {}
        self.functions: dict[str, Function] = {}
        self.variables: dict[str, Variable] = {}
        self.constant_objects: list[ConstantObject] = []
        self.redeclarations: list[Redeclaration] = []
        self.records = RecordBuilder(context)
        self._context = context
        self._types = context.types
        self._declared: dict[int, list[DeclaredType]] = {}
        self._statics: dict[str, Variable] = {}
        self._inline: set[str] = set()
        """Functions of which each declaration so far is `inline` and not `extern`."""
        self._pending: set[str] = set()
        self._built = 0
        context.symbols.types = self

    def build(self) -> None:
        """Build every entity, in the order of declaration.

        To be called again when something has asked for more of what system headers declare.
        """
        declarations = self._context.symbols.declarations
        self.records.build_enums()
        # Understanding a declaration may add others at the end of the list.
        while self._built < len(declarations):
            self._built += 1
            self._declaration(declarations[self._built - 1])
        self.records.build_structs()
        if self.records.build_enums():
            self.build()

    def questions(self) -> tuple[Question, ...]:
        """Return the checks to make once the sizes of types are known."""
        questions = [Question("length", length, token.span, token.text) for length, token in self._types.lengths]
        for assertion in self._context.symbols.assertions:
            condition = self._types.expression(assertion.flat, assertion.condition)
            if condition is not None:
                questions.append(Question("assertion", condition, assertion.token.span, assertion.message))
        return (*questions, *self._context.questions)

    def _declaration(self, declaration: Declaration) -> None:
        """Build what one declaration declares."""
        for each in self._understood(declaration):
            if each.is_typedef:
                typedef = self.typedefs.get(each.name)
                if typedef is None:
                    self.typedefs[each.name] = self._typedef(declaration, each)
                else:
                    self._redeclared("typedef", typedef, typedef.type, each)
            elif isinstance(self._types.resolve(each.type), FunctionType):
                self._function(declaration, each)
            else:
                self._variable(declaration, each)

    def _understood(self, declaration: Declaration) -> list[DeclaredType]:
        """Return the declarators of a top-level declaration, understood once."""
        known = self._declared.get(id(declaration))
        if known is None:
            known = self._declared[id(declaration)] = [
                self._types.declared(declaration.flat, node)
                for node in declaration.flat.nodes
                if isinstance(node, Decl) and node.name is not None
            ]
        return known

    def _redeclared(self, kind: str, known: Entity, type: CType, again: DeclaredType) -> None:
        """Note a second declaration, to compare it with the first when all types are known."""
        if type != again.type:
            self.redeclarations.append(Redeclaration(kind, again.name, type, again.type, known.span, again.token.span))

    def _documented(self, declaration: Declaration, each: DeclaredType) -> Described:
        """Return the attributes of a top-level declaration beyond its type."""
        chunk = declaration.chunk
        documentation = self._context.commentary.of_declaration(chunk.stream, chunk.start, chunk.end, in_body=False)
        return self._context.entity(each.name, each.token, documentation, each.attributes)

    def _typedef(self, declaration: Declaration, each: DeclaredType) -> Typedef:
        """Return a typedef; what names a function or an opaque type is a callback or a handle."""
        self._context.ask(each)
        self._context.check(each.attributes, f"'{each.name}'", each.token)
        names = {attribute.name for attribute in each.attributes}
        if "packed" in names:
            message = f"'packed' behind the name '{each.name}' has no effect; compilers ignore it"
            hint = "write it between the closing brace and the name"
            self._context.report(Diagnostic(each.token.span, message, hint, severity="warning"))
        chunk = declaration.chunk
        type = self._context.commentary.with_parameters(each.type, chunk.stream, chunk.start, chunk.end)
        typedef = Typedef(
            **self._documented(declaration, each),
            type=type,
            alignment=self._context.alignment(each.attributes, ()),
        )
        by_pointer = isinstance(type, Pointer)
        target = type.target if isinstance(type, Pointer) else type
        if isinstance(target, FunctionType):
            return Callback(**asdict(typedef), function=target, by_pointer=by_pointer)
        if isinstance(target, RecordType):
            if "transparent_union" in names:
                self.records.transparent.add(target.key)
            tag = self._context.symbols.tags.with_key(target.key, is_enum=False)
            if tag is not None and tag.body is None:
                return Handle(**asdict(typedef), tag=tag.name, by_pointer=by_pointer)
        return typedef

    def _function(self, declaration: Declaration, each: DeclaredType) -> None:
        """A function, or another declaration of one that is known."""
        chunk = declaration.chunk
        documented = self._context.commentary.with_parameters(each.type, chunk.stream, chunk.start, chunk.end)
        type = self._types.resolve(documented)
        assert isinstance(type, FunctionType)
        self._context.check(each.attributes, f"'{each.name}'", each.token)
        if any(attribute.name == "overloadable" for attribute in each.attributes):
            # clang's functions of one name are told apart by their parameters, as in C++.
            each = replace(each, name=f"{each.name}({', '.join(spell(one.type) for one in type.parameters)})")
        known = self.functions.get(each.name)
        is_private = self._is_private(chunk, each, known)
        function = Function(
            **self._documented(declaration, each),
            type=type,
            static=is_private,
            body=_body(chunk) if is_private else "",
            linkage=self._linkage(declaration, each),
            exported=exported(each.attributes, declaration.visibility),
            symbol=self._symbol(each),
            flags=flags_of(each.attributes) + (("noreturn",) if "_Noreturn" in each.node.funcspec else ()),
        )
        if known is not None:
            self._redeclared("function", known, known.type, replace(each, type=type))
            if "static" in each.node.storage and not known.static:
                message = f"'{each.name}' is static here, but not at {known.span}"
                self._context.report(Diagnostic(each.token.span, message))
            function = _merged(known, function)
        elif (object := self.variables.get(each.name) or self._statics.get(each.name)) is not None:
            self._redeclared("function", object, object.type, each)
        self.functions[each.name] = function

    def _is_private(self, chunk: Chunk, each: DeclaredType, known: Function | None) -> bool:
        """True if each user compiles the function: it is static, or all declarations so far are inline (C 6.7.4 p7)."""
        is_static = "static" in each.node.storage
        is_inline = "inline" in each.node.funcspec and "extern" not in each.node.storage
        if is_inline and known is None:
            self._inline.add(each.name)
        elif not is_inline and not is_static:
            self._inline.discard(each.name)
        is_definition = chunk.kind == "function"
        was_static = known is not None and known.static
        return is_static or (is_definition and (was_static or (is_inline and each.name in self._inline)))

    def _variable(self, declaration: Declaration, each: DeclaredType) -> None:
        """An object with external linkage."""
        known = self.variables.get(each.name) or self._statics.get(each.name) or self.functions.get(each.name)
        if known is not None:
            self._redeclared("variable", known, known.type, each)
            if isinstance(known, Variable) and each.name in self.variables:
                said = exported(each.attributes, declaration.visibility)
                self.variables[each.name] = replace(
                    known,
                    exported=known.exported if known.exported is not None else said,
                    symbol=known.symbol or self._symbol(each),
                )
            return
        self._context.ask(each)
        type = self._types.resolve(each.type)
        if isinstance(type, Array) or (isinstance(type, (RecordType, EnumType)) and "extern" not in each.node.storage):
            self.records.rules.check_complete(type, each.name, each.token.span)
        is_static = "static" in each.node.storage
        element = each.type.element if isinstance(each.type, Array) else each.type
        if each.segment.initializer is not None and isinstance(element, Qualified) and "const" in element.qualifiers:
            first, last = each.segment.initializer
            value = tuple(declaration.chunk.stream.tokens[first:last])
            constant = Constant(**self._documented(declaration, each), text="", is_object=True)
            self.constant_objects.append(ConstantObject(constant, value, is_static))
        if is_static:
            self._statics[each.name] = Variable(name=each.name, span=each.token.span, type=each.type)
            return
        self._context.check(each.attributes, f"'{each.name}'", each.token)
        self.variables[each.name] = Variable(
            **self._documented(declaration, each),
            type=each.type,
            linkage=self._linkage(declaration, each),
            exported=exported(each.attributes, declaration.visibility),
            symbol=self._symbol(each),
            thread_local="_Thread_local" in each.node.storage,
            alignment=self._context.alignment(each.attributes, each.alignments),
        )

    def _linkage(self, declaration: Declaration, each: DeclaredType) -> str:
        """Return the linkage in C++: `C`, `C++`, or empty where the header has no part for C++."""
        chunk = declaration.chunk
        return self._context.linkage.of(each.token, chunk.stream.tokens[chunk.start].macro)

    def _symbol(self, each: DeclaredType) -> str:
        """Return the symbol that an asm label or a pragma gives a name; empty for its own."""
        return each.segment.symbol or self._context.symbols.pragmas.renamed.get(each.name, "")

    # What types and expressions ask for while they are built

    def type_of_typedef(self, name: str) -> CType | None:
        """Return the type that a typedef stands for."""
        known = self.typedefs.get(name)
        return self._type_in(self._context.symbols.typedefs.get(name), name) if known is None else known.type

    def type_of_object(self, name: str) -> CType | None:
        """Return the type of a variable or function."""
        return self._type_in(self._context.symbols.objects.get(name), name)

    def _type_in(self, declaration: Declaration | None, name: str) -> CType | None:
        """Return the type that a declaration gives a name; None while it is being understood."""
        if declaration is None or name in self._pending:
            return None
        self._pending.add(name)
        try:
            return next((each.type for each in self._understood(declaration) if each.name == name), None)
        finally:
            self._pending.discard(name)

    def type_of_member(self, record: CType, name: str) -> CType | None:
        """Return the type of a struct's member, those of anonymous members included."""
        if not isinstance(record, RecordType):
            return None
        for field in self.records.fields_of(record.key) or ():
            if field.name == name:
                return field.type
            if not field.name and (found := self.type_of_member(field.type, name)) is not None:
                return found
        return None


def _body(chunk: Chunk) -> str:
    """Return a digest of a function's body; comments, white space and expansions of macros do not count."""
    tokens, partners = chunk.stream.tokens, chunk.stream.partners
    if chunk.end >= len(tokens) or tokens[chunk.end].text != "{":
        return ""
    within = tokens[chunk.end : partners[chunk.end] + 1]
    # Of what a macro expands to, its name counts, once.
    words = (
        (each.macro, each.line, each.column) if each.width else (each.text, at, 0) for at, each in enumerate(within)
    )
    return blake2b("\n".join(word for word, *_ in dict.fromkeys(words)).encode(), digest_size=8).hexdigest()


def _merged(known: Function, again: Function) -> Function:
    """Return two declarations of one function as one; the first one's place counts."""
    return replace(
        known if known.in_api or not again.in_api else again,
        doc=known.doc or again.doc,
        contract=known.contract if known.contract != NO_CONTRACT else again.contract,
        type=known.type if known.type.prototyped or not again.type.prototyped else again.type,
        static=known.static or again.static,
        body=known.body or again.body,
        exported=known.exported if known.exported is not None else again.exported,
        symbol=known.symbol or again.symbol,
        flags=tuple(dict.fromkeys(known.flags + again.flags)),
    )
