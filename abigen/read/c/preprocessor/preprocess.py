"""Preprocessing: headers as their users wrote them become a `Unit`.

abigen preprocesses itself, so that every token, comment and macro has its true place, every error is found, and no
text of a header reaches another program. What it cannot know by itself (the predefined macros, the include path, which
attributes there are) the compiler is asked for; where there is none, or for a target that is not the compiler's, a
table of targets and abigen's own versions of the standard headers take its place.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import count

from abigen.model.span import Span
from abigen.model.target import Target
from abigen.read.c.preprocessor.builtin_macros import define_builtins
from abigen.read.c.preprocessor.compiler import compiler_environment
from abigen.read.c.preprocessor.engine import Engine, Surroundings
from abigen.read.c.preprocessor.environment import Environment, serves, target_environment
from abigen.read.c.preprocessor.files import File, UnreadableError, scan_source
from abigen.read.c.preprocessor.inclusion import Inclusion
from abigen.read.c.preprocessor.macros import Macro, MacroTable
from abigen.read.c.preprocessor.scan import scan
from abigen.read.c.preprocessor.search import IncludePath, root_of
from abigen.read.c.preprocessor.trouble import Budget, PreprocessingError, Report
from abigen.read.c.unit import Comment, Unit
from abigen.read.options import ReadOptions, SourceFile


def preprocess(sources: Sequence[SourceFile], options: ReadOptions, target: Target) -> Unit:
    """Preprocess headers, one after the other, as one translation unit.

    A source that an earlier one has included is not read again. Sources are read as they are given, not as they stand
    on disk, also where they include each other.

    Args:
        sources: the API's own headers.
        options: include directories, macros, the standard, and the compiler to ask.
        target: as whose compiler the headers are read.

    Returns:
        The unit; its diagnostics are warnings.

    Raises:
        PreprocessingError: with everything that is wrong with the headers: a missing include, an `#error`, a
            conditional that is not closed, ...
        AbigenError: reading was given up, because of too many errors or too much work.
    """
    return _Reading(sources, options, _environment(options, target)).unit()


def _environment(options: ReadOptions, target: Target) -> Environment:
    """The compiler's environment if it compiles for the target, else that of the target's table."""
    asked = compiler_environment(options)
    if asked is not None and serves(asked, target):
        return asked
    return target_environment(target, options.std, asked, options.files)


class _Reading:
    """One call of `preprocess`."""

    def __init__(self, sources: Sequence[SourceFile], options: ReadOptions, environment: Environment) -> None:
        self._environment = environment
        self._options = options
        self._report = Report()
        self._sources: list[File] = []
        roots = [root_of(source.path, options.files) for source in sources] + [
            directory for directory, _ in options.aliases
        ]
        self._path = IncludePath(
            options.include_dirs,
            environment.system_dirs,
            roots,
            options.files,
            ignores_case=environment.ignores_case,
        )
        self._inclusion = Inclusion(self._path, self._report, options, environment)
        self._surroundings = Surroundings(environment.answers, self._inclusion, Budget(), self._report, count())
        self._engine = Engine(self._surroundings, MacroTable())
        for source in sources:
            self._add(source)

    def unit(self) -> Unit:
        """Read everything."""
        for name, parameters, body in self._environment.macros:
            self._engine.macros[name] = Macro(name, parameters, body)
        define_builtins(self._engine.macros)
        self._engine.read(File("<command line>", "", scan(self._command_line()), "", own=False, system=True))
        for file in self._sources:
            if file.real not in self._inclusion.entered:
                self._engine.read(file)
        unit = self._made()
        errors = self._report.errors()
        if errors:
            raise PreprocessingError(errors, unit)
        return unit

    def _add(self, source: SourceFile) -> None:
        try:
            real = self._options.files.real(source.path)
            file = File(source.name, source.path, scan_source(source), real, own=True, system=False)
        except UnreadableError as error:
            self._report.error(Span(source.name, *error.place), str(error), error.hint)
            return
        if file.real not in self._inclusion.files:
            self._inclusion.know(file)
            self._sources.append(file)

    def _command_line(self) -> str:
        """`-D` and `-U` as directives."""
        lines = []
        for each in self._options.defines:
            name, equals, body = each.replace("\n", " ").partition("=")
            lines.append(f"#define {name} {body if equals else 1}\n")
        return "".join(lines) + "".join(f"#undef {each}\n" for each in self._options.undefines)

    def _made(self) -> Unit:
        files = [file for file in self._inclusion.entered.values() if file.path]
        engine = self._engine
        questions = engine.questions()
        system = (
            macro.name for macro in engine.macros.values() if macro.file and macro.file.path and macro.file.system
        )
        return Unit(
            tokens=tuple(engine.emission.tokens),
            comments=tuple(comment for file in self._sources for comment in self._comments(file)),
            macros=tuple(macro.definition() for macro in engine.macros.values()),
            own_files=tuple(file.name for file in self._sources),
            dependencies=tuple(file.path for file in files),
            diagnostics=self._report.warnings(),
            system_files=tuple(file.path for file in files if file.system),
            system_texts=tuple(engine.emission.system_texts),
            questions=frozenset(questions),
            system_macros=frozenset(questions.intersection(system)),
            missing=tuple(self._inclusion.missing),
            compiler=self._environment.compiler,
        )

    def _comments(self, file: File) -> Iterator[Comment]:
        """The comments of a file, without those in text that was left out."""
        text = file.scan.text
        starts = file.scan.line_starts
        left_out = iter([*sorted(self._engine.walk.skipped.get(file, ())), (len(text), len(text))])
        start, end = next(left_out)
        line = 1
        for first, last in file.scan.comments():
            while first >= end:
                start, end = next(left_out)
            if first >= start:
                continue
            line = bisect_right(starts, first, line - 1)
            comment = text[first:last]
            end_line = bisect_right(starts, last - 1, line - 1) if "\n" in comment else line
            column = first - starts[line - 1] + 1
            trailing = not text[text.rfind("\n", 0, first) : first].isspace()
            yield Comment(comment, file.name, line, column, end_line, trailing)
