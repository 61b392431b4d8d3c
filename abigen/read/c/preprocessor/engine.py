"""The parts that preprocess text together, all working on one table of definitions."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count

from abigen.model.span import Span
from abigen.read.c.preprocessor.builtin_macros import builtin_value
from abigen.read.c.preprocessor.conditional import Conditions
from abigen.read.c.preprocessor.emission import Emission
from abigen.read.c.preprocessor.expand import Expander
from abigen.read.c.preprocessor.features import Answers
from abigen.read.c.preprocessor.files import File
from abigen.read.c.preprocessor.inclusion import Inclusion
from abigen.read.c.preprocessor.macros import MacroTable
from abigen.read.c.preprocessor.scan import Piece
from abigen.read.c.preprocessor.trouble import Budget, Report
from abigen.read.c.preprocessor.walk import Walk


@dataclass(frozen=True)
class Surroundings:
    """What all engines of one translation unit share."""

    answers: Answers
    inclusion: Inclusion
    budget: Budget
    report: Report
    counter: count[int]
    """Gives the values of `__COUNTER__`."""


class Engine:
    """Reads files one after the other; definitions and results accumulate."""

    def __init__(
        self,
        surroundings: Surroundings,
        macros: MacroTable,
    ) -> None:
        """Begin with nothing read.

        Args:
            surroundings: what is shared.
            macros: the definitions in force.
        """
        self.macros = macros
        self._surroundings = surroundings
        inclusion, budget, report = surroundings.inclusion, surroundings.budget, surroundings.report
        self._expander = Expander(macros, budget, self._builtin)
        self.conditions = Conditions(macros, self._expander, surroundings.answers, inclusion, budget, report)
        self.walk = Walk(macros, self._expander, self.conditions, inclusion, budget, report)
        self.emission = Emission(macros, self.walk, self._expander, budget, report)

    def read(self, file: File) -> None:
        """Read a file, and whatever it includes."""
        self.walk.open(file)
        self.emission.run()

    def questions(self) -> set[str]:
        """The names on which it depends what the user's files mean."""
        return self.conditions.asked | self.emission.used | self.walk.mentioned

    def _builtin(self, name: str) -> Piece:
        place = self._expander.place or Span("<command line>", 1, 1)
        return builtin_value(name, place, self._surroundings.counter, self.walk.depth)
