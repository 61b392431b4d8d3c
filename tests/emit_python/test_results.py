"""Results that tell of errors: exceptions where Python calls, and never a success where Python's function raises."""

from __future__ import annotations

import errno
import sys
from typing import Any

import pytest

from tests.emit_python.building import compile_library, generate, load_package

SPEC = """
abigen: 1
api: lamps
prefix: LA
python: {package: lamps_for_tests}
conventions:
  errors:
    result: {type: LA_Result, ok: LA_OK, failed: LA_FAILED, unsupported: LA_UNKNOWN}
    negative_errno: int64_t
    null_fails: true
    last_error: {message: LA_Message}
enums:
  - name: LA_Result
    enumerators: [{name: LA_OK, value: 0}, {name: LA_BUSY, value: 3}, {name: LA_FAILED, value: 7}, {name: LA_UNKNOWN}]
callbacks:
  - {name: LA_Step, type: LA_Result (*)(int at)}
  - {name: LA_Count, type: int64_t (*)(int at)}
  - {name: LA_Find, type: const char* (*)(int at)}
structs:
  - name: LA_Lamp
    versioned: false
    fields:
      - {name: lit, type: "LA_Result (*)(int at, int32_t* power)"}
      - {name: count, type: LA_Count}
functions:
  - {name: LA_Run, implemented_by: core, type: "LA_Result (LA_Step step, int at)"}
  - {name: LA_Sum, implemented_by: core, type: "int64_t (LA_Count count, int at)"}
  - {name: LA_Name, implemented_by: core, type: "const char* (LA_Find find, int at)"}
  - {name: LA_Power, implemented_by: core, outputs: [power], type: "LA_Result (int at, int32_t* power)"}
  - {name: LA_Message, implemented_by: core, type: const char* (void)}
"""
CORE = """
#include <stddef.h>
#include "lamps.h"
LA_Result LA_Run(LA_Step step, int at) { return step(at); }
int64_t LA_Sum(LA_Count count, int at) { return count(at); }
const char* LA_Name(LA_Find find, int at) { return find(at); }
LA_Result LA_Power(int at, int32_t* power) { *power = at * 2; return at < 0 ? LA_BUSY : LA_OK; }
const char* LA_Message(void) { return "it is dark"; }
"""


@pytest.fixture(scope="module")
def lamps(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("lamps")
    (folder / "spec").mkdir()
    (folder / "spec/lamps.yaml").write_text(SPEC)
    (folder / "core.c").write_text(CORE)
    generate(folder, folder / "spec")
    package: Any = load_package(folder / "python", "lamps_for_tests")
    package.core.load(compile_library(folder / "core.c", folder / "libcore.so", folder / "c"))
    return load_package(folder / "python", "lamps_for_tests.lamps")


@pytest.fixture
def printed(monkeypatch: pytest.MonkeyPatch) -> list[type]:
    """The exceptions that Python has printed, since nobody could be told of them."""
    found: list[type] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda each: found.append(each.exc_type))
    return found


def _error(lamps: Any, code: int) -> Exception:
    from plugin_api_runtime_v1 import StatusError  # type: ignore[import-not-found]

    error: Exception = StatusError(lamps.LA_Result(code))
    return error


def _raise(error: Exception) -> Any:
    raise error


def test_a_code_is_raised_by_its_name(lamps: Any) -> None:
    assert lamps.LA_Power(4) == 8
    with pytest.raises(Exception, match="LA_BUSY: it is dark") as caught:
        lamps.LA_Power(-1)
    assert caught.value.code is lamps.LA_Result.LA_BUSY  # type: ignore[attr-defined]


def test_what_a_function_of_python_s_raises_is_the_code_that_c_gets(lamps: Any, printed: list[type]) -> None:
    assert lamps.LA_Run(lambda at: None, 1) is None
    with pytest.raises(Exception, match="LA_BUSY"):
        lamps.LA_Run(lambda at: _raise(_error(lamps, 3)), 1)
    with pytest.raises(Exception, match="LA_FAILED"):
        lamps.LA_Run(lambda at: _raise(_error(lamps, 0)), 1)
    assert printed == []
    with pytest.raises(Exception, match="LA_FAILED"):
        lamps.LA_Run(lambda at: 1 // 0, 1)
    assert printed == [ZeroDivisionError]


def test_a_member_gives_its_results_beside_the_code(lamps: Any) -> None:
    lamp = lamps.LA_Lamp(lit=lambda at: at + 1, count=lambda at: at)
    assert lamp.lit(4) == 5
    lamp.lit = lambda at: _raise(_error(lamps, 8))
    with pytest.raises(Exception, match="LA_UNKNOWN"):
        lamp.lit(4)


def test_a_negative_error_number_is_an_os_error(lamps: Any, printed: list[type]) -> None:
    assert lamps.LA_Sum(lambda at: at * 2**40, 3) == 3 * 2**40
    with pytest.raises(PermissionError) as caught:
        lamps.LA_Sum(lambda at: _raise(PermissionError(errno.EACCES, "no")), 3)
    assert caught.value.errno == errno.EACCES
    with pytest.raises(OSError) as other:
        lamps.LA_Sum(lambda at: [][at], 3)
    assert other.value.errno == errno.EIO
    assert printed == [IndexError]
    lamp = lamps.LA_Lamp(count=lambda at: _raise(OSError("without a number")))
    with pytest.raises(OSError) as last:
        lamp.count(1)
    assert last.value.errno == errno.EIO


def test_null_is_an_error_where_the_api_says_so(lamps: Any, printed: list[type]) -> None:
    assert lamps.LA_Name(lambda at: "lamp", 1) == "lamp"
    with pytest.raises(RuntimeError, match="LA_Name: it is dark"):
        lamps.LA_Name(lambda at: [][at], 1)
    assert printed == [IndexError]
