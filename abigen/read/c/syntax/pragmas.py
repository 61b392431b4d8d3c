"""Pragmas that change the layout of the structs behind them."""

from __future__ import annotations

import re
from collections.abc import Callable

from abigen.model.span import Diagnostic
from abigen.read.c.unit import Token

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
