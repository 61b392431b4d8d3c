"""Types: pycparser's declarators and specifiers become the model's type algebra."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from abigen.model.ctype import (
    AlignOf,
    Array,
    Basic,
    BitInt,
    CType,
    EnumType,
    Expression,
    FunctionType,
    NamedType,
    Pointer,
    Qualified,
    RecordType,
    Vector,
)
from abigen.model.span import Diagnostic
from abigen.read.c.syntax.names import TypeNames
from abigen.read.c.syntax.trees import Attribute, Flat, split_words
from abigen.read.c.syntax.vocabulary import TAG_BODY, TYPEDEF
from abigen.read.c.types.attribute_kinds import CALLS, number_argument, vector_bytes
from abigen.read.c.types.basic import basic_type, unknown_mode
from abigen.read.c.types.combining import qualified, with_convention
from abigen.read.c.types.declared import Declared, name_position
from abigen.read.c.types.expressions import ExpressionBuilder, NotConstantError
from abigen.read.c.types.functions import FunctionTypes
from abigen.read.c.unit import Token

_MOST_LEVELS = 100


class TypeBuilder:
    """Turns pycparser's trees into the model's types; what is wrong is reported, and `int` takes its place."""

    def __init__(self, names: TypeNames, report: Callable[[Diagnostic], None]) -> None:
        """Prepare to build types.

        Args:
            names: what names stand for.
            report: where errors and warnings go.
        """
        self.names = names
        self.report = report
        self.lengths: list[tuple[Expression, Token]] = []
        """Lengths of arrays that depend on the target, with the name of the array."""
        self.number_of: Callable[[Attribute], int] = lambda attribute: number_argument(attribute) or 0
        """Evaluates the argument of an attribute."""
        self._resolved: dict[str, CType] = {}
        self._functions = FunctionTypes(self)
        self._level = 0

    def resolve(self, type: CType) -> CType:
        """Without typedefs and qualifiers at the top; a `NamedType` only when it is not known what it stands for."""
        while True:
            if type.__class__ is NamedType:
                return self._resolve_name(type)
            if not isinstance(type, Qualified):
                return type
            type = type.type

    def _resolve_name(self, type: CType) -> CType:
        """What a typedef's name stands for in the end."""
        assert isinstance(type, NamedType)
        first = type.name
        known = self._resolved.get(first)
        if known is not None:
            return known
        seen: set[str] = set()
        result: CType = type
        while isinstance(result, (NamedType, Qualified)):
            if isinstance(result, Qualified):
                result = result.type
                continue
            target = None if result.name in seen else self.names.type_of_typedef(result.name)
            if target is None:
                return result
            seen.add(result.name)
            result = target
        self._resolved[first] = result
        return result

    def declared(self, flat: Flat, node: Any, index: int) -> Declared:
        """Understand one declarator.

        Args:
            flat: the declaration.
            node: its `Decl`.
            index: the number of the declarator in its declaration.
        """
        segment = flat.segments[index] if index < len(flat.segments) else flat.segments[-1]
        _, uses = split_words(flat, node.quals or ())
        attributes = [each for use in uses for each in use.attributes] + segment.attributes
        token = flat.token(name_position(node))
        type = self.declarator(flat, node.type, attributes)
        alignments = [self._alignment(flat, each.alignment) for each in node.align or ()]
        width = None if node.bitsize is None else self.constant(flat, node.bitsize)
        if segment.initializer is not None and TYPEDEF in (node.storage or ()):
            self.report(Diagnostic(token.span, f"the typedef '{token.text}' has an initialiser"))
        return Declared(
            name=token.text if node.name is not None else "",
            token=token,
            type=type,
            storage=list(node.storage or ()),
            functions=list(node.funcspec or ()),
            attributes=attributes,
            alignments=alignments,
            bit_width=width,
            symbol=segment.symbol,
            initializer=segment.initializer,
        )

    def type_name(self, flat: Flat, node: Any) -> CType:
        """The type that a type name stands for."""
        _, uses = split_words(flat, node.quals or ())
        return self.declarator(flat, node.type, [each for use in uses for each in use.attributes])

    def constant(self, flat: Flat, node: Any) -> Expression | int:
        """An integer constant expression, folded when it is the same for all targets; reports what is none."""
        try:
            return self.names.fold(ExpressionBuilder(self, flat).build(node))
        except NotConstantError as error:
            self.report(Diagnostic(error.token.span, error.message, error.hint))
            return 1

    def _alignment(self, flat: Flat, node: Any) -> Expression | int:
        """The operand of `_Alignas`: a type or a number of bytes."""
        if node.kind == "Typename":
            return AlignOf(self.type_name(flat, node))
        return self.constant(flat, node)

    def declarator(self, flat: Flat, node: Any, attributes: list[Attribute]) -> CType:
        """The type of a declarator: from the specifiers outwards.

        Args:
            flat: the declaration.
            node: the outermost tree of the declarator.
            attributes: those of the declaration; what stands behind the last `*` is added to them.
        """
        self._level += 1
        try:
            if self._level > _MOST_LEVELS:
                self.report(Diagnostic(flat.token(0).span, f"declarators nested more than {_MOST_LEVELS} deep"))
                return Basic("int")
            return self._assemble(flat, node, attributes)
        finally:
            self._level -= 1

    def _assemble(self, flat: Flat, node: Any, attributes: list[Attribute]) -> CType:
        """See `_declarator`."""
        chain = []
        while node.kind in ("PtrDecl", "ArrayDecl", "FuncDecl"):
            chain.append(node)
            node = node.type
        if len(chain) > _MOST_LEVELS * 3:
            self.report(Diagnostic(flat.token(0).span, f"a declarator of more than {_MOST_LEVELS * 3} levels"))
            chain = chain[:1]
        quals: Sequence[str] = ()
        if node.kind == "TypeDecl":
            quals, _ = split_words(flat, node.quals or ())
            node = node.type
        result = self._specified(flat, node, attributes)
        result = self._vectorized(result, attributes)
        if "restrict" in quals and not isinstance(self.resolve(result), Pointer):
            message = "'restrict' is for pointers, this is something else"
            self.report(Diagnostic(flat.token(0).span, message, "remove it, or write it behind the '*'"))
        result = qualified(result, quals)
        for position in range(len(chain) - 1, -1, -1):
            node = chain[position]
            kind = node.kind
            if kind == "PtrDecl":
                quals, uses = split_words(flat, node.quals or ())
                for use in uses:
                    result = with_convention(result, use.attributes)
                    if position == 0 and use.place == "pointer":
                        attributes += [each for each in use.attributes if each.name not in CALLS]
                result = qualified(Pointer(result), quals)
            elif kind == "ArrayDecl":
                result = self._array(flat, node, result)
            else:
                result = self._functions.type(flat, node, result)
        return with_convention(result, attributes)

    def _vectorized(self, type: CType, attributes: Iterable[Attribute]) -> CType:
        """The vector that `vector_size` makes of a type."""
        for each in attributes:
            if each.name in ("vector_size", "ext_vector_type"):
                size = vector_bytes(each, self.number_of(each), self.resolve(type))
                if size > 0:
                    return Vector(type, size)
                self.report(Diagnostic(each.span, f"'{each.name}' does not make a vector of this type"))
        return type

    def _array(self, flat: Flat, node: Any, element: CType) -> CType:
        """An array type."""
        place = flat.token(node.position if node.position is not None else 0)
        resolved = self.resolve(element)
        if isinstance(resolved, FunctionType):
            self.report(
                Diagnostic(
                    place.span, f"'{place.text}' is an array of functions", "use an array of pointers to functions"
                )
            )
        elif resolved == Basic("void"):
            self.report(Diagnostic(place.span, f"'{place.text}' is an array of voids"))
        if node.dim is None:
            return Array(element, None)
        if node.dim.kind == "ID" and node.dim.name == "*":
            return Array(element, None)
        length = self.constant(flat, node.dim)
        if isinstance(length, int) and length < 0:
            self.report(Diagnostic(place.span, f"the length of the array '{place.text}' is negative ({length})"))
            length = 1
        elif not isinstance(length, int):
            self.lengths.append((length, place))
        return Array(element, length)

    def _specified(self, flat: Flat, node: Any, attributes: list[Attribute]) -> CType:
        """The type that the specifiers name."""
        kind = node.kind
        if kind == "IdentifierType":
            return self._named(flat, node, attributes)
        if kind in ("Struct", "Union", "Enum"):
            position = node.position + (kind == "Enum")
            key = self.names.key_of_reference(kind.lower(), flat.token(position))
            return EnumType(key) if kind == "Enum" else RecordType(key)
        if kind == "TypeOf":
            return self._typeof(flat, node)
        if kind == "BitIntType":
            width = self.constant(flat, node.width)
            return BitInt(width if isinstance(width, int) else 64, node.signedness != "unsigned")
        if kind == "Typename":  # _Atomic(type)
            inner_quals, _ = split_words(flat, node.quals or ())
            return qualified(self.declarator(flat, node.type, []), inner_quals)
        self.report(Diagnostic(flat.token(0).span, "this is not a type"))
        return Basic("int")

    def _typeof(self, flat: Flat, node: Any) -> CType:
        """`typeof` of a type name or of an expression."""
        try:
            result = ExpressionBuilder(self, flat).type_of(node.expr)
        except NotConstantError as error:
            self.report(Diagnostic(error.token.span, f"typeof: {error.message}", error.hint))
            return Basic("int")
        if "unqual" in flat.token(node.position).text and isinstance(result, Qualified):
            return result.type
        return result

    def _named(self, flat: Flat, node: Any, attributes: list[Attribute]) -> CType:
        """A basic type, a typedef, or a struct or enum with a body."""
        position = node.position if node.position is not None else 0
        words = node.names
        if len(words) == 1:
            if position in flat.tags:
                body = flat.tags[position]
                key = self.names.key_of_body(body)
                return EnumType(key) if body.kind == "enum" else RecordType(key)
            if words[0] == "@":
                return NamedType(flat.token(position).text)
        if words == ["__auto_type"]:
            message = "the type of an object that is declared by its initialiser is taken to be int"
            self.report(Diagnostic(flat.token(position).span, message, severity="warning"))
            return Basic("int")
        mode = unknown_mode(attributes) if attributes else None
        if mode is not None:
            self.report(Diagnostic(mode.span, "this machine mode is not understood, the type is not known"))
        basic = basic_type(words, attributes)
        if basic is None and TAG_BODY in words:
            body = next(iter(flat.tags.values()))
            brace = body.stream.tokens[body.end]
            self.report(Diagnostic(brace.span, "expected ';' after this '}'", f"the {body.kind} ends with '}};'"))
            return Basic("int")
        if basic is None:
            spelled = " ".join({"@": flat.token(position).text, "{}": "struct"}.get(word, word) for word in words)
            self.report(Diagnostic(flat.token(position).span, f"'{spelled}' is not a type"))
            return Basic("int")
        return basic
