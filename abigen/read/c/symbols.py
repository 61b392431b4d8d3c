"""The names of a translation unit: typedefs, tags, enumerators, functions; who declares them, and under which key."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass, field
from typing import Any

from abigen.model.ctype import CType, Expression
from abigen.model.span import Diagnostic
from abigen.read.c.basic import basic_type
from abigen.read.c.context import SystemContext
from abigen.read.c.explain import explain, suggest
from abigen.read.c.flatten import Flattener, assertion_end
from abigen.read.c.folding import fold
from abigen.read.c.grammar import Shape, SyntaxFailure, parse_shape
from abigen.read.c.pragmas import PragmaState
from abigen.read.c.syntax import Chunk, Flat, Member, Stream, TagBody
from abigen.read.c.unit import Token
from abigen.read.c.vocabulary import (
    ATTRIBUTE,
    PLAIN_NAME,
    QUALIFIERS,
    SIMPLE_TYPES,
    STORAGE,
    TAG_BODY,
    TYPEDEF,
    is_c23,
    keywords_of,
)


_MOST_RECOVERIES = 20
"""How many semicolons may be missing in one declaration before the rest of it is given up."""


@dataclass
class Tag:
    """A struct, union or enumeration, with or without a tag."""

    kind: str
    name: str
    first: Token
    """Where it is mentioned first."""
    body: TagBody | None = None
    typedef_names: list[str] = field(default_factory=list)
    parent: Tag | None = None
    member: str = ""
    """For what has no name of its own: the member or declaration that it is the type of."""
    key: str = ""
    declared_from: int = 0
    """Index of the token that the declaration with its body begins with."""

    @property
    def place(self) -> Token:
        """The name in its definition, or where it is mentioned first."""
        if self.body is None:
            return self.first
        return self.body.name or self.body.keyword


@dataclass
class Declaration:
    """A top-level declaration that has been parsed: its trees, not yet understood."""

    chunk: Chunk
    flat: Flat
    nodes: tuple[Any, ...]


@dataclass
class Assertion:
    """A static assertion, at top level or in a struct: where it stands, its condition and its message."""

    token: Token
    flat: Flat
    message: str


class DeclaredTypes:
    """What names have been found to stand for; nothing, until somebody builds the types of all declarations."""

    def type_of_typedef(self, name: str) -> CType | None:
        """The type that a typedef stands for."""
        return None

    def type_of_object(self, name: str) -> CType | None:
        """The type of a variable or function."""
        return None

    def type_of_member(self, record: CType, name: str) -> CType | None:
        """The type of a struct's member."""
        return None


class Symbols:
    """Reads the top-level declarations of a unit in order, and knows every name that they declare.

    Types are looked up by name later, when all is known: the key of a struct follows from a typedef that may come last.
    """

    def __init__(self, std: str, context: SystemContext, report: Callable[[Diagnostic], None]) -> None:
        self.is_c23 = is_c23(std)
        self.report = report
        self.declarations: list[Declaration] = []
        self.assertions: list[Assertion] = []
        self.tags: list[Tag] = []
        self.pragmas = PragmaState(self._relay)
        self.flattener = Flattener(keywords_of(std), self, self.pragmas, self._relay)
        self.typedefs: dict[str, Declaration] = {}
        self.objects: dict[str, Declaration] = {}
        """Functions and variables by name."""
        self.nodes: dict[int, tuple[Any, ...]] = {}
        """Trees of members and of expressions, by the identity of their `Flat`."""
        self.values: dict[str, int] = {}
        """Enumerators whose value is the same on all targets."""
        self.types: DeclaredTypes = DeclaredTypes()
        self._context = context
        self._ordinary: dict[str, tuple[str, Token]] = {}
        self._by_name: dict[str, Tag] = {}
        self._by_body: dict[int, Tag] = {}
        self._by_key: dict[tuple[bool, str], Tag] = {}
        self._loading = False

    def _relay(self, diagnostic: Diagnostic) -> None:
        """Report what is wrong, unless it is a system header's own affair."""
        if not self._loading:
            self.report(diagnostic)

    # Declaring

    def declare(self, chunks: Iterable[Chunk]) -> None:
        """Read top-level declarations, in order."""
        for chunk in chunks:
            if chunk.kind == "pragma":
                self.pragmas.apply(chunk.stream.tokens[chunk.start])
            elif chunk.kind == "assertion":
                close = chunk.stream.partners[chunk.start + 1] if chunk.start + 1 < chunk.end else -1
                end = assertion_end(chunk.stream, chunk.start + 2, max(close, chunk.start + 2))
                flat = self.flattener.flatten(chunk.stream, chunk.start + 2, end)
                self._parse("expression", flat)
                message = _message(chunk.stream, end, close)
                self.assertions.append(Assertion(chunk.stream.tokens[chunk.start], flat, message))
            else:
                self._declare(chunk)

    def _declare(self, chunk: Chunk) -> None:
        """Read one declaration."""
        if chunk.start >= chunk.end:
            return
        flat = self.flattener.flatten(chunk.stream, chunk.start, chunk.end)
        for body in flat.tags.values():
            self._by_body[id(body)].declared_from = chunk.start
        if chunk.kind == "declaration" and _declares_no_name(flat):
            for body in flat.tags.values():
                self._declare_body(body)
            if not flat.tags:
                self._declares_nothing(flat)
            return
        for part, nodes in self._parse_all("declaration", flat, is_definition=chunk.kind == "function"):
            if nodes and chunk.kind == "function" and type(getattr(nodes[0], "type", None)).__name__ != "FuncDecl":
                brace = chunk.stream.tokens[chunk.end]
                before = chunk.stream.tokens[chunk.end - 1]
                self._relay(Diagnostic(brace.span, f"unexpected '{{' behind '{before.text}'"))
            elif nodes:
                self._declare_names(Declaration(chunk, part, nodes))
            for body in part.tags.values():
                self._declare_body(body)

    def _declare_names(self, declaration: Declaration) -> None:
        """Take note of the names that a declaration declares."""
        flat = declaration.flat
        self.declarations.append(declaration)
        self._check_storage(flat)
        names = []
        for node in declaration.nodes:
            if type(node).__name__ != "Decl" or node.name is None:
                continue
            token = flat.token(_declared_position(node))
            names.append(token.text)
            if TYPEDEF in node.storage:
                self._bind(token, "typedef")
                if self.typedefs.setdefault(token.text, declaration) is declaration:
                    self._name_tag(flat, node, token.text)
            else:
                self._bind(token, "function" if type(node.type).__name__ == "FuncDecl" else "variable")
                self.objects.setdefault(token.text, declaration)
        for body in flat.tags.values():
            if names:
                self._by_body[id(body)].member = names[0]

    def _check_storage(self, flat: Flat) -> None:
        """At most one storage class, `_Thread_local` aside (C 6.7.1 paragraph 2)."""
        found = [position for position, word in enumerate(flat.words) if word in STORAGE and word != "_Thread_local"]
        depth = 0
        outer = []
        for position, word in enumerate(flat.words):
            depth += (word == "(") - (word == ")")
            if depth == 0 and position in found:
                outer.append(position)
        if len(outer) > 1:
            words = " and ".join(f"'{flat.token(each).text}'" for each in outer)
            self._relay(Diagnostic(flat.token(outer[0]).span, f"two storage classes, {words}", "keep one of them"))

    def _name_tag(self, flat: Flat, node: Any, name: str) -> None:
        """Note that a typedef names a struct, union or enum directly."""
        inner = node.type
        if type(inner).__name__ != "TypeDecl" or any(not each.startswith("#") for each in inner.quals):
            return
        base = inner.type
        kind = type(base).__name__
        tag: Tag | None = None
        if kind in ("Struct", "Union", "Enum"):
            tag = self._by_name.get(flat.token(base.coord.line + (kind == "Enum")).text)
        elif kind == "IdentifierType" and base.names == [TAG_BODY]:
            tag = self._by_body.get(id(flat.tags[base.coord.line]))
        if tag is not None and name not in tag.typedef_names:
            tag.typedef_names.append(name)

    def _declare_body(self, body: TagBody) -> None:
        """Parse what stands in a body, and give names to the nameless structs in it."""
        parent = self._by_body[id(body)]
        anonymous = 0
        if body.underlying is not None:
            self._parse("type", body.underlying)
        for enumerator in body.enumerators:
            if enumerator.value is not None:
                self._parse("expression", enumerator.value)
        for member in list(body.members):
            if member.name_at and id(member.flat) in self.nodes:
                if self.nodes[id(member.flat)]:
                    continue
                # What is wrong with one is wrong with all of the kind; each hears of it.
                member.flat = self.flattener.flatten(body.stream, member.start, member.name_at + 1)
            if member.is_assertion:
                self._parse("expression", member.flat)
                stream, start = member.flat.stream, member.flat.start
                message = _message(stream, member.flat.end, stream.partners[start - 1])
                self.assertions.append(Assertion(stream.tokens[start - 2], member.flat, message))
                continue
            parts = self._parse_all("member", member.flat)
            if len(parts) > 1 or not parts[0][1]:
                member.name_at = 0
            member.flat = parts[0][0]
            body.members += [Member(part, part.start) for part, _ in parts[1:]]
            for segment in member.flat.segments:
                if segment.initializer is not None:
                    token = member.flat.stream.tokens[segment.initializer[0] - 1]
                    self._relay(Diagnostic(token.span, "a member cannot have an initialiser in C", "remove it"))
            for part, nodes in parts:
                named = next((node for node in nodes if node.name is not None), None)
                for inner in part.tags.values():
                    tag = self._by_body[id(inner)]
                    tag.parent = parent
                    if named is not None:
                        tag.member = part.token(_declared_position(named)).text
                    else:
                        anonymous += 1
                        tag.member = f"<anonymous {anonymous}>"
                    self._declare_body(inner)

    def _parse(self, mode: str, flat: Flat) -> tuple[Any, ...]:
        """Parse an expression or a type, with the structs that are defined in it; what is wrong is reported."""
        nodes = self._parse_all(mode, flat)[0][1]
        for body in flat.tags.values():
            self._declare_body(body)
        return nodes

    def _parse_all(self, mode: str, flat: Flat, *, is_definition: bool = False) -> list[tuple[Flat, tuple[Any, ...]]]:
        """Parse a declaration, or the several that it turns out to be when a semicolon is missing."""
        parts: list[tuple[Flat, tuple[Any, ...]]] = []
        while True:
            shape = parse_shape(mode, flat.words)
            if isinstance(shape, SyntaxFailure) and mode == "declaration":
                if not is_definition and self._is_only_a_type(flat):
                    parts.append((flat, ()))
                    return parts
                shape = self._with_implicit_int(flat) or shape
            nodes: tuple[Any, ...] = ()
            rest = None
            if isinstance(shape, SyntaxFailure):
                explanation = explain(mode, flat, shape, self)
                for each in explanation.errors:
                    self._relay(each)
                if explanation.resume is not None and len(parts) < _MOST_RECOVERIES:
                    rest = flat.part(explanation.resume, len(flat.words))
                    flat = flat.part(0, explanation.resume)
                    shape = parse_shape(mode, flat.words)
            if not isinstance(shape, SyntaxFailure):
                nodes = shape.nodes
                flat.facts = shape.facts
            self.nodes[id(flat)] = nodes
            parts.append((flat, nodes))
            if rest is None:
                return parts
            flat = rest

    def _is_only_a_type(self, flat: Flat) -> bool:
        """Whether a declaration is a type and nothing else, which compilers take with a warning."""
        words = [word for word in flat.words if word not in STORAGE]
        types = [word for word in words if word in SIMPLE_TYPES or word == TAG_BODY]
        if not words or (types and types != [TAG_BODY] and basic_type(types) is None):
            return False
        shape = parse_shape("type", words)
        if isinstance(shape, SyntaxFailure) or type(shape.nodes[0].type).__name__ != "TypeDecl":
            return False
        self._declares_nothing(flat)
        return True

    def _declares_nothing(self, flat: Flat) -> None:
        """Warn of a declaration without a name."""
        hint = "a name is missing before the ';'"
        self._relay(Diagnostic(flat.token(0).span, "this declaration declares nothing", hint, severity="warning"))

    def _with_implicit_int(self, flat: Flat) -> Shape | None:
        """The trees of a declaration that names no type, as C90 had it and compilers still take it; else None."""
        at = 0
        while at < len(flat.words) and (
            flat.words[at] in STORAGE or flat.words[at] in QUALIFIERS or flat.words[at][0] == ATTRIBUTE
        ):
            at += 1
        if at == len(flat.words) or flat.words[at] not in (PLAIN_NAME, "*", "("):
            return None
        shape = parse_shape("declaration", [*flat.words[:at], "int", *flat.words[at:]])
        if isinstance(shape, SyntaxFailure):
            return None
        token = flat.token(at)
        flat.words.insert(at, "int")
        flat.origins.insert(at, flat.origins[at])
        message = f"the declaration of '{token.text}' names no type; compilers take it as int, later ones refuse it"
        self._relay(Diagnostic(token.span, message, "write the type, or define the macro", severity="warning"))
        return shape

    def declare_tag(self, kind: str, keyword: Token, name: Token | None, body: TagBody | None) -> None:
        """Take note of a struct, union or enum, when it is mentioned or defined."""
        tag = self._by_name.get(name.text) if name is not None else None
        if tag is None and name is not None and body is None and self._load(f"{kind} {name.text}"):
            tag = self._by_name.get(name.text)
        if tag is None:
            tag = Tag(kind, name.text if name else "", name or keyword)
            self.tags.append(tag)
            if name is not None:
                self._by_name[name.text] = tag
        elif tag.kind != kind and name is not None:
            message = f"'{name.text}' is a {kind} here, but a {tag.kind} at {tag.place.span}"
            self._relay(Diagnostic(name.span, message))
        if body is not None:
            self._by_body[id(body)] = tag
            if tag.body is not None and (tag.body.is_complete or not body.is_complete):
                place = (name or keyword).span
                self._relay(Diagnostic(place, f"'{kind} {tag.name}' is defined twice, first at {tag.place.span}"))
            else:
                tag.body = body
                tag.declared_from = body.start

    def declare_enumerator(self, token: Token) -> None:
        """Take note of an enumerator."""
        self._bind(token, "enumerator")

    def _bind(self, token: Token, kind: str) -> None:
        """Take note of what a name stands for; it cannot stand for two different things."""
        known = self._ordinary.get(token.text)
        if known is None:
            self._ordinary[token.text] = (kind, token)
            return
        if known[0] == kind and kind != "enumerator":
            return
        if "typedef" in (known[0], kind) or "enumerator" in (known[0], kind):
            article = {"enumerator": "an enumerator"}.get(known[0], f"a {known[0]}")
            self._relay(Diagnostic(token.span, f"'{token.text}' is already declared, as {article} at {known[1].span}"))

    # Asking

    def may_be_type(self, name: str) -> bool:
        """Whether a name is a typedef's, or may turn out to be one of a system header's."""
        return name in self.typedefs or self._context.knows(name)

    def is_type(self, name: str) -> bool:
        """Whether a name is a typedef's."""
        return name in self.typedefs or (self._load(name) and name in self.typedefs)

    def ordinary(self, name: str) -> str:
        """What an identifier that is no type stands for: `enumerator`, `function`, `variable`; empty when unknown."""
        if name not in self._ordinary:
            self._load(name)
        known = self._ordinary.get(name)
        return "" if known is None or known[0] == "typedef" else known[0]

    def _load(self, name: str) -> bool:
        """Read the system headers' declarations of a name."""
        if not self._context.knows(name):
            return False
        outer, self._loading = self._loading, True
        pack, self.pragmas.pack = self.pragmas.pack, None
        self.declare(self._context.take(name))
        self.pragmas.pack = pack
        self._loading = outer
        return True

    def tag_of_body(self, body: TagBody) -> Tag:
        """The struct, union or enum that a body defines."""
        return self._by_body[id(body)]

    def assign_keys(self) -> None:
        """Give every struct, union and enum the key that the model has for it; done once, when all is declared."""
        taken = self._by_key
        named = [tag for tag in self.tags if tag.typedef_names]
        for tag in named:
            tag.key = tag.typedef_names[0]
            taken[tag.kind == "enum", tag.key] = tag
        for tag in self.tags:
            if not tag.key:
                tag.key = self._free_key(tag, taken)
                taken[tag.kind == "enum", tag.key] = tag

    def _free_key(self, tag: Tag, taken: Container[tuple[bool, str]]) -> str:
        """A key for what no typedef names."""
        is_enum = tag.kind == "enum"
        if tag.name:
            return f"{tag.kind} {tag.name}" if (is_enum, tag.name) in taken else tag.name
        if tag.parent is not None:
            key = f"{tag.parent.key}.{tag.member}"
        elif tag.member:
            key = f"{tag.member}.<anonymous 1>"
        elif tag.body is not None and tag.body.enumerators:
            key = f"<anonymous {tag.body.enumerators[0].name.text}>"
        else:
            key = "<anonymous 1>"
        number = 1
        candidate = key
        while (is_enum, candidate) in taken:
            number += 1
            candidate = f"{key} {number}"
        return candidate

    def key_of_reference(self, kind: str, token: Token) -> str:
        """The key of `struct X` and the like."""
        tag = self._by_name.get(token.text)
        return tag.key if tag is not None else token.text

    def tag_of_key(self, key: str, *, is_enum: bool) -> Tag | None:
        """The struct or union, or the enum, with a key."""
        return self._by_key.get((is_enum, key))

    def key_of_body(self, body: TagBody) -> str:
        """The key of what a body defines."""
        return self._by_body[id(body)].key

    def fold(self, expression: Expression) -> Expression | int:
        """The value of an expression when it is the same on all targets, else the expression."""
        value = fold(expression, self.values)
        return expression if value is None else value

    def suggest_value(self, name: str) -> str:
        """A hint for an identifier that is not declared."""
        return suggest(name, [each for each, (kind, _) in self._ordinary.items() if kind == "enumerator"])

    def suggest_type(self, name: str) -> str:
        """A hint for a name that should be a type."""
        if name in self._by_name:
            return f"write '{self._by_name[name].kind} {name}'"
        from abigen.model.standard import STANDARD_TYPES

        if name in STANDARD_TYPES:
            return f"include {STANDARD_TYPES[name]}"
        return suggest(
            name, [*self.typedefs, *STANDARD_TYPES, *("int", "char", "double", "float", "unsigned", "void", "long")]
        )

    def type_of_typedef(self, name: str) -> CType | None:
        """The type that a typedef stands for; None when it is not known."""
        return self.types.type_of_typedef(name)

    def type_of_object(self, name: str) -> CType | None:
        """The type of a variable or function; None when it is not known."""
        return self.types.type_of_object(name)

    def type_of_member(self, record: CType, name: str) -> CType | None:
        """The type of a struct's member; None when there is none."""
        return self.types.type_of_member(record, name)


def _message(stream: Stream, start: int, end: int) -> str:
    """The text of a static assertion's message."""
    return "".join(each.text[1:-1] for each in stream.tokens[start:end] if each.kind == "string")


def _declared_position(node: Any) -> int:
    """Where the declared name stands among the words of a declaration."""
    inner = node.type
    while type(inner).__name__ in ("PtrDecl", "ArrayDecl", "FuncDecl"):
        inner = inner.type
    return int(inner.coord.line) if inner.coord is not None else int(node.coord.line)


def _declares_no_name(flat: Flat) -> bool:
    """Whether a declaration consists of specifiers only; most are those of a struct, union or enum with a body."""
    types = []
    for word in flat.words:
        if word == TAG_BODY or word in SIMPLE_TYPES:
            types.append(word)
        elif word[0] != ATTRIBUTE and word not in QUALIFIERS and word not in STORAGE:
            return False
    return bool(flat.words) and (not types or types == [TAG_BODY] or basic_type(types) is not None)
