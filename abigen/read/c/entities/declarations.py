"""From declarations to the entities of an API."""

from __future__ import annotations

from hashlib import blake2b

import msgspec
from msgspec.structs import asdict, replace
from pycparser.c_ast import Decl

from abigen.model.contract import NO_CONTRACT
from abigen.model.ctype import Array, CType, EnumType, FunctionType, Pointer, Qualified, RecordType
from abigen.model.entities import Callback, Constant, Entity, Function, Handle, Typedef, Variable
from abigen.model.span import Diagnostic
from abigen.model.spelling import spell
from abigen.read.c.entities.records import RecordBuilder
from abigen.read.c.entities.rules import Redeclaration
from abigen.read.c.entities.unit_context import Described, Question, UnitContext, exported, flags_of
from abigen.read.c.symbols import Declaration
from abigen.read.c.syntax.trees import Chunk, KnownNames
from abigen.read.c.types.builder import DeclaredType
from abigen.read.c.unit import Token


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
        """What has to be checked once the sizes of types are known."""
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
        """The declarators of a top-level declaration, understood once."""
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
        """What a top-level declaration says beyond its type."""
        chunk = declaration.chunk
        documentation = self._context.commentary.of_declaration(chunk.stream, chunk.start, chunk.end, in_body=False)
        return self._context.entity(each.name, each.token, documentation, each.attributes)

    def _typedef(self, declaration: Declaration, each: DeclaredType) -> Typedef:
        """A typedef; what names a function or an opaque type is a callback or a handle."""
        self._context.ask(each)
        self._context.check(each.attributes, f"'{each.name}'", each.token)
        names = {attribute.name for attribute in each.attributes}
        if "packed" in names:
            message = f"'packed' behind the name '{each.name}' does nothing; compilers ignore it"
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
        """What a C++ compiler makes of a name: `C`, `C++`, or empty where nothing is said of C++."""
        chunk = declaration.chunk
        return self._context.linkage.of(each.token, chunk.stream.tokens[chunk.start].macro)

    def _symbol(self, each: DeclaredType) -> str:
        """The symbol that an asm label or a pragma gives a name; empty for its own."""
        return each.segment.symbol or self._context.symbols.pragmas.renamed.get(each.name, "")

    # What types and expressions ask for while they are built

    def type_of_typedef(self, name: str) -> CType | None:
        """The type that a typedef stands for."""
        known = self.typedefs.get(name)
        return self._type_in(self._context.symbols.typedefs.get(name), name) if known is None else known.type

    def type_of_object(self, name: str) -> CType | None:
        """The type of a variable or function."""
        return self._type_in(self._context.symbols.objects.get(name), name)

    def _type_in(self, declaration: Declaration | None, name: str) -> CType | None:
        """The type that a declaration gives a name; None while it is being understood."""
        if declaration is None or name in self._pending:
            return None
        self._pending.add(name)
        try:
            return next((each.type for each in self._understood(declaration) if each.name == name), None)
        finally:
            self._pending.discard(name)

    def type_of_member(self, record: CType, name: str) -> CType | None:
        """The type of a struct's member, those of anonymous members included."""
        if not isinstance(record, RecordType):
            return None
        for field in self.records.fields_of(record.key) or ():
            if field.name == name:
                return field.type
            if not field.name and (found := self.type_of_member(field.type, name)) is not None:
                return found
        return None


def _body(chunk: Chunk) -> str:
    """A digest of a function's body as it is written: comments, white space and what macros stand for do not count."""
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
    """What two declarations of one function say together; the first one's place counts."""
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
