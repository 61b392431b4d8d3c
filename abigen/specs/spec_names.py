"""Names and C text of a spec: each name is declared once, and C and C++ accept it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from abigen.headers.entities.unit_context import exported
from abigen.headers.preprocessor.expansion import Budget, Expander, Rescan
from abigen.headers.preprocessor.lexemes import Lexeme, folded, lex
from abigen.headers.preprocessor.macros import DefinedMacro, MacroTable
from abigen.headers.preprocessor.preprocess import preprocess
from abigen.headers.syntax.specifiers import take_attributes
from abigen.headers.syntax.trees import Attribute, balance
from abigen.headers.unit import Token
from abigen.model.api import Api, Header
from abigen.model.contract import directives
from abigen.model.entities import Constant
from abigen.model.span import AbigenError, Span
from abigen.model.spelling import STANDARD_TYPES, USUAL_SIZE_MACRO, by_pattern, needs_parentheses, reserved_word
from abigen.model.target import find_target
from abigen.workspace.document.tree import Item, Node, Problems, Scalar, parse_version
from abigen.workspace.options import ReadOptions, SourceFile

_MAX_WORK = 200_000
"""Most tokens that the macros in one spec may expand to."""
_EXPORT = "<export>"
"""Stands before the macro that exports functions where the text of cases is preprocessed."""
VERSION_PARTS = ("MAJOR", "MINOR", "PATCH")
"""The suffixes of the macros that state a version, behind the prefix of the API."""


def tokens_of(scalar: Scalar) -> list[Token]:
    """Split a scalar's text into tokens of C.

    Args:
        scalar: plain, quoted or a block.

    Returns:
        The tokens, each where the file has it.
    """
    offsets = _offsets(scalar)
    flat = scalar.text.replace("\n", " ").replace("\r", " ")
    tokens = []
    for token in lex(flat, scalar.source.file):
        first = token.column - 1
        span = scalar.source.span(offsets[first], offsets[first + len(token.text) - 1] + 1)
        width = 0 if span.length == len(token.text) else span.length
        tokens.append(replace(token, line=span.line, column=span.column, width=width))
    return tokens


def enclosed(text: str) -> str:
    """Return the text of a constant in the header: in parentheses where operators around it could split it."""
    return f"({text})" if needs_parentheses(text) else text


class MacroExpander:
    """Replaces the macros of a spec, and of those that it uses, in pieces of C."""

    def __init__(self, definitions: Mapping[str, DefinedMacro]) -> None:
        """Expand by these definitions."""
        self._table = MacroTable()
        self._table.update(definitions)
        self._expander = Expander(self._table, Budget(_MAX_WORK))

    def __contains__(self, name: str) -> bool:
        """True if a name is a macro's."""
        return name in self._table

    def expand(self, tokens: Sequence[Token]) -> list[Token]:
        """Replace macros as the preprocessor would (C 6.10.3).

        Args:
            tokens: a piece of C.

        Returns:
            The tokens; those that come out of a macro's body have the place of its name here.

        Raises:
            AbigenError: an invocation does not fit its macro, or it is too much.
        """
        result: list[Token] = []
        # What a lexeme has as its column is the number of its token.
        rest = Rescan([Lexeme(each.kind, each.text, True, False, 1, at) for at, each in enumerate(tokens)])
        while (name := rest.next()) is not None:
            token = tokens[name.column]
            macro = self._table.get(name.text) if name.kind == "id" else None
            if macro is None:
                result.append(token)
                continue
            self._expander.place = token.span
            width = 0 if macro.parameters is not None else token.width or len(token.text)
            made = replace(token, macro=token.text, width=width)
            for each in self._expander.expand([name], rest):
                result.append(tokens[each.column] if each.line else replace(made, kind=each.kind, text=each.text))
        return result


def _offsets(scalar: Scalar) -> list[int]:
    """For each character of the scalar's text, where the file has it."""
    source, text = scalar.source.text, scalar.text
    first = scalar.start if scalar.plain else scalar.start + 1
    if source.startswith(text, first):
        return list(range(first, first + len(text) + 1))
    # Folding and escapes only change white space, quotes and backslashes: everything else stands there in this order.
    offsets: list[int] = []
    position = first
    for character in text:
        found = -1 if character.isspace() else source.find(character, position, scalar.end)
        offsets.append(min(found if found >= 0 else position, scalar.end))
        position = found + 1 if found >= 0 else position
    return [*offsets, scalar.end]


def text_key(item: Item) -> str:
    """Return the key that says what a constant or a macro stands for."""
    return "body" if item.has("parameters") else "value"


def defined_items(root: Item) -> list[Item]:
    """Return the macros and constants of a spec."""
    return [item for key in ("macros", "constants") for item in root.items(key)]


class Choice(msgspec.Struct, frozen=True):
    """Targets for which the same cases hold."""

    targets: tuple[str, ...]
    cases: Mapping[str, int] = msgspec.field(default_factory=dict)
    """Constant or macro to the number of its case."""
    exports: bool = False
    """The macro before functions (`header.export`) exports them."""

    def text(self, item: Item) -> Scalar | None:
        """Return the expansion of a constant or a macro on these targets."""
        cases = item.items(text_key(item))
        if not cases:
            return item.scalar(text_key(item))
        return cases[self.cases.get(item.name, len(cases) - 1)].scalar("text")


def choose_cases(
    root: Item,
    system: Mapping[str, Constant],
    used: Iterable[tuple[Api, Header]],
    options: ReadOptions,
    problems: Problems,
) -> tuple[Choice, ...]:
    """Find the case of each constant and macro that holds for each target, as the target's preprocessor would.

    Args:
        root: the spec.
        system: the macros that system headers define, which the spec includes, the same for all targets.
        used: the specs that this one uses, each after those that it uses itself.
        options: the targets.
        problems: receives conditions that are none.

    Returns:
        At least one choice; together they have all targets, in order of first mention.
    """
    defined = [item for item in defined_items(root) if item.name]
    chosen_from = [item for item in defined if len(item.items(text_key(item))) > 1]
    export = root.item("header").text("export")
    if not (chosen_from or export) or problems:
        return (Choice(options.targets),)
    own = {item.name for item in defined}
    given = {name: _Text(each.text) for name, each in system.items() if name not in own}
    for api, header in used:
        given |= _texts_of(api, header)
    given |= {name: _Text(str(number)) for name, number in _version_of(root)}
    conditions = [case.text("if") for item in chosen_from for case in item.items(text_key(item))]
    asked = _asked([*conditions, export], defined, given)
    lines = [line for name, each in given.items() if name in asked for line in each.lines(name)]
    places: dict[int, Span] = {}
    for item in defined:
        if item.name in asked and item not in chosen_from and (scalar := item.scalar(text_key(item))):
            _write_definition(item, scalar.text, lines, places)
    for item in chosen_from:
        _write_cases(item, item.name in asked, lines, places)
    takes_type = any(each.name == export and each.has("parameters") for each in defined) or (
        export in given and given[export].parameters is not None
    )
    lines.append(f'"{_EXPORT}" {export}{"(int)" if takes_type else ""}')
    source = SourceFile("<cases>", "<cases>", "\n".join(lines) + "\n")
    groups: dict[tuple[tuple[tuple[str, int], ...], bool], list[str]] = {}
    for target in options.targets:
        chosen, exports = _chosen(source, places, replace(options, targets=(target,), cc="none"), problems)
        groups.setdefault((tuple(chosen.items()), exports), []).append(target)
    return tuple(Choice(tuple(targets), dict(chosen), exports) for (chosen, exports), targets in groups.items())


def _write_cases(item: Item, is_asked: bool, lines: list[str], places: dict[int, Span]) -> None:
    """Append the directives that tell which case of a macro holds, with the places of the conditions."""
    cases = item.items(text_key(item))
    numbers = {case.text("if"): number for number, case in reversed([*enumerate(cases)])}
    case = cases[0]
    for line in directives([each.text("if") for each in cases]):
        if isinstance(line, str):
            condition = line.partition(" ")[2]
            at = next((number for each, number in numbers.items() if condition and condition in each), None)
            case = case if at is None else cases[at]
            lines.append(line)
            places[len(lines)] = case.place("if")
            continue
        lines.append(f'"{item.name}" {line}')
        if is_asked:
            _write_definition(item, cases[line].text("text"), lines, places)


class _Text(msgspec.Struct, frozen=True):
    """The text of a macro that the spec does not list: the system, a used spec or the version defines it."""

    text: str
    parameters: tuple[str, ...] | None = None
    cases: tuple[tuple[str, str], ...] = ()
    """Conditions and texts, if there are several."""
    guarded: bool = False
    """The header defines it only where the compiler has no macro of this name."""

    def words(self) -> list[str]:
        """Return the names in the text and in the cases."""
        return [word for text in (self.text, *(part for case in self.cases for part in case)) for word in _words(text)]

    def lines(self, name: str) -> Iterator[str]:
        """Yield the directives that define the macro."""
        head = f"#define {name}" + ("" if self.parameters is None else f"({', '.join(self.parameters)})")
        yield f"#ifndef {name}" if self.guarded else f"#undef {name}"
        for line in directives([condition for condition, _ in self.cases]) if self.cases else (0,):
            text = self.cases[line][1] if self.cases and isinstance(line, int) else self.text
            yield line if isinstance(line, str) else f"{head} {text}"
        if self.guarded:
            yield "#endif"


def _texts_of(api: Api, header: Header) -> Iterator[tuple[str, _Text]]:
    """Yield the macros that the header of a spec defines."""
    own = {name for _, name in header.order}
    for name, macro in api.macros.items():
        if name in own:
            yield name, _Text(macro.body, macro.parameters, header.cases.get(name, ()), name in header.guarded)
    for name, constant in api.constants.items():
        if name in own:
            yield name, _Text(constant.text, None, header.cases.get(name, ()), name in header.guarded)
    version = api.version.version if api.version and api.header and api.header.path == header.path else None
    if version is not None:
        parts = zip(header.version_macros, (version.major, version.minor, version.patch), strict=False)
        yield from ((name, _Text(str(number))) for name, number in parts)


def _version_of(root: Item) -> Iterator[tuple[str, int]]:
    """Yield the macros that state the version of a spec, with their values."""
    version = root.version("version")
    if version is None:
        return
    prefix = root.text("prefix", root.text("api", "api").upper())
    usual = [f"{prefix}_{part}" for part in VERSION_PARTS]
    names = root.texts("version_macros") if root.has("version_macros") else usual
    yield from zip(names, (version.major, version.minor, version.patch), strict=False)


def _asked(conditions: Iterable[str], defined: Iterable[Item], given: Mapping[str, _Text]) -> set[str]:
    """Return the names in conditions, and those in the texts of macros that conditions name."""
    texts = {name: each.words() for name, each in given.items()}
    for item in defined:
        key = text_key(item)
        scalar = item.scalar(key)
        parts = [scalar.text] if scalar else [case.text(part) for case in item.items(key) for part in ("if", "text")]
        texts[item.name] = [word for part in parts for word in _words(part)]
    found: set[str] = set()
    left = [word for each in conditions for word in _words(each)]
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            left += texts.get(name, ())
    return found


def _words(text: str) -> list[str]:
    return [each.text for each in lex(text, "") if each.kind == "id"]


def _write_definition(item: Item, text: str, lines: list[str], places: dict[int, Span]) -> None:
    """Append the directives that define a macro or constant, with the place of its name.

    As in the header, a guarded macro is defined only where the compiler has none of this name.
    """
    parameters = f"({', '.join(item.texts('parameters'))})" if item.has("parameters") else ""
    guard, end = ([f"#ifndef {item.name}"], ["#endif"]) if item.flag("guarded") else ([], [])
    lines += [*guard, f"#define {item.name}{parameters} {folded(text)}"]
    places[len(lines)] = item.name_span
    lines += end


def _chosen(
    source: SourceFile, places: Mapping[int, Span], options: ReadOptions, problems: Problems
) -> tuple[dict[str, int], bool]:
    """Preprocess the cases.

    Returns:
        Constant to the number of the case that is left; and whether the macro before functions exports them.
    """
    try:
        tokens = preprocess([source], options, find_target(options.targets[0])).tokens
    except AbigenError as error:
        for each in error.diagnostics:
            problems.error(places.get(each.place.line) if each.place else None, each.message, each.hint)
        return {}, False
    end = next((at for at, each in enumerate(tokens) if each.text == f'"{_EXPORT}"'), len(tokens))
    pairs = zip(tokens[:end:2], tokens[1:end:2], strict=False)
    return {name.text.strip('"'): int(number.text) for name, number in pairs}, _exports(tokens[end + 1 :])


def _exports(tokens: Sequence[Token]) -> bool:
    """True if the tokens before a function export it, by the same reading as in headers."""
    stream, _ = balance(tokens)
    attributes: list[Attribute] = []
    index, end = 0, len(stream.tokens)
    while index < end:
        run, after = take_attributes(stream, index, end, lambda diagnostic: None)
        attributes += run
        index = max(after, index + 1)
    return bool(exported(attributes, ""))


_USUAL_SIZE_FIELD = "struct_size"
"""The member that makes a struct versioned where the spec states no convention."""


class LeadingField(msgspec.Struct, frozen=True):
    """A member that versioned structs begin with."""

    name: str
    type: tuple[Token, ...]
    span: Span
    doc: str


class StructPlan(msgspec.Struct, frozen=True):
    """A struct with what conventions add to it."""

    item: Item
    versioned: bool
    leading: tuple[LeadingField, ...]
    """Members that are not among the item's own fields."""
    size_macro: str
    """Empty when it has none."""
    size_macro_span: Span

    @property
    def members(self) -> list[str]:
        """The names of all members."""
        return [*(each.name for each in self.leading), *(each.name for each in self.item.items("fields"))]


def all_named_members(item: Item) -> Iterator[Item]:
    """Yield the members that a struct has by name, its own and those of structs and unions in it that have no name."""
    for each in item.items("fields"):
        if each.name:
            yield each
        else:
            yield from all_named_members(each)


def structs_with_keys(structs: Iterable[Item]) -> Iterator[tuple[str, Item]]:
    """Yield structs, and those that are written down in them, to any depth, each with its key in the API."""
    found = [(each.name, each) for each in structs]
    for key, item in found:
        yield key, item
        found += inner_keys(key, item)


def inner_keys(key: str, struct: Item) -> Iterator[tuple[str, Item]]:
    """Yield the structs that are written down directly in one, whose key is given, each with its own."""
    nameless = 0
    for each in struct.items("fields"):
        if each.has("fields"):
            nameless += not each.name
            yield f"{key}.{each.name or f'<anonymous {nameless}>'}", each


def since_macros(root: Item) -> Iterator[tuple[str, Item]]:
    """Yield the constants that say that something is there which came after the first release, each with that thing."""
    pattern = root.item("conventions").text("since_macro")
    first = min((parse_version(each) for each in root.texts("releases")), default=None)
    enumerators = (each for enum in root.items("enums") for each in enum.items("enumerators"))
    for item in (*root.items("functions"), *enumerators) if pattern else ():
        since = item.version("since")
        if item.name and since is not None and since != first:
            yield pattern.replace("{name}", item.name).replace("{NAME}", item.name.upper()), item


def enum_key(item: Item) -> str:
    """Return the key of an enumeration in the API: its name, or what the reader of headers calls one that has none."""
    return item.name or f"<anonymous {next((each.name for each in item.items('enumerators')), '')}>"


def leading_fields(root: Item, problems: Problems) -> tuple[LeadingField, ...]:
    """Read `conventions.leading_fields` of a spec, and report what is wrong there."""
    fields: list[LeadingField] = []
    for node in root.item("conventions").nodes("leading_fields"):
        scalar, doc = _named(node, "declaration")
        if scalar is None:
            continue
        tokens = tokens_of(scalar)
        if len(tokens) < 2 or tokens[-1].kind != "id":
            problems.error(scalar.span, "expected a member as C declares it, its name last", "size_t struct_size")
            continue
        name = tokens[-1]
        if any(each.name == name.text for each in fields):
            problems.error(name.span, f"'{name.text}' is among the leading fields twice")
            continue
        fields.append(LeadingField(name.text, tuple(tokens[:-1]), name.span, doc or ""))
    return tuple(fields)


def plan_struct(item: Item, conventions: Sequence[LeadingField], pattern: str, problems: Problems) -> StructPlan:
    """Decide what a struct begins with.

    Args:
        item: the struct.
        conventions: what versioned structs of this API begin with.
        pattern: how size macros are named; empty for as usual.
        problems: receives what is wrong.
    """
    union = item.text("kind") == "union"
    own = item.items("fields")
    size_field = conventions[0].name if conventions else _USUAL_SIZE_FIELD
    explicit = bool(own) and own[0].name == size_field
    is_extension = item.has("extension") and not union
    versioned = item.flag("versioned", default=is_extension or (not union and (bool(conventions) or explicit)))
    leading: tuple[LeadingField, ...] = ()
    if union and versioned:
        message = f"the union '{item.name}' cannot be versioned: all of its members overlap"
        problems.error(item.place("versioned"), message)
        versioned = False
    elif item.has("leading") and not versioned:
        problems.error(item.place("leading"), f"'{item.name}' is not versioned, so it has no leading fields")
    elif is_extension and item.has("leading"):
        message = f"'{item.name}' is an extension, so it begins with its base and has no leading fields"
        problems.error(item.place("leading"), message)
    elif is_extension:
        pass  # its base holds its size
    elif versioned and explicit:
        _check_explicit(item, own, conventions, problems)
    elif versioned and conventions:
        leading = _choose(item, conventions, problems)
        for field in own:
            if any(field.name == each.name for each in leading):
                hint = f"leave it out, or state all leading fields, from '{size_field}' on"
                problems.error(
                    field.name_span, f"'{field.name}' is a leading field, which the header gets by itself", hint
                )
    elif versioned:
        hint = "state conventions.leading_fields, or make 'size_t struct_size' its first member"
        message = f"'{item.name}' is versioned but has no member that holds its size"
        problems.error(item.place("versioned"), message, hint)
    stated = item.scalar("size_macro")
    if stated is None:
        size_macro = by_pattern(pattern or USUAL_SIZE_MACRO, item.name) if versioned and item.name else ""
    else:
        size_macro = "" if stated.kind == "boolean" else stated.text
    return StructPlan(item, versioned, leading, size_macro, stated.span if stated else item.name_span)


def _choose(item: Item, conventions: Sequence[LeadingField], problems: Problems) -> tuple[LeadingField, ...]:
    """Return the leading fields that `leading` names, with this struct's documentation; all when it says nothing."""
    if not item.has("leading"):
        return tuple(conventions)
    known = [each.name for each in conventions]
    chosen: list[LeadingField] = []
    for node in item.nodes("leading"):
        scalar, doc = _named(node, "name")
        if scalar is None:
            continue
        if scalar.text not in known:
            message = f"'{scalar.text}' is none of conventions.leading_fields"
            problems.unknown(scalar.span, message, scalar.text, known, f"they are {', '.join(known)}")
            continue
        base = conventions[known.index(scalar.text)]
        chosen.append(replace(base, span=scalar.span, doc=base.doc if doc is None else doc))
    order = [known.index(each.name) for each in chosen]
    if order != sorted(set(order)) or (order and order[0] != 0):
        message = f"leading fields have the order of the conventions, from '{known[0]}' on"
        problems.error(item.place("leading"), message)
        return tuple(conventions)
    return tuple(chosen)


def _named(node: Node, key: str) -> tuple[Scalar | None, str | None]:
    """Return the name and documentation of a leading field: a text, or a mapping with a key for that text."""
    if isinstance(node, Item):
        return node.scalar(key), node.text("doc") if node.has("doc") else None
    return node if isinstance(node, Scalar) else None, None


def _check_explicit(item: Item, own: Sequence[Item], conventions: Sequence[LeadingField], problems: Problems) -> None:
    """Members that a struct states itself must stand where the conventions want them."""
    if item.has("leading"):
        message = f"'{item.name}' states its leading fields among its members already"
        problems.error(item.place("leading"), message, "remove 'leading'")
    names = [field.name for field in own]
    stated = [each for each in conventions if each.name in names]
    for position, each in enumerate(stated):
        field = own[names.index(each.name)]
        if names[position] != each.name:
            problems.error(field.name_span, f"the leading field '{each.name}' has to be member {position + 1}")
        type = field.scalar("type")
        wanted = " ".join(token.text for token in each.type)
        if type and " ".join(token.text for token in tokens_of(type)) != wanted:
            problems.error(type.span, f"the leading field '{each.name}' is '{wanted}' by the conventions")


KINDS = {
    "macros": "macro",
    "constants": "constant",
    "typedefs": "typedef",
    "handles": "handle",
    "enums": "enum",
    "callbacks": "callback",
    "structs": "struct",
    "functions": "function",
    "variables": "variable",
}
"""Key of the spec to the kind of its entries, in the order in which a header declares them unless it says otherwise."""


GROUPS = ("structs", "enums", "typedefs", "functions", "variables", "constants", "macros", "size_constants")
"""The groups of an API's entities that a spec can have."""


RELEASE_MACRO = "release macro"
"""The description of a release macro before its releases: specs with the same one can share it."""


class DeclaredName(msgspec.Struct, frozen=True):
    """A name in the header: its kind, and the place where the spec states it."""

    kind: str
    span: Span
    origin: str = ""
    """The used spec that declares it; empty for this one."""


class SpecNames(msgspec.Struct):
    """The names of a spec, by C's name spaces; macros share the one of functions, types and enumerators."""

    ordinary: dict[str, DeclaredName] = msgspec.field(default_factory=dict)
    tags: dict[str, DeclaredName] = msgspec.field(default_factory=dict)
    allows_reserved: bool = False
    """True if names may belong to the implementation, since a header has them that exists."""

    def declared_by(self, origin: str) -> SpecNames:
        """Return the same names as a spec that uses this one sees them."""

        def outside(names: Mapping[str, DeclaredName]) -> dict[str, DeclaredName]:
            return {name: replace(each, origin=each.origin or origin) for name, each in names.items()}

        return SpecNames(outside(self.ordinary), outside(self.tags))

    def of_kinds(self, *kinds: str) -> list[str]:
        """Return the names of all macros, functions, types and enumerators of some kinds."""
        return [name for name, each in self.ordinary.items() if each.kind in kinds]

    def declare(
        self, name: str, declared: DeclaredName, problems: Problems, *, hint: str = "", replaces: bool = False
    ) -> None:
        """Enter a name in the space that all of C's entities but tags and members share.

        A macro that is only defined where nothing has defined it before `replaces` that of a used spec. Any macro may
        stand before the function of a used spec that it is called as.
        """
        if not name:
            return
        reason = reserved_word(name, to_implementation=not self.allows_reserved)
        if not reason and name in STANDARD_TYPES:
            reason = f"is declared by {STANDARD_TYPES[name]}"
        if reason:
            problems.error(declared.span, f"'{name}' {reason}", hint)
        first = self.ordinary.get(name)
        is_call = first is not None and first.kind == "function" and declared.kind in ("constant", "macro")
        is_other = first is not None and bool(first.origin)
        if first is not None and not (is_other and (is_call or (replaces and first.kind == declared.kind))):
            message = f"'{name}' is declared twice: {_already(first, declared.kind)}"
            problems.error(declared.span, message, hint)
            return
        self.ordinary[name] = declared

    def tag(self, item: Item, kind: str, problems: Problems) -> None:
        """Enter a tag; C++ keeps tags and types in one space, functions apart (ISO/IEC 14882, [class.name])."""
        tag = tag_of(item, kind)
        if not item.name or not tag:
            return
        span = item.place("tag") if item.has("tag") else item.name_span
        if tag != item.name and (reason := reserved_word(tag, to_implementation=not self.allows_reserved)):
            problems.error(span, f"the tag '{tag}' {reason}")
        if kind == "handle" and tag == item.name and is_by_pointer(item):
            hint = "leave 'tag' out, or state by_pointer: false if the name is that of the struct itself"
            problems.error(span, f"'{tag}' cannot be the tag too: C++ takes both for the same type", hint)
            return
        other = self.tags.get(tag)
        ordinary = self.ordinary.get(tag)
        if other is not None and not other.kind == kind == "handle":
            problems.error(span, f"the tag '{tag}' is used twice: {_already(other, kind)}")
        elif other is None and ordinary is not None and ordinary.kind != "function" and tag not in names_of(item):
            message = f"the tag '{tag}' is also the name of something else: {_already(ordinary, kind)}"
            problems.error(span, message)
        elif other is None:
            self.tags[tag] = DeclaredName(kind, span)


def collect_names(
    root: Item, plans: Iterable[StructPlan], generated: Mapping[str, DeclaredName], used: SpecNames, problems: Problems
) -> SpecNames:
    """Declare everything that a spec names.

    Args:
        root: the spec.
        plans: its structs.
        generated: macros that the spec does not list but the header has (version macros, guard, helpers).
        used: the names of the specs that this one uses.
        problems: receives clashes and names that C or C++ reserves.
    """
    is_open = allows_reserved_names(root)
    names = SpecNames(dict(used.ordinary), dict(used.tags), allows_reserved=is_open)
    stated: list[tuple[Span, str, Item]] = []
    for key, kind in KINDS.items():
        for item in root.items(key):
            stated.append((item.name_span, kind, item))
            stated += [(each.name_span, "enumerator", each) for each in item.items("enumerators")]
            for also in item.scalars("also"):
                names.declare(also.text, DeclaredName("typedef", also.span), problems)
    for span, kind, item in sorted(stated, key=lambda each: each[0]):
        names.declare(item.name, DeclaredName(kind, span), problems, replaces=item.flag("guarded"))
    for plan in plans:
        hint = "" if plan.item.has("size_macro") else "name it otherwise with size_macro, or state size_macro: false"
        names.declare(plan.size_macro, DeclaredName("size macro", plan.size_macro_span), problems, hint=hint)
    for name, declared in generated.items():
        shared = declared.kind.startswith(RELEASE_MACRO)
        hint = "specs that share a release macro have the same first release, and the same version" if shared else ""
        names.declare(name, declared, problems, hint=hint, replaces=shared)
    for key in ("handles", "enums", "structs"):
        for item in root.items(key):
            names.tag(item, KINDS[key], problems)
    macros = set(names.of_kinds("constant", "size macro", "version macro"))
    for plan in plans:
        leading = {each.name for each in plan.leading}
        for _, item in structs_with_keys([plan.item]):
            if item.name or item is plan.item:
                _check_members(item, leading if item is plan.item else (), macros, problems, is_open=is_open)
    return names


def has_typedef(item: Item) -> bool:
    """True if the name of a handle is a typedef, and not a tag only."""
    return item.flag("typedef", default=True)


def names_of(item: Item) -> list[str]:
    """Return the name of an entity, and the other typedefs of it."""
    return [item.name, *item.texts("also")]


def is_by_pointer(handle: Item) -> bool:
    """True if the name of a handle stands for a pointer."""
    return handle.flag("by_pointer", default=has_typedef(handle))


def tag_of(item: Item, kind: str) -> str:
    """Return the tag of a handle, enumeration or struct; empty when it has none.

    Args:
        item: the entity.
        kind: `handle`, `enum` or `struct`.
    """
    pointer = kind == "handle" and is_by_pointer(item)
    return item.text("tag", f"{item.name}_st" if pointer else item.name)


def _already(first: DeclaredName, kind: str) -> str:
    what = "" if first.kind == kind else f" as {'an' if first.kind[0] in 'aeiou' else 'a'} {first.kind}"
    return (f"{first.origin} declares it" if first.origin else f"it is at line {first.span.line}") + what


def allows_reserved_names(root: Item) -> bool:
    """True if a spec says that its header has names that C reserves to the implementation."""
    return root.item("header").flag("reserved_names")


def _check_members(
    struct: Item, leading: Collection[str], macros: Collection[str], problems: Problems, *, is_open: bool
) -> None:
    seen: dict[str, Span] = {}
    for item in all_named_members(struct):
        name, span = item.name, item.name_span
        if not name or name in leading:
            continue
        if name in seen:
            message = f"'{struct.name}' has a member '{name}' already, at line {seen[name].line}"
            problems.error(span, message)
        elif reason := reserved_word(name, file_scope=False, to_implementation=not is_open):
            problems.error(span, f"'{name}' {reason}")
        elif name in macros:
            problems.error(span, f"'{name}' is a macro of this header, which would replace the member's name")
        seen.setdefault(name, span)
