"""Attributes, in each way that compilers let them be written: from tokens to names and arguments."""

from __future__ import annotations

from collections.abc import Callable

from abigen.model.span import Diagnostic
from abigen.read.c.syntax.trees import Attribute, Stream
from abigen.read.c.syntax.vocabulary import CALLING_CONVENTIONS
from abigen.read.c.unit import Token

_GNU_WORDS = ("__attribute__", "__attribute")
_DECLSPEC_WORDS = ("__declspec", "_declspec")


def take_attributes(
    stream: Stream, index: int, end: int, report: Callable[[Diagnostic], None]
) -> tuple[list[Attribute], int]:
    """Read the run of attributes that begins at a token.

    Args:
        stream: the tokens.
        index: where to begin.
        end: where the declaration ends.
        report: where errors in the list of attributes go.

    Returns:
        The attributes (none when no attribute begins there), and the index of the token behind them.
    """
    attributes: list[Attribute] = []
    tokens, partners = stream.tokens, stream.partners
    while index < end and starts_attribute(tokens[index]):
        token = tokens[index]
        if token.text in CALLING_CONVENTIONS:
            attributes.append(Attribute(CALLING_CONVENTIONS[token.text], (), token.span))
            index += 1
            continue
        is_standard = token.text == "["
        opening = index if is_standard else index + 1
        close = partners[opening] if opening < end and tokens[opening].text in "([" else -1
        if close <= opening:
            break
        is_double = partners[opening + 1] == close - 1 and tokens[opening + 1].text == tokens[opening].text
        if is_standard and not is_double:
            break
        inner = 1 + (is_double and token.text not in _DECLSPEC_WORDS)
        vendor = "standard" if is_standard else "gnu" if token.text in _GNU_WORDS else "declspec"
        attributes += _read_list(stream, opening + inner, close + 1 - inner, vendor, report)
        index = close + 1
    return attributes, index


def starts_attribute(token: Token) -> bool:
    """Whether a token may begin a run of attributes (`[` may)."""
    text = token.text
    return text == "[" or text in _GNU_WORDS or text in CALLING_CONVENTIONS or text in _DECLSPEC_WORDS


def _read_list(
    stream: Stream, index: int, end: int, vendor: str, report: Callable[[Diagnostic], None]
) -> list[Attribute]:
    """Attributes between brackets, separated by commas (GNU, C23) or by nothing (declspec)."""
    attributes: list[Attribute] = []
    tokens, partners = stream.tokens, stream.partners
    separated = True
    while index < end:
        token = tokens[index]
        index += 1
        if token.text == ",":
            separated = True
            continue
        if token.kind != "id" or (not separated and vendor != "declspec"):
            where = "attributes are separated by commas" if token.kind == "id" else ""
            report(Diagnostic(token.span, f"unexpected '{token.text}' among attributes", where))
            return attributes
        separated = False
        prefix = vendor
        if vendor == "standard" and index + 1 < end and tokens[index].text == "::":
            prefix = _plain(token.text)
            token = tokens[index + 1]
            index += 2
        arguments: tuple[Token, ...] = ()
        if index < end and tokens[index].text == "(" and partners[index] > 0:
            arguments = tuple(tokens[index + 1 : partners[index]])
            index = partners[index] + 1
        attributes.append(Attribute(_plain(token.text), arguments, token.span, prefix))
    return attributes


def _plain(name: str) -> str:
    """`__packed__` is `packed`."""
    return name[2:-2] if len(name) > 4 and name.startswith("__") and name.endswith("__") else name
