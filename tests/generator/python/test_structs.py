"""Structs: their size, what the other side lacks, how members are read and written, and what stays alive."""

from __future__ import annotations

import array
import gc
from typing import Any

import pytest

from tests.generator.python.building import RUNTIME, SHARED, load_package
from tests.generator.python.conftest import Robots
from tests.tools import require_module


def test_a_new_object_has_its_size_and_nothing_else(robots: Robots) -> None:
    robot = robots.package.RB_Robot()
    assert robot.struct_size == robots.package.RB_Robot.unpadded_size
    buffer = load_package(SHARED, RUNTIME).buffer
    assert buffer(robot.cdata).tobytes()[8:] == bytes(robots.package.ffi.sizeof("RB_Robot") - 8)


def test_members_are_given_by_name(robots: Robots) -> None:
    robot = robots.package.RB_Robot(ordinal=3, name="Robby", mood=robots.package.RB_Mood.RB_ANGRY)
    assert (robot.ordinal, robot.name, robot.mood) == (3, "Robby", robots.package.RB_Mood.RB_ANGRY)
    assert robot.mood is robots.package.RB_Mood.RB_ANGRY


def test_a_member_that_does_not_exist_is_refused_with_a_suggestion(robots: Robots) -> None:
    with pytest.raises(AttributeError, match="RB_Robot has no member ordinl; did you mean ordinal"):
        robots.package.RB_Robot(ordinl=3)
    with pytest.raises(AttributeError, match="no member waist"):
        robots.package.RB_Robot().has("waist")


def test_an_object_of_an_older_release_lacks_what_came_later(robots: Robots) -> None:
    robot = robots.package.RB_Robot.for_release("1.1.0", awake=True)
    assert robot.awake
    assert robot.has("awake")
    assert not robot.has("from_")
    with pytest.raises(robots.shared.FieldNotAvailable) as caught:
        _ = robot.from_
    error = caught.value
    offset = robots.package.RB_Robot.offset_of("from_")
    assert (error.struct, error.member, error.since, error.release) == ("RB_Robot", "from", "1.2.0", "1.1.0")
    assert (error.size, error.needed) == (robot.struct_size, offset + 4)
    assert str(error) == (
        f"RB_Robot.from came with 1.2.0: the object has {robot.struct_size} bytes, as of 1.1.0, "
        f"and {offset + 4} are needed"
    )


def test_nothing_is_written_behind_the_end_of_an_older_object(robots: Robots) -> None:
    robot = robots.package.RB_Robot.for_release("1.1.0")
    with pytest.raises(robots.shared.FieldNotAvailable):
        robot.weight = 2.0


def test_a_size_between_two_releases_is_said_to_be_the_older_one(robots: Robots) -> None:
    robot = robots.package.RB_Robot()
    robot.struct_size = robots.package.RB_Robot.offset_of("awake")
    with pytest.raises(robots.shared.FieldNotAvailable, match=r"as before 1\.1\.0"):
        _ = robot.awake


def test_nothing_is_read_behind_the_end_of_an_object_smaller_than_those_of_the_first_release(robots: Robots) -> None:
    package = robots.package
    memory = package.ffi.new("char[]", package.RB_Robot.offset_of("name"))
    robot = package.RB_Robot.at(package.ffi.cast("RB_Robot *", memory))
    robot.cdata.struct_size = len(memory)
    robot.ordinal = 5
    assert (robot.struct_size, robot.ordinal) == (len(memory), 5)
    for name in ("name", "where", "grip", "path", "mood", "next"):
        with pytest.raises(
            robots.shared.FieldNotAvailable, match=rf"RB_Robot\.{name} .*has {len(memory)} bytes, as before"
        ):
            getattr(robot, name)
    assert repr(robot) == f"RB_Robot(struct_size={len(memory)}, ext=NULL, ordinal=5, ...)"


def test_functions_that_came_later_are_not_called(robots: Robots) -> None:
    plugin, robot, arms = robots.started(robots.old_plugin)
    assert arms.add(1, 2) == 3
    assert not arms.has("rest")
    with pytest.raises(robots.shared.FieldNotAvailable, match=r"RB_Arms.rest came with 1\.2\.0.*as of 1\.1\.0"):
        arms.rest(robot)
    with pytest.raises(robots.shared.FieldNotAvailable):
        arms.rest = print
    plugin.close()


def test_a_function_that_is_null_is_named(robots: Robots) -> None:
    arms = robots.package.RB_Arms()
    assert arms.has("add")
    assert not arms.is_set("add")
    with pytest.raises(robots.shared.FieldNotSet, match=r"RB_Arms\.add is NULL"):
        arms.add(1, 2)


def test_null_is_false_and_has_no_members(robots: Robots) -> None:
    params = robots.package.RB_Params()
    assert not params.robot
    assert repr(params.robot) == "<RB_Robot NULL>"
    with pytest.raises(robots.shared.NullPointer, match=r"RB_Robot\.ordinal"):
        _ = params.robot.ordinal
    with pytest.raises(robots.shared.NullPointer, match=r"RB_Arms\.add"):
        params.arms.add(1, 2)
    with pytest.raises(robots.shared.NullPointer, match=r"RB_Robot\.ordinal"):
        params.robot.ordinal = 2
    with pytest.raises(robots.shared.NullPointer, match=r"RB_Point\.y"):
        robots.package.RB_Point.null().y = 2.0


def test_every_kind_of_member_comes_back(robots: Robots) -> None:
    package = robots.package
    box = package.RB_Box()
    box.value.real = 0.5
    box.bits = package.RB_Bits(low=5, high=-3, rest=7)
    box.packed.number = -(2**40)
    box.grid = [[1, 2, 3], [4, 5, 6]]
    box.label = "left"
    box.wide = 0.25
    box.points[1] = package.RB_Point(x=1.5, y=2.5)
    assert box.value.whole == 0x3FE0000000000000
    assert (box.bits.low, box.bits.high, box.bits.rest) == (5, -3, 7)
    assert box.packed.number == -(2**40)
    assert box.grid == [[1, 2, 3], [4, 5, 6]]
    assert box.grid[1][2] == 6
    assert box.label == "left"
    assert bytes(package.ffi.buffer(box.cdata.label)) == b"left\0\0\0\0"
    assert box.wide == 0.25
    assert (box.points[1].x, box.points[1].y) == (1.5, 2.5)
    box.points[0].y = 9
    assert box.points[0].y == 9


def test_an_array_is_a_view_of_fixed_length(robots: Robots) -> None:
    robot = robots.package.RB_Robot(grip=[1, 2, 3, 4])
    grip = robot.grip
    grip[1:3] = [7, 8]
    grip[-1] = 9
    assert robot.grip == [1, 7, 8, 9]
    assert grip[::2] == [1, 8]
    assert grip.memory().tolist() == [1, 7, 8, 9]
    grip.memory()[0] = -1
    assert robot.grip[0] == -1
    grip[0] = 1
    with pytest.raises(IndexError):
        grip[4] = 1
    with pytest.raises(ValueError, match="3 values for 2"):
        grip[:2] = [1, 2, 3]
    with pytest.raises(TypeError):
        grip.append(1)
    with pytest.raises(OverflowError):
        grip[0] = 40000


def test_what_members_point_to_is_counted(robots: Robots) -> None:
    package = robots.package
    robot = package.RB_Robot()
    assert len(robot.path) == 0
    robot.path = [package.RB_Point(x=1, y=2), package.RB_Point(x=3, y=4)]
    gc.collect()
    assert robot.num_path == 2
    assert [(each.x, each.y) for each in robot.path] == [(1, 2), (3, 4)]


def test_memory_of_python_s_is_used_as_it_is_and_counted(robots: Robots) -> None:
    packet = robots.package.RB_Packet(data=b"wxyz", levels=array.array("f", [0.5, 1.5, 2.5]))
    gc.collect()
    assert (packet.size, list(packet.data)) == (4, list(b"wxyz"))
    assert (packet.num_levels, list(packet.levels)) == (3, [0.5, 1.5, 2.5])
    levels = array.array("f", [1, 2])
    packet.levels = levels
    levels[1] = 7
    assert list(packet.levels) == [1, 7]
    with pytest.raises(BufferError):
        levels.append(3)  # C may read it
    packet.levels = robots.package.RB_Packet(levels=[4, 5, 6]).levels
    gc.collect()
    assert list(packet.levels) == [4, 5, 6]
    packet.levels = robots.package.ffi.new("float[]", [8])
    assert list(packet.levels) == [8]


def test_what_a_pointer_to_void_leads_to_is_counted_in_bytes(robots: Robots) -> None:
    ffi = robots.package.ffi
    packet = robots.package.RB_Packet(blob=b"wxyz")
    gc.collect()
    assert bytes(ffi.buffer(packet.blob, packet.blob_size)) == b"wxyz"
    packet.blob = array.array("f", [0.5, 1.5])
    assert bytes(ffi.buffer(packet.blob, packet.blob_size)) == array.array("f", [0.5, 1.5]).tobytes()
    packet.blob = [7, 8, 255]
    assert bytes(ffi.buffer(packet.blob, packet.blob_size)) == b"\x07\x08\xff"
    numbers = ffi.new("int64_t[]", [1, 2])
    for value in (numbers, robots.package.RB_Packet(levels=[1, 2, 3, 4]).levels):
        packet.blob = value
        assert packet.blob_size == 16
    packet.blob_size = 1
    packet.blob = ffi.cast("void *", numbers)  # a plain pointer does not say how many
    assert (packet.blob, packet.blob_size) == (numbers, 1)
    packet.blob = None
    assert not packet.blob
    assert robots.package.RB_Packet(blob=b"wxyz", blob_size=3).blob_size == 3
    levels = ffi.new("float[]", [8])
    packet.levels, packet.num_levels = ffi.cast("float *", levels), 1
    assert list(packet.levels) == [8]


def test_arrays_of_numpy_are_counted(robots: Robots) -> None:
    numpy = require_module("numpy")
    packet = robots.package.RB_Packet(levels=numpy.array([1, 2, 3], numpy.float32))
    gc.collect()
    assert (packet.num_levels, list(packet.levels)) == (3, [1, 2, 3])
    with pytest.raises(TypeError, match="elements of 8 bytes, format 'd', where C expects float"):
        packet.levels = numpy.zeros(5)
    assert (packet.num_levels, list(packet.levels)) == (3, [1, 2, 3])


def test_a_number_that_is_given_counts_whatever_the_order(robots: Robots) -> None:
    for members in ({"size": 2, "data": b"wxyz"}, {"data": b"wxyz", "size": 2}):
        assert list(robots.package.RB_Packet(**members).data) == list(b"wx")


def test_more_elements_than_their_number_can_say_are_refused(robots: Robots) -> None:
    packet = robots.package.RB_Packet(data=b"abc")
    with pytest.raises(OverflowError):
        packet.data = bytes(70000)
    assert (packet.size, list(packet.data)) == (3, list(b"abc"))


def test_a_member_may_be_called_release(robots: Robots) -> None:
    assert robots.package.RB_Letter.for_release("1.2.0", release=3).release == 3


def test_a_member_whose_name_is_a_keyword_has_an_underscore(robots: Robots) -> None:
    robot = robots.package.RB_Robot(from_=1984)
    assert robot.cdata.weight == 0
    assert robot.from_ == getattr(robot.cdata, "from") == 1984


def test_what_an_object_points_to_lives_as_long_as_the_object(robots: Robots) -> None:
    package = robots.package
    robot = package.RB_Robot(name="A" * 5000, next=package.RB_Robot(name="B" * 5000))
    box = package.RB_Box()
    box.friends[0] = package.RB_Robot(ordinal=42)
    box.friends[1] = robot
    for _ in range(3):
        gc.collect()
        _fill_memory(package)
    assert robot.name == "A" * 5000
    assert robot.next.name == "B" * 5000
    assert box.friends[0].ordinal == 42
    assert box.friends[1] == robot


def _fill_memory(package: Any) -> None:
    for _ in range(200):
        package.RB_Robot(name="C" * 5000)


def test_what_is_assigned_through_a_view_stays_alive_until_it_is_forgotten(robots: Robots) -> None:
    package = robots.package
    memory = package.ffi.new("RB_Robot *")
    memory.struct_size = package.RB_Robot.unpadded_size
    view = package.RB_Robot.at(memory)
    view.name = "A" * 5000
    del view
    gc.collect()
    _fill_memory(package)
    view = package.RB_Robot.at(int(package.ffi.cast("uintptr_t", memory)))
    assert view.name == "A" * 5000
    view.forget()


def test_a_member_of_struct_type_is_a_view_that_keeps_the_whole_alive(robots: Robots) -> None:
    where = robots.package.RB_Robot(where=robots.package.RB_Point(x=1, y=2)).where
    gc.collect()
    _fill_memory(robots.package)
    assert (where.x, where.y) == (1, 2)


def test_repr_shows_members_in_short(robots: Robots) -> None:
    package = robots.package
    robot = package.RB_Robot.for_release("1.1.0", ordinal=2, name="Robby")
    robot.next = package.RB_Robot()
    shown = repr(robot)
    assert shown.startswith(
        f"RB_Robot(struct_size={robot.struct_size}, ext=NULL, ordinal=2, name='Robby', where=RB_Point("
    )
    assert "next=<RB_Robot at 0x" in shown
    assert "mood=<RB_Mood.RB_CALM: 0>" in shown
    assert shown.endswith("watcher=NULL, awake=False, ...)")


def test_views_of_one_object_are_equal(robots: Robots) -> None:
    robot = robots.package.RB_Robot()
    again = robots.package.RB_Robot.at(robot.cdata)
    assert robot == again
    assert hash(robot) == hash(again)
    assert robot != robots.package.RB_Robot()


def test_a_class_can_be_extended(robots: Robots) -> None:
    class Named(robots.package.RB_Robot):  # type: ignore[name-defined, misc]
        def __init__(self, name: str) -> None:
            super().__init__(name=name)
            self.nickname = name[:3]

    assert (Named("Robby").name, Named("Robby").nickname) == ("Robby", "Rob")


def test_text_that_is_no_utf_8_comes_back_as_it_was(robots: Robots) -> None:
    robot = robots.package.RB_Robot(name=b"\xff\xfe")
    robot.name = robot.name
    assert robots.package.ffi.string(robot.cdata.name) == b"\xff\xfe"
    robot.name = None
    assert robot.name is None


def test_memory_has_the_format_of_its_elements(robots: Robots) -> None:
    box = robots.package.RB_Box(grid=[[1, 2, 3], [4, 5, 6]])
    assert box.grid[1].memory().tolist() == [4.0, 5.0, 6.0]
    assert box.value.raw.memory().format == "B"
    ffi = robots.package.ffi
    buffer = load_package(SHARED, RUNTIME).buffer
    formats = {each: buffer(ffi.new(f"{each}[2]")).format for each in ("bool", "uint64_t", "int8_t", "double", "char")}
    assert formats == {"bool": "?", "uint64_t": "Q", "int8_t": "b", "double": "d", "char": "B"}


def test_an_array_of_characters_is_text(robots: Robots) -> None:
    box = robots.package.RB_Box(label="Grüße")
    assert box.label == "Grüße"
    box.label = "kurz"
    assert bytes(robots.package.ffi.buffer(box.cdata.label)) == b"kurz" + bytes(4)
    box.label = b"12345678"
    assert box.label == "12345678"
    box.label = "1234567"
    for wrong in ("12345678", "ääää", b"123456789", "a\0b"):
        with pytest.raises(ValueError, match=r"of text where|NUL"):
            box.label = wrong
    with pytest.raises(TypeError, match="int where text is expected"):
        box.label = 5
    assert box.label == "1234567"
