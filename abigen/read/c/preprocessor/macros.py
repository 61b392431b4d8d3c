"""Macros: what a `#define` says, and which definitions are in force."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from abigen.model.span import Span
from abigen.read.c.preprocessor.lexemes import LEXEMES, File, Lexeme, folded, lexemes_of, without_comments
from abigen.read.c.unit import MacroDefinition

_NAME = re.compile(r"(?!\d)[\w$]+")
_DATES = {
    "__DATE__": "Jan  1 1970",
    "__TIME__": "00:00:00",
    "__TIMESTAMP__": "Thu Jan  1 00:00:00 1970",
}
"""One moment for all: what a header says of its API must not change from day to day."""

_NAMES = (*_DATES, "__LINE__", "__FILE__", "__COUNTER__", "__INCLUDE_LEVEL__", "__FILE_NAME__", "__BASE_FILE__")


class BadDefinitionError(Exception):
    """A `#define` that is not well formed; the text says why."""


class Part(msgspec.Struct, frozen=True):
    """A lexeme of a replacement list.

    `role` is `text` for a token that stays, `value` for a parameter whose argument is expanded first, `operand` for one
    that is pasted as it was written, `string` for one behind `#`, `paste` for `##`, and `optional` for `__VA_OPT__`,
    whose contents are `parts`.
    """

    role: str
    lexeme: Lexeme
    parameter: int = -1
    parts: tuple[Part, ...] = ()


class DefinedMacro:
    """One definition. Its replacement list is only taken apart when the macro is used."""

    __slots__ = ("_parts", "_place", "body", "builtin", "file", "name", "parameters", "plain", "variadic")

    def __init__(
        self,
        name: str,
        parameters: tuple[str, ...] | None,
        body: str,
        file: File | None = None,
        place: int | tuple[int, int] = (1, 1),
    ) -> None:
        """Make a definition.

        Args:
            name: its name.
            parameters: a variadic one with its dots; None for an object-like macro.
            body: what stands behind name and parameters, without comments.
            file: where it stands; None when it is predefined.
            place: line and column of the name, or its offset in the file's text.
        """
        self.name = name
        self.variadic = False
        if parameters and parameters[-1].endswith("..."):
            self.variadic = True
            parameters = (*parameters[:-1], parameters[-1].removesuffix("...") or "__VA_ARGS__")
        self.parameters = parameters
        """Names of the parameters; that of a variadic one without dots. None for an object-like macro."""
        self.body = body
        self.file = file
        self._place = place
        self.builtin = False
        """Its value depends on the place of use: `__LINE__` and its like."""
        self.plain: list[Lexeme] | None = None
        """The replacement list of an object-like macro that needs no substitution, once it has been used."""
        self._parts: tuple[Part, ...] | None = None

    @property
    def span(self) -> Span:
        """The place of the name."""
        if self.file is None:
            return Span("<built-in>", 1, 1, len(self.name))
        line, column = self.file.scan.place(self._place) if isinstance(self._place, int) else self._place
        return Span(self.file.name, line, column, len(self.name))

    @property
    def parts(self) -> tuple[Part, ...]:
        """The replacement list.

        Raises:
            BadDefinitionError: it breaks a rule of C 6.10.3.
        """
        if self._parts is None:
            self._parts = _take_apart(self)
            if self.parameters is None and all(part.role == "text" for part in self._parts):
                self.plain = [part.lexeme for part in self._parts]
        return self._parts

    def check(self) -> None:
        """Make sure that the definition can be used.

        Raises:
            BadDefinitionError: it breaks a rule of C 6.10.3.
        """
        if "#" in self.body or "__VA_" in self.body:
            self._parts = _take_apart(self)

    def same_as(self, other: DefinedMacro) -> bool:
        """Whether both definitions say the same (C 6.10.3 paragraphs 1 and 2)."""
        if self.parameters != other.parameters or self.variadic != other.variadic:
            return False
        return self.body == other.body or folded(self.body) == folded(other.body)

    @property
    def written_parameters(self) -> tuple[str, ...] | None:
        """The parameters with the dots of a variadic one."""
        if self.parameters is None or not self.variadic:
            return self.parameters
        last = self.parameters[-1]
        return (*self.parameters[:-1], "..." if last == "__VA_ARGS__" else f"{last}...")

    def definition(self) -> MacroDefinition:
        """The definition as the reader of declarations gets it."""
        place = self.span
        return MacroDefinition(
            self.name, self.written_parameters, folded(self.body), place.file, place.line, place.column
        )


class Definition(NamedTuple):
    """What stands behind a `#define`: a variadic parameter with its dots, `offset` that of the name."""

    name: str
    parameters: tuple[str, ...] | None
    body: str
    offset: int


@lru_cache(maxsize=4096)
def parse_definition(text: str) -> Definition:
    """Take the text behind `#define` apart.

    Args:
        text: all of it, comments included.

    Raises:
        BadDefinitionError: it is not well formed (C 6.10 paragraph 1).
    """
    match = LEXEMES.match(text)
    name = match["id"] if match else None
    if match is None or name is None:
        missing = match is None or match.lastgroup == "end"
        raise BadDefinitionError("#define without a name" if missing else "the name of a macro is an identifier")
    if name == "defined":
        raise BadDefinitionError("'defined' cannot be the name of a macro")
    body = without_comments(text[match.end() :])
    parameters = None
    if body.startswith("("):
        inside, closed, body = body[1:].partition(")")
        if not closed:
            raise BadDefinitionError(f"the list of parameters of '{name}' is not closed")
        parameters = _parse_parameters(name, inside)
    return Definition(name, parameters, body.strip(), match.start("id"))


def _parse_parameters(name: str, text: str) -> tuple[str, ...]:
    if not text.strip():
        return ()
    parameters = tuple("".join(each.split()) for each in text.split(","))
    last = parameters[-1].removesuffix("...")
    named = (*parameters[:-1], last) if last else parameters[:-1]
    if not all(_NAME.fullmatch(each) for each in named):
        raise BadDefinitionError(f"the parameters of '{name}' are not a list of names")
    if len(set(parameters)) != len(parameters):
        raise BadDefinitionError(f"two parameters of '{name}' have the same name")
    return parameters


def _take_apart(macro: DefinedMacro) -> tuple[Part, ...]:
    names = macro.parameters
    numbers = {} if names is None else {name: number for number, name in enumerate(names)}
    lexemes = lexemes_of(macro.body)
    parts, rest = _parts(lexemes, 0, numbers, macro, inside=False)
    if rest != len(lexemes):
        raise BadDefinitionError(f"'{macro.name}': ')' behind __VA_OPT__ is missing")
    return parts


def _parts(
    lexemes: list[Lexeme], start: int, numbers: Mapping[str, int], macro: DefinedMacro, *, inside: bool
) -> tuple[tuple[Part, ...], int]:
    """Parts from `start` on: to the end, or `inside` an __VA_OPT__ to the parenthesis that closes it."""
    parts: list[Part] = []
    function_like = macro.parameters is not None
    index = start
    depth = 0
    while index < len(lexemes):
        lexeme = lexemes[index]
        if inside and lexeme.text in "()" and lexeme.kind == "punct":
            depth += 1 if lexeme.text == "(" else -1
            if depth < 0:
                break
        if lexeme.kind == "punct" and lexeme.text == "##":
            if not parts or index + 1 == len(lexemes):
                raise BadDefinitionError(f"'##' at an end of the body of '{macro.name}'")
            parts.append(Part("paste", lexeme))
        elif function_like and lexeme.kind == "punct" and lexeme.text == "#":
            index += 1
            if index == len(lexemes) or lexemes[index].text not in numbers:
                raise BadDefinitionError(f"'#' in the body of '{macro.name}' is not followed by a parameter")
            parts.append(Part("string", lexeme, numbers[lexemes[index].text]))
        elif (
            lexeme.text == "__VA_OPT__"
            and macro.variadic
            and index + 1 < len(lexemes)
            and lexemes[index + 1].text == "("
        ):
            if inside:
                raise BadDefinitionError(f"__VA_OPT__ inside of __VA_OPT__ in the body of '{macro.name}'")
            contents, index = _parts(lexemes, index + 2, numbers, macro, inside=True)
            parts.append(Part("optional", lexeme, len(numbers) - 1, contents))
        elif lexeme.kind == "id" and lexeme.text in numbers:
            parts.append(Part("value", lexeme, numbers[lexeme.text]))
        else:
            parts.append(Part("text", lexeme))
        index += 1
    for number, part in enumerate(parts):
        beside = parts[max(number - 1, 0) : number + 2]
        if part.role == "value" and any(each.role == "paste" for each in beside):
            parts[number] = replace(part, role="operand")
    return tuple(parts), index


class MacroTable(dict[str, DefinedMacro]):
    """The definitions in force, by name, in the order in which they were made."""

    def __init__(self, definitions: Iterable[MacroDefinition] = ()) -> None:
        """Make a table of definitions that a unit holds; empty for a unit that is yet to be read."""
        super().__init__()
        self.saved: dict[str, list[DefinedMacro | None]] = {}
        """What `#pragma push_macro` has put aside."""
        for each in definitions:
            self[each.name] = DefinedMacro(each.name, each.parameters, each.body)

    def define(self, macro: DefinedMacro) -> DefinedMacro | None:
        """Put a definition in force; returns the one that it contradicts, if there is such a one."""
        before = self.pop(macro.name, None)
        self[macro.name] = macro
        return before if before is not None and not before.same_as(macro) else None

    def push(self, name: str) -> None:
        """Put the definition of a name aside (`#pragma push_macro`)."""
        self.saved.setdefault(name, []).append(self.get(name))

    def restore(self, name: str) -> None:
        """Put back what was put aside last (`#pragma pop_macro`)."""
        if not self.saved.get(name):
            return
        macro = self.saved[name].pop()
        self.pop(name, None)
        if macro is not None:
            self[name] = macro


def define_builtins(macros: MacroTable) -> None:
    """Put the definitions of these macros in force."""
    for name in _NAMES:
        macro = DefinedMacro(name, None, "")
        macro.builtin = True
        macros[name] = macro


def builtin_value(name: str, place: Span, counter: Iterator[int], depth: int) -> Lexeme:
    """The value of one of these macros.

    Args:
        name: its name.
        place: where it is used.
        counter: gives the next number for `__COUNTER__`.
        depth: how many files are open.
    """
    if name == "__LINE__":
        return Lexeme("number", str(place.line))
    if name == "__COUNTER__":
        return Lexeme("number", str(next(counter)))
    if name == "__INCLUDE_LEVEL__":
        return Lexeme("number", str(depth - 1))
    text = _DATES.get(name)
    if text is None:
        text = place.file.rpartition("/")[2] if name == "__FILE_NAME__" else place.file
    quoted = text.replace("\\", "\\\\").replace('"', '\\"')
    return Lexeme("string", f'"{quoted}"')
