"""From declarations to the entities of an API."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from abigen.model.ctype import (
    Array,
    CType,
    Expression,
    FunctionType,
    Pointer,
    RecordType,
)
from abigen.model.entities import (
    NO_CONTRACT,
    Callback,
    Contract,
    Deprecation,
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
from abigen.model.span import Diagnostic
from abigen.read.c.conflicts import Redeclaration
from abigen.read.c.documentation import Commentary
from abigen.read.c.expressions import ExpressionBuilder, NotConstantError
from abigen.read.c.linkage import Linkage
from abigen.read.c.marks import read_contract
from abigen.read.c.meaning import CALLS, FLAGS, HARMLESS, LAYOUT, NOT_MODELLED, number_argument
from abigen.read.c.members import MemberRules
from abigen.read.c.questions import Question
from abigen.read.c.symbols import Declaration, DeclaredTypes, Symbols, Tag
from abigen.read.c.syntax import Attribute, Flat, Member
from abigen.read.c.types import Declared, TypeBuilder
from abigen.read.c.unit import Token


class EntityBuilder(DeclaredTypes):
    """Builds the entities that one translation unit declares."""

    def __init__(
        self,
        symbols: Symbols,
        own_files: Sequence[str],
        commentary: Commentary,
        linkage: Linkage,
        report: Callable[[Diagnostic], None],
    ) -> None:
        """Prepare to build.

        Args:
            symbols: what has been declared, with keys assigned.
            own_files: whose declarations are the API's own.
            commentary: their documentation.
            linkage: their `extern "C"`.
            report: where what is wrong goes.
        """
        self.symbols = symbols
        self.types = TypeBuilder(symbols, self._report)
        self.structs: dict[str, Struct] = {}
        self.enums: dict[str, Enum] = {}
        self.typedefs: dict[str, Typedef] = {}
        self.functions: dict[str, Function] = {}
        self.variables: dict[str, Variable] = {}
        self.unvalued: set[str] = set()
        """Enumerators whose value depends on the target."""
        self.redeclarations: list[Redeclaration] = []
        self.questions: list[Question] = []
        self._own = frozenset(own_files)
        self._rules = MemberRules(symbols, self.types.resolve, self._fields_of, report)
        self._commentary = commentary
        self._linkage = linkage
        self._sink = report
        self._declared: dict[int, list[Declared]] = {}
        self._pending: set[str] = set()
        self._unknown: set[tuple[str, str]] = set()
        symbols.types = self

    def build(self) -> None:
        """Build every entity, in the order of declaration."""
        for tag in self.symbols.tags:
            if tag.kind == "enum":
                self._enum(tag)
        # Types ask for one another; what system headers add on demand comes last.
        for declaration in self.symbols.declarations:
            self._declaration(declaration)
        done = 0
        while done < len(self.symbols.tags):
            tag = self.symbols.tags[done]
            done += 1
            if tag.kind != "enum" and tag.key not in self.structs:
                self.structs[tag.key] = self._struct(tag)
        for length, token in self.types.lengths:
            self.questions.append(Question("length", length, token.span, token.text))
        for assertion in self.symbols.assertions:
            expression = self.expression(assertion.flat)
            if expression is not None:
                self.questions.append(Question("assertion", expression, assertion.token.span, assertion.message))

    def _report(self, diagnostic: Diagnostic) -> None:
        """Report what is wrong."""
        self._sink(diagnostic)

    def in_api(self, token: Token) -> bool:
        """Whether a place is in one of the API's own files."""
        return token.file in self._own

    # Typedefs, functions, variables

    def declared(self, declaration: Declaration) -> list[Declared]:
        """The declarators of a top-level declaration, understood once."""
        known = self._declared.get(id(declaration))
        if known is None:
            known = self._declared[id(declaration)] = [
                self.types.declared(declaration.flat, node, index)
                for index, node in enumerate(declaration.nodes)
                if type(node).__name__ == "Decl" and node.name is not None
            ]
        return known

    def _declaration(self, declaration: Declaration) -> None:
        """Build what one declaration declares."""
        for each in self.declared(declaration):
            if each.is_typedef:
                typedef = self.typedefs.get(each.name)
                if typedef is None:
                    self.typedefs[each.name] = self._typedef(declaration, each)
                else:
                    self._redeclared("typedef", typedef, typedef.type, each)
            elif isinstance(each.type, FunctionType) or isinstance(self.types.resolve(each.type), FunctionType):
                self._function(declaration, each)
            else:
                self._variable(declaration, each)

    def _redeclared(self, kind: str, known: Entity, type: CType, again: Declared) -> None:
        """Note a second declaration, to compare it with the first when all types are known."""
        if type != again.type:
            self.redeclarations.append(Redeclaration(kind, again.name, type, again.type, known.span, again.token.span))

    def _typedef(self, declaration: Declaration, each: Declared) -> Typedef:
        """A typedef; what names a function or an opaque type is a callback or a handle."""
        doc, contract = self._documented(declaration, each)
        alignment = self._alignment(each.attributes, ())
        self._ask_alignment(each)
        self._check(each.attributes, f"'{each.name}'", each.token)
        if any(attribute.name == "packed" for attribute in each.attributes):
            message = f"'packed' behind the name '{each.name}' does nothing; compilers ignore it"
            self._report(
                Diagnostic(
                    each.token.span, message, "write it between the closing brace and the name", severity="warning"
                )
            )
        typedef = Typedef(
            name=each.name,
            span=each.token.span,
            doc=doc,
            contract=contract,
            in_api=self.in_api(each.token),
            type=each.type,
            alignment=alignment,
        )
        by_pointer = isinstance(each.type, Pointer)
        target = each.type.target if isinstance(each.type, Pointer) else each.type
        if isinstance(target, FunctionType):
            return Callback(**vars(typedef), function=target, by_pointer=by_pointer)
        if isinstance(target, RecordType):
            tag = self.symbols.tag_of_key(target.key, is_enum=False)
            if tag is not None and tag.body is None:
                return Handle(**vars(typedef), tag=tag.name, by_pointer=by_pointer)
        return typedef

    def _function(self, declaration: Declaration, each: Declared) -> None:
        """A function, or another declaration of one that is known."""
        type = each.type if isinstance(each.type, FunctionType) else self.types.resolve(each.type)
        assert isinstance(type, FunctionType)
        doc, contract = self._documented(declaration, each)
        self._check(each.attributes, f"'{each.name}'", each.token)
        flags = [attribute.name for attribute in each.attributes if attribute.name in FLAGS]
        if "_Noreturn" in each.functions:
            flags.append("noreturn")
        function = Function(
            name=each.name,
            span=each.token.span,
            doc=doc,
            contract=contract,
            in_api=self.in_api(each.token),
            type=type,
            static="static" in each.storage
            or ("inline" in each.functions and "extern" not in each.storage and declaration.chunk.kind == "function"),
            linkage=self._linkage.of(each.token, declaration.chunk.stream.tokens[declaration.chunk.start].macro),
            exported=_exported(each.attributes),
            symbol=each.symbol,
            flags=tuple(dict.fromkeys(flags)),
        )
        known = self.functions.get(each.name)
        if known is not None:
            self._redeclared("function", known, known.type, replace(each, type=type))
            if function.static and not known.static:
                message = f"'{each.name}' is static here, but not at {known.span}"
                self._report(Diagnostic(each.token.span, message))
            function = _merged(known, function)
        elif each.name in self.variables:
            self._redeclared("function", self.variables[each.name], self.variables[each.name].type, each)
        self.functions[each.name] = function

    def _variable(self, declaration: Declaration, each: Declared) -> None:
        """An object with external linkage."""
        known: Variable | Function | None = self.variables.get(each.name) or self.functions.get(each.name)
        if known is not None:
            self._redeclared("variable", known, known.type, each)
            return
        self._check_object(each)
        if "static" in each.storage:
            return
        doc, contract = self._documented(declaration, each)
        self._check(each.attributes, f"'{each.name}'", each.token)
        self.variables[each.name] = Variable(
            name=each.name,
            span=each.token.span,
            doc=doc,
            contract=contract,
            in_api=self.in_api(each.token),
            type=each.type,
            exported=_exported(each.attributes),
            thread_local="_Thread_local" in each.storage,
        )

    def _check_object(self, each: Declared) -> None:
        """An array needs a complete type of its elements, wherever it is declared."""
        self._ask_alignment(each)
        type = self.types.resolve(each.type)
        if isinstance(type, Array):
            self._rules.check_complete(type, each.name, each.token.span)

    def _ask_alignment(self, each: Declared) -> None:
        """Have the alignment that is asked for checked."""
        alignment = self._alignment(each.attributes, each.alignments)
        if alignment is not None and alignment != 0:
            kind = "alignas" if each.alignments else "alignment"
            self.questions.append(Question(kind, alignment, each.token.span, each.name, each.type))
        if each.alignments and (each.is_typedef or each.bit_width is not None):
            what = "a typedef" if each.is_typedef else "a bit-field"
            self._report(Diagnostic(each.token.span, f"_Alignas on '{each.name}', which is {what}"))

    # Structs and enumerations

    def _struct(self, tag: Tag) -> Struct:
        """A struct or union."""
        place = tag.place
        body = tag.body
        doc, contract = "", NO_CONTRACT
        fields: tuple[Field, ...] | None = None
        attributes: list[Attribute] = []
        if body is not None:
            doc, contract = self._commentary.of_declaration(
                body.stream, body.start, body.end, in_body=tag.parent is not None
            )
            fields = tuple(self._fields(tag))
            attributes = body.attributes
            self._check(attributes, f"'{tag.key}'", place)
        names = {attribute.name for attribute in attributes}
        rule = "ms" if "ms_struct" in names else "sysv" if "gcc_struct" in names else body.bitfield_rule if body else ""
        return Struct(
            name=tag.key,
            span=place.span,
            doc=doc,
            contract=contract,
            in_api=self.in_api(place),
            kind=tag.kind,
            tag=tag.name,
            typedef_names=tuple(tag.typedef_names),
            fields=fields,
            anonymous=not tag.name and not tag.typedef_names,
            packed="packed" in names,
            pack=body.pack if body else None,
            alignment=self._alignment(attributes, ()),
            bitfield_rule=rule,
            transparent="transparent_union" in names,
            flags=tuple(attribute.name for attribute in attributes if attribute.name in FLAGS),
        )

    def _fields(self, tag: Tag) -> list[Field]:
        """The members of a struct."""
        fields: list[Field] = []
        starts: list[int] = []
        assert tag.body is not None
        for member in tag.body.members:
            if not member.is_assertion:
                declared = self._member(tag, member)
                fields += declared
                starts += [member.flat.start] * len(declared)
        self._rules.check(tag, fields, starts)
        return fields

    def _fields_of(self, key: str) -> tuple[Field, ...] | None:
        """The members of a struct, built when they are first asked for."""
        if key not in self.structs:
            tag = self.symbols.tag_of_key(key, is_enum=False)
            if tag is None or tag.body is None or key in self._pending:
                return None
            self._pending.add(key)
            self.structs[key] = self._struct(tag)
            self._pending.discard(key)
        return self.structs[key].fields

    def _member(self, tag: Tag, member: Member) -> list[Field]:
        """The members that one declaration in a struct declares."""
        flat = member.flat
        fields: list[Field] = []
        nodes = [node for node in self.symbols.nodes[id(flat)] if type(node).__name__ == "Decl"]
        for index, node in enumerate(nodes):
            declared = self.types.declared(flat, node, index)
            if not declared.name and declared.bit_width is None and not self._is_anonymous_aggregate(flat, declared):
                continue
            doc, contract = self._commentary.of_member(flat.stream, flat.start, flat.end, declared.name)
            for attribute in declared.attributes:
                contract = with_deprecation(contract, attribute)
            self._check(declared.attributes, f"'{tag.key}.{declared.name}'", declared.token)
            if declared.alignments or declared.attributes:
                self._ask_alignment(declared)
            fields.append(
                Field(
                    name=declared.name,
                    span=declared.token.span,
                    doc=doc,
                    contract=contract,
                    in_api=self.in_api(declared.token),
                    type=declared.type,
                    bit_width=declared.bit_width,
                    alignment=self._alignment(declared.attributes, declared.alignments),
                    packed=any(attribute.name == "packed" for attribute in declared.attributes),
                    group=self._commentary.group(declared.token.span, tag.body.keyword.line) if tag.body else "",
                )
            )
        return fields

    def _is_anonymous_aggregate(self, flat: Flat, declared: Declared) -> bool:
        """Whether a member without a name is an anonymous struct or union (C 6.7.2.1 paragraph 13)."""
        return isinstance(declared.type, RecordType) and any(
            not body.name and body.kind != "enum" for body in flat.tags.values()
        )

    def _enum(self, tag: Tag) -> None:
        """An enumeration."""
        place = tag.place
        body = tag.body
        doc, contract = "", NO_CONTRACT
        enumerators: list[Enumerator] | None = None
        underlying: CType | None = None
        names: set[str] = set()
        if body is not None:
            doc, contract = self._commentary.of_declaration(
                body.stream, body.start, body.end, in_body=tag.parent is not None
            )
            self._check(body.attributes, f"'{tag.key}'", place)
            names = {attribute.name for attribute in body.attributes}
            if body.underlying is not None:
                nodes = self.symbols.nodes[id(body.underlying)]
                underlying = self.types.type_name(body.underlying, nodes[0]) if nodes else None
            enumerators = []
            value: int | None = -1
            for each in body.enumerators:
                expression: Expression | None = None
                if each.value is not None:
                    expression = self.expression(each.value)
                    folded = None if expression is None else self.symbols.fold(expression)
                    value = folded if isinstance(folded, int) else None
                elif value is not None:
                    value += 1
                if value is None:
                    self.unvalued.add(each.name.text)
                else:
                    self.symbols.values[each.name.text] = value
                each_doc, each_contract = self._commentary.of_member(body.stream, each.start, each.end, each.name.text)
                for attribute in each.attributes:
                    each_contract = with_deprecation(each_contract, attribute)
                enumerators.append(
                    Enumerator(
                        name=each.name.text,
                        span=each.name.span,
                        doc=each_doc,
                        contract=each_contract,
                        in_api=self.in_api(each.name),
                        value=0 if value is None else value,
                        expression=expression,
                    )
                )
        self.enums[tag.key] = Enum(
            name=tag.key,
            span=place.span,
            doc=doc,
            contract=contract,
            in_api=self.in_api(place),
            tag=tag.name,
            typedef_names=tuple(tag.typedef_names),
            enumerators=None if enumerators is None else tuple(enumerators),
            underlying=underlying,
            packed="packed" in names,
            anonymous=not tag.name and not tag.typedef_names,
        )

    def expression(self, flat: Flat) -> Expression | None:
        """A constant expression that has been parsed; None, and a report, when it is none."""
        nodes = self.symbols.nodes[id(flat)]
        if not nodes:
            return None
        try:
            return ExpressionBuilder(self.types, flat).build(nodes[0])
        except NotConstantError as error:
            self._report(Diagnostic(error.token.span, error.message, error.hint))
            return None

    # Attributes

    def _alignment(
        self, attributes: Sequence[Attribute], alignments: Sequence[Expression | int]
    ) -> Expression | int | None:
        """The strictest alignment that `aligned`, `__declspec(align)` and `_Alignas` ask for."""
        wanted: list[Expression | int] = list(alignments)
        for each in attributes:
            if each.name in ("aligned", "align"):
                if not each.arguments:
                    return 0
                number = number_argument(each)
                wanted.append(self._attribute_expression(each) if number is None else number)
        numbers = [each for each in wanted if isinstance(each, int)]
        others = [each for each in wanted if not isinstance(each, int)]
        if others:
            return others[0]
        return max(numbers) if numbers else None

    def _attribute_expression(self, attribute: Attribute) -> Expression | int:
        """The argument of an attribute, as a constant expression."""
        from abigen.read.c.chunks import balance
        from abigen.read.c.grammar import SyntaxFailure, parse_shape

        stream, _ = balance(attribute.arguments)
        flat = self.symbols.flattener.flatten(stream, 0, len(stream.tokens))
        shape = parse_shape("expression", flat.words)
        if not isinstance(shape, SyntaxFailure):
            return self.types.constant(flat, shape.nodes[0])
        self._report(Diagnostic(attribute.span, f"the argument of '{attribute.name}' is not an expression"))
        return 1

    def _check(self, attributes: Sequence[Attribute], what: str, token: Token) -> None:
        """Warn of attributes that are not understood; refuse those that change layout and cannot be modelled."""
        for each in attributes:
            name = each.name
            if name in LAYOUT or name in CALLS or name in FLAGS or name in HARMLESS:
                continue
            if not self.in_api(token) and token.file not in self._own:
                continue
            if name in NOT_MODELLED:
                message = f"attribute '{name}' of {what} changes the layout in a way that abigen cannot model"
                self._report(Diagnostic(each.span, message))
            elif (name, str(each.span)) not in self._unknown:
                self._unknown.add((name, str(each.span)))
                message = f"attribute '{name}' of {what} is not known; its effect on layout and calls is ignored"
                self._report(Diagnostic(each.span, message, severity="warning"))

    def _documented(self, declaration: Declaration, each: Declared) -> tuple[str, Contract]:
        """Documentation and contract of a top-level declaration."""
        chunk = declaration.chunk
        doc, contract = self._commentary.of_declaration(chunk.stream, chunk.start, chunk.end, in_body=False)
        for attribute in each.attributes:
            contract = with_deprecation(contract, attribute)
        return doc, contract

    # What types ask

    def type_of_typedef(self, name: str) -> CType | None:
        """The type that a typedef stands for."""
        known = self.typedefs.get(name)
        if known is not None:
            return known.type
        declaration = self.symbols.typedefs.get(name)
        if declaration is None or name in self._pending:
            return None
        self._pending.add(name)
        try:
            return next((each.type for each in self.declared(declaration) if each.name == name), None)
        finally:
            self._pending.discard(name)

    def type_of_object(self, name: str) -> CType | None:
        """The type of a variable or function."""
        for declaration in self.symbols.declarations:
            for each in self._declared.get(id(declaration), ()):
                if each.name == name and not each.is_typedef:
                    return each.type
        return None

    def type_of_member(self, record: CType, name: str) -> CType | None:
        """The type of a struct's member, those of anonymous members included."""
        if not isinstance(record, RecordType):
            return None
        for field in self._fields_of(record.key) or ():
            if field.name == name:
                return field.type
            if not field.name and (found := self.type_of_member(field.type, name)) is not None:
                return found
        return None


def with_deprecation(contract: Contract, attribute: Attribute) -> Contract:
    """The contract, deprecated when an attribute says so."""
    if attribute.name not in ("deprecated", "unavailable") or contract.deprecated is not None:
        return contract
    message = "".join(token.text.strip('"') for token in attribute.arguments if token.kind == "string")
    return replace(contract, deprecated=read_contract(f"Deprecated. {message}").deprecated or Deprecation())


def _exported(attributes: Sequence[Attribute]) -> bool | None:
    """What attributes say about the export of a symbol."""
    exported: bool | None = None
    for each in attributes:
        if each.name in ("dllexport", "dllimport", "externally_visible"):
            exported = True
        elif each.name == "visibility" and each.arguments:
            exported = each.arguments[0].text.strip('"') in ("default", "protected")
    return exported


def _merged(known: Function, again: Function) -> Function:
    """What two declarations of one function say together; the first one's place counts."""
    return replace(
        known if known.in_api or not again.in_api else again,
        doc=known.doc or again.doc,
        contract=known.contract if known.contract != NO_CONTRACT else again.contract,
        type=known.type if known.type.prototyped or not again.type.prototyped else again.type,
        static=known.static or again.static,
        exported=known.exported if known.exported is not None else again.exported,
        symbol=known.symbol or again.symbol,
        flags=tuple(dict.fromkeys(known.flags + again.flags)),
    )
