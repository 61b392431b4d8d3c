"""Results that tell of errors: exceptions where Python calls, and never a success where Python's function raises."""

from __future__ import annotations

import errno
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.generator.python.building import compile_library, generate, load_package

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
    last_error: {message: LA_Message, set: LA_Explain}
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
  - {name: LA_Explain, implemented_by: core, type: "void (int code, const char* message)"}
  - {name: LA_LastCode, implemented_by: core, type: int (void)}
"""
CORE = """
#include <stddef.h>
#include <stdio.h>
#include "lamps.h"
static char message[100] = "it is dark";
static int last_code = 0;
void LA_Explain(int code, const char* why) {
  last_code = code;
  (void)snprintf(message, sizeof(message), "%s", why);
}
int LA_LastCode(void) { return last_code; }
LA_Result LA_Run(LA_Step step, int at) { return step(at); }
int64_t LA_Sum(LA_Count count, int at) { return count(at); }
const char* LA_Name(LA_Find find, int at) { return find(at); }
LA_Result LA_Power(int at, int32_t* power) { *power = at * 2; return at < 0 ? LA_BUSY : LA_OK; }
const char* LA_Message(void) { return message; }
"""
LANTERNS = """
abigen: 1
api: lanterns
prefix: LN
python: {package: lamps_for_tests}
uses: [lamps]
structs:
  - {name: LN_Fns, versioned: false, fields: [{name: light, type: LA_Result (*)(int at)}]}
functions:
  - {name: LN_Light, implemented_by: core, type: LA_Result (int at)}
  - {name: LN_Name, implemented_by: core, type: const char* (int at)}
"""
LANTERNS_CORE = """
#include "lanterns.h"
LA_Result LN_Light(int at) { LA_Explain(at, "no oil"); return at ? LA_BUSY : LA_OK; }
const char* LN_Name(int at) { LA_Explain(at, "no name"); return at ? NULL : "lantern"; }
"""
SILENT = """
abigen: 1
api: bells
prefix: BE
python: {package: bells_for_tests}
callbacks:
  - {name: BE_Rule, type: int (*)(int at)}
  - {name: BE_Later, scope: once, type: int (*)(int at)}
  - {name: BE_Seen, type: void (*)(int at)}
structs:
  - name: BE_Bell
    versioned: false
    fields: [{name: pitch, type: int (*)(int at)}, {name: rung, type: void (*)(int at)}]
functions:
  - {name: BE_Ask, implemented_by: core, type: "int (BE_Rule rule, int at)"}
  - {name: BE_AskOnce, implemented_by: core, type: "int (BE_Later rule, int at)"}
  - {name: BE_Ring, implemented_by: core, type: "void (BE_Seen seen, int at)"}
"""
SILENT_CORE = """
#include "bells.h"
int BE_Ask(BE_Rule rule, int at) { return rule(at); }
int BE_AskOnce(BE_Later rule, int at) { return rule(at); }
void BE_Ring(BE_Seen seen, int at) { seen(at); }
"""


@pytest.fixture(scope="module")
def lamps(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return _built(tmp_path_factory.mktemp("lamps"), "lamps", SPEC, CORE + LANTERNS_CORE, lanterns=LANTERNS)


@pytest.fixture(scope="module")
def bells(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return _built(tmp_path_factory.mktemp("bells"), "bells", SILENT, SILENT_CORE)


def _built(folder: Path, name: str, spec: str, core: str, **others: str) -> Any:
    """Return the package of an API, with its core loaded; others are specs of APIs that it is built with."""
    (folder / "spec").mkdir()
    for each, text in {name: spec, **others}.items():
        (folder / f"spec/{each}.yaml").write_text(text)
    (folder / "core.c").write_text(core)
    generate(folder, folder / "spec")
    package: Any = load_package(folder / "python", f"{name}_for_tests")
    package.core.load(compile_library(folder / "core.c", folder / "libcore.so", folder / "c"))
    return load_package(folder / "python", f"{name}_for_tests.{name}")


@pytest.fixture
def printed(monkeypatch: pytest.MonkeyPatch) -> list[type]:
    """The exceptions that Python has printed, since nobody could be told of them."""
    found: list[type] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda each: found.append(each.exc_type))
    return found


def _error(lamps: Any, code: int, message: str = "") -> Exception:
    from plugin_api_runtime_v1 import StatusError  # type: ignore[import-not-found]

    error: Exception = StatusError(lamps.LA_Result(code), message)
    return error


def _raise(error: Exception) -> Any:
    raise error


def test_a_code_is_raised_by_its_name(lamps: Any) -> None:
    assert lamps.LA_Power(4) == 8
    lamps.LA_Explain(3, "it is dark")
    with pytest.raises(Exception, match="LA_BUSY: it is dark") as caught:
        lamps.LA_Power(-1)
    assert caught.value.code is lamps.LA_Result.LA_BUSY  # type: ignore[attr-defined]


def test_the_api_that_another_uses_is_asked_why(lamps: Any) -> None:
    lanterns: Any = load_package(Path(lamps.__file__).parents[2], "lamps_for_tests.lanterns")
    assert (lanterns.LN_Light(0), lanterns.LN_Name(0)) == (None, "lantern")
    with pytest.raises(Exception, match=r"^LA_BUSY: no oil$"):
        lanterns.LN_Light(1)
    with pytest.raises(Exception, match=r"^LN_Name: no name$"):
        lanterns.LN_Name(1)
    with pytest.raises(Exception, match=r"^LA_FAILED: ZeroDivisionError: "):
        lanterns.LN_Fns(light=lambda at: 1 // 0).light(1)


def test_what_a_function_of_python_s_raises_is_the_code_that_c_gets(lamps: Any, printed: list[type]) -> None:
    assert lamps.LA_Run(lambda at: None, 1) is None
    with pytest.raises(Exception, match="LA_BUSY"):
        lamps.LA_Run(lambda at: _raise(_error(lamps, 3)), 1)
    with pytest.raises(Exception, match="LA_FAILED"):
        lamps.LA_Run(lambda at: _raise(_error(lamps, 0)), 1)
    assert printed == []
    with pytest.raises(Exception, match="LA_FAILED: ZeroDivisionError: integer division or modulo by zero"):
        lamps.LA_Run(lambda at: 1 // 0, 1)
    assert printed == []


def test_whoever_fails_says_why_before_c_gets_the_code(lamps: Any) -> None:
    lamps.LA_Explain(1, "of an earlier call")
    with pytest.raises(Exception, match=r"^LA_BUSY: too far$"):
        lamps.LA_Run(lambda at: _raise(_error(lamps, 3, "too far")), 1)
    assert lamps.LA_LastCode() == 3
    with pytest.raises(Exception, match=r"^LA_BUSY$"):
        lamps.LA_Run(lambda at: _raise(_error(lamps, 3)), 1)
    with pytest.raises(Exception, match=r"^LA_FAILED: fine after all$"):
        lamps.LA_Run(lambda at: _raise(_error(lamps, 0, "fine after all")), 1)
    assert lamps.LA_LastCode() == 7


def test_a_code_that_a_function_of_python_s_returns_is_the_one_that_c_gets(lamps: Any) -> None:
    def busy(at: int) -> Any:
        lamps.LA_Explain(3, f"busy with {at}")
        return lamps.LA_Result.LA_BUSY

    with pytest.raises(Exception, match=r"^LA_BUSY: busy with 4$") as caught:
        lamps.LA_Run(busy, 4)
    assert caught.value.code is lamps.LA_Result.LA_BUSY  # type: ignore[attr-defined]
    with pytest.raises(Exception, match=r"^LA_UNKNOWN: never seen$"):
        lamps.LA_Run(lambda at: _error(lamps, 8, "never seen"), 1)
    assert lamps.LA_Run(lambda at: lamps.LA_Result.LA_OK, 1) is None
    with pytest.raises(Exception, match="LA_FAILED: TypeError: 'busy' is no code"):
        lamps.LA_Run(lambda at: "busy", 1)


def test_where_no_library_has_the_function_that_is_told_the_code_arrives(lamps: Any) -> None:
    from plugin_api_runtime_v1 import LastError, Symbols, failed_code

    symbols = Symbols({"LA_Gone": lamps.FUNCTIONS["LA_Explain"]}, lamps._libraries)
    nowhere = LastError(symbols, "LA_Gone")
    assert failed_code(_error(lamps, 3), 0, 7, nowhere) == 3
    with pytest.raises(ZeroDivisionError):
        failed_code(ZeroDivisionError(), 0, 7, nowhere)


def test_a_result_that_may_mean_success_is_never_given_for_an_exception(bells: Any, printed: list[type]) -> None:
    from plugin_api_runtime_v1 import Fallible

    for call in (bells.BE_Ask, bells.BE_AskOnce):
        with pytest.raises(TypeError, match=r"which result of int\(\*\)\(int\) means failure, .*: give Fallible"):
            call(lambda at: at, 1)
        assert call(Fallible(lambda at: at + 1, -1), 4) == 5
        assert call(Fallible(lambda at: 1 // 0, -1), 4) == -1
    with pytest.raises(TypeError, match="Fallible"):
        bells.BE_Bell(pitch=lambda at: at)
    bell = bells.BE_Bell(pitch=Fallible(lambda at: [][at], 440), rung=lambda at: 1 // 0)
    assert bell.pitch(1) == 440
    bell.rung(1)
    bells.BE_Ring(lambda at: 1 // 0, 1)
    assert printed == [ZeroDivisionError, ZeroDivisionError, IndexError, ZeroDivisionError, ZeroDivisionError]


def test_a_member_gives_its_results_beside_the_code(lamps: Any) -> None:
    lamp = lamps.LA_Lamp(lit=lambda at: at + 1, count=lambda at: at)
    assert lamp.lit(4) == 5
    lamp.lit = lambda at: _raise(_error(lamps, 8))
    with pytest.raises(Exception, match="LA_UNKNOWN"):
        lamp.lit(4)


def test_a_code_where_results_are_expected_is_a_failure_and_no_result(lamps: Any) -> None:
    def busy(at: int) -> Any:
        lamps.LA_Explain(3, f"busy with {at}")
        return lamps.LA_Result.LA_BUSY

    lamp = lamps.LA_Lamp(lit=busy)
    with pytest.raises(Exception, match=r"^LA_BUSY: busy with 4$"):
        lamp.lit(4)
    lamp.lit = lambda at: _error(lamps, 8, "never seen")
    with pytest.raises(Exception, match=r"^LA_UNKNOWN: never seen$"):
        lamp.lit(4)
    lamp.lit = lambda at: lamps.LA_Result.LA_OK
    with pytest.raises(Exception, match=r"^LA_FAILED: TypeError: .*LA_OK.* where results are expected$"):
        lamp.lit(4)


def test_a_negative_error_number_is_an_os_error(lamps: Any, printed: list[type]) -> None:
    assert lamps.LA_Sum(lambda at: at * 2**40, 3) == 3 * 2**40
    with pytest.raises(PermissionError) as caught:
        lamps.LA_Sum(lambda at: _raise(PermissionError(errno.EACCES, "no")), 3)
    assert caught.value.errno == errno.EACCES
    with pytest.raises(OSError) as other:
        lamps.LA_Sum(lambda at: [][at], 3)
    assert other.value.errno == errno.EIO
    assert (lamps.LA_Message(), lamps.LA_LastCode()) == ("IndexError: list index out of range", errno.EIO)
    lamp = lamps.LA_Lamp(count=lambda at: _raise(OSError("without a number")))
    with pytest.raises(OSError) as last:
        lamp.count(1)
    assert last.value.errno == errno.EIO
    assert lamps.LA_Message() == "OSError: without a number"
    assert printed == []


def test_null_is_an_error_where_the_api_says_so(lamps: Any, printed: list[type]) -> None:
    assert lamps.LA_Name(lambda at: "lamp", 1) == "lamp"
    with pytest.raises(RuntimeError, match="LA_Name: IndexError: list index out of range"):
        lamps.LA_Name(lambda at: [][at], 1)
    assert lamps.LA_LastCode() == 7
    assert printed == []
