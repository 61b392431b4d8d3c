"""C in a spec's scalars: its tokens with their places, the spec's macros, and which case of a constant holds where."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from abigen.model.api import Api, Header
from abigen.model.cases import directives
from abigen.model.entities import Constant
from abigen.model.span import AbigenError, Span
from abigen.model.spelling import needs_parentheses
from abigen.model.target import find_target
from abigen.read.c.entities.unit_context import exported
from abigen.read.c.preprocessor.errors import Budget
from abigen.read.c.preprocessor.expansion import Expander, Rescan
from abigen.read.c.preprocessor.lexemes import Lexeme, folded, lex
from abigen.read.c.preprocessor.macros import DefinedMacro, MacroTable
from abigen.read.c.preprocessor.preprocess import preprocess
from abigen.read.c.syntax.chunks import balance
from abigen.read.c.syntax.specifiers import take_attributes
from abigen.read.c.syntax.trees import Attribute
from abigen.read.c.unit import Token
from abigen.read.document.tree import Item, Problems, Scalar
from abigen.read.options import ReadOptions, SourceFile

_MAX_WORK = 200_000
"""Most tokens that the macros in one spec may expand to."""
_EXPORT = "<export>"
"""Stands before the macro that exports functions where the text of cases is preprocessed."""
VERSION_PARTS = ("MAJOR", "MINOR", "PATCH")
"""How the macros that state a version end, behind the prefix of the API."""


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
    """The text of a constant as the header has it: in parentheses where operators around it could take a part of it."""
    return f"({text})" if needs_parentheses(text) else text


class MacroExpander:
    """Replaces the macros of a spec, and of those that it uses, in pieces of C."""

    def __init__(self, definitions: Mapping[str, DefinedMacro]) -> None:
        """Expand by these definitions."""
        self._table = MacroTable()
        self._table.update(definitions)
        self._expander = Expander(self._table, Budget(_MAX_WORK))

    def __contains__(self, name: str) -> bool:
        """Whether a name is a macro's."""
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
    """The key that says what a constant or a macro stands for."""
    return "body" if item.has("parameters") else "value"


def defined_items(root: Item) -> list[Item]:
    """The macros and constants of a spec."""
    return [item for key in ("macros", "constants") for item in root.items(key)]


class Choice(msgspec.Struct, frozen=True):
    """Targets for which the same cases hold."""

    targets: tuple[str, ...]
    cases: Mapping[str, int] = msgspec.field(default_factory=dict)
    """Constant or macro to the number of its case."""
    exports: bool = False
    """The macro before functions (`header.export`) exports them."""

    def text(self, item: Item) -> Scalar | None:
        """What a constant or a macro stands for on these targets."""
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
