"""A translation unit after preprocessing: what the preprocessors hand to the declaration reader."""

from __future__ import annotations

import msgspec

from abigen.model.span import Diagnostic, IncludedFile, Span


class Token(msgspec.Struct, frozen=True, gc=False):
    """A token of the preprocessed text with its place in the file that the user wrote.

    `kind` is one of `id`, `number`, `char`, `string`, `punct`, `pragma` (the text is what stands behind `#pragma`).
    A token that came out of a macro has the place of the macro's invocation, `macro` is that macro's name, and `width`
    is the length of the invocation's name; else `width` is 0 and the token covers its own text. One that the user wrote
    as an argument of a macro has its own place, and `macro` is set nevertheless. `line` and `column` count from 1, in
    characters.
    """

    kind: str
    text: str
    file: str
    line: int
    column: int
    macro: str = ""
    width: int = 0

    @property
    def span(self) -> Span:
        """The token's place, as messages and entities carry it."""
        return Span(self.file, self.line, self.column, self.width or max(1, len(self.text)))


class Comment(msgspec.Struct, frozen=True):
    """A comment as it was written, markers included; `trailing` when code stands before it on its first line."""

    text: str
    file: str
    line: int
    column: int
    end_line: int
    trailing: bool

    @property
    def span(self) -> Span:
        """The place of the comment's first line."""
        return Span(self.file, self.line, self.column, max(1, len(self.text.partition("\n")[0])))


class MacroDefinition(msgspec.Struct, frozen=True):
    """A `#define`; `parameters` is None for an object-like macro; a variadic one has `...` (or `name...`) last."""

    name: str
    parameters: tuple[str, ...] | None
    body: str
    file: str
    line: int
    column: int

    @property
    def span(self) -> Span:
        """The place of the macro's name in its definition."""
        return Span(self.file, self.line, self.column, max(1, len(self.name)))


class HiddenText(msgspec.Struct, frozen=True):
    """Text between two directives that is not read; `place` is that of the condition which hides it."""

    place: Span
    condition: str
    lines: range
    text: str


class Unit(msgspec.Struct, frozen=True, kw_only=True):
    """A header, preprocessed for one target.

    `tokens` holds the declarations of the API's own files and of what they include, except of system headers: those
    are in `system_tokens`, because hardly any of their declarations is ever asked for. `comments` are those of the
    API's own files. `macros` are the definitions alive at the end, in order of definition, those of included files and
    the predefined ones too (their `file` is then `<built-in>`). `dependencies` are all files read.
    """

    tokens: tuple[Token, ...]
    comments: tuple[Comment, ...]
    macros: tuple[MacroDefinition, ...]
    own_files: tuple[str, ...]
    dependencies: tuple[str, ...]
    diagnostics: tuple[Diagnostic, ...] = ()
    system_files: tuple[str, ...] = ()
    """The files of `dependencies` that came from the system's include path."""
    system_tokens: tuple[Token, ...] = ()
    """The declarations of system headers, in the order of inclusion; the reader reads only those that are used."""
    questions: frozenset[str] = frozenset()
    """The names on which it depends what the user's files mean: those in conditionals, of the macros that are used, and
    in the bodies of macros; `defined NAME` where it only matters whether it is defined. Files of the system do not
    count."""
    system_macros: frozenset[str] = frozenset()
    """The names in `questions` that a system header has defined."""
    included: tuple[IncludedFile, ...] = ()
    """The files that `#include` has found."""
    missing: tuple[str, ...] = ()
    """Headers of another target's system that were not found and have been left out, with a warning: what they would
    have declared is missing, so an error in what follows may come from that."""
    hidden: tuple[HiddenText, ...] = ()
    """The text of the API's own files below conditions that do not hold."""
    compiler: str = ""
    """Path of the compiler that was asked for its macros and include path; empty when none was."""
