"""Tests of lifetimes in specs (`retains`, `scope`), of flags, and of the package's name."""

from __future__ import annotations

import enum
import gc
import weakref
from pathlib import Path
from typing import Any

import pytest

from tests.generator.build.building import abigen
from tests.generator.python.building import compile_library, generate, load_package

SPEC = """
abigen: 1
api: sound
prefix: SO
python: {package: acme_sound}
conventions: {errors: {negative_errno: true}}
handles:
  - {name: SO_Stream, defined_by: core, create: SO_Open, destroy: SO_Close}
callbacks:
  - {name: SO_During, scope: call, type: "int (*)(int frame)"}
  - {name: SO_Later, scope: once, type: "int (*)(int frame)"}
  - {name: SO_Ever, scope: static, type: "int (*)(int frame)"}
  - {name: SO_Unsaid, type: "int (*)(int frame)"}
enums:
  - name: SO_Effects
    flags: true
    enumerators: [{name: SO_LOUD, value: 1}, {name: SO_WIDE, value: 2}, {name: SO_LATE, value: 8}]
structs:
  - {name: SO_Filter, versioned: false, fields: [{name: name, type: const char*}, {name: next, type: SO_Filter*}]}
  - name: SO_Player
    versioned: false
    fields:
      - {name: effects, type: SO_Effects}
      - {name: ended, type: "int (*)(int frame)"}
      - {name: error, scope: static, type: "int (*)(int frame)"}
      - {name: add, type: "void (*)(SO_Filter* filter)", retains: [filter]}
functions:
  - {name: SO_Open, implemented_by: core, type: SO_Stream (void)}
  - {name: SO_Close, implemented_by: core, type: void (SO_Stream stream)}
  - {name: SO_Add, implemented_by: core, type: "void (SO_Stream stream, SO_Filter* filter, const char* title)",
     retains: [filter, title]}
  - {name: SO_Record, implemented_by: core, retains: [filter, title, sink], gives: [return],
     type: "SO_Stream (SO_Filter* filter, const char* title, SO_Unsaid sink)"}
  - {name: SO_Split, implemented_by: core, retains: [filter, title], gives: [left, right],
     type: "int (SO_Filter* filter, const char* title, SO_Stream* left, SO_Stream* right)"}
  - {name: SO_Drop, implemented_by: core, takes: [stream], type: void (SO_Stream stream)}
  - {name: SO_Length, implemented_by: core, type: int (SO_Stream stream)}
  - {name: SO_Apply, implemented_by: core, type: SO_Effects (SO_Effects effects)}
  - {name: SO_Each, implemented_by: core, type: int (SO_During sink)}
  - {name: SO_Once, implemented_by: core, type: void (SO_Later sink)}
  - {name: SO_Register, implemented_by: core, type: void (SO_Ever sink)}
  - {name: SO_Attach, implemented_by: core, type: "void (SO_Stream stream, SO_Unsaid sink)"}
  - {name: SO_Tick, implemented_by: core, type: int (void)}
"""
CORE = """
#include <stdlib.h>
#include <string.h>
#include "sound.h"
struct SO_Stream_st { SO_Filter* filter; const char* title; SO_Unsaid sink; };
static SO_Later later; static SO_Ever ever; static SO_Unsaid unsaid;
SO_Stream SO_Open(void) { return calloc(1, sizeof(struct SO_Stream_st)); }
void SO_Close(SO_Stream stream) {
  if (stream->sink != NULL) stream->sink((int)strlen(stream->title));
  free(stream);
  unsaid = NULL;
}
void SO_Drop(SO_Stream stream) { SO_Close(stream); }
void SO_Add(SO_Stream stream, SO_Filter* filter, const char* title) { stream->filter = filter; stream->title = title; }
int SO_Length(SO_Stream stream) {
  return (int)(strlen(stream->title) + strlen(stream->filter->name) + strlen(stream->filter->next->name));
}
SO_Stream SO_Record(SO_Filter* filter, const char* title, SO_Unsaid sink) {
  SO_Stream const stream = SO_Open();
  stream->sink = sink;
  SO_Add(stream, filter, title);
  return stream;
}
int SO_Split(SO_Filter* filter, const char* title, SO_Stream* left, SO_Stream* right) {
  if (title[0] == 0) return -5;
  *left = SO_Record(filter, title, NULL);
  *right = SO_Record(filter, title, NULL);
  return 0;
}
SO_Effects SO_Apply(SO_Effects effects) { return (SO_Effects)(effects | 16); }
int SO_Each(SO_During sink) { return sink(1) + sink(2); }
void SO_Once(SO_Later sink) { later = sink; }
void SO_Register(SO_Ever sink) { ever = sink; }
void SO_Attach(SO_Stream stream, SO_Unsaid sink) { (void)stream; unsaid = sink; }
int SO_Tick(void) {
  int sum = 0;
  if (later != NULL) { sum += later(1); later = NULL; }
  if (ever != NULL) { sum += ever(1); }
  if (unsaid != NULL) { sum += unsaid(1); }
  return sum;
}
"""


class Sink:
    """A function that can be watched, and has no hash."""

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return True

    def __init__(self, number: int, heard: list[int] | None = None) -> None:
        self.number = number
        self.heard = [] if heard is None else heard

    def __call__(self, frame: int) -> int:
        self.heard.append(frame)
        return self.number * frame


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("sound")
    (folder / "spec").mkdir()
    (folder / "spec/sound.yaml").write_text(SPEC)
    (folder / "core.c").write_text(CORE)
    generate(folder, folder / "spec")
    load_package(folder / "python", "acme_sound").core.load(  # type: ignore[attr-defined]
        compile_library(folder / "core.c", folder / "libcore.so", folder / "c")
    )
    return load_package(folder / "python", "acme_sound.sound")


def _churn(sound: Any) -> None:
    for _ in range(3):
        gc.collect()
        _ = [sound.SO_Filter(name="~" * 3000) for _ in range(100)]


@pytest.mark.ci
def test_what_c_keeps_pointers_to_lives_until_the_handle_is_closed(sound: Any) -> None:
    kept = []
    with sound.SO_Open() as stream:
        for length in (100, 200):
            filter = sound.SO_Filter(name="f" * length, next=sound.SO_Filter(name="n" * length))
            kept.append(weakref.ref(filter.storage))
            sound.SO_Add(stream, filter, "t" * length)
            del filter
            _churn(sound)
            assert sound.SO_Length(stream) == 3 * length
    gc.collect()
    assert [each() for each in kept] == [None, None]


def test_what_creates_keeps_what_it_is_given_until_what_it_has_created_is_closed(sound: Any) -> None:
    heard: list[int] = []
    sink, filter = Sink(6, heard), sound.SO_Filter(name="f" * 100, next=sound.SO_Filter(name="n" * 100))
    gone = [weakref.ref(sink), weakref.ref(filter.storage)]
    with sound.SO_Record(filter, "t" * 100, sink) as stream:
        del sink, filter
        _churn(sound)
        assert sound.SO_Length(stream) == 300
    gc.collect()
    assert ([each() for each in gone], heard) == ([None, None], [100])


def test_what_is_given_away_keeps_what_it_was_made_of_for_ever(sound: Any) -> None:
    sink = Sink(6, [])
    gone = weakref.ref(sink)
    stream = sound.SO_Record(sound.SO_Filter.null(), "title", sink)
    address = int(sound.ffi.cast("uintptr_t", stream.cdata))
    del sink
    sound.SO_Drop(stream)
    sound.SO_Stream(address).take("closed")  # as of another stream in the same place
    gc.collect()
    assert gone() is not None


@pytest.mark.ci
def test_what_was_created_together_keeps_what_it_was_made_of_until_all_is_closed(sound: Any) -> None:
    filter = sound.SO_Filter(name="f" * 100, next=sound.SO_Filter(name="n" * 100))
    gone = weakref.ref(filter.storage)
    _, left, right = sound.SO_Split(filter, "t" * 100)
    with pytest.raises(OSError):
        sound.SO_Split(filter, "")
    del filter
    left.close()
    _churn(sound)
    assert sound.SO_Length(right) == 300
    right.close()
    gc.collect()
    assert gone() is None


def test_a_member_that_is_a_function_keeps_what_it_says(sound: Any) -> None:
    seen = []
    player = sound.SO_Player(add=lambda filter: seen.append(filter.name))
    filter = sound.SO_Filter(name="kept")
    kept = weakref.ref(filter.storage)
    player.add(filter)
    del filter
    gc.collect()
    assert (kept() is not None, seen) == (True, ["kept"])


def test_a_callback_for_one_call_is_freed_after_it(sound: Any) -> None:
    sink = Sink(5)
    gone = weakref.ref(sink)
    assert sound.SO_Each(sink) == 15
    del sink
    gc.collect()
    assert gone() is None


def test_a_callback_that_is_called_once_is_freed_then(sound: Any) -> None:
    sink = Sink(7)
    gone = weakref.ref(sink)
    sound.SO_Once(sink)
    del sink
    _churn(sound)
    assert gone() is not None
    assert sound.SO_Tick() == 7
    gc.collect()
    assert gone() is None


@pytest.mark.ci
def test_a_callback_without_scope_goes_with_the_handle_and_a_static_one_never(sound: Any) -> None:
    with sound.SO_Open() as stream:
        sink, ever = Sink(3), Sink(40)
        gone = [weakref.ref(sink), weakref.ref(ever)]
        sound.SO_Attach(stream, sink)
        sound.SO_Register(ever)
        del sink, ever
        _churn(sound)
        assert sound.SO_Tick() == 43
    gc.collect()
    assert gone[0]() is None
    assert sound.SO_Tick() == 40


def test_a_member_s_function_goes_with_the_struct_unless_it_is_static(sound: Any) -> None:
    ended, error = Sink(1), Sink(2)
    gone = [weakref.ref(ended), weakref.ref(error)]
    player = sound.SO_Player(ended=ended, error=error)
    del ended, error
    gc.collect()
    assert player.ended(2) == 2
    del player
    gc.collect()
    assert (gone[0](), gone[1]() is None) == (None, False)


def test_flags_are_combined(sound: Any) -> None:
    effects = sound.SO_Effects
    assert issubclass(effects, enum.IntFlag)
    player = sound.SO_Player(effects=effects.SO_LOUD | effects.SO_LATE)
    assert player.effects == effects.SO_LOUD | effects.SO_LATE
    assert effects.SO_WIDE not in player.effects
    assert sound.SO_Apply(effects.SO_WIDE) == 18
    assert isinstance(sound.SO_Apply(effects.SO_WIDE), effects)
    newer = effects(0x100 | effects.SO_LOUD | effects.SO_WIDE)
    assert newer & ~effects.SO_WIDE == 0x100 | effects.SO_LOUD == ~effects.SO_WIDE & newer
    player.effects = ~effects.SO_WIDE
    assert player.effects == 0xFFFFFFFD and isinstance(~effects.SO_WIDE, effects)


@pytest.mark.parametrize(
    ("was", "now", "message"),
    [
        (
            "retains: [filter, title]}\n  - {name: SO_Rec",
            "retains: [filte]}\n  - {name: SO_Rec",
            "'SO_Add' has no parameter 'filte'",
        ),
        ("type: const char*}, {", "type: const char*, retains: [x]}, {", "'name' has no parameters that it could keep"),
        ("scope: once", "scope: twice", "expected call, once or static"),
        ("package: acme_sound", "package: Acme-Sound", "small letters, digits and underscores"),
    ],
)
def test_what_cannot_be_so_is_said(was: str, now: str, message: str, tmp_path: Path) -> None:
    assert SPEC.count(was) == 1
    (tmp_path / "sound.yaml").write_text(SPEC.replace(was, now))
    run = abigen("build", "--no-cache", "--spec-dir", tmp_path, "--out", tmp_path / "out")
    assert run.code != 0
    assert message in run.stderr
