"""Which targets a header says the same to, so that it need not be read for each."""

from __future__ import annotations

import re
from collections.abc import Sequence

from abigen.model.span import AbigenError
from abigen.model.target import Target, find_target
from abigen.read.c.preprocessor.environment import asks_target
from abigen.read.c.preprocessor.preprocess import preprocess
from abigen.read.c.unit import MacroDefinition, Token, Unit
from abigen.read.options import ReadOptions, SourceFile

_WORD = re.compile(r"[A-Za-z_$]\w*")
_PIECE = re.compile(r"\w+|\S")
_ATTRIBUTES = {
    tuple(text.split()): word
    for text, word in {
        '__attribute__ ( ( visibility ( "default" ) ) )': "exported",
        "__declspec ( dllexport )": "exported",
        "__declspec ( dllimport )": "exported",
        "__attribute__ ( ( unused ) )": "",
    }.items()
}
"""Attributes that compilers spell differently, to a word for what they mean; none for those that mean nothing here."""


def preprocess_for_targets(
    sources: Sequence[SourceFile], options: ReadOptions
) -> tuple[list[tuple[Unit, list[Target]]], list[tuple[str, AbigenError]]]:
    """Preprocess headers as often as they ask what the target is.

    Returns:
        Units with the targets that each is good for, and the targets other than the first for which there is none.

    Raises:
        PreprocessingError: for the first target.
    """
    first = find_target(options.targets[0])
    units = [(preprocess(sources, options, first), [first])]
    refused: list[tuple[str, AbigenError]] = []
    for name in options.targets[1:]:
        target = find_target(name)
        same = next((targets for unit, targets in units if not asks_target(unit, (targets[0].name, name))), None)
        if same is None:
            try:
                unit = preprocess(sources, options, target)
            except AbigenError as error:
                refused.append((name, error))
                continue
            same = next((targets for known, targets in units if means_the_same(known, unit)), None)
        if same is None:
            units.append((unit, [target]))
        else:
            same.append(target)
    return units, refused


def means_the_same(first: Unit, second: Unit) -> bool:
    """Whether two readings of the same files, for different targets, give the same declarations and macros.

    System headers are left out of account: what they declare is known for each target apart.
    """
    return _is_alike(first, second) and first.tokens == second.tokens and _macros(first) == _macros(second)


def declares_the_same(first: Unit, second: Unit) -> bool:
    """Whether they give the same declarations, whatever the macros are and by whatever attribute symbols are exported.

    Macros that stand for nothing count: they may stand for `extern "C"` in C++.
    """
    empty, other = ({each.name for each in _own_macros(unit) if not each.body} for unit in (first, second))
    tokens = _with_plain_attributes(first.tokens)
    return _is_alike(first, second) and empty == other and tokens == _with_plain_attributes(second.tokens)


def _is_alike(first: Unit, second: Unit) -> bool:
    return first.comments == second.comments and first.diagnostics == second.diagnostics


def _with_plain_attributes(tokens: Sequence[Token]) -> list[Token]:
    """The tokens, with attributes that compilers spell differently in one spelling."""
    result: list[Token] = []
    index = 0
    while index < len(tokens):
        token, step, word = tokens[index], 1, tokens[index].text
        if word in ("__attribute__", "__declspec"):
            texts = tuple(each.text for each in tokens[index : index + max(map(len, _ATTRIBUTES))])
            step, word = next(
                ((len(key), _ATTRIBUTES[key]) for key in _ATTRIBUTES if texts[: len(key)] == key), (1, word)
            )
        if word:
            result.append(token if step == 1 else token._replace(text=word))
        index += step
    return result


def _own_macros(unit: Unit) -> list[MacroDefinition]:
    """The macros that no system header and no compiler defines."""
    from_system = frozenset(unit.system_files)
    return [each for each in unit.macros if not each.file.startswith("<") and each.file not in from_system]


def _macros(unit: Unit) -> dict[str, tuple[int | None, tuple[str, ...]]]:
    """The macros of the user's files, and those of the system that they are made of."""
    table: dict[str, MacroDefinition] = {each.name: each for each in unit.macros}
    pending = _own_macros(unit)
    found: dict[str, tuple[int | None, tuple[str, ...]]] = {}
    while pending:
        macro = pending.pop()
        if macro.name in found:
            continue
        found[macro.name] = _meaning(macro)
        pending += [table[word] for word in _WORD.findall(macro.body) if word in table]
    return found


def _meaning(macro: MacroDefinition) -> tuple[int | None, tuple[str, ...]]:
    """How many parameters a macro has, and its body, whatever it calls them and wherever it has spaces.

    Systems spell `offsetof` each in their own way. What a file of the user's says is the same text on all targets.
    """
    has_literals = '"' in macro.body or "'" in macro.body  # in which spaces count
    pieces = [macro.body] if has_literals else _PIECE.findall(macro.body)
    if macro.parameters is None:
        return None, tuple(pieces)
    places = {name: f"\N{SECTION SIGN}{index}" for index, name in enumerate(macro.parameters)}
    return len(macro.parameters), tuple(places.get(each, each) for each in pieces)
