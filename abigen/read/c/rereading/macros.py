"""Whether macros mean what they meant before an edit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set

from abigen.model.api import Api
from abigen.model.ctype import Binary, Cast, Expression, Literal, OffsetOf, SizeOf, SizeOfMember
from abigen.read.c.rereading.outline import Outline, words_of

_END = 1 << 30


class MacroMeanings:
    """Compares the definitions that names have at two places."""

    def __init__(self, texts: Mapping[str, tuple[Outline, Outline]], api: Api) -> None:
        """Take note of all macros that a name may be.

        Args:
            texts: the API's own files, as they were and as they are, by name.
            api: what they were read as; it has the macros of the files that they include, which have not changed.
        """
        self._texts = texts
        included = {each.name: each.text for each in api.constants.values() if not each.in_api}
        self._included = included | {each.name: each.body for each in api.macros.values() if not each.in_api}
        self._defined = {name for outlines in texts.values() for each in outlines for name in each.macros}
        self._defined |= self._included.keys()

    def are_known(self, names: Set[str]) -> bool:
        """Whether names are macros of the API's own files, or of those that they include."""
        return self._defined.issuperset(names)

    def expansion(
        self, words: Iterable[str], file: str = "", old_line: int = _END, new_line: int = _END
    ) -> Set[str] | None:
        """All that names may expand to.

        Args:
            words: the names.
            file: where they stand; empty: anywhere.
            old_line: on which line they stood.
            new_line: on which line they stand.

        Returns:
            The names and keywords in the definitions that count there; None when these are not what they were.
        """
        pending = list(self._defined.intersection(words))
        seen: set[str] = set(pending)
        while pending:
            name = pending.pop()
            bodies = [self._included.get(name, "")]
            for each, (old, new) in self._texts.items():
                before = old.definitions(name, old_line if each == file else _END)
                if before != new.definitions(name, new_line if each == file else _END):
                    return None
                bodies += [text for _, text in before]
            more = {word for text in bodies for word in words_of(text)} - seen
            seen |= more
            pending += more & self._defined
        return seen


def size_expressions(apis: Sequence[Api], macros: MacroMeanings) -> Mapping[str, Expression]:
    """The expressions of size constants whose macros mean the same, by name.

    Such an expression names types and members, and does not depend on what these are.

    Args:
        apis: what the headers were read as, for all targets.
        macros: tells which macros mean the same.
    """
    return {
        constant.name: constant.expression
        for constant in apis[0].size_constants.values()
        if constant.form == "macro"
        and _asks_for_sizes_only(constant.expression)
        and all(_expression(constant.name, api) == constant.expression for api in apis)
        and macros.expansion([constant.name]) is not None
    }


def _expression(name: str, api: Api) -> Expression | None:
    """The expression of a size constant, if there is one of this name."""
    constant = api.size_constants.get(name)
    return None if constant is None else constant.expression


def _asks_for_sizes_only(expression: Expression) -> bool:
    """Whether an expression consists of sizes and offsets of types and of their members."""
    if isinstance(expression, Binary):
        return _asks_for_sizes_only(expression.left) and _asks_for_sizes_only(expression.right)
    if isinstance(expression, Cast):
        return _asks_for_sizes_only(expression.operand)
    if isinstance(expression, OffsetOf | SizeOfMember):
        return all(isinstance(each, str) for each in expression.path)
    return isinstance(expression, SizeOf | Literal)
