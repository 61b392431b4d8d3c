"""Executes preprocessing directives, and evaluates the conditions of #if.

A directive is executed as late as possible: when the text before it has been asked for. So macros in that text are
expanded with exactly the definitions in force there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache, reduce
from itertools import pairwise
from typing import NamedTuple

import msgspec
from pycparser import c_ast

from abigen.headers import literals
from abigen.headers.preprocessor.environment import HEADER_OPERATORS, Answers
from abigen.headers.preprocessor.expansion import Expander, Operators, Supply
from abigen.headers.preprocessor.include_search import HEADER_NAME, Inclusion, spelled
from abigen.headers.preprocessor.lexemes import (
    LEXEMES,
    STRAY,
    Directive,
    File,
    Lexeme,
    folded,
    lexemes_of,
    without_comments,
)
from abigen.headers.preprocessor.macros import BadDefinitionError, DefinedMacro, Definition, parse_definition
from abigen.headers.syntax.flatten import word_of_literal
from abigen.headers.syntax.parser import Parser
from abigen.headers.syntax.specifiers import PLAIN_NAME
from abigen.headers.syntax.trees import Flat, KnownNames, balance
from abigen.headers.types import ExpressionBuilder, TypeBuilder
from abigen.headers.unit import Token
from abigen.model.ctype import Conditional, Expression, Literal
from abigen.model.evaluate import evaluate_condition
from abigen.model.span import AbigenError, Diagnostic, Span, did_you_mean


class ConditionError(Exception):
    """The expression has no value; the text says why."""


class UndefinedMacroError(ConditionError):
    """It calls a macro that is not defined; a header that was not found may define it."""


def evaluate(lexemes: Sequence[Lexeme]) -> bool:
    """Evaluate the expression of a conditional, after macro expansion.

    Args:
        lexemes: the expression, with `defined` and its like already replaced by numbers.

    Returns:
        Whether its value is other than zero (C 6.10.1 paragraph 4; remaining identifiers count as 0).

    Raises:
        ConditionError: it is not a constant expression.
    """
    if not lexemes:
        raise ConditionError("no expression behind the directive")
    for each, behind in pairwise(lexemes):
        if each.kind == "id" and behind.text == "(":
            raise UndefinedMacroError(f"'{each.text}' is not a function-like macro that is defined")
    try:
        return _holds(tuple((each.kind, each.text) for each in lexemes))
    except AbigenError as error:
        raise ConditionError(error.diagnostics[0].message) from None


def questions_in(lexemes: Sequence[Lexeme]) -> Iterator[str]:
    """Yield the names in a condition before macro expansion; `defined NAME` where only that matters of one."""
    before = ""
    for each in lexemes:
        if each.kind == "id":
            yield f"defined {each.text}" if before == "defined" else each.text
        before = before if each.text == "(" else each.text


@lru_cache(maxsize=5000)
def _holds(words: tuple[tuple[str, str], ...]) -> bool:
    """True if an expression of these words has another value than zero; headers ask the same again and again."""
    tokens = [Token(kind, text, "", 1, 1) for kind, text in words]
    stream, errors = balance(tokens)
    for each in errors:
        _refuse(each)
    flat = Flat(stream, 0, len(tokens), [_word(each) for each in tokens], list(range(len(tokens))))
    Parser(KnownNames(), _refuse).parse("expression", flat)
    expression = _ConditionBuilder(TypeBuilder(KnownNames(), _refuse), flat).build(flat.nodes[0])
    return evaluate_condition(expression) != 0


def _word(token: Token) -> str:
    """Return the word that the grammar has for a token; no name is a keyword or a type here."""
    return PLAIN_NAME if token.kind == "id" else token.text if token.kind == "punct" else word_of_literal(token)


def _refuse(diagnostic: Diagnostic) -> None:
    raise AbigenError((diagnostic,))


class _ConditionBuilder(ExpressionBuilder):
    """Builds expressions by the rules of the preprocessor."""

    def _build_ID(self, node: c_ast.Node) -> Expression:  # noqa: N802
        return Literal(0)

    def _build_Constant(self, node: c_ast.Node) -> Expression:  # noqa: N802
        """Return every number is an `intmax_t` if it is not a `uintmax_t`, in whatever base it is written."""
        text = re.sub("[wW][bB]", "", self._token(node).text)
        literal = literals.integer(text) or literals.integer(f"{text}u")
        if literal is None:
            return super()._build_Constant(node)
        return Literal(literal.value, "unsigned long" if "u" in text.lower() or literal.value >> 63 else "long")

    def _build_ExprList(self, node: c_ast.Node) -> Expression:  # noqa: N802
        """Preprocessors take commas; what stands before one is evaluated all the same."""
        return reduce(lambda before, last: Conditional(before, last, last), map(self.build, node.exprs))


MAX_INCLUDE_DEPTH = 200
"""The nesting limit of includes; the default limit of compilers."""

_NAMES = re.compile(r"[A-Za-z_]\w*")
_IDENTIFIER = re.compile(r"\s*((?!\d)[\w$]+)")
_QUOTED_NAME = r'\w+\s*\(\s*"(\w+)"\s*\)'
_DIRECTIVES = (
    *("define", "undef", "include", "if", "ifdef", "ifndef", "elif", "else", "endif"),
    *("error", "pragma", "warning", "line"),
)
_REMARK = r"GCC (?:poison|dependency)\b|clang (?:deprecated|final|restrict_expansion)\b"
"""Pragmas about macros and includes that change neither."""
_COSTS = {"include": 100, "import": 100, "include_next": 100, "define": 3, "if": 15, "elif": 15}
_CONDITIONALS = frozenset(("if", "ifdef", "ifndef", "elif", "elifdef", "elifndef", "else"))
_IGNORED = frozenset(("endif", "line", "ident", "sccs", "assert", "unassert"))
_USUAL_LENGTH = 1000
"""Characters beyond which a directive costs more, each four of them a step: it may hold as many tokens."""
_DECORATED = r"(?:gnu::|clang::)?__(\w+)__|(?:gnu::|clang::)?(\w+)"


class Conditions:
    """Judges conditions by the definitions in force and by what the compiler says about itself."""

    def __init__(self, expander: Expander, answers: Answers, inclusion: Inclusion) -> None:
        """Judge by these.

        Args:
            expander: expands by the definitions in force.
            answers: what the compiler says about itself.
            inclusion: knows which files can be included.
        """
        self._expander = expander
        self._answers = answers
        self._inclusion = inclusion
        self._file: File | None = None
        self._operators: Operators = {"defined": self._defined} | dict.fromkeys(answers, self._has)
        self.asked: set[str] = set()
        """The names in the conditions of files other than the system's, as `Unit.questions` has them."""

    def holds(self, file: File, directive: Directive) -> bool:
        """True if the part of a group that a directive begins is to be read, if none before it was.

        Args:
            file: where the directive stands.
            directive: `#if`, `#ifdef`, `#ifndef`, `#elif`, `#elifdef`, `#elifndef` or `#else`.
        """
        name = directive.name
        if name == "else":
            return True
        if name in ("ifdef", "elifdef", "ifndef", "elifndef"):
            return self._has_definition(file, directive) != name.endswith("ndef")
        if directive.memo is None:
            directive.memo = tuple(lexemes_of(file.scan.text, directive.rest, directive.end))
        lexemes: Sequence[Lexeme] = directive.memo  # type: ignore[assignment]
        if not file.system:
            self.asked.update(questions_in(lexemes))
        place = _place(file, directive)
        self._expander.budget.spend(len(lexemes), f"#{name}", place)
        self._expander.place = place
        self._file = file
        try:
            return evaluate(self._expander.expand_condition(lexemes, self._operators))
        except ConditionError as error:
            if not (self._inclusion.not_found and isinstance(error, UndefinedMacroError)):
                self._inclusion.report.error(place, f"#{name}: {error}")
        except AbigenError as error:
            self._inclusion.report.errors_of(error)
        return False

    def _has_definition(self, file: File, directive: Directive) -> bool:
        """True if the name behind `#ifdef` or `#ifndef` is defined."""
        match = LEXEMES.match(file.scan.text, directive.rest, directive.end)
        name = (match["id"] if match else None) or ""
        if not name:
            self._inclusion.report.error(_place(file, directive), f"#{directive.name} without a name")
        elif not file.system:
            self.asked.add(f"defined {name}")
        return self._is_defined(name)

    def _is_defined(self, name: str) -> bool:
        return name in self._expander.macros or name in self._answers

    def _defined(self, name: str, operand: Supply) -> Lexeme:
        """`defined X` and `defined(X)`."""
        in_parentheses = operand.opens()
        lexeme = operand.take()
        if lexeme is None or lexeme.kind != "id":
            raise ConditionError(f"'{name}' without a name")
        if in_parentheses:
            closing = operand.take()
            if closing is None or closing.text != ")":
                raise ConditionError(f"')' is missing behind '{name}'")
        return Lexeme("number", str(int(self._is_defined(lexeme.text))))

    def _has(self, name: str, operand: Supply) -> Lexeme:
        """`__has_include(...)`, `__has_attribute(...)` and their like."""
        if not operand.opens():
            raise ConditionError(f"'(' is missing behind '{name}'")
        lexemes: list[Lexeme] = []
        depth = 0
        while True:
            lexeme = operand.take()
            if lexeme is None:
                raise ConditionError(f"')' is missing behind '{name}'")
            depth += (lexeme.text == "(") - (lexeme.text == ")")
            if depth < 0:
                break
            lexemes.append(lexeme)
        if name not in HEADER_OPERATORS:
            match = re.fullmatch(_DECORATED, "".join(lexeme.text for lexeme in lexemes))
            asked = (match[1] or match[2]) if match else ""
            return Lexeme("number", str(self._answers[name].get(asked, 0)))
        if lexemes and lexemes[0].kind == "id":
            lexemes = self._expander.expand(lexemes)
        assert self._file is not None
        exists = self._inclusion.exists(spelled(lexemes), self._file, is_next=name.endswith("next"))
        return Lexeme("number", str(int(exists)))


class Run(NamedTuple):
    """A stretch of text without directives: offsets in the file's scan."""

    file: File
    start: int
    end: int


class PragmaLine(msgspec.Struct, frozen=True):
    """A `#pragma` that is not the preprocessor's own: where its `#` stands, and what stands behind the word."""

    file: File
    offset: int
    text: str


class _Frame(msgspec.Struct):
    """A file that is being read: the next directive, and how far its text has come out."""

    file: File
    is_first: bool
    index: int = 0
    position: int = 0


class Directives:
    """A translation unit, from its first file to the end of its last one."""

    def __init__(self, expander: Expander, conditions: Conditions, inclusion: Inclusion) -> None:
        """Begin with no file.

        Args:
            expander: expands by the definitions in force, which directives change.
            conditions: judges `#if`.
            inclusion: finds included files.
        """
        self._expander = expander
        self._conditions = conditions
        self._inclusion = inclusion
        self._report = inclusion.report
        self._frames: list[_Frame] = []
        self._put_back: list[Run | PragmaLine] = []
        self.mentioned: set[str] = set()
        """The names in the bodies of macros that files other than the system's define."""
        self.skipped: dict[File, list[tuple[int, int]]] = {}
        """The offsets between which the API's own files were left out because of a conditional, the first time."""

    @property
    def depth(self) -> int:
        """The number of open files."""
        return len(self._frames)

    def open(self, file: File) -> None:
        """Read a file next, and whatever it includes."""
        is_first = self._inclusion.enter(file)
        if is_first:
            self._expander.budget.allow(len(file.scan.text))
        if is_first:
            for flaw in file.scan.flaws:
                self._report.error(file.span(flaw.offset), flaw.message, flaw.hint)
        self._frames.append(_Frame(file, is_first))
        self._expander.include_depth = self.depth

    def put_back(self, item: Run | PragmaLine) -> None:
        """Let something come out again next time."""
        self._put_back.append(item)

    def next(self) -> Run | PragmaLine | None:
        """Return the next stretch of text, or pragma; None at the end. Executes the directives before it."""
        if self._put_back:
            return self._put_back.pop()
        while self._frames:
            frame = self._frames[-1]
            scan = frame.file.scan
            start = frame.position
            if frame.index < len(scan.directives):
                directive = scan.directives[frame.index]
                if start < directive.start:
                    frame.position = directive.start
                    if not scan.text[start : directive.start].isspace():
                        return Run(frame.file, start, directive.start)
                frame.index += 1
                frame.position = directive.end
                cost = 1 if frame.file.system else _COSTS.get(directive.name, 1)
                cost += max(0, directive.end - directive.start - _USUAL_LENGTH) // 4
                place = frame.file.span(directive.sign) if cost > self._expander.budget.left else None
                self._expander.budget.spend(cost, "this header", place)
                pragma = self._execute(frame, directive)
                if pragma is not None:
                    return pragma
            elif start < len(scan.text):
                frame.position = len(scan.text)
                return Run(frame.file, start, frame.position)
            else:
                self._frames.pop()
                self._expander.include_depth = self.depth
        return None

    def obey(self, pragma: str, file: File) -> bool:
        """Obey a pragma that is the preprocessor's own.

        Args:
            pragma: what stands behind the word `pragma`.
            file: where it stands.

        Returns:
            Whether it was one.
        """
        words = pragma.split()
        if words[:1] == ["once"]:
            self._inclusion.once.add(file.real)
        elif pragma.startswith(("push_macro", "pop_macro")):
            match = re.match(_QUOTED_NAME, pragma)
            if match and pragma.startswith("push"):
                self._expander.macros.push(match[1])
            elif match:
                self._expander.macros.restore(match[1])
        elif words in (["GCC", "system_header"], ["clang", "system_header"]):
            file.system = not file.own
        else:
            return not words or re.match(_REMARK, pragma) is not None
        return True

    def _execute(self, frame: _Frame, directive: Directive) -> PragmaLine | None:
        name = directive.name
        if name == "define":
            self._define(frame.file, directive)
        elif name in _CONDITIONALS:
            self._choose(frame, directive)
        elif name in ("include", "include_next", "import"):
            self._include(frame.file, directive)
        elif name == "undef":
            self._undefine(frame.file, directive)
        elif name == "pragma":
            text = folded(_rest(frame.file, directive))
            if not self.obey(text, frame.file):
                return PragmaLine(frame.file, directive.sign, text)
        elif name in ("error", "warning"):
            self._complain(frame.file, directive)
        elif name not in _IGNORED:
            self._refuse(frame.file, directive)
        return None

    def _define(self, file: File, directive: Directive) -> None:
        try:
            if directive.memo is None:
                directive.memo = parse_definition(_rest(file, directive))
            definition: Definition = directive.memo  # type: ignore[assignment]
            name, parameters, body, offset = definition
            macro = DefinedMacro(name, parameters, body, file, directive.rest + offset)
            if not file.system:
                macro.check()
        except BadDefinitionError as error:
            self._error(file, directive, str(error))
            return
        before = self._expander.macros.define(macro)
        if file.system:
            return
        self.mentioned.update(_NAMES.findall(body))
        if before is not None:
            hint = ""
            if before.file is not None and before.file.path:
                hint = f"it was defined at {before.span}; #undef it first if that is meant"
            self._report.warning(macro.span, f"macro '{name}' is defined again with another body", hint)

    def _undefine(self, file: File, directive: Directive) -> None:
        match = _IDENTIFIER.match(without_comments(_rest(file, directive)))
        if match is None:
            self._error(file, directive, "#undef without a name")
        else:
            self._expander.macros.pop(match[1], None)

    def _choose(self, frame: _Frame, directive: Directive) -> None:
        """Go on behind the first directive of a group whose condition holds, or behind the group.

        The group may have been begun before; then one part of it has been read, and none is read any more.
        """
        if directive.following == STRAY:
            return
        directives = frame.file.scan.directives
        is_new = directive.name in ("if", "ifdef", "ifndef")
        start = directive.end
        while directive.name != "endif" and not (is_new and self._conditions.holds(frame.file, directive)):
            if directive.following < 0:
                self._skip(frame, start, None)
                return
            frame.index = directive.following + 1
            directive = directives[directive.following]
            if is_new or directive.name == "endif":
                self._skip(frame, start, directive)
                start = directive.end

    def _skip(self, frame: _Frame, start: int, until: Directive | None) -> None:
        """Leave text out, up to a directive, or to the end of the file when a group is not closed."""
        text_end = len(frame.file.scan.text)
        if until is None:
            frame.index = len(frame.file.scan.directives)
        frame.position = text_end if until is None else until.end
        if frame.file.own and frame.is_first:
            self.skipped.setdefault(frame.file, []).append((start, text_end if until is None else until.start))

    def _include(self, file: File, directive: Directive) -> None:
        text = _rest(file, directive)
        match = HEADER_NAME.match(text)
        if match is not None:
            place = file.span(directive.rest + match.start("name"), len(match["name"]))
        else:
            place = _place(file, directive)
            self._expander.place = place
            match = HEADER_NAME.match(spelled(self._expander.expand(lexemes_of(text))))
        if match is None and self._inclusion.not_found and text.strip().isidentifier():
            return  # a header that was not found may define it
        if match is None:
            self._error(file, directive, f'#{directive.name} takes "FILE" or <FILE>')
            return
        included = self._inclusion.include(match["name"], file, place, directive=directive.name)
        if included is None:
            return
        if self.depth >= MAX_INCLUDE_DEPTH:
            hint = f"is an include guard missing in {included.name}?"
            self._report.error(place, f"includes nest more than {MAX_INCLUDE_DEPTH} deep", hint)
            self._report.raise_errors()
        self.open(included)

    def _complain(self, file: File, directive: Directive) -> None:
        message = f"#{directive.name} {folded(_rest(file, directive))}".strip()
        if directive.name == "error":
            self._error(file, directive, message)
        elif not file.system:
            self._report.warning(_place(file, directive), message)

    def _refuse(self, file: File, directive: Directive) -> None:
        """Say that there is no such directive; `#` alone and what preprocessors write (`# 1 "file"`) are fine."""
        name = directive.name
        rest = folded(_rest(file, directive))
        if not name and (not rest or rest[0].isdigit()):
            return
        hint = did_you_mean(name, _DIRECTIVES, shown="#{}".format)
        self._error(file, directive, f"unknown directive #{name or rest.split()[0]}", hint)

    def _error(self, file: File, directive: Directive, message: str, hint: str = "") -> None:
        self._report.error(_place(file, directive), message, hint)


def _place(file: File, directive: Directive) -> Span:
    """Return the place of a directive's sign and name."""
    return file.span(directive.sign, directive.rest - directive.sign)


def _rest(file: File, directive: Directive) -> str:
    """Return the tokens after a directive's name."""
    return file.scan.text[directive.rest : directive.end]
