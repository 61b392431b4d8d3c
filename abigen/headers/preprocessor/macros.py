"""Macro definitions, and the values that macros have under each condition."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from abigen.headers.preprocessor.lexemes import (
    LEXEMES,
    File,
    Lexeme,
    folded,
    lexemes_of,
    outline_of,
    scan,
    without_comments,
)
from abigen.headers.unit import MacroDefinition
from abigen.model.contract import operands
from abigen.model.span import Span
from abigen.model.spelling import reserved_word

_NAME = re.compile(r"(?!\d)[\w$]+")
_DATES = {
    "__DATE__": "Jan  1 1970",
    "__TIME__": "00:00:00",
    "__TIMESTAMP__": "Thu Jan  1 00:00:00 1970",
}
"""The time of all runs: a header's API must not change from day to day."""

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
    """A definition of a macro. Its replacement list is only split when the macro is used."""

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
        """True if both definitions say the same (C 6.10.3 paragraphs 1 and 2)."""
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
        """Return the definition as the reader of declarations gets it."""
        place = self.span
        return MacroDefinition(
            self.name, self.written_parameters, folded(self.body), place.file, place.line, place.column
        )


class Definition(NamedTuple):
    """The text after a `#define`: a variadic parameter includes its dots, `offset` is that of the name."""

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
                raise BadDefinitionError(f"__VA_OPT__ inside __VA_OPT__ in the body of '{macro.name}'")
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
        """The definitions that `#pragma push_macro` has saved."""
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
    """Return the value of one of these macros.

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


_WORD = re.compile(r"[A-Za-z_]\w*")
_DEFINED = re.compile(r"\bdefined\s*(?:\(\s*(\w+)\s*\)|(\w+))")
_UNDEFINE = re.compile(r"^[ \t]*#[ \t]*undef[ \t]+(\w+)", re.MULTILINE)
_MOST_CASES = 64
"""The number of conditions that a macro may depend on."""
_BRANCHES = ("else", "elif", "elifdef", "elifndef")
_Case = tuple[str, str]
"""A condition, empty for otherwise, and the text that a macro stands for then."""


class ConditionalMacro(msgspec.Struct, frozen=True):
    """A macro that is always defined, as one of several texts."""

    parameters: tuple[str, ...] | None
    """The parameters; None for an object-like macro."""
    cases: tuple[_Case, ...]
    """The first whose condition holds counts; the last one has none."""
    guarded: bool
    """True if the definition counts only where nothing has defined the macro before."""


class _Chain(msgspec.Struct):
    """An `#if` with its branches."""

    conditions: list[str] = msgspec.field(default_factory=list)
    """Of each branch; empty for `#else`."""


class _Definition(msgspec.Struct, frozen=True):
    """A `#define` of a macro."""

    path: tuple[tuple[_Chain, int], ...]
    """The chains that it stands in, from the outside, each with the number of the branch."""
    parameters: tuple[str, ...] | None
    body: str


def conditional_macros(texts: Iterable[str]) -> dict[str, ConditionalMacro]:
    """Find the macros of headers that depend on conditions and that are defined whatever holds.

    Args:
        texts: of headers that are read one behind the other.

    Returns:
        Name to macro. What is defined below no condition is not among them, nor what is not defined somewhere, defined
        anew or undefined, nor what depends on such a macro of these headers.
    """
    return dict(_conditional_macros(tuple(texts)))


@lru_cache(maxsize=32)
def _conditional_macros(texts: Sequence[str]) -> Mapping[str, ConditionalMacro]:
    definitions: dict[str, list[_Definition]] = {}
    undefined: set[str] = set()
    for text in texts:
        for name, definition in _definitions(text):
            if definition is None:
                undefined.add(name)
            else:
                definitions.setdefault(name, []).append(definition)
    found: dict[str, ConditionalMacro] = {}
    unclear = {name for name in definitions if name in undefined or reserved_word(name, to_implementation=False)}
    partly: dict[str, str] = {}
    for name, each in definitions.items():
        macro = _macro(name, each, partly) if name not in unclear else None
        words = {word for condition, _ in macro.cases for word in _words_without(condition, partly)} if macro else set()
        if macro is not None and not words & unclear:
            found[name] = macro
        elif (len(each) > 1 or each[0].path) and not _is_guarded(name, each):
            holds = "" if name in unclear else _where_defined(name, each, partly)
            unclear.add(name)  # a condition asks for what comes before it
            if holds and not set(_words_without(holds, {name: ""})) & unclear:
                partly[name] = holds
    return found


def ended_macros(text: str) -> dict[str, tuple[int, tuple[_Case, ...]]]:
    """Find the macros without parameters that a header defines and, after all of these definitions, undefines.

    Args:
        text: of the header.

    Returns:
        Name to the line of the first definition, and the cases. The last case has no condition.
    """
    history: dict[str, list[_Definition | None]] = {}
    for name, definition in _definitions(text):
        history.setdefault(name, []).append(definition)
    ended = {
        name: each for name, each in history.items() if len(each) > 1 and None not in each[:-1] and each[-1] is None
    }
    conditional = conditional_macros([_UNDEFINE.sub(lambda match: "" if match[1] in ended else match[0], text)])
    found: dict[str, tuple[int, tuple[_Case, ...]]] = {}
    for name, each in ended.items():
        first, macro = each[0], conditional.get(name)
        cases = macro.cases if macro else (("", first.body),) if first and len(each) == 2 and not first.path else ()
        if cases and first is not None and first.parameters is None:
            place = re.search(rf"#[ \t]*define[ \t]+{name}\b", text)
            found[name] = (text.count("\n", 0, place.start()) + 1 if place else 1, cases)
    return found


def _is_guarded(name: str, definitions: Sequence[_Definition]) -> bool:
    """True for a macro that is defined once, where nothing has defined it before: it is always defined."""
    path = definitions[0].path
    return len(definitions) == 1 and len(path) == 1 and path[0][0].conditions == [f"!defined({name})"]


def _words_without(condition: str, partly: Iterable[str]) -> list[str]:
    """Return the names in a condition, without those that `defined` asks for and whose own conditions are known."""
    known = set(partly)
    asked = _DEFINED.sub(lambda match: "" if (match[1] or match[2]) in known else match[0], condition)
    return _WORD.findall(asked)


def _where_defined(name: str, definitions: Iterable[_Definition], partly: Mapping[str, str]) -> str:
    """Return the condition on which a header defines a macro that it defines below conditions only.

    The result holds as well where the macro is defined before the header.
    """
    alternatives = [f"defined({name})"]
    for each in definitions:
        parts: list[str] = []
        for chain, branch in each.path:
            before = [f"!({condition})" for condition in chain.conditions[:branch]]
            parts += [_resolved(part, partly) for part in (*before, chain.conditions[branch]) if part]
        joined = ""
        for part in parts:
            joined = _both(joined, part)
        rest = [part for part in operands(joined) if part.replace(" ", "") != f"!defined({name})"]
        rest = [_bare(rest[0])] if len(rest) == 1 else rest
        text = " && ".join(rest)
        if not text or name in _WORD.findall(text):
            return ""
        alternatives.append(f"({text})" if len(rest) > 1 or "?" in text else text)
    return f"({' || '.join(alternatives)})"


def _resolved(condition: str, partly: Mapping[str, str]) -> str:
    """Return a condition that also holds where the header itself has defined a macro that is asked for."""
    resolved = _DEFINED.sub(lambda match: partly.get(match[1] or match[2], match[0]), condition)
    return _bare(resolved) if resolved != condition else condition


def _bare(condition: str) -> str:
    """Return a condition without parentheses around all of it."""
    depth = 0
    for at, character in enumerate(condition):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if not depth and at < len(condition) - 1:
            return condition
    return condition[1:-1] if condition[:1] == "(" else condition


def _definitions(text: str) -> Iterator[tuple[str, _Definition | None]]:
    """Yield the macros that a header defines, and, with None, those that it undefines."""
    found, guards = scan(text), {f"!defined({each})" for each in outline_of(text).guards}
    stack: list[tuple[_Chain, int]] = []
    for directive in found.directives:
        rest = " ".join(without_comments(found.text[directive.rest : directive.end]).split())
        if directive.name in ("if", "ifdef", "ifndef"):
            stack.append((_Chain([_condition(directive.name, rest)]), 0))
        elif directive.name in _BRANCHES and stack:
            chain = stack[-1][0]
            chain.conditions.append(_condition(directive.name.removeprefix("el"), rest))
            stack[-1] = (chain, len(chain.conditions) - 1)
        elif directive.name == "endif" and stack:
            stack.pop()
        elif directive.name == "undef":
            yield rest, None
        elif directive.name == "define":
            path = tuple(each for each in stack if each[0].conditions[0] not in guards)
            with suppress(BadDefinitionError):
                made = parse_definition(found.text[directive.rest : directive.end])
                yield made.name, _Definition(path, made.parameters, folded(made.body))


def _condition(directive: str, rest: str) -> str:
    """Return the condition of a branch as `#if` takes it; empty for `#else`."""
    if directive == "se":
        return ""
    return {"ifdef": f"defined({rest})", "ifndef": f"!defined({rest})"}.get(directive, rest)


def _macro(name: str, definitions: Sequence[_Definition], partly: Mapping[str, str]) -> ConditionalMacro | None:
    """Return one macro, if it is always defined, as something that takes the same arguments."""
    if not any(each.path for each in definitions) or len({each.parameters for each in definitions}) > 1:
        return None
    found = _outcomes(name, definitions, 0, None)
    guarded = _outcomes(name, definitions, 0, name) == [("", name)]
    cases = [(_resolved(condition, partly), text) for condition, text in found or () if text is not None]
    if found is None or len(cases) < max(2, len(found)) or cases[-1][0]:
        return None
    return ConditionalMacro(definitions[0].parameters, tuple(cases), guarded)


def _outcomes(
    name: str, definitions: Sequence[_Definition], depth: int, before: str | None
) -> list[tuple[str, str | None]] | None:
    """Return the texts of a macro after some of its definitions; None where they cannot be told.

    Args:
        name: of the macro.
        definitions: those that are in the same branches of all outer chains.
        depth: how many chains these are.
        before: its text before them, or its name if it is not known; None where it is not defined.

    Returns:
        Conditions and texts, of which the first counts whose condition holds; the last condition is empty. A text is
        None where the macro is not defined.
    """
    chains: dict[int, list[_Definition]] = {}
    for each in definitions:
        chains.setdefault(id(each.path[depth][0]) if len(each.path) > depth else -len(chains) - 1, []).append(each)
    found: list[tuple[str, str | None]] = [("", before)]
    for inside in chains.values():
        after: list[tuple[str, str | None]] = []
        for condition, text in found:
            made = _branches(name, inside, depth, text)
            if made is None:
                return None
            after += [(_both(condition, when), each) for when, each in made]
        found = after
        if len(found) > _MOST_CASES:
            return None
    while len(found) > 1 and found[-2][1] == found[-1][1]:
        del found[-2]
    return found


def _branches(
    name: str, inside: Sequence[_Definition], depth: int, before: str | None
) -> list[tuple[str, str | None]] | None:
    """Return the texts of a macro after one chain, or after one definition below no further condition."""
    if len(inside[0].path) == depth:
        return [("", inside[0].body)] if before is None or before == inside[0].body else None
    found: list[tuple[str, str | None]] = []
    for branch, condition in enumerate(inside[0].path[depth][0].conditions):
        holds = _where_known(name, condition, is_defined=before is not None)
        if holds is None:
            continue
        if name in _WORD.findall(holds):
            return None
        below = _outcomes(name, [each for each in inside if each.path[depth][1] == branch], depth + 1, before)
        if below is None:
            return None
        found += [(_both(holds, when), text) for when, text in below]
        if not holds:
            return found
    return [*found, ("", before)]


def _where_known(name: str, condition: str, *, is_defined: bool) -> str | None:
    """Return a condition where it is known if a macro is defined: empty if it holds, None if it does not."""
    rest: list[str] = []
    for each in operands(condition) if condition else ():
        compact = "".join(each.split())
        asks = next((not_ for not_ in ("", "!") if compact in (f"{not_}defined({name})", f"{not_}defined{name}")), None)
        if asks is None:
            rest.append(each)
        elif (asks == "") != is_defined:
            return None
    return " && ".join(rest)


def _both(outer: str, inner: str) -> str:
    """Return the condition that two of them hold, of which each may be empty."""
    if not outer or not inner:
        return outer or inner
    return " && ".join(f"({each})" if "|" in each or "?" in each else each for each in (outer, inner))
