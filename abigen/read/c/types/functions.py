"""Types of functions, and what C makes of their parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from abigen.model.ctype import Array, Basic, CType, FunctionType, Parameter, Pointer, Qualified
from abigen.model.span import Diagnostic
from abigen.read.c.syntax.trees import Flat, split_words
from abigen.read.c.syntax.vocabulary import ATTRIBUTE, TAG_BODY
from abigen.read.c.types.combining import qualified
from abigen.read.c.types.declared import name_position

if TYPE_CHECKING:
    from abigen.read.c.types.builder import TypeBuilder


class FunctionTypes:
    """Builds the types of functions for a `TypeBuilder`."""

    def __init__(self, types: TypeBuilder) -> None:
        """Build with the help of `types`, which understands results and parameters."""
        self._types = types
        self._plain: dict[tuple[int, str], CType] = {}

    def type(self, flat: Flat, node: Any, result: CType) -> CType:
        """A function type.

        Args:
            flat: the declaration.
            node: the tree of the function.
            result: what it returns.
        """
        resolved = self._types.resolve(result)
        if isinstance(resolved, (Array, FunctionType)):
            token = flat.token(node.position if node.position is not None else 0)
            what = "an array" if isinstance(resolved, Array) else "a function"
            self._types.report(Diagnostic(token.span, f"a function cannot return {what}", "return a pointer to it"))
            result = Pointer(result)
        if node.args is None:
            return FunctionType(result, (), prototyped=self._types.names.is_c23)
        parameters: list[Parameter] = []
        variadic = False
        prototyped = True
        for each in node.args.params:
            kind = each.kind
            if kind == "EllipsisParam":
                variadic = True
            elif kind == "ID":
                token = flat.token(each.position)
                message = f"'{token.text}' is not a type; compilers take it as the name of a parameter without a type"
                self._types.report(
                    Diagnostic(token.span, message, self._types.names.suggest_type(token.text), severity="warning")
                )
                prototyped = False
            else:
                parameters.append(self._parameter(flat, each))
        if (
            len(parameters) == 1
            and not variadic
            and parameters[0].name is None
            and self._types.resolve(parameters[0].type) == Basic("void")
        ):
            return FunctionType(result, ())
        self._check_parameters(parameters)
        return FunctionType(result, tuple(parameters), variadic=variadic, prototyped=prototyped)

    def _check_parameters(self, parameters: Sequence[Parameter]) -> None:
        """Each needs a type of its own and a name of its own (C 6.7.6.3 paragraphs 4 and 10)."""
        seen: set[str] = set()
        for each in parameters:
            if each.type.__class__ is not Pointer and self._types.resolve(each.type) == Basic("void"):
                message = "a parameter of the type void; later compilers refuse it"
                self._types.report(Diagnostic(each.span, message, severity="warning"))
            if each.name is not None:
                if each.name in seen:
                    self._types.report(Diagnostic(each.span, f"two parameters are called '{each.name}'"))
                seen.add(each.name)

    def _parameter(self, flat: Flat, node: Any) -> Parameter:
        """A parameter, adjusted as C 6.7.6.3 paragraphs 7 and 8 say."""
        fact = flat.facts.get(id(node))
        if fact is None:
            fact = flat.facts[id(node)] = _parameter_fact(node)
        name_at, base_at = fact
        if base_at >= 0:
            # Types without arrays, functions, attributes and bodies only depend on the name in them.
            key = (id(node), flat.token(base_at).text)
            plain = self._plain.get(key)
            if plain is None:
                plain = self._adjusted(self._types.declarator(flat, node.type, []), ())
                self._plain[key] = plain
            token = flat.token(name_at if name_at >= 0 else base_at)
            return Parameter(token.text if name_at >= 0 else None, plain, token.span)
        return self._any_parameter(flat, node)

    def _any_parameter(self, flat: Flat, node: Any) -> Parameter:
        """A parameter of any form."""
        for word in getattr(node, "storage", None) or ():
            if word not in ("register", "auto"):
                token = flat.token(name_position(node))
                self._types.report(
                    Diagnostic(token.span, f"the parameter '{token.text}' is declared {word}", f"remove '{word}'")
                )
        _, uses = split_words(flat, node.quals or ())
        attributes = [each for use in uses for each in use.attributes]
        declared = self._types.declarator(flat, node.type, attributes)
        name = None
        position = name_position(node)
        if node.kind == "Decl" and node.name is not None:
            name = flat.token(position).text
        dim_quals: Sequence[str] = ()
        if node.type.kind == "ArrayDecl":
            dim_quals = [each for each in node.type.dim_quals or () if each != "static"]
        return Parameter(name, self._adjusted(declared, dim_quals), flat.token(position).span)

    def _adjusted(self, type: CType, quals: Sequence[str]) -> CType:
        """The type of a parameter that was declared as `type`, with the qualifiers between its brackets."""
        resolved = self._types.resolve(type)
        if isinstance(resolved, Array):
            outer = type.qualifiers if isinstance(type, Qualified) else ()
            return qualified(Pointer(qualified(resolved.element, outer)), quals)
        return Pointer(type) if isinstance(resolved, FunctionType) else type


def _parameter_fact(node: Any) -> tuple[int, int]:
    """Where a parameter's name and its type's name stand, -1 for no name and for a type that is not plain."""
    inner = node.type
    while inner.kind == "PtrDecl":
        if any(word[0] == ATTRIBUTE for word in inner.quals):
            return -1, -1
        inner = inner.type
    if inner.kind != "TypeDecl" or inner.type.kind != "IdentifierType":
        return -1, -1
    words = (*inner.quals, *node.quals, *inner.type.names)
    if getattr(node, "storage", None) or any(
        word[0] == ATTRIBUTE or word in (TAG_BODY, "__auto_type") for word in words
    ):
        return -1, -1
    has_name = node.kind == "Decl" and node.name is not None
    return int(inner.position) if has_name else -1, int(inner.type.position)
