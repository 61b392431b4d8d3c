"""Parsing with recovery: what compilers take with a warning is taken, and one mistake does not hide the next."""

from __future__ import annotations

from collections.abc import Callable

from abigen.model.span import Diagnostic
from abigen.read.c.syntax.explain import Suggestions, explain
from abigen.read.c.syntax.grammar import parse_shape
from abigen.read.c.syntax.shapes import Shape, SyntaxFailure
from abigen.read.c.syntax.trees import Flat
from abigen.read.c.syntax.vocabulary import ATTRIBUTE, PLAIN_NAME, QUALIFIERS, SIMPLE_TYPES, STORAGE, TAG_BODY
from abigen.read.c.types.basic import basic_type

_MOST_RECOVERIES = 20
"""How many semicolons may be missing in one declaration before the rest of it is given up."""


class Parser:
    """Parses flattened text with pycparser and reports what is wrong with it."""

    def __init__(self, names: Suggestions, report: Callable[[Diagnostic], None]) -> None:
        """Prepare to parse.

        Args:
            names: who suggests what a user may have meant.
            report: where errors and warnings go.
        """
        self._names = names
        self._report = report

    def parse(self, mode: str, flat: Flat, *, is_definition: bool = False) -> list[Flat]:
        """Parse a text; its trees are then its `nodes`.

        Args:
            mode: as `parse_shape` has it.
            flat: the text.
            is_definition: it is the head of a function's definition.

        Returns:
            The text itself, or the several declarations that it turns out to be when a semicolon is missing. What
            cannot be parsed has no trees.
        """
        parts: list[Flat] = []
        while True:
            shape = parse_shape(mode, flat.words)
            if isinstance(shape, SyntaxFailure) and mode == "declaration":
                if not is_definition and self._is_only_a_type(flat):
                    flat.nodes = ()
                    return [*parts, flat]
                shape = self._with_implicit_int(flat) or shape
            rest = None
            if isinstance(shape, SyntaxFailure):
                explanation = explain(mode, flat, shape, self._names)
                for each in explanation.errors:
                    self._report(each)
                if explanation.resume is not None and len(parts) < _MOST_RECOVERIES:
                    rest = flat.part(explanation.resume, len(flat.words))
                    flat = flat.part(0, explanation.resume)
                    shape = parse_shape(mode, flat.words)
            flat.nodes = ()
            if not isinstance(shape, SyntaxFailure):
                flat.nodes, flat.facts = shape.nodes, shape.facts
            parts.append(flat)
            if rest is None:
                return parts
            flat = rest

    def warn_of_nothing(self, flat: Flat) -> None:
        """Warn of a declaration without a name."""
        hint = "a name is missing before the ';'"
        self._report(Diagnostic(flat.token(0).span, "this declaration declares nothing", hint, severity="warning"))

    def _is_only_a_type(self, flat: Flat) -> bool:
        """Whether a declaration is a type and nothing else, which compilers take with a warning."""
        words = [word for word in flat.words if word not in STORAGE]
        if not words or not _go_together([word for word in words if word in SIMPLE_TYPES or word == TAG_BODY]):
            return False
        shape = parse_shape("type", words)
        if isinstance(shape, SyntaxFailure) or shape.nodes[0].type.kind != "TypeDecl":
            return False
        self.warn_of_nothing(flat)
        return True

    def _with_implicit_int(self, flat: Flat) -> Shape | None:
        """The trees of a declaration that names no type, as C90 had it and compilers still take it; else None."""
        words = flat.words
        at = 0
        while at < len(words) and (words[at] in STORAGE or words[at] in QUALIFIERS or words[at][0] == ATTRIBUTE):
            at += 1
        if at == len(words) or words[at] not in (PLAIN_NAME, "*", "("):
            return None
        shape = parse_shape("declaration", [*words[:at], "int", *words[at:]])
        if isinstance(shape, SyntaxFailure):
            return None
        token = flat.token(at)
        words.insert(at, "int")
        flat.origins.insert(at, flat.origins[at])
        message = f"the declaration of '{token.text}' names no type; compilers take it as int, later ones refuse it"
        self._report(Diagnostic(token.span, message, "write the type, or define the macro", severity="warning"))
        return shape


def declares_no_name(flat: Flat) -> bool:
    """Whether a declaration consists of specifiers only; most are those of a struct, union or enum with a body."""
    types = []
    for word in flat.words:
        if word == TAG_BODY or word in SIMPLE_TYPES:
            types.append(word)
        elif word[0] != ATTRIBUTE and word not in QUALIFIERS and word not in STORAGE:
            return False
    return bool(flat.words) and _go_together(types)


def _go_together(types: list[str]) -> bool:
    """Whether these words for types can stand in one declaration."""
    return not types or types == [TAG_BODY] or basic_type(types) is not None
