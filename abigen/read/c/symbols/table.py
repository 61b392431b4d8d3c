"""The names of a translation unit: its declarations are read in order, and each name is known from then on."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from abigen.model.ctype import CType, Expression
from abigen.model.span import Diagnostic
from abigen.read.c.symbols.context import SystemContext
from abigen.read.c.symbols.tags import Tag, TagTable
from abigen.read.c.syntax.bodies import assertion_end
from abigen.read.c.syntax.explain import suggest
from abigen.read.c.syntax.flatten import Flattener
from abigen.read.c.syntax.parsing import Parser, declares_no_name
from abigen.read.c.syntax.pragmas import PragmaState
from abigen.read.c.syntax.trees import Chunk, Flat, Member, Stream, TagBody
from abigen.read.c.syntax.vocabulary import STORAGE, TAG_BODY, TYPEDEF, is_c23, keywords_of
from abigen.read.c.types.declared import name_position
from abigen.read.c.types.folding import fold
from abigen.read.c.unit import Token

_BASIC_NAMES = ("int", "char", "double", "float", "unsigned", "void", "long")


@dataclass
class Declaration:
    """A top-level declaration that has been parsed, not yet understood."""

    chunk: Chunk
    flat: Flat


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

    def __init__(
        self,
        std: str,
        context: SystemContext,
        report: Callable[[Diagnostic], None],
    ) -> None:
        """Begin without names.

        Args:
            std: the C standard, as compilers name it.
            context: what system headers declare; read when it is asked for.
            report: where errors and warnings go.
        """
        self.is_c23 = is_c23(std)
        self.report = report
        self.declarations: list[Declaration] = []
        self.assertions: list[Assertion] = []
        self.tags = TagTable(self._relay)
        self.pragmas = PragmaState(self._relay)
        self.flattener = Flattener(keywords_of(std), self, self.pragmas, self._relay)
        self.typedefs: dict[str, Declaration] = {}
        self.objects: dict[str, Declaration] = {}
        """Functions and variables by name."""
        self.values: dict[str, int] = {}
        """Enumerators whose value is the same on all targets."""
        self.types: DeclaredTypes = DeclaredTypes()
        self._parser = Parser(self, self._relay)
        self._context = context
        self._ordinary: dict[str, tuple[str, Token]] = {}
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
                stream, start = chunk.stream, chunk.start + 2
                close = stream.partners[start - 1] if start <= chunk.end else -1
                flat = self.flattener.flatten(stream, start, assertion_end(stream, start, max(close, start)))
                self._assert(flat, chunk.stream.tokens[chunk.start], close)
            elif chunk.start < chunk.end:
                self._declare(chunk)

    def _declare(self, chunk: Chunk) -> None:
        """Read one declaration."""
        flat = self.flattener.flatten(chunk.stream, chunk.start, chunk.end)
        for body in flat.tags.values():
            self.tags.with_body(body).declared_from = chunk.start
        is_definition = chunk.kind == "function"
        if not is_definition and declares_no_name(flat):
            self._declare_bodies(flat)
            if not flat.tags:
                self._parser.warn_of_nothing(flat)
            return
        for part in self._parser.parse("declaration", flat, is_definition=is_definition):
            nodes = part.trees
            if nodes and is_definition and getattr(getattr(nodes[0], "type", None), "kind", "") != "FuncDecl":
                brace, before = chunk.stream.tokens[chunk.end], chunk.stream.tokens[chunk.end - 1]
                self._relay(Diagnostic(brace.span, f"unexpected '{{' behind '{before.text}'"))
            elif nodes:
                self._declare_names(Declaration(chunk, part))
            self._declare_bodies(part)

    def _declare_names(self, declaration: Declaration) -> None:
        """Take note of the names that a declaration declares."""
        flat = declaration.flat
        self.declarations.append(declaration)
        self._check_storage(flat)
        names = []
        for node in flat.trees:
            if node.kind != "Decl" or node.name is None:
                continue
            token = flat.token(name_position(node))
            names.append(token.text)
            if TYPEDEF in node.storage:
                self._bind(token, "typedef")
                if self.typedefs.setdefault(token.text, declaration) is declaration:
                    self._name_tag(flat, node, token.text)
            else:
                self._bind(token, "function" if node.type.kind == "FuncDecl" else "variable")
                self.objects.setdefault(token.text, declaration)
        for body in flat.tags.values():
            if names:
                self.tags.with_body(body).member = names[0]

    def _check_storage(self, flat: Flat) -> None:
        """At most one storage class, `_Thread_local` aside (C 6.7.1 paragraph 2)."""
        level = 0
        found = []
        for position, word in enumerate(flat.words):
            level += (word == "(") - (word == ")")
            if level == 0 and word in STORAGE and word != "_Thread_local":
                found.append(flat.token(position))
        if len(found) > 1:
            words = " and ".join(f"'{each.text}'" for each in found)
            self._relay(Diagnostic(found[0].span, f"two storage classes, {words}", "keep one of them"))

    def _name_tag(self, flat: Flat, node: Any, name: str) -> None:
        """Note that a typedef names a struct, union or enum directly."""
        inner = node.type
        if inner.kind != "TypeDecl" or any(not each.startswith("#") for each in inner.quals):
            return
        base = inner.type
        kind = base.kind
        tag: Tag | None = None
        if kind in ("Struct", "Union", "Enum"):
            tag = self.tags.named(flat.token(base.position + (kind == "Enum")).text)
        elif kind == "IdentifierType" and base.names == [TAG_BODY]:
            tag = self.tags.with_body(flat.tags[base.position])
        if tag is not None and name not in tag.typedef_names:
            tag.typedef_names.append(name)

    def _declare_bodies(self, flat: Flat) -> None:
        """Parse what stands in the structs and enums that a text defines."""
        for body in flat.tags.values():
            self._declare_body(body)

    def _declare_body(self, body: TagBody) -> None:
        """Parse what stands in a body, and give names to the nameless structs in it."""
        if body.underlying is not None:
            self._parse("type", body.underlying)
        for enumerator in body.enumerators:
            if enumerator.value is not None:
                self._parse("expression", enumerator.value)
        parent = self.tags.with_body(body)
        anonymous = 0
        for member in list(body.members):
            if member.is_assertion:
                start = member.flat.start
                self._assert(member.flat, body.stream.tokens[start - 2], body.stream.partners[start - 1])
                continue
            if member.name_at and member.flat.nodes is not None:
                if member.flat.nodes:
                    continue
                # What is wrong with one is wrong with all of the kind; each hears of it.
                member.flat = self.flattener.flatten(body.stream, member.start, member.name_at + 1)
            parts = self._parse_member(body, member)
            for part in parts:
                named = next((node for node in part.trees if node.name is not None), None)
                for inner in part.tags.values():
                    tag = self.tags.with_body(inner)
                    tag.parent = parent
                    anonymous += named is None
                    tag.member = f"<anonymous {anonymous}>" if named is None else part.token(name_position(named)).text
                    self._declare_body(inner)

    def _parse_member(self, body: TagBody, member: Member) -> list[Flat]:
        """Parse a member's declaration; more than one when a semicolon is missing."""
        parts = self._parser.parse("member", member.flat)
        if len(parts) > 1 or not parts[0].nodes:
            member.name_at = 0
        member.flat = parts[0]
        body.members += [Member(part, part.start) for part in parts[1:]]
        for segment in member.flat.segments:
            if segment.initializer is not None:
                token = body.stream.tokens[segment.initializer[0] - 1]
                self._relay(Diagnostic(token.span, "a member cannot have an initialiser in C", "remove it"))
        return parts

    def _parse(self, mode: str, flat: Flat) -> None:
        """Parse an expression or a type, with the structs that are defined in it."""
        self._parser.parse(mode, flat)
        self._declare_bodies(flat)

    def _assert(self, flat: Flat, token: Token, close: int) -> None:
        """Take note of a static assertion; its message stands between the condition and the closing parenthesis."""
        self._parse("expression", flat)
        self.assertions.append(Assertion(token, flat, _message(flat.stream, flat.end, close)))

    def declare_tag(self, kind: str, keyword: Token, name: Token | None, body: TagBody | None) -> None:
        """Take note of a struct, union or enum, when it is mentioned or defined."""
        if name is not None and body is None and self.tags.named(name.text) is None:
            self._load(f"{kind} {name.text}")
        self.tags.declare(kind, keyword, name, body)

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
        for chunks in self._context.take(name):
            self.declare(chunks)
        self.pragmas.pack = pack
        self._loading = outer
        self.tags.assign_late_keys()
        return True

    def key_of_reference(self, kind: str, token: Token) -> str:
        """The key of `struct X` and the like."""
        tag = self.tags.named(token.text)
        return tag.key if tag is not None else token.text

    def key_of_body(self, body: TagBody) -> str:
        """The key of what a body defines."""
        return self.tags.with_body(body).key

    def fold(self, expression: Expression) -> Expression | int:
        """The value of an expression when it is the same on all targets, else the expression."""
        value = fold(expression, self.values)
        return expression if value is None else value

    def suggest_value(self, name: str) -> str:
        """A hint for an identifier that is not declared."""
        return suggest(name, [each for each, (kind, _) in self._ordinary.items() if kind == "enumerator"])

    def suggest_type(self, name: str) -> str:
        """A hint for a name that should be a type."""
        from abigen.model.identifiers import STANDARD_TYPES

        tag = self.tags.named(name)
        if tag is not None:
            return f"write '{tag.kind} {name}'"
        if name in STANDARD_TYPES:
            return f"include {STANDARD_TYPES[name]}"
        return suggest(name, [*self.typedefs, *STANDARD_TYPES, *_BASIC_NAMES])

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
