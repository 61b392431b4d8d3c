"""Preprocessing: headers as their users wrote them become a `Unit`.

abigen preprocesses itself, so that every token, comment and macro has its true place, every error is found, and no
text of a header reaches another program. What it cannot know by itself (the predefined macros, the include path, which
attributes there are) the compiler is asked for; where there is none, or for a target that is not the compiler's, a
table of targets and abigen's own versions of the standard headers take its place.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence

from abigen.links import root_of
from abigen.model.target import Target
from abigen.read.c.preprocessor.directives import Conditions, Directives
from abigen.read.c.preprocessor.environment import Environment, serves, target_environment
from abigen.read.c.preprocessor.errors import MAX_ERRORS, Budget, Report
from abigen.read.c.preprocessor.expansion import Expander
from abigen.read.c.preprocessor.hidden import hidden_texts
from abigen.read.c.preprocessor.include_search import Inclusion
from abigen.read.c.preprocessor.lexemes import File, scan
from abigen.read.c.preprocessor.macros import DefinedMacro, MacroTable, define_builtins
from abigen.read.c.preprocessor.output import TokenOutput
from abigen.read.c.preprocessor.system_compiler import compiler_environment
from abigen.read.c.unit import Comment, Unit
from abigen.read.options import ReadOptions, SourceFile

PREINCLUDED = "<preinclude>"
"""What spans call the file of the #includes that `--preinclude` stands for."""


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
        AbigenError: with everything that is wrong with the headers: a missing include, an `#error`, a conditional that
            is not closed, ...; less of it when reading was given up, because of too many errors or too much work.
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
        files = options.files
        roots = [root_of(source.path, files) for source in sources] + [directory for directory, _ in options.aliases]
        self._environment = environment
        self._options = options
        self._report = Report(MAX_ERRORS * len(sources))
        self._macros = MacroTable()
        expander = Expander(self._macros, Budget())
        self._inclusion = Inclusion(self._report, options, environment, roots)
        self._conditions = Conditions(expander, environment.answers, self._inclusion)
        self._directives = Directives(expander, self._conditions, self._inclusion)
        self._output = TokenOutput(self._directives, expander, self._report)
        added = [(source, file) for source in sources if (file := self._inclusion.add_source(source))]
        self._sources = [file for _, file in added]
        self._alone = [file for source, file in added if not source.is_part]

    def unit(self) -> Unit:
        """Read everything."""
        for name, parameters, body in self._environment.macros:
            self._macros[name] = DefinedMacro(name, parameters, body)
        define_builtins(self._macros)
        self._read(File("<command line>", "", scan(self._command_line()), "", own=False, system=True))
        first = "".join(f'#include "{each}"\n' for each in self._options.preincludes)
        self._read(File(PREINCLUDED, "", scan(first), "", own=False, system=False))
        for file in self._alone:
            if file.real not in self._inclusion.entered:
                self._read(file)
        self._report.raise_errors()
        return self._made()

    def _read(self, file: File) -> None:
        """Read a file, and whatever it includes."""
        self._directives.open(file)
        self._output.run()

    def _command_line(self) -> str:
        """`-D` and `-U` as directives."""
        lines = []
        for each in self._options.defines:
            name, equals, body = each.replace("\n", " ").partition("=")
            lines.append(f"#define {name} {body if equals else 1}\n")
        return "".join(lines) + "".join(f"#undef {each}\n" for each in self._options.undefines)

    def _made(self) -> Unit:
        files = [file for file in self._inclusion.entered.values() if file.path]
        macros = self._macros.values()
        questions = self._conditions.asked | self._output.used | self._directives.mentioned
        system = [macro.name for macro in macros if macro.file and macro.file.path and macro.file.system]
        return Unit(
            tokens=tuple(self._output.tokens),
            comments=tuple(comment for file in self._sources for comment in self._comments(file)),
            macros=tuple(macro.definition() for macro in macros),
            own_files=tuple(file.name for file in self._sources),
            dependencies=tuple(file.path for file in files),
            diagnostics=self._report.warnings(),
            system_files=tuple(file.path for file in files if file.system),
            system_tokens=tuple(self._output.system_tokens),
            questions=frozenset(questions),
            system_macros=frozenset(each for each in system if not questions.isdisjoint((each, f"defined {each}"))),
            included=tuple(self._inclusion.included.values()),
            missing=tuple(self._inclusion.missing),
            hidden=tuple(hidden_texts(self._directives.skipped)),
            compiler=self._environment.compiler,
        )

    def _comments(self, file: File) -> Iterator[Comment]:
        """The comments of a file, without those in text that was left out."""
        text = file.scan.text
        starts = file.scan.line_starts
        left_out = iter([*sorted(self._directives.skipped.get(file, ())), (len(text), len(text))])
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
