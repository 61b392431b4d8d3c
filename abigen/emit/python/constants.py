"""Constants of C's as literals of Python's."""

from __future__ import annotations

import ast
import re

from abigen.emit.python.code import literal
from abigen.emit.python.declarations import Declarations
from abigen.emit.python.names import OF_ENUMS, python_name
from abigen.emit.python.scope import Scope
from abigen.model.api import Api
from abigen.model.ctype import Name
from abigen.model.entities import Constant, Enum

_STRING = re.compile(r'(?:"(?:[^"\\]|\\.)*"\s*)+')
_FLOAT = re.compile(r"[-+]?(\d+\.\d*|\.\d+|\d+(?=[eE]))([eE][-+]?\d+)?(?=[fFlL]?$)")


def constant_value(constant: Constant, api: Api, declarations: Declarations, scope: Scope) -> str:
    """Write the value of a constant.

    Args:
        constant: an object-like macro.
        api: where enumerators are.
        declarations: what knows values that are the same everywhere.
        scope: of the module that the value stands in.

    Returns:
        An expression; empty for what has no value in Python: an attribute, a type, what depends on the target.
    """
    if isinstance(constant.expression, Name):
        found = _enumerator(constant.expression.name, api)
        if found is not None:
            return f"{scope.name(found)}.{python_name(constant.expression.name, OF_ENUMS)}"
    if constant.expression is not None:
        number = declarations.number(constant.expression)
        return "" if number is None else str(number)
    text = constant.text.strip()
    if _STRING.fullmatch(text):
        return _string(text)
    if _FLOAT.match(text):
        return repr(float(text.rstrip("fFlL")))
    return ""


def _enumerator(name: str, api: Api) -> Enum | None:
    """The enumeration that an enumerator belongs to, through constants that stand for it."""
    for enum in api.enums.values():
        if any(each.name == name for each in enum.enumerators or ()):
            return enum
    return None


def _string(text: str) -> str:
    """A string literal of C's; empty when it has escapes that only C knows."""
    parts = re.findall(r'"((?:[^"\\]|\\.)*)"', text)
    try:
        return literal("".join(ast.literal_eval(f'"{part}"') for part in parts))
    except (SyntaxError, ValueError):
        return ""
