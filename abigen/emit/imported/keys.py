"""The values of single keys of a spec."""

from __future__ import annotations

import re
from collections.abc import Container

from abigen.emit.imported.surroundings import Document
from abigen.model.contract import Contract
from abigen.model.ctype import Expression
from abigen.model.entities import Constant, Enum, Struct
from abigen.model.spelling import spell_expression
from abigen.model.version import Version

_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*")
_NUMBER = re.compile(r"-?(0|[1-9]\d{0,17})")


def contract_keys(contract: Contract, deprecated_at: Version | None) -> Document:
    """What two sides have agreed about an entity, by the keys of a spec.

    Args:
        contract: the agreement.
        deprecated_at: the release that marked it, where a history tells; None where none does.
    """
    found: Document = {}
    if contract.is_required:
        found["required"] = True
    elif contract.condition:
        condition = contract.condition
        sides = {"when": condition.when, "unless": condition.unless}
        found["required"] = {name: path for name, path in sides.items() if path}
    elif contract.is_optional:
        found["optional"] = True
    found |= {"zero": contract.zero.value} if contract.zero else {}
    found |= {"set_by": contract.set_by.value} if contract.set_by else {}
    found |= {"must_be_understood": True} if contract.must_be_understood else {}
    found |= {"reserved": True} if contract.reserved else {}
    life = contract.lifecycle
    found |= {"replaces": life.replaces} if life.replaces else {}
    if life.deprecated:
        since = deprecated_at or life.deprecated_since
        said = {"since": str(since)} if since else {}
        said |= {"use": life.replaced_by} if life.replaced_by else {}
        found["deprecated"] = said or True
    return found


def tag_key(entity: Struct | Enum) -> Document:
    """The tag of a struct or enumeration, where it is not its name."""
    return {"tag": entity.tag} if entity.tag != entity.name else {}


def value_of(constant: Constant, known: Container[str]) -> object:
    """The number or text that a constant stands for.

    Args:
        constant: of a header.
        known: names that a spec knows; what the text says by others, such as `UINT32_MAX`, is said by the value.
    """
    text = constant.text
    if constant.expression is not None and any(name not in known for name in _NAME.findall(text)):
        text = spell_expression(constant.expression)
    return int(text) if _NUMBER.fullmatch(text) else text


def number_of(expression: Expression) -> object:
    """An expression as a number if it is one, else as C writes it."""
    text = spell_expression(expression)
    return int(text) if _NUMBER.fullmatch(text) else text
