"""A translation unit after preprocessing: what the preprocessors hand to the declaration reader."""

from __future__ import annotations

from dataclasses import dataclass

from abigen.model.span import Diagnostic, Span


@dataclass(frozen=True)
class Token:
    """A token of the preprocessed text with its place in the file that the user wrote.

    `kind` is one of `id`, `number`, `char`, `string`, `punct`, `pragma` (the text is what stands behind `#pragma`).
    A token that came out of a macro has the span of the macro's invocation, and `macro` is that macro's name.
    """

    kind: str
    text: str
    span: Span
    macro: str = ""


@dataclass(frozen=True)
class Comment:
    """A comment as it was written, markers included; `trailing` when code stands before it on its first line."""

    text: str
    span: Span
    end_line: int
    trailing: bool


@dataclass(frozen=True)
class MacroDefinition:
    """A `#define`; `parameters` is None for an object-like macro, and contains `...` last when it is variadic."""

    name: str
    parameters: tuple[str, ...] | None
    body: str
    span: Span


@dataclass(frozen=True, kw_only=True)
class Unit:
    """One header, preprocessed for one target.

    `tokens` holds everything, that of included files too. `comments` and `conditionals` are those of the API's own files.
    `macros` are the definitions alive at the end, in order of definition, those of included files too. `dependencies` are all files read.
    """

    tokens: tuple[Token, ...]
    comments: tuple[Comment, ...]
    macros: tuple[MacroDefinition, ...]
    own_files: tuple[str, ...]
    dependencies: tuple[str, ...]
    diagnostics: tuple[Diagnostic, ...] = ()
    system_files: tuple[str, ...] = ()
    """Those of `dependencies` that came from the system's include path."""
