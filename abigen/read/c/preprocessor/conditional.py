"""Whether the condition of an `#if` holds, with `defined`, `__has_include` and their like."""

from __future__ import annotations

import re
from collections.abc import Sequence

from abigen.model.span import AbigenError
from abigen.read.c.preprocessor.condition import ConditionError, evaluate
from abigen.read.c.preprocessor.expand import Expander, Operators, Supply
from abigen.read.c.preprocessor.features import HEADER_OPERATORS, Answers
from abigen.read.c.preprocessor.files import File
from abigen.read.c.preprocessor.inclusion import Inclusion, spelled
from abigen.read.c.preprocessor.macros import MacroTable
from abigen.read.c.preprocessor.scan import LEXEMES, Directive, Piece, pieces_of
from abigen.read.c.preprocessor.trouble import Budget, Report

_DECORATED = r"(?:gnu::|clang::)?__(\w+)__|(?:gnu::|clang::)?(\w+)"


class Conditions:
    """Judges conditions by the definitions in force and by what the compiler says about itself."""

    def __init__(
        self,
        macros: MacroTable,
        expander: Expander,
        answers: Answers,
        inclusion: Inclusion,
        budget: Budget,
        report: Report,
    ) -> None:
        """Judge by these.

        Args:
            macros: the definitions in force.
            expander: expands by the same definitions.
            answers: what the compiler says about itself.
            inclusion: knows which files can be included.
            budget: what judging may cost.
            report: where errors go.
        """
        self._macros = macros
        self._expander = expander
        self._answers = answers
        self._inclusion = inclusion
        self._budget = budget
        self._report = report
        self._file: File | None = None
        self._operators: Operators = {"defined": self._defined} | dict.fromkeys(answers, self._has)
        self.asked: set[str] = set()
        """The names in the conditions of files other than the system's."""

    def holds(self, file: File, directive: Directive) -> bool:
        """Whether the part of a group that a directive begins is to be read, if none before it was.

        Args:
            file: where the directive stands.
            directive: `#if`, `#ifdef`, `#ifndef`, `#elif`, `#elifdef`, `#elifndef` or `#else`.
        """
        name = directive.name
        if name == "else":
            return True
        if name in ("ifdef", "elifdef", "ifndef", "elifndef"):
            return self._has_definition(file, directive) != name.endswith("ndef")
        if directive.memo is None:
            directive.memo = tuple(pieces_of(file.scan.text, directive.rest, directive.end))
        pieces: Sequence[Piece] = directive.memo  # type: ignore[assignment]
        if not file.system:
            self.asked.update(piece.text for piece in pieces if piece.kind == "id")
        place = file.span(directive.sign, directive.rest - directive.sign)
        self._budget.spend(len(pieces), f"#{name}", place)
        self._expander.place = place
        self._file = file
        try:
            return evaluate(self._expander.expand_condition(pieces, self._operators))
        except ConditionError as error:
            self._report.error(place, f"#{name}: {error}")
        except AbigenError as error:
            self._report.errors_of(error)
        return False

    def _has_definition(self, file: File, directive: Directive) -> bool:
        """Whether the name behind `#ifdef` or `#ifndef` is defined."""
        match = LEXEMES.match(file.scan.text, directive.rest, directive.end)
        name = (match["id"] if match else None) or ""
        if not name:
            place = file.span(directive.sign, directive.rest - directive.sign)
            self._report.error(place, f"#{directive.name} without a name")
        elif not file.system:
            self.asked.add(name)
        return self._is_defined(name)

    def _is_defined(self, name: str) -> bool:
        return name in self._macros or name in self._answers

    def _defined(self, name: str, operand: Supply) -> Piece:
        """`defined X` and `defined(X)`."""
        in_parentheses = operand.opens()
        piece = operand.take()
        if piece is None or piece.kind != "id":
            raise ConditionError(f"'{name}' without a name")
        if in_parentheses:
            closing = operand.take()
            if closing is None or closing.text != ")":
                raise ConditionError(f"')' is missing behind '{name}'")
        return Piece("number", str(int(self._is_defined(piece.text))))

    def _has(self, name: str, operand: Supply) -> Piece:
        """`__has_include(...)`, `__has_attribute(...)` and their like."""
        if not operand.opens():
            raise ConditionError(f"'(' is missing behind '{name}'")
        pieces: list[Piece] = []
        depth = 0
        while True:
            piece = operand.take()
            if piece is None:
                raise ConditionError(f"')' is missing behind '{name}'")
            depth += (piece.text == "(") - (piece.text == ")")
            if depth < 0:
                break
            pieces.append(piece)
        if name not in HEADER_OPERATORS:
            match = re.fullmatch(_DECORATED, "".join(piece.text for piece in pieces))
            asked = (match[1] or match[2]) if match else ""
            return Piece("number", str(self._answers[name].get(asked, 0)))
        if pieces and pieces[0].kind == "id":
            pieces = self._expander.expand(pieces)
        assert self._file is not None
        return Piece(
            "number", str(int(self._inclusion.exists(spelled(pieces), self._file, is_next=name.endswith("next"))))
        )
