"""C in a spec's scalars: its tokens with their places, the spec's macros, and which case of a constant holds where."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
from msgspec.structs import replace

from abigen.model.entities import Constant
from abigen.model.span import AbigenError, Span
from abigen.model.spelling import needs_parentheses
from abigen.model.target import find_target
from abigen.read.c.preprocessor.errors import Budget
from abigen.read.c.preprocessor.expansion import Expander, Rescan
from abigen.read.c.preprocessor.lexemes import Lexeme, folded, lex
from abigen.read.c.preprocessor.macros import DefinedMacro, MacroTable
from abigen.read.c.preprocessor.preprocess import preprocess
from abigen.read.c.unit import Token
from abigen.read.document.tree import Item, Problems, Scalar
from abigen.read.options import ReadOptions, SourceFile

_MAX_WORK = 200_000
"""Most tokens that the macros in one spec may expand to."""


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

    def text(self, item: Item) -> Scalar | None:
        """What a constant or a macro stands for on these targets."""
        cases = item.items(text_key(item))
        if not cases:
            return item.scalar(text_key(item))
        return cases[self.cases.get(item.name, len(cases) - 1)].scalar("text")


def choose_cases(
    root: Item, system: Mapping[str, Constant], options: ReadOptions, problems: Problems
) -> tuple[Choice, ...]:
    """Find the case of each constant and macro that holds for each target, as the target's preprocessor would.

    Args:
        root: the spec.
        system: the macros that system headers define, which the spec includes, the same for all targets.
        options: the targets.
        problems: receives conditions that are none.

    Returns:
        At least one choice; together they have all targets, in order of first mention.
    """
    defined = [item for item in defined_items(root) if item.name]
    chosen_from = [item for item in defined if len(item.items(text_key(item))) > 1]
    if not chosen_from or problems:
        return (Choice(options.targets),)
    own = {item.name for item in defined}
    lines = [f"#define {name} {each.text}" for name, each in system.items() if name not in own]
    places: dict[int, Span] = {}
    asked = {word for item in chosen_from for case in item.items(text_key(item)) for word in _words(case.text("if"))}
    for item in defined:
        if item.name in asked and item not in chosen_from and (scalar := item.scalar(text_key(item))):
            lines.append(_define(item, scalar.text))
            places[len(lines)] = item.name_span
    for item in chosen_from:
        for number, case in enumerate(item.items(text_key(item))):
            condition = case.text("if")
            lines.append("#else" if not condition else f"#{'elif' if number else 'if'} {condition}")
            places[len(lines)] = case.place("if")
            lines.append(f'"{item.name}" {number}')
            if item.name in asked:
                lines.append(_define(item, case.text("text")))
                places[len(lines)] = item.name_span
        lines.append("#endif")
    source = SourceFile("<cases>", "<cases>", "\n".join(lines) + "\n")
    groups: dict[tuple[tuple[str, int], ...], list[str]] = {}
    for target in options.targets:
        chosen = _chosen(source, places, replace(options, targets=(target,), cc="none"), problems)
        groups.setdefault(tuple(chosen.items()), []).append(target)
    return tuple(Choice(tuple(targets), dict(chosen)) for chosen, targets in groups.items())


def _words(text: str) -> list[str]:
    return [each.text for each in lex(text, "") if each.kind == "id"]


def _define(item: Item, text: str) -> str:
    """The directive that defines a macro or constant."""
    parameters = f"({', '.join(item.texts('parameters'))})" if item.has("parameters") else ""
    return f"#define {item.name}{parameters} {folded(text)}"


def _chosen(source: SourceFile, places: Mapping[int, Span], options: ReadOptions, problems: Problems) -> dict[str, int]:
    """Constant to the number of the case that is left after preprocessing."""
    try:
        tokens = preprocess([source], options, find_target(options.targets[0])).tokens
    except AbigenError as error:
        for each in error.diagnostics:
            problems.error(places.get(each.place.line) if each.place else None, each.message, each.hint)
        return {}
    return {name.text.strip('"'): int(number.text) for name, number in zip(tokens[::2], tokens[1::2], strict=False)}
