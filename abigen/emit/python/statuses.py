"""How an API's statuses are made and read, where its conventions say so: what exceptions need."""

from __future__ import annotations

from dataclasses import dataclass

from abigen.emit.python.code import Code, call, literal
from abigen.emit.python.scope import Scope
from abigen.model.api import Api, Errors
from abigen.model.ctype import Literal, Name
from abigen.model.entities import Handle


@dataclass(frozen=True, kw_only=True)
class StatusFunctions:
    """The functions of a status."""

    errors: Errors
    create: str
    destroy: str


def find_statuses(api: Api) -> StatusFunctions | None:
    """Find out how functions of an API report errors; None where nobody can make a status for them to fill."""
    errors = api.conventions.errors
    if errors is None:
        return None
    handle = api.typedefs.get(errors.status)
    if not isinstance(handle, Handle):
        return None
    create = api.functions.get(handle.create)
    destroy = api.functions.get(handle.destroy)
    if create is None or destroy is None or create.type.parameters or len(destroy.type.parameters) != 1:
        return None
    return StatusFunctions(errors=errors, create=handle.create, destroy=handle.destroy)


def statuses_code(api: Api, statuses: StatusFunctions, scope: Scope) -> Code:
    """An expression that makes what turns statuses into exceptions."""
    errors = statuses.errors
    names = {
        "new": statuses.create,
        "delete": statuses.destroy,
        "set": errors.set,
        "code": errors.code,
        "message": errors.message,
    }
    arguments = []
    for role, name in names.items():
        function = api.functions[name]
        arguments.append(f"{role}=({scope.symbols(function)}, {literal(name)})")
    enum = api.enum_of(api.functions[errors.code].type.result)
    arguments.append(f"code_type={scope.name(enum) if enum else 'int'}")
    arguments.append(f"ok={_value(errors.codes['ok'], api)}")
    arguments.append(f"failed={_value(errors.code_for('internal'), api)}")
    return call("_rt.Statuses", *arguments)


def _value(name: str, api: Api) -> int:
    """The number of a code."""
    for enum in api.enums.values():
        for each in enum.enumerators or ():
            if each.name == name:
                return each.value
    expression = api.constants[name].expression
    if isinstance(expression, Name):
        return _value(expression.name, api)
    assert isinstance(expression, Literal), f"the code {name} is no number"
    return expression.value
