"""Functions: called in a plugin, implemented in Python, with results, statuses and handles as Python has them."""

from __future__ import annotations

import ctypes
import gc
import sys
import threading
import warnings
import weakref
from typing import Any

import pytest

from tests.generator.python.building import run_python
from tests.generator.python.conftest import Robots
from tests.tools import require_module


def _count(robots: Robots, name: str, library: str = "core") -> int:
    return int(ctypes.CDLL(str(getattr(robots, library)))[name]())


def test_a_plugin_fills_what_it_is_handed(robots: Robots) -> None:
    plugin, robot, arms = robots.started()
    assert robot.name == "Robby"
    assert arms.add(2, 3) == 5
    assert plugin.RB_Drive(arms, 20, 3) == 23
    assert plugin.has("RB_Start")


def test_out_parameters_are_results(robots: Robots) -> None:
    _, robot, arms = robots.started()
    robot.ordinal = 12
    assert arms.measure(robot) == (True, 12, 2**63 - 1)
    assert robots.package.RB_Range(4) == (-4, 4)


def test_a_deprecated_function_warns_where_it_is_called(robots: Robots) -> None:
    with pytest.warns(DeprecationWarning, match="^RB_Half is deprecated: ") as caught:
        assert robots.package.RB_Half(8) == 4
    (warning,) = caught
    assert "RB_Range" in str(warning.message)
    assert warning.filename == __file__


def test_a_deprecated_member_warns_where_it_is_read_or_called_and_nowhere_else(robots: Robots) -> None:
    _, robot, arms = robots.started()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        arms.nap = arms.rest = print
        other = robots.package.RB_Arms(nap=lambda robot: None)
        robot.weight = 2.5
        assert "weight=2.5" in repr(robot) and "nap=" in repr(other)
        assert robot.is_set("weight") and other.is_set("nap")
    with pytest.warns(DeprecationWarning) as caught:
        assert robot.weight == 2.5
        other.nap(robot)
    assert [str(each.message) for each in caught] == [
        "RB_Robot.weight is deprecated: use ordinal",
        "RB_Arms.nap is deprecated: use rest",
    ]
    assert {each.filename for each in caught} == {__file__}


def test_none_is_null_only_where_the_api_says_that_null_is_allowed(robots: Robots) -> None:
    package = robots.package
    _, robot, arms = robots.started()
    assert not arms.twin(None)
    assert package.RB_BeltFailure(None) == "no belt"
    with package.RB_NewBelt(3) as belt:
        assert package.RB_Stretch(belt, package.RB_Point(x=4)) == 7
        assert package.RB_Link(belt, belt, belt, robot) == 22
        refused = {
            "RB_Link: function_ cannot be None; null() of its class stands for NULL": lambda: package.RB_Link(
                belt, belt, belt, None
            ),
            "RB_Arms.measure: robot cannot be None; null() of its class stands for NULL": lambda: arms.measure(None),
            "RB_Drive: arms cannot be None; null() of its class stands for NULL": lambda: robots.started()[0].RB_Drive(
                None, 1, 2
            ),
            "RB_DeleteBelt: belt cannot be None; null() of its class stands for NULL": lambda: package.RB_DeleteBelt(
                None
            ),
            "RB_Join: belt cannot be None; null() of its class stands for NULL": lambda: package.RB_Join(None),
            "RB_Stretch: by cannot be None: the API allows no NULL there": lambda: package.RB_Stretch(belt, None),
            "RB_Stretch: belt cannot be None: the API allows no NULL there": lambda: package.RB_Stretch(
                None, package.RB_Point()
            ),
        }
        for message, call in refused.items():
            with pytest.raises(TypeError) as caught:
                call()
            assert str(caught.value) == message
    for call in (lambda: package.RB_BeltFailure(belt), lambda: package.RB_Stretch(belt, package.RB_Point())):
        with pytest.raises(ValueError, match=r"closed.*cannot be used any more"):
            call()


def test_a_status_that_is_not_fine_is_raised(robots: Robots) -> None:
    _, robot, arms = robots.started()
    robot.ordinal = -1
    before = _count(robots, "LiveStatuses")
    with pytest.raises(robots.shared.StatusError) as caught:
        arms.create_motor(robot)
    assert caught.value.code is robots.signal.SIG_Kind.SIG_JAMMED
    assert caught.value.message == 'no motor for "negative" robots'
    assert str(caught.value) == 'SIG_JAMMED: no motor for "negative" robots'
    with pytest.raises(robots.shared.StatusError, match="nothing to fill"):
        robots.package.Plugin(robots.plugin).RB_Start(robots.package.RB_Params())
    assert _count(robots, "LiveStatuses") == before


def test_a_status_is_freed_when_an_argument_is_refused(robots: Robots) -> None:
    _, _, arms = robots.started()
    before = _count(robots, "LiveStatuses")
    with pytest.raises(TypeError):
        arms.copy(bytearray(3), b"abc", "three")
    assert _count(robots, "LiveStatuses") == before


def test_a_handle_is_destroyed_by_the_table_that_made_it(robots: Robots) -> None:
    _, robot, arms = robots.started()
    before = _count(robots, "LiveMotors", "plugin")
    with arms.create_motor(robot) as motor:
        assert arms.speed(motor) == 1.5
        assert _count(robots, "LiveMotors", "plugin") == before + 1
    assert _count(robots, "LiveMotors", "plugin") == before
    assert not motor
    motor.close()
    assert _count(robots, "LiveMotors", "plugin") == before


def test_a_handle_is_destroyed_once_also_when_its_function_is_called(robots: Robots) -> None:
    before = _count(robots, "LiveBelts")
    with robots.package.RB_NewBelt(8) as belt:
        left, right = robots.package.RB_SplitBelt(belt)
        assert (robots.package.RB_BeltLength(left), robots.package.RB_BeltLength(right)) == (4, 4)
        robots.package.RB_DeleteBelt(left)
        with right:
            robots.package.RB_Join(right)
            assert not right
    assert _count(robots, "LiveBelts") == before


def test_a_handle_that_nobody_can_destroy_says_so(robots: Robots) -> None:
    motor = robots.package.RB_Motor(robots.package.ffi.cast("void *", 8))
    with pytest.raises(ValueError, match="not created here"):
        motor.close()
    closed = []
    with motor.closing(closed.append):
        pass
    assert closed == [motor]


def test_values_that_only_the_other_side_knows_are_kept(robots: Robots) -> None:
    _, robot, arms = robots.started()
    robot.ordinal = 13
    mood = arms.mood_of(robot)
    assert (mood, mood.name) == (77, "unknown_77")
    assert mood is arms.mood_of(robot)


@pytest.mark.ci
def test_structs_are_results_by_value_and_by_pointer(robots: Robots) -> None:
    _, robot, arms = robots.started()
    robot.where.y = 4.5
    robot.next = robots.package.RB_Robot(ordinal=99)
    where = arms.where_is(robot)
    robot.where.y = 0
    gc.collect()
    assert where.y == 4.5
    assert arms.twin(robot).ordinal == 99
    assert not arms.twin(robot.next)


def test_functions_of_python_are_called_by_c(robots: Robots) -> None:
    _, robot, arms = robots.started()
    seen: list[tuple[int, int, object]] = []
    context = robots.shared.wrap({"key": "value"})

    def watch(of: Any, step: int, argument: Any) -> None:
        seen.append((of.ordinal, step, robots.shared.unwrap(argument)))

    robot.watcher = lambda of, step, argument: seen.append((of.ordinal, step, "member"))
    gc.collect()
    arms.run(robot, watch, context)
    robots.shared.discard(context)
    expected = [(1, step, each) for step in range(3) for each in ({"key": "value"}, "member")]
    assert seen == expected
    robot.watcher = None
    arms.run(robot, None, None)
    assert seen == expected


def test_a_table_that_python_fills_is_used_by_c(robots: Robots) -> None:
    plugin, robot, _ = robots.started()
    arms = robots.package.RB_Arms()
    arms.add = lambda a, b: a * b
    arms.measure = lambda of: (False, of.ordinal, 17)
    arms.name_of = lambda of: f"{of.name} the second"
    arms.mood_of = lambda of: robots.package.RB_Mood.RB_ANGRY
    arms.where_is = lambda of: robots.package.RB_Point(x=1, y=of.ordinal)
    arms.twin = lambda of: of
    gc.collect()
    assert plugin.RB_Drive(arms, 6, 7) == 42
    assert arms.measure(robot) == (False, 1, 17)
    assert arms.name_of(robot) == "Robby the second"
    assert arms.mood_of(robot) is robots.package.RB_Mood.RB_ANGRY
    assert (arms.where_is(robot).x, arms.where_is(robot).y) == (1, 1)
    assert arms.twin(robot) == robot


def test_an_exception_of_python_s_becomes_a_status(robots: Robots) -> None:
    _, robot, _ = robots.started()
    arms = robots.package.RB_Arms()

    def refuse(of: Any) -> Any:
        raise robots.shared.StatusError(robots.signal.SIG_Kind.SIG_JAMMED, f"no motor for {of.name}")

    def fail(of: Any) -> Any:
        raise KeyError("motor")

    arms.create_motor = refuse
    with pytest.raises(robots.shared.StatusError) as caught:
        arms.create_motor(robot)
    assert (caught.value.code, caught.value.message) == (robots.signal.SIG_Kind.SIG_JAMMED, "no motor for Robby")
    arms.create_motor = fail
    with pytest.raises(robots.shared.StatusError) as caught:
        arms.create_motor(robot)
    assert (caught.value.code, caught.value.message) == (robots.signal.SIG_Kind.SIG_BROKEN, "KeyError: 'motor'")


def test_an_exception_passes_through_c_by_its_status(robots: Robots) -> None:
    _, _, arms = robots.started()

    def rule(value: float) -> bool:
        if value < 0:
            raise robots.shared.StatusError(robots.signal.SIG_Kind.SIG_JAMMED, f"{value} is negative")
        return value > 1

    assert arms.judge(rule, 2.5) is True
    assert arms.judge(rule, 0.5) is False
    with pytest.raises(robots.shared.StatusError, match=r"SIG_JAMMED: -1\.0 is negative"):
        arms.judge(rule, -1.0)


def test_an_exception_without_a_status_goes_to_python_s_hook_and_gives_zero(
    robots: Robots, monkeypatch: pytest.MonkeyPatch
) -> None:
    caught: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda each: caught.append(each.exc_type))
    plugin, robot, _ = robots.started()
    arms = robots.package.RB_Arms()
    arms.add = lambda a, b: 1 // 0
    assert plugin.RB_Drive(arms, 1, 2) == 0
    arms.measure = lambda of: (True, 1)
    assert arms.measure(robot) == (False, 0, 0)
    assert caught == [ZeroDivisionError, ValueError]


def test_a_result_of_the_wrong_kind_is_an_error_in_the_status(robots: Robots) -> None:
    arms = robots.package.RB_Arms()
    arms.create_motor = lambda of: "no motor"
    with pytest.raises(robots.shared.StatusError, match="SIG_BROKEN: AttributeError"):
        arms.create_motor(robots.package.RB_Robot())


def test_handles_stand_for_objects_of_python_s(robots: Robots) -> None:
    package = robots.package
    arms = package.RB_Arms()
    arms.create_motor = lambda of: package.RB_Motor.wrap({"speed": of.ordinal})
    arms.speed = lambda motor: motor.unwrap()["speed"]
    arms.destroy_motor = lambda of, motor: motor.discard()
    with arms.create_motor(package.RB_Robot(ordinal=5)) as motor:
        gc.collect()
        address = motor.cdata
        assert arms.speed(motor) == 5.0
    with pytest.raises(ValueError, match="no Python object"):
        package.RB_Motor(address).unwrap()


def test_a_function_of_one_table_serves_another_without_python_between(robots: Robots) -> None:
    _, _, arms = robots.started()
    other = robots.package.RB_Arms()
    other.add = arms.add
    assert other.cdata.add == arms.cdata.add
    assert other.add(1, 1) == 2


def test_one_function_is_one_callback_however_often_it_is_assigned(robots: Robots) -> None:
    def add(a: int, b: int) -> int:
        return a + b

    first, second = robots.package.RB_Arms(add=add), robots.package.RB_Arms(add=add)
    assert first.cdata.add == second.cdata.add


def test_identity_decides_which_callback_a_function_has(robots: Robots) -> None:
    class Adder:
        """Equal to all others of its kind, and without a hash."""

        def __init__(self, more: int) -> None:
            self.more = more

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Adder)

        __hash__ = None  # type: ignore[assignment]

        def __call__(self, a: int, b: int) -> int:
            return a + b + self.more

        def add(self, a: int, b: int) -> int:
            return a + b - self.more

    one, other = Adder(1), Adder(100)
    tables = [robots.package.RB_Arms(add=each) for each in (one, other, one.add, other.add, one.add)]
    assert [each.add(1, 1) for each in tables] == [3, 102, 1, -98, 1]
    assert tables[2].cdata.add == tables[4].cdata.add


def test_what_a_python_function_gives_to_c_stays_alive(robots: Robots) -> None:
    package = robots.package
    arms = package.RB_Arms()
    arms.name_of = lambda of: "A" * 4000
    arms.twin = lambda of: package.RB_Robot(name="B" * 4000)
    raw = arms.cdata.name_of(package.ffi.NULL), arms.cdata.twin(package.ffi.NULL)
    for _ in range(3):
        gc.collect()
        _ = [package.RB_Robot(name="C" * 4000) for _ in range(100)]
    assert package.ffi.string(raw[0]) == b"A" * 4000
    assert package.ffi.string(raw[1].name) == b"B" * 4000


def test_functions_without_a_named_type_are_called(robots: Robots) -> None:
    seen: list[int] = []
    assert robots.package.RB_Count(lambda at, argument: seen.append(at), 4, None) == 4
    assert seen == [0, 1, 2, 3]


def test_variadic_functions_take_values_of_cffi_s(robots: Robots) -> None:
    ffi = robots.package.ffi
    text = bytearray(20)
    assert robots.package.RB_Log(text, len(text), "%d-%s", ffi.cast("int", 12), ffi.new("char[]", b"x")) == 4
    assert text.startswith(b"12-x\0")


def test_memory_is_passed_without_a_copy(robots: Robots) -> None:
    import array

    _, _, arms = robots.started()
    target = bytearray(6)
    arms.copy(target, b"abcdef", 6)
    assert target == b"abcdef"
    arms.copy(memoryview(target)[2:], memoryview(b"xyz"), 3)
    assert target == b"abxyzf"
    values = array.array("d", [0.0] * 5)
    arms.fill(values, 4, 1.5)
    assert list(values) == [1.5] * 4 + [0.0]
    assert arms.sum([1, 2, 3], 3) == 6
    assert arms.sum(array.array("q", [5, 6]), 2) == 11
    assert arms.sum(robots.package.ffi.new("int64_t[]", [7, 8]), 2) == 15
    assert arms.sum(None, 0) == 0
    with pytest.raises(robots.shared.StatusError, match="SIG_BROKEN"):
        arms.copy(None, b"x", 1)


def test_memory_that_does_not_fit_is_refused(robots: Robots) -> None:
    import array

    _, _, arms = robots.started()
    with pytest.raises(TypeError, match=r"elements of 4 bytes.*int64_t"):
        arms.sum(array.array("i", [1, 2]), 2)
    with pytest.raises((BufferError, ValueError, TypeError)):
        arms.copy(b"constant", b"x", 1)
    with pytest.raises(TypeError):
        arms.copy(bytearray(1), "text", 1)


def test_arrays_of_numpy_are_passed_without_a_copy(robots: Robots) -> None:
    numpy = require_module("numpy")
    _, _, arms = robots.started()
    values = numpy.zeros((2, 3))
    arms.fill(values, 6, 2.5)
    assert values.sum() == 15
    assert arms.sum(numpy.arange(10), 10) == 45
    with pytest.raises(TypeError, match="elements of 4 bytes"):
        arms.fill(numpy.zeros(2, numpy.float32), 2, 1.0)
    with pytest.raises((BufferError, ValueError)):
        arms.fill(numpy.zeros((4, 4))[:, ::2], 2, 1.0)


def test_a_symbol_that_is_missing_is_named_with_the_library(robots: Robots) -> None:
    plugin = robots.package.Plugin(robots.core)
    assert not plugin.has("RB_Start")
    with pytest.raises(robots.shared.SymbolNotFound, match=r"libcore\.so exports no function RB_Start"):
        plugin.RB_Start(robots.package.RB_Params())


def test_core_that_is_not_loaded_is_explained(robots: Robots) -> None:
    code = "from plugin_api import signal; signal.SIG_New()"
    done = run_python(code, robots.folder / "python")
    assert "there is no function SIG_New in this process; load what has it with core.load(path)" in done.stderr


def test_functions_of_core_are_found_in_what_is_loaded(robots: Robots) -> None:
    code = (
        "from plugin_api import core, signal\n"
        f"core.load({str(robots.core)!r})\n"
        "with signal.SIG_New() as status:\n"
        "    signal.SIG_Set(status, signal.SIG_Kind.SIG_JAMMED, 'stuck')\n"
        "    print(signal.SIG_Message(status), repr(signal.SIG_Code(status)))\n"
    )
    done = run_python(code, robots.folder / "python")
    assert (done.stdout, done.stderr) == ("stuck <SIG_Kind.SIG_JAMMED: 7>\n", "")


def test_a_library_stays_loaded_until_it_is_closed(robots: Robots) -> None:
    _, _, arms = robots.started()
    gc.collect()
    assert arms.add(1, 2) == 3


def test_functions_are_called_from_several_threads(robots: Robots) -> None:
    _, _, arms = robots.started()
    failures: list[str] = []

    def work(number: int) -> None:
        own = robots.package.RB_Robot(ordinal=-number)
        for _ in range(200):
            try:
                arms.create_motor(own)
            except robots.shared.StatusError as error:
                if error.code != robots.signal.SIG_Kind.SIG_JAMMED:
                    failures.append(str(error))
            if arms.add(number, 1) != number + 1:
                failures.append("add")

    threads = [threading.Thread(target=work, args=(number,)) for number in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_a_function_is_implemented_over_values_of_cffi_s(robots: Robots) -> None:
    """An embedding module needs this for `extern "Python"`."""
    package = robots.package

    def start(params: Any) -> None:
        params.robot.ordinal = 7
        raise robots.shared.StatusError(robots.signal.SIG_Kind.SIG_JAMMED, "half way")

    raw = package.FUNCTIONS["RB_Start"].adapt(start)
    params = package.RB_Params(robot=package.RB_Robot())
    with robots.signal.SIG_New() as status:
        assert raw(params.cdata, status.cdata) is None
        assert robots.signal.SIG_Message(status) == "half way"
    assert params.robot.ordinal == 7


def test_objects_of_python_s_pass_through_c(robots: Robots) -> None:
    ended: list[object] = []

    def begin(belt: Any) -> object:
        return {"length": robots.package.RB_BeltLength(belt), "seen": []}

    def step(job: Any, belt: Any, at: int) -> None:
        gc.collect()
        job["seen"].append(at)

    with robots.package.RB_NewBelt(12) as belt:
        robots.package.RB_Work(belt, begin, step, ended.append)
        assert ended == [{"length": 12, "seen": [0, 1, 2]}]
        robots.package.RB_Work(belt, None, lambda job, belt, at: ended.append(job), None)
        assert ended[1:] == [None] * 3
        assert robots.package.RB_BeltFailure(belt) == ""


def test_what_c_gave_up_is_no_longer_held(robots: Robots) -> None:
    class Job:
        pass

    made: list[weakref.ref[Job]] = []

    def begin(belt: Any) -> Job:
        job = Job()
        made.append(weakref.ref(job))
        return job

    with robots.package.RB_NewBelt(1) as belt:
        robots.package.RB_Work(belt, begin, lambda job, belt, at: None, lambda job: None)
    gc.collect()
    assert [each() for each in made] == [None]


def test_an_exception_goes_to_what_has_handed_out_a_handle(robots: Robots) -> None:
    def step(job: object, belt: Any, at: int) -> None:
        raise robots.shared.StatusError(robots.signal.SIG_Kind.SIG_JAMMED, f"stuck at {at}")

    with robots.package.RB_NewBelt(1) as belt:
        robots.package.RB_Work(belt, None, step, None)
        assert robots.package.RB_BeltFailure(belt) == "7: stuck at 2"


def test_a_status_that_is_handed_over_is_no_exception(robots: Robots) -> None:
    with robots.package.RB_NewBelt(1) as belt, robots.signal.SIG_New() as status:
        robots.signal.SIG_Set(status, robots.signal.SIG_Kind.SIG_BROKEN, "as told")
        robots.package.RB_BeltFailed(belt, status)
        assert robots.package.RB_BeltFailure(belt) == "9: as told"
