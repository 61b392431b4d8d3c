"""System headers: read apart from the user's files, and remembered between runs by what they depend on.

What a system header does to a translation unit follows from the files that it is made of and from the definitions
that it looks up. Both are recorded while it is read: a later run that finds the same files and the same definitions
takes the result, in a twentieth of the time.
"""

from __future__ import annotations

import marshal
import os
from typing import TypeVar

from abigen.read.c.preprocessor.engine import Engine, Surroundings
from abigen.read.c.preprocessor.files import NO_TEXT, File
from abigen.read.c.preprocessor.macros import Macro, MacroTable
from abigen.read.c.unit import SystemText
from abigen.read.cache import Cache
from abigen.read.evidence import absence_evidence, digest, executable_evidence

T = TypeVar("T")
_UNREPEATABLE = frozenset(("__COUNTER__", "__INCLUDE_LEVEL__", "__TIMESTAMP__"))

_Body = tuple[tuple[str, ...] | None, str]


class WatchedTable(MacroTable):
    """A copy of a table that notes which definitions of the original are looked up."""

    def __init__(self, original: MacroTable) -> None:
        """Begin with the definitions of another table."""
        super().__init__()
        self.update(original)
        self.original = original
        self.asked: set[object] = set()
        self.saved = original.saved

    def __contains__(self, name: object) -> bool:
        """Whether there is a definition; the question is noted."""
        self.asked.add(name)
        return dict.__contains__(self, name)

    def get(self, name: str, default: T = None) -> Macro | T:  # type: ignore[assignment]
        """A definition; the question is noted."""
        self.asked.add(name)
        return dict.get(self, name, default)

    def pop(self, name: str, default: T = None) -> Macro | T:  # type: ignore[assignment]
        """Take a definition away; that counts as a question."""
        self.asked.add(name)
        return dict.pop(self, name, default)

    def answers(self) -> tuple[list[str], dict[str, _Body]]:
        """The names that were looked up and are not defined in the original, and the definitions of those that are.

        A name that was defined here first counts too, since a definition that is there already could be contradicted.
        """
        missing, found = [], {}
        for name in self.asked:
            macro = self.original.get(str(name))
            if macro is None:
                missing.append(str(name))
            else:
                found[macro.name] = (macro.written_parameters, macro.body)
        return missing, found


class SystemHeaders:
    """Reads the system headers of one translation unit."""

    def __init__(self, surroundings: Surroundings, cache: Cache | None, environment: str) -> None:
        """Read for one unit.

        Args:
            surroundings: what all engines of the unit share.
            cache: where results are kept between runs; None to keep none.
            environment: a digest of all that is the same for the whole unit: predefined macros and include path.
        """
        self._surroundings = surroundings
        self._cache = cache
        self._environment = environment
        self._before: list[str] = []

    def read(self, file: File, engine: Engine) -> None:
        """Read a system header that one of the user's files includes.

        Args:
            file: the header.
            engine: reads the user's file; it gets the definitions and declarations.
        """
        inclusion = self._surroundings.inclusion
        key = ""
        if self._cache is not None:
            once = sorted(each for each in inclusion.once if inclusion.is_system(each))
            parts = (self._environment, file.path, str(file.found_in), *self._before, "", *once)
            key = digest(os.fsencode(part) for part in parts)
            self._before.append(file.path)
            kept = self._cache.get(key)
            if kept is not None and self._repeat(kept[0], engine):
                return
        known = set(inclusion.once)
        remarks = len(self._surroundings.report.diagnostics)
        with inclusion.path.recorded() as looked_at:
            watched = WatchedTable(engine.macros)
            reading = Engine(self._surroundings, watched, depth=engine.walk.depth)
            reading.read(file)
        if len(self._surroundings.report.diagnostics) == remarks and self._is_repeatable(watched, reading):
            self._keep(key, watched, reading, sorted(inclusion.once - known), looked_at)
        engine.take_over(reading)
        replace_definitions(engine.macros, watched)

    def _is_repeatable(self, watched: WatchedTable, reading: Engine) -> bool:
        """Whether all that a result rests on is recorded."""
        if self._cache is None or any(watched.saved.values()) or watched.asked & _UNREPEATABLE:
            return False
        return all(file.system for file in reading.walk.opened)

    def _keep(
        self,
        key: str,
        watched: WatchedTable,
        reading: Engine,
        once: list[str],
        looked_at: tuple[list[str], list[str]],
    ) -> None:
        """Keep a result."""
        assert self._cache is not None
        files = list(reading.walk.opened)
        numbers = {file: number for number, file in enumerate(files)}
        original = watched.original
        definitions = []
        for name, macro in watched.items():
            if original.get(name) is not macro:
                if macro.file not in numbers:
                    return
                definitions.append((*macro.definition(), numbers[macro.file]))
        gone = [name for name in original if not dict.__contains__(watched, name)]
        texts = [tuple(text) for text in reading.emission.system_texts]
        where = [(file.path, file.name, file.found_in) for file in files]
        found, absent = looked_at
        payload = marshal.dumps((*watched.answers(), definitions, gone, texts, where, once, absent))
        evidence = absence_evidence(absent)
        for path in (*found, *(file.path for file in files)):
            evidence |= executable_evidence(path)
        self._cache.put(key, payload, evidence)

    def _repeat(self, payload: bytes, engine: Engine) -> bool:
        """Do again what was done in an earlier run, unless it depends on a definition that is another one now."""
        missing, asked, definitions, gone, texts, where, once, absent = marshal.loads(payload)
        macros = engine.macros
        if not macros.keys().isdisjoint(missing):
            return False
        for name, body in asked.items():
            macro = macros.get(name)
            if macro is None or (macro.written_parameters, macro.body) != body:
                return False
        inclusion = self._surroundings.inclusion
        files = [File(name, path, NO_TEXT, own=False, system=True, found_in=number) for path, name, number in where]
        for file in files:
            inclusion.enter(file)
        inclusion.once.update(once)
        inclusion.path.absent.update(dict.fromkeys(absent))
        for name in gone:
            macros.pop(name, None)
        for name, parameters, text, _, line, column, number in definitions:
            macros.pop(name, None)
            macros[name] = Macro(name, parameters, text, files[number], (line, column))
        engine.emission.system_texts += [SystemText(*each) for each in texts]
        return True


def replace_definitions(macros: MacroTable, others: MacroTable) -> None:
    """Put the definitions of one table in force in another."""
    dict.clear(macros)
    macros.update(others)
    macros.saved = others.saved
