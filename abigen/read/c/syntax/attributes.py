"""What compilers add to declarations: attributes and pragmas."""

from __future__ import annotations

import re
from collections.abc import Callable

from abigen.model.span import Diagnostic
from abigen.read.c.syntax.specifiers import CALLING_CONVENTIONS
from abigen.read.c.syntax.trees import Attribute, Stream
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


_PACK = re.compile(r"pack\s*\((?P<arguments>[^)]*)\)")
_NUMBERS = frozenset((1, 2, 4, 8, 16))
_LAYOUT_PRAGMAS = frozenset(("scalar_storage_order", "options", "align", "struct"))


class PragmaState:
    """The limit of `#pragma pack` and the rule for bit-fields in force, as the pragmas met so far have set them."""

    def __init__(self, report: Callable[[Diagnostic], None]) -> None:
        """Begin with nothing packed; `report` hears of pragmas that cannot be obeyed."""
        self.pack: int | None = None
        """In bytes; None when nothing is packed."""
        self.bitfield_rule = ""
        self._report = report
        self._stack: list[tuple[str, int | None]] = []

    def apply(self, token: Token) -> None:
        """Obey a pragma (GCC manual, "Structure-Layout Pragmas").

        Args:
            token: of kind `pragma`; what is no pragma about layout is ignored, what cannot be modelled is reported.
        """
        words = token.text.split()
        if not words:
            return
        match = _PACK.match(token.text)
        if match is not None:
            self._pack(token, [each.strip() for each in match["arguments"].split(",") if each.strip()])
        elif words[0] == "ms_struct":
            self.bitfield_rule = "ms" if "on" in words[1:2] else ""
        elif words[0] in _LAYOUT_PRAGMAS or words[:2] == ["pack", "("]:
            message = f"#pragma {words[0]} may change the layout of structs in a way that is not understood"
            self._report(Diagnostic(token.span, message, severity="warning"))

    def _pack(self, token: Token, arguments: list[str]) -> None:
        """`pack(...)` with push, pop, a label and a number in any of the orders that compilers take."""
        action = arguments.pop(0) if arguments and arguments[0] in ("push", "pop", "show", "reset") else ""
        label = arguments.pop(0) if arguments and not arguments[0][0].isdigit() else ""
        number: int | None = None
        if arguments:
            try:
                number = int(arguments[0], 0)
            except ValueError:
                number = -1
            if number == 0:
                number = None
            elif number not in _NUMBERS:
                message = f"#pragma pack takes 1, 2, 4, 8 or 16, not {arguments[0]}; it is ignored"
                self._report(Diagnostic(token.span, message, severity="warning"))
                return
        if action == "push":
            self._stack.append((label, self.pack))
            if arguments:
                self.pack = number
        elif action == "pop":
            self._pop(token, label)
            if arguments:
                self.pack = number
        elif action != "show":
            self.pack = number

    def _pop(self, token: Token, label: str) -> None:
        """Back to what was in force at the matching push."""
        if not self._stack or (label and label not in (each for each, _ in self._stack)):
            message = "#pragma pack(pop) without a matching push; it is ignored"
            self._report(Diagnostic(token.span, message, severity="warning"))
            return
        while self._stack:
            name, pack = self._stack.pop()
            if not label or name == label:
                self.pack = pack
                return
