"""Macro expansion: C 6.10.3, with what GNU C adds.

Where the standard leaves open whether a name is still nested in its own replacement (6.10.3.4 paragraph 4), compilers
have settled on one answer: a macro may be expanded again as soon as the last token of its replacement has been read.
The stack of contexts below gives that answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from abigen.model.span import AbigenError, Span
from abigen.read.c.preprocessor.macros import BadDefinitionError, Macro, MacroTable, Part
from abigen.read.c.preprocessor.scan import Piece, pieces_of
from abigen.read.c.preprocessor.trouble import Budget
from abigen.read.c.unit import Token

MAX_DEPTH = 100
"""How deep invocations may nest in the arguments of others."""

_EMPTY = Piece("", "")
_OMITTED: list[Piece] = []
"""The variable arguments when there are none at all: `, ## __VA_ARGS__` then leaves no comma, which it does for one
that is merely empty (GNU C)."""


class Supply(Protocol):
    """The text behind an invocation: an invocation may take its arguments from there."""

    def opens(self) -> bool:
        """Whether `(` comes next; if so it has been taken."""

    def take(self) -> Piece | None:
        """Take the next piece; None at the end of the text."""


class Nothing:
    """A supply that is at its end."""

    def opens(self) -> bool:
        """Nothing comes next."""
        return False

    def take(self) -> Piece | None:
        """Nothing is left."""
        return None


NOTHING = Nothing()

Operators = Mapping[str, Callable[[str, Supply], Piece]]
"""Names that are computed, as `defined` is behind `#if`, from what stands behind them unexpanded."""


class _Context:
    """Pieces that are being rescanned, and the name of the macro that they replace."""

    __slots__ = ("index", "name", "pieces")

    def __init__(self, pieces: Sequence[Piece], name: str) -> None:
        self.pieces = pieces
        self.name = name
        self.index = 0


class _Rest:
    """What stands behind an operator: a supply that begins with what is being rescanned."""

    def __init__(self, expander: Expander, contexts: list[_Context], supply: Supply) -> None:
        self._expander = expander
        self._contexts = contexts
        self._supply = supply

    def opens(self) -> bool:
        """Whether `(` comes next; if so it has been taken."""
        return self._expander.opens(self._contexts, self._supply)

    def take(self) -> Piece | None:
        """Take the next piece."""
        return self._expander.take(self._contexts, self._supply)


class Expander:
    """Expands invocations by the definitions in a table, which may change between calls."""

    def __init__(self, macros: MacroTable, budget: Budget, builtin: Callable[[str], Piece] | None = None) -> None:
        """Expand by these definitions.

        Args:
            macros: the definitions in force.
            budget: what expansion may cost.
            builtin: the value of a macro that depends on the place of use, by its name.
        """
        self._macros = macros
        self._budget = budget
        self._builtin = builtin
        self._disabled: set[str] = set()
        self._depth = 0
        self._operators: Operators = {}
        self.place: Span | None = None
        """Where the invocation stands that is being expanded: what errors refer to."""

    def expand_condition(self, pieces: Sequence[Piece], operators: Operators) -> list[Piece]:
        """Replace all macros behind `#if`.

        Args:
            pieces: what stands there.
            operators: `defined` and its like; macros may expand to them, as they may with every compiler.

        Raises:
            AbigenError: an invocation does not fit its macro, or a bound is exceeded.
        """
        self._operators = operators
        try:
            return self.expand(pieces)
        finally:
            self._operators = {}
            self._disabled.clear()
            self._depth = 0

    def expand(self, pieces: Sequence[Piece], supply: Supply = NOTHING) -> list[Piece]:
        """Replace all macros in a run of pieces.

        Args:
            pieces: what to expand.
            supply: where the arguments are of a function-like macro whose name is the last piece.

        Returns:
            The pieces that remain. Those that came from a macro's body have no place.

        Raises:
            AbigenError: an invocation does not fit its macro, or a bound is exceeded.
        """
        macros = self._macros
        disabled = self._disabled
        contexts = [_Context(pieces, "")]
        result: list[Piece] = []
        while contexts:
            context = contexts[-1]
            if context.index == len(context.pieces):
                self._leave(contexts)
                continue
            piece = context.pieces[context.index]
            context.index += 1
            macro = macros.get(piece.text) if piece.kind == "id" and not piece.blocked else None
            if macro is None:
                if piece.text in self._operators and piece.kind == "id":
                    piece = self._operators[piece.text](piece.text, _Rest(self, contexts, supply))
                result.append(piece)
            elif piece.text in disabled:
                result.append(piece._replace(blocked=True))
            elif macro.builtin and self._builtin is not None:
                result.append(self._builtin(piece.text)._replace(spaced=piece.spaced))
            elif macro.parameters is None:
                self._enter(contexts, macro, self._replacement(macro), piece)
            elif self.opens(contexts, supply):
                arguments = self._arguments(macro, contexts, supply)
                self._enter(contexts, macro, self._substituted(macro, arguments), piece)
            else:
                result.append(piece)
        return result

    def _enter(self, contexts: list[_Context], macro: Macro, replacement: Sequence[Piece], name: Piece) -> None:
        self._budget.spend(len(replacement) + 1, f"macro '{macro.name}'", self.place)
        if replacement and replacement[0].spaced != name.spaced:
            replacement = [replacement[0]._replace(spaced=name.spaced), *replacement[1:]]
        contexts.append(_Context(replacement, macro.name))
        self._disabled.add(macro.name)

    def _leave(self, contexts: list[_Context]) -> None:
        self._disabled.discard(contexts.pop().name)

    def opens(self, contexts: list[_Context], supply: Supply) -> bool:
        """Whether `(` comes next in what is being rescanned and then in the supply; if so it has been taken."""
        while contexts:
            context = contexts[-1]
            if context.index < len(context.pieces):
                piece = context.pieces[context.index]
                if piece.kind == "punct" and piece.text == "(":
                    context.index += 1
                    return True
                return False
            self._leave(contexts)
        return supply.opens()

    def take(self, contexts: list[_Context], supply: Supply) -> Piece | None:
        """Take the next piece of what is being rescanned, and then of the supply."""
        while contexts:
            context = contexts[-1]
            if context.index < len(context.pieces):
                context.index += 1
                return context.pieces[context.index - 1]
            self._leave(contexts)
        return supply.take()

    def _arguments(self, macro: Macro, contexts: list[_Context], supply: Supply) -> list[list[Piece]]:
        """The arguments behind an opening parenthesis that has been taken (C 6.10.3 paragraph 11)."""
        assert macro.parameters is not None
        wanted = len(macro.parameters)
        arguments: list[list[Piece]] = [[]]
        depth = 0
        count = 0
        while True:
            piece = self.take(contexts, supply)
            if piece is None:
                raise self._error(f"the arguments of macro '{macro.name}' are not closed")
            count += 1
            if count % 1024 == 0:
                self._budget.spend(1024, f"macro '{macro.name}'", self.place)
            if piece.kind == "punct":
                if piece.text == "(":
                    depth += 1
                elif piece.text == ")":
                    if depth == 0:
                        break
                    depth -= 1
                elif piece.text == "," and depth == 0 and not (macro.variadic and len(arguments) == wanted):
                    arguments.append([])
                    continue
            elif piece.kind == "id" and piece.text in self._disabled:
                piece = piece._replace(blocked=True)
            arguments[-1].append(piece)
        if wanted == 0 and arguments == [[]]:
            return []
        if macro.variadic and len(arguments) == wanted - 1:
            arguments.append(_OMITTED)
        elif macro.variadic and arguments == [[]] and "__STRICT_ANSI__" not in self._macros:
            arguments = [_OMITTED]
        if len(arguments) != wanted:
            expected = (
                f"{wanted - 1} or more arguments" if macro.variadic else f"{wanted} argument{'s' * (wanted != 1)}"
            )
            raise self._error(f"macro '{macro.name}' takes {expected}, {len(arguments)} given")
        return arguments

    def _replacement(self, macro: Macro) -> Sequence[Piece]:
        """What stands for an object-like macro."""
        if macro.plain is not None:
            return macro.plain
        pieces = self._filled(self._parts(macro), macro, [], {})
        return pieces if macro.plain is None else macro.plain

    def _substituted(self, macro: Macro, arguments: list[list[Piece]]) -> list[Piece]:
        """What stands for an invocation of a function-like macro."""
        return self._filled(self._parts(macro), macro, arguments, {})

    def _parts(self, macro: Macro) -> tuple[Part, ...]:
        try:
            return macro.parts
        except BadDefinitionError as error:
            raise self._error(str(error)) from None

    def _filled(
        self, parts: Sequence[Part], macro: Macro, arguments: list[list[Piece]], values: dict[int, list[Piece]]
    ) -> list[Piece]:
        """Parts with arguments for parameters, strings and pastes made (C 6.10.3.1 to 6.10.3.3)."""
        result: list[Piece] = []
        pasting = False
        for part in parts:
            role = part.role
            if role == "paste":
                pasting = True
                continue
            if role == "text":
                pieces = [part.piece]
            elif role == "value":
                pieces = self._value(part, arguments, values)
            elif role == "operand":
                pieces = arguments[part.parameter]
            elif role == "string":
                pieces = [self._string(part, arguments[part.parameter])]
            else:
                present = self._value(part, arguments, values)
                pieces = self._filled(part.parts, macro, arguments, values) if present else []
            if pieces and pieces[0].spaced != part.piece.spaced:
                pieces = [pieces[0]._replace(spaced=part.piece.spaced), *pieces[1:]]
            if not pasting:
                result += pieces or [_EMPTY]
                continue
            pasting = False
            left = result.pop()
            if left.text == "," and role == "operand" and macro.variadic and part.parameter == len(arguments) - 1:
                result += [_EMPTY] if arguments[part.parameter] is _OMITTED else [left, *pieces]
                continue
            result.append(self._pasted(left, pieces[0] if pieces else _EMPTY))
            result += pieces[1:]
        return [piece for piece in result if piece is not _EMPTY]

    def _value(self, part: Part, arguments: list[list[Piece]], values: dict[int, list[Piece]]) -> list[Piece]:
        """An argument, completely expanded on its own."""
        number = part.parameter
        value = values.get(number)
        if value is None:
            value = arguments[number]
            if any(piece.kind == "id" and piece.text in self._macros for piece in value):
                if self._depth >= MAX_DEPTH:
                    raise self._error(f"macros nest more than {MAX_DEPTH} deep")
                self._depth += 1
                value = self.expand(value)
                self._depth -= 1
            values[number] = value
        self._budget.spend(len(value), "an argument of a macro", self.place)
        return value

    def _string(self, part: Part, argument: list[Piece]) -> Piece:
        text = ""
        for piece in argument:
            spelled = piece.text
            if piece.kind in ("string", "char"):
                spelled = spelled.replace("\\", "\\\\").replace('"', '\\"')
            text += (" " if piece.spaced and text else "") + spelled
        self._budget.spend(1, "a string", self.place, characters=len(text))
        return Piece("string", f'"{text}"', part.piece.spaced)

    def _pasted(self, left: Piece, right: Piece) -> Piece:
        if not right.text or not left.text:
            return left if not right.text else right._replace(spaced=left.spaced or right.spaced)
        text = left.text + right.text
        self._budget.spend(1, "a paste", self.place, characters=len(text))
        pieces = pieces_of(text)
        if len(pieces) != 1 or pieces[0].kind == "other":
            raise self._error(f"pasting '{left.text}' and '{right.text}' does not give one token")
        return pieces[0]._replace(spaced=left.spaced)

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
        Token(piece.kind, piece.text, at.file, at.line, at.column, at.text, width)
        for piece in expander.expand(pieces_of(text))
    ]
