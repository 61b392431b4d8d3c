"""Preprocesses a translation unit: tokens with places, macros, and the parts that conditions hide.

abigen preprocesses itself, so that every token, comment and macro has its true place, every error is found, and no
text of a header reaches another program. The compiler is asked for facts that abigen cannot know: predefined macros,
the include path, and the attributes that exist. Without a compiler, or for another target, a table of targets and
abigen's own versions of the standard headers replace its answers.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice

from msgspec.structs import replace

from abigen.headers.preprocessor.directives import Conditions, Directives, PragmaLine, Run
from abigen.headers.preprocessor.environment import Environment, serves, target_environment
from abigen.headers.preprocessor.expansion import MAX_ERRORS, Budget, ErrorCollector, Expander
from abigen.headers.preprocessor.include_search import Inclusion, spelled
from abigen.headers.preprocessor.lexemes import (
    LEXEMES,
    OPENING,
    STRAY,
    Directive,
    File,
    Lexeme,
    folded,
    lexeme_of,
    lexemes_of,
    scan,
)
from abigen.headers.preprocessor.macros import DefinedMacro, MacroTable, define_builtins
from abigen.headers.preprocessor.system_compiler import compiler_environment
from abigen.headers.unit import Comment, HiddenText, Token, Unit
from abigen.model.span import AbigenError, HiddenPart, Span
from abigen.model.target import Target
from abigen.workspace.files import digest, root_of
from abigen.workspace.options import ReadOptions, SourceFile

_DIGRAPHS = frozenset(("<:", ":>", "<%", "%>", "%:", "%:%:"))
_PRAGMA_OPERATORS = frozenset(("_Pragma", "__pragma"))
_ESCAPED = re.compile(r'\\([\\"])')
_EXPANDED_PRAGMAS = ("pack", "align", "scalar_storage_order")


class TokenOutput:
    """Expands the macros in the text between directives, and gives the expander what stands behind an invocation."""

    def __init__(self, directives: Directives, expander: Expander, report: ErrorCollector) -> None:
        """Begin with nothing.

        Args:
            directives: give the text, and change the definitions.
            expander: expands by the same definitions.
            report: where errors go.
        """
        self._macros = expander.macros
        self._directives = directives
        self._expander = expander
        self._report = report
        self._stretch: Run | None = None
        """The text that is being read; it starts at the current position."""
        self.tokens: list[Token] = []
        self.system_tokens: list[Token] = []
        """The tokens of system headers."""
        self.used: set[str] = set()
        """The macros that are invoked outside of system headers."""

    def run(self) -> None:
        """Take everything that there is."""
        while (item := self._directives.next()) is not None:
            if isinstance(item, PragmaLine):
                self._pragma_line(item)
            else:
                self._run(item)

    def opens(self) -> bool:
        """True if `(` comes next; if so it has been taken. As for all compilers, a directive in between says no."""
        if self._stretch is None:
            return False
        match = OPENING.match(self._stretch.file.scan.text, *self._stretch[1:])
        if match is None:
            return False
        self._stretch = self._stretch._replace(start=match.end())
        return True

    def take(self) -> Lexeme | None:
        """Take the next lexeme; None at the end of the file."""
        while self._stretch is not None:
            scan = self._stretch.file.scan
            match = LEXEMES.match(scan.text, *self._stretch[1:])
            kind = match.lastgroup if match else None
            if match is None or kind is None or kind == "end":
                self._advance()
                continue
            self._stretch = self._stretch._replace(start=match.end())
            spelling = match[kind]
            start = match.end() - len(spelling)
            line, column = scan.place(start)
            return lexeme_of(kind, spelling, spaced=start > match.start(), line=line, column=column)
        return None

    def _advance(self) -> None:
        """Go on with the next stretch of the same file; stay at the end when there is none."""
        assert self._stretch is not None
        depth = self._directives.depth
        file = self._stretch.file
        while isinstance(item := self._directives.next(), PragmaLine) and item.file is file:
            self._pragma_line(item)
        self._stretch = None
        if isinstance(item, Run) and item.file is file and self._directives.depth == depth:
            self._stretch = item
        elif item is not None:
            self._directives.put_back(item)

    def _run(self, run: Run) -> None:
        """The tokens of a stretch of text."""
        self._stretch = run
        macros = self._macros
        tokens = self._tokens_of(run.file)
        append = tokens.append
        while self._stretch is not None:
            before = len(tokens)
            file, start, end = self._stretch
            name = file.name
            text = file.scan.text
            starts = file.scan.line_starts
            line = bisect_right(starts, start)
            line_start = starts[line - 1]
            next_line = starts[line] if line < len(starts) else len(text) + 1
            most = None if file.system else self._expander.budget.left + 1
            for match in islice(LEXEMES.finditer(text, start, end), most):
                kind = match.lastgroup or "other"
                spelling = match[kind]
                at = match.end() - len(spelling)
                while at >= next_line:
                    line_start = next_line
                    line += 1
                    next_line = starts[line] if line < len(starts) else len(text) + 1
                if kind == "id":
                    if spelling in macros or spelling in _PRAGMA_OPERATORS:
                        self._stretch = Run(file, match.end(), end)
                        self._invoke(Lexeme(kind, spelling, at > match.start(), False, line, at - line_start + 1), file)
                        break
                elif kind == "end":
                    self._stretch = None
                    break
                elif spelling in _DIGRAPHS or kind == "word":
                    kind, spelling = lexeme_of(kind, spelling, spaced=False)[:2]
                append(Token(kind, spelling, name, line, at - line_start + 1))
            else:
                self._stretch = None
            if not file.system:
                place = tokens[-1].span if len(tokens) > before else None
                self._expander.budget.spend(len(tokens) - before, "this header", place)

    def _tokens_of(self, file: File) -> list[Token]:
        """Return the list that receives the tokens of a file."""
        return self.system_tokens if file.system else self.tokens

    def _invoke(self, name: Lexeme, file: File) -> None:
        """The tokens of a macro invocation, or of a pragma operator."""
        place = Span(file.name, name.line, name.column, len(name.text))
        self._expander.place = place
        if not file.system:
            self.used.add(name.text)
        tokens = self._tokens_of(file)
        try:
            lexemes = self._expander.expand([name], self) if name.text in self._macros else [name]
        except AbigenError as error:
            self._report.errors_of(error)
            return
        if any(each.text in _PRAGMA_OPERATORS and each.kind == "id" for each in lexemes):
            lexemes = self._with_pragmas(lexemes, file)
        for kind, text, _, _, line, column in lexemes:
            if line:
                macro = name.text if (line, column) != (place.line, place.column) else ""
                tokens.append(Token(kind, text, file.name, line, column, macro))
            else:
                tokens.append(Token(kind, text, file.name, place.line, place.column, name.text, place.length))

    def _with_pragmas(self, lexemes: Sequence[Lexeme], file: File) -> list[Lexeme]:
        """Lexemes with `_Pragma("...")` (C 6.10.9) and `__pragma(...)` as one lexeme of kind `pragma`."""
        result: list[Lexeme] = []
        waiting = list(reversed(lexemes))

        def take() -> Lexeme | None:
            return waiting.pop() if waiting else self.take()

        while waiting:
            name = waiting.pop()
            if name.kind != "id" or name.text not in _PRAGMA_OPERATORS:
                result.append(name)
                continue
            opening = take()
            operand: list[Lexeme] = []
            depth = 0
            while opening is not None and opening.text == "(":
                each = take()
                depth += (each is not None and each.text == "(") - (each is not None and each.text == ")")
                if each is None or depth < 0:
                    break
                operand.append(each)
            text = spelled(operand)
            if name.text == "_Pragma":
                text = _ESCAPED.sub(r"\1", text[text.find('"') + 1 : -1])
            if not operand:
                self._report.error(self._expander.place, f"{name.text} takes a pragma in parentheses")
            elif not self._directives.obey(text, file):
                result.append(Lexeme("pragma", self._pragma_text(text)))
        return result

    def _pragma_text(self, text: str) -> str:
        """Return a pragma with macros expanded, where compilers do that."""
        if text.startswith(_EXPANDED_PRAGMAS):
            return spelled(self._expander.expand(lexemes_of(text)))
        return text

    def _pragma_line(self, pragma: PragmaLine) -> None:
        file = pragma.file
        line, column = file.scan.place(pragma.offset)
        self._expander.place = Span(file.name, line, column, len("#pragma"))
        self._tokens_of(file).append(Token("pragma", self._pragma_text(pragma.text), file.name, line, column))


_LINKAGE = frozenset(("extern", '"C"', "{", "}", ";"))
_NO_MACROS = ("defined", "true", "false")
_SAYING = ("define", "undef", "include")
"""Directives that say something of an API where they are read."""
_LONGEST = 60
"""Characters of a condition that reports show."""


def hidden_texts(skipped: Mapping[File, Sequence[tuple[int, int]]]) -> Iterator[HiddenText]:
    """Yield the text that one target does not read, definitions and includes too; what nobody ever reads is left out.

    Args:
        skipped: the offsets between which text was skipped, by file.
    """
    for file, found in skipped.items():
        text = file.scan.text
        ranges = sorted(found)
        directives = file.scan.directives
        ends = [*(each.start for each in directives[1:]), len(text)]
        groups: list[list[Directive]] = []
        for directive, end in zip(directives, ends, strict=True):
            _follow(directive, groups)
            says = directive.name in _SAYING
            start = directive.sign if says else directive.end
            index = bisect_right(ranges, (start, len(text))) - 1
            if index < 0 or end > ranges[index][1] or not text[start:end].strip():
                continue
            hiding = [group for group in groups if group[-1].end >= ranges[index][0]]
            if hiding and not any(_never_holds(file, group) for group in hiding):
                place = file.span(hiding[0][-1].sign)
                first, last = (file.scan.place(offset)[0] for offset in (start, end))
                lines = range(first if says else first + 1, last + 1)
                yield HiddenText(place, _shown(file, hiding[0]), lines, text[start:end])


def hidden_on_all(units: Sequence[Unit], read: Collection[HiddenText]) -> tuple[HiddenPart, ...]:
    """Return the declarations that no target reads, by the innermost condition that hides them on some target.

    Args:
        units: the same files, preprocessed for each target.
        read: what is understood although it is hidden.
    """
    tables = [{(each.place.file, each.lines): each for each in unit.hidden} for unit in units]
    keys = [key for key, each in tables[0].items() if each not in read and all(key in table for table in tables[1:])]
    if not keys:
        return ()
    files = {file for file, _ in keys}
    # A file that is included twice may be read at other conditions the second time.
    hidden = {line for _, lines in keys for line in lines}
    tokens = (token for unit in units for token in unit.tokens if token.line in hidden and token.file in files)
    lines_read = {(token.file, token.line) for token in tokens}
    parts: dict[HiddenText, list[str]] = {}
    declaring: set[HiddenText] = set()
    for file, lines in keys:
        if not any((file, line) in lines_read for line in lines):
            inner = max((table[file, lines] for table in tables), key=lambda each: each.place)
            spellings = [lexeme.text for lexeme in lexemes_of(inner.text)]
            head = replace(inner, lines=range(0), text="")
            parts.setdefault(head, []).extend(spellings)
            if not inner.text.startswith("#") and not _LINKAGE.issuperset(spellings):
                declaring.add(head)
    return tuple(
        HiddenPart(
            head.place,
            head.condition,
            digest([each.encode("utf-8", "surrogateescape") for each in spellings]),
            head in declaring,
        )
        for head, spellings in parts.items()
        if not _LINKAGE.issuperset(spellings)
    )


def _follow(directive: Directive, groups: list[list[Directive]]) -> None:
    """Keep the conditionals that are open behind a directive, each with all of its conditions so far."""
    if directive.name in ("if", "ifdef", "ifndef"):
        groups.append([directive])
    elif directive.following == STRAY:
        return
    elif directive.name == "endif":
        groups.pop()
    elif directive.name in ("elif", "elifdef", "elifndef", "else"):
        groups[-1].append(directive)


def _never_holds(file: File, group: Sequence[Directive]) -> bool:
    """True if no definition can make a compiler read the last part of a conditional."""
    is_else = group[-1].name == "else"
    asked = [lexemes_of(file.scan.text, each.rest, each.end) for each in (group if is_else else group[-1:])]
    return {each.text for lexemes in asked for each in lexemes if each.kind == "id"}.issubset(_NO_MACROS)


def _shown(file: File, group: Sequence[Directive]) -> str:
    """Return the condition of the last part of a conditional."""
    is_else = group[-1].name == "else"
    asked = group[0] if is_else else group[-1]
    condition = folded(file.scan.text[asked.sign : asked.end])
    shown = condition if len(condition) <= _LONGEST else f"{condition[:_LONGEST]} ..."
    return f"#else of {shown}" if is_else else shown


PREINCLUDED = "<preinclude>"
"""The name in spans of the file with the #includes that `--preinclude` asks for."""


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
    """Return the compiler's environment if it compiles for the target, else that of the target's table."""
    asked = compiler_environment(options)
    if asked is not None and serves(asked, target):
        return asked
    return target_environment(target, options.std, asked, options.files)


class _Reading:
    """A call of `preprocess`."""

    def __init__(self, sources: Sequence[SourceFile], options: ReadOptions, environment: Environment) -> None:
        files = options.files
        roots = [root_of(source.path, files) for source in sources] + [directory for directory, _ in options.aliases]
        self._environment = environment
        self._options = options
        self._report = ErrorCollector(MAX_ERRORS * len(sources))
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
        return self._unit_of_output()

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

    def _unit_of_output(self) -> Unit:
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
        """Yield the comments of a file, without those in text that was left out."""
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
