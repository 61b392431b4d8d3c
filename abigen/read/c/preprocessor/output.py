"""What comes out of preprocessing: tokens with their places, those of system headers apart."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import islice

from abigen.model.span import AbigenError, Span
from abigen.read.c.preprocessor.directives import Directives, PragmaLine, Run
from abigen.read.c.preprocessor.errors import Report
from abigen.read.c.preprocessor.expansion import Expander
from abigen.read.c.preprocessor.include_search import spelled
from abigen.read.c.preprocessor.lexemes import (
    LEXEMES,
    OPENING,
    File,
    Lexeme,
    lexeme_of,
    lexemes_of,
)
from abigen.read.c.unit import Token

_DIGRAPHS = frozenset(("<:", ":>", "<%", "%>", "%:", "%:%:"))
_PRAGMA_OPERATORS = frozenset(("_Pragma", "__pragma"))
_ESCAPED = re.compile(r'\\([\\"])')
_EXPANDED_PRAGMAS = ("pack", "align", "scalar_storage_order")


class TokenOutput:
    """Expands the macros in the text between directives, and gives the expander what stands behind an invocation."""

    def __init__(self, directives: Directives, expander: Expander, report: Report) -> None:
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
        """What is being read; it starts where reading has got to."""
        self.tokens: list[Token] = []
        self.system_tokens: list[Token] = []
        """Those of system headers."""
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
        """Whether `(` comes next; if so it has been taken. As for all compilers, a directive in between says no."""
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
        """Where the tokens of a file go."""
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
        """A pragma with macros expanded, where compilers do that."""
        if text.startswith(_EXPANDED_PRAGMAS):
            return spelled(self._expander.expand(lexemes_of(text)))
        return text

    def _pragma_line(self, pragma: PragmaLine) -> None:
        file = pragma.file
        line, column = file.scan.place(pragma.offset)
        self._expander.place = Span(file.name, line, column, len("#pragma"))
        self._tokens_of(file).append(Token("pragma", self._pragma_text(pragma.text), file.name, line, column))
