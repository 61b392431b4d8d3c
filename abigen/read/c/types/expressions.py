"""Integer constant expressions (C 6.6): pycparser's trees become the model's expressions."""

from __future__ import annotations

from typing import Protocol

from pycparser import c_ast

from abigen.model import ctype
from abigen.model.ctype import CType, Expression
from abigen.model.span import AbigenError
from abigen.read.c import literals
from abigen.read.c.syntax.trees import Flat, KnownNames
from abigen.read.c.unit import Token

_MOST_LEVELS = 200
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
    """Who understands the types in expressions: `abigen.read.c.types.builder.TypeBuilder`."""

    names: KnownNames

    def type_name(self, flat: Flat, node: c_ast.Node) -> CType:
        """The type that a type name stands for."""

    def resolve(self, type: CType) -> CType:
        """The type without typedefs and qualifiers at the top."""


class ExpressionBuilder:
    """Turns the expressions of one flattened text into the model's."""

    def __init__(self, types: Types, flat: Flat) -> None:
        """Build the expressions of `flat`; `types` understands the types in them."""
        self._types = types
        self._flat = flat
        self._level = 0

    def build(self, node: c_ast.Node) -> Expression:
        """The model's expression for a tree.

        Raises:
            AbigenError: it is not an integer constant expression.
        """
        self._level += 1
        if self._level > _MOST_LEVELS:
            raise AbigenError.at(self._token(node).span, f"expression nested more than {_MOST_LEVELS} deep")
        try:
            method = getattr(self, f"_build_{type(node).__name__}", None)
            if method is None:
                raise AbigenError.at(self._token(node).span, "this is not a constant expression")
            result: Expression = method(node)
            return result
        finally:
            self._level -= 1

    def _token(self, node: c_ast.Node) -> Token:
        """The token a node begins at."""
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
        raise AbigenError.at(self._token(node).span, f"'{node.op}' does not stand in a constant expression")

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
        if len(spine) > _MOST_LEVELS * 5:
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
        """The integer that a floating constant is cast to (C 6.3.1.4); beyond all types there is none."""
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
        """Whether a node is zero cast to some pointer."""
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
        """The name or the index by which a member is reached."""
        return self.build(node.subscript) if isinstance(node, c_ast.ArrayRef) else self._token(node.field).text

    def _designator(self, node: c_ast.Node) -> _PATH:
        """The path in an offsetof."""
        path: list[str | Expression] = []
        while isinstance(node, (c_ast.ArrayRef, c_ast.StructRef)):
            path.append(self._step(node))
            node = node.name
        return (self._token(node).text, *reversed(path))

    def type_of(self, node: c_ast.Node) -> CType:
        """The type of an expression, as `sizeof` and `typeof` need it.

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
        """The type of a cast or a compound literal: an array without a length gets that of its initialiser."""
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
        """What an expression points at, for the node that looks there."""
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
