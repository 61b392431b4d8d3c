"""Tests that results mean success or failure as `conventions.errors` states."""

from __future__ import annotations

import pytest

from abigen.model.contract import ResultKind, ResultMeaning
from tests.specs.language.samples import read_text

SPEC = """\
abigen: 1
api: toy
conventions:
  errors: ERRORS
enums:
  - {name: TY_Code, enumerators: [{name: TY_OK}, {name: TY_FAIL}, {name: TY_BUSY}]}
typedefs:
  - {name: ty_code, type: int}
  - {name: TY_Alias, type: TY_Code}
structs:
  - name: TY_Fns
    versioned: false
    fields: [{name: get, type: TY_Code (*)(void)}, {name: rest, type: TY_Code (*)(void)}]
functions:
  - {name: ty_enum, type: TY_Alias (void)}
  - {name: ty_int, type: int (void)}
  - {name: ty_named, type: ty_code (void)}
  - {name: ty_pointer, type: TY_Fns* (void)}
  - {name: ty_void, type: void (void)}
  - {name: ty_start, type: TY_Code (void), implemented_by: plugin, entry_point: true}
  - {name: ty_begin, type: int (void), implemented_by: plugin, entry_point: true}
  - {name: ty_table, type: TY_Fns* (void), implemented_by: plugin, entry_point: true}
  - {name: ty_error, type: char* (void), implemented_by: plugin, entry_point: true}
"""
CODES = ResultMeaning(kind=ResultKind.CODE, ok="TY_OK", failed="TY_FAIL", unsupported="TY_BUSY")
NUMBERS = ResultMeaning(kind=ResultKind.CODE, ok="0", failed="-1", unsupported="-1")
NEGATIVE = ResultMeaning(kind=ResultKind.NEGATIVE, ok="0", failed="-EIO", unsupported="-ENOTSUP")
NULL = ResultMeaning(kind=ResultKind.NULL, failed="NULL", unsupported="NULL")
USUAL = {
    "ty_start": ResultMeaning(kind=ResultKind.CODE, ok="TY_OK", failed="TY_FAIL", unsupported="TY_FAIL"),
    "ty_begin": ResultMeaning(kind=ResultKind.CODE, ok="0", failed="1", unsupported="1"),
    "ty_table": ResultMeaning(kind=ResultKind.NULL, failed="NULL"),
    "ty_error": ResultMeaning(kind=ResultKind.COMPLAINT, failed="NULL"),
}


@pytest.mark.parametrize(
    ("errors", "expected"),
    [
        pytest.param(
            "{result: {type: TY_Code, ok: TY_OK, failed: TY_FAIL, unsupported: TY_BUSY}, except: [TY_Fns.rest]}",
            {"ty_enum": CODES, "ty_start": CODES, "TY_Fns.get": CODES},
            id="an enumeration",
        ),
        pytest.param("{result: {type: ty_code, ok: 0, failed: -1}}", {"ty_named": NUMBERS}, id="a typedef"),
        pytest.param(
            "{result: {type: int, ok: 0, failed: -1}}",
            {"ty_int": NUMBERS, "ty_begin": NUMBERS},
            id="an integer type",
        ),
        pytest.param(
            "{negative_errno: true, except: [ty_named]}", {"ty_int": NEGATIVE, "ty_begin": NEGATIVE}, id="errno"
        ),
        pytest.param("{null_fails: true}", {"ty_pointer": NULL, "ty_table": NULL, "ty_error": NULL}, id="pointers"),
    ],
)
def test_results_tell_of_errors_as_the_spec_says(errors: str, expected: dict[str, ResultMeaning]) -> None:
    api = read_text(SPEC.replace("ERRORS", errors))
    found = {key: api.outcome(each.type, key, entry_point=each.entry_point) for key, each in api.functions.items()}
    for field in api.structs["TY_Fns"].fields or ():
        type = api.callback(field.type)
        assert type is not None
        found[f"TY_Fns.{field.name}"] = api.outcome(type, f"TY_Fns.{field.name}")
    assert {key: each for key, each in found.items() if each} == {**USUAL, **expected}
