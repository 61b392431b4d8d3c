"""Constants whose text depends on the target: which case holds where."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from abigen.model.span import AbigenError, Span
from abigen.model.target import find_target
from abigen.read.c.preprocessor.preprocess import preprocess
from abigen.read.document.problems import Problems
from abigen.read.document.tree import Item, Scalar
from abigen.read.options import ReadOptions, SourceFile


@dataclass(frozen=True)
class Choice:
    """Targets for which the same cases hold."""

    targets: tuple[str, ...]
    cases: Mapping[str, int] = field(default_factory=dict)
    """Constant to the number of its case."""

    def text(self, constant: Item) -> Scalar | None:
        """What a constant stands for on these targets."""
        cases = constant.items("value")
        if not cases:
            return constant.scalar("value")
        return cases[self.cases.get(constant.name, len(cases) - 1)].scalar("text")


def choose_cases(root: Item, options: ReadOptions, problems: Problems) -> tuple[Choice, ...]:
    """Find the case of each constant that holds for each target, as the target's preprocessor would.

    Args:
        root: the spec.
        options: the targets.
        problems: receives conditions that are none.

    Returns:
        At least one choice; together they have all targets, in order of first mention.
    """
    constants = [item for item in root.items("constants") if item.name and len(item.items("value")) > 1]
    if not constants or problems:
        return (Choice(options.targets),)
    lines: list[str] = []
    places: dict[int, Span] = {}
    for item in constants:
        for number, case in enumerate(item.items("value")):
            condition = case.text("if")
            lines.append("#else" if not condition else f"#{'elif' if number else 'if'} {condition}")
            places[len(lines)] = case.place("if")
            lines.append(f"{item.name} {number}")
        lines.append("#endif")
    source = SourceFile("<cases>", "<cases>", "\n".join(lines) + "\n")
    groups: dict[tuple[tuple[str, int], ...], list[str]] = {}
    for target in options.targets:
        chosen = _chosen(source, places, replace(options, targets=(target,), cc="none"), problems)
        groups.setdefault(tuple(chosen.items()), []).append(target)
    return tuple(Choice(tuple(targets), dict(chosen)) for chosen, targets in groups.items())


def _chosen(source: SourceFile, places: Mapping[int, Span], options: ReadOptions, problems: Problems) -> dict[str, int]:
    """Constant to the number of the case that is left after preprocessing."""
    try:
        tokens = preprocess([source], options, find_target(options.targets[0])).tokens
    except AbigenError as error:
        for each in error.diagnostics:
            problems.error(places.get(each.place.line) if each.place else None, each.message, each.hint)
        return {}
    return {name.text: int(number.text) for name, number in zip(tokens[::2], tokens[1::2], strict=False)}
