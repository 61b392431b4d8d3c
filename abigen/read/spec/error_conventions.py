"""What a spec says of errors (`conventions.errors`): the status object, and what results of functions mean."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from msgspec.structs import replace

from abigen.model.api import Api, Conventions
from abigen.model.contract import NOTHING_RETURNED, ErrorRecord, Errors, LastError, ResultCodes, Returned
from abigen.model.ctype import Basic, BitInt, CType, unqualified
from abigen.read.document.tree import Item, Problems, Scalar
from abigen.read.spec.c_types import TypeReader
from abigen.read.spec.spec_names import SpecNames

_CODES = ("ok", "failed", "unsupported")
_LAST = ("code", "message", "set")


def read_errors(root: Item, context: Api, types: TypeReader) -> tuple[Errors | None, Returned]:
    """How functions report errors: as the spec says, or as the first used spec that says anything.

    Args:
        root: the spec.
        context: what the used specs declare.
        types: reads the types of results.
    """
    conventions = [each for _, each in context.used.values()]
    item = root.item("conventions").item("errors")
    says_object = item.has("codes")
    errors = next((each.errors for each in conventions if each.errors), None)
    if says_object:
        keys = {key: item.text(key) for key in ("status", "set", "code", "message")}
        errors = Errors(**keys, codes=item.item("codes").table(), file=root.source.file)
    returned = _returned(item, types)
    if not returned and not says_object:
        inherited = next((each.returned for each in conventions if each.returned), NOTHING_RETURNED)
        returned = replace(inherited, exempt=(*inherited.exempt, *returned.exempt))
    return errors, returned


def _returned(item: Item, types: TypeReader) -> Returned:
    said, last = item.item("result"), item.item("last_error")
    type = types.type(said.scalar("type"))
    result = None
    if type is not None:
        ok, failed, unsupported = (_code(said.scalar(key)) for key in _CODES)
        others = tuple(map(_code, said.scalars("codes")))
        result = ResultCodes(type=type, ok=ok, failed=failed, unsupported=unsupported or failed, codes=others)
    number = item.scalar("negative_errno")
    negative: CType | None = None
    if number is not None:
        negative = types.type(number) if number.kind != "boolean" else Basic("int") if number.is_true else None
    return Returned(
        result=result,
        negative=negative,
        null=item.flag("null_fails"),
        error=item.text("returned_error"),
        last=LastError(**{key: last.text(key) for key in _LAST}),
        record=ErrorRecord(**{key: item.item("record").text(key) for key in ("struct", "message", "release")}),
        exempt=item.texts("except"),
    )


def _code(scalar: Scalar | None) -> str:
    """A code as C writes it."""
    if scalar is None or scalar.kind != "boolean":
        return scalar.text if scalar else ""
    return "true" if scalar.is_true else "false"


def check_error_names(errors: Item, names: SpecNames, problems: Problems) -> None:
    """What is said of errors names things that are declared, here or in a used spec.

    Args:
        errors: what the spec says of them.
        names: what is declared.
        problems: receives what is wrong.
    """
    result, last = errors.item("result"), errors.item("last_error")
    functions, codes = names.of_kinds("function"), names.of_kinds("constant", "enumerator")
    _check(errors, ("status", "returned_error"), "type", names.of_kinds("handle", "typedef", "struct"), problems)
    _check(errors, ("set", "code", "message"), "function", functions, problems)
    _check(errors.item("codes"), tuple(errors.item("codes").values), "code", codes, problems)
    _check(last, _LAST, "function", functions, problems)
    _check(errors.item("record"), ("struct",), "struct", names.of_kinds("struct"), problems)
    for scalar in (*filter(None, map(result.scalar, _CODES)), *result.scalars("codes")):
        is_number = scalar.kind in ("integer", "boolean") or scalar.text.lstrip("-").isdigit()
        if not is_number and scalar.text not in codes:
            problems.unknown(scalar.span, f"there is no code '{scalar.text}'", scalar.text, codes)


def _check(item: Item, keys: Sequence[str], what: str, known: Sequence[str], problems: Problems) -> None:
    for scalar in filter(None, map(item.scalar, keys)):
        if scalar.text not in known:
            problems.unknown(scalar.span, f"there is no {what} '{scalar.text}'", scalar.text, known)


def check_errors(errors: Item, conventions: Conventions, api: Api, problems: Problems) -> None:
    """What is said of errors fits the functions and types that it names.

    Args:
        errors: what the spec says of them.
        conventions: what was made of it.
        api: all that the spec declares.
        problems: receives what is wrong.
    """
    returned = conventions.returned
    for key, type in (("type", returned.result.type if returned.result else None), ("", returned.negative)):
        place = errors.item("result").place("type") if key else errors.place("negative_errno")
        number = api.resolve(unqualified(type)) if type is not None else Basic("int")
        if isinstance(number, BitInt) or not api.holds_whole_numbers(number):
            what = "an enumeration or an integer type" if key else "a signed integer type"
            problems.error(place, f"errors that functions return need {what}")
    members = (f"{key}.{each.name}" for key, struct in api.structs.items() for each in struct.fields or ())
    known = frozenset(chain(api.functions, members))
    for scalar in errors.scalars("except"):
        if scalar.text not in known:
            problems.unknown(scalar.span, f"there is no function or member '{scalar.text}'", scalar.text, known)
    last = errors.item("last_error")
    for key, fits in (("code", (0,)), ("message", (0,)), ("set", (1, 2))):
        function = api.functions.get(last.text(key))
        if function is not None and len(function.type.parameters) not in fits:
            problems.error(last.place(key), f"'{function.name}' is called as {_call(key)}")
    _check_record(errors.item("record"), api, problems)
    if errors.keys and not (conventions.errors or returned):
        hint = "state status, result, negative_errno, null_fails, returned_error or last_error"
        problems.error(errors.span, "nothing is said of how functions report errors", hint)


def _check_record(record: Item, api: Api, problems: Problems) -> None:
    """Check that the struct which tells of errors has the members that the spec names."""
    struct = api.structs.get(record.text("struct"))
    known = [each.name for each in struct.fields or ()] if struct is not None else []
    for scalar in filter(None, map(record.scalar, ("message", "release"))):
        if struct is not None and scalar.text not in known:
            problems.unknown(scalar.span, f"'{struct.name}' has no member '{scalar.text}'", scalar.text, known)


def _call(key: str) -> str:
    return "set(message) or set(code, message)" if key == "set" else f"{key}(), without arguments"
