"""What comes out of preprocessing: tokens with their places, and the declarations of system headers as text."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import islice

from abigen.model.span import AbigenError, Span
from abigen.read.c.preprocessor.directives import Directives, PragmaLine, Run
from abigen.read.c.preprocessor.errors import Report
from abigen.read.c.preprocessor.expansion import Expander
from abigen.read.c.preprocessor.include_search import spelled
from abigen.read.c.preprocessor.lexemes import (
    LEXEMES,
    OPENING,
    WORDS,
    File,
    Lexeme,
    lexeme_of,
    lexemes_of,
    without_comments,
)
from abigen.read.c.unit import SystemText, Token

_DIGRAPHS = frozenset(("<:", ":>", "<%", "%>", "%:", "%:%:"))
_PRAGMA_OPERATORS = frozenset(("_Pragma", "__pragma"))
_ESCAPED = re.compile(r'\\([\\"])')
_EXPANDED_PRAGMAS = ("pack", "align", "scalar_storage_order")


class Cursor:
    """Where in the text reading has got to: what macro arguments are taken from."""

    def __init__(self, directives: Directives, expander: Expander, pragma: Callable[[PragmaLine], None]) -> None:
        """Begin without text.

        Args:
            directives: give the text.
            expander: whose place errors refer to.
            pragma: takes the pragmas that stand between arguments.
        """
        self._directives = directives
        self._expander = expander
        self._pragma = pragma
        self.run: Run | None = None
        self.position = 0

    def start(self, run: Run) -> None:
        """Go on with a stretch of text."""
        self.run = run
        self.position = run.start

    def opens(self) -> bool:
        """Whether `(` comes next; if so it has been taken. As for all compilers, a directive in between says no."""
        if self.run is None:
            return False
        match = OPENING.match(self.run.file.scan.text, self.position, self.run.end)
        if match is None:
            return False
        self.position = match.end()
        return True

    def take(self) -> Lexeme | None:
        """Take the next lexeme; None at the end of the file."""
        while self.run is not None:
            scan = self.run.file.scan
            match = LEXEMES.match(scan.text, self.position, self.run.end)
            kind = match.lastgroup if match else None
            if match is None or kind is None or kind == "end":
                self._advance()
                continue
            self.position = match.end()
            spelling = match[kind]
            start = match.end() - len(spelling)
            line, column = scan.place(start)
            return lexeme_of(kind, spelling, spaced=start > match.start(), line=line, column=column)
        return None

    def _advance(self) -> None:
        """Go on with the next stretch of the same file; stay at the end when there is none."""
        assert self.run is not None
        depth = self._directives.depth
        file = self.run.file
        while True:
            item = self._directives.next()
            if isinstance(item, PragmaLine) and item.file is file:
                self._pragma(item)
                continue
            if isinstance(item, Run) and item.file is file and self._directives.depth == depth:
                self.start(item)
                return
            if item is not None:
                self._directives.put_back(item)
            self.run = None
            return


class TokenOutput:
    """Expands the macros in the text between directives."""

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
        self._cursor = Cursor(directives, expander, self._pragma_line)
        self.tokens: list[Token] = []
        self.system_texts: list[SystemText] = []
        self.used: set[str] = set()
        """The macros that are invoked outside of system headers."""

    def run(self) -> None:
        """Take everything that there is."""
        while (item := self._directives.next()) is not None:
            if isinstance(item, PragmaLine):
                self._pragma_line(item)
            elif item.file.system:
                self._system_run(item)
            else:
                self._run(item)

    def _run(self, run: Run) -> None:
        """The tokens of a stretch of text."""
        cursor = self._cursor
        cursor.start(run)
        macros = self._macros
        append = self.tokens.append
        make = tuple.__new__  # what the constructor of a named tuple ends in
        while cursor.run is not None:
            before = len(self.tokens)
            file, _, end = cursor.run
            name = file.name
            text = file.scan.text
            starts = file.scan.line_starts
            line = bisect_right(starts, cursor.position)
            line_start = starts[line - 1]
            next_line = starts[line] if line < len(starts) else len(text) + 1
            for match in islice(LEXEMES.finditer(text, cursor.position, end), self._expander.budget.left + 1):
                kind = match.lastgroup or "other"
                spelling = match[kind]
                at = match.end() - len(spelling)
                while at >= next_line:
                    line_start = next_line
                    line += 1
                    next_line = starts[line] if line < len(starts) else len(text) + 1
                if kind == "id":
                    if spelling in macros or spelling in _PRAGMA_OPERATORS:
                        cursor.position = match.end()
                        self._invoke(Lexeme(kind, spelling, at > match.start(), False, line, at - line_start + 1), file)
                        break
                elif kind == "end":
                    cursor.run = None
                    break
                elif spelling in _DIGRAPHS or kind == "word":
                    kind, spelling = lexeme_of(kind, spelling, spaced=False)[:2]
                append(make(Token, (kind, spelling, name, line, at - line_start + 1, "", 0)))
            else:
                cursor.run = None
            self._expander.budget.spend(len(self.tokens) - before, "this header", file.span(cursor.position))

    def _invoke(self, name: Lexeme, file: File) -> None:
        """The tokens of a macro invocation, or of a pragma operator."""
        place = Span(file.name, name.line, name.column, len(name.text))
        self._expander.place = place
        self.used.add(name.text)
        try:
            lexemes = self._expander.expand([name], self._cursor) if name.text in self._macros else [name]
        except AbigenError as error:
            self._report.errors_of(error)
            return
        if any(each.text in _PRAGMA_OPERATORS and each.kind == "id" for each in lexemes):
            lexemes = self._with_pragmas(lexemes, file)
        for kind, text, _, _, line, column in lexemes:
            if line:
                macro = name.text if (line, column) != (place.line, place.column) else ""
                self.tokens.append(Token(kind, text, file.name, line, column, macro))
            else:
                self.tokens.append(Token(kind, text, file.name, place.line, place.column, name.text, place.length))

    def _with_pragmas(self, lexemes: Sequence[Lexeme], file: File) -> list[Lexeme]:
        """Lexemes with `_Pragma("...")` (C 6.10.9) and `__pragma(...)` as one lexeme of kind `pragma`."""
        result: list[Lexeme] = []
        waiting = list(reversed(lexemes))

        def take() -> Lexeme | None:
            return waiting.pop() if waiting else self._cursor.take()

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
        text = self._pragma_text(pragma.text)
        if file.system:
            self._add_system_text(file.name, line, f"#pragma {text}\n")
        else:
            self.tokens.append(Token("pragma", text, file.name, line, column))

    def _system_run(self, run: Run) -> None:
        """The text of a stretch of a system header, macros expanded and comments gone."""
        cursor = self._cursor
        cursor.start(run)
        macros = self._macros
        parts: list[str] = []
        line = run.file.scan.place(run.start)[0]
        while cursor.run is not None:
            file, _, end = cursor.run
            text = file.scan.text
            start = cursor.position
            for match in WORDS.finditer(text, start, end):
                if match["id"] is None:
                    continue
                word = match["id"]
                if word in macros or word in _PRAGMA_OPERATORS:
                    parts.append(without_comments(text[start : match.start()]))
                    cursor.position = match.end()
                    parts.append(self._system_invocation(Lexeme("id", word), file, match))
                    break
            else:
                parts.append(without_comments(text[start:end]))
                break
        result = "".join(parts)
        if not result.isspace():
            self._add_system_text(run.file.name, line, result)

    def _add_system_text(self, file: str, line: int, text: str) -> None:
        """Add to the text of a system header; what stands between two includes stays in one lexeme."""
        if self.system_texts and self.system_texts[-1].file == file:
            before = self.system_texts[-1]
            reached = before.line + before.text.count("\n")
            if line >= reached:
                self.system_texts[-1] = before._replace(text=before.text + "\n" * (line - reached) + text)
                return
        self.system_texts.append(SystemText(file, line, text))

    def _system_invocation(self, name: Lexeme, file: File, match: re.Match[str]) -> str:
        """What stands for an invocation in a system header, with the line breaks that its arguments had."""
        self._expander.place = file.span(match.start())
        run = self._cursor.run
        try:
            lexemes: Sequence[Lexeme] = [name]
            if name.text in self._macros:
                lexemes = self._expander.expand([name], self._cursor)
            if any(each.text in _PRAGMA_OPERATORS and each.kind == "id" for each in lexemes):
                lexemes = self._with_pragmas(lexemes, file)
        except AbigenError as error:
            self._report.errors_of(error)
            return ""
        broken = ""
        if run is not None and self._cursor.run is run:
            broken = "\n" * file.scan.text.count("\n", match.end(), self._cursor.position)
        words = (f"\n#pragma {each.text}\n" if each.kind == "pragma" else each.text for each in lexemes)
        return f" {' '.join(words)} {broken}"
