"""Macros that a header defines in one way or another, by what holds where it is compiled."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache

import msgspec

from abigen.model.contract import operands
from abigen.model.spelling import reserved_word
from abigen.read.c.preprocessor.lexemes import folded, outline_of, scan, without_comments
from abigen.read.c.preprocessor.macros import BadDefinitionError, parse_definition

_WORD = re.compile(r"[A-Za-z_]\w*")
_DEFINED = re.compile(r"\bdefined\s*(?:\(\s*(\w+)\s*\)|(\w+))")
_UNDEFINE = re.compile(r"^[ \t]*#[ \t]*undef[ \t]+(\w+)", re.MULTILINE)
_MOST_CASES = 64
"""How many conditions a macro may depend on."""
_BRANCHES = ("else", "elif", "elifdef", "elifndef")
_Case = tuple[str, str]
"""A condition, empty for otherwise, and the text that a macro stands for then."""


class ConditionalMacro(msgspec.Struct, frozen=True):
    """A macro that is always defined, as one of several texts."""

    parameters: tuple[str, ...] | None
    """None for a macro that takes no arguments."""
    cases: tuple[_Case, ...]
    """The first whose condition holds counts; the last one has none."""
    guarded: bool
    """All of it counts only where nothing has defined the macro before."""


class _Chain(msgspec.Struct):
    """One `#if` with its branches."""

    conditions: list[str] = msgspec.field(default_factory=list)
    """Of each branch; empty for `#else`."""


class _Definition(msgspec.Struct, frozen=True):
    """One `#define` of a macro."""

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
    """The macros that a header defines, and, with None, those that it undefines."""
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
    """The condition of a branch as `#if` takes it; empty for `#else`."""
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
    """The condition that two of them hold, of which each may be empty."""
    if not outer or not inner:
        return outer or inner
    return " && ".join(f"({each})" if "|" in each or "?" in each else each for each in (outer, inner))
