"""Symbols of a translation unit by scope, and names that only system headers declare."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property

import msgspec
from msgspec.structs import replace
from pycparser.c_ast import Decl, Enum, FuncDecl, Node, StaticAssert, Struct, TypeDecl, Union

from abigen.headers.syntax.flatten import Flattener
from abigen.headers.syntax.parser import BASIC_NAMES, MISSING_INCLUDE, UNKNOWN_TYPE, Parser, may_declare, suggest
from abigen.headers.syntax.specifiers import TAG_WORDS, TYPEDEF, PragmaState, is_c23, keywords_of, take_attributes
from abigen.headers.syntax.trees import Chunk, Flat, KnownNames, TagBody, balance, split
from abigen.headers.unit import Token
from abigen.model.ctype import CType
from abigen.model.span import Diagnostic
from abigen.model.spelling import STANDARD_TYPES


class SystemContext:
    """The declarations of system headers, by the names that occur in them."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        """Keep the tokens; they are looked into when a name is first asked for."""
        self._tokens = tokens
        self._declarations: list[tuple[Chunk, int | None] | None] = []
        """Each with the limit of `#pragma pack` in force; None once it has been handed out."""
        self._reading: int | None = None
        """The number of the declaration that is being read."""
        self._postponed: dict[str, None] = {}
        """Names that have been asked for and occur behind what was being read then."""

    def knows(self, name: str) -> bool:
        """True if a system header may declare a name (`struct tm` for a tag)."""
        return name in self._index

    def take(self, name: str) -> Iterator[tuple[Chunk, int | None]]:
        """Yield the declarations that may declare a name, in order, each at most once ever.

        What one of them needs itself stands before it in C, and is to be asked for while it is being read: then only
        what stands before it is handed out. The rest is kept until the outermost request, which hands out that too.

        Args:
            name: an identifier, or keyword and tag (`struct tm`).

        Yields:
            A declaration, and the limit of `#pragma pack` for it; the next one is looked for when it has been read.
        """
        limit = self._reading
        names = [name]
        while names:
            yield from self._take(names.pop(), limit)
            if limit is None:
                names += self._postponed
                self._postponed.clear()

    def _take(self, name: str, limit: int | None) -> Iterator[tuple[Chunk, int | None]]:
        """Yield the declarations that mention a name and stand before a limit."""
        numbers = self._index.pop(name, [])
        later = [] if limit is None else [each for each in numbers if each >= limit]
        if later:
            self._index[name] = later
            self._postponed[name] = None
        for number in numbers[: len(numbers) - len(later)]:
            declaration = self._declarations[number]
            if declaration is not None:
                self._declarations[number] = None
                self._reading = number
                yield declaration
                self._reading = limit

    @cached_property
    def _index(self) -> dict[str, list[int]]:
        """Names to numbers of declarations; made when first asked for."""
        index: dict[str, list[int]] = {}
        pragmas = PragmaState(_ignore)
        stream, _ = balance(self._tokens)
        for chunk in split(stream)[0]:
            if chunk.kind == "pragma":
                pragmas.apply(stream.tokens[chunk.start])
                continue
            for name in _names(chunk):
                index.setdefault(name, []).append(len(self._declarations))
            self._declarations.append((chunk, pragmas.pack))
        return index


def _names(chunk: Chunk) -> set[str]:
    """Return the names outside of the bodies of structs and functions, with enumerators; and all tags with a body."""
    names: set[str] = set()
    tokens, partners = chunk.stream.tokens, chunk.stream.partners
    body_end = chunk.start
    tag = ""
    for index in range(chunk.start, chunk.end):
        kind, text = tokens[index].kind, tokens[index].text
        if kind == "id" and index >= body_end:
            names.add(text)
        if text in TAG_WORDS:
            tag = text
            _, after = take_attributes(chunk.stream, index + 1, chunk.end, _ignore)
            if after + 1 < chunk.end and tokens[after + 1].text == "{":
                names.add(f"{tag} {tokens[after].text}")
        elif text == "{" and tag != "enum":
            body_end = max(body_end, partners[index])
        elif text in ("(", "}"):
            tag = ""
    return names


def _ignore(diagnostic: Diagnostic) -> None:
    """Ignore errors in system headers, which the user cannot mend."""


_OTHER_TYPES = {
    "FILE": "<stdio.h>",
    **dict.fromkeys(("time_t", "clock_t"), "<time.h>"),
    **dict.fromkeys(
        ("off_t", "pid_t", "uid_t", "gid_t", "mode_t", "dev_t", "ino_t", "u_int", "u_char"), "<sys/types.h>"
    ),
    **dict.fromkeys(("pthread_t", "pthread_mutex_t"), "<pthread.h>"),
    "socklen_t": "<sys/socket.h>",
    "wchar_t": "<wchar.h>",
}
"""Names of types that are not the language's to the headers that declare them (ISO/IEC 9899:2018 clause 7; POSIX)."""


class Tag(msgspec.Struct):
    """A struct, union or enumeration, with or without a tag."""

    kind: str
    name: str
    first: Token
    """The place of the first mention."""
    body: TagBody | None = None
    typedef_names: list[str] = msgspec.field(default_factory=list)
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


class TagTable:
    """The tags of a translation unit, which have one name space (C 6.2.3)."""

    def __init__(self, report: Callable[[Diagnostic], None]) -> None:
        """Begin without tags; `report` hears of conflicts."""
        self.all: list[Tag] = []
        """In the order in which they are mentioned first."""
        self._report = report
        self._by_name: dict[str, Tag] = {}
        self._by_body: dict[int, Tag] = {}
        self._by_key: dict[tuple[bool, str], Tag] = {}
        self._keys_are_assigned = False

    def named(self, name: str) -> Tag | None:
        """Return the entity of a tag; None when it has not been mentioned."""
        return self._by_name.get(name)

    def with_body(self, body: TagBody) -> Tag:
        """Return the entity that a body defines."""
        return self._by_body[id(body)]

    def with_key(self, key: str, *, is_enum: bool) -> Tag | None:
        """Return the struct or union, or the enum, with a key."""
        return self._by_key.get((is_enum, key))

    def declare(self, kind: str, keyword: Token, name: Token | None, body: TagBody | None) -> None:
        """Take note of a struct, union or enum, when it is mentioned or defined.

        Args:
            kind: `struct`, `union` or `enum`.
            keyword: that word in the source.
            name: the tag; None when it has none.
            body: what it is defined as; None for a mention.
        """
        tag = self._by_name.get(name.text) if name is not None else None
        if tag is None:
            tag = Tag(kind, name.text if name else "", name or keyword)
            self.all.append(tag)
            if name is not None:
                self._by_name[name.text] = tag
        elif tag.kind != kind and name is not None:
            there, here = ("an enum" if each == "enum" else f"a {each}" for each in (tag.kind, kind))
            message = f"'{name.text}' is {here} here, but {there} at {tag.place.span}"
            self._report(Diagnostic(name.span, message))
            tag = Tag(kind, name.text, name)  # what is built of a kind never meets the body of another one
            self.all.append(tag)
        if body is None:
            return
        self._by_body[id(body)] = tag
        if tag.body is not None and (tag.body.is_complete or not body.is_complete):
            place = (name or keyword).span
            self._report(Diagnostic(place, f"'{kind} {tag.name}' is defined twice, first at {tag.place.span}"))
            # Keep the refused body too: its identity must not be taken by another one.
            tag.body.refused = (*tag.body.refused, body)
        else:
            tag.body = body
            tag.declared_from = body.start

    def forget(self, body: TagBody) -> None:
        """Take a definition back that cannot be read; what it defines is incomplete then."""
        tag = self._by_body[id(body)]
        if tag.body is body:
            tag.body = None

    def assign_keys(self) -> None:
        """Give every struct, union and enum without a key the one that the model has for it.

        To be called when all of the user's files have been read; a typedef that gives the name may come last.
        """
        self._keys_are_assigned = True
        for tag in self.all:
            if not tag.key and tag.typedef_names:
                self._assign(tag, tag.typedef_names[0])
        for tag in self.all:
            if not tag.key:
                self._assign(tag, self._free_key(tag))

    def assign_late_keys(self) -> None:
        """Do so for what system headers have added since, if keys have been assigned at all."""
        if self._keys_are_assigned:
            self.assign_keys()

    def _assign(self, tag: Tag, key: str) -> None:
        """Let a key be that of a tag."""
        tag.key = key
        self._by_key[tag.kind == "enum", key] = tag

    def _free_key(self, tag: Tag) -> str:
        """Return a key for what no typedef names."""
        is_enum = tag.kind == "enum"
        if tag.name:
            return f"{tag.kind} {tag.name}" if (is_enum, tag.name) in self._by_key else tag.name
        if tag.parent is not None:
            key = f"{tag.parent.key}.{tag.member}"
        elif tag.member:
            key = f"{tag.member}.<anonymous 1>"
        elif tag.body is not None and tag.kind == "enum" and (first := next(tag.body.members, None)) is not None:
            key = f"<anonymous {first[0].token_of(first[1]).text}>"
        else:
            key = "<anonymous 1>"
        number = 1
        candidate = key
        while (is_enum, candidate) in self._by_key:
            number += 1
            candidate = f"{key} {number}"
        return candidate


class Declaration(msgspec.Struct):
    """A top-level declaration that has been parsed, not yet understood."""

    chunk: Chunk
    flat: Flat
    visibility: str = ""
    """The visibility that a pragma states: `hidden`, `default`, ...; empty for none."""


class Assertion(msgspec.Struct):
    """A static assertion, at top level or in a struct: where it stands, its condition and its message."""

    token: Token
    flat: Flat
    condition: Node
    message: str


class Symbols(KnownNames):
    """Reads the top-level declarations of a unit in order, and knows every name that they declare.

    Types are looked up by name later, when all is known: the key of a struct follows from a typedef that may come last.
    """

    def __init__(self, std: str, context: SystemContext, report: Callable[[Diagnostic], None]) -> None:
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
        self.flattener = Flattener(keywords_of(std), self, self._relay, self.pragmas)
        self.typedefs: dict[str, Declaration] = {}
        self.objects: dict[str, Declaration] = {}
        """Functions and variables by name."""
        self.values: dict[str, int] = {}
        self.types = KnownNames()
        """The builder that knows the types of names; none until the types of all declarations are built."""
        self._parser = Parser(self, self._relay)
        self._context = context
        self._ordinary: dict[str, tuple[str, Token]] = {}
        self._type_hints: dict[tuple[str, int], str] = {}
        self._loading = False
        self._refused: set[str] = set()
        """The names that declarations may declare that were refused."""
        self._missing: set[str] = set()
        """The hints that name an `#include`, as far as they were given."""

    def _relay(self, diagnostic: Diagnostic) -> None:
        """Report what is wrong, unless it is a system header's own affair; an `#include` that is missing is one error,
        not one for each type that it would bring."""
        if self._loading or diagnostic.hint in self._missing:
            return
        if diagnostic.hint.startswith(MISSING_INCLUDE):
            self._missing.add(diagnostic.hint)
        named = re.search(r"'(?:struct )?(\w+)'", diagnostic.message)
        header = _OTHER_TYPES.get(named[1], "") if named is not None else ""
        if diagnostic.message.startswith(UNKNOWN_TYPE) and not diagnostic.hint and header:
            diagnostic = replace(diagnostic, hint=f"include {header}")
        if diagnostic.message.startswith(UNKNOWN_TYPE) and not diagnostic.hint:
            diagnostic = replace(
                diagnostic, hint="include the header that declares it, or name that header with --preinclude FILE"
            )
        self.report(diagnostic)

    # Declaring

    def declare(self, chunks: Iterable[Chunk]) -> None:
        """Read top-level declarations, in order."""
        for chunk in chunks:
            if chunk.kind == "pragma":
                self.pragmas.apply(chunk.stream.tokens[chunk.start])
            elif chunk.start < chunk.end:
                self._declare(chunk)

    def _declare(self, chunk: Chunk) -> None:
        """Read one declaration."""
        flat = self.flattener.flatten(chunk.stream, chunk.start, chunk.end)
        if chunk.kind == "assertion":
            flat.words[0] = "_Static_assert"  # `static_assert` is a macro of <assert.h> before C23
        for body in flat.bodies.values():
            if body.parent is None:
                self.tags.with_body(body).declared_from = chunk.start
        is_definition = chunk.kind == "function"
        if not self._parser.parse("declaration", flat, is_definition=is_definition):
            for body in flat.bodies.values():
                self.tags.forget(body)
            if not self._loading:  # else nobody has heard of the error
                self._refused |= may_declare(flat)
            return
        for token in chunk.stream.misplaced_in(chunk.start, chunk.end):
            self._relay(Diagnostic(token.span, f"unexpected '{token.text}'"))
        named = [node for node in flat.nodes if isinstance(node, Decl) and node.name is not None]
        if named and is_definition and not isinstance(named[0].type, FuncDecl):
            brace, before = chunk.stream.tokens[chunk.end], chunk.stream.tokens[chunk.end - 1]
            self._relay(Diagnostic(brace.span, f"unexpected '{{' behind '{before.text}'"))
        elif named:
            self._declare_names(Declaration(chunk, flat, ("", *self.pragmas.visibility)[-1]), named)
        for body in flat.bodies.values():
            self._name_members(body)
            if body.parent is None and named:
                self.tags.with_body(body).member = flat.name_of(named[0])[0].text
        self.assertions += [_assertion(flat, node) for node in flat.nodes if isinstance(node, StaticAssert)]

    def _declare_names(self, declaration: Declaration, nodes: list[Node]) -> None:
        """Take note of the names that a declaration declares."""
        flat = declaration.flat
        self.declarations.append(declaration)
        self._check_storage(flat, nodes[0])
        for node in nodes:
            token, _ = flat.name_of(node)
            if TYPEDEF in node.storage:
                self._bind(token, "typedef")
                if self.typedefs.setdefault(token.text, declaration) is declaration:
                    self._name_tag(flat, node, token.text)
            else:
                self._bind(token, "function" if isinstance(node.type, FuncDecl) else "variable")
                self.objects.setdefault(token.text, declaration)

    def _check_storage(self, flat: Flat, node: Node) -> None:
        """At most one storage class, `_Thread_local` aside (C 6.7.1 paragraph 2)."""
        classes = [each for each in node.storage if each != "_Thread_local"]
        if len(classes) > 1:
            place = flat.token(flat.words.index(classes[0])).span
            words = " and ".join(f"'{each.removesuffix(':')}'" for each in classes)
            self._relay(Diagnostic(place, f"two storage classes, {words}", "keep one of them"))

    def _name_tag(self, flat: Flat, node: Node, name: str) -> None:
        """Note that a typedef names a struct, union or enum directly."""
        inner = node.type
        if not isinstance(inner, TypeDecl) or inner.quals:
            return
        base = inner.type
        if isinstance(base, (Struct, Union, Enum)):
            body = flat.body_of(base)
            tag = self.tags.named(flat.tag_of(base).text) if body is None else self.tags.with_body(body)
            if tag is not None and name not in tag.typedef_names:
                tag.typedef_names.append(name)

    def _name_members(self, body: TagBody) -> None:
        """Give names to the nameless structs in a struct, and take note of its static assertions."""
        if body.kind == "enum":
            return
        parent = self.tags.with_body(body)
        inner = [each for each in body.flat.bodies.values() if each.parent is body]
        for each in inner:
            self.tags.with_body(each).parent = parent
        anonymous = 0
        for flat, node in body.members:
            if isinstance(node, StaticAssert):
                self.assertions.append(_assertion(flat, node))
                continue
            if not inner:
                continue
            token, segment = flat.name_of(node)
            end = flat.stream.find(segment.start, body.end, (";",))
            mine = [each for each in inner if segment.start <= each.start < end]
            for each in mine:
                anonymous += node.name is None
                name = f"<anonymous {anonymous}>" if node.name is None else token.text
                self.tags.with_body(each).member = name
            inner = [each for each in inner if each not in mine]

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
        """True if a name is a typedef's, or may turn out to be one of a system header's."""
        return name in self.typedefs or self._context.knows(name)

    def is_type(self, name: str) -> bool:
        """True if a name is a typedef's."""
        return name in self.typedefs or (self._load(name) and name in self.typedefs)

    def is_refused(self, name: str) -> bool:
        """True if a declaration that has been refused may declare a name."""
        return name in self._refused

    def ordinary(self, name: str) -> str:
        """Return the kind of an identifier that is no type: `enumerator`, `function`, `variable`; else empty."""
        if name not in self._ordinary:
            self._load(name)
        known = self._ordinary.get(name)
        return "" if known is None or known[0] == "typedef" else known[0]

    def _load(self, name: str) -> bool:
        """Read the system headers' declarations of a name."""
        if not self._context.knows(name):
            return False
        outer, self._loading = self._loading, True
        pack = self.pragmas.pack
        for chunk, limit in self._context.take(name):
            self.pragmas.pack = limit
            self.declare([chunk])
        self.pragmas.pack = pack
        self._loading = outer
        self.tags.assign_late_keys()
        return True

    def key_of_reference(self, kind: str, token: Token) -> str:
        """Return the key of `struct X` and the like."""
        tag = self.tags.named(token.text)
        return tag.key if tag is not None else token.text

    def key_of_body(self, body: TagBody) -> str:
        """Return the key of what a body defines."""
        return self.tags.with_body(body).key

    def suggest_value(self, name: str) -> str:
        """Return a hint for an identifier that is not declared."""
        return suggest(name, [each for each, (kind, _) in self._ordinary.items() if kind == "enumerator"])

    def suggest_type(self, name: str) -> str:
        """Return a hint for a name that should be a type."""
        tag = self.tags.named(name)
        if tag is not None:
            return f"write '{tag.kind} {name}'"
        if name in STANDARD_TYPES:
            return f"include {STANDARD_TYPES[name]}"
        key = (name, len(self.typedefs))  # a target without some header may not know a type that is used everywhere
        if key not in self._type_hints:
            self._type_hints[key] = suggest(name, [*self.typedefs, *STANDARD_TYPES, *BASIC_NAMES])
        return self._type_hints[key]

    def type_of_typedef(self, name: str) -> CType | None:
        """Return the type that a typedef stands for; None when it is not known."""
        return self.types.type_of_typedef(name)

    def type_of_object(self, name: str) -> CType | None:
        """Return the type of a variable or function; None when it is not known."""
        return self.types.type_of_object(name)

    def type_of_member(self, record: CType, name: str) -> CType | None:
        """Return the type of a struct's member; None when there is none."""
        return self.types.type_of_member(record, name)


def _assertion(flat: Flat, node: Node) -> Assertion:
    """Return a static assertion; its message may be several literals."""
    tokens = flat.stream.tokens
    message = ""
    if node.message is not None:
        index = flat.origins[node.message.coord.line]
        while tokens[index].kind == "string":
            message += tokens[index].text[1:-1]
            index += 1
    return Assertion(flat.token_of(node), flat, node.cond, message)
