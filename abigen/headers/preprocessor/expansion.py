"""Expands macros (C17 6.10.3), and the errors that #error and expansion raise.

The standard leaves open whether a name is still nested in its own replacement (6.10.3.4 paragraph 4). Compilers agree
on one answer: a macro may be expanded again as soon as the last token of its replacement has been read. The stack of
contexts below gives that answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import Protocol

from abigen.headers.preprocessor.lexemes import Lexeme, lexemes_of
from abigen.headers.preprocessor.macros import BadDefinitionError, DefinedMacro, MacroTable, Part, builtin_value
from abigen.headers.unit import Token
from abigen.model.span import AbigenError, Diagnostic, Span

MAX_WORK = 1_000_000
"""Steps that one header may take besides those that its text allows. A step is a token, or a simple directive; what
costs more counts more."""
_STEPS_A_CHARACTER = 1
"""Steps that each character of a file allows when it is read for the first time: twice as many as usual text takes."""

MAX_ERRORS = 50
"""Errors in one header after which reading stops."""

_CHARACTERS_A_STEP = 8


class ExhaustedError(AbigenError):
    """Reading takes more work than any header is worth; there is no going on."""


class Budget:
    """The rest of the work that reading may take."""

    def __init__(self, work: int = MAX_WORK) -> None:
        """Begin with so many steps."""
        self.left = work
        self._all = work

    def allow(self, characters: int) -> None:
        """Allow more work for a file that is read for the first time, in proportion to its length in characters."""
        self.left += characters * _STEPS_A_CHARACTER
        self._all += characters * _STEPS_A_CHARACTER

    def spend(self, steps: int, what: str, place: Span | None, *, characters: int = 0) -> None:
        """Count work before it is done.

        Args:
            steps: how many.
            what: what they are spent on, the subject of the message.
            place: where it stands.
            characters: the length of text that is made besides.

        Raises:
            ExhaustedError: nothing is left.
        """
        self.left -= steps + characters // _CHARACTERS_A_STEP
        if self.left < 0:
            message = f"{what} takes more than {self._all:,} steps to preprocess"
            raise ExhaustedError.at(place, message, "is it the header that you mean?")


def _position(diagnostic: Diagnostic, order: Mapping[str, int]) -> tuple[int, int, int]:
    place = diagnostic.place
    return (order[place.file], place.line, place.column) if place else (-1, 0, 0)


class ErrorCollector:
    """Collects the errors so far, so that the user learns of all of them at once."""

    def __init__(self, most: int = MAX_ERRORS) -> None:
        """Begin with nothing wrong; with so many errors it is over."""
        self._most = most
        self.diagnostics: list[Diagnostic] = []
        self._errors = 0

    def error(self, place: Span | None, message: str, hint: str = "") -> None:
        """Note an error.

        Raises:
            AbigenError: there are too many.
        """
        self.diagnostics.append(Diagnostic(place, message, hint))
        self._errors += 1
        if self._errors >= self._most:
            self.raise_errors()

    def errors_of(self, error: AbigenError) -> None:
        """Note the errors that something has raised.

        Raises:
            AbigenError: there are too many, or there is no going on.
        """
        for each in error.diagnostics:
            self.error(each.place, each.message, each.hint)
        if isinstance(error, ExhaustedError):
            self.raise_errors()

    def warning(self, place: Span | None, message: str, hint: str = "") -> None:
        """Note something that can be read on without."""
        self.diagnostics.append(Diagnostic(place, message, hint, "warning"))

    def raise_errors(self) -> None:
        """Raise the errors that have been noted, if there are any."""
        if self._errors:
            raise AbigenError(self.errors())

    def errors(self) -> list[Diagnostic]:
        """Return the errors that have been noted, each once, file by file."""
        errors = dict.fromkeys(each for each in self.diagnostics if each.severity == "error")
        files = dict.fromkeys(each.place.file for each in errors if each.place)
        order = {file: number for number, file in enumerate(files)}
        return sorted(errors, key=lambda each: _position(each, order))

    def warnings(self) -> tuple[Diagnostic, ...]:
        """Return the warnings, each once."""
        return tuple(dict.fromkeys(each for each in self.diagnostics if each.severity != "error"))


MAX_DEPTH = 100
"""The nesting limit of invocations in the arguments of others."""

_EMPTY = Lexeme("", "")
_OMITTED: list[Lexeme] = []
"""The variable arguments when there are none at all: `, ## __VA_ARGS__` then leaves no comma, which it does for one
that is merely empty (GNU C)."""


class Supply(Protocol):
    """The text behind an invocation: an invocation may take its arguments from there."""

    def opens(self) -> bool:
        """True if `(` comes next; if so it has been taken."""

    def take(self) -> Lexeme | None:
        """Take the next lexeme; None at the end of the text."""


Operators = Mapping[str, Callable[[str, Supply], Lexeme]]
"""Names that are computed, as `defined` is behind `#if`, from what stands behind them unexpanded."""


class Rescan:
    """The tokens to expand: replacements, the innermost last, and behind them the text of a supply."""

    def __init__(
        self, lexemes: Sequence[Lexeme], supply: Supply | None = None, disabled: set[str] | None = None
    ) -> None:
        """Begin with some lexemes; `disabled` are the macros that are not expanded now."""
        self._supply = supply
        self._disabled: set[str] = set() if disabled is None else disabled
        self._waiting = [("", list(reversed(lexemes)))]

    def push(self, name: str, lexemes: Sequence[Lexeme]) -> None:
        """Go on with what stands for a macro, which is not expanded until that has been taken."""
        self._waiting.append((name, list(reversed(lexemes))))
        self._disabled.add(name)

    def next(self) -> Lexeme | None:
        """Take the next lexeme of what is being rescanned; None when all has been taken."""
        while self._waiting:
            name, lexemes = self._waiting[-1]
            if lexemes:
                return lexemes.pop()
            self._waiting.pop()
            self._disabled.discard(name)
        return None

    def opens(self) -> bool:
        """True if `(` comes next; if so it has been taken."""
        lexeme = self.next()
        if lexeme is None:
            return self._supply is not None and self._supply.opens()
        if lexeme.kind == "punct" and lexeme.text == "(":
            return True
        self._waiting[-1][1].append(lexeme)
        return False

    def take(self) -> Lexeme | None:
        """Take the next lexeme, of the supply at last; None at its end."""
        return self.next() or (self._supply.take() if self._supply is not None else None)


class Expander:
    """Expands invocations by the definitions in a table, which may change between calls."""

    def __init__(self, macros: MacroTable, budget: Budget) -> None:
        """Expand by these definitions.

        Args:
            macros: the definitions in force.
            budget: what expansion may cost.
        """
        self.macros = macros
        self.budget = budget
        self.include_depth = 0
        """The number of open files."""
        self._counter = count()
        self._disabled: set[str] = set()
        self._depth = 0
        self._operators: Operators = {}
        self.place: Span | None = None
        """The place of the invocation that is being expanded, which errors name."""

    def expand_condition(self, lexemes: Sequence[Lexeme], operators: Operators) -> list[Lexeme]:
        """Replace all macros behind `#if`.

        Args:
            lexemes: what stands there.
            operators: `defined` and its like; macros may expand to them, as they may with every compiler.

        Raises:
            AbigenError: an invocation does not fit its macro, or a bound is exceeded.
        """
        self._operators = operators
        try:
            return self.expand(lexemes)
        finally:
            self._operators = {}
            self._disabled.clear()
            self._depth = 0

    def expand(self, lexemes: Sequence[Lexeme], supply: Supply | None = None) -> list[Lexeme]:
        """Replace all macros in a run of lexemes.

        Args:
            lexemes: what to expand.
            supply: where the arguments are of a function-like macro whose name is the last lexeme.

        Returns:
            The lexemes that remain. Those that came from a macro's body have no place.

        Raises:
            AbigenError: an invocation does not fit its macro, or a bound is exceeded.
        """
        macros = self.macros
        disabled = self._disabled
        rescan = Rescan(lexemes, supply, disabled)
        result: list[Lexeme] = []
        while (lexeme := rescan.next()) is not None:
            macro = macros.get(lexeme.text) if lexeme.kind == "id" and not lexeme.blocked else None
            if macro is None:
                if lexeme.text in self._operators and lexeme.kind == "id":
                    lexeme = self._operators[lexeme.text](lexeme.text, rescan)
                result.append(lexeme)
            elif lexeme.text in disabled:
                result.append(lexeme._replace(blocked=True))
            elif macro.builtin:
                place = self.place or Span("<command line>", 1, 1)
                value = builtin_value(lexeme.text, place, self._counter, self.include_depth)
                result.append(value._replace(spaced=lexeme.spaced))
            elif macro.parameters is None or rescan.opens():
                arguments = [] if macro.parameters is None else self._arguments(macro, rescan)
                replacement = self._replacement(macro, arguments)
                self.budget.spend(len(replacement) + 1, f"macro '{macro.name}'", self.place)
                if replacement and replacement[0].spaced != lexeme.spaced:
                    replacement = [replacement[0]._replace(spaced=lexeme.spaced), *replacement[1:]]
                rescan.push(macro.name, replacement)
            else:
                result.append(lexeme)
        return result

    def _arguments(self, macro: DefinedMacro, rescan: Rescan) -> list[list[Lexeme]]:
        """Return the arguments behind an opening parenthesis that has been taken (C 6.10.3 paragraph 11)."""
        assert macro.parameters is not None
        wanted = len(macro.parameters)
        arguments: list[list[Lexeme]] = [[]]
        depth = 0
        count = 0
        while True:
            lexeme = rescan.take()
            if lexeme is None:
                raise self._error(f"the arguments of macro '{macro.name}' are not closed")
            count += 1
            if count % 1024 == 0:
                self.budget.spend(1024, f"macro '{macro.name}'", self.place)
            if lexeme.kind == "punct":
                if lexeme.text == "(":
                    depth += 1
                elif lexeme.text == ")":
                    if depth == 0:
                        break
                    depth -= 1
                elif lexeme.text == "," and depth == 0 and not (macro.variadic and len(arguments) == wanted):
                    arguments.append([])
                    continue
            elif lexeme.kind == "id" and lexeme.text in self._disabled:
                lexeme = lexeme._replace(blocked=True)
            arguments[-1].append(lexeme)
        if wanted == 0 and arguments == [[]]:
            return []
        if macro.variadic and len(arguments) == wanted - 1:
            arguments.append(_OMITTED)
        elif macro.variadic and arguments == [[]] and "__STRICT_ANSI__" not in self.macros:
            arguments = [_OMITTED]
        if len(arguments) != wanted:
            expected = (
                f"{wanted - 1} or more arguments" if macro.variadic else f"{wanted} argument{'s' * (wanted != 1)}"
            )
            raise self._error(f"macro '{macro.name}' takes {expected}, {len(arguments)} given")
        return arguments

    def _replacement(self, macro: DefinedMacro, arguments: list[list[Lexeme]]) -> Sequence[Lexeme]:
        """Return the replacement of a macro, or of an invocation of it."""
        if macro.plain is not None:
            return macro.plain
        try:
            return self._filled(macro.parts, macro, arguments, {})
        except BadDefinitionError as error:
            raise self._error(str(error)) from None

    def _filled(
        self, parts: Sequence[Part], macro: DefinedMacro, arguments: list[list[Lexeme]], values: dict[int, list[Lexeme]]
    ) -> list[Lexeme]:
        """Parts with arguments for parameters, strings and pastes made (C 6.10.3.1 to 6.10.3.3)."""
        result: list[Lexeme] = []
        pasting = False
        for part in parts:
            role = part.role
            if role == "paste":
                pasting = True
                continue
            if role == "text":
                lexemes = [part.lexeme]
            elif role == "value":
                lexemes = self._value(part, arguments, values)
            elif role == "operand":
                lexemes = arguments[part.parameter]
            elif role == "string":
                lexemes = [self._string(part, arguments[part.parameter])]
            else:
                present = self._value(part, arguments, values)
                lexemes = self._filled(part.parts, macro, arguments, values) if present else []
            if lexemes and lexemes[0].spaced != part.lexeme.spaced:
                lexemes = [lexemes[0]._replace(spaced=part.lexeme.spaced), *lexemes[1:]]
            if not pasting:
                result += lexemes or [_EMPTY]
                continue
            pasting = False
            left = result.pop()
            if left.text == "," and role == "operand" and macro.variadic and part.parameter == len(arguments) - 1:
                result += [_EMPTY] if arguments[part.parameter] is _OMITTED else [left, *lexemes]
                continue
            result.append(self._pasted(left, lexemes[0] if lexemes else _EMPTY))
            result += lexemes[1:]
        return [lexeme for lexeme in result if lexeme is not _EMPTY]

    def _value(self, part: Part, arguments: list[list[Lexeme]], values: dict[int, list[Lexeme]]) -> list[Lexeme]:
        """Return an argument, completely expanded on its own."""
        number = part.parameter
        value = values.get(number)
        if value is None:
            value = arguments[number]
            if any(lexeme.kind == "id" and lexeme.text in self.macros for lexeme in value):
                if self._depth >= MAX_DEPTH:
                    raise self._error(f"macros nest more than {MAX_DEPTH} deep")
                self._depth += 1
                value = self.expand(value)
                self._depth -= 1
            values[number] = value
        self.budget.spend(len(value), "an argument of a macro", self.place)
        return value

    def _string(self, part: Part, argument: list[Lexeme]) -> Lexeme:
        text = ""
        for lexeme in argument:
            spelled = lexeme.text
            if lexeme.kind in ("string", "char"):
                spelled = spelled.replace("\\", "\\\\").replace('"', '\\"')
            text += (" " if lexeme.spaced and text else "") + spelled
        self.budget.spend(1, "a string", self.place, characters=len(text))
        return Lexeme("string", f'"{text}"', part.lexeme.spaced)

    def _pasted(self, left: Lexeme, right: Lexeme) -> Lexeme:
        if not right.text or not left.text:
            return left if not right.text else right._replace(spaced=left.spaced or right.spaced)
        text = left.text + right.text
        self.budget.spend(1, "a paste", self.place, characters=len(text))
        lexemes = lexemes_of(text)
        if len(lexemes) != 1 or lexemes[0].kind == "other":
            raise self._error(f"pasting '{left.text}' and '{right.text}' does not give one token")
        return lexemes[0]._replace(spaced=left.spaced)

    def _error(self, message: str) -> AbigenError:
        self._disabled.clear()
        self._depth = 0
        return AbigenError.at(self.place, message)


def expand(text: str, macros: MacroTable, at: Token) -> list[Token]:
    """Expand a fragment of C, such as the body of a macro, as a compiler would at the end of the unit.

    Args:
        text: the fragment.
        macros: the definitions in force: `MacroTable(unit.macros)`, made once.
        at: whose place the resulting tokens get; its `text` is the name that they report as `macro`.

    Returns:
        The tokens.

    Raises:
        AbigenError: an invocation does not fit its macro, or the expansion is too large.
    """
    expander = Expander(macros, Budget())
    expander.place = at.span
    width = at.width or len(at.text)
    return [
        Token(lexeme.kind, lexeme.text, at.file, at.line, at.column, at.text, width)
        for lexeme in expander.expand(lexemes_of(text))
    ]
