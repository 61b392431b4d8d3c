"""Makes types and constant expressions of syntax trees."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Protocol

import msgspec
from msgspec.structs import replace
from pycparser import c_ast

from abigen.headers import literals
from abigen.headers.syntax.specifiers import (
    CALLS,
    TYPE_NAME,
    TYPEDEF,
    basic_type,
    number_argument,
    unknown_mode,
    vector_bytes,
)
from abigen.headers.syntax.trees import Attribute, Flat, KnownNames, Segment
from abigen.headers.unit import Token
from abigen.model import ctype
from abigen.model.ctype import CType, Expression
from abigen.model.span import AbigenError, Diagnostic

_MOST_LEVELS_OF_EXPRESSIONS = 200
_SIZE_TYPES = (
    ctype.NamedType("size_t"),
    ctype.NamedType("uintptr_t"),
    ctype.Basic("unsigned long"),
    ctype.Basic("unsigned long long"),
)
_RANKS = ("int", "unsigned int", "long", "unsigned long", "long long", "unsigned long long", "__int128",
          "unsigned __int128", "float", "double", "long double")  # fmt: skip
_PATH = tuple[str | Expression, ...]


class Types(Protocol):
    """The types of expressions: `abigen.headers.types.TypeBuilder`."""

    names: KnownNames

    def type_name(self, flat: Flat, node: c_ast.Node) -> CType:
        """Return the type that a type name stands for."""

    def resolve(self, type: CType) -> CType:
        """Return the type without typedefs and qualifiers at the top."""


class ExpressionBuilder:
    """Turns the expressions of one flattened text into the model's."""

    def __init__(self, types: Types, flat: Flat) -> None:
        """Build the expressions of `flat`; `types` understands the types in them."""
        self._types = types
        self._flat = flat
        self._level = 0

    def build(self, node: c_ast.Node) -> Expression:
        """Return the model's expression for a tree.

        Raises:
            AbigenError: it is not an integer constant expression.
        """
        self._level += 1
        if self._level > _MOST_LEVELS_OF_EXPRESSIONS:
            raise AbigenError.at(
                self._token(node).span, f"expression nested more than {_MOST_LEVELS_OF_EXPRESSIONS} deep"
            )
        try:
            method = getattr(self, f"_build_{type(node).__name__}", None)
            if method is None:
                raise AbigenError.at(self._token(node).span, "this is not a constant expression")
            result: Expression = method(node)
            return result
        finally:
            self._level -= 1

    def _token(self, node: c_ast.Node) -> Token:
        """Return the token a node begins at."""
        return self._flat.token_of(node)

    def _build_Constant(self, node: c_ast.Node) -> Expression:  # noqa: N802
        token = self._token(node)
        if token.kind == "char":
            value = literals.character(token.text)
            if value is None:
                raise AbigenError.at(token.span, f"malformed character constant {token.text}")
            return value
        if token.kind != "number":
            raise AbigenError.at(token.span, f"{token.text} is not an integer")
        literal = literals.integer(token.text)
        if literal is None:
            what = "is not an integer" if node.type in ("double", "float", "long double") else "is not a valid number"
            raise AbigenError.at(token.span, f"{token.text} {what}")
        return literal

    def _build_ID(self, node: c_ast.Node) -> Expression:  # noqa: N802
        token = self._token(node)
        if token.text == "{":
            raise AbigenError.at(token.span, "this is not a constant expression")
        kind = self._types.names.ordinary(token.text)
        if kind == "enumerator":
            return ctype.Name(token.text)
        if token.text in ("true", "false") and self._types.names.is_c23:
            return ctype.Literal(int(token.text == "true"))
        if kind:
            raise AbigenError.at(token.span, f"'{token.text}' is a {kind}, not a constant")
        raise AbigenError.at(token.span, f"'{token.text}' is not declared", self._types.names.suggest_value(token.text))

    def _build_UnaryOp(self, node: c_ast.Node) -> Expression:  # noqa: N802
        if node.op == "sizeof":
            return self._size_of(node.expr)
        if node.op == "_Alignof":
            if isinstance(node.expr, c_ast.Typename):
                is_gnu = self._token(node).text.startswith("__")
                return ctype.AlignOf(self._types.type_name(self._flat, node.expr), preferred=is_gnu)
            return ctype.AlignOf(self.type_of(node.expr))
        if node.op in ("+", "-", "~", "!"):
            return ctype.Unary(node.op, self.build(node.expr))
        if node.op == "&" and (found := self._member_of_null(node.expr)) is not None:
            return ctype.OffsetOf(*found)
        raise AbigenError.at(self._token(node).span, f"'{node.op}' is not in a constant expression")

    def _build_BinaryOp(self, node: c_ast.Node) -> Expression:  # noqa: N802
        # A long sum leans to the left; walk it without recursion.
        spine = [node]
        while isinstance(spine[-1].left, c_ast.BinaryOp):
            spine.append(spine[-1].left)
        result: Expression | None = None
        for each in reversed(spine):
            if each.op == "-" and (offset := self._difference(each)) is not None:
                result = offset
                continue
            left = self.build(each.left) if result is None else result
            result = ctype.Binary(each.op, left, self.build(each.right))
        if len(spine) > _MOST_LEVELS_OF_EXPRESSIONS * 5:
            raise AbigenError.at(self._token(node).span, "expression is too long")
        assert result is not None
        return result

    def _build_TernaryOp(self, node: c_ast.Node) -> Expression:  # noqa: N802
        return ctype.Conditional(self.build(node.cond), self.build(node.iftrue), self.build(node.iffalse))

    def _build_Cast(self, node: c_ast.Node) -> Expression:  # noqa: N802
        target = self._types.type_name(self._flat, node.to_type)
        if isinstance(self._types.resolve(target), ctype.Pointer):
            raise AbigenError.at(self._token(node).span, "a pointer is not an integer constant")
        if isinstance(node.expr, c_ast.Constant) and node.expr.type in ("double", "float", "long double"):
            return ctype.Cast(target, self._truncated(node.expr))
        operand = self.build(node.expr)
        return operand if isinstance(operand, ctype.OffsetOf) and target in _SIZE_TYPES else ctype.Cast(target, operand)

    def _truncated(self, node: c_ast.Node) -> ctype.Literal:
        """Return the integer that a floating constant is cast to (C 6.3.1.4); beyond all types there is none."""
        token = self._token(node)
        text = token.text.lower().replace("'", "")
        try:
            if text.startswith("0x"):
                return ctype.Literal(int(float.fromhex(text.rstrip("fl"))))
            return ctype.Literal(int(float(text.rstrip("fldq"))))
        except (OverflowError, ValueError):
            raise AbigenError.at(token.span, "the number does not fit an integer") from None

    def _build_FuncCall(self, node: c_ast.Node) -> Expression:  # noqa: N802
        token = self._token(node)
        if getattr(node.name, "name", "") == "offsetof":
            typename, designator = node.args.exprs
            return ctype.OffsetOf(self._types.type_name(self._flat, typename), self._designator(designator))
        hint = "include <stddef.h>" if token.text == "offsetof" else ""
        raise AbigenError.at(token.span, f"a call of '{token.text}' is not a constant", hint)

    def _build_GenericSelection(self, node: c_ast.Node) -> Expression:  # noqa: N802
        wanted = self._types.resolve(self.type_of(node.expr))
        otherwise = None
        for each in node.associations:
            if each.type is None:
                otherwise = each.expr
            elif self._types.resolve(self._types.type_name(self._flat, each.type)) == wanted:
                return self.build(each.expr)
        if otherwise is None:
            raise AbigenError.at(self._token(node).span, "_Generic has no association for this type")
        return self.build(otherwise)

    def _size_of(self, operand: c_ast.Node) -> Expression:
        """`sizeof`, of a type name or of an expression."""
        found = self._member_of_null(operand)
        return ctype.SizeOf(self.type_of(operand)) if found is None else ctype.SizeOfMember(*found)

    def _difference(self, node: c_ast.Node) -> Expression | None:
        """`(char*)&((T*)0)->m - (char*)0` as an offset."""
        inner = node.left.expr if isinstance(node.left, c_ast.Cast) and self._is_null(node.right) else None
        if not isinstance(inner, c_ast.UnaryOp) or inner.op != "&":
            return None
        found = self._member_of_null(inner.expr)
        return None if found is None else ctype.OffsetOf(*found)

    def _is_null(self, node: c_ast.Node) -> bool:
        """True if a node is zero cast to some pointer."""
        if not isinstance(node, c_ast.Cast):
            return False
        try:
            pointer = self._types.resolve(self._types.type_name(self._flat, node.to_type))
            return isinstance(pointer, ctype.Pointer) and self.build(node.expr) == ctype.Literal(0)
        except AbigenError:
            return False

    def _member_of_null(self, node: c_ast.Node) -> tuple[CType, _PATH] | None:
        """Type and path of `((T*)0)->path`; None when the node is something else."""
        path: list[str | Expression] = []
        while True:
            is_element = isinstance(node, c_ast.ArrayRef) and self._is_null(node.name)
            if is_element or (isinstance(node, c_ast.UnaryOp) and node.op == "*" and self._is_null(node.expr)):
                root = node.name if is_element else node.expr
                break
            if not isinstance(node, (c_ast.ArrayRef, c_ast.StructRef)):
                return None
            path.append(self._step(node))
            is_arrow, node = node.type == "->" if isinstance(node, c_ast.StructRef) else False, node.name
            if is_arrow:
                if not self._is_null(node):
                    return None
                root = node
                break
        resolved = self._types.resolve(self._types.type_name(self._flat, root.to_type))
        return (resolved.target, tuple(reversed(path))) if path and isinstance(resolved, ctype.Pointer) else None

    def _step(self, node: c_ast.Node) -> str | Expression:
        """Return the name or the index by which a member is reached."""
        return self.build(node.subscript) if isinstance(node, c_ast.ArrayRef) else self._token(node.field).text

    def _designator(self, node: c_ast.Node) -> _PATH:
        """Return the path in an offsetof."""
        path: list[str | Expression] = []
        while isinstance(node, (c_ast.ArrayRef, c_ast.StructRef)):
            path.append(self._step(node))
            node = node.name
        return (self._token(node).text, *reversed(path))

    def type_of(self, node: c_ast.Node) -> CType:
        """Return the type of an expression, as `sizeof` and `typeof` need it.

        Raises:
            AbigenError: the type cannot be told from the header.
        """
        method = getattr(self, f"_type_of_{type(node).__name__}", None)
        if method is not None:
            found: CType = method(node)
            return found
        self.build(node)  # an error for what cannot be known
        return ctype.Basic("int")

    def _type_of_Constant(self, node: c_ast.Node) -> CType:  # noqa: N802
        token = self._token(node)
        if token.kind == "string":
            return literals.string_type(token.text)
        if token.kind == "number" and (literal := literals.integer(token.text)) is not None:
            return ctype.Basic(literal.type)
        return ctype.Basic(node.type if node.type in ("float", "double", "long double") else "int")

    def _type_of_ID(self, node: c_ast.Node) -> CType:  # noqa: N802
        found = self._types.names.type_of_object(self._token(node).text)
        if found is None:
            self.build(node)
        return found or ctype.Basic("int")

    def _type_of_Typename(self, node: c_ast.Node) -> CType:  # noqa: N802
        return self._types.type_name(self._flat, node)

    def _type_of_TernaryOp(self, node: c_ast.Node) -> CType:  # noqa: N802
        return self.type_of(node.iftrue)

    def _type_of_Cast(self, node: c_ast.Node) -> CType:  # noqa: N802
        """Return the type of a cast or a compound literal: an array without a length gets that of its initialiser."""
        type, operand = self._types.type_name(self._flat, node.to_type), node.expr
        if not isinstance(type, ctype.Array) or type.length is not None or not isinstance(operand, c_ast.ID):
            return type
        stream = self._flat.stream
        index = self._flat.origins[operand.coord.line] + 1
        end = stream.partners[index - 1]
        length = int(end > index and stream.tokens[end - 1].text != ",")
        while (index := stream.find(index, end, (",", "[", "..."))) < end:
            if stream.tokens[index].text != ",":
                raise AbigenError.at(stream.tokens[index].span, "the length of this array is not known")
            length += 1
            index += 1
        return ctype.Array(type.element, length)

    def _type_of_StructRef(self, node: c_ast.Node) -> CType:  # noqa: N802
        base = self._types.resolve(self.type_of(node.name))
        if isinstance(base, ctype.Pointer) and node.type == "->":
            base = self._types.resolve(base.target)
        token = self._token(node.field)
        member = self._types.names.type_of_member(base, token.text)
        if member is None:
            raise AbigenError.at(token.span, f"no member named '{token.text}'")
        return member

    def _type_of_ArrayRef(self, node: c_ast.Node) -> CType:  # noqa: N802
        return self._pointed_at(node, node.name)

    def _pointed_at(self, node: c_ast.Node, pointer: c_ast.Node) -> CType:
        """Return the pointee of an expression, for the node that dereferences it."""
        base = self._types.resolve(self.type_of(pointer))
        if isinstance(base, (ctype.Pointer, ctype.Array)):
            return base.target if isinstance(base, ctype.Pointer) else base.element
        if not isinstance(base, ctype.FunctionType):
            raise AbigenError.at(self._token(node).span, "this is not a pointer")
        return base

    def _type_of_UnaryOp(self, node: c_ast.Node) -> CType:  # noqa: N802
        if node.op == "*":
            return self._pointed_at(node, node.expr)
        if node.op == "&":
            return ctype.Pointer(self.type_of(node.expr))
        if node.op in ("sizeof", "_Alignof"):
            return ctype.NamedType("size_t") if self._types.names.is_type("size_t") else ctype.Basic("unsigned long")
        return self._promoted(self.type_of(node.expr)) if node.op in ("+", "-", "~") else ctype.Basic("int")

    def _type_of_BinaryOp(self, node: c_ast.Node) -> CType:  # noqa: N802
        if node.op in ("==", "!=", "<", ">", "<=", ">=", "&&", "||"):
            return ctype.Basic("int")
        left, right = self._promoted(self.type_of(node.left)), self._promoted(self.type_of(node.right))
        if isinstance(left, ctype.Pointer) or node.op in ("<<", ">>"):
            return left
        if isinstance(right, ctype.Pointer):
            return right
        names = [each.name for each in (left, right) if isinstance(each, ctype.Basic) and each.name in _RANKS]
        return ctype.Basic(max(names, key=_RANKS.index)) if len(names) == 2 else ctype.Basic("int")

    def _type_of_FuncCall(self, node: c_ast.Node) -> CType:  # noqa: N802
        function = self._types.resolve(self.type_of(node.name))
        if isinstance(function, ctype.Pointer):
            function = self._types.resolve(function.target)
        return function.result if isinstance(function, ctype.FunctionType) else ctype.Basic("int")

    def _promoted(self, type: CType) -> CType:
        """After integer promotion and array decay (C 6.3.1.1, 6.3.2.1)."""
        resolved = self._types.resolve(type)
        if isinstance(resolved, ctype.Array):
            return ctype.Pointer(resolved.element)
        is_kept = isinstance(resolved, ctype.Pointer) or (isinstance(resolved, ctype.Basic) and resolved.name in _RANKS)
        return resolved if is_kept else ctype.Basic("int")


_MOST_LEVELS = 100
_shared = lru_cache(maxsize=10_000)(ctype.NamedType)
"""Makes the type of each name once: thousands of members have the same."""


class DeclaredType(msgspec.Struct):
    """A declarator with its type, and the attributes beyond the type."""

    name: str
    token: Token
    node: c_ast.Decl
    """Its `Decl`, with storage class and function specifiers."""
    segment: Segment
    """The parts of the declarator that are kept beside the tree."""
    type: CType
    attributes: list[Attribute]
    alignments: Sequence[Expression | int]
    """The alignment that `_Alignas` asks for, in bytes."""
    bit_width: Expression | int | None

    @property
    def is_typedef(self) -> bool:
        """True if it declares a name for a type."""
        return TYPEDEF in self.node.storage


class TypeBuilder:
    """Turns pycparser's trees into the model's types; what is wrong is reported, and `int` takes its place."""

    def __init__(self, names: KnownNames, report: Callable[[Diagnostic], None]) -> None:
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
        self._parameters: list[set[str]] = []
        """The names of the parameters of each function around what is built, outermost first."""
        self._level = 0

    def resolve(self, type: CType) -> CType:
        """Without typedefs and qualifiers at the top; a `NamedType` only when it is not known what it stands for."""
        seen: list[str] = []
        while isinstance(type, (ctype.NamedType, ctype.Qualified)):
            if isinstance(type, ctype.Qualified):
                type = type.type
                continue
            known = self._resolved.get(type.name)
            target = known or (None if type.name in seen else self.names.type_of_typedef(type.name))
            if target is None:
                return type
            seen.append(type.name)
            type = target
        if seen:
            self._resolved[seen[0]] = type
        return type

    def declared(self, flat: Flat, node: c_ast.Node) -> DeclaredType:
        """Understand one declarator.

        Args:
            flat: the declaration.
            node: its `Decl`.
        """
        token, segment = flat.name_of(node)
        attributes = [*segment.specifiers, *segment.attributes]
        type = self.declarator(flat, node.type, attributes)
        if segment.initializer is not None and TYPEDEF in node.storage:
            self.report(Diagnostic(token.span, f"the typedef '{token.text}' has an initialiser"))
        return DeclaredType(
            name=token.text if node.name is not None else "",
            token=token,
            node=node,
            segment=segment,
            type=type,
            attributes=attributes,
            alignments=[self._alignment(flat, each.alignment) for each in node.align or ()],
            bit_width=None if node.bitsize is None else self.constant(flat, node.bitsize),
        )

    def type_name(self, flat: Flat, node: c_ast.Node) -> CType:
        """Return the type that a type name stands for."""
        base = node.type
        while isinstance(base, (c_ast.PtrDecl, c_ast.ArrayDecl, c_ast.FuncDecl, c_ast.TypeDecl)):
            base = base.type
        return self.declarator(flat, node.type, list(flat.segments[flat.origins[base.coord.line]].specifiers))

    def constant(self, flat: Flat, node: c_ast.Node) -> Expression | int:
        """Return an integer constant expression, folded when it is the same for all targets; reports what is none."""
        expression = self.expression(flat, node)
        return 1 if expression is None else self.names.fold(expression)

    def expression(self, flat: Flat, node: c_ast.Node) -> Expression | None:
        """Return an integer constant expression; None, and a report, when it is none."""
        try:
            return ExpressionBuilder(self, flat).build(node)
        except AbigenError as error:
            for each in error.diagnostics:
                self.report(each)
            return None

    def _alignment(self, flat: Flat, node: c_ast.Node) -> Expression | int:
        """Return the operand of `_Alignas`: a type or a number of bytes."""
        return (
            ctype.AlignOf(self.type_name(flat, node)) if isinstance(node, c_ast.Typename) else self.constant(flat, node)
        )

    def declarator(self, flat: Flat, node: c_ast.Node, attributes: list[Attribute]) -> CType:
        """Return the type of a declarator: from the specifiers outwards.

        Args:
            flat: the declaration.
            node: the outermost tree of the declarator.
            attributes: those of the declaration; what stands behind the last `*` is added to them.
        """
        self._level += 1
        try:
            if self._level > _MOST_LEVELS:
                self.report(Diagnostic(flat.token(0).span, f"declarators nested more than {_MOST_LEVELS} deep"))
                return ctype.Basic("int")
            return self._assemble(flat, node, attributes)
        finally:
            self._level -= 1

    def _assemble(self, flat: Flat, node: c_ast.Node, attributes: list[Attribute]) -> CType:
        """See `declarator`."""
        chain = []
        while isinstance(node, (c_ast.PtrDecl, c_ast.ArrayDecl, c_ast.FuncDecl)):
            chain.append(node)
            node = node.type
        if len(chain) > _MOST_LEVELS * 3:
            self.report(Diagnostic(flat.token(0).span, f"a declarator of more than {_MOST_LEVELS * 3} levels"))
            chain = chain[:1]
        quals: Sequence[str] = ()
        if isinstance(node, c_ast.TypeDecl):
            quals, node = node.quals, node.type
        result = self._specified(flat, node, attributes)
        if attributes:
            result = self._vectorized(result, attributes)
        if "restrict" in quals and not isinstance(self.resolve(result), ctype.Pointer):
            message = "'restrict' is for pointers, and this is not a pointer"
            start = flat.stream.tokens[flat.segments[flat.origins[node.coord.line]].start]
            self.report(Diagnostic(start.span, message, "remove it, or write it behind the '*'"))
        result = ctype.qualified(result, quals)
        for node in reversed(chain):
            if isinstance(node, c_ast.PtrDecl):
                of_pointer = flat.of_pointers.get(flat.origins[node.coord.line], [])
                if of_pointer:
                    result = with_convention(result, of_pointer)
                    attributes += [each for each in of_pointer if each.name not in CALLS] if node is chain[0] else []
                result = ctype.qualified(self._pointer(flat, node, result), node.quals)
            elif isinstance(node, c_ast.ArrayDecl):
                result = self._array(flat, node, result)
            else:
                result = self._function(flat, node, result)
        return with_convention(result, attributes) if attributes else result

    def _vectorized(self, type: CType, attributes: Iterable[Attribute]) -> CType:
        """Return the vector that `vector_size` makes of a type."""
        for each in attributes:
            if each.name in ("vector_size", "ext_vector_type"):
                size = vector_bytes(each, self.number_of(each), self.resolve(type))
                if not isinstance(size, int) or size > 0:
                    return ctype.Vector(type, size)
                self.report(Diagnostic(each.span, f"'{each.name}' does not make a vector of this type"))
        return type

    def _pointer(self, flat: Flat, node: c_ast.Node, target: CType) -> CType:
        """Return a pointer, or a block, which is for functions only."""
        is_block = flat.origins[node.coord.line] in flat.blocks
        if is_block and not isinstance(self.resolve(target), ctype.FunctionType):
            message, hint = "a block is for functions, and this is not a function", "write '*' for a pointer"
            self.report(Diagnostic(flat.token_of(node).span, message, hint))
            return ctype.Pointer(target)
        return ctype.Pointer(target, is_block)

    def _array(self, flat: Flat, node: c_ast.Node, element: CType) -> CType:
        """Return an array type."""
        place = flat.token_of(node)
        resolved = self.resolve(element)
        if isinstance(resolved, ctype.FunctionType):
            hint = "use an array of pointers to functions"
            self.report(Diagnostic(place.span, f"'{place.text}' is an array of functions", hint))
        elif resolved == ctype.Basic("void"):
            self.report(Diagnostic(place.span, f"'{place.text}' is an array of voids"))
        is_open = node.dim is None or (isinstance(node.dim, c_ast.ID) and node.dim.name == "*")
        if is_open or self._names_a_parameter(flat, node.dim):
            return ctype.Array(element, None)
        length = self.constant(flat, node.dim)
        if isinstance(length, int) and length < 0:
            name = "" if place.text == "[" else f" '{place.text}'"
            self.report(Diagnostic(place.span, f"the length of the array{name} is negative ({length})"))
            length = 1
        elif not isinstance(length, int):
            self.lengths.append((length, place))
        return ctype.Array(element, length, flat.names_between_brackets(node.dim) if isinstance(length, int) else "")

    def _names_a_parameter(self, flat: Flat, node: c_ast.Node) -> bool:
        """True if an expression has a value only while a function is called (C 6.7.6.2 paragraph 5)."""
        if isinstance(node, c_ast.ID):
            return any(flat.token_of(node).text in names for names in self._parameters)
        return bool(self._parameters) and any(self._names_a_parameter(flat, each) for _, each in node.children())

    def _specified(self, flat: Flat, node: c_ast.Node, attributes: list[Attribute]) -> CType:
        """Return the type that the specifiers name."""
        if isinstance(node, c_ast.IdentifierType):
            return self._named(flat, node, attributes)
        if isinstance(node, (c_ast.Struct, c_ast.Union, c_ast.Enum)):
            body = flat.body_of(node)
            kind = type(node).__name__.lower()
            key = self.names.key_of_reference(kind, flat.tag_of(node)) if body is None else self.names.key_of_body(body)
            return ctype.EnumType(key) if isinstance(node, c_ast.Enum) else ctype.RecordType(key)
        if isinstance(node, c_ast.TypeOf):
            try:
                result = ExpressionBuilder(self, flat).type_of(node.expr)
            except AbigenError as error:
                self.report(replace(error.diagnostics[0], message=f"typeof: {error.diagnostics[0].message}"))
                return ctype.Basic("int")
            is_unqualified = "unqual" in flat.token_of(node).text and isinstance(result, ctype.Qualified)
            return result.type if is_unqualified and isinstance(result, ctype.Qualified) else result
        if isinstance(node, c_ast.BitIntType):
            width = self.constant(flat, node.width)
            return ctype.BitInt(width if isinstance(width, int) else 64, node.signedness != "unsigned")
        if isinstance(node, c_ast.Typename):  # _Atomic(type)
            return ctype.qualified(self.declarator(flat, node.type, []), node.quals)
        self.report(Diagnostic(flat.token_of(node).span, "this is not a type"))
        return ctype.Basic("int")

    def _named(self, flat: Flat, node: c_ast.Node, attributes: list[Attribute]) -> CType:
        """Return a basic type or a typedef."""
        token = flat.token_of(node)
        words = node.names
        if words == [TYPE_NAME]:
            return _shared(token.text)
        if words == ["__auto_type"]:
            message = "the type of an object that is declared by its initialiser is assumed to be int"
            self.report(Diagnostic(token.span, message, severity="warning"))
            return ctype.Basic("int")
        mode = unknown_mode(attributes) if attributes else None
        if mode is not None:
            self.report(Diagnostic(mode.span, "abigen does not know this machine mode, so the type is not known"))
        basic = basic_type(words, attributes)
        if basic is None:
            spelled = " ".join(token.text if word == TYPE_NAME else word for word in words)
            self.report(Diagnostic(token.span, f"'{spelled}' is not a type"))
        return basic or ctype.Basic("int")

    def _function(self, flat: Flat, node: c_ast.Node, result: CType) -> CType:
        """Return the type of a function that returns `result`."""
        resolved = self.resolve(result)
        if isinstance(resolved, (ctype.Array, ctype.FunctionType)):
            what = "an array" if isinstance(resolved, ctype.Array) else "a function"
            place = flat.token_of(node).span
            self.report(Diagnostic(place, f"a function cannot return {what}", "return a pointer to it"))
            result = ctype.Pointer(result)
        if node.args is None:
            return ctype.FunctionType(result, (), prototyped=self.names.is_c23)
        parameters: list[ctype.Parameter] = []
        variadic = False
        prototyped = True
        named = [each for each in node.args.params if isinstance(each, c_ast.Decl) and each.name is not None]
        # Those of GNU C that are declared in advance stand there once more: which come first does not matter.
        self._parameters.append({flat.name_of(each)[0].text for each in named})
        for each in node.args.params:
            if isinstance(each, c_ast.EllipsisParam):
                variadic = True
            elif isinstance(each, c_ast.ID):
                token = flat.token_of(each)
                message = f"'{token.text}' is not a type; compilers read it as the name of a parameter without a type"
                hint = self.names.suggest_type(token.text)
                self.report(Diagnostic(token.span, message, hint, severity="warning"))
                prototyped = False
            else:
                parameters.append(self._parameter(flat, each))
        self._parameters.pop()
        is_alone = len(parameters) == 1 and not variadic and parameters[0].name is None
        if is_alone and self.resolve(parameters[0].type) == ctype.Basic("void"):
            return ctype.FunctionType(result, ())
        self._check_parameters(parameters)
        return ctype.FunctionType(result, tuple(parameters), variadic=variadic, prototyped=prototyped)

    def _check_parameters(self, parameters: Sequence[ctype.Parameter]) -> None:
        """Each needs a type of its own and a name of its own (C 6.7.6.3 paragraphs 4 and 10)."""
        seen: set[str] = set()
        for each in parameters:
            if each.type.__class__ is not ctype.Pointer and self.resolve(each.type) == ctype.Basic("void"):
                message = "a parameter of the type void; later compilers refuse it"
                self.report(Diagnostic(each.span, message, severity="warning"))
            if each.name is not None:
                if each.name in seen:
                    self.report(Diagnostic(each.span, f"two parameters are called '{each.name}'"))
                seen.add(each.name)

    def _parameter(self, flat: Flat, node: c_ast.Node) -> ctype.Parameter:
        """Return a parameter, adjusted as C 6.7.6.3 paragraphs 7 and 8 say."""
        token, segment = flat.name_of(node)
        is_decl = isinstance(node, c_ast.Decl)
        for word in node.storage if is_decl else ():
            if word not in ("register", "auto"):
                message = f"the parameter '{token.text}' is declared {word}"
                self.report(Diagnostic(token.span, message, f"remove '{word}'"))
        attributes = [*segment.specifiers, *segment.attributes]
        type = self.declarator(flat, node.type, attributes)
        resolved = self.resolve(type)
        if isinstance(resolved, ctype.Array):
            outer = type.qualifiers if isinstance(type, ctype.Qualified) else ()
            quals = (node.type.dim_quals if isinstance(node.type, c_ast.ArrayDecl) else None) or ()
            pointer = ctype.Pointer(ctype.qualified(resolved.element, outer))
            type = ctype.qualified(pointer, [each for each in quals if each != "static"])
        elif isinstance(resolved, ctype.FunctionType):
            type = ctype.Pointer(type)
        array = resolved if isinstance(resolved, ctype.Array) else None
        name = token.text if is_decl and node.name is not None else None
        return ctype.Parameter(name, type, token.span, array=array)


def with_convention(type: CType, attributes: Iterable[Attribute]) -> CType:
    """Return the type with the calling convention of attributes: of the function, or of the pointed-to function."""
    for each in attributes:
        if each.name in CALLS:
            arguments = "".join(token.text.strip('"') for token in each.arguments)
            type = _convention(type, f"{each.name}({arguments})" if arguments else each.name)
    return type


def _convention(type: CType, name: str) -> CType:
    """Put a calling convention at the function type that is nearest."""
    if isinstance(type, ctype.FunctionType):
        return replace(type, calling_convention=name)
    if isinstance(type, ctype.Pointer):
        return replace(type, target=_convention(type.target, name))
    if isinstance(type, ctype.Qualified):
        return ctype.Qualified(_convention(type.type, name), type.qualifiers)
    if isinstance(type, ctype.Array):
        return replace(type, element=_convention(type.element, name))
    return type
