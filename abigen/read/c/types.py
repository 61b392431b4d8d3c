"""Types: pycparser's declarators and specifiers become the model's type algebra."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

from abigen.model.ctype import (
    Array,
    Basic,
    BitInt,
    CType,
    EnumType,
    Expression,
    FunctionType,
    NamedType,
    Parameter,
    Pointer,
    Qualified,
    RecordType,
    Vector,
)
from abigen.model.span import Diagnostic
from abigen.read.c.basic import basic_type, unknown_mode
from abigen.read.c.expressions import ExpressionBuilder, NotConstantError
from abigen.read.c.meaning import CALLS, number_argument, vector_bytes
from abigen.read.c.syntax import Attribute, AttributeUse, Flat
from abigen.read.c.unit import Token
from abigen.read.c.vocabulary import ATTRIBUTE, TAG_BODY, TYPEDEF

if TYPE_CHECKING:
    from abigen.read.c.syntax import TagBody

_MOST_LEVELS = 100


@dataclass
class Declared:
    """One declarator, understood: what it declares, and what was said about it beyond its type."""

    name: str
    token: Token
    type: CType
    storage: list[str]
    functions: list[str]
    attributes: list[Attribute]
    alignments: list[Expression | int] = field(default_factory=list)
    bit_width: Expression | int | None = None
    symbol: str = ""
    initializer: tuple[int, int] | None = None

    @property
    def is_typedef(self) -> bool:
        """Whether it declares a name for a type."""
        return TYPEDEF in self.storage


class TypeNames(Protocol):
    """What types and expressions have to know about the names in them."""

    @property
    def is_c23(self) -> bool:
        """Whether `()` is a prototype."""

    def is_type(self, name: str) -> bool:
        """Whether a name is a typedef's."""

    def ordinary(self, name: str) -> str:
        """What another identifier stands for: `enumerator`, `function`, `variable`; empty when it is unknown."""

    def type_of_typedef(self, name: str) -> CType | None:
        """The type that a typedef stands for; None when it is not known."""

    def type_of_object(self, name: str) -> CType | None:
        """The type of a variable or function; None when it is not known."""

    def type_of_member(self, record: CType, name: str) -> CType | None:
        """The type of a struct's member; None when there is none."""

    def key_of_reference(self, kind: str, token: Token) -> str:
        """The key of the struct, union or enum with a tag."""

    def key_of_body(self, body: TagBody) -> str:
        """The key of what a body defines."""

    def fold(self, expression: Expression) -> Expression | int:
        """The value of an expression when it is the same on all targets, else the expression."""

    def suggest_value(self, name: str) -> str:
        """A hint for an identifier that is not declared."""

    def suggest_type(self, name: str) -> str:
        """A hint for a name that should be a type."""


class TypeBuilder:
    """Turns pycparser's trees into the model's types; errors are reported and `int` takes the place of what is wrong."""

    def __init__(self, names: TypeNames, report: Callable[[Diagnostic], None]) -> None:
        self.names = names
        self.lengths: list[tuple[Expression, Token]] = []
        """Lengths of arrays that depend on the target, with the name of the array."""
        self.number_of: Callable[[Attribute], int] = lambda attribute: number_argument(attribute) or 0
        """Evaluates the argument of an attribute."""
        self._resolved: dict[str, CType] = {}
        self._plain_parameters: dict[tuple[int, str], CType] = {}
        self.report = report
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
        quals, uses = self._split(flat, node.quals or ())
        attributes = [each for use in uses for each in use.attributes] + segment.attributes
        token = flat.token(_name_position(node))
        type = self._declarator(flat, node.type, attributes)
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
        _, uses = self._split(flat, node.quals or ())
        return self._declarator(flat, node.type, [each for use in uses for each in use.attributes])

    def constant(self, flat: Flat, node: Any) -> Expression | int:
        """An integer constant expression, folded when it is the same for all targets; reports what is none."""
        try:
            return self.names.fold(ExpressionBuilder(self, flat).build(node))
        except NotConstantError as error:
            self.report(Diagnostic(error.token.span, error.message, error.hint))
            return 1

    def _alignment(self, flat: Flat, node: Any) -> Expression | int:
        """The operand of `_Alignas`: a type or a number of bytes."""
        if type(node).__name__ == "Typename":
            from abigen.model.ctype import AlignOf

            return AlignOf(self.type_name(flat, node))
        return self.constant(flat, node)

    def _declarator(self, flat: Flat, node: Any, attributes: list[Attribute]) -> CType:
        """The type of a declarator: from the specifiers outwards."""
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
        while type(node).__name__ in ("PtrDecl", "ArrayDecl", "FuncDecl"):
            chain.append(node)
            node = node.type
        if len(chain) > _MOST_LEVELS * 3:
            self.report(Diagnostic(flat.token(0).span, f"a declarator of more than {_MOST_LEVELS * 3} levels"))
            chain = chain[:1]
        quals: Sequence[str] = ()
        if type(node).__name__ == "TypeDecl":
            quals, _ = self._split(flat, node.quals or ())
            node = node.type
        result = self._specified(flat, node, attributes)
        result = self._vectorized(result, attributes)
        if "restrict" in quals and not isinstance(self.resolve(result), Pointer):
            message = "'restrict' is for pointers, this is something else"
            self.report(Diagnostic(flat.token(0).span, message, "remove it, or write it behind the '*'"))
        result = qualified(result, quals)
        for position in range(len(chain) - 1, -1, -1):
            node = chain[position]
            kind = type(node).__name__
            if kind == "PtrDecl":
                quals, uses = self._split(flat, node.quals or ())
                for use in uses:
                    result = with_convention(result, use.attributes)
                    if position == 0 and use.place == "pointer":
                        attributes += [each for each in use.attributes if each.name not in CALLS]
                result = qualified(Pointer(result), quals)
            elif kind == "ArrayDecl":
                result = self._array(flat, node, result)
            else:
                result = self._function(flat, node, result)
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
        place = flat.token(node.coord.line if node.coord is not None else 0)
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
        if type(node.dim).__name__ == "ID" and node.dim.name == "*":
            return Array(element, None)
        length = self.constant(flat, node.dim)
        if isinstance(length, int) and length < 0:
            self.report(Diagnostic(place.span, f"the length of the array '{place.text}' is negative ({length})"))
            length = 1
        elif not isinstance(length, int):
            self.lengths.append((length, place))
        return Array(element, length)

    def _function(self, flat: Flat, node: Any, result: CType) -> CType:
        """A function type."""
        resolved = self.resolve(result)
        if isinstance(resolved, (Array, FunctionType)):
            token = flat.token(node.coord.line if node.coord is not None else 0)
            what = "an array" if isinstance(resolved, Array) else "a function"
            self.report(Diagnostic(token.span, f"a function cannot return {what}", "return a pointer to it"))
            result = Pointer(result)
        if node.args is None:
            return FunctionType(result, (), prototyped=self.names.is_c23)
        parameters: list[Parameter] = []
        variadic = False
        prototyped = True
        for each in node.args.params:
            kind = type(each).__name__
            if kind == "EllipsisParam":
                variadic = True
            elif kind == "ID":
                token = flat.token(each.coord.line)
                message = f"'{token.text}' is not a type; compilers take it as the name of a parameter without a type"
                self.report(Diagnostic(token.span, message, self.names.suggest_type(token.text), severity="warning"))
                prototyped = False
            else:
                parameters.append(self._parameter(flat, each))
        if (
            len(parameters) == 1
            and not variadic
            and parameters[0].name is None
            and self.resolve(parameters[0].type) == Basic("void")
        ):
            return FunctionType(result, ())
        self._check_parameters(parameters)
        return FunctionType(result, tuple(parameters), variadic=variadic, prototyped=prototyped)

    def _check_parameters(self, parameters: Sequence[Parameter]) -> None:
        """Each needs a type of its own and a name of its own (C 6.7.6.3 paragraphs 4 and 10)."""
        seen: set[str] = set()
        for each in parameters:
            if each.type.__class__ is not Pointer and self.resolve(each.type) == Basic("void"):
                message = "a parameter of the type void; later compilers refuse it"
                self.report(Diagnostic(each.span, message, severity="warning"))
            if each.name is not None:
                if each.name in seen:
                    self.report(Diagnostic(each.span, f"two parameters are called '{each.name}'"))
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
            plain = self._plain_parameters.get(key)
            if plain is None:
                plain = self._adjusted(self._declarator(flat, node.type, []), ())
                self._plain_parameters[key] = plain
            token = flat.token(name_at if name_at >= 0 else base_at)
            return Parameter(token.text if name_at >= 0 else None, plain, token.span)
        return self._any_parameter(flat, node)

    def _any_parameter(self, flat: Flat, node: Any) -> Parameter:
        """A parameter of any form."""
        for word in getattr(node, "storage", None) or ():
            if word not in ("register", "auto"):
                token = flat.token(_name_position(node))
                self.report(
                    Diagnostic(token.span, f"the parameter '{token.text}' is declared {word}", f"remove '{word}'")
                )
        _, uses = self._split(flat, node.quals or ())
        attributes = [each for use in uses for each in use.attributes]
        declared = self._declarator(flat, node.type, attributes)
        name = None
        position = _name_position(node)
        if type(node).__name__ == "Decl" and node.name is not None:
            name = flat.token(position).text
        dim_quals: Sequence[str] = ()
        if type(node.type).__name__ == "ArrayDecl":
            dim_quals = [each for each in node.type.dim_quals or () if each != "static"]
        return Parameter(name, self._adjusted(declared, dim_quals), flat.token(position).span)

    def _adjusted(self, type: CType, quals: Sequence[str]) -> CType:
        """The type of a parameter that was declared as `type`, with the qualifiers between its brackets."""
        resolved = self.resolve(type)
        if isinstance(resolved, Array):
            outer = type.qualifiers if isinstance(type, Qualified) else ()
            return qualified(Pointer(qualified(resolved.element, outer)), quals)
        return Pointer(type) if isinstance(resolved, FunctionType) else type

    def _specified(self, flat: Flat, node: Any, attributes: list[Attribute]) -> CType:
        """The type that the specifiers name."""
        kind = type(node).__name__
        if kind == "IdentifierType":
            return self._named(flat, node, attributes)
        if kind in ("Struct", "Union", "Enum"):
            position = node.coord.line + (kind == "Enum")
            key = self.names.key_of_reference(kind.lower(), flat.token(position))
            return EnumType(key) if kind == "Enum" else RecordType(key)
        if kind == "TypeOf":
            return self._typeof(flat, node)
        if kind == "BitIntType":
            width = self.constant(flat, node.width)
            return BitInt(width if isinstance(width, int) else 64, node.signedness != "unsigned")
        if kind == "Typename":  # _Atomic(type)
            inner_quals, _ = self._split(flat, node.quals or ())
            return qualified(self._declarator(flat, node.type, []), inner_quals)
        self.report(Diagnostic(flat.token(0).span, "this is not a type"))
        return Basic("int")

    def _typeof(self, flat: Flat, node: Any) -> CType:
        """`typeof` of a type name or of an expression."""
        try:
            result = ExpressionBuilder(self, flat).type_of(node.expr)
        except NotConstantError as error:
            self.report(Diagnostic(error.token.span, f"typeof: {error.message}", error.hint))
            return Basic("int")
        if "unqual" in flat.token(node.coord.line).text and isinstance(result, Qualified):
            return result.type
        return result

    def _named(self, flat: Flat, node: Any, attributes: list[Attribute]) -> CType:
        """A basic type, a typedef, or a struct or enum with a body."""
        position = node.coord.line if node.coord is not None else 0
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

    def _split(self, flat: Flat, words: Iterable[str]) -> tuple[list[str], list[AttributeUse]]:
        """Qualifiers, and the attributes that were disguised as such."""
        quals: list[str] = []
        uses: list[AttributeUse] = []
        for word in words:
            if word[0] == ATTRIBUTE:
                uses.append(flat.uses[int(word[1:])])
            else:
                quals.append(word)
        return quals, uses


def qualified(type: CType, quals: Iterable[str]) -> CType:
    """`type` with qualifiers added, in the model's normal form."""
    wanted = set(quals)
    if not wanted:
        return type
    if isinstance(type, Qualified):
        return Qualified(type.type, tuple(sorted(wanted | set(type.qualifiers))))
    return Qualified(type, tuple(sorted(wanted)))


def with_convention(type: CType, attributes: Iterable[Attribute]) -> CType:
    """The type with the calling convention that attributes ask for: a function's own, or that of what it points to."""
    for each in attributes:
        if each.name in CALLS:
            arguments = "".join(token.text.strip('"') for token in each.arguments)
            type = _convention(type, f"{each.name}({arguments})" if arguments else each.name)
    return type


def _convention(type: CType, name: str) -> CType:
    """Put a calling convention at the function type that is nearest."""
    if isinstance(type, FunctionType):
        return replace(type, calling_convention=name)
    if isinstance(type, Pointer):
        return Pointer(_convention(type.target, name))
    if isinstance(type, Qualified):
        return Qualified(_convention(type.type, name), type.qualifiers)
    if isinstance(type, Array):
        return Array(_convention(type.element, name), type.length)
    return type


def _parameter_fact(node: Any) -> tuple[int, int]:
    """Where a parameter's name and its type's name stand, -1 for no name and for a type that is not plain."""
    inner = node.type
    while type(inner).__name__ == "PtrDecl":
        if any(word[0] == ATTRIBUTE for word in inner.quals):
            return -1, -1
        inner = inner.type
    if type(inner).__name__ != "TypeDecl" or type(inner.type).__name__ != "IdentifierType":
        return -1, -1
    words = (*inner.quals, *node.quals, *inner.type.names)
    if getattr(node, "storage", None) or any(
        word[0] == ATTRIBUTE or word in (TAG_BODY, "__auto_type") for word in words
    ):
        return -1, -1
    has_name = type(node).__name__ == "Decl" and node.name is not None
    return int(inner.coord.line) if has_name else -1, int(inner.type.coord.line)


def _name_position(node: Any) -> int:
    """Where a declaration's name stands among its words; its first specifier when it has none."""
    inner = node.type
    while type(inner).__name__ in ("PtrDecl", "ArrayDecl", "FuncDecl"):
        inner = inner.type
    if type(inner).__name__ == "TypeDecl" and inner.declname is not None and inner.coord is not None:
        return int(inner.coord.line)
    if node.coord is not None:
        return int(node.coord.line)
    return int(inner.coord.line) if getattr(inner, "coord", None) is not None else 0
