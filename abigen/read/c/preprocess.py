"""Preprocessing: headers as their users wrote them become a `Unit`.

abigen preprocesses itself, so that every token, comment and macro has its true place, every error is found, and no
text of a header reaches another program. What it cannot know by itself (the predefined macros, the include path, which
attributes there are) the compiler is asked for; where there is none, or for a target that is not the compiler's, a
table of targets and abigen's own versions of the standard headers take its place.
"""

from __future__ import annotations

from collections.abc import Sequence

from abigen.model.span import Span
from abigen.model.target import Target
from abigen.read.c.compiler import compiler_environment
from abigen.read.c.conditional import Conditions
from abigen.read.c.emission import Emission, builtin_value, define_builtins
from abigen.read.c.environment import Environment, serves, stand_in_name, target_environment
from abigen.read.c.expand import Expander
from abigen.read.c.files import File, UnreadableError, scan_source
from abigen.read.c.inclusion import Inclusion
from abigen.read.c.macros import MacroTable
from abigen.read.c.scan import Piece, scan
from abigen.read.c.search import IncludePath, root_of
from abigen.read.c.trouble import Budget, Report
from abigen.read.c.unit import Comment, Unit
from abigen.read.c.walk import Walk
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
        AbigenError: with everything that is wrong with the headers: a missing include, an `#error`, a conditional that
            is not closed, ...
    """
    return _Reading(sources, options, _environment(options, target)).unit()


def _environment(options: ReadOptions, target: Target) -> Environment:
    """The compiler's environment if it compiles for the target, else that of the target's table."""
    asked = compiler_environment(options.cc, options.std, cache=options.cache)
    if asked is not None and serves(asked, target):
        return asked
    return target_environment(target, options.std, asked)


class _Reading:
    """One call of `preprocess`."""

    def __init__(self, sources: Sequence[SourceFile], options: ReadOptions, environment: Environment) -> None:
        self._environment = environment
        self._options = options
        self._report = Report()
        self._sources: list[File] = []
        roots = [root_of(source.path) for source in sources] + [directory for directory, _ in options.aliases]
        self._path = IncludePath(
            options.include_dirs, environment.system_dirs, roots, ignores_case=environment.ignores_case
        )
        budget = Budget()
        self._macros = MacroTable()
        self._inclusion = Inclusion(self._path, self._report, self._display_name, environment)
        self._count = 0
        self._expander = Expander(self._macros, budget, self._builtin)
        self._conditions = Conditions(self._macros, self._expander, environment.answers, self._inclusion, self._report)
        self._walk = Walk(self._macros, self._expander, self._conditions, self._inclusion, budget, self._report)
        self._emission = Emission(self._macros, self._walk, self._expander, budget, self._report)
        for source in sources:
            self._add(source)

    def unit(self) -> Unit:
        """Read everything."""
        define_builtins(self._macros)
        for name, lines in (("<built-in>", self._environment.macros), ("<command line>", self._command_line())):
            self._walk.open(File(name, "", scan(lines), own=False, system=True))
            self._emission.run()
        for file in self._sources:
            if file.real not in self._inclusion.entered:
                self._walk.open(file)
                self._emission.run()
        self._report.raise_errors()
        return self._made()

    def _add(self, source: SourceFile) -> None:
        try:
            file = File(source.name, source.path, scan_source(source), own=True, system=False)
        except UnreadableError as error:
            self._report.error(Span(source.name, 1, 1), str(error), error.hint)
            return
        if file.real not in self._inclusion.files:
            self._inclusion.know(file)
            self._sources.append(file)

    def _display_name(self, path: str) -> str:
        """abigen's own headers are called what they are included as."""
        return stand_in_name(path) or self._options.display_name(path)

    def _command_line(self) -> str:
        """`-D` and `-U` as directives."""
        lines = []
        for each in self._options.defines:
            name, equals, body = each.replace("\n", " ").partition("=")
            lines.append(f"#define {name} {body if equals else 1}\n")
        return "".join(lines) + "".join(f"#undef {each}\n" for each in self._options.undefines)

    def _builtin(self, name: str) -> Piece:
        place = self._expander.place or Span("<command line>", 1, 1)
        return builtin_value(name, place, self._next_number, self._walk.depth)

    def _next_number(self) -> int:
        self._count += 1
        return self._count - 1

    def _made(self) -> Unit:
        files = [file for file in self._inclusion.entered.values() if file.path]
        questions = self._conditions.asked | self._emission.used | self._walk.mentioned
        system = (macro.name for macro in self._macros.values() if macro.file and macro.file.path and macro.file.system)
        return Unit(
            tokens=tuple(self._emission.tokens),
            comments=tuple(comment for file in self._sources for comment in self._comments(file)),
            macros=tuple(macro.definition() for macro in self._macros.values()),
            own_files=tuple(file.name for file in self._sources),
            dependencies=tuple(file.path for file in files),
            diagnostics=self._report.warnings(),
            system_files=tuple(file.path for file in files if file.system),
            system_texts=tuple(self._emission.system_texts),
            questions=frozenset(questions),
            system_macros=frozenset(questions.intersection(system)),
            absent=tuple(self._path.absent),
            missing=tuple(self._inclusion.missing),
            compiler=self._environment.compiler,
        )

    def _comments(self, file: File) -> list[Comment]:
        """The comments of a file, without those in text that was left out."""
        skipped = iter(sorted(self._walk.skipped.get(file, ())))
        start, end = next(skipped, (len(file.scan.text), len(file.scan.text)))
        comments = []
        for first, last in file.scan.comments():
            while first >= end and end < len(file.scan.text):
                start, end = next(skipped, (len(file.scan.text), len(file.scan.text)))
            if start <= first < end:
                continue
            text = file.scan.text[first:last]
            before = file.scan.text[file.scan.text.rfind("\n", 0, first) + 1 : first]
            length = len(text.partition("\n")[0])
            end_line = file.scan.place(last - 1)[0]
            comments.append(Comment(text, file.span(first, length), end_line, bool(before.strip())))
        return comments
